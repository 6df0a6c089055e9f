//! Reads clients' data from the bytes of a CSV file, in pieces of any size. Of the file, only a few rows and sums are
//! kept.

use crate::decimal::{self, NotANumber, Slow};
use crate::fields::{DELIMITERS, Fields};
use crate::header::{Header, is_measured, text};
use crate::lines::Lines;
use crate::refusal::{Fault, Refusal};
use crate::rollouts::{Collected, Collector, Noted, Row, Tally};
use crate::sites::Sites;
use fedsysid_say::say;

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The clients' data.
    pub sites: Sites,
    /// Counts of the rows read, and of those ignored.
    pub tally: Tally,
    /// The header; `None` for a moments file.
    pub header: Option<Header>,
    /// Columns that never change: their index among the regressors z = [x; u], and their value.
    pub constants: Vec<(usize, f64)>,
    /// The length of a step, in the unit of the file's times; `None` if it has none.
    pub step: Option<f64>,
}

/// Reads a file as its bytes arrive.
#[derive(Debug)]
pub struct Reader {
    lines: Lines,
    table: Table,
}

/// Reads a table, line by line.
#[derive(Debug)]
struct Table {
    slow: Slow,
    /// Whether the first line has been read; it may begin with a byte order mark.
    is_begun: bool,
    delimiter: Option<u8>,
    fields: Fields,
    /// The last remark before the header, without its mark: `numpy.savetxt` writes the header as a remark.
    remark: Vec<u8>,
    header: Option<Header>,
    /// The decimal mark, once one has occurred.
    mark: Option<u8>,
    /// Lines that are not UTF-8.
    foreign: Noted,
    /// Values of the current row.
    values: Vec<f64>,
    /// Collects the rows, once there is a header.
    collector: Option<Collector>,
}

impl Reader {
    /// Starts a file. `slow` parses numbers as in [`decimal::parse`].
    pub fn new(slow: Slow) -> Self {
        let table = Table {
            slow,
            is_begun: false,
            delimiter: None,
            fields: Fields::default(),
            remark: Vec::new(),
            header: None,
            mark: None,
            foreign: Noted::default(),
            values: Vec::new(),
            collector: None,
        };
        Self { lines: Lines::default(), table }
    }

    /// Reads the next bytes of the file, any number of them.
    ///
    /// # Errors
    /// If there is a fault in these bytes. Nothing may be pushed afterwards.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let table = &mut self.table;
        self.lines.push(bytes, |line, text| table.line(line, text))
    }

    /// Ends the file, and returns its content.
    ///
    /// # Errors
    /// If there is a fault at the end of the file, or in the file as a whole.
    pub fn finish(mut self) -> Result<Opened, Refusal> {
        if let Some((line, text)) = self.lines.finish() {
            self.table.line(line, &text).map_err(cut_short)?;
        }
        self.table.finish()
    }
}

/// A last line without a line end that has too few fields was cut off.
fn cut_short(refusal: Refusal) -> Refusal {
    match refusal.fault {
        Fault::Fields { have, need, .. } if have < need => Refusal { fault: Fault::CutShort { have, need }, ..refusal },
        _ => refusal,
    }
}

/// A time that is no number cannot be left out, as other values can.
fn no_time(refusal: Refusal) -> Refusal {
    match refusal.fault {
        Fault::NotANumber(column, text) => Refusal { fault: Fault::NotATime(column, text), ..refusal },
        _ => refusal,
    }
}

/// The message about a file that begins like one that is not text.
fn no_text(beginning: &[u8]) -> Option<&'static str> {
    let is = |begin: &[u8]| beginning.starts_with(begin);
    if is(b"{") {
        Some(say!("this is no table but JSON: a scenario is opened by “Open scenario…”"))
    } else if is(b"PK\x03\x04") {
        Some(say!("this is a packed file, perhaps a workbook: save its sheet as CSV"))
    } else if is(b"\x1f\x8b") {
        Some(say!("this file is compressed: unpack it first"))
    } else if is(b"\xff\xfe") || is(b"\xfe\xff") {
        Some(say!("this file is in UTF-16: save it as CSV in UTF-8"))
    } else if is(b"MATLAB 5.0") {
        Some(say!("this is a MAT-file: write its table as CSV (writetable)"))
    } else {
        None
    }
}

/// Whether a row has this many fields; one more may follow if it is empty.
fn has_fields(fields: &Fields, need: usize) -> bool {
    fields.len() == need || fields.len() == need + 1 && fields.get(need).is_empty()
}

