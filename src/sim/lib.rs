//! Simulation and estimation: numbers in, numbers out.
//!
//! # Setting
//! Client `i` of `M` watches `x_{t+1} = A⁽ⁱ⁾x_t + B⁽ⁱ⁾u_t + w_t` for `t = 0…T−1`, in `N_i` independent rollouts with
//! `x_0 ~ N(0, σ_x²I_n)`, `u_t ~ N(0, σ_u²I_p)`, `w_t ~ N(0, σ_w²I_n)`. With the regressor `z_t = [x_t; u_t]` of length
//! `d = n + p` and `Θ = [A B]` (n×d), all that is ever used of its data are the moments
//!
//! ```text
//! S_i = Σ z zᵀ   (d×d, the Gram matrix)        C_i = Σ x⁺ zᵀ   (n×d)
//! ```
//!
//! since the gradient of the squared one-step error is `(X − ΘZ)Zᵀ = C_i − ΘS_i`.
//!
//! # Reading order
//! [`system`], [`family`], [`spread`] and [`plan`] (who the clients are, and how much data they have) → [`stream`] and
//! [`normal`] (randomness) → [`simulator`] and [`moments`] (their data) → [`estimate`] (one-shot least squares) →
//! [`schedule`], [`local_map`], [`participation`], [`method`] (federated rounds in closed form), with [`textbook`] as the
//! oracle → [`target`] and [`rounds`] (what is recorded), [`gain`] (who gains) → [`trial`], [`data_sets`] and [`study`] (the whole experiment, over
//! `q` data sets). [`stability`] tells how large steps may be. [`lanes`], [`chi`], [`reflection`], [`eigen`], [`spectrum`], [`cholesky`], [`norm`], [`turn`] and [`few`] are the arithmetic beneath.
//!
//! A package of its own, since its loops want all optimization where the page wants to be small. Nothing here knows the
//! web, draws, prints, reads a clock, or panics on a checked [`scenario::Scenario`].

pub mod centre;
pub mod chi;
pub mod cholesky;
pub mod data_sets;
pub mod eigen;
pub mod estimate;
pub mod family;
pub mod few;
pub mod fleet;
pub mod gain;
pub mod lanes;
pub mod local_map;
pub mod method;
pub mod moments;
pub mod norm;
pub mod normal;
pub mod participation;
pub mod plan;
pub mod reflection;
pub mod rounds;
pub mod run;
pub mod samples;
pub mod scenario;
pub mod schedule;
pub mod simulator;
pub mod spectrum;
pub mod spread;
pub mod stability;
pub mod stats;
pub mod stream;
pub mod study;
pub mod system;
pub mod target;
pub mod textbook;
pub mod trial;
pub mod turn;

/// A matrix whose size is known at run time; `n` and `p` are values, not types.
pub type Matrix = nalgebra::DMatrix<f64>;
