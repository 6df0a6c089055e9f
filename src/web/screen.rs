//! Properties of the screen, and notice of their changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, Event, EventTarget, IntersectionObserver, IntersectionObserverEntry, MediaQueryList, ResizeObserver,
};

use super::listener::Listener;

/// Pixels of the screen per CSS pixel.
pub fn pixel_ratio() -> f64 {
    web_sys::window().map_or(1.0, |window| window.device_pixel_ratio())
}

/// Whether a media query matches now.
pub fn matches(query: &str) -> bool {
    media(query).is_some_and(|media| media.matches())
}

/// Background and text color of the document as displayed: red, green and blue of each.
pub fn paper_and_ink() -> Option<[[u8; 3]; 2]> {
    let window = web_sys::window()?;
    let style = window.get_computed_style(&window.document()?.document_element()?).ok()??;
    let color = |property| {
        let text = style.get_property_value(property).ok()?;
        let mut levels = text.split(|c: char| !c.is_ascii_digit()).filter_map(|level| level.parse().ok());
        Some([levels.next()?, levels.next()?, levels.next()?])
    };
    Some([color("background-color")?, color("color")?])
}

fn media(query: &str) -> Option<MediaQueryList> {
    web_sys::window()?.match_media(query).ok().flatten()
}

/// Calls `changed` whenever a media query starts or stops matching, until dropped.
pub fn on_media_change(query: &str, mut changed: impl FnMut(bool) + 'static) -> Option<Listener> {
    let media = media(query)?;
    let target = media.clone();
    Some(Listener::new(&target, "change", move |_: Event| changed(media.matches())))
}

/// Watches the pixel ratio, which changes with zooming and on another screen.
pub struct PixelRatioWatch {
    _listener: Rc<RefCell<Option<Listener>>>,
}

impl PixelRatioWatch {
    /// Calls `changed` after every change, until dropped.
    pub fn new(changed: impl Fn() + 'static) -> Self {
        let listener = Rc::new(RefCell::new(None));
        watch_ratio(&listener, Rc::new(changed));
        Self { _listener: listener }
    }
}

/// A media query only reports that the ratio leaves its current value, so every change needs a new query.
fn watch_ratio(slot: &Rc<RefCell<Option<Listener>>>, changed: Rc<dyn Fn()>) {
    let weak = Rc::downgrade(slot);
    let query = format!("(resolution: {}dppx)", pixel_ratio());
    let listener = on_media_change(&query, move |_| {
        if let Some(slot) = weak.upgrade() {
            changed();
            watch_ratio(&slot, changed.clone());
        }
    });
    slot.replace(listener);
}

/// Watches an element's size.
pub struct SizeWatch {
    observer: ResizeObserver,
    _closure: Closure<dyn FnMut()>,
}

impl SizeWatch {
    /// Calls `changed` when the element first has a size, and after every change, until dropped.
    pub fn new(element: &Element, changed: impl Fn() + 'static) -> Option<Self> {
        let closure = Closure::<dyn FnMut()>::new(changed);
        let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Self { observer, _closure: closure })
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Narrower windows show nothing. Firefox gives a folded-away frame a width of ten pixels, and reports its content as
/// intersecting.
const LEAST_WIDTH: f64 = 32.0;

fn has_room() -> bool {
    let width = web_sys::window().and_then(|window| window.inner_width().ok()?.as_f64());
    width.is_none_or(|width| width >= LEAST_WIDTH)
}

/// Whether the page is hidden, as in a tab that was opened behind another.
pub fn is_hidden() -> bool {
    web_sys::window().and_then(|window| window.document()).is_some_and(|document| document.hidden())
}

/// Watches whether an element can be seen: the page is not hidden, and the element is in sight, even if the page is in
/// a frame that is scrolled or folded away.
pub struct SeenWatch {
    observer: Option<IntersectionObserver>,
    _closure: Closure<dyn FnMut(js_sys::Array)>,
    _listeners: [Option<Listener>; 2],
}

impl SeenWatch {
    /// Calls `changed` whenever visibility changes. The element is taken to be `in_sight` until the browser tells, and the page
    /// to be hidden if it [is](is_hidden).
    pub fn new(element: &Element, in_sight: bool, changed: impl Fn(bool) + 'static) -> Self {
        let document = element.owner_document();
        let was_seen = Cell::new(in_sight && !is_hidden());
        let in_sight = Rc::new(Cell::new(in_sight));
        let update = {
            let in_sight = in_sight.clone();
            Rc::new(move || {
                let is_seen = in_sight.get() && !is_hidden() && has_room();
                if was_seen.replace(is_seen) != is_seen {
                    changed(is_seen);
                }
            })
        };
        let on = |target: Option<&EventTarget>, kind| {
            let update = update.clone();
            target.map(|target| Listener::new(target, kind, move |_: Event| update()))
        };
        let listeners = [
            on(document.as_ref().map(AsRef::as_ref), "visibilitychange"),
            on(web_sys::window().as_ref().map(AsRef::as_ref), "resize"),
        ];
        let closure = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            // The last entry is the newest.
            let newest = entries.iter().last().and_then(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok());
            in_sight.set(newest.is_none_or(|entry| entry.is_intersecting()));
            update();
        });
        let observer = IntersectionObserver::new(closure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
        }
        Self { observer, _closure: closure, _listeners: listeners }
    }
}

impl Drop for SeenWatch {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}
