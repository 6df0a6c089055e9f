//! Combines rows into samples: finds the next row of each row.
//!
//! A row (client, rollout, t) with x and u makes a sample with the row of the same client and rollout one step later,
//! whose x is the next state. Rows of different rollouts may be mixed in any order; those of one rollout must be in the
//! order of time.

use fedsysid_say::say;
use fedsysid_sim::sort::sort_few;
use std::collections::BTreeMap;

use crate::decimal;
use crate::refusal::{Fault, Refusal};
use crate::sites::{N_FOLDS, STRETCH, Site, Sites};

/// The most rollouts of a file, over all clients.
pub const MOST_ROLLOUTS: usize = 2_000_000;

/// The largest deviation of times, as a share of a step.
const JITTER: f64 = 0.1;

/// Number of rows from which the length of a step is found; each follows another row of its rollout.
const FIRST_ROWS: usize = 256;

/// One row of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// The number of its line.
    pub line: u64,
    /// The client's name.
    pub client: &'a [u8],
    /// The rollout's name; empty if the file has none.
    pub rollout: &'a [u8],
    /// Its time, in the file's unit; without times, every row is one step after the row before in its rollout.
    pub time: Option<f64>,
    /// `z = [x; u]`, of length d; NaN where a value is missing.
    pub z: &'a [f64],
}

/// How often something occurred, and the line of its first occurrence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// The number of occurrences.
    pub count: u64,
    /// The line of the first occurrence.
    pub first: u64,
}

impl Noted {
    pub(crate) fn note(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }
}

/// Counts of the rows read, and of those ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Number of rows below the header.
    pub rows: u64,
    /// Number of their rollouts.
    pub rollouts: usize,
    /// Number of their samples.
    pub samples: u64,
    /// Gaps in time; the rows before and after one make no sample.
    pub gaps: Noted,
    /// Samples that are left out because a value is missing.
    pub missing: Noted,
    /// Lines, including the header, that are not UTF-8; their texts are read as Windows-1252.
    pub foreign: Noted,
    /// Number of rows of the shortest rollout, and of the longest.
    pub lengths: Option<(u64, u64)>,
    /// Clients without a sample as all their steps are too long.
    pub strangers: Option<Strangers>,
}

/// Clients whose steps are all too long.
#[derive(Clone, Debug, PartialEq)]
pub struct Strangers {
    /// Number of these clients.
    pub count: usize,
    /// The first one's name.
    pub first: String,
    /// The first one's shortest step.
    pub step: f64,
}

/// A rollout that may continue.
#[derive(Clone, Debug)]
struct Open {
    client: usize,
    /// Its index among the client's rollouts, from 0.
    place: usize,
    time: f64,
    line: u64,
    rows: u64,
    /// Number of its samples so far, which determines the part of the next one.
    n_samples: usize,
    /// The current stretch, if it is one to be kept.
    stretch: Vec<f64>,
}

/// The rollout that a row belongs to.
enum Place {
    /// A known rollout, by its index among all.
    Known(usize),
    /// A new rollout of this client, with this index among the client's.
    New { client: usize, place: usize },
}

/// A row that continues a rollout, and waits until the length of a step is known.
#[derive(Debug)]
struct Waiting {
    /// The index of its rollout.
    index: usize,
    line: u64,
    client: Box<[u8]>,
    rollout: Box<[u8]>,
    time: f64,
    z: Box<[f64]>,
}

/// The result of collecting all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The clients' data.
    pub sites: Sites,
    /// Counts of the rows read, and of those ignored.
    pub tally: Tally,
    /// Columns that never change: their index among the regressors, and their value.
    pub constants: Vec<(usize, f64)>,
    /// The length of a step in time; `None` without times.
    pub step: Option<f64>,
}

/// Makes samples of rows in the order of the file.
#[derive(Debug)]
pub struct Collector {
    sites: Sites,
    /// The length of a step in time; `None` without times.
    step: Option<f64>,
    /// Rows that continue a rollout, until the step is known. Rows that start one need no step, so few rows wait
    /// however many rollouts are mixed.
    waiting: Option<Vec<Waiting>>,
    clients: BTreeMap<Box<[u8]>, usize>,
    /// The rollouts of each client.
    rollouts: Vec<BTreeMap<Box<[u8]>, usize>>,
    /// The shortest gap of each client in time. Negative once two of its rows are a step apart.
    gaps: Vec<f64>,
    open: Vec<Open>,
    /// The values of the last row of every rollout, concatenated.
    last: Vec<f64>,
    /// The smallest and the largest value of every column.
    ranges: Vec<(f64, f64)>,
    tally: Tally,
}

