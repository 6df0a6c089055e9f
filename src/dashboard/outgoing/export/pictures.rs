//! Figures with axes, for files, of the charts that the page draws as strips.

use super::PICTURE;
use crate::dashboard::results::Run;
use crate::dashboard::run::cause::Cause;
use crate::dashboard::run::picture::LONG;
use crate::dashboard::views::systems::{Mode, Portrait};
use crate::dashboard::words::names::{method_name, solver_role};
use crate::dashboard::words::thresholds::is_rounding;
use crate::figure::axis::{fit, fit_x};
use crate::figure::layout::Layout;
use crate::figure::number::percent;
use crate::figure::order::order;
use crate::figure::theme::Theme;
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Level, Point, Role, Scale, Size};
use crate::sim::angle::{cosine, sine};
use crate::theory::prediction::Parts;
use fedsysid_say::say;

/// Shares of an error below this have no line.
const LEAST: f64 = 2e-3;

/// Shares of the causes along the rounds, stacked: causes that add to the error upwards from 0 to 1, causes that work
/// against it downwards from 0.
pub(super) fn anatomy(run: &Run, method: usize) -> Option<Figure> {
    let theory = run.theory.as_ref()?.methods.get(method)?;
    let prediction = theory.prediction.as_ref().ok()?;
    let last = prediction.parts.last().filter(|parts| parts.total().is_finite() && !is_rounding(parts.rms()))?;
    let scale = if run.settings.n_rounds > LONG { Scale::Log10 } else { Scale::Linear };
    let rounds = || run.summary.rounds.iter().map(|&round| round as f64).zip(&prediction.parts);
    let shown = || rounds().filter(|(round, _)| scale.shows(*round));
    let layer = |(place, (cause, part)): (usize, (Cause, f64))| {
        let edges = shown().map(|(x, parts)| (x, stacked(parts)[place]));
        let mut was_adding = None;
        let mut outer = |(low, high): (f64, f64)| {
            let adds = high > 0.0;
            // The line of a negligible share would hide the line beneath it; where a cause changes its sign, the line
            // is interrupted.
            let is_drawn = high - low >= LEAST && was_adding.replace(adds).is_none_or(|before| before == adds);
            match (is_drawn, adds) {
                (false, _) => f64::NAN,
                (true, true) => high,
                (true, false) => low,
            }
        };
        Curve {
            role: role(cause),
            kind: CurveKind::Measured,
            label: format!("{} {}", cause.words(), percent(part / last.total())),
            points: edges.clone().map(|(x, edges)| Point { x, y: outer(edges) }).collect(),
            band: edges.map(|(x, (low, high))| Band { x, low, high }).collect(),
        }
    };
    let curves: Vec<_> = Cause::parts(last).into_iter().enumerate().map(layer).collect();
    let lowest = curves.iter().flat_map(|curve| &curve.band).map(|band| band.low).fold(0.0, f64::min);
    let x = Axis { label: say!("round r").into(), range: fit_x(scale, &curves), scale, whole: true };
    let label = say!("share of {}’s mean square error", method_name(theory.method));
    let y = Axis { label, range: (lowest, 1.0), scale: Scale::Linear, whole: false };
    Some(Figure { title: None, x, y, curves, levels: Vec::new(), marks: Vec::new(), words: None })
}

/// Eigenvalues of A_0 and of the clients' systems.
pub(super) fn eigenvalues(portrait: &Portrait) -> Figure {
    let curve = |role, kind, label: &str, modes: &mut dyn Iterator<Item = &Mode>| Curve {
        role,
        kind,
        label: label.to_owned(),
        points: modes.map(|mode| Point { x: mode.re, y: mode.im }).collect(),
        band: Vec::new(),
    };
    let first = portrait.clients.first().map(|client| client.modes.as_slice()).unwrap_or_default();
    let mut others = portrait.clients.iter().skip(1).flat_map(|client| &client.modes);
    plane(vec![
        curve(Role::ClientAlone, CurveKind::Beside, say!("the other clients"), &mut others),
        curve(Role::FedLin, CurveKind::Beside, say!("client 1"), &mut first.iter()),
        curve(Role::Pooled, CurveKind::Points, "A₀", &mut portrait.nominal.iter()),
    ])
}

