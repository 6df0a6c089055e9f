//! The paper's ‖·‖: the largest singular value. (nalgebra's `norm()` is Frobenius.)

use super::Matrix;

/// Spectral norm of a matrix: its largest singular value, ≥ 0. NaN or infinite when an entry is.
///
/// Computed as the square root of the largest eigenvalue of the smaller of `EEᵀ` and `EᵀE`, after scaling, with
/// additions, multiplications, divisions and square roots only, so that every platform gives the same bits.
///
/// ```
/// use fedsysid::sim::{Matrix, norm::spectral_norm};
/// assert_eq!(spectral_norm(&Matrix::identity(3, 3)), 1.0);
/// ```
pub fn spectral_norm(matrix: &Matrix) -> f64 {
    if matrix.iter().any(|v| v.is_nan()) {
        return f64::NAN;
    }
    let scale = matrix.amax();
    if scale == 0.0 || scale.is_infinite() {
        return scale;
    }
    let scaled = matrix / scale;
    let mut gram = if scaled.nrows() <= scaled.ncols() { &scaled * scaled.transpose() } else { scaled.tr_mul(&scaled) };
    scale * largest_eigenvalue(&mut gram).sqrt()
}

/// Largest eigenvalue of a symmetric matrix by cyclic Jacobi rotations, which destroy it.
fn largest_eigenvalue(m: &mut Matrix) -> f64 {
    // Convergence is quadratic: a handful of sweeps suffices for any size met here; the cap only bounds the time.
    for _ in 0..30 {
        if off_diagonal_is_negligible(m) {
            break;
        }
        for p in 0..m.nrows() {
            for q in p + 1..m.nrows() {
                rotate(m, p, q);
            }
        }
    }
    m.diagonal().max()
}

fn off_diagonal_is_negligible(m: &Matrix) -> bool {
    let trace = m.trace();
    // The eigenvalue moves by at most off²/gap, and by at most off: 1e-17 of the trace is below rounding either way.
    (0..m.nrows()).all(|p| (p + 1..m.nrows()).all(|q| m[(p, q)].abs() <= 1e-17 * trace))
}

/// Zeroes the entry (p, q) by a rotation (Golub and Van Loan, Matrix Computations, section 8.5).
fn rotate(m: &mut Matrix, p: usize, q: usize) {
    let off = m[(p, q)];
    if off == 0.0 {
        return;
    }
    let tau = (m[(q, q)] - m[(p, p)]) / (2.0 * off);
    let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    m[(p, p)] -= t * off;
    m[(q, q)] += t * off;
    (m[(p, q)], m[(q, p)]) = (0.0, 0.0);
    for k in (0..m.nrows()).filter(|&k| k != p && k != q) {
        let (kp, kq) = (m[(k, p)], m[(k, q)]);
        let (new_kp, new_kq) = (c * kp - s * kq, s * kp + c * kq);
        (m[(k, p)], m[(p, k)]) = (new_kp, new_kp);
        (m[(k, q)], m[(q, k)]) = (new_kq, new_kq);
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::sim::stream::{Purpose, Seed, stream};

    #[test]
    fn agrees_with_the_singular_value_decomposition() {
        let mut rng = stream(Seed(1), Purpose::Data, 0, 0);
        for (rows, cols) in [(1, 1), (1, 5), (3, 5), (5, 3), (6, 10), (2, 2)] {
            for scale in [1e-200, 1.0, 1e200] {
                let m = Matrix::from_fn(rows, cols, |_, _| scale * rng.sample::<f64, _>(StandardNormal));
                let expected = m.clone().singular_values().max();
                let got = spectral_norm(&m);
                assert!((got - expected).abs() <= 1e-14 * expected, "{rows}×{cols} at {scale}: {got} {expected}");
            }
        }
    }

    #[test]
    fn is_the_largest_singular_value_and_not_frobenius() {
        assert!((spectral_norm(&Matrix::identity(3, 3)) - 1.0).abs() < 1e-15);
        let rank_one = Matrix::from_element(2, 2, 1.0);
        assert!((spectral_norm(&rank_one) - 2.0).abs() < 1e-15);
    }

    #[test]
    fn says_when_there_is_no_number() {
        assert!(spectral_norm(&Matrix::zeros(3, 5)).abs() < f64::MIN_POSITIVE);
        assert!(spectral_norm(&Matrix::from_element(2, 2, f64::NAN)).is_nan());
        assert!(spectral_norm(&Matrix::from_row_slice(1, 2, &[1.0, f64::INFINITY])).is_infinite());
        assert!(spectral_norm(&Matrix::from_row_slice(1, 2, &[f64::NAN, f64::INFINITY])).is_nan());
    }
}
