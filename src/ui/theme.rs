//! The choice of the theme, and the theme in use.

use super::reactive::{derived, effect, on};
use fedsysid_say::say;
use leptos::ev::Event;
use leptos::prelude::*;

use crate::dashboard::words::html::word_options;
use crate::figure::theme::{Levels, Theme, is_dark as is_dark_paper};
use crate::params::Word;
use crate::params::embed::Look;
use crate::web::{preferences, screen};

/// Key of the stored choice.
const PREFERENCE: &str = "fedsysid-theme";

const DARK_QUERY: &str = "(prefers-color-scheme: dark)";
const FORCED_QUERY: &str = "(forced-colors: active)";

/// The chart's theme for a look.
fn theme(look: Look, system_is_dark: bool) -> Theme {
    match look {
        Look::System if system_is_dark => Theme::DARK,
        Look::System | Look::Light => Theme::LIGHT,
        Look::Dark => Theme::DARK,
        Look::Projector => Theme::PROJECTOR,
    }
}

/// The look that the link asks for, or else the last chosen one; and the theme that follows from the look and the
/// system.
pub fn remembered(asked: Option<Look>) -> (RwSignal<Look>, Signal<Theme>) {
    let last = || Look::by_word(&preferences::read(PREFERENCE)?);
    let look = RwSignal::new(asked.or_else(last).unwrap_or_default());
    let is_dark = RwSignal::new(screen::matches(DARK_QUERY));
    let forced = RwSignal::new(forced());
    let watches = [
        screen::on_media_change(DARK_QUERY, move |matches| {
            is_dark.set(matches);
            // The system's new palette may be a forced one too.
            forced.set(self::forced());
        }),
        screen::on_media_change(FORCED_QUERY, move |_| forced.set(self::forced())),
    ];
    StoredValue::new_local(watches);
    effect(move |_| {
        if let Some(root) = document().document_element() {
            // Colors that the system does not force must stand out from its paper.
            let by_paper = |(paper, _)| if is_dark_paper(paper) { Look::Dark } else { Look::Light };
            let _ = root.set_attribute("data-theme", forced.get().map_or(look.get(), by_paper).word());
        }
    });
    let theme = move || {
        let theme = theme(look.get(), is_dark.get());
        forced.get().map_or(theme, |(paper, ink)| theme.forced(paper, ink))
    };
    (look, derived(theme))
}

/// Paper and ink colors that the system forces on all pages; `None` if it forces none.
fn forced() -> Option<(Levels, Levels)> {
    let [paper, ink] = screen::paper_and_ink().filter(|_| screen::matches(FORCED_QUERY))?;
    Some((paper, ink))
}

/// The choice of a theme.
#[component]
pub fn ThemeChoice(
    /// The choice.
    look: RwSignal<Look>,
) -> impl IntoView {
    // Nothing else changes the look, so the options need no update.
    let options = word_options(Some(look.get_untracked()));
    let choose = on(move |event: Event| {
        let chosen = Look::by_word(&event_target_value(&event)).unwrap_or_default();
        look.set(chosen);
        preferences::write(PREFERENCE, chosen.word());
    });
    view! {
        <label class="theme-choice">
            <span>{say!("theme")}</span>
            <select inner_html=options on:change=choose></select>
        </label>
    }
}
