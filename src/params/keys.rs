//! Every key that a link may have, one row each, from the tables that define them: what the page and the documentation list.

use super::choice::{ALGORITHMS_LINK, Algorithms, CHOICES};
use super::draft::Draft;
use super::embed::{self, Language, Look};
use super::guide::{self, Lesson};
use super::paper::{PaperFigure, Switch};
use super::pins::{self, PIN};
use super::systems::{MOST_ENTRY, MOST_INPUTS, MOST_STATES, MatrixKey, Systems, text_of};
use super::table::{Group, Key, Param, TABLE, Widget};
use super::views::{self, Across, BESIDE_KEYS, MOST, MapKind, View, Word};
use fedsysid_say::say;

/// One key of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: &'static str,
    /// The symbol of the paper, empty where there is none.
    pub symbol: &'static str,
    /// What it sets.
    pub name: String,
    /// What kind of value it takes: "whole number", "words".
    pub kind: &'static str,
    /// The allowed values.
    pub allowed: String,
    /// Stops of its slider; 0 where there is none.
    pub stops: u32,
    /// The value of a link that does not have the key.
    pub default: String,
    /// What to expect of it.
    pub help: String,
    /// The views that depend on it.
    pub views: Vec<View>,
}

/// All of them: numbers, algorithms, choices, matrices, what is looked at, pins.
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

/// What a link says for a frame in another page.
pub fn frame_rows() -> Vec<Row> {
    let row = |key, name, kind, allowed: String, default: &str, help: &str| Row {
        kind,
        allowed,
        help: help.into(),
        ..row(key, name, default.into(), &[])
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
            say!("0; 1 in a frame"),
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
            say!("none"),
            say!("The reader can move these; choices are what the view itself lets people choose."),
        ),
        row(
            embed::LOCK,
            say!("controls that are fixed"),
            "words",
            any(embed::settings().collect()),
            say!("none"),
            say!("The reader sees these, and cannot move them."),
        ),
        row(
            embed::LOOK,
            say!("look"),
            "word",
            looks.join(", "),
            say!("as chosen last"),
            say!("Takes precedence over what the reader chose before."),
        ),
        row(
            embed::LANGUAGE,
            say!("language"),
            "word",
            languages.join(", "),
            say!("as chosen last"),
            say!("Else that of the browser, where there is a translation."),
        ),
        row(
            embed::CAPTION,
            say!("line beneath the chart"),
            "word",
            "0, 1".into(),
            "1",
            say!("What is drawn, in one line."),
        ),
        row(
            embed::AUTORUN,
            say!("computes at once"),
            "word",
            "0, 1".into(),
            "1",
            say!("With 0 it rests until it is touched."),
        ),
        row(
            embed::ORIGIN,
            say!("page that may send messages"),
            "text",
            say!("an origin, several times if need be").into(),
            say!("any"),
            say!("Messages of other origins are passed over."),
        ),
        row(
            embed::INSTANCE,
            say!("what it calls itself"),
            "text",
            say!("up to {} characters", embed::INSTANCE_CHARS),
            say!("empty"),
            say!("Every message carries it, so that several frames can be told apart."),
        ),
    ]
}

/// The views of what a person sets up: the paper's figures have their own settings.
const RUNS: &[View] = &[View::Explore, View::TradeOff, View::Map, View::Systems];

fn row(key: &'static str, name: &str, default: String, views: &[View]) -> Row {
    let (symbol, allowed, help, stops) = ("", String::new(), String::new(), 0);
    Row { key, symbol, name: name.to_owned(), kind: "word", allowed, stops, default, help, views: views.to_vec() }
}

fn number(param: &Param) -> Row {
    let views = match (param.group, param.key) {
        // What is random is so in the paper's figures too.
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

/// What is looked at.
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
            ..row(guide::NAME, say!("name"), say!("none").into(), &[])
        },
        word::<View>(views::VIEW, say!("what is looked at"), &[]),
        Row {
            kind: "values",
            allowed: say!("a setting and up to {MOST} of its values: M:1,5,25; a setting alone for its usual values"),
            help: say!("One curve a value.").into(),
            ..row(views::SWEEP, say!("what is swept"), say!("none").into(), &[View::Explore])
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
