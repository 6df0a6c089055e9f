//! Settings that are a choice among words.

use std::fmt;

use crate::sim::method::Solver;
use crate::sim::scenario::Start;
use crate::sim::schedule::Schedule;

/// One of several values, each with a word.
#[derive(Clone, Copy, Debug)]
pub struct Choice<T: 'static> {
    /// The key in a link: `schedule` in `?schedule=local`.
    pub link: &'static str,
    /// The name in words, lower case.
    pub name: &'static str,
    /// The values, the default first.
    pub options: &'static [Opt<T>],
    /// What the choice is about.
    pub help: &'static str,
}

/// One option of a [`Choice`].
#[derive(Clone, Copy, Debug)]
pub struct Opt<T> {
    /// The value.
    pub value: T,
    /// The word in a link.
    pub word: &'static str,
    /// The label on the page.
    pub label: &'static str,
    /// What to expect of it.
    pub help: &'static str,
}

/// The set of algorithms that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithms {
    fedlin: bool,
    fedavg: bool,
}

/// Which algorithms run; any subset, also none.
pub static ALGORITHMS: Choice<Solver> = Choice {
    link: "alg",
    name: "algorithms",
    options: &[
        Opt {
            value: Solver::FedLin,
            word: "fedlin",
            label: "FedLin",
            help: "Corrects every local step by the server’s gradient: its floor is pooled least squares, whatever K.",
        },
        Opt {
            value: Solver::FedAvg,
            word: "fedavg",
            label: "FedAvg",
            help: "Averages what the clients reach alone: with larger K or α its floor moves to the mean of local solutions.",
        },
    ],
    help: "Each one draws its own curve, on the same data.",
};

/// FedAvg's step size over time.
pub static SCHEDULE: Choice<Schedule> = Choice {
    link: "schedule",
    name: "FedAvg’s step",
    options: &[
        Opt {
            value: Schedule::Constant,
            word: "constant",
            label: "constant",
            help: "α at every step, as FedLin has it: the two compare like with like.",
        },
        Opt {
            value: Schedule::OverLocalSteps,
            word: "local",
            label: "α/k",
            help: "α/k at local step k, anew in every round, as in the authors’ code: FedAvg needs many more rounds.",
        },
        Opt {
            value: Schedule::OverRounds,
            word: "rounds",
            label: "decreasing",
            help: "Falls linearly over the rounds, starting at α, as the paper’s text says: the last rounds hardly move.",
        },
    ],
    help: "FedLin’s step is always the constant α, in the paper and in the authors’ code. FedAvg’s differs between the two.",
};

/// The model that the server starts from.
pub static START: Choice<Start> = Choice {
    link: "start",
    name: "start",
    options: &[
        Opt { value: Start::Zero, word: "zero", label: "zero", help: "The server knows nothing: all entries are 0." },
        Opt {
            value: Start::HalfOfClient1,
            word: "half",
            label: "½ of client 1",
            help: "Half of client 1’s true matrices, as in the authors’ code: the curve starts at half the error.",
        },
    ],
    help: "The server’s model before the first round. It moves the curve’s left end, not its floor.",
};

impl<T: Copy + PartialEq> Choice<T> {
    /// The option whose word in a link is `word`, in capitals or not.
    pub fn by_word(&self, word: &str) -> Option<&'static Opt<T>> {
        self.options.iter().find(|option| option.word.eq_ignore_ascii_case(word))
    }

    /// The option of `value`, if the choice has it.
    pub fn option(&self, value: T) -> Option<&'static Opt<T>> {
        self.options.iter().find(|option| option.value == value)
    }

    /// The word of `value` in a link.
    pub fn word(&self, value: T) -> &'static str {
        self.option(value).map_or("", |option| option.word)
    }

    /// The allowed words: "constant, local, rounds".
    pub fn allowed(&self) -> String {
        let words: Vec<_> = self.options.iter().map(|option| option.word).collect();
        words.join(", ")
    }
}

impl Algorithms {
    /// No algorithm: only the reference lines are drawn.
    pub const NONE: Self = Self { fedlin: false, fedavg: false };
    /// Both.
    pub const ALL: Self = Self { fedlin: true, fedavg: true };

    /// Whether `algorithm` runs.
    pub fn contains(self, algorithm: Solver) -> bool {
        match algorithm {
            Solver::FedLin => self.fedlin,
            Solver::FedAvg => self.fedavg,
        }
    }

    /// The same set with `algorithm` in it, or not.
    #[must_use]
    pub fn with(mut self, algorithm: Solver, runs: bool) -> Self {
        match algorithm {
            Solver::FedLin => self.fedlin = runs,
            Solver::FedAvg => self.fedavg = runs,
        }
        self
    }

    /// The algorithms that run, in the order of the page.
    pub fn iter(self) -> impl Iterator<Item = Solver> {
        ALGORITHMS.options.iter().map(|option| option.value).filter(move |&algorithm| self.contains(algorithm))
    }
}

/// The words in a link: "fedlin,fedavg", or "none".
impl fmt::Display for Algorithms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str(NONE_WORD);
        }
        let words: Vec<_> = self.iter().map(|algorithm| ALGORITHMS.word(algorithm)).collect();
        f.write_str(&words.join(","))
    }
}

/// The word for no algorithm at all.
pub(super) const NONE_WORD: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_finds_its_option_in_capitals_too() {
        #[track_caller]
        fn check<T: Copy + PartialEq + std::fmt::Debug>(choice: &Choice<T>) {
            for option in choice.options {
                let found = choice.by_word(&option.word.to_uppercase()).map(|found| found.value);
                assert_eq!(found, Some(option.value));
                assert_eq!(choice.word(option.value), option.word);
            }
            assert!(choice.by_word("").is_none() && choice.by_word("other").is_none());
        }
        check(&ALGORITHMS);
        check(&SCHEDULE);
        check(&START);
    }

    #[test]
    fn every_subset_of_algorithms_has_its_words() {
        #[track_caller]
        fn check(set: Algorithms, expected: &str) {
            assert_eq!(set.to_string(), expected);
        }
        check(Algorithms::ALL, "fedlin,fedavg");
        check(Algorithms::ALL.with(Solver::FedLin, false), "fedavg");
        check(Algorithms::NONE.with(Solver::FedLin, true), "fedlin");
        check(Algorithms::NONE, "none");
    }
}
