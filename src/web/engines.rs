//! The engines as the page uses them: work in, events and troubles out, wherever they run.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::clock;
use super::error_text;
use super::listener::Interval;
use super::slices::Slices;
use super::soon::Outbox;
use super::worker::{Heard, Worker};
use crate::engine::pool::{Action, Lane, Place, Pool};
use crate::protocol::{Event, Generation, Request, Trouble};

/// Milliseconds of a slice where the page computes by itself: well within a frame.
const PAGE_BUDGET_MS: f64 = 6.0;

/// How often silent engines are looked after, in milliseconds.
const CHECK_EVERY_MS: i32 = 1_000;

/// What the page is told.
pub enum Word {
    /// An engine says this.
    Event(Event),
    /// Something went wrong with an engine; what the browser said of it, if anything.
    Trouble(Trouble, String),
}

/// The page's engines. Their workers end when it is dropped.
pub struct Engines {
    shared: Rc<Shared>,
    _check: Option<Interval>,
}

struct Shared {
    pool: RefCell<Pool>,
    hosts: RefCell<Vec<Host>>,
    last_error: RefCell<String>,
    has_begun: Cell<bool>,
    /// What engines on the page say, and what became of workers that never started.
    on_page: Outbox<(usize, Heard)>,
    tell: Box<dyn Fn(Word)>,
}

enum Host {
    None,
    Worker(Worker),
    Page(Slices),
}

impl Engines {
    /// Engines that rest until somebody looks: then the first of them is started. What engines say goes to `tell`, never
    /// from within a call to these.
    pub fn resting(tell: impl Fn(Word) + 'static) -> Self {
        let shared = Rc::new_cyclic(|weak: &Weak<Shared>| {
            let weak = weak.clone();
            Shared {
                pool: RefCell::new(Pool::new(Place::Worker, n_allowed(), clock::now())),
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

    /// Asks for work. What belongs to it will carry the generation returned.
    pub fn submit<Requests: IntoIterator<Item = Request>>(
        &self,
        lane: Lane,
        requests: impl FnOnce(Generation) -> Requests,
    ) -> Generation {
        let (generation, actions) = self.shared.pool.borrow_mut().submit(lane, requests, clock::now());
        self.shared.act(actions);
        generation
    }

    /// Work of this kind is not wanted any more.
    pub fn cancel(&self, lane: Lane) {
        let actions = self.shared.pool.borrow_mut().cancel(lane, clock::now());
        self.shared.act(actions);
    }

    /// Work of this kind comes first: it is what is seen.
    pub fn put_first(&self, lane: Lane) {
        self.shared.pool.borrow_mut().put_first(lane);
    }

    /// Rests while nobody looks.
    pub fn set_seen(&self, is_seen: bool) {
        if is_seen && !self.shared.has_begun.replace(true) {
            self.shared.start(0, Place::Worker);
        }
        let mut pool = self.shared.pool.borrow_mut();
        let actions = if is_seen { pool.resume(clock::now()) } else { pool.pause() };
        drop(pool);
        self.shared.act(actions);
    }
}

/// All of the machine's cores but the page's own.
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
                Action::Tell(trouble) => (self.tell)(Word::Trouble(trouble, self.last_error.take())),
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

    fn start(self: &Rc<Self>, index: usize, place: Place) {
        // The old host ends before the new one begins, so that nothing it still says is heard.
        self.set_host(index, Host::None);
        match place {
            Place::Worker => self.start_worker(index),
            Place::Page => self.start_on_page(index),
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
                (self.tell)(Word::Event(event));
                actions
            }
            // Engines are given no files.
            Heard::Said(_) => Vec::new(),
            Heard::Died(text) => {
                self.last_error.replace(text);
                self.pool.borrow_mut().died(index, now)
            }
        };
        self.act(actions);
    }
}