impl Collector {
    /// A collector without rows, which will have times or not; clients are added to `sites`.
    pub fn new(sites: Sites, is_timed: bool) -> Self {
        let ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); sites.dims().n_regressors()];
        Self {
            sites,
            step: is_timed.then_some(1.0),
            waiting: is_timed.then(Vec::new),
            clients: BTreeMap::new(),
            rollouts: Vec::new(),
            gaps: Vec::new(),
            open: Vec::new(),
            last: Vec::new(),
            ranges,
            tally: Tally::default(),
        }
    }

    /// Whether no row was taken yet.
    pub fn is_empty(&self) -> bool {
        self.tally.rows == 0
    }

    /// Takes the next row.
    ///
    /// # Errors
    /// If time does not advance, or there are too many clients or rollouts.
    pub fn take(&mut self, row: &Row<'_>) -> Result<(), Refusal> {
        self.tally.rows += 1;
        for ((least, greatest), value) in self.ranges.iter_mut().zip(row.z) {
            // `min` and `max` ignore missing values, which are NaN.
            (*least, *greatest) = (least.min(*value), greatest.max(*value));
        }
        let d = self.sites.dims().n_regressors();
        match self.find(row).map_err(|fault| fault.at(row.line))? {
            Place::Known(index) => self.go_on_or_wait(index, row)?,
            Place::New { client, place } => {
                self.open.push(Open {
                    client,
                    place,
                    time: row.time.unwrap_or(0.0),
                    line: row.line,
                    rows: 1,
                    n_samples: 0,
                    stretch: Vec::new(),
                });
                self.last.extend_from_slice(row.z);
            }
        }
        debug_assert_eq!(self.last.len(), d * self.open.len());
        Ok(())
    }

    /// The rollout of a row; a new rollout is registered.
    fn find(&mut self, row: &Row<'_>) -> Result<Place, Fault> {
        let client = match self.clients.get(row.client) {
            Some(&client) => client,
            None => self.add_client(row.client)?,
        };
        let rollouts = &mut self.rollouts[client];
        if let Some(&index) = rollouts.get(row.rollout) {
            return Ok(Place::Known(index));
        }
        if self.open.len() == MOST_ROLLOUTS {
            return Err(Fault::TooManyRollouts(MOST_ROLLOUTS));
        }
        let place = rollouts.len();
        rollouts.insert(row.rollout.into(), self.open.len());
        if let Some(site) = self.sites.site(client) {
            site.n_rollouts += 1;
        }
        Ok(Place::New { client, place })
    }

    fn add_client(&mut self, name: &[u8]) -> Result<usize, Fault> {
        let site = Site::new(label(name), self.sites.dims());
        let client = self.sites.add(site)?;
        self.clients.insert(name.into(), client);
        self.rollouts.push(BTreeMap::new());
        self.gaps.push(f64::INFINITY);
        Ok(client)
    }

    /// Handles the next row of a rollout. It waits while the step is not known.
    fn go_on_or_wait(&mut self, index: usize, row: &Row<'_>) -> Result<(), Refusal> {
        let (Some(waiting), Some(time)) = (&mut self.waiting, row.time) else { return self.go_on(index, row) };
        let &Row { line, client, rollout, z, .. } = row;
        waiting.push(Waiting { index, line, client: client.into(), rollout: rollout.into(), time, z: z.into() });
        if waiting.len() == FIRST_ROWS { self.end_waiting() } else { Ok(()) }
    }

    /// Ends the waiting, since enough rows wait or the file ends: the step is the median time from a row to the next
    /// one of its rollout.
    fn end_waiting(&mut self) -> Result<(), Refusal> {
        let Some(rows) = self.waiting.take() else { return Ok(()) };
        let before = |place: usize| {
            let index = rows[place].index;
            let row = rows[..place].iter().rev().find(|other| other.index == index);
            row.map_or(self.open[index].time, |row| row.time)
        };
        let steps = rows.iter().enumerate().map(|(place, row)| row.time - before(place));
        let mut steps: Vec<f64> = steps.filter(|step| *step > 0.0).collect();
        sort_few(&mut steps, f64::total_cmp);
        self.step = steps.get(steps.len() / 2).copied().or(self.step);
        rows.iter().try_for_each(|Waiting { index, line, client, rollout, time, z }| {
            self.go_on(*index, &Row { line: *line, client, rollout, time: Some(*time), z })
        })
    }

    /// Handles the next row of a rollout once the step is known.
    fn go_on(&mut self, index: usize, row: &Row<'_>) -> Result<(), Refusal> {
        let d = self.sites.dims().n_regressors();
        let (open, step) = (&mut self.open[index], self.step.unwrap_or(1.0));
        let time = row.time.unwrap_or(open.time + step);
        let steps = (time - open.time) / step;
        if steps < 1.0 - JITTER {
            let (of, is_numbered) = (name_of(row), !row.rollout.is_empty());
            let before = (open.time, open.line);
            return Err(Fault::Time { now: time, before, of, step, is_numbered }.at(row.line));
        }
        let is_gap = steps > 1.0 + JITTER;
        let gap = &mut self.gaps[open.client];
        *gap = gap.min(if is_gap { time - open.time } else { -1.0 });
        open.time = time;
        open.rows += 1;
        let last = index * d..(index + 1) * d;
        if is_gap {
            self.tally.gaps.note(row.line);
            self.end_stretch(index);
        } else {
            self.sample(index, row);
        }
        self.open[index].line = row.line;
        self.last[last].copy_from_slice(row.z);
        Ok(())
    }

    /// Adds the sample of the last row and this one, unless a value is missing.
    fn sample(&mut self, index: usize, row: &Row<'_>) {
        let dims = self.sites.dims();
        let (n, d) = (dims.n_states, dims.n_regressors());
        let (z, next) = (&self.last[index * d..(index + 1) * d], &row.z[..n]);
        let is_missing = |values: &[f64]| values.iter().any(|value| value.is_nan());
        if is_missing(z) || is_missing(next) {
            self.tally.missing.note(if is_missing(z) { self.open[index].line } else { row.line });
            self.end_stretch(index);
            return;
        }
        let open = &mut self.open[index];
        let fold = (open.place + open.n_samples / STRETCH) % N_FOLDS;
        if let Some(site) = self.sites.site(open.client) {
            site.folds[fold].add_sample(z, next);
        }
        open.n_samples += 1;
        self.tally.samples += 1;
        if fold > 0 || !self.sites.has_room(open.client) {
            return;
        }
        // The state at the end of the stretch is also the beginning of z.
        open.stretch.truncate(open.stretch.len().saturating_sub(n));
        open.stretch.extend_from_slice(z);
        open.stretch.extend_from_slice(next);
        if open.n_samples.is_multiple_of(STRETCH) {
            self.end_stretch(index);
        }
    }

    fn end_stretch(&mut self, index: usize) {
        let open = &mut self.open[index];
        let stretch = std::mem::take(&mut open.stretch);
        if !stretch.is_empty() {
            self.sites.keep(open.client, &stretch);
        }
    }

    /// Ends the file, and returns the data of all rows.
    ///
    /// # Errors
    /// If time does not advance in a row that waited for the step to be known.
    pub fn finish(mut self) -> Result<Collected, Refusal> {
        self.end_waiting()?;
        for index in 0..self.open.len() {
            self.end_stretch(index);
        }
        self.tally.rollouts = self.open.len();
        for (site, gap) in self.sites.all_mut().iter_mut().zip(self.gaps) {
            site.step = self.step;
            if gap.is_finite() && gap > 0.0 {
                let first = || Strangers { count: 0, first: site.label.clone(), step: gap };
                self.tally.strangers.get_or_insert_with(first).count += 1;
            }
        }
        let rows = || self.open.iter().map(|open| open.rows);
        self.tally.lengths = rows().min().zip(rows().max());
        let is_constant = |range: &(f64, f64)| range.0 >= range.1;
        let columns = self.ranges.iter().enumerate().filter(|(_, range)| is_constant(range) && range.0.is_finite());
        let constants = columns.map(|(column, range)| (column, range.0)).collect();
        Ok(Collected { sites: self.sites, tally: self.tally, constants, step: self.step })
    }
}

/// A client's name; `1.000000000000000000e+00`, as `numpy.savetxt` writes it, is client 1.
fn label(name: &[u8]) -> String {
    let is_power = name.windows(2).any(|pair| matches!(pair, b"e+" | b"e-"));
    let number = is_power.then(|| decimal::parse(name, |_| None).ok()).flatten();
    number.map_or_else(|| crate::header::text(name), |(number, _)| number.to_string())
}

fn name_of(row: &Row<'_>) -> String {
    let text = label;
    match (row.client, row.rollout) {
        (b"", b"") => say!("the rollout").into(),
        (b"", rollout) => say!("rollout {}", text(rollout)),
        (client, b"") => say!("client {}", text(client)),
        (client, rollout) => say!("rollout {} of client {}", text(rollout), text(client)),
    }
}

#[cfg(test)]
mod tests;
