//! Interpolation through a few points.

use fedsysid_sim::sort::sort_few;

/// A curve through points: between two of them, the cubic through the four nearest.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve(Vec<(f64, f64)>);

impl Curve {
    /// The curve through the points that are finite. Of places closer than 10⁻⁹ only the first counts.
    pub(super) fn through(mut points: Vec<(f64, f64)>) -> Self {
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        sort_few(&mut points, |a, b| a.0.total_cmp(&b.0));
        points.dedup_by(|b, a| b.0 - a.0 < 1e-9);
        Self(points)
    }

    /// The value at x, constant before the first and after the last point; NaN without points.
    pub(super) fn at(&self, x: f64) -> f64 {
        let (Some(&(first, _)), Some(&(last, _))) = (self.0.first(), self.0.last()) else { return f64::NAN };
        let x = x.clamp(first, last);
        let after = self.0.partition_point(|(place, _)| *place < x);
        let from = after.saturating_sub(2).min(self.0.len().saturating_sub(4));
        let near = &self.0[from..self.0.len().min(from + 4)];
        let basis = |(k, &(own, value)): (usize, &(f64, f64))| {
            let others = near.iter().enumerate().filter(|&(j, _)| j != k);
            others.fold(value, |product, (_, &(other, _))| product * (x - other) / (own - other))
        };
        near.iter().enumerate().map(basis).sum()
    }
}

/// The indices of the places nearest to n evenly spaced values from the first place to the last; places may be NaN.
pub(super) fn evenly(places: &[f64], n: usize) -> Vec<usize> {
    let known = || (0..places.len()).filter(|&at| places[at].is_finite());
    let (Some(first), Some(last)) = (known().next(), known().next_back()) else { return Vec::new() };
    let nearest = |k: usize| {
        let wanted = places[first] + (places[last] - places[first]) * k as f64 / (n - 1) as f64;
        let distance = |at: &usize| (places[*at] - wanted).abs();
        known().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    };
    let mut chosen: Vec<_> = (0..n).filter_map(nearest).collect();
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(places: &[f64], x: f64, expected: f64) {
        let cubic = |x: f64| 1.0 + x * (2.0 + x * (3.0 - x));
        let got = Curve::through(places.iter().map(|&x| (x, cubic(x))).collect()).at(x);
        assert!((got - expected).abs() < 1e-12 || (got.is_nan() && expected.is_nan()), "{x}: {got} {expected}");
    }

    #[test]
    fn a_cubic_is_met_everywhere_and_ends_are_held() {
        let places = [0.0, 0.5, 2.0, 2.1, 3.0, 4.5];
        for x in [0.0, 0.2, 0.5, 1.0, 2.05, 2.5, 4.0, 4.5] {
            check(&places, x, 1.0 + x * (2.0 + x * (3.0 - x)));
        }
        check(&places, -1.0, 1.0);
        check(&[4.0, 3.0, 2.0, 1.0], 9.0, -7.0);
        check(&[1.0, 2.0], 1.5, 7.0);
        check(&[1.0, 1.0, f64::NAN], 1.0, 5.0);
        check(&[], 1.0, f64::NAN);
    }

    #[test]
    fn steps_are_even_among_what_is_known() {
        let places = [f64::NAN, 0.0, 1.0, 2.0, 2.9, 4.0, f64::NAN];
        assert_eq!(evenly(&places, 5), [1, 2, 3, 4, 5]);
        assert_eq!(evenly(&places, 3), [1, 3, 5]);
        assert_eq!(evenly(&places, 50), [1, 2, 3, 4, 5]);
        assert_eq!(evenly(&[f64::NAN], 3), [0_usize; 0]);
    }
}
