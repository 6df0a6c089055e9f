//! Result codes: a student's findings in a lesson as twelve characters that can be pasted, read aloud or typed.
//!
//! Ten characters of five bits hold the version (4 bits), the lesson (4 bits) and three numbers (14 bits each,
//! logarithmic from 10⁻⁶ to 10², to 0.06 %). Two more characters make it a code over GF(32) whose words c satisfy
//! Σ cᵢ = 0 and Σ αⁱ cᵢ = 0. Any two columns (1, αⁱ) are independent, so that one wrong character, two wrong
//! characters, and any two swapped ones are always detected.
//!
//! The alphabet is Crockford's: no I, L, O, U. Codes are read in either case, with I and L as 1 and O as 0. A code
//! holds no name.

use fedsysid_say::say;
use std::fmt;

use crate::params::{Lesson, Word};

/// Version of the codes: the only one that is written and read.
const VERSION: u64 = 1;

/// Number of characters of a code.
pub const LEN: usize = 12;
const DATA: usize = LEN - 2;
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The largest number of 14 bits; 0 means that there is no number.
const TOP: f64 = 16_383.0;
/// Decimal logarithm of the least number, and the number of decades up to the largest.
const LEAST: f64 = -6.0;
const DECADES: f64 = 8.0;

/// Content of a code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The lesson.
    pub lesson: Lesson,
    /// The guess.
    pub guess: Option<f64>,
    /// The true value in the run.
    pub result: Option<f64>,
    /// The error at the end of the run.
    pub error: Option<f64>,
}

/// Why a text is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCode {
    /// It has this number of characters.
    Length(usize),
    /// It has a character that occurs in no code.
    Letter(char),
    /// A character is wrong, or two characters are swapped.
    Mistyped,
    /// It has another version.
    Version(u64),
    /// It belongs to another lesson than the class.
    Lesson(Lesson),
    /// The same line has the code already.
    Twice,
}

impl fmt::Display for NoCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(has) => f.write_str(&say!("it has {has} of {LEN} characters")),
            Self::Letter(letter) => f.write_str(&say!("no code has the character {letter}")),
            Self::Mistyped => f.write_str(say!("it is mistyped: its check characters do not fit")),
            Self::Version(version) => f.write_str(&say!("it is of version {version}, this page reads {VERSION}")),
            Self::Lesson(lesson) => f.write_str(&say!("it is of another lesson: {}", lesson.name())),
            Self::Twice => f.write_str(say!("it is in this line twice, and counts once")),
        }
    }
}

impl Found {
    /// The code, in groups of four.
    pub fn code(&self) -> String {
        let place = Lesson::ALL.iter().position(|(lesson, ..)| *lesson == self.lesson).unwrap_or(0);
        let mut bits = VERSION << 4 | place as u64;
        for number in [self.guess, self.result, self.error] {
            bits = bits << 14 | packed(number);
        }
        let mut symbols = [0_u8; LEN];
        for (index, symbol) in symbols.iter_mut().take(DATA).enumerate() {
            *symbol = (bits >> (5 * (DATA - 1 - index)) & 31) as u8;
        }
        let (sum, weighted) = syndromes(&symbols);
        // The last two characters make both sums 0: p + q = Σ, α¹⁰p + α¹¹q = Σ'.
        let (p_weight, q_weight) = (power(DATA), power(DATA + 1));
        let p = times(weighted ^ times(q_weight, sum), inverse(p_weight ^ q_weight));
        (symbols[DATA], symbols[DATA + 1]) = (p, sum ^ p);
        let letters: Vec<_> = symbols.iter().map(|&symbol| char::from(ALPHABET[usize::from(symbol)])).collect();
        letters.chunks(4).map(String::from_iter).collect::<Vec<_>>().join("-")
    }

    /// Reads a code; separators between its characters are ignored.
    ///
    /// # Errors
    /// Why the text is no code.
    pub fn read(text: &str) -> Result<Self, NoCode> {
        let letters: Vec<char> = text.chars().filter(|&c| is_letter(c)).collect();
        let symbols = letters.iter().map(|&letter| symbol(letter).ok_or(NoCode::Letter(letter)));
        let symbols = symbols.collect::<Result<Vec<u8>, _>>()?;
        if symbols.len() != LEN {
            return Err(NoCode::Length(symbols.len()));
        }
        if syndromes(&symbols) != (0, 0) {
            return Err(NoCode::Mistyped);
        }
        let bits = symbols.iter().take(DATA).fold(0_u64, |bits, &symbol| bits << 5 | u64::from(symbol));
        let number = |place: u32| unpacked(bits >> (14 * place) & 0x3fff);
        let (version, lesson) = (bits >> 46, (bits >> 42 & 15) as usize);
        match Lesson::ALL.get(lesson) {
            Some(&(lesson, ..)) if version == VERSION => {
                Ok(Self { lesson, guess: number(2), result: number(1), error: number(0) })
            }
            _ => Err(NoCode::Version(version)),
        }
    }
}

