//! Words on a map: the names of contours, and a word on the diverging part.

use super::cells::Cells;
use super::isoline::Isoline;
use super::{Contour, Shade, Weight};
use crate::figure::frame::{Px, Rect};
use crate::figure::lines::{Anchor, Line};
use crate::figure::text::width;
use crate::figure::theme::Theme;
use fedsysid_say::say;

/// Words over the map, and their background.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tag {
    pub line: Line,
    pub rect: Rect,
    /// Whether the words need a background of paper; otherwise the cells are painted again behind them, without
    /// contours.
    pub on_paper: bool,
}

/// The word on the black part of a map.
fn diverges() -> &'static str {
    say!("diverges")
}

/// The map on which words are placed.
pub(super) struct Ground<'a> {
    pub cells: &'a Cells,
    pub plot: Rect,
    pub text_px: f64,
    pub theme: &'a Theme,
}

impl Tag {
    fn new(text: &str, at: Px, bold: bool, ground: &Ground) -> Self {
        let size = ground.text_px;
        let line = Line { text: text.to_owned(), at, anchor: Anchor::Middle, size, bold, color: ground.theme.ink };
        let (start, end) = line.extent();
        let (left, width) = (start - 0.25 * size, end - start + 0.5 * size);
        let rect = Rect { left, top: at.1 - 0.65 * size, width, height: 1.3 * size };
        Self { line, rect, on_paper: false }
    }
}

impl Ground<'_> {
    /// The word on the diverging part, in its middle; `None` if there is no room.
    pub(super) fn diverging(&self) -> Option<Tag> {
        let Cells { columns, rows, shades, .. } = self.cells;
        let middle = |edges: &[f64], k: usize| f64::midpoint(edges[k], edges[k + 1]);
        let n = self.cells.n_columns();
        let black: Vec<Px> = (0..shades.len())
            .filter(|&idx| shades[idx] == Shade::Diverges)
            .map(|idx| (middle(columns, idx % n), middle(rows, idx / n)))
            .collect();
        let sum = black.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
        let mean = (sum.0 / black.len() as f64, sum.1 / black.len() as f64);
        let size = Tag::new(diverges(), mean, false, self).rect;
        let fits = |&(x, y): &Px| {
            let rect = Rect { left: x - 0.5 * size.width, top: y - 0.5 * size.height, ..size };
            self.cells.under(&rect).all(|shade| shade == Shade::Diverges)
        };
        let off = |at: &Px| (at.0 - mean.0).hypot(at.1 - mean.1);
        let at = black.into_iter().filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let mut tag = Tag::new(diverges(), at, false, self);
        tag.line.color = self.theme.diverges.text;
        Some(tag)
    }

    /// Names on the contours, starting with the first contour: each on its contour's longest line, clear of the
    /// rectangles `taken`.
    pub(super) fn names(&self, contours: &[Contour], lines: &[Isoline], mut taken: Vec<Rect>) -> Vec<Tag> {
        let mut tags = Vec::new();
        for (idx, (contour, isoline)) in contours.iter().zip(lines).enumerate() {
            let room = width(&contour.label, self.text_px, contour.weight == Weight::Thick);
            let longest = isoline.lines.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
            let path = longest.filter(|path| length(path) > room && !contour.label.is_empty());
            let others = [&lines[..idx], &lines[idx + 1..]];
            if let Some(tag) = path.and_then(|path| self.name(contour, path, others, &taken)) {
                taken.push(tag.rect);
                tags.push(tag);
            }
        }
        tags
    }

    /// A name near the middle of its line, preferably without a background of paper and crossed by few other lines.
    fn name(&self, contour: &Contour, path: &[Px], others: [&[Isoline]; 2], taken: &[Rect]) -> Option<Tag> {
        let bold = contour.weight == Weight::Thick;
        let shares = (1..32).map(|k| f64::from(k) / 32.0);
        let tries = shares.map(|share| (share, Tag::new(&contour.label, along(path, share), bold, self)));
        let clear = |tag: &Tag| tag.rect.is_in(&self.plot) && !taken.iter().any(|other| tag.rect.meets(other));
        let weighed = tries.filter(|(_, tag)| clear(tag)).map(|(share, mut tag)| {
            tag.on_paper = self.cells.under(&tag.rect).any(|shade| !matches!(shade, Shade::Step(_)));
            let n_crossing = others.into_iter().flatten().filter(|line| line.crosses(&tag.rect)).count();
            ((share - 0.5).abs() + 2.0 * f64::from(u8::from(tag.on_paper)) + n_crossing as f64, tag)
        });
        weighed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, tag)| tag)
    }
}

fn length(path: &[Px]) -> f64 {
    path.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum()
}

/// The place after a share (0 to 1) of a path's length.
fn along(path: &[Px], share: f64) -> Px {
    let mut rest = share * length(path);
    for pair in path.windows(2) {
        let ((x, y), (to_x, to_y)) = (pair[0], pair[1]);
        let step = (to_x - x).hypot(to_y - y);
        if step >= rest && step > 0.0 {
            let t = rest / step;
            return (x + t * (to_x - x), y + t * (to_y - y));
        }
        rest -= step;
    }
    path.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_along_a_path() {
        let path = [(0.0, 0.0), (3.0, 4.0), (3.0, 4.0), (3.0, 9.0)];
        assert!((length(&path) - 10.0).abs() < 1e-12);
        for (share, (x, y)) in [(0.0, (0.0, 0.0)), (0.25, (1.5, 2.0)), (0.75, (3.0, 6.5)), (1.0, (3.0, 9.0))] {
            let found = along(&path, share);
            assert!((found.0 - x).hypot(found.1 - y) < 1e-9, "{share}: {found:?}");
        }
        assert_eq!(along(&[(2.0, 2.0)], 0.5), (2.0, 2.0));
    }
}
