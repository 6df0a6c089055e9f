//! The engine as the page uses it: settings in, events and troubles out, wherever it runs.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use super::clock;
use super::error_text;
use super::listener::Interval;
use super::slices::Slices;
use super::worker::{Heard, Worker};
use crate::engine::supervisor::{Action, Place, Supervisor, Trouble};
use crate::protocol::{Event, Generation, Request};
use crate::sim::scenario::Settings;

/// Milliseconds of a slice where the page computes by itself: well within a frame.
const PAGE_BUDGET_MS: f64 = 6.0;

/// How often a silent engine is looked after, in milliseconds.
const CHECK_EVERY_MS: i32 = 1_000;

/// What the page is told.
pub enum Word {
    /// The engine says this.
    Event(Event),
    /// Something went wrong with the engine; what the browser said of it, if anything.
    Trouble(Trouble, String),
}

/// The page's engine. Its workers end when it is dropped.
pub struct Engine {
    shared: Rc<Shared>,
    _check: Option<Interval>,
}

struct Shared {
    supervisor: RefCell<Supervisor>,
    host: RefCell<Host>,
    last_error: RefCell<String>,
    tell: Box<dyn Fn(Word)>,
}

enum Host {
    None,
    Worker(Worker),
    Page(Slices),
}

impl Engine {
    /// Starts an engine; what it says goes to `tell`, never from within a call to this engine.
    pub fn start(tell: impl Fn(Word) + 'static) -> Self {
        let shared = Rc::new(Shared {
            supervisor: RefCell::new(Supervisor::new(Place::Worker, clock::now())),
            host: RefCell::new(Host::None),
            last_error: RefCell::default(),
            tell: Box::new(tell),
        });
        shared.start(Place::Worker);
        let weak = Rc::downgrade(&shared);
        let check = Interval::new(CHECK_EVERY_MS, move || {
            with(&weak, |shared| {
                let actions = shared.supervisor.borrow_mut().passed(clock::now());
                shared.act(actions);
            });
        });
        Self { shared, _check: check }
    }

    /// Asks for a run. What belongs to it will carry the generation returned.
    pub fn submit(&self, settings: Settings) -> Generation {
        let (generation, actions) = self.shared.supervisor.borrow_mut().submit(settings, clock::now());
        self.shared.act(actions);
        generation
    }

    /// Where the engine runs.
    pub fn place(&self) -> Place {
        self.shared.supervisor.borrow().place()
    }
}

fn with(weak: &Weak<Shared>, act: impl FnOnce(&Rc<Shared>)) {
    if let Some(shared) = weak.upgrade() {
        act(&shared);
    }
}

impl Shared {
    fn act(self: &Rc<Self>, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Post(request) => self.post(request),
                Action::Start(place) => self.start(place),
                Action::Tell(trouble) => (self.tell)(Word::Trouble(trouble, self.last_error.take())),
            }
        }
    }

    fn post(&self, request: Request) {
        match &*self.host.borrow() {
            Host::None => {}
            Host::Worker(worker) => worker.post(&request),
            Host::Page(slices) => slices.handle(request),
        }
    }

    fn start(self: &Rc<Self>, place: Place) {
        // The old host ends before the new one begins, so that nothing it still says is heard.
        self.host.replace(Host::None);
        match place {
            Place::Worker => self.start_worker(),
            Place::Page => self.start_on_page(),
        }
    }

    fn start_worker(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        let worker = Worker::start(move |heard| with(&weak, |shared| shared.heard(heard)));
        match worker {
            Ok(worker) => {
                self.host.replace(Host::Worker(worker));
            }
            Err(error) => self.heard(Heard::Died(error_text(&error))),
        }
    }

    fn start_on_page(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        let slices = Slices::new(PAGE_BUDGET_MS, move |event| with(&weak, |shared| shared.heard(Heard::Event(event))));
        self.host.replace(Host::Page(slices));
        self.heard(Heard::Event(Event::Ready));
    }

    fn heard(self: &Rc<Self>, heard: Heard) {
        let now = clock::now();
        let actions = match heard {
            Heard::Event(event) => {
                let actions = self.supervisor.borrow_mut().heard(&event, now);
                (self.tell)(Word::Event(event));
                actions
            }
            Heard::Died(text) => {
                self.last_error.replace(text);
                self.supervisor.borrow_mut().died(now)
            }
        };
        self.act(actions);
    }
}
