//! The choice of the language.

use fedsysid_say::{say, tag};
use leptos::ev::Event;
use leptos::prelude::*;

use super::data::OwnData;
use super::reactive::{live, on};
use crate::dashboard::words::html::word_options;
use crate::params::Word;
use crate::params::embed::Language;
use crate::web;

/// A new language takes effect by reloading the page. The settings stay, since they are in the address; opened files do
/// not.
#[component]
pub fn LanguageChoice(
    /// The opened files.
    own: OwnData,
) -> impl IntoView {
    let options = word_options(Language::by_word(tag()));
    let choose = on(move |event: Event| {
        if let Some(language) = Language::by_word(&event_target_value(&event)) {
            web::language::choose(language.word());
        }
    });
    // A page without an address of its own would lose its settings.
    if !web::address::can_be_reloaded() {
        return ().into_any();
    }
    view! {
        <label>
            <span>{say!("language")}</span>
            <select class="language-choice" inner_html=options on:change=choose></select>
        </label>
        <span class="language-warning" hidden=live(move || own.is_empty())>
            {say!("Another language closes the opened files.")}
        </span>
    }
    .into_any()
}
