//! Where everything goes: pure geometry in CSS pixels, for drawing and for the pointer alike.

use super::frame::{Frame, Rect};
use super::labels::{self, Column, Label};
use super::lines::Line;
use super::rows::Rows;
use super::text::width;
use super::theme::Theme;
use super::ticks::{Tick, minor_ticks, ticks};
use super::trace::Trace;
use super::{Axis, Figure, Scale, Size};

/// A figure laid out on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The plot, and data ↔ pixels.
    pub frame: Frame,
    /// Ticks of the horizontal axis.
    pub x_ticks: Vec<Tick>,
    /// Unlabeled ticks of the horizontal axis.
    pub x_minor: Vec<f64>,
    /// Ticks of the vertical axis.
    pub y_ticks: Vec<Tick>,
    /// Unlabeled ticks of the vertical axis.
    pub y_minor: Vec<f64>,
    /// Names at the ends of curves and levels.
    pub labels: Vec<Label>,
    /// Size of the type, smaller on small surfaces.
    pub text_px: f64,
    pub(super) surface: Rect,
    /// The part of the surface that nothing covers.
    pub(super) free: Rect,
    pub(super) traces: Vec<Trace>,
    pub(super) lines: Vec<Line>,
    /// Set on paper of its own, over whatever the plot holds.
    pub(super) words: Vec<Line>,
}

/// Length of a tick, in font sizes.
pub(super) const TICK: f64 = 0.3;
/// Space around everything, in font sizes.
pub(super) const MARGIN: f64 = 0.6;
/// Distance of lines of words, in font sizes.
pub(super) const LINE: f64 = 1.4;

impl Layout {
    /// Lays a figure out. Total: whatever the data and however small the surface, everything is on it.
    pub fn new(figure: &Figure, theme: &Theme, size: Size) -> Self {
        let surface = Rect { left: 0.0, top: 0.0, width: size.width, height: size.height };
        let free = Rect { top: size.covered, height: size.height - size.covered, ..surface };
        let text_px = type_size(theme, size);
        let draft = Rows::fitting(figure, free, text_px);
        let (above, below) = draft.margins(text_px);
        let squeeze = (0.6 * free.height / (above + below)).min(1.0);
        let (above, below) = (squeeze * above, squeeze * below);
        let (top, height) = (free.top + above, free.height - above - below);
        let side = Frame::new(Rect { left: 0.0, top, width: 0.0, height }, &figure.x, &figure.y);
        let y_ticks = y_ticks(figure, &side, text_px);
        let y_minor = minors(&figure.y, &y_ticks, height);
        let (left, column) = columns(figure, free, text_px, &y_ticks);
        let plot = Rect { left, top, width: (column.left - gap(text_px) - left).max(0.0), height };
        let frame = Frame::new(plot, &figure.x, &figure.y);
        let traces = traces(figure, &frame);
        let mut labels = labels::place(figure, &frame, &traces, column);
        labels.retain(|label| Line::of(label, text_px, theme).within(&free).is_some());
        let x_ticks = x_ticks(figure, &frame, text_px);
        let x_minor = minors(&figure.x, &x_ticks, plot.width);
        let mut layout = Self {
            frame,
            x_ticks,
            x_minor,
            y_ticks,
            y_minor,
            labels,
            text_px,
            surface,
            free,
            traces,
            lines: Vec::new(),
            words: Vec::new(),
        };
        layout.write(figure, theme, draft);
        layout
    }

    /// Whether any part of any curve is inside the plot.
    pub fn shows_curves(&self) -> bool {
        self.traces.iter().any(|trace| !trace.lines.is_empty())
    }
}

/// Whether any curve has a value that the axes could show.
pub(super) fn has_values(figure: &Figure) -> bool {
    let mut points = figure.curves.iter().flat_map(|curve| &curve.points);
    points.any(|point| figure.x.scale.shows(point.x) && figure.y.scale.shows(point.y))
}

/// Whether there is neither a curve nor a level to draw.
fn is_empty(figure: &Figure) -> bool {
    !has_values(figure) && !figure.levels.iter().any(|level| figure.y.scale.shows(level.value))
}

