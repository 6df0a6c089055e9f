//! THE table of parameters: every number that a person can set, declared once.

use super::choice::Algorithm;
use super::grid::Grid;
use fedsysid_say::{decimal, say, text};

/// A parameter that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// M, the number of clients.
    Clients,
    /// Nᵢ, rollouts of each client.
    Rollouts,
    /// ε, how far the clients' systems lie apart.
    Heterogeneity,
    /// K, local steps in a round.
    LocalSteps,
    /// α, the step size of a local step.
    StepSize,
    /// R, communication rounds.
    Rounds,
    /// q, data sets drawn from the same systems (trials).
    Trials,
    /// T, steps in a rollout.
    RolloutLen,
    /// The seed of every random stream.
    Seed,
    /// The seed of the systems alone; without one of their own it is that of all.
    SystemsSeed,
    /// The share of the clients that take part in a round.
    Participation,
    /// FedProx's pull μ, for each sample of a client.
    Pull,
    /// FedADMM's penalty ρ, for each sample of a client.
    Penalty,
    /// FedADMM's sparsity γ, for each sample of a client.
    Sparsity,
    /// Clusters of the clustered method.
    Clusters,
    /// Weight q of the others' data in a client's own least squares; 0 for no such line.
    Weight,
    /// Pull λ of a client's own least squares to the pooled one, for each sample; 0 for no such line.
    Personal,
    /// σ_x, the standard deviation of a rollout's first state.
    InitialStd,
    /// σ_u, that of the inputs.
    InputStd,
    /// σ_w, that of the process noise.
    NoiseStd,
}

/// How a parameter is set on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// A slider with a number box.
    Slider,
    /// A number box alone: neighboring values mean nothing to each other.
    Box,
}

/// Which part of the page a parameter belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What the lesson is about: always in sight.
    Main,
    /// What an experiment needs besides: folded away at first.
    More,
    /// What drives the systems: beside their matrices.
    Systems,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    /// Which parameter this is.
    pub key: Key,
    /// The key in a link: `M` in `?M=50`.
    pub link: &'static str,
    /// The symbol of the paper, empty where there is none.
    pub symbol: &'static str,
    name: &'static str,
    /// Allowed values and slider stops.
    pub grid: Grid,
    /// Value at first; a stop of the grid.
    pub default: f64,
    /// How it is set.
    pub widget: Widget,
    /// Where it stands.
    pub group: Group,
    /// The algorithm that it belongs to, if it means nothing to the others.
    pub only_for: Option<Algorithm>,
    /// The values of a sweep at first, the paper's where it has any; empty where no curve depends on it.
    pub sweep: &'static [f64],
    help: &'static str,
}

/// Slider stops for counts, about even in proportion: every whole number up to 50, then ever coarser.
const LADDER: &[(u32, u32)] = &[
    (1, 1),
    (50, 5),
    (200, 10),
    (500, 25),
    (1_000, 50),
    (2_000, 100),
    (5_000, 250),
    (10_000, 500),
    (20_000, 1_000),
    (50_000, 2_500),
    (100_000, 5_000),
    (200_000, 10_000),
    (500_000, 25_000),
    (1_000_000, 50_000),
    (2_000_000, 100_000),
    (5_000_000, 250_000),
    (10_000_000, 500_000),
    (20_000_000, 1_000_000),
    (50_000_000, 2_500_000),
    (100_000_000, 5_000_000),
    (200_000_000, 10_000_000),
    (500_000_000, 25_000_000),
];

/// Counts up to 1000, a million, a billion.
const UP_TO_1000: Grid = Grid::Whole { stops: LADDER.split_at(4).0, max: 1_000 };
const UP_TO_A_MILLION: Grid = Grid::Whole { stops: LADDER.split_at(13).0, max: 1_000_000 };
const UP_TO_A_BILLION: Grid = Grid::Whole { stops: LADDER, max: 1_000_000_000 };
/// Counts up to 10 000, every whole number of the paper's range.
const UP_TO_10_000: Grid =
    Grid::Whole { stops: &[(1, 1), (200, 10), (500, 25), (1_000, 50), (2_000, 100), (5_000, 250)], max: 10_000 };

/// Standard deviations, every twentieth up to 10.
const UP_TO_10: Grid = Grid::Real { min: 0, max: 10, per_unit: 20 };

