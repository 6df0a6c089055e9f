//! What sentences in several places share.

pub mod counting;
pub mod glossary;
