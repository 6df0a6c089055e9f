//! Named settings, one press each.

use fedsysid_say::say;
use leptos::prelude::*;

use super::super::reactive::{live, memo, on};
use super::Settings;
use crate::params::Preset;
use crate::params::preset::PRESETS;

/// The presets as a row of buttons, with the description of the one in use beneath.
#[component]
pub fn Presets(
    /// The settings to read and write.
    settings: Settings,
) -> impl IntoView {
    let current = move || Preset::of(&settings.draft.read()).map(|preset| preset.id);
    let description = memo(move || {
        let in_use = PRESETS.iter().find(|preset| current() == Some(preset.id));
        in_use.map_or(say!("Settings of your own."), |preset| preset.description()).to_owned()
    });
    let button = move |preset: &'static Preset| {
        view! {
            <button
                type="button"
                class="preset"
                title=preset.description()
                aria-pressed=live(move || (current() == Some(preset.id)).to_string())
                on:click=on(move |_| apply(settings, preset))
            >
                {preset.name()}
            </button>
        }
    };
    view! {
        <section class="presets" aria-label=say!("Presets")>
            <div class="preset-row">{PRESETS.iter().map(button).collect_view()}</div>
            <p class="preset-text">{description}</p>
        </section>
    }
}

/// Applies a preset. Notices on earlier values no longer matter.
fn apply(settings: Settings, preset: &Preset) {
    let draft = preset.applied_to(&settings.draft.read_untracked());
    settings.draft.set(draft);
    settings.notices.set(Vec::new());
}
