//! Where the paper's text, the authors' code and theory differ: the switches of the paper's figures.

use std::fmt;

use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Start;
use crate::sim::schedule::Schedule;

/// FedLin's step is constant, in the paper and in the authors' code.
pub const FEDLIN: Method = Method { solver: Solver::FedLin, schedule: Schedule::Constant };

/// Options of a switch: how each is written in a link, and on the page. The first is the default.
macro_rules! options {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $option:ident = ($word:literal, $label:literal),)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$doc])* $option,)+
        }

        impl $name {
            /// All of them, the default first.
            pub const ALL: &[Self] = &[$(Self::$option),+];

            /// Its word in a link. No two options of any switches share one.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$option => $word,)+ }
            }

            /// Its name on the page.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$option => $label,)+ }
            }
        }
    };
}

options! {
    /// FedAvg's step size.
    Step {
        /// Falls linearly over the rounds: the paper's "linear decreasing step size", read literally.
        OverRounds = ("rounds", "paper’s text"),
        /// α/k in local step k, anew in every round: the authors' code.
        OverLocalSteps = ("local", "authors’ code"),
        /// The same constant as FedLin's: in neither, and what compares like with like.
        Constant = ("constant", "constant"),
    }
}

options! {
    /// Whose system the error is held against.
    ErrorOf {
        /// Client 1's, as the paper says.
        FirstClient = ("first", "client 1"),
        /// Client 1's for FedAvg, the last client's for FedLin: in the authors' code, FedLin's loop over the clients overwrites
        /// the variable that says which one.
        AsCoded = ("coded", "authors’ code"),
    }
}

options! {
    /// The server's first model: "an initial guess" in the paper.
    Begin {
        /// Zero: nothing is known.
        Zero = ("zero", "zero"),
        /// Half of client 1's true matrices: the authors' code.
        Half = ("half", "½ of client 1"),
    }
}

options! {
    /// The estimate that the rounds are held against.
    Estimate {
        /// One least squares on everybody's data: what the proofs are about, and where FedLin ends.
        Pooled = ("pooled", "pooled"),
        /// The mean of everybody's own: the problem as the paper prints it.
        MeanOfLocals = ("mean", "mean of locals"),
    }
}

options! {
    /// How the error is spread along its axis.
    ErrorAxis {
        /// As published.
        Linear = ("linear", "as published"),
        /// Equal ratios equally long: where the curves end can be told apart.
        Log = ("log", "logarithmic"),
    }
}

impl Step {
    /// FedAvg with these steps.
    pub const fn fedavg(self) -> Method {
        let schedule = match self {
            Self::OverRounds => Schedule::OverRounds,
            Self::OverLocalSteps => Schedule::OverLocalSteps,
            Self::Constant => Schedule::Constant,
        };
        Method { solver: Solver::FedAvg, schedule }
    }
}

impl Begin {
    /// The first model.
    pub const fn start(self) -> Start {
        match self {
            Self::Zero => Start::Zero,
            Self::Half => Start::HalfOfClient1,
        }
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Zero => Self::Half,
            Self::Half => Self::Zero,
        }
    }
}

impl Estimate {
    /// The estimate.
    pub const fn reference(self) -> Reference {
        match self {
            Self::Pooled => Reference::Pooled,
            Self::MeanOfLocals => Reference::MeanOfLocals,
        }
    }
}

/// One of the switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Switch {
    /// [`Step`].
    Step,
    /// [`ErrorOf`].
    ErrorOf,
    /// [`Begin`].
    Begin,
    /// [`Estimate`].
    Estimate,
    /// [`ErrorAxis`].
    ErrorAxis,
}

impl Switch {
    /// All of them, in the order of the page.
    pub const ALL: [Self; 5] = [Self::Step, Self::ErrorOf, Self::Begin, Self::Estimate, Self::ErrorAxis];

    /// A word for style sheets and form fields.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::ErrorOf => "error-of",
            Self::Begin => "begin",
            Self::Estimate => "estimate",
            Self::ErrorAxis => "axis",
        }
    }

    /// Its name on the page.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Step => "FedAvg’s step",
            Self::ErrorOf => "error of",
            Self::Begin => "start",
            Self::Estimate => "held against",
            Self::ErrorAxis => "error axis",
        }
    }

    /// Word and name of each option, the default first.
    pub fn options(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Step => Step::ALL.iter().map(|option| (option.word(), option.name())).collect(),
            Self::ErrorOf => ErrorOf::ALL.iter().map(|option| (option.word(), option.name())).collect(),
            Self::Begin => Begin::ALL.iter().map(|option| (option.word(), option.name())).collect(),
            Self::Estimate => Estimate::ALL.iter().map(|option| (option.word(), option.name())).collect(),
            Self::ErrorAxis => ErrorAxis::ALL.iter().map(|option| (option.word(), option.name())).collect(),
        }
    }
}

