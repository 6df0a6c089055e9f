//! Pooled: `(Σ C_i)(Σ S_i)⁻¹`, least squares on the data of all clients.

use super::{EstimateError, least_squares};
use crate::Matrix;
use crate::fleet::Fleet;

pub(super) fn estimate(fleet: &Fleet) -> Result<Matrix, EstimateError> {
    least_squares(&fleet.total())
}
