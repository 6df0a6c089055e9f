//! The view that is shown, and the options of each view.

mod sweep;
mod words;

use super::choice::{Algorithm, Algorithms, NONE_WORD};
use super::draft::Draft;
use super::guide::{Guide, Lesson};
use super::notice::Notice;
use super::paper::{PaperFigure, Switch, Switches};
use super::table::{Key, Param, words};
use super::word::{Word, set_word};
use fedsysid_say::say;
use sweep::swept;

pub use sweep::{MOST, SweepOf, listed};
pub use words::{Across, MapKind, Upward, View};

/// The view and the options of all views.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Views {
    /// The view.
    pub view: View,
    /// The quantity on Explore's vertical axis.
    pub upward: Upward,
    /// The parameter on the trade-off's axis.
    pub across: Across,
    /// The trade-off's second setting, "what if": a parameter and its second value.
    pub beside: Option<(Key, f64)>,
    /// The map.
    pub map: MapKind,
    /// The sweep in Explore: one curve for each value.
    pub sweep: Option<SweepOf>,
    /// The algorithm in a sweep and in the map over α and K; `None` for the first of those that run.
    pub method: Option<Algorithm>,
    /// The paper's figure.
    pub figure: PaperFigure,
    /// The options of the paper's figures.
    pub switches: Switches,
    /// The person's place in the lessons.
    pub guide: Guide,
}

/// Keys of the views in a link.
pub(super) const VIEW: &str = "view";
pub(super) const UPWARD: &str = "y";
pub(super) const ACROSS: &str = "x";
/// The key of the second setting; notices about its value name it.
pub const BESIDE: &str = "beside";
pub(super) const MAP: &str = "map";
/// The key of the sweep; notices about its values name it.
pub const SWEEP: &str = "sweep";

pub(super) const METHOD: &str = "method";
pub(super) const FIGURE: &str = "fig";
const KEYS: [&str; 8] = [VIEW, UPWARD, ACROSS, BESIDE, MAP, SWEEP, METHOD, FIGURE];

/// Parameters that a "what if" can change: those on which the trade-off depends.
pub const BESIDE_KEYS: [Key; 6] =
    [Key::Clients, Key::Rollouts, Key::Heterogeneity, Key::LocalSteps, Key::StepSize, Key::RolloutLen];

impl Views {
    /// Removes its own keys from the pairs of a link, and reads them. Notices name values that cannot be used. If a key
    /// occurs more than once, its last value counts.
    pub fn take(pairs: &mut Vec<(String, String)>) -> (Self, Vec<Notice>) {
        let mut views = Self::default();
        let notices = views.apply(pairs);
        (views, notices)
    }

    /// Removes its own keys from the pairs of a link, and sets what they name; the rest stays.
    pub fn apply(&mut self, pairs: &mut Vec<(String, String)>) -> Vec<Notice> {
        let mut notices = Vec::new();
        pairs.retain(|(key, given)| {
            let is_key = |ours: &&str| ours.eq_ignore_ascii_case(key.trim());
            let is_ours = KEYS.iter().any(is_key) || Switch::by_word(key).is_some();
            if is_ours {
                notices.extend(self.set(key.trim(), given));
            }
            !is_ours
        });
        // The parameter on the axis cannot have a second setting.
        let second = self.used(BESIDE);
        self.set_across(self.across);
        if self.used(BESIDE) != second {
            let allowed = say!("a setting that is not along the axis");
            notices.push(Notice::not_a_choice(BESIDE, &second, NONE_WORD, allowed));
        }
        notices
    }

    /// The pairs (key, value) that differ from other views: applied to those, they give these.
    pub fn pairs_beside(&self, other: &Self) -> Vec<(&'static str, String)> {
        let pairs = self.all_pairs().into_iter().zip(other.all_pairs());
        pairs.filter(|(ours, theirs)| ours != theirs).map(|(ours, _)| ours).collect()
    }

