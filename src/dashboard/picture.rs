//! A run as a figure: error against round.

use super::Run;
use crate::figure::axis::{fit_runs, fit_x};
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Level, Point, Role, Scale};
use crate::sim::method::{Method, Solver};
use crate::sim::schedule::Schedule;
use crate::sim::stats::Running;
use crate::sim::study::MethodSummary;
use crate::sim::trial::Reference;

/// What an estimation error is, with its symbol: the vertical axis.
pub const ERROR_LABEL: &str = "estimation error ‖Θ̄ᵣ − Θ⁽¹⁾‖";

/// The figure of a run: mean error of each method with a band of one standard error, and the reference estimates.
pub fn figure(run: &Run) -> Figure {
    let curves: Vec<_> = run.summary.methods.iter().map(curve).collect();
    let levels: Vec<_> = Reference::ALL.into_iter().filter_map(|reference| level(run, reference)).collect();
    // Without a curve there still are rounds along the axis.
    let rounds = if curves.is_empty() { (0.0, run.settings.n_rounds as f64) } else { fit_x(Scale::Linear, &curves) };
    Figure {
        title: None,
        x: Axis { label: "round r".into(), range: rounds, scale: Scale::Linear },
        y: Axis { label: ERROR_LABEL.into(), range: fit_runs(Scale::Log10, &curves, &levels), scale: Scale::Log10 },
        curves,
        levels,
        words: run.settings.methods.is_empty().then(|| "Switch an algorithm on to see its curve.".into()),
    }
}

/// The role of a client update's curve.
pub fn solver_role(solver: Solver) -> Role {
    match solver {
        Solver::FedAvg => Role::FedAvg,
        Solver::FedLin => Role::FedLin,
    }
}

/// A method's name, with its schedule where that is not the constant one.
pub fn method_name(method: Method) -> String {
    let solver = match method.solver {
        Solver::FedAvg => "FedAvg",
        Solver::FedLin => "FedLin",
    };
    match method.schedule {
        Schedule::Constant => solver.into(),
        Schedule::OverLocalSteps => format!("{solver}, α/k"),
        Schedule::OverRounds => format!("{solver}, decreasing α"),
    }
}

/// The role of a reference estimate's line.
pub fn reference_role(reference: Reference) -> Role {
    match reference {
        Reference::ClientAlone => Role::ClientAlone,
        Reference::Pooled => Role::Pooled,
        Reference::MeanOfLocals => Role::MeanOfLocals,
    }
}

/// A reference estimate's name.
pub fn reference_name(reference: Reference) -> &'static str {
    match reference {
        Reference::ClientAlone => "client 1 alone",
        Reference::Pooled => "pooled",
        Reference::MeanOfLocals => "mean of locals",
    }
}

fn curve(summary: &MethodSummary) -> Curve {
    let rounds = || summary.errors.iter().enumerate().map(|(round, error)| (round as f64, error));
    // The mean of runs of which some diverge is the largest one's; a band around it would say nothing and hide the rest.
    let is_telling = summary.n_diverged == 0;
    Curve {
        role: solver_role(summary.method.solver),
        kind: CurveKind::Measured,
        label: method_name(summary.method),
        points: rounds().map(|(x, error)| Point { x, y: error.mean() }).collect(),
        band: rounds().filter(|_| is_telling).filter_map(|(x, error)| band(x, error)).collect(),
    }
}

/// One standard error to either side, where there is one.
fn band(x: f64, error: &Running) -> Option<Band> {
    let (mean, half) = (error.mean(), error.standard_error());
    (mean + half).is_finite().then_some(Band { x, low: mean - half, high: mean + half })
}

fn level(run: &Run, reference: Reference) -> Option<Level> {
    let value = run.summary.reference(reference).ok().map(|running| running.mean()).filter(|mean| mean.is_finite())?;
    Some(Level { role: reference_role(reference), label: reference_name(reference).into(), value })
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn a_curve_holds_every_round_and_its_band_the_mean() {
        let run = run(|s| s.n_rounds = 40);
        let figure = figure(&run);
        assert_eq!(figure.curves.len(), 2);
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
    fn one_data_set_has_no_band() {
        let figure = figure(&run(|s| s.n_trials = 1));
        assert!(figure.curves.iter().all(|curve| curve.band.is_empty()));
    }

    #[test]
    fn a_diverging_method_has_no_band() {
        let figure = figure(&run(|s| s.step_size = 3e-3));
        assert!(figure.curves.iter().all(|curve| curve.band.is_empty() && curve.points.len() == 201));
    }

    #[test]
    fn a_reference_that_the_data_do_not_determine_has_no_line() {
        let figure = figure(&run(|s| (s.data.n_rollouts, s.data.rollout_len) = (2, 2)));
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
    fn a_schedule_other_than_constant_is_named() {
        let name = |schedule| method_name(Method { solver: Solver::FedAvg, schedule });
        let names = [Schedule::Constant, Schedule::OverLocalSteps, Schedule::OverRounds].map(name);
        assert_eq!(names, ["FedAvg", "FedAvg, α/k", "FedAvg, decreasing α"]);
    }
}
