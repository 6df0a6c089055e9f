//! Parses decimal text to the nearest `f64`, fast enough for long files.
//!
//! Up to 19 digits are a whole number w < 2⁶⁴, and a number with a small exponent is w·10ᵏ or w/10ᵏ with 10ᵏ exact
//! (k ≤ 22). The quotient is computed in two parts, head and tail, with a relative error of about 2⁻¹⁰⁰ together. If a
//! slightly larger tail and a slightly smaller one round to the same number, that number is the nearest. (One step
//! beyond Clinger, "How to read floating point numbers accurately", 1990.) All other numbers are left to a parser of
//! the caller: see [`Slow`].

/// A complete parser of decimal numbers: digits with at most one point, and possibly `e` with a whole exponent.
pub type Slow = fn(&str) -> Option<f64>;

/// The reason why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// The text is not a number.
    Word,
    /// The text has both a decimal point and a decimal comma, or one of them twice.
    TwoMarks,
    /// The number is infinite, or too large for an `f64`.
    NotFinite,
}

/// Powers of ten that are exact.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The most digits that a `u64` always holds.
const MOST_DIGITS: u32 = 19;

/// Words for a value that is missing.
/// `-nan` is written by C, `#nv` by German spreadsheets.
const MISSING: [&[u8]; 10] = [b"na", b"n/a", b"#n/a", b"#nv", b"nan", b"-nan", b"null", b"none", b"-", b"?"];

/// Whether a field stands for a missing value.
pub fn is_missing(text: &[u8]) -> bool {
    text.is_empty() || MISSING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The parts of a number.
#[derive(Clone, Copy, Debug, Default)]
struct Scanned {
    is_negative: bool,
    /// The digits as a whole number; digits beyond [`MOST_DIGITS`] are left out.
    whole: u64,
    /// The number of digits after leading zeros.
    n_digits: u32,
    /// Power of ten of the last digit.
    exponent: i32,
    /// The decimal mark and its index in the text, if there is one.
    mark: Option<(u8, usize)>,
}

/// Reads a number, and returns it with its decimal mark, a point or a comma, if it has one. `slow` reads the few
/// numbers for which the fast method is not certain.
///
/// # Errors
/// If the text is not a finite number.
pub fn parse(text: &[u8], slow: Slow) -> Result<(f64, Option<u8>), NotANumber> {
    let scanned = scan(text)?;
    let mark = scanned.mark.map(|(mark, _)| mark);
    let magnitude = match exact(&scanned) {
        Some(magnitude) => magnitude,
        None => read_slowly(text, &scanned, slow)?,
    };
    if !magnitude.is_finite() {
        return Err(NotANumber::NotFinite);
    }
    Ok((if scanned.is_negative { -magnitude } else { magnitude }, mark))
}

fn scan(text: &[u8]) -> Result<Scanned, NotANumber> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut scanned = Scanned { is_negative, ..Scanned::default() };
    let (mut is_any, mut place) = (false, 0);
    while let Some(&byte) = digits.get(place) {
        match byte {
            b'0'..=b'9' => {
                is_any = true;
                scanned.add(byte - b'0');
            }
            b'.' | b',' if scanned.mark.is_none() => {
                scanned.mark = Some((byte, place + text.len() - digits.len()));
            }
            b'.' | b',' => return Err(NotANumber::TwoMarks),
            b'e' | b'E' if is_any => {
                scanned.exponent = scanned.exponent.saturating_add(whole_exponent(&digits[place + 1..])?);
                break;
            }
            _ => return Err(word(digits)),
        }
        place += 1;
    }
    if is_any { Ok(scanned) } else { Err(NotANumber::Word) }
}

impl Scanned {
    fn add(&mut self, digit: u8) {
        if self.n_digits < MOST_DIGITS {
            self.whole = 10 * self.whole + u64::from(digit);
        }
        if self.n_digits > 0 || digit > 0 {
            self.n_digits += 1;
        }
        if self.mark.is_some() {
            self.exponent -= 1;
        }
    }
}

fn word(text: &[u8]) -> NotANumber {
    let is_infinity = text.eq_ignore_ascii_case(b"inf") || text.eq_ignore_ascii_case(b"infinity");
    if is_infinity { NotANumber::NotFinite } else { NotANumber::Word }
}

fn whole_exponent(text: &[u8]) -> Result<i32, NotANumber> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => (1, text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NotANumber::Word);
    }
    let add = |sum: i32, digit: &u8| sum.saturating_mul(10).saturating_add(i32::from(digit - b'0'));
    Ok(sign * digits.iter().fold(0, add).min(100_000))
}

/// The `f64` nearest to the scanned number, without its sign; `None` if it has too many digits, or too large an
/// exponent, to be certain.
fn exact(scanned: &Scanned) -> Option<f64> {
    if scanned.whole == 0 && scanned.n_digits == 0 {
        return Some(0.0);
    }
    if scanned.n_digits > MOST_DIGITS {
        return None;
    }
    let power = *POWERS.get(usize::try_from(scanned.exponent.unsigned_abs()).ok()?)?;
    let head = scanned.whole as f64;
    let is_exact = scanned.whole <= 1 << 53;
    if scanned.exponent >= 0 {
        return (is_exact || scanned.exponent == 0).then_some(head * power);
    }
    if is_exact {
        return Some(head / power);
    }
    quotient(scanned.whole, head, power)
}

