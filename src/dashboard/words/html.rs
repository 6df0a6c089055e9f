//! Words as markup: texts whose lines end well, tables, and options of lists.

use fedsysid_say::say;

use super::table::Table;
use crate::figure::number::count;
use crate::params::{Word, keys};
use crate::text::{escaped, put};

/// A text or markup for the page, where no line ends within "10 %", "M = 50" or "N = 25 < 188".
pub fn unbroken(text: &str) -> String {
    const TOGETHER: [&str; 6] = [" %", " = ", " ≈ ", " ± ", " < ", " &lt; "];
    TOGETHER.iter().fold(text.to_owned(), |text, sign| text.replace(sign, &sign.replace(' ', "\u{a0}")))
}

/// Maximum number of rows of a shown table: more would slow the page down, and nobody reads them.
const MOST_ROWS: usize = 500;

/// A table, with its header.
pub fn table(table: &Table) -> String {
    let row = |tag: &str, cells: &[String]| {
        let cells = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell)));
        format!("<tr>{}</tr>", cells.collect::<String>())
    };
    let rows = table.rows.iter().take(MOST_ROWS).map(|cells| row("td", cells));
    let (head, rows) = (row("th", &table.header), rows.collect::<String>());
    let rest = match table.rows.len().saturating_sub(MOST_ROWS) {
        0 => String::new(),
        more => format!("<p class=quiet>{}</p>", say!("{} more rows are in the file.", count(more))),
    };
    format!("<table><thead>{head}</thead><tbody>{rows}</tbody></table>{rest}")
}

/// Table of all keys of a link: what each sets, and its allowed values.
pub fn keys() -> String {
    let header = [say!("key"), say!("sets"), say!("allowed"), say!("without it")].map(str::to_owned).to_vec();
    let row = |row: keys::Row| vec![row.key.to_owned(), row.name, row.allowed, row.default];
    table(&Table { header, rows: keys::rows().into_iter().map(row).collect() })
}

/// Options for a list of names, with the chosen one selected.
pub fn options(names: &[String], chosen: Option<usize>) -> String {
    let mut html = String::new();
    for (index, name) in names.iter().enumerate() {
        let selected = if Some(index) == chosen { " selected" } else { "" };
        put!(html, "<option{selected}>{}</option>", escaped(name));
    }
    html
}

/// Options for the words of a setting, with the chosen one selected, if any.
pub fn word_options<W: Word>(chosen: Option<W>) -> String {
    let mut html = String::new();
    for (value, word, _) in W::ALL {
        let selected = if chosen == Some(*value) { " selected" } else { "" };
        put!(html, "<option value={word}{selected}>{}</option>", escaped(value.name()));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_markup_is_escaped() {
        assert_eq!(
            options(&["a < b & c".into(), "d".into()], Some(1)),
            "<option>a &lt; b &amp; c</option><option selected>d</option>"
        );
    }

    #[test]
    fn no_line_ends_within_a_value() {
        let said = unbroken("10 % of M = 50; N = 25 < 188, a &lt; b, ε ≈ 0.39");
        let expected = "10_% of M_=_50; N_=_25_<_188, a_&lt;_b, ε_≈_0.39".replace('_', "\u{a0}");
        assert_eq!(said, expected);
        let html = "<p class=complaint>a</p><data value=3>3</data>";
        assert_eq!(unbroken(html), html);
    }
}
