//! Two parameters at once: where joining pays, and how fast rounds converge; as maps, with measured dots on them.

use super::sweep::{Plan, Sweep};
use super::tradeoff::value_of;
use super::work::{Stage, Work};
use crate::dashboard::things::Things;
use crate::figure::heat::{Check, Contour, HeatMap, Key as ColorKey, Ramp, Weight};
use crate::figure::number::{measured, number};
use crate::figure::{Axis, Role, Scale};
use crate::params::choice::{Algorithm, Choice, SCHEDULES};
use crate::params::views::MapKind;
use crate::params::{Draft, Key};
use crate::protocol::{Event, Generation, Survey, Surveyed};
use crate::sim::estimate::Reference;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Settings;
use crate::sim::schedule::Schedule;
use crate::sim::stability::half_life;
use crate::theory::NoPrediction;
use crate::theory::landscape::Landscape;
use crate::theory::landscape::payoff::Rows;
use crate::theory::landscape::stability::Axes;
use fedsysid_say::say;

use super::picture::whose;

/// Cells along either axis.
const N_CELLS: usize = 60;

/// Dots along the axes: few, for each is a study of its own.
const N_CHECKS: (usize, usize) = (6, 5);

/// Maps that are kept.
const KEPT: usize = 8;

/// What lies along the axes of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    kind: MapKind,
    /// Abscissas of the cells, evenly spread on a logarithmic axis.
    pub xs: Vec<f64>,
    /// Ordinates of the cells, likewise; where only whole numbers make sense, a cell is that of the nearest.
    pub ys: Vec<f64>,
}

impl Grid {
    /// The axes of a map, long enough for the present settings.
    pub fn of(kind: MapKind, draft: &Draft) -> Self {
        let (x, y) = kind.keys();
        let axis = |key: Key, from: f64, to: f64| {
            let now = draft.get(key);
            let (mut from, mut to) = (from, to);
            while now > to && to < key.param().grid.max() {
                to *= 10.0;
            }
            while now < from && from > key.param().grid.min() && now > 0.0 {
                from /= 10.0;
            }
            even(from.max(key.param().grid.min()), to.min(key.param().grid.max()), N_CELLS)
        };
        let (xs, ys) = match kind {
            // One client alone is the pool.
            MapKind::Clients => (axis(x, 0.01, 1.0), axis(y, 2.0, 200.0)),
            MapKind::Rollouts => (axis(x, 0.01, 1.0), axis(y, 4.0, 400.0)),
            MapKind::Steps => (axis(x, 1e-5, 1e-2), axis(y, 1.0, 100.0)),
        };
        Self { kind, xs, ys }
    }

    /// The whole numbers among the ordinates.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts within their limits")]
    fn counts(&self) -> Vec<usize> {
        let mut counts: Vec<usize> = self.ys.iter().map(|y| y.round() as usize).collect();
        counts.dedup();
        counts
    }

    /// The place of a value among the cells, when it is within the axes.
    fn cell(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (nearest(&self.xs, x)?, nearest(&self.ys, y)?);
        Some(row * self.xs.len() + column)
    }
}

/// So many values from one to the other, equal ratios apart.
fn even(from: f64, to: f64, n: usize) -> Vec<f64> {
    let ratio = (to / from).ln();
    (0..n).map(|place| from * (ratio * place as f64 / (n - 1) as f64).exp()).collect()
}

/// The place of the value that is nearest in proportion.
fn nearest(values: &[f64], value: f64) -> Option<usize> {
    let distance = |place: &usize| (values[*place] / value).ln().abs();
    (0..values.len()).filter(|_| value > 0.0).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// A map that is wanted: whatever its cells do not depend on is not in it, so that dragging along it asks for nothing new.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Its axes.
    pub grid: Grid,
    /// The map.
    pub survey: Survey,
    /// The experiment, but for what lies along the axes.
    pub settings: Settings,
}

