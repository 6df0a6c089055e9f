//! One method's run on one data set, a few rounds at a time.

use std::ops::Range;

use super::Matrix;
use super::fleet::Fleet;
use super::lanes::LANES;
use super::local_map::{FleetMaps, StepRule};
use super::method::affine::Leaps;
use super::method::curve::RoundCurve;
use super::method::{Method, Round, Update, begin};
use super::participation::Participants;
use super::scenario::Scenario;
use super::target::{ErrorRecorder, Models, Target, Truth};

/// Above this contraction a run counts as diverging. A contraction of exactly 1 comes from a direction that the data do
/// not excite: it is never learned, and does no harm.
const DIVERGENCE: f64 = 1.0 + 1e-9;

/// Where no contraction decides, a run counts as diverging if its error exceeds this multiple of the first error, or of
/// 1 if the first error is smaller.
const GROWTH: f64 = 1e6;

/// The work of one step, in products of entries, eight side by side: a millisecond or two.
const STEP: usize = 200_000;

/// The cost of a round in the same unit, with maps of its own.
fn cost_of_round(fleet: &Fleet) -> usize {
    let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
    fleet.blocks().len() * d * d * (d + n + 3)
}

/// The cost of a round along a curve with `n_points` points. (Its products are not side by side, but in long rows.)
fn cost_along(n_points: usize, (n, d): (usize, usize)) -> usize {
    n_points * d * (d + n) / 4
}

/// The cost of an error.
fn cost_of_error(truth: &Truth, d: usize) -> usize {
    10 * d * d * truth.blocks().count()
}

/// How often something of this cost can be done in one step, at least once.
fn at_once(cost: usize) -> usize {
    (STEP / cost.max(1)).max(1)
}

/// The result of one method's run on one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Errors e_r = ‖Θ̄_r − Θ⁽ⁱ⁾‖ at the [recorded rounds](super::rounds). Infinite or NaN once the model has
    /// overflowed.
    pub errors: Vec<f64>,
    /// Contraction ρ per round with full participation; if the schedule changes it, that of the first round. If all
    /// rounds are the same, the run converges iff ρ < 1. `None` for methods whose round is not one map of the server's
    /// model.
    pub contraction: Option<f64>,
    /// Whether the run diverges.
    pub outcome: Outcome,
}

/// Whether a run stays bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The run stays bounded.
    Bounded,
    /// The run diverges: ρ > 1 where ρ decides, an error that grew a millionfold where it does not, or an overflow.
    Diverged {
        /// The recorded round of the least error.
        round: usize,
    },
}

impl Outcome {
    /// Whether the run diverges.
    pub fn is_diverged(self) -> bool {
        matches!(self, Self::Diverged { .. })
    }
}

/// A run in progress.
#[derive(Debug)]
pub struct MethodRun {
    maps: FleetMaps,
    update: Box<dyn Update>,
    iteration: Iteration,
    recorder: ErrorRecorder,
    contraction: Option<f64>,
}

/// What a run works on, and what its errors are measured against.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The experiment.
    pub scenario: &'a Scenario,
    /// The clients' true systems.
    pub truth: &'a Truth,
    /// The recorded rounds.
    pub recorded: &'a [usize],
    /// The number of the data set, 0-based.
    pub trial: usize,
    /// The clients' moments.
    pub fleet: &'a Fleet,
}

/// How the rounds are computed.
#[derive(Debug)]
enum Iteration {
    /// Every round is the same affine map: leaps from one recorded round to the next. The models of `lanes` are yet to
    /// be recorded.
    Leaps { leaps: Box<Leaps>, lanes: Range<usize> },
    /// The step size, and with it the affine map, changes from round to round: the maps come from a curve.
    Curve(Box<Along>),
    /// One by one.
    Each { who: Participants, round: usize, n_recorded: usize },
}

impl Iteration {
    fn each(fleet: &Fleet) -> Self {
        Self::Each { who: Participants::everybody(fleet.n_clients()), round: 0, n_recorded: 1 }
    }
}

/// Rounds along a curve of maps.
#[derive(Debug)]
struct Along {
    curve: RoundCurve,
    round: usize,
    n_recorded: usize,
    model: Matrix,
    after: Matrix,
}

