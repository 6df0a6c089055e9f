//! The paper's figures: error against round at the paper's settings, one curve per value of the varied setting.
//!
//! - [`plan`]: the experiments behind a figure;
//! - [`lines`]: measurements along its curves; [`picture`]: the figure;
//! - [`words`]: the paper's claims beside this run's measurements, and the effect of each switch; [`markup`]: the
//!   claims as markup.
//!
//! [`params::paper`](crate::params::paper) has the choice of the figure and the switches. The paper gives no number of
//! rounds; 200 is that of the authors' code.

pub mod lines;
pub mod markup;
pub mod picture;
pub mod words;

use crate::dashboard::results::sweep::{Plan, Sweep};
use crate::figure::number::{count, number};
use crate::params::paper::{Begin, ErrorOf, FedAvgSchedule, PaperFigure, Switches};
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::plan::{DataPlan, NoiseLevels};
use crate::sim::scenario::Settings;
use crate::sim::stream::Seed;
use crate::sim::target::Target;
use fedsysid_say::say;

/// Number of data sets behind every curve.
const N_TRIALS: usize = 25;

/// The values of the varied settings.
const CLIENTS: [usize; 5] = [1, 2, 5, 25, 100];
const ROLLOUTS: [usize; 5] = [5, 25, 50, 75, 100];
const HETEROGENEITIES: [f64; 5] = [0.01, 0.1, 0.25, 0.5, 0.75];

/// The methods that run on the same data: FedLin, and FedAvg with every step size schedule, so that its switch reruns
/// nothing.
const METHODS: [Method; 4] = [
    FEDLIN,
    FedAvgSchedule::OverRounds.fedavg(),
    FedAvgSchedule::OverLocalSteps.fedavg(),
    FedAvgSchedule::Constant.fedavg(),
];

/// The setting that a figure varies; the others are M = 50, N = 25 and ε = 0.01 (N = 25 where M varies).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Varied {
    /// Clients M.
    Clients,
    /// Rollouts N.
    Rollouts,
    /// Heterogeneity ε.
    Heterogeneity,
    /// Nothing.
    Nothing,
}

/// The methods whose curves a figure shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShownMethods {
    /// FedLin's.
    FedLin,
    /// FedAvg's.
    FedAvg,
    /// Both methods'.
    Both,
}

/// FedLin: its step size is constant, in the paper and in the authors' code.
pub const FEDLIN: Method = Method::constant(Solver::FedLin);

impl PaperFigure {
    /// Title of the figure.
    pub fn title(self) -> &'static str {
        match self {
            Self::LinClients => say!("FedLin with more and more clients"),
            Self::LinRollouts => say!("FedLin with more and more rollouts"),
            Self::LinHeterogeneity => say!("FedLin with clients that differ more and more"),
            Self::AvgClients => say!("FedAvg with more and more clients"),
            Self::AvgRollouts => say!("FedAvg with more and more rollouts"),
            Self::AvgHeterogeneity => say!("FedAvg with clients that differ more and more"),
            Self::Comparison => say!("FedLin against FedAvg"),
        }
    }

    /// The setting that the figure varies.
    pub const fn varied(self) -> Varied {
        match self {
            Self::LinClients | Self::AvgClients => Varied::Clients,
            Self::LinRollouts | Self::AvgRollouts => Varied::Rollouts,
            Self::LinHeterogeneity | Self::AvgHeterogeneity => Varied::Heterogeneity,
            Self::Comparison => Varied::Nothing,
        }
    }

    /// The methods whose curves the figure shows.
    pub const fn shown(self) -> ShownMethods {
        match self {
            Self::LinClients | Self::LinRollouts | Self::LinHeterogeneity => ShownMethods::FedLin,
            Self::AvgClients | Self::AvgRollouts | Self::AvgHeterogeneity => ShownMethods::FedAvg,
            Self::Comparison => ShownMethods::Both,
        }
    }
}

impl Varied {
    /// Number of values.
    pub const fn n_values(self) -> usize {
        match self {
            Self::Clients => CLIENTS.len(),
            Self::Rollouts => ROLLOUTS.len(),
            Self::Heterogeneity => HETEROGENEITIES.len(),
            Self::Nothing => 1,
        }
    }

