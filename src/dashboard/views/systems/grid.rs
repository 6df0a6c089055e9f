//! The matrices as boxes to type in: one per entry, and one for the whole matrix as text.

use fedsysid_say::say;

use crate::params::systems::{MOST_ENTRY, text_of};
use crate::params::table::shown;
use crate::params::{MatrixKey, Systems};
use crate::sim::system::Dims;
use crate::text::escaped;
use crate::text::put;

/// A box of the grids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The box of an entry, by row and column, 0-based.
    Entry(MatrixKey, (usize, usize)),
    /// The box of the whole matrix as text.
    Text(MatrixKey),
}

impl Cell {
    /// All boxes: matrix by matrix, its entries before its text.
    pub fn all(dims: Dims) -> impl Iterator<Item = Self> {
        MatrixKey::ALL.into_iter().flat_map(move |key| {
            let (rows, cols) = key.shape(dims);
            let entries = (0..rows * cols).map(move |k| Self::Entry(key, (k / cols, k % cols)));
            entries.chain([Self::Text(key)])
        })
    }

    /// The id of its element: "cell-A-1-2", "cell-A".
    pub fn id(self) -> String {
        match self {
            Self::Entry(key, (row, col)) => format!("cell-{}-{}-{}", key.link(), row + 1, col + 1),
            Self::Text(key) => format!("cell-{}", key.link()),
        }
    }

    /// The box with this id.
    pub fn by_id(id: &str) -> Option<Self> {
        let mut parts = id.strip_prefix("cell-")?.split('-');
        let key = MatrixKey::by_link(parts.next()?)?;
        let mut number = || parts.next()?.parse::<usize>().ok()?.checked_sub(1);
        Some(number().and_then(|row| Some((row, number()?))).map_or(Self::Text(key), |place| Self::Entry(key, place)))
    }

    /// Its matrix.
    pub fn key(self) -> MatrixKey {
        match self {
            Self::Entry(key, _) | Self::Text(key) => key,
        }
    }

    /// Text of the box.
    pub fn shown(self, systems: &Systems) -> String {
        match self {
            Self::Entry(key, place) => systems.get(key).get(place).map(|&entry| shown(entry)).unwrap_or_default(),
            Self::Text(key) => text_of(systems.get(key)),
        }
    }

    /// Label of the box: "A₀, row 1, column 2".
    pub fn name(self) -> String {
        match self {
            Self::Entry(key, (row, col)) => say!("{}, row {}, column {}", symbol(key), row + 1, col + 1),
            Self::Text(key) => say!("{} as text", symbol(key)),
        }
    }

    /// The box to which an arrow key leads; `None` at the edge of the matrix, and for other keys.
    pub fn beside(self, dims: Dims, key_name: &str) -> Option<Self> {
        let Self::Entry(key, (row, col)) = self else { return None };
        let (rows, cols) = key.shape(dims);
        let (row, col) = match key_name {
            "ArrowUp" => (row.checked_sub(1)?, col),
            "ArrowDown" => (row + 1, col),
            "ArrowLeft" => (row, col.checked_sub(1)?),
            "ArrowRight" => (row, col + 1),
            _ => return None,
        };
        (row < rows && col < cols).then_some(Self::Entry(key, (row, col)))
    }
}

/// The symbol of a matrix.
pub fn symbol(key: MatrixKey) -> &'static str {
    match key {
        MatrixKey::A => "A₀",
        MatrixKey::B => "B₀",
        MatrixKey::V => "V",
        MatrixKey::U => "U",
    }
}

/// Meaning of a matrix.
fn meaning(key: MatrixKey) -> &'static str {
    match key {
        MatrixKey::A => say!("nominal dynamics"),
        MatrixKey::B => say!("nominal inputs"),
        MatrixKey::V => say!("along it A differs"),
        MatrixKey::U => say!("along it B differs"),
    }
}

/// A field of boxes per matrix: A beside B, and V beside U.
pub fn markup(systems: &Systems) -> String {
    let fields = MatrixKey::ALL.map(|key| field(systems, key)).concat();
    format!("<div class=matrices>{fields}</div>")
}

/// Column widths of the fields for the style sheet's grids; each field is at least as wide as its heading. Scripts set
/// them, since a strict content security policy refuses styles in markup.
pub fn tracks((n_states, n_inputs): (usize, usize)) -> String {
    format!("minmax(11em,{n_states}fr) minmax(11em,{n_inputs}fr)")
}

fn field(systems: &Systems, key: MatrixKey) -> String {
    let (rows, cols) = key.shape(systems.dims());
    let (link, symbol, meaning) = (key.link(), symbol(key), meaning(key));
    // The width of a field is proportional to the number of states, or of inputs.
    let side = if matches!(key, MatrixKey::A | MatrixKey::V) { "states" } else { "inputs" };
    let mut html = format!(
        "<fieldset class=matrix id=control-{link} tabindex=-1><legend><span class=symbol>{symbol}</span> \
         <span class=name>{meaning}, {rows}×{cols}</span></legend><div class=\"cells of-{side}\">"
    );
    let input = |cell: Cell, class: &str| {
        let (id, name, value) = (cell.id(), escaped(&cell.name()), cell.shown(systems));
        format!(
            "<input type=text class={class} id={id} aria-label=\"{name}\" value=\"{value}\" autocomplete=off spellcheck=false \
             autocapitalize=off>"
        )
    };
    for k in 0..rows * cols {
        html += &input(Cell::Entry(key, (k / cols, k % cols)), "cell");
    }
    put!(html, "</div>{}</fieldset>", input(Cell::Text(key), "matrix-text"));
    html
}

