//! A figure of the paper with its axes: error against round, both linear, as the authors' code draws them. Theirs
//! begins after round 1; this one also has round 0, the start.

use super::ShownMethods;
use super::lines::{Line, Source, sources};
use crate::dashboard::results::sweep::Sweep;
use crate::dashboard::run::picture;
use crate::dashboard::run::readout::Reading;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::{method_name, reference_role, solver_role};
use crate::figure::axis::fit_runs;
use crate::figure::{Axis, Curve, Figure, Level, RampStep, Role, Scale};
use crate::params::Word;
use crate::params::paper::{ErrorAxis, ErrorOf, Estimate, FedAvgSchedule, PaperFigure, Switches};
use fedsysid_say::say;

/// The figure with the curves known so far.
pub fn picture(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Figure {
    let known = known(figure, switches, sweep);
    let curve = |(source, line): &(Source, Line)| Curve {
        role: role(figure, *source),
        label: label(figure, *source),
        ..picture::curve(line.summary, line.method)
    };
    let curves: Vec<_> = known.iter().map(curve).collect();
    let levels: Vec<_> = level(figure, switches, &known).into_iter().collect();
    let scale = match switches.axis {
        ErrorAxis::Linear => Scale::Linear,
        ErrorAxis::Log => Scale::Log10,
    };
    let n_rounds = sweep.plan.points.first().map_or(0, |settings| settings.n_rounds);
    let words = curves.is_empty().then(|| say!("The first curve is on its way.").into());
    let x = Axis { label: say!("round r").into(), range: (0.0, n_rounds as f64), scale: Scale::Linear, whole: true };
    let y =
        Axis { label: error_label(figure, switches), range: fit_runs(scale, &curves, &levels), scale, whole: false };
    Figure { title: None, x, y, curves, levels, marks: Vec::new(), words }
}

/// The curves that have results.
fn known(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Vec<(Source, Line<'_>)> {
    let line = |source| Line::from(sweep, figure, source).map(|line| (source, line));
    sources(figure, switches).into_iter().filter_map(line).collect()
}

/// Label of the error, with its symbol.
fn error_label(figure: PaperFigure, switches: Switches) -> String {
    let of = match (figure.shown(), switches.error_of) {
        (ShownMethods::FedAvg, _) | (_, ErrorOf::FirstClient) => " = ‖Θ̄ᵣ − Θ⁽¹⁾‖",
        (ShownMethods::FedLin, ErrorOf::AsCoded) => " = ‖Θ̄ᵣ − Θ⁽ᴹ⁾‖",
        (ShownMethods::Both, ErrorOf::AsCoded) => "",
    };
    say!("estimation error eᵣ{of}")
}

/// Role of a curve: the method's if methods are compared, else that of its index among the values.
fn role(figure: PaperFigure, source: Source) -> Role {
    match figure.shown() {
        ShownMethods::Both => solver_role(source.method.solver),
        ShownMethods::FedLin | ShownMethods::FedAvg => {
            Role::Swept(RampStep::of(source.place, figure.varied().n_values()))
        }
    }
}

/// Label of a curve.
fn label(figure: PaperFigure, source: Source) -> String {
    match figure.shown() {
        ShownMethods::Both => method_name(source.method),
        ShownMethods::FedLin | ShownMethods::FedAvg => figure.varied().at(source.place),
    }
}

/// A line at the estimate's error, for the last curve only: a line for every curve would hide the curves.
fn level(figure: PaperFigure, switches: Switches, known: &[(Source, Line)]) -> Option<Level> {
    let (source, line) = known.last()?;
    let value = Some(line.error_of(switches.estimate)).filter(|error| error.is_finite())?;
    let role = reference_role(switches.estimate.reference());
    Some(Level { role, label: level_label(figure, switches, *source), value })
}

fn level_label(figure: PaperFigure, switches: Switches, source: Source) -> String {
    match figure.shown() {
        ShownMethods::Both => switches.estimate.name().into(),
        ShownMethods::FedLin | ShownMethods::FedAvg => {
            format!("{}, {}", switches.estimate.name(), figure.varied().at(source.place))
        }
    }
}

/// Values of the curves after `round` rounds, and the estimate of the last curve.
pub fn readings(figure: PaperFigure, switches: Switches, sweep: &Sweep, round: usize) -> Vec<Reading> {
    let known = known(figure, switches, sweep);
    let of_curve = |(source, line): &(Source, Line)| {
        let value = line.method.errors.get(line.summary.record_at(round)).copied()?;
        let value = if value.mean().is_finite() { Ok(value) } else { Err(say!("diverged").into()) };
        Some(Reading { role: role(figure, *source), name: label(figure, *source), value, expected: None })
    };
    let estimate = known.last().and_then(|(source, line)| {
        let reference = switches.estimate.reference();
        let value = line.summary.reference(reference)?.map_err(|error| error.to_string());
        let name = level_label(figure, switches, *source);
        Some(Reading { role: reference_role(reference), name, value, expected: None })
    });
    known.iter().filter_map(of_curve).chain(estimate).collect()
}

/// The round at abscissa `at`; without it, the last round.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an abscissa of the picture")]
pub fn round(sweep: &Sweep, at: Option<f64>) -> usize {
    let last = sweep.plan.points.first().map_or(0, |settings| settings.n_rounds);
    at.map_or(last, |x| last.min(x as usize))
}

/// Caption of the picture.
pub fn caption(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> String {
    let Some(settings) = sweep.plan.points.first() else { return String::new() };
    let of = match (figure.shown(), switches.error_of) {
        (ShownMethods::FedAvg, _) | (_, ErrorOf::FirstClient) => say!("against client 1"),
        (ShownMethods::FedLin, ErrorOf::AsCoded) => say!("against client M"),
        (ShownMethods::Both, ErrorOf::AsCoded) => say!("of FedLin against client M, of FedAvg against client 1"),
    };
    let steps = match figure.shown() {
        ShownMethods::FedLin => String::new(),
        ShownMethods::FedAvg | ShownMethods::Both => format!(" {}.", steps(switches.step)),
    };
    let dots = match switches.estimate {
        Estimate::Pooled => say!("dotted: pooled least squares"),
        Estimate::MeanOfLocals => say!("dashed: the mean of locals"),
    };
    let data_sets = Things::DataSets.counted(settings.n_trials);
    say!("Spectral-norm error {of}, mean of {data_sets} from the same systems; band: ±1 standard error; {dots}.{steps}")
}

/// FedAvg's step size schedule, as a sentence without its full stop.
fn steps(step: FedAvgSchedule) -> &'static str {
    match step {
        FedAvgSchedule::OverRounds => say!("FedAvg’s step falls from α in equal parts over the rounds"),
        FedAvgSchedule::OverLocalSteps => say!("FedAvg’s step is α/k at local step k"),
        FedAvgSchedule::Constant => say!("FedAvg’s step is the constant α, as FedLin’s is"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan;
    use super::super::tests::sweep;
    use super::*;
    use crate::protocol::Generation;
    use crate::sim::stream::Seed;

    #[test]
    fn a_figure_has_a_curve_a_value_from_the_start_to_the_last_round() {
        for &(figure, ..) in PaperFigure::ALL {
            let sweep = sweep(figure, Switches::TEXT);
            let picture = picture(figure, Switches::TEXT, &sweep);
            let n_curves = if figure.shown() == ShownMethods::Both { 2 } else { 5 };
            assert_eq!((picture.curves.len(), picture.levels.len()), (n_curves, 1), "{figure:?}");
            for curve in &picture.curves {
                assert_eq!((curve.points.len(), curve.band.len()), (201, 201));
                assert!(curve.points[0].y > curve.points[200].y, "{figure:?} {}", curve.label);
            }
            assert_eq!((picture.x.range, picture.y.scale), ((0.0, 200.0), Scale::Linear));
            assert!(picture.y.range.0 <= 0.0, "a linear axis begins at zero");
        }
    }

    #[test]
    fn neighbors_are_told_apart_and_named() {
        for &(figure, ..) in PaperFigure::ALL {
            let picture = picture(figure, Switches::CODE, &sweep(figure, Switches::CODE));
            for pair in picture.curves.windows(2) {
                assert_ne!(pair[0].role, pair[1].role, "{figure:?}");
                assert_ne!(pair[0].label, pair[1].label, "{figure:?}");
            }
        }
    }

    #[test]
    fn the_level_is_the_estimate_that_is_chosen() {
        let figure = PaperFigure::AvgHeterogeneity;
        let sweep = sweep(figure, Switches::TEXT);
        let level = |estimate| picture(figure, Switches { estimate, ..Switches::TEXT }, &sweep).levels[0].clone();
        let (pooled, mean) = (level(Estimate::Pooled), level(Estimate::MeanOfLocals));
        assert_eq!((pooled.label.as_str(), mean.label.as_str()), ("pooled, ε = 0.75", "mean of locals, ε = 0.75"));
        assert!((pooled.value / mean.value - 1.0).abs() > 1e-3);
    }

    #[test]
    fn before_the_first_data_set_there_are_words() {
        let figure = PaperFigure::LinClients;
        let sweep = Sweep::new(plan(figure, Switches::TEXT, (Seed(7), None)), Generation(1), 0.0);
        let picture = picture(figure, Switches::TEXT, &sweep);
        assert!(picture.curves.is_empty() && picture.levels.is_empty() && picture.words.is_some());
        assert!(readings(figure, Switches::TEXT, &sweep, 3).is_empty());
    }

    #[test]
    fn readings_are_what_the_curves_show() {
        let figure = PaperFigure::LinRollouts;
        let sweep = sweep(figure, Switches::CODE);
        let picture = picture(figure, Switches::CODE, &sweep);
        let readings = readings(figure, Switches::CODE, &sweep, 40);
        assert_eq!(readings.len(), 6);
        for (reading, curve) in readings.iter().zip(&picture.curves) {
            assert_eq!(reading.name, curve.label);
            assert_eq!(reading.value.as_ref().unwrap().mean().to_bits(), curve.points[40].y.to_bits());
        }
        assert_eq!(readings[5].value.as_ref().unwrap().mean().to_bits(), picture.levels[0].value.to_bits());
    }

    #[test]
    fn a_round_is_one_of_the_curves() {
        let sweep = sweep(PaperFigure::Comparison, Switches::TEXT);
        assert_eq!([None, Some(-3.0), Some(17.0), Some(1e9)].map(|at| round(&sweep, at)), [200, 0, 17, 200]);
    }

    #[test]
    fn the_caption_says_whose_error_it_is() {
        let said = |figure, switches| caption(figure, switches, &sweep(figure, switches));
        assert!(said(PaperFigure::LinClients, Switches::TEXT).starts_with("Spectral-norm error against client 1,"));
        assert!(said(PaperFigure::LinClients, Switches::CODE).starts_with("Spectral-norm error against client M,"));
        let avg = said(PaperFigure::AvgClients, Switches::CODE);
        assert!(avg.starts_with("Spectral-norm error against client 1,") && avg.contains("α/k"), "{avg}");
    }
}
