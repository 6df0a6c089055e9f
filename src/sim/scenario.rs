//! Everything one experiment is, checked once: solvers take a [`Scenario`] and never ask again.

use std::fmt;

use super::Matrix;
use super::estimate::Reference;
use super::family::{Family, Heterogeneity, Placement};
use super::method::{Method, Solver};
use super::participation::Participation;
use super::plan::{DataPlan, FleetPlan, NoiseLevels};
use super::schedule::Schedule;
use super::spread::{Amount, Quantity, Spread};
use super::stream::Seed;
use super::system::{LinearSystem, SystemError};
use super::target::Target;

/// The server's first model Θ̄_0.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Zero: nothing is known.
    Zero,
    /// The nominal system [A_0 B_0] of the family.
    Nominal,
    /// Half of client 1's true matrices, as in the authors' code. Nobody could know it, and it halves the first error.
    HalfOfClient1,
    /// A given matrix, n×d.
    Given(Matrix),
}

/// What a gradient adds up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradientScale {
    /// The sum over a client's samples, as the paper has it: more data also make larger steps.
    Sum,
    /// The mean over a client's N·T samples: the step does not depend on the amount of data, and clients count alike.
    Mean,
}

/// The settings of an experiment, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The systems clients are taken from.
    pub family: Family,
    /// How clients are placed in the family.
    pub placement: Placement,
    /// Heterogeneity ε ≥ 0: the extent of the family.
    pub heterogeneity: f64,
    /// Clients M.
    pub n_clients: usize,
    /// The clients' rollouts N_i, their lengths T_i, and the standard deviations that drive them.
    pub data: FleetPlan,
    /// Local steps K_i in a round.
    pub n_local_steps: Spread<usize>,
    /// Base step size α > 0.
    pub step_size: f64,
    /// What a gradient adds up.
    pub gradient_scale: GradientScale,
    /// Communication rounds R.
    pub n_rounds: usize,
    /// Who takes part in a round.
    pub participation: Participation,
    /// The server's first model.
    pub start: Start,
    /// Whose error is shown.
    pub target: Target,
    /// The methods run on the same data, one curve each.
    pub methods: Vec<Method>,
    /// The one-shot estimates made on the same data, one line each.
    pub references: Vec<Reference>,
    /// Monte-Carlo data sets q, all from the same systems.
    pub n_trials: usize,
    /// The seed of systems, data and participation.
    pub seed: Seed,
}

impl Settings {
    /// The paper's default cell (M = 50, N = 25, T = 5, K = 10, α = 10⁻⁴, ε = 0.01, R = 200, every standard deviation 1) for
    /// FedAvg and FedLin with constant steps from zero, on one data set.
    pub fn paper() -> Self {
        let method = |solver| Method { solver, schedule: Schedule::Constant };
        Self {
            family: Family::paper(),
            placement: Placement::Uniform,
            heterogeneity: 0.01,
            n_clients: 50,
            data: DataPlan { n_rollouts: 25, rollout_len: 5, noise: NoiseLevels::UNIT }.into(),
            n_local_steps: 10.into(),
            step_size: 1e-4,
            gradient_scale: GradientScale::Sum,
            n_rounds: 200,
            participation: Participation::Full,
            start: Start::Zero,
            target: Target::Client(0),
            methods: vec![method(Solver::FedAvg), method(Solver::FedLin)],
            references: Reference::PAPER.to_vec(),
            n_trials: 1,
            seed: Seed(7),
        }
    }
}

/// A count of a scenario that has a least and a greatest value.
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
    /// Clusters of a clustered method.
    Clusters,
}

impl Count {
    /// Least and greatest value. The upper limits keep every index within 32 bits and every array within memory: the cost of N, and for
    /// most schedules that of R, does not grow with it.
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
            Self::Clusters => "the number of clusters",
        }
    }
}

/// A strength or share of a scenario that is a real number.
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
    /// The part of the clients that take part, or the probability of dropping out.
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

    /// Its name, and what is allowed.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Pull => ("the pull", "a number of at least 0"),
            Self::Penalty => ("the penalty ρ", "a positive number"),
            Self::Sparsity => ("the sparsity γ", "a number of at least 0"),
            Self::Weight => ("the weight of the others' data", "0 to 1"),
            Self::Participation => ("participation", "0 to 1"),
        }
    }
}

