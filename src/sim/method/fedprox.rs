//! FedProx: FedAvg with a pull of strength μ towards the server's model at the start of the round.
//!
//! ```text
//! client i, k = 1…K:  Θ ← Θ + α_k (C_i − ΘS_i − μ(Θ − Θ̄))            server:  Θ̄ ← mean over participating clients
//! in closed form:     Θ̄ ← Θ̄ (P̄ + μQ̄) + mean(C_i Q_i)     with P_i, Q_i of S_i + μI
//! ```
//!
//! Li et al., "Federated optimization in heterogeneous networks", 1812.06127; the local problem is solved by K gradient
//! steps. At μ = 0 the method is FedAvg; a stronger pull means less drift and slower progress.

use super::Round;
use super::affine::{AffineRound, RoundMap, known};
use super::fedavg::FedAvg;
use crate::Matrix;
use crate::lanes::LaneMatrix;
use crate::norm::spectral_norm;
use crate::system::Dims;

/// FedAvg's sums, and the sum of the Q_i.
#[derive(Debug)]
pub struct FedProx {
    pull: f64,
    averaged: FedAvg,
    q: LaneMatrix,
    mean_q: Matrix,
}

impl FedProx {
    /// Buffers for systems of the sizes `dims`, with the strength μ of the pull.
    pub fn new(dims: Dims, pull: f64) -> Self {
        let d = dims.n_regressors();
        Self { pull, averaged: FedAvg::new(dims), q: LaneMatrix::zeros(d, d), mean_q: Matrix::zeros(d, d) }
    }
}

impl AffineRound for FedProx {
    fn set_map(&mut self, round: Round<'_>, map: &mut RoundMap) {
        self.averaged.set_map(round, map);
        self.q.fill(0.0);
        for (_, maps, weight) in round.blocks() {
            self.q.add_weighted(weight, &maps.q);
        }
        self.q.sum_lanes(&mut self.mean_q);
        self.mean_q *= self.pull * round.share();
        map.factor += &self.mean_q;
    }

    /// P̄ + μQ̄ is symmetric, so its spectral radius is its spectral norm.
    fn contraction(&self, map: &RoundMap) -> f64 {
        known(spectral_norm(&map.factor))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use crate::estimate::least_squares;
    use crate::schedule::Schedule;

    fn method(pull: f64) -> Method {
        Method::constant(Solver::FedProx { pull })
    }

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..method(30.0) });
        }
    }

    #[test]
    fn without_a_pull_it_is_fedavg() {
        let bench = Bench::new();
        let fedavg = Method::constant(Solver::FedAvg);
        assert_eq!(bench.run(method(0.0), 50), bench.run(fedavg, 50));
    }

    #[test]
    fn a_stronger_pull_means_less_drift() {
        let bench = Bench::new().with_steps(1e-3, 60);
        let pooled = least_squares(&bench.fleet().total()).unwrap();
        let drift = |pull| (bench.run(method(pull), 4_000) - &pooled).norm();
        let drifts = [0.0, 10.0, 100.0, 500.0].map(drift);
        assert!(drifts.windows(2).all(|pair| pair[1] < 0.95 * pair[0]), "{drifts:?}");
    }
}
