//! Whether clients' data are of one size, as predictions for all of them together take for granted.
//!
//! In a rollout of an unstable system nearly all of Σzzᵀ is what its first states have grown to, `ρ(A)^{2T}` of it. Then few
//! rollouts outweigh all others, S_i is far from its mean however many samples there are, and where clients differ, pooled
//! estimates follow whoever has the largest. (In simulations they are off by 2 % beyond what is expected at a growth of 30, by
//! 20 % at 150, and 5-fold at 4 000.)

use fedsysid_sim::Matrix;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::spectrum::spectral_radius;
use fedsysid_sim::system::LinearSystem;

/// From this growth over a rollout on, predictions of pooled estimates say nothing.
const MOST: f64 = 100.0;
/// Clients that are looked at, evenly chosen.
const CHOSEN: usize = 512;

/// Whether the states of some client grow so much within a rollout that, clients being different, nothing is to be expected of
/// pooled data.
pub fn is_uneven(scenario: &Scenario) -> bool {
    scenario.settings().heterogeneity > 0.0 && would_be_uneven(scenario, scenario.systems())
}

/// Whether they would be so with these systems in the place of their own, which differ.
pub(crate) fn would_be_uneven(scenario: &Scenario, systems: &[LinearSystem]) -> bool {
    systems.len() > 1 && largest_of(scenario, systems) > MOST
}

/// The largest growth of states within a rollout, `ρ(A⁽ⁱ⁾)^T_i`, among clients that are evenly chosen; something below
/// 100 where it is less than that.
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
    // A radius is no larger than a norm, which costs less.
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
        // At most 1.21^24 = 97, at least 1.2^26 = 114; what is stable never grows.
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
