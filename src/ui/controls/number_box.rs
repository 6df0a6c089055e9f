//! A parameter's value as an editable number.

use leptos::ev::{Event, FocusEvent, KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::super::reactive::{live, on};
use super::super::selection::WholeText;
use super::Settings;
use crate::params::Key;
use crate::params::table::{shown, typed};

/// A number box. Enter and leaving the box apply the typed text, Escape restores the value before; then the box shows
/// the value in use, and a notice explains it if it differs from the text. The first typed character replaces the whole
/// text.
#[component]
pub fn NumberBox(
    /// The settings to read and write.
    settings: Settings,
    /// The parameter.
    key: Key,
    /// The id of the input, if a label refers to it.
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

/// Applies the typed text, and shows the value in use, even if it is the old one.
fn commit(settings: Settings, key: Key, input: &HtmlInputElement) {
    if input.value() != shown(settings.draft.read_untracked().get(key)) {
        settings.set_text(key, &typed(key.param(), &input.value()));
    }
    restore(settings, key, input);
}

/// Shows the value in use.
fn restore(settings: Settings, key: Key, input: &HtmlInputElement) {
    input.set_value(&shown(settings.draft.read_untracked().get(key)));
}

/// Number of characters of the slider's longest value: no stop has more decimals than the second one.
fn digits(key: Key) -> String {
    let grid = key.param().grid;
    let longest = [0, 1, grid.last()].map(|stop| shown(grid.at(stop)).len()).into_iter().max();
    longest.unwrap_or_default().to_string()
}
