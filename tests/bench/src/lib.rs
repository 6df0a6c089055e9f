//! Speed of the simulator: compared with the floor set by its random number generator, with the loop as the paper
//! prints it, with NumPy, and with itself in a browser.
//!
//! `cargo xtask bench` and `cargo xtask bench browser` print the figures as JSON, and a table for people on the error
//! stream. Limits apply only to ratios of measurements from one run on one machine, and to one time, whose limit leaves
//! an order of magnitude to spare.
//!
//! In reading order:
//!
//! - [`cell`]: the measured settings.
//! - [`contest`]: the contestants, the simulator among them.
//! - [`clock`]: the best of many turns.
//! - [`slope`]: a time without the fixed costs of a run.
//! - [`steps`]: the longest step of everything that is done in steps.
//! - [`allocations`]: allocations in loops that should not allocate.
//! - [`numpy`]: the same cell in NumPy, at its best.
//! - [`figures`]: the figures of the measurements, and their limits.
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
