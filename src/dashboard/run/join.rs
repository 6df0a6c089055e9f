//! "Should I join?": every client's error with the shared model compared with that of its own least squares, each
//! against its own system.

use fedsysid_say::say;
use std::fmt::Write;

use crate::dashboard::results::Run;
use crate::dashboard::run::strip_units::{EXTENT, whole};
use crate::dashboard::words::names::{method_name, solver_role};
use crate::dashboard::words::thresholds::{SEEN, is_rounding, off};
use crate::figure::Role;
use crate::figure::number::{count, measured};
use crate::figure::order::order;
use crate::sim::gain::Gains;
use crate::sim::stats::Running;
use crate::sim::target::Target;

/// Margin of the strip, as a share of its size.
const MARGIN: f64 = 0.06;

/// Distances below this are rounding errors.
const ROUNDING: f64 = 1e-13;

/// On which side of the line a client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The shared model is better for it.
    Gains,
    /// Its own model is better for it.
    Loses,
}

/// One client's dot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The client, 0-based.
    pub client: usize,
    /// Its side.
    pub side: Side,
    /// Its position, within [`EXTENT`].
    pub at: (i32, i32),
}

/// The strip of one method.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Index of the method in the run. Names do not identify it: they depend on the language, and two methods may share
    /// one.
    pub method: usize,
    /// The method's color.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// How many clients gain; who gains and who loses most.
    pub words: String,
    /// The client whose error the page shows, 0-based, if that is a single client: its dot has a ring.
    pub ringed: Option<usize>,
    /// One dot per client, from the most typical system to the farthest.
    pub dots: Vec<Dot>,
    /// The dots of the clients that gain, as an SVG path of points.
    pub gaining: String,
    /// The dots of the clients that lose, as an SVG path of points.
    pub losing: String,
    /// Vertical position of the line between gaining and losing.
    pub even: i32,
    /// The largest distance from the mean system, at the right edge (spectral norm).
    pub farthest: f64,
    /// The largest ratio of the error alone to that of the shared model, at the top.
    pub largest: f64,
    /// The smallest such ratio, at the bottom.
    pub least: f64,
}

/// One strip per method.
pub fn joins(run: &Run) -> Vec<Join> {
    let Some(gains) = &run.summary.gains else { return Vec::new() };
    let methods = run.summary.methods.iter().enumerate();
    let of = |(which, summary): (usize, &crate::sim::study::MethodSummary)| {
        let name = method_name(summary.method);
        let join = join(gains, which, name, solver_role(summary.method.solver))?;
        let ringed = if let Target::Client(client) = run.settings.target { Some(client) } else { None };
        Some(Join { ringed: ringed.filter(|&client| join.dot(client).is_some()), ..join })
    };
    methods.filter_map(of).collect()
}

fn join(gains: &Gains, method: usize, name: String, role: Role) -> Option<Join> {
    // What is 0 up to rounding is 0: it has no ratio.
    let is_zero = |error: &Running| is_rounding(error.mean());
    let shared = gains.shared.get(method)?.iter().zip(&gains.alone);
    let are_zero = shared.map(|(shared, alone)| is_zero(shared) || is_zero(alone));
    let known = gains.ratios(method)?.into_iter().zip(are_zero);
    let ratios: Vec<_> = known.map(|(ratio, is_zero)| if is_zero { f64::NAN } else { ratio }).collect();
    let exact = |errors: &[Running]| errors.iter().filter(|error| is_zero(error)).count();
    let words = match (exact(&gains.alone), exact(gains.shared.get(method)?), gains.alone.len()) {
        (alone, 0, all) if alone == all => say!("With {name} every client loses: alone each has no error."),
        (0, shared, all) if shared == all => say!("With {name} every client gains: the shared model has no error."),
        _ => words(&ratios, &name),
    };
    // Equal systems differ from their mean by rounding errors.
    let distances: Vec<_> =
        gains.distances.iter().map(|&distance| if distance < ROUNDING { 0.0 } else { distance }).collect();
    Some(strip(&ratios, &distances, Join { method, words, ..Join::without_dots(name, role) }))
}

impl Join {
    /// A strip without dots.
    pub(crate) fn without_dots(name: String, role: Role) -> Self {
        Self {
            method: 0,
            role,
            name,
            words: String::new(),
            ringed: None,
            dots: Vec::new(),
            gaining: String::new(),
            losing: String::new(),
            even: 0,
            farthest: 0.0,
            largest: 1.0,
            least: 1.0,
        }
    }

    /// A client's dot; `None` if its ratio is unknown.
    pub fn dot(&self, client: usize) -> Option<&Dot> {
        self.dots.iter().find(|dot| dot.client == client)
    }
}

