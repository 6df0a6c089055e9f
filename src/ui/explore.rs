//! The Explore view: error against round, what it reads, and what to say of it.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::reactive::{derived, memo};
use leptos::prelude::*;

use super::chart::Chart;
use super::store::Store;
use super::sweep::{Numbers, RunProgress, SweepProgress};
use super::theory::Badges;
use crate::dashboard::family::Family;
use crate::dashboard::picture::method_name;
use crate::dashboard::readout::{Reading, readings};
use crate::dashboard::table::Rounds;
use crate::dashboard::{Dashboard, Run, markup, picture, sentences};
use crate::figure::number::{count, measured};
use crate::figure::theme::Theme;
use crate::params::View;
use crate::params::views::{SWEEP, listed};

/// The chart with its sentence above and its numbers below: of the run that follows the settings, or of one curve a value.
#[component]
pub fn Explore(
    /// The page's signals.
    store: Store,
    /// How the chart looks.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let figure = move || {
        of_family(store, |family| family.figure()).or_else(|| store.dashboard.read().run().map(picture::figure))
    };
    let said = move |of_sweep: fn(&Family<'_>) -> String, of_run: fn(&Run) -> String| {
        let of_run = move || store.dashboard.read().run().map(of_run).unwrap_or_default();
        memo(move || of_family(store, of_sweep).unwrap_or_else(of_run))
    };
    let verdict = said(|family| family.sentence(), sentences::verdict);
    let caption = said(|family| family.caption(), sentences::caption);
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let round = memo(move || {
        let of_run = || store.dashboard.read().run().map_or(0, |run| run.recorded(at.get()));
        of_family(store, |family| family.round(at.get())).unwrap_or_else(of_run)
    });
    let shown = derived(move || {
        let of_run = || store.dashboard.read().run().map(|run| readings(run, round.get())).unwrap_or_default();
        of_family(store, |family| family.readings(round.get())).unwrap_or_else(of_run)
    });
    let is_sweep = memo(move || store.views.read().sweep.is_some());
    view! {
        <section class="explore" aria-label="Explore">
            {move || is_sweep.get().then(|| view! { <SweepHead store /> })}
            <p class="verdict" data-testid="verdict">{verdict}</p>
            <figure class="figure">
                <div class="overlay">
                    <Complaints store />
                </div>
                <Chart figure theme at label over="complaints" along="rounds">
                    <p class="cross-title">{move || format!("round {}", count(round.get()))}</p>
                    <Readings shown />
                </Chart>
                {move || if is_sweep.get() {
                    view! { <SweepProgress store /> }.into_any()
                } else {
                    view! { <RunProgress store /> }.into_any()
                }}
                <figcaption>{caption}</figcaption>
            </figure>
            <div class="readout" data-testid="readout" data-round=round>
                <p class="readout-title">{move || format!("error after round {}", count(round.get()))}</p>
                <Readings shown />
            </div>
            {move || if is_sweep.get() {
                view! { <Numbers store rounds=Rounds::All /> }.into_any()
            } else {
                view! { <Badges store /> }.into_any()
            }}
            <Spoken round shown is_asked=derived(move || at.get().is_some()) />
        </section>
    }
}

