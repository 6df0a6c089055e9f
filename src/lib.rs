//! FedSysID live: federated system identification, simulated and drawn.
//!
//! `M` clients, each with data from a slightly different linear system `x⁺ = A⁽ⁱ⁾x + B⁽ⁱ⁾u + w`, learn one model
//! `Θ = [A B]` together (Wang, Toso, Anderson, "FedSysID: A Federated Approach to Sample-Efficient System
//! Identification", arXiv 2211.14393). The modules, in reading order:
//!
//! - [`sim`]: systems, data, estimation. Pure: numbers in, numbers out.
//! - [`theory`]: predictions for an experiment, in closed form. As pure.
//! - [`data`]: people's own data, read and identified. As pure.
//! - [`params`]: the settings, declared once: ranges, defaults, links, validation.
//! - [`protocol`]: the messages between the page and its engines.
//! - [`engine`]: studies in slices, and the supervision of the engines that run them.
//! - [`figure`]: plain data → picture, on any Plotters surface.
//! - [`dashboard`]: the page's state without a page: results, pictures of them, sentences about them.
//! - `web`: workers, timers and listeners of a browser (feature `web`).
//! - `ui`: the page itself, in Leptos (feature `web`).

pub use fedsysid_data as data;
pub use fedsysid_sim as sim;
pub use fedsysid_theory as theory;

pub mod dashboard;
pub mod engine;
pub mod figure;
pub mod params;
pub mod protocol;
mod text;
#[cfg(feature = "web")]
pub mod ui;
#[cfg(feature = "web")]
pub mod web;
