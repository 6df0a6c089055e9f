//! Federated system identification: simulated data, estimates, and federated rounds in closed form.
//!
//! # Setting
//! Client `i` of `M` observes `x_{t+1} = A⁽ⁱ⁾x_t + B⁽ⁱ⁾u_t + w_t` for `t = 0…T−1`, in `N_i` independent rollouts with
//! `x_0 ~ N(0, σ_x²I_n)`, `u_t ~ N(0, σ_u²I_p)` and `w_t ~ N(0, σ_w²I_n)`. With the regressor `z_t = [x_t; u_t]` of
//! length `d = n + p` and `Θ = [A B]` (n×d), a client's data are used only through the moments
//!
//! ```text
//! S_i = Σ z zᵀ   (d×d, the Gram matrix)        C_i = Σ x⁺ zᵀ   (n×d)
//! ```
//!
//! because minus half the gradient of the squared one-step error `‖X − ΘZ‖_F²` is `(X − ΘZ)Zᵀ = C_i − ΘS_i`.
//!
//! # Reading order
//! - Clients and their amounts of data: [`system`], [`family`], [`spread`], [`plan`], [`scenario`].
//! - Random numbers: [`stream`], [`normal`], [`chi`].
//! - Data: [`simulator`], [`moments`], [`fleet`], [`samples`].
//! - One-shot least squares: [`estimate`].
//! - Federated rounds in closed form: [`schedule`], [`local_map`], [`participation`], [`method`]; [`textbook`] is the
//!   reference in tests.
//! - Step sizes: [`stability`].
//! - Errors: [`target`], [`centre`], [`rounds`] (when they are recorded), [`gain`] (who gains from joining), [`stats`].
//! - Experiments over `q` data sets: [`run`], [`trial`], [`data_sets`], [`study`].
//! - Arithmetic: [`lanes`], [`reflection`], [`eigen`], [`spectrum`], [`cholesky`], [`norm`], [`angle`], [`sort`].
//!
//! This is a separate package because its loops are optimized for speed and the page for size. It knows nothing of the
//! web, does not draw, print or read a clock, and does not panic on a checked [`scenario::Scenario`].

pub mod angle;
pub mod centre;
pub mod chi;
pub mod cholesky;
pub mod data_sets;
pub mod eigen;
pub mod estimate;
pub mod family;
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
pub mod sort;
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

/// A matrix with a size known at run time: `n` and `p` are values, not types.
pub type Matrix = nalgebra::DMatrix<f64>;
