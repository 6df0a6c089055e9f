//! The page, in Leptos: it reads signals, writes signals and formats; what is computed is computed elsewhere.

pub mod chart;
pub mod controls;
pub mod explore;
pub mod notice;
pub mod paper;
pub mod shell;
pub mod store;
pub mod theme;
pub mod theory;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::dashboard::sentences;
use controls::panel::Panel;
use explore::Explore;
use notice::Notices;
use store::Store;
use theme::ThemeChoice;
use theory::Theory;

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
    let (look, theme) = theme::remembered();
    let is_settled = move || store.dashboard.read().is_settled().to_string();
    let measured =
        Signal::derive(move || store.dashboard.read().run().map(sentences::heterogeneity).unwrap_or_default());
    view! {
        <header class="top-bar">
            <h1>"FedSysID live"</h1>
            <ThemeChoice look />
        </header>
        <main class="page" data-settled=is_settled>
            <Notices notices=store.settings.notices />
            <Explore store theme />
            <aside class="controls" aria-label="Settings">
                <Panel settings=store.settings measured />
            </aside>
            <Theory store theme />
        </main>
    }
}
