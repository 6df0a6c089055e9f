//! Splits a line into its fields.

use std::ops::Range;

/// The field separators, in the order in which a header is searched for them: a comma occurs most often inside names.
pub const DELIMITERS: [u8; 3] = [b'\t', b';', b','];

/// The fields of one line.
#[derive(Debug, Default)]
pub struct Fields {
    /// The texts of all fields, one after the other, without their quotes.
    text: Vec<u8>,
    ranges: Vec<Range<usize>>,
}

impl Fields {
    /// Splits a line into fields. A field may be in double quotes, and a doubled quote in it stands for one quote.
    /// Blanks around a field are ignored.
    ///
    /// Returns whether every quote is closed.
    #[must_use]
    pub fn split(&mut self, line: &[u8], delimiter: u8) -> bool {
        self.text.clear();
        self.ranges.clear();
        if !line.contains(&b'"') {
            self.text.extend_from_slice(line);
            self.split_plain(delimiter);
            return true;
        }
        let (mut start, mut is_quoted, mut was_quoted, mut bytes) = (0, false, false, line.iter().peekable());
        while let Some(&byte) = bytes.next() {
            match byte {
                b'"' if is_quoted && bytes.next_if_eq(&&b'"').is_some() => self.text.push(b'"'),
                b'"' if is_quoted => is_quoted = false,
                b'"' if !was_quoted && self.text[start..].trim_ascii().is_empty() => {
                    self.text.truncate(start);
                    (is_quoted, was_quoted) = (true, true);
                }
                _ if byte == delimiter && !is_quoted => {
                    self.end(&mut start);
                    was_quoted = false;
                }
                _ => self.text.push(byte),
            }
        }
        self.end(&mut start);
        !is_quoted
    }

    fn split_plain(&mut self, delimiter: u8) {
        let mut start = 0;
        for place in 0..self.text.len() {
            if self.text[place] == delimiter {
                self.ranges.push(start..place);
                start = place + 1;
            }
        }
        self.ranges.push(start..self.text.len());
    }

    fn end(&mut self, start: &mut usize) {
        self.ranges.push(*start..self.text.len());
        *start = self.text.len();
    }

    /// Number of fields of the line.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether all fields are empty.
    pub fn is_empty(&self) -> bool {
        (0..self.len()).all(|index| self.get(index).is_empty())
    }

    /// The text of a field, counted from 0, without the blanks around it; empty past the last field.
    pub fn get(&self, index: usize) -> &[u8] {
        self.ranges.get(index).map_or(&[], |range| self.text[range.clone()].trim_ascii())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, delimiter: u8, expected: Option<&[&str]>) {
        let mut fields = Fields::default();
        let is_closed = fields.split(line.as_bytes(), delimiter);
        let got: Vec<_> = (0..fields.len()).map(|index| std::str::from_utf8(fields.get(index)).unwrap()).collect();
        assert_eq!(is_closed.then_some(&got[..]), expected, "{line}");
    }

    #[test]
    fn fields_are_told_apart() {
        check("a,b,,c", b',', Some(&["a", "b", "", "c"]));
        check("", b',', Some(&[""]));
        check(" a ;\tb;", b';', Some(&["a", "b", ""]));
        check("a\t1,5", b'\t', Some(&["a", "1,5"]));
    }

    #[test]
    fn quotes_keep_delimiters_and_quotes() {
        check(r#""a,b", "c" ,d"#, b',', Some(&["a,b", "c", "d"]));
        check(r#""say ""x""",2"#, b',', Some(&[r#"say "x""#, "2"]));
        check(r#"5" pipe,2"#, b',', Some(&[r#"5" pipe"#, "2"]));
        check(r#"a,"b"#, b',', None);
    }
}
