//! The heterogeneity at which joining stops to pay: where the pooled estimate's error to expect meets that of a client's own.
//!
//! The noise in the pooled estimate hardly depends on ε, its bias is about proportional to it; clients keep their places in the
//! family while ε scales them. So one root is looked for, beginning where a straight line puts it.

use super::NoPrediction;
use super::expectation::ExpectedFleet;
use super::law::{Law, MeanNorms, alone};
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::system::LinearSystem;
use fedsysid_sim::target::Truth;

/// Where joining stops to pay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BreakEven {
    /// At this ε: the shared model is better below, the client's own above.
    At(f64),
    /// Nowhere up to this ε: the shared model is better all along.
    Beyond(f64),
    /// Nowhere: even clients that are all alike gain nothing by pooling.
    Never,
}

/// The least and the largest ε that are looked at.
const NEAREST: f64 = 1e-5;
const FARTHEST: f64 = 10.0;

/// The largest relative error of the root.
const PRECISION: f64 = 1e-4;

/// An ε, and how much larger the pooled estimate's mean error is there than that of the client's own, relative to it.
type Point = (f64, f64);

/// A search in progress: every step looks at one ε.
#[derive(Clone, Debug)]
pub struct Search {
    at: f64,
    /// The largest ε that is known to pay, and the least that is known not to.
    pays: Option<Point>,
    fails: Option<Point>,
}

impl Search {
    /// A search that begins at `guess`.
    pub fn new(guess: f64) -> Self {
        let at = if guess.is_finite() { guess.clamp(NEAREST, FARTHEST) } else { FARTHEST };
        Self { at, pays: None, fails: None }
    }

    /// Looks at one more ε; what was found, if it was.
    ///
    /// # Errors
    /// Why there is nothing to compare.
    pub fn step(&mut self, scenario: &Scenario, norms: &mut MeanNorms) -> Result<Option<BreakEven>, NoPrediction> {
        let excess = excess(scenario, self.at, norms)?;
        if excess > 0.0 {
            self.fails = Some((self.at, excess));
        } else {
            self.pays = Some((self.at, excess));
        }
        let found = self.found();
        self.at = self.next();
        Ok(found)
    }

    fn found(&self) -> Option<BreakEven> {
        match (self.pays, self.fails) {
            (Some((low, _)), Some((high, _))) => (high - low <= PRECISION * high).then_some(BreakEven::At(low)),
            (Some((low, _)), None) => (low >= FARTHEST).then_some(BreakEven::Beyond(FARTHEST)),
            (None, Some((high, _))) => (high <= NEAREST).then_some(BreakEven::Never),
            (None, None) => None,
        }
    }

    fn next(&self) -> f64 {
        match (self.pays, self.fails) {
            (Some((low, below)), Some((high, above))) => {
                // Where a line between both meets 0, and a little beyond, towards the farther end, so that both close in.
                let root = low + (high - low) * (-below / (above - below));
                let nudge = 0.4 * PRECISION * high;
                let nudged = if root - low < high - root { root + nudge } else { root - nudge };
                nudged.clamp(low + 0.1 * nudge, high - 0.1 * nudge)
            }
            (Some((low, _)), None) => (1.2 * low).min(FARTHEST),
            (None, Some((high, _))) => (high / if high < 1e-3 { 10.0 } else { 1.2 }).max(NEAREST),
            (None, None) => self.at,
        }
    }
}

fn excess(scenario: &Scenario, heterogeneity: f64, norms: &mut MeanNorms) -> Result<f64, NoPrediction> {
    let settings = scenario.settings();
    let member = |client| settings.family.member(settings.place(client), heterogeneity);
    let systems: Result<Vec<LinearSystem>, _> = (0..settings.n_clients).map(member).collect();
    let systems = systems.map_err(|_| NoPrediction::Overflow)?;
    let mut expected = ExpectedFleet::empty(scenario);
    while expected.grow(scenario, &systems) {}
    let pooled =
        norms.of(&Law::pooled(&expected)?.of_samples(expected.n_samples())?, &Truth::new(settings.target, &systems));
    Ok(pooled / alone(&expected, settings.target, norms)? - 1.0)
}
