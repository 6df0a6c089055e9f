//! Runs studies in slices, as pure state machines: no clock, no thread, no browser.
//!
//! - [`runner`]: the state of one engine. A worker drives it or, where workers cannot start, the page.
//! - [`pool`]: the page's side: which request to send to which engine when, and how to handle engines that are late,
//!   dead or never start.
//!
//! The caller passes the time in milliseconds.

pub mod pool;
pub mod runner;
mod survey;
