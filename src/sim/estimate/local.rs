//! Local: `Θ_i = C_i S_i⁻¹`, each client's least squares on its own data.

use super::lanes::OneShot;
use crate::lanes::LaneMatrix;

pub(super) struct Local;

impl OneShot for Local {
    fn adjust(&self, _: &mut LaneMatrix, _: &mut LaneMatrix) {}

    fn n_samples(&self, own: u64) -> u64 {
        own
    }
}
