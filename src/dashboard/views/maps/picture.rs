//! A map as a picture: its colors, its contours, and measured values as dots.

use super::grid::edges;
use super::{Of, ShownMap};
use crate::dashboard::results::sweep::{Sweep, value_of};
use crate::figure::heat::{Check, Contour, HeatMap, Key as ColorKey, Ramp, Weight};
use crate::figure::number::number;
use crate::figure::{Axis, Role, Scale};
use crate::params::Key;
use crate::params::views::MapKind;
use crate::sim::estimate::Reference;
use crate::sim::scenario::Settings;
use fedsysid_say::say;

impl ShownMap {
    /// The map as a picture, with the measured dots.
    pub fn picture(&self, of: Of, checks: Option<&Sweep>) -> HeatMap {
        let (grid, values) = (&self.wanted.grid, self.cells(of));
        let (x, y) = grid.kind.keys();
        let axis = |key: Key, values: &[f64]| Axis {
            label: key.param().name_and_symbol(),
            range: edges(values),
            scale: Scale::Log10,
            whole: key.param().grid.is_whole(),
        };
        let ramp = match grid.kind {
            MapKind::Clients | MapKind::Rollouts => Ramp::around(&values),
            MapKind::Steps => Ramp::Contraction,
        };
        let is_on_its_way = self.progress.is_some() && self.ended.is_none();
        let words = match self.reason() {
            Some(reason) => Some(say!("No map here: {reason}.")),
            _ if is_on_its_way && values.iter().all(|value| value.is_nan()) => {
                Some(say!("The map is being computed.").into())
            }
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
            checks: checks.filter(|_| self.reason().is_none()).map(|sweep| self.checks(of, sweep)).unwrap_or_default(),
            handle: None,
            words,
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

    /// Measured values at the points that have results.
    fn checks(&self, of: Of, sweep: &Sweep) -> Vec<Check> {
        let (x, y) = self.wanted.grid.kind.keys();
        let check = |(index, settings): (usize, &Settings)| {
            let summary = sweep.summary(index)?;
            let error = |reference| summary.reference(reference)?.ok().map(|error| error.mean());
            let value = match self.kind() {
                // Among fewer clients, the draft shows another one.
                MapKind::Clients | MapKind::Rollouts if settings.target != self.wanted.settings.target => return None,
                _ if self.is_void(value_of(y, settings)) => return None,
                MapKind::Clients | MapKind::Rollouts => error(Reference::Pooled)? / error(Reference::ClientAlone)?,
                MapKind::Steps => summary.methods.get(of as usize)?.contraction?,
            };
            Some(Check { x: value_of(x, settings), y: value_of(y, settings), value })
        };
        sweep.plan.points.iter().enumerate().filter_map(check).collect()
    }
}
