//! The page's side of its engines: which request to send to which engine when, and how to handle engines that are late,
//! dead or never start.
//!
//! There are as many engines as the machine has room for, and three kinds of work ([`Lane`]): the run that follows the
//! sliders, a map of predictions, and a sweep of many points in portions. The work that is seen has priority; work that
//! is no longer wanted is dropped between two slices; the work of a lost engine is given to another one.

use std::collections::VecDeque;

use crate::protocol::{Event, Generation, Request, Trouble};

/// The place where engines run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnginePlace {
    /// Each in a worker of its own.
    Worker,
    /// In slices on the page, if workers cannot start.
    Page,
}

/// A kind of work. Newer work of the same kind replaces older work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The run that follows the sliders, as a single request.
    Live,
    /// A map, as a single request.
    Survey,
    /// A sweep, in one request for each portion.
    Sweep,
}

impl Lane {
    /// All lanes, in their order of priority after the first one.
    const ALL: [Self; 3] = [Self::Live, Self::Survey, Self::Sweep];
}

/// An action for the page.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a few at a time, and gone at once")]
pub enum Action {
    /// Send this request to the engine with this index.
    Post(usize, Request),
    /// End the engine with this index, if there is one, and start another one at this place.
    Start(usize, EnginePlace),
    /// End the engine with this index.
    End(usize),
    /// Report a trouble to the person.
    Tell(Trouble),
}

/// How long a worker may take to start, in milliseconds.
const READY_WITHIN_MS: f64 = 15_000.0;

/// How long a busy worker may be silent, in milliseconds. It reports several times a second; a worker that was ended
/// from outside, or ran out of memory, sends nothing.
const SILENT_MS: f64 = 5_000.0;

/// Longest time between two calls of [`Pool::passed`], in milliseconds. If it was longer, the page itself was held up
/// (the computer slept, or was too busy) and could not hear its workers: the excess time does not count as silence.
const LOOKS_WITHIN_MS: f64 = 2_000.0;

/// A run or map that started at least this many milliseconds ago may be dropped for a newer one. Younger work is
/// allowed to end; otherwise nothing would ever be shown while a slider moves.
const SUPERSEDE_MS: f64 = 100.0;

/// How many workers may die during one job before it is given up, and how often a worker may fail to start again.
const DEATHS_ALLOWED: u32 = 2;

/// Keeps track of all engines and their work.
#[derive(Debug)]
pub struct Pool {
    place: EnginePlace,
    /// The largest number of engines.
    allowed: usize,
    engines: Vec<Engine>,
    jobs: [Job; Lane::ALL.len()],
    /// The lane with the highest priority.
    first: Lane,
    generation: Generation,
    is_paused: bool,
    /// Whether any worker ever started.
    has_begun: bool,
    /// Time of the last call of [`Pool::passed`], in milliseconds.
    looked: f64,
}

/// The state of an engine.
#[derive(Debug, Default)]
struct Engine {
    /// Time of its start in milliseconds, until it is ready.
    starting: Option<f64>,
    /// Its current work.
    work: Option<Work>,
    /// Number of starts since it was last ready.
    n_starts: u32,
    /// Whether it was given up and will not be started again.
    is_gone: bool,
}

#[derive(Debug)]
struct Work {
    lane: Lane,
    request: Request,
    posted: f64,
    heard: f64,
}

