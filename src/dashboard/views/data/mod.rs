//! The Data view without a page: files come in as bytes, and markup goes out.
//!
//! - [`Desk`]: does the work, in a worker: reads files, identifies models, writes the markup.
//! - [`Sheet`]: the page's side: keeps the desk's replies.
//! - [`parts`]: the pieces that go from the desk to the page.
//! - [`words`], [`markup`]: texts and markup; [`rounds`]: the typed numbers of rounds; [`results`]: the results as a
//!   CSV file.
//! - [`charts`]: the points of the charts.
//! - [`simulated`]: the experiment's own data as a file of the same format.
//!
//! The true systems of people's data are unknown: nothing here speaks of an error against them.

pub mod charts;
mod desk;
pub mod markup;
pub mod parts;
pub mod results;
pub mod rounds;
mod sheet;
pub mod simulated;
pub mod words;

pub use desk::{Desk, of_lot};
pub use parts::Chosen;
pub use sheet::{Choices, Reply, Sheet};

use crate::data::Matrix;
use crate::data::identify::{Identified, Model, Way};
use crate::data::rollouts::Tally;
use crate::data::sites::Sites;
use crate::figure::Role;
use crate::sim::method::Method;
use fedsysid_say::say;

/// An example of the file format, for people who have no file yet.
pub const FORMAT: &str = "client,rollout,t,x1,x2,u1
1,1,0,0.5,-0.2,1
1,1,1,0.61,0.13,-1
1,1,2,0.07,0.31,
1,2,0,0.4,0.1,1";

/// A file that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRead {
    /// The name of the file.
    pub name: String,
    /// Number of its clients.
    pub n_clients: usize,
    /// Kind of its content.
    pub kind: Kind,
    /// Its place among the files before it.
    pub beside: Beside,
}

/// Content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Rows of rollouts.
    Rollouts {
        /// The columns of clients, rollouts and time, in words.
        columns: String,
        /// Number of rows, and what was passed over.
        tally: Box<Tally>,
        /// Names of the columns that were not used.
        unused: Vec<String>,
        /// Names and values of the columns that never change.
        constants: Vec<(String, f64)>,
        /// Duration of a step, in the unit of the file's times; `None` without times.
        step: Option<f64>,
    },
    /// Moments; the number of samples that they sum.
    Moments(u64),
}

/// What of a file has other names than in the files before it, or was there already.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beside {
    /// Names of columns here, each with that of the first file for the same state or input.
    pub columns: Vec<(String, String)>,
    /// Number of clients whose names were there before.
    pub n_renamed: usize,
    /// The first of them: its name here, and the one that it got.
    pub renamed: Option<(String, String)>,
    /// Number of clients with exactly the samples of one in the files before.
    pub n_twins: usize,
    /// The names of the first of them and of the one before.
    pub twins: Option<(String, String)>,
}

/// The opened data and the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The files, in the order in which they were opened.
    pub files: Vec<FileRead>,
    /// The clients' data.
    pub sites: Sites,
    /// The results.
    pub identified: Identified,
}

impl Found {
    /// Outcomes of the shared ways: of all ways but `Way::Alone`.
    pub fn shared(&self) -> impl Iterator<Item = &crate::data::identify::Outcome> {
        self.identified.outcomes.iter().filter(|outcome| outcome.way != Way::Alone)
    }

    /// The ways that give one model for all clients, with that model Θ̂ (n×d).
    pub fn models(&self) -> impl Iterator<Item = (Way, &Matrix)> {
        self.identified.outcomes.iter().filter_map(|outcome| match &outcome.model {
            Ok(Model::Shared(model)) => Some((outcome.way, model)),
            Ok(Model::Each(_)) | Err(_) => None,
        })
    }

    /// Label of a client.
    pub fn label(&self, client: usize) -> &str {
        self.sites.all().get(client).map_or("", |site| &site.label)
    }
}

/// Name of a way on the page.
pub fn way_name(way: Way) -> String {
    match way {
        Way::Alone => say!("alone").into(),
        Way::Pooled => say!("pooled").into(),
        Way::MeanOfLocals => say!("mean of locals").into(),
        Way::Method(solver) => crate::dashboard::words::names::method_name(Method::constant(solver)),
    }
}

/// Color of a way, as a role.
pub fn way_role(way: Way) -> Role {
    match way {
        Way::Alone => Role::ClientAlone,
        Way::Pooled => Role::Pooled,
        Way::MeanOfLocals => Role::MeanOfLocals,
        Way::Method(solver) => crate::dashboard::words::names::solver_role(solver),
    }
}

#[cfg(test)]
mod tests;