impl Wanted {
    /// The map of a kind at the present settings.
    pub fn new(kind: MapKind, draft: &Draft) -> Self {
        let grid = Grid::of(kind, draft);
        let (x, y) = kind.keys();
        let mut rest = draft.clone();
        let (least, most) = (grid.xs[0], grid.ys[grid.ys.len() - 1]);
        rest.set(x, least);
        rest.set(y, if kind == MapKind::Rollouts { grid.ys[0].round() } else { most.round() });
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
        // Where joining pays depends on neither steps nor rounds.
        let steps = if kind == MapKind::Steps { settings.step_size } else { 1e-4 };
        let n_local_steps = if kind == MapKind::Steps { settings.n_local_steps } else { 1.into() };
        Self { grid, survey, settings: Settings { step_size: steps, n_local_steps, ..settings } }
    }
}

/// The studies behind the dots: at a few of the cells, what they show is measured.
pub fn check_plan(kind: MapKind, draft: &Draft) -> Plan {
    let grid = Grid::of(kind, draft);
    let some = |values: &[f64], n: usize| -> Vec<f64> {
        (0..n).map(|place| values[(2 * place + 1) * values.len() / (2 * n)]).collect()
    };
    let (x, y) = kind.keys();
    let point = |at: (f64, f64)| {
        let mut point = draft.clone();
        point.set(x, at.0);
        point.set(y, at.1.round());
        let settings = point.settings();
        let schedule = SCHEDULES[draft.choice(Choice::Schedule)];
        let methods = match kind {
            MapKind::Clients | MapKind::Rollouts => Vec::new(),
            MapKind::Steps => vec![
                Method { solver: Solver::FedLin, schedule: Schedule::Constant },
                Method { solver: Solver::FedAvg, schedule },
            ],
        };
        let references = vec![Reference::ClientAlone, Reference::Pooled];
        Settings { methods, references, gains: false, n_rounds: 1, ..settings }
    };
    let ys = some(&grid.ys, N_CHECKS.1);
    let points = some(&grid.xs, N_CHECKS.0).into_iter().flat_map(|x| ys.iter().map(move |&y| (x, y))).map(point);
    Plan { points: points.collect(), series_len: N_CHECKS.1, expects: false }
}

/// Whose contraction is shown over α and K.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// FedLin's.
    #[default]
    FedLin,
    /// FedAvg's.
    FedAvg,
}

impl From<Option<Algorithm>> for Of {
    /// FedLin's, unless it is FedAvg that is looked at: of the others there is no such map.
    fn from(method: Option<Algorithm>) -> Self {
        if method == Some(Algorithm::FedAvg) { Self::FedAvg } else { Self::FedLin }
    }
}

/// A map on screen, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// What it is of.
    pub wanted: Wanted,
    /// What is known of it; or why nothing can be.
    pub map: Option<Result<Surveyed, NoPrediction>>,
    /// The share of the work done, until it is complete.
    pub progress: Option<f64>,
    /// How work on it ended before its end.
    ended: Option<Stage>,
    generation: Generation,
    /// When it was asked for, in milliseconds.
    begun: f64,
}

/// The map on screen, and those that are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Maps {
    current: Option<Shown>,
    /// What was on screen before, until anything of the current one is known.
    before: Option<Shown>,
    kept: Vec<Shown>,
}

impl Maps {
    /// This is to be on screen. Whether an engine has to work for it: not if it is there already, or was kept.
    pub fn want(&mut self, wanted: Option<&Wanted>) -> bool {
        let Some(wanted) = wanted else {
            (self.current, self.before) = (None, None);
            return false;
        };
        if self.current.as_ref().is_some_and(|shown| shown.wanted == *wanted) {
            return false;
        }
        let kept = self.kept.iter().find(|shown| shown.wanted == *wanted).cloned();
        let is_new = kept.is_none();
        let last = std::mem::replace(&mut self.current, kept).filter(|last| last.map.is_some());
        // Only a map of the same kind can stand in.
        self.before = last.or(self.before.take()).filter(|before| is_new && before.wanted.grid == wanted.grid);
        is_new
    }

