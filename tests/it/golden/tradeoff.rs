//! Trade-offs (errors over a parameter), and a sweep (one curve for each value).

use super::{WIDE, check, level, run};
use fedsysid::figure::theme::Theme;
use fedsysid::figure::{Axis, Band, Curve, CurveKind, Figure, Mark, Point, RampStep, Role, Scale, axis};

const PHONE: (f64, f64) = (390.0, 380.0);
const FRAME: (f64, f64) = (320.0, 240.0);
/// A client's own error with 25 rollouts.
const ALONE: f64 = 0.25;

/// The expected error of a federation of M clients at heterogeneity ε: noise that averages out, and a bias that does
/// not.
fn expected(epsilon: f64, n_clients: f64) -> f64 {
    (ALONE / n_clients.sqrt()).hypot(0.71 * epsilon)
}

/// `count` values of ε from 0.01 to 1 in equal ratios.
fn epsilons(count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |k| 0.01 * 100_f64.powf(f64::from(k) / f64::from(count - 1)))
}

/// Means over few trials, each off by at most about one standard error.
fn measured(kind: CurveKind, label: &str, n_clients: f64, n_points: u32) -> Curve {
    let half = |y: f64| 0.004 + 0.05 * y;
    let off = |k: usize| 0.9 * (2.3 * k as f64 + n_clients).sin();
    let values = epsilons(n_points).enumerate().map(|(k, x)| (x, expected(x, n_clients), k));
    let points: Vec<Point> = values.map(|(x, y, k)| Point { x, y: y + off(k) * half(y) }).collect();
    let band = points.iter().map(|p| Band { x: p.x, low: p.y - half(p.y), high: p.y + half(p.y) }).collect();
    Curve { role: Role::FedLin, kind, label: label.to_owned(), points, band }
}

fn predicted(kind: CurveKind, n_clients: f64) -> Curve {
    let points = epsilons(61).map(|x| Point { x, y: expected(x, n_clients) }).collect();
    Curve { role: Role::FedLin, kind, label: String::new(), points, band: vec![] }
}

fn mark(role: Option<Role>, x: f64, y: Option<f64>, label: &str, detail: &str) -> Mark {
    Mark { role, x, y, label: label.to_owned(), detail: detail.to_owned() }
}

fn tradeoff() -> Figure {
    let curves = vec![
        predicted(CurveKind::Predicted, 50.0),
        predicted(CurveKind::PredictedBeside, 5.0),
        measured(CurveKind::Points, "FedLin, M = 50", 50.0, 15),
        measured(CurveKind::Beside, "M = 5", 5.0, 15),
    ];
    let levels = vec![level(Role::ClientAlone, "client 1 alone", ALONE)];
    let marks = vec![
        mark(None, 0.349, Some(ALONE), "break-even", "ε ≈ 0.35"),
        mark(Some(Role::FedLin), 0.1, None, "this run", "ε = 0.1"),
    ];
    Figure {
        title: None,
        x: Axis { label: "heterogeneity ε".to_owned(), range: (0.01, 1.0), scale: Scale::Log10, whole: false },
        y: Axis {
            label: "error after 200 rounds ‖Θ̄ − Θ⁽¹⁾‖".to_owned(),
            range: axis::fit(Scale::Log10, &curves, &levels),
            scale: Scale::Log10,
            whole: false,
        },
        curves,
        levels,
        marks,
        words: None,
    }
}

/// A trade-off over the number of clients with few points so far; FedAvg has diverged at the last of them.
fn filling_in() -> Figure {
    let counts = [2.0, 5.0, 10.0, 50.0];
    let curve = |role, label: &str, floor: f64| {
        let y = |x: f64| if role == Role::FedAvg && x > 20.0 { f64::INFINITY } else { (ALONE / x.sqrt()).hypot(floor) };
        let points: Vec<Point> = counts.into_iter().map(|x| Point { x, y: y(x) }).collect();
        let band = points.iter().map(|p| Band { x: p.x, low: 0.8 * p.y, high: 1.2 * p.y }).collect();
        Curve { role, kind: CurveKind::Points, label: label.to_owned(), points, band }
    };
    let curves = vec![curve(Role::FedLin, "FedLin", 0.03), curve(Role::FedAvg, "FedAvg", 0.06)];
    let levels = vec![level(Role::ClientAlone, "client 1 alone", ALONE)];
    let range = axis::fit(Scale::Log10, &curves, &levels);
    let marks = vec![
        mark(Some(Role::FedLin), 2.0, None, "FedLin pays", "from M = 2 on"),
        mark(Some(Role::FedAvg), 2.2, None, "FedAvg pays", "from M = 3 on"),
    ];
    let y = Axis { label: "error after 200 rounds".to_owned(), range, scale: Scale::Log10, whole: false };
    let x = Axis { label: "clients M".to_owned(), range: (2.0, 50.0), scale: Scale::Log10, whole: true };
    Figure { title: Some("More clients".to_owned()), x, y, curves, levels, marks, words: None }
}

/// FedLin's runs at five values of ε, whose floors rise with ε.
fn sweep() -> Figure {
    let values = [0.01, 0.05, 0.1, 0.25, 0.5];
    let curve = |(place, epsilon): (usize, f64)| {
        let role = Role::Swept(RampStep::of(place, values.len()));
        run(role, &format!("ε = {epsilon}"), 200, 30.0 - 2.0 * place as f64, expected(epsilon, 50.0))
    };
    let curves: Vec<Curve> = values.into_iter().enumerate().map(curve).collect();
    super::figure(curves, vec![level(Role::ClientAlone, "client 1 alone", ALONE)])
}

#[test]
fn tradeoffs() {
    check("tradeoff", &tradeoff(), &Theme::LIGHT, WIDE);
    check("tradeoff_dark", &tradeoff(), &Theme::DARK, WIDE);
    check("tradeoff_projector", &tradeoff(), &Theme::PROJECTOR, WIDE);
    check("tradeoff_phone", &tradeoff(), &Theme::LIGHT, PHONE);
    check("tradeoff_frame", &tradeoff(), &Theme::LIGHT, FRAME);
    check("filling_in", &filling_in(), &Theme::LIGHT, (640.0, 400.0));
}

#[test]
fn sweeps() {
    check("sweep", &sweep(), &Theme::LIGHT, WIDE);
    check("sweep_dark", &sweep(), &Theme::DARK, WIDE);
    check("sweep_phone", &sweep(), &Theme::LIGHT, PHONE);
}
