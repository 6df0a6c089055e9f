//! Names at the ends of curves and levels, in place of a legend.

use super::clip::clipped_segment;
use super::frame::{Frame, Px, Rect};
use super::text::{shortened, width};
use super::trace::{Edge, End, Trace};
use super::{Curve, CurveKind, Figure, Level, Role};
use crate::sim::sort::sort_few;

/// The name of a curve or a level, beside its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The name, shortened to the room there is.
    pub text: String,
    /// The role of the named curve or level.
    pub role: Role,
    /// Whether it names a measured curve; these names are bold.
    pub bold: bool,
    /// Left end of the text, at half its height.
    pub at: Px,
    /// A line from the end of the curve to a name that had to move away from it; else empty.
    pub leader: Vec<Px>,
    /// Place of the curve's marker before the name, and the curve's kind; `None` without a marker.
    pub sign: Option<(Px, CurveKind)>,
}

/// The column of names right of the plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Column {
    /// Left end of the names.
    pub left: f64,
    /// Width of the widest name, in CSS pixels; if it is zero, no names are written.
    pub room: f64,
    /// Size of the type, in CSS pixels.
    pub text_px: f64,
    /// Room for the curves' markers left of the names, in CSS pixels; zero if there are no markers.
    pub signs: f64,
}

/// Distance between lines of text, in font sizes.
const LINE: f64 = 1.3;

/// A name and its preferred height.
struct Wish {
    text: String,
    role: Role,
    bold: bool,
    y: f64,
    /// Whether a leader from the curve's end may lead to it; a name with an arrow beyond an edge needs none.
    led: bool,
    /// Priority when there is not enough room; smaller ranks are kept first.
    rank: u8,
    /// The kind of its curve, if the curve has markers.
    sign: Option<CurveKind>,
}

impl Curve {
    fn is_bold(&self) -> bool {
        matches!(self.kind, CurveKind::Measured | CurveKind::Points)
    }

    fn has_markers(&self) -> bool {
        self.is_bold() || self.kind == CurveKind::Beside
    }
}

/// Room for markers before names, in CSS pixels; zero unless more than one named curve has markers.
pub(super) fn signs(figure: &Figure, text_px: f64) -> f64 {
    let n_signs = figure.curves.iter().filter(|curve| curve.has_markers() && !curve.label.is_empty()).count();
    if n_signs > 1 { 1.2 * text_px } else { 0.0 }
}

/// Width of the widest name of a figure, in CSS pixels.
pub(super) fn widest(figure: &Figure, text_px: f64) -> f64 {
    let (low, high) = figure.y.range;
    let curves = figure.curves.iter().filter(|curve| !curve.label.is_empty());
    let curves = curves.map(|curve| width(&pointing(Edge::Top, &curve.label), text_px, curve.is_bold()));
    let level = |level: &Level| {
        let inside = level.label.is_empty() || (low..=high).contains(&level.value);
        let text = if inside { level.label.clone() } else { pointing(Edge::Top, &level.label) };
        width(&text, text_px, false)
    };
    curves.chain(figure.levels.iter().map(level)).fold(0.0, f64::max)
}

