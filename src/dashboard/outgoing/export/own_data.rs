//! Charts of opened data as exports.

use super::Export;
use super::charts::Page;
use super::pictures::{clients_dots, plane};
use crate::dashboard::views::data::charts::{Joined, Spot, joined, read};
use crate::dashboard::views::data::parts::{Part, Parts};
use crate::dashboard::views::systems::Mode;
use crate::dashboard::words::table::Table;
use crate::figure::{Curve, CurveKind, Role};
use fedsysid_say::say;

/// The eigenvalues of the chosen model before those of the clients' own models; `None` if there is no model.
pub fn eigenvalues(page: Page<'_>, parts: &Parts) -> Option<Export> {
    let (head, points) = parts[Part::Modes].split_once('\n')?;
    let (english, model) = head.split_once('\t')?;
    let points = read(points);
    let curve = |role, kind, label: &str, is_ours: fn(&str) -> bool| {
        let points = points.iter().filter(|spot| is_ours(spot.name)).map(Spot::point).collect();
        Curve { role, kind, label: label.to_owned(), points, band: Vec::new() }
    };
    let figure = plane(vec![
        curve(Role::ClientAlone, CurveKind::Beside, say!("clients alone"), |name| !name.is_empty()),
        curve(Role::Pooled, CurveKind::Points, model, str::is_empty),
    ]);
    let row = |&Spot { name, x: re, y: im }: &Spot<'_>| {
        let name = if name.is_empty() { english.to_owned() } else { say!("{name} alone") };
        vec![name, re.to_string(), im.to_string(), Mode { re, im }.size().to_string()]
    };
    let header = ["model", "real part", "imaginary part", "absolute value"].map(str::to_owned).to_vec();
    let table = || Table { header, rows: points.iter().map(row).collect() };
    let title = say!("Eigenvalues of Â: {model}");
    Some(page.own_data("data-eigenvalues", title, parts[Part::About].clone(), figure, table))
}

/// The chart of who should join, by errors on held-out data; `None` if no client has a ratio of errors.
pub fn joining(page: Page<'_>, parts: &Parts) -> Option<Export> {
    let Joined { role, way, spots } = joined(parts).filter(|joined| !joined.spots.is_empty())?;
    let dots: Vec<_> = spots.iter().map(Spot::point).collect();
    let figure = clients_dots(&dots, role, way);
    let header = ["client", "distance from the mean system", "error alone / error with it"].map(str::to_owned).to_vec();
    let row = |spot: &Spot<'_>| vec![spot.name.to_owned(), spot.x.to_string(), spot.y.to_string()];
    let table = || Table { header, rows: spots.iter().map(row).collect() };
    let title = say!("Who should join: {way} against alone, by errors on held-out data");
    Some(page.own_data("data-joining", title, parts[Part::About].clone(), figure, table))
}
