//! A federated round in closed form: one affine map of the server's model.
//!
//! With the [local maps](super::local_map) P_i, Q_i and bars for means over the clients that take part,
//!
//! ```text
//! FedAvg: Θ̄ ← Θ̄ P̄ + mean(C_i Q_i)            FedLin: Θ̄ ← Θ̄ + (C̄ − Θ̄ S̄) Q̄
//! ```
//!
//! at a cost that depends on neither N, T, M nor K once the means are built. (Derived from the paper's Algorithm 1;
//! [`textbook`](super::textbook) holds the steps as printed.)

use super::Matrix;
use super::fleet::Fleet;
use super::lanes::{Eigen, LaneMatrix};
use super::local_map::FleetMaps;
use super::method::Solver;
use super::norm::spectral_norm;

/// A round as an affine map of the server's model: `Θ̄ ← Θ̄ F + G`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundMap {
    /// `F`, d×d.
    pub factor: Matrix,
    /// `G`, n×d.
    pub offset: Matrix,
}

impl RoundMap {
    /// The round of a fleet in which everybody takes part.
    pub fn new(solver: Solver, fleet: &Fleet, maps: &FleetMaps) -> Self {
        match solver {
            Solver::FedAvg => Self::fedavg(fleet, maps),
            Solver::FedLin => Self::fedlin(fleet, maps),
        }
    }

    /// FedAvg: `F = P̄`, `G = mean(C_i Q_i)`.
    fn fedavg(fleet: &Fleet, maps: &FleetMaps) -> Self {
        let dims = fleet.dims();
        let (n, d) = (dims.n_states, dims.n_regressors());
        let (mut p, mut cq) = (Matrix::zeros(d, d), Matrix::zeros(n, d));
        let mut product = LaneMatrix::zeros(n, d);
        for (block, map) in fleet.blocks().iter().zip(maps.blocks()) {
            map.p.add_weighted_sum(block.present, &mut p);
            product.set_product(&block.c, &map.q);
            product.add_weighted_sum(block.present, &mut cq);
        }
        let share = 1.0 / fleet.n_clients() as f64;
        Self { factor: p * share, offset: cq * share }
    }

    /// FedLin: `F = I − S̄Q̄`, `G = C̄Q̄`.
    fn fedlin(fleet: &Fleet, maps: &FleetMaps) -> Self {
        let q = mean_q(fleet, maps);
        let mean = fleet.total().divided(fleet.n_clients());
        let d = q.nrows();
        Self { factor: Matrix::identity(d, d) - &mean.s * &q, offset: &mean.c * &q }
    }

    /// Makes `after` the server's model after the round.
    pub fn apply(&self, model: &Matrix, after: &mut Matrix) {
        after.copy_from(&self.offset);
        let (n, d) = model.shape();
        let columns = after.as_mut_slice().chunks_exact_mut(n).zip(self.factor.as_slice().chunks_exact(d));
        for (column, factors) in columns {
            for (entries, factor) in model.as_slice().chunks_exact(n).zip(factors) {
                for (sum, entry) in column.iter_mut().zip(entries) {
                    *sum += factor * entry;
                }
            }
        }
    }
}

/// `Q̄`, d×d.
fn mean_q(fleet: &Fleet, maps: &FleetMaps) -> Matrix {
    let d = fleet.dims().n_regressors();
    let mut q = Matrix::zeros(d, d);
    for (block, map) in fleet.blocks().iter().zip(maps.blocks()) {
        map.q.add_weighted_sum(block.present, &mut q);
    }
    q / fleet.n_clients() as f64
}

/// Contraction ρ of a round, the spectral radius of its factor F: repeated for ever, the round converges iff ρ < 1.
/// Infinite when the map overflowed.
pub fn contraction(solver: Solver, fleet: &Fleet, maps: &FleetMaps) -> f64 {
    match solver {
        // P̄ is symmetric: its spectral radius is its spectral norm.
        Solver::FedAvg => known(spectral_norm(&RoundMap::fedavg(fleet, maps).factor)),
        Solver::FedLin => {
            let mean = fleet.total().divided(fleet.n_clients());
            contraction_fedlin(&mean.s, &mean_q(fleet, maps))
        }
    }
}

/// Contraction of FedLin's `I − S̄Q̄`, which shares its eigenvalues with the symmetric `I − S̄^½ Q̄ S̄^½`.
fn contraction_fedlin(mean_s: &Matrix, mean_q: &Matrix) -> f64 {
    let d = mean_s.nrows();
    let mut s = LaneMatrix::zeros(d, d);
    s.set_lane(0, mean_s);
    let eigen = Eigen::new(&s);
    let roots = nalgebra::DVector::from_iterator(d, eigen.values.iter().map(|values| values.0[0].max(0.0).sqrt()));
    let vectors = eigen.vectors.lane(0);
    let root = &vectors * Matrix::from_diagonal(&roots) * vectors.transpose();
    // `max` above hides NaN; the product of S and Q does not.
    let overflowed = !(mean_s * mean_q).iter().all(|v| v.is_finite());
    if overflowed { f64::INFINITY } else { known(spectral_norm(&(Matrix::identity(d, d) - &root * mean_q * &root))) }
}

fn known(rho: f64) -> f64 {
    if rho.is_nan() { f64::INFINITY } else { rho }
}
