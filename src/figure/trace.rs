//! The path of a curve across the plot: pure geometry, in CSS pixels.
//!
//! A surface draws NaN, and zero on a log axis, at the bottom and infinity at the top, and joins everything by a line.
//! So curves are broken where there is no value to show, cut at the edges of the plot, and thinned to the points that
//! an eye can see.

use super::clip::{clipped_line, clipped_polygon};
use super::frame::{Frame, Px, Rect};
use super::thin::thinned;
use super::{Band, Curve, CurveKind, Point};

/// The part of a curve inside the plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Trace {
    /// Unbroken lines; a line of a single point is drawn as a dot.
    pub lines: Vec<Vec<Px>>,
    /// Outlines of the band.
    pub bands: Vec<Vec<Px>>,
    /// Places of the markers.
    pub marks: Vec<Px>,
    /// Error bars of points without lines.
    pub bars: Vec<Bar>,
    /// Points beyond an edge, moved to the edge.
    pub beyond: Vec<(Px, Edge)>,
    /// How the curve ends.
    pub end: End,
    /// Shift of the whole trace to the right of its abscissas, in CSS pixels, for points drawn side by side.
    pub aside: f64,
}

/// The end of a curve, as seen inside the plot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum End {
    /// The axis can show none of its values.
    #[default]
    Nowhere,
    /// Its last recorded value that can be shown lies there.
    At(Px),
    /// It left the plot there, and never came back.
    Left(Px, Edge),
    /// It was never inside the plot.
    Outside(Edge),
}

/// The part of an error bar inside the plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bar {
    pub x: f64,
    /// Its upper end, and whether the interval itself ends there, not only the plot.
    pub top: (f64, bool),
    /// Its lower end, likewise.
    pub bottom: (f64, bool),
}

/// The edge of the plot beyond which a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Larger than the axis shows.
    Top,
    /// Smaller than the axis shows.
    Bottom,
}

impl Trace {
    /// The path of a curve; `turn` is the number of measured curves before it, so that markers of different curves
    /// stand apart.
    pub(super) fn new(frame: &Frame, curve: &Curve, turn: usize) -> Self {
        if curve.kind.is_points() {
            return Self::of_points(frame, curve);
        }
        let runs = unbroken(curve.points.iter().map(|&point| frame.px_of(point)));
        let lines: Vec<_> = runs.iter().flat_map(|run| clipped_line(&frame.plot, run)).collect();
        let end = end_of(&frame.plot, runs.last().and_then(|run| run.last()), lines.last());
        let marks = match curve.kind {
            CurveKind::Measured => spread(&frame.plot, markable(frame, curve, end), turn),
            CurveKind::Predicted
            | CurveKind::Pinned
            | CurveKind::Points
            | CurveKind::Beside
            | CurveKind::PredictedBeside => Vec::new(),
        };
        Self {
            lines: lines.iter().map(|line| thinned(line)).collect(),
            bands: outlines(frame, &curve.band),
            marks,
            end,
            ..Self::default()
        }
    }

    /// The trace of points without lines.
    fn of_points(frame: &Frame, curve: &Curve) -> Self {
        let places: Vec<Px> = curve.points.iter().map(|&point| frame.px_of(point)).collect();
        let marks: Vec<Px> = places.iter().copied().filter(|&px| frame.plot.contains(px)).collect();
        let beyond: Vec<_> = places.into_iter().filter_map(|px| beyond(&frame.plot, px)).collect();
        let end = match (marks.last(), beyond.last()) {
            (Some(&last), other) if other.is_none_or(|(px, _)| px.0 <= last.0) => End::At(last),
            (_, Some(&(_, edge))) => End::Outside(edge),
            (_, None) => End::Nowhere,
        };
        let bars = curve.band.iter().filter_map(|band| bar(frame, band)).collect();
        Self { marks, bars, beyond, end, ..Self::default() }
    }

