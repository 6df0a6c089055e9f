//! What a role looks like: the one place in Rust that owns the colors of charts.
//!
//! Hues are Okabe and Ito's, which survive the common color blindnesses; lightness, dash and marker say the same again, for
//! greyscale. Every theme keeps text at a contrast of at least 4.5 and lines at 3 on its own paper (WCAG 2.2, AA).

use super::heat::{Ramp, Shade};
use super::{CurveKind, Role, Step};
use plotters::style::RGBColor;

/// The fonts of every label: the reader's own.
pub const FONT: &str = "system-ui, sans-serif";

/// Colors and sizes of a chart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Name, as a setting knows it.
    pub name: &'static str,
    /// Background.
    pub paper: RGBColor,
    /// Titles and words.
    pub ink: RGBColor,
    /// Numbers along the axes, the axes themselves.
    pub quiet: RGBColor,
    /// Grid lines.
    pub hairline: RGBColor,
    /// Size of labels, in CSS pixels.
    pub text_px: f64,
    /// Width of a measured curve, in CSS pixels.
    pub stroke_px: f64,
    /// Opacity of a band, 0 to 1.
    pub band_opacity: f64,
    /// What diverges on a map, and words on it.
    pub diverges: Hue,
    hues: Hues,
    ramps: Ramps,
}

/// The colors of maps, equal steps apart; between two, colors are mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ramps {
    diverging: [RGBColor; STOPS],
    contraction: [RGBColor; STOPS],
}

/// How many colors of a ramp are given.
const STOPS: usize = 9;

/// The two colors of a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hue {
    /// For lines and areas.
    pub line: RGBColor,
    /// For words on paper, which need more contrast than a line.
    pub text: RGBColor,
}

/// One hue a role, in the order of [`Role::ALL`].
type Hues = [Hue; Role::ALL.len()];

/// A stroke of `on` CSS pixels after each gap of `off`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dash {
    /// Length of a stroke, in CSS pixels.
    pub on: f64,
    /// Length of a gap, in CSS pixels.
    pub off: f64,
}

/// The sign set on a curve here and there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc, filled on a run.
    Disc,
    /// A diamond, filled with paper on a run.
    Diamond,
    /// A triangle, filled on a run.
    Triangle,
    /// A square, filled with paper on a run.
    Square,
}

const LIGHT_HUES: Hues = [
    Hue::same(0x00_72_B2),
    Hue { line: rgb(0xD5_5E_00), text: rgb(0xB3_4F_00) },
    Hue { line: rgb(0xA8_74_00), text: rgb(0x8A_5F_00) },
    Hue { line: rgb(0x00_9E_73), text: rgb(0x00_7A_58) },
    Hue { line: rgb(0xC4_6A_9C), text: rgb(0xA3_4F_80) },
    Hue::same(0x7B_4F_B5),
    Hue::same(0xA8_2A_3E),
    Hue::same(0x6B_6B_6B),
    Hue::same(0x1A_1A_1A),
    Hue::same(0x4D_4D_4D),
    Hue::same(0x3A_3A_3A),
    Hue::same(0x70_70_70),
    Hue { line: rgb(0x2E_95_CF), text: rgb(0x1F_75_A8) },
    Hue { line: rgb(0xC0_65_9A), text: rgb(0xA3_4F_80) },
    Hue { line: rgb(0xB8_7F_00), text: rgb(0x8A_5F_00) },
    Hue { line: rgb(0x00_9E_73), text: rgb(0x00_7A_58) },
    // A sweep: from green to violet, each step a quarter darker.
    Hue { line: rgb(0x1B_A6_7A), text: rgb(0x06_85_60) },
    Hue { line: rgb(0x01_93_86), text: rgb(0x09_83_77) },
    Hue::same(0x0A_81_89),
    Hue::same(0x07_6F_88),
    Hue::same(0x02_5E_8A),
    Hue::same(0x13_4A_91),
    Hue::same(0x30_35_84),
    Hue::same(0x3B_1F_6F),
    Hue::same(0x3A_02_52),
];

