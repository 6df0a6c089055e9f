//! Numbers as people read them: "0.0001" and "10¹²", never "1e-4".

use fedsysid_say::{decimal, say};

/// Exponents of numbers that are written out: from "0.00001" to "999 000".
const WRITTEN_OUT: std::ops::Range<i32> = -5..6;

/// A number to 3 significant digits, in a notation that every reader knows.
///
/// ```
/// use fedsysid::figure::number::number;
/// assert_eq!(number(0.000_1), "0.0001");
/// assert_eq!(number(0.178_36), "0.178");
/// assert_eq!(number(1.312e12), "1.31×10¹²");
/// ```
pub fn number(value: f64) -> String {
    number_to(value, 3)
}

/// A number to `digits` significant digits, trailing zeros left out.
pub fn number_to(value: f64, digits: usize) -> String {
    decimal(with_point(value, digits))
}

/// A number to `digits` significant digits, with a point as its decimal mark in every language.
fn with_point(value: f64, digits: usize) -> String {
    match rounded(value, digits) {
        Ok((mantissa, exponent)) if !WRITTEN_OUT.contains(&exponent) => power(&mantissa, exponent),
        Ok((mantissa, exponent)) => written_out(&mantissa, exponent),
        Err(word) => word.to_owned(),
    }
}

/// A measured number to `digits` significant digits, trailing zeros included: these digits are known too.
///
/// ```
/// use fedsysid::figure::number::measured;
/// assert_eq!(measured(0.23, 3), "0.230");
/// ```
pub fn measured(value: f64, digits: usize) -> String {
    let text = with_point(value, digits);
    let significant = text.trim_start_matches(['−', '0', '.']).chars().filter(char::is_ascii_digit).count();
    if significant == 0 || significant >= digits || is_power(value) {
        return decimal(text);
    }
    let point = if text.contains('.') { "" } else { "." };
    decimal(format!("{text}{point}{}", "0".repeat(digits - significant)))
}

/// A number to compare with 1, to 3 significant digits, or to as many more as distinguish it from 1.
///
/// ```
/// use fedsysid::figure::number::beside_one;
/// assert_eq!([beside_one(0.25), beside_one(0.999_83), beside_one(1.0)], ["0.250", "0.9998", "1.00"]);
/// ```
pub fn beside_one(value: f64) -> String {
    let distance = (value - 1.0).abs();
    // `least`: the distance from 1 below which a number rounds to 1 at `digits` digits.
    let (mut digits, mut least) = (3, if value < 1.0 { 0.5e-3 } else { 0.5e-2 });
    while distance < least && distance > 1e-9 {
        (digits, least) = (digits + 1, 0.1 * least);
    }
    measured(value, digits)
}

/// A count with all of its digits: "200", "1 000 000".
pub fn count(value: usize) -> String {
    grouped(&value.to_string())
}

/// A share in percent, with a typographic minus sign.
pub fn percent(share: f64) -> String {
    let rounded = (1_000.0 * share).round() / 10.0;
    let sign = if rounded < 0.0 { "−" } else { "" };
    format!("{sign}{} %", number(rounded.abs()))
}

/// A number as a multiple of a power of ten: "10⁻³", "3×10¹²".
pub(super) fn power_of_ten(value: f64, digits: usize) -> String {
    match rounded(value, digits) {
        Ok((mantissa, exponent)) => decimal(power(&mantissa, exponent)),
        Err(word) => word.to_owned(),
    }
}

fn power(mantissa: &str, exponent: i32) -> String {
    match shortest(mantissa).as_str() {
        "1" => format!("10{}", superscript(exponent)),
        "−1" => format!("−10{}", superscript(exponent)),
        factor => format!("{factor}×10{}", superscript(exponent)),
    }
}

/// Whether [`number`] would write this number as a power of ten.
pub(super) fn is_power(value: f64) -> bool {
    rounded(value, 3).is_ok_and(|(_, exponent)| !WRITTEN_OUT.contains(&exponent))
}

/// Mantissa and exponent after rounding, or the word for NaN or infinity.
fn rounded(value: f64, digits: usize) -> Result<(String, i32), &'static str> {
    if value.is_nan() {
        return Err(say!("not a number"));
    }
    if value.is_infinite() {
        return Err(if value > 0.0 { "∞" } else { "−∞" });
    }
    let text = format!("{value:.*e}", digits.max(1) - 1);
    let parts = text.split_once('e').and_then(|(mantissa, exponent)| Some((mantissa, exponent.parse().ok()?)));
    match parts {
        Some((mantissa, exponent)) if value != 0.0 => Ok((mantissa.replace('-', "−"), exponent)),
        _ => Err("0"),
    }
}