    /// The trace shifted to the right by `aside` CSS pixels, at most to the edge of the plot.
    pub(super) fn beside(mut self, aside: f64, plot: &Rect) -> Self {
        self.aside = aside;
        let shift = |x: &mut f64| *x = plot.nearest_x(*x + aside);
        self.marks.iter_mut().for_each(|(x, _)| shift(x));
        self.bars.iter_mut().for_each(|bar| shift(&mut bar.x));
        self.beyond.iter_mut().for_each(|((x, _), _)| shift(x));
        if let End::At((x, _)) = &mut self.end {
            shift(x);
        }
        self
    }
}

/// The place on the edge nearest to a place above or below the plot, and that edge.
fn beyond(plot: &Rect, (x, y): Px) -> Option<(Px, Edge)> {
    let (at, edge) = if y < plot.top { (plot.top, Edge::Top) } else { (plot.bottom(), Edge::Bottom) };
    let is_outside = y < plot.top || y > plot.bottom();
    (is_outside && plot.contains((x, at))).then_some(((x, at), edge))
}

/// The error bar of an interval; `None` if it is unknown or wholly outside the plot.
fn bar(frame: &Frame, band: &Band) -> Option<Bar> {
    let plot = frame.plot;
    let (x, high) = frame.px_of(Point { x: band.x, y: band.high });
    let low = if band.low.is_nan() { band.low } else { frame.floor_of(band.low) };
    let (top, bottom) = (high.max(plot.top), low.min(plot.bottom()));
    let is_inside = !high.is_nan() && !low.is_nan() && top <= bottom && plot.contains((x, top));
    is_inside.then_some(Bar { x, top: (top, high >= plot.top), bottom: (bottom, low < plot.bottom()) })
}

/// Splits a path at places that are NaN.
fn unbroken(path: impl Iterator<Item = Px>) -> Vec<Vec<Px>> {
    let path: Vec<Px> = path.collect();
    let runs = path.split(|&(x, y)| x.is_nan() || y.is_nan());
    runs.filter(|run| !run.is_empty()).map(<[Px]>::to_vec).collect()
}

fn end_of(plot: &Rect, last_value: Option<&Px>, last_line: Option<&Vec<Px>>) -> End {
    let Some(&(_, y)) = last_value else { return End::Nowhere };
    let beyond = match y {
        y if y < plot.top => Some((Edge::Top, plot.top)),
        y if y > plot.bottom() => Some((Edge::Bottom, plot.bottom())),
        _ => None,
    };
    match (last_line.and_then(|line| line.last()), beyond) {
        (Some(&end), Some((edge, at))) if (end.1 - at).abs() < 0.5 => End::Left(end, edge),
        (Some(&end), _) => End::At(end),
        (None, Some((edge, _))) => End::Outside(edge),
        (None, None) => End::Nowhere,
    }
}

/// The band as polygons: along the upper bounds and back along the lower ones.
fn outlines(frame: &Frame, band: &[Band]) -> Vec<Vec<Px>> {
    let bounds = band.iter().map(|&Band { x, low, high }| {
        let (x, high) = frame.px_of(Point { x, y: high });
        let low = if low.is_nan() { low } else { frame.floor_of(low) };
        (x, high, low)
    });
    let bounds: Vec<_> = bounds.collect();
    let runs = bounds.split(|&(x, high, low)| x.is_nan() || high.is_nan() || low.is_nan());
    let polygon = |run: &[(f64, f64, f64)]| {
        let upper = thinned(&run.iter().map(|&(x, high, _)| (x, high)).collect::<Vec<_>>());
        let lower = thinned(&run.iter().map(|&(x, _, low)| (x, low)).collect::<Vec<_>>());
        clipped_polygon(&frame.plot, upper.into_iter().chain(lower.into_iter().rev()).collect())
    };
    runs.filter(|run| run.len() > 1).map(polygon).filter(|outline| outline.len() > 2).collect()
}

