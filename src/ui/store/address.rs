//! The page and its address: the address holds the whole state, and restores it.

use leptos::prelude::*;

use super::{ChangeKind, Store};
use crate::params::embed::Embed;
use crate::params::link;
use crate::params::name::NAME;
use crate::params::{Notice, State};
use crate::ui::reactive::effect;
use crate::web;
use crate::web::address::{self, Address, Entry};
use crate::web::clock;

impl Store {
    /// Edge: state ↔ address and history. The address stays as it came until something changes.
    pub(super) fn follow_address(self) {
        let address = StoredValue::new_local(Address::default());
        self.follow_changes(address);
        let listener = address::on_return(move || {
            // A write that still waits belongs to the entry that was left, and would overwrite the one just reached.
            address.with_value(Address::forget);
            let (_, state, notices) = read_address();
            self.settings.notices.set(notices);
            self.take(ChangeKind::Return, state);
        });
        StoredValue::new_local(listener);
    }

    fn follow_changes(self, address: StoredValue<Address, LocalStorage>) {
        let seen = StoredValue::new(self.state_now());
        effect(move |_| {
            let state = self.state();
            let before = seen.get_value();
            if state == before {
                return;
            }
            seen.set_value(state.clone());
            let change = self.change.get_value();
            self.change.set_value(ChangeKind::default());
            if change != ChangeKind::Return {
                let is_leap = change == ChangeKind::Leap
                    || (state.views.view, state.views.guide) != (before.views.view, before.views.guide);
                let entry = if is_leap { Entry::New } else { Entry::Same };
                let query =
                    self.settings.embed.with_value(|embed| link::query(embed.pairs().into_iter().chain(state.pairs())));
                address.with_value(|address| address.set_query(query, entry));
            }
            if change != ChangeKind::Turn {
                self.history.update(|history| history.record(before, &state, clock::now()));
            }
        });
    }
}

/// Content of the page's address: embedding, state, and notices on unusable parts.
pub(super) fn read_address() -> (Embed, State, Vec<Notice>) {
    let is_name = |key: &str| key.trim().eq_ignore_ascii_case(NAME);
    let mut pairs = link::pairs(&address::query());
    pairs.extend(link::pairs(&address::fragment()).into_iter().filter(|(key, _)| is_name(key)));
    for (_, name) in pairs.iter_mut().filter(|(key, _)| is_name(key)) {
        *name = address::composed(name);
    }
    let (embed, mut notices) = Embed::take(&mut pairs, web::host::framing());
    let (state, more) = State::from_pairs(pairs);
    notices.extend(more);
    (embed, state, notices)
}
