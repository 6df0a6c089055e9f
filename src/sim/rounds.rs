//! The rounds at which errors are recorded.

/// Up to this number of rounds, every round is recorded.
const ALL_UP_TO: usize = 1_024;
/// In longer runs, the number of records per octave: about 400 for a million rounds, evenly spread on a logarithmic
/// axis.
const PER_OCTAVE: usize = 24;

/// The rounds at which the errors of a run of `n_rounds` rounds are recorded, ascending from 0 to `n_rounds`.
///
/// ```
/// use fedsysid_sim::rounds::recorded_rounds;
/// assert_eq!(recorded_rounds(3), [0, 1, 2, 3]);
/// assert_eq!(recorded_rounds(1_000_000).len(), 392);
/// ```
pub fn recorded_rounds(n_rounds: usize) -> Vec<usize> {
    let mut rounds = vec![0];
    let mut round = 0;
    for stretch in stretches(n_rounds) {
        for _ in 0..stretch.count {
            round += stretch.stride;
            rounds.push(round);
        }
    }
    rounds
}

/// A stretch of equally spaced recorded rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Rounds from one record to the next.
    pub stride: usize,
    /// Number of records.
    pub count: usize,
}

/// The recorded rounds after round 0, as stretches. The stride doubles from one stretch to the next, so that one
/// squaring of the round map gives the map of the next stretch. Only the last stretch, which ends at `n_rounds`, may
/// have another stride.
pub fn stretches(n_rounds: usize) -> Vec<Stretch> {
    if n_rounds <= ALL_UP_TO {
        return vec![Stretch { stride: 1, count: n_rounds }];
    }
    let mut stretches = vec![Stretch { stride: 1, count: 2 * PER_OCTAVE }];
    let (mut round, mut stride) = (2 * PER_OCTAVE, 2);
    while round + stride <= n_rounds {
        let count = PER_OCTAVE.min((n_rounds - round) / stride);
        stretches.push(Stretch { stride, count });
        (round, stride) = (round + count * stride, 2 * stride);
    }
    if round < n_rounds {
        stretches.push(Stretch { stride: n_rounds - round, count: 1 });
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_begin_at_zero_end_at_the_last_and_ascend() {
        for n_rounds in [1, 2, 200, 1_024, 1_025, 1_536, 1_537, 9_999, 1_000_000] {
            let rounds = recorded_rounds(n_rounds);
            assert_eq!((rounds.first(), rounds.last()), (Some(&0), Some(&n_rounds)), "{n_rounds}");
            assert!(rounds.windows(2).all(|pair| pair[0] < pair[1]), "{n_rounds}");
        }
    }

    #[test]
    fn a_thousand_rounds_are_all_recorded_and_a_million_about_400() {
        assert_eq!(recorded_rounds(1_000).len(), 1_001);
        assert!((380..420).contains(&recorded_rounds(1_000_000).len()));
    }

    #[test]
    fn records_lie_closer_than_a_twentieth_of_an_octave() {
        let rounds = recorded_rounds(1_000_000);
        for pair in rounds.windows(2).filter(|pair| pair[0] >= 48 && pair[1] < 1_000_000) {
            assert!(pair[1] as f64 / pair[0] as f64 <= 1.0 + 1.0 / 24.0, "{pair:?}");
        }
    }
}
