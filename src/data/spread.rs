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
//!
//! Some states have no noise: x1⁺ = x1 + Δt·x2, or a copy of what another state was. Nothing is left of such a state in any
//! client but rounding, so it is no part of F or of its degrees of freedom. If it is left by one model for all, though, no noise
//! can be the reason, and the clients differ for certain.

use crate::Matrix;
use crate::estimate::Estimate;
use crate::special::f_tail;
use crate::sums::Sums;

/// How far clients differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Clients whose data determine a system of their own.
    pub n_clients: usize,
    /// τ: the root mean square of ‖Θ⁽ⁱ⁾ − mean‖_F, beyond what noise explains; 0 if nothing is.
    pub between: f64,
    /// What noise adds to the distance of a local estimate: the root of the mean v_i.
    pub noise: f64,
    /// States, 0-based, that every client's own model predicts without error, and one model for all does not: in these the
    /// clients differ for certain.
    pub differing: Vec<usize>,
    /// States, 0-based, that one model for all predicts without error. They have no noise to hold differences against.
    pub exact: Vec<usize>,
    /// The F test over all other states; none where there are no others.
    pub test: Option<Test>,
}

/// The F test of equal coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// F, about 1 for clients that are alike.
    pub f: f64,
    /// The probability of a larger F for clients that are alike.
    pub p_value: f64,
}

/// Why it cannot be told how far clients differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// Fewer than two clients have an estimate.
    FewClients,
    /// A client has no sample to spare, so that its noise is not known.
    NoneToSpare,
    /// One model for all predicts every state of every client without error: nothing differs, and there is no noise to
    /// test with.
    NoNoise,
}

/// How much more than rounding has to be left before clients differ for certain: decimals in a file are rounded too, and a
/// model of its own follows such errors more closely than one for all.
const CERTAIN: f64 = 1_000.0;

