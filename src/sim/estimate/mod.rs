//! One-shot estimates: least squares from moments, without rounds.
//!
//! ```text
//! local          Θ_i = C_i S_i⁻¹
//! pooled         (Σ C_i)(Σ S_i)⁻¹                                   what FedLin converges to
//! mean of locals (1/M) Σ C_i S_i⁻¹                                  eq. (FL) as printed; FedAvg's limit as K → ∞
//! weighted       (C_i + q Σ_{j≠i} C_j)(S_i + q Σ_{j≠i} S_j)⁻¹       from alone (q = 0) to pooled (q = 1)
//! personalized   (C_i + λΘ_pooled)(S_i + λI)⁻¹                      from alone (λ = 0) to pooled (λ → ∞)
//! ```
//!
//! The estimates factor Gram matrices ([`Factor`]) and never invert them.

mod factor;
mod lanes;
mod local;
mod mean_of_locals;
mod personalized;
mod pooled;
mod weighted;

use fedsysid_say::say;
use std::fmt;

use super::Matrix;
use super::fleet::Fleet;
use super::moments::Moments;
use super::target::{ErrorRecorder, Models, Truth};

pub use factor::{Factor, MIN_UNEXPLAINED};

/// Why data do not determine an estimate. Clients are 0-based here and 1-based in messages; `None` means all clients
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateError {
    /// There are fewer samples than unknowns in a row of Θ.
    NotEnoughData {
        /// The client whose data these are.
        client: Option<usize>,
        /// Number of samples, `N·T`.
        have: u64,
        /// Number of samples needed, `d = n + p`.
        need: u64,
    },
    /// One regressor is, to rounding, a linear combination of others, or always zero.
    Singular {
        /// The client whose data these are.
        client: Option<usize>,
        /// The first such regressor, 0-based: states first, then inputs.
        regressor: usize,
    },
    /// The moments overflowed.
    NotFinite,
}

impl EstimateError {
    /// This error for the data of client `which` (0-based).
    fn of_client(self, which: usize) -> Self {
        match self {
            Self::NotEnoughData { have, need, .. } => Self::NotEnoughData { client: Some(which), have, need },
            Self::Singular { regressor, .. } => Self::Singular { client: Some(which), regressor },
            Self::NotFinite => Self::NotFinite,
        }
    }
}

impl fmt::Display for EstimateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotEnoughData { client, have, need } => {
                f.write_str(&say!("least squares needs at least {need} samples (N·T), "))?;
                match client {
                    Some(client) => f.write_str(&say!("client {} has {have}", client + 1)),
                    None => f.write_str(&say!("there are {have}")),
                }
            }
            Self::Singular { client, regressor } => {
                f.write_str(say!("the data"))?;
                client.map_or(Ok(()), |client| f.write_str(&say!(" of client {}", client + 1)))?;
                f.write_str(&say!(" do not excite regressor {} apart from the others", regressor + 1))
            }
            Self::NotFinite => f.write_str(say!("the data overflowed: an unstable system ran for too many steps")),
        }
    }
}

impl std::error::Error for EstimateError {}

/// Least squares from moments: `Θ = C S⁻¹`, n×d.
///
/// # Errors
/// If there are fewer samples than regressors, a regressor is a linear combination of others, or the moments
/// overflowed.
pub fn least_squares(moments: &Moments) -> Result<Matrix, EstimateError> {
    let need = moments.s.nrows() as u64;
    if moments.n_samples < need {
        return Err(EstimateError::NotEnoughData { client: None, have: moments.n_samples, need });
    }
    if !moments.is_finite() {
        return Err(EstimateError::NotFinite);
    }
    Ok(Factor::new(&moments.s)?.solve(&moments.c))
}

/// The one-shot estimates with which a run is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// Each client's least squares on its own data.
    ClientAlone,
    /// Least squares on the data of all clients.
    Pooled,
    /// The mean of the clients' own least squares.
    MeanOfLocals,
    /// Each client's least squares with all other clients' data at a lower weight.
    Weighted {
        /// Weight q of the others' data, 0 to 1.
        weight: f64,
    },
    /// Each client's least squares with a pull towards the pooled estimate.
    Personalized {
        /// Strength λ ≥ 0 of the pull, in the units of the Gram matrices.
        pull: f64,
    },
}

