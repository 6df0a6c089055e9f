//! Texts in the reader's language.
//!
//! A text is written in English where it is said, with [`say!`], and its translation is found by the English: so the code
//! can be read, what has no translation yet is said in English, and one table ([`TABLES`]) has all texts side by side.
//! A language is chosen once, before the first text is asked for.
//!
//! ```
//! use fedsysid_say::{Language, say, speak};
//!
//! let (who, error) = ("client 1", "0.230");
//! assert_eq!(say!("{who} alone is off by {}.", error), "client 1 alone is off by 0.230.");
//!
//! let table = [("{who} alone is off by {}.", "Allein liegt {who} um {} daneben.")];
//! let german = Language::new("de", ',', &fedsysid_say::packed(table).unwrap());
//! speak(Some(Box::leak(Box::new(german))));
//! assert_eq!(say!("{who} alone is off by {}.", error), "Allein liegt client 1 um 0.230 daneben.");
//! ```

mod catalog;

// The macro names the crate from outside.
extern crate self as fedsysid_say;

use std::cell::Cell;
use std::fmt::{Display, Write};

pub use catalog::{Fault, packed};
pub use fedsysid_say_macros::say;

/// The tables of the languages beside English: the language's tag, and JSON with the English of every text and its
/// translation. Natively only: a page loads the one that it needs, packed.
#[cfg(not(target_arch = "wasm32"))]
pub const TABLES: [(&str, char, &str); 1] = [("de", ',', include_str!("de.json"))];

/// A language with its texts.
#[derive(Clone, Debug)]
pub struct Language {
    tag: &'static str,
    decimal_mark: char,
    /// Translations by the numbers of their texts. They are hundreds, and gone through sooner than a sort is downloaded.
    texts: Vec<(u32, &'static str)>,
}

impl Language {
    /// A language by its tag (BCP 47), its decimal mark, and its texts as [`packed`] writes them. They are kept for as long as
    /// the program runs, since whoever says something keeps it for as long.
    pub fn new(tag: &str, decimal_mark: char, packed: &str) -> Self {
        let packed: &'static str = packed.to_owned().leak();
        let texts = packed.lines().filter_map(catalog::unpacked).collect();
        Self { tag: tag.to_owned().leak(), decimal_mark, texts }
    }

    fn said(&self, english: &str) -> Option<&'static str> {
        let wanted = catalog::key(english);
        self.texts.iter().find(|(key, _)| *key == wanted).map(|(_, said)| *said)
    }
}

thread_local! {
    static SPOKEN: Cell<Option<&'static Language>> = const { Cell::new(None) };
}

/// What is said from now on, on this thread, is said in this language; in English if there is none.
pub fn speak(language: Option<&'static Language>) {
    SPOKEN.set(language);
}

/// What is said within is said in English, whatever is spoken: for files that programs read.
pub fn in_english<T>(say: impl FnOnce() -> T) -> T {
    let spoken = SPOKEN.take();
    let said = say();
    SPOKEN.set(spoken);
    said
}

/// The tag of the language that is spoken.
pub fn tag() -> &'static str {
    SPOKEN.get().map_or("en", |language| language.tag)
}

/// What stands between the whole and the fraction of a number that people read.
pub fn decimal_mark() -> char {
    SPOKEN.get().map_or('.', |language| language.decimal_mark)
}

/// What stands between the numbers of a list: no comma where that is the decimal mark.
pub fn between() -> &'static str {
    if decimal_mark() == ',' { "; " } else { ", " }
}

/// A number that was written with a point, as people read it.
pub fn decimal(text: String) -> String {
    match decimal_mark() {
        '.' => text,
        mark => text.replace('.', mark.encode_utf8(&mut [0; 4])),
    }
}

/// A text without values. What is no literal of [`say!`], such as the words of a table of constants, is said by this one.
pub fn text(english: &'static str) -> &'static str {
    SPOKEN.get().and_then(|language| language.said(english)).unwrap_or(english)
}

/// A text with values in the places of its braces: in their order where a brace is empty or holds a name, by their number
/// where it holds one, as in a translation, whose order is its own.
pub fn fill(english: &'static str, values: &[&dyn Display]) -> String {
    let mut next = 0;
    filled(text(english), |place, said| {
        let value = values.get(place.parse().unwrap_or(next));
        next += 1;
        if let Some(value) = value {
            // A string takes all that is written.
            let _ = write!(said, "{value}");
        }
    })
}

/// A text whose values are found by the names in its braces.
pub fn fill_by_name(english: &'static str, value: impl Fn(&str) -> String) -> String {
    filled(text(english), |place, said| {
        let name = place.parse().ok().and_then(|index: usize| catalog::places(english).nth(index));
        said.push_str(&value(name.unwrap_or(place)));
    })
}

/// A text with something written for each of its places.
fn filled(template: &str, mut write: impl FnMut(&str, &mut String)) -> String {
    let mut said = String::with_capacity(2 * template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, after) = after.split_once('}').unwrap_or((after, ""));
        said.push_str(before);
        write(place, &mut said);
        rest = after;
    }
    said.push_str(rest);
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn german(table: &[(&str, &str)]) -> &'static Language {
        let packed = packed(table.iter().copied()).expect("the table is sound");
        Box::leak(Box::new(Language::new("de", ',', &packed)))
    }

    #[test]
    fn english_is_said_as_it_is_written() {
        let (one, other) = (1, "two");
        assert_eq!(say!("nothing to fill in"), "nothing to fill in");
        assert_eq!(say!("{one}, {}, {other} and {one}", 3), "1, 3, two and 1");
        assert_eq!((tag(), decimal_mark(), decimal("0.5".into()).as_str()), ("en", '.', "0.5"));
    }

    #[test]
    fn a_translation_has_an_order_of_its_own() {
        speak(Some(german(&[("{a} before {} and {b}", "{b} nach {} und {a}"), ("plain", "schlicht")])));
        let (a, b) = ("A", "B");
        assert_eq!(say!("{a} before {} and {b}", 7), "B nach 7 und A");
        assert_eq!((say!("plain"), say!("not translated")), ("schlicht", "not translated"));
        assert_eq!((tag(), decimal("−0.25".into()).as_str()), ("de", "−0,25"));
        let by_name = fill_by_name("{a} before {} and {b}", |name| format!("<{name}>"));
        assert_eq!(by_name, "<b> nach <> und <a>");
        assert_eq!((in_english(|| say!("plain")), say!("plain")), ("plain", "schlicht"));
        speak(None);
        assert_eq!(say!("plain"), "plain");
        assert_eq!(fill_by_name("{a} and {b}", str::to_uppercase), "A and B");
    }

    #[test]
    fn braces_in_a_value_are_no_places() {
        assert_eq!(say!("{} and {}", "{1}", "{}"), "{1} and {}");
    }
}
