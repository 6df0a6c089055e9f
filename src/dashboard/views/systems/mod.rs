//! The systems themselves: the dynamics of the nominal system, what its inputs reach, and differences between the
//! clients.
//!
//! - [`Portrait`]: the properties of a scenario's systems.
//! - [`plane`]: the eigenvalues as a plot.
//! - [`words`]: sentences on stability and controllability.
//! - [`tables`]: Lemma 1's covariances, and the clients' systems.
//! - [`grid`]: the matrices as boxes to type in.

pub mod grid;
pub mod plane;
pub mod tables;
pub mod words;

use crate::sim::Matrix;
use crate::sim::family::Place;
use crate::sim::norm::spectral_norm;
use crate::sim::scenario::Scenario;
use crate::sim::spectrum::eigenvalues;
use crate::theory::reach::Reach;

/// Maximum number of clients that are examined one by one.
pub const MOST_CLIENTS: usize = 100;

/// Properties of a scenario's systems.
#[derive(Clone, Debug, PartialEq)]
pub struct Portrait {
    /// The scenario.
    pub scenario: Scenario,
    /// Eigenvalues of A_0, the largest first; empty if the eigenvalue solver fails.
    pub nominal: Vec<Mode>,
    /// The subspace that the inputs of the nominal system reach.
    pub reach: Reach,
    /// The first [`MOST_CLIENTS`] clients.
    pub clients: Vec<Client>,
}

/// A client's system, compared with the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    /// γ_1 and γ_2: its coordinates along V and U.
    pub gamma: Place,
    /// The eigenvalues of its A.
    pub modes: Vec<Mode>,
    /// ‖A⁽ⁱ⁾ − A⁽¹⁾‖ (spectral norm).
    pub from_first_a: f64,
    /// ‖B⁽ⁱ⁾ − B⁽¹⁾‖ (spectral norm).
    pub from_first_b: f64,
    /// ‖[A⁽ⁱ⁾ B⁽ⁱ⁾] − the mean of all clients‖ (spectral norm).
    pub from_mean: f64,
}

/// An eigenvalue `re + i·im`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Mode {
    /// Absolute value: the factor by which the mode grows per step.
    pub fn size(self) -> f64 {
        self.re.hypot(self.im)
    }
}

/// Eigenvalues of a matrix, the largest first; empty if the eigenvalue solver fails. Parts that are only rounding are 0.
fn modes(matrix: &Matrix) -> Vec<Mode> {
    let rounding = 1e-12 * matrix.norm();
    let part = |part: f64| if part.abs() < rounding { 0.0 } else { part };
    let found = eigenvalues(matrix).unwrap_or_default();
    found.into_iter().map(|(re, im)| Mode { re: part(re), im: part(im) }).collect()
}

/// The largest absolute value; below 1 all modes decay. NaN without modes.
fn spectral_radius(modes: &[Mode]) -> f64 {
    modes.iter().map(|mode| mode.size()).fold(f64::NAN, f64::max)
}

impl Portrait {
    /// The portrait of a scenario.
    pub fn of(scenario: Scenario) -> Self {
        let nominal = scenario.settings().family.nominal();
        let (nominal, reach) = (modes(nominal.a()), Reach::of(nominal));
        let clients = clients(&scenario, MOST_CLIENTS);
        Self { scenario, nominal, reach, clients }
    }
}

/// The first clients of a scenario.
fn clients(scenario: &Scenario, most: usize) -> Vec<Client> {
    let (settings, systems) = (scenario.settings(), scenario.systems());
    let mean = mean(scenario);
    let first = &systems[0];
    let client = |(index, system): (usize, &crate::sim::system::LinearSystem)| {
        let Place { a, b } = settings.place(index);
        Client {
            gamma: Place { a: settings.heterogeneity * a, b: settings.heterogeneity * b },
            modes: modes(system.a()),
            from_first_a: spectral_norm(&(system.a() - first.a())),
            from_first_b: spectral_norm(&(system.b() - first.b())),
            from_mean: spectral_norm(&(system.theta() - &mean)),
        }
    };
    systems.iter().enumerate().take(most).map(client).collect()
}

/// The mean of all clients' [A B].
fn mean(scenario: &Scenario) -> Matrix {
    let systems = scenario.systems();
    let mut sum = systems[0].theta() * 0.0;
    for system in systems {
        sum += system.theta();
    }
    sum / systems.len() as f64
}

impl Client {
    /// The spectral radius of its A.
    pub fn radius(&self) -> f64 {
        spectral_radius(&self.modes)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::examples::EXAMPLES;
    use crate::params::{Draft, Key};

    /// The portrait of an example with changed settings.
    pub(crate) fn portrait(id: &str, change: impl Fn(&mut Draft)) -> Portrait {
        let example = EXAMPLES.iter().find(|example| example.id == id).unwrap();
        let mut draft = example.applied_to(&Draft::default());
        change(&mut draft);
        Portrait::of(draft.check().unwrap())
    }

    #[test]
    fn clients_lie_where_their_gammas_put_them() {
        let portrait = portrait("springs", |draft| (draft.set(Key::Clients, 7.0), ()).1);
        let family = &portrait.scenario.settings().family;
        assert_eq!(portrait.clients.len(), 7);
        for (client, system) in portrait.clients.iter().zip(portrait.scenario.systems()) {
            let a = family.nominal().a() + family.a_pattern() * client.gamma.a;
            let b = family.nominal().b() + family.b_pattern() * client.gamma.b;
            assert!((a - system.a()).amax() < 1e-15 && (b - system.b()).amax() < 1e-15);
            // The differences lie along one pattern: their norm is that of the pattern times the difference of γ_1.
            let along = (client.gamma.a - portrait.clients[0].gamma.a).abs() * spectral_norm(family.a_pattern());
            assert!((client.from_first_a - along).abs() < 1e-12);
        }
        assert_eq!(portrait.clients[0].from_first_a.to_string(), "0");
        assert!(portrait.clients.iter().all(|client| client.from_mean > 0.0));
    }

    #[test]
    fn what_is_only_rounding_is_zero() {
        let found = modes(&Matrix::from_row_slice(3, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]));
        assert!(found[1].re < -1.0, "{found:?}");
        assert_eq!((found[2].re.to_string(), found[2].im.to_string()), ("0".into(), "0".into()));
        let small = modes(&Matrix::from_element(1, 1, 1e-9));
        assert_eq!(small, [Mode { re: 1e-9, im: 0.0 }]);
        assert!(spectral_radius(&[]).is_nan());
    }

    #[test]
    fn a_single_client_is_the_mean() {
        let portrait = portrait("rooms", |draft| (draft.set(Key::Clients, 1.0), ()).1);
        assert_eq!(portrait.clients[0].from_mean.to_string(), "0");
    }

    #[test]
    fn of_many_clients_the_first_are_gone_into() {
        let portrait = portrait("paper", |draft| (draft.set(Key::Clients, 10_000.0), ()).1);
        assert_eq!((portrait.clients.len(), portrait.scenario.systems().len()), (MOST_CLIENTS, 10_000));
    }
}
