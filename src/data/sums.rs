//! Sums over samples: the moments for estimates, and the further sums for residuals.

use fedsysid_sim::moments::Moments;

use crate::{Dims, Matrix};

/// Sums over samples `y = [z; x⁺]`, of length `m = d + n`. Of most samples, nothing else is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    dims: Dims,
    n_samples: u64,
    /// The lower triangle of `Σ y yᵀ`, row by row.
    gram: Vec<f64>,
    /// The sum `Σ x⁺`, of length n.
    next: Vec<f64>,
}

/// Number of entries of a lower triangle with `rows` rows.
pub fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

impl Sums {
    /// The sums over no samples, all zero, for n states and p inputs.
    pub fn new(dims: Dims) -> Self {
        let m = dims.n_regressors() + dims.n_states;
        Self { dims, n_samples: 0, gram: vec![0.0; triangle(m)], next: vec![0.0; dims.n_states] }
    }

    /// Known sums: `gram` row by row, see [`Sums::gram`], and `next`, see [`Sums::next`]. `None` if their lengths are
    /// wrong, or no data have such sums.
    pub fn from_parts(dims: Dims, n_samples: u64, gram: Vec<f64>, next: Vec<f64>) -> Option<Self> {
        let zeros = Self::new(dims);
        let fits = gram.len() == zeros.gram.len() && next.len() == zeros.next.len();
        let sums = Self { dims, n_samples, gram, next };
        (fits && sums.is_possible()).then_some(sums)
    }

    /// Whether data can have these sums: squares are not negative, products are bounded by the squares, and the sums
    /// over no samples are zero.
    fn is_possible(&self) -> bool {
        let m = self.dims.n_regressors() + self.dims.n_states;
        let is_bounded = |i: usize, j: usize| {
            let (product, bound) = (self.at(i, j), (self.at(i, i) * self.at(j, j)).sqrt());
            product.abs() <= bound * (1.0 + 1e-9)
        };
        let is_empty = self.n_samples == 0 && self.gram.iter().chain(&self.next).any(|sum| *sum != 0.0);
        self.gram.iter().chain(&self.next).all(|sum| sum.is_finite())
            && (0..m).all(|i| self.at(i, i) >= 0.0 && (0..i).all(|j| is_bounded(i, j)))
            && !is_empty
    }

    /// Adds the sample of a regressor `z` (of length d) and the next state (of length n).
    pub fn add_sample(&mut self, z: &[f64], next: &[f64]) {
        self.n_samples += 1;
        let mut at = 0;
        for (i, a) in z.iter().chain(next).enumerate() {
            let (row, among_z) = (&mut self.gram[at..=at + i], (i + 1).min(z.len()));
            for (sum, b) in row.iter_mut().zip(&z[..among_z]) {
                *sum += a * b;
            }
            for (sum, b) in row[among_z..].iter_mut().zip(next) {
                *sum += a * b;
            }
            at += i + 1;
        }
        for (sum, value) in self.next.iter_mut().zip(next) {
            *sum += value;
        }
    }

    /// Adds the sums over other samples.
    pub fn add(&mut self, other: &Self) {
        self.n_samples += other.n_samples;
        let ours = self.gram.iter_mut().chain(&mut self.next);
        ours.zip(other.gram.iter().chain(&other.next)).for_each(|(sum, value)| *sum += value);
    }

