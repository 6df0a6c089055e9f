//! An engine's state: the study it is at, advanced a slice at a time so that a newer request is heard between slices.

use crate::protocol::{Event, Generation, Request};
use crate::sim::scenario::Scenario;
use crate::sim::study::Study;
use crate::theory::{Theory, TheoryRun};

/// Until a run has taken this long, it reports only its end: a curve that is complete within a blink should not be seen
/// in the making, or it would jitter under a moving slider.
const QUIET_MS: f64 = 80.0;

/// Runs what was last asked for.
#[derive(Debug, Default)]
pub struct Runner {
    job: Option<Job>,
}

#[derive(Debug)]
struct Job {
    generation: Generation,
    /// What there is to expect, while it is worked out: it comes first.
    expecting: Option<Box<TheoryRun>>,
    theory: Option<Box<Theory>>,
    study: Study,
    /// When the first slice began.
    begun: Option<f64>,
}

impl Runner {
    /// Takes a request in; a new run replaces the one at work.
    pub fn handle(&mut self, request: Request) -> Option<Event> {
        let Request::Run { generation, settings } = request;
        match Scenario::new(settings) {
            Ok(scenario) => {
                let study = Study::new(scenario);
                let expecting = Some(Box::new(TheoryRun::new(study.experiment())));
                self.job = Some(Job { generation, expecting, theory: None, study, begun: None });
                None
            }
            Err(error) => {
                self.job = None;
                Some(Event::Refused { generation, error })
            }
        }
    }

    /// Whether there is work left.
    pub fn is_busy(&self) -> bool {
        self.job.is_some()
    }

    /// Works for about `budget` milliseconds of the clock `now`, and says what there is to say.
    ///
    /// A slice ends with the first step that exceeds the budget; a step takes about a millisecond.
    pub fn tick(&mut self, budget: f64, now: impl Fn() -> f64) -> Option<Event> {
        let job = self.job.as_mut()?;
        let from = now();
        let begun = *job.begun.get_or_insert(from);
        let mut time = from;
        while !job.study.is_done() && time - from < budget {
            job.step();
            time = now();
        }
        let (generation, summary) = (job.generation, job.study.summary());
        if job.study.is_done() {
            let done = Event::Done { generation, summary: summary.clone(), theory: job.theory.take() };
            self.job = None;
            return Some(done);
        }
        let (progress, theory) = (job.study.progress(), &job.theory);
        let report = || Event::Progress { generation, progress, summary: summary.clone(), theory: theory.clone() };
        (time - begun >= QUIET_MS).then(report)
    }
}

impl Job {
    fn step(&mut self) {
        if let Some(expecting) = &mut self.expecting {
            self.theory = expecting.step(self.study.experiment()).map(Box::new);
            if self.theory.is_some() {
                self.expecting = None;
            }
        } else {
            self.study.step();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::sim::scenario::{ScenarioError, Settings};

    fn run(generation: u32, n_trials: usize) -> Request {
        let settings = Settings { n_trials, n_clients: 2, n_rounds: 3, ..Settings::paper() };
        Request::Run { generation: Generation(generation), settings }
    }

    /// A clock that advances by `step` ms whenever it is read: after every step, of which a run begins with a hundred for what
    /// is to be expected.
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
        let Request::Run { settings, .. } = run(1, 20);
        let study = Study::new(Scenario::new(settings).unwrap());
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
        let Request::Run { settings, .. } = run(2, 5);
        let bad = Request::Run { generation: Generation(2), settings: Settings { step_size: -1.0, ..settings } };
        let error = ScenarioError::StepSize(-1.0);
        assert_eq!(runner.handle(bad), Some(Event::Refused { generation: Generation(2), error }));
        assert!(!runner.is_busy());
        assert_eq!(runner.tick(5.0, clock(1.0)), None);
    }
}
