//! Options of the views: the view itself, the trade-off's axis, the map.

use crate::params::table::Key;
use crate::params::word::Word;

/// The views of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    /// One experiment: error over rounds.
    #[default]
    Explore,
    /// Final error over one parameter.
    TradeOff,
    /// Two parameters at once: who wins, or how stable the rounds are.
    Map,
    /// The paper's figures.
    Paper,
    /// The family of the clients' systems.
    Systems,
    /// The person's own data.
    Data,
    /// A choice of lessons, and classes.
    Lesson,
}

/// The parameter on the trade-off's axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Across {
    /// ε.
    #[default]
    Heterogeneity,
    /// M.
    Clients,
    /// N_i.
    Rollouts,
}

/// The quantity on the vertical axis where error is shown over rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Upward {
    /// The error, on a logarithmic axis.
    #[default]
    Error,
    /// The error as a multiple of the error of pooled least squares, where a federated method should end.
    OverPooled,
}

/// The maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MapKind {
    /// Whether joining pays, over ε and M.
    #[default]
    Clients,
    /// Whether joining pays, over ε and N_i.
    Rollouts,
    /// How fast the rounds converge, over α and K.
    Steps,
}

impl Word for View {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Explore, "explore", "Explore"),
        (Self::TradeOff, "tradeoff", "Trade-off"),
        (Self::Map, "map", "Map"),
        (Self::Paper, "paper", "Paper"),
        (Self::Systems, "systems", "Systems"),
        (Self::Data, "data", "Your data"),
        (Self::Lesson, "lesson", "Lessons"),
    ];
}

impl Word for Across {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Heterogeneity, "eps", "ε heterogeneity"),
        (Self::Clients, "M", "M clients"),
        (Self::Rollouts, "N", "Nᵢ rollouts per client"),
    ];
}

impl Across {
    /// The parameter on this axis.
    pub fn key(self) -> Key {
        match self {
            Self::Heterogeneity => Key::Heterogeneity,
            Self::Clients => Key::Clients,
            Self::Rollouts => Key::Rollouts,
        }
    }

    /// The axis with this parameter, if there is one.
    pub fn of(key: Key) -> Option<Self> {
        Self::ALL.iter().map(|(across, ..)| *across).find(|across| across.key() == key)
    }
}

impl Word for Upward {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Error, "error", "error"), (Self::OverPooled, "pooled", "error ÷ pooled least squares’")];
}

impl Word for MapKind {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Clients, "eps-M", "ε × M: who wins"),
        (Self::Rollouts, "eps-N", "ε × Nᵢ: who wins"),
        (Self::Steps, "alpha-K", "α × K: how fast"),
    ];
}

impl MapKind {
    /// The parameters along the two axes, the horizontal one first.
    pub fn keys(self) -> (Key, Key) {
        match self {
            Self::Clients => (Key::Heterogeneity, Key::Clients),
            Self::Rollouts => (Key::Heterogeneity, Key::Rollouts),
            Self::Steps => (Key::StepSize, Key::LocalSteps),
        }
    }
}
