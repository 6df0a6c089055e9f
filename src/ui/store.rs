//! The page's signals, and the effects at its edges.
//!
//! A [`Draft`] becomes a request, a request becomes events, events become the [`Dashboard`]. There is no way back from a
//! result to a setting, so nothing can go in circles.

use leptos::prelude::*;

use super::controls::Settings;
use super::shell;
use crate::dashboard::{Dashboard, sentences};
use crate::engine::pool::Lane;
use crate::params::Draft;
use crate::protocol::Request;
use crate::web::address::{self, Address};
use crate::web::engines::{Engines, Word};

/// What the page's parts share.
#[derive(Clone, Copy)]
pub struct Store {
    /// What is set, and what was wrong with what was asked for.
    pub settings: Settings,
    /// What has come back.
    pub dashboard: RwSignal<Dashboard>,
}

impl Store {
    /// Begins with the settings in the page's address, and starts the engine.
    pub fn open() -> Self {
        let (draft, notices) = Draft::from_query(&address::query());
        let settings = Settings { draft: RwSignal::new(draft), notices: RwSignal::new(notices) };
        let store = Self { settings, dashboard: RwSignal::new(Dashboard::default()) };
        store.follow_settings();
        store
    }

    /// Edges: settings → engine → dashboard, and settings → address.
    fn follow_settings(self) {
        let (dashboard, draft) = (self.dashboard, self.settings.draft);
        let engines = StoredValue::new_local(Engines::start(move |word| {
            match word {
                Word::Event(event) => dashboard.update(|dashboard| dashboard.apply(event)),
                Word::Trouble(trouble, reason) => {
                    leptos::logging::warn!("engine: {} {reason}", sentences::trouble(trouble));
                    dashboard.update(|dashboard| dashboard.suffer(trouble));
                }
            }
            if dashboard.read_untracked().has_something_to_say() {
                shell::give_way();
            }
        }));
        let address = StoredValue::new_local(Address::default());
        Effect::new(move |was_read: Option<()>| {
            let draft = draft.read();
            let wanted = draft.settings();
            let generation = engines.with_value(|engines| {
                engines.submit(Lane::Live, |generation| [Request::Run { generation, settings: wanted.clone() }])
            });
            dashboard.update(|dashboard| dashboard.asked(generation, wanted));
            // The address as it came is left alone until something changes.
            if was_read.is_some() {
                address.with_value(|address| address.set_query(draft.to_query()));
            }
        });
    }
}
