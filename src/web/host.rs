//! The page around this one, where there is one: what it says, and what it is told.

use std::cell::Cell;

use js_sys::JSON;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlIFrameElement, MessageEvent, Window};

use super::json;
use super::listener::Listener;
use super::screen::SizeWatch;
use crate::params::embed::Place;
use crate::params::json::Value;

/// The window around this one; nothing if this page stands for itself.
fn parent() -> Option<Window> {
    let window = web_sys::window()?;
    window.parent().ok().flatten().filter(|parent| *parent != window)
}

/// Whether this page is in a frame of another one.
pub fn is_framed() -> bool {
    parent().is_some()
}

/// Where it is, as far as its address could say what is wanted there. Course platforms frame files that have none.
pub fn place() -> Place {
    let protocol = web_sys::window().and_then(|window| window.location().protocol().ok());
    let has_address = protocol.is_some_and(|it| it.starts_with("http") || it == "file:");
    if has_address && is_framed() { Place::Framed } else { Place::Alone }
}

/// Hears what a page says that this one has in a frame, wherever in an element that is at the time.
pub fn on_message_from(around: &Element, mut heard: impl FnMut(&Value) + 'static) -> Option<Listener> {
    let (window, around) = (web_sys::window()?, around.clone());
    Some(Listener::new(&window, "message", move |event: MessageEvent| {
        let frame =
            around.query_selector("iframe").ok().flatten().and_then(|it| it.dyn_into::<HtmlIFrameElement>().ok());
        let source = frame.and_then(|frame| frame.content_window());
        if source.is_some_and(|source| event.source().is_some_and(|from| JsValue::from(from) == JsValue::from(source)))
        {
            heard(&json::value(&event.data()));
        }
    }))
}

/// Hears what the page around this one says, with its origin. What any other window says is passed over.
pub fn on_message(mut heard: impl FnMut(&Value, &str) + 'static) -> Option<Listener> {
    let (window, parent) = (web_sys::window()?, parent()?);
    Some(Listener::new(&window, "message", move |event: MessageEvent| {
        let is_parent = event.source().is_some_and(|source| JsValue::from(source) == JsValue::from(parent.clone()));
        if is_parent {
            heard(&json::value(&event.data()), &event.origin());
        }
    }))
}

/// Tells the page around this one, as the object that a JSON text says. Nobody hears it where there is no such page.
///
/// It goes to whoever has put this page into a frame: it says nothing that its link does not.
pub fn tell(json: &str) {
    if let (Some(parent), Ok(message)) = (parent(), JSON::parse(json)) {
        let _ = parent.post_message(&message, "*");
    }
}

/// Calls back with an element's height in CSS pixels, whole and rounded up, whenever it is another one. An element that is
/// not there to be seen has none: a frame that is hidden keeps the height that it had.
pub fn on_height(element: &Element, told: impl Fn(u32) + 'static) -> Option<SizeWatch> {
    let (measured, last) = (element.clone(), Cell::new(0));
    SizeWatch::new(element, move || {
        let height = whole(measured.get_bounding_client_rect().height());
        if height > 0 && last.replace(height) != height {
            told(height);
        }
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page; saturates")]
fn whole(pixels: f64) -> u32 {
    pixels.ceil() as u32
}
