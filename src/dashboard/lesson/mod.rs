//! Lessons: short guided steps that drive the live page, and classes without a server.
//!
//! A lesson is data. What each step starts from is a link in [`params::guide`](crate::params::guide); here stand its words, the
//! controls that it shows, what counts as done, and what is to be foretold. Nothing is typed in that a run or theory knows: a text
//! names its numbers, `{alone}`, and [`seen`] reads them from the live run.
//!
//! - [`texts`]: every word; [`seen`]: every number, and what was found; [`markup`]: both as markup.
//! - [`guess`]: what is drawn before the run is seen, and how near it comes.
//! - [`progress`]: how far somebody is.
//! - [`code`]: what was found, in twelve characters; [`class`]: many of them.

pub mod class;
pub mod code;
pub mod guess;
pub mod markup;
pub mod progress;
pub mod seen;
pub mod texts;

use crate::params::{Key, Lesson};
use guess::Kind;
use seen::Seen;
use texts::Words;

/// A lesson.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Which.
    pub lesson: Lesson,
    /// Its steps, as many as it has presets.
    pub steps: &'static [Step],
}

/// A step of a lesson.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its words.
    pub words: Words,
    /// Keys of the controls that it shows.
    pub controls: &'static [&'static str],
    /// What counts as done.
    pub done: fn(&Seen<'_>) -> bool,
    /// What is to be foretold.
    pub guess: Option<Kind>,
}

const fn step(words: Words, controls: &'static [&'static str], done: fn(&Seen<'_>) -> bool) -> Step {
    Step { words, controls, done, guess: None }
}

const fn foretold(words: Words, kind: Kind) -> Step {
    Step { words, controls: &[], done: |seen| seen.shown().is_some(), guess: Some(kind) }
}

/// Whether any data set diverges.
fn diverges(seen: &Seen<'_>) -> bool {
    seen.diverges()
}

fn at_least(value: Option<f64>, least: f64) -> bool {
    value.is_some_and(|value| value >= least)
}

fn at_most(value: Option<f64>, most: f64) -> bool {
    value.is_some_and(|value| value <= most)
}

/// Whether a client does better alone, as measured.
fn alone_is_better(seen: &Seen<'_>) -> bool {
    at_most(seen.fold(), 1.0)
}

/// Whether joining ceases to pay at an ε that can be set.
fn can_cease(seen: &Seen<'_>) -> bool {
    at_most(seen.break_even(), 0.9)
}

/// Samples of all clients, in rollouts.
fn rollouts(seen: &Seen<'_>) -> f64 {
    seen.get(Key::Clients) * seen.get(Key::Rollouts)
}

/// Every lesson.
pub static COURSES: [Course; 3] = [
    Course {
        lesson: Lesson::Joining,
        steps: &[
            step(texts::TOGETHER, &["M"], |seen| at_least(seen.fold(), 5.0)),
            step(texts::DIFFERENT, &["M"], |seen| seen.run.is_some() && seen.get(Key::Clients) >= 200.0),
            foretold(texts::MEETING, Kind::Place),
            step(texts::BEYOND, &["eps"], |seen| {
                let farthest = seen.get(Key::Heterogeneity) >= 1.0 && seen.run.is_some();
                let is_beyond = at_most(seen.break_even(), seen.get(Key::Heterogeneity)) && alone_is_better(seen);
                if can_cease(seen) { is_beyond } else { farthest }
            }),
            step(texts::OWN_DATA, &["N"], alone_is_better),
            step(texts::EVERYTHING, &["eps", "N"], |seen| at_most(seen.break_even(), seen.get(Key::Heterogeneity))),
        ],
    },
    Course {
        lesson: Lesson::Floor,
        steps: &[
            foretold(texts::FALLING, Kind::Curve),
            step(texts::TRANSIENT, &["R", "alpha"], |seen| {
                !seen.diverges() && at_most(seen.shares(0).map(|parts| parts.transient.abs()), 0.01)
            }),
            step(texts::NOISE, &["M", "N"], |seen| {
                !seen.diverges() && seen.run.is_some() && rollouts(seen) >= 4.0 * 5.0 * 25.0
            }),
            step(texts::BIAS, &["eps"], |seen| seen.shares(0).is_some_and(|parts| parts.noise > parts.bias)),
            step(texts::DRIFT, &["K", "alpha"], |seen| at_most(seen.above_pooled(), 0.05)),
            step(texts::FOUR, &["alg", "M", "N", "eps", "K", "alpha", "R"], |seen| seen.run.is_some()),
        ],
    },
    Course {
        lesson: Lesson::Steps,
        steps: &[
            step(texts::SLOW, &["alpha"], |seen| at_most(seen.rounds_needed(), seen.get(Key::Rounds))),
            foretold(texts::FASTER, Kind::Curve),
            step(texts::BROKEN, &["alpha"], diverges),
            step(texts::FAST, &["alpha"], |seen| at_most(seen.rounds_needed(), 8.0)),
            step(texts::LOCAL, &["K"], |seen| at_most(seen.rounds_needed(), 20.0)),
            step(texts::REGIONS, &["alpha", "K"], diverges),
        ],
    },
];

/// A lesson's steps.
pub fn course(lesson: Lesson) -> Option<&'static Course> {
    COURSES.iter().find(|course| course.lesson == lesson)
}

/// A step, if a lesson has it.
pub fn step_of(lesson: Lesson, step: usize) -> Option<&'static Step> {
    course(lesson)?.steps.get(step)
}

/// What is to be foretold in a lesson: in one of its steps.
pub fn kind(lesson: Lesson) -> Option<Kind> {
    course(lesson)?.steps.iter().find_map(|step| step.guess)
}

#[cfg(test)]
mod tests;
