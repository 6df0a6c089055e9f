//! What was to be expected, against simulations, independent reference data and brute force.

use std::thread;

use fedsysid::sim::Matrix;
use fedsysid::sim::estimate::Reference;
use fedsysid::sim::family::{Family, Placement};
use fedsysid::sim::fleet::Fleet;
use fedsysid::sim::local_map::{FleetMaps, StepRule};
use fedsysid::sim::method::affine::RoundMap;
use fedsysid::sim::method::{Method, Round, Solver, begin};
use fedsysid::sim::participation::Participants;
use fedsysid::sim::plan::{DataPlan, NoiseLevels};
use fedsysid::sim::scenario::{GradientScale, Scenario, Settings, Start};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::simulator::{Client, MomentSimulator};
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stability::{Stability, largest_step};
use fedsysid::sim::stream::{DataKey, Seed};
use fedsysid::sim::study::{Study, Summary};
use fedsysid::sim::system::LinearSystem;
use fedsysid::sim::target::Target;
use fedsysid::sim::trial::Experiment;
use fedsysid::theory::Theory;
use fedsysid::theory::break_even::BreakEven;
use fedsysid::theory::expectation::ExpectedFleet;
use fedsysid::theory::law::Law;
use fedsysid::theory::theorem1::{DELTA, Theorem1};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::data::{cells, count, number};

const FEDLIN: Method = Method { solver: Solver::FedLin, schedule: Schedule::Constant };
const FEDAVG: Method = Method { solver: Solver::FedAvg, schedule: Schedule::Constant };

/// The reference's fixed systems: client 1 is at the family's edge.
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

/// Whether two numbers differ by no more than allowed; NaN is not within anything.
pub(crate) fn within(a: f64, b: f64, allowed: f64) -> bool {
    (a - b).abs() <= allowed
}

/// Runs `check` for all of `items`, on all cores, and fails with every complaint.
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

/// Within 3 % or three standard errors at the end, within 5 % along the rounds; where there are too few samples for that,
/// the theory must say so.
#[test]
fn predictions_meet_the_simulation() {
    let grid: Vec<_> = [2, 5, 25, 50, 100]
        .into_iter()
        .flat_map(|m| [10, 25, 100].map(|n| (m, n)))
        .flat_map(|(m, n)| [0.0, 0.01, 0.1, 0.25, 0.75].map(|epsilon| (m, n, epsilon)))
        .collect();
    for_all(&grid, |&(m, n, epsilon)| {
        let over_rounds = Method { solver: Solver::FedAvg, schedule: Schedule::OverRounds };
        let settings = Settings { methods: vec![FEDLIN, FEDAVG, over_rounds], ..cell(m, n, epsilon) };
        let expected = theory(settings.clone());
        let got = simulate(settings, 400);
        let mut complaints = Vec::new();
        let mut compare = |what: &str, expected: f64, mean: f64, allowed: f64| {
            if !within(expected, mean, allowed) {
                complaints.push(format!("M={m} N={n} ε={epsilon}, {what}: {expected} expected, {mean} simulated"));
            }
        };
        let pooled = got.reference(Reference::Pooled).expect("asked for").expect("enough data");
        let expected_pooled = expected.pooled.expect("the data determine it");
        let allowed = (0.03 * pooled.mean()).max(3.0 * pooled.standard_error());
        compare("pooled", expected_pooled, pooled.mean(), allowed);
        let alone = got.reference(Reference::ClientAlone).expect("asked for").expect("enough data");
        let allowed = (0.03 * alone.mean()).max(4.0 * alone.standard_error());
        compare("alone", expected.alone.expect("the data determine it"), alone.mean(), allowed);
        // Fewer than 60 samples (N·T = 5 N a client) for each of 5 regressors.
        assert_eq!(expected.has_few_for_curves(), m * n < 60);
        for (method, simulated) in expected.methods.iter().zip(&got.methods) {
            let prediction = method.prediction.as_ref().expect("everybody takes part in a linear round");
            if expected.has_few_for_curves() {
                continue;
            }
            for (record, (mean, running)) in prediction.means.iter().zip(&simulated.errors).enumerate() {
                let allowed = 0.05 * running.mean();
                compare(&format!("{:?}, round {record}", method.method), *mean, running.mean(), allowed);
            }
        }
        complaints
    });
}

