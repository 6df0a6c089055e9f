//! Faults of a file, as sentences with line numbers.

use fedsysid_say::say;
use std::fmt;

/// The reason why a file is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The line with the fault, from 1, if the fault is in one line.
    pub line: Option<u64>,
    /// The fault.
    pub fault: Fault,
}

/// A fault of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The file is empty.
    Empty,
    /// The file is not text: what it seems to be, and what to do, in words.
    NoText(&'static str),
    /// A line has more bytes than this.
    LineTooLong(usize),
    /// The header is a single field, with this text.
    OneColumn(String),
    /// A line of numbers in the place of the header is not separated but by blanks.
    Blanks,
    /// The first line is not a header, but begins with this number.
    NoHeader(String),
    /// No column is a state; the columns have these names.
    NoStates(String),
    /// Two columns mean the same; with their names.
    Twice(String, String),
    /// A number is left out among the states or inputs: the missing name, and the next existing one.
    Missing(String, String),
    /// There are more columns of a kind (in words) than this number.
    TooManyColumns(&'static str, usize),
    /// There is a header and no row.
    NoRows,
    /// No row is followed by the next one in time; with the columns of clients, rollouts and time in words, if there
    /// are rows.
    NoSamples(String),
    /// A row does not have as many fields as the header.
    Fields {
        /// Number of fields of the row.
        have: usize,
        /// Number of fields of the header.
        need: usize,
        /// Whether the fields are separated by commas, so that decimal commas may be the cause.
        by_comma: bool,
    },
    /// The last line ends before its last field.
    CutShort {
        /// Number of fields of the row.
        have: usize,
        /// Number of fields of the header.
        need: usize,
    },
    /// A quote is not closed on its line.
    OpenQuote,
    /// A field is not a number: the name of its column, and its text.
    NotANumber(String, String),
    /// A time is not a number: the name of its column, and its text.
    NotATime(String, String),
    /// A field has thousands separators, or two decimal marks: the name of its column, and its text.
    TwoMarks(String, String),
    /// A field has another decimal mark than fields before: the name of its column, and its text.
    OtherMark(String, String),
    /// A field is infinite or too large: the name of its column, and its text.
    NotFinite(String, String),
    /// A row has no time: the name of the column.
    NoTime(String),
    /// A row has an empty name of a client or rollout: the name of the column.
    NoName(String),
    /// A row has a number with a decimal mark, or none, where others have the name of a client or rollout: the name of
    /// the column, and its text.
    Measured(String, String),
    /// The time of a rollout does not advance by a step.
    Time {
        /// The time of the row.
        now: f64,
        /// The time of the previous row of the same rollout, and its line.
        before: (f64, u64),
        /// The rollout, in words.
        of: String,
        /// The length of a step in this file.
        step: f64,
        /// Whether a column numbers the rollouts.
        is_numbered: bool,
    },
    /// There are more clients than this.
    TooManyClients(usize),
    /// There are more rollouts than this.
    TooManyRollouts(usize),
    /// The sums of all clients have more than this many numbers.
    TooMuch(usize),
    /// A moments file has another version, with this name.
    Version(String),
    /// A line of a moments file has another content than expected: the expected content, and the line's.
    Expected(String, String),
    /// A moments file ends too early; this content is missing.
    Ended(String),
    /// No data can have these moments; with the part and the client, in words.
    NoMoments(String),
    /// The numbers of states and inputs (n, p) of a file differ from those of the files before it, which are the second
    /// pair.
    OtherSizes((usize, usize), (usize, usize)),
}

impl Fault {
    /// This fault at a line, counted from 1.
    pub fn at(self, line: u64) -> Refusal {
        Refusal { line: Some(line), fault: self }
    }

    /// This fault of the whole file, without a line.
    pub fn anywhere(self) -> Refusal {
        Refusal { line: None, fault: self }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            f.write_str(&say!("line {line}: "))?;
        }
        self.fault.fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(say!("the file is empty")),
            Self::NoText(what) => f.write_str(what),
            Self::LineTooLong(most) => {
                f.write_str(&say!("the line is longer than {most} bytes: this is not a table of text"))
            }
            Self::OneColumn(name) => f.write_str(&say!(
                "the header is one field, “{name}”: fields are separated by commas, semicolons or tabs"
            )),
            Self::Blanks => f.write_str(say!(
                "these numbers are separated by blanks: separate fields by commas, semicolons or tabs (numpy.savetxt: delimiter=\",\")"
            )),
            Self::NoHeader(text) => f.write_str(&say!(
                "this should be the header, such as client,rollout,t,x1,x2,u1; it begins with the number {text}"
            )),
            Self::NoStates(names) => {
                f.write_str(&say!("no column is a state: states are called x1, x2, …; the columns here are {names}"))
            }
            Self::Twice(one, other) => {
                f.write_str(&say!("the columns “{one}” and “{other}” mean the same: rename one of them"))
            }
            Self::Missing(missing, next) => f.write_str(&say!("there is a column {next} and none {missing}")),
            Self::TooManyColumns(what, most) => f.write_str(&say!("there are more than {most} {what}")),
            Self::NoRows => f.write_str(say!("there is no row beneath the header")),
            Self::NoSamples(columns) => {
                f.write_str(say!(
                    "no row is followed by the next one in time of the same client and rollout, complete: \
                     there is nothing to learn from"
                ))?;
                if columns.is_empty() { Ok(()) } else { write!(f, " ({columns})") }
            }
            Self::Fields { have, need, by_comma } => {
                f.write_str(&say!("{have} fields, where the header has {need}"))?;
                if *have == need + 1 {
                    f.write_str(say!("; names of rows need a heading too (in R: row.names = FALSE)"))?;
                }
                if *by_comma && have > need {
                    f.write_str(say!("; with decimal commas, separate the fields by semicolons"))?;
                }
                Ok(())
            }
            Self::CutShort { have, need } => {
                f.write_str(&say!("the file ends within this line, after {have} of {need} fields: it was cut short"))
            }
            Self::OpenQuote => f.write_str(say!("a quote is opened here and not closed")),
            _ => self.fmt_of_values(f),
        }
    }
}

