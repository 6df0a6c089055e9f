//! The pictures of opened data, to be taken away: the desk sends their points, the page makes charts of them.

use super::markup::Parts;
use crate::dashboard::export::Export;
use crate::dashboard::export::charts::Page;
use crate::dashboard::export::pictures::{clients_dots, plane};
use crate::dashboard::join::{Join, strip};
use crate::dashboard::systems::Mode;
use crate::dashboard::table::Table;
use crate::figure::number::measured;
use crate::figure::{Curve, CurveKind, Point, Role};
use crate::text::from_decimal;
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
    let header = ["model", "real part", "imaginary part", "absolute value"].map(str::to_owned).to_vec();
    let table = || Table { header, rows: points.iter().map(row).collect() };
    let title = say!("Eigenvalues of Â: {model}");
    Some(page.own_data("data-eigenvalues", title, parts.about.clone(), figure, table))
}

/// With what clients would join, its name, and of every client its name, its distance and its ratio.
fn joined(parts: &Parts) -> Option<(Role, &str, Vec<Named<'_>>)> {
    let (head, points) = parts.dots.split_once('\n')?;
    let (word, way) = head.split_once('\t')?;
    let role = JOINED.into_iter().find(|role| role.word() == word)?;
    Some((role, way, read(points)))
}

/// A dot a client, as the page draws and reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Where they are.
    pub join: Join,
    /// Of every client its name, its distance from the mean system, and its error alone over that with what it would join.
    clients: Vec<(String, f64, f64)>,
}

impl Dots {
    /// Those of opened data, if any client can tell.
    pub fn read(parts: &Parts) -> Option<Self> {
        let (role, way, points) = joined(parts)?;
        let clients: Vec<_> = points.into_iter().map(|(name, x, y)| (name.to_owned(), x, y)).collect();
        let column = |pick: fn(&(String, f64, f64)) -> f64| clients.iter().map(pick).collect::<Vec<_>>();
        let join = strip(&column(|it| it.2), &column(|it| it.1), Join::without_dots(way.to_owned(), role));
        (!join.dots.is_empty()).then_some(Self { join, clients })
    }

    /// What a client's dot reads.
    pub fn reading(&self, client: usize) -> String {
        let Some((name, distance, ratio)) = self.clients.get(client) else { return String::new() };
        let (how, fold) = if *ratio > 1.0 { (say!("gains"), *ratio) } else { (say!("loses"), 1.0 / ratio) };
        let (fold, distance) = (measured(fold, 2), measured(*distance, 2));
        say!("client {name} {how} {fold}-fold with {}; {distance} from the mean system", self.join.name)
    }
}

/// Who should join, by errors on what was held out.
pub fn joining(page: Page<'_>, parts: &Parts) -> Option<Export> {
    let (role, way, points) = joined(parts)?;
    let dots: Vec<_> = points.iter().map(|&(_, x, y)| Point { x, y }).collect();
    let figure = clients_dots(&dots, role, way);
    let header = ["client", "distance from the mean system", "error alone / error with it"].map(str::to_owned).to_vec();
    let row = |&(name, x, y): &Named<'_>| vec![name.to_owned(), x.to_string(), y.to_string()];
    let table = || Table { header, rows: points.iter().map(row).collect() };
    let title = say!("Who should join: {way} against alone, by errors on held-out data");
    Some(page.own_data("data-joining", title, parts.about.clone(), figure, table))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dot_reads_its_client() {
        let points = [("north", 0.5, 2.0), ("south", 0.1, 0.25)];
        let dots = format!("pooled\tpooled\n{}", written(points.into_iter()));
        let dots = Dots::read(&Parts { dots, ..Parts::default() }).unwrap();
        // From the most typical system to the farthest.
        assert_eq!(dots.join.dots.iter().map(|dot| dot.client).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(dots.reading(0), "client north gains 2.0-fold with pooled; 0.50 from the mean system");
        assert_eq!(dots.reading(1), "client south loses 4.0-fold with pooled; 0.10 from the mean system");
        assert_eq!(Dots::read(&Parts::default()), None);
    }

    #[test]
    fn points_survive_their_way_and_names_cannot_break_it() {
        let points = [("", 0.1 + 0.2, -1e-300), ("a\tb\nc", -2.5, 4.0)];
        let text = written(points.into_iter());
        assert_eq!(read(&text), [("", 0.1 + 0.2, -1e-300), ("a b c", -2.5, 4.0)]);
    }
}
