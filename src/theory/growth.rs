//! Whether the states of a client grow so much within a rollout that there is no prediction for pooled data.
//!
//! In a rollout of an unstable system, nearly all of Σzzᵀ stems from the growth of the first states, by `ρ(A)^{2T}`.
//! Then few rollouts outweigh all others, S_i is far from its mean for any number of samples, and if clients differ,
//! pooled estimates follow the client with the largest states. (In simulations, pooled errors are 2 % off the
//! prediction at a growth of 30, 20 % at 150, and by a factor of 5 at 4,000.)

use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::spectrum::spectral_radius;
use fedsysid_sim::system::LinearSystem;

/// Beyond this growth over a rollout, there is no prediction for pooled estimates.
const MOST: f64 = 100.0;

/// Whether the clients differ and the states of one of them grow more than a hundredfold within a rollout, so that
/// there is no prediction for pooled data.
pub fn is_uneven(scenario: &Scenario) -> bool {
    scenario.settings().heterogeneity > 0.0 && would_be_uneven(scenario, scenario.systems())
}

/// The same for other systems in place of the scenario's, or its first ones, which are taken to differ.
pub(crate) fn would_be_uneven(scenario: &Scenario, systems: &[LinearSystem]) -> bool {
    let is_large = |(client, system): (usize, &LinearSystem)| is_large(system, scenario.plan(client).rollout_len);
    systems.len() > 1 && systems.iter().enumerate().any(is_large)
}

/// Whether the states of a system grow more than a hundredfold within a rollout.
pub(crate) fn is_large(system: &LinearSystem, rollout_len: usize) -> bool {
    growth(system, rollout_len, MOST) > MOST
}

/// The largest growth of states within a rollout, `ρ(A⁽ⁱ⁾)^T_i`, over all clients; exact above 100, otherwise an upper
/// bound of at most 100.
pub fn largest(scenario: &Scenario) -> f64 {
    let clients = scenario.systems().iter().enumerate();
    clients.fold(0.0, |found: f64, (client, system)| {
        found.max(growth(system, scenario.plan(client).rollout_len, found.max(MOST)))
    })
}

/// `ρ(A)^T`; exact above `least`, otherwise an upper bound of at most `least`.
fn growth(system: &LinearSystem, rollout_len: usize, least: f64) -> f64 {
    /// A is squared so often.
    const SQUARINGS: i32 = 4;
    let over_rollout = |base: f64| libm::pow(base, rollout_len as f64);
    let a = system.a();
    // The spectral radius is at most any norm of A, and at most the k-th root of any norm of Aᵏ, which is close to it.
    // Both are much cheaper than eigenvalues, which are needed for few clients then.
    let bound = over_rollout(a.norm());
    if bound <= least {
        return bound;
    }
    let power = (0..SQUARINGS).fold(a.clone(), |power, _| &power * &power);
    let bound = over_rollout(libm::pow(power.norm(), 0.5_f64.powi(SQUARINGS)));
    if bound <= least { bound } else { spectral_radius(a).map_or(f64::INFINITY, over_rollout) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::Matrix;
    use fedsysid_sim::family::{Family, Placement};
    use fedsysid_sim::scenario::Settings;
    use fedsysid_sim::spread::Spread;

    fn scenario(a: f64, change: impl Fn(&mut Settings)) -> Scenario {
        let one = |value: f64| Matrix::from_element(1, 1, value);
        let family = Family::new(LinearSystem::new(one(a), one(1.0)).unwrap(), one(1.0), one(0.0)).unwrap();
        let mut settings = Settings { family, heterogeneity: 0.01, n_clients: 3, ..Settings::paper() };
        change(&mut settings);
        Scenario::new(settings).unwrap()
    }

    #[test]
    fn what_grows_a_hundredfold_in_a_rollout_is_uneven() {
        let with_len = |a: f64, len: usize| is_uneven(&scenario(a, |s| s.data.rollout_len = len.into()));
        // The largest growth is at most 1.21^24 = 97, and at least 1.2^26 = 114. Stable systems never grow.
        assert_eq!([(1.2, 24), (1.2, 26), (0.95, 10_000)].map(|(a, len)| with_len(a, len)), [false, true, false]);
        assert!(!is_uneven(&Scenario::new(Settings::paper()).unwrap()));
    }

    #[test]
    fn clients_that_are_alike_may_grow() {
        let changes: [fn(&mut Settings); 2] = [|s| s.heterogeneity = 0.0, |s| s.n_clients = 1];
        for change in changes {
            let uneven = scenario(1.5, |s| {
                s.data.rollout_len = 50.into();
                change(s);
            });
            assert!(!is_uneven(&uneven));
        }
    }

    /// However many clients there are, and whichever of them it is.
    #[test]
    fn one_client_that_grows_is_found_among_very_many() {
        let with = |placement: Placement| move |s: &mut Settings| (s.n_clients, s.placement) = (2_048, placement);
        let check = |what: &str, scenario: &Scenario| {
            let grows = |client: usize| {
                let radius = spectral_radius(scenario.systems()[client].a()).unwrap();
                radius.powi(i32::try_from(scenario.plan(client).rollout_len).unwrap())
            };
            let expected = (0..scenario.systems().len()).map(grows).fold(0.0, f64::max);
            assert!(expected > MOST, "{what}: {expected}");
            assert!(is_uneven(scenario) && (largest(scenario) / expected - 1.0).abs() < 1e-9, "{what}");
        };
        for placement in [Placement::OneOutlier, Placement::TwoClusters] {
            let far = scenario(1.0, |s| {
                with(placement)(s);
                s.heterogeneity = 0.3;
                s.data.rollout_len = 20.into();
            });
            check(&format!("{placement:?}"), &far);
        }
        let long = scenario(1.2, |s| {
            with(Placement::Uniform)(s);
            s.data.rollout_len = Spread::Each(vec![5, 5, 5, 30]);
        });
        check("one rollout length of four", &long);
    }

    /// Norms of powers decide for most clients, and must never decide wrongly.
    #[test]
    fn bounds_of_growth_are_bounds() {
        let system = |entries: &[f64]| {
            LinearSystem::new(Matrix::from_row_slice(2, 2, entries), Matrix::from_element(2, 1, 1.0)).unwrap()
        };
        for entries in [[0.9, 5.0, 0.0, 0.9], [0.0, 9.0, 0.0, 0.0], [0.6, -0.9, 0.9, 0.6], [1.1, 0.3, 0.2, -1.05]] {
            let system = system(&entries);
            let exact = spectral_radius(system.a()).unwrap().powi(40);
            for least in [0.1, 1.0, 100.0, 1e4] {
                let got = growth(&system, 40, least);
                let is_right = if exact > least {
                    (got / exact - 1.0).abs() < 1e-9
                } else {
                    exact * (1.0 - 1e-9) <= got && got <= least
                };
                assert!(is_right, "{entries:?}, {least}: {got}, and exactly {exact}");
            }
        }
    }
}
