//! The built page in a real browser: what the stories in `tests/` are told with.
//!
//! `cargo xtask test browser` builds the page and runs the stories; one that goes wrong leaves a picture of the page and
//! its source in `target/e2e`. `cargo run -p e2e --bin shots -- FOLDER` takes pictures of what is in `dist/`.
//!
//! In reading order:
//!
//! - [`story`]: one browser with one page, from its start to its end; what holds in every story.
//! - [`page`]: the page as a person uses it: controls, numbers and words as verbs.
//! - [`gesture`]: what mouse, fingers and keys do.
//! - [`native`]: what the page should show, computed by the library on this machine.
//! - [`witness`]: what only a script within the page can see.
//! - [`trace`]: how long the processor was at the page's tasks.
//! - [`site`]: the server of the page, and what becomes of requests that do not go there (`recorder`).
//! - [`browser`]: a browser and the program that drives it.

pub mod browser;
pub mod gesture;
pub mod native;
pub mod page;
mod recorder;
pub mod site;
pub mod story;
pub mod trace;
pub mod witness;

use std::fmt::Arguments;
use std::io::Write;

/// Prints a measured figure, also when the test passes: the harness of the tests holds back only what `print!` writes.
pub fn report(figure: Arguments) {
    let _ = writeln!(std::io::stderr(), "    {figure}");
}
