//! Every key of a link, one row each, from the tables that define them: listed on the page and in the documentation.

use super::choice::{ALGORITHMS_LINK, Algorithms, CHOICES};
use super::draft::Draft;
use super::embed::{self, Language, Look};
use super::guide::{self, Lesson};
use super::name::NAME;
use super::notice::Notice;
use super::paper::{PaperFigure, Switch};
use super::pins::{self, PIN};
use super::systems::{MOST_ENTRY, MOST_INPUTS, MOST_STATES, MatrixKey, Systems, text_of};
use super::table::{Group, Key, Param, TABLE, Widget, shown};
use super::views::{self, Across, BESIDE_KEYS, MOST, MapKind, Upward, View};
use super::word::Word;
use fedsysid_say::say;

/// One key of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: &'static str,
    /// The symbol of the paper, empty where there is none.
    pub symbol: &'static str,
    /// The name of the setting.
    pub name: String,
    /// The kind of its value: "whole number", "words".
    pub kind: &'static str,
    /// The allowed values.
    pub allowed: String,
    /// Number of slider stops; 0 without a slider.
    pub stops: u32,
    /// The value if a link lacks the key.
    pub default: String,
    /// What the setting changes.
    pub help: String,
    /// The views that depend on it.
    pub views: Vec<View>,
}

/// All rows: numbers, algorithms, choices, matrices, views, pins.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<_> = TABLE.iter().map(number).collect();
    rows.push(Row {
        allowed: say!("any of {}, with commas between them; or none", Algorithms::allowed()),
        kind: "words",
        help: say!("One curve each, on the same data.").into(),
        ..row(ALGORITHMS_LINK, say!("algorithms shown"), Draft::default().algorithms.to_string(), RUNS)
    });
    rows.extend(CHOICES.iter().map(|spec| Row {
        allowed: spec.allowed(),
        help: spec.help().into(),
        ..row(spec.link, spec.name(), spec.options[0].word.into(), RUNS)
    }));
    rows.extend(MatrixKey::ALL.map(matrix));
    rows.extend(of_views());
    rows.push(Row {
        kind: "settings",
        allowed: say!(
            "up to {} times: settings that differ from the link’s own, and a name: M:5~eps:0.1~name:before",
            pins::MOST
        ),
        help: say!("A run that is kept as a thin line, to compare with.").into(),
        ..row(PIN, say!("kept runs"), say!("none").into(), &[View::Explore])
    });
    rows
}

/// The keys for a frame in another page.
pub fn frame_rows() -> Vec<Row> {
    let row = |key, name, kind, allowed: String, help: &str| Row {
        kind,
        allowed,
        help: help.into(),
        ..row(key, name, embed::usual(key).unwrap_or_default(), &[])
    };
    let any = |keys: Vec<&str>| say!("any of {}, with commas between them", keys.join(", "));
    let looks: Vec<_> = Look::ALL.iter().map(|(_, word, _)| *word).collect();
    let languages: Vec<_> = Language::ALL.iter().map(|(_, word, _)| *word).collect();
    vec![
        row(
            embed::EMBED,
            say!("compact page"),
            "word",
            "0, 1".into(),
            &say!(
                "One view without the rest of the page, as high as it needs to be. In a frame, a link without it is one with embed=1 and show={}.",
                embed::USUAL.join(",")
            ),
        ),
        row(
            embed::SHOW,
            say!("controls that are there"),
            "words",
            any(embed::controls().collect()),
            say!("The reader can move these; choices are what the view itself lets people choose."),
        ),
        row(
            embed::LOCK,
            say!("controls that are fixed"),
            "words",
            any(embed::settings().collect()),
            say!("The reader sees these, and cannot move them."),
        ),
        row(
            embed::LOOK,
            say!("look"),
            "word",
            looks.join(", "),
            say!("Takes precedence over what the reader chose before."),
        ),
        row(
            embed::LANGUAGE,
            say!("language"),
            "word",
            languages.join(", "),
            say!("Else that of the browser, where there is a translation."),
        ),
        row(embed::CAPTION, say!("line beneath the chart"), "word", "0, 1".into(), say!("What is drawn, in one line.")),
        row(
            embed::AUTORUN,
            say!("computes at once"),
            "word",
            "0, 1".into(),
            say!("With 0 it rests until it is touched."),
        ),
        row(
            embed::ORIGIN,
            say!("page that may send messages"),
            "text",
            say!("an origin, several times if need be").into(),
            say!("Messages of other origins are ignored."),
        ),
        row(
            embed::INSTANCE,
            say!("what it calls itself"),
            "text",
            say!("up to {} characters", embed::INSTANCE_CHARS),
            say!("Every message carries it, so that several frames can be told apart."),
        ),
    ]
}

