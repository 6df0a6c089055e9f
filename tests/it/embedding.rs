//! The facts about frames agree: those in `docs/embedding.md`, in the element's script and in the style sheet.

use std::collections::BTreeSet;

use fedsysid::dashboard::outgoing::host::{By, Format, Told, read};
use fedsysid::params::State;
use fedsysid::params::json::Value;
use fedsysid::params::keys::{frame_rows, rows};

const DOCS: &str = include_str!("../../docs/embedding.md");
const SCRIPT: &str = include_str!("../../src/web/fedsysid-figure.js");
const STYLE: &str = include_str!("../../style/embed.css");

/// The rows of a table between two marks, without its header, as the cells of each row.
fn table(mark: &str) -> Vec<Vec<&'static str>> {
    let (_, rest) = DOCS.split_once(&format!("<!-- {mark} -->\n")).expect("the table's begin is marked");
    let (table, _) = rest.split_once(&format!("<!-- end of {mark} -->")).expect("the table's end is marked");
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    table.lines().skip(2).map(cells).collect()
}

/// The words in code style at the beginnings of a cell's parts, which semicolons separate.
fn names(cell: &str) -> BTreeSet<&str> {
    cell.split("; ").filter_map(|part| part.strip_prefix('`')?.split('`').next()).collect()
}

#[test]
fn every_message_of_the_page_is_documented_as_it_is() {
    let (state, problems) = (State::default(), ["no".to_owned()]);
    let told = [
        Told::Ready,
        Told::Changed(&state, By::User),
        Told::Result(&state, None),
        Told::Height(1),
        Told::Export(Format::Csv, ""),
        Told::Problems(&problems),
    ];
    let documented = table("told");
    assert_eq!(documented.len(), told.len());
    for (told, row) in told.into_iter().zip(&documented) {
        let message: serde_json::Value = serde_json::from_str(&told.message("a")).unwrap();
        let message = message.as_object().unwrap();
        assert_eq!(row[0].trim_matches('`'), message["type"]);
        assert_eq!((&message["version"], &message["instance"]), (&1.into(), &"a".into()));
        let fields: BTreeSet<_> =
            message.keys().map(String::as_str).filter(|key| !["type", "version", "instance"].contains(key)).collect();
        assert_eq!(names(row[1]), fields, "{}", row[0]);
    }
}

#[test]
fn every_question_is_documented() {
    let ask = |kind: &str| {
        read(&Value::Map(vec![("type".to_owned(), Value::Text(kind.to_owned()))])).expect("it begins with ours").ask
    };
    let kinds: Vec<_> = table("questions").iter().map(|row| row[0].trim_matches('`')).collect();
    for kind in &kinds {
        let spoken = ask(kind);
        assert!(!matches!(&spoken, Err(reason) if reason.contains("is not spoken here")), "{kind}: {spoken:?}");
        let needs = table("questions").iter().find(|row| row[0].contains(kind)).map_or("", |row| row[1]);
        assert_eq!(needs.is_empty(), spoken.is_ok(), "{kind} needs {needs:?}");
    }
    let all = ask("fedsysid:nothing").unwrap_err();
    let words: Vec<_> = kinds.iter().filter_map(|kind| kind.strip_prefix("fedsysid:")).collect();
    let (last, others) = words.split_last().unwrap();
    assert!(all.contains("set, get, reset, export and subscribe are"), "{all}");
    let mut documented = [others, &[*last]].concat();
    documented.sort_unstable();
    assert_eq!(documented, ["export", "get", "reset", "set", "subscribe"]);
}

/// The words of a list in the element's script.
fn listed(name: &str) -> Vec<&'static str> {
    let (_, rest) = SCRIPT.split_once(&format!("const {name} = /^(")).expect("the list is there");
    rest.split(")$/").next().expect("it ends").split('|').collect()
}

#[test]
fn the_element_takes_no_key_for_something_else() {
    let own = listed("OWN");
    for row in rows().iter().chain(&frame_rows()) {
        let key = row.key.to_ascii_lowercase();
        let is_free = !own.contains(&key.as_str()) && !key.starts_with("on") && !key.contains(['-', ':', '_']);
        assert!(is_free, "{key} is an attribute with another meaning");
    }
}

/// Settings about frames can only change together with the frame.
#[test]
fn the_element_knows_what_is_about_frames() {
    let frame = listed("FRAME");
    for row in frame_rows() {
        assert!(row.key == "embed" || frame.contains(&row.key), "{} changes nothing in a frame that is there", row.key);
    }
}

/// The window of a frame is as high as the page in it, so heights that depend on the window would never settle.
#[test]
fn no_height_in_a_frame_follows_from_the_window() {
    const UNITS: [&str; 12] = ["vh", "svh", "lvh", "dvh", "vb", "svb", "lvb", "dvb", "vmin", "vmax", "cqb", "cqh"];
    let words = STYLE.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    let with_unit = |word: &&str| {
        let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        unit.len() < word.len() && UNITS.contains(&unit)
    };
    assert_eq!(words.filter(with_unit).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(STYLE.contains("cqi"), "the heights are where they are looked for");
}
