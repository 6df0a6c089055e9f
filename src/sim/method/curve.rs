//! The round map as a function of the step size.
//!
//! K equal steps of size α give polynomials of degree K in α: P, Q, their means over clients, and every entry of an
//! affine round map. If the schedule changes α from round to round, the maps at K + 1 step sizes therefore determine
//! the maps of all rounds. They are interpolated at Chebyshev points in barycentric form, which is stable (Berrut and
//! Trefethen, "Barycentric Lagrange interpolation", 2004). The cost of a round then does not grow with M.

use super::affine::RoundMap;
use crate::Matrix;
use crate::angle::versine;

/// Maps with an entry larger than this are not interpolated. In a run that diverges, the maps of the first rounds are
/// the largest, and their rounding errors would exceed all other maps.
const TAME: f64 = 1e4;

/// Round maps at Chebyshev points, from the base step size down to 0.
#[derive(Debug)]
pub struct RoundCurve {
    points: Vec<f64>,
    maps: Vec<RoundMap>,
    /// The last interpolated map.
    map: RoundMap,
}

impl RoundCurve {
    /// A curve without maps yet, for n×d models and step sizes from 0 to `step_size`. It has `n_local_steps` + 1
    /// points, enough for rounds of at most `n_local_steps` steps.
    pub fn new(step_size: f64, n_local_steps: usize, (n, d): (usize, usize)) -> Self {
        let angle = |j: usize| std::f64::consts::PI * j as f64 / n_local_steps as f64;
        let points = (0..=n_local_steps).map(|j| 0.5 * step_size * (2.0 - versine(angle(j)))).collect();
        Self { points, maps: Vec::with_capacity(n_local_steps + 1), map: RoundMap::identity(n, d) }
    }

    /// The step sizes of the points, descending.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The next step size whose map is needed; `None` once all maps have been added.
    pub fn wanted(&self) -> Option<f64> {
        self.points.get(self.maps.len()).copied()
    }

    /// Adds the map of the step size that [`wanted`](Self::wanted) returned.
    pub fn add(&mut self, map: RoundMap) {
        self.maps.push(map);
    }

    /// Whether all maps added so far are small enough for interpolation.
    pub fn is_tame(&self) -> bool {
        let is_tame = |matrix: &Matrix| matrix.iter().all(|entry| entry.abs() <= TAME);
        self.maps.iter().all(|map| is_tame(&map.factor) && is_tame(&map.offset))
    }

    /// The map of a round with this step size. All maps must have been added.
    pub fn at(&mut self, step_size: f64) -> &RoundMap {
        #[expect(clippy::float_cmp, reason = "at a point itself, the map is that of the point")]
        if let Some(at) = self.points.iter().position(|&point| point == step_size) {
            return &self.maps[at];
        }
        self.map.factor.fill(0.0);
        self.map.offset.fill(0.0);
        let last = self.points.len() - 1;
        let mut total = 0.0;
        for (j, (point, map)) in self.points.iter().zip(&self.maps).enumerate() {
            let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
            let weight = if j == 0 || j == last { 0.5 * sign } else { sign } / (step_size - point);
            total += weight;
            add_scaled(&mut self.map.factor, weight, &map.factor);
            add_scaled(&mut self.map.offset, weight, &map.offset);
        }
        self.map.factor /= total;
        self.map.offset /= total;
        &self.map
    }
}

fn add_scaled(sum: &mut Matrix, factor: f64, more: &Matrix) {
    sum.iter_mut().zip(more.iter()).for_each(|(entry, more)| *entry += factor * more);
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use super::*;
    use crate::schedule::Schedule;

    /// Compares the interpolated map with the map at that step size, for every method that has a round map.
    #[test]
    fn the_curve_leads_through_the_map_of_every_step_size() {
        let bench = Bench::new();
        for solver in [Solver::FedAvg, Solver::FedLin, Solver::FedProx { pull: 20.0 }] {
            for (base, n_local_steps) in [(1e-4, 1), (1e-3, 4), (5e-3, 12), (3e-3, 60)] {
                let method = Method { solver, schedule: Schedule::OverRounds };
                let map = |step_size| bench.with_steps(step_size, n_local_steps).round_map(method).0;
                let mut curve = RoundCurve::new(base, n_local_steps, (3, 5));
                while let Some(step_size) = curve.wanted() {
                    curve.add(map(step_size));
                }
                assert!(curve.is_tame());
                let largest = curve.maps.iter().map(|map| map.factor.amax().max(map.offset.amax())).fold(1.0, f64::max);
                for share in [1.0, 0.999, 0.77, 0.5, 0.3, 0.01, 1e-6] {
                    let (got, expected) = (curve.at(share * base).clone(), map(share * base));
                    let far = (got.factor - expected.factor).amax().max((got.offset - expected.offset).amax());
                    assert!(far < 1e-13 * largest, "{solver:?}, K = {n_local_steps}, {share} of {base}: {far}");
                }
            }
        }
    }

    #[test]
    fn a_map_that_explodes_is_not_tame() {
        let mut curve = RoundCurve::new(1.0, 1, (1, 1));
        curve.add(RoundMap::identity(1, 1));
        assert!(curve.is_tame());
        curve.add(RoundMap { factor: Matrix::from_element(1, 1, f64::NAN), ..RoundMap::identity(1, 1) });
        assert!(!curve.is_tame());
    }
}
