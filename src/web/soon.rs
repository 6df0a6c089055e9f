//! Calls back as soon as the events that are waiting have been handled.

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
