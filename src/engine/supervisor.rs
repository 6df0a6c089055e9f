//! The page's side of an engine: what to send when, and what to do when the engine is late, dead or never comes up.

use crate::protocol::{Event, Generation, Request};
use crate::sim::scenario::Settings;

/// Where the engine runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a worker of its own.
    Worker,
    /// In slices on the page: workers cannot start here, or died too often.
    Page,
}

/// What the page has to do.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "two of them at a time, and gone at once")]
pub enum Action {
    /// Send this to the engine.
    Post(Request),
    /// End the engine and start another one, there.
    Start(Place),
    /// Tell the person.
    Tell(Trouble),
}

/// What went wrong with an engine, and was dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The worker died or fell silent; another one was started.
    WorkerReplaced,
    /// No worker came up: the page computes by itself.
    NoWorker,
    /// Workers died over this very run: it was given up.
    RunGivenUp,
}

/// How long a worker may take to come up.
const READY_WITHIN_MS: f64 = 15_000.0;

/// How long a worker at work may be silent. It reports several times a second; a worker that was ended from outside, or ran
/// out of memory, says nothing.
const SILENT_MS: f64 = 5_000.0;

/// A run that was begun this long ago may be dropped for a newer one; before, it is worth waiting for its end, or nothing
/// would ever be shown under a moving slider.
const SUPERSEDE_MS: f64 = 100.0;

/// Workers that may die over one run before it is given up.
const DEATHS_ALLOWED: u32 = 2;

/// Book-keeping for one engine.
#[derive(Debug)]
pub struct Supervisor {
    place: Place,
    /// When the engine was started, until it is ready.
    starting: Option<f64>,
    /// What is wanted next.
    pending: Option<Request>,
    /// What was sent and is not answered completely.
    running: Option<Running>,
    generation: Generation,
    deaths: u32,
}

#[derive(Debug)]
struct Running {
    request: Request,
    posted: f64,
    heard: f64,
}

impl Supervisor {
    /// Book-keeping for an engine that is started at `place` now.
    pub fn new(place: Place, now: f64) -> Self {
        Self { place, starting: Some(now), pending: None, running: None, generation: Generation::default(), deaths: 0 }
    }

    /// Where the engine runs.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Whether an answer is outstanding.
    pub fn is_waiting(&self) -> bool {
        self.running.is_some() || self.pending.is_some()
    }

    /// A run is wanted. Returns its generation, and what to do now.
    pub fn submit(&mut self, settings: Settings, now: f64) -> (Generation, Vec<Action>) {
        self.generation = self.generation.next();
        self.deaths = 0;
        self.pending = Some(Request::Run { generation: self.generation, settings });
        (self.generation, self.post(now))
    }

    /// The engine said something.
    pub fn heard(&mut self, event: &Event, now: f64) -> Vec<Action> {
        match event {
            Event::Ready => self.starting = None,
            Event::Progress { .. } => {
                if let Some(running) = &mut self.running {
                    running.heard = now;
                }
            }
            Event::Done { .. } | Event::Refused { .. } => {
                if self.running_generation() == event.generation() {
                    self.running = None;
                }
            }
            // The running request may be the one that was unreadable: it is sent again, to an engine that is up.
            Event::Unreadable => return self.died(now),
        }
        self.post(now)
    }

    /// The engine died.
    pub fn died(&mut self, now: f64) -> Vec<Action> {
        if self.starting.is_some() && self.deaths == 0 && self.place == Place::Worker {
            return self.start(Place::Page, Trouble::NoWorker, now);
        }
        self.deaths += 1;
        if self.deaths <= DEATHS_ALLOWED {
            return self.start(Place::Worker, Trouble::WorkerReplaced, now);
        }
        self.running = None;
        self.start(Place::Worker, Trouble::RunGivenUp, now)
    }

    /// Time has passed.
    pub fn passed(&mut self, now: f64) -> Vec<Action> {
        if self.place == Place::Page {
            return Vec::new();
        }
        match (self.starting, &self.running) {
            (Some(since), _) if now - since > READY_WITHIN_MS => self.start(Place::Page, Trouble::NoWorker, now),
            (None, Some(running)) if now - running.heard > SILENT_MS => self.died(now),
            _ => Vec::new(),
        }
    }

    fn running_generation(&self) -> Option<Generation> {
        self.running.as_ref().map(|Running { request: Request::Run { generation, .. }, .. }| *generation)
    }

    /// Sends what is wanted, if the engine is free or at something long.
    fn post(&mut self, now: f64) -> Vec<Action> {
        let free = self.running.as_ref().is_none_or(|running| now - running.posted >= SUPERSEDE_MS);
        if self.starting.is_some() || !free {
            return Vec::new();
        }
        let Some(request) = self.pending.take() else { return Vec::new() };
        self.running = Some(Running { request: request.clone(), posted: now, heard: now });
        vec![Action::Post(request)]
    }

