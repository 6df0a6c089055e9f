//! The checker of accessibility that the browser tests put into the page: one script, from npm, in the cache.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;
use which::which;

use super::{Plan, Requirement};
use crate::pins;
use crate::process::Logged;
use crate::project::Project;

/// The variable that names the script, for this tool and for the tests it starts.
pub(crate) const AXE_VARIABLE: &str = "FEDSYSID_AXE";

/// axe-core.
pub(crate) struct Axe<'a> {
    pub(crate) project: &'a Project,
}

/// The script.
pub(crate) struct Script(pub(crate) PathBuf);

impl std::fmt::Display for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.display().to_string())
    }
}

impl Axe<'_> {
    /// One folder a version: an upgrade never disturbs another checkout.
    fn folder(&self) -> PathBuf {
        self.project.cache.join(format!("axe-core-{}", pins::AXE))
    }
}

impl Requirement for Axe<'_> {
    type Found = Script;

    fn name(&self) -> String {
        format!("axe-core {}", pins::AXE)
    }

    fn find(&self) -> Option<Script> {
        let chosen = env::var_os(AXE_VARIABLE).map(PathBuf::from);
        let cached = || self.folder().join("node_modules").join("axe-core").join("axe.min.js");
        Some(chosen.unwrap_or_else(cached)).filter(|path| path.is_file()).map(Script)
    }

    fn plan(&self) -> Plan {
        let version = pins::AXE;
        if let Some(given) = env::var_os(AXE_VARIABLE) {
            let given = PathBuf::from(given);
            return Plan::Advise(format!(
                "{AXE_VARIABLE} is {}, which is no file\n  what to do: let it name an axe.min.js of version {version}, or unset it",
                given.display()
            ));
        }
        if which("npm").is_err() {
            return Plan::Advise(format!(
                "it comes with npm, which is not here\n  what to do: install Node.js with npm (https://nodejs.org), or let \
                 {AXE_VARIABLE} name an axe.min.js of version {version}"
            ));
        }
        Plan::Install("fetching it with npm".to_owned())
    }

    fn install(&self) -> Result<()> {
        let npm = which("npm")?;
        let mut command = Command::new(npm);
        command
            .args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--prefix"])
            .arg(self.folder())
            .arg(format!("axe-core@{}", pins::AXE));
        Logged { log: self.project.log("axe-core"), limit: pins::NPM_LIMIT }.run(&mut command)
    }
}
