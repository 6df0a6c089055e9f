//! How errors and bound scale with the number of clients: those of the first 1, 2, 5, 10, … of a fleet.

use super::NoPrediction;
use super::expectation::ExpectedFleet;
use super::law::{Law, MeanNorms};
use super::theorem1::{DELTA, Theorem1};
use fedsysid_sim::scenario::{Scenario, Settings};
use fedsysid_sim::target::{Target, Truth};

/// What so many of the clients have.
#[derive(Clone, Debug, PartialEq)]
pub struct OfClients {
    /// The first so many.
    pub n_clients: usize,
    /// Their mean error by pooled least squares.
    pub pooled: Result<f64, NoPrediction>,
    /// The paper's bound on it.
    pub theorem1: Theorem1,
}

/// The numbers of clients that are looked at: 1, 2, 5, 10, 20, … and all.
pub fn steps(n_clients: usize) -> Vec<usize> {
    let decades = (0..).map(|power| 10_usize.pow(power));
    let all = decades.flat_map(|decade| [1, 2, 5].map(|digit| digit * decade));
    let below = all.take_while(|&step| step < n_clients);
    below.chain([n_clients]).collect()
}

/// What the first `n_clients` of a fleet have.
pub fn of_clients(scenario: &Scenario, n_clients: usize, norms: &mut MeanNorms) -> Option<OfClients> {
    let settings = scenario.settings();
    // A client that is not among them is looked at by those who are as any other system is.
    let client = if let Target::Client(client) = settings.target { client } else { 0 };
    let some = Scenario::new(Settings { n_clients, target: Target::Client(0), ..settings.clone() }).ok()?;
    let mut expected = ExpectedFleet::empty(&some);
    while expected.grow(&some, some.systems()) {}
    let pooled = Law::pooled(&expected).and_then(|pooled| pooled.of_samples(expected.n_samples()));
    let truth = Truth::new(settings.target, scenario.systems());
    let pooled = pooled.map(|law| norms.roughly(&law, &truth));
    Some(OfClients { n_clients, pooled, theorem1: Theorem1::new(&some, client.min(n_clients - 1), DELTA) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_end_with_all() {
        assert_eq!(steps(1), [1]);
        assert_eq!(steps(2), [1, 2]);
        assert_eq!(steps(50), [1, 2, 5, 10, 20, 50]);
        assert_eq!(steps(120), [1, 2, 5, 10, 20, 50, 100, 120]);
    }

    #[test]
    fn alike_clients_halve_the_error_at_every_fourfold() {
        let settings = Settings { heterogeneity: 0.0, n_clients: 80, ..Settings::paper() };
        let scenario = Scenario::new(settings).unwrap();
        let mut norms = MeanNorms::new(scenario.settings().family.dims());
        let mut at = |m| of_clients(&scenario, m, &mut norms).unwrap();
        let (twenty, eighty) = (at(20), at(80));
        let ratio = twenty.pooled.unwrap() / eighty.pooled.unwrap();
        assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
        assert!(twenty.theorem1.bound() < eighty.theorem1.bound());
    }
}
