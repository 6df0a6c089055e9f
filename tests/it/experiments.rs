//! Experiments that several tests use, and comparisons of predictions with results.

use std::thread;

use fedsysid::sim::Matrix;
use fedsysid::sim::family::{Family, Placement};
use fedsysid::sim::fleet::Fleet;
use fedsysid::sim::local_map::{FleetMaps, StepRule};
use fedsysid::sim::method::affine::RoundMap;
use fedsysid::sim::method::{Method, Round, Solver, begin};
use fedsysid::sim::participation::Participants;
use fedsysid::sim::plan::{DataPlan, NoiseLevels};
use fedsysid::sim::scenario::{GradientScale, Scenario, Settings, Start};
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stream::Seed;
use fedsysid::sim::study::{Study, Summary};
use fedsysid::sim::system::LinearSystem;
use fedsysid::sim::target::Target;
use fedsysid::sim::trial::Experiment;
use fedsysid::theory::Theory;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

pub(crate) const FEDLIN: Method = Method::constant(Solver::FedLin);
pub(crate) const FEDAVG: Method = Method::constant(Solver::FedAvg);

/// The fixed systems of the reference data: client 1 is at the edge of the family.
pub(crate) fn cell(n_clients: usize, n_rollouts: usize, heterogeneity: f64) -> Settings {
    Settings {
        placement: Placement::Even,
        n_clients,
        heterogeneity,
        data: DataPlan { n_rollouts, rollout_len: 5, noise: NoiseLevels::UNIT }.into(),
        ..Settings::paper()
    }
}

pub(crate) fn theory(settings: Settings) -> Theory {
    Theory::of(&Experiment::new(Scenario::new(settings).expect("allowed")))
}

pub(crate) fn simulate(settings: Settings, n_trials: usize) -> Summary {
    Study::new(Scenario::new(Settings { n_trials, ..settings }).expect("allowed")).run()
}

/// Whether two numbers differ by at most `allowed`; never true for NaN.
pub(crate) fn within(a: f64, b: f64, allowed: f64) -> bool {
    (a - b).abs() <= allowed
}

/// Runs `check` for all `items` on all cores, and fails with all complaints.
pub(crate) fn for_all<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) {
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    let check = &check;
    let complaints: Vec<_> = thread::scope(|scope| {
        let share = |first| move || items.iter().skip(first).step_by(n_threads).flat_map(check).collect::<Vec<_>>();
        let workers: Vec<_> = (0..n_threads).map(|first| scope.spawn(share(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a check does not panic")).collect()
    });
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Runs `check` `n` times, as [`for_all`] does, each time with random numbers from another seed.
pub(crate) fn for_seeds(n: u64, check: impl Fn(u64, &mut ChaCha8Rng) -> Vec<String> + Sync) {
    let seeds: Vec<u64> = (0..n).collect();
    for_all(&seeds, |&seed| check(seed, &mut ChaCha8Rng::seed_from_u64(seed)));
}

/// A random experiment, small enough for brute force.
pub(crate) fn random(rng: &mut ChaCha8Rng) -> Settings {
    let (n, p) = (rng.random_range(1..=4), rng.random_range(1..=3));
    let mut matrix =
        |rows, cols, size: f64| Matrix::from_fn(rows, cols, |_, _| size * (2.0 * rng.random::<f64>() - 1.0));
    let nominal = LinearSystem::new(matrix(n, n, 0.6), matrix(n, p, 1.0)).expect("finite");
    let family = Family::new(nominal, matrix(n, n, 0.5), matrix(n, p, 0.5)).expect("of one size");
    let n_clients = rng.random_range(1..=9);
    let targets = [Target::Client(rng.random_range(0..n_clients)), Target::Mean, Target::Worst];
    let starts = [Start::Zero, Start::Nominal, Start::HalfOfClient1];
    let data = DataPlan { n_rollouts: 1, rollout_len: 1, noise: NoiseLevels::UNIT };
    let mut settings = Settings {
        family,
        heterogeneity: rng.random_range(0.0..1.0),
        n_clients,
        data: data.into(),
        n_local_steps: Spread::Even { low: rng.random_range(1..4), high: rng.random_range(4..9) },
        gradient_scale: [GradientScale::Sum, GradientScale::Mean][rng.random_range(0..2)],
        n_rounds: rng.random_range(1..30),
        start: starts[rng.random_range(0..3)].clone(),
        target: targets[rng.random_range(0..3)],
        seed: Seed(rng.random()),
        ..Settings::paper()
    };
    settings.data.n_rollouts = Spread::Even { low: rng.random_range(2..6), high: rng.random_range(6..20) };
    settings.data.rollout_len = rng.random_range(1..=6).into();
    settings.data.process_noise_std = Spread::Even { low: 0.2, high: rng.random_range(0.2..2.0) };
    settings.data.input_std = rng.random_range(0.5..2.0).into();
    settings
}

pub(crate) fn rule(method: Method, step_size: f64) -> StepRule {
    StepRule { schedule: method.schedule, step_size, pull: method.solver.pull() }
}

pub(crate) fn round_map(method: Method, fleet: &Fleet, maps: &FleetMaps) -> RoundMap {
    let dims = fleet.dims();
    let mut update = begin(method.solver, fleet, &Matrix::zeros(dims.n_states, dims.n_regressors()));
    let who = Participants::everybody(fleet.n_clients());
    update.round_map(Round { fleet, maps, who: &who }).expect("an affine round").clone()
}
