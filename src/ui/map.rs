//! The Map view: two parameters at once. A handle on the map sets both sliders, and the run at these settings is shown
//! beside it.

use fedsysid_say::say;
use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Canvas;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::canvas::{Area, Painted, painted};
use super::chart::Chart;
use super::explore::complaints;
use super::gesture::{is_chord, is_main, is_released};
use super::lesson;
use super::parts::{readings, select};
use super::reactive::{derived, live, memo, on};
use super::save::save;
use super::store::Store;
use super::sweep::map_progress;
use super::theory::said_of_run;
use crate::dashboard::outgoing::export::Export;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::run::markup;
use crate::dashboard::run::picture;
use crate::dashboard::run::readout;
use crate::dashboard::run::{captions, verdict};
use crate::dashboard::views::maps::{Of, Pointer, ShownMap};
use crate::dashboard::words::html;
use crate::figure::Size;
use crate::figure::aloud::spoken;
use crate::figure::heat::draw::draw_heat_layout;
use crate::figure::heat::layout::HeatLayout;
use crate::figure::number::count;
use crate::figure::theme::Theme;
use crate::params::Word;
use crate::params::views::MapKind;
use crate::params::{Algorithms, Key, Move};

/// A map as painted on the canvas.
struct Drawn {
    layout: HeatLayout,
    theme: Theme,
    size: Size,
}

impl Painted for Drawn {
    fn size(&self) -> Size {
        self.size
    }

    fn paint(&self, area: &Area) -> Option<()> {
        draw_heat_layout(&self.layout, &self.theme, self.size, area).ok()
    }
}

/// Signals of the view.
#[derive(Clone, Copy)]
struct Map {
    store: Store,
    /// Values at the pointer, while it is over the map.
    hover: RwSignal<Option<(f64, f64)>>,
}

/// The map, and the run at its handle. Both would reveal what a lesson's step asks to be guessed: until then there is
/// only a hint.
#[component]
pub fn MapView(
    /// The page's signals.
    store: Store,
    /// The theme.
    theme: Signal<Theme>,
) -> impl IntoView {
    let is_veiled = memo(move || store.veil.get().is_some());
    let veiled = || view! { <p class="verdict" data-testid="verdict" data-said="">{lesson::hint()}</p> }.into_any();
    view! {
        <section class="explore map-view" aria-label=say!("Map")>
            {live(move || if is_veiled.get() { veiled() } else { unveiled(store, theme) })}
        </section>
    }
}

fn unveiled(store: Store, theme: Signal<Theme>) -> AnyView {
    let map = Map { store, hover: RwSignal::new(None) };
    let at = move |(x, y): (f64, f64)| {
        let dashboard = store.dashboard.read();
        map.look(|shown| shown.reading(x, y, dashboard.run())).unwrap_or_default()
    };
    let reading = memo(move || html::unbroken(&at(map.hover.get().unwrap_or_else(|| map.now()))));
    // The handle always announces its own position, wherever the pointer is.
    let of_handle = memo(move || at(map.now()));
    let caption = memo(move || {
        let n_trials = store.settings.draft.read().settings().n_trials;
        map.look(|shown| shown.caption(n_trials)).unwrap_or_default()
    });
    view! {
        {choices(map)}
        <p class="verdict" data-testid="verdict" data-said="">{reading}</p>
        <div class="overlay">
            {complaints(store)}
        </div>
        <figure class="figure map-figure">
            {canvas(map, theme, of_handle)}
            {map_progress(store)}
            <figcaption>{caption}</figcaption>
            {save(store, "save-map", false, move |page| map.export(page))}
        </figure>
        {beside(store, theme)}
    }
    .into_any()
}

impl Map {
    /// A property of the shown map.
    fn look<T>(self, look: impl FnOnce(&ShownMap) -> T) -> Option<T> {
        self.store.maps.read().shown().map(look)
    }

    /// The method whose contraction is shown over α and K.
    fn of(self) -> Of {
        self.store.views.read().method.into()
    }

    /// The map as an export.
    fn export(self, page: Page<'_>) -> Option<Export> {
        let (sweeps, dashboard) = (self.store.sweeps.read(), self.store.dashboard.read());
        self.look(|shown| page.map(shown, self.of(), sweeps.current(), dashboard.run()))
    }

