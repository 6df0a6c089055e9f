//! The library crates that `Cargo.lock` names, on this machine.

use std::fmt;
use std::process::Command;

use anyhow::Result;

use super::{Plan, Requirement};
use crate::pins;
use crate::process::{self, Logged, capture};
use crate::project::Project;

/// The sources of every dependency: the bundler runs without a network.
pub(crate) struct Crates<'a> {
    pub(crate) project: &'a Project,
}

/// They are all there.
pub(crate) struct Fetched;

impl fmt::Display for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as in Cargo.lock")
    }
}

impl Crates<'_> {
    fn fetch(&self) -> Command {
        let mut command = process::cargo();
        command.arg("fetch").current_dir(&self.project.root);
        command
    }
}

impl Requirement for Crates<'_> {
    type Found = Fetched;

    fn name(&self) -> String {
        "library crates".to_owned()
    }

    fn find(&self) -> Option<Fetched> {
        capture(self.fetch().arg("--offline")).map(|_| Fetched)
    }

    fn plan(&self) -> Plan {
        Plan::Install("downloading them with `cargo fetch`".to_owned())
    }

    fn install(&self) -> Result<()> {
        Logged { log: self.project.log("fetch"), limit: pins::COMPILE_LIMIT }.run(&mut self.fetch())
    }
}
