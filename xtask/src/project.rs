//! Which folders a run works in.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use etcetera::BaseStrategy;

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
        let root = root()?;
        let target = env::var_os("CARGO_TARGET_DIR").map_or_else(
            || root.join("target"),
            // Cargo resolves a relative folder against where it was called.
            |dir| std::path::absolute(&dir).unwrap_or_else(|_| PathBuf::from(dir)),
        );
        Ok(Self { root, target, cache: cache()? })
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
        fs::create_dir_all(&self.cache)
            .with_context(|| format!("cannot create the cache folder {}", self.cache.display()))?;
        let path = self.cache.join("lock");
        let file = File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
        Ok(file)
    }
}

/// The parent of this package. Asked at run time first: a shared target folder can hold an
/// `xtask` that was compiled in another checkout.
fn root() -> Result<PathBuf> {
    let package =
        env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let root = package.parent().map(Path::to_path_buf);
    root.with_context(|| format!("{} has no parent folder", package.display()))
}

fn cache() -> Result<PathBuf> {
    if let Some(dir) = env::var_os("FEDSYSID_CACHE") {
        return std::path::absolute(&dir).context("FEDSYSID_CACHE is not a usable path");
    }
    let strategy = etcetera::choose_base_strategy()
        .context("this account has no home folder; set FEDSYSID_CACHE to a folder for the tools")?;
    Ok(strategy.cache_dir().join("fedsysid"))
}
