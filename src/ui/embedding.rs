//! The panel that makes the code for another page, with a preview of the frame.

use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::html::{Div, Textarea};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

use super::reactive::{effect, live, memo, on};
use super::store::Store;
use crate::dashboard::outgoing::embedding::Embedding;
use crate::dashboard::outgoing::host;
use crate::web::address;
use crate::web::clipboard;

/// Id of the panel.
const PANEL: &str = "embed-panel";

/// The button that opens the panel.
pub(super) fn opener() -> AnyView {
    view! {
        <p class="menu-row">
            <button type="button" class="set-step" popovertarget=PANEL>{say!("Embed in a page…")}</button>
        </p>
    }
    .into_any()
}

/// The panel. It is filled when it opens: until then it costs nothing, and no frame runs.
pub(super) fn panel(store: Store) -> AnyView {
    let chosen = RwSignal::new(Embedding::default());
    let (is_open, said) = (RwSignal::new(false), RwSignal::new(String::new()));
    let measured = RwSignal::new(None::<f64>);
    let (preview, code_box) = (NodeRef::<Div>::new(), NodeRef::<Textarea>::new());
    let page = address::page();
    let toggle = on(move |event: Event| {
        // The second, where the browser does not know popovers (src/web/boot.js).
        let open = ":is(:popover-open, [data-open])";
        chosen.update(|chosen| chosen.fit(store.views.read_untracked().guide.lesson));
        is_open.set(event_target::<Element>(&event).matches(open).unwrap_or(false));
        said.set(String::new());
    });
    // The form is made when the panel opens, and not again at every choice, which would take the focus away.
    let form = memo(move || {
        let view = store.views.read().view;
        if is_open.get() { chosen.read_untracked().form(view) } else { String::new() }
    });
    let kinds = memo(move || if is_open.get() { chosen.read_untracked().kinds() } else { String::new() });
    let frame = {
        let page = page.clone();
        memo(move || if is_open.get() { chosen.read().preview(&page, &store.state()) } else { String::new() })
    };
    let code = memo(move || {
        if !is_open.get() {
            return String::new();
        }
        chosen.read().code(&page, &store.state(), measured.get().map(whole))
    });
    let choose = move || {
        on(move |event: Event| {
            let (name, value, is_ticked) = field(&event);
            said.set(String::new());
            chosen.update(|chosen| chosen.choose(&name, &value, is_ticked));
        })
    };
    let problem = memo(move || chosen.read().problem());
    follow_height(preview, measured, chosen);
    let copy = on(move |_: MouseEvent| {
        clipboard::copy(&code.get_untracked(), move |is_copied| {
            said.set(if is_copied { say!("Copied") } else { say!("Press Ctrl+C or ⌘C to copy") }.into());
            if let Some(area) = code_box.get_untracked().filter(|_| !is_copied) {
                let _ = area.focus();
                area.select();
            }
        });
    });
    view! {
        <div class="save-menu embed-panel" id=PANEL popover="auto" role="dialog" aria-label=say!("Embed in a page") on:toggle=toggle>
            <button type="button" class="dismiss" aria-label=say!("Close") popovertarget=PANEL popovertargetaction="hide">"×"</button>
            <div class="embed-form" inner_html=form on:change=choose()></div>
            <div class="embed-result">
                <div class="embed-preview" node_ref=preview inner_html=frame></div>
                <div class="embed-kinds" role="group" aria-label=say!("Code") inner_html=kinds on:change=choose()></div>
                <textarea node_ref=code_box class="embed-code" readonly rows="5" aria-label=say!("Code") data-testid="embed-code" prop:value=live(move || code.get())></textarea>
                <p class="menu-row">
                    <button type="button" class="set-step" on:click=copy>{say!("Copy")}</button>
                    <span role="status">{said}</span>
                </p>
                <p class="problem" role="alert">{problem}</p>
            </div>
        </div>
    }
    .into_any()
}

/// Edge: height reported by the frame in the preview → the frame, and the code.
fn follow_height(preview: NodeRef<Div>, measured: RwSignal<Option<f64>>, chosen: RwSignal<Embedding>) {
    effect(move |_| {
        let Some(around) = preview.get() else { return };
        let inside = around.clone();
        let listener = crate::web::host::on_message_from(&around, move |message| {
            let Some(height) = host::height(message) else { return };
            measured.set(Some(height));
            let frame =
                inside.query_selector("iframe").ok().flatten().filter(|_| chosen.read_untracked().has_own_height());
            if let Some(frame) = frame {
                let _ = frame.set_attribute("height", &whole(height).to_string());
            }
        });
        StoredValue::new_local(listener);
    });
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page; saturates")]
fn whole(pixels: f64) -> u32 {
    pixels.ceil() as u32
}

/// A changed field: its name, its value, and whether it is ticked.
fn field(event: &Event) -> (String, String, bool) {
    let target: Element = event_target(event);
    let name = target.get_attribute("name").unwrap_or_default();
    match target.dyn_into::<HtmlInputElement>() {
        Ok(input) => (name, input.value(), input.checked()),
        Err(target) => (name, target.dyn_into().map(|list: HtmlSelectElement| list.value()).unwrap_or_default(), false),
    }
}
