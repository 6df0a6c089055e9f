//! A person's preferences, stored by the browser where it can.

use web_sys::Storage;

/// A stored preference. `None` if there is none, or storage is not available (a sandboxed frame, a private window).
pub fn read(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

/// Stores a preference where the browser can; otherwise it lasts as long as the page.
pub fn write(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(key, value);
    }
}

/// A value stored for as long as the tab is open; `None` if there is none.
pub fn read_session(key: &str) -> Option<String> {
    session()?.get_item(key).ok().flatten()
}

/// Stores a value for as long as the tab is open, where the browser can.
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
