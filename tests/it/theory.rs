//! Predictions against simulations; in the submodules, against independent reference data and brute force.

mod parts;
mod stability;
mod theorem1;

use fedsysid::sim::estimate::Reference;
use fedsysid::sim::family::Placement;
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::scenario::Settings;
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::stream::Seed;
use fedsysid::theory::break_even::BreakEven;

use crate::experiments::{FEDAVG, FEDLIN, cell, for_all, simulate, theory, within};

/// Predictions agree within 3 % or three standard errors at the end, and within 5 % along the rounds; with too few
/// samples for that, the theory must say so.
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
        let got = simulate(settings, 800);
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
        let locals = got.reference(Reference::MeanOfLocals).expect("asked for").expect("enough data");
        let allowed = (0.03 * locals.mean()).max(4.0 * locals.standard_error());
        compare("mean of locals", expected.mean_of_locals.expect("the data determine it"), locals.mean(), allowed);
        // Fewer than 60 samples (N·T = 5 N for each client) for each of 5 regressors.
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

/// With very many clients hardly any noise is left, and what remains of the mean of local solutions is their bias. FedAvg
/// comes near to it by many local steps, from which its prediction is within 3 % or three standard errors; FedLin does not.
#[test]
fn of_very_many_clients_the_bias_remains() {
    let over_steps = Method { solver: Solver::FedAvg, schedule: Schedule::OverLocalSteps };
    let methods = vec![FEDLIN, FEDAVG, over_steps, Method::constant(Solver::FedProx { pull: 50.0 })];
    let settings = Settings { methods, step_size: 1e-3, n_local_steps: 50.into(), ..cell(1_000, 25, 0.0) };
    let expected = theory(settings.clone());
    let got = simulate(settings, 200);
    let agree = |expected: f64, mean: f64, error: f64| within(expected, mean, (0.03 * mean).max(3.0 * error));
    let locals = got.reference(Reference::MeanOfLocals).expect("asked for").expect("enough data");
    let expected_locals = expected.mean_of_locals.expect("the data determine it");
    assert!(agree(expected_locals, locals.mean(), locals.standard_error()), "{expected_locals} {}", locals.mean());
    let pooled = expected.pooled.expect("the data determine it");
    assert!(expected_locals > 1.4 * pooled, "{expected_locals} {pooled}");
    for (method, simulated) in expected.methods.iter().zip(&got.methods) {
        let running = simulated.errors.last().expect("a last round");
        let expected = *method.prediction.as_ref().expect("an affine round").means.last().expect("a last round");
        let (mean, error) = (running.mean(), running.standard_error());
        assert!(agree(expected, mean, error), "{:?}: {expected} expected, {mean} ± {error}", method.method);
    }
}

/// A mean spectral norm is computed at few rounds; in between, its ratio to the root mean square is interpolated. A run that
/// ends at a round has it computed there.
#[test]
fn curves_are_smooth_between_the_rounds_at_which_norms_are_computed() {
    let cases = [cell(50, 25, 0.3), cell(50, 25, 0.02), cell(5, 100, 0.75), cell(1, 25, 0.0)];
    for_all(&cases, |settings| {
        let means = |n_rounds: usize| {
            let settings = Settings { n_rounds, methods: vec![FEDLIN, FEDAVG], ..settings.clone() };
            let methods = theory(settings).methods;
            methods.into_iter().map(|method| method.prediction.expect("it is predicted").means).collect::<Vec<_>>()
        };
        let whole = means(200);
        let mut complaints = Vec::new();
        for round in (1..200).step_by(3) {
            for (method, (whole, ending)) in whole.iter().zip(means(round)).enumerate() {
                let (got, expected) = (whole[round], ending[round]);
                if !within(got / expected, 1.0, 1e-3) {
                    complaints
                        .push(format!("M={} method {method} round {round}: {got}, not {expected}", settings.n_clients));
                }
            }
        }
        complaints
    });
}

/// The break-even ε agrees with the one interpolated between simulations on both sides of it.
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
        // The break-even does not depend on the current ε.
        let Ok(BreakEven::At(again)) = theory(cell(50, n_rollouts, 0.9)).break_even else { panic!("as before") };
        assert!((again / expected - 1.0).abs() < 2e-4, "{again} {expected}");
    }
}

/// On average over random fleets, joining stops paying at about ε = 0.63 (N = 25) and ε = 0.31 (N = 100).
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
