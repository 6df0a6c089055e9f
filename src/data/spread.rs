//! How far clients differ, as far as their data tell.
//!
//! Local estimates differ for two reasons: the clients' systems do, and the noise. With `v_i = Σ_jk s.e.(Θ̂_i,jk)²`, the mean square that
//! noise makes,
//!
//! ```text
//! τ² = Σ_i ‖Θ̂_i − mean‖_F² / (M − 1)  −  (1/M) Σ_i v_i
//! ```
//!
//! is without bias for the variance of the systems (the analysis-of-variance estimator of random-effects models: Hedges, "A
//! random effects model for effect sizes", 1983). Below zero it says 0.
//!
//! Whether it is anything at all is told by a test of equal coefficients: see [`ratio`](self::ratio).
//!
//! Some states have no noise: x1⁺ = x1 + Δt·x2, or a copy of what another state was. Where nothing is left of such a state in any
//! client but rounding, it is no part of F or of its degrees of freedom. If it is left by one model for all, though, no noise
//! can be the reason, and the clients differ for certain. Where only some clients have no noise in a state, the others' are
//! held against the model of these.

mod ratio;

use crate::Matrix;
use crate::estimate::Estimate;
use crate::sums::Sums;

pub use ratio::Test;
use ratio::{Law, Noisy, Ratio};

/// How far clients differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    /// Clients whose data determine a system of their own.
    pub n_clients: usize,
    /// τ: the root mean square of ‖Θ⁽ⁱ⁾ − mean‖_F, beyond what noise explains; 0 if nothing is.
    pub between: f64,
    /// What noise adds to the distance of a local estimate: the root of the mean v_i.
    pub noise: f64,
    /// States, 0-based, that several clients' own models predict without error, and one model for these clients does not:
    /// in these the clients differ for certain.
    pub differing: Vec<usize>,
    /// States, 0-based, that one model for all predicts without error. They have no noise to hold differences against.
    pub exact: Vec<usize>,
    /// The test over all other states; none where there are no others.
    pub test: Option<Test>,
}

/// Why it cannot be told how far clients differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untold {
    /// Fewer than two clients have an estimate.
    FewClients,
    /// A client has no sample to spare, so that its noise is not known.
    NoneToSpare,
    /// One model for all predicts every state of every client without error: nothing differs, and there is no noise to
    /// test with.
    NoNoise,
}

/// How much more than rounding has to be left before clients differ for certain: decimals in a file are rounded too, and a
/// model of its own follows such errors more closely than one for all.
const CERTAIN: f64 = 1_000.0;

impl Spread {
    /// How far those clients differ that have an estimate, from the sums and the estimate of each.
    ///
    /// # Errors
    /// Why that cannot be told.
    pub fn of(clients: &[(Sums, Estimate)]) -> Result<Self, Untold> {
        let [(sums, first), _, ..] = clients else { return Err(Untold::FewClients) };
        let (n, d) = first.theta.shape();
        let m = clients.len();
        if clients.iter().any(|(_, estimate)| estimate.degrees == 0) {
            return Err(Untold::NoneToSpare);
        }
        let pooled = |sums: &Sums| Estimate::of(sums).map_err(|_| Untold::NoneToSpare);
        pooled(&Sums::total(sums.dims(), clients.iter().map(|(sums, _)| sums)))?;
        let mean = clients.iter().fold(Matrix::zeros(n, d), |sum, (_, own)| sum + &own.theta) / m as f64;
        let squares: f64 = clients.iter().map(|(_, own)| (&own.theta - &mean).norm_squared()).sum();
        let noise = clients.iter().map(|(_, own)| own.total_variance()).sum::<f64>() / m as f64;
        let laws: Vec<_> = clients.iter().map(|(sums, own)| Law::new(sums, own)).collect();
        let (mut differing, mut exact, mut ratio) = (Vec::new(), Vec::new(), Ratio::default());
        for j in 0..n {
            let (noisy, still): (Vec<_>, Vec<_>) = (0..m).partition(|&client| clients[client].1.noise_std[j] > 0.0);
            let mut known = None;
            if !still.is_empty() {
                let together = Sums::total(sums.dims(), still.iter().map(|&client| &clients[client].0));
                let theta = pooled(&together)?.theta;
                let (left, rounding) = together.residuals_and_rounding(&theta)[j];
                if left > CERTAIN * rounding {
                    differing.push(j);
                    continue;
                }
                known = Some(theta.rows(j, 1).into_owned());
            }
            if noisy.is_empty() {
                exact.push(j);
            } else {
                let of_client = |client: usize| Noisy { law: &laws[client], own: &clients[client].1, state: j };
                ratio.add(&noisy.into_iter().map(of_client).collect::<Vec<_>>(), known.as_ref())?;
            }
        }
        if exact.len() == n {
            return Err(Untold::NoNoise);
        }
        Ok(Self {
            n_clients: m,
            between: (squares / (m - 1) as f64 - noise).max(0.0).sqrt(),
            noise: noise.sqrt(),
            differing,
            exact,
            test: ratio.test(),
        })
    }
}

#[cfg(test)]
mod tests;
