//! Lines of one value through a grid: marching squares. Between two points of the grid, values are taken to change by
//! equal steps or, where both are positive and the grid has no negative value, by equal factors, as ratios and errors
//! do.
//!
//! Squares with an unknown value at a corner are left out: no line is drawn where a value beside it is unknown.

use super::cells::Cells;
use crate::figure::frame::Px;

/// Values on a grid of pixels: those of the cells at their centers, and extrapolated values half a cell beyond the
/// outermost centers, so that lines reach the edge of the map.
pub(super) struct Field {
    xs: Vec<f64>,
    ys: Vec<f64>,
    /// Row by row, in the order of `ys`.
    values: Vec<f64>,
    by_factors: bool,
}

/// A side of a square: from the `n`-th point of the grid to the next one in its row (2n) or in its column (2n + 1).
type Side = usize;

const NONE: Side = Side::MAX;

impl Field {
    /// The field of these values, one for each cell.
    pub(super) fn new(cells: &Cells, values: &[f64]) -> Self {
        let (xs, ys) = (&cells.centers.0, &cells.centers.1);
        let n = xs.len();
        let mut field = Self { xs: Vec::new(), ys: Vec::new(), values: Vec::new(), by_factors: false };
        if n == 0 || ys.is_empty() {
            return field;
        }
        field.by_factors = !values.iter().any(|&value| value < 0.0);
        (field.xs, field.ys) = (lengthened(xs, &cells.columns), lengthened(ys, &cells.rows));
        // Leaves room for a row before the first.
        field.values.resize(n + 2, f64::NAN);
        for row in 0..ys.len() {
            let row = values.get(row * n..(row + 1) * n).unwrap_or_default();
            let ends = row.first().zip(row.last()).zip(row.get(1.min(n - 1)).zip(row.iter().nth_back(1.min(n - 1))));
            let (first, last) = ends.map_or((f64::NAN, f64::NAN), |((&a, &z), (&b, &y))| {
                (outward(a, b, field.by_factors), outward(z, y, field.by_factors))
            });
            field.values.push(first);
            field.values.extend_from_slice(row);
            field.values.resize(field.values.len() + n - row.len(), f64::NAN);
            field.values.push(last);
        }
        field.add_outer_rows(n + 2, ys.len());
        field
    }

    /// Fills in the first and the last row, beyond the `m` inner rows of `n` points.
    fn add_outer_rows(&mut self, n: usize, m: usize) {
        let inner = 1.min(m - 1);
        for column in 0..n {
            let at = |row: usize| self.values[row * n + column];
            let (first, last) = ((at(1), at(1 + inner)), (at(m), at(m - inner)));
            self.values[column] = outward(first.0, first.1, self.by_factors);
            self.values.push(outward(last.0, last.1, self.by_factors));
        }
    }

    /// The lines along which the field has this level; closed lines end where they begin.
    pub(super) fn lines(&self, level: f64) -> Vec<Vec<Px>> {
        let n = self.xs.len();
        let sides: Vec<Height> = self.values.iter().map(|&value| Height::of(value, level)).collect();
        let mut links = Vec::new();
        for first in 0..self.values.len().saturating_sub(n + 1) {
            let around = [sides[first], sides[first + 1], sides[first + n + 1], sides[first + n]];
            let is_crossed = around.contains(&Height::Low) && around.contains(&Height::High);
            if is_crossed && !around.contains(&Height::Unknown) && first % n + 1 < n {
                links.extend(self.links(first, around, level));
            }
        }
        let path = |line: Vec<Side>| line.into_iter().map(|side| self.crossing(side, level)).collect();
        joined(&links, 2 * self.values.len()).into_iter().map(path).collect()
    }