/// A notice as a whole sentence that also names the default of its key.
pub fn whole(notice: &Notice) -> String {
    let key = notice.key.rsplit(':').next().unwrap_or_default().trim();
    let is_ours = |other: &str| other.eq_ignore_ascii_case(key);
    let default = || match Param::by_link(key).filter(|param| param.follows().is_none()) {
        Some(param) => Some(shown(param.default)),
        None if MatrixKey::by_link(key).is_some() => Some(say!("the paper’s").to_owned()),
        None => embed::usual(key).or_else(|| rows().into_iter().find(|row| is_ours(row.key)).map(|row| row.default)),
    };
    match notice.fix().and_then(|fix| Some((&fix.used, default()?))) {
        Some((used, default)) if *used == default => say!("{notice}, the default."),
        Some((_, default)) => say!("{notice}; the default is {default}."),
        None => format!("{notice}."),
    }
}

/// The view with the control of a key: the current view if it has the control; `None` if no view has it with these
/// settings.
pub fn view_of(key: &str, now: View, draft: &Draft) -> Option<View> {
    let is_ours = |other: &str| other.eq_ignore_ascii_case(key.trim());
    let beside = if matches!(now, View::Paper | View::Data | View::Lesson) { View::Explore } else { now };
    match Param::by_link(key.trim()) {
        Some(param) if param.only_for.is_some_and(|algorithm| !draft.algorithms.contains(algorithm)) => None,
        Some(param) if param.group == Group::Systems => Some(View::Systems),
        Some(_) => Some(beside),
        None if MatrixKey::by_link(key).is_some() => Some(View::Systems),
        None => (is_ours(ALGORITHMS_LINK) || CHOICES.iter().any(|spec| is_ours(spec.link))).then_some(beside),
    }
}

/// The views of a person's own experiment: the paper's figures have their own settings.
const RUNS: &[View] = &[View::Explore, View::TradeOff, View::Map, View::Systems];

fn row(key: &'static str, name: &str, default: String, views: &[View]) -> Row {
    let (symbol, allowed, help, stops) = ("", String::new(), String::new(), 0);
    Row { key, symbol, name: name.to_owned(), kind: "word", allowed, stops, default, help, views: views.to_vec() }
}

fn number(param: &Param) -> Row {
    let views = match (param.group, param.key) {
        // The seed also changes the paper's figures.
        (_, Key::Seed) => &[View::Explore, View::TradeOff, View::Map, View::Paper, View::Systems],
        (Group::Main | Group::More | Group::Systems, _) => RUNS,
    };
    Row {
        symbol: param.symbol,
        kind: if param.grid.is_whole() { "whole number" } else { "number" },
        allowed: param.allowed(),
        stops: if param.widget == Widget::Slider { param.grid.last() + 1 } else { 0 },
        help: param.help().into(),
        ..row(param.link, param.name(), param.usual(), views)
    }
}

fn matrix(key: MatrixKey) -> Row {
    let (name, allowed, help) = match key {
        MatrixKey::A => {
            let allowed = say!("1×1 to {MOST_STATES}×{MOST_STATES}, entries from −{MOST_ENTRY} to {MOST_ENTRY}");
            (say!("nominal dynamics A_0"), allowed, say!("Rows end at semicolons, entries at commas: A=0.9,0.1;0,0.8."))
        }
        MatrixKey::B => {
            let allowed = say!("as many rows as A, 1 to {MOST_INPUTS} columns");
            (say!("nominal inputs B_0"), allowed, say!("Left out where A has not 3 rows, it is an identity matrix."))
        }
        MatrixKey::V => {
            let help = say!(
                "Along it A differs from client to client. Left out where A is not 3×3, it is A: clients differ in proportion."
            );
            (say!("pattern V"), say!("the shape of A").to_owned(), help)
        }
        MatrixKey::U => {
            let help = say!("Along it B differs from client to client. Left out where B is not 3×2, it is B.");
            (say!("pattern U"), say!("the shape of B").to_owned(), help)
        }
    };
    let default = text_of(Systems::default().get(key));
    Row { kind: "matrix", allowed, help: help.into(), ..row(key.link(), name, default, RUNS) }
}

