//! Figures as text: every change of a picture shows in a diff. `UPDATE_GOLDEN=1` rewrites them.

use fedsysid::figure::svg::to_svg;
use fedsysid::figure::theme::Theme;
use fedsysid::figure::{Axis, Band, Curve, CurveKind, Figure, Level, Point, Role, Scale, Size, axis};
use std::path::Path;

mod maps;
mod tradeoff;

/// A run of `n_rounds` rounds whose error falls from 1.9 to a floor at a given pace, with the fluctuations of a mean
/// over few trials.
fn run(role: Role, label: &str, n_rounds: u32, pace: f64, floor: f64) -> Curve {
    let error = |round: f64| {
        let decay = 1.9 * (-round / pace).exp();
        decay.hypot(floor) * (1.0 + 0.01 * (0.9 * round).sin() * (0.37 * round + pace).cos())
    };
    let points: Vec<Point> = (0..=n_rounds).map(|k| Point { x: k.into(), y: error(k.into()) }).collect();
    let half_width = |y: f64| 0.01 + 0.06 * y;
    let band =
        points.iter().map(|p| Band { x: p.x, low: p.y - half_width(p.y), high: p.y + half_width(p.y) }).collect();
    Curve { role, kind: CurveKind::Measured, label: label.to_owned(), points, band }
}

fn level(role: Role, label: &str, value: f64) -> Level {
    Level { role, label: label.to_owned(), value }
}

fn references() -> Vec<Level> {
    vec![
        level(Role::ClientAlone, "client 1 alone", 0.25),
        level(Role::Pooled, "pooled", 0.178),
        level(Role::MeanOfLocals, "mean of locals", 0.168),
    ]
}

fn figure(curves: Vec<Curve>, levels: Vec<Level>) -> Figure {
    let x = Axis {
        label: "round r".to_owned(),
        range: axis::fit_x(Scale::Linear, &curves),
        scale: Scale::Linear,
        whole: true,
    };
    let y = Axis {
        label: "estimation error ‖Θ̄ᵣ − Θ⁽¹⁾‖".to_owned(),
        range: axis::fit_runs(Scale::Log10, &curves, &levels),
        scale: Scale::Log10,
        whole: false,
    };
    Figure { title: None, x, y, curves, levels, marks: vec![], words: None }
}

fn converging() -> Figure {
    let curves = vec![run(Role::FedLin, "FedLin", 200, 30.0, 0.18), run(Role::FedAvg, "FedAvg", 200, 22.0, 0.21)];
    figure(curves, references())
}

fn with_ghost_and_prediction() -> Figure {
    let mut figure = converging();
    figure.title = Some("Two algorithms, one system & its neighbors".to_owned());
    let pinned =
        Curve { kind: CurveKind::Pinned, band: vec![], ..run(Role::FedLin, "FedLin, M = 10", 200, 30.0, 0.32) };
    let mut predicted = run(Role::FedAvg, "FedAvg predicted", 200, 22.0, 0.195);
    predicted.kind = CurveKind::Predicted;
    predicted.band.clear();
    figure.curves.extend([pinned, predicted]);
    figure
}

/// A run whose error grows by `factor` in each round until it is infinite, and then NaN.
fn diverging_run(role: Role, label: &str, factor: f64) -> Curve {
    let mut away = run(role, label, 200, 22.0, 0.21);
    for (point, band) in away.points.iter_mut().zip(&mut away.band) {
        let y = match point.x {
            x if x < 150.0 => 1.9 * factor.powf(x),
            x if x < 170.0 => f64::INFINITY,
            _ => f64::NAN,
        };
        point.y = y;
        (band.low, band.high) = (0.8 * y, 1.2 * y);
    }
    away
}

fn diverging() -> Figure {
    let curves = vec![run(Role::FedLin, "FedLin", 200, 30.0, 0.18), diverging_run(Role::FedAvg, "FedAvg", 1.31)];
    let mut figure = figure(curves, references());
    figure.words = Some("FedAvg diverges here (ρ = 1.31): the largest stable step is 0.00182.".to_owned());
    figure
}

fn all_diverging() -> Figure {
    let curves = [diverging_run(Role::FedLin, "FedLin", 1.2), diverging_run(Role::FedAvg, "FedAvg", 80.0)];
    figure(curves.into(), references())
}

/// The recorded rounds of a run of a million rounds: every one at first, then 24 for each doubling.
fn sparse_rounds() -> Vec<f64> {
    const LAST: f64 = 1e6;
    let spaced = (1..).map(|k| (48.0 * 2_f64.powf(f64::from(k) / 24.0)).round()).take_while(|&round| round < LAST);
    (1..=48).map(f64::from).chain(spaced).chain([LAST]).collect()
}

