//! Announcements for screen readers: politely, once nothing has changed for a while, and never the same text twice.
//!
//! Numbers change sixty times a second under a moving slider; a live region that followed them would never finish.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::data::OwnData;
use super::reactive::{effect, live};
use super::store::Store;
use crate::figure::aloud::spoken;
use crate::web::listener::Timeout;

/// Time without changes before an announcement, in milliseconds.
const REST_MS: i32 = 500;

/// The sentences of a view that describe its picture.
const SENTENCES: &str = "#app [data-said]";

/// Announces a text once it has not changed for a while.
pub(super) fn aloud(text: Signal<String>) -> AnyView {
    let said = RwSignal::new(String::new());
    let timer = StoredValue::new_local(None);
    effect(move |_| {
        let text = spoken(&text.get());
        timer.set_value(Timeout::new(REST_MS, move || {
            if *said.read_untracked() != text {
                said.set(text);
            }
        }));
    });
    view! { <p class="visually-hidden" aria-live="polite">{said}</p> }.into_any()
}

/// Announces a summary of the view after a change. The page's first content is not announced: readers read it in its
/// place.
pub(super) fn summary(store: Store, own: OwnData) -> AnyView {
    let said = RwSignal::new(String::new());
    let spoken = move || spoken(&said.read());
    let last = StoredValue::new(None::<Vec<String>>);
    let is_begun = RwSignal::new(false);
    let timer = StoredValue::new_local(None);
    effect(move |_| {
        // Signals on which the sentences depend.
        store.settings.draft.track();
        store.views.track();
        store.handed_in.track();
        let is_settled = store.is_settled() && own.is_settled();
        timer.set_value(Timeout::new(REST_MS, move || {
            if is_settled {
                let now = sentences();
                let before = last.try_update_value(|last| last.replace(now.clone())).flatten();
                is_begun.set(true);
                if let Some(before) = before.filter(|before| *before != now) {
                    // Sentences that the change has not altered were read or announced before.
                    let new: Vec<_> = now.into_iter().filter(|sentence| !before.contains(sentence)).collect();
                    said.set(new.join(" "));
                }
            }
        }));
    });
    view! {
        <p
            class="visually-hidden"
            aria-live="polite"
            data-testid="summary"
            data-begun=live(move || is_begun.get().then_some(""))
            data-of=live(move || said.get())
        >
            {live(spoken)}
        </p>
    }
    .into_any()
}

/// The sentences on screen, in their order.
fn sentences() -> Vec<String> {
    let Ok(found) = document().query_selector_all(SENTENCES) else { return Vec::new() };
    let elements = (0..found.length()).filter_map(|index| found.get(index)?.dyn_into::<Element>().ok());
    let texts = elements.filter_map(|element| element.text_content()).map(|text| text.trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}
