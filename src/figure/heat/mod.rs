//! A quantity over two parameters: colored cells, contours, measured checks, and a key that says what the colors are.
//!
//! As a [`Figure`](super::Figure), a [`HeatMap`] is data; [`layout`] places it, for drawing and for the pointer alike, out of
//! `cells` (where a cell is, and its color), `contour` (lines of one value), `tags` (the words on the map) and `key`; [`draw`]
//! draws it on any surface.

pub mod draw;
pub mod layout;

mod cells;
mod contour;
#[cfg(test)]
pub(super) mod hostile;
mod isoline;
mod key;
mod ramp;
mod tags;

pub use ramp::Ramp;
pub(super) use ramp::Shade;

use super::{Axis, Role};

/// One map: everything a reader sees, nothing about how it looks.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// Heading above the plot; a page that has its own leaves it out, an exported file carries it.
    pub title: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Abscissas of the cells' centers, ascending, evenly spread along the axis.
    pub xs: Vec<f64>,
    /// Ordinates of the cells' centers, likewise.
    pub ys: Vec<f64>,
    /// One value a cell, row by row from the lowest ordinate up; NaN where it is not known (yet).
    pub values: Vec<f64>,
    /// What the values are, and so how they are colored.
    pub ramp: Ramp,
    /// What the colors mean, in words.
    pub key: Key,
    /// Lines of one value; the first are named first.
    pub contours: Vec<Contour>,
    /// Values measured here and there, for comparison with the cells.
    pub checks: Vec<Check>,
    /// Where the present settings are. On a page that has a handle over the map, none.
    pub handle: Option<(f64, f64)>,
    /// What to say above the plot; in place of the map when no value of it is known.
    pub words: Option<String>,
}

/// What the colors mean, in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The quantity.
    pub label: String,
    /// What its smallest values mean.
    pub low: String,
    /// What its largest values mean.
    pub high: String,
}

/// A line along which something has one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// The value.
    pub level: f64,
    /// The values of something else than the cells', at the same places and in the same order.
    pub of: Option<Vec<f64>>,
    /// The words on the line; none if empty.
    pub label: String,
    /// Whose line it is; ink if nobody's.
    pub role: Option<Role>,
    /// How much it stands out.
    pub weight: Weight,
}

/// How much a contour stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The one that the map is about: thick, its name in bold.
    Thick,
    /// One of several.
    Thin,
}

/// A measured value: a dot with the color of its value, which vanishes in the map where the two agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Abscissa.
    pub x: f64,
    /// Ordinate.
    pub y: f64,
    /// What was measured.
    pub value: f64,
}
