//! What the engines have delivered.
//!
//! - [`Dashboard`]: the run of the present settings; [`Dashboard::apply`] drops events of older generations of a run.
//! - [`sweep`]: many experiments at once; [`cache`]: the results on screen and the kept ones.
//! - [`work`]: how far the work is, and why it ended.

pub mod cache;
pub mod sweep;
pub mod work;

use crate::dashboard::words::counting::Things;
use crate::protocol::{Event, Generation, Trouble};
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::theory::Theory;
use work::{Work, WorkState};

/// A run on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its number among the requested runs.
    pub generation: Generation,
    /// The settings that were run.
    pub settings: Settings,
    /// The results so far.
    pub summary: Summary,
    /// The predictions, once they are known.
    pub theory: Option<Box<Theory>>,
    /// Share of the work that is done; `None` once the run is complete.
    pub progress: Option<f64>,
}

impl Run {
    /// A run with the results so far.
    fn new(
        generation: Generation,
        settings: Settings,
        summary: Summary,
        mut theory: Option<Box<Theory>>,
        progress: Option<f64>,
    ) -> Self {
        if let Some(theory) = &mut theory {
            theory.take_back(&summary);
        }
        Self { generation, settings, summary, theory, progress }
    }

    /// Whether the predictions are known, or will never be.
    pub fn has_theory(&self) -> bool {
        self.theory.is_some() || self.progress.is_none()
    }

    /// The last recorded round up to `at`; without `at`, the last of all.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round that the run has recorded")]
    pub fn recorded(&self, at: Option<f64>) -> usize {
        let asked = at.map_or(usize::MAX, |x| x as usize);
        self.summary.rounds.get(self.summary.record_at(asked)).copied().unwrap_or(0)
    }
}

/// The state of the run on screen and of newer requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dashboard {
    /// The requested runs that may still be answered, oldest first.
    asked: Vec<(Generation, Settings)>,
    /// Time of the last request, in milliseconds.
    begun: f64,
    /// Why the work on the last request stopped early, if it did.
    ended: Option<WorkState>,
    /// The newest run that has results.
    run: Option<Run>,
    /// Share of work done on a newer run, and its number of data sets; set until its first data set is complete, since
    /// it has no results to show before.
    beginning: Option<(f64, usize)>,
    /// Why the last settings could not be run.
    refusal: Option<ScenarioError>,
    /// The last trouble of the engine, until dismissed.
    trouble: Option<Trouble>,
}

