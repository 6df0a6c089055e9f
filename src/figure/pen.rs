//! Strokes common to all pictures, on any Plotters surface, in CSS pixels.
//!
//! Text is placed by its anchors alone: measuring text in a page would make the browser lay out the document.

use super::Size;
use super::frame::{Px, Rect};
use super::lines::{Anchor, Line};
use super::theme::{Dash, FONT, Marker};
use super::trace::Edge;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle};

pub(super) type DrawResult<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Corrections for the way a surface sets text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeSetting {
    /// How far the surface sets a vertically centered line too high, in font sizes.
    pub rise: f64,
}

impl TypeSetting {
    /// A surface that sets text exactly as told.
    pub(super) const PLAIN: Self = Self { rise: 0.0 };
}

/// A drawing area with coordinates in CSS pixels.
pub(super) struct Pen<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    /// Drawing units per CSS pixel: horizontally, vertically, and for lengths.
    scale: (f64, f64, f64),
    /// Drawing units per surface pixel.
    grain: f64,
    /// The surface in drawing units.
    limits: (f64, f64),
    /// How this surface sets text.
    type_setting: TypeSetting,
    /// Whether pictures paint their own paper.
    brings_paper: bool,
}

impl<B: DrawingBackend> Pen<B> {
    pub(super) fn new(area: &DrawingArea<B, Shift>, size: Size, type_setting: TypeSetting) -> Self {
        let grain = f64::from(size.subpixels);
        let (width, height) = size.surface();
        let limits = (f64::from(width) * grain, f64::from(height) * grain);
        let scale = (limits.0 / size.width, limits.1 / size.height, size.pixel_ratio * grain);
        let mut pen = Self { area: area.clone(), scale, grain, limits, type_setting, brings_paper: true };
        // An area cuts its coordinates off at the surface's own size. `shrink` is the only way to set that size, even
        // to a larger one.
        pen.area = area.clone().shrink((0, 0), pen.unit(limits));
        pen
    }

    /// A pen for pictures on an existing background.
    pub(super) fn on_given_paper(self) -> Self {
        Self { brings_paper: false, ..self }
    }

    /// Paints the background of a picture.
    pub(super) fn paper(&self, surface: Rect, color: RGBColor) -> DrawResult<B> {
        if self.brings_paper { self.rectangle(surface, color) } else { Ok(()) }
    }

    /// Draws an arrow where a curve goes on beyond the edge.
    pub(super) fn arrow(&self, (x, y): Px, edge: Edge, size: f64, color: RGBColor) -> DrawResult<B> {
        let foot = match edge {
            Edge::Top => y + 2.0 * size,
            Edge::Bottom => y - 2.0 * size,
        };
        self.polygon(&[(x, y), (x - size, foot), (x + size, foot)], color)
    }

    /// Draws a marker, sized by the width of a stroke.
    pub(super) fn marker(&self, shape: Marker, place: Px, stroke: f64, color: RGBColor) -> DrawResult<B> {
        self.outline(shape, place, shape.reach().0 * stroke, color)
    }

    /// Makes a marker open: fills its inside but for a rim.
    pub(super) fn hole(&self, shape: Marker, place: Px, (stroke, rim): (f64, f64), color: RGBColor) -> DrawResult<B> {
        let (reach, inset) = shape.reach();
        self.outline(shape, place, reach * stroke - inset * rim, color)
    }

    fn outline(&self, shape: Marker, (x, y): Px, reach: f64, color: RGBColor) -> DrawResult<B> {
        let corner = |(dx, dy): &(f64, f64)| (x + reach * dx, y + reach * dy);
        match shape.corners() {
            [] => self.disc((x, y), reach, color),
            corners => self.polygon(&corners.iter().map(corner).collect::<Vec<_>>(), color),
        }
    }

