//! Sentences on a run. Every statement is computed from the numbers that it is about.

use crate::dashboard::results::Run;
use crate::dashboard::run::badge::below;
use crate::dashboard::run::picture::{self, method_name, reference_name, whose};
use crate::dashboard::words::counting::{Things, listed};
use crate::figure::number::{beside_one, count, measured, number};
use crate::params::Key;
use crate::params::views::Upward;
use crate::protocol::Trouble;
use crate::sim::estimate::{EstimateError, Reference};
use crate::sim::family::{Heterogeneity, Placement};
use crate::sim::method::Method;
use crate::sim::scenario::{GradientScale, ScenarioError};
use crate::sim::spread::Spread;
use crate::sim::stats::Running;
use crate::sim::study::MethodSummary;
use crate::sim::target::Target;
use crate::theory::prediction::Parts;
use fedsysid_say::say;

/// A difference of fewer than this many combined standard errors is too close to call.
pub(crate) const CLEAR: f64 = 2.0;

/// If a cause has this share of the error, remedies against other causes have no effect.
const NEARLY_ALL: f64 = 0.9;
/// A factor below this is not named: it would read 1.0.
pub(crate) const SEEN: f64 = 1.05;
/// If states grow by more than this factor, the rounding errors of their squares are as large as what inputs add.
const MOST_GROWTH: f64 = 1e7;
/// If an error differs from its prediction by more than this share, the prediction does not explain it.
const FAR: f64 = 0.15;
/// An error within this multiple of the pooled estimate's has come near it.
const NEAR_POOLED: f64 = 1.25;

/// Whether an error is one of rounding alone. Entries of Θ are about 1, and sums of products have lost three digits.
pub(crate) fn is_rounding(error: f64) -> bool {
    error < 1e-12
}

/// An error in a sentence.
pub(crate) fn off(error: f64) -> String {
    if is_rounding(error) { say!("0 up to rounding").into() } else { measured(error, 3) }
}

/// Whether the best method has come near pooled least squares, which theory compares with a client alone; otherwise
/// theory's statements on joining are not about the run.
pub fn comes_near_pooled(run: &Run) -> bool {
    let pooled = run.summary.reference(Reference::Pooled).and_then(Result::ok).map(|error| error.mean());
    let end = best(run).map(|(_, end)| end.mean());
    pooled.zip(end).is_some_and(|(pooled, end)| is_near(end, pooled))
}

/// Whether two errors are within [`NEAR_POOLED`] of each other, or both ones of rounding.
pub(crate) fn is_near(end: f64, pooled: f64) -> bool {
    let is_rounding = is_rounding(end) && is_rounding(pooled);
    is_rounding || (end <= NEAR_POOLED * pooled && pooled <= NEAR_POOLED * end)
}

