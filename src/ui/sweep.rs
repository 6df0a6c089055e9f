//! Progress of work, with a button to stop it.

use super::parts::button;
use super::reactive::{live, memo};
use fedsysid_say::say;
use leptos::prelude::*;

use super::store::Store;
use crate::dashboard::results::work::{Work, WorkState};
use crate::engine::pool::Lane;
use crate::web::clock;

/// Progress of a sweep, with a button to stop or restart it.
pub(super) fn sweep_progress(store: Store) -> AnyView {
    let work = move || store.sweeps.read().current().and_then(|sweep| sweep.work(clock::now()));
    progress("sweep-progress", store, Lane::Sweep, Box::new(work))
}

/// Progress of a map; once the map is complete, progress of the studies behind its dots.
pub(super) fn map_progress(store: Store) -> AnyView {
    let of_map = move || store.maps.read().work(clock::now());
    let of_dots = move || {
        let sweeps = store.sweeps.read();
        sweeps.current().filter(|_| of_map().is_none()).and_then(|sweep| sweep.work(clock::now()))
    };
    let map = progress("map-progress", store, Lane::Survey, Box::new(of_map));
    let dots = progress("sweep-progress", store, Lane::Sweep, Box::new(of_dots));
    view! {
        {map}
        {dots}
    }
    .into_any()
}

/// Progress of a long run. Short runs end before it would be shown.
pub(super) fn run_progress(store: Store) -> AnyView {
    progress("progress", store, Lane::Live, Box::new(move || store.dashboard.read().work(clock::now())))
}

fn progress(
    test_id: &'static str,
    store: Store,
    lane: Lane,
    work: Box<dyn Fn() -> Option<Work> + Send + Sync>,
) -> AnyView {
    let work = memo(move || work().filter(Work::is_told));
    let shown = move |work: Work| {
        let (words, act): (_, fn(Store, Lane)) = if work.state == WorkState::Running {
            (say!("Stop"), Store::stop)
        } else {
            (say!("Run it again"), Store::repeat)
        };
        view! {
            <progress max="1" value=work.share.to_string() aria-label=say!("done")></progress>
            // Before the words, whose length changes: otherwise the button would move away under the pointer.
            {button("set-step", words, move || act(store, lane))}
            <span>{work.words()}</span>
        }
        .into_any()
    };
    view! {
        <div class="progress" data-testid=test_id>
            {live(move || work.get().map_or_else(|| ().into_any(), shown))}
        </div>
    }
    .into_any()
}
