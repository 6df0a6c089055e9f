//! Causes of a method's error: the shares of four causes along the rounds, and after the last round.

use std::fmt::Write;

use crate::dashboard::results::Run;
use crate::dashboard::run::cause::Cause;
use crate::dashboard::run::picture::LONG;
use crate::dashboard::run::strip_units::{EXTENT, whole};
use crate::dashboard::words::names::{method_name, solver_role};
use crate::figure::Role;
use crate::theory::prediction::Parts;
use crate::theory::{MethodTheory, NoPrediction};

/// Maximum number of points along the rounds; the last round may add one.
const POINTS: usize = 120;

/// The anatomy of a method's error.
#[derive(Clone, Debug, PartialEq)]
pub struct Anatomy {
    /// The method's color.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// The causes, or why there is no prediction of them.
    pub causes: Result<Causes, NoPrediction>,
}

/// The causes of an error.
#[derive(Clone, Debug, PartialEq)]
pub struct Causes {
    /// The root of the mean square error after the last round (Frobenius).
    pub rms: f64,
    /// The first and the last round of the strip; on a log axis the first is not 0.
    pub rounds: (usize, usize),
    /// Every cause, from the bottom of the stack up.
    pub layers: Vec<Layer>,
    /// Height of 0, from the top of the strip: causes that work against the error lie below it.
    pub zero: i32,
}

/// One cause.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Its kind.
    pub cause: Cause,
    /// Its part of the mean square error after the last round: 1 is the whole error; negative if it works against the
    /// others.
    pub share: f64,
    /// The outline of its share along the rounds, as an SVG path within [`EXTENT`].
    pub path: String,
}

/// The anatomy of each method, in the order of the settings.
pub fn anatomies(run: &Run) -> Vec<Anatomy> {
    let anatomy = |theory: &MethodTheory| Anatomy {
        role: solver_role(theory.method.solver),
        name: method_name(theory.method),
        causes: match &theory.prediction {
            Ok(prediction) => causes(run, &prediction.parts).ok_or(NoPrediction::Diverges),
            Err(reason) => Err(*reason),
        },
    };
    run.theory.iter().flat_map(|theory| &theory.methods).map(anatomy).collect()
}

/// Index of the method with a role, else of the first: a method keeps its role, whatever its steps.
pub fn index_of(run: &Run, role: Option<Role>) -> Option<usize> {
    let methods = &run.summary.methods;
    let found = methods.iter().position(|summary| Some(solver_role(summary.method.solver)) == role);
    found.or((!methods.is_empty()).then_some(0))
}

fn causes(run: &Run, parts: &[Parts]) -> Option<Causes> {
    let last = parts.last().filter(|parts| parts.total().is_finite() && parts.total() >= 0.0)?;
    let columns = columns(run, parts);
    let rounds = (columns.first()?.round, columns.last()?.round);
    let deepest = columns.iter().map(|column| column.below).fold(0.0, f64::max);
    let place = |share: f64| whole(f64::from(EXTENT.1) * (1.0 - share) / (1.0 + deepest));
    let layers = Cause::parts(last).into_iter().enumerate().map(|(k, (cause, part))| Layer {
        cause,
        share: part / last.total(),
        path: outline(columns.iter().map(|column| (column.x, place(column.edges[k].0), place(column.edges[k].1)))),
    });
    Some(Causes { rms: last.rms(), rounds, layers: layers.collect(), zero: place(0.0) })
}

/// The causes' shares after one round, stacked.
struct Column {
    round: usize,
    x: i32,
    /// Lower and upper edge of every cause, as shares. Causes that add to the error are stacked up from 0 to 1; causes
    /// that work against it are stacked down from 0.
    edges: [(f64, f64); 4],
    below: f64,
}

fn columns(run: &Run, parts: &[Parts]) -> Vec<Column> {
    let (first, last) = (run.summary.rounds.get(1).copied().unwrap_or(1), run.settings.n_rounds);
    let is_long = last > LONG;
    let shown: Vec<_> =
        run.summary.rounds.iter().zip(parts).filter(|(round, _)| !is_long || **round >= first).collect();
    let stride = shown.len().div_ceil(POINTS).max(1);
    let thinned = shown.iter().enumerate().filter(|(k, _)| k % stride == 0 || k + 1 == shown.len());
    let column = |(_, &(&round, parts)): (usize, &(&usize, &Parts))| {
        let along = if is_long { (round as f64).ln() / (last as f64).ln() } else { round as f64 / last as f64 };
        let adding: f64 = Cause::parts(parts).iter().map(|(_, part)| part.max(0.0)).sum();
        let (mut top, mut bottom) = (0.0, 0.0);
        let edges = Cause::parts(parts).map(|(_, part)| {
            let share = if adding > 0.0 && adding.is_finite() { part / adding } else { 0.0 };
            if share >= 0.0 {
                top += share;
                (top - share, top)
            } else {
                bottom += share;
                (bottom, bottom - share)
            }
        });
        Column { round, x: whole(along * f64::from(EXTENT.0)), edges, below: -bottom }
    };
    thinned.map(column).collect()
}

