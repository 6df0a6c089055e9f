//! A run as a figure: error against round.

use crate::dashboard::results::Run;
use crate::dashboard::words::names::{method_name, reference_name, reference_role, solver_role};
use crate::dashboard::words::thresholds::is_rounding;
use crate::figure::axis::{fit_runs, fit_x};
use crate::figure::number::measured;
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Level, Point, Scale};
use crate::params::views::Upward;
use crate::sim::estimate::Reference;
use crate::sim::stats::Running;
use crate::sim::study::{MethodSummary, ReferenceSummary, Summary};
use crate::sim::target::Target;
use crate::theory::MethodTheory;
use fedsysid_say::say;

/// Runs with more rounds than this, recorded at doubling rounds, have a logarithmic axis of rounds.
pub const LONG: usize = 1_024;

/// Label of the vertical axis: the estimation error with its symbol.
pub fn error_label(target: Target) -> String {
    match target {
        Target::Client(0) => say!("estimation error ‖Θ̄ᵣ − Θ⁽¹⁾‖").into(),
        Target::Client(client) => say!("estimation error against client {}", client + 1),
        Target::Worst => say!("estimation error, worst client").into(),
        Target::Mean => say!("estimation error, mean over clients").into(),
    }
}

/// Figure of a run: mean error of each method with a band of one standard error, and lines of the reference estimates.
pub fn figure(run: &Run) -> Figure {
    let scale = if run.settings.n_rounds > LONG { Scale::Log10 } else { Scale::Linear };
    let mut curves: Vec<_> = run.summary.methods.iter().map(|method| curve(&run.summary, method)).collect();
    curves.extend(run.theory.iter().flat_map(|theory| &theory.methods).filter_map(|method| predicted(run, method)));
    let levels: Vec<_> = run.summary.references.iter().filter_map(|summary| level(run, summary)).collect();
    // A logarithmic axis begins at round 1; a figure without curves still has an axis of rounds.
    let rounds = match (scale, curves.is_empty()) {
        (Scale::Linear, false) => fit_x(scale, &curves),
        (Scale::Linear, true) => (0.0, run.settings.n_rounds as f64),
        (Scale::Log10, _) => (1.0, run.settings.n_rounds as f64),
    };
    Figure {
        title: None,
        x: Axis { label: say!("round r").into(), range: rounds, scale, whole: true },
        y: Axis {
            label: error_label(run.settings.target),
            range: fit_runs(Scale::Log10, &curves, &levels),
            scale: Scale::Log10,
            whole: false,
        },
        curves,
        levels,
        marks: Vec::new(),
        words: run.settings.methods.is_empty().then(|| say!("Switch an algorithm on to see its curve.").into()),
    }
}

/// Divides a figure's errors by that of pooled least squares, `by`. The vertical axis becomes linear and fits the ends
/// of the curves: on the logarithmic axis, curves that end within a few percent of each other coincide.
pub(crate) fn magnify(mut figure: Figure, by: f64) -> Figure {
    figure.curves.iter_mut().for_each(|curve| divide(curve, by));
    figure.levels.iter_mut().for_each(|level| level.value /= by);
    let ends = fit_ends(&figure.curves);
    Figure {
        y: Axis {
            label: say!("error ÷ pooled least squares’").into(),
            range: ends,
            scale: Scale::Linear,
            whole: false,
        },
        ..figure
    }
}

/// The figure of a run as multiples of pooled least squares' error; unchanged if that has no error.
pub fn over_pooled(figure: Figure, run: &Run) -> Figure {
    match pooled(&run.summary) {
        Some(by) => magnify(figure, by),
        None => figure,
    }
}

/// Divides a curve. Both errors come from the same data, so the band of one is not that of their ratio: it is removed.
pub(crate) fn divide(curve: &mut Curve, by: f64) {
    curve.points.iter_mut().for_each(|point| point.y /= by);
    curve.band.clear();
}

/// A range that shows 1 and the later half of every curve; larger multiples than `MOST` are named at the edge.
fn fit_ends(curves: &[Curve]) -> (f64, f64) {
    const MOST: f64 = 4.0;
    let late = |curve: &Curve| curve.points.get(curve.points.len() / 2).map_or(0.0, |point| point.x);
    let points = curves.iter().flat_map(|curve| curve.points.iter().filter(|point| point.x >= late(curve)));
    let (low, high) = points
        .map(|point| point.y)
        .filter(|y| (0.0..MOST).contains(y))
        .fold((0.99, 1.01), |(low, high): (f64, f64), y| (low.min(y), high.max(y)));
    let spare = 0.08 * (high - low);
    (low - spare, high + spare)
}

