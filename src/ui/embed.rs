//! The page in a frame of another one: what it leaves out, and the messages between the two.

use fedsysid_say::say;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, KeyboardEvent, MouseEvent};

use super::focus;
use super::lesson::hint;
use super::reactive::{effect, live, memo, on, when};
use super::shell;
use super::store::Store;
use super::surface::Surface;
use super::tabs;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::outgoing::host::{self, Ask, By, Format, Question, Told, Topic};
use crate::dashboard::run::complaints::refused;
use crate::figure::sheet::Paper;
use crate::figure::theme::Theme;
use crate::params::State;
use crate::params::embed::{OPTIONS, TABS};
use crate::params::json::Value;
use crate::web;
use crate::web::address::with_query;
use crate::web::listener::{Listener, Timeout};

/// Tells the style sheet whether there is a caption beneath the chart, and whether the view's own choices are shown.
pub(super) fn mark(store: Store) {
    let is_bare = store.settings.embed.with_value(|embed| !embed.has_caption);
    let word = match (is_bare, store.settings.shows(OPTIONS)) {
        (false, false) => "",
        (false, true) => "choices",
        (true, false) => "bare",
        (true, true) => "bare choices",
    };
    if let Some(root) = document().document_element() {
        let _ = root.set_attribute("data-embed", word);
    }
}

/// Header of a compact page: the tabs of the views, if its author wants them.
pub(super) fn head(store: Store) -> AnyView {
    let bar = untrack(|| store.settings.shows(TABS)).then(|| view! { <div class="top-bar">{tabs(store)}</div> });
    view! {
        <header class="visually-hidden"><h1>"FedSysID live"</h1></header>
        {bar}
    }
    .into_any()
}

/// Footer of a compact page: a link to the full page in the same state.
pub(super) fn foot(store: Store) -> AnyView {
    let link = memo(move || with_query(&store.state().to_query()));
    view! {
        <p class="frame-foot">
            <a href=live(move || link.get()) target="_blank" rel="noopener">{say!("Open full size")}</a>
        </p>
    }
    .into_any()
}

/// Button over the chart of a page whose author wants it to wait for a touch.
pub(super) fn cover(store: Store) -> AnyView {
    let shown = move || {
        let press = on(move |_: MouseEvent| store.wake());
        view! { <button type="button" class="cover" on:click=press><span>{say!("Compute this figure")}</span></button> }
            .into_any()
    };
    when(move || !store.is_awake.get(), shown)
}

impl Store {
    /// Begins to compute, if the page was waiting for a touch.
    fn wake(self) {
        if !self.is_awake.get_untracked() {
            // Who presses the button by a key goes on from what was beneath it.
            if document().active_element().is_some_and(|element| element.class_name() == "cover") {
                focus::soon(focus::CHART);
            }
            self.is_awake.set(true);
            self.begin_work();
        }
    }

    /// The shell shows the default experiment, which is the picture of no other: a page that waits for a touch shows itself
    /// at once, and one whose first results take longer than usual shows how far they are.
    pub(super) fn replace_foreign_shell(self) {
        const USUAL_MS: i32 = 500;
        if self.state_now() == State::default() {
            return;
        }
        if self.is_awake.get_untracked() {
            StoredValue::new_local(Timeout::new(USUAL_MS, shell::give_way));
        } else {
            shell::give_way();
        }
    }

    /// Begins to compute at any touch or key, except those that lead past the figure.
    pub(super) fn follow_touch(self) {
        let touched = ["pointerdown", "keydown"].map(|kind| {
            Listener::new(&document(), kind, move |event: Event| {
                let key = event.dyn_ref::<KeyboardEvent>().map(KeyboardEvent::key).unwrap_or_default();
                if !matches!(key.as_str(), "Tab" | "Shift" | "Control" | "Alt" | "AltGraph" | "Meta") {
                    self.wake();
                }
            })
        });
        StoredValue::new_local(touched);
    }

