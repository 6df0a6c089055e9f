//! The list of lessons, and classes: links for names, and a histogram of the results.

use fedsysid_say::say;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use web_sys::Element;

use super::panel::HEADING;
use crate::dashboard::views::lesson::class::{self, Of, Picture};
use crate::dashboard::views::lesson::{COURSES, markup};
use crate::dashboard::words::html::options;
use crate::figure::theme::Theme;
use crate::params::{Lesson, Word};
use crate::ui::chart::Chart;
use crate::ui::focus;
use crate::ui::parts::select;
use crate::ui::reactive::{live, memo, on, when};
use crate::ui::save::save;
use crate::ui::store::Store;
use crate::web::address::{self, composed};

/// The list of lessons, and classes.
pub(in crate::ui) fn lessons(store: Store, theme: Signal<Theme>) -> AnyView {
    let list = memo(move || markup::lessons(&store.lesson.read()));
    let press = on(move |event: MouseEvent| {
        let Ok(Some(button)) = event_target::<Element>(&event).closest("[data-do=start]") else { return };
        let lesson = button.get_attribute("data-lesson").and_then(|word| Lesson::by_word(&word));
        let step = button.get_attribute("data-step").and_then(|step| step.parse().ok());
        if let Some((lesson, step)) = lesson.zip(step) {
            store.go_to_step(lesson, step);
            focus::soon(HEADING);
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

/// The class tools: links for names, and a histogram of the results.
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
            <div class="sweep-head">{select(say!("Lesson of the class"), chosen, || false, choose)}</div>
            {when(move || is_open.get(), move || class_of(store, lesson, theme))}
        </div>
    }
    .into_any()
}

fn class_of(store: Store, lesson: Memo<Lesson>, theme: Signal<Theme>) -> AnyView {
    let (names, pasted, of) = (RwSignal::new(String::new()), store.handed_in, RwSignal::new(Of::default()));
    pasted.set(String::new());
    let links = memo(move || class::links(&composed(&names.read()), lesson.get(), &address::page()));
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
    let export = move |page: crate::dashboard::outgoing::export::charts::Page<'_>| {
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
