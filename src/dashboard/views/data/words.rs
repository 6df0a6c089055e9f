//! Sentences on opened data, computed from the numbers.

use super::{Beside, FileRead, Found, Kind, way_name};
use crate::dashboard::views::systems::Mode;
use crate::dashboard::words::counting::Things;
use crate::data::estimate::Estimate;
use crate::data::identify::{Identified, Outcome, Way, is_tie, left_out};
use crate::data::rollouts::{Noted, Strangers, Tally};
use crate::data::sites::{N_FOLDS, Site};
use crate::data::spread::{Spread, Test, Untold};
use crate::data::sums::{Sums, triangle};
use crate::figure::number::{beside_one, count, measured, number, number_to};
use crate::sim::estimate::EstimateError;
use fedsysid_say::{between, say};
use std::ops::Range;

/// A count of things in words, at most `usize::MAX`: files may have more than the page can address.
fn counted_as(things: Things, n: u64) -> String {
    things.counted(usize::try_from(n).unwrap_or(usize::MAX))
}

fn counted(n: u64) -> String {
    count(usize::try_from(n).unwrap_or(usize::MAX))
}

/// The content of a file, in words.
pub fn file(file: &FileRead) -> String {
    let clients = Things::Clients.counted(file.n_clients);
    match &file.kind {
        Kind::Rollouts { tally, .. } => {
            let Tally { rows, rollouts, samples, lengths, .. } = &**tally;
            let of = match lengths {
                Some((least, most)) if least == most => say!(" of {} each", counted(*least)),
                Some((least, most)) => say!(" of {} to {}", counted(*least), counted(*most)),
                None => String::new(),
            };
            let (rows, rollouts) = (counted_as(Things::Rows, *rows), Things::Rollouts.counted(*rollouts));
            say!("{rows} in {rollouts}{of}, from {clients}: {}", counted_as(Things::Samples, *samples))
        }
        Kind::Moments(n_samples) => {
            say!(
                "moments of {} from {clients}; no rows, so no free run for them",
                counted_as(Things::Samples, *n_samples)
            )
        }
    }
}

/// Notes on what has other names in a file than in those before it, or was there already.
fn beside(Beside { columns, n_renamed, renamed, n_twins, twins }: &Beside) -> Vec<String> {
    let pairs: Vec<_> = columns.iter().map(|(own, other)| say!("{own} for {other}")).collect();
    let columns =
        (!pairs.is_empty()).then(|| say!("other names or units than in the first file: {}", pairs.join(", ")));
    let clients = renamed.as_ref().map(|(own, now)| {
        let clients = Things::Clients.counted(*n_renamed);
        say!("{clients} with names that were there before: taken for others, {own} as {now}")
    });
    let twins = twins.as_ref().map(|(own, other)| {
        let clients = Things::Clients.counted(*n_twins);
        say!("{clients} with exactly the samples of others, {own} with those of {other}: they count twice")
    });
    columns.into_iter().chain(clients).chain(twins).collect()
}

/// Notes on a file: what was passed over, and what is odd.
pub fn notes(file: &FileRead) -> Vec<String> {
    let mut notes = beside(&file.beside);
    let Kind::Rollouts { columns, tally, unused, constants, step } = &file.kind else { return notes };
    notes.insert(0, columns.clone());
    let mut note = |noted: Noted, things: Things, what: &str| {
        if noted.count > 0 {
            notes.push(say!("{}{what} (first in line {})", counted_as(things, noted.count), counted(noted.first)));
        }
    };
    note(tally.gaps, Things::Gaps, say!(" in time: nothing is learned across them"));
    note(tally.missing, Things::Samples, say!(" left out, as a value is missing"));
    if tally.foreign.count > 0 {
        let first = counted(tally.foreign.first);
        notes.push(say!("not in UTF-8: such text is read as Windows-1252 (first in line {first})"));
    }
    let step = step.unwrap_or(1.0);
    if (step - 1.0).abs() > 1e-12 {
        notes.push(say!("one step is {} in time", number(step)));
    }
    if let Some(Strangers { count, first, step: other }) = &tally.strangers {
        let (clients, step, other) = (Things::Clients.counted(*count), number(step), number(*other));
        notes.push(say!("{clients} left out, as one step is not {step} in time there ({first}: {other})"));
    }
    for (name, value) in constants {
        let so = if *value == 0.0 { say!("what it does cannot be told") } else { say!("it acts as a constant offset") };
        // As many digits as a file's numbers have.
        notes.push(say!("{name} is {} in every row: {so}", number_to(*value, 15)));
    }
    if !unused.is_empty() {
        notes.push(say!("not used: {}", unused.join(", ")));
    }
    notes
}

