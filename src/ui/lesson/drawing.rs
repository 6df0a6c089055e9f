//! Layer on which a student draws a guess before the run is shown, with pointer and keys.

use fedsysid_say::say;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Div;
use leptos::prelude::*;

use crate::dashboard::views::lesson::guess::{Guess, Kind};
use crate::dashboard::views::lesson::{markup, step_of};
use crate::figure::aloud::spoken;
use crate::figure::frame::Frame;
use crate::params::guide::Guide;
use crate::ui::chart::OnPlot;
use crate::ui::gesture::{is_chord, is_main, is_released};
use crate::ui::reactive::{live, memo, on, when};
use crate::ui::store::Store;

/// The layer with the guess on a chart; once the run is shown, the guess stays beneath it as a line.
pub(in crate::ui) fn on_plot(store: Store, kind: Kind) -> OnPlot {
    Box::new(move |frame| drawing(store, kind, frame))
}

fn drawing(store: Store, kind: Kind, frame: Memo<Option<Frame>>) -> AnyView {
    let is_there = memo(move || {
        let Guide { lesson, step, .. } = store.views.read().guide;
        step_of(lesson, step).is_some_and(|step| step.guess == Some(kind)) && frame.read().is_some()
    });
    when(move || is_there.get(), move || handles(store, kind, frame))
}

/// The layer on which the guess is drawn, with its handles.
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
        if !is_main(&event) {
            return;
        }
        if let Some(layer) = layer.get_untracked() {
            let _ = layer.set_pointer_capture(event.pointer_id());
        }
        is_held.set_value(true);
        place(&event);
    };
    let pass = move |event: PointerEvent| {
        event.stop_propagation();
        if is_held.get_value() && is_released(&event) {
            is_held.set_value(false);
        }
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

/// A handle of a guess, which keys can move.
fn handle(store: Store, (kind, handle): (Kind, usize), drawn: Memo<Drawn>, frame: Memo<Option<Frame>>) -> AnyView {
    let orientation = if kind == Kind::Curve { "vertical" } else { "horizontal" };
    let at = move |pick: fn((f64, f64)) -> f64| {
        live(move || frame.get().map(|frame| format!("{}px", pick(drawn.read().0.px(handle, &frame)))))
    };
    let key = move |event: KeyboardEvent| {
        let chord = is_chord(&event);
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

/// A guess in a memo, which compares it.
#[derive(Clone, PartialEq)]
struct Drawn(Guess);
