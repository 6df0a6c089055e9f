//! The whole experiment: q data sets from the same systems, as a series of small steps.
//!
//! The caller owns the loop, the clock and the decision to stop; after any step, the [`Summary`] so far is available.

use super::data_sets::DataSets;
use super::estimate::{EstimateError, Reference};
use super::family::Heterogeneity;
use super::gain::Gains;
use super::method::Method;
use super::rounds::recorded_rounds;
use super::run::round_of_least;
use super::scenario::{Scenario, Settings};
use super::stats::Running;
use super::trial::{Experiment, TrialResult};

/// One method's error curve over the data sets so far.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSummary {
    /// The method.
    pub method: Method,
    /// Mean and standard error of e_r over data sets, at the recorded rounds.
    pub errors: Vec<Running>,
    /// The number of data sets in which the run diverged.
    pub n_diverged: usize,
    /// The largest contraction ρ so far; `None` for methods without one.
    pub contraction: Option<f64>,
    /// The largest stable step size over the data sets so far, if it was requested and is known.
    pub largest_step: Option<f64>,
}

/// A reference estimate's error over the data sets so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReferenceSummary {
    /// The estimate.
    pub reference: Reference,
    /// Mean and standard error, or the first reason why there is none: a mean needs an estimate in every data set.
    pub error: Result<Running, EstimateError>,
}

/// The results of a study so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Data sets finished.
    pub n_trials: usize,
    /// The rounds at which errors are recorded, ascending from 0.
    pub rounds: Vec<usize>,
    /// The largest distances between the clients' systems.
    pub heterogeneity: Heterogeneity,
    /// One entry per method, in the order of the settings.
    pub methods: Vec<MethodSummary>,
    /// One entry per reference estimate, in the order of the settings.
    pub references: Vec<ReferenceSummary>,
    /// Every client's gain from joining, if it was requested.
    pub gains: Option<Gains>,
}

impl Summary {
    /// The summary of no data set yet, without the clients' gains.
    pub fn new(settings: &Settings, heterogeneity: Heterogeneity) -> Self {
        let rounds = recorded_rounds(settings.n_rounds);
        let errors = vec![Running::default(); rounds.len()];
        let method = |&method| MethodSummary {
            method,
            errors: errors.clone(),
            n_diverged: 0,
            contraction: None,
            largest_step: None,
        };
        let reference = |&reference| ReferenceSummary { reference, error: Ok(Running::default()) };
        Self {
            n_trials: 0,
            rounds,
            heterogeneity,
            methods: settings.methods.iter().map(method).collect(),
            references: settings.references.iter().map(reference).collect(),
            gains: None,
        }
    }

    fn of(experiment: &Experiment) -> Self {
        let settings = experiment.scenario.settings();
        let gains = experiment.everybody.as_ref().map(|all| Gains::new(all, settings.methods.len()));
        Self { gains, ..Self::new(settings, experiment.scenario.heterogeneity()) }
    }

    /// If runs of a method diverged, the round of its least mean error.
    pub fn diverges_from(&self, method: &MethodSummary) -> Option<usize> {
        (method.n_diverged > 0).then(|| round_of_least(&self.rounds, method.errors.iter().map(Running::mean)))
    }

    /// The error of a reference estimate, if it was requested.
    pub fn reference(&self, reference: Reference) -> Option<Result<Running, EstimateError>> {
        self.references.iter().find(|summary| summary.reference == reference).map(|summary| summary.error)
    }

    /// The index of the last recorded round that is not after `round`.
    pub fn record_at(&self, round: usize) -> usize {
        self.rounds.partition_point(|&recorded| recorded <= round).saturating_sub(1)
    }

    /// Adds the result of one data set. The last bits of the means depend on the order.
    pub fn add(&mut self, result: &TrialResult) {
        self.n_trials += 1;
        for (summary, trajectory) in self.methods.iter_mut().zip(&result.trajectories) {
            for (running, &error) in summary.errors.iter_mut().zip(&trajectory.errors) {
                running.push(error);
            }
            summary.n_diverged += usize::from(trajectory.outcome.is_diverged());
            let larger = |rho: f64| summary.contraction.map_or(rho, |before| before.max(rho));
            summary.contraction = trajectory.contraction.map(larger);
        }
        for (summary, &largest_step) in self.methods.iter_mut().zip(&result.largest_steps) {
            summary.largest_step = largest_step;
        }
        if let (Some(gains), Some(clients)) = (&mut self.gains, &result.clients) {
            gains.add(clients);
        }
        for (summary, error) in self.references.iter_mut().zip(&result.references) {
            match (&mut summary.error, error) {
                (Ok(running), Ok(error)) => running.push(*error),
                (Ok(_), Err(error)) => summary.error = Err(*error),
                (Err(_), _) => {}
            }
        }
    }
}

/// A study in progress.
#[derive(Debug)]
pub struct Study {
    data_sets: DataSets,
    summary: Summary,
}

impl Study {
    /// A study of a scenario, none of its data sets begun.
    pub fn new(scenario: Scenario) -> Self {
        let n_trials = scenario.settings().n_trials;
        let data_sets = DataSets::new(scenario, 0..n_trials);
        Self { summary: Summary::of(data_sets.experiment()), data_sets }
    }

    /// The parts that all data sets share.
    pub fn experiment(&self) -> &Experiment {
        self.data_sets.experiment()
    }

