//! A class: seeds from names, links for everybody, pasted codes, and their histogram beside what seeds give.

use fedsysid_say::{between, say};
use std::fmt::Write;

use super::code::{Found, LEN, NoCode, is_letter};
use super::{course, texts};
use crate::dashboard::sweep::{Plan, Sweep};
use crate::dashboard::table::Table;
use crate::dashboard::things::Things;
use crate::figure::number::measured;
use crate::figure::{Axis, Curve, CurveKind, Figure, Mark, Point, Role, Scale};
use crate::params::name::{fragment_of, seed_of};
use crate::params::{Key, Lesson, State};
use crate::sim::scenario::Settings;

/// Seeds that stand for all: 1 to this.
const SEEDS: u32 = 60;
/// Bars of a histogram.
const BARS: usize = 14;

/// A line of what was pasted that holds no code, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// The line, from 1.
    pub line: usize,
    /// What stands there.
    pub given: String,
    /// Why it is none.
    pub reason: NoCode,
}

/// A code that another line has too. It counts: a code tells nobody's name, and two people with one link may find the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The line, from 1.
    pub line: usize,
    /// The code as it stands there.
    pub given: String,
    /// The first line that has it.
    pub first: usize,
}

/// What a class found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    /// The codes that count.
    pub found: Vec<Found>,
    /// Those of them that are in several lines.
    pub again: Vec<Again>,
    /// What does not count.
    pub bad: Vec<Bad>,
}

/// Reads codes of a lesson, however they stand: many in a line, with names beside them, with any separators.
pub fn read(text: &str, lesson: Lesson) -> Class {
    let mut class = Class::default();
    // With the first line and the last one that have it.
    let mut seen: Vec<(Found, usize, usize)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        for given in candidates(text) {
            let found = match Found::read(&given) {
                Ok(found) if found.lesson == lesson => found,
                Ok(found) => {
                    class.bad.push(Bad { line, given, reason: NoCode::Lesson(found.lesson) });
                    continue;
                }
                Err(reason) => {
                    class.bad.push(Bad { line, given, reason });
                    continue;
                }
            };
            match seen.iter_mut().find(|(known, ..)| *known == found) {
                Some((.., last)) if *last == line => {
                    class.bad.push(Bad { line, given, reason: NoCode::Twice });
                    continue;
                }
                Some((_, first, last)) => {
                    *last = line;
                    class.again.push(Again { line, given, first: *first });
                }
                None => seen.push((found, line, line)),
            }
            class.found.push(found);
        }
    }
    class
}

/// The parts of a line that may be codes: the words that are as long as one, dashes aside; or groups that make one together;
/// else the whole line.
fn candidates(line: &str) -> Vec<String> {
    let letters = |text: &str| text.chars().filter(|&c| is_letter(c)).collect::<String>();
    let words: Vec<_> =
        line.split([' ', '\t', ',', ';', ':', '|', '"']).map(letters).filter(|w| !w.is_empty()).collect();
    let is_code = |word: &&String| word.chars().count() == LEN;
    let whole: Vec<_> = words.iter().filter(is_code).cloned().collect();
    if !whole.is_empty() || words.is_empty() {
        return whole;
    }
    // Groups: "7K2M 9PQ4 X0Z1", perhaps after a name. They end the line.
    let all: Vec<char> = words.concat().chars().collect();
    let tail = |n: usize| all[all.len() - n..].iter().collect::<String>();
    if all.len() >= LEN && words.iter().rev().take(3).all(|word| word.len() == 4) {
        return vec![tail(LEN)];
    }
    if all.len().is_multiple_of(LEN) && Found::read(&tail(LEN)).is_ok() {
        return all.chunks(LEN).map(|code| code.iter().collect()).collect();
    }
    vec![line.trim().to_owned()]
}

/// The names of a list, together those that give the same seed, such as `Ada` and `ada`.
fn by_seed(names: &str) -> Vec<(u32, Vec<&str>)> {
    let names = names.split(['\n', ';', '\t']).map(str::trim).filter(|name| !name.is_empty());
    let mut seeds: Vec<(u32, Vec<&str>)> = Vec::new();
    for name in names {
        let seed = seed_of(name);
        match seeds.iter_mut().find(|(other, _)| *other == seed) {
            Some((_, known)) => known.push(name),
            None => seeds.push((seed, vec![name])),
        }
    }
    seeds
}

