//! Predictions with partial participation, against all possible draws and against simulations.

use fedsysid::sim::Matrix;
use fedsysid::sim::local_map::FleetMaps;
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::participation::Participation;
use fedsysid::sim::scenario::{GradientScale, Scenario, Settings};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stability::Stability;
use fedsysid::sim::target::Target;
use fedsysid::theory::NoPrediction;
use fedsysid::theory::expectation::ExpectedFleet;
use fedsysid::theory::feedback::Feedback;
use fedsysid::theory::law::Law;
use fedsysid::theory::prediction::Parts;
use rand::RngExt;

use crate::experiments::{cell, for_all, for_seeds, random, rule, simulate, theory, within};

const AFFINE: [Solver; 3] = [Solver::FedAvg, Solver::FedProx { pull: 20.0 }, Solver::FedLin];
const REPEATED: [Schedule; 2] = [Schedule::Constant, Schedule::OverLocalSteps];

/// All sets of clients that may participate in a round, with their probabilities. For a fraction, these are all pairs:
/// the test draws half of four clients.
fn draws(participation: Participation, m: usize) -> Vec<(Vec<usize>, f64)> {
    let sets = (0..1_usize << m).map(|bits| (0..m).filter(|client| bits >> client & 1 == 1).collect::<Vec<_>>());
    if let Participation::Dropout(out) = participation {
        let odds = |set: &Vec<usize>| {
            let of_client = |client| if set.contains(&client) { 1.0 - out } else { out };
            (0..m).map(of_client).product()
        };
        sets.map(|set| (set.clone(), odds(&set))).collect()
    } else {
        let of_two: Vec<_> = sets.filter(|set| set.len() == 2).collect();
        let n = of_two.len() as f64;
        of_two.into_iter().map(|set| (set, 1.0 / n)).collect()
    }
}

/// A run after some draws: the probability of the draws, the transient, the drift, and the factor of every client's
/// noise V.
#[derive(Clone)]
struct Run {
    odds: f64,
    transient: Matrix,
    drift: Matrix,
    reach: Vec<Matrix>,
}

/// The parts of the mean squared error over all possible draws, found by following every one of them.
fn parts_over_all_draws(scenario: &Scenario, method: Method) -> Vec<[f64; 4]> {
    let settings = scenario.settings();
    let expected = ExpectedFleet::new(scenario);
    let pooled = Law::pooled(&expected).expect("the data determine it").mean;
    let (n, d) = pooled.shape();
    let m = settings.n_clients;
    let mut maps = FleetMaps::new(expected.fleet(), rule(method, settings.step_size));
    let feedback = Feedback::new(scenario, settings.gradient_scale);
    let mut bias = Matrix::zeros(n, d);
    feedback.add_to_offset(&mut bias, expected.fleet(), &mut maps, settings.step_size);
    let q: Vec<_> = (0..m).map(|client| maps.blocks()[client / 8].q.lane(client % 8)).collect();
    let moments: Vec<_> = (0..m).map(|client| expected.client(client)).collect();
    let draws = draws(settings.participation, m);
    let transient = scenario.first_model() - &pooled;
    let start = Run { odds: 1.0, drift: &transient * 0.0, transient, reach: vec![Matrix::zeros(d, d); m] };
    let mut runs = vec![start];
    let mut all = Vec::new();
    for round in 0..=settings.n_rounds {
        let mut sum = [0.0; 4];
        for run in &runs {
            let model = &pooled + &run.transient + &run.drift;
            let noise = |client: usize| {
                let (moments, variance) = &moments[client];
                variance * (run.reach[client].tr_mul(&moments.s) * &run.reach[client]).trace()
            };
            let noise = n as f64 * (0..m).map(noise).sum::<f64>();
            let counts = |client: usize| match settings.target {
                Target::Client(which) => f64::from(u8::from(which == client)),
                _ => 1.0 / m as f64,
            };
            for client in 0..m {
                let theta = scenario.systems()[client].theta();
                let difference = &model - &theta;
                let bias = (&pooled - &theta).dot(&difference);
                let parts = [run.transient.dot(&difference), noise, bias, run.drift.dot(&difference)];
                sum.iter_mut().zip(parts).for_each(|(sum, part)| *sum += run.odds * counts(client) * part);
            }
        }
        all.push(sum);
        if round < settings.n_rounds {
            let next = |run: &Run, (set, odds): &(Vec<usize>, f64)| {
                let mut next = Run { odds: run.odds * odds, ..run.clone() };
                if set.is_empty() {
                    return next;
                }
                let share = 1.0 / set.len() as f64;
                let mean = |of: &dyn Fn(usize) -> Matrix| set.iter().map(|&i| of(i)).sum::<Matrix>() * share;
                let factor = Matrix::identity(d, d) - mean(&|i| &moments[i].0.s * &q[i]);
                next.drift = &run.drift * &factor + mean(&|i| moments[i].0.gradient(&pooled) * &q[i]) + &bias;
                next.transient *= &factor;
                next.reach.iter_mut().for_each(|reach| *reach *= &factor);
                for &i in set {
                    next.reach[i] += &q[i] * share;
                }
                next
            };
            runs = runs.iter().flat_map(|run| draws.iter().map(move |draw| next(run, draw))).collect();
        }
    }
    all
}

