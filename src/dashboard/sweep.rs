//! Many experiments, shared out among the engines: what a trade-off, a sweep or a figure of the paper is made of.
//!
//! A [`Plan`] says which; a [`Sweep`] is one on its way, put together in a fixed order whoever did what, so that its numbers
//! are those of the same studies run whole; [`Sweeps`] keeps those that are finished, so that going back costs nothing.

mod point;

use super::shelf::{Shelf, Shelved};
use super::work::{Stage, Work};
use crate::dashboard::things::Things;
use crate::protocol::{Event, Generation, Portion, PortionResult, Request};
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::theory::Theory;

pub use point::{last, value_of};

/// Clients' data that a portion makes, about: a few milliseconds' work.
const CLIENTS_A_PORTION: usize = 2_500;

/// While settings move on, a sweep that was begun less than so many milliseconds ago goes on for as long: something of every one
/// is seen, and the points follow the slider.
const WORTH_MS: f64 = 100.0;

/// Which experiments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// One entry a point, series after series.
    pub points: Vec<Settings>,
    /// Points of a series; they are begun coarse to fine.
    pub series_len: usize,
    /// Whether to find out too what is to be expected at each point.
    pub expects: bool,
}

impl Plan {
    /// The portions, in the order in which they are wanted: a first one of every point, coarse to fine, then the rest.
    pub fn portions(&self) -> Vec<Portion> {
        let order = self.order();
        let (mut portions, mut round) = (Vec::new(), 0);
        loop {
            let before = portions.len();
            portions.extend(order.iter().filter_map(|&point| self.portion(point, round)));
            if portions.len() == before {
                return portions;
            }
            round += 1;
        }
    }

    /// The requests that this takes.
    pub fn requests(&self, generation: Generation) -> impl Iterator<Item = Request> {
        let request = move |portion: Portion| {
            let settings = self.points[portion.point].clone();
            Request::Portion { generation, portion, settings }
        };
        self.portions().into_iter().map(request)
    }

    fn portion(&self, point: usize, round: usize) -> Option<Portion> {
        let settings = &self.points[point];
        let size = (CLIENTS_A_PORTION / settings.n_clients.max(1)).max(1);
        let (first, end) = (round * size, settings.n_trials.min((round + 1) * size));
        (first < end).then_some(Portion { point, data_sets: first..end, expects: self.expects && round == 0 })
    }

    /// The points, coarse to fine along each series: both ends, the middle, the quarters, …
    fn order(&self) -> Vec<usize> {
        let len = self.series_len.clamp(1, self.points.len().max(1));
        let series = || (0..self.points.len()).step_by(len);
        let mut order: Vec<usize> = Vec::new();
        let mut stride = len.next_power_of_two();
        let mut add = |place: usize| {
            for point in series().map(|first| first + place).filter(|&point| point < self.points.len()) {
                if !order.contains(&point) {
                    order.push(point);
                }
            }
        };
        add(0);
        add(len - 1);
        while stride > 0 {
            (0..len).step_by(stride).for_each(&mut add);
            stride /= 2;
        }
        order
    }
}

/// What becomes of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// It is being worked on.
    Running,
    /// Everything is in.
    Complete,
    /// A person stopped it.
    Cancelled,
    /// It was given up: engines died over it.
    GivenUp,
    /// One of its points is no scenario.
    Refused(ScenarioError),
}

/// A sweep on its way.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// What it is of.
    pub plan: Plan,
    /// What becomes of it.
    pub state: State,
    generation: Generation,
    points: Vec<Point>,
    /// Clients' data that are in, and that there will be.
    done: f64,
    all: f64,
    /// When it was asked for.
    begun: f64,
}

/// What is known of a point.
#[derive(Clone, Debug, Default, PartialEq)]
struct Point {
    summary: Option<Summary>,
    theory: Option<Box<Theory>>,
    /// Portions that came before their turn.
    early: Vec<PortionResult>,
}

impl Sweep {
    /// One that is asked for at time `now`, in milliseconds.
    pub fn new(plan: Plan, generation: Generation, now: f64) -> Self {
        let all = plan.points.iter().map(cost).sum();
        let points = vec![Point::default(); plan.points.len()];
        let state = if points.is_empty() { State::Complete } else { State::Running };
        Self { plan, state, generation, points, done: 0.0, all, begun: now }
    }

