//! The page, in Leptos: it reads signals, writes signals and formats; what is computed is computed elsewhere.

pub mod controls;
pub mod notice;