/// A run of a million rounds whose error falls at once to a plateau, and then slowly to a floor.
fn long_run(role: Role, label: &str, plateau: f64, pace: f64, floor: f64) -> Curve {
    let error = |round: f64| {
        let (fast, slow) = (1.9 * (-round / 12.0).exp(), plateau * (-round / pace).exp());
        fast.hypot(slow).hypot(floor)
    };
    let points: Vec<Point> = sparse_rounds().into_iter().map(|x| Point { x, y: error(x) }).collect();
    let band = points.iter().map(|p| Band { x: p.x, low: 0.93 * p.y, high: 1.07 * p.y }).collect();
    Curve { role, kind: CurveKind::Measured, label: label.to_owned(), points, band }
}

fn million_rounds() -> Figure {
    let curves =
        [long_run(Role::FedLin, "FedLin", 0.6, 20_000.0, 0.18), long_run(Role::FedAvg, "FedAvg", 0.4, 90_000.0, 0.21)];
    let mut figure = figure(curves.into(), references());
    figure.x = Axis { range: (1.0, 1e6), scale: Scale::Log10, ..figure.x };
    figure
}

fn nothing_finite() -> Figure {
    let mut lost = run(Role::FedLin, "FedLin", 50, 30.0, 0.18);
    lost.points.iter_mut().for_each(|point| point.y = f64::NAN);
    lost.band.clear();
    let mut figure = figure(vec![lost], vec![]);
    figure.words = Some("Every run diverges at once: the step size is 40 times the largest stable one.".to_owned());
    figure
}

fn one_round() -> Figure {
    figure(vec![run(Role::FedLin, "FedLin", 1, 1.0, 0.18), run(Role::FedAvg, "FedAvg", 1, 1.3, 0.21)], references())
}

fn colliding() -> Figure {
    let levels = vec![
        level(Role::ClientAlone, "client 1 alone", 0.181),
        level(Role::Pooled, "pooled", 0.1809),
        level(Role::MeanOfLocals, "mean of locals", 0.1811),
        level(Role::ClientAlone, "client 7 alone", 42.0),
    ];
    let curves = vec![run(Role::FedLin, "FedLin", 200, 30.0, 0.18), run(Role::FedAvg, "FedAvg", 200, 22.0, 0.1805)];
    figure(curves, levels)
}

#[track_caller]
fn check(name: &str, figure: &Figure, theme: &Theme, size: (f64, f64)) {
    check_covered(name, figure, theme, size, 0.0);
}

#[track_caller]
fn check_covered(name: &str, figure: &Figure, theme: &Theme, size: (f64, f64), covered: f64) {
    check_svg(name, &to_svg(figure, theme, Size::new(size.0, size.1, 1.0).covered(covered)));
}

#[track_caller]
fn check_svg(name: &str, drawn: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name).with_extension("svg");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, drawn).expect("the golden folder can be written to");
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(golden == drawn, "{} is drawn differently; UPDATE_GOLDEN=1 rewrites it", path.display());
}

const WIDE: (f64, f64) = (960.0, 540.0);

#[test]
fn converging_curves() {
    check("converging", &converging(), &Theme::LIGHT, WIDE);
    check("converging_dark", &converging(), &Theme::DARK, WIDE);
    check("converging_projector", &converging(), &Theme::PROJECTOR, WIDE);
    check("converging_frame", &converging(), &Theme::LIGHT, (320.0, 240.0));
    check("ghost_and_prediction", &with_ghost_and_prediction(), &Theme::LIGHT, WIDE);
}

#[test]
fn runs_that_go_wrong() {
    check("diverging", &diverging(), &Theme::LIGHT, WIDE);
    check("diverging_frame", &diverging(), &Theme::DARK, (320.0, 240.0));
    check("all_diverging", &all_diverging(), &Theme::LIGHT, WIDE);
    check_covered("all_diverging_phone", &all_diverging(), &Theme::LIGHT, (390.0, 380.0), 140.0);
    check("nothing_finite", &nothing_finite(), &Theme::LIGHT, WIDE);
}

#[test]
fn rounds_on_a_logarithmic_axis() {
    check("million_rounds", &million_rounds(), &Theme::LIGHT, WIDE);
    check("million_rounds_dark", &million_rounds(), &Theme::DARK, (640.0, 400.0));
    check("million_rounds_projector", &million_rounds(), &Theme::PROJECTOR, WIDE);
    check("million_rounds_phone", &million_rounds(), &Theme::LIGHT, (390.0, 380.0));
    check("million_rounds_frame", &million_rounds(), &Theme::LIGHT, (320.0, 240.0));
}

#[test]
fn edge_cases() {
    check("one_round", &one_round(), &Theme::LIGHT, (640.0, 400.0));
    check("colliding", &colliding(), &Theme::LIGHT, WIDE);
    check("colliding_frame", &colliding(), &Theme::LIGHT, (320.0, 240.0));
}
