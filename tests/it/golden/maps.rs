//! Maps: whether joining pays, and how fast rounds converge.

use super::{WIDE, check_svg};
use fedsysid::figure::heat::{Check, Contour, HeatMap, Key, Ramp, Weight};
use fedsysid::figure::svg::heat_svg;
use fedsysid::figure::theme::Theme;
use fedsysid::figure::{Axis, Role, Scale, Size};

const PHONE: (f64, f64) = (390.0, 420.0);
const FRAME: (f64, f64) = (320.0, 240.0);

/// `count` values from `low` to `high` in equal ratios.
fn spread(low: f64, high: f64, count: u32) -> Vec<f64> {
    (0..count).map(|k| low * (high / low).powf(f64::from(k) / f64::from(count - 1))).collect()
}

fn cells(xs: &[f64], ys: &[f64], value: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    ys.iter().flat_map(|&y| xs.iter().map(move |&x| (x, y))).map(|(x, y)| value(x, y)).collect()
}

fn axis(label: &str, range: (f64, f64), whole: bool) -> Axis {
    Axis { label: label.to_owned(), range, scale: Scale::Log10, whole }
}

fn contour(level: f64, label: &str, weight: Weight) -> Contour {
    Contour { level, of: None, label: label.to_owned(), role: None, weight }
}

/// The error of a federation relative to that of a client alone: noise averages out over M clients, heterogeneity does
/// not.
fn ratio(epsilon: f64, n_clients: f64) -> f64 {
    (1.0 / n_clients.sqrt()).hypot(2.84 * epsilon * (1.0 - 1.0 / n_clients).sqrt())
}

/// A map with checks, all but one of which agree with it.
fn who_wins() -> HeatMap {
    let (xs, ys) = (spread(0.01, 1.0, 28), spread(2.0, 200.0, 20));
    let check = |(k, (x, y)): (usize, (f64, f64))| {
        let off = if k == 5 { 1.6 } else { 1.0 + 0.04 * (k as f64).sin() };
        Check { x, y, value: off * ratio(x, y) }
    };
    let places = spread(0.02, 0.6, 4).into_iter().flat_map(|x| spread(4.0, 100.0, 3).into_iter().map(move |y| (x, y)));
    HeatMap {
        title: None,
        x: axis("heterogeneity ε", (0.01, 1.0), false),
        y: axis("clients M", (2.0, 200.0), true),
        values: cells(&xs, &ys, ratio),
        xs,
        ys,
        ramp: Ramp::Diverging { reach: 10.0 },
        key: Key {
            label: "error of FedLin over that of client 1 alone".to_owned(),
            low: "joining pays".to_owned(),
            high: "alone is better".to_owned(),
        },
        contours: vec![
            contour(1.0, "break-even", Weight::Thick),
            contour(0.5, "half", Weight::Thin),
            contour(0.2, "a fifth", Weight::Thin),
        ],
        checks: places.enumerate().map(check).collect(),
        handle: Some((0.1, 50.0)),
        words: None,
    }
}

/// The same map while it is computed: only the lower rows, with few clients, are known.
fn half_known() -> HeatMap {
    let mut map = who_wins();
    let n = map.xs.len();
    map.values.iter_mut().enumerate().filter(|(idx, _)| idx / n > 11).for_each(|(_, value)| *value = f64::NAN);
    HeatMap { title: Some("Who should join?".to_owned()), checks: vec![], handle: None, ..map }
}

/// Two eigenvalues of a client's moments; they give the bounds of FedAvg's contraction.
const EIGENVALUES: [f64; 2] = [90.0, 1100.0];

/// The contraction of K steps of size α: that of the slower direction, or larger than 1 where the faster one
/// overshoots.
fn contraction(alpha: f64, n_steps: f64) -> f64 {
    EIGENVALUES.map(|eigenvalue| (1.0 - alpha * eigenvalue).abs().powf(n_steps)).into_iter().fold(0.0, f64::max)
}

/// The drift of clients in K steps: zero in one step, NaN where the steps diverge.
fn drift(alpha: f64, n_steps: f64) -> f64 {
    if contraction(alpha, n_steps) < 1.0 {
        0.4 * alpha * 300.0 * (n_steps - 1.0) / (1.0 + 0.1 * n_steps)
    } else {
        f64::NAN
    }
}

fn contractions() -> HeatMap {
    let (xs, ys) = (spread(1e-5, 1e-2, 30), spread(1.0, 50.0, 18));
    let drifts = cells(&xs, &ys, drift);
    let of_drift = |level: f64, label: &str| Contour {
        of: Some(drifts.clone()),
        role: Some(Role::FedAvg),
        ..contour(level, label, Weight::Thin)
    };
    HeatMap {
        title: None,
        x: axis("step size α", (1e-5, 1e-2), false),
        y: axis("local steps K", (1.0, 50.0), true),
        values: cells(&xs, &ys, contraction),
        ramp: Ramp::Contraction,
        key: Key {
            label: "contraction ρ of a round".to_owned(),
            low: "there in one round".to_owned(),
            high: "never there".to_owned(),
        },
        contours: vec![of_drift(0.01, "drift 0.01"), of_drift(0.1, "drift 0.1"), of_drift(0.3, "drift 0.3")],
        checks: vec![],
        handle: None,
        words: None,
        xs,
        ys,
    }
}

#[track_caller]
fn check(name: &str, map: &HeatMap, theme: &Theme, size: (f64, f64)) {
    check_svg(name, &heat_svg(map, theme, Size::new(size.0, size.1, 1.0)));
}

#[test]
fn maps_of_who_does_better() {
    check("map", &who_wins(), &Theme::LIGHT, WIDE);
    check("map_dark", &who_wins(), &Theme::DARK, (640.0, 400.0));
    check("map_projector", &who_wins(), &Theme::PROJECTOR, WIDE);
    check("map_phone", &who_wins(), &Theme::LIGHT, PHONE);
    check("map_frame", &who_wins(), &Theme::LIGHT, FRAME);
    check("map_half_known", &half_known(), &Theme::LIGHT, (640.0, 400.0));
}

#[test]
fn maps_of_contractions() {
    check("contraction", &contractions(), &Theme::LIGHT, WIDE);
    check("contraction_dark", &contractions(), &Theme::DARK, (640.0, 400.0));
    check("contraction_phone", &contractions(), &Theme::LIGHT, PHONE);
}
