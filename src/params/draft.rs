//! A value for every setting, always within limits.

use super::choice::{ALGORITHMS, Algorithms, Choice, NONE_WORD, SCHEDULE, START};
use super::notice::{Fix, Notice, Problem};
use super::parse;
use super::table::{Key, Param, TABLE, words};
use crate::sim::family::{Family, Placement};
use crate::sim::method::{Method, Solver};
use crate::sim::rollout::{DataPlan, NoiseLevels};
use crate::sim::scenario::{Scenario, ScenarioError, Settings, Start};
use crate::sim::schedule::Schedule;
use crate::sim::stream::Seed;

/// A value for every setting of the page.
///
/// Every number is within its parameter's range, and whole where only whole numbers make sense: [`Draft::set`] and
/// [`Draft::set_text`] are the only ways in, and say what they changed. So whatever a link or a person asks for, there is
/// something to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    numbers: [f64; Key::COUNT],
    /// The algorithms that run.
    pub algorithms: Algorithms,
    /// `FedAvg`'s step size over time.
    pub schedule: Schedule,
    /// The model that the server starts from.
    pub start: Start,
}

/// The defaults of the table.
impl Default for Draft {
    fn default() -> Self {
        Self {
            numbers: std::array::from_fn(|index| TABLE[index].default),
            algorithms: Algorithms::ALL,
            schedule: Schedule::Constant,
            start: Start::Zero,
        }
    }
}

impl Draft {
    /// The value of a parameter.
    pub fn get(&self, key: Key) -> f64 {
        self.numbers[key as usize]
    }

    /// Whether a parameter has its default.
    pub fn is_default(&self, key: Key) -> bool {
        self.get(key).to_bits() == key.param().default.to_bits()
    }

    /// Gives a parameter back its default.
    pub fn reset(&mut self, key: Key) {
        self.numbers[key as usize] = key.param().default;
    }

    /// Sets a parameter to the nearest allowed value, and says so if that is not the given one. NaN changes nothing.
    pub fn set(&mut self, key: Key, value: f64) -> Option<Notice> {
        self.admit(key, value, &words(value))
    }

    /// Sets a parameter from a text, as typed in a box or found in a link. What is not a number changes nothing.
    pub fn set_text(&mut self, key: Key, text: &str) -> Option<Notice> {
        let read = if key.param().grid.is_whole() { parse::whole } else { parse::real };
        self.admit(key, read(text).unwrap_or(f64::NAN), text)
    }

    /// Sets the algorithms from their words, separated by commas or spaces: "fedlin,fedavg"; "none" or nothing for none.
    /// Words that are not among them are passed over and named.
    pub fn set_algorithms(&mut self, text: &str) -> Option<Notice> {
        let words = || text.split([',', ' ', '+']).filter(|word| !word.is_empty());
        let is_none = |word: &str| word.eq_ignore_ascii_case(NONE_WORD);
        let known: Vec<_> = words().filter_map(|word| ALGORITHMS.by_word(word)).collect();
        let all_known = words().all(|word| is_none(word) || ALGORITHMS.by_word(word).is_some());
        if all_known || !known.is_empty() {
            self.algorithms = known.iter().fold(Algorithms::NONE, |set, option| set.with(option.value, true));
        }
        (!all_known).then(|| not_a_choice(ALGORITHMS.link, text, &self.algorithms.to_string(), &ALGORITHMS.allowed()))
    }

    /// Sets `FedAvg`'s schedule from its word; another word changes nothing.
    pub fn set_schedule(&mut self, text: &str) -> Option<Notice> {
        choose(&SCHEDULE, text, &mut self.schedule)
    }

    /// Sets the start from its word; another word changes nothing.
    pub fn set_start(&mut self, text: &str) -> Option<Notice> {
        choose(&START, text, &mut self.start)
    }