    /// All options as pairs (key, value), in the order of links.
    fn all_pairs(&self) -> Vec<(&'static str, String)> {
        let of = |key: Key, values: String| format!("{}:{values}", key.param().link);
        let or_none = |value: Option<String>| value.unwrap_or_else(|| NONE_WORD.into());
        let mut pairs = self.guide.pairs().to_vec();
        pairs.extend([
            (VIEW, self.view.word().into()),
            (UPWARD, self.upward.word().into()),
            (ACROSS, self.across.word().into()),
            (BESIDE, or_none(self.beside.map(|(key, value)| of(key, words(value))))),
            (MAP, self.map.word().into()),
            (SWEEP, or_none(self.sweep.as_ref().map(|SweepOf { key, values }| of(*key, listed(values))))),
            (METHOD, or_none(self.method.map(|method| method.option().word.to_owned()))),
            (FIGURE, self.figure.word().into()),
        ]);
        pairs.extend(Switch::ALL.iter().map(|(switch, key, _)| (*key, self.switches.word(*switch).to_owned())));
        pairs
    }

    /// The quantity on Explore's vertical axis; in a lesson always the error, since people draw their forecasts as
    /// errors.
    pub fn upward(&self) -> Upward {
        if self.guide.lesson == Lesson::None { self.upward } else { Upward::Error }
    }

    /// The index of the shown algorithm among those that run.
    pub fn place(&self, algorithms: Algorithms) -> usize {
        algorithms.iter().position(|algorithm| Some(algorithm) == self.method).unwrap_or(0)
    }

    /// Shows the algorithm at an index among those that run.
    pub fn choose_place(&mut self, algorithms: Algorithms, place: usize) {
        self.method = algorithms.iter().nth(place).filter(|_| place > 0);
    }

    /// Puts another parameter on the trade-off's axis. A second setting of that same parameter is removed.
    pub fn set_across(&mut self, across: Across) {
        self.across = across;
        self.beside = self.beside.filter(|(key, _)| *key != across.key());
    }

    /// Sets the second setting's value from a text. An unusable text changes nothing, and the notice names it.
    pub fn set_beside_text(&mut self, text: &str) -> Option<Notice> {
        let (key, value) = self.beside?;
        let Some(value) = one_value(key, text) else {
            return Some(Notice::not_a_choice(
                BESIDE,
                text,
                &words(value),
                say!("a value from {}", key.param().allowed()),
            ));
        };
        self.beside = Some((key, value));
        None
    }

    /// Sets the option that one pair of a link names.
    fn set(&mut self, key: &str, given: &str) -> Option<Notice> {
        let key = key.to_ascii_lowercase();
        let used = self.used(&key);
        match key.as_str() {
            VIEW => set_word(&mut self.view, VIEW, given),
            UPWARD => set_word(&mut self.upward, UPWARD, given),
            ACROSS => set_word(&mut self.across, ACROSS, given),
            MAP => set_word(&mut self.map, MAP, given),
            FIGURE => set_word(&mut self.figure, FIGURE, given),
            BESIDE | SWEEP | METHOD if given.trim().eq_ignore_ascii_case(NONE_WORD) => {
                self.forget(&key);
                None
            }
            BESIDE => set_part(&mut self.beside, (BESIDE, used), given, beside(given)),
            SWEEP => set_part(&mut self.sweep, (SWEEP, used), given, swept(given)),
            METHOD => {
                let read = Algorithms::by_word(given.trim()).ok_or_else(Algorithms::allowed);
                set_part(&mut self.method, (METHOD, used), given, read)
            }
            switch => self.set_switch(Switch::by_word(switch)?, given),
        }
    }

    /// The value of an option in a link.
    fn used(&self, key: &str) -> String {
        self.all_pairs().into_iter().find(|(ours, _)| *ours == key).map(|(_, value)| value).unwrap_or_default()
    }

    /// Removes an option that may be absent.
    fn forget(&mut self, key: &str) {
        match key {
            BESIDE => self.beside = None,
            SWEEP => self.sweep = None,
            _ => self.method = None,
        }
    }

