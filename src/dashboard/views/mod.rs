//! The views beside Explore, and the sweeps of Explore.
//!
//! - [`tradeoff`] and [`family`]: figures of a sweep, over its values and over the rounds; [`landmarks`]: values that matter,
//!   marked at sliders.
//! - [`maps`]: two parameters at once.
//! - [`paper`]: the paper's figures.
//! - [`systems`]: the systems themselves: eigenvalues, controllability, differences between the clients.
//! - [`data`]: people's own data.
//! - [`lesson`]: guided steps, and classes.

pub mod data;
pub mod family;
pub mod landmarks;
pub mod lesson;
pub mod maps;
pub mod paper;
pub mod systems;
pub mod tradeoff;

#[cfg(test)]
mod advice;

use super::results::sweep::Plan;
use super::run::pins;
use crate::params::{State, View};

/// The experiments that the shown view needs besides the run of the present settings.
pub fn wanted(State { draft, views, pins }: &State) -> Option<Plan> {
    let plan = match views.view {
        View::Explore => views.sweep.as_ref().map(|of| family::plan(draft, of)),
        View::TradeOff => Some(tradeoff::plan(draft, views)),
        View::Map => Some(maps::check_plan(views.map, draft)),
        View::Systems => None,
        // This view lists no pins.
        View::Data => return None,
        View::Lesson => return lesson::class::plan(views.guide.class),
        View::Paper => return Some(paper::plan(views.figure, views.switches, draft.seeds())),
    };
    pins::beside(plan, pins, draft)
}