    /// A map was asked for, at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, wanted: Wanted, now: f64) {
        self.current = Some(Shown { wanted, map: None, progress: Some(0.0), ended: None, generation, begun: now });
    }

    /// The map that was asked for last.
    pub fn wanted(&self) -> Option<&Wanted> {
        self.current.as_ref().map(|shown| &shown.wanted)
    }

    /// Takes in what an engine says; whether it was about the map on screen.
    pub fn apply(&mut self, event: Event) -> bool {
        let Some(shown) = &mut self.current else { return false };
        if event.generation() != Some(shown.generation) || shown.ended.is_some() {
            return false;
        }
        match event {
            Event::Surveying { map, progress, .. } => (shown.map, shown.progress) = (Some(Ok(map)), Some(progress)),
            Event::Surveyed { map, .. } => {
                (shown.map, shown.progress) = (Some(map), None);
                self.kept.insert(0, shown.clone());
                self.kept.truncate(KEPT);
            }
            _ => return false,
        }
        self.before = None;
        true
    }

    /// Work on it ended before its end; what is known stays.
    pub fn end(&mut self, stage: Stage) {
        if let Some(shown) = self.current.as_mut().filter(|shown| shown.progress.is_some()) {
            shown.ended = Some(stage);
        }
    }

    /// How far the map is at time `now` in milliseconds, until it is complete.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small count")]
    pub fn work(&self, now: f64) -> Option<Work> {
        let shown = self.current.as_ref()?;
        let (share, all) = (shown.progress?, shown.wanted.grid.xs.len());
        let done = ((share * all as f64) as usize).min(all);
        let stage = shown.ended.unwrap_or(Stage::Running);
        Some(Work { stage, share, done: (done, all), of: Things::Columns, elapsed: now - shown.begun })
    }

    /// What is to be shown: the map on screen, or while nothing of it is known the one before.
    pub fn shown(&self) -> Option<&Shown> {
        let current = self.current.as_ref().filter(|shown| shown.map.is_some());
        current.or(self.before.as_ref()).or(self.current.as_ref())
    }

    /// Whether there is work going on.
    pub fn is_running(&self) -> bool {
        self.current.as_ref().is_some_and(|shown| shown.progress.is_some() && shown.ended.is_none())
    }
}

impl Shown {
    fn kind(&self) -> MapKind {
        self.wanted.grid.kind
    }

    /// The values of every cell: those of the row with the nearest whole number.
    fn cells(&self, of: Of) -> Vec<f64> {
        let Some(Ok(map)) = &self.map else {
            return vec![f64::NAN; self.wanted.grid.xs.len() * self.wanted.grid.ys.len()];
        };
        match (map, of) {
            // With one client there is nothing to join.
            (Surveyed::Payoff(map), _) => {
                let is_even = |ratio: f64| (ratio - 1.0).abs() < 1e-9;
                self.spread(&map.ratio).into_iter().map(|ratio| if is_even(ratio) { f64::NAN } else { ratio }).collect()
            }
            (Surveyed::Stability(map), Of::FedLin) => self.spread(&map.fedlin),
            (Surveyed::Stability(map), Of::FedAvg) => self.spread(&map.fedavg),
        }
    }

    fn drift(&self) -> Option<Vec<f64>> {
        match &self.map {
            Some(Ok(Surveyed::Stability(map))) => Some(self.spread(&map.drift)),
            _ => None,
        }
    }

    fn spread(&self, land: &Landscape) -> Vec<f64> {
        let row = |y: &f64| nearest(&land.ys, y.round().max(1.0)).map_or_else(Vec::new, |row| land.row(row).to_vec());
        self.wanted.grid.ys.iter().flat_map(row).collect()
    }

    /// The map as a picture, with what was measured.
    pub fn picture(&self, of: Of, checks: Option<&Sweep>) -> HeatMap {
        let (grid, values) = (&self.wanted.grid, self.cells(of));
        let (x, y) = grid.kind.keys();
        let axis = |key: Key, values: &[f64]| Axis {
            label: format!("{} {}", key.param().name(), key.param().symbol),
            range: edges(values),
            scale: Scale::Log10,
            whole: key.param().grid.is_whole(),
        };
        let ramp = match grid.kind {
            MapKind::Clients | MapKind::Rollouts => Ramp::around(&values),
            MapKind::Steps => Ramp::Contraction,
        };
        let reason = match &self.map {
            Some(Err(reason)) => Some(say!("No map here: {reason}.")),
            _ => None,
        };
        HeatMap {
            title: None,
            x: axis(x, &grid.xs),
            y: axis(y, &grid.ys),
            xs: grid.xs.clone(),
            ys: grid.ys.clone(),
            contours: self.contours(of),
            values,
            ramp,
            key: self.key(of),
            checks: checks.map(|sweep| self.checks(of, sweep)).unwrap_or_default(),
            handle: None,
            words: reason,
        }
    }

