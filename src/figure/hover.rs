//! The crosshair under the pointer, or moved by the arrow keys.

use super::frame::Px;
use super::layout::Layout;
use super::order::order;
use super::{Band, Figure, Point};

/// The values of all curves at one recorded abscissa.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosshair {
    /// The abscissa, recorded by at least one curve.
    pub x: f64,
    /// Its place, in CSS pixels from the left.
    pub px: f64,
    /// One reading for each curve that has recorded a value there, in the order of the curves.
    pub readings: Vec<Reading>,
}

/// A curve's value at the crosshair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The index of the curve in [`Figure::curves`].
    pub curve: usize,
    /// The recorded point; `y` may be NaN or infinite, which the reading should say.
    pub point: Point,
    /// Its band there, if it has one.
    pub band: Option<Band>,
    /// Place of the dot, in CSS pixels; `None` where the value is outside the plot.
    pub at: Option<Px>,
}

impl Layout {
    /// The crosshair at the recorded abscissa nearest to a horizontal position, in CSS pixels from the left. If the
    /// figure has points without lines, only their abscissas count. (A predicted curve gives a reading if it has a
    /// value at exactly that abscissa.) `None` if no curve has recorded anything within the axis.
    pub fn crosshair(&self, figure: &Figure, px: f64) -> Option<Crosshair> {
        let (left, right) = (self.frame.plot.left - 0.5, self.frame.plot.right() + 0.5);
        let places = abscissas(figure).map(|x| (x, self.frame.place_of(x)));
        let places = places.filter(|&(_, at)| left <= at && at <= right);
        let (x, px) = places.min_by(|a, b| (a.1 - px).abs().total_cmp(&(b.1 - px).abs()))?;
        let readings = figure.curves.iter().enumerate().filter_map(|(idx, _)| self.reading(figure, idx, x)).collect();
        Some(Crosshair { x, px, readings })
    }

    /// The crosshair `steps` recorded abscissas further; negative steps go back. Stops at the ends.
    pub fn crosshair_beside(&self, figure: &Figure, x: f64, steps: isize) -> Option<Crosshair> {
        let all: Vec<f64> = abscissas(figure).filter(|&x| figure.x.scale.shows(x)).collect();
        let mut places: Vec<f64> = order(&all).into_iter().map(|place| all[place]).collect();
        places.dedup();
        let here = places.partition_point(|&place| place < x);
        let there = here.saturating_add_signed(steps).min(places.len().checked_sub(1)?);
        self.crosshair(figure, self.frame.place_of(*places.get(there)?))
    }

    fn reading(&self, figure: &Figure, idx: usize, x: f64) -> Option<Reading> {
        let curve = figure.curves.get(idx)?;
        let same = |other: f64| other.total_cmp(&x).is_eq();
        let point = *curve.points.iter().find(|point| same(point.x))?;
        let band = curve.band.iter().copied().find(|band| same(band.x));
        let (place, plot) = (self.frame.px_of(point), self.frame.plot);
        let aside = self.traces.get(idx).map_or(0.0, |trace| trace.aside);
        let at = plot.contains(place).then(|| (plot.nearest_x(place.0 + aside), place.1));
        Some(Reading { curve: idx, point, band, at })
    }
}