    /// The experiment that these settings describe, on the paper's family of systems.
    pub fn settings(&self) -> Settings {
        Settings {
            family: Family::paper(),
            placement: Placement::Uniform,
            heterogeneity: self.get(Key::Heterogeneity),
            n_clients: self.count(Key::Clients),
            data: DataPlan {
                n_rollouts: self.count(Key::Rollouts),
                rollout_len: self.count(Key::RolloutLen),
                noise: NoiseLevels::UNIT,
            },
            n_local_steps: self.count(Key::LocalSteps),
            step_size: self.get(Key::StepSize),
            n_rounds: self.count(Key::Rounds),
            start: self.start,
            methods: self.algorithms.iter().map(|solver| self.method(solver)).collect(),
            n_trials: self.count(Key::Trials),
            seed: Seed(self.whole(Key::Seed).into()),
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

    /// An algorithm with its schedule: `FedLin`'s step is constant, in the paper and in the authors' code.
    fn method(&self, solver: Solver) -> Method {
        let schedule = match solver {
            Solver::FedLin => Schedule::Constant,
            Solver::FedAvg => self.schedule,
        };
        Method { solver, schedule }
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
        self.numbers[key as usize] = used;
        let problem = problem(param, value)?;
        let fix = Fix { used: words(used), allowed: param.allowed() };
        Some(Notice { key: param.link.to_owned(), given: given.to_owned(), problem: problem(fix) })
    }
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

/// Sets `value` to the option whose word is `text`, or says which words there are.
fn choose<T: Copy + PartialEq>(choice: &Choice<T>, text: &str, value: &mut T) -> Option<Notice> {
    match choice.by_word(text.trim()) {
        Some(option) => {
            *value = option.value;
            None
        }
        None => Some(not_a_choice(choice.link, text, choice.word(*value), &choice.allowed())),
    }
}

fn not_a_choice(key: &str, given: &str, used: &str, allowed: &str) -> Notice {
    let fix = Fix { used: used.to_owned(), allowed: allowed.to_owned() };
    Notice { key: key.to_owned(), given: given.to_owned(), problem: Problem::NotAChoice(fix) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check(Key::Clients, "1e9", 200.0, Some("M = 1e9 is out of range: allowed 1 to 200, using 200"));
        check(Key::Clients, "0", 1.0, Some("M = 0 is out of range: allowed 1 to 200, using 1"));
        check(Key::Clients, "200.4", 200.0, Some("M = 200.4 is out of range: allowed 1 to 200, using 200"));
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
        draft.schedule = Schedule::OverRounds;
        draft.start = Start::HalfOfClient1;
        let settings = draft.check().unwrap().settings().clone();
        let expected = [settings.n_clients, settings.data.n_rollouts, settings.n_local_steps, settings.n_rounds];
        assert_eq!(expected, [1, 2, 4, 6]);
        assert_eq!((settings.n_trials, settings.data.rollout_len, settings.seed), (7, 8, Seed(9)));
        assert_eq!(
            (settings.heterogeneity.to_string(), settings.step_size.to_string()),
            ("0.03".into(), "0.05".into())
        );
        let fedlin = Method { solver: Solver::FedLin, schedule: Schedule::Constant };
        let fedavg = Method { solver: Solver::FedAvg, schedule: Schedule::OverRounds };
        assert_eq!((settings.methods, settings.start), (vec![fedlin, fedavg], Start::HalfOfClient1));
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
        check(
            "fedprox",
            "fedlin,fedavg",
            Some("alg = fedprox is not among the choices: allowed fedlin, fedavg, using fedlin,fedavg"),
        );
        check(
            "fedavg,fedprox",
            "fedavg",
            Some("alg = fedavg,fedprox is not among the choices: allowed fedlin, fedavg, using fedavg"),
        );
    }

    #[test]
    fn choices_are_read_by_their_words() {
        let mut draft = Draft::default();
        assert_eq!(draft.set_schedule(" Local "), None);
        assert_eq!(draft.set_start("half"), None);
        assert_eq!((draft.schedule, draft.start), (Schedule::OverLocalSteps, Start::HalfOfClient1));
        let notice = draft.set_schedule("fast").map(|notice| notice.to_string());
        let expected = "schedule = fast is not among the choices: allowed constant, local, rounds, using local";
        assert_eq!(notice.as_deref(), Some(expected));
        assert!(draft.set_start("").is_some());
        assert_eq!((draft.schedule, draft.start), (Schedule::OverLocalSteps, Start::HalfOfClient1));
    }
}
