//! Figures as SVG text: for exported files, and for the page before its program has loaded.

mod strokes;

use super::heat::HeatMap;
use super::heat::layout::HeatLayout;
use super::layout::Layout;
use super::pen::{DrawResult, Pen, TypeSetting};
use super::sheet::{Paper, Sheet};
use super::theme::Theme;
use super::{Figure, Size};
use crate::text::escaped;
use fedsysid_say::say;
use plotters::drawing::IntoDrawingArea;

pub use plotters_backend::DrawingBackend;
pub use strokes::Strokes;

/// Drawing units per CSS pixel: coordinates are tenths of a pixel, written as whole numbers.
const SUBPIXELS: u32 = 10;
/// SVG centers lines by their small letters, which sets digits too high.
const TYPE_SETTING: TypeSetting = TypeSetting { rise: 0.08 };

/// The figure as a self-contained SVG document, which can also stand in HTML. Sizes are CSS pixels; the pixel ratio
/// does not matter.
pub fn to_svg(figure: &Figure, theme: &Theme, size: Size) -> String {
    let name = name(figure.title.as_deref(), &figure.y.label, &figure.x.label);
    document::<Strokes>(&name, "", size, |pen, size| pen.figure(figure, &Layout::new(figure, theme, size), theme))
}

/// The map as a self-contained SVG document, like [`to_svg`].
pub fn heat_svg(map: &HeatMap, theme: &Theme, size: Size) -> String {
    let against = say!("{} and {}", map.y.label, map.x.label);
    let name = name(map.title.as_deref(), &map.key.label, &against);
    document::<Strokes>(&name, "", size, |pen, size| pen.heat(&HeatLayout::new(map, theme, size), theme))
}

/// The sheet as a self-contained SVG document, like [`to_svg`]. `picture` is the size of its picture; `metadata` is
/// stored in the document as text. It is drawn on [`Strokes`], or on the surface that a page draws its figures on
/// anyway: a single surface for both needs half the code.
pub fn sheet_svg<B: DrawingBackend + From<Strokes>>(
    sheet: &Sheet,
    (theme, paper): (&Theme, Paper),
    picture: Size,
    metadata: &str,
) -> String {
    let size = sheet.size(theme, picture);
    let metadata = format!("<metadata>{}</metadata>\n", escaped(metadata));
    document::<B>(&sheet.title, &metadata, size, |pen, size| pen.sheet(sheet, (theme, paper), size))
}

/// The drawing of a pen as a document with this name.
fn document<B: DrawingBackend + From<Strokes>>(
    name: &str,
    metadata: &str,
    size: Size,
    draw: impl FnOnce(Pen<B>, Size) -> DrawResult<B>,
) -> String {
    let size = Size { pixel_ratio: 1.0, ..size }.with_subpixels(SUBPIXELS);
    let (width, height) = size.surface();
    let strokes = Strokes::new((width * SUBPIXELS, height * SUBPIXELS));
    let area = B::from(strokes.clone()).into_drawing_area();
    let done = draw(Pen::new(&area, size, TYPE_SETTING), size);
    debug_assert!(done.is_ok(), "writing to a string cannot fail");
    let name = escaped(name);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{name}\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {} {}\" stroke-linejoin=\"round\">\n<title>{name}</title>\n{metadata}{}</svg>\n",
        width * SUBPIXELS,
        height * SUBPIXELS,
        strokes.take()
    )
}

