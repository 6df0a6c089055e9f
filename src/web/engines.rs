//! The page's access to its engines: requests in, events and troubles out, whether they run in workers or on the page.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::clock;
use super::error_text;
use super::listener::Interval;
use super::slices::Slices;
use super::soon::Outbox;
use super::worker::{Heard, Worker};
use crate::engine::pool::{Action, EnginePlace, Lane, Pool};
use crate::protocol::{Event, Generation, Request, Trouble};

/// Duration of a slice where the page itself computes, in milliseconds: a small part of a frame.
const PAGE_BUDGET_MS: f64 = 6.0;

/// Time between two checks for silent engines, in milliseconds.
const CHECK_EVERY_MS: i32 = 1_000;

/// A message of the engines to the page.
pub enum EngineMessage {
    /// An event of an engine.
    Event(Event),
    /// An engine failed; with the browser's message, which may be empty.
    Trouble(Trouble, String),
}

/// The page's engines. Their workers end when the value is dropped.
pub struct Engines {
    shared: Rc<Shared>,
    _check: Option<Interval>,
}

struct Shared {
    pool: RefCell<Pool>,
    hosts: RefCell<Vec<Host>>,
    last_error: RefCell<String>,
    has_begun: Cell<bool>,
    /// Messages of engines on the page, and of workers that could not be started.
    on_page: Outbox<(usize, Heard)>,
    tell: Box<dyn Fn(EngineMessage)>,
}

enum Host {
    None,
    Worker(Worker),
    Page(Slices),
}

impl Engines {
    /// Engines that rest until the page is seen; then the first one is started. Their messages go to `tell`, never
    /// during a call to these methods.
    pub fn resting(tell: impl Fn(EngineMessage) + 'static) -> Self {
        let shared = Rc::new_cyclic(|weak: &Weak<Shared>| {
            let weak = weak.clone();
            Shared {
                pool: RefCell::new(Pool::new(EnginePlace::Worker, n_allowed(), clock::now())),
                hosts: RefCell::default(),
                last_error: RefCell::default(),
                has_begun: Cell::default(),
                on_page: Outbox::new(move |(index, heard)| with(&weak, |shared| shared.heard(index, heard))),
                tell: Box::new(tell),
            }
        });
        shared.pool.borrow_mut().pause();
        let weak = Rc::downgrade(&shared);
        let check = Interval::new(CHECK_EVERY_MS, move || {
            with(&weak, |shared| shared.act(shared.pool.borrow_mut().passed(clock::now())));
        });
        Self { shared, _check: check }
    }

    /// Requests work. Events about it will carry the returned generation.
    pub fn submit<Requests: IntoIterator<Item = Request>>(
        &self,
        lane: Lane,
        requests: impl FnOnce(Generation) -> Requests,
    ) -> Generation {
        let (generation, actions) = self.shared.pool.borrow_mut().submit(lane, requests, clock::now());
        self.shared.act(actions);
        generation
    }

    /// Cancels all work of a lane.
    pub fn cancel(&self, lane: Lane) {
        let actions = self.shared.pool.borrow_mut().cancel(lane, clock::now());
        self.shared.act(actions);
    }

    /// Gives priority to the work of a lane: the work that is seen.
    pub fn put_first(&self, lane: Lane) {
        self.shared.pool.borrow_mut().put_first(lane);
    }

    /// Pauses all work while the page is not seen.
    pub fn set_seen(&self, is_seen: bool) {
        if is_seen && !self.shared.has_begun.replace(true) {
            self.shared.start(0, EnginePlace::Worker);
        }
        let mut pool = self.shared.pool.borrow_mut();
        let actions = if is_seen { pool.resume(clock::now()) } else { pool.pause() };
        drop(pool);
        self.shared.act(actions);
    }
}

/// The largest number of engines: one for each core but the page's own.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a small whole number, or what is made of it"
)]
fn n_allowed() -> usize {
    let n_cores = web_sys::window().map_or(1.0, |window| window.navigator().hardware_concurrency());
    (n_cores as usize).saturating_sub(1).clamp(1, 16)
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
                Action::Post(index, request) => self.post(index, request),
                Action::Start(index, place) => self.start(index, place),
                Action::End(index) => self.set_host(index, Host::None),
                Action::Tell(trouble) => (self.tell)(EngineMessage::Trouble(trouble, self.last_error.take())),
            }
        }
    }

    fn post(&self, index: usize, request: Request) {
        match self.hosts.borrow().get(index) {
            Some(Host::Worker(worker)) => worker.post(&request),
            Some(Host::Page(slices)) => slices.handle(request),
            Some(Host::None) | None => {}
        }
    }

    fn set_host(&self, index: usize, host: Host) {
        let mut hosts = self.hosts.borrow_mut();
        while hosts.len() <= index {
            hosts.push(Host::None);
        }
        hosts[index] = host;
    }

    fn start(self: &Rc<Self>, index: usize, place: EnginePlace) {
        // The old host is dropped before the new one starts, so that none of its late messages are heard.
        self.set_host(index, Host::None);
        match place {
            EnginePlace::Worker => self.start_worker(index),
            EnginePlace::Page => self.start_on_page(index),
        }
    }

    fn start_worker(self: &Rc<Self>, index: usize) {
        let weak = Rc::downgrade(self);
        let worker = Worker::start(move |heard| with(&weak, |shared| shared.heard(index, heard)));
        match worker {
            Ok(worker) => self.set_host(index, Host::Worker(worker)),
            Err(error) => self.on_page.send((index, Heard::Died(error_text(&error)))),
        }
    }

    fn start_on_page(self: &Rc<Self>, index: usize) {
        let weak = Rc::downgrade(self);
        let emit = move |event| with(&weak, |shared| shared.on_page.send((index, Heard::Event(event))));
        self.set_host(index, Host::Page(Slices::new(PAGE_BUDGET_MS, emit)));
        self.on_page.send((index, Heard::Event(Event::Ready)));
    }

    fn heard(self: &Rc<Self>, index: usize, heard: Heard) {
        let now = clock::now();
        let actions = match heard {
            Heard::Event(event) => {
                let actions = self.pool.borrow_mut().heard(index, &event, now);
                (self.tell)(EngineMessage::Event(event));
                actions
            }
            // Only desks send `Said`, and engines get no orders for a desk.
            Heard::Said(_) => Vec::new(),
            Heard::Died(text) => {
                self.last_error.replace(text);
                self.pool.borrow_mut().died(index, now)
            }
        };
        self.act(actions);
    }
}