/// Places every name: names do not overlap, and keep the order of the curves.
pub(super) fn place(figure: &Figure, frame: &Frame, traces: &[Trace], column: Column) -> Vec<Label> {
    if column.room <= 0.0 {
        return Vec::new();
    }
    let ends: Vec<_> = figure.curves.iter().zip(traces).filter(|(curve, _)| !curve.label.is_empty()).collect();
    let mut labels = Vec::new();
    let mut wishes = Vec::new();
    let covers = |area: Rect| {
        let is_within = |pair: &[Px]| clipped_segment(&area, pair[0], pair[1]).is_some();
        let is_level = |level: &Level| (area.top..=area.bottom()).contains(&frame.height_of(level.value));
        traces.iter().flat_map(|trace| &trace.lines).any(|line| line.windows(2).any(is_within))
            || figure.levels.iter().any(is_level)
    };
    for edge in [Edge::Top, Edge::Bottom] {
        let left = ends.iter().filter_map(|(curve, trace)| match trace.end {
            End::Left(end, at) if at == edge => Some((*curve, end)),
            _ => None,
        });
        let (beside, too_far_right) = beside_exits(frame, edge, left.collect(), column.text_px, &covers);
        labels.extend(beside);
        wishes.extend(too_far_right.into_iter().map(|curve| wish_beyond(frame, edge, curve)));
    }
    wishes.extend(ends.iter().filter_map(|(curve, trace)| match trace.end {
        End::At((_, y)) => Some(wish_of(curve, curve.label.clone(), y, true)),
        End::Outside(edge) => Some(wish_beyond(frame, edge, curve)),
        End::Left(..) | End::Nowhere => None,
    }));
    wishes.extend(figure.levels.iter().filter_map(|level| wish_of_level(frame, level)));
    labels.extend(in_column(frame, column, wishes));
    labels
}

fn wish_of(curve: &Curve, text: String, y: f64, led: bool) -> Wish {
    let rank = match curve.kind {
        CurveKind::Measured | CurveKind::Points => 0,
        CurveKind::Beside => 1,
        CurveKind::Predicted | CurveKind::PredictedBeside => 2,
        CurveKind::Pinned => 3,
    };
    let sign = curve.has_markers().then_some(curve.kind);
    Wish { text, role: curve.role, bold: curve.is_bold(), y, led, rank, sign }
}

/// The wish of a curve beyond an edge: at that edge.
fn wish_beyond(frame: &Frame, edge: Edge, curve: &Curve) -> Wish {
    wish_of(curve, pointing(edge, &curve.label), edge_of(frame, edge), false)
}

fn wish_of_level(frame: &Frame, level: &Level) -> Option<Wish> {
    let y = frame.height_of(level.value);
    let wish = |text, y, led| Wish { text, role: level.role, bold: false, y, led, rank: 1, sign: None };
    match y {
        _ if y.is_nan() || level.label.is_empty() => None,
        y if y < frame.plot.top => Some(wish(pointing(Edge::Top, &level.label), frame.plot.top, false)),
        y if y > frame.plot.bottom() => Some(wish(pointing(Edge::Bottom, &level.label), frame.plot.bottom(), false)),
        y => Some(wish(level.label.clone(), y, true)),
    }
}

fn pointing(edge: Edge, label: &str) -> String {
    match edge {
        Edge::Top => format!("↑ {label}"),
        Edge::Bottom => format!("↓ {label}"),
    }
}

fn edge_of(frame: &Frame, edge: Edge) -> f64 {
    match edge {
        Edge::Top => frame.plot.top,
        Edge::Bottom => frame.plot.bottom(),
    }
}

/// Labels of curves that left the plot, placed right of their exits. Curves that leave close together share one place,
/// with their names one below the other. Also returns the curves for which there is no room, or only room over lines.
fn beside_exits<'a>(
    frame: &Frame,
    edge: Edge,
    mut exits: Vec<(&'a Curve, Px)>,
    text_px: f64,
    covers: &dyn Fn(Rect) -> bool,
) -> (Vec<Label>, Vec<&'a Curve>) {
    sort_few(&mut exits, |a, b| a.1.0.total_cmp(&b.1.0).then_with(|| a.0.label.cmp(&b.0.label)));
    let span = |curve: &Curve| width(&curve.label, text_px, curve.is_bold()) + 2.0 * text_px;
    let close = |a: &(&Curve, Px), b: &(&Curve, Px)| b.1.0 - a.1.0 < span(a.0);
    let (mut labels, mut rest) = (Vec::new(), Vec::new());
    for group in exits.chunk_by(close) {
        let left = group.iter().map(|(_, end)| end.0).fold(0.0, f64::max) + text_px;
        let row = |idx: usize| match edge {
            Edge::Top => frame.plot.top + (0.7 + LINE * idx as f64) * text_px,
            Edge::Bottom => frame.plot.bottom() - (0.7 + LINE * idx as f64) * text_px,
        };
        let fits = group.iter().enumerate().all(|(idx, (curve, _))| {
            let (width, height) = (span(curve) - 2.0 * text_px, 0.9 * text_px);
            let area = Rect { left, top: row(idx) - 0.5 * height, width, height };
            left + span(curve) - text_px <= frame.plot.right() && !covers(area)
        });
        if !fits {
            rest.extend(group.iter().map(|(curve, _)| *curve));
            continue;
        }
        labels.extend(group.iter().enumerate().map(|(idx, (curve, _))| Label {
            text: curve.label.clone(),
            role: curve.role,
            bold: curve.is_bold(),
            at: (left, row(idx)),
            leader: Vec::new(),
            sign: None,
        }));
    }
    (labels, rest)
}

