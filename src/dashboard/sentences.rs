//! What is going on, in words. Every statement is computed from the numbers it is about.

use super::Run;
use super::picture::{self, method_name, reference_name, whose};
use crate::dashboard::things::{Things, listed};
use crate::figure::number::{count, measured, number};
use crate::params::views::Upward;
use crate::protocol::Trouble;
use crate::sim::estimate::{EstimateError, Reference};
use crate::sim::family::Heterogeneity;
use crate::sim::method::Method;
use crate::sim::scenario::{GradientScale, ScenarioError};
use crate::sim::spread::Spread;
use crate::sim::stats::Running;
use crate::sim::study::MethodSummary;
use crate::sim::target::Target;
use crate::theory::prediction::Parts;
use fedsysid_say::say;

/// A difference smaller than this many combined standard errors is not called one.
pub(super) const CLEAR: f64 = 2.0;

/// A cause with this share of the error leaves other causes' remedies without effect.
const NEARLY_ALL: f64 = 0.9;
/// Beyond this growth of states the rounding of their squares is as large as what inputs add.
const MOST_GROWTH: f64 = 1e7;
/// An error that is off by this share is another one than was expected.
const FAR: f64 = 0.15;
/// An error within this multiple of the pooled estimate's is as good as there.
pub(super) const NEAR_POOLED: f64 = 1.25;

/// Whether any method has come near pooled least squares, which is what theory compares: where none has, what theory says of
/// joining is not about the run.
pub fn comes_near_pooled(run: &Run) -> bool {
    let pooled = run.summary.reference(Reference::Pooled).and_then(Result::ok).map(|error| error.mean());
    let end = best(run).map(|(_, end)| end.mean());
    pooled.zip(end).is_some_and(|(pooled, end)| end <= NEAR_POOLED * pooled)
}

/// What joining does for those whose error is shown, against what they have alone; what most of the remaining error is, and so
/// what would help. Empty while there is nothing to compare.
pub fn verdict(run: &Run) -> String {
    let Some((method, federated)) = best(run) else { return without_a_run(run) };
    let name = method_name(method);
    let said = match run.summary.reference(Reference::ClientAlone) {
        Some(Ok(alone)) if alone.mean().is_finite() => comparison(run, &name, &federated, &alone),
        _ => {
            let error = measured(federated.mean(), 3);
            say!("After {}, {name} is off by {error}; {} alone has no estimate.", rounds(run), the(run))
        }
    };
    match remainder(run, method) {
        Some(rest) => format!("{said} {rest}"),
        None => said,
    }
}

fn rounds(run: &Run) -> String {
    Things::Rounds.counted(run.settings.n_rounds)
}

/// What is left to say where every algorithm diverges.
fn without_a_run(run: &Run) -> String {
    match run.summary.reference(Reference::ClientAlone) {
        _ if run.summary.methods.is_empty() => say!("No algorithm is chosen.").into(),
        Some(Ok(alone)) if alone.mean().is_finite() => {
            let who = the(run);
            say!("No algorithm gets anywhere with these steps; {who} alone is off by {}.", measured(alone.mean(), 3))
        }
        _ => String::new(),
    }
}

/// How the best federated error compares with that of those who stay alone.
fn comparison(run: &Run, name: &str, federated: &Running, alone: &Running) -> String {
    let (shared, own) = (measured(federated.mean(), 3), measured(alone.mean(), 3));
    if run.settings.n_clients == 1 {
        return say!(
            "There is nobody to join: {name} is off by {shared} after {}, least squares by {own}.",
            rounds(run)
        );
    }
    let (who, clients) = (the(run), Things::Clients.counted(run.settings.n_clients));
    let spread = federated.standard_error().hypot(alone.standard_error());
    let difference = federated.mean() - alone.mean();
    if difference < -CLEAR * spread {
        let fold = measured(alone.mean() / federated.mean(), 2);
        say!("With {name}, {clients} cut {who}’s error {fold}-fold: {own} alone, {shared} after {}.", rounds(run))
    } else if difference > CLEAR * spread {
        say!("Alone, {who} does better: {own}, against {shared} after {} of {name}.", rounds(run))
    } else {
        let sets = data_sets(run);
        say!("Joining hardly matters to {who}: {own} alone, {shared} with {name}, too close to call with {sets}.")
    }
}

/// Which cause makes up most of the error that a method is expected to end with, and what would lower it.
fn remainder(run: &Run, method: Method) -> Option<String> {
    let theory = run.theory.as_ref()?.methods.iter().find(|theory| theory.method == method)?;
    let prediction = theory.prediction.as_ref().ok()?;
    let (parts, expected) = (prediction.parts.last()?, prediction.means.last()?);
    // Shares of what was to be expected are no shares of an error that is far from it.
    let (_, end) = best(run)?;
    if (end.mean() - expected).abs() > (FAR * expected).max(CLEAR * end.standard_error()) {
        return None;
    }
    let (cause, share) = largest(parts)?;
    let how_much = if share > 0.995 { say!("All").to_owned() } else { format!("{} %", measured(100.0 * share, 2)) };
    Some(say!("{how_much} of what is left is {}: {}.", cause.words(), cause.remedy(run, share)))
}

