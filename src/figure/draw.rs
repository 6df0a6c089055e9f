//! The strokes of a figure, on any Plotters surface.
//!
//! Text is placed by its anchors alone: in a page, measuring it would make the browser lay out the document.

use super::frame::{Px, Rect};
use super::labels::Label;
use super::layout::{Layout, TICK};
use super::lines::{Anchor, Line};
use super::theme::{Dash, FONT, Marker, Theme};
use super::ticks::Tick;
use super::trace::{Edge, End, Trace};
use super::{Curve, CurveKind, Figure, Level, Size};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, DashedPathElement, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle};

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

/// Draws a figure over the whole of a surface of the given size.
///
/// The surface is [`Size::surface`] pixels large; with more than one subpixel, it is scaled by their inverse.
///
/// # Errors
/// Whatever the surface reports.
pub fn draw<B: DrawingBackend>(figure: &Figure, theme: &Theme, size: Size, area: &DrawingArea<B, Shift>) -> Drawn<B> {
    draw_layout(figure, &Layout::new(figure, theme, size), theme, size, area)
}

/// As [`draw`], for a figure that has been laid out already.
///
/// # Errors
/// Whatever the surface reports.
pub fn draw_layout<B: DrawingBackend>(
    figure: &Figure,
    layout: &Layout,
    theme: &Theme,
    size: Size,
    area: &DrawingArea<B, Shift>,
) -> Drawn<B> {
    Pen::new(area, size, TypeSetting::PLAIN).figure(figure, layout, theme)
}

/// What a surface does to text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeSetting {
    /// What it calls a font of size 1.
    pub unit: f64,
    /// How far above the middle it sets a line that it should center, in font sizes.
    pub rise: f64,
}

impl TypeSetting {
    /// Exactly what it is told.
    const PLAIN: Self = Self { unit: 1.0, rise: 0.0 };
}

/// A drawing area that is drawn on in CSS pixels.
pub(super) struct Pen<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    /// Drawing units per CSS pixel, in width, in height, and for lengths.
    scale: (f64, f64, f64),
    /// Drawing units per surface pixel.
    grain: f64,
    /// The surface in drawing units.
    limits: (f64, f64),
    /// How this surface sets text.
    type_setting: TypeSetting,
}

impl<B: DrawingBackend> Pen<B> {
    pub(super) fn new(area: &DrawingArea<B, Shift>, size: Size, type_setting: TypeSetting) -> Self {
        let grain = f64::from(size.subpixels);
        let (width, height) = size.surface();
        let limits = (f64::from(width) * grain, f64::from(height) * grain);
        let scale = (limits.0 / size.width, limits.1 / size.height, size.pixel_ratio * grain);
        let mut pen = Self { area: area.clone(), scale, grain, limits, type_setting };
        // An area cuts its coordinates off at the surface's own size. To "shrink" is the one way to set its size, to a
        // larger one too.
        pen.area = area.clone().shrink((0, 0), pen.unit(limits));
        pen
    }

    /// Everything, from the paper up.
    pub(super) fn figure(&self, figure: &Figure, layout: &Layout, theme: &Theme) -> Drawn<B> {
        self.rectangle(layout.surface, theme.paper)?;
        self.grid(layout, theme)?;
        for (curve, trace) in figure.curves.iter().zip(&layout.traces) {
            self.band(curve, trace, theme)?;
        }
        for level in &figure.levels {
            self.level(level, layout, theme)?;
        }
        self.curves(figure, layout, theme)?;
        self.axes(layout, theme)?;
        for label in &layout.labels {
            self.label(label, layout, theme)?;
        }
        self.words(layout, theme)?;
        layout.lines.iter().try_for_each(|line| self.line(line))
    }

    fn grid(&self, layout: &Layout, theme: &Theme) -> Drawn<B> {
        let plot = layout.frame.plot;
        let line =
            |tick: &Tick| self.horizontal(layout.frame.height_of(tick.value), plot.left, plot.right(), theme.hairline);
        layout.y_ticks.iter().try_for_each(line)
    }

    /// The two axes, with ticks outside; short ones between the numbers of a log axis.
    fn axes(&self, layout: &Layout, theme: &Theme) -> Drawn<B> {
        let (plot, frame, tick_px) = (layout.frame.plot, &layout.frame, TICK * layout.text_px);
        self.horizontal(plot.bottom(), plot.left, plot.right(), theme.quiet)?;
        self.vertical(plot.left, plot.top, plot.bottom(), theme.quiet)?;
        let x_tick = |value: f64, length: f64| {
            let (x, _) = frame.px_of(super::Point { x: value, y: f64::NAN });
            self.vertical(x, plot.bottom(), plot.bottom() + length, theme.quiet)
        };
        layout.x_ticks.iter().try_for_each(|tick| x_tick(tick.value, tick_px))?;
        layout.x_minor.iter().try_for_each(|&value| x_tick(value, 0.5 * tick_px))?;
        for tick in &layout.y_ticks {
            self.horizontal(frame.height_of(tick.value), plot.left - tick_px, plot.left, theme.quiet)?;
        }
        for &value in &layout.y_minor {
            self.horizontal(frame.height_of(value), plot.left - 0.5 * tick_px, plot.left, theme.quiet)?;
        }
        Ok(())
    }

