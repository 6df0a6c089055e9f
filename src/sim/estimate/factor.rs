//! The Cholesky factor of one Gram matrix, with a test for singularity.

use nalgebra::{Cholesky, DVector, Dyn};

use super::EstimateError;
use crate::Matrix;

/// The least share of a regressor's energy that the regressors before it must leave unexplained. A smaller pivot can
/// come from rounding in S alone.
pub const MIN_UNEXPLAINED: f64 = 1e-12;

/// The Cholesky factor of a Gram matrix S (d×d) scaled to unit diagonal, so that the regressors' units do not matter:
/// the squared pivot `L_kk²` is the share of regressor k's energy that the regressors before it do not explain.
///
/// [`LaneCholesky`](crate::cholesky::LaneCholesky) does the same for eight matrices, but names no regressor; the two
/// sum in different orders, and so differ by rounding.
#[derive(Clone, Debug)]
pub struct Factor {
    factor: Cholesky<f64, Dyn>,
    /// Square roots of the diagonal of S.
    scales: DVector<f64>,
}

impl Factor {
    /// Factors S.
    ///
    /// # Errors
    /// [`EstimateError::Singular`] with the first regressor that is always zero or, to rounding, a linear combination
    /// of those before it. Entries that are not finite also count as singular; [`least_squares`](super::least_squares)
    /// checks for them first.
    pub fn new(s: &Matrix) -> Result<Self, EstimateError> {
        let scales = s.diagonal().map(f64::sqrt);
        if let Some(regressor) = scales.iter().position(|&scale| scale <= 0.0) {
            return Err(EstimateError::Singular { client: None, regressor });
        }
        let correlation = Matrix::from_fn(s.nrows(), s.ncols(), |i, j| s[(i, j)] / scales[i] / scales[j]);
        // With a substitute the factorisation always completes, so that the pivot at fault can be named.
        let factor = Cholesky::new_with_substitute(correlation, f64::MIN_POSITIVE).ok_or(EstimateError::NotFinite)?;
        let pivots = factor.l_dirty().diagonal();
        if let Some(regressor) = pivots.iter().position(|pivot| pivot * pivot < MIN_UNEXPLAINED) {
            return Err(EstimateError::Singular { client: None, regressor });
        }
        Ok(Self { factor, scales })
    }

    /// `C S⁻¹` for C of size n×d.
    pub fn solve(&self, c: &Matrix) -> Matrix {
        let scaled_c = Matrix::from_fn(c.nrows(), c.ncols(), |i, j| c[(i, j)] / self.scales[j]);
        let scaled = self.factor.solve(&scaled_c.transpose());
        Matrix::from_fn(c.nrows(), c.ncols(), |i, j| scaled[(j, i)] / self.scales[j])
    }

    /// The inverse `S⁻¹`, d×d, where it is needed as a covariance.
    pub fn inverse(&self) -> Matrix {
        let inverse = self.factor.inverse();
        Matrix::from_fn(inverse.nrows(), inverse.ncols(), |i, j| inverse[(i, j)] / self.scales[i] / self.scales[j])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_solves_whatever_the_units() {
        let plain = Matrix::from_row_slice(3, 3, &[1.0, 0.4, 0.1, 0.4, 1.0, -0.2, 0.1, -0.2, 1.0]);
        let c = Matrix::from_row_slice(2, 3, &[1.0, 2.0, 3.0, -1.0, 0.5, 0.0]);
        let units = [1e6, 1.0, 1e-9];
        let in_units = |matrix: &Matrix| Matrix::from_fn(matrix.nrows(), 3, |i, j| matrix[(i, j)] * units[j]);
        let s = in_units(&in_units(&plain).transpose());
        let inverse = Factor::new(&plain).unwrap().inverse();
        assert!((&inverse * &plain - Matrix::identity(3, 3)).amax() < 1e-14);
        let factor = Factor::new(&s).unwrap();
        assert!((in_units(&in_units(&factor.inverse()).transpose()) - &inverse).amax() < 1e-13);
        assert!((in_units(&factor.solve(&in_units(&c))) - &c * &inverse).amax() < 1e-13);
    }

    #[test]
    fn the_regressor_at_fault_is_named() {
        let fault = |s: &Matrix| Factor::new(s).map(|_| ()).unwrap_err();
        let singular = |regressor| EstimateError::Singular { client: None, regressor };
        assert_eq!(fault(&Matrix::from_element(2, 2, 3.0)), singular(1));
        assert_eq!(fault(&Matrix::zeros(2, 2)), singular(0));
        // Just below the threshold, and just above it.
        let at = |unexplained: f64| {
            let explained = (1.0 - unexplained).sqrt();
            Matrix::from_row_slice(2, 2, &[1.0, explained, explained, 1.0])
        };
        assert_eq!(fault(&at(0.5 * MIN_UNEXPLAINED)), singular(1));
        assert!(Factor::new(&at(2.0 * MIN_UNEXPLAINED)).is_ok());
    }
}
