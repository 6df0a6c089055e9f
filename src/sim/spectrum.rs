//! Eigenvalues of small general matrices: the poles of a system.

use super::Matrix;
use super::sort::sort_few;

/// The eigenvalues of a square matrix as (real, imaginary), by decreasing modulus; of a conjugate pair, the one with
/// the positive imaginary part comes first. `None` if an entry is not finite or the iteration does not converge.
///
/// Francis's QR iteration with implicit double shifts (Golub and Van Loan, Matrix Computations, section 7.5).
/// (nalgebra's iteration has no exceptional shifts, and finds no eigenvalues of a cyclic permutation.)
///
/// ```
/// use fedsysid_sim::{Matrix, spectrum::eigenvalues};
/// let turn = Matrix::from_row_slice(2, 2, &[0.0, -1.0, 1.0, 0.0]);
/// assert_eq!(eigenvalues(&turn), Some(vec![(0.0, 1.0), (0.0, -1.0)]));
/// ```
///
/// # Panics
/// If the matrix is not square.
pub fn eigenvalues(matrix: &Matrix) -> Option<Vec<(f64, f64)>> {
    assert!(matrix.is_square(), "only square matrices have eigenvalues");
    let scale = matrix.amax();
    if !matrix.iter().all(|entry| entry.is_finite()) {
        return None;
    }
    if scale == 0.0 {
        return Some(vec![(0.0, 0.0); matrix.nrows()]);
    }
    let mut h = hessenberg(&(matrix / scale));
    let mut values = Vec::with_capacity(h.nrows());
    let mut end = h.nrows();
    let mut n_steps = 0;
    while end > 0 {
        let begin = begin_of_block(&mut h, end);
        match end - begin {
            1 => values.push((h[(begin, begin)], 0.0)),
            2 => values
                .extend(pair([[h[(begin, begin)], h[(begin, end - 1)]], [h[(end - 1, begin)], h[(end - 1, end - 1)]]])),
            // Usually two or three steps suffice; with repeated eigenvalues, some thirty.
            _ if n_steps < 200 => {
                n_steps += 1;
                francis(&mut h, begin, end, n_steps % 40 == 0);
                continue;
            }
            _ => return None,
        }
        (end, n_steps) = (begin, 0);
    }
    for value in &mut values {
        *value = (scale * value.0, scale * value.1);
    }
    sort_few(&mut values, |a, b| size(*b).total_cmp(&size(*a)).then(b.0.total_cmp(&a.0)).then(b.1.total_cmp(&a.1)));
    Some(values)
}

/// What rounding leaves beside a zero diagonal, for a matrix whose largest entry is 1.
const NOTHING: f64 = 0.1 * f64::EPSILON;

/// A similar matrix in Hessenberg form: zero below the first subdiagonal.
fn hessenberg(matrix: &Matrix) -> Matrix {
    let mut h = matrix.clone();
    let n = h.nrows();
    for k in 0..n.saturating_sub(2) {
        // Squares of entries far below rounding would be 0, and the reflection NaN.
        let column: Vec<f64> =
            (k + 1..n).map(|i| h[(i, k)]).map(|x| if x.abs() <= NOTHING { 0.0 } else { x }).collect();
        reflect(&mut h, k + 1, &column);
        (k + 2..n).for_each(|i| h[(i, k)] = 0.0);
    }
    h
}

/// The first row of the coupled block that ends before `end`. Couplings below rounding are set to 0.
fn begin_of_block(h: &mut Matrix, end: usize) -> usize {
    for k in (1..end).rev() {
        let beside = h[(k - 1, k - 1)].abs() + h[(k, k)].abs();
        if h[(k, k - 1)].abs() <= (f64::EPSILON * beside).max(NOTHING) {
            h[(k, k - 1)] = 0.0;
            return k;
        }
    }
    0
}

