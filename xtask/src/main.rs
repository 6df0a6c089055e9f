//! `cargo xtask`: every chore of the project in one command each.
//!
//! Reading order: [`pins`] (what versions), [`project`] (which folders), [`setup`] (what must be
//! there, and how it gets there), then the chores: [`site`], [`single`], [`mod@test`], [`mod@bench`], [`size`], [`doctor`].
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks through its terminal")]

mod bench;
mod doctor;
mod lockfile;
mod pins;
mod process;
mod project;
mod report;
mod setup;
mod single;
mod site;
mod size;
mod tally;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::project::Project;
use crate::setup::Part;
use crate::setup::engine::Engine;

/// Set up, build, serve, test and measure the dashboard.
///
/// Every command first sets up what it needs and says so; a second run finds it all in place.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Serve the dashboard on this machine, rebuilding it whenever a source changes.
    Serve(site::ServeOptions),
    /// Build the deployable page into `dist/`; it works from any sub-path.
    Build,
    /// Build `dist/`, and in it `fedsysid.html`: the whole page in one file, which opens without a server.
    SingleFile,
    /// Lint and test: natively, in browsers, or both.
    Test {
        /// Only this part.
        part: Option<Part>,
        /// In this engine, which then must be there; can be given more than once. Without it: in all that can be set up.
        #[arg(long = "engine")]
        engines: Vec<Engine>,
    },
    /// Measure how fast the simulator is, natively or in a worker of the built page; prints JSON, and fails if a limit is
    /// broken.
    Bench {
        /// Where.
        #[arg(default_value = "native")]
        part: Part,
    },
    /// Rewrite the golden files from the present code; review the difference before committing.
    Golden,
    /// Print the sizes of what `dist/` holds, raw, gzipped and brotlied, as JSON.
    Size,
    /// Show what is installed, what is missing and what would be done about it. Changes nothing.
    Doctor,
    /// Install whatever is missing, and nothing else.
    Setup {
        /// Only what this part needs.
        part: Option<Part>,
    },
}

fn main() -> ExitCode {
    let chore = Cli::parse().chore;
    match Project::locate().and_then(|project| run(chore, &project)) {
        Ok(code) => code,
        Err(error) => {
            // Alternate form: the whole chain of causes in one sentence, and never a backtrace.
            report::problem(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore, project: &Project) -> anyhow::Result<ExitCode> {
    match chore {
        Chore::Serve(options) => site::serve(project, &options)?,
        Chore::Build => site::build(project)?,
        Chore::SingleFile => site::build_single_file(project)?,
        Chore::Test { part, engines } => return Ok(test::run(project, part, &engines)),
        Chore::Bench { part } => return bench::run(project, part),
        Chore::Golden => test::rewrite_golden(project)?,
        Chore::Size => size::run(project)?,
        Chore::Doctor => doctor::run(project)?,
        Chore::Setup { part } => setup::run(project, part)?,
    }
    Ok(ExitCode::SUCCESS)
}
