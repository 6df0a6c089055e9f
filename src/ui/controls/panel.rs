//! The panel of controls, built from the table.

use super::super::reactive::{live, memo};
use fedsysid_say::say;
use leptos::prelude::*;

use super::choice::{AlgorithmBoxes, Segments};
use super::presets::Presets;
use super::slider::Slider;
use super::{Known, Settings};
use crate::params::choice::CHOICES;
use crate::params::table::Group;
use crate::params::{Draft, Key, Param};

/// All controls: presets, algorithms, the main sliders, and the rest folded away.
#[component]
pub fn Panel(
    /// The settings to read and write.
    settings: Settings,
    /// Computed facts about their values.
    known: Known,
    /// Called when a parameter's name is pressed.
    #[prop(into)]
    on_name: Callback<Key>,
) -> impl IntoView {
    view! {
        <div class="panel">
            <Presets settings />
            <AlgorithmBoxes settings />
            <Sliders settings group=Group::Main known on_name />
            <More settings known on_name />
        </div>
    }
}

/// The sliders of one group.
#[component]
pub fn Sliders(
    /// The settings to read and write.
    settings: Settings,
    /// The group.
    group: Group,
    /// Computed facts about their values.
    known: Known,
    /// Called when a name is pressed.
    on_name: Callback<Key>,
) -> impl IntoView {
    let slider = move |param: &'static Param| {
        view! { <Slider settings key=param.key known on_name /> }
    };
    view! { <div class="sliders">{Param::of_group(group).map(slider).collect_view()}</div> }
}

/// The remaining settings of an experiment; open from the start if a link has changed any of them.
#[component]
fn More(
    /// The settings to read and write.
    settings: Settings,
    /// Computed facts about their values.
    known: Known,
    /// Called when a name is pressed.
    on_name: Callback<Key>,
) -> impl IntoView {
    // In a frame the author has chosen the controls: nothing is folded away.
    let is_embedded = settings.embed.with_value(|embed| embed.is_on);
    let n_changed = memo(move || n_changed(&settings.draft.read()));
    let is_open = is_embedded || n_changed.get_untracked() != 0;
    let summary = memo(move || match n_changed.get() {
        0 => String::new(),
        n => say!("{n} changed"),
    });
    view! {
        <details class="more" open=live(move || is_open || settings.guided.get().is_some())>
            <summary>
                <span>{say!("More settings")}</span>
                <span class="changed">{summary}</span>
            </summary>
            {CHOICES.iter().map(|spec| view! { <Segments settings choice=spec.choice /> }).collect_view()}
            <Sliders settings group=Group::More known on_name />
        </details>
    }
}

/// How many of the folded settings differ from their defaults.
fn n_changed(draft: &Draft) -> usize {
    let numbers = Param::of_group(Group::More).filter(|param| !draft.is_default(param.key)).count();
    numbers + CHOICES.iter().filter(|spec| draft.choice(spec.choice) != 0).count()
}
