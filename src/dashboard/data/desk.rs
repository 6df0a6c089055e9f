//! Where files become what is shown: the same in a worker and on the page.

use super::markup::parts;
use super::parts::{Chosen, Parts};
use super::{FileRead, Found, Kind, results};
use crate::data::header;
use crate::data::identify::Identification;
use crate::data::moments_file;
use crate::data::reader::{Opened, Reader};
use crate::data::refusal::{Fault, Refusal};
use crate::data::shared::Rounds;
use crate::data::sites::Sites;
use crate::text::from_decimal;
use fedsysid_say::say;

/// How many bytes tell whether a file holds rows or moments.
const TELLING: usize = 64;

/// The largest moments file, in bytes.
const LARGEST_MOMENTS: usize = 100 << 20;

/// A file that is being read.
#[derive(Debug)]
enum Incoming {
    /// Its first bytes, which do not tell yet what it holds.
    Unknown(Vec<u8>),
    Rows(Box<Reader>),
    Moments(Vec<u8>),
}

/// Reads files, identifies, and writes what is shown of it.
#[derive(Debug, Default)]
pub struct Desk {
    rounds: Rounds,
    chosen: Chosen,
    found: Option<Found>,
    /// The files of a lot that is being opened: what was read so far, and the one that is being read.
    files: Vec<FileRead>,
    sites: Option<Sites>,
    name: String,
    incoming: Option<Incoming>,
    /// The identification of a lot that is read, or of the present one with other rounds.
    work: Option<(Vec<FileRead>, Sites, Box<Identification>)>,
}

impl Desk {
    /// Begins a lot of files, which take the place of what was opened before, or are added to it.
    pub fn begin(&mut self, adds: bool) {
        self.drop_work();
        let kept = self.found.as_ref().filter(|_| adds);
        self.sites = kept.map(|found| found.sites.clone());
        self.files = kept.map(|found| found.files.clone()).unwrap_or_default();
    }

    /// Drops whatever is under way; what was found before stays.
    pub fn drop_work(&mut self) {
        (self.incoming, self.work, self.sites) = (None, None, None);
        self.files.clear();
    }

    /// Begins a file of the lot, which has this name.
    pub fn open(&mut self, name: &str) {
        name.clone_into(&mut self.name);
        self.incoming = Some(Incoming::Unknown(Vec::new()));
    }

    /// Takes the next bytes of the file in, however many.
    ///
    /// # Errors
    /// What is wrong with the file, in words, with its name.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), String> {
        let incoming = self.incoming.take().unwrap_or_else(|| Incoming::Unknown(Vec::new()));
        let taken = take(incoming, bytes);
        self.incoming = Some(taken.map_err(|refusal| self.in_words(&refusal))?);
        Ok(())
    }

    /// Ends the file, whose clients are part of the lot from now on.
    ///
    /// # Errors
    /// What is wrong with the file, in words, with its name.
    pub fn close(&mut self) -> Result<(), String> {
        let Some(incoming) = self.incoming.take() else { return Ok(()) };
        let closed = close(incoming).and_then(|(sites, kind)| self.add(sites, kind));
        closed.map_err(|refusal| self.in_words(&refusal))
    }

    fn add(&mut self, sites: Sites, kind: Kind) -> Result<(), Refusal> {
        let n_clients = sites.all().len();
        match &mut self.sites {
            Some(known) => known.join(sites)?,
            None => self.sites = Some(sites),
        }
        self.files.push(FileRead { name: self.name.clone(), n_clients, kind });
        Ok(())
    }

    fn in_words(&self, refusal: &Refusal) -> String {
        say!("{} cannot be used: {refusal}.", self.name)
    }

    /// Begins to identify the lot that was read, as [`Desk::work`] goes on to do.
    pub fn identify(&mut self) {
        let Some(sites) = self.sites.take() else { return };
        let identification = Box::new(Identification::new(&sites, self.rounds));
        self.work = Some((std::mem::take(&mut self.files), sites, identification));
    }

    /// Begins to identify what was opened with other rounds; whether anything was.
    pub fn set_rounds(&mut self, rounds: Rounds) -> bool {
        self.rounds = rounds;
        self.drop_work();
        let Some(found) = &self.found else { return false };
        (self.sites, self.files) = (Some(found.sites.clone()), found.files.clone());
        self.identify();
        true
    }

    /// Works until `now` is `until`, in milliseconds. Gives the share of the work that is done, from 0 to 1, or none once
    /// there is no more to do.
    pub fn work(&mut self, until: f64, now: impl Fn() -> f64) -> Option<f64> {
        let (_, sites, identification) = self.work.as_mut()?;
        while identification.step(sites) {
            if now() >= until {
                return Some(identification.progress());
            }
        }
        let (files, sites, identification) = self.work.take()?;
        self.found = Some(Found { files, sites, identified: identification.finish() });
        None
    }

    /// Decides which of the findings are looked at.
    pub fn choose(&mut self, chosen: Chosen) {
        self.chosen = chosen;
    }

    /// All that is to be shown; none before anything was found.
    pub fn parts(&self) -> Option<Parts> {
        self.found.as_ref().map(|found| parts(found, self.chosen))
    }

    /// The text of a moments file of what was opened; none before anything was found.
    pub fn moments(&self) -> Option<String> {
        self.found.as_ref().map(|found| moments_file::write(&found.sites))
    }

    /// What was found, as the text of a CSV file; none before anything was found.
    pub fn results(&self) -> Option<String> {
        self.found.as_ref().map(results::csv)
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
                return Err(Fault::NoText(say!("a moments file has no more than 100 MB")).anywhere());
            }
            text.extend_from_slice(bytes);
            Ok(Incoming::Moments(text))
        }
    }
}

/// Takes in the beginning of a file, which tells what it holds.
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
            let sites = moments_file::read(&header::text(&text), from_decimal)?;
            let n_samples = sites.all().iter().map(|site| site.sums(None).n_samples()).sum();
            Ok((sites, Kind::Moments(n_samples)))
        }
    }
}

fn kind_of(Opened { sites, tally, header, constants, step }: &Opened) -> Kind {
    let constant = |&(column, value): &(usize, f64)| (sites.names.get(column).cloned().unwrap_or_default(), value);
    let unused = header.iter().flat_map(|header| header.unused.iter().filter_map(|&column| header.names.get(column)));
    Kind::Rollouts {
        tally: tally.clone(),
        unused: unused.filter(|name| !name.is_empty()).cloned().collect(),
        constants: constants.iter().map(constant).collect(),
        step: *step,
    }
}
