//! A scenario as a file: the keys and values of a link, as JSON. The file holds all settings, so that it keeps its
//! meaning when defaults change.
//!
//! ```json
//! { "format": "fedsysid-scenario", "version": 1, "program": "0.1.0",
//!   "settings": { "M": 50, "eps": 0.3, "alg": ["fedlin", "fedavg"], "schedule": "constant" },
//!   "pins": [ { "name": "few", "M": 5 } ] }
//! ```
//!
//! Reading is as tolerant as for a link: values that cannot be used are replaced and named.

use std::fmt;

use super::choice::ALGORITHMS_LINK;
use super::json::{Value, list, object, text};
use super::notice::Notice;
use super::pins::{PIN, Pin};
use super::state::State;
use super::systems::MatrixKey;
use super::table::Param;
use fedsysid_say::say;

/// The format named in a scenario file.
const FORMAT: &str = "fedsysid-scenario";

/// The version of written files, and the newest that can be read.
const VERSION: u32 = 1;

/// The reason why a file is not a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum FileError {
    /// The text is not JSON; with the parser's message.
    NotJson(String),
    /// The JSON names another format.
    NotAScenario(String),
    /// The JSON names no format.
    NoFormat,
    /// The file has a version that this program cannot read.
    OtherVersion(String),
    /// The file names no version.
    NoVersion,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::NotJson(reason) => say!("this file is not JSON: {reason}"),
            Self::NotAScenario(given) => {
                say!("this file is not a scenario: its “format” is “{given}”, a scenario’s is “{FORMAT}”")
            }
            Self::NoFormat => say!("this file is not a scenario: it has no “format”, a scenario’s is “{FORMAT}”"),
            Self::OtherVersion(given) => {
                say!("this scenario is of version {given}; this page reads versions up to {VERSION}")
            }
            Self::NoVersion => say!("this scenario has no “version”; this page reads versions up to {VERSION}"),
        })
    }
}

impl std::error::Error for FileError {}

/// Reads the content of a scenario file.
///
/// # Errors
///
/// If it is not a scenario file, or has a version that this program cannot read.
pub fn read(file: &Value) -> Result<(State, Vec<Notice>), FileError> {
    match file.get("format") {
        Some(Value::Text(format)) if format == FORMAT => {}
        Some(Value::Text(format)) => return Err(FileError::NotAScenario(format.clone())),
        _ => return Err(FileError::NoFormat),
    }
    let version = file.get("version").map(Value::in_a_link).unwrap_or_default();
    if version.is_empty() {
        return Err(FileError::NoVersion);
    }
    if !(1..=VERSION).any(|known| known.to_string() == version) {
        return Err(FileError::OtherVersion(version));
    }
    let settings = file.get("settings").map(Value::pairs).unwrap_or_default();
    let mut pairs: Vec<_> = settings.iter().map(|(key, value)| (key.clone(), value.in_a_link())).collect();
    if let Some(Value::List(pins)) = file.get("pins") {
        pairs.extend(pins.iter().map(|pin| (PIN.to_owned(), in_a_link(pin))));
    }
    Ok(State::from_pairs(pairs))
}

/// A pin of a file in the notation of a link, with the name last.
fn in_a_link(pin: &Value) -> String {
    let (name, settings): (Vec<_>, Vec<_>) = pin.pairs().iter().partition(|(key, _)| key == "name");
    let pairs = settings.into_iter().chain(name);
    pairs.map(|(key, value)| format!("{key}:{}", value.in_a_link())).collect::<Vec<_>>().join("~")
}

/// A state as a scenario file.
pub fn write(state: &State) -> String {
    let program = env!("CARGO_PKG_VERSION");
    let settings = self::settings(state, ",\n    ");
    let pin = |Pin { name, draft }: &Pin| {
        let name = std::iter::once(("name", text(name)));
        object(name.chain(draft.pairs_beside(&state.draft).into_iter().map(in_json)), ", ")
    };
    let pins: Vec<_> = state.pins.iter().map(pin).collect();
    format!(
        "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"program\": \"{program}\",\n  \
         \"settings\": {settings},\n  \"pins\": [{}]\n}}\n",
        pins.join(",\n    ")
    )
}

/// All settings of a state as a JSON object, with `between` between them.
pub fn settings(state: &State, between: &str) -> String {
    object(state.views_in_a_link().into_iter().chain(state.draft.all_pairs()).map(in_json), between)
}

