//! What sentences in several places share.
//!
//! - [`names`]: names of methods, estimates and clients; [`counting`]: counts and lists in words.
//! - [`thresholds`]: from which size on differences are spoken of.
//! - [`glossary`]: explanations of quantities; [`table`]: tables, and as files; [`html`]: as
//!   markup.

pub mod counting;
pub mod glossary;
pub mod html;
pub mod names;
pub mod table;
pub mod thresholds;
