//! Units of the strips, which are drawn as SVG paths; the page stretches them to their place.

/// Width and height of a strip.
pub const EXTENT: (i32, i32) = (1_000, 1_000);

/// A position in whole units, which keeps paths short.
#[expect(clippy::cast_possible_truncation, reason = "within the extent")]
pub fn whole(place: f64) -> i32 {
    place.round() as i32
}
