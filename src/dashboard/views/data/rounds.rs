//! The typed numbers of local steps and rounds of the federated methods on opened data.

use crate::data::shared::Rounds;
use crate::figure::number::count;
use crate::params::parse;
use fedsysid_say::say;

/// The typed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The number of local steps K.
    LocalSteps,
    /// The number of rounds R.
    Rounds,
}

/// Maximum of either number.
const MOST: usize = 100_000;

impl Which {
    /// Key of its number box on the page.
    pub fn key(self) -> &'static str {
        match self {
            Self::LocalSteps => "data-K",
            Self::Rounds => "data-R",
        }
    }

    /// Label of the number.
    pub fn words(self) -> &'static str {
        match self {
            Self::LocalSteps => say!("K local steps"),
            Self::Rounds => say!("R rounds"),
        }
    }

    /// Its value in `rounds`.
    pub fn of(self, rounds: Rounds) -> usize {
        match self {
            Self::LocalSteps => rounds.n_local_steps,
            Self::Rounds => rounds.n_rounds,
        }
    }
}

/// Rounds with the typed number, and a complaint if the text cannot be used as it is. A number beyond the limits
/// becomes the nearest limit; a text that is no number changes nothing.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, and within the limits")]
pub fn set(rounds: Rounds, which: Which, text: &str) -> (Rounds, Option<String>) {
    let read = parse::whole(text).ok();
    let used = read.map_or(which.of(rounds), |value| value.clamp(1.0, MOST as f64) as usize);
    let is_taken = read.is_some_and(|value| (1.0..=MOST as f64).contains(&value));
    let (name, most, text) = (which.words(), count(MOST), text.trim());
    let complaint =
        (!is_taken).then(|| say!("{name}: “{text}” is no whole number from 1 to {most}; {} is used.", count(used)));
    let rounds = match which {
        Which::LocalSteps => Rounds { n_local_steps: used, ..rounds },
        Which::Rounds => Rounds { n_rounds: used, ..rounds },
    };
    (rounds, complaint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, used: usize, words: Option<&str>) {
        let (rounds, complaint) = set(Rounds::default(), Which::Rounds, text);
        assert_eq!((rounds.n_rounds, complaint.as_deref()), (used, words));
        assert_eq!(rounds.n_local_steps, Rounds::default().n_local_steps);
    }

    #[test]
    fn what_is_typed_is_taken_or_named() {
        check("200", 200, None);
        check(" 7 ", 7, None);
        check("0", 1, Some("R rounds: “0” is no whole number from 1 to 100\u{202f}000; 1 is used."));
        check(
            "1e9",
            100_000,
            Some("R rounds: “1e9” is no whole number from 1 to 100\u{202f}000; 100\u{202f}000 is used."),
        );
        check("many", 1_000, Some("R rounds: “many” is no whole number from 1 to 100\u{202f}000; 1000 is used."));
    }
}
