//! The key of a map: a slim bar of colors with numbers, and words at its ends; right of the map or, on a narrow
//! surface, below it.

use super::{HeatMap, Key, Ramp, Shade};
use crate::figure::frame::{Px, Rect};
use crate::figure::lines::{Anchor, Line};
use crate::figure::number::number;
use crate::figure::page::Page;
use crate::figure::rows::{LINE, MARGIN, Rows, TICK};
use crate::figure::text::{shortened, width, wrapped};
use crate::figure::theme::Theme;
use plotters::style::RGBColor;

/// The key laid out on the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeyBar {
    /// Pieces of the bar, and their shades.
    pub pieces: Vec<(Rect, Shade)>,
    /// Ticks beside the bar, as rectangles of no thickness.
    pub ticks: Vec<Rect>,
    pub lines: Vec<Line>,
}

/// Thickness of the bar, and length of its part for diverging values, in font sizes.
const BAR: f64 = 0.9;
const BEYOND: f64 = 1.2;
/// Distance of a key from the plot beside it, in font sizes.
const GAP: f64 = 1.2;

/// Width of a key beside the map, in CSS pixels; `None` on a surface that is too narrow for both.
pub(super) fn beside(page: &Page) -> Option<f64> {
    let t = page.text_px;
    (page.free.width >= 44.0 * t).then(|| (0.2 * page.free.width).clamp(9.0 * t, 13.0 * t))
}

/// Height of a key below the map, in font sizes: words, bar, numbers, and on a taller surface the quantity.
pub(super) fn below(page: &Page) -> f64 {
    let label = if has_label_below(page) { LINE } else { 0.0 };
    label + LINE + 0.2 + BAR + TICK + LINE + 0.3
}

fn has_label_below(page: &Page) -> bool {
    page.free.height >= 26.0 * page.text_px
}

/// A straight bar along which the ramp runs, upwards or to the right.
struct Bar {
    ramp: Ramp,
    is_upright: bool,
    /// Its left or its lower end.
    start: Px,
    length: f64,
    text_px: f64,
}

impl Bar {
    /// The piece from one length along the bar to another.
    fn rect(&self, from: f64, to: f64) -> Rect {
        let ((x, y), thick) = (self.start, BAR * self.text_px);
        if self.is_upright {
            Rect { left: x, top: y - to, width: thick, height: to - from }
        } else {
            Rect { left: x + from, top: y, width: to - from, height: thick }
        }
    }

    /// Length of the ramp; the rest of the bar is for diverging values.
    fn own(&self) -> f64 {
        match self.ramp {
            Ramp::Diverging { .. } => self.length,
            Ramp::Contraction => (self.length - BEYOND * self.text_px).max(0.5 * self.length),
        }
    }

    fn pieces(&self) -> Vec<(Rect, Shade)> {
        let own = self.own();
        let n = Shade::ramp().len() as f64;
        // Each piece reaches under the next one, which is painted later, so that no seam shows.
        let step = |(k, shade)| (self.rect(own * k as f64 / n, own * ((k + 2) as f64).min(n) / n), shade);
        let beyond = (own < self.length).then(|| (self.rect(own, self.length), Shade::Diverges));
        Shade::ramp().enumerate().map(step).chain(beyond).collect()
    }

    /// The numbers and their places along the bar: all of them or, where these do not fit, the first, the middle and
    /// the last.
    fn numbers(&self) -> Vec<(String, f64)> {
        let number = |value: f64| (number(value), self.own() * self.ramp.place(value));
        let all: Vec<(String, f64)> = self.ramp.marks().into_iter().map(number).collect();
        let last = all.len().saturating_sub(1);
        let few = all.iter().enumerate().filter(|(idx, _)| [0, last / 2, last].contains(idx));
        let few: Vec<(String, f64)> = few.map(|(_, kept)| kept.clone()).collect();
        [all, few].into_iter().find(|numbers| !self.is_crowded(numbers)).unwrap_or_default()
    }

    /// Whether neighboring numbers would touch.
    fn is_crowded(&self, numbers: &[(String, f64)]) -> bool {
        let t = self.text_px;
        let room = |text: &str| if self.is_upright { 1.2 * t } else { width(text, t, false) + t };
        numbers.windows(2).any(|pair| pair[1].1 - pair[0].1 < 0.5 * (room(&pair[0].0) + room(&pair[1].0)))
    }

    /// The tick at a length along the bar, a rectangle of no thickness.
    fn tick(&self, at: f64) -> Rect {
        let ((x, y), thick, long) = (self.start, BAR * self.text_px, TICK * self.text_px);
        if self.is_upright {
            Rect { left: x + thick, top: y - at, width: long, height: 0.0 }
        } else {
            Rect { left: x + at, top: y + thick, width: 0.0, height: long }
        }
    }

