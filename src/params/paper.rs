//! The paper's figures, and switches for the points on which the paper's text, the authors' code and theory differ.
//!
//! "FedSysID: A Federated Approach to Sample-Efficient System Identification" (arXiv 2211.14393), its numerical section
//! and appendix, and the MATLAB code that its authors published.

use super::word::Word;
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Start;
use crate::sim::schedule::Schedule;

/// One of the paper's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PaperFigure {
    /// FedLin with growing numbers of clients.
    #[default]
    LinClients,
    /// FedLin with growing numbers of rollouts.
    LinRollouts,
    /// FedLin with growing differences between clients.
    LinHeterogeneity,
    /// FedAvg with growing numbers of clients.
    AvgClients,
    /// FedAvg with growing numbers of rollouts.
    AvgRollouts,
    /// FedAvg with growing differences between clients.
    AvgHeterogeneity,
    /// FedLin compared with FedAvg: the appendix's figure.
    Comparison,
}

impl Word for PaperFigure {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::LinClients, "1a", "1(a)"),
        (Self::LinRollouts, "1b", "1(b)"),
        (Self::LinHeterogeneity, "1c", "1(c)"),
        (Self::AvgClients, "2a", "2(a)"),
        (Self::AvgRollouts, "2b", "2(b)"),
        (Self::AvgHeterogeneity, "2c", "2(c)"),
        (Self::Comparison, "3", "3"),
    ];
}

/// FedAvg's step size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FedAvgSchedule {
    /// Falls linearly over the rounds: the paper's "linear decreasing step size", read literally.
    #[default]
    OverRounds,
    /// α/k in local step k, starting again in every round: the authors' code.
    OverLocalSteps,
    /// FedLin's constant step size: in neither, but it compares like with like.
    Constant,
}

impl Word for FedAvgSchedule {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::OverRounds, "rounds", "paper’s text"),
        (Self::OverLocalSteps, "local", "authors’ code"),
        (Self::Constant, "constant", "constant"),
    ];
}

impl FedAvgSchedule {
    /// FedAvg with this step size.
    pub const fn fedavg(self) -> Method {
        let schedule = match self {
            Self::OverRounds => Schedule::OverRounds,
            Self::OverLocalSteps => Schedule::OverLocalSteps,
            Self::Constant => Schedule::Constant,
        };
        Method { solver: Solver::FedAvg, schedule }
    }
}

/// The client against whose system the error is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorOf {
    /// Client 1's, as the paper says.
    #[default]
    FirstClient,
    /// Client 1 for FedAvg, the last client for FedLin: in the authors' code, FedLin's loop over the clients overwrites
    /// the variable with the client's index.
    AsCoded,
}

impl Word for ErrorOf {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::FirstClient, "first", "client 1"), (Self::AsCoded, "coded", "authors’ code")];
}

/// The server's first model; the paper says "an initial guess".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Begin {
    /// Zero: no prior knowledge.
    #[default]
    Zero,
    /// Half of client 1's true matrices: the authors' code.
    Half,
}

impl Word for Begin {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Zero, "zero", "zero"), (Self::Half, "half", "½ of client 1")];
}

impl Begin {
    /// The first model as a setting of the simulation.
    pub const fn start(self) -> Start {
        match self {
            Self::Zero => Start::Zero,
            Self::Half => Start::HalfOfClient1,
        }
    }

    /// The other option.
    pub const fn other(self) -> Self {
        match self {
            Self::Zero => Self::Half,
            Self::Half => Self::Zero,
        }
    }
}

/// The estimate with which the rounds are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Estimate {
    /// Pooled least squares on all clients' data: the subject of the proofs, and the limit of FedLin.
    #[default]
    Pooled,
    /// The mean of the clients' own least squares: the problem as the paper prints it.
    MeanOfLocals,
}

impl Word for Estimate {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Pooled, "pooled", "pooled"), (Self::MeanOfLocals, "mean", "mean of locals")];
}

impl Estimate {
    /// The estimate as a reference of the simulation.
    pub const fn reference(self) -> Reference {
        match self {
            Self::Pooled => Reference::Pooled,
            Self::MeanOfLocals => Reference::MeanOfLocals,
        }
    }
}

/// The scale of the error axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ErrorAxis {
    /// Linear, as published.
    #[default]
    Linear,
    /// Logarithmic: the ends of the curves can be told apart.
    Log,
}

impl Word for ErrorAxis {
    const ALL: &'static [(Self, &'static str, &'static str)] =
        &[(Self::Linear, "linear", "as published"), (Self::Log, "log", "logarithmic")];
}

/// One of the switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Switch {
    /// [`FedAvgSchedule`].
    #[default]
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

