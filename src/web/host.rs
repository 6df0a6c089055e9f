//! The outer page around a framed one: messages to it and from it.

use std::cell::Cell;

use js_sys::JSON;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, HtmlIFrameElement, MessageEvent, Window};

use super::json;
use super::listener::Listener;
use super::screen::SizeWatch;
use crate::params::embed::Framing;
use crate::params::json::Value;

/// The window of the outer page; `None` if this page is not framed.
fn parent() -> Option<Window> {
    let window = web_sys::window()?;
    window.parent().ok().flatten().filter(|parent| *parent != window)
}

/// Whether this page is in a frame of another one.
pub fn is_framed() -> bool {
    parent().is_some()
}

/// Whether the page is in a frame. One without an address of its own counts as alone, as its link cannot carry settings
/// for a frame; course platforms frame such files.
pub fn framing() -> Framing {
    let protocol = web_sys::window().and_then(|window| window.location().protocol().ok());
    let has_address = protocol.is_some_and(|it| it.starts_with("http") || it == "file:");
    if has_address && is_framed() { Framing::Framed } else { Framing::Alone }
}

/// Calls `heard` with messages from the page framed inside `around`, also if its frame is replaced later.
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

/// Calls `heard` with messages from the outer page and its origin. Messages from other windows are ignored.
pub fn on_message(mut heard: impl FnMut(&Value, &str) + 'static) -> Option<Listener> {
    let (window, parent) = (web_sys::window()?, parent()?);
    Some(Listener::new(&window, "message", move |event: MessageEvent| {
        let is_parent = event.source().is_some_and(|source| JsValue::from(source) == JsValue::from(parent.clone()));
        if is_parent {
            heard(&json::value(&event.data()), &event.origin());
        }
    }))
}

/// Sends the outer page an object, given as JSON. Does nothing without an outer page.
///
/// The message goes to any outer page, whatever its origin: it says nothing that the link does not say.
pub fn tell(json: &str) {
    if let (Some(parent), Ok(message)) = (parent(), JSON::parse(json)) {
        let _ = parent.post_message(&message, "*");
    }
}

/// Calls `told` with an element's height in whole CSS pixels, rounded up, whenever it changes. The height of a hidden
/// element is not reported: a hidden frame keeps its height.
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
