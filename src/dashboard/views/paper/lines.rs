//! Measurements along the curves of a paper figure.

use super::{Experiment, FEDLIN, ShownMethods, Varied};
use crate::dashboard::results::sweep::Sweep;
use crate::params::paper::{Estimate, FedAvgSchedule, PaperFigure, Switches};
use crate::sim::method::Method;
use crate::sim::stats::Running;
use crate::sim::study::{MethodSummary, Summary};

/// The rounds have reached an estimate if their error exceeds its error by at most this share.
pub const NEAR: f64 = 0.1;

/// Origin of a figure's curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Index of its value among those that the figure varies.
    pub place: usize,
    /// The experiment.
    pub experiment: Experiment,
    /// The method.
    pub method: Method,
}

/// The numbers of a curve.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Results of the experiment.
    pub summary: &'a Summary,
    /// Results of the method.
    pub method: &'a MethodSummary,
}

/// The curves of a figure: one per value; in the comparison, FedLin's and FedAvg's.
pub fn sources(figure: PaperFigure, switches: Switches) -> Vec<Source> {
    let fedlin = |place| {
        let experiment = Experiment::of_fedlin(switches.error_of, place);
        Source { place, experiment, method: FEDLIN }
    };
    let fedavg = |place| Source { place, experiment: Experiment::First(place), method: switches.step.fedavg() };
    let places = 0..figure.varied().n_values();
    match figure.shown() {
        ShownMethods::FedLin => places.map(fedlin).collect(),
        ShownMethods::FedAvg => places.map(fedavg).collect(),
        ShownMethods::Both => vec![fedlin(0), fedavg(0)],
    }
}

impl<'a> Line<'a> {
    /// A method's curve in an experiment; `None` before its first data set.
    pub fn of(sweep: &'a Sweep, varied: Varied, experiment: Experiment, method: Method) -> Option<Self> {
        let summary = sweep.summary(experiment.point(varied)).filter(|summary| summary.n_trials > 0)?;
        let method = summary.methods.iter().find(|summary| summary.method == method)?;
        Some(Self { summary, method })
    }

    /// A figure's curve.
    pub fn from(sweep: &'a Sweep, figure: PaperFigure, source: Source) -> Option<Self> {
        Self::of(sweep, figure.varied(), source.experiment, source.method)
    }

    /// The mean error before the first round.
    pub fn start(self) -> f64 {
        self.method.errors.first().map_or(f64::NAN, Running::mean)
    }

    /// The mean error after the last round.
    pub fn end(self) -> f64 {
        self.method.errors.last().map_or(f64::NAN, Running::mean)
    }

    /// The mean error of an estimate on the same data, against the same client; NaN if the data do not determine it.
    pub fn error_of(self, estimate: Estimate) -> f64 {
        let error = self.summary.reference(estimate.reference()).and_then(Result::ok);
        error.map_or(f64::NAN, |error| error.mean())
    }

    /// Error after the last round over that of an estimate.
    pub fn end_in_units_of(self, estimate: Estimate) -> f64 {
        self.end() / self.error_of(estimate)
    }

    /// The first round with a mean error at most `1 + NEAR` times that of an estimate; `None` if there is none.
    pub fn rounds_to(self, estimate: Estimate) -> Option<usize> {
        let near = (1.0 + NEAR) * self.error_of(estimate);
        let record = self.method.errors.iter().position(|error| error.mean() <= near)?;
        self.summary.rounds.get(record).copied()
    }
}