/// Every parameter, in the order of the page and of links.
pub static TABLE: [Param; Key::COUNT] = [
    Param {
        key: Key::Clients,
        link: "M",
        symbol: "M",
        name: "clients",
        grid: UP_TO_10_000,
        default: 50.0,
        widget: Widget::Slider,
        group: Group::Main,
        only_for: None,
        sweep: &[1.0, 2.0, 5.0, 25.0, 100.0],
        help: "More clients average out more noise: the floor falls like 1/√M, until the differences between clients dominate.",
    },
    Param {
        key: Key::Rollouts,
        link: "N",
        symbol: "Nᵢ",
        name: "rollouts per client",
        grid: UP_TO_A_BILLION,
        default: 25.0,
        widget: Widget::Slider,
        group: Group::Main,
        only_for: None,
        sweep: &[5.0, 25.0, 50.0, 75.0, 100.0],
        help: "More rollouts mean less noise, for client 1 alone as well. Gradients are sums, so every step grows with Nᵢ too.",
    },
    Param {
        key: Key::Heterogeneity,
        link: "eps",
        symbol: "ε",
        name: "heterogeneity",
        grid: Grid::Real { min: 0, max: 1, per_unit: 200 },
        default: 0.3,
        widget: Widget::Slider,
        group: Group::Main,
        only_for: None,
        sweep: &[0.01, 0.1, 0.25, 0.5, 0.75],
        help: "How far the clients’ systems lie apart. At 0 all are alike; the larger ε, the more the others’ data mislead client 1.",
    },
    Param {
        key: Key::LocalSteps,
        link: "K",
        symbol: "K",
        name: "local steps",
        grid: Grid::Whole { stops: &[(1, 1)], max: 100 },
        default: 10.0,
        widget: Widget::Slider,
        group: Group::Main,
        only_for: None,
        sweep: &[1.0, 5.0, 10.0, 20.0, 50.0],
        help: "More steps between two exchanges: fewer rounds are needed, but FedAvg drifts towards the mean of local solutions.",
    },
    Param {
        key: Key::StepSize,
        link: "alpha",
        symbol: "α",
        name: "step size",
        grid: Grid::Log { deepest: 6, shallowest: 1 },
        default: 1e-4,
        widget: Widget::Slider,
        group: Group::Main,
        only_for: None,
        sweep: &[1e-5, 3e-5, 1e-4, 3e-4, 1e-3],
        help: "A larger step needs fewer rounds, up to a sharp edge: past it the run diverges.",
    },
    Param {
        key: Key::Rounds,
        link: "R",
        symbol: "R",
        name: "rounds",
        grid: UP_TO_A_MILLION,
        default: 200.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[50.0, 100.0, 200.0],
        help: "Exchanges between server and clients. The curve goes on to the right; its floor stays where it is.",
    },
    Param {
        key: Key::Trials,
        link: "q",
        symbol: "q",
        name: "data sets",
        grid: UP_TO_1000,
        default: 25.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[1.0, 5.0, 25.0, 100.0],
        help: "Data sets drawn from the same systems and averaged: more of them make the curve smoother and its band narrower.",
    },
    Param {
        key: Key::RolloutLen,
        link: "T",
        symbol: "T",
        name: "rollout length",
        grid: Grid::Whole { stops: &[(1, 1)], max: 100 },
        default: 5.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[2.0, 5.0, 10.0, 20.0],
        help: "Steps in one rollout: longer rollouts hold more samples, so noise falls and, as with Nᵢ, every step grows.",
    },
    Param {
        key: Key::Seed,
        link: "seed",
        symbol: "",
        name: "seed",
        grid: Grid::Whole { stops: &[(0, 1)], max: u32::MAX },
        default: 7.0,
        widget: Widget::Box,
        group: Group::More,
        only_for: None,
        sweep: &[1.0, 2.0, 3.0, 4.0, 5.0],
        help: "The same seed gives the same systems and data on every machine; another seed draws new ones.",
    },
    Param {
        key: Key::SystemsSeed,
        link: "systems",
        symbol: "",
        name: "systems’ seed",
        grid: Grid::Whole { stops: &[(0, 1)], max: u32::MAX },
        default: 7.0,
        widget: Widget::Box,
        group: Group::More,
        only_for: None,
        sweep: &[],
        help: "Draws the clients’ systems alone, so that another seed means new data. Without one of their own it is the seed.",
    },
    Param {
        key: Key::Participation,
        link: "part",
        symbol: "",
        name: "participation",
        grid: Grid::Real { min: 0, max: 1, per_unit: 100 },
        default: 1.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[0.1, 0.25, 0.5, 1.0],
        help: "The share of the clients that take part in a round. With fewer, the curve wanders: every round hears other clients.",
    },
    Param {
        key: Key::Pull,
        link: "mu",
        symbol: "μ",
        name: "pull",
        grid: Grid::Real { min: 0, max: 5, per_unit: 20 },
        default: 1.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: Some(Algorithm::FedProx),
        sweep: &[0.0, 0.5, 1.0, 2.0, 5.0],
        help: "Holds clients back to the server’s model, in every sample’s weight: less drift, but more rounds.",
    },
    Param {
        key: Key::Penalty,
        link: "rho",
        symbol: "ρ",
        name: "penalty",
        grid: Grid::Log { deepest: 3, shallowest: 0 },
        default: 0.5,
        widget: Widget::Slider,
        group: Group::More,
        only_for: Some(Algorithm::FedAdmm),
        sweep: &[0.01, 0.1, 0.5, 1.0],
        help: "What it costs a client to differ from the server, for each sample: best near the data’s own curvature.",
    },
    Param {
        key: Key::Sparsity,
        link: "gamma",
        symbol: "γ",
        name: "sparsity",
        grid: Grid::Real { min: 0, max: 1, per_unit: 200 },
        default: 0.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: Some(Algorithm::FedAdmm),
        sweep: &[0.0, 0.05, 0.1, 0.25],
        help: "Sets small entries to exactly 0, and shrinks the others: a little finds the zeros, a lot makes everything zero.",
    },
    Param {
        key: Key::Clusters,
        link: "clusters",
        symbol: "",
        name: "clusters",
        grid: Grid::Whole { stops: &[(1, 1)], max: 10 },
        default: 2.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: Some(Algorithm::Clustered),
        sweep: &[1.0, 2.0, 3.0, 5.0],
        help: "How many models there are to choose from. With one it is FedAvg from another start; with many, clients are alone.",
    },
    Param {
        key: Key::Weight,
        link: "w",
        symbol: "",
        name: "weight of others’ data",
        grid: Grid::Real { min: 0, max: 1, per_unit: 100 },
        default: 0.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[],
        help: "Above 0, one more line: a client’s least squares with the others’ data at this weight, from alone to pooled.",
    },
    Param {
        key: Key::Personal,
        link: "lambda",
        symbol: "λ",
        name: "pull to pooled",
        grid: Grid::Real { min: 0, max: 5, per_unit: 20 },
        default: 0.0,
        widget: Widget::Slider,
        group: Group::More,
        only_for: None,
        sweep: &[],
        help: "Above 0, one more line: a client’s least squares held to the pooled estimate, in every sample’s weight.",
    },
    Param {
        key: Key::InitialStd,
        link: "sx",
        symbol: "σ_x",
        name: "first state",
        grid: UP_TO_10,
        default: 1.0,
        widget: Widget::Slider,
        group: Group::Systems,
        only_for: None,
        sweep: &[0.0, 0.5, 1.0, 2.0],
        help: "Standard deviation of each entry of a rollout’s first state. A larger one excites all states from the start.",
    },
    Param {
        key: Key::InputStd,
        link: "su",
        symbol: "σ_u",
        name: "input",
        grid: UP_TO_10,
        default: 1.0,
        widget: Widget::Slider,
        group: Group::Systems,
        only_for: None,
        sweep: &[0.25, 0.5, 1.0, 2.0],
        help: "Standard deviation of each input. Without inputs nothing is learned about B, and no least squares has a solution.",
    },
    Param {
        key: Key::NoiseStd,
        link: "sw",
        symbol: "σ_w",
        name: "noise",
        grid: UP_TO_10,
        default: 1.0,
        widget: Widget::Slider,
        group: Group::Systems,
        only_for: None,
        sweep: &[0.1, 0.5, 1.0, 2.0],
        help: "Standard deviation of what disturbs each state in a step: the noise in the data, though it excites the states too.",
    },
];

