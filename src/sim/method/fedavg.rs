//! FedAvg: plain gradient steps, averaged by the server.
//!
//! ```text
//! client i, k = 1…K:  Θ ← Θ + α_k (C_i − ΘS_i)            server:  Θ̄ ← mean over participating clients
//! in closed form:     Θ̄ ← Θ̄ P̄ + mean(C_i Q_i)
//! ```
//!
//! McMahan et al., "Communication-efficient learning of deep networks from decentralized data", 1602.05629; in the
//! paper, Algorithm 1 with FedAvg as the client update. (The printed server line divides by M; here the divisor is the
//! number of participating clients.) The fixed point `mean(C_i Q_i)(I − P̄)⁻¹` lies between pooled least squares (small
//! steps, if all clients take equally many) and the mean of local solutions (large K).

use super::Round;
use super::affine::{AffineRound, RoundMap, known};
use crate::lanes::LaneMatrix;
use crate::norm::spectral_norm;
use crate::system::Dims;

/// Buffers for sums over clients.
#[derive(Debug)]
pub struct FedAvg {
    product: LaneMatrix,
    p: LaneMatrix,
    cq: LaneMatrix,
}

impl FedAvg {
    /// Buffers for systems of the sizes `dims`.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { product: LaneMatrix::zeros(n, d), p: LaneMatrix::zeros(d, d), cq: LaneMatrix::zeros(n, d) }
    }
}

impl AffineRound for FedAvg {
    fn set_map(&mut self, round: Round<'_>, map: &mut RoundMap) {
        self.p.fill(0.0);
        self.cq.fill(0.0);
        for (block, maps, weight) in round.blocks() {
            self.p.add_weighted(weight, &maps.p);
            self.product.set_product(&block.c, &maps.q);
            self.cq.add_weighted(weight, &self.product);
        }
        self.p.sum_lanes(&mut map.factor);
        self.cq.sum_lanes(&mut map.offset);
        map.factor *= round.share();
        map.offset *= round.share();
    }

    /// P̄ is symmetric, so its spectral radius is its spectral norm.
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

    const METHOD: Method = Method::constant(Solver::FedAvg);

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..METHOD });
        }
    }

    #[test]
    fn its_fixed_point_drifts_from_pooled_to_the_mean_of_local_solutions() {
        let bench = Bench::new();
        let pooled = least_squares(&bench.fleet().total()).unwrap();
        let mean = bench.mean_of_locals();
        let far = (&pooled - &mean).norm();
        assert!(far > 1e-3);
        let small = bench.with_steps(1e-5, 1).run(METHOD, 60_000);
        assert!((small - &pooled).norm() < 0.05 * far);
        let large = bench.with_steps(1e-3, 10_000).run(METHOD, 50);
        assert!((large - &mean).norm() < 1e-3 * far);
    }
}