    fn band(&self, curve: &Curve, trace: &Trace, theme: &Theme) -> Drawn<B> {
        let color = theme.hue(curve.role).line.mix(theme.band_opacity);
        trace.bands.iter().try_for_each(|outline| self.polygon(outline, color))
    }

    fn level(&self, level: &Level, layout: &Layout, theme: &Theme) -> Drawn<B> {
        let (plot, y) = (layout.frame.plot, layout.frame.height_of(level.value));
        if !(plot.top..=plot.bottom()).contains(&y) {
            return Ok(());
        }
        let ends = [(plot.left, y), (plot.right(), y)];
        self.path(&ends, theme.hue(level.role).line, theme.level_px(), level.role.dash())
    }

    /// Runs over predictions over ghosts; markers over all lines, so that a curve under another still shows.
    fn curves(&self, figure: &Figure, layout: &Layout, theme: &Theme) -> Drawn<B> {
        let curves = || figure.curves.iter().zip(&layout.traces);
        for kind in [CurveKind::Pinned, CurveKind::Predicted, CurveKind::Measured] {
            for (idx, (curve, trace)) in curves().enumerate().filter(|(_, (curve, _))| curve.kind == kind) {
                let same = |other: &&Curve| (other.kind, other.role) == (curve.kind, curve.role);
                let dash = kind.dash(curve.role, figure.curves.iter().take(idx).filter(same).count());
                self.curve(curve, trace, dash, theme)?;
            }
        }
        for (curve, trace) in curves() {
            self.marks(curve, trace, theme)?;
            if let End::Left(place, edge) = trace.end {
                self.arrow(place, edge, 0.35 * layout.text_px, theme.hue(curve.role).line)?;
            }
        }
        Ok(())
    }

    fn curve(&self, curve: &Curve, trace: &Trace, dash: Option<Dash>, theme: &Theme) -> Drawn<B> {
        let (color, width) = (theme.hue(curve.role).line, theme.curve_px(curve.kind));
        trace.lines.iter().try_for_each(|line| match line.as_slice() {
            [only] => self.disc(*only, width, color),
            path => self.path(path, color, width, dash),
        })
    }

    fn marks(&self, curve: &Curve, trace: &Trace, theme: &Theme) -> Drawn<B> {
        let (color, width) = (theme.hue(curve.role).line, theme.curve_px(curve.kind));
        trace.marks.iter().try_for_each(|&place| match curve.role.marker() {
            Marker::Disc => self.disc(place, 1.7 * width, color),
            Marker::Diamond => self.diamond(place, 2.4 * width, width, color, theme.paper),
        })
    }

    /// A curve goes on beyond the edge.
    fn arrow(&self, (x, y): Px, edge: Edge, size: f64, color: RGBColor) -> Drawn<B> {
        let foot = match edge {
            Edge::Top => y + 2.0 * size,
            Edge::Bottom => y - 2.0 * size,
        };
        self.polygon(&[(x, y), (x - size, foot), (x + size, foot)], color)
    }

    fn diamond(&self, (x, y): Px, reach: f64, stroke: f64, color: RGBColor, inside: RGBColor) -> Drawn<B> {
        let outline = |reach: f64| [(x, y - reach), (x + reach, y), (x, y + reach), (x - reach, y)];
        self.polygon(&outline(reach), color)?;
        self.polygon(&outline(reach - 1.1 * stroke), inside)
    }

    fn label(&self, label: &Label, layout: &Layout, theme: &Theme) -> Drawn<B> {
        if let Some(leader) = label.leader {
            self.path(&leader, theme.hue(label.role).line, 0.5 * theme.stroke_px, None)?;
        }
        self.line(&Line::of(label, layout.text_px, theme))
    }

    fn words(&self, layout: &Layout, theme: &Theme) -> Drawn<B> {
        for line in &layout.words {
            let (start, end) = line.extent();
            let height = 1.5 * line.size;
            let around = Rect { left: start, top: line.at.1 - 0.5 * height, width: end - start, height };
            self.rectangle(around, theme.paper)?;
        }
        layout.words.iter().try_for_each(|line| self.line(line))
    }

    fn line(&self, line: &Line) -> Drawn<B> {
        let weight = if line.bold { FontStyle::Bold } else { FontStyle::Normal };
        let h_pos = match line.anchor {
            Anchor::Start => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::End => HPos::Right,
        };
        let font = FontDesc::new(FontFamily::Name(FONT), line.size * self.scale.2 * self.type_setting.unit, weight);
        let style = TextStyle { pos: Pos::new(h_pos, VPos::Center), ..font.color(&line.color) };
        let (x, y) = line.at;
        let place = self.at((x, y + self.type_setting.rise * line.size));
        self.area.draw(&Text::new(line.text.as_str(), place, style))
    }