impl Key {
    /// How many there are.
    pub const COUNT: usize = 20;

    /// Its row of the table.
    pub fn param(self) -> &'static Param {
        &TABLE[self as usize]
    }
}

impl Param {
    /// The name in words, lower case.
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    /// Its name with its symbol, as along an axis: "clients M".
    pub fn name_and_symbol(&self) -> String {
        format!("{} {}", self.name(), self.symbol)
    }

    /// One line: what to expect when it moves.
    pub fn help(&self) -> &'static str {
        text(self.help)
    }

    /// The row whose key in a link is `link`, in capitals or not.
    pub fn by_link(link: &str) -> Option<&'static Self> {
        TABLE.iter().find(|param| param.link.eq_ignore_ascii_case(link))
    }

    /// The rows of one part of the page, in order.
    pub fn of_group(group: Group) -> impl Iterator<Item = &'static Self> {
        TABLE.iter().filter(move |param| param.group == group)
    }

    /// The allowed range in words: "1 to 10000".
    pub fn allowed(&self) -> String {
        say!("{} to {}", shown(self.grid.min()), shown(self.grid.max()))
    }

    /// The parameter whose value it has as long as it has none of its own.
    pub fn follows(&self) -> Option<Key> {
        (self.key == Key::SystemsSeed).then_some(Key::Seed)
    }

    /// The default as in a link: the key of what it follows, or a number.
    pub fn usual(&self) -> String {
        self.follows().map_or_else(|| words(self.default), |other| other.param().link.to_owned())
    }
}

