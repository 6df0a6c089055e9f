//! The studies at one of a trade-off's two settings: their labels, and the crossing at which joining stops or begins to
//! pay.

use crate::dashboard::results::sweep::{Sweep, target_of, value_of};
use crate::dashboard::words::names::{reference_name, solver_role};
use crate::figure::Role;
use crate::params::views::Across;
use crate::sim::estimate::Reference;
use crate::sim::method::Method;
use crate::sim::scenario::Settings;
use crate::sim::stats::Running;
use crate::sim::study::Summary;
use crate::sim::target::Target;
use crate::theory::Theory;
use crate::theory::break_even::BreakEven;

/// A series of points: the studies at one of the two settings.
pub(super) struct Series<'a> {
    pub(super) sweep: &'a Sweep,
    pub(super) across: Across,
    /// Index of its first point.
    pub(super) first: usize,
    pub(super) is_second: bool,
    /// The setting in words, if there are two.
    pub(super) name: String,
}

impl<'a> Series<'a> {
    pub(super) fn indices(&self) -> std::ops::Range<usize> {
        self.first..(self.first + self.sweep.plan.series_len).min(self.sweep.plan.points.len())
    }

    pub(super) fn xs(&self) -> Vec<f64> {
        self.indices().map(|index| value_of(self.across.key(), &self.sweep.plan.points[index])).collect()
    }

    pub(super) fn settings(&self) -> Option<&Settings> {
        self.sweep.plan.points.get(self.first)
    }

    pub(super) fn target(&self) -> Option<Target> {
        target_of(&self.sweep.plan.points[self.indices()])
    }