/// What to say of names that give the same seed, and so have one link: a sentence for each seed.
pub fn same(names: &str) -> Vec<String> {
    let several = by_seed(names).into_iter().filter(|(_, names)| names.len() > 1);
    let said = |(_, names): (u32, Vec<&str>)| {
        let names: Vec<_> = names.iter().map(|name| format!("“{name}”")).collect();
        say!(
            "One link, as these names give the same clients: {}. Whoever is to have clients of their own needs another name.",
            names.join(between())
        )
    };
    several.map(said).collect()
}

/// A link for every name of a list, one a line: the name, a tab, the address. Of names that give the same seed the first one
/// has a link, see [`same`].
pub fn links(names: &str, lesson: Lesson, page: &str) -> String {
    let query = State::default().at_step(lesson, 0).to_query();
    let mut links = String::new();
    for name in by_seed(names).iter().filter_map(|(_, names)| names.first()) {
        let fragment = fragment_of(name);
        let _ = writeln!(links, "{name}\t{page}?{query}#{fragment}");
    }
    links
}

/// What a histogram is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// What people expected.
    #[default]
    Guess,
    /// What they found.
    Result,
    /// The error at the end of their runs.
    Error,
}

impl Of {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Guess, Self::Result, Self::Error];

    /// Its name.
    pub fn name(self, lesson: Lesson) -> &'static str {
        let names = texts::class_names(lesson);
        names[self as usize]
    }

    fn value(self, found: &Found) -> Option<f64> {
        match self {
            Self::Guess => found.guess,
            Self::Result => found.result,
            Self::Error => found.error,
        }
    }
}

/// The experiments that say what to expect of a class: the step with the prediction, with many seeds.
pub fn plan(lesson: Lesson) -> Option<Plan> {
    let step = course(lesson)?.steps.iter().position(|step| step.guess.is_some())?;
    let draft = State::of_step(lesson, step).draft;
    let at = |seed: u32| {
        let mut draft = draft.clone();
        draft.set(Key::Seed, seed.into());
        Settings { gains: false, ..draft.settings() }
    };
    let points: Vec<_> = (1..=SEEDS).map(at).collect();
    Some(Plan { series_len: points.len(), points, expects: true, ..Plan::default() })
}

/// What the seeds give, as far as it is known: for what people found, and for what they expected of it.
pub fn expected(lesson: Lesson, of: Of, sweep: &Sweep) -> Vec<f64> {
    let value = |point: usize| {
        let (summary, theory) = (sweep.summary(point)?, sweep.theory(point)?);
        let (result, error) = super::seen::found(lesson, summary, theory)?;
        Some(if of == Of::Error { error } else { result })
    };
    (0..sweep.plan.points.len()).filter_map(value).filter(|value| *value > 0.0 && value.is_finite()).collect()
}

/// A class beside what is to be expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The lesson.
    pub lesson: Lesson,
    /// What it is of.
    pub of: Of,
    /// The class's numbers.
    pub values: Vec<f64>,
    /// What seeds give.
    pub expected: Vec<f64>,
}

impl Picture {
    /// The picture of what a class has found, beside what seeds give.
    pub fn new(lesson: Lesson, of: Of, class: &Class, sweep: Option<&Sweep>) -> Self {
        let values = class.found.iter().filter_map(|found| of.value(found)).collect();
        let expected = sweep.map(|sweep| expected(lesson, of, sweep)).unwrap_or_default();
        Self { lesson, of, values, expected }
    }

    /// The picture in words: how many, their mean, what was to be expected.
    pub fn sentence(&self) -> String {
        let said = |mean: Option<f64>| mean.map_or_else(|| "–".into(), |mean| measured(mean, 3));
        let (results, what) = (Things::Results.counted(self.values.len()), self.of.name(self.lesson));
        let (mean, expected) = (said(mean(&self.values)), said(mean(&self.expected)));
        say!("{results}; {what}: mean {mean}, to be expected {expected}.")
    }

