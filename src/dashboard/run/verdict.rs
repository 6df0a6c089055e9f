//! The verdict on a run: what joining has done, and what is left. Every statement is computed from the numbers that it is about.

use crate::dashboard::results::Run;
use crate::dashboard::run::cause::Cause;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::{method_name, the};
use crate::dashboard::words::thresholds::{CLEAR, SEEN, is_near, is_rounding, off};
use crate::figure::number::measured;
use crate::sim::estimate::Reference;
use crate::sim::family::Placement;
use crate::sim::method::Method;
use crate::sim::scenario::GradientScale;
use crate::sim::stats::Running;
use crate::theory::prediction::Parts;
use fedsysid_say::say;

/// If a cause has this share of the error, remedies against other causes have no effect.
const NEARLY_ALL: f64 = 0.9;
/// If an error differs from its prediction by more than this share, the prediction does not explain it.
const FAR: f64 = 0.15;

/// Whether the best method has come near pooled least squares, which theory compares with a client alone; otherwise
/// theory's statements on joining are not about the run.
pub fn comes_near_pooled(run: &Run) -> bool {
    let pooled = run.summary.reference(Reference::Pooled).and_then(Result::ok).map(|error| error.mean());
    let end = best(run).map(|(_, end)| end.mean());
    pooled.zip(end).is_some_and(|(pooled, end)| is_near(end, pooled))
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
        let sets = Things::DataSets.counted(run.summary.n_trials);
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
    let (name, remedy) = (cause.words(), remedy(cause, run, share));
    Some(if share > 0.995 {
        say!("All of what is left is {name}: {remedy}.")
    } else {
        say!("{} % of what is left is {name}: {remedy}.", measured(100.0 * share, 2))
    })
}

/// What would lower it. Unless the cause has nearly the whole error, remedies against other causes help as well.
fn remedy(cause: Cause, run: &Run, share: f64) -> &'static str {
    match cause {
        Cause::Heterogeneity if share < NEARLY_ALL || more_clients_may_help(run) => {
            say!("a smaller ε would help most")
        }
        Cause::Transient => say!("more rounds would help"),
        Cause::Noise if bears_no_more_data(run) => {
            say!("more data with smaller steps would help, or more clients that are alike")
        }
        Cause::Noise => say!("more data would help, or more clients that are alike"),
        Cause::Heterogeneity => say!("more clients would not help, a smaller ε would"),
        Cause::Drift => say!("fewer local steps would help, or FedLin"),
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

/// The method with the smallest final error that diverges in no data set.
pub(crate) fn best(run: &Run) -> Option<(Method, Running)> {
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

#[cfg(test)]
mod tests;
