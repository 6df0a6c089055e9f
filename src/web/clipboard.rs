//! The clipboard, where the browser lets the page write to it.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlTextAreaElement;

/// Copies a text, and calls `done` with whether that succeeded. Must be called while a click or a key is handled.
pub fn copy(text: &str, done: impl FnOnce(bool) + 'static) {
    let Some(promise) = asked(text) else { return done(copied_by_selection(text)) };
    let text = text.to_owned();
    // The promise calls exactly one of the two, once.
    let done = Closure::once_into_js(move |refused: bool| done(!refused || copied_by_selection(&text)));
    let done: Function = done.unchecked_into();
    let (kept, refused) = (bound(&done, false), bound(&done, true));
    let _ = Reflect::apply(&then(&promise), &promise, &js_sys::Array::of2(&kept, &refused));
}

fn then(promise: &Promise) -> Function {
    Reflect::get(promise, &"then".into()).map(JsCast::unchecked_into).unwrap_or_default()
}

fn bound(function: &Function, value: bool) -> JsValue {
    function.bind1(&JsValue::NULL, &value.into()).into()
}

/// The browser's promise to copy; `None` if this page has no clipboard (an insecure origin, some frames).
fn asked(text: &str) -> Option<Promise> {
    let navigator = web_sys::window()?.navigator();
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok().filter(|found| !found.is_undefined())?;
    let write: Function = Reflect::get(&clipboard, &"writeText".into()).ok()?.dyn_into().ok()?;
    write.call1(&clipboard, &text.into()).ok()?.dyn_into().ok()
}

/// Copies by selecting text, the method from before the clipboard interface; returns whether that succeeded.
fn copied_by_selection(text: &str) -> bool {
    try_selection(text).unwrap_or(false)
}

fn try_selection(text: &str) -> Option<bool> {
    let document = web_sys::window()?.document()?;
    let area: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    area.set_value(text);
    let focus = document.active_element();
    document.body()?.append_child(&area).ok()?;
    area.select();
    let command: Function = Reflect::get(&document, &"execCommand".into()).ok()?.dyn_into().ok()?;
    let is_copied = command.call1(&document, &"copy".into()).ok().and_then(|done| done.as_bool());
    area.remove();
    // The element that had the focus gets it back.
    if let Some(focus) = focus.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = focus.focus();
    }
    is_copied
}
