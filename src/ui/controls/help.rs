//! Help on demand: a small "?" that opens a line of text.

use fedsysid_say::say;
use leptos::prelude::*;

use super::super::reactive::{live, on};

/// The "?" of a [`HelpText`].
#[component]
pub fn HelpButton(
    /// Subject of the help, for screen readers, whose users do not see where the button is.
    about: &'static str,
    /// The id of the text.
    text_id: String,
    /// Whether the text is shown.
    open: RwSignal<bool>,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class="help-button"
            aria-label=say!("Help: {about}")
            aria-expanded=live(move || open.get().to_string())
            aria-controls=text_id
            on:click=on(move |_| open.update(|open| *open = !*open))
        >
            "?"
        </button>
    }
}

/// The text that a [`HelpButton`] opens.
#[component]
pub fn HelpText(
    /// The id of the text.
    id: String,
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// The text.
    children: Children,
) -> impl IntoView {
    view! {
        <p class="help-text" id=id hidden=live(move || !open.get())>
            {children()}
        </p>
    }
}
