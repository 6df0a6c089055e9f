//! A dedicated worker: starts it in a way that works on this page, sends it messages, and ends it.
//!
//! There are two ways to start a worker, and each works where the other is refused: by the address of the page's
//! script, which a strict content security policy demands, and from a blob, in a sandboxed frame or a page opened from
//! a file.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Float64Array, JSON};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Document, ErrorEvent, HtmlScriptElement, MessageEvent, Url};

use super::listener::{Listener, Timeout};
use super::{error_text, language};
use crate::protocol::{Event, Request, wire};

/// Seconds within which a worker's script must give its first sign of life, if no error reports that it is refused.
/// They are counted one by one, so that of the time that a computer sleeps, or a page lies in the browser's cache, at
/// most one second counts.
const ALIVE_WITHIN_S: u32 = 6;

/// A message from a worker.
pub(super) enum Heard {
    /// An event of the worker's engine.
    Event(Event),
    /// A message of the worker's desk.
    Said(Array),
    /// The worker could not start, or died; with the browser's message.
    Died(String),
}

/// The way to start a worker.
#[derive(Clone, Copy)]
enum Way {
    /// By the address of the page's script.
    Address,
    /// From a blob of the page's scripts.
    Blob,
}

thread_local! {
    /// The way to try first: the one that worked last.
    static FIRST: Cell<Way> = Cell::new(most_likely());
    static IGNORE: Closure<dyn FnMut(web_sys::Event)> = Closure::new(|event: web_sys::Event| event.prevent_default());
    /// The address of the blob, once it exists.
    static BLOB: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The way to try first. A page without an origin may not load a worker by address, and some browsers report the
/// attempt.
fn most_likely() -> Way {
    let is_nobodys = web_sys::window().is_some_and(|window| window.origin() == "null");
    if is_nobodys { Way::Blob } else { Way::Address }
}

/// A worker that ends when dropped.
pub(super) struct Worker {
    shared: Rc<Shared>,
}

struct Shared {
    way: Cell<Way>,
    /// Whether its script has given a sign of life. Until then, the other way may work.
    is_alive: Cell<bool>,
    running: RefCell<Option<Running>>,
    patience: RefCell<Option<Timeout>>,
    heard: Box<dyn Fn(Heard)>,
}

/// The browser's worker, with its listeners.
struct Running {
    worker: web_sys::Worker,
    _listeners: [Listener; 3],
}

impl Worker {
    /// Starts a worker with the module that this page runs.
    ///
    /// # Errors
    /// The browser's reason if it allows no worker here, or if the page has no scripts to start one with.
    pub(super) fn start(heard: impl Fn(Heard) + 'static) -> Result<Self, JsValue> {
        let shared = Rc::new(Shared {
            way: Cell::new(FIRST.get()),
            is_alive: Cell::new(false),
            running: RefCell::default(),
            patience: RefCell::default(),
            heard: Box::new(heard),
        });
        shared.start().or_else(|error| shared.start_otherwise(error))?;
        Ok(Self { shared })
    }

    /// Sends a request. A dead worker does not answer; the pool notices that.
    pub(super) fn post(&self, request: &Request) {
        let numbers = Float64Array::from(wire::encode(request).as_slice());
        if let Some(running) = &*self.shared.running.borrow() {
            let _ = running.worker.post_message_with_transfer(&numbers, &Array::of1(&numbers.buffer()));
        }
    }

    /// Sends an order to the worker's desk.
    pub(super) fn post_value(&self, order: &Array) {
        if let Some(running) = &*self.shared.running.borrow() {
            let _ = running.worker.post_message(order);
        }
    }
}

impl Drop for Running {
    /// Errors that a dropped worker still reports (for instance that its scripts did not load) are not errors of the
    /// page.
    fn drop(&mut self) {
        IGNORE.with(|ignore| self.worker.set_onerror(Some(ignore.as_ref().unchecked_ref())));
        self.worker.terminate();
    }
}

impl Shared {
    fn start(self: &Rc<Self>) -> Result<(), JsValue> {
        let scripts = Scripts::of_page()?;
        let (worker, glue) = match self.way.get() {
            Way::Address => (web_sys::Worker::new(&scripts.address()?)?, scripts.glue.src()),
            Way::Blob => (web_sys::Worker::new(&scripts.blob()?)?, String::new()),
        };
        let with = |act: fn(&Rc<Self>, &web_sys::Event)| {
            let weak = Rc::downgrade(self);
            move |event: web_sys::Event| {
                if let Some(shared) = weak.upgrade() {
                    act(&shared, &event);
                }
            }
        };
        let listeners = [
            Listener::new(&worker, "message", with(Self::hear)),
            Listener::new(&worker, "error", with(Self::hear_error)),
            Listener::new(&worker, "messageerror", with(|shared, _| shared.fail("a message could not be read".into()))),
        ];
        let running = Running { worker, _listeners: listeners };
        running.worker.post_message(&Array::of3(&wasm_bindgen::module(), &glue.into(), &language::texts()))?;
        self.running.replace(Some(running));
        self.wait(ALIVE_WITHIN_S);
        Ok(())
    }

    fn wait(self: &Rc<Self>, seconds: u32) {
        let weak = Rc::downgrade(self);
        // The timer that called has finished by then, so replacing it here is safe.
        self.patience.replace(Timeout::new(1_000, move || match (weak.upgrade(), seconds) {
            (Some(shared), 0 | 1) => shared.fail("its script gives no sign of life".into()),
            (Some(shared), _) => shared.wait(seconds - 1),
            (None, _) => {}
        }));
    }

    /// Starts the worker the other way, if that was not tried yet; otherwise returns `error`.
    fn start_otherwise(self: &Rc<Self>, error: JsValue) -> Result<(), JsValue> {
        match self.way.replace(Way::Blob) {
            Way::Address => self.start(),
            Way::Blob => Err(error),
        }
    }

    fn hear(self: &Rc<Self>, event: &web_sys::Event) {
        self.is_alive.set(true);
        self.patience.take();
        FIRST.set(self.way.get());
        let word = event.dyn_ref::<MessageEvent>().and_then(|message| read(&message.data()));
        if let Some(word) = word {
            (self.heard)(word);
        }
    }

    /// A script that cannot be loaded gives a plain event; an uncaught exception gives an `ErrorEvent`.
    fn hear_error(self: &Rc<Self>, event: &web_sys::Event) {
        // Before a sign of life, the other way is tried next: a failure of this way is not an error of the page.
        if !self.is_alive.get() {
            event.prevent_default();
        }
        self.fail(event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default());
    }

    fn fail(self: &Rc<Self>, reason: String) {
        self.patience.take();
        let dies = if self.is_alive.get() { Err(reason.into()) } else { self.start_otherwise(reason.into()) };
        if let Err(reason) = dies {
            (self.heard)(Heard::Died(reason.as_string().unwrap_or_else(|| error_text(&reason))));
        }
    }
}

fn read(data: &JsValue) -> Option<Heard> {
    if let Some(said) = data.dyn_ref::<Array>() {
        return Some(Heard::Said(said.clone()));
    }
    let numbers: &Float64Array = data.dyn_ref()?;
    wire::decode(&numbers.to_vec()).ok().map(Heard::Event)
}

/// The page's own scripts, which workers run too. Their names contain hashes of their content, so a cache never mixes
/// versions.
struct Scripts {
    boot: HtmlScriptElement,
    glue: HtmlScriptElement,
}

impl Scripts {
    fn of_page() -> Result<Self, JsValue> {
        let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
        Ok(Self { boot: script(&document, "script[data-boot]")?, glue: script(&document, "script[data-glue]")? })
    }

    /// The address of the script that starts a worker.
    ///
    /// # Errors
    /// If the page is a single file, whose script has no address.
    fn address(&self) -> Result<String, JsValue> {
        Some(self.boot.src()).filter(|src| !src.is_empty()).ok_or_else(|| "the page is one file".into())
    }

    /// The address of a blob with all scripts: scripts beside the page are imported by name, those within it are
    /// copied.
    fn blob(&self) -> Result<String, JsValue> {
        if let Some(address) = BLOB.with_borrow(Clone::clone) {
            return Ok(address);
        }
        let parts = Array::of1(&text(&self.glue)?);
        // A page that is a single file has only one script.
        if !self.boot.is_same_node(Some(&self.glue)) {
            parts.push(&text(&self.boot)?);
        }
        let options = BlobPropertyBag::new();
        options.set_type("text/javascript");
        let blob = Blob::new_with_str_sequence_and_options(&parts, &options)?;
        let address = Url::create_object_url_with_blob(&blob)?;
        BLOB.set(Some(address.clone()));
        Ok(address)
    }
}

fn script(document: &Document, selector: &str) -> Result<HtmlScriptElement, JsValue> {
    let found = document.query_selector(selector)?.and_then(|element| element.dyn_into().ok());
    found.ok_or_else(|| "the page does not name its scripts".into())
}

/// The text that includes a script in another one: an import of its address, or its own text.
fn text(script: &HtmlScriptElement) -> Result<JsValue, JsValue> {
    let src = script.src();
    if src.is_empty() {
        return Ok(script.text()?.into());
    }
    Ok(format!("importScripts({});\n", String::from(JSON::stringify(&src.into())?)).into())
}
