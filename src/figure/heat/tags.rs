//! Words on the map: names on contours, and the word for what diverges.

use super::cells::Cells;
use super::layout::Isoline;
use super::{Contour, Shade, Weight};
use crate::figure::frame::{Px, Rect};
use crate::figure::lines::{Anchor, Line};
use crate::figure::page::Page;
use crate::figure::text::width;
use crate::figure::theme::Theme;

/// Words over the map, and what they stand on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tag {
    pub line: Line,
    pub rect: Rect,
    /// Whether they need paper of their own; else the colors of the map, without the lines over it.
    pub on_paper: bool,
}

/// What is said of the black part of a map.
const DIVERGES: &str = "diverges";

impl Tag {
    fn new(text: &str, at: Px, size: f64, bold: bool, theme: &Theme) -> Self {
        let line = Line { text: text.to_owned(), at, anchor: Anchor::Middle, size, bold, color: theme.ink };
        let (start, end) = line.extent();
        let rect = Rect {
            left: start - 0.25 * size,
            top: at.1 - 0.65 * size,
            width: end - start + 0.5 * size,
            height: 1.3 * size,
        };
        Self { line, rect, on_paper: false }
    }
}

/// The word for what diverges, where the most of it is black around; none where there is no room for it.
pub(super) fn diverging(cells: &Cells, page: &Page, theme: &Theme) -> Option<Tag> {
    let size = page.text_px;
    let middle = |edges: &[f64], k: usize| f64::midpoint(edges[k], edges[k + 1]);
    let n = cells.n_columns();
    let black: Vec<Px> = (0..cells.shades.len())
        .filter(|&idx| cells.shades[idx] == Shade::Diverges)
        .map(|idx| (middle(&cells.columns, idx % n), middle(&cells.rows, idx / n)))
        .collect();
    let count = black.len().max(1) as f64;
    let sum = black.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0, sum.1 + at.1));
    let off = |at: &Px| (at.0 - sum.0 / count).hypot(at.1 - sum.1 / count);
    let fits = |at: &Px| {
        let rect = Tag::new(DIVERGES, *at, size, false, theme).rect;
        cells.under(&rect).all(|shade| shade == Shade::Diverges)
    };
    let at = black.into_iter().filter(fits).min_by(|a, b| off(a).total_cmp(&off(b)))?;
    let mut tag = Tag::new(DIVERGES, at, size, false, theme);
    tag.line.color = theme.diverges.text;
    Some(tag)
}

/// Names on the contours, the first contours' first: each on its longest line, near its middle, clear of what is there.
pub(super) fn names(
    contours: &[Contour],
    lines: &[Isoline],
    cells: &Cells,
    plot: &Rect,
    page: &Page,
    theme: &Theme,
    mut taken: Vec<Rect>,
) -> Vec<Tag> {
    let mut tags = Vec::new();
    for (idx, contour) in contours.iter().enumerate().filter(|(_, contour)| !contour.label.is_empty()) {
        let bold = contour.weight == Weight::Thick;
        let room = width(&contour.label, page.text_px, bold);
        let others: Vec<&Isoline> = lines.iter().enumerate().filter(|(k, _)| *k != idx).map(|(_, line)| line).collect();
        let path = lines[idx].lines.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
        let Some(path) = path.filter(|path| length(path) > room) else { continue };
        let at = |share| Tag::new(&contour.label, along(path, share), page.text_px, bold, theme);
        let tries = (1..32).map(|k| f64::from(k) / 32.0).map(|share| (share, at(share)));
        let clear = |tag: &Tag| tag.rect.is_in(plot) && !taken.iter().any(|other| tag.rect.meets(other));
        let weighed = tries.filter(|(_, tag)| clear(tag)).map(|(share, mut tag)| {
            tag.on_paper = cells.under(&tag.rect).any(|shade| !matches!(shade, Shade::Step(_)));
            let crossings = others.iter().filter(|line| line.crosses(&tag.rect)).count();
            ((share - 0.5).abs() + 2.0 * f64::from(u8::from(tag.on_paper)) + crossings as f64, tag)
        });
        let best = weighed.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, tag)) = best {
            taken.push(tag.rect);
            tags.push(tag);
        }
    }
    tags
}

fn length(path: &[Px]) -> f64 {
    path.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1)).sum()
}

/// The place after this share of a path's length.
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
