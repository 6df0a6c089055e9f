//! The one place of pinned versions and names.
//!
//! `wasm-bindgen` is pinned in the root `Cargo.toml`; its tool must be of the very same version,
//! which [`crate::lockfile`] reads from `Cargo.lock`.

use std::time::Duration;

/// The target of the page.
pub(crate) const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// The bundler. Later releases need a newer compiler than this project asks for.
pub(crate) const TRUNK: &str = "0.21.14";

/// The library, as `Cargo.lock` names it, whose version the tool must share.
pub(crate) const WASM_BINDGEN_LIBRARY: &str = "wasm-bindgen";

/// The oldest compiler that builds the page: `rust-version` of the root `Cargo.toml`.
pub(crate) const OLDEST_RUST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Debian's packages that hold a second Rust toolchain with the source of its standard library.
/// They follow the browsers' needs, so they are recent even on a stable Debian.
pub(crate) const DEBIAN_RUST: [&str; 4] = ["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm"];

/// A browser and its driver, under Debian's names and under Ubuntu's.
pub(crate) const APT_BROWSERS: [[&str; 2]; 2] =
    [["chromium", "chromium-driver"], ["chromium-browser", "chromium-chromedriver"]];

/// What steers Firefox, from crates.io.
pub(crate) const GECKODRIVER: &str = "0.37.1";

/// Firefox, under Debian's name and under others'.
pub(crate) const APT_FIREFOX: [[&str; 1]; 2] = [["firefox-esr"], ["firefox"]];

/// What steers WebKitGTK, which comes with its small browser, and the screen that this needs.
pub(crate) const APT_WEBKIT: [[&str; 2]; 1] = [["webkit2gtk-driver", "xvfb"]];

/// The checker of accessibility, on npm.
pub(crate) const AXE: &str = "4.14.1";

/// How long npm may take.
pub(crate) const NPM_LIMIT: Duration = Duration::from_mins(3);

/// How long a download through rustup may take before another way is tried.
pub(crate) const RUSTUP_LIMIT: Duration = Duration::from_mins(3);

/// How long apt may take.
pub(crate) const APT_LIMIT: Duration = Duration::from_mins(20);

/// How long compiling a tool, or the standard library, may take.
pub(crate) const COMPILE_LIMIT: Duration = Duration::from_mins(45);
