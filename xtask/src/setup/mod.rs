//! What must be installed, how to see whether it is, and how it gets there.
//!
//! Everything is a [`Requirement`]; `setup` installs what is missing and `doctor` only tells.
//! Reading order: [`wasm_target`] (with [`debian_rust`] for where rustup cannot help), [`tool`],
//! [`crates`], [`mod@browser`] with [`firefox`] and [`webkit`], [`engine`].

mod apt;
pub(crate) mod axe;
pub(crate) mod browser;
pub(crate) mod crates;
mod debian_rust;
pub(crate) mod engine;
pub(crate) mod firefox;
pub(crate) mod tool;
pub(crate) mod wasm_target;
pub(crate) mod webkit;

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::project::Project;
use crate::report;

use axe::{Axe, Script};
use browser::{Browser, BrowserPair};
use crates::Crates;
use engine::{Engine, Engines};
use tool::Tool;
use wasm_target::{WasmTarget, WasmToolchain};

/// The two halves of the project that can be set up and tested apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// The library on this machine: needs Rust alone.
    Native,
    /// The built page in a browser.
    Browser,
}

impl Part {
    /// Both parts, in the order they run.
    pub(crate) const ALL: [Self; 2] = [Self::Native, Self::Browser];

    /// The asked part, or all of them.
    pub(crate) fn chosen(part: Option<Self>) -> Vec<Self> {
        part.map_or_else(|| Self::ALL.to_vec(), |part| vec![part])
    }
}

/// Something that must be on this machine.
pub(crate) trait Requirement {
    /// What is known once it is there; displayed as its place.
    type Found: Display;

    /// What to call it.
    fn name(&self) -> String;

    /// Looks for it, without a network and without changing anything.
    fn find(&self) -> Option<Self::Found>;

    /// What can be done about its absence.
    fn plan(&self) -> Plan;

    /// Puts it there.
    fn install(&self) -> Result<()>;
}

/// What can be done about something that is missing.
pub(crate) enum Plan {
    /// [`Requirement::install`] does this, as "compiling it …".
    Install(String),
    /// Only a person can: the reason, and on lines of their own the ways.
    Advise(String),
}

/// Finds `requirement`, installing it when it is missing.
fn ensure<R: Requirement>(project: &Project, requirement: &R) -> Result<R::Found> {
    if let Some(found) = present(requirement) {
        return Ok(found);
    }
    let _lock = project.lock_cache()?;
    // Another run may have installed it while this one waited for the lock.
    if let Some(found) = present(requirement) {
        return Ok(found);
    }
    let name = requirement.name();
    match requirement.plan() {
        Plan::Install(how) => report::begin(&name, &how),
        Plan::Advise(advice) => bail!("{name} is missing: {advice}"),
    }
    let start = Instant::now();
    requirement.install().with_context(|| format!("{name} could not be installed"))?;
    let found = requirement.find().with_context(|| {
        format!("{name} was installed and still is not found; `cargo xtask doctor` shows where it is looked for")
    })?;
    report::installed(&name, &found.to_string(), start);
    Ok(found)
}

/// Finds `requirement` and says so.
fn present<R: Requirement>(requirement: &R) -> Option<R::Found> {
    let found = requirement.find()?;
    report::present(&requirement.name(), &found.to_string());
    Some(found)
}

/// All that turns the sources into a page.
pub(crate) struct SiteTools {
    toolchain: WasmToolchain,
    /// The bundler.
    pub(crate) trunk: PathBuf,
    wasm_bindgen: PathBuf,
}

impl SiteTools {
    /// Lets `command`, and what it starts, find the tools.
    pub(crate) fn apply(&self, command: &mut Command) -> Result<()> {
        self.toolchain.apply(command);
        // The compiler first: the folder of a tool may hold another one.
        let compiler = self.toolchain.bin();
        let tool = self.wasm_bindgen.parent().map(Path::to_path_buf);
        command.env("PATH", search_path(compiler.into_iter().chain(tool))?);
        Ok(())
    }
}

