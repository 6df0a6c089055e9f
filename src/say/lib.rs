//! Texts in the reader's language.
//!
//! A text is written in English where the code uses it, with [`say!`], and its translation is looked up by the English
//! text. So the code stays readable, texts without a translation appear in English, and one table ([`TABLES`]) lists
//! all texts side by side. The language is chosen once, before the first text is requested.
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

// The macro refers to this crate by name.
extern crate self as fedsysid_say;

use std::cell::Cell;
use std::fmt::{Display, Write};

pub use catalog::{Fault, packed};
pub use fedsysid_say_macros::say;

/// The tables of the languages other than English: the language's tag, its decimal mark, and JSON with every English
/// text and its translation. Only in native builds: a page loads the table that it needs, packed.
#[cfg(not(target_arch = "wasm32"))]
pub const TABLES: [(&str, char, &str); 1] = [("de", ',', include_str!("de.json"))];

/// A language with its texts.
#[derive(Clone, Debug)]
pub struct Language {
    tag: &'static str,
    decimal_mark: char,
    /// Translations with the numbers of their texts, unsorted: searching a few hundred costs less than downloading a
    /// sort.
    texts: Vec<(u32, &'static str)>,
}

impl Language {
    /// A language with its tag (BCP 47), its decimal mark, and its texts as written by [`packed`]. The texts are kept
    /// for as long as the program runs, since callers keep translated texts that long.
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

/// Sets the language of all later texts on this thread; English if `None`.
pub fn speak(language: Option<&'static Language>) {
    SPOKEN.set(language);
}

/// Calls `say` with English texts, whatever the language: for files that programs read.
pub fn in_english<T>(say: impl FnOnce() -> T) -> T {
    let spoken = SPOKEN.take();
    let said = say();
    SPOKEN.set(spoken);
    said
}

/// The tag of the current language.
pub fn tag() -> &'static str {
    SPOKEN.get().map_or("en", |language| language.tag)
}

/// The decimal mark of numbers that people read.
pub fn decimal_mark() -> char {
    SPOKEN.get().map_or('.', |language| language.decimal_mark)
}

/// The separator of numbers in a list: not a comma if that is the decimal mark.
pub fn between() -> &'static str {
    if decimal_mark() == ',' { "; " } else { ", " }
}

/// A number written with a point, as people read it.
pub fn decimal(text: String) -> String {
    match decimal_mark() {
        '.' => text,
        mark => text.replace('.', mark.encode_utf8(&mut [0; 4])),
    }
}

/// Translates a text without values. It is for texts that are not literals of [`say!`], such as those in tables of
/// constants.
pub fn text(english: &'static str) -> &'static str {
    SPOKEN.get().and_then(|language| language.said(english)).unwrap_or(english)
}

/// Translates a text and puts values in its braces. Empty braces and names take the values in their order; a number, as
/// in a translation, which has its own order, takes the value with that index.
pub fn fill(english: &'static str, values: &[&dyn Display]) -> String {
    let mut next = 0;
    filled(text(english), |place, said| {
        let value = values.get(place.parse().unwrap_or(next));
        next += 1;
        if let Some(value) = value {
            // Writing to a string cannot fail.
            let _ = write!(said, "{value}");
        }
    })
}

/// Translates a text and puts in the value for the name in each of its braces.
pub fn fill_by_name(english: &'static str, value: impl Fn(&str) -> String) -> String {
    filled(text(english), |place, said| {
        let name = place.parse().ok().and_then(|index: usize| catalog::places(english).nth(index));
        said.push_str(&value(name.unwrap_or(place)));
    })
}

/// A text with its braces replaced by what `write` writes.
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
