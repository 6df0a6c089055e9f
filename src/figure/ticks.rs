//! Places and labels of the ticks of an axis.

use super::axis::{round_step, usable};
use super::frame::Frame;
use super::number::{count, is_power, number_to, power_of_ten};
use super::rows::LINE;
use super::text::width;
use super::{Axis, Scale};

/// A labeled tick of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Its value on the axis.
    pub value: f64,
    /// The number beside the tick.
    pub label: String,
}

/// The ticks of two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ticks {
    /// Labeled ticks of the horizontal axis.
    pub x: Vec<Tick>,
    /// Unlabeled ticks of the horizontal axis.
    pub x_minor: Vec<f64>,
    /// Labeled ticks of the vertical axis.
    pub y: Vec<Tick>,
    /// Unlabeled ticks of the vertical axis.
    pub y_minor: Vec<f64>,
}

impl Ticks {
    /// Ticks of the vertical axis, about three lines of type apart.
    pub(super) fn of_y(axis: &Axis, side: &Frame, text_px: f64) -> Self {
        let apart = |found: &Vec<Tick>| {
            let heights = || found.iter().map(|tick| side.height_of(tick.value));
            heights().zip(heights().skip(1)).all(|(below, above)| below - above >= LINE * text_px)
        };
        let most = (side.plot.height / (3.0 * text_px)).clamp(2.0, 6.0);
        let mut tried = (2..=6_usize).rev().filter(|&k| k as f64 <= most).map(|k| axis.ticks(k));
        let y = tried.find(apart).unwrap_or_default();
        let y_minor = axis.minor_ticks(&y, side.plot.height);
        Self { y, y_minor, ..Self::default() }
    }

    /// Adds the ticks of the horizontal axis: as many as have room for their labels.
    pub(super) fn with_x(self, axis: &Axis, frame: &Frame, text_px: f64) -> Self {
        // On an axis of many decades, room for one tick at each.
        let most = if axis.scale == Scale::Log10 && axis.range.1 / axis.range.0 > 0.99e6 { 8 } else { 6 };
        let mut tried = (2..=most).rev().map(|most| axis.ticks(most));
        let x = tried.find(|found| clear(found, frame, text_px)).unwrap_or_default();
        let x_minor = axis.minor_ticks(&x, frame.plot.width);
        Self { x, x_minor, ..self }
    }
}

impl Axis {
    /// At most `most` labeled ticks.
    fn ticks(&self, most: usize) -> Vec<Tick> {
        ticks(self.scale, self.range, most, self.whole)
    }

    /// Unlabeled ticks of the axis, which is `length` pixels long; none without labeled ones.
    fn minor_ticks(&self, ticks: &[Tick], length: f64) -> Vec<f64> {
        let mut found = if ticks.is_empty() { Vec::new() } else { minor_ticks(self.scale, self.range, length) };
        found.retain(|value| !self.whole || is_whole(*value));
        found
    }
}

/// Whether no label touches the next one.
fn clear(ticks: &[Tick], frame: &Frame, t: f64) -> bool {
    let half = |tick: &Tick| 0.5 * width(&tick.label, t, false);
    let edges = |tick: &Tick| (frame.place_of(tick.value) - half(tick), frame.place_of(tick.value) + half(tick));
    ticks.windows(2).all(|pair| edges(&pair[1]).0 - edges(&pair[0]).1 >= t)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() <= 1e-9 * value.abs()
}

/// At most `most` ticks inside the range; at whole numbers only, if `whole`.
///
/// On a log axis: 1-2-5 in each decade where there is room; on long ranges, decades or every n-th decade; on less than
/// a decade, equal steps.
pub fn ticks(scale: Scale, range: (f64, f64), most: usize, whole: bool) -> Vec<Tick> {
    let range = usable(scale, range);
    match scale {
        Scale::Linear => linear_ticks(range, most, whole),
        Scale::Log10 => log_ticks(range, most, whole),
    }
}

fn linear_ticks((low, high): (f64, f64), most: usize, whole: bool) -> Vec<Tick> {
    let most = most.max(2) as f64;
    let mut step = round_step((high - low) / (2.0 * most)).max(if whole { 1.0 } else { 0.0 });
    while (high / step + 1e-9).floor() - (low / step - 1e-9).ceil() >= most {
        step = round_step(1.1 * step);
    }
    let digits = significant(low.abs().max(high.abs()), step);
    multiples((low, high), step).into_iter().map(|value| Tick { value, label: number_to(value, digits) }).collect()
}

