//! Whether clients differ at all: a test of equal coefficients in which every client may have its own noise in every
//! state.
//!
//! (The test of Chow, 1960, takes all noise to be the same: for equal clients, some of which have little noise and many
//! samples, it nearly always finds a difference.) It is the likelihood ratio: for each state j, with the θ_j that
//! minimizes the sum,
//!
//! ```text
//! Λ = Σ_ij k_i λ_ij        λ_ij = ln(RSS_ij(θ_j)/RSS_ij) = ln(1 + (θ̂_ij − θ_j)ᵀ S_i (θ̂_ij − θ_j)/RSS_ij)
//! ```
//!
//! This θ_j is the mean of the θ̂_ij with weights S_i k_i/RSS_ij(θ_j). For the true θ_j and regressors that do not
//! depend on the noise, exp(−λ_ij) has exactly the law Beta(ν_i/2, d/2) with ν_i = N_i − d (Wilks, "Certain
//! generalizations in the analysis of variance", 1932). So k_i, which is about ν_i, is chosen to give each k_i λ_ij the
//! mean d that it has for known noise, as Bartlett does ("Properties of sufficiency and statistical tests", 1937). Each
//! client's term is corrected separately before the terms are added, as Alexander and Govern do ("A new and simpler
//! approximation for ANOVA under variance heterogeneity", 1994). A Wald statistic, corrected for estimated variances to
//! first order (Welch, 1951; Johansen, 1980), is the same for large ν_i, but for many clients with few samples it finds
//! a difference far too often. Λ has the mean f₁ = d(M − 1) for each state; its variance is larger than 2f₁ by the
//! factor s, the mean of k_i² var λ_ij / 2d over all terms. F with f₁ and f₂ degrees of freedom, scaled to mean 1, has
//! the same variance if
//!
//! ```text
//! F = Λ/f₁ · f₂/(f₂ − 2)        f₂ = (f₁ − 2 + 4s)/(s − 1)
//! ```
//!
//! The noise of different states is assumed to be independent.

use crate::Matrix;
use crate::estimate::Estimate;
use crate::special::{f_tail, log_beta};
use crate::spread::Untold;
use crate::sums::{Sums, refined};
use fedsysid_sim::moments::Moments;

/// The test of equal coefficients for clients that each have their own noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// F, about 1 for equal clients.
    pub f: f64,
    /// The probability of a larger F for equal clients.
    pub p_value: f64,
}

/// The law of a client's ratios λ, which is the same in every state.
#[derive(Debug)]
pub(super) struct Law {
    moments: Moments,
    /// k, which makes the mean of k λ equal to the number of regressors d.
    factor: f64,
    /// The variance of k λ.
    variance: f64,
}

impl Law {
    pub(super) fn new(sums: &Sums, own: &Estimate) -> Self {
        let d = own.theta.ncols() as f64;
        let (mean, variance) = log_beta(0.5 * own.degrees as f64, 0.5 * d);
        let factor = d / mean;
        Self { moments: sums.moments(), factor, variance: factor * factor * variance }
    }
}

/// A client in a state in which it has noise.
pub(super) struct Noisy<'a> {
    pub(super) law: &'a Law,
    pub(super) sums: &'a Sums,
    pub(super) own: &'a Estimate,
    pub(super) state: usize,
}

impl Noisy<'_> {
    /// The sum of squared residuals of the client's own model in this state.
    fn left(&self) -> f64 {
        self.own.noise_std[self.state].powi(2) * self.own.degrees as f64
    }

    /// The increase of that sum for a row θ (1×d) in place of the client's own.
    fn beyond(&self, theta: &Matrix) -> f64 {
        self.sums.square(&(theta - self.own.theta.rows(self.state, 1))).max(0.0)
    }
}

/// The likelihood ratio, summed over states.
#[derive(Debug, Default)]
pub(super) struct Ratio {
    /// Λ.
    statistic: f64,
    /// f₁, the mean of Λ for equal clients.
    pub(super) degrees: f64,
    /// The sum of the variances of all k λ, and the same sum for known noise.
    variance: f64,
    least_variance: f64,
}

/// The most rounds of reweighting. If every client has many more samples than regressors, a few are enough.
const MOST_WEIGHTINGS: usize = 50;

impl Ratio {
    /// Adds a state in which these clients have noise. If other clients have none in it, `known` is their row
    /// of Θ (1×d).
    pub(super) fn add(&mut self, clients: &[Noisy<'_>], known: Option<&Matrix>) -> Result<(), Untold> {
        let Some(first) = clients.first() else { return Ok(()) };
        let d = first.own.theta.ncols() as f64;
        let n_free = clients.len() - usize::from(known.is_none());
        let mut beyond = vec![0.0; clients.len()];
        let mut statistic = f64::INFINITY;
        for _ in 0..MOST_WEIGHTINGS {
            let theta = if let Some(theta) = known { theta.clone() } else { weighted_mean(clients, &beyond)? };
            let before = statistic;
            statistic = 0.0;
            for (client, beyond) in clients.iter().zip(&mut beyond) {
                *beyond = client.beyond(&theta);
                statistic += client.law.factor * libm::log1p(*beyond / client.left());
            }
            if known.is_some() || statistic >= before * (1.0 - 1e-9) {
                break;
            }
        }
        self.statistic += statistic;
        self.degrees += d * n_free as f64;
        self.variance += clients.iter().map(|client| client.law.variance).sum::<f64>();
        self.least_variance += 2.0 * d * clients.len() as f64;
        Ok(())
    }

    /// The test; `None` if no state was added.
    pub(super) fn test(&self) -> Option<Test> {
        let Self { statistic, degrees, variance, least_variance } = *self;
        // f₂ = (f₁ − 2 + 4s)/(s − 1), with s = 1 + excess.
        let excess = (variance / least_variance - 1.0).max(0.0);
        let bottom = ((degrees + 2.0 + 4.0 * excess) / excess).min(AS_IF_KNOWN);
        let f = statistic / degrees * bottom / (bottom - 2.0);
        (degrees > 0.0).then(|| Test { f, p_value: f_tail(f, degrees, bottom) })
    }
}

/// Degrees of freedom beyond which noise counts as known.
const AS_IF_KNOWN: f64 = 1e7;

/// The mean of the clients' rows of Θ̂ (1×d), each weighted by S_i k_i over the residuals of the common row (own
/// residuals plus `beyond`).
fn weighted_mean(clients: &[Noisy<'_>], beyond: &[f64]) -> Result<Matrix, Untold> {
    let weights = || clients.iter().zip(beyond).map(|(client, beyond)| client.law.factor / (client.left() + beyond));
    // Weights are scaled to at most 1, so that nothing overflows in any unit.
    let largest = weights().fold(0.0, f64::max);
    let (mut s, mut c, mut n_samples) = (0.0 * &clients[0].law.moments.s, 0.0 * clients[0].own.theta.rows(0, 1), 0);
    for (Noisy { law, state, .. }, weight) in clients.iter().zip(weights()) {
        s += &law.moments.s * (weight / largest);
        c += law.moments.c.rows(*state, 1) * (weight / largest);
        n_samples += law.moments.n_samples;
    }
    let left = |theta: &Matrix| {
        let left = clients.iter().zip(weights());
        let left = left.map(|(client, weight)| client.sums.left(theta, client.state) * (weight / largest));
        left.fold(0.0 * theta, |sum, left| sum + left)
    };
    refined(&Moments { s, c, n_samples }, &left).map(|(theta, _)| theta).map_err(|_| Untold::Unsolved)
}
