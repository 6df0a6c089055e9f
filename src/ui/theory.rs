//! Theory of the run on screen: stability, causes of the error, gains of the clients, and the paper's bound.
//!
//! Read-only parts are [`markup`]; this module has the interactive parts.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::parts::dots;
use super::reactive::{live, memo, on, when};
use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::html::Ul;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::chart::Chart;
use super::controls::help::{HelpButton, HelpText};
use super::lesson;
use super::round::SlowRound;
use super::save::save;
use super::store::Store;
use crate::dashboard::outgoing::export::Export;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::results::Run;
use crate::dashboard::run::anatomy::{anatomies, index_of};
use crate::dashboard::run::badge;
use crate::dashboard::run::bound;
use crate::dashboard::run::join::{self, Join, joins};
use crate::dashboard::run::markup;
use crate::dashboard::run::outlook::outlook;
use crate::dashboard::words::glossary::{ANATOMY, BOUND, Entry, JOIN, STABILITY};
use crate::dashboard::words::html;
use crate::dashboard::words::names::{method_name, solver_role};
use crate::figure::Role;
use crate::figure::theme::Theme;
use crate::params::Key;
use crate::params::choice::Algorithms;

/// A text about the run on screen; empty while it would reveal what is to be guessed.
pub(super) fn said_of_run(store: Store, say: impl Fn(&Run) -> String + Send + Sync + 'static) -> Memo<String> {
    memo(move || lesson::unless_veiled(store, || store.dashboard.read().run().map(&say).unwrap_or_default()))
}

/// [`said_of_run`] in a card; empty until the card's turn.
fn said_in_turn(
    store: Store,
    its_turn: Memo<bool>,
    say: impl Fn(&Run) -> String + Send + Sync + 'static,
) -> Memo<String> {
    said_of_run(store, move |run| if its_turn.get() { say(run) } else { String::new() })
}

/// Turns of the cards, the topmost first: the number of cards that are filled after it.
const N_CARDS: u8 = 4;
const ANATOMY_TURN: u8 = 3;
const JOIN_TURN: u8 = 2;
const BOUND_TURN: u8 = 1;
const OUTLOOK_TURN: u8 = 0;

/// The contraction of every method, with a button that sets the suggested step size.
pub(super) fn badges(store: Store) -> AnyView {
    let is_locked = store.settings.locks(Key::StepSize.param().link);
    let html = said_of_run(store, move |run| {
        let mut badges = badge::badges(run);
        for badge in badges.iter_mut().filter(|_| is_locked) {
            badge.suggestion = None;
        }
        markup::badges(&badges)
    });
    let list = NodeRef::<Ul>::new();
    let set = on(move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(step) = target.and_then(|target| target.get_attribute("data-step")) {
            store.settings.set_text(Key::StepSize, &step);
            // The next run makes the badges anew.
            drop(list.get_untracked().map(|list| list.focus()));
        }
    });
    view! { <ul class="badges" data-testid="badges" tabindex="-1" node_ref=list on:click=set inner_html=html></ul> }
        .into_any()
}

/// The cards beneath the chart.
#[component]
pub fn Theory(
    /// The page's signals.
    store: Store,
    /// The theme.
    theme: Signal<Theme>,
) -> impl IntoView {
    store.fill_one_by_one(N_CARDS);
    let which = RwSignal::new(None);
    // Without an algorithm there is nothing to say about methods.
    let is_any = memo(move || store.settings.draft.read().algorithms != Algorithms::NONE);
    let of_methods = move |cards: fn(Store, RwSignal<Option<Role>>) -> AnyView| {
        when(move || is_any.get(), move || cards(store, which))
    };
    view! {
        <section class="theory" aria-label=say!("Theory")>
            {of_methods(error_cards)}
            {card(say!("What the paper proves"), BOUND, bound_card(store, theme, which))}
            {of_methods(round_cards)}
        </section>
    }
}

/// The cards on the causes of a method's error, and on the clients that gain.
fn error_cards(store: Store, which: RwSignal<Option<Role>>) -> AnyView {
    view! {
        {card(say!("What is left, and why"), ANATOMY, anatomy_card(store, which))}
        {card(say!("Should I join?"), JOIN, join_card(store, which))}
    }
    .into_any()
}

/// The cards on rounds and step sizes.
fn round_cards(store: Store, _: RwSignal<Option<Role>>) -> AnyView {
    view! {
        {card(say!("How fast, how large the steps"), STABILITY, outlook_card(store))}
        <SlowRound store />
    }
    .into_any()
}

/// A card: heading, a "?" that opens the glossary of its quantities, and content.
fn card(title: &'static str, entries: &'static [Entry], content: AnyView) -> AnyView {
    let open = RwSignal::new(false);
    let text_id = format!("terms-{}", entries.first().map_or("", |entry| entry.name).replace(' ', "-"));
    view! {
        <div class="card">
            <div class="card-head">
                <h2>{title}</h2>
                <HelpButton about=title text_id=text_id.clone() open />
            </div>
            <HelpText id=text_id open>
                <span inner_html=markup::entries(entries)></span>
            </HelpText>
            {content}
        </div>
    }
    .into_any()
}

