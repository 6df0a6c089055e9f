//! Markup of the Data view's pieces.

use fedsysid_say::{between, in_english, say};

use super::charts::{Spot, written};
use super::parts::{Chosen, Part, Parts};
use super::{Found, Kind, way_name, way_role, words};
use crate::dashboard::views::systems::Mode;
use crate::dashboard::views::systems::plane::drawn;
use crate::dashboard::words::html::options;
use crate::data::Matrix;
use crate::data::estimate::Estimate;
use crate::data::identify::{Joining, Model, Outcome, Way};
use crate::data::shared::scaled;
use crate::figure::number::{beside_one, count, measured};
use crate::sim::norm::spectral_norm;
use crate::sim::spectrum::eigenvalues;
use crate::text::{escaped, put};

/// Maximum number of dots for the eigenvalues of the clients' own models.
const CLOUD: usize = 600;

/// Maximum number of clients in the table and in the list of models; the saved results hold all clients.
const LISTED: usize = 100;

/// Writes all pieces for the chosen model and shared way.
pub fn parts(found: &Found, chosen: Chosen) -> Parts {
    let names = found.models().map(|(way, _)| way_name(way));
    // The browser would take longer to lay out a list of thousands than everything else.
    let clients = (0..found.sites.all().len().min(LISTED)).map(|client| say!("{} alone", found.label(client)));
    let models: Vec<_> = names.chain(clients).collect();
    let ways: Vec<_> = joinable(found).map(|outcome| way_name(outcome.way)).collect();
    // Other rounds may leave fewer models or ways than there were: then the first one is shown.
    let within = |index: usize, len: usize| if index < len { index } else { 0 };
    let chosen = Chosen { model: within(chosen.model, models.len()), way: within(chosen.way, ways.len()) };
    let (join, by_client) = join(found, chosen.way);
    let mut parts = Parts::default();
    parts[Part::Summary] = summary(found);
    parts[Part::Models] = options(&models, Some(chosen.model));
    parts[Part::Estimate] = chosen_model(found, chosen.model);
    parts[Part::Fit] = fit(found);
    parts[Part::Ways] = options(&ways, Some(chosen.way));
    parts[Part::Join] = join;
    parts[Part::Clients] = by_client;
    parts[Part::Spread] = format!("<p data-testid=data-spread data-said>{}</p>", escaped(&words::spread(found)));
    let about = found.files.iter().map(|file| format!("{}: {}.", file.name, words::file(file)));
    parts[Part::About] = about.collect::<Vec<_>>().join(" ");
    parts[Part::Modes] = modes(found, chosen.model);
    parts[Part::Dots] = dots(found, chosen.way);
    parts
}

fn summary(found: &Found) -> String {
    let mut html = String::from("<ul class=files>");
    let mut first = 0;
    for file in &found.files {
        let own = first..first + file.n_clients;
        first = own.end;
        put!(html, "<li><b>{}</b> {}", escaped(&file.name), escaped(&words::file(file)));
        let mut notes = words::notes(file);
        notes.extend(found.sites.all().get(own.clone()).and_then(|own| words::other_step(found, own)));
        notes.extend(words::operating_point(found, own));
        if !notes.is_empty() {
            html += "<ul class=notes>";
            for note in &notes {
                put!(html, "<li>{}</li>", escaped(note));
            }
            html += "</ul>";
        }
        html += "</li>";
    }
    let dims = found.sites.dims();
    let n_rows: u64 = found.files.iter().map(rows_of).sum();
    let n_samples: u64 = found.identified.n_samples.iter().flatten().sum();
    put!(
        html,
        "</ul><dl class=facts><div><dt>{}</dt><dd>{}</dd></div><div><dt>{} n</dt><dd>{}</dd></div>\
         <div><dt>{} p</dt><dd>{}</dd></div><div><dt>{}</dt><dd><data value={n_samples} data-rows={n_rows}>{}</data></dd></div></dl>",
        say!("clients"),
        count(found.sites.all().len()),
        say!("states"),
        dims.n_states,
        say!("inputs"),
        dims.n_inputs,
        say!("samples"),
        count(usize::try_from(n_samples).unwrap_or(usize::MAX))
    );
    html
}

fn rows_of(file: &super::FileRead) -> u64 {
    match &file.kind {
        Kind::Rollouts { tally, .. } => tally.rows,
        Kind::Moments(_) => 0,
    }
}

/// A shared model or a client's own, by its place in the list of models.
fn chosen_model(found: &Found, index: usize) -> String {
    match model_at(found, index) {
        Some(Ok(listed)) => model_of(found, &listed),
        Some(Err(reason)) => format!("<p class=no-value>{}.</p>", escaped(&reason)),
        None => String::new(),
    }
}

