//! Eigenvalues of general small matrices: the poles of a system.

use nalgebra::linalg::Schur;

use super::Matrix;

/// Enough for any matrix met here; the cap only bounds the time.
const MOST_SWEEPS: usize = 10_000;

/// The eigenvalues of a square matrix as (real, imaginary), the largest in size first, of a conjugate pair the one above the
/// axis first. None where an entry is not finite.
///
/// ```
/// use fedsysid_sim::{Matrix, spectrum::eigenvalues};
/// let turn = Matrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
/// assert_eq!(eigenvalues(&turn), Some(vec![(0.0, 1.0), (0.0, -1.0)]));
/// ```
pub fn eigenvalues(matrix: &Matrix) -> Option<Vec<(f64, f64)>> {
    if !matrix.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    let schur = Schur::try_new(matrix.clone(), f64::EPSILON, MOST_SWEEPS)?;
    let mut values: Vec<_> = schur.complex_eigenvalues().iter().map(|value| (value.re, value.im)).collect();
    let size = |value: &(f64, f64)| value.0 * value.0 + value.1 * value.1;
    values.sort_by(|a, b| size(b).total_cmp(&size(a)).then(b.0.total_cmp(&a.0)).then(b.1.total_cmp(&a.1)));
    Some(values)
}

/// The spectral radius: the size of the largest eigenvalue; below 1 a system is stable. None where an entry is not finite.
pub fn spectral_radius(matrix: &Matrix) -> Option<f64> {
    Some(eigenvalues(matrix)?.first().map_or(0.0, |value| (value.0 * value.0 + value.1 * value.1).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(n: usize, entries: &[f64], expected: &[(f64, f64)]) {
        let got = eigenvalues(&Matrix::from_row_slice(n, n, entries)).unwrap();
        assert_eq!(got.len(), expected.len());
        for (got, expected) in got.iter().zip(expected) {
            assert!((got.0 - expected.0).abs() < 1e-9 && (got.1 - expected.1).abs() < 1e-9, "{got:?} {expected:?}");
        }
    }

    #[test]
    fn they_are_the_roots_that_they_should_be() {
        check(1, &[-0.5], &[(-0.5, 0.0)]);
        check(2, &[0.5, 9.0, 0.0, -2.0], &[(-2.0, 0.0), (0.5, 0.0)]);
        check(2, &[1.0, -2.0, 2.0, 1.0], &[(1.0, 2.0), (1.0, -2.0)]);
        // The companion of (z − 0.9)(z² − z + 0.5).
        check(3, &[1.9, -1.4, 0.45, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], &[(0.9, 0.0), (0.5, 0.5), (0.5, -0.5)]);
        check(2, &[0.0; 4], &[(0.0, 0.0), (0.0, 0.0)]);
    }

    #[test]
    fn what_is_not_finite_has_none() {
        assert_eq!(eigenvalues(&Matrix::from_element(2, 2, f64::NAN)), None);
        assert_eq!(spectral_radius(&Matrix::from_element(2, 2, f64::INFINITY)), None);
    }

    #[test]
    fn the_radius_is_that_of_the_largest() {
        let radius = spectral_radius(&Matrix::from_row_slice(2, 2, &[3.0, -4.0, 4.0, 3.0])).unwrap();
        assert!((radius - 5.0).abs() < 1e-12);
    }
}