/// Effect of joining on the shown error, against least squares alone; then the largest cause of the remaining error and
/// its remedy. Empty if there is nothing to compare.
pub fn verdict(run: &Run) -> String {
    let Some((method, federated)) = best(run) else { return without_a_run(run) };
    let name = winners(run, &federated);
    let said = match run.summary.reference(Reference::ClientAlone) {
        Some(Ok(alone)) if alone.mean().is_finite() => comparison(run, &name, &federated, &alone),
        _ => {
            let error = off(federated.mean());
            say!("After {}, {name} is off by {error}; {} alone has no estimate.", rounds(run), the(run.settings.target))
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

/// Sentence if no algorithm is chosen, or none converges in every data set.
fn without_a_run(run: &Run) -> String {
    let methods = &run.summary.methods;
    if methods.is_empty() {
        return say!("No algorithm is chosen.").into();
    }
    let opening = if methods.iter().all(|summary| summary.n_diverged == run.summary.n_trials) {
        say!("Every algorithm diverges")
    } else {
        say!("No algorithm converges in every data set")
    };
    match run.summary.reference(Reference::ClientAlone) {
        Some(Ok(alone)) if alone.mean().is_finite() => {
            let who = the(run.settings.target);
            say!("{opening}; {who} alone is off by {}.", off(alone.mean()))
        }
        _ => format!("{opening}."),
    }
}

/// Comparison of the best federated error with that of the client alone.
fn comparison(run: &Run, name: &str, federated: &Running, alone: &Running) -> String {
    let (shared, own) = (off(federated.mean()), off(alone.mean()));
    if run.settings.n_clients == 1 {
        return say!(
            "There is nobody to join: {name} is off by {shared} after {}, least squares by {own}.",
            rounds(run)
        );
    }
    let (who, clients) = (the(run.settings.target), Things::Clients.counted(run.settings.n_clients));
    let fold = alone.mean() / federated.mean();
    let has_fold = !is_rounding(alone.mean()) && !is_rounding(federated.mean());
    let is_seen = own != shared && (!has_fold || !(1.0 / SEEN..SEEN).contains(&fold));
    // While more data sets are being run, the other sentences say that it is too close to call.
    if run.summary.n_trials == 1 && run.progress.is_none() && is_seen {
        return say!("In one data set {who} is off by {own} alone, {shared} with {name}; more show what is chance.");
    }
    let spread = federated.standard_error().hypot(alone.standard_error());
    let difference = federated.mean() - alone.mean();
    if !is_seen {
        say!("Joining hardly matters to {who}: {own} alone, {shared} with {name}.")
    } else if difference < -CLEAR * spread && !has_fold {
        say!("With {name}, {clients} remove {who}’s error: {own} alone, {shared} after {}.", rounds(run))
    } else if difference < -CLEAR * spread {
        let fold = measured(fold, 2);
        say!("With {name}, {clients} cut {who}’s error {fold}-fold: {own} alone, {shared} after {}.", rounds(run))
    } else if difference > CLEAR * spread {
        say!("Alone, {who} does better: {own}, against {shared} after {} of {name}.", rounds(run))
    } else {
        let sets = data_sets(run);
        say!("With {sets} it is too close to call whether {who} gains: {own} alone, {shared} with {name}.")
    }
}

/// The cause of most of a method's predicted final error, and a remedy.
fn remainder(run: &Run, method: Method) -> Option<String> {
    let theory = run.theory.as_ref()?.methods.iter().find(|theory| theory.method == method)?;
    let prediction = theory.prediction.as_ref().ok()?;
    let (parts, expected) = (prediction.parts.last()?, prediction.means.last()?);
    // Shares of the prediction do not explain an error that is far from it.
    let (_, end) = best(run)?;
    if (end.mean() - expected).abs() > (FAR * expected).max(CLEAR * end.standard_error()) {
        return None;
    }
    if is_rounding(*expected) {
        return None;
    }
    let (cause, share) = largest(parts)?;
    // If the error may rise again towards its limit, more rounds are no remedy.
    if cause == Cause::Transient && prediction.limit.is_some_and(|limit| limit.mean >= *expected) {
        return None;
    }
    let (name, remedy) = (cause.words(), cause.remedy(run, share));
    Some(if share > 0.995 {
        say!("All of what is left is {name}: {remedy}.")
    } else {
        say!("{} % of what is left is {name}: {remedy}.", measured(100.0 * share, 2))
    })
}

/// Causes of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The part that the rounds have not yet removed.
    Transient,
    /// Process noise.
    Noise,
    /// Differences between the clients.
    Heterogeneity,
    /// Bias of local steps.
    Drift,
}

impl Cause {
    /// All causes with their parts, in the order in which they are stacked.
    pub fn parts(parts: &Parts) -> [(Self, f64); 4] {
        [
            (Self::Noise, parts.noise),
            (Self::Heterogeneity, parts.bias),
            (Self::Drift, parts.drift),
            (Self::Transient, parts.transient),
        ]
    }

    /// Word in style sheets and tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Noise => "noise",
            Self::Heterogeneity => "heterogeneity",
            Self::Drift => "client drift",
        }
    }

    /// Name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Transient => say!("transient"),
            Self::Noise => say!("noise"),
            Self::Heterogeneity => say!("heterogeneity"),
            Self::Drift => say!("client drift"),
        }
    }

    /// What would lower it. Unless the cause has nearly the whole error, remedies against other causes help as well.
    fn remedy(self, run: &Run, share: f64) -> &'static str {
        match self {
            Self::Heterogeneity if share < NEARLY_ALL || more_clients_may_help(run) => {
                say!("a smaller ε would help most")
            }
            Self::Transient => say!("more rounds would help"),
            Self::Noise if bears_no_more_data(run) => {
                say!("more data with smaller steps would help, or more clients that are alike")
            }
            Self::Noise => say!("more data would help, or more clients that are alike"),
            Self::Heterogeneity => say!("more clients would not help, a smaller ε would"),
            Self::Drift => say!("fewer local steps would help, or FedLin"),
        }
    }
}

