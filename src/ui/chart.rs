//! A figure on a canvas: sharp at every pixel ratio, redrawn after every change, readable by pointer and keys.
//!
//! It knows nothing of federations: it shows a [`Figure`], and sets the abscissa of the reader's crosshair.

use fedsysid_say::say;
use leptos::ev::{FocusEvent, KeyboardEvent, PointerEvent};
use leptos::prelude::*;

use super::aloud::aloud;
use super::canvas::{Area, Painted, painted};
use super::gesture::is_chord;
use super::reactive::{derived, live, memo, on};
use crate::figure::aloud::{Line, beside, spoken, words};
use crate::figure::draw::draw_layout;
use crate::figure::frame::Frame;
use crate::figure::hover::Crosshair;
use crate::figure::layout::Layout;
use crate::figure::theme::Theme;
use crate::figure::{Figure, Size};

/// Number of steps by which an arrow key with Shift, Page Up and Page Down move.
const LONG_STEP: isize = 10;

/// A figure as it is on the canvas.
struct Drawn {
    figure: Figure,
    layout: Layout,
    theme: Theme,
    size: Size,
}

impl Painted for Drawn {
    fn size(&self) -> Size {
        self.size
    }

    fn paint(&self, area: &Area) -> Option<()> {
        draw_layout(&self.figure, &self.layout, &self.theme, self.size, area).ok()
    }
}

impl Drawn {
    fn crosshair(&self, px: f64) -> Option<Crosshair> {
        self.layout.crosshair(&self.figure, px)
    }

    fn crosshair_beside(&self, x: f64, steps: isize) -> Option<Crosshair> {
        self.layout.crosshair_beside(&self.figure, x, steps)
    }
}

/// An additional layer on the plot, which follows its frame.
pub type OnPlot = Box<dyn FnOnce(Memo<Option<Frame>>) -> AnyView>;

/// A figure on a canvas.
#[component]
pub fn Chart(
    /// The figure.
    figure: Box<dyn Fn() -> Option<Figure> + Send + Sync>,
    /// The theme.
    theme: Signal<Theme>,
    /// The abscissa of the crosshair; the chart sets it from pointer and keys.
    at: RwSignal<Option<f64>>,
    /// Description of the chart.
    label: Signal<String>,
    /// The id of an element that may cover the top; the plot leaves room for it.
    over: &'static str,
    /// Quantity along the abscissa: rounds, clients, values.
    along: &'static str,
    /// A layer on the plot with its own controls.
    #[prop(optional)]
    on_plot: Option<OnPlot>,
    /// The values of the curves at the crosshair, shown beside it.
    children: ChildrenFn,
) -> impl IntoView {
    let (canvas, picture) = painted(over, move |size| {
        let (figure, theme) = (figure()?, theme.get());
        Some(Drawn { layout: Layout::new(&figure, &theme, size), figure, theme, size })
    });
    let on_plot = on_plot.map(|view| view(memo(move || picture.read().as_ref().map(|drawn| drawn.layout.frame))));
    // What is announced to a reader who uses keys: all lines or one. Nothing is announced for a pointer.
    let heard = RwSignal::new(Heard::Nothing);
    let text = derived(move || {
        let (picture, at, heard) = (picture.read(), at.get(), heard.get());
        let here = picture.as_ref().zip(at).filter(|_| heard != Heard::Nothing);
        let said = here.map(|(drawn, at)| words(&drawn.figure, at, heard.one()));
        said.unwrap_or_default()
    });
    let look = move |event: PointerEvent| {
        heard.set(Heard::Nothing);
        let crosshair =
            picture.read_untracked().as_ref().and_then(|drawn| drawn.crosshair(f64::from(event.offset_x())));
        at.set(crosshair.map(|crosshair| crosshair.x));
    };
    let leave = move |event: PointerEvent| {
        // Numbers stay when a finger is lifted.
        if event.pointer_type() == "mouse" {
            at.set(None);
        }
    };
    view! {
        <div
            class="chart"
            tabindex="0"
            role="group"
            aria-roledescription=say!("chart")
            aria-label=live(move || spoken(&label.read()))
            aria-describedby=format!("keys-{along}")
            on:pointermove=on(look)
            on:pointerdown=on(look)
            on:pointerleave=on(leave)
            on:keydown=on(move |event: KeyboardEvent| walk(&event, picture, at, heard))
            on:blur=on(move |_: FocusEvent| heard.set(Heard::Nothing))
        >
            <canvas node_ref=canvas aria-hidden="true"></canvas>
            <div class="cross" hidden=live(move || at.get().is_none()) aria-hidden="true">
                {live(move || {
                    let picture = picture.read();
                    let looked_at = picture.as_ref().zip(at.get());
                    let crosshair = looked_at.and_then(|(drawn, at)| Some((drawn, drawn.crosshair_beside(at, 0)?)));
                    match crosshair {
                        Some((drawn, crosshair)) => cross(&crosshair, heard.get().one(), drawn, children()),
                        None => ().into_any(),
                    }
                })}
            </div>
            {on_plot}
            <p id=format!("keys-{along}") class="visually-hidden">
                {say!(
                    "Left and right arrow keys walk along the {}, Home and End to the first and the last; up and down from line to line; Escape leaves.",
                    abscissa(along),
                )}
            </p>
            {aloud(text)}
        </div>
    }
}

