//! Draws a map on any Plotters surface.

use super::cells::Run;
use super::isoline::Isoline;
use super::layout::HeatLayout;
use super::tags::Tag;
use super::{HeatMap, Shade, Weight};
use crate::figure::Size;
use crate::figure::frame::{Px, Rect};
use crate::figure::pen::{DrawResult, Pen, TypeSetting};
use crate::figure::theme::Theme;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;

/// Draws a map over the whole of a surface of the given size, as [`draw`](crate::figure::draw::draw) draws a figure.
///
/// # Errors
/// The error of the surface.
pub fn draw_heat<B: DrawingBackend>(
    map: &HeatMap,
    theme: &Theme,
    size: Size,
    area: &DrawingArea<B, Shift>,
) -> DrawResult<B> {
    draw_heat_layout(&HeatLayout::new(map, theme, size), theme, size, area)
}

/// As [`draw_heat`], for a map that has been laid out already.
///
/// # Errors
/// The error of the surface.
pub fn draw_heat_layout<B: DrawingBackend>(
    layout: &HeatLayout,
    theme: &Theme,
    size: Size,
    area: &DrawingArea<B, Shift>,
) -> DrawResult<B> {
    Pen::new(area, size, TypeSetting::PLAIN).heat(layout, theme)
}

impl<B: DrawingBackend> Pen<B> {
    /// Draws everything, from the paper up.
    pub(in crate::figure) fn heat(&self, layout: &HeatLayout, theme: &Theme) -> DrawResult<B> {
        let HeatLayout { page, frame, .. } = layout;
        self.paper(page.surface, theme.paper)?;
        self.hatching(layout, theme)?;
        self.cells(layout, &frame.plot, theme)?;
        layout.isolines.iter().try_for_each(|isoline| self.isoline(isoline, theme))?;
        layout.tags.iter().try_for_each(|tag| self.tag(tag, layout, theme))?;
        layout.dots.iter().try_for_each(|&(at, shade)| self.check(at, shade, layout, theme))?;
        layout.handle.into_iter().try_for_each(|at| self.handle(at, page.text_px, theme))?;
        self.axes(frame, &layout.ticks, page.text_px, theme)?;
        self.key(layout, theme)?;
        self.words(&layout.words, theme)?;
        layout.lines.iter().try_for_each(|line| self.line(line))
    }

    /// Draws thin slanted lines where values are unknown; cells are painted over them.
    fn hatching(&self, layout: &HeatLayout, theme: &Theme) -> DrawResult<B> {
        let plot = layout.frame.plot;
        let step = 0.8 * layout.page.text_px;
        let is_whole = layout.cells.has_values() && !layout.cells.shades.contains(&Shade::Unknown);
        let mut offset = if is_whole { f64::INFINITY } else { step };
        // Each line rises from the left or the lower edge to the upper or the right edge.
        while offset < plot.width + plot.height {
            let (up, across) = (offset.min(plot.height), offset.min(plot.width));
            let from = (plot.left + offset - up, plot.top + up);
            let to = (plot.left + across, plot.top + offset - across);
            self.path(&[from, to], theme.hairline, 0.5 * theme.stroke_px, None)?;
            offset += step;
        }
        Ok(())
    }

    /// Draws the cells inside a rectangle. Each run reaches one pixel under its neighbors, so that no line of another
    /// color shows between them, however the picture is scaled later.
    fn cells(&self, layout: &HeatLayout, within: &Rect, theme: &Theme) -> DrawResult<B> {
        let known = layout.cells.runs().filter(|run| run.shade != Shade::Unknown && run.rect.meets(within));
        known.into_iter().try_for_each(|Run { rect, shade }| {
            let (left, top) = within.nearest((rect.left, rect.top));
            let (right, bottom) = within.nearest((rect.right() + self.pixel(), rect.bottom() + self.pixel()));
            self.rectangle(
                Rect { left, top, width: right - left, height: bottom - top },
                theme.shade(layout.ramp, shade),
            )
        })
    }

    /// Draws a contour between two lines of paper, which set it apart from any color.
    fn isoline(&self, isoline: &Isoline, theme: &Theme) -> DrawResult<B> {
        let color = isoline.role.map_or(theme.ink, |role| theme.hue(role).text);
        let width = match isoline.weight {
            Weight::Thick => 1.2 * theme.stroke_px,
            Weight::Thin => 0.6 * theme.stroke_px,
        };
        for (color, width) in [(theme.paper, 1.8 * width), (color, width)] {
            isoline.lines.iter().try_for_each(|line| self.path(line, color, width, None))?;
        }
        Ok(())
    }

    /// Draws words on the map, with no contour behind them.
    fn tag(&self, tag: &Tag, layout: &HeatLayout, theme: &Theme) -> DrawResult<B> {
        if tag.on_paper {
            self.rectangle(tag.rect, theme.paper)?;
        } else {
            self.cells(layout, &tag.rect, theme)?;
        }
        self.line(&tag.line)
    }

    fn check(&self, at: Px, shade: Shade, layout: &HeatLayout, theme: &Theme) -> DrawResult<B> {
        let ring = if shade == Shade::Diverges { theme.diverges.text } else { theme.ink };
        let radius = layout.dot_px();
        self.disc(at, radius, ring)?;
        self.disc(at, radius - 0.45 * theme.stroke_px, theme.shade(layout.ramp, shade))
    }

    /// Draws the handle, like the one that a page has over the map.
    fn handle(&self, at: Px, text_px: f64, theme: &Theme) -> DrawResult<B> {
        let discs = [(0.75, theme.paper), (0.65, theme.ink), (0.45, theme.paper), (0.2, theme.ink)];
        discs.into_iter().try_for_each(|(radius, color)| self.disc(at, radius * text_px, color))
    }

    fn key(&self, layout: &HeatLayout, theme: &Theme) -> DrawResult<B> {
        for &(piece, shade) in &layout.key.pieces {
            self.rectangle(piece, theme.shade(layout.ramp, shade))?;
        }
        for tick in &layout.key.ticks {
            if tick.height > 0.0 {
                self.vertical(tick.left, tick.top, tick.bottom(), theme.quiet)?;
            } else {
                self.horizontal(tick.top, tick.left, tick.right(), theme.quiet)?;
            }
        }
        layout.key.lines.iter().try_for_each(|line| self.line(line))
    }
}