/// Whether the mean of the clients' systems would move with more clients: there are few of them, or one is far from all others.
fn more_clients_may_help(run: &Run) -> bool {
    const FEW: usize = 10;
    run.settings.n_clients < FEW || run.settings.placement == Placement::OneOutlier
}

/// Whether gradients from twice the data would make the step size unstable.
fn bears_no_more_data(run: &Run) -> bool {
    const TWICE: f64 = 2.5;
    let edges = run.summary.methods.iter().filter_map(|summary| summary.largest_step);
    let least = edges.fold(f64::INFINITY, f64::min);
    run.settings.gradient_scale == GradientScale::Sum && least < TWICE * run.settings.step_size
}

/// The largest cause and its share of all that add to the error; `None` if none does.
fn largest(parts: &Parts) -> Option<(Cause, f64)> {
    let adding = || Cause::parts(parts).into_iter().filter(|(_, part)| *part > 0.0 && part.is_finite());
    let total: f64 = adding().map(|(_, part)| part).sum();
    adding().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(cause, part)| (cause, part / total))
}

/// The client or clients whose error is shown, as a subject: "client 1", "the worst client".
pub(crate) fn the(target: Target) -> String {
    match target {
        Target::Client(_) => whose(target),
        Target::Worst => say!("the worst client").into(),
        Target::Mean => say!("the average client").into(),
    }
}

/// The method with the smallest final error that diverges in no data set.
fn best(run: &Run) -> Option<(Method, Running)> {
    let finished = run.summary.methods.iter().filter(|summary| summary.n_diverged == 0);
    let ends = finished.filter_map(|summary| Some((summary.method, *summary.errors.last()?)));
    ends.filter(|(_, end)| end.mean().is_finite()).min_by(|(_, a), (_, b)| a.mean().total_cmp(&b.mean()))
}

/// The methods that end with an error of `best`, so far as can be told: with the same digits, or apart by less than both a
/// hundredth and what chance explains.
fn winners(run: &Run, best: &Running) -> String {
    const SAME: f64 = 0.01;
    let is_same = |end: &Running| {
        let apart = end.mean() - best.mean();
        off(end.mean()) == off(best.mean())
            || apart < (SAME * best.mean()).min(end.standard_error().hypot(best.standard_error()))
    };
    let finished = run.summary.methods.iter().filter(|summary| summary.n_diverged == 0);
    let same = finished.filter(|summary| summary.errors.last().is_some_and(is_same));
    same.map(|summary| method_name(summary.method)).collect::<Vec<_>>().join(say!(" or "))
}

/// Caption of the picture.
pub fn caption(run: &Run) -> String {
    caption_of(run, Upward::Error)
}

