//! Names of marks above the plot: each stands like a flag at its line; names do not overlap, and no line crosses a
//! name.

use super::frame::{Frame, Px};
use super::lines::{Anchor, Line};
use super::page::Page;
use super::rows::{LINE, Rows};
use super::text::width;
use super::theme::Theme;
use super::{Figure, Mark, Point, Role};

/// A mark laid out on the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flag {
    pub role: Option<Role>,
    /// Place of its vertical line, and the line's upper end, in CSS pixels.
    pub x: f64,
    pub top: f64,
    pub dot: Option<Px>,
    /// Its name, if there is room.
    pub words: Option<Line>,
}

/// A place for a name: its line, its left and right end, and its row, counted from the plot up.
#[derive(Clone, Copy, Debug)]
struct Place {
    x: f64,
    left: f64,
    right: f64,
    row: usize,
}

/// Distance of a name from its line, and the free space needed around it, in font sizes.
const PAD: f64 = 0.35;
const CLEAR: f64 = 0.2;

impl Place {
    /// Whether the two names touch, or one name touches the other's line, which crosses all rows below its own name.
    fn disturbs(&self, other: &Place, clear: f64) -> bool {
        let crosses = |name: &Place, line: &Place| {
            line.row > name.row && name.left - clear < line.x && line.x < name.right + clear
        };
        let ends = |place: &Place| (place.left.min(place.x), place.right.max(place.x));
        let (a, b) = (ends(self), ends(other));
        let touches = self.row == other.row && a.0 < b.1 + clear && b.0 < a.1 + clear;
        touches || crosses(self, other) || crosses(other, self)
    }
}

/// Number of rows that the names of a figure's marks need.
pub(super) fn rows(figure: &Figure, frame: &Frame, page: &Page) -> usize {
    let most = (0.1 * page.free.height / (LINE * page.text_px)).clamp(1.0, 3.0);
    let chosen = chosen(figure, frame, page, most);
    chosen.iter().filter_map(|(_, named)| named.as_ref()).map(|(_, place)| place.row + 1).max().unwrap_or(0)
}

/// Lays out every mark inside the plot.
pub(super) fn place(figure: &Figure, frame: &Frame, page: &Page, rows: Rows, theme: &Theme) -> Vec<Flag> {
    let (t, plot) = (page.text_px, frame.plot);
    let line = LINE * t;
    let flag = |(mark, named): (&Mark, Option<(String, Place)>)| {
        let color = mark.role.map_or(theme.ink, |role| theme.hue(role).text);
        let bottom = |row: usize| plot.top - 0.5 * t - line * row as f64;
        let top = named.as_ref().map_or(plot.top, |(_, place)| bottom(place.row) - line);
        let words = named.and_then(|(text, place)| {
            let at = (place.left, bottom(place.row) - 0.5 * line);
            Line { text, at, anchor: Anchor::Start, size: t, bold: false, color }.within(&page.free)
        });
        let dot = mark.y.map(|y| frame.px_of(Point { x: mark.x, y })).filter(|&at| plot.contains(at));
        Flag { role: mark.role, x: frame.place_of(mark.x), top, dot, words }
    };
    chosen(figure, frame, page, (rows.flags / line).round()).into_iter().map(flag).collect()
}

/// A mark, and its name with the name's place if there is room.
type Named<'a> = (&'a Mark, Option<(String, Place)>);

/// The marks inside the plot from left to right, named in at most `n_rows` rows. Names are placed one after the other,
/// from the right or from the left, whichever keeps more text.
fn chosen<'a>(figure: &'a Figure, frame: &Frame, page: &Page, n_rows: f64) -> Vec<Named<'a>> {
    let within = frame.plot.left..=frame.plot.right();
    let mut marks: Vec<(&Mark, f64)> = Vec::new();
    for mark in &figure.marks {
        let x = frame.place_of(mark.x);
        if within.contains(&x) {
            // There are few marks: sorting code would add more to the download than it would gain.
            marks.insert(marks.partition_point(|other| other.1 <= x), (mark, x));
        }
    }
    let legible = |named: &[Named]| -> usize {
        named.iter().filter_map(|(_, named)| named.as_ref()).map(|(text, _)| text.len()).sum()
    };
    let from_left = one_by_one(&marks, page, n_rows);
    marks.reverse();
    let mut from_right = one_by_one(&marks, page, n_rows);
    from_right.reverse();
    if legible(&from_left) > legible(&from_right) { from_left } else { from_right }
}

fn one_by_one<'a>(marks: &[(&'a Mark, f64)], page: &Page, n_rows: f64) -> Vec<Named<'a>> {
    let mut done: Vec<Named> = Vec::with_capacity(marks.len());
    for (idx, &(mark, x)) in marks.iter().enumerate() {
        let pending = &marks[idx + 1..];
        let taken: Vec<Place> = done.iter().filter_map(|(_, named)| named.as_ref()).map(|named| named.1).collect();
        done.push((mark, named(mark, x, page, n_rows, (&taken, pending))));
    }
    done
}

