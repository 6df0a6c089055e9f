//! A matrix as people type or paste it: MATLAB's `[1 2; 3 4]`, NumPy's `np.array([[1, 2], [3, 4]])`, or lines of a
//! table.

use fedsysid_say::say;
use std::fmt;

use super::notice::shortened;
use super::parse::{self, NotANumber};
use crate::sim::Matrix;

/// Why a text is not a matrix. Rows and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAMatrix {
    /// The text has no entry.
    Empty,
    /// An entry is not a number.
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        col: usize,
        /// The entry's text.
        text: String,
    },
    /// The length of a row differs from that of the first one.
    Ragged {
        /// The row.
        row: usize,
        /// Number of its entries.
        n_entries: usize,
        /// Number of entries of row 1.
        n_first: usize,
    },
}

impl fmt::Display for NotAMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(say!("there is no number in it")),
            Self::Entry { row, col, text } if text.is_empty() => f.write_str(&say!("row {row}, column {col} is empty")),
            Self::Entry { row, col, text } => {
                f.write_str(&say!("row {row}, column {col}: “{}” is not a number", shortened(text)))
            }
            Self::Ragged { row, n_entries, n_first } => {
                f.write_str(&say!("row {row} has {} and row 1 has {n_first}", entries(*n_entries)))
            }
        }
    }
}

impl std::error::Error for NotAMatrix {}

fn entries(n: usize) -> String {
    if n == 1 { say!("1 entry").to_owned() } else { say!("{n} entries") }
}

/// Reads a matrix. A name before it (`A =`) and a call around it (`np.array(…)`) are skipped.
///
/// Rows are lines, or end at semicolons, or have brackets of their own; entries are separated by commas, tabs or
/// spaces, or by semicolons where rows are lines. A comma is a decimal mark where other characters separate entries:
/// tabs, semicolons within lines, or spaces if no entry has a point and every comma stands between two digits.
///
/// Entries may be infinite, as in [`parse::real`], but are never NaN.
///
/// # Errors
///
/// [`NotAMatrix`], with the first row and column that cannot be read.
///
/// ```
/// use fedsysid::params::matrix_text::matrix;
/// let expected = matrix("1.5 2; 3 4");
/// assert_eq!(matrix("A = [1.5, 2\n     3, 4];"), expected);
/// assert_eq!(matrix("np.array([[1.5, 2], [3, 4]])"), expected);
/// assert_eq!(matrix("1,5;2\n3;4"), expected);
/// assert_eq!(matrix("1 x; 3 4").unwrap_err().to_string(), "row 1, column 2: “x” is not a number");
/// ```
pub fn matrix(text: &str) -> Result<Matrix, NotAMatrix> {
    let joined = joined(text);
    let rows = rows(&joined);
    let n_first = rows.first().map_or(0, Vec::len);
    let mut numbers = Vec::with_capacity(rows.len() * n_first);
    for (index, cells) in rows.iter().enumerate() {
        let row = index + 1;
        for (index, cell) in cells.iter().enumerate() {
            let unreadable = |_: NotANumber| NotAMatrix::Entry { row, col: index + 1, text: (*cell).to_owned() };
            numbers.push(parse::real(cell).map_err(unreadable)?);
        }
        if cells.len() != n_first {
            return Err(NotAMatrix::Ragged { row, n_entries: cells.len(), n_first });
        }
    }
    if numbers.is_empty() {
        return Err(NotAMatrix::Empty);
    }
    Ok(Matrix::from_row_slice(rows.len(), n_first, &numbers))
}

/// The text with lines joined that MATLAB's `...` breaks.
fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    for line in text.lines() {
        match line.trim_end().strip_suffix("...") {
            Some(begun) => joined.extend([begun, " "]),
            None => joined.extend([line, "\n"]),
        }
    }
    joined
}

/// The cells of every row that is not empty.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let (body, brackets) = body(text);
    let mut rows: Vec<&str> = match brackets {
        Brackets::Nested => body.split(']').map(after_bracket).collect(),
        Brackets::None | Brackets::Outer => body.lines().map(|line| line.trim_end_matches([';', ' '])).collect(),
    };
    rows.retain(|row| row.contains(|c: char| !c.is_whitespace() && c != ','));
    if brackets != Brackets::None {
        // Tabs at their ends are indentation; between lines of a spreadsheet they would be empty cells.
        for row in &mut rows {
            *row = row.trim();
        }
    }
    let separator = Separator::of(&rows, brackets);
    if separator != Separator::Semicolons {
        rows = rows.iter().flat_map(|row| row.split(';')).filter(|row| !row.trim().is_empty()).collect();
    }
    rows.into_iter().map(|row| separator.cells(row)).collect()
}

