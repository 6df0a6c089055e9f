//! A time without the fixed costs of a run.
//!
//! A run in a worker also takes a message there and one back. So a run of few data sets and one of many are timed, and
//! the time of the additional data sets counts. The same is done natively.

use std::time::Duration;

use fedsysid_sim::scenario::Settings;
use serde::{Deserialize, Serialize};

use crate::cell::{N_TRIALS, default_cell};

/// Number of data sets of the short run.
const FEW: usize = N_TRIALS;

/// Number of data sets of the long run, which should end within the 80 ms after which an engine starts to report
/// progress.
const MANY: usize = 7 * N_TRIALS;

/// The argument that makes the native benchmark print only [`Times`].
pub const WORD: &str = "slope";

/// Duration of a turn: one side measures for this long before the other.
pub const TURN: Duration = Duration::from_millis(400);

/// The short run.
pub fn few() -> Settings {
    Settings { n_trials: FEW, ..default_cell() }
}

/// The long run.
pub fn many() -> Settings {
    Settings { n_trials: MANY, ..default_cell() }
}

/// Times of the two runs in milliseconds.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Times {
    /// The short run.
    pub few: f64,
    /// The long run.
    pub many: f64,
}

impl Times {
    /// Times worse than any measured ones.
    pub const WORST: Self = Self { few: f64::INFINITY, many: f64::INFINITY };

    /// The better time of each run.
    #[must_use]
    pub fn best(self, other: Self) -> Self {
        Self { few: self.few.min(other.few), many: self.many.min(other.many) }
    }

    /// Milliseconds for the data sets of one default cell.
    pub fn per_cell(self) -> f64 {
        (self.many - self.few) * N_TRIALS as f64 / (MANY - FEW) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_run_costs_alike_does_not_count() {
        for overhead in [0.0, 3.0] {
            let times = Times { few: 4.0 + overhead, many: 28.0 + overhead };
            assert!((times.per_cell() - 4.0).abs() < 1e-12);
        }
    }

    #[test]
    fn of_each_run_the_better_time_is_kept() {
        let times = Times::WORST.best(Times { few: 5.0, many: 20.0 }).best(Times { few: 4.0, many: 21.0 });
        assert_eq!(times, Times { few: 4.0, many: 20.0 });
    }

    #[test]
    fn the_two_runs_are_the_cell_but_for_their_data_sets() {
        assert_eq!(few(), default_cell());
        assert_eq!(Settings { n_trials: N_TRIALS, ..many() }, default_cell());
    }
}
