//! Every line of text but the labels, in its place.

use super::frame::{Px, Rect};
use super::labels::Label;
use super::layout::{LINE, Layout, MARGIN, TICK, has_values};
use super::rows::Rows;
use super::text::{balanced, shortened, width, wrapped};
use super::theme::Theme;
use super::ticks::Tick;
use super::{Figure, Point};
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

/// Which part of a line of text is where it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// What a figure says when it has nothing to draw and no words for it.
pub(super) const NOTHING: &str = "No value to draw on these axes";
/// Size of a title, in sizes of the other type.
const TITLE: f64 = 1.15;

impl Layout {
    /// Titles, numbers, words: every line of text but the labels.
    pub(super) fn write(&mut self, figure: &Figure, theme: &Theme, rows: Rows) {
        let mut lines = self.headings(figure, theme, rows);
        if rows.x_numbers > 0.0 {
            lines.extend(self.x_numbers(theme, rows));
        }
        lines.extend(self.y_numbers(theme));
        let free = self.free;
        self.lines = lines.into_iter().filter_map(|line| line.within(&free)).collect();
        if rows.words == 0.0 && !self.shows_curves() {
            // Of a curve beyond an edge its name tells.
            let words = figure.words.as_deref().or((!has_values(figure)).then_some(NOTHING));
            self.words = words.map(|words| self.words_in_plot(words, theme)).unwrap_or_default();
        }
    }

    fn headings(&self, figure: &Figure, theme: &Theme, rows: Rows) -> Vec<Line> {
        let t = self.text_px;
        let left = MARGIN * t;
        let room = (self.free.width - 2.0 * left).max(0.0);
        let mut lines = Vec::new();
        let mut add = |text: &str, at: Px, anchor, size: f64, bold, color| {
            lines.extend(shortened(text, size, bold, room).map(|text| Line { text, at, anchor, size, bold, color }));
        };
        let mut top = self.free.top + left;
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
            let (x, _) = self.frame.px_of(Point { x: tick.value, y: f64::NAN });
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
            Line { text, at, anchor: Anchor::Middle, size: t, bold: false, color: theme.ink }.within(&self.free)
        };
        texts.into_iter().enumerate().filter_map(line).collect()
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
