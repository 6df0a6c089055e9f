//! A picture with words above and below it: what a page says around its pictures, an exported file must say itself.

use super::frame::Rect;
use super::heat::HeatMap;
use super::heat::layout::HeatLayout;
use super::layout::Layout;
use super::lines::{Anchor, Line};
use super::pen::{DrawResult, Pen, TypeSetting};
use super::rows;
use super::text::{BOLD, broken, wrapped};
use super::theme::Theme;
use super::{Figure, Size};
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::DrawingBackend;
use plotters::style::RGBColor;

/// Sizes of title, words and small print, relative to the picture's type.
const TITLE: f64 = 1.35;
const WORDS: f64 = 0.95;
const SMALL: f64 = 0.8;
/// Distance between lines, relative to their size.
const LEADING: f64 = 1.35;
/// Space above and below everything, between picture and words, and between caption and small print, relative to the
/// picture's type. The side margins are those of the picture.
const MARGIN: f64 = 1.0;
const GAP: f64 = 0.7;
const SMALL_GAP: f64 = 0.35;

/// The picture of a sheet.
#[derive(Clone, Debug, PartialEq)]
pub enum Picture {
    /// Curves.
    Curves(Figure),
    /// A map.
    Map(HeatMap),
}

/// A picture with words around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// What the picture shows, in one bold line or two.
    pub title: String,
    /// Under the title: the settings.
    pub settings: String,
    /// The picture.
    pub picture: Picture,
    /// Below the picture: how it was made.
    pub caption: String,
    /// Small print: the picture's source. Addresses may be broken anywhere.
    pub source: Vec<String>,
}

/// The background of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// The theme's paper.
    Opaque,
    /// No paper: the sheet lies on an existing background.
    Clear,
}

/// The lines above and below a picture, and their heights in CSS pixels.
struct Words {
    above: Vec<Line>,
    below: Vec<Line>,
    heights: (f64, f64),
}

impl Sheet {
    /// The size of the sheet for a picture of the given size: as wide, and higher by the words.
    pub fn size(&self, theme: &Theme, picture: Size) -> Size {
        let (above, below) = Words::new(self, theme, picture).heights;
        let height = (above + picture.height + below).ceil();
        Size { subpixels: picture.subpixels, ..Size::new(picture.width, height, picture.pixel_ratio) }
    }
}

/// Draws a sheet over the whole of a surface of its [`Sheet::size`], as [`draw`](super::draw::draw) draws a figure.
/// `picture` is the size of its picture.
///
/// # Errors
/// The error of the surface.
pub fn draw_sheet<B: DrawingBackend>(
    sheet: &Sheet,
    (theme, paper): (&Theme, Paper),
    picture: Size,
    area: &DrawingArea<B, Shift>,
) -> DrawResult<B> {
    let size = sheet.size(theme, picture);
    Pen::new(area, size, TypeSetting::PLAIN).sheet(sheet, (theme, paper), size)
}

impl<B: DrawingBackend> Pen<B> {
    /// Draws a sheet with a picture of this size, from the paper up.
    pub(super) fn sheet(self, sheet: &Sheet, (theme, paper): (&Theme, Paper), size: Size) -> DrawResult<B> {
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
    /// The words in lines as wide as the surface; its height does not matter.
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

/// Lines one below the other.
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
