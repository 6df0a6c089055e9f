//! Looks of roles: the only place in Rust that owns the colors of charts.
//!
//! Hues are Okabe and Ito's, which people with the common color blindnesses can tell apart; lightness, dash and marker
//! repeat the distinction in greyscale. Every theme keeps text at a contrast of at least 4.5 and lines at 3 on its own
//! paper (WCAG 2.2, AA).

mod color;
#[cfg(test)]
mod eyes;
mod palette;
mod stroke;

use super::heat::{Ramp, Shade};
use super::{CurveKind, Role};
use color::{between, contrast, hex, rgb};
use palette::{DARK_HUES, DARK_RAMPS, Hues, LIGHT_HUES, LIGHT_RAMPS, Ramps};
use plotters::style::RGBColor;

pub use color::{Levels, is_dark};
pub use palette::Hue;
pub use stroke::{Dash, Marker};

/// The fonts of all labels: the reader's own.
pub const FONT: &str = "system-ui, sans-serif";

/// Colors and sizes of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Name of the theme, as in a setting.
    pub name: &'static str,
    /// Background.
    pub paper: RGBColor,
    /// Titles and words.
    pub ink: RGBColor,
    /// Axes and tick labels.
    pub quiet: RGBColor,
    /// Grid lines.
    pub hairline: RGBColor,
    /// Size of labels, in CSS pixels.
    pub text_px: f64,
    /// Width of a measured curve, in CSS pixels.
    pub stroke_px: f64,
    /// Opacity of a band, 0 to 1.
    pub band_opacity: f64,
    /// Color of diverging cells on a map, and of words on them.
    pub diverges: Hue,
    hues: Hues,
    ramps: Ramps,
}

impl Theme {
    /// Ink on white paper; the theme of print and of exported files.
    pub const LIGHT: Theme = Theme {
        name: "light",
        paper: RGBColor(0xFF, 0xFF, 0xFF),
        ink: RGBColor(0x1A, 0x1A, 0x1A),
        quiet: RGBColor(0x59, 0x59, 0x59),
        hairline: RGBColor(0xE4, 0xE4, 0xE1),
        text_px: 13.0,
        stroke_px: 2.0,
        band_opacity: 0.16,
        diverges: Hue { line: rgb(0x00_00_00), text: rgb(0xFF_FF_FF) },
        hues: LIGHT_HUES,
        ramps: LIGHT_RAMPS,
    };

    /// Light lines on dark paper; the hues are lightened until they read as well as on white paper.
    pub const DARK: Theme = Theme {
        name: "dark",
        paper: RGBColor(0x14, 0x17, 0x1A),
        ink: RGBColor(0xEC, 0xEA, 0xE5),
        quiet: RGBColor(0xA8, 0xAB, 0xAE),
        hairline: RGBColor(0x2B, 0x30, 0x35),
        text_px: 13.0,
        stroke_px: 2.0,
        band_opacity: 0.24,
        diverges: Hue { line: rgb(0x00_00_00), text: rgb(0xEC_EA_E5) },
        hues: DARK_HUES,
        ramps: DARK_RAMPS,
    };

    /// For the last row of a lecture hall: light paper, larger type, thicker lines, stronger greys.
    pub const PROJECTOR: Theme = Theme {
        name: "projector",
        ink: RGBColor(0x00, 0x00, 0x00),
        quiet: RGBColor(0x33, 0x33, 0x33),
        hairline: RGBColor(0xD2, 0xD2, 0xCE),
        text_px: 20.0,
        stroke_px: 3.5,
        band_opacity: 0.22,
        ..Theme::LIGHT
    };

    /// Every theme.
    pub const ALL: [Theme; 3] = [Theme::LIGHT, Theme::DARK, Theme::PROJECTOR];

    /// The theme for a system with forced colors: paper and ink are the system's, and so are all colors that would be
    /// hard to see on that paper. Other hues stay, together with their dashes, markers and names.
    #[must_use]
    pub fn forced(&self, paper: Levels, ink: Levels) -> Theme {
        let base = if is_dark(paper) { Theme::DARK } else { Theme::LIGHT };
        let color = |[red, green, blue]: Levels| RGBColor(red, green, blue);
        let (paper, ink) = (color(paper), color(ink));
        let hues = base.hues.map(|hue| {
            let line = if contrast(hue.line, paper) >= 3.0 { hue.line } else { ink };
            Hue { line, text: ink }
        });
        // Lines and words in ink also lie on the colors of maps.
        let bright = |stop: RGBColor| {
            let mut paler = (0..=20).map(|step| between(stop, paper, f64::from(step) / 20.0));
            paler.find(|color| contrast(*color, ink) >= 3.1).unwrap_or(paper)
        };
        Theme {
            paper,
            ink,
            quiet: ink,
            hairline: between(paper, ink, 0.3),
            text_px: self.text_px,
            stroke_px: self.stroke_px,
            hues,
            ramps: base.ramps.map(bright),
            ..base
        }
    }

    /// The colors of a role.
    pub const fn hue(&self, role: Role) -> Hue {
        self.hues[role.index()]
    }

    /// The color of a shade on a map.
    pub(super) fn shade(&self, ramp: Ramp, shade: Shade) -> RGBColor {
        match shade {
            Shade::Unknown => self.paper,
            Shade::Diverges => self.diverges.line,
            Shade::Step(step) => self.ramps.color(ramp, Shade::middle(step)),
        }
    }

    /// Width of a curve of this kind, in CSS pixels.
    pub const fn curve_px(&self, kind: CurveKind) -> f64 {
        match kind {
            CurveKind::Measured | CurveKind::Points => self.stroke_px,
            CurveKind::Predicted | CurveKind::Pinned | CurveKind::Beside => 0.5 * self.stroke_px,
            CurveKind::PredictedBeside => 0.4 * self.stroke_px,
        }
    }

    /// Width of a level's line, in CSS pixels.
    pub const fn level_px(&self) -> f64 {
        0.7 * self.stroke_px
    }

    /// The colors and the opacity of bands as CSS custom properties; style sheets must match them:
    /// `("--role-fedlin", "#0072b2")` and so on.
    pub fn css_tokens(&self) -> Vec<(String, String)> {
        let surface =
            [("--paper", self.paper), ("--ink", self.ink), ("--ink-quiet", self.quiet), ("--hairline", self.hairline)];
        let surface = surface.map(|(name, color)| (name.to_owned(), color));
        let roles = Role::ALL.into_iter().flat_map(|role| {
            let (word, hue) = (role.word(), self.hue(role));
            [(format!("--role-{word}"), hue.line), (format!("--role-{word}-text"), hue.text)]
        });
        let band = ("--band".to_owned(), self.band_opacity.to_string());
        surface.into_iter().chain(roles).map(|(name, color)| (name, hex(color))).chain([band]).collect()
    }
}

#[cfg(test)]
mod tests;
