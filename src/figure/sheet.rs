//! A picture with what is written above and below it: what a file has to say by itself, and a page says around its pictures.

use super::frame::Rect;
use super::heat::HeatMap;
use super::heat::layout::HeatLayout;
use super::layout::Layout;
use super::lines::{Anchor, Line};
use super::pen::{Drawn, Pen, TypeSetting};
use super::rows;
use super::text::{BOLD, broken, wrapped};
use super::theme::Theme;
use super::{Figure, Size};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

/// Sizes of title, words and small print, in sizes of the picture's type.
const TITLE: f64 = 1.35;
const WORDS: f64 = 0.95;
const SMALL: f64 = 0.8;
/// Distance of lines, in their size.
const LEADING: f64 = 1.35;
/// Space above and below everything, between picture and words, and between caption and small print, in sizes of the picture's
/// type. At the sides it is that of the picture.
const MARGIN: f64 = 1.0;
const GAP: f64 = 0.7;
const SMALL_GAP: f64 = 0.35;

/// What is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Curves.
    Curves(Figure),
    /// A map.
    Map(HeatMap),
}

/// A picture and the words around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// What the picture shows, in one bold line or two.
    pub title: String,
    /// Under the title: the settings.
    pub settings: String,
    /// The picture.
    pub picture: Picture,
    /// Beneath it: how it was made.
    pub caption: String,
    /// In small print: where it comes from. An address is broken wherever it has to be.
    pub source: Vec<String>,
}

/// What is under everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// The theme's.
    Opaque,
    /// None: the sheet lies on what is there.
    Clear,
}

/// The lines above and below a picture, and how high they are.
struct Words {
    above: Vec<Line>,
    below: Vec<Line>,
    heights: (f64, f64),
}

impl Sheet {
    /// The surface that it takes where its picture takes this one: as wide, and higher by the words.
    pub fn size(&self, theme: &Theme, picture: Size) -> Size {
        let (above, below) = Words::new(self, theme, picture).heights;
        let height = (above + picture.height + below).ceil();
        Size { subpixels: picture.subpixels, ..Size::new(picture.width, height, picture.pixel_ratio) }
    }
}

/// Draws a sheet over the whole of a surface of its [`Sheet::size`], as [`draw`](super::draw::draw) draws a figure. The size
/// given is that of its picture.
///
/// # Errors
/// Whatever the surface reports.
pub fn draw_sheet<B: DrawingBackend>(
    sheet: &Sheet,
    (theme, paper): (&Theme, Paper),
    picture: Size,
    area: &DrawingArea<B, Shift>,
) -> Drawn<B> {
    let size = sheet.size(theme, picture);
    Pen::new(area, size, TypeSetting::PLAIN).sheet(sheet, (theme, paper), size)
}

impl<B: DrawingBackend> Pen<B> {
    /// A sheet of this size, from the paper up.
    pub(super) fn sheet(self, sheet: &Sheet, (theme, paper): (&Theme, Paper), size: Size) -> Drawn<B> {
        let words = Words::new(sheet, theme, size);
        let surface = Rect { left: 0.0, top: 0.0, width: size.width, height: size.height };
        if paper == Paper::Opaque {
            self.rectangle(surface, theme.paper)?;
        }
        let (above, below) = words.heights;
        let room = Size { height: size.height - below, ..size }.covered(above);
        let pen = self.on_given_paper();
        match &sheet.picture {
            Picture::Curves(figure) => pen.figure(figure, &Layout::new(figure, theme, room), theme)?,
            Picture::Map(map) => pen.heat(&HeatLayout::new(map, theme, room), theme)?,
        }
        let foot = size.height - below;
        let lower = |line: &Line| Line { at: (line.at.0, line.at.1 + foot), ..line.clone() };
        words.above.iter().try_for_each(|line| pen.line(line))?;
        words.below.iter().try_for_each(|line| pen.line(&lower(line)))
    }
}

