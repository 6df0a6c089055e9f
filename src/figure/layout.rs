//! Where everything goes: pure geometry in CSS pixels, for drawing and for the pointer alike.

use super::axis::{Tick, minor_ticks, ticks};
use super::frame::{Frame, Px, Rect};
use super::labels::{self, Column, Label};
use super::text::{balanced, shortened, width, wrapped};
use super::theme::Theme;
use super::trace::Trace;
use super::{Axis, Figure, Size};
use plotters::style::RGBColor;

/// A figure laid out on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The plot, and data ↔ pixels.
    pub frame: Frame,
    /// Ticks of the horizontal axis.
    pub x_ticks: Vec<Tick>,
    /// Ticks of the vertical axis.
    pub y_ticks: Vec<Tick>,
    /// Unlabeled ticks of the vertical axis.
    pub y_minor: Vec<f64>,
    /// Names at the ends of curves and levels.
    pub labels: Vec<Label>,
    /// Size of the type, smaller on small surfaces.
    pub text_px: f64,
    pub(super) surface: Rect,
    pub(super) traces: Vec<Trace>,
    pub(super) lines: Vec<Line>,
    /// Set on paper of its own, over whatever the plot holds.
    pub(super) words: Vec<Line>,
}

/// One line of text. Its height is centered on `at`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    pub text: String,
    pub at: Px,
    pub anchor: Anchor,
    pub size: f64,
    pub bold: bool,
    pub color: RGBColor,
}

/// Which part of a line of text is where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Heights of the rows above and below the plot, in CSS pixels; zero for what is left out.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    title: f64,
    y_title: f64,
    words: f64,
    x_numbers: f64,
    x_title: f64,
}

/// What a figure says when it has nothing to draw and no words for it.
const NOTHING: &str = "No value to draw on these axes";
/// Length of a tick, in font sizes.
pub(super) const TICK: f64 = 0.3;
/// Space around everything, in font sizes.
const MARGIN: f64 = 0.6;
/// Distance of lines of words, in font sizes.
const LINE: f64 = 1.4;

