//! The page's side of its engines: what to send to which of them when, and what to do when one is late, dead or never comes
//! up.
//!
//! There are as many engines as the machine has room for, and some kinds of work for them ([`Lane`]): the run that follows the
//! sliders, a map of what is to be expected, and a sweep of many points in portions. The work that is seen comes first; work that nobody wants any more is
//! dropped between two slices; what a lost engine was at is given to another one.

use std::collections::VecDeque;

use crate::protocol::{Event, Generation, Request, Trouble};

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

/// How long a worker may take to come up.
const READY_WITHIN_MS: f64 = 15_000.0;

/// How long a worker at work may be silent. It reports several times a second; a worker that was ended from outside, or ran
/// out of memory, says nothing.
const SILENT_MS: f64 = 5_000.0;

/// How long may pass between two looks at the clock. Where it was longer, the page itself was held up (the computer slept, or
/// had too much else to do), and nothing that workers said could be heard: that time does not count.
const LOOKS_WITHIN_MS: f64 = 2_000.0;

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
    /// When the page last looked whether anything is late.
    looked: f64,
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
            looked: now,
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
        self.replace(index, true, now)
    }

    /// Starts another engine in the place of one that died, perhaps over what it was at.
    fn replace(&mut self, index: usize, is_of_work: bool, now: f64) -> Vec<Action> {
        if !self.has_begun && self.place == Place::Worker {
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

    /// Time has passed.
    pub fn passed(&mut self, now: f64) -> Vec<Action> {
        let held_up = (now - self.looked - LOOKS_WITHIN_MS).max(0.0);
        self.looked = now;
        for engine in &mut self.engines {
            let since = engine.starting.iter_mut().chain(engine.work.as_mut().map(|work| &mut work.heard));
            since.for_each(|since| *since = (*since + held_up).min(now));
        }
        if self.place == Place::Page || self.is_paused {
            return Vec::new();
        }
        let is_late = |engine: &Engine| match (engine.starting, &engine.work) {
            (Some(since), _) => now - since > READY_WITHIN_MS,
            (None, Some(work)) => now - work.heard > SILENT_MS,
            (None, None) => false,
        };
        let late: Vec<_> = (0..self.engines.len()).filter(|&index| is_late(&self.engines[index])).collect();
        // What several died of at once is hardly what they were at: only one of them counts as its victim.
        let mut is_of_work = true;
        late.into_iter().fold(Vec::new(), |mut actions, index| {
            // Once the page computes by itself, no number means anything any more.
            if self.place == Place::Worker {
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
mod tests;