/// Adds a dot for each client whose ratio is known.
pub(crate) fn strip(ratios: &[f64], distances: &[f64], join: Join) -> Join {
    let known: Vec<_> = known(ratios).collect();
    let farthest = distances.iter().copied().fold(0.0, f64::max);
    let (mut least, mut largest) = (1.0 / 1.1, 1.1);
    for &(_, ratio) in &known {
        (least, largest) = (ratio.min(least), ratio.max(largest));
    }
    let height = |ratio: f64| (largest / ratio).ln() / (largest / least).ln();
    let place = |share: f64, extent: i32| whole((MARGIN + (1.0 - 2.0 * MARGIN) * share) * f64::from(extent));
    let dot = |&(client, ratio): &(usize, f64)| Dot {
        client,
        side: if ratio > 1.0 { Side::Gains } else { Side::Loses },
        at: (
            place(if farthest > 0.0 { distances[client] / farthest } else { 0.5 }, EXTENT.0),
            place(height(ratio), EXTENT.1),
        ),
    };
    let dots: Vec<_> = known.iter().map(dot).collect();
    let across: Vec<_> = dots.iter().map(|dot| f64::from(dot.at.0)).collect();
    let dots: Vec<_> = order(&across).into_iter().map(|place| dots[place]).collect();
    let (gaining, losing) = (path(&dots, Side::Gains), path(&dots, Side::Loses));
    Join { dots, gaining, losing, even: place(height(1.0), EXTENT.1), farthest, largest, least, ..join }
}

/// Lines of zero length: round ends make discs of them and square ends squares, however the strip is stretched.
fn path(dots: &[Dot], side: Side) -> String {
    let mut path = String::new();
    let mut last = None;
    // Dots on the same spot are drawn once.
    for dot in dots.iter().filter(|dot| dot.side == side) {
        if last.replace(dot.at) != Some(dot.at) {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{} {}h0", dot.at.0, dot.at.1);
        }
    }
    path
}

/// The clients with a ratio: neither error is 0 or infinite.
fn known(ratios: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    ratios.iter().copied().enumerate().filter(|(_, ratio)| ratio.is_finite() && *ratio > 0.0)
}

fn words(ratios: &[f64], name: &str) -> String {
    let known = || known(ratios);
    let n_known = known().count();
    let all = if n_known == ratios.len() { String::new() } else { say!(" that can tell").to_owned() };
    let Some((most, best)) = known().max_by(|a, b| a.1.total_cmp(&b.1)) else {
        return say!("With {name} no client can tell: there is no error to compare.");
    };
    let n_gaining = known().filter(|(_, ratio)| *ratio > 1.0).count();
    if ratios.len() == 1 {
        return say!("With {name} there is nobody to join: its error is {} that alone.", of_alone(best));
    }
    if n_known == 1 {
        let client = count(most + 1);
        return if best > 1.0 {
            say!("Only client {client} can tell: with {name} it gains {}.", folded(best))
        } else {
            say!("Only client {client} can tell: with {name} it loses {}.", folded(1.0 / best))
        };
    }
    let opening = say!("{} of {} clients{all} gain with {name}", count(n_gaining), count(n_known));
    let worst = known().min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, ratio)| *ratio < 1.0);
    let gains = say!("client {} most, {}", count(most + 1), folded(best));
    let loses = worst.map(|(client, ratio)| say!("client {} loses most, {}", count(client + 1), folded(1.0 / ratio)));
    match (n_gaining, loses) {
        (0, Some(loses)) => format!("{opening}; {loses}."),
        (_, Some(loses)) => format!("{opening}; {gains}; {loses}."),
        (_, None) => format!("{opening}; {gains}."),
    }
}

/// A factor of gain or loss in words.
fn folded(fold: f64) -> String {
    if fold < SEEN { say!("hardly anything").into() } else { say!("{}-fold", measured(fold, 2)) }
}

/// The shared model's error as a multiple of the error alone; `ratio` is the inverse.
fn of_alone(ratio: f64) -> String {
    format!("{}×", measured(1.0 / ratio, 3))
}

/// Words for a client's dot.
pub fn reading(run: &Run, join: &Join, client: usize) -> String {
    let Some(gains) = &run.summary.gains else { return String::new() };
    let shared = gains.shared.get(join.method).and_then(|shared| shared.get(client)).map_or(f64::NAN, Running::mean);
    let alone = gains.alone.get(client).map_or(f64::NAN, Running::mean);
    let distance = gains.distances.get(client).copied().unwrap_or(f64::NAN);
    let distance = if distance < ROUNDING { 0.0 } else { distance };
    let (how, fold) = if alone > shared { (say!("gains"), alone / shared) } else { (say!("loses"), shared / alone) };
    say!(
        "client {}: {} alone, {} shared, {how} {}; {} from the mean system",
        count(client + 1),
        off(alone),
        off(shared),
        folded(fold),
        measured(distance, 2)
    )
}