#[test]
fn the_parts_are_those_over_all_draws_there_can_be() {
    for_seeds(60, |seed, rng| {
        let method = Method { solver: AFFINE[rng.random_range(0..2)], schedule: REPEATED[rng.random_range(0..2)] };
        let participation = [Participation::Fraction(0.5), Participation::Dropout(rng.random_range(0.01..0.2))];
        let settings = Settings {
            n_clients: 4,
            n_rounds: 3,
            heterogeneity: rng.random_range(0.0..0.3),
            participation: participation[rng.random_range(0..2)],
            target: [Target::Client(1), Target::Mean][rng.random_range(0..2)],
            methods: vec![method],
            ..random(rng)
        };
        let scenario = Scenario::new(settings.clone()).expect("allowed");
        let edge = Stability::of(method, 1.0, ExpectedFleet::new(&scenario).fleet()).expect("an affine round");
        let step_size = edge.largest_step.expect("some step is too large") * rng.random_range(0.003..0.03);
        let settings = Settings { step_size, ..settings };
        let expected = parts_over_all_draws(&Scenario::new(settings.clone()).expect("allowed"), method);
        let prediction = match theory(settings).methods.swap_remove(0).prediction {
            Ok(prediction) => prediction,
            Err(reason) => return vec![format!("seed {seed} {method:?}: {reason}")],
        };
        let mut complaints = Vec::new();
        for (round, (got, expected)) in prediction.parts.iter().zip(expected).enumerate() {
            let Parts { transient, noise, bias, drift } = *got;
            let size = expected.iter().map(|part| part.abs()).sum::<f64>();
            if [transient, noise, bias, drift].iter().zip(expected).any(|(got, part)| !within(*got, part, 1e-9 * size))
            {
                complaints.push(format!("seed {seed} {method:?} round {round}: {got:?}, not {expected:?}"));
            }
        }
        complaints
    });
}

/// If dropping out is possible but practically never happens, everything is as with full participation, even FedLin's
/// rounds.
#[test]
fn where_hardly_anybody_drops_out_it_is_as_if_all_took_part() {
    let methods = AFFINE.into_iter().flat_map(|solver| REPEATED.map(|schedule| Method { solver, schedule })).collect();
    let mut settings = Settings { methods, n_rounds: 2_000, ..cell(11, 40, 0.4) };
    settings.data.n_rollouts = Spread::Even { low: 20, high: 60 };
    let partial = Settings { participation: Participation::Dropout(1e-13), ..settings.clone() };
    for (all, most) in theory(settings).methods.iter().zip(theory(partial).methods) {
        let (all, most) = (all.prediction.as_ref().expect("affine"), most.prediction.expect("affine"));
        for (record, (a, b)) in all.parts.iter().zip(&most.parts).enumerate() {
            let pairs = [(a.transient, b.transient), (a.noise, b.noise), (a.bias, b.bias), (a.drift, b.drift)];
            assert!(pairs.iter().all(|&(a, b)| within(a, b, 1e-6 * all.parts[record].total())), "{a:?} {b:?}");
        }
        let (a, b) = (all.limit.expect("it ends"), most.limit.expect("it ends"));
        assert_eq!(a.n_rounds, b.n_rounds);
        assert!(within(a.mean, b.mean, 1e-5 * a.mean), "{a:?} {b:?}");
    }
}

