//! Sweeps: many experiments, distributed over the engines, for a trade-off, a sweep of one parameter or a figure of the
//! paper.
//!
//! A [`Plan`] lists the experiments. A [`Sweep`] collects their results in a fixed order, whichever engine computed
//! them, so that its numbers equal those of the same studies run whole. [`Sweeps`] keeps complete sweeps, so that
//! returning to one costs nothing.

mod plan;
mod point;

use crate::dashboard::results::cache::{Cache, Cached};
use crate::dashboard::results::work::{Work, WorkState};
use crate::dashboard::words::counting::Things;
use crate::protocol::{Event, Generation, PortionResult};
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::sim::target::Target;
use crate::theory::Theory;

pub use plan::Plan;
pub use point::{last, value_of};

/// While the settings change, a sweep continues until this many milliseconds after its request: every sweep shows some
/// results, and the points follow the slider.
const WORTH_MS: f64 = 100.0;

/// The client whose error experiments show: where there are fewer clients than its index, the draft shows the last of
/// them, so it is the one with the largest index.
pub fn target_of(points: &[Settings]) -> Option<Target> {
    let asked = |settings: &&Settings| if let Target::Client(client) = settings.target { client } else { 0 };
    points.iter().max_by_key(asked).map(|settings| settings.target)
}

/// State of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Engines are computing it.
    Running,
    /// All results have arrived.
    Complete,
    /// The person stopped it.
    Cancelled,
    /// It was given up, since workers died while computing it.
    GivenUp,
    /// One of its points has invalid settings.
    Refused(ScenarioError),
}

/// A sweep with the results so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The experiments.
    pub plan: Plan,
    /// Its state.
    pub state: State,
    generation: Generation,
    points: Vec<Point>,
    /// Number of clients' data sets that are simulated, and the total number.
    done: f64,
    all: f64,
    /// Time of the request, in milliseconds.
    begun: f64,
}

/// Results of a point.
#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    summary: Option<Summary>,
    theory: Option<Box<Theory>>,
    /// Portions that arrived before their turn.
    early: Vec<PortionResult>,
}

impl Sweep {
    /// An empty sweep, requested at time `now` in milliseconds.
    pub fn new(plan: Plan, generation: Generation, now: f64) -> Self {
        let all = plan.all().map(cost).sum();
        let points: Vec<_> = plan.all().map(|_| Point::default()).collect();
        let state = if points.is_empty() { State::Complete } else { State::Running };
        Self { plan, state, generation, points, done: 0.0, all, begun: now }
    }

    /// Applies an engine's event; returns whether it was about this sweep.
    fn apply(&mut self, event: Event) -> bool {
        if event.generation() != Some(self.generation) || self.state != State::Running {
            return false;
        }
        match event {
            Event::Portion { result, .. } => self.add(result),
            Event::Refused { error, .. } => self.state = State::Refused(error),
            Event::Ready
            | Event::Unreadable
            | Event::Progress { .. }
            | Event::Done { .. }
            | Event::Working { .. }
            | Event::Surveying { .. }
            | Event::Surveyed { .. } => {}
        }
        true
    }

    fn add(&mut self, result: PortionResult) {
        let (Some(settings), Some(point)) =
            (self.plan.at(result.portion.point), self.points.get_mut(result.portion.point))
        else {
            return;
        };
        let n_results = result.results.len();
        if point.add(settings, result) {
            self.done += settings.n_clients as f64 * n_results as f64;
        }
        if self.points.iter().zip(self.plan.all()).all(|(point, settings)| point.n_trials() == settings.n_trials) {
            self.state = State::Complete;
        }
    }

    /// Results of a point so far; `None` before its first data set.
    pub fn summary(&self, point: usize) -> Option<&Summary> {
        self.points.get(point)?.summary.as_ref()
    }

    /// Predictions for a point, once they are known.
    pub fn theory(&self, point: usize) -> Option<&Theory> {
        self.points.get(point)?.theory.as_deref()
    }

    /// Share of the work that is done, from 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.all > 0.0 { self.done / self.all } else { 1.0 }
    }

    /// Number of complete points, and of all points.
    pub fn n_points(&self) -> (usize, usize) {
        let is_done = |(point, settings): (&Point, &Settings)| point.n_trials() == settings.n_trials;
        let done = self.points.iter().zip(&self.plan.points).filter(|&pair| is_done(pair)).count();
        (done, self.plan.points.len())
    }

    /// Progress at time `now` in milliseconds; `None` once the sweep is complete.
    pub fn work(&self, now: f64) -> Option<Work> {
        let state = match self.state {
            State::Running => WorkState::Running,
            State::Cancelled => WorkState::Stopped,
            State::GivenUp | State::Refused(_) => WorkState::GivenUp,
            State::Complete => return None,
        };
        let elapsed = now - self.begun;
        Some(Work { state, share: self.progress(), done: self.n_points(), of: Things::Points, elapsed })
    }
}

