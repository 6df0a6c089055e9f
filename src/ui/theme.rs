//! The themes a person can choose, and the one in force.

use super::reactive::{derived, effect, on};
use leptos::ev::Event;
use leptos::prelude::*;

use crate::figure::theme::Theme;
use crate::web::{preferences, screen};

/// What a person chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// As the system is set, light or dark.
    System,
    /// Ink on paper.
    Light,
    /// For dark rooms.
    Dark,
    /// Larger type and thicker lines, for the back row.
    Projector,
}

const LOOKS: [Look; 4] = [Look::System, Look::Light, Look::Dark, Look::Projector];

/// Where the choice is kept.
const PREFERENCE: &str = "fedsysid-theme";

const DARK_QUERY: &str = "(prefers-color-scheme: dark)";

impl Look {
    /// The value of `data-theme`, and of the preference.
    fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Projector => "projector",
        }
    }

    fn by_word(word: &str) -> Option<Self> {
        LOOKS.into_iter().find(|look| look.word() == word)
    }

    /// The chart's theme.
    fn theme(self, system_is_dark: bool) -> Theme {
        match self {
            Self::System if system_is_dark => Theme::DARK,
            Self::System | Self::Light => Theme::LIGHT,
            Self::Dark => Theme::DARK,
            Self::Projector => Theme::PROJECTOR,
        }
    }
}

/// The chosen look as it was left last time, and the theme that follows from it and from the system.
pub fn remembered() -> (RwSignal<Look>, Signal<Theme>) {
    let word = preferences::read(PREFERENCE);
    let look = RwSignal::new(word.and_then(|word| Look::by_word(&word)).unwrap_or(Look::System));
    let is_dark = RwSignal::new(screen::matches(DARK_QUERY));
    let watch = screen::on_media_change(DARK_QUERY, move |matches| is_dark.set(matches));
    StoredValue::new_local(watch);
    (look, derived(move || look.get().theme(is_dark.get())))
}

/// The choice of a theme.
#[component]
pub fn ThemeChoice(
    /// The choice.
    look: RwSignal<Look>,
) -> impl IntoView {
    effect(move |_| {
        let word = look.get().word();
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute("data-theme", word);
        }
        preferences::write(PREFERENCE, word);
    });
    let option = |choice: Look| {
        let (word, selected) = (choice.word(), if choice == look.get_untracked() { " selected" } else { "" });
        format!("<option value={word}{selected}>{word}</option>")
    };
    // Nothing else sets the look, so that the options stay as they are.
    let options = LOOKS.map(option).concat();
    let choose = on(move |event: Event| look.set(Look::by_word(&event_target_value(&event)).unwrap_or(Look::System)));
    view! {
        <label class="theme-choice">
            <span>"theme"</span>
            <select inner_html=options on:change=choose></select>
        </label>
    }
}
