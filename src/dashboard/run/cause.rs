//! Causes of an error, as theory parts them.

use crate::theory::prediction::Parts;
use fedsysid_say::say;

/// Causes of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The part that the rounds have not yet removed.
    Transient,
    /// Process noise.
    Noise,
    /// Differences between the clients.
    Heterogeneity,
    /// Bias of local steps.
    Drift,
}

impl Cause {
    /// All causes with their parts, in the order in which they are stacked.
    pub fn parts(parts: &Parts) -> [(Self, f64); 4] {
        [
            (Self::Noise, parts.noise),
            (Self::Heterogeneity, parts.bias),
            (Self::Drift, parts.drift),
            (Self::Transient, parts.transient),
        ]
    }

    /// Word in style sheets and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Noise => "noise",
            Self::Heterogeneity => "heterogeneity",
            Self::Drift => "client drift",
        }
    }

    /// Name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Transient => say!("transient"),
            Self::Noise => say!("noise"),
            Self::Heterogeneity => say!("heterogeneity"),
            Self::Drift => say!("client drift"),
        }
    }
}
