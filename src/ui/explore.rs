//! The Explore view: error against round, its readings, and the sentences about it.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::parts::{TextBox, button, readings, select, text_box};
use super::reactive::{derived, live, memo, on};
use fedsysid_say::say;
use leptos::ev::MouseEvent;
use leptos::prelude::*;
use web_sys::Element;

use super::chart::Chart;
use super::lesson;
use super::save::save_beside;
use super::store::Store;
use super::sweep::{run_progress, sweep_progress};
use super::theory::badges;
use crate::dashboard::outgoing::export::Export;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::results::Dashboard;
use crate::dashboard::results::Run;
use crate::dashboard::run::markup;
use crate::dashboard::run::picture;
use crate::dashboard::run::pins::{ghosts, haunt, legend};
use crate::dashboard::run::readout;
use crate::dashboard::run::{captions, complaints, verdict};
use crate::dashboard::views::family::Family;
use crate::dashboard::views::lesson::guess::Kind;
use crate::dashboard::words::html;
use crate::dashboard::words::names::method_name;
use crate::figure::Figure;
use crate::figure::number::count;
use crate::figure::theme::Theme;
use crate::params::guide::Lesson;
use crate::params::views::{SWEEP, SweepOf, Upward};
use crate::params::{Key, View};

/// The chart with its sentence above and its numbers below: of the run of the present settings, or of a sweep with one
/// curve per value.
#[component]
pub fn Explore(
    /// The page's signals.
    store: Store,
    /// The theme.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let figure =
        move || lesson::veiled(store, of_family(store, |family| family.figure()).or_else(|| run_figure(store)));
    let said = move |of_sweep: fn(&Family<'_>) -> String, of_run: fn(&Run) -> String| {
        let of_run = move || store.dashboard.read().run().map(of_run).unwrap_or_default();
        memo(move || lesson::unless_veiled(store, || of_family(store, of_sweep).unwrap_or_else(of_run)))
    };
    let verdict = lesson::or_hint(store, said(|family| family.sentence(), verdict::verdict));
    let caption = memo(move || {
        let of_run = || {
            let (pins, sweeps, dashboard) = (store.pins.read(), store.sweeps.read(), store.dashboard.read());
            let run = dashboard.run()?;
            Some(
                captions::caption_of(run, store.views.read().upward())
                    + legend(&ghosts(&pins, &sweeps, Some(run)), run),
            )
        };
        lesson::unless_veiled(store, || of_family(store, |family| family.caption()).or_else(of_run).unwrap_or_default())
    });
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let round = memo(move || {
        let of_run = || store.dashboard.read().run().map_or(0, |run| run.recorded(at.get()));
        of_family(store, |family| family.round(at.get())).unwrap_or_else(of_run)
    });
    let shown = derived(move || {
        let of_run = || {
            let dashboard = store.dashboard.read();
            let Some(run) = dashboard.run() else { return Vec::new() };
            let readings = readout::readings(run, round.get());
            if is_over_pooled(store) { readout::multiples(run, readings) } else { readings }
        };
        let all = || of_family(store, |family| family.readings(round.get())).unwrap_or_else(of_run);
        if store.veil.get().is_some() { Vec::new() } else { all() }
    });
    let is_swept = memo(move || is_sweep(store));
    let digits = move || if is_over_pooled(store) { markup::OF_MULTIPLE } else { markup::OF_ERROR };
    let rows = memo(move || markup::readings(&shown.read(), digits()));
    let title = memo(move || say!("round {}", count(round.get())));
    let title_beneath = memo(move || {
        let rounds = title.get();
        let of_rounds = of_family(store, |family| family.of.key == Key::Rounds).unwrap_or_default();
        match store.views.read().upward() {
            Upward::OverPooled => say!("error ÷ pooled after {rounds}"),
            Upward::Error if of_rounds => say!("error after {rounds}, or the last before"),
            Upward::Error => say!("error after {rounds}"),
        }
    });
    let parts = move |of_sweep: fn(Store) -> AnyView, of_run: fn(Store) -> AnyView| {
        live(move || if is_swept.get() { of_sweep(store) } else { of_run(store) })
    };
    view! {
        <section class="explore" aria-label=say!("Explore")>
            {parts(sweep_head, |_| ().into_any())}
            <p class="verdict" data-testid="verdict" data-said="">{verdict}</p>
            <figure class="figure">
                <div class="overlay">
                    {complaints(store)}
                </div>
                <Chart figure=Box::new(figure) theme at label over="complaints" along="rounds" on_plot=lesson::on_plot(store, Kind::Curve)>
                    {readings("cross-title", title, rows)}
                </Chart>
                {parts(sweep_progress, run_progress)}
                <figcaption>{caption}</figcaption>
                {save_beside(store, "save-explore", true, upward(store), move |page| exported(store, page))}
            </figure>
            <div class="readout" data-testid="readout" data-round=live(move || round.get().to_string())>
                {readings("readout-title", title_beneath, rows)}
            </div>
            {parts(of_one_run, badges)}
        </section>
    }
}

