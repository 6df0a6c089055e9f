//! What keys and pointers mean, wherever they are pressed.

use leptos::ev::{KeyboardEvent, PointerEvent};

/// Whether a key is pressed together with one that makes it the browser's own.
pub(super) fn is_chord(event: &KeyboardEvent) -> bool {
    event.ctrl_key() || event.alt_key() || event.meta_key()
}

/// Whether a press is that of the first finger, of the pen's tip or of the mouse's main button.
pub(super) fn is_main(event: &PointerEvent) -> bool {
    event.button() == 0 && event.is_primary()
}

/// Whether a pointer is no longer pressed. Some systems keep the release from the page, for instance beneath a menu.
pub(super) fn is_released(event: &PointerEvent) -> bool {
    event.buttons() == 0
}
