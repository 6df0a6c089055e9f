//! The pictures of opened data, to be taken away: the desk sends their points, the page makes charts of them.

use super::markup::Parts;
use crate::dashboard::export::Export;
use crate::dashboard::export::charts::Page;
use crate::dashboard::export::pictures::{clients_dots, plane};
use crate::dashboard::systems::Mode;
use crate::dashboard::table::Table;
use crate::decimal::from_decimal;
use crate::figure::{Curve, CurveKind, Point, Role};
use fedsysid_say::say;

/// A point of a picture: what it belongs to, and where it is.
pub(super) type Named<'a> = (&'a str, f64, f64);

/// Points as the desk sends them: a line each.
pub(super) fn written<'a>(points: impl Iterator<Item = Named<'a>>) -> String {
    let line =
        |(name, x, y): Named<'a>| [x.to_string(), y.to_string(), name.replace(['\t', '\n', '\r'], " ")].join("\t");
    points.map(line).fold(String::new(), |text, line| text + &line + "\n")
}

fn read(text: &str) -> Vec<Named<'_>> {
    let point = |line| {
        let mut fields = str::splitn(line, 3, '\t');
        let (x, y) = (from_decimal(fields.next()?)?, from_decimal(fields.next()?)?);
        Some((fields.next()?, x, y))
    };
    text.lines().filter_map(point).collect()
}

/// What can be joined, by the words of their colors.
const JOINED: [Role; 9] = [
    Role::Pooled,
    Role::MeanOfLocals,
    Role::FedLin,
    Role::FedAvg,
    Role::FedProx,
    Role::Scaffold,
    Role::FedAdmm,
    Role::Clustered,
    Role::Median,
];

/// The eigenvalues of the model that is looked at, before those of the clients' own.
pub fn eigenvalues(page: Page<'_>, parts: &Parts) -> Option<Export> {
    let (model, points) = parts.modes.split_once('\n')?;
    let points = read(points);
    let curve = |role, kind, label: &str, is_ours: fn(&str) -> bool| {
        let ours = points.iter().filter(|(name, ..)| is_ours(name));
        let points = ours.map(|&(_, x, y)| Point { x, y }).collect();
        Curve { role, kind, label: label.to_owned(), points, band: Vec::new() }
    };
    let figure = plane(vec![
        curve(Role::ClientAlone, CurveKind::Beside, say!("clients alone"), |name| !name.is_empty()),
        curve(Role::Pooled, CurveKind::Points, model, str::is_empty),
    ]);
    let row = |&(name, re, im): &Named<'_>| {
        let name = if name.is_empty() { model.to_owned() } else { say!("{name} alone") };
        vec![name, re.to_string(), im.to_string(), Mode { re, im }.size().to_string()]
    };
    let header =
        ["model", say!("real part"), say!("imaginary part"), say!("absolute value")].map(str::to_owned).to_vec();
    let table = Table { header, rows: points.iter().map(row).collect() };
    let title = say!("Eigenvalues of Â: {model}");
    Some(page.own_data("data-eigenvalues", title, parts.about.clone(), (figure, table)))
}

/// Who should join, by errors on what was held out.
pub fn joining(page: Page<'_>, parts: &Parts) -> Option<Export> {
    let (head, points) = parts.dots.split_once('\n')?;
    let (word, way) = head.split_once('\t')?;
    let role = JOINED.into_iter().find(|role| role.word() == word)?;
    let points = read(points);
    let dots = points.iter().map(|&(_, x, y)| Point { x, y }).collect();
    let figure = clients_dots(dots, role, way);
    let header = ["client", say!("distance from the mean system"), say!("error alone / error with it")]
        .map(str::to_owned)
        .to_vec();
    let row = |&(name, x, y): &Named<'_>| vec![name.to_owned(), x.to_string(), y.to_string()];
    let table = Table { header, rows: points.iter().map(row).collect() };
    let title = say!("Who should join: {way} against alone, by errors on held-out data");
    Some(page.own_data("data-joining", title, parts.about.clone(), (figure, table)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_survive_their_way_and_names_cannot_break_it() {
        let points = [("", 0.1 + 0.2, -1e-300), ("a\tb\nc", -2.5, 4.0)];
        let text = written(points.into_iter());
        assert_eq!(read(&text), [("", 0.1 + 0.2, -1e-300), ("a b c", -2.5, 4.0)]);
    }
}