/// The client whose dot is nearest to a point within [`EXTENT`], on a strip that is `aspect` times as wide as high.
pub fn nearest(join: &Join, (x, y): (f64, f64), aspect: f64) -> Option<usize> {
    let distance = |dot: &&Dot| {
        let (dx, dy) = ((f64::from(dot.at.0) - x) * aspect, f64::from(dot.at.1) - y);
        dx * dx + dy * dy
    };
    join.dots.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).map(|dot| dot.client)
}

/// The client `steps` dots further along the strip; without a client, one at an end of the strip.
pub fn beside(join: &Join, client: Option<usize>, steps: isize) -> Option<usize> {
    let last = join.dots.len().checked_sub(1)?;
    let now = client.and_then(|client| join.dots.iter().position(|dot| dot.client == client));
    let next = match (now, steps) {
        (Some(now), _) => now.saturating_add_signed(steps).min(last),
        (None, isize::MAX) => last,
        (None, isize::MIN | 0..) => 0,
        (None, _) => last,
    };
    join.dots.get(next).map(|dot| dot.client)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::dashboard::run::markup;
    use crate::sim::method::{Method, Solver};
    use crate::sim::spread::Spread;

    /// The words state the numbers of the run.
    #[test]
    fn the_words_are_true() {
        for heterogeneity in [0.0, 0.4, 0.8] {
            let run = run(|s| (s.heterogeneity, s.n_trials) = (heterogeneity, 8));
            let gains = run.summary.gains.as_ref().unwrap();
            let joins = joins(&run);
            assert_eq!(joins.len(), 2);
            for (which, join) in joins.iter().enumerate() {
                let better = |client: usize| gains.shared[which][client].mean() < gains.alone[client].mean();
                let n = (0..50).filter(|&client| better(client)).count();
                assert!(
                    join.words.starts_with(&format!("{n} of 50 clients gain with {}", join.name)),
                    "{}",
                    join.words
                );
                assert_eq!(join.dots.iter().filter(|dot| dot.side == Side::Gains).count(), n);
                assert_eq!(join.words.contains("loses most"), n < 50, "{}", join.words);
                let ratio = |client: usize| gains.alone[client].mean() / gains.shared[which][client].mean();
                let best = (0..50).max_by(|&a, &b| ratio(a).total_cmp(&ratio(b))).unwrap();
                let most = format!("client {} most, {}-fold", best + 1, measured(ratio(best), 2));
                assert_eq!(join.words.contains(&most), n > 0, "{}", join.words);
                for dot in &join.dots {
                    assert_eq!(dot.side == Side::Gains, dot.at.1 < join.even, "client {}", dot.client);
                }
            }
        }
    }

    /// Without noise a client's own least squares is exact, and nothing is gained by joining those that differ.
    #[test]
    fn whoever_has_no_error_alone_loses() {
        let exact = run(|s| s.data.process_noise_std = 0.0.into());
        let said: Vec<_> = joins(&exact).into_iter().map(|join| join.words).collect();
        assert_eq!(said[0], "With FedAvg every client loses: alone each has no error.");
    }

    /// Horizontal position by distance, vertical position by the logarithm of the ratio, between 6 % and 94 % of the
    /// strip.
    #[test]
    fn dots_lie_where_distances_and_ratios_say() {
        let empty = || Join::without_dots(String::new(), solver_role(Solver::FedAvg));
        let join = strip(&[2.0, 0.5, 1.0, 2.0, f64::NAN], &[0.0, 4.0, 1.0, 0.0, 2.0], empty());
        let dots = [
            (0, Side::Gains, (60, 60)),
            (3, Side::Gains, (60, 60)),
            (2, Side::Loses, (280, 500)),
            (1, Side::Loses, (940, 940)),
        ];
        assert_eq!(join.dots, dots.map(|(client, side, at)| Dot { client, side, at }));
        assert_eq!((join.farthest, join.largest, join.least, join.even), (4.0, 2.0, 0.5, 500));
        // Two dots on one spot are drawn once.
        assert_eq!((&*join.gaining, &*join.losing), ("M60 60h0", "M280 500h0M940 940h0"));
        // Nearest on the screen: 440 above or 220 aside, which are 880 if the strip is four times as wide as high.
        assert_eq!([1.0, 4.0].map(|aspect| nearest(&join, (60.0, 500.0), aspect)), [Some(2), Some(0)]);
        // A client with an error of 0, or an infinite one, cannot be compared.
        assert_eq!(
            words(&[0.0, f64::INFINITY, f64::NAN, 2.0, 3.0], "FedAvg"),
            "2 of 2 clients that can tell gain with FedAvg; client 5 most, 3.0-fold."
        );
        let one = |ratio: f64| words(&[0.0, ratio, f64::NAN], "FedAvg");
        assert_eq!(one(3.0), "Only client 2 can tell: with FedAvg it gains 3.0-fold.");
        assert_eq!(one(0.5), "Only client 2 can tell: with FedAvg it loses 2.0-fold.");
        let alike = strip(&[1.0], &[0.0], empty());
        assert_eq!((alike.dots[0].at, alike.largest, alike.least), ((500, 500), 1.1, 1.0 / 1.1));
    }

    /// At ε = 0 the mean of all systems differs from each by rounding errors: the distance is shown as 0.
    #[test]
    fn systems_that_are_alike_are_nowhere() {
        let run = run(|s| s.heterogeneity = 0.0);
        let join = &joins(&run)[0];
        assert_eq!(join.farthest.to_bits(), 0.0_f64.to_bits());
        assert!(reading(&run, join, 3).ends_with("; 0 from the mean system"), "{}", reading(&run, join, 3));
    }

    #[test]
    fn the_client_that_counts_has_a_ring() {
        for (target, ringed) in [(Target::Client(3), Some(3)), (Target::Mean, None), (Target::Worst, None)] {
            let join = &joins(&run(|s| (s.n_clients, s.target) = (5, target)))[0];
            assert_eq!(join.ringed, ringed);
            let (html, edges) = (markup::dots(join), markup::edges(join));
            assert_eq!(html.contains("class=ring"), ringed.is_some(), "{html}");
            assert_eq!(edges.contains("ringed: client 4"), ringed.is_some(), "{edges}");
            assert!(
                html.contains("<path class=gains data-role=fedlin ") || html.contains("data-role=fedavg"),
                "{html}"
            );
        }
    }

    #[test]
    fn one_client_and_no_error_at_all_have_words_too() {
        let one = joins(&run(|s| s.n_clients = 1));
        let run_of_one = run(|s| s.n_clients = 1);
        let gains = run_of_one.summary.gains.as_ref().unwrap();
        let times = measured(gains.shared[0][0].mean() / gains.alone[0].mean(), 3);
        assert!(one[0].words.contains("nobody to join") && one[0].words.contains(&times), "{}", one[0].words);
        let diverging = joins(&run(|s| (s.step_size, s.n_rounds) = (1.0, 1_000)));
        assert_eq!(diverging.len(), 2);
        assert!(diverging.iter().all(|join| join.words.contains("no client can tell")), "{}", diverging[0].words);
        let silent = joins(&run(|s| {
            s.n_clients = 4;
            (s.data.n_rollouts, s.data.rollout_len) = (Spread::Each(vec![9, 9, 1, 9]), 4.into());
        }));
        assert!(silent[0].words.contains("of 3 clients that can tell") && silent[0].dots.len() == 3);
    }

    #[test]
    fn of_two_methods_with_one_name_each_reads_its_own() {
        let prox = |pull| Method::constant(Solver::FedProx { pull });
        let run = run(|s| (s.n_rounds, s.methods) = (2, vec![prox(1.0), prox(1_000.0)]));
        let joins = joins(&run);
        assert_eq!((joins.len(), &joins[0].name), (2, &joins[1].name));
        for join in &joins {
            let shared = run.summary.gains.as_ref().unwrap().shared[join.method][6].mean();
            let said = reading(&run, join, 6);
            assert!(said.contains(&format!(" alone, {} shared, ", measured(shared, 3))), "{said}");
        }
        assert_ne!(reading(&run, &joins[0], 6), reading(&run, &joins[1], 6));
    }

    #[test]
    fn a_dot_is_found_by_its_place_and_its_neighbours_by_steps() {
        let run = run(|s| s.heterogeneity = 0.5);
        let join = &joins(&run)[0];
        for dot in &join.dots {
            let found = nearest(join, (f64::from(dot.at.0), f64::from(dot.at.1)), 4.0).unwrap();
            let found = join.dots.iter().find(|other| other.client == found).unwrap();
            assert_eq!(found.at, dot.at);
        }
        let first = beside(join, None, 1);
        assert_eq!(first, Some(join.dots[0].client));
        assert_eq!(beside(join, first, -1), first);
        for (steps, end) in [(isize::MIN, 0), (1, 0), (-1, 49), (isize::MAX, 49)] {
            assert_eq!(beside(join, None, steps), Some(join.dots[end].client), "{steps} from nowhere");
        }
        assert_eq!(beside(join, first, 3), Some(join.dots[3].client));
        assert_eq!(beside(join, first, isize::MAX), Some(join.dots[49].client));
        assert!(reading(&run, join, 6).starts_with("client 7: "));
    }
}
