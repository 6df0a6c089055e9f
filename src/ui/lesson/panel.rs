//! The panel beside the live view: explanation, task and guess of a step, and the way on.

use fedsysid_say::{say, text};
use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::look;
use crate::dashboard::views::lesson::seen::Seen;
use crate::dashboard::views::lesson::{markup, step_of};
use crate::dashboard::words::html::unbroken;
use crate::params::embed::TABS;
use crate::params::guide::Guide;
use crate::params::{Key, Lesson, State};
use crate::ui::focus;
use crate::ui::parts::button;
use crate::ui::reactive::{live, memo, on, when};
use crate::ui::store::Store;

/// The heading of a step, where readers begin.
pub(super) const HEADING: &str = ".lesson > h2";

/// The way back from a lesson that was left, if there is one.
const LEFT: &str = ".lesson-left button";

/// The one of the two buttons of a guess that is there.
const OF_GUESS: &str = ".lesson-row > .set-step:not([hidden])";

/// The panel beside the live view; after the lesson, buttons that restore the state before it or keep the present one.
pub(in crate::ui) fn panel(store: Store) -> AnyView {
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
    let left = move || {
        view! {
            <p class="lesson-left" data-testid="lesson-left">
                {button("set-step", say!("Back to what was set before the lesson"), restore)} {button("set-step", say!("Keep this"), stay)}
            </p>
        }
        .into_any()
    };
    view! { {when(move || in_lesson.get(), move || steps(store))} {when(move || has_left.get(), left)} }.into_any()
}

/// A step: explanation, task, buttons of the guess, and the way on.
fn steps(store: Store) -> AnyView {
    let guide = memo(move || store.views.read().guide);
    let part = move |say: fn(&Seen<'_>) -> String| memo(move || unbroken(&look(store, say)));
    let head = memo(move || markup::head(guide.get()));
    let title = memo(move || {
        step_of(guide.get().lesson, guide.get().step).map_or("", |step| text(step.words.title)).to_owned()
    });
    let (text, done, code) = (part(markup::text), part(markup::done), part(markup::code));
    let hello = memo(move || {
        let seed = store.settings.draft.read().get(Key::Seed);
        store.name.with_value(|name| name.as_ref().map(|name| markup::hello(name, seed))).unwrap_or_default()
    });
    let is_done = memo(move || {
        look(store, |seen| step_of(guide.get().lesson, guide.get().step).is_some_and(|step| (step.done)(seen)))
    });
    view! {
        <section class="lesson" aria-label=say!("Lesson") data-testid="lesson" data-done=live(move || is_done.get().to_string())>
            <p class="lesson-head" inner_html=head></p>
            <h2 tabindex="-1">{title}</h2>
            <div inner_html=text data-testid="lesson-text"></div>
            {foretelling(store, guide)}
            {ways(store, guide)}
            <div class="lesson-said" role="status" inner_html=done data-testid="lesson-done"></div>
            <div inner_html=code></div>
            <div inner_html=hello></div>
        </section>
    }
    .into_any()
}

/// The buttons that compare the guess with the run, or let the student draw it again.
fn foretelling(store: Store, guide: Memo<Guide>) -> AnyView {
    let cannot_show = memo(move || store.veil.get().is_none());
    let is_blank = memo(move || store.veil.get().is_none_or(|kind| !store.drawn(kind).is_drawn));
    let cannot_redraw = memo(move || {
        let Guide { lesson, step, .. } = guide.get();
        step_of(lesson, step).is_none_or(|step| step.guess.is_none()) || store.veil.get().is_some()
    });
    // The button that is pressed goes away.
    let show = move |is_shown: bool| {
        store.show(is_shown);
        focus::soon(OF_GUESS);
    };
    view! {
        <p class="lesson-row">
            <button
                type="button"
                class="set-step"
                hidden=live(move || cannot_show.get())
                disabled=live(move || is_blank.get())
                on:click=on(move |_: MouseEvent| show(true))
            >
                {say!("Show the run")}
            </button>
            <button
                type="button"
                class="set-step"
                hidden=live(move || cannot_redraw.get())
                on:click=on(move |_: MouseEvent| show(false))
            >
                {say!("Draw again")}
            </button>
        </p>
    }
    .into_any()
}

/// The buttons that lead to other steps, and out of the lesson.
fn ways(store: Store, guide: Memo<Guide>) -> AnyView {
    let go = move |by: isize| {
        let Guide { lesson, step, .. } = guide.get_untracked();
        if let Some(step) = step.checked_add_signed(by).filter(|&step| step < lesson.presets().len()) {
            store.go_to_step(lesson, step);
            // Readers continue at the top of the step.
            focus::soon(HEADING);
        }
    };
    let restart = move || {
        let Guide { lesson, step, .. } = guide.get_untracked();
        store.go_to_step(lesson, step);
    };
    let leave = move || {
        store.go_to(store.state_now().out_of_lesson(), Vec::new());
        focus::soon(LEFT);
        focus::if_lost(focus::CHART);
    };
    // In a frame without tabs nothing leads back.
    let is_whole = untrack(|| store.settings.embed.with_value(|embed| !embed.is_on) || store.settings.shows(TABS));
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
            {is_whole.then(|| button("lesson-quiet", say!("Leave the lesson"), leave))}
        </div>
    }
    .into_any()
}
