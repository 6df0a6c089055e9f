//! What the bundler runs last (`Trunk.toml`), on the page as it is built.

mod alike;
mod imports;
mod module;
pub mod offline;
mod reach;
mod scripts;
mod styles;
mod texts;

use std::io::Result;
use std::path::Path;

/// Puts into a built page what only now can be: other languages' texts, the module packed, one style sheet out of
/// all, scripts without comments, and the list of all files for the service worker. A page that is served while one works on
/// it gets the texts alone.
///
/// # Errors
/// If a file cannot be read or written, a table of texts cannot be used, or the module is none.
pub fn finish(folder: &Path) -> Result<()> {
    texts::write(folder)?;
    if offline::is_served_at_work(folder)? {
        return Ok(());
    }
    module::pack(folder)?;
    styles::join(folder)?;
    scripts::shorten(folder)?;
    offline::fill(folder)
}
