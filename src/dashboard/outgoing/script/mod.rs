//! A run as a short program that recomputes its final errors from the published formulas and the clients' moments, in
//! Python, MATLAB (and Octave), Julia or Rust.
//!
//! All programs have the same parts in the same order, and need nothing but their language. Each prints its errors
//! beside those of the page.

mod needs;

use std::fmt;
use std::fmt::Write;

use fedsysid_say::{in_english, say};
use needs::{is_affine, is_full, needed, rule, words};

use crate::dashboard::results::Run;
use crate::dashboard::words::names::{method_name, reference_name};
use crate::figure::number::count;
use crate::sim::Matrix;
use crate::sim::data_sets::DataSets;
use crate::sim::estimate::Reference;
use crate::sim::lanes::LANES;
use crate::sim::method::{Method, Solver};
use crate::sim::moments::Moments;
use crate::sim::participation::Participants;
use crate::sim::scenario::{GradientScale, Scenario, Settings};
use crate::sim::schedule::Schedule;
use crate::sim::simulator::{Client, MomentSimulator};
use crate::sim::stats::Running;
use crate::sim::stream::DataKey;
use crate::sim::study::{MethodSummary, Summary};
use crate::sim::target::{Target, Truth};

/// Maximum count of numbers in a program: about a megabyte.
const MOST_NUMBERS: usize = 52_500;

/// Approximate maximum running time in the slowest language, in seconds.
const MOST_SECONDS: f64 = 20.0;

/// A programming language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 3, without any package.
    Python,
    /// MATLAB or Octave.
    Matlab,
    /// Julia, with its standard library.
    Julia,
    /// Rust, for `rustc` alone.
    Rust,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 4] = [Self::Python, Self::Matlab, Self::Julia, Self::Rust];

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Python => "Python",
            Self::Matlab => "MATLAB",
            Self::Julia => "Julia",
            Self::Rust => "Rust",
        }
    }

    /// File extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::Matlab => "m",
            Self::Julia => "jl",
            Self::Rust => "rs",
        }
    }

    fn template(self) -> &'static str {
        match self {
            Self::Python => include_str!("run.py"),
            Self::Matlab => include_str!("run.m"),
            Self::Julia => include_str!("run.jl"),
            Self::Rust => include_str!("run.rs.txt"),
        }
    }

    /// Beginning of a comment line.
    fn comment(self) -> &'static str {
        match self {
            Self::Python | Self::Julia => "# ",
            Self::Matlab => "% ",
            Self::Rust => "// ",
        }
    }

    /// A row of a table: texts, then numbers.
    fn row(self, words: &[&str], numbers: &[f64]) -> String {
        // The texts contain no quotation marks.
        let words = words.iter().map(|word| format!("\"{word}\""));
        let cells: Vec<_> = words.chain(numbers.iter().map(|number| format!("{number:?}"))).collect();
        match self {
            Self::Matlab => format!("  {}", cells.join(", ").replace('"', "'")),
            Self::Python | Self::Julia | Self::Rust => format!("    ({}),", cells.join(", ")),
        }
    }

    /// A list with a number for each client, shortened if all are the same.
    fn of_clients(self, numbers: &[String]) -> String {
        match numbers {
            [first, others @ ..] if others.iter().all(|other| other == first) => match self {
                Self::Python => format!("[{first}] * M"),
                Self::Matlab => format!("{first} * ones(1, M)"),
                Self::Julia => format!("fill({first}, M)"),
                Self::Rust => format!("[{first}; M]"),
            },
            all => format!("[{}]", all.join(", ")),
        }
    }

    /// Index of a list's first element.
    fn first(self) -> usize {
        match self {
            Self::Python | Self::Rust => 0,
            Self::Matlab | Self::Julia => 1,
        }
    }
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its text.
    pub text: String,
    /// Sentences on omissions and differences from the page.
    pub notes: Vec<String>,
}

/// Why there is no program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoProgram {
    /// Even a single data set would make the text too long.
    TooMuchData {
        /// Number of clients of the run.
        clients: usize,
        /// Number of clients for which a program has room.
        most: usize,
    },
    /// There are no errors to recompute.
    Nothing,
}

