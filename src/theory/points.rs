//! How noise enters a round: round maps at some step sizes, and what the noise does at all of them together.
//!
//! A round adds `mean V_i Q_i` (FedAvg, FedProx) or `V̄ Q̄` (FedLin), with Q that depend on the step size and V that do not. So the
//! noise at several step sizes is jointly normal, and of a low rank.

use super::expectation::ExpectedFleet;
use fedsysid_sim::Matrix;
use fedsysid_sim::lanes::LaneMatrix;
use fedsysid_sim::local_map::{FleetMaps, StepRule};
use fedsysid_sim::method::affine::RoundMap;
use fedsysid_sim::method::{Method, Round, Solver, Update, begin};
use fedsysid_sim::participation::Participants;

/// A method's round maps at some step sizes.
pub(super) struct Points<'a> {
    expected: &'a ExpectedFleet,
    method: Method,
    update: Box<dyn Update>,
    maps: FleetMaps,
    /// `Q_i` at every point taken, block by block.
    qs: Vec<Vec<LaneMatrix>>,
}

impl<'a> Points<'a> {
    /// None yet. The first one is that of the schedule's first round.
    pub(super) fn new(expected: &'a ExpectedFleet, method: Method, step_size: f64) -> Self {
        let fleet = expected.fleet();
        let dims = fleet.dims();
        let update = begin(method.solver, fleet, &Matrix::zeros(dims.n_states, dims.n_regressors()));
        let rule = StepRule { schedule: method.schedule, step_size, pull: method.solver.pull() };
        Self { expected, method, update, maps: FleetMaps::new(fleet, rule), qs: Vec::new() }
    }

    /// Takes the map with equal steps of this size, where the schedule changes it from round to round.
    pub(super) fn take_at(&mut self, step_size: f64) -> Option<RoundMap> {
        self.maps.set_step_size(self.expected.fleet(), step_size);
        self.take()
    }

    /// Takes the present map; none of methods whose round is not one.
    pub(super) fn take(&mut self) -> Option<RoundMap> {
        let fleet = self.expected.fleet();
        let who = Participants::everybody(fleet.n_clients());
        let map = self.update.round_map(Round { fleet, maps: &self.maps, who: &who })?.clone();
        self.qs.push(self.maps.blocks()[..fleet.blocks().len()].iter().map(|maps| maps.q.clone()).collect());
        Some(map)
    }

    /// `Lᵀ` for all points taken, side by side: a row for each independent noise, d columns a point.
    pub(super) fn noise(&self) -> Matrix {
        let m = self.expected.fleet().n_clients() as f64;
        let covariance = match self.method.solver {
            Solver::FedLin => self.of_mean_moments(),
            _ => self.of_every_client(),
        };
        low_rank_factor(&(covariance / (m * m))).transpose()
    }

    /// FedLin's: `Q̄ᵀ (Σ ν_i S_i) Q̄`.
    fn of_mean_moments(&self) -> Matrix {
        let expected = self.expected;
        let (d, k) = (expected.fleet().dims().n_regressors(), self.qs.len());
        let mut side_by_side = Matrix::zeros(d, k * d);
        for (point, qs) in self.qs.iter().enumerate() {
            let mut lanes = LaneMatrix::zeros(d, d);
            for (q, (block, _)) in qs.iter().zip(expected.blocks()) {
                lanes.add_weighted(block.present, q);
            }
            let mut mean = Matrix::zeros(d, d);
            lanes.sum_lanes(&mut mean);
            side_by_side.columns_mut(point * d, d).copy_from(&(mean / expected.fleet().n_clients() as f64));
        }
        side_by_side.tr_mul(&(expected.total_noise() * &side_by_side))
    }

    /// FedAvg's and FedProx's: `Σ ν_i Q_i S_i Q_i`, for every pair of points.
    fn of_every_client(&self) -> Matrix {
        let expected = self.expected;
        let (d, k) = (expected.fleet().dims().n_regressors(), self.qs.len());
        let mut covariance = Matrix::zeros(k * d, k * d);
        let (mut sq, mut qsq, mut sum) = (LaneMatrix::zeros(d, d), LaneMatrix::zeros(d, d), Matrix::zeros(d, d));
        let mut lanes: Vec<_> = (0..k * (k + 1) / 2).map(|_| LaneMatrix::zeros(d, d)).collect();
        for (index, (block, noise)) in expected.blocks().enumerate() {
            let mut pairs = lanes.iter_mut();
            for a in 0..k {
                sq.set_product(&block.s, &self.qs[a][index]);
                for qs in &self.qs[..=a] {
                    qsq.set_product(&qs[index], &sq);
                    if let Some(pair) = pairs.next() {
                        pair.add_weighted(noise, &qsq);
                    }
                }
            }
        }
        let mut pairs = lanes.iter();
        for a in 0..k {
            for b in 0..=a {
                let Some(pair) = pairs.next() else { continue };
                pair.sum_lanes(&mut sum);
                covariance.view_mut((b * d, a * d), (d, d)).copy_from(&sum);
                covariance.view_mut((a * d, b * d), (d, d)).copy_from(&sum.transpose());
            }
        }
        covariance
    }
}

/// L of `S ≈ L Lᵀ` with as few columns as leave less than 10⁻¹² of any diagonal entry's largest: Cholesky with pivoting.
fn low_rank_factor(s: &Matrix) -> Matrix {
    let size = s.nrows();
    let mut rest: Vec<f64> = s.diagonal().iter().copied().collect();
    let least = 1e-12 * rest.iter().copied().fold(0.0, f64::max);
    let mut columns: Vec<nalgebra::DVector<f64>> = Vec::new();
    while columns.len() < size {
        let Some((pivot, &largest)) = rest.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { break };
        // NaN, which sorts above all, ends it too.
        if largest <= least || largest.is_nan() {
            break;
        }
        let mut column = s.column(pivot).into_owned();
        for earlier in &columns {
            column.axpy(-earlier[pivot], earlier, 1.0);
        }
        column /= largest.sqrt();
        rest.iter_mut().zip(column.iter()).for_each(|(rest, entry)| *rest -= entry * entry);
        rest[pivot] = 0.0;
        columns.push(column);
    }
    Matrix::from_fn(size, columns.len(), |i, j| columns[j][i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_low_rank_factor_squared_is_the_matrix_and_has_no_more_columns_than_it_takes() {
        for rank in [0, 1, 3] {
            let wide = Matrix::from_fn(7, rank, |i, j| ((i * 5 + j * 3) % 11) as f64 - 5.0);
            let s = &wide * wide.transpose();
            let factor = low_rank_factor(&s);
            assert_eq!(factor.shape(), (7, rank));
            assert!((&factor * factor.transpose() - &s).amax() <= 1e-10 * (1.0 + s.amax()));
        }
        assert_eq!(low_rank_factor(&Matrix::from_element(2, 2, f64::NAN)).ncols(), 0);
    }
}
