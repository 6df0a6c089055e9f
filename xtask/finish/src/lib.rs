//! What the bundler runs last (`Trunk.toml`), on the page as it is built.

pub mod offline;
mod texts;

use std::io::Result;
use std::path::Path;

/// Puts into a built page what only now can be: other languages' texts, and the list of all files for the service worker.
///
/// # Errors
/// If a file cannot be read or written, or a table of texts cannot be used.
pub fn finish(folder: &Path) -> Result<()> {
    texts::write(folder)?;
    offline::fill(folder)
}
