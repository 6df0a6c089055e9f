//! How far clients differ, as far as their data tell.
//!
//! Local estimates differ for two reasons: the clients' systems do, and the noise. With `v_i = Σ_jk s.e.(Θ̂_i,jk)²`, the mean square that
//! noise makes,
//!
//! ```text
//! τ² = Σ_i ‖Θ̂_i − mean‖_F² / (M − 1)  −  (1/M) Σ_i v_i
//! ```
//!
//! is without bias for the variance of the systems (the analysis-of-variance estimator of random-effects models: Hedges, "A
//! random effects model for effect sizes", 1983). Below zero it says 0. Whether it is anything at all is told by the F test of
//! equal coefficients (Chow, "Tests of equality between sets of coefficients in two linear regressions", 1960): the squares that
//! one model for all leaves more than M models do, against those that these leave, each state's in units of its noise.

use crate::Matrix;
use crate::estimate::Estimate;
use crate::special::f_tail;
use crate::sums::Sums;

/// How far clients differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Clients whose data determine a system of their own.
    pub n_clients: usize,
    /// τ: the root mean square of ‖Θ⁽ⁱ⁾ − mean‖_F, beyond what noise explains; 0 if nothing is.
    pub between: f64,
    /// What noise adds to the distance of a local estimate: the root of the mean v_i.
    pub noise: f64,
    /// F, about 1 for clients that are alike.
    pub f: f64,
    /// The probability of a larger F for clients that are alike.
    pub p_value: f64,
}

impl Spread {
    /// That of the clients that have an estimate; none with fewer than two, or without a sample to spare.
    pub fn of(clients: &[(Sums, Estimate)]) -> Option<Self> {
        let (sums, first) = clients.first()?;
        let (n, d) = first.theta.shape();
        let m = clients.len();
        let total = Sums::total(sums.dims(), clients.iter().map(|(sums, _)| sums));
        let degrees = total.n_samples().checked_sub((m * d) as u64).filter(|degrees| *degrees > 0)? as f64;
        if m < 2 || clients.iter().any(|(_, estimate)| estimate.degrees == 0) {
            return None;
        }
        let pooled = Estimate::of(&total).ok()?;
        let mean = clients.iter().fold(Matrix::zeros(n, d), |sum, (_, own)| sum + &own.theta) / m as f64;
        let squares: f64 = clients.iter().map(|(_, own)| (&own.theta - &mean).norm_squared()).sum();
        let noise = clients.iter().map(|(_, own)| own.total_variance()).sum::<f64>() / m as f64;
        let left = |j: usize| clients.iter().map(|(_, own)| own.noise_std[j].powi(2) * own.degrees as f64).sum::<f64>();
        let together = total.squared_residuals(&pooled.theta);
        let (top, bottom) = ((n * d * (m - 1)) as f64, n as f64 * degrees);
        let excess = |j: usize| (together[j] - left(j)).max(0.0) * degrees / left(j);
        let f = (0..n).map(excess).sum::<f64>() / top;
        Some(Self {
            n_clients: m,
            between: (squares / (m - 1) as f64 - noise).max(0.0).sqrt(),
            noise: noise.sqrt(),
            f,
            p_value: f_tail(f, top, bottom),
        })
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
    use fedsysid_sim::system::LinearSystem;

    const N_CLIENTS: usize = 20;

    fn systems(heterogeneity: f64) -> Vec<LinearSystem> {
        let place = |client: usize| Place { a: (client * 7 % 20) as f64 / 20.0, b: (client * 3 % 20) as f64 / 20.0 };
        (0..N_CLIENTS).map(|client| Family::paper().member(place(client), heterogeneity).unwrap()).collect()
    }

    fn spread(systems: &[LinearSystem], trial: usize) -> Spread {
        let plan = DataPlan { n_rollouts: 12, rollout_len: 5, noise: NoiseLevels::UNIT };
        let clients: Vec<_> = systems
            .iter()
            .enumerate()
            .map(|(client, system)| {
                let sums = sums(&simulate_samples(system, &plan, &mut stream(Seed(3), Purpose::Data, trial, client)));
                let estimate = Estimate::of(&sums).unwrap();
                (sums, estimate)
            })
            .collect();
        Spread::of(&clients).unwrap()
    }

    /// The variance of the true systems, which their data are to tell.
    #[test]
    fn the_mean_over_data_sets_is_the_variance_of_the_systems() {
        for heterogeneity in [0.5, 1.0] {
            let systems = systems(heterogeneity);
            let mean = systems.iter().fold(Matrix::zeros(3, 5), |sum, system| sum + system.theta()) / N_CLIENTS as f64;
            let squares: f64 = systems.iter().map(|system| (system.theta() - &mean).norm_squared()).sum();
            let truth = squares / (N_CLIENTS - 1) as f64;
            let found = (0..200).map(|trial| spread(&systems, trial).between.powi(2)).sum::<f64>() / 200.0;
            assert!((found / truth - 1.0).abs() < 0.1, "ε = {heterogeneity}: {found}, truth {truth}");
        }
    }

    #[test]
    fn clients_that_are_alike_are_found_to_differ_as_rarely_as_the_test_says() {
        let systems = systems(0.0);
        let n_found = (0..400).filter(|&trial| spread(&systems, trial).p_value < 0.05).count();
        assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
    }

    #[test]
    fn clients_that_differ_are_found_to() {
        let found = spread(&systems(1.0), 0);
        assert!(found.p_value < 1e-6 && found.f > 2.0, "{found:?}");
    }

    #[test]
    fn one_client_differs_from_nobody() {
        let one = (
            Sums::new(crate::Dims { n_states: 1, n_inputs: 0 }),
            Estimate {
                theta: Matrix::zeros(1, 1),
                standard_errors: Matrix::zeros(1, 1),
                noise_std: vec![1.0],
                degrees: 5,
            },
        );
        assert_eq!(Spread::of(&[one]), None);
        assert_eq!(Spread::of(&[]), None);
    }
}
