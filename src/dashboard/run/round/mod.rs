//! One round in slow motion: every client's local steps, the uploads, and the server's update.
//!
//! - [`SlowRun`]: the rounds of the first data set, one by one, with the same numbers as in the run.
//! - [`plane`]: projection of models onto two of their many dimensions, and onto paper.
//! - [`scene`]: a round as frames of shapes, each with a sentence.
//! - [`svg`]: a frame as markup; [`player`]: the choice of the shown frame.
//!
//! The page shows the frames one after the other, or, if the reader wants no motion, only the last one: it contains
//! everything that the earlier ones show.

pub mod plane;
pub mod player;
pub mod scene;
pub mod stage;
pub mod svg;
mod words;

use fedsysid_say::say;
use std::fmt;

use crate::sim::Matrix;
use crate::sim::estimate::{Factor, least_squares};
use crate::sim::fleet::Fleet;
use crate::sim::lanes::{LANES, LaneMatrix};
use crate::sim::local_map::{FleetMaps, StepRule};
use crate::sim::method::{Method, Round as RoundOf, Solver, Update, begin};
use crate::sim::moments::Moments;
use crate::sim::norm::spectral_norm;
use crate::sim::participation::Participants;
use crate::sim::scenario::{GradientScale, Scenario};
use crate::sim::simulator::{Client, MomentSimulator};
use crate::sim::stream::DataKey;
use crate::sim::target::Target;

/// Maximum number of clients that are shown.
pub const SHOWN: usize = 5;

/// Maximum number of kept models of a local path, besides its start.
const KEPT: usize = 12;

/// Maximum of the sum of all clients' rollout lengths, which bounds the time of the simulation.
const MOST_STEPS: usize = 50_000;

/// Why a round cannot be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The method is neither FedAvg nor FedLin.
    Method,
    /// This number of clients with such long rollouts would take too long.
    TooLarge,
    /// The data of an unstable system overflow.
    Overflow,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Method => say!("A round in slow motion is drawn for FedAvg and FedLin."),
            Self::TooLarge => say!("Too many clients with too long rollouts to go through a round while you wait."),
            Self::Overflow => say!("The data of an unstable system overflow."),
        })
    }
}

/// A run on the first data set, one round after the other.
#[derive(Debug)]
pub struct SlowRun {
    scenario: Scenario,
    method: Method,
    /// The clients' moments, scaled like the gradients.
    fleet: Fleet,
    maps: FleetMaps,
    update: Box<dyn Update>,
    who: Participants,
    /// Number of completed rounds.
    index: usize,
    pooled: Option<Matrix>,
}

/// The events of a round.
#[derive(Clone, Debug)]
pub struct Round {
    /// The method.
    pub method: Method,
    /// Its number, 1-based.
    pub number: usize,
    /// Number of the run's rounds.
    pub n_rounds: usize,
    /// Number of clients.
    pub n_clients: usize,
    /// Number of clients that take part.
    pub n_taking_part: usize,
    /// Size of the first local step.
    pub step_size: f64,
    /// The server's model before and after the round, n×d.
    pub server: [Matrix; 2],
    /// Pooled least squares; `None` if the data do not determine it.
    pub pooled: Option<Matrix>,
    /// The first few clients that take part; if none does, the first few of all.
    pub clients: Vec<ClientRound>,
    /// The client against whose system the server's errors are measured, 0-based (the first if the target is no single
    /// client), and the server's errors before and after the round (spectral norm).
    pub counting: (usize, [f64; 2]),
}

/// A client's part in a round.
#[derive(Clone, Debug)]
pub struct ClientRound {
    /// The client's index, 0-based.
    pub client: usize,
    /// Number of its local steps; 0 if it does not take part.
    pub n_steps: usize,
    /// Number of its samples.
    pub n_samples: u64,
    /// Its own least squares, and the covariance of each row; `None` if its data do not determine the estimate.
    pub own: Option<(Matrix, Matrix)>,
    /// Its models with the number of steps taken: the start, and a few of the following ones up to the last.
    pub path: Vec<(usize, Matrix)>,
    /// Errors of the path's first and last model against its own system (spectral norm).
    pub errors: [f64; 2],
    /// Whether its steps are too large for its data: the gradient that it follows grows along the path.
    pub overshoots: bool,
}

