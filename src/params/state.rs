//! All settings together: the content of a link or a scenario file, and the unit of undo.

use super::draft::Draft;
use super::guide::{Guide, Lesson};
use super::link;
use super::name;
use super::notice::Notice;
use super::pins::{self, PIN, Pin};
use super::table::Key;
use super::views::Views;

/// Settings, view and pins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The settings.
    pub draft: Draft,
    /// The view and its options.
    pub views: Views,
    /// The pinned runs.
    pub pins: Vec<Pin>,
}

/// The most characters of a link that all programs accept: mail readers, messengers and learning platforms cut longer
/// links.
pub const LINK_CHARS: usize = 2_000;

impl State {
    /// Reads a whole query. Values that cannot be used are replaced or ignored, and named in a notice.
    ///
    /// ```
    /// use fedsysid::params::{Key, State, View};
    /// let (state, notices) = State::from_query("?view=map&M=100&pin=M:5~name:few");
    /// assert_eq!((state.views.view, state.draft.get(Key::Clients)), (View::Map, 100.0));
    /// assert_eq!((state.pins[0].draft.get(Key::Clients), notices.len()), (5.0, 0));
    /// ```
    pub fn from_query(query: &str) -> (Self, Vec<Notice>) {
        Self::from_pairs(link::pairs(query))
    }

    /// Reads pairs (key, value).
    pub fn from_pairs(pairs: Vec<(String, String)>) -> (Self, Vec<Notice>) {
        let mut state = Self::default();
        let notices = state.apply(pairs);
        (state, notices)
    }

    /// Sets what pairs (key, value) name; the rest stays. Pins in the pairs replace all existing pins.
    pub fn apply(&mut self, mut pairs: Vec<(String, String)>) -> Vec<Notice> {
        let name = name::take(&mut pairs);
        let (names_step, mut notices) = self.views.guide.apply(&mut pairs);
        let guide = self.views.guide;
        if names_step && guide.lesson != Lesson::None {
            *self = self.at_step(guide.lesson, guide.step);
            self.views.guide = guide;
        }
        let is_seed = |(key, _): &(String, String)| key.trim().eq_ignore_ascii_case(Key::Seed.param().link);
        if let Some(name) = name.filter(|_| !pairs.iter().any(is_seed)) {
            self.draft.set(Key::Seed, name::seed_of(&name).into());
        }
        notices.extend(self.views.apply(&mut pairs));
        let (mut own_pins, settings): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(key, _)| pins::is_pin(key));
        notices.extend(self.draft.apply(&settings));
        if !own_pins.is_empty() {
            let (pins, more) = pins::take(&mut own_pins, &self.draft);
            self.pins = pins;
            notices.extend(more);
        }
        notices
    }

    /// The pairs (key, value) that differ from the defaults, or from the start of a lesson's step; percent-encoded for
    /// a link.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let start = self.start();
        let mut pairs = self.view_pairs(&start);
        pairs.extend(self.draft.pairs_beside(&start.draft));
        pairs.extend(self.pins.iter().map(|pin| (PIN, pin.value(&self.draft))));
        pairs
    }

    /// The state from which a link names the differences: the defaults, or the start of a lesson's step.
    fn start(&self) -> Self {
        let Guide { lesson, step, .. } = self.views.guide;
        Self::of_step(lesson, step)
    }

    /// The pairs of the view that differ from `start`. Those of a lesson come first, whatever `start` says.
    fn view_pairs(&self, start: &Self) -> Vec<(&'static str, String)> {
        let guide = self.views.guide.pairs().into_iter().zip(Guide::default().pairs());
        let guide = guide.filter(|(ours, default)| ours != default).map(|(ours, _)| ours);
        let start = Views { guide: self.views.guide, ..start.views.clone() };
        guide.chain(self.views.pairs_beside(&start)).collect()
    }

    /// The pairs of the view, as in a link.
    pub(super) fn views_in_a_link(&self) -> Vec<(&'static str, String)> {
        self.view_pairs(&self.start())
    }

    /// The query of a link, without a leading `?`; empty for the defaults.
    pub fn to_query(&self) -> String {
        link::query(self.pairs())
    }

    /// The state from which a step of a lesson starts.
    pub fn of_step(lesson: Lesson, step: usize) -> Self {
        let query = lesson.presets().get(step).copied().unwrap_or_default();
        let (mut state, _) = Self::from_query(query);
        state.views.guide = Guide { lesson, step, ..Guide::default() };
        state
    }

    /// The start of a lesson's step, with the seeds of this state.
    pub fn at_step(&self, lesson: Lesson, step: usize) -> Self {
        let mut state = Self::of_step(lesson, step);
        state.draft.draw_as(&self.draft);
        state
    }

    /// This state without its lesson; settings stay.
    pub fn out_of_lesson(&self) -> Self {
        let mut state = self.clone();
        state.views.guide = Guide::default();
        state
    }

    /// The keys of all differences from another state, each once.
    pub fn differs_in(&self, other: &Self) -> Vec<&'static str> {
        let (views, draft) = (self.views.pairs_beside(&other.views), self.draft.pairs_beside(&other.draft));
        let mut keys: Vec<_> = views.iter().chain(&draft).map(|(key, _)| *key).collect();
        keys.extend((self.pins != other.pins).then_some(PIN));
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Key, View};

    #[test]
    fn all_parts_are_read_from_one_link_in_any_order() {
        let query = "pin=M:5~name:few&eps=0.5&view=map&M=100&pin=name:here";
        let (state, notices) = State::from_query(query);
        assert_eq!(notices, []);
        assert_eq!(state.to_query(), "view=map&M=100&eps=0.5&pin=M:5~name:few&pin=name:here");
        assert_eq!(State::from_query(&state.to_query()), (state, vec![]));
    }

    #[test]
    fn the_defaults_are_an_empty_link() {
        assert_eq!(State::default().to_query(), "");
        assert_eq!(State::from_query(""), (State::default(), vec![]));
    }

    #[test]
    fn differences_are_named_by_their_keys() {
        let (before, _) = State::from_query("view=map&M=100");
        let (mut after, _) = State::from_query("eps=0.5&M=100&schedule=local");
        assert_eq!(after.differs_in(&before), ["view", "eps", "schedule"]);
        assert_eq!(after.differs_in(&after), [""; 0]);
        after.views.view = View::Paper;
        after.pins.push(Pin::new(before.draft.clone(), &[]));
        after.draft.set(Key::Clients, 50.0);
        assert_eq!(before.differs_in(&after), ["view", "M", "eps", "schedule", "pin"]);
        let (one, _) = State::from_query("sweep=M:1,5&view=map");
        let (other, _) = State::from_query("sweep=M:5,25");
        assert_eq!((one.differs_in(&other), other.differs_in(&one)), (vec!["view", "sweep"], vec!["view", "sweep"]));
    }
}
