//! Pins: runs kept for comparison with the present one.

use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement};

use super::controls::control_id;
use super::reactive::{live, memo, on};
use super::store::Store;
use crate::dashboard::pins::markup;
use crate::params::pins::{MOST, PIN, Pin};

/// The button that pins the present run, and the list of pins.
pub(super) fn pins(store: Store) -> AnyView {
    let html = memo(move || {
        let (pins, sweeps, dashboard) = (store.pins.read(), store.sweeps.read(), store.dashboard.read());
        markup(&pins, &sweeps, dashboard.run(), &store.settings.draft.read())
    });
    let is_full = memo(move || store.pins.read().len() >= MOST);
    let words = memo(move || match store.pins.read().len() {
        0 => say!("keeps this run as a thin line, to compare with").to_owned(),
        MOST => say!("{MOST} are kept: delete one to keep another"),
        n => say!("{n} of {MOST} kept"),
    });
    let press = on(move |event: MouseEvent| {
        let at = |name: &str| event_target::<Element>(&event).get_attribute(name)?.parse::<usize>().ok();
        if let Some(index) = at("data-return") {
            store.return_to(index);
        } else if let Some(index) = at("data-delete") {
            store.delete_pin(index);
            focus_list();
        }
    });
    let rename = on(move |event: Event| {
        let input = event_target::<HtmlInputElement>(&event);
        let index = input.get_attribute("data-pin").and_then(|index| index.parse::<usize>().ok());
        if let Some(index) = index {
            store.rename_pin(index, &input.value());
            // A new name makes the list anew; the focus stays where it was, or goes where it is going.
            focus_if_lost(&format!("[data-pin=\"{index}\"]"));
        }
    });
    view! {
        <section class="pins" aria-label=say!("Pins") data-testid="pins">
            <p class="pins-head">
                <button type="button" class="set-step" disabled=live(move || is_full.get()) on:click=on(move |_: MouseEvent| store.pin())>
                    {say!("Pin this run")}
                </button>
                <span class="quiet">{words}</span>
            </p>
            <ul id=control_id(PIN) class="pin-list" tabindex="-1" inner_html=html on:click=press on:change=rename></ul>
        </section>
    }
    .into_any()
}

fn focus_list() {
    focus(&format!("#{}", control_id(PIN)));
}

/// Focuses an element once the page has followed a change.
fn focus(css: &str) {
    let css = css.to_owned();
    request_animation_frame(move || focus_now(&css));
}

/// [`focus`], unless something else has the focus by then.
fn focus_if_lost(css: &str) {
    let css = css.to_owned();
    request_animation_frame(move || {
        if document().active_element().is_none_or(|element| element.tag_name() == "BODY") {
            focus_now(&css);
        }
    });
}

fn focus_now(css: &str) {
    let found = document().query_selector(css).ok().flatten();
    if let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

impl Store {
    /// Pins the present run.
    fn pin(self) {
        let draft = self.settings.draft.get_untracked();
        self.pins.update(|pins| {
            if pins.len() < MOST {
                pins.push(Pin::new(draft, pins));
            }
        });
    }

    /// Returns to the settings of a pin.
    fn return_to(self, index: usize) {
        let mut state = self.state_now();
        if let Some(pin) = state.pins.get(index) {
            state.draft = pin.draft.clone();
            self.go_to(state, Vec::new());
        }
    }

    fn delete_pin(self, index: usize) {
        self.pins.update(|pins| {
            if index < pins.len() {
                pins.remove(index);
            }
        });
    }

    fn rename_pin(self, index: usize, name: &str) {
        self.settings.report(PIN, || self.pins.try_update(|pins| pins.get_mut(index)?.rename(name)).flatten());
    }
}
