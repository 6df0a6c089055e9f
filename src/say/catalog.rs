//! A table of translations, packed for the page: it holds a number for each English text instead of the text, which the
//! program has.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::fmt::Write;

/// The reason why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Two texts have the same number: one of them must be reworded.
    Alike(String, String),
    /// A translation has a value that its text lacks, lacks one, or repeats one.
    Values(String, String),
    /// A translation has more than one line, or is empty.
    Lines(String),
}

impl Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alike(one, other) => write!(f, "“{one}” and “{other}” have the same number: reword one of them"),
            Self::Values(text, said) => write!(f, "“{said}” does not use the same placeholders as “{text}”"),
            Self::Lines(text) => write!(f, "the translation of “{text}” is not one line"),
        }
    }
}

/// The number of a text: its 32-bit FNV-1a hash.
pub(crate) fn key(english: &str) -> u32 {
    const PRIME: u32 = 16_777_619;
    english.bytes().fold(2_166_136_261, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

/// Reads a line of a packed table: the number of a text, and its translation.
pub(crate) fn unpacked(line: &'static str) -> Option<(u32, &'static str)> {
    let (key, said) = line.split_once(' ')?;
    Some((u32::from_str_radix(key, 36).ok()?, said))
}

/// A table of English texts and their translations as lines: each has the text's number in base 36, and the
/// translation, with the numbers of the values in its braces.
///
/// # Errors
///
/// If a translation lacks values of its text, or has another [`Fault`].
pub fn packed<T: AsRef<str>>(table: impl IntoIterator<Item = (T, T)>) -> Result<String, Fault> {
    let mut lines = String::new();
    let mut taken = BTreeMap::new();
    for (english, said) in table {
        let (english, said) = (english.as_ref(), said.as_ref());
        if let Some(other) = taken.insert(key(english), english.to_owned()) {
            return Err(Fault::Alike(other, english.to_owned()));
        }
        if said.is_empty() || said.contains('\n') {
            return Err(Fault::Lines(english.to_owned()));
        }
        let said = numbered(english, said).ok_or_else(|| Fault::Values(english.to_owned(), said.to_owned()))?;
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{} {said}", in_36_digits(key(english)));
    }
    Ok(lines)
}

fn in_36_digits(mut number: u32) -> String {
    let mut digits = Vec::new();
    while digits.is_empty() || number > 0 {
        digits.extend(char::from_digit(number % 36, 36));
        number /= 36;
    }
    digits.iter().rev().collect()
}

/// The contents of the braces in a text.
pub(crate) fn places(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// A translation with numbers in place of names. `None` unless it has each value of the text once; values without a
/// name keep their order.
fn numbered(english: &str, said: &str) -> Option<String> {
    let mut left: Vec<_> = places(english).enumerate().collect();
    let mut pieces = said.split('{');
    let mut text = pieces.next()?.to_owned();
    for piece in pieces {
        let (name, after) = piece.split_once('}')?;
        let found = left.iter().position(|(_, place)| *place == name)?;
        let (index, _) = left.remove(found);
        let _ = write!(text, "{{{index}}}{after}");
    }
    left.is_empty().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_the_published_one() {
        // Test vectors published by the authors of the hash (http://www.isthe.com/chongo/tech/comp/fnv/).
        assert_eq!([key(""), key("a"), key("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }

    #[test]
    fn a_table_is_packed_and_unpacked() {
        let lines = packed([("{} of {all}", "von {all} {}"), ("a", "ä")]).expect("both are sound");
        let lines: &'static str = lines.leak();
        let texts: Vec<_> = lines.lines().filter_map(unpacked).collect();
        assert_eq!(texts, [(key("{} of {all}"), "von {1} {0}"), (key("a"), "ä")]);
    }

    #[test]
    fn a_translation_has_each_value_once() {
        let check = |english: &str, said: &str| packed([(english, said)]).map_err(|fault| fault.to_string());
        for said in ["{n}", "{n} {m} {n}", "{n} {x}", "{n} {m} {}", "{n} {m"] {
            assert_eq!(
                check("{n} of {m}", said),
                Err(format!("“{said}” does not use the same placeholders as “{{n}} of {{m}}”")),
                "{said}"
            );
        }
        assert_eq!(check("a", "b\nc"), Err("the translation of “a” is not one line".into()));
        assert_eq!(check("a", ""), Err("the translation of “a” is not one line".into()));
        let twice = packed([("a", "b"), ("a", "c")]).expect_err("a text stands there once");
        assert_eq!(twice, Fault::Alike("a".into(), "a".into()));
    }
}