const DARK_HUES: Hues = [
    Hue { line: rgb(0x3D_93_CF), text: rgb(0x5A_A9_E0) },
    Hue::same(0xF5_99_5C),
    Hue::same(0xD9_A9_3A),
    Hue::same(0x2F_C0_8F),
    Hue::same(0xE3_9A_C2),
    Hue { line: rgb(0x9A_6F_D8), text: rgb(0xB0_8A_E0) },
    Hue { line: rgb(0xDC_5A_6E), text: rgb(0xF0_7F_8F) },
    Hue::same(0x9A_9D_A1),
    Hue::same(0xEC_EA_E5),
    Hue::same(0xC0_BF_BB),
    Hue::same(0xD2_D0_CC),
    Hue::same(0x8D_90_94),
    Hue::same(0x56_B4_E9),
    Hue::same(0xE3_9A_C2),
    Hue::same(0xE6_A9_3A),
    Hue::same(0x2F_C0_8F),
    // A sweep: the same hues, each step a fifth lighter.
    Hue { line: rgb(0x00_74_53), text: rgb(0x09_93_6A) },
    Hue { line: rgb(0x08_80_74), text: rgb(0x07_92_84) },
    Hue { line: rgb(0x0A_8D_94), text: rgb(0x06_90_97) },
    Hue::same(0x0A_9A_BA),
    Hue::same(0x3B_A5_E2),
    Hue::same(0x76_AF_FE),
    Hue::same(0xAC_BA_FE),
    Hue::same(0xD3_C9_FE),
    Hue::same(0xF1_DC_FF),
];

/// Ink on any of these has a contrast of 4.5; both halves of the diverging one are equally light.
const LIGHT_RAMPS: Ramps = Ramps {
    diverging: [
        rgb(0x34_88_D0),
        rgb(0x64_A4_DF),
        rgb(0x91_BF_ED),
        rgb(0xBD_DB_F8),
        rgb(0xF5_F5_F3),
        rgb(0xF6_D0_BB),
        rgb(0xE9_AE_8E),
        rgb(0xD8_8D_62),
        rgb(0xC6_6C_33),
    ],
    contraction: [
        rgb(0xEA_F7_EB),
        rgb(0xD6_EA_DA),
        rgb(0xC0_DE_CA),
        rgb(0xAB_D1_BA),
        rgb(0x95_C5_AB),
        rgb(0x7E_B8_9D),
        rgb(0x66_AC_90),
        rgb(0x4A_A0_84),
        rgb(0x26_94_78),
    ],
};

