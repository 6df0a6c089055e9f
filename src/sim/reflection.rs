//! Triangular factors of wide matrices, eight at a time, by Householder reflections (Golub and Van Loan, Matrix
//! Computations, section 5.2, transposed).
//!
//! `F = L Hᵀ` with H orthogonal and L lower triangular, its diagonal at least 0. Unlike Gram–Schmidt, reflections allow
//! rows that depend on those above them, and zero columns stay zero: if F has fewer nonzero columns than rows, so has
//! L.

use super::lanes::{LaneMatrix, Lanes};

/// A sum of squares below this counts as zero: its digits may have been lost to underflow, and beside other sums it is
/// negligible.
const NEGLIGIBLE: f64 = 1e-290;

/// The sign for a column of the factor that makes its diagonal entry at least 0, and so L a continuous function of F.
fn turn(reflection: Lanes) -> Lanes {
    Lanes::splat(-1.0).signed_by(reflection)
}

/// Writes the factor L of `f`, with at least as many columns as rows, to the lower triangle of the first rows of `l`.
///
/// Row i of `f` is overwritten with what [`reflect`] needs to turn other rows in the same way: from the diagonal on,
/// the vector v of the reflection `I − v vᵀ`.
///
/// # Panics
/// If `f` has more rows than columns or than `l`.
#[inline(never)]
pub fn lower_factor(f: &mut LaneMatrix, l: &mut LaneMatrix) {
    let (n_rows, n_cols) = (f.rows(), f.cols());
    for i in 0..n_rows {
        let (above, below) = f.entries_mut().split_at_mut((i + 1) * n_cols);
        let v = &mut above[i * n_cols + i..];
        let norm = set_reflection(v);
        let turn = turn(v[0]);
        l[(i, i)] = norm;
        for (j, row) in below.chunks_exact_mut(n_cols).enumerate() {
            reflect_row(v, &mut row[i..]);
            l[(i + 1 + j, i)] = row[i] * turn;
        }
    }
}

/// Replaces a row by the vector v of the reflection that maps it to its first entry alone, `±` its norm. Returns the
/// norm.
fn set_reflection(v: &mut [Lanes]) -> Lanes {
    // With this comparison NaN stays NaN.
    let square = dot(v, v).map(|square| if square < NEGLIGIBLE { 0.0 } else { square });
    let norm = square.sqrt();
    let scale = Lanes::splat(1.0) / (norm * (norm + v[0].abs())).sqrt();
    let scale = scale.where_nonzero(square, Lanes::default());
    v[0] += norm.signed_by(v[0]);
    for entry in v {
        *entry = *entry * scale;
    }
    norm
}

/// Applies `I − v vᵀ` to a row.
fn reflect_row(v: &[Lanes], row: &mut [Lanes]) {
    let along = dot(v, row);
    row.iter_mut().zip(v).for_each(|(entry, &v)| *entry -= along * v);
}

/// Applies to a row `q`, in one lane, the transformation that turned `f` into its factor: `q` becomes `qH`.
pub fn reflect(f: &LaneMatrix, lane: usize, q: &mut [f64]) {
    for (i, row) in f.entries().chunks_exact(f.cols()).enumerate() {
        let (v, q) = (&row[i..], &mut q[i..]);
        let along: f64 = q.iter().zip(v).map(|(q, v)| q * v.0[lane]).sum();
        q.iter_mut().zip(v).for_each(|(q, v)| *q -= along * v.0[lane]);
        q[0] *= turn(v[0]).0[lane];
    }
}

/// The sum of products, from first to last.
#[inline]
pub fn dot(a: &[Lanes], b: &[Lanes]) -> Lanes {
    a.iter().zip(b).fold(Lanes::default(), |sum, (&a, &b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::lanes::LANES;
    use crate::lanes::tests::{random, side_by_side};

    /// Checks that `L Lᵀ = F Fᵀ`, L is lower triangular with a diagonal of at least 0, and `F = L Hᵀ`.
    #[track_caller]
    fn check(f: &[Matrix]) {
        let (n, m) = f[0].shape();
        let (mut room, mut l) = (side_by_side(f), LaneMatrix::zeros(n, n));
        lower_factor(&mut room, &mut l);
        for (lane, f) in f.iter().enumerate() {
            let l = l.lane(lane);
            assert!((&l * l.transpose() - f * f.transpose()).amax() <= 1e-14 * f.norm_squared(), "{f} {l}");
            assert!((0..n).all(|i| l[(i, i)] >= 0.0 && (0..i).all(|j| l[(j, i)] == 0.0)), "{l}");
            for i in 0..n {
                let mut row: Vec<_> = f.row(i).iter().copied().collect();
                reflect(&room, lane, &mut row);
                let expected = (0..m).map(|j| if j < n { l[(i, j)] } else { 0.0 });
                // Negligible rows are left as they are.
                let near = |(a, b): (&f64, f64)| (a - b).abs() <= 1e-14 * f.norm() + 1e-140;
                assert!(row.iter().zip(expected).all(near), "{row:?} {l}");
            }
        }
    }

    #[test]
    fn a_factor_has_the_gram_matrix_of_what_it_is_of() {
        for (n, m) in [(1, 1), (1, 3), (3, 8), (5, 5), (6, 17)] {
            check(&random(n, m, 0));
            check(&random(n, m, 1).iter().map(|f| f * 1e120).collect::<Vec<_>>());
        }
    }

    #[test]
    fn rows_may_depend_on_each_other_and_columns_may_be_zero() {
        let mut f = random(3, 8, 0);
        f[0].row_mut(0).fill(0.0);
        f[1].fill(0.0);
        let copy = f[2].row(0) * -2.0;
        f[2].row_mut(1).copy_from(&copy);
        f[3].columns_mut(2, 6).fill(0.0);
        f[4].columns_mut(1, 7).fill(0.0);
        f[5] *= 1e-170;
        f[6].row_mut(0).scale_mut(1e-162);
        check(&f);
        let (mut room, mut l) = (side_by_side(&f), LaneMatrix::zeros(3, 3));
        lower_factor(&mut room, &mut l);
        assert_eq!(l.lane(3).column(2), Matrix::zeros(3, 1), "two columns, two of the factor");
        assert_eq!(l.lane(4).columns(1, 2), Matrix::zeros(3, 2));
    }

    #[test]
    fn a_factor_does_not_jump_where_an_entry_changes_its_sign() {
        let mut f = random(3, 8, 0);
        for (lane, f) in f.iter_mut().enumerate() {
            f[(0, 0)] = if lane % 2 == 0 { 1e-9 } else { -1e-9 };
        }
        f[1] = f[0].clone();
        f[1][(0, 0)] = -1e-9;
        let mut l = LaneMatrix::zeros(3, 3);
        lower_factor(&mut side_by_side(&f), &mut l);
        assert!((l.lane(0) - l.lane(1)).amax() < 1e-8);
    }

    #[test]
    fn what_is_not_a_number_stays_in_its_lane() {
        let mut f = random(3, 8, 0);
        f[1][(1, 2)] = f64::NAN;
        f[2][(0, 5)] = 1e200;
        f[3][(2, 0)] = f64::INFINITY;
        let mut l = LaneMatrix::zeros(3, 3);
        lower_factor(&mut side_by_side(&f), &mut l);
        let is_finite = |lane: usize| l.lane(lane).iter().all(|entry| entry.is_finite());
        assert_eq!(std::array::from_fn::<_, LANES, _>(is_finite), [true, false, false, false, true, true, true, true]);
    }
}
