//! The whole experiment: q data sets from the same systems, as a series of small steps.
//!
//! Whoever runs a study owns the loop, the clock and the decision to stop; after any step the [`Summary`] so far can be
//! shown.

use super::estimate::EstimateError;
use super::method::Method;
use super::rollout::MomentSimulator;
use super::scenario::Scenario;
use super::stats::Running;
use super::stream::DataKey;
use super::trial::{Reference, Trial, TrialResult};

/// Above this contraction a run counts as diverging. Exactly 1 means a direction that the data do not excite: it is never
/// learned, and does no harm.
const DIVERGENCE: f64 = 1.0 + 1e-9;

/// One method's error curve over the data sets so far.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSummary {
    /// The method.
    pub method: Method,
    /// Mean and standard error of e_r over data sets, for r = 0…R.
    pub errors: Vec<Running>,
    /// In how many data sets the run diverges: ρ > 1 under a schedule that repeats every round, or an overflow.
    pub n_diverged: usize,
    /// The largest contraction ρ met.
    pub contraction: f64,
}

impl MethodSummary {
    /// The round from which the mean error only grows, when runs diverged: that of its least value.
    pub fn diverges_from(&self) -> Option<usize> {
        let means = self.errors.iter().map(Running::mean).enumerate().filter(|(_, mean)| mean.is_finite());
        let least = means.min_by(|(_, a), (_, b)| a.total_cmp(b));
        (self.n_diverged > 0).then(|| least.map_or(0, |(round, _)| round))
    }
}

/// A reference estimate's error over the data sets so far: mean and standard error, or why there is none.
pub type ReferenceSummary = Result<Running, EstimateError>;

/// What a study knows so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Data sets finished.
    pub n_trials: usize,
    /// One entry a method, in the order of the settings.
    pub methods: Vec<MethodSummary>,
    /// In the order of [`Reference::ALL`]. One data set that does not determine an estimate leaves no mean.
    pub references: [ReferenceSummary; 3],
}

impl Summary {
    fn new(scenario: &Scenario) -> Self {
        let settings = scenario.settings();
        let errors = vec![Running::default(); settings.n_rounds + 1];
        let summary = |&method| MethodSummary { method, errors: errors.clone(), n_diverged: 0, contraction: 0.0 };
        Self {
            n_trials: 0,
            methods: settings.methods.iter().map(summary).collect(),
            references: [Ok(Running::default()); 3],
        }
    }

    /// A reference estimate's error.
    pub fn reference(&self, reference: Reference) -> &ReferenceSummary {
        match reference {
            Reference::ClientAlone => &self.references[0],
            Reference::Pooled => &self.references[1],
            Reference::MeanOfLocals => &self.references[2],
        }
    }

    fn add(&mut self, result: &TrialResult) {
        self.n_trials += 1;
        for (summary, trajectory) in self.methods.iter_mut().zip(&result.trajectories) {
            for (running, &error) in summary.errors.iter_mut().zip(&trajectory.errors) {
                running.push(error);
            }
            let repeats = summary.method.schedule.repeats_every_round();
            let overflowed = trajectory.errors.iter().any(|error| !error.is_finite());
            summary.n_diverged += usize::from(overflowed || (repeats && trajectory.contraction > DIVERGENCE));
            summary.contraction = summary.contraction.max(trajectory.contraction);
        }
        for (summary, error) in self.references.iter_mut().zip(&result.references) {
            match (&mut *summary, error) {
                (Ok(running), Ok(error)) => running.push(*error),
                (Ok(_), Err(error)) => *summary = Err(*error),
                (Err(_), _) => {}
            }
        }
    }
}

/// A study in progress.
#[derive(Clone, Debug)]
pub struct Study {
    scenario: Scenario,
    simulator: MomentSimulator,
    trial: Trial,
    summary: Summary,
}

impl Study {
    /// A study of a scenario, at its start.
    pub fn new(scenario: Scenario) -> Self {
        Self {
            simulator: MomentSimulator::new(scenario.settings().family.dims()),
            trial: Trial::new(&scenario),
            summary: Summary::new(&scenario),
            scenario,
        }
    }

    /// What is being studied.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// What is known so far.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Whether all data sets are in.
    pub fn is_done(&self) -> bool {
        self.summary.n_trials == self.scenario.settings().n_trials
    }

    /// The share of the work done, 0 to 1.
    pub fn progress(&self) -> f64 {
        let settings = self.scenario.settings();
        // A data set's steps are its clients and then its rounds.
        let in_trial = self.trial.n_clients() as f64 / (settings.n_clients + 1) as f64;
        (self.summary.n_trials as f64 + in_trial) / settings.n_trials as f64
    }

    /// Does a little: one client's data, or one data set's rounds. Nothing once done.
    pub fn step(&mut self) {
        if self.is_done() {
            return;
        }
        let client = self.trial.n_clients();
        if let Some(system) = self.scenario.systems().get(client) {
            let settings = self.scenario.settings();
            let key = DataKey { seed: settings.seed, trial: self.summary.n_trials, client };
            let moments = self.simulator.simulate(system, &settings.data, key);
            self.trial.add(&moments);
        } else {
            let trial = std::mem::replace(&mut self.trial, Trial::new(&self.scenario));
            self.summary.add(&trial.finish(&self.scenario));
        }
    }

    /// Runs to the end, however long it takes.
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
            assert!(method.contraction > 1.0);
            assert!(method.diverges_from().is_some_and(|round| round < 20));
        }
        assert!(run(|_| ()).methods.iter().all(|method| method.diverges_from().is_none()));
    }

    #[test]
    fn a_direction_without_data_is_not_divergence() {
        let summary = run(|s| (s.n_clients, s.data.n_rollouts, s.data.rollout_len) = (1, 2, 1));
        assert!(summary.methods.iter().all(|method| method.n_diverged == 0), "{summary:?}");
        assert!(summary.references.iter().all(|r| *r == Err(EstimateError::NotEnoughData { have: 2, need: 5 })));
    }

    #[test]
    fn an_unstable_system_on_long_rollouts_overflows_in_words() {
        let summary = run(|s| (s.heterogeneity, s.data.rollout_len, s.n_clients) = (20.0, 2_000, 2));
        assert!(summary.references.contains(&Err(EstimateError::NotFinite)), "{:?}", summary.references);
        assert!(summary.methods.iter().all(|method| method.n_diverged == 4));
        assert!(summary.methods.iter().all(|method| method.errors[0].mean().is_finite()));
    }
}
