//! Eight small matrices side by side: one for each of eight clients (or rollouts, or rounds), worked on together.
//!
//! The matrices met here are tiny (5×5 in the paper), far too small for a vector unit by themselves. Laid out entry by
//! entry, lane by lane, every multiplication serves eight of them. Each lane's arithmetic is in the order of the formula,
//! so its bits do not depend on the machine's own vector width, nor on what the other lanes hold.

use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Sub, SubAssign};

use super::Matrix;

/// How many go together. Eight doubles fill the widest vector units in use.
pub const LANES: usize = 8;

/// One number a lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(pub [f64; LANES]);

impl Lanes {
    /// The same number in every lane.
    pub const fn splat(value: f64) -> Self {
        Self([value; LANES])
    }

    /// A number for each lane from its index.
    pub fn from_fn(value: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }

    /// A function of every lane.
    pub fn map(self, function: impl FnMut(f64) -> f64) -> Self {
        Self(self.0.map(function))
    }

    /// A function of the lanes of two.
    pub fn zip(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self::from_fn(|lane| function(self.0[lane], other.0[lane]))
    }

    /// Square roots.
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// Magnitudes.
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// The larger of two in each lane.
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { b } else { a })
    }

    /// `self` where `mask` is not zero, `other` elsewhere: whatever the lane not taken holds, NaN included, has no part.
    pub fn where_nonzero(self, mask: Self, other: Self) -> Self {
        Self::from_fn(|lane| if mask.0[lane] == 0.0 { other.0[lane] } else { self.0[lane] })
    }

    /// The sum of all lanes, first to last.
    pub fn sum(self) -> f64 {
        self.0.iter().sum()
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $function:ident $symbol:tt),*) => {$(
        impl $operator for Lanes {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                self.zip(other, |a, b| a $symbol b)
            }
        }
        impl $operator<f64> for Lanes {
            type Output = Self;
            #[inline]
            fn $function(self, other: f64) -> Self {
                self.map(|a| a $symbol other)
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl AddAssign for Lanes {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Lanes {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl MulAssign<f64> for Lanes {
    #[inline]
    fn mul_assign(&mut self, factor: f64) {
        *self = *self * factor;
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

/// One matrix a lane, all of the same size.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneMatrix {
    rows: usize,
    cols: usize,
    /// Row by row.
    entries: Vec<Lanes>,
}

impl LaneMatrix {
    /// Zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, entries: vec![Lanes::default(); rows * cols] }
    }

    /// Identities of size d.
    pub fn identity(d: usize) -> Self {
        let mut identity = Self::zeros(d, d);
        identity.add_to_diagonal(Lanes::splat(1.0));
        identity
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// All entries, row by row.
    pub fn entries(&self) -> &[Lanes] {
        &self.entries
    }

    /// All entries, row by row.
    pub fn entries_mut(&mut self) -> &mut [Lanes] {
        &mut self.entries
    }

    /// Sets one lane's matrix.
    ///
    /// # Panics
    /// When the matrix has another size.
    pub fn set_lane(&mut self, lane: usize, matrix: &Matrix) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        self.set_lane_from(lane, |i, j| matrix[(i, j)]);
    }

    /// Sets one lane's matrix from its entries.
    pub fn set_lane_from(&mut self, lane: usize, entry: impl Fn(usize, usize) -> f64) {
        for (i, row) in self.entries.chunks_exact_mut(self.cols).enumerate() {
            for (j, lanes) in row.iter_mut().enumerate() {
                lanes.0[lane] = entry(i, j);
            }
        }
    }

    /// Sets every lane to the same matrix.
    ///
    /// # Panics
    /// When the matrix has another size.
    pub fn set_all(&mut self, matrix: &Matrix) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        for (k, entry) in self.entries.iter_mut().enumerate() {
            *entry = Lanes::splat(matrix[(k / self.cols, k % self.cols)]);
        }
    }

    /// One lane's matrix.
    pub fn lane(&self, lane: usize) -> Matrix {
        Matrix::from_fn(self.rows, self.cols, |i, j| self[(i, j)].0[lane])
    }

    /// Makes this a copy of another of the same size.
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Sets every entry of every lane.
    pub fn fill(&mut self, value: f64) {
        self.entries.fill(Lanes::splat(value));
    }

    /// Multiplies every matrix by its lane's factor.
    pub fn scale(&mut self, factor: Lanes) {
        self.entries.iter_mut().for_each(|entry| *entry = *entry * factor);
    }

    /// Adds another, each matrix multiplied by its lane's factor.
    pub fn add_scaled(&mut self, factor: Lanes, other: &Self) {
        for (entry, &more) in self.entries.iter_mut().zip(&other.entries) {
            *entry += factor * more;
        }
    }

    /// Adds `factor` times the identity.
    pub fn add_to_diagonal(&mut self, factor: Lanes) {
        for i in 0..self.rows.min(self.cols) {
            self[(i, i)] += factor;
        }
    }

    /// Copies what is below the diagonal to above it.
    pub fn mirror(&mut self) {
        for i in 0..self.rows {
            for j in 0..i {
                self[(j, i)] = self[(i, j)];
            }
        }
    }

    /// Makes this the product `a·b`.
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn set_product(&mut self, a: &Self, b: &Self) {
        self.fill(0.0);
        self.add_product(a, b);
    }

    /// Adds the product `a·b`.
    ///
    /// # Panics
    /// When the sizes do not fit.
    pub fn add_product(&mut self, a: &Self, b: &Self) {
        assert!(a.cols == b.rows && self.rows == a.rows && self.cols == b.cols, "the sizes of a product fit");
        for (row, a_row) in self.entries.chunks_exact_mut(self.cols).zip(a.entries.chunks_exact(a.cols)) {
            for (j, entry) in row.iter_mut().enumerate() {
                let mut sum = *entry;
                for (&x, &y) in a_row.iter().zip(b.entries[j..].iter().step_by(b.cols)) {
                    sum += x * y;
                }
                *entry = sum;
            }
        }
    }

    /// `Σ weight · matrix` over the lanes with a weight, added to `sum`. A lane without a weight has no part, whatever it
    /// holds.
    pub fn add_weighted_sum(&self, weight: Lanes, sum: &mut Matrix) {
        for (i, row) in self.entries.chunks_exact(self.cols).enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                sum[(i, j)] += (entry * weight).where_nonzero(weight, Lanes::default()).sum();
            }
        }
    }
}

impl Index<(usize, usize)> for LaneMatrix {
    type Output = Lanes;

    fn index(&self, (i, j): (usize, usize)) -> &Lanes {
        &self.entries[i * self.cols + j]
    }
}

impl IndexMut<(usize, usize)> for LaneMatrix {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut Lanes {
        &mut self.entries[i * self.cols + j]
    }
}

/// Eigenvalues and eigenvectors of symmetric matrices, by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations,
/// section 8.5), lane by lane.
#[derive(Clone, Debug)]
pub struct Eigen {
    /// `values[k]` are the k-th eigenvalues, in no particular order.
    pub values: Vec<Lanes>,
    /// Column k holds the k-th eigenvectors.
    pub vectors: LaneMatrix,
}

impl Eigen {
    /// Diagonalises. Lanes with an entry that is not finite get NaN.
    pub fn new(matrices: &LaneMatrix) -> Self {
        let mut m = matrices.clone();
        let mut vectors = LaneMatrix::identity(m.rows);
        jacobi(&mut m, Some(&mut vectors));
        Self { values: (0..m.rows).map(|k| m[(k, k)]).collect(), vectors }
    }
}

/// Diagonalises `m` in place, rotating `vectors` along.
///
/// Convergence is quadratic: a handful of sweeps suffices for any size met here; the cap only bounds the time. A lane that
/// is done rests, so that its bits do not depend on how long the others take.
pub(super) fn jacobi(m: &mut LaneMatrix, mut vectors: Option<&mut LaneMatrix>) {
    for _ in 0..20 {
        let Some(at_work) = undone(m) else { return };
        for p in 0..m.rows {
            for q in p + 1..m.rows {
                let (c, s) = rotate(m, p, q, at_work);
                if let Some(vectors) = vectors.as_deref_mut() {
                    rotate_columns(vectors, p, q, c, s);
                }
            }
        }
    }
}

/// A mask of the lanes whose off-diagonal entries are not yet negligible beside the diagonal (an eigenvalue moves by at
/// most those), or `None` when there are none. Lanes that are not finite count as done.
fn undone(m: &LaneMatrix) -> Option<Lanes> {
    let d = m.rows;
    let size = (0..d).fold(Lanes::default(), |size, k| size.max(m[(k, k)].abs()));
    let pairs = (0..d).flat_map(|p| (p + 1..d).map(move |q| (p, q)));
    let largest = pairs.fold(Lanes::default(), |largest, at| largest.max(m[at].abs()));
    let mask = largest.zip(size, |off, size| f64::from(u8::from(off > 1e-17 * size && off.is_finite())));
    mask.0.iter().any(|&lane| lane > 0.0).then_some(mask)
}

/// Zeroes the entries (p, q) of the lanes at work; the rotations' cosines and sines.
fn rotate(m: &mut LaneMatrix, p: usize, q: usize, at_work: Lanes) -> (Lanes, Lanes) {
    let off = m[(p, q)].where_nonzero(at_work, Lanes::default());
    let tau = (m[(q, q)] - m[(p, p)]) / (off * 2.0);
    let t = tau.map(|tau| tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt()));
    // Where there is nothing to do, τ is infinite or NaN.
    let t = t.where_nonzero(off, Lanes::default());
    let c = t.map(|t| 1.0 / (1.0 + t * t).sqrt());
    let s = t * c;
    m[(p, p)] -= t * off;
    m[(q, q)] += t * off;
    let left = Lanes::default().where_nonzero(at_work, m[(p, q)]);
    (m[(p, q)], m[(q, p)]) = (left, left);
    for k in (0..m.rows).filter(|&k| k != p && k != q) {
        let (kp, kq) = (m[(k, p)], m[(k, q)]);
        let (new_kp, new_kq) = (c * kp - s * kq, s * kp + c * kq);
        (m[(k, p)], m[(p, k)]) = (new_kp, new_kp);
        (m[(k, q)], m[(q, k)]) = (new_kq, new_kq);
    }
    (c, s)
}

fn rotate_columns(vectors: &mut LaneMatrix, p: usize, q: usize, c: Lanes, s: Lanes) {
    for k in 0..vectors.rows {
        let (kp, kq) = (vectors[(k, p)], vectors[(k, q)]);
        vectors[(k, p)] = c * kp - s * kq;
        vectors[(k, q)] = s * kp + c * kq;
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::stream::{Purpose, Seed, stream};

    fn random(rows: usize, cols: usize, which: usize) -> Vec<Matrix> {
        let mut rng = stream(Seed(2), Purpose::Data, which, 0);
        (0..LANES).map(|_| Matrix::from_fn(rows, cols, |_, _| rng.sample(StandardNormal))).collect()
    }

    fn side_by_side(matrices: &[Matrix]) -> LaneMatrix {
        let mut lanes = LaneMatrix::zeros(matrices[0].nrows(), matrices[0].ncols());
        matrices.iter().enumerate().for_each(|(lane, matrix)| lanes.set_lane(lane, matrix));
        lanes
    }

    #[test]
    fn products_are_those_of_the_lanes() {
        let (a, b, c) = (random(3, 5, 0), random(5, 4, 1), random(3, 4, 2));
        let mut sum = side_by_side(&c);
        sum.add_product(&side_by_side(&a), &side_by_side(&b));
        for lane in 0..LANES {
            assert!((sum.lane(lane) - (&c[lane] + &a[lane] * &b[lane])).amax() < 1e-14);
        }
    }

    #[test]
    fn a_lane_without_weight_has_no_part() {
        let mut matrices = random(2, 3, 0);
        matrices[3].fill(f64::NAN);
        let weight = Lanes::from_fn(|lane| if lane == 3 { 0.0 } else { 1.0 });
        let mut sum = Matrix::zeros(2, 3);
        side_by_side(&matrices).add_weighted_sum(weight, &mut sum);
        let expected: Matrix = matrices.iter().enumerate().filter(|(lane, _)| *lane != 3).map(|(_, m)| m).sum();
        assert!((sum - expected).amax() < 1e-14);
    }

    #[test]
    fn a_decomposition_gives_the_matrix_back() {
        for d in [1, 2, 3, 5, 10] {
            let mut matrices: Vec<_> = random(d, d, d).iter().map(|m| m * m.transpose()).collect();
            // Already diagonal; zero; equal eigenvalues; one far larger than the others.
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
