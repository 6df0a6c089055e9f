//! Layout of a figure: pure geometry in CSS pixels, used for drawing and for the pointer.

use super::Figure;
use super::aside::asides;
use super::flags::{self, Flag};
use super::frame::{Frame, Rect};
use super::labels::{self, Column, Label};
use super::lines::{self, Line, nothing};
use super::page::{Headings, Page};
use super::rows::{MARGIN, Rows, TICK};
use super::text::width;
use super::theme::Theme;
use super::ticks::{Tick, Ticks};
use super::trace::Trace;
use super::{Curve, Size};

/// A figure laid out on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The plot, and the conversion between data and pixels.
    pub frame: Frame,
    /// Ticks of both axes.
    pub ticks: Ticks,
    /// Names at the ends of curves and levels.
    pub labels: Vec<Label>,
    pub(super) page: Page,
    pub(super) traces: Vec<Trace>,
    pub(super) flags: Vec<Flag>,
    pub(super) lines: Vec<Line>,
    /// Words on a background of paper, over whatever the plot holds.
    pub(super) words: Vec<Line>,
}

impl Layout {
    /// Lays a figure out. Never fails: for any data, and on however small a surface, everything lies on the surface.
    pub fn new(figure: &Figure, theme: &Theme, size: Size) -> Self {
        let page = Page::new(theme, size);
        let headings = headings(figure);
        let mut rows = Rows::fitting(&headings, &page);
        let (mut frame, mut ticks_y, mut column) = framed(figure, &page, rows);
        if let n_flags @ 1.. = flags::rows(figure, &frame, &page) {
            rows = Rows::fitting(&Headings { n_flags, ..headings }, &page);
            (frame, ticks_y, column) = framed(figure, &page, rows);
        }
        let traces = traces(figure, &frame, page.text_px);
        let mut labels = labels::place(figure, &frame, &traces, column);
        labels.retain(|label| Line::of(label, page.text_px, theme).within(&page.free).is_some());
        let ticks = ticks_y.with_x(&figure.x, &frame, page.text_px);
        let flags = flags::place(figure, &frame, &page, rows, theme);
        let lines = lines::around(&page, &frame, &ticks, &headings, rows, theme);
        let mut layout = Self { frame, ticks, labels, page, traces, flags, lines, words: Vec::new() };
        if rows.words == 0.0 && !layout.shows_curves() {
            // The name of a curve beyond an edge says where it is, so no words are needed.
            let words = figure.words.as_deref().or((!has_values(figure)).then_some(nothing()));
            layout.words = words.map(|words| lines::in_plot(words, &page, &frame.plot, theme)).unwrap_or_default();
        }
        layout
    }

    /// Whether any part of any curve is inside the plot.
    pub fn shows_curves(&self) -> bool {
        self.traces.iter().any(|trace| !(trace.lines.is_empty() && trace.marks.is_empty()))
    }
}

fn headings(figure: &Figure) -> Headings<'_> {
    let words = figure.words.as_deref().filter(|_| has_values(figure));
    Headings { title: figure.title.as_deref(), words, x: &figure.x, y: &figure.y, n_flags: 0, key: 0.0 }
}

/// The plot between these rows, the ticks of its vertical axis, and the column of names beside it.
fn framed(figure: &Figure, page: &Page, rows: Rows) -> (Frame, Ticks, Column) {
    let (top, height) = rows.plot(page);
    let side = Frame::new(Rect { left: 0.0, top, width: 0.0, height }, &figure.x, &figure.y);
    let ticks = if is_empty(figure) { Ticks::default() } else { Ticks::of_y(&figure.y, &side, page.text_px) };
    let (left, column) = columns(figure, page, &ticks.y);
    let width = (column.left - column.signs - gap(&column) - left).max(0.0);
    let plot = Rect { left, top, width, height };
    (Frame::new(plot, &figure.x, &figure.y), ticks, column)
}

/// Whether any curve has a value that the axes could show.
fn has_values(figure: &Figure) -> bool {
    let mut points = figure.curves.iter().flat_map(|curve| &curve.points);
    points.any(|point| figure.x.scale.shows(point.x) && figure.y.scale.shows(point.y))
}

/// Whether there is no curve and no level to draw.
fn is_empty(figure: &Figure) -> bool {
    !has_values(figure) && !figure.levels.iter().any(|level| figure.y.scale.shows(level.value))
}

/// Space between plot and names, wide enough for a leader; a leader that ends before a marker has only this space.
fn gap(column: &Column) -> f64 {
    column.text_px * if column.signs > 0.0 { 1.2 } else { 0.9 }
}

/// Left edge of the plot, and the column of names. On a narrow surface names are shortened, then tick labels are
/// dropped.
fn columns(figure: &Figure, page: &Page, y_ticks: &[Tick]) -> (f64, Column) {
    let (t, all) = (page.text_px, page.free.width);
    let room = labels::widest(figure, t).min(0.36 * all);
    let room = if room < 4.0 * t { 0.0 } else { room };
    // Without names, half a tick label still sticks out at the lower right corner.
    let right = if room > 0.0 { room + MARGIN * t } else { 1.2 * t };
    // On a narrow surface the plot needs the room more than markers do.
    let signs = if room > 0.0 && all > 30.0 * t { labels::signs(figure, t) } else { 0.0 };
    (left_of_plot(page, y_ticks), Column { left: all - right, room, text_px: t, signs })
}