    /// How lines cross the square that begins at point `first`, with corners at these heights: as pairs of crossed
    /// sides.
    fn links(&self, first: usize, around: [Height; 4], level: f64) -> Vec<(Side, Side)> {
        let n = self.xs.len();
        // A side leads from each corner to the next.
        let sides = [2 * first, 2 * first + 3, 2 * (first + n), 2 * first + 1];
        let crossed = (0..4).filter(|&k| around[k] != around[(k + 1) % 4]).map(|k| sides[k]);
        let [a, b, c, d] = [first, first + 1, first + n + 1, first + n].map(|idx| self.values[idx]);
        let middle = Height::of(0.25 * (a + b + c + d), level);
        match crossed.collect::<Vec<_>>()[..] {
            [a, b] => vec![(a, b)],
            // On a saddle, the mean of the corners tells which corners belong together; lines go around the other two.
            [a, b, c, d] if middle == around[0] => vec![(a, b), (c, d)],
            [a, b, c, d] => vec![(d, a), (b, c)],
            _ => Vec::new(),
        }
    }

    /// The place where the level crosses a side.
    fn crossing(&self, side: Side, level: f64) -> Px {
        let n = self.xs.len();
        let from = side / 2;
        let to = from + if side.is_multiple_of(2) { 1 } else { n };
        let (a, b) = (self.values[from], self.values[to]);
        let by_factors = self.by_factors && level > 0.0 && a > 0.0 && b > 0.0;
        let t = if by_factors { (level.ln() - a.ln()) / (b.ln() - a.ln()) } else { (level - a) / (b - a) };
        // Between values that are almost equal, or almost infinite, the crossing may be anywhere.
        let t = if t.is_nan() { 0.5 } else { t.clamp(0.0, 1.0) };
        let between = |from: f64, to: f64| from + t * (to - from);
        (between(self.xs[from % n], self.xs[to % n]), between(self.ys[from / n], self.ys[to / n]))
    }
}

/// A value compared with the level of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Height {
    Unknown,
    Low,
    High,
}

impl Height {
    fn of(value: f64, level: f64) -> Self {
        match value {
            value if !value.is_finite() => Self::Unknown,
            value if value >= level => Self::High,
            _ => Self::Low,
        }
    }
}

/// The value extrapolated half a cell outwards from a value and its inner neighbor.
fn outward(value: f64, inner: f64, by_factors: bool) -> f64 {
    if by_factors && value > 0.0 && inner > 0.0 { value * (value / inner).sqrt() } else { 1.5 * value - 0.5 * inner }
}

/// The places of the centers, and of points half a cell beyond them at both ends; a single center gets its cell's
/// edges.
fn lengthened(centers: &[f64], edges: &[f64]) -> Vec<f64> {
    let n = centers.len();
    let (first, last) = match centers {
        [a, b, ..] => (1.5 * a - 0.5 * b, 1.5 * centers[n - 1] - 0.5 * centers[n - 2]),
        _ => (edges[0], edges[n]),
    };
    std::iter::once(first).chain(centers.iter().copied()).chain([last]).collect()
}

/// Joins links to lines as long as possible: first the open lines, then the closed ones.
fn joined(links: &[(Side, Side)], n_sides: usize) -> Vec<Vec<Side>> {
    let mut next = vec![[NONE; 2]; n_sides];
    for &(a, b) in links {
        for (from, to) in [(a, b), (b, a)] {
            let slot = usize::from(next[from][0] != NONE);
            next[from][slot] = to;
        }
    }
    let sides = || links.iter().flat_map(|&(a, b)| [a, b]);
    let ends: Vec<Side> = sides().filter(|&side| next[side][1] == NONE).collect();
    let lines = ends.into_iter().chain(sides()).map(|start| walk(&mut next, start));
    lines.filter(|line| line.len() > 1).collect()
}

