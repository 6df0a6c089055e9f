//! What a person prefers, kept by the browser where it keeps anything.

use web_sys::Storage;

/// A stored preference. `None` if there is none, or storage is not to be had (a sandboxed frame, a private window).
pub fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a preference where that is possible; without, it lasts as long as the page.
pub fn write(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}

/// What is kept for as long as the tab is open.
pub fn read_session(key: &str) -> Option<String> {
    session()?.get_item(key).ok().flatten()
}

/// Keeps something for as long as the tab is open, where that is possible.
pub fn write_session(key: &str, value: &str) {
    if let Some(storage) = session() {
        let _ = storage.set_item(key, value);
    }
}

fn session() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
