//! The native integration tests: one crate, one comment a module.