/// No difference is nearest to paper, as on white.
const DARK_RAMPS: Ramps = Ramps {
    diverging: [
        rgb(0x26_6C_A6),
        rgb(0x28_5C_8A),
        rgb(0x29_4D_6D),
        rgb(0x29_3E_51),
        rgb(0x2F_2E_2D),
        rgb(0x50_36_28),
        rgb(0x6A_40_27),
        rgb(0x84_4A_27),
        rgb(0x9F_54_25),
    ],
    contraction: [
        rgb(0x21_76_50),
        rgb(0x1B_6E_4F),
        rgb(0x17_65_4D),
        rgb(0x15_5D_4B),
        rgb(0x14_55_47),
        rgb(0x15_4D_43),
        rgb(0x16_45_3E),
        rgb(0x17_3D_39),
        rgb(0x19_35_33),
    ],
};

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

    /// Light on ink; the hues are lifted until they read as well as on paper.
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

    /// Light, for the last row of a lecture hall: larger type, thicker lines, stronger greys.
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

    /// For a reader whose system has colors of its own: paper and ink are the system's, and so is all that would be hard to
    /// see on that paper. What else has a hue keeps it, beside its dash, its marker and its name.
    #[must_use]
    pub fn forced(&self, paper: Levels, ink: Levels) -> Theme {
        let base = if is_dark(paper) { Theme::DARK } else { Theme::LIGHT };
        let color = |[red, green, blue]: Levels| RGBColor(red, green, blue);
        let (paper, ink) = (color(paper), color(ink));
        let hues = base.hues.map(|hue| {
            let line = if contrast(hue.line, paper) >= 3.0 { hue.line } else { ink };
            Hue { line, text: ink }
        });
        // Lines and words in ink lie on a map's colors too.
        let bright = |stop: RGBColor| {
            let mut paler = (0..=20).map(|step| between(stop, paper, f64::from(step) / 20.0));
            paler.find(|color| contrast(*color, ink) >= 3.1).unwrap_or(paper)
        };
        let ramps =
            Ramps { diverging: base.ramps.diverging.map(bright), contraction: base.ramps.contraction.map(bright) };
        Theme {
            name: base.name,
            ramps,
            paper,
            ink,
            quiet: ink,
            hairline: between(paper, ink, 0.3),
            text_px: self.text_px,
            stroke_px: self.stroke_px,
            band_opacity: base.band_opacity,
            hues,
            ..base
        }
    }

    /// The colors of a role.
    pub const fn hue(&self, role: Role) -> Hue {
        self.hues[role.index()]
    }

    /// The color of a shade on a map.
    pub(super) fn shade(&self, ramp: Ramp, shade: Shade) -> RGBColor {
        let stops = match ramp {
            Ramp::Diverging { .. } => &self.ramps.diverging,
            Ramp::Contraction => &self.ramps.contraction,
        };
        match shade {
            Shade::Unknown => self.paper,
            Shade::Diverges => self.diverges.line,
            Shade::Step(step) => mixed(stops, Shade::middle(step)),
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

    /// The colors as CSS custom properties, for a style sheet to agree with: `("--role-fedlin", "#0072b2")` and so on.
    pub fn css_tokens(&self) -> Vec<(String, String)> {
        let surface =
            [("--paper", self.paper), ("--ink", self.ink), ("--ink-quiet", self.quiet), ("--hairline", self.hairline)];
        let surface = surface.map(|(name, color)| (name.to_owned(), color));
        let roles = Role::ALL.into_iter().flat_map(|role| {
            let (word, hue) = (role.word(), self.hue(role));
            [(format!("--role-{word}"), hue.line), (format!("--role-{word}-text"), hue.text)]
        });
        surface.into_iter().chain(roles).map(|(name, color)| (name, hex(color))).collect()
    }
}

/// Red, green and blue.
pub type Levels = [u8; 3];

/// Whether light words read better on a paper than dark ones.
pub fn is_dark([red, green, blue]: Levels) -> bool {
    let paper = RGBColor(red, green, blue);
    contrast(paper, RGBColor(0xFF, 0xFF, 0xFF)) > contrast(paper, RGBColor(0, 0, 0))
}

/// The light of a channel, 0 to 1.
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// Relative luminance, 0 to 1 (WCAG 2.2).
fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// The contrast of two colors, 1 to 21 (WCAG 2.2).
fn contrast(a: RGBColor, b: RGBColor) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    (a / b).max(b / a)
}

/// The color at a place between the first stop, 0, and the last, 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
fn mixed(stops: &[RGBColor; STOPS], place: f64) -> RGBColor {
    let at = place.clamp(0.0, 1.0) * (STOPS - 1) as f64;
    let below = (at as usize).min(STOPS - 2);
    between(stops[below], stops[below + 1], at - below as f64)
}