/// An entry of the list of models.
struct Listed<'a> {
    name: String,
    theta: &'a Matrix,
    /// The estimate with its standard errors, if it has them.
    errors: Option<&'a Estimate>,
    /// Words on these errors, or on their absence.
    note: &'static str,
}

/// The entry at this place of the list, or why there is no model.
fn model_at(found: &Found, index: usize) -> Option<Result<Listed<'_>, String>> {
    let shared: Vec<_> = found.models().collect();
    if let Some(&(way, theta)) = shared.get(index) {
        let errors = found.identified.pooled.as_ref().ok().filter(|_| way == Way::Pooled);
        let note = match way {
            Way::MeanOfLocals => say!(
                "The mean of the clients’ own models: no standard errors are computed for it; those of pooled and alone say what the data allow."
            ),
            Way::Method(_) => say!(
                "The result of rounds: it has no standard errors of its own; those of pooled and alone say what the data allow."
            ),
            Way::Pooled if found.sites.all().len() > 1 => {
                say!("These intervals take all clients to have one system and the same noise.")
            }
            Way::Alone | Way::Pooled => "",
        };
        return Some(Ok(Listed { name: way_name(way), theta, errors, note }));
    }
    let client = index - shared.len();
    let own = match found.identified.locals.get(client)? {
        Ok(own) => own,
        Err(error) => return Some(Err(words::no_estimate(found, Some(client), *error))),
    };
    let name = say!("{} alone", found.label(client));
    Some(Ok(Listed { name, theta: &own.theta, errors: Some(own), note: "" }))
}

/// The eigenvalues of a model's Â.
fn modes_of(found: &Found, theta: &Matrix) -> Vec<Mode> {
    let values = eigenvalues(&theta.columns(0, found.sites.dims().n_states).into()).unwrap_or_default();
    values.into_iter().map(|(re, im)| Mode { re, im }).collect()
}

/// Eigenvalues of the model at this place of the list and of the clients' own models; the page makes a chart of them.
fn modes(found: &Found, index: usize) -> String {
    let Some(Ok(Listed { name, theta: model, .. })) = model_at(found, index) else { return String::new() };
    let n = found.sites.dims().n_states;
    let locals = found.identified.locals.iter().enumerate();
    let own = locals.filter_map(|(client, local)| Some((found.label(client), &local.as_ref().ok()?.theta)));
    // Tables of numbers are in English whatever the page's language, and the page knows only its own words.
    let english = in_english(|| model_at(found, index)).and_then(Result::ok).map(|listed| listed.name);
    let head = [english.unwrap_or_default(), name].map(|name| name.replace(['\t', '\n', '\r'], " ")).join("\t");
    let all = std::iter::once(("", model)).chain(own.take(CLOUD / n));
    let points = all.flat_map(|(name, theta)| {
        modes_of(found, theta).into_iter().map(move |Mode { re, im }| Spot { name, x: re, y: im })
    });
    format!("{head}\n{}", written(points))
}

/// The shared ways that clients may join: a single client has none.
fn joinable(found: &Found) -> impl Iterator<Item = &Outcome> {
    found.shared().filter(|_| found.sites.all().len() > 1)
}

/// Ratios of errors of the clients for the shared way at this place; the page makes a chart of them.
fn dots(found: &Found, way: usize) -> String {
    let Some(outcome) = joinable(found).nth(way).or_else(|| joinable(found).next()) else { return String::new() };
    // A client that predicts without error has no place on a logarithmic axis.
    let is_placed = |ratio: &f64| ratio.is_finite() && *ratio > 0.0;
    let ratio = |client| found.identified.joining(outcome, client).map(|it| it.alone / it.shared).filter(is_placed);
    let distances = distances(found).into_iter().enumerate();
    let points = distances.filter_map(|(client, x)| Some(Spot { name: found.label(client), x, y: ratio(client)? }));
    format!("{}\t{}\n{}", way_role(outcome.way).word(), way_name(outcome.way), written(points))
}

