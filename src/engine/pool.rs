//! The page's side of its engines: what to send to which of them when, and what to do when one is late, dead or never comes
//! up.
//!
//! There are as many engines as the machine has room for, and some kinds of work for them ([`Lane`]): the run that follows the
//! sliders, a map of what is to be expected, and a sweep of many points in portions. The work that is seen comes first; work that nobody wants any more is
//! dropped between two slices; what a lost engine was at is given to another one.

use std::collections::VecDeque;

use crate::protocol::{Event, Generation, Request};

/// Where engines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a worker of its own.
    Worker,
    /// In slices on the page: workers cannot start here.
    Page,
}

/// A kind of work. Newer work of a kind replaces the older.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The run that follows the sliders, whole.
    Live,
    /// A map, whole.
    Survey,
    /// A sweep, in portions.
    Sweep,
}

impl Lane {
    /// All of them; what is not put first is done in this order.
    const ALL: [Self; 3] = [Self::Live, Self::Survey, Self::Sweep];
}

/// What the page has to do.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, and gone at once")]
pub enum Action {
    /// Send this to an engine.
    Post(usize, Request),
    /// End an engine, if there is one of this number, and start another one, there.
    Start(usize, Place),
    /// End an engine.
    End(usize),
    /// Tell the person.
    Tell(Trouble),
}

/// What went wrong with an engine, and was dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A worker died or fell silent; another one was started.
    WorkerReplaced,
    /// No worker came up: the page computes by itself.
    NoWorker,
    /// Workers died over this very run: it was given up.
    RunGivenUp,
    /// Workers died over this very map: it was given up.
    SurveyGivenUp,
    /// Workers died over this very sweep: it was given up.
    SweepGivenUp,
}

/// How long a worker may take to come up.
const READY_WITHIN_MS: f64 = 15_000.0;

/// How long a worker at work may be silent. It reports several times a second; a worker that was ended from outside, or ran
/// out of memory, says nothing.
const SILENT_MS: f64 = 5_000.0;

/// A run or a map that was begun this long ago may be dropped for a newer one; before, it is worth waiting for its end, or
/// nothing would ever be shown under a moving slider.
const SUPERSEDE_MS: f64 = 100.0;

/// Workers that may die over one job before it is given up, and times that one may fail to come up again.
const DEATHS_ALLOWED: u32 = 2;

/// Book-keeping for all engines.
#[derive(Debug)]
pub struct Pool {
    place: Place,
    /// How many engines there may be.
    allowed: usize,
    engines: Vec<Engine>,
    jobs: [Job; Lane::ALL.len()],
    /// The kind of work that comes first.
    first: Lane,
    generation: Generation,
    is_paused: bool,
    /// Whether any worker ever came up.
    has_begun: bool,
}

/// What is known of an engine.
#[derive(Debug, Default)]
struct Engine {
    /// When it was started, until it is ready.
    starting: Option<f64>,
    /// What it is at.
    work: Option<Work>,
    /// Starts since it was last ready.
    n_starts: u32,
    /// Whether it was given up.
    is_gone: bool,
}

#[derive(Debug)]
struct Work {
    lane: Lane,
    request: Request,
    posted: f64,
    heard: f64,
}

/// What is wanted of a kind.
#[derive(Debug, Default)]
struct Job {
    generation: Generation,
    pending: VecDeque<Request>,
    n_deaths: u32,
}

impl Engine {
    fn is_free(&self) -> bool {
        !self.is_gone && self.starting.is_none() && self.work.is_none()
    }
}

impl Pool {
    /// Book-keeping for up to `allowed` engines, of which the first is started at `place` now. The others are started when
    /// there is work for them.
    pub fn new(place: Place, allowed: usize, now: f64) -> Self {
        let mut pool = Self {
            place,
            allowed: allowed.max(1),
            engines: Vec::new(),
            jobs: Default::default(),
            first: Lane::Live,
            generation: Generation::default(),
            is_paused: false,
            has_begun: false,
        };
        pool.add_engine(now);
        pool
    }

    /// Where the engines run.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Whether an answer is outstanding.
    pub fn is_waiting(&self) -> bool {
        self.engines.iter().any(|engine| engine.work.is_some()) || self.jobs.iter().any(|job| !job.pending.is_empty())
    }

    /// Work of this kind comes first from now on: it is what is seen.
    pub fn put_first(&mut self, lane: Lane) {
        self.first = lane;
    }