    /// Takes in what the engines say; whether it was about this sweep.
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
            (self.plan.points.get(result.portion.point), self.points.get_mut(result.portion.point))
        else {
            return;
        };
        self.done += settings.n_clients as f64 * result.results.len() as f64;
        point.add(settings, result);
        if self.points.iter().zip(&self.plan.points).all(|(point, settings)| point.n_trials() == settings.n_trials) {
            self.state = State::Complete;
        }
    }

    /// What is known of a point so far; `None` before its first data set.
    pub fn summary(&self, point: usize) -> Option<&Summary> {
        self.points.get(point)?.summary.as_ref()
    }

    /// What was to be expected at a point, once it is known.
    pub fn theory(&self, point: usize) -> Option<&Theory> {
        self.points.get(point)?.theory.as_deref()
    }

    /// The share of the work done, 0 to 1.
    pub fn progress(&self) -> f64 {
        if self.all > 0.0 { self.done / self.all } else { 1.0 }
    }

    /// Points of which all is in, and all points.
    pub fn n_points(&self) -> (usize, usize) {
        let is_done = |(point, settings): (&Point, &Settings)| point.n_trials() == settings.n_trials;
        let done = self.points.iter().zip(&self.plan.points).filter(|&pair| is_done(pair)).count();
        (done, self.points.len())
    }

    /// How far it is at time `now`, in milliseconds; none once it is complete.
    pub fn work(&self, now: f64) -> Option<Work> {
        let stage = match self.state {
            State::Running => Stage::Running,
            State::Cancelled => Stage::Stopped,
            State::GivenUp | State::Refused(_) => Stage::GivenUp,
            State::Complete => return None,
        };
        let elapsed = now - self.begun;
        Some(Work { stage, share: self.progress(), done: self.n_points(), of: Things::Points, elapsed })
    }
}

impl Point {
    fn n_trials(&self) -> usize {
        self.summary.as_ref().map_or(0, |summary| summary.n_trials)
    }

    /// Takes in what may come in any order, in that of the data sets.
    fn add(&mut self, settings: &Settings, result: PortionResult) {
        self.early.push(result);
        while let Some(next) = self.early.iter().position(|early| early.portion.data_sets.start == self.n_trials()) {
            let next = self.early.swap_remove(next);
            let summary = self.summary.get_or_insert_with(|| Summary::new(settings, next.heterogeneity));
            next.results.iter().for_each(|result| summary.add(result));
            self.theory = next.theory.or(self.theory.take());
            if next.results.is_empty() {
                return;
            }
        }
    }
}

fn cost(settings: &Settings) -> f64 {
    settings.n_clients as f64 * settings.n_trials as f64
}

impl Shelved for Sweep {
    type Wanted = Plan;

    fn wanted(&self) -> &Plan {
        &self.plan
    }

    fn stays(&self) -> bool {
        !matches!(self.state, State::Cancelled | State::GivenUp)
    }

    /// Of two that were both interrupted, the older one has more to show.
    fn stand_in(last: Option<Self>, before: Option<Self>, _: &Plan) -> Option<Self> {
        let shown = before.as_ref().map_or(0.0, Self::progress);
        last.filter(|last| shown <= last.progress()).or(before)
    }
}

/// The sweep on screen, and those that are kept.
pub type Sweeps = Shelf<Sweep>;

impl Sweeps {
    /// For how many milliseconds from `now` on the sweep on its way is worth going on with before this one takes its place: only
    /// if it is of the same shape, as it is while a slider moves.
    #[expect(clippy::cast_possible_truncation, reason = "0 to 100")]
    pub fn worth_waiting(&self, plan: Option<&Plan>, now: f64) -> Option<i32> {
        let shape = |plan: &Plan| (plan.points.len(), plan.series_len);
        let current = self.current().filter(|sweep| sweep.state == State::Running)?;
        let plan = plan.filter(|plan| shape(plan) == shape(&current.plan) && **plan != current.plan)?;
        let left = current.begun + WORTH_MS - now;
        (left > 0.0 && !plan.points.is_empty()).then_some(left.ceil() as i32)
    }

