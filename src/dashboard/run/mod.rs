//! One run: its figure, and what is said of it.
//!
//! - [`picture`]: the figure; [`captions`]: what it shows; [`readout`]: the numbers at one round.
//! - [`verdict`]: what joining has done; [`complaints`]: why there are no numbers, or none to rely on.
//! - [`badge`]: stability of the methods; [`outlook`]: what theory expects of their speed and steps.
//! - [`anatomy`]: the error parted by [`cause`]; [`join`]: which clients gain; [`strip_units`]: how both are drawn; [`bound`]: the
//!   paper's bound beside predicted and measured errors.
//! - [`markup`]: all these as markup.
//! - [`pins`]: runs pinned for comparison.
//! - [`round`]: one round in slow motion.

pub mod anatomy;
pub mod badge;
pub mod bound;
pub mod captions;
pub mod cause;
pub mod complaints;
pub mod join;
pub mod markup;
pub mod outlook;
pub mod picture;
pub mod pins;
pub mod readout;
pub mod round;
pub mod strip_units;
pub mod verdict;
