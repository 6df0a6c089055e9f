//! A value for every setting, always within limits.

use super::choice::{
    ALGORITHMS_LINK, Algorithm, Algorithms, Choice, GRADIENTS, NONE_WORD, Opt, PLACEMENTS, SCHEDULES, STARTS, TARGETS,
};
use super::grid::{Move, Stride};
use super::notice::{Fix, Notice, Problem};
use super::parse;
use super::systems::Systems;
use super::table::{Key, Param, TABLE, shown, words};
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::participation::Participation;
use crate::sim::plan::FleetPlan;
use crate::sim::scenario::{Count, GradientScale, Scenario, ScenarioError, Settings};
use crate::sim::spread::Spread;
use crate::sim::stream::Seed;
use crate::sim::target::Target;

/// A value for every setting of the page.
///
/// Every number is within its parameter's range, and whole where only whole numbers make sense: [`Draft::set`] and
/// [`Draft::set_text`] are the only ways to change a number, and report what they corrected. So for any link, and
/// anything that a person types, there is an experiment to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// `None` while a parameter follows another one.
    numbers: [Option<f64>; Key::COUNT],
    choices: [usize; Choice::COUNT],
    /// The algorithms that run.
    pub algorithms: Algorithms,
    /// The family from which the clients' systems are taken.
    pub systems: Systems,
}

/// The defaults of the tables.
impl Default for Draft {
    fn default() -> Self {
        Self {
            numbers: std::array::from_fn(|index| default_number(&TABLE[index])),
            choices: [0; Choice::COUNT],
            algorithms: Algorithms::PAPER,
            systems: Systems::default(),
        }
    }
}

impl Draft {
    /// The value of a parameter.
    pub fn get(&self, key: Key) -> f64 {
        let param = key.param();
        let followed = || param.follows().map_or(param.default, |other| self.get(other));
        self.numbers[key as usize].unwrap_or_else(followed)
    }

    /// The value of a parameter as written in a link.
    pub(super) fn words(&self, param: &Param) -> String {
        self.numbers[param.key as usize].map_or_else(|| param.usual(), words)
    }

    /// Whether a parameter has its default.
    pub fn is_default(&self, key: Key) -> bool {
        self.numbers[key as usize].map(f64::to_bits) == default_number(key.param()).map(f64::to_bits)
    }

    /// Gives a parameter back its default.
    pub fn reset(&mut self, key: Key) {
        self.numbers[key as usize] = default_number(key.param());
    }

    /// Takes over both seeds of another draft, so that the same random numbers are drawn.
    pub(super) fn draw_as(&mut self, other: &Self) {
        for key in [Key::Seed, Key::SystemsSeed] {
            self.numbers[key as usize] = other.numbers[key as usize];
        }
    }

    /// Draws new data of the same systems: raises the seed by one, and fixes the systems' seed.
    pub fn draw_new_data(&mut self) {
        self.set(Key::SystemsSeed, self.get(Key::SystemsSeed));
        self.set(Key::Seed, Key::Seed.param().grid.moved(self.get(Key::Seed), Move::Up(Stride::One)));
    }

    /// Sets a parameter to the nearest allowed value; the notice reports a value that is not allowed. NaN changes
    /// nothing.
    pub fn set(&mut self, key: Key, value: f64) -> Option<Notice> {
        self.admit(key, value, &words(value))
    }

    /// Sets a parameter from a text, as typed in a box or found in a link. A text that is not a number changes nothing.
    pub fn set_text(&mut self, key: Key, text: &str) -> Option<Notice> {
        if key.param().follows().is_some_and(|other| text.trim().eq_ignore_ascii_case(other.param().link)) {
            self.reset(key);
            return None;
        }
        let read = if key.param().grid.is_whole() { parse::whole } else { parse::real };
        self.admit(key, read(text).unwrap_or(f64::NAN), text)
    }

