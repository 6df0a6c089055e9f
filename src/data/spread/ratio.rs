//! Whether clients differ at all: a test of equal coefficients that lets every client have its own noise in every state.
//!
//! (That of Chow, 1960, takes all noise to be the same: of clients that are alike, some with little noise and many samples, it
//! says nearly always that they differ.) It is the likelihood ratio: for each state j the θ_j that makes the sum least,
//!
//! ```text
//! Λ = Σ_ij k_i λ_ij        λ_ij = ln(RSS_ij(θ_j)/RSS_ij) = ln(1 + (θ̂_ij − θ_j)ᵀ S_i (θ̂_ij − θ_j)/RSS_ij)
//! ```
//!
//! which is the mean of the θ̂_ij with weights S_i k_i/RSS_ij(θ_j). For the true θ_j and regressors that do not depend on the noise,
//! exp(−λ_ij) is exactly Beta(ν_i/2, d/2) with ν_i = N_i − d (Wilks, "Certain generalizations in the analysis of variance", 1932). So
//! k_i, about ν_i, makes the mean of each k_i λ_ij what it is for known noise, d, as Bartlett does ("Properties of sufficiency and
//! statistical tests", 1937); and each client's term is brought to its law by itself before they are added, as Alexander and
//! Govern do ("A new and simpler approximation for ANOVA under variance heterogeneity", 1994). A Wald statistic, corrected for
//! estimated variances to first order (Welch, 1951; Johansen, 1980), is the same for large ν_i, but of many clients with few
//! samples it says far too often that they differ. Λ has mean f₁ = d(M − 1) a state; its variance is more than 2f₁ in the
//! proportion s = Σ k_i² var λ_ij / 2d, over their number. F with f₁ and f₂ degrees of freedom, brought to mean 1, has that
//! variance too with
//!
//! ```text
//! F = Λ/f₁ · f₂/(f₂ − 2)        f₂ = (f₁ − 2 + 4s)/(s − 1)
//! ```
//!
//! The noise of different states is taken to be independent.

use crate::Matrix;
use crate::estimate::Estimate;
use crate::special::{f_tail, log_beta};
use crate::spread::Untold;
use crate::sums::Sums;
use fedsysid_sim::estimate::least_squares;
use fedsysid_sim::moments::Moments;

/// The test of equal coefficients of clients that each have their own noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// F, about 1 for clients that are alike.
    pub f: f64,
    /// The probability of a larger F for clients that are alike.
    pub p_value: f64,
}

/// What is to be known of a client's ratios λ, which have the same law in every state.
pub(super) struct Law {
    moments: Moments,
    /// k, which makes the mean of k λ the number of regressors.
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
    pub(super) own: &'a Estimate,
    pub(super) state: usize,
}

impl Noisy<'_> {
    /// The squares that the client's own model leaves.
    fn left(&self) -> f64 {
        self.own.noise_std[self.state].powi(2) * self.own.degrees as f64
    }

    /// The squares that a row θ (1×d) leaves beyond these.
    fn beyond(&self, theta: &Matrix) -> f64 {
        let off = theta - self.own.theta.rows(self.state, 1);
        (&off * &self.law.moments.s).dot(&off).max(0.0)
    }
}

/// The likelihood ratio, summed over states.
#[derive(Default)]
pub(super) struct Ratio {
    /// Λ.
    statistic: f64,
    /// f₁, its mean for clients that are alike.
    pub(super) degrees: f64,
    /// The sum of the variances of all k λ, and what it is for known noise.
    variance: f64,
    least_variance: f64,
}

/// Rounds of weighting at most. With many samples to spare in every client a few are enough.
const MOST_WEIGHTINGS: usize = 50;

impl Ratio {
    /// Adds a state, in which these clients have noise. Where others have none, `known` is their row of Θ (1×d).
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

    /// The test; none without any state.
    pub(super) fn test(&self) -> Option<Test> {
        let Self { statistic, degrees, variance, least_variance } = *self;
        // f₂ = (f₁ − 2 + 4s)/(s − 1), with s = 1 + excess.
        let excess = (variance / least_variance - 1.0).max(0.0);
        let bottom = ((degrees + 2.0 + 4.0 * excess) / excess).min(AS_IF_KNOWN);
        let f = statistic / degrees * bottom / (bottom - 2.0);
        (degrees > 0.0).then(|| Test { f, p_value: f_tail(f, degrees, bottom) })
    }
}

/// Degrees of freedom with which noise is as good as known.
const AS_IF_KNOWN: f64 = 1e7;

/// The mean of the clients' rows of Θ̂ (1×d), weighted by how well each is known if it leaves so much more than its own.
fn weighted_mean(clients: &[Noisy<'_>], beyond: &[f64]) -> Result<Matrix, Untold> {
    let weights = || clients.iter().zip(beyond).map(|(client, beyond)| client.law.factor / (client.left() + beyond));
    // No weight is larger than 1, so that nothing overflows in whatever unit.
    let largest = weights().fold(0.0, f64::max);
    let (mut s, mut c, mut n_samples) = (0.0 * &clients[0].law.moments.s, 0.0 * clients[0].own.theta.rows(0, 1), 0);
    for (Noisy { law, state, .. }, weight) in clients.iter().zip(weights()) {
        s += &law.moments.s * (weight / largest);
        c += law.moments.c.rows(*state, 1) * (weight / largest);
        n_samples += law.moments.n_samples;
    }
    least_squares(&Moments { s, c, n_samples }).map_err(|_| Untold::NoneToSpare)
}