    pub(super) fn line(&self, line: &Line) -> DrawResult<B> {
        let weight = if line.bold { FontStyle::Bold } else { FontStyle::Normal };
        let h_pos = match line.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let font = FontDesc::new(FontFamily::Name(FONT), line.size * self.scale.2, weight);
        let style = TextStyle { pos: Pos::new(h_pos, VPos::Center), ..font.color(&line.color) };
        let (x, y) = line.at;
        let place = self.at((x, y + self.type_setting.rise * line.size));
        self.area.draw(&Text::new(line.text.as_str(), place, style))
    }

    pub(super) fn path(&self, path: &[Px], color: RGBColor, width: f64, dash: Option<Dash>) -> DrawResult<B> {
        let places: Vec<_> = path.iter().map(|&px| self.at(px)).collect();
        let style = ShapeStyle::from(color).stroke_width(self.length(width).unsigned_abs());
        match dash {
            None => self.area.draw(&PathElement::new(places, style)),
            Some(Dash { on, off }) => {
                self.area.draw(&DashedPathElement::new(places, self.length(on), self.length(off), style))
            }
        }
    }

    pub(super) fn polygon(&self, outline: &[Px], color: impl Into<RGBAColor>) -> DrawResult<B> {
        let places: Vec<_> = outline.iter().map(|&px| self.at(px)).collect();
        self.area.draw(&Polygon::new(places, color.into()))
    }

    pub(super) fn disc(&self, place: Px, radius: f64, color: RGBColor) -> DrawResult<B> {
        self.area.draw(&Circle::new(self.at(place), self.length(radius), ShapeStyle::from(color).filled()))
    }

    /// Draws a hairline: whole surface pixels thick, so that it is sharp.
    pub(super) fn horizontal(&self, y: f64, left: f64, right: f64, color: RGBColor) -> DrawResult<B> {
        let (thick, top) = (self.hairline(), self.whole(y * self.scale.1));
        self.block((left * self.scale.0, top), (right * self.scale.0, top + thick), color)
    }

    pub(super) fn vertical(&self, x: f64, top: f64, bottom: f64, color: RGBColor) -> DrawResult<B> {
        let (thick, left) = (self.hairline(), self.whole(x * self.scale.0));
        self.block((left, top * self.scale.1), (left + thick, bottom * self.scale.1), color)
    }

    pub(super) fn rectangle(&self, Rect { left, top, width, height }: Rect, color: RGBColor) -> DrawResult<B> {
        let (right, bottom) = (left + width, top + height);
        self.block((left * self.scale.0, top * self.scale.1), (right * self.scale.0, bottom * self.scale.1), color)
    }

    /// Draws a filled rectangle, given in drawing units, its corners on whole surface pixels.
    pub(super) fn block(&self, from: (f64, f64), to: (f64, f64), color: RGBColor) -> DrawResult<B> {
        let corner = |(x, y): (f64, f64)| self.unit((self.whole(x), self.whole(y)));
        self.area.draw(&Rectangle::new([corner(from), corner(to)], ShapeStyle::from(color).filled()))
    }

    /// Size of a surface pixel, in CSS pixels.
    pub(super) fn pixel(&self) -> f64 {
        self.grain / self.scale.2
    }

    /// Thickness of a hairline, in drawing units.
    pub(super) fn hairline(&self) -> f64 {
        self.whole(self.scale.2).max(self.grain)
    }

    /// The units rounded to a whole number of surface pixels, in drawing units.
    pub(super) fn whole(&self, units: f64) -> f64 {
        (units / self.grain).round() * self.grain
    }

    pub(super) fn at(&self, (x, y): Px) -> (i32, i32) {
        self.unit((x * self.scale.0, y * self.scale.1))
    }

    /// The nearest drawing unit on the surface: Plotters takes whole units.
    #[expect(clippy::cast_possible_truncation, reason = "within the surface")]
    pub(super) fn unit(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (x.round().max(0.0).min(self.limits.0) as i32, y.round().max(0.0).min(self.limits.1) as i32)
    }

    /// A length in drawing units, at least one.
    #[expect(clippy::cast_possible_truncation, reason = "at most the surface")]
    pub(super) fn length(&self, css: f64) -> i32 {
        (css * self.scale.2).round().max(1.0).min(self.limits.0.max(self.limits.1)) as i32
    }
}
