//! Choices among words, in a link as on the page.

use super::notice::Notice;
use fedsysid_say::text;

/// An enum whose values have words.
pub trait Word: Copy + Default + PartialEq + 'static {
    /// All values, the default first, each with its word in a link and its name on the page.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// Its word in a link.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, word, _)| word)
    }

    /// Its name on the page.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(.., name)| text(name))
    }

    /// The value with this word, upper or lower case.
    fn by_word(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, word, _)| word.eq_ignore_ascii_case(text.trim())).map(|(value, ..)| *value)
    }
}

/// Sets a value by its word; an unknown word changes nothing.
pub(super) fn set_word<W: Word>(value: &mut W, key: &str, given: &str) -> Option<Notice> {
    if let Some(found) = W::by_word(given) {
        *value = found;
        return None;
    }
    let all: Vec<_> = W::ALL.iter().map(|(_, word, _)| *word).collect();
    Some(Notice::not_a_choice(key, given, value.word(), all.join(", ")))
}
