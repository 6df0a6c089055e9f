//! THE table of parameters: every number that a person can set, declared once.

mod rows;

use super::choice::Algorithm;
use super::grid::Grid;
use fedsysid_say::{decimal, say, text};

pub use rows::TABLE;

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
    /// How many times as many rollouts as client 1 others have at most.
    RolloutsSpread,
    /// How many times as many local steps as client 1 others take at most.
    LocalStepsSpread,
    /// FedProx's pull μ, for each sample of client 1.
    Pull,
    /// FedADMM's penalty ρ, for each sample of client 1.
    Penalty,
    /// FedADMM's sparsity γ, for each sample of client 1.
    Sparsity,
    /// Clusters of the clustered method.
    Clusters,
    /// Weight q of the others' data in a client's own least squares; 0 for no such line.
    Weight,
    /// Pull λ of a client's own least squares to the pooled one, for each sample; 0 for no such line.
    Personal,
    /// The client whose error counts, where that of one does.
    Client,
    /// σ_x, the standard deviation of a rollout's first state.
    InitialStd,
    /// σ_u, that of the inputs.
    InputStd,
    /// σ_w, that of the process noise.
    NoiseStd,
    /// How many times as large as client 1's that of others is at most.
    NoiseSpread,
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

impl Key {
    /// How many there are.
    pub const COUNT: usize = 24;

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
