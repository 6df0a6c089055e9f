//! A range of an experiment's data sets, one after the other: a whole study, or the share of one of several workers.

use std::ops::Range;

use super::scenario::Scenario;
use super::simulator::MomentSimulator;
use super::trial::{Experiment, Trial, TrialResult};

/// A range of data sets in progress.
///
/// The result of a data set depends only on its number and the settings, so any split into ranges gives the same
/// results. The exception is [`TrialResult::largest_steps`], which also depend on the data sets before it in the range.
#[derive(Debug)]
pub struct DataSets {
    experiment: Experiment,
    simulator: MomentSimulator,
    trial: Trial,
    next: usize,
    range: Range<usize>,
}

impl DataSets {
    /// The data sets `range` (0-based) of a scenario, none of them begun. The range may exceed the scenario's number of
    /// data sets.
    pub fn new(scenario: Scenario, range: Range<usize>) -> Self {
        let simulator = MomentSimulator::new(scenario.settings().family.dims());
        let experiment = Experiment::new(scenario);
        let trial = Trial::new(&experiment, range.start);
        Self { experiment, simulator, trial, next: range.start, range }
    }

    /// The parts that all data sets share.
    pub fn experiment(&self) -> &Experiment {
        &self.experiment
    }

    /// Whether all data sets are finished.
    pub fn is_done(&self) -> bool {
        self.next >= self.range.end
    }

    /// The fraction of the work done, 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.is_done() {
            return 1.0;
        }
        let done = (self.next - self.range.start) as f64 + self.trial.progress(&self.experiment);
        done / self.range.len() as f64
    }

    /// Works for a few milliseconds at most, on some of the clients' data or of a method's rounds. Returns the result
    /// of a data set when it is complete, otherwise `None`. Does nothing once all data sets are finished.
    pub fn step(&mut self) -> Option<TrialResult> {
        if self.is_done() || self.trial.step(&self.experiment, &mut self.simulator) {
            return None;
        }
        self.next += 1;
        Some(self.trial.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Settings;

    fn results(range: Range<usize>) -> Vec<TrialResult> {
        let scenario = Scenario::new(Settings { n_clients: 5, n_rounds: 20, ..Settings::paper() }).unwrap();
        let mut data_sets = DataSets::new(scenario, range);
        let mut results = Vec::new();
        while !data_sets.is_done() {
            results.extend(data_sets.step());
        }
        results
    }

    #[test]
    fn any_split_gives_the_same_results() {
        let whole = results(0..7);
        assert_eq!(whole.len(), 7);
        for split in 0..=7 {
            assert_eq!([results(0..split), results(split..7)].concat(), whole, "{split}");
        }
        assert_ne!(whole[0], whole[1]);
    }

    #[test]
    fn none_are_done_at_once() {
        let scenario = Scenario::new(Settings::paper()).unwrap();
        let mut none = DataSets::new(scenario, 3..3);
        assert!(none.is_done() && none.step().is_none());
        assert!((none.progress() - 1.0).abs() < 1e-15);
    }
}