/// Whether a character is one of a code or may be mistaken for one, and not a blank, dash or other separator that text
/// programs insert. (The table of all letters would add a kilobyte to the download.)
pub(super) fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || c >= '\u{c0}' && !matches!(c, '\u{2000}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 16383")]
fn packed(number: Option<f64>) -> u64 {
    let Some(number) = number.filter(|number| *number > 0.0) else { return 0 };
    let place = (number.log10() - LEAST) / DECADES;
    1 + (place.clamp(0.0, 1.0) * (TOP - 1.0)).round() as u64
}

fn unpacked(bits: u64) -> Option<f64> {
    let place = bits.checked_sub(1)? as f64 / (TOP - 1.0);
    Some(10.0_f64.powf(LEAST + DECADES * place))
}

fn symbol(letter: char) -> Option<u8> {
    let letter = match letter.to_ascii_uppercase() {
        'I' | 'L' => '1',
        'O' => '0',
        letter => letter,
    };
    let place = ALPHABET.iter().position(|&c| char::from(c) == letter)?;
    u8::try_from(place).ok()
}

/// Σ cᵢ and Σ αⁱ cᵢ.
fn syndromes(symbols: &[u8]) -> (u8, u8) {
    let both = symbols.iter().enumerate();
    both.fold((0, 0), |(sum, weighted), (index, &c)| (sum ^ c, weighted ^ times(power(index), c)))
}

/// A product in GF(32), with α⁵ = α² + 1.
fn times(a: u8, b: u8) -> u8 {
    let shifted = |a: u8| if a & 16 == 0 { a << 1 } else { (a << 1) ^ 0b10_0101 };
    let (mut product, mut a) = (0, a);
    for bit in 0..5 {
        if b >> bit & 1 == 1 {
            product ^= a;
        }
        a = shifted(a);
    }
    product
}

/// α to a power.
fn power(exponent: usize) -> u8 {
    (0..exponent).fold(1, |power, _| times(power, 2))
}

/// The inverse of a number that is not 0: its 30th power.
fn inverse(a: u8) -> u8 {
    (0..30).fold(1, |power, _| times(power, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    fn random(rng: &mut ChaCha8Rng) -> Found {
        let lesson = Lesson::ALL[rng.random_range(1..Lesson::ALL.len())].0;
        let mut number = || rng.random_bool(0.9).then(|| 10.0_f64.powf(rng.random_range(-5.9..1.9)));
        Found { lesson, guess: number(), result: number(), error: number() }
    }

    fn close(a: Option<f64>, b: Option<f64>) -> bool {
        match (a, b) {
            (Some(a), Some(b)) => (a / b - 1.0).abs() < 6e-4,
            (a, b) => a == b,
        }
    }

    /// Dashes and blanks that text programs insert are ignored; letters of other scripts are reported.
    #[test]
    fn marks_between_are_passed_over_and_foreign_letters_are_named() {
        let code = random(&mut ChaCha8Rng::seed_from_u64(3)).code();
        for mark in ["\u{2013}", "\u{a0}", "\u{2009}", "\u{b7}", "\u{200b}", "\u{3000}", " _ "] {
            assert_eq!(Found::read(&code.replace('-', mark)).map(|found| found.code()), Ok(code.clone()), "{mark:?}");
        }
        for letter in ['é', 'Ж', '学'] {
            assert_eq!(Found::read(&code.replace('-', &letter.to_string())), Err(NoCode::Letter(letter)));
        }
    }

    #[test]
    fn what_is_found_survives_its_code() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for _ in 0..5_000 {
            let found = random(&mut rng);
            let code = found.code();
            assert_eq!(code.len(), LEN + 2, "{code}");
            let spoken = code.to_lowercase().replace('-', " ").replace('0', "o").replace('1', "l");
            for text in [code, spoken] {
                let read = Found::read(&text).unwrap();
                let same = close(read.guess, found.guess) && close(read.result, found.result);
                assert!(read.lesson == found.lesson && same && close(read.error, found.error), "{text}: {read:?}");
                assert_eq!(read.code(), found.code(), "what is read is written again");
            }
        }
    }

    /// Every wrong character and every swap of two characters is detected, in any position.
    #[test]
    fn mistyped_codes_are_found_out() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for _ in 0..200 {
            let code: Vec<char> = random(&mut rng).code().replace('-', "").chars().collect();
            let read = |letters: &[char]| Found::read(&String::from_iter(letters));
            for place in 0..LEN {
                for &letter in ALPHABET.iter().filter(|&&letter| char::from(letter) != code[place]) {
                    let mut typo = code.clone();
                    typo[place] = char::from(letter);
                    assert_eq!(read(&typo), Err(NoCode::Mistyped), "{typo:?}");
                }
                for other in (0..place).filter(|&other| code[other] != code[place]) {
                    let mut swapped = code.clone();
                    swapped.swap(place, other);
                    assert_eq!(read(&swapped), Err(NoCode::Mistyped), "{swapped:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_code_gets_a_reason() {
        let code = Found { lesson: Lesson::Floor, guess: None, result: Some(0.5), error: Some(0.1) }.code();
        assert_eq!(Found::read(&code[1..]), Err(NoCode::Length(11)));
        assert_eq!(Found::read(&code.replacen(|_| true, "U", 1)), Err(NoCode::Letter('U')));
        assert_eq!(Found::read(""), Err(NoCode::Length(0)));
        // The word of all zeros satisfies both sums, but has no valid version.
        assert_eq!(Found::read("0000-0000-0000"), Err(NoCode::Version(0)));
    }

    /// Numbers beyond the range are stored as its ends.
    #[test]
    fn extremes_are_at_the_ends() {
        let extreme = |number| Found { lesson: Lesson::Steps, guess: Some(number), result: None, error: None };
        let read = |number| Found::read(&extreme(number).code()).unwrap().guess;
        assert!(close(read(1e-9), Some(1e-6)) && close(read(1e9), Some(100.0)) && read(f64::NAN).is_none());
        assert_eq!(read(0.0), None);
    }
}
