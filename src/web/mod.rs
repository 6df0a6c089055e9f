//! Browser glue without a user interface: workers, timers, listeners.
//!
//! The same wasm module runs in two places. In a window it mounts the page; in a worker, which starts from the module
//! that the page has compiled, it serves as an engine ([`scope`]). So it is downloaded and compiled once, and page and
//! engine always have the same version.

pub mod address;
pub mod clipboard;
pub mod clock;
mod desk;
pub mod desk_proxy;
pub mod engines;
pub mod file;
pub mod host;
pub mod json;
pub mod language;
pub mod listener;
pub mod preferences;
pub mod scope;
pub mod screen;
mod slices;
mod soon;
mod worker;

use wasm_bindgen::{JsCast, JsValue};

/// Whether this module runs in a worker.
pub fn in_worker() -> bool {
    js_sys::global().is_instance_of::<web_sys::DedicatedWorkerGlobalScope>()
}

/// Writes panics to the console before the module is lost, so that a bug report can say where it failed.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| web_sys::console::error_1(&panic.to_string().into())));
}

/// The text of an error thrown by JavaScript.
fn error_text(error: &JsValue) -> String {
    error.dyn_ref::<js_sys::Error>().map_or_else(|| format!("{error:?}"), |error| String::from(error.message()))
}
