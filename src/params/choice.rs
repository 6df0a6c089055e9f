//! Settings whose value is one of several words.

use fedsysid_say::text;
use std::fmt;

use crate::sim::family::Placement;
use crate::sim::scenario::{GradientScale, Start};
use crate::sim::schedule::Schedule;
use crate::sim::target::Target;

/// A setting whose value is one of several words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Schedule of the step size of FedAvg and of the methods with the same local steps.
    Schedule,
    /// The server's first model.
    Start,
    /// The system against which errors are measured: one client's, the worst client's, or all clients' in the mean.
    Target,
    /// Placement of the clients' systems in the family.
    Placement,
    /// How the participants of a round are drawn.
    Sampling,
    /// Whether a gradient is the sum or the mean over a client's samples.
    Gradient,
}

/// A row of the table of choices.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// Which choice this is.
    pub choice: Choice,
    /// The key in a link: `schedule` in `?schedule=local`.
    pub link: &'static str,
    name: &'static str,
    /// The options, the default first.
    pub options: &'static [Opt],
    help: &'static str,
}

/// One option of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Opt {
    /// The word in a link.
    pub word: &'static str,
    label: &'static str,
    help: &'static str,
}

impl Spec {
    /// The name in words, lower case.
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    /// What the choice changes.
    pub fn help(&self) -> &'static str {
        text(self.help)
    }
}

impl Opt {
    /// The label on the page.
    pub fn label(&self) -> &'static str {
        text(self.label)
    }

    /// What happens with this option.
    pub fn help(&self) -> &'static str {
        text(self.help)
    }
}

const fn opt(word: &'static str, label: &'static str, help: &'static str) -> Opt {
    Opt { word, label, help }
}

/// Every choice, in the order of the page and of links.
pub static CHOICES: [Spec; Choice::COUNT] = [
    Spec {
        choice: Choice::Schedule,
        link: "schedule",
        name: "FedAvg’s step",
        options: &[
            opt("constant", "constant", "α at every step, as FedLin has it: the two compare like with like."),
            opt(
                "local",
                "α/k",
                "α/k at local step k, anew in every round, as in the authors’ code: FedAvg needs many more rounds.",
            ),
            opt(
                "rounds",
                "decreasing",
                "Falls linearly over the rounds, starting at α, as the paper’s text says: the last rounds hardly move.",
            ),
            opt("harmonic", "α/(r+1)", "α/(r+1) in round r: steps that never end, and yet fade."),
        ],
        help: "FedLin’s step is always the constant α, in the paper and in the authors’ code. All others take this one.",
    },
    Spec {
        choice: Choice::Start,
        link: "start",
        name: "start",
        options: &[
            opt("zero", "zero", "The server knows nothing: all entries are 0."),
            opt("nominal", "nominal", "The family’s nominal system: the truth, but for what makes clients differ."),
            opt(
                "half",
                "½ of client 1",
                "Half of client 1’s true matrices, as in the authors’ code: the curve starts at half the error.",
            ),
        ],
        help: "The server’s model before the first round. It moves the curve’s left end, not its floor.",
    },
    Spec {
        choice: Choice::Target,
        link: "target",
        name: "error of",
        options: &[
            opt(
                "first",
                "one client",
                "How far the model is from one client’s system: client 1’s, as in the paper, or another’s.",
            ),
            opt("worst", "worst", "The largest error of any client: is anybody left behind?"),
            opt("mean", "mean", "The clients’ errors, averaged."),
        ],
        help: "Whose system the error is measured against.",
    },
    Spec {
        choice: Choice::Placement,
        link: "place",
        name: "clients’ systems",
        options: &[
            opt("uniform", "uniform", "Anywhere in the family, as in the paper."),
            opt("clusters", "two clusters", "Half of the clients near either end of the family."),
            opt("outlier", "one outlier", "All clients near one end of the family, but client 2 at the other."),
        ],
        help: "How the clients’ systems are spread over the extent ε of the family.",
    },
    Spec {
        choice: Choice::Sampling,
        link: "sampling",
        name: "participants",
        options: &[
            opt("share", "a fixed share", "A share of the clients, drawn anew in every round."),
            opt("dropout", "dropout", "Each client takes part with that probability, whatever the others do."),
        ],
        help: "How those who take part in a round are drawn. It matters once participation is below 1.",
    },
    Spec {
        choice: Choice::Gradient,
        link: "gradient",
        name: "gradient",
        options: &[
            opt("sum", "sum", "The sum over a client’s samples, as in the paper: more data also make larger steps."),
            opt("mean", "mean", "The mean over a client’s samples: set α some hundred times larger."),
        ],
        help: "What one local step follows.",
    },
];

