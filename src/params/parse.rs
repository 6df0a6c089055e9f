//! A number as people type it: "0.25", "0,25", "1 000", "−3", "1e-4", "2 × 10⁻⁴".

use fedsysid_say::say;
use std::fmt;

use crate::text::from_decimal;

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// The text has only spaces.
    Empty,
    /// Another text.
    Unreadable,
}

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => say!("nothing is written"),
            Self::Unreadable => say!("this is not a number"),
        })
    }
}

impl std::error::Error for NotANumber {}

/// Reads a number. A comma is the decimal mark, unless the text also has a point, or has several commas; then it groups
/// digits by three, as spaces and apostrophes do. Where only whole numbers make sense, use [`whole`].
///
/// The result may be infinite ("∞", "1e999"), so that the caller can report "too large", but it is never NaN.
///
/// # Errors
///
/// [`NotANumber`] if the text is not a number.
///
/// ```
/// use fedsysid::params::parse::real;
/// assert_eq!(real("0,25"), Ok(0.25));
/// assert_eq!(real("2 × 10⁻⁴"), Ok(2e-4));
/// assert!(real("abc").is_err());
/// ```
pub fn real(text: &str) -> Result<f64, NotANumber> {
    read(text, Comma::Decimal)
}

/// Reads a number where only whole ones make sense: "1,000" is then a thousand. Fractions are returned as they are.
///
/// # Errors
///
/// [`NotANumber`] if the text is not a number.
pub fn whole(text: &str) -> Result<f64, NotANumber> {
    read(text, Comma::Groups)
}

/// The meaning of a single comma that three digits follow.
#[derive(Clone, Copy, PartialEq)]
enum Comma {
    Decimal,
    Groups,
}

fn read(text: &str, comma: Comma) -> Result<f64, NotANumber> {
    let plain = plain(text);
    if plain.is_empty() {
        return Err(NotANumber::Empty);
    }
    let (sign, size) = split_sign(&plain);
    if ["∞", "inf", "infinity"].contains(&size) {
        return Ok(sign * f64::INFINITY);
    }
    let (mantissa, exponent) = split_power(size).ok_or(NotANumber::Unreadable)?;
    let mantissa = without_groups(mantissa, comma).ok_or(NotANumber::Unreadable)?;
    let parsed = from_decimal(&format!("{mantissa}e{exponent}")).ok_or(NotANumber::Unreadable)?;
    Ok(sign * parsed)
}

/// The text with one kind of minus, space and digit, in lower case, without spaces around signs and letters.
fn plain(text: &str) -> String {
    let same = with_one_kind(text.trim());
    let mut plain = String::with_capacity(same.len());
    let mut rest = same.chars().peekable();
    while let Some(c) = rest.next() {
        let after_digit = || plain.ends_with(|c: char| c.is_ascii_digit());
        if c != ' ' || (after_digit() && rest.peek().is_some_and(char::is_ascii_digit)) {
            plain.push(c);
        }
    }
    plain
}

/// Replaces characters of the same meaning by one of them; "10⁻⁴" becomes "10^-4".
fn with_one_kind(text: &str) -> String {
    let mut same = String::with_capacity(text.len());
    let mut raised = false;
    for c in text.chars() {
        let lowered = lowered(c);
        if lowered.is_some() && !raised {
            same.push('^');
        }
        raised = lowered.is_some();
        same.push(lowered.unwrap_or_else(|| one_kind(c)));
    }
    same.make_ascii_lowercase();
    same
}

fn one_kind(c: char) -> char {
    match c {
        '−' | '–' | '‐' | '‑' => '-',
        '×' | '·' | '⋅' | 'x' | 'X' => '*',
        '’' | '\'' => ' ',
        _ if c.is_whitespace() => ' ',
        _ => c,
    }
}

/// The plain character of a superscript.
fn lowered(c: char) -> Option<char> {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺";
    const LOWERED: &str = "0123456789-+";
    RAISED.chars().zip(LOWERED.chars()).find(|&(raised, _)| raised == c).map(|(_, lowered)| lowered)
}

/// The sign as ±1 and the rest.
fn split_sign(plain: &str) -> (f64, &str) {
    match plain.strip_prefix('-') {
        Some(size) => (-1.0, size),
        None => (1.0, plain.strip_prefix('+').unwrap_or(plain)),
    }
}

/// Mantissa and exponent of "2e-4", "2*10^-4", "10^-4" or plain "2".
fn split_power(size: &str) -> Option<(&str, i32)> {
    let (mantissa, exponent) = if let Some(exponent) = size.strip_prefix("10^") {
        ("1", exponent)
    } else if let Some(parts) = size.split_once("*10^") {
        parts
    } else {
        size.split_once('e').unwrap_or((size, "0"))
    };
    let digits = exponent.trim_start_matches(['+', '-']);
    let fits = exponent.len() - digits.len() <= 1 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    // An exponent beyond i32 gives 0 or infinity in any case.
    let far = if exponent.starts_with('-') { i32::MIN } else { i32::MAX };
    fits.then(|| (mantissa, exponent.parse().unwrap_or(far)))
}