fn model_of(found: &Found, &Listed { theta, errors, note, .. }: &Listed<'_>) -> String {
    let dims = found.sites.dims();
    let (n, names) = (dims.n_states, &found.sites.names);
    let mut html = format!(
        "<div class=estimate><div class=scroll tabindex=0 role=group aria-label=\"{}\"><table class=matrix><thead><tr><td></td>",
        say!("Estimated matrices")
    );
    put!(html, "<th scope=colgroup colspan={n}>Â</th>");
    if dims.n_inputs > 0 {
        put!(html, "<th scope=colgroup colspan={} class=inputs>B̂</th>", dims.n_inputs);
    }
    html += "</tr><tr><td></td>";
    for (k, name) in names.iter().enumerate() {
        put!(html, "<th scope=col{}>{}</th>", input_class(k, n), escaped(name));
    }
    html += "</tr></thead><tbody>";
    let t = errors.map_or(f64::NAN, Estimate::quantile);
    for (j, name) in names.iter().take(n).enumerate() {
        put!(html, "<tr><th scope=row>{}⁺</th>", escaped(name));
        for k in 0..theta.ncols() {
            let value = theta[(j, k)];
            let half = errors.map_or(f64::NAN, |errors| t * errors.standard_errors[(j, k)]);
            // Entries that may well be zero are shown less prominently.
            let quiet = if half >= value.abs() { " data-zero" } else { "" };
            put!(html, "<td{}{quiet}><data value={value}>{}</data>", input_class(k, n), measured(value, 3));
            if half.is_finite() {
                put!(html, "<small data-half={half}>± {}</small>", measured(half, 2));
            }
            html += "</td>";
        }
        html += "</tr>";
    }
    html += "</tbody></table></div>";
    let lacking = if words::has_operating_point(found) {
        say!(" The model has no constant: about an operating point, intervals and eigenvalues mislead.")
    } else {
        ""
    };
    put!(html, "<p class=quiet>{}{lacking}</p></div>", escaped(&about(errors, note)));
    html + &poles(found, theta)
}

fn input_class(k: usize, n_states: usize) -> &'static str {
    if k == n_states { " class=inputs" } else { "" }
}

/// Words beneath a model on its standard errors, if it has any.
fn about(errors: Option<&Estimate>, note: &str) -> String {
    let Some(Estimate { degrees, noise_std, .. }) = errors else { return note.to_owned() };
    if *degrees == 0 {
        return say!("As many samples as unknowns: nothing is left to tell how large the errors are.").into();
    }
    let noise: Vec<_> = noise_std.iter().map(|std| measured(*std, 3)).collect();
    let is_exact = noise_std.iter().any(|std| *std <= 0.0);
    let exact = if is_exact { say!(" Where σ̂ is 0, noise cannot be told from rounding.") } else { "" };
    let said = say!(
        "± is half a 95 % confidence interval (Student’s t, {} degrees of freedom); grey where it holds 0. Noise of the states, σ̂: {}.{exact}",
        count(usize::try_from(*degrees).unwrap_or(usize::MAX)),
        noise.join(between())
    );
    [said.as_str(), note].join(" ").trim_end().to_owned()
}

/// The eigenvalues of Â before those of the clients' own models, as a plot with words.
fn poles(found: &Found, theta: &Matrix) -> String {
    let n = found.sites.dims().n_states;
    let locals = found.identified.locals.iter().filter_map(|local| local.as_ref().ok());
    let cloud: Vec<_> = locals.take(CLOUD / n).flat_map(|local| modes_of(found, &local.theta)).collect();
    let modes = modes_of(found, theta);
    let listed: Vec<_> = modes.iter().filter(|mode| mode.im >= 0.0).map(|mode| words::eigenvalue(*mode)).collect();
    let listed = escaped(&listed.join(between()));
    let radius = words::radius(&modes);
    format!(
        "<div class=poles>{}<p><span data-said>{radius}</span> <span class=quiet>{}</span></p></div>",
        drawn(&say!("Eigenvalues beside the unit circle. {radius}"), &modes, &[], &cloud),
        say!("Eigenvalues: × {listed}; • those of clients alone."),
    )
}

/// Table of prediction errors: one row per way, with its errors on held-out data as bars and numbers.
fn fit(found: &Found) -> String {
    let identified = &found.identified;
    let one_steps: Vec<_> = identified.outcomes.iter().map(|outcome| identified.one_step(outcome)).collect();
    let all = one_steps.iter().copied().chain(identified.outcomes.iter().map(|outcome| outcome.free_run));
    // A model whose error explodes would flatten all other bars: the scale ends at 1.5.
    let largest = all.flatten().filter(|error| error.is_finite()).fold(0.0, f64::max).clamp(1e-9, 1.5);
    let mut html = format!("<p data-testid=data-fit data-said>{}</p>", escaped(&words::fit(found)));
    put!(
        html,
        "<div class=scroll tabindex=0 role=group aria-label=\"{}\"><table class=fit><thead><tr><th scope=col>{}</th>\
         <th scope=col>{}</th><th scope=col>{}</th><th scope=col>ρ</th><th scope=col>{}</th></tr></thead><tbody>",
        say!("Errors on held-out data"),
        say!("model"),
        say!("one step"),
        say!("free run"),
        say!("from pooled")
    );
    // Whatever a single client joins is its own model.
    let n_rows = if found.sites.all().len() < 2 && one_steps[0].is_some() { 1 } else { one_steps.len() };
    for (outcome, one_step) in identified.outcomes.iter().zip(one_steps).take(n_rows) {
        let (role, name) = (way_role(outcome.way).word(), way_name(outcome.way));
        let mark = if outcome.is_settled { "" } else { "*" };
        put!(html, "<tr data-role={role}><th scope=row>{}{mark}</th>", escaped(&name));
        for error in [one_step, outcome.free_run] {
            html += &bar(error, largest);
        }
        let far = match (&outcome.model, &identified.pooled) {
            (Ok(Model::Shared(model)), Ok(pooled)) => Some(scaled(&(model - &pooled.theta), &identified.scales).norm()),
            _ => None,
        };
        let distance: fn(f64) -> String = |far| measured(far, 3);
        for (number, words) in [(outcome.contraction, beside_one as fn(f64) -> String), (far, distance)] {
            match number {
                // Smaller numbers are rounding.
                Some(number) => {
                    let shown = if number < 1e-9 { "0".into() } else { words(number) };
                    put!(html, "<td><data value={number}>{shown}</data></td>");
                }
                None => html += "<td class=none>–</td>",
            }
        }
        html += "</tr>";
    }
    put!(html, "</tbody></table></div><p class=quiet>{}</p>", words::columns(identified, n_rows));
    html
}

