//! What is there, what is missing, and what would be done about it.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use which::which;

use crate::process::{self, capture};
use crate::project::Project;
use crate::setup::axe::Axe;
use crate::setup::browser::Browser;
use crate::setup::crates::Crates;
use crate::setup::firefox::Firefox;
use crate::setup::tool::Tool;
use crate::setup::wasm_target::WasmTarget;
use crate::setup::webkit::WebKit;
use crate::setup::{Plan, Requirement};

const NEEDED: &str = "nothing works without it: https://rustup.rs";

/// Prints the state of everything. Changes nothing.
pub(crate) fn run(project: &Project) -> Result<()> {
    println!("The Rust in use");
    version("cargo", process::cargo().arg("--version"), NEEDED);
    version("rustc", process::rustc().arg("--version"), NEEDED);
    version("rustup", Command::new("rustup").arg("--version"), "not needed where the WebAssembly target is present");
    version("rustfmt", process::cargo().args(["fmt", "--version"]), "the tests leave formatting unchecked");
    version("clippy", process::cargo().args(["clippy", "--version"]), "the tests leave lints unchecked");

    println!("\nFor the page");
    examine(&WasmTarget { project });
    examine(&Tool::trunk(project));
    examine(&Tool::wasm_bindgen(project)?);
    examine(&Crates { project });

    println!("\nFor the tests in browsers");
    examine(&Browser { project });
    examine(&Firefox { project });
    examine(&WebKit { project });
    examine(&Axe { project });

    println!("\nFolders");
    folder("checkout", &project.root);
    folder("compiled", &project.target);
    folder("page", &project.dist());
    folder("cache", &project.cache);
    Ok(())
}

fn examine<R: Requirement>(requirement: &R) {
    let name = requirement.name();
    match requirement.find() {
        Some(found) => row("present", &name, &found.to_string()),
        None => match requirement.plan() {
            Plan::Install(how) => row("missing", &name, &format!("would be set up by {how}")),
            Plan::Advise(advice) => row("missing", &name, &advice),
        },
    }
}

/// One part of the Rust in use; `without` says what its absence means.
fn version(name: &str, command: &mut Command, without: &str) {
    let Some(answer) = capture(command) else {
        return row("missing", name, without);
    };
    let version = answer.lines().next().unwrap_or_default();
    let program = command.get_program();
    let path = which(program).unwrap_or_else(|_| program.into());
    row("present", name, &format!("{version}, {}", path.display()));
}

fn folder(name: &str, path: &Path) {
    let state = if path.is_dir() { "present" } else { "missing" };
    row(state, name, &path.display().to_string());
}

fn row(state: &str, name: &str, detail: &str) {
    println!("  {state}  {name:<30} {detail}");
}
