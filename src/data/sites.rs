//! The clients' data as they are kept: sums, and a few stretches of samples.

use std::collections::BTreeMap;

use crate::Dims;
use crate::refusal::{Fault, Refusal};
use crate::sums::{Sums, triangle};

/// Number of parts of a client's data, each of which is left out once.
pub const N_FOLDS: usize = 5;

/// Number of successive samples of a rollout that go to the same part.
pub const STRETCH: usize = 20;

/// The most clients of all files together.
pub const MOST_CLIENTS: usize = 10_000;

/// The most products that all sums may have: 64 MB.
pub const MOST_NUMBERS: usize = 8_000_000;

/// The most stretches of the first part that are kept as samples, of one client and of all clients.
const KEPT_OF_ONE: usize = 40;
const KEPT_OF_ALL: usize = 4_000;

/// Samples that follow each other in time: `z_0, z_1, …, z_{k−1}, x_k`, concatenated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stretch(pub Vec<f64>);

/// One client's data.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its name; all names in [`Sites`] are different. Empty until [`Sites::name_rest`] if its file has none.
    pub label: String,
    /// The length of its steps, in the unit of its file's times; `None` without times.
    pub step: Option<f64>,
    /// Number of its rollouts; as stated in the file if that is a moments file.
    pub n_rollouts: u64,
    /// Its samples, in [`N_FOLDS`] parts. The first [`STRETCH`] samples of each rollout go to the next part in turn,
    /// and every further stretch to the part after.
    pub folds: Vec<Sums>,
    /// Some stretches of its first part, for free runs; empty if only moments are known.
    pub stretches: Vec<Stretch>,
}

impl Site {
    /// A client with this name and without data, for n states and p inputs.
    pub fn new(label: String, dims: Dims) -> Self {
        Self { label, step: None, n_rollouts: 0, folds: vec![Sums::new(dims); N_FOLDS], stretches: Vec::new() }
    }

    /// The sums of all of its data, or of all parts but `without`, counted from 0.
    pub fn sums(&self, without: Option<usize>) -> Sums {
        let kept = self.folds.iter().enumerate().filter(|(fold, _)| Some(*fold) != without);
        Sums::total(self.folds[0].dims(), kept.map(|(_, part)| part))
    }
}

/// The data of all clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Sites {
    dims: Dims,
    /// The names of the d regressors: states first, then inputs.
    pub names: Vec<String>,
    all: Vec<Site>,
    /// The labels in use, each with the number that the next client of this name may get.
    labels: BTreeMap<Box<[u8]>, usize>,
    n_kept: usize,
}

impl Sites {
    /// No clients, with `names` for the regressors.
    pub fn new(dims: Dims, names: Vec<String>) -> Self {
        Self { dims, names, all: Vec::new(), labels: BTreeMap::new(), n_kept: 0 }
    }

    /// The numbers of states n and of inputs p.
    pub fn dims(&self) -> Dims {
        self.dims
    }

    /// The clients, in the order in which they were added.
    pub fn all(&self) -> &[Site] {
        &self.all
    }

    /// Adds a client, and returns its index. Later clients with the same name get a number.
    ///
    /// # Errors
    /// If there are too many clients, or their sums take too much room.
    pub fn add(&mut self, mut site: Site) -> Result<usize, Fault> {
        if self.all.len() == MOST_CLIENTS {
            return Err(Fault::TooManyClients(MOST_CLIENTS));
        }
        let m = self.dims.n_regressors() + self.dims.n_states;
        if (self.all.len() + 1) * N_FOLDS * triangle(m) > MOST_NUMBERS {
            return Err(Fault::TooMuch(MOST_NUMBERS));
        }
        site.label = self.free_label(site.label);
        self.all.push(site);
        Ok(self.all.len() - 1)
    }

    /// Gives all clients without a name this one.
    pub fn name_rest(&mut self, name: &str) {
        for client in 0..self.all.len() {
            if self.all[client].label.is_empty() {
                self.all[client].label = self.free_label(name.to_owned());
            }
        }
    }

    /// The clients, for changing their data.
    pub(crate) fn all_mut(&mut self) -> &mut [Site] {
        &mut self.all
    }

    /// A client's data, for adding to them; `None` if there is no such client.
    pub(crate) fn site(&mut self, client: usize) -> Option<&mut Site> {
        self.all.get_mut(client)
    }

    /// Keeps a stretch of the first part, if there is room.
    pub(crate) fn keep(&mut self, client: usize, stretch: &[f64]) {
        if let Some(site) = self.all.get_mut(client)
            && site.stretches.len() < KEPT_OF_ONE
            && self.n_kept < KEPT_OF_ALL
        {
            site.stretches.push(Stretch(stretch.to_vec()));
            self.n_kept += 1;
        }
    }

    /// Whether a stretch of this client would be kept.
    pub(crate) fn has_room(&self, client: usize) -> bool {
        self.n_kept < KEPT_OF_ALL && self.all.get(client).is_some_and(|site| site.stretches.len() < KEPT_OF_ONE)
    }