/// A positive difference of decimals, which rounding has made long, to six digits.
fn short(value: f64) -> f64 {
    let mut unit = 1.0;
    while value * unit < 1e5 {
        unit *= 10.0;
    }
    let rounded = (value * unit).round() / unit;
    if rounded.is_finite() { rounded } else { value }
}

impl Fault {
    fn fmt_of_values(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber(column, text) => {
                f.write_str(&say!("{column} is “{text}”: a number was expected, or nothing where it is missing"))
            }
            Self::NotATime(column, text) => {
                f.write_str(&say!("{column} is “{text}”: times are plain numbers, such as seconds"))
            }
            Self::TwoMarks(column, text) => {
                f.write_str(&say!("{column} is “{text}”: numbers have one decimal mark and no thousands separators"))
            }
            Self::OtherMark(column, text) => f.write_str(&say!("{column} is “{text}”, with another decimal mark than the numbers before it: a file uses points or commas")),
            Self::NotFinite(column, text) => f.write_str(&say!("{column} is “{text}”: numbers must be finite")),
            Self::NoTime(column) => f.write_str(&say!("{column} is missing: a row needs its time")),
            Self::NoName(column) => f.write_str(&say!("{column} is missing: it says whose row this is")),
            Self::Measured(column, text) => f.write_str(&say!(
                "{column} is “{text}”: the rows before have names of clients or rollouts there; if it is measured, rename the column"
            )),
            Self::Time { now, before: (before, line), of, step, is_numbered } => {
                f.write_str(&say!("{of} goes from t = {before} (line {line}) to t = {now}: "))?;
                let steps = (now - before) / step;
                if steps < 0.0 {
                    f.write_str(say!("rows of a rollout must be in the order of time"))?;
                    let hint = say!("; if a new rollout begins here, number them in a column rollout");
                    if *is_numbered { Ok(()) } else { f.write_str(hint) }
                } else if steps > 0.0 {
                    let step = short(*step);
                    f.write_str(&say!(
                        "one step is {step} in this file; without a column of time, every row is one step"
                    ))
                } else {
                    f.write_str(say!("a rollout has one row a time"))
                }
            }
            Self::TooManyClients(most) => f.write_str(&say!("there are more than {most} clients")),
            Self::TooManyRollouts(most) => f.write_str(&say!("there are more than {most} rollouts")),
            Self::TooMuch(most) => {
                f.write_str(&say!("so many clients with so many columns need more than {most} numbers to be kept"))
            }
            _ => self.fmt_of_moments(f),
        }
    }

    fn fmt_of_moments(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(found) => f.write_str(&say!("moments files of version 2 are read, this one says “{found}”")),
            Self::Expected(what, found) => f.write_str(&say!("“{what}” was expected, “{found}” was found")),
            Self::Ended(what) => f.write_str(&say!("the file ends where “{what}” was expected")),
            Self::NoMoments(of) => f.write_str(&say!("the numbers of {of} are the moments of no data")),
            Self::OtherSizes((n, p), (first_n, first_p)) => f.write_str(&say!(
                "this file has n = {n} and p = {p}, but those before it have n = {first_n} and p = {first_p}"
            )),
            // The other faults are handled above.
            _ => Ok(()),
        }
    }
}
