//! Points with error bars that share their abscissas are drawn side by side, one role beside the other: where two
//! methods agree, the one drawn last would hide the other and its bar.

use super::frame::Frame;
use super::{Curve, Figure, Role};

/// Distance between neighbors, in text heights: both markers are visible and still belong to their abscissa.
const APART: f64 = 0.4;

/// How far the points of each curve are shifted to the right of their abscissas, in CSS pixels; 0 for curves that stay.
pub(super) fn asides(figure: &Figure, frame: &Frame, text_px: f64) -> Vec<f64> {
    let mut roles: Vec<Role> = Vec::new();
    let mut room = f64::INFINITY;
    for curve in figure.curves.iter().filter(|curve| makes_way(curve)) {
        if !roles.contains(&curve.role) {
            roles.push(curve.role);
        }
        room = room.min(spacing(frame, curve));
    }
    let apart = (APART * text_px).min(0.5 * room / roles.len().max(1) as f64);
    let middle = 0.5 * roles.len().saturating_sub(1) as f64;
    let aside = |curve: &Curve| {
        let place = roles.iter().position(|&role| role == curve.role).filter(|_| makes_way(curve));
        place.map_or(0.0, |place| apart * (place as f64 - middle))
    };
    figure.curves.iter().map(aside).collect()
}

fn makes_way(curve: &Curve) -> bool {
    curve.kind.is_points() && !curve.band.is_empty()
}

/// The mean distance between a curve's points along the axis, in CSS pixels. Not the smallest distance: one more value
/// close to another must not change the shift.
fn spacing(frame: &Frame, curve: &Curve) -> f64 {
    let places = || curve.points.iter().map(|point| frame.place_of(point.x)).filter(|px| px.is_finite());
    let (from, to) = places().fold((f64::INFINITY, f64::NEG_INFINITY), |(from, to), px| (from.min(px), to.max(px)));
    match places().count() {
        0 | 1 => f64::INFINITY,
        count => (to - from) / (count - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::Rect;
    use crate::figure::{Axis, Band, CurveKind, Point, Scale};

    /// Shifts of points at x = 0, 1, … 10 with these roles and kinds, with or without error bars, on a plot `width`
    /// pixels wide.
    fn found(curves: &[(Role, CurveKind, bool)], width: f64) -> Vec<f64> {
        let curve = |&(role, kind, has_bars): &(Role, CurveKind, bool)| {
            let points: Vec<_> = (0..=10).map(|k| Point { x: f64::from(k), y: 0.5 }).collect();
            let bars = points.iter().filter(|_| has_bars);
            let band = bars.map(|&Point { x, y }| Band { x, low: y - 0.1, high: y + 0.1 }).collect();
            Curve { role, kind, label: String::new(), points, band }
        };
        let axis = |range| Axis { label: String::new(), range, scale: Scale::Linear, whole: false };
        let figure = Figure {
            title: None,
            x: axis((0.0, 10.0)),
            y: axis((0.0, 1.0)),
            curves: curves.iter().map(curve).collect(),
            levels: Vec::new(),
            marks: Vec::new(),
            words: None,
        };
        let plot = Rect { left: 40.0, top: 0.0, width, height: 100.0 };
        asides(&figure, &Frame::new(plot, &figure.x, &figure.y), 10.0)
    }

    #[test]
    fn roles_stand_side_by_side_around_their_abscissa() {
        use CurveKind::{Beside, Points, Predicted};
        let three = [(Role::FedLin, Points, true), (Role::FedAvg, Points, true), (Role::ClientAlone, Points, true)];
        assert_eq!(found(&three, 500.0), [-4.0, 0.0, 4.0]);
        assert_eq!(found(&three[..2], 500.0), [-2.0, 2.0]);
        // The points of a role's second setting are shifted with those of its first; lines, and points without error
        // bars, stay.
        let more = [
            three[0],
            (Role::FedLin, Beside, true),
            three[1],
            (Role::FedAvg, Predicted, false),
            (Role::Pooled, Points, false),
        ];
        assert_eq!(found(&more, 500.0), [-2.0, -2.0, 2.0, 0.0, 0.0]);
        assert_eq!(found(&three[..1], 500.0), [0.0]);
        assert!(found(&[], 500.0).is_empty());
    }

    #[test]
    fn on_a_narrow_plot_all_keep_to_their_own_half_of_the_room() {
        let roles = [Role::FedLin, Role::FedAvg, Role::FedProx, Role::Scaffold, Role::ClientAlone];
        for width in [0.0, 60.0, 120.0, 240.0] {
            let found = found(&roles.map(|role| (role, CurveKind::Points, true)), width);
            assert!(found.iter().all(|aside| aside.abs() <= 0.25 * width / 10.0 + 1e-9), "{width}: {found:?}");
            assert!(found.windows(2).all(|pair| width == 0.0 || pair[1] > pair[0]), "{width}: {found:?}");
        }
    }
}