    /// Work is wanted, in this order, instead of all other of its kind. Returns its generation, and what to do now.
    pub fn submit<Requests: IntoIterator<Item = Request>>(
        &mut self,
        lane: Lane,
        requests: impl FnOnce(Generation) -> Requests,
        now: f64,
    ) -> (Generation, Vec<Action>) {
        self.generation = self.generation.next();
        let pending: VecDeque<_> = requests(self.generation).into_iter().collect();
        self.jobs[lane as usize] = Job { generation: self.generation, pending, n_deaths: 0 };
        let mut actions = self.grow(now);
        actions.extend(self.assign(now));
        (self.generation, actions)
    }

    /// Work of this kind is not wanted any more.
    pub fn cancel(&mut self, lane: Lane, now: f64) -> Vec<Action> {
        self.submit(lane, |_| [], now).1
    }

    /// Nobody looks: all work rests.
    pub fn pause(&mut self) -> Vec<Action> {
        self.is_paused = true;
        self.tell_all_at_work(&Request::Pause)
    }

    /// Somebody looks again: all work goes on.
    pub fn resume(&mut self, now: f64) -> Vec<Action> {
        self.is_paused = false;
        let mut actions = self.tell_all_at_work(&Request::Resume);
        for engine in &mut self.engines {
            engine.starting = engine.starting.map(|_| now);
            if let Some(work) = engine.work.as_mut() {
                work.heard = now;
            }
        }
        actions.extend(self.grow(now));
        actions.extend(self.assign(now));
        actions
    }

    /// Starts as many engines as there are portions for, unless all work rests: pages that nobody sees start none.
    fn grow(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        let most = self.jobs.iter().map(|job| job.pending.len()).max().unwrap_or(0);
        let n_wanted = most.saturating_add(1).min(self.allowed);
        while most > 1 && !self.is_paused && self.place == Place::Worker && self.engines.len() < n_wanted {
            actions.push(self.add_engine(now));
        }
        actions
    }

    /// An engine said something.
    pub fn heard(&mut self, index: usize, event: &Event, now: f64) -> Vec<Action> {
        let Some(engine) = self.engines.get_mut(index) else { return Vec::new() };
        let is_its_own = engine.work.as_ref().is_some_and(|work| is_answer(event, &work.request));
        match event {
            Event::Ready => {
                (engine.starting, engine.n_starts) = (None, 0);
                self.has_begun = true;
            }
            Event::Progress { .. } | Event::Working { .. } | Event::Surveying { .. } => {
                if let Some(work) = engine.work.as_mut().filter(|_| is_its_own) {
                    work.heard = now;
                }
            }
            Event::Done { .. } | Event::Refused { .. } | Event::Portion { .. } | Event::Surveyed { .. } => {
                if is_its_own {
                    engine.work = None;
                }
            }
            // What it is at may be what was unreadable: that is sent again, to an engine that is up.
            Event::Unreadable => return self.died(index, now),
        }
        self.assign(now)
    }

    /// An engine died.
    pub fn died(&mut self, index: usize, now: f64) -> Vec<Action> {
        if !self.has_begun && self.place == Place::Worker {
            return self.compute_on_page(now);
        }
        let given_up = self.take_back(index, true);
        let Some(engine) = self.engines.get_mut(index) else { return Vec::new() };
        let mut actions = Vec::new();
        if engine.starting.is_some() && engine.n_starts > DEATHS_ALLOWED {
            *engine = Engine { is_gone: true, ..Engine::default() };
            if self.engines.iter().all(|engine| engine.is_gone) {
                return self.compute_on_page(now);
            }
            actions.push(Action::End(index));
        } else {
            (engine.starting, engine.n_starts) = (Some(now), engine.n_starts + 1);
            actions.push(Action::Tell(given_up.unwrap_or(Trouble::WorkerReplaced)));
            actions.push(Action::Start(index, self.place));
        }
        actions.extend(self.assign(now));
        actions
    }

    /// Time has passed.
    pub fn passed(&mut self, now: f64) -> Vec<Action> {
        if self.place == Place::Page || self.is_paused {
            return Vec::new();
        }
        let is_late = |engine: &Engine| match (engine.starting, &engine.work) {
            (Some(since), _) => now - since > READY_WITHIN_MS,
            (None, Some(work)) => now - work.heard > SILENT_MS,
            (None, None) => false,
        };
        let late: Vec<_> = (0..self.engines.len()).filter(|&index| is_late(&self.engines[index])).collect();
        // Once the page computes by itself, no number means anything any more.
        late.into_iter().fold(Vec::new(), |mut actions, index| {
            if self.place == Place::Worker {
                actions.extend(self.died(index, now));
            }
            actions
        })
    }

