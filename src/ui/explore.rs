//! The Explore view: error against round, what it reads, and what to say of it.

use leptos::prelude::*;

use super::chart::Chart;
use super::store::Store;
use super::theory::Badges;
use crate::dashboard::readout::{Reading, readings};
use crate::dashboard::{Dashboard, Run, picture, sentences};
use crate::figure::number::{count, measured};
use crate::figure::theme::Theme;

/// The chart with its sentence above and its numbers below.
#[component]
pub fn Explore(
    /// The page's signals.
    store: Store,
    /// How the chart looks.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let figure = move || store.dashboard.read().run().map(picture::figure);
    let said =
        move |say: fn(&Run) -> String| Memo::new(move |_| store.dashboard.read().run().map(say).unwrap_or_default());
    let (verdict, caption) = (said(sentences::verdict), said(sentences::caption));
    let label = Signal::derive(move || format!("{} {}", caption.get(), verdict.get()));
    let round = Memo::new(move |_| shown_round(at.get(), store.dashboard.read().run()));
    let shown =
        Signal::derive(move || store.dashboard.read().run().map(|run| readings(run, round.get())).unwrap_or_default());
    view! {
        <section class="explore" aria-label="Explore">
            <p class="verdict" data-testid="verdict">{verdict}</p>
            <figure class="figure">
                <div class="overlay">
                    <Complaints store />
                </div>
                <Chart figure theme at label over="complaints" along="rounds">
                    <p class="cross-title">{move || format!("round {}", count(round.get()))}</p>
                    <Readings shown />
                </Chart>
                <Progress store />
                <figcaption>{caption}</figcaption>
            </figure>
            <div class="readout" data-testid="readout" data-round=round>
                <p class="readout-title">{move || format!("error after round {}", count(round.get()))}</p>
                <Readings shown />
            </div>
            <Badges store />
            <Spoken round shown is_asked=Signal::derive(move || at.get().is_some()) />
        </section>
    }
}

/// The recorded round that is looked at, else the last.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round that the run has recorded")]
fn shown_round(at: Option<f64>, run: Option<&Run>) -> usize {
    let Some(run) = run else { return 0 };
    let asked = at.map_or(usize::MAX, |x| x as usize);
    run.summary.rounds.get(run.summary.record_at(asked)).copied().unwrap_or(0)
}

/// A row for each curve and reference line.
#[component]
fn Readings(
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
fn Complaints(
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

/// How far a long run is. Short runs end before anything could be shown.
#[component]
fn Progress(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let progress = move || store.dashboard.read().progress();
    view! {
        <div class="progress" data-testid="progress">
            {move || progress().map(|(share, done, all)| view! {
                <progress max="1" value=share.to_string() aria-label="Run"></progress>
                <span>{format!("{done} of {all} data sets")}</span>
            })}
        </div>
    }
}

/// The numbers at the crosshair for those who hear them.
#[component]
fn Spoken(
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