    /// Its symbol.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::Clients => "M",
            Self::Rollouts => "N",
            Self::Heterogeneity => "ε",
            Self::Nothing => "",
        }
    }

    /// The value at an index; 1 if nothing varies.
    pub fn value(self, place: usize) -> f64 {
        match self {
            Self::Clients => CLIENTS[place] as f64,
            Self::Rollouts => ROLLOUTS[place] as f64,
            Self::Heterogeneity => HETEROGENEITIES[place],
            Self::Nothing => 1.0,
        }
    }

    /// The setting at an index in words: "M = 25".
    pub fn at(self, place: usize) -> String {
        match self {
            Self::Clients => format!("M = {}", count(CLIENTS[place])),
            Self::Rollouts => format!("N = {}", count(ROLLOUTS[place])),
            Self::Heterogeneity => format!("ε = {}", number(HETEROGENEITIES[place])),
            Self::Nothing => "M = 50, N = 25, ε = 0.01".into(),
        }
    }

    /// Index of the value that the other figures keep, or of the nearest to it.
    pub const fn usual(self) -> usize {
        match self {
            Self::Clients => 3,
            Self::Rollouts => 1,
            Self::Heterogeneity | Self::Nothing => 0,
        }
    }

    /// The paper's experiment at an index.
    fn settings(self, place: usize, methods: &[Method], begin: Begin, (seed, systems_seed): Seeds) -> Settings {
        let mut settings = Settings {
            start: begin.start(),
            methods: methods.to_vec(),
            references: vec![Reference::Pooled, Reference::MeanOfLocals],
            n_trials: N_TRIALS,
            seed,
            systems_seed,
            ..Settings::paper()
        };
        match self {
            Self::Clients => settings.n_clients = CLIENTS[place],
            Self::Rollouts => {
                let plan = DataPlan { n_rollouts: ROLLOUTS[place], rollout_len: 5, noise: NoiseLevels::UNIT };
                settings.data = plan.into();
            }
            Self::Heterogeneity => settings.heterogeneity = HETEROGENEITIES[place],
            Self::Nothing => {}
        }
        settings
    }
}

/// An experiment of a [`plan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Experiment {
    /// At an index, with errors against client 1: FedLin; all methods at the usual index, and at every index if FedAvg
    /// is shown.
    First(usize),
    /// At an index, with errors against the last client: FedLin.
    Last(usize),
    /// At the usual index, from the other start, with errors against client 1: FedLin; all methods if only FedAvg is
    /// shown.
    OtherStart,
}

impl Experiment {
    /// FedLin's experiment at an index.
    fn of_fedlin(error_of: ErrorOf, place: usize) -> Self {
        match error_of {
            ErrorOf::FirstClient => Self::First(place),
            ErrorOf::AsCoded => Self::Last(place),
        }
    }

    /// Its index in the plan.
    fn point(self, varied: Varied) -> usize {
        match self {
            Self::First(place) => place,
            Self::Last(place) => varied.n_values() + place,
            Self::OtherStart => 2 * varied.n_values(),
        }
    }
}

/// The seed of the random numbers, and a separate seed of the systems, if they have one.
pub type Seeds = (Seed, Option<Seed>);

/// The experiments of a figure and of the effects of its switches. They depend on a single switch, the start: all
/// others rerun nothing.
pub fn plan(figure: PaperFigure, switches: Switches, seeds: Seeds) -> Plan {
    let (varied, begin) = (figure.varied(), switches.begin);
    let shows_fedavg = figure.shown() != ShownMethods::FedLin;
    let methods = |all: bool| if all { &METHODS[..] } else { &METHODS[..1] };
    let first = (0..varied.n_values()).map(|place| {
        let all = shows_fedavg || place == varied.usual();
        varied.settings(place, methods(all), begin, seeds)
    });
    let last = (0..varied.n_values()).map(|place| {
        let settings = varied.settings(place, methods(false), begin, seeds);
        Settings { target: Target::Client(settings.n_clients - 1), ..settings }
    });
    let all = figure.shown() == ShownMethods::FedAvg;
    let other = varied.settings(varied.usual(), methods(all), begin.other(), seeds);
    Plan { points: first.chain(last).chain([other]).collect(), series_len: varied.n_values(), ..Plan::default() }
}

