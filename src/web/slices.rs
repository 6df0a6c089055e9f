//! Drives a [`Runner`] on a thread's event loop: a slice of work, then waiting events, then the next slice.

use std::cell::RefCell;
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
            Shared { runner: RefCell::default(), budget, emit: Box::new(emit), soon: RefCell::new(soon) }
        });
        Self { shared }
    }

    /// Handles a request.
    pub(super) fn handle(&self, request: Request) {
        let was_busy = self.shared.runner.borrow().is_busy();
        let answer = self.shared.runner.borrow_mut().handle(request);
        if let Some(event) = answer {
            (self.shared.emit)(event);
        }
        // A busy runner has already queued its next slice; a second queue would double its share of the thread.
        if !was_busy {
            self.shared.schedule();
        }
    }
}

impl Shared {
    fn tick(&self) {
        let event = self.runner.borrow_mut().tick(self.budget, clock::now);
        if let Some(event) = event {
            (self.emit)(event);
        }
        self.schedule();
    }

    fn schedule(&self) {
        if let Some(soon) = self.soon.borrow().as_ref().filter(|_| self.runner.borrow().is_busy()) {
            soon.call();
        }
    }
}
