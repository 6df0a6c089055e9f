//! A trade-off in words: the numbers at a value, where joining pays, and the caption.

use super::TradeOff;
use super::series::{Series, expected_last};
use crate::dashboard::results::sweep::last;
use crate::dashboard::run::bound::{by_pooled, hypothesis};
use crate::dashboard::run::readout::Reading;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::method_name;
use crate::dashboard::words::names::the;
use crate::dashboard::words::thresholds::is_near;
use crate::figure::number::{measured, number, number_to};
use crate::figure::{Curve, CurveKind, Role};
use crate::params::views::Across;
use crate::sim::estimate::Reference;
use crate::sim::stats::Running;
use crate::theory::{NoPrediction, Theory};
use fedsysid_say::{between, say};

impl TradeOff<'_> {
    /// The numbers at the value nearest to `x`.
    pub fn readings(&self, x: f64) -> Vec<Reading> {
        self.series().iter().flat_map(|series| series.readings(x)).collect()
    }

    /// Where joining pays along the axis, one sentence per setting.
    pub fn sentence(&self) -> String {
        let of = |series: &Series<'_>| series.sentence().into_iter().chain(series.divergence()).collect::<Vec<_>>();
        let sentences: Vec<_> = self.series().iter().flat_map(of).collect();
        sentences.join(" ")
    }

    /// The bound as printed, with its hypothesis, at the first value along the axis that is not below the present one.
    pub fn bound(&self) -> String {
        let place = self.xs().into_iter().enumerate().find(|(_, x)| *x >= self.now * 0.999);
        let found = place.and_then(|(index, x)| {
            let theory = self.sweep.theory(index)?;
            Some((x, theory.theorem1()?.bound(), hypothesis(theory)?.1))
        });
        let Some((x, bound, hypothesis)) = found.filter(|(_, bound, _)| bound.is_finite()) else {
            return String::new();
        };
        let at = said(self.across, x);
        say!("At {at} the bound of Theorem 1, as printed, is {} ({hypothesis}).", measured(bound, 3))
    }
}

impl Series<'_> {
    fn readings(&self, x: f64) -> Vec<Reading> {
        let Some(index) = self.indices().zip(self.xs()).find(|(_, at)| (at / x - 1.0).abs() < 1e-9) else {
            return Vec::new();
        };
        let (summary, theory) = (self.sweep.summary(index.0), self.sweep.theory(index.0));
        let read = |value: Option<Running>| match value {
            None => Err(say!("not yet").to_owned()),
            Some(value) if value.mean().is_finite() => Ok(value),
            Some(_) => Err(say!("diverged").to_owned()),
        };
        let method = |which: usize| Reading {
            role: self.role(which),
            name: self.named(method_name(self.methods()[which])),
            value: read(summary.and_then(|summary| last(summary, which))),
            expected: theory.and_then(|theory| expected_last(theory, which)),
        };
        let own = self.own_name().map(|name| Reading {
            role: Role::ClientAlone,
            name,
            value: match summary.and_then(|summary| summary.reference(Reference::ClientAlone)) {
                Some(Err(reason)) => Err(reason.to_string()),
                Some(Ok(value)) => Ok(value),
                None => Err(say!("not yet").to_owned()),
            },
            expected: theory.and_then(|theory| theory.alone.ok()),
        });
        (0..self.n_methods()).map(method).chain(own).collect()
    }

    fn sentence(&self) -> Option<String> {
        let text = self.pays_where()?;
        Some(if self.is_second { format!("{}: {text}", self.name) } else { text })
    }

    /// Where joining pays along the axis.
    fn pays_where(&self) -> Option<String> {
        let (settings, target) = (self.settings()?, self.target()?);
        let (who, symbol) = (the(target), self.across.key().param().symbol);
        if settings.n_clients == 1 && self.across != Across::Clients {
            return Some(say!("There is nobody to join.").into());
        }
        let begin = |text: String, x: Option<f64>| if self.leads_to_pooled(x) { text } else { by_pooled(&text) };
        let (crossing, (n_paying, n_known, n_changes)) = (self.crossing(), self.paying());
        if n_changes > 1 {
            let text = say!(
                "Joining pays for {who} at {n_paying} of {n_known} values of {symbol}, with more than one break-even."
            );
            return Some(begin(text, crossing.map(|(x, _)| x)));
        }
        if let Some((x, error)) = crossing {
            return Some(begin(self.until(x, error, &who), Some(x)));
        }
        let reason = self.indices().rev().find_map(|index| self.sweep.theory(index)).and_then(no_prediction);
        let (x, pooled, alone) = match (self.last_known(), reason) {
            (Some(known), _) => known,
            (None, reason) => return Some(say!("Where joining pays cannot be foretold: {}.", reason?)),
        };
        let begins_alone = self.across == Across::Clients && settings.n_clients == 1 && settings.target == target;
        let text = match (reason, pooled < alone) {
            (Some(reason), true) => {
                let farthest = number(self.farthest().unwrap_or(x));
                say!("Joining pays for {who} at every {symbol} up to {farthest}; beyond: {reason}.")
            }
            (Some(reason), false) => {
                say!("Joining pays for {who} at no {symbol} up to {}; beyond: {reason}.", number(x))
            }
            (None, true) if begins_alone => {
                say!("Joining pays for {who} at every M but 1, where there is nobody to join.")
            }
            (None, true) => say!("Joining pays for {who} everywhere along this axis."),
            (None, false) => say!("Joining pays for {who} nowhere along this axis."),
        };
        Some(begin(text, reason.map(|_| x)))
    }

    /// Up to where, or from where on, joining pays.
    fn until(&self, x: f64, error: f64, who: &str) -> String {
        let (at, error) = (said(self.across, self.turn(x)), measured(error, 3));
        let few = if self.has_few() { say!(" (too low: few samples)") } else { "" };
        match self.across {
            Across::Heterogeneity => say!("Joining pays for {who} up to {at}{few}, where both are off by {error}."),
            Across::Clients | Across::Rollouts if self.pays_first() => {
                say!(
                    "Joining pays for {who} up to {at}: with more, its own data are better (error at break-even: {error})."
                )
            }
            Across::Clients | Across::Rollouts => {
                say!("Joining pays for {who} from {at} on (error at break-even: {error}).")
            }
        }
    }
}

