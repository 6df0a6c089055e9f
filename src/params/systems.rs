//! The family of the clients' systems: the matrices `A_0`, `B_0`, V and U, within limits.
//!
//! ```text
//! A⁽ⁱ⁾ = A_0 + γ_1⁽ⁱ⁾ V        B⁽ⁱ⁾ = B_0 + γ_2⁽ⁱ⁾ U
//! ```

use super::matrix_text;
use super::notice::{Fix, Notice, Problem};
use super::table::words;
use crate::sim::Matrix;
use crate::sim::family::Family;
use crate::sim::system::{Dims, LinearSystem};
use fedsysid_say::say;

/// The most states n.
pub const MOST_STATES: usize = 6;
/// The most inputs p.
pub const MOST_INPUTS: usize = 4;
/// The largest absolute value of an entry.
pub const MOST_ENTRY: f64 = 1e6;

/// One of the four matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixKey {
    /// `A_0`, n×n: the nominal dynamics.
    A,
    /// `B_0`, n×p: the nominal input matrix.
    B,
    /// V, n×n: the direction in which A differs from client to client.
    V,
    /// U, n×p: the direction in which B differs from client to client.
    U,
}

impl MatrixKey {
    /// All matrices, in the order of links: the default of each depends only on earlier ones.
    pub const ALL: [Self; 4] = [Self::A, Self::B, Self::V, Self::U];

    /// The key in a link.
    pub fn link(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::V => "V",
            Self::U => "U",
        }
    }

    /// The matrix with this key in a link, upper or lower case.
    pub fn by_link(link: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.link().eq_ignore_ascii_case(link))
    }

    /// Its shape (rows, columns) in a family of these sizes.
    pub fn shape(self, dims: Dims) -> (usize, usize) {
        match self {
            Self::A | Self::V => (dims.n_states, dims.n_states),
            Self::B | Self::U => (dims.n_states, dims.n_inputs),
        }
    }
}

/// A family of systems within limits: 1 to [`MOST_STATES`] states, 1 to [`MOST_INPUTS`] inputs, entries of at most
/// [`MOST_ENTRY`] in size, shapes that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Systems(Family);

/// The paper's family.
impl Default for Systems {
    fn default() -> Self {
        Self(Family::paper())
    }
}

impl Systems {
    /// The family of these matrices; `None` unless they are within limits and their shapes fit.
    pub fn new([a, b, v, u]: [Matrix; 4]) -> Option<Self> {
        let dims = LinearSystem::new(a.clone(), b.clone()).ok()?.dims();
        let is_small = dims.n_states <= MOST_STATES && dims.n_inputs <= MOST_INPUTS;
        let is_within = [&a, &b, &v, &u].into_iter().flatten().all(|entry| entry.abs() <= MOST_ENTRY);
        // Turns −0 into 0, which prints without a sign.
        let [a, b, v, u] = [a, b, v, u].map(|matrix| matrix.add_scalar(0.0));
        let family = Family::new(LinearSystem::new(a, b).ok()?, v, u).ok()?;
        (is_small && is_within).then_some(Self(family))
    }

    /// The family.
    pub fn family(&self) -> &Family {
        &self.0
    }

    /// The sizes n and p.
    pub fn dims(&self) -> Dims {
        self.0.dims()
    }

    /// One of the matrices.
    pub fn get(&self, key: MatrixKey) -> &Matrix {
        match key {
            MatrixKey::A => self.0.nominal().a(),
            MatrixKey::B => self.0.nominal().b(),
            MatrixKey::V => self.0.a_pattern(),
            MatrixKey::U => self.0.b_pattern(),
        }
    }

    /// Sets an entry to the nearest allowed value, and returns that value. NaN, and an entry that does not exist,
    /// change nothing.
    pub fn set_entry(&mut self, key: MatrixKey, (row, col): (usize, usize), value: f64) -> f64 {
        let mut matrices = self.matrices();
        let Some(entry) = matrices[key as usize].get_mut((row, col)) else { return value };
        if !value.is_nan() {
            *entry = value.clamp(-MOST_ENTRY, MOST_ENTRY);
        }
        let used = *entry;
        if let Some(systems) = Self::new(matrices) {
            *self = systems;
        }
        used
    }

