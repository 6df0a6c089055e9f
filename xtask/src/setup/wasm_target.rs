//! The standard library for WebAssembly.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};
use which::which;

use super::debian_rust::{DebianRust, holds_standard_library};
use super::{Plan, Requirement};
use crate::pins::{self, WASM_TARGET};
use crate::process::{self, Logged, capture};
use crate::project::Project;

/// A compiler that can make WebAssembly.
pub(crate) struct WasmTarget<'a> {
    pub(crate) project: &'a Project,
}

/// Which compiler that is.
pub(crate) enum WasmToolchain {
    /// The one that also builds for this machine; its standard library lies in this folder.
    Default(PathBuf),
    /// One assembled in the cache: a folder with `bin/cargo` and `bin/rustc`.
    Assembled(PathBuf),
}

impl fmt::Display for WasmToolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default(folder) | Self::Assembled(folder) => folder.display().fmt(f),
        }
    }
}

impl WasmToolchain {
    /// The folder to put on the search path.
    pub(crate) fn bin(&self) -> Option<PathBuf> {
        match self {
            Self::Default(_) => None,
            Self::Assembled(folder) => Some(folder.join("bin")),
        }
    }

    /// Makes `command` use this compiler, given [`WasmToolchain::bin`] on its search path.
    pub(crate) fn apply(&self, command: &mut Command) {
        let Some(bin) = self.bin() else { return };
        command
            .env("CARGO", bin.join("cargo"))
            .env("RUSTC", bin.join("rustc"))
            // These point into the compiler that runs this program.
            .env_remove("RUSTUP_TOOLCHAIN")
            .env_remove("LD_LIBRARY_PATH");
    }
}

impl WasmTarget<'_> {
    fn rustup_add(&self) -> Result<()> {
        Logged { log: self.project.log("rustup-target-add"), limit: pins::RUSTUP_LIMIT }
            .run(Command::new("rustup").args(["target", "add", WASM_TARGET]))
    }
}

impl Requirement for WasmTarget<'_> {
    type Found = WasmToolchain;

    fn name(&self) -> String {
        format!("{WASM_TARGET} target")
    }

    fn find(&self) -> Option<WasmToolchain> {
        default_library()
            .map(WasmToolchain::Default)
            .or_else(|| DebianRust { project: self.project }.find().map(WasmToolchain::Assembled))
    }

    fn plan(&self) -> Plan {
        let rustup = which("rustup").map(|_| format!("`rustup target add {WASM_TARGET}`"));
        match (rustup, DebianRust::plan()) {
            (Ok(rustup), Some(debian)) => Plan::Install(format!("{rustup}, or else {debian}")),
            (Ok(plan), None) | (Err(_), Some(plan)) => Plan::Install(plan),
            (Err(_), None) => Plan::Advise(format!("there is neither rustup nor a usable apt-get\n{ADVICE}")),
        }
    }

    fn install(&self) -> Result<()> {
        let mut reasons = Vec::new();
        if which("rustup").is_ok() {
            match self.rustup_add() {
                Ok(()) if default_library().is_some() => return Ok(()),
                Ok(()) => reasons.push("rustup added it to another toolchain than the one in use".to_owned()),
                Err(error) => reasons.push(format!("{error:#}")),
            }
        } else {
            reasons.push("there is no rustup".to_owned());
        }
        match (DebianRust { project: self.project }).install() {
            Ok(()) => return Ok(()),
            Err(error) => reasons.push(format!("{error:#}")),
        }
        bail!("{}\n{ADVICE}", reasons.join("\n  and "))
    }
}

const ADVICE: &str = "  what to do: install Rust from https://rustup.rs and run `rustup target add wasm32-unknown-unknown`,\n  \
    or the package of your distribution (Fedora: rust-std-static-wasm32-unknown-unknown, Arch: rust-wasm,\n  \
    Debian and Ubuntu: libstd-rust-dev-wasm32, where the compiler is recent enough)";

/// Where the compiler in use keeps its standard library for WebAssembly, if it has one.
fn default_library() -> Option<PathBuf> {
    let folder = capture(process::rustc().args(["--print", "target-libdir", "--target", WASM_TARGET]))?;
    let folder = PathBuf::from(folder);
    holds_standard_library(&folder).then_some(folder)
}