    fn add_engine(&mut self, now: f64) -> Action {
        self.engines.push(Engine { starting: Some(now), n_starts: 1, ..Engine::default() });
        Action::Start(self.engines.len() - 1, self.place)
    }

    /// Workers cannot be had: one engine on the page does it all.
    fn compute_on_page(&mut self, now: f64) -> Vec<Action> {
        let mut actions = vec![Action::Tell(Trouble::NoWorker)];
        for index in 0..self.engines.len() {
            self.take_back(index, false);
            actions.push(Action::End(index));
        }
        self.engines.clear();
        self.place = Place::Page;
        actions.push(self.add_engine(now));
        actions
    }

    /// Puts what an engine is at back to what is wanted, if it still is. When too many died over it, all of its kind is given
    /// up instead.
    fn take_back(&mut self, index: usize, has_died: bool) -> Option<Trouble> {
        let work = self.engines.get_mut(index)?.work.take()?;
        let job = &mut self.jobs[work.lane as usize];
        if work.request.generation() != Some(job.generation) {
            return None;
        }
        job.n_deaths += u32::from(has_died);
        if job.n_deaths <= DEATHS_ALLOWED {
            job.pending.push_front(work.request);
            return None;
        }
        job.pending.clear();
        Some(match work.lane {
            Lane::Live => Trouble::RunGivenUp,
            Lane::Survey => Trouble::SurveyGivenUp,
            Lane::Sweep => Trouble::SweepGivenUp,
        })
    }

    fn tell_all_at_work(&self, request: &Request) -> Vec<Action> {
        let at_work = self.engines.iter().enumerate().filter(|(_, engine)| engine.work.is_some());
        at_work.map(|(index, _)| Action::Post(index, request.clone())).collect()
    }

    /// Gives every engine that is free, or at what nobody wants, the next thing to do.
    fn assign(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        if self.is_paused {
            return actions;
        }
        for index in 0..self.engines.len() {
            let is_stale = self.is_stale(index, now);
            if is_stale {
                self.engines[index].work = None;
            }
            if self.engines[index].is_free() {
                match self.next() {
                    Some((lane, request)) => actions.push(self.post(index, lane, request, now)),
                    None if is_stale => actions.push(Action::Post(index, Request::Stop)),
                    None => {}
                }
            }
        }
        actions.extend(self.preempt(now));
        actions
    }

    /// Where all engines are busy and some of them at what can wait, what is more urgent takes their place: one for each kind.
    fn preempt(&mut self, now: f64) -> Vec<Action> {
        let lanes = self.lanes();
        let mut actions = Vec::new();
        for (rank, &lane) in lanes.iter().enumerate() {
            let is_at =
                |engine: &Engine, lanes: &[Lane]| engine.work.as_ref().is_some_and(|work| lanes.contains(&work.lane));
            // An engine that works for this lane will be free soon: nothing is gained by dropping another's work too.
            let waits = !self.jobs[lane as usize].pending.is_empty();
            if !waits || self.engines.iter().any(|engine| is_at(engine, &[lane])) {
                continue;
            }
            let Some(index) = self.engines.iter().position(|engine| is_at(engine, &lanes[rank + 1..])) else {
                continue;
            };
            self.take_back(index, false);
            if let Some(request) = self.jobs[lane as usize].pending.pop_front() {
                actions.push(self.post(index, lane, request, now));
            }
        }
        actions
    }

    /// The kinds of work, the most urgent first.
    fn lanes(&self) -> [Lane; Lane::ALL.len()] {
        let mut lanes = Lane::ALL;
        let first = lanes.iter().position(|&lane| lane == self.first).unwrap_or(0);
        lanes[..=first].rotate_right(1);
        lanes
    }

    /// Whether an engine is at something that nobody wants any more.
    fn is_stale(&self, index: usize, now: f64) -> bool {
        let Some(work) = &self.engines[index].work else { return false };
        let is_old = work.request.generation() != Some(self.jobs[work.lane as usize].generation);
        is_old && (work.lane == Lane::Sweep || now - work.posted >= SUPERSEDE_MS)
    }

