//! Pooled: `(Σ C_i)(Σ S_i)⁻¹`, one least squares on everybody's data.

use super::{EstimateError, least_squares};
use crate::Matrix;
use crate::fleet::Fleet;

pub(super) fn estimate(fleet: &Fleet) -> Result<Matrix, EstimateError> {
    least_squares(&fleet.total())
}
