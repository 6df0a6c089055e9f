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
    /// What stands before the brackets is more than a name and a call.
    Before(String),
    /// What stands after the brackets is more than their end and a transpose.
    After(String),
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
            Self::Before(text) => {
                f.write_str(&say!("“{}” before the brackets cannot be calculated here", shortened(text)))
            }
            Self::After(text) => {
                f.write_str(&say!("“{}” after the brackets cannot be calculated here", shortened(text)))
            }
        }
    }
}

impl std::error::Error for NotAMatrix {}

fn entries(n: usize) -> String {
    if n == 1 { say!("1 entry").to_owned() } else { say!("{n} entries") }
}

/// Reads a matrix. A name before it (`A =`) and a call around it (`np.array(…, dtype=float)`) are skipped, and a
/// transpose after it (`'` or `.T`) is carried out; anything else around the brackets is refused.
///
/// Rows are lines, or end at semicolons, or have brackets of their own; entries are separated by commas, tabs or
/// spaces, or by semicolons where rows are lines. A comma is a decimal mark where other characters separate entries:
/// tabs, semicolons within lines, or spaces if no entry has a point and every comma stands between two digits.
///
/// Entries may be infinite, as in [`parse::real`], but are never NaN.
///
/// # Errors
///
/// [`NotAMatrix`], with the first row and column that cannot be read, or what cannot be calculated.
///
/// ```
/// use fedsysid::params::matrix_text::matrix;
/// let expected = matrix("1.5 2; 3 4");
/// assert_eq!(matrix("A = [1.5, 2\n     3, 4];"), expected);
/// assert_eq!(matrix("np.array([[1.5, 2], [3, 4]])"), expected);
/// assert_eq!(matrix("1,5;2\n3;4"), expected);
/// assert_eq!(matrix("[1.5 3; 2 4]'"), expected);
/// assert_eq!(matrix("1 x; 3 4").unwrap_err().to_string(), "row 1, column 2: “x” is not a number");
/// ```
pub fn matrix(text: &str) -> Result<Matrix, NotAMatrix> {
    let joined = joined(text);
    let body = Body::of(&joined)?;
    let rows = rows(&body);
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
    let matrix = Matrix::from_row_slice(rows.len(), n_first, &numbers);
    Ok(if body.is_transposed { matrix.transpose() } else { matrix })
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
fn rows<'a>(&Body { text, brackets, .. }: &Body<'a>) -> Vec<Vec<&'a str>> {
    let mut rows: Vec<&str> = match brackets {
        Brackets::Nested => text.split(']').map(after_bracket).collect(),
        Brackets::None | Brackets::Outer => text.lines().map(|line| line.trim_end_matches([';', ' '])).collect(),
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

/// The text of the entries, and what is around it.
struct Body<'a> {
    text: &'a str,
    brackets: Brackets,
    is_transposed: bool,
}

impl<'a> Body<'a> {
    /// The text between the outermost brackets; without brackets, the text after a name.
    fn of(text: &'a str) -> Result<Self, NotAMatrix> {
        let Some(start) = text.find('[') else {
            return Ok(Self { text: after_name(text), brackets: Brackets::None, is_transposed: false });
        };
        let before = after_name(&text[..start]);
        if !before.split('(').all(is_constructor) {
            return Err(NotAMatrix::Before(before.trim().to_owned()));
        }
        let inner = &text[start + 1..];
        let end = end_of_brackets(inner);
        let (text, after) = (&inner[..end], inner.get(end + 1..).unwrap_or_default());
        let is_transposed = is_transposed(after).map_err(|rest| NotAMatrix::After(rest.trim().to_owned()))?;
        let is_nested = text.trim_start().starts_with('[');
        let brackets = if is_nested { Brackets::Nested } else { Brackets::Outer };
        Ok(Self { text, brackets, is_transposed })
    }
}

/// The text after a name (`A =`), which may have a prompt (`>> A =`) or a type (`double A =`) before it.
fn after_name(text: &str) -> &str {
    let is_of_name = |c: char| c.is_alphanumeric() || c.is_whitespace() || "_.>".contains(c);
    text.split_once('=').filter(|(name, _)| name.chars().all(is_of_name)).map_or(text, |(_, text)| text)
}

