//! What theory says of the run on screen: how stable it is, what its error is made of, who gains, and what the paper proves.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use super::chart::Chart;
use super::store::Store;
use super::terms::{ANATOMY, BOUND, Heading, JOIN, STABILITY};
use crate::dashboard::anatomy::{self, Anatomy, anatomies};
use crate::dashboard::badge::{Badge, Standing, badges};
use crate::dashboard::join::{self, Join, joins};
use crate::dashboard::{Run, bound};
use crate::figure::number::{measured, number};
use crate::figure::theme::Theme;
use crate::params::Key;

/// The contraction of every method, and a button to the largest step that it bears.
#[component]
pub fn Badges(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let shown = move || store.dashboard.read().run().map(badges).unwrap_or_default();
    let badge = move |badge: Badge| {
        let standing = match badge.standing {
            Standing::Stable => "stable",
            Standing::Near => "near",
            Standing::Diverging => "diverging",
        };
        let largest = badge.largest_step.map(|step| {
            view! { <span class="quiet">"largest stable α "<data value=step.to_string()>{measured(step, 3)}</data></span> }
        });
        let button = badge.suggestion.map(|(step, words)| {
            view! {
                <button type="button" class="set-step" on:click=move |_| store.settings.set(Key::StepSize, step)>{words}</button>
            }
        });
        view! {
            <li class="badge" data-role=badge.role.word() data-standing=standing>
                <strong>{badge.name}</strong>
                <span>{badge.words}</span>
                {largest}
                {button}
            </li>
        }
    };
    view! { <ul class="badges" data-testid="badges">{move || shown().into_iter().map(badge).collect_view()}</ul> }
}

/// The cards beneath the chart.
#[component]
pub fn Theory(
    /// The page's signals.
    store: Store,
    /// How the charts look.
    theme: Signal<Theme>,
) -> impl IntoView {
    let which = RwSignal::new(String::new());
    view! {
        <section class="theory" aria-label="Theory">
            <div class="card">
                <Heading title="What is left, and why" id="anatomy" entries=ANATOMY />
                <Methods store which />
                <Anatomies store which />
            </div>
            <div class="card">
                <Heading title="Should I join?" id="join" entries=JOIN />
                <Joins store which />
            </div>
            <div class="card">
                <Heading title="What the paper proves" id="bound" entries=BOUND />
                <Bound store theme />
            </div>
            <div class="card">
                <Heading title="How fast, how large the steps" id="stability" entries=STABILITY />
                <Few store />
            </div>
        </section>
    }
}

/// Which method the cards are about: the chosen one while it runs, else the last, which corrects for drift by default.
fn index_of(names: &[String], which: &str) -> Option<usize> {
    names.iter().position(|name| name == which).or(names.len().checked_sub(1))
}

/// A choice among the methods that run, if there are several.
#[component]
fn Methods(
    /// The page's signals.
    store: Store,
    /// The chosen one's name.
    which: RwSignal<String>,
) -> impl IntoView {
    let names = Memo::new(move |_| names(store));
    let button = move |name: String| {
        let (pressed, chosen) = (name.clone(), name.clone());
        let is_chosen = move || {
            let names = names.read();
            index_of(&names, &which.read()).is_some_and(|index| names[index] == pressed)
        };
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=move || is_chosen().to_string()
                on:click=move |_| which.set(chosen.clone())
            >
                {name}
            </button>
        }
    };
    view! {
        <div class="methods" role="group" aria-label="Method">
            {move || names.get().into_iter().map(button).collect_view()}
        </div>
    }
}

fn names(store: Store) -> Vec<String> {
    let dashboard = store.dashboard.read();
    let methods = dashboard.run().map(|run| run.summary.methods.as_slice()).unwrap_or_default();
    methods.iter().map(|summary| crate::dashboard::picture::method_name(summary.method)).collect()
}

/// The four causes along the rounds, and at the last.
#[component]
fn Anatomies(
    /// The page's signals.
    store: Store,
    /// The chosen method's name.
    which: RwSignal<String>,
) -> impl IntoView {
    let shown = move || {
        let all = store.dashboard.read().run().map(anatomies).unwrap_or_default();
        let names: Vec<_> = all.iter().map(|anatomy| anatomy.name.clone()).collect();
        index_of(&names, &which.read()).and_then(|index| all.into_iter().nth(index))
    };
    let strip = |anatomy: Anatomy| match anatomy.causes {
        Err(reason) => view! { <p class="no-value">{format!("No prediction: {reason}.")}</p> }.into_any(),
        Ok(causes) => {
            let layers = causes.layers.clone();
            let area = |layer: &anatomy::Layer| {
                view! { <path data-cause=layer.cause.words() d=layer.path.clone()></path> }
            };
            let row = |layer: anatomy::Layer| {
                view! {
                    <div class="cause" data-cause=layer.cause.words()>
                        <dt>{layer.cause.words()}</dt>
                        <dd><data value=layer.share.to_string()>{percent(layer.share)}</data></dd>
                    </div>
                }
            };
            let (width, height) = anatomy::EXTENT;
            view! {
                <svg class="strip" viewBox=format!("0 0 {width} {height}") preserveAspectRatio="none" aria-hidden="true">
                    {layers.iter().map(area).collect_view()}
                    <path class="zero" d=format!("M0 {0}H{width}", causes.zero)></path>
                </svg>
                <p class="ends"><span>"round 0"</span><span>"last round"</span></p>
                <dl class="causes">{causes.layers.into_iter().map(row).collect_view()}</dl>
                <p class="quiet">
                    {format!("Shares of the mean square error; after the last round its root is {}.", measured(causes.rms, 3))}
                </p>
            }
            .into_any()
        }
    };
    view! { <div class="anatomy" data-testid="anatomy">{move || shown().map(strip)}</div> }
}

