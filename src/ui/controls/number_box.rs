//! A parameter's value as a number that can be typed over.

use fedsysid_say::decimal_mark;
use leptos::ev::{Event, FocusEvent, KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::super::reactive::{live, on};
use super::super::selection::WholeText;
use super::Settings;
use crate::params::Key;
use crate::params::table::shown;

/// A box with the value. Enter and leaving the box take over what was typed, Escape restores what was there; the box
/// then shows the value in use, and a notice says why if that is not what was typed. Typing on replaces it.
#[component]
pub fn NumberBox(
    /// What it reads and writes.
    settings: Settings,
    /// The parameter.
    key: Key,
    /// The id of the input, where a label refers to it.
    id: Option<String>,
) -> impl IntoView {
    let param = key.param();
    let value = settings.value(key);
    let text = WholeText::new();
    let label = format!("{}, {}", param.name(), param.allowed());
    view! {
        <input
            type="text"
            class="number-box"
            id=id
            inputmode=if param.grid.is_whole() { "numeric" } else { "decimal" }
            autocomplete="off"
            spellcheck="false"
            size=digits(key)
            style:--digits=digits(key)
            aria-label=label
            prop:value=live(move || shown(value.get()))
            on:keydown=on(move |event: KeyboardEvent| {
                let input = event_target(&event);
                match event.key().as_str() {
                    "Enter" => commit(settings, key, &input),
                    "Escape" => restore(settings, key, &input),
                    _ => return,
                }
                input.select();
            })
            on:focus=on(move |event: FocusEvent| text.select(&event_target(&event)))
            on:mouseup=on(move |event: MouseEvent| text.keep(&event))
            on:change=on(move |event: Event| commit(settings, key, &event_target(&event)))
        />
    }
}

/// Takes over what was typed and shows what is used, also where that is the value from before.
fn commit(settings: Settings, key: Key, input: &HtmlInputElement) {
    let typed = input.value();
    // Where the comma is the decimal mark, a point between whole thousands groups them, as a comma does elsewhere.
    let groups = key.param().grid.is_whole() && decimal_mark() == ',';
    let typed = if groups { typed.replace('.', ",") } else { typed };
    if input.value() != shown(settings.draft.read_untracked().get(key)) {
        settings.set_text(key, &typed);
    }
    restore(settings, key, input);
}

/// Shows the value in use.
fn restore(settings: Settings, key: Key, input: &HtmlInputElement) {
    input.set_value(&shown(settings.draft.read_untracked().get(key)));
}

/// Characters of the longest value on the slider: no stop has more decimals than the one above the least.
fn digits(key: Key) -> String {
    let grid = key.param().grid;
    let longest = [0, 1, grid.last()].map(|stop| shown(grid.at(stop)).len()).into_iter().max();
    longest.unwrap_or_default().to_string()
}