    /// Replaces a matrix by one read from a text, in any notation of [`matrix_text`]. If its shape changes n or p, the
    /// other matrices are cut, or extended by zeros.
    ///
    /// A single row of n entries for B or U, where n > 1, is the column of a single input: this is how NumPy and Julia
    /// write a vector. Returns whether the text was such a row.
    ///
    /// # Errors
    ///
    /// The problem with the text, as the end of a sentence; then nothing changes.
    pub fn set_text(&mut self, key: MatrixKey, text: &str) -> Result<bool, String> {
        let mut matrix = parsed(text)?;
        let is_vector = matrix.nrows() == 1 && matrix.ncols() == self.dims().n_states && matrix.ncols() > 1;
        let is_column = is_vector && matches!(key, MatrixKey::B | MatrixKey::U);
        if is_column {
            matrix = matrix.transpose();
        }
        check(key, &matrix)?;
        let dims = match key {
            MatrixKey::A | MatrixKey::V => Dims { n_states: matrix.nrows(), ..self.dims() },
            MatrixKey::B | MatrixKey::U => Dims { n_states: matrix.nrows(), n_inputs: matrix.ncols() },
        };
        let mut matrices = self.resized(dims).matrices();
        matrices[key as usize] = matrix;
        if let Some(systems) = Self::new(matrices) {
            *self = systems;
        }
        Ok(is_column)
    }

    /// The family resized to sizes within limits: entries that fit stay, new ones are 0.
    #[must_use]
    pub fn resized(&self, dims: Dims) -> Self {
        let dims =
            Dims { n_states: dims.n_states.clamp(1, MOST_STATES), n_inputs: dims.n_inputs.clamp(1, MOST_INPUTS) };
        let resized = MatrixKey::ALL.map(|key| {
            let (rows, cols) = key.shape(dims);
            self.get(key).clone().resize(rows, cols, 0.0)
        });
        Self::new(resized).unwrap_or_else(|| self.clone())
    }

    /// Every matrix as a pair (key, value) of a link.
    pub fn all_pairs(&self) -> impl Iterator<Item = (&'static str, String)> {
        MatrixKey::ALL.into_iter().map(|key| (key.link(), text_of(self.get(key))))
    }

    /// The pairs (key, value) of a link that [`Systems::with_texts`] of the other family reads as this one: those of
    /// the matrices that differ from what it fills in when they are left out.
    pub fn pairs_beside(&self, other: &Self) -> impl Iterator<Item = (&'static str, String)> {
        let differs = |key: &MatrixKey| Instead::of(*key, other, |earlier| self.get(earlier)).matrix != *self.get(*key);
        MatrixKey::ALL.into_iter().filter(differs).map(|key| (key.link(), text_of(self.get(key))))
    }

    /// The family that a link describes by some of its matrices, in the order of [`MatrixKey::ALL`], and the problem
    /// with each unusable matrix.
    ///
    /// A matrix that is left out or unusable stays as it is (at first, the paper's) if it has the right shape. For
    /// other sizes, every state gets an input of its own as far as the inputs go (B is an identity matrix), and clients
    /// differ in proportion (V is A, U is B).
    pub fn with_texts(&self, texts: [Option<&str>; 4]) -> (Self, [Option<Notice>; 4]) {
        let mut matrices = self.matrices();
        let mut notices = [None, None, None, None];
        for (key, given) in MatrixKey::ALL.into_iter().zip(texts) {
            let Instead { matrix, words } = Instead::of(key, self, |earlier| &matrices[earlier as usize]);
            let needed = (key != MatrixKey::A).then(|| matrix.shape());
            let read = given.map_or(Ok(matrix.clone()), |given| read(key, given, needed));
            matrices[key as usize] = read.unwrap_or_else(|why| {
                let fix = Fix { used: words.to_owned(), allowed: allowed(key, matrix.nrows(), matrix.ncols()) };
                let given = given.unwrap_or_default().to_owned();
                let problem = Problem::NotAMatrix { why, fix };
                notices[key as usize] = Some(Notice { key: key.link().to_owned(), given, problem });
                matrix
            });
        }
        (Self::new(matrices).unwrap_or_else(|| self.clone()), notices)
    }

    fn matrices(&self) -> [Matrix; 4] {
        MatrixKey::ALL.map(|key| self.get(key).clone())
    }
}

/// The matrix used where a link leaves one out.
struct Instead {
    matrix: Matrix,
    words: &'static str,
}

