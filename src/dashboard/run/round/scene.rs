//! A round as frames: the start, the local steps, the uploads, the mean, the broadcast; each has shapes on paper and a
//! sentence.

use super::Round;
use super::plane::{EXTENT, Ellipse, Plane, Position, View};
use super::stage::Stage;
use super::words::{mean_of, sentence};
use crate::figure::Role;
use crate::figure::number::{count, number};
use crate::sim::Matrix;
use fedsysid_say::say;

/// A shape on paper.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A client's 95 % confidence region.
    Region(Ellipse),
    /// A client's own least squares.
    Own(Position),
    /// A client's models along its local steps.
    Path {
        /// Their positions.
        places: Vec<Position>,
        /// Whether the local steps are over.
        is_past: bool,
    },
    /// A client's model on its way to the server.
    Upload {
        /// Last model of its path.
        from: Position,
        /// Mean of the models, to which it moves.
        to: Position,
    },
    /// The uploaded numbers, drawn as a table of n×d cells.
    Table {
        /// Centre of the table.
        at: Position,
        /// Last model of the path whose numbers it shows.
        of: Position,
    },
    /// Pooled least squares.
    Pooled(Position),
    /// The server's model.
    Server(Position),
    /// The mean of the clients' models, which is not yet the server's.
    Mean(Position),
    /// The step from the server's old model to its new one.
    Broadcast {
        /// The old model.
        from: Position,
        /// The new model.
        to: Position,
    },
    /// A text.
    Label {
        /// Centre of the text.
        at: Position,
        /// The text.
        words: String,
        /// Whether the text names a client.
        is_client: bool,
    },
}

/// A frame of a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Its stage.
    pub stage: Stage,
    /// What happens, in words with numbers.
    pub sentence: String,
    /// The method's color.
    pub role: Role,
    /// Numbers of rows and columns of a model.
    pub model: (usize, usize),
    /// The shapes, from the back to the front.
    pub shapes: Vec<Shape>,
}

/// The frames of a round.
#[derive(Clone, Debug)]
pub struct Frames {
    round: Round,
    plane: Plane,
    view: View,
    stages: Vec<Stage>,
    labels: Labels,
}

/// Positions of the labels, which are the same in every frame.
#[derive(Clone, Debug)]
struct Labels {
    server: Option<Position>,
    pooled: Option<Position>,
    mean: Option<Position>,
    /// Positions of the labels of the shown clients.
    clients: Vec<Option<Position>>,
    /// Centre and half size of every label, so that others avoid it.
    taken: Vec<(Position, Position)>,
}

/// A move of the server's model by less than this share of the picture's width is too small: the round gets a new view.
const LEAST_MOVE: f64 = 0.06;

impl Frames {
    /// The frames of a round. They keep plane and view of the frames before, if the round can be seen there.
    pub fn new(round: Round, before: Option<&Self>) -> Self {
        let kept = before.filter(|before| before.shows(&round)).map(|before| (before.plane.clone(), before.view));
        let (plane, view) = kept.unwrap_or_else(|| {
            let plane = Plane::of(&round);
            let view = View::of(&to_be_seen(&round, &plane));
            (plane, view)
        });
        let most = round.clients.iter().map(|client| client.n_steps).max().unwrap_or(0);
        let longest = round.clients.iter().find(|client| client.n_steps == most);
        let mut stages = vec![Stage::Start];
        if round.n_taking_part > 0 {
            let steps = longest.into_iter().flat_map(|client| &client.path).map(|(step, _)| *step);
            stages.extend(steps.filter(|&step| step > 0).map(Stage::Step));
            stages.extend([Stage::Upload, Stage::Average, Stage::Broadcast]);
        }
        let labels = Labels::new(&round, &plane, view);
        Self { round, plane, view, stages, labels }
    }

    /// Whether the server's move lies within this view, and is long enough in it.
    fn shows(&self, round: &Round) -> bool {
        let ends = [&round.server[0], &round.server[1]].map(|model| self.view.on_paper(self.plane.place(model)));
        let [Some(from), Some(to)] = ends else { return false };
        let is_within = |(x, y): Position| (0.0..EXTENT.0).contains(&x) && (0.0..EXTENT.1).contains(&y);
        is_within(from) && is_within(to) && (to.0 - from.0).hypot(to.1 - from.1) > LEAST_MOVE * EXTENT.0
    }

    /// Number of frames.
    pub fn count(&self) -> usize {
        self.stages.len()
    }

    /// The shown round.
    pub fn round(&self) -> &Round {
        &self.round
    }

