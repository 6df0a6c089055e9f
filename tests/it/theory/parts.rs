//! The parts of an error against their definitions.

use std::sync::atomic::{AtomicUsize, Ordering};

use fedsysid::sim::Matrix;
use fedsysid::sim::local_map::FleetMaps;
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::scenario::{Scenario, Settings};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stability::Stability;
use fedsysid::sim::target::Target;
use fedsysid::theory::NoPrediction;
use fedsysid::theory::expectation::ExpectedFleet;
use fedsysid::theory::feedback::Feedback;
use fedsysid::theory::law::Law;
use fedsysid::theory::prediction::Prediction;
use rand::RngExt;

use crate::experiments::{for_seeds, random, round_map, rule, theory, within};

/// The four parts by their definitions, following every client's noise separately.
fn parts_by_brute_force(scenario: &Scenario, method: Method) -> Vec<[f64; 4]> {
    let settings = scenario.settings();
    let expected = ExpectedFleet::new(scenario);
    let fleet = expected.fleet();
    let pooled = Law::pooled(&expected).expect("the data determine it").mean;
    let (n, d) = pooled.shape();
    let m = settings.n_clients;
    let mut maps = FleetMaps::new(fleet, rule(method, settings.step_size));
    let feedback = Feedback::new(scenario, settings.gradient_scale);
    let mut transient = scenario.first_model() - &pooled;
    let mut drift = Matrix::zeros(n, d);
    // The factor of each client's noise V in the model.
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
        let mut map = round_map(method, fleet, &maps);
        if method.solver != Solver::FedLin {
            let size = method.schedule.step_size(settings.step_size, 1, round, settings.n_rounds);
            feedback.add_to_offset(&mut map.offset, fleet, &mut maps, size);
        }
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

/// The settings with a step that is this share of the largest stable one.
fn with_step(settings: Settings, method: Method, share: f64) -> Settings {
    let scenario = Scenario::new(settings.clone()).expect("allowed");
    let edge = Stability::of(method, 1.0, ExpectedFleet::new(&scenario).fleet()).expect("an affine round");
    let step_size = edge.largest_step.expect("some step is too large") * share;
    Settings { step_size, methods: vec![method], ..settings }
}

/// What is wrong with the parts of a prediction.
fn wrong(seed: u64, settings: Settings, prediction: &Prediction) -> Vec<String> {
    let scenario = Scenario::new(settings).expect("allowed");
    let method = scenario.settings().methods[0];
    let expected = parts_by_brute_force(&scenario, method);
    assert_eq!(expected.len(), prediction.parts.len());
    let mut complaints = Vec::new();
    for (round, (got, expected)) in prediction.parts.iter().zip(expected).enumerate() {
        let total: f64 = expected.iter().sum();
        let got = [got.transient, got.noise, got.bias, got.drift];
        let size = expected.iter().map(|part| part.abs()).sum::<f64>();
        for (name, (got, expected)) in ["transient", "noise", "bias", "drift"].iter().zip(got.iter().zip(expected)) {
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
}

const SOLVERS: [Solver; 3] = [Solver::FedAvg, Solver::FedLin, Solver::FedProx { pull: 3.0 }];

#[test]
fn the_parts_are_those_of_their_definitions_and_add_up() {
    for_seeds(1_000, |seed, rng| {
        let settings = random(rng);
        let method =
            Method { solver: SOLVERS[rng.random_range(0..3)], schedule: Schedule::ALL[rng.random_range(0..4)] };
        let settings = with_step(settings, method, rng.random_range(0.01..1.1));
        let prediction = theory(settings.clone()).methods.swap_remove(0).prediction.expect("an affine round");
        wrong(seed, settings, &prediction)
    });
}

/// More local steps than a curve of round maps has points: it is as exact there, up to where there is none.
#[test]
fn the_parts_are_those_of_many_local_steps_too() {
    let (n_predicted, n_far) = (AtomicUsize::new(0), AtomicUsize::new(0));
    for_seeds(200, |seed, rng| {
        let most = [30, 100, 1_000][rng.random_range(0..3)];
        let n_local_steps = Spread::Even { low: rng.random_range(1..20), high: rng.random_range(20..=most) };
        let settings = Settings { n_local_steps, ..random(rng) };
        let schedule = [Schedule::OverRounds, Schedule::Harmonic][rng.random_range(0..2)];
        let method = Method { solver: SOLVERS[rng.random_range(0..3)], schedule };
        let settings = with_step(settings, method, rng.random_range(0.01..1.0));
        match theory(settings.clone()).methods.swap_remove(0).prediction {
            Ok(prediction) => {
                n_predicted.fetch_add(1, Ordering::Relaxed);
                wrong(seed, settings, &prediction)
            }
            Err(NoPrediction::LocalSteps) => {
                n_far.fetch_add(1, Ordering::Relaxed);
                Vec::new()
            }
            Err(reason) => vec![format!("seed {seed} {method:?}: {reason}")],
        }
    });
    let (n_predicted, n_far) = (n_predicted.into_inner(), n_far.into_inner());
    assert!(n_predicted > 120 && n_far > 10, "{n_predicted} {n_far}");
}
