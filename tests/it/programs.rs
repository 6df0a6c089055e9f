//! Copied programs run, and reproduce the numbers of the page.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use fedsysid::dashboard::outgoing::script::{Language, program};
use fedsysid::dashboard::results::Run;
use fedsysid::protocol::Generation;
use fedsysid::sim::family::Family;
use fedsysid::sim::method::{Method, Solver};
use fedsysid::sim::participation::Participation;
use fedsysid::sim::scenario::{GradientScale, Scenario, Settings, Start};
use fedsysid::sim::schedule::Schedule;
use fedsysid::sim::spread::Spread;
use fedsysid::sim::stats::Running;
use fedsysid::sim::stream::Seed;
use fedsysid::sim::study::Study;
use fedsysid::sim::system::LinearSystem;
use fedsysid::sim::target::Target;

/// A finished run.
pub(crate) fn run(change: impl Fn(&mut Settings)) -> Run {
    let mut settings = Settings { n_clients: 7, n_rounds: 60, n_trials: 3, heterogeneity: 0.3, ..Settings::paper() };
    change(&mut settings);
    let summary = Study::new(Scenario::new(settings.clone()).expect("a scenario")).run();
    Run { generation: Generation(1), settings, summary, theory: None, progress: None }
}

/// Whether a command exists on this machine.
fn has(command: &str) -> bool {
    Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The output of a command, which must succeed.
#[track_caller]
fn printed(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a text")
}

/// The output of a program; if its language is not on this machine, the missing command.
fn outcome(language: Language, text: &str, name: &str) -> Result<String, &'static str> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("{name}.{}", language.ending()));
    fs::write(&file, text).expect("the folder can be written to");
    let interpreted = |command: &'static str| {
        if has(command) { Ok(printed(Command::new(command).arg(&file))) } else { Err(command) }
    };
    match language {
        Language::Python => Ok(printed(Command::new("python3").arg(&file))),
        Language::Matlab => interpreted("octave-cli"),
        Language::Julia => interpreted("julia"),
        Language::Rust => {
            let built = folder.join(format!("{name}-program"));
            printed(Command::new("rustc").args(["--edition=2021", "-O", "-o"]).arg(&built).arg(&file));
            Ok(printed(&mut Command::new(built)))
        }
    }
}

