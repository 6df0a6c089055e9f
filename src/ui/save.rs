//! What is beneath every chart: its numbers as a table, and a menu to save it.

use fedsysid_say::say;
use leptos::ev::{Event, MouseEvent};
use leptos::html::Textarea;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, HtmlSelectElement};

use super::canvas::{SUBPIXELS, surface};
use super::lesson::hint;
use super::reactive::{live, on};
use super::store::Store;
use super::surface::Surface;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::outgoing::export::menu::{Act, Choices, menu};
use crate::dashboard::outgoing::export::{Export, Format, PICTURE, png};
use crate::dashboard::outgoing::script::NoProgram;
use crate::dashboard::words::html;
use crate::figure::Size;
use crate::figure::sheet::draw_sheet;
use crate::params::Word;
use crate::text::escaped;
use crate::web::address::with_query;
use crate::web::{clipboard, file, preferences};

/// Key of the stored choices.
const PREFERENCE: &str = "fedsysid-save";

/// The last choices.
pub(super) fn remembered() -> Choices {
    preferences::read(PREFERENCE).map(|words| Choices::of(&words)).unwrap_or_default()
}

/// Makes the export of a chart; `None` while there is no chart.
pub(super) type Make = Box<dyn Fn(Page<'_>) -> Option<Export>>;

/// Save buttons of a chart.
#[derive(Clone, Copy)]
struct Save {
    store: Store,
    make: StoredValue<Make, LocalStorage>,
    /// Result of the last press, in words.
    said: RwSignal<String>,
    /// A text to be copied by hand, if the clipboard refused it.
    text: NodeRef<Textarea>,
}

/// Two buttons: one for the numbers of a chart as a table, one for the menu to save it. If the chart is about the run
/// of the present settings, the menu has a program too.
pub(super) fn save(
    store: Store,
    id: &'static str,
    has_program: bool,
    make: impl Fn(Page<'_>) -> Option<Export> + 'static,
) -> AnyView {
    boxed_save(store, id, has_program, ().into_any(), Box::new(make))
}

/// [`save`], beside one more button.
pub(super) fn save_beside(
    store: Store,
    id: &'static str,
    has_program: bool,
    more: AnyView,
    make: impl Fn(Page<'_>) -> Option<Export> + 'static,
) -> AnyView {
    boxed_save(store, id, has_program, more, Box::new(make))
}

fn boxed_save(store: Store, id: &'static str, has_program: bool, more: AnyView, make: Make) -> AnyView {
    let said = RwSignal::new(String::new());
    let save = Save { store, make: StoredValue::new_local(make), said, text: NodeRef::new() };
    if id.strip_prefix("save-") == Some(store.views.read_untracked().view.word()) {
        store.main_chart.set_value(Some(save.make));
    }
    // Table and menu are filled when they open: until then they cost nothing.
    let (menu_html, table_html) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    let open = move || {
        save.say(String::new());
        menu_html.set(menu(store.choices.get_untracked(), has_program));
    };
    let open_table = move || {
        table_html.set(match save.export() {
            Ok(export) => format!("<h3>{}</h3>{}", escaped(&export.title), html::table(&export.table)),
            Err(reason) => format!("<p>{reason}</p>"),
        });
    };
    let press = on(move |event: MouseEvent| {
        let button = event_target::<Element>(&event).closest("[data-act]").ok().flatten();
        let act = button.and_then(|button| Act::by_word(&button.get_attribute("data-act")?));
        if let Some(act) = act {
            save.act(act);
        }
    });
    let choose = on(move |event: Event| {
        let list = event_target::<HtmlSelectElement>(&event);
        let name = list.get_attribute("data-choice").unwrap_or_default();
        store.choices.update(|choices| choices.choose(&name, usize::try_from(list.selected_index()).unwrap_or(0)));
        preferences::write(PREFERENCE, &store.choices.get_untracked().words());
    });
    let table_id = format!("{id}-numbers");
    let close_table = closer(table_id.clone());
    view! {
        <div class="chart-foot">
            {more}
            {opener(say!("Numbers"), table_id.clone(), Box::new(open_table))}
            {opener(say!("Save"), id.to_owned(), Box::new(open))}
        </div>
        <div class="save-menu" id=id popover="auto" role="dialog" aria-label=say!("Save this chart")>
            {closer(id.to_owned())}
            <div inner_html=live(move || menu_html.get()) on:click=press on:change=choose></div>
            <p class="save-said" role="status" data-testid="saved">{live(move || said.get())}</p>
            <textarea node_ref=save.text hidden readonly rows="4" aria-label=say!("Text to copy")></textarea>
        </div>
        <div class="save-menu save-table" id=table_id popover="auto" role="dialog" aria-label=say!("Numbers of this chart")>
            {close_table}
            <div class="numbers-table" tabindex="0" role="region" aria-label=say!("Numbers") inner_html=live(move || table_html.get())></div>
        </div>
    }
    .into_any()
}

/// A button that fills and then opens the element with this id.
fn opener(words: &'static str, id: String, fill: Box<dyn Fn()>) -> AnyView {
    let fill = on(move |_: MouseEvent| fill());
    view! { <button type="button" class="set-step" popovertarget=id on:click=fill>{words}</button> }.into_any()
}

fn closer(id: String) -> AnyView {
    view! {
        <button type="button" class="dismiss" aria-label=say!("Close") popovertarget=id popovertargetaction="hide">"×"</button>
    }
    .into_any()
}

impl Save {
    fn say(self, what: String) {
        self.said.set(what);
        if let Some(text) = self.text.get_untracked() {
            text.set_hidden(true);
        }
    }

    fn act(self, act: Act) {
        let choices = self.store.choices.get_untracked();
        let done = match act {
            Act::Save(format) => self.export().map(|export| self.save(&export, format, choices)),
            Act::CopyNumbers => self.export().map(|export| self.copy(say!("the table").into(), "", export.copied())),
            Act::CopyProgram | Act::SaveProgram => self.program(choices, act == Act::SaveProgram),
        };
        if let Err(reason) = done {
            self.say(reason.into());
        }
    }

    fn save(self, export: &Export, format: Format, choices: Choices) {
        let text = |kind, text: &str| {
            let name = export.file_name(format.ending());
            file::save(&name, kind, text);
            self.say(say!("Saved {name}"));
        };
        match format {
            Format::Png => self.save_png(export, choices),
            Format::Svg => text("image/svg+xml", &export.svg::<Surface>(choices.look().theme())),
            Format::Csv => text("text/csv", &export.csv()),
            Format::Json => text("application/json", &export.json()),
        }
    }

    /// The present chart as an export, or why there is none.
    fn export(self) -> Result<Export, &'static str> {
        self.of_page(|page| self.make.with_value(|make| make(page)))
    }

    /// Something of the page as it is, or why there is none.
    fn of_page<T>(self, make: impl FnOnce(Page<'_>) -> Option<T>) -> Result<T, &'static str> {
        if self.store.veil.get_untracked().is_some() {
            return Err(hint());
        }
        if !self.store.is_up_to_date() {
            return Err(say!("The numbers of these settings are still on their way."));
        }
        let state = self.store.state_now();
        let link = with_query(&state.to_query());
        let page = Page { draft: &state.draft, views: &state.views, link: &link };
        untrack(|| make(page)).ok_or(say!("There are no numbers yet."))
    }

    /// Draws the sheet on a canvas outside of the page, and saves it.
    fn save_png(self, export: &Export, choices: Choices) {
        let name = export.file_name(Format::Png.ending());
        let said = self.said;
        let saved = name.clone();
        let then = move |is_saved| {
            said.set(if is_saved {
                say!("Saved {saved}")
            } else {
                say!("This browser made no picture: try SVG.").into()
            });
        };
        match drawn(export, choices) {
            Some(canvas) => file::save_png(&canvas, name, (png::HEAD, export.png_texts()), then),
            None => then(false),
        }
    }

    /// Copies or saves a program of the run at the present settings, whatever the chart shows besides.
    fn program(self, choices: Choices, is_file: bool) -> Result<(), &'static str> {
        let language = choices.language();
        let program = self.of_page(|page| {
            let dashboard = self.store.dashboard.read();
            Some(dashboard.run().ok_or(NoProgram::Nothing).and_then(|run| page.program(run, language)))
        })?;
        match program {
            Err(reason) => self.say(say!("No program: {reason}.")),
            Ok((name, program)) if is_file => {
                file::save(&name, "text/plain", &program.text);
                self.say(say!("Saved {name}. {}", program.notes.join(" ")));
            }
            Ok((_, program)) => {
                self.copy(say!("a program in {}", language.name()), &program.notes.join(" "), program.text);
            }
        }
        Ok(())
    }

    /// Copies a text; if the browser refuses, shows it, so that the person can copy it.
    fn copy(self, what: String, notes: &str, text: String) {
        let notes = notes.to_owned();
        self.say(String::new());
        let copied = text.clone();
        clipboard::copy(&copied, move |is_copied| {
            if is_copied {
                self.say(say!("Copied {what}. {notes}"));
                return;
            }
            self.say(say!("This page may not write to the clipboard: press Ctrl+C or ⌘C to copy {what}. {notes}"));
            if let Some(area) = self.text.get_untracked() {
                area.set_value(&text);
                area.set_hidden(false);
                area.select();
                let _ = area.focus();
            }
        });
    }
}

/// The sheet of an export on a canvas of its size; `None` if the browser gives no canvas.
fn drawn(export: &Export, choices: Choices) -> Option<HtmlCanvasElement> {
    let (sheet, look) = (export.sheet(), choices.look().theme());
    let picture = Size::new(PICTURE.0, PICTURE.1, choices.scale()).with_subpixels(SUBPIXELS);
    let canvas: HtmlCanvasElement = document().create_element("canvas").ok()?.dyn_into().ok()?;
    let area = surface(&canvas, sheet.size(look.0, picture))?;
    draw_sheet(&sheet, look, picture, &area).ok()?;
    Some(canvas)
}
