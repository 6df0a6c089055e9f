//! One problem with one setting, as a sentence.

use fedsysid_say::say;
use std::fmt;

/// A given value that could not be used; the page uses the value of [`Notice::fix`] instead, or ignores the given one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The key, as in the link.
    pub key: String,
    /// The given value, as it was written.
    pub given: String,
    /// The problem, and the value used instead.
    pub problem: Problem,
}

/// The problem with a given value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// A number outside the allowed range.
    OutOfRange(Fix),
    /// Not a number at all.
    NotANumber(Fix),
    /// A fraction where only whole numbers make sense.
    NotWhole(Fix),
    /// A word that is not an option.
    NotAChoice(Fix),
    /// A text that is too long.
    TooLong(Fix),
    /// One more than the page can keep: ignored.
    OneTooMany {
        /// The most that can be kept.
        most: usize,
    },
    /// A text that is not a matrix, or a matrix of an unusable shape or size.
    NotAMatrix {
        /// The reason, as the end of a sentence.
        why: String,
        /// The value used instead.
        fix: Fix,
    },
    /// An unknown key: ignored.
    UnknownKey,
    /// A key that the link repeats later: this value is ignored.
    Repeated {
        /// The last value of the key.
        last: String,
    },
}

/// The value used instead of a bad one, and the allowed values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The value in use now.
    pub used: String,
    /// The allowed values.
    pub allowed: String,
}

impl Notice {
    /// The notice about a word that is not an option.
    pub fn not_a_choice(key: &str, given: &str, used: &str, allowed: impl Into<String>) -> Self {
        let fix = Fix { used: used.to_owned(), allowed: allowed.into() };
        Self { key: key.to_owned(), given: given.to_owned(), problem: Problem::NotAChoice(fix) }
    }

    /// Names another value as the one used instead.
    pub(super) fn set_used(&mut self, used: &str) {
        if let Problem::NotAChoice(fix) = &mut self.problem {
            used.clone_into(&mut fix.used);
        }
    }

    /// The value used instead and the allowed ones; `None` if the given pair is ignored.
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
                f.write_str(&say!(" is ignored: the link sets it again, to {}", shortened(last)))
            }
        }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&say!("allowed {}, using {}", self.allowed, self.used))
    }
}

/// The most characters of a given text that a notice repeats.
const SHOWN_CHARS: usize = 32;

/// The beginning of `text`, enough to recognize it. Control characters, which could garble the sentence, become
/// visible.
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
        check("M", "10", Problem::Repeated { last: "30".into() }, "M = 10 is ignored: the link sets it again, to 30");
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
