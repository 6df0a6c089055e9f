//! The mean spectral norm along a run, as a multiple of the root mean square error.
//!
//! A mean spectral norm takes hundreds of draws. Its ratio to the root mean square error changes smoothly along the way
//! that the mean model and the noise move, so it is computed at few records, more of them where it bends, and
//! interpolated by cubics in between.

use super::law::{Law, MeanNorms};
use fedsysid_sim::target::Truth;

/// A stretch is divided if the ratio in its middle is farther than this share from the parabola through the ends and the
/// middle of the stretch that it is a half of. Cubics then leave less than 0.1 %.
const BEND: f64 = 1.5e-3;

/// Longer stretches are always divided, in root mean square errors.
const LONGEST: f64 = 0.6;

/// A record of a run.
#[derive(Debug)]
struct Record {
    law: Law,
    rms: f64,
    /// The root of the noise's part of the mean square error.
    noise: f64,
    /// How far the mean model and the noise have moved until here, in root mean square errors.
    way: f64,
    ratio: Option<f64>,
}

/// The records between two, and the parabola that was laid through a larger stretch.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: usize,
    end: usize,
    expected: Option<[Point; 3]>,
}

/// Way and ratio.
type Point = (f64, f64);

/// The records of a run, and the ratio where it has been computed.
#[derive(Debug, Default)]
pub(crate) struct Ratios {
    records: Vec<Record>,
    /// Stretches to look at.
    open: Vec<Stretch>,
}

impl Ratios {
    /// Adds a record with this root mean square error, and this contribution of noise to its square.
    pub(crate) fn push(&mut self, law: Law, rms: f64, noise: f64) {
        let noise = noise.max(0.0).sqrt();
        let step = |last: &Record| {
            let step = (&law.mean - &last.law.mean).norm().max((noise - last.noise).abs()) / rms;
            last.way + if step.is_finite() { step } else { 0.0 }
        };
        let way = self.records.last().map_or(0.0, step);
        self.records.push(Record { law, rms, noise, way, ratio: None });
        self.open.clear();
        self.open.push(Stretch { start: 0, end: self.records.len() - 1, expected: None });
    }

    /// Computes up to three mean norms, and returns whether there are more to do.
    pub(crate) fn advance(&mut self, truth: &Truth, norms: &mut MeanNorms) -> bool {
        let Some(Stretch { start, end, expected }) = self.open.pop() else { return false };
        let [first, last] = [start, end].map(|record| self.compute(record, truth, norms));
        let half = f64::midpoint(first.0, last.0);
        let later = start + self.records[start..=end].partition_point(|record| record.way < half);
        let is_between = |&record: &usize| first.0 < self.records[record].way && self.records[record].way < last.0;
        // Without any, nothing moves but in one step.
        if let Some(middle) = [later, later.saturating_sub(1)].into_iter().find(is_between) {
            let here = self.compute(middle, truth, norms);
            let is_expected = expected.is_some_and(|points| (parabola(points, here.0) / here.1 - 1.0).abs() <= BEND);
            if !is_expected || last.0 - first.0 > LONGEST {
                let part = |start, end| Stretch { start, end, expected: Some([first, here, last]) };
                self.open.extend([part(middle, end), part(start, middle)]);
            }
        }
        !self.open.is_empty()
    }

    fn compute(&mut self, record: usize, truth: &Truth, norms: &mut MeanNorms) -> Point {
        let Record { law, rms, ratio, way, .. } = &mut self.records[record];
        let is_number = *rms > 0.0 && rms.is_finite();
        (*way, *ratio.get_or_insert_with(|| if is_number { norms.of(law, truth) / *rms } else { 1.0 }))
    }

    /// The mean spectral norm at every record, once [`Self::advance`] has returned `false`.
    pub(crate) fn means(&self) -> Vec<f64> {
        let known: Vec<Point> = self.records.iter().filter_map(|record| Some((record.way, record.ratio?))).collect();
        let slopes = slopes(&known);
        let ratio = |record: &Record| {
            let later = known.partition_point(|point| point.0 < record.way);
            match (later.checked_sub(1), known.get(later)) {
                (Some(before), Some(&end)) => cubic((known[before], slopes[before]), (end, slopes[later]), record.way),
                (None, Some(&(_, ratio))) => ratio,
                (_, None) => known.last().map_or(1.0, |&(_, ratio)| ratio),
            }
        };
        self.records.iter().map(|record| record.rms * record.ratio.unwrap_or_else(|| ratio(record))).collect()
    }
}

/// The parabola through three points.
fn parabola(points: [Point; 3], way: f64) -> f64 {
    let term = |k: usize| {
        let [here, one, other] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| points[k]);
        here.1 * (way - one.0) * (way - other.0) / ((here.0 - one.0) * (here.0 - other.0))
    };
    term(0) + term(1) + term(2)
}

