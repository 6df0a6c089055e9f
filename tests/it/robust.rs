//! Whatever settings the types allow, the simulator answers with numbers or with a reason.

use std::time::{Duration, Instant};

use fedsysid::sim::Matrix;
use fedsysid::sim::family::{Family, Placement};
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::rollout::{DataPlan, NoiseLevels};
use fedsysid::sim::scenario::{Scenario, Settings, Start};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::stats::Running;
use fedsysid::sim::stream::Seed;
use fedsysid::sim::study::{Study, Summary};
use fedsysid::sim::system::LinearSystem;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const SCENARIOS: u64 = 100_000;

/// Numbers that break things, among ordinary ones.
const ODD: [f64; 12] = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e-30, 1e30, 1e150, 1e300, f64::MAX, f64::INFINITY, f64::NAN];

/// Mostly an ordinary number of about this size, sometimes an odd one.
fn number(rng: &mut ChaCha8Rng, size: f64) -> f64 {
    if rng.random_ratio(1, 12) { ODD[rng.random_range(0..ODD.len())] } else { size * rng.random::<f64>() }
}

fn matrix(rng: &mut ChaCha8Rng, rows: usize, cols: usize) -> Matrix {
    let size = if rng.random_ratio(1, 20) { 1e160 } else { 1.0 };
    Matrix::from_fn(rows, cols, |_, _| size * (2.0 * rng.random::<f64>() - 1.0))
}

fn family(rng: &mut ChaCha8Rng) -> Family {
    let (n, p) = (rng.random_range(1..5), rng.random_range(1..4));
    let nominal = LinearSystem::new(matrix(rng, n, n), matrix(rng, n, p)).expect("shapes fit, entries are finite");
    Family::new(nominal, matrix(rng, n, n), matrix(rng, n, p)).expect("patterns have the shapes they modify")
}

fn methods(rng: &mut ChaCha8Rng) -> Vec<Method> {
    let solvers = [Solver::FedAvg, Solver::FedLin];
    let schedules = [Schedule::Constant, Schedule::OverLocalSteps, Schedule::OverRounds];
    let all = solvers.into_iter().flat_map(|solver| schedules.map(|schedule| Method { solver, schedule }));
    all.filter(|_| rng.random_ratio(1, 3)).collect()
}

/// Small settings, so that a hundred thousand of them take seconds, and odd ones, counts of zero among them.
fn settings(rng: &mut ChaCha8Rng) -> Settings {
    let n_rollouts = if rng.random_ratio(1, 30) { 100_000 } else { rng.random_range(0..12) };
    Settings {
        family: family(rng),
        placement: if rng.random() { Placement::Uniform } else { Placement::Even },
        heterogeneity: number(rng, 1.0),
        n_clients: rng.random_range(0..10),
        data: DataPlan {
            n_rollouts,
            rollout_len: rng.random_range(0..4),
            noise: NoiseLevels {
                initial_state_std: number(rng, 2.0),
                input_std: number(rng, 2.0),
                process_noise_std: number(rng, 2.0),
            },
        },
        n_local_steps: rng.random_range(0..40),
        step_size: number(rng, 0.05),
        n_rounds: rng.random_range(0..12),
        start: if rng.random() { Start::Zero } else { Start::HalfOfClient1 },
        methods: methods(rng),
        n_trials: rng.random_range(0..3),
        seed: Seed(rng.random()),
    }
}

/// What is wrong with a summary, if anything.
fn fault(summary: &Summary) -> Option<String> {
    let is_number = |running: &Running| running.mean().is_finite();
    for method in &summary.methods {
        let all_numbers = method.errors.iter().all(is_number);
        if !all_numbers && method.n_diverged == 0 {
            return Some(format!("{:?} has errors that are no numbers and does not say so", method.method));
        }
        if method.contraction.is_nan() || method.contraction < 0.0 {
            return Some(format!("{:?} contracts by {}", method.method, method.contraction));
        }
    }
    let bad = summary.references.iter().flatten().find(|running| !is_number(running));
    bad.map(|running| format!("a reference is off by {}", running.mean()))
}

#[test]
fn any_settings_give_numbers_or_a_reason() {
    let (mut n_run, mut n_refused, mut n_diverged) = (0, 0, 0);
    for seed in 0..SCENARIOS {
        let settings = settings(&mut ChaCha8Rng::seed_from_u64(seed));
        let begun = Instant::now();
        match Scenario::new(settings.clone()) {
            Ok(scenario) => {
                n_run += 1;
                let summary = Study::new(scenario).run();
                n_diverged += usize::from(summary.methods.iter().any(|method| method.n_diverged > 0));
                let fault = fault(&summary);
                assert!(fault.is_none(), "{}\nseed {seed}: {settings:?}\n{summary:?}", fault.unwrap_or_default());
            }
            Err(error) => {
                n_refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(1), "seed {seed} takes {:?}: {settings:?}", begun.elapsed());
    }
    // Otherwise the settings drawn would be too tame, or too wild, to show anything.
    assert!(n_run > 20_000 && n_refused > 10_000 && n_diverged > 3_000, "{n_run} {n_refused} {n_diverged}");
}
