//! The heterogeneity ε at which joining stops to pay: where the predicted error of pooled least squares equals that of
//! the client's own least squares.
//!
//! The noise in the pooled estimate hardly depends on ε, and its bias is about proportional to ε; clients keep their
//! places in the family while ε scales them. So there is one root, and the search starts where a straight line predicts
//! it. The search ends where systems are so unstable that there is no prediction for pooled data ([`growth`]).

use super::expectation::{ExpectedFleet, STEP};
use super::law::{Law, MeanNorms, alone};
use super::{NoPrediction, growth};
use fedsysid_sim::lanes::LANES;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::system::LinearSystem;
use fedsysid_sim::target::Truth;

/// Where joining stops to pay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BreakEven {
    /// At this ε: below it the shared model is better, above it the client's own.
    At(f64),
    /// Nowhere up to this ε: the shared model is always better. Beyond it nothing is known: it is the largest ε of the
    /// search, or systems that differ more are too unstable.
    Beyond(f64),
    /// Nowhere: even clients that are all alike gain nothing by pooling.
    Never,
}

/// The smallest and the largest ε of the search.
const NEAREST: f64 = 1e-5;
const FARTHEST: f64 = 10.0;

/// The largest relative error of the root, and of the ε at which systems become too unstable.
const PRECISION: f64 = 1e-4;
const PRECISION_OF_GROWTH: f64 = 1e-2;

/// An ε, and the relative excess there of the pooled estimate's mean error over the client's own.
type Point = (f64, f64);

/// A search for the break-even. Each step adds some of the clients at one ε, or compares the errors there.
#[derive(Clone, Debug)]
pub struct Search {
    at: f64,
    /// The clients added so far at this ε.
    look: Option<Look>,
    /// The largest ε known to pay, and the smallest known not to.
    pays: Option<Point>,
    fails: Option<Point>,
    /// The smallest ε known to have no prediction.
    uneven: Option<f64>,
}

impl Search {
    /// Starts a search at the ε `guess`, moved into the range of the search.
    pub fn new(guess: f64) -> Self {
        let at = if guess.is_finite() { guess.clamp(NEAREST, FARTHEST) } else { FARTHEST };
        Self { at, look: None, pays: None, fails: None, uneven: None }
    }

    /// Works for a few milliseconds, and returns the break-even once it is found.
    ///
    /// # Errors
    /// If there is no prediction for one of the two errors.
    pub fn step(&mut self, scenario: &Scenario, norms: &mut MeanNorms) -> Result<Option<BreakEven>, NoPrediction> {
        let mut look = self.look.take().unwrap_or_else(|| Look::new(scenario));
        if look.grow(scenario, self.at)? {
            self.look = Some(look);
            return Ok(None);
        }
        if growth::would_be_uneven(scenario, &look.systems) {
            self.uneven = Some(self.at);
            self.fails = self.fails.filter(|&(at, _)| at < self.at);
        } else {
            let excess = look.excess(scenario, norms)?;
            let end = if excess > 0.0 { &mut self.fails } else { &mut self.pays };
            *end = Some((self.at, excess));
        }
        let found = self.found()?;
        self.at = self.next();
        Ok(found)
    }

    fn found(&self) -> Result<Option<BreakEven>, NoPrediction> {
        let found = match (self.pays, self.fails, self.uneven) {
            (Some((low, _)), Some((high, _)), _) => (high - low <= PRECISION * high).then_some(BreakEven::At(low)),
            (Some((low, _)), None, Some(high)) => {
                (high - low <= PRECISION_OF_GROWTH * high).then_some(BreakEven::Beyond(low))
            }
            (Some((low, _)), None, None) => (low >= FARTHEST).then_some(BreakEven::Beyond(FARTHEST)),
            (None, Some((high, _)), _) => (high <= NEAREST).then_some(BreakEven::Never),
            (None, None, Some(high)) if high <= NEAREST => return Err(NoPrediction::Uneven),
            (None, None, _) => None,
        };
        Ok(found)
    }

    fn next(&self) -> f64 {
        match (self.pays, self.fails, self.uneven) {
            (Some((low, below)), Some((high, above)), _) => {
                // The root of the line through both ends, moved a little towards the farther end, so that both ends
                // close in.
                let root = low + (high - low) * (-below / (above - below));
                let nudge = 0.4 * PRECISION * high;
                let nudged = if root - low < high - root { root + nudge } else { root - nudge };
                nudged.clamp(low + 0.1 * nudge, high - 0.1 * nudge)
            }
            (Some((low, _)), None, Some(high)) => 0.5 * (low + high),
            (Some((low, _)), None, None) => (1.2 * low).min(FARTHEST),
            (None, Some((high, _)), _) | (None, None, Some(high)) => {
                (high / if high < 1e-3 { 10.0 } else { 1.2 }).max(NEAREST)
            }
            (None, None, None) => self.at,
        }
    }
}

