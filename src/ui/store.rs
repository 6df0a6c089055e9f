//! The page's signals, and the effects at its edges.
//!
//! A [`Draft`] and what is looked at become requests, requests become events, events become the [`Dashboard`] and the
//! [`Sweeps`]. There is no way back from a result to a setting, so nothing can go in circles.

use std::ops::Deref;

use leptos::prelude::*;

use super::filling::is_filling;
use super::reactive::{effect, memo};
use super::{controls, lesson, save, shell};
use crate::dashboard::export::menu::Choices;
use crate::dashboard::lesson::guess::Kind;
use crate::dashboard::lesson::progress::Progress;
use crate::dashboard::maps::{Maps, Wanted};
use crate::dashboard::sweep::{self, Plan, Sweeps};
use crate::dashboard::work::Stage;
use crate::dashboard::{Dashboard, sentences, wanted};
use crate::engine::pool::Lane;
use crate::params::embed::Embed;
use crate::params::guide::NAME;
use crate::params::history::History;
use crate::params::link;
use crate::params::views::{Across, SweepOf};
use crate::params::{Draft, Key, Notice, Pin, State, View, Views};
use crate::protocol::{Event, Request, Trouble};
use crate::sim::scenario::Settings;
use crate::web;
use crate::web::address::{self, Address, Entry};
use crate::web::clock;
use crate::web::engines::{Engines, Word};
use crate::web::listener::Timeout;
use crate::web::screen::SeenWatch;

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
        let (embed, State { draft, views, pins }, notices) = read_address();
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
            StoredValue::new_local(Engines::resting(move |word| hear(word, dashboard, sweeps, maps, unfilled)));
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
            name: StoredValue::new(address::take_name()),
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
        store.follow_changes();
        store.follow_returns();
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

    /// Stops work of a kind; what is in stays.
    pub fn stop(self, lane: Lane) {
        self.engines.with_value(|engines| engines.cancel(lane));
        match lane {
            Lane::Live => self.dashboard.update(|dashboard| dashboard.end(Stage::Stopped)),
            Lane::Survey => self.maps.update(|maps| maps.end(Stage::Stopped)),
            Lane::Sweep => self.sweeps.update(|sweeps| sweeps.end(sweep::State::Cancelled)),
        }
    }

    /// Begins anew what was stopped.
    pub fn repeat(self, lane: Lane) {
        // What is to be begun is read first: only once nothing is being read any more can it be written.
        match lane {
            Lane::Live => self.run(self.settings.draft.get_untracked().settings()),
            Lane::Survey => {
                let wanted = self.maps.read_untracked().wanted().cloned();
                if let Some(wanted) = wanted {
                    self.run_survey(wanted);
                }
            }
            Lane::Sweep => {
                let plan = self.sweeps.read_untracked().wanted().cloned();
                if let Some(plan) = plan {
                    self.run_sweep(plan);
                }
            }
        }
    }

    /// Rests while the page is hidden or out of sight.
    pub fn follow_sight(self, page: &web_sys::Element) {
        let watch = SeenWatch::new(page, self.is_seen.get_value(), move |is_seen| {
            self.is_seen.set_value(is_seen);
            self.begin_work();
        });
        StoredValue::new_local(watch);
    }

    /// Works if anybody can see the page, and rests otherwise, as it does until it is awake.
    pub(super) fn begin_work(self) {
        let works = self.is_seen.get_value() && self.is_awake.get_untracked();
        self.engines.with_value(|engines| engines.set_seen(works));
    }

    fn run_survey(self, wanted: Wanted) {
        let Wanted { survey, settings, .. } = wanted.clone();
        let request = |generation| [Request::Survey { generation, survey, settings }];
        let generation = self.engines.with_value(|engines| engines.submit(Lane::Survey, request));
        self.maps.update(|maps| maps.asked(generation, wanted, clock::now()));
    }

    fn run_sweep(self, plan: Plan) {
        let generation =
            self.engines.with_value(|engines| engines.submit(Lane::Sweep, |generation| plan.requests(generation)));
        self.sweeps.update(|sweeps| sweeps.asked(generation, plan, clock::now()));
    }

    fn run(self, settings: Settings) {
        let generation = self.engines.with_value(|engines| {
            engines.submit(Lane::Live, |generation| [Request::Run { generation, settings: settings.clone() }])
        });
        self.dashboard.update(|dashboard| dashboard.asked(generation, settings, clock::now()));
    }

    /// Edge: settings → engine → dashboard.
    fn follow_settings(self) {
        effect(move |_| self.run(self.settings.draft.read().settings()));
    }

    /// Edge: what is looked at → engines → sweeps.
    fn follow_sweep(self) {
        let plan = memo(move || wanted(&self.state()));
        let later = StoredValue::new_local(None::<Timeout>);
        let seen = StoredValue::new(Views::default());
        effect(move |_| {
            let wanted = plan.get();
            // Under a moving slider the settings change and nothing else: only then does the sweep on its way answer the question.
            let is_same_question = seen.get_value() == self.views.get_untracked();
            seen.set_value(self.views.get_untracked());
            let wait = self.sweeps.read_untracked().worth_waiting(wanted.as_ref(), clock::now());
            let wait = wait.filter(|_| is_same_question);
            let timeout = wait.and_then(|ms| Timeout::new(ms, move || self.turn_to(plan.get_untracked())));
            if timeout.is_none() {
                self.turn_to(wanted);
            } else {
                self.is_waiting.set(true);
            }
            later.set_value(timeout);
        });
    }

    /// Has the engines work on these experiments, unless they are there already.
    fn turn_to(self, plan: Option<Plan>) {
        self.is_waiting.set(false);
        let is_aside = {
            let views = self.views.read_untracked();
            // Beside a map, studies are but dots on it; beside a run, and beside systems, runs that are kept.
            matches!(views.view, View::Map | View::Systems) || (views.view == View::Explore && views.sweep.is_none())
        };
        let first = if plan.is_some() && !is_aside { Lane::Sweep } else { Lane::Live };
        self.engines.with_value(|engines| engines.put_first(first));
        let is_new = self.sweeps.try_update(|sweeps| sweeps.want(plan.as_ref())).unwrap_or_default();
        match plan.filter(|_| is_new) {
            Some(plan) => self.run_sweep(plan),
            None if self.sweeps.read_untracked().is_running() => {}
            None => self.engines.with_value(|engines| engines.cancel(Lane::Sweep)),
        }
    }

    /// Edge: the map that is looked at → engine → maps.
    fn follow_map(self) {
        let wanted = memo(move || {
            let views = self.views.read();
            (views.view == View::Map).then(|| Wanted::new(views.map, &self.settings.draft.read()))
        });
        effect(move |_| {
            let wanted = wanted.get();
            let is_new = self.maps.try_update(|maps| maps.want(wanted.as_ref())).unwrap_or_default();
            if let Some(wanted) = wanted.filter(|_| is_new) {
                self.run_survey(wanted);
            }
        });
    }

    /// Edge: everything that is set → address and history. An address is left as it came until something changes.
    fn follow_changes(self) {
        let (address, seen) = (StoredValue::new_local(Address::default()), StoredValue::new(self.state_now()));
        effect(move |_| {
            let state = self.state();
            let before = seen.get_value();
            if state == before {
                return;
            }
            seen.set_value(state.clone());
            let step = self.step.get_value();
            self.step.set_value(Step::default());
            let is_leap =
                step == Step::Leap || (state.views.view, state.views.guide) != (before.views.view, before.views.guide);
            let entry = if is_leap { Entry::New } else { Entry::Same };
            let query =
                self.settings.embed.with_value(|embed| link::query(embed.pairs().into_iter().chain(state.pairs())));
            address.with_value(|address| address.set_query(query, entry));
            if step != Step::Turn {
                self.history.update(|history| history.record(before, &state, clock::now()));
            }
        });
    }

    /// Edge: the person goes back or forward → everything that is set.
    fn follow_returns(self) {
        let listener = address::on_return(move || {
            let (_, state, notices) = read_address();
            self.settings.notices.set(notices);
            self.put(state);
        });
        StoredValue::new_local(listener);
    }
}