impl fmt::Display for NoProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::TooMuchData { clients, most } => {
                let (clients, most) = (count(*clients), count(*most));
                say!("a program has room for the moments of {most} clients, not of {clients}")
            }
            Self::Nothing => say!("there is no number that a program could find again").to_owned(),
        })
    }
}

impl std::error::Error for NoProgram {}

/// Omission of a program, or difference from the page.
enum Omission {
    /// A method that diverges.
    Method(Method),
    /// An estimate that has no error.
    Unknown(Reference),
    /// An estimate whose rule is not in the programs.
    Fitted(Reference),
    /// All data sets but the first few.
    DataSets { few: usize, all: usize },
}

impl Omission {
    fn words(&self, target: Target) -> String {
        match self {
            Self::Method(method) => say!("Without {}: it diverges.", method_name(*method)),
            Self::Unknown(reference) => say!("Without {}: it has no error.", reference_name(*reference, target)),
            Self::Fitted(reference) => {
                say!("Without {}: programs have the plain estimates only.", reference_name(*reference, target))
            }
            Self::DataSets { few, all } => {
                let (few, all) = (count(*few), count(*all));
                say!("Of the page’s {all} data sets only the first {few}: errors are means over these.")
            }
        }
    }
}

/// The program of a run; the lines of `about`, which are in English, are comments at its top. The rest of its text is English
/// whatever the page speaks; its notes have the language of the page.
///
/// # Errors
/// If its data would make the text too long, or there are no errors to recompute.
pub fn program(run: &Run, language: Language, about: &[String]) -> Result<Program, NoProgram> {
    let scenario = Scenario::new(run.settings.clone()).map_err(|_| NoProgram::Nothing)?;
    let (kept, mut omissions) = kept(&scenario, &run.summary)?;
    let n_trials = n_data_sets(&scenario, &kept, run.summary.n_trials)?;
    if n_trials < run.summary.n_trials {
        omissions.push(Omission::DataSets { few: n_trials, all: run.summary.n_trials });
    }
    let summary = if n_trials == run.summary.n_trials { run.summary.clone() } else { again(&kept, n_trials)? };
    let notes = || omissions.iter().map(|omission| omission.words(kept.target)).collect::<Vec<_>>();
    let text = in_english(|| {
        let comment = |line: &String| format!("{}{line}", language.comment()).trim_end().to_owned();
        let about: Vec<_> = about.iter().chain(&notes()).map(comment).collect();
        filled(language, &scenario, &Numbers { kept: &kept, summary: &summary, n_trials }, &about)
    });
    Ok(Program { text, notes: notes() })
}

/// The settings with the methods and estimates that a program can recompute, and the omissions.
fn kept(scenario: &Scenario, summary: &Summary) -> Result<(Settings, Vec<Omission>), NoProgram> {
    let settings = scenario.settings();
    let mut omissions = Vec::new();
    let mut methods = Vec::new();
    for summary in &summary.methods {
        if has_an_end(summary) {
            methods.push(summary.method);
        } else {
            omissions.push(Omission::Method(summary.method));
        }
    }
    let mut references = Vec::new();
    for summary in &summary.references {
        match (summary.reference, summary.error) {
            (other, Err(_)) => omissions.push(Omission::Unknown(other)),
            (other @ (Reference::Weighted { .. } | Reference::Personalized { .. }), _) => {
                omissions.push(Omission::Fitted(other));
            }
            (other, Ok(_)) => references.push(other),
        }
    }
    if methods.is_empty() && references.is_empty() {
        return Err(NoProgram::Nothing);
    }
    Ok((Settings { methods, references, gains: false, ..settings.clone() }, omissions))
}

/// Whether a method converged in every data set.
fn has_an_end(summary: &MethodSummary) -> bool {
    let end = summary.errors.last().map_or(f64::NAN, Running::mean);
    summary.n_diverged == 0 && end.is_finite()
}

