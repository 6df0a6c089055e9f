//! An engine's state: its current work, advanced slice by slice so that a newer request is handled between slices.

use super::survey::SurveyRun;
use crate::protocol::{Event, Generation, Portion, PortionResult, Request, Survey};
use crate::sim::data_sets::DataSets;
use crate::sim::scenario::{Scenario, ScenarioError, Settings};
use crate::sim::study::Study;
use crate::sim::trial::{Experiment, TrialResult};
use crate::theory::{Theory, TheoryRun};

/// A run that takes less than this many milliseconds reports only its end: a curve that is complete in a blink should
/// not be seen growing, or it would jitter under a moving slider.
const QUIET_MS: f64 = 80.0;

/// Time between two reports, in milliseconds: nobody would see more of them, and each takes time to make and to read.
const REPORT_MS: f64 = 40.0;

/// Runs the latest request.
#[derive(Debug, Default)]
pub struct Runner {
    job: Option<Job>,
    is_paused: bool,
}

#[derive(Debug)]
struct Job {
    generation: Generation,
    work: Work,
    /// Time at which the first slice began, in milliseconds.
    begun: Option<f64>,
    /// Time of the last report, in milliseconds.
    reported: f64,
}

#[derive(Debug)]
enum Work {
    /// A whole experiment.
    Run { expecting: Expecting, study: Box<Study> },
    /// Some of the data sets of an experiment.
    Portion { expecting: Expecting, portion: Portion, data_sets: Box<DataSets>, results: Vec<TrialResult> },
    /// A map.
    Survey(Box<SurveyRun>),
}

/// The prediction of an experiment, which is computed before its data sets.
#[derive(Debug)]
enum Expecting {
    Begun(Box<TheoryRun>),
    Known(Box<Theory>),
    Nothing,
}

impl Runner {
    /// Handles a request; it replaces or pauses the current work.
    pub fn handle(&mut self, request: Request) -> Option<Event> {
        match request {
            Request::Run { generation, settings } => self.begin(generation, Work::run(settings)),
            Request::Portion { generation, portion, settings } => {
                self.begin(generation, Work::portion(portion, settings))
            }
            Request::Survey { generation, survey, settings } => self.begin(generation, Work::survey(survey, settings)),
            Request::Stop => {
                self.job = None;
                None
            }
            Request::Pause => {
                self.is_paused = true;
                None
            }
            Request::Resume => {
                self.is_paused = false;
                None
            }
        }
    }

    fn begin(&mut self, generation: Generation, work: Result<Work, ScenarioError>) -> Option<Event> {
        self.is_paused = false;
        match work {
            Ok(work) => {
                self.job = Some(Job { generation, work, begun: None, reported: f64::NEG_INFINITY });
                None
            }
            Err(error) => {
                self.job = None;
                Some(Event::Refused { generation, error })
            }
        }
    }

    /// Whether there is work that is not paused.
    pub fn is_busy(&self) -> bool {
        self.job.is_some() && !self.is_paused
    }

    /// Works for about `budget` milliseconds by the clock `now` (in milliseconds), and returns an event if a report is
    /// due.
    ///
    /// A slice ends with the first step that exceeds the budget; a step takes about a millisecond.
    pub fn tick(&mut self, budget: f64, now: impl Fn() -> f64) -> Option<Event> {
        let job = self.job.as_mut().filter(|_| !self.is_paused)?;
        let from = now();
        let begun = *job.begun.get_or_insert(from);
        let mut time = from;
        while !job.work.is_done() && time - from < budget {
            job.work.step();
            time = now();
        }
        if job.work.is_done() {
            return self.job.take().map(|job| job.work.done(job.generation));
        }
        let is_due = time - begun >= QUIET_MS && time - job.reported >= REPORT_MS;
        is_due.then(|| {
            job.reported = time;
            job.work.report(job.generation)
        })
    }
}

impl Work {
    fn run(settings: Settings) -> Result<Self, ScenarioError> {
        let study = Box::new(Study::new(Scenario::new(settings)?));
        Ok(Self::Run { expecting: Expecting::new(study.experiment(), true), study })
    }

