//! Draws a figure on any Plotters surface.

use super::flags::Flag;
use super::frame::{Frame, Px, Rect};
use super::labels::Label;
use super::layout::Layout;
use super::lines::Line;
use super::pen::{DrawResult, Pen, TypeSetting};
use super::rows::TICK;
use super::theme::{Dash, Theme};
use super::ticks::{Tick, Ticks};
use super::trace::{Bar, End, Trace};
use super::{Curve, CurveKind, Figure, Level, Role, Size};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;
use plotters::style::{Color, RGBColor};

/// Draws a figure over the whole of a surface of the given size.
///
/// The surface is [`Size::surface`] pixels large; with more than one subpixel, the caller scales it by their inverse.
///
/// # Errors
/// The error of the surface.
pub fn draw<B: DrawingBackend>(
    figure: &Figure,
    theme: &Theme,
    size: Size,
    area: &DrawingArea<B, Shift>,
) -> DrawResult<B> {
    draw_layout(figure, &Layout::new(figure, theme, size), theme, size, area)
}

/// As [`draw`], for a figure that has been laid out already.
///
/// # Errors
/// The error of the surface.
pub fn draw_layout<B: DrawingBackend>(
    figure: &Figure,
    layout: &Layout,
    theme: &Theme,
    size: Size,
    area: &DrawingArea<B, Shift>,
) -> DrawResult<B> {
    Pen::new(area, size, TypeSetting::PLAIN).figure(figure, layout, theme)
}

impl<B: DrawingBackend> Pen<B> {
    /// Draws everything, from the paper up.
    pub(super) fn figure(&self, figure: &Figure, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        self.paper(layout.page.surface, theme.paper)?;
        self.grid(layout, theme)?;
        for (curve, trace) in figure.curves.iter().zip(&layout.traces) {
            self.band(curve, trace, theme)?;
        }
        for level in &figure.levels {
            self.level(level, layout, theme)?;
        }
        layout.flags.iter().try_for_each(|flag| self.flag(flag, layout, theme))?;
        self.curves(figure, layout, theme)?;
        self.axes(&layout.frame, &layout.ticks, layout.page.text_px, theme)?;
        // Points are drawn over the axes too: the first ones may lie on an axis.
        for kind in [CurveKind::Beside, CurveKind::Points] {
            let curves = figure.curves.iter().zip(&layout.traces).filter(|(curve, _)| curve.kind == kind);
            curves.into_iter().try_for_each(|(curve, trace)| self.points(curve, trace, layout.page.text_px, theme))?;
        }
        let dots = layout.flags.iter().filter_map(|flag| flag.dot);
        dots.into_iter().try_for_each(|at| self.disc(at, 1.3 * theme.stroke_px, theme.ink))?;
        for label in &layout.labels {
            self.label(label, layout, theme)?;
        }
        self.words(&layout.words, theme)?;
        layout.lines.iter().try_for_each(|line| self.line(line))
    }

    fn grid(&self, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        let plot = layout.frame.plot;
        let line =
            |tick: &Tick| self.horizontal(layout.frame.height_of(tick.value), plot.left, plot.right(), theme.hairline);
        layout.ticks.y.iter().try_for_each(line)
    }

    /// Draws the two axes with ticks outside the plot; log axes have short ticks between the labeled ones.
    pub(super) fn axes(&self, frame: &Frame, ticks: &Ticks, text_px: f64, theme: &Theme) -> DrawResult<B> {
        let (plot, long, color) = (frame.plot, TICK * text_px, theme.quiet);
        self.horizontal(plot.bottom(), plot.left, plot.right(), color)?;
        self.vertical(plot.left, plot.top, plot.bottom(), color)?;
        let x_tick = |value: f64, length: f64| {
            self.vertical(frame.place_of(value), plot.bottom(), plot.bottom() + length, color)
        };
        let y_tick =
            |value: f64, length: f64| self.horizontal(frame.height_of(value), plot.left - length, plot.left, color);
        ticks.x.iter().try_for_each(|tick| x_tick(tick.value, long))?;
        ticks.x_minor.iter().try_for_each(|&value| x_tick(value, 0.5 * long))?;
        ticks.y.iter().try_for_each(|tick| y_tick(tick.value, long))?;
        ticks.y_minor.iter().try_for_each(|&value| y_tick(value, 0.5 * long))
    }

    fn band(&self, curve: &Curve, trace: &Trace, theme: &Theme) -> DrawResult<B> {
        let color = theme.hue(curve.role).line.mix(theme.band_opacity);
        trace.bands.iter().try_for_each(|outline| self.polygon(outline, color))
    }

    fn level(&self, level: &Level, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        let (plot, y) = (layout.frame.plot, layout.frame.height_of(level.value));
        if !(plot.top..=plot.bottom()).contains(&y) {
            return Ok(());
        }
        let ends = [(plot.left, y), (plot.right(), y)];
        self.path(&ends, theme.hue(level.role).line, theme.level_px(), level.role.dash())
    }

