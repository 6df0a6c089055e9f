//! The Trade-off view: final error against one parameter, at one setting or at two.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::reactive::{derived, memo};
use leptos::prelude::*;

use super::chart::Chart;
use super::explore::{Complaints, Readings};
use super::store::Store;
use super::sweep::{Numbers, SweepProgress};
use crate::dashboard::markup;
use crate::dashboard::table::Rounds;
use crate::dashboard::tradeoff::{TradeOff, caption};
use crate::figure::theme::Theme;
use crate::params::table::words;
use crate::params::views::{Across, BESIDE, BESIDE_KEYS, Word};

/// The chart with its sentence above; what lies along the axis, and a second setting, to be chosen.
#[component]
pub fn TradeOffView(
    /// The page's signals.
    store: Store,
    /// How the chart looks.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let said = move |say: fn(&TradeOff<'_>) -> String| memo(move || look(store, say).unwrap_or_default());
    let (verdict, caption, bound) = (said(|it| it.sentence()), said(caption), said(|it| it.bound()));
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let place = memo(move || look(store, |trade_off| trade_off.nearest(at.get().unwrap_or(trade_off.now))).flatten());
    let shown = derived(move || {
        look(store, |trade_off| place.get().map(|x| trade_off.readings(x))).flatten().unwrap_or_default()
    });
    let title = move || {
        let symbol = store.views.read().across.key().param().symbol;
        place.get().map_or_else(String::new, |x| format!("{symbol} = {}", words(x)))
    };
    view! {
        <section class="explore trade-off" aria-label="Trade-off">
            <Choices store />
            <p class="verdict" data-testid="verdict">{verdict}</p>
            <figure class="figure">
                <div class="overlay">
                    <Complaints store />
                </div>
                <Chart figure=move || look(store, |it| it.figure()) theme at label over="complaints" along="values">
                    <p class="cross-title">{title}</p>
                    <Readings shown />
                </Chart>
                <SweepProgress store />
                <figcaption>{caption} " " <span data-testid="bound-as-printed">{bound}</span></figcaption>
            </figure>
            <div class="readout" data-testid="readout">
                <p class="readout-title">"final error at " {title}</p>
                <Readings shown />
            </div>
            <Numbers store rounds=Rounds::Last />
        </section>
    }
}

/// Something of the trade-off on screen.
fn look<T>(store: Store, look: impl FnOnce(&TradeOff<'_>) -> T) -> Option<T> {
    let (views, sweeps) = (store.views.read(), store.sweeps.read());
    let now = store.settings.draft.read().get(views.across.key());
    let (sweep, before) = (sweeps.current()?, sweeps.before());
    Some(look(&TradeOff { sweep, before, across: views.across, beside: views.beside, now }))
}

/// What lies along the axis, and what the second setting differs in.
#[component]
fn Choices(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let across = memo(move || store.views.read().across);
    let beside = memo(move || store.views.read().beside);
    let axes: Vec<_> = Across::ALL.iter().map(|(.., name)| (*name).to_owned()).collect();
    let axis = move || markup::options(&axes, Across::ALL.iter().position(|(axis, ..)| *axis == across.get()));
    // The axis itself can be no second setting.
    let keys = move || BESIDE_KEYS.into_iter().filter(move |&key| key != across.get().key());
    let seconds = move || {
        let names = keys().map(|key| format!("{} {}", key.param().symbol, key.param().name));
        let names: Vec<_> = std::iter::once("nothing".to_owned()).chain(names).collect();
        let chosen = beside.get().and_then(|(key, _)| keys().position(|other| other == key));
        markup::options(&names, Some(chosen.map_or(0, |place| place + 1)))
    };
    let choose_second = move |place: usize| {
        let key = place.checked_sub(1).and_then(|place| keys().nth(place));
        store.views.update(|views| views.beside = key.map(|key| (key, another(store, key))));
    };
    let type_value = move |text: &str| {
        store.settings.report(BESIDE, || store.views.try_update(|views| views.set_beside_text(text)).flatten());
    };
    let value = move || beside.get().map_or_else(String::new, |(_, value)| words(value));
    view! {
        <div class="sweep-head" data-testid="trade-off-choices">
            <label>
                <span>"Final error against"</span>
                <select
                    inner_html=axis
                    on:change:target=move |event| {
                        let place = usize::try_from(event.target().selected_index()).unwrap_or(0);
                        store.set_across(Across::ALL.get(place).map_or(Across::default(), |(axis, ..)| *axis));
                    }
                ></select>
            </label>
            <label>
                <span>"what if another"</span>
                <select
                    inner_html=seconds
                    on:change:target=move |event| {
                        choose_second(usize::try_from(event.target().selected_index()).unwrap_or(0));
                    }
                ></select>
            </label>
            <label hidden=move || beside.get().is_none()>
                <span>"were"</span>
                <input
                    type="text"
                    class="number-box"
                    inputmode="decimal"
                    autocomplete="off"
                    prop:value=value
                    on:change:target=move |event| {
                        type_value(&event.target().value());
                        event.target().set_value(&value());
                    }
                />
            </label>
        </div>
    }
}

/// A value for a second setting that differs from the present one: of the paper's, the one farthest from it.
fn another(store: Store, key: crate::params::Key) -> f64 {
    let now = store.settings.draft.read_untracked().get(key);
    let distance = |value: &f64| (value.max(1e-9) / now.max(1e-9)).ln().abs();
    let values = key.param().sweep.iter().copied();
    values.max_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(now)
}
