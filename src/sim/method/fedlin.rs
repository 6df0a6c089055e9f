//! FedLin: gradient steps corrected towards the mean gradient at the start of the round.
//!
//! ```text
//! g = mean of C_i − Θ̄S_i over participating clients
//! client i, k = 1…K:  Θ ← Θ + α_k ((C_i − ΘS_i) − (C_i − Θ̄S_i) + g)            server:  Θ̄ ← mean
//! in closed form:     Θ̄ ← Θ̄ + (C̄ − Θ̄S̄) Q̄
//! ```
//!
//! Mitra et al., "Linear convergence in federated learning: tackling client heterogeneity and sparse gradients",
//! 2102.07053; in the paper, Algorithm 1 with FedLin as the client update. The fixed point is pooled least squares for
//! every K.

use super::Round;
use super::affine::{AffineRound, RoundMap, known};
use crate::Matrix;
use crate::cholesky::semidefinite_factor;
use crate::lanes::LaneMatrix;
use crate::norm::spectral_norm;
use crate::system::Dims;

/// Buffers for sums over clients.
#[derive(Debug)]
pub struct FedLin {
    /// Sums of S_i, C_i and Q_i over lanes, and their means over clients.
    s: (LaneMatrix, Matrix),
    c: (LaneMatrix, Matrix),
    q: (LaneMatrix, Matrix),
}

impl FedLin {
    /// Buffers for systems of the sizes `dims`.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        let room = |rows| (LaneMatrix::zeros(rows, d), Matrix::zeros(rows, d));
        Self { s: room(d), c: room(n), q: room(d) }
    }
}

impl AffineRound for FedLin {
    fn set_map(&mut self, round: Round<'_>, map: &mut RoundMap) {
        let means = [&mut self.s, &mut self.c, &mut self.q];
        for (lanes, _) in means {
            lanes.fill(0.0);
        }
        for (block, maps, weight) in round.blocks() {
            self.s.0.add_weighted(weight, &block.s);
            self.c.0.add_weighted(weight, &block.c);
            self.q.0.add_weighted(weight, &maps.q);
        }
        for (lanes, mean) in [&mut self.s, &mut self.c, &mut self.q] {
            lanes.sum_lanes(mean);
            *mean *= round.share();
        }
        self.s.1.mul_to(&self.q.1, &mut map.factor);
        map.factor.neg_mut();
        map.factor.iter_mut().step_by(self.q.1.nrows() + 1).for_each(|diagonal| *diagonal += 1.0);
        self.c.1.mul_to(&self.q.1, &mut map.offset);
    }

    /// With `S̄ = LLᵀ`, `I − S̄Q̄` has the eigenvalues of the symmetric matrix `I − LᵀQ̄L`.
    fn contraction(&self, map: &RoundMap) -> f64 {
        let factor = semidefinite_factor(&self.s.1);
        let d = factor.nrows();
        // NaN does not show in the Cholesky factor, but it does in the map.
        let overflowed = !map.factor.iter().all(|v| v.is_finite());
        let symmetric = || Matrix::identity(d, d) - factor.tr_mul(&self.q.1) * &factor;
        if overflowed { f64::INFINITY } else { known(spectral_norm(&symmetric())) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use crate::estimate::least_squares;
    use crate::schedule::Schedule;

    const METHOD: Method = Method::constant(Solver::FedLin);

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..METHOD });
        }
    }

    #[test]
    fn its_contraction_is_the_spectral_radius_of_its_map() {
        let bench = Bench::new();
        for step_size in [1e-4, 3e-3, 2e-2] {
            let (map, contraction) = bench.with_steps(step_size, 3).round_map(METHOD);
            let expected = map
                .factor
                .complex_eigenvalues()
                .iter()
                .map(|value| libm::hypot(value.re, value.im))
                .fold(0.0, f64::max);
            assert!((contraction - expected).abs() < 1e-9 * expected, "{contraction} {expected}");
        }
    }

    #[test]
    fn its_fixed_point_is_pooled_least_squares_whatever_the_local_steps() {
        let bench = Bench::new();
        let pooled = least_squares(&bench.fleet().total()).unwrap();
        for n_local_steps in [1, 10, 40] {
            let model = bench.with_steps(3e-4, n_local_steps).run(METHOD, 4_000);
            assert!((model - &pooled).amax() < 1e-9, "K = {n_local_steps}");
        }
    }
}