    /// Draws runs over predictions over ghosts; markers go over all lines, so that a curve under another one still
    /// shows.
    fn curves(&self, figure: &Figure, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        let curves = || figure.curves.iter().zip(&layout.traces);
        for kind in [CurveKind::Pinned, CurveKind::PredictedBeside, CurveKind::Predicted, CurveKind::Measured] {
            for (idx, (curve, trace)) in curves().enumerate().filter(|(_, (curve, _))| curve.kind == kind) {
                let same = |other: &&Curve| (other.kind, other.role) == (curve.kind, curve.role);
                let dash = kind.dash(curve.role, figure.curves.iter().take(idx).filter(same).count());
                self.curve(curve, trace, dash, theme)?;
            }
        }
        for (curve, trace) in curves().filter(|(curve, _)| !curve.kind.is_points()) {
            self.marks(curve, trace, theme)?;
            if let End::Left(place, edge) = trace.end {
                self.arrow(place, edge, 0.35 * layout.page.text_px, theme.hue(curve.role).line)?;
            }
        }
        Ok(())
    }

    fn curve(&self, curve: &Curve, trace: &Trace, dash: Option<Dash>, theme: &Theme) -> DrawResult<B> {
        let (color, width) = (theme.hue(curve.role).line, theme.curve_px(curve.kind));
        trace.lines.iter().try_for_each(|line| match line.as_slice() {
            [only] => self.disc(*only, width, color),
            path => self.path(path, color, width, dash),
        })
    }

    fn marks(&self, curve: &Curve, trace: &Trace, theme: &Theme) -> DrawResult<B> {
        trace.marks.iter().try_for_each(|&place| self.sign(curve.role, curve.kind, place, theme))
    }

    /// Draws a role's marker: on runs, filled or open by its shape; on points without lines, filled; on points of a
    /// second setting, open.
    fn sign(&self, role: Role, kind: CurveKind, place: Px, theme: &Theme) -> DrawResult<B> {
        let (shape, stroke) = (role.marker(), theme.stroke_px);
        self.marker(shape, place, stroke, theme.hue(role).line)?;
        match kind {
            CurveKind::Beside => self.hole(shape, place, (stroke, 0.6 * stroke), theme.paper),
            CurveKind::Points => Ok(()),
            _ if shape.is_open() => self.hole(shape, place, (stroke, stroke), theme.paper),
            _ => Ok(()),
        }
    }

    /// Draws error bars, and markers over them.
    fn points(&self, curve: &Curve, trace: &Trace, text_px: f64, theme: &Theme) -> DrawResult<B> {
        let color = theme.hue(curve.role).line;
        for bar in &trace.bars {
            self.bar(bar, 0.25 * text_px, 0.5 * theme.curve_px(curve.kind), color)?;
        }
        self.marks(curve, trace, theme)?;
        trace.beyond.iter().try_for_each(|&(place, edge)| self.arrow(place, edge, 0.3 * text_px, color))
    }

    fn bar(&self, &Bar { x, top, bottom }: &Bar, cap: f64, width: f64, color: RGBColor) -> DrawResult<B> {
        self.path(&[(x, top.0), (x, bottom.0)], color, width, None)?;
        let ends = [top, bottom].into_iter().filter(|(_, is_end)| *is_end);
        ends.into_iter().try_for_each(|(y, _)| self.path(&[(x - cap, y), (x + cap, y)], color, width, None))
    }

    /// Draws the line of a mark, with its name at the upper end.
    fn flag(&self, flag: &Flag, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        let color = flag.role.map_or(theme.quiet, |role| theme.hue(role).line);
        self.vertical(flag.x, flag.top, layout.frame.plot.bottom(), color)?;
        flag.words.iter().try_for_each(|line| self.line(line))
    }

    fn label(&self, label: &Label, layout: &Layout, theme: &Theme) -> DrawResult<B> {
        if !label.leader.is_empty() {
            self.path(&label.leader, theme.hue(label.role).line, 0.5 * theme.stroke_px, None)?;
        }
        if let Some((place, kind)) = label.sign {
            self.sign(label.role, kind, place, theme)?;
        }
        self.line(&Line::of(label, layout.page.text_px, theme))
    }

    /// Draws words on a background of paper, over whatever the plot holds.
    pub(super) fn words(&self, lines: &[Line], theme: &Theme) -> DrawResult<B> {
        for line in lines {
            let (start, end) = line.extent();
            let height = 1.5 * line.size;
            let around = Rect { left: start, top: line.at.1 - 0.5 * height, width: end - start, height };
            self.rectangle(around, theme.paper)?;
        }
        lines.iter().try_for_each(|line| self.line(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::hostile;
    use crate::figure::svg::Strokes;
    use plotters::drawing::IntoDrawingArea;
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    /// The strokes of a figure on a surface that reports this many pixels.
    fn drawn(figure: &Figure, size: Size, surface: (u32, u32)) -> String {
        let strokes = Strokes::new(surface);
        let area = strokes.clone().into_drawing_area();
        draw(figure, &Theme::LIGHT, size, &area).expect("a string takes everything");
        strokes.take()
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
