//! Places and colors of the cells of a map.

use super::{HeatMap, Shade};
use crate::figure::Axis;
use crate::figure::frame::{Frame, Px, Rect};

/// The cells of a map, cut off at the edges of the plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cells {
    /// Edges of the columns in pixels, ascending.
    pub columns: Vec<f64>,
    /// Edges of the rows in pixels, the lowest row's lower edge first: descending.
    pub rows: Vec<f64>,
    /// Centers of the columns and of the rows, in the plot or not.
    pub centers: (Vec<f64>, Vec<f64>),
    /// Shades of the cells, row by row from the lowest up, one for each cell.
    pub shades: Vec<Shade>,
}

/// Neighboring cells of a row with the same color.
pub(super) struct Run {
    pub rect: Rect,
    pub shade: Shade,
}

impl Cells {
    /// The cells; none if the centers do not ascend, or the axes cannot show one of them. Missing values are unknown.
    pub(super) fn new(map: &HeatMap, frame: &Frame) -> Self {
        let plot = frame.plot;
        let xs = centers(&map.x, &map.xs, |x| frame.place_of(x));
        let ys = centers(&map.y, &map.ys, |y| frame.height_of(y));
        let (columns, rows) = (edges(&xs, (plot.left, plot.right())), edges(&ys, (plot.bottom(), plot.top)));
        let shade = |idx| map.ramp.shade(map.values.get(idx).copied().unwrap_or(f64::NAN));
        let shades = (0..xs.len() * ys.len()).map(shade).collect();
        Self { columns, rows, centers: (xs, ys), shades }
    }

    pub(super) fn n_columns(&self) -> usize {
        self.centers.0.len()
    }

    /// The shade of a cell.
    pub(super) fn shade(&self, column: usize, row: usize) -> Shade {
        self.shades.get(row * self.n_columns() + column).copied().unwrap_or(Shade::Unknown)
    }

    /// Whether any value is known.
    pub(super) fn has_values(&self) -> bool {
        self.shades.iter().any(|shade| *shade != Shade::Unknown)
    }

    /// Column and row of the cell at a place.
    pub(super) fn at(&self, (x, y): Px) -> Option<(usize, usize)> {
        let (&left, &right) = (self.columns.first()?, self.columns.last()?);
        let (&bottom, &top) = (self.rows.first()?, self.rows.last()?);
        if self.shades.is_empty() || !(left..=right).contains(&x) || !(top..=bottom).contains(&y) {
            return None;
        }
        let column = self.columns.partition_point(|&edge| edge <= x).clamp(1, self.columns.len() - 1) - 1;
        let row = self.rows.partition_point(|&edge| edge >= y).clamp(1, self.rows.len() - 1) - 1;
        Some((column, row))
    }

    /// The shades of the cells that a rectangle touches; unknown where the rectangle reaches beyond all cells.
    pub(super) fn under(&self, rect: &Rect) -> impl Iterator<Item = Shade> {
        let corners = [(rect.left, rect.bottom()), (rect.right(), rect.top)].map(|corner| self.at(corner));
        let (columns, rows) = match corners {
            [Some(low), Some(high)] => (low.0..=high.0, low.1..=high.1),
            _ => (usize::MAX..=usize::MAX, 0..=0),
        };
        rows.flat_map(move |row| columns.clone().map(move |column| self.shade(column, row)))
    }

    /// The rectangles to paint, row by row from the top. Each may reach a little under the next ones in its row and in
    /// the row below: these are painted later.
    pub(super) fn runs(&self) -> impl Iterator<Item = Run> {
        let n_columns = self.n_columns();
        let rows = self.shades.chunks(n_columns.max(1)).enumerate().rev();
        rows.flat_map(move |(row, shades)| {
            let (top, bottom) = (self.rows[row + 1], self.rows[row]);
            let mut start = 0;
            shades.chunk_by(|a, b| a == b).map(move |same| {
                let (left, right) = (self.columns[start], self.columns[start + same.len()]);
                start += same.len();
                Run { rect: Rect { left, top, width: right - left, height: bottom - top }, shade: same[0] }
            })
        })
    }
}

/// The places of the centers in pixels; none if the centers do not ascend, or the axis cannot show one of them.
fn centers(axis: &Axis, values: &[f64], px: impl Fn(f64) -> f64) -> Vec<f64> {
    let ascending = values.windows(2).all(|pair| pair[0] < pair[1]);
    let usable = ascending && values.iter().all(|&value| axis.scale.shows(value));
    values.iter().filter(|_| usable).map(|&value| px(value)).collect()
}