impl Layout {
    /// Lays a figure out. Total: whatever the data and however small the surface, everything is on it.
    pub fn new(figure: &Figure, theme: &Theme, size: Size) -> Self {
        let surface = Rect { left: 0.0, top: 0.0, width: size.width, height: size.height };
        let text_px = type_size(theme, size);
        let draft = Rows::fitting(figure, surface, text_px);
        let (top, bottom) = draft.margins(text_px);
        let squeeze = (0.6 * surface.height / (top + bottom)).min(1.0);
        let (top, bottom) = (squeeze * top, squeeze * bottom);
        let height = surface.height - top - bottom;
        let side = Frame::new(Rect { left: 0.0, top, width: 0.0, height }, &figure.x, &figure.y);
        let y_ticks = y_ticks(figure, &side, text_px);
        let y_minor = if y_ticks.is_empty() { Vec::new() } else { minor_ticks(figure.y.scale, figure.y.range) };
        let (left, column) = columns(figure, surface, text_px, &y_ticks);
        let plot = Rect { left, top, width: (column.left - gap(text_px) - left).max(0.0), height };
        let frame = Frame::new(plot, &figure.x, &figure.y);
        let traces = traces(figure, &frame);
        let mut labels = labels::place(figure, &frame, &traces, column);
        labels.retain(|label| Line::of(label, text_px, theme).within(&surface).is_some());
        let x_ticks = x_ticks(figure, &frame, text_px);
        let mut layout = Self {
            frame,
            x_ticks,
            y_ticks,
            y_minor,
            labels,
            text_px,
            surface,
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

    /// Titles, numbers, words: every line of text but the labels.
    fn write(&mut self, figure: &Figure, theme: &Theme, rows: Rows) {
        let mut lines = self.headings(figure, theme, rows);
        if rows.x_numbers > 0.0 {
            lines.extend(self.x_numbers(theme, rows));
        }
        lines.extend(self.y_numbers(theme));
        let surface = self.surface;
        self.lines = lines.into_iter().filter_map(|line| line.within(&surface)).collect();
        if rows.words == 0.0 && !self.shows_curves() {
            let words = figure.words.as_deref().unwrap_or(NOTHING);
            self.words = self.words_in_plot(words, theme);
        }
    }

    fn headings(&self, figure: &Figure, theme: &Theme, rows: Rows) -> Vec<Line> {
        let t = self.text_px;
        let left = MARGIN * t;
        let room = (self.surface.width - 2.0 * left).max(0.0);
        let mut lines = Vec::new();
        let mut add = |text: &str, at: Px, anchor, size: f64, bold, color| {
            lines.extend(shortened(text, size, bold, room).map(|text| Line { text, at, anchor, size, bold, color }));
        };
        let mut top = left;
        if let (true, Some(title)) = (rows.title > 0.0, &figure.title) {
            add(title, (left, top + 0.5 * rows.title), Anchor::Start, TITLE * t, true, theme.ink);
        }
        top += rows.title;
        if let (true, Some(words)) = (rows.words > 0.0, &figure.words) {
            for (idx, line) in wrapped(words, t, room).iter().enumerate() {
                add(line, (left, top + (idx as f64 + 0.5) * LINE * t), Anchor::Start, t, false, theme.ink);
            }
        }
        top += rows.words;
        if rows.y_title > 0.0 {
            add(&figure.y.label, (left, top + 0.5 * LINE * t), Anchor::Start, t, false, theme.ink);
        }
        if rows.x_title > 0.0 {
            let y = self.frame.plot.bottom() + rows.x_numbers + 0.5 * rows.x_title;
            add(&figure.x.label, (self.frame.plot.right(), y), Anchor::End, t, false, theme.ink);
        }
        lines
    }

    fn x_numbers(&self, theme: &Theme, rows: Rows) -> Vec<Line> {
        let y = self.frame.plot.bottom() + TICK * self.text_px + 0.5 * (rows.x_numbers - TICK * self.text_px);
        let line = |tick: &Tick| {
            let (x, _) = self.frame.px_of(super::Point { x: tick.value, y: f64::NAN });
            self.number(tick, (x, y), Anchor::Middle, theme)
        };
        self.x_ticks.iter().map(line).collect()
    }

    fn y_numbers(&self, theme: &Theme) -> Vec<Line> {
        let x = self.frame.plot.left - (TICK + 0.3) * self.text_px;
        let line = |tick: &Tick| self.number(tick, (x, self.frame.height_of(tick.value)), Anchor::End, theme);
        self.y_ticks.iter().map(line).filter(|line| line.extent().0 >= 0.0).collect()
    }

    fn number(&self, tick: &Tick, at: Px, anchor: Anchor, theme: &Theme) -> Line {
        Line { text: tick.label.clone(), at, anchor, size: self.text_px, bold: false, color: theme.quiet }
    }

    /// Words in the middle of an empty plot.
    fn words_in_plot(&self, words: &str, theme: &Theme) -> Vec<Line> {
        let (t, plot) = (self.text_px, self.frame.plot);
        let middle = (plot.left + 0.5 * plot.width, plot.top + 0.45 * plot.height);
        let texts = balanced(words, t, (plot.width - 2.0 * t).min(34.0 * t));
        let first = middle.1 - 0.5 * LINE * t * (texts.len() as f64 - 1.0);
        let line = |(idx, text)| {
            let at = (middle.0, first + LINE * t * idx as f64);
            Line { text, at, anchor: Anchor::Middle, size: t, bold: false, color: theme.ink }.within(&self.surface)
        };
        texts.into_iter().enumerate().filter_map(line).collect()
    }
}

/// Size of a title, in sizes of the other type.
const TITLE: f64 = 1.15;

impl Rows {
    /// The rows a figure asks for, less those that would leave the plot no room; the least needed go first.
    fn fitting(figure: &Figure, surface: Rect, t: f64) -> Self {
        let mut rows = Self::wanted(figure, surface, t);
        let least = (3.0 * t).max(0.4 * surface.height);
        let drops: [fn(&mut Self); 5] =
            [|r| r.title = 0.0, |r| r.words = 0.0, |r| r.x_title = 0.0, |r| r.y_title = 0.0, |r| r.x_numbers = 0.0];
        for drop in drops {
            let (top, bottom) = rows.margins(t);
            if surface.height - top - bottom < least {
                drop(&mut rows);
            }
        }
        rows
    }

    fn wanted(figure: &Figure, surface: Rect, t: f64) -> Self {
        let shown = |wanted: bool, height: f64| if wanted { height * t } else { 0.0 };
        let words = figure.words.as_deref().filter(|_| has_values(figure)).unwrap_or_default();
        let lines = wrapped(words, t, surface.width - 2.0 * MARGIN * t).len();
        Self {
            title: shown(figure.title.is_some(), 1.9),
            y_title: shown(!figure.y.label.is_empty(), LINE + 0.4),
            words: shown(lines > 0, LINE * lines as f64 + 0.4),
            x_numbers: shown(true, TICK + 1.4),
            x_title: shown(!figure.x.label.is_empty(), LINE),
        }
    }

    /// Space above and below the plot; half a line above it for the topmost number.
    fn margins(self, t: f64) -> (f64, f64) {
        (MARGIN * t + self.title + self.y_title + self.words + 0.5 * t, MARGIN * t + self.x_numbers + self.x_title)
    }
}

impl Line {
    /// The text of a label.
    pub(super) fn of(label: &Label, size: f64, theme: &Theme) -> Self {
        let Label { text, at, bold, .. } = label.clone();
        Self { text, at, anchor: Anchor::Start, size, bold, color: theme.hue(label.role).text }
    }

    /// The line moved sideways until it is on the surface; nothing if it is higher or wider than that.
    pub(super) fn within(mut self, surface: &Rect) -> Option<Self> {
        let (start, end) = self.extent();
        let shift = (surface.left - start).max(0.0) - (end - surface.right()).max(0.0);
        self.at.0 += shift;
        let (start, end) = self.extent();
        let half = 0.5 * self.size;
        let inside = |x, y| surface.contains((x, y));
        (inside(start, self.at.1 - half) && inside(end, self.at.1 + half)).then_some(self)
    }

    /// Left and right end.
    pub(super) fn extent(&self) -> (f64, f64) {
        let width = width(&self.text, self.size, self.bold);
        let start = match self.anchor {
            Anchor::Start => self.at.0,
            Anchor::Middle => self.at.0 - 0.5 * width,
            Anchor::End => self.at.0 - width,
        };
        (start, start + width)
    }
}

/// Whether any curve has a value that the vertical axis could show.
fn has_values(figure: &Figure) -> bool {
    let mut points = figure.curves.iter().flat_map(|curve| &curve.points);
    points.any(|point| figure.y.scale.shows(point.y))
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
    let whole = figure.curves.iter().flat_map(|curve| &curve.points).all(|point| point.x.fract() == 0.0);
    let tried = (2..=6).rev().map(|most| ticks(scale, range, most, whole));
    tried.into_iter().find(|found| clear(found, frame, t)).unwrap_or_default()
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
    use crate::figure::hostile::{figure as hostile, surface};
    use crate::figure::{Curve, CurveKind, Level, Point, Role, Scale};
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
            let size = Size::new(width.into(), height.into(), 1.0);
            let layout = Layout::new(&figure, &Theme::ALL[rng.random_range(0..3)], size);
            let what = format!("figure {round} of {width} × {height}, {figure:?}");

            let on = |rect: &Rect, (x, y): Px| {
                let near = rect.nearest((x, y));
                (near.0 - x).abs() < 1e-6 && (near.1 - y).abs() < 1e-6
            };
            let plot = layout.frame.plot;
            assert!(on(&layout.surface, (plot.left, plot.top)), "{plot:?}, {what}");
            assert!(on(&layout.surface, (plot.right(), plot.bottom())), "{plot:?}, {what}");
            for trace in &layout.traces {
                let outlines = trace.lines.iter().chain(&trace.bands).flatten();
                assert!(outlines.chain(&trace.marks).all(|&px| on(&plot, px)), "{trace:?}, {what}");
            }

            let labels: Vec<_> =
                layout.labels.iter().map(|label| Line::of(label, layout.text_px, &Theme::LIGHT)).collect();
            let lines: Vec<_> = layout.lines.iter().chain(&labels).collect();
            for (idx, line) in lines.iter().enumerate() {
                let [left, top, right, bottom] = edges(line);
                assert!(on(&layout.surface, (left, top)) && on(&layout.surface, (right, bottom)), "{line:?}, {what}");
                let over = lines[idx + 1..].iter().find(|other| overlap(line, other));
                assert!(over.is_none(), "{line:?} over {over:?}, {what}");
            }
        }
    }
}
