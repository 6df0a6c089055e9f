//! Settings in an export: those that identify the run, and all that differ from their defaults.

use crate::dashboard::results::sweep::{target_of, value_of};
use crate::dashboard::words::names::whose;
use crate::figure::number::number;
use crate::params::Word;
use crate::params::choice::{CHOICES, Choice};
use crate::params::paper::Switch;
use crate::params::table::{Param, TABLE, words};
use crate::params::views::SweepOf;
use crate::params::{Draft, Key, View, Views};
use crate::sim::scenario::Settings;
use crate::sim::sort::sort_few;
use crate::sim::target::Target;
use fedsysid_say::{between, decimal, say};

/// The numbers that every export states.
const KEYS: [Key; 8] = [
    Key::Clients,
    Key::Rollouts,
    Key::Heterogeneity,
    Key::LocalSteps,
    Key::StepSize,
    Key::RolloutLen,
    Key::Rounds,
    Key::Trials,
];
/// The choices that every export states.
const ALWAYS: [Choice; 3] = [Choice::Schedule, Choice::Start, Choice::Target];
/// The longest list of values that is written out, and the longest text in a picture, in characters.
const LONGEST: (usize, usize) = (9, 24);

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Key in a link.
    pub key: String,
    /// Value as in a link; of a setting that varies, the values separated by commas, or the least and the largest
    /// joined by `..`.
    pub value: String,
    /// Key and value for people.
    pub words: String,
    /// Whether all experiments of the chart have this one value.
    pub is_single: bool,
}

impl Setting {
    fn new(key: &str, value: String, words: String) -> Self {
        Self { key: key.to_owned(), value, words, is_single: true }
    }
}

/// What varies in a chart.
pub(super) enum Varied<'a> {
    /// Only what differs between its experiments.
    Points,
    /// A swept setting.
    Swept(&'a SweepOf),
    /// A map's axes: key, least and largest value.
    Axes([(Key, f64, f64); 2]),
}

/// Settings of these experiments, of what varies besides, and of the page.
pub(super) fn settings(points: &[Settings], varied: &Varied<'_>, draft: &Draft, views: &Views) -> Vec<Setting> {
    let mut all: Vec<_> = KEYS.iter().filter_map(|&key| of_number(key, points, varied)).collect();
    let swept = if let Varied::Swept(of) = varied { Some(*of) } else { None };
    let swept = swept.filter(|of| !KEYS.contains(&of.key));
    all.extend(swept.and_then(|of| listed(of.key.param(), &of.values, None)));
    if let Some(first) = points.first().filter(|_| swept.is_none_or(|of| of.key != Key::Seed)) {
        let seed = first.seed.0.to_string();
        all.push(Setting::new(Key::Seed.param().link, seed.clone(), say!("seed {seed}")));
    }
    if views.view == View::Paper {
        let switch = |&(switch, key, name): &(Switch, &str, &str)| {
            let word = views.switches.word(switch);
            Setting::new(key, word.into(), format!("{name}: {word}"))
        };
        all.extend(Switch::ALL.iter().map(switch));
        return all;
    }
    for spec in &CHOICES {
        let option = draft.option(spec.choice);
        if ALWAYS.contains(&spec.choice) || draft.choice(spec.choice) != 0 {
            let of_one =
                target_of(points).filter(|target| spec.choice == Choice::Target && matches!(target, Target::Client(_)));
            let label = of_one.map_or_else(|| option.label().to_owned(), whose);
            all.push(Setting::new(spec.link, option.word.into(), format!("{}: {label}", spec.name())));
        }
    }
    let said: Vec<_> = all.iter().map(|setting| setting.key.clone()).collect();
    all.extend(
        draft
            .pairs()
            .into_iter()
            .filter(|(key, _)| !said.iter().any(|said| said == key))
            .map(|(key, value)| rest(key, value)),
    );
    all
}

/// One of the numbers that every export states.
fn of_number(key: Key, points: &[Settings], varied: &Varied<'_>) -> Option<Setting> {
    let mut values: Vec<f64> = points.iter().map(|point| value_of(key, point)).collect();
    sort_few(&mut values, f64::total_cmp);
    values.dedup_by_key(|value| value.to_bits());
    let axes: &[_] = if let Varied::Axes(axes) = varied { axes } else { &[] };
    let axis = axes.iter().find(|(axis, ..)| *axis == key).map(|(_, low, high)| (*low, *high));
    listed(key.param(), &values, axis)
}

/// The values of a setting, ascending, or the range of a map's axis.
fn listed(param: &Param, values: &[f64], axis: Option<(f64, f64)>) -> Option<Setting> {
    let (first, last) = axis.or(Some((*values.first()?, *values.last()?)))?;
    let listed = |write: fn(f64) -> String, comma: &str| {
        values.iter().map(|&value| write(value)).collect::<Vec<_>>().join(comma)
    };
    let (value, shown) = if axis.is_some() || values.len() > LONGEST.0 {
        (format!("{}..{}", words(first), words(last)), say!("{} to {}", number(first), number(last)))
    } else {
        (listed(words, ","), listed(number, between()))
    };
    let is_single = axis.is_none() && values.len() == 1;
    Some(Setting { key: param.link.into(), value, words: format!("{} = {shown}", name(param)), is_single })
}

/// Symbol of a setting, or its name if it has none.
fn name(param: &Param) -> &'static str {
    if param.symbol.is_empty() { param.name() } else { param.symbol }
}

/// Any other setting of the link.
fn rest(key: &str, value: String) -> Setting {
    let param = TABLE.iter().find(|param| param.link == key);
    let name = param.map_or(key, |param| name(param));
    let shown = match param {
        _ if value.chars().count() > LONGEST.1 => say!("see the link").to_owned(),
        Some(_) => decimal(value.clone()),
        None => value.clone(),
    };
    let words = format!("{name} = {shown}");
    Setting::new(key, value, words)
}