    /// The scenario of the study.
    pub fn scenario(&self) -> &Scenario {
        &self.experiment().scenario
    }

    /// The results so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether all data sets are finished.
    pub fn is_done(&self) -> bool {
        self.data_sets.is_done()
    }

    /// The fraction of the work done, 0 to 1.
    pub fn progress(&self) -> f64 {
        self.data_sets.progress()
    }

    /// Works for a few milliseconds at most, on some of the clients' data or of a method's rounds. Does nothing once
    /// all is done.
    pub fn step(&mut self) {
        if let Some(result) = self.data_sets.step() {
            self.summary.add(&result);
        }
    }

    /// Runs to the end and returns the summary, however long it takes.
    pub fn run(mut self) -> Summary {
        while !self.is_done() {
            self.step();
        }
        self.summary
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Settings;

    fn run(change: impl Fn(&mut Settings)) -> Summary {
        let mut settings = Settings::paper();
        settings.n_trials = 4;
        change(&mut settings);
        Study::new(Scenario::new(settings).unwrap()).run()
    }

    fn last(summary: &Summary, method: usize) -> f64 {
        summary.methods[method].errors.last().unwrap().mean()
    }

    #[test]
    fn more_data_sets_extend_those_that_were_there() {
        let mut study = Study::new(Scenario::new(Settings { n_trials: 9, ..Settings::paper() }).unwrap());
        while study.summary().n_trials < 4 {
            study.step();
        }
        assert_eq!(*study.summary(), run(|_| ()));
    }

    #[test]
    fn more_rounds_extend_the_curve() {
        let (short, long) = (run(|s| s.n_rounds = 50), run(|s| s.n_rounds = 90));
        assert_eq!(short.methods[0].errors, long.methods[0].errors[..=50]);
    }

    #[test]
    fn progress_grows_to_one_and_stops() {
        let small = Settings { n_trials: 2, n_clients: 3, ..Settings::paper() };
        let mut study = Study::new(Scenario::new(small).unwrap());
        let mut before = -1.0;
        while !study.is_done() {
            assert!(study.progress() > before);
            before = study.progress();
            study.step();
        }
        assert!((study.progress() - 1.0).abs() < 1e-15);
        let summary = study.summary().clone();
        study.step();
        assert_eq!(*study.summary(), summary);
    }

    /// The √M law: at ε = 0 a hundredfold fleet has a tenth of the error.
    #[test]
    fn more_clients_average_the_noise_away() {
        let error = |m| last(&run(|s| (s.n_clients, s.heterogeneity, s.n_trials, s.n_rounds) = (m, 0.0, 40, 400)), 1);
        let ratio = error(1) / error(100);
        assert!((8.5..11.5).contains(&ratio), "{ratio}");
    }

    #[test]
    fn a_diverging_method_is_named_with_its_round() {
        let summary = run(|s| s.step_size = 3e-3);
        for method in &summary.methods {
            assert_eq!(method.n_diverged, 4, "{:?}", method.method);
            assert!(method.contraction.is_some_and(|rho| rho > 1.0));
            assert!(summary.diverges_from(method).is_some_and(|round| round < 20));
        }
        let healthy = run(|_| ());
        assert!(healthy.methods.iter().all(|method| healthy.diverges_from(method).is_none()));
    }

    #[test]
    fn a_direction_without_data_is_not_divergence() {
        let summary = run(|s| (s.n_clients, s.data.n_rollouts, s.data.rollout_len) = (1, 2.into(), 1.into()));
        assert!(summary.methods.iter().all(|method| method.n_diverged == 0), "{summary:?}");
        let reason = |client| Err(EstimateError::NotEnoughData { client, have: 2, need: 5 });
        let reasons: Vec<_> = summary.references.iter().map(|summary| summary.error).collect();
        assert_eq!(reasons, [Some(0), None, Some(0)].map(reason));
    }

    #[test]
    fn an_unstable_system_on_long_rollouts_overflows_in_words() {
        let summary = run(|s| (s.heterogeneity, s.data.rollout_len, s.n_clients) = (20.0, 2_000.into(), 2));
        let overflowed = |summary: &ReferenceSummary| summary.error == Err(EstimateError::NotFinite);
        assert!(summary.references.iter().any(overflowed), "{:?}", summary.references);
        assert!(summary.methods.iter().all(|method| method.n_diverged == 4));
        assert!(summary.methods.iter().all(|method| method.errors[0].mean().is_finite()));
    }

    #[test]
    fn a_million_rounds_are_recorded_at_about_400_and_end_where_the_recurrence_ends() {
        let long = run(|s| (s.n_rounds, s.n_trials, s.n_clients) = (1_000_000, 2, 5));
        let short = run(|s| (s.n_rounds, s.n_trials, s.n_clients) = (1_000, 2, 5));
        assert!((380..420).contains(&long.rounds.len()));
        let n_recorded = long.rounds.len();
        assert!(!long.methods.is_empty());
        for (long, short) in long.methods.iter().zip(&short.methods) {
            assert_eq!(long.errors.len(), n_recorded);
            // By round 1 000 both have converged.
            let (end, expected) = (long.errors.last().unwrap().mean(), short.errors[1_000].mean());
            assert!((end - expected).abs() < 1e-6 * expected, "{end} {expected}");
        }
        assert_eq!((long.record_at(0), long.record_at(47), long.record_at(49)), (0, 47, 48));
        assert_eq!(long.rounds[long.record_at(usize::MAX)], 1_000_000);
    }
}