/// The recorded points in the plot, without those near the arrow of a curve that leaves the plot.
fn markable(frame: &Frame, curve: &Curve, end: End) -> Vec<Px> {
    const ARROW: f64 = 16.0;
    let free = |px: &Px| match end {
        End::Left(exit, _) => (px.0 - exit.0).hypot(px.1 - exit.1) > ARROW,
        End::At(_) | End::Outside(_) | End::Nowhere => true,
    };
    let places = curve.points.iter().map(|&point| frame.px_of(point));
    places.filter(|&px| frame.plot.contains(px)).filter(free).collect()
}

/// The points that get markers: all of them where they are few, else some, at places that do not move when the curve
/// does. A curve too steep to pass these places gets a marker half-way.
fn spread(plot: &Rect, points: Vec<Px>, turn: usize) -> Vec<Px> {
    const EVERY: f64 = 24.0;
    const SOME: f64 = 64.0;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    if last.0 - first.0 >= EVERY * (points.len() - 1) as f64 {
        return points;
    }
    let step = (plot.width / 8.0).max(SOME);
    if last.0 - first.0 < step {
        return vec![points[points.len() / 2]];
    }
    let phase = [0.25, 0.75, 0.5, 0.0][turn % 4] + 0.125 * (turn / 4 % 2) as f64;
    let targets = (0..8).map(|k| plot.left + step * (f64::from(k) + phase));
    let nearest = |target: f64| points.iter().min_by(|a, b| (a.0 - target).abs().total_cmp(&(b.0 - target).abs()));
    let near = |target: f64| nearest(target).filter(|px| (px.0 - target).abs() < 0.1 * step);
    let mut marks: Vec<Px> = targets.filter_map(near).copied().collect();
    marks.dedup();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Role, Scale};

    /// A frame of 100 × 100 pixels at (0, 0): x from 0 to 10, y from 0.01 (bottom) to 1 (top), two decades.
    fn frame() -> Frame {
        let axis = |range, scale| Axis { label: String::new(), range, scale, whole: false };
        let plot = Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
        Frame::new(plot, &axis((0.0, 10.0), Scale::Linear), &axis((0.01, 1.0), Scale::Log10))
    }

    fn trace(ys: &[f64]) -> Trace {
        let points = ys.iter().enumerate().map(|(k, &y)| Point { x: k as f64, y }).collect();
        let (role, kind, label, band) = (Role::FedLin, CurveKind::Measured, String::new(), Vec::new());
        Trace::new(&frame(), &Curve { role, kind, label, points, band }, 0)
    }

    fn bands(rows: &[(f64, f64, f64)]) -> Vec<Vec<Px>> {
        outlines(&frame(), &rows.iter().map(|&(x, low, high)| Band { x, low, high }).collect::<Vec<_>>())
    }

    /// Checks lines and end, to 1e-9 pixels; each line is given by its points.
    #[track_caller]
    fn check(ys: &[f64], lines: &[&[Px]], end: End) {
        let found = trace(ys);
        assert_eq!(found.lines.len(), lines.len(), "{ys:?}: {:?}", found.lines);
        for (line, expected) in found.lines.iter().zip(lines) {
            assert_eq!(line.len(), expected.len(), "{ys:?}: {:?}", found.lines);
            let near = |(a, b): (&Px, &Px)| (a.0 - b.0).abs() < 1e-9 && (a.1 - b.1).abs() < 1e-9;
            assert!(line.iter().zip(*expected).all(near), "{ys:?}: {line:?}, expected {expected:?}");
        }
        match (found.end, end) {
            (End::At(a) | End::Left(a, _), End::At(b) | End::Left(b, _)) => {
                assert!((a.0 - b.0).hypot(a.1 - b.1) < 1e-9, "{ys:?}: {a:?}, expected {b:?}");
                let edge = |end| if let End::Left(_, edge) = end { Some(edge) } else { None };
                assert_eq!(edge(found.end), edge(end), "{ys:?}");
            }
            (found, end) => assert_eq!(found, end, "{ys:?}"),
        }
    }

    const NAN: f64 = f64::NAN;
    const INF: f64 = f64::INFINITY;

    #[test]
    fn a_curve_is_broken_where_there_is_nothing_to_show() {
        check(&[], &[], End::Nowhere);
        check(&[NAN, 0.0, -1.0], &[], End::Nowhere);
        check(&[0.1, 1.0], &[&[(0.0, 50.0), (10.0, 0.0)]], End::At((10.0, 0.0)));
        check(
            &[0.1, 1.0, NAN, 0.1, 0.01],
            &[&[(0.0, 50.0), (10.0, 0.0)], &[(30.0, 50.0), (40.0, 100.0)]],
            End::At((40.0, 100.0)),
        );
        check(&[0.1, 1.0, 0.0], &[&[(0.0, 50.0), (10.0, 0.0)]], End::At((10.0, 0.0)));
        check(&[NAN, 0.1, NAN], &[&[(10.0, 50.0)]], End::At((10.0, 50.0)));
    }

    #[test]
    fn a_curve_is_cut_at_the_edges() {
        check(&[0.1, 10.0], &[&[(0.0, 50.0), (5.0, 0.0)]], End::Left((5.0, 0.0), Edge::Top));
        check(&[0.1, 0.001], &[&[(0.0, 50.0), (5.0, 100.0)]], End::Left((5.0, 100.0), Edge::Bottom));
        check(&[10.0, 0.1], &[&[(5.0, 0.0), (10.0, 50.0)]], End::At((10.0, 50.0)));
        check(&[10.0, 100.0], &[], End::Outside(Edge::Top));
        check(&[1e-9], &[], End::Outside(Edge::Bottom));
        check(&[0.1, 10.0, 0.1], &[&[(0.0, 50.0), (5.0, 0.0)], &[(15.0, 0.0), (20.0, 50.0)]], End::At((20.0, 50.0)));
    }

    #[test]
    fn infinity_leaves_straight_up() {
        let found = trace(&[0.1, 0.1, INF, INF, NAN]);
        let End::Left((x, y), Edge::Top) = found.end else { panic!("{:?}", found.end) };
        assert!((10.0..10.2).contains(&x) && y.abs() < 1e-9);
        assert_eq!(found.lines.len(), 1);
    }

    #[test]
    fn a_band_is_broken_clamped_and_cut() {
        assert!(bands(&[]).is_empty());
        assert!(bands(&[(1.0, 0.1, 0.2)]).is_empty());
        assert!(bands(&[(0.0, NAN, 1.0), (1.0, 0.1, NAN), (2.0, 0.1, 0.2)]).is_empty());
        assert_eq!(
            bands(&[(0.0, 0.1, 0.5), (1.0, 0.1, 0.5), (2.0, 0.1, NAN), (3.0, 0.1, 0.5), (4.0, 0.1, 0.5)]).len(),
            2
        );
        for (rows, low, high) in [
            ([(0.0, 0.0, 1.0), (1.0, -3.0, 1.0)], 100.0, 0.0),
            ([(0.0, 0.1, INF), (1.0, 0.1, 1e9)], 50.0, 0.0),
            ([(0.0, 1e-9, 0.1), (1.0, 1e-7, 0.1)], 100.0, 50.0),
        ] {
            let found = bands(&rows);
            let ys = || found.iter().flatten().map(|px| px.1);
            assert_eq!(found.len(), 1, "{rows:?}");
            assert!((ys().fold(-INF, f64::max) - low).abs() < 1e-9, "{rows:?}: {found:?}");
            assert!((ys().fold(INF, f64::min) - high).abs() < 1e-9, "{rows:?}: {found:?}");
        }
    }

    /// The trace of points (y, low, high) at x = 0, 1, …, with error bars from low to high.
    fn points(rows: &[(f64, f64, f64)]) -> Trace {
        let at = |idx: usize| idx as f64;
        let points = rows.iter().enumerate().map(|(k, &(y, _, _))| Point { x: at(k), y }).collect();
        let band = rows.iter().enumerate().map(|(k, &(_, low, high))| Band { x: at(k), low, high }).collect();
        let (role, kind, label) = (Role::FedLin, CurveKind::Points, String::new());
        Trace::new(&frame(), &Curve { role, kind, label, points, band }, 0)
    }

    #[test]
    fn points_have_markers_and_no_line() {
        let found = points(&[(0.1, NAN, NAN), (NAN, 0.1, 1.0), (0.0, NAN, NAN), (1.0, NAN, NAN)]);
        assert!(found.lines.is_empty() && found.bands.is_empty() && found.beyond.is_empty());
        assert_eq!((found.marks, found.end), (vec![(0.0, 50.0), (30.0, 0.0)], End::At((30.0, 0.0))));
        let found = points(&[(0.1, NAN, NAN), (INF, NAN, NAN), (1e-9, NAN, NAN)]);
        assert_eq!(found.beyond, [((10.0, 0.0), Edge::Top), ((20.0, 100.0), Edge::Bottom)]);
        assert_eq!(found.end, End::Outside(Edge::Bottom));
        assert_eq!(points(&[(INF, NAN, NAN), (0.1, NAN, NAN)]).end, End::At((10.0, 50.0)));
        assert_eq!(points(&[(INF, NAN, NAN)]).end, End::Outside(Edge::Top));
        assert_eq!(points(&[(NAN, NAN, NAN)]).end, End::Nowhere);
    }

    #[track_caller]
    fn check_bar((low, high): (f64, f64), expected: Option<((f64, bool), (f64, bool))>) {
        let found = points(&[(0.1, low, high)]).bars;
        assert_eq!(found.first().map(|bar| (bar.top, bar.bottom)), expected, "{low} to {high}");
    }

    #[test]
    fn error_bars_have_caps_where_the_interval_ends() {
        check_bar((0.1, 1.0), Some(((0.0, true), (50.0, true))));
        check_bar((0.1, 10.0), Some(((0.0, false), (50.0, true))));
        check_bar((0.1, INF), Some(((0.0, false), (50.0, true))));
        check_bar((-1.0, 0.1), Some(((50.0, true), (100.0, false))));
        check_bar((0.001, 0.1), Some(((50.0, true), (100.0, false))));
        check_bar((2.0, 10.0), None);
        check_bar((0.001, 0.002), None);
        check_bar((NAN, 0.1), None);
        check_bar((0.1, NAN), None);
        check_bar((1.0, 0.1), None);
    }

    #[test]
    fn markers_are_few_apart_and_on_recorded_points() {
        let axis = |range, scale| Axis { label: String::new(), range, scale, whole: false };
        let plot = Rect { left: 0.0, top: 0.0, width: 800.0, height: 100.0 };
        let frame = Frame::new(plot, &axis((0.0, 200.0), Scale::Linear), &axis((0.0, 1.0), Scale::Linear));
        let points: Vec<_> = (0..=200).map(|k| Point { x: f64::from(k), y: 0.5 }).collect();
        let (role, kind, label, band) = (Role::FedLin, CurveKind::Measured, String::new(), Vec::new());
        let curve = Curve { role, kind, label, points, band };
        let marks = |turn| Trace::new(&frame, &curve, turn).marks;
        for turn in 0..4 {
            assert_eq!(marks(turn).len(), 8);
            assert!(marks(turn).windows(2).all(|pair| pair[1].0 - pair[0].0 > 90.0));
            assert!(marks(turn).iter().all(|px| (px.0 / 4.0 - (px.0 / 4.0).round()).abs() < 1e-9));
        }
        assert!(marks(0).iter().all(|a| marks(1).iter().all(|b| (a.0 - b.0).abs() > 40.0)));
        assert_eq!(trace(&[0.1, 0.2, 0.3]).marks.len(), 1);
        assert_eq!(trace(&[0.1, 10.0]).marks.len(), 1);
    }
}
