//! `cargo xtask bench browser`: the default cell in a worker of the built page and natively, alternating; maps in a
//! worker; the page's views from a press to the result on the screen; and the largest memory of a worker.
//!
//! A time is measured from posting a request to receiving its answer; [`bench::slope`] separates the part for the data
//! sets. A wasm memory never shrinks, so its size after a run is its largest.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks through its terminal")]

mod views;
mod worker;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use bench::cell;
use bench::figures::InBrowser;
use bench::slope::{self, Times};
use e2e::browser::Tools;
use fedsysid::dashboard::views::maps::Wanted;
use fedsysid::params::Draft;
use fedsysid::params::views::MapKind;

use crate::views::Views;
use crate::worker::Worker;

/// The environment variable with the path of the native benchmark, a release build.
const BENCH_VARIABLE: &str = "FEDSYSID_BENCH";

/// Number of turns of each side.
const TURNS: usize = 20;

/// Number of fresh pages that are timed.
const PAGES: usize = 5;

fn main() -> Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let report = runtime.block_on(measured())?.report();
    println!("{}", report.json());
    eprint!("{}", report.table());
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn measured() -> Result<InBrowser> {
    let bench = env::var_os(BENCH_VARIABLE).map(PathBuf::from);
    let bench = bench.with_context(|| format!("{BENCH_VARIABLE} is not set: run `cargo xtask bench browser`"))?;
    let tools = Tools::from_environment()?;
    let views = views::timed(&tools, PAGES).await?;
    let worker = Worker::start(&tools).await?;
    let measured = measure(&worker, &bench, views).await;
    // Also after an error: a browser would outlive its driver.
    let ended = worker.end().await;
    measured.and_then(|measured| ended.map(|()| measured))
}

async fn measure(worker: &Worker, bench: &Path, views: Views) -> Result<InBrowser> {
    worker.expect_native_bits(&slope::few()).await?;
    let (mut wasm, mut native) = (Times::WORST, Times::WORST);
    for _ in 0..TURNS {
        wasm = wasm.best(worker.time().await?);
        native = native.best(natively(bench)?);
    }
    let mut slowest_map = 0.0_f64;
    for kind in [MapKind::Clients, MapKind::Rollouts, MapKind::Steps] {
        slowest_map = slowest_map.max(worker.time_of_map(&Wanted::new(kind, &Draft::default())).await?);
    }
    eprintln!("the times are taken; the memory, after the largest experiments, takes a minute or two");
    let (largest, widest) = (worker.memory_after(&cell::largest()).await?, worker.memory_after(&cell::widest()).await?);
    let memory = largest.max(widest);
    Ok(InBrowser {
        wasm: wasm.per_cell(),
        native: native.per_cell(),
        map: slowest_map,
        first_curve: views.first_curve,
        paper_figure1: views.figure_1,
        trade_off: views.trade_off,
        memory,
    })
}

fn natively(bench: &Path) -> Result<Times> {
    let output = Command::new(bench).arg(slope::WORD).stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("{} cannot be started", bench.display()))?;
    ensure!(output.status.success(), "{} failed ({})", bench.display(), output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
