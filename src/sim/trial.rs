//! One Monte-Carlo data set, in small steps: from the clients' data to error curves and the errors of reference
//! estimates.

use super::estimate::EstimateError;
use super::fleet::Fleet;
use super::gain::{self, ClientErrors};
use super::lanes::LANES;
use super::local_map::FleetMaps;
use super::method::Update;
use super::moments::Moments;
use super::rounds::recorded_rounds;
use super::run::{Context, MethodRun, Trajectory, begin_maps};
use super::scenario::{GradientScale, Scenario};
use super::simulator::{Client, DrawCount, MomentSimulator};
use super::stability::Edges;
use super::stream::DataKey;
use super::target::{Target, Truth};

/// The results of one data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialResult {
    /// One run per method, in the order of the settings.
    pub trajectories: Vec<Trajectory>,
    /// Errors ‖Θ − Θ⁽ⁱ⁾‖ of the reference estimates, in the order of the settings.
    pub references: Vec<Result<f64, EstimateError>>,
    /// All clients' errors, if they were requested.
    pub clients: Option<ClientErrors>,
    /// The largest stable step size of every method over all data sets so far, if they were requested: see [`Edges`].
    pub largest_steps: Vec<Option<f64>>,
}

/// The parts that all data sets of an experiment share.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The scenario of the experiment.
    pub scenario: Scenario,
    /// The clients' true systems.
    pub truth: Truth,
    /// The rounds at which errors are recorded, ascending.
    pub recorded: Vec<usize>,
    /// The systems of all clients, if their gains are requested.
    pub everybody: Option<Truth>,
}

impl Experiment {
    /// The parts that all data sets of a scenario share.
    pub fn new(scenario: Scenario) -> Self {
        let truth = Truth::new(scenario.settings().target, scenario.systems());
        let recorded = recorded_rounds(scenario.settings().n_rounds);
        let everybody = scenario.settings().gains.then(|| Truth::new(Target::Mean, scenario.systems()));
        Self { scenario, truth, recorded, everybody }
    }
}

/// A data set in progress. Every call takes the experiment that it was made for.
///
/// The clients' data come first, block by block; then the reference estimates, the clients' own errors if their gains
/// are requested, each method's rounds, and the largest stable steps with the gains. The next data set uses the same
/// buffers: from the second one on, nothing is allocated in a loop.
#[derive(Debug)]
pub struct Trial {
    index: usize,
    fleet: Fleet,
    /// Whether the simulator is drawing the next clients.
    is_drawing: bool,
    /// The work on the current method.
    work: Option<Work>,
    /// Buffers from earlier runs: local maps, and each method's state.
    maps: Option<FleetMaps>,
    updates: Vec<Option<Box<dyn Update>>>,
    /// The search for every method's largest stable step.
    edges: Edges,
    result: TrialResult,
}

/// The work on a method.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one, and it allocates nothing for a run; sizes differ by platform"
)]
#[derive(Debug)]
enum Work {
    /// Its local maps are being made.
    Maps(FleetMaps),
    /// Its rounds are being run.
    Rounds(MethodRun),
}

/// Number of normals drawn in one step, which takes a few hundred microseconds with all that follows from them.
const STEP: usize = 40_000;

impl Trial {
    /// Data set `index` (0-based), without clients yet.
    pub fn new(experiment: &Experiment, index: usize) -> Self {
        let dims = experiment.scenario.settings().family.dims();
        Self {
            index,
            fleet: Fleet::new(dims),
            is_drawing: false,
            work: None,
            maps: None,
            updates: Vec::new(),
            edges: Edges::default(),
            result: TrialResult::default(),
        }
    }

    /// The number of clients whose data are complete.
    pub fn n_clients(&self) -> usize {
        self.fleet.n_clients()
    }

    /// Adds the next client with these moments; the first is client 1.
    pub fn add(&mut self, experiment: &Experiment, moments: &Moments) {
        self.fleet.add(moments, experiment.scenario.n_local_steps(self.fleet.n_clients()));
    }

    /// Works for a few milliseconds at most; returns whether there is more to do.
    pub fn step(&mut self, experiment: &Experiment, simulator: &mut MomentSimulator) -> bool {
        let settings = experiment.scenario.settings();
        if self.n_clients() < settings.n_clients {
            self.draw(experiment, simulator);
        } else if let Some(reference) = settings.references.get(self.result.references.len()) {
            self.result.references.push(reference.error(&self.fleet, &experiment.truth));
        } else if let (None, Some(everybody)) = (&self.result.clients, &experiment.everybody) {
            self.result.clients = Some(ClientErrors::alone(&self.fleet, everybody));
        } else if self.result.trajectories.len() < settings.methods.len() {
            self.go_on(experiment);
        } else if self.seeks_edges(experiment) {
            self.edges.step(&settings.methods, &self.fleet);
        }
        !self.is_done(experiment)
    }