/// What the page's address says: how the page is embedded, everything that is set, and what cannot be used of it.
fn read_address() -> (Embed, State, Vec<Notice>) {
    let mut pairs = link::pairs(&address::query());
    pairs.extend(link::pairs(&address::fragment()).into_iter().filter(|(key, _)| key == NAME));
    for (_, name) in pairs.iter_mut().filter(|(key, _)| key == NAME) {
        *name = address::composed(name);
    }
    let (embed, mut notices) = Embed::take(&mut pairs, web::host::place());
    let (state, more) = State::from_pairs(pairs);
    notices.extend(more);
    (embed, state, notices)
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
}

/// Sets a signal, unless all stays as it was.
fn put<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    let is_same = *signal.read_untracked() == value;
    if !is_same {
        signal.set(value);
    }
}

/// What an engine says goes to where it belongs.
fn hear(
    word: Word,
    dashboard: RwSignal<Dashboard>,
    sweeps: RwSignal<Sweeps>,
    maps: RwSignal<Maps>,
    unfilled: RwSignal<u8>,
) {
    match word {
        Word::Event(Event::Working { .. }) => sweeps.notify(),
        Word::Event(event @ Event::Portion { .. }) => sweeps.update(|sweeps| {
            sweeps.apply(event);
        }),
        Word::Event(event @ (Event::Surveying { .. } | Event::Surveyed { .. })) => maps.update(|maps| {
            maps.apply(event);
        }),
        Word::Event(event @ Event::Refused { .. }) => {
            sweeps.update(|sweeps| {
                sweeps.apply(event.clone());
            });
            dashboard.update(|dashboard| dashboard.apply(event));
        }
        Word::Event(event) => dashboard.update(|dashboard| dashboard.apply(event)),
        Word::Trouble(trouble, reason) => {
            leptos::logging::warn!("engine: {} {reason}", sentences::trouble(trouble));
            dashboard.update(|dashboard| dashboard.suffer(trouble));
            match trouble {
                Trouble::SweepGivenUp => sweeps.update(|sweeps| sweeps.end(sweep::State::GivenUp)),
                Trouble::SurveyGivenUp => maps.update(|maps| maps.end(Stage::GivenUp)),
                Trouble::RunGivenUp => dashboard.update(|dashboard| dashboard.end(Stage::GivenUp)),
                Trouble::WorkerReplaced | Trouble::NoWorker => {}
            }
        }
    }
    let has_something =
        dashboard.read_untracked().has_something_to_say() || sweeps.read_untracked().has_something_to_show();
    // Behind the shell cards can be filled one after the other: nothing moves before anybody's eyes.
    if has_something && !is_filling(&dashboard.read_untracked(), unfilled.get_untracked()) {
        shell::give_way();
    }
}
