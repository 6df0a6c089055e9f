//! Eigenvalues of small symmetric matrices, eight at a time.

use super::lanes::{LaneMatrix, Lanes};

/// Eigenvalues and eigenvectors of eight symmetric d×d matrices, by cyclic Jacobi rotations (Golub and Van Loan, Matrix
/// Computations, section 8.5), lane by lane.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// `values[k]` has the k-th eigenvalue of each matrix, in no particular order.
    pub values: Vec<Lanes>,
    /// Column k has the k-th eigenvector of each matrix.
    pub vectors: LaneMatrix,
}

impl Eigen {
    /// Diagonalises eight matrices. In a lane with an entry that is not finite, the result has no meaning.
    pub fn new(matrices: &LaneMatrix) -> Self {
        let d = matrices.rows();
        let mut eigen = Self { values: vec![Lanes::default(); d], vectors: LaneMatrix::zeros(d, d) };
        eigen.set(matrices, &mut matrices.clone());
        eigen
    }

    /// Diagonalises other matrices of the same size; `room` is a work buffer of that size.
    pub fn set(&mut self, matrices: &LaneMatrix, room: &mut LaneMatrix) {
        room.copy_from(matrices);
        self.vectors.fill(0.0);
        self.vectors.add_to_diagonal(Lanes::splat(1.0));
        jacobi(room, Some(&mut self.vectors));
        for (k, values) in self.values.iter_mut().enumerate() {
            *values = room[(k, k)];
        }
    }
}

/// Diagonalises `m` in place and applies the rotations to `vectors`.
///
/// Convergence is quadratic: a handful of sweeps suffices for any size met here, and the cap only bounds the time.
/// Finished lanes are left alone, so that their bits do not depend on how long the others take.
pub(super) fn jacobi(m: &mut LaneMatrix, mut vectors: Option<&mut LaneMatrix>) {
    for _ in 0..20 {
        let Some(at_work) = undone(m, vectors.is_some()) else { return };
        for p in 0..m.rows() {
            for q in p + 1..m.rows() {
                let (c, s) = rotate(m, p, q, at_work);
                if let Some(vectors) = vectors.as_deref_mut() {
                    rotate_columns(vectors, p, q, c, s);
                }
            }
        }
    }
}

/// A mask of the lanes with off-diagonal entries that are not yet negligible, or `None` if there are none. Entries that
/// are not finite keep no lane going.
///
/// Eigenvectors turn by an entry divided by the gap between its diagonal entries, so they need entries that are
/// negligible beside the diagonal. Eigenvalues move only by the entry's square over the gap (or by the entry, if there
/// is no gap).
fn undone(m: &LaneMatrix, with_vectors: bool) -> Option<Lanes> {
    let d = m.rows();
    let size = (0..d).fold(Lanes::default(), |size, k| size.max(m[(k, k)].abs()));
    let pairs = (0..d).flat_map(|p| (p + 1..d).map(move |q| (p, q)));
    let move_of = |(p, q): (usize, usize)| {
        let off = m[(p, q)].abs();
        if with_vectors { off } else { off * (off / (off + (m[(p, p)] - m[(q, q)]).abs())) }
    };
    let largest = pairs.fold(Lanes::default(), |largest, at| largest.max(move_of(at)));
    let mask = largest.mask(size * 1e-17, |off, least| off > least)
        * largest.mask(Lanes::splat(f64::INFINITY), |off, most| off < most);
    mask.any().then_some(mask)
}

/// Zeroes the entries (p, q) of the lanes at work; returns the rotations' cosines and sines.
fn rotate(m: &mut LaneMatrix, p: usize, q: usize, at_work: Lanes) -> (Lanes, Lanes) {
    let off = m[(p, q)].where_nonzero(at_work, Lanes::default());
    let tau = (m[(q, q)] - m[(p, p)]) / (off * 2.0);
    let t = (Lanes::splat(1.0) / (tau.abs() + (tau * tau + 1.0).sqrt())).signed_by(tau);
    // If the entry is zero, τ is infinite or NaN.
    let t = t.where_nonzero(off, Lanes::default());
    let c = Lanes::splat(1.0) / (t * t + 1.0).sqrt();
    let s = t * c;
    m[(p, p)] -= t * off;
    m[(q, q)] += t * off;
    let left = Lanes::default().where_nonzero(at_work, m[(p, q)]);
    (m[(p, q)], m[(q, p)]) = (left, left);
    for k in (0..m.rows()).filter(|&k| k != p && k != q) {
        let (kp, kq) = (m[(k, p)], m[(k, q)]);
        let (new_kp, new_kq) = (c * kp - s * kq, s * kp + c * kq);
        (m[(k, p)], m[(p, k)]) = (new_kp, new_kp);
        (m[(k, q)], m[(q, k)]) = (new_kq, new_kq);
    }
    (c, s)
}

fn rotate_columns(vectors: &mut LaneMatrix, p: usize, q: usize, c: Lanes, s: Lanes) {
    for k in 0..vectors.rows() {
        let (kp, kq) = (vectors[(k, p)], vectors[(k, q)]);
        vectors[(k, p)] = c * kp - s * kq;
        vectors[(k, q)] = s * kp + c * kq;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::lanes::tests::{random, side_by_side};

    #[test]
    fn a_decomposition_gives_the_matrix_back() {
        for d in [1, 2, 3, 5, 10] {
            let mut matrices: Vec<_> = random(d, d, d).iter().map(|m| m * m.transpose()).collect();
            // A multiple of the identity; zero; a very large matrix.
            matrices[0] = Matrix::from_diagonal_element(d, d, 3.0);
            matrices[1].fill(0.0);
            matrices[2] *= 1e150;
            let eigen = Eigen::new(&side_by_side(&matrices));
            for (lane, m) in matrices.iter().enumerate() {
                let v = eigen.vectors.lane(lane);
                let values = nalgebra::DVector::from_iterator(d, eigen.values.iter().map(|values| values.0[lane]));
                let again = &v * Matrix::from_diagonal(&values) * v.transpose();
                assert!((again - m).amax() <= 1e-14 * m.amax() * d as f64, "size {d}, lane {lane}");
                assert!((v.tr_mul(&v) - Matrix::identity(d, d)).amax() < 1e-14 * d as f64);
            }
        }
    }

    #[test]
    fn lanes_that_are_not_finite_do_not_hold_up_the_others() {
        let mut matrices: Vec<_> = random(4, 4, 0).iter().map(|m| m * m.transpose()).collect();
        let alone = Eigen::new(&side_by_side(&matrices));
        matrices[5].fill(f64::INFINITY);
        matrices[6].fill(f64::NAN);
        let eigen = Eigen::new(&side_by_side(&matrices));
        for k in 0..4 {
            assert!(!eigen.values[k].0[6].is_finite());
            for lane in 0..5 {
                assert_eq!(eigen.values[k].0[lane].to_bits(), alone.values[k].0[lane].to_bits());
            }
        }
    }
}