/// The clients at one ε, and their expected moments.
#[derive(Clone, Debug)]
struct Look {
    systems: Vec<LinearSystem>,
    expected: ExpectedFleet,
}

impl Look {
    fn new(scenario: &Scenario) -> Self {
        Self { systems: Vec::new(), expected: ExpectedFleet::empty(scenario) }
    }

    /// Adds some more clients; returns whether there are more.
    fn grow(&mut self, scenario: &Scenario, heterogeneity: f64) -> Result<bool, NoPrediction> {
        let settings = scenario.settings();
        let mut done = 0;
        while self.systems.len() < settings.n_clients {
            if done > STEP {
                return Ok(true);
            }
            done += self.expected.cost(scenario);
            for client in (self.systems.len()..settings.n_clients).take(LANES) {
                let member = settings.family.member(settings.place(client), heterogeneity);
                self.systems.push(member.map_err(|_| NoPrediction::Overflow)?);
            }
            self.expected.grow(scenario, &self.systems);
        }
        Ok(false)
    }

    fn excess(&self, scenario: &Scenario, norms: &mut MeanNorms) -> Result<f64, NoPrediction> {
        let Self { systems, expected } = self;
        let target = scenario.settings().target;
        let law = Law::pooled(expected)?.of_samples(expected.n_samples())?;
        let pooled = norms.of(&law, &Truth::new(target, systems));
        let alone = alone(expected, target, norms)?;
        if !(pooled.is_finite() && alone.is_finite()) {
            return Err(NoPrediction::Overflow);
        }
        // If the client's own estimate has no error, there is nothing to gain.
        Ok(if alone > 0.0 { pooled / alone - 1.0 } else { f64::INFINITY })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theory;
    use fedsysid_sim::Matrix;
    use fedsysid_sim::family::Family;
    use fedsysid_sim::scenario::Settings;
    use fedsysid_sim::trial::Experiment;

    /// Scalar systems with A around `a`, scaled by `pattern`, and one rollout of ten steps per client.
    fn settings(a: f64, pattern: f64) -> Settings {
        let one = |value: f64| Matrix::from_element(1, 1, value);
        let family = Family::new(LinearSystem::new(one(a), one(1.0)).unwrap(), one(pattern), one(0.0)).unwrap();
        let mut settings = Settings { family, heterogeneity: 0.1, n_clients: 20, ..Settings::paper() };
        settings.data.n_rollouts = 1.into();
        settings.data.rollout_len = 10.into();
        settings
    }

    fn of(settings: &Settings) -> Result<BreakEven, NoPrediction> {
        Theory::of(&Experiment::new(Scenario::new(settings.clone()).unwrap())).break_even
    }

    #[test]
    fn it_is_found_up_to_where_systems_become_too_unstable() {
        let settings = settings(1.3, 0.1);
        let is_uneven =
            |heterogeneity| growth::is_uneven(&Scenario::new(Settings { heterogeneity, ..settings.clone() }).unwrap());
        let found = of(&settings);
        let Ok(BreakEven::Beyond(farthest)) = found else { panic!("{found:?}") };
        assert!(!is_uneven(farthest) && is_uneven(1.02 * farthest), "{farthest}");
        // A start from farther away, or from nearer, finds the same.
        for heterogeneity in [1e-3, 0.99 * farthest] {
            let found = of(&Settings { heterogeneity, ..settings.clone() });
            let Ok(BreakEven::Beyond(again)) = found else { panic!("{found:?}") };
            assert!((again / farthest - 1.0).abs() < 0.01, "{again} {farthest}");
        }
    }

    #[test]
    fn clients_that_are_alike_and_too_unstable_have_none() {
        assert_eq!(of(&Settings { heterogeneity: 0.0, ..settings(2.0, 0.1) }), Err(NoPrediction::Uneven));
    }

    #[test]
    fn without_noise_there_is_nothing_to_gain_whether_clients_differ_or_not() {
        for pattern in [0.0, 0.1] {
            let mut settings = settings(0.9, pattern);
            settings.data.process_noise_std = 0.0.into();
            assert_eq!(of(&settings), Ok(BreakEven::Never), "{pattern}");
        }
    }

    #[test]
    fn clients_that_cannot_differ_gain_all_along() {
        assert_eq!(of(&settings(0.9, 0.0)), Ok(BreakEven::Beyond(FARTHEST)));
    }
}