/// The number between `after` and `before` in a program's line "name: 0.1 here, 0.1 on the page, relative difference
/// 1e-16".
fn number(line: &str, after: &str, before: &str) -> f64 {
    let rest = line.rsplit_once(after).map_or("", |(_, rest)| rest);
    rest.split(before).next().and_then(|text| text.trim().parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

/// Checks that every error that a program prints is the run's, to a relative 10⁻⁹.
#[track_caller]
fn check_in(languages: &[Language], name: &str, n_lines: usize, change: impl Fn(&mut Settings)) {
    let run = run(change);
    let mut missing = Vec::new();
    for &language in languages {
        let program = program(&run, language, &[name.to_owned()]).expect("a program");
        let printed = match outcome(language, &program.text, name) {
            Ok(printed) => printed,
            Err(command) => {
                missing.push(format!("{} for want of {command}", language.name()));
                continue;
            }
        };
        assert_eq!(printed.lines().count(), n_lines, "{printed}");
        let methods = run.summary.methods.iter().filter_map(|method| method.errors.last());
        let references = run.summary.references.iter().filter_map(|reference| reference.error.as_ref().ok());
        let errors: Vec<f64> = methods.chain(references).map(Running::mean).collect();
        for line in printed.lines() {
            let (here, page) = (number(line, ": ", " here"), number(line, "here, ", " on the page"));
            assert!((here / page - 1.0).abs() < 1e-9, "{name} in {language:?}: {line}");
            let is_ours = |error: &f64| (error / page - 1.0).abs() < 1e-15;
            assert!(errors.iter().any(is_ours), "{name} in {language:?}: the page shows none of this: {line}");
        }
    }
    // Written past the test harness, which captures `println!`: `cargo xtask test` counts these lines.
    let (n_run, n_missing) = (languages.len() - missing.len(), missing.len());
    let _ = writeln!(std::io::stdout(), "programs of {name}: {n_run} run, {n_missing} left out {}", missing.join(", "));
}

#[track_caller]
fn check(name: &str, n_lines: usize, change: impl Fn(&mut Settings)) {
    check_in(&[Language::Python, Language::Matlab], name, n_lines, change);
}

fn methods(schedule: Schedule) -> Vec<Method> {
    let solvers = [Solver::FedAvg, Solver::FedLin, Solver::FedProx { pull: 40.0 }];
    solvers.map(|solver| Method { solver, schedule }).into()
}

#[test]
fn every_language_finds_the_numbers_again() {
    check_in(&Language::ALL, "languages", 6, |s| s.methods = methods(Schedule::OverLocalSteps));
    check_in(&Language::ALL, "languages-rounds", 6, |s| {
        (s.methods, s.target) = (methods(Schedule::OverRounds), Target::Worst);
    });
}

/// Every method.
fn every_method(schedule: Schedule) -> Vec<Method> {
    let others = [
        Solver::Scaffold,
        Solver::FedAdmm { penalty: 20.0, sparsity: 15.0 },
        Solver::Clustered { n_clusters: 2 },
        Solver::Median,
    ];
    methods(schedule).into_iter().chain(others.map(|solver| Method { solver, schedule })).collect()
}

#[test]
fn whatever_the_method() {
    check_in(&Language::ALL, "methods", 10, |s| s.methods = every_method(Schedule::Constant));
    check_in(&Language::ALL, "methods-rounds", 10, |s| {
        (s.methods, s.target, s.n_clients) = (every_method(Schedule::OverRounds), Target::Mean, 6);
    });
    // A program contains only the code that its methods need.
    for solver in every_method(Schedule::Constant).into_iter().map(|method| method.solver) {
        let name = format!("method-{solver:?}").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "-");
        check_in(&Language::ALL, &name, 4, |s| s.methods = vec![Method { solver, schedule: Schedule::OverLocalSteps }]);
    }
}

/// Clients that differ in data, noise and local steps, with gradients that are sums and gradients that are means.
#[test]
fn whatever_the_clients_have() {
    for (name, schedule, gradient_scale) in [
        ("uneven", Schedule::OverLocalSteps, GradientScale::Sum),
        ("uneven-mean", Schedule::OverRounds, GradientScale::Mean),
    ] {
        check_in(&Language::ALL, name, 10, |s| {
            s.data.n_rollouts = Spread::Even { low: 10, high: 40 };
            s.data.process_noise_std = Spread::Even { low: 0.5, high: 2.0 };
            s.n_local_steps = Spread::Even { low: 3, high: 17 };
            (s.methods, s.gradient_scale) = (every_method(schedule), gradient_scale);
            if gradient_scale == GradientScale::Mean {
                s.step_size = 0.01;
            }
        });
    }
}

#[test]
fn whoever_takes_part() {
    check_in(&Language::ALL, "fraction", 10, |s| {
        (s.methods, s.participation) = (every_method(Schedule::Constant), Participation::Fraction(0.4));
    });
    // With seven clients, some rounds have no participant.
    check_in(&Language::ALL, "dropout", 10, |s| {
        (s.methods, s.target) = (every_method(Schedule::Harmonic), Target::Worst);
        s.participation = Participation::Dropout(0.7);
    });
}

#[test]
fn whatever_the_schedule() {
    for (schedule, name) in
        [(Schedule::Constant, "constant"), (Schedule::OverRounds, "rounds"), (Schedule::Harmonic, "harmonic")]
    {
        check(name, 6, |s| s.methods = methods(schedule));
    }
}

#[test]
fn whosever_the_error_and_wherever_it_starts() {
    check("mean-half", 5, |s| (s.target, s.start) = (Target::Mean, Start::HalfOfClient1));
    check("worst-nominal", 5, |s| (s.target, s.start) = (Target::Worst, Start::Nominal));
    check("third", 5, |s| s.target = Target::Client(2));
    check("own-systems", 5, |s| s.systems_seed = Some(Seed(3)));
    check("alone", 5, |s| (s.n_clients, s.n_trials) = (1, 1));
}

#[test]
fn with_little_data_and_with_much() {
    // With fewer samples than regressors, only the pooled estimate exists.
    check("few", 3, |s| (s.data.n_rollouts, s.data.rollout_len) = (2.into(), 2.into()));
    check("much", 5, |s| (s.data.n_rollouts, s.step_size) = (1_000_000_000.into(), 1e-11));
    check("mean-gradient", 5, |s| (s.gradient_scale, s.step_size) = (GradientScale::Mean, 0.02));
    check("steps", 5, |s| (s.n_local_steps, s.step_size) = (100.into(), 1e-3));
}

#[test]
fn with_nothing_to_compare() {
    check("no-method", 3, |s| s.methods.clear());
    check("no-estimate", 2, |s| {
        s.n_clients = 1;
        (s.data.n_rollouts, s.data.rollout_len) = (1.into(), 2.into());
    });
}

#[test]
fn on_systems_of_other_sizes() {
    let matrix = fedsysid::sim::Matrix::from_row_slice;
    let system = LinearSystem::new(matrix(2, 2, &[0.9, 0.2, -0.1, 0.7]), matrix(2, 1, &[0.0, 1.0])).expect("a system");
    let family = Family::new(system, matrix(2, 2, &[0.1, 0.0, 0.0, 0.1]), matrix(2, 1, &[0.0, 0.5])).expect("a family");
    check_in(&Language::ALL, "other-sizes", 5, |s| {
        (s.family, s.start, s.target) = (family.clone(), Start::Nominal, Target::Mean);
    });
}

/// The cell that the page shows at first.
#[test]
fn the_paper_s_cell_in_full() {
    check_in(&Language::ALL, "paper", 5, |s| {
        (s.n_clients, s.n_rounds, s.n_trials) = (50, 200, 25);
    });
}
