//! The rounds in closed form are those of the methods as they are printed.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::Matrix;
use crate::family::Family;
use crate::norm::spectral_norm;
use crate::participation::Participants;
use crate::scenario::Start;
use crate::stream::Seed;
use crate::system::LinearSystem;
use crate::textbook;

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
