//! Sums over samples: the moments for estimates, and the further sums for residuals.

use fedsysid_sim::estimate::{EstimateError, Factor};
use fedsysid_sim::moments::Moments;

use crate::{Dims, Matrix};

/// Sums over samples `y = [z; x⁺]`, of length `m = d + n`. Of most samples, nothing else is kept.
///
/// Products are summed about the mean: about zero, the squares of a position of 5·10⁶ m would have no digits left for
/// noise of a metre.
#[derive(Clone, Debug, PartialEq)]
pub struct Sums {
    dims: Dims,
    n_samples: u64,
    /// The mean ȳ, of length m.
    mean: Vec<f64>,
    /// The lower triangle of `Σ (y − ȳ)(y − ȳ)ᵀ`, row by row.
    gram: Vec<f64>,
}

/// Number of entries of a lower triangle with `rows` rows.
pub fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

/// Number of corrections of an estimate. Where the data determine it well, each one divides its error by 10³.
const CORRECTIONS: usize = 2;

/// The least part of a combination of columns, as a share of its root mean square: two columns in proportion to within
/// as much count as one.
const LEAST_PART: f64 = 1e-6;

/// The least-squares estimate `C S⁻¹` (n×d), with the factor of S. It is corrected by the products that it leaves,
/// `left(Θ) = Σ (x⁺ − Θz) zᵀ`, which are known more precisely than the moments are.
///
/// # Errors
/// If the moments do not determine the estimate.
pub(crate) fn refined(moments: &Moments, left: &dyn Fn(&Matrix) -> Matrix) -> Result<(Matrix, Factor), EstimateError> {
    let need = moments.s.nrows() as u64;
    if moments.n_samples < need {
        return Err(EstimateError::NotEnoughData { client: None, have: moments.n_samples, need });
    }
    if !moments.is_finite() {
        return Err(EstimateError::NotFinite);
    }
    let factor = Factor::new(&moments.s)?;
    let mut theta = factor.solve(&moments.c);
    for _ in 0..CORRECTIONS {
        theta += factor.solve(&left(&theta));
    }
    Ok((theta, factor))
}

impl Sums {
    /// The sums over no samples, all zero, for n states and p inputs.
    pub fn new(dims: Dims) -> Self {
        let m = dims.n_regressors() + dims.n_states;
        Self { dims, n_samples: 0, mean: vec![0.0; m], gram: vec![0.0; triangle(m)] }
    }

    /// Known sums, see [`Sums::mean`] and [`Sums::gram`]. `None` if their lengths are wrong, or no data have such sums.
    pub fn from_parts(dims: Dims, n_samples: u64, mean: Vec<f64>, gram: Vec<f64>) -> Option<Self> {
        let zeros = Self::new(dims);
        let fits = gram.len() == zeros.gram.len() && mean.len() == zeros.mean.len();
        let sums = Self { dims, n_samples, mean, gram };
        (fits && sums.is_possible()).then_some(sums)
    }

    /// Whether data can have these sums: squares are not negative, products are bounded by the squares, a single sample
    /// is its own mean, and no sample has none.
    fn is_possible(&self) -> bool {
        let is_bounded = |i: usize, j: usize| {
            let (product, bound) = (self.at(i, j), self.at(i, i).sqrt() * self.at(j, j).sqrt());
            product.abs() <= bound * (1.0 + 1e-9)
        };
        let is_zero = |sums: &[f64]| sums.iter().all(|sum| *sum == 0.0);
        let is_of_few = (self.n_samples > 0 || is_zero(&self.mean)) && (self.n_samples > 1 || is_zero(&self.gram));
        self.gram.iter().chain(&self.mean).all(|sum| sum.is_finite())
            && (0..self.mean.len()).all(|i| self.at(i, i) >= 0.0 && (0..i).all(|j| is_bounded(i, j)))
            && is_of_few
    }

    /// Adds the sample of a regressor `z` (of length d) and the next state (of length n).
    pub fn add_sample(&mut self, z: &[f64], next: &[f64]) {
        self.join(1, z.iter().chain(next));
    }

    /// Adds the sums over other samples.
    pub fn add(&mut self, other: &Self) {
        if other.n_samples > 0 {
            self.join(other.n_samples, other.mean.iter());
            self.gram.iter_mut().zip(&other.gram).for_each(|(sum, value)| *sum += value);
        }
    }

