//! Dashes and markers, which distinguish lines without their colors.

use crate::figure::{CurveKind, RampStep, Role};

/// A dash pattern: strokes of `on` CSS pixels, gaps of `off`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dash {
    /// Length of a stroke, in CSS pixels.
    pub on: f64,
    /// Length of a gap, in CSS pixels.
    pub off: f64,
}

/// A marker set on a curve at some points: one shape for each method, one for each value of a sweep. On runs, open
/// shapes are filled with paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Disc,
    /// A diamond, open.
    Diamond,
    /// A triangle that points up.
    Up,
    /// A square, open.
    Square,
    /// A plus sign.
    Plus,
    /// A triangle that points down, open.
    Down,
    /// A star.
    Star,
    /// A multiplication sign.
    Cross,
    /// A triangle that points to the right, open.
    Right,
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

    /// The marker on a measured curve of this role. No two methods share a marker; nor does a method share one with a
    /// client alone, which a trade-off shows beside the methods.
    pub const fn marker(self) -> Marker {
        match self {
            Role::FedLin | Role::Noise => Marker::Disc,
            Role::FedAvg | Role::Heterogeneity | Role::Weighted => Marker::Diamond,
            Role::FedProx | Role::Drift => Marker::Up,
            Role::Scaffold | Role::Transient | Role::MeanOfLocals => Marker::Square,
            Role::FedAdmm => Marker::Plus,
            Role::Clustered | Role::Personalized => Marker::Down,
            Role::Median => Marker::Star,
            Role::ClientAlone => Marker::Cross,
            Role::Pooled => Marker::Right,
            Role::Swept(step) => Marker::ALL[step.index()],
        }
    }
}

impl Marker {
    /// All markers: as many as a sweep has values.
    const ALL: [Self; RampStep::COUNT] = [
        Self::Disc,
        Self::Diamond,
        Self::Up,
        Self::Square,
        Self::Plus,
        Self::Down,
        Self::Star,
        Self::Cross,
        Self::Right,
    ];

    /// Whether markers of this shape are filled with paper on a run.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Diamond | Self::Square | Self::Down | Self::Right)
    }

    /// Distance from the middle to the farthest point, in stroke widths; and by how much a rim of one stroke width
    /// reduces it.
    pub(in crate::figure) const fn reach(self) -> (f64, f64) {
        match self {
            Self::Disc => (1.7, 1.0),
            Self::Diamond => (2.4, 1.1),
            Self::Up | Self::Down | Self::Right => (2.5, 1.9),
            Self::Square => (2.2, 1.3),
            Self::Plus | Self::Cross => (2.4, 1.5),
            Self::Star => (2.9, 1.6),
        }
    }

    /// Its corners around its middle, the farthest at a distance of 1; none for a disc.
    pub(in crate::figure) const fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Self::Disc => &[],
            Self::Diamond => &[(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)],
            Self::Up => &[(0.0, -1.0), (0.866, 0.5), (-0.866, 0.5)],
            Self::Down => &[(0.0, 1.0), (-0.866, -0.5), (0.866, -0.5)],
            Self::Right => &[(1.0, 0.0), (-0.5, 0.866), (-0.5, -0.866)],
            Self::Square => &[(-0.707, -0.707), (0.707, -0.707), (0.707, 0.707), (-0.707, 0.707)],
            Self::Plus => &[
                (-0.34, -0.94),
                (0.34, -0.94),
                (0.34, -0.34),
                (0.94, -0.34),
                (0.94, 0.34),
                (0.34, 0.34),
                (0.34, 0.94),
                (-0.34, 0.94),
                (-0.34, 0.34),
                (-0.94, 0.34),
                (-0.94, -0.34),
                (-0.34, -0.34),
            ],
            Self::Cross => &[
                (0.424, -0.905),
                (0.905, -0.424),
                (0.481, 0.0),
                (0.905, 0.424),
                (0.424, 0.905),
                (0.0, 0.481),
                (-0.424, 0.905),
                (-0.905, 0.424),
                (-0.481, 0.0),
                (-0.905, -0.424),
                (-0.424, -0.905),
                (0.0, -0.481),
            ],
            Self::Star => &[
                (0.0, -1.0),
                (0.247, -0.34),
                (0.951, -0.309),
                (0.399, 0.13),
                (0.588, 0.809),
                (0.0, 0.42),
                (-0.588, 0.809),
                (-0.399, 0.13),
                (-0.951, -0.309),
                (-0.247, -0.34),
            ],
        }
    }

    /// Its outline as an SVG path, in the middle of 16 × 16 units.
    pub fn path(self) -> String {
        let reach = 2.0 * self.reach().0;
        let corner = |(x, y): &(f64, f64)| format!("{:.1} {:.1}", 8.0 + reach * x, 8.0 + reach * y);
        match self.corners() {
            [] => "M4.6 8a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0Z".into(),
            corners => format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L")),
        }
    }
}

