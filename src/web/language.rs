//! The language of the page: `boot.js` has loaded its texts, where it is not English, before the program starts.

use fedsysid_say::{Language, speak};
use js_sys::{JsString, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use super::{address, preferences};
use crate::params::embed::LANGUAGE;

/// Where the language chosen last is kept. `boot.js` looks for it there.
const PREFERENCE: &str = "fedsysid-language";

/// Where `boot.js` leaves the texts.
const TEXTS: &str = "fedsysidTexts";

/// The texts that were loaded, for a worker to say the same; undefined if there are none.
pub(super) fn texts() -> JsValue {
    Reflect::get(&js_sys::global(), &TEXTS.into()).unwrap_or_default()
}

/// From now on all is said in the language whose texts were loaded.
pub fn begin() {
    let texts = texts().dyn_into::<JsString>().map(String::from).unwrap_or_default();
    // The first line says which language it is, and its decimal mark.
    let read = || {
        let (head, packed) = texts.split_once('\n')?;
        let (tag, mark) = head.split_once(' ')?;
        Some(Language::new(tag, mark.chars().next()?, packed))
    };
    speak(read().map(|language| &*Box::leak(Box::new(language))));
}

/// Loads the page anew, in another language. It is in the address where the address says one, or where nothing else is kept.
pub fn choose(tag: &str) {
    preferences::write(PREFERENCE, tag);
    let is_kept = preferences::read(PREFERENCE).is_some_and(|kept| kept == tag);
    address::load_anew((LANGUAGE, tag), !is_kept);
}
