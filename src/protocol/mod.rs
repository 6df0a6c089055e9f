//! What the page and its engine say to each other, wherever the engine runs.
//!
//! Plain closed enums. [`wire`] turns them into numbers and back, for the one place where they cross threads.

pub mod wire;

use std::ops::Range;

use crate::sim::family::Heterogeneity;
use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::sim::trial::TrialResult;
use crate::theory::landscape::payoff::{Payoff, Rows};
use crate::theory::landscape::stability::{Axes, StabilityMap};
use crate::theory::{NoPrediction, Theory};

/// Counts a page's requests. What belongs to an older one is stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

impl Generation {
    /// The next generation.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.wrapping_add(1))
    }
}

/// What the page asks of an engine. Whatever it was at before, it drops.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run this experiment, telling how it goes.
    Run {
        /// Whose answer the events will be.
        generation: Generation,
        /// The experiment.
        settings: Settings,
    },
    /// Make some of an experiment's data sets, as one of several engines that share in a sweep.
    Portion {
        /// Whose answer the event will be.
        generation: Generation,
        /// Which data sets, of what.
        portion: Portion,
        /// The experiment.
        settings: Settings,
    },
    /// Map what is to be expected.
    Survey {
        /// Whose answer the events will be.
        generation: Generation,
        /// The map.
        survey: Survey,
        /// The experiment, but for what lies along the map's axes.
        settings: Settings,
    },
    /// Drop what there is, and be idle.
    Stop,
    /// Rest for as long as nobody looks, keeping what there is.
    Pause,
    /// Go on after a rest.
    Resume,
}

impl Request {
    /// Whose answer the events will be, where there are any.
    pub fn generation(&self) -> Option<Generation> {
        match self {
            Self::Run { generation, .. } | Self::Portion { generation, .. } | Self::Survey { generation, .. } => {
                Some(*generation)
            }
            Self::Stop | Self::Pause | Self::Resume => None,
        }
    }

    /// The portion that is asked for.
    pub fn portion(&self) -> Option<&Portion> {
        match self {
            Self::Portion { portion, .. } => Some(portion),
            Self::Run { .. } | Self::Survey { .. } | Self::Stop | Self::Pause | Self::Resume => None,
        }
    }
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
pub enum Survey {
    /// Whether joining pays, over ε and M or N.
    Payoff {
        /// The ε.
        heterogeneities: Vec<f64>,
        /// The M or N.
        rows: Rows,
    },
    /// Contraction and drift, over α and K.
    Stability(Axes),
}

/// What is known of a map.
#[derive(Clone, Debug, PartialEq)]
pub enum Surveyed {
    /// Whether joining pays.
    Payoff(Payoff),
    /// Contraction and drift.
    Stability(Box<StabilityMap>),
}

/// Some of the data sets of one of a sweep's points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The point, by its place in the sweep.
    pub point: usize,
    /// The data sets, 0-based.
    pub data_sets: Range<usize>,
    /// Whether to find out too what is to be expected at this point.
    pub expects: bool,
}

/// What a portion gives.
#[derive(Clone, Debug, PartialEq)]
pub struct PortionResult {
    /// Which portion.
    pub portion: Portion,
    /// How far apart the clients' systems are.
    pub heterogeneity: Heterogeneity,
    /// Its data sets, in their order.
    pub results: Vec<TrialResult>,
    /// What was to be expected, if that was asked.
    pub theory: Option<Box<Theory>>,
}

/// What the engine answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The engine is up and listening.
    Ready,
    /// A run goes on.
    Progress {
        /// Which run.
        generation: Generation,
        /// The share of the work done, 0 to 1.
        progress: f64,
        /// The results so far.
        summary: Summary,
        /// What was to be expected, once it is known.
        theory: Option<Box<Theory>>,
    },
    /// A run is complete.
    Done {
        /// Which run.
        generation: Generation,
        /// The results.
        summary: Summary,
        /// What was to be expected.
        theory: Option<Box<Theory>>,
    },
    /// Work on a portion goes on.
    Working {
        /// Which sweep.
        generation: Generation,
    },
    /// A portion is complete.
    Portion {
        /// Which sweep.
        generation: Generation,
        /// What it gave.
        result: PortionResult,
    },
    /// Work on a map goes on.
    Surveying {
        /// Which map.
        generation: Generation,
        /// The share of the work done, 0 to 1.
        progress: f64,
        /// What is known of it.
        map: Surveyed,
    },
    /// A map is complete.
    Surveyed {
        /// Which map.
        generation: Generation,
        /// The map, or why there is none.
        map: Result<Surveyed, NoPrediction>,
    },
    /// The settings are not a scenario.
    Refused {
        /// Which request.
        generation: Generation,
        /// Why.
        error: ScenarioError,
    },
    /// A message that is no request came in.
    Unreadable,
}

impl Event {
    /// The run or the sweep that an event belongs to, if any.
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

/// What went wrong with an engine, and was dealt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A worker died or fell silent; another one was started.
    WorkerReplaced,
    /// No worker came up: the page computes by itself.
    NoWorker,
    /// Workers died over this very run: it was given up.
    RunGivenUp,
    /// Workers died over this very map: it was given up.
    SurveyGivenUp,
    /// Workers died over this very sweep: it was given up.
    SweepGivenUp,
}