/// Whether a call of this name, as in `np.array(`, only makes a matrix of its entries. An empty name is a parenthesis.
fn is_constructor(name: &str) -> bool {
    let name = name.trim();
    let last = name.rsplit('.').next().unwrap_or(name);
    let constructors = ["array", "asarray", "asmatrix", "mat", "matrix", "Matrix", "tensor", "double"];
    name.is_empty() || constructors.contains(&last)
}

/// Where the bracket closes that was opened before the text; the text's length if it does not.
fn end_of_brackets(text: &str) -> usize {
    let mut depth = 1;
    let closes = |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0
    };
    text.find(closes).unwrap_or(text.len())
}

/// Whether what follows the brackets transposes the matrix; a type of the entries (`, dtype=float`) and ends of calls
/// and lines may stand there too. What comes after all of these is the error.
fn is_transposed(after: &str) -> Result<bool, &str> {
    let ends = |c: char| c.is_whitespace() || ");".contains(c);
    let mut rest = after.trim_start_matches(ends);
    let mut is_transposed = false;
    while !rest.is_empty() {
        let transposed = [".T", ".'", "'", "’"].iter().find_map(|mark| rest.strip_prefix(mark));
        is_transposed ^= transposed.is_some();
        rest = transposed.or_else(|| after_type(rest)).ok_or(rest)?.trim_start_matches(ends);
    }
    Ok(is_transposed)
}

/// What follows the end of a call in which a type of the entries (`, dtype=float)`) or only a comma (`,)`) is left.
fn after_type(text: &str) -> Option<&str> {
    let left = text.strip_prefix(',')?.trim_start();
    let end = match left.strip_prefix("dtype=") {
        Some(name) => name.trim_start_matches(|c: char| c.is_alphanumeric() || "._'\"".contains(c)),
        None => left,
    };
    end.trim_start().strip_prefix(')')
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
        check("jnp.asarray(np.array([[1, -2.5], [3e-4, 4]],), dtype='float64')\n", square);
        check("sp.Matrix([[1, -2.5], [3e-4, 4]])", square);
    }

    #[test]
    fn a_transpose_is_carried_out() {
        let columns: &[&[f64]] = &[&[1.0, 0.0], &[0.5, 1.0], &[0.25, 0.0]];
        for text in ["[1 .5 .25; 0 1 0]'", "B = [1 .5 .25; 0 1 0].';", "[1 .5 .25; 0 1 0]’", "([1 .5 .25; 0 1 0])'\n"]
        {
            check(text, columns);
        }
        check("np.array([[1, .5, .25], [0, 1, 0]]).T", columns);
        check("np.array([[1, .5, .25], [0, 1, 0]], dtype=np.float64).T", columns);
        check("[[1, 0], [.5, 1], [.25, 0]].T.T", columns);
    }

    #[test]
    fn what_would_have_to_be_calculated_is_refused() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            let expected = format!("{expected} the brackets cannot be calculated here");
            assert_eq!(matrix(text).map_err(|error| error.to_string()), Err(expected), "{text:?}");
        }
        check("A = 0.1*[1 2 3; 0 4 5; 0 0 6]", "“0.1*” before");
        check("-[1 2; 3 4]", "“-” before");
        check("eye(3) + 0.05*[1 2 3; 0 4 5; 0 0 6]", "“eye(3) + 0.05*” before");
        check("A += [1 2; 3 4]", "“A +=” before");
        check("2.[1 2; 3 4]", "“2.” before");
        check("diag([1 2 3])", "“diag(” before");
        check("np.linalg.inv(np.array([[1, 2], [3, 4]]))", "“np.linalg.inv(np.array(” before");
        check("[1 2; 3 4]/10", "“/10” after");
        check("np.array([[1, 2], [3, 4]]) / 10", "“/ 10” after");
        check("np.array([[1, 2], [3, 4]], order='F')", "“, order='F')” after");
        check("[1 2; 3 4]'*2", "“*2” after");
        check("A = [1 2; 3 4]\nB = [1; 0]", "“B = [1; 0]” after");
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
        for text in ["", " \n", "[]", "[[]]", "A =", ";", "[;]", ",", "np.array([", "np.array([])"] {
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
        check("1/3 2", "row 1, column 1: “1/3” is not a number");
        check(&"x".repeat(999), &format!("row 1, column 1: “{}…” is not a number", "x".repeat(32)));
        check("[1 \u{0}2]", "row 1, column 2: “\u{fffd}2” is not a number");
    }
}
