//! A canvas: sharp at every pixel ratio, repainted after every change, at most once per frame.

use leptos::html::Canvas;
use leptos::prelude::*;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters_canvas::CanvasBackend;
use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::reactive::effect;
use super::surface::Surface;
use crate::figure::Size;
use crate::web::listener::NextFrame;
use crate::web::screen::{PixelRatioWatch, SizeWatch, pixel_ratio};

/// Number of positions per pixel at which strokes can lie.
pub(super) const SUBPIXELS: u32 = 8;

/// The surface of a canvas.
pub(super) type Area = DrawingArea<Surface, Shift>;

/// A picture that can be painted on a canvas.
pub(super) trait Painted: Send + Sync + 'static {
    /// Size for which it is laid out.
    fn size(&self) -> Size;

    /// Paints it; `None` if the surface refuses.
    fn paint(&self, area: &Area) -> Option<()>;
}

/// A canvas and its picture, which is laid out anew whenever its signals or the size of the canvas change. The element
/// with the id `over` may cover the top of the canvas. (Every update of a signal counts as a change: comparing pictures
/// would cost more than painting one.)
pub(super) fn painted<P: Painted>(
    over: &'static str,
    picture: impl Fn(Size) -> Option<P> + Send + Sync + 'static,
) -> (NodeRef<Canvas>, Memo<Option<P>>) {
    let canvas = NodeRef::<Canvas>::new();
    let size = RwSignal::new(Size::new(0.0, 0.0, 1.0));
    let measure = move || measure(canvas, over, size);
    watch(canvas, measure);
    let picture: Box<dyn Fn(Size) -> Option<P> + Send + Sync> = Box::new(picture);
    let picture = Memo::new_with_compare(move |_| picture(size.get()), |_, _| true);
    paint(canvas, picture, measure);
    (canvas, picture)
}

/// Measures the canvas: its size, the screen's pixel ratio, and the height that is covered.
fn measure(canvas: NodeRef<Canvas>, over: &str, size: RwSignal<Size>) {
    let Some(canvas) = canvas.get_untracked() else { return };
    // Fractions count: at a ratio of 2, half a CSS pixel is a pixel.
    let area = canvas.get_bounding_client_rect();
    let covered =
        document().get_element_by_id(over).map_or(0.0, |over| over.get_bounding_client_rect().bottom() - area.top());
    let now = Size::new(area.width(), area.height(), pixel_ratio()).with_subpixels(SUBPIXELS).covered(covered.ceil());
    if size.get_untracked() != now {
        size.set(now);
    }
}

/// Measures the canvas whenever its size or the pixel ratio changes.
fn watch(canvas: NodeRef<Canvas>, measure: impl Fn() + Copy + 'static) {
    effect(move |_| {
        if let Some(canvas) = canvas.get() {
            StoredValue::new_local((SizeWatch::new(&canvas, measure), PixelRatioWatch::new(measure)));
        }
    });
}

/// Edge: figure → canvas, at most once per frame.
fn paint<P: Painted>(canvas: NodeRef<Canvas>, picture: Memo<Option<P>>, measure: impl Fn() + Copy + 'static) {
    let next = StoredValue::new_local(None);
    effect(move |_| {
        picture.track();
        let Some(canvas) = canvas.get() else { return };
        // Replacing a waiting frame cancels it: however often the picture changes, the canvas is painted once.
        next.set_value(NextFrame::new(move || {
            // The texts over the canvas change with the figure, and are on the page by now.
            measure();
            if let Some(drawn) = picture.read_untracked().as_ref()
                && draw(&canvas, drawn).is_none()
            {
                leptos::logging::warn!("the canvas cannot be drawn on");
            }
        }));
    });
}

fn draw(canvas: &HtmlCanvasElement, drawn: &impl Painted) -> Option<()> {
    drawn.paint(&surface(canvas, drawn.size())?)
}

/// The surface of a canvas, which is set to this size.
pub(super) fn surface(canvas: &HtmlCanvasElement, size: Size) -> Option<Area> {
    let (width, height) = size.surface();
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
    let grain = 1.0 / f64::from(SUBPIXELS);
    context.set_transform(grain, 0.0, 0.0, grain, 0.0, 0.0).ok()?;
    Some(Surface::Canvas(CanvasBackend::with_canvas_object(canvas.clone())?).into_drawing_area())
}
