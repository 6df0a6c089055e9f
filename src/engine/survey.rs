//! The computation of a map.

use crate::protocol::{Event, Generation, Survey, Surveyed};
use crate::sim::scenario::Scenario;
use crate::theory::NoPrediction;
use crate::theory::landscape::payoff::PayoffRun;
use crate::theory::landscape::stability::{StabilityMap, StabilityRun};

/// The computation of a map of any kind.
#[derive(Debug)]
pub(super) struct SurveyRun {
    scenario: Scenario,
    stage: Stage,
}

#[derive(Debug)]
enum Stage {
    Payoff(Box<PayoffRun>),
    Stability(Box<StabilityRun>),
    Done(Result<Surveyed, NoPrediction>),
}

impl SurveyRun {
    /// Starts a map of a scenario.
    pub(super) fn new(survey: Survey, scenario: Scenario) -> Self {
        let stage = match survey {
            Survey::Payoff { heterogeneities, rows } => match PayoffRun::new(&scenario, heterogeneities, rows) {
                Ok(run) => Stage::Payoff(Box::new(run)),
                Err(reason) => Stage::Done(Err(reason)),
            },
            Survey::Stability(axes) => Stage::Stability(Box::new(StabilityRun::new(&scenario, axes))),
        };
        Self { scenario, stage }
    }

    /// Whether it is complete.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_))
    }

    /// Takes one step, of a few milliseconds at most.
    pub(super) fn step(&mut self) {
        let done = match &mut self.stage {
            Stage::Payoff(run) => run.step().map(|map| map.map(Surveyed::Payoff)),
            Stage::Stability(run) => run.step(&self.scenario).map(|map| map.map(stability)),
            Stage::Done(_) => None,
        };
        if let Some(map) = done {
            self.stage = Stage::Done(map);
        }
    }

    /// The event that reports the map's progress, or its end.
    pub(super) fn report(&self, generation: Generation) -> Event {
        let (done, map) = match &self.stage {
            Stage::Payoff(run) => (run.progress(), Surveyed::Payoff(run.so_far().clone())),
            Stage::Stability(run) => (run.progress(), stability(run.so_far().clone())),
            Stage::Done(map) => return Event::Surveyed { generation, map: map.clone() },
        };
        Event::Surveying { generation, progress: done.0 as f64 / done.1.max(1) as f64, map }
    }

    /// The map, or the reason why there is none.
    pub(super) fn finish(self) -> Result<Surveyed, NoPrediction> {
        match self.stage {
            Stage::Payoff(run) => Ok(Surveyed::Payoff(run.so_far().clone())),
            Stage::Stability(run) => Ok(stability(run.so_far().clone())),
            Stage::Done(map) => map,
        }
    }
}

fn stability(map: StabilityMap) -> Surveyed {
    Surveyed::Stability(Box::new(map))
}
