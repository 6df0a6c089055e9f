//! The boxes of the matrices: edited, walked through with arrow keys, filled by pasting.
//!
//! The boxes are markup, made anew when their number changes; one listener per kind of event serves them all. An
//! unreadable text stays in its box with a complaint, while the value before stays in use.

use fedsysid_say::say;
use leptos::ev::{ClipboardEvent, Event, FocusEvent, KeyboardEvent, MouseEvent};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{EventTarget, HtmlInputElement};

use super::super::controls::Settings;
use super::super::focus;
use super::super::gesture::is_chord;
use super::super::reactive::{effect, live, memo, on};
use super::super::selection::WholeText;
use super::super::store::Store;
use crate::dashboard::views::systems::grid::{self, Cell};
use crate::params::notice::Fix;
use crate::params::{MatrixKey, Notice, Problem, Systems, parse, table};

/// Complaints, with the box of the unusable text; a pasted text has no box.
pub(super) type Complained = Vec<(Option<Cell>, String)>;

/// The four fields of boxes, and the complaints.
pub(super) fn grid(store: Store, complained: RwSignal<Complained>) -> AnyView {
    let settings = store.settings;
    let boxes =
        Boxes { settings, complained, about: StoredValue::new(settings.draft.read_untracked().systems.clone()) };
    let dims = memo(move || {
        let dims = settings.draft.read().systems.dims();
        (dims.n_states, dims.n_inputs)
    });
    let html = memo(move || {
        // Other numbers of boxes make the markup anew. (Tracking `dims` would not do: a memo that nobody reads is never
        // computed.)
        let _ = dims.get();
        grid::markup(&settings.draft.read_untracked().systems)
    });
    effect(move |_| boxes.show());
    let complaints =
        memo(move || complained.read().iter().map(|(_, words)| grid::paragraph(words)).collect::<String>());
    let change = on(move |event: Event| {
        if let Some((input, cell)) = of_event(event.target()) {
            boxes.commit(&input, cell);
        }
    });
    let text = WholeText::new();
    let select = on(move |event: FocusEvent| {
        if let Some((input, _)) = of_event(event.target()) {
            text.select(&input);
        }
    });
    view! {
        <div
            class="grid"
            data-testid="grid"
            style:--n=live(move || dims.get().0.to_string())
            style:--p=live(move || dims.get().1.to_string())
            style:--tracks=live(move || grid::tracks(dims.get()))
            inner_html=html
            on:change=change
            on:focusin=select
            on:mouseup=on(move |event: MouseEvent| text.keep(&event))
            on:keydown=on(move |event| boxes.hear_key(&event))
            on:paste=on(move |event| boxes.hear_paste(&event))
        ></div>
        <p class="quiet grid-help">
            {say!("Arrow keys go from box to box. Paste a whole matrix into any of them, as MATLAB, NumPy or a table writes it.")}
        </p>
        <div class="grid-complaints" role="status" data-testid="grid-complaints" inner_html=complaints></div>
    }
    .into_any()
}

/// The box of an event.
fn of_event(target: Option<EventTarget>) -> Option<(HtmlInputElement, Cell)> {
    let input: HtmlInputElement = target?.dyn_into().ok()?;
    let cell = Cell::by_id(&input.id())?;
    Some((input, cell))
}

fn element(cell: Cell) -> Option<HtmlInputElement> {
    document().get_element_by_id(&cell.id())?.dyn_into().ok()
}

/// Signals of the boxes.
#[derive(Clone, Copy)]
struct Boxes {
    settings: Settings,
    complained: RwSignal<Complained>,
    /// The systems that the complaints are about: those that the boxes set last.
    about: StoredValue<Systems>,
}

impl Boxes {
    /// Edge: matrices → boxes, except those with a text that is to be corrected. Where something else than the boxes has
    /// changed the matrices, nothing is to be corrected any more.
    fn show(self) {
        self.forget();
        let (draft, complained) = (self.settings.draft.read(), self.complained.read());
        for cell in Cell::all(draft.systems.dims()) {
            let Some(input) = element(cell) else { continue };
            let is_bad = complained.iter().any(|(of, _)| *of == Some(cell));
            let _ = if is_bad {
                input.set_attribute("aria-invalid", "true")
            } else {
                input.remove_attribute("aria-invalid")
            };
            let shown = cell.shown(&draft.systems);
            if !is_bad && input.value() != shown {
                input.set_value(&shown);
            }
        }
    }

    /// Drops the complaints if they are about other systems than the present ones.
    fn forget(self) {
        let draft = self.settings.draft.read();
        if self.about.with_value(|about| *about != draft.systems) {
            self.about.set_value(draft.systems.clone());
            self.complained.set(Vec::new());
        }
    }

