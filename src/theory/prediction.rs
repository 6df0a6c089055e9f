//! The predicted error of a method, round by round, and its four parts.
//!
//! A round is one affine map of the server's model, see [`affine`](fedsysid_sim::method::affine). With the [expected
//! moments](super::expectation) it yields the mean model Θ̄_r. The pooled estimate Θ_p splits its error into
//!
//! ```text
//! Θ̄_r − Θ⁽ⁱ⁾ = t_r + f_r + b_i        t_{r+1} = t_r F_r                                   t_0 = Θ̄_0 − Θ_p
//!                                     f_{r+1} = f_r F_r + (Θ_p F_r + G_r − Θ_p)           f_0 = 0
//!                                     b_i = Θ_p − Θ⁽ⁱ⁾
//! ```
//!
//! the transient t (the rest of the initial error), the client drift f (rounds lead away from pooled least squares; 0
//! for FedLin) and the heterogeneity bias b. The noise enters through G: a round adds `mean V_i Q_i` (FedAvg, FedProx)
//! or `V̄ Q̄` (FedLin), with normal rows of covariance Ψ = LLᵀ. So the noise in the model after r rounds is `Z Y_r`,
//! with the same Z in all rounds and
//!
//! ```text
//! Y_{r+1} = Y_r F_r + Lᵀ        Y_0 = 0        Ω_r = Y_rᵀ Y_r
//! ```
//!
//! Drift, transient and noise are rows of one recurrence. If every round is the same, it runs in leaps; if step sizes
//! change, along a curve of round maps, with L from the joint covariance at its points. If not all clients take part,
//! see `sampling`.
//!
//! The mean square error is the sum of four parts, one for each cause:
//!
//! ```text
//! E‖E_r‖_F² = ⟨t_r, D_r⟩ + n tr Ω_r + ⟨b, D_r⟩ + ⟨f_r, D_r⟩        D_r = t_r + f_r + b
//! ```
//!
//! A part is negative if its cause counteracts the others, as a start on the far side of the true system does.

use super::expectation::ExpectedFleet;
use super::law::Law;
use fedsysid_sim::Matrix;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::target::Truth;

/// The four parts of a mean square error (squared Frobenius norm). They add up to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    /// The transient: the rest of the initial error.
    pub transient: f64,
    /// Process noise in the data.
    pub noise: f64,
    /// Heterogeneity bias: the clients' systems differ from the target's.
    pub bias: f64,
    /// Client drift: local steps lead away from the pooled estimate.
    pub drift: f64,
}

impl Parts {
    /// The mean square error.
    pub fn total(self) -> f64 {
        self.transient + self.noise + self.bias + self.drift
    }

    /// The root mean square error; NaN if a part is NaN, which `max` would turn into 0.
    pub fn rms(self) -> f64 {
        self.total().clamp(0.0, f64::INFINITY).sqrt()
    }
}

/// The predicted errors of a method at the recorded rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Mean errors `E‖Θ_r − Θ⁽ⁱ⁾‖` (spectral norm).
    pub means: Vec<f64>,
    /// Mean square errors in their four parts.
    pub parts: Vec<Parts>,
    /// The limit of the error; `None` if step sizes change from round to round, or the error does not settle.
    pub limit: Option<Limit>,
}

/// The limit of a method's error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Mean error (spectral norm).
    pub mean: f64,
    /// Mean square error in its parts; hardly any transient is left.
    pub parts: Parts,
    /// Number of rounds until the root mean square error is within 10 % of the limit.
    pub n_rounds: u64,
}

/// An error up to this many times its limit counts as having arrived.
pub(super) const NEAR: f64 = 1.1;

/// The inputs that all predictions of a scenario share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The true systems, and whose error counts.
    pub truth: &'a Truth,
    /// The recorded rounds.
    pub recorded: &'a [usize],
    /// The expected fleet.
    pub expected: &'a ExpectedFleet,
    /// The law of the pooled estimate from the moments that the rounds use.
    pub pooled: &'a Law,
}

/// The mean model after a round, and the variation around it.
#[derive(Debug)]
pub(super) struct State {
    pub(super) transient: Matrix,
    pub(super) drift: Matrix,
    /// Ω: covariance of every row from noise and from the choice of participants.
    pub(super) covariance: Matrix,
    /// The contribution of the choice of participants to the parts of transient and drift.
    pub(super) drawn: [f64; 2],
}

impl State {
    /// The law of the model, and the parts of its error. Without a `centre`, the target is the client farthest from the
    /// mean model.
    pub(super) fn split(&self, context: Context<'_>, centre: Option<&Centre>) -> (Law, Parts) {
        let State { transient, drift, covariance, drawn } = self;
        let law = Law { mean: &context.pooled.mean + drift + transient, covariance: covariance.clone() };
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
