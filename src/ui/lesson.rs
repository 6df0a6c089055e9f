//! Lessons on the page: the panel beside the live view, what is drawn on the chart, the list of lessons, and classes.

use fedsysid_say::{say, text};
use leptos::ev::{KeyboardEvent, MouseEvent, PointerEvent};
use leptos::html::{Div, H2};
use leptos::prelude::*;
use web_sys::Element;

use super::chart::{Chart, OnPlot};
use super::parts::{button, select};
use super::reactive::{effect, live, memo, on};
use super::save::save;
use super::store::Store;
use crate::dashboard::lesson::class::{self, Of, Picture};
use crate::dashboard::lesson::guess::{self, Guess, Kind};
use crate::dashboard::lesson::progress::Progress;
use crate::dashboard::lesson::seen::{self, Seen};
use crate::dashboard::lesson::{COURSES, kind, markup, step_of};
use crate::dashboard::markup::options;
use crate::figure::Figure;
use crate::figure::aloud::spoken;
use crate::figure::frame::Frame;
use crate::figure::theme::Theme;
use crate::params::guide::Guide;
use crate::params::views::Word;
use crate::params::{Key, Lesson, State, View, Views};
use crate::web::address::{composed, with_query};
use crate::web::preferences;

/// Where progress is kept, for as long as the tab is open.
const SESSION: &str = "fedsysid-lessons";

/// What is known of an earlier visit in this tab.
pub(super) fn remembered() -> Progress {
    preferences::read_session(SESSION).map(|text| Progress::read(&text, kind)).unwrap_or_default()
}

/// The controls of the step that somebody is at.
pub(super) fn controls(views: &Views) -> Option<&'static [&'static str]> {
    step_of(views.guide.lesson, views.guide.step).map(|step| step.controls)
}

/// What is not to be told yet: of the view in which it is to be foretold.
pub(super) fn veil(views: &Views, progress: &Progress) -> Option<Kind> {
    let Guide { lesson, step, .. } = views.guide;
    let kind = step_of(lesson, step)?.guess?;
    let tells = !matches!(views.view, View::Paper | View::Data | View::Lesson | View::Systems);
    (tells && !progress.of(lesson)?.is_shown).then_some(kind)
}

/// A figure without what is not to be told.
pub(super) fn veiled(store: Store, figure: Option<Figure>) -> Option<Figure> {
    let mut figure = figure?;
    if let Some(kind) = store.veil.get() {
        guess::veil(&mut figure, kind);
    }
    Some(figure)
}

/// Words that would tell, once they may.
pub(super) fn unless_veiled(store: Store, words: impl FnOnce() -> String) -> String {
    if store.veil.get().is_some() { String::new() } else { words() }
}

/// Words that may be told, or why there are none yet.
pub(super) fn or_hint(store: Store, words: Memo<String>) -> Memo<String> {
    memo(move || if store.veil.get().is_some() { hint().into() } else { words.get() })
}

/// Why there are no words yet.
pub(super) fn hint() -> &'static str {
    say!("Hidden until you have drawn what you expect.")
}

/// The lesson's word in a link, while somebody is in one.
pub(super) fn word(store: Store) -> Option<String> {
    let lesson = store.views.read().guide.lesson;
    (lesson != Lesson::None).then(|| lesson.word().to_owned())
}

