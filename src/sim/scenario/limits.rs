//! Limits of a scenario's settings, and the errors outside of them.

use fedsysid_say::say;
use std::fmt;

use super::{Settings, Start};
use crate::estimate::Reference;
use crate::method::Solver;
use crate::participation::Participation;
use crate::spread::{Amount, Spread};
use crate::system::SystemError;
use crate::target::Target;

/// A count that has a least and a greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Count {
    /// Clients M.
    Clients,
    /// Rollouts N.
    Rollouts,
    /// Rollout length T.
    RolloutLen,
    /// Local steps K.
    LocalSteps,
    /// Rounds R.
    Rounds,
    /// Data sets q.
    Trials,
    /// Number of clusters of a clustered method.
    Clusters,
}

impl Count {
    /// Least and greatest value. The upper limits keep every index within 32 bits and every array within memory. A
    /// large N costs no more than a small one, and for most schedules neither does a large R.
    pub fn limits(self) -> (usize, usize) {
        match self {
            Self::Clients | Self::RolloutLen | Self::LocalSteps => (1, 10_000),
            Self::Rollouts => (1, 1_000_000_000),
            Self::Rounds => (1, 1_000_000),
            Self::Trials => (1, 100_000),
            Self::Clusters => (1, 100),
        }
    }

    fn symbol(self) -> &'static str {
        match self {
            Self::Clients => "M",
            Self::Rollouts => "N",
            Self::RolloutLen => "T",
            Self::LocalSteps => "K",
            Self::Rounds => "R",
            Self::Trials => "q",
            Self::Clusters => say!("the number of clusters"),
        }
    }
}

/// A strength or share, which is a real number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strength {
    /// FedProx's μ, or λ of a personalized estimate.
    Pull,
    /// FedADMM's ρ.
    Penalty,
    /// FedADMM's γ.
    Sparsity,
    /// The weight q of the others' data.
    Weight,
    /// The fraction of the clients that take part, or the probability of dropping out.
    Participation,
}

impl Strength {
    fn allows(self, value: f64) -> bool {
        match self {
            Self::Pull | Self::Sparsity => at_least_zero(value),
            Self::Penalty => at_least_zero(value) && value > 0.0,
            Self::Weight | Self::Participation => (0.0..=1.0).contains(&value),
        }
    }

    /// The name of the setting, and what is allowed.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Pull => (say!("the pull"), say!("a number of at least 0")),
            Self::Penalty => (say!("the penalty ρ"), say!("a positive number")),
            Self::Sparsity => (say!("the sparsity γ"), say!("a number of at least 0")),
            Self::Weight => (say!("the weight of the others' data"), say!("0 to 1")),
            Self::Participation => (say!("participation"), say!("0 to 1")),
        }
    }
}

