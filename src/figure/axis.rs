//! Axis ranges for any data, NaN, infinities and zeros included.

use super::{Curve, Level, Scale};

/// Limits of lengths along an axis, which keep the arithmetic far from the ends of `f64`.
const LINEAR_LIMIT: f64 = 1e300;
const LOG_LIMIT: f64 = 300.0;
/// How far a run that rises above the highest start is shown, if it does not come back and if it does: in decades on a
/// log axis, in multiples of the start on a linear one.
const LOG_RISE: (f64, f64) = (0.5, 2.0);
const LINEAR_RISE: (f64, f64) = (1.5, 3.0);
/// How far bands and levels may lengthen an axis at either end, in multiples of the length that the curves need.
const REACH: f64 = 0.75;

impl Scale {
    /// Whether the axis can show this value: finite and, on a log axis, positive.
    pub fn shows(self, value: f64) -> bool {
        value.is_finite() && (self == Scale::Linear || value > 0.0)
    }

    /// The value as a length along the axis: itself, or its decimal logarithm. Infinity stays infinite; NaN, and values
    /// that a log axis cannot show, become NaN.
    pub fn forward(self, value: f64) -> f64 {
        match self {
            Scale::Linear => value,
            Scale::Log10 if value > 0.0 => value.log10(),
            Scale::Log10 => f64::NAN,
        }
    }

    /// The value at a length along the axis.
    pub fn backward(self, length: f64) -> f64 {
        match self {
            Scale::Linear => length,
            Scale::Log10 => 10_f64.powf(length),
        }
    }
}

/// A range for the vertical axis that shows every point of every curve.
///
/// Bands and levels may lengthen it, but only so far: a reference far away is marked at the edge instead of squashing
/// the curves. Never empty, never NaN, whatever the data.
pub fn fit(scale: Scale, curves: &[Curve], levels: &[Level]) -> (f64, f64) {
    fit_below(scale, curves, levels, &|_| f64::INFINITY, 0.0)
}

/// A range for runs that start high and should fall: as [`fit`], but a run that diverges is shown up to 3 times the
/// highest start (1.5 times on a linear axis) and cut off above, so that the other runs and the references keep their
/// shape. Where every run diverges, the range may reach down to references up to 100 times below.
pub fn fit_runs(scale: Scale, curves: &[Curve], levels: &[Level]) -> (f64, f64) {
    let starts = curves.iter().filter_map(|curve| curve.points.iter().find(|point| scale.shows(point.y)));
    let start = starts.map(|point| scale.forward(point.y)).fold(f64::NEG_INFINITY, f64::max);
    if start.is_infinite() {
        return fit(scale, curves, levels);
    }
    let (nearby, far) = match scale {
        Scale::Log10 => (start + LOG_RISE.0, start + LOG_RISE.1),
        Scale::Linear => (LINEAR_RISE.0 * start.abs(), LINEAR_RISE.1 * start.abs()),
    };
    let leaves = |curve: &Curve| {
        let mut lengths = curve.points.iter().map(|point| scale.forward(point.y));
        lengths.rfind(|t| !t.is_nan()).is_some_and(|end| end > nearby)
    };
    let reach = if curves.iter().all(leaves) { far - start } else { 0.0 };
    fit_below(scale, curves, levels, &|curve| if leaves(curve) { nearby } else { far }, reach)
}

/// A range for the horizontal axis: from the first recorded abscissa to the last.
pub fn fit_x(scale: Scale, curves: &[Curve]) -> (f64, f64) {
    let all = curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.x));
    let (low, high) = extent(all.filter(|&x| scale.shows(x)));
    usable(scale, (low, high))
}

/// The given range if an axis can use it, else the nearest range that it can use.
pub fn usable(scale: Scale, (low, high): (f64, f64)) -> (f64, f64) {
    if !(scale.shows(low) && scale.shows(high)) {
        return match scale {
            Scale::Linear => (0.0, 1.0),
            Scale::Log10 => (0.1, 1.0),
        };
    }
    let (a, b) = (scale.forward(low), scale.forward(high));
    let (least, spare, limit) = match scale {
        Scale::Linear => (1e-9 * a.abs().max(b.abs()), 0.5, LINEAR_LIMIT),
        Scale::Log10 => (1e-6, 0.3, LOG_LIMIT),
    };
    let (a, b) = (a.clamp(-limit, limit), b.clamp(-limit, limit));
    if b - a > least {
        return (scale.backward(a), scale.backward(b));
    }
    (scale.backward(a.min(b) - spare - least), scale.backward(a.max(b) + spare + least))
}

