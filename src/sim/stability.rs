//! The exact edge of stability: the largest step size with which a method's rounds converge.
//!
//! A round is `Θ̄ ← Θ̄ F + G`. Repeated for ever, it converges iff the spectral radius ρ of F, a polynomial in the step
//! size α, is below 1 (FedAvg `F = P̄`, FedLin `F = I − S̄Q̄`). The edge is the smallest α at which ρ reaches 1. If the
//! schedule changes the step size from round to round, that of the first round counts.

use crate::fleet::Fleet;
use crate::local_map::{FleetMaps, StepRule};
use crate::method::{Method, Round, Update, begin};
use crate::participation::Participants;
use crate::schedule::Schedule;
use crate::{Matrix, lanes};

/// The largest relative error of an edge.
const PRECISION: f64 = 1e-9;

/// The stride of the search from one step size to the next, and its reach, from a step size that is stable unless
/// clients differ very much.
///
/// With equal steps ρ crosses 1 once. With α/k it can rise above 1 in a window of step sizes and fall again, so the
/// search takes smaller strides there; a window narrower than a stride can be missed.
const STRIDE: f64 = 1.15;
const FINE_STRIDE: f64 = 1.03;
const REACH: f64 = 1e4;

/// A method's contraction, and its edge of stability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// Contraction ρ ≥ 0 per round at the given step size: in the long run, every round multiplies the distance from
    /// the fixed point by ρ. Infinite if it overflows.
    pub contraction: f64,
    /// The smallest α at which ρ = 1; all smaller ones converge. `None` if there is none within the reach of the
    /// search.
    pub largest_step: Option<f64>,
}

impl Stability {
    /// The stability of a method on a fleet, at this step size; `None` for methods whose round is not one affine map.
    pub fn of(method: Method, step_size: f64, fleet: &Fleet) -> Option<Self> {
        let contraction = contraction(method, step_size, fleet)?;
        Some(Self { contraction, largest_step: largest_step(method, fleet, None) })
    }
}

/// A method's contraction ρ with this step size; `None` for methods whose round is not one affine map.
pub fn contraction(method: Method, step_size: f64, fleet: &Fleet) -> Option<f64> {
    let mut search = EdgeSearch::new(method, fleet, None)?;
    loop {
        if let Some(contraction) = search.contraction(fleet, step_size) {
            return Some(contraction);
        }
    }
}

/// The number of rounds that halve the distance from the fixed point, in the long run; `None` if the distance does not
/// shrink (ρ ≥ 1) or vanishes at once (ρ = 0).
pub fn half_life(contraction: f64) -> Option<f64> {
    (contraction < 1.0 && contraction > 0.0).then(|| core::f64::consts::LN_2 / -libm::log(contraction))
}

/// The largest stable step size on drawn data, given that of earlier data sets (`before`): if that is stable here, too,
/// it is the result. `None` if there is none within reach, or if the method's round is not one affine map.
pub fn largest_step(method: Method, fleet: &Fleet, before: Option<f64>) -> Option<f64> {
    let mut search = EdgeSearch::new(method, fleet, before)?;
    loop {
        if let Some(edge) = search.step(fleet) {
            return edge;
        }
    }
}

/// ρ as a function of the step size.
#[derive(Debug)]
struct Contraction {
    who: Participants,
    rule: StepRule,
    maps: FleetMaps,
    /// Whether maps are being made.
    is_mapping: bool,
    update: Box<dyn Update>,
}

impl Contraction {
    fn new(method: Method, fleet: &Fleet) -> Option<Self> {
        if !method.solver.is_affine() {
            return None;
        }
        let dims = fleet.dims();
        let update = begin(method.solver, fleet, &Matrix::zeros(dims.n_states, dims.n_regressors()));
        // Only the first round counts, wherever the schedule goes from there.
        let schedule = match method.schedule {
            Schedule::OverLocalSteps => Schedule::OverLocalSteps,
            Schedule::Constant | Schedule::OverRounds | Schedule::Harmonic => Schedule::Constant,
        };
        let rule = StepRule { schedule, step_size: 0.0, pull: method.solver.pull() };
        let maps = FleetMaps::empty(dims, rule);
        Some(Self { who: Participants::everybody(fleet.n_clients()), rule, maps, is_mapping: false, update })
    }

    /// Computes ρ at a step size for a while; `None` until it is known. Until then, no other step size may be asked
    /// for.
    fn look(&mut self, fleet: &Fleet, step_size: f64) -> Option<f64> {
        if !self.is_mapping {
            self.maps.begin(StepRule { step_size, ..self.rule });
        }
        self.is_mapping = self.maps.advance(fleet);
        if self.is_mapping {
            return None;
        }
        self.update.round_map(Round { fleet, maps: &self.maps, who: &self.who });
        Some(self.update.contraction().unwrap_or(f64::INFINITY))
    }