/// So much of the way from one color to another.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
fn between(a: RGBColor, b: RGBColor, share: f64) -> RGBColor {
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

impl Hue {
    const fn same(color: u32) -> Self {
        Self { line: rgb(color), text: rgb(color) }
    }
}

/// The color `0xRRGGBB`.
const fn rgb(color: u32) -> RGBColor {
    let [_, red, green, blue] = color.to_be_bytes();
    RGBColor(red, green, blue)
}

impl Role {
    /// The dash of a line of this role, `None` where it is solid. Runs are solid, references are broken.
    pub const fn dash(self) -> Option<Dash> {
        match self {
            Role::FedLin
            | Role::FedAvg
            | Role::FedProx
            | Role::Scaffold
            | Role::FedAdmm
            | Role::Clustered
            | Role::Median
            | Role::Noise
            | Role::Heterogeneity
            | Role::Drift
            | Role::Transient
            | Role::Swept(_) => None,
            Role::ClientAlone => Some(Dash { on: 6.0, off: 5.0 }),
            Role::Pooled => Some(Dash { on: 1.5, off: 4.0 }),
            Role::MeanOfLocals => Some(Dash { on: 16.0, off: 4.0 }),
            Role::Weighted => Some(Dash { on: 10.0, off: 3.0 }),
            Role::Personalized => Some(Dash { on: 3.0, off: 3.0 }),
        }
    }

    /// The marker on a measured curve of this role. Two that share one are far apart in lightness.
    pub const fn marker(self) -> Marker {
        match self {
            Role::FedLin | Role::FedAdmm | Role::ClientAlone | Role::Pooled | Role::Noise => Marker::Disc,
            Role::FedAvg
            | Role::Clustered
            | Role::MeanOfLocals
            | Role::Weighted
            | Role::Personalized
            | Role::Heterogeneity => Marker::Diamond,
            Role::FedProx | Role::Median | Role::Drift => Marker::Triangle,
            Role::Scaffold | Role::Transient => Marker::Square,
            Role::Swept(step) => SWEPT_MARKERS[step.index()],
        }
    }
}

/// Chosen so that neighbors differ, however many of the nine steps a sweep uses.
const SWEPT_MARKERS: [Marker; Step::COUNT] = [
    Marker::Disc,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Square,
    Marker::Diamond,
    Marker::Triangle,
    Marker::Disc,
    Marker::Diamond,
    Marker::Square,
];

impl Marker {
    /// Whether a run's markers of this shape are filled with paper.
    pub const fn is_open(self) -> bool {
        match self {
            Marker::Disc | Marker::Triangle => false,
            Marker::Diamond | Marker::Square => true,
        }
    }

    /// From its middle to its farthest point, in strokes; and how much of that a rim of one stroke takes.
    pub(super) const fn reach(self) -> (f64, f64) {
        match self {
            Marker::Disc => (1.7, 1.0),
            Marker::Diamond => (2.4, 1.1),
            Marker::Triangle => (2.5, 1.9),
            Marker::Square => (2.2, 1.3),
        }
    }
}

impl CurveKind {
    /// The dash of a curve of this kind and role, the `repeat`-th (from 0) of the kind and role in its figure: two runs
    /// of one algorithm share a color, not a stroke.
    pub const fn dash(self, role: Role, repeat: usize) -> Option<Dash> {
        match (self, repeat % 3) {
            (CurveKind::Predicted, _) => Some(Dash { on: 12.0, off: 5.0 }),
            (CurveKind::PredictedBeside, _) => Some(Dash { on: 2.5, off: 3.5 }),
            (CurveKind::Measured | CurveKind::Pinned, 1) => Some(Dash { on: 9.0, off: 3.0 }),
            (CurveKind::Measured | CurveKind::Pinned, 2) => Some(Dash { on: 4.0, off: 3.0 }),
            (CurveKind::Measured | CurveKind::Pinned, _) => role.dash(),
            (CurveKind::Points | CurveKind::Beside, _) => None,
        }
    }
}

/// `#rrggbb`, lower case, as style sheets write it.
fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_contrast(theme: &Theme, what: &str, color: RGBColor, least: f64) {
        let found = contrast(color, theme.paper);
        assert!(found >= least, "{}: {what} {} has contrast {found:.2} < {least}", theme.name, hex(color));
    }

    #[test]
    fn contrast_agrees_with_the_standard() {
        assert!((contrast(RGBColor(0, 0, 0), RGBColor(255, 255, 255)) - 21.0).abs() < 1e-12);
        assert!((contrast(RGBColor(0x76, 0x76, 0x76), RGBColor(255, 255, 255)) - 4.54).abs() < 0.005);
    }

    #[test]
    fn whatever_colors_a_system_forces_everything_stands_out_from_its_paper() {
        // The palettes that desktops come with.
        for (paper, ink) in [
            ([0, 0, 0], [0xFF, 0xFF, 0xFF]),
            ([0xFF, 0xFF, 0xFF], [0, 0, 0]),
            ([0x20, 0x20, 0x20], [0xFF, 0xFF, 0xFF]),
            ([0xFF, 0xFA, 0xEF], [0x3D, 0x3D, 0x3D]),
            ([0, 0, 0], [0xFF, 0xFF, 0]),
            ([0x2D, 0x32, 0x36], [0xFF, 0xFF, 0xFF]),
        ] {
            for base in &Theme::ALL {
                let theme = base.forced(paper, ink);
                assert_eq!((theme.text_px, theme.stroke_px), (base.text_px, base.stroke_px));
                check_contrast(&theme, "ink", theme.ink, 7.0);
                for role in Role::ALL {
                    check_contrast(&theme, role.word(), theme.hue(role).line, 3.0);
                    check_contrast(&theme, role.word(), theme.hue(role).text, 7.0);
                }
                for step in [0, 31, 63] {
                    for ramp in [Ramp::Diverging { reach: 2.0 }, Ramp::Contraction] {
                        let shade = theme.shade(ramp, Shade::Step(step));
                        assert!(contrast(shade, theme.ink) >= 3.0, "{paper:?} {ramp:?} {step}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_theme_is_legible() {
        for theme in &Theme::ALL {
            check_contrast(theme, "ink", theme.ink, 7.0);
            check_contrast(theme, "quiet", theme.quiet, 4.5);
            for role in Role::ALL {
                check_contrast(theme, "line", theme.hue(role).line, 3.0);
                check_contrast(theme, "text", theme.hue(role).text, 4.5);
            }
        }
    }

    #[test]
    fn lightness_alone_separates_the_algorithms() {
        for theme in &Theme::ALL {
            let found = contrast(theme.hue(Role::FedLin).line, theme.hue(Role::FedAvg).line);
            assert!(found >= 1.3, "{}: {found:.2}", theme.name);
        }
        assert_ne!(Role::FedLin.marker(), Role::FedAvg.marker());
    }

    #[test]
    fn the_curves_of_a_sweep_are_told_apart() {
        for count in 2..=Step::COUNT {
            let steps: Vec<Role> = (0..count).map(|place| Role::Swept(Step::of(place, count))).collect();
            for (a, b) in steps.iter().zip(&steps[1..]) {
                assert_ne!(a.marker(), b.marker(), "{a:?} and {b:?} of {count}");
                for theme in &Theme::ALL {
                    let from_paper = |role: &Role| contrast(theme.hue(*role).line, theme.paper);
                    let found = from_paper(b) / from_paper(a);
                    assert!(found >= 1.2, "{}: {a:?} and {b:?} of {count}: {found:.2}", theme.name);
                }
            }
        }
    }

    const RAMPS: [Ramp; 2] = [Ramp::Diverging { reach: 4.0 }, Ramp::Contraction];

    fn colors(theme: &Theme, ramp: Ramp) -> Vec<RGBColor> {
        (0..64).map(|step| theme.shade(ramp, Shade::Step(step))).collect()
    }

    #[test]
    fn ink_is_legible_on_every_color_of_a_map() {
        for theme in &Theme::ALL {
            for ramp in RAMPS {
                for color in colors(theme, ramp) {
                    let found = contrast(theme.ink, color);
                    assert!(found >= 4.5, "{}: {ramp:?} {} {found:.2}", theme.name, hex(color));
                }
            }
            assert!(contrast(theme.diverges.text, theme.diverges.line) >= 7.0);
            let last = theme.shade(Ramp::Contraction, Shade::Step(63));
            assert!(contrast(last, theme.diverges.line) >= 1.5, "{}: black stands out", theme.name);
        }
    }

    #[test]
    fn a_map_is_equally_light_on_both_sides_of_no_difference() {
        for theme in &Theme::ALL {
            let colors = colors(theme, RAMPS[0]);
            for (a, b) in colors.iter().zip(colors.iter().rev()) {
                assert!(contrast(*a, *b) < 1.04, "{}: {} and {}", theme.name, hex(*a), hex(*b));
            }
            let from_ink: Vec<f64> = colors.iter().map(|color| contrast(theme.ink, *color)).collect();
            assert!(from_ink[..32].windows(2).all(|pair| pair[1] >= pair[0]), "{}: {from_ink:?}", theme.name);
        }
    }

    #[test]
    fn a_contraction_is_the_nearer_to_black_the_slower() {
        for theme in &Theme::ALL {
            let light: Vec<f64> = colors(theme, RAMPS[1]).into_iter().map(luminance).collect();
            assert!(light.windows(2).all(|pair| pair[1] < pair[0] + 1e-4), "{}: {light:?}", theme.name);
        }
    }

    #[test]
    fn no_two_references_share_a_dash() {
        let references = [Role::ClientAlone, Role::Pooled, Role::MeanOfLocals, Role::Weighted, Role::Personalized];
        for (idx, a) in references.iter().enumerate() {
            assert!(a.dash().is_some());
            for b in &references[idx + 1..] {
                assert_ne!(a.dash(), b.dash());
            }
        }
    }

    #[test]
    fn tokens_are_complete_distinct_and_exact() {
        for theme in &Theme::ALL {
            let tokens = theme.css_tokens();
            assert_eq!(tokens.len(), 4 + 2 * Role::ALL.len());
            let names: std::collections::BTreeSet<_> = tokens.iter().map(|(name, _)| name).collect();
            assert_eq!(names.len(), tokens.len());
        }
        let light = Theme::LIGHT.css_tokens();
        assert!(light.contains(&("--role-fedlin".to_owned(), "#0072b2".to_owned())));
        assert!(light.contains(&("--role-fedavg".to_owned(), "#d55e00".to_owned())));
    }

    /// What an eye without one kind of cone sees, and what grey paper keeps: the matrices of Machado, Oliveira and Fernandes,
    /// "A Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), table 1 at severity 1, on linear RGB.
    const EYES: [(&str, [[f64; 3]; 3]); 5] = [
        ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        (
            "protan",
            [
                [0.152_286, 1.052_583, -0.204_868],
                [0.114_503, 0.786_281, 0.099_216],
                [-0.003_882, -0.048_116, 1.051_998],
            ],
        ),
        (
            "deutan",
            [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
        ),
        (
            "tritan",
            [
                [1.255_528, -0.076_749, -0.178_779],
                [-0.078_411, 0.930_809, 0.147_602],
                [0.004_733, 0.691_367, 0.303_900],
            ],
        ),
        ("grey", [[0.2126, 0.7152, 0.0722]; 3]),
    ];

    /// CIELAB coordinates (D65) of a color as an eye sees it.
    fn lab(RGBColor(red, green, blue): RGBColor, eye: &[[f64; 3]; 3]) -> [f64; 3] {
        const XYZ: [[f64; 3]; 3] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
        let product =
            |matrix: &[[f64; 3]; 3], v: [f64; 3]| matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        let seen = product(eye, [red, green, blue].map(linear)).map(|channel| channel.clamp(0.0, 1.0));
        let [x, y, z] = product(&XYZ, seen);
        let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
        let (x, y, z) = (f(x / 0.9505), f(y), f(z / 1.089));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// How far apart two colors are (CIE 1976).
    fn difference(a: RGBColor, b: RGBColor, eye: &[[f64; 3]; 3]) -> f64 {
        lab(a, eye).into_iter().zip(lab(b, eye)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn colors_are_measured_as_the_standard_does() {
        let [l, a, b] = lab(RGBColor(255, 0, 0), &EYES[0].1);
        assert!((l - 53.24).abs() < 0.05 && (a - 80.09).abs() < 0.1 && (b - 67.2).abs() < 0.1, "{l} {a} {b}");
        // What both red-green weaknesses are known to confuse: red with a dark yellowish green of the same luminance.
        let (red, green) = (rgb(0xA0_30_20), rgb(0x5A_60_20));
        let apart = |eye: usize| difference(red, green, &EYES[eye].1);
        assert!(apart(2) < 0.5 * apart(0), "{} {}", apart(2), apart(0));
        for (name, eye) in &EYES {
            assert!(difference(RGBColor(128, 128, 128), RGBColor(128, 128, 128), eye) < 1e-9, "{name}");
            let [_, a, b] = lab(RGBColor(200, 200, 200), eye);
            assert!(a.abs() < 0.6 && b.abs() < 0.6, "{name} keeps grey grey: {a} {b}");
        }
    }

    /// A difference of color that is seen at a glance: four that are just noticeable side by side (2.3 each).
    const AT_A_GLANCE: f64 = 10.0;

    /// Any two lines that a chart can show together differ to every eye, and on grey paper, in color, in dash or in marker.
    #[test]
    fn every_eye_tells_the_lines_apart() {
        let lines: Vec<_> = Role::ALL.into_iter().filter(|role| !matches!(role, Role::Swept(_))).collect();
        let causes = [Role::Noise, Role::Heterogeneity, Role::Drift, Role::Transient];
        for theme in &Theme::ALL {
            for (at, &a) in lines.iter().enumerate() {
                for &b in lines[at + 1..].iter().filter(|b| causes.contains(b) == causes.contains(&a)) {
                    for (name, eye) in &EYES {
                        let apart = difference(theme.hue(a).line, theme.hue(b).line, eye);
                        let differs = a.dash() != b.dash() || a.marker() != b.marker();
                        assert!(
                            differs || apart >= AT_A_GLANCE,
                            "{}, {name}: {a:?} and {b:?} are {apart:.1} apart",
                            theme.name
                        );
                    }
                }
            }
        }
    }
}