/// A double-shift step on the block from `begin` to before `end`, of at least three rows. The shifts are the
/// eigenvalues of the block's last 2×2 corner, or exceptional ones if those have not led to convergence.
fn francis(h: &mut Matrix, begin: usize, end: usize, is_exceptional: bool) {
    let (last, first) = (end - 1, begin);
    let corner = |i: usize, j: usize| h[(last - 1 + i, last - 1 + j)];
    let (sum, product) = if is_exceptional {
        let size = h[(last, last - 1)].abs() + h[(last - 1, last - 2)].abs();
        (1.5 * size, size * size)
    } else {
        (corner(0, 0) + corner(1, 1), corner(0, 0) * corner(1, 1) - corner(0, 1) * corner(1, 0))
    };
    let (a, b, c, d) = (h[(first, first)], h[(first, first + 1)], h[(first + 1, first)], h[(first + 1, first + 1)]);
    let mut bulge = vec![a * a + b * c - sum * a + product, c * (a + d - sum), c * h[(first + 2, first + 1)]];
    for k in first..last {
        reflect(h, k, &bulge);
        for i in k + 1..end.min(k + 3) {
            if k > first {
                h[(i, k - 1)] = 0.0;
            }
        }
        bulge = (k + 1..end.min(k + 4)).map(|i| h[(i, k)]).collect();
    }
}

/// Reflects the coordinates from `at` on so that `vector` keeps only its first entry, and transforms `h` to the similar
/// matrix.
fn reflect(h: &mut Matrix, at: usize, vector: &[f64]) {
    let size = vector.iter().fold(0.0, |size: f64, entry| libm::hypot(size, *entry));
    let Some(&first) = vector.first() else { return };
    if vector[1..].iter().all(|&entry| entry == 0.0) {
        return;
    }
    let mut normal = vector.to_vec();
    normal[0] += size.copysign(first);
    let square: f64 = normal.iter().map(|entry| entry * entry).sum();
    for col in 0..h.ncols() {
        let along: f64 = normal.iter().enumerate().map(|(k, entry)| entry * h[(at + k, col)]).sum();
        normal.iter().enumerate().for_each(|(k, entry)| h[(at + k, col)] -= 2.0 * along / square * entry);
    }
    for row in 0..h.nrows() {
        let along: f64 = normal.iter().enumerate().map(|(k, entry)| entry * h[(row, at + k)]).sum();
        normal.iter().enumerate().for_each(|(k, entry)| h[(row, at + k)] -= 2.0 * along / square * entry);
    }
}

/// The eigenvalues of a 2×2 matrix.
fn pair([[a, b], [c, d]]: [[f64; 2]; 2]) -> [(f64, f64); 2] {
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
    let square = half * half + b * c;
    let root = square.abs().sqrt();
    if square < 0.0 { [(mean, root), (mean, -root)] } else { [(mean + root, 0.0), (mean - root, 0.0)] }
}

/// The modulus: the factor by which the eigenvalue's mode grows in a step.
fn size((re, im): (f64, f64)) -> f64 {
    libm::hypot(re, im)
}

