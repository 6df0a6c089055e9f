//! The prediction of rounds in which not all clients take part: records, limit, and whether the prediction is valid.

use super::NoPrediction;
use super::law::MeanNorms;
use super::prediction::{Context, Limit, NEAR, State};
use super::sampling::Sampling;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::local_map::FleetMaps;
use fedsysid_sim::method::Method;

/// If more than this share of a mean square error comes from the choice of participants, the errors do not follow a
/// normal law.
const OF_CHANCE: f64 = 0.1;

/// The least number of rounds that are run in search of the limit.
const HORIZON: usize = 20_000;

/// The error has reached its limit when at most `LEFT` remains of the effect of the first round, and the error has
/// changed by at most `CHANGED`, relatively, over the last half of the rounds.
const LEFT: f64 = 1e-6;
const CHANGED: f64 = 1e-4;

/// A run of rounds in which not all clients take part.
#[derive(Debug)]
pub(super) struct PartialRun {
    sampling: Sampling,
    is_prepared: bool,
    /// The root mean square error after every round so far, from round 0 on.
    errors: Vec<f64>,
    /// Number of recorded rounds so far, including the start.
    n_recorded: usize,
    /// The largest share of a mean square error that comes from the choice of participants, up to the last recorded
    /// round.
    of_chance: f64,
    has_ended: bool,
}

impl PartialRun {
    /// Starts at round 0.
    ///
    /// # Errors
    /// If the round is not one affine map, step sizes change from round to round, or FedLin's round depends too much on
    /// who takes part.
    pub(super) fn new(context: Context<'_>, method: Method, maps: FleetMaps) -> Result<Self, NoPrediction> {
        let sampling = Sampling::new(context, method, maps)?;
        let (is_prepared, has_ended, n_recorded) = (false, false, 1);
        Ok(Self { sampling, is_prepared, errors: Vec::new(), n_recorded, of_chance: 0.0, has_ended })
    }

    /// Works for about a millisecond, and appends the states to be recorded. Returns whether there is more to do.
    pub(super) fn advance(&mut self, context: Context<'_>, centre: Option<&Centre>, recorded: &mut Vec<State>) -> bool {
        if !self.is_prepared {
            self.is_prepared = !self.sampling.prepare(context);
            self.errors = vec![self.sampling.state().split(context, centre).1.rms()];
            return true;
        }
        for _ in 0..self.sampling.at_once(context.truth.blocks().count()) {
            if !self.goes_on(context) {
                break;
            }
            self.sampling.advance();
            let state = self.sampling.state();
            self.look_at(&state, context, centre);
            if context.recorded.get(self.n_recorded).is_some_and(|&round| round + 1 == self.errors.len()) {
                recorded.push(state);
                self.n_recorded += 1;
            }
        }
        if self.goes_on(context) {
            return true;
        }
        // The error stays at its limit. (If there is no prediction, these states are not used.)
        while self.n_recorded < context.recorded.len() {
            recorded.push(self.sampling.state());
            self.n_recorded += 1;
        }
        false
    }

    fn look_at(&mut self, state: &State, context: Context<'_>, centre: Option<&Centre>) {
        let rms = state.split(context, centre).1.rms();
        if self.n_recorded < context.recorded.len() {
            self.of_chance = self.of_chance.max(state.drawn.iter().sum::<f64>() / (rms * rms));
        }
        let before = self.errors[self.errors.len() / 2];
        self.errors.push(rms);
        self.has_ended = self.sampling.left() <= LEFT && (rms - before).abs() <= CHANGED * rms;
    }

    /// The reason why there is no prediction, as far as known.
    fn problem(&self) -> Option<NoPrediction> {
        if self.errors.last().is_some_and(|rms| !rms.is_finite()) {
            return Some(NoPrediction::Diverges);
        }
        (self.of_chance > OF_CHANCE).then_some(NoPrediction::Chance)
    }

    fn goes_on(&self, context: Context<'_>) -> bool {
        let wanted = context.scenario.settings().n_rounds.max(HORIZON);
        self.problem().is_none() && !self.has_ended && self.errors.len() <= wanted
    }

    /// The limit of the error, if it is reached within the rounds that were run.
    ///
    /// # Errors
    /// If the errors overflow, or depend too much on who takes part.
    pub(super) fn limit(
        &self,
        context: Context<'_>,
        centre: Option<&Centre>,
        norms: &mut MeanNorms,
    ) -> Result<Option<Limit>, NoPrediction> {
        if let Some(problem) = self.problem() {
            return Err(problem);
        }
        let (law, parts) = self.sampling.state().split(context, centre);
        let arrived = self.errors.iter().position(|&error| error <= NEAR * parts.rms());
        let arrived = arrived.filter(|_| self.has_ended);
        Ok(arrived.map(|round| Limit { mean: norms.of(&law, context.truth), parts, n_rounds: round as u64 }))
    }
}
