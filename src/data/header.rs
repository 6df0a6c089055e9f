//! The first line of a file: the meaning of the columns.

use crate::Dims;
use crate::decimal;
use crate::fields::Fields;
use crate::refusal::{Fault, Refusal};
use fedsysid_say::say;
use fedsysid_sim::sort::sort_few;

/// The largest number of states, and of inputs.
pub const MOST_COLUMNS: usize = 40;

/// Names of the column of clients, which `id` may follow. In these and all other names, upper and lower case, blanks,
/// `_`, `-`, `.`, brackets, a unit in brackets at the end and a leading `%` make no difference.
pub const CLIENT: [&str; 10] =
    ["client", "site", "system", "plant", "agent", "unit", "device", "robot", "machine", "i"];
/// Names of the column of rollouts, which `id` may follow.
pub const ROLLOUT: [&str; 8] = ["rollout", "trajectory", "traj", "episode", "run", "trial", "experiment", "l"];
/// Names of the column of time.
pub const TIME: [&str; 7] = ["t", "time", "step", "timestep", "k", "sample", "timestamp"];
/// Those of the names above that other things have too: they give way to every other name.
const WEAK: [&str; 3] = ["i", "l", "timestamp"];
/// Beginnings of the names of states, before their number.
pub const STATE: [&str; 3] = ["x", "state", "y"];
/// Beginnings of the names of inputs, before their number.
pub const INPUT: [&str; 3] = ["u", "input", "action"];

/// The meaning of the columns. Columns are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The column of clients; without it, all rows belong to one client.
    pub client: Option<usize>,
    /// The column of rollouts; without it, each client has one rollout.
    pub rollout: Option<usize>,
    /// The column of time; without it, every row is one step after the row before in its rollout.
    pub time: Option<usize>,
    /// The columns of x1…xn, then those of u1…up.
    pub values: Vec<usize>,
    /// The numbers of states n and of inputs p.
    pub dims: Dims,
    /// The names of all columns, as in the file.
    pub names: Vec<String>,
    /// The columns that are not used.
    pub unused: Vec<usize>,
}

/// The meaning of a column's name.
enum Meaning {
    Client,
    Rollout,
    Time,
    State(usize),
    Input(usize),
    Other,
}

impl Header {
    /// Reads the header from the fields of the first line, which has the number `line`.
    ///
    /// # Errors
    /// If the fields are not separated or begin with a number, there are no states, a column occurs twice, a number is
    /// left out, or there are too many columns.
    pub fn read(fields: &Fields, line: u64) -> Result<Self, Refusal> {
        let names: Vec<_> = (0..fields.len()).map(|index| text(fields.get(index))).collect();
        // A single column can be the series of one state. Otherwise a single field means that the separator was not
        // found.
        if let [only] = &names[..]
            && !matches!(meaning(only), Meaning::State(_))
        {
            let is_blanks = only.split_once(' ').is_some_and(|(first, _)| is_number(first));
            let fault = if is_blanks { Fault::Blanks } else { Fault::OneColumn(only.clone()) };
            return Err(fault.at(line));
        }
        if let Some(number) = names.first().filter(|name| is_number(name)) {
            return Err(Fault::NoHeader(number.clone()).at(line));
        }
        let mut header = Self {
            client: None,
            rollout: None,
            time: None,
            values: Vec::new(),
            dims: Dims { n_states: 0, n_inputs: 0 },
            names: Vec::new(),
            unused: Vec::new(),
        };
        let (mut states, mut inputs) = (Vec::new(), Vec::new());
        let twice = |one: usize, other: usize| Fault::Twice(names[one].clone(), names[other].clone()).at(line);
        for (column, name) in names.iter().enumerate() {
            let place = match meaning(name) {
                Meaning::Client => &mut header.client,
                Meaning::Rollout => &mut header.rollout,
                Meaning::Time => &mut header.time,
                Meaning::State(number) => {
                    states.push((number, column));
                    continue;
                }
                Meaning::Input(number) => {
                    inputs.push((number, column));
                    continue;
                }
                Meaning::Other => {
                    header.unused.push(column);
                    continue;
                }
            };
            let is_weak = |column: usize| WEAK.contains(&&*plain(&names[column]));
            match *place {
                Some(_) if is_weak(column) => header.unused.push(column),
                Some(before) if !is_weak(before) => return Err(twice(before, column)),
                before => {
                    header.unused.extend(before);
                    *place = Some(column);
                }
            }
        }
        if states.is_empty() {
            return Err(Fault::NoStates(names.join(", ")).at(line));
        }
        header.dims = Dims { n_states: states.len(), n_inputs: inputs.len() };
        for (numbered, letter, what) in [(&mut states, 'x', say!("states")), (&mut inputs, 'u', say!("inputs"))] {
            header.values.extend(in_order(numbered, letter, what, twice).map_err(|error| error.at_line(line))?);
        }
        header.names = names;
        Ok(header)
    }

