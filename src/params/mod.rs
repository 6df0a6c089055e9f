//! The settings: declared once, used everywhere.
//!
//! One [table](mod@table) of parameters defines sliders, number boxes, links, validation, help and the documentation.
//! Nothing here depends on a browser. In reading order:
//!
//! - [`grid`]: the values a parameter may take and the stops of its slider.
//! - [`mod@table`]: the numbers: key in a link, symbol, name, grid, default, help.
//! - [`choice`]: settings whose value is one of several words.
//! - [`parse`]: a number as people type it.
//! - [`matrix_text`]: a matrix as people type or paste it.
//! - [`notice`]: one problem with one setting, as a sentence.
//! - [`systems`]: the matrices of the family of the clients' systems.
//! - [`draft`]: a value for every setting, always within limits; [`draft::Draft`] is what the page edits.
//! - [`examples`]: example systems with settings that suit them.
//! - [`link`]: drafts as readable links, and back.
//! - [`preset`]: named drafts.
//! - [`paper`]: the paper's figures, and where its text and the authors' code differ.
//! - [`views`]: the view that is shown, and its options.
//! - [`pins`]: drafts kept for comparison.
//! - [`keys`]: every key that a link may have, for those who write links.
//! - [`state`]: all of these together, as a link; [`mod@file`]: as a file, in [`json`]; [`history`]: undo and redo.

pub mod choice;
pub mod draft;
pub mod embed;
pub mod examples;
pub mod file;
pub mod grid;
pub mod guide;
pub mod history;
pub mod json;
pub mod keys;
pub mod link;
pub mod matrix_text;
pub mod name;
pub mod notice;
pub mod paper;
pub mod parse;
pub mod pins;
pub mod preset;
pub mod state;
pub mod systems;
pub mod table;
pub mod views;
pub mod word;

pub use choice::{Algorithms, Choice};
pub use draft::Draft;
pub use grid::{Grid, Move, Stride};
pub use guide::Lesson;
pub use notice::{Notice, Problem};
pub use pins::Pin;
pub use preset::Preset;
pub use state::State;
pub use systems::{MatrixKey, Systems};
pub use table::{Key, Param};
pub use views::{View, Views};
pub use word::Word;
