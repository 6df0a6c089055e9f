//! A round in slow motion: local steps, upload, average, broadcast; played, or frame by frame.

use fedsysid_say::say;
use leptos::ev::Event;
use leptos::prelude::*;
use web_sys::Element;

use super::parts::button_unless;
use super::reactive::{effect, memo, on};
use super::store::Store;
use crate::dashboard::run::round::player::{Player, Showing};
use crate::web::listener::Interval;
use crate::web::screen;

/// Time per frame, in milliseconds.
const FRAME_MS: i32 = 700;

/// The diagram with its buttons. It is computed when it is unfolded, and again when a setting changes.
#[component]
pub fn SlowRound(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let shown = RwSignal::new(Showing::default());
    let player = StoredValue::new_local(None::<Player>);
    let playing = StoredValue::new_local(None::<Interval>);
    let is_playing = RwSignal::new(false);
    let stop = move || {
        playing.set_value(None);
        is_playing.set(false);
    };
    let act = move |act: fn(&mut Player)| {
        player.update_value(|player| {
            if let Some(player) = player {
                act(player);
                shown.set(player.showing());
            }
        });
    };
    let settings = memo(move || is_open.get().then(|| store.settings.draft.read().settings()));
    effect(move |_| {
        stop();
        match settings.get().map(Player::new) {
            Some(Ok(new)) => {
                shown.set(new.showing());
                player.set_value(Some(new));
                if prefers_stillness() {
                    act(Player::to_end);
                }
            }
            Some(Err(reason)) => {
                player.set_value(None);
                shown.set(Showing { sentence: reason, ..Showing::default() });
            }
            None => player.set_value(None),
        }
    });
    let play = move |_| {
        if is_playing.get_untracked() {
            stop();
        } else if prefers_stillness() {
            act(Player::to_end);
        } else {
            is_playing.set(true);
            playing.set_value(Interval::new(FRAME_MS, move || {
                act(Player::step);
                if shown.read_untracked().is_last {
                    stop();
                }
            }));
        }
    };
    let button = move |label: &'static str, change: fn(&mut Player), ends: fn(&Showing) -> bool| {
        let press = move || {
            stop();
            act(change);
        };
        button_unless(label, || None, memo(move || ends(&shown.read())), press)
    };
    let part = move |part: fn(&Showing) -> String| memo(move || part(&shown.read()));
    view! {
        <details class="slow-round" data-testid="slow-round" on:toggle=on(move |event: Event| {
            is_open.set(event_target::<Element>(&event).has_attribute("open"));
        })>
            <summary>{say!("Play a round in slow motion")}</summary>
            <div class="round-buttons">
                <button type="button" class="set-step" on:click=play>
                    {move || if is_playing.get() { say!("Pause") } else { say!("Play") }}
                </button>
                {button(say!("Step"), Player::step, |_| false)}
                {button(say!("Next round"), Player::next_round, |shown| shown.is_last_round)}
                {button(say!("Reset"), Player::reset, |_| false)}
                <span class="quiet">{part(|shown| shown.place.clone())}</span>
            </div>
            <div class="round-box" inner_html=part(|shown| shown.svg.clone())></div>
            <p aria-live="polite" data-testid="round-sentence">{part(|shown| shown.sentence.clone())}</p>
            <p class="quiet">{part(|shown| shown.caption.clone())}</p>
        </details>
    }
}

fn prefers_stillness() -> bool {
    screen::matches("(prefers-reduced-motion: reduce)")
}
