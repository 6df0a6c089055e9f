//! Quantities that may differ from client to client.

/// A quantity's value for each client. It depends on the client's index alone, and not on the number of clients.
#[derive(Clone, Debug, PartialEq)]
pub enum Spread<T> {
    /// All clients have this value.
    Same(T),
    /// Values spread evenly over `low..=high`. Client 1 has `low`; the others follow a sequence that fills the range
    /// for any number of clients.
    Even {
        /// The least value.
        low: T,
        /// The greatest value.
        high: T,
    },
    /// One value per client, in order; clients past the end have the last one. So `[5, 100]` gives 5 to client 1 and
    /// 100 to all others.
    Each(Vec<T>),
}

/// The quantities that can be spread. Each has its own sequence, so that no two of them are correlated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Rollouts N_i.
    Rollouts,
    /// Rollout length T_i.
    RolloutLen,
    /// Local steps K_i.
    LocalSteps,
    /// Standard deviation σ_x of the initial state.
    InitialStateStd,
    /// Standard deviation σ_u of the input.
    InputStd,
    /// Standard deviation σ_w of the process noise.
    ProcessNoiseStd,
}

impl Quantity {
    /// A client's position in the range, in [0, 1): the fractional part of `client·φ⁻ᵏ`, with k = 1 … 6 for the six
    /// quantities and φ the root of `φ⁷ = φ + 1`. The sequence fills the six-dimensional cube of all quantities evenly
    /// (Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018).
    fn share(self, client: usize) -> f64 {
        const INVERSE_PHI: f64 = 0.898_653_712_628_699_2;
        let power = match self {
            Self::Rollouts => 1,
            Self::RolloutLen => 2,
            Self::LocalSteps => 3,
            Self::InitialStateStd => 4,
            Self::InputStd => 5,
            Self::ProcessNoiseStd => 6,
        };
        // Not `powi`, whose last bits depend on the platform.
        let multiplier: f64 = std::iter::repeat_n(INVERSE_PHI, power).product();
        (client as f64 * multiplier).fract()
    }
}

/// A value that can be spread over a range.
pub trait Amount: Copy {
    /// The value at `share` (0 to 1) of the way from `low` to `high`.
    fn between(low: Self, high: Self, share: f64) -> Self;
}

impl Amount for f64 {
    fn between(low: Self, high: Self, share: f64) -> Self {
        low + (high - low) * share
    }
}

impl Amount for usize {
    /// Every integer in the range has an equal part of [0, 1).
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count")]
    fn between(low: Self, high: Self, share: f64) -> Self {
        let width = high.saturating_sub(low);
        low + width.min(((width as f64 + 1.0) * share) as Self)
    }
}

impl<T: Amount> Spread<T> {
    /// The value for client `client` (0-based); `None` if the list is empty.
    pub fn get(&self, quantity: Quantity, client: usize) -> Option<T> {
        match self {
            Self::Same(value) => Some(*value),
            Self::Even { low, high } => Some(T::between(*low, *high, quantity.share(client))),
            Self::Each(values) => values.get(client).or(values.last()).copied(),
        }
    }

    /// Values that bound all others: if they are within limits, so are all values of the spread.
    pub fn bounds(&self) -> Vec<T> {
        match self {
            Self::Same(value) => vec![*value],
            Self::Even { low, high } => vec![*low, *high],
            Self::Each(values) => values.clone(),
        }
    }
}

impl Spread<usize> {
    /// The value for client 1; `None` if the list is empty.
    pub fn first(&self) -> Option<usize> {
        match self {
            Self::Same(value) | Self::Even { low: value, .. } => Some(*value),
            Self::Each(values) => values.first().copied(),
        }
    }

    /// The spread scaled so that client 1 has `first`; all values are rounded and clamped to `least..=greatest`.
    pub fn with_first(&self, first: usize, (least, greatest): (usize, usize)) -> Self {
        let times = first as f64 / self.first().unwrap_or(first).max(1) as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count; what is too large saturates"
        )]
        let scaled = |value: usize| ((value as f64 * times).round() as usize).clamp(least, greatest);
        match self {
            Self::Same(value) => Self::Same(scaled(*value)),
            Self::Even { low, high } => Self::Even { low: scaled(*low), high: scaled(*high) },
            Self::Each(values) => Self::Each(values.iter().copied().map(scaled).collect()),
        }
    }
}

impl<T> From<T> for Spread<T> {
    fn from(value: T) -> Self {
        Self::Same(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(spread: &Spread<usize>, expected: [Option<usize>; 4]) {
        assert_eq!([0, 1, 2, 9_999].map(|client| spread.get(Quantity::Rollouts, client)), expected);
    }

    #[test]
    fn clients_have_what_is_declared() {
        check(&Spread::Same(25), [Some(25); 4]);
        check(&25.into(), [Some(25); 4]);
        check(&Spread::Each(vec![5, 100]), [Some(5), Some(100), Some(100), Some(100)]);
        check(&Spread::Each(vec![]), [None; 4]);
        check(&Spread::Even { low: 3, high: 3 }, [Some(3); 4]);
    }

    #[test]
    fn with_another_first_all_others_follow() {
        #[track_caller]
        fn check(spread: &Spread<usize>, first: usize, expected: &Spread<usize>) {
            assert_eq!(spread.with_first(first, (1, 10_000)), *expected);
            assert_eq!(expected.first(), expected.get(Quantity::LocalSteps, 0));
        }
        check(&Spread::Same(25), 3, &Spread::Same(3));
        check(&Spread::Even { low: 10, high: 25 }, 2, &Spread::Even { low: 2, high: 5 });
        check(&Spread::Even { low: 1, high: 100 }, 500, &Spread::Even { low: 500, high: 10_000 });
        check(&Spread::Each(vec![20, 5, 100]), 2, &Spread::Each(vec![2, 1, 10]));
        check(&Spread::Each(vec![]), 2, &Spread::Each(vec![]));
    }

    #[test]
    fn an_even_spread_begins_at_the_least_and_fills_its_range() {
        let spread = Spread::Even { low: 1, high: 10 };
        let values: Vec<_> = (0..1_000).filter_map(|client| spread.get(Quantity::LocalSteps, client)).collect();
        assert_eq!(values[0], 1);
        for value in 1..=10 {
            let times = values.iter().filter(|&&v| v == value).count();
            assert!((95..=105).contains(&times), "{value} comes {times} times");
        }
    }

    #[test]
    fn quantities_are_not_tied_together() {
        let all = [
            Quantity::Rollouts,
            Quantity::RolloutLen,
            Quantity::LocalSteps,
            Quantity::InitialStateStd,
            Quantity::InputStd,
            Quantity::ProcessNoiseStd,
        ];
        for (i, a) in all.iter().enumerate() {
            for b in &all[..i] {
                let product = |client| (a.share(client) - 0.5) * (b.share(client) - 0.5);
                let correlation = (0..1_000).map(product).sum::<f64>() / 1_000.0 * 12.0;
                assert!(correlation.abs() < 0.05, "{a:?} and {b:?}: {correlation}");
            }
        }
    }

    #[test]
    fn a_spread_of_real_numbers_stays_within_its_bounds() {
        let spread = Spread::Even { low: 0.5, high: 2.0 };
        for client in 0..500 {
            let value = spread.get(Quantity::InputStd, client).unwrap();
            assert!((0.5..2.0).contains(&value));
        }
    }
}
