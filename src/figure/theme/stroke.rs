//! How a line is told from others without its color: dashes, and signs set on it.

use crate::figure::{CurveKind, Role, Step};

/// A stroke of `on` CSS pixels after each gap of `off`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dash {
    /// Length of a stroke, in CSS pixels.
    pub on: f64,
    /// Length of a gap, in CSS pixels.
    pub off: f64,
}

/// The sign set on a curve here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc, filled on a run.
    Disc,
    /// A diamond, filled with paper on a run.
    Diamond,
    /// A triangle, filled on a run.
    Triangle,
    /// A square, filled with paper on a run.
    Square,
}

impl Role {
    /// The dash of a line of this role, `None` where it is solid. Runs are solid, references are broken.
    pub const fn dash(self) -> Option<Dash> {
        match self {
            Role::FedLin
            | Role::FedAvg
            | Role::FedProx
            | Role::Scaffold
            | Role::FedAdmm
            | Role::Clustered
            | Role::Median
            | Role::Noise
            | Role::Heterogeneity
            | Role::Drift
            | Role::Transient
            | Role::Swept(_) => None,
            Role::ClientAlone => Some(Dash { on: 6.0, off: 5.0 }),
            Role::Pooled => Some(Dash { on: 1.5, off: 4.0 }),
            Role::MeanOfLocals => Some(Dash { on: 16.0, off: 4.0 }),
            Role::Weighted => Some(Dash { on: 10.0, off: 3.0 }),
            Role::Personalized => Some(Dash { on: 3.0, off: 3.0 }),
        }
    }

    /// The marker on a measured curve of this role. Two that share one are far apart in lightness.
    pub const fn marker(self) -> Marker {
        match self {
            Role::FedLin | Role::FedAdmm | Role::ClientAlone | Role::Pooled | Role::Noise => Marker::Disc,
            Role::FedAvg
            | Role::Clustered
            | Role::MeanOfLocals
            | Role::Weighted
            | Role::Personalized
            | Role::Heterogeneity => Marker::Diamond,
            Role::FedProx | Role::Median | Role::Drift => Marker::Triangle,
            Role::Scaffold | Role::Transient => Marker::Square,
            Role::Swept(step) => SWEPT_MARKERS[step.index()],
        }
    }
}

/// Chosen so that neighbors differ, however many of the nine steps a sweep uses.
const SWEPT_MARKERS: [Marker; Step::COUNT] = [
    Marker::Disc,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Square,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Disc,
    Marker::Diamond,
    Marker::Square,
];

impl Marker {
    /// Whether a run's markers of this shape are filled with paper.
    pub const fn is_open(self) -> bool {
        match self {
            Marker::Disc | Marker::Triangle => false,
            Marker::Diamond | Marker::Square => true,
        }
    }

    /// From its middle to its farthest point, in strokes; and how much of that a rim of one stroke takes.
    pub(in crate::figure) const fn reach(self) -> (f64, f64) {
        match self {
            Marker::Disc => (1.7, 1.0),
            Marker::Diamond => (2.4, 1.1),
            Marker::Triangle => (2.5, 1.9),
            Marker::Square => (2.2, 1.3),
        }
    }
}

impl CurveKind {
    /// The dash of a curve of this kind and role, the `repeat`-th (from 0) of the kind and role in its figure: two runs
    /// of one algorithm share a color, not a stroke.
    pub const fn dash(self, role: Role, repeat: usize) -> Option<Dash> {
        match (self, repeat % 3) {
            (CurveKind::Predicted, _) => Some(Dash { on: 12.0, off: 5.0 }),
            (CurveKind::PredictedBeside, _) => Some(Dash { on: 2.5, off: 3.5 }),
            (CurveKind::Measured | CurveKind::Pinned, 1) => Some(Dash { on: 9.0, off: 3.0 }),
            (CurveKind::Measured | CurveKind::Pinned, 2) => Some(Dash { on: 4.0, off: 3.0 }),
            (CurveKind::Measured | CurveKind::Pinned, _) => role.dash(),
            (CurveKind::Points | CurveKind::Beside, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_references_share_a_dash() {
        let references = [Role::ClientAlone, Role::Pooled, Role::MeanOfLocals, Role::Weighted, Role::Personalized];
        for (idx, a) in references.iter().enumerate() {
            assert!(a.dash().is_some());
            for b in &references[idx + 1..] {
                assert_ne!(a.dash(), b.dash());
            }
        }
    }
}