    /// The excess of ρ over 1, computed in the same way. It is capped, so that very large values do not mislead the
    /// search.
    fn excess(&mut self, fleet: &Fleet, step_size: f64) -> Option<f64> {
        // A direction without data has ρ = 1 at every step size, and does no harm.
        self.look(fleet, step_size).map(|contraction| (contraction - (1.0 + 1e-12)).min(1.0))
    }
}

/// The largest stable step sizes of several methods, searched for one after the other.
///
/// Over several data sets, an edge is kept as long as it is stable: see [`Edges::next_data_set`].
#[derive(Debug, Default)]
pub struct Edges {
    /// Each method's edge from the data sets before.
    before: Vec<Option<f64>>,
    /// The edges found on the current data set: `None` if there is none within reach, or if the method's round is not
    /// one affine map.
    found: Vec<Option<f64>>,
    /// The search for the next edge, if one is going on.
    search: Option<Box<EdgeSearch>>,
}

impl Edges {
    /// The edges found so far, of the first methods.
    pub fn found(&self) -> &[Option<f64>] {
        &self.found
    }

    /// Continues the search for the edge of the first of these methods that has none yet. Every call on a data set
    /// takes the same methods and the same fleet. Does nothing once all edges are known.
    pub fn step(&mut self, methods: &[Method], fleet: &Fleet) {
        let which = self.found.len();
        let Some(&method) = methods.get(which) else { return };
        let before = self.before.get(which).copied().flatten();
        match self.search.take().or_else(|| EdgeSearch::new(method, fleet, before).map(Box::new)) {
            None => self.found.push(None),
            Some(mut search) => match search.step(fleet) {
                Some(edge) => self.found.push(edge),
                None => self.search = Some(search),
            },
        }
    }

    /// Returns the edges of all data sets so far and begins the next one, which keeps those that are stable there, too,
    /// and searches for the others. A data set without an edge leaves that of the others.
    pub fn next_data_set(&mut self) -> Vec<Option<f64>> {
        self.search = None;
        let found = std::mem::take(&mut self.found).into_iter();
        let before = self.before.iter().copied().chain(std::iter::repeat(None));
        self.before = found.zip(before).map(|(found, before)| found.or(before)).collect();
        self.before.clone()
    }
}

/// A search for a method's largest stable step size. Every call works on one step size for a millisecond or two, and
/// takes the same fleet.
#[derive(Debug)]
pub struct EdgeSearch {
    contraction: Contraction,
    /// The edge of earlier data sets, to be tried first.
    before: Option<f64>,
    /// That edge and its excess of ρ over 1, once it is known to be unstable: the new edge is below it.
    limit: Option<(f64, f64)>,
    start: f64,
    stride: f64,
    /// A step size that converges and one that does not, as far as they are known, each with its (weighted) excess of ρ
    /// over 1.
    stable: Option<(f64, f64)>,
    unstable: Option<(f64, f64)>,
    /// Whether the last step size was unstable.
    was_unstable: Option<bool>,
}

impl EdgeSearch {
    /// A search at its start; `None` for methods whose round is not one affine map.
    pub fn new(method: Method, fleet: &Fleet, before: Option<f64>) -> Option<Self> {
        let contraction = Contraction::new(method, fleet)?;
        // At α = 1/trace no eigenvalue of any I − αS is negative, and FedAvg converges. FedLin need not, if clients
        // differ much and take many steps.
        let largest_trace = fleet.blocks().iter().fold(0.0_f64, |largest, block| {
            let trace = (0..block.s.rows()).fold(lanes::Lanes::default(), |sum, k| sum + block.s[(k, k)]);
            trace.0.into_iter().fold(largest, f64::max)
        });
        let start = 1.0 / (largest_trace + contraction.rule.pull);
        let stride = if contraction.rule.schedule == Schedule::OverLocalSteps { FINE_STRIDE } else { STRIDE };
        Some(Self { contraction, before, limit: None, start, stride, stable: None, unstable: None, was_unstable: None })
    }

    /// The contraction ρ with this step size; `None` until it is known. To be called before the first
    /// [`step`](Self::step), until ρ is known.
    pub fn contraction(&mut self, fleet: &Fleet, step_size: f64) -> Option<f64> {
        self.contraction.look(fleet, step_size)
    }