    fn next(&mut self) -> Option<(Lane, Request)> {
        let lanes = self.lanes();
        lanes.into_iter().find_map(|lane| Some((lane, self.jobs[lane as usize].pending.pop_front()?)))
    }

    fn post(&mut self, index: usize, lane: Lane, request: Request, now: f64) -> Action {
        self.engines[index].work = Some(Work { lane, request: request.clone(), posted: now, heard: now });
        Action::Post(index, request)
    }
}

/// Whether an event is about this request.
fn is_answer(event: &Event, request: &Request) -> bool {
    let same_portion = match event {
        Event::Portion { result, .. } => request.portion() == Some(&result.portion),
        _ => true,
    };
    same_portion && event.generation() == request.generation()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Portion, PortionResult};
    use crate::sim::family::Heterogeneity;
    use crate::sim::scenario::{Scenario, Settings};
    use crate::sim::study::{Study, Summary};

    fn summary() -> Summary {
        let small = Settings { n_clients: 1, n_rounds: 1, ..Settings::paper() };
        Study::new(Scenario::new(small).unwrap()).summary().clone()
    }

    fn done(generation: u32) -> Event {
        Event::Done { generation: Generation(generation), summary: summary(), theory: None }
    }

    fn progress(generation: u32) -> Event {
        Event::Progress { generation: Generation(generation), progress: 0.5, summary: summary(), theory: None }
    }

    fn run(generation: u32) -> Request {
        Request::Run { generation: Generation(generation), settings: Settings::paper() }
    }

    fn a_portion(point: usize) -> Portion {
        Portion { point, data_sets: 0..25, expects: false }
    }

    fn portion(generation: u32, point: usize) -> Request {
        Request::Portion { generation: Generation(generation), portion: a_portion(point), settings: Settings::paper() }
    }

    fn made(generation: u32, point: usize) -> Event {
        let result = PortionResult {
            portion: a_portion(point),
            heterogeneity: Heterogeneity { a: 0.0, b: 0.0 },
            results: Vec::new(),
            theory: None,
        };
        Event::Portion { generation: Generation(generation), result }
    }

    fn starts(index: usize, trouble: Trouble) -> Vec<Action> {
        vec![Action::Tell(trouble), Action::Start(index, Place::Worker)]
    }

    /// A pool of as many workers as allowed, all of them up.
    fn ready(allowed: usize) -> Pool {
        let mut pool = Pool::new(Place::Worker, allowed, 0.0);
        assert_eq!(pool.heard(0, &Event::Ready, 1.0), []);
        pool
    }

    fn submit(pool: &mut Pool, now: f64) -> Vec<Action> {
        pool.submit(Lane::Live, |Generation(generation)| [run(generation)], now).1
    }

    fn sweep(pool: &mut Pool, n_points: usize, now: f64) -> Vec<Action> {
        pool.submit(Lane::Sweep, |Generation(g)| (0..n_points).map(move |point| portion(g, point)), now).1
    }

    fn posts(index: usize, request: Request) -> Vec<Action> {
        vec![Action::Post(index, request)]
    }

    #[test]
    fn nothing_is_sent_before_the_engine_listens() {
        let mut pool = Pool::new(Place::Worker, 1, 0.0);
        assert_eq!(submit(&mut pool, 1.0), []);
        assert_eq!(submit(&mut pool, 2.0), []);
        assert_eq!(pool.heard(0, &Event::Ready, 3.0), posts(0, run(2)));
    }

    #[test]
    fn a_moving_slider_waits_for_short_runs_and_skips_what_it_passed() {
        let mut pool = ready(1);
        assert_eq!(submit(&mut pool, 10.0), posts(0, run(1)));
        assert_eq!(submit(&mut pool, 20.0), []);
        assert_eq!(submit(&mut pool, 30.0), []);
        assert_eq!(pool.heard(0, &done(1), 40.0), posts(0, run(3)));
        assert_eq!(pool.heard(0, &done(3), 50.0), []);
        assert!(!pool.is_waiting());
    }

    #[test]
    fn a_long_run_is_dropped_for_a_newer_one() {
        let mut pool = ready(1);
        assert_eq!(submit(&mut pool, 10.0), posts(0, run(1)));
        assert_eq!(pool.heard(0, &progress(1), 95.0), []);
        assert_eq!(submit(&mut pool, 100.0), []);
        assert_eq!(pool.heard(0, &progress(1), 111.0), posts(0, run(2)));
        assert_eq!(submit(&mut pool, 300.0), posts(0, run(3)));
        assert_eq!(pool.heard(0, &done(1), 301.0), [], "a late answer of a dropped run");
        assert!(pool.is_waiting());
    }

    /// As in a frame that was never in sight.
    #[test]
    fn while_all_rests_no_worker_is_started_and_none_is_late() {
        let mut pool = Pool::new(Place::Worker, 3, 0.0);
        assert_eq!(pool.pause(), []);
        assert_eq!(sweep(&mut pool, 4, 10.0), []);
        assert_eq!(pool.passed(1e6), []);
        assert_eq!(pool.resume(1e6), [Action::Start(1, Place::Worker), Action::Start(2, Place::Worker)]);
        assert_eq!(pool.passed(1e6 + READY_WITHIN_MS), [], "the first had its time yet to come");
        assert_eq!(pool.heard(0, &Event::Ready, 1e6 + READY_WITHIN_MS), posts(0, portion(1, 0)));
    }

    #[test]
    fn a_sweep_starts_the_other_workers_and_keeps_all_of_them_busy() {
        let mut pool = ready(3);
        let mut actions = vec![Action::Start(1, Place::Worker), Action::Start(2, Place::Worker)];
        actions.extend(posts(0, portion(1, 0)));
        assert_eq!(sweep(&mut pool, 4, 10.0), actions);
        assert_eq!(pool.heard(2, &Event::Ready, 20.0), posts(2, portion(1, 1)));
        assert_eq!(pool.heard(0, &made(1, 0), 21.0), posts(0, portion(1, 2)));
        assert_eq!(pool.heard(1, &Event::Ready, 22.0), posts(1, portion(1, 3)));
        for (index, point) in [(2, 1), (0, 2), (1, 3)] {
            assert!(pool.is_waiting());
            assert_eq!(pool.heard(index, &made(1, point), 30.0), []);
        }
        assert!(!pool.is_waiting());
    }

    #[test]
    fn what_is_seen_comes_first() {
        let mut pool = ready(1);
        sweep(&mut pool, 2, 10.0);
        assert_eq!(submit(&mut pool, 11.0), posts(0, run(2)), "the run takes the sweep's place");
        assert_eq!(pool.heard(0, &made(1, 0), 12.0), [], "too late: it is done again");
        assert_eq!(pool.heard(0, &done(2), 13.0), posts(0, portion(1, 0)));
        pool.put_first(Lane::Sweep);
        assert_eq!(submit(&mut pool, 14.0), [], "the sweep is what is seen");
        assert_eq!(pool.heard(0, &made(1, 0), 15.0), posts(0, portion(1, 1)));
        assert_eq!(pool.heard(0, &made(1, 1), 16.0), posts(0, run(3)));
    }

    #[test]
    fn one_worker_is_enough_for_what_is_seen() {
        let mut pool = ready(2);
        sweep(&mut pool, 9, 10.0);
        pool.heard(1, &Event::Ready, 11.0);
        assert_eq!(submit(&mut pool, 12.0), posts(0, run(2)));
        assert_eq!(submit(&mut pool, 13.0), [], "the other worker goes on sweeping");
        assert_eq!(pool.heard(0, &done(2), 14.0), posts(0, run(3)));
        assert_eq!(pool.heard(0, &done(3), 15.0), posts(0, portion(1, 0)));
    }

    #[test]
    fn a_sweep_that_is_not_wanted_any_more_stops_at_once() {
        let mut pool = ready(1);
        assert_eq!(sweep(&mut pool, 3, 10.0), posts(0, portion(1, 0)));
        assert_eq!(sweep(&mut pool, 3, 11.0), posts(0, portion(2, 0)));
        assert_eq!(pool.cancel(Lane::Sweep, 12.0), posts(0, Request::Stop));
        assert!(!pool.is_waiting());
        assert_eq!(pool.heard(0, &made(2, 0), 13.0), []);
    }

    #[test]
    fn nobody_looking_means_nobody_working() {
        let mut pool = ready(1);
        sweep(&mut pool, 2, 10.0);
        assert_eq!(pool.pause(), posts(0, Request::Pause));
        assert_eq!(pool.passed(60_000.0), [], "silence is what was asked for");
        assert_eq!(submit(&mut pool, 60_001.0), []);
        let resumed = vec![Action::Post(0, Request::Resume), Action::Post(0, run(2))];
        assert_eq!(pool.resume(60_002.0), resumed);
        assert_eq!(pool.passed(61_000.0), []);
        assert_eq!(pool.heard(0, &done(2), 61_001.0), posts(0, portion(1, 0)));
    }

    #[test]
    fn a_dead_worker_is_replaced_and_gets_what_the_last_one_left() {
        let mut pool = ready(1);
        submit(&mut pool, 10.0);
        assert_eq!(pool.died(0, 20.0), starts(0, Trouble::WorkerReplaced));
        assert_eq!(pool.heard(0, &Event::Ready, 30.0), posts(0, run(1)));
        assert_eq!(pool.heard(0, &Event::Unreadable, 40.0), starts(0, Trouble::WorkerReplaced));
        submit(&mut pool, 50.0);
        assert_eq!(pool.heard(0, &Event::Ready, 60.0), posts(0, run(2)));
    }

    #[test]
    fn a_lost_workers_portion_goes_to_another() {
        let mut pool = ready(2);
        sweep(&mut pool, 3, 10.0);
        pool.heard(1, &Event::Ready, 11.0);
        assert_eq!(pool.died(0, 12.0), starts(0, Trouble::WorkerReplaced));
        assert_eq!(pool.heard(1, &made(1, 1), 13.0), posts(1, portion(1, 0)));
    }

    #[test]
    fn a_silent_worker_is_dead() {
        let mut pool = ready(1);
        assert_eq!(pool.passed(60_000.0), [], "nothing is expected of it");
        submit(&mut pool, 60_000.0);
        assert_eq!(pool.heard(0, &progress(1), 64_000.0), []);
        assert_eq!(pool.passed(68_000.0), []);
        assert_eq!(pool.passed(70_000.0), starts(0, Trouble::WorkerReplaced));
    }

    #[test]
    fn work_that_kills_every_worker_is_given_up() {
        let troubles = [Trouble::RunGivenUp, Trouble::SurveyGivenUp, Trouble::SweepGivenUp];
        for (lane, trouble) in Lane::ALL.into_iter().zip(troubles) {
            let mut pool = ready(1);
            pool.submit(lane, |Generation(g)| [portion(g, 0)], 10.0);
            for _ in 0..DEATHS_ALLOWED {
                assert_eq!(pool.died(0, 20.0), starts(0, Trouble::WorkerReplaced));
                assert_eq!(pool.heard(0, &Event::Ready, 30.0), posts(0, portion(1, 0)));
            }
            assert_eq!(pool.died(0, 40.0), starts(0, trouble));
            assert_eq!(pool.heard(0, &Event::Ready, 50.0), []);
            assert!(!pool.is_waiting());
            let another = pool.submit(lane, |Generation(g)| [portion(g, 0)], 60.0).1;
            assert_eq!(another, posts(0, portion(2, 0)), "another one has its own chance");
        }
    }

    #[test]
    fn without_workers_the_page_computes() {
        for late in [false, true] {
            let mut pool = Pool::new(Place::Worker, 4, 0.0);
            submit(&mut pool, 10.0);
            let actions = if late { pool.passed(20_000.0) } else { pool.died(0, 20.0) };
            let on_page = [Action::Tell(Trouble::NoWorker), Action::End(0), Action::Start(0, Place::Page)];
            assert_eq!(actions, on_page);
            assert_eq!(pool.heard(0, &Event::Ready, 20_001.0), posts(0, run(1)));
            assert_eq!(pool.passed(99_999.0), [], "the page cannot be silent: it would not ask");
            pool.heard(0, &done(1), 99_999.0);
            assert_eq!(sweep(&mut pool, 4, 99_999.0), posts(0, portion(2, 0)), "one engine does it all");
        }
    }

    #[test]
    fn a_further_worker_that_never_comes_up_is_done_without() {
        let mut pool = ready(2);
        sweep(&mut pool, 2, 10.0);
        for _ in 0..DEATHS_ALLOWED {
            assert_eq!(pool.died(1, 20.0), starts(1, Trouble::WorkerReplaced));
        }
        assert_eq!(pool.died(1, 20.0), [Action::End(1)]);
        assert_eq!(pool.heard(0, &made(1, 0), 30.0), posts(0, portion(1, 1)));
        assert_eq!(pool.heard(0, &made(1, 1), 40.0), []);
    }
}