/// Predictions and simulations agree within 5 % or three and a half standard errors in every round.
#[test]
fn predictions_meet_the_simulation_where_some_take_part() {
    let participations = [
        Participation::Fraction(0.05),
        Participation::Fraction(0.25),
        Participation::Fraction(0.7),
        Participation::Dropout(0.3),
        Participation::Dropout(0.8),
    ];
    let grid: Vec<_> = participations.into_iter().flat_map(|who| (0..4).map(move |which| (who, which))).collect();
    for_all(&grid, |&(participation, which)| {
        let methods = AFFINE.into_iter().flat_map(|solver| REPEATED.map(|schedule| Method { solver, schedule }));
        let base = Settings { methods: methods.collect(), participation, n_rounds: 60, ..cell(12, 40, 0.2) };
        let mut settings = match which {
            0 => Settings { step_size: 2e-4, target: Target::Mean, ..base },
            1 => Settings { n_clients: 40, ..base },
            2 => Settings { gradient_scale: GradientScale::Mean, step_size: 0.03, ..base },
            _ => Settings { n_local_steps: Spread::Even { low: 2, high: 12 }, target: Target::Worst, ..base },
        };
        if which == 2 {
            settings.data.n_rollouts = Spread::Even { low: 20, high: 120 };
        }
        let expected = theory(settings.clone());
        let got = simulate(settings, 200);
        let mut complaints = Vec::new();
        for (method, simulated) in expected.methods.iter().zip(&got.methods) {
            let prediction = match &method.prediction {
                Ok(prediction) => prediction,
                // One client at a time, and clients that differ most: only here may the prediction be missing.
                Err(NoPrediction::Chance) if participation == Participation::Fraction(0.05) => continue,
                Err(reason) => {
                    complaints.push(format!("{participation:?} {which} {:?}: {reason}", method.method));
                    continue;
                }
            };
            for (record, (mean, running)) in prediction.means.iter().zip(&simulated.errors).enumerate() {
                let allowed = (0.05 * running.mean()).max(3.5 * running.standard_error());
                if !within(*mean, running.mean(), allowed) {
                    let simulated = running.mean();
                    complaints.push(format!(
                        "{participation:?} {which} {:?} round {record}: {mean}, not {simulated}",
                        method.method
                    ));
                    break;
                }
            }
        }
        complaints
    });
}

/// If there is no prediction, there is a reason.
#[test]
fn there_are_reasons_where_there_is_no_prediction() {
    let reason = |solver, schedule, change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings {
            methods: vec![Method { solver, schedule }],
            participation: Participation::Fraction(0.25),
            n_rounds: 60,
            ..cell(12, 40, 0.2)
        };
        change(&mut settings);
        theory(settings).methods.swap_remove(0).prediction.err()
    };
    assert_eq!(reason(Solver::FedAvg, Schedule::Constant, &|_| {}), None);
    assert_eq!(reason(Solver::FedAvg, Schedule::Harmonic, &|_| {}), Some(NoPrediction::Participation));
    assert_eq!(reason(Solver::Scaffold, Schedule::Constant, &|_| {}), Some(NoPrediction::Method));
    // Two very different clients, each of which drops out of half the rounds: every round leads to another model.
    let two = |settings: &mut Settings| {
        (settings.n_clients, settings.heterogeneity, settings.step_size) = (2, 1.0, 5e-4);
        settings.participation = Participation::Dropout(0.5);
    };
    assert_eq!(reason(Solver::FedAvg, Schedule::Constant, &two), Some(NoPrediction::Chance));
    // Clients with few and with many data: with many local steps, FedLin's rounds grow without bound (FedAvg's do not).
    let unequal = |settings: &mut Settings| {
        settings.data.n_rollouts = Spread::Even { low: 5, high: 300 };
        (settings.n_local_steps, settings.heterogeneity) = (Spread::Same(1), 0.05);
        settings.step_size = 2e-5;
    };
    assert_eq!(reason(Solver::FedLin, Schedule::Constant, &unequal), None);
    let many = |settings: &mut Settings| {
        unequal(settings);
        settings.n_local_steps = Spread::Same(60);
    };
    assert_eq!(reason(Solver::FedLin, Schedule::Constant, &many), Some(NoPrediction::Chance));
}