    fn path(&self, path: &[Px], color: RGBColor, width: f64, dash: Option<Dash>) -> Drawn<B> {
        let places: Vec<_> = path.iter().map(|&px| self.at(px)).collect();
        let style = ShapeStyle::from(color).stroke_width(self.length(width).unsigned_abs());
        match dash {
            None => self.area.draw(&PathElement::new(places, style)),
            Some(Dash { on, off }) => {
                self.area.draw(&DashedPathElement::new(places, self.length(on), self.length(off), style))
            }
        }
    }

    fn polygon(&self, outline: &[Px], color: impl Into<RGBAColor>) -> Drawn<B> {
        let places: Vec<_> = outline.iter().map(|&px| self.at(px)).collect();
        self.area.draw(&Polygon::new(places, color.into()))
    }

    fn disc(&self, place: Px, radius: f64, color: RGBColor) -> Drawn<B> {
        self.area.draw(&Circle::new(self.at(place), self.length(radius), ShapeStyle::from(color).filled()))
    }

    /// A hairline: whole surface pixels, so that it is sharp.
    fn horizontal(&self, y: f64, left: f64, right: f64, color: RGBColor) -> Drawn<B> {
        let (thick, top) = (self.hairline(), self.whole(y * self.scale.1));
        self.block((left * self.scale.0, top), (right * self.scale.0, top + thick), color)
    }

    fn vertical(&self, x: f64, top: f64, bottom: f64, color: RGBColor) -> Drawn<B> {
        let (thick, left) = (self.hairline(), self.whole(x * self.scale.0));
        self.block((left, top * self.scale.1), (left + thick, bottom * self.scale.1), color)
    }

    fn rectangle(&self, Rect { left, top, width, height }: Rect, color: RGBColor) -> Drawn<B> {
        let (right, bottom) = (left + width, top + height);
        self.block((left * self.scale.0, top * self.scale.1), (right * self.scale.0, bottom * self.scale.1), color)
    }

    /// A filled rectangle, in drawing units, its corners on whole surface pixels.
    fn block(&self, from: (f64, f64), to: (f64, f64), color: RGBColor) -> Drawn<B> {
        let corner = |(x, y): (f64, f64)| self.unit((self.whole(x), self.whole(y)));
        self.area.draw(&Rectangle::new([corner(from), corner(to)], ShapeStyle::from(color).filled()))
    }

    /// Thickness of a hairline, in drawing units.
    fn hairline(&self) -> f64 {
        self.whole(self.scale.2).max(self.grain)
    }

    /// The nearest whole number of surface pixels, in drawing units.
    fn whole(&self, units: f64) -> f64 {
        (units / self.grain).round() * self.grain
    }

    fn at(&self, (x, y): Px) -> (i32, i32) {
        self.unit((x * self.scale.0, y * self.scale.1))
    }

    /// The nearest place on the surface that Plotters can name.
    #[expect(clippy::cast_possible_truncation, reason = "within the surface")]
    fn unit(&self, (x, y): (f64, f64)) -> (i32, i32) {
        (x.round().max(0.0).min(self.limits.0) as i32, y.round().max(0.0).min(self.limits.1) as i32)
    }

    /// A length of at least one drawing unit.
    #[expect(clippy::cast_possible_truncation, reason = "at most the surface")]
    fn length(&self, css: f64) -> i32 {
        (css * self.scale.2).round().max(1.0).min(self.limits.0.max(self.limits.1)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::hostile;
    use plotters::drawing::IntoDrawingArea;
    use plotters::prelude::SVGBackend;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    /// What is drawn on a surface that says it has so many pixels.
    fn drawn(figure: &Figure, size: Size, surface: (u32, u32)) -> String {
        let mut text = String::new();
        {
            let area = SVGBackend::with_string(&mut text, surface).into_drawing_area();
            draw(figure, &Theme::LIGHT, size, &area).expect("a string takes everything");
            area.present().expect("a string takes everything");
        }
        text.split_once('\n').expect("a first line").1.to_owned()
    }

    #[test]
    fn subpixels_reach_beyond_the_pixels_of_the_surface() {
        let size = Size::new(300.0, 200.0, 2.0);
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for _ in 0..20 {
            let figure = hostile::figure(&mut rng);
            let fine = drawn(&figure, size.with_subpixels(8), (600, 400));
            assert!(fine.contains("<rect x=\"0\" y=\"0\" width=\"4800\" height=\"3200\""));
            assert_eq!(fine, drawn(&figure, size.with_subpixels(8), (4800, 3200)));
            assert!(drawn(&figure, size, (600, 400)).contains("width=\"600\" height=\"400\""));
        }
    }

    #[test]
    fn a_larger_ratio_is_the_same_picture_in_larger_units() {
        let figure = hostile::figure(&mut ChaCha8Rng::seed_from_u64(5));
        let [ratio, subpixels] = [Size::new(300.0, 200.0, 4.0), Size::new(300.0, 200.0, 1.0).with_subpixels(4)];
        let strokes =
            |size: Size| drawn(&figure, size, (1200, 800)).lines().filter(|l| !l.starts_with("<rect")).count();
        assert_eq!(strokes(ratio), strokes(subpixels));
    }
}
