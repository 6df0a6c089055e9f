//! Clips paths and polygons to a plot.

use super::frame::{Px, Rect};

/// The parts of a path inside the plot.
pub(super) fn clipped_line(plot: &Rect, path: &[Px]) -> Vec<Vec<Px>> {
    if let [only] = path {
        return if plot.contains(*only) { vec![vec![*only]] } else { Vec::new() };
    }
    let mut parts: Vec<Vec<Px>> = Vec::new();
    for (from, to) in path.windows(2).filter_map(|pair| clipped_segment(plot, pair[0], pair[1])) {
        match parts.last_mut() {
            Some(part) if part.last() == Some(&from) => part.push(to),
            _ => parts.push(vec![from, to]),
        }
    }
    parts
}

/// The part of a segment inside the plot; ends inside the plot are kept exactly.
pub(super) fn clipped_segment(plot: &Rect, from: Px, to: Px) -> Option<(Px, Px)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let sides = [
        (-dx, from.0 - plot.left),
        (dx, plot.right() - from.0),
        (-dy, from.1 - plot.top),
        (dy, plot.bottom() - from.1),
    ];
    for (outward, room) in sides {
        if outward == 0.0 && room < 0.0 {
            return None;
        } else if outward < 0.0 {
            enter = enter.max(room / outward);
        } else if outward > 0.0 {
            leave = leave.min(room / outward);
        }
    }
    let at = |t: f64| plot.nearest((from.0 + t * dx, from.1 + t * dy));
    let start = if enter > 0.0 { at(enter) } else { from };
    let end = if leave < 1.0 { at(leave) } else { to };
    (enter <= leave).then_some((start, end))
}

/// The part of a polygon inside the plot, found by cutting at one edge after the other.
pub(super) fn clipped_polygon(plot: &Rect, outline: Vec<Px>) -> Vec<Px> {
    let cut = |outline: Vec<Px>, depth: &dyn Fn(Px) -> f64| {
        let mut kept = Vec::with_capacity(outline.len() + 4);
        for (idx, &to) in outline.iter().enumerate() {
            let from = outline[(idx + outline.len() - 1) % outline.len()];
            let (a, b) = (depth(from), depth(to));
            if (a < 0.0) != (b < 0.0) {
                let t = a / (a - b);
                kept.push((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)));
            }
            if b >= 0.0 {
                kept.push(to);
            }
        }
        kept
    };
    let outline = cut(outline, &|(x, _)| x - plot.left);
    let outline = cut(outline, &|(x, _)| plot.right() - x);
    let outline = cut(outline, &|(_, y)| y - plot.top);
    cut(outline, &|(_, y)| plot.bottom() - y)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Rect = Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };

    #[test]
    fn what_touches_the_plot_is_cut_and_what_does_not_is_gone() {
        let cut = |from, to| clipped_segment(&PLOT, from, to);
        assert_eq!(cut((10.0, 10.0), (20.0, 30.0)), Some(((10.0, 10.0), (20.0, 30.0))));
        assert_eq!(cut((-50.0, 50.0), (50.0, 50.0)), Some(((0.0, 50.0), (50.0, 50.0))));
        assert_eq!(cut((50.0, 50.0), (50.0, 150.0)), Some(((50.0, 50.0), (50.0, 100.0))));
        assert_eq!(cut((-10.0, -10.0), (-20.0, 50.0)), None);
        assert_eq!(cut((-10.0, 90.0), (50.0, 200.0)), None);
        let over = clipped_line(&PLOT, &[(10.0, 50.0), (20.0, -50.0), (30.0, 50.0)]);
        assert_eq!(over, [vec![(10.0, 50.0), (15.0, 0.0)], vec![(25.0, 0.0), (30.0, 50.0)]]);
        assert!(clipped_line(&PLOT, &[(10.0, 150.0)]).is_empty());
    }

    #[test]
    fn a_polygon_around_the_plot_is_the_plot() {
        let around = vec![(-9.0, -9.0), (109.0, -9.0), (109.0, 109.0), (-9.0, 109.0)];
        let mut found = clipped_polygon(&PLOT, around);
        found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        assert_eq!(found, [(0.0, 0.0), (0.0, 100.0), (100.0, 0.0), (100.0, 100.0)]);
        assert!(clipped_polygon(&PLOT, vec![(-9.0, 0.0), (-1.0, 0.0), (-5.0, 9.0)]).is_empty());
    }
}