/// A paragraph with a text.
fn words(text: Memo<String>, testid: &'static str) -> AnyView {
    view! { <p data-testid=testid>{text}</p> }.into_any()
}

/// The four causes along the rounds, and their shares after the last round.
fn anatomy_card(store: Store, which: RwSignal<Option<Role>>) -> AnyView {
    let its_turn = store.turn_of_card(ANATOMY_TURN);
    let names = said_in_turn(store, its_turn, move |run| {
        let names: Vec<_> = run.summary.methods.iter().map(|summary| method_name(summary.method)).collect();
        html::options(&names, index_of(run, which.get()))
    });
    let html = said_in_turn(store, its_turn, move |run| {
        let anatomy = index_of(run, which.get()).and_then(|index| anatomies(run).into_iter().nth(index));
        anatomy.map(|anatomy| markup::anatomy(&anatomy)).unwrap_or_default()
    });
    let choose = on(move |event: Event| {
        let (name, dashboard) = (event_target_value(&event), store.dashboard.read());
        let mut methods = dashboard.run().into_iter().flat_map(|run| &run.summary.methods);
        let chosen = methods.find(|summary| method_name(summary.method) == name);
        which.set(chosen.map(|summary| solver_role(summary.method.solver)));
    });
    view! {
        <select class="methods" aria-label=say!("Method") on:change=choose inner_html=names></select>
        <div class="anatomy" data-testid="anatomy" inner_html=html></div>
        {card_foot(store, "save-anatomy", which, |page, run, method| page.anatomy(run, method))}
    }
    .into_any()
}

/// The card on gains: one dot per client.
fn join_card(store: Store, which: RwSignal<Option<Role>>) -> AnyView {
    let at = RwSignal::new(None::<usize>);
    let its_turn = store.turn_of_card(JOIN_TURN);
    let shown = memo(move || {
        let dashboard = store.dashboard.read();
        let run = dashboard.run().filter(|_| its_turn.get())?;
        index_of(run, which.get()).and_then(|index| joins(run).into_iter().find(|join| join.method == index))
    });
    let of_shown = move |say: fn(&Join) -> String| memo(move || shown.read().as_ref().map(say).unwrap_or_default());
    let summary = of_shown(|join| join.words.clone());
    let reading = said_of_run(store, move |run| match (&*shown.read(), at.get()) {
        (Some(join), Some(client)) => join::reading(run, join, client),
        _ => String::new(),
    });
    // Pressing a client's dot shows that client's error in the chart.
    let choose = move |client| store.settings.change(Key::Client.param().link, |draft| draft.show_client(client));
    view! {
        {words(summary, "join-words")}
        {dots("join", shown, at, summary, reading, Some(Box::new(choose)))}
        {words(said_in_turn(store, its_turn, bound::break_even), "break-even")}
        {card_foot(store, "save-join", which, |page, run, method| page.join(run, method))}
    }
    .into_any()
}

/// The card on the paper's bound, with slope and errors.
fn bound_card(store: Store, theme: Signal<Theme>, which: RwSignal<Option<Role>>) -> AnyView {
    let at = RwSignal::new(None::<f64>);
    let its_turn = store.turn_of_card(BOUND_TURN);
    let hypothesis = move |run: &Run| run.theory.as_ref().and_then(|theory| bound::hypothesis(theory));
    let badge = said_in_turn(store, its_turn, move |run| hypothesis(run).map(|(_, words)| words).unwrap_or_default());
    let holds = said_in_turn(store, its_turn, move |run| {
        hypothesis(run).map(|(holds, _)| holds.to_string()).unwrap_or_default()
    });
    let figure = move || {
        let dashboard = store.dashboard.read();
        dashboard.run().filter(|_| its_turn.get()).and_then(bound::figure)
    };
    let text = said_in_turn(store, its_turn, bound::words);
    let reading = said_of_run(store, move |run| at.get().map(|at| bound::reading(run, at)).unwrap_or_default());
    view! {
        <p class="hypothesis" data-testid="hypothesis" data-holds=live(move || holds.get())>{badge}</p>
        {words(text, "bound-words")}
        <div class="bound">
            <Chart figure=Box::new(figure) theme at label=text.into() over="no-cover" along="clients">""</Chart>
        </div>
        <p class="reading-line">{reading}</p>
        {card_foot(store, "save-bound", which, |page, run, _| page.bound(run))}
    }
    .into_any()
}

/// Makes the export of a method's chart.
type OfMethod = fn(Page<'_>, &Run, usize) -> Option<Export>;

/// The save buttons beneath a card's picture.
fn card_foot(store: Store, id: &'static str, which: RwSignal<Option<Role>>, export: OfMethod) -> AnyView {
    save(store, id, false, move |page| {
        let dashboard = store.dashboard.read();
        let run = dashboard.run()?;
        export(page, run, index_of(run, which.get())?)
    })
}

/// The card on the methods' speed and the limits of the predictions.
fn outlook_card(store: Store) -> AnyView {
    words(said_in_turn(store, store.turn_of_card(OUTLOOK_TURN), outlook), "outlook")
}