/// `whole/power`, if the result is certain to be the nearest `f64`.
#[expect(clippy::float_cmp, reason = "two candidates are the same number or they are not")]
fn quotient(whole: u64, head: f64, power: f64) -> Option<f64> {
    // The remainder of the whole number after the head: at most 1024 in size, and exact.
    #[expect(clippy::cast_possible_truncation, reason = "the difference of a number below 2⁶⁴ and its nearest")]
    let tail = (i128::from(whole) - head as i128) as f64;
    let first = head / power;
    let (product, below) = two_product(first, power);
    let correction = ((head - product) - below + tail) / power;
    // A relative error of 2⁻⁵⁰ is a generous bound for the correction's error.
    let slack = correction.abs() * (1.0 / (1_u64 << 50) as f64);
    let (low, high) = (first + (correction - slack), first + (correction + slack));
    (low == high).then_some(low)
}

/// A product as the sum of the nearest `f64` and an exact remainder (Dekker, "A floating-point technique for extending
/// the available precision", 1971).
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |value: f64| {
        let scaled = 134_217_729.0 * value;
        let high = scaled - (scaled - value);
        (high, value - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// Reads a number by `slow`, which gets it with a decimal point and without a sign.
fn read_slowly(text: &[u8], scanned: &Scanned, slow: Slow) -> Result<f64, NotANumber> {
    let mut text = text.to_vec();
    if let Some((_, place)) = scanned.mark {
        text[place] = b'.';
    }
    let digits = std::str::from_utf8(&text).map_err(|_| NotANumber::Word)?;
    slow(digits.trim_start_matches(['+', '-'])).ok_or(NotANumber::Word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(text: &str) -> Option<f64> {
        text.parse().ok()
    }

    #[track_caller]
    fn check(text: &str, expected: Result<f64, NotANumber>) {
        let got = parse(text.as_bytes(), slow).map(|(value, _)| value.to_bits());
        assert_eq!(got, expected.map(f64::to_bits), "{text}");
    }

    #[test]
    fn numbers_are_the_nearest() {
        let texts = [
            "0",
            "-0",
            "1",
            "+1",
            "-1.5",
            ".5",
            "5.",
            "007",
            "0.1",
            "1e3",
            "1E-3",
            "2.5e+2",
            "0.30000000000000004",
            "123456789012345678",
            "9007199254740993",
            "9007199254740993.0",
            "18446744073709551615",
            "1e22",
            "1e23",
            "8.5e22",
            "1.7976931348623157e308",
            "4.9e-324",
            "2.2250738585072011e-308",
            "1e-400",
            "0.1234567890123456789012345678901234567890",
            "00000000000000000000000000000000001.5",
            "-1.2345678901234567e-7",
            "9007199254740992.5",
            "900719925474099.25",
            "4503599627370496.5",
            "4503599627370497.5",
            "0.000000000000000000001",
        ];
        for text in texts {
            check(text, Ok(text.parse().unwrap()));
        }
    }

    /// Numbers of all lengths and sizes, shortest decimals that read back exactly, and decimals between two neighboring
    /// numbers.
    #[test]
    fn many_numbers_are_the_nearest() {
        let mut state = 1_u64;
        let mut n_fast = 0;
        for round in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits((state >> 12) | (1_000 + round % 40) << 52);
            let text = if round % 2 == 0 { format!("{value}") } else { format!("{value:.18}") };
            check(&text, Ok(text.parse().unwrap()));
            n_fast += usize::from(parse(text.as_bytes(), |_| None).is_ok());
        }
        assert!(n_fast > 150_000, "only {n_fast} were read fast");
    }

    #[test]
    fn halves_between_neighbors_go_to_the_even_one() {
        for whole in [(1_u64 << 53) + 1, (1 << 53) + 3, (1 << 60) + 128, (1 << 63) + 1_024] {
            check(&whole.to_string(), Ok(whole as f64));
            let text = format!("{whole}0e-1");
            check(&text, Ok(text.parse().unwrap()));
        }
    }

    #[test]
    fn a_comma_is_a_decimal_mark_too() {
        assert_eq!(parse(b"0,25", slow), Ok((0.25, Some(b','))));
        assert_eq!(parse(b"0.25", slow), Ok((0.25, Some(b'.'))));
        assert_eq!(parse(b"25", slow), Ok((25.0, None)));
        assert_eq!(parse(b"-0,1234567890123456789012e1", slow), Ok((-1.234_567_890_123_456_8, Some(b','))));
    }

    #[test]
    fn what_is_no_number_is_told_apart() {
        for text in ["", "-", "e5", "1e", "1e+", "1e5.5", "abc", "1x", "--1", "0x10", "1 000"] {
            check(text, Err(NotANumber::Word));
        }
        for text in ["1.234,5", "1,234,567", "1.2.3"] {
            check(text, Err(NotANumber::TwoMarks));
        }
        for text in ["inf", "-Infinity", "1e999", "-1e400"] {
            check(text, Err(NotANumber::NotFinite));
        }
        assert!(
            ["", "NA", "n/a", "#N/A", "#NV", "NaN", "-nan", "null", "-"].iter().all(|text| is_missing(text.as_bytes()))
        );
        assert!(!is_missing(b"0") && !is_missing(b"north"));
    }
}
