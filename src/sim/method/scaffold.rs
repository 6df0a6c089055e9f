//! SCAFFOLD: gradient steps corrected by control variates, which carry every client's gradient from round to round.
//!
//! c_i is client i's control variate and c the server's. They stand for gradients `ΘS − C` and are zero at first.
//!
//! ```text
//! client i, k = 1…K:  Θ ← Θ + α_k ((C_i − ΘS_i) + c_i − c)
//!                     c_i⁺ = c_i − c + (Θ̄ − Θ) / Σ_k α_k                    (option II)
//! server:             Θ̄ ← mean of Θ over participating clients        c ← c + (1/M) Σ (c_i⁺ − c_i) over them
//! in closed form:     Θ = Θ̄ P_i + (C_i + c_i − c) Q_i
//! ```
//!
//! Karimireddy et al., "SCAFFOLD: stochastic controlled averaging for federated learning", 1910.06378, algorithm 1 with
//! a global step of 1. The fixed point is pooled least squares for every K; the first round is FedAvg's.

use super::{Round, Update};
use crate::Matrix;
use crate::fleet::Fleet;
use crate::lanes::{LaneMatrix, Lanes};
use crate::target::Models;

/// The server's model and control variate, and the clients' control variates.
#[derive(Debug)]
pub struct Scaffold {
    model: Matrix,
    control: Matrix,
    /// c_i, block by block.
    controls: Vec<LaneMatrix>,
    room: Room,
}

#[derive(Debug)]
struct Room {
    /// Θ̄ and c in every lane.
    server: LaneMatrix,
    control: LaneMatrix,
    /// c_i − c, later c_i⁺.
    corrected: LaneMatrix,
    /// C_i + c_i − c.
    c: LaneMatrix,
    local: LaneMatrix,
    local_sum: LaneMatrix,
    control_sum: LaneMatrix,
    mean: Matrix,
}

impl Scaffold {
    /// Buffers for a fleet.
    pub fn new(fleet: &Fleet) -> Self {
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let lanes = || LaneMatrix::zeros(n, d);
        let room = Room {
            server: lanes(),
            control: lanes(),
            corrected: lanes(),
            c: lanes(),
            local: lanes(),
            local_sum: lanes(),
            control_sum: lanes(),
            mean: Matrix::zeros(n, d),
        };
        let controls = vec![lanes(); fleet.blocks().len()];
        Self { model: Matrix::zeros(n, d), control: Matrix::zeros(n, d), controls, room }
    }
}

impl Update for Scaffold {
    fn restart(&mut self, _: &Fleet, first: &Matrix) {
        self.model.copy_from(first);
        self.control.fill(0.0);
        self.controls.iter_mut().for_each(|control| control.fill(0.0));
    }

    fn round(&mut self, round: Round<'_>) {
        let room = &mut self.room;
        room.server.set_all(&self.model);
        room.control.set_all(&self.control);
        room.local_sum.fill(0.0);
        room.control_sum.fill(0.0);
        let minus = Lanes::splat(-1.0);
        for ((block, maps, weight), control) in round.blocks().zip(&mut self.controls) {
            room.corrected.copy_from(control);
            room.corrected.add_scaled(minus, &room.control);
            room.c.copy_from(&block.c);
            room.c.add_scaled(Lanes::splat(1.0), &room.corrected);
            room.local.set_product(&room.server, &maps.p);
            room.local.add_product(&room.c, &maps.q);
            room.local_sum.add_weighted(weight, &room.local);
            let per_step = Lanes::splat(1.0) / maps.total_step;
            room.corrected.add_scaled(per_step, &room.server);
            room.corrected.add_scaled(-per_step, &room.local);
            room.control_sum.add_weighted(weight, &room.corrected);
            room.control_sum.add_weighted(-weight, control);
            control.copy_where(weight, &room.corrected);
        }
        room.local_sum.sum_lanes(&mut self.model);
        self.model *= round.share();
        room.control_sum.sum_lanes(&mut room.mean);
        room.mean /= round.fleet.n_clients() as f64;
        self.control += &room.mean;
    }

    fn models(&self) -> Models<'_> {
        Models::Shared(&self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use crate::estimate::least_squares;
    use crate::schedule::Schedule;

    const METHOD: Method = Method::constant(Solver::Scaffold);

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..METHOD });
        }
    }

    #[test]
    fn its_fixed_point_is_pooled_least_squares_whatever_the_local_steps() {
        let bench = Bench::new();
        let pooled = least_squares(&bench.fleet().total()).unwrap();
        for n_local_steps in [1, 10, 40] {
            let model = bench.with_steps(2e-4, n_local_steps).run(METHOD, 6_000);
            assert!((model - &pooled).amax() < 1e-8, "K = {n_local_steps}");
        }
    }

    #[test]
    fn its_first_round_is_fedavgs() {
        let bench = Bench::new();
        let fedavg = Method::constant(Solver::FedAvg);
        assert!((bench.run(METHOD, 1) - bench.run(fedavg, 1)).amax() < 1e-14);
        assert!((bench.run(METHOD, 2) - bench.run(fedavg, 2)).amax() > 1e-6);
    }
}
