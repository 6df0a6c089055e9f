//! What is under the pointer, or under the arrow keys.

use super::frame::Px;
use super::layout::Layout;
use super::{Band, Figure, Point};

/// Every curve read at one recorded abscissa.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosshair {
    /// The abscissa, recorded by at least one curve.
    pub x: f64,
    /// Where it is, in CSS pixels from the left.
    pub px: f64,
    /// One reading a curve that has recorded something there, in the order of the curves.
    pub readings: Vec<Reading>,
}

/// A curve's value at the crosshair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// The index of the curve in [`Figure::curves`].
    pub curve: usize,
    /// What it has recorded; may be NaN or infinite, which is worth saying.
    pub point: Point,
    /// Its band there, if it has one.
    pub band: Option<Band>,
    /// Where to set a dot, in CSS pixels; `None` where the value is outside the plot.
    pub at: Option<Px>,
}

impl Layout {
    /// The crosshair at the recorded abscissa nearest to a horizontal position, in CSS pixels from the left. `None`
    /// if no curve has recorded anything within the axis.
    pub fn crosshair(&self, figure: &Figure, px: f64) -> Option<Crosshair> {
        let (left, right) = (self.frame.plot.left - 0.5, self.frame.plot.right() + 0.5);
        let points = figure.curves.iter().flat_map(|curve| &curve.points);
        let places =
            points.map(|&point| (point.x, self.frame.px_of(point).0)).filter(|&(_, at)| left <= at && at <= right);
        let (x, px) = places.min_by(|a, b| (a.1 - px).abs().total_cmp(&(b.1 - px).abs()))?;
        let readings = figure.curves.iter().enumerate().filter_map(|(idx, _)| self.reading(figure, idx, x)).collect();
        Some(Crosshair { x, px, readings })
    }

    /// The crosshair one recorded abscissa further, or as many back as `steps` is negative; stops at the ends.
    pub fn crosshair_beside(&self, figure: &Figure, x: f64, steps: isize) -> Option<Crosshair> {
        let mut places: Vec<f64> = figure.curves.iter().flat_map(|curve| curve.points.iter().map(|p| p.x)).collect();
        places.retain(|x| x.is_finite());
        places.sort_by(f64::total_cmp);
        places.dedup();
        let here = places.partition_point(|&place| place < x);
        let there = here.saturating_add_signed(steps).min(places.len().checked_sub(1)?);
        self.crosshair(figure, self.frame.px_of(Point { x: *places.get(there)?, y: f64::NAN }).0)
    }

    fn reading(&self, figure: &Figure, idx: usize, x: f64) -> Option<Reading> {
        let curve = figure.curves.get(idx)?;
        let same = |other: f64| other.total_cmp(&x).is_eq();
        let point = *curve.points.iter().find(|point| same(point.x))?;
        let band = curve.band.iter().copied().find(|band| same(band.x));
        let at = self.frame.px_of(point);
        Some(Reading { curve: idx, point, band, at: self.frame.plot.contains(at).then_some(at) })
    }
}