/// The longest name that fits, as low as possible, preferably right of its line, and clear of the lines still to be
/// named.
fn named(
    mark: &Mark,
    x: f64,
    page: &Page,
    n_rows: f64,
    (taken, pending): (&[Place], &[(&Mark, f64)]),
) -> Option<(String, Place)> {
    let (t, free) = (page.text_px, page.free);
    let full = format!("{} {}", mark.label, mark.detail);
    for text in [full.trim(), mark.label.as_str()].into_iter().filter(|text| !text.is_empty()) {
        let (room, pad) = (width(text, t, false), PAD * t);
        for row in (0..3_usize).filter(|&row| row as f64 + 1.0 <= n_rows) {
            for left in [x + pad, x - pad - room] {
                let place = Place { x, left, right: left + room, row };
                let blocks = |line: f64| place.left - CLEAR * t < line && line < place.right + CLEAR * t;
                let is_free = row > 0 || !pending.iter().any(|&(_, line)| blocks(line));
                let is_on = free.left <= place.left && place.right <= free.right();
                if is_on && is_free && !taken.iter().any(|other| place.disturbs(other, CLEAR * t)) {
                    return Some((text.to_owned(), place));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::layout::Layout;
    use crate::figure::{Axis, Scale, Size};

    /// A figure with marks (abscissa, name, detail) on an axis from 0 to 100.
    fn figure(marks: &[(f64, &str, &str)]) -> Figure {
        let axis = || Axis { label: "axis".to_owned(), range: (0.0, 100.0), scale: Scale::Linear, whole: false };
        let mark = |&(x, label, detail): &(f64, &str, &str)| Mark {
            role: None,
            x,
            y: Some(50.0),
            label: label.to_owned(),
            detail: detail.to_owned(),
        };
        let marks = marks.iter().map(mark).collect();
        Figure { title: None, x: axis(), y: axis(), curves: vec![], levels: vec![], marks, words: None }
    }

    fn flags(figure: &Figure, size: (f64, f64)) -> Vec<Flag> {
        Layout::new(figure, &Theme::LIGHT, Size::new(size.0, size.1, 1.0)).flags
    }

    /// Checks the names, and the number of rows that they take.
    #[track_caller]
    fn check(marks: &[(f64, &str, &str)], size: (f64, f64), names: &[&str], n_rows: usize) {
        let found = flags(&figure(marks), size);
        let words: Vec<_> = found.iter().filter_map(|flag| flag.words.as_ref()).collect();
        assert_eq!(words.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), names);
        let mut heights: Vec<_> = words.iter().map(|line| line.at.1).collect();
        heights.sort_by(f64::total_cmp);
        heights.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
        assert_eq!(heights.len(), n_rows, "{heights:?}");
    }

    const WIDE: (f64, f64) = (960.0, 540.0);

    #[test]
    fn names_stand_in_one_row_where_they_can() {
        check(&[], WIDE, &[], 0);
        check(&[(50.0, "break-even", "ε ≈ 0.31")], WIDE, &["break-even ε ≈ 0.31"], 1);
        check(&[(20.0, "one", ""), (60.0, "two", "")], WIDE, &["one", "two"], 1);
        check(&[(50.0, "one", ""), (51.0, "two", "")], WIDE, &["one", "two"], 1);
        check(&[(50.0, "one", ""), (50.0, "two", "")], WIDE, &["one", "two"], 2);
        check(&[(51.0, "two", ""), (52.0, "three", ""), (50.0, "one", "")], WIDE, &["one", "two", "three"], 2);
        check(&[(-1.0, "out", ""), (f64::NAN, "side", "")], WIDE, &[], 0);
    }

    #[test]
    fn details_go_before_names() {
        let long = "where joining stops to pay for client 1, by prediction";
        check(&[(50.0, "break-even", long)], (320.0, 240.0), &["break-even"], 1);
        check(&[(50.0, "break-even", long)], (60.0, 50.0), &[], 0);
        let close = [(50.0, "break-even", "0.50"), (55.0, "this run", "0.55")];
        check(&close, (320.0, 240.0), &["break-even 0.50", "this run 0.55"], 1);
    }

    #[test]
    fn at_the_right_edge_a_name_is_left_of_its_line() {
        let found = flags(&figure(&[(99.9, "at the very end", "")]), WIDE);
        let (_, end) = found[0].words.as_ref().expect("there is room").extent();
        assert!(end < found[0].x);
    }

    #[test]
    fn a_line_leads_from_its_name_down_and_has_its_dot() {
        let found = flags(&figure(&[(50.0, "one", ""), (51.0, "two", "")]), WIDE);
        let higher = |flag: &Flag| flag.words.as_ref().expect("there is room").at.1 - flag.top;
        assert!(
            found.iter().all(|flag| higher(flag) > 0.0 && flag.dot.is_some_and(|dot| (dot.0 - flag.x).abs() < 1e-9))
        );
    }
}
