//! Pins: runs kept for comparison. Each is a draft with a name.
//!
//! In a link, a pin holds its differences from the link's own settings, and its name last:
//! `pin=M:5~eps:0.1~name:before`. So a link with many pins stays short, and a new seed in the link applies to its
//! pins too.

use fedsysid_say::say;
use std::borrow::Cow;

use super::draft::Draft;
use super::notice::{Fix, Notice, Problem};

/// The most pins that can be kept.
pub const MOST: usize = 6;

/// The key of a pin in a link.
pub const PIN: &str = "pin";

/// The most characters of a name, which stands at the end of a curve.
const NAME_CHARS: usize = 24;

/// The separator between two settings of a pin, which never needs percent-encoding.
const BETWEEN: &str = "~";
const NAME: &str = "name:";

/// A run kept for comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Its name, not empty.
    pub name: String,
    /// Its settings.
    pub draft: Draft,
}

impl Pin {
    /// A pin named by the first letter that is not the name of any of `others`.
    pub fn new(draft: Draft, others: &[Self]) -> Self {
        let is_free = |name: &String| others.iter().all(|pin| pin.name != *name);
        let name = ('A'..='Z').map(String::from).find(is_free).unwrap_or_default();
        Self { name, draft }
    }

    /// Renames the pin; the name is cut to `NAME_CHARS` characters. An empty name changes nothing.
    pub fn rename(&mut self, name: &str) -> Option<Notice> {
        let given: String = name.chars().filter(|c| !c.is_control()).collect();
        let given = given.trim();
        if given.is_empty() {
            return None;
        }
        self.name = given.chars().take(NAME_CHARS).collect();
        let is_whole = self.name == given;
        self.name.truncate(self.name.trim_end().len());
        let fix = || Fix { used: self.name.clone(), allowed: say!("up to {NAME_CHARS} characters") };
        (!is_whole).then(|| notice("name", name, Problem::TooLong(fix())))
    }

    /// The pin as a value in a link with the settings `beside`; the name is percent-encoded where necessary.
    pub fn value(&self, beside: &Draft) -> String {
        let pairs = self.draft.pairs_beside(beside).into_iter();
        let mut parts: Vec<_> = pairs.map(|(key, value)| format!("{key}:{value}")).collect();
        parts.push(
            form_urlencoded::byte_serialize(self.name.as_bytes()).fold(NAME.to_owned(), |name, part| name + part),
        );
        parts.join(BETWEEN)
    }

    /// Reads a pin's value in a link with the settings `beside`.
    fn read(value: &str, beside: &Draft, others: &[Self]) -> (Self, Vec<Notice>) {
        let (settings, name) = match find_name(value) {
            Some((settings, name)) => (settings, Some(name)),
            None => (value, None),
        };
        let pairs: Vec<_> = settings.split(BETWEEN).filter(|part| !part.trim().is_empty()).map(pair).collect();
        let mut pin = Self::new(beside.clone(), others);
        let mut notices = pin.draft.apply(&pairs);
        for found in &mut notices {
            found.key = format!("{PIN}: {}", found.key);
        }
        notices.extend(name.and_then(|name| pin.rename(name)));
        (pin, notices)
    }
}

/// Splits a pin's value into its settings and the name at its end.
fn find_name(value: &str) -> Option<(&str, &str)> {
    let starts = std::iter::once(0).chain(value.match_indices(BETWEEN).map(|(at, _)| at + 1));
    let mut names = starts.filter_map(|at| Some((value.get(..at)?, value.get(at..)?.strip_prefix(NAME)?)));
    names.next()
}

fn pair(part: &str) -> (String, String) {
    let (key, value) = part.split_once(':').unwrap_or((part, ""));
    (key.to_owned(), value.to_owned())
}

/// Removes the pins from the pairs of a link with the settings `beside`, and reads them. Notices name values that
/// cannot be used.
pub fn take(pairs: &mut Vec<(String, String)>, beside: &Draft) -> (Vec<Pin>, Vec<Notice>) {
    let (mut pins, mut notices) = (Vec::new(), Vec::new());
    pairs.retain(|(key, given)| {
        let is_ours = is_pin(key);
        if is_ours && pins.len() == MOST {
            notices.push(notice("", given, Problem::OneTooMany { most: MOST }));
        } else if is_ours {
            let (pin, found) = Pin::read(given, beside, &pins);
            pins.push(pin);
            notices.extend(found);
        }
        !is_ours
    });
    (pins, notices)
}