/// The abscissas that can be read: those of points without lines if there are any, else those of all curves.
fn abscissas(figure: &Figure) -> impl Iterator<Item = f64> {
    let alone = figure.curves.iter().any(|curve| curve.kind.is_points() && !curve.points.is_empty());
    let curves = figure.curves.iter().filter(move |curve| curve.kind.is_points() || !alone);
    curves.flat_map(|curve| &curve.points).map(|point| point.x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::theme::Theme;
    use crate::figure::{Axis, Curve, CurveKind, Role, Scale, Size};

    /// Three curves: recorded at every round up to 10, at every second one, and at none.
    fn figure() -> Figure {
        let curve = |step: u32, y: fn(f64) -> f64| {
            let points: Vec<_> = (0..=10).step_by(step as usize).map(f64::from).map(|x| Point { x, y: y(x) }).collect();
            let band = points.iter().map(|p| Band { x: p.x, low: 0.9 * p.y, high: 1.1 * p.y }).collect();
            Curve { role: Role::FedLin, kind: CurveKind::Measured, label: "run".to_owned(), points, band }
        };
        let none = Curve { points: vec![], band: vec![], ..curve(1, |_| 1.0) };
        Figure {
            title: None,
            x: Axis { label: String::new(), range: (0.0, 10.0), scale: Scale::Linear, whole: true },
            y: Axis { label: String::new(), range: (0.1, 1.0), scale: Scale::Log10, whole: false },
            curves: vec![curve(1, |x| if x > 8.0 { f64::INFINITY } else { 0.5 }), curve(2, |_| 0.2), none],
            levels: vec![],
            marks: vec![],
            words: None,
        }
    }

    fn layout(figure: &Figure) -> Layout {
        Layout::new(figure, &Theme::LIGHT, Size::new(640.0, 400.0, 1.0))
    }

    #[track_caller]
    fn check(at: f64, round: f64, curves: &[usize]) {
        let figure = figure();
        let layout = layout(&figure);
        let px = layout.frame.px_of(Point { x: at, y: 1.0 }).0;
        let crosshair = layout.crosshair(&figure, px).expect("something is recorded");
        assert!((crosshair.x - round).abs() < 1e-12, "{crosshair:?}");
        assert_eq!(crosshair.readings.iter().map(|reading| reading.curve).collect::<Vec<_>>(), curves);
    }

    #[test]
    fn the_nearest_round_is_read() {
        check(0.2, 0.0, &[0, 1]);
        check(3.4, 3.0, &[0]);
        check(3.6, 4.0, &[0, 1]);
        check(-500.0, 0.0, &[0, 1]);
        check(500.0, 10.0, &[0, 1]);
    }

    #[test]
    fn readings_carry_value_band_and_place() {
        let figure = figure();
        let layout = layout(&figure);
        let crosshair = layout.crosshair(&figure, 1e9).expect("something is recorded");
        let [away, inside] = crosshair.readings.as_slice() else { panic!("{crosshair:?}") };
        assert!(away.point.y.is_infinite() && away.at.is_none());
        let at = inside.at.expect("it is inside");
        assert!((layout.frame.y_at(at.1) - 0.2).abs() < 1e-9 && (at.0 - crosshair.px).abs() < 1e-9);
        assert_eq!(inside.band.map(|band| (band.low, band.high)), Some((0.9 * 0.2, 1.1 * 0.2)));
    }

    #[test]
    fn arrow_keys_walk_along_the_rounds() {
        let figure = figure();
        let layout = layout(&figure);
        for (from, steps, to) in
            [(3.0, 1, 4.0), (3.0, -1, 2.0), (0.0, -1, 0.0), (10.0, 5, 10.0), (2.0, 0, 2.0), (2.5, 0, 3.0)]
        {
            let crosshair = layout.crosshair_beside(&figure, from, steps).expect("something is recorded");
            assert!((crosshair.x - to).abs() < 1e-12, "{from} {steps} → {}", crosshair.x);
        }
    }

    /// Rounds recorded ever more sparsely, on a logarithmic axis that cannot show the first one.
    #[test]
    fn on_a_logarithmic_axis_sparse_rounds_are_read_and_walked_along() {
        let mut figure = figure();
        figure.x = Axis { label: String::new(), range: (1.0, 1e6), scale: Scale::Log10, whole: false };
        figure.curves.truncate(1);
        figure.curves[0].points = [0.0, 1.0, 2.0, 1e3, 1e6].into_iter().map(|x| Point { x, y: 0.5 }).collect();
        let layout = layout(&figure);
        let read = |crosshair: Option<Crosshair>| crosshair.expect("something is recorded").x;
        let at = |x: f64| layout.frame.px_of(Point { x, y: 1.0 }).0;
        for (x, round) in [(1.3, 1.0), (1.6, 2.0), (40.0, 2.0), (50.0, 1e3), (3e4, 1e3), (4e4, 1e6)] {
            let found = read(layout.crosshair(&figure, at(x)));
            assert!((found - round).abs() < 1e-9, "at {x}: {found}");
        }
        let (first, last) = (isize::MIN, isize::MAX);
        for (from, steps, to) in
            [(1.0, -1, 1.0), (1.0, 1, 2.0), (2.0, 1, 1e3), (1e6, -1, 1e3), (1e6, first, 1.0), (1.0, last, 1e6)]
        {
            let found = read(layout.crosshair_beside(&figure, from, steps));
            assert!((found - to).abs() < 1e-9, "{from} {steps} → {found}");
        }
    }

    #[test]
    fn points_that_stand_alone_are_what_is_read() {
        let mut figure = figure();
        let kinds = [CurveKind::Predicted, CurveKind::Points, CurveKind::Beside];
        figure.curves.iter_mut().zip(kinds).for_each(|(curve, kind)| curve.kind = kind);
        figure.curves[2].points = vec![Point { x: 7.0, y: 0.3 }];
        let layout = layout(&figure);
        let at = |x: f64| layout.crosshair(&figure, layout.frame.place_of(x)).expect("something is recorded");
        for (x, read, curves) in [(2.9, 2.0, &[0, 1][..]), (3.1, 4.0, &[0, 1]), (6.8, 7.0, &[0, 2])] {
            let found = at(x);
            assert!((found.x - read).abs() < 1e-12, "at {x}: {found:?}");
            assert_eq!(found.readings.iter().map(|reading| reading.curve).collect::<Vec<_>>(), curves);
        }
        let next = layout.crosshair_beside(&figure, 6.0, 1).expect("something is recorded");
        assert!((next.x - 7.0).abs() < 1e-12);
    }

    /// Also checks points that are drawn side by side.
    #[test]
    fn dots_are_set_on_markers() {
        let mut figure = figure();
        for (curve, role) in figure.curves.iter_mut().zip([Role::FedLin, Role::FedAvg]) {
            (curve.kind, curve.role) = (CurveKind::Points, role);
        }
        let layout = layout(&figure);
        let found = layout.crosshair(&figure, layout.frame.place_of(4.0)).expect("something is recorded");
        let dots: Vec<_> = found.readings.iter().map(|reading| reading.at.expect("inside")).collect();
        assert_eq!(dots, [layout.traces[0].marks[4], layout.traces[1].marks[2]]);
        assert!(dots[0].0 < found.px - 1.0 && dots[1].0 > found.px + 1.0, "{dots:?} {}", found.px);
    }

    #[test]
    fn nothing_recorded_nothing_read() {
        let mut figure = figure();
        figure.curves.iter_mut().for_each(|curve| curve.points.clear());
        assert_eq!(layout(&figure).crosshair(&figure, 100.0), None);
        assert_eq!(layout(&figure).crosshair_beside(&figure, 1.0, 1), None);
    }
}
