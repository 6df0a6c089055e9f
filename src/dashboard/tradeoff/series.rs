//! The studies at one of a trade-off's two settings: what they are of, and where joining ceases to pay among them.

use crate::dashboard::picture::{reference_name, solver_role};
use crate::dashboard::sweep::{Sweep, value_of};
use crate::figure::Role;
use crate::params::views::Across;
use crate::sim::estimate::Reference;
use crate::sim::method::Method;
use crate::sim::scenario::Settings;
use crate::theory::Theory;
use crate::theory::break_even::BreakEven;

/// One of the lines of points: the studies at one of the two settings.
pub(super) struct Series<'a> {
    pub(super) sweep: &'a Sweep,
    pub(super) across: Across,
    /// The place of the first of them.
    pub(super) first: usize,
    pub(super) is_second: bool,
    /// The setting in words, where there are two.
    pub(super) name: String,
}

impl Series<'_> {
    pub(super) fn indices(&self) -> std::ops::Range<usize> {
        self.first..(self.first + self.sweep.plan.series_len).min(self.sweep.plan.points.len())
    }

    pub(super) fn xs(&self) -> Vec<f64> {
        self.indices().map(|index| value_of(self.across.key(), &self.sweep.plan.points[index])).collect()
    }

    pub(super) fn settings(&self) -> Option<&Settings> {
        self.sweep.plan.points.get(self.first)
    }

    pub(super) fn methods(&self) -> &[Method] {
        self.settings().map_or(&[], |settings| &settings.methods)
    }

    pub(super) fn n_methods(&self) -> usize {
        self.methods().len()
    }

    pub(super) fn role(&self, which: usize) -> Role {
        solver_role(self.methods()[which].solver)
    }

    /// What belongs to a line, with the setting where there are two.
    pub(super) fn named(&self, what: String) -> String {
        if self.name.is_empty() { what } else { format!("{what}, {}", self.name) }
    }

    /// Whether a client alone fares differently at the two settings: only if its own data do.
    fn alone_differs(&self) -> bool {
        let data = |index: usize| self.sweep.plan.points.get(index).map(|s| (&s.data, s.heterogeneity, s.target));
        data(0) != data(self.sweep.plan.series_len)
    }

    /// What a client alone is called, where it is shown: once, unless its errors differ.
    pub(super) fn own_name(&self) -> Option<String> {
        let own = reference_name(Reference::ClientAlone, self.settings()?.target);
        match (self.alone_differs() && !self.name.is_empty(), self.is_second) {
            (true, _) => Some(self.named(own)),
            (false, true) => None,
            (false, false) => Some(own),
        }
    }

    /// Where the errors to expect of pooled and of own least squares meet: the value along the axis, and the error.
    pub(super) fn crossing(&self) -> Option<(f64, f64)> {
        let theories: Vec<_> =
            self.indices().zip(self.xs()).filter_map(|(index, x)| Some((x, self.sweep.theory(index)?))).collect();
        let found = |theory: &Theory| if let Ok(BreakEven::At(x)) = theory.break_even { Some(x) } else { None };
        if self.across == Across::Heterogeneity {
            // Any of them knows, better than interpolation does; the error there is that of the client alone.
            let (x, theory) = theories.first().and_then(|(_, theory)| Some((found(theory)?, theory)))?;
            return Some((x, theory.alone.ok()?));
        }
        let both = |(x, theory): &(f64, &Theory)| Some((*x, theory.pooled.ok()?.ln(), theory.alone.ok()?.ln()));
        let known: Vec<_> = theories.iter().filter_map(both).collect();
        known.windows(2).find_map(|pair| {
            let [(x0, pooled0, alone0), (x1, pooled1, alone1)] = [pair[0], pair[1]];
            let (before, after) = (pooled0 - alone0, pooled1 - alone1);
            let share = before / (before - after);
            let between = |from: f64, to: f64| (from + share * (to - from)).exp();
            // One client alone is the pool: there it begins at 0, and is no crossing.
            let crosses = before.abs() > 1e-9 && before.signum() != after.signum();
            crosses.then(|| (between(x0.ln(), x1.ln()), between(alone0, alone1)))
        })
    }

    /// At how many values joining pays, of how many that are known, and how often that changes along the axis.
    pub(super) fn paying(&self) -> (usize, usize, usize) {
        let theories = self.indices().filter_map(|index| self.sweep.theory(index));
        let gain = |theory: &Theory| Some(theory.alone.ok()?.ln() - theory.pooled.ok()?.ln());
        let pays: Vec<_> = theories.filter_map(gain).filter(|gain| gain.abs() > 1e-9).map(|gain| gain > 0.0).collect();
        let n_changes = pays.windows(2).filter(|pair| pair[0] != pair[1]).count();
        (pays.iter().filter(|pays| **pays).count(), pays.len(), n_changes)
    }

    /// Whether joining pays at the smallest value that is known.
    pub(super) fn pays_first(&self) -> bool {
        let differs = |theory: &&Theory| theory.pooled.is_ok() && theory.pooled != theory.alone;
        let first = self.indices().filter_map(|index| self.sweep.theory(index)).find(differs);
        first.is_some_and(|theory| theory.pooled.unwrap_or(f64::NAN) < theory.alone.unwrap_or(f64::NAN))
    }
}

/// A method's error to expect after the last round.
pub(super) fn expected_last(theory: &Theory, which: usize) -> Option<f64> {
    theory.methods.get(which)?.prediction.as_ref().ok()?.means.last().copied().filter(|mean| mean.is_finite())
}
