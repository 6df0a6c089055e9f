//! Rows → samples: who goes on from where.
//!
//! A row (client, rollout, t) with x and u makes a sample with the row of the same client and rollout one step later, whose x
//! is the next state. Rows of different rollouts may stand in any order, those of one in that of time.

use fedsysid_say::say;
use fedsysid_sim::few::sort_few;
use std::collections::BTreeMap;

use crate::refusal::{Fault, Refusal};
use crate::sites::{N_FOLDS, STRETCH, Site, Sites};

/// The most rollouts of a file, of all clients together.
pub const MOST_ROLLOUTS: usize = 2_000_000;

/// The share of a step by which times may be off.
const JITTER: f64 = 0.1;

/// Rows that go on from another one, which the length of a step is found from.
const FIRST_ROWS: usize = 256;

/// One row of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row<'a> {
    /// The number of its line.
    pub line: u64,
    /// The client's name.
    pub client: &'a [u8],
    /// The rollout's name; empty where the file has none.
    pub rollout: &'a [u8],
    /// Its time, in the file's unit; where the file has none, every row is one step after the one before.
    pub time: Option<f64>,
    /// `z = [x; u]`, of length d; NaN where a value is missing.
    pub z: &'a [f64],
}

/// How often something was met, and where first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// How often it was met.
    pub count: u64,
    /// The line where it was met first.
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

/// What was read, and what was passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many rows there are beneath the header.
    pub rows: u64,
    /// How many rollouts they are of.
    pub rollouts: usize,
    /// How many samples they make.
    pub samples: u64,
    /// Gaps in time, across which there is no sample.
    pub gaps: Noted,
    /// Samples that lack a value and so are left out.
    pub missing: Noted,
    /// Lines that are not in UTF-8, the header's too, of which such texts are read as Windows-1252.
    pub foreign: Noted,
    /// How many rows the shortest rollout has, and the longest.
    pub lengths: Option<(u64, u64)>,
}

/// A rollout, which may go on.
#[derive(Clone, Debug)]
struct Open {
    client: usize,
    /// Its place among the client's rollouts, from 0.
    place: usize,
    time: f64,
    line: u64,
    rows: u64,
    /// Samples so far, which decide on the part that the next one goes to.
    n_samples: usize,
    /// The present stretch, where it is one to be kept.
    stretch: Vec<f64>,
}

/// The rollout that a row belongs to.
enum Place {
    /// A known one, by its number among all.
    Known(usize),
    /// A new one of this client, at this place among the client's.
    New { client: usize, place: usize },
}

/// A row that goes on with a rollout, and waits until it is known what one step takes.
#[derive(Debug)]
struct Waiting {
    /// The rollout that it belongs to.
    index: usize,
    line: u64,
    client: Box<[u8]>,
    rollout: Box<[u8]>,
    time: f64,
    z: Box<[f64]>,
}

/// What became of all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// The clients' data.
    pub sites: Sites,
    /// What was read, and what was passed over.
    pub tally: Tally,
    /// Columns that never change, by their place among the regressors, and their value.
    pub constants: Vec<(usize, f64)>,
    /// What one step takes in time; 1 where no time says so.
    pub step: f64,
}

/// Makes samples of rows, as they come in the order of a file.
#[derive(Debug)]
pub struct Collector {
    sites: Sites,
    step: f64,
    /// Rows that go on with a rollout, until the step is known. Those that begin one need no step: so however many rollouts
    /// are mixed with each other, few rows wait.
    waiting: Option<Vec<Waiting>>,
    clients: BTreeMap<Box<[u8]>, usize>,
    /// For each client its rollouts.
    rollouts: Vec<BTreeMap<Box<[u8]>, usize>>,
    open: Vec<Open>,
    /// The last row of every rollout.
    last: Vec<f64>,
    /// Least and greatest value of every column.
    ranges: Vec<(f64, f64)>,
    tally: Tally,
}

