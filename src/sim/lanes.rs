//! Eight small matrices side by side: one for each of eight clients (or rollouts, or rounds), worked on together.
//!
//! The matrices met here are tiny (5×5 in the paper), far too small for a vector unit by themselves. Laid out entry by
//! entry, lane by lane, every multiplication serves eight of them. Each lane's arithmetic is in the order of the formula,
//! so its bits do not depend on the machine's own vector width, nor on what the other lanes hold.

use std::ops::{Add, AddAssign, Div, Index, IndexMut, Mul, MulAssign, Neg, Range, Sub, SubAssign};

use super::Matrix;

/// How many go together. Eight doubles fill the widest vector units in use.
pub const LANES: usize = 8;

/// One number a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const W: usize = LANES>(pub [f64; W]);

impl<const W: usize> Default for Lanes<W> {
    fn default() -> Self {
        Self::splat(0.0)
    }
}

impl<const W: usize> Lanes<W> {
    /// Lanes that all hold this number.
    pub const fn splat(value: f64) -> Self {
        Self([value; W])
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
    #[inline]
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

    /// These numbers, negated in the lanes where another's sign is negative.
    pub fn signed_by(self, other: Self) -> Self {
        // Unlike `f64::copysign`, this becomes vector instructions everywhere.
        self.zip(other, |a, other| f64::from_bits(a.to_bits() ^ (other.to_bits() & (-0.0_f64).to_bits())))
    }

    /// A mask: 1 where a comparison with another holds, 0 elsewhere.
    pub fn mask(self, other: Self, holds: impl Fn(f64, f64) -> bool) -> Self {
        self.zip(other, |a, b| if holds(a, b) { 1.0 } else { 0.0 })
    }

    /// Whether a mask is not zero in some lane.
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |bits, lane| bits | lane.to_bits()) != 0
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
        impl<const W: usize> $operator for Lanes<W> {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                self.zip(other, |a, b| a $symbol b)
            }
        }
        impl<const W: usize> $operator<f64> for Lanes<W> {
            type Output = Self;
            #[inline]
            fn $function(self, other: f64) -> Self {
                self.map(|a| a $symbol other)
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const W: usize> AddAssign for Lanes<W> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const W: usize> SubAssign for Lanes<W> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const W: usize> MulAssign<f64> for Lanes<W> {
    #[inline]
    fn mul_assign(&mut self, factor: f64) {
        *self = *self * factor;
    }
}

impl<const W: usize> Neg for Lanes<W> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

/// One matrix a lane, all of the same size.
///
/// Operations on all entries are loops long enough to be called, and are: inlined into every formula they would make the
/// download a tenth larger and nothing faster.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneMatrix {
    rows: usize,
    cols: usize,
    /// Row by row.
    entries: Vec<Lanes>,
}

impl LaneMatrix {
    /// Zeros.
    #[inline(never)]
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

    /// The entries of some rows, row by row.
    ///
    /// # Panics
    /// When there are no such rows.
    pub fn rows_mut(&mut self, rows: Range<usize>) -> &mut [Lanes] {
        &mut self.entries[rows.start * self.cols..rows.end * self.cols]
    }

    /// Sets one lane's matrix.
    ///
    /// # Panics
    /// When the matrix has another size.
    #[inline(never)]
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

    /// Subtracts a matrix from one lane's.
    #[inline(never)]
    pub fn subtract_from_lane(&mut self, lane: usize, matrix: &Matrix) {
        for (i, row) in self.entries.chunks_exact_mut(self.cols).enumerate() {
            for (j, lanes) in row.iter_mut().enumerate() {
                lanes.0[lane] -= matrix[(i, j)];
            }
        }
    }

    /// Sets every lane to the same matrix.
    ///
    /// # Panics
    /// When the matrix has another size.
    #[inline(never)]
    pub fn set_all(&mut self, matrix: &Matrix) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        for (k, entry) in self.entries.iter_mut().enumerate() {
            *entry = Lanes::splat(matrix[(k / self.cols, k % self.cols)]);
        }
    }

    /// Makes every lane the difference of one matrix and the lane's of another.
    ///
    /// # Panics
    /// When the sizes do not fit.
    #[inline(never)]
    pub fn set_difference(&mut self, matrix: &Matrix, other: &Self) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        for (k, (entry, &less)) in self.entries.iter_mut().zip(&other.entries).enumerate() {
            *entry = Lanes::splat(matrix[(k / self.cols, k % self.cols)]) - less;
        }
    }

    /// One lane's matrix.
    #[inline(never)]
    pub fn lane(&self, lane: usize) -> Matrix {
        Matrix::from_fn(self.rows, self.cols, |i, j| self[(i, j)].0[lane])
    }

    /// Makes this a copy of another of the same size.
    #[inline(never)]
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Sets every entry of every lane.
    #[inline(never)]
    pub fn fill(&mut self, value: f64) {
        self.entries.fill(Lanes::splat(value));
    }

    /// Multiplies every matrix by its lane's factor.
    #[inline(never)]
    pub fn scale(&mut self, factor: Lanes) {
        self.entries.iter_mut().for_each(|entry| *entry = *entry * factor);
    }

    /// Adds another, each matrix multiplied by its lane's factor.
    #[inline(never)]
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
    #[inline(never)]
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

    /// Makes this the product `a·b` of symmetric matrices that commute, which is symmetric too.
    ///
    /// # Panics
    /// When the sizes do not fit.
    #[inline(never)]
    pub fn set_symmetric_product(&mut self, a: &Self, b: &Self) {
        let d = self.rows;
        assert!([self.cols, a.rows, a.cols, b.rows, b.cols] == [d; 5], "the sizes of a symmetric product fit");
        let rows = self.entries.chunks_exact_mut(d).zip(a.entries.chunks_exact(d));
        for (i, (row, a_row)) in rows.enumerate() {
            for (entry, b_row) in row[..=i].iter_mut().zip(b.entries.chunks_exact(d)) {
                *entry = a_row.iter().zip(b_row).fold(Lanes::default(), |sum, (&x, &y)| sum + x * y);
            }
        }
        self.mirror();
    }

    /// Makes this `a·factor + offset`, the same factor and offset for every lane.
    ///
    /// # Panics
    /// When the sizes do not fit.
    #[inline(never)]
    pub fn set_affine(&mut self, a: &Self, factor: &Matrix, offset: &Matrix) {
        assert!(a.cols == factor.nrows() && self.cols == factor.ncols() && self.rows == a.rows, "sizes fit");
        self.set_all(offset);
        for (row, a_row) in self.entries.chunks_exact_mut(self.cols).zip(a.entries.chunks_exact(a.cols)) {
            for (entry, factors) in row.iter_mut().zip(factor.as_slice().chunks_exact(a.cols)) {
                let mut sum = *entry;
                for (&x, &factor) in a_row.iter().zip(factors) {
                    sum += x * Lanes::splat(factor);
                }
                *entry = sum;
            }
        }
    }

    /// Adds another in the lanes that have a weight, each matrix multiplied by it. A lane without a weight has no part,
    /// whatever it holds.
    #[inline(never)]
    pub fn add_weighted(&mut self, weight: Lanes, other: &Self) {
        for (entry, &more) in self.entries.iter_mut().zip(&other.entries) {
            *entry += (more * weight).where_nonzero(weight, Lanes::default());
        }
    }

    /// The squared Frobenius norm of every matrix.
    #[inline(never)]
    pub fn squared_norms(&self) -> Lanes {
        self.entries.iter().fold(Lanes::default(), |sum, &entry| sum + entry * entry)
    }

    /// Makes `sum` the sum of all lanes' matrices.
    #[inline(never)]
    pub fn sum_lanes(&self, sum: &mut Matrix) {
        for (i, row) in self.entries.chunks_exact(self.cols).enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                sum[(i, j)] = entry.sum();
            }
        }
    }

    /// Takes another's matrices in the lanes of a mask that are not zero.
    #[inline(never)]
    pub fn copy_where(&mut self, mask: Lanes, other: &Self) {
        for (entry, &more) in self.entries.iter_mut().zip(&other.entries) {
            *entry = more.where_nonzero(mask, *entry);
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::normal::normal;
    use crate::stream::{Purpose, Seed, stream};

    pub(crate) fn random(rows: usize, cols: usize, which: usize) -> Vec<Matrix> {
        let mut rng = stream(Seed(2), Purpose::Data, which, 0);
        (0..LANES).map(|_| Matrix::from_fn(rows, cols, |_, _| normal(&mut rng))).collect()
    }

    pub(crate) fn side_by_side(matrices: &[Matrix]) -> LaneMatrix {
        let mut lanes = LaneMatrix::zeros(matrices[0].nrows(), matrices[0].ncols());
        matrices.iter().enumerate().for_each(|(lane, matrix)| lanes.set_lane(lane, matrix));
        lanes
    }

    #[test]
    fn what_is_done_to_numbers_is_done_to_every_lane() {
        let (infinity, nan) = (f64::INFINITY, f64::NAN);
        let a = Lanes([1.0, -2.0, 0.0, -0.0, infinity, 3.0, 3.0, nan]);
        let b = Lanes([-5.0, -0.0, 0.0, 7.0, -infinity, nan, 3.0, 1.0]);
        let bits = |lanes: Lanes| lanes.0.map(f64::to_bits);
        assert_eq!(bits(a.abs().signed_by(b)), bits(a.zip(b, f64::copysign)));
        assert_eq!(a.mask(b, |a, b| a > b), Lanes([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
        assert!(a.mask(b, |a, b| a > b).any() && !a.mask(b, |a, b| a > b + infinity).any());
    }

    #[test]
    fn one_matrix_less_each_of_the_lanes() {
        let (one, others) = (random(3, 5, 0).swap_remove(0), random(3, 5, 1));
        let mut difference = LaneMatrix::zeros(3, 5);
        difference.set_difference(&one, &side_by_side(&others));
        others.iter().enumerate().for_each(|(lane, other)| assert_eq!(difference.lane(lane), &one - other));
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
    fn products_of_commuting_symmetric_matrices_are_symmetric() {
        let s: Vec<_> = random(4, 9, 0).iter().map(|z| z * z.transpose()).collect();
        let (a, b): (Vec<_>, Vec<_>) = s.iter().map(|s| (s * 2.0 + s * s, Matrix::identity(4, 4) - s)).unzip();
        let mut product = LaneMatrix::zeros(4, 4);
        product.set_symmetric_product(&side_by_side(&a), &side_by_side(&b));
        for lane in 0..LANES {
            let expected = &a[lane] * &b[lane];
            assert!((product.lane(lane) - &expected).amax() < 1e-13 * expected.amax());
        }
    }

    #[test]
    fn a_lane_without_weight_has_no_part() {
        let mut matrices = random(2, 3, 0);
        matrices[3].fill(f64::NAN);
        let weight = Lanes::from_fn(|lane| if lane == 3 { 0.0 } else { 1.0 });
        let mut lanes = LaneMatrix::zeros(2, 3);
        lanes.add_weighted(weight, &side_by_side(&matrices));
        let mut sum = Matrix::zeros(2, 3);
        lanes.sum_lanes(&mut sum);
        let expected: Matrix = matrices.iter().enumerate().filter(|(lane, _)| *lane != 3).map(|(_, m)| m).sum();
        assert!((sum - expected).amax() < 1e-14);
    }
}
