//! The Data view: files are opened by button, by dropping, or as the example; cards show the results. The desk makes
//! all their texts.

use fedsysid_say::say;
use leptos::ev::{DragEvent, Event};
use leptos::prelude::*;
use web_sys::{DataTransfer, FileList, HtmlInputElement};

use super::parts::{TextBox, button, dots, select, text_box};
use super::reactive::{live, memo, on};
use super::save::save;
use super::store::Store;
use crate::dashboard::outgoing::export::Export;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::outgoing::export::own_data;
use crate::dashboard::views::data::charts::Dots;
use crate::dashboard::views::data::parts::{Part, Parts};
use crate::dashboard::views::data::rounds::{self, Which};
use crate::dashboard::views::data::{Choices, Chosen, FORMAT, Sheet};
use crate::web::desk_proxy::{DeskMessage, DeskProxy};
use crate::web::listener::Listener;

/// Signals of the view. They outlive it, so that opened data stay while other views are shown.
#[derive(Clone, Copy)]
pub struct OwnData {
    sheet: RwSignal<Sheet>,
    desk: StoredValue<DeskProxy, LocalStorage>,
}

impl OwnData {
    /// No data.
    pub fn empty() -> Self {
        let sheet = RwSignal::new(Sheet::default());
        let tell = move |message| {
            let is_begun = sheet.read_untracked().has_more();
            match message {
                DeskMessage::Reply(job, reply) => sheet.update(|sheet| sheet.apply(job, reply)),
                DeskMessage::Unsaved(words) => sheet.update(|sheet| sheet.complain(words)),
                DeskMessage::Lost(reason) => sheet.update(|sheet| sheet.lose(&reason)),
            }
            if !is_begun {
                show_more(sheet);
            }
        };
        Self { sheet, desk: StoredValue::new_local(DeskProxy::new(tell)) }
    }

    /// Whether no work is in progress and all cards are shown, tracked.
    pub fn is_settled(self) -> bool {
        let sheet = self.sheet.read();
        sheet.progress().is_none() && !sheet.has_more()
    }

    fn in_use(self) -> Choices {
        self.sheet.read_untracked().in_use()
    }

    /// The choices to show. No guard of the sheet outlives this: an order that is given meanwhile could not begin a job.
    fn choices(self) -> Choices {
        self.sheet.read_untracked().choices()
    }

    /// Gives the desk an order as a new job, after which these choices are in use.
    fn ask(self, choices: Choices, order: impl FnOnce(&DeskProxy, u32)) {
        let job = self.sheet.try_update(|sheet| sheet.begin(choices)).unwrap_or_default();
        self.desk.with_value(|desk| order(desk, job));
    }

    /// Gives the desk an order, unless it is busy: the order would end the present job.
    fn ask_when_free(self, choices: Choices, order: impl FnOnce(&DeskProxy, u32)) {
        if self.sheet.read_untracked().progress().is_none() {
            self.ask(choices, order);
        } else {
            self.sheet.update(Sheet::refuse);
        }
    }

    /// Gives the desk an order about the opened data, unless it is busy or they are lost.
    fn ask_of_data(self, choices: Choices, order: impl FnOnce(&DeskProxy, u32)) {
        if self.sheet.read_untracked().is_free() {
            self.ask(choices, order);
        } else {
            self.sheet.update(Sheet::refuse);
        }
    }

    /// The choices for data that are opened, as the example or not: they are shown from their first model on.
    fn anew(self, is_example: bool) -> Choices {
        Choices { chosen: Chosen::default(), is_example, ..self.in_use() }
    }

    /// Opens files: in place of all that is open or being opened, or in addition to it.
    fn open(self, files: &FileList, adds: bool) {
        let order = |desk: &DeskProxy, job| desk.open(job, files, adds);
        match (files.length(), adds) {
            (0, _) => {}
            (_, true) => self.ask_when_free(self.anew(false), order),
            (_, false) => self.ask(self.anew(false), order),
        }
    }

    fn choose(self, change: impl FnOnce(&mut Chosen)) {
        let mut choices = self.in_use();
        change(&mut choices.chosen);
        self.ask_of_data(choices, |desk, job| desk.choose(job, choices.chosen));
    }

    fn set_rounds(self, which: Which, text: &str) {
        let choices = self.choices();
        let (rounds, complaint) = rounds::set(choices.rounds, which, text);
        let is_new = rounds != choices.rounds;
        let is_refused = is_new && !self.sheet.read_untracked().is_free();
        if is_new {
            self.ask_of_data(Choices { rounds, ..choices }, |desk, job| desk.set_rounds(job, rounds));
        }
        // It says which number is used, and none is where the order was refused.
        if let Some(words) = complaint.filter(|_| !is_refused) {
            self.sheet.update(|sheet| sheet.complain(words));
        }
    }

