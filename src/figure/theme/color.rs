//! Colors: notation, luminance, contrast and mixtures.

use plotters::style::RGBColor;

/// Red, green and blue.
pub type Levels = [u8; 3];

/// Whether light words are easier to read on a paper than dark ones.
pub fn is_dark([red, green, blue]: Levels) -> bool {
    let paper = RGBColor(red, green, blue);
    contrast(paper, RGBColor(0xFF, 0xFF, 0xFF)) > contrast(paper, RGBColor(0, 0, 0))
}

/// The linear light of an sRGB channel, 0 to 1.
pub(super) fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
pub(super) fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// The contrast of two colors, 1 to 21 (WCAG 2.2).
pub(super) fn contrast(a: RGBColor, b: RGBColor) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    (a / b).max(b / a)
}

/// The color at a share (0 to 1) of the way from one color to another.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
pub(super) fn between(a: RGBColor, b: RGBColor, share: f64) -> RGBColor {
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// The color `0xRRGGBB`.
pub(super) const fn rgb(color: u32) -> RGBColor {
    let [_, red, green, blue] = color.to_be_bytes();
    RGBColor(red, green, blue)
}

/// `#rrggbb`, lower case, as style sheets write it.
pub(super) fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_agrees_with_the_standard() {
        assert!((contrast(RGBColor(0, 0, 0), RGBColor(255, 255, 255)) - 21.0).abs() < 1e-12);
        assert!((contrast(RGBColor(0x76, 0x76, 0x76), RGBColor(255, 255, 255)) - 4.54).abs() < 0.005);
    }
}
