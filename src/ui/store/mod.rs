//! The page's signals, and the effects at its edges.
//!
//! The [`Draft`] and the shown view become requests, requests become events, and events become the [`Dashboard`] and
//! the [`Sweeps`]. Results never change settings, so there are no cycles. `work` has the edges to the engines,
//! `address` those to the browser's address and history.

mod address;
mod work;

use std::ops::Deref;

use leptos::prelude::*;

use super::filling::is_filling;
use super::reactive::memo;
use super::{controls, lesson, save};
use crate::dashboard::outgoing::export::menu::Choices;
use crate::dashboard::results::Dashboard;
use crate::dashboard::results::sweep::Sweeps;
use crate::dashboard::views::lesson::guess::Kind;
use crate::dashboard::views::lesson::progress::Progress;
use crate::dashboard::views::maps::Maps;
use crate::params::history::History;
use crate::params::views::{Across, SweepOf};
use crate::params::{Draft, Key, Notice, Pin, State, View, Views};
use crate::web;
use crate::web::address::take_name;
use crate::web::engines::Engines;

/// Handle to the state that the page's parts share. A window has one page, which lives as long as the window.
#[derive(Clone, Copy)]
pub struct Store(&'static Signals);

impl Deref for Store {
    type Target = Signals;

    fn deref(&self) -> &Signals {
        self.0
    }
}

/// All signals of the page: settings, view, results.
pub struct Signals {
    /// The settings, with the notices on values that could not be used.
    pub settings: controls::Settings,
    /// The shown view and its options.
    pub views: RwSignal<Views>,
    /// The pinned runs.
    pub pins: RwSignal<Vec<Pin>>,
    /// The steps of undo and redo.
    pub history: RwSignal<History>,
    /// Results of the run of the present settings.
    pub dashboard: RwSignal<Dashboard>,
    /// Results of sweeps.
    pub sweeps: RwSignal<Sweeps>,
    /// Results of maps.
    pub maps: RwSignal<Maps>,
    /// The last choices of the save menu.
    pub choices: RwSignal<Choices>,
    /// Progress in lessons.
    pub lesson: RwSignal<Progress>,
    /// The codes that a class handed in. Sentences depend on them, but links do not contain them.
    pub handed_in: RwSignal<String>,
    /// The student's name, if the link has one.
    pub name: StoredValue<Option<String>>,
    /// Kind of the guess that is still to be made; charts hide its results until then.
    pub veil: Memo<Option<Kind>>,
    /// Number of the theory's cards that are still to be filled for the first time.
    pub(super) unfilled: RwSignal<u8>,
    /// Whether a sweep will be requested after a short wait.
    pub(super) is_waiting: RwSignal<bool>,
    /// Whether the page computes; in a frame it may wait for a touch.
    pub is_awake: RwSignal<bool>,
    /// Whether the page is in sight.
    is_seen: StoredValue<bool>,
    /// Makes the export of the view's chart.
    pub(super) main_chart: StoredValue<Option<StoredValue<save::Make, LocalStorage>>, LocalStorage>,
    /// Kind of the next change.
    change: StoredValue<ChangeKind>,
    engines: StoredValue<Engines, LocalStorage>,
}

impl Store {
    /// Opens the page with the state in its address, and starts the engines.
    pub fn open() -> Self {
        let (embed, State { draft, views, pins }, notices) = address::read_address();
        let rests = embed.rests();
        let (views, lesson) = (RwSignal::new(views), RwSignal::new(lesson::remembered()));
        let settings = controls::Settings {
            draft: RwSignal::new(draft),
            notices: RwSignal::new(notices),
            embed: StoredValue::new(embed),
            guided: memo(move || lesson::controls(&views.read())),
        };
        let (dashboard, sweeps) = (RwSignal::new(Dashboard::default()), RwSignal::new(Sweeps::default()));
        let maps = RwSignal::new(Maps::default());
        let unfilled = RwSignal::new(0);
        let engines = StoredValue::new_local(Engines::resting(move |message| {
            work::hear(message, dashboard, sweeps, maps, unfilled);
        }));
        let signals = Signals {
            settings,
            views,
            pins: RwSignal::new(pins),
            history: RwSignal::new(History::default()),
            dashboard,
            sweeps,
            maps,
            choices: RwSignal::new(save::remembered()),
            lesson,
            handed_in: RwSignal::new(String::new()),
            name: StoredValue::new(take_name()),
            veil: memo(move || lesson::veil(&views.read(), &lesson.read())),
            unfilled,
            is_waiting: RwSignal::new(false),
            is_awake: RwSignal::new(!rests),
            is_seen: StoredValue::new(!web::host::is_framed() && !web::screen::is_hidden()),
            main_chart: StoredValue::new_local(None),
            change: StoredValue::new(ChangeKind::default()),
            engines,
        };
        let store = Self(Box::leak(Box::new(signals)));
        // A frame may be out of sight: it waits for `follow_sight` before it computes.
        store.begin_work();
        // The results that are on screen are requested first.
        store.follow_sweep();
        store.follow_settings();
        store.follow_map();
        store.follow_address();
        store.follow_lesson();
        store
    }

    /// The state, tracked.
    pub fn state(self) -> State {
        State { draft: self.settings.draft.get(), views: self.views.get(), pins: self.pins.get() }
    }

    /// The state, untracked.
    pub fn state_now(self) -> State {
        let (draft, views) = (self.settings.draft.get_untracked(), self.views.get_untracked());
        State { draft, views, pins: self.pins.get_untracked() }
    }

    /// Goes to a state in one step, which "back" and "undo" can revert.
    pub fn go_to(self, state: State, notices: Vec<Notice>) {
        self.settings.notices.set(notices);
        self.take(ChangeKind::Leap, state);
    }

    /// Resets all settings to their defaults; view and pins stay.
    pub fn reset_all(self) {
        self.go_to(State { draft: Draft::default(), ..self.state_now() }, Vec::new());
    }

    /// Undoes the last change.
    pub fn undo(self) {
        self.turn(History::undo);
    }

    /// Redoes the last undone change.
    pub fn redo(self) {
        self.turn(History::redo);
    }

    fn turn(self, turn: fn(&mut History, &State) -> Option<State>) {
        let now = self.state_now();
        let state = self.history.try_update(|history| turn(history, &now)).flatten();
        if let Some(state) = state {
            self.take(ChangeKind::Turn, state);
        }
    }

    /// Goes to a state, and records the kind of the change. Without a change nothing is recorded, since it would apply
    /// to the next one.
    fn take(self, change: ChangeKind, state: State) {
        if state != self.state_now() {
            self.change.set_value(change);
            self.put(state);
        }
    }

    pub(super) fn put(self, State { draft, views, pins }: State) {
        put(self.settings.draft, draft);
        put(self.views, views);
        put(self.pins, pins);
    }

    /// Whether nothing on screen will change by itself, tracked.
    pub fn is_settled(self) -> bool {
        self.dashboard.read().is_settled()
            && !self.sweeps.read().is_running()
            && !self.maps.read().is_running()
            && !self.is_waiting.get()
            && !is_filling(&self.dashboard.read(), self.unfilled.get())
    }

    /// Whether the shown run has the present settings, even if it is not complete.
    pub fn is_up_to_date(self) -> bool {
        let settings = self.settings.draft.read_untracked().settings();
        !self.is_waiting.get_untracked()
            && self.dashboard.read_untracked().run().is_some_and(|run| run.settings == settings)
    }

    /// The view, tracked.
    pub fn view(self) -> Memo<View> {
        memo(move || self.views.read().view)
    }

    /// Shows a sweep of a parameter with one curve per value, or, in the trade-off, puts the parameter on its axis. In
    /// the Explore view, a second call ends the sweep.
    pub fn sweep(self, key: Key) {
        self.views.update(|views| {
            if let (View::TradeOff, Some(across)) = (views.view, Across::of(key)) {
                views.set_across(across);
            } else {
                let again = views.view == View::Explore && views.sweep.as_ref().is_some_and(|of| of.key == key);
                (views.view, views.sweep) = (View::Explore, if again { None } else { SweepOf::begun(key) });
            }
        });
    }

    /// Puts a parameter on the trade-off's axis.
    pub fn set_across(self, across: Across) {
        self.views.update(|views| views.set_across(across));
    }
}

/// Kind of a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ChangeKind {
    /// By a control.
    #[default]
    Move,
    /// To another state as a whole.
    Leap,
    /// Undo or redo.
    Turn,
    /// To what another entry of the browser's history says, which is left as it is.
    Return,
}

/// Sets a signal, unless it has the value already.
fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    let is_same = *signal.read_untracked() == value;
    if !is_same {
        signal.set(value);
    }
}
