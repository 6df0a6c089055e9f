//! Where the focus goes when what had it is gone, so that whoever uses keys or a screen reader goes on from there.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The chart of a view, or the handle of its map.
pub(super) const CHART: &str = "#app :is(.chart[tabindex], .handle)";

/// Focuses an element once the page has followed a change.
pub(super) fn soon(css: &str) {
    let css = css.to_owned();
    request_animation_frame(move || now(&css));
}

/// [`soon`], unless something else has the focus by then.
pub(super) fn if_lost(css: &str) {
    let css = css.to_owned();
    request_animation_frame(move || {
        if document().active_element().is_none_or(|element| element.tag_name() == "BODY") {
            now(&css);
        }
    });
}

/// Brings a control into sight, unfolding what it is folded into, and gives it the focus.
pub(super) fn unfolding(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    if let Ok(Some(fold)) = element.closest("details") {
        let _ = fold.set_attribute("open", "");
    }
    on(element);
}

fn now(css: &str) {
    if let Ok(Some(element)) = document().query_selector(css) {
        on(element);
    }
}

fn on(element: Element) {
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        let _ = element.focus();
    }
}
