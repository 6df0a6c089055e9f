//! Who gains from joining: every client's error with the shared model and on its own, both against its own system.

use super::centre::Centre;
use super::estimate::errors_alone;
use super::fleet::Fleet;
use super::lanes::{LANES, LaneMatrix};
use super::norm::LaneNorms;
use super::stats::Running;
use super::target::{Models, Truth};

/// The clients' errors on one data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientErrors {
    /// The errors `‖Θ_i − Θ⁽ⁱ⁾‖` of each client's own least squares; NaN where its data do not determine the estimate.
    pub alone: Vec<f64>,
    /// The errors `‖Θ̄_R − Θ⁽ⁱ⁾‖` of the models after the last round: one row per method, one entry per client.
    pub shared: Vec<Vec<f64>>,
}

/// The clients' mean errors over the data sets so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gains {
    /// ‖Θ_i − Θ⁽ⁱ⁾‖ of each client's own least squares; the mean is NaN if a data set did not determine the estimate.
    pub alone: Vec<Running>,
    /// ‖Θ̄_R − Θ⁽ⁱ⁾‖ for each client: one row per method, in the order of the settings.
    pub shared: Vec<Vec<Running>>,
    /// The distance of each client's system from the mean of all systems, ‖Θ⁽ⁱ⁾ − mean‖.
    pub distances: Vec<f64>,
}

impl Gains {
    /// Means over no data set yet, for the clients of `everybody`.
    pub fn new(everybody: &Truth, n_methods: usize) -> Self {
        let centre = Centre::of_mean(everybody).theta;
        let distances = errors(everybody, Models::Shared(&centre));
        let none = vec![Running::default(); distances.len()];
        Self { alone: none.clone(), shared: vec![none; n_methods], distances }
    }

    /// Adds the errors of one data set.
    pub fn add(&mut self, data_set: &ClientErrors) {
        let take = |means: &mut Vec<Running>, errors: &[f64]| {
            means.iter_mut().zip(errors).for_each(|(mean, &error)| mean.push(error));
        };
        take(&mut self.alone, &data_set.alone);
        for (means, errors) in self.shared.iter_mut().zip(&data_set.shared) {
            take(means, errors);
        }
    }

    /// Each client's mean error alone divided by its mean error with a method's shared model: a client gains if this is
    /// above 1. `None` if there is no such method.
    pub fn ratios(&self, method: usize) -> Option<Vec<f64>> {
        let shared = self.shared.get(method)?;
        Some(self.alone.iter().zip(shared).map(|(alone, shared)| alone.mean() / shared.mean()).collect())
    }
}

impl ClientErrors {
    /// The errors of the clients' own estimates, with no errors of methods yet.
    pub fn alone(fleet: &Fleet, everybody: &Truth) -> Self {
        Self { alone: errors_alone(fleet, everybody), shared: Vec::new() }
    }
}

/// Every client's error with these models; `everybody` holds the systems of all clients.
pub fn errors(everybody: &Truth, models: Models<'_>) -> Vec<f64> {
    let mut errors = Vec::new();
    let mut room: Option<(LaneMatrix, LaneNorms)> = None;
    for (index, block, counting) in everybody.blocks() {
        let shape = (block.rows(), block.cols());
        let make = || (LaneMatrix::zeros(shape.0, shape.1), LaneNorms::new(shape.0, shape.1));
        let (differences, norms) = room.get_or_insert_with(make);
        differences.copy_from(block);
        let present = || (0..LANES).filter(|&lane| counting.0[lane] > 0.0);
        for lane in present() {
            differences.subtract_from_lane(lane, models.of(index * LANES + lane));
        }
        let norms = norms.of(differences);
        errors.extend(present().map(|lane| norms.0[lane]));
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::norm::spectral_norm;
    use crate::scenario::{Scenario, Settings};
    use crate::study::Study;
    use crate::target::Target;

    #[test]
    fn errors_are_those_of_every_client() {
        let scenario = Scenario::new(Settings { n_clients: 11, heterogeneity: 0.5, ..Settings::paper() }).unwrap();
        let model = Matrix::from_element(3, 5, 0.2);
        let everybody = Truth::new(Target::Mean, scenario.systems());
        let got = errors(&everybody, Models::Shared(&model));
        let expected = scenario.systems().iter().map(|system| spectral_norm(&(&model - system.theta())));
        assert_eq!(got.len(), 11);
        assert!(got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-14));
    }

    /// The target's error in the curve and in the reference line is its entry in the errors of all clients.
    #[test]
    fn the_target_is_one_of_all() {
        let settings = Settings {
            n_clients: 11,
            n_trials: 5,
            heterogeneity: 0.4,
            target: Target::Client(9),
            gains: true,
            ..Settings::paper()
        };
        let summary = Study::new(Scenario::new(settings).unwrap()).run();
        let gains = summary.gains.unwrap();
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * b;
        for (method, shared) in summary.methods.iter().zip(&gains.shared) {
            assert!(close(shared[9].mean(), method.errors.last().unwrap().mean()), "{:?}", method.method);
        }
        assert!(close(gains.alone[9].mean(), summary.references[0].error.unwrap().mean()));
        assert_eq!(gains.ratios(1).unwrap().len(), 11);
        assert_eq!(gains.ratios(2), None);
    }

    #[test]
    fn a_client_whose_data_determine_nothing_has_no_error_alone() {
        let mut settings = Settings { n_clients: 3, n_trials: 2, gains: true, ..Settings::paper() };
        (settings.data.n_rollouts, settings.data.rollout_len) = (crate::spread::Spread::Each(vec![9, 1, 9]), 4.into());
        let summary = Study::new(Scenario::new(settings).unwrap()).run();
        let alone: Vec<_> = summary.gains.unwrap().alone.iter().map(|alone| alone.mean().is_nan()).collect();
        assert_eq!(alone, [false, true, false]);
    }
}
