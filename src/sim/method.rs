//! The client updates compared: FedAvg and FedLin, each with a step schedule.

use super::schedule::Schedule;

/// What a client does in its local steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Solver {
    /// Plain gradient steps on the client's own data: `Θ ← Θ + α(C_i − ΘS_i)`.
    FedAvg,
    /// Gradient steps corrected towards the clients' mean gradient g at the round's start Θ̄:
    /// `Θ ← Θ + α((C_i − ΘS_i) − (C_i − Θ̄S_i) + g)`.
    FedLin,
}

/// A client update and its step schedule: one curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Method {
    /// The client update.
    pub solver: Solver,
    /// How its step size develops.
    pub schedule: Schedule,
}