/// The theme's type, down to four fifths of it on a small surface.
fn type_size(theme: &Theme, size: Size) -> f64 {
    let roomy = (size.width / (40.0 * theme.text_px)).min(size.height / (24.0 * theme.text_px));
    theme.text_px * roomy.clamp(0.8, 1.0)
}

/// Space between plot and names, wide enough for a leader.
fn gap(text_px: f64) -> f64 {
    0.9 * text_px
}

/// Left edge of the plot, and the column of names. On a narrow surface names are shortened, then numbers go.
fn columns(figure: &Figure, surface: Rect, t: f64, y_ticks: &[Tick]) -> (f64, Column) {
    let numbers = y_ticks.iter().map(|tick| width(&tick.label, t, false)).fold(0.0, f64::max);
    let left = (2.0 * MARGIN + TICK) * t + numbers;
    let left = if left > 0.3 * surface.width { (MARGIN * t).min(0.1 * surface.width) } else { left };
    let room = labels::widest(figure, t).min(0.36 * surface.width);
    let room = if room < 4.0 * t { 0.0 } else { room };
    // Without names, half a number still sticks out below the corner.
    let right = if room > 0.0 { room + MARGIN * t } else { 1.2 * t };
    (left, Column { left: surface.width - right, room, text_px: t })
}

fn traces(figure: &Figure, frame: &Frame) -> Vec<Trace> {
    let mut turn = 0;
    let trace = |curve: &super::Curve| {
        let trace = Trace::new(frame, curve, turn);
        turn += usize::from(curve.kind == super::CurveKind::Measured);
        trace
    };
    figure.curves.iter().map(trace).collect()
}

/// Ticks about three lines apart; none on an axis with nothing to measure.
fn y_ticks(figure: &Figure, side: &Frame, t: f64) -> Vec<Tick> {
    let Axis { scale, range, .. } = figure.y;
    if is_empty(figure) {
        return Vec::new();
    }
    let apart = |found: &Vec<Tick>| {
        let heights = || found.iter().map(|tick| side.height_of(tick.value));
        heights().zip(heights().skip(1)).all(|(below, above)| below - above >= LINE * t)
    };
    let most = (side.plot.height / (3.0 * t)).clamp(2.0, 6.0);
    let tried = (2..=6_usize).rev().filter(|&k| k as f64 <= most).map(|k| ticks(scale, range, k, false));
    tried.into_iter().find(apart).unwrap_or_default()
}

/// As many ticks as have room for their numbers; whole ones where every abscissa is whole, such as rounds.
fn x_ticks(figure: &Figure, frame: &Frame, t: f64) -> Vec<Tick> {
    let Axis { scale, range, .. } = figure.x;
    // On many decades, room for one tick each.
    let most = if scale == Scale::Log10 && range.1 / range.0 > 0.99e6 { 8 } else { 6 };
    let whole = figure.curves.iter().flat_map(|curve| &curve.points).all(|point| point.x.fract() == 0.0);
    let tried = (2..=most).rev().map(|most| ticks(scale, range, most, whole));
    tried.into_iter().find(|found| clear(found, frame, t)).unwrap_or_default()
}

/// Unlabeled ticks of an axis so many pixels long; none without labeled ones.
fn minors(axis: &Axis, ticks: &[Tick], length: f64) -> Vec<f64> {
    if ticks.is_empty() { Vec::new() } else { minor_ticks(axis.scale, axis.range, length) }
}

