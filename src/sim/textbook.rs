//! The rounds as the paper prints them: every client steps through its samples, K times, and the server averages.
//!
//! Slow and plain on purpose. It is the oracle that the closed form in [`round_map`](super::round_map) is held against.

use super::Matrix;
use super::method::{Method, Solver};
use super::rollout::Samples;

/// How a run steps: `n_local_steps` in each of `n_rounds` rounds, from a base step size α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Base step size α.
    pub step_size: f64,
    /// Local steps K.
    pub n_local_steps: usize,
    /// Rounds R.
    pub n_rounds: usize,
}

/// The server's models Θ̄_0 … Θ̄_R of a run with full participation.
///
/// Gradients are `(X − ΘZ)Zᵀ` over the client's samples, afresh at every local step.
pub fn server_models(clients: &[Samples], method: Method, steps: Steps, start: &Matrix) -> Vec<Matrix> {
    let mut models = vec![start.clone()];
    let mut server = start.clone();
    for round in 0..steps.n_rounds {
        let gradients: Vec<Matrix> = clients.iter().map(|client| gradient(client, &server)).collect();
        let server_gradient = gradients.iter().sum::<Matrix>() / clients.len() as f64;
        let locals = clients.iter().zip(&gradients).map(|(client, at_start)| {
            let correction = match method.solver {
                Solver::FedAvg => Matrix::zeros(server.nrows(), server.ncols()),
                Solver::FedLin => &server_gradient - at_start,
            };
            (1..=steps.n_local_steps).fold(server.clone(), |model, k| {
                let size = method.schedule.step_size(steps.step_size, k, round, steps.n_rounds);
                &model + (gradient(client, &model) + &correction) * size
            })
        });
        server = locals.sum::<Matrix>() / clients.len() as f64;
        models.push(server.clone());
    }
    models
}

fn gradient(client: &Samples, model: &Matrix) -> Matrix {
    (&client.next - model * &client.z) * client.z.transpose()
}