    /// A sweep was asked for, at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, plan: Plan, now: f64) {
        self.put(Sweep::new(plan, generation, now));
    }

    /// Takes in what the engines say; whether it was about the sweep on screen.
    pub fn apply(&mut self, event: Event) -> bool {
        let Some(sweep) = self.current_mut() else { return false };
        let is_ours = sweep.apply(event);
        if is_ours && sweep.state == State::Complete {
            self.keep();
        }
        is_ours
    }

    /// Work on the sweep on screen ended before its end; what is in stays.
    pub fn end(&mut self, state: State) {
        if let Some(sweep) = self.current_mut().filter(|sweep| sweep.state == State::Running) {
            sweep.state = state;
        }
    }

    /// What is known of an experiment, from whichever sweep has it.
    pub fn find(&self, settings: &Settings) -> Option<&Summary> {
        self.all().find_map(|sweep| {
            let point = sweep.plan.points.iter().position(|point| point == settings)?;
            sweep.summary(point)
        })
    }

    /// Whether there is anything of a sweep to show.
    pub fn has_something_to_show(&self) -> bool {
        self.current().is_some_and(|sweep| sweep.progress() > 0.0)
    }

    /// Whether there is work going on for the sweep on screen.
    pub fn is_running(&self) -> bool {
        self.current().is_some_and(|sweep| sweep.state == State::Running)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::engine::runner::Runner;
    use crate::sim::scenario::Scenario;
    use crate::sim::study::Study;

    fn plan(n_points: usize, n_trials: usize) -> Plan {
        let settings = |clients| Settings { n_clients: clients + 1, n_rounds: 4, n_trials, ..Settings::paper() };
        Plan { points: (0..n_points).map(settings).collect(), series_len: n_points, expects: false }
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

    /// Sweeps of which one is there, with everything in.
    pub(crate) fn kept(plan: &Plan) -> Sweeps {
        let mut sweeps = Sweeps::default();
        sweeps.put(complete(plan));
        sweeps
    }

    /// A sweep with everything in.
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

    #[test]
    fn points_come_coarse_to_fine_and_each_once() {
        assert_eq!(plan(9, 1).order(), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
        let two = Plan { series_len: 3, ..plan(6, 1) };
        assert_eq!(two.order(), [0, 3, 2, 5, 1, 4]);
        for n in 0..20 {
            let mut order = plan(n, 1).order();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..n));
        }
    }

    #[test]
    fn portions_cover_every_data_set_once() {
        for (n_clients, n_trials, n_portions) in
            [(50, 25, 1), (50, 1_000, 20), (10_000, 3, 3), (1, 1, 1), (7, 1_000, 3)]
        {
            let settings = Settings { n_clients, n_trials, ..Settings::paper() };
            let portions = Plan { points: vec![settings], series_len: 1, expects: true }.portions();
            assert_eq!(portions.len(), n_portions);
            assert!(portions.iter().flat_map(|portion| portion.data_sets.clone()).eq(0..n_trials));
            assert!(portions.iter().enumerate().all(|(index, portion)| portion.expects == (index == 0)));
        }
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
        for request in one.requests(Generation(1)) {
            assert!(sweeps.apply(answer(request)));
        }
        assert!(sweeps.want(Some(&other)));
        sweeps.asked(Generation(2), other.clone(), 0.0);
        sweeps.end(State::Cancelled);
        assert!(!sweeps.want(Some(&one)), "it was kept");
        assert!(sweeps.current().is_some_and(|sweep| sweep.state == State::Complete));
        assert!(sweeps.want(Some(&other)), "it was not finished");
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

    #[test]
    fn progress_counts_clients_data() {
        let plan = plan(4, 1);
        let mut sweep = Sweep::new(plan.clone(), Generation(1), 1_000.0);
        let first = plan.requests(Generation(1)).find(|request| request.portion().is_some_and(|p| p.point == 3));
        sweep.apply(answer(first.unwrap()));
        // The fourth point has four clients of ten.
        let work = sweep.work(3_000.0).unwrap();
        assert!((work.share - 0.4).abs() < 1e-12 && (work.elapsed - 2_000.0).abs() < 1e-9, "{work:?}");
        assert_eq!((work.done, work.stage), ((1, 4), Stage::Running));
        assert_eq!(complete(&plan).work(0.0), None);
    }
}
