//! Eight matrices of one size, stored entry by entry, and each entry lane by lane.

use std::ops::{Index, IndexMut, Range};

use super::Lanes;
use crate::Matrix;

/// One matrix per lane, all of the same size.
///
/// Operations on all entries are loops long enough for a function call and are not inlined: inlining them into every
/// formula would make the download a tenth larger and nothing faster.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneMatrix {
    rows: usize,
    cols: usize,
    /// Row by row.
    entries: Vec<Lanes>,
}

impl LaneMatrix {
    /// Zero matrices.
    #[inline(never)]
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, entries: vec![Lanes::default(); rows * cols] }
    }

    /// Identity matrices of size d×d.
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

    /// The entries of a range of rows, row by row.
    ///
    /// # Panics
    /// If the matrices do not have all these rows.
    pub fn rows_mut(&mut self, rows: Range<usize>) -> &mut [Lanes] {
        &mut self.entries[rows.start * self.cols..rows.end * self.cols]
    }

    /// Sets one lane's matrix.
    ///
    /// # Panics
    /// If the matrix has another size.
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

    /// Subtracts a matrix from one lane's matrix.
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
    /// If the matrix has another size.
    #[inline(never)]
    pub fn set_all(&mut self, matrix: &Matrix) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        for (k, entry) in self.entries.iter_mut().enumerate() {
            *entry = Lanes::splat(matrix[(k / self.cols, k % self.cols)]);
        }
    }

    /// Sets every lane to `matrix` minus the lane's matrix in `other`.
    ///
    /// # Panics
    /// If the sizes do not fit.
    #[inline(never)]
    pub fn set_difference(&mut self, matrix: &Matrix, other: &Self) {
        assert_eq!(matrix.shape(), (self.rows, self.cols), "lanes hold matrices of one size");
        for (k, (entry, &less)) in self.entries.iter_mut().zip(&other.entries).enumerate() {
            *entry = Lanes::splat(matrix[(k / self.cols, k % self.cols)]) - less;
        }
    }

    /// A copy of one lane's matrix.
    #[inline(never)]
    pub fn lane(&self, lane: usize) -> Matrix {
        Matrix::from_fn(self.rows, self.cols, |i, j| self[(i, j)].0[lane])
    }

    /// Copies another lane matrix of the same size.
    #[inline(never)]
    pub fn copy_from(&mut self, other: &Self) {
        self.entries.copy_from_slice(&other.entries);
    }

    /// Sets every entry of every lane to one value.
    #[inline(never)]
    pub fn fill(&mut self, value: f64) {
        self.entries.fill(Lanes::splat(value));
    }

    /// Multiplies every lane's matrix by the lane's factor.
    #[inline(never)]
    pub fn scale(&mut self, factor: Lanes) {
        self.entries.iter_mut().for_each(|entry| *entry = *entry * factor);
    }

    /// Adds the matrices of `other`, each multiplied by its lane's factor.
    #[inline(never)]
    pub fn add_scaled(&mut self, factor: Lanes, other: &Self) {
        for (entry, &more) in self.entries.iter_mut().zip(&other.entries) {
            *entry += factor * more;
        }
    }

    /// Adds the lane's factor times the identity to every lane's matrix.
    pub fn add_to_diagonal(&mut self, factor: Lanes) {
        for i in 0..self.rows.min(self.cols) {
            self[(i, i)] += factor;
        }
    }

    /// Copies the entries below the diagonal to those above it.
    pub fn mirror(&mut self) {
        for i in 0..self.rows {
            for j in 0..i {
                self[(j, i)] = self[(i, j)];
            }
        }
    }

    /// Sets every lane to the product `a·b`.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn set_product(&mut self, a: &Self, b: &Self) {
        self.fill(0.0);
        self.add_product(a, b);
    }

    /// Adds the product `a·b` in every lane.
    ///
    /// # Panics
    /// If the sizes do not fit.
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

    /// Sets every lane to the product `a·b` of symmetric d×d matrices that commute, which is symmetric too.
    ///
    /// # Panics
    /// If the sizes do not fit.
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

    /// Sets every lane to `a·factor + offset`, with the same factor and offset for all lanes.
    ///
    /// # Panics
    /// If the sizes do not fit.
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

    /// Adds the matrices of `other`, each multiplied by its lane's weight. A lane of weight 0 has no effect, whatever
    /// it holds.
    #[inline(never)]
    pub fn add_weighted(&mut self, weight: Lanes, other: &Self) {
        for (entry, &more) in self.entries.iter_mut().zip(&other.entries) {
            *entry += (more * weight).where_nonzero(weight, Lanes::default());
        }
    }

    /// The squared Frobenius norm of every lane's matrix.
    #[inline(never)]
    pub fn squared_norms(&self) -> Lanes {
        self.entries.iter().fold(Lanes::default(), |sum, &entry| sum + entry * entry)
    }

    /// Sets `sum` to the sum of all lanes' matrices.
    #[inline(never)]
    pub fn sum_lanes(&self, sum: &mut Matrix) {
        for (i, row) in self.entries.chunks_exact(self.cols).enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                sum[(i, j)] = entry.sum();
            }
        }
    }

    /// Copies the matrices of `other` in the lanes where the mask is nonzero.
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
