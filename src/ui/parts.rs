//! Small parts that several views use.

use fedsysid_say::say;
use leptos::ev::{Event, FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use super::aloud::aloud;
use super::chart::steps_of;
use super::controls::control_id;
use super::reactive::{live, memo, on};
use crate::dashboard::run::join::{self, Join};
use crate::dashboard::run::markup;
use crate::dashboard::run::strip_units::EXTENT;
use crate::figure::aloud::spoken;

/// A button with text.
pub(super) fn button(class: &'static str, words: &'static str, press: impl Fn() + 'static) -> AnyView {
    boxed_button(class, words, Box::new(press))
}

fn boxed_button(class: &'static str, words: &'static str, press: Box<dyn Fn()>) -> AnyView {
    let press = on(move |_: MouseEvent| press());
    view! { <button type="button" class=class on:click=press>{words}</button> }.into_any()
}

/// A button that does nothing while `is_dead`, with a tooltip if `tip` has one. It is not disabled, which would take the
/// focus from whoever has just pressed it.
pub(super) fn button_unless(
    words: &'static str,
    tip: impl Fn() -> Option<String> + Send + 'static,
    is_dead: Memo<bool>,
    press: impl Fn() + 'static,
) -> AnyView {
    boxed_button_unless(words, live(tip), is_dead, Box::new(press))
}

fn boxed_button_unless(
    words: &'static str,
    tip: Box<dyn Fn() -> Option<String> + Send>,
    is_dead: Memo<bool>,
    press: Box<dyn Fn()>,
) -> AnyView {
    let press = on(move |_: MouseEvent| {
        if !is_dead.get_untracked() {
            press();
        }
    });
    let is_dead = live(move || is_dead.get().to_string());
    view! { <button type="button" class="set-step" title=tip aria-disabled=is_dead on:click=press>{words}</button> }
        .into_any()
}

/// A labeled list of options, which are markup, hidden without any; `choose` gets the index of the chosen one.
pub(super) fn select(
    words: &'static str,
    options: Memo<String>,
    is_hidden: impl Fn() -> bool + Send + 'static,
    choose: impl Fn(usize) + 'static,
) -> AnyView {
    boxed_select(words, options, live(move || is_hidden() || options.read().is_empty()), Box::new(choose))
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

/// Properties of a text box.
#[derive(Clone, Copy)]
pub(super) struct TextBox {
    /// Its key in a link, by which notices find it.
    pub(super) key: &'static str,
    /// Its classes.
    pub(super) class: &'static str,
    /// Kind of keyboard that a phone shows for it.
    pub(super) inputmode: &'static str,
    /// The shown text.
    pub(super) text: Memo<String>,
}

/// A text box. It applies the typed text, and then shows the text in use.
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

/// A box at a chart's crosshair, or a strip beneath the chart: a title, and one row per reading.
pub(super) fn readings(title_class: &'static str, title: Memo<String>, rows: Memo<String>) -> AnyView {
    view! {
        <p class=title_class>{title}</p>
        <dl class="readings" inner_html=rows></dl>
    }
    .into_any()
}

/// Called when a client's dot is pressed.
pub(super) type Choose = Box<dyn Fn(usize)>;

/// One dot per client, from the most typical system to the farthest: pointed at, walked along by keys, and, if `choose`
/// is given, pressed.
pub(super) fn dots(
    testid: &'static str,
    shown: Memo<Option<Join>>,
    at: RwSignal<Option<usize>>,
    summary: Memo<String>,
    reading: Memo<String>,
    choose: Option<Choose>,
) -> AnyView {
    let strip = NodeRef::<Div>::new();
    let of_shown = move |say: fn(&Join) -> String| memo(move || shown.read().as_ref().map(say).unwrap_or_default());
    let chosen = memo(move || shown.read().as_ref().map(|join| markup::chosen(join, at.get())).unwrap_or_default());
    let nearest = move |event: &MouseEvent| {
        let (strip, join) = (strip.get_untracked()?, shown.read_untracked());
        let area = strip.get_bounding_client_rect();
        let (width, height) = (area.width().max(1.0), area.height().max(1.0));
        let x = (f64::from(event.client_x()) - area.left()) / width * f64::from(EXTENT.0);
        let y = (f64::from(event.client_y()) - area.top()) / height * f64::from(EXTENT.1);
        join::nearest(join.as_ref()?, (x, y), width / height)
    };
    let look = move |event: PointerEvent| {
        let there = nearest(&event);
        at.set(there);
    };
    let (is_pressed, choose) = (choose.is_some(), StoredValue::new_local(choose));
    let press = move |client: Option<usize>| {
        choose.with_value(|choose| {
            if let (Some(choose), Some(client)) = (choose, client) {
                choose(client);
            }
        });
    };
    let walk = move |event: KeyboardEvent| {
        if is_pressed && matches!(event.key().as_str(), "Enter" | " ") {
            event.prevent_default();
            return press(at.get_untracked());
        }
        let Some(steps) = steps_of(&event) else { return };
        let beside =
            |steps| shown.read_untracked().as_ref().and_then(|join| join::beside(join, at.get_untracked(), steps));
        let there = steps.and_then(beside);
        at.set(there);
    };
    let label = memo(move || {
        let press = if is_pressed { say!(" Enter shows the error of that client.") } else { "" };
        say!("A dot a client. {} Left and right arrow keys walk along them.{press}", summary.get())
    });
    view! {
        <div
            class=if is_pressed { "strip dots is-pressed" } else { "strip dots" }
            node_ref=strip
            tabindex="0"
            role="group"
            aria-roledescription=say!("chart")
            aria-label=live(move || spoken(&label.read()))
            data-testid=testid
            on:pointermove=on(look)
            on:pointerdown=on(look)
            on:pointerleave=on(move |event: PointerEvent| {
                // The words stay when a finger is lifted.
                if event.pointer_type() == "mouse" {
                    at.set(None);
                }
            })
            on:click=on(move |event: MouseEvent| press(nearest(&event)))
            on:keydown=on(walk)
            on:blur=on(move |_: FocusEvent| at.set(None))
        >
            <div inner_html=chosen></div>
            <div inner_html=of_shown(markup::dots)></div>
        </div>
        <p class="ends" inner_html=of_shown(markup::edges)></p>
        <p class="reading-line">{reading}</p>
        {aloud(reading.into())}
    }
    .into_any()
}
