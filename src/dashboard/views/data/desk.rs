//! Reads files, identifies models and writes what the page shows of them: the same in a worker and on the page.

use super::markup::parts;
use super::parts::{Chosen, Parts};
use super::{Beside, FileRead, Found, Kind, results};
use crate::data::header::{self, Header};
use crate::data::identify::Identification;
use crate::data::moments_file;
use crate::data::reader::{Opened, Reader};
use crate::data::refusal::{Fault, Refusal};
use crate::data::shared::Rounds;
use crate::data::sites::{MOST_NUMBERS, Site, Sites};
use crate::data::sums::Sums;
use crate::text::from_decimal;
use fedsysid_say::say;
use std::collections::BTreeMap;

/// Number of bytes that tell whether a file holds rows or moments.
const TELLING: usize = 64;

/// The largest moments file, in bytes: what is saved can be read again. A number takes up to 24 characters and a blank;
/// the rest is for means, counts and names.
const LARGEST_MOMENTS: usize = 40 * MOST_NUMBERS;

/// A file that is being read.
#[derive(Debug)]
enum Incoming {
    /// Its first bytes, too few to tell what it holds.
    Unknown(Vec<u8>),
    Rows(Box<Reader>),
    Moments(Vec<u8>),
}

/// Reads files, identifies models, and writes the pieces that the page shows.
#[derive(Debug, Default)]
pub struct Desk {
    rounds: Rounds,
    chosen: Chosen,
    found: Option<Found>,
    /// The files read so far of the lot that is being opened; the file that is being read is in `incoming`.
    files: Vec<FileRead>,
    sites: Option<Sites>,
    name: String,
    incoming: Option<Incoming>,
    work: Option<Work>,
}

/// The identification in progress: of a new lot, or of the present one with other rounds.
#[derive(Debug)]
struct Work {
    files: Vec<FileRead>,
    sites: Sites,
    identification: Box<Identification>,
    /// The rounds and the choice that apply once it is complete: a new lot has other models.
    rounds: Rounds,
    chosen: Chosen,
}

impl Desk {
    /// Begins a lot of files, which replaces the data opened before or is added to them.
    pub fn begin(&mut self, adds: bool) {
        self.drop_work();
        let kept = self.found.as_ref().filter(|_| adds);
        self.sites = kept.map(|found| found.sites.clone());
        self.files = kept.map(|found| found.files.clone()).unwrap_or_default();
    }

    /// Drops all work in progress; earlier findings stay.
    pub fn drop_work(&mut self) {
        (self.incoming, self.work, self.sites) = (None, None, None);
        self.files.clear();
    }

    /// Begins the next file of the lot.
    pub fn open(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.incoming = Some(Incoming::Unknown(Vec::new()));
    }

