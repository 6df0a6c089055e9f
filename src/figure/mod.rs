//! Turns plain data into pictures, on any Plotters surface.
//!
//! A [`Figure`] says *what* is shown: curves with their bands, points with error bars, reference levels, marks, two
//! axes, words. It holds roles and numbers but no colors and no pixels, and does not know where the numbers come from.
//! The rest turns it into a picture:
//!
//! - [`axis`]: ranges for any data; [`ticks`]: the marks along them; [`number`]: numbers as people read them;
//! - [`theme`]: the look of every role on paper, on a dark screen, on a projector;
//! - [`layout`]: pure geometry in CSS pixels, used for drawing and for the pointer, from [`frame`] (data ↔ pixels),
//!   `trace` (the visible part of a curve: `clip`, `thin`), [`labels`] (names at the ends), `flags` (names of marks),
//!   `page`, `rows` and `lines` (all other words) and `text` (the width of words);
//! - [`hover`]: the crosshair; [`order`]: sorting; [`aloud`]: figures read aloud;
//! - [`draw`]: draws a figure; `pen`: its strokes on any `DrawingBackend`;
//! - [`svg`]: the same figure as text;
//! - [`heat`]: maps, on the same surfaces;
//! - [`sheet`]: a picture with words around it, for exported files.

pub mod aloud;
mod aside;
pub mod axis;
mod clip;
pub mod draw;
mod flags;
pub mod frame;
pub mod heat;
#[cfg(test)]
mod hostile;
pub mod hover;
pub mod labels;
pub mod layout;
mod lines;
pub mod number;
pub mod order;
mod page;
mod pen;
mod role;
mod rows;
pub mod sheet;
pub mod svg;
mod text;
pub mod theme;
mod thin;
pub mod ticks;
mod trace;

pub use role::{RampStep, Role};

/// One chart: everything a reader sees, nothing about how it looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Heading above the plot; exported files carry it, and pages with a heading of their own leave it out.
    pub title: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves, in the order in which they are drawn.
    pub curves: Vec<Curve>,
    /// Horizontal reference lines.
    pub levels: Vec<Level>,
    /// Abscissas worth naming.
    pub marks: Vec<Mark>,
    /// Words in the plot: in place of the curves when there are none to draw, else above them.
    pub words: Option<String>,
}

/// An axis: its quantity, its range and its scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity in words, with its symbol.
    pub label: String,
    /// Smallest and largest value shown, in the quantity's own unit. An unusable pair (not finite, empty, or not
    /// positive on a log axis) is replaced when the figure is laid out.
    pub range: (f64, f64),
    /// How values are spread along the axis.
    pub scale: Scale,
    /// Whether the quantity has whole values only, such as rounds, clients or rollouts: no tick lies between them.
    pub whole: bool,
}

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// Equal steps are equally long.
    Linear,
    /// Equal ratios are equally long; only positive values exist.
    Log10,
}

/// One curve and its uncertainty.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its meaning; decides color, dash and marker.
    pub role: Role,
    /// Whether it comes from a run, a prediction or a pinned run.
    pub kind: CurveKind,
    /// The name written at its end.
    pub label: String,
    /// The recorded points, `x` ascending. A `y` that the axis cannot show (NaN; zero or less on a log axis) breaks
    /// the line; an infinite one leaves the plot.
    pub points: Vec<Point>,
    /// Lower and upper bounds, `x` ascending; empty if the uncertainty is unknown.
    pub band: Vec<Band>,
}

/// The origin of a curve, which decides how it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CurveKind {
    /// From a run: full stroke, markers, band.
    Measured,
    /// From a formula: thin, long dashes.
    Predicted,
    /// A pinned run kept for comparison: a thin ghost.
    Pinned,
    /// One run for each point: filled markers, the band as error bars, no line.
    Points,
    /// As [`CurveKind::Points`], at a second setting: hollow markers.
    Beside,
    /// From a formula, at the second setting: thinner, dotted.
    PredictedBeside,
}

impl CurveKind {
    /// Whether its points have no line through them.
    pub const fn is_points(self) -> bool {
        matches!(self, CurveKind::Points | CurveKind::Beside)
    }
}

/// A recorded value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Abscissa.
    pub x: f64,
    /// Ordinate; may be NaN or infinite.
    pub y: f64,
}

/// A recorded interval at an abscissa.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Abscissa.
    pub x: f64,
    /// Lower bound; on a log axis zero or less means "down to the edge".
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

/// A horizontal reference line.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Its meaning; decides color and dash.
    pub role: Role,
    /// The name written at its end.
    pub label: String,
    /// Where it lies on the vertical axis.
    pub value: f64,
}

/// An abscissa with a name: a vertical line, named above the plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The role that it belongs to; drawn in ink if there is none.
    pub role: Option<Role>,
    /// Where it lies on the horizontal axis; marks beyond the axis are not drawn.
    pub x: f64,
    /// Ordinate of a dot on the line, for example where two curves meet.
    pub y: Option<f64>,
    /// Its name.
    pub label: String,
    /// Text after the name where there is room: the mark's value and meaning.
    pub detail: String,
}

/// The surface a figure is drawn on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    width: f64,
    height: f64,
    pixel_ratio: f64,
    subpixels: u32,
    covered: f64,
}

impl Size {
    /// Width in CSS pixels.
    pub const fn width(&self) -> f64 {
        self.width
    }

    /// A surface of `width × height` CSS pixels at `pixel_ratio`, drawn in its own pixels. Unusable sizes (zero,
    /// negative, not finite) become the nearest usable one, or 1.
    pub fn new(width: f64, height: f64, pixel_ratio: f64) -> Self {
        let usable = |value: f64, low: f64, high: f64| if value.is_nan() { 1.0 } else { value.clamp(low, high) };
        Self {
            width: usable(width, 1.0, 16_384.0),
            height: usable(height, 1.0, 16_384.0),
            pixel_ratio: usable(pixel_ratio, 0.25, 16.0),
            subpixels: 1,
            covered: 0.0,
        }
    }

    /// The same surface with its uppermost `px` CSS pixels covered by something else: only paper is drawn there.
    #[must_use]
    pub fn covered(self, px: f64) -> Self {
        Self { covered: px.max(0.0).min(self.height), ..self }
    }

    /// The same surface drawn in units of `1 / subpixels` of its pixels; the caller scales the surface accordingly (a
    /// canvas context, an SVG view box). Plotters draws at whole units; in whole pixels, a slowly falling curve would
    /// be a staircase.
    #[must_use]
    pub fn with_subpixels(self, subpixels: u32) -> Self {
        Self { subpixels: subpixels.clamp(1, 64), ..self }
    }

    /// Width and height of the surface in its own pixels, as of a canvas's backing store.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 262 144, by construction")]
    pub fn surface(&self) -> (u32, u32) {
        let pixels = |css: f64| (css * self.pixel_ratio).round().max(1.0) as u32;
        (pixels(self.width), pixels(self.height))
    }
}
