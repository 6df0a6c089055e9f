//! Lays out all lines of text but the labels.

use super::frame::{Frame, Px, Rect};
use super::labels::Label;
use super::page::{Headings, Page};
use super::rows::{LINE, MARGIN, Rows, TICK};
use super::text::{balanced, shortened, width, wrapped};
use super::theme::Theme;
use super::ticks::{Tick, Ticks};
use fedsysid_say::say;
use plotters::style::RGBColor;

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

/// The part of a line of text that lies at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// The words of a figure that has nothing to draw and no words of its own.
pub(super) fn nothing() -> &'static str {
    say!("No value to draw on these axes")
}
/// Size of a title, relative to other text.
const TITLE: f64 = 1.15;

/// The texts around a plot: titles of the picture and of its axes, words, tick labels.
pub(super) fn around(
    page: &Page,
    frame: &Frame,
    ticks: &Ticks,
    headings: &Headings,
    rows: Rows,
    theme: &Theme,
) -> Vec<Line> {
    let mut lines = titles(page, frame, headings, rows, theme);
    if rows.x_numbers > 0.0 {
        lines.extend(x_numbers(page, frame, ticks, rows, theme));
    }
    lines.extend(y_numbers(page, frame, ticks, theme));
    lines.into_iter().filter_map(|line| line.within(&page.free)).collect()
}

fn titles(page: &Page, frame: &Frame, headings: &Headings, rows: Rows, theme: &Theme) -> Vec<Line> {
    let (t, color) = (page.text_px, theme.ink);
    let left = MARGIN * t;
    let room = (page.free.width - 2.0 * left).max(0.0);
    let mut lines = Vec::new();
    let mut add = |text: &str, at: Px, anchor, size: f64, bold| {
        lines.extend(shortened(text, size, bold, room).map(|text| Line { text, at, anchor, size, bold, color }));
    };
    let mut top = page.free.top + left;
    if let (true, Some(title)) = (rows.title > 0.0, headings.title) {
        add(title, (left, top + 0.5 * rows.title), Anchor::Start, TITLE * t, true);
    }
    top += rows.title;
    if let (true, Some(words)) = (rows.words > 0.0, headings.words) {
        for (idx, line) in wrapped(words, t, room).iter().enumerate() {
            add(line, (left, top + (idx as f64 + 0.5) * LINE * t), Anchor::Start, t, false);
        }
    }
    top += rows.words;
    if rows.y_title > 0.0 {
        add(&headings.y.label, (left, top + 0.5 * LINE * t), Anchor::Start, t, false);
    }
    if rows.x_title > 0.0 {
        let y = frame.plot.bottom() + rows.x_numbers + 0.5 * rows.x_title;
        add(&headings.x.label, (frame.plot.right(), y), Anchor::End, t, false);
    }
    lines
}

fn x_numbers(page: &Page, frame: &Frame, ticks: &Ticks, rows: Rows, theme: &Theme) -> Vec<Line> {
    let y = frame.plot.bottom() + TICK * page.text_px + 0.5 * (rows.x_numbers - TICK * page.text_px);
    let line = |tick: &Tick| Line::number(tick, (frame.place_of(tick.value), y), Anchor::Middle, page.text_px, theme);
    ticks.x.iter().map(line).collect()
}

fn y_numbers(page: &Page, frame: &Frame, ticks: &Ticks, theme: &Theme) -> Vec<Line> {
    let x = frame.plot.left - (TICK + 0.3) * page.text_px;
    let line = |tick: &Tick| Line::number(tick, (x, frame.height_of(tick.value)), Anchor::End, page.text_px, theme);
    ticks.y.iter().map(line).filter(|line| line.extent().0 >= 0.0).collect()
}

/// Words in the middle of an empty plot.
pub(super) fn in_plot(words: &str, page: &Page, plot: &Rect, theme: &Theme) -> Vec<Line> {
    let t = page.text_px;
    let middle = (plot.left + 0.5 * plot.width, plot.top + 0.45 * plot.height);
    let texts = balanced(words, t, (plot.width - 2.0 * t).min(34.0 * t));
    let first = middle.1 - 0.5 * LINE * t * (texts.len() as f64 - 1.0);
    let line = |(idx, text)| {
        let at = (middle.0, first + LINE * t * idx as f64);
        Line { text, at, anchor: Anchor::Middle, size: t, bold: false, color: theme.ink }.within(&page.free)
    };
    texts.into_iter().enumerate().filter_map(line).collect()
}

impl Line {
    /// The line of text of a label.
    pub(super) fn of(label: &Label, size: f64, theme: &Theme) -> Self {
        let Label { text, at, bold, .. } = label.clone();
        Self { text, at, anchor: Anchor::Start, size, bold, color: theme.hue(label.role).text }
    }

    /// The line of text of a tick's label.
    pub(super) fn number(tick: &Tick, at: Px, anchor: Anchor, size: f64, theme: &Theme) -> Self {
        Self { text: tick.label.clone(), at, anchor, size, bold: false, color: theme.quiet }
    }

    /// The line moved sideways onto the surface; `None` if it is higher or wider than the surface.
    pub(super) fn within(mut self, surface: &Rect) -> Option<Self> {
        let (start, end) = self.extent();
        let shift = (surface.left - start).max(0.0) - (end - surface.right()).max(0.0);
        self.at.0 += shift;
        let (start, end) = self.extent();
        let half = 0.5 * self.size;
        let inside = |x, y| surface.contains((x, y));
        (inside(start, self.at.1 - half) && inside(end, self.at.1 + half)).then_some(self)
    }

    /// Its left and right end, in CSS pixels.
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
