//! FedADMM: exact local solves coupled by dual variables, with an ℓ₁ penalty at the server for sparse systems.
//!
//! Minimises `(1/M) Σ_i ½‖X_i − ΘZ_i‖_F² + γ‖Θ‖₁`. λ_i is client i's dual variable (zero at first), m_i its last
//! message (the server's first model at first), and ρ the penalty. In a round,
//!
//! ```text
//! participating client i:  Θ_i ← (C_i − λ_i + ρΘ̄)(S_i + ρI)⁻¹    λ_i ← λ_i + ρ(Θ_i − Θ̄)    m_i ← Θ_i + λ_i/ρ
//! server:                  Θ̄ ← soft(mean of all m_i, γ/ρ)         soft(x, t) = sign(x) max(|x| − t, 0) in every entry
//! ```
//!
//! Wang, Marella, Anderson, "FedADMM: a federated primal-dual algorithm allowing partial participation", 2203.15104.
//! Clients that do not participate count with their last message. The soft threshold is the proximal step for an ℓ₁
//! penalty; it gives the sparse identification that the FedSysID paper names as an extension. There are no local
//! gradient steps, so K, α and the schedule have no effect.

use super::{Round, Update};
use crate::Matrix;
use crate::cholesky::LaneCholesky;
use crate::fleet::Fleet;
use crate::lanes::{LaneMatrix, Lanes};
use crate::target::Models;

/// The server's model, and the clients' dual variables and messages.
#[derive(Debug)]
pub struct FedAdmm {
    penalty: f64,
    sparsity: f64,
    model: Matrix,
    clients: Vec<Clients>,
    /// S_i + ρI.
    regularized: LaneMatrix,
    server: LaneMatrix,
    local: LaneMatrix,
    sum: LaneMatrix,
}

/// The state of eight clients.
#[derive(Debug)]
struct Clients {
    /// Cholesky factors of S_i + ρI.
    factor: LaneCholesky,
    /// The dual variables λ_i, n×d.
    dual: LaneMatrix,
    /// The last messages m_i, n×d.
    message: LaneMatrix,
}

impl FedAdmm {
    /// Buffers for a fleet, with the penalty ρ and the sparsity weight γ.
    pub fn new(fleet: &Fleet, penalty: f64, sparsity: f64) -> Self {
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let lanes = || LaneMatrix::zeros(n, d);
        let clients = || Clients { factor: LaneCholesky::new(d), dual: lanes(), message: lanes() };
        Self {
            penalty,
            sparsity,
            model: Matrix::zeros(n, d),
            clients: fleet.blocks().iter().map(|_| clients()).collect(),
            regularized: LaneMatrix::zeros(d, d),
            server: lanes(),
            local: lanes(),
            sum: lanes(),
        }
    }
}

impl Update for FedAdmm {
    fn restart(&mut self, fleet: &Fleet, first: &Matrix) {
        self.model.copy_from(first);
        for (block, clients) in fleet.blocks().iter().zip(&mut self.clients) {
            self.regularized.copy_from(&block.s);
            self.regularized.add_to_diagonal(Lanes::splat(self.penalty));
            clients.factor.factorise(&self.regularized);
            clients.dual.fill(0.0);
            clients.message.set_all(first);
        }
    }

    fn round(&mut self, round: Round<'_>) {
        let penalty = Lanes::splat(self.penalty);
        self.server.set_all(&self.model);
        self.sum.fill(0.0);
        for ((block, _, weight), clients) in round.blocks().zip(&mut self.clients) {
            self.local.copy_from(&block.c);
            self.local.add_scaled(Lanes::splat(-1.0), &clients.dual);
            self.local.add_scaled(penalty, &self.server);
            clients.factor.solve(&mut self.local);
            // λ_i + ρ(Θ_i − Θ̄) for participating clients.
            clients.dual.add_weighted(weight * self.penalty, &self.local);
            clients.dual.add_weighted(-weight * self.penalty, &self.server);
            self.local.add_scaled(Lanes::splat(1.0) / penalty, &clients.dual);
            clients.message.copy_where(weight, &self.local);
            self.sum.add_weighted(block.present, &clients.message);
        }
        self.sum.sum_lanes(&mut self.model);
        self.model /= round.fleet.n_clients() as f64;
        let threshold = self.sparsity / self.penalty;
        self.model.apply(|entry| *entry = soft(*entry, threshold));
    }

    fn models(&self) -> Models<'_> {
        Models::Shared(&self.model)
    }
}

/// The soft threshold, the proximal map of `t|x|`. NaN stays NaN.
fn soft(x: f64, threshold: f64) -> f64 {
    if x.abs() <= threshold { 0.0 } else { x - threshold.copysign(x) }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use super::*;
    use crate::estimate::least_squares;

    fn method(penalty: f64, sparsity: f64) -> Method {
        Method::constant(Solver::FedAdmm { penalty, sparsity })
    }

    #[test]
    fn its_rounds_are_the_textbooks() {
        Bench::new().check_against_textbook(method(100.0, 0.0));
        Bench::new().check_against_textbook(method(20.0, 15.0));
    }

    #[test]
    fn without_sparsity_its_fixed_point_is_pooled_least_squares() {
        let bench = Bench::new();
        let pooled = least_squares(&bench.fleet().total()).unwrap();
        for penalty in [20.0, 100.0, 500.0] {
            let model = bench.run(method(penalty, 0.0), 3_000);
            assert!((model - &pooled).amax() < 1e-9, "ρ = {penalty}");
        }
    }

    /// The optimality condition of the ℓ₁ problem: the mean of C_i − ΘS_i is γ·sign(Θ) where Θ is not zero, within ±γ
    /// elsewhere.
    #[test]
    fn with_sparsity_it_meets_the_optimality_condition() {
        let bench = Bench::new();
        let sparsity = 8.0;
        let model = bench.run(method(100.0, sparsity), 5_000);
        let gradient = bench.fleet().total().divided(bench.fleet().n_clients()).gradient(&model);
        let mut n_zero = 0;
        for (gradient, entry) in gradient.iter().zip(model.iter()) {
            if *entry == 0.0 {
                n_zero += 1;
                assert!(gradient.abs() <= sparsity * (1.0 + 1e-9));
            } else {
                assert!((gradient - sparsity.copysign(*entry)).abs() < 1e-6, "{gradient} {entry}");
            }
        }
        assert!(n_zero > 0);
    }

    /// The paper's A_0 has three zeros below the diagonal.
    #[test]
    fn it_recovers_the_zeros_of_a_sparse_system() {
        let bench = Bench::alike(20);
        let zeros = |model: &Matrix| model.iter().map(|entry| *entry == 0.0).collect::<Vec<_>>();
        let truth = zeros(&bench.truth());
        assert_eq!(truth.iter().filter(|zero| **zero).count(), 3);
        assert_eq!(zeros(&bench.run(method(100.0, 12.0), 3_000)), truth);
        assert!(zeros(&bench.run(method(100.0, 0.0), 3_000)).iter().all(|zero| !zero));
    }

    #[test]
    fn soft_thresholds() {
        #[track_caller]
        fn check(x: f64, expected: f64) {
            assert!((soft(x, 0.5) - expected).abs() < 1e-15);
        }
        check(2.0, 1.5);
        check(-2.0, -1.5);
        check(0.5, 0.0);
        check(-0.1, 0.0);
        assert!(soft(f64::NAN, 0.5).is_nan());
    }
}
