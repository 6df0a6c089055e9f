//! How fast the simulator is: beside the floor that its generator sets, beside the loop as the paper prints it, and beside
//! NumPy; and beside it, the same in a browser.
//!
//! `cargo xtask bench` and `cargo xtask bench browser` print the figures as JSON, and a table for people on the error stream. Only ratios of what was
//! measured in one run on one machine have limits, besides one that leaves an order of magnitude to spare.
//!
//! In reading order:
//!
//! - [`cell`]: the settings that are measured.
//! - [`contest`]: what is timed, the simulator among it.
//! - [`clock`]: the best of many turns.
//! - [`slope`]: a time that is free of what a run costs just for being run.
//! - [`steps`]: the longest step of anything that is done in steps.
//! - [`allocations`]: what is allocated where nothing should be.
//! - [`numpy`]: the same cell in NumPy, at its best.
//! - [`figures`]: what the measurements say, and their limits.
//! - [`report`]: figures as JSON and as a table.

pub mod allocations;
pub mod cell;
pub mod clock;
pub mod contest;
pub mod figures;
pub mod numpy;
pub mod report;
pub mod slope;
pub mod steps;
