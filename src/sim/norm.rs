//! The paper's norm ‖·‖, the spectral norm: the largest singular value. (nalgebra's `norm()` is the Frobenius norm.)

use super::Matrix;
use super::eigen::jacobi;
use super::lanes::{LaneMatrix, Lanes};

/// Spectral norm of a matrix: its largest singular value, ≥ 0. NaN or infinite if an entry is.
///
/// Computed as the square root of the largest eigenvalue of the smaller of `EEᵀ` and `EᵀE`, after scaling, with
/// additions, multiplications, divisions and square roots only, so that every platform gives the same bits.
///
/// ```
/// use fedsysid_sim::{Matrix, norm::spectral_norm};
/// assert_eq!(spectral_norm(&Matrix::identity(3, 3)), 1.0);
/// ```
pub fn spectral_norm(matrix: &Matrix) -> f64 {
    let mut lanes = LaneMatrix::zeros(matrix.nrows(), matrix.ncols());
    lanes.set_lane(0, matrix);
    LaneNorms::new(matrix.nrows(), matrix.ncols()).of(&lanes).0[0]
}

/// Buffers for the spectral norms of eight matrices at a time.
#[derive(Clone, Debug)]
pub struct LaneNorms {
    gram: LaneMatrix,
}

impl LaneNorms {
    /// Buffers for matrices of this size.
    pub fn new(rows: usize, cols: usize) -> Self {
        let smaller = rows.min(cols);
        Self { gram: LaneMatrix::zeros(smaller, smaller) }
    }

    /// The spectral norms of eight matrices.
    pub fn of(&mut self, matrices: &LaneMatrix) -> Lanes {
        self.by(largest_eigenvalue, matrices)
    }

    /// The same to at least seven digits, which is enough for means over draws. Matrices of three rows or columns, as
    /// the paper has them, take a third of the time.
    pub fn of_draws(&mut self, matrices: &LaneMatrix) -> Lanes {
        let is_three = self.gram.rows() == 3;
        self.by(if is_three { largest_of_three } else { largest_eigenvalue }, matrices)
    }

    fn by(&mut self, largest_eigenvalue: fn(&mut LaneMatrix) -> Lanes, matrices: &LaneMatrix) -> Lanes {
        let largest = matrices.entries().iter().fold(Lanes::default(), |largest, &entry| largest.max(entry.abs()));
        let unit = largest.map(unit_of);
        set_gram(matrices, unit, &mut self.gram);
        let norms = largest_eigenvalue(&mut self.gram).sqrt() / unit;
        // The comparisons above ignore NaN; a sum does not.
        let total = matrices.entries().iter().fold(Lanes::default(), |sum, &entry| sum + entry.abs());
        let norms = largest.zip(norms, |largest, norm| if largest < f64::INFINITY { norm } else { f64::INFINITY });
        total.zip(norms, |total, norm| if total.is_nan() { f64::NAN } else { norm })
    }
}

fn largest_eigenvalue(gram: &mut LaneMatrix) -> Lanes {
    jacobi(gram, None);
    (0..gram.rows()).map(|k| gram[(k, k)]).fold(Lanes::default(), Lanes::max)
}

/// The largest eigenvalue of symmetric 3×3 matrices `G = q I + p B` with `tr B = 0` and `‖B‖_F² = 6`. It is `q + p x`,
/// and x the largest root of `x³ − 3x − 2c` with `c = det B / 2`, between 1 and 2. Where the two largest eigenvalues are
/// close, c is near −1 and x is known to about half of the digits.
fn largest_of_three(gram: &mut LaneMatrix) -> Lanes {
    let mean = (gram[(0, 0)] + gram[(1, 1)] + gram[(2, 2)]) * (1.0 / 3.0);
    // In units of the mean eigenvalue, so that no product vanishes.
    let per_mean = (Lanes::splat(1.0) / mean).where_nonzero(mean, Lanes::default());
    let [a, b, c] = [0, 1, 2].map(|k| gram[(k, k)] * per_mean - Lanes::splat(1.0));
    let [d, e, f] = [(1, 0), (2, 0), (2, 1)].map(|at| gram[at] * per_mean);
    let size = ((a * a + b * b + c * c) * (1.0 / 6.0) + (d * d + e * e + f * f) * (1.0 / 3.0)).sqrt();
    // A multiple of the identity has no B.
    let unit = (Lanes::splat(1.0) / size).where_nonzero(size, Lanes::default());
    let [a, b, c, d, e, f] = [a, b, c, d, e, f].map(|entry| entry * unit);
    let twice = a * (b * c - f * f) - d * (d * c - e * f) + e * (d * f - e * b);
    // What is left of 1 + c by rounding may be negative.
    let s = ((twice + 2.0) * 0.25).max(Lanes::default()).sqrt();
    // Within half a percent of x − 1, then twice Newton's step.
    let mut x = ((s * 0.0675 - 0.2222) * s + 1.1547) * s + 1.0;
    for _ in 0..2 {
        let slope = (x * x - 1.0) * 3.0;
        x -= (((x * x - 3.0) * x - twice) / slope).where_nonzero(slope, Lanes::default());
    }
    mean * (size * x + 1.0)
}

