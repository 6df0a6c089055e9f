//! What the colors mean: a slim bar with numbers, and words at its ends; right of the map or, on a narrow surface, below it.

use super::{HeatMap, Key, Ramp, Shade};
use crate::figure::frame::Rect;
use crate::figure::lines::{Anchor, Line};
use crate::figure::number::number;
use crate::figure::page::Page;
use crate::figure::rows::{LINE, MARGIN, Rows, TICK};
use crate::figure::text::{shortened, width, wrapped};
use crate::figure::theme::Theme;
use plotters::style::RGBColor;

/// The key in its place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeyBar {
    /// Pieces of the bar, and their shades.
    pub pieces: Vec<(Rect, Shade)>,
    /// Ticks beside the bar: from where to where.
    pub ticks: Vec<Rect>,
    pub lines: Vec<Line>,
}

/// Thickness of the bar, and how much of it stands for what diverges, in font sizes.
const BAR: f64 = 0.9;
const BEYOND: f64 = 1.2;

/// Width of a key beside the map; none on a surface that is too narrow for both.
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

/// A straight bar from the ramp's low end to its high end: its length, where its start is, and which way it goes.
struct Bar<'a> {
    ramp: Ramp,
    length: f64,
    /// The rectangle from one length along the bar to another.
    rect: &'a dyn Fn(f64, f64) -> Rect,
}

impl Bar<'_> {
    /// The ramp's own length; what is left stands for what diverges.
    fn own(&self, t: f64) -> f64 {
        match self.ramp {
            Ramp::Diverging { .. } => self.length,
            Ramp::Contraction => (self.length - BEYOND * t).max(0.5 * self.length),
        }
    }

    fn pieces(&self, t: f64) -> Vec<(Rect, Shade)> {
        let own = self.own(t);
        let n = Shade::ramp().len() as f64;
        // Each reaches under the next, which is painted later, so that no seam shows.
        let step = |(k, shade)| ((self.rect)(own * k as f64 / n, own * ((k + 2) as f64).min(n) / n), shade);
        let beyond = (own < self.length).then(|| ((self.rect)(own, self.length), Shade::Diverges));
        Shade::ramp().enumerate().map(step).chain(beyond).collect()
    }

    /// The numbers, and where along the bar they are: all, or where these have no room, the first, the middle and the last.
    fn numbers(&self, t: f64, room: impl Fn(&str) -> f64) -> Vec<(String, f64)> {
        let own = self.own(t);
        let number = |value: f64| (number(value), own * self.ramp.place(value));
        let all: Vec<(String, f64)> = self.ramp.marks().into_iter().map(number).collect();
        let touches = |pair: &[(String, f64)]| pair[1].1 - pair[0].1 < 0.5 * (room(&pair[0].0) + room(&pair[1].0));
        let crowded = |numbers: &[(String, f64)]| numbers.windows(2).any(touches);
        let last = all.len().saturating_sub(1);
        let few = || {
            all.iter().enumerate().filter(|(idx, _)| [0, last / 2, last].contains(idx)).map(|(_, kept)| kept.clone())
        };
        let tried = if crowded(&all) { few().collect() } else { all.clone() };
        if crowded(&tried) { Vec::new() } else { tried }
    }
}

