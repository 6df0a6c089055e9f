//! People's own data: rollouts or moments from files, identified. Nothing here knows a truth to compare with.
//!
//! # Reading order
//! [`lines`], [`fields`], [`decimal`] and [`header`] (text) → [`reader`] (rows, as the bytes come) → [`rollouts`] (who goes on
//! from where) → [`sums`] and [`sites`] (all that is kept) → [`estimate`] (least squares with standard errors, by [`special`]'s
//! quantiles), [`shared`] (the federated methods) and [`spread`] (how far clients differ) → [`identify`] (all of it, in small
//! steps). [`moments_file`] is what sites exchange that cannot share rows, [`write`] the way back from rollouts to a file.
//! [`refusal`] says what is wrong with a file, and in which line.
//!
//! The formats are described in `docs/data.md`.

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