/// A power of two for matrices with this largest entry: multiplied by it, no square overflows or vanishes. The
/// multiplication does not round.
fn unit_of(largest: f64) -> f64 {
    const FAR: f64 = 1e140;
    // 2⁻⁶⁰⁰ and 2⁶⁰⁰, by the bits of their exponents.
    const SMALL: f64 = f64::from_bits((1023 - 600) << 52);
    const LARGE: f64 = f64::from_bits((1023 + 600) << 52);
    if largest > FAR {
        SMALL
    } else if largest < 1.0 / FAR {
        LARGE
    } else {
        1.0
    }
}

/// `EEᵀ` or `EᵀE`, whichever is smaller, of matrices multiplied by their unit.
fn set_gram(matrices: &LaneMatrix, unit: Lanes, gram: &mut LaneMatrix) {
    let (rows, cols) = (matrices.rows(), matrices.cols());
    // Entry k of vector i: of a row unless there are more rows than columns, else of a column.
    let (inner, stride_i, stride_k) = if gram.rows() == rows { (cols, cols, 1) } else { (rows, 1, cols) };
    let entry = |i: usize, k: usize| matrices.entries()[i * stride_i + k * stride_k] * unit;
    for i in 0..gram.rows() {
        for j in 0..=i {
            let sum = (0..inner).fold(Lanes::default(), |sum, k| sum + entry(i, k) * entry(j, k));
            (gram[(i, j)], gram[(j, i)]) = (sum, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::normal;
    use crate::stream::{Purpose, Seed, stream};

    #[test]
    fn agrees_with_the_singular_value_decomposition() {
        let mut rng = stream(Seed(1), Purpose::Data, 0, 0);
        for (rows, cols) in [(1, 1), (1, 5), (3, 5), (5, 3), (6, 10), (2, 2)] {
            for scale in [1e-200, 1.0, 1e200] {
                let m = Matrix::from_fn(rows, cols, |_, _| scale * normal(&mut rng));
                let expected = m.clone().singular_values().max();
                let got = spectral_norm(&m);
                assert!((got - expected).abs() <= 1e-14 * expected, "{rows}×{cols} at {scale}: {got} {expected}");
            }
        }
    }

    #[test]
    fn norms_of_draws_have_seven_digits() {
        let mut rng = stream(Seed(4), Purpose::Data, 0, 0);
        let mut random = |rows, cols| Matrix::from_fn(rows, cols, |_, _| normal(&mut rng));
        let mut matrices: Vec<_> =
            [(3, 5), (5, 3), (3, 3), (2, 4), (6, 10)].map(|(rows, cols)| random(rows, cols)).to_vec();
        // Largest singular values that are all but one, one that is far ahead, and none.
        matrices.extend([1e-3, 1e-7, 1e-12].map(|far| Matrix::identity(3, 5) + far * random(3, 5)));
        matrices.extend([random(3, 1) * random(1, 5), Matrix::identity(3, 3), Matrix::zeros(3, 5)]);
        for matrix in matrices {
            for scale in [1e-200, 1e-100, 1.0, 1e200] {
                let matrix = scale * &matrix;
                let (rows, cols) = matrix.shape();
                let mut lanes = LaneMatrix::zeros(rows, cols);
                lanes.set_lane(3, &matrix);
                let (expected, got) = (spectral_norm(&matrix), LaneNorms::new(rows, cols).of_draws(&lanes).0[3]);
                assert!((got - expected).abs() <= 1e-7 * expected, "{matrix}: {got}, not {expected}");
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