/// Whether a key of a link is the key of a pin.
pub fn is_pin(key: &str) -> bool {
    key.trim().eq_ignore_ascii_case(PIN)
}

fn notice(part: &str, given: &str, problem: Problem) -> Notice {
    let key = if part.is_empty() { Cow::Borrowed(PIN) } else { format!("{PIN}: {part}").into() };
    Notice { key: key.into_owned(), given: given.to_owned(), problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Key, link};

    fn read(query: &str) -> (Vec<Pin>, Vec<String>) {
        let mut pairs = link::pairs(query);
        let mut draft = Draft::default();
        draft.apply(&pairs.iter().filter(|(key, _)| !is_pin(key)).cloned().collect::<Vec<_>>());
        let (pins, notices) = take(&mut pairs, &draft);
        assert!(pairs.iter().all(|(key, _)| !is_pin(key)));
        (pins, notices.iter().map(Notice::to_string).collect())
    }

    #[test]
    fn a_pin_says_what_differs_from_its_link() {
        let (pins, notices) = read("M=100&pin=M:5~eps:0.1~name:before+the+change&pin=&seed=9");
        assert_eq!(notices, Vec::<String>::new());
        let said: Vec<_> = pins.iter().map(|pin| (pin.name.as_str(), pin.draft.to_query())).collect();
        assert_eq!(
            said,
            [("before the change", "M=5&eps=0.1&seed=9".to_owned()), ("A", "M=100&seed=9".to_owned())]
                .map(|(name, query)| (name, query))
        );
        let mut beside = Draft::default();
        beside.set(Key::Clients, 100.0);
        assert_eq!(pins[0].value(&beside), "M:5~eps:0.1~seed:9~name:before+the+change");
        assert_eq!(pins[1].value(&Draft::default()), "M:100~seed:9~name:A");
    }

    #[test]
    fn any_name_survives_its_link() {
        for name in ["~", "name:~M:5", "ε = 0,3 & more?", "50%", "a+b", "日本", "\"<b>\"", "'"] {
            let mut pin = Pin::new(Draft::default(), &[]);
            assert_eq!(pin.rename(name), None);
            assert_eq!(pin.name, name);
            let (pins, notices) = read(&format!("pin={}", pin.value(&Draft::default())));
            assert_eq!((pins, notices), (vec![pin], vec![]), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        #[track_caller]
        fn check(query: &str, pins: &[&str], expected: &str) {
            let (found, notices) = read(query);
            assert_eq!(found.iter().map(|pin| pin.name.as_str()).collect::<Vec<_>>(), pins);
            assert_eq!(notices, [expected]);
        }
        check("pin=M:1e9", &["A"], "pin: M = 1e9 is out of range: allowed 1 to 10000, using 10000");
        check("pin=color:red", &["A"], "pin: color = red is not a setting of this page: ignored");
        check("pin=M", &["A"], "pin: M without a value is not a number: allowed 1 to 10000, using 50");
        check(
            "pin=name:a+name+that+is+longer+than+any+curve",
            &["a name that is longer tha"].map(|name| &name[..24]),
            "pin: name = a name that is longer than any c… is too long: allowed up to 24 characters, using a name that is longer th",
        );
        let seven = ["pin=K:1"; 7].join("&");
        check(&seven, &["A", "B", "C", "D", "E", "F"], "pin = K:1 is one too many: at most 6 are kept");
    }

    #[test]
    fn a_name_is_cut_and_never_empty() {
        let mut pin = Pin::new(Draft::default(), &[]);
        assert_eq!((pin.rename("  "), pin.rename("\n"), pin.name.as_str()), (None, None, "A"));
        assert_eq!(pin.rename("  after\u{7} it "), None);
        assert_eq!(pin.name, "after it");
        assert!(pin.rename(&"x".repeat(25)).is_some());
        assert_eq!(pin.name.len(), NAME_CHARS);
        // A blank at the cut is not part of the name.
        assert!(pin.rename(&format!("{} y", "x".repeat(NAME_CHARS - 1))).is_some());
        assert_eq!(pin.name.len(), NAME_CHARS - 1);
    }
}
