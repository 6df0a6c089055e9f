//! The paper's ‖·‖: the largest singular value. (nalgebra's `norm()` is Frobenius.)

use super::Matrix;
use super::lanes::{LANES, LaneMatrix, Lanes, jacobi};

/// Spectral norm of a matrix: its largest singular value, ≥ 0. NaN or infinite when an entry is.
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
    let gram = if matrix.nrows() <= matrix.ncols() { matrix.nrows() } else { matrix.ncols() };
    spectral_norms(&lanes, &mut LaneMatrix::zeros(gram, gram)).0[0]
}

/// The norms of eight matrices; `gram` is room for their smaller Gram matrices.
fn spectral_norms(matrices: &LaneMatrix, gram: &mut LaneMatrix) -> Lanes {
    let largest = matrices.entries().iter().fold(Lanes::default(), |largest, &entry| largest.max(entry.abs()));
    let unit = largest.map(unit_of);
    set_gram(matrices, unit, gram);
    jacobi(gram, None);
    let eigenvalue = (0..gram.rows()).fold(Lanes::default(), |largest, k| largest.max(gram[(k, k)]));
    let norms = eigenvalue.sqrt() / unit;
    // The comparisons above pass NaN over; a sum does not.
    let total = matrices.entries().iter().fold(Lanes::default(), |sum, &entry| sum + entry.abs());
    Lanes::from_fn(|lane| match (total.0[lane], largest.0[lane]) {
        (total, _) if total.is_nan() => f64::NAN,
        (_, f64::INFINITY) => f64::INFINITY,
        _ => norms.0[lane],
    })
}

/// A power of two that brings a matrix with this largest entry where no square overflows or vanishes. Multiplying by it
/// rounds nothing.
fn unit_of(largest: f64) -> f64 {
    const FAR: f64 = 1e140;
    // By their exponents' bits: 2⁻⁶⁰⁰ and 2⁶⁰⁰.
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
    // Entry k of vector i: of a row if there are fewer rows than columns, else of a column.
    let (inner, stride_i, stride_k) = if gram.rows() == rows { (cols, cols, 1) } else { (rows, 1, cols) };
    let entry = |i: usize, k: usize| matrices.entries()[i * stride_i + k * stride_k] * unit;
    for i in 0..gram.rows() {
        for j in 0..=i {
            let sum = (0..inner).fold(Lanes::default(), |sum, k| sum + entry(i, k) * entry(j, k));
            (gram[(i, j)], gram[(j, i)]) = (sum, sum);
        }
    }
}

/// Errors `‖Θ − target‖` of a series of models, computed eight at a time.
#[derive(Debug)]
pub struct ErrorNorms<'a> {
    target: &'a Matrix,
    differences: LaneMatrix,
    gram: LaneMatrix,
    waiting: usize,
    errors: Vec<f64>,
}

impl<'a> ErrorNorms<'a> {
    /// Errors against `target`; about `expected` models will come.
    pub fn new(target: &'a Matrix, expected: usize) -> Self {
        let (rows, cols) = target.shape();
        let smaller = rows.min(cols);
        Self {
            target,
            differences: LaneMatrix::zeros(rows, cols),
            gram: LaneMatrix::zeros(smaller, smaller),
            waiting: 0,
            errors: Vec::with_capacity(expected + LANES),
        }
    }

    /// Takes one more model.
    pub fn push(&mut self, model: &Matrix) {
        self.differences.set_lane_from(self.waiting, |i, j| model[(i, j)] - self.target[(i, j)]);
        self.waiting += 1;
        if self.waiting == LANES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let norms = spectral_norms(&self.differences, &mut self.gram);
        self.errors.extend_from_slice(&norms.0[..self.waiting]);
        self.waiting = 0;
    }

    /// The error of every model, in order.
    pub fn finish(mut self) -> Vec<f64> {
        self.flush();
        self.errors
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::stream::{Purpose, Seed, stream};

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