    /// Sets the algorithms from their words, separated by commas or spaces: "fedlin,fedavg"; "none" or an empty text
    /// for no algorithm. Unknown words are ignored, and named in the notice.
    pub fn set_algorithms(&mut self, text: &str) -> Option<Notice> {
        let words = || text.split([',', ' ', '+']).filter(|word| !word.is_empty());
        let is_none = |word: &str| word.eq_ignore_ascii_case(NONE_WORD);
        let known: Vec<_> = words().filter_map(Algorithms::by_word).collect();
        let all_known = words().all(|word| is_none(word) || Algorithms::by_word(word).is_some());
        if all_known || !known.is_empty() {
            self.algorithms = known.iter().fold(Algorithms::NONE, |set, &algorithm| set.with(algorithm, true));
        }
        let used = self.algorithms.to_string();
        (!all_known).then(|| Notice::not_a_choice(ALGORITHMS_LINK, text, &used, Algorithms::allowed()))
    }

    /// The index of the chosen option; the default is 0.
    pub fn choice(&self, choice: Choice) -> usize {
        self.choices[choice as usize]
    }

    /// The chosen option.
    pub fn option(&self, choice: Choice) -> &'static Opt {
        &choice.spec().options[self.choice(choice)]
    }

    /// Chooses an option by its word; an unknown word changes nothing.
    pub fn choose(&mut self, choice: Choice, text: &str) -> Option<Notice> {
        let spec = choice.spec();
        let Some(index) = spec.by_word(text.trim()) else {
            return Some(Notice::not_a_choice(spec.link, text, self.option(choice).word, spec.allowed()));
        };
        self.choices[choice as usize] = index;
        None
    }

    /// The experiment that these settings describe.
    pub fn settings(&self) -> Settings {
        let noise = self.get(Key::NoiseStd);
        let data = FleetPlan {
            n_rollouts: self.counts(Key::Rollouts, Key::RolloutsSpread, Count::Rollouts),
            rollout_len: self.count(Key::RolloutLen).into(),
            initial_state_std: self.get(Key::InitialStd).into(),
            input_std: self.get(Key::InputStd).into(),
            process_noise_std: spread(noise, noise * self.get(Key::NoiseSpread)),
        };
        let (seed, systems_seed) = self.seeds();
        Settings {
            family: self.systems.family().clone(),
            placement: PLACEMENTS[self.choice(Choice::Placement)],
            heterogeneity: self.get(Key::Heterogeneity),
            n_clients: self.count(Key::Clients),
            data,
            n_local_steps: self.counts(Key::LocalSteps, Key::LocalStepsSpread, Count::LocalSteps),
            step_size: self.get(Key::StepSize),
            gradient_scale: GRADIENTS[self.choice(Choice::Gradient)],
            n_rounds: self.count(Key::Rounds),
            participation: self.participation(),
            start: STARTS[self.choice(Choice::Start)].clone(),
            target: self.target(),
            methods: self.algorithms.iter().map(|algorithm| self.method(algorithm)).collect(),
            references: self.references(),
            gains: true,
            n_trials: self.count(Key::Trials),
            seed,
            systems_seed,
        }
    }

    /// The seed of all random streams, and the seed of the systems if they have their own.
    pub fn seeds(&self) -> (Seed, Option<Seed>) {
        let of = |key| Seed(self.whole(key).into());
        (of(Key::Seed), self.numbers[Key::SystemsSeed as usize].map(|_| of(Key::SystemsSeed)))
    }

    /// The paper's reference estimates, and those that the settings add.
    fn references(&self) -> Vec<Reference> {
        // One-shot estimates use sums, even if gradients are means.
        let (weight, pull) = (self.get(Key::Weight), self.get(Key::Personal) * self.n_samples());
        let weighted = (weight > 0.0).then_some(Reference::Weighted { weight });
        let personalized = (pull > 0.0).then_some(Reference::Personalized { pull });
        Reference::PAPER.into_iter().chain(weighted).chain(personalized).collect()
    }

    fn target(&self) -> Target {
        match TARGETS[self.choice(Choice::Target)] {
            Target::Client(_) => Target::Client(self.count(Key::Client).min(self.count(Key::Clients)) - 1),
            of_many => of_many,
        }
    }

    /// Shows the error of one client, counted from 0.
    pub fn show_client(&mut self, client: usize) -> Option<Notice> {
        self.choices[Choice::Target as usize] = 0;
        self.set(Key::Client, (client + 1) as f64)
    }

    fn participation(&self) -> Participation {
        let share = self.get(Key::Participation);
        if self.choice(Choice::Sampling) == 0 {
            Participation::Fraction(share)
        } else {
            Participation::Dropout(1.0 - share)
        }
    }

    /// The checked experiment.
    ///
    /// # Errors
    ///
    /// Never for a draft: its limits are narrower than those of a scenario.
    pub fn check(&self) -> Result<Scenario, ScenarioError> {
        Scenario::new(self.settings())
    }

    /// An algorithm with its strengths and its schedule. `FedLin`'s step is constant, as in the paper and in the
    /// authors' code.
    fn method(&self, algorithm: Algorithm) -> Method {
        let schedule = SCHEDULES[self.choice(Choice::Schedule)];
        match algorithm {
            Algorithm::FedLin => Method::constant(Solver::FedLin),
            Algorithm::FedAvg => Method { solver: Solver::FedAvg, schedule },
            Algorithm::FedProx => Method { solver: Solver::FedProx { pull: self.strength(Key::Pull) }, schedule },
            Algorithm::Scaffold => Method { solver: Solver::Scaffold, schedule },
            Algorithm::FedAdmm => {
                let (penalty, sparsity) = (self.strength(Key::Penalty), self.strength(Key::Sparsity));
                Method { solver: Solver::FedAdmm { penalty, sparsity }, schedule }
            }
            Algorithm::Clustered => {
                Method { solver: Solver::Clustered { n_clusters: self.count(Key::Clusters) }, schedule }
            }
            Algorithm::Median => Method { solver: Solver::Median, schedule },
        }
    }

    /// A strength in the unit of the Gram matrix. It is set for each of client 1's samples, so it is multiplied by
    /// their number if gradients are sums.
    fn strength(&self, key: Key) -> f64 {
        match GRADIENTS[self.choice(Choice::Gradient)] {
            GradientScale::Sum => self.get(key) * self.n_samples(),
            GradientScale::Mean => self.get(key),
        }
    }

    /// Number of client 1’s samples, N·T.
    fn n_samples(&self) -> f64 {
        self.get(Key::Rollouts) * self.get(Key::RolloutLen)
    }

    /// The counts of the clients: client 1's, and for the others up to `times` as many, within the limits of a
    /// scenario.
    fn counts(&self, key: Key, times: Key, count: Count) -> Spread<usize> {
        let (least, (_, greatest)) = (self.count(key), count.limits());
        spread(least, least.saturating_mul(self.count(times)).min(greatest))
    }

    fn count(&self, key: Key) -> usize {
        self.whole(key) as usize
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "within the limits of a grid of whole numbers, which are u32"
    )]
    fn whole(&self, key: Key) -> u32 {
        self.get(key) as u32
    }

    /// The only place where a number enters a draft: as the nearest allowed value; NaN keeps the current one.
    fn admit(&mut self, key: Key, value: f64, given: &str) -> Option<Notice> {
        let param = key.param();
        let used = if value.is_nan() { self.get(key) } else { nearest_allowed(param, value) };
        if !value.is_nan() {
            self.numbers[key as usize] = Some(used);
        }
        let problem = problem(param, value)?;
        let fix = Fix { used: shown(used), allowed: param.allowed() };
        Some(Notice { key: param.link.to_owned(), given: given.to_owned(), problem: problem(fix) })
    }
}

/// A spread from `low` to `high`; if these are equal, one value for all, so that statements about equal clients apply.
fn spread<T: PartialEq>(low: T, high: T) -> Spread<T> {
    if low == high { Spread::Same(low) } else { Spread::Even { low, high } }
}

/// The default of a parameter; `None` for a parameter that follows another one.
fn default_number(param: &Param) -> Option<f64> {
    param.follows().is_none().then_some(param.default)
}

fn nearest_allowed(param: &Param, value: f64) -> f64 {
    let within = value.clamp(param.grid.min(), param.grid.max());
    let allowed = if param.grid.is_whole() { within.round() } else { within };
    // Turns −0 into 0, which prints without a sign.
    allowed + 0.0
}

/// The problem with `value`, if it has any.
fn problem(param: &Param, value: f64) -> Option<fn(Fix) -> Problem> {
    if value.is_nan() {
        Some(Problem::NotANumber)
    } else if value < param.grid.min() || value > param.grid.max() {
        Some(Problem::OutOfRange)
    } else if param.grid.is_whole() && value.fract() != 0.0 {
        Some(Problem::NotWhole)
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
