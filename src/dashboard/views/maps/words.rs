//! A map in words: its title, its value at a point, and its caption.

use super::{Of, ShownMap};
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::value_of;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::{method_name, the};
use crate::figure::number::{beside_one, measured, number, number_to};
use crate::params::Key;
use crate::params::views::MapKind;
use crate::protocol::Survey;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Settings;
use crate::sim::stability::half_life;
use crate::theory::Theory;
use crate::theory::landscape::stability::Axes;
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
        let cell = self.wanted.grid.cell(x, y);
        let value = |of: Of| cell.and_then(|cell| self.cells(of).get(cell).copied()).filter(|value| !value.is_nan());
        let theory = run.and_then(|run| self.theory_of(run, x, y));
        match self.kind() {
            MapKind::Clients | MapKind::Rollouts if self.n_clients(y) < 1.5 => {
                say!("{at}: there is nobody to join.")
            }
            MapKind::Clients | MapKind::Rollouts => {
                let of_run = || Some((ratio_of(theory?)?, run?.settings.target));
                let of_cell = || Some((value(Of::FedLin)?, self.wanted.settings.target));
                match (of_run().or_else(of_cell), self.reason()) {
                    (Some((ratio, target)), _) => format!("{at}: {}", pays(ratio, &the(target))),
                    (None, Some(reason)) => say!("{at}: nothing can be said here ({reason})."),
                    (None, None) if cell.is_none() => at,
                    (None, None) => say!("{at}: nothing can be said here."),
                }
            }
            MapKind::Steps => {
                let drift = self.drift().zip(cell).and_then(|(drift, cell)| drift.get(cell).copied());
                let drift = drift.filter(|drift| drift.is_finite());
                let drift = drift.map_or_else(String::new, |drift| say!(", drift {}", measured(drift, 2)));
                let [fedlin, fedavg] = [Of::FedLin, Of::FedAvg].map(|of| {
                    let method = self.method(of);
                    contracts(method, theory.and_then(|theory| rho_of(theory, method)).or_else(|| value(of)))
                });
                let Settings { participation, n_clients, .. } = self.wanted.settings;
                let all = if participation.is_full(n_clients) { "" } else { say!(", if all took part") };
                say!("{at}, on data as they are on average{all}: {fedlin}; {fedavg}{drift}.")
            }
        }
    }

    /// The method whose contraction is shown.
    fn method(&self, of: Of) -> Method {
        let Survey::Stability(Axes { fedlin, fedavg, .. }) = self.wanted.survey else {
            return Method::constant(Solver::FedLin);
        };
        match of {
            Of::FedLin => Method { solver: Solver::FedLin, schedule: fedlin },
            Of::FedAvg => Method { solver: Solver::FedAvg, schedule: fedavg },
        }
    }

    /// Theory of the run, if the run is at this point.
    fn theory_of<'a>(&self, run: &'a Run, x: f64, y: f64) -> Option<&'a Theory> {
        let (x_key, y_key) = self.kind().keys();
        let is_here = |key: Key, at: f64| value_of(key, &run.settings).to_bits() == at.to_bits();
        run.theory.as_deref().filter(|_| is_here(x_key, x) && is_here(y_key, y))
    }

    /// Description of the map, with the hint that its handle can be dragged.
    pub fn caption(&self, n_trials: usize) -> String {
        say!("{} Drag the handle.", self.made(n_trials)).trim_start().into()
    }

    /// Description of the map: its colors, contours and dots; empty if there is none.
    pub fn made(&self, n_trials: usize) -> String {
        match self.kind() {
            _ if self.reason().is_some() => String::new(),
            MapKind::Clients | MapKind::Rollouts => say!(
                "Color: the error to expect of pooled least squares, where FedLin ends, over that of {}’s own. Dots: the \
                 same, measured over {}; where the two agree a dot vanishes in its surroundings.",
                the(self.wanted.settings.target),
                Things::DataSets.counted(n_trials)
            ),
            MapKind::Steps => {
                say!(
                    "Color: how much of what separates the server’s model from its fixed point is left after a round, on data \
                 as they are on average; black where that grows. Dots: the largest ρ of {}.",
                    Things::DataSets.counted(n_trials)
                ) + self.of_first_round()
            }
        }
    }

    /// If FedAvg's steps change from round to round, that its contraction is that of the first.
    fn of_first_round(&self) -> &'static str {
        let repeats = self.method(Of::FedAvg).schedule.repeats_every_round();
        if repeats { "" } else { say!(" FedAvg: only the first round, with the largest steps.") }
    }
}

/// Predicted error of pooled least squares over that of the client alone.
fn ratio_of(theory: &Theory) -> Option<f64> {
    Some(theory.pooled.ok()? / theory.alone.ok()?)
}

fn rho_of(theory: &Theory, method: Method) -> Option<f64> {
    let found = theory.methods.iter().find(|theory| theory.method == method)?;
    found.stability.map(|stability| stability.contraction)
}

/// A method's contraction in words; of one that changes its steps, only that of the first round is known.
fn contracts(method: Method, rho: Option<f64>) -> String {
    let name = method_name(method);
    match rho {
        None => say!("{name} has no contraction"),
        Some(rho) if !method.schedule.repeats_every_round() => {
            say!("{name} in the first round ρ = {}", beside_one(rho))
        }
        Some(rho) if rho > 1.0 => say!("{name} diverges (ρ = {})", beside_one(rho)),
        Some(rho) => {
            let half = half_life(rho).map(|rounds| say!(", half-life {} rounds", measured(rounds, 2)));
            format!("{name} ρ = {}{}", beside_one(rho), half.unwrap_or_default())
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