/// The keys of the views and of their options.
fn of_views() -> Vec<Row> {
    let symbols = BESIDE_KEYS.map(|key| key.param().link).join(", ");
    let mut rows = vec![
        Row {
            help: say!("Its panel stands beside the live view.").into(),
            ..word::<Lesson>(guide::LESSON, say!("lesson"), &[])
        },
        Row {
            kind: "whole number",
            allowed: say!("1 to {}", Lesson::most_steps()),
            help: say!("What a link leaves out is as this step starts.").into(),
            ..row(guide::STEP, say!("step of the lesson"), "1".into(), &[])
        },
        Row {
            help: say!("For teachers: the results of a class, from its codes.").into(),
            ..word::<Lesson>(guide::CODES, say!("class of a lesson"), &[View::Lesson])
        },
        Row {
            kind: "text",
            allowed: say!("any").into(),
            help: say!("Gives everybody a seed of their own; behind # it is sent to no server.").into(),
            ..row(NAME, say!("name"), say!("none").into(), &[])
        },
        word::<View>(views::VIEW, say!("what is looked at"), &[]),
        Row {
            kind: "values",
            allowed: say!("a setting and up to {MOST} of its values: M:1,5,25; a setting alone for its usual values"),
            help: say!("One curve per value.").into(),
            ..row(views::SWEEP, say!("what is swept"), say!("none").into(), &[View::Explore])
        },
        Row {
            help: say!("As multiples of pooled least squares’ error, on an even axis: curves that lie on each other come apart.").into(),
            ..word::<Upward>(views::UPWARD, say!("upward axis"), &[View::Explore])
        },
        word::<Across>(views::ACROSS, say!("along the axis"), &[View::TradeOff]),
        Row {
            kind: "value",
            allowed: say!("one of {symbols} and a value of it: M:5"),
            help: say!("The same points at a second setting.").into(),
            ..row(views::BESIDE, say!("second setting"), say!("none").into(), &[View::TradeOff])
        },
        word::<MapKind>(views::MAP, say!("the map"), &[View::Map]),
        Row {
            allowed: Algorithms::allowed(),
            help: say!("Which algorithm’s curves a sweep shows; over α and K whose map, FedLin’s or FedAvg’s.").into(),
            ..row(views::METHOD, say!("algorithm that is looked at"), say!("none").into(), &[View::Explore, View::Map])
        },
        word::<PaperFigure>(views::FIGURE, say!("the paper’s figure"), &[View::Paper]),
    ];
    rows.extend(Switch::ALL.iter().map(|(switch, key, _)| {
        let words: Vec<_> = switch.options().into_iter().map(|(word, _)| word).collect();
        Row { allowed: words.join(", "), ..row(key, switch.name(), switch.default_word().into(), &[View::Paper]) }
    }));
    rows
}

fn word<W: Word>(key: &'static str, name: &str, views: &[View]) -> Row {
    let words: Vec<_> = W::ALL.iter().map(|(_, word, _)| *word).collect();
    Row { allowed: words.join(", "), ..row(key, name, W::default().word().into(), views) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::State;
    use crate::params::embed::{Embed, Framing};
    use crate::params::link;

    #[test]
    fn a_notice_says_what_is_allowed_what_is_used_and_the_default() {
        #[track_caller]
        fn check(query: &str, expected: &str) {
            let mut pairs = link::pairs(query);
            let (_, mut notices) = Embed::take(&mut pairs, Framing::Alone);
            notices.extend(State::from_pairs(pairs).1);
            assert_eq!(notices.iter().map(whole).collect::<Vec<_>>(), [expected]);
        }
        check("M=1e9", "M = 1e9 is out of range: allowed 1 to 10000, using 10000; the default is 50.");
        check("alpha=abc", "alpha = abc is not a number: allowed 0.000001 to 0.1, using 0.0001, the default.");
        check("pin=M:0", "pin: M = 0 is out of range: allowed 1 to 10000, using 1; the default is 50.");
        check(
            "schedule=late",
            "schedule = late is not among the choices: allowed constant, local, rounds, harmonic, using constant, the default.",
        );
        check("systems=x", "systems = x is not a number: allowed 0 to 4294967295, using 7; the default is seed.");
        check(
            "A=x",
            "A = x cannot be used: row 1, column 1: “x” is not a number; allowed 1×1 to 6×6, using the paper’s, the default.",
        );
        check("caption=x", "caption = x is not among the choices: allowed 0 or 1, using 1, the default.");
        check("color=red", "color = red is not a setting of this page: ignored.");
    }

    /// Every notice with a fix also names the default: `whole` knows every key.
    #[test]
    fn every_key_has_a_default_to_tell() {
        let mut n_told = 0;
        for row in rows().iter().chain(&frame_rows()) {
            let mut pairs = link::pairs(&format!("{}=~,~", row.key));
            let (_, mut notices) = Embed::take(&mut pairs, Framing::Alone);
            notices.extend(State::from_pairs(pairs).1);
            for notice in notices.iter().filter(|notice| notice.fix().is_some()) {
                let said = whole(notice);
                assert!(said.ends_with(", the default.") || said.contains("; the default is "), "{said}");
                n_told += 1;
            }
        }
        assert!(n_told > 30, "only {n_told}");
    }

    #[test]
    fn a_control_is_in_the_view_that_has_it() {
        let view = |key, now| view_of(key, now, &Draft::default());
        assert_eq!(view("M", View::Map), Some(View::Map));
        assert_eq!(view("m", View::Paper), Some(View::Explore));
        assert_eq!([view("A", View::Explore), view("su", View::Data)], [Some(View::Systems); 2]);
        assert_eq!([view("mu", View::Explore), view("view", View::Explore), view("lang", View::Map)], [None; 3]);
        assert_eq!(view("start", View::Lesson), Some(View::Explore));
    }
}
