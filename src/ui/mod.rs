//! The page, in Leptos. It reads and writes signals, and formats; other modules do the computations.

mod aloud;
mod canvas;
mod changes;
pub mod chart;
pub mod controls;
pub mod data;
mod embed;
mod embedding;
pub mod explore;
mod filling;
mod focus;
mod gesture;
pub mod language;
mod lesson;
pub mod map;
pub mod notice;
pub mod paper;
mod parts;
mod pins;
mod reactive;
pub mod round;
mod save;
mod selection;
mod share;
pub mod shell;
pub mod store;
mod surface;
pub mod sweep;
pub mod systems;
pub mod theme;
pub mod theory;
pub mod tradeoff;

use fedsysid_say::say;
use leptos::html::Main;
use leptos::prelude::*;
use reactive::{derived, effect, live, memo, on, when};
use wasm_bindgen::JsCast;

use crate::dashboard::run::captions;
use crate::figure::theme::Theme;
use crate::params::{View, Word};
use controls::Known;
use controls::panel::Panel;
use explore::Explore;
use language::LanguageChoice;
use map::MapView;
use notice::Notices;
use paper::PaperView;
use store::Store;
use systems::SystemsView;
use theme::ThemeChoice;
use theory::Theory;
use tradeoff::TradeOffView;

/// Mounts the page into `#app`.
pub fn mount() {
    let root = document().get_element_by_id("app").and_then(|element| element.dyn_into().ok());
    if let Some(root) = root {
        leptos::mount::mount_to(root, App).forget();
    }
}

/// The whole page.
#[component]
fn App() -> impl IntoView {
    let store = Store::open();
    let (is_embedded, asked) = store.settings.embed.with_value(|embed| (embed.is_on, embed.look));
    let (look, theme) = theme::remembered(asked);
    let page = NodeRef::<Main>::new();
    effect(move |_| {
        if let Some(page) = page.get() {
            store.follow_sight(&page);
            store.converse(&page);
        }
    });
    let measured = derived(move || store.dashboard.read().run().map(captions::heterogeneity).unwrap_or_default());
    let known = Known { measured, landmarks: tradeoff::landmarks(store) };
    let view = store.view();
    let own = data::OwnData::empty();
    // The Paper view has fixed settings; people's data and the list of lessons have none.
    let is_alone = move || matches!(view.get(), View::Paper | View::Data | View::Lesson);
    let has_theory = memo(move || {
        let has_none = matches!(view.get(), View::Paper | View::Systems | View::Data | View::Lesson);
        !is_embedded && !has_none && store.veil.get().is_none()
    });
    store.replace_foreign_shell();
    let head = if is_embedded {
        embed::mark(store);
        store.follow_touch();
        embed::head(store)
    } else {
        let head = view! {
            <header class="top-bar">
                <h1>"FedSysID live"</h1>
                {tabs(store)}
                {share::share(store)}
                <ThemeChoice look />
            </header>
        };
        head.into_any()
    };
    let part = move |part: fn(Store) -> AnyView| if is_embedded { ().into_any() } else { part(store) };
    view! {
        {head}
        <main
            class="page"
            node_ref=page
            data-settled=live(move || (store.is_settled() && own.is_settled()).to_string())
            data-view=live(move || view.get().word().to_owned())
            data-lesson=live(move || lesson::word(store))
            data-veiled=live(move || store.veil.get().map(|_| ""))
        >
            <Notices store />
            {is_embedded.then(|| embed::cover(store))}
            {live(move || shown(view.get(), store, own, theme))}
            <aside class="controls" aria-label=say!("Settings") hidden=live(is_alone)>
                {lesson::panel(store)}
                {part(changes::changes)}
                <Panel settings=store.settings known on_name=move |key| store.sweep(key) />
                {part(pins::pins)}
            </aside>
            {when(move || has_theory.get(), move || view! { <Theory store theme /> }.into_any())}
            {is_embedded.then(|| embed::foot(store))}
            {aloud::summary(store, own)}
        </main>
        {(!is_embedded).then(|| view! { <footer class="foot"><LanguageChoice own /></footer> })}
    }
}

/// The chosen view.
fn shown(view: View, store: Store, own: data::OwnData, theme: Signal<Theme>) -> AnyView {
    match view {
        View::Data => view! { <data::DataView store own /> }.into_any(),
        View::Explore => view! { <Explore store theme /> }.into_any(),
        View::Lesson => lesson::lessons(store, theme),
        View::Map => view! { <MapView store theme /> }.into_any(),
        View::Paper => view! { <PaperView store theme /> }.into_any(),
        View::Systems => view! { <SystemsView store /> }.into_any(),
        View::TradeOff => view! { <TradeOffView store theme /> }.into_any(),
    }
}

/// The tabs that choose the view.
fn tabs(store: Store) -> AnyView {
    let view = store.view();
    let tab = move |(tab, word, _): &'static (View, &'static str, &'static str)| {
        view! {
            <button
                type="button"
                class="tab"
                data-view=*word
                aria-current=live(move || (view.get() == *tab).then(|| "page".to_owned()))
                on:click=on(move |_| store.views.update(|views| views.view = *tab))
            >
                {tab.name()}
            </button>
        }
    };
    view! { <nav class="tabs" aria-label=say!("Views")>{View::ALL.iter().map(tab).collect_view()}</nav> }.into_any()
}
