//! Solving with small symmetric matrices, eight at a time: `X = B S⁻¹` by a Cholesky factor, without inverting
//! anything.

use super::Matrix;
use super::lanes::{LaneMatrix, Lanes};

/// Eight Cholesky factors.
///
/// The matrices are scaled to unit diagonal first, so that the regressors' units do not matter: the squared pivot
/// `L_kk²` is the share of regressor k's energy that the regressors before it do not explain.
#[derive(Clone, Debug)]
pub struct LaneCholesky {
    /// Factors of the correlation matrices.
    factor: LaneMatrix,
    /// Square roots of the diagonals.
    scales: Vec<Lanes>,
    least_pivot: Lanes,
}

impl LaneCholesky {
    /// Buffers for d×d matrices.
    pub fn new(d: usize) -> Self {
        Self { factor: LaneMatrix::zeros(d, d), scales: vec![Lanes::default(); d], least_pivot: Lanes::default() }
    }

    /// Factors the matrices `s` (d×d), of which only the lower triangles are read.
    #[inline(never)]
    pub fn factorise(&mut self, s: &LaneMatrix) {
        for (k, scale) in self.scales.iter_mut().enumerate() {
            *scale = s[(k, k)].sqrt();
        }
        self.least_pivot = Lanes::splat(1.0);
        for i in 0..self.scales.len() {
            for j in 0..=i {
                let mut rest = s[(i, j)] / self.scales[i] / self.scales[j];
                for k in 0..j {
                    rest -= self.factor[(i, k)] * self.factor[(j, k)];
                }
                if i == j {
                    // With this comparison a NaN pivot, which determines nothing either, is taken; all pivots after it
                    // are NaN, too.
                    self.least_pivot =
                        self.least_pivot.zip(rest, |least, pivot| if pivot >= least { least } else { pivot });
                    self.factor[(i, i)] = rest.sqrt();
                } else {
                    self.factor[(i, j)] = rest / self.factor[(j, j)];
                }
            }
        }
    }

    /// The least squared pivot of each lane, at most 1; NaN if one is NaN.
    pub fn least_pivot(&self) -> Lanes {
        self.least_pivot
    }

    /// Replaces `b`, with rows of length d, by `b S⁻¹`: forward substitution with L, backward with Lᵀ.
    #[inline(never)]
    pub fn solve(&self, b: &mut LaneMatrix) {
        let d = self.scales.len();
        for row in 0..b.rows() {
            for j in 0..d {
                let mut rest = b[(row, j)] / self.scales[j];
                for k in 0..j {
                    rest -= b[(row, k)] * self.factor[(j, k)];
                }
                b[(row, j)] = rest / self.factor[(j, j)];
            }
            for j in (0..d).rev() {
                let mut rest = b[(row, j)];
                for k in j + 1..d {
                    rest -= b[(row, k)] * self.factor[(k, j)];
                }
                b[(row, j)] = rest / self.factor[(j, j)];
            }
            for (j, &scale) in self.scales.iter().enumerate() {
                b[(row, j)] = b[(row, j)] / scale;
            }
        }
    }
}

/// The lower triangular `L` (d×d) of `S = LLᵀ`, for a symmetric positive semidefinite S. Where a pivot vanishes, so do
/// all entries below it, and the column is zero: this is a root to multiply with, not a factor to solve with.
pub fn semidefinite_factor(s: &Matrix) -> Matrix {
    let d = s.nrows();
    let mut factor = Matrix::zeros(d, d);
    for j in 0..d {
        for i in j..d {
            let explained: f64 = (0..j).map(|k| factor[(i, k)] * factor[(j, k)]).sum();
            let rest = s[(i, j)] - explained;
            if i == j {
                // A smaller remainder is rounding.
                factor[(j, j)] = if rest > 1e-15 * s[(j, j)] { rest.sqrt() } else { 0.0 };
            } else if factor[(j, j)] > 0.0 {
                factor[(i, j)] = rest / factor[(j, j)];
            }
        }
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::MIN_UNEXPLAINED;
    use crate::lanes::LANES;
    use crate::lanes::tests::{random, side_by_side};

    #[test]
    fn a_solution_times_the_matrix_is_the_right_hand_side() {
        for d in [1, 2, 5, 10] {
            let s: Vec<_> = random(d, 2 * d, 0).iter().map(|z| z * z.transpose()).collect();
            let b = random(3, d, 1);
            let mut x = side_by_side(&b);
            let mut room = LaneCholesky::new(d);
            room.factorise(&side_by_side(&s));
            room.solve(&mut x);
            for lane in 0..LANES {
                assert!((x.lane(lane) * &s[lane] - &b[lane]).amax() < 1e-10, "size {d}, lane {lane}");
                assert!(room.least_pivot().0[lane] > 1e-9);
            }
        }
    }

    #[test]
    fn the_pivots_tell_what_is_singular() {
        let mut s = vec![Matrix::identity(2, 2); LANES];
        s[1] = Matrix::from_element(2, 2, 1e9);
        s[2] = Matrix::zeros(2, 2);
        s[3][(1, 1)] = f64::NAN;
        s[4] *= 1e-200;
        let mut room = LaneCholesky::new(2);
        room.factorise(&side_by_side(&s));
        let determined = room.least_pivot().0.map(|pivot| pivot > MIN_UNEXPLAINED);
        assert_eq!(determined, [true, false, false, false, true, true, true, true]);
    }

    #[test]
    fn a_semidefinite_matrix_is_its_factor_squared() {
        for rank in [1, 2, 3, 5] {
            let z = random(5, rank, rank)[0].clone();
            let s = &z * z.transpose();
            let factor = semidefinite_factor(&s);
            // A pivot that should vanish can be the square root of a rounding error.
            assert!((&factor * factor.transpose() - &s).amax() < 1e-7, "rank {rank}");
        }
    }
}