/// The causes of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// What the rounds have not yet removed.
    Transient,
    /// Process noise.
    Noise,
    /// Clients that differ.
    Heterogeneity,
    /// Local steps that lead away.
    Drift,
}

impl Cause {
    /// All of them with their parts, in the order in which they are stacked.
    pub fn parts(parts: &Parts) -> [(Self, f64); 4] {
        [
            (Self::Noise, parts.noise),
            (Self::Heterogeneity, parts.bias),
            (Self::Drift, parts.drift),
            (Self::Transient, parts.transient),
        ]
    }

    /// Its word in style sheets and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Noise => "noise",
            Self::Heterogeneity => "heterogeneity",
            Self::Drift => "client drift",
        }
    }

    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Transient => say!("transient"),
            Self::Noise => say!("noise"),
            Self::Heterogeneity => say!("heterogeneity"),
            Self::Drift => say!("client drift"),
        }
    }

    /// What would lower it. Where it is not nearly all that is left, other causes' remedies help as well.
    fn remedy(self, run: &Run, share: f64) -> &'static str {
        match self {
            Self::Heterogeneity if share < NEARLY_ALL => say!("a smaller ε would help most"),
            Self::Transient => say!("more rounds would help"),
            Self::Noise if run.settings.n_clients == 1 => say!("more data would help, or company"),
            Self::Noise => say!("more clients or more data would help"),
            Self::Heterogeneity => say!("more clients would not help, a smaller ε would"),
            Self::Drift => say!("fewer local steps would help, or FedLin"),
        }
    }
}

/// The largest cause and its share in all that add to the error; none if nothing does.
fn largest(parts: &Parts) -> Option<(Cause, f64)> {
    let adding = || Cause::parts(parts).into_iter().filter(|(_, part)| *part > 0.0 && part.is_finite());
    let total: f64 = adding().map(|(_, part)| part).sum();
    adding().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(cause, part)| (cause, part / total))
}

/// Those whose error is shown, as a subject: "client 1", "the worst client".
fn the(run: &Run) -> String {
    match run.settings.target {
        Target::Client(_) => whose(run.settings.target),
        Target::Worst => say!("the worst client").into(),
        Target::Mean => say!("the average client").into(),
    }
}

/// The method that does not diverge and ends with the least error.
fn best(run: &Run) -> Option<(Method, Running)> {
    let finished = run.summary.methods.iter().filter(|summary| summary.n_diverged == 0);
    let ends = finished.filter_map(|summary| Some((summary.method, *summary.errors.last()?)));
    ends.filter(|(_, end)| end.mean().is_finite()).min_by(|(_, a), (_, b)| a.mean().total_cmp(&b.mean()))
}

/// What the picture shows, said once.
pub fn caption(run: &Run) -> String {
    caption_of(run, Upward::Error)
}

/// The same, with what lies upward.
pub fn caption_of(run: &Run, upward: Upward) -> String {
    let rounds = Things::Rounds.counted(run.settings.n_rounds);
    let pooled = picture::pooled(&run.summary);
    let has_bands = run.summary.n_trials > 1 && (upward == Upward::Error || pooled.is_none());
    let band = if has_bands { say!("; band: ±1 standard error") } else { "" };
    let dashed = if picture::has_predictions(run) { say!("; dashed: predicted") } else { "" };
    let of = match run.settings.target {
        Target::Client(client) => say!("against client {}", client + 1),
        Target::Worst => say!("of the worst client").into(),
        Target::Mean => say!("averaged over clients").into(),
    };
    let said = say!("Spectral-norm error {of} over {rounds}, mean of {}{band}{dashed}.", data_sets(run));
    format!("{said}{}", picture::of_multiples(upward, pooled))
}

fn data_sets(run: &Run) -> String {
    Things::DataSets.counted(run.summary.n_trials)
}

/// How far apart the clients' systems are, measured: a line beside ε.
pub fn heterogeneity(run: &Run) -> String {
    let Heterogeneity { a, b } = run.summary.heterogeneity;
    say!("measured: up to {} in A, {} in B", number(a), number(b))
}

/// Why settings cannot be run.
pub fn refused(error: ScenarioError) -> String {
    say!("This cannot be run: {error}.")
}

/// What does not work in a run: methods that diverge, estimates that the data do not determine. One sentence each.
pub fn complaints(run: &Run) -> Vec<String> {
    let diverging = run.summary.methods.iter().filter_map(|summary| divergence(run, summary));
    let mut complaints: Vec<_> = diverging.collect();
    if complaints.len() > 2 {
        complaints = vec![divergence_of_many(run)];
    }
    complaints.extend(undetermined(run));
    complaints.extend(rounding(run));
    complaints
}

