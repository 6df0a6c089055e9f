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
use crate::figure::Role;
use crate::figure::number::{measured, number, number_to};
use crate::params::views::Across;
use crate::sim::estimate::Reference;
use crate::sim::stats::Running;
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
        let settings = self.settings()?;
        let target = self.target()?;
        let who = the(target);
        if settings.n_clients == 1 && self.across != Across::Clients {
            return Some(say!("There is nobody to join.").into());
        }
        let (second_name, crossing) = (&self.name, self.crossing());
        let begin = |text: String| {
            let text = if self.comes_near_pooled(crossing.map(|(x, _)| x)) { text } else { by_pooled(&text) };
            if self.is_second { format!("{second_name}: {text}") } else { text }
        };
        let (n_paying, n_known, n_changes) = self.paying();
        if n_changes > 1 {
            let symbol = self.across.key().param().symbol;
            return Some(begin(say!(
                "Joining pays for {who} at {n_paying} of {n_known} values of {symbol}, with more than one break-even."
            )));
        }
        if let Some((x, error)) = crossing {
            // Along counts, the last value at which joining still pays, or the first at which it does.
            let x = match self.across {
                Across::Heterogeneity => x,
                Across::Clients | Across::Rollouts if self.pays_first() => x.floor(),
                Across::Clients | Across::Rollouts => x.ceil(),
            };
            let (at, error) = (said(self.across, x), measured(error, 3));
            return Some(begin(match self.across {
                Across::Heterogeneity => say!("Joining pays for {who} up to {at}, where both are off by {error}."),
                Across::Clients | Across::Rollouts if self.pays_first() => {
                    say!("Joining pays for {who} up to {at}: with more, its own data are better ({error}).")
                }
                Across::Clients | Across::Rollouts => say!("Joining pays for {who} from {at} on ({error})."),
            }));
        }
        let last = self.indices().rev().find_map(|index| self.sweep.theory(index))?;
        let (pooled, alone) = match (last.pooled, last.alone) {
            (Ok(pooled), Ok(alone)) => (pooled, alone),
            (Err(reason), _) | (_, Err(reason)) => {
                return Some(say!("Where joining pays cannot be foretold: {reason}."));
            }
        };
        let begins_alone = self.across == Across::Clients && settings.n_clients == 1 && settings.target == target;
        Some(begin(if pooled < alone && begins_alone {
            say!("Joining pays for {who} at every M but 1, where there is nobody to join.")
        } else if pooled < alone {
            say!("Joining pays for {who} everywhere along this axis.")
        } else {
            say!("Joining pays for {who} nowhere along this axis.")
        }))
    }
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
    /// to `x`, or without `x` at the last.
    fn comes_near_pooled(&self, x: Option<f64>) -> bool {
        let known =
            self.indices().zip(self.xs()).filter_map(|(index, at)| Some((index, at, self.sweep.theory(index)?)));
        let far = |at: f64| x.map_or(-at, |x| (at / x).ln().abs());
        let Some((index, _, theory)) = known.min_by(|a, b| far(a.1).total_cmp(&far(b.1))) else { return true };
        let measured = |which: usize| self.sweep.summary(index).and_then(|summary| last(summary, which));
        let is_near = |end: f64| theory.pooled.is_ok_and(|pooled| is_near(end, pooled));
        (0..self.n_methods()).any(|which| {
            expected_last(theory, which).is_some_and(is_near) || measured(which).is_some_and(|end| is_near(end.mean()))
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
    say!(
        "Error after {} at {} values of {}: dots are means of {}{band}, dashes are predicted.",
        Things::Rounds.counted(settings.n_rounds),
        plan.series_len,
        param.symbol,
        Things::DataSets.counted(settings.n_trials),
    )
}
