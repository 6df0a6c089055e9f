//! What was found as a table that any program reads: one row a number.

use fedsysid_say::in_english;
use std::fmt::Write;

use super::{Found, way_name};
use crate::data::Matrix;
use crate::data::estimate::Estimate;
use crate::data::identify::Model;

/// A table in the writing.
struct Rows(String);

impl Rows {
    fn add(&mut self, quantity: &str, model: &str, client: &str, (row, column): (&str, &str), numbers: [f64; 4]) {
        for text in [quantity, model, client, row, column] {
            let needs_quotes = text.contains([',', '"']);
            let text = if needs_quotes { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() };
            self.0 += &text;
            self.0.push(',');
        }
        for (place, number) in numbers.into_iter().enumerate() {
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

/// Every estimate with its errors, and every way's errors on what was held out.
pub fn csv(found: &Found) -> String {
    in_english(|| written(found))
}

fn written(found: &Found) -> String {
    let mut rows = Rows(HEADER.to_owned());
    let names = &found.sites.names;
    let mut with_errors = |model: &str, client: &str, estimate: &Estimate| {
        let t = estimate.quantile();
        for at in places(&estimate.theta) {
            let (value, error) = (estimate.theta[at], estimate.standard_errors[at]);
            let numbers = [value, error, value - t * error, value + t * error];
            rows.add("coefficient", model, client, (&names[at.0], &names[at.1]), numbers);
        }
        for (name, std) in names.iter().zip(&estimate.noise_std) {
            rows.add("noise std", model, client, (name, ""), only(*std));
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
                rows.add("coefficient", &name, client, (&names[at.0], &names[at.1]), only(model[at]));
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

/// The places of a matrix, row by row.
fn places(matrix: &Matrix) -> impl Iterator<Item = (usize, usize)> {
    let (n_rows, n_columns) = matrix.shape();
    (0..n_rows).flat_map(move |j| (0..n_columns).map(move |k| (j, k)))
}

/// A value without errors.
fn only(value: f64) -> [f64; 4] {
    [value, f64::NAN, f64::NAN, f64::NAN]
}

fn add_fits(found: &Found, rows: &mut Rows) {
    for outcome in &found.identified.outcomes {
        let name = way_name(outcome.way);
        let errors = [("one-step error", found.identified.one_step(outcome)), ("free-run error", outcome.free_run)];
        for (quantity, error) in errors {
            rows.add(quantity, &name, "", ("", ""), only(error.unwrap_or(f64::NAN)));
        }
        for client in 0..found.sites.all().len() {
            if let Some(joining) = found.identified.joining(outcome, client) {
                rows.add("one-step error", &name, found.label(client), ("", ""), only(joining.shared));
            }
        }
    }
}
