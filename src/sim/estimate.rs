//! One-shot least squares from moments: local, pooled, and the mean of the locals.
//!
//! ```text
//! local          Θ_i = C_i S_i⁻¹
//! pooled         (Σ C_i)(Σ S_i)⁻¹             what FedLin converges to
//! mean of locals (1/M) Σ C_i S_i⁻¹            eq. (FL) as printed; FedAvg's limit as K → ∞
//! ```
//!
//! Gram matrices are factored, never inverted.

use std::fmt;

use nalgebra::Cholesky;

use super::Matrix;
use super::moments::Moments;

/// Why data do not determine an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EstimateError {
    /// Fewer samples than unknowns a row of Θ.
    NotEnoughData {
        /// Samples there are, `N·T`.
        have: usize,
        /// Samples needed, `d = n + p`.
        need: usize,
    },
    /// One regressor is, to rounding, a combination of others (or always zero).
    Singular {
        /// The first such regressor, 0-based: states first, then inputs.
        regressor: usize,
    },
    /// The moments overflowed.
    NotFinite,
}

impl fmt::Display for EstimateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotEnoughData { have, need } => {
                write!(f, "least squares needs at least {need} samples (N·T), there are {have}")
            }
            Self::Singular { regressor } => {
                write!(f, "the data do not excite regressor {} apart from the others", regressor + 1)
            }
            Self::NotFinite => f.write_str("the data overflowed: an unstable system ran for too many steps"),
        }
    }
}

impl std::error::Error for EstimateError {}

/// Share of a regressor's energy that must not be explained by those before it. Below this, rounding in S alone can make
/// the factor's pivot.
const MIN_UNEXPLAINED: f64 = 1e-12;

/// Least squares from moments: `Θ = C S⁻¹`, n×d.
///
/// # Errors
/// When there are fewer samples than regressors, a regressor is a combination of others, or the moments overflowed.
pub fn least_squares(moments: &Moments) -> Result<Matrix, EstimateError> {
    let need = moments.s.nrows();
    if moments.n_samples < need {
        return Err(EstimateError::NotEnoughData { have: moments.n_samples, need });
    }
    if !moments.is_finite() {
        return Err(EstimateError::NotFinite);
    }
    solve(&moments.s, &moments.c)
}

/// `C S⁻¹` by a Cholesky factor of S scaled to unit diagonal, so that the regressors' units do not matter: the squared
/// pivot `L_kk²` is then the share of regressor k's energy that those before it do not account for.
fn solve(s: &Matrix, c: &Matrix) -> Result<Matrix, EstimateError> {
    let scales = s.diagonal().map(f64::sqrt);
    if let Some(regressor) = scales.iter().position(|&scale| scale <= 0.0) {
        return Err(EstimateError::Singular { regressor });
    }
    let correlation = Matrix::from_fn(s.nrows(), s.ncols(), |i, j| s[(i, j)] / scales[i] / scales[j]);
    let scaled_c = Matrix::from_fn(c.nrows(), c.ncols(), |i, j| c[(i, j)] / scales[j]);
    // The substitute only lets the factor run to its end, so that the pivot at fault can be named.
    let factor = Cholesky::new_with_substitute(correlation, f64::MIN_POSITIVE).ok_or(EstimateError::NotFinite)?;
    let pivots = factor.l_dirty().diagonal();
    if let Some(regressor) = pivots.iter().position(|pivot| pivot * pivot < MIN_UNEXPLAINED) {
        return Err(EstimateError::Singular { regressor });
    }
    let scaled = factor.solve(&scaled_c.transpose());
    Ok(Matrix::from_fn(c.nrows(), c.ncols(), |i, j| scaled[(j, i)] / scales[j]))
}

/// Pooled least squares: one regression on everybody's data, n×d. `None` of no clients.
///
/// # Errors
/// As [`least_squares`], of the summed moments.
pub fn pooled<'a>(clients: impl IntoIterator<Item = &'a Moments>) -> Option<Result<Matrix, EstimateError>> {
    let total = clients.into_iter().fold(None, |total: Option<Moments>, moments| match total {
        None => Some(moments.clone()),
        Some(mut total) => {
            total.add(moments);
            Some(total)
        }
    })?;
    Some(least_squares(&total))
}

/// The mean of the clients' own least squares, n×d. `None` of no clients.
///
/// # Errors
/// That of the first client whose data do not determine an estimate.
pub fn mean_of_locals<'a>(clients: impl IntoIterator<Item = &'a Moments>) -> Option<Result<Matrix, EstimateError>> {
    let mut mean = LocalMean::default();
    clients.into_iter().for_each(|moments| mean.add(&least_squares(moments)));
    mean.finish()
}

/// Averages local estimates as they come in.
#[derive(Clone, Debug, Default)]
pub struct LocalMean {
    sum: Option<Result<Matrix, EstimateError>>,
    n_clients: usize,
}