    fn key(&self, of: Of) -> ColorKey {
        let (label, low, high) = match self.kind() {
            MapKind::Clients | MapKind::Rollouts => {
                (say!("error, joined ÷ alone"), say!("joining pays"), say!("alone is better"))
            }
            MapKind::Steps if of == Of::FedLin => (say!("FedLin’s contraction ρ"), say!("fast"), say!("slow")),
            MapKind::Steps => (say!("FedAvg’s contraction ρ"), say!("fast"), say!("slow")),
        };
        ColorKey { label: label.into(), low: low.into(), high: high.into() }
    }

    fn contours(&self, of: Of) -> Vec<Contour> {
        let thin = |level: f64, label: String, of: Option<Vec<f64>>, role: Option<Role>| Contour {
            level,
            of,
            label,
            role,
            weight: Weight::Thin,
        };
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts => {
                let even = Contour {
                    level: 1.0,
                    of: None,
                    label: say!("break-even").into(),
                    role: None,
                    weight: Weight::Thick,
                };
                let others = [0.25, 0.5, 2.0].map(|level| thin(level, format!("{}×", number(level)), None, None));
                std::iter::once(even).chain(others).collect()
            }
            MapKind::Steps if of == Of::FedLin => {
                [0.5, 0.9].map(|level| thin(level, format!("ρ = {}", number(level)), None, None)).into()
            }
            MapKind::Steps => {
                let Some(drift) = self.drift() else { return Vec::new() };
                let level =
                    |level: f64| thin(level, say!("drift {}", number(level)), Some(drift.clone()), Some(Role::FedAvg));
                [0.001, 0.003, 0.01, 0.03, 0.1, 0.3].map(level).into()
            }
        }
    }

    /// What was measured at the points that are in.
    fn checks(&self, of: Of, sweep: &Sweep) -> Vec<Check> {
        let (x, y) = self.wanted.grid.kind.keys();
        let check = |(index, settings): (usize, &Settings)| {
            let summary = sweep.summary(index)?;
            let error = |reference| summary.reference(reference)?.ok().map(|error| error.mean());
            let value = match self.kind() {
                MapKind::Clients | MapKind::Rollouts => error(Reference::Pooled)? / error(Reference::ClientAlone)?,
                MapKind::Steps => summary.methods.get(of as usize)?.contraction?,
            };
            Some(Check { x: value_of(x, settings), y: value_of(y, settings), value })
        };
        sweep.plan.points.iter().enumerate().filter_map(check).collect()
    }

    /// The name of the map: what is shown, over what.
    pub fn title(&self, of: Of) -> String {
        let (x, y) = self.kind().keys();
        let name = |key: Key| format!("{} {}", key.param().name(), key.param().symbol);
        let over = say!("over {} and {}", name(x), name(y));
        match (self.kind(), of) {
            (MapKind::Clients | MapKind::Rollouts, _) => say!("Where joining pays, {over}"),
            (MapKind::Steps, Of::FedLin) => say!("Contraction of FedLin {over}"),
            (MapKind::Steps, Of::FedAvg) => say!("Contraction of FedAvg {over}"),
        }
    }

    /// What the map says at a place, in words.
    pub fn reading(&self, x: f64, y: f64) -> String {
        let (x_key, y_key) = self.kind().keys();
        let place = |key: Key, value: f64| format!("{} = {}", key.param().symbol, measured(value, 2));
        let at = format!("{}, {}", place(x_key, x), format_args!("{} = {}", y_key.param().symbol, number(y.round())));
        let Some(cell) = self.wanted.grid.cell(x, y) else { return at };
        let value = |of: Of| self.cells(of).get(cell).copied().filter(|value| !value.is_nan());
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts => match value(Of::FedLin) {
                None => say!("{at}: nothing can be said here."),
                Some(ratio) => format!("{at}: {}", self.pays(ratio)),
            },
            MapKind::Steps => {
                let word = |name: &str, rho: Option<f64>| match rho {
                    None => say!("{name} has no contraction"),
                    Some(rho) if rho > 1.0 => say!("{name} diverges (ρ = {})", measured(rho, 3)),
                    Some(rho) => {
                        let half = half_life(rho).map(|rounds| say!(", half-life {} rounds", measured(rounds, 2)));
                        format!("{name} ρ = {}{}", measured(rho, 3), half.unwrap_or_default())
                    }
                };
                let drift = self.drift().and_then(|drift| drift.get(cell).copied()).filter(|drift| drift.is_finite());
                let drift = drift.map_or_else(String::new, |drift| say!(", drift {}", measured(drift, 2)));
                format!("{at}: {}; {}{drift}.", word("FedLin", value(Of::FedLin)), word("FedAvg", value(Of::FedAvg)))
            }
        }
    }

    fn pays(&self, ratio: f64) -> String {
        let who = whose(self.wanted.settings.target);
        if ratio < 1.0 {
            say!("joining leaves {}× the error that {who} has alone.", measured(ratio, 2))
        } else {
            say!("alone, {who} does better: joining makes its error {}×.", measured(ratio, 2))
        }
    }

    /// What the map shows, in words, and that it can be dragged.
    pub fn caption(&self, n_trials: f64) -> String {
        say!("{} Drag the handle.", self.made(n_trials))
    }

    /// What the map shows, in words.
    pub fn made(&self, n_trials: f64) -> String {
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts => say!(
                "Color: the error to expect of pooled least squares, where FedLin ends, over that of {}’s own. Dots: the \
                 same, measured over {} data sets; where the two agree a dot vanishes in its surroundings.",
                whose(self.wanted.settings.target),
                number(n_trials)
            ),
            MapKind::Steps => say!(
                "Color: how much of what separates the server’s model from its fixed point is left after a round, on data \
                 as they are on average; black where that grows. Dots: the largest ρ of {} data sets.",
                number(n_trials)
            ),
        }
    }
}