/// Closed SVG path along the upper edge and back along the lower edge.
fn outline(edges: impl DoubleEndedIterator<Item = (i32, i32, i32)> + Clone) -> String {
    let mut path = String::new();
    let there = edges.clone().map(|(x, _, upper)| (x, upper));
    let back = edges.rev().map(|(x, lower, _)| (x, lower));
    for (x, y) in there.chain(back) {
        path.push(if path.is_empty() { 'M' } else { 'L' });
        // Writing to a string cannot fail.
        let _ = write!(path, "{x} {y}");
    }
    path + "Z"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::sim::method::{Method, Solver};
    use crate::sim::schedule::Schedule;

    fn of(change: impl Fn(&mut crate::sim::scenario::Settings)) -> Vec<Causes> {
        anatomies(&run(change)).into_iter().map(|anatomy| anatomy.causes.unwrap()).collect()
    }

    fn share(causes: &Causes, cause: Cause) -> f64 {
        causes.layers.iter().find(|layer| layer.cause == cause).unwrap().share
    }

    #[test]
    fn shares_add_up_and_are_those_of_the_prediction() {
        let run = run(|s| s.heterogeneity = 0.3);
        for (anatomy, theory) in anatomies(&run).iter().zip(&run.theory.as_ref().unwrap().methods) {
            let causes = anatomy.causes.as_ref().unwrap();
            let total: f64 = causes.layers.iter().map(|layer| layer.share).sum();
            assert!((total - 1.0).abs() < 1e-12);
            let parts = theory.prediction.as_ref().unwrap().parts.last().unwrap();
            assert!((share(causes, Cause::Noise) - parts.noise / parts.total()).abs() < 1e-15);
            assert!((causes.rms - parts.rms()).abs() < 1e-15);
        }
    }

    /// Each slider changes the cause that it is said to change.
    #[test]
    fn each_slider_moves_its_cause() {
        let base = |s: &mut crate::sim::scenario::Settings| s.heterogeneity = 0.2;
        let before = &of(base)[1];
        let more_clients = &of(|s| {
            base(s);
            s.n_clients = 500;
        })[1];
        assert!(share(more_clients, Cause::Noise) < 0.5 * share(before, Cause::Noise));
        let more_alike = &of(|s| s.heterogeneity = 0.01)[1];
        assert!(share(more_alike, Cause::Heterogeneity) < 0.2 * share(before, Cause::Heterogeneity));
        let shorter = &of(|s| {
            base(s);
            s.n_rounds = 5;
        })[1];
        assert!(share(shorter, Cause::Transient).abs() > 0.5 && share(before, Cause::Transient).abs() < 1e-3);
        // FedAvg drifts, FedLin does not.
        let causes = of(|s| (s.heterogeneity, s.step_size) = (0.2, 1e-3));
        assert!(share(&causes[0], Cause::Drift).abs() > 1e-4 && share(&causes[1], Cause::Drift).abs() < 1e-9);
    }

    #[test]
    fn the_first_column_is_all_transient_and_the_stack_is_whole() {
        let run = run(|s| s.heterogeneity = 0.0);
        let parts = &run.theory.as_ref().unwrap().methods[1].prediction.as_ref().unwrap().parts;
        let columns = columns(&run, parts);
        assert_eq!((columns[0].x, columns[columns.len() - 1].x), (0, EXTENT.0));
        assert!((columns[0].edges[3].1 - columns[0].edges[3].0 - 1.0).abs() < 1e-9);
        for column in &columns {
            let top = column.edges.iter().map(|(_, upper)| *upper).fold(0.0, f64::max);
            assert!((top - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_chosen_method_stays_chosen_with_other_steps() {
        let of = |schedule| {
            run(|s| s.methods = vec![Method::constant(Solver::FedLin), Method { solver: Solver::FedAvg, schedule }])
        };
        for schedule in [Schedule::Constant, Schedule::OverLocalSteps] {
            let run = of(schedule);
            assert_eq!(index_of(&run, Some(Role::FedAvg)), Some(1));
            assert_eq!((index_of(&run, None), index_of(&run, Some(Role::Median))), (Some(0), Some(0)));
        }
        assert_eq!(index_of(&run(|s| s.methods = Vec::new()), None), None);
    }

    #[test]
    fn where_nothing_is_left_rounding_has_no_causes() {
        let run = run(|s| {
            s.data.process_noise_std = 0.0.into();
            (s.heterogeneity, s.n_rounds) = (0.0, 20_000);
        });
        let all = anatomies(&run);
        let html = crate::dashboard::run::markup::anatomy(&all[0]);
        assert!(html.contains("Nothing is left, up to rounding.") && !html.contains("cause"), "{html}");
    }

    #[test]
    fn a_method_without_a_prediction_says_why() {
        let method = Method::constant(Solver::Median);
        assert_eq!(anatomies(&run(|s| s.methods = vec![method]))[0].causes, Err(NoPrediction::Method));
        let diverging = anatomies(&run(|s| (s.step_size, s.n_rounds) = (1.0, 1_000)));
        assert!(diverging.iter().all(|anatomy| anatomy.causes.is_err()));
    }
}
