//! Notices on values that could not be used, until they are dismissed.

use fedsysid_say::say;
use leptos::ev::MouseEvent;
use leptos::html::Section;
use leptos::prelude::*;

use super::focus;
use super::parts::button;
use super::reactive::{effect, live, memo, on, when};
use super::store::Store;

use super::controls::control_id;
use crate::params::{Notice, keys};

/// Maximum number of notices shown at once; a garbled link may have thousands.
const SHOWN: usize = 4;

/// The list of notices. Each can be dismissed, and leads to its control if there is one. The list stays mounted and is
/// a polite live region, so that new notices are announced without taking the focus.
#[component]
pub fn Notices(
    /// The page's signals; the newest notice is the last.
    store: Store,
) -> impl IntoView {
    let notices = store.settings.notices;
    let region = NodeRef::<Section>::new();
    // The pressed button is gone: keep the focus near it, so that Tab continues from there.
    let stay = move || drop(region.get_untracked().map(|region| region.focus()));
    // Found by its content, not by its index: other notices may have been removed meanwhile.
    let dismiss = move |dismissed: &Notice| {
        notices.update(|notices| {
            let place = notices.iter().position(|notice| notice == dismissed);
            drop(place.map(|place| notices.remove(place)));
        });
        stay();
    };
    let dismiss_all = move || {
        notices.set(Vec::new());
        stay();
    };
    let shown = move || notices.read().iter().take(SHOWN).cloned().collect::<Vec<_>>();
    let are_several = move || notices.read().len() > 1;
    let foot = move || {
        let n_more = notices.read().len().saturating_sub(SHOWN);
        let more = if n_more > 0 { say!("and {n_more} more") } else { String::new() };
        view! { <p class="notice-foot">{more} {button("", say!("Dismiss all"), dismiss_all)}</p> }.into_any()
    };
    view! {
        <section class="notices" aria-label=say!("Notices") aria-live="polite" tabindex="-1" node_ref=region>
            {live(move || shown().into_iter().map(|notice| item(store, &notice.clone(), move || dismiss(&notice))).collect_view().into_any())}
            {when(are_several, foot)}
        </section>
    }
}

/// One notice, with buttons that show its control and dismiss it.
fn item(store: Store, notice: &Notice, dismiss: impl Fn() + 'static) -> AnyView {
    let sentence = notice.to_string();
    let key = notice.fix().map(|_| notice.key.split(':').next().unwrap_or_default().to_owned());
    view! {
        <div class="notice">
            <p>{keys::whole(notice)}</p>
            {key.map(|key| show(store, key))}
            <button type="button" class="dismiss" aria-label=say!("Dismiss: {sentence}") on:click=on(move |_| dismiss())>
                "×"
            </button>
        </div>
    }
    .into_any()
}

/// A button that leads to a notice's control, in another view if the control is there. Notices on the view, the frame
/// or the language have no control, and that of an algorithm exists only while the algorithm runs. Frames and lessons
/// stay in the view that their authors chose.
fn show(store: Store, key: String) -> AnyView {
    let (id, view) = (control_id(&key), store.view());
    let other = memo(move || {
        let settings = store.settings;
        let is_free = settings.guided.get().is_none() && !settings.embed.with_value(|embed| embed.is_on);
        keys::view_of(&key, view.get(), &settings.draft.read()).filter(|other| is_free && *other != view.get())
    });
    let is_there = RwSignal::new(false);
    // Controls may be mounted after the first notices.
    let look = id.clone();
    effect(move |_| {
        view.get();
        let look = look.clone();
        request_animation_frame(move || is_there.set(can_be_shown(&look)));
    });
    let press = on(move |_: MouseEvent| {
        let id = id.clone();
        match other.get_untracked() {
            Some(view) => {
                store.views.update(|views| views.view = view);
                request_animation_frame(move || focus::unfolding(&id));
            }
            None => focus::unfolding(&id),
        }
    });
    view! {
        <button type="button" hidden=live(move || !is_there.get() && other.get().is_none()) on:click=press>{say!("Show")}</button>
    }
    .into_any()
}

fn can_be_shown(id: &str) -> bool {
    document().get_element_by_id(id).is_some_and(|element| {
        let is_folded = matches!(element.closest("details:not([open])"), Ok(Some(_)));
        let is_hidden = matches!(element.closest("[hidden]"), Ok(Some(_)));
        !is_hidden && (is_folded || element.get_bounding_client_rect().width() > 0.0)
    })
}
