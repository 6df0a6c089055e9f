//! Controls: everything on the page that sets a parameter.
//!
//! They read their ranges, words and defaults from [`params`](crate::params) and write to [`Settings`] alone.

pub mod choice;
pub mod fixed;
pub mod help;
pub mod number_box;
pub mod panel;
pub mod presets;
pub mod slider;

use super::reactive::memo;
use leptos::prelude::*;

use crate::dashboard::views::landmarks::Landmark;
use crate::params::embed::{Embed, OPTIONS};
use crate::params::{Draft, Key, Move, Notice};

/// The signals of controls: the settings, and the notices on values that could not be used.
#[derive(Clone, Copy)]
pub struct Settings {
    /// The present settings.
    pub draft: RwSignal<Draft>,
    /// Notices that nobody has dismissed yet, at most one per key.
    pub notices: RwSignal<Vec<Notice>>,
    /// Which controls exist, and which of them are locked.
    pub embed: StoredValue<Embed>,
    /// The controls that the present step of a lesson shows; `None` outside of lessons.
    pub guided: Memo<Option<&'static [&'static str]>>,
}

impl Settings {
    /// Whether a control is on the page, tracked. In a lesson its step decides.
    pub fn shows(self, key: &str) -> bool {
        match self.guided.get() {
            Some(keys) => keys.contains(&key),
            None => self.embed.with_value(|embed| embed.shows(key)),
        }
    }

    /// Whether a control is locked.
    pub fn locks(self, key: &str) -> bool {
        self.embed.with_value(|embed| embed.locks(key))
    }

    /// Whether the names of parameters lead to sweeps. Frames stay in the view that their authors chose.
    pub fn leads_to_sweeps(self) -> bool {
        self.embed.with_value(|embed| embed.shows(OPTIONS))
    }

    /// The value of a parameter, tracked.
    pub fn value(self, key: Key) -> Memo<f64> {
        memo(move || self.draft.read().get(key))
    }

    /// Sets a parameter.
    pub fn set(self, key: Key, value: f64) {
        self.change(key.param().link, |draft| draft.set(key, value));
    }

    /// Sets two parameters at once.
    pub fn set_both(self, first: (Key, f64), second: (Key, f64)) {
        let both = [first, second].into_iter().filter(|(key, _)| !self.locks(key.param().link));
        let links: Vec<_> = both.clone().map(|(key, _)| key.param().link).collect();
        self.change_all(&links, |draft| both.filter_map(|(key, value)| draft.set(key, value)).collect());
    }

    /// Sets a parameter from a typed text.
    pub fn set_text(self, key: Key, text: &str) {
        self.change(key.param().link, |draft| draft.set_text(key, text));
    }

    /// Moves a parameter along its slider.
    pub fn step(self, key: Key, step: Move) {
        let value = self.draft.read_untracked().get(key);
        self.set(key, key.param().grid.moved(value, step));
    }

    /// Resets a parameter to its default.
    pub fn reset(self, key: Key) {
        self.change(key.param().link, |draft| {
            draft.reset(key);
            None
        });
    }

    /// Changes the settings, unless the author of the page around has locked this one. The signal is only set if they
    /// differ from before.
    pub fn change(self, link: &str, change: impl FnOnce(&mut Draft) -> Option<Notice>) {
        if self.locks(link) {
            return;
        }
        self.change_all(&[link], |draft| change(draft).into_iter().collect());
    }

    /// Changes several settings at once.
    fn change_all(self, links: &[&str], change: impl FnOnce(&mut Draft) -> Vec<Notice>) {
        let mut draft = self.draft.get_untracked();
        let found = change(&mut draft);
        if *self.draft.read_untracked() != draft {
            self.draft.set(draft);
        }
        self.put_notices(links, found);
    }

    /// Makes a change that may lead to a notice.
    pub fn report(self, link: &str, change: impl FnOnce() -> Option<Notice>) {
        self.put_notices(&[link], change().into_iter().collect());
    }

    /// Replaces the old notices of these keys.
    fn put_notices(self, links: &[&str], found: Vec<Notice>) {
        let is_settled = self.notices.read_untracked().iter().any(|old| links.contains(&old.key.as_str()));
        if is_settled || !found.is_empty() {
            self.notices.update(|notices| {
                notices.retain(|old| !links.contains(&old.key.as_str()));
                notices.extend(found);
            });
        }
    }
}

/// Computed facts about the sliders' values.
#[derive(Clone, Copy)]
pub struct Known {
    /// The measured heterogeneity, in words.
    pub measured: Signal<String>,
    /// Landmarks along the sliders.
    pub landmarks: Memo<Vec<Landmark>>,
}

/// The id of a parameter's main input, for labels and for notices that lead to it.
pub fn control_id(link: &str) -> String {
    format!("control-{link}")
}
