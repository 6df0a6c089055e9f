//! A dedicated worker as the page holds it: started, spoken to, ended.

use js_sys::{Array, Float64Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, WorkerOptions, WorkerType};

use super::listener::Listener;
use crate::protocol::{Event, Request, wire};

/// What a worker's page hears.
pub(super) enum Heard {
    /// The worker says this.
    Event(Event),
    /// The worker's desk says this.
    Said(Array),
    /// The worker could not start, or died. The text is the browser's.
    Died(String),
}

/// A worker that ends when dropped.
pub(super) struct Worker {
    worker: web_sys::Worker,
    _listeners: [Listener; 3],
}

impl Worker {
    /// Starts a worker on the module that this page runs.
    ///
    /// # Errors
    /// The browser's reason when it allows no worker here, or when the page does not say where its script is.
    pub(super) fn start(heard: impl Fn(Heard) + Clone + 'static) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = web_sys::Worker::new_with_options(&url()?, &options)?;
        let (on_error, on_garbled) = (heard.clone(), heard.clone());
        let listeners = [
            Listener::new(&worker, "message", move |message: MessageEvent| {
                if let Some(word) = read(&message.data()) {
                    heard(word);
                }
            }),
            // A script that cannot be loaded gives a plain event, an uncaught exception an `ErrorEvent`.
            Listener::new(&worker, "error", move |event: web_sys::Event| {
                let text = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
                on_error(Heard::Died(text));
            }),
            Listener::new(&worker, "messageerror", move |_: MessageEvent| {
                on_garbled(Heard::Died("a message could not be read".into()));
            }),
        ];
        worker.post_message(&wasm_bindgen::module())?;
        Ok(Self { worker, _listeners: listeners })
    }

    /// Sends a request. A worker that is gone does not answer, which its pool notices.
    pub(super) fn post(&self, request: &Request) {
        let numbers = Float64Array::from(wire::encode(request).as_slice());
        let _ = self.worker.post_message_with_transfer(&numbers, &js_sys::Array::of1(&numbers.buffer()));
    }
}

impl Worker {
    /// Sends an order for the worker's desk.
    pub(super) fn post_value(&self, order: &Array) {
        let _ = self.worker.post_message(order);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

fn read(data: &JsValue) -> Option<Heard> {
    if let Some(said) = data.dyn_ref::<Array>() {
        return Some(Heard::Said(said.clone()));
    }
    let numbers: &Float64Array = data.dyn_ref()?;
    wire::decode(&numbers.to_vec()).ok().map(Heard::Event)
}

/// The worker's script, with the name of the page's own. That name holds a hash of its content, so a cache never mixes
/// versions.
fn url() -> Result<String, JsValue> {
    let document = web_sys::window().and_then(|window| window.document());
    let tag = document.and_then(|document| document.query_selector("script[data-glue]").ok().flatten());
    let glue = tag.and_then(|tag| tag.get_attribute("data-glue"));
    let glue = glue.ok_or_else(|| JsValue::from_str("the page does not name its script"))?;
    let file = glue.rsplit('/').next().unwrap_or(&glue).to_owned();
    Ok(format!("./worker.js?glue={}", String::from(js_sys::encode_uri_component(&file))))
}
