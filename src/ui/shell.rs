//! The static shell of `index.html`, which the live page replaces.

use leptos::prelude::document;

/// Removes the shell and shows the live page, which was laid out behind it. Later calls do nothing.
pub fn give_way() {
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
    if let Some(root) = document().get_element_by_id("app") {
        let _ = root.remove_attribute("data-waiting");
    }
}