/// Something of the sweep on screen, if one curve a value is looked at and anything is known of it.
fn of_family<T>(store: Store, look: impl FnOnce(&Family<'_>) -> T) -> Option<T> {
    let views = store.views.read();
    let of = views.sweep.as_ref().filter(|_| views.view == View::Explore)?;
    let sweeps = store.sweeps.read();
    Some(look(&Family { sweep: sweeps.current()?, of, method: views.method }))
}

/// What is swept, its values to be typed over, of which method, and the way back.
#[component]
fn SweepHead(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let of = memo(move || store.views.read().sweep.clone());
    let name = move || of.get().map_or("", |of| of.key.param().name);
    let list = move || of.get().map(|of| listed(&of.values)).unwrap_or_default();
    let type_list = move |text: String| {
        store
            .settings
            .report(SWEEP, || store.views.try_update(|views| views.sweep.as_mut()?.set_text(&text)).flatten());
    };
    let methods = memo(move || {
        let methods = store.settings.draft.read().settings().methods;
        let names: Vec<_> = methods.into_iter().map(method_name).collect();
        markup::options(&names, Some(store.views.read().method))
    });
    view! {
        <div class="sweep-head" data-testid="sweep">
            <label>
                <span>"One curve a value of " <b>{name}</b></span>
                <input
                    type="text"
                    class="number-box values"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=list
                    on:change:target=move |event| {
                        type_list(event.target().value());
                        event.target().set_value(&list());
                    }
                />
            </label>
            <label>
                <span>"of"</span>
                <select
                    inner_html=methods
                    on:change:target=move |event| {
                        let method = usize::try_from(event.target().selected_index()).unwrap_or(0);
                        store.views.update(|views| views.method = method);
                    }
                ></select>
            </label>
            <button type="button" class="set-step" on:click=move |_| store.views.update(|views| views.sweep = None)>
                "Back to one run"
            </button>
        </div>
    }
}

/// A row for each curve and reference line.
#[component]
pub fn Readings(
    /// What there is to read.
    shown: Signal<Vec<Reading>>,
) -> impl IntoView {
    let row = |reading: &Reading| {
        let value = match &reading.value {
            Ok(value) => {
                let (mean, error) = (value.mean(), value.standard_error());
                let spread = error.is_finite().then(|| format!(" ± {}", measured(error, 2)));
                let expected = reading.expected.map(|expected| {
                    view! { <span class="expected" data-expected=expected.to_string()>
                        {format!("predicted {}", measured(expected, 3))}
                    </span> }
                });
                // The machine-readable value has every digit, the one for people three.
                view! { <data value=mean.to_string()>{measured(mean, 3)}</data> <span class="spread">{spread}</span> {expected} }
                    .into_any()
            }
            Err(reason) => view! { <span class="no-value">{reason.clone()}</span> }.into_any(),
        };
        view! {
            <div class="reading" data-role=reading.role.word()>
                <dt>{reading.name.clone()}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    view! { <dl class="readings">{move || shown.read().iter().map(row).collect_view()}</dl> }
}

/// What does not work, in words.
#[component]
pub fn Complaints(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let complaints = move || {
        let dashboard = store.dashboard.read();
        let refusal = dashboard.refusal().map(|error| format!("This cannot be run: {error}."));
        let of_run = dashboard.run().map(sentences::complaints).unwrap_or_default();
        refusal.into_iter().chain(of_run)
    };
    let trouble = move || store.dashboard.read().trouble();
    let item = |text: String| view! { <p class="complaint">{text}</p> };
    view! {
        <div id="complaints" class="complaints" role="status" data-testid="complaints">
            {move || complaints().map(item).collect_view()}
            {move || {
                trouble().map(|trouble| view! {
                    <p class="complaint trouble">
                        {sentences::trouble(trouble)}
                        <button
                            type="button"
                            class="dismiss"
                            aria-label="Dismiss"
                            on:click=move |_| store.dashboard.update(Dashboard::dismiss_trouble)
                        >
                            "×"
                        </button>
                    </p>
                })
            }}
        </div>
    }
}

/// The numbers at the crosshair for those who hear them.
#[component]
pub fn Spoken(
    /// The round.
    round: Memo<usize>,
    /// What is read there.
    shown: Signal<Vec<Reading>>,
    /// Whether anybody looks at a round.
    is_asked: Signal<bool>,
) -> impl IntoView {
    let text = move || {
        let words = |reading: &Reading| match &reading.value {
            Ok(value) => {
                let expected = reading
                    .expected
                    .map_or_else(String::new, |expected| format!(", predicted {}", measured(expected, 3)));
                format!("{} {}{expected}", reading.name, measured(value.mean(), 3))
            }
            Err(reason) => format!("{}: {reason}", reading.name),
        };
        let all: Vec<_> = shown.read().iter().map(words).collect();
        is_asked.get().then(|| format!("round {}: {}", round.get(), all.join(", ")))
    };
    view! { <p class="visually-hidden" aria-live="polite">{text}</p> }
}
