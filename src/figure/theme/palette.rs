//! Hues of roles and ramps of maps, on white paper and on a dark screen.

use super::color::{between, rgb};
use crate::figure::Role;
use crate::figure::heat::Ramp;
use plotters::style::RGBColor;

/// The two colors of a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hue {
    /// For lines and areas.
    pub line: RGBColor,
    /// For words on paper; words need more contrast than lines.
    pub text: RGBColor,
}

/// One hue for each role, in the order of [`Role::ALL`].
pub(super) type Hues = [Hue; Role::ALL.len()];

/// The color stops of maps, equally spaced; colors between two stops are mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ramps {
    diverging: [RGBColor; STOPS],
    contraction: [RGBColor; STOPS],
}

/// Number of color stops of a ramp.
const STOPS: usize = 9;

impl Hue {
    const fn same(color: u32) -> Self {
        Self { line: rgb(color), text: rgb(color) }
    }
}

impl Ramps {
    /// The color at a place along a ramp, from 0 to 1.
    pub(super) fn color(&self, ramp: Ramp, place: f64) -> RGBColor {
        match ramp {
            Ramp::Diverging { .. } => mixed(&self.diverging, place),
            Ramp::Contraction => mixed(&self.contraction, place),
        }
    }

    /// The same ramps with every color stop replaced.
    pub(super) fn map(self, other: impl Fn(RGBColor) -> RGBColor) -> Self {
        Self { diverging: self.diverging.map(&other), contraction: self.contraction.map(&other) }
    }
}

/// The color at a place between the first stop (0) and the last (1).
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 7")]
fn mixed(stops: &[RGBColor; STOPS], place: f64) -> RGBColor {
    let at = place.clamp(0.0, 1.0) * (STOPS - 1) as f64;
    let below = (at as usize).min(STOPS - 2);
    between(stops[below], stops[below + 1], at - below as f64)
}

pub(super) const LIGHT_HUES: Hues = [
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

pub(super) const DARK_HUES: Hues = [
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

/// Ink has a contrast of 4.5 on any of these; both halves of the diverging ramp are equally light.
pub(super) const LIGHT_RAMPS: Ramps = Ramps {
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

/// The color for "no difference" is the nearest to the paper, as on white.
pub(super) const DARK_RAMPS: Ramps = Ramps {
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