/// The largest difference of two lengths of steps that still count as the same, as a share.
const SAME_STEP: f64 = 0.05;

/// A note if steps of some of these clients do not take the time that those of the first client with times do.
pub fn other_step(found: &Found, clients: &[Site]) -> Option<String> {
    let known = |site: &Site| Some((site.label.clone(), site.step?));
    let (first, step) = found.sites.all().iter().find_map(known)?;
    let is_other = |(_, other): &(String, f64)| (other / step - 1.0).abs() > SAME_STEP;
    let (name, other) = clients.iter().filter_map(known).find(is_other)?;
    let (step, other) = (number(step), number(other));
    Some(say!("one step is {other} in time for {name}, but {step} for {first}: in the same unit, no model fits both"))
}

/// A note if models with a constant would predict the data of these clients far better: where their columns lie.
pub fn operating_point(found: &Found, clients: Range<usize>) -> Option<String> {
    let own = found.sites.all().get(clients.clone()).filter(|_| found.identified.lacks_constant(clients))?;
    let sums: Vec<_> = own.iter().map(|site| site.sums(None)).collect();
    let total = Sums::total(found.sites.dims(), &sums);
    let is_far = |k: usize| {
        let square: f64 = sums.iter().map(|sums| sums.n_samples() as f64 * sums.mean()[k].powi(2)).sum();
        let within: f64 = sums.iter().map(|sums| sums.gram()[triangle(k + 1) - 1]).sum();
        square > 0.25 * within
    };
    let names = found.sites.names.iter().enumerate().filter(|(k, _)| is_far(*k));
    let points: Vec<_> = names.map(|(k, name)| format!("{name} = {}", number(total.mean()[k]))).collect();
    (!points.is_empty()).then(|| {
        let points = points.join(between());
        say!(
            "the model has no constant, but the data lie about {points}: subtract each client’s operating point, or add an input of ones"
        )
    })
}

/// Whether [`operating_point`] has a note on all clients together.
pub fn has_operating_point(found: &Found) -> bool {
    operating_point(found, 0..found.sites.all().len()).is_some()
}

/// The sums of all clients.
fn total(found: &Found) -> Sums {
    Sums::total(found.sites.dims(), &found.sites.all().iter().map(|site| site.sums(None)).collect::<Vec<_>>())
}

/// Why the data of a client, counted from 0, or those of all clients, determine no estimate.
pub fn no_estimate(found: &Found, client: Option<usize>, error: EstimateError) -> String {
    match error {
        EstimateError::NotEnoughData { have: 1, need, .. } => say!("1 sample is too few for {need} unknowns a state"),
        EstimateError::NotEnoughData { have, need, .. } => {
            say!("{} are too few for {need} unknowns a state", counted_as(Things::Samples, have))
        }
        EstimateError::Singular { regressor, .. } => {
            let site = client.and_then(|client| found.sites.all().get(client));
            let others = site.map_or_else(|| total(found), |site| site.sums(None)).explaining(regressor);
            let name = |column: usize| found.sites.names.get(column).map_or("", String::as_str);
            let others: Vec<_> = others.into_iter().map(name).collect();
            let name = name(regressor);
            let combination = match others[..] {
                [] => {
                    return say!(
                        "the data do not tell what {name} does: it is always zero, or so small that its square is"
                    );
                }
                [one] => say!("a multiple of {one}"),
                _ => say!("a combination of {}", others.join(between())),
            };
            say!(
                "the data do not tell what {name} does: to within a millionth, it is {combination}; leave one out, or measure large values that hardly change from a nearer zero"
            )
        }
        EstimateError::NotFinite if found.identified.pooled == Err(EstimateError::NotFinite) => {
            say!("the values are so large that their squares overflow").into()
        }
        EstimateError::NotFinite => say!("there is no finite number").into(),
    }
}