    /// Edge: host page ↔ settings, results, height. Without a host page nothing happens.
    pub(super) fn converse(self, page: &Element) {
        let topics = StoredValue::new(vec![Topic::Changed, Topic::Result]);
        let (start, by) = (StoredValue::new(self.state_now()), StoredValue::new(By::default()));
        let listener = web::host::on_message(move |message, origin| {
            if self.settings.embed.with_value(|embed| embed.hears(origin)) {
                self.answer(message, start, topics, by);
            }
        });
        if listener.is_none() {
            return;
        }
        // The whole page: the tabs are outside of the view.
        let whole = page.parent_element().unwrap_or_else(|| page.clone());
        let height = web::host::on_height(&whole, move |px| self.tell(Told::Height(px), None));
        StoredValue::new_local((listener, height));
        self.tell(Told::Ready, None);
        let hears = move |topic: Topic| topics.with_value(|topics| topics.contains(&topic));
        effect(move |is_first| {
            let state = self.state();
            let who = by.get_value();
            by.set_value(By::User);
            if !is_first && hears(Topic::Changed) {
                self.tell(Told::Changed(&state, who), None);
            }
        });
        // A result that is to be guessed is not reported: the host page might reveal it.
        let complete = memo(move || {
            if self.veil.get().is_some() {
                return None;
            }
            let dashboard = self.dashboard.read();
            dashboard.run().filter(|run| run.progress.is_none()).map(|run| run.generation.0)
        });
        effect(move |_| {
            // A run that ends while a change waits is looked at again after the wait.
            let is_waiting = self.is_waiting.get();
            // A run of older settings is no result: the run of the present settings follows.
            if complete.get().is_some() && !is_waiting && self.is_up_to_date() && hears(Topic::Result) {
                self.tell_result(None);
            }
        });
        let refusal = memo(move || self.dashboard.read().refusal());
        effect(move |_| {
            if refusal.get().is_some() && hears(Topic::Result) {
                self.tell_result(None);
            }
        });
    }

    fn answer(self, message: &Value, start: StoredValue<State>, topics: StoredValue<Vec<Topic>>, by: StoredValue<By>) {
        let Some(Question { ask, instance }) = host::read(message) else { return };
        let instance = instance.as_deref();
        let ask = match ask {
            Ok(ask) => ask,
            Err(reason) => return self.tell(Told::Problems(&[reason]), instance),
        };
        match ask {
            Ask::Get => self.tell_result(instance),
            Ask::Subscribe(wanted) => topics.set_value(wanted),
            Ask::Reset => {
                self.wake();
                self.obey(start.get_value(), by);
            }
            Ask::Set(pairs) => {
                let mut state = self.state_now();
                let problems: Vec<_> = state.apply(pairs).iter().map(ToString::to_string).collect();
                self.wake();
                self.obey(state, by);
                if !problems.is_empty() {
                    self.tell(Told::Problems(&problems), instance);
                }
            }
            Ask::Export(format) => match self.exported(format) {
                Ok(content) => self.tell(Told::Export(format, &content), instance),
                Err(reason) => self.tell(Told::Problems(&[reason.into()]), instance),
            },
        }
    }

    /// Applies a state that the host page requests; an unchanged state is no change.
    fn obey(self, state: State, by: StoredValue<By>) {
        if state != self.state_now() {
            by.set_value(By::Program);
            self.put(state);
        }
    }

    /// The view's chart in a format, or why there is none.
    fn exported(self, format: Format) -> Result<String, &'static str> {
        if self.veil.get_untracked().is_some() {
            return Err(hint());
        }
        self.complete_chart(format).ok_or(say!("there is no complete chart to send yet"))
    }

    fn complete_chart(self, format: Format) -> Option<String> {
        let is_complete = self.is_up_to_date() && untrack(|| self.is_settled());
        let make = self.main_chart.get_value().filter(|_| is_complete)?;
        let state = self.state_now();
        let link = with_query(&state.to_query());
        let page = Page { draft: &state.draft, views: &state.views, link: &link };
        let export = untrack(|| make.try_with_value(|make| make(page))).flatten()?;
        Some(match format {
            Format::Csv => export.csv(),
            Format::Json => export.json(),
            Format::Svg => export.svg::<Surface>((&Theme::LIGHT, Paper::Opaque)),
        })
    }

    /// Reports the settings with the results, or why they cannot be run.
    fn tell_result(self, instance: Option<&str>) {
        let (state, dashboard) = (self.state_now(), self.dashboard.read_untracked());
        if let Some(error) = dashboard.refusal() {
            return self.tell(Told::Problems(&[refused(error)]), instance);
        }
        let run = dashboard.run().filter(|_| self.veil.get_untracked().is_none());
        self.tell(Told::Result(&state, run), instance);
    }

    /// Sends a message to the host page; an answer has the asker's word.
    fn tell(self, told: Told<'_>, instance: Option<&str>) {
        let own = || self.settings.embed.with_value(|embed| embed.instance.clone());
        web::host::tell(&told.message(&instance.map_or_else(own, str::to_owned)));
    }
}
