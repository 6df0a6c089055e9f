//! Tables of one run: errors, causes, gains of clients, the bound; and of a map.

use super::number;
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::Sweep;
use crate::dashboard::run::cause::Cause;
use crate::dashboard::run::picture::pooled;
use crate::dashboard::run::pins::{Ghost, others};
use crate::dashboard::run::readout::expected_of;
use crate::dashboard::views::maps::{Of, ShownMap};
use crate::dashboard::words::names::{method_name, reference_name};
use crate::dashboard::words::table::Table;
use crate::sim::stats::Running;
use crate::theory::prediction::Parts;

/// One row per method and recorded round, one per reference estimate, then the rows of the pinned runs' methods.
pub fn of_run(run: &Run, ghosts: &[Ghost<'_>]) -> Table {
    let mut table =
        Table::new(&["estimate", "round", "data sets", "mean error", "standard error", "error ÷ pooled", "predicted"]);
    let error = |error: &Running| [error.n().to_string(), number(error.mean()), number(error.standard_error())];
    let by = pooled(&run.summary);
    let multiple = |error: &Running| by.map_or_else(String::new, |by| number(error.mean() / by));
    for (place, method) in run.summary.methods.iter().enumerate() {
        let theory = run.theory.as_ref().and_then(|theory| theory.methods.get(place)?.prediction.as_ref().ok());
        for (record, round) in run.summary.rounds.iter().enumerate() {
            let Some(errors) = method.errors.get(record) else { continue };
            let expected = theory.and_then(|prediction| prediction.means.get(record).copied());
            let mut row = vec![method_name(method.method), round.to_string()];
            row.extend(error(errors));
            row.extend([multiple(errors), expected.map_or_else(String::new, number)]);
            table.rows.push(row);
        }
    }
    for reference in &run.summary.references {
        let mut row = vec![reference_name(reference.reference, run.settings.target), String::new()];
        match &reference.error {
            Ok(errors) => {
                row.extend(error(errors));
                let expected = expected_of(run.theory.as_deref(), reference.reference);
                row.extend([multiple(errors), expected.map_or_else(String::new, number)]);
            }
            Err(reason) => row.extend(["0".into(), reason.to_string(), String::new(), String::new(), String::new()]),
        }
        table.rows.push(row);
    }
    for (pin, summary) in others(ghosts, run) {
        for method in &summary.methods {
            for (round, errors) in summary.rounds.iter().zip(&method.errors) {
                let mut row = vec![format!("{}, {}", method_name(method.method), pin.name), round.to_string()];
                row.extend(error(errors));
                row.extend([multiple(errors), String::new()]);
                table.rows.push(row);
            }
        }
    }
    table
}

/// One row per recorded round: the causes of one method's mean square error, and the root of their sum.
pub fn of_anatomy(run: &Run, method: usize) -> Table {
    let nothing = Parts { transient: 0.0, noise: 0.0, bias: 0.0, drift: 0.0 };
    let names = Cause::parts(&nothing).map(|(cause, _)| cause.word());
    let mut table = Table::new(&["method", "round", names[0], names[1], names[2], names[3], "root mean square error"]);
    let theory = run.theory.as_ref().and_then(|theory| theory.methods.get(method));
    let Some((theory, prediction)) = theory.and_then(|theory| Some((theory, theory.prediction.as_ref().ok()?))) else {
        return table;
    };
    for (round, parts) in run.summary.rounds.iter().zip(&prediction.parts) {
        let mut row = vec![method_name(theory.method), round.to_string()];
        row.extend(Cause::parts(parts).map(|(_, part)| number(part)));
        row.push(number(parts.rms()));
        table.rows.push(row);
    }
    table
}

/// One row per client: its error alone, and its error with the shared model.
pub fn of_join(run: &Run, method: usize) -> Table {
    let mut table =
        Table::new(&["method", "client", "distance from mean system", "error alone", "error shared", "alone ÷ shared"]);
    let (Some(gains), Some(summary)) = (&run.summary.gains, run.summary.methods.get(method)) else { return table };
    let shared = gains.shared.get(method).into_iter().flatten();
    for (client, ((alone, shared), distance)) in gains.alone.iter().zip(shared).zip(&gains.distances).enumerate() {
        let (alone, shared) = (alone.mean(), shared.mean());
        let mut row = vec![method_name(summary.method), (client + 1).to_string()];
        row.extend([*distance, alone, shared, alone / shared].map(number));
        table.rows.push(row);
    }
    table
}

/// One row per computed number of clients, up to all of them.
pub fn of_bound(run: &Run) -> Table {
    let mut table = Table::new(&["clients", "bound as printed", "bound, noise summed", "pooled, predicted"]);
    for some in run.theory.iter().flat_map(|theory| &theory.scaling) {
        let pooled = some.pooled.map_or_else(|reason| reason.to_string(), number);
        let (printed, corrected) = (number(some.theorem1.bound()), number(some.theorem1.corrected()));
        table.rows.push(vec![some.n_clients.to_string(), printed, corrected, pooled]);
    }
    table
}

/// One row per cell, and one per measured dot.
pub fn of_map(shown: &ShownMap, of: Of, checks: Option<&Sweep>) -> Table {
    let picture = shown.picture(of, checks);
    let mut table = Table::new(&["from", &picture.x.label, &picture.y.label, &picture.key.label]);
    let mut add = |from: &str, x: f64, y: f64, value: f64| {
        table.rows.push(vec![from.into(), number(x), number(y), number(value)]);
    };
    for (row, &y) in picture.ys.iter().enumerate() {
        for (column, &x) in picture.xs.iter().enumerate() {
            add("formula", x, y, picture.values[row * picture.xs.len() + column]);
        }
    }
    for check in &picture.checks {
        add("measured", check.x, check.y, check.value);
    }
    table
}
