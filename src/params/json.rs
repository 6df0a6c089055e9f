//! JSON: read by the caller, since a browser has a parser already; written by hand, since little is written.

use std::fmt::Write;

use super::table::words;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null, true or false: no setting has such a value.
    Other,
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// Names with values, in their order.
    Map(Vec<(String, Self)>),
}

impl Value {
    /// The value of a name in a map.
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value),
            Self::Other | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The value as in a link: items of lists separated by commas, lists in lists by semicolons.
    pub fn in_a_link(&self) -> String {
        match self {
            Self::Other | Self::Map(_) => String::new(),
            Self::Number(number) => words(*number),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let between = if items.iter().any(|item| matches!(item, Self::List(_))) { ";" } else { "," };
                items.iter().map(Self::in_a_link).collect::<Vec<_>>().join(between)
            }
        }
    }

    /// The pairs (name, value) of a map; empty for other values.
    pub fn pairs(&self) -> &[(String, Self)] {
        match self {
            Self::Map(pairs) => pairs,
            Self::Other | Self::Number(_) | Self::Text(_) | Self::List(_) => &[],
        }
    }
}

/// A list in JSON.
pub fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// An object in JSON, with `between` between its pairs.
pub fn object(pairs: impl Iterator<Item = (&'static str, String)>, between: &str) -> String {
    let pairs: Vec<_> = pairs.map(|(key, value)| format!("\"{key}\": {value}")).collect();
    format!("{{ {} }}", pairs.join(between))
}

/// A text in JSON, with the necessary characters escaped.
pub fn text(text: &str) -> String {
    let mut json = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            // Writing to a string cannot fail.
            c if c.is_control() => drop(write!(json, "\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn value(json: serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null | serde_json::Value::Bool(_) => Value::Other,
            serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap()),
            serde_json::Value::String(text) => Value::Text(text),
            serde_json::Value::Array(items) => Value::List(items.into_iter().map(value).collect()),
            serde_json::Value::Object(pairs) => {
                Value::Map(pairs.into_iter().map(|(key, item)| (key, value(item))).collect())
            }
        }
    }

    /// The value of a JSON text.
    pub(crate) fn parsed(json: &str) -> Value {
        value(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn texts_survive() {
        for written in ["", "plain", "a \"b\" \\ \n\t\u{1}\u{7f} ε 日"] {
            assert_eq!(parsed(&text(written)), Value::Text(written.into()));
        }
    }

    #[test]
    fn values_are_said_as_in_a_link() {
        #[track_caller]
        fn check(json: &str, expected: &str) {
            assert_eq!(parsed(json).in_a_link(), expected);
        }
        check("0.25", "0.25");
        check("1e-4", "0.0001");
        check("[1, 2]", "1,2");
        check("[[1, 2], [3, 4]]", "1,2;3,4");
        check("[\"fedlin\", \"fedavg\"]", "fedlin,fedavg");
        check("null", "");
        check("{\"a\": 1}", "");
    }
}