impl Table {
    fn line(&mut self, line: u64, mut text: &[u8]) -> Result<(), Refusal> {
        if !self.is_begun {
            self.is_begun = true;
            text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
            if let Some(words) = no_text(text) {
                return Err(Fault::NoText(words).anywhere());
            }
            // Spreadsheets may name the separator of fields in a first line, `sep=;`.
            if let [b's', b'e', b'p', b'=', delimiter] = text {
                self.delimiter = Some(*delimiter);
                return Ok(());
            }
        }
        if text.contains(&0) {
            return Err(Fault::NoText(say!("this file holds bytes that no text has: it is no CSV")).at(line));
        }
        let begins_as_remark = text.starts_with(b"#");
        if begins_as_remark && self.header.is_none() {
            self.remark = text[1..].to_vec();
            return Ok(());
        }
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        let is_found = |delimiter: &u8| text.contains(delimiter);
        let found = || DELIMITERS.into_iter().find(is_found).unwrap_or(b',');
        let delimiter = *self.delimiter.get_or_insert_with(found);
        let is_split = self.fields.split(text, delimiter);
        if begins_as_remark && !(is_split && self.is_row_after_all()) {
            return Ok(());
        }
        if !is_split {
            return Err(Fault::OpenQuote.at(line));
        }
        if std::str::from_utf8(text).is_err() {
            self.foreign.note(line);
        }
        if self.header.is_none() {
            let read = Header::read(&self.fields, line);
            let is_row = read.is_err();
            let header = read.or_else(|refusal| self.header_before(delimiter).ok_or(refusal))?;
            let names = (0..header.dims.n_regressors()).map(|regressor| header.value_name(regressor).to_owned());
            self.collector = Some(Collector::new(Sites::new(header.dims, names.collect()), header.time.is_some()));
            self.header = Some(header);
            if !is_row {
                return Ok(());
            }
        }
        if self.fields.is_empty() { Ok(()) } else { self.row(line, delimiter) }
    }

    /// The header, if it is the remark before the first row, which is split.
    fn header_before(&self, delimiter: u8) -> Option<Header> {
        let mut fields = Fields::default();
        let fits = fields.split(&self.remark, delimiter) && fields.len() == self.fields.len();
        Header::read(&fields, 0).ok().filter(|_| fits)
    }

    /// Whether a line that begins with `#` is a row: a client may be called #1, and a value be #N/A. A row has as many
    /// fields as the header, but so has a remark beneath a header of one field.
    fn is_row_after_all(&self) -> bool {
        let need = self.header.as_ref().map_or(0, |header| header.names.len());
        has_fields(&self.fields, need) && (need > 1 || decimal::is_missing(self.fields.get(0)))
    }

    fn row(&mut self, line: u64, delimiter: u8) -> Result<(), Refusal> {
        let (Some(header), Some(collector)) = (&mut self.header, &mut self.collector) else { return Ok(()) };
        if collector.is_empty() {
            header.drop_measured(&self.fields);
        }
        let (have, need) = (self.fields.len(), header.names.len());
        if !has_fields(&self.fields, need) {
            return Err(Fault::Fields { have, need, by_comma: delimiter == b',' }.at(line));
        }
        let mut numbers = Numbers { fields: &self.fields, header, slow: self.slow, mark: &mut self.mark, line };
        self.values.clear();
        for &column in &header.values {
            let value = numbers.value(column)?.unwrap_or(f64::NAN);
            self.values.push(value);
        }
        let time = match header.time {
            Some(column) => {
                let time = numbers.value(column).map_err(no_time)?;
                Some(time.ok_or_else(|| Fault::NoTime(numbers.name(column)).at(line))?)
            }
            None => None,
        };
        let (client, rollout) = (numbers.label(header.client)?, numbers.label(header.rollout)?);
        collector.take(&Row { line, client, rollout, time, z: &self.values })
    }

    fn finish(self) -> Result<Opened, Refusal> {
        let Some(collector) = self.collector else { return Err(Fault::Empty.anywhere()) };
        let Collected { sites, mut tally, constants, step } = collector.finish()?;
        tally.foreign = self.foreign;
        if tally.rows == 0 {
            return Err(Fault::NoRows.anywhere());
        }
        if tally.samples == 0 {
            let columns = self.header.as_ref().map(Header::in_words).unwrap_or_default();
            return Err(Fault::NoSamples(columns).anywhere());
        }
        Ok(Opened { sites, tally, header: self.header, constants, step })
    }
}

/// Reads the fields of a row as numbers.
struct Numbers<'a> {
    fields: &'a Fields,
    header: &'a Header,
    slow: Slow,
    mark: &'a mut Option<u8>,
    line: u64,
}

impl<'a> Numbers<'a> {
    fn name(&self, column: usize) -> String {
        self.header.names.get(column).cloned().unwrap_or_default()
    }

    /// The number in a column; `None` if it is missing.
    fn value(&mut self, column: usize) -> Result<Option<f64>, Refusal> {
        let field = self.fields.get(column);
        if decimal::is_missing(field) {
            return Ok(None);
        }
        let fault = |fault: fn(String, String) -> Fault| fault(self.name(column), text(field)).at(self.line);
        let (value, mark) = decimal::parse(field, self.slow).map_err(|error| match error {
            NotANumber::Word => fault(Fault::NotANumber),
            NotANumber::TwoMarks => fault(Fault::TwoMarks),
            NotANumber::NotFinite => fault(Fault::NotFinite),
        })?;
        if mark.is_some() && self.mark.is_some() && *self.mark != mark {
            return Err(fault(Fault::OtherMark));
        }
        *self.mark = self.mark.or(mark);
        Ok(Some(value))
    }

    /// The name of a client or rollout; empty if the file has no column for it.
    fn label(&self, column: Option<usize>) -> Result<&'a [u8], Refusal> {
        let Some(column) = column else { return Ok(b"") };
        let label = self.fields.get(column);
        let fault = if label.is_empty() {
            Fault::NoName(self.name(column))
        } else if is_measured(&self.header.names[column], label) {
            Fault::Measured(self.name(column), text(label))
        } else {
            return Ok(label);
        };
        Err(fault.at(self.line))
    }
}

#[cfg(test)]
mod tests;