/// The wanted work of a lane.
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
    /// A pool of up to `allowed` engines. The first one starts at `place` now, the others when there is work for them.
    pub fn new(place: EnginePlace, allowed: usize, now: f64) -> Self {
        let mut pool = Self {
            place,
            allowed: allowed.max(1),
            engines: Vec::new(),
            jobs: Default::default(),
            first: Lane::Live,
            generation: Generation::default(),
            is_paused: false,
            has_begun: false,
            looked: now,
        };
        pool.add_engine(now);
        pool
    }

    /// Where the engines run.
    pub fn place(&self) -> EnginePlace {
        self.place
    }

    /// Whether any wanted answer is outstanding.
    pub fn is_waiting(&self) -> bool {
        self.engines.iter().any(|engine| engine.work.is_some()) || self.jobs.iter().any(|job| !job.pending.is_empty())
    }

    /// Gives this lane the highest priority: its work is seen.
    pub fn put_first(&mut self, lane: Lane) {
        self.first = lane;
    }

    /// Replaces the work of a lane by these requests, in this order. Returns their generation, and the actions to take
    /// now.
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

    /// Cancels the work of a lane.
    pub fn cancel(&mut self, lane: Lane, now: f64) -> Vec<Action> {
        self.submit(lane, |_| [], now).1
    }

    /// Pauses all work while the page is not seen.
    pub fn pause(&mut self) -> Vec<Action> {
        self.is_paused = true;
        self.tell_all_at_work(&Request::Pause)
    }

    /// Continues all work when the page is seen again.
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

    /// Starts as many engines as there are portions for, unless all work is paused: pages that are not seen start none.
    fn grow(&mut self, now: f64) -> Vec<Action> {
        let mut actions = Vec::new();
        let most = self.jobs.iter().map(|job| job.pending.len()).max().unwrap_or(0);
        let n_wanted = most.saturating_add(1).min(self.allowed);
        while most > 1 && !self.is_paused && self.place == EnginePlace::Worker && self.engines.len() < n_wanted {
            actions.push(self.add_engine(now));
        }
        actions
    }

    /// Handles an event of an engine.
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
            // Its own request may have been unreadable: the request is sent again, to a new engine.
            Event::Unreadable => return self.died(index, now),
        }
        self.assign(now)
    }

    /// Handles the death of an engine.
    pub fn died(&mut self, index: usize, now: f64) -> Vec<Action> {
        self.replace(index, true, now)
    }

    /// Starts a new engine in place of one that died; `is_of_work` if its work may have been the cause.
    fn replace(&mut self, index: usize, is_of_work: bool, now: f64) -> Vec<Action> {
        if !self.has_begun && self.place == EnginePlace::Worker {
            return self.compute_on_page(now);
        }
        let given_up = self.take_back(index, is_of_work);
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

    /// Handles the passing of time: replaces late engines.
    pub fn passed(&mut self, now: f64) -> Vec<Action> {
        let held_up = (now - self.looked - LOOKS_WITHIN_MS).max(0.0);
        self.looked = now;
        for engine in &mut self.engines {
            let since = engine.starting.iter_mut().chain(engine.work.as_mut().map(|work| &mut work.heard));
            since.for_each(|since| *since = (*since + held_up).min(now));
        }
        if self.place == EnginePlace::Page || self.is_paused {
            return Vec::new();
        }
        let is_late = |engine: &Engine| match (engine.starting, &engine.work) {
            (Some(since), _) => now - since > READY_WITHIN_MS,
            (None, Some(work)) => now - work.heard > SILENT_MS,
            (None, None) => false,
        };
        let late: Vec<_> = (0..self.engines.len()).filter(|&index| is_late(&self.engines[index])).collect();
        // If several workers fall silent at the same time, their work is hardly the cause: only the first death counts
        // against its job.
        let mut is_of_work = true;
        late.into_iter().fold(Vec::new(), |mut actions, index| {
            // Once the page computes by itself, the indices of engines are no longer valid.
            if self.place == EnginePlace::Worker {
                actions.extend(self.replace(index, is_of_work, now));
                is_of_work = false;
            }
            actions
        })
    }

    fn add_engine(&mut self, now: f64) -> Action {
        self.engines.push(Engine { starting: Some(now), n_starts: 1, ..Engine::default() });
        Action::Start(self.engines.len() - 1, self.place)
    }

    /// Replaces all workers by one engine on the page, since workers cannot start.
    fn compute_on_page(&mut self, now: f64) -> Vec<Action> {
        let mut actions = vec![Action::Tell(Trouble::NoWorker)];
        for index in 0..self.engines.len() {
            self.take_back(index, false);
            actions.push(Action::End(index));
        }
        self.engines.clear();
        self.place = EnginePlace::Page;
        actions.push(self.add_engine(now));
        actions
    }

    /// Returns the work of an engine to the pending work, if it is still wanted. If too many engines died during it,
    /// all work of its lane is given up instead; the trouble is returned.
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

    /// Gives the next work to every engine that is free, or whose work is no longer wanted.
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

    /// If all engines are busy and some of them have less urgent work, one of these is interrupted for each more urgent
    /// lane.
    fn preempt(&mut self, now: f64) -> Vec<Action> {
        let lanes = self.lanes();
        let mut actions = Vec::new();
        for (rank, &lane) in lanes.iter().enumerate() {
            let is_at =
                |engine: &Engine, lanes: &[Lane]| engine.work.as_ref().is_some_and(|work| lanes.contains(&work.lane));
            // An engine that works for this lane will soon be free: interrupting another one would gain nothing.
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

    /// The lanes, the most urgent first.
    fn lanes(&self) -> [Lane; Lane::ALL.len()] {
        let mut lanes = Lane::ALL;
        let first = lanes.iter().position(|&lane| lane == self.first).unwrap_or(0);
        lanes[..=first].rotate_right(1);
        lanes
    }

    /// Whether the work of an engine is no longer wanted, and may be dropped.
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

/// Whether an event answers this request.
fn is_answer(event: &Event, request: &Request) -> bool {
    let same_portion = match event {
        Event::Portion { result, .. } => request.portion() == Some(&result.portion),
        _ => true,
    };
    same_portion && event.generation() == request.generation()
}

#[cfg(test)]
mod tests;
