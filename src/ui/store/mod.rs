//! The page's signals, and the effects at its edges.
//!
//! A [`Draft`] and what is looked at become requests, requests become events, events become the [`Dashboard`] and the
//! [`Sweeps`]. There is no way back from a result to a setting, so nothing can go in circles. `work` has the edges towards
//! the engines, `address` those towards the browser's address and history.

mod address;
mod work;

use std::ops::Deref;

use leptos::prelude::*;

use super::filling::is_filling;
use super::reactive::memo;
use super::{controls, lesson, save};
use crate::dashboard::Dashboard;
use crate::dashboard::export::menu::Choices;
use crate::dashboard::lesson::guess::Kind;
use crate::dashboard::lesson::progress::Progress;
use crate::dashboard::maps::Maps;
use crate::dashboard::sweep::Sweeps;
use crate::params::history::History;
use crate::params::views::{Across, SweepOf};
use crate::params::{Draft, Key, Notice, Pin, State, View, Views};
use crate::web;
use crate::web::address::take_name;
use crate::web::engines::Engines;

/// What the page's parts share: one handle. There is one page in a window, and it lives as long as that.
#[derive(Clone, Copy)]
pub struct Store(&'static Shared);

impl Deref for Store {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        self.0
    }
}

/// All that is set, looked at, and came back.
pub struct Shared {
    /// What is set, and what was wrong with what was asked for.
    pub settings: controls::Settings,
    /// What is looked at, and how.
    pub views: RwSignal<Views>,
    /// The runs that are kept.
    pub pins: RwSignal<Vec<Pin>>,
    /// What can be taken back, and made again.
    pub history: RwSignal<History>,
    /// What has come back of the run that follows the settings.
    pub dashboard: RwSignal<Dashboard>,
    /// What has come back of many experiments at once.
    pub sweeps: RwSignal<Sweeps>,
    /// What has come back of maps.
    pub maps: RwSignal<Maps>,
    /// How charts were saved last.
    pub choices: RwSignal<Choices>,
    /// How far the person is in lessons.
    pub lesson: RwSignal<Progress>,
    /// What a class handed in: part of what is said, and of no link.
    pub handed_in: RwSignal<String>,
    /// Whose clients these are, if a link says so.
    pub name: StoredValue<Option<String>>,
    /// What a chart must not tell before somebody has drawn it.
    pub veil: Memo<Option<Kind>>,
    /// The theory's cards that are still to be filled for the first time.
    pub(super) unfilled: RwSignal<u8>,
    /// Whether a sweep is about to be asked for.
    is_waiting: RwSignal<bool>,
    /// Whether it works; in a frame it may rest until somebody touches it.
    pub is_awake: RwSignal<bool>,
    /// Whether anybody can see the page.
    is_seen: StoredValue<bool>,
    /// How the view's chart is taken away.
    pub(super) main_chart: StoredValue<Option<StoredValue<save::Make, LocalStorage>>, LocalStorage>,
    /// How the next change comes about.
    step: StoredValue<Step>,
    engines: StoredValue<Engines, LocalStorage>,
}

impl Store {
    /// Begins with what the page's address says, and starts the engines.
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
        let engines =
            StoredValue::new_local(Engines::resting(move |word| work::hear(word, dashboard, sweeps, maps, unfilled)));
        let shared = Shared {
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
            is_seen: StoredValue::new(!web::host::is_framed()),
            main_chart: StoredValue::new_local(None),
            step: StoredValue::new(Step::default()),
            engines,
        };
        let store = Self(Box::leak(Box::new(shared)));
        // A frame may be anywhere on its page: it waits to be told that it is in sight.
        store.begin_work();
        // What is seen is asked for first.
        store.follow_sweep();
        store.follow_settings();
        store.follow_map();
        store.follow_address();
        store.follow_lesson();
        store
    }

    /// Everything that is set, tracked.
    pub fn state(self) -> State {
        State { draft: self.settings.draft.get(), views: self.views.get(), pins: self.pins.get() }
    }

    /// Everything that is set, untracked.
    pub fn state_now(self) -> State {
        let (draft, views) = (self.settings.draft.get_untracked(), self.views.get_untracked());
        State { draft, views, pins: self.pins.get_untracked() }
    }

    /// Goes to a state, as one step that "back" and "undo" lead back from.
    pub fn go_to(self, state: State, notices: Vec<Notice>) {
        self.settings.notices.set(notices);
        self.take(Step::Leap, state);
    }

    /// Every setting at its default; what is looked at and what is kept stay.
    pub fn reset_all(self) {
        self.go_to(State { draft: Draft::default(), ..self.state_now() }, Vec::new());
    }

    /// Takes the last change back.
    pub fn undo(self) {
        self.turn(History::undo);
    }

    /// Makes the change that was taken back again.
    pub fn redo(self) {
        self.turn(History::redo);
    }

    fn turn(self, turn: fn(&mut History, &State) -> Option<State>) {
        let now = self.state_now();
        let state = self.history.try_update(|history| turn(history, &now)).flatten();
        if let Some(state) = state {
            self.take(Step::Turn, state);
        }
    }

    /// Takes a step to a state. One that leads nowhere is none, and must not color the next.
    fn take(self, step: Step, state: State) {
        if state != self.state_now() {
            self.step.set_value(step);
            self.put(state);
        }
    }

    pub(super) fn put(self, State { draft, views, pins }: State) {
        put(self.settings.draft, draft);
        put(self.views, views);
        put(self.pins, pins);
    }

    /// Whether nothing on screen will change by itself.
    pub fn is_settled(self) -> bool {
        self.dashboard.read().is_settled()
            && !self.sweeps.read().is_running()
            && !self.maps.read().is_running()
            && !self.is_waiting.get()
            && !is_filling(&self.dashboard.read(), self.unfilled.get())
    }

    /// Whether what is shown is of the settings as they are, if perhaps not complete.
    pub fn is_up_to_date(self) -> bool {
        let settings = self.settings.draft.read_untracked().settings();
        !self.is_waiting.get_untracked()
            && self.dashboard.read_untracked().run().is_some_and(|run| run.settings == settings)
    }

    /// The view, tracked.
    pub fn view(self) -> Memo<View> {
        memo(move || self.views.read().view)
    }

    /// Shows one curve a value of a parameter, or puts it on the trade-off's axis if that is what is looked at.
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

    /// Puts a parameter along the trade-off's axis.
    pub fn set_across(self, across: Across) {
        self.views.update(|views| views.set_across(across));
    }
}

/// How a change comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// By a control.
    #[default]
    Move,
    /// To another state altogether.
    Leap,
    /// Back to how it was, or forth.
    Turn,
    /// To what another entry of the browser's history says, which is left as it is.
    Return,
}

/// Sets a signal, unless all stays as it was.
fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    let is_same = *signal.read_untracked() == value;
    if !is_same {
        signal.set(value);
    }
}