    /// Works on one step size for a while. Returns the edge once it is known; that is `None` if there is none within
    /// reach.
    pub fn step(&mut self, fleet: &Fleet) -> Option<Option<f64>> {
        if let Some(before) = self.before {
            // Most data sets are stable at the edge of an earlier one, which a single evaluation shows.
            let excess = self.contraction.excess(fleet, before)?;
            self.before = None;
            self.limit = Some((before, excess));
            return (excess <= 0.0).then_some(Some(before));
        }
        if !(self.start.is_finite() && self.start > 0.0) {
            return Some(None);
        }
        let upward = match (self.stable, self.unstable) {
            (None, None) => Some(self.start),
            (Some((low, _)), None) => Some(low * self.stride),
            _ => None,
        };
        if self.limit.zip(upward).is_some_and(|((limit, _), upward)| upward >= limit) {
            self.unstable = self.limit;
        }
        let at = match (self.stable, self.unstable) {
            (None, None) => self.start,
            (Some((low, _)), None) => low * self.stride,
            (None, Some((high, _))) => high / self.stride,
            (Some((low, below)), Some((high, above))) => {
                if high - low <= PRECISION * high {
                    return Some(Some(low));
                }
                let share = if above > below { -below / (above - below) } else { 0.5 };
                low + (high - low) * share.clamp(1e-3, 1.0 - 1e-3)
            }
        };
        if !(self.start / REACH..=self.start * REACH).contains(&at) {
            return Some(None);
        }
        let excess = self.contraction.excess(fleet, at)?;
        self.take(at, excess);
        None
    }