    /// Adds `n` samples that all have this value (Chan, Golub, LeVeque, "Algorithms for computing the sample variance",
    /// 1983).
    fn join<'a>(&mut self, n: u64, value: impl Iterator<Item = &'a f64>) {
        let off: Vec<_> = value.zip(&self.mean).map(|(value, mean)| value - mean).collect();
        let before = self.n_samples as f64;
        self.n_samples += n;
        let share = n as f64 / self.n_samples as f64;
        let mut at = 0;
        for (i, a) in off.iter().enumerate() {
            let weighted = before * share * a;
            for (sum, b) in self.gram[at..=at + i].iter_mut().zip(&off) {
                *sum += weighted * b;
            }
            self.mean[i] += share * a;
            at += i + 1;
        }
    }

    /// The sums over all samples of several clients, for n states and p inputs.
    pub fn total<'a>(dims: Dims, all: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut total = Self::new(dims);
        for sums in all {
            total.add(sums);
        }
        total
    }

    /// The sums of the samples less their mean: least squares on them is least squares with a constant.
    pub(crate) fn about_mean(&self) -> Self {
        Self { mean: vec![0.0; self.mean.len()], ..self.clone() }
    }

    /// The numbers of states n and of inputs p.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// Number of samples in the sums.
    pub fn n_samples(&self) -> u64 {
        self.n_samples
    }

    /// The mean ȳ of `y = [z; x⁺]`, in the units of the file: d + n of them; zero without samples.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The lower triangle of `Σ (y − ȳ)(y − ȳ)ᵀ`, (d + n)×(d + n), row by row.
    pub fn gram(&self) -> &[f64] {
        &self.gram
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.gram[triangle(i.max(j)) + i.min(j)]
    }

    /// The moments S = Σ z zᵀ (d×d) and C = Σ x⁺ zᵀ (n×d), with the number of samples.
    pub fn moments(&self) -> Moments {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        let product = |i: usize, j: usize| self.at(i, j) + self.n_samples as f64 * self.mean[i] * self.mean[j];
        Moments {
            s: Matrix::from_fn(d, d, product),
            c: Matrix::from_fn(n, d, |i, j| product(d + i, j)),
            n_samples: self.n_samples,
        }
    }

    /// The least-squares estimate `C S⁻¹`, n×d.
    ///
    /// # Errors
    /// If the data do not determine the estimate.
    pub fn least_squares(&self) -> Result<Matrix, EstimateError> {
        self.solved().map(|(theta, _)| theta)
    }

    /// The least-squares estimate with the factor of S.
    pub(crate) fn solved(&self) -> Result<(Matrix, Factor), EstimateError> {
        refined(&self.moments(), &|theta| self.left(theta, 0))
    }

    /// The regressors, counted from 0, whose combination is this later one, if [`EstimateError::Singular`] names it; none
    /// if it is always zero.
    pub fn explaining(&self, regressor: usize) -> Vec<usize> {
        let s = self.moments().s;
        let own = s.view((regressor, 0), (1, regressor)).into_owned();
        let factor = Factor::new(&s.view((0, 0), (regressor, regressor)).into_owned());
        let shares = factor.map_or(0.0 * &own, |factor| factor.solve(&own));
        let size = |column: usize| s[(column, column)].sqrt();
        let is_part = |column: &usize| shares[*column].abs() * size(*column) > LEAST_PART * size(regressor);
        (0..regressor).filter(is_part).collect()
    }

    /// The products `Σ (x⁺ − Θz) zᵀ` that a model Θ leaves whose row j predicts the state `first + j`; zero for the
    /// least-squares estimate.
    pub(crate) fn left(&self, theta: &Matrix, first: usize) -> Matrix {
        let (n, d) = theta.shape();
        let offs: Vec<_> = (0..n).map(|j| self.off(theta, j, first).0 * self.n_samples as f64).collect();
        Matrix::from_fn(n, d, |j, k| {
            let explained: f64 = (0..d).map(|l| theta[(j, l)] * self.at(l, k)).sum();
            self.at(d + first + j, k) - explained + offs[j] * self.mean[k]
        })
    }

    /// The mean of the residuals of row j, which predicts the state `first + j`, and the total size of the terms that
    /// may cancel in it.
    fn off(&self, theta: &Matrix, j: usize, first: usize) -> (f64, f64) {
        let d = self.dims.n_regressors();
        let next = self.mean[d + first + j];
        (0..d).fold((next, next.abs()), |(sum, size), k| {
            let term = theta[(j, k)] * self.mean[k];
            (sum - term, size + term.abs())
        })
    }

    /// The sum `Σ (θz)²` for a row θ (1×d).
    pub(crate) fn square(&self, theta: &Matrix) -> f64 {
        let d = theta.ncols();
        let mean: f64 = (0..d).map(|k| theta[k] * self.mean[k]).sum();
        let products = (0..d).flat_map(|k| (0..d).map(move |l| theta[k] * theta[l] * self.at(k, l)));
        products.sum::<f64>() + self.n_samples as f64 * mean * mean
    }

    /// The squared residuals `Σ (x⁺_j − θ_j z)²` of each state j for a model Θ (n×d); 0 if rounding alone could cause
    /// them.
    pub fn squared_residuals(&self, theta: &Matrix) -> Vec<f64> {
        let told = |(sum, rounding): (f64, f64)| if sum > rounding { sum } else { 0.0 };
        self.residuals_and_rounding(theta).into_iter().map(told).collect()
    }

    /// The computed squared residuals of each state for a model Θ (n×d), and a bound of the rounding errors in each.
    ///
    /// The errors of N additions grow about as √N, those of the d terms of a prediction as d. In products about the
    /// mean, sixteen times this is never reached by chance.
    pub(crate) fn residuals_and_rounding(&self, theta: &Matrix) -> Vec<(f64, f64)> {
        let d = self.dims.n_regressors();
        let n_samples = self.n_samples as f64;
        let rounding = f64::EPSILON * (n_samples.sqrt() + d as f64);
        let of_row = |j: usize| {
            let square = self.at(d + j, d + j);
            // The residual about its mean, and the total size of the terms that may cancel in it.
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
            let (off, terms) = self.off(theta, j, 0);
            let error = rounding * terms;
            (sum + n_samples * off * off, 16.0 * rounding * size + n_samples * error * (2.0 * off.abs() + error))
        };
        (0..self.dims.n_states).map(of_row).collect()
    }

    /// The squared deviations `Σ (x⁺_j − mean)²` of each state j; 0 if the state never changes, or by no more than
    /// rounding.
    pub fn squared_deviations(&self) -> Vec<f64> {
        let d = self.dims.n_regressors();
        let of = |(j, mean): (usize, &f64)| {
            let deviations = self.at(d + j, d + j);
            let rounding = 16.0 * f64::EPSILON * mean;
            if deviations > self.n_samples as f64 * rounding * rounding { deviations } else { 0.0 }
        };
        self.mean[d..].iter().enumerate().map(of).collect()
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
        assert!((got.s - expected.s).amax() < 1e-12 && (got.c - expected.c).amax() < 1e-12);
        assert_eq!(got.n_samples, 7);
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
            let of_input = sums.moments().s[(2, 2)];
            assert!((squares[0] / (1e-6 * of_input) - 1.0).abs() < 1e-3, "{offset}: {squares:?}");
            assert!(sums.squared_deviations()[0] > 100.0, "{offset}");
        }
    }

    /// Two coordinates of some 10⁶ m, which change by a hundred metres, with errors of a millimetre.
    #[test]
    fn noise_is_found_however_far_away_zero_is() {
        let wave = |speed: f64, step: u32| (speed * f64::from(step)).sin();
        let noise = |step| [1e-3 * wave(17.7, step), 1e-3 * wave(31.3, step)];
        let mut parts = vec![Sums::new(Dims { n_states: 2, n_inputs: 1 }); 5];
        for step in 0..1_000_u32 {
            let (a, b, u) = (4e5 + 100.0 * wave(1.3, step), 5e6 + 70.0 * wave(2.9, step), wave(0.7, step));
            let [e, f] = noise(step);
            parts[step as usize % 5].add_sample(&[a, b, u], &[a + u + e, 0.999 * b + 0.2 * u + f]);
        }
        let sums = Sums::total(parts[0].dims(), &parts);
        let estimate = crate::estimate::Estimate::of(&sums).unwrap();
        for std in &estimate.noise_std {
            assert!((std / 1e-3 * 2.0_f64.sqrt() - 1.0).abs() < 0.1, "{:?}", estimate.noise_std);
        }
        assert!(sums.squared_deviations().iter().all(|sum| *sum > 1e6), "{:?}", sums.squared_deviations());
        // A model that is right but for the noise leaves just that, and one that is off is known to be.
        let truth = Matrix::from_row_slice(2, 3, &[1.0, 0.0, 1.0, 0.0, 0.999, 0.2]);
        for (j, squares) in sums.squared_residuals(&truth).into_iter().enumerate() {
            let expected: f64 = (0..1_000).map(|step| noise(step)[j].powi(2)).sum();
            assert!((squares / expected - 1.0).abs() < 1e-3, "{squares} {expected}");
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
        let all = sums(&samples);
        let pairs = || both.mean.iter().chain(&both.gram).zip(all.mean.iter().chain(&all.gram));
        assert!(both.n_samples == 7 && pairs().all(|(sum, other)| (sum - other).abs() < 1e-12), "{both:?}");
        let before = both.clone();
        both.add(&Sums::new(all.dims));
        assert_eq!(both, before);
    }

    #[test]
    fn what_no_data_have_is_told_apart() {
        let sums = sums(&samples());
        let made = |change: fn(&mut Vec<f64>, &mut u64)| {
            let (mut gram, mut n) = (sums.gram.clone(), 7);
            change(&mut gram, &mut n);
            Sums::from_parts(sums.dims, n, sums.mean.clone(), gram)
        };
        assert_eq!(made(|_, _| ()), Some(sums.clone()));
        // The product of two such squares is zero.
        let tiny = |gram: &mut Vec<f64>, _: &mut u64| gram.iter_mut().for_each(|product| *product *= 1e-200);
        assert!(made(tiny).is_some());
        assert_eq!(made(|gram, _| gram[0] = -1.0), None);
        assert_eq!(made(|gram, _| gram[1] = 1e9), None);
        assert_eq!(made(|gram, _| gram[3] = f64::NAN), None);
        assert_eq!(made(|_, n| *n = 0), None);
        assert_eq!(made(|gram, _| gram.truncate(3)), None);
    }
}
