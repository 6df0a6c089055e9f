//! How fast the simulator is: natively, and in a worker of the built page.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use crate::process;
use crate::project::Project;
use crate::report;
use crate::setup::Part;
use crate::site;

/// The variable that tells the benchmark in a browser where the native one is.
const BENCH_VARIABLE: &str = "FEDSYSID_BENCH";

/// Measures and prints the figures as JSON. Fails if one of them is beyond its limit.
pub(crate) fn run(project: &Project, part: Part) -> Result<ExitCode> {
    let mut benchmark = match part {
        Part::Native => native(project),
        Part::Browser => browser(project)?,
    };
    report::heading("Benchmark");
    Ok(if process::live(&mut benchmark)?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn native(project: &Project) -> Command {
    let mut benchmark = project.cargo("run");
    benchmark.args(["--release", "--package", "bench"]);
    benchmark
}

fn browser(project: &Project) -> Result<Command> {
    let mut benchmark = project.cargo("run");
    // What drives a browser is compiled as for the tests, and so only once.
    benchmark.args(["--profile", "test", "--package", "bench", "--features", "browser", "--bin", "browser"]);
    site::build_for_browser(project, &mut benchmark)?;
    benchmark.env(BENCH_VARIABLE, built(project)?);
    Ok(benchmark)
}

/// The native benchmark, as a release has it: whatever drives the browser is not compiled for speed.
fn built(project: &Project) -> Result<PathBuf> {
    let mut build = project.cargo("build");
    build.args(["--release", "--package", "bench"]);
    if !process::live(&mut build)?.success() {
        bail!("the native benchmark could not be built; see above");
    }
    Ok(project.target.join("release").join(format!("bench{}", std::env::consts::EXE_SUFFIX)))
}
