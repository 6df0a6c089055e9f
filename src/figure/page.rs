//! The surface of a picture, and the headings around its plot.

use super::frame::Rect;
use super::theme::Theme;
use super::{Axis, Size};

/// A surface with the size of its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Page {
    pub surface: Rect,
    /// The part of the surface that is not covered.
    pub free: Rect,
    /// Size of the type, in CSS pixels, smaller on small surfaces.
    pub text_px: f64,
}

/// The texts wanted around a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headings<'a> {
    pub title: Option<&'a str>,
    /// Words above the plot.
    pub words: Option<&'a str>,
    pub x: &'a Axis,
    pub y: &'a Axis,
    /// Number of rows for names of marks.
    pub n_flags: usize,
    /// Height of a key below the plot, in font sizes.
    pub key: f64,
}

impl Page {
    pub(super) fn new(theme: &Theme, size: Size) -> Self {
        let surface = Rect { left: 0.0, top: 0.0, width: size.width, height: size.height };
        let free = Rect { top: size.covered, height: size.height - size.covered, ..surface };
        Self { surface, free, text_px: type_size(theme, size) }
    }
}

/// The theme's type size, reduced to as little as four fifths of it on small surfaces.
fn type_size(theme: &Theme, size: Size) -> f64 {
    let roomy = (size.width / (40.0 * theme.text_px)).min(size.height / (24.0 * theme.text_px));
    theme.text_px * roomy.clamp(0.8, 1.0)
}
