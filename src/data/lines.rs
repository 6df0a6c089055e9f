//! Splits bytes, in pieces of any size, into numbered lines.
//!
//! This is not a general CSV reader: every message names the line that an editor shows, so lines are those of the file,
//! and a quoted field ends on the line where it begins.

use crate::refusal::{Fault, Refusal};

/// The most bytes of a line: files with longer lines are not tables.
const LONGEST: usize = 1 << 20;

/// Splits bytes into lines as they arrive. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Debug, Default)]
pub struct Lines {
    /// The beginning of the current line.
    rest: Vec<u8>,
    /// Number of complete lines.
    n_ended: u64,
    /// Whether the last byte was a `\r`, so that a following `\n` belongs to the same line end.
    after_return: bool,
}

impl Lines {
    /// Takes more bytes, and calls `each` for every line that ends in them, with its number (from 1).
    ///
    /// # Errors
    /// A refusal by `each`, or a line that is too long.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(u64, &[u8]) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        if std::mem::take(&mut self.after_return) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
            let (line, ending) = bytes.split_at(end);
            self.check_length(line.len())?;
            self.n_ended += 1;
            if self.rest.is_empty() {
                each(self.n_ended, line)?;
            } else {
                self.rest.extend_from_slice(line);
                each(self.n_ended, &self.rest)?;
                self.rest.clear();
            }
            bytes = match ending {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => ending,
            };
            self.after_return = ending == b"\r";
        }
        self.check_length(bytes.len())?;
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    /// Refuses so many more bytes of the current line if it would be too long.
    fn check_length(&self, more: usize) -> Result<(), Refusal> {
        let is_too_long = self.rest.len() + more > LONGEST;
        if is_too_long { Err(Fault::LineTooLong(LONGEST).at(self.n_ended + 1)) } else { Ok(()) }
    }

    /// The last line with its number, if the file does not end with a line end.
    pub fn finish(&mut self) -> Option<(u64, Vec<u8>)> {
        let rest = std::mem::take(&mut self.rest);
        (!rest.is_empty()).then_some((self.n_ended + 1, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        for size in 1..=text.len().max(1) {
            let (mut lines, mut got) = (Lines::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                let take = |number, line: &[u8]| {
                    got.push((number, String::from_utf8(line.to_vec()).unwrap()));
                    Ok(())
                };
                lines.push(piece, take).unwrap();
            }
            got.extend(lines.finish().map(|(number, line)| (number, String::from_utf8(line).unwrap())));
            let expected: Vec<_> = (1..).zip(expected.iter().map(|&line| line.to_owned())).collect();
            assert_eq!(got, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn lines_end_in_every_usual_way() {
        check("", &[]);
        check("a", &["a"]);
        check("a\nb\n", &["a", "b"]);
        check("a\r\n\r\nbc\r\nd", &["a", "", "bc", "d"]);
        check("a\rb\r\rc", &["a", "b", "", "c"]);
        check("ab\n\n\r\nc\r", &["ab", "", "", "c"]);
    }

    #[test]
    fn what_has_no_lines_is_refused() {
        let mut lines = Lines::default();
        lines.push(b"a\n", |_, _| Ok(())).unwrap();
        let refused = lines.push(&vec![b'x'; LONGEST + 1], |_, _| Ok(()));
        assert_eq!(refused, Err(Fault::LineTooLong(LONGEST).at(2)));
    }

    /// A line is too long or not, whatever the pieces in which it arrives.
    #[test]
    fn long_lines_are_the_same_in_any_pieces() {
        for (length, is_right) in [(LONGEST, true), (LONGEST + 1, false)] {
            let mut text = vec![b'x'; length];
            text.extend(b"\nb\n");
            for size in [1 << 10, LONGEST - 1, LONGEST, text.len()] {
                let (mut lines, mut lengths) = (Lines::default(), Vec::new());
                let mut push = |piece| {
                    lines.push(piece, |_, line| {
                        lengths.push(line.len());
                        Ok(())
                    })
                };
                let result = text.chunks(size).try_for_each(&mut push);
                if is_right {
                    assert_eq!((result, lengths), (Ok(()), vec![length, 1]), "{size}");
                } else {
                    assert_eq!(result, Err(Fault::LineTooLong(LONGEST).at(1)), "{size}");
                }
            }
        }
    }
}
