//! One Monte-Carlo data set: clients' data come in, error curves and reference errors come out, in small steps.

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

/// What one data set gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialResult {
    /// One run a method, in the order of the settings.
    pub trajectories: Vec<Trajectory>,
    /// Errors ‖Θ − Θ⁽ⁱ⁾‖ of the reference estimates, in the order of the settings.
    pub references: Vec<Result<f64, EstimateError>>,
    /// Every client's errors, if they were asked for.
    pub clients: Option<ClientErrors>,
    /// The largest step size of every method with which all data sets so far converge, if they were asked for.
    pub largest_steps: Vec<Option<f64>>,
}

/// What all data sets of an experiment have in common.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The experiment.
    pub scenario: Scenario,
    /// The clients' true systems.
    pub truth: Truth,
    /// The rounds at which errors are recorded, ascending.
    pub recorded: Vec<usize>,
    /// The systems of all clients, if every client's gain is asked for.
    pub everybody: Option<Truth>,
}

impl Experiment {
    /// What a scenario's data sets have in common.
    pub fn new(scenario: Scenario) -> Self {
        let truth = Truth::new(scenario.settings().target, scenario.systems());
        let recorded = recorded_rounds(scenario.settings().n_rounds);
        let everybody = scenario.settings().gains.then(|| Truth::new(Target::Mean, scenario.systems()));
        Self { scenario, truth, recorded, everybody }
    }
}

/// A data set in the making. Every call takes the experiment that it was made for.
///
/// First come the clients' data, one after the other; then the reference estimates; then each method's rounds. The room that
/// a data set took is used again for the next: from the second on, nothing is allocated in a loop.
#[derive(Debug)]
pub struct Trial {
    index: usize,
    fleet: Fleet,
    /// Whether the simulator is at work on the next clients.
    is_drawing: bool,
    /// The method at work.
    work: Option<Work>,
    /// What earlier runs left: local maps, and each method's state.
    maps: Option<FleetMaps>,
    updates: Vec<Option<Box<dyn Update>>>,
    /// The largest stable step of every method.
    edges: Edges,
    result: TrialResult,
}

/// What a method is at.
#[allow(
    clippy::large_enum_variant,
    reason = "there is one, and it allocates nothing for a run; sizes differ by platform"
)]
#[derive(Debug)]
enum Work {
    /// Its local maps are in the making.
    Maps(FleetMaps),
    /// Its rounds are being run.
    Rounds(MethodRun),
}

/// Numbers drawn in one step, which takes a few hundred microseconds with all that becomes of them.
const STEP: usize = 40_000;

impl Trial {
    /// Data set `index` (0-based), without clients.
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

    /// How many clients' data are in.
    pub fn n_clients(&self) -> usize {
        self.fleet.n_clients()
    }

    /// Adds the next client's moments as they are; the first is client 1.
    pub fn add(&mut self, experiment: &Experiment, moments: &Moments) {
        self.fleet.add(moments, experiment.scenario.n_local_steps(self.fleet.n_clients()));
    }

    /// Does a little, a few milliseconds at most; whether there is more to do.
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

    /// Whether the largest step of a method is still to be found.
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

    /// Draws some of the clients' data: several small groups of them, or a few steps in time of a large one. (A look at the
    /// clock costs about as much as a small group.)
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

    /// The clients that share a block with the next one, from it on.
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

    /// The share of the work done, 0 to 1, as good as it can be told.
    pub fn progress(&self, experiment: &Experiment) -> f64 {
        let settings = experiment.scenario.settings();
        // One unit a client, one for all references; a method's rounds are as many if they are gone through one by one.
        let run = if let Some(Work::Rounds(run)) = &self.work { run.progress(settings.n_rounds) } else { 0.0 };
        let runs = self.result.trajectories.len() as f64 + run;
        let done = self.n_clients() as f64 + self.result.references.len() as f64 + runs * settings.n_clients as f64;
        let all = settings.n_clients + settings.references.len() + settings.methods.len() * settings.n_clients;
        done / all as f64
    }

    /// What came out, once there is nothing more to do; and then begins another data set, in the same room.
    pub fn finish(&mut self) -> TrialResult {
        self.index += 1;
        self.fleet.clear();
        let largest_steps = self.edges.next_data_set();
        TrialResult { largest_steps, ..std::mem::take(&mut self.result) }
    }
}

#[cfg(test)]
mod tests;
