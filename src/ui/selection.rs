//! Boxes whose text is selected as a whole where they get the focus, so that typing replaces it.

use leptos::prelude::*;
use web_sys::{HtmlInputElement, MouseEvent};

/// What such a box, or several in one list, remember of a press.
#[derive(Clone, Copy)]
pub(super) struct WholeText {
    is_fresh: StoredValue<bool>,
}

impl WholeText {
    pub(super) fn new() -> Self {
        Self { is_fresh: StoredValue::new(false) }
    }

    /// A box has got the focus.
    pub(super) fn select(self, input: &HtmlInputElement) {
        input.select();
        self.is_fresh.set_value(true);
    }

    /// A press ends. WebKit would set the caret there, though it was this press that gave the focus.
    pub(super) fn keep(self, event: &MouseEvent) {
        if self.is_fresh.try_update_value(std::mem::take).unwrap_or_default() {
            event.prevent_default();
        }
    }
}