/// The brackets of a text.
#[derive(Clone, Copy, PartialEq)]
enum Brackets {
    None,
    /// Around the whole matrix.
    Outer,
    /// Also around every row.
    Nested,
}

/// The text between the outermost brackets; without brackets, the text after a name.
fn body(text: &str) -> (&str, Brackets) {
    let Some(start) = text.find('[') else {
        return (text.split_once('=').map_or(text, |(_, body)| body), Brackets::None);
    };
    let inner = &text[start + 1..];
    let inner = inner.rfind(']').map_or(inner, |end| &inner[..end]);
    (inner, if inner.trim_start().starts_with('[') { Brackets::Nested } else { Brackets::Outer })
}

/// A row without its opening bracket, and without the separators after the previous row.
fn after_bracket(row: &str) -> &str {
    let row = row.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    row.strip_prefix('[').unwrap_or(row)
}

/// The separator of entries.
#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Tabs,
    Semicolons,
    Spaces,
    CommasOrSpaces,
}

impl Separator {
    fn of(rows: &[&str], brackets: Brackets) -> Self {
        let some_row_has = |c: char| rows.iter().any(|row| row.contains(c));
        let are_lines = brackets == Brackets::None && rows.len() > 1;
        let parts_cells = |(at, _): (usize, &str), row: &str| !row[..at].trim_end().ends_with(',');
        let has_tabs = rows.iter().any(|row| row.match_indices('\t').any(|tab| parts_cells(tab, row)));
        if has_tabs && !some_row_has(';') {
            Self::Tabs
        } else if are_lines && rows.iter().all(|row| row.contains(';')) {
            Self::Semicolons
        } else if !some_row_has('.') && rows.iter().any(|row| has_spaced_cells(row)) && has_decimal_commas(rows) {
            Self::Spaces
        } else {
            Self::CommasOrSpaces
        }
    }

    fn cells(self, row: &str) -> Vec<&str> {
        match self {
            Self::Tabs => row.trim_matches([' ', '\n']).split('\t').map(str::trim).collect(),
            Self::Semicolons => row.split(';').map(str::trim).collect(),
            Self::Spaces => row.split_whitespace().collect(),
            Self::CommasOrSpaces => {
                let row = row.trim();
                let between_commas = row.strip_suffix(',').unwrap_or(row).split(',').map(str::trim);
                between_commas.flat_map(spaced_cells).collect()
            }
        }
    }
}

/// The cells between two commas; an empty text gives one empty cell, so that an error can name it.
fn spaced_cells(text: &str) -> Vec<&str> {
    if text.is_empty() { vec![""] } else { text.split_whitespace().collect() }
}

/// Whether spaces separate cells anywhere in the row.
fn has_spaced_cells(row: &str) -> bool {
    row.split(';').any(|row| row.split_whitespace().nth(1).is_some())
}

