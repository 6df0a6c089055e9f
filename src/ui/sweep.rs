//! What every sweep has on the page: how far it is with a button to stop it, and its numbers as a table and a file.

use super::reactive::memo;
use leptos::prelude::*;

use super::store::Store;
use crate::dashboard::sweep::{State, Sweep};
use crate::dashboard::table::{self, Rounds};
use crate::dashboard::{markup, sentences};
use crate::web::{clock, file};

/// Until a sweep has taken this long, it will be over before anybody could stop it.
const QUIET_MS: f64 = 300.0;

/// How far a sweep is, and buttons to stop it and to begin it anew.
#[component]
pub fn SweepProgress(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let state = memo(move || {
        let sweeps = store.sweeps.read();
        let sweep = sweeps.current()?;
        let (elapsed, left) = sweep.times(clock::now());
        let is_shown = sweep.state != State::Complete && (sweep.state != State::Running || elapsed >= QUIET_MS);
        is_shown.then(|| (sweep.progress(), sentences::sweeping(sweep, left), sweep.state == State::Running))
    });
    view! {
        <div class="progress" data-testid="sweep-progress">
            {move || state.get().map(|(share, words, is_running)| view! {
                <progress max="1" value=share.to_string() aria-label="Sweep"></progress>
                <span>{words}</span>
                <button
                    type="button"
                    class="set-step"
                    on:click=move |_| if is_running { store.cancel_sweep() } else { store.repeat_sweep() }
                >
                    {if is_running { "Cancel" } else { "Run it again" }}
                </button>
            })}
        </div>
    }
}

/// The numbers, unfolded on demand, and a button that saves them.
#[component]
pub fn Numbers(
    /// The page's signals.
    store: Store,
    /// Which rounds the file has; the table has the last.
    rounds: Rounds,
) -> impl IntoView {
    let is_open = RwSignal::new(false);
    let rows = move || {
        let sweeps = store.sweeps.read();
        let sweep = sweeps.current().filter(|_| is_open.get());
        sweep.map(|sweep| markup::table(&table::of(sweep, Rounds::Last))).unwrap_or_default()
    };
    let save = move |_| {
        let csv = store.sweeps.read_untracked().current().map(|sweep: &Sweep| table::of(sweep, rounds).csv());
        if let Some(csv) = csv {
            file::save("fedsysid-sweep.csv", "text/csv", &csv);
        }
    };
    view! {
        <details class="numbers" data-testid="numbers" on:toggle=move |_| is_open.update(|open| *open = !*open)>
            <summary>"Numbers"</summary>
            <button type="button" class="set-step" on:click=save>"Save as CSV"</button>
            <div class="numbers-table" tabindex="0" role="region" aria-label="Numbers" inner_html=rows></div>
        </details>
    }
}
