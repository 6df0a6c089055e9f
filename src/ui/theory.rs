//! What theory says of the run on screen: how stable it is, what its error is made of, who gains, and what the paper proves.
//!
//! What is only read comes as [`markup`]; here is what a person can do with it.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::parts::dots;
use super::reactive::{live, memo, on, when};
use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::chart::Chart;
use super::controls::help::{HelpButton, HelpText};
use super::lesson;
use super::round::SlowRound;
use super::save::save;
use super::store::Store;
use crate::dashboard::anatomy::anatomies;
use crate::dashboard::badge::{self, outlook};
use crate::dashboard::export::Export;
use crate::dashboard::export::charts::Page;
use crate::dashboard::join::{self, Join, joins};
use crate::dashboard::picture::method_name;
use crate::dashboard::terms::{ANATOMY, BOUND, Entry, JOIN, STABILITY};
use crate::dashboard::{Run, bound, markup};
use crate::figure::theme::Theme;
use crate::params::Key;
use crate::params::choice::Algorithms;

/// Something said of the run on screen, once it may be told.
pub(super) fn said_of_run(store: Store, say: impl Fn(&Run) -> String + Send + Sync + 'static) -> Memo<String> {
    memo(move || lesson::unless_veiled(store, || store.dashboard.read().run().map(&say).unwrap_or_default()))
}

/// The same in a card, once it is its turn to be filled.
fn said_in_turn(
    store: Store,
    its_turn: Memo<bool>,
    say: impl Fn(&Run) -> String + Send + Sync + 'static,
) -> Memo<String> {
    said_of_run(store, move |run| if its_turn.get() { say(run) } else { String::new() })
}

/// The turns of the cards, the topmost first: so many others are filled after it.
const N_CARDS: u8 = 4;
const ANATOMY_TURN: u8 = 3;
const JOIN_TURN: u8 = 2;
const BOUND_TURN: u8 = 1;
const OUTLOOK_TURN: u8 = 0;

/// The contraction of every method, and a button to the largest step that it bears.
pub(super) fn badges(store: Store) -> AnyView {
    let html = said_of_run(store, |run| markup::badges(&badge::badges(run)));
    let set = on(move |event: MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(step) = target.and_then(|target| target.get_attribute("data-step")) {
            store.settings.set_text(Key::StepSize, &step);
        }
    });
    view! { <ul class="badges" data-testid="badges" on:click=set inner_html=html></ul> }.into_any()
}

/// The cards beneath the chart.
#[component]
pub fn Theory(
    /// The page's signals.
    store: Store,
    /// How the charts look.
    theme: Signal<Theme>,
) -> impl IntoView {
    store.fill_one_by_one(N_CARDS);
    let which = RwSignal::new(String::new());
    // Where no algorithm runs, there is nothing to say of any.
    let is_any = memo(move || store.settings.draft.read().algorithms != Algorithms::NONE);
    let of_methods =
        move |cards: fn(Store, RwSignal<String>) -> AnyView| when(move || is_any.get(), move || cards(store, which));
    view! {
        <section class="theory" aria-label=say!("Theory")>
            {of_methods(error_cards)}
            {card(say!("What the paper proves"), BOUND, bound_card(store, theme, which))}
            {of_methods(round_cards)}
        </section>
    }
}

/// What a method's error is made of, and for whom it is less than that alone.
fn error_cards(store: Store, which: RwSignal<String>) -> AnyView {
    view! {
        {card(say!("What is left, and why"), ANATOMY, anatomy_card(store, which))}
        {card(say!("Should I join?"), JOIN, join_card(store, which))}
    }
    .into_any()
}

/// What rounds and steps do.
fn round_cards(store: Store, _: RwSignal<String>) -> AnyView {
    view! {
        {card(say!("How fast, how large the steps"), STABILITY, outlook_card(store))}
        <SlowRound store />
    }
    .into_any()
}

/// A heading, with a "?" that opens what its quantities are, and what is beneath.
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

/// A paragraph with something said.
fn words(text: Memo<String>, testid: &'static str) -> AnyView {
    view! { <p data-testid=testid>{text}</p> }.into_any()
}

/// Which method the cards are about: the chosen one while it runs, else the first.
fn index_of(run: &Run, which: &str) -> Option<usize> {
    let mut names = run.summary.methods.iter().map(|summary| method_name(summary.method));
    names.position(|name| name == which).or((!run.summary.methods.is_empty()).then_some(0))
}

/// The four causes along the rounds, and at the last.
fn anatomy_card(store: Store, which: RwSignal<String>) -> AnyView {
    let its_turn = store.turn_of_card(ANATOMY_TURN);
    let names = said_in_turn(store, its_turn, move |run| {
        let names: Vec<_> = run.summary.methods.iter().map(|summary| method_name(summary.method)).collect();
        markup::options(&names, index_of(run, &which.read()))
    });
    let html = said_in_turn(store, its_turn, move |run| {
        let anatomy = index_of(run, &which.read()).and_then(|index| anatomies(run).into_iter().nth(index));
        anatomy.map(|anatomy| markup::anatomy(&anatomy)).unwrap_or_default()
    });
    let choose = on(move |event: Event| which.set(event_target_value(&event)));
    view! {
        <select class="methods" aria-label=say!("Method") on:change=choose inner_html=names></select>
        <div class="anatomy" data-testid="anatomy" inner_html=html></div>
        {card_foot(store, "save-anatomy", which, |page, run, method| page.anatomy(run, method))}
    }
    .into_any()
}

/// One dot a client.
fn join_card(store: Store, which: RwSignal<String>) -> AnyView {
    let at = RwSignal::new(None::<usize>);
    let its_turn = store.turn_of_card(JOIN_TURN);
    let shown = memo(move || {
        let dashboard = store.dashboard.read();
        let run = dashboard.run().filter(|_| its_turn.get())?;
        index_of(run, &which.read()).and_then(|index| joins(run).into_iter().find(|join| join.method == index))
    });
    let of_shown = move |say: fn(&Join) -> String| memo(move || shown.read().as_ref().map(say).unwrap_or_default());
    let summary = of_shown(|join| join.words.clone());
    let reading = said_of_run(store, move |run| match (&*shown.read(), at.get()) {
        (Some(join), Some(client)) => join::reading(run, join, client),
        _ => String::new(),
    });
    // What a client has of joining is said where the error is: of the one whose dot was pressed.
    let choose = move |client| store.settings.change(Key::Client.param().link, |draft| draft.show_client(client));
    view! {
        {words(summary, "join-words")}
        {dots("join", shown, at, summary, reading, Some(Box::new(choose)))}
        {words(said_in_turn(store, its_turn, bound::break_even), "break-even")}
        {card_foot(store, "save-join", which, |page, run, method| page.join(run, method))}
    }
    .into_any()
}

/// The bound, the slope, and the data.
fn bound_card(store: Store, theme: Signal<Theme>, which: RwSignal<String>) -> AnyView {
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

/// A chart of one method's, to be taken away.
type OfMethod = fn(Page<'_>, &Run, usize) -> Option<Export>;

/// What every card with a picture has beneath it.
fn card_foot(store: Store, id: &'static str, which: RwSignal<String>, export: OfMethod) -> AnyView {
    save(store, id, false, move |page| {
        let dashboard = store.dashboard.read();
        let run = dashboard.run()?;
        export(page, run, index_of(run, &which.read())?)
    })
}

/// How fast the methods are, and where the predictions hold.
fn outlook_card(store: Store) -> AnyView {
    words(said_in_turn(store, store.turn_of_card(OUTLOOK_TURN), outlook), "outlook")
}