impl Reference {
    /// The three estimates with which the paper and its code compare.
    pub const PAPER: [Self; 3] = [Self::ClientAlone, Self::Pooled, Self::MeanOfLocals];

    /// The error of this estimate on a fleet, for the clients that count.
    ///
    /// # Errors
    /// If the data do not determine an estimate that is needed, or the error is not finite.
    pub fn error(self, fleet: &Fleet, truth: &Truth) -> Result<f64, EstimateError> {
        let error = match self {
            Self::Pooled => shared_error(&pooled::estimate(fleet)?, truth),
            Self::MeanOfLocals => shared_error(&mean_of_locals::estimate(fleet)?, truth),
            Self::ClientAlone => lanes::error(fleet, truth, &local::Local)?,
            Self::Weighted { weight } => lanes::error(fleet, truth, &weighted::Weighted::new(fleet, weight))?,
            Self::Personalized { pull } => lanes::error(fleet, truth, &personalized::Personalized::new(fleet, pull)?)?,
        };
        // Even finite moments can be so large that the solution overflows.
        if error.is_finite() { Ok(error) } else { Err(EstimateError::NotFinite) }
    }
}

/// The error of every counting client's own least squares; NaN where its data do not determine the estimate.
pub fn errors_alone(fleet: &Fleet, truth: &Truth) -> Vec<f64> {
    lanes::errors(fleet, truth, &local::Local)
}

