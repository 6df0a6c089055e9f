//! The axes of a map, and the cell at a point.

use crate::params::views::MapKind;
use crate::params::{Draft, Key};

/// Number of cells along each axis; the vertical axis has fewer if rounding to whole numbers merges some.
const N_CELLS: usize = 60;

/// The cells along the axes of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub(super) kind: MapKind,
    /// Abscissas of the cells, equally spaced on a logarithmic axis.
    pub xs: Vec<f64>,
    /// Ordinates of the cells: equally spaced on a logarithmic axis, rounded to whole numbers, each once.
    pub ys: Vec<f64>,
}

impl Grid {
    /// The axes of a map, extended to contain the present settings.
    pub fn of(kind: MapKind, draft: &Draft) -> Self {
        let (x, y) = kind.keys();
        let axis = |key: Key, from: f64, to: f64| {
            let now = draft.get(key);
            let (mut from, mut to) = (from, to);
            while now > to && to < key.param().grid.max() {
                to *= 10.0;
            }
            while now < from && from > key.param().grid.min() && now > 0.0 {
                from /= 10.0;
            }
            even(from.max(key.param().grid.min()), to.min(key.param().grid.max()), N_CELLS)
        };
        let (xs, ys) = match kind {
            // From 2 on: with one client, pooling its data changes nothing.
            MapKind::Clients => (axis(x, 0.01, 1.0), axis(y, 2.0, 200.0)),
            MapKind::Rollouts => (axis(x, 0.01, 1.0), axis(y, 4.0, 400.0)),
            MapKind::Steps => (axis(x, 1e-5, 1e-2), axis(y, 1.0, 100.0)),
        };
        let mut ys: Vec<f64> = ys.into_iter().map(f64::round).collect();
        ys.dedup();
        Self { kind, xs, ys }
    }

    /// The ordinates as counts.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts within their limits")]
    pub(super) fn counts(&self) -> Vec<usize> {
        self.ys.iter().map(|&y| y as usize).collect()
    }

    /// Index of the cell nearest to a point, row by row; `None` if `x` is not positive.
    pub(super) fn cell(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (nearest(&self.xs, x)?, nearest(&self.ys, y.round().max(1.0))?);
        Some(row * self.xs.len() + column)
    }
}

/// `n` values from `from` to `to` with equal ratios.
fn even(from: f64, to: f64, n: usize) -> Vec<f64> {
    let ratio = (to / from).ln();
    (0..n).map(|place| from * (ratio * place as f64 / (n - 1) as f64).exp()).collect()
}

/// Index of the value with the ratio nearest to 1.
pub(super) fn nearest(values: &[f64], value: f64) -> Option<usize> {
    let distance = |place: &usize| (values[*place] / value).ln().abs();
    (0..values.len()).filter(|_| value > 0.0).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Up to `n` of the values, spread over their range with about equal ratios.
pub(super) fn some(values: &[f64], n: usize) -> Vec<f64> {
    let (first, last) = (values[0], values[values.len() - 1]);
    let at = |place: usize| first * (last / first).powf((2 * place + 1) as f64 / (2 * n) as f64);
    let mut some: Vec<f64> = (0..n).filter_map(|place| nearest(values, at(place))).map(|place| values[place]).collect();
    some.dedup();
    some
}

/// Outer edges of the outermost cells: beyond them by half the ratio to the next inner cell, on a logarithmic axis.
pub(super) fn edges(values: &[f64]) -> (f64, f64) {
    let n = values.len();
    (values[0] * (values[0] / values[1]).sqrt(), values[n - 1] * (values[n - 1] / values[n - 2]).sqrt())
}
