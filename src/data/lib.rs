//! System identification from people's own data: rollouts or moments in files. The true systems are not known here.
//!
//! # Reading order
//! [`lines`], [`fields`], [`decimal`] and [`header`] (text) → [`reader`] (rows, as bytes arrive) → [`rollouts`] (pairs
//! of successive rows as samples) → [`sums`] and [`sites`] (the data that are kept) → [`estimate`] (least squares with
//! standard errors, by [`special`]'s quantiles), [`shared`] (the federated methods), [`spread`] (how far clients
//! differ) and [`constant`] (whether models lack one) → [`identify`] (all of these, in small steps). Sites that cannot share rows exchange a [`moments_file`];
//! [`mod@write`] turns rollouts into a file. [`refusal`] names the fault of a file, and its line.
//!
//! The formats are described in `docs/data.md`.

pub mod constant;
pub mod decimal;
pub mod estimate;
pub mod fields;
pub mod header;
pub mod identify;
pub mod lines;
pub mod moments_file;
pub mod reader;
pub mod refusal;
#[cfg(test)]
mod robust;
pub mod rollouts;
pub mod shared;
pub mod sites;
pub mod special;
pub mod spread;
pub mod sums;
pub mod write;

pub use fedsysid_sim::Matrix;
pub use fedsysid_sim::system::Dims;