/// The error of one estimate that all clients share.
fn shared_error(estimate: &Matrix, truth: &Truth) -> f64 {
    let mut recorder = ErrorRecorder::new(truth, estimate.shape(), 1);
    recorder.push(truth, Models::Shared(estimate));
    recorder.finish().first().copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Family, Place};
    use crate::norm::spectral_norm;
    use crate::plan::{DataPlan, NoiseLevels};
    use crate::samples::{Samples, simulate_samples};
    use crate::stream::{Purpose, Seed, stream};
    use crate::system::LinearSystem;
    use crate::target::Target;

    fn solve(s: &Matrix, c: &Matrix) -> Matrix {
        Factor::new(s).unwrap().solve(c)
    }

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
        let fleet = fleet(&moments);
        let theta = least_squares(&fleet.total()).unwrap();
        let gradient: Matrix = clients.iter().map(|s| (&s.next - &theta * &s.z) * s.z.transpose()).sum();
        assert!(gradient.amax() < 1e-11);
        let mean = mean_of_locals::estimate(&fleet).unwrap();
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
        check_error(|m| m.n_samples = 4, EstimateError::NotEnoughData { client: None, have: 4, need: 5 });
        check_error(|m| m.c[(0, 0)] = f64::NAN, EstimateError::NotFinite);
        check_error(|m| m.s.row_mut(3).fill(0.0), EstimateError::Singular { client: None, regressor: 3 });
        check_error(
            |m| {
                // The last input becomes a multiple of the first state, with much smaller values.
                let map = Matrix::from_fn(5, 5, |i, j| match (i, j) {
                    (4, 0) => 2e-3,
                    (4, _) => 0.0,
                    _ => f64::from(u8::from(i == j)),
                });
                m.s = &map * &m.s * map.transpose();
            },
            EstimateError::Singular { client: None, regressor: 4 },
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

    fn systems(n_clients: usize) -> Vec<LinearSystem> {
        (0..n_clients).map(|_| Family::paper().nominal().clone()).collect()
    }

    fn error(reference: Reference, moments: &[Moments], target: Target) -> Result<f64, EstimateError> {
        reference.error(&fleet(moments), &Truth::new(target, &systems(moments.len())))
    }

    /// Compares every reference with its definition, client by client.
    #[test]
    fn errors_follow_the_definitions() {
        let moments: Vec<_> = (0..19).map(|client| samples(client, 2 + client).moments()).collect();
        let truth = Family::paper().nominal().theta();
        let others = |i: usize| {
            let mut others = Moments::zeros(Family::paper().dims());
            moments.iter().enumerate().filter(|&(j, _)| j != i).for_each(|(_, m)| others.add(m));
            others
        };
        let pooled = least_squares(&fleet(&moments).total()).unwrap();
        let estimate = |reference: Reference, i: usize| {
            let (own, others) = (&moments[i], others(i));
            match reference {
                Reference::ClientAlone => least_squares(own).unwrap(),
                Reference::Pooled => pooled.clone(),
                Reference::MeanOfLocals => moments.iter().map(|m| least_squares(m).unwrap()).sum::<Matrix>() / 19.0,
                Reference::Weighted { weight } => solve(&(&own.s + others.s * weight), &(&own.c + others.c * weight)),
                Reference::Personalized { pull } => {
                    solve(&(&own.s + Matrix::identity(5, 5) * pull), &(&own.c + &pooled * pull))
                }
            }
        };
        let more = [Reference::Weighted { weight: 0.3 }, Reference::Personalized { pull: 40.0 }];
        for reference in Reference::PAPER.into_iter().chain(more) {
            let errors: Vec<_> = (0..19).map(|i| spectral_norm(&(estimate(reference, i) - &truth))).collect();
            let close = |target, expected: f64| {
                let got = error(reference, &moments, target).unwrap();
                assert!((got - expected).abs() < 1e-11 * expected, "{reference:?} {target:?}: {got} {expected}");
            };
            close(Target::Client(0), errors[0]);
            close(Target::Client(11), errors[11]);
            close(Target::Worst, errors.iter().copied().fold(0.0, f64::max));
            close(Target::Mean, errors.iter().sum::<f64>() / 19.0);
        }
    }

    #[test]
    fn weighting_and_personalizing_lead_from_alone_to_pooled() {
        let moments: Vec<_> = (0..9).map(|client| samples(client, 20).moments()).collect();
        let of = |reference| error(reference, &moments, Target::Client(0)).unwrap();
        let (alone, pooled) = (of(Reference::ClientAlone), of(Reference::Pooled));
        let near = |reference, expected: f64| assert!((of(reference) - expected).abs() < 1e-6, "{reference:?}");
        near(Reference::Weighted { weight: 0.0 }, alone);
        near(Reference::Weighted { weight: 1.0 }, pooled);
        near(Reference::Personalized { pull: 0.0 }, alone);
        near(Reference::Personalized { pull: 1e12 }, pooled);
        let half = of(Reference::Weighted { weight: 0.5 });
        assert!((half - alone).abs() > 1e-4 && (half - pooled).abs() > 1e-4);
    }

    #[track_caller]
    fn check_errors(moments: &[Moments], first: Option<EstimateError>, mean: Option<EstimateError>) {
        assert_eq!(error(Reference::ClientAlone, moments, Target::Client(0)).err(), first);
        assert_eq!(error(Reference::MeanOfLocals, moments, Target::Client(0)).err(), mean);
        assert_eq!(error(Reference::ClientAlone, moments, Target::Mean).err(), mean);
    }

    #[test]
    fn a_client_without_enough_data_is_named_and_spoils_the_mean_and_not_the_pool() {
        let tiny = Moments { n_samples: 3, ..samples(1, 9).moments() };
        let mut endless = samples(2, 9).moments();
        endless.c[(0, 0)] = f64::INFINITY;
        let good = samples(0, 9).moments();
        let too_few = |client| Some(EstimateError::NotEnoughData { client: Some(client), have: 3, need: 5 });
        check_errors(&[good.clone(), tiny.clone()], None, too_few(1));
        check_errors(&[tiny.clone(), good.clone()], too_few(0), too_few(0));
        check_errors(&[good.clone(), endless, tiny.clone()], None, Some(EstimateError::NotFinite));
        let rescued = [Reference::Pooled, Reference::Weighted { weight: 0.1 }, Reference::Personalized { pull: 1.0 }];
        for reference in rescued {
            assert!(error(reference, &[tiny.clone(), good.clone()], Target::Worst).is_ok(), "{reference:?}");
        }
    }

    #[test]
    fn reasons_name_the_client_from_one_on() {
        let too_few = EstimateError::NotEnoughData { client: None, have: 3, need: 5 };
        assert_eq!(too_few.to_string(), "least squares needs at least 5 samples (N·T), there are 3");
        assert_eq!(too_few.of_client(0).to_string(), "least squares needs at least 5 samples (N·T), client 1 has 3");
        let singular = EstimateError::Singular { client: Some(4), regressor: 1 };
        assert_eq!(singular.to_string(), "the data of client 5 do not excite regressor 2 apart from the others");
    }

    fn fleet(moments: &[Moments]) -> Fleet {
        let mut fleet = Fleet::new(Family::paper().dims());
        for moments in moments {
            fleet.add(moments, 1);
        }
        fleet
    }
}