    fn portion(portion: Portion, settings: Settings) -> Result<Self, ScenarioError> {
        let data_sets = Box::new(DataSets::new(Scenario::new(settings)?, portion.data_sets.clone()));
        let expecting = Expecting::new(data_sets.experiment(), portion.expects);
        Ok(Self::Portion { expecting, portion, data_sets, results: Vec::new() })
    }

    fn survey(survey: Survey, settings: Settings) -> Result<Self, ScenarioError> {
        Ok(Self::Survey(Box::new(SurveyRun::new(survey, Scenario::new(settings)?))))
    }

    fn is_done(&self) -> bool {
        match self {
            Self::Survey(run) => run.is_done(),
            Self::Run { study, .. } => study.is_done(),
            // A portion without data sets may still have a prediction to compute.
            Self::Portion { data_sets, expecting, .. } => data_sets.is_done() && !expecting.is_open(),
        }
    }

    fn step(&mut self) {
        match self {
            Self::Survey(run) => run.step(),
            Self::Run { expecting, study } => {
                if !expecting.step(study.experiment()) {
                    study.step();
                }
            }
            Self::Portion { expecting, data_sets, results, .. } => {
                if !expecting.step(data_sets.experiment()) {
                    results.extend(data_sets.step());
                }
            }
        }
    }

    fn report(&self, generation: Generation) -> Event {
        match self {
            Self::Run { expecting, study } => Event::Progress {
                generation,
                progress: study.progress(),
                summary: study.summary().clone(),
                theory: expecting.known(),
            },
            Self::Portion { .. } => Event::Working { generation },
            Self::Survey(run) => run.report(generation),
        }
    }

    fn done(self, generation: Generation) -> Event {
        match self {
            Self::Run { expecting, study } => {
                Event::Done { generation, summary: study.summary().clone(), theory: expecting.known() }
            }
            Self::Portion { expecting, portion, data_sets, results } => {
                let heterogeneity = data_sets.experiment().scenario.heterogeneity();
                let theory = expecting.known();
                Event::Portion { generation, result: PortionResult { portion, heterogeneity, results, theory } }
            }
            Self::Survey(run) => Event::Surveyed { generation, map: run.finish() },
        }
    }
}

