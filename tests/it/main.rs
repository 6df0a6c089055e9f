//! The native integration tests: one crate, with one comment for each module.

/// The reference data.
mod data;

/// Experiments that several tests use, and comparisons of numbers.
mod experiments;

/// Frames in other pages: the documented facts about them hold.
mod embedding;

/// Pictures as text, reviewed in the diff.
mod golden;

/// The paper's figures and claims against reference data.
mod paper;

/// Predictions with partial participation.
mod participation;

/// Fleets whose clients differ in everything that they can, against independent numbers.
mod independent;

/// Names of students and their seeds: the documented ones are those of the page.
mod names;

/// Copied programs reproduce the numbers of the page.
mod programs;

/// Links and drafts: random ones come back unchanged, and problems of hostile ones are named.
mod params;

/// The simulator's numbers against independent reference data.
mod reference;

/// Any settings give numbers or a reason.
mod robust;

/// The static shell: its picture is the default run, its colors are the figure's.
mod shell;

/// Every text has a translation.
mod texts;

/// Predictions against simulations and brute force.
mod theory;

/// Which module may use which, and things that may stand in one place only.
mod tidy;
