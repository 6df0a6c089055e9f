//! Random figures with hostile data, for tests of invariants that must hold for any data.

use super::{Axis, Band, Curve, CurveKind, Figure, Level, Mark, Point, Role, Scale, axis};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

const KINDS: [CurveKind; 6] = [
    CurveKind::Measured,
    CurveKind::Predicted,
    CurveKind::Pinned,
    CurveKind::Points,
    CurveKind::Beside,
    CurveKind::PredictedBeside,
];

/// Width and height of a surface in CSS pixels, from a screen down to a single pixel.
pub(super) fn surface(rng: &mut ChaCha8Rng) -> (u32, u32) {
    [(960, 540), (640, 400), (320, 240), (90, 60), (24, 300), (300, 9), (1, 1)][rng.random_range(0..7)]
}

/// A value that a run, a bug or a hostile file may contain.
pub(super) fn value(rng: &mut ChaCha8Rng) -> f64 {
    let tame = 10_f64.powf(rng.random_range(-3.0..2.0));
    match rng.random_range(0..40) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => 0.0,
        4 => -tame,
        5 => f64::MAX,
        6 => f64::MIN_POSITIVE,
        7 => 5e-324,
        8 => 10_f64.powf(rng.random_range(-300.0..300.0)),
        _ => tame,
    }
}

pub(super) fn scale(rng: &mut ChaCha8Rng) -> Scale {
    if rng.random_bool(0.7) { Scale::Log10 } else { Scale::Linear }
}

pub(super) fn words(rng: &mut ChaCha8Rng) -> String {
    let texts =
        ["", "FedLin", "client 1 alone", "Θ̄ᵣ − Θ⁽¹⁾ & <b>\"quoted\"</b>", "a name that no margin has room for, ever"];
    texts[rng.random_range(0..texts.len())].to_owned()
}

fn curve(rng: &mut ChaCha8Rng) -> Curve {
    let n = [0, 1, 2, 3, 30, 300][rng.random_range(0..6)];
    let hostile_x = rng.random_bool(0.1);
    let x = |rng: &mut ChaCha8Rng, k: u32| if hostile_x { value(rng) } else { f64::from(k) };
    let points: Vec<_> = (0..n).map(|k| Point { x: x(rng, k), y: value(rng) }).collect();
    let band = points.iter().map(|p| Band { x: p.x, low: value(rng), high: value(rng) }).collect();
    Curve {
        role: Role::ALL[rng.random_range(0..Role::ALL.len())],
        kind: KINDS[rng.random_range(0..KINDS.len())],
        label: words(rng),
        points,
        band,
    }
}

fn mark(rng: &mut ChaCha8Rng) -> Mark {
    Mark {
        role: rng.random_bool(0.5).then_some(Role::FedLin),
        x: if rng.random_bool(0.5) { value(rng) } else { rng.random_range(0.0..300.0) },
        y: rng.random_bool(0.5).then(|| value(rng)),
        label: words(rng),
        detail: words(rng),
    }
}

pub(super) fn figure(rng: &mut ChaCha8Rng) -> Figure {
    let curves: Vec<_> = (0..rng.random_range(0..5)).map(|_| curve(rng)).collect();
    let level = |rng: &mut ChaCha8Rng| Level { role: Role::Pooled, label: words(rng), value: value(rng) };
    let levels: Vec<_> = (0..rng.random_range(0..5)).map(|_| level(rng)).collect();
    let (x, y) = (scale(rng), scale(rng));
    let (x_range, y_range) = match rng.random_range(0..3) {
        0 => (axis::fit_x(x, &curves), axis::fit(y, &curves, &levels)),
        1 => (axis::fit_x(x, &curves), axis::fit_runs(y, &curves, &levels)),
        _ => ((value(rng), value(rng)), (value(rng), value(rng))),
    };
    Figure {
        title: rng.random_bool(0.5).then(|| words(rng)),
        x: Axis { label: words(rng), range: x_range, scale: x, whole: rng.random_bool(0.5) },
        y: Axis { label: words(rng), range: y_range, scale: y, whole: rng.random_bool(0.1) },
        curves,
        levels,
        marks: (0..rng.random_range(0..5)).map(|_| mark(rng)).collect(),
        words: rng.random_bool(0.3).then(|| words(rng)),
    }
}
