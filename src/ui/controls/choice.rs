//! Choices among words: radio buttons side by side, and check boxes for the algorithms.

use leptos::prelude::*;

use super::help::{HelpButton, HelpText};
use super::{Settings, control_id};
use crate::params::choice::{ALGORITHMS, Choice, Opt};
use crate::params::{Draft, Notice};
use crate::sim::method::Solver;

/// One of several options, as radio buttons that look like one segmented strip.
#[component]
pub fn Segments<T>(
    /// What it reads and writes.
    settings: Settings,
    /// The options.
    choice: &'static Choice<T>,
    /// The value in a draft.
    get: fn(&Draft) -> T,
    /// Sets it from an option's word.
    set: fn(&mut Draft, &str) -> Option<Notice>,
) -> impl IntoView
where
    T: Copy + PartialEq + Send + Sync + 'static,
{
    let current = Memo::new(move |_| get(&settings.draft.read()));
    let help_id = format!("help-{}", choice.link);
    let help_open = RwSignal::new(false);
    let of_current = move || choice.option(current.get()).map(|option| option.help);
    let radio = move |option: &'static Opt<T>| {
        view! {
            <label class="segment">
                <input
                    type="radio"
                    name=choice.link
                    value=option.word
                    prop:checked=move || current.get() == option.value
                    on:change=move |_| settings.change(choice.link, |draft| set(draft, option.word))
                />
                <span>{option.label}</span>
            </label>
        }
    };
    view! {
        <fieldset class="choice" id=control_id(choice.link) tabindex="-1" data-param=choice.link>
            <legend>
                <span class="name">{choice.name}</span>
            </legend>
            <HelpButton about=choice.name text_id=help_id.clone() open=help_open />
            <div class="segments">{choice.options.iter().map(radio).collect_view()}</div>
            <HelpText id=help_id open=help_open>{of_current} " " {choice.help}</HelpText>
        </fieldset>
    }
}

/// Which algorithms run: a check box each, with the stroke that its curve has in the chart.
#[component]
pub fn AlgorithmBoxes(
    /// What it reads and writes.
    settings: Settings,
) -> impl IntoView {
    let help_id = format!("help-{}", ALGORITHMS.link);
    let help_open = RwSignal::new(false);
    let texts = ALGORITHMS.options.iter().map(|option| {
        view! {
            <span class="help-option">
                <b>{option.label}</b>
                " "
                {option.help}
            </span>
        }
    });
    view! {
        <fieldset class="choice algorithms" id=control_id(ALGORITHMS.link) tabindex="-1" data-param=ALGORITHMS.link>
            <legend class="visually-hidden">{ALGORITHMS.name}</legend>
            {ALGORITHMS.options.iter().map(|option| view! { <AlgorithmBox settings option /> }).collect_view()}
            <HelpButton about=ALGORITHMS.name text_id=help_id.clone() open=help_open />
            <HelpText id=help_id open=help_open>{texts.collect_view()}</HelpText>
        </fieldset>
    }
}

/// One algorithm's check box.
#[component]
fn AlgorithmBox(
    /// What it reads and writes.
    settings: Settings,
    /// The algorithm.
    option: &'static Opt<Solver>,
) -> impl IntoView {
    let runs = Memo::new(move |_| settings.draft.read().algorithms.contains(option.value));
    let toggle = move |runs: bool| {
        settings.change(ALGORITHMS.link, |draft| {
            draft.algorithms = draft.algorithms.with(option.value, runs);
            None
        });
    };
    view! {
        <label class="algorithm" data-role=option.word>
            <input type="checkbox" prop:checked=runs on:change:target=move |ev| toggle(ev.target().checked()) />
            <Stroke solver=option.value />
            <span>{option.label}</span>
        </label>
    }
}

/// A piece of the algorithm's curve with its marker, as in the chart.
#[component]
fn Stroke(
    /// The algorithm.
    solver: Solver,
) -> impl IntoView {
    let marker = match solver {
        Solver::FedLin => view! { <circle cx="14" cy="8" r="4" /> }.into_any(),
        Solver::FedAvg => view! { <path class="open" d="M14 3.2 18.8 8 14 12.8 9.2 8Z" /> }.into_any(),
    };
    view! {
        <svg class="stroke" viewBox="0 0 28 16" width="28" height="16" aria-hidden="true">
            <path d="M0 8H28" />
            {marker}
        </svg>
    }
}