impl LocalMean {
    /// Adds a client's local estimate. The first error stays.
    pub fn add(&mut self, local: &Result<Matrix, EstimateError>) {
        self.n_clients += 1;
        match (&mut self.sum, local) {
            (None, _) => self.sum = Some(local.clone()),
            (Some(Ok(sum)), Ok(local)) => *sum += local,
            (Some(Ok(_)), Err(error)) => self.sum = Some(Err(*error)),
            (Some(Err(_)), _) => {}
        }
    }

    /// The mean, or the first error. `None` when nothing was added.
    pub fn finish(self) -> Option<Result<Matrix, EstimateError>> {
        let n_clients = self.n_clients as f64;
        self.sum.map(|sum| sum.map(|sum| sum / n_clients))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::family::{Family, Place};
    use crate::sim::rollout::{DataPlan, NoiseLevels, Samples, simulate_samples};
    use crate::sim::stream::{Purpose, Seed, stream};

    fn samples(client: usize, n_rollouts: usize) -> Samples {
        let system = Family::paper().member(Place { a: 0.1 * client as f64, b: 0.2 }, 1.0).unwrap();
        let plan = DataPlan { n_rollouts, rollout_len: 5, noise: NoiseLevels::UNIT };
        simulate_samples(&system, &plan, &mut stream(Seed(5), Purpose::Data, 0, client))
    }

    #[test]
    fn residuals_are_orthogonal_to_the_regressors() {
        let samples = samples(0, 20);
        let theta = least_squares(&samples.moments()).unwrap();
        let residuals = &samples.next - theta * &samples.z;
        assert!((residuals * samples.z.transpose()).amax() < 1e-11);
    }

    #[test]
    fn pooled_is_the_regression_on_all_samples_and_not_the_mean() {
        let clients = [samples(0, 3), samples(1, 30), samples(2, 9)];
        let moments: Vec<_> = clients.iter().map(Samples::moments).collect();
        let theta = pooled(&moments).unwrap().unwrap();
        let gradient: Matrix = clients.iter().map(|s| (&s.next - &theta * &s.z) * s.z.transpose()).sum();
        assert!(gradient.amax() < 1e-11);
        let mean = mean_of_locals(&moments).unwrap().unwrap();
        let locals: Matrix = moments.iter().map(|m| least_squares(m).unwrap()).sum();
        assert!((&mean - locals / 3.0).amax() < 1e-15);
        assert!((theta - mean).amax() > 1e-3);
    }

    #[test]
    fn without_noise_the_truth_is_found() {
        let system = Family::paper().member(Place { a: 0.3, b: 0.2 }, 1.0).unwrap();
        let noise = NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT };
        let plan = DataPlan { n_rollouts: 4, rollout_len: 5, noise };
        let data = simulate_samples(&system, &plan, &mut stream(Seed(5), Purpose::Data, 0, 0));
        assert!((least_squares(&data.moments()).unwrap() - system.theta()).amax() < 1e-12);
    }

    #[track_caller]
    fn check_error(change: impl Fn(&mut Moments), expected: EstimateError) {
        let mut moments = samples(0, 9).moments();
        change(&mut moments);
        assert_eq!(least_squares(&moments), Err(expected));
    }

    #[test]
    fn what_data_cannot_tell_is_an_error() {
        check_error(|m| m.n_samples = 4, EstimateError::NotEnoughData { have: 4, need: 5 });
        check_error(|m| m.c[(0, 0)] = f64::NAN, EstimateError::NotFinite);
        check_error(|m| m.s.row_mut(3).fill(0.0), EstimateError::Singular { regressor: 3 });
        check_error(
            |m| {
                // The last input is twice the first state, in units a thousand times smaller.
                let map = Matrix::from_fn(5, 5, |i, j| match (i, j) {
                    (4, 0) => 2e-3,
                    (4, _) => 0.0,
                    _ => f64::from(u8::from(i == j)),
                });
                m.s = &map * &m.s * map.transpose();
            },
            EstimateError::Singular { regressor: 4 },
        );
    }

    #[test]
    fn units_do_not_matter() {
        let mut moments = samples(0, 9).moments();
        let map = Matrix::from_diagonal(&nalgebra::DVector::from_row_slice(&[1e-9, 1.0, 1e9, 1.0, 1e-5]));
        let expected = least_squares(&moments).unwrap();
        moments.s = &map * &moments.s * &map;
        moments.c = &moments.c * &map;
        let got = least_squares(&moments).unwrap() * map;
        assert!((got - expected).amax() < 1e-11);
    }

    #[test]
    fn no_clients_no_estimate() {
        assert!(pooled([]).is_none());
        assert!(mean_of_locals([]).is_none());
    }

    #[test]
    fn a_client_without_enough_data_spoils_the_mean_and_not_the_pool() {
        let tiny = Moments { n_samples: 3, ..samples(1, 9).moments() };
        let moments = [samples(0, 9).moments(), tiny];
        assert!(pooled(&moments).unwrap().is_ok());
        assert_eq!(mean_of_locals(&moments), Some(Err(EstimateError::NotEnoughData { have: 3, need: 5 })));
    }
}
