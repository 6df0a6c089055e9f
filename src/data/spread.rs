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
//! random effects model for effect sizes", 1983). Below zero it says 0.
//!
//! Whether it is anything at all is told by a test of equal coefficients that lets every client have its own noise in every
//! state. (That of Chow, 1960, takes all noise to be the same: of clients that are alike, some with little noise and many
//! samples, it says nearly always that they differ.) It is the likelihood ratio: for each state j the θ_j that makes the sum least,
//!
//! ```text
//! Λ = Σ_ij k_i λ_ij        λ_ij = ln(RSS_ij(θ_j)/RSS_ij) = ln(1 + (θ̂_ij − θ_j)ᵀ S_i (θ̂_ij − θ_j)/RSS_ij)
//! ```
//!
//! which is the mean of the θ̂_ij with weights S_i k_i/RSS_ij(θ_j). For the true θ_j and regressors that do not depend on the noise,
//! exp(−λ_ij) is exactly Beta(ν_i/2, d/2) with ν_i = N_i − d (Wilks, "Certain generalizations in the analysis of variance", 1932). So
//! k_i, about ν_i, makes the mean of each k_i λ_ij what it is for known noise, d, as Bartlett does ("Properties of sufficiency and
//! statistical tests", 1937); and each client's term is brought to its law by itself before they are added, as Alexander and
//! Govern do ("A new and simpler approximation for ANOVA under variance heterogeneity", 1994). A Wald statistic, corrected for
//! estimated variances to first order (Welch, 1951; Johansen, 1980), is the same for large ν_i, but of many clients with few
//! samples it says far too often that they differ. Λ has mean f₁ = d(M − 1) a state; its variance is more than 2f₁ in the
//! proportion s = Σ k_i² var λ_ij / 2d, over their number. F with f₁ and f₂ degrees of freedom, brought to mean 1, has that
//! variance too with
//!
//! ```text
//! F = Λ/f₁ · f₂/(f₂ − 2)        f₂ = (f₁ − 2 + 4s)/(s − 1)
//! ```
//!
//! The noise of different states is taken to be independent.
//!
//! Some states have no noise: x1⁺ = x1 + Δt·x2, or a copy of what another state was. Where nothing is left of such a state in any
//! client but rounding, it is no part of F or of its degrees of freedom. If it is left by one model for all, though, no noise
//! can be the reason, and the clients differ for certain. Where only some clients have no noise in a state, the others' are
//! held against the model of these.

use crate::Matrix;
use crate::estimate::Estimate;
use crate::special::{f_tail, log_beta};
use crate::sums::Sums;
use fedsysid_sim::estimate::least_squares;
use fedsysid_sim::moments::Moments;

/// How far clients differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Clients whose data determine a system of their own.
    pub n_clients: usize,
    /// τ: the root mean square of ‖Θ⁽ⁱ⁾ − mean‖_F, beyond what noise explains; 0 if nothing is.
    pub between: f64,
    /// What noise adds to the distance of a local estimate: the root of the mean v_i.
    pub noise: f64,
    /// States, 0-based, that several clients' own models predict without error, and one model for these clients does not:
    /// in these the clients differ for certain.
    pub differing: Vec<usize>,
    /// States, 0-based, that one model for all predicts without error. They have no noise to hold differences against.
    pub exact: Vec<usize>,
    /// The test over all other states; none where there are no others.
    pub test: Option<Test>,
}

