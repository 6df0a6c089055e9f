//! The module in a worker: requests in, events out; orders for the Data view's desk in, its replies out.

use std::cell::RefCell;

use js_sys::{Array, Float64Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use super::desk::{DeskService, IN_WORKER};
use super::listener::Listener;
use super::slices::Slices;
use crate::protocol::{Event, Request, wire};

/// Duration of a slice in milliseconds: how long a newer request may have to wait.
const BUDGET_MS: f64 = 12.0;

thread_local! {
    /// Kept for as long as the worker lives.
    static SERVICE: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Serves the page that started this worker, for as long as the worker lives.
pub fn serve() {
    let Ok(scope) = js_sys::global().dyn_into::<DedicatedWorkerGlobalScope>() else { return };
    let emit = {
        let scope = scope.clone();
        move |event: Event| post(&scope, &event)
    };
    let engine = Slices::new(BUDGET_MS, emit.clone());
    let respond = emit.clone();
    let desk = {
        let scope = scope.clone();
        DeskService::new(IN_WORKER, move |message| {
            let _ = scope.post_message(message);
        })
    };
    let listener = Listener::new(&scope, "message", move |message: MessageEvent| {
        let data = message.data();
        match (data.dyn_ref::<Array>(), read(&data)) {
            (Some(order), _) => desk.handle(order),
            (None, Some(request)) => engine.handle(request),
            (None, None) => respond(Event::Unreadable),
        }
    });
    SERVICE.set(Some(listener));
    emit(Event::Ready);
}

fn read(data: &JsValue) -> Option<Request> {
    let numbers: &Float64Array = data.dyn_ref()?;
    wire::decode(&numbers.to_vec()).ok()
}

fn post(scope: &DedicatedWorkerGlobalScope, event: &Event) {
    let numbers = Float64Array::from(wire::encode(event).as_slice());
    // The array is new and its buffer is not shared, so it can be transferred.
    let _ = scope.post_message_with_transfer(&numbers, &js_sys::Array::of1(&numbers.buffer()));
}
