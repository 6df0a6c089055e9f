//! For tests: a tame map and random hostile ones.

use super::{Check, Contour, HeatMap, Key, Ramp, Weight};
use crate::figure::hostile::{scale, value, words};
use crate::figure::{Axis, Role, Scale};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// A map of seven by five cells, with the ratio 1 in the middle.
pub(super) fn map() -> HeatMap {
    let axis = |label: &str, range, scale| Axis { label: label.to_owned(), range, scale, whole: false };
    let xs = (0..7).map(|k| 10_f64.powf((f64::from(k) + 0.5) * 2.0 / 7.0)).collect();
    let ys = (0..5).map(|k| 2.0 * (f64::from(k) + 0.5)).collect();
    let values = (0..35).map(|idx| 2_f64.powf(f64::from(idx % 7 + idx / 7 - 5) / 4.0)).collect();
    HeatMap {
        title: Some("title".to_owned()),
        x: axis("across", (1.0, 100.0), Scale::Log10),
        y: axis("up", (0.0, 10.0), Scale::Linear),
        xs,
        ys,
        values,
        ramp: Ramp::Diverging { reach: 2.0 },
        key: Key { label: "ratio".to_owned(), low: "less".to_owned(), high: "more".to_owned() },
        contours: vec![Contour { level: 1.0, of: None, label: "even".to_owned(), role: None, weight: Weight::Thick }],
        checks: vec![],
        handle: None,
        words: None,
    }
}

/// Centers of cells: usable ones, or any values.
fn centers(rng: &mut ChaCha8Rng, scale: Scale) -> Vec<f64> {
    let n = [0, 1, 2, 3, 17][rng.random_range(0..5)];
    if rng.random_bool(0.2) {
        return (0..n).map(|_| value(rng)).collect();
    }
    (0..n).map(|k| scale.backward(0.2 * f64::from(k) - 1.0)).collect()
}

fn axis(rng: &mut ChaCha8Rng, centers: &[f64], scale: Scale) -> Axis {
    let ends = centers.first().copied().zip(centers.last().copied());
    let range = match (rng.random_range(0..3), ends) {
        (0, _) | (_, None) => (value(rng), value(rng)),
        (1, Some(ends)) => ends,
        (_, Some((low, high))) => (0.5 * low, 2.0 * high),
    };
    Axis { label: words(rng), range, scale, whole: rng.random_bool(0.2) }
}

fn contour(rng: &mut ChaCha8Rng, n_cells: usize) -> Contour {
    Contour {
        level: value(rng),
        of: rng.random_bool(0.5).then(|| (0..n_cells).map(|_| value(rng)).collect()),
        label: words(rng),
        role: rng.random_bool(0.5).then_some(Role::FedAvg),
        weight: if rng.random_bool(0.5) { Weight::Thick } else { Weight::Thin },
    }
}

pub(in crate::figure) fn hostile(rng: &mut ChaCha8Rng) -> HeatMap {
    let (x, y) = (scale(rng), scale(rng));
    let (xs, ys) = (centers(rng, x), centers(rng, y));
    // Sometimes too few or too many values.
    let n_cells = (xs.len() * ys.len()).saturating_add_signed([0, 0, 0, -1, 5][rng.random_range(0..5)]);
    let place = |rng: &mut ChaCha8Rng| (value(rng), value(rng));
    HeatMap {
        title: rng.random_bool(0.5).then(|| words(rng)),
        x: axis(rng, &xs, x),
        y: axis(rng, &ys, y),
        values: (0..n_cells).map(|_| value(rng)).collect(),
        ramp: if rng.random_bool(0.5) { Ramp::Contraction } else { Ramp::Diverging { reach: value(rng) } },
        key: Key { label: words(rng), low: words(rng), high: words(rng) },
        contours: (0..rng.random_range(0..4)).map(|_| contour(rng, n_cells)).collect(),
        checks: (0..rng.random_range(0..9)).map(|_| place(rng)).map(|(x, y)| Check { x, y, value: x }).collect(),
        handle: rng.random_bool(0.3).then(|| place(rng)),
        words: rng.random_bool(0.3).then(|| words(rng)),
        xs,
        ys,
    }
}
