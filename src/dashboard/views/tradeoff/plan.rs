//! The studies of a trade-off: the values along its axis, at one setting or at two.

use crate::dashboard::results::sweep::Plan;
use crate::params::views::Across;
use crate::params::{Draft, Key, Views};
use crate::sim::scenario::Settings;

/// Values along the axes, with about equal ratios.
const HETEROGENEITY: [f64; 15] = [0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0];
const CLIENTS: [f64; 15] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0];
const ROLLOUTS: [f64; 15] =
    [4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 25.0, 35.0, 50.0, 70.0, 100.0, 140.0, 200.0, 280.0, 400.0];

/// The values along an axis, shifted by decades if the present value is beyond them.
pub fn values(across: Across, draft: &Draft) -> Vec<f64> {
    let (values, key) = match across {
        Across::Heterogeneity => (HETEROGENEITY, Key::Heterogeneity),
        Across::Clients => (CLIENTS, Key::Clients),
        Across::Rollouts => (ROLLOUTS, Key::Rollouts),
    };
    let (now, max) = (draft.get(key), key.param().grid.max());
    let mut scale = 1.0;
    while now > scale * values[14] {
        scale *= 10.0;
    }
    values.iter().map(|value| value * scale).filter(|&value| value <= max).collect()
}

/// The studies of a trade-off: first at the present settings, then at the second one.
pub fn plan(draft: &Draft, views: &Views) -> Plan {
    let values = values(views.across, draft);
    let second = views.beside.map(|(key, value)| {
        let mut second = draft.clone();
        second.set(key, value);
        second
    });
    let at = |draft: &Draft, &x: &f64| {
        let mut point = draft.clone();
        point.set(views.across.key(), x);
        Settings { gains: false, ..point.settings() }
    };
    let series = |draft: &Draft| values.iter().map(|x| at(draft, x)).collect::<Vec<_>>();
    let mut points = series(draft);
    points.extend(second.iter().flat_map(series));
    Plan { points, series_len: values.len(), expects: true, ..Plan::default() }
}
