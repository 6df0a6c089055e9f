//! The choice of a language.

use fedsysid_say::{say, tag};
use leptos::ev::Event;
use leptos::prelude::*;

use super::data::OwnData;
use super::reactive::{live, on};
use crate::dashboard::markup::word_options;
use crate::params::Word;
use crate::params::embed::Language;
use crate::web;

/// All that is said is said anew by loading the page anew, which keeps what is set: it is in the address. Opened files are not.
#[component]
pub fn LanguageChoice(
    /// The files that are open.
    own: OwnData,
) -> impl IntoView {
    let options = word_options(Language::by_word(tag()));
    let choose = on(move |event: Event| {
        if let Some(language) = Language::by_word(&event_target_value(&event)) {
            web::language::choose(language.word());
        }
    });
    view! {
        <label>
            <span>{say!("language")}</span>
            <select class="language-choice" inner_html=options on:change=choose></select>
        </label>
        <span class="language-warning" hidden=live(move || own.is_empty())>
            {say!("Another language closes the opened files.")}
        </span>
    }
}
