//! JSON, parsed by the browser.

use js_sys::{Array, JSON, JsString, Object};
use wasm_bindgen::{JsCast, JsValue};

use super::error_text;
use crate::params::json::Value;

/// The value of a JSON text.
///
/// # Errors
///
/// The browser's message about a text that is not JSON.
pub fn parse(text: &str) -> Result<Value, String> {
    JSON::parse(text).map(|parsed| value(&parsed)).map_err(|error| error_text(&error))
}

/// The most that is read of a value: the characters of texts and names, and one for everything else. No scenario has a
/// tenth of it.
const MOST: u32 = 1_000_000;

/// Greatest depth that is read: a deeper value, or one that contains itself, must not overflow the stack.
const DEEPEST: u32 = 16;

/// A JavaScript value as JSON would have it, up to `MOST` and `DEEPEST`. Objects that are not plain pairs of names
/// and values (a map, bytes, a picture) become [`Value::Other`].
pub fn value(of: &JsValue) -> Value {
    let plain = Object::get_prototype_of(&Object::new());
    Reader { plain: plain.into(), left: MOST }.value(of, DEEPEST)
}

struct Reader {
    /// The prototype of plain objects.
    plain: JsValue,
    left: u32,
}

impl Reader {
    fn value(&mut self, of: &JsValue, depth: u32) -> Value {
        self.left = self.left.saturating_sub(1);
        if let Some(number) = of.as_f64() {
            Value::Number(number)
        } else if of.is_string() {
            Value::Text(self.text(of))
        } else if depth == 0 || !of.is_object() {
            Value::Other
        } else if let Some(items) = of.dyn_ref::<Array>() {
            let places = 0..items.length().min(self.left);
            Value::List(places.map(|place| self.value(&items.get(place), depth - 1)).collect())
        } else if JsValue::from(Object::get_prototype_of(of)) == self.plain {
            let pairs = Object::entries(of.unchecked_ref());
            let places = 0..pairs.length().min(self.left);
            let pair = |place| {
                let pair: Array = pairs.get(place).unchecked_into();
                (self.text(&pair.get(0)), self.value(&pair.get(1), depth - 1))
            };
            Value::Map(places.map(pair).collect())
        } else {
            Value::Other
        }
    }

    /// A text, cut to the remaining number of characters before it is copied.
    fn text(&mut self, of: &JsValue) -> String {
        let text: &JsString = of.unchecked_ref();
        let cut = text.slice(0, text.length().min(self.left));
        self.left -= cut.length();
        cut.into()
    }
}
