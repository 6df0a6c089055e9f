//! What a person can set: declared once, read everywhere.
//!
//! One [table](mod@table) of parameters drives sliders, number boxes, links, validation, help and the documentation. Nothing
//! here knows a browser. In reading order:
//!
//! - [`grid`]: the values a parameter may take and the stops of its slider.
//! - [`mod@table`]: the numbers: key in a link, symbol, name, grid, default, help.
//! - [`choice`]: the settings that are a choice among words.
//! - [`parse`]: a number as people type it.
//! - [`notice`]: one problem with one setting, as a sentence.
//! - [`draft`]: a value for every setting, always within limits; [`draft::Draft`] is what the page edits.
//! - [`link`]: drafts as readable links, and back.
//! - [`preset`]: named drafts.
//! - [`paper`]: the paper's figures, and where its text and the authors' code differ.
//! - [`views`]: what of all this is looked at, and how.

pub mod choice;
pub mod draft;
pub mod grid;
pub mod link;
pub mod notice;
pub mod paper;
pub mod parse;
pub mod preset;
pub mod table;
pub mod views;

pub use choice::{Algorithms, Choice};
pub use draft::Draft;
pub use grid::{Grid, Move, Stride};
pub use notice::{Notice, Problem};
pub use preset::Preset;
pub use table::{Key, Param};
pub use views::{View, Views};