impl Instead {
    /// The replacement for `key` in `family`, given the matrices before it.
    fn of<'a>(key: MatrixKey, family: &Systems, earlier: impl Fn(MatrixKey) -> &'a Matrix) -> Self {
        let stays = family.get(key).clone();
        let (fits, matrix, words) = match key {
            MatrixKey::A => (true, stays.clone(), ""),
            MatrixKey::B => {
                let n = earlier(MatrixKey::A).nrows();
                (stays.nrows() == n, Matrix::identity(n, n.min(MOST_INPUTS)), say!("an identity matrix"))
            }
            MatrixKey::V => (stays.shape() == earlier(MatrixKey::A).shape(), earlier(MatrixKey::A).clone(), "A"),
            MatrixKey::U => (stays.shape() == earlier(MatrixKey::B).shape(), earlier(MatrixKey::B).clone(), "B"),
        };
        let is_paper = stays == *Systems::default().get(key);
        match (fits, is_paper) {
            (true, true) => Self { matrix: stays, words: say!("the paper’s") },
            (true, false) => Self { matrix: stays, words: say!("the one before") },
            (false, _) => Self { matrix, words },
        }
    }
}

/// Rows end at semicolons, entries at commas: "0.6,0.5;0,0.4". No character in it needs percent-encoding.
pub fn text_of(matrix: &Matrix) -> String {
    let row = |row: usize| matrix.row(row).iter().map(|&entry| words(entry)).collect::<Vec<_>>().join(",");
    (0..matrix.nrows()).map(row).collect::<Vec<_>>().join(";")
}

fn parsed(text: &str) -> Result<Matrix, String> {
    matrix_text::matrix(text).map_err(|error| error.to_string())
}

/// Reads a matrix from a text and checks its shape; only the number of columns of B is free.
fn read(key: MatrixKey, text: &str, needed: Option<(usize, usize)>) -> Result<Matrix, String> {
    let matrix = parsed(text)?;
    check(key, &matrix)?;
    let (rows, cols) = matrix.shape();
    let fits = needed.is_none_or(|needed| rows == needed.0 && (cols == needed.1 || key == MatrixKey::B));
    if fits { Ok(matrix) } else { Err(say!("it is {rows}×{cols}")) }
}

/// Checks the size, the shape and the entries of a single matrix.
fn check(key: MatrixKey, matrix: &Matrix) -> Result<(), String> {
    let (rows, cols) = matrix.shape();
    let is_allowed = match key {
        MatrixKey::A | MatrixKey::V => rows == cols,
        MatrixKey::B | MatrixKey::U => cols <= MOST_INPUTS,
    };
    if !is_allowed || rows > MOST_STATES {
        return Err(say!("it is {rows}×{cols}"));
    }
    let places = (0..rows).flat_map(|row| (0..cols).map(move |col| (row, col)));
    match places.into_iter().find(|&place| matrix[place].abs() > MOST_ENTRY || matrix[place].is_nan()) {
        Some((row, col)) => Err(say!(
            "row {}, column {}: {} is not within −{} to {}",
            row + 1,
            col + 1,
            words(matrix[(row, col)]),
            words(MOST_ENTRY),
            words(MOST_ENTRY),
        )),
        None => Ok(()),
    }
}

