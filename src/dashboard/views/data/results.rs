//! The results as a CSV table: one row per number.

use fedsysid_say::in_english;
use std::fmt::Write;

use super::{Found, way_name};
use crate::dashboard::words::table::csv_cell;
use crate::data::Matrix;
use crate::data::estimate::Estimate;
use crate::data::identify::{Model, Way};

/// A row of the table: a number, and the words that say what it is. Texts may be empty; missing numbers are NaN.
struct Entry<'a> {
    quantity: &'a str,
    model: &'a str,
    client: &'a str,
    /// The state that a coefficient predicts.
    row: &'a str,
    /// The state or input that a coefficient multiplies.
    column: &'a str,
    value: f64,
    standard_error: f64,
    /// The ends of the 95 % confidence interval.
    low: f64,
    high: f64,
}

impl Entry<'static> {
    /// An entry with nothing in it, to be completed.
    const EMPTY: Self = Self {
        quantity: "",
        model: "",
        client: "",
        row: "",
        column: "",
        value: f64::NAN,
        standard_error: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
    };
}

/// The text of the table so far.
struct Rows(String);

impl Rows {
    fn add(&mut self, entry: &Entry<'_>) {
        for text in [entry.quantity, entry.model, entry.client, entry.row, entry.column] {
            csv_cell(&mut self.0, text);
            self.0.push(',');
        }
        for (place, number) in [entry.value, entry.standard_error, entry.low, entry.high].into_iter().enumerate() {
            if place > 0 {
                self.0.push(',');
            }
            if number.is_finite() {
                // Writing to a string cannot fail.
                let _ = write!(self.0, "{number}");
            }
        }
        self.0.push('\n');
    }
}

const HEADER: &str = "quantity,model,client,row,column,value,standard error,low,high\n";

/// The text of a CSV file, in English: all estimates with their standard errors, and each way's errors on held-out
/// data, and whether the rounds of methods have settled.
pub fn csv(found: &Found) -> String {
    in_english(|| written(found))
}

fn written(found: &Found) -> String {
    let mut rows = Rows(HEADER.to_owned());
    let names = &found.sites.names;
    let mut with_errors = |model: &str, client: &str, estimate: &Estimate| {
        let t = estimate.quantile();
        for at in places(&estimate.theta) {
            let (value, standard_error) = (estimate.theta[at], estimate.standard_errors[at]);
            let (row, column) = (&*names[at.0], &*names[at.1]);
            let (low, high) = (value - t * standard_error, value + t * standard_error);
            rows.add(&Entry { quantity: "coefficient", model, client, row, column, value, standard_error, low, high });
        }
        for (row, &value) in names.iter().zip(&estimate.noise_std) {
            rows.add(&Entry { quantity: "noise std", model, client, row, value, ..Entry::EMPTY });
        }
    };
    if let Ok(pooled) = &found.identified.pooled {
        with_errors("pooled", "", pooled);
    }
    for (client, local) in found.identified.locals.iter().enumerate() {
        if let Ok(local) = local {
            with_errors("alone", found.label(client), local);
        }
    }
    for outcome in found.shared().skip(1) {
        let name = way_name(outcome.way);
        let mut without_errors = |client: &str, model: &Matrix| {
            for at in places(model) {
                let (row, column) = (&*names[at.0], &*names[at.1]);
                let coefficient = Entry { quantity: "coefficient", model: &name, ..Entry::EMPTY };
                rows.add(&Entry { client, row, column, value: model[at], ..coefficient });
            }
        };
        match &outcome.model {
            Ok(Model::Shared(model)) => without_errors("", model),
            Ok(Model::Each(models)) => {
                let known = models.iter().enumerate().filter_map(|(client, model)| Some((client, model.as_ref()?)));
                known.for_each(|(client, model)| without_errors(found.label(client), model));
            }
            Err(_) => {}
        }
    }
    add_fits(found, &mut rows);
    rows.0
}

/// Row and column of each entry of a matrix, row by row.
fn places(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> {
    let (n_rows, n_columns) = matrix.shape();
    (0..n_rows).flat_map(move |j| (0..n_columns).map(move |k| (j, k)))
}

fn add_fits(found: &Found, rows: &mut Rows) {
    for outcome in &found.identified.outcomes {
        let name = way_name(outcome.way);
        let errors = [("one-step error", found.identified.one_step(outcome)), ("free-run error", outcome.free_run)];
        for (quantity, error) in errors {
            rows.add(&Entry { quantity, model: &name, value: error.unwrap_or(f64::NAN), ..Entry::EMPTY });
        }
        if let Way::Method(_) = outcome.way {
            let value = f64::from(outcome.is_settled);
            rows.add(&Entry { quantity: "rounds settled (1 or 0)", model: &name, value, ..Entry::EMPTY });
        }
        for client in 0..found.sites.all().len() {
            if let Some(joining) = found.identified.joining(outcome, client) {
                let (client, value) = (found.label(client), joining.shared);
                rows.add(&Entry { quantity: "one-step error", model: &name, client, value, ..Entry::EMPTY });
            }
        }
    }
}