impl Along {
    /// Does some more rounds; returns whether there are more.
    fn advance(&mut self, context: Context<'_>, recorder: &mut ErrorRecorder, rule: StepRule) -> bool {
        let n_rounds = context.scenario.settings().n_rounds;
        let cost = cost_along(self.curve.points().len(), self.model.shape());
        let until = n_rounds.min(self.round + at_once(cost + cost_of_error(context.truth, self.model.ncols())));
        while self.round < until {
            let step_size = rule.schedule.step_size(rule.step_size, 1, self.round, n_rounds);
            self.curve.at(step_size).apply(&self.model, &mut self.after);
            std::mem::swap(&mut self.model, &mut self.after);
            self.round += 1;
            if context.recorded.get(self.n_recorded) == Some(&self.round) {
                recorder.push(context.truth, Models::Shared(&self.model));
                self.n_recorded += 1;
            }
        }
        self.round < n_rounds
    }
}

/// Begins the local maps for a method's first round. For the first method on a data set (`is_first`) they are made
/// anew; later, the maps of the method before are kept if they are the same.
pub fn begin_maps(scenario: &Scenario, method: Method, earlier: Option<FleetMaps>, is_first: bool) -> FleetMaps {
    let settings = scenario.settings();
    let rule = StepRule { schedule: method.schedule, step_size: settings.step_size, pull: method.solver.pull() };
    let mut maps = earlier.unwrap_or_else(|| FleetMaps::empty(settings.family.dims(), rule));
    if is_first {
        maps.begin_fleet(rule);
    } else if !(maps.repeat() && maps.rule() == rule) {
        maps.begin(rule);
    }
    maps
}

impl MethodRun {
    /// A run at its start. `update` is the state that an earlier run of the method has left, to be used again.
    pub fn new(context: Context<'_>, method: Method, maps: FleetMaps, update: Option<Box<dyn Update>>) -> Self {
        let settings = context.scenario.settings();
        let first = context.scenario.first_model();
        let mut update = match update {
            Some(mut update) => {
                update.restart(context.fleet, &first);
                update
            }
            None => begin(method.solver, context.fleet, &first),
        };
        let mut recorder = ErrorRecorder::new(context.truth, first.shape(), context.recorded.len());
        recorder.push(context.truth, update.models());
        let who = Participants::everybody(context.fleet.n_clients());
        let is_full = settings.participation.is_full(who.n());
        let n_local_steps = context.fleet.blocks().iter().flat_map(|block| block.n_local_steps).max().unwrap_or(1);
        let is_cheap = cost_along(n_local_steps + 1, first.shape()) <= cost_of_round(context.fleet);
        let round = Round { fleet: context.fleet, maps: &maps, who: &who };
        let map = update.round_map(round).cloned();
        let contraction = update.contraction();
        let iteration = match map {
            Some(map) if is_full && maps.repeat() => {
                Iteration::Leaps { leaps: Box::new(Leaps::new(map, &first, settings.n_rounds)), lanes: 0..0 }
            }
            // A curve needs one map more than there are local steps.
            Some(_) if is_full && n_local_steps < settings.n_rounds && is_cheap => {
                let curve = RoundCurve::new(settings.step_size, n_local_steps, first.shape());
                Iteration::Curve(Box::new(Along { curve, round: 0, n_recorded: 1, model: first.clone(), after: first }))
            }
            _ => Iteration::each(context.fleet),
        };
        Self { maps, update, iteration, recorder, contraction }
    }