    /// Whether the largest stable step of a method is still to be found.
    fn seeks_edges(&self, experiment: &Experiment) -> bool {
        experiment.everybody.is_some() && self.edges.found().len() < experiment.scenario.settings().methods.len()
    }

    fn is_done(&self, experiment: &Experiment) -> bool {
        let settings = experiment.scenario.settings();
        self.n_clients() == settings.n_clients
            && self.result.clients.is_some() == experiment.everybody.is_some()
            && self.result.references.len() == settings.references.len()
            && self.result.trajectories.len() == settings.methods.len()
            && !self.seeks_edges(experiment)
    }

    /// Draws some of the clients' data: several small blocks, or a few time steps of a large one. (Reading a clock
    /// costs about as much as a small block.)
    fn draw(&mut self, experiment: &Experiment, simulator: &mut MomentSimulator) {
        let Experiment { scenario, .. } = experiment;
        let cost = LANES * DrawCount::of(scenario.settings().family.dims(), 1).normals;
        let mut drawn = 0;
        while drawn < STEP && self.n_clients() < scenario.settings().n_clients {
            if !self.is_drawing {
                simulator.begin(self.next_clients(scenario));
            }
            self.is_drawing = simulator.advance();
            drawn += cost;
            if !self.is_drawing {
                self.fleet.add_block(simulator.clients(), |client| scenario.n_local_steps(client));
            }
        }
    }

    /// The next client, and the clients after it in the same block.
    fn next_clients<'a>(&self, scenario: &'a Scenario) -> impl Iterator<Item = Client<'a>> + use<'a> {
        let (seed, trial, first) = (scenario.settings().seed, self.index, self.n_clients());
        let end = scenario.settings().n_clients.min((first / LANES + 1) * LANES);
        (first..end).map(move |client| Client {
            system: &scenario.systems()[client],
            plan: scenario.plan(client),
            key: DataKey { seed, trial, client },
        })
    }

    /// Makes some of a method's local maps, or runs some of its rounds.
    fn go_on(&mut self, experiment: &Experiment) {
        let Experiment { scenario, truth, recorded, .. } = experiment;
        let settings = scenario.settings();
        let which = self.result.trajectories.len();
        let method = settings.methods[which];
        let work = self.work.take().unwrap_or_else(|| {
            if which == 0 && settings.gradient_scale == GradientScale::Mean {
                self.fleet.normalize();
            }
            Work::Maps(begin_maps(scenario, method, self.maps.take(), which == 0))
        });
        let context = Context { scenario, truth, recorded, trial: self.index, fleet: &self.fleet };
        let mut run = match work {
            Work::Rounds(run) => run,
            Work::Maps(mut maps) => {
                if maps.advance(&self.fleet) {
                    self.work = Some(Work::Maps(maps));
                    return;
                }
                let update = self.updates.get_mut(which).and_then(Option::take);
                MethodRun::new(context, method, maps, update)
            }
        };
        if run.advance(context) {
            self.work = Some(Work::Rounds(run));
        } else {
            if let (Some(everybody), Some(clients)) = (&experiment.everybody, &mut self.result.clients) {
                clients.shared.push(gain::errors(everybody, run.models()));
            }
            let (trajectory, maps, update) = run.finish(recorded);
            self.result.trajectories.push(trajectory);
            self.maps = Some(maps);
            self.updates.resize_with(settings.methods.len(), || None);
            self.updates[which] = Some(update);
        }
    }

    /// The fraction of the work done, 0 to 1, estimated. The clients' own errors and the largest stable steps are not
    /// counted.
    pub fn progress(&self, experiment: &Experiment) -> f64 {
        let settings = experiment.scenario.settings();
        // One unit for each client and each reference. A method has as many units as there are clients, which is right
        // if its rounds are done one by one.
        let run = if let Some(Work::Rounds(run)) = &self.work { run.progress(settings.n_rounds) } else { 0.0 };
        let runs = self.result.trajectories.len() as f64 + run;
        let done = self.n_clients() as f64 + self.result.references.len() as f64 + runs * settings.n_clients as f64;
        let all = settings.n_clients + settings.references.len() + settings.methods.len() * settings.n_clients;
        done / all as f64
    }

    /// The results, once there is nothing more to do. Then the next data set begins, in the same buffers.
    pub fn finish(&mut self) -> TrialResult {
        self.index += 1;
        self.fleet.clear();
        let largest_steps = self.edges.next_data_set();
        TrialResult { largest_steps, ..std::mem::take(&mut self.result) }
    }
}

#[cfg(test)]
mod tests;
