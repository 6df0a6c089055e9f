//! Lessons: short guided steps that drive the live page, and classes without a server.
//!
//! A lesson is data. Each step starts from a link in [`params::guide`](crate::params::guide); this module has its
//! words, its controls, the condition for being done, and the kind of guess. Texts contain no number that a run or
//! theory can supply: a text names its numbers, such as `{alone}`, and [`seen`] reads them from the live run.
//!
//! - [`texts`]: all words; [`seen`]: all numbers and findings; [`markup`]: both as markup.
//! - [`guess`]: a guess drawn before the run is shown, and its comparison with the run.
//! - [`progress`]: a student's progress.
//! - [`code`]: findings in twelve characters; [`class`]: the codes of a class.

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
    /// Its identifier.
    pub lesson: Lesson,
    /// Its steps, one per preset of the lesson.
    pub steps: &'static [Step],
}

/// A step of a lesson.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Its words.
    pub words: Words,
    /// Keys of the controls that the step shows.
    pub controls: &'static [&'static str],
    /// Whether the step is done.
    pub done: fn(&Seen<'_>) -> bool,
    /// Kind of the guess, if the step asks for one.
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

/// Whether the measured error of joining is not below that of the client alone.
fn alone_is_better(seen: &Seen<'_>) -> bool {
    at_most(seen.fold(), 1.0)
}

/// Whether joining stops paying at an ε that can be set.
fn can_cease(seen: &Seen<'_>) -> bool {
    at_most(seen.break_even(), 0.9)
}

/// Total number of rollouts: M N.
fn rollouts(seen: &Seen<'_>) -> f64 {
    seen.get(Key::Clients) * seen.get(Key::Rollouts)
}

/// All lessons.
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
            step(texts::OWN_DATA, &["N"], |seen| {
                at_most(seen.break_even(), seen.get(Key::Heterogeneity)) && alone_is_better(seen)
            }),
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

/// A lesson by its identifier.
pub fn course(lesson: Lesson) -> Option<&'static Course> {
    COURSES.iter().find(|course| course.lesson == lesson)
}

/// A step; `None` if the lesson does not have it.
pub fn step_of(lesson: Lesson, step: usize) -> Option<&'static Step> {
    course(lesson)?.steps.get(step)
}

/// Kind of the guess in a lesson; one of its steps asks for it.
pub fn kind(lesson: Lesson) -> Option<Kind> {
    course(lesson)?.steps.iter().find_map(|step| step.guess)
}

#[cfg(test)]
mod tests;
