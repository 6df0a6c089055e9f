//! Counts allocations in the inner loops, which should not allocate.
//!
//! The inner loops are those over time steps, local steps, rounds and clients. If none of them allocates, a data set
//! takes the same number of allocations however often they run. This number is counted, so the simulator needs no hook,
//! and no allocation is overlooked.

use allocation_counter::measure;
use anyhow::Result;
use fedsysid_sim::scenario::{Scenario, Settings};
use fedsysid_sim::study::Study;

use crate::cell::{with_local_steps, with_rollout_len, with_rollouts};

/// Allocations of one data set of the default cell, and of data sets for which one loop runs more often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Allocations for the unchanged cell.
    pub base: u64,
    /// The increased parameter, and the allocations with it.
    pub raised: Vec<(&'static str, u64)>,
}

impl Counts {
    /// Counts the allocations for a cell.
    ///
    /// # Errors
    /// If the cell is not allowed.
    pub fn of(cell: &Settings) -> Result<Self> {
        let raised = [
            ("M", Settings { n_clients: 4 * cell.n_clients, ..cell.clone() }),
            ("N", with_rollouts(cell.clone(), 2 * 25)),
            ("N, by far,", with_rollouts(cell.clone(), 100_000)),
            ("T", with_rollout_len(cell.clone(), 4 * 5)),
            ("K", with_local_steps(cell.clone(), 4 * 10)),
            ("R", Settings { n_rounds: 4 * cell.n_rounds, ..cell.clone() }),
        ];
        let count = |(name, settings): (_, Settings)| Ok((name, in_a_data_set(&settings)?));
        Ok(Self { base: in_a_data_set(cell)?, raised: raised.into_iter().map(count).collect::<Result<_>>()? })
    }

    /// Allocations in the inner loops: the largest difference caused by running one of them more often.
    pub fn in_inner_loops(&self) -> u64 {
        self.raised.iter().map(|(_, count)| count.abs_diff(self.base)).max().unwrap_or(0)
    }

    /// The parameters whose loops allocate, with the allocations.
    pub fn guilty(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.raised.iter().copied().filter(|(_, count)| *count != self.base)
    }
}

/// Allocations of a study's second data set with its rounds. The first data set grows buffers that later ones reuse.
fn in_a_data_set(settings: &Settings) -> Result<u64> {
    let mut study = Study::new(Scenario::new(Settings { n_trials: 3, ..settings.clone() })?);
    run_a_data_set(&mut study);
    Ok(measure(|| run_a_data_set(&mut study)).count_total)
}

fn run_a_data_set(study: &mut Study) {
    let before = study.summary().n_trials;
    while study.summary().n_trials == before && !study.is_done() {
        study.step();
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn the_counter_counts() {
        let count = measure(|| (0..7).for_each(|value| drop(black_box(Box::new(value))))).count_total;
        assert_eq!(count, 7);
    }

    #[test]
    fn the_loop_that_allocates_is_named() {
        let counts = Counts { base: 5, raised: vec![("N", 5), ("K", 9), ("R", 4)] };
        assert_eq!(counts.in_inner_loops(), 4);
        assert_eq!(counts.guilty().collect::<Vec<_>>(), [("K", 9), ("R", 4)]);
        let innocent = Counts { base: 5, raised: vec![("N", 5)] };
        assert_eq!((innocent.in_inner_loops(), innocent.guilty().count()), (0, 0));
    }
}
