//! One problem with one setting, as a sentence.

use fedsysid_say::say;
use std::fmt;

/// Something that was asked for and could not be used as it was; the page goes on with what [`Notice::fix`] says, or without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The key, as in the link.
    pub key: String,
    /// What was given, as it was written.
    pub given: String,
    /// What is wrong with it, and what is used instead.
    pub problem: Problem,
}

/// What is wrong with a given value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A number outside of the allowed range.
    OutOfRange(Fix),
    /// Not a number at all.
    NotANumber(Fix),
    /// A fraction where only whole numbers make sense.
    NotWhole(Fix),
    /// A word that is not among the choices.
    NotAChoice(Fix),
    /// A text that is longer than there is room for.
    TooLong(Fix),
    /// One more than can be kept: passed over.
    OneTooMany {
        /// How many can be kept.
        most: usize,
    },
    /// A text that is no matrix, or one of another shape or size.
    NotAMatrix {
        /// What is wrong with it.
        why: String,
        /// What is used instead.
        fix: Fix,
    },
    /// A key that no setting has: ignored.
    UnknownKey,
    /// A key that stands in the link again further on: this value is passed over.
    Repeated {
        /// What is given for the key last.
        last: String,
    },
}

/// What is used instead of a bad value, and what would have been allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The value in use now.
    pub used: String,
    /// The allowed values.
    pub allowed: String,
}

impl Notice {
    /// Of a word that is not among the choices.
    pub fn not_a_choice(key: &str, given: &str, used: &str, allowed: impl Into<String>) -> Self {
        let fix = Fix { used: used.to_owned(), allowed: allowed.into() };
        Self { key: key.to_owned(), given: given.to_owned(), problem: Problem::NotAChoice(fix) }
    }

    /// What is used instead and what would have been allowed, unless the pair is passed over altogether.
    pub fn fix(&self) -> Option<&Fix> {
        match &self.problem {
            Problem::OutOfRange(fix)
            | Problem::NotANumber(fix)
            | Problem::NotWhole(fix)
            | Problem::NotAChoice(fix)
            | Problem::TooLong(fix)
            | Problem::NotAMatrix { fix, .. } => Some(fix),
            Problem::Repeated { .. } | Problem::OneTooMany { .. } | Problem::UnknownKey => None,
        }
    }
}

/// One sentence without a full stop: "M = 1e9 is out of range: allowed 1 to 200, using 200".
impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.key.trim() {
            "" => f.write_str(say!("a key without a name"))?,
            key => f.write_str(&shortened(key))?,
        }
        match self.given.trim() {
            "" => f.write_str(say!(" without a value"))?,
            given => write!(f, " = {}", shortened(given))?,
        }
        match &self.problem {
            Problem::OutOfRange(fix) => f.write_str(&say!(" is out of range: {fix}")),
            Problem::NotANumber(fix) => f.write_str(&say!(" is not a number: {fix}")),
            Problem::NotWhole(fix) => f.write_str(&say!(" is not a whole number: {fix}")),
            Problem::NotAChoice(fix) => f.write_str(&say!(" is not among the choices: {fix}")),
            Problem::TooLong(fix) => f.write_str(&say!(" is too long: {fix}")),
            Problem::OneTooMany { most } => f.write_str(&say!(" is one too many: at most {most} are kept")),
            Problem::NotAMatrix { why, fix } => f.write_str(&say!(" cannot be used: {why}; {fix}")),
            Problem::UnknownKey => f.write_str(say!(" is not a setting of this page: ignored")),
            Problem::Repeated { last } => {
                f.write_str(&say!(" is passed over: the link sets it again, to {}", shortened(last)))
            }
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&say!("allowed {}, using {}", self.allowed, self.used))
    }
}

/// Longest piece of given text that is repeated to the reader.
const SHOWN_CHARS: usize = 32;

/// `text` as far as it helps to recognize it. Control characters, which could garble the sentence, become visible.
pub(crate) fn shortened(text: &str) -> String {
    let shown = text.chars().take(SHOWN_CHARS).map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let more = text.chars().nth(SHOWN_CHARS).map(|_| '…');
    shown.chain(more).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_one_clear_sentence() {
        #[track_caller]
        fn check(key: &str, given: &str, problem: Problem, expected: &str) {
            let notice = Notice { key: key.into(), given: given.into(), problem };
            assert_eq!(notice.to_string(), expected);
        }
        let fix = |used: &str, allowed: &str| Fix { used: used.into(), allowed: allowed.into() };
        check(
            "M",
            "1e9",
            Problem::OutOfRange(fix("200", "1 to 200")),
            "M = 1e9 is out of range: allowed 1 to 200, using 200",
        );
        check(
            "alpha",
            "abc",
            Problem::NotANumber(fix("0.0001", "0.000001 to 0.1")),
            "alpha = abc is not a number: allowed 0.000001 to 0.1, using 0.0001",
        );
        check(
            "K",
            " ",
            Problem::NotANumber(fix("10", "1 to 100")),
            "K without a value is not a number: allowed 1 to 100, using 10",
        );
        check(
            "K",
            "2.5",
            Problem::NotWhole(fix("3", "1 to 100")),
            "K = 2.5 is not a whole number: allowed 1 to 100, using 3",
        );
        check(
            "start",
            "one",
            Problem::NotAChoice(fix("zero", "zero, half")),
            "start = one is not among the choices: allowed zero, half, using zero",
        );
        check("color", "red", Problem::UnknownKey, "color = red is not a setting of this page: ignored");
        check(
            "M",
            "10",
            Problem::Repeated { last: "30".into() },
            "M = 10 is passed over: the link sets it again, to 30",
        );
    }

    #[test]
    fn long_and_garbled_text_is_cut() {
        let key = "\u{7}x".repeat(1000);
        let notice = Notice { key, given: "9".repeat(1000), problem: Problem::UnknownKey };
        let sentence = notice.to_string();
        assert!(sentence.chars().count() < 120, "{sentence}");
        assert!(!sentence.contains('\u{7}') && sentence.contains('…'), "{sentence}");
    }
}