/// The values that a figure varies, with the errors after the last round; `None` until all are known.
pub fn ends(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<Vec<(f64, f64)>> {
    let end = |source: Source| {
        Line::from(sweep, figure, source).map(|line| (figure.varied().value(source.place), line.end()))
    };
    sources(figure, switches).into_iter().map(end).collect()
}

/// The first error over the last.
pub fn fold(ends: &[(f64, f64)]) -> f64 {
    match ends {
        [(_, first), .., (_, last)] => first / last,
        _ => f64::NAN,
    }
}

/// The exponent b of the power law `y = a xᵇ` through points: the least-squares slope of log y on log x.
///
/// ```
/// use fedsysid::dashboard::views::paper::lines::exponent;
/// assert!((exponent(&[(1.0, 6.0), (4.0, 3.0), (9.0, 2.0)]) + 0.5).abs() < 1e-12);
/// ```
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let covariance: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    covariance / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

/// Exponent of the excess over the first error, taken as a root of a difference of squares, since noise and bias add in
/// squares; fitted to the last three values, where the excess is large.
pub fn excess_exponent(ends: &[(f64, f64)]) -> f64 {
    let first = ends.first().map_or(f64::NAN, |(_, error)| *error);
    let excess: Vec<_> = ends.iter().map(|(x, error)| (*x, (error * error - first * first).sqrt())).collect();
    exponent(&excess[excess.len().saturating_sub(3)..])
}

/// Numbers of rounds that FedLin, and FedAvg with each step size schedule, need to come near an estimate, each against
/// the client of its curve, in the order of the page; `None` until all are known.
pub fn rounds_of_all(sweep: &Sweep, varied: Varied, switches: Switches) -> Option<[(Method, Option<usize>); 4]> {
    let usual = varied.usual();
    let methods = [
        FEDLIN,
        FedAvgSchedule::Constant.fedavg(),
        FedAvgSchedule::OverLocalSteps.fedavg(),
        FedAvgSchedule::OverRounds.fedavg(),
    ];
    let mut rounds = methods.map(|method| (method, None));
    for (method, rounds) in &mut rounds {
        let is_fedlin = *method == FEDLIN;
        let of_fedlin = || Experiment::of_fedlin(switches.error_of, usual);
        let experiment = if is_fedlin { of_fedlin() } else { Experiment::First(usual) };
        *rounds = Line::of(sweep, varied, experiment, *method)?.rounds_to(switches.estimate);
    }
    Some(rounds)
}

#[cfg(test)]
mod tests {
    use super::super::tests::sweep;
    use super::*;
    use crate::params::paper::ErrorOf;

    #[test]
    fn a_curve_is_that_of_its_method_and_its_client() {
        let figure = PaperFigure::LinHeterogeneity;
        // FedAvg's figure contains the experiments of both methods.
        let sweep = sweep(PaperFigure::AvgHeterogeneity, Switches::TEXT);
        let end = |figure, switches, place: usize| {
            let source = sources(figure, switches)[place];
            assert_eq!(source.place, place);
            Line::from(&sweep, figure, source).unwrap().end()
        };
        let fedlin = end(figure, Switches::TEXT, 4);
        let coded = Switches { error_of: ErrorOf::AsCoded, ..Switches::TEXT };
        assert!((end(figure, coded, 4) / fedlin - 1.0).abs() > 0.05, "client M is another one");
        let fedavg = end(PaperFigure::AvgHeterogeneity, Switches::TEXT, 4);
        assert!((end(PaperFigure::AvgHeterogeneity, coded, 4) - fedavg).abs() < 1e-15, "FedAvg has no such quirk");
        assert!((fedavg - fedlin).abs() > 1e-6);
    }

    #[test]
    fn rounds_are_counted_to_the_first_that_is_near() {
        let sweep = sweep(PaperFigure::Comparison, Switches::TEXT);
        let line = Line::from(&sweep, PaperFigure::Comparison, sources(PaperFigure::Comparison, Switches::TEXT)[0]);
        let line = line.unwrap();
        let rounds = line.rounds_to(Estimate::Pooled).unwrap();
        let near = 1.1 * line.error_of(Estimate::Pooled);
        assert!(line.method.errors[rounds].mean() <= near && line.method.errors[rounds - 1].mean() > near);
        let all = rounds_of_all(&sweep, Varied::Nothing, Switches::TEXT).unwrap();
        assert_eq!(all[0], (FEDLIN, Some(rounds)));
    }

    #[test]
    fn power_laws_are_found() {
        let cube = [1.0, 2.0, 5.0].map(|x: f64| (x, 0.3 * x.powi(3)));
        assert!((exponent(&cube) - 3.0).abs() < 1e-12);
        let with_noise = [0.01, 0.25, 0.5, 0.75].map(|x: f64| (x, (0.04 + x * x).sqrt()));
        assert!((excess_exponent(&with_noise) - 1.0).abs() < 1e-3);
        assert!((fold(&cube) - 1.0 / 125.0).abs() < 1e-15);
        assert!(fold(&cube[..1]).is_nan() && exponent(&[]).is_nan() && excess_exponent(&[]).is_nan());
    }
}
