//! The page's state without a page: what was asked for, what has come back, what to say about it.
//!
//! - [`Dashboard`]: the state; [`Dashboard::apply`] is the one place where generations are compared.
//! - [`picture`]: the state as a figure.
//! - [`paper`]: the paper's figures.
//! - [`badge`]: how stable the methods are.
//! - [`anatomy`]: what an error is made of; [`join`]: who gains; [`bound`]: the paper's bound beside what happens;
//!   [`terms`]: the glossary; [`markup`]: all these as markup.
//! - [`export`]: charts to be taken away, [`script`]: as a program that finds the numbers again.
//! - [`readout`]: the numbers at one round; [`pins`]: runs that are kept to be compared with.
//! - [`sweep`]: many experiments at once; [`tradeoff`] and [`family`]: what they show; [`table`]: their numbers;
//!   [`maps`]: two parameters at once; [`paper`]: the paper's figures; [`shelf`]: those on screen, and those that are kept.
//! - [`round`]: one round in slow motion.
//! - [`systems`]: the systems themselves: eigenvalues, controllability, how the clients differ.
//! - [`data`]: people's own data.
//! - [`embedding`]: the code that puts the page into another one; [`host`]: what the two say to each other.
//! - [`lesson`]: guided steps, and classes.
//! - [`sentences`]: what is going on, in words computed from the numbers.

pub mod anatomy;
pub mod badge;
pub mod bound;
pub mod data;
pub mod embedding;
pub mod export;
pub mod family;
pub mod host;
pub mod join;
pub mod landmarks;
pub mod lesson;
pub mod maps;
pub mod markup;
pub mod paper;
pub mod picture;
pub mod pins;
pub mod readout;
pub mod round;
pub mod script;
pub mod sentences;
pub mod shelf;
pub mod strip;
pub mod sweep;
pub mod systems;
pub mod table;
pub mod terms;
pub mod things;
pub mod tradeoff;
pub mod work;

use crate::dashboard::things::Things;
use crate::params::{State, View};
use crate::protocol::{Event, Generation, Trouble};
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::theory::Theory;
use sweep::Plan;
use work::{Stage, Work};

/// The experiments that what is looked at takes, besides the run that follows the settings.
pub fn wanted(State { draft, views, pins }: &State) -> Option<Plan> {
    let plan = match views.view {
        View::Explore => views.sweep.as_ref().map(|of| family::plan(draft, of)),
        View::TradeOff => Some(tradeoff::plan(draft, views)),
        View::Map => Some(maps::check_plan(views.map, draft)),
        View::Systems => None,
        // Here no pins are listed.
        View::Data => return None,
        View::Lesson => return lesson::class::plan(views.guide.class),
        View::Paper => return Some(paper::plan(views.figure, views.switches, draft.seeds())),
    };
    pins::beside(plan, pins, draft)
}

/// A run on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its place among the runs asked for.
    pub generation: Generation,
    /// What was run.
    pub settings: Settings,
    /// Its results so far.
    pub summary: Summary,
    /// What was to be expected, once it is known.
    pub theory: Option<Box<Theory>>,
    /// The share of the work done, while it goes on.
    pub progress: Option<f64>,
}

impl Run {
    /// A run of which that much is known.
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

    /// Whether it is known what to expect, or nothing more will be.
    pub fn has_theory(&self) -> bool {
        self.theory.is_some() || self.progress.is_none()
    }

    /// The recorded round at an abscissa that is looked at, else the last.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round that the run has recorded")]
    pub fn recorded(&self, at: Option<f64>) -> usize {
        let asked = at.map_or(usize::MAX, |x| x as usize);
        self.summary.rounds.get(self.summary.record_at(asked)).copied().unwrap_or(0)
    }
}

/// What the page knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dashboard {
    /// Settings of the runs asked for that may still be answered, oldest first.
    asked: Vec<(Generation, Settings)>,
    /// When the last one was asked for, in milliseconds.
    begun: f64,
    /// How work on it ended before its end.
    ended: Option<Stage>,
    /// The newest run that anything is known of.
    run: Option<Run>,
    /// How far a newer one is in its first data set, of how many: until that is in there is nothing to show of it.
    beginning: Option<(f64, usize)>,
    /// Why the last settings could not be run.
    refusal: Option<ScenarioError>,
    /// The engine's last mishap, until dismissed.
    trouble: Option<Trouble>,
}

impl Dashboard {
    /// A run was asked for, at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, settings: Settings, now: f64) {
        self.asked.push((generation, settings));
        (self.begun, self.ended, self.refusal) = (now, None, None);
    }

    /// Work on what was asked for ended before its end; what is in stays.
    pub fn end(&mut self, stage: Stage) {
        if !self.is_settled() {
            self.ended = Some(stage);
            self.asked.clear();
        }
    }

    /// Takes in what the engine says. Anything older than what is on screen is stale and changes nothing.
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

    /// The engine had a mishap.
    pub fn suffer(&mut self, trouble: Trouble) {
        self.trouble = Some(trouble);
    }

    /// The person has read of the mishap.
    pub fn dismiss_trouble(&mut self) {
        self.trouble = None;
    }

    /// The run on screen.
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }

    /// How far the run is at time `now` in milliseconds, until it is complete.
    pub fn work(&self, now: f64) -> Option<Work> {
        let beginning = self.beginning.map(|(share, all)| (share, (0, all)));
        let of_run = |run: &Run| Some((run.progress?, (run.summary.n_trials, run.settings.n_trials)));
        let (share, done) = beginning.or_else(|| self.run().and_then(of_run))?;
        let stage = self.ended.unwrap_or(Stage::Running);
        Some(Work { stage, share, done, of: Things::DataSets, elapsed: now - self.begun })
    }

    /// Why the last settings could not be run.
    pub fn refusal(&self) -> Option<ScenarioError> {
        self.refusal
    }

    /// The engine's last mishap.
    pub fn trouble(&self) -> Option<Trouble> {
        self.trouble
    }

    /// Whether there is anything to show or to say.
    pub fn has_something_to_say(&self) -> bool {
        self.run.is_some() || self.refusal.is_some() || self.trouble.is_some()
    }

    /// Whether everything asked for is answered: nothing on screen will change by itself.
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

    /// A finished run of a few small data sets.
    pub(crate) fn run(change: impl Fn(&mut Settings)) -> Run {
        let mut settings = Settings { n_trials: 3, gains: true, ..Settings::paper() };
        change(&mut settings);
        let study = Study::new(Scenario::new(settings.clone()).unwrap());
        let theory = Some(Box::new(Theory::of(study.experiment())));
        Run::new(Generation(1), settings, study.run(), theory, None)
    }

    /// A finished run of a draft, without what was to be expected.
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

    /// Before its first data set a run has no numbers: the last run's stay, and how far the new one is shows.
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
        dashboard.end(Stage::Stopped);
        dashboard.apply(progress(1, 0.75));
        check(&dashboard, Some((1, Some(0.5))), true);
        assert_eq!(dashboard.work(9.0).map(|work| (work.stage, work.share)), Some((Stage::Stopped, 0.5)));
        dashboard.asked(Generation(2), Settings { n_clients: 2, ..Settings::paper() }, 0.0);
        check(&dashboard, Some((1, Some(0.5))), false);
        dashboard.apply(done(2));
        check(&dashboard, Some((2, None)), true);
        dashboard.end(Stage::Stopped);
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
        dashboard.end(Stage::Stopped);
        check(&dashboard, Some((3, Some(0.5))), true);
        assert_eq!(dashboard.work(9.0).map(|work| work.stage), Some(Stage::Stopped));
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
