//! A figure as SVG text: for files, and for the page before its program is there.

use super::draw::{Pen, TypeSetting};
use super::layout::Layout;
use super::theme::Theme;
use super::{Figure, Size};
use plotters::drawing::IntoDrawingArea;
use plotters::prelude::SVGBackend;
use std::fmt::Write;

/// Drawing units per CSS pixel: coordinates to a tenth of a pixel, written as whole numbers.
const SUBPIXELS: u32 = 10;
/// Plotters writes fonts to SVG 1.24 times smaller, and centers lines by their small letters, which sets numbers high.
const TYPE_SETTING: TypeSetting = TypeSetting { unit: 1.24, rise: 0.08 };

/// The figure as a self-contained SVG document, which can also stand in HTML. Sizes are CSS pixels; the pixel ratio says
/// nothing here.
pub fn to_svg(figure: &Figure, theme: &Theme, size: Size) -> String {
    let size = Size { pixel_ratio: 1.0, ..size }.with_subpixels(SUBPIXELS);
    let (width, height) = size.surface();
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, (width * SUBPIXELS, height * SUBPIXELS)).into_drawing_area();
        let layout = Layout::new(figure, theme, size);
        let pen = Pen::new(&area, size, TYPE_SETTING);
        let done = pen.figure(figure, &layout, theme).and_then(|()| area.present());
        debug_assert!(done.is_ok(), "writing to a string cannot fail: {done:?}");
    }
    let body = drawn.split_once(">\n").map_or("", |(_, body)| body);
    let name = escaped(&name(figure));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{name}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\" stroke-linejoin=\"round\">\n<title>{name}</title>\n{}",
        width * SUBPIXELS,
        height * SUBPIXELS,
        compact(body)
    )
}

/// What the picture is called where it cannot be seen.
fn name(figure: &Figure) -> String {
    let axes = format!("{} against {}", figure.y.label, figure.x.label);
    figure.title.as_ref().map_or(axes.clone(), |title| format!("{title}: {axes}"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The same drawing in fewer bytes: lines of one style that follow each other, such as dashes, become one path.
fn compact(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut open: Option<(&str, String)> = None;
    for line in body.lines() {
        let path = line.strip_prefix("<polyline ").and_then(|rest| rest.strip_suffix(" \"/>"));
        let path = path.and_then(|rest| rest.split_once(" points=\""));
        match (path, &mut open) {
            (Some((style, points)), Some((last, d))) if style == *last => d.extend(["M", points]),
            (path, _) => {
                close(&mut out, open.take());
                match path {
                    Some((style, points)) => open = Some((style, format!("M{points}"))),
                    None => out.extend([&line.replace(" opacity=\"1\"", ""), "\n"]),
                }
            }
        }
    }
    close(&mut out, open);
    out
}

fn close(out: &mut String, path: Option<(&str, String)>) {
    if let Some((style, d)) = path {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<path {} d=\"{d}\"/>", style.replace("opacity=\"1\" ", ""));
    }
}
