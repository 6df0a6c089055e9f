//! Cosine and sine of angles from 0 to π. A general implementation contains tables for reducing angles of any size,
//! which would make the download noticeably larger.

use std::f64::consts::{FRAC_PI_2, PI};

/// `1 − cos x` of an angle x from 0 to π, to a relative error of about 10⁻¹⁵: the Taylor series at x/64, doubled six
/// times by `v(2x) = 2v(x)(2 − v(x))`.
pub fn versine(angle: f64) -> f64 {
    const DOUBLINGS: u32 = 6;
    let square = (angle / f64::from(1 << DOUBLINGS)).powi(2);
    let series = 0.5 * square * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0)));
    (0..DOUBLINGS).fold(series, |v, _| 2.0 * v * (2.0 - v))
}

/// The cosine of an angle from 0 to π, to 10⁻¹⁴.
pub fn cosine(angle: f64) -> f64 {
    1.0 - versine(angle)
}

/// The sine of an angle from 0 to π, to 10⁻¹⁴.
pub fn sine(angle: f64) -> f64 {
    let versine = versine(if angle > FRAC_PI_2 { PI - angle } else { angle });
    (versine * (2.0 - versine)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::disallowed_methods, reason = "the platform's, to compare with")]
    #[test]
    fn half_a_turn_is_that_of_the_library() {
        for step in 0..=1_000 {
            let angle = PI * f64::from(step) / 1_000.0;
            let expected = 2.0 * (0.5 * angle).sin().powi(2);
            assert!((versine(angle) - expected).abs() <= 2e-15 * expected, "{angle}: {} {expected}", versine(angle));
            assert!((cosine(angle) - angle.cos()).abs() <= 1e-14, "{angle}: {} {}", cosine(angle), angle.cos());
            assert!((sine(angle) - angle.sin()).abs() <= 1e-14, "{angle}: {} {}", sine(angle), angle.sin());
        }
    }
}