/// Number of steps for a key that moves the crosshair; its default action is prevented. `Some(None)` if the key removes
/// the crosshair, `None` for all other keys.
pub fn steps_of(event: &KeyboardEvent) -> Option<Option<isize>> {
    if is_chord(event) {
        return None;
    }
    let long = if event.shift_key() { LONG_STEP } else { 1 };
    let steps = match event.key().as_str() {
        "ArrowLeft" => -long,
        "ArrowRight" => long,
        "PageDown" => -LONG_STEP,
        "PageUp" => LONG_STEP,
        "Home" => isize::MIN,
        "End" => isize::MAX,
        "Escape" => return Some(None),
        _ => return None,
    };
    event.prevent_default();
    Some(Some(steps))
}

/// What is announced at the new abscissa.
#[derive(Clone, Copy, PartialEq)]
enum Heard {
    Nothing,
    All,
    One(Line),
}

impl Heard {
    fn of(line: Option<Line>) -> Self {
        line.map_or(Self::All, Self::One)
    }

    /// The announced line, if it is a single one.
    fn one(self) -> Option<Line> {
        if let Self::One(line) = self { Some(line) } else { None }
    }
}

/// Quantity along the abscissa, in words.
fn abscissa(along: &str) -> &'static str {
    match along {
        "clients" => say!("clients"),
        "rounds" => say!("rounds"),
        _ => say!("values"),
    }
}

/// Moves along the abscissa, or from line to line, by keys.
fn walk(event: &KeyboardEvent, picture: Memo<Option<Drawn>>, at: RwSignal<Option<f64>>, heard: RwSignal<Heard>) {
    if is_chord(event) {
        return;
    }
    let picture = picture.read_untracked();
    let Some(drawn) = picture.as_ref() else { return };
    let from = at.get_untracked().unwrap_or(drawn.figure.x.range.1);
    let line = heard.get_untracked().one();
    let down = match event.key().as_str() {
        "ArrowDown" => Some(true),
        "ArrowUp" => Some(false),
        _ => None,
    };
    if let Some(down) = down {
        event.prevent_default();
        let here = drawn.crosshair_beside(from, 0).map(|crosshair| crosshair.x);
        at.set(here);
        heard.set(here.map_or(Heard::Nothing, |x| Heard::of(beside(&drawn.figure, x, line, down))));
    } else if let Some(steps) = steps_of(event) {
        let there = steps.and_then(|steps| Some(drawn.crosshair_beside(from, steps)?.x));
        at.set(there);
        heard.set(there.map_or(Heard::Nothing, |_| Heard::of(line)));
    }
}

/// The line of the crosshair, a dot on every curve, and their values.
fn cross(crosshair: &Crosshair, heard: Option<Line>, drawn: &Drawn, readings: AnyView) -> AnyView {
    // Distance between the line and the box, in CSS pixels.
    const GAP: f64 = 12.0;
    // Set through the style object property by property: a strict content security policy refuses style attributes.
    let px = |value: f64| format!("{value}px");
    let dot = |class, (x, y)| view! { <span class=class style:left=px(x) style:top=px(y)></span> };
    let dots = crosshair.readings.iter().filter_map(|reading| {
        let class = if heard == Some(reading.curve) { "cross-dot is-heard" } else { "cross-dot" };
        Some(dot(class, reading.at?))
    });
    let dots = dots.collect_view();
    let (class, space) = if crosshair.px > drawn.size.width() / 2.0 {
        ("cross-row is-left", format!("calc(100% - {}px)", crosshair.px - GAP))
    } else {
        ("cross-row", px(crosshair.px + GAP))
    };
    let plot = drawn.layout.frame.plot;
    let (left, top, height) = (px(crosshair.px), px(plot.top), px(plot.height));
    view! {
        <span class="cross-line" style:left=left style:top=top.clone() style:height=height></span>
        {dots}
        <div class=class style:top=top>
            <span class="cross-space" style:width=space></span>
            <div class="cross-box">{readings}</div>
        </div>
    }
    .into_any()
}
