//! Rollouts that have the moments drawn by a simulator.

use rand::Rng;

use super::{Client, LANES, MomentSimulator};
use crate::Matrix;
use crate::normal::normal;
use crate::plan::DataPlan;
use crate::reflection::reflect;
use crate::samples::Samples;
use crate::stream::Purpose;

/// A client's rollouts, whose moments are those that a [`MomentSimulator`] draws for it, up to rounding.
///
/// The simulator's draws are repeated as coordinates in bases of ℝᴺ, which are completed by random vectors. The samples
/// have the law of rollouts simulated one by one, and are in the order of
/// [`simulate_samples`](crate::samples::simulate_samples).
///
/// They need memory for all N·T samples, and for n + d vectors of length N. A scenario allows 10⁹ rollouts of 10⁴
/// steps, far more than fits, so callers have to bound both.
///
/// # Panics
/// If the samples do not fit into memory.
pub fn realize(client: Client<'_>) -> Samples {
    let (dims, plan) = (client.system.dims(), client.plan);
    let (n, d, n_samples) = (dims.n_states, dims.n_regressors(), plan.n_rollouts * plan.rollout_len);
    let mut samples = Samples { z: Matrix::zeros(d, n_samples), next: Matrix::zeros(n, n_samples) };
    let mut simulator = MomentSimulator::new(dims);
    // One step more, because the noise of a last step is drawn only as far as the moments need it.
    let plan_of_more = DataPlan { rollout_len: plan.rollout_len + 1, ..plan };
    simulator.begin([Client { plan: plan_of_more, ..client }]);
    let theta = client.system.theta();
    let lane = client.key.client % LANES;
    let mut basis = Basis::new(plan.n_rollouts, d + n, client.key.stream(Purpose::Samples));
    basis.complete(n);
    let mut states = basis.combined(&simulator.regressors.lane(lane).view((0, 0), (n, n)).into());
    for t in 0..plan.rollout_len {
        basis.complete(d);
        simulator.draw_inputs();
        let mut z = basis.combined(&simulator.regressors.lane(lane));
        z.rows_mut(0, n).copy_from(&states);
        basis.complete(d + n);
        simulator.draw_noise();
        states = &theta * &z + basis.combined(&simulator.next.lane(lane));
        for rollout in 0..plan.n_rollouts {
            let column = rollout * plan.rollout_len + t;
            samples.z.column_mut(column).copy_from(&z.column(rollout));
            samples.next.column_mut(column).copy_from(&states.column(rollout));
        }
        simulator.take_samples();
        basis.turn(|row| reflect(&simulator.next, lane, row), n);
    }
    samples
}

/// Orthonormal vectors of ℝᴺ, as columns; at most N of them are not zero.
struct Basis<R> {
    vectors: Matrix,
    n_vectors: usize,
    rng: R,
}

impl<R: Rng> Basis<R> {
    fn new(n_rollouts: usize, room: usize, rng: R) -> Self {
        Self { vectors: Matrix::zeros(n_rollouts, room), n_vectors: 0, rng }
    }

    /// Adds random vectors until there are `n_vectors`. All vectors after the first N are zero.
    fn complete(&mut self, n_vectors: usize) {
        while self.n_vectors < n_vectors {
            let (known, mut rest) = self.vectors.columns_range_pair_mut(0..self.n_vectors, self.n_vectors..);
            let mut vector = rest.column_mut(0);
            vector.fill(0.0);
            if self.n_vectors < vector.len() {
                vector.iter_mut().for_each(|entry| *entry = normal(&mut self.rng));
                // Twice, because rounding leaves small components the first time.
                for other in known.column_iter().chain(known.column_iter()) {
                    let along = other.dot(&vector);
                    vector.axpy(-along, &other, 1.0);
                }
                vector.normalize_mut();
            }
            self.n_vectors += 1;
        }
    }

    /// The rows (of length N) with these coordinates.
    fn combined(&self, coordinates: &Matrix) -> Matrix {
        coordinates * self.vectors.columns(0, coordinates.ncols()).transpose()
    }

    /// Turns the basis, by applying `turn` to every row of the matrix, and keeps the first `n_kept` vectors.
    fn turn(&mut self, turn: impl Fn(&mut [f64]), n_kept: usize) {
        let mut row = vec![0.0; self.vectors.ncols()];
        for k in 0..self.vectors.nrows() {
            row.iter_mut().zip(self.vectors.row(k).iter()).for_each(|(entry, &value)| *entry = value);
            turn(&mut row);
            self.vectors.row_mut(k).iter_mut().zip(&row).for_each(|(entry, &value)| *entry = value);
        }
        self.n_vectors = n_kept;
    }
}