/// A pair of a link with its value in JSON: numbers as numbers, lists as lists.
fn in_json((key, value): (&'static str, String)) -> (&'static str, String) {
    let json = if let Some(param) = Param::by_link(key) {
        let names_another = param.follows().is_some_and(|other| other.param().link == value);
        if names_another { text(&value) } else { value }
    } else if key == ALGORITHMS_LINK {
        list(value.split(',').map(text))
    } else if MatrixKey::by_link(key).is_some() {
        list(value.split(';').map(|row| list(row.split(',').map(str::to_owned))))
    } else {
        text(&value)
    };
    (key, json)
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::parsed;
    use super::*;
    use crate::params::{Draft, Key};

    #[test]
    fn a_state_survives_its_file() {
        #[track_caller]
        fn check(query: &str) {
            let (mut state, notices) = State::from_query(query);
            assert_eq!(notices, []);
            if let Some(pin) = state.pins.first_mut() {
                pin.rename("a \"quoted\" \\ ~name:B");
            }
            assert_eq!(read(&parsed(&write(&state))), Ok((state, vec![])), "{query}");
        }
        check("");
        check("view=map&map=alpha-K&M=100&eps=0.123456789&alpha=0.00012&alg=none&schedule=rounds");
        check("sweep=M:1,5,25&alg=fedlin,scaffold&pin=M:5~alg:fedavg~name:few&pin=eps:0.5~name:x");
        check("A=0.9,-0.1;0,0.8&B=1;0.5&V=0,0;0.1,0&sw=0.25&pin=A:0.5~name:one&pin=U:1;0~name:two");
        check("seed=8&systems=7&pin=systems:seed~name:x&pin=seed:9~name:y");
        check("view=paper&fig=2b&steps=local&seed=4294967295");
    }

    #[test]
    fn a_file_says_every_setting() {
        let file = parsed(&write(&State::default()));
        let settings = file.get("settings").unwrap();
        assert_eq!(settings.pairs().len(), Draft::default().all_pairs().count());
        assert_eq!(settings.get("M"), Some(&Value::Number(50.0)));
        let algorithms = ["fedlin", "fedavg"].map(|word| Value::Text(word.into()));
        assert_eq!(settings.get("alg"), Some(&Value::List(algorithms.to_vec())));
    }

    #[test]
    fn bad_settings_of_a_file_are_replaced_and_named() {
        let file = parsed(
            r#"{ "format": "fedsysid-scenario", "version": 1,
                 "settings": { "M": 1e9, "K": null, "alpha": [1, 2, 3], "color": "red", "eps": "0,5" },
                 "pins": [{ "M": 0 }, 7] }"#,
        );
        let (state, notices) = read(&file).unwrap();
        let said: Vec<_> = notices.iter().map(Notice::to_string).collect();
        let expected = [
            "K without a value is not a number: allowed 1 to 100, using 10",
            "M = 1000000000 is out of range: allowed 1 to 10000, using 10000",
            "alpha = 1,2,3 is not a number: allowed 0.000001 to 0.1, using 0.0001",
            "color = red is not a setting of this page: ignored",
            "pin: M = 0 is out of range: allowed 1 to 10000, using 1",
        ];
        assert_eq!(said, expected);
        assert_eq!((state.draft.get(Key::Heterogeneity), state.pins.len()), (0.5, 2));
    }

    #[test]
    fn other_files_are_refused_in_words() {
        #[track_caller]
        fn check(json: &str, expected: &str) {
            assert_eq!(read(&parsed(json)).unwrap_err().to_string(), expected);
        }
        let ours = "a scenario’s is “fedsysid-scenario”";
        check("{}", &format!("this file is not a scenario: it has no “format”, {ours}"));
        check("[1]", &format!("this file is not a scenario: it has no “format”, {ours}"));
        check(r#"{"format": "x"}"#, &format!("this file is not a scenario: its “format” is “x”, {ours}"));
        let version = |given: &str| format!(r#"{{"format": "fedsysid-scenario"{given}}}"#);
        let up_to = "this page reads versions up to 1";
        check(&version(r#", "version": 2"#), &format!("this scenario is of version 2; {up_to}"));
        check(&version(""), &format!("this scenario has no “version”; {up_to}"));
        check(&version(r#", "version": null"#), &format!("this scenario has no “version”; {up_to}"));
    }
}
