//! Undo, redo and "reset all", by buttons and the usual keys.

use fedsysid_say::say;
use std::cell::Cell;
use std::rc::Rc;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlInputElement, KeyboardEvent};

use super::parts::button_unless;
use super::reactive::memo;
use super::store::Store;
use crate::params::Draft;
use crate::web::listener::Listener;

/// The row of buttons. The keys are Ctrl or ⌘ with Z, with Shift and Z, and with Y.
pub(super) fn changes(store: Store) -> AnyView {
    StoredValue::new_local(keys(store));
    let undoes = memo(move || store.history.read().undoes());
    let redoes = memo(move || store.history.read().redoes());
    let is_default = memo(move || *store.settings.draft.read() == Draft::default());
    view! {
        <div class="changes" role="group" aria-label=say!("Changes")>
            {turn(say!("Undo"), undoes, move || store.undo())}
            {turn(say!("Redo"), redoes, move || store.redo())}
            {button_unless(say!("Reset all"), || None, is_default, move || store.reset_all())}
        </div>
    }
    .into_any()
}

/// A button whose tooltip says what it would change.
fn turn(words: &'static str, what: Memo<Option<String>>, act: impl Fn() + 'static) -> AnyView {
    let tip = move || what.get().map(|what| format!("{words}: {what}"));
    button_unless(words, tip, memo(move || what.read().is_none()), act)
}

fn keys(store: Store) -> [Listener; 4] {
    // Whether a box holds typed text that has not been applied yet: the browser's own undo handles that better.
    let is_typing = Rc::new(Cell::new(false));
    let ended = |kind| {
        let is_typing = is_typing.clone();
        Listener::new(&document(), kind, move |_: Event| is_typing.set(false))
    };
    let (at_input, at_key) = (is_typing.clone(), is_typing.clone());
    let input = Listener::new(&document(), "input", move |event: Event| {
        let target = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        at_input.set(target.is_some_and(|input| matches!(input.type_().as_str(), "text" | "number")));
    });
    let key = Listener::new(&document(), "keydown", move |event: KeyboardEvent| {
        let act = match event.key().to_ascii_lowercase().as_str() {
            "z" if event.shift_key() => Store::redo,
            "z" => Store::undo,
            "y" => Store::redo,
            "enter" | "escape" => return at_key.set(false),
            _ => return,
        };
        // Texts of several lines are the browser's all along.
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| target.tag_name() == "TEXTAREA") {
            return;
        }
        if (event.ctrl_key() || event.meta_key()) && !event.alt_key() && !at_key.get() {
            event.prevent_default();
            act(store);
        }
    });
    [input, key, ended("change"), ended("focusout")]
}
