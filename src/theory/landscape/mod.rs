//! Maps of predictions: one number at every point of a grid over two settings, in closed form.
//!
//! - [`payoff`]: whether joining pays, over heterogeneity ε and clients M, or over ε and rollouts N.
//! - [`stability`]: contraction of FedAvg and FedLin, and FedAvg's drift, over step size α and local steps K.
//!
//! A map is computed in small steps, and can be read while incomplete.

mod interpolation;
pub mod payoff;
pub mod stability;

use fedsysid_sim::sort::sort_few;

/// One number at every point of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Landscape {
    /// The columns' places on the x axis, ascending.
    pub xs: Vec<f64>,
    /// The rows' places on the y axis, ascending.
    pub ys: Vec<f64>,
    /// The values row by row, `values[y * xs.len() + x]`; NaN where no value is known yet, or there is none.
    pub values: Vec<f64>,
}

impl Landscape {
    /// A map without known values.
    pub fn unknown(xs: Vec<f64>, ys: Vec<f64>) -> Self {
        let values = vec![f64::NAN; xs.len() * ys.len()];
        Self { xs, ys, values }
    }

    /// The values of row `y`, counted from 0.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, y: usize) -> &[f64] {
        &self.values[y * self.xs.len()..][..self.xs.len()]
    }

    fn set(&mut self, x: usize, y: usize, value: f64) {
        let width = self.xs.len();
        self.values[y * width + x] = value;
    }
}

/// The places of a real axis: finite numbers of at least 0, sorted, without duplicates.
fn reals(mut places: Vec<f64>) -> Vec<f64> {
    places.retain(|place| place.is_finite() && *place >= 0.0);
    sort_few(&mut places, f64::total_cmp);
    places.dedup();
    places
}

/// The places of an axis of counts: those within the limits, sorted, without duplicates.
fn counts(mut places: Vec<usize>, (least, greatest): (usize, usize)) -> Vec<usize> {
    places.retain(|place| (least..=greatest).contains(place));
    sort_few(&mut places, usize::cmp);
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_ascend_within_what_is_allowed() {
        assert_eq!(reals(vec![0.1, f64::NAN, 0.0, -1.0, 0.1, f64::INFINITY]), [0.0, 0.1]);
        assert_eq!(counts(vec![7, 0, 3, 7, 10_001], (1, 10_000)), [3, 7]);
    }

    #[test]
    fn rows_lie_one_after_the_other() {
        let mut map = Landscape::unknown(vec![1.0, 2.0, 3.0], vec![5.0, 6.0]);
        map.set(2, 1, 4.0);
        assert!(map.row(0).iter().all(|value| value.is_nan()));
        assert!(map.row(1)[0].is_nan() && (map.row(1)[2] - 4.0).abs() < 1e-15);
    }
}
