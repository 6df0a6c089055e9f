//! What pure code has done with texts by whoever runs it.
//!
//! Natively that is the standard library. In a browser it is the browser, which rounds as correctly, knows the same letters,
//! and has its tables already: bringing our own would be a fortieth of the download.

/// The number that `text` says, the nearest `f64`: digits with at most one point, and possibly `e` with a whole exponent.
#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The number that `text` says, the nearest `f64`: digits with at most one point, and possibly `e` with a whole exponent.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    let number = js_sys::Number::parse_float(text);
    (!number.is_nan()).then_some(number)
}

/// `text` without capitals, in whatever script.
#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
pub(crate) fn lower_case(text: &str) -> String {
    text.to_lowercase()
}

/// `text` without capitals, in whatever script.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn lower_case(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}