/// The edges of the outermost cells.
fn edges(values: &[f64]) -> (f64, f64) {
    let half = (values[values.len() - 1] / values[0]).powf(0.5 / (values.len() - 1) as f64);
    (values[0] / half, values[values.len() - 1] * half)
}

#[cfg(test)]
mod tests {
    use super::super::sweep::tests::complete;
    use super::*;
    use crate::engine::runner::Runner;
    use crate::protocol::Request;

    fn draft(change: impl Fn(&mut Draft)) -> Draft {
        let mut draft = Draft::default();
        draft.set(Key::Clients, 30.0);
        draft.set(Key::Trials, 4.0);
        change(&mut draft);
        draft
    }

    fn shown(kind: MapKind, draft: &Draft) -> Shown {
        let mut maps = Maps::default();
        let wanted = Wanted::new(kind, draft);
        assert!(maps.want(Some(&wanted)));
        let generation = Generation(1);
        let Wanted { survey, settings, .. } = wanted.clone();
        maps.asked(generation, wanted, 0.0);
        let mut runner = Runner::default();
        runner.handle(Request::Survey { generation, survey, settings });
        let event = std::iter::repeat_with(|| runner.tick(1e9, || 0.0)).flatten().next().unwrap();
        assert!(maps.apply(event));
        assert!(!maps.is_running());
        maps.shown().unwrap().clone()
    }

    fn at(map: &HeatMap, x: f64, y: f64) -> f64 {
        map.values[nearest(&map.ys, y).unwrap() * map.xs.len() + nearest(&map.xs, x).unwrap()]
    }

    #[test]
    fn the_map_of_clients_is_what_theory_has() {
        use crate::sim::scenario::Scenario;
        use crate::sim::trial::Experiment;
        use crate::theory::Theory;
        let shown = shown(MapKind::Clients, &draft(|_| ()));
        let map = shown.picture(Of::FedLin, None);
        assert_eq!(map.values.len(), 3_600);
        for (column, m) in [(10, 7.0), (40, 30.0)] {
            let mut there = draft(|_| ());
            there.set(Key::Heterogeneity, map.xs[column]);
            there.set(Key::Clients, m);
            let theory = Theory::of(&Experiment::new(Scenario::new(there.settings()).unwrap()));
            let expected = theory.pooled.unwrap() / theory.alone.unwrap();
            let found = at(&map, map.xs[column], m);
            assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
        }
        assert!(shown.reading(0.02, 50.0).contains("joining leaves 0."), "{}", shown.reading(0.02, 50.0));
        assert!(shown.reading(0.9, 50.0).contains("does better"), "{}", shown.reading(0.9, 50.0));
    }

