//! Debian's and Ubuntu's packages, where this account may install them.

use std::process::Command;

use anyhow::{Context, Result};
use which::which;

use crate::pins;
use crate::process::{Logged, capture};
use crate::project::Project;

/// A usable apt: it exists, and this account is root or may become root without a password.
pub(crate) struct Apt {
    as_root: Vec<&'static str>,
}

impl Apt {
    /// `None` where there is no apt, or no right to use it.
    pub(crate) fn find() -> Option<Self> {
        which("apt-get").ok()?;
        if capture(Command::new("id").arg("-u"))? == "0" {
            return Some(Self { as_root: vec![] });
        }
        capture(Command::new("sudo").args(["-n", "true"]))?;
        Some(Self { as_root: vec!["sudo", "-n"] })
    }

    /// Whether the package lists, as they are now, offer every one of `packages`.
    pub(crate) fn offers(packages: &[&str]) -> bool {
        packages.iter().all(|package| candidate(package).is_some())
    }

    /// Fetches the package lists.
    pub(crate) fn update(&self, project: &Project) -> Result<()> {
        self.run(project, "apt-update", &["update"]).context("the package lists could not be fetched")
    }

    /// Installs `packages`, without what they merely recommend.
    pub(crate) fn install(&self, project: &Project, packages: &[&str]) -> Result<()> {
        let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
        arguments.extend(packages);
        self.run(project, "apt-install", &arguments)
    }

    /// Installs the first of `choices` that the newest package lists offer as a whole; `false` if none is.
    pub(crate) fn install_first<const N: usize>(&self, project: &Project, choices: &[[&str; N]]) -> Result<bool> {
        self.update(project)?;
        let Some(packages) = choices.iter().find(|packages| Self::offers(*packages)) else { return Ok(false) };
        self.install(project, packages).map(|()| true)
    }

    fn run(&self, project: &Project, log: &str, arguments: &[&str]) -> Result<()> {
        // `env` because sudo hands no variables on.
        let words = [
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            // Another installation may be under way: wait for it.
            "-oDPkg::Lock::Timeout=300",
            // Without a network that is soon known.
            "-oAcquire::http::Timeout=30",
            "-oAcquire::https::Timeout=30",
        ];
        let mut words = self.as_root.iter().chain(&words).chain(arguments);
        let program = words.next().context("there is always a first word")?;
        Logged { log: project.log(log), limit: pins::APT_LIMIT }.run(Command::new(program).args(words))
    }
}

/// The version of `package` that would be installed.
fn candidate(package: &str) -> Option<String> {
    let policy = capture(Command::new("apt-cache").args(["policy", package]).env("LC_ALL", "C"))?;
    parse_candidate(&policy).map(str::to_owned)
}

fn parse_candidate(policy: &str) -> Option<&str> {
    policy
        .lines()
        .find_map(|line| line.trim().strip_prefix("Candidate:"))
        .map(str::trim)
        .filter(|version| *version != "(none)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(policy: &str, expected: Option<&str>) {
        assert_eq!(parse_candidate(policy), expected);
    }

    #[test]
    fn the_candidate_is_what_would_be_installed() {
        check(
            "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  Version table:",
            Some("1.96.0+dfsg1-1~deb12u2"),
        );
        check("gone:\n  Installed: 1.0\n  Candidate: (none)", None);
        check("", None);
    }
}