/// Whether a pasted text is more than one entry.
pub fn is_many(text: &str) -> bool {
    text.trim().contains(|c: char| c.is_whitespace() || "[;".contains(c))
}

/// Sentence on a box whose text is no number.
pub fn unreadable(systems: &Systems, cell: Cell, typed: &str) -> String {
    let (name, shown) = (cell.name(), cell.shown(systems));
    match typed.trim() {
        "" => say!("{name}: the box is empty; {shown} is still used."),
        typed => {
            let typed = typed.chars().take(32).collect::<String>();
            say!("{name}: “{typed}” is not a number; {shown} is still used.")
        }
    }
}

/// Allowed values of an entry.
pub fn allowed() -> String {
    say!("−{MOST_ENTRY} to {MOST_ENTRY}")
}

/// Sentence on a text that is no matrix of an allowed size.
pub fn refused(key: MatrixKey, why: &str) -> String {
    say!("{} stays as it is: {why}.", symbol(key))
}

/// A sentence as a paragraph.
pub fn paragraph(words: &str) -> String {
    format!("<p>{}</p>", escaped(words))
}

/// Sentence on a row that was read as the column of a single input.
pub fn turned(key: MatrixKey) -> String {
    say!("{}: the row is read as a column.", symbol(key))
}

/// Sentence on changed numbers of states and inputs, after a matrix of another size was entered; empty if they are the
/// same.
pub fn resized(before: Dims, after: Dims) -> String {
    if before == after {
        return String::new();
    }
    let Dims { n_states, n_inputs } = after;
    say!("Now n = {n_states} and p = {n_inputs}: the other matrices keep what fits, and what is new in them is 0.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_found_by_their_ids() {
        let systems = Systems::default();
        let all: Vec<_> = Cell::all(systems.dims()).collect();
        assert_eq!(all.len(), 2 * (9 + 6) + 4);
        let html = markup(&systems);
        for cell in all {
            assert_eq!(Cell::by_id(&cell.id()), Some(cell));
            let shown = format!("id={} aria-label=\"{}\" value=\"{}\"", cell.id(), cell.name(), cell.shown(&systems));
            assert!(html.contains(&shown), "{shown}");
        }
        assert_eq!(Cell::by_id("cell-B-3-1"), Some(Cell::Entry(MatrixKey::B, (2, 0))));
        for id in ["cell-C", "control-A", "cell-"] {
            assert_eq!(Cell::by_id(id), None, "{id}");
        }
    }

    #[test]
    fn arrow_keys_stay_within_a_matrix() {
        #[track_caller]
        fn check(at: (usize, usize), key: &str, expected: Option<(usize, usize)>) {
            let dims = Dims { n_states: 3, n_inputs: 2 };
            let cell = Cell::Entry(MatrixKey::B, at);
            assert_eq!(cell.beside(dims, key), expected.map(|place| Cell::Entry(MatrixKey::B, place)));
        }
        check((0, 0), "ArrowUp", None);
        check((0, 0), "ArrowLeft", None);
        check((0, 0), "ArrowDown", Some((1, 0)));
        check((0, 0), "ArrowRight", Some((0, 1)));
        check((2, 1), "ArrowDown", None);
        check((2, 1), "ArrowRight", None);
        check((2, 1), "ArrowUp", Some((1, 1)));
        check((2, 1), "Home", None);
        assert_eq!(Cell::Text(MatrixKey::A).beside(Systems::default().dims(), "ArrowUp"), None);
    }

    #[test]
    fn one_number_is_typed_and_several_are_a_matrix() {
        for text in ["0.5", " -0,5 ", "1e-3\n", "abc"] {
            assert!(!is_many(text), "{text:?}");
        }
        for text in ["1 2", "1\t2", "1;2", "[1]", "1\n2"] {
            assert!(is_many(text), "{text:?}");
        }
    }

    #[test]
    fn what_went_wrong_is_said() {
        let systems = Systems::default();
        let cell = Cell::Entry(MatrixKey::A, (0, 1));
        assert_eq!(unreadable(&systems, cell, "abc"), "A₀, row 1, column 2: “abc” is not a number; 0.5 is still used.");
        assert_eq!(unreadable(&systems, cell, " "), "A₀, row 1, column 2: the box is empty; 0.5 is still used.");
        assert_eq!(turned(MatrixKey::B), "B₀: the row is read as a column.");
        assert_eq!(paragraph("“<b>” & 1"), "<p>“&lt;b>” &amp; 1</p>");
        let dims = systems.dims();
        assert_eq!(resized(dims, dims), "");
        assert!(resized(dims, Dims { n_states: 4, ..dims }).starts_with("Now n = 4 and p = 2:"));
    }
}
