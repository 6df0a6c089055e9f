//! Charts of opened data: the desk sends their points, and the page makes figures of them.

use super::parts::{Part, Parts};
use crate::dashboard::run::join::{Join, strip};
use crate::figure::number::measured;
use crate::figure::{Point, Role};
use crate::text::from_decimal;
use fedsysid_say::say;

/// A point of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spot<'a> {
    /// Name of the client that it belongs to; empty if it belongs to the chosen model.
    pub(crate) name: &'a str,
    /// Horizontal value: an eigenvalue's real part, or a distance.
    pub(crate) x: f64,
    /// Vertical value: an eigenvalue's imaginary part, or a ratio of errors.
    pub(crate) y: f64,
}

impl Spot<'_> {
    pub(crate) fn point(&self) -> Point {
        Point { x: self.x, y: self.y }
    }
}

/// Points as the desk sends them: one line per point with `x`, `y` and the name, separated by tabs.
pub(super) fn written<'a>(points: impl Iterator<Item = Spot<'a>>) -> String {
    let line = |Spot { name, x, y }: Spot<'a>| {
        [x.to_string(), y.to_string(), name.replace(['\t', '\n', '\r'], " ")].join("\t")
    };
    points.map(line).fold(String::new(), |text, line| text + &line + "\n")
}

/// The points that the desk has [`written`].
pub(crate) fn read(text: &str) -> Vec<Spot<'_>> {
    let point = |line| {
        let mut fields = str::splitn(line, 3, '\t');
        let (x, y) = (from_decimal(fields.next()?)?, from_decimal(fields.next()?)?);
        Some(Spot { name: fields.next()?, x, y })
    };
    text.lines().filter_map(point).collect()
}

/// Content of the chart of who should join.
pub(crate) struct Joined<'a> {
    /// Color of the shared way that clients could join.
    pub(crate) role: Role,
    /// Name of the shared way that clients could join.
    pub(crate) way: &'a str,
    /// One spot per client: its distance from the mean system across, and its ratio of errors upward.
    pub(crate) spots: Vec<Spot<'a>>,
}

/// Reads the chart of who should join; `None` without one.
pub(crate) fn joined(parts: &Parts) -> Option<Joined<'_>> {
    let (head, points) = parts[Part::Dots].split_once('\n')?;
    let (word, way) = head.split_once('\t')?;
    let role = Role::ALL.into_iter().find(|role| role.word() == word)?;
    Some(Joined { role, way, spots: read(points) })
}

/// A client's place in the chart of who should join.
#[derive(Clone, Debug, PartialEq)]
struct Placed {
    name: String,
    /// Distance of its own estimate from the mean of all clients' estimates (spectral norm, in units of the scales).
    distance: f64,
    /// Error of its own model over the error of the shared way.
    ratio: f64,
}

/// One dot per client, as the page draws and reads them.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Positions of the dots, and the words about all of them.
    pub join: Join,
    /// The clients, in the order of the opened data.
    clients: Vec<Placed>,
}

impl Dots {
    /// Dots of opened data; `None` if no client has a ratio of errors.
    pub fn read(parts: &Parts) -> Option<Self> {
        let Joined { role, way, spots } = joined(parts)?;
        let placed = |spot: &Spot<'_>| Placed { name: spot.name.to_owned(), distance: spot.x, ratio: spot.y };
        let clients: Vec<_> = spots.iter().map(placed).collect();
        let column = |pick: fn(&Placed) -> f64| clients.iter().map(pick).collect::<Vec<_>>();
        let (ratios, distances) = (column(|client| client.ratio), column(|client| client.distance));
        let join = strip(&ratios, &distances, Join::without_dots(way.to_owned(), role));
        (!join.dots.is_empty()).then_some(Self { join, clients })
    }

    /// Words for a client's dot, by the client's place in [`Dots`]; empty if there is no such client.
    pub fn reading(&self, client: usize) -> String {
        let Some(Placed { name, distance, ratio }) = self.clients.get(client) else { return String::new() };
        let (how, fold) = if *ratio > 1.0 { (say!("gains"), *ratio) } else { (say!("loses"), 1.0 / ratio) };
        let (fold, distance) = (measured(fold, 2), measured(*distance, 2));
        say!("client {name} {how} {fold}-fold with {}; {distance} from the mean system", self.join.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::views::data::{way_name, way_role};
    use crate::data::identify::Way;
    use crate::data::shared::solvers;

    const SPOTS: [Spot<'_>; 2] = [Spot { name: "north", x: 0.5, y: 2.0 }, Spot { name: "south", x: 0.1, y: 0.25 }];

    fn parts(way: Way) -> Parts {
        let mut parts = Parts::default();
        parts[Part::Dots] = format!("{}\t{}\n{}", way_role(way).word(), way_name(way), written(SPOTS.into_iter()));
        parts
    }

    #[test]
    fn every_dot_reads_its_client() {
        let dots = Dots::read(&parts(Way::Pooled)).unwrap();
        // From the most typical system to the farthest.
        assert_eq!(dots.join.dots.iter().map(|dot| dot.client).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(dots.reading(0), "client north gains 2.0-fold with pooled; 0.50 from the mean system");
        assert_eq!(dots.reading(1), "client south loses 4.0-fold with pooled; 0.10 from the mean system");
        assert_eq!(Dots::read(&Parts::default()), None);
        let mut empty = Parts::default();
        empty[Part::Dots] = "pooled\tpooled\n".into();
        assert_eq!(Dots::read(&empty), None, "no client has a ratio");
    }

    #[test]
    fn whatever_can_be_joined_has_its_dots() {
        let ways = [Way::Pooled, Way::MeanOfLocals].into_iter().chain(solvers(1.0).map(Way::Method));
        for way in ways {
            let dots = Dots::read(&parts(way)).unwrap();
            assert_eq!((dots.join.role, dots.join.name, dots.clients.len()), (way_role(way), way_name(way), 2));
        }
    }

    #[test]
    fn points_survive_their_way_and_names_cannot_break_it() {
        let far = Spot { name: "", x: 0.1 + 0.2, y: -1e-300 };
        let text = written([far, Spot { name: "a\tb\nc", x: -2.5, y: 4.0 }].into_iter());
        assert_eq!(read(&text), [far, Spot { name: "a b c", x: -2.5, y: 4.0 }]);
    }
}