impl Spread {
    /// How far those clients differ that have an estimate, from the sums and the estimate of each.
    ///
    /// # Errors
    /// Why that cannot be told.
    pub fn of(clients: &[(Sums, Estimate)]) -> Result<Self, Untold> {
        let [(sums, first), _, ..] = clients else { return Err(Untold::FewClients) };
        let (n, d) = first.theta.shape();
        let m = clients.len();
        let total = Sums::total(sums.dims(), clients.iter().map(|(sums, _)| sums));
        if clients.iter().any(|(_, estimate)| estimate.degrees == 0) {
            return Err(Untold::NoneToSpare);
        }
        let degrees = clients.iter().map(|(_, estimate)| estimate.degrees).sum::<u64>() as f64;
        let pooled = Estimate::of(&total).map_err(|_| Untold::NoneToSpare)?;
        let mean = clients.iter().fold(Matrix::zeros(n, d), |sum, (_, own)| sum + &own.theta) / m as f64;
        let squares: f64 = clients.iter().map(|(_, own)| (&own.theta - &mean).norm_squared()).sum();
        let noise = clients.iter().map(|(_, own)| own.total_variance()).sum::<f64>() / m as f64;
        let left = |j: usize| clients.iter().map(|(_, own)| own.noise_std[j].powi(2) * own.degrees as f64).sum::<f64>();
        let (mut differing, mut exact, mut f, mut n_noisy) = (Vec::new(), Vec::new(), 0.0, 0_usize);
        for (j, (together, rounding)) in total.residuals_and_rounding(&pooled.theta).into_iter().enumerate() {
            let left = left(j);
            if left > 0.0 {
                n_noisy += 1;
                f += (together - left).max(0.0) * degrees / left;
            } else if together > CERTAIN * rounding {
                differing.push(j);
            } else {
                exact.push(j);
            }
        }
        if exact.len() == n {
            return Err(Untold::NoNoise);
        }
        let (top, bottom) = ((n_noisy * d * (m - 1)) as f64, n_noisy as f64 * degrees);
        let test = || Test { f: f / top, p_value: f_tail(f / top, top, bottom) };
        Ok(Self {
            n_clients: m,
            between: (squares / (m - 1) as f64 - noise).max(0.0).sqrt(),
            noise: noise.sqrt(),
            differing,
            exact,
            test: (n_noisy > 0).then(test),
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
        let n_found = (0..400).filter(|&trial| spread(&systems, trial).test.unwrap().p_value < 0.05).count();
        assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
    }

    #[test]
    fn clients_that_differ_are_found_to() {
        let found = spread(&systems(1.0), 0).test.unwrap();
        assert!(found.p_value < 1e-6 && found.f > 2.0, "{found:?}");
    }

    /// Clients with a position, which moves on by a speed times `dt`, and a speed with noise of this size.
    fn carts(dt: impl Fn(usize) -> f64, noise: f64, trial: usize) -> Vec<(Sums, Estimate)> {
        let client = |client: usize| {
            let system = LinearSystem::new(
                Matrix::from_row_slice(2, 2, &[1.0, dt(client), -0.2, 0.7]),
                Matrix::from_row_slice(2, 1, &[0.0, 1.0]),
            );
            let level = NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT };
            let plan = DataPlan { n_rollouts: 8, rollout_len: 5, noise: level };
            let rng = &mut stream(Seed(4), Purpose::Data, trial, client);
            let mut samples = simulate_samples(&system.unwrap(), &plan, rng);
            let shaken = simulate_samples(&Family::paper().member(Place { a: 0.0, b: 0.0 }, 0.0).unwrap(), &plan, rng);
            for (next, shake) in samples.next.row_mut(1).iter_mut().zip(shaken.z.row(4).iter()) {
                *next += noise * shake;
            }
            let sums = sums(&samples);
            let estimate = Estimate::of(&sums).unwrap();
            (sums, estimate)
        };
        (0..4).map(client).collect()
    }

    /// Of two states one has no noise: the test is that of the other alone.
    #[test]
    fn a_state_without_noise_is_no_part_of_the_test() {
        let mut n_found = 0;
        for trial in 0..400 {
            let clients = carts(|_| 0.1, 1.0, trial);
            let found = Spread::of(&clients).unwrap();
            assert_eq!((&found.exact[..], &found.differing[..]), (&[0][..], &[][..]));
            let total = Sums::total(clients[0].0.dims(), clients.iter().map(|(sums, _)| sums));
            let one = total.squared_residuals(&Estimate::of(&total).unwrap().theta)[1];
            let many: f64 = clients.iter().map(|(sums, own)| sums.squared_residuals(&own.theta)[1]).sum();
            let (top, bottom) = (3.0 * 3.0, 4.0 * 37.0);
            let f = (one - many) / top / (many / bottom);
            let test = found.test.unwrap();
            assert!((test.f / f - 1.0).abs() < 1e-9, "{} {f}", test.f);
            assert!((test.p_value - f_tail(f, top, bottom)).abs() < 1e-9);
            n_found += usize::from(test.p_value < 0.05);
        }
        assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
    }

    #[test]
    fn clients_that_differ_in_what_has_no_noise_differ_for_certain() {
        let found = Spread::of(&carts(|client| 0.1 + 1e-3 * client as f64, 1.0, 0)).unwrap();
        assert_eq!((&found.exact[..], &found.differing[..]), (&[][..], &[0][..]));
        assert!(found.test.unwrap().p_value > 0.01, "the other state is alike");
        let found = Spread::of(&carts(|client| 0.1 * client as f64, 0.0, 0)).unwrap();
        assert_eq!((&found.exact[..], &found.differing[..], found.test), (&[1][..], &[0][..], None));
        // Four steps from 0 to 0.3 have this root mean square about their mean.
        assert!((found.between - (0.05_f64 / 3.0).sqrt()).abs() < 1e-9 && found.noise == 0.0, "{found:?}");
    }

    #[test]
    fn without_any_noise_there_is_nothing_to_test_with() {
        assert_eq!(Spread::of(&carts(|_| 0.1, 0.0, 0)), Err(Untold::NoNoise));
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
        assert_eq!(Spread::of(&[one]), Err(Untold::FewClients));
        assert_eq!(Spread::of(&[]), Err(Untold::FewClients));
    }
}
