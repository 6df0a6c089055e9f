//! Choices among words: radio buttons side by side, and check boxes for the algorithms.

use fedsysid_say::say;
use leptos::ev::Event;
use leptos::prelude::*;

use super::super::reactive::{live, memo, on};
use super::fixed::Fixed;
use super::help::{HelpButton, HelpText};
use super::{Settings, control_id};
use crate::figure::Role;
use crate::params::Choice;
use crate::params::choice::{ALGORITHMS_LINK, Algorithm, Opt};

/// One of several options, as radio buttons in a segmented strip.
#[component]
pub fn Segments(
    /// The settings to read and write.
    settings: Settings,
    /// The choice.
    choice: Choice,
) -> impl IntoView {
    let spec = choice.spec();
    let current = memo(move || settings.draft.read().choice(choice));
    let help_id = format!("help-{}", spec.link);
    let help_open = RwSignal::new(false);
    let help = memo(move || format!("{} {}", spec.options[current.get()].help(), spec.help()));
    let radio = move |(index, option): (usize, &'static Opt)| {
        view! {
            <label class="segment">
                <input
                    type="radio"
                    name=spec.link
                    value=option.word
                    prop:checked=live(move || current.get() == index)
                    on:change=on(move |_| settings.change(spec.link, |draft| draft.choose(choice, option.word)))
                />
                <span>{option.label()}</span>
            </label>
        }
    };
    let said = move || {
        let words = move || format!("{} {}", spec.name(), spec.options[current.get()].label());
        view! { <Fixed hidden=Box::new(move || !settings.shows(spec.link)) words=Box::new(words) /> }
    };
    view! {
        {settings.locks(spec.link).then(said)}
        <fieldset
            class="choice"
            id=control_id(spec.link)
            tabindex="-1"
            data-param=spec.link
            hidden=live(move || !settings.shows(spec.link))
            inert=settings.locks(spec.link)
        >
            <legend>
                <span class="name">{spec.name()}</span>
            </legend>
            <HelpButton about=spec.name() text_id=help_id.clone() open=help_open />
            <div class="segments">{spec.options.iter().enumerate().map(radio).collect_view()}</div>
            <HelpText id=help_id open=help_open>{help}</HelpText>
        </fieldset>
    }
}

/// Which algorithms run: one check box each, with the stroke of its curve in the chart.
#[component]
pub fn AlgorithmBoxes(
    /// The settings to read and write.
    settings: Settings,
) -> impl IntoView {
    let help_id = format!("help-{ALGORITHMS_LINK}");
    let help_open = RwSignal::new(false);
    let texts = Algorithm::ALL.into_iter().map(Algorithm::option).map(|option| {
        view! {
            <span class="help-option">
                <b>{option.label()}</b>
                " "
                {option.help()}
            </span>
        }
    });
    let said = move || {
        let words = move || {
            let algorithms = settings.draft.read().algorithms;
            let labels: Vec<_> = algorithms.iter().map(|algorithm| algorithm.option().label()).collect();
            format!("{} {}", say!("algorithms"), labels.join(", "))
        };
        view! { <Fixed hidden=Box::new(move || !settings.shows(ALGORITHMS_LINK)) words=Box::new(words) /> }
    };
    view! {
        {settings.locks(ALGORITHMS_LINK).then(said)}
        <fieldset
            class="choice algorithms"
            id=control_id(ALGORITHMS_LINK)
            tabindex="-1"
            data-param=ALGORITHMS_LINK
            hidden=live(move || !settings.shows(ALGORITHMS_LINK))
            inert=settings.locks(ALGORITHMS_LINK)
        >
            <legend class="visually-hidden">{say!("algorithms")}</legend>
            {Algorithm::ALL.map(|algorithm| view! { <AlgorithmBox settings algorithm /> }).collect_view()}
            <HelpButton about=say!("algorithms") text_id=help_id.clone() open=help_open />
            <HelpText id=help_id open=help_open>{texts.collect_view()}</HelpText>
        </fieldset>
    }
}

/// One algorithm's check box.
#[component]
fn AlgorithmBox(
    /// The settings to read and write.
    settings: Settings,
    /// The algorithm.
    algorithm: Algorithm,
) -> impl IntoView {
    let option = algorithm.option();
    let runs = memo(move || settings.draft.read().algorithms.contains(algorithm));
    let toggle = on(move |event: Event| {
        settings.change(ALGORITHMS_LINK, |draft| {
            draft.algorithms = draft.algorithms.with(algorithm, event_target_checked(&event));
            None
        });
    });
    view! {
        <label class="algorithm" data-role=option.word>
            <input type="checkbox" prop:checked=live(move || runs.get()) on:change=toggle />
            <Stroke algorithm />
            <span>{option.label()}</span>
        </label>
    }
}

/// A piece of the algorithm's curve with its marker, as in the chart.
#[component]
fn Stroke(
    /// The algorithm.
    algorithm: Algorithm,
) -> impl IntoView {
    let marker = role(algorithm).marker();
    view! {
        <svg class="stroke" viewBox="0 0 28 16" width="28" height="16" aria-hidden="true">
            <path d="M0 8H28" />
            <path class=if marker.is_open() { "open" } else { "solid" } transform="translate(6)" d=marker.path() />
        </svg>
    }
}

/// The role of an algorithm's curve.
fn role(algorithm: Algorithm) -> Role {
    match algorithm {
        Algorithm::FedLin => Role::FedLin,
        Algorithm::FedAvg => Role::FedAvg,
        Algorithm::FedProx => Role::FedProx,
        Algorithm::Scaffold => Role::Scaffold,
        Algorithm::FedAdmm => Role::FedAdmm,
        Algorithm::Clustered => Role::Clustered,
        Algorithm::Median => Role::Median,
    }
}