    /// A number beside its tick.
    fn number(&self, text: String, at: f64, theme: &Theme) -> Line {
        let (t, tick) = (self.text_px, self.tick(at));
        if self.is_upright {
            line(text, (tick.right() + 0.7 * TICK * t, tick.top), Anchor::Start, t, theme.quiet)
        } else {
            line(text, (tick.left, tick.bottom() + 0.5 * LINE * t), Anchor::Middle, t, theme.quiet)
        }
    }
}

fn line(text: String, at: Px, anchor: Anchor, size: f64, color: RGBColor) -> Line {
    Line { text, at, anchor, size, bold: false, color }
}

impl KeyBar {
    /// Right of the plot, in a column `room` wide. From the top: the quantity, the words of the high end, the bar, the
    /// words of the low end.
    pub(super) fn beside(map: &HeatMap, plot: &Rect, page: &Page, room: f64, theme: &Theme) -> Self {
        let (t, left) = (page.text_px, plot.right() + GAP * page.text_px);
        let Key { label, low, high } = &map.key;
        let [label, high, low] = [label, high, low].map(|words| wrapped(words, t, room - (GAP + MARGIN) * t));
        let height = |words: &[String]| LINE * t * words.len() as f64;
        // On a low plot, the quantity is dropped first, then the words.
        let leaves_bar = |words: f64| plot.height - words - 1.2 * t >= 6.0 * t;
        let (mut top, mut bottom) = (plot.top, plot.bottom());
        let mut lines = Vec::new();
        let ends = height(&high) + height(&low);
        // Words begin and end level with the plot; there is less space above letters than between lines.
        if leaves_bar(ends + height(&label)) {
            lines.extend(column(&label, (left, top - 0.4 * t), t, theme.ink));
            top += height(&label) + 0.5 * t;
        }
        if leaves_bar(ends) {
            lines.extend(column(&high, (left, top - 0.4 * t), t, theme.quiet));
            lines.extend(column(&low, (left, bottom + 0.4 * t - height(&low)), t, theme.quiet));
            top += height(&high) + 0.2 * t;
            bottom -= height(&low) + 0.2 * t;
        }
        let length = (bottom - top).max(0.0);
        Self::new(
            &Bar { ramp: map.ramp, is_upright: true, start: (left, bottom), length, text_px: t },
            lines,
            page,
            theme,
        )
    }

    /// Below the plot with its tick labels and its title: the quantity, the words of both ends, the bar.
    pub(super) fn below(map: &HeatMap, plot: &Rect, page: &Page, rows: Rows, theme: &Theme) -> Self {
        let (t, left, length) = (page.text_px, plot.left, plot.width);
        if rows.key <= 0.0 {
            return Self::default();
        }
        let Key { label, low, high } = &map.key;
        let mut top = plot.bottom() + rows.x_numbers + rows.x_title + 0.3 * t;
        let mut lines = Vec::new();
        if has_label_below(page) {
            let label = shortened(label, t, false, length);
            lines.extend(label.map(|text| line(text, (left, top + 0.5 * LINE * t), Anchor::Start, t, theme.ink)));
            top += LINE * t;
        }
        let wanted = width(low, t, false) + width(high, t, false) + t;
        let share = if wanted <= length { 1.0 } else { (length - t) / wanted };
        for (words, x, anchor) in [(low, left, Anchor::Start), (high, left + length, Anchor::End)] {
            let text = shortened(words, t, false, share * width(words, t, false) + 1e-9);
            lines.extend(text.map(|text| line(text, (x, top + 0.5 * LINE * t), anchor, t, theme.quiet)));
        }
        let start = (left, top + (LINE + 0.2) * t);
        Self::new(&Bar { ramp: map.ramp, is_upright: false, start, length, text_px: t }, lines, page, theme)
    }

    /// A bar with these words around it, without the parts that do not fit on the page.
    fn new(bar: &Bar, mut lines: Vec<Line>, page: &Page, theme: &Theme) -> Self {
        let (mut pieces, numbers) = (bar.pieces(), bar.numbers());
        let mut ticks: Vec<Rect> = numbers.iter().map(|&(_, at)| bar.tick(at)).collect();
        lines.extend(numbers.into_iter().map(|(text, at)| bar.number(text, at, theme)));
        pieces.retain(|(rect, _)| rect.is_in(&page.free));
        ticks.retain(|tick| tick.is_in(&page.free));
        Self { pieces, ticks, lines: lines.into_iter().filter_map(|line| line.within(&page.free)).collect() }
    }
}

/// Lines one below the other, from this place down.
fn column(words: &[String], (left, top): Px, size: f64, color: RGBColor) -> impl Iterator<Item = Line> {
    let at = move |idx: usize| (left, top + (idx as f64 + 0.5) * LINE * size);
    words.iter().enumerate().map(move |(idx, text)| line(text.clone(), at(idx), Anchor::Start, size, color))
}
