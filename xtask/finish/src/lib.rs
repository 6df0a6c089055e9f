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

use sha2::{Digest, Sha256};

/// The page itself.
const PAGE: &str = "index.html";

/// A file's name with a part that is another one for other content.
fn by_content(stem: &str, content: &str, ending: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(content).into();
    format!("{stem}-{:016x}.{ending}", hash[..8].iter().fold(0, |hash, &byte| hash << 8 | u64::from(byte)))
}

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
    texts::name(folder)?;
    offline::fill(folder)
}