/// Eigenvalues beside the unit circle; both axes have the same scale in a file's picture.
pub(in crate::dashboard) fn plane(mut curves: Vec<Curve>) -> Figure {
    let sizes = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x.hypot(point.y));
    let reach = 1.15 * sizes.filter(|size| size.is_finite()).fold(1.0, f64::max);
    let angle = |step: u32| f64::from(step) * std::f64::consts::PI / f64::from(ARCS);
    let half = |sign: f64| move |angle: f64| Point { x: sign * cosine(angle), y: sign * sine(angle) };
    let circle = (0..=ARCS).map(angle).map(half(1.0)).chain((1..=ARCS).map(angle).map(half(-1.0))).collect();
    let (role, label) = (Role::MeanOfLocals, say!("unit circle").to_owned());
    curves.insert(0, Curve { role, kind: CurveKind::Pinned, label, points: circle, band: Vec::new() });
    curves.retain(|curve| !curve.points.is_empty());
    let axis =
        |label: &str| Axis { label: label.to_owned(), range: (-reach, reach), scale: Scale::Linear, whole: false };
    let (x, y) = (axis(say!("real part of an eigenvalue of A")), axis(say!("imaginary part")));
    let mut figure = Figure { title: None, x, y, curves, levels: Vec::new(), marks: Vec::new(), words: None };
    let plot = Layout::new(&figure, &Theme::LIGHT, Size::new(PICTURE.0, PICTURE.1, 1.0)).frame.plot;
    let wide = reach * plot.width / plot.height;
    figure.x.range = (-wide, wide);
    figure
}

/// Number of segments of each half of the unit circle.
const ARCS: u32 = 90;

fn role(cause: Cause) -> Role {
    match cause {
        Cause::Noise => Role::Noise,
        Cause::Heterogeneity => Role::Heterogeneity,
        Cause::Drift => Role::Drift,
        Cause::Transient => Role::Transient,
    }
}

/// Lower and upper edge of every cause, as shares of the sum of all causes that add to the error.
fn stacked(parts: &Parts) -> [(f64, f64); 4] {
    let adding: f64 = Cause::parts(parts).iter().map(|(_, part)| part.max(0.0)).sum();
    let (mut top, mut bottom) = (0.0, 0.0);
    Cause::parts(parts).map(|(_, part)| {
        let share = if adding > 0.0 && adding.is_finite() { part / adding } else { 0.0 };
        let end = if share >= 0.0 { &mut top } else { &mut bottom };
        let from = *end;
        *end += share;
        (end.min(from), end.max(from))
    })
}

/// One dot per client: its error alone over that of the shared model, against its system's distance from the mean
/// system.
pub(super) fn join(run: &Run, method: usize) -> Option<Figure> {
    let gains = run.summary.gains.as_ref()?;
    let summary = run.summary.methods.get(method)?;
    let ratios = gains.ratios(method)?;
    let dots = gains.distances.iter().zip(&ratios).filter(|(_, ratio)| ratio.is_finite() && **ratio > 0.0);
    let dots: Vec<_> = dots.map(|(&x, &y)| Point { x, y }).collect();
    Some(clients_dots(&dots, solver_role(summary.method.solver), &method_name(summary.method)))
}

/// One dot per client: its error alone over that of the shared way, against its distance from the mean.
pub(in crate::dashboard) fn clients_dots(dots: &[Point], role: Role, name: &str) -> Figure {
    let across: Vec<_> = dots.iter().map(|dot| dot.x).collect();
    let dots: Vec<_> = order(&across).into_iter().map(|place| dots[place]).collect();
    let curve = |role, label: &str, is_ours: fn(f64) -> bool| {
        let points = dots.iter().copied().filter(|dot| is_ours(dot.y)).collect();
        Curve { role, kind: CurveKind::Points, label: label.into(), points, band: Vec::new() }
    };
    let curves = vec![
        curve(role, say!("gains"), |ratio| ratio > 1.0),
        curve(Role::ClientAlone, say!("loses"), |ratio| ratio <= 1.0),
    ];
    let levels = vec![Level { role: Role::Pooled, label: say!("even").into(), value: 1.0 }];
    let farthest = dots.last().map_or(0.0, |dot| dot.x);
    let x = Axis {
        label: say!("distance from the mean system").into(),
        range: (0.0, if farthest > 0.0 { 1.04 * farthest } else { 1.0 }),
        scale: Scale::Linear,
        whole: false,
    };
    let y = Axis {
        label: say!("error alone ÷ error with {name}"),
        range: fit(Scale::Log10, &curves, &levels),
        scale: Scale::Log10,
        whole: false,
    };
    Figure { title: None, x, y, curves, levels, marks: Vec::new(), words: None }
}
