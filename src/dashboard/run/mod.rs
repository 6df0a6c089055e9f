//! One run: its figure, and what is said of it.
//!
//! - [`picture`]: the figure; [`readout`]: the numbers at one round; [`sentences`]: words computed from the numbers.
//! - [`badge`]: stability of the methods.
//! - [`anatomy`]: causes of an error; [`join`]: which clients gain, on a strip measured in [`strip_units`]; [`bound`]: the paper's
//!   bound beside predicted and measured errors; [`markup`]: all these as markup.
//! - [`pins`]: runs pinned for comparison.
//! - [`round`]: one round in slow motion.

pub mod anatomy;
pub mod badge;
pub mod bound;
pub mod join;
pub mod markup;
pub mod picture;
pub mod pins;
pub mod readout;
pub mod round;
pub mod sentences;
pub mod strip_units;