/// The edges of cells with these centers: half-way between neighbors, and as far beyond the outermost centers, within
/// the limits.
fn edges(centers: &[f64], limits: (f64, f64)) -> Vec<f64> {
    let n = centers.len();
    let (first, last) = match centers {
        [] => return Vec::new(),
        [_] => limits,
        [a, b, ..] => (1.5 * a - 0.5 * b, 1.5 * centers[n - 1] - 0.5 * centers[n - 2]),
    };
    let between = centers.windows(2).map(|pair| f64::midpoint(pair[0], pair[1]));
    let (low, high) = (limits.0.min(limits.1), limits.0.max(limits.1));
    std::iter::once(first).chain(between).chain([last]).map(|edge| edge.max(low).min(high)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::Scale;
    use crate::figure::heat::hostile::map;

    /// Cells on 100 × 100 pixels at (0, 0), with x from 1 to 100 (log) and y from 0 to 10 (linear).
    fn cells(xs: &[f64], ys: &[f64], values: &[f64]) -> Cells {
        let (xs, ys, values) = (xs.to_vec(), ys.to_vec(), values.to_vec());
        let axis = |range, scale| Axis { label: String::new(), range, scale, whole: false };
        let (x, y) = (axis((1.0, 100.0), Scale::Log10), axis((0.0, 10.0), Scale::Linear));
        let frame = Frame::new(Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 }, &x, &y);
        Cells::new(&HeatMap { x, y, xs, ys, values, ..map() }, &frame)
    }

    #[track_caller]
    fn check_edges(xs: &[f64], expected: &[f64]) {
        let found = cells(xs, &[5.0], &[]).columns;
        let near = found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{xs:?}: {found:?}, expected {expected:?}");
    }

    #[test]
    fn cells_meet_half_way_along_the_axis() {
        check_edges(&[1.0, 10.0, 100.0], &[0.0, 25.0, 75.0, 100.0]);
        check_edges(&[10.0, 100.0], &[25.0, 75.0, 100.0]);
        check_edges(&[10.0], &[0.0, 100.0]);
        check_edges(&[], &[]);
        check_edges(&[10.0, 10.0], &[]);
        check_edges(&[100.0, 10.0], &[]);
        check_edges(&[0.0, 10.0], &[]);
        check_edges(&[1.0, f64::NAN], &[]);
    }

    #[test]
    fn a_place_is_in_one_cell() {
        let cells = cells(&[1.0, 10.0, 100.0], &[2.5, 7.5], &[0.5; 6]);
        for (place, cell) in [
            ((0.0, 100.0), Some((0, 0))),
            ((30.0, 60.0), Some((1, 0))),
            ((99.0, 10.0), Some((2, 1))),
            ((100.0, 0.0), Some((2, 1))),
            ((101.0, 50.0), None),
            ((f64::NAN, 50.0), None),
        ] {
            assert_eq!(cells.at(place), cell, "{place:?}");
        }
    }

    #[test]
    fn cells_of_one_color_are_painted_together() {
        let cells = cells(&[1.0, 10.0, 100.0], &[2.5, 7.5], &[0.5, 0.5, 2.0, 0.5, f64::NAN]);
        let runs: Vec<_> = cells.runs().map(|run| (run.rect.left, run.rect.top, run.rect.width, run.shade)).collect();
        let [low, high] = [0.5, 2.0].map(|value| map().ramp.shade(value));
        let upper = [(0.0, 0.0, 25.0, low), (25.0, 0.0, 75.0, Shade::Unknown)];
        let lower = [(0.0, 50.0, 75.0, low), (75.0, 50.0, 25.0, high)];
        assert_eq!(runs, [upper, lower].concat());
    }

    #[test]
    fn a_rectangle_touches_cells() {
        let cells = cells(&[1.0, 10.0, 100.0], &[2.5, 7.5], &[0.5, 1.0, 2.0, 0.5, 1.0, f64::NAN]);
        let count = |left, top, width, height| cells.under(&Rect { left, top, width, height }).count();
        assert_eq!((count(1.0, 1.0, 5.0, 5.0), count(1.0, 40.0, 50.0, 20.0), count(1.0, 1.0, 98.0, 98.0)), (1, 4, 6));
        let mut beyond = cells.under(&Rect { left: 50.0, top: 1.0, width: 80.0, height: 5.0 });
        assert!(beyond.all(|shade| shade == Shade::Unknown));
    }
}