/// Number of digits that tells multiples of `step` apart, up to `largest`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 3 to 15")]
fn significant(largest: f64, step: f64) -> usize {
    ((largest / step).log10().ceil() + 1.0).clamp(3.0, 15.0) as usize
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to a million")]
fn log_ticks(range: (f64, f64), most: usize, whole: bool) -> Vec<Tick> {
    let values = log_values(range, most.max(2), whole);
    let in_powers = values.iter().any(|&value| is_power(value));
    // Counts are written out up to a million.
    let are_counts = values.iter().all(|value| (0.99..1.01e6).contains(value));
    let digits = significant(range.1, range.1 - range.0) + 1;
    let label = |value: f64| match value {
        _ if !in_powers || (0.99..10.1).contains(&value) => number_to(value, digits),
        _ if are_counts => count(value.round() as usize),
        _ => power_of_ten(value, digits),
    };
    values.into_iter().map(|value| Tick { value, label: label(value) }).collect()
}

fn log_values(range: (f64, f64), most: usize, whole: bool) -> Vec<f64> {
    // The longest choice; among equally long ones the first, so 1-2-5 before its rivals.
    let longest = |choices: Vec<Vec<f64>>| {
        let kept = choices.into_iter().map(|mut values| {
            values.retain(|&value| !whole || is_whole(value));
            values
        });
        let fitting = kept.filter(|values| values.len() <= most);
        fitting.reduce(|best, next| if next.len() > best.len() { next } else { best }).unwrap_or_default()
    };
    let strides = [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0];
    let mut choices = vec![places(range, &[1.0, 2.0, 5.0], 1.0), places(range, &[1.0, 3.0], 1.0)];
    choices.extend(strides.map(|stride| places(range, &[1.0], stride)));
    if range.1 >= 10.0 * range.0 {
        return longest(choices);
    }
    let unit = 10_f64.powf((range.1 - range.0).log10().floor() - 1.0);
    let equal = |steps: &[f64]| steps.iter().map(|step| multiples(range, step * unit)).collect::<Vec<_>>();
    choices.extend(equal(&[1.0, 2.0, 5.0, 10.0, 20.0, 50.0]));
    let round = longest(choices);
    // Where six ticks have room but round steps give only two, less round steps give three.
    let other = if round.len() < 3 { longest(equal(&[2.5, 25.0, 4.0, 40.0])) } else { Vec::new() };
    if other.len() > round.len() { other } else { round }
}

/// Every multiple of `step` inside the range, which may be at most a few hundred steps long.
fn multiples((low, high): (f64, f64), step: f64) -> Vec<f64> {
    let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // Adding 0.0 turns −0 into 0.
    std::iter::successors(Some(first), |k| Some(k + 1.0)).take_while(|&k| k <= last).map(|k| k * step + 0.0).collect()
}

/// The given multiples of every `stride`-th power of ten inside the range.
fn places((low, high): (f64, f64), steps: &[f64], stride: f64) -> Vec<f64> {
    let slack = 1.0 + 1e-9;
    let mut decade = (low.log10() / stride).floor() * stride;
    let mut found = Vec::new();
    while decade <= high.log10() + 1e-9 {
        let values = steps.iter().map(|step| step * 10_f64.powf(decade));
        found.extend(values.filter(|&v| v * slack >= low && v <= high * slack));
        decade += stride;
    }
    found
}

/// Unlabeled ticks that make a log axis, `length` pixels long, recognizable: 1 to 9 of each decade where these can be
/// told apart, else every decade.
pub fn minor_ticks(scale: Scale, range: (f64, f64), length: f64) -> Vec<f64> {
    let range = usable(scale, range);
    let decade = length / (scale.forward(range.1) - scale.forward(range.0));
    match scale {
        Scale::Log10 if decade >= 40.0 => places(range, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], 1.0),
        Scale::Log10 if decade >= 4.0 => places(range, &[1.0], 1.0),
        Scale::Log10 | Scale::Linear => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_ticks(scale: Scale, range: (f64, f64), most: usize, expected: &[&str]) {
        let labels: Vec<String> = ticks(scale, range, most, false).into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, expected, "{scale:?} {range:?} {most}");
    }

    #[test]
    fn ticks_are_few_and_round() {
        let log = Scale::Log10;
        check_ticks(log, (0.1, 2.0), 6, &["0.1", "0.2", "0.5", "1", "2"]);
        check_ticks(log, (0.01, 2.0), 6, &["0.01", "0.03", "0.1", "0.3", "1"]);
        check_ticks(log, (0.001, 1.0), 6, &["0.001", "0.01", "0.1", "1"]);
        check_ticks(log, (0.15, 250.0), 6, &["0.3", "1", "3", "10", "30", "100"]);
        check_ticks(log, (0.12, 0.3), 6, &["0.15", "0.2", "0.25", "0.3"]);
        check_ticks(log, (0.1, 2.0), 3, &["0.1", "0.3", "1"]);
        check_ticks(log, (0.1, 2.0), 2, &["0.1", "1"]);
        check_ticks(log, (1e-8, 10.0), 6, &["10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "1"]);
        check_ticks(log, (1.0, 1500.0), 6, &["1", "10", "100", "1000"]);
        let counts = ["1", "10", "100", "1000", "10\u{202f}000", "100\u{202f}000", "1\u{202f}000\u{202f}000"];
        check_ticks(log, (1.0, 1e6), 7, &counts);
        check_ticks(log, (1.0, 1e6), 6, &[counts[0], counts[2], counts[4], counts[6]]);
        check_ticks(log, (1.0, 1e7), 8, &["1", "10", "10²", "10³", "10⁴", "10⁵", "10⁶", "10⁷"]);
        check_ticks(log, (1.0, 1e12), 6, &["1", "10³", "10⁶", "10⁹", "10¹²"]);
        check_ticks(Scale::Linear, (0.0, 200.0), 6, &["0", "50", "100", "150", "200"]);
        check_ticks(Scale::Linear, (0.0, 1.0), 6, &["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        check_ticks(Scale::Linear, (101_000.0, 101_500.0), 4, &["101\u{202f}000", "101\u{202f}200", "101\u{202f}400"]);
    }

    #[test]
    fn rounds_get_whole_ticks() {
        let values = |high| ticks(Scale::Linear, (0.0, high), 6, true).into_iter().map(|tick| tick.value);
        assert_eq!(values(1.0).collect::<Vec<_>>(), [0.0, 1.0]);
        assert_eq!(values(3.0).collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
    }

    #[test]
    fn less_than_a_decade_has_three_ticks_and_more() {
        for low in (0..40).map(|k| 0.01 * 10_f64.powf(f64::from(k) * 0.093)) {
            for ratio in (1..60).map(|k| 1.01 * 1.039_f64.powi(k)) {
                for most in 4..7 {
                    let found = ticks(Scale::Log10, (low, low * ratio), most, false);
                    assert!((most / 2..=most).contains(&found.len()), "{low} to {} at {most}: {found:?}", low * ratio);
                }
            }
        }
    }

    #[test]
    fn whole_quantities_have_whole_ticks() {
        for low in 1..60 {
            for high in low + 2..10 * low {
                for most in 4..7 {
                    let range = (f64::from(low), f64::from(high));
                    let found = ticks(Scale::Log10, range, most, true);
                    assert!(found.iter().all(|tick| is_whole(tick.value)), "{range:?}: {found:?}");
                    assert!((most / 2..=most).contains(&found.len()), "{range:?} at {most}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn every_usable_range_has_ticks_inside_it() {
        for low in (-30..30).map(|k| 10_f64.powf(f64::from(k) * 0.37)) {
            for ratio in [1.001, 1.1, 1.9, 4.0, 9.9, 33.0, 1e3, 1e5, 1e9, 1e40] {
                for most in 2..8 {
                    for scale in [Scale::Log10, Scale::Linear] {
                        let found = ticks(scale, (low, low * ratio), most, false);
                        assert!((1..=most).contains(&found.len()), "{scale:?} {low} {ratio} {most}: {found:?}");
                        let (high, slack) = (low * ratio, 1e-6 * low * (ratio - 1.0));
                        let inside = |v: f64| v >= low - slack && v <= high + slack;
                        assert!(found.iter().all(|tick| inside(tick.value)), "{scale:?} {low} {ratio}: {found:?}");
                        assert!(found.windows(2).all(|pair| pair[0].label != pair[1].label), "{found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn minor_ticks_only_where_they_can_be_told_apart() {
        let n_ticks = |scale, range, length| minor_ticks(scale, range, length).len();
        assert_eq!(n_ticks(Scale::Log10, (0.1, 2.0), 400.0), 11);
        assert_eq!(n_ticks(Scale::Log10, (1.0, 1e6), 800.0), 55);
        assert_eq!(n_ticks(Scale::Log10, (1.0, 1e6), 200.0), 7);
        assert_eq!(n_ticks(Scale::Log10, (1e-300, 1e300), 800.0), 0);
        assert_eq!(n_ticks(Scale::Log10, (1.0, 10.0), 0.0), 0);
        assert_eq!(n_ticks(Scale::Linear, (0.0, 1.0), 400.0), 0);
    }
}