impl Collector {
    /// Begins without rows; their clients are added to `sites`.
    pub fn new(sites: Sites) -> Self {
        let ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); sites.dims().n_regressors()];
        Self {
            sites,
            step: 1.0,
            waiting: Some(Vec::new()),
            clients: BTreeMap::new(),
            rollouts: Vec::new(),
            open: Vec::new(),
            last: Vec::new(),
            ranges,
            tally: Tally::default(),
        }
    }

    /// Takes the next row in.
    ///
    /// # Errors
    /// When time does not go on, or there are too many clients or rollouts.
    pub fn take(&mut self, row: &Row<'_>) -> Result<(), Refusal> {
        self.tally.rows += 1;
        for ((least, greatest), value) in self.ranges.iter_mut().zip(row.z) {
            // Missing values are neither.
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

    /// The rollout that a row belongs to; a new one is taken down.
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
        let site = Site::new(crate::header::text(name), self.sites.dims());
        let client = self.sites.add(site)?;
        self.clients.insert(name.into(), client);
        self.rollouts.push(BTreeMap::new());
        Ok(client)
    }

    /// The next row of a rollout, which waits while the step is not known. Without times it needs none.
    fn go_on_or_wait(&mut self, index: usize, row: &Row<'_>) -> Result<(), Refusal> {
        let (Some(waiting), Some(time)) = (&mut self.waiting, row.time) else { return self.go_on(index, row) };
        let &Row { line, client, rollout, z, .. } = row;
        waiting.push(Waiting { index, line, client: client.into(), rollout: rollout.into(), time, z: z.into() });
        if waiting.len() == FIRST_ROWS { self.end_waiting() } else { Ok(()) }
    }

    /// Enough rows wait, or there are no more: the step is the median time from a row to the next one of its rollout.
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
        self.step = steps.get(steps.len() / 2).copied().unwrap_or(1.0);
        rows.iter().try_for_each(|Waiting { index, line, client, rollout, time, z }| {
            self.go_on(*index, &Row { line: *line, client, rollout, time: Some(*time), z })
        })
    }

    /// The next row of a rollout, with the step known.
    fn go_on(&mut self, index: usize, row: &Row<'_>) -> Result<(), Refusal> {
        let d = self.sites.dims().n_regressors();
        let open = &mut self.open[index];
        let time = row.time.unwrap_or(open.time + self.step);
        let steps = (time - open.time) / self.step;
        if steps < 1.0 - JITTER {
            let of = name_of(row);
            return Err(Fault::Time { now: time, before: (open.time, open.line), of, step: self.step }.at(row.line));
        }
        let is_gap = steps > 1.0 + JITTER;
        (open.time, open.line) = (time, row.line);
        open.rows += 1;
        let last = index * d..(index + 1) * d;
        if is_gap {
            self.tally.gaps.note(row.line);
            self.end_stretch(index);
        } else {
            self.sample(index, row);
        }
        self.last[last].copy_from_slice(row.z);
        Ok(())
    }

    /// The last row and this one make a sample, unless a value is missing.
    fn sample(&mut self, index: usize, row: &Row<'_>) {
        let dims = self.sites.dims();
        let (n, d) = (dims.n_states, dims.n_regressors());
        let (z, next) = (&self.last[index * d..(index + 1) * d], &row.z[..n]);
        if z.iter().chain(next).any(|value| value.is_nan()) {
            self.tally.missing.note(row.line);
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
        // What was put at the end is the state that z begins with.
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

    /// Ends the file, and says what all of its rows have become.
    ///
    /// # Errors
    /// When time does not go on, in a file so short that the step was not known before.
    pub fn finish(mut self) -> Result<Collected, Refusal> {
        self.end_waiting()?;
        for index in 0..self.open.len() {
            self.end_stretch(index);
        }
        self.tally.rollouts = self.open.len();
        let rows = || self.open.iter().map(|open| open.rows);
        self.tally.lengths = rows().min().zip(rows().max());
        let is_constant = |range: &(f64, f64)| range.0 >= range.1;
        let columns = self.ranges.iter().enumerate().filter(|(_, range)| is_constant(range) && range.0.is_finite());
        let constants = columns.map(|(column, range)| (column, range.0)).collect();
        Ok(Collected { sites: self.sites, tally: self.tally, constants, step: self.step })
    }
}

fn name_of(row: &Row<'_>) -> String {
    let text = crate::header::text;
    match (row.client, row.rollout) {
        (b"", b"") => say!("the rollout").into(),
        (b"", rollout) => say!("rollout {}", text(rollout)),
        (client, b"") => say!("client {}", text(client)),
        (client, rollout) => say!("rollout {} of client {}", text(rollout), text(client)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dims;
    use crate::sites::Stretch;
    use crate::sums::Sums;

    const DIMS: Dims = Dims { n_states: 1, n_inputs: 1 };

    fn collect(rows: &[(&str, &str, f64, f64)]) -> Result<(Sites, Tally), String> {
        let mut collector = Collector::new(Sites::new(DIMS, Vec::new()));
        for (line, &(client, rollout, t, x)) in rows.iter().enumerate() {
            let (client, rollout) = (client.as_bytes(), rollout.as_bytes());
            let row = Row { line: line as u64 + 2, client, rollout, time: Some(t), z: &[x, 1.0] };
            collector.take(&row).map_err(|refusal| refusal.to_string())?;
        }
        let Collected { sites, tally, .. } = collector.finish().map_err(|refusal| refusal.to_string())?;
        Ok((sites, tally))
    }

    #[test]
    fn rows_one_step_apart_make_samples_in_whatever_order_rollouts_stand() {
        let apart = [("A", "1", 0.0, 1.0), ("A", "1", 1.0, 2.0), ("A", "2", 5.0, 3.0), ("A", "2", 6.0, 4.0)];
        let mixed = [apart[0], apart[2], apart[1], apart[3]];
        let (sites, tally) = collect(&apart).unwrap();
        assert_eq!((tally.rows, tally.rollouts, tally.samples), (4, 2, 2));
        assert_eq!(collect(&mixed).unwrap(), (sites.clone(), tally));
        let c = sites.all()[0].sums(None).moments().c;
        assert_eq!((c[(0, 0)], c[(0, 1)]), (1.0 * 2.0 + 3.0 * 4.0, 6.0));
    }

    #[test]
    fn gaps_and_missing_values_are_passed_over_and_counted() {
        let rows =
            [0.0_f64, 1.0, 4.0, 5.0, 6.0, 7.0].map(|t| ("A", "1", t, if (t - 6.0).abs() < 0.5 { f64::NAN } else { t }));
        let (_, tally) = collect(&rows).unwrap();
        assert_eq!(tally.samples, 2);
        assert_eq!(tally.gaps, Noted { count: 1, first: 4 });
        assert_eq!(tally.missing, Noted { count: 2, first: 6 });
    }

    #[test]
    fn a_rollout_is_known_by_its_name_and_its_clients() {
        let mut collector = Collector::new(Sites::new(DIMS, Vec::new()));
        for (client, rollout, known, place) in [
            ("A", "1", None, 0),
            ("B", "1", None, 0),
            ("A", "2", None, 1),
            ("A", "1", Some(0), 0),
            ("B", "1", Some(1), 0),
        ] {
            let (client, rollout) = (client.as_bytes(), rollout.as_bytes());
            let row = Row { line: 2, client, rollout, time: None, z: &[0.0, 0.0] };
            let n_open = collector.open.len();
            collector.take(&row).unwrap();
            assert_eq!(collector.open.len() == n_open, known.is_some(), "{row:?}");
            let open = &collector.open[known.unwrap_or(n_open)];
            assert_eq!(([b"A", b"B"][open.client].as_slice(), open.place), (row.client, place));
        }
        assert_eq!(collector.sites.all().iter().map(|site| site.n_rollouts).collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn times_may_jitter() {
        let (_, tally) = collect(&[0.0, 1.04, 1.99, 3.05].map(|t| ("A", "", t, t))).unwrap();
        assert_eq!((tally.samples, tally.gaps.count), (3, 0));
    }

    #[track_caller]
    fn refused(times: &[f64], words: &str) {
        let rows: Vec<_> = times.iter().map(|&t| ("A", "7", t, t)).collect();
        assert_eq!(collect(&rows).unwrap_err(), words);
    }

    #[test]
    fn time_must_go_on() {
        let who = "rollout 7 of client A goes from";
        refused(&[0.0, 1.0, 1.0], &format!("line 4: {who} t = 1 (line 3) to t = 1: a rollout has one row a time"));
        let order = "rows of a rollout must be in the order of time";
        refused(&[3.0, 4.0, 2.0], &format!("line 4: {who} t = 4 (line 3) to t = 2: {order}"));
        refused(&[0.0, 1.0, 2.0, 2.5], &format!("line 5: {who} t = 2 (line 4) to t = 2.5: one step is 1 in this file"));
    }

    #[test]
    fn every_fifth_rollout_or_stretch_goes_to_the_same_part() {
        let rollouts: Vec<_> = (0..7)
            .flat_map(|k| [("A", k, 0.0), ("A", k, 1.0)])
            .map(|(client, k, t)| (client, k.to_string(), t))
            .collect();
        let rows: Vec<_> = rollouts.iter().map(|(client, k, t)| (*client, k.as_str(), *t, 1.0)).collect();
        let counts = |sites: &Sites| sites.all()[0].folds.iter().map(Sums::n_samples).collect::<Vec<_>>();
        assert_eq!(counts(&collect(&rows).unwrap().0), [2, 2, 1, 1, 1]);
        let long: Vec<_> = (0..=130).map(|t| ("A", "1", f64::from(t), f64::from(t))).collect();
        let (sites, _) = collect(&long).unwrap();
        assert_eq!(counts(&sites), [40, 30, 20, 20, 20]);
        let kept: Vec<_> = sites.all()[0].stretches.iter().map(|Stretch(rows)| (rows[0], rows.len())).collect();
        assert_eq!(kept, [(0.0, 41), (100.0, 41)]);
    }
}