    /// The options of a list.
    fn options(self, part: Part) -> Memo<String> {
        memo(move || self.sheet.read().options(part))
    }

    /// Text of a piece; empty before there are results.
    fn part(self, part: Part) -> Memo<String> {
        memo(move || self.sheet.read().parts().map(|parts| parts[part].clone()).unwrap_or_default())
    }

    /// Buttons to show the numbers of a chart and to save it.
    fn save(self, store: Store, id: &'static str, chart: fn(Page<'_>, &Parts) -> Option<Export>) -> AnyView {
        save(store, id, false, move |page| chart(page, self.sheet.read().parts()?))
    }

    /// Whether no file is open, tracked.
    pub fn is_empty(self) -> bool {
        self.sheet.read().parts().is_none()
    }
}

/// Shows one more card per frame, until all are shown.
fn show_more(sheet: RwSignal<Sheet>) {
    if sheet.read_untracked().has_more() {
        request_animation_frame(move || {
            sheet.update(Sheet::show_next);
            show_more(sheet);
        });
    }
}

/// The Data view.
#[component]
pub fn DataView(
    /// The page's signals, with the experiment whose data can be saved.
    store: Store,
    /// The opened data.
    own: OwnData,
) -> impl IntoView {
    let over = take_dropped(own);
    view! {
        <section
            class="data"
            aria-label=say!("Your data")
            data-testid="data"
            data-over=live(move || over.get().then(|| "true".to_owned()))
        >
            {opening(store, own)}
            {state(own)}
            <div class="cards" hidden=live(move || own.is_empty())>
                <div class="column">
                    {card(say!("What was read"), "data-files", own.part(Part::Summary), saving(own))}
                    {card(say!("Model"), "data-model", own.part(Part::Estimate), whose(store, own))}
                </div>
                <div class="column">
                    {card(say!("How far clients differ"), "data-differ", own.part(Part::Spread), ().into_any())}
                    {joining(store, own)}
                    {card(say!("What predicts best"), "data-fits", own.part(Part::Fit), rounds_row(own))}
                </div>
            </div>
        </section>
    }
}

/// Opens files that are dropped anywhere on the page while the view is shown: those dropped beside it, the browser would
/// open in place of the page. Returns whether files hover over the page.
fn take_dropped(own: OwnData) -> RwSignal<bool> {
    let over = RwSignal::new(false);
    let listen = |kind: &'static str| {
        Listener::new(&document(), kind, move |event: DragEvent| {
            let has_files = |it: &DataTransfer| it.types().includes(&"Files".into(), 0);
            let Some(carried) = event.data_transfer().filter(has_files) else { return };
            event.prevent_default();
            over.set(kind == "dragover");
            if let Some(files) = carried.files().filter(|_| kind == "drop") {
                let adds = own.sheet.read_untracked().adds_dropped();
                own.open(&files, adds);
            }
        })
    };
    StoredValue::new_local(["dragover", "dragleave", "drop"].map(listen));
    over
}

/// Ways to open data.
fn opening(store: Store, own: OwnData) -> AnyView {
    let save = move || {
        let settings = store.settings.draft.read_untracked().settings();
        own.ask_when_free(own.in_use(), |desk, job| desk.save_simulated(job, settings));
    };
    view! {
        <div class="data-head">
            <div class="data-ways">
                {file_button(say!("Open files…"), "open", false, own)}
                {button("set-step", say!("Try the example"), move || own.ask(own.anew(true), DeskProxy::open_example))}
                {button("set-step", say!("Save the simulated data as CSV"), save)}
            </div>
            <p class="quiet">
                {say!("Rollouts as CSV (client, rollout, t, x1 …, u1 …), or moments files of several sites: choose them, or drop them on the page. \
                 Dropped files are added to those that are open, but replace the example. They are read in this browser; nothing is uploaded, and a link does not hold them. No truth is known of them, so \
                 models are judged by what they predict. The simulated data are data set 1 of the experiment in the other views.")}
            </p>
            <div class="data-format" hidden=live(move || !own.is_empty()) data-testid="data-format">
                <h2>{say!("What a file looks like")}</h2>
                <pre tabindex="0" aria-label=say!("The first lines of a file")>{FORMAT}</pre>
                <p class="quiet">
                    {say!("One row a moment: the state x at time t, and the input u that leads from there to the next. A rollout’s last row \
                     has no input. Clients are sites or machines, rollouts are repeated experiments.")}
                </p>
            </div>
        </div>
    }
    .into_any()
}

