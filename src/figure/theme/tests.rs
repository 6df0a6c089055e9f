use super::color::luminance;
use super::*;
use crate::figure::RampStep;

#[track_caller]
fn check_contrast(theme: &Theme, what: &str, color: RGBColor, least: f64) {
    let found = contrast(color, theme.paper);
    assert!(found >= least, "{}: {what} {} has contrast {found:.2} < {least}", theme.name, hex(color));
}

const RAMPS: [Ramp; 2] = [Ramp::Diverging { reach: 4.0 }, Ramp::Contraction];

fn colors(theme: &Theme, ramp: Ramp) -> Vec<RGBColor> {
    (0..64).map(|step| theme.shade(ramp, Shade::Step(step))).collect()
}

#[test]
fn whatever_colors_a_system_forces_everything_stands_out_from_its_paper() {
    // Palettes that desktops ship with.
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
                for ramp in RAMPS {
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
    for count in 2..=RampStep::COUNT {
        let steps: Vec<Role> = (0..count).map(|place| Role::Swept(RampStep::of(place, count))).collect();
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
fn tokens_are_complete_distinct_and_exact() {
    for theme in &Theme::ALL {
        let tokens = theme.css_tokens();
        assert_eq!(tokens.len(), 5 + 2 * Role::ALL.len());
        let names: std::collections::BTreeSet<_> = tokens.iter().map(|(name, _)| name).collect();
        assert_eq!(names.len(), tokens.len());
    }
    let light = Theme::LIGHT.css_tokens();
    assert!(light.contains(&("--role-fedlin".to_owned(), "#0072b2".to_owned())));
    assert!(light.contains(&("--role-fedavg".to_owned(), "#d55e00".to_owned())));
}
