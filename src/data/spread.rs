//! How far clients differ, as far as their data show.
//!
//! Local estimates differ for two reasons: differences between the clients' systems, and noise. Both are compared in
//! units in which every column has a mean square of 1 ([`shared`](crate::shared)): sums over entries of other units
//! would depend on the file's. With `v_i = Σ_jk s.e.(Θ̂_i,jk)²`, the mean square caused by noise,
//!
//! ```text
//! τ² = Σ_i ‖Θ̂_i − mean‖_F² / (M − 1)  −  (1/M) Σ_i v_i
//! ```
//!
//! is an unbiased estimate of the variance of the systems (the analysis-of-variance estimator of random-effects models:
//! Hedges, "A random effects model for effect sizes", 1983). If it is negative, 0 is reported.
//!
//! A test of equal coefficients shows whether the clients differ at all: see `ratio`.
//!
//! Some states have no noise: x1⁺ = x1 + Δt·x2, or a copy of another state's earlier value. If every client's own model
//! predicts such a state with no residual beyond rounding, the state takes no part in F or in its degrees of freedom.
//! But if one model for all clients without noise in the state leaves a larger residual, noise cannot be the reason:
//! the clients differ for certain. If only some clients have no noise in a state, the other clients are compared with
//! the model of these.

mod ratio;

use crate::Matrix;
use crate::estimate::Estimate;
use crate::shared::scaled;
use crate::sums::Sums;

pub use ratio::Test;
use ratio::{Law, Noisy, Ratio};

/// How far clients differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Number of clients whose data determine a system of their own, with samples to spare.
    pub n_clients: usize,
    /// τ: the root mean square of ‖Θ⁽ⁱ⁾ − mean‖_F beyond the part that noise explains, in units of the scales; 0 if
    /// noise explains all of it.
    pub between: f64,
    /// The contribution of noise to the distance of a local estimate, in units of the scales: the root of the mean v_i.
    pub noise: f64,
    /// States, counted from 0, that the own models of several clients predict without error, but one model for these
    /// clients does not: in these states the clients differ for certain.
    pub differing: Vec<usize>,
    /// States, counted from 0, that one model for all clients predicts without error. They have no noise to compare
    /// differences with.
    pub exact: Vec<usize>,
    /// The test over all other states; `None` if there are no others.
    pub test: Option<Test>,
}

/// Why the data cannot show how far clients differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// Fewer than two clients have an estimate and more samples than regressors, which tell their noise.
    FewClients,
    /// One model for all has no solution in numbers of this size.
    Unsolved,
    /// One model for all clients predicts every state without error: nothing differs, and there is no noise to test
    /// with.
    NoNoise,
}

/// How many times larger than rounding a residual must be before clients differ for certain. The decimals in a file are
/// rounded too, and a client's own model follows these errors more closely than one model for all.
const CERTAIN: f64 = 1_000.0;

/// The comparison of clients, state by state.
#[derive(Debug)]
pub struct Comparison {
    /// The sums and the estimate of each client.
    clients: Vec<(Sums, Estimate)>,
    laws: Vec<Law>,
    /// The states that are compared.
    done: usize,
    ratio: Ratio,
    found: Spread,
}

impl Comparison {
    /// Begins to compare the clients that have an estimate, from the sums and the estimate of each, and the scales of
    /// the regressors. Clients with no more samples than regressors are left out, as their noise is not known.
    ///
    /// # Errors
    /// The reason why the data cannot show how far clients differ.
    pub fn new(mut clients: Vec<(Sums, Estimate)>, scales: &[f64]) -> Result<Self, Untold> {
        clients.retain(|(_, own)| own.degrees > 0);
        let [(sums, first), _, ..] = &clients[..] else { return Err(Untold::FewClients) };
        let (n, d) = first.theta.shape();
        let m = clients.len();
        pooled(&Sums::total(sums.dims(), clients.iter().map(|(sums, _)| sums)))?;
        let mean = clients.iter().fold(Matrix::zeros(n, d), |sum, (_, own)| sum + &own.theta) / m as f64;
        let square = |matrix: &Matrix| scaled(matrix, scales).norm_squared();
        let squares: f64 = clients.iter().map(|(_, own)| square(&(&own.theta - &mean))).sum();
        let noise = clients.iter().map(|(_, own)| square(&own.standard_errors)).sum::<f64>() / m as f64;
        let found = Spread {
            n_clients: m,
            between: (squares / (m - 1) as f64 - noise).max(0.0).sqrt(),
            noise: noise.sqrt(),
            differing: Vec::new(),
            exact: Vec::new(),
            test: None,
        };
        let laws = clients.iter().map(|(sums, own)| Law::new(sums, own)).collect();
        Ok(Self { clients, laws, done: 0, ratio: Ratio::default(), found })
    }

    /// Compares the clients in one more state. Returns the result after the last one, and before it `None`.
    pub fn step(&mut self) -> Option<Result<Spread, Untold>> {
        let n = self.clients.first()?.1.theta.nrows();
        if self.done < n {
            let compared = self.compare(self.done);
            self.done += 1;
            return compared.err().map(Err);
        }
        if self.found.exact.len() == n {
            return Some(Err(Untold::NoNoise));
        }
        Some(Ok(Spread { test: self.ratio.test(), ..self.found.clone() }))
    }

    fn compare(&mut self, state: usize) -> Result<(), Untold> {
        let clients = &self.clients;
        let (noisy, still): (Vec<_>, Vec<_>) =
            (0..clients.len()).partition(|&client| clients[client].1.noise_std[state] > 0.0);
        let mut known = None;
        if !still.is_empty() {
            let sums = still.iter().map(|&client| &clients[client].0);
            let together = Sums::total(clients[0].0.dims(), sums);
            let theta = pooled(&together)?;
            let (left, rounding) = together.residuals_and_rounding(&theta)[state];
            if left > CERTAIN * rounding {
                self.found.differing.push(state);
                return Ok(());
            }
            known = Some(theta.rows(state, 1).into_owned());
        }
        if noisy.is_empty() {
            self.found.exact.push(state);
            return Ok(());
        }
        let of_client = |client: usize| {
            let (sums, own) = &clients[client];
            Noisy { law: &self.laws[client], sums, own, state }
        };
        self.ratio.add(&noisy.into_iter().map(of_client).collect::<Vec<_>>(), known.as_ref())
    }
}

fn pooled(sums: &Sums) -> Result<Matrix, Untold> {
    sums.least_squares().map_err(|_| Untold::Unsolved)
}

#[cfg(test)]
mod tests;
