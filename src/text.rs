//! Texts as markup, and operations on texts that a browser offers too.
//!
//! In a native build these are the standard library's. In a browser they are the browser's, which rounds as correctly,
//! knows the same letters, and has the tables already: our own would be a fortieth of the download.

/// Text as markup, HTML or SVG: between tags, or in an attribute with double quotation marks. A `>` alone ends neither;
/// after `]]`, SVG forbids it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace("]]>", "]]&gt;").replace('"', "&quot;")
}

/// Writes to a string, as `write!` does: that cannot fail.
macro_rules! put {
    ($to:expr, $($what:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($to, $($what)*);
    }};
}
pub(crate) use put;

/// The number that `text` says, the nearest `f64`: digits with at most one point, and possibly `e` with a whole
/// exponent.
#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The number that `text` says, the nearest `f64`: digits with at most one point, and possibly `e` with a whole
/// exponent.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn from_decimal(text: &str) -> Option<f64> {
    let number = js_sys::Number::parse_float(text);
    (!number.is_nan()).then_some(number)
}

/// `text` in lower case, in any script.
#[cfg(not(all(target_arch = "wasm32", feature = "web")))]
pub(crate) fn lower_case(text: &str) -> String {
    text.to_lowercase()
}

/// `text` in lower case, in any script.
#[cfg(all(target_arch = "wasm32", feature = "web"))]
pub(crate) fn lower_case(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_has_no_tag_and_no_end_of_an_attribute_from_a_text() {
        assert_eq!(escaped("<b title=\"x\"> & ]]>"), "&lt;b title=&quot;x&quot;> &amp; ]]&gt;");
    }
}