/// Why settings are rejected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScenarioError {
    /// A count is outside of its limits.
    Count {
        /// Which count.
        count: Count,
        /// The given value.
        given: usize,
    },
    /// A list of values, one per client, is empty.
    EmptySpread,
    /// α must be positive and finite.
    StepSize(f64),
    /// ε must be finite and not negative.
    Heterogeneity(f64),
    /// A standard deviation must be finite and not negative.
    NoiseLevel(f64),
    /// A strength or share is outside of its limits.
    Strength {
        /// Which strength or share.
        strength: Strength,
        /// The given value.
        given: f64,
    },
    /// The error is to be measured against a client that does not exist.
    Target {
        /// The client, 0-based.
        client: usize,
        /// Number of clients.
        n_clients: usize,
    },
    /// The server's first model has the wrong shape.
    StartShape {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// The server's first model has an entry that is not finite.
    StartNotFinite,
    /// ε is so large that an entry of a client's matrices overflows.
    Member(SystemError),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count { count, given } => {
                let (least, greatest) = count.limits();
                f.write_str(&say!("{} must be {least} to {greatest}, got {given}", count.symbol()))
            }
            Self::EmptySpread => f.write_str(say!("a list with one value for each client must not be empty")),
            Self::StepSize(given) => f.write_str(&say!("α must be a positive number, got {given}")),
            Self::Heterogeneity(given) => f.write_str(&say!("ε must be a number of at least 0, got {given}")),
            Self::NoiseLevel(given) => {
                f.write_str(&say!("a standard deviation must be a number of at least 0, got {given}"))
            }
            Self::Strength { strength, given } => {
                let (name, allowed) = strength.words();
                f.write_str(&say!("{name} must be {allowed}, got {given}"))
            }
            Self::Target { client, n_clients } => f.write_str(&say!(
                "the error can be measured against client 1 to {n_clients}, got {}",
                client.saturating_add(1)
            )),
            Self::StartShape { rows, cols } => {
                f.write_str(&say!("the first model must be [A B] with the shape of the systems, got {rows}×{cols}"))
            }
            Self::StartNotFinite => f.write_str(say!("every entry of the first model must be a finite number")),
            Self::Member(error) => f.write_str(&say!("ε is too large: {error}")),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Checks all settings; an error describes the first one that is not allowed.
pub(super) fn check(settings: &Settings) -> Result<(), ScenarioError> {
    check_counts(settings)?;
    check_numbers(settings)?;
    check_methods(settings)?;
    check_start(settings)?;
    match settings.target {
        Target::Client(client) if client >= settings.n_clients => {
            Err(ScenarioError::Target { client, n_clients: settings.n_clients })
        }
        Target::Client(_) | Target::Worst | Target::Mean => Ok(()),
    }
}

fn check_counts(settings: &Settings) -> Result<(), ScenarioError> {
    check_count(Count::Clients, settings.n_clients)?;
    check_spread(Count::Rollouts, &settings.data.n_rollouts)?;
    check_spread(Count::RolloutLen, &settings.data.rollout_len)?;
    check_spread(Count::LocalSteps, &settings.n_local_steps)?;
    check_count(Count::Rounds, settings.n_rounds)?;
    check_count(Count::Trials, settings.n_trials)
}

fn check_count(count: Count, given: usize) -> Result<(), ScenarioError> {
    let (least, greatest) = count.limits();
    if (least..=greatest).contains(&given) { Ok(()) } else { Err(ScenarioError::Count { count, given }) }
}

fn check_spread(count: Count, spread: &Spread<usize>) -> Result<(), ScenarioError> {
    bounds(spread)?.into_iter().try_for_each(|given| check_count(count, given))
}

fn bounds<T: Amount>(spread: &Spread<T>) -> Result<Vec<T>, ScenarioError> {
    let bounds = spread.bounds();
    if bounds.is_empty() { Err(ScenarioError::EmptySpread) } else { Ok(bounds) }
}

fn at_least_zero(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}

fn check_numbers(settings: &Settings) -> Result<(), ScenarioError> {
    if !at_least_zero(settings.step_size) || settings.step_size == 0.0 {
        return Err(ScenarioError::StepSize(settings.step_size));
    }
    if !at_least_zero(settings.heterogeneity) {
        return Err(ScenarioError::Heterogeneity(settings.heterogeneity));
    }
    match settings.participation {
        Participation::Full => {}
        Participation::Fraction(share) | Participation::Dropout(share) => {
            check_strength(Strength::Participation, share)?;
        }
    }
    let data = &settings.data;
    for spread in [&data.initial_state_std, &data.input_std, &data.process_noise_std] {
        if let Some(std) = bounds(spread)?.into_iter().find(|&std| !at_least_zero(std)) {
            return Err(ScenarioError::NoiseLevel(std));
        }
    }
    Ok(())
}

fn check_strength(strength: Strength, given: f64) -> Result<(), ScenarioError> {
    if strength.allows(given) { Ok(()) } else { Err(ScenarioError::Strength { strength, given }) }
}

fn check_methods(settings: &Settings) -> Result<(), ScenarioError> {
    for method in &settings.methods {
        match method.solver {
            Solver::FedAvg | Solver::FedLin | Solver::Scaffold | Solver::Median => {}
            Solver::FedProx { pull } => check_strength(Strength::Pull, pull)?,
            Solver::FedAdmm { penalty, sparsity } => {
                check_strength(Strength::Penalty, penalty)?;
                check_strength(Strength::Sparsity, sparsity)?;
            }
            Solver::Clustered { n_clusters } => check_count(Count::Clusters, n_clusters)?,
        }
    }
    for reference in &settings.references {
        match *reference {
            Reference::ClientAlone | Reference::Pooled | Reference::MeanOfLocals => {}
            Reference::Weighted { weight } => check_strength(Strength::Weight, weight)?,
            Reference::Personalized { pull } => check_strength(Strength::Pull, pull)?,
        }
    }
    Ok(())
}

fn check_start(settings: &Settings) -> Result<(), ScenarioError> {
    let dims = settings.family.dims();
    match &settings.start {
        Start::Given(model) if model.shape() != (dims.n_states, dims.n_regressors()) => {
            Err(ScenarioError::StartShape { rows: model.nrows(), cols: model.ncols() })
        }
        Start::Given(model) if !model.iter().all(|v| v.is_finite()) => Err(ScenarioError::StartNotFinite),
        Start::Zero | Start::Nominal | Start::HalfOfClient1 | Start::Given(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scenario;
    use super::*;
    use crate::Matrix;
    use crate::family::Family;

    #[track_caller]
    fn check(change: impl Fn(&mut Settings), message: &str) {
        let mut settings = Settings::paper();
        change(&mut settings);
        assert_eq!(Scenario::new(settings).unwrap_err().to_string(), message);
    }

    #[test]
    fn what_is_not_allowed_is_named() {
        check(|s| s.n_clients = 0, "M must be 1 to 10000, got 0");
        check(|s| s.data.n_rollouts = 0.into(), "N must be 1 to 1000000000, got 0");
        check(|s| s.data.n_rollouts = Spread::Even { low: 5, high: 0 }, "N must be 1 to 1000000000, got 0");
        check(|s| s.data.rollout_len = 10_001.into(), "T must be 1 to 10000, got 10001");
        check(|s| s.n_local_steps = Spread::Each(vec![3, 0]), "K must be 1 to 10000, got 0");
        check(|s| s.n_local_steps = Spread::Each(vec![]), "a list with one value for each client must not be empty");
        check(|s| s.n_rounds = 0, "R must be 1 to 1000000, got 0");
        check(|s| s.n_trials = 0, "q must be 1 to 100000, got 0");
        check(|s| s.step_size = 0.0, "α must be a positive number, got 0");
        check(|s| s.step_size = f64::NAN, "α must be a positive number, got NaN");
        check(|s| s.heterogeneity = -0.1, "ε must be a number of at least 0, got -0.1");
        check(|s| s.data.input_std = (-1.0).into(), "a standard deviation must be a number of at least 0, got -1");
        check(|s| s.participation = Participation::Fraction(1.5), "participation must be 0 to 1, got 1.5");
        check(|s| s.target = Target::Client(50), "the error can be measured against client 1 to 50, got 51");
        let shape = "the first model must be [A B] with the shape of the systems, got 3×3";
        check(|s| s.start = Start::Given(Matrix::zeros(3, 3)), shape);
        let endless = Matrix::from_element(3, 5, f64::INFINITY);
        check(|s| s.start = Start::Given(endless.clone()), "every entry of the first model must be a finite number");
        let solver = |s: &mut Settings, solver| s.methods[0].solver = solver;
        check(|s| solver(s, Solver::FedProx { pull: -1.0 }), "the pull must be a number of at least 0, got -1");
        let admm = |penalty, sparsity| Solver::FedAdmm { penalty, sparsity };
        check(|s| solver(s, admm(0.0, 0.0)), "the penalty ρ must be a positive number, got 0");
        check(|s| solver(s, admm(1.0, f64::NAN)), "the sparsity γ must be a number of at least 0, got NaN");
        check(|s| solver(s, Solver::Clustered { n_clusters: 0 }), "the number of clusters must be 1 to 100, got 0");
        let weight = "the weight of the others' data must be 0 to 1, got 2";
        check(|s| s.references.push(Reference::Weighted { weight: 2.0 }), weight);
        let largest = "ε is too large: every entry of A and B must be a finite number";
        check(|s| (s.heterogeneity, s.family) = (1e308, huge_family()), largest);
    }

    fn huge_family() -> Family {
        let paper = Family::paper();
        Family::new(paper.nominal().clone(), paper.a_pattern() * 1e300, paper.b_pattern().clone()).unwrap()
    }
}
