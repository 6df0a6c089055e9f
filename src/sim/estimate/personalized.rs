//! Personalized: `(C_i + λΘ_g)(S_i + λI)⁻¹`, each client's own least squares with a pull towards the pooled estimate
//! Θ_g.
//!
//! Li et al., "Ditto: fair and robust federated learning through personalization", 2012.04221: the personal problem
//! `min ½‖X_i − ΘZ_i‖² + (λ/2)‖Θ − Θ_g‖²`, solved exactly.

use super::EstimateError;
use super::lanes::OneShot;
use super::pooled;
use crate::fleet::Fleet;
use crate::lanes::{LaneMatrix, Lanes};

pub(super) struct Personalized {
    pull: f64,
    pooled: LaneMatrix,
}

impl Personalized {
    pub(super) fn new(fleet: &Fleet, pull: f64) -> Result<Self, EstimateError> {
        let dims = fleet.dims();
        let mut pooled = LaneMatrix::zeros(dims.n_states, dims.n_regressors());
        pooled.set_all(&pooled::estimate(fleet)?);
        Ok(Self { pull, pooled })
    }
}

impl OneShot for Personalized {
    fn adjust(&self, s: &mut LaneMatrix, c: &mut LaneMatrix) {
        s.add_to_diagonal(Lanes::splat(self.pull));
        c.add_scaled(Lanes::splat(self.pull), &self.pooled);
    }

    /// With a pull, an estimate is determined even without data.
    fn n_samples(&self, own: u64) -> u64 {
        if self.pull > 0.0 { u64::MAX } else { own }
    }
}