impl Point {
    fn n_trials(&self) -> usize {
        self.summary.as_ref().map_or(0, |summary| summary.n_trials)
    }

    /// Adds a portion's result; returns whether it is new: an interrupted portion is computed again, though its result
    /// may have been on its way. Portions arrive in any order; the summary takes them in the order of the data sets, so
    /// that its sums are always the same bits.
    fn add(&mut self, settings: &Settings, result: PortionResult) -> bool {
        let is_known = result.portion.data_sets.start < self.n_trials();
        if is_known || self.early.iter().any(|early| early.portion == result.portion) {
            return false;
        }
        self.early.push(result);
        while let Some(next) = self.early.iter().position(|early| early.portion.data_sets.start == self.n_trials()) {
            let next = self.early.swap_remove(next);
            let summary = self.summary.get_or_insert_with(|| Summary::new(settings, next.heterogeneity));
            next.results.iter().for_each(|result| summary.add(result));
            self.theory = next.theory.or(self.theory.take());
            if let Some(theory) = &mut self.theory {
                theory.take_back(summary);
            }
            if next.results.is_empty() {
                break;
            }
        }
        true
    }
}

fn cost(settings: &Settings) -> f64 {
    settings.n_clients as f64 * settings.n_trials as f64
}

impl Cached for Sweep {
    type Wanted = Plan;

    fn wanted(&self) -> &Plan {
        &self.plan
    }

    /// A sweep may have more experiments aside than are requested.
    fn answers(&self, Plan { points, series_len, expects, aside }: &Plan) -> bool {
        let ours = &self.plan;
        (&ours.points, ours.series_len, ours.expects) == (points, *series_len, *expects)
            && aside.iter().all(|wanted| ours.aside.contains(wanted))
    }

    fn stays(&self) -> bool {
        !matches!(self.state, State::Cancelled | State::GivenUp)
    }

    /// Of two interrupted sweeps the one with more progress stands in.
    fn stand_in(last: Option<Self>, before: Option<Self>, _: &Plan) -> Option<Self> {
        let shown = before.as_ref().map_or(0.0, Self::progress);
        last.filter(|last| shown <= last.progress()).or(before)
    }
}

/// The sweep on screen, and the kept ones.
pub type Sweeps = Cache<Sweep>;

impl Sweeps {
    /// How many milliseconds from `now` on the current sweep should continue before the sweep of `plan` replaces it.
    /// `None` unless both have the same shape, as they have while a slider moves.
    #[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
    pub fn worth_waiting(&self, plan: Option<&Plan>, now: f64) -> Option<i32> {
        let shape = |plan: &Plan| (plan.points.len(), plan.series_len);
        let current = self.current().filter(|sweep| sweep.state == State::Running)?;
        let plan = plan.filter(|plan| shape(plan) == shape(&current.plan) && **plan != current.plan)?;
        let left = current.begun + WORTH_MS - now;
        (left > 0.0 && !plan.points.is_empty()).then_some(left.ceil() as i32)
    }

