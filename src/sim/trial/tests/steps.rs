//! A data set in steps: who draws the data, what the buffers keep, how work is divided.

use super::*;

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
