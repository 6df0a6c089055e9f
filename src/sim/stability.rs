//! The exact edge of stability: the largest step size with which a method's rounds converge.
//!
//! A round is `Θ̄ ← Θ̄ F + G`, and repeated for ever it converges iff the spectral radius ρ of F, a polynomial in the step size
//! α, is below 1 (FedAvg `F = P̄`, FedLin `F = I − S̄Q̄`). From 0 on the first α is looked for at which ρ reaches 1. Where the
//! schedule changes the step from round to round, it is the first round's that counts.

use crate::fleet::Fleet;
use crate::local_map::{FleetMaps, StepRule};
use crate::method::{Method, Round, Update, begin};
use crate::participation::Participants;
use crate::schedule::Schedule;
use crate::{Matrix, lanes};

/// The largest relative error of an edge.
const PRECISION: f64 = 1e-9;

/// How fast the search goes up, and how far: from half of what is surely stable.
///
/// With equal steps ρ crosses 1 once. With α/k it can rise above 1 in a window of step sizes and fall again, so the search takes
/// smaller strides there; a window narrower than one can be passed over.
const STRIDE: f64 = 1.15;
const FINE_STRIDE: f64 = 1.03;
const REACH: f64 = 1e4;

/// A method's contraction, and the step size at which it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// Contraction ρ per round at the given step size, ≥ 0; in the long run every round multiplies the distance from the
    /// fixed point by it. Infinite if it overflows.
    pub contraction: f64,
    /// The least α at which ρ = 1; all smaller ones converge. None if there is none within reach.
    pub largest_step: Option<f64>,
}

impl Stability {
    /// That of a method on a fleet; none for methods whose round is not one affine map.
    pub fn of(method: Method, step_size: f64, fleet: &Fleet) -> Option<Self> {
        let mut contraction = Contraction::new(method, fleet)?;
        Some(Self { contraction: contraction.at(step_size), largest_step: contraction.edge() })
    }
}

/// Rounds that it takes to halve the distance from the fixed point, in the long run; none if it does not shrink, or at once.
pub fn half_life(contraction: f64) -> Option<f64> {
    (contraction < 1.0 && contraction > 0.0).then(|| core::f64::consts::LN_2 / -libm::log(contraction))
}

/// The largest stable step on drawn data: the least over the data sets so far, so that with it every one of them converges.
pub fn largest_step(method: Method, fleet: &Fleet, before: Option<f64>) -> Option<f64> {
    let mut contraction = Contraction::new(method, fleet)?;
    match before {
        // Most data sets allow what an earlier one did; to see that takes one look.
        Some(before) if contraction.excess(before) <= 0.0 => Some(before),
        _ => contraction.edge(),
    }
}

/// ρ as a function of the step size.
struct Contraction<'a> {
    fleet: &'a Fleet,
    who: Participants,
    rule: StepRule,
    maps: FleetMaps,
    update: Box<dyn Update>,
}

impl<'a> Contraction<'a> {
    fn new(method: Method, fleet: &'a Fleet) -> Option<Self> {
        let dims = fleet.dims();
        let mut update = begin(method.solver, fleet, &Matrix::zeros(dims.n_states, dims.n_regressors()));
        // The first of many rounds, wherever the schedule goes from there.
        let schedule = match method.schedule {
            Schedule::OverLocalSteps => Schedule::OverLocalSteps,
            Schedule::Constant | Schedule::OverRounds | Schedule::Harmonic => Schedule::Constant,
        };
        let rule = StepRule { schedule, step_size: 0.0, pull: method.solver.pull() };
        let maps = FleetMaps::new(fleet, rule);
        let who = Participants::everybody(fleet.n_clients());
        update.round_map(Round { fleet, maps: &maps, who: &who })?;
        Some(Self { fleet, who, rule, maps, update })
    }

    fn at(&mut self, step_size: f64) -> f64 {
        self.maps.set(self.fleet, StepRule { step_size, ..self.rule });
        self.update.round_map(Round { fleet: self.fleet, maps: &self.maps, who: &self.who });
        self.update.contraction().unwrap_or(f64::INFINITY)
    }

    /// How far ρ is above 1. (Beyond what matters it is capped, so that the search below is not led astray.)
    fn excess(&mut self, step_size: f64) -> f64 {
        // A direction without data has ρ = 1 at any step, and does no harm.
        (self.at(step_size) - (1.0 + 1e-12)).min(1.0)
    }

    fn edge(&mut self) -> Option<f64> {
        // With steps below 1/trace no eigenvalue of any I − αS is negative.
        let largest_trace = self.fleet.blocks().iter().fold(0.0_f64, |largest, block| {
            let trace = (0..block.s.rows()).fold(lanes::Lanes::default(), |sum, k| sum + block.s[(k, k)]);
            trace.0.into_iter().fold(largest, f64::max)
        });
        let start = 0.5 / (largest_trace + self.rule.pull);
        if !(start.is_finite() && start > 0.0) {
            return None;
        }
        let stride = if self.rule.schedule == Schedule::OverLocalSteps { FINE_STRIDE } else { STRIDE };
        let (mut low, mut high) = (start, start * stride);
        while self.excess(high) <= 0.0 {
            (low, high) = (high, high * stride);
            if high > REACH * start {
                return None;
            }
        }
        Some(self.root(low, high))
    }

    /// The root between two step sizes, of which the first converges and the second does not, by regula falsi with halved
    /// weights (the Illinois rule).
    fn root(&mut self, mut low: f64, mut high: f64) -> f64 {
        let (mut below, mut above) = (self.excess(low), self.excess(high));
        while high - low > PRECISION * high {
            let share = if above > below { -below / (above - below) } else { 0.5 };
            let middle = low + (high - low) * share.clamp(1e-3, 1.0 - 1e-3);
            let excess = self.excess(middle);
            if excess > 0.0 {
                (high, above, below) = (middle, excess, 0.5 * below);
            } else {
                (low, below, above) = (middle, excess, 0.5 * above);
            }
        }
        low
    }
}
