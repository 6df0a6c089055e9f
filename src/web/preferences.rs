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

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