/// The fit that cuts every curve off above its ceiling (a length along the axis). Bands and levels may lengthen it by
/// at least `reach` at either end.
fn fit_below(
    scale: Scale,
    curves: &[Curve],
    levels: &[Level],
    ceiling: &dyn Fn(&Curve) -> f64,
    reach: f64,
) -> (f64, f64) {
    let length = |y: f64| Some(scale.forward(y)).filter(|_| scale.shows(y));
    let levels: Vec<f64> = levels.iter().filter_map(|level| length(level.value)).collect();
    let (mut points, mut bands) = (Vec::new(), Vec::new());
    for curve in curves {
        let top = ceiling(curve);
        let lengths = curve.points.iter().map(|point| scale.forward(point.y)).filter(|t| !t.is_nan());
        let below = lengths.map(|t| t.min(top)).filter(|t| t.is_finite());
        points.extend(below.map(|t| t.clamp(-LINEAR_LIMIT, LINEAR_LIMIT)));
        let bounds = curve.band.iter().flat_map(|band| [band.low, band.high]);
        bands.extend(bounds.filter_map(length).filter(|&t| t <= top));
    }
    let core = if points.is_empty() { &levels } else { &points };
    if core.is_empty() {
        return usable(scale, (f64::NAN, f64::NAN));
    }
    let (low, high) = opened(scale, extent(core.iter().copied()));
    let reach = reach.max(REACH * (high - low));
    let near = bands.iter().chain(&levels).filter(|&&t| low - reach <= t && t <= high + reach);
    let (low, high) = near.fold((low, high), |(low, high), &t| (low.min(t), high.max(t)));
    match scale {
        // A margin, so that no curve runs along an axis.
        Scale::Log10 => snapped_log(low - 0.02 * (high - low), high + 0.02 * (high - low)),
        Scale::Linear => snapped_linear(low, high),
    }
}

/// The smallest and the largest value; `(∞, −∞)` if there are none.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// The range widened to at least a factor of two on a log axis, or a tenth of the value on a linear one: a flat curve
/// should look flat.
fn opened(scale: Scale, (low, high): (f64, f64)) -> (f64, f64) {
    let largest = low.abs().max(high.abs());
    let least = match scale {
        Scale::Log10 => 0.3,
        Scale::Linear if largest == 0.0 => return (0.0, 1.0),
        Scale::Linear => 0.1 * largest,
    };
    let missing = (least - (high - low)).max(0.0);
    (low - 0.5 * missing, high + 0.5 * missing)
}

/// The range widened to round numbers, so that the axis stands still while a slider moves the curves a little.
fn snapped_log(low: f64, high: f64) -> (f64, f64) {
    const GRID: [f64; 10] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0];
    let places = |t: f64| {
        let decade = t.floor();
        (-1..=1).flat_map(move |k| GRID.map(move |step| decade + f64::from(k) + step.log10()))
    };
    let slack = 1e-9;
    let below = places(low).filter(|&place| place <= low + slack).fold(low.floor() - 1.0, f64::max);
    let above = places(high).filter(|&place| place >= high - slack).fold(high.ceil() + 1.0, f64::min);
    usable(Scale::Log10, (10_f64.powf(below.max(-LOG_LIMIT)), 10_f64.powf(above.min(LOG_LIMIT))))
}

/// The range widened to multiples of half a tick; down to zero when that is not much further.
fn snapped_linear(low: f64, high: f64) -> (f64, f64) {
    let low = if low >= 0.0 && low < 0.5 * high { 0.0 } else { low };
    let step = round_step((high - low) / 10.0);
    usable(Scale::Linear, ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step))
}

