//! The messages between the page and its engines, wherever an engine runs.
//!
//! Plain closed enums. [`wire`] turns them into numbers and back where they cross threads.

pub mod wire;

use std::ops::Range;

use crate::sim::family::Heterogeneity;
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::sim::trial::TrialResult;
use crate::theory::landscape::payoff::{Payoff, Rows};
use crate::theory::landscape::stability::{Axes, StabilityMap};
use crate::theory::{NoPrediction, Theory};

/// Counts a page's requests. Events of an older generation are stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

impl Generation {
    /// The next generation.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

/// A request of the page to an engine. It replaces the engine's current work.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run this experiment, with reports of its progress.
    Run {
        /// The generation that its events will carry.
        generation: Generation,
        /// The experiment.
        settings: Settings,
    },
    /// Compute some of an experiment's data sets, as one of several engines that share a sweep.
    Portion {
        /// The generation that its event will carry.
        generation: Generation,
        /// The data sets, and their point of the sweep.
        portion: Portion,
        /// The experiment.
        settings: Settings,
    },
    /// Compute a map of predictions.
    Survey {
        /// The generation that its events will carry.
        generation: Generation,
        /// The map.
        survey: Survey,
        /// The experiment; the parameters along the map's axes vary.
        settings: Settings,
    },
    /// Drop all work.
    Stop,
    /// Pause while the page is not seen, but keep the work.
    Pause,
    /// Continue after a pause.
    Resume,
}

impl Request {
    /// The generation that its events will carry, if it causes any.
    pub fn generation(&self) -> Option<Generation> {
        match self {
            Self::Run { generation, .. } | Self::Portion { generation, .. } | Self::Survey { generation, .. } => {
                Some(*generation)
            }
            Self::Stop | Self::Pause | Self::Resume => None,
        }
    }

    /// The requested portion, if it is a request for one.
    pub fn portion(&self) -> Option<&Portion> {
        match self {
            Self::Portion { portion, .. } => Some(portion),
            Self::Run { .. } | Self::Survey { .. } | Self::Stop | Self::Pause | Self::Resume => None,
        }
    }
}

/// The kind of a map, with its axes.
#[derive(Clone, Debug, PartialEq)]
pub enum Survey {
    /// Whether joining pays, over ε and M or N.
    Payoff {
        /// The values of ε.
        heterogeneities: Vec<f64>,
        /// The values of M or N.
        rows: Rows,
    },
    /// Contraction and drift, over α and K.
    Stability(Axes),
}

/// The known values of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum Surveyed {
    /// Whether joining pays.
    Payoff(Payoff),
    /// Contraction and drift.
    Stability(Box<StabilityMap>),
}

/// A portion of a sweep: some of the data sets of one of its points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The index of the point in the sweep.
    pub point: usize,
    /// The indices of the data sets, from 0.
    pub data_sets: Range<usize>,
    /// Whether to also compute the prediction at this point.
    pub expects: bool,
}

/// The result of a portion.
#[derive(Clone, Debug, PartialEq)]
pub struct PortionResult {
    /// The portion.
    pub portion: Portion,
    /// The differences between the clients' systems.
    pub heterogeneity: Heterogeneity,
    /// The results of its data sets, in their order.
    pub results: Vec<TrialResult>,
    /// The prediction, if it was requested.
    pub theory: Option<Box<Theory>>,
}

/// An answer of an engine.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The engine is up and listening.
    Ready,
    /// Progress of a run.
    Progress {
        /// The run.
        generation: Generation,
        /// The share of the work done, 0 to 1.
        progress: f64,
        /// The results so far.
        summary: Summary,
        /// The prediction, once it is known.
        theory: Option<Box<Theory>>,
    },
    /// A run is complete.
    Done {
        /// The run.
        generation: Generation,
        /// The results.
        summary: Summary,
        /// The prediction.
        theory: Option<Box<Theory>>,
    },
    /// A sign of life while a portion is computed.
    Working {
        /// The sweep.
        generation: Generation,
    },
    /// A portion is complete.
    Portion {
        /// The sweep.
        generation: Generation,
        /// Its result.
        result: PortionResult,
    },
    /// Progress of a map.
    Surveying {
        /// The map's generation.
        generation: Generation,
        /// The share of the work done, 0 to 1.
        progress: f64,
        /// The values known so far.
        map: Surveyed,
    },
    /// A map is complete.
    Surveyed {
        /// The map's generation.
        generation: Generation,
        /// The map, or the reason why there is none.
        map: Result<Surveyed, NoPrediction>,
    },
    /// The settings are not a valid scenario.
    Refused {
        /// The request.
        generation: Generation,
        /// The reason.
        error: ScenarioError,
    },
    /// The engine received a message that is not a request.
    Unreadable,
}

impl Event {
    /// The generation of the run, sweep or map that an event belongs to, if any.
    pub fn generation(&self) -> Option<Generation> {
        match self {
            Self::Progress { generation, .. }
            | Self::Done { generation, .. }
            | Self::Working { generation }
            | Self::Portion { generation, .. }
            | Self::Surveying { generation, .. }
            | Self::Surveyed { generation, .. }
            | Self::Refused { generation, .. } => Some(*generation),
            Self::Ready | Self::Unreadable => None,
        }
    }
}

/// A failure of an engine that the pool has handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A worker died or fell silent; another one was started.
    WorkerReplaced,
    /// No worker started: the page computes by itself.
    NoWorker,
    /// Workers died repeatedly during this run: it was given up.
    RunGivenUp,
    /// Workers died repeatedly during this map: it was given up.
    SurveyGivenUp,
    /// Workers died repeatedly during this sweep: it was given up.
    SweepGivenUp,
}