/// The test of equal coefficients of clients that each have their own noise.
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
        if clients.iter().any(|(_, estimate)| estimate.degrees == 0) {
            return Err(Untold::NoneToSpare);
        }
        let pooled = |sums: &Sums| Estimate::of(sums).map_err(|_| Untold::NoneToSpare);
        pooled(&Sums::total(sums.dims(), clients.iter().map(|(sums, _)| sums)))?;
        let mean = clients.iter().fold(Matrix::zeros(n, d), |sum, (_, own)| sum + &own.theta) / m as f64;
        let squares: f64 = clients.iter().map(|(_, own)| (&own.theta - &mean).norm_squared()).sum();
        let noise = clients.iter().map(|(_, own)| own.total_variance()).sum::<f64>() / m as f64;
        let laws: Vec<_> = clients.iter().map(|(sums, own)| Law::new(sums, own)).collect();
        let (mut differing, mut exact, mut ratio) = (Vec::new(), Vec::new(), Ratio::default());
        for j in 0..n {
            let (noisy, still): (Vec<_>, Vec<_>) = (0..m).partition(|&client| clients[client].1.noise_std[j] > 0.0);
            let mut known = None;
            if !still.is_empty() {
                let together = Sums::total(sums.dims(), still.iter().map(|&client| &clients[client].0));
                let theta = pooled(&together)?.theta;
                let (left, rounding) = together.residuals_and_rounding(&theta)[j];
                if left > CERTAIN * rounding {
                    differing.push(j);
                    continue;
                }
                known = Some(theta.rows(j, 1).into_owned());
            }
            if noisy.is_empty() {
                exact.push(j);
            } else {
                let of_client = |client: usize| Of { law: &laws[client], own: &clients[client].1, state: j };
                ratio.add(&noisy.into_iter().map(of_client).collect::<Vec<_>>(), known.as_ref())?;
            }
        }
        if exact.len() == n {
            return Err(Untold::NoNoise);
        }
        Ok(Self {
            n_clients: m,
            between: (squares / (m - 1) as f64 - noise).max(0.0).sqrt(),
            noise: noise.sqrt(),
            differing,
            exact,
            test: ratio.test(),
        })
    }
}

/// What is to be known of a client's ratios λ, which have the same law in every state.
struct Law {
    moments: Moments,
    /// k, which makes the mean of k λ the number of regressors.
    factor: f64,
    /// The variance of k λ.
    variance: f64,
}

impl Law {
    fn new(sums: &Sums, own: &Estimate) -> Self {
        let d = own.theta.ncols() as f64;
        let (mean, variance) = log_beta(0.5 * own.degrees as f64, 0.5 * d);
        let factor = d / mean;
        Self { moments: sums.moments(), factor, variance: factor * factor * variance }
    }
}

/// A client in a state in which it has noise.
struct Of<'a> {
    law: &'a Law,
    own: &'a Estimate,
    state: usize,
}

impl Of<'_> {
    /// The squares that the client's own model leaves.
    fn left(&self) -> f64 {
        self.own.noise_std[self.state].powi(2) * self.own.degrees as f64
    }

    /// The squares that a row θ (1×d) leaves beyond these.
    fn beyond(&self, theta: &Matrix) -> f64 {
        let off = theta - self.own.theta.rows(self.state, 1);
        (&off * &self.law.moments.s).dot(&off).max(0.0)
    }
}

/// The likelihood ratio, summed over states.
#[derive(Default)]
struct Ratio {
    /// Λ.
    statistic: f64,
    /// f₁, its mean for clients that are alike.
    degrees: f64,
    /// The sum of the variances of all k λ, and what it is for known noise.
    variance: f64,
    least_variance: f64,
}

/// Rounds of weighting at most. With many samples to spare in every client a few are enough.
const MOST_WEIGHTINGS: usize = 50;

