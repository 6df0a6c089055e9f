//! Notices: what was asked for and could not be used, until they are dismissed.

use leptos::html::Section;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::controls::control_id;
use crate::params::Notice;

/// The most notices shown at once; a garbled link may have thousands.
const SHOWN: usize = 4;

/// The list of notices. Each one can be dismissed, and leads to its control where there is one. The list stays mounted
/// and is a polite live region, so that new notices are read out without taking the focus.
#[component]
pub fn Notices(
    /// The notices, newest last.
    notices: RwSignal<Vec<Notice>>,
) -> impl IntoView {
    let region = NodeRef::<Section>::new();
    let dismiss = move |index: usize| {
        notices.update(|notices| drop(notices.drain(index..=index)));
        // The pressed button is gone: keep the focus near, where Tab goes on.
        if let Some(region) = region.get_untracked() {
            let _ = region.focus();
        }
    };
    let shown = move || notices.read().iter().take(SHOWN).cloned().enumerate().collect::<Vec<_>>();
    let are_several = move || notices.read().len() > 1;
    let n_more = move || notices.read().len().saturating_sub(SHOWN);
    view! {
        <section class="notices" aria-label="Notices" aria-live="polite" tabindex="-1" node_ref=region>
            {move || {
                let item = |(index, notice)| view! { <Item notice dismiss=move || dismiss(index) /> };
                shown().into_iter().map(item).collect_view()
            }}
            {move || {
                are_several()
                    .then(|| {
                        view! {
                            <p class="notice-foot">
                                {(n_more() > 0).then(|| format!("and {} more", n_more()))}
                                <button type="button" on:click=move |_| notices.set(Vec::new())>
                                    "Dismiss all"
                                </button>
                            </p>
                        }
                    })
            }}
        </section>
    }
}

/// One notice.
#[component]
fn Item(
    /// The notice.
    notice: Notice,
    /// Takes it off the list.
    dismiss: impl Fn() + 'static,
) -> impl IntoView {
    let sentence = notice.to_string();
    let control = notice.fix().map(|_| control_id(&notice.key));
    view! {
        <div class="notice">
            <p>{sentence.clone()} "."</p>
            {control.map(|id| view! { <button type="button" on:click=move |_| focus(&id)>"Show"</button> })}
            <button type="button" class="dismiss" aria-label=format!("Dismiss: {sentence}") on:click=move |_| dismiss()>
                "×"
            </button>
        </div>
    }
}

/// Brings a control into sight, unfolding what it is folded into, and gives it the focus.
fn focus(id: &str) {
    let element = document().get_element_by_id(id);
    if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        if let Ok(Some(fold)) = element.closest("details") {
            let _ = fold.set_attribute("open", "");
        }
        let _ = element.focus();
    }
}