    /// Adds the clients of another file, see [`Sites::add`].
    ///
    /// # Errors
    /// If the numbers of states or inputs differ, or there are too many clients.
    pub fn join(&mut self, other: Self) -> Result<(), Refusal> {
        let sizes = |dims: Dims| (dims.n_states, dims.n_inputs);
        if self.dims != other.dims {
            return Err(Fault::OtherSizes(sizes(other.dims), sizes(self.dims)).anywhere());
        }
        for mut site in other.all {
            site.stretches.truncate(KEPT_OF_ALL - self.n_kept);
            self.n_kept += site.stretches.len();
            self.add(site).map_err(Fault::anywhere)?;
        }
        Ok(())
    }

    /// Registers and returns a label that is not in use; several may be empty. Numbers only grow, so that thousands of
    /// clients with one name take no time.
    fn free_label(&mut self, label: String) -> String {
        if label.is_empty() {
            return label;
        }
        let mut free = label.clone();
        if let Some(&first) = self.labels.get(label.as_bytes()) {
            let mut number = first;
            while self.labels.contains_key(free.as_bytes()) {
                free = format!("{label} ({number})");
                number += 1;
            }
            self.labels.insert(label.into_bytes().into(), number);
        }
        self.labels.insert(free.as_bytes().into(), 2);
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMS: Dims = Dims { n_states: 1, n_inputs: 1 };

    fn sites(labels: &[&str]) -> Sites {
        let mut sites = Sites::new(DIMS, vec!["x1".into(), "u1".into()]);
        for &label in labels {
            sites.add(Site::new(label.into(), DIMS)).unwrap();
        }
        sites
    }

    #[test]
    fn sites_of_one_name_are_told_apart() {
        let mut both = sites(&["A", "B"]);
        both.join(sites(&["A", "C"])).unwrap();
        both.join(sites(&["A"])).unwrap();
        let labels: Vec<_> = both.all().iter().map(|site| site.label.as_str()).collect();
        assert_eq!(labels, ["A", "B", "A (2)", "C", "A (3)"]);
    }

    #[test]
    fn names_with_numbers_of_their_own_are_not_given_twice() {
        let sites = sites(&["A", "A (3)", "A", "A", "A (2)", "A (3)"]);
        let labels: Vec<_> = sites.all().iter().map(|site| site.label.as_str()).collect();
        assert_eq!(labels, ["A", "A (3)", "A (2)", "A (4)", "A (2) (2)", "A (3) (2)"]);
    }

    #[test]
    fn clients_without_a_name_get_that_of_their_file() {
        let mut sites = sites(&["", "A", "", "A"]);
        sites.name_rest("A");
        let labels: Vec<_> = sites.all().iter().map(|site| site.label.as_str()).collect();
        assert_eq!(labels, ["A (3)", "A", "A (4)", "A (2)"]);
    }

    /// Takes milliseconds; trying every number again for every client would take minutes.
    #[test]
    fn ten_thousand_of_one_name_are_told_apart_at_once() {
        let begin = std::time::Instant::now();
        let sites = sites(&vec!["A"; MOST_CLIENTS]);
        assert_eq!(sites.all()[MOST_CLIENTS - 1].label, "A (10000)");
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
    }

    #[test]
    fn sites_of_other_sizes_are_refused() {
        let other = Sites::new(Dims { n_states: 2, n_inputs: 1 }, Vec::new());
        let refused = sites(&["A"]).join(other).unwrap_err().to_string();
        assert_eq!(refused, "this file has n = 2 and p = 1, but those before it have n = 1 and p = 1");
    }

    #[test]
    fn sums_leave_out_one_part() {
        let mut site = Site::new("A".into(), DIMS);
        for (fold, part) in site.folds.iter_mut().enumerate() {
            part.add_sample(&[fold as f64, 1.0], &[2.0]);
        }
        assert_eq!(site.sums(None).n_samples(), 5);
        let rest = site.sums(Some(2));
        assert_eq!((rest.n_samples(), rest.mean()[0]), (4, (0.0 + 1.0 + 3.0 + 4.0) / 4.0));
    }

    #[test]
    fn files_share_the_room_for_stretches() {
        let full = || {
            let labels = vec!["A"; KEPT_OF_ALL / KEPT_OF_ONE - 1];
            let mut sites = sites(&labels);
            for client in 0..labels.len() {
                (0..KEPT_OF_ONE).for_each(|_| sites.keep(client, &[0.0]));
            }
            sites
        };
        let mut both = full();
        both.join(full()).unwrap();
        both.join(full()).unwrap();
        let n_kept: usize = both.all().iter().map(|site| site.stretches.len()).sum();
        assert_eq!((n_kept, both.n_kept, both.has_room(0)), (KEPT_OF_ALL, KEPT_OF_ALL, false));
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let dims = Dims { n_states: 40, n_inputs: 40 };
        let mut sites = Sites::new(dims, Vec::new());
        let refused = (0..MOST_CLIENTS).find_map(|_| sites.add(Site::new(String::new(), dims)).err());
        assert_eq!(refused, Some(Fault::TooMuch(MOST_NUMBERS)));
    }
}
