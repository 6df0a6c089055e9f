//! Maps: a quantity over two parameters, as colored cells with contours, measured checks, and a key that explains the
//! colors.
//!
//! Like a [`Figure`](super::Figure), a [`HeatMap`] is data; [`layout`] places it, for drawing and for the pointer, with
//! the help of `cells` (places and colors of the cells), `contour` (lines of one value), `tags` (the words on the map)
//! and `key`; [`draw`] draws it on any surface.

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
    /// Heading above the plot; exported files carry it, and pages with a heading of their own leave it out.
    pub title: Option<String>,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Abscissas of the cells' centers, ascending, evenly spread along the axis.
    pub xs: Vec<f64>,
    /// Ordinates of the cells' centers, likewise.
    pub ys: Vec<f64>,
    /// One value for each cell, row by row from the lowest ordinate up; NaN where it is not known (yet).
    pub values: Vec<f64>,
    /// The kind of the values, which decides how they are colored.
    pub ramp: Ramp,
    /// The meaning of the colors in words.
    pub key: Key,
    /// Lines of one value; the names of the first ones are placed first.
    pub contours: Vec<Contour>,
    /// Values measured at a few places, for comparison with the cells.
    pub checks: Vec<Check>,
    /// The place of the current settings; `None` on a page that has a handle over the map.
    pub handle: Option<(f64, f64)>,
    /// Words above the plot; in place of the map if none of its values is known.
    pub words: Option<String>,
}

/// The meaning of the colors in words.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The quantity.
    pub label: String,
    /// The meaning of its smallest values.
    pub low: String,
    /// The meaning of its largest values.
    pub high: String,
}

/// A line along which a quantity has one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Contour {
    /// The value.
    pub level: f64,
    /// The values of the quantity if it is not that of the cells, at the same places and in the same order.
    pub of: Option<Vec<f64>>,
    /// The words on the line; no words if empty.
    pub label: String,
    /// The role of the line; drawn in ink if there is none.
    pub role: Option<Role>,
    /// How much it stands out.
    pub weight: Weight,
}

/// How much a contour stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The main contour of the map: thick, its name in bold.
    Thick,
    /// One of several contours.
    Thin,
}

/// A measured value: a dot in the color of the value, which vanishes where the map agrees with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    /// Abscissa.
    pub x: f64,
    /// Ordinate.
    pub y: f64,
    /// The measured value.
    pub value: f64,
}
