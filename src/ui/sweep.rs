//! What every sweep has on the page: how far it is with a button to stop it, and its numbers as a table and a file.

use super::reactive::memo;
use leptos::prelude::*;

use super::store::Store;
use crate::dashboard::markup;
use crate::dashboard::sweep::Sweep;
use crate::dashboard::table::{self, Rounds};
use crate::dashboard::work::{Stage, Work};
use crate::engine::pool::Lane;
use crate::web::{clock, file};

/// How far a sweep is, and buttons to stop it and to begin it anew.
#[component]
pub fn SweepProgress(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let work = move || store.sweeps.read().current().and_then(|sweep| sweep.work(clock::now()));
    progress("sweep-progress", store, Lane::Sweep, work)
}

/// How far a long run is. Short runs end before anything could be shown.
#[component]
pub fn RunProgress(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    progress("progress", store, Lane::Live, move || store.dashboard.read().work(clock::now()))
}

fn progress(
    test_id: &'static str,
    store: Store,
    lane: Lane,
    work: impl Fn() -> Option<Work> + Send + Sync + 'static,
) -> AnyView {
    let work = memo(move || work().filter(Work::is_told));
    view! {
        <div class="progress" data-testid=test_id>
            {move || work.get().map(|work| {
                let is_running = work.stage == Stage::Running;
                view! {
                    <progress max="1" value=work.share.to_string() aria-label="done"></progress>
                    <span>{work.words()}</span>
                    <button
                        type="button"
                        class="set-step"
                        on:click=move |_| if is_running { store.stop(lane) } else { store.repeat(lane) }
                    >
                        {if is_running { "Stop" } else { "Run it again" }}
                    </button>
                }
            })}
        </div>
    }
    .into_any()
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