/// Why no client has least squares of its own: the first client's reason; `None` if a client has.
fn none_alone(found: &Found) -> Option<String> {
    let errors = found.identified.locals.iter().map(|local| local.as_ref().err());
    let first = errors.collect::<Option<Vec<_>>>()?.into_iter().next()?;
    Some(no_estimate(found, Some(0), *first))
}

/// Why there are no errors on held-out data.
fn no_fit(found: &Found) -> String {
    let samples = || found.identified.n_samples.iter().enumerate();
    let is_used = |round: &usize| samples().any(|(client, parts)| parts[left_out(*round, client)] > 0);
    if (0..N_FOLDS).filter(is_used).count() < 2 {
        return say!("Too little data to hold any out: without them nothing would be left to learn from.").into();
    }
    if let Err(error) = found.identified.pooled {
        return say!("No error on held-out data can be told: {}.", no_estimate(found, None, error));
    }
    if total(found).squared_deviations().iter().all(|square| *square <= 0.0) {
        return say!("No state changes, so there is nothing to predict.").into();
    }
    say!("No model comes out finite once data are held out.").into()
}

/// The first of the ways that nothing but digits which are not shown, or rounding, tells from the best. Rounds that
/// have not settled take no part, unless there is nothing else.
fn best_of(found: &Found, error_of: impl Fn(&Outcome) -> Option<f64>) -> Option<(&Outcome, f64)> {
    let all = || found.identified.outcomes.iter().filter_map(|outcome| Some((outcome, error_of(outcome)?)));
    let is_any = all().any(|(outcome, _)| outcome.is_settled);
    let known = || all().filter(|(outcome, _)| outcome.is_settled || !is_any);
    let (_, least) = known().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    known().find(|(_, error)| is_same(*error, least))
}

/// Whether two errors are shown with the same digits, or differ by rounding.
fn is_same(one: f64, other: f64) -> bool {
    is_tie(one, other) || measured(one, 3) == measured(other, 3)
}

/// How many other ways, of those whose rounds have settled, predict held-out data about as well as the best one.
fn about_as_well(found: &Found, best: &Outcome) -> String {
    let identified = &found.identified;
    let of_best = identified.one_step(best).unwrap_or(f64::NAN);
    let others = identified.outcomes.iter().filter(|other| other.way != best.way && other.is_settled);
    let others: Vec<_> = others.filter_map(|other| Some((other, identified.one_step(other)?))).collect();
    let is_close = |&&(other, error): &&(&Outcome, f64)| is_same(of_best, error) || !identified.is_apart(best, other);
    match others.iter().filter(is_close).count() {
        0 => String::new(),
        n => say!(" About as well, too close to tell: {} of {} others.", count(n), count(others.len())),
    }
}

/// Which way predicts held-out data best.
pub fn fit(found: &Found) -> String {
    let identified = &found.identified;
    let Some((best, error)) = best_of(found, |outcome| identified.one_step(outcome)) else {
        return no_fit(found);
    };
    let free = best_of(found, |outcome| outcome.free_run);
    let stretches = Things::Stretches.counted(identified.n_stretches);
    let own = identified.outcomes.first();
    if let ([_], Some(own)) = (found.sites.all(), own.filter(|own| identified.one_step(own).is_some())) {
        let error = identified.one_step(own).map(|error| measured(error, 3)).unwrap_or_default();
        let free = own.free_run.map(|error| say!(" In free run along {stretches}: {}.", measured(error, 3)));
        return say!(
            "One step ahead, least squares predicts held-out data with an error of {error}. There is only one client: nothing to join.{}",
            free.unwrap_or_default()
        );
    }
    let alone = identified.outcomes.first().filter(|alone| alone.way != best.way);
    let alone = alone.and_then(|alone| identified.one_step(alone));
    let against = alone.map(|alone| say!("; clients alone {}", measured(alone, 3))).unwrap_or_default();
    let free = free.map(|(best, error)| {
        let name = way_name(best.way);
        say!(" In free run along {stretches}, {name} is best: {}.", measured(error, 3))
    });
    let unsolved = identified.pooled.as_ref().err();
    let unsolved = unsolved.map(|error| no_estimate(found, None, *error));
    let unsolved = unsolved.map(|reason| say!(" Pooled least squares has no solution: {reason}."));
    say!(
        "One step ahead, {} predicts held-out data best: {}{against}.{}{}{}",
        way_name(best.way),
        measured(error, 3),
        about_as_well(found, best),
        free.unwrap_or_default(),
        unsolved.unwrap_or_default()
    )
}