/// The allowed shapes in words, for `rows` states and `cols` columns.
fn allowed(key: MatrixKey, rows: usize, cols: usize) -> String {
    match key {
        MatrixKey::A => say!("1×1 to {MOST_STATES}×{MOST_STATES}"),
        MatrixKey::B => say!("{rows}×1 to {rows}×{MOST_INPUTS}"),
        MatrixKey::V | MatrixKey::U => format!("{rows}×{cols}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [Option<&str>; 4] = [None; 4];

    /// Checks the four matrices read from texts, and the notices about them.
    #[track_caller]
    fn read_all(texts: [Option<&str>; 4], expected: [&str; 4], said: &[&str]) {
        let (systems, notices) = Systems::default().with_texts(texts);
        assert_eq!(MatrixKey::ALL.map(|key| text_of(systems.get(key))), expected);
        assert_eq!(notices.iter().flatten().map(Notice::to_string).collect::<Vec<_>>(), said);
    }

    const PAPER: [&str; 4] =
        ["0.6,0.5,0.4;0,0.4,0.3;0,0,0.3", "1,0.5;0.5,1;0.5,0.5", "0,0,0;0,1,0;0,0,1", "1,0;0,0;0,1"];

    #[test]
    fn what_is_left_out_fits_what_is_given() {
        read_all(NONE, PAPER, &[]);
        read_all(
            [Some("1,0,0;0,1,0;0,0,1"), None, None, None],
            ["1,0,0;0,1,0;0,0,1", PAPER[1], PAPER[2], PAPER[3]],
            &[],
        );
        read_all([Some("0.5"), None, None, None], ["0.5", "1", "0.5", "1"], &[]);
        read_all([None, Some("1;2;3"), None, None], [PAPER[0], "1;2;3", PAPER[2], "1;2;3"], &[]);
        read_all([Some("1,2;3,4"), Some("5;6"), None, None], ["1,2;3,4", "5;6", "1,2;3,4", "5;6"], &[]);
        let five = text_of(&Matrix::identity(5, 5));
        let four = text_of(&Matrix::identity(5, 4));
        read_all([Some(&five), None, None, None], [&five, &four, &five, &four], &[]);
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_rest_still_counts() {
        read_all(
            [Some("1,2;3"), Some("1;2"), None, None],
            PAPER,
            &[
                "A = 1,2;3 cannot be used: row 2 has 1 entry and row 1 has 2; allowed 1×1 to 6×6, using the paper’s",
                "B = 1;2 cannot be used: it is 2×1; allowed 3×1 to 3×4, using the paper’s",
            ],
        );
        read_all(
            [Some("1,2;3,4"), Some("1,2,3,4,5;6,7,8,9,0"), Some("1"), Some("x")],
            ["1,2;3,4", "1,0;0,1", "1,2;3,4", "1,0;0,1"],
            &[
                "B = 1,2,3,4,5;6,7,8,9,0 cannot be used: it is 2×5; allowed 2×1 to 2×4, using an identity matrix",
                "V = 1 cannot be used: it is 1×1; allowed 2×2, using A",
                "U = x cannot be used: row 1, column 1: “x” is not a number; allowed 2×2, using B",
            ],
        );
        read_all(
            [Some("1e7"), None, None, Some("")],
            PAPER,
            &[
                "A = 1e7 cannot be used: row 1, column 1: 10000000 is not within −1000000 to 1000000; allowed 1×1 to 6×6, using \
                 the paper’s",
                "U without a value cannot be used: there is no number in it; allowed 3×2, using the paper’s",
            ],
        );
    }

    #[test]
    fn pairs_hold_what_differs() {
        #[track_caller]
        fn check(texts: [Option<&str>; 4], expected: &[(&str, &str)]) {
            let paper = Systems::default();
            let pairs: Vec<_> = paper.with_texts(texts).0.pairs_beside(&paper).collect();
            assert_eq!(pairs.iter().map(|(key, text)| (*key, text.as_str())).collect::<Vec<_>>(), expected);
        }
        check(NONE, &[]);
        check(PAPER.map(Some), &[]);
        check(
            [Some("[-0 2; 3 4]"), Some("eye"), Some("0,2;3,4"), Some("[0 0; 0 1]")],
            &[("A", "0,2;3,4"), ("U", "0,0;0,1")],
        );
        check([None, Some("1;2;3"), None, Some("1;2;4")], &[("B", "1;2;3"), ("U", "1;2;4")]);
    }

    #[test]
    fn pairs_beside_another_family_lead_from_it() {
        let family = |texts| Systems::default().with_texts(texts).0;
        let families = [
            family(NONE),
            family([Some("1,2;3,4"), None, None, None]),
            family([Some("1,2;3,4"), Some("5;6"), Some("0,0;1,0"), Some("0;0")]),
            family([None, Some("1;2;3"), None, None]),
        ];
        for (from, to) in families.iter().flat_map(|from| families.iter().map(move |to| (from, to))) {
            let pairs: Vec<_> = to.pairs_beside(from).collect();
            let text =
                |key: MatrixKey| pairs.iter().find(|(link, _)| *link == key.link()).map(|(_, text)| text.as_str());
            assert_eq!(from.with_texts(MatrixKey::ALL.map(text)), (to.clone(), [None, None, None, None]), "{pairs:?}");
        }
        let (_, notices) = families[2].with_texts([None, Some("x"), None, None]);
        let said = notices[1].as_ref().map(Notice::to_string);
        let expected =
            "B = x cannot be used: row 1, column 1: “x” is not a number; allowed 2×1 to 2×4, using the one before";
        assert_eq!(said.as_deref(), Some(expected));
    }

    #[test]
    fn other_sizes_keep_what_fits() {
        let mut systems = Systems::default();
        systems.set_text(MatrixKey::A, "[1 2; 3 4]").unwrap();
        assert_eq!(
            MatrixKey::ALL.map(|key| text_of(systems.get(key))),
            ["1,2;3,4", "1,0.5;0.5,1", "0,0;0,1", "1,0;0,0"]
        );
        systems.set_text(MatrixKey::U, "7;8;9").unwrap();
        let expected = ["1,2,0;3,4,0;0,0,0", "1;0.5;0", "0,0,0;0,1,0;0,0,0", "7;8;9"];
        assert_eq!(MatrixKey::ALL.map(|key| text_of(systems.get(key))), expected);
        let before = systems.clone();
        assert_eq!(systems.set_text(MatrixKey::V, "1,2"), Err("it is 1×2".to_owned()));
        assert_eq!(systems, before);
        let most = systems.resized(Dims { n_states: 99, n_inputs: 99 }).dims();
        assert_eq!(most, Dims { n_states: MOST_STATES, n_inputs: MOST_INPUTS });
        assert_eq!(systems.resized(Dims { n_states: 0, n_inputs: 0 }).dims(), Dims { n_states: 1, n_inputs: 1 });
    }

    #[test]
    fn a_vector_is_the_column_of_one_input() {
        #[track_caller]
        fn check(key: MatrixKey, text: &str, expected: Result<bool, &str>, then: &str) {
            let mut systems = Systems::default();
            assert_eq!(systems.set_text(key, text), expected.map_err(str::to_owned));
            assert_eq!(text_of(systems.get(key)), then);
        }
        check(MatrixKey::B, "np.array([1, 0.5, 0.25])", Ok(true), "1;0.5;0.25");
        check(MatrixKey::U, "[1.0, 0.5, 0.25]", Ok(true), "1;0.5;0.25");
        check(MatrixKey::B, "[1 0.5 0.25]'", Ok(false), "1;0.5;0.25");
        // Two entries are no column of three states.
        check(MatrixKey::B, "[1 0.5]", Ok(false), "1,0.5");
        check(MatrixKey::A, "[1 0.5 0.25]", Err("it is 1×3"), PAPER[0]);
        // So many inputs would be too many.
        let mut five = Systems::default().resized(Dims { n_states: 5, n_inputs: 2 });
        assert_eq!(five.set_text(MatrixKey::B, "1,2,3,4,5"), Ok(true));
        assert_eq!(five.dims(), Dims { n_states: 5, n_inputs: 1 });
    }

    #[test]
    fn no_family_is_beyond_limits() {
        #[track_caller]
        fn check(n: usize, p: usize, change: impl Fn(&mut [Matrix; 4]), is_allowed: bool) {
            let mut matrices = [n, p, n, p].map(|cols| Matrix::from_element(n, cols, MOST_ENTRY));
            change(&mut matrices);
            assert_eq!(Systems::new(matrices).is_some(), is_allowed);
        }
        check(MOST_STATES, MOST_INPUTS, |_| (), true);
        check(MOST_STATES + 1, MOST_INPUTS, |_| (), false);
        check(MOST_STATES, MOST_INPUTS + 1, |_| (), false);
        for which in 0..4 {
            for entry in [1.001 * MOST_ENTRY, -f64::INFINITY, f64::NAN] {
                check(2, 1, |matrices| matrices[which][(1, 0)] = entry, false);
            }
            check(2, 1, |matrices| matrices[which] = Matrix::zeros(3, 1), false);
        }
    }

    #[test]
    fn entries_stay_within_limits() {
        let mut systems = Systems::default();
        let mut set = |place, value| systems.set_entry(MatrixKey::B, place, value).to_string();
        assert_eq!(set((2, 1), 0.25), "0.25");
        assert_eq!(set((2, 1), f64::NAN), "0.25");
        assert_eq!(set((0, 0), f64::NEG_INFINITY), "-1000000");
        assert_eq!(set((0, 1), -0.0), "-0");
        set((3, 0), 5.0);
        assert_eq!(text_of(systems.get(MatrixKey::B)), "-1000000,0;0.5,1;0.5,0.25");
    }
}
