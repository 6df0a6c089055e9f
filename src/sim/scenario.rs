//! Everything one experiment is, checked once: solvers take a [`Scenario`] and never ask again.

use std::fmt;

use super::family::{Family, Placement};
use super::method::{Method, Solver};
use super::rollout::{DataPlan, NoiseLevels};
use super::schedule::Schedule;
use super::stream::Seed;
use super::system::{LinearSystem, SystemError};

/// The server's first model Θ̄_0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Zero: nothing is known.
    Zero,
    /// Half of client 1's true matrices, as in the authors' code. Nobody could know it, and it halves the first error.
    HalfOfClient1,
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
    /// Each client's rollouts N, their length T, and the standard deviations that drive them.
    pub data: DataPlan,
    /// Local steps K in a round.
    pub n_local_steps: usize,
    /// Base step size α > 0. Gradients are sums over samples, so more data also make larger steps.
    pub step_size: f64,
    /// Communication rounds R.
    pub n_rounds: usize,
    /// The server's first model.
    pub start: Start,
    /// The methods run on the same data, one curve each.
    pub methods: Vec<Method>,
    /// Monte-Carlo data sets q, all from the same systems.
    pub n_trials: usize,
    /// The seed of systems and data.
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
            data: DataPlan { n_rollouts: 25, rollout_len: 5, noise: NoiseLevels::UNIT },
            n_local_steps: 10,
            step_size: 1e-4,
            n_rounds: 200,
            start: Start::Zero,
            methods: vec![method(Solver::FedAvg), method(Solver::FedLin)],
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
}

impl Count {
    /// Least and greatest value. The upper limits keep every index within 32 bits and every array within memory.
    pub fn limits(self) -> (usize, usize) {
        match self {
            Self::Clients | Self::RolloutLen | Self::LocalSteps => (1, 10_000),
            Self::Rollouts | Self::Rounds | Self::Trials => (1, 100_000),
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
    /// α must be positive and finite.
    StepSize(f64),
    /// ε must not be negative, and finite.
    Heterogeneity(f64),
    /// A standard deviation must not be negative, and finite.
    NoiseLevel(f64),
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
            Self::StepSize(given) => write!(f, "α must be a positive number, got {given}"),
            Self::Heterogeneity(given) => write!(f, "ε must be a number of at least 0, got {given}"),
            Self::NoiseLevel(given) => write!(f, "a standard deviation must be a number of at least 0, got {given}"),
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
}

impl Scenario {
    /// Checks settings and places the clients.
    ///
    /// # Errors
    /// The first setting that is outside of what is allowed.
    pub fn new(settings: Settings) -> Result<Self, ScenarioError> {
        check_counts(&settings)?;
        check_numbers(&settings)?;
        let systems = (0..settings.n_clients)
            .map(|client| {
                let place = settings.placement.place(settings.seed, client);
                settings.family.member(place, settings.heterogeneity)
            })
            .collect::<Result<_, _>>()
            .map_err(ScenarioError::Member)?;
        Ok(Self { settings, systems })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The clients' systems, at least one. The first is client 1, against which errors are measured.
    pub fn systems(&self) -> &[LinearSystem] {
        &self.systems
    }
}

fn check_counts(settings: &Settings) -> Result<(), ScenarioError> {
    let counts = [
        (Count::Clients, settings.n_clients),
        (Count::Rollouts, settings.data.n_rollouts),
        (Count::RolloutLen, settings.data.rollout_len),
        (Count::LocalSteps, settings.n_local_steps),
        (Count::Rounds, settings.n_rounds),
        (Count::Trials, settings.n_trials),
    ];
    for (count, given) in counts {
        let (least, greatest) = count.limits();
        if !(least..=greatest).contains(&given) {
            return Err(ScenarioError::Count { count, given });
        }
    }
    Ok(())
}

fn check_numbers(settings: &Settings) -> Result<(), ScenarioError> {
    let at_least_zero = |value: f64| value.is_finite() && value >= 0.0;
    if !at_least_zero(settings.step_size) || settings.step_size == 0.0 {
        return Err(ScenarioError::StepSize(settings.step_size));
    }
    if !at_least_zero(settings.heterogeneity) {
        return Err(ScenarioError::Heterogeneity(settings.heterogeneity));
    }
    let noise = settings.data.noise;
    [noise.initial_state_std, noise.input_std, noise.process_noise_std]
        .into_iter()
        .find(|&std| !at_least_zero(std))
        .map_or(Ok(()), |std| Err(ScenarioError::NoiseLevel(std)))
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
        check(|s| s.data.n_rollouts = 0, "N must be 1 to 100000, got 0");
        check(|s| s.data.rollout_len = 10_001, "T must be 1 to 10000, got 10001");
        check(|s| s.n_local_steps = 0, "K must be 1 to 10000, got 0");
        check(|s| s.n_rounds = 0, "R must be 1 to 100000, got 0");
        check(|s| s.n_trials = 0, "q must be 1 to 100000, got 0");
        check(|s| s.step_size = 0.0, "α must be a positive number, got 0");
        check(|s| s.step_size = f64::NAN, "α must be a positive number, got NaN");
        check(|s| s.heterogeneity = -0.1, "ε must be a number of at least 0, got -0.1");
        check(|s| s.data.noise.input_std = -1.0, "a standard deviation must be a number of at least 0, got -1");
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
}
