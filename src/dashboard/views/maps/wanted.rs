//! The request for a map: its cells from theory, and a few experiments for the dots.

use super::grid::{Grid, some};
use crate::dashboard::results::sweep::Plan;
use crate::params::Draft;
use crate::params::choice::{Choice, SCHEDULES};
use crate::params::views::MapKind;
use crate::protocol::Survey;
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Settings;
use crate::sim::schedule::Schedule;
use crate::theory::landscape::payoff::Rows;
use crate::theory::landscape::stability::Axes;

/// Number of dots along the two axes: few, since each is an experiment.
const N_CHECKS: (usize, usize) = (6, 5);

/// A requested map. It holds only what its cells depend on, so that dragging the handle along it requests nothing new.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its axes.
    pub grid: Grid,
    /// The map.
    pub survey: Survey,
    /// The experiment, with fixed values of the settings along the axes.
    pub settings: Settings,
}

impl Wanted {
    /// The map of a kind for the present settings.
    pub fn new(kind: MapKind, draft: &Draft) -> Self {
        let grid = Grid::of(kind, draft);
        let (x, y) = kind.keys();
        let mut rest = draft.clone();
        let (least, most) = (grid.xs[0], grid.ys[grid.ys.len() - 1]);
        rest.set(x, least);
        rest.set(y, if kind == MapKind::Rollouts { grid.ys[0] } else { most });
        let settings = Settings {
            methods: Vec::new(),
            references: Vec::new(),
            gains: false,
            n_trials: 1,
            n_rounds: 1,
            ..rest.settings()
        };
        let survey = match kind {
            MapKind::Clients => Survey::Payoff { heterogeneities: grid.xs.clone(), rows: Rows::Clients(grid.counts()) },
            MapKind::Rollouts => {
                Survey::Payoff { heterogeneities: grid.xs.clone(), rows: Rows::Rollouts(grid.counts()) }
            }
            MapKind::Steps => Survey::Stability(Axes {
                step_sizes: grid.xs.clone(),
                local_steps: grid.counts(),
                fedavg: SCHEDULES[draft.choice(Choice::Schedule)],
                fedlin: Schedule::Constant,
            }),
        };
        // The pay-off depends neither on the step size nor on the local steps: fixed values keep the request the same.
        let steps = if kind == MapKind::Steps { settings.step_size } else { 1e-4 };
        let n_local_steps = if kind == MapKind::Steps { settings.n_local_steps } else { 1.into() };
        Self { grid, survey, settings: Settings { step_size: steps, n_local_steps, ..settings } }
    }
}

/// The experiments behind the dots: they measure the map's quantity at a few of its cells.
pub fn check_plan(kind: MapKind, draft: &Draft) -> Plan {
    let grid = Grid::of(kind, draft);
    let (x, y) = kind.keys();
    let point = |at: (f64, f64)| {
        let mut point = draft.clone();
        point.set(x, at.0);
        point.set(y, at.1);
        let settings = point.settings();
        let schedule = SCHEDULES[draft.choice(Choice::Schedule)];
        let methods = match kind {
            MapKind::Clients | MapKind::Rollouts => Vec::new(),
            MapKind::Steps => vec![Method::constant(Solver::FedLin), Method { solver: Solver::FedAvg, schedule }],
        };
        let references = vec![Reference::ClientAlone, Reference::Pooled];
        Settings { methods, references, gains: false, n_rounds: 1, ..settings }
    };
    let ys = some(&grid.ys, N_CHECKS.1);
    let points = some(&grid.xs, N_CHECKS.0).into_iter().flat_map(|x| ys.iter().map(move |&y| (x, y))).map(point);
    Plan { points: points.collect(), series_len: ys.len(), ..Plan::default() }
}
