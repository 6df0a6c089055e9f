//! What to expect of a method, round by round: its error, and the four things that make it up.
//!
//! A round is one affine map of the server's model (see [`affine`](fedsysid_sim::method::affine)). On the
//! [expected moments](super::expectation) it gives the mean model Θ̄_r, split with the pooled estimate Θ_p as
//!
//! ```text
//! Θ̄_r − Θ⁽ⁱ⁾ = t_r + f_r + b_i        t_{r+1} = t_r F_r                                   t_0 = Θ̄_0 − Θ_p
//!                                     f_{r+1} = f_r F_r + (Θ_p F_r + G_r − Θ_p)           f_0 = 0
//!                                     b_i = Θ_p − Θ⁽ⁱ⁾
//! ```
//!
//! the transient (what the rounds have not yet removed of the start), the client drift (where rounds lead away from pooled least
//! squares: 0 for FedLin) and the heterogeneity bias. The noise enters through G: a round adds `mean V_i Q_i` (FedAvg, FedProx)
//! or `V̄ Q̄` (FedLin), normal with rows of covariance Ψ = LLᵀ. So `Z Y_r` with
//!
//! ```text
//! Y_{r+1} = Y_r F_r + Lᵀ        Y_0 = 0
//! ```
//!
//! is the noise in the model after r rounds, always with the same Z, and `Ω_r = Y_rᵀ Y_r`. Drift, transient and noise are rows of
//! one recurrence, which is run as the engine runs the model's: by leaps where every round is the same, else along the curve of
//! round maps, with L from the joint covariance at its points.
//!
//! The mean square error is a sum of four, each the part of a cause in the whole:
//!
//! ```text
//! E‖E_r‖_F² = ⟨t_r, D_r⟩ + n tr Ω_r + ⟨b, D_r⟩ + ⟨f_r, D_r⟩        D_r = t_r + f_r + b
//! ```
//!
//! A part is negative where its cause works against the others, as a start does that lies on the far side of the truth.

use super::expectation::ExpectedFleet;
use super::law::Law;
use fedsysid_sim::Matrix;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::target::Truth;

/// The four parts of a mean square error (squared Frobenius norm), whose sum it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// What the rounds have not yet removed of the start.
    pub transient: f64,
    /// Process noise in the data.
    pub noise: f64,
    /// The clients' systems are not the one that counts.
    pub bias: f64,
    /// Local steps lead away from the pooled estimate.
    pub drift: f64,
}

impl Parts {
    /// The mean square error.
    pub fn total(self) -> f64 {
        self.transient + self.noise + self.bias + self.drift
    }

    /// The root of the mean square error; NaN where parts overflow, which `max` would turn into 0.
    pub fn rms(self) -> f64 {
        self.total().clamp(0.0, f64::INFINITY).sqrt()
    }
}

/// The errors to expect of a method at the recorded rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Mean error `E‖Θ̄_r − Θ⁽ⁱ⁾‖`.
    pub means: Vec<f64>,
    /// Mean square error, in its parts.
    pub parts: Vec<Parts>,
    /// Where the error ends, if every round is the same and the rounds converge.
    pub limit: Option<Limit>,
}

/// Where a method's error ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Mean error.
    pub mean: f64,
    /// Mean square error, in its parts; there is no transient left.
    pub parts: Parts,
    /// Rounds until the root mean square is within 10 % of the end.
    pub n_rounds: u64,
}

/// This close to its end an error counts as having arrived.
pub(super) const NEAR: f64 = 1.1;

/// What predictions of a scenario have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// Whose error counts.
    pub truth: &'a Truth,
    /// The rounds at which errors are recorded.
    pub recorded: &'a [usize],
    /// The fleet on average.
    pub expected: &'a ExpectedFleet,
    /// The pooled estimate on the scale of the gradients.
    pub pooled: &'a Law,
    /// Factor of the noise's variance for the number of samples, as in the law of the pooled estimate.
    pub for_few: f64,
}

/// The mean model and what varies about it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) transient: Matrix,
    pub(super) drift: Matrix,
    /// Ω, of noise and of who takes part.
    pub(super) covariance: Matrix,
    /// What the latter adds to the parts of transient and drift.
    pub(super) drawn: [f64; 2],
}

impl State {
    /// The law of the model, and the parts of its error; the centre is that of the clients that count, if they are always the same.
    pub(super) fn split(&self, context: Context<'_>, centre: Option<&Centre>) -> (Law, Parts) {
        let State { transient, drift, covariance, drawn } = self;
        let covariance = covariance * context.for_few;
        let law = Law { mean: &context.pooled.mean + drift + transient, covariance };
        let farthest = || Centre::farthest(context.truth, &law.mean);
        let centre = centre.cloned().unwrap_or_else(farthest);
        let difference = &law.mean - &centre.theta;
        let parts = Parts {
            transient: transient.dot(&difference) + drawn[0],
            noise: law.noise() - drawn[0] - drawn[1],
            bias: (&context.pooled.mean - &centre.theta).dot(&difference) + centre.spread,
            drift: drift.dot(&difference) + drawn[1],
        };
        (law, parts)
    }
}
