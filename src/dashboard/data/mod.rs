//! The Data view without a page: files come in as bytes, what is to be shown of them goes out as markup.
//!
//! - [`Desk`]: where the work is done, in a worker: reads, identifies, and writes what is shown.
//! - [`Sheet`]: the page's side: what has come back.
//! - [`parts`]: what goes between them.
//! - [`words`], [`markup`]: what is said and drawn; [`rounds`]: what is typed; [`results`]: the same as a file.
//! - [`charts`]: the pictures, to be taken away.
//! - [`simulated`]: the experiment's own data as such a file.
//!
//! No truth is known of people's data: nothing here speaks of an error against one.

pub mod charts;
mod desk;
pub mod markup;
pub mod parts;
pub mod results;
pub mod rounds;
mod sheet;
pub mod simulated;
pub mod words;

pub use desk::Desk;
pub use parts::Chosen;
pub use sheet::{Reply, Sheet};

use crate::data::Matrix;
use crate::data::identify::{Identified, Model, Way};
use crate::data::rollouts::Tally;
use crate::data::sites::Sites;
use crate::figure::Role;
use crate::sim::method::Method;
use fedsysid_say::say;

/// What a file may look like, for those who have none yet.
pub const FORMAT: &str = "client,rollout,t,x1,x2,u1
1,1,0,0.5,-0.2,1
1,1,1,0.61,0.13,-1
1,1,2,0.07,0.31,
1,2,0,0.4,0.1,1";

/// What was read of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileRead {
    /// The name of the file.
    pub name: String,
    /// How many clients it has.
    pub n_clients: usize,
    /// What the file held.
    pub kind: Kind,
}

/// What a file held.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Rows of rollouts.
    Rollouts {
        /// How many rows, and what was passed over.
        tally: Tally,
        /// The names of columns that were not used.
        unused: Vec<String>,
        /// The names of columns that never change, and their value.
        constants: Vec<(String, f64)>,
        /// What one step takes, in the unit of the file's times.
        step: f64,
    },
    /// Sums of so many samples.
    Moments(u64),
}

/// All that is known of opened data.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The files, in the order in which they were opened.
    pub files: Vec<FileRead>,
    /// The clients' data.
    pub sites: Sites,
    /// What the data tell.
    pub identified: Identified,
}

impl Found {
    /// The outcomes of the shared ways: of all but each client's own.
    pub fn shared(&self) -> impl Iterator<Item = &crate::data::identify::Outcome> {
        self.identified.outcomes.iter().filter(|outcome| outcome.way != Way::Alone)
    }

    /// The ways that give one model for all, with that model Θ̂ (n×d).
    pub fn models(&self) -> impl Iterator<Item = (Way, &Matrix)> {
        self.identified.outcomes.iter().filter_map(|outcome| match &outcome.model {
            Ok(Model::Shared(model)) => Some((outcome.way, model)),
            Ok(Model::Each(_)) | Err(_) => None,
        })
    }

    /// What a client is called.
    pub fn label(&self, client: usize) -> &str {
        match self.sites.all().get(client).map(|site| site.label.as_str()) {
            None | Some("") => say!("the client"),
            Some(label) => label,
        }
    }
}

/// The name of a way, as the page says it.
pub fn way_name(way: Way) -> String {
    match way {
        Way::Alone => say!("alone").into(),
        Way::Pooled => say!("pooled").into(),
        Way::MeanOfLocals => say!("mean of locals").into(),
        Way::Method(solver) => super::picture::method_name(Method::constant(solver)),
    }
}

/// The color of a way, as the role that has it.
pub fn way_role(way: Way) -> Role {
    match way {
        Way::Alone => Role::ClientAlone,
        Way::Pooled => Role::Pooled,
        Way::MeanOfLocals => Role::MeanOfLocals,
        Way::Method(solver) => super::picture::solver_role(solver),
    }
}

#[cfg(test)]
mod tests;