    /// Keeps columns i and l as those of clients and rollouts only if a row has a word or a whole number there: what is
    /// measured, such as a current i, names nobody.
    pub fn drop_measured(&mut self, row: &Fields) {
        for place in [&mut self.client, &mut self.rollout] {
            if let Some(column) = place.filter(|column| is_measured(&self.names[*column], row.get(*column))) {
                *place = None;
                self.unused.push(column);
            }
        }
    }

    /// The columns of clients, rollouts and time, in words.
    pub fn in_words(&self) -> String {
        let name = |column: Option<usize>| column.and_then(|column| self.names.get(column));
        let or = |named: Option<String>, without: &str| named.unwrap_or_else(|| without.to_owned());
        [
            or(
                name(self.client).map(|name| say!("client: {name}")),
                say!("no column of clients: all rows are one client"),
            ),
            or(
                name(self.rollout).map(|name| say!("rollout: {name}")),
                say!("no column of rollouts: each client has one"),
            ),
            or(name(self.time).map(|name| say!("time: {name}")), say!("no column of time: each row is one step")),
        ]
        .join("; ")
    }

    /// The name of a regressor in this file; regressors are counted from 0, states before inputs.
    pub fn value_name(&self, regressor: usize) -> &str {
        self.values.get(regressor).and_then(|&column| self.names.get(column)).map_or("", String::as_str)
    }
}

impl Refusal {
    fn at_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252; the bytes above are in Unicode's order.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Bytes as text: in UTF-8, or else in Windows-1252, which has one character for each byte, so that different names
/// stay different.
pub fn text(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        0x80..=0x9f => WINDOWS.chars().nth(usize::from(byte - 0x80)).unwrap_or_default(),
        _ => char::from(*byte),
    };
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(one).collect(), str::to_owned)
}

/// Whether a field of a column i or l holds a measured value: a number with a decimal mark, or none.
pub fn is_measured(name: &str, field: &[u8]) -> bool {
    let is_fraction = || is_number(&text(field)) && field.iter().any(|byte| matches!(byte, b'.' | b','));
    (decimal::is_missing(field) || is_fraction()) && matches!(&*plain(name), "i" | "l")
}

/// Whether two columns of files have the same name and the same unit, however they are written.
pub fn is_alike(one: &str, other: &str) -> bool {
    let unit = |name: &str| {
        name.rsplit_once(['(', '[', '{']).map(|(_, unit)| unit.trim_end_matches([')', ']', '}']).to_owned())
    };
    plain(one) == plain(other) && unit(one) == unit(other)
}

fn is_number(name: &str) -> bool {
    let digits = name.trim_start_matches(['-', '+', '.']);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && !name.contains(|c: char| (c.is_ascii_alphabetic() || !c.is_ascii()) && c != 'e' && c != 'E')
}