    /// Continues for about a millisecond; returns whether there is more to do.
    pub fn advance(&mut self, context: Context<'_>) -> bool {
        match &mut self.iteration {
            Iteration::Leaps { leaps, lanes } => leap(context, leaps, lanes, &mut self.recorder),
            Iteration::Curve(along) if along.curve.wanted().is_some() => {
                self.gather(context);
                true
            }
            Iteration::Curve(along) => along.advance(context, &mut self.recorder, self.maps.rule()),
            Iteration::Each { who, round, n_recorded } => {
                let settings = context.scenario.settings();
                let until = settings.n_rounds.min(*round + at_once(cost_of_round(context.fleet)));
                while *round < until {
                    who.draw(settings.participation, settings.seed, context.trial, *round);
                    if !self.maps.repeat() {
                        self.maps.set_round(context.fleet, *round, settings.n_rounds);
                    }
                    if who.n() > 0 {
                        self.update.round(Round { fleet: context.fleet, maps: &self.maps, who });
                    }
                    *round += 1;
                    if context.recorded.get(*n_recorded) == Some(round) {
                        self.recorder.push(context.truth, self.update.models());
                        *n_recorded += 1;
                    }
                }
                *round < settings.n_rounds
            }
        }
    }

    /// Adds a few maps to a curve of them. If the curve cannot be interpolated, the rounds are done one by one.
    fn gather(&mut self, context: Context<'_>) {
        let Iteration::Curve(along) = &mut self.iteration else { return };
        let who = Participants::everybody(context.fleet.n_clients());
        for _ in 0..at_once(cost_of_round(context.fleet)) {
            let Some(step_size) = along.curve.wanted() else { break };
            self.maps.set_step_size(context.fleet, step_size);
            let round = Round { fleet: context.fleet, maps: &self.maps, who: &who };
            if let Some(map) = self.update.round_map(round) {
                along.curve.add(map.clone());
            }
        }
        if !along.curve.is_tame() {
            self.iteration = Iteration::each(context.fleet);
        }
    }

    /// The clients' current models. With leaps, they are up to date only at the end of the run.
    pub fn models(&self) -> Models<'_> {
        match &self.iteration {
            Iteration::Leaps { leaps, .. } => Models::Shared(leaps.last()),
            Iteration::Curve(along) => Models::Shared(&along.model),
            Iteration::Each { .. } => self.update.models(),
        }
    }

    /// The fraction of the rounds done, 0 to 1; 0 with leaps.
    pub fn progress(&self, n_rounds: usize) -> f64 {
        match &self.iteration {
            Iteration::Leaps { .. } => 0.0,
            Iteration::Curve(along) => along.round as f64 / n_rounds as f64,
            Iteration::Each { round, .. } => *round as f64 / n_rounds as f64,
        }
    }

    /// The result, and the buffers for another run.
    pub fn finish(self, recorded: &[usize]) -> (Trajectory, FleetMaps, Box<dyn Update>) {
        let errors = self.recorder.finish();
        let first = errors.first().copied().unwrap_or(0.0).max(1.0);
        let decides = matches!(self.iteration, Iteration::Leaps { .. });
        let diverges = match self.contraction {
            Some(contraction) if decides => contraction > DIVERGENCE,
            _ => errors.iter().any(|error| *error > GROWTH * first),
        };
        let overflowed = errors.iter().any(|error| !error.is_finite());
        let outcome = if diverges || overflowed {
            Outcome::Diverged { round: round_of_least(recorded, errors.iter().copied()) }
        } else {
            Outcome::Bounded
        };
        (Trajectory { errors, contraction: self.contraction, outcome }, self.maps, self.update)
    }
}

/// Records the next errors; returns whether there are more.
fn leap(context: Context<'_>, leaps: &mut Leaps, lanes: &mut Range<usize>, recorder: &mut ErrorRecorder) -> bool {
    // With a single target client, eight rounds are measured side by side, otherwise eight clients.
    let width = if let Target::Client(_) = context.truth.target() { LANES } else { 1 };
    for _ in 0..at_once(cost_of_error(context.truth, context.fleet.dims().n_regressors())) {
        if lanes.start == lanes.end {
            let Some(used) = leaps.advance() else { return false };
            *lanes = 0..used;
        }
        let now = lanes.start..lanes.end.min(lanes.start + width);
        lanes.start = now.end;
        recorder.push_lanes(context.truth, leaps.models(), now);
    }
    true
}

/// The recorded round of the least error; 0 if no error is finite.
pub fn round_of_least(recorded: &[usize], errors: impl Iterator<Item = f64>) -> usize {
    let finite = recorded.iter().zip(errors).filter(|(_, error)| error.is_finite());
    finite.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(&round, _)| round)
}