/// Left edge of a plot with these tick labels beside it; on a narrow surface, without them.
pub(super) fn left_of_plot(page: &Page, y_ticks: &[Tick]) -> f64 {
    let t = page.text_px;
    let numbers = y_ticks.iter().map(|tick| width(&tick.label, t, false)).fold(0.0, f64::max);
    let left = (2.0 * MARGIN + TICK) * t + numbers;
    if left > 0.3 * page.free.width { (MARGIN * t).min(0.1 * page.free.width) } else { left }
}

fn traces(figure: &Figure, frame: &Frame, text_px: f64) -> Vec<Trace> {
    let mut turn = 0;
    let trace = |(curve, aside): (&Curve, f64)| {
        let trace = Trace::new(frame, curve, turn);
        turn += usize::from(curve.kind == super::CurveKind::Measured);
        if curve.kind.is_points() { trace.beside(aside, &frame.plot) } else { trace }
    };
    figure.curves.iter().zip(asides(figure, frame, text_px)).map(trace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::Px;
    use crate::figure::hostile::{figure as hostile, surface};
    use crate::figure::{Axis, Curve, CurveKind, Level, Point, Role, Scale};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn figure() -> Figure {
        let points = (0..=200).map(|k| Point { x: k.into(), y: 1.9 * (-f64::from(k) / 30.0).exp() + 0.18 });
        let (role, kind, label) = (Role::FedLin, CurveKind::Measured, "FedLin".to_owned());
        let axis = |label: &str, range, scale, whole| Axis { label: label.to_owned(), range, scale, whole };
        Figure {
            title: Some("title".to_owned()),
            x: axis("round r", (0.0, 200.0), Scale::Linear, true),
            y: axis("estimation error", (0.1, 2.0), Scale::Log10, false),
            curves: vec![Curve { role, kind, label, points: points.collect(), band: vec![] }],
            levels: vec![Level { role: Role::ClientAlone, label: "client 1 alone".to_owned(), value: 0.25 }],
            marks: vec![],
            words: Some("some words".to_owned()),
        }
    }

    fn layout(figure: &Figure, size: (f64, f64)) -> Layout {
        Layout::new(figure, &Theme::LIGHT, Size::new(size.0, size.1, 1.0))
    }

    /// Checks which texts are written and which are left out, and that the plot keeps its share of the surface.
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
        assert_eq!(nothing, [super::nothing()]);
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
        assert!(!layout(&figure, (640.0, 400.0)).ticks.y.is_empty());
        figure.levels.clear();
        let layout = layout(&figure, (640.0, 400.0));
        assert!(layout.ticks.y.is_empty() && layout.ticks.y_minor.is_empty());
    }

    #[test]
    fn larger_type_takes_more_room() {
        let size = Size::new(960.0, 540.0, 1.0);
        let [light, projector] = [Theme::LIGHT, Theme::PROJECTOR].map(|theme| Layout::new(&figure(), &theme, size));
        assert!(projector.page.text_px > light.page.text_px);
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
            assert!(on(&layout.page.free, (plot.left, plot.top)), "{plot:?}, {what}");
            assert!(on(&layout.page.free, (plot.right(), plot.bottom())), "{plot:?}, {what}");
            for trace in &layout.traces {
                let outlines = trace.lines.iter().chain(&trace.bands).flatten();
                assert!(outlines.chain(&trace.marks).all(|&px| on(&plot, px)), "{trace:?}, {what}");
                assert!(trace.beyond.iter().all(|&(px, _)| on(&plot, px)), "{trace:?}, {what}");
                let ends = trace.bars.iter().flat_map(|bar| [(bar.x, bar.top.0), (bar.x, bar.bottom.0)]);
                assert!(ends.into_iter().all(|px| on(&plot, px)), "{trace:?}, {what}");
            }

            for flag in &layout.flags {
                let line = [(flag.x, flag.top), (flag.x, plot.bottom())];
                assert!(line.into_iter().chain(flag.dot).all(|px| on(&layout.page.free, px)), "{flag:?}, {what}");
            }

            let labels: Vec<_> =
                layout.labels.iter().map(|label| Line::of(label, layout.page.text_px, &Theme::LIGHT)).collect();
            let flags = layout.flags.iter().filter_map(|flag| flag.words.as_ref());
            let lines: Vec<_> = layout.lines.iter().chain(&labels).chain(flags).collect();
            for (idx, line) in lines.iter().enumerate() {
                let [left, top, right, bottom] = edges(line);
                assert!(
                    on(&layout.page.free, (left, top)) && on(&layout.page.free, (right, bottom)),
                    "{line:?}, {what}"
                );
                let over = lines[idx + 1..].iter().find(|other| overlap(line, other));
                assert!(over.is_none(), "{line:?} over {over:?}, {what}");
            }
        }
    }
}
