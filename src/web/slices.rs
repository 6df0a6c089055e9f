//! Drives a [`Runner`] on a thread's event loop: a slice of work, then waiting events, then the next slice.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use super::clock;
use super::soon::Soon;
use crate::engine::runner::Runner;
use crate::protocol::{Event, Request};

/// An engine on this thread.
pub(super) struct Slices {
    shared: Rc<Shared>,
}

struct Shared {
    runner: RefCell<Runner>,
    /// Duration of a slice, in milliseconds.
    budget: f64,
    emit: Box<dyn Fn(Event)>,
    soon: RefCell<Option<Soon>>,
    /// Whether the next slice is queued, if only to find that there is nothing left to do: a second queue would double
    /// this engine's share of the thread.
    queued: Cell<bool>,
}

impl Slices {
    /// An engine that works in slices of `budget` milliseconds and passes its events to `emit`.
    pub(super) fn new(budget: f64, emit: impl Fn(Event) + 'static) -> Self {
        let shared = Rc::new_cyclic(|weak: &Weak<Shared>| {
            let weak = weak.clone();
            let soon = Soon::new(move || {
                if let Some(shared) = weak.upgrade() {
                    shared.tick();
                }
            });
            let (emit, soon) = (Box::new(emit), RefCell::new(soon));
            Shared { runner: RefCell::default(), budget, emit, soon, queued: Cell::new(false) }
        });
        Self { shared }
    }

    /// Handles a request.
    pub(super) fn handle(&self, request: Request) {
        let answer = self.shared.runner.borrow_mut().handle(request);
        if let Some(event) = answer {
            (self.shared.emit)(event);
        }
        self.shared.schedule();
    }
}

impl Shared {
    fn tick(&self) {
        self.queued.set(false);
        let event = self.runner.borrow_mut().tick(self.budget, clock::now);
        if let Some(event) = event {
            (self.emit)(event);
        }
        self.schedule();
    }

    fn schedule(&self) {
        let is_due = !self.queued.get() && self.runner.borrow().is_busy();
        if let Some(soon) = self.soon.borrow().as_ref().filter(|_| is_due) {
            self.queued.set(true);
            soon.call();
        }
    }
}
