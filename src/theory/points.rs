//! The noise of a round: round maps at several step sizes, and the joint covariance of the noise at all of them.
//!
//! A round adds `mean V_i Q_i` (FedAvg, FedProx) or `V̄ Q̄` (FedLin). The Q depend on the step size, the V do not. So
//! the noise at several step sizes is jointly normal, with a covariance of low rank. That of FedAvg and FedProx has a
//! mean as well ([`feedback`](super::feedback)), which is part of the round maps.

use super::expectation::ExpectedFleet;
use super::feedback::Feedback;
use super::prediction::Context;
use fedsysid_sim::Matrix;
use fedsysid_sim::fleet::Block;
use fedsysid_sim::lanes::{LaneMatrix, Lanes};
use fedsysid_sim::local_map::FleetMaps;
use fedsysid_sim::method::affine::RoundMap;
use fedsysid_sim::method::{Method, Round, Solver, Update, begin};
use fedsysid_sim::participation::Participants;

/// Work in one step, in products of entries of eight clients at a time: a millisecond or two.
const STEP: usize = 200_000;

/// Computes a method's round maps and noise at several step sizes, in steps.
#[derive(Debug)]
pub(super) struct Points {
    is_fedlin: bool,
    /// For the other methods: what gives their offsets a bias.
    feedback: Option<Feedback>,
    update: Box<dyn Update>,
    maps: FleetMaps,
    /// The step sizes; empty if every round has the same steps, and so one map.
    sizes: Vec<f64>,
    taken: Vec<RoundMap>,
    /// For FedLin: the mean of `Q_i` at every step size, d×d each, side by side.
    means: Matrix,
    /// For the other methods: `Q_i` of one block at every step size, and `Σ ν_i Q_i S_i Q_i` for every pair of step
    /// sizes.
    qs: Vec<LaneMatrix>,
    pairs: Vec<LaneMatrix>,
    /// Number of blocks included in `pairs`.
    n_blocks: usize,
}

impl Points {
    /// Starts without maps. `maps` are the local maps of the first round.
    pub(super) fn new(context: Context<'_>, method: Method, maps: FleetMaps, sizes: Vec<f64>) -> Self {
        let fleet = context.expected.fleet();
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let update = begin(method.solver, fleet, &Matrix::zeros(n, d));
        let is_fedlin = method.solver == Solver::FedLin;
        let k = sizes.len().max(1);
        let (n_qs, n_pairs) = if is_fedlin { (0, 0) } else { (k, k * (k + 1) / 2) };
        let zeros = |count: usize| (0..count).map(|_| LaneMatrix::zeros(d, d)).collect();
        let (qs, pairs, means) = (zeros(n_qs), zeros(n_pairs), Matrix::zeros(d, k * d));
        let scale = context.scenario.settings().gradient_scale;
        let feedback = (!is_fedlin).then(|| Feedback::new(context.scenario, scale));
        Self { is_fedlin, feedback, update, maps, sizes, taken: Vec::new(), means, qs, pairs, n_blocks: 0 }
    }

    /// Computes some more maps, or the noise of some more clients; returns whether there is more to do.
    pub(super) fn advance(&mut self, expected: &ExpectedFleet) -> bool {
        let fleet = expected.fleet();
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let mut done = 0;
        while self.taken.len() < self.sizes.len().max(1) {
            if done > STEP {
                return true;
            }
            self.take(expected);
            done += fleet.blocks().len() * d * d * (d + n + 3);
        }
        if self.is_fedlin {
            return false;
        }
        for (index, (block, noise)) in expected.blocks().enumerate().skip(self.n_blocks) {
            if done > STEP {
                return true;
            }
            self.take_noise(index, block, noise);
            self.n_blocks += 1;
            done += self.pairs.len() * d * d * (d + 2);
        }
        false
    }