/// The name of the picture, for readers who cannot see it.
fn name(title: Option<&str>, what: &str, against: &str) -> String {
    let axes = say!("{what} against {against}");
    title.map_or(axes.clone(), |title| format!("{title}: {axes}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::heat::hostile::hostile;
    use crate::figure::hostile::{figure, surface};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    /// All values of an attribute.
    fn attributes<'a>(svg: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
        let start = format!(" {name}=\"");
        svg.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect::<Vec<_>>().into_iter()
    }

    fn numbers(text: &str) -> impl Iterator<Item = f64> {
        text.split(|c: char| !(c.is_ascii_digit() || c == '-' || c == '.'))
            .filter(|part| !part.is_empty())
            .map(|part| part.parse::<f64>().unwrap_or(f64::NAN))
    }

    #[track_caller]
    fn check_inside(svg: &str, names: &[&str], high: f64, what: &str) {
        let found: Vec<_> = names.iter().flat_map(|name| attributes(svg, name)).collect();
        assert!(!found.is_empty(), "{what}: none of {names:?}");
        for text in found {
            assert!(numbers(text).all(|v| (0.0..=high).contains(&v)), "{what}: {text} not in 0 to {high}");
        }
    }

    /// Checks that everything in a drawing of this size lies on it, and that it has at most `most_texts` texts.
    #[track_caller]
    fn check_drawing(svg: &str, size: (u32, u32), most_texts: usize, what: &str) {
        let (width, height) = (10.0 * f64::from(size.0), 10.0 * f64::from(size.1));
        check_inside(svg, &["x", "cx", "width"], width, what);
        check_inside(svg, &["y", "cy", "height"], height, what);
        for (name, is_relative) in [("points", false), ("d", true)] {
            for text in attributes(svg, name) {
                let all: Vec<_> = numbers(text).collect();
                let (mut x, mut y) = (0.0, 0.0);
                let mut is_inside = |pair: &[f64]| {
                    (x, y) = if is_relative { (x + pair[0], y + pair[1]) } else { (pair[0], pair[1]) };
                    (0.0..=width).contains(&x) && (0.0..=height).contains(&y)
                };
                assert!(all.chunks(2).all(|pair| pair.len() == 2 && is_inside(pair)), "{what}: {text}");
            }
        }
        let drawn = svg.split_once("</title>").map_or("", |(_, drawn)| drawn);
        assert!(!drawn.contains("NaN") && !drawn.contains("inf"), "{what}");
        assert!(drawn.matches("<text").count() <= most_texts, "{what}: {}", drawn.matches("<text").count());
    }

    #[test]
    fn whatever_the_data_everything_is_on_the_surface() {
        let mut rng = ChaCha8Rng::seed_from_u64(20);
        for round in 0..600 {
            let (figure, map, size) = (figure(&mut rng), hostile(&mut rng), surface(&mut rng));
            let theme = &Theme::ALL[rng.random_range(0..3)];
            let pixels = Size::new(size.0.into(), size.1.into(), 2.0);
            check_drawing(
                &to_svg(&figure, theme, pixels),
                size,
                40,
                &format!("figure {round} of {size:?}, {figure:?}"),
            );
            check_drawing(&heat_svg(&map, theme, pixels), size, 50, &format!("map {round} of {size:?}, {map:?}"));
        }
    }

    #[test]
    fn dashes_of_one_line_become_one_path() {
        use plotters::style::{BLACK, Color};
        let (mut strokes, other) = (Strokes::new((99, 99)), BLACK.mix(0.5));
        let mut draw = |from, to| strokes.draw_path([from, to], &BLACK);
        draw((1, 2), (3, 4)).and(draw((5, 6), (7, 8))).unwrap();
        strokes.draw_circle((3, 3), 2, &BLACK, true).unwrap();
        strokes.draw_path([(9, 9), (8, 8)], &BLACK).unwrap();
        strokes.draw_path([(9, 9), (8, 8)], &other).unwrap();
        let path = "<path fill=\"none\" stroke=\"#000000\" stroke-width=\"1\" d=";
        let expected = format!(
            "{path}\"m1,2 2,2m2,2 2,2\"/>\n\
             <circle cx=\"3\" cy=\"3\" r=\"2\" fill=\"#000000\" stroke=\"none\" stroke-width=\"1\"/>\n\
             {path}\"m9,9 -1,-1\"/>\n\
             <path fill=\"none\" opacity=\"0.5\" stroke=\"#000000\" stroke-width=\"1\" d=\"m9,9 -1,-1\"/>\n"
        );
        assert_eq!(strokes.take(), expected);
        assert_eq!(strokes.take(), "");
    }

    #[test]
    fn the_document_is_named_and_well_formed() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut figure = figure(&mut rng);
        figure.title = Some("a < b & \"c\"".to_owned());
        let svg = to_svg(&figure, &Theme::LIGHT, Size::new(300.4, 200.0, 1.0));
        assert!(svg.starts_with(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"a &lt; b &amp; &quot;c&quot;: "
        ));
        assert!(svg.contains("width=\"300\" height=\"200\" viewBox=\"0 0 3000 2000\""));
        assert_eq!(svg.matches("<svg").count(), 1);
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
    }
}
