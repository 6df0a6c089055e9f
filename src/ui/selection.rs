//! Boxes whose whole text is selected on focus, so that typing replaces it.

use leptos::prelude::*;
use web_sys::{HtmlInputElement, MouseEvent};

/// State of such a box, or of several in one list, during a press.
#[derive(Clone, Copy)]
pub(super) struct WholeText {
    is_fresh: StoredValue<bool>,
}

impl WholeText {
    pub(super) fn new() -> Self {
        Self { is_fresh: StoredValue::new(false) }
    }

    /// Selects the text of a box that got the focus.
    pub(super) fn select(self, input: &HtmlInputElement) {
        input.select();
        self.is_fresh.set_value(true);
    }

    /// Keeps the selection at the end of a press: if that press gave the focus, WebKit would set the caret.
    pub(super) fn keep(self, event: &MouseEvent) {
        if self.is_fresh.try_update_value(std::mem::take).unwrap_or_default() {
            event.prevent_default();
        }
    }
}
