//! Event listeners and timers that end when the value that holds them is dropped.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::EventTarget;

/// Calls back on every event of one kind until dropped.
pub struct Listener {
    target: EventTarget,
    kind: &'static str,
    closure: Closure<dyn FnMut(web_sys::Event)>,
}

impl Listener {
    /// Listens to events of `kind` at `target`. Events of a type other than `E` are ignored.
    pub fn new<E: JsCast>(target: &EventTarget, kind: &'static str, mut heard: impl FnMut(E) + 'static) -> Self {
        let heard = move |event: web_sys::Event| {
            if let Ok(event) = event.dyn_into::<E>() {
                heard(event);
            }
        };
        Self::boxed(target, kind, Box::new(heard))
    }

    fn boxed(target: &EventTarget, kind: &'static str, heard: Box<dyn FnMut(web_sys::Event)>) -> Self {
        let closure = Closure::wrap(heard);
        // Adding a listener cannot fail on an existing target.
        let _ = target.add_event_listener_with_callback(kind, closure.as_ref().unchecked_ref());
        Self { target: target.clone(), kind, closure }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.target.remove_event_listener_with_callback(self.kind, self.closure.as_ref().unchecked_ref());
    }
}

/// A callback for a single call; boxed, so that its glue is compiled only once.
fn once(act: Box<dyn FnOnce()>) -> Closure<dyn FnMut()> {
    Closure::once(act)
}

/// Calls back once, unless dropped earlier.
pub struct Timeout {
    id: i32,
    _closure: Closure<dyn FnMut()>,
}

impl Timeout {
    /// Calls `act` after `delay` milliseconds. `None` outside of a window.
    pub fn new(delay: i32, act: impl FnOnce() + 'static) -> Option<Self> {
        let closure = once(Box::new(act));
        let id = web_sys::window()?
            .set_timeout_with_callback_and_timeout_and_arguments_0(closure.as_ref().unchecked_ref(), delay)
            .ok()?;
        Some(Self { id, _closure: closure })
    }
}

impl Drop for Timeout {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_timeout_with_handle(self.id);
        }
    }
}

/// Calls back before the next frame is drawn, unless dropped earlier.
pub struct NextFrame {
    id: i32,
    _closure: Closure<dyn FnMut()>,
}

impl NextFrame {
    /// Calls `act` before the next frame. `None` outside of a window.
    pub fn new(act: impl FnOnce() + 'static) -> Option<Self> {
        let closure = once(Box::new(act));
        let id = web_sys::window()?.request_animation_frame(closure.as_ref().unchecked_ref()).ok()?;
        Some(Self { id, _closure: closure })
    }
}

impl Drop for NextFrame {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            let _ = window.cancel_animation_frame(self.id);
        }
    }
}

/// Calls back periodically until dropped.
pub struct Interval {
    id: i32,
    _closure: Closure<dyn FnMut()>,
}

impl Interval {
    /// Calls `act` every `period` milliseconds. `None` outside of a window.
    pub fn new(period: i32, act: impl FnMut() + 'static) -> Option<Self> {
        let closure = Closure::<dyn FnMut()>::new(act);
        let id = web_sys::window()?
            .set_interval_with_callback_and_timeout_and_arguments_0(closure.as_ref().unchecked_ref(), period)
            .ok()?;
        Some(Self { id, _closure: closure })
    }
}

impl Drop for Interval {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            window.clear_interval_with_handle(self.id);
        }
    }
}
