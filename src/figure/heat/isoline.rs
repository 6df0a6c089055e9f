//! A contour laid out on the plot.

use super::cells::Cells;
use super::contour::Field;
use super::{Contour, HeatMap, Weight};
use crate::figure::Role;
use crate::figure::clip::{clipped_line, clipped_segment};
use crate::figure::frame::{Px, Rect};
use crate::figure::thin::thinned;

/// The lines of a contour inside the plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Isoline {
    pub lines: Vec<Vec<Px>>,
    pub role: Option<Role>,
    pub weight: Weight,
}

impl Isoline {
    /// Lays out a contour.
    pub(super) fn new(contour: &Contour, map: &HeatMap, cells: &Cells, plot: &Rect) -> Self {
        let found = Field::new(cells, contour.of.as_ref().unwrap_or(&map.values)).lines(contour.level);
        let lines = found.iter().flat_map(|line| clipped_line(plot, line)).map(|line| thinned(&line)).collect();
        Self { lines, role: contour.role, weight: contour.weight }
    }

    /// Whether a line passes through a rectangle.
    pub(super) fn crosses(&self, rect: &Rect) -> bool {
        let mut steps = self.lines.iter().flat_map(|line| line.windows(2));
        steps.any(|pair| clipped_segment(rect, pair[0], pair[1]).is_some())
    }
}