#[test]
fn theorem_1_is_that_of_the_reference() {
    let cells = cells("theorem1.json");
    assert_eq!(cells.len(), 16);
    for reference in &cells {
        let scenario =
            Scenario::new(cell(count(reference, "M"), count(reference, "N_i"), number(reference, "epsilon")))
                .expect("the paper's settings are allowed");
        let got = Theorem1::new(&scenario, 0, DELTA);
        let pairs = [
            ("C0", got.c0),
            ("C1", got.c1),
            ("C2_printed", got.c2),
            ("C2_sigma_j", got.c2_of_others),
            ("N_i_condition_first", got.needs.0),
            ("N_i_condition_second", got.needs.1),
            ("N_i_condition", got.need()),
            ("noise_term", got.noise),
            ("heterogeneity_term_printed", got.heterogeneity * got.c2),
            ("bound_printed", got.bound()),
            ("bound_sigma_j", got.noise + got.heterogeneity * got.c2_of_others),
            ("min_lambda_min", got.excitation),
            ("epsilon", got.heterogeneity),
        ];
        for (key, got) in pairs {
            let expected = number(reference, key);
            assert!(
                (got - expected).abs() <= 1e-5 * expected,
                "{} {key}: {got}, reference {expected}",
                reference["id"]
            );
        }
        assert_eq!(Some(got.holds()), reference["N_i_condition_met"].as_bool(), "{}", reference["id"]);
    }
}

/// As printed, the noise term does not fall with M; summed, it falls like 1/√M, and for one client both are the same.
#[test]
fn the_summed_noise_term_falls_with_the_clients() {
    let bound = |m| Theorem1::new(&Scenario::new(cell(m, 25, 0.0)).expect("allowed"), 0, DELTA);
    let (one, hundred) = (bound(1), bound(100));
    assert!((one.noise - one.noise_summed).abs() < 1e-12 * one.noise);
    assert!(hundred.noise > one.noise);
    let falls = one.noise_summed / hundred.noise_summed;
    // C_0 grows with the logarithm of M.
    assert!((falls - 10.0 * one.c0 / hundred.c0).abs() < 1e-9 * falls, "{falls}");
}

/// Where joining stops to pay: interpolated between simulations at either side of what was predicted.
#[test]
fn the_break_even_is_where_the_simulated_errors_cross() {
    for n_rollouts in [25, 100] {
        let Ok(BreakEven::At(expected)) = theory(cell(50, n_rollouts, 0.2)).break_even else {
            panic!("joining stops to pay somewhere")
        };
        let excess = |epsilon: f64| {
            let summary = simulate(Settings { methods: Vec::new(), ..cell(50, n_rollouts, epsilon) }, 4_000);
            let mean = |reference| summary.reference(reference).expect("asked for").expect("enough data").mean();
            mean(Reference::Pooled) - mean(Reference::ClientAlone)
        };
        let (low, high) = (0.9 * expected, 1.1 * expected);
        let (below, above) = (excess(low), excess(high));
        assert!(below < 0.0 && above > 0.0, "N = {n_rollouts}, expected at {expected}: {below} {above}");
        let crossing = low + (high - low) * -below / (above - below);
        assert!(
            (crossing / expected - 1.0).abs() < 0.05,
            "N = {n_rollouts}: {expected} expected, {crossing} simulated"
        );
        // The same whatever the present ε is.
        let Ok(BreakEven::At(again)) = theory(cell(50, n_rollouts, 0.9)).break_even else { panic!("as before") };
        assert!((again / expected - 1.0).abs() < 2e-4, "{again} {expected}");
    }
}