/// A name for comparison: in lower case, without blanks, `_`, `-`, `.` and brackets, without a unit at the end, as in
/// `time [s]`, and without the `%` with which some files begin. In `x[1]`, the number is no unit.
fn plain(name: &str) -> String {
    let name = name.trim_start_matches('%');
    let name = match name.rsplit_once(['(', '[', '{']) {
        Some((before, unit)) if !before.is_empty() && !unit.starts_with(|c: char| c.is_ascii_digit()) => before,
        _ => name,
    };
    let kept = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '[' | ']' | '(' | ')' | '{' | '}' | '.'));
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

fn meaning(name: &str) -> Meaning {
    let name = plain(name);
    let without_id = name.strip_suffix("id").unwrap_or(&name);
    if CLIENT.contains(&without_id) {
        return Meaning::Client;
    }
    if ROLLOUT.contains(&without_id) {
        return Meaning::Rollout;
    }
    if TIME.contains(&name.as_str()) {
        return Meaning::Time;
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    // A name without a number, such as x or u, has number 1.
    let number = match &name[letters.len()..] {
        "" => Some(1),
        digits if digits.len() <= 4 => Some(digits.bytes().fold(0, |sum, digit| 10 * sum + usize::from(digit - b'0'))),
        _ => None,
    };
    match number {
        Some(number) if STATE.contains(&letters) => Meaning::State(number),
        Some(number) if INPUT.contains(&letters) => Meaning::Input(number),
        _ => Meaning::Other,
    }
}

/// The columns in the order of their numbers, which must ascend in steps of one from 0 or 1.
fn in_order(
    numbered: &mut [(usize, usize)],
    letter: char,
    what: &'static str,
    twice: impl Fn(usize, usize) -> Refusal,
) -> Result<Vec<usize>, Refusal> {
    if numbered.len() > MOST_COLUMNS {
        return Err(Fault::TooManyColumns(what, MOST_COLUMNS).anywhere());
    }
    sort_few(numbered, Ord::cmp);
    let first = usize::from(numbered.first().is_none_or(|(number, _)| *number > 0));
    for (place, &(number, column)) in numbered.iter().enumerate() {
        if let Some(&(before, other)) = place.checked_sub(1).and_then(|before| numbered.get(before))
            && before == number
        {
            return Err(twice(other, column));
        }
        if number != first + place {
            let missing = format!("{letter}{}", first + place);
            return Err(Fault::Missing(missing, format!("{letter}{number}")).anywhere());
        }
    }
    Ok(numbered.iter().map(|(_, column)| *column).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Header, String> {
        let mut fields = Fields::default();
        assert!(fields.split(line.as_bytes(), b','));
        Header::read(&fields, 1).map_err(|refusal| refusal.to_string())
    }

    /// (client, rollout, time, values, number of states)
    type Columns = (Option<usize>, Option<usize>, Option<usize>, Vec<usize>, usize);

    #[track_caller]
    fn check(line: &str, expected: &Columns) {
        let header = read(line).unwrap();
        let got = (header.client, header.rollout, header.time, header.values, header.dims.n_states);
        assert_eq!(&got, expected, "{line}");
    }

    #[test]
    fn columns_are_known_by_many_names_and_in_any_order() {
        check("client,rollout,t,x1,x2,u1", &(Some(0), Some(1), Some(2), vec![3, 4, 5], 2));
        check("u1,x2,X1,Time,Trajectory,Site", &(Some(5), Some(4), Some(3), vec![2, 1, 0], 2));
        check("client_id,episode,k,x_1,x[2],x(3),u_1,U 2", &(Some(0), Some(1), Some(2), vec![3, 4, 5, 6, 7], 3));
        check("t,x0,x1,u0", &(None, None, Some(0), vec![1, 2, 3], 2));
        check("x,u", &(None, None, None, vec![0, 1], 1));
        check("state1,state2,input1", &(None, None, None, vec![0, 1, 2], 2));
        check("x1,x2", &(None, None, None, vec![0, 1], 2));
        check("time [s],x[1] (m),X2 (m/s),u1 [N]", &(None, None, Some(0), vec![1, 2, 3], 2));
        check("t (s),x1(t),x2(t),u(t)", &(None, None, Some(0), vec![1, 2, 3], 2));
        check("x10,x9,x8,x7,x6,x5,x4,x3,x2,x1", &(None, None, None, (0..10).rev().collect(), 10));
    }

    #[test]
    fn other_columns_are_named_and_not_used() {
        let header = read(",x1,u1,weather,xylophone").unwrap();
        assert_eq!(header.unused, [0, 3, 4]);
        assert_eq!((header.value_name(0), header.value_name(1)), ("x1", "u1"));
    }

    #[test]
    fn names_that_other_things_have_too_give_way() {
        check("site_id,episode_id,timestamp,x1", &(Some(0), Some(1), Some(2), vec![3], 1));
        check("robot,Run ID,%time,x1", &(Some(0), Some(1), Some(2), vec![3], 1));
        check("i,l,k,x1", &(Some(0), Some(1), Some(2), vec![3], 1));
        check("i,machine,timestamp,t,x1", &(Some(1), None, Some(3), vec![4], 1));
        check("t,timestamp,agent,i,x1", &(Some(2), None, Some(0), vec![4], 1));
        assert_eq!(read("i,machine,timestamp,t,x1").unwrap().unused, [0, 2]);
    }

    /// A column i may be a current: it is one if its values are not those of a name.
    #[test]
    fn what_is_measured_is_no_name() {
        for (value, is_name) in
            [("1", true), ("A", true), ("A.1", true), ("0.0", false), ("-1.5e-3", false), ("", false)]
        {
            for (line, column) in [("i,x1", 0), ("x1,l", 1)] {
                let (mut header, mut row) = (read(line).unwrap(), Fields::default());
                assert!(row.split([["7", value], [value, "7"]][1 - column].join(",").as_bytes(), b','));
                header.drop_measured(&row);
                assert_eq!(header.client.or(header.rollout).is_some(), is_name, "{line} {value}");
                assert_eq!(header.unused.is_empty(), is_name, "{line} {value}");
            }
        }
    }

    #[test]
    fn the_columns_that_were_taken_are_told() {
        let words = |line: &str| read(line).unwrap().in_words();
        assert_eq!(words("site,Run,t [s],x1"), "client: site; rollout: Run; time: t [s]");
        assert_eq!(
            words("x1"),
            "no column of clients: all rows are one client; no column of rollouts: each client has one; \
             no column of time: each row is one step"
        );
    }

    #[test]
    fn names_are_alike_if_their_units_are() {
        for (one, other, alike) in [
            ("x1 [m]", "X_1 (m)", true),
            ("x1", "x1", true),
            ("x1 [m]", "x1 [mm]", false),
            ("x1 [m]", "x1", false),
            ("x1", "state1", false),
        ] {
            assert_eq!(is_alike(one, other), alike, "{one} {other}");
        }
    }

    #[track_caller]
    fn refused(line: &str, words: &str) {
        assert_eq!(read(line).unwrap_err(), words);
    }

    #[test]
    fn what_cannot_be_a_header_is_refused() {
        refused("x1,x1,u1", "line 1: the columns “x1” and “x1” mean the same: rename one of them");
        refused("x1,x_1,u1", "line 1: the columns “x1” and “x_1” mean the same: rename one of them");
        refused("t,time,x1", "line 1: the columns “t” and “time” mean the same: rename one of them");
        refused("site,plant,x1,u1", "line 1: the columns “site” and “plant” mean the same: rename one of them");
        refused("x1,x3,u1", "line 1: there is a column x3 and none x2");
        refused("x2,x3", "line 1: there is a column x2 and none x1");
        refused("x1,u0,u2", "line 1: there is a column u2 and none u1");
        let many: Vec<_> = (1..=41).map(|number| format!("x{number}")).collect();
        refused(&many.join(","), "line 1: there are more than 40 states");
    }
}
