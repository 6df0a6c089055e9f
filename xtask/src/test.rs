//! Linting and testing, with one count at the end.

use std::env;
use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Result, anyhow, bail};

use crate::process::{self, capture};
use crate::project::Project;
use crate::report;
use crate::setup::axe::AXE_VARIABLE;
use crate::setup::engine::Engine;
use crate::setup::{self, Part};
use crate::site;
use crate::tally::{Account, Tally};

/// What went well and what did not.
#[derive(Debug, Default)]
struct Outcome {
    tally: Tally,
    problems: Vec<String>,
    /// What is no problem, and yet to be known.
    remarks: Vec<String>,
    /// Whether nothing may be left out.
    is_gate: bool,
}

impl Outcome {
    /// Runs one step; a failing one does not keep the next from running.
    fn record(&mut self, step: Result<()>) {
        if let Err(error) = step {
            let text = format!("{error:#}");
            report::problem(&text);
            self.problems.push(text);
        }
    }

    /// Something was not checked, as what it takes is not on this machine: whoever works there is told, a gate does not open.
    fn leave_out(&mut self, reason: String) {
        if self.is_gate {
            return self.record(Err(anyhow!(reason)));
        }
        self.remark(reason);
    }

    /// Something is no problem, and yet to be known.
    fn remark(&mut self, remark: String) {
        report::note(&remark);
        self.remarks.push(remark);
    }

    /// Runs tests; those that fail have failed.
    fn run(&mut self, name: &str, tests: &mut Command) {
        report::heading(name);
        let start = Instant::now();
        let mut account = Account::default();
        let status = listen(tests, &mut account);
        self.conclude(name, start, account.tally, status);
    }

    /// Runs the tests of `program`. On a busy machine one in a hundred stories fails by accident: if a few failed, they are told
    /// once more, one at a time, and those that pass then are named in the result.
    fn tell(&mut self, name: &str, program: impl Fn() -> Command) {
        report::heading(name);
        let start = Instant::now();
        let mut account = Account::default();
        let mut status = listen(&mut program(), &mut account);
        if let (Ok(false), Some(failed)) = (&status, account.worth_another_try()) {
            report::heading(&format!("{name}: what failed is told again, one at a time"));
            let mut command = program();
            command.args(["--", "--test-threads", "1", "--exact"]).args(failed);
            let mut again = Account::default();
            match listen(&mut command, &mut again) {
                Ok(ended_well) => {
                    let passed = account.amend(&again, ended_well);
                    self.remarks
                        .extend(passed.iter().map(|test| format!("passed only when told again: {test} ({name})")));
                    status = Ok(account.tally.failed == 0);
                }
                Err(error) => self.record(Err(error)),
            }
        }
        self.conclude(name, start, account.tally, status);
    }

    fn conclude(&mut self, name: &str, start: Instant, tally: Tally, status: Result<bool>) {
        let untold = match tally.untold {
            0 => String::new(),
            untold => format!(", {untold} cannot be told there"),
        };
        let programs = match tally.programs {
            (_, 0) => String::new(),
            (run, left_out) => format!(", {run} programs in other languages too, and {left_out} left out: see above"),
        };
        let took = report::seconds(start.elapsed());
        let remark = format!("{name}: {} ran{untold}{programs}; {took} with compiling them", tally.total());
        report::note(&remark);
        self.remarks.push(remark);
        self.tally = self.tally + tally;
        self.record(status.and_then(|ended_well| verdict(name, tally, ended_well)));
    }

    fn is_good(&self) -> bool {
        self.problems.is_empty() && self.tally.failed == 0 && self.tally.total() > 0
    }
}

/// Runs tests to their end, and says whether they ended well.
fn listen(tests: &mut Command, account: &mut Account) -> Result<bool> {
    Ok(process::live_lines(tests, |line| account.read(line))?.success())
}

/// Whether a part's tests passed, and if not, why not.
fn verdict(name: &str, tally: Tally, ended_well: bool) -> Result<()> {
    match (tally.total(), tally.failed, ended_well) {
        (0, _, true) => bail!("{name}: there was no test to run"),
        (0, _, false) => bail!("{name}: no test ran; the messages above say why"),
        (_, 0, false) => bail!("{name}: a test program did not compile or broke off; see above"),
        (total, failed @ 1.., _) => bail!("{name}: {failed} of {total} failed"),
        (_, 0, true) => Ok(()),
    }
}

/// The command `test`.
pub(crate) fn run(project: &Project, part: Option<Part>, engines: &[Engine]) -> ExitCode {
    let mut outcome = Outcome { is_gate: is_gate(env::var_os("CI").as_deref()), ..Outcome::default() };
    // Three engines take an hour on two cores. Everything at once is told in the first; who asks for browsers gets all of them.
    let told_in = if part.is_none() && engines.is_empty() { &[Engine::Chromium] } else { engines };
    // Whoever names an engine means the tests in browsers.
    let part = if engines.is_empty() { part } else { part.or(Some(Part::Browser)) };
    for part in Part::chosen(part) {
        match part {
            Part::Native => native(project, &mut outcome),
            Part::Browser => {
                if let Err(error) = browser(project, told_in, &mut outcome) {
                    outcome.record(Err(error));
                }
            }
        }
    }
    conclude(&outcome)
}

/// Whether this is a machine of continuous integration, by the variable that all of them set.
fn is_gate(ci: Option<&OsStr>) -> bool {
    ci.is_some_and(|value| !["", "0", "false"].iter().any(|no| value.eq_ignore_ascii_case(no)))
}

