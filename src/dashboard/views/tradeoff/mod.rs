//! The trade-off: final error against one parameter, at one setting or at two.
//!
//! Points are studies, with one standard error to either side. Lines are predictions: long dashes for an algorithm, in
//! its color, and gray for a client alone. Where the predictions of pooled and of own least squares cross, joining
//! stops or begins to pay.

mod picture;
mod plan;
mod series;
mod words;

use crate::dashboard::results::sweep::{Sweep, value_of};
use crate::figure::number::number;
use crate::params::Key;
use crate::params::views::Across;
use crate::sim::scenario::Settings;
use series::Series;

pub use plan::{plan, values};
pub use words::caption;

/// A trade-off with the results so far.
#[derive(Clone, Copy, Debug)]
pub struct TradeOff<'a> {
    /// The present studies.
    pub sweep: &'a Sweep,
    /// The studies that they replace, shown until the present ones have results.
    pub before: Option<&'a Sweep>,
    /// The parameter along the axis.
    pub across: Across,
    /// The parameter and value of the second setting, if there is one.
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

    /// One of two settings in words: "M = 50"; empty if there is only one.
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

    /// The value along the axis at which joining stops or begins to pay, if the predictions show one.
    pub fn crossing(&self) -> Option<f64> {
        Some(self.series().first()?.crossing()?.0)
    }

    /// The same in words: along counts, the last value at which joining still pays, or the first at which it does.
    pub fn turn(&self) -> Option<f64> {
        let all = self.series();
        let series = all.first()?;
        Some(series.turn(series.crossing()?.0))
    }

    /// The point of the axis with the value nearest to `x`, by ratio; the first one to 0.
    pub fn nearest(&self, x: f64) -> Option<f64> {
        let distance = |value: &f64| (value / x).ln().abs();
        self.xs().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// The present value if it is no point of the axis, and another one is read in its place.
    pub fn stands_for(&self) -> Option<String> {
        let is_point = self.xs().iter().any(|x| (x / self.now - 1.0).abs() < 1e-9);
        (!is_point).then(|| number(self.now))
    }
}

#[cfg(test)]
mod tests;
