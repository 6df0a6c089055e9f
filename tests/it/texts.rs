//! Every text of the sources has a translation, and every translated text is used. `UPDATE_TEXTS=1` adds texts without
//! a translation to the tables, with empty translations to fill in, and removes texts that are no longer used.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fedsysid::dashboard::outgoing::export::charts::Page;
use fedsysid::dashboard::outgoing::script::Language as Code;
use fedsysid::dashboard::run::picture;
use fedsysid::dashboard::views::lesson::COURSES;
use fedsysid::dashboard::words::glossary;
use fedsysid::params::Word;
use fedsysid::params::choice::{Algorithm, CHOICES};
use fedsysid::params::embed::Look;
use fedsysid::params::examples::EXAMPLES;
use fedsysid::params::paper::{Begin, ErrorAxis, ErrorOf, Estimate, FedAvgSchedule, PaperFigure, Switch};
use fedsysid::params::preset::PRESETS;
use fedsysid::params::table::TABLE;
use fedsysid::params::views::{Across, MapKind};
use fedsysid::params::{Draft, Lesson, View, Views};
use fedsysid_say::{Language, TABLES, packed, speak};
use serde_json::{Map, Value};

use crate::programs::run;
use crate::tidy::sources;

/// The texts in a source file that are literals after `say!`.
fn literals(source: &str) -> Vec<String> {
    let literal = |after: &str| {
        let mut text = String::new();
        let mut chars = after.trim_start().strip_prefix('"')?.chars().peekable();
        while let Some(c) = chars.next() {
            match (c, chars.peek()) {
                ('"', _) => return Some(text),
                ('\\', Some('\n')) => while chars.next_if(|c| c.is_whitespace()).is_some() {},
                ('\\', Some('u')) => {
                    let code: String = chars.by_ref().skip(2).take_while(|c| *c != '}').collect();
                    text.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                }
                ('\\', _) => text.extend(chars.next()),
                _ => text.push(c),
            }
        }
        None
    };
    source.split("say!(").skip(1).filter_map(literal).collect()
}

fn words<W: Word>() -> impl Iterator<Item = &'static str> {
    W::ALL.iter().map(|(.., name)| *name)
}

/// Texts in tables of constants, which the page translates too.
fn constants() -> Vec<&'static str> {
    let params = TABLE.iter().flat_map(|param| [param.name(), param.help()]);
    let choices = CHOICES.iter().flat_map(|spec| {
        let options = spec.options.iter().flat_map(|option| [option.label(), option.help()]);
        [spec.name(), spec.help()].into_iter().chain(options)
    });
    let algorithms =
        Algorithm::ALL.iter().flat_map(|algorithm| [algorithm.option().label(), algorithm.option().help()]);
    let presets = PRESETS.iter().flat_map(|preset| [preset.name(), preset.description()]);
    let examples = EXAMPLES.iter().flat_map(|example| [example.name(), example.description()]);
    let words = (words::<View>().chain(words::<Across>()).chain(words::<MapKind>()))
        .chain(words::<Lesson>().chain(words::<Look>()).chain(words::<PaperFigure>()))
        .chain(words::<FedAvgSchedule>().chain(words::<ErrorOf>()).chain(words::<Begin>()))
        .chain(words::<Estimate>().chain(words::<ErrorAxis>()).chain(words::<Switch>()));
    let entries = [glossary::STABILITY, glossary::ANATOMY, glossary::JOIN, glossary::BOUND].into_iter().flatten();
    let glossary = entries.flat_map(|entry| [entry.name, entry.words]);
    let steps = COURSES.iter().flat_map(|course| course.steps);
    let lessons = steps.flat_map(|step| {
        let paragraphs = [step.words.text, step.words.task, step.words.done].into_iter().flatten();
        std::iter::once(step.words.title).chain(paragraphs.map(|paragraph| paragraph.words))
    });
    params
        .chain(choices)
        .chain(algorithms)
        .chain(presets)
        .chain(examples)
        .chain(words)
        .chain(glossary)
        .chain(lessons)
        .collect()
}

/// Whether a text has a word of at least two letters outside braces: other texts are symbols, the same in every
/// language.
fn has_a_word(text: &str) -> bool {
    let outside: String = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
    outside.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() > 1)
}

/// Every text, in the order of the sources.
fn said() -> Vec<String> {
    let mut texts: Vec<_> = sources()
        .into_iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "say"))
        .flat_map(|path| literals(&fs::read_to_string(path).expect("a source file can be read")))
        .chain(constants().into_iter().map(str::to_owned))
        .filter(|text| has_a_word(text))
        .collect();
    let mut seen = BTreeSet::new();
    texts.retain(|text| seen.insert(text.clone()));
    texts
}

