//! Layout of a map: pure geometry in CSS pixels, used for drawing and for the pointer.

use super::cells::Cells;
use super::isoline::Isoline;
use super::key::{self, KeyBar};
use super::tags::{Ground, Tag};
use super::{Check, HeatMap, Ramp, Shade};
use crate::figure::frame::{Frame, Px, Rect};
use crate::figure::layout::left_of_plot;
use crate::figure::lines::{self, Line, nothing};
use crate::figure::page::{Headings, Page};
use crate::figure::rows::Rows;
use crate::figure::theme::Theme;
use crate::figure::ticks::Ticks;
use crate::figure::{Point, Size};

/// A map laid out on a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatLayout {
    /// The plot, and the conversion between data and pixels.
    pub frame: Frame,
    pub(super) ramp: Ramp,
    pub(super) page: Page,
    pub(super) ticks: Ticks,
    pub(super) cells: Cells,
    pub(super) isolines: Vec<Isoline>,
    pub(super) tags: Vec<Tag>,
    /// Places of the checks, and the shades of their values.
    pub(super) dots: Vec<(Px, Shade)>,
    pub(super) handle: Option<Px>,
    pub(super) key: KeyBar,
    pub(super) lines: Vec<Line>,
    /// Words on a background of paper, in place of a map without any known value.
    pub(super) words: Vec<Line>,
}

impl HeatLayout {
    /// Lays a map out. Never fails: for any data, and on however small a surface, everything lies on the surface.
    pub fn new(map: &HeatMap, theme: &Theme, size: Size) -> Self {
        let page = Page::new(theme, size);
        let beside = key::beside(&page);
        let is_known = map.values.iter().any(|&value| map.ramp.shade(value) != Shade::Unknown);
        let headings = Headings {
            title: map.title.as_deref(),
            words: map.words.as_deref().filter(|_| is_known),
            x: &map.x,
            y: &map.y,
            n_flags: 0,
            key: if beside.is_some() { 0.0 } else { key::below(&page) },
        };
        let rows = Rows::fitting(&headings, &page);
        let (frame, ticks) = framed(map, &page, rows, beside);
        let key = match beside {
            Some(room) => KeyBar::beside(map, &frame.plot, &page, room, theme),
            None => KeyBar::below(map, &frame.plot, &page, rows, theme),
        };
        let lines = lines::around(&page, &frame, &ticks, &headings, rows, theme);
        let cells = Cells::new(map, &frame);
        let isolines: Vec<_> =
            map.contours.iter().map(|contour| Isoline::new(contour, map, &cells, &frame.plot)).collect();
        let place = |(x, y)| Some(frame.px_of(Point { x, y })).filter(|&at| frame.plot.contains(at));
        let dot = |check: &Check| Some((place((check.x, check.y))?, map.ramp.shade(check.value)));
        let dots: Vec<_> = map.checks.iter().filter_map(dot).filter(|(_, shade)| *shade != Shade::Unknown).collect();
        let handle = map.handle.and_then(place);
        let words = map.words.as_deref().unwrap_or(nothing());
        let words = if cells.has_values() { Vec::new() } else { lines::in_plot(words, &page, &frame.plot, theme) };
        let layout = Self {
            frame,
            ramp: map.ramp,
            page,
            ticks,
            cells,
            isolines,
            tags: Vec::new(),
            dots,
            handle,
            key,
            lines,
            words,
        };
        Self { tags: layout.tags(map, theme), ..layout }
    }

    /// Abscissa and ordinate at a place; `None` outside the plot.
    pub fn at(&self, px: Px) -> Option<(f64, f64)> {
        self.frame.plot.contains(px).then(|| (self.frame.x_at(px.0), self.frame.y_at(px.1)))
    }

    /// Abscissa and ordinate at the nearest place in the plot, for dragging a handle.
    pub fn nearest(&self, px: Px) -> (f64, f64) {
        let (x, y) = self.frame.plot.nearest(px);
        (self.frame.x_at(x), self.frame.y_at(y))
    }

    /// Column and row of the cell at a place; its value is `values[row * xs.len() + column]`. `None` outside the cells.
    pub fn cell(&self, px: Px) -> Option<(usize, usize)> {
        self.cells.at(px)
    }

    /// The place of an abscissa and an ordinate. Values beyond the axes, such as 0 on a logarithmic axis, go to the
    /// edge; values that an axis cannot show become NaN.
    pub fn place(&self, x: f64, y: f64) -> Px {
        let off_zero = |value: f64| if value == 0.0 { f64::MIN_POSITIVE } else { value };
        let (px, py) = self.frame.px_of(Point { x: off_zero(x), y: off_zero(y) });
        let plot = self.frame.plot;
        // Not `max` and `min`, which would move NaN to an edge.
        (px.clamp(plot.left, plot.right()), py.clamp(plot.top, plot.bottom()))
    }

