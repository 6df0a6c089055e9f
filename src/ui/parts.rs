//! Small parts that views share.

use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;

use super::controls::control_id;
use super::reactive::{live, on};

/// A button with words on it.
pub(super) fn button(class: &'static str, words: &'static str, press: impl Fn() + 'static) -> AnyView {
    boxed_button(class, words, Box::new(press))
}

fn boxed_button(class: &'static str, words: &'static str, press: Box<dyn Fn()>) -> AnyView {
    let press = on(move |_: MouseEvent| press());
    view! { <button type="button" class=class on:click=press>{words}</button> }.into_any()
}

/// A choice among options, which come as markup, with words before it; choosing says the option's place.
pub(super) fn select(
    words: &'static str,
    options: Memo<String>,
    is_hidden: impl Fn() -> bool + Send + 'static,
    choose: impl Fn(usize) + 'static,
) -> AnyView {
    boxed_select(words, options, live(is_hidden), Box::new(choose))
}

fn boxed_select(
    words: &'static str,
    options: Memo<String>,
    is_hidden: Box<dyn Fn() -> bool + Send>,
    choose: Box<dyn Fn(usize)>,
) -> AnyView {
    let choose = on(move |event: Event| {
        let place = event_target::<web_sys::HtmlSelectElement>(&event).selected_index();
        choose(usize::try_from(place).unwrap_or(0));
    });
    view! {
        <label hidden=is_hidden>
            <span>{words}</span>
            <select inner_html=options on:change=choose></select>
        </label>
    }
    .into_any()
}

/// What a box for text holds.
#[derive(Clone, Copy)]
pub(super) struct TextBox {
    /// Its key in a link: notices about it lead to it.
    pub(super) key: &'static str,
    /// Its classes.
    pub(super) class: &'static str,
    /// What keys a phone shows for it.
    pub(super) inputmode: &'static str,
    /// What it shows.
    pub(super) text: Memo<String>,
}

/// A box for text. It takes over what was typed, and then shows what is used.
pub(super) fn text_box(text_box: TextBox, take: impl Fn(&str) + 'static) -> AnyView {
    boxed_text_box(text_box, Box::new(take))
}

fn boxed_text_box(TextBox { key, class, inputmode, text }: TextBox, take: Box<dyn Fn(&str)>) -> AnyView {
    let take = on(move |event: Event| {
        let input = event_target::<web_sys::HtmlInputElement>(&event);
        take(&input.value());
        input.set_value(&text.get_untracked());
    });
    view! {
        <input
            type="text"
            id=control_id(key)
            class=class
            inputmode=inputmode
            autocomplete="off"
            spellcheck="false"
            prop:value=live(move || text.get())
            on:change=take
        />
    }
    .into_any()
}

/// A box over a chart's crosshair, or a strip beneath it: a title, and a row for each of what there is to read.
pub(super) fn readings(title_class: &'static str, title: Memo<String>, rows: Memo<String>) -> AnyView {
    view! {
        <p class=title_class>{title}</p>
        <dl class="readings" inner_html=rows></dl>
    }
    .into_any()
}
