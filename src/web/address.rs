//! The page's address: its settings are read when the page opens and on "back" or "forward", and written as they
//! change.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::JsString;
use wasm_bindgen::JsValue;

use super::clock;
use super::listener::{Listener, Timeout};
use crate::params::{link, name};

/// Least time between two writes, in milliseconds. Browsers refuse more than about a hundred in thirty seconds.
const EVERY_MS: f64 = 300.0;

/// Says nothing but that it is not empty: what the address of a page with settings of its own has for the defaults.
const DEFAULTS: &str = "view=explore";

/// The query of the page's address with its `?`, or an empty text; without an address, the settings saved with the
/// page.
pub fn query() -> String {
    let Some(window) = web_sys::window() else { return String::new() };
    window.location().search().ok().filter(|search| !search.is_empty()).or_else(saved).unwrap_or_default()
}

/// The settings saved with the page, if it is such a copy.
fn saved() -> Option<String> {
    let said = web_sys::window()?.document()?.document_element()?.get_attribute("data-settings");
    said.filter(|settings| !settings.is_empty())
}

/// The address from its `#` on, which browsers do not send to servers, or an empty text.
pub fn fragment() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// A text in which every accented letter is one character if Unicode has it, so that a name has the same seed however a
/// keyboard writes it. (Browsers have the tables; here they would be a tenth of the download.)
pub fn composed(text: &str) -> String {
    JsString::from(text).normalize("NFC").into()
}

/// The name in the address. A name in the query is moved behind `#`, so that no server gets it when the page is
/// reloaded.
pub fn take_name() -> Option<String> {
    let mut pairs = link::pairs(&query());
    let in_query = name::take(&mut pairs);
    let Some(name) = in_query else { return name::take(&mut link::pairs(&fragment())) };
    let window = web_sys::window()?;
    let rest = encoded(&pairs);
    let address = format!("{}{rest}#{}", question(&rest), name::fragment_of(&name));
    // If the history cannot be written, the name stays in the query.
    let _ = window.history().and_then(|history| {
        let path = window.location().pathname()?;
        history.replace_state_with_url(&JsValue::NULL, "", Some(&format!("{path}{address}")))
    });
    Some(name)
}

/// Whether the page has an address that leads to it again: not in a frame that is made of a text.
pub fn can_be_reloaded() -> bool {
    let protocol = web_sys::window().and_then(|window| window.location().protocol().ok());
    protocol.is_some_and(|protocol| ["http:", "https:", "file:"].contains(&protocol.as_str()))
}

/// Reloads the page. The pair is put into the address if the address already has its key, or if `must_say` is set.
pub fn load_anew((key, value): (&str, &str), must_say: bool) {
    let Some(window) = web_sys::window() else { return };
    let mut pairs = link::pairs(&query());
    let says = pairs.iter().any(|(other, _)| other == key);
    if !says && !must_say {
        let _ = window.location().reload();
        return;
    }
    pairs.retain(|(other, _)| other != key);
    pairs.push((key.to_owned(), value.to_owned()));
    let _ = window.location().set_search(&format!("?{}", encoded(&pairs)));
}

fn encoded(pairs: &[(String, String)]) -> String {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}={}", encode(key), encode(value))).collect();
    pairs.join("&")
}

/// Calls `act` whenever the person goes back or forward.
pub fn on_return(mut act: impl FnMut() + 'static) -> Option<Listener> {
    let window = web_sys::window()?;
    Some(Listener::new(&window, "popstate", move |_: web_sys::Event| act()))
}

/// The whole address with this query, for sharing.
pub fn with_query(query: &str) -> String {
    format!("{}{}", page(), search_of(query))
}

/// The page's address without what it says.
pub fn page() -> String {
    let location = web_sys::window().map(|window| window.location());
    let href = location.and_then(|location| location.href().ok()).unwrap_or_default();
    href.split(['?', '#']).next().unwrap_or_default().to_owned()
}

/// How a new address enters the browser's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// It replaces the current entry.
    Same,
    /// It becomes a new entry: "back" returns to the current one.
    New,
}

/// Keeps the address up to date: at most one write every `EVERY_MS`, and one for the last change; new entries at
/// once.
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
    /// Drops the write that still waits, if there is one.
    pub fn forget(&self) {
        self.shared.waiting.take();
        self.shared.timeout.take();
    }

    /// Makes `query`, without a `?`, the query of the address, now or within `EVERY_MS`.
    pub fn set_query(&self, query: String, entry: Entry) {
        if entry == Entry::New {
            self.shared.write(Entry::Same);
            self.shared.waiting.replace(Some(query));
            self.shared.write(Entry::New);
            return;
        }
        let is_waiting = self.shared.waiting.replace(Some(query)).is_some();
        if is_waiting {
            return;
        }
        let shared = self.shared.clone();
        // The timer that called has finished by then, so replacing it here is safe.
        self.shared.timeout.replace(Timeout::new(self.shared.delay(), move || shared.write(Entry::Same)));
    }
}

impl Shared {
    #[expect(clippy::cast_possible_truncation, reason = "0 to 300")]
    fn delay(&self) -> i32 {
        (self.written.get() + EVERY_MS - clock::now()).clamp(0.0, EVERY_MS).ceil() as i32
    }

    fn write(&self, entry: Entry) {
        let Some(query) = self.waiting.take() else { return };
        // Fails in some frames, and when a browser gets too many writes; the page works without it.
        let _ = write(&query, entry);
        // Taken after the write, so that the time of the write itself does not shorten the pause.
        self.written.set(clock::now());
    }
}

fn write(query: &str, entry: Entry) -> Result<(), JsValue> {
    let window = web_sys::window().ok_or(JsValue::NULL)?;
    let (location, history) = (window.location(), window.history()?);
    let search = search_of(query);
    if location.search()? == search {
        return Ok(());
    }
    let address = format!("{}{search}{}", location.pathname()?, location.hash()?);
    // In a frame, new entries would go to the history of the outer page.
    let is_framed = window.parent()?.is_some_and(|parent| parent != window);
    match entry {
        Entry::New if !is_framed => history.push_state_with_url(&JsValue::NULL, "", Some(&address)),
        Entry::New | Entry::Same => history.replace_state_with_url(&JsValue::NULL, "", Some(&address)),
    }
}

/// What an address has behind its path to lead to this query. Nothing would lead to the settings saved with the page.
fn search_of(query: &str) -> String {
    let query = if query.is_empty() && saved().is_some() { DEFAULTS } else { query };
    format!("{}{query}", question(query))
}

fn question(query: &str) -> &'static str {
    if query.is_empty() { "" } else { "?" }
}