/// Places names in the column, each as near to its preferred height as the others allow. Names that do not fit are left
/// out, the least important first.
fn in_column(frame: &Frame, column: Column, mut wishes: Vec<Wish>) -> Vec<Label> {
    let line = LINE * column.text_px;
    let bounds = (frame.plot.top, (frame.plot.bottom() - 0.5 * line).max(frame.plot.top));
    sort_few(&mut wishes, |a, b| a.rank.cmp(&b.rank));
    wishes.truncate(capacity(bounds.1 - bounds.0, line));
    sort_few(&mut wishes, |a, b| a.y.total_cmp(&b.y));
    let wanted: Vec<f64> = wishes.iter().map(|wish| wish.y).collect();
    let heights = spaced(&wanted, line, bounds);
    let label = |(wish, y): (Wish, f64)| {
        let text = shortened(&wish.text, column.text_px, wish.bold, column.room)?;
        let sign = wish.sign.filter(|_| column.signs > 0.0).map(|kind| ((column.left - 0.5 * column.signs, y), kind));
        let crosses = column.signs > 0.0 && sign.is_none();
        let moved = (y - wish.y).abs() > 0.2 * column.text_px || crosses;
        let mut leader = Vec::new();
        if wish.led && moved {
            let end = column.left - 0.25 * column.text_px;
            leader.extend([(frame.plot.right() + 0.25 * column.text_px, wish.y), (end - column.signs, y)]);
            // Beside markers of other names, the leader runs between them at the height of its own name.
            leader.extend(crosses.then_some((end, y)));
        }
        Some(Label { text, role: wish.role, bold: wish.bold, at: (column.left, y), leader, sign })
    };
    wishes.into_iter().zip(heights).filter_map(label).collect()
}

/// Number of lines that fit when the first and the last may stand on the bounds.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at least one, at most a screen's height")]
fn capacity(height: f64, line: f64) -> usize {
    (height / line + 1e-9).floor().max(0.0) as usize + 1
}