/// Digits with at most one point; spaces and grouping marks are removed if they group by three, else `None`.
fn without_groups(mantissa: &str, comma: Comma) -> Option<String> {
    let (whole, fraction) = split_decimals(mantissa, comma);
    let mut groups = whole.split([' ', ',', '.']);
    let first = groups.next()?;
    let mut digits = first.to_owned();
    for group in groups {
        if group.len() != 3 || !(1..=3).contains(&first.len()) {
            return None;
        }
        digits.push_str(group);
    }
    let all_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let some_digits = digits.len() + fraction.len() > 0;
    (some_digits && all_digits(&digits) && all_digits(fraction)).then(|| format!("{digits}.{fraction}"))
}

/// Splits at the decimal mark: if there are commas and points, the last of them; else the only mark of its kind.
fn split_decimals(mantissa: &str, comma: Comma) -> (&str, &str) {
    let Some(last) = mantissa.rfind([',', '.']) else { return (mantissa, "") };
    let (whole, mark_and_fraction) = mantissa.split_at(last);
    let (mark, fraction) = mark_and_fraction.split_at(1);
    let grouping =
        mark == "," && comma == Comma::Groups && fraction.len() == 3 && !whole.is_empty() && !whole.contains('.');
    if whole.contains(mark) || grouping { (mantissa, "") } else { (whole, fraction) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        #[track_caller]
        fn check(text: &str, expected: f64) {
            assert_eq!(real(text).map(f64::to_bits), Ok(expected.to_bits()), "{text:?}");
        }
        check("0.25", 0.25);
        check("0,25", 0.25);
        check(",5", 0.5);
        check("5.", 5.0);
        check(" 25 ", 25.0);
        check("+3", 3.0);
        check("-3", -3.0);
        check("− 3", -3.0);
        check("–3", -3.0);
        check("1e9", 1e9);
        check("1E-4", 1e-4);
        check("1e−4", 1e-4);
        check("1e 4", 1e4);
        check("2×10^-4", 2e-4);
        check("2 × 10⁻⁴", 2e-4);
        check("2·10⁻⁴", 2e-4);
        check("2*10^4", 2e4);
        check("2 x 10^4", 2e4);
        check("10^-4", 1e-4);
        check("10⁻⁴", 1e-4);
        check("10¹", 10.0);
        check("3·10¹²", 3e12);
        check("1 000", 1000.0);
        check("1\u{a0}000", 1000.0);
        check("1\u{202f}000,5", 1000.5);
        check("4’294’967’295", 4_294_967_295.0);
        check("1.000,5", 1000.5);
        check("1,000.5", 1000.5);
        check("1,000,000", 1e6);
        check("1.000.000", 1e6);
        check("0.000123456789", 0.000_123_456_789);
        check("1e999", f64::INFINITY);
        check("-1e99999999999", f64::NEG_INFINITY);
        check("1e-99999999999", 0.0);
        check("∞", f64::INFINITY);
        check("-Infinity", f64::NEG_INFINITY);
    }

    #[test]
    fn a_comma_groups_where_only_whole_numbers_make_sense() {
        #[track_caller]
        fn check(text: &str, expected: f64) {
            assert_eq!(whole(text).map(f64::to_bits), Ok(expected.to_bits()), "{text:?}");
        }
        check("1,000", 1000.0);
        check("25,000", 25_000.0);
        check("2,5", 2.5);
        check("2.5", 2.5);
        check("25,0", 25.0);
        check("1.000", 1.0);
        check("1.000,500", 1000.5);
        check(",500", 0.5);
    }

    #[test]
    fn what_is_not_a_number_is_said_so() {
        #[track_caller]
        fn check(text: &str, expected: NotANumber) {
            assert_eq!(real(text), Err(expected), "{text:?}");
            assert_eq!(whole(text), Err(expected), "{text:?}");
        }
        check("", NotANumber::Empty);
        check(" \u{a0}\t", NotANumber::Empty);
        let unreadable = [
            "abc", "NaN", "nan", "-", "+", ".", ",", "e5", "1e", "1e+", "1e1.5", "1e--4", "--1", "0x10", "1 2",
            "1 0000", "1,00,000", ",000,000", " ,5,000", "1.2.3", "1..2", "1/4", "12 px", "1;2", "2×9^4", "×10^4",
            "10^", "5⁴", "10^2^3", "2×10", "^4", "½", "٣", "1e٣", "infinite", "\u{0}", "1\u{0}",
        ];
        for text in unreadable {
            check(text, NotANumber::Unreadable);
        }
    }

    #[test]
    fn what_display_writes_is_read_back_to_the_last_bit() {
        for power in -300..300 {
            let value = 1.234_567_890_123_456_7 * 10_f64.powi(power);
            assert_eq!(real(&value.to_string()), Ok(value));
            assert_eq!(real(&format!("{value:e}")), Ok(value));
        }
    }
}
