//! Sweeps: one curve for each value of a parameter, and lists of values as text.

use super::SWEEP;
use crate::params::draft::Draft;
use crate::params::notice::Notice;
use crate::params::table::{Key, Param, shown, words};
use fedsysid_say::{between, decimal_mark, say};

/// A sweep: one curve for each value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepOf {
    /// The swept parameter.
    pub key: Key,
    /// Its values, ascending, all allowed; one to [`MOST`].
    pub values: Vec<f64>,
}

/// The most curves that can be told apart.
pub const MOST: usize = 9;

impl SweepOf {
    /// A sweep of the table's values of a parameter; `None` if no curve depends on it.
    pub fn begun(key: Key) -> Option<Self> {
        let values = key.param().sweep.to_vec();
        (!values.is_empty()).then_some(Self { key, values })
    }

    /// Sets the values listed in a text, "1, 5, 25", in ascending order. Parts that are not allowed values are left
    /// out, and the notice names the text; if no part can be used, the values stay.
    pub fn set_text(&mut self, text: &str) -> Option<Notice> {
        let param = self.key.param();
        let (values, is_whole_text) = values(param, text);
        if !values.is_empty() {
            self.values = values;
        }
        let allowed = say!("up to {MOST} values from {}", param.allowed());
        (!is_whole_text).then(|| Notice::not_a_choice(SWEEP, text, &listed(&self.values), allowed))
    }
}

impl SweepOf {
    /// The values as shown on the page: "0.01, 0.1", or "0,01; 0,1" where a comma is the decimal mark.
    pub fn shown(&self) -> String {
        self.values.iter().map(|&value| shown(value)).collect::<Vec<_>>().join(between())
    }

    /// Sets the values listed in a text typed on the page, where a comma may be the decimal mark.
    pub fn set_typed(&mut self, text: &str) -> Option<Notice> {
        let is_whole = self.key.param().grid.is_whole();
        let is_one = text.matches(',').count() == 1 && !text.contains('.') && !is_whole;
        if decimal_mark() == ',' && is_whole {
            return self.set_text(&without_groups(text));
        }
        if decimal_mark() == ',' && (is_one || text.contains([';', ' '])) {
            return self.set_text(&text.replace(", ", "; ").replace(',', "."));
        }
        self.set_text(text)
    }
}

/// A text without the points that separate thousands, as in "1.000".
fn without_groups(text: &str) -> String {
    let is_digit = |place: Option<usize>| place.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_digit);
    let separates =
        |at: usize| is_digit(at.checked_sub(1)) && (1..=3).all(|k| is_digit(Some(at + k))) && !is_digit(Some(at + 4));
    text.char_indices().filter(|&(at, c)| c != '.' || !separates(at)).map(|(_, c)| c).collect()
}

/// Values as listed in a link.
pub fn listed(values: &[f64]) -> String {
    let words: Vec<_> = values.iter().map(|&value| words(value)).collect();
    words.join(",")
}

/// The values in a text, ascending, without repetition; and whether the text lists nothing else.
fn values(param: &Param, text: &str) -> (Vec<f64>, bool) {
    let mut values: Vec<f64> = Vec::new();
    let mut is_all = true;
    for part in text.split([',', ' ', ';']).filter(|part| !part.is_empty()) {
        let mut draft = Draft::default();
        let is_read = draft.set_text(param.key, part).is_none();
        let value = draft.get(param.key);
        let place = values.iter().position(|&other| other >= value).unwrap_or(values.len());
        let is_new = values.get(place).is_none_or(|other| other.to_bits() != value.to_bits());
        is_all &= is_read && is_new && values.len() < MOST;
        if is_read && is_new && values.len() < MOST {
            values.insert(place, value);
        }
    }
    let is_empty = values.is_empty();
    (values, is_all && !is_empty)
}

/// Reads a sweep such as "M:1,5,25".
///
/// # Errors
/// The allowed values, in words.
pub(super) fn swept(given: &str) -> Result<SweepOf, String> {
    let allowed = || say!("a setting and up to {MOST} of its values, such as M:1,5,25");
    let (link, list) = given.split_once(':').unwrap_or((given, ""));
    let param = Param::by_link(link.trim()).ok_or_else(allowed)?;
    let mut sweep = SweepOf::begun(param.key).ok_or_else(allowed)?;
    match sweep.set_text(list) {
        Some(_) if !list.is_empty() => Err(allowed()),
        _ => Ok(sweep),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_what_can_be_used() {
        let mut sweep = SweepOf::begun(Key::Clients).unwrap();
        let notice = sweep.set_text("25 5;0 7x").unwrap();
        assert_eq!(sweep.values, [5.0, 25.0]);
        let said = "sweep = 25 5;0 7x is not among the choices: allowed up to 9 values from 1 to 10000, using 5,25";
        assert_eq!(notice.to_string(), said);
        assert_eq!(sweep.set_text("3,1,2"), None);
        assert_eq!(sweep.values, [1.0, 2.0, 3.0]);
        assert!(sweep.set_text("").is_some());
        assert_eq!(sweep.values, [1.0, 2.0, 3.0]);
        assert_eq!(SweepOf::begun(Key::Weight), None);
    }

    /// The text shown in the box is read back as the same values, even in a language with a decimal comma; so is a list
    /// as in a link.
    #[test]
    fn a_list_with_decimal_commas_is_read_as_it_is_shown() {
        let german = fedsysid_say::Language::new("de", ',', "");
        fedsysid_say::speak(Some(Box::leak(Box::new(german))));
        let mut sweep = SweepOf::begun(Key::Heterogeneity).unwrap();
        assert_eq!(sweep.shown(), "0,01; 0,1; 0,25; 0,5; 0,75");
        for (text, expected) in
            [("0,1; 0,2", &[0.1, 0.2][..]), ("0,3", &[0.3]), ("0.1, 0,4", &[0.1, 0.4]), ("0.1,0.2", &[0.1, 0.2])]
        {
            assert_eq!(sweep.set_typed(text), None, "{text}");
            assert_eq!(sweep.values, expected, "{text}");
        }
        let mut clients = SweepOf::begun(Key::Clients).unwrap();
        assert_eq!((clients.set_typed("2,7"), clients.values.clone()), (None, vec![2.0, 7.0]));
        fedsysid_say::speak(None);
        assert_eq!(clients.shown(), "2, 7");
    }

    #[test]
    fn points_that_separate_thousands_are_left_out() {
        for (text, expected) in [
            ("1.000; 2.000", "1000; 2000"),
            ("10.000.000", "10000000"),
            ("1.5", "1.5"),
            ("1.0000", "1.0000"),
            (".500", ".500"),
        ] {
            assert_eq!(without_groups(text), expected);
        }
    }
}
