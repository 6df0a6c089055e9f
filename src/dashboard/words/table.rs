//! Tables: what every number on screen is saved as, and listed as.

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Numbers with all digits and a decimal point; empty if there is none.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { header: header.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// The table as comma-separated values (RFC 4180).
    pub fn csv(&self) -> String {
        let mut text = String::new();
        for row in std::iter::once(&self.header).chain(&self.rows) {
            for (index, cell) in row.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                csv_cell(&mut text, cell);
            }
            text += "\r\n";
        }
        text
    }
}

/// Writes a cell of comma-separated values (RFC 4180), in quotes if it needs them.
pub(crate) fn csv_cell(text: &mut String, cell: &str) {
    if cell.contains([',', '"', '\n', '\r']) {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let cells = [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("a \"b\"", "\"a \"\"b\"\"\""),
            ("a\nb", "\"a\nb\""),
            ("a\rb", "\"a\rb\""),
        ];
        for (cell, expected) in cells {
            let mut text = String::new();
            csv_cell(&mut text, cell);
            assert_eq!(text, expected);
        }
    }
}
