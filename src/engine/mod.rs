//! Runs studies in slices, as pure state machines: no clock, no thread, no browser.
//!
//! - [`runner`]: one engine's state. A worker drives it; where workers cannot start, the page does.
//! - [`pool`]: the page's side. What to send to whom when, and what to do when an engine is late, dead or never comes.
//!
//! Time comes in as milliseconds from whoever calls.

pub mod pool;
pub mod runner;
mod survey;
