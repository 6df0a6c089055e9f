//! The path of a curve across the plot: pure geometry, in CSS pixels.
//!
//! A surface draws what it is given: NaN and zero on a log axis at the bottom, infinity at the top, all joined by a line.
//! So curves are broken where there is nothing to show, cut at the edges of the plot, and thinned to what an eye can see.

use super::frame::{Frame, Px, Rect};
use super::{Band, Curve, CurveKind, Point};

/// Deviation that nobody sees, in CSS pixels.
const TOLERANCE: f64 = 0.2;

/// What of a curve is inside the plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Unbroken lines; one of a single point is a dot.
    pub lines: Vec<Vec<Px>>,
    /// Outlines of the band.
    pub bands: Vec<Vec<Px>>,
    /// Where markers go.
    pub marks: Vec<Px>,
    /// How the curve ends.
    pub end: End,
}

/// How a curve ends, seen from inside the plot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum End {
    /// Nothing of it can be shown on this axis.
    #[default]
    Nowhere,
    /// Its last recorded value that can be shown.
    At(Px),
    /// It left there, and never came back.
    Left(Px, Edge),
    /// It was never inside.
    Outside(Edge),
}

/// The edge beyond which something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Larger than the axis shows.
    Top,
    /// Smaller than the axis shows.
    Bottom,
}

impl Trace {
    /// The path of a curve; `turn` counts the measured curves before it, so that markers of different curves stand apart.
    pub(super) fn new(frame: &Frame, curve: &Curve, turn: usize) -> Self {
        let runs = unbroken(curve.points.iter().map(|&point| frame.px_of(point)));
        let lines: Vec<_> = runs.iter().flat_map(|run| clipped_line(&frame.plot, run)).collect();
        let end = end_of(&frame.plot, runs.last().and_then(|run| run.last()), lines.last());
        let marks = match curve.kind {
            CurveKind::Measured => spread(&frame.plot, markable(frame, curve, end), turn),
            CurveKind::Predicted | CurveKind::Pinned => Vec::new(),
        };
        Self {
            lines: lines.iter().map(|line| thinned(line)).collect(),
            bands: outlines(frame, &curve.band),
            marks,
            end,
        }
    }
}

/// Splits a path where it has no place.
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

/// The parts of a path inside the plot.
fn clipped_line(plot: &Rect, path: &[Px]) -> Vec<Vec<Px>> {
    if let [only] = path {
        return if plot.contains(*only) { vec![vec![*only]] } else { Vec::new() };
    }
    let mut parts: Vec<Vec<Px>> = Vec::new();
    for (from, to) in path.windows(2).filter_map(|pair| clipped_segment(plot, pair[0], pair[1])) {
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a segment inside the plot, ends that need no cutting kept exactly.
fn clipped_segment(plot: &Rect, from: Px, to: Px) -> Option<(Px, Px)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (-dx, from.0 - plot.left),
        (dx, plot.right() - from.0),
        (-dy, from.1 - plot.top),
        (dy, plot.bottom() - from.1),
    ];
    for (outward, room) in sides {
        if outward == 0.0 && room < 0.0 {
            return None;
        } else if outward < 0.0 {
            enter = enter.max(room / outward);
        } else if outward > 0.0 {
            leave = leave.min(room / outward);
        }
    }
    let at = |t: f64| plot.nearest((from.0 + t * dx, from.1 + t * dy));
    let start = if enter > 0.0 { at(enter) } else { from };
    let end = if leave < 1.0 { at(leave) } else { to };
    (enter <= leave).then_some((start, end))
}

