//! Filling of cards one after the other.

use leptos::prelude::*;

use super::reactive::{effect, memo};
use super::shell;
use super::store::Store;
use crate::dashboard::results::Dashboard;
use crate::dashboard::results::Run;
use crate::web::listener::Timeout;

impl Store {
    /// Fills this many cards one after the other, each in a task of its own: all at once, in code that the browser has
    /// not run before, they would block the page for longer than a finger on a slider tolerates.
    pub(super) fn fill_one_by_one(self, n_cards: u8) {
        self.unfilled.set(n_cards);
        on_cleanup(move || self.unfilled.set(0));
        let next = StoredValue::new_local(None::<Timeout>);
        effect(move |_| {
            if is_filling(&self.dashboard.read(), self.unfilled.get()) {
                next.set_value(Timeout::new(0, move || {
                    let left = self.unfilled.try_update(|left| {
                        *left = left.saturating_sub(1);
                        *left
                    });
                    if left == Some(0) {
                        shell::give_way();
                    }
                }));
            }
        });
    }

    /// Whether it is, or was, the turn of the card after which `after` others are filled. The memo changes once per
    /// card, and not at every other card's turn, which would make it compute its content again.
    pub(super) fn turn_of_card(self, after: u8) -> Memo<bool> {
        memo(move || self.unfilled.get() <= after)
    }
}

/// Whether cards are being filled for the first time; their content is known.
pub(super) fn is_filling(dashboard: &Dashboard, unfilled: u8) -> bool {
    unfilled > 0 && dashboard.run().is_some_and(Run::has_theory)
}
