//! A complete experiment, checked once: code that takes a [`Scenario`] needs no checks of its own.

mod limits;

pub use limits::{Count, ScenarioError, Strength};

use super::Matrix;
use super::estimate::Reference;
use super::family::{Family, Heterogeneity, Place, Placement};
use super::method::{Method, Solver};
use super::participation::Participation;
use super::plan::{DataPlan, FleetPlan, NoiseLevels};
use super::spread::{Quantity, Spread};
use super::stream::Seed;
use super::system::LinearSystem;
use super::target::Target;

/// The server's first model Θ̄_0.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Zero: no prior knowledge.
    Zero,
    /// The nominal system [A_0 B_0] of the family.
    Nominal,
    /// Half of client 1's true matrices, as in the authors' code. No real server could know them, and for client 1 they
    /// halve the first error of a start at zero.
    HalfOfClient1,
    /// A given matrix, n×d.
    Given(Matrix),
}

/// Whether a gradient is a sum or a mean over samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GradientScale {
    /// The sum over a client's samples, as in the paper: more data also mean larger steps.
    Sum,
    /// The mean over a client's N·T samples: steps do not depend on the amount of data, and all clients have equal
    /// weight.
    Mean,
}

/// The settings of an experiment, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The family that the clients' systems are taken from.
    pub family: Family,
    /// The distribution of the clients in the family.
    pub placement: Placement,
    /// Heterogeneity ε ≥ 0, which scales the differences between the clients' systems.
    pub heterogeneity: f64,
    /// Clients M.
    pub n_clients: usize,
    /// The clients' rollouts N_i, rollout lengths T_i, and standard deviations.
    pub data: FleetPlan,
    /// Local steps K_i per round.
    pub n_local_steps: Spread<usize>,
    /// Base step size α > 0.
    pub step_size: f64,
    /// Whether gradients are sums or means.
    pub gradient_scale: GradientScale,
    /// Communication rounds R.
    pub n_rounds: usize,
    /// Which clients take part in a round.
    pub participation: Participation,
    /// The server's first model.
    pub start: Start,
    /// Whose error is shown.
    pub target: Target,
    /// The methods to run on the same data, one curve each.
    pub methods: Vec<Method>,
    /// The one-shot estimates to make from the same data, one line each.
    pub references: Vec<Reference>,
    /// Whether to compute every client's gain and the largest stable step sizes, too.
    pub gains: bool,
    /// Number q of Monte-Carlo data sets, all from the same systems.
    pub n_trials: usize,
    /// The seed of data and participation, and of the systems unless they have their own.
    pub seed: Seed,
    /// A separate seed for the systems.
    pub systems_seed: Option<Seed>,
}

impl Settings {
    /// The paper's default setting (M = 50, N = 25, T = 5, K = 10, α = 10⁻⁴, ε = 0.01, R = 200, every standard
    /// deviation 1) for FedAvg and FedLin with constant steps from zero, on one data set.
    pub fn paper() -> Self {
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
            methods: [Solver::FedAvg, Solver::FedLin].map(Method::constant).to_vec(),
            references: Reference::PAPER.to_vec(),
            gains: false,
            n_trials: 1,
            seed: Seed(7),
            systems_seed: None,
        }
    }

    /// The place of client `client` (0-based) in the family.
    pub fn place(&self, client: usize) -> Place {
        self.placement.place(self.systems_seed.unwrap_or(self.seed), client)
    }
}

/// Checked settings, with the clients' systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    settings: Settings,
    systems: Vec<LinearSystem>,
    heterogeneity: Heterogeneity,
}

impl Scenario {
    /// Checks the settings and places the clients.
    ///
    /// # Errors
    /// The error describes the first setting that is not allowed.
    pub fn new(settings: Settings) -> Result<Self, ScenarioError> {
        limits::check(&settings)?;
        let places = (0..settings.n_clients).map(|client| settings.place(client));
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

    /// The clients' systems, at least one, from client 1 on.
    pub fn systems(&self) -> &[LinearSystem] {
        &self.systems
    }

    /// The largest distances between the clients' systems.
    pub fn heterogeneity(&self) -> Heterogeneity {
        self.heterogeneity
    }

    /// The data plan of client `client` (0-based).
    pub fn plan(&self, client: usize) -> DataPlan {
        // Empty lists have been rejected by the checks.
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

#[cfg(test)]
mod tests {
    use super::*;

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
