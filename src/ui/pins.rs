//! Pins: runs kept for comparison with the present one.

use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::html::Ul;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use super::controls::control_id;
use super::focus;
use super::parts::button_unless;
use super::reactive::{effect, memo, on};
use super::store::Store;
use crate::dashboard::run::pins::{markup, words};
use crate::params::pins::{MOST, PIN, Pin};

/// The button that pins the present run, and the list of pins.
pub(super) fn pins(store: Store) -> AnyView {
    let said = memo(move || {
        let (pins, sweeps, dashboard) = (store.pins.read(), store.sweeps.read(), store.dashboard.read());
        words(&pins, &sweeps, dashboard.run(), &store.settings.draft.read())
    });
    // Only other pins make the list anew: whoever types a name keeps the box while the words beside it change.
    let html = memo(move || {
        let pins = store.pins.read();
        said.with_untracked(|said| markup(&pins, said))
    });
    let list = NodeRef::<Ul>::new();
    effect(move |_| {
        let said = said.read();
        let Some(items) = list.get_untracked().and_then(|list| list.query_selector_all(".pin-words").ok()) else {
            return;
        };
        for (place, words) in (0..items.length()).zip(&*said) {
            let item = items.item(place).and_then(|item| item.dyn_into::<Element>().ok());
            if let Some(item) = item.filter(|item| item.inner_html() != *words) {
                item.set_inner_html(words);
            }
        }
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
            focus::soon(&format!("#{}", control_id(PIN)));
        }
    });
    let rename = on(move |event: Event| {
        let input = event_target::<HtmlInputElement>(&event);
        let index = input.get_attribute("data-pin").and_then(|index| index.parse::<usize>().ok());
        if let Some(index) = index {
            store.rename_pin(index, &input.value());
            // A new name makes the list anew; the focus stays where it was, or goes where it is going.
            focus::if_lost(&format!("[data-pin=\"{index}\"]"));
        }
    });
    view! {
        <section class="pins" aria-label=say!("Pins") data-testid="pins">
            <p class="pins-head">
                {button_unless(say!("Pin this run"), || None, is_full, move || store.pin())}
                <span class="quiet">{words}</span>
            </p>
            <ul id=control_id(PIN) class="pin-list" tabindex="-1" node_ref=list inner_html=html on:click=press on:change=rename></ul>
        </section>
    }
    .into_any()
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