/// A value in words that can be read aloud: all digits and never an exponent, "0.0001".
pub fn words(value: f64) -> String {
    value.to_string()
}

/// Such a value as it stands on the page: with the decimal mark of its language, which is understood where it is typed.
pub fn shown(value: f64) -> String {
    decimal(words(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_keys() {
        for (index, param) in TABLE.iter().enumerate() {
            assert_eq!(param.key as usize, index, "{}", param.link);
            assert_eq!(param.key.param(), param);
            assert_eq!(Param::by_link(&param.link.to_lowercase()), Some(param));
            assert_eq!(Param::by_link(&param.link.to_uppercase()), Some(param));
        }
    }

    #[test]
    fn defaults_are_stops_of_their_grids() {
        for param in &TABLE {
            let stop = param.grid.at(param.grid.nearest(param.default));
            assert_eq!(stop.to_bits(), param.default.to_bits(), "{}", param.link);
        }
    }

    #[test]
    fn the_settings_of_the_paper_are_stops() {
        #[track_caller]
        fn check(key: Key, values: &[f64]) {
            let grid = key.param().grid;
            for &value in values {
                assert_eq!(grid.at(grid.nearest(value)).to_bits(), value.to_bits(), "{key:?} {value}");
            }
        }
        check(Key::Clients, &[1.0, 5.0, 25.0, 50.0, 100.0]);
        check(Key::Rollouts, &[5.0, 25.0, 50.0, 75.0, 100.0]);
        check(Key::Heterogeneity, &[0.01, 0.1, 0.25, 0.5, 0.75]);
        check(Key::StepSize, &[1e-6, 1e-5, 1e-4, 1e-3, 2e-3, 1e-2, 1e-1]);
        check(Key::Rounds, &[100.0, 200.0]);
    }

    #[test]
    fn the_values_of_a_sweep_are_allowed_and_ascend() {
        for Param { link, grid, sweep, .. } in &TABLE {
            assert!(sweep.iter().all(|value| (grid.min()..=grid.max()).contains(value)), "{link}");
            assert!(sweep.windows(2).all(|pair| pair[0] < pair[1]), "{link}");
            assert!(!grid.is_whole() || sweep.iter().all(|value| value.fract() == 0.0), "{link}");
        }
    }

    #[test]
    fn help_is_one_line_of_one_or_two_sentences() {
        for Param { link, help, .. } in &TABLE {
            assert!(help.ends_with('.') && !help.contains('\n'), "{link}");
            assert!(help.chars().count() <= 125, "{link}: {}", help.chars().count());
        }
    }

    #[test]
    fn ranges_and_values_are_said_in_plain_digits() {
        #[track_caller]
        fn check(key: Key, expected: &str) {
            assert_eq!(key.param().allowed(), expected);
        }
        check(Key::Clients, "1 to 10000");
        check(Key::Rollouts, "1 to 1000000000");
        check(Key::Rounds, "1 to 1000000");
        check(Key::Heterogeneity, "0 to 1");
        check(Key::StepSize, "0.000001 to 0.1");
        check(Key::Seed, "0 to 4294967295");
        assert_eq!(words(Key::StepSize.param().default), "0.0001");
    }
}