/// Why settings are not a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScenarioError {
    /// A count is outside of its limits.
    Count {
        /// Which.
        count: Count,
        /// What was given.
        given: usize,
    },
    /// A quantity that is spread over the clients by a list has an empty one.
    EmptySpread,
    /// α must be positive and finite.
    StepSize(f64),
    /// ε must not be negative, and finite.
    Heterogeneity(f64),
    /// A standard deviation must not be negative, and finite.
    NoiseLevel(f64),
    /// A strength or share is outside of its limits.
    Strength {
        /// Which.
        strength: Strength,
        /// What was given.
        given: f64,
    },
    /// The error is to be measured against a client that there is not.
    Target {
        /// The client, 0-based.
        client: usize,
        /// How many there are.
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
    /// ε makes an entry of a client's matrices overflow.
    Member(SystemError),
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count { count, given } => {
                let (least, greatest) = count.limits();
                write!(f, "{} must be {least} to {greatest}, got {given}", count.symbol())
            }
            Self::EmptySpread => f.write_str("a list of values, one a client, needs at least one"),
            Self::StepSize(given) => write!(f, "α must be a positive number, got {given}"),
            Self::Heterogeneity(given) => write!(f, "ε must be a number of at least 0, got {given}"),
            Self::NoiseLevel(given) => write!(f, "a standard deviation must be a number of at least 0, got {given}"),
            Self::Strength { strength, given } => {
                let (name, allowed) = strength.words();
                write!(f, "{name} must be {allowed}, got {given}")
            }
            Self::Target { client, n_clients } => {
                write!(f, "the error can be measured against client 1 to {n_clients}, got {}", client.saturating_add(1))
            }
            Self::StartShape { rows, cols } => {
                write!(f, "the first model must be [A B] with the shape of the systems, got {rows}×{cols}")
            }
            Self::StartNotFinite => f.write_str("every entry of the first model must be a finite number"),
            Self::Member(error) => write!(f, "ε is too large: {error}"),
        }
    }
}

impl std::error::Error for ScenarioError {}

/// Settings that were checked, with the clients' systems they lead to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    settings: Settings,
    systems: Vec<LinearSystem>,
    heterogeneity: Heterogeneity,
}

impl Scenario {
    /// Checks settings and places the clients.
    ///
    /// # Errors
    /// The first setting that is outside of what is allowed.
    pub fn new(settings: Settings) -> Result<Self, ScenarioError> {
        check_counts(&settings)?;
        check_numbers(&settings)?;
        check_methods(&settings)?;
        check_start(&settings)?;
        if let Target::Client(client) = settings.target
            && client >= settings.n_clients
        {
            return Err(ScenarioError::Target { client, n_clients: settings.n_clients });
        }
        let places = (0..settings.n_clients).map(|client| settings.placement.place(settings.seed, client));
        let systems = places
            .clone()
            .map(|place| settings.family.member(place, settings.heterogeneity))
            .collect::<Result<_, _>>()
            .map_err(ScenarioError::Member)?;
        let heterogeneity = settings.family.heterogeneity(&places, settings.heterogeneity);
        Ok(Self { settings, systems, heterogeneity })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The clients' systems, at least one. The first is client 1.
    pub fn systems(&self) -> &[LinearSystem] {
        &self.systems
    }

    /// How far apart the clients' systems are, measured.
    pub fn heterogeneity(&self) -> Heterogeneity {
        self.heterogeneity
    }

    /// The data of client `client` (0-based).
    pub fn plan(&self, client: usize) -> DataPlan {
        // Lists that are empty were refused.
        self.settings.data.of(client).unwrap_or(DataPlan { n_rollouts: 1, rollout_len: 1, noise: NoiseLevels::UNIT })
    }

    /// The local steps K_i of client `client` (0-based).
    pub fn n_local_steps(&self, client: usize) -> usize {
        self.settings.n_local_steps.get(Quantity::LocalSteps, client).unwrap_or(1)
    }

    /// The server's first model Θ̄_0, n×d.
    pub fn first_model(&self) -> Matrix {
        let client_1 = self.systems[0].theta();
        match &self.settings.start {
            Start::Zero => client_1 * 0.0,
            Start::Nominal => self.settings.family.nominal().theta(),
            Start::HalfOfClient1 => client_1 * 0.5,
            Start::Given(model) => model.clone(),
        }
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
    use super::*;

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
        check(|s| s.n_local_steps = Spread::Each(vec![]), "a list of values, one a client, needs at least one");
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

    #[test]
    fn a_larger_fleet_extends_a_smaller_one() {
        let fleet = |n_clients| Scenario::new(Settings { n_clients, ..Settings::paper() }).unwrap();
        assert_eq!(fleet(3).systems(), &fleet(9).systems()[..3]);
    }

    #[test]
    fn first_models() {
        let first = |start| Scenario::new(Settings { start, ..Settings::paper() }).unwrap().first_model();
        let scenario = Scenario::new(Settings::paper()).unwrap();
        assert_eq!(first(Start::Zero), Matrix::zeros(3, 5));
        assert_eq!(first(Start::Nominal), Family::paper().nominal().theta());
        assert_eq!(first(Start::HalfOfClient1) * 2.0, scenario.systems()[0].theta());
        assert_eq!(first(Start::Given(Matrix::identity(3, 5))), Matrix::identity(3, 5));
    }
}