impl Expecting {
    fn new(experiment: &Experiment, is_wanted: bool) -> Self {
        if is_wanted { Self::Begun(Box::new(TheoryRun::new(experiment))) } else { Self::Nothing }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::Begun(_))
    }

    fn known(&self) -> Option<Box<Theory>> {
        match self {
            Self::Known(theory) => Some(theory.clone()),
            Self::Begun(_) | Self::Nothing => None,
        }
    }

    /// Takes one step of the prediction; returns whether there was one left to take.
    fn step(&mut self, experiment: &Experiment) -> bool {
        let Self::Begun(run) = self else { return false };
        if let Some(theory) = run.step(experiment) {
            *self = Self::Known(Box::new(theory));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::sim::study::Summary;

    fn settings(n_trials: usize) -> Settings {
        Settings { n_trials, n_clients: 2, n_rounds: 3, ..Settings::paper() }
    }

    fn run(generation: u32, n_trials: usize) -> Request {
        Request::Run { generation: Generation(generation), settings: settings(n_trials) }
    }

    fn portion(data_sets: std::ops::Range<usize>, expects: bool) -> Request {
        let portion = Portion { point: 3, data_sets, expects };
        Request::Portion { generation: Generation(4), portion, settings: settings(20) }
    }

    /// A clock that advances by `step` ms at every reading, so after every step of work. A run begins with a hundred
    /// steps for its prediction.
    fn clock(step: f64) -> impl Fn() -> f64 {
        let time = Cell::new(0.0);
        move || {
            time.set(time.get() + step);
            time.get()
        }
    }

    fn events(runner: &mut Runner, budget: f64, now: impl Fn() -> f64) -> Vec<Event> {
        let mut events = Vec::new();
        while runner.is_busy() {
            events.extend(runner.tick(budget, &now));
        }
        events
    }

    #[test]
    fn slices_do_not_change_the_results() {
        let study = Study::new(Scenario::new(settings(20)).unwrap());
        let theory = Some(Box::new(Theory::of(study.experiment())));
        let expected = study.run();
        for budget in [0.5, 3.0, 1e9] {
            let mut runner = Runner::default();
            assert_eq!(runner.handle(run(1, 20)), None);
            let events = events(&mut runner, budget, clock(1.0));
            assert_eq!(
                events.last(),
                Some(&Event::Done { generation: Generation(1), summary: expected.clone(), theory: theory.clone() })
            );
        }
    }

    #[test]
    fn a_short_run_speaks_once_and_a_long_one_reports() {
        let mut runner = Runner::default();
        runner.handle(run(1, 10));
        assert_eq!(events(&mut runner, 10.0, clock(0.1)).len(), 1);
        runner.handle(run(2, 2_000));
        let events = events(&mut runner, 10.0, clock(0.1));
        let progress: Vec<_> = events
            .iter()
            .filter_map(|event| match event {
                Event::Progress { progress, summary, .. } => Some((*progress, summary.n_trials)),
                _ => None,
            })
            .collect();
        assert!(progress.len() > 10);
        assert!(progress.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 <= pair[1].1));
        assert!(progress.iter().all(|(share, _)| (0.0..1.0).contains(share)));
    }

    #[test]
    fn a_newer_run_replaces_the_older_one_between_slices() {
        let mut runner = Runner::default();
        let now = clock(0.1);
        runner.handle(run(1, 1_000));
        assert_eq!(runner.tick(5.0, &now), None);
        runner.handle(run(2, 2));
        let generations: Vec<_> = events(&mut runner, 5.0, &now).iter().filter_map(Event::generation).collect();
        assert_eq!(generations, [Generation(2)]);
    }

    #[test]
    fn what_cannot_run_is_refused_and_stops_what_ran() {
        let mut runner = Runner::default();
        runner.handle(run(1, 1_000));
        let bad = Request::Run { generation: Generation(2), settings: Settings { step_size: -1.0, ..settings(5) } };
        let error = ScenarioError::StepSize(-1.0);
        assert_eq!(runner.handle(bad), Some(Event::Refused { generation: Generation(2), error }));
        assert!(!runner.is_busy());
        assert_eq!(runner.tick(5.0, clock(1.0)), None);
    }

    #[test]
    fn portions_make_up_the_whole() {
        let study = Study::new(Scenario::new(settings(20)).unwrap());
        let theory = Theory::of(study.experiment());
        let expected = study.run();
        let mut summary = Summary::new(&settings(20), expected.heterogeneity);
        for data_sets in [0..7, 7..8, 8..20] {
            let mut runner = Runner::default();
            let expects = data_sets.start == 0;
            assert_eq!(runner.handle(portion(data_sets.clone(), expects)), None);
            let events = events(&mut runner, 1.0, clock(0.1));
            let Some(Event::Portion { generation, result }) = events.last() else { panic!("{events:?}") };
            assert_eq!((*generation, result.portion.point), (Generation(4), 3));
            assert_eq!(result.theory.as_deref(), expects.then_some(&theory));
            result.results.iter().for_each(|result| summary.add(result));
        }
        assert_eq!(summary, expected);
    }

    #[test]
    fn a_rest_loses_nothing_and_a_stop_everything() {
        let mut runner = Runner::default();
        let now = clock(0.1);
        runner.handle(portion(0..500, false));
        assert_eq!(runner.tick(5.0, &now), None);
        runner.handle(Request::Pause);
        assert!(!runner.is_busy());
        assert_eq!(runner.tick(5.0, &now), None);
        runner.handle(Request::Resume);
        let events = events(&mut runner, 5.0, &now);
        assert!(matches!(&events[..], [.., Event::Portion { result, .. }] if result.results.len() == 500));
        assert!(events.contains(&Event::Working { generation: Generation(4) }), "it shows that it lives");
        runner.handle(portion(0..500, false));
        runner.handle(Request::Stop);
        assert!(!runner.is_busy());
    }
}
