//! Mean of local solutions: `(1/M) Σ C_i S_i⁻¹`, the paper's eq. (FL) as printed.

use super::EstimateError;
use super::lanes::{Counted, Solving};
use super::local::Local;
use crate::Matrix;
use crate::fleet::Fleet;
use crate::lanes::LaneMatrix;

pub(super) fn estimate(fleet: &Fleet) -> Result<Matrix, EstimateError> {
    let dims = fleet.dims();
    let mut solving = Solving::new(dims);
    let mut sum = LaneMatrix::zeros(dims.n_states, dims.n_regressors());
    for (index, block) in fleet.blocks().iter().enumerate() {
        solving.solve(&Counted { index, block, counting: block.present }, &Local)?;
        sum.add_weighted(block.present, &solving.theta);
    }
    let mut mean = Matrix::zeros(dims.n_states, dims.n_regressors());
    sum.sum_lanes(&mut mean);
    Ok(mean / fleet.n_clients() as f64)
}