    fn set_switch(&mut self, switch: Switch, given: &str) -> Option<Notice> {
        if self.switches.choose(switch, given) {
            return None;
        }
        let words: Vec<_> = switch.options().into_iter().map(|(word, _)| word).collect();
        Some(Notice::not_a_choice(switch.word(), given, self.switches.word(switch), words.join(", ")))
    }
}

/// Reads a second setting such as "M:5".
///
/// # Errors
/// The allowed values, in words.
fn beside(given: &str) -> Result<(Key, f64), String> {
    let links: Vec<_> = BESIDE_KEYS.iter().map(|key| key.param().link).collect();
    let allowed = || say!("one of {} and a value of it, such as M:5", links.join(", "));
    let (link, value) = given.split_once(':').ok_or_else(allowed)?;
    let param = Param::by_link(link.trim()).filter(|param| BESIDE_KEYS.contains(&param.key)).ok_or_else(allowed)?;
    one_value(param.key, value).map(|value| (param.key, value)).ok_or_else(allowed)
}

/// A parameter's value from a text; `None` unless it is an allowed one.
fn one_value(key: Key, text: &str) -> Option<f64> {
    let mut draft = Draft::default();
    draft.set_text(key, text).is_none().then(|| draft.get(key))
}

/// Sets an option to the value read, or returns a notice with the allowed values.
fn set_part<T>(
    part: &mut Option<T>,
    (key, used): (&str, String),
    given: &str,
    read: Result<T, String>,
) -> Option<Notice> {
    match read {
        Ok(value) => {
            *part = Some(value);
            None
        }
        Err(allowed) => Some(Notice::not_a_choice(key, given, &used, allowed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::link;
    use crate::params::paper::{Begin, FedAvgSchedule};

    fn read(query: &str) -> (Views, Vec<String>, Vec<(String, String)>) {
        let mut pairs = link::pairs(query);
        let (views, notices) = Views::take(&mut pairs);
        (views, notices.iter().map(Notice::to_string).collect(), pairs)
    }

    #[track_caller]
    fn check(query: &str, views: &Views) {
        assert_eq!(read(query), (views.clone(), vec![], vec![]), "{query}");
        let pairs = views.pairs_beside(&Views::default());
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(read(&pairs.join("&")).0, *views, "{pairs:?}");
    }

    #[track_caller]
    fn refused(query: &str, notice: &str) {
        let (views, notices, left) = read(query);
        assert_eq!((notices, left), (vec![notice.to_owned()], vec![]));
        assert_eq!(views, Views::default());
    }

    #[test]
    fn links_say_what_is_looked_at() {
        let default = Views::default();
        check("", &default);
        check("view=map&map=alpha-k", &Views { view: View::Map, map: MapKind::Steps, ..default.clone() });
        let beside = Some((Key::Clients, 5.0));
        check(
            "VIEW=TradeOff&x=n&beside=m:5",
            &Views { view: View::TradeOff, across: Across::Rollouts, beside, ..default.clone() },
        );
        let switches = Switches { begin: Begin::Half, step: FedAvgSchedule::OverLocalSteps, ..Switches::default() };
        check(
            "view=paper&fig=2B&begin=half&steps=local",
            &Views { view: View::Paper, figure: PaperFigure::AvgRollouts, switches, ..default.clone() },
        );
        let sweep = |key, values: &[f64]| Some(SweepOf { key, values: values.to_vec() });
        check("sweep=eps:0.5, 0.01", &Views { sweep: sweep(Key::Heterogeneity, &[0.01, 0.5]), ..default.clone() });
        check("y=pooled", &Views { upward: Upward::OverPooled, ..default.clone() });
        check("method=FedAvg", &Views { method: Some(Algorithm::FedAvg), ..default.clone() });
        check("sweep=M", &Views { sweep: sweep(Key::Clients, &[1.0, 2.0, 5.0, 25.0, 100.0]), ..default });
    }

    #[test]
    fn a_second_setting_is_one_value_with_either_decimal_mark() {
        let beside = |query: &str| read(query).0.beside;
        assert_eq!(beside("x=M&beside=eps:0,5"), Some((Key::Heterogeneity, 0.5)));
        let mut views = Views { across: Across::Clients, beside: Some((Key::Heterogeneity, 0.3)), ..Views::default() };
        assert_eq!((views.set_beside_text("0,5"), views.beside), (None, Some((Key::Heterogeneity, 0.5))));
        assert!(views.set_beside_text("0.1, 0.2").is_some_and(|notice| notice.to_string().ends_with("using 0.5")));
        views.beside = Some((Key::Rollouts, 25.0));
        assert_eq!((views.set_beside_text("1,000"), views.beside), (None, Some((Key::Rollouts, 1_000.0))));
    }

    #[test]
    fn what_stays_is_said_to_be_used() {
        let sweep = "sweep = x is not among the choices: allowed a setting and up to 9 of its values, such as M:1,5,25, using M:1,5";
        assert_eq!(read("sweep=M:1,5&sweep=x").1, [sweep]);
        let beside =
            "beside = eps:0.1 is not among the choices: allowed a setting that is not along the axis, using none";
        assert_eq!(read("view=tradeoff&beside=eps:0.1").1, [beside]);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        refused(
            "view=charts",
            "view = charts is not among the choices: allowed explore, tradeoff, map, paper, systems, data, lesson, using explore",
        );
        refused("y=log", "y = log is not among the choices: allowed error, pooled, using error");
        refused("map=3", "map = 3 is not among the choices: allowed eps-M, eps-N, alpha-K, using eps-M");
        let algorithms = "fedlin, fedavg, fedprox, scaffold, fedadmm, clustered, median";
        refused("method=sgd", &format!("method = sgd is not among the choices: allowed {algorithms}, using none"));
        refused("begin=one", "begin = one is not among the choices: allowed zero, half, using zero");
        let beside = "allowed one of M, N, eps, K, alpha, T and a value of it, such as M:5, using none";
        refused("beside=q:3", &format!("beside = q:3 is not among the choices: {beside}"));
        refused("beside=M:0", &format!("beside = M:0 is not among the choices: {beside}"));
        let sweep = "allowed a setting and up to 9 of its values, such as M:1,5,25, using none";
        for bad in ["w:0.5", "M:1,x", "what", "M:1,1", "M:1,2,3,4,5,6,7,8,9,10"] {
            refused(&format!("sweep={bad}"), &format!("sweep = {bad} is not among the choices: {sweep}"));
        }
    }

    #[test]
    fn other_pairs_are_left_for_others() {
        let (views, notices, left) = read("M=5&view=map&eps=1");
        assert_eq!((views.view, notices.len(), left.len()), (View::Map, 0, 2));
    }

    #[test]
    fn no_parameter_has_a_key_of_the_views() {
        let switches = Switch::ALL.iter().map(|(_, key, _)| *key);
        for key in KEYS.into_iter().chain(switches) {
            assert_eq!(Param::by_link(key), None);
            assert_ne!(key, crate::params::choice::ALGORITHMS_LINK);
            assert!(crate::params::choice::CHOICES.iter().all(|choice| choice.link != key), "{key}");
        }
    }

    #[test]
    fn a_second_setting_is_typed_over_and_is_never_the_axis() {
        let (mut views, ..) = read("beside=M:5");
        assert_eq!((views.set_beside_text("7"), views.beside), (None, Some((Key::Clients, 7.0))));
        let said = views.set_beside_text("seven").unwrap().to_string();
        assert_eq!(said, "beside = seven is not among the choices: allowed a value from 1 to 10000, using 7");
        views.set_across(Across::Clients);
        assert_eq!((views.beside, views.set_beside_text("3")), (None, None));
        assert_eq!(read("x=M&beside=M:5").0.beside, None);
    }
}