impl KeyBar {
    /// Right of the plot.
    pub(super) fn beside(map: &HeatMap, plot: &Rect, page: &Page, room: f64, theme: &Theme) -> Self {
        let t = page.text_px;
        let left = plot.right() + 1.2 * t;
        let room = room - 1.2 * t - MARGIN * t;
        let Key { label, low, high } = &map.key;
        let [label, high, low] = [label, high, low].map(|words| wrapped(words, t, room));
        let line = LINE * t;
        let height = |words: &[String]| line * words.len() as f64;
        let mut lines = Vec::new();
        // On a low plot, the quantity goes, then the words.
        let with = |words: f64| plot.height - words - 1.2 * t >= 6.0 * t;
        let ends = height(&high) + height(&low);
        let mut add = |words: &[String], top: f64, color: RGBColor| {
            let at = |idx: usize| (left, top + (idx as f64 + 0.5) * line);
            let text = |(idx, text): (usize, &String)| Line {
                text: text.clone(),
                at: at(idx),
                anchor: Anchor::Start,
                size: t,
                bold: false,
                color,
            };
            lines.extend(words.iter().enumerate().map(text));
        };
        let (mut top, mut bottom) = (plot.top - 0.4 * t, plot.bottom() + 0.4 * t);
        if with(ends + height(&label)) {
            add(&label, top, theme.ink);
            top += height(&label) + 0.5 * t;
        }
        if with(ends) {
            add(&high, top, theme.quiet);
            add(&low, bottom - height(&low), theme.quiet);
            top += height(&high) + 0.2 * t;
            bottom -= height(&low) + 0.2 * t;
        }
        let (top, bottom) = (top + 0.4 * t, bottom - 0.4 * t);
        let rect = |from: f64, to: f64| Rect { left, top: bottom - to, width: BAR * t, height: to - from };
        let bar = Bar { ramp: map.ramp, length: (bottom - top).max(0.0), rect: &rect };
        let numbers = bar.numbers(t, |_| 1.2 * t);
        let x = left + BAR * t;
        let ticks = numbers.iter().map(|&(_, at)| Rect { left: x, top: bottom - at, width: TICK * t, height: 0.0 });
        let ticks = ticks.collect();
        lines.extend(numbers.into_iter().map(|(text, at)| {
            let at = (x + 1.7 * TICK * t, bottom - at);
            Line { text, at, anchor: Anchor::Start, size: t, bold: false, color: theme.quiet }
        }));
        Self { pieces: bar.pieces(t), ticks, lines }.within(&page.free)
    }

    /// Below the plot, its numbers and its title.
    pub(super) fn below(map: &HeatMap, plot: &Rect, page: &Page, rows: Rows, theme: &Theme) -> Self {
        let t = page.text_px;
        if rows.key <= 0.0 {
            return Self::default();
        }
        let (left, length) = (plot.left, plot.width);
        let mut top = plot.bottom() + rows.x_numbers + rows.x_title + 0.3 * t;
        let mut lines = Vec::new();
        let mut add = |text: &str, at: (f64, f64), anchor, room: f64, color: RGBColor| {
            lines.extend(shortened(text, t, false, room).map(|text| Line {
                text,
                at,
                anchor,
                size: t,
                bold: false,
                color,
            }));
        };
        let Key { label, low, high } = &map.key;
        if has_label_below(page) {
            add(label, (left, top + 0.5 * LINE * t), Anchor::Start, length, theme.ink);
            top += LINE * t;
        }
        let wanted = width(low, t, false) + width(high, t, false) + t;
        let room = |text: &str| if wanted <= length { length } else { (length - t) * width(text, t, false) / wanted };
        add(low, (left, top + 0.5 * LINE * t), Anchor::Start, room(low), theme.quiet);
        add(high, (left + length, top + 0.5 * LINE * t), Anchor::End, room(high), theme.quiet);
        top += (LINE + 0.2) * t;
        let rect = |from: f64, to: f64| Rect { left: left + from, top, width: to - from, height: BAR * t };
        let bar = Bar { ramp: map.ramp, length, rect: &rect };
        let numbers = bar.numbers(t, |text| width(text, t, false) + t);
        let foot = top + BAR * t;
        let ticks = numbers.iter().map(|&(_, at)| Rect { left: left + at, top: foot, width: 0.0, height: TICK * t });
        let ticks = ticks.collect();
        lines.extend(numbers.into_iter().map(|(text, at)| {
            let at = (left + at, foot + (TICK + 0.5 * LINE) * t);
            Line { text, at, anchor: Anchor::Middle, size: t, bold: false, color: theme.quiet }
        }));
        Self { pieces: bar.pieces(t), ticks, lines }.within(&page.free)
    }

    /// What of it is on the surface.
    fn within(mut self, free: &Rect) -> Self {
        self.pieces.retain(|(rect, _)| rect.is_in(free));
        self.ticks.retain(|tick| tick.is_in(free));
        self.lines = self.lines.into_iter().filter_map(|line| line.within(free)).collect();
        self
    }
}
