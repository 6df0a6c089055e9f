//! The native integration tests: one crate, one comment a module.

/// The reference data.
mod data;

/// What several of them simulate, and how numbers are compared.
mod experiments;

/// Frames in other pages: what is said about them is so.
mod embedding;

/// Pictures as text, reviewed in the diff.
mod golden;

/// The paper's figures and claims against reference data.
mod paper;

/// What was to be expected where not all take part.
mod participation;

/// Where clients differ in all that they can, against independent numbers.
mod independent;

/// What is copied as a program finds the numbers of the page again.
mod programs;

/// Links and drafts: random ones survive, hostile ones are named.
mod params;

/// Our numbers against independent reference data.
mod reference;

/// Numbers or a reason, whatever the settings.
mod robust;

/// The static shell: its picture is the default run, its colors are the figure's.
mod shell;

/// Every text has a translation.
mod texts;

/// What was to be expected against what is simulated, and against brute force.
mod theory;

/// Who may know of whom, and what stands in one place only.
mod tidy;
