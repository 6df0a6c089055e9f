//! Messages between this page and the page around it: plain objects with the keys of a link.
//!
//! `docs/embedding.md` describes them for authors. Every incoming message is checked for its shape; foreign messages
//! are ignored silently, since other scripts use the same window.

use crate::dashboard::results::Run;
use crate::dashboard::run::readout::readings;
use crate::params::embed::INSTANCE_CHARS;
use crate::params::file;
use crate::params::json::{Value, list, object, text};
use crate::params::notice::shortened;
use crate::params::pins::is_pin;
use crate::params::{State, keys};

/// Version of the messages.
pub const VERSION: u32 = 1;

/// Maximum number of settings in one message: more than there are.
const MOST_SETTINGS: usize = 200;

/// Prefix of the type of every message.
const OURS: &str = "fedsysid:";

/// Events to which a host page can subscribe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Settings changed.
    Changed,
    /// A run is complete.
    Result,
}

/// Format of an exported chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The numbers, as a CSV table.
    Csv,
    /// The numbers, as JSON.
    Json,
    /// The picture.
    Svg,
}

/// A request of the host page.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Set these settings, and keep all others.
    Set(Vec<(String, String)>),
    /// Tell the settings and the results.
    Get,
    /// Return to the settings of the page's address.
    Reset,
    /// Send the chart on screen in this format.
    Export(Format),
    /// From now on report these events, and no others.
    Subscribe(Vec<Topic>),
}

/// A request, with the word by which the host page recognizes the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The request, or why it cannot be used, in words for the author of the host page.
    pub ask: Result<Ask, String>,
    /// The host page's word.
    pub instance: Option<String>,
}

/// Reads a message; `None` if it is not one of ours.
pub fn read(message: &Value) -> Option<Question> {
    let Some(Value::Text(kind)) = message.get("type") else { return None };
    let kind = kind.strip_prefix(OURS)?;
    let instance = match message.get("instance") {
        None => Ok(None),
        Some(Value::Text(instance)) if instance.chars().count() <= INSTANCE_CHARS => Ok(Some(instance.clone())),
        Some(_) => Err(format!("an instance is a text of up to {INSTANCE_CHARS} characters")),
    };
    let version = message.get("version").map(Value::in_a_link).filter(|given| *given != VERSION.to_string());
    let version = version
        .map_or(Ok(()), |version| Err(format!("version {} is not spoken here: {VERSION} is", shortened(&version))));
    let ask = version.and(instance.clone()).and_then(|_| ask(kind, message));
    Some(Question { ask, instance: instance.unwrap_or_default() })
}

/// The height in CSS pixels that an embedded page reports; `None` for other messages.
pub fn height(message: &Value) -> Option<f64> {
    match (message.get("type"), message.get("px")) {
        (Some(Value::Text(kind)), Some(Value::Number(px))) if kind == "fedsysid:height" => Some(*px),
        _ => None,
    }
}

/// The pairs of a link that a setting stands for: a list of pins is one pair for each.
fn pairs(key: &str, value: &Value) -> Vec<(String, String)> {
    let values = match value {
        Value::List(pins) if is_pin(key) => pins.as_slice(),
        one => std::slice::from_ref(one),
    };
    values.iter().map(|value| (key.to_owned(), value.in_a_link())).collect()
}

