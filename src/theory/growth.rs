//! Whether the states of a client grow so much within a rollout that there is no prediction for pooled data.
//!
//! In a rollout of an unstable system, nearly all of Σzzᵀ stems from the growth of the first states, by `ρ(A)^{2T}`.
//! Then few rollouts outweigh all others, S_i is far from its mean for any number of samples, and if clients differ,
//! pooled estimates follow the client with the largest states. (In simulations, pooled errors are 2 % off the
//! prediction at a growth of 30, 20 % at 150, and by a factor of 5 at 4,000.)

use fedsysid_sim::Matrix;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::spectrum::spectral_radius;
use fedsysid_sim::system::LinearSystem;

/// Beyond this growth over a rollout, there is no prediction for pooled estimates.
const MOST: f64 = 100.0;
/// The most clients that are examined, at even distances.
const CHOSEN: usize = 512;

/// Whether the clients differ and the states of one of them grow more than a hundredfold within a rollout, so that
/// there is no prediction for pooled data.
pub fn is_uneven(scenario: &Scenario) -> bool {
    scenario.settings().heterogeneity > 0.0 && would_be_uneven(scenario, scenario.systems())
}

/// The same for other systems in place of the scenario's, which are taken to differ.
pub(crate) fn would_be_uneven(scenario: &Scenario, systems: &[LinearSystem]) -> bool {
    systems.len() > 1 && largest_of(scenario, systems) > MOST
}

/// The largest growth of states within a rollout, `ρ(A⁽ⁱ⁾)^T_i`, over at most 512 clients at even distances; exact
/// above 100, otherwise an upper bound of at most 100.
pub fn largest(scenario: &Scenario) -> f64 {
    largest_of(scenario, scenario.systems())
}

fn largest_of(scenario: &Scenario, systems: &[LinearSystem]) -> f64 {
    let all = systems.len();
    let n = all.min(CHOSEN);
    let growth_of = |client: usize| growth(scenario, client, systems[client].a());
    (0..n).map(|k| growth_of(k * all / n)).fold(0.0, f64::max)
}

fn growth(scenario: &Scenario, client: usize, a: &Matrix) -> f64 {
    let over_rollout = |base: f64| libm::pow(base, scenario.plan(client).rollout_len as f64);
    // The spectral radius is at most the norm, which is cheaper.
    let most = over_rollout(a.norm());
    if most > MOST { spectral_radius(a).map_or(f64::INFINITY, over_rollout) } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::family::Family;
    use fedsysid_sim::scenario::Settings;

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
}