impl Choice {
    /// Number of choices.
    pub const COUNT: usize = 6;

    /// Its row of the table.
    pub fn spec(self) -> &'static Spec {
        &CHOICES[self as usize]
    }
}

/// The values that the options of [`Choice::Schedule`] stand for, in their order.
pub const SCHEDULES: [Schedule; 4] =
    [Schedule::Constant, Schedule::OverLocalSteps, Schedule::OverRounds, Schedule::Harmonic];
/// The values of the options of [`Choice::Start`].
pub const STARTS: [Start; 3] = [Start::Zero, Start::Nominal, Start::HalfOfClient1];
/// The values of the options of [`Choice::Target`].
pub const TARGETS: [Target; 3] = [Target::Client(0), Target::Worst, Target::Mean];
/// The values of the options of [`Choice::Placement`].
pub const PLACEMENTS: [Placement; 3] = [Placement::Uniform, Placement::TwoClusters, Placement::OneOutlier];
/// The values of the options of [`Choice::Gradient`].
pub const GRADIENTS: [GradientScale; 2] = [GradientScale::Sum, GradientScale::Mean];

impl Spec {
    /// The index of the option whose word in a link is `word`, upper or lower case.
    pub fn by_word(&self, word: &str) -> Option<usize> {
        by_word(self.options, word)
    }

    /// The allowed words: "constant, local, rounds".
    pub fn allowed(&self) -> String {
        allowed(self.options)
    }
}

fn by_word(options: &[Opt], word: &str) -> Option<usize> {
    options.iter().position(|option| option.word.eq_ignore_ascii_case(word))
}

fn allowed(options: &[Opt]) -> String {
    let words: Vec<_> = options.iter().map(|option| option.word).collect();
    words.join(", ")
}

/// A federated method, without the strength of its pull or penalty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Gradient correction.
    FedLin,
    /// Federated averaging.
    FedAvg,
    /// With a pull to the server's model.
    FedProx,
    /// With control variates.
    Scaffold,
    /// With dual variables.
    FedAdmm,
    /// One model for each cluster.
    Clustered,
    /// Median at the server.
    Median,
}

impl Algorithm {
    /// All algorithms, in the order of the page.
    pub const ALL: [Self; 7] =
        [Self::FedLin, Self::FedAvg, Self::FedProx, Self::Scaffold, Self::FedAdmm, Self::Clustered, Self::Median];

    /// Its word in a link, its label and its help.
    pub fn option(self) -> &'static Opt {
        &ALGORITHMS[self as usize]
    }
}

/// The key of the algorithms in a link.
pub const ALGORITHMS_LINK: &str = "alg";

/// The words of the algorithms, in the order of [`Algorithm::ALL`].
static ALGORITHMS: [Opt; Algorithm::ALL.len()] = [
    opt(
        "fedlin",
        "FedLin",
        "Corrects every local step by the server’s gradient: its floor is pooled least squares, whatever K.",
    ),
    opt(
        "fedavg",
        "FedAvg",
        "Averages what the clients reach alone: with larger K or α its floor moves to the mean of local solutions.",
    ),
    opt("fedprox", "FedProx", "FedAvg held back by a pull μ to the server’s model: less drift, slower."),
    opt(
        "scaffold",
        "SCAFFOLD",
        "Corrects by remembered gradients: FedLin’s floor, with nothing sent ahead of a round.",
    ),
    opt("fedadmm", "FedADMM", "Solves exactly, held together by dual variables; a sparsity γ sets small entries to 0."),
    opt("clustered", "Clustered", "Every client joins the cluster whose model fits it best, and averages within it."),
    opt("median", "Median", "FedAvg with the median of each entry at the server: an outlier moves it little."),
];