/// One sentence for three and more methods that diverge, when as many would hide the chart.
fn divergence_of_many(run: &Run) -> String {
    let diverging = || run.summary.methods.iter().filter(|summary| summary.n_diverged > 0);
    let names: Vec<_> = diverging().map(|summary| method_name(summary.method)).collect();
    let first_round = diverging().filter_map(|summary| run.summary.diverges_from(summary)).min().unwrap_or(0);
    say!("{} diverge: the first of their errors {}. {}.", listed(&names), when(run, first_round), what_to_lower(run))
}

/// From which round on an error grows, as the end of a sentence about it.
fn when(run: &Run, from: usize) -> String {
    match from {
        0 => say!("grows from the first round on").to_owned(),
        round if round == run.settings.n_rounds => say!("will grow after the rounds shown").to_owned(),
        round => say!("grows from round {} on", count(round)),
    }
}

fn divergence(run: &Run, summary: &MethodSummary) -> Option<String> {
    let from = run.summary.diverges_from(summary)?;
    let name = method_name(summary.method);
    let how_often = if summary.n_diverged == run.summary.n_trials {
        String::new()
    } else {
        say!(" in {} of {}", summary.n_diverged, data_sets(run))
    };
    let when = when(run, from);
    let rho = summary.contraction.filter(|rho| rho.is_finite());
    let rho = rho.map_or_else(String::new, |rho| format!(" (ρ = {})", number(rho)));
    Some(say!("{name} diverges{how_often}{rho}: its error {when}. {}.", what_to_lower(run)))
}

/// Steps multiply α by K, and gradients that are sums multiply it by N·T: whatever of these is not at its least helps.
fn what_to_lower(run: &Run) -> String {
    let settings = &run.settings;
    let mut knobs = vec![say!("the step size α")];
    let can_be_lowered = |spread: &Spread<usize>| spread.bounds().iter().any(|&value| value > 1);
    knobs.extend(can_be_lowered(&settings.n_local_steps).then_some("K"));
    if settings.gradient_scale == GradientScale::Sum {
        knobs.extend(can_be_lowered(&settings.data.n_rollouts).then_some("N"));
        knobs.extend(can_be_lowered(&settings.data.rollout_len).then_some("T"));
    }
    let last = knobs.pop().unwrap_or_default();
    if knobs.is_empty() { say!("Lower {last}") } else { say!("Lower {}, or {last}", knobs.join(", ")) }
}

/// That numbers are mostly rounding, where they are: squares of states and of inputs are in one sum.
fn rounding(run: &Run) -> Option<String> {
    let growth = run.theory.as_ref()?.growth;
    (growth > MOST_GROWTH).then(|| {
        say!("States grow {}-fold within a rollout: these numbers are mostly rounding. Lower T.", measured(growth, 2))
    })
}

/// Reference estimates without a number, those with the same reason in one sentence.
fn undetermined(run: &Run) -> Vec<String> {
    let mut reasons: Vec<(EstimateError, Vec<String>)> = Vec::new();
    for summary in &run.summary.references {
        if let Err(error) = summary.error {
            let name = reference_name(summary.reference, run.settings.target);
            match reasons.iter_mut().find(|(reason, _)| *reason == error) {
                Some((_, names)) => names.push(name),
                None => reasons.push((error, vec![name])),
            }
        }
    }
    reasons
        .into_iter()
        .map(|(error, names)| say!("No line for {}: {error}. {}.", listed(&names), remedy(run, error)))
        .collect()
}

fn remedy(run: &Run, error: EstimateError) -> &'static str {
    let has_inputs = run.settings.data.input_std.bounds().iter().any(|&std| std > 0.0);
    match error {
        EstimateError::Singular { .. } if !has_inputs => say!("Raise σ_u: without inputs, B leaves no trace"),
        EstimateError::NotEnoughData { .. } | EstimateError::Singular { .. } => say!("Raise N or T"),
        EstimateError::NotFinite => say!("Lower T or ε"),
    }
}

/// What happened to the engine, and what was done about it.
pub fn trouble(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::WorkerReplaced => {
            say!("The worker that computes stopped; another one was started and repeats the run.")
        }
        Trouble::NoWorker => {
            say!("No worker can start here, so the page itself computes: the same numbers, a little slower.")
        }
        Trouble::RunGivenUp => {
            say!("The workers stopped again and again over this run, so it was given up. Change a setting to go on.")
        }
        Trouble::SurveyGivenUp => {
            say!("The workers stopped again and again over this map, so it was given up. Change a setting to go on.")
        }
        Trouble::SweepGivenUp => {
            say!("The workers stopped again and again over this sweep, so it was given up. Change a setting to go on.")
        }
    }
}

#[cfg(test)]
mod tests;