/// Of clients drawn at random, averaged over the draw, joining stops to pay at about 0.63 (N = 25) and 0.31 (N = 100).
#[test]
fn on_average_over_random_fleets_joining_stops_to_pay_later() {
    for (n_rollouts, expected) in [(25, 0.63), (100, 0.31)] {
        let excess = |epsilon: f64| {
            let of_seed = |seed| {
                let placement = Placement::Uniform;
                let one =
                    Settings { placement, seed: Seed(seed), methods: Vec::new(), ..cell(50, n_rollouts, epsilon) };
                let theory = theory(one);
                theory.pooled.expect("enough data") - theory.alone.expect("enough data")
            };
            (0..400).map(of_seed).sum::<f64>()
        };
        let (mut low, mut high) = (0.5 * expected, 1.5 * expected);
        for _ in 0..7 {
            let middle = 0.5 * (low + high);
            if excess(middle) < 0.0 { low = middle } else { high = middle }
        }
        assert!((low / expected - 1.0).abs() < 0.05, "N = {n_rollouts}: {low}");
    }
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

fn round_map(method: Method, fleet: &Fleet, maps: &FleetMaps) -> RoundMap {
    let dims = fleet.dims();
    let mut update = begin(method.solver, fleet, &Matrix::zeros(dims.n_states, dims.n_regressors()));
    let who = Participants::everybody(fleet.n_clients());
    update.round_map(Round { fleet, maps, who: &who }).expect("an affine round").clone()
}

/// The four parts by their definitions, with every client's noise followed on its own.
fn parts_by_brute_force(scenario: &Scenario, method: Method) -> Vec<[f64; 4]> {
    let settings = scenario.settings();
    let expected = ExpectedFleet::new(scenario);
    let fleet = expected.fleet();
    let pooled = Law::pooled(&expected).expect("the data determine it").mean;
    let (n, d) = pooled.shape();
    let m = settings.n_clients;
    let mut maps = FleetMaps::new(fleet, rule(method, settings.step_size));
    let mut transient = scenario.first_model() - &pooled;
    let mut drift = Matrix::zeros(n, d);
    // What a client's V is multiplied by in the model.
    let mut reach = vec![Matrix::zeros(d, d); m];
    let mut all = Vec::new();
    for round in 0..=settings.n_rounds {
        let model = &pooled + &transient + &drift;
        let noise = (0..m).map(|client| {
            let (moments, variance) = expected.client(client);
            variance * (reach[client].tr_mul(&moments.s) * &reach[client]).trace()
        });
        let noise = n as f64 * noise.sum::<f64>() / (m * m) as f64;
        let parts = |theta: &Matrix| {
            let difference = &model - theta;
            [transient.dot(&difference), noise, (&pooled - theta).dot(&difference), drift.dot(&difference)]
        };
        let of_client = |client: usize| parts(&scenario.systems()[client].theta());
        all.push(match settings.target {
            Target::Client(client) => of_client(client),
            Target::Mean => std::array::from_fn(|k| (0..m).map(|client| of_client(client)[k]).sum::<f64>() / m as f64),
            Target::Worst => {
                let total = |client: &usize| of_client(*client).iter().sum::<f64>();
                of_client((0..m).max_by(|a, b| total(a).total_cmp(&total(b))).expect("at least one"))
            }
        });
        if round == settings.n_rounds {
            break;
        }
        if !maps.repeat() {
            maps.set_round(fleet, round, settings.n_rounds);
        }
        let map = round_map(method, fleet, &maps);
        drift = &drift * &map.factor + (&pooled * &map.factor + &map.offset - &pooled);
        transient *= &map.factor;
        let q = |client: usize| maps.blocks()[client / 8].q.lane(client % 8);
        let mean_q: Matrix = (0..m).map(q).sum::<Matrix>() / m as f64;
        for (client, reach) in reach.iter_mut().enumerate() {
            let enters = if method.solver == Solver::FedLin { mean_q.clone() } else { q(client) };
            *reach = &*reach * &map.factor + enters;
        }
    }
    all
}

#[test]
fn the_parts_are_those_of_their_definitions_and_add_up() {
    let seeds: Vec<u64> = (0..1_000).collect();
    for_all(&seeds, |&seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let settings = random(&mut rng);
        let solver = [Solver::FedAvg, Solver::FedLin, Solver::FedProx { pull: 3.0 }][rng.random_range(0..3)];
        let method = Method { solver, schedule: Schedule::ALL[rng.random_range(0..4)] };
        let scenario = Scenario::new(settings.clone()).expect("allowed");
        let edge = Stability::of(method, 1.0, ExpectedFleet::new(&scenario).fleet()).expect("an affine round");
        let step_size = edge.largest_step.expect("some step is too large") * rng.random_range(0.01..1.1);
        let settings = Settings { step_size, methods: vec![method], ..settings };
        let scenario = Scenario::new(settings.clone()).expect("allowed");
        let prediction = theory(settings).methods.swap_remove(0).prediction.expect("an affine round");
        let expected = parts_by_brute_force(&scenario, method);
        assert_eq!(expected.len(), prediction.parts.len());
        let mut complaints = Vec::new();
        for (round, (got, expected)) in prediction.parts.iter().zip(expected).enumerate() {
            let total: f64 = expected.iter().sum();
            let got = [got.transient, got.noise, got.bias, got.drift];
            let size = expected.iter().map(|part| part.abs()).sum::<f64>();
            for (name, (got, expected)) in ["transient", "noise", "bias", "drift"].iter().zip(got.iter().zip(expected))
            {
                if !within(*got, expected, 1e-9 * size) {
                    complaints.push(format!("seed {seed} {method:?} round {round}: {name} {got}, not {expected}"));
                }
            }
            if !within(got.iter().sum(), total, 1e-9 * size) {
                complaints.push(format!("seed {seed} {method:?} round {round}: they add up to {got:?}, not {total}"));
            }
        }
        complaints.truncate(2);
        complaints
    });
}

