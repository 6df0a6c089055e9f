//! Lines as seen by eyes that lack one kind of cone, and as printed in grey.

use plotters::style::RGBColor;

use super::Theme;
use super::color::{linear, rgb};
use crate::figure::Role;

/// Color vision without one kind of cone, and grey paper: the matrices of Machado, Oliveira and Fernandes, "A
/// Physiologically-based Model for Simulation of Color Vision Deficiency" (2009), table 1 at severity 1, on linear RGB.
const EYES: [(&str, [[f64; 3]; 3]); 5] = [
    ("normal", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protan",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deutan",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritan",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
    ("grey", [[0.2126, 0.7152, 0.0722]; 3]),
];

/// CIELAB coordinates (D65) of a color as an eye sees it.
fn lab(RGBColor(red, green, blue): RGBColor, eye: &[[f64; 3]; 3]) -> [f64; 3] {
    const XYZ: [[f64; 3]; 3] = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
    let product = |matrix: &[[f64; 3]; 3], v: [f64; 3]| matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
    let seen = product(eye, [red, green, blue].map(linear)).map(|channel| channel.clamp(0.0, 1.0));
    let [x, y, z] = product(&XYZ, seen);
    let f = |t: f64| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    let (x, y, z) = (f(x / 0.9505), f(y), f(z / 1.089));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The distance of two colors as an eye sees them (CIE 1976).
fn difference(a: RGBColor, b: RGBColor, eye: &[[f64; 3]; 3]) -> f64 {
    lab(a, eye).into_iter().zip(lab(b, eye)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn colors_are_measured_as_the_standard_does() {
    let [l, a, b] = lab(RGBColor(255, 0, 0), &EYES[0].1);
    assert!((l - 53.24).abs() < 0.05 && (a - 80.09).abs() < 0.1 && (b - 67.2).abs() < 0.1, "{l} {a} {b}");
    // Both red-green weaknesses are known to confuse red with a dark yellowish green of the same luminance.
    let (red, green) = (rgb(0xA0_30_20), rgb(0x5A_60_20));
    let apart = |eye: usize| difference(red, green, &EYES[eye].1);
    assert!(apart(2) < 0.5 * apart(0), "{} {}", apart(2), apart(0));
    for (name, eye) in &EYES {
        assert!(difference(RGBColor(128, 128, 128), RGBColor(128, 128, 128), eye) < 1e-9, "{name}");
        let [_, a, b] = lab(RGBColor(200, 200, 200), eye);
        assert!(a.abs() < 0.6 && b.abs() < 0.6, "{name} keeps grey grey: {a} {b}");
    }
}

/// A color difference that is seen at a glance: four just noticeable differences side by side (2.3 each).
const AT_A_GLANCE: f64 = 10.0;

/// Checks that any two lines that a chart can show together differ in color, dash or marker, to every eye and on grey
/// paper.
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
