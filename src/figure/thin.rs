//! Thins a path to the points that an eye can see.

use super::frame::Px;

/// Largest deviation that nobody sees, in CSS pixels.
const TOLERANCE: f64 = 0.2;

/// The same path to within [`TOLERANCE`], with fewer points.
pub(super) fn thinned(path: &[Px]) -> Vec<Px> {
    let path = one_column_at_a_time(path);
    let mut keep = vec![false; path.len()];
    let mut stretches = vec![(0, path.len().saturating_sub(1))];
    // Douglas and Peucker's method: keep the point farthest from the chord if it is far, and treat both sides of it
    // alike.
    while let Some((first, last)) = stretches.pop() {
        if let Some(flag) = keep.get_mut(first) {
            *flag = true;
        }
        if let Some(flag) = keep.get_mut(last) {
            *flag = true;
        }
        let inner = (first + 1..last).map(|idx| (idx, distance_squared(path[idx], path[first], path[last])));
        if let Some((idx, _)) = inner.filter(|&(_, d)| d > TOLERANCE * TOLERANCE).max_by(|a, b| a.1.total_cmp(&b.1)) {
            stretches.extend([(first, idx), (idx, last)]);
        }
    }
    path.into_iter().zip(keep).filter_map(|(px, keep)| keep.then_some(px)).collect()
}

/// Keeps only the first, the extreme and the last points of each column half a pixel wide, in their order.
fn one_column_at_a_time(path: &[Px]) -> Vec<Px> {
    let same_column = |a: &Px, b: &Px| (2.0 * a.0).floor().total_cmp(&(2.0 * b.0).floor()).is_eq();
    let mut kept = Vec::with_capacity(path.len());
    for column in path.chunk_by(same_column) {
        let by_height = |a: &usize, b: &usize| column[*a].1.total_cmp(&column[*b].1);
        let low = (0..column.len()).min_by(by_height).unwrap_or_default();
        let high = (0..column.len()).max_by(by_height).unwrap_or_default();
        let mut chosen = vec![0, low.min(high), low.max(high), column.len() - 1];
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|idx| column[idx]));
    }
    kept
}

/// Squared distance of a point from a segment.
fn distance_squared(point: Px, from: Px, to: Px) -> f64 {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length_squared = dx * dx + dy * dy;
    let along = (point.0 - from.0) * dx + (point.1 - from.1) * dy;
    let t = if length_squared > 0.0 { (along / length_squared).clamp(0.0, 1.0) } else { 0.0 };
    let (x, y) = (point.0 - from.0 - t * dx, point.1 - from.1 - t * dy);
    x * x + y * y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that no point of the full path is visibly far from the thinned one, and that the thinned one has at most
    /// `most` points.
    #[track_caller]
    fn check_thinned(path: &[Px], most: usize) {
        let found = thinned(path);
        assert!(found.len() <= most, "{} points of {}", found.len(), path.len());
        assert_eq!((found.first(), found.last()), (path.first(), path.last()));
        let nearest = |p: Px| {
            found.windows(2).map(|pair| distance_squared(p, pair[0], pair[1]).sqrt()).fold(f64::INFINITY, f64::min)
        };
        // Each column of half a pixel keeps its extremes, so points between them may be half a pixel off sideways.
        assert!(path.len() < 2 || path.iter().all(|&p| nearest(p) <= TOLERANCE + 0.5));
    }

    #[test]
    fn thinning_is_invisible() {
        let path = |n: u32, y: fn(f64) -> f64| -> Vec<Px> {
            (0..n).map(|k| 100.0 * f64::from(k) / f64::from(n)).map(|x| (x, y(x))).collect()
        };
        check_thinned(&[], 0);
        check_thinned(&[(3.0, 4.0)], 1);
        check_thinned(&[(3.0, 4.0), (3.0, 4.0)], 2);
        check_thinned(&path(1000, |x| 0.5 * x), 2);
        check_thinned(&path(1000, |x| 80.0 * (-x / 20.0).exp()), 30);
        check_thinned(&path(100_000, |x| 50.0 + 40.0 * (1e4 * x).sin()), 1000);
    }
}