/// Moves the point of `mantissa` by `exponent` places; from 10 000 on, digits are grouped by threes.
fn written_out(mantissa: &str, exponent: i32) -> String {
    let (sign, unsigned) = mantissa.strip_prefix('−').map_or(("", mantissa), |rest| ("−", rest));
    let digits: String = unsigned.chars().filter(char::is_ascii_digit).collect();
    let Ok(whole_len) = usize::try_from(exponent + 1) else {
        let zeros = "0".repeat(exponent.unsigned_abs() as usize);
        let (first, rest) = zeros.split_at(1);
        return format!("{sign}{first}.{rest}{}", digits.trim_end_matches('0'));
    };
    if whole_len == 0 {
        return format!("{sign}0.{}", digits.trim_end_matches('0'));
    }
    let padded = format!("{digits:0<whole_len$}");
    let (whole, fraction) = padded.split_at(whole_len);
    shortest(&format!("{sign}{}.{fraction}", grouped(whole)))
}

/// The digits grouped by threes with narrow no-break spaces, from five digits on.
fn grouped(whole: &str) -> String {
    if whole.len() < 5 {
        return whole.to_owned();
    }
    let begins_group = |place: usize| place > 0 && (whole.len() - place).is_multiple_of(3);
    let digits = whole.chars().enumerate();
    digits.flat_map(|(place, digit)| begins_group(place).then_some('\u{202f}').into_iter().chain([digit])).collect()
}

/// The text without trailing zeros after the point.
fn shortest(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text.to_owned() }
}

/// An exponent as raised digits.
fn superscript(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    exponent.to_string().chars().map(raise).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_keeps_its_zeros() {
        #[track_caller]
        fn check(value: f64, digits: usize, expected: &str) {
            assert_eq!(measured(value, digits), expected);
        }
        check(0.230_4, 3, "0.230");
        check(0.31, 3, "0.310");
        check(0.004, 2, "0.0040");
        check(2.0, 3, "2.00");
        check(10.04, 3, "10.0");
        check(100.2, 3, "100");
        check(12_345.0, 3, "12\u{202f}300");
        check(1e9, 3, "10⁹");
        check(0.0, 3, "0");
        check(f64::NAN, 3, "not a number");
    }

    #[test]
    fn counts_are_grouped_from_five_digits_on() {
        assert_eq!([0, 1_000, 10_000, 1_000_000].map(count), ["0", "1000", "10\u{202f}000", "1\u{202f}000\u{202f}000"]);
    }

    #[track_caller]
    fn check(value: f64, expected: &str) {
        assert_eq!(number(value), expected, "{value:?}");
    }

    #[test]
    fn reads_like_a_book() {
        check(0.0, "0");
        check(-0.0, "0");
        check(1.0, "1");
        check(0.0001, "0.0001");
        check(0.178_36, "0.178");
        check(0.1, "0.1");
        check(0.999_96, "1");
        check(9.996, "10");
        check(99.96, "100");
        check(1.5, "1.5");
        check(-1.5, "−1.5");
        check(-0.002, "−0.002");
        check(200.0, "200");
        check(1234.0, "1230");
        check(12_345.0, "12\u{202f}300");
        check(-123_456.0, "−123\u{202f}000");
        check(0.000_01, "0.00001");
        check(0.000_001, "10⁻⁶");
        check(1e6, "10⁶");
        check(999_999.0, "10⁶");
        check(1.312e12, "1.31×10¹²");
        check(-1e12, "−10¹²");
        check(5e-324, "4.94×10⁻³²⁴");
        check(f64::MAX, "1.8×10³⁰⁸");
        check(f64::NAN, "not a number");
        check(f64::INFINITY, "∞");
        check(f64::NEG_INFINITY, "−∞");
    }

    #[test]
    fn keeps_the_digits_asked_for() {
        assert_eq!(number_to(101_500.0, 4), "101\u{202f}500");
        assert_eq!(number_to(0.123_456, 5), "0.12346");
        assert_eq!(number_to(2.0, 0), "2");
        assert_eq!(power_of_ten(0.001, 3), "10⁻³");
        assert_eq!(power_of_ten(3.0, 3), "3×10⁰");
    }

    #[test]
    fn never_shows_an_exponent_letter() {
        for exponent in -330..=308 {
            for mantissa in ["1", "-2.5", "9.995", "3.14159"] {
                let value: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
                let text = number(value);
                assert!(!text.contains(['e', 'E', '-']), "{value:?} → {text}");
                assert!(!text.is_empty() && !text.ends_with('.'), "{value:?} → {text}");
            }
        }
    }

    #[test]
    fn shares_are_said_in_percent() {
        assert_eq!([0.954, 1.0, -0.01234, 0.0, -1e-9].map(percent), ["95.4 %", "100 %", "−1.2 %", "0 %", "0 %"]);
    }
}