/// This process's search path with `folders` in front.
fn search_path(folders: impl Iterator<Item = PathBuf>) -> Result<OsString> {
    let rest = env::var_os("PATH").unwrap_or_default();
    let all = folders.chain(env::split_paths(&rest));
    env::join_paths(all).context("a tool's folder cannot be part of a search path")
}

/// Sets up all that building the page needs.
pub(crate) fn site(project: &Project) -> Result<SiteTools> {
    report::heading("Set-up: the page");
    let toolchain = ensure(project, &WasmTarget { project })?;
    let trunk = ensure(project, &Tool::trunk(project))?.path;
    let wasm_bindgen = ensure(project, &Tool::wasm_bindgen(project)?)?.path;
    ensure(project, &Crates { project })?;
    clean(project)?;
    Ok(SiteTools { toolchain, trunk, wasm_bindgen })
}

/// Removes what compiling the tools left. They share most of it, so it is kept until all of them are there.
fn clean(project: &Project) -> Result<()> {
    let folder = Tool::build_folder(project);
    if folder.exists() {
        let _lock = project.lock_cache()?;
        // Nothing depends on it: if it cannot be removed, it only takes room.
        drop(fs::remove_dir_all(folder));
    }
    Ok(())
}

/// Sets up the browser that measures, and takes pictures.
pub(crate) fn browser(project: &Project) -> Result<BrowserPair> {
    report::heading("Set-up: a browser");
    ensure(project, &Browser { project })
}

/// Sets up these engines; without a word all that can be.
///
/// # Errors
/// If one that is asked for, or Chromium, is not there and cannot be installed.
pub(crate) fn engines(project: &Project, asked: &[Engine]) -> Result<Engines> {
    report::heading("Set-up: browsers for the tests");
    let engines = Engines::set_up(project, asked)?;
    engines.missing.iter().for_each(|missing| report::note(&format!("  {missing}")));
    Ok(engines)
}

/// Sets up the checker of accessibility.
///
/// # Errors
/// If it is not there and cannot be installed. All other tests can do without.
pub(crate) fn axe(project: &Project) -> Result<Script> {
    ensure(project, &Axe { project })
}

/// The command `setup`.
pub(crate) fn run(project: &Project, part: Option<Part>) -> Result<()> {
    let start = Instant::now();
    let mut place = "Everything is in place";
    for part in Part::chosen(part) {
        match part {
            // The tests of the library need nothing beyond the Rust that runs this program.
            Part::Native => {}
            Part::Browser => {
                site(project)?;
                let engines = engines(project, &[])?;
                let axe = axe(project);
                if let Err(error) = &axe {
                    report::note(&format!("  {error:#}"));
                }
                if axe.is_err() || !engines.missing.is_empty() {
                    place = "Everything is in place but what is named above";
                }
            }
        }
    }
    report::note(&format!("\n{place} ({}).", report::seconds(start.elapsed())));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_up_comes_before_what_is_on_the_search_path() {
        let ours = [PathBuf::from("/compiler"), PathBuf::from("/tool")];
        let path = search_path(ours.clone().into_iter()).unwrap();
        let folders: Vec<_> = env::split_paths(&path).collect();
        assert_eq!(folders[..2], ours);
        let before: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap()).collect();
        assert_eq!(folders[2..], before);
    }

    #[test]
    fn both_parts_are_chosen_unless_one_is_asked_for() {
        assert_eq!(Part::chosen(None), [Part::Native, Part::Browser]);
        assert_eq!(Part::chosen(Some(Part::Browser)), [Part::Browser]);
    }

    #[test]
    fn what_was_compiled_on_the_way_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { root: "/".into(), target: "/".into(), cache: folder.path().to_owned() };
        fs::create_dir_all(Tool::build_folder(&project).join("debug")).unwrap();
        clean(&project).unwrap();
        assert!(!Tool::build_folder(&project).exists());
        assert!(clean(&project).is_ok());
    }
}
