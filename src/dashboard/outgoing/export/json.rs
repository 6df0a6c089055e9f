//! An export as JSON (RFC 8259).

use super::{Export, PROGRAM};
use crate::params::json::text;

pub(super) fn of(export: &Export) -> String {
    let settings = export.settings.iter().map(|setting| format!("{}:{}", text(&setting.key), value(&setting.value)));
    let columns = export.table.header.iter().map(|name| text(name));
    let rows = export.table.rows.iter().map(|row| format!("[{}]", joined(row.iter().map(|cell| value(cell)), ",")));
    format!(
        "{{\"program\":{},\n\"title\":{},\n\"caption\":{},\n\"link\":{},\n\"settings\":{{{}}},\n\"columns\":[{}],\n\"rows\":[\n{}\n]}}\n",
        text(PROGRAM),
        text(&export.title),
        text(&export.caption),
        text(&export.link),
        joined(settings, ","),
        joined(columns, ","),
        joined(rows, ",\n")
    )
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

/// A cell as JSON: a number if it is one, `null` if it is empty, else a string.
fn value(cell: &str) -> String {
    if cell.is_empty() {
        "null".into()
    } else if is_number(cell) {
        cell.into()
    } else {
        text(cell)
    }
}

/// Whether a text is a JSON number without an exponent; this program writes none.
fn is_number(cell: &str) -> bool {
    let unsigned = cell.strip_prefix('-').unwrap_or(cell);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction) && (whole.len() == 1 || !whole.starts_with('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_what_they_are() {
        #[track_caller]
        fn check(cell: &str, expected: &str) {
            assert_eq!(value(cell), expected);
            assert!(serde_json::from_str::<serde_json::Value>(&value(cell)).is_ok());
        }
        check("", "null");
        check("0.25", "0.25");
        check("-12", "-12");
        check("0", "0");
        check("inf", "\"inf\"");
        check("007", "\"007\"");
        check("1.", "\"1.\"");
        check("-", "\"-\"");
        check("a \"b\"\\\n\u{1}", "\"a \\\"b\\\"\\\\\\u000a\\u0001\"");
        check("client 1 alone, α/k", "\"client 1 alone, α/k\"");
    }
}