    /// Takes the next bytes of the file; pieces may have any size.
    ///
    /// # Errors
    /// What is wrong with the file, in words that begin with its name.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        let incoming = self.incoming.take().unwrap_or_else(|| Incoming::Unknown(Vec::new()));
        let taken = take(incoming, bytes);
        self.incoming = Some(taken.map_err(|refusal| self.in_words(&refusal))?);
        Ok(())
    }

    /// Ends the file and adds its clients to the lot.
    ///
    /// # Errors
    /// What is wrong with the file, in words that begin with its name.
    pub fn close(&mut self) -> Result<(), String> {
        let Some(incoming) = self.incoming.take() else { return Ok(()) };
        let closed = close(incoming).and_then(|(sites, kind)| self.add(sites, kind));
        closed.map_err(|refusal| self.in_words(&refusal))
    }

    fn add(&mut self, mut sites: Sites, kind: Kind) -> Result<(), Refusal> {
        sites.name_rest(stem(&self.name));
        let n_clients = sites.all().len();
        let beside = if let Some(known) = &mut self.sites {
            join(known, sites)?
        } else {
            self.sites = Some(sites);
            Beside::default()
        };
        self.files.push(FileRead { name: self.name.clone(), n_clients, kind, beside });
        Ok(())
    }

    fn in_words(&self, refusal: &Refusal) -> String {
        say!("{} cannot be used: {refusal}.", self.name)
    }

    /// Begins to identify models from the lot that was read; [`Desk::work`] continues.
    pub fn identify(&mut self) {
        self.begin_work(self.rounds, Chosen::default());
    }

    fn begin_work(&mut self, rounds: Rounds, chosen: Chosen) {
        let Some(sites) = self.sites.take() else { return };
        let identification = Box::new(Identification::new(&sites, rounds));
        self.work = Some(Work { files: std::mem::take(&mut self.files), sites, identification, rounds, chosen });
    }

    /// Begins to identify the opened data again, with other rounds; returns whether there are any data.
    pub fn set_rounds(&mut self, rounds: Rounds) -> bool {
        self.drop_work();
        let Some(found) = &self.found else {
            self.rounds = rounds;
            return false;
        };
        (self.sites, self.files) = (Some(found.sites.clone()), found.files.clone());
        self.begin_work(rounds, self.chosen);
        true
    }

    /// Works until `now()` reaches `until`, both in milliseconds. Returns the share of the work that is done, from 0 to
    /// 1, or `None` once the work is complete.
    pub fn work(&mut self, until: f64, now: impl Fn() -> f64) -> Option<f64> {
        let Work { sites, identification, .. } = self.work.as_mut()?;
        while identification.step(sites) {
            if now() >= until {
                return Some(identification.progress());
            }
        }
        let Work { files, sites, identification, rounds, chosen } = self.work.take()?;
        (self.rounds, self.chosen) = (rounds, chosen);
        self.found = Some(Found { files, sites, identified: identification.finish() });
        None
    }

    /// Chooses which model and which shared way the page shows.
    pub fn choose(&mut self, chosen: Chosen) {
        self.chosen = chosen;
    }

    /// All texts that the page shows; `None` before anything was identified.
    pub fn parts(&self) -> Option<Parts> {
        self.found.as_ref().map(|found| parts(found, self.chosen))
    }

    /// The opened data as the text of a moments file; `None` before anything was identified.
    pub fn moments(&self) -> Option<String> {
        self.found.as_ref().map(|found| moments_file::write(&found.sites))
    }

    /// The results as the text of a CSV file; `None` before anything was identified.
    pub fn results(&self) -> Option<String> {
        self.found.as_ref().map(results::csv)
    }
}

/// Why files cannot be opened, from the words about one of them: none of them is opened.
pub fn of_lot(words: String, n_files: usize) -> String {
    let others = if n_files > 1 { say!(" None of the {n_files} files was opened.") } else { String::new() };
    words + &others
}

/// Adds the clients of another file, and returns what had other names there, or was there before.
fn join(known: &mut Sites, sites: Sites) -> Result<Beside, Refusal> {
    let pairs = || sites.names.iter().zip(&known.names).filter(|(own, other)| !header::is_alike(own, other));
    let columns = pairs().map(|(own, other)| (own.clone(), other.clone())).collect();
    let labels: Vec<_> = sites.all().iter().map(|site| site.label.clone()).collect();
    let n_before = known.all().len();
    known.join(sites)?;
    let now = known.all()[n_before..].iter().map(|site| site.label.clone());
    let mut renamed = labels.into_iter().zip(now).filter(|(own, now)| own != now);
    let first = renamed.next();
    let n_renamed = usize::from(first.is_some()) + renamed.count();
    let (before, added) = known.all().split_at(n_before);
    let (n_twins, twins) = twins(before, added);
    Ok(Beside { columns, n_renamed, renamed: first, n_twins, twins })
}

/// How many of the added clients have exactly the samples of one before, and the names of the first such pair: people open a
/// file twice, or the moments of a file beside it.
fn twins(before: &[Site], added: &[Site]) -> (usize, Option<(String, String)>) {
    let has_samples = |site: &Site| site.folds.iter().any(|part| part.n_samples() > 0);
    // Whole sums of thousands of clients would be too long for keys; bytes are what labels are looked up by too.
    let key = |site: &Site| -> Box<[u8]> {
        let counts = site.folds.iter().map(Sums::n_samples);
        counts
            .chain(site.folds.iter().flat_map(Sums::mean).map(|mean| mean.to_bits()))
            .flat_map(u64::to_le_bytes)
            .collect()
    };
    let mut known: BTreeMap<Box<[u8]>, usize> = BTreeMap::new();
    for (place, site) in before.iter().enumerate().filter(|(_, site)| has_samples(site)) {
        known.insert(key(site), place);
    }
    let mut pairs = added.iter().filter_map(|site| {
        let twin = &before[*known.get(&key(site))?];
        (twin.folds == site.folds).then(|| (site.label.clone(), twin.label.clone()))
    });
    let first = pairs.next();
    (usize::from(first.is_some()) + pairs.count(), first)
}

