//! The Paper view: the paper's figures, one press each; beside them the switches, with their effects; beneath them the
//! paper's claims beside this run's measurements.

use fedsysid_say::say;
use leptos::prelude::*;

use super::chart::Chart;
use super::parts::readings;
use super::reactive::{derived, live, memo, on};
use super::save::save;
use super::store::Store;
use super::sweep::sweep_progress;
use crate::dashboard::results::sweep::Sweep;
use crate::dashboard::run::markup::{OF_ERROR, readings as rows_of};
use crate::dashboard::views::paper::{is_of, markup, picture, words};
use crate::figure::theme::Theme;
use crate::params::Word;
use crate::params::paper::{PaperFigure, Switch, Switches};

/// Signals of the view.
#[derive(Clone, Copy)]
struct Paper {
    store: Store,
}

/// An option of a strip of radio buttons: its word, its name, and its tooltip.
type Segment = (&'static str, &'static str, Option<&'static str>);

/// The paper's figures with their switches and claims.
#[component]
pub fn PaperView(
    /// The page's signals.
    store: Store,
    /// The theme.
    theme: Signal<Theme>,
) -> impl IntoView {
    let paper = Paper { store };
    let figures =
        PaperFigure::ALL.iter().map(|(figure, word, _)| (*word, figure.name(), Some(figure.title()))).collect();
    let choose = move |word: &str| {
        let figure = PaperFigure::by_word(word).unwrap_or_default();
        store.views.update(|views| views.figure = figure);
    };
    let title = memo(move || say!("Figure {}: {}", paper.figure().name(), paper.figure().title()));
    view! {
        <section class="paper" aria-label=say!("Paper") data-testid="paper">
            <fieldset class="choice figures">
                <legend class="visually-hidden">{say!("Figure")}</legend>
                {segments("figure", figures, memo(move || paper.figure().word().to_owned()), choose)}
            </fieldset>
            <h2 class="paper-title" data-said="">{title}</h2>
            {plot(paper, theme)}
            <ul
                class="claims"
                data-testid="claims"
                data-said=""
                inner_html=paper.said(|figure, switches, sweep| markup::claims(&words::claims(figure, switches, sweep)))
            ></ul>
            {switchboard(paper)}
        </section>
    }
}

impl Paper {
    fn figure(self) -> PaperFigure {
        self.store.views.read().figure
    }

    fn switches(self) -> Switches {
        self.store.views.read().switches
    }

    /// A property of the shown figure; `None` until its experiments are requested.
    fn look<T>(self, look: impl FnOnce(PaperFigure, Switches, &Sweep) -> T) -> Option<T> {
        let (figure, switches, sweeps) = (self.figure(), self.switches(), self.store.sweeps.read());
        let sweep = sweeps.current().filter(|sweep| is_of(sweep, figure, switches))?;
        Some(look(figure, switches, sweep))
    }

    fn switch(self, change: impl FnOnce(&mut Switches)) {
        self.store.views.update(|views| change(&mut views.switches));
    }

    /// A text about the figure.
    fn said(self, say: impl Fn(PaperFigure, Switches, &Sweep) -> String + Send + Sync + 'static) -> Memo<String> {
        memo(move || self.look(&say).unwrap_or_default())
    }
}

/// The chart, and its numbers at the chosen round.
fn plot(paper: Paper, theme: Signal<Theme>) -> AnyView {
    let at = RwSignal::new(None::<f64>);
    let caption = paper.said(picture::caption);
    let label = derived(move || format!("{}. {}", paper.figure().title(), caption.get()));
    let round = memo(move || paper.look(|_, _, sweep| picture::round(sweep, at.get())).unwrap_or_default());
    let shown = derived(move || {
        let readings = |figure, switches, sweep: &Sweep| picture::readings(figure, switches, sweep, round.get());
        paper.look(readings).unwrap_or_default()
    });
    let rows = memo(move || rows_of(&shown.read(), OF_ERROR));
    let title = memo(move || say!("round {}", round.get()));
    let title_beneath = memo(move || say!("error after {}", title.get()));
    view! {
        <figure class="paper-figure">
            <Chart figure=Box::new(move || paper.look(picture::picture)) theme at label over="no-cover" along="rounds">
                {readings("cross-title", title, rows)}
            </Chart>
            {sweep_progress(paper.store)}
            <figcaption>{caption}</figcaption>
            {save(paper.store, "save-paper", false, move |page| paper.look(|_, _, sweep| page.paper(sweep)))}
            <div class="readout" data-testid="paper-readout" data-round=live(move || round.get().to_string())>
                {readings("readout-title", title_beneath, rows)}
            </div>
        </figure>
    }
    .into_any()
}

/// All switches with their effects, and presets of all switches.
fn switchboard(paper: Paper) -> AnyView {
    let preset = move |(name, preset): (&'static str, Switches)| {
        let wanted = move || preset.drawn_as(paper.switches());
        view! {
            <button
                type="button"
                class="preset"
                aria-pressed=live(move || (paper.switches() == wanted()).to_string())
                on:click=on(move |_| paper.switch(|switches| *switches = preset.drawn_as(*switches)))
            >
                {name}
            </button>
        }
    };
    let row = move |&(switch, word, _): &(Switch, &'static str, &'static str)| {
        let options = switch.options().into_iter().map(|(word, name)| (word, name, None)).collect();
        let choose = move |option: &str| {
            paper.switch(|switches| {
                switches.choose(switch, option);
            });
        };
        let note = paper.said(move |figure, switches, sweep| words::note(switch, figure, switches, sweep));
        view! {
            <fieldset class="choice" data-switch=word>
                <legend>
                    <span class="name">{switch.name()}</span>
                </legend>
                {segments(word, options, memo(move || paper.switches().word(switch).to_owned()), choose)}
                <p class="switch-note">{note}</p>
            </fieldset>
        }
    };
    view! {
        <aside class="switchboard" aria-label=say!("Switches") data-testid="switchboard">
            <div class="preset-row">
                {[(say!("Paper’s text"), Switches::TEXT), (say!("Authors’ code"), Switches::CODE)].map(preset).collect_view()}
            </div>
            {Switch::ALL.iter().map(row).collect_view()}
        </aside>
    }
    .into_any()
}

/// Radio buttons as a strip; arrow keys go from one to the next.
fn segments(
    name: &'static str,
    options: Vec<Segment>,
    current: Memo<String>,
    choose: impl Fn(&str) + Copy + 'static,
) -> AnyView {
    let radio = move |(word, label, title): Segment| {
        view! {
            <label class="segment" title=title>
                <input
                    type="radio"
                    name=name
                    value=word
                    prop:checked=live(move || *current.read() == word)
                    on:change=on(move |_| choose(word))
                />
                <span>{label}</span>
            </label>
        }
    };
    view! { <div class="segments">{options.into_iter().map(radio).collect_view()}</div> }.into_any()
}