/// The slope at every point: that of the parabola through it and its neighbors; at the ends, so that the stretch there
/// is a parabola.
fn slopes(points: &[Point]) -> Vec<f64> {
    let secant = |k: usize| match (points.get(k), points.get(k + 1)) {
        (Some(a), Some(b)) if b.0 > a.0 => Some(((b.1 - a.1) / (b.0 - a.0), b.0 - a.0)),
        _ => None,
    };
    let inner = |k: usize| match (k.checked_sub(1).and_then(secant), secant(k)) {
        (Some((before, left)), Some((after, right))) => Some((before * right + after * left) / (left + right)),
        _ => None,
    };
    let slope = |k: usize| {
        let (before, after) = (k.checked_sub(1).and_then(secant), secant(k));
        inner(k).unwrap_or_else(|| match (before, after) {
            (None, Some((secant, _))) => inner(k + 1).map_or(secant, |other| 2.0 * secant - other),
            (Some((secant, _)), None) => inner(k - 1).map_or(secant, |other| 2.0 * secant - other),
            _ => 0.0,
        })
    };
    (0..points.len()).map(slope).collect()
}

/// The cubic with these values and slopes at both ends.
fn cubic(((start, from), rise): (Point, f64), ((end, to), fall): (Point, f64), way: f64) -> f64 {
    let length = end - start;
    if length <= 0.0 {
        return to;
    }
    let t = (way - start) / length;
    let (before, after) = ((1.0 - t) * (1.0 - t), t * t);
    (1.0 + 2.0 * t) * before * from
        + (3.0 - 2.0 * t) * after * to
        + t * (1.0 - t) * length * ((1.0 - t) * rise - t * fall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::Matrix;
    use fedsysid_sim::family::{Family, Place};
    use fedsysid_sim::target::Target;

    #[test]
    fn between_points_of_a_parabola_is_that_parabola() {
        let at = |way: f64| 1.0 + 2.0 * way - way * way;
        let points = [0.0, 0.5, 0.7, 2.0].map(|way| (way, at(way)));
        let slopes = slopes(&points);
        for k in 0..3 {
            for way in [points[k].0, 0.3 * points[k].0 + 0.7 * points[k + 1].0, points[k + 1].0] {
                let got = cubic((points[k], slopes[k]), (points[k + 1], slopes[k + 1]), way);
                assert!((got - at(way)).abs() < 1e-14, "{way}: {got}");
            }
        }
        assert!((parabola([points[0], points[1], points[3]], 1.3) - at(1.3)).abs() < 1e-14);
    }

    /// The mean norms at records with these distances from the truth, each relative to that distance, and how often one
    /// was computed.
    fn relative(distances: &[f64]) -> (Vec<f64>, usize) {
        let family = Family::paper();
        let system = family.member(Place { a: 0.5, b: 0.5 }, 0.1).unwrap();
        let truth = Truth::new(Target::Client(0), std::slice::from_ref(&system));
        let (mut ratios, d) = (Ratios::default(), system.theta().ncols());
        for &distance in distances {
            // All of the error is in one entry, so the spectral norm is the distance.
            let mut mean = system.theta();
            mean[(1, 2)] += distance;
            ratios.push(Law { mean, covariance: Matrix::zeros(d, d) }, distance, 0.0);
        }
        while ratios.advance(&truth, &mut MeanNorms::new(family.dims())) {}
        let means = ratios.means().iter().zip(distances).map(|(mean, distance)| mean / distance).collect();
        (means, ratios.records.iter().filter(|record| record.ratio.is_some()).count())
    }

    #[test]
    fn every_record_has_a_mean_however_few_there_are_or_how_little_moves() {
        assert_eq!(relative(&[]), (Vec::new(), 0));
        for distances in [&[0.3][..], &[0.3, 0.2], &[0.3; 5], &[0.3, 0.3, 0.2, 0.2], &[0.3, 0.2, 0.1999, 0.05]] {
            let (means, n_computed) = relative(distances);
            assert!(means.len() == distances.len() && n_computed <= means.len(), "{distances:?}");
            assert!(means.iter().all(|mean| (mean - 1.0).abs() < 1e-6), "{distances:?}: {means:?}");
        }
        let falling: Vec<_> = (0..200).map(|round| 0.99_f64.powi(round)).collect();
        let (means, n_computed) = relative(&falling);
        assert!(means.iter().all(|mean| (mean - 1.0).abs() < 1e-6), "{means:?}");
        assert!(n_computed < 20, "{n_computed}");
    }

    /// Beyond what numbers can hold, the mean is what the root mean square is.
    #[test]
    fn an_error_that_is_no_number_stays_what_it_is() {
        let mut ratios = Ratios::default();
        let truth = Truth::new(Target::Client(0), &[Family::paper().member(Place { a: 0.5, b: 0.5 }, 0.1).unwrap()]);
        for rms in [1.0, f64::INFINITY, f64::NAN] {
            ratios.push(Law { mean: Matrix::zeros(3, 5), covariance: Matrix::zeros(5, 5) }, rms, rms);
        }
        while ratios.advance(&truth, &mut MeanNorms::new(Family::paper().dims())) {}
        let means = ratios.means();
        assert!(means[0].is_finite() && means[1].is_infinite() && means[2].is_nan(), "{means:?}");
    }
}