/// What the table of the first `n_rows` ways shows.
pub fn columns(identified: &Identified, n_rows: usize) -> String {
    let mut words = String::from(say!(
        "An error of 0 is perfect, 1 as good as the mean. A free run goes on from its own predictions."
    ));
    if n_rows > 1 {
        words += say!(" A round leaves ρ of the way to go.");
    }
    if n_rows > 1 && identified.step_size.is_finite() {
        words += &say!(" Step size α = {}.", measured(identified.step_size, 3));
    }
    if identified.outcomes.iter().take(n_rows).any(|outcome| !outcome.is_settled) {
        words += &say!(" * not settled after {}: raise R.", Things::Rounds.counted(identified.rounds.n_rounds));
    }
    words
}

/// Why no client can be told how it would fare with a shared way.
fn no_joining(found: &Found, way: &Outcome) -> String {
    let name = way_name(way.way);
    if let Some(reason) = none_alone(found) {
        return say!("no client has least squares of its own to compare with, as {reason}");
    }
    if let Err(error) = way.model {
        let is_of_one = way.way == Way::MeanOfLocals;
        let client = found.identified.locals.iter().position(|local| local.as_ref().err() == Some(&error));
        let reason = no_estimate(found, client.filter(|_| is_of_one), error);
        return if is_of_one {
            say!("not every client has least squares of its own, as {reason}")
        } else {
            say!("{name} has no model, as {reason}")
        };
    }
    let own = found.identified.outcomes.first();
    let is_any = own
        .is_some_and(|own| (0..found.sites.all().len()).any(|client| found.identified.joining(own, client).is_some()));
    if is_any {
        return say!("without a part that is held out, {name} has no model");
    }
    say!("without a part that is held out, the data of no client determine a model of its own").into()
}

/// How many clients a shared way predicts better than their own models.
pub fn join(found: &Found, way: &Outcome) -> String {
    let name = way_name(way.way);
    let n_clients = found.sites.all().len();
    if n_clients == 1 {
        return say!("There is only one client: there is nothing to join.").into();
    }
    let joinings: Vec<_> = (0..n_clients).filter_map(|client| found.identified.joining(way, client)).collect();
    if joinings.is_empty() {
        return say!("No client can tell whether {name} would serve it better: {}.", no_joining(found, way));
    }
    let side = |is_on: fn(f64, f64) -> bool| {
        let on = || joinings.iter().filter(|joining| is_on(joining.shared, joining.alone));
        let clear = match (on().count(), on().filter(|joining| joining.is_clear).count()) {
            (0, _) => String::new(),
            (_, 0) => say!(", none clearly").into(),
            (all, n) if n == all => say!(", clearly").into(),
            (_, n) => say!(", {} of them clearly", count(n)),
        };
        (count(on().count()), clear)
    };
    let ((better, better_clear), (worse, worse_clear)) =
        (side(|shared, alone| shared < alone), side(|shared, alone| shared > alone));
    let left = n_clients - joinings.len();
    let left = match left {
        0 => String::new(),
        1 => say!(" 1 more cannot tell: its own data do not determine a model, or not without a part held out.").into(),
        _ => say!(
            " {} more cannot tell: their own data do not determine a model, or not without a part held out.",
            count(left)
        ),
    };
    say!(
        "{better} of {} predict held-out data better with {name} than alone{better_clear}; {worse} worse{worse_clear}.{left}",
        Things::Clients.counted(joinings.len()),
    )
}