    /// The outline of a cell, for highlighting; `None` if there is no such cell.
    pub fn outline(&self, column: usize, row: usize) -> Option<Rect> {
        let (left, right) = (*self.cells.columns.get(column)?, *self.cells.columns.get(column + 1)?);
        let (bottom, top) = (*self.cells.rows.get(row)?, *self.cells.rows.get(row + 1)?);
        Some(Rect { left, top, width: right - left, height: bottom - top })
    }

    /// Radius of a check's dot, in CSS pixels.
    pub(super) fn dot_px(&self) -> f64 {
        0.42 * self.page.text_px
    }

    /// Places the words on the map, clear of each other, of the checks' dots and of the handle.
    fn tags(&self, map: &HeatMap, theme: &Theme) -> Vec<Tag> {
        let ground = Ground { cells: &self.cells, plot: self.frame.plot, text_px: self.page.text_px, theme };
        let diverging = ground.diverging();
        let around =
            |(x, y): Px, reach: f64| Rect { left: x - reach, top: y - reach, width: 2.0 * reach, height: 2.0 * reach };
        let dots = self.dots.iter().map(|&(at, _)| around(at, self.dot_px()));
        let handle = self.handle.map(|at| around(at, self.page.text_px));
        let taken = dots.chain(handle).chain(diverging.iter().map(|tag| tag.rect)).collect();
        let names = ground.names(&map.contours, &self.isolines, taken);
        diverging.into_iter().chain(names).collect()
    }
}

/// The plot between these rows and left of the key, and the ticks of its axes.
fn framed(map: &HeatMap, page: &Page, rows: Rows, key: Option<f64>) -> (Frame, Ticks) {
    let (top, height) = rows.plot(page);
    let side = Frame::new(Rect { left: 0.0, top, width: 0.0, height }, &map.x, &map.y);
    let ticks = Ticks::of_y(&map.y, &side, page.text_px);
    let left = left_of_plot(page, &ticks.y);
    let right = page.free.width - key.unwrap_or(1.2 * page.text_px);
    let frame = Frame::new(Rect { left, top, width: (right - left).max(0.0), height }, &map.x, &map.y);
    let ticks = ticks.with_x(&map.x, &frame, page.text_px);
    (frame, ticks)
}

#[cfg(test)]
mod tests {
    use super::super::hostile::{hostile, map};
    use super::*;
    use crate::figure::hostile::surface;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn layout(size: (f64, f64)) -> HeatLayout {
        HeatLayout::new(&map(), &Theme::LIGHT, Size::new(size.0, size.1, 1.0))
    }

    fn texts(layout: &HeatLayout) -> Vec<&str> {
        let tags = layout.tags.iter().map(|tag| &tag.line);
        layout.lines.iter().chain(&layout.key.lines).chain(tags).map(|line| line.text.as_str()).collect()
    }

    #[track_caller]
    fn check_texts(size: (f64, f64), written: &[&str], left_out: &[&str]) {
        let layout = layout(size);
        let found = texts(&layout);
        assert!(written.iter().all(|text| found.contains(text)), "{size:?}: {found:?}");
        assert!(!left_out.iter().any(|text| found.contains(text)), "{size:?}: {found:?}");
        let plot = layout.frame.plot;
        assert!(plot.height >= 0.4 * size.1 && plot.width >= 0.4 * size.0, "{size:?}: {plot:?}");
    }

    #[test]
    fn small_surfaces_do_without_what_is_needed_least() {
        let all = ["title", "across", "up", "ratio", "less", "more", "even", "0.5", "1", "2"];
        check_texts((960.0, 540.0), &all, &[]);
        check_texts((390.0, 380.0), &all, &[]);
        check_texts((320.0, 240.0), &["less", "more", "0.5", "2"], &["ratio"]);
        check_texts((60.0, 50.0), &[], &["title", "ratio", "less"]);
    }

    #[test]
    fn the_key_is_beside_the_map_where_there_is_room() {
        let [wide, narrow] = [(960.0, 540.0), (390.0, 380.0)].map(layout);
        assert!(wide.key.pieces.iter().all(|(piece, _)| piece.left > wide.frame.plot.right()));
        assert!(narrow.key.pieces.iter().all(|(piece, _)| piece.top > narrow.frame.plot.bottom()));
        for layout in [wide, narrow] {
            let shades: Vec<_> = layout.key.pieces.iter().map(|(_, shade)| *shade).collect();
            assert_eq!(shades, Shade::ramp().collect::<Vec<_>>());
        }
        let contraction = HeatMap { ramp: Ramp::Contraction, ..map() };
        let layout = HeatLayout::new(&contraction, &Theme::LIGHT, Size::new(640.0, 400.0, 1.0));
        assert_eq!(layout.key.pieces.last().map(|piece| piece.1), Some(Shade::Diverges));
    }

