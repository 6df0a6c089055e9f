//! The static shell of `index.html`, and how the live page takes its place.

use leptos::prelude::document;

/// The shell gives way to the live page, which was laid out behind it. Nothing happens the second time.
pub fn give_way() {
    if let Some(shell) = document().get_element_by_id("shell") {
        shell.remove();
    }
    if let Some(root) = document().get_element_by_id("app") {
        let _ = root.remove_attribute("data-waiting");
    }
}