    /// The sums over all samples of several clients, for n states and p inputs.
    pub fn total<'a>(dims: Dims, all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut total = Self::new(dims);
        for sums in all {
            total.add(sums);
        }
        total
    }

    /// The numbers of states n and of inputs p.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// Number of samples in the sums.
    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }

    /// The lower triangle of `Σ y yᵀ` of `y = [z; x⁺]`, (d + n)×(d + n), row by row.
    pub fn gram(&self) -> &[f64] {
        &self.gram
    }

    /// The sum `Σ x⁺` of the next states, in their units: n of them.
    pub fn next(&self) -> &[f64] {
        &self.next
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.gram[triangle(i.max(j)) + i.min(j)]
    }

    /// The moments S = Σ z zᵀ (d×d) and C = Σ x⁺ zᵀ (n×d), with the number of samples.
    pub fn moments(&self) -> Moments {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        Moments {
            s: Matrix::from_fn(d, d, |i, j| self.at(i, j)),
            c: Matrix::from_fn(n, d, |i, j| self.at(d + i, j)),
            n_samples: self.n_samples,
        }
    }

    /// The squared residuals `Σ (x⁺_j − θ_j z)²` of each state j for a model Θ (n×d); 0 if rounding alone could cause
    /// them.
    pub fn squared_residuals(&self, theta: &Matrix) -> Vec<f64> {
        let told = |(sum, rounding): (f64, f64)| if sum > rounding { sum } else { 0.0 };
        self.residuals_and_rounding(theta).into_iter().map(told).collect()
    }

    /// The computed squared residuals of each state for a model Θ (n×d), and a bound of the rounding errors in each.
    pub(crate) fn residuals_and_rounding(&self, theta: &Matrix) -> Vec<(f64, f64)> {
        let d = self.dims.n_regressors();
        let of_row = |j: usize| {
            let square = self.at(d + j, d + j);
            // The residual, and the total size of the terms that may cancel in it.
            let (mut sum, mut size) = (square, square);
            for k in 0..d {
                let (mut explained, mut sizes) = (0.0, 0.0);
                for l in 0..d {
                    let term: f64 = theta[(j, l)] * self.at(k, l);
                    explained += term;
                    sizes += term.abs();
                }
                let product = 2.0 * self.at(d + j, k);
                sum += theta[(j, k)] * (explained - product);
                size += theta[(j, k)].abs() * (sizes + product.abs());
            }
            (sum, self.rounding(size))
        };
        (0..self.dims.n_states).map(of_row).collect()
    }

    /// A bound of the rounding errors in a sum whose terms cancel and have this total size. The errors of N additions
    /// grow about as √N, those of the d terms of a prediction as d; sixteen times this is never reached by chance.
    fn rounding(&self, size: f64) -> f64 {
        16.0 * f64::EPSILON * size * ((self.n_samples as f64).sqrt() + self.dims.n_regressors() as f64)
    }

    /// The squared deviations `Σ (x⁺_j − mean)²` of each state j; 0 if the state never changes, or by no more than
    /// rounding.
    pub fn squared_deviations(&self) -> Vec<f64> {
        let d = self.dims.n_regressors();
        let of = |(j, sum): (usize, &f64)| {
            let square = self.at(d + j, d + j);
            let deviations = square - sum * sum / self.n_samples.max(1) as f64;
            if deviations > self.rounding(square) { deviations } else { 0.0 }
        };
        self.next.iter().enumerate().map(of).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use fedsysid_sim::samples::Samples;

    /// The sums over samples, which are columns.
    pub(crate) fn sums(samples: &Samples) -> Sums {
        let (n, d) = (samples.next.nrows(), samples.z.nrows());
        let mut sums = Sums::new(Dims { n_states: n, n_inputs: d - n });
        for (z, next) in samples.z.column_iter().zip(samples.next.column_iter()) {
            sums.add_sample(z.as_slice(), next.as_slice());
        }
        sums
    }

    fn samples() -> Samples {
        let z = Matrix::from_fn(3, 7, |i, j| ((3 * i + 5 * j + i * j) % 11) as f64 - 4.0);
        let next = Matrix::from_fn(2, 7, |i, j| ((7 * i + 2 * j + j * j) % 13) as f64 - 5.0);
        Samples { z, next }
    }

    #[test]
    fn moments_are_those_of_the_samples() {
        let samples = samples();
        let (got, expected) = (sums(&samples).moments(), samples.moments());
        assert_eq!((got.s, got.c, got.n_samples), (expected.s, expected.c, 7));
    }

    #[test]
    fn residuals_and_deviations_are_those_of_the_samples() {
        let (samples, theta) = (samples(), Matrix::from_fn(2, 3, |i, j| 0.3 * i as f64 - 0.2 * j as f64));
        let residuals = &samples.next - &theta * &samples.z;
        let (squares, deviations) = (sums(&samples).squared_residuals(&theta), sums(&samples).squared_deviations());
        for j in 0..2 {
            assert!((squares[j] - residuals.row(j).norm_squared()).abs() < 1e-12);
            let mean = samples.next.row(j).mean();
            let expected: f64 = samples.next.row(j).iter().map(|x| (x - mean).powi(2)).sum();
            assert!((deviations[j] - expected).abs() < 1e-12);
        }
    }

    /// If there is no residual, or no change, rounding errors are not reported as numbers.
    #[test]
    fn rounding_is_no_residual_and_no_deviation() {
        for offset in [0.0, 300.0] {
            let mut sums = Sums::new(Dims { n_states: 2, n_inputs: 1 });
            for step in 0..1_000_u32 {
                let x = offset + f64::from(step).sin();
                let u = f64::from(3 * step + 1).cos();
                sums.add_sample(&[x, 0.1, u], &[x + 0.1 * u, 0.1]);
            }
            let theta = Matrix::from_row_slice(2, 3, &[1.0, 0.0, 0.1, 0.0, 1.0, 0.0]);
            assert_eq!(sums.squared_residuals(&theta), [0.0, 0.0], "{offset}");
            assert!(sums.squared_deviations()[1] <= 0.0, "{offset}");
            let off = Matrix::from_row_slice(2, 3, &[1.0, 0.0, 0.101, 0.0, 1.0, 0.0]);
            let squares = sums.squared_residuals(&off);
            assert!((squares[0] / (1e-6 * sums.gram()[triangle(3) - 1]) - 1.0).abs() < 1e-3, "{offset}: {squares:?}");
            assert!(sums.squared_deviations()[0] > 100.0, "{offset}");
        }
    }

    #[test]
    fn sums_add_up() {
        let samples = samples();
        let part = |from, len| Samples {
            z: samples.z.columns(from, len).into(),
            next: samples.next.columns(from, len).into(),
        };
        let mut both = sums(&part(0, 3));
        both.add(&sums(&part(3, 4)));
        assert_eq!(both, sums(&samples));
    }

    #[test]
    fn what_no_data_have_is_told_apart() {
        let sums = sums(&samples());
        let made = |change: fn(&mut Vec<f64>, &mut u64)| {
            let (mut gram, mut n) = (sums.gram.clone(), 7);
            change(&mut gram, &mut n);
            Sums::from_parts(sums.dims, n, gram, sums.next.clone())
        };
        assert_eq!(made(|_, _| ()), Some(sums.clone()));
        assert_eq!(made(|gram, _| gram[0] = -1.0), None);
        assert_eq!(made(|gram, _| gram[1] = 1e9), None);
        assert_eq!(made(|gram, _| gram[3] = f64::NAN), None);
        assert_eq!(made(|_, n| *n = 0), None);
        assert_eq!(made(|gram, _| gram.truncate(3)), None);
    }
}
