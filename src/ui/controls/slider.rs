//! A parameter's slider: symbol, name, editable value, reset mark, help.

use super::super::gesture::is_chord;
use super::super::parts::button;
use super::super::reactive::{live, memo, on};
use fedsysid_say::say;
use leptos::ev::{Event, KeyboardEvent};
use leptos::prelude::*;

use super::fixed::Fixed;
use super::help::{HelpButton, HelpText};
use super::number_box::NumberBox;
use super::{Known, Settings, control_id};
use crate::dashboard::views::landmarks::meaning;
use crate::params::table::{Widget, shown};
use crate::params::{Key, Move, Param, Stride};

/// One row of the panel: a slider with a number box, or the box alone if the table says so.
#[component]
pub fn Slider(
    /// The settings to read and write.
    settings: Settings,
    /// The parameter.
    key: Key,
    /// Computed facts about its values.
    known: Known,
    /// Called when the parameter's name is pressed.
    on_name: Callback<Key>,
) -> impl IntoView {
    let param = key.param();
    let help_id = format!("help-{}", param.link);
    let help_open = RwSignal::new(false);
    let has_slider = param.widget == Widget::Slider;
    // A parameter of an algorithm that does not run has no effect.
    let is_idle = move || param.only_for.is_some_and(|algorithm| !settings.draft.read().algorithms.contains(algorithm));
    let is_hidden = move || !settings.shows(param.link) || is_idle();
    let box_id = (!has_slider).then(|| control_id(param.link));
    let value = settings.value(key);
    let said = move || view! { <Fixed hidden=Box::new(is_hidden) words=Box::new(move || format!("{} {}", param.name(), shown(value.get()))) /> };
    view! {
        {settings.locks(param.link).then(said)}
        <div class="slider" data-param=param.link hidden=live(is_hidden) inert=settings.locks(param.link)>
            <div class="slider-head">
                <Name param on_name is_dead=!settings.leads_to_sweeps() />
                <ResetMark settings key />
                <NumberBox settings key id=box_id />
                <HelpButton about=param.name() text_id=help_id.clone() open=help_open />
            </div>
            {match key {
                Key::Seed | Key::SystemsSeed => another(settings, key),
                _ if has_slider => view! { <Track settings param known /> }.into_any(),
                _ => ().into_any(),
            }}
            {(key == Key::Heterogeneity).then(|| view! { <p class="slider-note" data-testid="note">{known.measured}</p> })}
            <HelpText id=help_id open=help_open>{param.help()} " " {meaning(key)}</HelpText>
        </div>
    }
}

/// Symbol and name.
#[component]
fn Name(
    /// The parameter.
    param: &'static Param,
    /// Called when the name is pressed.
    on_name: Callback<Key>,
    /// Whether the name cannot be pressed.
    is_dead: bool,
) -> impl IntoView {
    view! {
        <button type="button" class="slider-name" disabled=is_dead on:click=on(move |_| on_name.run(param.key))>
            {(!param.symbol.is_empty()).then(|| symbol(param.symbol))}
            <span class="name">{param.name()}</span>
        </button>
    }
}

/// A symbol; the part after an underscore is a subscript.
pub(crate) fn symbol(symbol: &'static str) -> AnyView {
    let (letter, index) = symbol.split_once('_').unwrap_or((symbol, ""));
    view! { <span class="symbol">{letter}<sub>{index}</sub></span> }.into_any()
}

/// A mark that the value is not the default; pressing it resets.
#[component]
fn ResetMark(
    /// The settings to read and write.
    settings: Settings,
    /// The parameter.
    key: Key,
) -> impl IntoView {
    let param = key.param();
    let usual = if param.follows().is_some() { say!("the seed").to_owned() } else { shown(param.default) };
    let what = say!("Reset {} to {}", param.name(), usual);
    view! {
        <button
            type="button"
            class="reset-mark"
            aria-label=what.clone()
            title=what
            hidden=live(move || settings.draft.read().is_default(key))
            on:click=on(move |_| settings.reset(key))
        >
            "↺"
        </button>
    }
}