/// Figure of the run of the present settings, with the ghosts of the pinned runs.
fn run_figure(store: Store) -> Option<Figure> {
    let (pins, sweeps, dashboard) = (store.pins.read(), store.sweeps.read(), store.dashboard.read());
    let run = dashboard.run()?;
    let mut figure = picture::figure(run);
    haunt(&mut figure, &ghosts(&pins, &sweeps, Some(run)), run);
    Some(if is_over_pooled(store) { picture::over_pooled(figure, run) } else { figure })
}

fn is_over_pooled(store: Store) -> bool {
    store.views.read().upward() == Upward::OverPooled
}

/// Choice of the vertical axis: errors, or multiples of the error of pooled least squares.
fn upward(store: Store) -> AnyView {
    let press = on(move |_: MouseEvent| {
        store.views.update(|views| {
            views.upward = if views.upward == Upward::Error { Upward::OverPooled } else { Upward::Error };
        });
    });
    view! {
        <button
            type="button"
            class="set-step"
            data-testid="upward"
            hidden=live(move || store.views.read().guide.lesson != Lesson::None)
            aria-pressed=live(move || is_over_pooled(store).to_string())
            title=say!("Errors as multiples of that of pooled least squares: curves that lie on each other come apart")
            on:click=press
        >
            {say!("÷ pooled")}
        </button>
    }
    .into_any()
}

/// Whether the view shows a sweep instead of the run of the present settings.
fn is_sweep(store: Store) -> bool {
    let views = store.views.read();
    views.view == View::Explore && views.sweep.is_some()
}

/// A property of the sweep on screen; `None` unless the view shows one curve per value and there is a sweep.
fn of_family<T>(store: Store, look: impl FnOnce(&Family<'_>) -> T) -> Option<T> {
    let views = store.views.read();
    let of = views.sweep.as_ref().filter(|_| views.view == View::Explore)?;
    let sweeps = store.sweeps.read();
    let method = views.place(store.settings.draft.read().algorithms);
    Some(look(&Family { sweep: sweeps.current()?, of, method, upward: views.upward() }))
}

/// The chart as an export: of the sweep, or of the run.
fn exported(store: Store, page: Page<'_>) -> Option<Export> {
    let of_run = || {
        let (pins, sweeps, dashboard) = (store.pins.read(), store.sweeps.read(), store.dashboard.read());
        let run = dashboard.run()?;
        Some(page.run(run, run_figure(store)?, &ghosts(&pins, &sweeps, Some(run))))
    };
    of_family(store, |family| page.family(family)).or_else(of_run)
}

/// Heading of a sweep: the parameter, its editable values, the method, and the way back.
fn sweep_head(store: Store) -> AnyView {
    let name =
        memo(move || store.views.read().sweep.as_ref().map(|of| of.key.param().name().to_owned()).unwrap_or_default());
    let text = memo(move || store.views.read().sweep.as_ref().map(SweepOf::shown).unwrap_or_default());
    let take = move |text: &str| {
        store
            .settings
            .report(SWEEP, || store.views.try_update(|views| views.sweep.as_mut()?.set_typed(text)).flatten());
    };
    let methods = memo(move || {
        let draft = store.settings.draft.read();
        let names: Vec<_> = draft.settings().methods.into_iter().map(method_name).collect();
        html::options(&names, Some(store.views.read().place(draft.algorithms)))
    });
    let choose = move |place| {
        let algorithms = store.settings.draft.read_untracked().algorithms;
        store.views.update(|views| views.choose_place(algorithms, place));
    };
    view! {
        <div class="sweep-head" data-testid="sweep">
            <label>
                <span>{say!("One curve per value of ")} <b>{name}</b></span>
                {text_box(TextBox { key: SWEEP, class: "number-box values", inputmode: "text", text }, take)}
            </label>
            {select(say!("of"), methods, move || methods.read().is_empty(), choose)}
            {button("set-step", say!("Back to one run"), move || store.views.update(|views| views.sweep = None))}
        </div>
    }
    .into_any()
}

/// What is beneath a sweep is not about its curves.
fn of_one_run(_: Store) -> AnyView {
    view! { <p class="quiet">{say!("The cards below are about one run, that of the settings.")}</p> }.into_any()
}

/// Complaints about the run and about settings that cannot be run.
pub(super) fn complaints(store: Store) -> AnyView {
    let are_steps_fixed = store.settings.locks(Key::StepSize.param().link);
    let html = memo(move || {
        let dashboard = store.dashboard.read();
        let refusal = dashboard.refusal().map(complaints::refused);
        // Complaints about a run would reveal what is to be guessed; a refusal reveals nothing.
        // A sweep says itself what diverges: the run of the present settings is not on its chart.
        let is_on_chart = store.veil.get().is_none() && !is_sweep(store);
        let run = dashboard.run().filter(|_| is_on_chart);
        let of_run = run.map(|run| complaints::complaints(run, are_steps_fixed)).unwrap_or_default();
        let complaints: Vec<_> = refusal.into_iter().chain(of_run).collect();
        html::unbroken(&markup::complaints(&complaints, dashboard.trouble().map(complaints::trouble)))
    });
    let press = on(move |event: MouseEvent| {
        if event_target::<Element>(&event).has_attribute("data-dismiss") {
            store.dashboard.update(Dashboard::dismiss_trouble);
        }
    });
    view! {
        <div id="complaints" class="complaints" data-said="" data-testid="complaints" on:click=press inner_html=html></div>
    }
    .into_any()
}