    /// Applies the typed text of a box.
    fn commit(self, input: &HtmlInputElement, cell: Cell) {
        let typed = input.value();
        if typed == cell.shown(&self.settings.draft.read_untracked().systems) {
            self.settle(cell);
            return;
        }
        let refused = match cell {
            Cell::Text(key) => self.set_matrix(key, &typed).err().map(|why| grid::refused(key, &why)),
            Cell::Entry(key, place) => match parse::real(&typed) {
                Ok(value) => {
                    self.set_entry(key, place, value, &typed);
                    None
                }
                Err(_) => Some(grid::unreadable(&self.settings.draft.read_untracked().systems, cell, &typed)),
            },
        };
        self.settle(cell);
        match refused {
            Some(words) => self.complained.update(|all| all.push((Some(cell), words))),
            None => input.set_value(&cell.shown(&self.settings.draft.read_untracked().systems)),
        }
    }

    /// Removes the complaint about a box.
    fn settle(self, cell: Cell) {
        if self.complained.read_untracked().iter().any(|(of, _)| of.is_none() || *of == Some(cell)) {
            self.complained.update(|all| all.retain(|(of, _)| of.is_some_and(|of| of != cell)));
        }
    }

    fn set_entry(self, key: MatrixKey, place: (usize, usize), value: f64, typed: &str) {
        self.settings.change(key.link(), |draft| {
            let used = draft.systems.set_entry(key, place, value);
            self.about.set_value(draft.systems.clone());
            let is_within = used.to_bits() == (value + 0.0).to_bits();
            let fix = Fix { used: table::shown(used), allowed: grid::allowed() };
            let notice = Notice { key: key.link().into(), given: typed.into(), problem: Problem::OutOfRange(fix) };
            (!is_within).then_some(notice)
        });
    }

    /// Replaces a matrix by a text; then all boxes show the values in use.
    fn set_matrix(self, key: MatrixKey, text: &str) -> Result<(), String> {
        let mut systems = self.settings.draft.read_untracked().systems.clone();
        let before = systems.dims();
        let is_turned = systems.set_text(key, text)?;
        let resized = grid::resized(before, systems.dims());
        self.settings.change(key.link(), |draft| {
            self.about.set_value(systems.clone());
            draft.systems = systems;
            None
        });
        let turned = is_turned.then(|| grid::turned(key));
        let said = turned.into_iter().chain((!resized.is_empty()).then_some(resized));
        self.complained.set(said.map(|words| (None, words)).collect());
        Ok(())
    }

    fn hear_key(self, event: &KeyboardEvent) {
        let Some((input, cell)) = of_event(event.target()) else { return };
        let chord = is_chord(event) || event.shift_key();
        match event.key().as_str() {
            "Enter" => {
                self.commit(&input, cell);
                input.select();
            }
            "Escape" => {
                self.settle(cell);
                input.set_value(&cell.shown(&self.settings.draft.read_untracked().systems));
                input.select();
            }
            key if !chord && is_at_edge(&input, key) => {
                let dims = self.settings.draft.read_untracked().systems.dims();
                if let Some(beside) = cell.beside(dims, key).and_then(element) {
                    event.prevent_default();
                    let _ = beside.focus();
                }
            }
            _ => {}
        }
    }

    /// A pasted matrix fills the whole field, whichever of its boxes it is pasted into.
    fn hear_paste(self, event: &ClipboardEvent) {
        let Some((_, cell)) = of_event(event.target()) else { return };
        let text = event.clipboard_data().and_then(|data| data.get_data("text").ok()).unwrap_or_default();
        if !grid::is_many(&text) {
            return;
        }
        event.prevent_default();
        let key = cell.key();
        if let Err(why) = self.set_matrix(key, &text) {
            self.complained.update(|all| {
                all.retain(|(of, _)| of.is_some());
                all.push((None, grid::refused(key, &why)));
            });
        }
        // A matrix of another size has other boxes.
        focus::if_lost(&format!("#{}", cell.id()));
    }
}

/// Whether the caret is at the edge of a box's text, so that an arrow key may leave the box.
fn is_at_edge(input: &HtmlInputElement, key: &str) -> bool {
    let length = u32::try_from(input.value().encode_utf16().count()).unwrap_or(u32::MAX);
    let selection = (input.selection_start().ok().flatten(), input.selection_end().ok().flatten());
    let (start, end) = (selection.0.unwrap_or(0), selection.1.unwrap_or(length));
    match key {
        "ArrowLeft" => start == 0 && (end == 0 || end == length),
        "ArrowRight" => end == length && (start == length || start == 0),
        _ => true,
    }
}
