//! The Systems view: the matrices in boxes, their properties, and the clients' systems.

mod grid;

use fedsysid_say::say;
use std::rc::Rc;

use leptos::ev::{Event, MouseEvent};
use leptos::prelude::*;
use web_sys::{Element, HtmlInputElement};

use super::controls::Known;
use super::controls::number_box::NumberBox;
use super::controls::panel::Sliders;
use super::explore::complaints;
use super::parts::button;
use super::reactive::{derived, live, memo, on};
use super::save::save;
use super::store::Store;
use super::theory::said_of_run;
use crate::dashboard::run::verdict;
use crate::dashboard::views::systems::{Portrait, plane, tables, words};
use crate::params::Key;
use crate::params::examples::{EXAMPLES, Example};
use crate::params::table::Group;
use crate::sim::system::Dims;
use crate::web::file;

/// The matrices, their properties, and the clients' systems.
#[component]
pub fn SystemsView(
    /// The page's signals.
    store: Store,
) -> impl IntoView {
    let portrait = memo(move || store.settings.draft.read().check().ok().map(Portrait::of));
    let shown = Shown { portrait };
    let complained = RwSignal::new(Vec::new());
    let verdict = said_of_run(store, verdict::verdict);
    view! {
        <section class="systems" aria-label=say!("Systems") data-testid="systems">
            {examples(store, complained)}
            <div class="systems-editor">
                {sizes(store, complained)}
                {grid::grid(store, complained)}
            </div>
            <div class="systems-outcome">
                <figure class="plane-figure">
                    <div inner_html=shown.of(plane::picture)></div>
                    <figcaption>{shown.of(plane::caption)}</figcaption>
                    {save(store, "save-systems", false, move |page| portrait.read().as_ref().map(|it| page.systems(it)))}
                </figure>
                <div class="systems-words">
                    {shown.said("stability", words::stability)}
                    {shown.said("modes", words::modes)}
                    {shown.said("reach", words::reach)}
                    {shown.said("fleet-words", words::clients)}
                    <p class="systems-verdict" data-testid="verdict" data-said="">{verdict}</p>
                    {complaints(store)}
                </div>
            </div>
            <div class="systems-tables">
                {covariances(shown)}
                {fleet(shown)}
            </div>
        </section>
    }
}

/// Signals of the view.
#[derive(Clone, Copy)]
struct Shown {
    portrait: Memo<Option<Portrait>>,
}

impl Shown {
    /// A text about the present systems.
    fn of(self, look: impl Fn(&Portrait) -> String + Send + Sync + 'static) -> Memo<String> {
        memo(move || self.portrait.read().as_ref().map(&look).unwrap_or_default())
    }

    /// A paragraph about the present systems.
    fn said(self, testid: &'static str, say: fn(&Portrait) -> String) -> AnyView {
        view! { <p data-testid=testid data-said="">{self.of(say)}</p> }.into_any()
    }
}

/// The example systems, one press each, with the description of the one in use beneath.
fn examples(store: Store, complained: RwSignal<grid::Complained>) -> AnyView {
    let draft = store.settings.draft;
    let current = memo(move || Example::of(&draft.read().systems).map(|example| example.id));
    let description = memo(move || {
        let in_use = EXAMPLES.iter().find(|example| current.get() == Some(example.id));
        in_use.map_or(say!("Systems of your own."), |example| example.description()).to_owned()
    });
    let example = move |example: &'static Example| {
        let press = on(move |_: MouseEvent| {
            let applied = example.applied_to(&draft.read_untracked());
            draft.set(applied);
            complained.set(Vec::new());
        });
        view! {
            <button
                type="button"
                class="preset"
                title=example.description()
                aria-pressed=live(move || (current.get() == Some(example.id)).to_string())
                on:click=press
            >
                {example.name()}
            </button>
        }
    };
    view! {
        <section class="presets" aria-label=say!("Example systems")>
            <div class="preset-row">{EXAMPLES.iter().map(example).collect_view()}</div>
            <p class="preset-text" data-testid="example-text">{description}</p>
        </section>
    }
    .into_any()
}