    /// Two histograms, as outlines; the class's counts, and what as many seeds give on average.
    pub fn figure(&self) -> Figure {
        let bars = self.bars();
        let outline = |values: &[f64], scale: f64| {
            let mut points = Vec::new();
            let mut put = |x: f64, y: f64| points.push(Point { x, y });
            for edge in bars.windows(2) {
                let n = values.iter().filter(|value| (edge[0]..edge[1]).contains(*value)).count();
                let y = n as f64 * scale;
                put(edge[0], y);
                put(edge[1], y);
            }
            points
        };
        // Before anybody has handed in anything, the seeds stand for a class.
        let n_students = if self.values.is_empty() { self.expected.len() } else { self.values.len() };
        let scale = n_students as f64 / self.expected.len().max(1) as f64;
        let mut curves = Vec::new();
        if !self.expected.is_empty() {
            let (kind, label) = (CurveKind::Predicted, say!("expected").to_owned());
            curves.push(Curve {
                role: Role::Pooled,
                kind,
                label,
                points: outline(&self.expected, scale),
                band: Vec::new(),
            });
        }
        if !self.values.is_empty() {
            let (kind, label) = (CurveKind::Pinned, say!("class").to_owned());
            curves.push(Curve {
                role: Role::FedLin,
                kind,
                label,
                points: outline(&self.values, 1.0),
                band: Vec::new(),
            });
        }
        let tallest = curves.iter().flat_map(|curve| &curve.points).map(|point| point.y).fold(1.0, f64::max);
        let mark = |values: &[f64], role, label: &str| {
            let x = mean(values)?;
            Some(Mark { role, x, y: None, label: label.into(), detail: measured(x, 3) })
        };
        let marks = [
            mark(&self.expected, None, say!("expected mean")),
            mark(&self.values, Some(Role::FedLin), say!("class mean")),
        ];
        let range = (bars[0], bars[BARS]);
        Figure {
            title: None,
            x: Axis { label: self.of.name(self.lesson).into(), range, scale: Scale::Log10, whole: false },
            y: Axis { label: say!("students").into(), range: (0.0, 1.15 * tallest), scale: Scale::Linear, whole: true },
            curves,
            levels: Vec::new(),
            marks: marks.into_iter().flatten().collect(),
            words: None,
        }
    }

    /// The edges of the bars, even in proportion, around all there is.
    fn bars(&self) -> Vec<f64> {
        let all = || self.values.iter().chain(&self.expected).copied();
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        let (low, high) = if low.is_finite() { (low / 1.1, high * 1.1) } else { (0.1, 10.0) };
        (0..=BARS).map(|k| low * (high / low).powf(k as f64 / BARS as f64)).collect()
    }

    /// One row a number.
    pub fn table(&self) -> Table {
        let row = |of: &str, value: &f64| vec![of.to_owned(), value.to_string()];
        let class = self.values.iter().map(|value| row(say!("class"), value));
        let expected = self.expected.iter().map(|value| row(say!("expected"), value));
        let header = vec!["of".into(), self.of.name(self.lesson).into()];
        Table { header, rows: class.chain(expected).collect() }
    }
}

/// What stands beneath the histogram.
pub fn caption() -> &'static str {
    say!("Students by what they found, and how 60 other seeds are spread, scaled to the class; means are geometric.")
}

