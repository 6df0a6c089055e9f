//! How the pooled error and Theorem 1 depend on the number of clients: values for the first 1, 2, 5, 10, … clients.

use super::expectation::{ExpectedFleet, STEP};
use super::law::{Law, MeanNorms};
use super::theorem1::{self, DELTA, Norms, Theorem1};
use super::{NoPrediction, growth};
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::target::{Target, Truth};

/// Pooled error and Theorem 1 for the first clients of a fleet.
#[derive(Clone, Debug, PartialEq)]
pub struct OfClients {
    /// Number of these clients.
    pub n_clients: usize,
    /// Mean error (spectral norm) of pooled least squares on their data, for the target of the whole fleet.
    pub pooled: Result<f64, NoPrediction>,
    /// The paper's bound on this error.
    pub theorem1: Theorem1,
}

/// The numbers of clients considered: 1, 2, 5, 10, 20, … and all.
pub fn steps(n_clients: usize) -> Vec<usize> {
    let decades = (0..).map(|power| 10_usize.pow(power));
    let all = decades.flat_map(|decade| [1, 2, 5].map(|digit| digit * decade));
    let below = all.take_while(|&step| step < n_clients);
    below.chain([n_clients]).collect()
}

/// Computes these values in steps.
#[derive(Debug)]
pub(crate) struct Scaling {
    sizes: Vec<usize>,
    /// The sums that Theorem 1 needs, for the first clients so far.
    norms: Vec<Norms>,
    /// The expected moments of the first clients, up to the next number.
    expected: ExpectedFleet,
    found: Vec<OfClients>,
}

impl Scaling {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let sizes = steps(scenario.settings().n_clients);
        Self { sizes, norms: Vec::new(), expected: ExpectedFleet::empty(scenario), found: Vec::new() }
    }

    /// Works for a few milliseconds; returns all values at the end.
    pub(crate) fn step(&mut self, scenario: &Scenario, truth: &Truth, norms: &mut MeanNorms) -> Option<Vec<OfClients>> {
        let Some(&n_clients) = self.sizes.get(self.found.len()) else { return Some(std::mem::take(&mut self.found)) };
        let mut done = 0;
        while self.norms.len() < n_clients {
            if done > STEP {
                return None;
            }
            // A norm costs about ten products.
            done += 10 * self.expected.cost(scenario);
            self.norms.extend(theorem1::norms(scenario, self.norms.len()));
        }
        let systems = &scenario.systems()[..n_clients];
        while self.expected.fleet().n_clients() < n_clients {
            if done > STEP {
                return None;
            }
            done += self.expected.cost(scenario);
            self.expected.grow(scenario, systems);
        }
        let expected = std::mem::replace(&mut self.expected, ExpectedFleet::empty(scenario));
        // If the target client is not among these clients, the bound is for the last of them; the error is still the
        // target's.
        let client = if let Target::Client(client) = truth.target() { client.min(n_clients - 1) } else { 0 };
        let is_uneven = scenario.settings().heterogeneity > 0.0 && growth::would_be_uneven(scenario, systems);
        let pooled = if is_uneven { Err(NoPrediction::Uneven) } else { Law::pooled(&expected) };
        let pooled = pooled.and_then(|pooled| pooled.of_samples(expected.n_samples()));
        let pooled = pooled.map(|law| norms.roughly(&law, truth));
        let pooled = pooled.and_then(|error| if error.is_finite() { Ok(error) } else { Err(NoPrediction::Overflow) });
        let theorem1 = Theorem1::of_first(scenario, &self.norms[..n_clients], client, DELTA);
        self.found.push(OfClients { n_clients, pooled, theorem1 });
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theory;
    use fedsysid_sim::Matrix;
    use fedsysid_sim::family::Family;
    use fedsysid_sim::scenario::Settings;
    use fedsysid_sim::system::LinearSystem;
    use fedsysid_sim::trial::Experiment;

    #[test]
    fn steps_end_with_all() {
        assert_eq!(steps(1), [1]);
        assert_eq!(steps(2), [1, 2]);
        assert_eq!(steps(50), [1, 2, 5, 10, 20, 50]);
        assert_eq!(steps(120), [1, 2, 5, 10, 20, 50, 100, 120]);
    }

    /// The chart of the bound shows no pooled error where the page says that there is none.
    #[test]
    fn what_theory_cannot_say_of_all_clients_is_not_said_of_the_first_ones_either() {
        let one = |value: f64| Matrix::from_element(1, 1, value);
        let family = Family::new(LinearSystem::new(one(1.3), one(1.0)).unwrap(), one(1.0), one(0.0)).unwrap();
        let mut settings = Settings { family, n_clients: 20, heterogeneity: 1.0, ..Settings::paper() };
        settings.data.rollout_len = 10.into();
        let theory = Theory::of(&Experiment::new(Scenario::new(settings).unwrap()));
        let (first, all) = (&theory.scaling[0], theory.scaling.last().unwrap());
        assert!(first.n_clients == 1 && first.pooled.is_ok());
        assert_eq!((theory.pooled, all.pooled), (Err(NoPrediction::Uneven), Err(NoPrediction::Uneven)));
    }

    #[test]
    fn alike_clients_halve_the_error_at_every_fourfold() {
        let settings = Settings { heterogeneity: 0.0, n_clients: 80, ..Settings::paper() };
        let scenario = Scenario::new(settings).unwrap();
        let mut norms = MeanNorms::new(scenario.settings().family.dims());
        let truth = Truth::new(scenario.settings().target, scenario.systems());
        let mut scaling = Scaling::new(&scenario);
        let all = std::iter::repeat_with(|| scaling.step(&scenario, &truth, &mut norms)).flatten().next().unwrap();
        let at = |m| all.iter().find(|of| of.n_clients == m).unwrap();
        let (twenty, eighty) = (at(20), at(80));
        let ratio = twenty.pooled.unwrap() / eighty.pooled.unwrap();
        assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
        assert!(twenty.theorem1.bound() < eighty.theorem1.bound());
    }
}