/// Number of data sets for which a program has room and time; at least one.
fn n_data_sets(scenario: &Scenario, kept: &Settings, n_trials: usize) -> Result<usize, NoProgram> {
    let (dims, clients) = (kept.family.dims(), kept.n_clients);
    let (d, n) = (dims.n_regressors(), dims.n_states);
    // Participation takes one digit per client and round; twenty digits are as long as a number.
    let digits = if is_full(kept) { 0 } else { kept.n_rounds / 20 };
    let most = MOST_NUMBERS / (d * (d + 1) / 2 + n * d + digits);
    if clients > most {
        return Err(NoProgram::TooMuchData { clients, most });
    }
    let (clients, rounds) = (clients as f64, kept.n_rounds as f64);
    // Seconds in plain Python: for a client's eigenvalues, for its response with K steps, for a round.
    let steps = (0..kept.n_clients).map(|client| scenario.n_local_steps(client)).max().unwrap_or(1);
    let (d, steps) = (d as f64, steps as f64);
    let response = 1e-7 * d * (steps + 5.0 * d * d);
    let of_method = |method: &Method| {
        let responses = if method.schedule.repeats_every_round() { 1.0 } else { rounds };
        let product = 1e-7 * d * d * d;
        let models = if let Solver::Clustered { n_clusters } = method.solver { n_clusters as f64 } else { 1.0 };
        let products = if is_affine(kept, method.solver) { 1.0 } else { 2.0 * clients * f64::midpoint(1.0, models) };
        clients * responses * response + rounds * products * product
    };
    let methods: f64 = kept.methods.iter().map(of_method).sum();
    let seconds = clients * 4e-6 * d * d * d + methods;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of data sets")]
    let in_time = (MOST_SECONDS / seconds) as usize;
    Ok((most / kept.n_clients).min(in_time).min(n_trials).max(1))
}

/// Summary of the first data sets, which are run again.
fn again(kept: &Settings, n_trials: usize) -> Result<Summary, NoProgram> {
    let scenario = Scenario::new(Settings { n_trials, ..kept.clone() }).map_err(|_| NoProgram::Nothing)?;
    let mut summary = Summary::new(kept, scenario.heterogeneity());
    let mut data_sets = DataSets::new(scenario, 0..n_trials);
    while !data_sets.is_done() {
        if let Some(result) = data_sets.step() {
            summary.add(&result);
        }
    }
    Ok(summary)
}

/// Source of a program's numbers.
struct Numbers<'a> {
    kept: &'a Settings,
    summary: &'a Summary,
    n_trials: usize,
}

/// The template with all fields filled in.
fn filled(language: Language, scenario: &Scenario, numbers: &Numbers<'_>, about: &[String]) -> String {
    let Numbers { kept, n_trials, .. } = numbers;
    let scale = |client| match kept.gradient_scale {
        GradientScale::Sum => 1.0,
        GradientScale::Mean => {
            let plan = scenario.plan(client);
            1.0 / (plan.n_rollouts as f64 * plan.rollout_len as f64)
        }
    };
    let scales: Vec<_> = (0..kept.n_clients).map(|client| format!("{:?}", scale(client))).collect();
    let steps: Vec<_> = (0..kept.n_clients).map(|client| scenario.n_local_steps(client).to_string()).collect();
    let (methods, estimates) = numbers.tables(language);
    let first = language.first();
    let counted: Vec<usize> = match kept.target {
        Target::Client(client) => vec![client + first],
        Target::Worst | Target::Mean => (first..kept.n_clients + first).collect(),
    };
    let counted: Vec<_> = counted.iter().map(usize::to_string).collect();
    let truth = Truth::new(kept.target, scenario.systems());
    let truth: Vec<_> = truth.clients().map(|theta| by_rows(&theta, " ")).collect();
    let fields = [
        ("about", about.join("\n")),
        ("M", kept.n_clients.to_string()),
        ("K", language.of_clients(&steps)),
        ("R", kept.n_rounds.to_string()),
        ("d", kept.family.dims().n_regressors().to_string()),
        ("q", n_trials.to_string()),
        ("alpha", format!("{:?}", kept.step_size)),
        ("scale", language.of_clients(&scales)),
        ("target", if kept.target == Target::Worst { "worst".into() } else { "mean".into() }),
        ("methods", methods),
        ("estimates", estimates),
        ("start", by_rows(&scenario.first_model(), ", ")),
        ("counted", counted.join(", ")),
        ("truth", truth.join("\n")),
        ("part", part(language, kept, *n_trials)),
        ("data", data(scenario, *n_trials)),
    ];
    // The data are filled in last, so that no other field is searched for in them.
    let put = |text: String, (name, value): &(&str, String)| text.replace(&format!("@{name}@"), value);
    fields.iter().fold(needed(language.template(), &words(kept)), put)
}

