//! Converts values to steps of a color ramp.

/// Number of colors of a ramp: people cannot tell more apart, and fewer show as bands. An even number, so that no step
/// has values on both sides of the middle.
const STEPS: u8 = 64;

/// The kind of a map's values, which decides how they are colored. (The colors themselves are in a
/// [`Theme`](crate::figure::theme::Theme).)
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ramp {
    /// Positive ratios, on a logarithmic scale around "no difference", 1.
    Diverging {
        /// The largest ratio with a color of its own, above 1; the smallest one is its inverse. Ratios beyond have the
        /// same colors.
        reach: f64,
    },
    /// Factors by which an error shrinks in a round, 0 to 1; larger ones diverge, and are black.
    Contraction,
}

/// The color of a value: a step of a ramp, or one of two other colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::figure) enum Shade {
    /// The value is not known.
    Unknown,
    /// One of the ramp's colors.
    Step(u8),
    /// The value is off the ramp: it diverges.
    Diverges,
}

impl Ramp {
    /// A ramp around 1 that reaches to the ratio farthest from 1, rounded up so that the ramp stays the same while the
    /// ratios change a little; at most to 100.
    pub fn around(ratios: &[f64]) -> Self {
        let logs = ratios.iter().map(|ratio| ratio.ln().abs()).filter(|log| log.is_finite());
        let farthest = logs.fold(0.0, f64::max).exp();
        let reach = [2.0, 3.0, 5.0, 10.0, 20.0, 50.0].into_iter().find(|reach| *reach >= farthest - 1e-9);
        Self::Diverging { reach: reach.unwrap_or(100.0) }
    }

    /// The shade of a value.
    pub(in crate::figure) fn shade(self, value: f64) -> Shade {
        match self {
            _ if value.is_nan() || value < 0.0 => Shade::Unknown,
            Self::Contraction if value > 1.0 => Shade::Diverges,
            _ => Shade::Step(step(self.place(value))),
        }
    }

    /// The place of a value along the ramp: 0 to 1, or outside for values off the ramp.
    pub(super) fn place(self, value: f64) -> f64 {
        match self {
            Self::Diverging { reach } => 0.5 + 0.5 * value.ln() / usable(reach).ln(),
            Self::Contraction => value,
        }
    }

    /// Values to label on a key.
    pub(super) fn marks(self) -> Vec<f64> {
        match self {
            Self::Contraction => vec![0.0, 0.5, 1.0],
            Self::Diverging { reach } => {
                let reach = usable(reach);
                let round: &[f64] = if reach <= 20.0 { &[2.0, 5.0, 10.0, 20.0] } else { &[10.0, 100.0, 1e3] };
                let round = round.iter().copied().filter(|&value| value <= reach * (1.0 + 1e-9));
                let above: Vec<f64> = round.collect();
                above.iter().rev().map(|value| 1.0 / value).chain([1.0]).chain(above.iter().copied()).collect()
            }
        }
    }
}

impl Shade {
    /// Every color of a ramp, in order.
    pub(super) fn ramp() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..STEPS).map(Self::Step)
    }

    /// The middle of a step of the ramp, 0 to 1.
    pub(in crate::figure) fn middle(step: u8) -> f64 {
        (f64::from(step) + 0.5) / f64::from(STEPS)
    }
}

/// The given reach if it is finite and above 1, else 2.
fn usable(reach: f64) -> f64 {
    if reach.is_finite() && reach > 1.0 + 1e-9 { reach } else { 2.0 }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 63")]
fn step(place: f64) -> u8 {
    (place * f64::from(STEPS)).floor().clamp(0.0, f64::from(STEPS - 1)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ramp: Ramp, value: f64, expected: Shade) {
        assert_eq!(ramp.shade(value), expected, "{value} on {ramp:?}");
    }

    #[test]
    fn a_ratio_has_the_color_of_its_side() {
        let ramp = Ramp::Diverging { reach: 4.0 };
        for (value, step) in [(0.25, 0), (0.5, 16), (0.999, 31), (1.0, 32), (2.0, 48), (3.99, 63), (4.0, 63)] {
            check(ramp, value, Shade::Step(step));
        }
        check(ramp, 1e-9, Shade::Step(0));
        check(ramp, 0.0, Shade::Step(0));
        check(ramp, f64::INFINITY, Shade::Step(63));
        check(ramp, f64::NAN, Shade::Unknown);
        check(ramp, -1.0, Shade::Unknown);
        check(Ramp::Diverging { reach: 0.5 }, 2.0, Shade::Step(63));
    }

    #[test]
    fn what_does_not_contract_diverges() {
        for (value, shade) in [(0.0, Shade::Step(0)), (0.5, Shade::Step(32)), (1.0, Shade::Step(63))] {
            check(Ramp::Contraction, value, shade);
        }
        check(Ramp::Contraction, 1.0 + 1e-12, Shade::Diverges);
        check(Ramp::Contraction, f64::INFINITY, Shade::Diverges);
        check(Ramp::Contraction, f64::NAN, Shade::Unknown);
    }

    #[test]
    fn a_ramp_reaches_to_the_farthest_ratio() {
        for (ratios, expected) in [
            (&[][..], 2.0),
            (&[0.5, 2.0], 2.0),
            (&[0.4, 1.0], 3.0),
            (&[1.0, 7.0, f64::NAN], 10.0),
            (&[1e-9, f64::INFINITY, 0.0, -2.0], 100.0),
        ] {
            assert_eq!(Ramp::around(ratios), Ramp::Diverging { reach: expected }, "{ratios:?}");
        }
    }

    #[test]
    fn marks_are_few_and_even_about_the_middle() {
        for reach in [2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, f64::NAN] {
            let ramp = Ramp::Diverging { reach };
            let places: Vec<f64> = ramp.marks().into_iter().map(|value| ramp.place(value)).collect();
            assert!((3..=9).contains(&places.len()), "{places:?}");
            assert!(places.iter().all(|place| (-1e-9..=1.0 + 1e-9).contains(place)), "{places:?}");
            assert!(places.iter().zip(places.iter().rev()).all(|(a, b)| (a + b - 1.0).abs() < 1e-9), "{places:?}");
        }
    }
}
