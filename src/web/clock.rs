//! The clock of the calling thread.

use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Performance;

thread_local! {
    static PERFORMANCE: Option<Performance> = Reflect::get(&js_sys::global(), &JsValue::from_str("performance"))
        .ok()
        .and_then(|performance| performance.dyn_into().ok());
}

/// Milliseconds since the page or the worker started; never decreases.
pub fn now() -> f64 {
    PERFORMANCE.with(|performance| performance.as_ref().map_or_else(js_sys::Date::now, Performance::now))
}