/// The parts of a polygon's inside that lie in the plot, by cutting at one edge after the other.
fn clipped_polygon(plot: &Rect, outline: Vec<Px>) -> Vec<Px> {
    let cut = |outline: Vec<Px>, depth: &dyn Fn(Px) -> f64| {
        let mut kept = Vec::with_capacity(outline.len() + 4);
        for (idx, &to) in outline.iter().enumerate() {
            let from = outline[(idx + outline.len() - 1) % outline.len()];
            let (a, b) = (depth(from), depth(to));
            if (a < 0.0) != (b < 0.0) {
                let t = a / (a - b);
                kept.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
            }
            if b >= 0.0 {
                kept.push(to);
            }
        }
        kept
    };
    let outline = cut(outline, &|(x, _)| x - plot.left);
    let outline = cut(outline, &|(x, _)| plot.right() - x);
    let outline = cut(outline, &|(_, y)| y - plot.top);
    cut(outline, &|(_, y)| plot.bottom() - y)
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

/// The recorded points in the plot, less those where the arrow of a curve that leaves it goes.
fn markable(frame: &Frame, curve: &Curve, end: End) -> Vec<Px> {
    const ARROW: f64 = 16.0;
    let free = |px: &Px| match end {
        End::Left(exit, _) => (px.0 - exit.0).hypot(px.1 - exit.1) > ARROW,
        End::At(_) | End::Outside(_) | End::Nowhere => true,
    };
    let places = curve.points.iter().map(|&point| frame.px_of(point));
    places.filter(|&px| frame.plot.contains(px)).filter(free).collect()
}

/// The points to mark: all of them where they are few, else one here and there, at places that do not move when the
/// curve does. A curve too steep to meet one of these is marked half-way.
fn spread(plot: &Rect, points: Vec<Px>, turn: usize) -> Vec<Px> {
    const EVERY: f64 = 24.0;
    const SOME: f64 = 64.0;
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return points };
    if last.0 - first.0 >= EVERY * (points.len() - 1) as f64 {
        return points;
    }
    let step = (plot.width / 8.0).max(SOME);
    let phase = [0.25, 0.75, 0.5, 0.0][turn % 4];
    let targets = (0..8).map(|k| plot.left + step * (f64::from(k) + phase));
    let nearest = |target: f64| points.iter().min_by(|a, b| (a.0 - target).abs().total_cmp(&(b.0 - target).abs()));
    let near = |target: f64| nearest(target).filter(|px| (px.0 - target).abs() < 0.1 * step);
    let mut marks: Vec<Px> = targets.filter_map(near).copied().collect();
    marks.dedup();
    if marks.is_empty() { vec![points[points.len() / 2]] } else { marks }
}

/// The same path, to within [`TOLERANCE`], of fewer points.
fn thinned(path: &[Px]) -> Vec<Px> {
    let path = one_column_at_a_time(path);
    let mut keep = vec![false; path.len()];
    let mut stretches = vec![(0, path.len().saturating_sub(1))];
    // Douglas and Peucker's method: keep the point farthest from the chord, if it is far, and look at both sides of it.
    while let Some((first, last)) = stretches.pop() {
        if let Some(flag) = keep.get_mut(first) {
            *flag = true;
        }
        if let Some(flag) = keep.get_mut(last) {
            *flag = true;
        }
        let inner = (first + 1..last).map(|idx| (idx, distance(path[idx], path[first], path[last])));
        if let Some((idx, _)) = inner.filter(|&(_, d)| d > TOLERANCE).max_by(|a, b| a.1.total_cmp(&b.1)) {
            stretches.extend([(first, idx), (idx, last)]);
        }
    }
    path.into_iter().zip(keep).filter_map(|(px, keep)| keep.then_some(px)).collect()
}

/// Of all points in the same half pixel's column only the first, the extremes and the last, in their order.
fn one_column_at_a_time(path: &[Px]) -> Vec<Px> {
    let same_column = |a: &Px, b: &Px| (2.0 * a.0).floor().total_cmp(&(2.0 * b.0).floor()).is_eq();
    let mut kept = Vec::with_capacity(path.len());
    for column in path.chunk_by(same_column) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let extremes = [(0..column.len()).min_by(by_height), (0..column.len()).max_by(by_height)];
        let mut chosen: Vec<usize> = extremes.into_iter().flatten().chain([0, column.len() - 1]).collect();
        chosen.sort_unstable();
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|idx| column[idx]));
    }
    kept
}

/// Distance of a point from a segment.
fn distance(point: Px, from: Px, to: Px) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length_squared = dx * dx + dy * dy;
    let along = (point.0 - from.0) * dx + (point.1 - from.1) * dy;
    let t = if length_squared > 0.0 { (along / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    (point.0 - from.0 - t * dx).hypot(point.1 - from.1 - t * dy)
}
