//! The language of the page: if it is not English, `boot.js` has loaded its texts before the program starts.

use fedsysid_say::{Language, speak};
use js_sys::{JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use super::{address, preferences};
use crate::params::embed::LANGUAGE;

/// The key of the stored language that was chosen last; `boot.js` reads it too.
const PREFERENCE: &str = "fedsysid-language";

/// The global variable in which `boot.js` leaves the texts.
const TEXTS: &str = "fedsysidTexts";

/// The loaded texts, for a worker to use; undefined if there are none.
pub(super) fn texts() -> JsValue {
    Reflect::get(&js_sys::global(), &TEXTS.into()).unwrap_or_default()
}

/// Sets the language of all texts to that of the loaded texts.
pub fn begin() {
    let texts = texts().dyn_into::<JsString>().map(String::from).unwrap_or_default();
    // The first line holds the language's tag and its decimal mark.
    let read = || {
        let (head, packed) = texts.split_once('\n')?;
        let (tag, mark) = head.split_once(' ')?;
        Some(Language::new(tag, mark.chars().next()?, packed))
    };
    speak(read().map(|language| &*Box::leak(Box::new(language))));
}

/// Reloads the page in another language. The address names it if it named one before, or if the choice cannot be
/// stored.
pub fn choose(tag: &str) {
    preferences::write(PREFERENCE, tag);
    let is_kept = preferences::read(PREFERENCE).is_some_and(|kept| kept == tag);
    address::load_anew((LANGUAGE, tag), !is_kept);
}
