//! `cargo xtask bench`: measures, prints the figures as JSON, and fails if a figure is beyond its limit.
//!
//! With the word `slope`, it only times the short and the long run for one turn, for comparison with a browser. With the word
//! `steps`, it prints the longest step of every case.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks through its terminal")]

use std::env;
use std::ffi::OsString;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use bench::allocations::Counts;
use bench::cell::{self, default_cell, with_rollouts};
use bench::clock::best_ms;
use bench::contest::{
    expect_agreement, final_error, floor, own_draws, payoff_map, stability_map, study, textbook, theory,
};
use bench::figures::Native;
use bench::numpy;
use bench::slope::{self, Times};
use bench::steps;
use fedsysid_sim::scenario::{Scenario, Settings};

/// Total time of the turns of contestants that take milliseconds.
const QUICK: Duration = Duration::from_secs(12);

/// Total time of the turns of slower contestants.
const SLOW: Duration = Duration::from_secs(12);

fn main() -> Result<ExitCode> {
    if env::args().nth(1).is_some_and(|word| word == slope::WORD) {
        println!("{}", serde_json::to_string(&time_slope()?)?);
        return Ok(ExitCode::SUCCESS);
    }
    if env::args().nth(1).is_some_and(|word| word == "steps") {
        steps::longest(|case| println!("{:8.2} ms  step {:5}  {}", case.ms, case.step, case.name))?;
        return Ok(ExitCode::SUCCESS);
    }
    let report = measure()?.report();
    println!("{}", report.json());
    eprint!("{}", report.table());
    Ok(if report.holds() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure() -> Result<Native> {
    let cell = default_cell();
    expect_agreement(&cell)?;
    let counts = Counts::of(&cell)?;
    for (raised, count) in counts.guilty() {
        eprintln!("allocations of a data set: {}, and {count} with more {raised}", counts.base);
    }
    // NumPy takes its turns before, between and after ours: a machine that is busy for a while should favor neither.
    let numpy = Numpy::find(&cell)?;
    let before = numpy.best_ms()?;
    let [cell_ms, floor, own_draws, n_100, n_1e9, theory, payoff_map, stability_map] = quick(&cell)?;
    let between = numpy.best_ms()?;
    let [textbook, rounds_1e6, m_10000] = slow(&cell)?;
    let after = numpy.best_ms()?;
    Ok(Native {
        cell: cell_ms,
        floor,
        own_draws,
        // All data sets take the same time, and nobody should have to wait for all of them.
        textbook: textbook * cell::N_TRIALS as f64,
        n_100,
        n_1e9,
        rounds_1e6,
        m_10000,
        theory,
        payoff_map,
        stability_map,
        longest_step: steps::longest(|_| ())?,
        numpy: [before, between, after].into_iter().flatten().reduce(f64::min),
        inner_allocations: counts.in_inner_loops(),
        allocations: counts.base,
    })
}

fn quick(cell: &Settings) -> Result<[f64; 8]> {
    let mut run_cell = timed(cell.clone())?;
    let scenario = Scenario::new(cell.clone())?;
    let mut draw = || {
        black_box(floor(black_box(&scenario)));
    };
    let mut draw_own = || {
        black_box(own_draws(black_box(&scenario)));
    };
    let mut n_100 = timed(with_rollouts(cell.clone(), 100))?;
    let mut n_1e9 = timed(with_rollouts(cell.clone(), 1_000_000_000))?;
    let both = Scenario::new(Settings::paper())?;
    let mut expect = || {
        black_box(theory(black_box(&both)));
    };
    let mut map_payoff = || drop(black_box(payoff_map(black_box(&both))));
    let mut map_stability = || drop(black_box(stability_map(black_box(&both))));
    let runs: [&mut dyn FnMut(); 8] = [
        &mut run_cell,
        &mut draw,
        &mut draw_own,
        &mut n_100,
        &mut n_1e9,
        &mut expect,
        &mut map_payoff,
        &mut map_stability,
    ];
    Ok(best_ms(QUICK, runs))
}

fn slow(cell: &Settings) -> Result<[f64; 3]> {
    let scenario = Scenario::new(cell.clone())?;
    let mut by_the_book = || {
        black_box(textbook(black_box(&scenario)));
    };
    let mut rounds = timed(Settings { n_rounds: 1_000_000, ..cell.clone() })?;
    let large = Settings { n_clients: 10_000, n_trials: 1, ..cell.clone() };
    let mut clients = timed(with_rollouts(large, 1_000_000))?;
    Ok(best_ms(SLOW, [&mut by_the_book, &mut rounds, &mut clients]))
}

/// A study to be timed, after one run as a check: a refused study would be quick.
fn timed(settings: Settings) -> Result<impl FnMut()> {
    let run = move || study(black_box(&settings)).map(black_box);
    run()?;
    Ok(move || drop(run()))
}

fn time_slope() -> Result<Times> {
    let [mut few, mut many] = [timed(slope::few())?, timed(slope::many())?];
    let [few, many] = best_ms(slope::TURN, [&mut few, &mut many]);
    Ok(Times { few, many })
}

/// NumPy, if this machine has it.
struct Numpy {
    python: Option<OsString>,
    /// The expected error at the end, approximately.
    final_error: f64,
}

impl Numpy {
    /// Looks for NumPy; prints how to install it if it is missing.
    fn find(cell: &Settings) -> Result<Self> {
        let final_error = final_error(&study(cell)?).context("a run has rounds")?;
        let python = numpy::python();
        if python.is_none() {
            eprintln!("{}", numpy::advice());
        }
        Ok(Self { python, final_error })
    }

    fn best_ms(&self) -> Result<Option<f64>> {
        self.python.as_ref().map(|python| numpy::best_ms(python, self.final_error)).transpose()
    }
}
