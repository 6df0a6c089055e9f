//! THE table of parameters: every number that can be set, declared once.

mod rows;

use super::choice::Algorithm;
use super::grid::Grid;
use fedsysid_say::{decimal, decimal_mark, say, text};

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
    /// q, number of trials: data sets drawn from the same systems.
    Trials,
    /// T, steps in a rollout.
    RolloutLen,
    /// The seed of every random stream.
    Seed,
    /// The seed of the systems; follows [`Key::Seed`] until it is set.
    SystemsSeed,
    /// The share of clients that participate in a round.
    Participation,
    /// Largest number of rollouts of a client, as a multiple of client 1's.
    RolloutsSpread,
    /// Largest number of local steps of a client, as a multiple of client 1's.
    LocalStepsSpread,
    /// FedProx's pull μ, for each sample of client 1.
    Pull,
    /// FedADMM's penalty ρ, for each sample of client 1.
    Penalty,
    /// FedADMM's sparsity γ, for each sample of client 1.
    Sparsity,
    /// Number of clusters of the clustered method.
    Clusters,
    /// Weight q of the others' data in a client's own least squares; 0 draws no such line.
    Weight,
    /// Pull λ of a client's own least squares to the pooled estimate, for each sample; 0 draws no such line.
    Personal,
    /// The client whose error is shown, if the error of a single client is.
    Client,
    /// σ_x, the standard deviation of a rollout's initial state.
    InitialStd,
    /// σ_u, the standard deviation of the inputs.
    InputStd,
    /// σ_w, the standard deviation of the process noise.
    NoiseStd,
    /// Largest σ_w of a client, as a multiple of client 1's.
    NoiseSpread,
}

/// The control of a parameter on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// A slider with a number box.
    Slider,
    /// A number box alone, for numbers whose neighbors have unrelated effects, such as seeds.
    Box,
}

/// The part of the page with a parameter's control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// The subject of the lesson: always visible.
    Main,
    /// Further settings of an experiment: folded away at first.
    More,
    /// The signals that drive the systems: beside the matrices.
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
    /// The default; a stop of the grid.
    pub default: f64,
    /// The control on the page.
    pub widget: Widget,
    /// The part of the page with its control.
    pub group: Group,
    /// The only algorithm that uses it, if there is one.
    pub only_for: Option<Algorithm>,
    /// The default values of a sweep, the paper's where it has any; empty where no curve depends on the parameter.
    pub sweep: &'static [f64],
    help: &'static str,
}

impl Key {
    /// Number of parameters.
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

    /// Its name with its symbol, as on an axis: "clients M".
    pub fn name_and_symbol(&self) -> String {
        format!("{} {}", self.name(), self.symbol)
    }

    /// One line: what changes with it.
    pub fn help(&self) -> &'static str {
        text(self.help)
    }

    /// The row whose key in a link is `link`, upper or lower case.
    pub fn by_link(link: &str) -> Option<&'static Self> {
        TABLE.iter().find(|param| param.link.eq_ignore_ascii_case(link))
    }

    /// The rows of one part of the page, in the order of the table.
    pub fn of_group(group: Group) -> impl Iterator<Item = &'static Self> {
        TABLE.iter().filter(move |param| param.group == group)
    }

    /// The allowed range in words: "1 to 10000".
    pub fn allowed(&self) -> String {
        say!("{} to {}", shown(self.grid.min()), shown(self.grid.max()))
    }

    /// The parameter that it follows until it is set: until then it has that parameter's value.
    pub fn follows(&self) -> Option<Key> {
        (self.key == Key::SystemsSeed).then_some(Key::Seed)
    }

    /// The default as in a link: the key of the followed parameter, or a number.
    pub fn usual(&self) -> String {
        self.follows().map_or_else(|| words(self.default), |other| other.param().link.to_owned())
    }
}

/// A value as decimal digits, without an exponent: "0.0001".
pub fn words(value: f64) -> String {
    value.to_string()
}

/// A value as shown on the page: as [`words`], with the decimal mark of the language, which the boxes understand too.
pub fn shown(value: f64) -> String {
    decimal(words(value))
}

/// A number that was typed on the page, as [`Draft::set_text`](super::Draft::set_text) reads it: where the comma is the
/// decimal mark, a point in a whole number separates thousands, as a comma does otherwise.
pub fn typed(param: &Param, text: &str) -> String {
    if param.grid.is_whole() && decimal_mark() == ',' { text.replace('.', ",") } else { text.to_owned() }
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
