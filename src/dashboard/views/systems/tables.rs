//! Lemma 1's covariances and the clients' systems, as tables.

use fedsysid_say::{between, say};

use super::words::subscript;
use super::{Client, Portrait, clients};
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::table::Table;
use crate::figure::number::{measured, number};
use crate::sim::Matrix;
use crate::text::put;
use crate::theory::covariance::StateCovariances;

/// Lemma 1's Σ_t of the nominal system, d×d and block-diagonal: P_t of the states and σ_u²I of the inputs.
pub fn covariance(portrait: &Portrait, t: usize) -> Matrix {
    let (settings, plan) = (portrait.scenario.settings(), portrait.scenario.plan(0));
    let dims = settings.family.dims();
    let mut states = StateCovariances::new(&[(settings.family.nominal(), plan)]);
    for _ in 0..t {
        if !states.advance() {
            break;
        }
    }
    let (n, d) = (dims.n_states, dims.n_regressors());
    let of_states = states.covariance().lane(0);
    let of_inputs = plan.noise.input_std * plan.noise.input_std;
    Matrix::from_fn(d, d, |i, j| match (i < n, j < n) {
        (true, true) => of_states[(i, j)],
        (false, false) if i == j => of_inputs,
        _ => 0.0,
    })
}

/// Σ_t as a table with names of its rows and columns; entries that are 0 by construction are shown less prominently.
pub fn covariance_table(portrait: &Portrait, t: usize) -> String {
    let sigma = covariance(portrait, t);
    let n = portrait.scenario.settings().family.dims().n_states;
    let name = |k: usize| {
        let (letter, place) = if k < n { ('x', k + 1) } else { ('u', k + 1 - n) };
        format!("{letter}{}", subscript(place))
    };
    let mut html = "<table><thead><tr><td></td>".to_owned();
    for k in 0..sigma.ncols() {
        put!(html, "<th scope=col>{}</th>", name(k));
    }
    html += "</tr></thead><tbody>";
    for i in 0..sigma.nrows() {
        put!(html, "<tr><th scope=row>{}</th>", name(i));
        for j in 0..sigma.ncols() {
            let quiet = if (i < n) == (j < n) { "" } else { " class=quiet" };
            let entry = sigma[(i, j)];
            put!(html, "<td{quiet}><data value={entry}>{}</data></td>", number(entry));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Sentence on Σ_t: the standard deviations of the states.
pub fn spread(portrait: &Portrait, t: usize) -> String {
    let n = portrait.scenario.settings().family.dims().n_states;
    let sigma = covariance(portrait, t);
    if !(0..n).all(|k| sigma[(k, k)].is_finite()) {
        return say!("At t = {t} the nominal system’s states are too large to be calculated.");
    }
    let stds: Vec<_> = (0..n).map(|k| number(sigma[(k, k)].sqrt())).collect();
    let stds = stds.join(between());
    if n == 1 {
        say!("At t = {t} the standard deviation of the nominal system’s state is {stds}.")
    } else {
        say!("At t = {t} the standard deviations of the nominal system’s states are {stds}.")
    }
}

/// One row per client, for the first clients; the client's number is a button with `data-client`.
pub fn fleet(portrait: &Portrait, chosen: usize) -> String {
    let mut html = format!(
        "<table><thead><tr><th scope=col>{}</th><th scope=col>γ₁</th><th scope=col>γ₂</th>\
         <th scope=col>{}</th><th scope=col>‖A⁽ⁱ⁾ − A⁽¹⁾‖</th><th scope=col>‖B⁽ⁱ⁾ − B⁽¹⁾‖</th>\
         <th scope=col>{}</th></tr></thead><tbody>",
        say!("client"),
        say!("radius of A⁽ⁱ⁾"),
        say!("from the mean")
    );
    for (index, client) in portrait.clients.iter().enumerate() {
        put!(
            html,
            "<tr><th scope=row><button type=button data-client={index} aria-pressed={}>{}</button></th>",
            index == chosen,
            index + 1
        );
        for value in columns(client) {
            put!(html, "<td><data value={value}>{}</data></td>", measured(value, 3));
        }
        html += "</tr>";
    }
    html + "</tbody></table>"
}

/// Numbers of a client, in the order of the table's columns.
fn columns(client: &Client) -> [f64; 6] {
    let Client { gamma, from_first_a, from_first_b, from_mean, .. } = client;
    [gamma.a, gamma.b, client.radius(), *from_first_a, *from_first_b, *from_mean]
}

/// Number of clients beyond those of the table, in words; empty if there are none.
pub fn more(portrait: &Portrait) -> String {
    match portrait.scenario.systems().len() - portrait.clients.len() {
        0 => String::new(),
        n => say!("and {} more, in the file", Things::Clients.counted(n)),
    }
}

/// A client's A and B; empty if there is no such client.
pub fn client(portrait: &Portrait, index: usize) -> String {
    let Some(system) = portrait.scenario.systems().get(index) else { return String::new() };
    let of = |name: &str, matrix: &Matrix| {
        let mut html = format!("<table class=entries><caption>{}</caption>", say!("{name} of client {}", index + 1));
        for row in matrix.row_iter() {
            html += "<tr>";
            for &entry in &row {
                put!(html, "<td><data value={entry}>{}</data></td>", number(entry));
            }
            html += "</tr>";
        }
        html + "</table>"
    };
    of("A", system.a()) + &of("B", system.b())
}

/// All clients with all of their numbers; the entries of A and B row by row.
pub fn table(portrait: &Portrait) -> Table {
    let dims = portrait.scenario.settings().family.dims();
    let header = [
        "client",
        "gamma_1",
        "gamma_2",
        "spectral radius",
        "from A of client 1",
        "from B of client 1",
        "from the mean",
    ];
    let mut header: Vec<_> = header.map(str::to_owned).to_vec();
    for (letter, cols) in [('A', dims.n_states), ('B', dims.n_inputs)] {
        header.extend((0..dims.n_states * cols).map(|k| format!("{letter}_{}_{}", k / cols + 1, k % cols + 1)));
    }
    let all = clients(&portrait.scenario, usize::MAX);
    let row = |(index, client): (usize, &Client)| {
        let system = &portrait.scenario.systems()[index];
        let entries = |matrix: &Matrix| matrix.transpose().iter().map(f64::to_string).collect::<Vec<_>>();
        let numbers = columns(client).map(|value| value.to_string());
        [vec![(index + 1).to_string()], numbers.to_vec(), entries(system.a()), entries(system.b())].concat()
    };
    Table { header, rows: all.iter().enumerate().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::tests::portrait;
    use super::*;
    use crate::params::{Key, MatrixKey};

    #[test]
    fn covariances_are_those_of_the_lemma() {
        let portrait = portrait("motor", |_| ());
        let (family, noise) = (&portrait.scenario.settings().family, portrait.scenario.plan(0).noise);
        let (a, b) = (family.nominal().a(), family.nominal().b());
        let driven =
            b * b.transpose() * noise.input_std.powi(2) + Matrix::identity(2, 2) * noise.process_noise_std.powi(2);
        let mut p = Matrix::identity(2, 2) * noise.initial_state_std.powi(2);
        for t in 0..5 {
            let sigma = covariance(&portrait, t);
            assert!((sigma.view((0, 0), (2, 2)) - &p).amax() < 1e-12, "{t}");
            assert_eq!((sigma[(2, 2)].to_string(), sigma[(0, 2)].to_string()), ("25".into(), "0".into()));
            p = a * p * a.transpose() + &driven;
        }
        let html = covariance_table(&portrait, 0);
        assert!(
            html.starts_with(
                "<table><thead><tr><td></td><th scope=col>x₁</th><th scope=col>x₂</th><th scope=col>u₁</th>"
            )
        );
        assert!(html.ends_with("<td><data value=25>25</data></td></tr></tbody></table>"), "{html}");
        assert_eq!(spread(&portrait, 0), "At t = 0 the standard deviations of the nominal system’s states are 1, 1.");
    }

    #[test]
    fn what_overflows_has_no_standard_deviations() {
        let portrait = portrait("paper", |draft| {
            draft.systems.set_text(MatrixKey::A, "[1e6 0; 0 1e6]").unwrap();
            draft.set(Key::RolloutLen, 100.0);
        });
        assert_eq!(spread(&portrait, 99), "At t = 99 the nominal system’s states are too large to be calculated.");
    }

    #[test]
    fn every_client_has_its_row() {
        let portrait = portrait("rooms", |draft| (draft.set(Key::Clients, 250.0), ()).1);
        let html = fleet(&portrait, 3);
        assert_eq!(html.matches("<tr>").count(), 101);
        assert!(html.contains("<button type=button data-client=3 aria-pressed=true>4</button>"));
        assert_eq!(more(&portrait), "and 150 clients more, in the file");
        assert_eq!(client(&portrait, 250), "");
        let first = portrait.scenario.systems()[0].a()[(0, 0)];
        assert!(client(&portrait, 0).contains(&format!("<td><data value={first}>{}</data></td>", number(first))));
    }

    #[test]
    fn the_file_holds_every_number_of_every_client() {
        let portrait = portrait("motor", |draft| (draft.set(Key::Clients, 130.0), ()).1);
        let table = table(&portrait);
        assert_eq!(table.header[7..], ["A_1_1", "A_1_2", "A_2_1", "A_2_2", "B_1_1", "B_2_1"]);
        assert_eq!(table.rows.len(), 130);
        for (index, (row, system)) in table.rows.iter().zip(portrait.scenario.systems()).enumerate() {
            let numbers: Vec<f64> = row.iter().map(|cell| cell.parse().unwrap()).collect();
            let entries = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|place| system.a()[place]);
            assert_eq!((row[0].as_str(), &numbers[7..11]), ((index + 1).to_string().as_str(), &entries[..]));
            assert_eq!(numbers[11..], [system.b()[0], system.b()[1]]);
        }
    }
}