    /// The known predictions, with their values along the axis, where the client is among those who join.
    fn theories(&self) -> impl Iterator<Item = (f64, &Theory)> {
        let target = self.target();
        let is_there = move |index: &usize| Some(self.sweep.plan.points[*index].target) == target;
        let known = move |(index, x): (usize, f64)| Some((x, self.sweep.theory(index)?));
        self.indices().zip(self.xs()).filter(move |(index, _)| is_there(index)).filter_map(known)
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

    /// Label of a line, with the setting if there are two.
    pub(super) fn named(&self, what: String) -> String {
        if self.name.is_empty() { what } else { format!("{what}, {}", self.name) }
    }

    /// Whether the error of a client alone differs between the two settings: only if the data behind it differ.
    fn alone_differs(&self) -> bool {
        // What the others have is no matter to one client, but it is to the mean and to the worst of all.
        let n_clients = |s: &Settings| if let Target::Client(_) = s.target { 0 } else { s.n_clients };
        let of = |s: &'a Settings| (&s.data, s.heterogeneity, s.target, n_clients(s));
        let data = |index: usize| self.sweep.plan.points.get(index).map(of);
        data(0) != data(self.sweep.plan.series_len)
    }

    /// Label of the client alone: once for both settings, unless its errors differ.
    pub(super) fn own_name(&self) -> Option<String> {
        let own = reference_name(Reference::ClientAlone, self.target()?);
        match (self.alone_differs() && !self.name.is_empty(), self.is_second) {
            (true, _) => Some(self.named(own)),
            (false, true) => None,
            (false, false) => Some(own),
        }
    }

    /// Crossing of the predicted errors of pooled and of own least squares: value along the axis, and error.
    pub(super) fn crossing(&self) -> Option<(f64, f64)> {
        let both = |(x, theory): (f64, &Theory)| Some((x, theory.pooled.ok()?.ln(), theory.alone.ok()?.ln()));
        let known: Vec<_> = self.theories().filter_map(both).collect();
        let found = |theory: &Theory| if let Ok(BreakEven::At(x)) = theory.break_even { Some(x) } else { None };
        if self.across == Across::Heterogeneity {
            // Every study's theory has the break-even ε, more precisely than interpolation.
            let x = found(self.theories().next()?.1)?;
            // Beyond the largest ε that can be set, joining pays all along the axis.
            if x > self.xs().last().copied()? {
                return None;
            }
            // The error there is that of the client alone, whose own system depends on ε too.
            let error = match known.windows(2).find(|pair| x <= pair[1].0) {
                Some(&[(x0, _, alone0), (x1, _, alone1)]) => {
                    alone0 + ((x / x0).ln() / (x1 / x0).ln()).max(0.0) * (alone1 - alone0)
                }
                _ => known.last()?.2,
            };
            return Some((x, error.exp()));
        }
        known.windows(2).find_map(|pair| {
            let [(x0, pooled0, alone0), (x1, pooled1, alone1)] = [pair[0], pair[1]];
            let (before, after) = (pooled0 - alone0, pooled1 - alone1);
            let share = before / (before - after);
            let between = |from: f64, to: f64| (from + share * (to - from)).exp();
            // With one client, pooled and own least squares are equal: that is no crossing.
            let crosses = before.abs() > 1e-9 && before.signum() != after.signum();
            crosses.then(|| (between(x0.ln(), x1.ln()), between(alone0, alone1)))
        })
    }

    /// Number of values at which joining pays, number of values with a prediction, and how often joining changes
    /// between paying and not paying along the axis.
    pub(super) fn paying(&self) -> (usize, usize, usize) {
        let pays: Vec<_> = self.theories().filter_map(|(_, theory)| pays(theory)).collect();
        let n_changes = pays.windows(2).filter(|pair| pair[0] != pair[1]).count();
        (pays.iter().filter(|pays| **pays).count(), pays.len(), n_changes)
    }

    /// Whether joining pays at the smallest value with a prediction.
    pub(super) fn pays_first(&self) -> bool {
        self.theories().find_map(|(_, theory)| pays(theory)).unwrap_or(false)
    }

    /// A crossing as a value along the axis: along counts, the last at which joining still pays, or the first at which
    /// it does.
    pub(super) fn turn(&self, x: f64) -> f64 {
        match self.across {
            Across::Heterogeneity => x,
            Across::Clients | Across::Rollouts if self.pays_first() => x.floor(),
            Across::Clients | Across::Rollouts => x.ceil(),
        }
    }

    /// The last known predictions of pooled and of own least squares, with their value along the axis.
    pub(super) fn last_known(&self) -> Option<(f64, f64, f64)> {
        let both = |(x, theory): (f64, &Theory)| Some((x, theory.pooled.ok()?, theory.alone.ok()?));
        self.theories().filter_map(both).last()
    }

    /// The ε up to which joining pays, if nothing is known beyond it.
    pub(super) fn farthest(&self) -> Option<f64> {
        let theory = self.theories().next().filter(|_| self.across == Across::Heterogeneity)?.1;
        if let Ok(BreakEven::Beyond(x)) = theory.break_even { Some(x) } else { None }
    }

    /// Whether the client has so few samples that a break-even ε is too low.
    pub(super) fn has_few(&self) -> bool {
        self.theories().next().is_some_and(|(_, theory)| theory.has_few_alone())
    }
}

/// Whether joining pays; `None` if that is unknown, or joining changes nothing but the rounding.
fn pays(theory: &Theory) -> Option<bool> {
    let gain = theory.alone.ok()?.ln() - theory.pooled.ok()?.ln();
    (gain.abs() > 1e-9).then_some(gain > 0.0)
}

/// Whether a method diverges in some data set, and has left what an axis of errors can show: its mean is many times what it
/// began with, or no number any more.
pub(super) fn is_lost(summary: &Summary, which: usize) -> bool {
    const FAR: f64 = 10.0;
    let Some(method) = summary.methods.get(which) else { return false };
    let [start, end] = [method.errors.first(), method.errors.last()].map(|error| error.map_or(f64::NAN, Running::mean));
    method.n_diverged > 0 && (end.is_nan() || end > FAR * start)
}

/// A method's predicted error after the last round.
pub(super) fn expected_last(theory: &Theory, which: usize) -> Option<f64> {
    theory.methods.get(which)?.prediction.as_ref().ok()?.means.last().copied().filter(|mean| mean.is_finite())
}
