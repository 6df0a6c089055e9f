//! Undo and redo: one change is one gesture, however many values a slider passes.

use super::state::State;
use super::views::VIEW;

/// Changes of the same setting less than this many milliseconds apart count as one.
const GESTURE_MS: f64 = 800.0;

/// The most changes kept.
const KEPT: usize = 100;

/// A change that can be undone or redone.
#[derive(Clone, Debug, PartialEq)]
struct Change {
    /// The state before the change (for a redo: after it).
    state: State,
    /// The keys of the settings that it changed.
    keys: Vec<&'static str>,
}

/// Changes that can be undone, and changes that can be redone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    done: Vec<Change>,
    undone: Vec<Change>,
    /// Time of the last recorded change, in milliseconds; `None` after an undo or redo, which ends a gesture.
    last: Option<f64>,
}

impl History {
    /// Records that `before` became `after` at time `now`, in milliseconds.
    pub fn record(&mut self, before: State, after: &State, now: f64) {
        let mut keys = after.differs_in(&before);
        let place = |state: &State| (state.views.guide.lesson, state.views.guide.step);
        if place(&before) != place(after) {
            // A step of a lesson starts a new history; the browser's "back" leads out of it. Changes made elsewhere
            // cannot be undone in it.
            *self = Self::default();
            return;
        }
        // Looking at another view changes no setting, and no undo leads back to it.
        keys.retain(|key| *key != VIEW);
        if keys.is_empty() {
            return;
        }
        let is_gesture = self.last.is_some_and(|last| now - last < GESTURE_MS);
        let goes_on = is_gesture && self.done.last().is_some_and(|change| change.keys == keys);
        (self.last, self.undone) = (Some(now), Vec::new());
        if goes_on && self.done.last().is_some_and(|change| change.state == *after) {
            // There and back again: nothing is left to undo, and the gesture before is over.
            self.done.pop();
            self.last = None;
        } else if !goes_on {
            self.done.push(Change { state: before, keys });
            let too_many = self.done.len().saturating_sub(KEPT);
            self.done.drain(..too_many);
        }
    }

    /// Undoes the last change: returns the state before it, with the view of the current state `now`.
    pub fn undo(&mut self, now: &State) -> Option<State> {
        self.last = None;
        turn(&mut self.done, &mut self.undone, now)
    }

    /// Redoes the last undone change, likewise.
    pub fn redo(&mut self, now: &State) -> Option<State> {
        self.last = None;
        turn(&mut self.undone, &mut self.done, now)
    }

    /// The keys of the settings that the next undo changes back: "M", "M, eps".
    pub fn undoes(&self) -> Option<String> {
        self.done.last().map(|change| change.keys.join(", "))
    }

    /// The keys of the settings that the next redo changes again.
    pub fn redoes(&self) -> Option<String> {
        self.undone.last().map(|change| change.keys.join(", "))
    }
}

fn turn(from: &mut Vec<Change>, to: &mut Vec<Change>, now: &State) -> Option<State> {
    let Change { mut state, keys } = from.pop()?;
    to.push(Change { state: now.clone(), keys });
    state.views.view = now.views.view;
    Some(state)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with its history, changed by links.
    struct Page {
        now: State,
        history: History,
    }

    impl Page {
        fn set(&mut self, query: &str, at: f64) {
            let (after, _) = State::from_query(query);
            self.history.record(std::mem::replace(&mut self.now, after), &self.now, at);
        }

        #[track_caller]
        fn undo(&mut self, expected: &str) {
            self.now = self.history.undo(&self.now).unwrap();
            assert_eq!(self.now.to_query(), expected);
        }

        #[track_caller]
        fn redo(&mut self, expected: &str) {
            self.now = self.history.redo(&self.now).unwrap();
            assert_eq!(self.now.to_query(), expected);
        }
    }

    fn page() -> Page {
        Page { now: State::default(), history: History::default() }
    }

    #[test]
    fn nothing_is_taken_back_across_a_step_of_a_lesson() {
        let mut page = page();
        page.set("M=5", 0.0);
        for step in ["lesson=joining", "lesson=joining&step=2", ""] {
            page.set(step, 1_000.0);
            assert_eq!((page.history.undoes(), page.history.redoes()), (None, None), "{step}");
            let and = if step.is_empty() { "" } else { "&" };
            page.set(&format!("{step}{and}seed=8"), 2_000.0);
            page.undo(step);
            assert_eq!((page.history.undoes(), page.history.redoes().as_deref()), (None, Some("seed")), "{step}");
        }
    }

    #[test]
    fn a_gesture_is_one_change() {
        let mut page = page();
        for step in 1_u32..=20 {
            page.set(&format!("M={}", 50 + step), 100.0 * f64::from(step));
        }
        page.set("M=70&eps=0.5", 2_050.0);
        page.set("M=80&eps=0.5", 2_100.0);
        page.set("M=90&eps=0.5", 9_999.0);
        page.undo("M=80&eps=0.5");
        page.undo("M=70&eps=0.5");
        page.undo("M=70");
        page.undo("");
        assert_eq!(page.history.undo(&page.now), None);
        page.redo("M=70");
        page.redo("M=70&eps=0.5");
        assert_eq!((page.history.undoes(), page.history.redoes()), (Some("eps".into()), Some("M".into())));
    }

    #[test]
    fn there_and_back_in_one_gesture_is_no_change() {
        let mut page = page();
        page.set("eps=0.5", 0.0);
        for (step, m) in [60, 70, 60].into_iter().enumerate() {
            page.set(&format!("M={m}&eps=0.5"), 5_000.0 + 100.0 * step as f64);
        }
        page.set("eps=0.5", 5_300.0);
        page.undo("");
    }

    #[test]
    fn there_and_back_does_not_go_on_with_an_older_gesture() {
        let mut page = page();
        page.set("M=60", 0.0);
        for (step, m) in [70, 60, 65].into_iter().enumerate() {
            page.set(&format!("M={m}"), 5_000.0 + 100.0 * step as f64);
        }
        page.undo("M=60");
        page.undo("");
    }

    #[test]
    fn a_change_after_an_undo_ends_what_could_be_made_again() {
        let mut page = page();
        page.set("M=60", 0.0);
        page.set("M=60&eps=0.5", 10.0);
        page.undo("M=60");
        page.set("M=70", 20.0);
        assert_eq!(page.history.redo(&page.now), None);
        page.undo("M=60");
        page.undo("");
    }

    #[test]
    fn the_view_is_no_change_and_stays() {
        let mut page = page();
        page.set("M=60", 0.0);
        page.set("view=map&M=60", 5_000.0);
        page.undo("view=map");
        page.set("", 6_000.0);
        page.redo("M=60");
        page.set("view=tradeoff&sweep=eps&M=60", 9_000.0);
        assert_eq!(page.history.undoes().as_deref(), Some("sweep"));
    }

    #[test]
    fn pins_can_be_brought_back() {
        let mut page = page();
        page.set("pin=M:5~name:few", 0.0);
        page.set("", 2_000.0);
        page.undo("pin=M:5~name:few");
    }

    #[test]
    fn a_hundred_changes_are_kept() {
        let mut page = page();
        for step in 1_u32..=150 {
            page.set(&format!("M={}", 50 + step), 1_000.0 * f64::from(step));
        }
        for _ in 0..KEPT {
            page.now = page.history.undo(&page.now).unwrap();
        }
        assert_eq!((page.history.undo(&page.now), page.now.to_query().as_str()), (None, "M=100"));
    }
}