    /// A frame by its index; beyond the end, the last one.
    pub fn scene(&self, frame: usize) -> Scene {
        let stage = self.stages[frame.min(self.stages.len() - 1)];
        Scene {
            stage,
            sentence: sentence(&self.round, stage),
            role: crate::dashboard::words::names::solver_role(self.round.method.solver),
            model: self.round.server[0].shape(),
            shapes: self.shapes(stage),
        }
    }

    fn on_paper(&self, model: &Matrix) -> Option<Position> {
        self.view.on_paper(self.plane.place(model))
    }

    fn shapes(&self, stage: Stage) -> Vec<Shape> {
        let mut shapes = self.behind();
        let [server, next] = [0, 1].map(|end| self.on_paper(&self.round.server[end]));
        let steps = match stage {
            Stage::Start => 0,
            Stage::Step(step) => step,
            Stage::Upload | Stage::Average | Stage::Broadcast => usize::MAX,
        };
        let is_past = matches!(stage, Stage::Average | Stage::Broadcast);
        let mut ends = Vec::new();
        for client in &self.round.clients {
            let places: Vec<Position> =
                client.after(steps).iter().map_while(|(_, model)| self.on_paper(model)).collect();
            ends.extend(places.last().filter(|_| client.n_steps > 0));
            if places.len() > 1 {
                shapes.push(Shape::Path { places, is_past });
            }
        }
        match (stage, next) {
            (Stage::Upload, _) => shapes.extend(tables(&ends, self.labels.taken.clone())),
            (Stage::Average, Some(to)) => shapes.extend(ends.into_iter().map(|from| Shape::Upload { from, to })),
            _ => {}
        }
        match (stage, server, next) {
            (Stage::Broadcast, Some(from), Some(to)) => {
                shapes.extend([Shape::Broadcast { from, to }, Shape::Server(to)]);
            }
            (Stage::Average, server, Some(next)) => {
                shapes.extend(server.map(Shape::Server));
                shapes.push(Shape::Mean(next));
            }
            (_, server, _) => shapes.extend(server.map(Shape::Server)),
        }
        shapes.extend(self.words(stage));
        shapes
    }

    /// Shapes that every frame has.
    fn behind(&self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        for (own, covariance) in self.round.clients.iter().filter_map(|client| client.own.as_ref()) {
            shapes.extend(self.view.ellipse(self.plane.region(own, covariance)).map(Shape::Region));
            shapes.extend(self.on_paper(own).map(Shape::Own));
        }
        shapes.extend(self.round.pooled.iter().filter_map(|pooled| self.on_paper(pooled)).map(Shape::Pooled));
        shapes
    }

    fn words(&self, stage: Stage) -> Vec<Shape> {
        let label = |at: Option<Position>, words: String, is_client| Some(Shape::Label { at: at?, words, is_client });
        let clients = self.round.clients.iter().zip(&self.labels.clients);
        let mut words: Vec<Shape> =
            clients.filter_map(|(client, &at)| label(at, (client.client + 1).to_string(), true)).collect();
        words.extend(label(self.labels.pooled, pooled_words().into(), false));
        let (server, mean) = match stage {
            Stage::Start | Stage::Step(_) | Stage::Upload => (Some(server_words().to_owned()), None),
            Stage::Average => (Some(server_words().to_owned()), Some(mean_of(&self.round))),
            Stage::Broadcast => (None, Some(new_words().to_owned())),
        };
        words.extend(server.and_then(|words| label(self.labels.server, words, false)));
        words.extend(mean.and_then(|words| label(self.labels.mean, words, false)));
        words
    }

    /// Caption: the meaning of the two directions and of the marks.
    pub fn caption(&self) -> String {
        let (n, d) = self.round.server[0].shape();
        let across = if self.round.pooled.is_some() { say!("pooled least squares") } else { say!("its next one") };
        let stretch = self.view.stretch();
        let drawn = if stretch > 1.0 { say!(", drawn {} times as long", number(stretch)) } else { String::new() };
        say!(
            "Two of {} dimensions. Across: the way from the server’s model to {across}. Upward: where the clients’ own \
             estimates differ most{drawn}. Crosses: their own least squares, with 95 % confidence regions. First data set.",
            count(n * d)
        )
    }
}

fn server_words() -> &'static str {
    say!("server")
}

fn pooled_words() -> &'static str {
    say!("pooled")
}

fn new_words() -> &'static str {
    say!("new model")
}