/// Says what ran and, next to the count, what went wrong; the count is the very last line.
fn conclude(outcome: &Outcome) -> ExitCode {
    report::heading("Result");
    for remark in &outcome.remarks {
        report::note(&format!("  {}", remark.lines().next().unwrap_or_default()));
    }
    for problem in &outcome.problems {
        report::note(&format!("  problem: {}", problem.lines().next().unwrap_or_default()));
    }
    println!("{} passed, {} failed", outcome.tally.passed(), outcome.tally.failed);
    if outcome.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn native(project: &Project, outcome: &mut Outcome) {
    report::heading("Lints");
    lint(project, outcome, "rustfmt", &["fmt", "--all", "--check"]);
    let clippy = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
    lint(project, outcome, "clippy", &clippy);
    // After clippy, which leaves behind what documentation needs of other packages.
    let mut documentation = project.cargo("doc");
    documentation
        .args(["--workspace", "--no-deps", "--all-features", "--document-private-items"])
        .env("RUSTDOCFLAGS", "-D warnings");
    outcome.record(check("rustdoc", &mut documentation));
    let mut tests = project.cargo("test");
    tests.args(["--workspace", "--exclude", "e2e", "--no-fail-fast"]);
    outcome.run("Native tests", &mut tests);
}

/// Runs a component of the toolchain that not every installation has: a command of Cargo's with its arguments.
fn lint(project: &Project, outcome: &mut Outcome, component: &str, command: &[&str]) {
    let [name, arguments @ ..] = command else { return };
    if capture(project.cargo(name).arg("--version")).is_none() {
        // Rust comes without it in rustup's smallest profile, and it cannot be had from where packages are: no gate waits for it.
        return outcome
            .remark(format!("not checked by {component}: it is missing (`rustup component add {component}`)"));
    }
    outcome.record(check(component, project.cargo(name).args(arguments)));
}

/// Runs what finds fault with the code, or does not.
fn check(name: &str, command: &mut Command) -> Result<()> {
    if !process::live(command)?.success() {
        bail!("{name} finds fault with the code; see above");
    }
    report::note(&format!("{name}: nothing to say"));
    Ok(())
}

/// The same stories in every engine that is asked for, without a word in all that can be set up. What has a time limit is
/// measured in Chromium alone.
fn browser(project: &Project, asked: &[Engine], outcome: &mut Outcome) -> Result<()> {
    let axe = setup::axe(project).map_or_else(
        |error| {
            outcome.leave_out(format!("not checked by axe: {error:#}"));
            OsString::new()
        },
        |script| script.0.into(),
    );
    let engines = site::build_for_engines(project, asked)?;
    outcome.remarks.extend(engines.missing);
    for ready in engines.ready {
        let stories = || {
            let mut tests = project.cargo("test");
            tests
                .args(["--package", "e2e", "--no-fail-fast"])
                .env(site::DIST_VARIABLE, project.dist())
                .env(AXE_VARIABLE, &axe);
            if ready.engine != Engine::Chromium {
                tests.args(["--test", "stories"]);
            }
            ready.apply(&mut tests);
            tests
        };
        outcome.tell(&format!("Browser tests in {}", ready.engine), stories);
    }
    Ok(())
}

/// Rewrites the golden files from what the code draws and writes today.
pub(crate) fn rewrite_golden(project: &Project) -> Result<()> {
    let mut tests = project.cargo("test");
    tests.args(["--test", "it"]).env("UPDATE_GOLDEN", "1");
    if !process::live(&mut tests)?.success() {
        bail!("a test fails for another reason than its golden file; see above");
    }
    report::note("The golden files are up to date; `git diff` shows what changed.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(passed: u64, failed: u64, ended_well: bool, expected: Result<(), &str>) {
        let found = verdict("Tests", Tally { ended_well: passed, failed, ..Tally::default() }, ended_well);
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found.as_ref().map_err(String::as_str).copied(), expected);
    }

    #[test]
    fn nothing_but_passing_tests_is_good() {
        check(3, 0, true, Ok(()));
        check(3, 1, false, Err("Tests: 1 of 4 failed"));
        check(3, 1, true, Err("Tests: 1 of 4 failed"));
        check(0, 0, true, Err("Tests: there was no test to run"));
        check(0, 0, false, Err("Tests: no test ran; the messages above say why"));
        check(3, 0, false, Err("Tests: a test program did not compile or broke off; see above"));
    }

    #[test]
    fn an_outcome_without_tests_or_with_a_problem_is_not_good() {
        let passed = Tally { ended_well: 1, ..Tally::default() };
        let good = Outcome { tally: passed, ..Outcome::default() };
        assert!(good.is_good());
        let faulty = Outcome { problems: vec!["lint".to_owned()], ..good };
        assert!(!faulty.is_good());
        assert!(!Outcome::default().is_good());
    }

    #[test]
    fn what_is_left_out_is_told_and_keeps_a_gate_closed() {
        let passed = Tally { ended_well: 1, ..Tally::default() };
        for is_gate in [false, true] {
            let mut outcome = Outcome { tally: passed, is_gate, ..Outcome::default() };
            outcome.leave_out("no such tool".to_owned());
            assert_eq!(outcome.is_good(), !is_gate);
            assert_eq!([outcome.remarks, outcome.problems].concat(), ["no such tool"]);
        }
    }

    #[test]
    fn a_gate_is_where_the_variable_is_set() {
        let is_gate = |value: &str| super::is_gate(Some(OsStr::new(value)));
        assert!(is_gate("true") && is_gate("1") && is_gate("some service"));
        assert!(!is_gate("") && !is_gate("0") && !is_gate("False") && !super::is_gate(None));
    }
}
