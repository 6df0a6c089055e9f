//! The Map view: two parameters at once, with a handle that is the sliders; the run at its place follows beside it.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::prelude::*;

use super::canvas::{Area, Painted, painted};
use super::chart::Chart;
use super::explore::{Complaints, Readings};
use super::reactive::{derived, memo};
use super::store::Store;
use super::sweep::SweepProgress;
use crate::dashboard::maps::{Of, Shown};
use crate::dashboard::readout::readings;
use crate::dashboard::{Run, markup, picture, sentences};
use crate::figure::Size;
use crate::figure::heat::draw::draw_heat_layout;
use crate::figure::heat::layout::HeatLayout;
use crate::figure::number::count;
use crate::figure::theme::Theme;
use crate::params::views::{MapKind, Word};
use crate::params::{Key, Move};

/// A map as it is on the canvas.
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

/// What the parts of the view share.
#[derive(Clone, Copy)]
struct Map {
    store: Store,
    of: RwSignal<Of>,
    kind: Memo<MapKind>,
    /// Where a pointer is, on the map.
    hover: RwSignal<Option<(f64, f64)>>,
}

/// The map, and the run at its handle.
#[component]
pub fn MapView(
    /// The page's signals.
    store: Store,
    /// How the charts look.
    theme: Signal<Theme>,
) -> impl IntoView {
    let kind = memo(move || store.views.read().map);
    let map = Map { store, of: RwSignal::new(Of::default()), kind, hover: RwSignal::new(None) };
    let at = move |(x, y): (f64, f64)| map.look(|shown| shown.reading(x, y)).unwrap_or_default();
    let reading = memo(move || at(map.hover.get().unwrap_or_else(|| map.now())));
    // A handle says where it is itself, wherever a pointer may be.
    let of_handle = memo(move || at(map.now()));
    let caption = memo(move || {
        let n_trials = store.settings.draft.read().get(Key::Trials);
        map.look(|shown| shown.caption(n_trials)).unwrap_or_default()
    });
    view! {
        <section class="explore map-view" aria-label="Map">
            {choices(map)}
            <p class="verdict" data-testid="verdict">{reading}</p>
            <div class="overlay">
                <Complaints store />
            </div>
            <figure class="figure map-figure">
                {canvas(map, theme, of_handle)}
                <SweepProgress store />
                <figcaption>{caption}</figcaption>
            </figure>
            {beside(store, theme)}
        </section>
    }
}

impl Map {
    /// Something of the map on screen.
    fn look<T>(self, look: impl FnOnce(&Shown) -> T) -> Option<T> {
        self.store.maps.read().shown().map(look)
    }

    /// The present settings along both axes.
    fn now(self) -> (f64, f64) {
        let (x, y) = self.kind.get().keys();
        let draft = self.store.settings.draft.read();
        (draft.get(x), draft.get(y))
    }

    /// Takes the settings to a place on the map: the nearest stops of both sliders.
    fn go(self, (x, y): (f64, f64)) {
        let stop = |key: Key, value: f64| {
            let grid = key.param().grid;
            (key, grid.at(grid.nearest(value)))
        };
        let (x_key, y_key) = self.kind.get_untracked().keys();
        self.store.settings.set_both(stop(x_key, x), stop(y_key, y));
    }

    /// Moves the handle by a key: left and right along one axis, up and down along the other.
    fn step(self, event: &KeyboardEvent) {
        let (x, y) = self.kind.get_untracked().keys();
        let key = match event.key().as_str() {
            "ArrowLeft" | "ArrowRight" | "Home" | "End" => x,
            _ => y,
        };
        let chord = event.ctrl_key() || event.alt_key() || event.meta_key();
        if let Some(step) = Move::of_key(&event.key(), event.shift_key()).filter(|_| !chord) {
            event.prevent_default();
            self.store.settings.step(key, step);
        }
    }
}

/// Which map, and over α and K whose contraction.
fn choices(map: Map) -> AnyView {
    let kinds: Vec<_> = MapKind::ALL.iter().map(|(.., name)| (*name).to_owned()).collect();
    let kind = move || markup::options(&kinds, MapKind::ALL.iter().position(|(kind, ..)| *kind == map.kind.get()));
    let algorithms = ["FedLin".to_owned(), "FedAvg".to_owned()];
    let algorithm = move || markup::options(&algorithms, Some(map.of.get() as usize));
    view! {
        <div class="sweep-head" data-testid="map-choices">
            <label>
                <span>"Map of"</span>
                <select
                    inner_html=kind
                    on:change:target=move |event| {
                        let place = usize::try_from(event.target().selected_index()).unwrap_or(0);
                        let kind = MapKind::ALL.get(place).map_or(MapKind::default(), |(kind, ..)| *kind);
                        map.store.views.update(|views| views.map = kind);
                    }
                ></select>
            </label>
            <label hidden=move || map.kind.get() != MapKind::Steps>
                <span>"of"</span>
                <select
                    inner_html=algorithm
                    on:change:target=move |event| {
                        map.of.set(if event.target().selected_index() == 1 { Of::FedAvg } else { Of::FedLin });
                    }
                ></select>
            </label>
        </div>
    }
    .into_any()
}

