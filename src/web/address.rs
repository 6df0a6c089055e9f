//! The page's address: the settings in it, read once and written as they change.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::clock;
use super::listener::Timeout;

/// Time between two writes, in milliseconds. Browsers refuse more than about a hundred in thirty seconds.
const EVERY_MS: f64 = 300.0;

/// The query of the page's address, with its `?`, or nothing.
pub fn query() -> String {
    web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default()
}

/// Keeps the address up to date, at most one write every [`EVERY_MS`] and one at the end.
#[derive(Clone, Default)]
pub struct Address {
    shared: Rc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: RefCell<Option<String>>,
    timeout: RefCell<Option<Timeout>>,
    written: Cell<f64>,
}

impl Address {
    /// Makes `query`, without a `?`, the query of the address, now or soon.
    pub fn set_query(&self, query: String) {
        let is_waiting = self.shared.waiting.replace(Some(query)).is_some();
        if is_waiting {
            return;
        }
        let shared = self.shared.clone();
        // The timer that called is done by then, so that replacing it here is safe.
        self.shared.timeout.replace(Timeout::new(self.shared.delay(), move || shared.write()));
    }
}

impl Shared {
    #[expect(clippy::cast_possible_truncation, reason = "0 to 300")]
    fn delay(&self) -> i32 {
        (self.written.get() + EVERY_MS - clock::now()).clamp(0.0, EVERY_MS) as i32
    }

    fn write(&self) {
        let Some(query) = self.waiting.take() else { return };
        self.written.set(clock::now());
        // Fails in some frames and when a browser finds it too often; the page works without.
        let _ = replace(&query);
    }
}

fn replace(query: &str) -> Result<(), JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let location = window.location();
    let question = if query.is_empty() { "" } else { "?" };
    let address = format!("{}{question}{query}{}", location.pathname()?, location.hash()?);
    window.history()?.replace_state_with_url(&JsValue::NULL, "", Some(&address))
}