impl ClientRound {
    /// The kept part of its path up to `n_steps` steps.
    pub fn after(&self, n_steps: usize) -> &[(usize, Matrix)] {
        let until = self.path.partition_point(|(step, _)| *step <= n_steps);
        &self.path[..until]
    }
}

impl SlowRun {
    /// The first data set, before its first round.
    ///
    /// # Errors
    /// Why the round cannot be shown.
    pub fn new(scenario: Scenario, method: Method) -> Result<Self, Refusal> {
        if !matches!(method.solver, Solver::FedAvg | Solver::FedLin) {
            return Err(Refusal::Method);
        }
        let settings = scenario.settings();
        let n_steps: usize = (0..settings.n_clients).map(|client| scenario.plan(client).rollout_len).sum();
        if n_steps > MOST_STEPS {
            return Err(Refusal::TooLarge);
        }
        let mut fleet = simulate(&scenario);
        if !fleet.total().is_finite() {
            return Err(Refusal::Overflow);
        }
        if settings.gradient_scale == GradientScale::Mean {
            fleet.normalize();
        }
        let rule = StepRule { schedule: method.schedule, step_size: settings.step_size, pull: 0.0 };
        let mut run = Self {
            maps: FleetMaps::new(&fleet, rule),
            update: begin(method.solver, &fleet, &scenario.first_model()),
            who: Participants::everybody(fleet.n_clients()),
            index: 0,
            pooled: least_squares(&fleet.total()).ok(),
            scenario,
            method,
            fleet,
        };
        run.prepare();
        Ok(run)
    }

    /// Sets the step sizes and draws the participants of the present round.
    fn prepare(&mut self) {
        let settings = self.scenario.settings();
        self.maps.set_round(&self.fleet, self.index, settings.n_rounds);
        self.who.draw(settings.participation, settings.seed, 0, self.index);
    }

    /// Carries out the present round, prepares the next one, and returns what happened.
    pub fn go_on(&mut self) -> Round {
        let server = self.update.models().of(0).clone();
        if self.who.n() > 0 {
            self.update.round(RoundOf { fleet: &self.fleet, maps: &self.maps, who: &self.who });
        }
        let next = self.update.models().of(0).clone();
        let settings = self.scenario.settings();
        let counting = if let Target::Client(client) = settings.target { client } else { 0 };
        let error = |model: &Matrix| spectral_norm(&(model - self.scenario.systems()[counting].theta()));
        let round = Round {
            method: self.method,
            number: self.index + 1,
            n_rounds: settings.n_rounds,
            n_clients: settings.n_clients,
            n_taking_part: self.who.n(),
            step_size: self.method.schedule.step_size(settings.step_size, 1, self.index, settings.n_rounds),
            counting: (counting, [error(&server), error(&next)]),
            clients: self.clients(&server),
            server: [server, next],
            pooled: self.pooled.clone(),
        };
        self.index += 1;
        self.prepare();
        round
    }

    fn clients(&self, server: &Matrix) -> Vec<ClientRound> {
        let takes_part = |client: usize| self.who.weights()[client / LANES].0[client % LANES] > 0.0;
        let all = 0..self.fleet.n_clients();
        let mut shown: Vec<usize> = all.clone().filter(|&client| takes_part(client)).take(SHOWN).collect();
        if shown.is_empty() {
            shown = all.take(SHOWN).collect();
        }
        let correction = self.mean_gradient(server);
        let client = |&client: &usize| {
            let n_steps = if takes_part(client) { self.scenario.n_local_steps(client) } else { 0 };
            let moments = self.fleet.blocks()[client / LANES].moments(client % LANES);
            let path = self.path(&moments, n_steps, server, correction.as_ref());
            let theta = self.scenario.systems()[client].theta();
            let error =
                |place: Option<&(usize, Matrix)>| place.map_or(f64::NAN, |(_, model)| spectral_norm(&(model - &theta)));
            // With steps that are small enough for S, the gradient that is followed never grows.
            let at_start = moments.gradient(server);
            let followed = |(_, model): &(usize, Matrix)| match &correction {
                Some(mean) => (moments.gradient(model) + mean - &at_start).norm(),
                None => moments.gradient(model).norm(),
            };
            let [before, after] = [path.first(), path.last()].map(|place| place.map_or(f64::NAN, followed));
            let overshoots = !after.is_finite() || after > before + 1e-6 * at_start.norm();
            let n_samples = moments.n_samples;
            let errors = [error(path.first()), error(path.last())];
            ClientRound { client, n_steps, n_samples, own: self.own(client, &moments), path, errors, overshoots }
        };
        shown.iter().map(client).collect()
    }

