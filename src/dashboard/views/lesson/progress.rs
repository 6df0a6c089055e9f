//! A student's progress in the lessons: stored as one text for as long as the browser's tab is open.

use super::guess::{Guess, Kind};
use crate::params::{Lesson, Word};
use crate::text::from_decimal;

/// Progress in one lesson.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The completed steps, one bit each.
    pub done: u32,
    /// The guess.
    pub guess: Option<Guess>,
    /// Whether the run has been shown.
    pub is_shown: bool,
    /// The run's true value of the guessed quantity, and the final error.
    pub found: Option<(f64, f64)>,
}

/// Progress in all lessons, and the state before them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    kept: [Kept; 3],
    /// The state before the first lesson, as a link.
    pub before: Option<String>,
}

impl Progress {
    /// Progress in a lesson.
    pub fn of(&self, lesson: Lesson) -> Option<&Kept> {
        self.kept.get(place(lesson)?)
    }

    /// Progress in a lesson, mutably.
    pub fn of_mut(&mut self, lesson: Lesson) -> Option<&mut Kept> {
        self.kept.get_mut(place(lesson)?)
    }

    /// Whether a step is done.
    pub fn is_done(&self, lesson: Lesson, step: usize) -> bool {
        self.of(lesson).is_some_and(|kept| kept.done >> step & 1 == 1)
    }

    /// Marks a step as done; returns whether it was not done before.
    pub fn finish(&mut self, lesson: Lesson, step: usize) -> bool {
        let is_new = !self.is_done(lesson, step);
        if let Some(kept) = self.of_mut(lesson) {
            kept.done |= 1 << step;
        }
        is_new
    }

    /// The progress as a text: one line per lesson, and one line for the state before.
    pub fn words(&self) -> String {
        let lessons = Lesson::ALL.iter().skip(1).zip(&self.kept).map(|((_, word, _), kept)| {
            let list = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
            let drawn = kept.guess.as_ref().filter(|guess| guess.is_drawn);
            let guess = drawn.map(|guess| list(&guess.values)).unwrap_or_default();
            let found = kept.found.map(|(result, error)| list(&[result, error])).unwrap_or_default();
            format!("{word} {} {} {guess};{found}\n", kept.done, u8::from(kept.is_shown))
        });
        let before = self.before.iter().map(|before| format!("before {before}\n"));
        lessons.chain(before).collect()
    }

    /// Reads a text written by [`Progress::words`]; unreadable lines are ignored.
    pub fn read(text: &str, kind: fn(Lesson) -> Option<Kind>) -> Self {
        let mut progress = Self::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            if word == "before" {
                progress.before = Some(rest.to_owned());
            } else if let Some(lesson) = Lesson::by_word(word)
                && let Some(read) = kept(rest, kind(lesson))
                && let Some(kept) = progress.of_mut(lesson)
            {
                *kept = read;
            }
        }
        progress
    }
}

fn kept(text: &str, kind: Option<Kind>) -> Option<Kept> {
    let mut parts = text.splitn(3, ' ');
    let (done, is_shown) = (parts.next()?.parse().ok()?, parts.next()? == "1");
    let (guess, found) = parts.next()?.split_once(';')?;
    let list = |text: &str| text.split(',').map(from_decimal).collect::<Option<Vec<f64>>>();
    let kind = kind?;
    let n_values = Guess::blank(kind, 1.0).values.len();
    let usable = |values: &Vec<f64>| values.len() == n_values && values.iter().all(|value| *value > 0.0);
    let guess = list(guess).filter(usable).map(|values| Guess { kind, values, is_drawn: true });
    let found = list(found).and_then(|found| Some((*found.first()?, *found.get(1)?)));
    let is_shown = is_shown && guess.is_some();
    Some(Kept { done, guess, is_shown, found })
}

fn place(lesson: Lesson) -> Option<usize> {
    Lesson::ALL.iter().position(|(other, ..)| *other == lesson)?.checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::super::kind;
    use super::*;

    #[test]
    fn progress_survives_as_a_text() {
        let mut progress = Progress::default();
        assert_eq!(Progress::read(&progress.words(), kind), progress);
        assert!(progress.finish(Lesson::Floor, 2) && !progress.finish(Lesson::Floor, 2));
        progress.before = Some("view=map&M=3".into());
        let mut guess = Guess::blank(Kind::Place, 1.0);
        guess.key(0, "ArrowUp", false);
        let kept = Kept { done: 5, guess: Some(guess), is_shown: true, found: Some((0.5, 0.1)) };
        *progress.of_mut(Lesson::Joining).unwrap() = kept;
        assert_eq!(Progress::read(&progress.words(), kind), progress);
        assert!(progress.is_done(Lesson::Joining, 2) && !progress.is_done(Lesson::Joining, 1));
    }

    #[test]
    fn what_cannot_be_read_never_was() {
        for text in ["", "joining", "joining x 1 ;", "floor 1 1 0.1;0", "nothing 1 1 ;", "steps 9 1 a,b;c"] {
            let read = Progress::read(text, kind);
            assert!(read.of(Lesson::Floor).is_some_and(|kept| kept.guess.is_none() && !kept.is_shown), "{text}");
        }
    }
}
