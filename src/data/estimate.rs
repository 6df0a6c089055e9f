//! Least squares with standard errors.
//!
//! ```text
//! Θ̂ = C S⁻¹        σ̂_j² = Σ (x⁺_j − θ̂_j z)² / (N − d)        s.e.(Θ̂_jk) = √(σ̂_j² (S⁻¹)_kk)
//! ```
//!
//! and Θ̂_jk ± t·s.e. with the 97.5 % quantile of Student's t with N − d degrees of freedom. These intervals are exact
//! if the regressors do not depend on the noise. In rollouts the states depend on it, and the intervals hold as N grows
//! (Mann and Wald, "On the statistical treatment of linear stochastic difference equations", 1943).

use fedsysid_sim::estimate::EstimateError;

use crate::Matrix;
use crate::special::t_quantile;
use crate::sums::Sums;

/// A model with its standard errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Θ̂ = [Â B̂], n×d.
    pub theta: Matrix,
    /// Standard errors of its entries, n×d; NaN without degrees of freedom.
    pub standard_errors: Matrix,
    /// σ̂_j, the standard deviation of the noise of each state, in the state's unit: n of them. 0 for a state without
    /// noise, NaN without degrees of freedom.
    pub noise_std: Vec<f64>,
    /// The degrees of freedom N − d, with N samples of d regressors.
    pub degrees: u64,
}

impl Estimate {
    /// The least-squares estimate from the sums of one or several clients, with its standard errors.
    ///
    /// # Errors
    /// If the data do not determine the estimate.
    pub fn of(sums: &Sums) -> Result<Self, EstimateError> {
        let (theta, factor) = sums.solved()?;
        let d = theta.ncols();
        let degrees = sums.n_samples() - d as u64;
        let variance = |squares: f64| if degrees == 0 { f64::NAN } else { squares / degrees as f64 };
        let noise_std: Vec<_> = sums.squared_residuals(&theta).into_iter().map(|sum| variance(sum).sqrt()).collect();
        let inverse = factor.inverse();
        let standard_errors = Matrix::from_fn(theta.nrows(), d, |j, k| noise_std[j] * inverse[(k, k)].max(0.0).sqrt());
        Ok(Self { theta, standard_errors, noise_std, degrees })
    }

    /// Half the width of a 95 % confidence interval of an entry, in standard errors; NaN without degrees of freedom.
    pub fn quantile(&self) -> f64 {
        t_quantile(self.degrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sums::tests::sums;
    use fedsysid_sim::family::{Family, Place};
    use fedsysid_sim::plan::{DataPlan, NoiseLevels};
    use fedsysid_sim::samples::simulate_samples;
    use fedsysid_sim::stream::{Purpose, Seed, stream};

    const PLAN: DataPlan = DataPlan { n_rollouts: 25, rollout_len: 5, noise: NoiseLevels::UNIT };

    /// A thousand data sets of a system with 15 parameters: short rollouts, few rollouts, and one long rollout.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let system = Family::paper().member(Place { a: 0.3, b: 0.6 }, 0.5).unwrap();
        let theta = system.theta();
        let few = DataPlan { n_rollouts: 4, ..PLAN };
        let long = DataPlan { n_rollouts: 1, rollout_len: 60, ..PLAN };
        for plan in [PLAN, few, long] {
            let mut covered = 0;
            for trial in 0..1_000 {
                let mut rng = stream(Seed(11), Purpose::Data, trial, 0);
                let estimate = Estimate::of(&sums(&simulate_samples(&system, &plan, &mut rng))).unwrap();
                let t = estimate.quantile();
                let misses = (&estimate.theta - &theta).abs() - estimate.standard_errors * t;
                covered += misses.iter().filter(|miss| **miss <= 0.0).count();
            }
            let share = covered as f64 / (1_000.0 * 15.0);
            assert!((0.93..=0.97).contains(&share), "{plan:?}: {share}");
        }
    }

    #[test]
    fn the_noise_is_found() {
        let system = Family::paper().member(Place { a: 0.0, b: 0.0 }, 0.0).unwrap();
        let noise = NoiseLevels { process_noise_std: 0.25, ..NoiseLevels::UNIT };
        let plan = DataPlan { n_rollouts: 4_000, noise, ..PLAN };
        let estimate =
            Estimate::of(&sums(&simulate_samples(&system, &plan, &mut stream(Seed(1), Purpose::Data, 0, 0))));
        for std in estimate.unwrap().noise_std {
            assert!((std - 0.25).abs() < 0.005, "{std}");
        }
    }

    #[test]
    fn as_many_samples_as_regressors_leave_no_error_to_tell() {
        let system = Family::paper().member(Place { a: 0.0, b: 0.0 }, 0.0).unwrap();
        let one = DataPlan { n_rollouts: 1, ..PLAN };
        let estimate = Estimate::of(&sums(&simulate_samples(&system, &one, &mut stream(Seed(1), Purpose::Data, 0, 0))));
        let estimate = estimate.unwrap();
        assert_eq!(estimate.degrees, 0);
        assert!(estimate.standard_errors.iter().all(|error| error.is_nan()) && estimate.quantile().is_nan());
    }
}
