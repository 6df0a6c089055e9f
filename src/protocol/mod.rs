//! What the page and its engine say to each other, wherever the engine runs.
//!
//! Plain closed enums. [`wire`] turns them into numbers and back, for the one place where they cross threads.

pub mod wire;

use crate::sim::scenario::{ScenarioError, Settings};
use crate::sim::study::Summary;
use crate::theory::Theory;

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

/// What the page asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Run this experiment, and forget what was running.
    Run {
        /// Whose answer the events will be.
        generation: Generation,
        /// The experiment.
        settings: Settings,
    },
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
    /// The run that an event belongs to, if any.
    pub fn generation(&self) -> Option<Generation> {
        match self {
            Self::Progress { generation, .. } | Self::Done { generation, .. } | Self::Refused { generation, .. } => {
                Some(*generation)
            }
            Self::Ready | Self::Unreadable => None,
        }
    }
}