/// Keys in a link, and names on the page.
impl Word for Switch {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Step, "steps", "FedAvg’s step"),
        (Self::ErrorOf, "of", "error of"),
        (Self::Begin, "begin", "start"),
        (Self::Estimate, "estimate", "held against"),
        (Self::ErrorAxis, "errors", "error axis"),
    ];
}

impl Switch {
    /// Word and name of each option, the default first.
    pub fn options(self) -> Vec<(&'static str, &'static str)> {
        match self {
            Self::Step => options::<FedAvgSchedule>(),
            Self::ErrorOf => options::<ErrorOf>(),
            Self::Begin => options::<Begin>(),
            Self::Estimate => options::<Estimate>(),
            Self::ErrorAxis => options::<ErrorAxis>(),
        }
    }
}

fn options<W: Word>() -> Vec<(&'static str, &'static str)> {
    W::ALL.iter().map(|(value, word, _)| (*word, value.name())).collect()
}

/// The options of all switches. The default is [`Switches::TEXT`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Switches {
    /// FedAvg's step size.
    pub step: FedAvgSchedule,
    /// The client against whose system the error is measured.
    pub error_of: ErrorOf,
    /// The server's first model.
    pub begin: Begin,
    /// The estimate with which the rounds are compared.
    pub estimate: Estimate,
    /// The scale of the error axis.
    pub axis: ErrorAxis,
}

impl Switch {
    /// The word of the default option.
    pub fn default_word(self) -> &'static str {
        Switches::TEXT.word(self)
    }
}

impl Switches {
    /// What the paper's text says. Where the text leaves a choice: start from zero, which needs no knowledge, and
    /// compare with pooled least squares, the subject of its proofs. (Its problem (FL) is printed as the mean of
    /// locals.)
    pub const TEXT: Self = Self {
        step: FedAvgSchedule::OverRounds,
        error_of: ErrorOf::FirstClient,
        begin: Begin::Zero,
        estimate: Estimate::Pooled,
        axis: ErrorAxis::Linear,
    };

    /// What the authors' code does.
    pub const CODE: Self =
        Self { step: FedAvgSchedule::OverLocalSteps, error_of: ErrorOf::AsCoded, begin: Begin::Half, ..Self::TEXT };

    /// The word of the chosen option of a switch.
    pub fn word(&self, switch: Switch) -> &'static str {
        match switch {
            Switch::Step => self.step.word(),
            Switch::ErrorOf => self.error_of.word(),
            Switch::Begin => self.begin.word(),
            Switch::Estimate => self.estimate.word(),
            Switch::ErrorAxis => self.axis.word(),
        }
    }

    /// Sets a switch to the option with this word; returns whether there is one.
    pub fn choose(&mut self, switch: Switch, word: &str) -> bool {
        match switch {
            Switch::Step => set(&mut self.step, word),
            Switch::ErrorOf => set(&mut self.error_of, word),
            Switch::Begin => set(&mut self.begin, word),
            Switch::Estimate => set(&mut self.estimate, word),
            Switch::ErrorAxis => set(&mut self.axis, word),
        }
    }

    /// These switches with the error axis of `other`: the axis belongs to neither the text nor the code.
    #[must_use]
    pub fn drawn_as(self, other: Self) -> Self {
        Self { axis: other.axis, ..self }
    }
}

fn set<W: Word>(value: &mut W, word: &str) -> bool {
    let found = W::by_word(word);
    *value = found.unwrap_or(*value);
    found.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All combinations of options.
    fn all() -> Vec<Switches> {
        let mut all = vec![Switches::default()];
        for (switch, ..) in Switch::ALL {
            let with = |switches: &Switches, word| {
                let mut switches = *switches;
                assert!(switches.choose(*switch, word), "{word}");
                assert_eq!(switches.word(*switch), word);
                switches
            };
            let words = || switch.options().into_iter().map(|(word, _)| word);
            all = all.iter().flat_map(|switches| words().map(move |word| with(switches, word))).collect();
        }
        all
    }

    #[test]
    fn every_combination_can_be_chosen() {
        let all = all();
        let n_different = all.iter().collect::<std::collections::HashSet<_>>().len();
        assert_eq!((all.len(), n_different), (48, 48));
        assert!(all.contains(&Switches::CODE));
        assert_eq!(Switches::default(), Switches::TEXT);
    }

    #[test]
    fn another_word_changes_nothing() {
        let mut switches = Switches::CODE;
        assert!(!switches.choose(Switch::Begin, "moon"));
        assert_eq!(switches, Switches::CODE);
    }

    #[test]
    fn figures_have_words_of_their_own() {
        for (figure, word, _) in PaperFigure::ALL {
            assert_eq!(PaperFigure::by_word(&word.to_uppercase()), Some(*figure));
        }
        assert_eq!(PaperFigure::by_word("4"), None);
        assert_eq!(PaperFigure::default().word(), "1a");
    }
}