impl Words {
    /// Lines as wide as the surface; its height matters not.
    fn new(sheet: &Sheet, theme: &Theme, size: Size) -> Self {
        let t = theme.text_px;
        let left = rows::MARGIN * t;
        let room = (size.width - 2.0 * left).max(0.0);
        let mut above = Block { lines: Vec::new(), left, bottom: MARGIN * t };
        above.add(wrapped(&sheet.title, BOLD * TITLE * t, room), TITLE * t, true, theme.ink);
        above.add(wrapped(&sheet.settings, WORDS * t, room), WORDS * t, false, theme.quiet);
        let mut below = Block { lines: Vec::new(), left, bottom: GAP * t };
        below.add(wrapped(&sheet.caption, WORDS * t, room), WORDS * t, false, theme.ink);
        below.bottom += SMALL_GAP * t;
        for line in &sheet.source {
            below.add(broken(line, SMALL * t, room), SMALL * t, false, theme.quiet);
        }
        let heights = (above.bottom + GAP * t, below.bottom + MARGIN * t);
        Self { above: above.lines, below: below.lines, heights }
    }
}

/// Lines under each other.
struct Block {
    lines: Vec<Line>,
    left: f64,
    bottom: f64,
}

impl Block {
    fn add(&mut self, texts: Vec<String>, size: f64, bold: bool, color: RGBColor) {
        for text in texts {
            let at = (self.left, self.bottom + 0.5 * LEADING * size);
            self.lines.push(Line { text, at, anchor: Anchor::Start, size, bold, color });
            self.bottom += LEADING * size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::hostile::figure;
    use crate::figure::svg::{Strokes, sheet_svg};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    fn sheet() -> Sheet {
        let words = |n: usize| "words of some length ".repeat(n).trim_end().to_owned();
        let link = format!("https://example.org/?{}", "key=value&".repeat(40));
        let picture = Picture::Curves(figure(&mut ChaCha8Rng::seed_from_u64(3)));
        Sheet { title: words(2), settings: words(6), picture, caption: words(8), source: vec![words(1), link] }
    }

    #[test]
    fn every_word_is_on_the_sheet_and_none_on_another() {
        for theme in &Theme::ALL {
            for width in [960.0, 480.0] {
                let picture = Size::new(width, 500.0, 2.0);
                let (words, size) = (Words::new(&sheet(), theme, picture), sheet().size(theme, picture));
                let all = || words.above.iter().chain(&words.below);
                let said: String = all().map(|line| line.text.replace(' ', "")).collect();
                assert!(said.contains("lengthwords") && said.contains("&key=value&key"), "{}: {said}", theme.name);
                for line in all() {
                    let right = line.at.0 + crate::figure::text::width(&line.text, line.size, line.bold);
                    assert!(line.at.0 >= 0.0 && right <= width, "{}: {line:?}", theme.name);
                }
                let (above, below) = words.heights;
                assert!(size.height >= above + 500.0 + below && size.pixel_ratio > 1.9);
                for (lines, height) in [(&words.above, above), (&words.below, below)] {
                    let half = |line: &Line| 0.5 * line.size;
                    assert!(lines.windows(2).all(|pair| pair[1].at.1 - half(&pair[1]) > pair[0].at.1 + half(&pair[0])));
                    assert!(lines.iter().all(|line| line.at.1 > half(line) && line.at.1 + half(line) < height));
                }
            }
        }
    }

    #[test]
    fn without_paper_nothing_lies_under_the_picture() {
        let paper = |paper| {
            let svg = sheet_svg::<Strokes>(&sheet(), (&Theme::DARK, paper), Size::new(960.0, 640.0, 1.0), "");
            svg.lines().any(|line| line.starts_with("<rect x=\"0\" y=\"0\"") && line.contains("#14171A"))
        };
        assert!(paper(Paper::Opaque) && !paper(Paper::Clear));
    }
}
