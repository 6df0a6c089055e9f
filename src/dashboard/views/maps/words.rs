//! A map in words: its title, its value at a point, and its caption.

use super::{Of, ShownMap};
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::value_of;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::the;
use crate::figure::number::{beside_one, measured, number, number_to};
use crate::params::Key;
use crate::params::views::MapKind;
use crate::sim::stability::half_life;
use fedsysid_say::say;

impl ShownMap {
    /// Title of the map: quantity and axes.
    pub fn title(&self, of: Of) -> String {
        let (x, y) = self.kind().keys();
        let over = say!("over {} and {}", x.param().name_and_symbol(), y.param().name_and_symbol());
        match (self.kind(), of) {
            (MapKind::Clients | MapKind::Rollouts, _) => say!("Where joining pays, {over}"),
            (MapKind::Steps, Of::FedLin) => say!("Contraction of FedLin {over}"),
            (MapKind::Steps, Of::FedAvg) => say!("Contraction of FedAvg {over}"),
        }
    }

    /// Value of the map at a point, in words; at the settings of the run, theory's value for the run instead of the
    /// cell's.
    pub fn reading(&self, x: f64, y: f64, run: Option<&Run>) -> String {
        let (x_key, y_key) = self.kind().keys();
        let place = |key: Key, value: f64| format!("{} = {}", key.param().symbol, number_to(value, 3));
        let at = format!("{}, {}", place(x_key, x), format_args!("{} = {}", y_key.param().symbol, number(y.round())));
        let Some(cell) = self.wanted.grid.cell(x, y) else { return at };
        let value = |of: Of| self.cells(of).get(cell).copied().filter(|value| !value.is_nan());
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts => {
                let of_cell = || Some((value(Of::FedLin)?, self.wanted.settings.target));
                match run.and_then(|run| Some((self.ratio_of(run, x, y)?, run.settings.target))).or_else(of_cell) {
                    None => say!("{at}: nothing can be said here."),
                    Some((ratio, target)) => format!("{at}: {}", pays(ratio, &the(target))),
                }
            }
            MapKind::Steps => {
                let word = |name: &str, rho: Option<f64>| match rho {
                    None => say!("{name} has no contraction"),
                    Some(rho) if rho > 1.0 => say!("{name} diverges (ρ = {})", beside_one(rho)),
                    Some(rho) => {
                        let half = half_life(rho).map(|rounds| say!(", half-life {} rounds", measured(rounds, 2)));
                        format!("{name} ρ = {}{}", beside_one(rho), half.unwrap_or_default())
                    }
                };
                let drift = self.drift().and_then(|drift| drift.get(cell).copied()).filter(|drift| drift.is_finite());
                let drift = drift.map_or_else(String::new, |drift| say!(", drift {}", measured(drift, 2)));
                let [fedlin, fedavg] =
                    [("FedLin", Of::FedLin), ("FedAvg", Of::FedAvg)].map(|(name, of)| word(name, value(of)));
                say!("{at}, on data as they are on average: {fedlin}; {fedavg}{drift}.")
            }
        }
    }

    /// Predicted error of pooled least squares over that of the client alone, for the run, if the run is at this point.
    fn ratio_of(&self, run: &Run, x: f64, y: f64) -> Option<f64> {
        let (x_key, y_key) = self.kind().keys();
        let is_here = |key: Key, at: f64| value_of(key, &run.settings).to_bits() == at.to_bits();
        let theory = run.theory.as_ref().filter(|_| is_here(x_key, x) && is_here(y_key, y))?;
        Some(theory.pooled.ok()? / theory.alone.ok()?)
    }

    /// Description of the map, with the hint that its handle can be dragged.
    pub fn caption(&self, n_trials: usize) -> String {
        say!("{} Drag the handle.", self.made(n_trials))
    }

    /// Description of the map: its colors, contours and dots.
    pub fn made(&self, n_trials: usize) -> String {
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts => say!(
                "Color: the error to expect of pooled least squares, where FedLin ends, over that of {}’s own. Dots: the \
                 same, measured over {}; where the two agree a dot vanishes in its surroundings.",
                the(self.wanted.settings.target),
                Things::DataSets.counted(n_trials)
            ),
            MapKind::Steps => say!(
                "Color: how much of what separates the server’s model from its fixed point is left after a round, on data \
                 as they are on average; black where that grows. Dots: the largest ρ of {}.",
                Things::DataSets.counted(n_trials)
            ),
        }
    }
}

fn pays(ratio: f64, who: &str) -> String {
    if ratio < 1.0 {
        say!("pooled least squares leaves {}× the error that {who} has alone.", measured(ratio, 2))
    } else {
        say!("alone, {who} does better: pooled least squares makes its error {}×.", measured(ratio, 2))
    }
}
