//! What only a script within the page can see, as that script reports it.

use anyhow::{Context, Result};
use serde::Deserialize;

/// The script; every document of a story starts with it.
pub const SCRIPT: &str = include_str!("witness.js");

/// A task of the main thread that took more than 50 ms.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
pub struct LongTask {
    /// When it began, in milliseconds since navigation.
    pub at: f64,
    /// How long it took, in milliseconds.
    pub ms: f64,
}

/// Something that changed its place without having been asked to.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct Shift {
    /// When, in milliseconds since navigation.
    pub at: f64,
    /// How much of the window moved, times how far.
    pub value: f64,
    /// The elements that moved, from where to where.
    pub what: Vec<String>,
}

/// A write of the page's address.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub struct AddressWrite {
    /// When, in milliseconds since navigation.
    pub at: f64,
    /// The address.
    pub url: String,
}

/// Everything since navigation.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    long_tasks: Option<Vec<LongTask>>,
    shifts: Option<Vec<Shift>>,
    /// Writes of the address.
    pub address_writes: Vec<AddressWrite>,
    /// What a content security policy refused, and where.
    pub violations: Vec<String>,
    /// Errors that nobody caught.
    pub errors: Vec<String>,
    /// When the shell was gone and the chart drawn, in milliseconds since navigation.
    pub first_curve: Option<f64>,
    /// Workers started.
    pub workers: usize,
}

impl Report {
    /// Tasks over 50 ms.
    ///
    /// # Errors
    /// If the browser does not tell of them.
    pub fn long_tasks(&self) -> Result<&[LongTask]> {
        self.long_tasks.as_deref().context("this browser does not tell of long tasks")
    }

    /// What moved about.
    ///
    /// # Errors
    /// If the browser does not tell of it.
    pub fn shifts(&self) -> Result<&[Shift]> {
        self.shifts.as_deref().context("this browser does not tell what moves about")
    }
}

/// What was seen of the frames of a while.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Frames {
    /// Frames.
    pub frames: usize,
    /// Frames in a second, on average.
    pub per_second: f64,
    /// The longest time between two, in milliseconds.
    pub longest_gap: f64,
    /// Different pictures among those looked at, ten a second.
    pub pictures: usize,
}
