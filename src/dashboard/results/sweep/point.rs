//! A point of a sweep: its value of a parameter, and the final errors of its methods.

use crate::params::Key;
use crate::sim::scenario::Settings;
use crate::sim::spread::{Quantity, Spread};
use crate::sim::stats::Running;
use crate::sim::study::Summary;

/// A study's value of a parameter.
pub fn value_of(key: Key, settings: &Settings) -> f64 {
    let first = |spread: &Spread<usize>, quantity| spread.get(quantity, 0).unwrap_or(0) as f64;
    match key {
        Key::Heterogeneity => settings.heterogeneity,
        Key::Clients => settings.n_clients as f64,
        Key::Rollouts => first(&settings.data.n_rollouts, Quantity::Rollouts),
        Key::LocalSteps => first(&settings.n_local_steps, Quantity::LocalSteps),
        Key::RolloutLen => first(&settings.data.rollout_len, Quantity::RolloutLen),
        Key::StepSize => settings.step_size,
        Key::Rounds => settings.n_rounds as f64,
        Key::Trials => settings.n_trials as f64,
        _ => f64::NAN,
    }
}

/// A method's error after the last round.
pub fn last(summary: &Summary, which: usize) -> Option<Running> {
    summary.methods.get(which)?.errors.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Draft;

    #[test]
    fn a_point_has_the_value_that_was_set() {
        for key in [
            Key::Heterogeneity,
            Key::Clients,
            Key::Rollouts,
            Key::LocalSteps,
            Key::RolloutLen,
            Key::StepSize,
            Key::Rounds,
            Key::Trials,
        ] {
            let (mut draft, _) = Draft::from_query("");
            let grid = key.param().grid;
            let other = grid.at(grid.nearest(draft.get(key)) + 1);
            draft.set(key, other);
            assert_eq!(value_of(key, &draft.settings()).to_bits(), other.to_bits(), "{key:?}");
        }
    }
}
