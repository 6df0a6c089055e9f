//! A dedicated worker as the page holds it: started in whatever way works here, spoken to, ended.
//!
//! There are two ways, and each works where the other is refused: by the address of the page's script, as a strict content
//! security policy wants it, and from a blob, in a sandboxed frame and from a file.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Float64Array, JSON};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Document, ErrorEvent, HtmlScriptElement, MessageEvent, Url};

use super::listener::{Listener, Timeout};
use super::{error_text, language};
use crate::protocol::{Event, Request, wire};

/// Seconds for a worker's script to give its first sign of life, where nothing says that it is refused. They are counted one by
/// one: of the time that a computer sleeps, or a page lies in the browser's cache, one at most is taken for a worker's.
const ALIVE_WITHIN_S: u32 = 6;

/// What a worker's page hears.
pub(super) enum Heard {
    /// The worker says this.
    Event(Event),
    /// The worker's desk says this.
    Said(Array),
    /// The worker could not start, or died. The text is the browser's.
    Died(String),
}

/// How a worker is started.
#[derive(Clone, Copy)]
enum Way {
    /// By the address of the page's script.
    Address,
    /// From the page's scripts, in a blob.
    Blob,
}

thread_local! {
    /// The way that is tried first: the one that worked last.
    static FIRST: Cell<Way> = Cell::new(most_likely());
    static IGNORE: Closure<dyn FnMut(web_sys::Event)> = Closure::new(|event: web_sys::Event| event.prevent_default());
    /// The address of the blob, once there is one.
    static BLOB: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// What belongs to nobody's origin may load no worker by address; some browsers complain of the attempt.
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
    /// Whether its script gave a sign of life. Before that, another way may be better.
    is_alive: Cell<bool>,
    running: RefCell<Option<Running>>,
    patience: RefCell<Option<Timeout>>,
    heard: Box<dyn Fn(Heard)>,
}

/// The browser's worker.
struct Running {
    worker: web_sys::Worker,
    _listeners: [Listener; 3],
}

impl Worker {
    /// Starts a worker on the module that this page runs.
    ///
    /// # Errors
    /// The browser's reason when it allows no worker here, or when the page has no scripts for one.
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

    /// Sends a request. A worker that is gone does not answer, which its pool notices.
    pub(super) fn post(&self, request: &Request) {
        let numbers = Float64Array::from(wire::encode(request).as_slice());
        if let Some(running) = &*self.shared.running.borrow() {
            let _ = running.worker.post_message_with_transfer(&numbers, &Array::of1(&numbers.buffer()));
        }
    }

    /// Sends an order for the worker's desk.
    pub(super) fn post_value(&self, order: &Array) {
        if let Some(running) = &*self.shared.running.borrow() {
            let _ = running.worker.post_message(order);
        }
    }
}

impl Drop for Running {
    /// What a worker that was let go still complains of (that its scripts did not load, say) is no error of the page's.
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
        // The timer that called is done by then, so that replacing it there is safe.
        self.patience.replace(Timeout::new(1_000, move || match (weak.upgrade(), seconds) {
            (Some(shared), 0 | 1) => shared.fail("its script gives no sign of life".into()),
            (Some(shared), _) => shared.wait(seconds - 1),
            (None, _) => {}
        }));
    }

    /// Starts it in another way, if there is one that was not tried yet.
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

    /// A script that cannot be loaded gives a plain event, an uncaught exception an `ErrorEvent`.
    fn hear_error(self: &Rc<Self>, event: &web_sys::Event) {
        // Before any sign of life there is another way: that one does not work here is no error of the page's.
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

/// The page's own scripts, which a worker is made of too. Their names hold hashes of their content, so a cache never mixes
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

    /// Where the script is that a worker begins with.
    fn address(&self) -> Result<String, JsValue> {
        Some(self.boot.src()).filter(|src| !src.is_empty()).ok_or_else(|| "the page is one file".into())
    }

    /// All of them as a blob: names of those that lie beside the page, the text of what is within it.
    fn blob(&self) -> Result<String, JsValue> {
        if let Some(address) = BLOB.with_borrow(Clone::clone) {
            return Ok(address);
        }
        let parts = Array::of1(&text(&self.glue)?);
        // A page that is one file has one script.
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

/// What a script is in another one.
fn text(script: &HtmlScriptElement) -> Result<JsValue, JsValue> {
    let src = script.src();
    if src.is_empty() {
        return Ok(script.text()?.into());
    }
    Ok(format!("importScripts({});\n", String::from(JSON::stringify(&src.into())?)).into())
}
