//! The page's signals, and the effects at its edges.
//!
//! A [`Draft`] and what is looked at become requests, requests become events, events become the [`Dashboard`] and the
//! [`Sweeps`]. There is no way back from a result to a setting, so nothing can go in circles.

use super::reactive::{effect, memo};
use leptos::prelude::*;

use super::controls;
use super::shell;
use crate::dashboard::maps::{Maps, Wanted};
use crate::dashboard::sweep::{Plan, State, Sweep, Sweeps};
use crate::dashboard::work::Stage;
use crate::dashboard::{Dashboard, sentences, wanted};
use crate::engine::pool::{Lane, Trouble};
use crate::params::views::{Across, SweepOf};
use crate::params::{Draft, Key, View, Views, link};
use crate::protocol::{Event, Request};
use crate::sim::scenario::Settings;
use crate::web::address::{self, Address};
use crate::web::clock;
use crate::web::engines::{Engines, Word};
use crate::web::listener::Timeout;
use crate::web::screen::SeenWatch;

/// What the page's parts share.
#[derive(Clone, Copy)]
pub struct Store {
    /// What is set, and what was wrong with what was asked for.
    pub settings: controls::Settings,
    /// What is looked at, and how.
    pub views: RwSignal<Views>,
    /// What has come back of the run that follows the settings.
    pub dashboard: RwSignal<Dashboard>,
    /// What has come back of many experiments at once.
    pub sweeps: RwSignal<Sweeps>,
    /// What has come back of maps.
    pub maps: RwSignal<Maps>,
    /// Whether a sweep is about to be asked for.
    is_waiting: RwSignal<bool>,
    engines: StoredValue<Engines, LocalStorage>,
}

impl Store {
    /// Begins with what the page's address says, and starts the engines.
    pub fn open() -> Self {
        let mut pairs = link::pairs(&address::query());
        let (views, mut notices) = Views::take(&mut pairs);
        let (draft, more) = Draft::from_pairs(&pairs);
        notices.extend(more);
        let settings = controls::Settings { draft: RwSignal::new(draft), notices: RwSignal::new(notices) };
        let (dashboard, sweeps) = (RwSignal::new(Dashboard::default()), RwSignal::new(Sweeps::default()));
        let maps = RwSignal::new(Maps::default());
        let engines = StoredValue::new_local(Engines::start(move |word| hear(word, dashboard, sweeps, maps)));
        let store = Self {
            settings,
            views: RwSignal::new(views),
            dashboard,
            sweeps,
            maps,
            is_waiting: RwSignal::new(false),
            engines,
        };
        // What is seen is asked for first.
        store.follow_sweep();
        store.follow_settings();
        store.follow_map();
        store.follow_address();
        store
    }

    /// Whether nothing on screen will change by itself.
    pub fn is_settled(self) -> bool {
        self.dashboard.read().is_settled()
            && !self.sweeps.read().is_running()
            && !self.maps.read().is_running()
            && !self.is_waiting.get()
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
            Lane::Sweep => self.sweeps.update(|sweeps| sweeps.end(State::Cancelled)),
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
                let plan = self.sweeps.read_untracked().current().map(|sweep| sweep.plan.clone());
                if let Some(plan) = plan {
                    self.run_sweep(plan);
                }
            }
        }
    }

    /// Rests while the page is hidden or out of sight.
    pub fn follow_sight(self, page: &web_sys::Element) {
        let engines = self.engines;
        let watch = SeenWatch::new(page, move |is_seen| engines.with_value(|engines| engines.set_seen(is_seen)));
        StoredValue::new_local(watch);
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
        let plan = memo(move || wanted(&self.settings.draft.read(), &self.views.read()));
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
        // Beside a map, studies are but dots on it.
        let is_seen = plan.is_some() && self.views.read_untracked().view != View::Map;
        let first = if is_seen { Lane::Sweep } else { Lane::Live };
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

    /// Edge: settings and what is looked at → address. As it came it is left alone until something changes.
    fn follow_address(self) {
        let address = StoredValue::new_local(Address::default());
        effect(move |is_first| {
            let (views, draft) = (self.views.read(), self.settings.draft.read());
            let pairs = views.pairs().into_iter().chain(draft.pairs());
            let query: Vec<_> = pairs.map(|(key, value)| format!("{key}={value}")).collect();
            if !is_first {
                address.with_value(|address| address.set_query(query.join("&")));
            }
        });
    }
}

/// What an engine says goes to where it belongs.
fn hear(word: Word, dashboard: RwSignal<Dashboard>, sweeps: RwSignal<Sweeps>, maps: RwSignal<Maps>) {
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
                Trouble::SweepGivenUp => sweeps.update(|sweeps| sweeps.end(State::GivenUp)),
                Trouble::SurveyGivenUp => maps.update(|maps| maps.end(Stage::GivenUp)),
                Trouble::RunGivenUp => dashboard.update(|dashboard| dashboard.end(Stage::GivenUp)),
                Trouble::WorkerReplaced | Trouble::NoWorker => {}
            }
        }
    }
    if dashboard.read_untracked().has_something_to_say() || sweeps.read_untracked().has_something_to_show() {
        shell::give_way();
    }
}

/// Something said of the sweep on screen.
pub fn said(store: Store, say: impl Fn(&Sweep) -> String + Send + Sync + 'static) -> Memo<String> {
    memo(move || store.sweeps.read().current().map(&say).unwrap_or_default())
}