impl Ratio {
    /// Adds a state, in which these clients have noise. Where others have none, `known` is their row of Θ (1×d).
    fn add(&mut self, clients: &[Of<'_>], known: Option<&Matrix>) -> Result<(), Untold> {
        let Some(first) = clients.first() else { return Ok(()) };
        let d = first.own.theta.ncols() as f64;
        let n_free = clients.len() - usize::from(known.is_none());
        let mut beyond = vec![0.0; clients.len()];
        let mut statistic = f64::INFINITY;
        for _ in 0..MOST_WEIGHTINGS {
            let theta = if let Some(theta) = known { theta.clone() } else { weighted_mean(clients, &beyond)? };
            let before = statistic;
            statistic = 0.0;
            for (client, beyond) in clients.iter().zip(&mut beyond) {
                *beyond = client.beyond(&theta);
                statistic += client.law.factor * libm::log1p(*beyond / client.left());
            }
            if known.is_some() || statistic >= before * (1.0 - 1e-9) {
                break;
            }
        }
        self.statistic += statistic;
        self.degrees += d * n_free as f64;
        self.variance += clients.iter().map(|client| client.law.variance).sum::<f64>();
        self.least_variance += 2.0 * d * clients.len() as f64;
        Ok(())
    }

    /// The test; none without any state.
    fn test(&self) -> Option<Test> {
        let Self { statistic, degrees, variance, least_variance } = *self;
        let excess = (variance / least_variance - 1.0).max(0.0);
        let bottom = ((degrees + 2.0 + 4.0 * excess) / excess).min(AS_IF_KNOWN);
        let f = statistic / degrees * bottom / (bottom - 2.0);
        (degrees > 0.0).then(|| Test { f, p_value: f_tail(f, degrees, bottom) })
    }
}

/// Degrees of freedom with which noise is as good as known.
const AS_IF_KNOWN: f64 = 1e7;

/// The mean of the clients' rows of Θ̂ (1×d), weighted by how well each is known if it leaves so much more than its own.
fn weighted_mean(clients: &[Of<'_>], beyond: &[f64]) -> Result<Matrix, Untold> {
    let weights = || clients.iter().zip(beyond).map(|(client, beyond)| client.law.factor / (client.left() + beyond));
    // No weight is larger than 1, so that nothing overflows in whatever unit.
    let largest = weights().fold(0.0, f64::max);
    let (mut s, mut c, mut n_samples) = (0.0 * &clients[0].law.moments.s, 0.0 * clients[0].own.theta.rows(0, 1), 0);
    for (Of { law, state, .. }, weight) in clients.iter().zip(weights()) {
        s += &law.moments.s * (weight / largest);
        c += law.moments.c.rows(*state, 1) * (weight / largest);
        n_samples += law.moments.n_samples;
    }
    least_squares(&Moments { s, c, n_samples }).map_err(|_| Untold::NoneToSpare)
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

    fn clients(systems: &[LinearSystem], plan: impl Fn(usize) -> DataPlan, trial: usize) -> Vec<(Sums, Estimate)> {
        let client = |(client, system): (usize, &LinearSystem)| {
            let rng = &mut stream(Seed(3), Purpose::Data, trial, client);
            let sums = sums(&simulate_samples(system, &plan(client), rng));
            let estimate = Estimate::of(&sums).unwrap();
            (sums, estimate)
        };
        systems.iter().enumerate().map(client).collect()
    }

    /// Rollouts of five samples with noise of this size.
    fn plan(n_rollouts: usize, process_noise_std: f64) -> DataPlan {
        DataPlan { n_rollouts, rollout_len: 5, noise: NoiseLevels { process_noise_std, ..NoiseLevels::UNIT } }
    }

    fn spread(systems: &[LinearSystem], trial: usize) -> Spread {
        Spread::of(&clients(systems, |_| plan(12, 1.0), trial)).unwrap()
    }

    /// The probability of a larger F if all clients' noise were the same (Chow's test).
    fn chow(clients: &[(Sums, Estimate)]) -> f64 {
        let (m, (n, d)) = (clients.len() as f64, clients[0].1.theta.shape());
        let total = Sums::total(clients[0].0.dims(), clients.iter().map(|(sums, _)| sums));
        let one = total.squared_residuals(&Estimate::of(&total).unwrap().theta);
        let degrees: f64 = clients.iter().map(|(_, own)| own.degrees as f64).sum();
        let left = |j: usize| -> f64 { clients.iter().map(|(sums, own)| sums.squared_residuals(&own.theta)[j]).sum() };
        let sum: f64 = (0..n).map(|j| (one[j] - left(j)) * degrees / left(j)).sum();
        let top = (n * d) as f64 * (m - 1.0);
        f_tail(sum / top, top, n as f64 * degrees)
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

    /// Ten clients that are alike, and sixty with five samples to spare each: at 5 %, 3 to 8 % are found to differ.
    #[test]
    fn noise_may_be_each_clients_own_and_samples_few() {
        let alike = systems(0.0);
        let many: Vec<_> = (0..60).map(|client| alike[client % N_CLIENTS].clone()).collect();
        let one_louder = |client: usize| plan(12, if client == 0 { 5.0 } else { 1.0 });
        let unequal = |client: usize| if client < 5 { plan(40, 0.2) } else { plan(12, 1.0) };
        let reversed = |client: usize| if client < 5 { plan(40, 1.0) } else { plan(12, 0.2) };
        let share = |systems: &[LinearSystem], plan: &dyn Fn(usize) -> DataPlan, n_trials: usize| {
            let p_value = |trial| Spread::of(&clients(systems, plan, trial)).unwrap().test.unwrap().p_value;
            (0..n_trials).filter(|&trial| p_value(trial) < 0.05).count() as f64 / n_trials as f64
        };
        let equal = share(&alike[..10], &|_| plan(12, 1.0), 1_000);
        let louder = share(&alike[..10], &one_louder, 1_000);
        let unequal = share(&alike[..10], &unequal, 1_000);
        let reversed = share(&alike[..10], &reversed, 1_000);
        let few = share(&alike[..10], &|_| plan(2, 1.0), 1_000);
        let two = share(&alike[..2], &|client| plan(2 + 18 * client, 1.0 - 0.8 * client as f64), 1_000);
        let many = share(&many, &|_| plan(2, 1.0), 500);
        for found in [equal, louder, unequal, reversed, few, two, many] {
            assert!((0.03..=0.08).contains(&found), "{:?}", [equal, louder, unequal, reversed, few, two, many]);
        }
    }

    #[test]
    fn where_noise_is_the_same_differences_are_found_as_often_as_by_a_test_that_knows() {
        let systems = systems(0.25);
        let (mut found, mut by_chow) = (0, 0);
        for trial in 0..400 {
            let clients = clients(&systems[..10], |_| plan(12, 1.0), trial);
            found += usize::from(Spread::of(&clients).unwrap().test.unwrap().p_value < 0.05);
            by_chow += usize::from(chow(&clients) < 0.05);
        }
        assert!((100..=350).contains(&by_chow) && found + 20 >= by_chow, "{found} {by_chow} of 400");
    }

    /// One client has no noise: the others' estimates are held against its model, each by an exact F test, here of one.
    #[test]
    fn a_client_without_noise_is_what_the_others_are_held_against() {
        let alike = systems(0.0);
        let noise = |client: usize| if client == 0 { 0.0 } else { 1.0 };
        let n_found = (0..400).filter(|&trial| {
            let clients = clients(&alike[..2], |client| plan(4, noise(client)), trial);
            let found = Spread::of(&clients).unwrap();
            assert!(found.exact.is_empty() && found.differing.is_empty(), "{found:?}");
            found.test.unwrap().p_value < 0.05
        });
        let n_found = n_found.count();
        assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
        let (mut apart, third) = (systems(1.0), alike[0].clone());
        apart.truncate(2);
        apart.push(third);
        let noise = |client: usize| if client < 2 { 0.0 } else { 1.0 };
        let found = Spread::of(&clients(&apart, |client| plan(4, noise(client)), 0)).unwrap();
        assert_eq!((found.test, found.exact.is_empty()), (None, true), "{found:?}");
        assert!(!found.differing.is_empty());
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
            let laws: Vec<_> = clients.iter().map(|(sums, own)| Law::new(sums, own)).collect();
            let noisy: Vec<_> = laws.iter().zip(&clients).map(|(law, (_, own))| Of { law, own, state: 1 }).collect();
            let mut alone = Ratio::default();
            alone.add(&noisy, None).unwrap();
            let test = found.test.unwrap();
            assert_eq!(found.test, alone.test());
            assert!((alone.degrees - 3.0 * 3.0).abs() < 1e-9);
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
