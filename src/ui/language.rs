//! The choice of a language.

use fedsysid_say::{say, tag};
use leptos::ev::Event;
use leptos::prelude::*;

use super::reactive::on;
use crate::params::embed::Language;
use crate::params::views::Word;
use crate::web;

/// All that is said is said anew by loading the page anew, which keeps what is set: it is in the address.
#[component]
pub fn LanguageChoice() -> impl IntoView {
    let option = |(_, word, name): &(Language, &str, &str)| {
        let selected = if *word == tag() { " selected" } else { "" };
        format!("<option value={word} lang={word} aria-label={name}{selected}>{}</option>", word.to_uppercase())
    };
    let options: String = Language::ALL.iter().map(option).collect();
    let choose = on(move |event: Event| {
        if let Some(language) = Language::by_word(&event_target_value(&event)) {
            web::language::choose(language.word());
        }
    });
    view! { <select class="language-choice" aria-label=say!("language") inner_html=options on:change=choose></select> }
}
