mod closed_form;
mod divergence;
mod steps;

use super::*;
use crate::method::{Method, Solver};
use crate::participation::Participation;
use crate::samples::{Samples, simulate_samples};
use crate::scenario::Settings;
use crate::schedule::Schedule;
use crate::spread::Spread;
use crate::stream::{Purpose, stream};

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
