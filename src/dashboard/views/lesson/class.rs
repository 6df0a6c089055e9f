//! Classes: seeds from names, a link for everybody, pasted result codes, and their histogram beside the results of many
//! seeds.

use fedsysid_say::{between, say};
use std::fmt::Write;

use super::code::{Found, LEN, NoCode, is_letter};
use super::{course, texts};
use crate::dashboard::results::sweep::{Plan, Sweep};
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::table::Table;
use crate::figure::number::measured;
use crate::figure::{Axis, Curve, CurveKind, Figure, Mark, Point, Role, Scale};
use crate::params::name::{fragment_of, seed_of};
use crate::params::{Key, Lesson, State};
use crate::sim::scenario::Settings;

/// The seeds of the expected results are 1 to this.
const SEEDS: u32 = 60;
/// Number of bars in a histogram.
const BARS: usize = 14;

/// A part of a pasted line that counts as no code, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bad {
    /// Line number, from 1.
    pub line: usize,
    /// The part of the line.
    pub given: String,
    /// Why it does not count.
    pub reason: NoCode,
}

/// A code that an earlier line has too. It counts: codes hold no names, and two people with one link may find the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Again {
    /// The line, from 1.
    pub line: usize,
    /// The code as it stands there.
    pub given: String,
    /// The first line that has it.
    pub first: usize,
}

/// Results of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    /// The valid codes.
    pub found: Vec<Found>,
    /// The valid codes that an earlier line has too.
    pub again: Vec<Again>,
    /// The invalid codes.
    pub bad: Vec<Bad>,
}

/// Reads the result codes of a lesson from any layout: several in a line, names beside them, any separators.
pub fn read(text: &str, lesson: Lesson) -> Class {
    let mut class = Class::default();
    // Each code with the first and the last line that has it.
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

/// Parts of a line that may be codes: words that are as long as a code without dashes; otherwise groups that make codes
/// together; otherwise the whole line.
fn candidates(line: &str) -> Vec<String> {
    let letters = |text: &str| text.chars().filter(|&c| is_letter(c)).collect::<String>();
    let words: Vec<_> =
        line.split([' ', '\t', ',', ';', ':', '|', '"']).map(letters).filter(|w| !w.is_empty()).collect();
    let is_code = |word: &&String| word.chars().count() == LEN;
    let whole: Vec<_> = words.iter().filter(is_code).cloned().collect();
    if !whole.is_empty() || words.is_empty() {
        return whole;
    }
    // Groups: "7K2M 9PQ4 X0Z1", perhaps after names, of which some may look like groups.
    let groups = words.split(|word| word.chars().count() != 4);
    let mut codes: Vec<_> = groups.flat_map(|run| run[run.len() % 3..].chunks(3)).map(<[String]>::concat).collect();
    if codes.iter().any(|code| Found::read(code).is_ok()) {
        codes.retain(|code| code.contains(|c: char| c.is_ascii_digit()));
    }
    if !codes.is_empty() {
        return codes;
    }
    let all: Vec<char> = words.concat().chars().collect();
    let tail = |n: usize| all[all.len() - n..].iter().collect::<String>();
    if all.len().is_multiple_of(LEN) && Found::read(&tail(LEN)).is_ok() {
        return all.chunks(LEN).map(|code| code.iter().collect()).collect();
    }
    vec![line.trim().to_owned()]
}

/// The names of a list, grouped by seed: `Ada` and `ada` give the same one.
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

/// Warnings about names that give the same seed and thus share a link: one sentence per seed.
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

/// One line per name of a list: the name, a tab, its link. Of names with the same seed only the first has a link, see
/// [`same`].
pub fn links(names: &str, lesson: Lesson, page: &str) -> String {
    let query = State::default().at_step(lesson, 0).to_query();
    let mut links = String::new();
    for name in by_seed(names).iter().filter_map(|(_, names)| names.first()) {
        let fragment = fragment_of(name);
        let _ = writeln!(links, "{name}\t{page}?{query}#{fragment}");
    }
    links
}

/// Quantity of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// The students' guesses.
    #[default]
    Guess,
    /// The true values in their runs.
    Result,
    /// The errors at the end of their runs.
    Error,
}

impl Of {
    /// All quantities.
    pub const ALL: [Self; 3] = [Self::Guess, Self::Result, Self::Error];

    /// Name of the quantity in a lesson.
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

/// The start of the step with the guess, whose results a class hands in.
pub fn state(lesson: Lesson) -> Option<State> {
    let step = course(lesson)?.steps.iter().position(|step| step.guess.is_some())?;
    Some(State::of_step(lesson, step))
}

/// The experiments that show what to expect of a class: the step with the guess, with many seeds.
pub fn plan(lesson: Lesson) -> Option<Plan> {
    let draft = state(lesson)?.draft;
    let at = |seed: u32| {
        let mut draft = draft.clone();
        draft.set(Key::Seed, seed.into());
        Settings { gains: false, ..draft.settings() }
    };
    let points: Vec<_> = (1..=SEEDS).map(at).collect();
    Some(Plan { series_len: points.len(), points, expects: true, ..Plan::default() })
}

/// Values of the seeds computed so far: final errors for [`Of::Error`], true values for the other two quantities.
pub fn expected(lesson: Lesson, of: Of, sweep: &Sweep) -> Vec<f64> {
    let value = |point: usize| {
        let (summary, theory) = (sweep.summary(point)?, sweep.theory(point)?);
        let (result, error) = super::seen::found(lesson, summary, theory)?;
        Some(if of == Of::Error { error } else { result })
    };
    (0..sweep.plan.points.len()).filter_map(value).filter(|value| *value > 0.0 && value.is_finite()).collect()
}

/// Histogram of a class beside the expected one.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The lesson.
    pub lesson: Lesson,
    /// Its quantity.
    pub of: Of,
    /// The class's values.
    pub values: Vec<f64>,
    /// The values of the seeds.
    pub expected: Vec<f64>,
}