/// The smallest 1, 2 or 5 times a power of ten that is not below `least`.
pub(super) fn round_step(least: f64) -> f64 {
    let decade = 10_f64.powf(least.max(1e-300).log10().floor());
    [1.0, 2.0, 5.0].map(|step| step * decade).into_iter().find(|&step| step >= least).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Band, CurveKind, Point, Role};

    fn curve(ys: &[f64]) -> Curve {
        let points = ys.iter().enumerate().map(|(k, &y)| Point { x: k as f64, y }).collect();
        Curve { role: Role::FedLin, kind: CurveKind::Measured, label: String::new(), points, band: Vec::new() }
    }

    fn level(value: f64) -> Level {
        Level { role: Role::Pooled, label: String::new(), value }
    }

    /// Checks that two ranges agree to a relative 1e-9.
    #[track_caller]
    fn close(found: (f64, f64), expected: (f64, f64)) {
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-300);
        assert!(near(found.0, expected.0) && near(found.1, expected.1), "{found:?}, expected {expected:?}");
    }

    #[test]
    fn a_log_range_holds_the_curves_and_the_levels_nearby() {
        let run = [curve(&[1.9, 0.9, 0.3, 0.18])];
        for (levels, expected) in [
            (vec![], (0.15, 2.0)),
            (vec![level(0.168), level(0.25)], (0.15, 2.0)),
            (vec![level(3.0)], (0.15, 4.0)),
            (vec![level(8.0), level(0.04)], (0.03, 10.0)),
            (vec![level(16.0), level(0.02)], (0.15, 2.0)),
            (vec![level(1e6), level(1e-9), level(f64::NAN), level(0.0)], (0.15, 2.0)),
        ] {
            close(fit(Scale::Log10, &run, &levels), expected);
            close(fit_runs(Scale::Log10, &run, &levels), expected);
        }
    }

    #[test]
    fn a_range_survives_any_data() {
        let (log, linear) = (Scale::Log10, Scale::Linear);
        close(fit(log, &[], &[]), (0.1, 1.0));
        close(fit(linear, &[], &[]), (0.0, 1.0));
        close(fit(log, &[curve(&[f64::NAN, f64::INFINITY, 0.0, -3.0])], &[]), (0.1, 1.0));
        close(fit(log, &[curve(&[1.0])], &[]), (0.6, 1.5));
        close(fit(log, &[curve(&[0.2, 0.2])], &[]), (0.12, 0.3));
        close(fit(log, &[], &[level(0.2)]), (0.12, 0.3));
        close(fit(linear, &[curve(&[0.0, 0.0])], &[]), (0.0, 1.0));
        close(fit(linear, &[curve(&[1.9, 0.2])], &[]), (0.0, 2.0));
        close(fit(linear, &[curve(&[-1.0, 3.0])], &[]), (-1.0, 3.0));
        close(fit(linear, &[curve(&[100.0, 101.0])], &[]), (94.0, 106.0));
        close(fit(log, &[curve(&[1e-320, 1e308])], &[]), (1e-300, 1e300));
        close(fit_x(linear, &[curve(&[1.0])]), (-0.5, 0.5));
        close(fit_x(linear, &[curve(&[1.0, f64::NAN, 2.0])]), (0.0, 2.0));
        close(fit_x(linear, &[]), (0.0, 1.0));
    }

    /// A run whose error triples in every round, and ends as infinity and NaN.
    fn diverging() -> Curve {
        let ys: Vec<f64> = (0..60).map(|k| 1.5 * 3_f64.powi(k)).chain([f64::INFINITY, f64::NAN]).collect();
        curve(&ys)
    }

    #[test]
    fn a_diverging_run_is_let_go() {
        let runs = [curve(&[1.8, 0.5, 0.2]), diverging()];
        close(fit_runs(Scale::Log10, &runs, &[]), (0.15, 8.0));
        close(fit_runs(Scale::Linear, &runs, &[]), (0.0, 3.0));
        assert!(fit(Scale::Log10, &runs, &[]).1 > 1e28);
    }

    #[test]
    fn a_run_that_comes_back_is_shown_on_its_way() {
        close(fit_runs(Scale::Log10, &[curve(&[1.8, 60.0, 0.2])], &[]), (0.15, 80.0));
        close(fit_runs(Scale::Log10, &[curve(&[1.8, 60.0, 7.0])], &[]), (1.5, 6.0));
        close(fit_runs(Scale::Log10, &[curve(&[1.8, 4.0])], &[]), (1.5, 5.0));
    }

    #[test]
    fn where_all_runs_diverge_references_stay_in_view() {
        let levels = [level(0.23), level(0.19), level(1e-9)];
        close(fit_runs(Scale::Log10, &[diverging()], &levels), (0.15, 6.0));
        close(fit_runs(Scale::Log10, &[curve(&[1.5, f64::INFINITY])], &levels), (0.15, 6.0));
        close(fit_runs(Scale::Linear, &[diverging()], &levels), (0.0, 2.5));
    }

    #[test]
    fn a_band_does_not_squash_its_curve() {
        let mut run = curve(&[1.9, 0.2]);
        run.band = vec![Band { x: 0.0, low: 1e-12, high: 2.2 }, Band { x: 1.0, low: -0.1, high: 0.3 }];
        close(fit(Scale::Log10, &[run], &[]), (0.15, 2.5));
    }

    #[test]
    fn an_unusable_range_is_replaced() {
        for (scale, given, expected) in [
            (Scale::Linear, (3.0, 7.0), (3.0, 7.0)),
            (Scale::Linear, (f64::NAN, 7.0), (0.0, 1.0)),
            (Scale::Linear, (f64::INFINITY, f64::NEG_INFINITY), (0.0, 1.0)),
            (Scale::Linear, (7.0, 3.0), (2.5 - 7e-9, 7.5 + 7e-9)),
            (Scale::Log10, (0.01, 10.0), (0.01, 10.0)),
            (Scale::Log10, (0.0, 10.0), (0.1, 1.0)),
            (Scale::Log10, (-1.0, -0.5), (0.1, 1.0)),
        ] {
            close(usable(scale, given), expected);
        }
    }
}
