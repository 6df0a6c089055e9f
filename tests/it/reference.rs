//! The simulator's means against `tests/data`, made by an independent NumPy implementation (`tests/data/README.md`).
//!
//! Both sides are Monte-Carlo means, so they must agree within four combined standard errors, plus the rounding of the
//! six significant digits in the files.

use std::thread;

use fedsysid::sim::estimate::Reference;
use fedsysid::sim::family::Placement;
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::plan::{DataPlan, NoiseLevels};
use fedsysid::sim::scenario::{Scenario, Settings, Start};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::stats::Running;
use fedsysid::sim::stream::Seed;
use fedsysid::sim::study::{Study, Summary};
use serde_json::Value;

use crate::data::{cells, count};

const N_TRIALS: usize = 400;
const STANDARD_ERRORS: f64 = 4.0;
const ROUNDS: [usize; 9] = [0, 1, 2, 5, 10, 20, 50, 100, 200];

const METHODS: [(&str, Method); 4] = [
    ("fedlin", Method::constant(Solver::FedLin)),
    ("fedavg_alpha_over_k", Method { solver: Solver::FedAvg, schedule: Schedule::OverLocalSteps }),
    ("fedavg_linear_in_round", Method { solver: Solver::FedAvg, schedule: Schedule::OverRounds }),
    ("fedavg_constant", Method::constant(Solver::FedAvg)),
];

const STARTS: [(&str, Start); 2] = [("zero", Start::Zero), ("half_theta1", Start::HalfOfClient1)];

const REFERENCES: [(&str, Reference); 3] = [
    ("client1_local", Reference::ClientAlone),
    ("pooled", Reference::Pooled),
    ("average_of_local", Reference::MeanOfLocals),
];

fn run(cell: &Value, start: Start, methods: &[(&str, Method)]) -> Summary {
    let settings = Settings {
        placement: Placement::Even,
        heterogeneity: cell["epsilon"].as_f64().expect("a number"),
        n_clients: count(cell, "M"),
        data: DataPlan { n_rollouts: count(cell, "N_i"), rollout_len: 5, noise: NoiseLevels::UNIT }.into(),
        start,
        methods: methods.iter().map(|(_, method)| *method).collect(),
        n_trials: N_TRIALS,
        seed: Seed(20_221_125),
        ..Settings::paper()
    };
    Study::new(Scenario::new(settings).expect("the paper's settings are allowed")).run()
}

/// A complaint if the two means differ by more than allowed.
pub(crate) fn disagreement(what: &str, ours: &Running, mean: &Value, se: &Value) -> Option<String> {
    let (mean, se) = (mean.as_f64().expect("a number"), se.as_f64().expect("a number"));
    let allowed = STANDARD_ERRORS * se.hypot(ours.standard_error()) + 5e-6 * mean;
    let difference = (ours.mean() - mean).abs();
    let agrees = difference <= allowed;
    (!agrees).then(|| format!("{what}: ours {}, reference {mean}, {difference:.2e} > {allowed:.2e}", ours.mean()))
}

/// Compares every cell on all cores, and fails with all disagreements.
fn check(file: &str, compared: usize, compare: impl Fn(&Value) -> Vec<Option<String>> + Sync) {
    let cells = cells(file);
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    let share = |first: usize| cells.iter().skip(first).step_by(n_threads).flat_map(&compare).collect::<Vec<_>>();
    let share = &share;
    let results: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..n_threads).map(|first| scope.spawn(move || share(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a comparison does not panic")).collect()
    });
    assert_eq!(results.len(), compared, "not every number was compared");
    let complaints: Vec<_> = results.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn curves_of_every_cell_method_and_start() {
    check("curves.json", 16 * 4 * 2 * ROUNDS.len(), |cell| {
        let compare_start = |(start_name, start): (&str, Start)| {
            let summary = run(cell, start, &METHODS);
            let methods = METHODS.iter().zip(summary.methods);
            let complaints = methods.flat_map(|((name, _), method)| {
                let curve = &cell["curves"][name][start_name];
                let what = format!("{} {name} from {start_name}", cell["id"]);
                let at = |round: usize| {
                    let what = format!("{what}, round {round}");
                    disagreement(&what, &method.errors[round], &curve["mean"][round], &curve["se"][round])
                };
                ROUNDS.map(at)
            });
            complaints.collect::<Vec<_>>()
        };
        STARTS.into_iter().flat_map(compare_start).collect()
    });
}

#[test]
fn least_squares_of_every_cell() {
    check("least_squares.json", 16 * REFERENCES.len(), |cell| {
        let summary = run(cell, Start::Zero, &[]);
        let compare = |(name, reference): (&str, Reference)| {
            let ours = summary.reference(reference).expect("it was asked for").expect("every cell has enough data");
            let theta = &cell[name]["theta"];
            disagreement(&format!("{} {name}", cell["id"]), &ours, &theta["mean"], &theta["se"])
        };
        REFERENCES.into_iter().map(compare).collect()
    });
}
