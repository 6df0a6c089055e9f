//! Which folders a run works in.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use etcetera::BaseStrategy;

use crate::process;

/// The folders of one checkout, and the per-user cache that all checkouts share.
pub(crate) struct Project {
    /// The repository's root.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// Installed tools and logs; outside the checkout, so that a fresh clone is quick.
    pub(crate) cache: PathBuf,
}

impl Project {
    /// Finds the folders from the environment; creates none of them.
    pub(crate) fn locate() -> Result<Self> {
        let root = root(env::var_os("CARGO_MANIFEST_DIR"))?;
        let target = target(env::var_os("CARGO_TARGET_DIR"), &root);
        let cache = cache(env::var_os("FEDSYSID_CACHE"))?;
        Ok(Self { root, target, cache })
    }

    /// A command of Cargo's on this checkout.
    pub(crate) fn cargo(&self, command: &str) -> Command {
        let mut cargo = process::cargo();
        cargo.arg(command).current_dir(&self.root);
        cargo
    }

    /// The deployable page.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The log of one set-up step.
    pub(crate) fn log(&self, step: &str) -> PathBuf {
        self.cache.join("logs").join(format!("{step}.log"))
    }

    /// Keeps other runs from installing at the same time, until the file is dropped.
    pub(crate) fn lock_cache(&self) -> Result<File> {
        let path = self.cache.join("lock");
        let file = fs::create_dir_all(&self.cache).and_then(|()| File::create(&path)).with_context(|| {
            let cache = self.cache.display();
            format!("tools cannot be kept in {cache}; set FEDSYSID_CACHE to a folder that can be written to")
        })?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }
}

/// The parent of this package. What Cargo says at run time comes first: a target folder that several checkouts share
/// can hold a program that was compiled in another one.
fn root(package: Option<OsString>) -> Result<PathBuf> {
    let package = PathBuf::from(package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into()));
    let root = package.parent().map(Path::to_path_buf);
    root.with_context(|| format!("{} has no parent folder", package.display()))
}

/// As Cargo does: a relative folder counts from where it was called.
fn target(chosen: Option<OsString>, root: &Path) -> PathBuf {
    let chosen = chosen.and_then(|folder| std::path::absolute(folder).ok());
    chosen.unwrap_or_else(|| root.join("target"))
}

fn cache(chosen: Option<OsString>) -> Result<PathBuf> {
    if let Some(folder) = chosen {
        return std::path::absolute(folder).context("FEDSYSID_CACHE is not the path of a folder");
    }
    let strategy = etcetera::choose_base_strategy()
        .context("this account has no home folder; set FEDSYSID_CACHE to a folder for the tools")?;
    Ok(strategy.cache_dir().join("fedsysid"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_folder_of_the_workspace() {
        let root = root(None).unwrap();
        assert!(root.join("Cargo.lock").is_file(), "{}", root.display());
        assert_eq!(super::root(Some("/elsewhere/xtask".into())).unwrap(), Path::new("/elsewhere"));
        assert!(super::root(Some("/".into())).is_err());
    }

    #[test]
    fn folders_can_be_chosen_and_become_absolute() {
        let here = env::current_dir().unwrap();
        let root = Path::new("/checkout");
        assert_eq!(target(None, root), Path::new("/checkout/target"));
        assert_eq!(target(Some("elsewhere".into()), root), here.join("elsewhere"));
        assert_eq!(cache(Some("tools".into())).unwrap(), here.join("tools"));
        assert!(cache(None).unwrap().ends_with("fedsysid"));
        let error = cache(Some("".into())).unwrap_err().to_string();
        assert_eq!(error, "FEDSYSID_CACHE is not the path of a folder");
    }

    #[test]
    fn a_cache_that_cannot_be_written_to_is_named_with_the_way_out() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, "").unwrap();
        let project = Project { root: "/".into(), target: "/".into(), cache: file.join("cache") };
        let error = project.lock_cache().unwrap_err().to_string();
        assert!(error.contains("a file") && error.contains("set FEDSYSID_CACHE to"), "{error}");
    }

    #[test]
    fn a_second_run_waits_for_the_first_to_finish_installing() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project { root: "/".into(), target: "/".into(), cache: folder.path().join("new") };
        let first = project.lock_cache().unwrap();
        let again = File::open(project.cache.join("lock")).unwrap();
        assert!(again.try_lock().is_err());
        drop(first);
        assert!(again.try_lock().is_ok());
    }
}
