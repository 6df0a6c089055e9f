//! Maps over two parameters: where joining pays, and how fast rounds converge; with measured dots on them.

mod grid;
mod picture;
mod pointer;
mod wanted;
mod words;

use crate::dashboard::results::cache::{Cache, Cached};
use crate::dashboard::results::work::{Work, WorkState};
use crate::dashboard::words::counting::Things;
use crate::params::choice::Algorithm;
use crate::params::views::MapKind;
use crate::protocol::{Event, Generation, Surveyed};
use crate::sim::target::Target;
use crate::theory::NoPrediction;
use crate::theory::landscape::Landscape;
use grid::nearest;

pub use grid::Grid;
pub use pointer::Pointer;
pub use wanted::{Wanted, check_plan};

/// The method whose contraction is shown over α and K.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// FedLin's.
    #[default]
    FedLin,
    /// FedAvg's.
    FedAvg,
}

impl From<Option<Algorithm>> for Of {
    /// FedAvg if it is the chosen method; otherwise FedLin, since the other methods have no such map.
    fn from(method: Option<Algorithm>) -> Self {
        if method == Some(Algorithm::FedAvg) { Self::FedAvg } else { Self::FedLin }
    }
}

/// A map on screen, as far as it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownMap {
    /// The requested map.
    pub wanted: Wanted,
    /// The part computed so far, or why there is no map.
    pub map: Option<Result<Surveyed, NoPrediction>>,
    /// Share of the work that is done; `None` once the map is complete.
    pub progress: Option<f64>,
    /// Why the work stopped early, if it did.
    ended: Option<WorkState>,
    generation: Generation,
    /// Time of the request, in milliseconds.
    begun: f64,
}

impl Cached for ShownMap {
    type Wanted = Wanted;

    fn wanted(&self) -> &Wanted {
        &self.wanted
    }

    fn stays(&self) -> bool {
        true
    }

    /// Only a map with the same axes can stand in.
    fn stand_in(last: Option<Self>, before: Option<Self>, wanted: &Wanted) -> Option<Self> {
        let last = last.filter(|last| last.map.is_some());
        last.or(before).filter(|before| before.wanted.grid == wanted.grid)
    }
}

/// The map on screen, and the kept ones.
pub type Maps = Cache<ShownMap>;

impl Maps {
    /// Records that a map was requested at time `now` in milliseconds.
    pub fn asked(&mut self, generation: Generation, wanted: Wanted, now: f64) {
        self.put(ShownMap { wanted, map: None, progress: Some(0.0), ended: None, generation, begun: now });
    }

    /// Applies an engine's event; returns whether it was about the map on screen.
    pub fn apply(&mut self, event: Event) -> bool {
        let Some(shown) = self.current_mut() else { return false };
        if event.generation() != Some(shown.generation) || shown.ended.is_some() {
            return false;
        }
        match event {
            Event::Surveying { map, progress, .. } => (shown.map, shown.progress) = (Some(Ok(map)), Some(progress)),
            Event::Surveyed { map, .. } => {
                (shown.map, shown.progress) = (Some(map), None);
                self.keep();
                return true;
            }
            _ => return false,
        }
        self.drop_before();
        true
    }

    /// Records that the work on the map stopped early; the computed part stays.
    pub fn end(&mut self, state: WorkState) {
        if let Some(shown) = self.current_mut().filter(|shown| shown.progress.is_some()) {
            shown.ended = Some(state);
        }
    }

    /// Progress of the map at time `now` in milliseconds; `None` once it is complete.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a small count")]
    pub fn work(&self, now: f64) -> Option<Work> {
        let shown = self.current()?;
        let (share, all) = (shown.progress?, shown.wanted.grid.xs.len());
        let done = ((share * all as f64) as usize).min(all);
        let state = shown.ended.unwrap_or(WorkState::Running);
        Some(Work { state, share, done: (done, all), of: Things::Columns, elapsed: now - shown.begun })
    }

    /// The map to show: the current one, or the one before while nothing of the current one is computed.
    pub fn shown(&self) -> Option<&ShownMap> {
        self.current().filter(|shown| shown.map.is_some()).or(self.before()).or(self.current())
    }

    /// Whether the map is being computed.
    pub fn is_running(&self) -> bool {
        self.current().is_some_and(|shown| shown.progress.is_some() && shown.ended.is_none())
    }
}

impl ShownMap {
    fn kind(&self) -> MapKind {
        self.wanted.grid.kind
    }

    /// Values of all cells, row by row; NaN where unknown.
    fn cells(&self, of: Of) -> Vec<f64> {
        let Some(Ok(map)) = &self.map else {
            return vec![f64::NAN; self.wanted.grid.xs.len() * self.wanted.grid.ys.len()];
        };
        match (map, of) {
            (Surveyed::Payoff(map), _) => {
                let n_void = self.wanted.grid.ys.iter().take_while(|y| self.is_void(**y)).count();
                let mut ratios = self.spread(&map.ratio);
                ratios.iter_mut().take(n_void * self.wanted.grid.xs.len()).for_each(|ratio| *ratio = f64::NAN);
                ratios
            }
            (Surveyed::Stability(map), Of::FedLin) => self.spread(&map.fedlin),
            (Surveyed::Stability(map), Of::FedAvg) => self.spread(&map.fedavg),
        }
    }

    /// Number of clients in a row.
    fn n_clients(&self, y: f64) -> f64 {
        if self.kind() == MapKind::Clients { y } else { self.wanted.settings.n_clients as f64 }
    }

    /// Whether joining means nothing in a row: a single client has nobody to join, and one that is not among the M is
    /// not there.
    fn is_void(&self, y: f64) -> bool {
        let least = if let Target::Client(client) = self.wanted.settings.target { client.max(1) } else { 1 };
        self.kind() != MapKind::Steps && self.n_clients(y) <= least as f64
    }

    /// Why there is no map, if there is none.
    fn reason(&self) -> Option<NoPrediction> {
        match self.map {
            Some(Err(reason)) => Some(reason),
            _ => self.wanted.grid.ys.iter().all(|y| self.is_void(*y)).then_some(NoPrediction::Single),
        }
    }

    fn drift(&self) -> Option<Vec<f64>> {
        match &self.map {
            Some(Ok(Surveyed::Stability(map))) => Some(self.spread(&map.drift)),
            _ => None,
        }
    }

    fn spread(&self, land: &Landscape) -> Vec<f64> {
        let row = |y: &f64| nearest(&land.ys, *y).map_or_else(Vec::new, |row| land.row(row).to_vec());
        self.wanted.grid.ys.iter().flat_map(row).collect()
    }
}

#[cfg(test)]
mod tests;