/// The error of pooled least squares, by which multiples divide; `None` if it is unknown, 0 up to rounding or infinite.
pub(crate) fn pooled(run: &Summary) -> Option<f64> {
    let error = run.reference(Reference::Pooled)?.ok()?.mean();
    (!is_rounding(error) && error.is_finite()).then_some(error)
}

/// A sentence on the divisor if errors are shown as multiples.
pub(crate) fn of_multiples(upward: Upward, pooled: Option<f64>) -> String {
    match (upward, pooled) {
        (Upward::Error, _) => String::new(),
        (Upward::OverPooled, Some(error)) => {
            say!(" All as multiples of the error of pooled least squares, {}.", measured(error, 3))
        }
        (Upward::OverPooled, None) => say!(" Pooled least squares has no error to divide by.").into(),
    }
}

/// A method's mean error along the rounds, with a band of one standard error.
pub(crate) fn curve(run: &Summary, summary: &MethodSummary) -> Curve {
    let rounds = || run.rounds.iter().map(|&round| round as f64).zip(&summary.errors);
    // If some data sets diverge, the largest error dominates the mean; its band would tell nothing and hide the rest.
    let is_telling = summary.n_diverged == 0;
    Curve {
        role: solver_role(summary.method.solver),
        kind: CurveKind::Measured,
        label: method_name(summary.method),
        // The mean of what has overflowed is no number: the curve leaves the plot where it did.
        points: rounds()
            .map(|(x, error)| (x, error.mean()))
            .map(|(x, y)| Point { x, y: if is_telling || y.is_finite() { y } else { f64::INFINITY } })
            .collect(),
        band: rounds().filter(|_| is_telling).filter_map(|(x, error)| band(x, error)).collect(),
    }
}

/// Predicted curve of a method; `None` without a prediction.
fn predicted(run: &Run, theory: &MethodTheory) -> Option<Curve> {
    let prediction = theory.prediction.as_ref().ok()?;
    let points = run.summary.rounds.iter().zip(&prediction.means).map(|(&x, &y)| Point { x: x as f64, y });
    Some(Curve {
        role: solver_role(theory.method.solver),
        kind: CurveKind::Predicted,
        // It has the color of the measured curve, and needs no label of its own.
        label: String::new(),
        points: points.collect(),
        band: Vec::new(),
    })
}

/// Whether the figure shows a prediction of any method.
pub fn has_predictions(run: &Run) -> bool {
    run.theory.iter().flat_map(|theory| &theory.methods).any(|theory| predicted(run, theory).is_some())
}

/// One standard error to either side; `None` if it is unknown.
fn band(x: f64, error: &Running) -> Option<Band> {
    let (mean, half) = (error.mean(), error.standard_error());
    (mean + half).is_finite().then_some(Band { x, low: mean - half, high: mean + half })
}

