//! What leaves the page.
//!
//! - [`export`]: charts as files; [`table`]: their numbers; [`script`]: a program that reproduces them.
//! - [`embedding`]: the code that embeds the page into another one; [`host`]: the messages between the two.

pub mod embedding;
pub mod export;
pub mod host;
pub mod script;
pub mod table;
