//! FedSysID live: federated system identification, simulated and drawn.
//!
//! `M` clients, each with data from a slightly different linear system `x⁺ = A⁽ⁱ⁾x + B⁽ⁱ⁾u + w`, learn one model
//! `Θ = [A B]` together (Wang, Toso, Anderson, "FedSysID: A Federated Approach to Sample-Efficient System
//! Identification", arXiv 2211.14393). The modules, in reading order:
//!
//! - [`sim`]: systems, data, estimation. Pure: numbers in, numbers out.
//! - [`params`]: what a person can set, once: ranges, defaults, links, validation.
//! - [`figure`]: plain data → picture, on any Plotters surface.

pub mod figure;
pub mod params;
pub mod sim;