/// The set of algorithms that run: any subset, even the empty one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithms(u8);

impl Algorithms {
    /// No algorithm: only the reference lines are drawn.
    pub const NONE: Self = Self(0);
    /// The paper's two algorithms, FedLin and FedAvg.
    pub const PAPER: Self = Self(0b11);

    /// Whether `algorithm` runs.
    pub fn contains(self, algorithm: Algorithm) -> bool {
        self.0 >> algorithm as u8 & 1 == 1
    }

    /// The same set with `algorithm` added or removed.
    #[must_use]
    pub fn with(self, algorithm: Algorithm, runs: bool) -> Self {
        let bit = 1 << algorithm as u8;
        Self(if runs { self.0 | bit } else { self.0 & !bit })
    }

    /// The algorithms that run, in the order of the page.
    pub fn iter(self) -> impl Iterator<Item = Algorithm> {
        Algorithm::ALL.into_iter().filter(move |&algorithm| self.contains(algorithm))
    }

    /// The algorithm whose word in a link is `word`, upper or lower case.
    pub fn by_word(word: &str) -> Option<Algorithm> {
        by_word(&ALGORITHMS, word).map(|index| Algorithm::ALL[index])
    }

    /// The allowed words.
    pub fn allowed() -> String {
        allowed(&ALGORITHMS)
    }
}

/// The words as in a link: "fedlin,fedavg", or "none".
impl fmt::Display for Algorithms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE {
            return f.write_str(NONE_WORD);
        }
        let words: Vec<_> = self.iter().map(|algorithm| algorithm.option().word).collect();
        f.write_str(&words.join(","))
    }
}

/// The word for the empty set of algorithms.
pub(super) const NONE_WORD: &str = "none";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_choices_and_have_a_value_an_option() {
        for (index, spec) in CHOICES.iter().enumerate() {
            assert_eq!(spec.choice as usize, index, "{}", spec.link);
        }
        let n_options = |choice: Choice| choice.spec().options.len();
        assert_eq!(n_options(Choice::Schedule), SCHEDULES.len());
        assert_eq!(n_options(Choice::Start), STARTS.len());
        assert_eq!(n_options(Choice::Target), TARGETS.len());
        assert_eq!(n_options(Choice::Placement), PLACEMENTS.len());
        assert_eq!(n_options(Choice::Gradient), GRADIENTS.len());
    }

    #[test]
    fn every_word_finds_its_option_in_capitals_too() {
        for spec in &CHOICES {
            for (index, option) in spec.options.iter().enumerate() {
                assert_eq!(spec.by_word(&option.word.to_uppercase()), Some(index));
            }
            assert!(spec.by_word("").is_none() && spec.by_word("other").is_none());
        }
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithms::by_word(&algorithm.option().word.to_uppercase()), Some(algorithm));
        }
        assert_eq!(Algorithms::by_word("other"), None);
    }

    #[test]
    fn every_subset_of_algorithms_has_its_words() {
        #[track_caller]
        fn check(set: Algorithms, expected: &str) {
            assert_eq!(set.to_string(), expected);
        }
        check(Algorithms::PAPER, "fedlin,fedavg");
        check(Algorithms::PAPER.with(Algorithm::FedLin, false), "fedavg");
        check(Algorithms::NONE.with(Algorithm::Median, true).with(Algorithm::FedLin, true), "fedlin,median");
        check(Algorithms::NONE, "none");
    }
}
