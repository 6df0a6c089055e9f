//! Widths of words, estimated without asking a browser.
//!
//! Measuring text in a page forces a layout, for which no frame has time. The widths here are those of the widest of
//! the usual sans-serif fonts, so words never need more room than they were given.

/// Width of a bold letter relative to a plain one.
pub(super) const BOLD: f64 = 1.12;

/// Width in CSS pixels of one line of text, `size` pixels high; an upper estimate.
pub(super) fn width(text: &str, size: f64, bold: bool) -> f64 {
    size * text.chars().map(advance).sum::<f64>() * if bold { BOLD } else { 1.0 }
}

/// The advance of a letter as a fraction of the font's size.
fn advance(letter: char) -> f64 {
    match letter {
        '\u{300}'..='\u{36f}' => 0.0,
        '\u{202f}' | '\u{2009}' | '⁽' | '⁾' | 'ᵣ' => 0.26,
        'i' | 'j' | 'l' | 'I' | 'J' | '\'' | '’' | '|' => 0.29,
        ' ' | '.' | ',' | ':' | ';' | '!' | '/' | '·' => 0.34,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '⁰'..='⁻' | '¹' | '²' | '³' => 0.41,
        'c' | 's' | 'z' | 'ε' | '‖' => 0.55,
        'w' | 'M' | 'O' | 'Q' | 'G' | '−' | '×' | '↑' | '↓' | '∞' | '=' | '+' | '<' | '>' => 0.85,
        'm' | 'W' | '…' | '%' => 1.0,
        'A'..='Z' | 'Θ' => 0.76,
        'a'..='z' | '0'..='9' => 0.64,
        other if other.is_lowercase() => 0.66,
        _ => 1.0,
    }
}

/// The text if it fits in `room` CSS pixels, else its beginning and "…", else `None`.
pub(super) fn shortened(text: &str, size: f64, bold: bool, room: f64) -> Option<String> {
    if width(text, size, bold) <= room {
        return Some(text.to_owned());
    }
    let ends = text.char_indices().map(|(end, _)| end).skip(2);
    let shorter = ends.map(|end| format!("{}…", text[..end].trim_end()));
    shorter.take_while(|short| width(short, size, bold) <= room).last()
}

/// The text in lines no wider than `room`, broken between words. A word that is too wide stands alone, shortened.
pub(super) fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let longer = lines.last().map(|line| format!("{line} {word}"));
        match (longer, lines.last_mut()) {
            (Some(longer), Some(line)) if width(&longer, size, false) <= room => *line = longer,
            _ => lines.extend(shortened(word, size, false, room)),
        }
    }
    lines
}

/// As [`wrapped`], for text with long words such as addresses: words wider than the room are broken.
pub(super) fn broken(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let (mut before, mut piece) = (" ", String::new());
        for letter in word.chars().map(Some).chain([None]) {
            // At the end, or where the next letter does not fit, the piece is set.
            let wider = letter.map(|letter| format!("{piece}{letter}"));
            if let Some(wider) = wider.filter(|wider| width(wider, size, false) <= room) {
                piece = wider;
                continue;
            }
            let longer = lines.last().map(|line| format!("{line}{before}{piece}"));
            match (longer, lines.last_mut()) {
                (Some(longer), Some(line)) if width(&longer, size, false) <= room => *line = longer,
                _ => lines.push(std::mem::take(&mut piece)),
            }
            (before, piece) = ("", letter.map(String::from).unwrap_or_default());
        }
    }
    lines
}

/// As [`wrapped`], in as many lines, but of even lengths.
pub(super) fn balanced(text: &str, size: f64, room: f64) -> Vec<String> {
    let greedy = wrapped(text, size, room);
    let even = width(text, size, false) / greedy.len().max(1) as f64;
    let tries = (0..10).map(|k| wrapped(text, size, (even + f64::from(k) * size).min(room)));
    tries.into_iter().find(|lines| lines.len() <= greedy.len()).unwrap_or(greedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_grows_with_size_weight_and_length() {
        assert!((width("aa", 10.0, false) - 12.8).abs() < 1e-12);
        assert!(width("aa", 10.0, true) > width("aa", 10.0, false));
        assert!((width("a\u{304}", 10.0, false) - width("a", 10.0, false)).abs() < 1e-12);
        assert!(width("0.0001", 13.0, false) < width("mean of locals", 13.0, false));
    }

    #[test]
    fn words_are_never_wider_than_their_room() {
        for text in ["client 1 alone", "mean of locals, over everybody", "Θ̄ᵣ", "", "W"] {
            for room in 0..200 {
                let room = f64::from(room);
                let short = shortened(text, 13.0, false, room);
                assert!(short.iter().all(|short| width(short, 13.0, false) <= room), "{short:?} in {room}");
                let lines = wrapped(text, 13.0, room);
                assert!(lines.iter().all(|line| width(line, 13.0, false) <= room), "{lines:?} in {room}");
            }
        }
    }

    #[test]
    fn shortening_keeps_the_beginning() {
        assert_eq!(shortened("client 1 alone", 10.0, false, 200.0).as_deref(), Some("client 1 alone"));
        assert_eq!(shortened("client 1 alone", 10.0, false, 51.0).as_deref(), Some("client 1…"));
        assert_eq!(shortened("client 1 alone", 10.0, false, 8.0), None);
    }

    #[test]
    fn wrapping_keeps_every_word() {
        let lines = wrapped("FedAvg diverges here: the step is too large", 10.0, 120.0);
        assert_eq!(lines.join(" "), "FedAvg diverges here: the step is too large");
        assert!(lines.len() > 1);
        assert_eq!(broken("one abcdefghij two", 10.0, 40.0), ["one", "abcdef", "ghij", "two"]);
        assert_eq!(broken("one two", 10.0, 90.0), ["one two"]);
        assert_eq!(balanced("one two three four", 10.0, 90.0), ["one two", "three four"]);
        assert_eq!(wrapped("one two three four", 10.0, 90.0), ["one two three", "four"]);
    }
}