/// A fleet as drawn.
fn drawn(scenario: &Scenario) -> Fleet {
    let settings = scenario.settings();
    let mut fleet = Fleet::new(settings.family.dims());
    let mut simulator = MomentSimulator::new(settings.family.dims());
    for (client, system) in scenario.systems().iter().enumerate() {
        let key = DataKey { seed: settings.seed, trial: 0, client };
        fleet.add(
            &simulator.simulate(Client { system, plan: scenario.plan(client), key }),
            scenario.n_local_steps(client),
        );
    }
    fleet
}

/// The spectral radius of the map as it is, `lim ‖Fᵏ‖^{1/k}`, by squaring.
fn spectral_radius(method: Method, fleet: &Fleet, step_size: f64) -> f64 {
    let mut power = round_map(method, fleet, &FleetMaps::new(fleet, rule(method, step_size))).factor;
    let (mut logarithm, mut share) = (0.0, 1.0);
    for _ in 0..45 {
        let norm = power.norm();
        power /= norm;
        logarithm += share * norm.ln();
        power = &power * &power;
        share *= 0.5;
    }
    logarithm.exp()
}

#[test]
fn stable_is_what_stays_bounded_and_the_edge_is_where_that_ends() {
    let seeds: Vec<u64> = (0..1_000).collect();
    for_all(&seeds, |&seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let settings = random(&mut rng);
        let solver = [Solver::FedAvg, Solver::FedLin][rng.random_range(0..2)];
        let method = Method { solver, schedule: Schedule::ALL[rng.random_range(0..2)] };
        let fleet = drawn(&Scenario::new(settings).expect("allowed"));
        let reported = largest_step(method, &fleet, None).expect("some step is too large");
        let mut complaints = Vec::new();

        let step_size = reported * rng.random_range(-1.0..0.7_f64).exp();
        let contraction = Stability::of(method, step_size, &fleet).expect("an affine round").contraction;
        if (contraction - 1.0).abs() > 1e-3 {
            let map = round_map(method, &fleet, &FleetMaps::new(&fleet, rule(method, step_size)));
            let first = Matrix::from_fn(map.offset.nrows(), map.offset.ncols(), |_, _| rng.random_range(-1.0..1.0));
            let (mut model, mut after) = (first.clone(), first.clone());
            for _ in 0..20_000 {
                map.apply(&model, &mut after);
                std::mem::swap(&mut model, &mut after);
            }
            let bounded = model.norm() < 1e6 * first.norm().max(map.offset.norm());
            if bounded != (contraction < 1.0) {
                complaints.push(format!("seed {seed}: ρ = {contraction}, and bounded is {bounded}"));
            }
        }

        let is_stable = |step_size: f64| spectral_radius(method, &fleet, step_size) <= 1.0 + 1e-12;
        // With α/k there can be windows too narrow to see: there it must be a crossing, if not the first.
        if method.schedule == Schedule::OverLocalSteps {
            if !is_stable(reported * (1.0 - 1e-6)) || is_stable(reported * (1.0 + 1e-6)) {
                complaints.push(format!("seed {seed} {method:?}: {reported} is no edge"));
            }
            return complaints;
        }
        // The first crossing, by fine steps up and bisection.
        let mut low = 0.02 * reported;
        while is_stable(low * 1.01) {
            low *= 1.01;
        }
        let mut high = low * 1.01;
        while high - low > 1e-8 * high {
            let middle = 0.5 * (low + high);
            if is_stable(middle) { low = middle } else { high = middle }
        }
        if (low / reported - 1.0).abs() > 1e-6 {
            complaints.push(format!("seed {seed} {method:?}: {reported} reported, {low} found"));
        }
        complaints
    });
}