/// A mean of logarithms, as the axis is logarithmic: a few that are ten times larger do not carry it away.
fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::lesson::markup;

    fn code(guess: f64) -> String {
        Found { lesson: Lesson::Joining, guess: Some(guess), result: Some(0.6), error: Some(0.1) }.code()
    }

    #[test]
    fn codes_are_read_however_they_are_pasted() {
        let (a, b, c) = (code(0.3), code(0.4), code(0.5));
        let plain = |code: &str| code.replace('-', "");
        let spaced = |code: &str| code.replace('-', " ").to_lowercase();
        for text in [
            format!("{a}\n{b}\n{c}"),
            format!("{a}, {b};{c}"),
            format!("Ada: {a}\nBen\t{}\n\n{}\r\n", plain(&b), spaced(&c)),
            format!("\"Ada L.\",\"{a}\"\n{b}|{c}"),
            format!("Ada {}\n{}\n{c}", spaced(&a), spaced(&b)),
        ] {
            let class = read(&text, Lesson::Joining);
            assert_eq!((class.found.len(), class.bad.as_slice()), (3, [].as_slice()), "{text}");
        }
    }

    #[test]
    fn what_does_not_count_is_named_with_its_line() {
        let good = code(0.3);
        let typo = good.replacen(|_| true, if good.starts_with('9') { "8" } else { "9" }, 1);
        let other = Found { lesson: Lesson::Floor, guess: None, result: None, error: None }.code();
        let class = read(&format!("{good}\n{typo}\n{good} {good}\nhello there\n{other}\n{good}"), Lesson::Joining);
        let bad: Vec<_> = class.bad.iter().map(|bad| (bad.line, bad.reason)).collect();
        // Once for each line that has it.
        assert_eq!(class.found, [Found::read(&good).unwrap(); 3]);
        let again: Vec<_> = class.again.iter().map(|again| (again.line, again.first, again.given.as_str())).collect();
        let given = good.replace('-', "");
        assert_eq!(again, [(3, 1, given.as_str()), (6, 1, given.as_str())]);
        let expected =
            [(2, NoCode::Mistyped), (3, NoCode::Twice), (4, NoCode::Letter('l')), (5, NoCode::Lesson(Lesson::Floor))];
        assert!(bad.len() == 4 && bad[..2] == expected[..2] && bad[3] == expected[3], "{bad:?}");
        assert!(class.bad.iter().all(|bad| !bad.reason.to_string().is_empty() && !bad.given.is_empty()));
    }

    #[test]
    fn links_hold_names_where_no_server_sees_them() {
        let text = links("Ada\n Ben Ali \n\n", Lesson::Floor, "https://example.org/live/");
        let lines: Vec<_> = text.lines().collect();
        let link = "https://example.org/live/?lesson=floor#name=";
        assert_eq!(lines, [format!("Ada\t{link}Ada"), format!("Ben Ali\t{link}Ben+Ali")]);
    }

    /// Nobody gets the clients of another one without a word.
    #[test]
    fn names_that_give_the_same_clients_have_one_link_and_are_named() {
        let names = "Ada\nBen\n ada \nADA;Ben Ali\nben  ali";
        let text = links(names, Lesson::Floor, "");
        assert_eq!(
            text.lines().map(|line| line.split('\t').next().unwrap()).collect::<Vec<_>>(),
            ["Ada", "Ben", "Ben Ali"]
        );
        let said = same(names);
        assert_eq!(said.len(), 2);
        assert!(
            said[0].contains(": “Ada”, “ada”, “ADA”. ") && said[1].contains(": “Ben Ali”, “ben  ali”. "),
            "{said:?}"
        );
        assert!(same("Ada\nBen").is_empty());
        assert_eq!(markup::same("A&B\na&b").matches("<li>").count(), 1);
        assert!(markup::same("A&B\na&b").contains("“A&amp;B”"));
    }

    /// Every number is in a bar, and the expected outline has the class's size.
    #[test]
    fn bars_hold_everybody() {
        let values: Vec<_> = (1..=9).map(|k| 0.1 * f64::from(k)).collect();
        let expected: Vec<_> = (1..=30).map(|k| 0.05 * f64::from(k)).collect();
        let picture = Picture { lesson: Lesson::Joining, of: Of::Result, values, expected };
        let figure = picture.figure();
        assert_eq!(figure.curves.len(), 2);
        for curve in &figure.curves {
            let sum: f64 = curve.points.iter().step_by(2).map(|point| point.y).sum();
            assert!((sum - 9.0).abs() < 1e-9, "{}: {sum}", curve.label);
        }
        assert_eq!((figure.marks.len(), picture.table().rows.len()), (2, 39));
        let nobody = Picture { values: Vec::new(), expected: Vec::new(), ..picture };
        assert!(nobody.figure().curves.is_empty() && nobody.sentence().contains('–'));
    }
}
