//! Locked controls in words.

use fedsysid_say::say;
use leptos::prelude::*;

use super::super::reactive::live;

/// A locked control in words: what is inert does not exist for those who listen.
#[component]
pub fn Fixed(
    /// Whether the control is hidden.
    hidden: Box<dyn Fn() -> bool + Send + Sync>,
    /// Its name and value.
    words: Box<dyn Fn() -> String + Send + Sync>,
) -> impl IntoView {
    view! {
        <p class="visually-hidden" hidden=live(hidden)>
            {live(move || say!("{}: fixed", words()))}
        </p>
    }
}