/// Points that the view should contain: all but those that a divergence throws far away.
fn to_be_seen(round: &Round, plane: &Plane) -> Vec<Position> {
    let server = plane.place(&round.server[0]);
    let mut places: Vec<Position> = vec![server];
    let own = || round.clients.iter().filter_map(|client| client.own.as_ref());
    places.extend(round.pooled.iter().chain(own().map(|(own, _)| own)).map(|model| plane.place(model)));
    let distance = |place: Position| (place.0 - server.0).hypot(place.1 - server.1);
    let size = places.iter().map(|&place| distance(place)).filter(|size| size.is_finite()).fold(0.0, f64::max);
    let ends = round.clients.iter().filter_map(|client| Some(&client.path.last()?.1)).chain([&round.server[1]]);
    let near = |place: &Position| size <= 0.0 || distance(*place) < 2.0 * size;
    places.extend(ends.map(|model| plane.place(model)).filter(near));
    for (own, covariance) in own() {
        let Ellipse { centre, halves: [a, b] } = plane.region(own, covariance);
        let reach = |a: f64, b: f64| a.hypot(b).min(if size > 0.0 { size } else { f64::INFINITY });
        let (x, y) = (reach(a.0, b.0), reach(a.1, b.1));
        places.extend([(centre.0 - x, centre.1 - y), (centre.0 + x, centre.1 + y)]);
    }
    places
}

/// The uploaded tables at the ends of the paths, placed so that they cover each other and the labels least.
fn tables(ends: &[Position], mut taken: Vec<(Position, Position)>) -> Vec<Shape> {
    const HALF: Position = (17.0, 12.0);
    let mut tables = Vec::new();
    for &of in ends {
        let at = beside(of, HALF, ends, &taken);
        taken.push((at, HALF));
        tables.push(Shape::Table { at, of });
    }
    tables
}

/// Half width and height of a label on paper, at the largest size that it has on a phone.
fn half_size(words: &str) -> Position {
    (5.6 * words.chars().count() as f64 + 3.0, 12.0)
}

impl Labels {
    fn new(round: &Round, plane: &Plane, view: View) -> Self {
        let on_paper = |model: &Matrix| view.on_paper(plane.place(model));
        let server = on_paper(&round.server[0]);
        let next = on_paper(&round.server[1]);
        let pooled = round.pooled.as_ref().and_then(on_paper);
        let own: Vec<_> =
            round.clients.iter().map(|client| client.own.as_ref().and_then(|(own, _)| on_paper(own))).collect();
        let ends = round.clients.iter().filter_map(|client| on_paper(&client.path.last()?.1));
        let marks: Vec<Position> =
            [server, next, pooled].into_iter().flatten().chain(own.iter().copied().flatten()).chain(ends).collect();
        let mut taken: Vec<(Position, Position)> = Vec::new();
        let mut put = |at: Option<Position>, words: &str| {
            let at = at.filter(|(x, y)| (0.0..=EXTENT.0).contains(x) && (0.0..=EXTENT.1).contains(y))?;
            let place = beside(at, half_size(words), &marks, &taken);
            taken.push((place, half_size(words)));
            Some(place)
        };
        let mean = mean_of(round);
        let longer = if mean.chars().count() > new_words().chars().count() { mean.as_str() } else { new_words() };
        let (server, pooled, mean) = (put(server, server_words()), put(pooled, pooled_words()), put(next, longer));
        let clients = own.into_iter().zip(&round.clients);
        let clients = clients.map(|(at, client)| put(at, &(client.client + 1).to_string())).collect();
        Self { server, pooled, mean, clients, taken }
    }
}

/// Position of a label beside a mark: of several positions around it, the first that covers least.
fn beside(mark: Position, half: Position, marks: &[Position], taken: &[(Position, Position)]) -> Position {
    const AROUND: [(f64, f64); 8] =
        [(0.0, -1.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.8, -0.8), (-0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)];
    let places = [9.0, 22.0, 36.0, 52.0, 70.0]
        .into_iter()
        .flat_map(|gap| AROUND.map(|(x, y)| (mark.0 + x * (half.0 + gap), mark.1 + y * (half.1 + gap * 0.8))));
    let cost = |&(x, y): &Position| {
        let overlaps = |(other_x, other_y): Position, (width, height): Position| {
            (x - other_x).abs() < half.0 + width && (y - other_y).abs() < half.1 + height
        };
        let covered = marks.iter().filter(|&&mark| overlaps(mark, (5.0, 5.0))).count();
        let crowded = taken.iter().filter(|&&(at, size)| overlaps(at, size)).count();
        let is_out = x - half.0 < 0.0 || x + half.0 > EXTENT.0 || y - half.1 < 0.0 || y + half.1 > EXTENT.1;
        covered + 10 * crowded + if is_out { 100 } else { 0 }
    };
    places.min_by_key(cost).unwrap_or(mark)
}
