//! The longest step of anything that is done in steps: for so long a worker hears nothing.
//!
//! What is looked at are corners of what can be set: most clients, local steps that differ most, the largest systems, rounds
//! whose steps change, rounds in which some take part, systems too unstable to foretell anything.

use std::time::{Duration, Instant};

use anyhow::Result;
use fedsysid_sim::Matrix;
use fedsysid_sim::estimate::Reference;
use fedsysid_sim::family::Family;
use fedsysid_sim::method::{Method, Solver};
use fedsysid_sim::participation::Participation;
use fedsysid_sim::scenario::{Scenario, Settings};
use fedsysid_sim::schedule::Schedule;
use fedsysid_sim::spread::Spread;
use fedsysid_sim::study::Study;
use fedsysid_sim::system::LinearSystem;
use fedsysid_sim::target::Target;
use fedsysid_theory::TheoryRun;

use crate::cell::{with_local_steps, with_rollout_len};

/// Every case is gone through so many times: the best of each step counts, and the longest of these. (Whatever else a machine does
/// makes a step longer, but hardly the same one every time.)
const TURNS: usize = 3;

/// Of a case that takes longer, only so much is looked at.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is done in steps, and how long its longest step takes.
#[derive(Clone, Debug)]
pub struct Longest {
    /// What the settings are, and whether it is their data sets or their theory.
    pub name: String,
    /// Milliseconds.
    pub ms: f64,
    /// Which step it is.
    pub step: usize,
}

/// The longest step of all, telling of every case.
///
/// # Errors
/// If settings are not allowed.
pub fn longest(mut tell: impl FnMut(&Longest)) -> Result<f64> {
    let mut most: f64 = 0.0;
    for (name, settings) in corners() {
        let scenario = Scenario::new(settings)?;
        let data_sets = || {
            let mut study = Study::new(scenario.clone());
            move || {
                study.step();
                study.is_done()
            }
        };
        let of_data_sets = longest_of(format!("{name}, data sets"), data_sets);
        tell(&of_data_sets);
        let theory = || {
            let experiment = Study::new(scenario.clone()).experiment().clone();
            let mut run = TheoryRun::new(&experiment);
            move || run.step(&experiment).is_some()
        };
        let of_theory = longest_of(format!("{name}, theory"), theory);
        tell(&of_theory);
        most = most.max(of_data_sets.ms).max(of_theory.ms);
    }
    Ok(most)
}

fn longest_of<S: FnMut() -> bool>(name: String, start: impl Fn() -> S) -> Longest {
    let turn = || {
        let (mut step, mut times, all) = (start(), Vec::new(), Instant::now());
        while all.elapsed() < PATIENCE {
            let begun = Instant::now();
            let is_done = step();
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            if is_done {
                break;
            }
        }
        times
    };
    let mut best = turn();
    for _ in 1..TURNS {
        let again = turn();
        // What only some of the turns came to is left out.
        best.truncate(again.len());
        best.iter_mut().zip(again).for_each(|(best, ms)| *best = best.min(ms));
    }
    let longest = best.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let (step, ms) = longest.unwrap_or_default();
    Longest { name, ms, step }
}

fn with(solvers: &[Solver], schedule: Schedule) -> Vec<Method> {
    solvers.iter().map(|&solver| Method { solver, schedule }).collect()
}

/// Systems of six states and four inputs.
fn large(a: f64) -> Family {
    let near = |i: usize, j: usize| i.abs_diff(j) < 2;
    let entry = |size: f64| move |i, j| if near(i, j) { size } else { 0.0 };
    let nominal = LinearSystem::new(Matrix::from_fn(6, 6, entry(a)), Matrix::from_fn(6, 4, entry(1.0)));
    let family = nominal
        .ok()
        .and_then(|nominal| Family::new(nominal, Matrix::identity(6, 6) * 0.1, Matrix::from_element(6, 4, 0.1)).ok());
    family.unwrap_or_else(Family::paper)
}

fn corners() -> Vec<(&'static str, Settings)> {
    let affine = [Solver::FedAvg, Solver::FedLin, Solver::FedProx { pull: 1.0 }];
    let all = [
        Solver::FedAvg,
        Solver::FedLin,
        Solver::FedProx { pull: 1.0 },
        Solver::Scaffold,
        Solver::FedAdmm { penalty: 1.0, sparsity: 0.1 },
        Solver::Clustered { n_clusters: 10 },
        Solver::Median,
    ];
    let most = |n_clients: usize, schedule: Schedule| Settings {
        n_clients,
        n_local_steps: Spread::Even { low: 100, high: 10_000 },
        step_size: 1e-6,
        methods: with(&affine, schedule),
        gains: true,
        ..Settings::paper()
    };
    let wide = |a: f64| {
        let settings = Settings { family: large(a), heterogeneity: 0.5, target: Target::Mean, ..Settings::paper() };
        let settings = Settings { n_clients: 10_000, n_rounds: 20, gains: true, ..settings };
        let methods = with(&all, Schedule::Constant);
        let mut references = Reference::PAPER.to_vec();
        references.push(Reference::Weighted { weight: 0.5 });
        references.push(Reference::Personalized { pull: 1.0 });
        with_local_steps(with_rollout_len(Settings { methods, references, ..settings }, 5), 100)
    };
    vec![
        ("local, M = 10000", most(10_000, Schedule::OverLocalSteps)),
        ("local, M = 50", most(50, Schedule::OverLocalSteps)),
        ("rounds, M = 50", Settings { n_rounds: 20_000, ..most(50, Schedule::OverRounds) }),
        ("rounds, M = 10000", Settings { n_rounds: 40, ..most(10_000, Schedule::OverRounds) }),
        ("harmonic, K = 10, M = 10000", {
            let settings = Settings { n_rounds: 200, ..most(10_000, Schedule::Harmonic) };
            with_local_steps(settings, 10)
        }),
        ("n = 6, p = 4, M = 10000", wide(0.3)),
        ("the same, rounds", Settings { methods: with(&all, Schedule::OverRounds), ..wide(0.3) }),
        ("the same, some take part", Settings { participation: Participation::Fraction(0.5), ..wide(0.3) }),
        ("the same, worst", Settings { target: Target::Worst, ..wide(0.3) }),
        ("the same, T = 100, unstable", with_rollout_len(wide(0.6), 100)),
    ]
}