    /// FedLin's correction: the mean gradient of the participants at the start of the round; `None` for other methods.
    fn mean_gradient(&self, server: &Matrix) -> Option<Matrix> {
        if self.method.solver != Solver::FedLin || self.who.n() == 0 {
            return None;
        }
        let dims = self.fleet.dims();
        let d = dims.n_regressors();
        let mut sums = [LaneMatrix::zeros(d, d), LaneMatrix::zeros(dims.n_states, d)];
        for (block, &weight) in self.fleet.blocks().iter().zip(self.who.weights()) {
            sums[0].add_weighted(weight, &block.s);
            sums[1].add_weighted(weight, &block.c);
        }
        let mut total = Moments::zeros(dims);
        sums[0].sum_lanes(&mut total.s);
        sums[1].sum_lanes(&mut total.c);
        Some(total.gradient(server) / self.who.n() as f64)
    }

    /// The models along the local steps, by the method's rule, step by step.
    fn path(&self, moments: &Moments, n_steps: usize, server: &Matrix, mean: Option<&Matrix>) -> Vec<(usize, Matrix)> {
        let settings = self.scenario.settings();
        let at_start = moments.gradient(server);
        let mut path = vec![(0, server.clone())];
        let mut model = server.clone();
        for k in 1..=n_steps {
            let step_size = self.method.schedule.step_size(settings.step_size, k, self.index, settings.n_rounds);
            let mut gradient = moments.gradient(&model);
            if let Some(mean) = mean {
                gradient += mean - &at_start;
            }
            model += gradient * step_size;
            if is_kept(k, n_steps) {
                path.push((k, model.clone()));
            }
        }
        path
    }

    /// A client's own least squares, and the covariance σ_w² S⁻¹ of its rows.
    fn own(&self, client: usize, moments: &Moments) -> Option<(Matrix, Matrix)> {
        let plan = self.scenario.plan(client);
        let estimate = least_squares(moments).ok()?;
        let inverse = Factor::new(&moments.s).ok()?.inverse();
        // Means of the moments count as sums over one sample.
        let samples = match self.scenario.settings().gradient_scale {
            GradientScale::Sum => 1.0,
            GradientScale::Mean => moments.n_samples as f64,
        };
        let std = plan.noise.process_noise_std;
        Some((estimate, inverse * (std * std / samples)))
    }
}

/// Whether the model after a step is kept: at most `KEPT` of them, evenly spaced, and always the last.
fn is_kept(step: usize, n_steps: usize) -> bool {
    step * KEPT / n_steps > (step - 1) * KEPT / n_steps || n_steps <= KEPT
}

/// The first data set of all clients.
fn simulate(scenario: &Scenario) -> Fleet {
    let dims = scenario.settings().family.dims();
    let seed = scenario.settings().seed;
    let mut simulator = MomentSimulator::new(dims);
    let mut fleet = Fleet::new(dims);
    for (block, systems) in scenario.systems().chunks(LANES).enumerate() {
        let clients = systems.iter().enumerate().map(|(lane, system)| {
            let client = block * LANES + lane;
            Client { system, plan: scenario.plan(client), key: DataKey { seed, trial: 0, client } }
        });
        simulator.begin(clients);
        while simulator.advance() {}
        fleet.add_block(simulator.clients(), |client| scenario.n_local_steps(client));
    }
    fleet
}

#[cfg(test)]
mod tests;