    #[test]
    fn dragging_along_a_map_asks_for_nothing_new() {
        for kind in [MapKind::Clients, MapKind::Rollouts, MapKind::Steps] {
            let (x, y) = kind.keys();
            let here = draft(|_| ());
            let there = draft(|draft| {
                draft.set(x, here.get(x) * 0.7);
                draft.set(y, here.get(y) + 3.0);
            });
            assert_eq!(Wanted::new(kind, &here), Wanted::new(kind, &there), "{kind:?}");
            assert_eq!(check_plan(kind, &here), check_plan(kind, &there), "{kind:?}");
            let other = draft(|draft| (draft.set(Key::RolloutLen, 7.0), ()).1);
            assert_ne!(Wanted::new(kind, &here), Wanted::new(kind, &other));
        }
    }

    #[test]
    fn a_map_on_its_way_can_be_stopped() {
        let mut maps = Maps::default();
        let wanted = Wanted::new(MapKind::Steps, &draft(|_| ()));
        maps.want(Some(&wanted));
        maps.asked(Generation(1), wanted.clone(), 1_000.0);
        let work = maps.work(1_400.0).unwrap();
        assert_eq!((work.words(), work.is_told()), ("0 of 60 columns".into(), true));
        maps.end(Stage::Stopped);
        assert!(!maps.is_running());
        let map = Err(NoPrediction::Worst);
        assert!(!maps.apply(Event::Surveyed { generation: Generation(1), map }), "nobody waits for it any more");
        assert_eq!(maps.work(2_000.0).unwrap().words(), "stopped after 0 of 60 columns");
        assert_eq!(maps.wanted(), Some(&wanted));
    }

    #[test]
    fn dots_agree_with_what_they_lie_on() {
        let draft = draft(|draft| (draft.set(Key::Trials, 60.0), ()).1);
        for kind in [MapKind::Clients, MapKind::Rollouts] {
            let sweep = complete(&check_plan(kind, &draft));
            let map = shown(kind, &draft).picture(Of::FedLin, Some(&sweep));
            assert_eq!(map.checks.len(), 30);
            let off = map.checks.iter().map(|check| (check.value / at(&map, check.x, check.y)).ln().abs());
            let n_far = off.filter(|off| *off > 0.25).count();
            assert!(n_far <= 2, "{kind:?}: {n_far} of 30 dots are far off");
        }
    }

    #[test]
    fn steps_that_are_too_large_diverge_in_words() {
        let shown = shown(MapKind::Steps, &draft(|_| ()));
        let words = shown.reading(8e-3, 10.0);
        assert!(words.contains("FedLin diverges") && words.contains("FedAvg diverges"), "{words}");
        let words = shown.reading(1e-4, 10.0);
        assert!(words.contains("FedLin ρ = 0.") && words.contains("drift"), "{words}");
        let map = shown.picture(Of::FedAvg, None);
        assert!(map.values.iter().any(|rho| *rho > 1.0) && map.contours.len() == 6);
    }

    #[test]
    fn where_there_is_no_map_there_is_a_reason() {
        let worst = draft(|draft| (draft.choose(Choice::Target, "worst"), ()).1);
        let map = shown(MapKind::Clients, &worst).picture(Of::FedLin, None);
        assert!(map.words.is_some_and(|words| words.starts_with("No map here: the worst client")));
    }

    #[test]
    fn axes_reach_the_present_values() {
        let far = draft(|draft| {
            draft.set(Key::Clients, 3_000.0);
            draft.set(Key::StepSize, 2e-6);
            draft.set(Key::Rollouts, 1e6);
        });
        for kind in [MapKind::Clients, MapKind::Rollouts, MapKind::Steps] {
            let (grid, (x, y)) = (Grid::of(kind, &far), kind.keys());
            let within = |values: &[f64], now: f64| values[0] <= now * 1.001 && now <= values[59] * 1.001;
            assert!(within(&grid.xs, far.get(x)) && within(&grid.ys, far.get(y)), "{kind:?} {grid:?}");
        }
    }
}