/// How the figures are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switches {
    /// FedAvg's step size.
    pub step: Step,
    /// Whose system the error is held against.
    pub error_of: ErrorOf,
    /// The server's first model.
    pub begin: Begin,
    /// The estimate that the rounds are held against.
    pub estimate: Estimate,
    /// How the error is spread along its axis.
    pub axis: ErrorAxis,
}

/// The paper's text.
impl Default for Switches {
    fn default() -> Self {
        Self::TEXT
    }
}

impl Switches {
    /// What the paper's text says. Where it leaves a choice: from zero, which takes no knowledge, and held against pooled least
    /// squares, which its proofs are about. (Its problem (FL) is printed as the mean of locals.)
    pub const TEXT: Self = Self {
        step: Step::OverRounds,
        error_of: ErrorOf::FirstClient,
        begin: Begin::Zero,
        estimate: Estimate::Pooled,
        axis: ErrorAxis::Linear,
    };

    /// What the authors' code does: what the published figures were made with.
    pub const CODE: Self =
        Self { step: Step::OverLocalSteps, error_of: ErrorOf::AsCoded, begin: Begin::Half, ..Self::TEXT };

    /// The word of a switch's option.
    pub const fn word(&self, switch: Switch) -> &'static str {
        match switch {
            Switch::Step => self.step.word(),
            Switch::ErrorOf => self.error_of.word(),
            Switch::Begin => self.begin.word(),
            Switch::Estimate => self.estimate.word(),
            Switch::ErrorAxis => self.axis.word(),
        }
    }

    /// Sets the switch that has an option of this word, in capitals or not; whether there is one.
    pub fn choose(&mut self, word: &str) -> bool {
        fn find<T: Copy>(options: &[T], word_of: fn(T) -> &'static str, word: &str) -> Option<T> {
            options.iter().copied().find(|&option| word_of(option).eq_ignore_ascii_case(word))
        }
        if let Some(step) = find(Step::ALL, Step::word, word) {
            self.step = step;
        } else if let Some(error_of) = find(ErrorOf::ALL, ErrorOf::word, word) {
            self.error_of = error_of;
        } else if let Some(begin) = find(Begin::ALL, Begin::word, word) {
            self.begin = begin;
        } else if let Some(estimate) = find(Estimate::ALL, Estimate::word, word) {
            self.estimate = estimate;
        } else if let Some(axis) = find(ErrorAxis::ALL, ErrorAxis::word, word) {
            self.axis = axis;
        } else {
            return false;
        }
        true
    }

    /// Reads what [`Display`](fmt::Display) writes, with the words that are no option's; the last word of a switch counts.
    pub fn read(text: &str) -> (Self, Vec<&str>) {
        let mut switches = Self::default();
        let words = text.split([',', ' ', '+']).filter(|word| !word.is_empty());
        let unknown = words.filter(|word| !word.eq_ignore_ascii_case(DEFAULT) && !switches.choose(word)).collect();
        (switches, unknown)
    }
}

/// The word for all defaults.
const DEFAULT: &str = "text";

/// The words that differ from the defaults, for a link: "local,coded,half"; "text" if none does.
impl fmt::Display for Switches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = Switch::ALL.map(|switch| (self.word(switch), Self::default().word(switch)));
        let changed: Vec<_> = words.iter().filter(|(word, default)| word != default).map(|(word, _)| *word).collect();
        f.write_str(if changed.is_empty() { DEFAULT.into() } else { changed.join(",") }.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of options.
    fn all() -> Vec<Switches> {
        let mut all = vec![Switches::default()];
        for switch in Switch::ALL {
            let with = |switches: &Switches, word| {
                let mut switches = *switches;
                assert!(switches.choose(word), "{word}");
                switches
            };
            let words = || switch.options().into_iter().map(|(word, _)| word);
            all = all.iter().flat_map(|switches| words().map(move |word| with(switches, word))).collect();
        }
        all
    }

    #[test]
    fn a_link_brings_every_combination_back() {
        let all = all();
        assert_eq!(all.len(), 48);
        for switches in all {
            let link = switches.to_string();
            assert_eq!(Switches::read(&link.to_uppercase()), (switches, Vec::new()), "{link}");
        }
    }

    #[test]
    fn no_two_options_share_a_word() {
        let mut words: Vec<_> = Switch::ALL.iter().flat_map(|switch| switch.options()).map(|(word, _)| word).collect();
        words.push(DEFAULT);
        let n_words = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), n_words);
    }

    #[test]
    fn a_garbled_link_is_read_as_far_as_it_goes() {
        #[track_caller]
        fn check(text: &str, link: &str, unknown: &[&str]) {
            let (switches, found) = Switches::read(text);
            assert_eq!((switches.to_string().as_str(), found.as_slice()), (link, unknown));
        }
        check("", "text", &[]);
        check("half,moon", "half", &["moon"]);
        check("local+coded half", "local,coded,half", &[]);
        check("zero,half", "half", &[]);
        assert_eq!(Switches::CODE.to_string(), "local,coded,half");
    }
}
