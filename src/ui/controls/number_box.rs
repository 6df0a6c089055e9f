//! A parameter's value as a number that can be typed over.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::Settings;
use crate::params::Key;
use crate::params::table::words;

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
    let shown = move || words(value.get());
    let label = format!("{}, {}", param.name, param.allowed());
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
            prop:value=shown
            on:keydown:target=move |ev| {
                match ev.key().as_str() {
                    "Enter" => commit(settings, key, &ev.target()),
                    "Escape" => restore(settings, key, &ev.target()),
                    _ => return,
                }
                ev.target().select();
            }
            on:focus:target=move |ev| ev.target().select()
            on:change:target=move |ev| commit(settings, key, &ev.target())
        />
    }
}

/// Takes over what was typed and shows what is used, also where that is the value from before.
fn commit(settings: Settings, key: Key, input: &HtmlInputElement) {
    let typed = input.value();
    if typed != words(settings.draft.read_untracked().get(key)) {
        settings.set_text(key, &typed);
    }
    restore(settings, key, input);
}

/// Shows the value in use.
fn restore(settings: Settings, key: Key, input: &HtmlInputElement) {
    input.set_value(&words(settings.draft.read_untracked().get(key)));
}

/// Characters of the longest value on the slider: no stop has more decimals than the one above the least.
fn digits(key: Key) -> String {
    let grid = key.param().grid;
    let longest = [0, 1, grid.last()].map(|stop| words(grid.at(stop)).len()).into_iter().max();
    longest.unwrap_or_default().to_string()
}