    fn kind(self) -> MapKind {
        self.store.views.read().map
    }

    /// The present settings along both axes.
    fn now(self) -> (f64, f64) {
        let (x, y) = self.kind().keys();
        let draft = self.store.settings.draft.read();
        (draft.get(x), draft.get(y))
    }

    /// Sets both parameters to the slider stops nearest to a point on the map.
    fn go(self, (x, y): (f64, f64)) {
        let stop = |key: Key, value: f64| {
            let grid = key.param().grid;
            (key, grid.at(grid.nearest(value)))
        };
        let (x_key, y_key) = self.store.views.read_untracked().map.keys();
        self.store.settings.set_both(stop(x_key, x), stop(y_key, y));
    }

    /// Moves the handle by a key: left and right along one axis, up and down along the other.
    fn step(self, event: &KeyboardEvent) {
        let (x, y) = self.store.views.read_untracked().map.keys();
        let key = match event.key().as_str() {
            "ArrowLeft" | "ArrowRight" | "Home" | "End" => x,
            _ => y,
        };
        if let Some(step) = Move::of_key(&event.key(), event.shift_key()).filter(|_| !is_chord(event)) {
            event.prevent_default();
            self.store.settings.step(key, step);
        }
    }
}

/// Choice of the map, and, over α and K, of its method.
fn choices(map: Map) -> AnyView {
    let kinds = memo(move || {
        let names: Vec<_> = MapKind::ALL.iter().map(|(kind, ..)| kind.name().to_owned()).collect();
        html::options(&names, MapKind::ALL.iter().position(|(kind, ..)| *kind == map.kind()))
    });
    let algorithms = memo(move || html::options(&["FedLin".into(), "FedAvg".into()], Some(map.of() as usize)));
    let choose_kind = move |place: usize| {
        let kind = MapKind::ALL.get(place).map_or(MapKind::default(), |(kind, ..)| *kind);
        map.store.views.update(|views| views.map = kind);
    };
    let choose_algorithm = move |place| map.store.views.update(|views| views.choose_place(Algorithms::PAPER, place));
    view! {
        <div class="sweep-head" data-testid="map-choices">
            {select(say!("Map of"), kinds, || false, choose_kind)}
            {select(say!("of"), algorithms, move || map.kind() != MapKind::Steps, choose_algorithm)}
        </div>
    }
    .into_any()
}

/// The map on its canvas, for pointer events.
#[derive(Clone, Copy)]
struct Plot {
    map: Map,
    canvas: NodeRef<Canvas>,
    drawn: Memo<Option<Drawn>>,
    pointer: StoredValue<Pointer>,
}

impl Plot {
    /// Position of an event on the canvas, in pixels, even if it happens on the handle.
    fn under(self, event: &PointerEvent) -> (f64, f64) {
        let corner = self.canvas.get_untracked().map(|canvas| canvas.get_bounding_client_rect());
        let (left, top) = corner.map_or((0.0, 0.0), |corner| (corner.left(), corner.top()));
        (f64::from(event.client_x()) - left, f64::from(event.client_y()) - top)
    }

    /// Values at the position of an event; `None` outside of the axes.
    fn values(self, event: &PointerEvent) -> Option<(f64, f64)> {
        self.drawn.read_untracked().as_ref().and_then(|drawn| drawn.layout.at(self.under(event)))
    }

    /// Moves the handle to an event, as far as the axes go.
    fn drag(self, event: &PointerEvent) {
        let place = self.drawn.read_untracked().as_ref().map(|drawn| drawn.layout.nearest(self.under(event)));
        if let Some(place) = place {
            self.map.go(place);
        }
    }

    fn press(self, event: &PointerEvent) {
        if !is_main(event) {
            return;
        }
        let is_on_canvas = event.target().is_some_and(|target| target.has_type::<web_sys::HtmlCanvasElement>());
        let is_beside = is_on_canvas && event.pointer_type() == "touch";
        let is_within = self.values(event).is_some();
        if self.pointer.try_update_value(|pointer| pointer.press(is_within, is_beside)) == Some(true) {
            // While it is dragged, the reading is that of the handle, not of the pointer's earlier position.
            self.map.hover.set(None);
            capture(event);
            self.drag(event);
        }
    }

