//! One Monte-Carlo data set: clients' data come in, error curves and reference errors come out, in small steps.

use super::estimate::{EstimateError, Reference};
use super::fleet::Fleet;
use super::gain::{self, ClientErrors};
use super::lanes::LANES;
use super::local_map::FleetMaps;
use super::method::Update;
use super::moments::Moments;
use super::rounds::recorded_rounds;
use super::run::{Context, MethodRun, Trajectory, local_maps};
use super::scenario::{GradientScale, Scenario};
use super::simulator::{Client, DrawCount, MomentSimulator};
use super::stability::EdgeSearch;
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
    /// The largest step size of every method with which all data sets so far converge, likewise.
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
    /// The method whose rounds are being run.
    run: Option<MethodRun>,
    /// What earlier runs left: local maps, and each method's state.
    maps: Option<FleetMaps>,
    updates: Vec<Option<Box<dyn Update>>>,
    /// Of the data sets before.
    largest_steps: Vec<Option<f64>>,
    /// The search for a method's largest step, while it goes on.
    search: Option<Box<EdgeSearch>>,
    result: TrialResult,
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
            run: None,
            maps: None,
            updates: Vec::new(),
            largest_steps: Vec::new(),
            search: None,
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
        } else if self.result.references.len() < settings.references.len() {
            let error = |reference: &Reference| reference.error(&self.fleet, &experiment.truth);
            self.result.references = settings.references.iter().map(error).collect();
        } else if let (None, Some(everybody)) = (&self.result.clients, &experiment.everybody) {
            self.result.clients = Some(ClientErrors::alone(&self.fleet, everybody));
        } else if self.result.trajectories.len() < settings.methods.len() {
            self.go_on(experiment);
        } else if self.seeks_edges(experiment) {
            self.seek_edge(experiment);
        }
        !self.is_done(experiment)
    }

    /// Whether the largest step of a method is still to be found.
    fn seeks_edges(&self, experiment: &Experiment) -> bool {
        experiment.everybody.is_some() && self.result.largest_steps.len() < experiment.scenario.settings().methods.len()
    }

    /// Looks at one more step size of a method.
    fn seek_edge(&mut self, experiment: &Experiment) {
        let which = self.result.largest_steps.len();
        let method = experiment.scenario.settings().methods[which];
        let before = self.largest_steps.get(which).copied().flatten();
        let begin = || EdgeSearch::new(method, &self.fleet, before).map(Box::new);
        match self.search.take().or_else(begin) {
            None => self.result.largest_steps.push(None),
            Some(mut search) => match search.step(&self.fleet) {
                Some(edge) => self.result.largest_steps.push(edge),
                None => self.search = Some(search),
            },
        }
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

    /// Runs some of a method's rounds.
    fn go_on(&mut self, experiment: &Experiment) {
        let settings = experiment.scenario.settings();
        let which = self.result.trajectories.len();
        if which == 0 && self.run.is_none() && settings.gradient_scale == GradientScale::Mean {
            self.fleet.normalize();
        }
        let Experiment { scenario, truth, recorded, .. } = experiment;
        let context = Context { scenario, truth, recorded, trial: self.index, fleet: &self.fleet };
        let begin = || {
            let method = settings.methods[which];
            let maps = local_maps(context, method, self.maps.take(), which > 0);
            MethodRun::new(context, method, maps, self.updates.get_mut(which).and_then(Option::take))
        };
        let mut run = self.run.take().unwrap_or_else(begin);
        if run.advance(context) {
            self.run = Some(run);
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
        let run = self.run.as_ref().map_or(0.0, |run| run.progress(settings.n_rounds));
        let runs = self.result.trajectories.len() as f64 + run;
        let done = self.n_clients() as f64 + self.result.references.len() as f64 + runs * settings.n_clients as f64;
        let all = settings.n_clients + settings.references.len() + settings.methods.len() * settings.n_clients;
        done / all as f64
    }

    /// What came out, once there is nothing more to do; and then begins another data set, in the same room.
    pub fn finish(&mut self) -> TrialResult {
        self.index += 1;
        self.fleet.clear();
        self.largest_steps.clone_from(&self.result.largest_steps);
        std::mem::take(&mut self.result)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::Matrix;
    use crate::family::Family;
    use crate::method::{Method, Solver};
    use crate::norm::spectral_norm;
    use crate::participation::Participation;
    use crate::samples::{Samples, simulate_samples};
    use crate::scenario::{Settings, Start};
    use crate::schedule::Schedule;
    use crate::spread::Spread;
    use crate::stream::{Purpose, Seed, stream};
    use crate::system::LinearSystem;
    use crate::textbook;

    const ALL_METHODS: [(Solver, Schedule); 6] = [
        (Solver::FedAvg, Schedule::Constant),
        (Solver::FedAvg, Schedule::OverLocalSteps),
        (Solver::FedAvg, Schedule::OverRounds),
        (Solver::FedLin, Schedule::Constant),
        (Solver::FedLin, Schedule::OverLocalSteps),
        (Solver::FedLin, Schedule::OverRounds),
    ];

    fn scenario(change: impl Fn(&mut Settings)) -> Scenario {
        let mut settings = Settings::paper();
        settings.methods = ALL_METHODS.map(|(solver, schedule)| Method { solver, schedule }).to_vec();
        change(&mut settings);
        Scenario::new(settings).unwrap()
    }

    fn samples(scenario: &Scenario) -> Vec<Samples> {
        let settings = scenario.settings();
        let data = |(client, system)| {
            simulate_samples(system, &scenario.plan(client), &mut stream(settings.seed, Purpose::Data, 0, client))
        };
        scenario.systems().iter().enumerate().map(data).collect()
    }

    fn result(scenario: &Scenario, moments: &[Moments]) -> TrialResult {
        let experiment = Experiment::new(scenario.clone());
        let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
        let mut trial = Trial::new(&experiment, 0);
        for moments in moments {
            trial.add(&experiment, moments);
        }
        while trial.step(&experiment, &mut simulator) {}
        trial.finish()
    }

    /// Every method's closed form against the loop over local steps on the samples, every round, 1e-10 relative.
    #[track_caller]
    fn check_against_textbook(change: impl Fn(&mut Settings)) {
        let scenario = scenario(change);
        let settings = scenario.settings();
        let samples = samples(&scenario);
        let moments: Vec<_> = samples.iter().map(Samples::moments).collect();
        let target = scenario.systems()[0].theta();
        let steps = textbook::Steps {
            step_size: settings.step_size,
            n_local_steps: scenario.n_local_steps(0),
            n_rounds: settings.n_rounds,
        };
        let got = result(&scenario, &moments).trajectories;
        for (method, trajectory) in settings.methods.iter().zip(got) {
            let models = textbook::server_models(&samples, *method, steps, &scenario.first_model());
            for (round, (model, got)) in models.iter().zip(trajectory.errors).enumerate() {
                let expected = spectral_norm(&(model - &target));
                assert!((got - expected).abs() <= 1e-10 * expected, "{method:?} round {round}: {got} {expected}");
            }
        }
    }

    #[test]
    fn closed_form_is_the_textbook_loop() {
        check_against_textbook(|s| (s.n_clients, s.n_rounds) = (7, 60));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.heterogeneity) = (5, 40, 0.75));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.n_local_steps) = (2, 30, 1.into()));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.n_local_steps) = (3, 20, 37.into()));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.start) = (4, 30, Start::HalfOfClient1));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.step_size) = (3, 30, 4e-3));
        check_against_textbook(|s| (s.n_clients, s.data.n_rollouts, s.n_rounds) = (1, 1.into(), 50));
    }

    #[test]
    fn closed_form_is_the_textbook_loop_on_random_systems_too() {
        for seed in 0..40_u32 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
            let (n, p) = (rng.random_range(1..6), rng.random_range(1..4));
            let mut matrix =
                |cols: usize, size: f64| Matrix::from_fn(n, cols, |_, _| size * (rng.random::<f64>() - 0.5));
            let nominal = LinearSystem::new(matrix(n, 1.0), matrix(p, 2.0)).unwrap();
            let family = Family::new(nominal, matrix(n, 1.0), matrix(p, 1.0)).unwrap();
            check_against_textbook(|s| {
                (s.family, s.seed, s.heterogeneity) = (family.clone(), Seed(seed.into()), 0.5);
                (s.n_clients, s.n_rounds) = (1 + seed as usize % 11, 25);
                (s.data.n_rollouts, s.data.rollout_len) =
                    ((3 + seed as usize % 9).into(), (1 + seed as usize % 6).into());
                (s.n_local_steps, s.step_size) = ((1 + seed as usize % 13).into(), 1e-3);
            });
        }
    }

    #[test]
    fn fedlin_with_one_step_is_gradient_descent_on_the_pooled_cost() {
        let scenario = scenario(|s| (s.n_clients, s.n_local_steps, s.n_rounds) = (6, 1.into(), 50));
        let moments: Vec<_> = samples(&scenario).iter().map(Samples::moments).collect();
        let mut total = Moments::zeros(scenario.settings().family.dims());
        for moments in &moments {
            total.add(moments);
        }
        let mean = total.divided(6);
        let target = scenario.systems()[0].theta();
        let mut model = Matrix::zeros(3, 5);
        for &got in &result(&scenario, &moments).trajectories[3].errors {
            assert!((got - spectral_norm(&(&model - &target))).abs() < 1e-12);
            model += mean.gradient(&model) * scenario.settings().step_size;
        }
    }

    #[test]
    fn fedlin_ends_at_pooled_and_fedavg_with_many_steps_at_the_mean_of_locals() {
        let slow = scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity) = (6, 5_000, 0.75));
        let many =
            scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity, s.n_local_steps) = (6, 9, 0.75, 9_000.into()));
        let moments: Vec<_> = samples(&slow).iter().map(Samples::moments).collect();
        let references: Vec<_> = result(&slow, &moments).references.into_iter().map(Result::unwrap).collect();
        let (pooled, mean_of_locals) = (references[1], references[2]);
        let last = |scenario: &Scenario, method: usize| {
            *result(scenario, &moments).trajectories[method].errors.last().unwrap()
        };
        assert!((last(&slow, 3) - pooled).abs() < 1e-10);
        assert!((last(&many, 0) - mean_of_locals).abs() < 1e-10);
        assert!((pooled - mean_of_locals).abs() > 1e-3);
    }

    #[test]
    fn the_order_of_the_other_clients_does_not_matter() {
        let scenario = scenario(|s| (s.n_clients, s.heterogeneity) = (6, 0.5));
        let mut moments: Vec<_> = samples(&scenario).iter().map(Samples::moments).collect();
        let before = result(&scenario, &moments);
        moments[1..].reverse();
        let after = result(&scenario, &moments);
        for (a, b) in before.trajectories.iter().zip(&after.trajectories) {
            assert!((a.errors[200] - b.errors[200]).abs() < 1e-12);
        }
    }

    #[test]
    fn an_overflow_gives_no_number_and_no_hang() {
        let dims = Settings::paper().family.dims();
        for size in [f64::INFINITY, f64::NAN, 1e300, 1e150] {
            let scenario = scenario(|s| (s.n_clients, s.n_rounds) = (2, 30));
            let mut moments = Moments { n_samples: 50, ..Moments::zeros(dims) };
            moments.s.fill(size);
            moments.c.fill(size);
            let result = result(&scenario, &[moments.clone(), moments]);
            assert!(result.references.iter().all(Result::is_err), "{size}");
            for trajectory in result.trajectories {
                assert!(trajectory.errors[0].is_finite(), "{size}");
                assert!(!trajectory.errors[30].is_finite(), "{size}");
                assert!(
                    trajectory.contraction.is_some_and(|rho| rho > 1.0) && trajectory.outcome.is_diverged(),
                    "{size}"
                );
            }
        }
    }

    #[test]
    fn contraction_above_one_is_divergence() {
        for (step_size, grows) in [(1.7e-3, false), (2.0e-3, true)] {
            let scenario = scenario(|s| (s.step_size, s.n_rounds, s.n_clients) = (step_size, 400, 50));
            let moments: Vec<_> = samples(&scenario).iter().map(Samples::moments).collect();
            for trajectory in [0, 3].map(|method| result(&scenario, &moments).trajectories[method].clone()) {
                let contraction = trajectory.contraction.unwrap();
                assert_eq!(contraction > 1.0, grows, "{step_size}: {contraction}");
                assert_eq!(trajectory.outcome.is_diverged(), grows, "{step_size}");
                assert_eq!(trajectory.errors[400] > trajectory.errors[0], grows, "{step_size}");
            }
        }
    }

    fn moments(scenario: &Scenario) -> Vec<Moments> {
        samples(scenario).iter().map(Samples::moments).collect()
    }

    #[test]
    fn recorded_errors_of_a_long_run_are_those_of_single_rounds() {
        let long = scenario(|s| (s.n_clients, s.n_rounds, s.step_size) = (5, 3_000, 2e-5));
        let every = scenario(|s| (s.n_clients, s.n_rounds, s.step_size) = (5, 1_000, 2e-5));
        let moments = moments(&long);
        let (long_result, every) = (result(&long, &moments), result(&every, &moments));
        let recorded = recorded_rounds(3_000);
        // Methods whose schedule knows the number of rounds differ.
        for method in [0, 1, 3, 4] {
            let (long, every) = (&long_result.trajectories[method].errors, &every.trajectories[method].errors);
            assert_eq!(long.len(), recorded.len());
            for (&round, error) in recorded.iter().zip(long).filter(|(round, _)| **round <= 1_000) {
                assert!((error - every[round]).abs() < 1e-12 * every[round], "{method}: round {round}");
            }
        }
    }

    /// Mean gradients with a step N·T times as large are the sums' steps, when all clients have as much data.
    #[test]
    fn mean_gradients_are_sums_with_another_step() {
        let sums = scenario(|s| (s.n_clients, s.n_rounds) = (6, 40));
        let means = scenario(|s| {
            (s.n_clients, s.n_rounds) = (6, 40);
            (s.gradient_scale, s.step_size) = (GradientScale::Mean, 125.0 * s.step_size);
        });
        let (sums, means) = (result(&sums, &moments(&sums)), result(&means, &moments(&means)));
        assert_eq!(sums.references, means.references);
        for (a, b) in sums.trajectories.iter().zip(&means.trajectories) {
            assert!((a.errors[40] - b.errors[40]).abs() < 1e-12);
        }
    }

    #[test]
    fn with_everybody_a_draw_of_participants_changes_nothing() {
        let with = |participation| {
            let scenario = scenario(|s| (s.n_clients, s.n_rounds, s.participation) = (9, 30, participation));
            result(&scenario, &moments(&scenario))
        };
        let full = with(Participation::Full);
        assert_eq!(with(Participation::Fraction(1.0)), full);
        assert_eq!(with(Participation::Dropout(0.0)), full);
        assert_ne!(with(Participation::Fraction(0.5)), full);
    }

    #[test]
    fn if_nobody_ever_takes_part_nothing_is_learned() {
        let scenario = scenario(|s| (s.n_clients, s.n_rounds, s.participation) = (4, 9, Participation::Dropout(1.0)));
        for trajectory in result(&scenario, &moments(&scenario)).trajectories {
            assert!(trajectory.errors.iter().all(|error| error.to_bits() == trajectory.errors[0].to_bits()));
        }
    }

    #[test]
    fn targets_are_those_of_the_definition() {
        let with = |target| {
            let scenario = scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity, s.target) = (9, 20, 0.5, target));
            result(&scenario, &moments(&scenario))
        };
        let each: Vec<_> = (0..9).map(|client| with(Target::Client(client))).collect();
        let (worst, mean) = (with(Target::Worst), with(Target::Mean));
        for method in 0..ALL_METHODS.len() {
            for round in 0..=20 {
                let errors = each.iter().map(|result| result.trajectories[method].errors[round]);
                let close = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-13, "{got} {expected}");
                close(worst.trajectories[method].errors[round], errors.clone().fold(0.0, f64::max));
                close(mean.trajectories[method].errors[round], errors.sum::<f64>() / 9.0);
            }
        }
    }

    #[test]
    fn spreads_reach_the_clients() {
        let scenario = scenario(|s| {
            (s.n_clients, s.n_rounds) = (3, 5);
            s.data.n_rollouts = Spread::Each(vec![2, 9]);
            s.data.rollout_len = Spread::Each(vec![1, 4, 6]);
            s.data.process_noise_std = Spread::Each(vec![0.0, 1.0]);
            s.n_local_steps = Spread::Each(vec![1, 3]);
        });
        let sizes: Vec<_> = moments(&scenario).iter().map(|moments| moments.n_samples).collect();
        assert_eq!(sizes, [2, 36, 54]);
        assert_eq!([0, 1, 2].map(|client| scenario.n_local_steps(client)), [1, 3, 3]);
        let noiseless = &samples(&scenario)[0];
        assert!((scenario.systems()[0].theta() * &noiseless.z - &noiseless.next).amax() < 1e-14);
        assert_eq!(result(&scenario, &moments(&scenario)).trajectories.len(), 6);
    }

    /// What an earlier data set left in the room that the next one takes must not show in it.
    #[test]
    fn a_room_can_be_used_again() {
        let solvers = [
            Solver::FedAvg,
            Solver::FedProx { pull: 9.0 },
            Solver::Scaffold,
            Solver::FedAdmm { penalty: 50.0, sparsity: 1.0 },
            Solver::Clustered { n_clusters: 2 },
            Solver::Median,
            Solver::FedLin,
        ];
        for schedule in Schedule::ALL {
            let scenario = scenario(|s| {
                (s.n_clients, s.n_rounds, s.heterogeneity) = (11, 9, 0.5);
                (s.participation, s.gradient_scale) = (Participation::Fraction(0.5), GradientScale::Mean);
                s.methods = solvers.map(|solver| Method { solver, schedule }).to_vec();
            });
            let experiment = Experiment::new(scenario.clone());
            let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
            let mut run = |trial: &mut Trial| {
                while trial.step(&experiment, &mut simulator) {}
                trial.finish()
            };
            let mut trial = Trial::new(&experiment, 0);
            let (first, second) = (run(&mut trial), run(&mut trial));
            assert_ne!(first, second);
            assert_eq!(second, run(&mut Trial::new(&experiment, 1)), "{schedule:?}");
        }
    }

    /// The data that a trial draws itself, several clients side by side, are those of each client alone.
    #[test]
    fn a_trial_draws_its_own_data() {
        for n_clients in [3, 8, 21] {
            let scenario = scenario(|s| {
                (s.n_clients, s.n_rounds) = (n_clients, 4);
                (s.data.n_rollouts, s.data.rollout_len) = (Spread::Each(vec![3, 30]), Spread::Each(vec![5, 1, 400]));
            });
            let experiment = Experiment::new(scenario.clone());
            let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
            let mut trial = Trial::new(&experiment, 0);
            let mut progress = -1.0;
            while trial.step(&experiment, &mut simulator) {
                assert!(trial.progress(&experiment) >= progress && trial.progress(&experiment) < 1.0);
                progress = trial.progress(&experiment);
            }
            let moments: Vec<_> = trial_clients(&scenario).map(|client| simulator.simulate(client)).collect();
            let (drawn, expected) = (trial.finish(), result(&scenario, &moments));
            assert_eq!(drawn, expected, "{n_clients} clients");
        }
    }

    fn trial_clients(scenario: &Scenario) -> impl Iterator<Item = Client<'_>> {
        let seed = scenario.settings().seed;
        scenario.systems().iter().enumerate().map(move |(client, system)| Client {
            system,
            plan: scenario.plan(client),
            key: DataKey { seed, trial: 0, client },
        })
    }

    /// A fleet that begins with given moments goes on with drawn ones in the lanes that are left.
    #[test]
    fn given_and_drawn_clients_share_a_block() {
        let scenario = scenario(|s| (s.n_clients, s.n_rounds) = (11, 4));
        let experiment = Experiment::new(scenario.clone());
        let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
        let moments: Vec<_> = trial_clients(&scenario).map(|client| simulator.simulate(client)).collect();
        let mut trial = Trial::new(&experiment, 0);
        moments[..3].iter().for_each(|moments| trial.add(&experiment, moments));
        while trial.step(&experiment, &mut simulator) {}
        assert_eq!(trial.finish(), result(&scenario, &moments));
    }

    #[test]
    fn one_long_trajectory_identifies_an_unstable_system_while_it_fits() {
        let unstable = LinearSystem::new(Matrix::from_element(1, 1, 1.2), Matrix::from_element(1, 1, 1.0)).unwrap();
        let family = Family::new(unstable, Matrix::zeros(1, 1), Matrix::zeros(1, 1)).unwrap();
        let with = |rollout_len: usize| {
            let scenario = scenario(|s| {
                (s.family, s.n_clients, s.n_rounds) = (family.clone(), 2, 1);
                (s.data.n_rollouts, s.data.rollout_len) = (1.into(), rollout_len.into());
            });
            result(&scenario, &moments(&scenario)).references
        };
        let alone = with(60)[0].unwrap();
        assert!(alone < 0.5, "{alone}");
        assert!(with(4_500).iter().all(Result::is_err));
    }
}