/// Buttons of the seeds, whose neighboring values mean nothing to each other: the next draw, of everything or of the
/// systems alone; and, beside the systems' seed, a new draw of the data alone.
fn another(settings: Settings, key: Key) -> AnyView {
    let next = move || {
        settings.change(key.param().link, |draft| {
            if key == Key::Seed {
                draft.reset(Key::SystemsSeed);
            }
            draft.set(key, key.param().grid.moved(draft.get(key), Move::Up(Stride::One)))
        });
    };
    let new_data = move || {
        settings.change(key.param().link, |draft| {
            draft.draw_new_data();
            None
        });
    };
    let (name, has_new_data) = if key == Key::Seed { (say!("all new"), false) } else { (say!("new systems"), true) };
    view! {
        <div class="anothers">
            {button("another", name, next)}
            {has_new_data.then(|| button("another", say!("new data"), new_data))}
        </div>
    }
    .into_any()
}

/// The slider itself, between two buttons that move it by one stop (shown on touch screens).
#[component]
fn Track(
    /// The settings to read and write.
    settings: Settings,
    /// The parameter.
    param: &'static Param,
    /// Computed facts about its values.
    known: Known,
) -> impl IntoView {
    let key = param.key;
    let value = settings.value(key);
    let mark = memo(move || known.landmarks.read().iter().find(|landmark| landmark.key == key).cloned());
    let before_press = StoredValue::new(param.default);
    let on_key = move |ev: KeyboardEvent| {
        if let Some(step) = Move::of_key(&ev.key(), ev.shift_key()).filter(|_| !is_chord(&ev)) {
            ev.prevent_default();
            settings.step(key, step);
        }
    };
    view! {
        <div class="slider-track">
            <Nudge settings key step=Move::Down(Stride::One) sign="−" />
            <div
                class="slider-rail"
                style:--at=live(move || param.grid.fraction(value.get()).to_string())
                style:--default-at=param.grid.fraction(param.default).to_string()
            >
                <input
                    type="range"
                    id=control_id(param.link)
                    min="0"
                    max=param.grid.last().to_string()
                    step="1"
                    aria-label=param.name()
                    aria-valuetext=live(move || shown(value.get()))
                    title=live(move || mark.read().as_ref().map(|mark| mark.words.clone()))
                    prop:value=live(move || param.grid.nearest(value.get()).to_string())
                    on:input=on(move |event: Event| {
                        if let Ok(position) = event_target_value(&event).parse() {
                            settings.set(key, param.grid.at(position));
                        }
                    })
                    on:keydown=on(on_key)
                    on:pointerdown=on(move |_| before_press.set_value(value.get_untracked()))
                    // The browser took the gesture over to scroll the page: it was not meant for the slider.
                    on:pointercancel=on(move |_| settings.set(key, before_press.get_value()))
                />
                <span class="slider-notch"></span>
                <span
                    class="slider-mark"
                    hidden=live(move || mark.read().is_none())
                    style:--mark-at=live(move || mark.read().as_ref().map(|mark| mark.place.to_string()))
                ></span>
            </div>
            <Nudge settings key step=Move::Up(Stride::One) sign="+" />
        </div>
    }
}

/// A button that moves a slider by one stop.
#[component]
fn Nudge(
    /// The settings to read and write.
    settings: Settings,
    /// The parameter.
    key: Key,
    /// The move.
    step: Move,
    /// Sign on the button.
    sign: &'static str,
) -> impl IntoView {
    let direction = if matches!(step, Move::Up(_)) { say!("increase") } else { say!("decrease") };
    view! {
        <button
            type="button"
            class="nudge"
            tabindex="-1"
            aria-label=format!("{direction} {}", key.param().name())
            on:click=on(move |_| settings.step(key, step))
        >
            {sign}
        </button>
    }
}