fn ask(kind: &str, message: &Value) -> Result<Ask, String> {
    match (kind, message.get("settings"), message.get("format"), message.get("to")) {
        ("get", ..) => Ok(Ask::Get),
        ("reset", ..) => Ok(Ask::Reset),
        ("set", Some(Value::Map(settings)), ..) if settings.len() > MOST_SETTINGS => {
            Err(format!("fedsysid:set takes up to {MOST_SETTINGS} settings: these are {}", settings.len()))
        }
        ("set", Some(Value::Map(settings)), ..) => {
            Ok(Ask::Set(settings.iter().flat_map(|(key, value)| pairs(key, value)).collect()))
        }
        ("set", ..) => Err("fedsysid:set needs settings: an object of keys and values, as in a link".into()),
        ("export", _, Some(Value::Text(word)), _) => match word.as_str() {
            "csv" => Ok(Ask::Export(Format::Csv)),
            "json" => Ok(Ask::Export(Format::Json)),
            "svg" => Ok(Ask::Export(Format::Svg)),
            _ => Err(format!("{} is no format: csv, json and svg are", shortened(word))),
        },
        ("export", ..) => Err("fedsysid:export needs a format: csv, json or svg".into()),
        ("subscribe", .., Some(Value::List(topics))) => {
            Ok(Ask::Subscribe(topics.iter().map(topic).collect::<Result<_, _>>()?))
        }
        ("subscribe", ..) => Err("fedsysid:subscribe needs to: a list of changed and result".into()),
        _ => Err(format!("fedsysid:{} is not spoken here: set, get, reset, export and subscribe are", shortened(kind))),
    }
}

fn topic(value: &Value) -> Result<Topic, String> {
    match value {
        Value::Text(word) if word == "changed" => Ok(Topic::Changed),
        Value::Text(word) if word == "result" => Ok(Topic::Result),
        other => Err(format!("{} cannot be subscribed to: changed and result can", shortened(&other.in_a_link()))),
    }
}

/// Who changed a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The person at this page.
    #[default]
    User,
    /// The host page.
    Program,
}

/// A message to the host page.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// The page has started; its version, and all settings that exist.
    Ready,
    /// The present settings, and who changed them.
    Changed(&'a State, By),
    /// The settings and the errors, as far as they are known. A run of other settings is left out.
    Result(&'a State, Option<&'a Run>),
    /// Height of the page in CSS pixels.
    Height(u32),
    /// The requested chart.
    Export(Format, &'a str),
    /// Which parts of a request could not be used, in words.
    Problems(&'a [String]),
}

impl Told<'_> {
    /// The message as JSON. `instance` is the asker's word in an answer, and otherwise the page's own name.
    pub fn message(self, instance: &str) -> String {
        let (kind, fields) = self.fields();
        let kind = text(&format!("{OURS}{kind}"));
        let head = [("type", kind), ("version", VERSION.to_string()), ("instance", text(instance))];
        object(head.into_iter().chain(fields), ", ")
    }

    fn fields(self) -> (&'static str, Vec<(&'static str, String)>) {
        match self {
            Self::Ready => {
                ("ready", vec![("program", text(env!("CARGO_PKG_VERSION"))), ("parameters", list(parameters()))])
            }
            Self::Changed(state, by) => {
                let by = if by == By::User { "user" } else { "program" };
                ("changed", vec![("by", text(by)), ("settings", settings(state)), ("link", text(&state.to_query()))])
            }
            Self::Result(state, run) => {
                let run = run.filter(|run| run.settings == state.draft.settings());
                let is_complete = run.is_some_and(|run| run.progress.is_none());
                let errors = list(run.map(errors).unwrap_or_default().into_iter());
                let complete = ("complete", is_complete.to_string());
                ("result", vec![("settings", settings(state)), complete, ("errors", errors)])
            }
            Self::Height(px) => ("height", vec![("px", px.to_string())]),
            Self::Export(format, content) => {
                let format = match format {
                    Format::Csv => "csv",
                    Format::Json => "json",
                    Format::Svg => "svg",
                };
                ("export", vec![("format", text(format)), ("content", text(content))])
            }
            Self::Problems(problems) => ("error", vec![("problems", list(problems.iter().map(|words| text(words))))]),
        }
    }
}

fn settings(state: &State) -> String {
    file::settings(state, ", ")
}

fn parameters() -> impl Iterator<Item = String> {
    keys::rows().into_iter().map(|row| {
        let fields = [("key", row.key), ("name", &row.name), ("allowed", &row.allowed), ("default", &row.default)];
        object(fields.into_iter().map(|(name, value)| (name, text(value))), ", ")
    })
}

