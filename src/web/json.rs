//! JSON, read by the browser.

use js_sys::{Array, JSON, Object};
use wasm_bindgen::{JsCast, JsValue};

use super::error_text;
use crate::params::json::Value;

/// The value that a text says.
///
/// # Errors
///
/// What the browser says of a text that is not JSON.
pub fn parse(text: &str) -> Result<Value, String> {
    JSON::parse(text).map(|parsed| value(&parsed)).map_err(|error| error_text(&error))
}

/// A value of JavaScript, as far as JSON could say it.
pub fn value(of: &JsValue) -> Value {
    if let Some(number) = of.as_f64() {
        Value::Number(number)
    } else if let Some(text) = of.as_string() {
        Value::Text(text)
    } else if let Some(items) = of.dyn_ref::<Array>() {
        Value::List(items.iter().map(|item| value(&item)).collect())
    } else if let Some(object) = of.dyn_ref::<Object>() {
        let pair = |pair: JsValue| {
            let pair: Array = pair.unchecked_into();
            (pair.get(0).as_string().unwrap_or_default(), value(&pair.get(1)))
        };
        Value::Map(Object::entries(object).iter().map(pair).collect())
    } else {
        Value::Other
    }
}
