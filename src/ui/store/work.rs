//! The page and its engines: settings and views become requests, and the engines' words update the results.

use leptos::prelude::*;

use super::Store;
use crate::dashboard::results::Dashboard;
use crate::dashboard::results::sweep::{self, Plan, Sweeps};
use crate::dashboard::results::work::WorkState;
use crate::dashboard::run::complaints;
use crate::dashboard::views::maps::{Maps, Wanted};
use crate::dashboard::views::wanted;
use crate::engine::pool::Lane;
use crate::params::{View, Views};
use crate::protocol::{Event, Request, Trouble};
use crate::sim::scenario::Settings;
use crate::ui::filling::is_filling;
use crate::ui::reactive::{effect, memo};
use crate::ui::shell;
use crate::web::clock;
use crate::web::engines::EngineMessage;
use crate::web::host::is_framed;
use crate::web::listener::Timeout;
use crate::web::screen::SeenWatch;

impl Store {
    /// Stops the work in a lane; results so far stay.
    pub fn stop(self, lane: Lane) {
        self.engines.with_value(|engines| engines.cancel(lane));
        match lane {
            Lane::Live => self.dashboard.update(|dashboard| dashboard.end(WorkState::Stopped)),
            Lane::Survey => self.maps.update(|maps| maps.end(WorkState::Stopped)),
            Lane::Sweep => self.sweeps.update(|sweeps| sweeps.end(sweep::State::Cancelled)),
        }
    }

    /// Starts stopped work again.
    pub fn repeat(self, lane: Lane) {
        // Read the request first and drop the guard: the signal cannot be written while it is borrowed.
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

    /// Pauses the engines while the page is hidden or out of sight.
    pub fn follow_sight(self, page: &web_sys::Element) {
        let watch = SeenWatch::new(page, !is_framed(), move |is_seen| {
            self.is_seen.set_value(is_seen);
            self.begin_work();
        });
        StoredValue::new_local(watch);
    }

    /// Lets the engines compute if the page is in sight and awake, and pauses them otherwise.
    pub(in crate::ui) fn begin_work(self) {
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
    pub(super) fn follow_settings(self) {
        effect(move |_| self.run(self.settings.draft.read().settings()));
    }

    /// Edge: shown view → engines → sweeps.
    pub(super) fn follow_sweep(self) {
        let plan = memo(move || wanted(&self.state()));
        let later = StoredValue::new_local(None::<Timeout>);
        let seen = StoredValue::new(Views::default());
        effect(move |_| {
            let wanted = plan.get();
            // While a slider moves, only settings change: the running sweep answers the same question. After a change
            // of view it does not.
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

    /// Lets the engines compute a plan, unless its results are there already.
    fn turn_to(self, plan: Option<Plan>) {
        self.is_waiting.set(false);
        let is_aside = {
            let views = self.views.read_untracked();
            // With a map, the studies are only its dots; with a run or with systems, they are only pinned runs.
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

    /// Edge: shown map → engine → maps.
    pub(super) fn follow_map(self) {
        let wanted = memo(move || {
            let views = self.views.read();
            (views.view == View::Map).then(|| Wanted::new(views.map, &self.settings.draft.read()))
        });
        effect(move |_| {
            let wanted = wanted.get();
            let is_new = self.maps.try_update(|maps| maps.want(wanted.as_ref())).unwrap_or_default();
            match wanted.filter(|_| is_new) {
                Some(wanted) => self.run_survey(wanted),
                None if self.maps.read_untracked().is_running() => {}
                None => self.engines.with_value(|engines| engines.cancel(Lane::Survey)),
            }
        });
    }
}

/// Updates the results with a message of the engines.
pub(super) fn hear(
    message: EngineMessage,
    dashboard: RwSignal<Dashboard>,
    sweeps: RwSignal<Sweeps>,
    maps: RwSignal<Maps>,
    unfilled: RwSignal<u8>,
) {
    match message {
        EngineMessage::Event(Event::Working { .. }) => sweeps.notify(),
        EngineMessage::Event(event @ Event::Portion { .. }) => sweeps.update(|sweeps| {
            sweeps.apply(event);
        }),
        EngineMessage::Event(event @ (Event::Surveying { .. } | Event::Surveyed { .. })) => maps.update(|maps| {
            maps.apply(event);
        }),
        EngineMessage::Event(event @ Event::Refused { .. }) => {
            sweeps.update(|sweeps| {
                sweeps.apply(event.clone());
            });
            dashboard.update(|dashboard| dashboard.apply(event));
        }
        EngineMessage::Event(event) => dashboard.update(|dashboard| dashboard.apply(event)),
        EngineMessage::Trouble(trouble, reason) => {
            leptos::logging::warn!("engine: {} {reason}", complaints::trouble(trouble));
            dashboard.update(|dashboard| dashboard.suffer(trouble));
            match trouble {
                Trouble::SweepGivenUp => sweeps.update(|sweeps| sweeps.end(sweep::State::GivenUp)),
                Trouble::SurveyGivenUp => maps.update(|maps| maps.end(WorkState::GivenUp)),
                Trouble::RunGivenUp => dashboard.update(|dashboard| dashboard.end(WorkState::GivenUp)),
                Trouble::WorkerReplaced | Trouble::NoWorker => {}
            }
        }
    }
    let has_something =
        dashboard.read_untracked().has_something_to_say() || sweeps.read_untracked().has_something_to_show();
    // Behind the shell the cards can be filled one after the other without a visible change of the layout.
    if has_something && !is_filling(&dashboard.read_untracked(), unfilled.get_untracked()) {
        shell::give_way();
    }
}
