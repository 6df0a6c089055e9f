//! The clients' amounts of data, and the standard deviations behind the data.

use super::spread::{Quantity, Spread};

/// Standard deviations (not variances) of a rollout's random variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseLevels {
    /// σ_x of each entry of the initial state.
    pub initial_state_std: f64,
    /// σ_u of each entry of the input.
    pub input_std: f64,
    /// σ_w of each entry of the process noise.
    pub process_noise_std: f64,
}

impl NoiseLevels {
    /// Every standard deviation 1, as in the paper's experiments.
    pub const UNIT: Self = Self { initial_state_std: 1.0, input_std: 1.0, process_noise_std: 1.0 };
}

/// The amount of one client's data, and the standard deviations behind them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataPlan {
    /// Number of rollouts N_i.
    pub n_rollouts: usize,
    /// Steps T_i of each rollout. `N_i = 1` and a long T_i is the single-trajectory setting.
    pub rollout_len: usize,
    /// Standard deviations of initial state, input and process noise.
    pub noise: NoiseLevels,
}

/// The data plans of all clients; every quantity may differ from client to client.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetPlan {
    /// Numbers of rollouts N_i.
    pub n_rollouts: Spread<usize>,
    /// Rollout lengths T_i.
    pub rollout_len: Spread<usize>,
    /// Standard deviations σ_x of the initial states.
    pub initial_state_std: Spread<f64>,
    /// Standard deviations σ_u of the inputs.
    pub input_std: Spread<f64>,
    /// Standard deviations σ_w of the process noise.
    pub process_noise_std: Spread<f64>,
}

impl FleetPlan {
    /// The plan of client `client` (0-based); `None` if a spread is an empty list.
    pub fn of(&self, client: usize) -> Option<DataPlan> {
        Some(DataPlan {
            n_rollouts: self.n_rollouts.get(Quantity::Rollouts, client)?,
            rollout_len: self.rollout_len.get(Quantity::RolloutLen, client)?,
            noise: NoiseLevels {
                initial_state_std: self.initial_state_std.get(Quantity::InitialStateStd, client)?,
                input_std: self.input_std.get(Quantity::InputStd, client)?,
                process_noise_std: self.process_noise_std.get(Quantity::ProcessNoiseStd, client)?,
            },
        })
    }
}

impl From<DataPlan> for FleetPlan {
    /// The same plan for all clients.
    fn from(plan: DataPlan) -> Self {
        Self {
            n_rollouts: plan.n_rollouts.into(),
            rollout_len: plan.rollout_len.into(),
            initial_state_std: plan.noise.initial_state_std.into(),
            input_std: plan.noise.input_std.into(),
            process_noise_std: plan.noise.process_noise_std.into(),
        }
    }
}
