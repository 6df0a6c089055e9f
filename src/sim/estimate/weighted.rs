//! Weighted: `(C_i + q Σ_{j≠i} C_j)(S_i + q Σ_{j≠i} S_j)⁻¹`, with the other clients' data at a weight q.
//!
//! Xin, Ye, Chiu, Li, "Identifying the dynamics of a system by leveraging data from similar systems", 2204.05446.

use super::lanes::OneShot;
use crate::fleet::Fleet;
use crate::lanes::{LaneMatrix, Lanes};

pub(super) struct Weighted {
    weight: f64,
    total_s: LaneMatrix,
    total_c: LaneMatrix,
    n_samples: u64,
}

impl Weighted {
    pub(super) fn new(fleet: &Fleet, weight: f64) -> Self {
        let dims = fleet.dims();
        let d = dims.n_regressors();
        let (mut total_s, mut total_c) = (LaneMatrix::zeros(d, d), LaneMatrix::zeros(dims.n_states, d));
        let total = fleet.total();
        total_s.set_all(&total.s);
        total_c.set_all(&total.c);
        Self { weight, total_s, total_c, n_samples: total.n_samples }
    }
}

impl OneShot for Weighted {
    /// Computes the same sum as `(1 − q)S_i + q Σ_j S_j`.
    fn adjust(&self, s: &mut LaneMatrix, c: &mut LaneMatrix) {
        for (own, total) in [(s, &self.total_s), (c, &self.total_c)] {
            own.scale(Lanes::splat(1.0 - self.weight));
            own.add_scaled(Lanes::splat(self.weight), total);
        }
    }

    fn n_samples(&self, own: u64) -> u64 {
        if self.weight > 0.0 { self.n_samples } else { own }
    }
}
