use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::Matrix;
use crate::family::Family;
use crate::method::{Method, Solver};
use crate::norm::spectral_norm;
use crate::participation::{Participants, Participation};
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

fn moments(scenario: &Scenario) -> Vec<Moments> {
    samples(scenario).iter().map(Samples::moments).collect()
}

fn result(scenario: &Scenario, moments: &[Moments]) -> TrialResult {
    result_of(0, scenario, moments)
}

/// The results of data set `index` with these moments in place of drawn ones.
fn result_of(index: usize, scenario: &Scenario, moments: &[Moments]) -> TrialResult {
    let experiment = Experiment::new(scenario.clone());
    let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
    let mut trial = Trial::new(&experiment, index);
    for moments in moments {
        trial.add(&experiment, moments);
    }
    while trial.step(&experiment, &mut simulator) {}
    trial.finish()
}

/// Compares every method's closed form with the loop over local steps on the samples, in every round, to a relative
/// 1e-10.
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
    check_against_textbook(|s| (s.n_clients, s.n_rounds, s.n_local_steps) = (3, 60, 37.into()));
    check_against_textbook(|s| (s.n_clients, s.n_rounds, s.start) = (4, 30, Start::HalfOfClient1));
    check_against_textbook(|s| (s.n_clients, s.n_rounds, s.step_size) = (3, 30, 4e-3));
    check_against_textbook(|s| (s.n_clients, s.data.n_rollouts, s.n_rounds) = (1, 1.into(), 50));
}

#[test]
fn closed_form_is_the_textbook_loop_on_random_systems_too() {
    for seed in 0..40_u32 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
        let (n, p) = (rng.random_range(1..6), rng.random_range(1..4));
        let mut matrix = |cols: usize, size: f64| Matrix::from_fn(n, cols, |_, _| size * (rng.random::<f64>() - 0.5));
        let nominal = LinearSystem::new(matrix(n, 1.0), matrix(p, 2.0)).unwrap();
        let family = Family::new(nominal, matrix(n, 1.0), matrix(p, 1.0)).unwrap();
        check_against_textbook(|s| {
            (s.family, s.seed, s.heterogeneity) = (family.clone(), Seed(seed.into()), 0.5);
            (s.n_clients, s.n_rounds) = (1 + seed as usize % 11, 25);
            (s.data.n_rollouts, s.data.rollout_len) = ((3 + seed as usize % 9).into(), (1 + seed as usize % 6).into());
            (s.n_local_steps, s.step_size) = ((1 + seed as usize % 13).into(), 1e-3);
        });
    }
}

#[test]
fn fedlin_with_one_step_is_gradient_descent_on_the_pooled_cost() {
    let scenario = scenario(|s| (s.n_clients, s.n_local_steps, s.n_rounds) = (6, 1.into(), 50));
    let moments = moments(&scenario);
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
    let many = scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity, s.n_local_steps) = (6, 9, 0.75, 9_000.into()));
    let moments = moments(&slow);
    let references: Vec<_> = result(&slow, &moments).references.into_iter().map(Result::unwrap).collect();
    let (pooled, mean_of_locals) = (references[1], references[2]);
    let last =
        |scenario: &Scenario, method: usize| *result(scenario, &moments).trajectories[method].errors.last().unwrap();
    assert!((last(&slow, 3) - pooled).abs() < 1e-10);
    assert!((last(&many, 0) - mean_of_locals).abs() < 1e-10);
    assert!((pooled - mean_of_locals).abs() > 1e-3);
}

#[test]
fn the_order_of_the_other_clients_does_not_matter() {
    let scenario = scenario(|s| (s.n_clients, s.heterogeneity) = (6, 0.5));
    let mut moments = moments(&scenario);
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
            assert!(trajectory.contraction.is_some_and(|rho| rho > 1.0) && trajectory.outcome.is_diverged(), "{size}");
        }
    }
}

#[test]
fn contraction_above_one_is_divergence() {
    for (step_size, grows) in [(1.7e-3, false), (2.0e-3, true)] {
        let scenario = scenario(|s| (s.step_size, s.n_rounds, s.n_clients) = (step_size, 400, 50));
        let moments = moments(&scenario);
        for trajectory in [0, 3].map(|method| result(&scenario, &moments).trajectories[method].clone()) {
            let contraction = trajectory.contraction.unwrap();
            assert_eq!(contraction > 1.0, grows, "{step_size}: {contraction}");
            assert_eq!(trajectory.outcome.is_diverged(), grows, "{step_size}");
            assert_eq!(trajectory.errors[400] > trajectory.errors[0], grows, "{step_size}");
        }
    }
}

