//! The trade-off: final error against one parameter, at one setting or at two.
//!
//! Points are studies of their own, with one standard error to either side; lines are what theory expects, the long dashes of
//! an algorithm in its color and those of a client alone in gray. Where the lines of pooled and of own least squares cross,
//! joining ceases to pay, or begins to.

mod picture;
mod plan;
mod series;
mod words;

use super::sweep::{Sweep, value_of};
use crate::figure::number::number;
use crate::params::Key;
use crate::params::views::Across;
use crate::sim::scenario::Settings;
use series::Series;

pub use plan::{plan, values};
pub use words::caption;

/// A trade-off, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct TradeOff<'a> {
    /// The studies.
    pub sweep: &'a Sweep,
    /// The studies that these replace, to be seen until these are in.
    pub before: Option<&'a Sweep>,
    /// What lies along the axis.
    pub across: Across,
    /// What the second setting differs in.
    pub beside: Option<(Key, f64)>,
    /// The present value along the axis.
    pub now: f64,
}

impl<'a> TradeOff<'a> {
    fn series(&self) -> Vec<Series<'a>> {
        let len = self.sweep.plan.series_len.max(1);
        let firsts = (0..self.sweep.plan.points.len()).step_by(len);
        let (sweep, across) = (self.sweep, self.across);
        let of = |first: usize| {
            let is_second = first > 0;
            Series { sweep, across, first, is_second, name: self.name(is_second) }
        };
        firsts.map(of).collect()
    }

    /// One of two settings in words, "M = 50"; of a single one nothing.
    fn name(&self, is_second: bool) -> String {
        let Some((key, second)) = self.beside else { return String::new() };
        let first = || self.settings().map_or(f64::NAN, |settings| value_of(key, settings));
        format!("{} = {}", key.param().symbol, number(if is_second { second } else { first() }))
    }

    fn settings(&self) -> Option<&Settings> {
        self.sweep.plan.points.first()
    }

    fn xs(&self) -> Vec<f64> {
        self.series().first().map(Series::xs).unwrap_or_default()
    }

    /// The value along the axis at which joining ceases to pay, or begins to, if the studies tell.
    pub fn crossing(&self) -> Option<f64> {
        Some(self.series().first()?.crossing()?.0)
    }

    /// The value along the axis that is nearest to `x`.
    pub fn nearest(&self, x: f64) -> Option<f64> {
        let distance = |value: &f64| (value / x).ln().abs();
        self.xs().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }
}

#[cfg(test)]
mod tests;