fn table(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).expect("a table of texts is a JSON object")
}

fn path(tag: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/say/{tag}.json"))
}

#[test]
fn every_text_has_a_translation_and_every_translation_a_text() {
    let texts = said();
    assert!(texts.len() > 800, "{} texts are not all there are", texts.len());
    for (tag, _, json) in TABLES {
        let mut table = table(json);
        if std::env::var_os("UPDATE_TEXTS").is_some() {
            let entry = |text: &String| (text.clone(), table.remove(text).unwrap_or_else(|| "".into()));
            let entries: Vec<_> = texts.iter().map(entry).collect();
            let line = |(text, said): &(String, Value)| format!("  {}: {said}", Value::from(text.as_str()));
            let lines: Vec<_> = entries.iter().map(line).collect();
            fs::write(path(tag), format!("{{\n{}\n}}\n", lines.join(",\n"))).expect("the table can be written");
            continue;
        }
        let untold: Vec<_> = texts.iter().filter(|text| !table.contains_key(*text)).collect();
        assert!(untold.is_empty(), "{tag}: without a translation (UPDATE_TEXTS=1 puts them in): {untold:#?}");
        let unsaid: Vec<_> = table.keys().filter(|text| !texts.contains(text)).collect();
        assert!(unsaid.is_empty(), "{tag}: nobody says this any more: {unsaid:#?}");
    }
}

fn language(tag: &'static str, mark: char, json: &str) -> &'static Language {
    let table = table(json);
    let table: Vec<_> = table.iter().map(|(text, said)| (text.as_str(), said.as_str().unwrap_or_default())).collect();
    let packed = packed(table).unwrap_or_else(|fault| panic!("{tag}: {fault}"));
    Box::leak(Box::new(Language::new(tag, mark, &packed)))
}

#[test]
fn every_table_is_sound() {
    for (tag, mark, json) in TABLES {
        language(tag, mark, json);
    }
}

#[test]
fn literals_are_read_as_the_compiler_reads_them() {
    let source = "say!(\"one \\\"two\\\" {x}\\\n      three\", y); say!(\n    \"a\\u{202f}b\\\\\"\n) say!(text)";
    assert_eq!(literals(source), ["one \"two\" {x}three", "a\u{202f}b\\"]);
}

/// Words about a program on the page are in the page's language, the program itself is in English.
#[test]
fn programs_are_english_and_what_is_said_of_them_is_not() {
    let (draft, _) = Draft::from_query("alpha=0.003&q=3");
    let (settings, views) = (draft.settings(), Views { view: View::TradeOff, ..Views::default() });
    let run = run(|s| *s = settings.clone());
    let page = Page { draft: &draft, views: &views, link: "" };
    let written = || page.program(&run, Code::Python).expect("the estimates are left").1;
    let keywords = || {
        let png = page.run(&run, picture::figure(&run), &[]).png_texts();
        ["Title", "Description", "Software", "Source"].map(|word| {
            let chunk = [b"iTXt", word.as_bytes(), b"\0"].concat();
            png.windows(chunk.len()).any(|bytes| bytes == chunk)
        })
    };
    let english = written();
    let [(tag, mark, json)] = TABLES;
    speak(Some(language(tag, mark, json)));
    let german = written();
    assert_eq!(keywords(), [true; 4], "the keywords that PNG has registered");
    speak(None);
    assert_eq!(german.text, english.text);
    assert!(english.text.contains("# Error along the rounds: FedLin, FedAvg"), "it is of the run, in any view");
    assert!(english.text.contains(&format!("# {}", english.notes[0])), "{}", english.notes[0]);
    assert_eq!(german.notes[0], "Ohne FedLin: divergiert.");
}

#[test]
fn numbers_have_the_mark_of_the_language_on_the_page_and_a_point_in_files() {
    let [(tag, mark, json)] = TABLES;
    speak(Some(language(tag, mark, json)));
    let param = &TABLE[2];
    assert_eq!((param.name(), fedsysid::figure::number::number(0.25).as_str()), ("Heterogenität", "0,25"));
    assert_eq!(fedsysid::figure::number::measured(12.5, 4), "12,50");
    let draft = fedsysid::params::Draft::from_query("eps=0.25").0;
    assert_eq!(draft.to_query(), "eps=0.25");
    speak(None);
    assert_eq!(fedsysid::figure::number::number(0.25), "0.25");
}