/// Heights as near as possible to the ascending `wanted` (least squares), at least `line` apart, within the bounds.
///
/// Subtracting `line` times the index leaves heights that need only ascend. Neighbors that would descend are pooled
/// into a block at their mean; clamping the result to the bounds keeps it optimal (isotonic regression).
fn spaced(wanted: &[f64], line: f64, (low, high): (f64, f64)) -> Vec<f64> {
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    for (idx, y) in wanted.iter().enumerate() {
        let mut block = (y - line * idx as f64, 1);
        while let Some(above) = blocks.pop_if(|above| above.0 > block.0) {
            let count = above.1 + block.1;
            block = ((above.0 * above.1 as f64 + block.0 * block.1 as f64) / count as f64, count);
        }
        blocks.push(block);
    }
    let high = (high - line * wanted.len().saturating_sub(1) as f64).max(low);
    let offsets = blocks.into_iter().flat_map(|(mean, count)| std::iter::repeat_n(mean.max(low).min(high), count));
    offsets.enumerate().map(|(idx, offset)| offset + line * idx as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::Rect;
    use crate::figure::{Axis, Point, Scale};

    #[track_caller]
    fn check_spaced(wanted: &[f64], expected: &[f64]) {
        let found = spaced(wanted, 10.0, (0.0, 100.0));
        let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near && found.len() == expected.len(), "{wanted:?} → {found:?}, expected {expected:?}");
    }

    #[test]
    fn names_move_as_little_as_the_others_allow() {
        check_spaced(&[], &[]);
        check_spaced(&[50.0], &[50.0]);
        check_spaced(&[10.0, 30.0], &[10.0, 30.0]);
        check_spaced(&[50.0, 50.0], &[45.0, 55.0]);
        check_spaced(&[50.0, 52.0, 80.0], &[46.0, 56.0, 80.0]);
        check_spaced(&[50.0, 50.0, 55.0], &[41.666_666_666_666_664, 51.666_666_666_666_664, 61.666_666_666_666_664]);
        check_spaced(&[0.0, 0.0, 0.0], &[0.0, 10.0, 20.0]);
        check_spaced(&[100.0, 100.0], &[90.0, 100.0]);
        check_spaced(&[-500.0, 500.0], &[0.0, 100.0]);
    }

    #[test]
    fn whatever_they_want_names_stay_apart_and_in_order() {
        for seed in 0..200_u32 {
            let mut wanted: Vec<f64> =
                (0..seed % 11).map(|k| f64::from((seed * 7919 + k * k * 104_729) % 140) - 20.0).collect();
            wanted.sort_by(f64::total_cmp);
            let found = spaced(&wanted, 10.0, (0.0, 100.0));
            assert!(found.windows(2).all(|pair| pair[1] - pair[0] >= 10.0 - 1e-9), "{wanted:?} → {found:?}");
            assert!(found.iter().all(|y| (-1e-9..=100.0 + 1e-9).contains(y)), "{wanted:?} → {found:?}");
        }
    }

    /// Labels on a plot of 400 × 100 pixels at (0, 0), x from 0 to 10, y from 0.01 to 1, with names from 410 on.
    fn placed(curves: &[(&str, &[f64])], levels: &[(&str, f64)]) -> Vec<Label> {
        placed_beside(curves, levels, 0.0)
    }

    /// As [`placed`], with `signs` pixels of room for markers before the names.
    fn placed_beside(curves: &[(&str, &[f64])], levels: &[(&str, f64)], signs: f64) -> Vec<Label> {
        let axis = |range, scale| Axis { label: String::new(), range, scale, whole: false };
        let curve = |(label, ys): &(&str, &[f64])| {
            let points = ys.iter().enumerate().map(|(k, &y)| Point { x: 10.0 * k as f64 / (ys.len() - 1) as f64, y });
            let (role, kind, band) = (Role::FedLin, CurveKind::Measured, Vec::new());
            Curve { role, kind, label: (*label).to_owned(), points: points.collect(), band }
        };
        let level = |&(label, value): &(&str, f64)| Level { role: Role::Pooled, label: label.to_owned(), value };
        let figure = Figure {
            title: None,
            x: axis((0.0, 10.0), Scale::Linear),
            y: axis((0.01, 1.0), Scale::Log10),
            curves: curves.iter().map(curve).collect(),
            levels: levels.iter().map(level).collect(),
            marks: Vec::new(),
            words: None,
        };
        let plot = Rect { left: 0.0, top: 0.0, width: 400.0, height: 100.0 };
        let frame = Frame::new(plot, &figure.x, &figure.y);
        let traces: Vec<_> = figure.curves.iter().map(|curve| Trace::new(&frame, curve, 0)).collect();
        place(&figure, &frame, &traces, Column { left: 410.0 + signs, room: 90.0, text_px: 10.0, signs })
    }

    #[track_caller]
    fn check_names(labels: &[Label], expected: &[&str]) {
        let names: Vec<_> = labels.iter().map(|label| label.text.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn a_name_stands_at_the_end_of_its_curve() {
        let labels = placed(&[("falls", &[0.5, 0.1])], &[("above", 0.9), ("", 0.5), ("nowhere", f64::NAN)]);
        check_names(&labels, &["above", "falls"]);
        assert_eq!(labels[1].at, (410.0, 50.0));
        assert!(labels.iter().all(|label| label.leader.is_empty()));
        assert_eq!((labels[0].bold, labels[1].bold), (false, true));
    }

    #[test]
    fn names_that_moved_are_led_to_their_ends() {
        let labels = placed(&[("one", &[0.5, 0.1]), ("two", &[0.5, 0.1])], &[]);
        assert!((labels[1].at.1 - labels[0].at.1 - 13.0).abs() < 1e-9);
        for label in &labels {
            let &[start, end] = label.leader.as_slice() else { panic!("it moved: {label:?}") };
            assert!((start.1 - 50.0).abs() < 1e-9 && (end.1 - label.at.1).abs() < 1e-9 && start.0 < end.0);
        }
    }

    /// Slanted leaders would cross the markers of the names above and below.
    #[test]
    fn lines_to_names_pass_markers_at_the_height_of_the_name() {
        let labels =
            placed_beside(&[("one", &[0.5, 0.1]), ("two", &[0.5, 0.1])], &[("level", 0.1), ("high", 0.5)], 12.0);
        check_names(&labels, &["high", "one", "two", "level"]);
        let n_points: Vec<_> = labels.iter().map(|label| label.leader.len()).collect();
        assert_eq!(n_points, [3, 2, 0, 3]);
        for label in &labels {
            let beside_signs = label.leader.iter().filter(|point| point.0 > 410.0 - 10.0 * 0.25 - 1e-9);
            assert!(beside_signs.into_iter().all(|point| (point.1 - label.at.1).abs() < 1e-9), "{label:?}");
        }
    }

    #[test]
    fn what_is_outside_is_named_at_the_edge() {
        let labels = placed(&[("never", &[5.0, 9.0])], &[("far below", 1e-9), ("far above", 1e9)]);
        check_names(&labels, &["↑ never", "↑ far above", "↓ far below"]);
        assert!(labels.iter().all(|label| label.leader.is_empty()));
    }

    #[test]
    fn a_curve_that_leaves_is_named_where_it_does() {
        let away: &[f64] = &[0.1, 10.0, 1e3, 1e9, 1e30, f64::NAN];
        let labels = placed(&[("away", away), ("too", away), ("late", &[0.1, 0.1, 0.1, 0.1, 5.0])], &[]);
        check_names(&labels, &["away", "too", "↑ late"]);
        let (first, second) = (labels[0].at, labels[1].at);
        assert!(first.0 > 40.0 && first.0 < 60.0 && (first.0 - second.0).abs() < 1e-9, "{first:?} {second:?}");
        assert!((second.1 - first.1 - 13.0).abs() < 1e-9);
    }

    /// As in a small frame where three runs diverge at the same time, or one run stays where others leave the plot.
    #[test]
    fn no_name_lies_over_a_line() {
        let away: &[f64] = &[0.1, 10.0, 1e3, 1e9, 1e30];
        let labels = placed(&[("one", away), ("two", away), ("high", &[0.6, 0.6])], &[]);
        check_names(&labels, &["↑ one", "↑ two", "high"]);
        let labels = placed(&[("one", away), ("two", away), ("low", &[0.1, 0.1])], &[("level", 0.4)]);
        check_names(&labels, &["↑ one", "↑ two", "level", "low"]);
        check_names(&placed(&[("one", away), ("two", away), ("low", &[0.1, 0.1])], &[]), &["one", "two", "low"]);
    }

    #[test]
    fn the_most_important_names_are_kept() {
        let levels: Vec<_> = (0..20).map(|k| ("level", 0.02 + 0.01 * f64::from(k))).collect();
        let labels = placed(&[("run", &[0.5, 0.1])], &levels);
        assert_eq!(labels.len(), 8);
        assert!(labels.iter().any(|label| label.text == "run"));
    }
}