/// n, p and T, and the standard deviations of what drives the systems.
fn sizes(store: Store, complained: RwSignal<grid::Complained>) -> AnyView {
    let settings = store.settings;
    let dims = memo(move || {
        let Dims { n_states, n_inputs } = settings.draft.read().systems.dims();
        (n_states, n_inputs)
    });
    let resize = move |n_states: usize, n_inputs: usize| {
        let now = settings.draft.read_untracked().systems.resized(Dims { n_states, n_inputs });
        settings.draft.update(|draft| draft.systems = now);
        complained.set(Vec::new());
    };
    let states = move |by: isize| {
        let (n, p) = dims.get_untracked();
        resize(n.saturating_add_signed(by), p);
    };
    let inputs = move |by: isize| {
        let (n, p) = dims.get_untracked();
        resize(n, p.saturating_add_signed(by));
    };
    let known = Known { measured: derived(String::new), landmarks: memo(Vec::new) };
    view! {
        <div class="sizes">
            {stepper("n", say!("states"), memo(move || dims.get().0), Rc::new(states))}
            {stepper("p", say!("inputs"), memo(move || dims.get().1), Rc::new(inputs))}
            <div class="stepper">
                <span class="symbol">"T"</span>
                <span class="name">{say!("rollout length")}</span>
                <NumberBox settings key=Key::RolloutLen id=None />
            </div>
        </div>
        <Sliders settings group=Group::Systems known on_name=Callback::new(move |key| store.sweep(key)) />
    }
    .into_any()
}

/// A count between two buttons.
fn stepper(symbol: &'static str, name: &'static str, value: Memo<usize>, step: Rc<dyn Fn(isize)>) -> AnyView {
    let fewer = nudge(say!("fewer {name}"), "−", -1, step.clone());
    let more = nudge(say!("more {name}"), "+", 1, step);
    view! {
        <div class="stepper" role="group" aria-label=name data-stepper=symbol>
            <span class="symbol">{symbol}</span>
            <span class="name">{name}</span>
            {fewer}
            <output>{live(move || value.get().to_string())}</output>
            {more}
        </div>
    }
    .into_any()
}

fn nudge(label: String, sign: &'static str, by: isize, step: Rc<dyn Fn(isize)>) -> AnyView {
    let press = on(move |_: MouseEvent| step(by));
    view! { <button type="button" class="step" aria-label=label on:click=press>{sign}</button> }.into_any()
}

/// Lemma 1's Σ_t at a chosen t.
fn covariances(shown: Shown) -> AnyView {
    let chosen = RwSignal::new(usize::MAX);
    let last = memo(move || {
        let portrait = shown.portrait.read();
        portrait.as_ref().map_or(0, |portrait| portrait.scenario.plan(0).rollout_len - 1)
    });
    let t = memo(move || chosen.get().min(last.get()));
    let choose = on(move |event: Event| {
        chosen.set(event_target::<HtmlInputElement>(&event).value().parse().unwrap_or(usize::MAX));
    });
    view! {
        <section class="covariances" aria-label=say!("Covariance of the data")>
            <h2>{say!("Covariance of states and inputs ")} <span class="symbol">"Σₜ"</span> {say!(", Lemma 1")}</h2>
            <label class="chosen-t">
                <span><span class="symbol">"t"</span> " = " {live(move || t.get().to_string())}</span>
                <input
                    type="range"
                    min="0"
                    max=live(move || last.get().to_string())
                    aria-label=say!("step t of a rollout")
                    prop:value=live(move || t.get().to_string())
                    on:input=choose
                />
            </label>
            <p class="quiet">{shown.of(move |portrait| tables::spread(portrait, t.get()))}</p>
            <div
                class="numbers-table"
                tabindex="0"
                role="region"
                aria-label=say!("Covariance at this step")
                data-testid="sigma"
                inner_html=shown.of(move |portrait| tables::covariance_table(portrait, t.get()))
            ></div>
        </section>
    }
    .into_any()
}

/// The clients' systems, the matrices of a chosen client, and a button that saves all systems.
fn fleet(shown: Shown) -> AnyView {
    let chosen = RwSignal::new(0);
    let choose = on(move |event: MouseEvent| {
        let client = event_target::<Element>(&event).get_attribute("data-client");
        if let Some(client) = client.and_then(|client| client.parse().ok()) {
            chosen.set(client);
        }
    });
    let save = move || {
        let csv = shown.portrait.read_untracked().as_ref().map(|portrait| tables::table(portrait).csv());
        if let Some(csv) = csv {
            file::save("fedsysid-systems.csv", "text/csv", &csv);
        }
    };
    view! {
        <section class="fleet" aria-label=say!("The clients’ systems")>
            <h2>{say!("The clients’ systems")}</h2>
            <div class="fleet-head">
                {button("set-step", say!("Save as CSV"), save)}
                <span class="quiet">{shown.of(tables::more)}</span>
            </div>
            <div
                class="numbers-table"
                tabindex="0"
                role="region"
                aria-label=say!("Table of the clients’ systems")
                data-testid="fleet"
                on:click=choose
                inner_html=shown.of(move |portrait| tables::fleet(portrait, chosen.get()))
            ></div>
            <div
                class="client-matrices"
                data-testid="client"
                inner_html=shown.of(move |portrait| tables::client(portrait, chosen.get()))
            ></div>
        </section>
    }
    .into_any()
}
