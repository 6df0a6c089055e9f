//! Converts between data and pixels.

use super::{Axis, Point, Scale, axis};

/// A place in CSS pixels, from the upper left corner.
pub type Px = (f64, f64);

/// How far outside the plot a point may lie, in lengths of the axis; points farther away are moved to this distance.
const FARTHEST: f64 = 50.0;

/// A rectangle in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width, zero or more.
    pub width: f64,
    /// Height, zero or more.
    pub height: f64,
}

impl Rect {
    /// Right edge.
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Lower edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Whether a place is inside or on the edge; false for NaN.
    pub fn contains(&self, (x, y): Px) -> bool {
        (self.left..=self.right()).contains(&x) && (self.top..=self.bottom()).contains(&y)
    }

    /// The abscissa inside the rectangle nearest to `x`.
    pub(super) fn nearest_x(&self, x: f64) -> f64 {
        x.max(self.left).min(self.right())
    }

    /// Whether this rectangle lies wholly inside another one.
    pub(super) fn is_in(&self, other: &Rect) -> bool {
        other.contains((self.left, self.top)) && other.contains((self.right(), self.bottom()))
    }

    /// Whether the two rectangles share more than an edge.
    pub(super) fn meets(&self, other: &Rect) -> bool {
        let across = self.left < other.right() && other.left < self.right();
        across && self.top < other.bottom() && other.top < self.bottom()
    }

    /// The place inside the rectangle nearest to the given one.
    pub(super) fn nearest(&self, (x, y): Px) -> Px {
        (x.max(self.left).min(self.right()), y.max(self.top).min(self.bottom()))
    }
}

/// The plot and the axes along its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Where curves are drawn.
    pub plot: Rect,
    x: Side,
    y: Side,
}

/// One axis: the lengths along it, and the pixels, at its two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    scale: Scale,
    lengths: (f64, f64),
    pixels: (f64, f64),
}

impl Frame {
    /// The plot with these axes along its lower and left edge.
    pub(super) fn new(plot: Rect, x: &Axis, y: &Axis) -> Self {
        Self { plot, x: Side::new(x, (plot.left, plot.right())), y: Side::new(y, (plot.bottom(), plot.top)) }
    }

    /// The place of a point. NaN for values that an axis cannot show; points far outside are moved nearer but stay
    /// outside.
    pub fn px_of(&self, point: Point) -> Px {
        (self.x.px(point.x), self.y.px(point.y))
    }

    /// The abscissa at a pixel.
    pub fn x_at(&self, px: f64) -> f64 {
        self.x.value(px)
    }

    /// The ordinate at a pixel.
    pub fn y_at(&self, px: f64) -> f64 {
        self.y.value(px)
    }

    /// The place of an abscissa, in pixels from the left.
    pub(super) fn place_of(&self, value: f64) -> f64 {
        self.x.px(value)
    }

    /// The height of an ordinate, in pixels from the top.
    pub(super) fn height_of(&self, value: f64) -> f64 {
        self.y.px(value)
    }

    /// The height of a lower bound: values that a log axis cannot show go to the bottom of the plot.
    pub(super) fn floor_of(&self, low: f64) -> f64 {
        let y = self.height_of(low);
        if y.is_nan() { self.plot.bottom() } else { y }
    }
}

impl Side {
    fn new(axis: &Axis, pixels: (f64, f64)) -> Self {
        let (low, high) = axis::usable(axis.scale, axis.range);
        Self { scale: axis.scale, lengths: (axis.scale.forward(low), axis.scale.forward(high)), pixels }
    }

    fn px(&self, value: f64) -> f64 {
        let t = (self.scale.forward(value) - self.lengths.0) / (self.lengths.1 - self.lengths.0);
        self.pixels.0 + t.clamp(-FARTHEST, FARTHEST) * (self.pixels.1 - self.pixels.0)
    }

    fn value(&self, px: f64) -> f64 {
        let extent = self.pixels.1 - self.pixels.0;
        let t = if extent == 0.0 { 0.0 } else { (px - self.pixels.0) / extent };
        self.scale.backward(self.lengths.0 + t * (self.lengths.1 - self.lengths.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let axis = |range, scale| Axis { label: String::new(), range, scale, whole: false };
        let plot = Rect { left: 50.0, top: 10.0, width: 400.0, height: 200.0 };
        Frame::new(plot, &axis((0.0, 200.0), Scale::Linear), &axis((0.01, 1.0), Scale::Log10))
    }

    #[track_caller]
    fn check(point: (f64, f64), expected: Px) {
        let (x, y) = frame().px_of(Point { x: point.0, y: point.1 });
        let same = |a: f64, b: f64| (a - b).abs() < 1e-9 || (a.is_nan() && b.is_nan());
        assert!(same(x, expected.0) && same(y, expected.1), "{point:?} → {:?}, expected {expected:?}", (x, y));
    }

    #[test]
    fn data_to_pixels() {
        check((0.0, 0.01), (50.0, 210.0));
        check((200.0, 1.0), (450.0, 10.0));
        check((100.0, 0.1), (250.0, 110.0));
        check((f64::NAN, 0.0), (f64::NAN, f64::NAN));
        check((50.0, -1.0), (150.0, f64::NAN));
        check((50.0, f64::INFINITY), (150.0, 210.0 - 50.0 * 200.0));
        check((50.0, 1e300), (150.0, 210.0 - 50.0 * 200.0));
    }

    #[test]
    fn pixels_to_data_and_back() {
        let frame = frame();
        for (x, y) in [(0.0, 0.5), (37.5, 0.02), (200.0, 1.0)] {
            let px = frame.px_of(Point { x, y });
            assert!((frame.x_at(px.0) - x).abs() < 1e-9);
            assert!((frame.y_at(px.1) / y - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn an_empty_plot_still_answers() {
        let axis = Axis { label: String::new(), range: (f64::NAN, 0.0), scale: Scale::Log10, whole: false };
        let empty = Frame::new(Rect { left: 3.0, top: 4.0, width: 0.0, height: 0.0 }, &axis, &axis);
        assert!((empty.x_at(7.0) - 0.1).abs() < 1e-12);
        assert_eq!(empty.px_of(Point { x: 5.0, y: 5.0 }), (3.0, 4.0));
    }
}