    /// Records that a sweep was requested at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, plan: Plan, now: f64) {
        self.put(Sweep::new(plan, generation, now));
    }

    /// Applies an engine's event; returns whether it was about the sweep on screen.
    pub fn apply(&mut self, event: Event) -> bool {
        let Some(sweep) = self.current_mut() else { return false };
        let is_ours = sweep.apply(event);
        if is_ours && sweep.state == State::Complete {
            self.keep();
        }
        is_ours
    }

    /// Records that the work on the sweep on screen stopped early; results so far stay.
    pub fn end(&mut self, state: State) {
        if let Some(sweep) = self.current_mut().filter(|sweep| sweep.state == State::Running) {
            sweep.state = state;
        }
    }

    /// Results of an experiment, from any sweep that contains it.
    pub fn find(&self, settings: &Settings) -> Option<&Summary> {
        self.all().find_map(|sweep| {
            let point = sweep.plan.all().position(|point| point == settings)?;
            sweep.summary(point)
        })
    }

    /// Whether the sweep on screen has results.
    pub fn has_something_to_show(&self) -> bool {
        self.current().is_some_and(|sweep| sweep.progress() > 0.0)
    }

    /// Whether the sweep on screen is being computed.
    pub fn is_running(&self) -> bool {
        self.current().is_some_and(|sweep| sweep.state == State::Running)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::runner::Runner;
    use crate::protocol::Request;
    use crate::sim::scenario::Scenario;
    use crate::sim::study::Study;

    pub(super) fn plan(n_points: usize, n_trials: usize) -> Plan {
        let settings = |clients| Settings { n_clients: clients + 1, n_rounds: 4, n_trials, ..Settings::paper() };
        Plan { points: (0..n_points).map(settings).collect(), series_len: n_points, ..Plan::default() }
    }

    fn answer(request: Request) -> Event {
        let mut runner = Runner::default();
        runner.handle(request);
        loop {
            if let Some(event) = runner.tick(1e9, || 0.0) {
                return event;
            }
        }
    }

    /// Sweeps with one on screen, which is complete.
    pub(crate) fn kept(plan: &Plan) -> Sweeps {
        let mut sweeps = Sweeps::default();
        sweeps.put(complete(plan));
        sweeps
    }

    /// A complete sweep.
    pub(crate) fn complete(plan: &Plan) -> Sweep {
        let mut sweep = Sweep::new(plan.clone(), Generation(1), 0.0);
        for request in plan.requests(Generation(1)) {
            assert!(sweep.apply(answer(request)));
        }
        assert_eq!(sweep.state, State::Complete);
        sweep
    }

    #[test]
    fn whoever_does_what_in_whatever_order_the_numbers_are_those_of_whole_studies() {
        let plan = Plan { expects: true, ..plan(3, 1_300) };
        let mut answers: Vec<_> = plan.requests(Generation(1)).map(answer).collect();
        assert!(answers.len() > 3, "some points take several portions");
        for shift in 0..3 {
            answers.rotate_left(shift);
            answers.swap(0, 2);
            let mut sweep = Sweep::new(plan.clone(), Generation(1), 0.0);
            for event in answers.clone() {
                assert_eq!(sweep.state, State::Running);
                assert!(sweep.apply(event));
            }
            assert_eq!((sweep.state, sweep.n_points()), (State::Complete, (3, 3)));
            for (point, settings) in plan.points.iter().enumerate() {
                let study = Study::new(Scenario::new(settings.clone()).unwrap());
                assert_eq!(sweep.theory(point), Some(&Theory::of(study.experiment())));
                assert_eq!(sweep.summary(point), Some(&study.run()), "{shift} {point}");
            }
        }
    }

    /// A point that diverges in some of its data sets has no prediction, though the mean of much data would have one.
    #[test]
    fn of_points_that_diverge_now_and_then_nothing_is_expected() {
        let mut plan = Plan { expects: true, ..plan(1, 3) };
        (plan.points[0].n_clients, plan.points[0].n_rounds, plan.points[0].gains) = (50, 200, true);
        let study = |settings: &Settings| Study::new(Scenario::new(settings.clone()).unwrap());
        let largest = study(&plan.points[0]).run().methods[0].largest_step.unwrap();
        plan.points[0].step_size = 1.000_1 * largest;
        let alone = Theory::of(study(&plan.points[0]).experiment());
        assert!(alone.methods[0].prediction.is_ok());
        let sweep = complete(&plan);
        assert!(sweep.summary(0).unwrap().methods[0].n_diverged > 0);
        let told = &sweep.theory(0).unwrap().methods[0].prediction;
        assert_eq!(told.as_ref().err(), Some(&crate::theory::NoPrediction::Diverges));
    }

    #[test]
    fn what_is_stale_changes_nothing() {
        let mut sweeps = Sweeps::default();
        let (old, new) = (plan(2, 1), plan(3, 1));
        assert!(sweeps.want(Some(&old)));
        sweeps.asked(Generation(1), old.clone(), 0.0);
        let late: Vec<_> = old.requests(Generation(1)).map(answer).collect();
        assert!(sweeps.want(Some(&new)));
        sweeps.asked(Generation(2), new, 0.0);
        assert_eq!(late.len(), 2);
        for event in late {
            assert!(!sweeps.apply(event));
        }
        assert!(sweeps.current().is_some_and(|sweep| sweep.n_points() == (0, 3)));
    }

    #[test]
    fn a_finished_sweep_is_kept_and_a_cancelled_one_is_begun_anew() {
        let mut sweeps = Sweeps::default();
        let (one, other) = (plan(2, 1), plan(3, 1));
        assert!(sweeps.want(Some(&one)));
        sweeps.asked(Generation(1), one.clone(), 0.0);
        assert!(!sweeps.want(Some(&one)), "it is on its way");
        assert!(!sweeps.has_something_to_show());
        for request in one.requests(Generation(1)) {
            assert!(sweeps.apply(answer(request)));
            assert!(sweeps.has_something_to_show());
        }
        assert!(sweeps.want(Some(&other)));
        sweeps.asked(Generation(2), other.clone(), 0.0);
        sweeps.end(State::Cancelled);
        assert!(!sweeps.want(Some(&one)), "it was kept");
        assert!(sweeps.current().is_some_and(|sweep| sweep.state == State::Complete));
        assert!(sweeps.want(Some(&other)), "it was not finished");
    }

    #[test]
    fn what_lies_aside_is_found_and_what_no_longer_has_to_is_no_new_question() {
        let [one, other] =
            [5, 9].map(|n_clients| Settings { n_clients, n_rounds: 3, n_trials: 2, ..Settings::paper() });
        let wanted = Plan { aside: vec![one.clone(), other.clone()], ..plan(2, 1) };
        let mut sweeps = kept(&wanted);
        assert_eq!(sweeps.current().map(Sweep::n_points), Some((2, 2)), "what lies aside is no point");
        for settings in [&one, &other] {
            let whole = Study::new(Scenario::new(settings.clone()).unwrap()).run();
            assert_eq!(sweeps.find(settings), Some(&whole));
        }
        assert!(!sweeps.want(Some(&Plan { aside: vec![other.clone()], ..plan(2, 1) })), "one was taken away");
        assert!(!sweeps.want(Some(&plan(2, 1))), "all were");
        let third = Settings { n_clients: 3, ..one };
        assert!(sweeps.want(Some(&Plan { aside: vec![other, third], ..plan(2, 1) })), "another came");
    }

    #[test]
    fn under_a_moving_slider_something_of_every_sweep_is_seen() {
        let mut sweeps = Sweeps::default();
        let (one, other) = (plan(2, 1), plan(2, 2));
        assert_eq!(sweeps.worth_waiting(Some(&one), 0.0), None);
        sweeps.asked(Generation(1), one.clone(), 1_000.0);
        assert_eq!(sweeps.worth_waiting(Some(&other), 1_030.0), Some(70));
        assert_eq!(sweeps.worth_waiting(Some(&other), 1_100.0), None);
        assert_eq!(sweeps.worth_waiting(Some(&one), 1_030.0), None, "it is what is wanted");
        assert_eq!(sweeps.worth_waiting(Some(&plan(3, 1)), 1_030.0), None, "another view");
        assert_eq!(sweeps.worth_waiting(None, 1_030.0), None);
        sweeps.end(State::Cancelled);
        assert_eq!(sweeps.worth_waiting(Some(&other), 1_030.0), None);
    }

    /// Of two interrupted sweeps the one with results stands in.
    #[test]
    fn the_sweep_with_more_to_show_stands_in() {
        let plans = [1, 2, 3].map(|n_trials| plan(2, n_trials));
        for counts in [[1, 0, 0], [0, 1, 0]] {
            let mut sweeps = Sweeps::default();
            let generations = [Generation(1), Generation(2), Generation(3)];
            for ((plan, generation), n_portions) in plans.iter().zip(generations).zip(counts) {
                assert!(sweeps.want(Some(plan)));
                sweeps.asked(generation, plan.clone(), 0.0);
                assert_eq!(sweeps.wanted(), Some(plan));
                for request in plan.requests(generation).take(n_portions) {
                    assert!(sweeps.apply(answer(request)));
                }
            }
            let expected = plans.iter().zip(counts).find(|(_, n_portions)| *n_portions > 0).map(|(plan, _)| plan);
            assert_eq!(sweeps.before().map(|sweep| &sweep.plan), expected, "{counts:?}");
        }
    }

    #[test]
    fn progress_counts_clients_data() {
        let plan = plan(4, 1);
        let mut sweep = Sweep::new(plan.clone(), Generation(1), 1_000.0);
        let first = plan.requests(Generation(1)).find(|request| request.portion().is_some_and(|p| p.point == 3));
        sweep.apply(answer(first.unwrap()));
        // The fourth point has four of the ten clients.
        let work = sweep.work(3_000.0).unwrap();
        assert!((work.share - 0.4).abs() < 1e-12 && (work.elapsed - 2_000.0).abs() < 1e-9, "{work:?}");
        assert_eq!((work.done, work.state), ((1, 4), WorkState::Running));
        assert_eq!(complete(&plan).work(0.0), None);
    }
}
