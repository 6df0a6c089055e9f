//! For any settings that the types allow, the simulator gives numbers or a reason.

use fedsysid::sim::Matrix;
use fedsysid::sim::estimate::Reference;
use fedsysid::sim::family::{Family, Placement};
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::participation::Participation;
use fedsysid::sim::plan::FleetPlan;
use fedsysid::sim::scenario::{GradientScale, Scenario, Settings, Start};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stats::Running;
use fedsysid::sim::stream::Seed;
use fedsysid::sim::study::{Study, Summary};
use fedsysid::sim::system::LinearSystem;
use fedsysid::sim::target::Target;
use fedsysid::theory::break_even::BreakEven;
use fedsysid::theory::{Theory, TheoryRun};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

const SCENARIOS: u64 = 100_000;

/// The most steps of work, of a few milliseconds each, that a computation may take: it must not go on forever. (A clock
/// would measure how busy the machine is.)
const MOST_STEPS: usize = 10_000;

/// Numbers that cause trouble, and some ordinary ones.
const ODD: [f64; 12] = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e-30, 1e30, 1e150, 1e300, f64::MAX, f64::INFINITY, f64::NAN];

/// Mostly an ordinary number from 0 to `size`, sometimes an odd one.
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

fn one_of<T: Clone>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())].clone()
}

fn methods(rng: &mut ChaCha8Rng) -> Vec<Method> {
    let solvers = [
        Solver::FedAvg,
        Solver::FedLin,
        Solver::FedProx { pull: number(rng, 100.0) },
        Solver::Scaffold,
        Solver::FedAdmm { penalty: number(rng, 100.0), sparsity: number(rng, 10.0) },
        Solver::Clustered { n_clusters: rng.random_range(0..4) },
        Solver::Median,
    ];
    let n_methods = rng.random_range(0..4);
    (0..n_methods).map(|_| Method { solver: one_of(rng, &solvers), schedule: one_of(rng, &Schedule::ALL) }).collect()
}

fn references(rng: &mut ChaCha8Rng) -> Vec<Reference> {
    let mut references = Reference::PAPER.to_vec();
    references.push(Reference::Weighted { weight: number(rng, 1.0) });
    references.push(Reference::Personalized { pull: number(rng, 100.0) });
    references.retain(|_| rng.random());
    references
}

fn spread<T: Clone>(rng: &mut ChaCha8Rng, value: impl Fn(&mut ChaCha8Rng) -> T) -> Spread<T> {
    match rng.random_range(0..20) {
        0 => Spread::Even { low: value(rng), high: value(rng) },
        1 => Spread::Each((0..rng.random_range(0..4)).map(|_| value(rng)).collect()),
        _ => Spread::Same(value(rng)),
    }
}

/// Random small settings, so that a hundred thousand of them take a minute. Some are odd, with counts of zero for
/// instance.
fn settings(rng: &mut ChaCha8Rng) -> Settings {
    let family = family(rng);
    let (n, d) = (family.dims().n_states, family.dims().n_regressors());
    let rollouts = |rng: &mut ChaCha8Rng| if rng.random_ratio(1, 30) { 1_000_000_000 } else { rng.random_range(0..12) };
    let std = |rng: &mut ChaCha8Rng| number(rng, 2.0);
    let methods = methods(rng);
    let can_leap = |method: &Method| {
        matches!(method.solver, Solver::FedAvg | Solver::FedLin | Solver::FedProx { .. })
            && method.schedule.repeats_every_round()
    };
    // A million rounds take a second one by one; methods whose rounds are all the same map can leap over them.
    let is_long = methods.iter().all(can_leap) && rng.random_ratio(1, 10);
    let participation =
        [Participation::Full, Participation::Fraction(number(rng, 1.0)), Participation::Dropout(number(rng, 1.0))];
    let starts = [
        Start::Zero,
        Start::Nominal,
        Start::HalfOfClient1,
        Start::Given(matrix(rng, n, d)),
        Start::Given(matrix(rng, n, n)),
        Start::Given(Matrix::from_element(n, d, number(rng, 1.0))),
    ];
    let targets = [Target::Client(0), Target::Client(rng.random_range(0..10)), Target::Worst, Target::Mean];
    Settings {
        family,
        placement: one_of(rng, &Placement::ALL),
        heterogeneity: number(rng, 1.0),
        n_clients: rng.random_range(0..20),
        data: FleetPlan {
            n_rollouts: spread(rng, rollouts),
            rollout_len: spread(rng, |rng| rng.random_range(0..4)),
            initial_state_std: spread(rng, std),
            input_std: spread(rng, std),
            process_noise_std: spread(rng, std),
        },
        n_local_steps: spread(rng, |rng| rng.random_range(0..40)),
        step_size: number(rng, 0.05),
        gradient_scale: one_of(rng, &[GradientScale::Sum, GradientScale::Mean]),
        n_rounds: if is_long { 1_000_000 } else { rng.random_range(0..12) },
        participation: if is_long { Participation::Full } else { one_of(rng, &participation) },
        start: one_of(rng, &starts),
        target: one_of(rng, &targets),
        methods,
        references: references(rng),
        gains: rng.random_ratio(1, 10),
        n_trials: rng.random_range(0..3),
        seed: Seed(rng.random()),
        systems_seed: rng.random::<bool>().then(|| Seed(rng.random())),
    }
}