fn bar(error: Option<f64>, largest: f64) -> String {
    let Some(error) = error.filter(|error| error.is_finite()) else { return "<td class=none>–</td>".into() };
    let end = (100.0 * (error / largest).min(1.0)).round();
    format!(
        "<td><svg class=bar viewBox=\"0 0 100 10\" preserveAspectRatio=none aria-hidden=true><path d=\"M0 5H{end}\"/></svg>\
         <data value={error}>{}</data></td>",
        measured(error, 3)
    )
}

/// Who should join the shared way at this place: in words, and as a table with one row per client.
fn join(found: &Found, way: usize) -> (String, String) {
    let Some(outcome) = found.shared().nth(way).or_else(|| found.shared().next()) else { return Default::default() };
    let n_clients = found.sites.all().len();
    let words = format!("<p data-testid=data-join data-said>{}</p>", escaped(&words::join(found, outcome)));
    if n_clients < 2 {
        return (words, String::new());
    }
    let name = way_name(outcome.way);
    let mut html = String::new();
    put!(
        html,
        "<details class=numbers><summary>{}</summary><div class=numbers-table><table><thead><tr>\
         <th>{}</th><th>{}</th><th>{}</th><th>{}</th><th>{}</th><th>{}</th></tr></thead><tbody>",
        say!("Client by client"),
        say!("client"),
        say!("rollouts"),
        say!("samples"),
        say!("alone"),
        escaped(&name),
        say!("join?")
    );
    for client in 0..n_clients.min(LISTED) {
        html += &client_row(found, client, found.identified.joining(outcome, client));
    }
    html += "</tbody></table></div>";
    if n_clients > LISTED {
        put!(html, "<p class=quiet>{}</p>", say!("The first {}; the saved results have all.", count(LISTED)));
    }
    (words, html + "</details>")
}

fn client_row(found: &Found, client: usize, joining: Option<Joining>) -> String {
    let n_samples: u64 = found.identified.n_samples[client].iter().sum();
    let n_rollouts = found.sites.all()[client].n_rollouts;
    let label = escaped(found.label(client));
    let mut html = format!("<tr><th scope=row>{label}</th><td>{n_rollouts}</td><td>{n_samples}</td>");
    match joining {
        Some(Joining { alone, shared, is_clear }) => {
            let verdict = match (shared < alone, is_clear) {
                (true, true) => say!("yes"),
                (false, true) => say!("no"),
                (_, false) => say!("too close to tell"),
            };
            let (one, other) = (measured(alone, 3), measured(shared, 3));
            put!(
                html,
                "<td><data value={alone}>{one}</data></td><td><data value={shared}>{other}</data></td><td>{verdict}</td>"
            );
        }
        None => {
            put!(html, "<td class=none>–</td><td class=none>–</td><td>{}</td>", say!("cannot tell"));
        }
    }
    html + "</tr>"
}

/// Distance ‖Θ̂_i − mean‖ (spectral norm) of each client's own estimate from the mean of all, in units of the scales; 0
/// for clients without one.
fn distances(found: &Found) -> Vec<f64> {
    let known = || found.identified.locals.iter().filter_map(|local| local.as_ref().ok());
    let Some(first) = known().next() else { return vec![0.0; found.sites.all().len()] };
    let zeros = Matrix::zeros(first.theta.nrows(), first.theta.ncols());
    let mean = known().fold(zeros, |sum, own| sum + &own.theta) / known().count() as f64;
    let far = |own: &Estimate| spectral_norm(&scaled(&(&own.theta - &mean), &found.identified.scales));
    let of = |local: &Result<Estimate, _>| local.as_ref().map_or(0.0, far);
    found.identified.locals.iter().map(of).collect()
}