impl CurveKind {
    /// The dash of a curve with this kind and role, the `repeat`-th (from 0) with both in its figure: two runs of one
    /// algorithm share a color but not a dash.
    pub const fn dash(self, role: Role, repeat: usize) -> Option<Dash> {
        match (self, repeat % 3) {
            (CurveKind::Predicted, _) => Some(Dash { on: 12.0, off: 5.0 }),
            (CurveKind::PredictedBeside, _) => Some(Dash { on: 2.5, off: 3.5 }),
            (CurveKind::Measured, 1) => Some(Dash { on: 9.0, off: 3.0 }),
            (CurveKind::Measured, 2) => Some(Dash { on: 4.0, off: 3.0 }),
            // Dots: as thin as predictions, which have the long dashes.
            (CurveKind::Pinned, 1) => Some(Dash { on: 2.0, off: 3.0 }),
            (CurveKind::Pinned, 2) => Some(Dash { on: 2.0, off: 7.0 }),
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

    /// No two methods (nor a method and a client alone) and no two values of a sweep share a marker. No marker looks
    /// like another from afar: at the size of a marker, any two outlines differ in more than a seventh of their area.
    #[test]
    fn no_two_lines_of_a_chart_share_a_marker() {
        let methods: Vec<_> = Role::ALL.into_iter().take_while(|role| *role != Role::MeanOfLocals).collect();
        let swept: Vec<_> =
            (0..RampStep::COUNT).map(|place| Role::Swept(RampStep::of(place, RampStep::COUNT))).collect();
        for roles in [&methods, &swept] {
            for (idx, a) in roles.iter().enumerate() {
                for b in &roles[idx + 1..] {
                    assert_ne!(a.marker(), b.marker(), "{a:?} and {b:?}");
                    assert_ne!(a.marker().path(), b.marker().path(), "{a:?} and {b:?}");
                }
            }
        }
        // Whether a place is inside an outline: a ray to the right crosses it an odd number of times.
        let inside = |marker: Marker, x: f64, y: f64| match marker.corners() {
            [] => x.hypot(y) < 1.0,
            corners => {
                let sides = corners.iter().zip(corners.iter().cycle().skip(1));
                let crosses = |((x0, y0), (x1, y1)): &(&(f64, f64), &(f64, f64))| {
                    (*y0 > y) != (*y1 > y) && x < x0 + (y - y0) / (y1 - y0) * (x1 - x0)
                };
                sides.filter(crosses).count() % 2 == 1
            }
        };
        let places: Vec<_> = (0..40 * 40).map(|k| (k % 40, k / 40)).collect();
        let at = |k: i32| f64::from(k) / 6.5 - 3.0;
        let covers = |marker: Marker, (x, y): (i32, i32)| {
            let reach = marker.reach().0;
            inside(marker, at(x) / reach, at(y) / reach)
        };
        for (idx, &a) in Marker::ALL.iter().enumerate() {
            let size = places.iter().filter(|place| covers(a, **place)).count();
            for &b in &Marker::ALL[idx + 1..] {
                let other = places.iter().filter(|place| covers(a, **place) != covers(b, **place)).count();
                assert!(7 * other > size, "{a:?} and {b:?}: {other} of {size}");
            }
        }
    }
}