impl Numbers<'_> {
    /// Rows of the methods, and rows of the estimates.
    fn tables(&self, language: Language) -> (String, String) {
        let is_kept = |summary: &&MethodSummary| self.kept.methods.contains(&summary.method);
        let method = |summary: &MethodSummary| {
            let (rule, [mu, gamma]) = rule(summary.method.solver);
            let schedule = match summary.method.schedule {
                Schedule::Constant => "constant",
                Schedule::OverLocalSteps => "local",
                Schedule::OverRounds => "rounds",
                Schedule::Harmonic => "harmonic",
            };
            let (name, error) =
                (plain(&method_name(summary.method)), summary.errors.last().map_or(f64::NAN, Running::mean));
            language.row(&[&name, rule, schedule], &[mu, gamma, error])
        };
        let methods: Vec<_> = self.summary.methods.iter().filter(is_kept).map(method).collect();
        let estimate = |&reference: &Reference| {
            let rule = match reference {
                Reference::Pooled => "pooled",
                Reference::MeanOfLocals => "mean",
                Reference::ClientAlone | Reference::Weighted { .. } | Reference::Personalized { .. } => "alone",
            };
            let error = self.summary.reference(reference)?.ok()?;
            Some(language.row(&[&reference_name(reference, self.kept.target), rule], &[error.mean()]))
        };
        let estimates: Vec<_> = self.kept.references.iter().filter_map(estimate).collect();
        (methods.join("\n"), estimates.join("\n"))
    }
}

/// A name in characters that every terminal prints.
fn plain(name: &str) -> String {
    name.replace('α', "alpha")
}

fn by_rows(matrix: &Matrix, between: &str) -> String {
    let entries: Vec<_> =
        matrix.row_iter().flat_map(|row| row.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>()).collect();
    entries.join(between)
}

/// One line per round, data set by data set, with one digit per client: 1 if it takes part, otherwise 0; empty if all
/// always do.
fn part(language: Language, kept: &Settings, n_trials: usize) -> String {
    if is_full(kept) {
        return String::new();
    }
    let mut participants = Participants::everybody(kept.n_clients);
    let mut line = |(trial, round)| {
        participants.draw(kept.participation, kept.seed, trial, round);
        let lanes = participants.weights().iter().flat_map(|weights| weights.0).take(kept.n_clients);
        let digits: String = lanes.map(|weight| if weight > 0.0 { '1' } else { '0' }).collect();
        // MATLAB has no multi-line texts.
        if language == Language::Matlab { format!("'{digits}'") } else { digits }
    };
    let rounds = (0..n_trials).flat_map(|trial| (0..kept.n_rounds).map(move |round| (trial, round)));
    rounds.map(&mut line).collect::<Vec<_>>().join("\n")
}

/// One line per client, data set by data set: the upper triangle of S and all of C, row by row.
fn data(scenario: &Scenario, n_trials: usize) -> String {
    let settings = scenario.settings();
    let mut simulator = MomentSimulator::new(settings.family.dims());
    let mut text = String::new();
    for trial in 0..n_trials {
        for first in (0..settings.n_clients).step_by(LANES) {
            let clients = first..settings.n_clients.min(first + LANES);
            simulator.begin(clients.clone().map(|client| Client {
                system: &scenario.systems()[client],
                plan: scenario.plan(client),
                key: DataKey { seed: settings.seed, trial, client },
            }));
            while simulator.advance() {}
            for client in clients {
                put_line(&mut text, &simulator.clients().moments(client % LANES));
            }
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn put_line(text: &mut String, moments: &Moments) {
    let (n, d) = moments.c.shape();
    let upper = (0..d).flat_map(|i| (i..d).map(move |j| moments.s[(i, j)]));
    let cross = (0..n).flat_map(|i| (0..d).map(move |j| moments.c[(i, j)]));
    for (place, number) in upper.chain(cross).enumerate() {
        let space = if place == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{space}{number:?}");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
