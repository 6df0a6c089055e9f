//! The Trade-off view: final error against one parameter, at one setting or at two.

#![expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]

use super::reactive::{derived, live, memo};
use fedsysid_say::say;
use leptos::prelude::*;

use super::chart::Chart;
use super::explore::complaints;
use super::lesson;
use super::parts::{TextBox, readings, select, text_box};
use super::save::save;
use super::store::Store;
use super::sweep::sweep_progress;
use crate::dashboard::run::markup;
use crate::dashboard::views::landmarks::{self, Landmark};
use crate::dashboard::views::lesson::guess::Kind;
use crate::dashboard::views::tradeoff::{TradeOff, caption};
use crate::dashboard::words::html;
use crate::figure::theme::Theme;
use crate::params::table::{self, shown, typed};
use crate::params::views::{Across, BESIDE, BESIDE_KEYS};
use crate::params::{View, Word};

/// The chart with its sentence above, and the choices of the axis and of a second setting.
#[component]
pub fn TradeOffView(
    /// The page's signals.
    store: Store,
    /// The theme.
    theme: Signal<Theme>,
) -> impl IntoView {
    let at = RwSignal::new(None::<f64>);
    let said = move |say: fn(&TradeOff<'_>) -> String| {
        memo(move || lesson::unless_veiled(store, || look(store, say).unwrap_or_default()))
    };
    let (verdict, caption, bound) = (said(|it| it.sentence()), said(caption), said(|it| it.bound()));
    let verdict = lesson::or_hint(store, verdict);
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let place = memo(move || look(store, |trade_off| trade_off.nearest(at.get().unwrap_or(trade_off.now))).flatten());
    let shown = derived(move || {
        let all = || look(store, |trade_off| place.get().map(|x| trade_off.readings(x))).flatten().unwrap_or_default();
        if store.veil.get().is_some() { Vec::new() } else { all() }
    });
    let rows = memo(move || markup::readings(&shown.read(), markup::OF_ERROR));
    let title = memo(move || {
        let symbol = store.views.read().across.key().param().symbol;
        place.get().map_or_else(String::new, |x| format!("{symbol} = {}", table::shown(x)))
    });
    let title_beneath = memo(move || {
        let said = |it: &TradeOff<'_>| it.stands_for().filter(|_| at.get().is_none());
        match look(store, said).flatten() {
            Some(now) => say!("final error at {}, on this axis the point nearest to {now}", title.get()),
            None => say!("final error at {}", title.get()),
        }
    });
    view! {
        <section class="explore trade-off" aria-label=say!("Trade-off")>
            {choices(store)}
            <p class="verdict" data-testid="verdict" data-said="">{verdict}</p>
            <figure class="figure">
                <div class="overlay">
                    {complaints(store)}
                </div>
                <Chart
                    figure=Box::new(move || lesson::veiled(store, look(store, |it| it.figure())))
                    theme
                    at
                    label
                    over="complaints"
                    along="values"
                    on_plot=lesson::on_plot(store, Kind::Place)
                >
                    {readings("cross-title", title, rows)}
                </Chart>
                {sweep_progress(store)}
                <figcaption>{caption} " " <span data-testid="bound-as-printed">{bound}</span></figcaption>
                {save(store, "save-tradeoff", true, move |page| look(store, |it| page.trade_off(it)))}
            </figure>
            <div class="readout" data-testid="readout">
                {readings("readout-title", title_beneath, rows)}
            </div>
        </section>
    }
}

/// A property of the trade-off on screen.
fn look<T>(store: Store, look: impl FnOnce(&TradeOff<'_>) -> T) -> Option<T> {
    let (views, sweeps) = (store.views.read(), store.sweeps.read());
    let now = store.settings.draft.read().get(views.across.key());
    let (sweep, before) = (sweeps.current()?, sweeps.before());
    Some(look(&TradeOff { sweep, before, across: views.across, beside: views.beside, now }))
}

/// Landmarks along the sliders; none while they would reveal what is to be guessed.
pub(super) fn landmarks(store: Store) -> Memo<Vec<Landmark>> {
    memo(move || {
        let dashboard = store.dashboard.read();
        let Some(run) = dashboard.run().filter(|_| store.veil.get().is_none()) else { return Vec::new() };
        let of_run = || landmarks::landmarks(run, None);
        let is_looked_at = store.views.read().view == View::TradeOff;
        let both = is_looked_at.then(|| look(store, |trade_off| landmarks::landmarks(run, Some(trade_off))));
        both.flatten().unwrap_or_else(of_run)
    })
}

/// Choices of the axis, and of the parameter of the second setting.
fn choices(store: Store) -> AnyView {
    let across = move || store.views.read().across;
    let beside = move || store.views.read().beside;
    let axes = memo(move || {
        let names: Vec<_> = Across::ALL.iter().map(|(axis, ..)| axis.name().to_owned()).collect();
        html::options(&names, Across::ALL.iter().position(|(axis, ..)| *axis == across()))
    });
    // The parameter on the axis cannot be the second setting.
    let keys = move || BESIDE_KEYS.into_iter().filter(move |&key| key != across().key());
    let seconds = memo(move || {
        let names = keys().map(|key| format!("{} {}", key.param().symbol, key.param().name()));
        let names: Vec<_> = std::iter::once(say!("nothing").to_owned()).chain(names).collect();
        let chosen = beside().and_then(|(key, _)| keys().position(|other| other == key));
        html::options(&names, Some(chosen.map_or(0, |place| place + 1)))
    });
    let choose_axis =
        move |place: usize| store.set_across(Across::ALL.get(place).map_or(Across::default(), |(axis, ..)| *axis));
    let choose_second = move |place: usize| {
        let key = place.checked_sub(1).and_then(|place| keys().nth(place));
        store.views.update(|views| views.beside = key.map(|key| (key, another(store, key))));
    };
    let take = move |text: &str| {
        let Some((key, _)) = store.views.read_untracked().beside else { return };
        let text = typed(key.param(), text);
        store.settings.report(BESIDE, || store.views.try_update(|views| views.set_beside_text(&text)).flatten());
    };
    let text = memo(move || beside().map_or_else(String::new, |(_, value)| shown(value)));
    view! {
        <div class="sweep-head" data-testid="trade-off-choices">
            {select(say!("Final error against"), axes, || false, choose_axis)}
            {select(say!("what if another"), seconds, || false, choose_second)}
            <label hidden=live(move || beside().is_none())>
                <span>{say!("were")}</span>
                {text_box(TextBox { key: BESIDE, class: "number-box", inputmode: "decimal", text }, take)}
            </label>
        </div>
    }
    .into_any()
}

/// A value for the second setting: of the parameter's sweep values the one with the largest ratio to the present value.
fn another(store: Store, key: crate::params::Key) -> f64 {
    let now = store.settings.draft.read_untracked().get(key);
    let distance = |value: &f64| (value.max(1e-9) / now.max(1e-9)).ln().abs();
    let values = key.param().sweep.iter().copied();
    values.max_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(now)
}