    fn take(&mut self, expected: &ExpectedFleet) {
        let fleet = expected.fleet();
        let point = self.taken.len();
        if let Some(&size) = self.sizes.get(point) {
            self.maps.set_step_size(fleet, size);
        }
        let who = Participants::everybody(fleet.n_clients());
        let d = fleet.dims().n_regressors();
        let map = self.update.round_map(Round { fleet, maps: &self.maps, who: &who }).cloned();
        let mut map = map.unwrap_or_else(|| RoundMap::identity(fleet.dims().n_states, d));
        if let Some(feedback) = &self.feedback {
            let size = self.sizes.get(point).copied().unwrap_or_default();
            feedback.add_to_offset(&mut map.offset, fleet, &mut self.maps, size);
        }
        self.taken.push(map);
        if self.is_fedlin {
            let mut lanes = LaneMatrix::zeros(d, d);
            for (map, block) in self.maps.blocks().iter().zip(fleet.blocks()) {
                lanes.add_weighted(block.present, &map.q);
            }
            let mut mean = Matrix::zeros(d, d);
            lanes.sum_lanes(&mut mean);
            self.means.columns_mut(point * d, d).copy_from(&(mean / fleet.n_clients() as f64));
        }
    }

    fn take_noise(&mut self, index: usize, block: &Block, noise: Lanes) {
        let d = block.s.rows();
        let (mut sq, mut qsq) = (LaneMatrix::zeros(d, d), LaneMatrix::zeros(d, d));
        let mut pairs = self.pairs.iter_mut();
        for a in 0..self.qs.len() {
            if let Some(&size) = self.sizes.get(a) {
                self.maps.set_step_size_of(index, block, size);
            }
            self.qs[a].copy_from(&self.maps.blocks()[index].q);
            sq.set_product(&block.s, &self.qs[a]);
            for (q, pair) in self.qs[..=a].iter().zip(&mut pairs) {
                qsq.set_product(q, &sq);
                pair.add_weighted(noise, &qsq);
            }
        }
    }

    /// The round maps, and `Lᵀ` for all step sizes side by side: one row per independent noise, d columns per step
    /// size.
    pub(super) fn finish(&mut self, expected: &ExpectedFleet) -> (Vec<RoundMap>, Matrix) {
        let m = expected.fleet().n_clients() as f64;
        let covariance = if self.is_fedlin {
            self.means.tr_mul(&(expected.total_noise() * &self.means))
        } else {
            self.of_every_client()
        };
        (std::mem::take(&mut self.taken), low_rank_factor(&(covariance / (m * m))).transpose())
    }

    /// The joint covariance for FedAvg and FedProx, times M²: `Σ ν_i Q_i S_i Q_i` for every pair of step sizes.
    fn of_every_client(&self) -> Matrix {
        let (k, d) = (self.qs.len(), self.means.nrows());
        let (mut covariance, mut sum) = (Matrix::zeros(k * d, k * d), Matrix::zeros(d, d));
        let mut pairs = self.pairs.iter();
        for a in 0..k {
            for (b, pair) in (0..=a).zip(&mut pairs) {
                pair.sum_lanes(&mut sum);
                covariance.view_mut((b * d, a * d), (d, d)).copy_from(&sum);
                covariance.view_mut((a * d, b * d), (d, d)).copy_from(&sum.transpose());
            }
        }
        covariance
    }
}

/// L of `S ≈ L Lᵀ`, with the fewest columns that leave no diagonal entry above 10⁻¹² of the largest one of S. This is
/// Cholesky with pivoting; [`semidefinite_factor`](fedsysid_sim::cholesky::semidefinite_factor) has as many columns as
/// S, of which most would be rounding.
fn low_rank_factor(s: &Matrix) -> Matrix {
    let size = s.nrows();
    let mut rest: Vec<f64> = s.diagonal().iter().copied().collect();
    let least = 1e-12 * rest.iter().copied().fold(0.0, f64::max);
    let mut columns: Vec<nalgebra::DVector<f64>> = Vec::new();
    while columns.len() < size {
        let Some((pivot, &largest)) = rest.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)) else { break };
        // NaN, which sorts above all numbers, also ends the loop.
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