/// Whether no number touches the next.
fn clear(ticks: &[Tick], frame: &Frame, t: f64) -> bool {
    let x = |tick: &Tick| frame.px_of(super::Point { x: tick.value, y: f64::NAN }).0;
    let half = |tick: &Tick| 0.5 * width(&tick.label, t, false);
    ticks.windows(2).all(|pair| x(&pair[1]) - half(&pair[1]) - x(&pair[0]) - half(&pair[0]) >= t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::Px;
    use crate::figure::hostile::{figure as hostile, surface};
    use crate::figure::lines::NOTHING;
    use crate::figure::{Curve, CurveKind, Level, Point, Role};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn figure() -> Figure {
        let points = (0..=200).map(|k| Point { x: k.into(), y: 1.9 * (-f64::from(k) / 30.0).exp() + 0.18 });
        let (role, kind, label) = (Role::FedLin, CurveKind::Measured, "FedLin".to_owned());
        let axis = |label: &str, range, scale| Axis { label: label.to_owned(), range, scale };
        Figure {
            title: Some("title".to_owned()),
            x: axis("round r", (0.0, 200.0), Scale::Linear),
            y: axis("estimation error", (0.1, 2.0), Scale::Log10),
            curves: vec![Curve { role, kind, label, points: points.collect(), band: vec![] }],
            levels: vec![Level { role: Role::ClientAlone, label: "client 1 alone".to_owned(), value: 0.25 }],
            words: Some("some words".to_owned()),
        }
    }

    fn layout(figure: &Figure, size: (f64, f64)) -> Layout {
        Layout::new(figure, &Theme::LIGHT, Size::new(size.0, size.1, 1.0))
    }

    /// Which texts are written, and that the plot keeps its share of the surface.
    #[track_caller]
    fn check_texts(size: (f64, f64), written: &[&str], left_out: &[&str]) {
        let layout = layout(&figure(), size);
        let has = |text: &&&str| {
            layout.lines.iter().any(|line| line.text == ***text)
                || layout.labels.iter().any(|label| label.text == ***text)
        };
        let missing: Vec<_> = written.iter().filter(|text| !has(text)).collect();
        let surplus: Vec<_> = left_out.iter().filter(has).collect();
        assert!(missing.is_empty() && surplus.is_empty(), "{size:?}: missing {missing:?}, surplus {surplus:?}");
        let plot = layout.frame.plot;
        assert!(plot.height >= 0.4 * size.1 && plot.width >= 0.33 * size.0, "{size:?}: {plot:?}");
    }

    #[test]
    fn small_surfaces_do_without_what_is_needed_least() {
        let headings = ["title", "some words", "round r", "estimation error"];
        check_texts(
            (960.0, 540.0),
            &[&headings[..], &["0", "200", "0.1", "2", "FedLin", "client 1 alone"]].concat(),
            &[],
        );
        check_texts((320.0, 240.0), &[&headings[..], &["0", "200", "FedLin", "client 1 alone"]].concat(), &[]);
        check_texts((320.0, 150.0), &["some words", "estimation error", "FedLin"], &["title"]);
        check_texts((320.0, 100.0), &["estimation error"], &["title", "some words", "round r"]);
        check_texts((160.0, 120.0), &["FedLin", "client 1…"], &["title", "client 1 alone"]);
        check_texts((60.0, 50.0), &[], &headings);
    }

    #[test]
    fn words_take_the_place_of_curves_that_are_not_there() {
        let mut figure = figure();
        let in_plot =
            |figure: &Figure| layout(figure, (640.0, 400.0)).words.into_iter().map(|line| line.text).collect();
        let none: Vec<String> = in_plot(&figure);
        assert!(none.is_empty());
        figure.curves[0].points.iter_mut().for_each(|point| point.y = f64::NAN);
        let words: Vec<String> = in_plot(&figure);
        assert_eq!(words, ["some words"]);
        figure.words = None;
        figure.curves.clear();
        let nothing: Vec<String> = in_plot(&figure);
        assert_eq!(nothing, [NOTHING]);
    }

    #[test]
    fn a_curve_beyond_the_axis_needs_no_words() {
        let mut figure = figure();
        figure.words = None;
        figure.curves[0].points.iter_mut().for_each(|point| point.y = if point.x > 0.0 { 1e9 } else { 1.9 });
        figure.x = Axis { range: (1.0, 200.0), scale: Scale::Log10, ..figure.x };
        let beyond = layout(&figure, (640.0, 400.0));
        assert!(beyond.words.is_empty() && !beyond.shows_curves());
        assert!(beyond.labels.iter().any(|label| label.text == "↑ FedLin"));
        figure.curves[0].points.truncate(1);
        assert_eq!(layout(&figure, (640.0, 400.0)).words.len(), 1, "no axis has a place for round 0 alone");
    }

    #[test]
    fn an_axis_with_nothing_on_it_has_no_numbers() {
        let mut figure = figure();
        figure.curves.clear();
        assert!(!layout(&figure, (640.0, 400.0)).y_ticks.is_empty());
        figure.levels.clear();
        let layout = layout(&figure, (640.0, 400.0));
        assert!(layout.y_ticks.is_empty() && layout.y_minor.is_empty());
    }

    #[test]
    fn larger_type_takes_more_room() {
        let size = Size::new(960.0, 540.0, 1.0);
        let [light, projector] = [Theme::LIGHT, Theme::PROJECTOR].map(|theme| Layout::new(&figure(), &theme, size));
        assert!(projector.text_px > light.text_px);
        assert!(projector.frame.plot.width < light.frame.plot.width);
        assert!(projector.frame.plot.height < light.frame.plot.height);
    }

    #[test]
    fn what_covers_the_surface_pushes_the_plot_down() {
        let (size, covered) = (Size::new(640.0, 400.0, 1.0), 60.0);
        let [whole, rest] = [size, size.covered(covered)].map(|size| Layout::new(&figure(), &Theme::LIGHT, size));
        let (whole, rest) = (whole.frame.plot, rest.frame.plot);
        assert!((rest.top - whole.top - covered).abs() < 1e-9 && (rest.bottom() - whole.bottom()).abs() < 1e-9);
    }

    /// Left, upper, right and lower edge of a line of text.
    fn edges(line: &Line) -> [f64; 4] {
        let (start, end) = line.extent();
        [start, line.at.1 - 0.5 * line.size, end, line.at.1 + 0.5 * line.size]
    }

    fn overlap(a: &Line, b: &Line) -> bool {
        let (a, b) = (edges(a), edges(b));
        let slack = 1e-6;
        a[0] < b[2] - slack && b[0] < a[2] - slack && a[1] < b[3] - slack && b[1] < a[3] - slack
    }

    #[test]
    fn whatever_the_data_nothing_is_outside_or_over_another() {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        for round in 0..1500 {
            let figure = hostile(&mut rng);
            let (width, height) = surface(&mut rng);
            let covered = if rng.random_bool(0.5) { 0.0 } else { rng.random_range(-0.1..1.1) * f64::from(height) };
            let size = Size::new(width.into(), height.into(), 1.0).covered(covered);
            let layout = Layout::new(&figure, &Theme::ALL[rng.random_range(0..3)], size);
            let what = format!("figure {round} of {width} × {height} under {covered}, {figure:?}");

            let on = |rect: &Rect, (x, y): Px| {
                let near = rect.nearest((x, y));
                (near.0 - x).abs() < 1e-6 && (near.1 - y).abs() < 1e-6
            };
            let plot = layout.frame.plot;
            assert!(on(&layout.free, (plot.left, plot.top)), "{plot:?}, {what}");
            assert!(on(&layout.free, (plot.right(), plot.bottom())), "{plot:?}, {what}");
            for trace in &layout.traces {
                let outlines = trace.lines.iter().chain(&trace.bands).flatten();
                assert!(outlines.chain(&trace.marks).all(|&px| on(&plot, px)), "{trace:?}, {what}");
            }

            let labels: Vec<_> =
                layout.labels.iter().map(|label| Line::of(label, layout.text_px, &Theme::LIGHT)).collect();
            let lines: Vec<_> = layout.lines.iter().chain(&labels).collect();
            for (idx, line) in lines.iter().enumerate() {
                let [left, top, right, bottom] = edges(line);
                assert!(on(&layout.free, (left, top)) && on(&layout.free, (right, bottom)), "{line:?}, {what}");
                let over = lines[idx + 1..].iter().find(|other| overlap(line, other));
                assert!(over.is_none(), "{line:?} over {over:?}, {what}");
            }
        }
    }
}