/// Follows the links from `start` to the end, and removes them.
fn walk(next: &mut [[Side; 2]], start: Side) -> Vec<Side> {
    let mut line = vec![start];
    let mut here = start;
    while let Some(slot) = next[here].iter().position(|&to| to != NONE) {
        let there = std::mem::replace(&mut next[here][slot], NONE);
        if let Some(back) = next[there].iter().position(|&to| to == here) {
            next[there][back] = NONE;
        }
        line.push(there);
        here = there;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::frame::{Frame, Rect};
    use crate::figure::heat::HeatMap;
    use crate::figure::heat::hostile::map;
    use crate::figure::{Axis, Scale};

    /// Lines at a level through values on a grid of `n × n` cells, (x, y) from 0 to 1, drawn on 100 × 100 pixels at the
    /// origin.
    fn lines(n: u32, value: impl Fn(f64, f64) -> f64, level: f64) -> Vec<Vec<Px>> {
        let centers: Vec<f64> = (0..n).map(|k| (f64::from(k) + 0.5) / f64::from(n)).collect();
        let values: Vec<f64> =
            centers.iter().flat_map(|&y| centers.iter().map(move |&x| (x, y))).map(|(x, y)| value(x, y)).collect();
        let axis = Axis { label: String::new(), range: (0.0, 1.0), scale: Scale::Linear, whole: false };
        let frame = Frame::new(Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 }, &axis, &axis);
        let map =
            HeatMap { x: axis.clone(), y: axis, xs: centers.clone(), ys: centers, values: values.clone(), ..map() };
        Field::new(&Cells::new(&map, &frame), &values).lines(level)
    }

    #[test]
    fn a_plane_has_one_straight_line_from_edge_to_edge() {
        let found = lines(7, |x, y| x + 2.0 * y - 1.2, 0.0);
        let [line] = found.as_slice() else { panic!("{found:?}") };
        assert!(line.iter().all(|(x, y)| (x / 100.0 + 2.0 * (1.0 - y / 100.0) - 1.2).abs() < 1e-9), "{line:?}");
        let (first, last) = (line[0], line[line.len() - 1]);
        assert!((first.0 - last.0).abs() > 100.0 - 1e-9, "{first:?} to {last:?}");
    }

    #[test]
    fn a_bowl_has_a_closed_line() {
        let found = lines(30, |x, y| (x - 0.5).hypot(y - 0.5), 0.3);
        let [line] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(line[0], line[line.len() - 1]);
        assert!(line.iter().all(|(x, y)| ((x - 50.0).hypot(y - 50.0) - 30.0).abs() < 0.5), "{line:?}");
    }

    #[test]
    fn what_grows_by_factors_is_interpolated_so() {
        let x = |value: fn(f64) -> f64, level| lines(5, move |x, _| value(x), level)[0][0].0;
        // Also half a cell beyond the outermost centers.
        for level in [1.2_f64, 10_f64.sqrt(), 900.0] {
            assert!((x(|x| 1e3_f64.powf(x), level) - 100.0 * level.log10() / 3.0).abs() < 1e-9, "{level}");
        }
        assert!((x(|x| if x < 0.5 { 0.0 } else { 1.0 }, 0.25) - 35.0).abs() < 1e-9);
    }

    #[test]
    fn a_saddle_has_two_lines_that_do_not_cross() {
        for level in [-0.01, 0.01] {
            let found = lines(2, |x, y| (x - 0.5) * (y - 0.5), level);
            assert_eq!(found.len(), 2, "{level}: {found:?}");
            let middle = |line: &Vec<Px>| line.iter().any(|&(x, y)| (x - 50.0).hypot(y - 50.0) < 1.0);
            assert!(!found.iter().any(middle), "{level}: {found:?}");
        }
    }

    #[test]
    fn lines_stop_where_nothing_is_known() {
        let whole = |x: f64, _: f64| x - 0.5;
        let holed = |x: f64, y: f64| if y > 0.4 && y < 0.6 { f64::NAN } else { whole(x, y) };
        assert_eq!(lines(10, whole, 0.02).len(), 1);
        let ratio = |x: f64, y: f64| 10_f64.powf(holed(x, y));
        for found in [lines(10, holed, 0.02), lines(10, ratio, 1.05)] {
            assert_eq!(found.len(), 2);
            assert!(found.iter().flatten().all(|&(_, y)| (y - 50.0).abs() >= 15.0 - 1e-9), "{found:?}");
        }
        for level in [f64::NAN, f64::INFINITY, 7.0] {
            assert!(lines(10, whole, level).is_empty(), "{level}");
        }
        for n in [0, 1] {
            assert!(lines(n, whole, 0.02).is_empty(), "{n}");
        }
        assert!(lines(4, |x, _| if x > 0.5 { f64::INFINITY } else { 0.0 }, 1.0).is_empty());
    }
}
