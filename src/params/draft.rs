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
use crate::sim::schedule::Schedule;
use crate::sim::spread::Spread;
use crate::sim::stream::Seed;

/// A value for every setting of the page.
///
/// Every number is within its parameter's range, and whole where only whole numbers make sense: [`Draft::set`] and
/// [`Draft::set_text`] are the only ways in, and say what they changed. So whatever a link or a person asks for, there is
/// something to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// None where a parameter follows another one.
    numbers: [Option<f64>; Key::COUNT],
    choices: [usize; Choice::COUNT],
    /// The algorithms that run.
    pub algorithms: Algorithms,
    /// The systems that the clients' are taken from.
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

    /// The value of a parameter as in a link.
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

    /// Draws all that is random as another draft does.
    pub(super) fn draw_as(&mut self, other: &Self) {
        for key in [Key::Seed, Key::SystemsSeed] {
            self.numbers[key as usize] = other.numbers[key as usize];
        }
    }

    /// Draws other data of the same systems.
    pub fn draw_new_data(&mut self) {
        self.set(Key::SystemsSeed, self.get(Key::SystemsSeed));
        self.set(Key::Seed, Key::Seed.param().grid.moved(self.get(Key::Seed), Move::Up(Stride::One)));
    }

    /// Sets a parameter to the nearest allowed value, and says so if that is not the given one. NaN changes nothing.
    pub fn set(&mut self, key: Key, value: f64) -> Option<Notice> {
        self.admit(key, value, &words(value))
    }

    /// Sets a parameter from a text, as typed in a box or found in a link. What is not a number changes nothing.
    pub fn set_text(&mut self, key: Key, text: &str) -> Option<Notice> {
        if key.param().follows().is_some_and(|other| text.trim().eq_ignore_ascii_case(other.param().link)) {
            self.reset(key);
            return None;
        }
        let read = if key.param().grid.is_whole() { parse::whole } else { parse::real };
        self.admit(key, read(text).unwrap_or(f64::NAN), text)
    }

    /// Sets the algorithms from their words, separated by commas or spaces: "fedlin,fedavg"; "none" or nothing for none.
    /// Words that are not among them are passed over and named.
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

    /// The place of a choice's option, the default being 0.
    pub fn choice(&self, choice: Choice) -> usize {
        self.choices[choice as usize]
    }

    /// A choice's option.
    pub fn option(&self, choice: Choice) -> &'static Opt {
        &choice.spec().options[self.choice(choice)]
    }

    /// Makes a choice by an option's word; another word changes nothing.
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
            target: TARGETS[self.choice(Choice::Target)],
            methods: self.algorithms.iter().map(|algorithm| self.method(algorithm)).collect(),
            references: self.references(),
            gains: true,
            n_trials: self.count(Key::Trials),
            seed: self.seed(),
            systems_seed: self.numbers[Key::SystemsSeed as usize].map(|_| Seed(self.whole(Key::SystemsSeed).into())),
        }
    }

    /// The seed of all that is random, but for systems with one of their own.
    pub fn seed(&self) -> Seed {
        Seed(self.whole(Key::Seed).into())
    }

    /// The paper's estimates, and those that were asked for besides.
    fn references(&self) -> Vec<Reference> {
        let (weight, pull) = (self.get(Key::Weight), self.strength(Key::Personal));
        let weighted = (weight > 0.0).then_some(Reference::Weighted { weight });
        let personalized = (pull > 0.0).then_some(Reference::Personalized { pull });
        Reference::PAPER.into_iter().chain(weighted).chain(personalized).collect()
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
    /// None that can be reached: a draft's limits are narrower than those of a scenario.
    pub fn check(&self) -> Result<Scenario, ScenarioError> {
        Scenario::new(self.settings())
    }

    /// An algorithm with its strengths and its schedule: `FedLin`'s step is constant, in the paper and in the authors' code.
    fn method(&self, algorithm: Algorithm) -> Method {
        let schedule = SCHEDULES[self.choice(Choice::Schedule)];
        match algorithm {
            Algorithm::FedLin => Method { solver: Solver::FedLin, schedule: Schedule::Constant },
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

    /// A strength that is set for each of client 1's samples, in the unit of its Gram matrix.
    fn strength(&self, key: Key) -> f64 {
        match GRADIENTS[self.choice(Choice::Gradient)] {
            GradientScale::Sum => self.get(key) * self.get(Key::Rollouts) * self.get(Key::RolloutLen),
            GradientScale::Mean => self.get(key),
        }
    }

    /// A count of client 1, of which others have up to so many times as much, as far as a scenario allows.
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

    /// The only place where a number gets in: as the nearest allowed value; NaN leaves the current one.
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

/// The same for all where both are the same, so that what is said of clients that are alike holds of them.
fn spread<T: PartialEq>(low: T, high: T) -> Spread<T> {
    if low == high { Spread::Same(low) } else { Spread::Even { low, high } }
}

/// What a parameter has before it is set: nothing of its own where it follows another one.
fn default_number(param: &Param) -> Option<f64> {
    param.follows().is_none().then_some(param.default)
}

fn nearest_allowed(param: &Param, value: f64) -> f64 {
    let within = value.clamp(param.grid.min(), param.grid.max());
    let allowed = if param.grid.is_whole() { within.round() } else { within };
    // Turns −0 into 0, which prints without a sign.
    allowed + 0.0
}

/// What is wrong with `value`, if anything.
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
mod tests {
    use super::*;
    use crate::params::MatrixKey;
    use crate::sim::family::Placement;
    use crate::sim::scenario::Start;
    use crate::sim::spread::Quantity;
    use crate::sim::study::Study;
    use crate::sim::target::Target;

    #[test]
    fn bad_numbers_are_replaced_and_named() {
        #[track_caller]
        fn check(key: Key, text: &str, expected: f64, notice: Option<&str>) {
            let mut draft = Draft::default();
            let given = draft.set_text(key, text).map(|notice| notice.to_string());
            assert_eq!(given.as_deref(), notice, "{key:?} {text}");
            assert_eq!(draft.get(key).to_bits(), expected.to_bits(), "{key:?} {text}: {}", draft.get(key));
        }
        check(Key::Clients, "30", 30.0, None);
        check(Key::Clients, "1e9", 10_000.0, Some("M = 1e9 is out of range: allowed 1 to 10000, using 10000"));
        check(Key::Clients, "0", 1.0, Some("M = 0 is out of range: allowed 1 to 10000, using 1"));
        check(Key::Clusters, "10.4", 10.0, Some("clusters = 10.4 is out of range: allowed 1 to 10, using 10"));
        check(Key::LocalSteps, "-3", 1.0, Some("K = -3 is out of range: allowed 1 to 100, using 1"));
        check(Key::LocalSteps, "2.5", 3.0, Some("K = 2.5 is not a whole number: allowed 1 to 100, using 3"));
        check(Key::LocalSteps, "", 10.0, Some("K without a value is not a number: allowed 1 to 100, using 10"));
        check(Key::Rollouts, "1,000", 1000.0, None);
        check(Key::Rollouts, "1e3", 1000.0, None);
        check(Key::Heterogeneity, "0,3", 0.3, None);
        check(Key::Heterogeneity, "-0", 0.0, None);
        check(Key::Heterogeneity, "0.12345", 0.12345, None);
        check(Key::Heterogeneity, "inf", 1.0, Some("eps = inf is out of range: allowed 0 to 1, using 1"));
        check(Key::StepSize, "1e-4", 1e-4, None);
        check(Key::StepSize, "NaN", 1e-4, Some("alpha = NaN is not a number: allowed 0.000001 to 0.1, using 0.0001"));
        check(
            Key::Seed,
            "4294967296",
            4_294_967_295.0,
            Some("seed = 4294967296 is out of range: allowed 0 to 4294967295, using 4294967295"),
        );
    }

    #[test]
    fn nan_keeps_the_value_that_was_there() {
        let mut draft = Draft::default();
        assert_eq!(draft.set(Key::Rounds, 77.0), None);
        assert!(draft.set(Key::Rounds, f64::NAN).is_some());
        assert_eq!(draft.get(Key::Rounds).to_string(), "77");
        draft.reset(Key::Rounds);
        assert!(draft.is_default(Key::Rounds) && draft == Draft::default());
    }

    #[test]
    fn settings_carry_every_value_over() {
        let mut draft = Draft::default();
        for (index, param) in TABLE.iter().enumerate() {
            draft.set(param.key, if param.grid.is_whole() { index as f64 + 1.0 } else { 0.01 * (index as f64 + 1.0) });
        }
        draft.choose(Choice::Schedule, "rounds");
        draft.choose(Choice::Start, "half");
        draft.choose(Choice::Target, "worst");
        draft.choose(Choice::Placement, "outlier");
        draft.choose(Choice::Sampling, "dropout");
        draft.systems.set_text(MatrixKey::A, "[1 2; 3 4]").unwrap();
        draft.algorithms =
            Algorithm::ALL.into_iter().fold(Algorithms::NONE, |set, algorithm| set.with(algorithm, true));
        let settings = draft.check().unwrap().settings().clone();
        assert_eq!((settings.n_clients, settings.n_rounds, settings.n_trials, settings.seed), (1, 6, 7, Seed(9)));
        let data = FleetPlan {
            n_rollouts: Spread::Even { low: 2, high: 24 },
            rollout_len: 8.into(),
            initial_state_std: 0.2.into(),
            input_std: 0.21.into(),
            process_noise_std: Spread::Even { low: 0.22, high: 0.22 * 23.0 },
        };
        assert_eq!((settings.data, settings.systems_seed), (data, Some(Seed(10))));
        assert_eq!(settings.n_local_steps, Spread::Even { low: 4, high: 52 });
        let numbers = [settings.heterogeneity, settings.step_size].map(|number| number.to_string());
        assert_eq!(numbers, ["0.03", "0.05"]);
        assert_eq!(settings.participation, Participation::Dropout(0.89));
        assert_eq!((settings.start, settings.target), (Start::HalfOfClient1, Target::Worst));
        assert_eq!((settings.placement, settings.gradient_scale), (Placement::OneOutlier, GradientScale::Sum));
        assert_eq!(settings.family, *draft.systems.family());
        let solvers: Vec<_> = settings.methods.iter().map(|method| method.solver).collect();
        let strength = |value: f64| value * 2.0 * 8.0;
        let expected = [
            Solver::FedLin,
            Solver::FedAvg,
            Solver::FedProx { pull: strength(0.14) },
            Solver::Scaffold,
            Solver::FedAdmm { penalty: strength(0.15), sparsity: strength(0.16) },
            Solver::Clustered { n_clusters: 10 },
            Solver::Median,
        ];
        assert_eq!(solvers, expected);
        let lines = [Reference::Weighted { weight: 0.18 }, Reference::Personalized { pull: strength(0.19) }];
        assert_eq!(settings.references[3..], lines);
        let schedules = settings.methods.iter().map(|method| method.schedule);
        assert!(schedules.skip(1).all(|schedule| schedule == Schedule::OverRounds));
        assert_eq!(settings.methods[0].schedule, Schedule::Constant);
    }

    /// At a spread of 1 clients are alike, in a word, and where the limits leave no room for one.
    #[test]
    fn others_have_up_to_so_many_times_as_much_as_client_1() {
        let read = |query: &str| Draft::from_query(query).0.settings();
        assert_eq!(read("N=9&Nspread=1").data.n_rollouts, Spread::Same(9));
        assert_eq!(read("N=9&Nspread=10").data.n_rollouts, Spread::Even { low: 9, high: 90 });
        assert_eq!(read("N=1e9&Nspread=10").data.n_rollouts, Spread::Same(1_000_000_000));
        assert_eq!(read("N=5e8&Nspread=10").data.n_rollouts, Spread::Even { low: 500_000_000, high: 1_000_000_000 });
        assert_eq!(read("K=3&Kspread=4").n_local_steps, Spread::Even { low: 3, high: 12 });
        assert_eq!(read("sw=0.5&swspread=4").data.process_noise_std, Spread::Even { low: 0.5, high: 2.0 });
        assert_eq!(read("sw=0&swspread=4").data.process_noise_std, Spread::Same(0.0));
        // Client 1 has what it had.
        let first = |settings: &Settings| (settings.data.of(0), settings.n_local_steps.get(Quantity::LocalSteps, 0));
        assert_eq!(first(&read("Nspread=7&Kspread=5&swspread=3")), first(&read("")));
    }

    /// New data are no new systems, and new systems no new data.
    #[test]
    fn systems_may_have_a_seed_of_their_own() {
        let read = |query: &str| Draft::from_query(query).0;
        let systems = |draft: &Draft| draft.check().unwrap().systems().to_vec();
        // At ε = 0 all systems are alike, so that what is left is how data are drawn, and who takes part.
        let noise = |draft: &Draft| {
            let mut draft = draft.clone();
            for (key, value) in [(Key::Heterogeneity, 0.0), (Key::Trials, 3.0), (Key::Participation, 0.5)] {
                draft.set(key, value);
            }
            format!("{:?}", Study::new(draft.check().unwrap()).run())
        };
        let before = read("M=9&R=20");
        let mut new_data = before.clone();
        new_data.draw_new_data();
        assert_eq!(new_data.to_query(), "M=9&R=20&seed=8&systems=7");
        assert_eq!(systems(&new_data), systems(&before), "to the last bit");
        assert_ne!(noise(&new_data), noise(&before));
        let new_systems = read("M=9&R=20&systems=8");
        assert!(systems(&new_systems).iter().zip(systems(&before)).all(|(new, old)| *new != old));
        assert_eq!(noise(&new_systems), noise(&before));
        // Without a word they are the seed's, whatever that is, 0 too.
        assert_eq!(systems(&read("M=9&seed=8")), systems(&new_systems));
        assert_eq!(systems(&read("M=9&systems=0")), systems(&read("M=9&seed=0")));
        for (query, expected) in [
            ("seed=8&systems=seed", "seed=8"),
            ("systems=8&seed=8", "seed=8&systems=8"),
            ("systems=x", ""),
            ("systems=7", "systems=7"),
        ] {
            assert_eq!(read(query).to_query(), expected, "{query}");
        }
        let mut again = read("seed=8&systems=3");
        again.reset(Key::SystemsSeed);
        assert_eq!((again.get(Key::SystemsSeed).to_string(), again), ("8".into(), read("seed=8")));
    }

    #[test]
    fn the_ends_of_every_range_make_a_scenario() {
        for largest in [false, true] {
            let mut draft = Draft { algorithms: Algorithms::NONE, ..Draft::default() };
            for param in &TABLE {
                draft.set(param.key, if largest { param.grid.max() } else { param.grid.min() });
            }
            let scenario = draft.check().unwrap();
            assert_eq!(scenario.settings().seed, Seed(if largest { u32::MAX.into() } else { 0 }));
        }
    }

    #[test]
    fn algorithms_are_read_as_a_list() {
        #[track_caller]
        fn check(text: &str, expected: &str, notice: Option<&str>) {
            let mut draft = Draft::default();
            let given = draft.set_algorithms(text).map(|notice| notice.to_string());
            assert_eq!((draft.algorithms.to_string().as_str(), given.as_deref()), (expected, notice), "{text}");
        }
        check("fedlin", "fedlin", None);
        check("FedAvg, FedLin", "fedlin,fedavg", None);
        check("", "none", None);
        check("none", "none", None);
        check("fedlin,fedlin", "fedlin", None);
        check("median,scaffold", "scaffold,median", None);
        let allowed = "allowed fedlin, fedavg, fedprox, scaffold, fedadmm, clustered, median";
        let none = format!("alg = fedsgd is not among the choices: {allowed}, using fedlin,fedavg");
        check("fedsgd", "fedlin,fedavg", Some(&none));
        let some = format!("alg = fedavg,fedsgd is not among the choices: {allowed}, using fedavg");
        check("fedavg,fedsgd", "fedavg", Some(&some));
    }

    #[test]
    fn choices_are_read_by_their_words() {
        let mut draft = Draft::default();
        assert_eq!(draft.choose(Choice::Schedule, " Local "), None);
        assert_eq!(draft.choose(Choice::Start, "half"), None);
        let words = |draft: &Draft| [Choice::Schedule, Choice::Start].map(|choice| draft.option(choice).word);
        assert_eq!(words(&draft), ["local", "half"]);
        let notice = draft.choose(Choice::Schedule, "fast").map(|notice| notice.to_string());
        let expected =
            "schedule = fast is not among the choices: allowed constant, local, rounds, harmonic, using local";
        assert_eq!(notice.as_deref(), Some(expected));
        assert!(draft.choose(Choice::Start, "").is_some());
        assert_eq!(words(&draft), ["local", "half"]);
    }

    #[test]
    fn strengths_are_for_each_sample() {
        let algorithms = Algorithms::NONE.with(Algorithm::FedProx, true);
        let mut draft = Draft { algorithms, ..Draft::default() };
        let pull = |draft: &Draft| draft.settings().methods[0].solver.pull();
        let of_sum = pull(&draft);
        draft.choose(Choice::Gradient, "mean");
        assert!((of_sum - 125.0 * pull(&draft)).abs() < 1e-12);
    }
}
