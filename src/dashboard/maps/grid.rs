//! The axes of a map, and which cell a place on them is in.

use crate::params::views::MapKind;
use crate::params::{Draft, Key};

/// Cells along either axis; fewer where these are closer together than whole numbers are.
const N_CELLS: usize = 60;

/// What lies along the axes of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    pub(super) kind: MapKind,
    /// Abscissas of the cells, evenly spread on a logarithmic axis.
    pub xs: Vec<f64>,
    /// Ordinates of the cells: the whole numbers nearest to evenly spread ones, each once.
    pub ys: Vec<f64>,
}

impl Grid {
    /// The axes of a map, long enough for the present settings.
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
            // One client alone is the pool.
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

    /// The place of a value among the cells, when it is within the axes.
    pub(super) fn cell(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (nearest(&self.xs, x)?, nearest(&self.ys, y.round().max(1.0))?);
        Some(row * self.xs.len() + column)
    }
}

/// So many values from one to the other, equal ratios apart.
fn even(from: f64, to: f64, n: usize) -> Vec<f64> {
    let ratio = (to / from).ln();
    (0..n).map(|place| from * (ratio * place as f64 / (n - 1) as f64).exp()).collect()
}

/// The place of the value that is nearest in proportion.
pub(super) fn nearest(values: &[f64], value: f64) -> Option<usize> {
    let distance = |place: &usize| (values[*place] / value).ln().abs();
    (0..values.len()).filter(|_| value > 0.0).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// So many of the values, spread over them in equal ratios.
pub(super) fn some(values: &[f64], n: usize) -> Vec<f64> {
    let (first, last) = (values[0], values[values.len() - 1]);
    let at = |place: usize| first * (last / first).powf((2 * place + 1) as f64 / (2 * n) as f64);
    let mut some: Vec<f64> = (0..n).filter_map(|place| nearest(values, at(place))).map(|place| values[place]).collect();
    some.dedup();
    some
}

/// The edges of the outermost cells: as far beyond, in proportion, as half-way to the next inner one.
pub(super) fn edges(values: &[f64]) -> (f64, f64) {
    let n = values.len();
    (values[0] * (values[0] / values[1]).sqrt(), values[n - 1] * (values[n - 1] / values[n - 2]).sqrt())
}