/// How far clients differ, or why that cannot be told.
pub fn spread(found: &Found) -> String {
    let spread = match &found.identified.spread {
        Ok(spread) => spread,
        Err(Untold::NoNoise) => {
            return say!(
                "No difference is seen: one model for all predicts every state of every client without error. There is no noise, so there is nothing to test."
            )
            .into();
        }
        Err(Untold::FewClients) if found.sites.all().len() < 2 => {
            return say!("There is only one client: nobody to differ from.").into();
        }
        Err(reason) => {
            let locals = &found.identified.locals;
            let n_determined = locals.iter().filter(|local| local.is_ok()).count();
            let undetermined =
                locals.iter().enumerate().find_map(|(client, local)| Some((client, local.as_ref().err()?)));
            let why = match (reason, undetermined) {
                (Untold::FewClients, Some((client, error))) if n_determined < 2 => {
                    let reason = no_estimate(found, Some(client), *error);
                    say!("at least two clients whose own data determine a model, but {reason}")
                }
                (Untold::FewClients, _) => say!("at least two clients with samples to spare").into(),
                _ => say!("one model for all, and least squares finds none").into(),
            };
            return say!("How far clients differ cannot be told: that takes {why}.");
        }
    };
    let Spread { n_clients, between: apart, noise, differing, exact, test } = spread;
    let is_certain = !differing.is_empty();
    let p_value = test.map_or(f64::NAN, |test| test.p_value);
    let verdict = if is_certain {
        say!("The clients differ for certain")
    } else if p_value < 0.01 {
        say!("The clients differ")
    } else if p_value < 0.05 {
        say!("The clients seem to differ")
    } else {
        say!("Nothing says that the clients differ")
    };
    let is_found = is_certain || p_value < 0.05;
    let size = match (is_found, *apart > 0.0) {
        (true, true) => {
            say!("their systems lie about {} from their mean (root mean square)", measured(*apart, 3))
        }
        (true, false) if is_certain => say!("how far is lost in the noise of other states").into(),
        (true, false) => say!("how far is lost in the noise").into(),
        (false, true) => {
            say!("the estimate of their distance, {}, is no larger than noise may give", measured(*apart, 3))
        }
        (false, false) => say!("their estimates lie no farther apart than noise explains").into(),
    };
    let n_clients = count(*n_clients);
    let mut words = match test {
        Some(Test { f, p_value }) => {
            let p = if *p_value < 0.001 {
                format!("p < {}", measured(0.001, 1))
            } else {
                format!("p = {}", measured(*p_value, 2))
            };
            say!(
                "{verdict}: {size}; noise alone moves the estimate of one by about {}. F = {}, {p}, over {} clients, each with its own noise.",
                measured(*noise, 3),
                measured(*f, 3),
                n_clients
            )
        }
        // A state in which clients differ for certain is not tested, and clients that have noise in it are left out.
        None if *noise > 0.0 => {
            let noise = measured(*noise, 3);
            say!("{verdict}: {size}; noise alone moves the estimate of one by about {noise}, over {n_clients} clients.")
        }
        None => say!("{verdict}: {size}, over {n_clients} clients; no state has noise."),
    };
    words += say!(" Distances are for columns scaled to a mean square of 1.");
    let names = |states: &[usize]| states.iter().map(|&state| &*found.sites.names[state]).collect::<Vec<_>>();
    if is_certain {
        let names = names(differing).join(between());
        let locals = found.identified.locals.iter().flatten();
        let has_noise = |local: &Estimate| differing.iter().any(|&state| local.noise_std[state] > 0.0);
        words += &if locals.filter(|local| local.degrees > 0).any(has_noise) {
            say!(" Predicted without error by some clients’ own models, but not by one for these: {names}.")
        } else {
            say!(" Predicted without error by clients’ own models, but not by one for all: {names}.")
        };
    }
    if !exact.is_empty() {
        words += &say!(" Predicted without error by one model for all: {}.", names(exact).join(between()));
    }
    if is_found && has_operating_point(found) {
        words += say!(" The model has no constant: clients may just have other operating points.");
    }
    words
}

/// Size of the largest eigenvalue of Â, the first of `modes`; empty without eigenvalues.
pub fn radius(modes: &[Mode]) -> String {
    let Some(radius) = modes.first().map(|mode| mode.size()) else { return String::new() };
    let verdict = if radius < 1.0 { say!("stable") } else { say!("unstable") };
    say!("Spectral radius of Â: {}, {verdict}.", beside_one(radius))
}

/// An eigenvalue in decimals; of a conjugate pair, the one above the real axis stands for both.
pub fn eigenvalue(mode: Mode) -> String {
    let re = measured(mode.re, 3);
    if mode.im > 0.0 { format!("{re} ± {}i", measured(mode.im, 3)) } else { re }
}