/// The name of a file without its ending; never empty.
fn stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        // In “pump 1.5” the dot is a decimal point.
        Some((stem, end)) if !stem.is_empty() && end.starts_with(|c: char| c.is_ascii_alphabetic()) => stem,
        _ if name.is_empty() => "1",
        _ => name,
    }
}

fn take(incoming: Incoming, bytes: &[u8]) -> Result<Incoming, Refusal> {
    match incoming {
        Incoming::Unknown(mut begin) => {
            begin.extend_from_slice(bytes);
            if begin.len() < TELLING { Ok(Incoming::Unknown(begin)) } else { begun(&begin) }
        }
        Incoming::Rows(mut reader) => {
            reader.push(bytes)?;
            Ok(Incoming::Rows(reader))
        }
        Incoming::Moments(mut text) => {
            if text.len() + bytes.len() > LARGEST_MOMENTS {
                const { assert!(LARGEST_MOMENTS == 320_000_000, "the size that the text names") }
                return Err(Fault::NoText(say!("a moments file has no more than 320 MB")).anywhere());
            }
            text.extend_from_slice(bytes);
            Ok(Incoming::Moments(text))
        }
    }
}

/// Reads the beginning of a file, which tells whether it holds moments or rows.
fn begun(begin: &[u8]) -> Result<Incoming, Refusal> {
    let text = begin.strip_prefix(b"\xef\xbb\xbf").unwrap_or(begin);
    if text.starts_with(moments_file::MAGIC.as_bytes()) {
        return Ok(Incoming::Moments(text.to_vec()));
    }
    let mut reader = Box::new(Reader::new(from_decimal));
    reader.push(begin)?;
    Ok(Incoming::Rows(reader))
}

fn close(incoming: Incoming) -> Result<(Sites, Kind), Refusal> {
    match incoming {
        Incoming::Unknown(begin) => close(begun(&begin)?),
        Incoming::Rows(reader) => {
            let opened = reader.finish()?;
            let kind = kind_of(&opened);
            Ok((opened.sites, kind))
        }
        Incoming::Moments(text) => {
            // Text of this size is not copied, unless it has to be.
            let text = String::from_utf8(text).unwrap_or_else(|error| header::text(error.as_bytes()));
            let sites = moments_file::read(&text, from_decimal)?;
            let n_samples = sites.all().iter().map(|site| site.sums(None).n_samples()).sum();
            Ok((sites, Kind::Moments(n_samples)))
        }
    }
}

fn kind_of(Opened { sites, tally, header, constants, step }: &Opened) -> Kind {
    let constant = |&(column, value): &(usize, f64)| (sites.names.get(column).cloned().unwrap_or_default(), value);
    let unused = header.iter().flat_map(|header| header.unused.iter().filter_map(|&column| header.names.get(column)));
    Kind::Rollouts {
        columns: header.as_ref().map(Header::in_words).unwrap_or_default(),
        tally: Box::new(tally.clone()),
        unused: unused.filter(|name| !name.is_empty()).cloned().collect(),
        constants: constants.iter().map(constant).collect(),
        step: *step,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::sites::{MOST_CLIENTS, N_FOLDS};
    use crate::data::sums::triangle;

    #[test]
    fn a_lot_is_opened_whole_or_not_at_all() {
        assert_eq!(of_lot("a is bad.".into(), 1), "a is bad.");
        assert_eq!(of_lot("a is bad.".into(), 3), "a is bad. None of the 3 files was opened.");
    }

    /// The longest number is written with 24 characters, as is −2.2250738585072014e-308; texts and counts take some more.
    #[test]
    fn moments_that_are_saved_can_be_read_again() {
        for (n, p) in (1..=header::MOST_COLUMNS).flat_map(|n| (0..=header::MOST_COLUMNS).map(move |p| (n, p))) {
            let m = 2 * n + p;
            let n_clients = (MOST_NUMBERS / (N_FOLDS * triangle(m))).min(MOST_CLIENTS);
            let part = 25 * (triangle(m) + m) + 60;
            let size = n_clients * (N_FOLDS * part + 500);
            assert!(size < LARGEST_MOMENTS, "{n} states and {p} inputs: {size} bytes");
        }
    }
}
