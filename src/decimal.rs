//! Decimal text → the nearest `f64`, the one thing that pure code has done for it by whoever runs it.
//!
//! Natively that is the standard library. In a browser it is the browser, which rounds as correctly and has its tables
//! already: bringing our own would be a twentieth of the download.

/// The number that `text` says: digits with at most one point, and possibly `e` with a whole exponent.
#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The number that `text` says: digits with at most one point, and possibly `e` with a whole exponent.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    let number = js_sys::Number::parse_float(text);
    (!number.is_nan()).then_some(number)
}