/// A share in words, with the sign that print uses.
fn percent(share: f64) -> String {
    let rounded = (1_000.0 * share).round() / 10.0;
    let sign = if rounded < 0.0 { "−" } else { "" };
    format!("{sign}{} %", number(rounded.abs()))
}

/// One dot a client.
#[component]
fn Joins(
    /// The page's signals.
    store: Store,
    /// The chosen method's name.
    which: RwSignal<String>,
) -> impl IntoView {
    let at = RwSignal::new(None::<usize>);
    let strip = NodeRef::<Div>::new();
    let shown = Memo::new(move |_| {
        let all = store.dashboard.read().run().map(joins).unwrap_or_default();
        let names: Vec<_> = all.iter().map(|join| join.name.clone()).collect();
        index_of(&names, &which.read()).and_then(|index| all.into_iter().nth(index))
    });
    let look = move |event: PointerEvent| {
        let (Some(strip), Some(join)) = (strip.get_untracked(), shown.get_untracked()) else { return };
        let area = strip.get_bounding_client_rect();
        let (width, height) = (area.width().max(1.0), area.height().max(1.0));
        let x = f64::from(event.client_x()) - area.left();
        let y = f64::from(event.client_y()) - area.top();
        let place = (x / width * f64::from(join::EXTENT.0), y / height * f64::from(join::EXTENT.1));
        at.set(join::nearest(&join, place, width / height));
    };
    let walk = move |event: KeyboardEvent| {
        let Some(join) = shown.get_untracked() else { return };
        let steps = match event.key().as_str() {
            "ArrowLeft" => -1,
            "ArrowRight" => 1,
            "Home" => isize::MIN,
            "End" => isize::MAX,
            "Escape" => {
                at.set(None);
                return;
            }
            _ => return,
        };
        event.prevent_default();
        at.set(join::beside(&join, at.get_untracked(), steps));
    };
    let reading = move || {
        let (dashboard, join) = (store.dashboard.read(), shown.read());
        Some(join::reading(dashboard.run()?, join.as_ref()?, at.get()?))
    };
    let words = move || shown.read().as_ref().map(|join| join.words.clone()).unwrap_or_default();
    let break_even = move || store.dashboard.read().run().map(bound::break_even).unwrap_or_default();
    view! {
        <p data-testid="join-words">{words}</p>
        <div
            class="strip dots"
            node_ref=strip
            tabindex="0"
            role="group"
            aria-roledescription="chart"
            aria-label=move || format!("A dot a client. {} Left and right arrow keys walk along the clients.", words())
            data-testid="join"
            on:pointermove=look
            on:pointerdown=look
            on:pointerleave=move |_| at.set(None)
            on:keydown=walk
        >
            {move || shown.read().as_ref().map(|join| dots(join, at.get()))}
        </div>
        {move || shown.read().as_ref().map(ends)}
        <p class="reading-line" aria-live="polite">{reading}</p>
        <p class="quiet" data-testid="break-even">{break_even}</p>
    }
}

fn dots(join: &Join, at: Option<usize>) -> impl IntoView + use<> {
    let (width, height) = join::EXTENT;
    let chosen = at.and_then(|client| join.dots.iter().find(|dot| dot.client == client)).map(|dot| dot.at);
    view! {
        <svg viewBox=format!("0 0 {width} {height}") preserveAspectRatio="none" aria-hidden="true">
            <path class="zero" d=format!("M0 {0}H{width}", join.even)></path>
            <path class="gains" d=join.paths.0.clone()></path>
            <path class="loses" d=join.paths.1.clone()></path>
            {chosen.map(|(x, y)| view! { <path class="chosen" d=format!("M{x} {y}h0")></path> })}
        </svg>
    }
}

/// What the strip's edges mean.
fn ends(join: &Join) -> impl IntoView + use<> {
    let (farthest, largest, least) = join.ranges;
    let gain = if largest > 1.11 { format!("up: gains, to {}-fold", measured(largest, 2)) } else { "up: gains".into() };
    let lose =
        if least < 0.9 { format!("down: loses, to {}-fold", measured(1.0 / least, 2)) } else { "down: loses".into() };
    view! {
        <p class="ends">
            <span>"mean system"</span>
            <span>{format!("{gain}; {lose}")}</span>
            <span>{format!("{} away", measured(farthest, 2))}</span>
        </p>
    }
}

/// The bound, the slope, and the data.
#[component]
fn Bound(
    /// The page's signals.
    store: Store,
    /// How the chart looks.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let of_run = move |say: fn(&Run) -> String| store.dashboard.read().run().map(say).unwrap_or_default();
    let badge = move || {
        let dashboard = store.dashboard.read();
        let (holds, words) = bound::hypothesis(dashboard.run()?.theory.as_ref()?)?;
        Some(view! { <p class="hypothesis" data-testid="hypothesis" data-holds=holds.to_string()>{words}</p> })
    };
    let figure = move || store.dashboard.read().run().and_then(bound::figure);
    let label = Signal::derive(move || of_run(bound::words));
    let reading = move || {
        let dashboard = store.dashboard.read();
        Some(bound::reading(dashboard.run()?, at.get()?))
    };
    view! {
        {badge}
        <p data-testid="bound-words">{move || of_run(bound::words)}</p>
        <div class="bound">
            <Chart figure theme at label over="no-cover">""</Chart>
        </div>
        <p class="reading-line" aria-live="polite">{reading}</p>
    }
}

/// Where the predictions hold.
#[component]
fn Few(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let words = move || store.dashboard.read().run().map(crate::dashboard::badge::outlook).unwrap_or_default();
    view! { <p data-testid="outlook">{words}</p> }
}