/// Caption of the picture, with its vertical axis.
pub fn caption_of(run: &Run, upward: Upward) -> String {
    let rounds = Things::Rounds.counted(run.settings.n_rounds);
    let pooled = picture::pooled(&run.summary);
    let converges = run.summary.methods.iter().any(|method| method.n_diverged < run.summary.n_trials);
    let has_bands = converges && run.summary.n_trials > 1 && (upward == Upward::Error || pooled.is_none());
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

/// Measured differences between the clients' systems: a line beside ε.
pub fn heterogeneity(run: &Run) -> String {
    let Heterogeneity { a, b } = run.summary.heterogeneity;
    say!("measured: A up to {}, B {}", number(a), number(b))
}

/// Why settings cannot be run.
pub fn refused(error: ScenarioError) -> String {
    say!("This cannot be run: {error}.")
}

/// Complaints about a run, one sentence each: methods that diverge, estimates that the data do not determine, results
/// that are mostly rounding.
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

/// One sentence for three or more methods that diverge: a sentence for each would hide the chart.
fn divergence_of_many(run: &Run) -> String {
    let diverging = || run.summary.methods.iter().filter(|summary| summary.n_diverged > 0);
    let names: Vec<_> = diverging().map(|summary| method_name(summary.method)).collect();
    let first_round = diverging().filter_map(|summary| run.summary.diverges_from(summary)).min().unwrap_or(0);
    say!("{} diverge: the first of their errors {}. {}.", listed(&names), when(run, first_round), cure(run))
}

/// The round from which an error grows, as the end of a sentence.
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
        say!(" in {} of {} data sets", count(summary.n_diverged), count(run.summary.n_trials))
    };
    let when = when(run, from);
    let rho = summary.contraction.filter(|rho| rho.is_finite());
    let rho = rho.map_or_else(String::new, |rho| format!(" (ρ = {})", beside_one(rho)));
    Some(say!("{name} diverges{how_often}{rho}: its error {when}. {}.", cure(run)))
}

/// A remedy against divergence, one at a time: a step size below the largest that is stable for all methods; if no
/// setting is that small, gradients that do not grow with the data, or, if that is not enough, shorter rollouts.
fn cure(run: &Run) -> String {
    let alpha = run.settings.step_size;
    let edges = run.summary.methods.iter().filter_map(|summary| summary.largest_step);
    let edge = edges.min_by(f64::total_cmp);
    if let Some(step) = edge.and_then(below).filter(|&step| step < alpha) {
        return say!("Lower the step size α to {}", number(step));
    }
    let is_within_reach = edge.is_none_or(|edge| below(edge).is_some());
    if is_within_reach && alpha > Key::StepSize.param().grid.min() {
        return say!("Lower the step size α").into();
    }
    if run.settings.gradient_scale == GradientScale::Sum && !grows(run) {
        return say!("No step size α is small enough: take means for gradients").into();
    }
    say!("No step size α is small enough: lower T").into()
}

/// Whether states grow by more than `A_LOT` within a rollout.
fn grows(run: &Run) -> bool {
    const A_LOT: f64 = 1e3;
    run.theory.as_ref().is_some_and(|theory| theory.growth > A_LOT)
}

/// A sentence if the numbers are mostly rounding: squares of grown states and of inputs are summed up together.
fn rounding(run: &Run) -> Option<String> {
    let growth = run.theory.as_ref()?.growth;
    (growth > MOST_GROWTH).then(|| {
        say!("States grow {}-fold within a rollout: these numbers are mostly rounding. Lower T.", measured(growth, 2))
    })
}

/// Sentences on reference estimates without a number; estimates with the same reason share one.
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
    let data = &run.settings.data;
    let is_none = |stds: &Spread<f64>| stds.bounds().iter().all(|&std| std <= 0.0);
    match error {
        EstimateError::NotFinite => say!("Lower T or ε"),
        EstimateError::Singular { .. } if is_none(&data.input_std) => {
            say!("Raise σᵤ: without inputs, B leaves no trace")
        }
        EstimateError::Singular { .. } if grows(run) => say!("Lower T or ε"),
        EstimateError::Singular { .. } if is_none(&data.initial_state_std) => {
            say!("Raise σₓ: then every state is excited from the start")
        }
        EstimateError::NotEnoughData { .. } | EstimateError::Singular { .. } => say!("Raise N or T"),
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
mod advice;
#[cfg(test)]
mod tests;
