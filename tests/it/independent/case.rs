//! Converts a case of the independent numbers to settings.

use fedsysid::sim::Matrix;
use fedsysid::sim::family::{Family, Placement};
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::participation::Participation;
use fedsysid::sim::plan::FleetPlan;
use fedsysid::sim::scenario::{GradientScale, Settings};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::spread::Spread;
use fedsysid::sim::system::LinearSystem;
use fedsysid::sim::target::Target;
use serde_json::Value;

use crate::data::{count, number};

/// The entries of a list.
pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// A real number; `None` if the value is not a number.
pub(super) fn real(value: &Value) -> Option<f64> {
    value.as_f64()
}

/// A list of real numbers, with NaN for other values.
pub(super) fn reals(value: &Value) -> Vec<f64> {
    list(value).iter().map(|value| real(value).unwrap_or(f64::NAN)).collect()
}

/// A whole number.
pub(super) fn whole(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("a count")).expect("a small one")
}

/// A list of whole numbers.
pub(super) fn wholes(value: &Value) -> Vec<usize> {
    list(value).iter().map(whole).collect()
}

/// A matrix, listed by rows.
pub(super) fn matrix(value: &Value) -> Matrix {
    let rows: Vec<_> = list(value).iter().map(reals).collect();
    Matrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// One value for all clients, or one for each.
fn spread<T>(value: &Value, otherwise: T, one: impl Fn(&Value) -> T) -> Spread<T> {
    match value {
        Value::Null => Spread::Same(otherwise),
        Value::Array(values) => Spread::Each(values.iter().map(one).collect()),
        value => Spread::Same(one(value)),
    }
}

/// A method from its name, with its strengths and its schedule.
pub(super) fn method(cell: &Value) -> Method {
    let solver = match cell["method"].as_str().expect("a name") {
        "fedavg" => Solver::FedAvg,
        "fedlin" => Solver::FedLin,
        "fedprox" => Solver::FedProx { pull: number(cell, "mu") },
        "scaffold" => Solver::Scaffold,
        "fedadmm" => Solver::FedAdmm { penalty: number(cell, "penalty"), sparsity: number(cell, "sparsity") },
        "clustered" => Solver::Clustered { n_clusters: count(cell, "clusters") },
        "median" => Solver::Median,
        other => panic!("{other} is no method"),
    };
    Method { solver, schedule: schedule(&cell["schedule"]) }
}

/// A schedule from its word in links.
pub(super) fn schedule(word: &Value) -> Schedule {
    match word.as_str().expect("a word") {
        "constant" => Schedule::Constant,
        "local" => Schedule::OverLocalSteps,
        "rounds" => Schedule::OverRounds,
        other => panic!("{other} is no schedule"),
    }
}

/// The settings of a case.
pub(super) fn settings(case: &Value) -> Settings {
    let family = |key: &str| matrix(&case["family"][key]);
    let nominal = LinearSystem::new(family("A"), family("B")).expect("a system");
    let std = |key: &str| spread(&case[key], 1.0, |value| real(value).expect("a number"));
    let participation = &case["participation"];
    let participation = match (real(&participation["fraction"]), real(&participation["dropout"])) {
        (Some(share), _) => Participation::Fraction(share),
        (_, Some(probability)) => Participation::Dropout(probability),
        _ => Participation::Full,
    };
    Settings {
        family: Family::new(nominal, family("V"), family("U")).expect("patterns that fit"),
        placement: Placement::Even,
        heterogeneity: number(case, "epsilon"),
        n_clients: count(case, "M"),
        data: FleetPlan {
            n_rollouts: spread(&case["N"], 25, whole),
            rollout_len: spread(&case["T"], 5, whole),
            initial_state_std: std("sx"),
            input_std: std("su"),
            process_noise_std: std("sw"),
        },
        n_local_steps: spread(&case["K"], 10, whole),
        step_size: real(&case["alpha"]).unwrap_or(1e-4),
        gradient_scale: if case["mean_gradient"] == true { GradientScale::Mean } else { GradientScale::Sum },
        participation,
        target: match case["target"].as_str() {
            Some("mean") => Target::Mean,
            Some(_) => Target::Worst,
            None => Target::Client(case["target"].as_u64().map_or(0, |_| count(case, "target"))),
        },
        ..Settings::paper()
    }
}