/// The map with its handle.
fn canvas(map: Map, theme: Signal<Theme>, reading: Memo<String>) -> AnyView {
    let (canvas, drawn) = painted("complaints", move |size| {
        let (theme, of) = (theme.get(), map.of.get());
        let sweeps = map.store.sweeps.read();
        let picture = map.look(|shown| shown.picture(of, sweeps.current()))?;
        Some(Drawn { layout: HeatLayout::new(&picture, &theme, size), theme, size })
    });
    let is_held = RwSignal::new(false);
    let under = move |event: &PointerEvent| (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let drag = move |event: &PointerEvent| {
        let place = drawn.read_untracked().as_ref().map(|drawn| drawn.layout.nearest(under(event)));
        if let Some(place) = place {
            map.go(place);
        }
    };
    let press = move |event: PointerEvent| {
        let is_on = drawn.read_untracked().as_ref().is_some_and(|drawn| drawn.layout.at(under(&event)).is_some());
        if is_on {
            is_held.set(true);
            capture(&event);
            drag(&event);
        }
    };
    let pass = move |event: PointerEvent| {
        if is_held.get_untracked() {
            drag(&event);
        } else {
            let place = drawn.read_untracked().as_ref().and_then(|drawn| drawn.layout.at(under(&event)));
            map.hover.set(place);
        }
    };
    let handle = move || {
        let (x, y) = map.now();
        drawn.read().as_ref().map(|drawn| drawn.layout.place(x, y)).filter(|(x, y)| x.is_finite() && y.is_finite())
    };
    let px = move |pick: fn((f64, f64)) -> f64| move || handle().map(|at| format!("{}px", pick(at)));
    view! {
        <div
            class="chart map"
            data-testid="map"
            on:pointerdown=press
            on:pointermove=pass
            on:pointerup=move |_| is_held.set(false)
            on:pointercancel=move |_| is_held.set(false)
            on:pointerleave=move |_| map.hover.set(None)
        >
            <canvas node_ref=canvas aria-hidden="true"></canvas>
            <span
                class="handle"
                role="slider"
                tabindex="0"
                aria-label="place on the map"
                aria-valuemin="0"
                aria-valuemax="1"
                aria-valuenow=move || {
                    let key = map.kind.get().keys().0;
                    key.param().grid.fraction(map.now().0).to_string()
                }
                aria-valuetext=reading
                aria-describedby="keys-map"
                hidden=move || handle().is_none()
                style:left=px(|at| at.0)
                style:top=px(|at| at.1)
                on:keydown=move |event| map.step(&event)
            ></span>
            <p id="keys-map" class="visually-hidden">
                "Left and right arrow keys move along the horizontal axis, up and down along the vertical one."
            </p>
        </div>
    }
    .into_any()
}

/// What is dragged keeps hearing of the pointer wherever it goes.
fn capture(event: &PointerEvent) {
    use wasm_bindgen::JsCast;
    let target = event.current_target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    if let Some(target) = target {
        let _ = target.set_pointer_capture(event.pointer_id());
    }
}

/// The run at the handle's place.
fn beside(store: Store, theme: Signal<Theme>) -> AnyView {
    let at = RwSignal::new(None::<f64>);
    let said = move |say: fn(&Run) -> String| memo(move || store.dashboard.read().run().map(say).unwrap_or_default());
    let (verdict, caption) = (said(sentences::verdict), said(sentences::caption));
    let label = derived(move || format!("{} {}", caption.get(), verdict.get()));
    let round = memo(move || {
        let dashboard = store.dashboard.read();
        dashboard.run().map_or(0, |run| run.recorded(at.get()))
    });
    let shown = derived(move || store.dashboard.read().run().map(|run| readings(run, round.get())).unwrap_or_default());
    let figure = move || store.dashboard.read().run().map(picture::figure);
    view! {
        <figure class="figure run-figure">
            <Chart figure theme at label over="no-cover" along="rounds">
                <p class="cross-title">{move || format!("round {}", count(round.get()))}</p>
                <Readings shown />
            </Chart>
            <figcaption>{verdict}</figcaption>
            <div class="readout" data-testid="readout" data-round=round>
                <p class="readout-title">{move || format!("error after round {}", count(round.get()))}</p>
                <Readings shown />
            </div>
        </figure>
    }
    .into_any()
}