/// Whether every comma stands between two digits.
fn has_decimal_commas(rows: &[&str]) -> bool {
    let is_between_digits = |(before, after): (&str, &str)| {
        before.ends_with(|c: char| c.is_ascii_digit()) && after.starts_with(|c: char| c.is_ascii_digit())
    };
    rows.iter().all(|row| row.match_indices(',').all(|(at, _)| is_between_digits((&row[..at], &row[at + 1..]))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&[f64]]) {
        let cols = expected[0].len();
        assert_eq!(matrix(text), Ok(Matrix::from_row_slice(expected.len(), cols, &expected.concat())), "{text:?}");
    }

    #[test]
    fn matlab_is_read() {
        let square: &[&[f64]] = &[&[1.0, -2.5], &[3e-4, 4.0]];
        check("[1 -2.5; 3e-4 4]", square);
        check("[1, -2.5; 3e-4, 4]", square);
        check("[1,-2.5;3e-4,4]", square);
        check("A = [1 −2.5\n     3e-4 4];", square);
        check("A=[1, -2.5;\r\n   3e-4, 4];\r\n", square);
        check("A = [ 1 ...\n -2.5; 3e-4 ...\r\n 4 ]", square);
        check("A = [\n 1 -2.5;\n 3e-4 4;\n];", square);
        check("1 -2.5; 3e-4 4", square);
        check("A =\n\n    1.0000   -2.5000\n    0.0003    4.0000\n\n", square);
        check("[1;2;3]", &[&[1.0], &[2.0], &[3.0]]);
        check("[1 0; 0 1\n2 0; 0 2]", &[&[1.0, 0.0], &[0.0, 1.0], &[2.0, 0.0], &[0.0, 2.0]]);
        check("[1 2 3]", &[&[1.0, 2.0, 3.0]]);
        check("0.5", &[&[0.5]]);
        check("[0.5]", &[&[0.5]]);
        check("A = [\n\t1, -2.5;\n\t3e-4, 4\n];", square);
        check("[1,\t-2.5;\n 3e-4,\t4]", square);
        check("np.array([\n\t[1, -2.5],\n\t[3e-4, 4],\n])", square);
    }

    #[test]
    fn numpy_is_read() {
        let square: &[&[f64]] = &[&[1.0, -2.5], &[3e-4, 4.0]];
        check("np.array([[1, -2.5], [3e-4, 4]])", square);
        check("A = np.array([[1., -2.5],\n              [3e-4, 4.]], dtype=float)", square);
        check("[[1,-2.5],[3e-4,4]]", square);
        check("[[ 1.0e+00 -2.5e+00]\n [ 3.0e-04  4.0e+00]]", square);
        check("array([[1.    , -2.5   ],\n       [0.0003, 4.    ],\n       ])", square);
        check("[[1], [2]]", &[&[1.0], &[2.0]]);
        check("[1, 2, 3,]", &[&[1.0, 2.0, 3.0]]);
        check("[[0.5]]", &[&[0.5]]);
    }

    #[test]
    fn tables_are_read_with_points_and_with_commas() {
        let square: &[&[f64]] = &[&[1.0, -2.5], &[0.25, 4.0]];
        check("1,-2.5\n0.25,4\n", square);
        check("1, -2.5\r\n0.25, 4", square);
        check("1\t-2.5\n0.25\t4", square);
        check("1\t-2,5\r\n0,25\t4\r\n", square);
        check("1;-2,5\n0,25;4\n", square);
        check("1; -2.5\n0.25; 4\n", square);
        check("1 -2,5\n0,25 4", square);
        check("1 -2,5; 0,25 4", square);
        check("[1 -2,5; 0,25 4]", square);
        check("1   -2.5\n\n  0.25 4 \n", square);
        check("1,-2.5;0.25,4", square);
        check("0,5\t1.000,5", &[&[0.5, 1000.5]]);
        check("1,2,3", &[&[1.0, 2.0, 3.0]]);
        check("1,2\n3,4", &[&[1.0, 2.0], &[3.0, 4.0]]);
        check("1, 2\n3, 4", &[&[1.0, 2.0], &[3.0, 4.0]]);
    }

    #[test]
    fn what_cannot_be_read_is_named_by_row_and_column() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(matrix(text).map_err(|error| error.to_string()), Err(expected.to_owned()), "{text:?}");
        }
        for text in ["", " \n", "[]", "[[]]", "A =", ";", "[;]", ",", "np.array()[", "np.array([])"] {
            check(text, "there is no number in it");
        }
        check("[1 2; 3 abc]", "row 2, column 2: “abc” is not a number");
        check("[[1, 2], [3, nan]]", "row 2, column 2: “nan” is not a number");
        check("1\tx\n3\t4", "row 1, column 2: “x” is not a number");
        check("1\t\n3\t4", "row 1, column 2 is empty");
        check("[1,,2]", "row 1, column 2 is empty");
        check("1;;2\n3;4;5", "row 1, column 2 is empty");
        check("[1 2; 3 4 5]", "row 2 has 3 entries and row 1 has 2");
        check("[1 2; 3]", "row 2 has 1 entry and row 1 has 2");
        check("[0,6 0,5; 0 0.3]", "row 2 has 2 entries and row 1 has 4");
        check("A = [1 2; 3 4]\nB = [1; 0]", "row 2, column 2: “4]” is not a number");
        check("1/3 2", "row 1, column 1: “1/3” is not a number");
        check(&"x".repeat(999), &format!("row 1, column 1: “{}…” is not a number", "x".repeat(32)));
        check("[1 \u{0}2]", "row 1, column 2: “\u{fffd}2” is not a number");
    }
}