    /// Narrows the bracket by regula falsi: if the same end stays twice, its weight is halved (the Illinois rule).
    fn take(&mut self, at: f64, excess: f64) {
        let is_unstable = excess > 0.0;
        let stays_again = self.was_unstable.replace(is_unstable) == Some(is_unstable);
        let ends = (&mut self.stable, &mut self.unstable);
        let (moves, stays) = if is_unstable { (ends.1, ends.0) } else { ends };
        *moves = Some((at, excess));
        if let Some((_, weight)) = stays.as_mut().filter(|_| stays_again) {
            *weight *= 0.5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::Solver;
    use crate::moments::Moments;
    use crate::system::Dims;

    /// Two clients with one regressor each, and Gram matrices `s` of size 1×1.
    fn fleet(s: [f64; 2], n_local_steps: usize) -> Fleet {
        let mut fleet = Fleet::new(Dims { n_states: 1, n_inputs: 0 });
        for s in s {
            let moments = Moments { s: Matrix::from_element(1, 1, s), c: Matrix::zeros(1, 1), n_samples: 9 };
            fleet.add(&moments, n_local_steps);
        }
        fleet
    }

    fn edge(solver: Solver, schedule: Schedule, fleet: &Fleet) -> f64 {
        largest_step(Method { solver, schedule }, fleet, None).unwrap()
    }

    #[track_caller]
    fn check(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-8, "{got} {expected}");
    }

    #[test]
    fn one_step_is_stable_up_to_two_over_the_mean() {
        // F = 1 − α s̄ for both methods.
        for solver in [Solver::FedAvg, Solver::FedLin] {
            check(edge(solver, Schedule::Constant, &fleet([1.0, 3.0], 1)), 1.0);
            check(edge(solver, Schedule::OverRounds, &fleet([1.0, 3.0], 1)), 1.0);
        }
    }

    #[test]
    fn steps_that_shrink_within_a_round_may_be_larger() {
        // K = 2, steps α and α/2 on s = 1: F = (1 − α)(1 − α/2) = 1 at α = 3.
        check(edge(Solver::FedAvg, Schedule::OverLocalSteps, &fleet([1.0, 1.0], 2)), 3.0);
    }

    /// Bisection would take log₂(0.15/1e-9) = 28 evaluations once the edge lies between two strides.
    #[test]
    fn an_edge_between_two_strides_takes_half_the_looks_of_halving() {
        for n_local_steps in [1, 10] {
            let fleet = fleet([1.0, 3.0], n_local_steps);
            for solver in [Solver::FedAvg, Solver::FedLin] {
                let method = Method::constant(solver);
                let mut search = EdgeSearch::new(method, &fleet, None).unwrap();
                let mut n_looks = 0;
                while search.step(&fleet).is_none() {
                    n_looks += usize::from(search.stable.and(search.unstable).is_some());
                }
                assert!(n_looks <= 14, "{solver:?}, K = {n_local_steps}: {n_looks}");
            }
        }
    }

    /// With very different clients and many steps, FedLin's Q̄ tends to the mean of 1/s, and s̄·mean(1/s) may be above
    /// 2: then even steps that are small for every client are too large.
    #[test]
    fn fedlin_with_many_steps_on_very_different_clients_needs_smaller_ones() {
        let fleet = fleet([0.01, 1.0], 10_000);
        let step = edge(Solver::FedLin, Schedule::Constant, &fleet);
        assert!(step < 0.1, "{step}");
        let method = Method::constant(Solver::FedLin);
        let rho = |step| Stability::of(method, step, &fleet).unwrap().contraction;
        assert!(rho(0.999 * step) < 1.0 && rho(1.001 * step) > 1.0);
        check(Stability::of(method, 0.5 * step, &fleet).unwrap().largest_step.unwrap(), step);
    }

    #[test]
    fn a_later_data_set_only_lowers_the_edge() {
        let method = Method::constant(Solver::FedAvg);
        check(largest_step(method, &fleet([1.0, 3.0], 1), Some(0.5)).unwrap(), 0.5);
        check(largest_step(method, &fleet([1.0, 3.0], 1), Some(1.5)).unwrap(), 1.0);
    }

    /// With S = z zᵀ one direction has no data: ρ is 1, up to rounding, at all step sizes up to the edge 2/|z|².
    #[test]
    fn a_direction_without_data_moves_no_edge() {
        for k in 1..50 {
            let z = Matrix::from_column_slice(2, 1, &[1.0 / f64::from(k), 0.7 + 0.1 * f64::from(k)]);
            let mut fleet = Fleet::new(Dims { n_states: 1, n_inputs: 1 });
            fleet.add(&Moments { s: &z * z.transpose(), c: Matrix::zeros(1, 2), n_samples: 1 }, 3);
            for solver in [Solver::FedAvg, Solver::FedLin] {
                check(edge(solver, Schedule::Constant, &fleet), 2.0 / z.norm_squared());
            }
        }
    }

    #[test]
    fn edges_of_several_methods_are_found_in_their_order() {
        let methods = [Solver::FedAvg, Solver::Median, Solver::FedLin].map(Method::constant);
        let mut edges = Edges::default();
        let mut of = |fleet: &Fleet| {
            while edges.found().len() < methods.len() {
                edges.step(&methods, fleet);
            }
            edges.step(&methods, fleet);
            assert_eq!(edges.found().len(), methods.len());
            edges.next_data_set()
        };
        // 2 over the mean of s; the round of the median is no affine map.
        for (s, expected) in [([1.0, 3.0], 1.0), ([1.0, 1.0], 1.0), ([3.0, 5.0], 0.5)] {
            let found = of(&fleet(s, 1));
            assert_eq!(found[1], None);
            check(found[0].unwrap(), expected);
            check(found[2].unwrap(), expected);
        }
    }

    /// The edge is that of all data sets so far, whatever came in between.
    #[test]
    fn a_data_set_without_an_edge_takes_none_away() {
        let methods = [Method::constant(Solver::FedAvg)];
        let mut edges = Edges::default();
        let mut of = |s: f64| {
            let fleet = fleet([s, s], 1);
            while edges.found().is_empty() {
                edges.step(&methods, &fleet);
            }
            edges.next_data_set()[0]
        };
        // 2/s; data of zeros converge with any step.
        assert_eq!(of(0.0), None);
        check(of(4.0).unwrap(), 0.5);
        check(of(0.0).unwrap(), 0.5);
        check(of(1.0).unwrap(), 0.5);
        check(of(8.0).unwrap(), 0.25);
    }

    /// With α/k, steps may be unstable in a window that is narrower than a stride; a search that begins below an edge
    /// that is known to be unstable ends below it.
    #[test]
    fn an_edge_is_never_above_one_that_is_unstable() {
        let method = Method { solver: Solver::FedAvg, schedule: Schedule::OverLocalSteps };
        for n_local_steps in [2, 3, 7] {
            let fleet = fleet([1.0, 3.0], n_local_steps);
            let edge = largest_step(method, &fleet, None).unwrap();
            for factor in [1.000_1, 1.01, 1.02, 1.5] {
                let found = largest_step(method, &fleet, Some(factor * edge)).unwrap();
                assert!(
                    found <= factor * edge && (found / edge - 1.0).abs() < 1e-8,
                    "{n_local_steps}, {factor}: {found}"
                );
            }
        }
    }

    #[test]
    fn a_half_life_halves() {
        assert!((half_life(0.5).unwrap() - 1.0).abs() < 1e-15);
        assert_eq!([0.0, 1.0, 2.0].map(half_life), [None; 3]);
    }
}
