//! A trade-off as a figure: points with standard errors, predicted lines, and the crossing of the two least-squares
//! predictions.

use super::TradeOff;
use super::series::{Series, expected_last, is_lost};
use super::words::said;
use crate::dashboard::results::sweep::{last, target_of};
use crate::dashboard::words::names::{method_name, whose};
use crate::dashboard::words::thresholds::is_rounding;
use crate::figure::axis::fit;
use crate::figure::number::number;
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Mark, Point, Role, Scale};
use crate::params::views::Across;
use crate::sim::estimate::Reference;
use crate::sim::stats::Running;
use crate::sim::study::Summary;
use crate::theory::Theory;
use fedsysid_say::say;

impl TradeOff<'_> {
    /// The trade-off as a figure.
    pub fn figure(&self) -> Figure {
        let mut curves = self.before_curves();
        curves.extend(self.series().iter().flat_map(Series::curves));
        let xs = self.xs();
        let (low, high) = (xs.first().copied().unwrap_or(1.0), xs.last().copied().unwrap_or(10.0));
        Figure {
            title: None,
            x: Axis {
                label: self.across.key().param().name_and_symbol(),
                range: (low * 0.93, high * 1.07),
                scale: Scale::Log10,
                whole: self.across != Across::Heterogeneity,
            },
            y: Axis {
                label: say!("final error, {}", target_of(&self.sweep.plan.points).map_or_else(String::new, whose)),
                range: fit(Scale::Log10, &seen(&curves), &[]),
                scale: Scale::Log10,
                whole: false,
            },
            curves,
            levels: Vec::new(),
            marks: self.marks(),
            words: None,
        }
    }

    /// The replaced studies as thin lines, while the points are being computed.
    fn before_curves(&self) -> Vec<Curve> {
        let Some(before) = self.before.filter(|before| before.plan.series_len == self.sweep.plan.series_len) else {
            return Vec::new();
        };
        let old = Series { sweep: before, across: self.across, first: 0, is_second: false, name: String::new() };
        // After a change of axis, all its points have one value of the new one.
        if !old.xs().is_sorted_by(|a, b| a < b) {
            return Vec::new();
        }
        let ghost = |which: usize| {
            let points = old.points(old.role(which), String::new(), |summary| last(summary, which));
            Curve { kind: CurveKind::Pinned, band: Vec::new(), ..points }
        };
        (0..old.n_methods()).map(ghost).collect()
    }

    /// Marks where joining stops or begins to pay, and at the present setting.
    fn marks(&self) -> Vec<Mark> {
        let detail = format!("{} = {}", self.across.key().param().symbol, number(self.now));
        // A value below a logarithmic axis, such as 0, is named at its lower end.
        let least = 0.94 * self.xs().first().copied().unwrap_or(0.0);
        let (x, label) = if self.now < least { (least, say!("← now")) } else { (self.now, say!("now")) };
        let now = Mark { role: None, x, y: None, label: label.into(), detail };
        let crossing = |series: &Series<'_>| {
            let of = if series.name.is_empty() { String::new() } else { format!(" ({})", series.name) };
            series.crossing().map(|(x, y)| Mark {
                role: Some(Role::ClientAlone),
                x,
                y: Some(y),
                label: say!("break-even{of}"),
                detail: said(self.across, series.turn(x)),
            })
        };
        self.series().iter().filter_map(crossing).chain([now]).collect()
    }
}

impl Series<'_> {
    /// Points and prediction of every method and of the client alone.
    pub(super) fn curves(&self) -> Vec<Curve> {
        let mut curves = Vec::new();
        for which in 0..self.n_methods() {
            let name = self.named(method_name(self.methods()[which]));
            curves.push(self.predicted(self.role(which), |theory| expected_last(theory, which)));
            let end = |summary: &Summary| Some(if is_lost(summary, which) { lost() } else { last(summary, which)? });
            curves.push(self.points(self.role(which), name, end));
        }
        if let Some(name) = self.own_name() {
            curves.push(self.predicted(Role::ClientAlone, |theory| theory.alone.ok()));
            curves.push(self.points(Role::ClientAlone, name, alone));
        }
        curves
    }

    fn points(&self, role: Role, label: String, value: impl Fn(&Summary) -> Option<Running>) -> Curve {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for (index, x) in self.indices().zip(self.xs()) {
            let Some(value) = self.sweep.summary(index).and_then(&value) else { continue };
            let (mean, half) = (value.mean(), value.standard_error());
            points.push(Point { x, y: mean });
            if (mean + half).is_finite() {
                band.push(Band { x, low: mean - half, high: mean + half });
            }
        }
        let kind = if self.is_second { CurveKind::Beside } else { CurveKind::Points };
        Curve { role, kind, label, points, band }
    }

    fn predicted(&self, role: Role, value: impl Fn(&Theory) -> Option<f64>) -> Curve {
        let at = |(index, x)| Some(Point { x, y: value(self.sweep.theory(index)?)? });
        let points = self.indices().zip(self.xs()).filter_map(at).collect();
        let kind = if self.is_second { CurveKind::PredictedBeside } else { CurveKind::Predicted };
        Curve { role, kind, label: String::new(), points, band: Vec::new() }
    }
}

/// The curves without errors of rounding alone, which would leave no room for the others; all if there is nothing else.
fn seen(curves: &[Curve]) -> Vec<Curve> {
    let mut seen = curves.to_vec();
    for curve in &mut seen {
        curve.points.retain(|point| !is_rounding(point.y));
        curve.band.retain(|band| !is_rounding(band.high));
    }
    if seen.iter().all(|curve| curve.points.is_empty()) { curves.to_vec() } else { seen }
}

/// Beyond every axis: an arrow at the upper edge says where what diverged has gone.
fn lost() -> Running {
    Running::from_parts(1, f64::INFINITY, 0.0)
}

fn alone(summary: &Summary) -> Option<Running> {
    summary.reference(Reference::ClientAlone)?.ok()
}