/// Why one of the predictions of pooled and of own least squares is missing, if one is.
fn no_prediction(theory: &Theory) -> Option<NoPrediction> {
    theory.pooled.err().or(theory.alone.err())
}

impl Series<'_> {
    /// At which values methods diverge, one sentence for those that do at the same ones.
    fn divergence(&self) -> Vec<String> {
        let mut all: Vec<(Vec<f64>, Vec<String>)> = Vec::new();
        for (which, &method) in self.methods().iter().enumerate() {
            let diverges =
                |index: usize| self.sweep.summary(index).is_some_and(|summary| summary.methods[which].n_diverged > 0);
            let at: Vec<_> =
                self.indices().zip(self.xs()).filter(|(index, _)| diverges(*index)).map(|(_, x)| x).collect();
            match all.iter_mut().find(|(same, _)| *same == at) {
                Some((_, names)) => names.push(method_name(method)),
                None => all.push((at, vec![method_name(method)])),
            }
        }
        let xs = self.xs();
        let of = |(at, names): (Vec<f64>, Vec<String>)| {
            let (first, names) = (said(self.across, *at.first()?), names.join(between()));
            let text = if at.len() == xs.len() {
                say!("Diverging everywhere along this axis: {names}.")
            } else if xs.ends_with(&at) {
                say!("Diverging from {first} on: {names}.")
            } else {
                let symbol = self.across.key().param().symbol;
                say!("Diverging at {} of {} values of {symbol}: {names}.", at.len(), xs.len())
            };
            Some(if self.is_second { format!("{}: {text}", self.name) } else { text })
        };
        all.into_iter().filter_map(of).collect()
    }

    /// Whether a method's predicted or measured final error is near that of pooled least squares, at the value nearest
    /// to `x`, or without `x` at the last; true if there are no rounds that could lead elsewhere.
    fn leads_to_pooled(&self, x: Option<f64>) -> bool {
        let known =
            self.indices().zip(self.xs()).filter_map(|(index, at)| Some((index, at, self.sweep.theory(index)?)));
        let far = |at: f64| x.map_or(-at, |x| (at / x).ln().abs());
        let Some((index, _, theory)) = known.min_by(|a, b| far(a.1).total_cmp(&far(b.1))) else { return true };
        let measured = |which: usize| self.sweep.summary(index).and_then(|summary| last(summary, which));
        let is_near = |end: f64| theory.pooled.is_ok_and(|pooled| is_near(end, pooled));
        self.n_methods() == 0
            || (0..self.n_methods()).any(|which| {
                expected_last(theory, which).is_some_and(is_near)
                    || measured(which).is_some_and(|end| is_near(end.mean()))
            })
    }
}

/// A value along an axis, in words: "ε = 0.63", "M = 3".
pub(super) fn said(across: Across, value: f64) -> String {
    let symbol = across.key().param().symbol;
    match across {
        Across::Heterogeneity => format!("{symbol} = {}", number_to(value, 2)),
        Across::Clients | Across::Rollouts => format!("{symbol} = {}", number(value.round())),
    }
}

/// Caption of the trade-off: what its dots, bands and dashes are.
pub fn caption(trade_off: &TradeOff<'_>) -> String {
    let plan = &trade_off.sweep.plan;
    let Some(settings) = trade_off.settings() else { return String::new() };
    let param = trade_off.across.key().param();
    let band = if settings.n_trials > 1 { say!(" with one standard error") } else { "" };
    // Only known to be missing once there are predictions of anything.
    let series = trade_off.series();
    let is_known = plan.points.iter().enumerate().any(|(index, _)| trade_off.sweep.theory(index).is_some());
    let is_dashed = |curve: &Curve| {
        matches!(curve.kind, CurveKind::Predicted | CurveKind::PredictedBeside) && !curve.points.is_empty()
    };
    let lacks_dashes = is_known && !series.iter().flat_map(Series::curves).any(|curve| is_dashed(&curve));
    let dashes = if lacks_dashes { "" } else { say!(", dashes are predicted") };
    say!(
        "Error after {} at {} values of {}: dots are means of {}{band}{dashes}.",
        Things::Rounds.counted(settings.n_rounds),
        plan.series_len,
        param.symbol,
        Things::DataSets.counted(settings.n_trials),
    )
}