/// The fault of a summary, if it has one.
fn fault(summary: &Summary) -> Option<String> {
    let is_number = |running: &Running| running.mean().is_finite();
    for method in &summary.methods {
        let all_numbers = method.errors.iter().all(is_number);
        if !all_numbers && method.n_diverged == 0 {
            return Some(format!("{:?} has errors that are no numbers and does not say so", method.method));
        }
        if let Some(contraction) = method.contraction.filter(|rho| rho.is_nan() || *rho < 0.0) {
            return Some(format!("{:?} contracts by {contraction}", method.method));
        }
    }
    let bad = summary.references.iter().filter_map(|summary| summary.error.ok()).find(|running| !is_number(running));
    bad.map(|running| format!("a reference is off by {}", running.mean()))
}

/// The first result of `step`; `None` if there is none within [`MOST_STEPS`] steps.
fn within_steps<T>(mut step: impl FnMut() -> Option<T>) -> Option<T> {
    (0..MOST_STEPS).find_map(|_| step())
}

/// The fault of a prediction, if it has one.
fn fault_of_theory(theory: &Theory) -> Option<String> {
    let is_error = |error: f64| error.is_finite() && error >= 0.0;
    let errors = [theory.alone, theory.pooled, theory.mean_of_locals];
    if let Some(error) = errors.into_iter().flatten().find(|&error| !is_error(error)) {
        return Some(format!("an estimate is expected to be off by {error}"));
    }
    if let Ok(BreakEven::At(heterogeneity)) = theory.break_even
        && !(heterogeneity.is_finite() && heterogeneity > 0.0)
    {
        return Some(format!("joining stops to pay at {heterogeneity}"));
    }
    for method in &theory.methods {
        let step = method.stability.and_then(|stability| stability.largest_step);
        if step.is_some_and(|step| !(step.is_finite() && step > 0.0)) {
            return Some(format!("{:?} is stable up to {step:?}", method.method));
        }
        let limit = method.prediction.as_ref().ok().and_then(|prediction| prediction.limit);
        if limit.is_some_and(|limit| !is_error(limit.mean) || !is_error(limit.parts.rms())) {
            return Some(format!("{:?} ends at {limit:?}", method.method));
        }
    }
    None
}

#[test]
fn any_settings_give_numbers_or_a_reason() {
    let (mut n_run, mut n_refused, mut n_diverged) = (0, 0, 0);
    for seed in 0..SCENARIOS {
        let settings = settings(&mut ChaCha8Rng::seed_from_u64(seed));
        match Scenario::new(settings.clone()) {
            Ok(scenario) => {
                n_run += 1;
                let mut study = Study::new(scenario);
                // Only for a tenth of the settings, since predictions take as long as all the rest.
                if seed % 10 == 0 {
                    let mut run = TheoryRun::new(study.experiment());
                    let theory = within_steps(|| run.step(study.experiment()));
                    let fault =
                        fault_of_theory(&theory.unwrap_or_else(|| panic!("seed {seed} never ends: {settings:?}")));
                    assert!(fault.is_none(), "{}\nseed {seed}: {settings:?}", fault.unwrap_or_default());
                }
                let is_done = within_steps(|| {
                    study.step();
                    study.is_done().then_some(())
                });
                assert!(is_done.is_some(), "seed {seed} never ends: {settings:?}");
                let summary = study.summary();
                n_diverged += usize::from(summary.methods.iter().any(|method| method.n_diverged > 0));
                let fault = fault(summary);
                assert!(fault.is_none(), "{}\nseed {seed}: {settings:?}\n{summary:?}", fault.unwrap_or_default());
            }
            Err(error) => {
                n_refused += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    // Otherwise the random settings would be too tame, or too wild, to show anything.
    assert!(n_run > 20_000 && n_refused > 10_000 && n_diverged > 3_000, "{n_run} {n_refused} {n_diverged}");
}