fn level(run: &Run, summary: &ReferenceSummary) -> Option<Level> {
    let value = summary.error.as_ref().ok().map(Running::mean).filter(|mean| mean.is_finite())?;
    let label = reference_name(summary.reference, run.settings.target);
    Some(Level { role: reference_role(summary.reference), label, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;

    #[test]
    fn a_curve_holds_every_round_and_its_band_the_mean() {
        let run = run(|s| s.n_rounds = 40);
        let figure = figure(&run);
        assert_eq!(figure.curves.len(), 4);
        for (curve, method) in figure.curves.iter().zip(&run.summary.methods) {
            assert_eq!((curve.points.len(), curve.band.len()), (41, 41));
            assert_eq!(curve.points[40].y.to_bits(), method.errors[40].mean().to_bits());
            assert!(
                curve.band.iter().zip(&curve.points).all(|(band, point)| band.low <= point.y && point.y <= band.high)
            );
        }
        assert_eq!(figure.levels.len(), 3);
    }

    #[test]
    fn a_predicted_curve_holds_what_was_to_be_expected() {
        let run = run(|s| s.n_rounds = 40);
        let figure = figure(&run);
        let predicted = |curve: &&Curve| curve.kind == CurveKind::Predicted;
        let curves: Vec<_> = figure.curves.iter().filter(predicted).collect();
        assert_eq!(curves.len(), 2);
        for (curve, theory) in curves.iter().zip(&run.theory.as_ref().unwrap().methods) {
            let means = &theory.prediction.as_ref().unwrap().means;
            assert!(curve.points.iter().zip(means).all(|(point, mean)| point.y.to_bits() == mean.to_bits()));
        }
        let diverging = super::figure(&crate::dashboard::results::tests::run(|s| s.step_size = 3e-3));
        assert!(!diverging.curves.iter().any(|curve| predicted(&curve)));
    }

    #[test]
    fn one_data_set_has_no_band() {
        let figure = figure(&run(|s| s.n_trials = 1));
        assert!(figure.curves.iter().all(|curve| curve.band.is_empty()));
    }

    #[test]
    fn a_diverging_method_has_no_band() {
        let figure = figure(&run(|s| s.step_size = 3e-3));
        assert!(figure.curves.iter().all(|curve| curve.band.is_empty() && curve.points.len() == 201));
    }

    /// It leaves the plot, and the references keep their place on its axis.
    #[test]
    fn what_overflows_at_once_leaves_the_plot() {
        let figure = figure(&run(|s| {
            (s.step_size, s.n_local_steps, s.data.n_rollouts) = (0.1, 100.into(), 1_000.into());
            s.heterogeneity = 0.3;
        }));
        assert!(figure.curves.iter().all(|curve| curve.points[1..].iter().all(|point| point.y > 1e9)));
        let (low, high) = figure.y.range;
        assert!(figure.levels.iter().all(|level| (low..=high).contains(&level.value)), "{low} to {high}");
    }

    #[test]
    fn a_reference_that_the_data_do_not_determine_has_no_line() {
        let figure = figure(&run(|s| (s.data.n_rollouts, s.data.rollout_len) = (2.into(), 2.into())));
        let labels: Vec<_> = figure.levels.iter().map(|level| level.label.as_str()).collect();
        assert_eq!(labels, ["pooled"]);
    }

    #[test]
    fn without_methods_the_references_and_words_remain() {
        let figure = figure(&run(|s| s.methods.clear()));
        assert!(figure.curves.is_empty() && figure.words.is_some());
        assert_eq!((figure.levels.len(), figure.x.range), (3, (0.0, 200.0)));
    }

    #[test]
    fn a_long_run_has_a_logarithmic_axis_of_rounds() {
        let figure = figure(&run(|s| s.n_rounds = 5_000));
        assert_eq!((figure.x.scale, figure.x.range), (Scale::Log10, (1.0, 5_000.0)));
        let points = &figure.curves[0].points;
        assert!(points.len() < 400);
        assert!((points[points.len() - 1].x - 5_000.0).abs() < 1e-9);
    }

    /// Curves that end a few percent apart use most of the axis.
    #[test]
    fn multiples_of_pooled_least_squares_come_apart() {
        let run = run(|s| (s.heterogeneity, s.n_local_steps) = (0.5, 20.into()));
        let by = pooled(&run.summary).unwrap();
        let plain = figure(&run);
        let magnified = magnify(plain.clone(), by);
        for (ours, theirs) in magnified.curves.iter().zip(&plain.curves) {
            assert!(ours.points.iter().zip(&theirs.points).all(|(a, b)| (a.y * by - b.y).abs() < 1e-12 * b.y));
        }
        let level = |label: &str| magnified.levels.iter().find(|level| level.label == label).unwrap().value;
        assert!((level("pooled") - 1.0).abs() < 1e-12);
        assert!(magnified.curves.iter().all(|curve| curve.band.is_empty()));
        let share = |figure: &Figure| {
            let [a, b] = [0, 1].map(|place: usize| figure.y.scale.forward(figure.curves[place].points[200].y));
            let [low, high] = [figure.y.range.0, figure.y.range.1].map(|end| figure.y.scale.forward(end));
            (a - b).abs() / (high - low)
        };
        assert!(share(&magnified) > 4.0 * share(&plain), "{} and {}", share(&magnified), share(&plain));
        assert!(magnified.y.range.0 < 1.0 && magnified.y.range.1 < 5.0 && magnified.y.scale == Scale::Linear);
    }

    #[test]
    fn whatever_diverges_is_left_at_the_edge_of_multiples() {
        let run = run(|s| s.step_size = 3e-3);
        let (low, high) = magnify(figure(&run), pooled(&run.summary).unwrap()).y.range;
        assert!(low < 1.0 && 1.0 < high && high < 5.0, "{low} to {high}");
    }

    #[test]
    fn the_axis_says_whose_error_it_is() {
        let label = |target| figure(&run(|s| s.target = target)).y.label;
        assert_eq!(label(Target::Client(0)), "estimation error ‖Θ̄ᵣ − Θ⁽¹⁾‖");
        assert_eq!(label(Target::Worst), "estimation error, worst client");
        let alone = figure(&run(|s| s.target = Target::Mean)).levels[0].label.clone();
        assert_eq!(alone, "average client alone");
    }
}