/// The spectral radius: the largest modulus of an eigenvalue. A system is stable if it is below 1. `None` where
/// [`eigenvalues`] is `None`.
pub fn spectral_radius(matrix: &Matrix) -> Option<f64> {
    Some(eigenvalues(matrix)?.first().map_or(0.0, |&largest| size(largest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::normal;
    use crate::stream::{Purpose, Seed, stream};

    #[track_caller]
    fn check(n: usize, entries: &[f64], expected: &[(f64, f64)], within: f64) {
        let values = eigenvalues(&Matrix::from_row_slice(n, n, entries)).unwrap();
        assert_eq!(values.len(), n);
        for (value, expected) in values.iter().zip(expected) {
            let off = libm::hypot(value.0 - expected.0, value.1 - expected.1);
            assert!(off <= within, "{values:?} {expected:?}");
        }
    }

    #[test]
    fn eigenvalues_are_found() {
        check(1, &[-3.0], &[(-3.0, 0.0)], 0.0);
        check(2, &[0.0; 4], &[(0.0, 0.0); 2], 0.0);
        check(2, &[0.3, 1.0, 0.0, 0.3], &[(0.3, 0.0); 2], 1e-15);
        check(2, &[0.3, 0.0, 1.0, 0.3], &[(0.3, 0.0); 2], 1e-8);
        check(3, &[0.6, 0.5, 0.4, 0.0, 0.4, 0.3, 0.0, 0.0, 0.3], &[(0.6, 0.0), (0.4, 0.0), (0.3, 0.0)], 1e-15);
        check(
            4,
            &[0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5],
            &[(0.5, 0.0); 4],
            0.0,
        );
        check(2, &[1e6, 1e-12, 1e-12, 1e-6], &[(1e6, 0.0), (1e-6, 0.0)], 1e-9);
        check(3, &[5.0, 0.0, 0.0, 0.0, 5.0, 0.0, 1e-170, 0.0, 5.0], &[(5.0, 0.0); 3], 1e-15);
    }

    /// The permutation matrix of a cycle of length n has the n-th roots of 1 as eigenvalues.
    #[test]
    fn a_cycle_has_the_roots_of_one() {
        for n in 2..=6 {
            let cycle = Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == (j + 1) % n)));
            let values = eigenvalues(&cycle).unwrap();
            for k in 0..n {
                let angle = std::f64::consts::TAU * k as f64 / n as f64;
                let (cosine, sine) = (libm::cos(angle), libm::sin(angle));
                let nearest = values.iter().map(|value| libm::hypot(value.0 - cosine, value.1 - sine));
                assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-12, "{n} {k}: {values:?}");
            }
        }
    }

    /// For random matrices of all sizes, the eigenvalues λ make A − λI singular and sum up to the trace.
    #[test]
    fn eigenvalues_are_roots_whatever_the_matrix() {
        let mut rng = stream(Seed(1), Purpose::Data, 0, 0);
        for k in 0..20_000 {
            let n = 1 + k % 6;
            let scale = [1e-6, 1e-3, 1.0, 1e3, 1e6][k % 5];
            // Every third matrix has entries 0 and 1 only, which gives repeated and defective eigenvalues.
            let matrix = Matrix::from_fn(n, n, |_, _| {
                let drawn = normal(&mut rng);
                scale * if k % 3 == 0 { f64::from(u8::from(drawn > 0.5)) } else { drawn }
            });
            let values = eigenvalues(&matrix).unwrap();
            let sum: f64 = values.iter().map(|value| value.0).sum();
            assert!((sum - matrix.trace()).abs() <= 1e-12 * (1.0 + matrix.amax() * n as f64), "{matrix} {values:?}");
            assert!(values.iter().map(|value| value.1).sum::<f64>().abs() <= 1e-12 * matrix.amax());
            assert!(values.windows(2).all(|pair| size(pair[0]) >= size(pair[1])));
            for (re, im) in values {
                // (A − re·I)² + im²·I is singular where λ is an eigenvalue.
                let shifted = &matrix - Matrix::identity(n, n) * re;
                let square = &shifted * &shifted + Matrix::identity(n, n) * (im * im);
                let least = square.clone().singular_values().min();
                assert!(least <= 1e-13 * (matrix.norm() + f64::MIN_POSITIVE).powi(2), "{matrix} {re} {im} {least}");
            }
        }
    }

    #[test]
    fn what_is_not_finite_has_none() {
        assert_eq!(eigenvalues(&Matrix::from_element(2, 2, f64::NAN)), None);
        assert_eq!(spectral_radius(&Matrix::from_element(3, 3, f64::INFINITY)), None);
    }

    #[test]
    fn the_radius_is_that_of_the_largest() {
        let radius = spectral_radius(&Matrix::from_row_slice(2, 2, &[3.0, -4.0, 4.0, 3.0])).unwrap();
        assert!((radius - 5.0).abs() < 1e-12);
    }
}
