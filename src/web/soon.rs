//! Calls back as soon as the events that are waiting have been handled.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{MessageChannel, MessagePort};

/// Queues a call behind all waiting events.
///
/// It posts a message to itself: browsers delay nested timers by 4 ms each.
pub(super) struct Soon {
    port: MessagePort,
    _closure: Closure<dyn FnMut()>,
}

impl Soon {
    /// Prepares to call `act`. `None` where there are no message channels.
    pub(super) fn new(act: impl FnMut() + 'static) -> Option<Self> {
        let channel = MessageChannel::new().ok()?;
        let closure = Closure::<dyn FnMut()>::new(act);
        channel.port2().set_onmessage(Some(closure.as_ref().unchecked_ref()));
        Some(Self { port: channel.port1(), _closure: closure })
    }

    /// Queues one call.
    pub(super) fn call(&self) {
        // Posting to one's own open port cannot fail.
        let _ = self.port.post_message(&JsValue::NULL);
    }
}

impl Drop for Soon {
    fn drop(&mut self) {
        self.port.close();
    }
}

/// Queues values and delivers them in order, each in a later turn of the event loop, as if they came from a worker:
/// never from within the call that sends them.
pub(super) struct Outbox<T> {
    waiting: Rc<RefCell<VecDeque<T>>>,
    soon: Option<Soon>,
}

impl<T: 'static> Outbox<T> {
    /// An outbox that delivers to `act`.
    pub(super) fn new(act: impl Fn(T) + 'static) -> Self {
        let waiting = Rc::new(RefCell::new(VecDeque::new()));
        let sent = waiting.clone();
        let soon = Soon::new(move || {
            let next = sent.borrow_mut().pop_front();
            if let Some(value) = next {
                act(value);
            }
        });
        Self { waiting, soon }
    }

    /// Queues a value.
    pub(super) fn send(&self, value: T) {
        self.waiting.borrow_mut().push_back(value);
        if let Some(soon) = &self.soon {
            soon.call();
        }
    }
}