impl Dashboard {
    /// Records that a run was requested at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, settings: Settings, now: f64) {
        self.asked.push((generation, settings));
        (self.begun, self.ended, self.refusal) = (now, None, None);
    }

    /// Records that the work on the last request stopped early; results so far stay.
    pub fn end(&mut self, state: WorkState) {
        if !self.is_settled() {
            self.ended = Some(state);
            self.asked.clear();
        }
    }

    /// Applies an event of the engine. Events older than the run on screen change nothing.
    pub fn apply(&mut self, event: Event) {
        let Some(generation) = event.generation() else { return };
        if self.run.as_ref().is_some_and(|run| generation < run.generation) {
            return;
        }
        let asked = self.asked.iter().find(|(asked, _)| *asked == generation);
        let Some((_, settings)) = asked.cloned() else { return };
        let n_trials = settings.n_trials;
        let is_last = self.asked.last().is_some_and(|(last, _)| *last == generation);
        let newest = |summary, theory, progress| Some(Run::new(generation, settings, summary, theory, progress));
        self.beginning = None;
        match event {
            Event::Progress { progress, summary, .. } if summary.n_trials == 0 => {
                (self.beginning, self.refusal) = (Some((progress, n_trials)), None);
            }
            Event::Progress { progress, summary, theory, .. } => {
                (self.run, self.refusal) = (newest(summary, theory, Some(progress)), None);
            }
            Event::Done { summary, theory, .. } => (self.run, self.refusal) = (newest(summary, theory, None), None),
            Event::Refused { error, .. } => self.refusal = is_last.then_some(error),
            Event::Ready
            | Event::Unreadable
            | Event::Working { .. }
            | Event::Portion { .. }
            | Event::Surveying { .. }
            | Event::Surveyed { .. } => {}
        }
        self.asked.retain(|(asked, _)| *asked >= generation);
    }

    /// Records trouble of the engine.
    pub fn suffer(&mut self, trouble: Trouble) {
        self.trouble = Some(trouble);
    }

    /// Dismisses the trouble: the person has read of it.
    pub fn dismiss_trouble(&mut self) {
        self.trouble = None;
    }

    /// The run on screen.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// Progress of the run at time `now` in milliseconds; `None` once it is complete.
    pub fn work(&self, now: f64) -> Option<Work> {
        let beginning = self.beginning.map(|(share, all)| (share, (0, all)));
        let of_run = |run: &Run| Some((run.progress?, (run.summary.n_trials, run.settings.n_trials)));
        let (share, done) = beginning.or_else(|| self.run().and_then(of_run))?;
        let state = self.ended.unwrap_or(WorkState::Running);
        Some(Work { state, share, done, of: Things::DataSets, elapsed: now - self.begun })
    }

    /// Why the last settings could not be run.
    pub fn refusal(&self) -> Option<ScenarioError> {
        self.refusal
    }

    /// The last trouble of the engine.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble
    }

    /// Whether there is a run, a refusal or trouble to show.
    pub fn has_something_to_say(&self) -> bool {
        self.run.is_some() || self.refusal.is_some() || self.trouble.is_some()
    }

    /// Whether all requests are answered: nothing on screen will change by itself.
    pub fn is_settled(&self) -> bool {
        let last = self.asked.last().map(|(generation, _)| *generation);
        let answered = self.run.as_ref().filter(|run| run.progress.is_none()).map(|run| run.generation);
        self.refusal.is_some() || self.ended.is_some() || answered == last
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::params::Draft;
    use crate::sim::scenario::Scenario;
    use crate::sim::study::Study;

    /// A complete run with three data sets.
    pub(crate) fn run(change: impl Fn(&mut Settings)) -> Run {
        let mut settings = Settings { n_trials: 3, gains: true, ..Settings::paper() };
        change(&mut settings);
        let study = Study::new(Scenario::new(settings.clone()).unwrap());
        let theory = Some(Box::new(Theory::of(study.experiment())));
        Run::new(Generation(1), settings, study.run(), theory, None)
    }

    /// A complete run of a draft, without predictions.
    pub(crate) fn run_of(draft: &Draft) -> Run {
        let settings = draft.settings();
        let study = Study::new(Scenario::new(settings.clone()).unwrap());
        Run::new(Generation(1), settings, study.run(), None, None)
    }

    fn asked(generations: &[u32]) -> Dashboard {
        let mut dashboard = Dashboard::default();
        for &generation in generations {
            let settings = Settings { n_clients: generation as usize, ..Settings::paper() };
            dashboard.asked(Generation(generation), settings, 0.0);
        }
        dashboard
    }

    fn done(generation: u32) -> Event {
        Event::Done { generation: Generation(generation), summary: run(|s| s.n_rounds = 1).summary, theory: None }
    }

    fn progress(generation: u32, progress: f64) -> Event {
        Event::Progress {
            generation: Generation(generation),
            progress,
            summary: run(|s| s.n_rounds = 1).summary,
            theory: None,
        }
    }

    fn far(dashboard: &Dashboard) -> Option<(f64, (usize, usize))> {
        dashboard.work(0.0).map(|work| (work.share, work.done))
    }

    #[track_caller]
    fn check(dashboard: &Dashboard, on_screen: Option<(u32, Option<f64>)>, settled: bool) {
        let run = dashboard.run().map(|run| (run.settings.n_clients, run.progress));
        assert_eq!(run, on_screen.map(|(generation, progress)| (generation as usize, progress)));
        assert_eq!(dashboard.is_settled(), settled);
    }

    #[test]
    fn results_are_shown_with_the_settings_they_belong_to() {
        let mut dashboard = asked(&[1, 2, 3]);
        check(&dashboard, None, false);
        dashboard.apply(done(1));
        check(&dashboard, Some((1, None)), false);
        dashboard.apply(progress(3, 0.5));
        check(&dashboard, Some((3, Some(0.5))), false);
        dashboard.apply(done(3));
        check(&dashboard, Some((3, None)), true);
    }

    /// Before its first data set a run has no numbers: the last run's stay, and only the progress of the new one is
    /// shown.
    #[test]
    fn a_run_without_a_data_set_replaces_nothing() {
        let scenario = Scenario::new(Settings { n_trials: 7, ..Settings::paper() }).unwrap();
        let nothing = |generation, progress| Event::Progress {
            generation: Generation(generation),
            progress,
            summary: Study::new(scenario.clone()).summary().clone(),
            theory: None,
        };
        let mut dashboard = asked(&[1, 2]);
        let n_trials = Settings::paper().n_trials;
        dashboard.apply(nothing(1, 0.01));
        check(&dashboard, None, false);
        assert_eq!(far(&dashboard), Some((0.01, (0, n_trials))));
        dashboard.apply(done(1));
        assert_eq!(far(&dashboard), None);
        dashboard.apply(nothing(2, 0.02));
        check(&dashboard, Some((1, None)), false);
        assert_eq!(far(&dashboard), Some((0.02, (0, n_trials))));
        dashboard.apply(progress(2, 0.5));
        check(&dashboard, Some((2, Some(0.5))), false);
        assert_eq!(far(&dashboard), Some((0.5, (3, n_trials))));
    }

    #[test]
    fn what_is_stale_or_was_never_asked_for_changes_nothing() {
        let mut dashboard = asked(&[1, 2]);
        dashboard.apply(done(2));
        dashboard.apply(done(1));
        dashboard.apply(done(9));
        dashboard.apply(Event::Ready);
        check(&dashboard, Some((2, None)), true);
    }

    #[test]
    fn a_run_that_is_stopped_stays_as_far_as_it_is() {
        let mut dashboard = asked(&[1]);
        dashboard.apply(progress(1, 0.5));
        dashboard.end(WorkState::Stopped);
        dashboard.apply(progress(1, 0.75));
        check(&dashboard, Some((1, Some(0.5))), true);
        assert_eq!(dashboard.work(9.0).map(|work| (work.state, work.share)), Some((WorkState::Stopped, 0.5)));
        dashboard.asked(Generation(2), Settings { n_clients: 2, ..Settings::paper() }, 0.0);
        check(&dashboard, Some((1, Some(0.5))), false);
        dashboard.apply(done(2));
        check(&dashboard, Some((2, None)), true);
        dashboard.end(WorkState::Stopped);
        assert_eq!(dashboard.work(9.0), None, "what is complete cannot be stopped");
    }

    #[test]
    fn a_refusal_leaves_the_last_run_on_screen() {
        let mut dashboard = asked(&[1, 2]);
        dashboard.apply(done(1));
        let error = ScenarioError::StepSize(0.0);
        dashboard.apply(Event::Refused { generation: Generation(2), error });
        check(&dashboard, Some((1, None)), true);
        assert_eq!(dashboard.refusal(), Some(error));
    }

    #[test]
    fn a_refusal_is_of_the_last_settings_alone() {
        let refused = |generation| {
            let error = ScenarioError::StepSize(0.0);
            Event::Refused { generation: Generation(generation), error }
        };
        let mut dashboard = asked(&[1]);
        dashboard.apply(refused(1));
        check(&dashboard, None, true);
        for generation in [2, 3] {
            dashboard.asked(Generation(generation), Settings { n_clients: 3, ..Settings::paper() }, 0.0);
        }
        check(&dashboard, None, false);
        assert_eq!(dashboard.refusal(), None);
        dashboard.apply(refused(2));
        check(&dashboard, None, false);
        assert_eq!(dashboard.refusal(), None);
        dashboard.apply(progress(3, 0.5));
        dashboard.end(WorkState::Stopped);
        check(&dashboard, Some((3, Some(0.5))), true);
        assert_eq!(dashboard.work(9.0).map(|work| work.state), Some(WorkState::Stopped));
    }

    #[test]
    fn a_mishap_stays_until_it_is_dismissed() {
        let mut dashboard = asked(&[1]);
        dashboard.suffer(Trouble::WorkerReplaced);
        dashboard.apply(done(1));
        assert_eq!(dashboard.trouble(), Some(Trouble::WorkerReplaced));
        dashboard.dismiss_trouble();
        assert_eq!(dashboard.trouble(), None);
    }
}