    /// Starts another engine and plans to send it what the last one left unanswered.
    fn start(&mut self, place: Place, trouble: Trouble, now: f64) -> Vec<Action> {
        let unanswered = self.running.take().map(|running| running.request);
        self.pending = self.pending.take().or(unanswered);
        self.place = place;
        self.starting = Some(now);
        vec![Action::Tell(trouble), Action::Start(place)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::scenario::Scenario;
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

    fn posts(generation: u32) -> Vec<Action> {
        vec![Action::Post(Request::Run { generation: Generation(generation), settings: Settings::paper() })]
    }

    fn starts(trouble: Trouble, place: Place) -> Vec<Action> {
        vec![Action::Tell(trouble), Action::Start(place)]
    }

    fn ready() -> Supervisor {
        let mut supervisor = Supervisor::new(Place::Worker, 0.0);
        assert_eq!(supervisor.heard(&Event::Ready, 1.0), []);
        supervisor
    }

    fn submit(supervisor: &mut Supervisor, now: f64) -> Vec<Action> {
        supervisor.submit(Settings::paper(), now).1
    }

    #[test]
    fn nothing_is_sent_before_the_engine_listens() {
        let mut supervisor = Supervisor::new(Place::Worker, 0.0);
        assert_eq!(submit(&mut supervisor, 1.0), []);
        assert_eq!(submit(&mut supervisor, 2.0), []);
        assert_eq!(supervisor.heard(&Event::Ready, 3.0), posts(2));
    }

    #[test]
    fn a_moving_slider_waits_for_short_runs_and_skips_what_it_passed() {
        let mut supervisor = ready();
        assert_eq!(submit(&mut supervisor, 10.0), posts(1));
        assert_eq!(submit(&mut supervisor, 20.0), []);
        assert_eq!(submit(&mut supervisor, 30.0), []);
        assert_eq!(supervisor.heard(&done(1), 40.0), posts(3));
        assert_eq!(supervisor.heard(&done(3), 50.0), []);
        assert!(!supervisor.is_waiting());
    }

    #[test]
    fn a_long_run_is_dropped_for_a_newer_one() {
        let mut supervisor = ready();
        assert_eq!(submit(&mut supervisor, 10.0), posts(1));
        assert_eq!(supervisor.heard(&progress(1), 95.0), []);
        assert_eq!(submit(&mut supervisor, 100.0), []);
        assert_eq!(supervisor.heard(&progress(1), 111.0), posts(2));
        assert_eq!(submit(&mut supervisor, 300.0), posts(3));
        assert_eq!(supervisor.heard(&done(1), 301.0), [], "a late answer of a dropped run");
        assert!(supervisor.is_waiting());
    }

    #[test]
    fn a_dead_worker_is_replaced_and_gets_what_the_last_one_left() {
        let mut supervisor = ready();
        submit(&mut supervisor, 10.0);
        assert_eq!(supervisor.died(20.0), starts(Trouble::WorkerReplaced, Place::Worker));
        assert_eq!(supervisor.heard(&Event::Ready, 30.0), posts(1));
        assert_eq!(supervisor.heard(&Event::Unreadable, 40.0), starts(Trouble::WorkerReplaced, Place::Worker));
        submit(&mut supervisor, 50.0);
        assert_eq!(supervisor.heard(&Event::Ready, 60.0), posts(2));
    }

    #[test]
    fn a_silent_worker_is_dead() {
        let mut supervisor = ready();
        assert_eq!(supervisor.passed(60_000.0), [], "nothing is expected of it");
        submit(&mut supervisor, 60_000.0);
        assert_eq!(supervisor.heard(&progress(1), 64_000.0), []);
        assert_eq!(supervisor.passed(68_000.0), []);
        assert_eq!(supervisor.passed(70_000.0), starts(Trouble::WorkerReplaced, Place::Worker));
    }

    #[test]
    fn a_run_that_kills_every_worker_is_given_up() {
        let mut supervisor = ready();
        submit(&mut supervisor, 10.0);
        for _ in 0..DEATHS_ALLOWED {
            assert_eq!(supervisor.died(20.0), starts(Trouble::WorkerReplaced, Place::Worker));
            assert_eq!(supervisor.heard(&Event::Ready, 30.0), posts(1));
        }
        assert_eq!(supervisor.died(40.0), starts(Trouble::RunGivenUp, Place::Worker));
        assert_eq!(supervisor.heard(&Event::Ready, 50.0), []);
        assert!(!supervisor.is_waiting());
        assert_eq!(submit(&mut supervisor, 60.0), posts(2), "another run has its own chance");
    }

    #[test]
    fn without_workers_the_page_computes() {
        for late in [false, true] {
            let mut supervisor = Supervisor::new(Place::Worker, 0.0);
            submit(&mut supervisor, 10.0);
            let actions = if late { supervisor.passed(20_000.0) } else { supervisor.died(20.0) };
            assert_eq!(actions, starts(Trouble::NoWorker, Place::Page));
            assert_eq!(supervisor.heard(&Event::Ready, 20_001.0), posts(1));
            assert_eq!(supervisor.passed(99_999.0), [], "the page cannot be silent: it would not ask");
        }
    }
}