/// What is to be seen of the lesson now.
fn look<T>(store: Store, look: impl FnOnce(&Seen<'_>) -> T) -> T {
    let (state, dashboard, progress) = (store.state(), store.dashboard.read(), store.lesson.read());
    let run = dashboard.run().filter(|run| run.progress.is_none() && run.settings == state.draft.settings());
    look(&Seen { state: &state, run, kept: progress.of(state.views.guide.lesson) })
}

impl Store {
    /// Edge: the live state → what is done of the lesson → the session.
    pub(super) fn follow_lesson(self) {
        let done = memo(move || {
            look(self, |seen| {
                let Guide { lesson, step, .. } = seen.state.views.guide;
                step_of(lesson, step).is_some_and(|step| (step.done)(seen)).then_some((lesson, step))
            })
        });
        effect(move |_| {
            let Some((lesson, step)) = done.get() else { return };
            if !self.lesson.read_untracked().is_done(lesson, step) {
                self.lesson.update(|progress| {
                    progress.finish(lesson, step);
                });
            }
        });
        effect(move |_| preferences::write_session(SESSION, &self.lesson.read().words()));
    }

    fn guide(self) -> Guide {
        self.views.read_untracked().guide
    }

    /// Begins a lesson, or goes to a step of it.
    fn go_to_step(self, lesson: Lesson, step: usize) {
        let now = self.state_now();
        if now.views.guide.lesson == Lesson::None {
            let before = State { views: Views { view: View::Explore, ..now.views.clone() }, ..now.clone() };
            self.lesson.update(|progress| progress.before = Some(before.to_query()));
        }
        self.go_to(now.at_step(lesson, step), Vec::new());
    }

    /// Has the run be seen, and keeps what it says.
    fn show(self, is_shown: bool) {
        let lesson = self.guide().lesson;
        let found = untrack(|| {
            let dashboard = self.dashboard.read();
            let run = dashboard.run().filter(|run| run.progress.is_none())?;
            seen::found(lesson, &run.summary, run.theory.as_deref()?)
        });
        self.lesson.update(|progress| {
            if let Some(kept) = progress.of_mut(lesson) {
                kept.is_shown = is_shown;
                kept.found = found.or(kept.found);
            }
        });
    }

    /// What has been drawn, or what there is to begin with.
    fn drawn(self, kind: Kind) -> Guess {
        let lesson = self.views.read().guide.lesson;
        let drawn = self.lesson.read().of(lesson).and_then(|kept| kept.guess.clone());
        let drawn = drawn.filter(|guess| guess.kind == kind);
        drawn.unwrap_or_else(|| {
            let dashboard = self.dashboard.read();
            let start = dashboard.run().and_then(|run| Some(run.summary.methods.first()?.errors.first()?.mean()));
            Guess::blank(kind, start.unwrap_or(1.0))
        })
    }

    fn draw(self, kind: Kind, draw: impl FnOnce(&mut Guess)) {
        let mut drawn = untrack(|| self.drawn(kind));
        draw(&mut drawn);
        let lesson = self.guide().lesson;
        self.lesson.update(|progress| {
            if let Some(kept) = progress.of_mut(lesson) {
                kept.guess = Some(drawn);
            }
        });
    }
}

/// The panel beside the live view; and, once the lesson is left, the way back.
pub(super) fn panel(store: Store) -> AnyView {
    let in_lesson = memo(move || store.views.read().guide.lesson != Lesson::None);
    let has_left = memo(move || !in_lesson.get() && store.lesson.read().before.is_some());
    let restore = move || {
        let before = store.lesson.read_untracked().before.clone();
        if let Some(before) = before {
            store.lesson.update(|progress| progress.before = None);
            store.go_to(State::from_query(&before).0, Vec::new());
        }
    };
    let stay = move || store.lesson.update(|progress| progress.before = None);
    live_view(move || {
        if in_lesson.get() {
            steps(store)
        } else if has_left.get() {
            view! {
                <p class="lesson-left" data-testid="lesson-left">
                    {button("set-step", say!("Back to what was set before the lesson"), restore)} {button("set-step", say!("Keep this"), stay)}
                </p>
            }
            .into_any()
        } else {
            ().into_any()
        }
    })
}

fn live_view(view: impl Fn() -> AnyView + Send + 'static) -> AnyView {
    live(view).into_any()
}

/// A step: what there is to know, to do and to foretell, and the way on.
fn steps(store: Store) -> AnyView {
    let guide = memo(move || store.views.read().guide);
    let part = move |say: fn(&Seen<'_>) -> String| memo(move || look(store, say));
    let head = memo(move || markup::head(guide.get()));
    let title = memo(move || {
        step_of(guide.get().lesson, guide.get().step).map_or("", |step| text(step.words.title)).to_owned()
    });
    let (text, done, code) = (part(markup::text), part(markup::done), part(markup::code));
    let hello = memo(move || {
        let seed = store.settings.draft.read().get(Key::Seed);
        store.name.with_value(|name| name.as_ref().map(|name| markup::hello(name, seed))).unwrap_or_default()
    });
    let heading = NodeRef::<H2>::new();
    let is_done = memo(move || {
        look(store, |seen| step_of(guide.get().lesson, guide.get().step).is_some_and(|step| (step.done)(seen)))
    });
    view! {
        <section class="lesson" aria-label=say!("Lesson") data-testid="lesson" data-done=live(move || is_done.get().to_string())>
            <p class="lesson-head" inner_html=head></p>
            <h2 node_ref=heading tabindex="-1">{title}</h2>
            <div inner_html=text data-testid="lesson-text"></div>
            {foretelling(store, guide)}
            {ways(store, guide, heading)}
            <div class="lesson-said" role="status" inner_html=done data-testid="lesson-done"></div>
            <div inner_html=code></div>
            <div inner_html=hello></div>
        </section>
    }
    .into_any()
}

/// The buttons by which what was foretold is compared, or drawn again.
fn foretelling(store: Store, guide: Memo<Guide>) -> AnyView {
    let cannot_show = memo(move || store.veil.get().is_none());
    let is_blank = memo(move || store.veil.get().is_none_or(|kind| !store.drawn(kind).is_drawn));
    let cannot_redraw = memo(move || {
        let Guide { lesson, step, .. } = guide.get();
        step_of(lesson, step).is_none_or(|step| step.guess.is_none()) || store.veil.get().is_some()
    });
    view! {
        <p class="lesson-row">
            <button
                type="button"
                class="set-step"
                hidden=live(move || cannot_show.get())
                disabled=live(move || is_blank.get())
                on:click=on(move |_: MouseEvent| store.show(true))
            >
                {say!("Show the run")}
            </button>
            <button
                type="button"
                class="set-step"
                hidden=live(move || cannot_redraw.get())
                on:click=on(move |_: MouseEvent| store.show(false))
            >
                {say!("Draw again")}
            </button>
        </p>
    }
    .into_any()
}

/// The buttons that lead to other steps, and out.
fn ways(store: Store, guide: Memo<Guide>, heading: NodeRef<H2>) -> AnyView {
    let go = move |by: isize| {
        let Guide { lesson, step, .. } = guide.get_untracked();
        if let Some(step) = step.checked_add_signed(by).filter(|&step| step < lesson.presets().len()) {
            store.go_to_step(lesson, step);
            // Whoever pressed reads on at the top of the step.
            if let Some(heading) = heading.get_untracked() {
                let _ = heading.focus();
            }
        }
    };
    let restart = move || {
        let Guide { lesson, step, .. } = guide.get_untracked();
        store.go_to_step(lesson, step);
    };
    let leave = move || store.go_to(store.state_now().out_of_lesson(), Vec::new());
    let is_first = memo(move || guide.get().step == 0);
    let is_last = memo(move || guide.get().step + 1 >= guide.get().lesson.presets().len());
    view! {
        <div class="lesson-row" role="group" aria-label=say!("Steps")>
            <button
                type="button"
                class="set-step"
                disabled=live(move || is_first.get())
                on:click=on(move |_: MouseEvent| go(-1))
            >
                {say!("Back")}
            </button>
            <button
                type="button"
                class="set-step lesson-next"
                disabled=live(move || is_last.get())
                on:click=on(move |_: MouseEvent| go(1))
            >
                {say!("Next")}
            </button>
            {button("lesson-quiet", say!("Start this step over"), restart)}
            {button("lesson-quiet", say!("Leave the lesson"), leave)}
        </div>
    }
    .into_any()
}

/// What is drawn on a chart before the run is seen; beneath the run it stays as a line.
pub(super) fn on_plot(store: Store, kind: Kind) -> OnPlot {
    Box::new(move |frame| drawing(store, kind, frame))
}

fn drawing(store: Store, kind: Kind, frame: Memo<Option<Frame>>) -> AnyView {
    let is_there = memo(move || {
        let Guide { lesson, step, .. } = store.views.read().guide;
        step_of(lesson, step).is_some_and(|step| step.guess == Some(kind)) && frame.read().is_some()
    });
    live_view(move || if is_there.get() { handles(store, kind, frame) } else { ().into_any() })
}

/// The layer on which a drawing is made, with its handles.
fn handles(store: Store, kind: Kind, frame: Memo<Option<Frame>>) -> AnyView {
    let drawn = memo(move || Drawn(store.drawn(kind)));
    let is_open = memo(move || store.veil.get().is_some());
    let layer = NodeRef::<Div>::new();
    let path = memo(move || frame.get().map(|frame| drawn.read().0.path(&frame)).unwrap_or_default());
    let is_held = StoredValue::new(false);
    let place = move |event: &PointerEvent| {
        let (Some(layer), Some(frame)) = (layer.get_untracked(), frame.get_untracked()) else { return };
        let area = layer.get_bounding_client_rect();
        let at = (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top());
        store.draw(kind, |guess| guess.draw(at, &frame));
    };
    let press = move |event: PointerEvent| {
        event.stop_propagation();
        event.prevent_default();
        if let Some(layer) = layer.get_untracked() {
            let _ = layer.set_pointer_capture(event.pointer_id());
        }
        is_held.set_value(true);
        place(&event);
    };
    let pass = move |event: PointerEvent| {
        event.stop_propagation();
        if is_held.get_value() {
            place(&event);
        }
    };
    let handle = move |index: usize| handle(store, (kind, index), drawn, frame);
    view! {
        <svg class="guess-line" aria-hidden="true" data-drawn=live(move || drawn.read().0.is_drawn.to_string())>
            <path d=live(move || path.get())></path>
        </svg>
        <div
            class="guess"
            role="group"
            aria-label=say!("What you expect: arrow keys move a dot, Tab goes to the next")
            node_ref=layer
            hidden=live(move || !is_open.get())
            on:pointerdown=on(press)
            on:pointermove=on(pass)
            on:pointerup=on(move |_: PointerEvent| is_held.set_value(false))
            on:pointercancel=on(move |_: PointerEvent| is_held.set_value(false))
        >
            {Guess::handles(kind).map(handle).collect_view()}
        </div>
    }
    .into_any()
}

/// A handle of a drawing, which keys move.
fn handle(store: Store, (kind, handle): (Kind, usize), drawn: Memo<Drawn>, frame: Memo<Option<Frame>>) -> AnyView {
    let orientation = if kind == Kind::Curve { "vertical" } else { "horizontal" };
    let at = move |pick: fn((f64, f64)) -> f64| {
        live(move || frame.get().map(|frame| format!("{}px", pick(drawn.read().0.px(handle, &frame)))))
    };
    let key = move |event: KeyboardEvent| {
        let chord = event.ctrl_key() || event.alt_key() || event.meta_key();
        let mut is_ours = false;
        store.draw_if(kind, |guess| {
            is_ours = !chord && guess.key(handle, &event.key(), event.shift_key());
            is_ours
        });
        if is_ours {
            event.prevent_default();
            event.stop_propagation();
        }
    };
    view! {
        <span
            class="guess-handle"
            role="slider"
            tabindex="0"
            aria-label=spoken(&markup::handle_name(kind, handle))
            aria-orientation=orientation
            aria-valuemin="0"
            aria-valuemax="10"
            aria-valuenow=live(move || drawn.read().0.values.get(handle).copied().unwrap_or(0.0).to_string())
            aria-valuetext=live(move || markup::handle_value(&drawn.read().0, handle))
            style:left=at(|(x, _)| x)
            style:top=at(|(_, y)| y)
            on:keydown=on(key)
        ></span>
    }
    .into_any()
}

/// A drawing, to be compared.
#[derive(Clone, PartialEq)]
struct Drawn(Guess);

impl Store {
    /// Draws, where something is drawn at all.
    fn draw_if(self, kind: Kind, draw: impl FnOnce(&mut Guess) -> bool) {
        let mut drawn = untrack(|| self.drawn(kind));
        if draw(&mut drawn) {
            self.draw(kind, |guess| *guess = drawn);
        }
    }
}

/// The list of lessons, and classes.
pub(super) fn lessons(store: Store, theme: Signal<Theme>) -> AnyView {
    let list = memo(move || markup::lessons(&store.lesson.read()));
    let press = on(move |event: MouseEvent| {
        let Ok(Some(button)) = event_target::<Element>(&event).closest("[data-do=start]") else { return };
        let lesson = button.get_attribute("data-lesson").and_then(|word| Lesson::by_word(&word));
        let step = button.get_attribute("data-step").and_then(|step| step.parse().ok());
        if let Some((lesson, step)) = lesson.zip(step) {
            store.go_to_step(lesson, step);
        }
    });
    view! {
        <section class="lesson-list" aria-label=say!("Lessons")>
            <div inner_html=list on:click=press></div>
            {classes(store, theme)}
        </section>
    }
    .into_any()
}

/// Links for names, and results as a histogram.
fn classes(store: Store, theme: Signal<Theme>) -> AnyView {
    let lesson = memo(move || store.views.read().guide.class);
    let names =
        move || std::iter::once("…".to_owned()).chain(COURSES.iter().map(|course| course.lesson.name().to_owned()));
    let chosen = memo(move || {
        let place = Lesson::ALL.iter().position(|(other, ..)| *other == lesson.get());
        options(&names().collect::<Vec<_>>(), place)
    });
    let choose = move |place: usize| {
        let class = Lesson::ALL.get(place).map_or(Lesson::None, |(lesson, ..)| *lesson);
        store.views.update(|views| views.guide.class = class);
    };
    let is_open = memo(move || lesson.get() != Lesson::None);
    view! {
        <div class="class" data-testid="class">
            <div inner_html=markup::class_intro()></div>
            <div class="sweep-head">{select(say!("Class of the lesson"), chosen, || false, choose)}</div>
            {live_view(move || if is_open.get() { class_of(store, lesson, theme) } else { ().into_any() })}
        </div>
    }
    .into_any()
}

fn class_of(store: Store, lesson: Memo<Lesson>, theme: Signal<Theme>) -> AnyView {
    let (names, pasted, of) = (RwSignal::new(String::new()), store.handed_in, RwSignal::new(Of::default()));
    pasted.set(String::new());
    let links = memo(move || class::links(&composed(&names.read()), lesson.get(), &with_query("")));
    let same = memo(move || markup::same(&composed(&names.read())));
    let picture = move || {
        let class = class::read(&pasted.read(), lesson.get());
        let sweeps = store.sweeps.read();
        Picture::new(lesson.get(), of.get(), &class, sweeps.current())
    };
    let bad = memo(move || markup::bad(&class::read(&pasted.read(), lesson.get())));
    let sentence = memo(move || picture().sentence());
    let kinds = memo(move || {
        let names: Vec<_> = Of::ALL.iter().map(|kind| kind.name(lesson.get()).to_owned()).collect();
        options(&names, Some(of.get() as usize))
    });
    let area = move |words: &'static str, testid: &'static str, value: RwSignal<String>| {
        view! {
            <label>
                <span>{words}</span>
                <textarea rows="5" spellcheck="false" data-testid=testid on:input=on(move |event: leptos::ev::Event| value.set(event_target_value(&event)))></textarea>
            </label>
        }
    };
    let at = RwSignal::new(None::<f64>);
    let figure = move || Some(picture().figure());
    let export = move |page: crate::dashboard::export::charts::Page<'_>| {
        let sweeps = store.sweeps.read();
        let points = sweeps.current().map(|sweep| sweep.plan.points.clone()).unwrap_or_default();
        Some(page.class(&picture(), &points))
    };
    view! {
        <div class="class-areas">
            {area(say!("Result codes of the class, in any form"), "codes", pasted)}
            {area(say!("Names, one a line: a link for each"), "names", names)}
            <pre class="class-links" data-testid="links" tabindex="0" aria-label=say!("Links")>{live(move || links.get())}</pre>
        </div>
        <ul class="class-bad" role="status" data-testid="same" inner_html=same></ul>
        <ul class="class-bad" role="status" data-testid="bad" inner_html=bad></ul>
        <div class="sweep-head">{select(say!("Histogram of"), kinds, || false, move |place| of.set(Of::ALL[place.min(2)]))}</div>
        <p data-testid="class-sentence" data-said="">{sentence}</p>
        <figure class="class-figure">
            <Chart figure=Box::new(figure) theme at label=sentence.into() over="no-cover" along="values">
                ""
            </Chart>
            <figcaption class="quiet">{class::caption()}</figcaption>
            {save(store, "save-class", false, export)}
        </figure>
    }
    .into_any()
}