impl Picture {
    /// Histogram of a class's values beside those of the seeds.
    pub fn new(lesson: Lesson, of: Of, class: &Class, sweep: Option<&Sweep>) -> Self {
        let values = class.found.iter().filter_map(|found| of.value(found)).collect();
        let expected = sweep.map(|sweep| expected(lesson, of, sweep)).unwrap_or_default();
        Self { lesson, of, values, expected }
    }

    /// The histogram in words: number of values, their mean, and the expected mean.
    pub fn sentence(&self) -> String {
        let said = |mean: Option<f64>| mean.map_or_else(|| "–".into(), |mean| measured(mean, 3));
        let (results, what) = (Things::Results.counted(self.values.len()), self.of.name(self.lesson));
        let (mean, expected) = (said(mean(&self.values)), said(mean(&self.expected)));
        say!("{results}; {what}: mean {mean}; of {SEEDS} other seeds {expected}.")
    }

    /// Two histograms as outlines: the class's counts, and the average counts of as many seeds.
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
        // While the class has no results, the seeds stand for it.
        let n_students = if self.values.is_empty() { self.expected.len() } else { self.values.len() };
        let scale = n_students as f64 / self.expected.len().max(1) as f64;
        let mut curves = Vec::new();
        if !self.expected.is_empty() {
            let (kind, label) = (CurveKind::Predicted, say!("{SEEDS} other seeds"));
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
            mark(&self.expected, None, say!("mean of the seeds")),
            mark(&self.values, Some(Role::FedLin), say!("class mean")),
        ];
        let range = (bars[0], bars[BARS]);
        let counted = if self.values.is_empty() { say!("seeds") } else { say!("students") };
        Figure {
            title: None,
            x: Axis { label: self.of.name(self.lesson).into(), range, scale: Scale::Log10, whole: false },
            y: Axis { label: counted.into(), range: (0.0, 1.15 * tallest), scale: Scale::Linear, whole: true },
            curves,
            levels: Vec::new(),
            marks: marks.into_iter().flatten().collect(),
            words: None,
        }
    }

    /// Edges of the bars: equal ratios, from just below the least to just above the largest of all values.
    fn bars(&self) -> Vec<f64> {
        let all = || self.values.iter().chain(&self.expected).copied();
        let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        let (low, high) = if low.is_finite() { (low / 1.1, high * 1.1) } else { (0.1, 10.0) };
        (0..=BARS).map(|k| low * (high / low).powf(k as f64 / BARS as f64)).collect()
    }

    /// One row per value.
    pub fn table(&self) -> Table {
        let row = |of: &str, value: &f64| vec![of.to_owned(), value.to_string()];
        let class = self.values.iter().map(|value| row(say!("class"), value));
        let expected = self.expected.iter().map(|value| row(&say!("{SEEDS} other seeds"), value));
        let header = vec!["of".into(), self.of.name(self.lesson).into()];
        Table { header, rows: class.chain(expected).collect() }
    }
}

/// Caption of the histogram.
pub fn caption() -> String {
    say!(
        "Students by what they predicted or found, and how {SEEDS} other seeds are spread, scaled to the class; means are geometric."
    )
}

/// Geometric mean: a few values ten times as large do not dominate it, and the axis is logarithmic.
fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::views::lesson::markup;

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
    fn codes_in_groups_of_letters_are_all_read() {
        let [a, b] = [0.3, 0.4].map(|guess| code(guess).replace('-', " "));
        for text in [
            format!("{a} {b}"),
            format!("Anna {a} {b}"),
            format!("Ada {a}, Ben {b}"),
            format!("{a}\n{b} Ada"),
            format!("Anna Lena Mara {a}\nIngo Karl Otto Paul {b}"),
        ] {
            let class = read(&text, Lesson::Joining);
            assert_eq!((class.found.len(), class.bad.as_slice()), (2, [].as_slice()), "{text}");
        }
        let wrong = if a.starts_with('9') { "8" } else { "9" };
        let class = read(&format!("{wrong}{} {b}", &a[1..]), Lesson::Joining);
        assert_eq!((class.found.len(), class.bad.len()), (1, 1));
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

    /// Nobody gets another student's clients without a warning.
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

    /// Every value is in a bar, and the expected outline is scaled to the size of the class.
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
        assert_eq!((figure.y.label.as_str(), nobody.figure().y.label.as_str()), ("students", "seeds"));
        assert!(nobody.sentence().ends_with("of 60 other seeds –."), "{}", nobody.sentence());
    }
}
