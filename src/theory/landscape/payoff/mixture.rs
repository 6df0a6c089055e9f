//! The joint effect of bias and noise: how much the squared mean spectral norm of their sum exceeds the squares of
//! both.
//!
//! Let b have unit Frobenius norm, and Z Lᵀ a root mean square of 1. For the sum `b sin θ + Z Lᵀ cos θ` the joint
//! effect is
//!
//! ```text
//! (E‖b sin θ + Z Lᵀ cos θ‖)² − ‖b‖² sin² θ − (E‖Z Lᵀ‖)² cos² θ
//! ```
//!
//! a smooth function of θ and of b's direction between V and U. L belongs to one of the fleet's pooled laws.

use std::f64::consts::{FRAC_PI_2, PI};

use super::fleet::{Clients, Pooled};
use crate::landscape::interpolation::Curve;
use crate::law::{Law, MeanNorms};
use fedsysid_sim::angle::{cosine, sine};
use fedsysid_sim::norm::spectral_norm;
use fedsysid_sim::target::{Target, Truth};

/// Numbers of directions and of angles θ at which norms are computed, and of cells per axis of the interpolation table.
const N_DIRECTIONS: usize = 8;
const N_ANGLES: usize = 7;
const FINE: usize = 32;

/// Computes this function in steps.
#[derive(Debug, Default)]
pub(super) struct Mixture {
    noise: Option<Pooled>,
    /// `E‖Z Lᵀ‖`.
    of_noise: Option<f64>,
    /// The function of θ for each direction.
    curves: Vec<Curve>,
    /// The interpolated values: one row per θ, one column per direction.
    table: Vec<Vec<f64>>,
}

impl Mixture {
    /// Number of norms in all.
    pub(super) const N_NORMS: usize = N_DIRECTIONS * N_ANGLES;

    /// Number of norms computed so far.
    pub(super) fn n_taken(&self) -> usize {
        self.curves.len() * N_ANGLES
    }

    /// Takes this law's noise for all points, if it has noise and none was taken before.
    pub(super) fn offer(&mut self, law: &Pooled) {
        if self.noise.is_none() && law.noise() > 0.0 {
            self.noise = Some(Pooled { mean: law.mean.clone(), covariance: law.covariance.clone() });
        }
    }

    /// Computes the norms of the next direction; returns how many.
    pub(super) fn take(&mut self, clients: &Clients, norms: &mut MeanNorms) -> usize {
        let Some(noise) = self.noise.as_ref().filter(|_| self.curves.len() < N_DIRECTIONS) else { return 0 };
        let bias = clients.unit(PI * self.curves.len() as f64 / N_DIRECTIONS as f64);
        let nominal = clients.family().nominal();
        // The norm of noise alone is the same in all directions.
        let of_noise = self.of_noise;
        let truth = Truth::new(Target::Client(0), std::slice::from_ref(nominal));
        let square = |k: usize| {
            let angle = FRAC_PI_2 * k as f64 / (N_ANGLES - 1) as f64;
            let share = cosine(angle) / noise.noise();
            let mean = nominal.theta() + &bias * sine(angle);
            let norm = match (k, of_noise) {
                (0, Some(norm)) => norm,
                // There is no noise at this angle.
                _ if k + 1 == N_ANGLES => spectral_norm(&bias),
                _ => norms.of(&Law { mean, covariance: &noise.covariance * (share * share) }, &truth),
            };
            (angle, norm * norm)
        };
        let squares: Vec<(f64, f64)> = (0..N_ANGLES).map(square).collect();
        self.of_noise = Some(squares[0].1.sqrt());
        let (of_noise, of_bias) = (squares[0].1, squares[N_ANGLES - 1].1);
        let both = |(angle, square): (f64, f64)| {
            let (sin, cos) = (sine(angle), cosine(angle));
            (angle, square - of_noise * cos * cos - of_bias * sin * sin)
        };
        self.curves.push(Curve::through(squares.into_iter().map(both).collect()));
        if self.curves.len() == N_DIRECTIONS {
            self.table = (0..=FINE).map(|row| self.around(FRAC_PI_2 * row as f64 / FINE as f64)).collect();
        }
        N_ANGLES
    }

    /// The function at one θ for all directions; opposite directions are equivalent.
    fn around(&self, angle: f64) -> Vec<f64> {
        const BEYOND: usize = 2;
        let at = |k: usize| {
            let direction = k as f64 - BEYOND as f64;
            (direction, self.curves[(k + N_DIRECTIONS - BEYOND) % N_DIRECTIONS].at(angle))
        };
        let curve = Curve::through((0..=N_DIRECTIONS + 2 * BEYOND).map(at).collect());
        (0..=FINE).map(|column| curve.at((column * N_DIRECTIONS) as f64 / FINE as f64)).collect()
    }

    /// The function, interpolated in the table; 0 if it was not computed.
    pub(super) fn at(&self, angle: f64, direction: f64) -> f64 {
        let (row, down) = cell(angle / FRAC_PI_2);
        let (column, right) = cell(direction / PI);
        let [Some(above), Some(below)] = [self.table.get(row), self.table.get(row + 1)] else { return 0.0 };
        let along = |row: &[f64]| row[column] + right * (row[column + 1] - row[column]);
        along(above) + down * (along(below) - along(above))
    }
}

/// The cell of the table that contains a place between 0 and 1, and the position within the cell (0 to 1). NaN counts
/// as 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cell of the table")]
fn cell(place: f64) -> (usize, f64) {
    let place = place.max(0.0) * FINE as f64;
    let cell = (place as usize).min(FINE - 1);
    (cell, (place - cell as f64).min(1.0))
}