/// The final errors of a run; those without a number are left out.
fn errors(run: &Run) -> Vec<String> {
    let error = |reading: crate::dashboard::run::readout::Reading| {
        let value = reading.value.ok()?;
        // With one data set the standard error is NaN, which JSON does not have.
        let number = |value: f64| if value.is_finite() { value.to_string() } else { "null".into() };
        let fields = [
            ("role", text(reading.role.word())),
            ("name", text(&reading.name)),
            ("mean", number(value.mean())),
            ("standardError", number(value.standard_error())),
        ];
        Some(object(fields.into_iter(), ", "))
    };
    readings(run, run.recorded(None)).into_iter().filter_map(error).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run_of;
    use crate::params::json::tests::parsed;

    fn asked(json: &str) -> Option<Question> {
        read(&parsed(json))
    }

    #[test]
    fn questions_are_read() {
        #[track_caller]
        fn check(json: &str, ask: Ask, instance: Option<&str>) {
            assert_eq!(asked(json), Some(Question { ask: Ok(ask), instance: instance.map(str::to_owned) }));
        }
        check(r#"{"type": "fedsysid:get"}"#, Ask::Get, None);
        check(r#"{"type": "fedsysid:reset", "version": 1, "instance": "a"}"#, Ask::Reset, Some("a"));
        let pairs = [("eps", "0.25"), ("alg", "fedlin,fedavg")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        let set = r#"{"type": "fedsysid:set", "settings": {"eps": 0.25, "alg": ["fedlin", "fedavg"]}}"#;
        let mut sorted = pairs.to_vec();
        sorted.sort();
        check(set, Ask::Set(sorted), None);
        let pins = ["M:5~name:few", "M:9~name:more"].map(|pin| ("pin".to_owned(), pin.to_owned()));
        let set = r#"{"type": "fedsysid:set", "settings": {"pin": ["M:5~name:few", "M:9~name:more"]}}"#;
        check(set, Ask::Set(pins.to_vec()), None);
        check(r#"{"type": "fedsysid:export", "format": "csv"}"#, Ask::Export(Format::Csv), None);
        let topics = vec![Topic::Changed, Topic::Result];
        check(r#"{"type": "fedsysid:subscribe", "to": ["changed", "result"]}"#, Ask::Subscribe(topics), None);
    }

    #[test]
    fn what_is_not_ours_is_passed_over() {
        for json in [
            "null",
            "7",
            r#""fedsysid:get""#,
            "[]",
            "{}",
            r#"{"type": 1}"#,
            r#"{"type": "other:get"}"#,
            r#"{"type": "FEDSYSID:get"}"#,
        ] {
            assert_eq!(asked(json), None, "{json}");
        }
    }

    #[test]
    fn what_is_ours_and_garbled_gets_a_reason() {
        #[track_caller]
        fn check(json: &str, expected: &str) {
            assert_eq!(asked(json).map(|question| question.ask), Some(Err(expected.to_owned())));
        }
        check(r#"{"type": "fedsysid:get", "version": 2}"#, "version 2 is not spoken here: 1 is");
        check(r#"{"type": "fedsysid:get", "instance": 5}"#, "an instance is a text of up to 100 characters");
        check(r#"{"type": "fedsysid:set"}"#, "fedsysid:set needs settings: an object of keys and values, as in a link");
        check(r#"{"type": "fedsysid:export", "format": "doc"}"#, "doc is no format: csv, json and svg are");
        check(r#"{"type": "fedsysid:export"}"#, "fedsysid:export needs a format: csv, json or svg");
        check(
            r#"{"type": "fedsysid:subscribe", "to": ["all"]}"#,
            "all cannot be subscribed to: changed and result can",
        );
        check(
            r#"{"type": "fedsysid:fly"}"#,
            "fedsysid:fly is not spoken here: set, get, reset, export and subscribe are",
        );
    }

    /// The answer to a message of any length is short, and takes little time.
    #[test]
    fn what_is_too_much_is_answered_in_few_words() {
        let long = "x".repeat(100_000);
        let settings: Vec<_> = (0..=MOST_SETTINGS).map(|place| format!("\"k{place}\": 1")).collect();
        for json in [
            format!(r#"{{"type": "fedsysid:{long}"}}"#),
            format!(r#"{{"type": "fedsysid:get", "version": "{long}"}}"#),
            format!(r#"{{"type": "fedsysid:get", "instance": "{long}"}}"#),
            format!(r#"{{"type": "fedsysid:export", "format": "{long}"}}"#),
            format!(r#"{{"type": "fedsysid:subscribe", "to": ["{long}"]}}"#),
            format!(r#"{{"type": "fedsysid:set", "settings": {{{}}}}}"#, settings.join(", ")),
        ] {
            let reason = asked(&json).unwrap().ask.unwrap_err();
            assert!(reason.len() < 150, "{reason:.300}");
        }
    }

    /// A host page that waits for an answer gets the reason.
    #[test]
    fn a_reason_is_an_answer() {
        let question = asked(r#"{"type": "fedsysid:export", "format": "doc", "instance": "a"}"#).unwrap();
        assert!(question.ask.is_err() && question.instance.as_deref() == Some("a"));
    }

    #[test]
    fn everything_told_is_json_of_its_kind() {
        let (state, _) = State::from_query("q=2&R=5&M=3");
        let run = run_of(&state.draft);
        let problems = ["a \"quoted\" one".to_owned()];
        let told = [
            ("ready", Told::Ready),
            ("changed", Told::Changed(&state, By::Program)),
            ("result", Told::Result(&state, Some(&run))),
            ("result", Told::Result(&state, None)),
            ("height", Told::Height(321)),
            ("export", Told::Export(Format::Csv, "a,b\n1,2\n")),
            ("error", Told::Problems(&problems)),
        ];
        for (kind, told) in told {
            let message = parsed(&told.message("fig 1"));
            assert_eq!(message.get("type"), Some(&Value::Text(format!("fedsysid:{kind}"))));
            assert_eq!(message.get("instance"), Some(&Value::Text("fig 1".into())));
            assert_eq!(message.get("version"), Some(&Value::Number(1.0)));
        }
    }

    /// While a newer run is in progress, the older one is still on screen, but it is no result of the present settings.
    #[test]
    fn a_result_of_other_settings_is_none() {
        let (state, _) = State::from_query("q=2&R=5&M=3");
        let older = run_of(&State::from_query("q=2&R=5&M=4").0.draft);
        let message = Told::Result(&state, Some(&older)).message("");
        assert!(message.contains(r#""complete": false, "errors": []"#), "{message}");
    }

    #[test]
    fn a_result_holds_the_final_errors_in_full() {
        let (state, _) = State::from_query("q=2&R=5&M=3");
        let run = run_of(&state.draft);
        let message = parsed(&Told::Result(&state, Some(&run)).message(""));
        let Some(Value::List(errors)) = message.get("errors") else { panic!("{message:?}") };
        assert_eq!(height(&message), None);
        assert_eq!(height(&parsed(&Told::Height(321).message(""))), Some(321.0));
        assert_eq!(errors.len(), 5);
        assert_eq!(errors[0].get("mean"), Some(&Value::Number(run.summary.methods[0].errors[5].mean())));
        assert_eq!(message.get("settings").and_then(|settings| settings.get("M")), Some(&Value::Number(3.0)));
        let (one_set, _) = State::from_query("q=1&R=5&M=3");
        let one = run_of(&one_set.draft);
        let message = parsed(&Told::Result(&one_set, Some(&one)).message(""));
        assert!(
            matches!(message.get("errors"), Some(Value::List(errors)) if errors[0].get("standardError") == Some(&Value::Other))
        );
    }
}