/// A button that opens files.
fn file_button(words: &'static str, test_id: &'static str, adds: bool, own: OwnData) -> AnyView {
    let change = on(move |event: Event| {
        let input = event_target::<HtmlInputElement>(&event);
        if let Some(files) = input.files() {
            own.open(&files, adds);
        }
        // Clear the input, so that choosing the same file again is a change too.
        input.set_value("");
    });
    view! {
        <label class="set-step file-button">
            <input type="file" multiple="multiple" class="visually-hidden" data-testid=test_id on:change=change />
            <span>{words}</span>
        </label>
    }
    .into_any()
}

/// Progress or the last error, in a row that is always there.
fn state(own: OwnData) -> AnyView {
    let complaint = memo(move || own.sheet.read().complaint().unwrap_or_default().to_owned());
    let progress = memo(move || own.sheet.read().progress().cloned());
    // If the work was done already, what it asked for is in use.
    let stop = move || own.ask(own.choices(), DeskProxy::stop);
    let shown = move || {
        let (share, words) = progress.get()?;
        let bar = view! {
            <progress max="1" value=share.to_string() aria-label=say!("done")></progress>
            <span>{words}</span>
            {button("set-step", say!("Stop"), stop)}
        };
        Some(bar.into_any())
    };
    view! {
        <div class="data-state">
            <p role="alert" data-testid="data-complaint" hidden=live(move || complaint.read().is_empty())>{complaint}</p>
            <div class="data-progress" data-testid="data-progress">{live(shown)}</div>
        </div>
    }
    .into_any()
}

/// A card: heading, choices, and markup.
fn card(title: &'static str, test_id: &'static str, html: Memo<String>, choices: AnyView) -> AnyView {
    view! {
        <div class="card" data-testid=test_id>
            <div class="card-head">
                <h2>{title}</h2>
            </div>
            {choices}
            <div class="card-body" inner_html=html></div>
        </div>
    }
    .into_any()
}

fn saving(own: OwnData) -> AnyView {
    view! {
        <div class="data-ways">
            {file_button(say!("Add files…"), "add", true, own)}
            {button("set-step", say!("Save moments"), move || own.ask_of_data(own.in_use(), DeskProxy::save_moments))}
            {button("set-step", say!("Save results"), move || own.ask_of_data(own.in_use(), DeskProxy::save_results))}
        </div>
    }
    .into_any()
}

fn whose(store: Store, own: OwnData) -> AnyView {
    let choose = move |model| own.choose(|chosen| chosen.model = model);
    view! {
        <div class="sweep-head">
            {select(say!("of"), own.options(Part::Models), || false, choose)}
            {own.save(store, "save-eigenvalues", own_data::eigenvalues)}
        </div>
    }
    .into_any()
}

fn ways(store: Store, own: OwnData) -> AnyView {
    let choose = move |way| own.choose(|chosen| chosen.way = way);
    view! {
        <div class="sweep-head">
            {select(say!("with"), own.options(Part::Ways), || false, choose)}
            {own.save(store, "save-joining", own_data::joining)}
        </div>
    }
    .into_any()
}

/// Who should join: words, one dot per client, one row per client.
fn joining(store: Store, own: OwnData) -> AnyView {
    let at = RwSignal::new(None::<usize>);
    let shown = memo(move || own.sheet.read().parts().and_then(Dots::read));
    let join = memo(move || shown.read().as_ref().map(|dots| dots.join.clone()));
    let reading = memo(move || {
        let (shown, at) = (shown.read(), at.get());
        shown.as_ref().zip(at).map(|(dots, client)| dots.reading(client)).unwrap_or_default()
    });
    let has_none = memo(move || join.read().is_none());
    let (words, clients) = (own.part(Part::Join), own.part(Part::Clients));
    let nothing_more = memo(String::new);
    view! {
        <div class="card" data-testid="data-joining">
            <div class="card-head">
                <h2>{say!("Should I join?")}</h2>
            </div>
            {ways(store, own)}
            <div class="card-body" inner_html=words></div>
            <div class="joining-dots" hidden=live(move || has_none.get())>
                {dots("data-dots", join, at, nothing_more, reading, None)}
            </div>
            <div class="card-body" inner_html=clients></div>
        </div>
    }
    .into_any()
}

/// Number boxes for local steps and rounds of the federated methods.
fn rounds_row(own: OwnData) -> AnyView {
    let number = move |which: Which| {
        let text = memo(move || which.of(own.sheet.read().choices().rounds).to_string());
        let take = move |text: &str| own.set_rounds(which, text);
        let text_box = text_box(TextBox { key: which.key(), class: "number-box", inputmode: "numeric", text }, take);
        view! {
            <label>
                <span>{which.words()}</span>
                {text_box}
            </label>
        }
        .into_any()
    };
    view! { <div class="sweep-head">{number(Which::LocalSteps)} {number(Which::Rounds)}</div> }.into_any()
}