/// Whether a sweep consists of a figure's experiments, with any seed.
pub fn is_of(sweep: &Sweep, figure: PaperFigure, switches: Switches) -> bool {
    let seeds = sweep.plan.points.first().map(|settings| (settings.seed, settings.systems_seed));
    seeds.is_some_and(|seeds| sweep.plan == plan(figure, switches, seeds))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::dashboard::results::sweep::tests::complete;
    use crate::params::Word;
    use crate::protocol::Generation;
    use crate::sim::scenario::Scenario;

    /// A figure's sweep with a few data sets, complete.
    pub(crate) fn sweep(figure: PaperFigure, switches: Switches) -> Sweep {
        let mut plan = plan(figure, switches, (Seed(7), None));
        plan.points.iter_mut().for_each(|settings| settings.n_trials = 4);
        complete(&plan)
    }

    #[test]
    fn every_experiment_is_the_papers() {
        for (figure, ..) in PaperFigure::ALL {
            for switches in [Switches::TEXT, Switches::CODE] {
                let plan = plan(*figure, switches, (Seed(3), None));
                assert_eq!(plan.points.len(), 2 * figure.varied().n_values() + 1);
                for settings in plan.points {
                    let usual = [settings.n_clients == 50, settings.heterogeneity.to_bits() == 0.01_f64.to_bits()];
                    assert!(usual.contains(&true), "one thing varies at a time");
                    assert_eq!((settings.n_trials, settings.n_rounds, settings.seed), (25, 200, Seed(3)));
                    assert!(Scenario::new(settings).is_ok());
                }
            }
        }
    }

    #[test]
    fn only_the_start_needs_other_experiments() {
        let of = |figure, switches| plan(figure, switches, (Seed(7), None));
        let text = of(PaperFigure::AvgRollouts, Switches::TEXT);
        let other = Switches { begin: Begin::Zero, ..Switches::CODE };
        assert_eq!(of(PaperFigure::AvgRollouts, other), text);
        assert_ne!(of(PaperFigure::AvgRollouts, Switches::CODE), text);
        assert_ne!(of(PaperFigure::AvgClients, Switches::TEXT), text);
    }

    #[test]
    fn a_sweep_is_told_from_that_of_another_figure() {
        let sweep =
            Sweep::new(plan(PaperFigure::LinClients, Switches::TEXT, (Seed(3), Some(Seed(4)))), Generation(1), 0.0);
        assert!(sweep.plan.points.iter().all(|settings| settings.systems_seed == Some(Seed(4))));
        let constant = Switches { step: FedAvgSchedule::Constant, ..Switches::TEXT };
        assert!(is_of(&sweep, PaperFigure::LinClients, constant));
        assert!(!is_of(&sweep, PaperFigure::LinClients, Switches::CODE));
        assert!(!is_of(&sweep, PaperFigure::AvgClients, Switches::TEXT));
        assert!(!is_of(&sweep, PaperFigure::LinRollouts, Switches::TEXT));
        let none = Plan { points: Vec::new(), series_len: 1, ..Plan::default() };
        assert!(!is_of(&Sweep::new(none, Generation(1), 0.0), PaperFigure::LinClients, Switches::TEXT));
    }

    #[test]
    fn every_experiment_stands_where_it_is_looked_for() {
        let varied = Varied::Clients;
        let plan = plan(PaperFigure::LinClients, Switches::TEXT, (Seed(7), None));
        let at = |experiment: Experiment| &plan.points[experiment.point(varied)];
        for (place, &n_clients) in CLIENTS.iter().enumerate() {
            let (first, last) = (at(Experiment::First(place)), at(Experiment::Last(place)));
            assert_eq!((first.n_clients, first.target), (n_clients, Target::Client(0)));
            assert_eq!((last.n_clients, last.target), (n_clients, Target::Client(n_clients - 1)));
        }
        let other = at(Experiment::OtherStart);
        assert_eq!((other.n_clients, &other.start), (25, &Begin::Half.start()));
    }
}