    fn release(self, event: &PointerEvent) {
        if self.pointer.try_update_value(Pointer::release) == Some(true) {
            self.drag(event);
        }
    }

    fn pass(self, event: &PointerEvent) {
        if self.pointer.get_value().holds() && is_released(event) {
            self.pointer.set_value(Pointer::default());
        }
        if self.pointer.get_value().holds() {
            self.drag(event);
        } else {
            self.map.hover.set(self.values(event));
        }
    }

    /// Position of the handle on the canvas, in pixels.
    fn handle(self) -> Option<(f64, f64)> {
        let (x, y) = self.map.now();
        let at = self.drawn.read().as_ref().map(|drawn| drawn.layout.place(x, y));
        at.filter(|(x, y)| x.is_finite() && y.is_finite())
    }
}

/// The map with its handle.
fn canvas(map: Map, theme: Signal<Theme>, reading: Memo<String>) -> AnyView {
    let (canvas, drawn) = painted("complaints", move |size| {
        let (theme, of) = (theme.get(), map.of());
        let sweeps = map.store.sweeps.read();
        let picture = map.look(|shown| shown.picture(of, sweeps.current()))?;
        Some(Drawn { layout: HeatLayout::new(&picture, &theme, size), theme, size })
    });
    let plot = Plot { map, canvas, drawn, pointer: StoredValue::default() };
    let px = move |pick: fn((f64, f64)) -> f64| live(move || plot.handle().map(|at| format!("{}px", pick(at))));
    view! {
        <div
            class="chart map"
            data-testid="map"
            on:pointerdown=on(move |event: PointerEvent| plot.press(&event))
            on:pointermove=on(move |event: PointerEvent| plot.pass(&event))
            on:pointerup=on(move |event: PointerEvent| plot.release(&event))
            on:pointercancel=on(move |_: PointerEvent| plot.pointer.set_value(Pointer::default()))
            on:pointerleave=on(move |_| map.hover.set(None))
        >
            <canvas node_ref=canvas aria-hidden="true"></canvas>
            <span
                class="handle"
                role="slider"
                tabindex="0"
                aria-label=say!("place on the map")
                aria-valuemin="0"
                aria-valuemax="1"
                aria-valuenow=live(move || {
                    let key = map.kind().keys().0;
                    key.param().grid.fraction(map.now().0).to_string()
                })
                aria-valuetext=live(move || spoken(&reading.read()))
                aria-describedby="keys-map"
                hidden=live(move || plot.handle().is_none())
                style:left=px(|at| at.0)
                style:top=px(|at| at.1)
                on:keydown=on(move |event: KeyboardEvent| map.step(&event))
            ></span>
            <p id="keys-map" class="visually-hidden">
                {say!("Left and right arrow keys move along the horizontal axis, up and down along the vertical one.")}
            </p>
        </div>
    }
    .into_any()
}

/// Sends the pointer's further events to the map, wherever the pointer goes.
fn capture(event: &PointerEvent) {
    let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(target) = target {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}

/// The run at the handle's settings.
fn beside(store: Store, theme: Signal<Theme>) -> AnyView {
    let at = RwSignal::new(None::<f64>);
    let (verdict, caption) = (said_of_run(store, verdict::verdict), said_of_run(store, captions::caption));
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let round = memo(move || {
        let dashboard = store.dashboard.read();
        dashboard.run().map_or(0, |run| run.recorded(at.get()))
    });
    let rows = said_of_run(store, move |run| markup::readings(&readout::readings(run, round.get()), markup::OF_ERROR));
    let title = memo(move || say!("round {}", count(round.get())));
    let title_beneath = memo(move || say!("error after {}", title.get()));
    let figure = move || store.dashboard.read().run().map(picture::figure);
    let of_run = move |page: Page<'_>| store.dashboard.read().run().map(|run| page.run(run, picture::figure(run), &[]));
    view! {
        <figure class="figure run-figure">
            <Chart figure=Box::new(figure) theme at label over="no-cover" along="rounds">
                {readings("cross-title", title, rows)}
            </Chart>
            <figcaption>{verdict}</figcaption>
            {save(store, "save-run", true, of_run)}
            <div class="readout" data-testid="readout" data-round=live(move || round.get().to_string())>
                {readings("readout-title", title_beneath, rows)}
            </div>
        </figure>
    }
    .into_any()
}