/// At N = 25 the edges are about 2.44e-3 (K = 1), 1.82e-3 and 1.87e-3 (K = 10, FedAvg and FedLin) and 1.55e-3 (K = 50).
#[test]
fn the_papers_edges_of_stability() {
    for (n_local_steps, method, expected) in
        [(1, FEDLIN, 2.44e-3), (10, FEDAVG, 1.82e-3), (10, FEDLIN, 1.87e-3), (50, FEDAVG, 1.55e-3)]
    {
        let edge = |seed| {
            let settings = Settings { n_local_steps: n_local_steps.into(), seed: Seed(seed), ..cell(50, 25, 0.01) };
            largest_step(method, &drawn(&Scenario::new(settings).expect("allowed")), None).expect("there is one")
        };
        let mean = (0..20).map(edge).sum::<f64>() / 20.0;
        assert!((mean / expected - 1.0).abs() < 0.05, "K = {n_local_steps}, {:?}: {mean}", method.solver);
    }
}

#[test]
fn a_larger_m_leaves_less_noise_and_a_longer_run_less_transient() {
    let end = |settings: Settings| {
        let prediction = theory(settings).methods.swap_remove(0).prediction.expect("an affine round");
        (*prediction.parts.last().expect("there are rounds"), prediction.limit.expect("it converges"))
    };
    let base = || cell(50, 25, 0.25);
    let (parts, limit) = end(base());
    assert!(end(Settings { n_clients: 100, ..base() }).0.noise < 0.6 * parts.noise);
    assert!(end(Settings { heterogeneity: 0.5, ..base() }).0.bias > 3.0 * parts.bias);
    let drift = |k: usize| end(Settings { n_local_steps: k.into(), ..base() }).0.drift.abs();
    assert!(drift(1) < 1e-9 * drift(2) && drift(2) < 0.6 * drift(5) && drift(5) < 0.6 * drift(20));
    assert!(end(Settings { n_rounds: 20, ..base() }).0.transient.abs() > 10.0 * parts.transient.abs());
    assert!(limit.parts.transient.abs() < 1e-12 && (limit.parts.noise / parts.noise - 1.0).abs() < 1e-6);
    assert!((5..60).contains(&limit.n_rounds), "{}", limit.n_rounds);
}
