//! The mean of the systems that count.

use super::Matrix;
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::target::Truth;

/// Mean and spread of the systems Θ⁽ⁱ⁾ that count.
///
/// The mean of `‖Θ − Θ⁽ⁱ⁾‖_F²` over these clients is `‖Θ − centre‖_F² + spread`.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// The centre: the mean of the systems Θ⁽ⁱ⁾ that count, n×d.
    pub theta: Matrix,
    /// Mean of `‖Θ⁽ⁱ⁾ − centre‖_F²`.
    pub spread: f64,
}

impl Centre {
    /// The centre of the clients that count, if the error is that of one client or the mean over all.
    pub fn of_mean(truth: &Truth) -> Self {
        let mut thetas = truth.clients();
        let first = thetas.next().unwrap_or_default();
        let (mut sum, mut n) = (first.clone(), 1.0);
        for theta in thetas {
            sum += theta;
            n += 1.0;
        }
        let theta = sum / n;
        let spread = truth.clients().map(|other| (other - &theta).norm_squared()).sum::<f64>() / n;
        Self { theta, spread }
    }

    /// The counting client farthest from `model` (n×d) in the Frobenius norm, with a spread of 0. The first client if
    /// all distances are NaN.
    pub fn farthest(truth: &Truth, model: &Matrix) -> Self {
        let mut differences = LaneMatrix::zeros(model.nrows(), model.ncols());
        let (mut most, mut farthest) = (f64::NEG_INFINITY, None);
        for (_, block, counting) in truth.blocks() {
            differences.set_all(model);
            differences.add_scaled(Lanes::splat(-1.0), block);
            let squares = differences.squared_norms();
            for lane in (0..LANES).filter(|&lane| counting.0[lane] > 0.0) {
                if farthest.is_none() || squares.0[lane] > most {
                    (most, farthest) = (squares.0[lane], Some((block, lane)));
                }
            }
        }
        Self { theta: farthest.map_or_else(|| model.clone(), |(block, lane)| block.lane(lane)), spread: 0.0 }
    }

    /// The mean of `‖Θ − Θ⁽ⁱ⁾‖_F²` for this model.
    pub fn mean_square(&self, model: &Matrix) -> f64 {
        (model - &self.theta).norm_squared() + self.spread
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Scenario, Settings};
    use crate::target::Target;

    fn scenario() -> Scenario {
        Scenario::new(Settings { n_clients: 11, heterogeneity: 0.5, ..Settings::paper() }).unwrap()
    }

    #[test]
    fn the_mean_square_is_that_over_all_clients() {
        let (scenario, model) = (scenario(), Matrix::from_element(3, 5, 0.3));
        let square = |client: usize| (&model - scenario.systems()[client].theta()).norm_squared();
        for (target, expected) in
            [(Target::Mean, (0..11).map(square).sum::<f64>() / 11.0), (Target::Client(9), square(9))]
        {
            let got = Centre::of_mean(&Truth::new(target, scenario.systems())).mean_square(&model);
            assert!((got - expected).abs() < 1e-13 * expected, "{target:?}: {got} {expected}");
        }
    }

    #[test]
    fn the_farthest_client_is_farthest_even_from_what_is_no_number() {
        let scenario = scenario();
        let truth = Truth::new(Target::Worst, scenario.systems());
        let model = scenario.systems()[3].theta();
        let farthest = Centre::farthest(&truth, &model);
        let distance = |theta: &Matrix| (theta - &model).norm();
        assert!(scenario.systems().iter().all(|system| distance(&system.theta()) <= distance(&farthest.theta)));
        assert_eq!(
            Centre::farthest(&truth, &Matrix::from_element(3, 5, f64::NAN)).theta,
            scenario.systems()[0].theta()
        );
    }
}