    #[test]
    fn places_and_values_are_each_other_s_inverse() {
        let layout = layout((640.0, 400.0));
        for (x, y) in [(1.0, 0.0), (10.0, 5.0), (99.0, 9.9)] {
            let place = layout.place(x, y);
            let (back_x, back_y) = layout.at(place).expect("it is in the plot");
            assert!((back_x / x - 1.0).abs() < 1e-9 && (back_y - y).abs() < 1e-9);
        }
        assert_eq!(layout.at((0.0, 0.0)), None);
        let (x, y) = layout.nearest((-1e9, 1e9));
        assert!((x - 1.0).abs() < 1e-9 && y.abs() < 1e-9);
        assert_eq!(layout.place(1e9, -1e9), (layout.frame.plot.right(), layout.frame.plot.bottom()));
        assert!((layout.place(0.0, 5.0).0 - layout.frame.plot.left).abs() < 1e-9);
        assert!(layout.place(-1.0, 5.0).0.is_nan());
    }

    #[test]
    fn a_cell_is_where_its_outline_is() {
        let layout = layout((640.0, 400.0));
        for (column, row) in [(0, 0), (3, 1), (6, 4)] {
            let outline = layout.outline(column, row).expect("there is such a cell");
            let middle = (outline.left + 0.5 * outline.width, outline.top + 0.5 * outline.height);
            assert_eq!(layout.cell(middle), Some((column, row)));
        }
        assert_eq!(layout.outline(7, 0), None);
    }

    #[test]
    fn a_map_of_which_nothing_is_known_says_so() {
        let blank = HeatMap { values: vec![], ..map() };
        let said = |map: &HeatMap| {
            let layout = HeatLayout::new(map, &Theme::LIGHT, Size::new(640.0, 400.0, 1.0));
            layout.words.into_iter().map(|line| line.text).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(said(&blank), nothing());
        assert_eq!(said(&HeatMap { words: Some("one moment".to_owned()), ..blank }), "one moment");
        assert_eq!(said(&map()), "");
    }

    #[test]
    fn the_black_part_is_named_where_the_word_fits() {
        let named = |share: f64, size: (f64, f64)| {
            let mut map = HeatMap { ramp: Ramp::Contraction, ..map() };
            let n = map.values.len() as f64;
            map.values.iter_mut().enumerate().for_each(|(k, v)| *v = if (k as f64) < share * n { 1.5 } else { 0.5 });
            texts(&HeatLayout::new(&map, &Theme::LIGHT, Size::new(size.0, size.1, 1.0))).contains(&"diverges")
        };
        let (wide, frame) = ((640.0, 400.0), (320.0, 240.0));
        assert!(named(1.0, wide) && named(0.05, wide) && !named(0.0, wide));
        assert!(named(0.5, frame) && !named(0.05, frame));
    }

    #[test]
    fn whatever_the_data_nothing_is_outside_or_over_another() {
        let mut rng = ChaCha8Rng::seed_from_u64(12);
        for round in 0..1500 {
            let map = hostile(&mut rng);
            let (width, height) = surface(&mut rng);
            let covered = if rng.random_bool(0.5) { 0.0 } else { rng.random_range(-0.1..1.1) * f64::from(height) };
            let size = Size::new(width.into(), height.into(), 1.0).covered(covered);
            let layout = HeatLayout::new(&map, &Theme::ALL[rng.random_range(0..3)], size);
            let what = format!("map {round} of {width} × {height} under {covered}, {map:?}");

            let (plot, free) = (layout.frame.plot, layout.page.free);
            let near = |rect: &Rect, px: Px| {
                let nearest = rect.nearest(px);
                (nearest.0 - px.0).abs() < 1e-6 && (nearest.1 - px.1).abs() < 1e-6
            };
            let on = |rect: &Rect, inner: &Rect| {
                near(rect, (inner.left, inner.top)) && near(rect, (inner.right(), inner.bottom()))
            };
            assert!(on(&free, &plot), "{plot:?}, {what}");
            assert!(layout.cells.runs().all(|run| on(&plot, &run.rect)), "{what}");
            let lines: Vec<_> = layout.isolines.iter().flat_map(|isoline| &isoline.lines).flatten().collect();
            assert!(lines.iter().all(|&&px| near(&plot, px)), "{lines:?} on {plot:?}, {what}");
            assert!(layout.dots.iter().map(|dot| dot.0).chain(layout.handle).all(|px| near(&plot, px)), "{what}");
            assert!(layout.tags.iter().all(|tag| on(&plot, &tag.rect)), "{:?}, {what}", layout.tags);
            assert!(layout.key.pieces.iter().all(|(piece, _)| on(&free, piece)), "{what}");
            let tags = layout.tags.iter().map(|tag| &tag.line);
            let lines: Vec<_> = layout.lines.iter().chain(&layout.key.lines).chain(tags).collect();
            let rect = |line: &Line| {
                let (start, end) = line.extent();
                Rect { left: start, top: line.at.1 - 0.5 * line.size, width: end - start, height: line.size }
            };
            let smaller = |rect: Rect| Rect { width: rect.width - 1e-6, height: rect.height - 1e-6, ..rect };
            for (idx, line) in lines.iter().enumerate() {
                assert!(on(&free, &rect(line)), "{line:?}, {what}");
                let over = lines[idx + 1..].iter().find(|other| smaller(rect(line)).meets(&smaller(rect(other))));
                assert!(over.is_none(), "{line:?} over {over:?}, {what}");
            }
        }
    }
}