/// The round of a coordinate-wise median is no affine map: a run diverges if its error has grown a millionfold.
#[test]
fn where_there_is_no_contraction_growth_decides() {
    let median = |change: &dyn Fn(&mut Settings)| {
        let scenario = scenario(|s| {
            s.methods = vec![Method::constant(Solver::Median)];
            (s.n_clients, s.n_local_steps) = (9, 2.into());
            change(s);
        });
        result(&scenario, &moments(&scenario)).trajectories.remove(0)
    };
    let mut largest = Vec::new();
    for n_rounds in 1..=25 {
        let Trajectory { errors, contraction, outcome } =
            median(&|s: &mut Settings| (s.n_rounds, s.step_size) = (n_rounds, 3e-3));
        let growth = errors.iter().fold(0.0_f64, |most, error| most.max(*error)) / errors[0];
        assert!(contraction.is_none() && errors[0] > 1.0);
        assert_eq!(outcome.is_diverged(), growth > 1e6, "{n_rounds} rounds: {growth}");
        largest.push(growth);
    }
    // Some runs are near the limit, on both of its sides.
    assert!(
        [1e4..1e6, 1e6..1e8].iter().all(|range| largest.iter().any(|growth| range.contains(growth))),
        "{largest:?}"
    );

    // A run that starts at the truth can only leave it, and does not count as diverging for that.
    let truth = scenario(|s| s.n_clients = 9).systems()[0].theta();
    let left = median(&|s: &mut Settings| (s.n_rounds, s.start) = (50, Start::Given(truth.clone())));
    assert!(left.errors[0] < 1e-15 && left.errors[50] > 1e-3 && !left.outcome.is_diverged(), "{left:?}");
}

#[test]
fn those_drawn_for_a_round_of_a_data_set_take_part_in_it() {
    let method = Method::constant(Solver::FedAvg);
    let participation = Participation::Fraction(0.4);
    let scenario = scenario(|s| {
        (s.n_clients, s.n_rounds, s.participation, s.methods) = (9, 4, participation, vec![method]);
    });
    let settings = scenario.settings();
    let (samples, moments) = (samples(&scenario), moments(&scenario));
    let steps =
        textbook::Steps { step_size: settings.step_size, n_local_steps: scenario.n_local_steps(0), n_rounds: 1 };
    let target = scenario.systems()[0].theta();
    for index in [0, 3] {
        let errors = result_of(index, &scenario, &moments).trajectories.remove(0).errors;
        let mut model = scenario.first_model();
        for round in 0..4 {
            let mut who = Participants::everybody(9);
            who.draw(participation, settings.seed, index, round);
            let weights = who.weights().iter().flat_map(|weights| weights.0);
            let present: Vec<_> = samples.iter().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
            let present: Vec<_> = present.into_iter().map(|(samples, _)| samples.clone()).collect();
            assert_eq!(present.len(), 4);
            model = textbook::server_models(&present, method, steps, &model).pop().unwrap();
            let expected = spectral_norm(&(&model - &target));
            assert!((errors[round + 1] - expected).abs() < 1e-10 * expected, "data set {index}, round {round}");
        }
    }
}

#[test]
fn recorded_errors_of_a_long_run_are_those_of_single_rounds() {
    let long = scenario(|s| (s.n_clients, s.n_rounds, s.step_size) = (5, 3_000, 2e-5));
    let every = scenario(|s| (s.n_clients, s.n_rounds, s.step_size) = (5, 1_000, 2e-5));
    let moments = moments(&long);
    let (long_result, every) = (result(&long, &moments), result(&every, &moments));
    let recorded = recorded_rounds(3_000);
    // Schedules that depend on the number of rounds are left out.
    for method in [0, 1, 3, 4] {
        let (long, every) = (&long_result.trajectories[method].errors, &every.trajectories[method].errors);
        assert_eq!(long.len(), recorded.len());
        for (&round, error) in recorded.iter().zip(long).filter(|(round, _)| **round <= 1_000) {
            assert!((error - every[round]).abs() < 1e-12 * every[round], "{method}: round {round}");
        }
    }
}

/// If all clients have equally many samples, mean gradients with a step size N·T times as large give the same steps as
/// sums.
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

/// What an earlier data set has left in the buffers must not show in the next one.
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

/// The data that a trial draws itself, several clients side by side, are those of each client drawn alone.
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

/// After some clients with given moments, a fleet goes on with drawn ones in the remaining lanes.
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

/// The number of steps that a data set takes with these settings.
fn steps(change: impl Fn(&mut Settings)) -> usize {
    let experiment = Experiment::new(scenario(change));
    let mut simulator = MomentSimulator::new(experiment.scenario.settings().family.dims());
    let mut trial = Trial::new(&experiment, 0);
    1 + std::iter::from_fn(|| trial.step(&experiment, &mut simulator).then_some(())).count()
}

/// More work is divided into more steps, so that no step takes long: of 20 000 rounds of eight clients, a step does at
/// most 700, and with α/k and 10 000 local steps at most 100 clients.
#[test]
fn many_local_steps_are_gone_through_in_parts() {
    for n_local_steps in [10, 1_000, 10_000] {
        let over_rounds = steps(|s| {
            (s.n_clients, s.n_rounds, s.n_local_steps, s.step_size) = (8, 20_000, n_local_steps.into(), 1e-6);
            s.methods = vec![Method { solver: Solver::FedAvg, schedule: Schedule::OverRounds }];
        });
        assert!(over_rounds > 20_000 / 700, "K = {n_local_steps}: {over_rounds}");
    }
    let over_local_steps = |n_local_steps: usize| {
        steps(|s| {
            (s.n_clients, s.n_rounds, s.n_local_steps, s.step_size) = (800, 1, n_local_steps.into(), 1e-6);
            s.methods = vec![Method { solver: Solver::FedAvg, schedule: Schedule::OverLocalSteps }];
        })
    };
    let (few, many) = (over_local_steps(10), over_local_steps(10_000));
    assert!(many >= few + 8, "{few} {many}");
}
