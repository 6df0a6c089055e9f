//! Eigenvalues beside the unit circle, as an inline SVG with colors from the style sheet.

use fedsysid_say::say;

use super::{Mode, Portrait};
use crate::figure::number::number;
use crate::text::put;

/// Width and height of the picture, in its own units.
const EXTENT: f64 = 320.0;
/// Room beyond the ends of the axes, for labels.
const MARGIN: f64 = 16.0;
/// Possible lengths of the axes. The first that contains all eigenvalues is used, so that the axes do not change while
/// the eigenvalues move a little.
const REACHES: [f64; 5] = [1.25, 1.5, 2.0, 3.0, 4.0];

/// Position of the complex plane in the picture.
#[derive(Clone, Copy)]
struct Plane {
    reach: f64,
}

impl Plane {
    fn of(portrait: &Portrait) -> Self {
        Self::holding(portrait.nominal.iter().chain(portrait.clients.iter().flat_map(|client| &client.modes)))
    }

    /// The smallest plane that contains these eigenvalues.
    fn holding<'a>(modes: impl Iterator<Item = &'a Mode>) -> Self {
        let farthest = modes.map(|mode| mode.size()).fold(0.0, f64::max);
        let fits = |reach: &&f64| 1.05 * farthest <= **reach;
        Self { reach: REACHES.iter().find(fits).copied().unwrap_or(REACHES[REACHES.len() - 1]) }
    }

    fn length(self, size: f64) -> f64 {
        short(size / self.reach * (EXTENT / 2.0 - MARGIN))
    }

    /// Position of an eigenvalue; one outside of the plane is drawn at the edge, in its direction.
    fn place(self, mode: Mode) -> (f64, f64) {
        let back = (self.reach / mode.size()).min(1.0);
        (EXTENT / 2.0 + self.length(back * mode.re), EXTENT / 2.0 - self.length(back * mode.im))
    }

    fn holds(self, mode: &Mode) -> bool {
        mode.size() <= self.reach
    }
}

/// A coordinate rounded to one decimal, which is finer than the eye can see.
fn short(at: f64) -> f64 {
    (at * 10.0).round() / 10.0 + 0.0
}

/// The unit circle with the eigenvalues: of A_0 as crosses, of client 1 as rings, of the other clients as faint dots.
pub fn picture(portrait: &Portrait) -> String {
    let others: Vec<_> = portrait.clients.iter().skip(1).flat_map(|client| client.modes.iter().copied()).collect();
    let first = portrait.clients.first().map(|client| client.modes.as_slice()).unwrap_or_default();
    drawn(&said(portrait), &portrait.nominal, first, &others)
}

/// The unit circle with eigenvalues as crosses, rings and faint dots; `label` is the text for screen readers.
pub(in crate::dashboard) fn drawn(label: &str, crosses: &[Mode], rings: &[Mode], dots: &[Mode]) -> String {
    let plane = Plane::holding(crosses.iter().chain(rings).chain(dots));
    let (middle, unit) = (EXTENT / 2.0, plane.length(1.0));
    let (right, top) = (EXTENT - MARGIN, MARGIN);
    let mut svg = format!(
        "<svg class=plane viewBox=\"0 0 {EXTENT} {EXTENT}\" role=img aria-label=\"{label}\">\
         <circle class=unit cx={middle} cy={middle} r={unit} />\
         <path class=axes d=\"M{MARGIN} {middle}H{right}M{middle} {top}V{right}\"/>"
    );
    let (beside, beneath) = (short(middle + unit), short(middle - unit));
    for (x, y, anchor, words) in [
        (beside + 4.0, middle + 15.0, "start", "1"),
        (beneath - 4.0, middle + 15.0, "end", "−1"),
        (middle + 6.0, beneath - 5.0, "start", "i"),
        (middle + 6.0, beside + 14.0, "start", "−i"),
        (right, middle - 12.0, "end", say!("real")),
        (middle - 6.0, top + 4.0, "end", say!("imaginary")),
    ] {
        put!(svg, "<text x={x} y={y} text-anchor={anchor}>{words}</text>");
    }
    put!(svg, "<path class=others d=\"{}\"/>", marks(plane, dots, "h0"));
    put!(svg, "<path class=first d=\"{}\"/>", marks(plane, rings, "m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0"));
    put!(svg, "<path class=nominal d=\"{}\"/></svg>", marks(plane, crosses, "m-4.5-4.5l9 9m-9 0l9-9"));
    svg
}

/// Marks at eigenvalues, as one path.
fn marks<'a>(plane: Plane, modes: impl IntoIterator<Item = &'a Mode>, mark: &str) -> String {
    let mut path = String::new();
    for mode in modes {
        let (x, y) = plane.place(*mode);
        put!(path, "M{x} {y}{mark}");
    }
    path
}

/// Meaning of the marks, and the number of eigenvalues outside of the plane.
pub fn caption(portrait: &Portrait) -> String {
    let plane = Plane::of(portrait);
    let all = portrait.clients.iter().flat_map(|client| &client.modes).chain(&portrait.nominal);
    let n_outside = all.filter(|mode| !plane.holds(mode)).count();
    let others = match portrait.clients.len() {
        0 | 1 => String::new(),
        _ if portrait.scenario.systems().len() > portrait.clients.len() => {
            say!(", • clients 2 to {}", portrait.clients.len())
        }
        _ => say!(", • the other clients").to_owned(),
    };
    let outside = match n_outside {
        0 => String::new(),
        n => say!(" What is larger than {} is drawn at the edge: {n} of them.", number(plane.reach)),
    };
    say!(
        "Eigenvalues of A: × A₀, ○ client 1{others}. Inside of the unit circle what disturbs a system dies out.{outside}"
    )
}

/// The picture in words.
fn said(portrait: &Portrait) -> String {
    say!("Eigenvalues beside the unit circle. {}", super::words::modes(portrait))
}

#[cfg(test)]
mod tests {
    use super::super::tests::portrait;
    use super::*;
    use crate::params::{Key, MatrixKey};

    #[test]
    fn every_eigenvalue_has_its_mark() {
        let portrait = portrait("springs", |draft| (draft.set(Key::Clients, 5.0), ()).1);
        let svg = picture(&portrait);
        assert_eq!(svg.matches("h0").count(), 4 * 4);
        assert_eq!(svg.matches("a5 5 0 1 0 10 0").count(), 4);
        assert_eq!(svg.matches("l9 9").count(), 4);
        // 0.9353 + 0.298i of A_0, with the shortest axes.
        let (x, y) = (160.0 + 144.0 / 1.25 * 0.9353, 160.0 - 144.0 / 1.25 * 0.298);
        assert!(svg.contains(&format!("M{} {}m-4.5", short(x), short(y))), "{svg}");
        assert_eq!(
            caption(&portrait),
            "Eigenvalues of A: × A₀, ○ client 1, • the other clients. Inside of the unit circle what disturbs a system dies out."
        );
    }

    #[test]
    fn the_axes_make_room_and_what_is_far_lies_at_the_edge() {
        #[track_caller]
        fn check(portrait: &Portrait, unit: f64, n_outside: usize) {
            assert!(picture(portrait).contains(&format!("r={unit} ")), "{}", picture(portrait));
            let said = format!("is drawn at the edge: {n_outside} of them.");
            assert_eq!(caption(portrait).contains(&said), n_outside > 0, "{}", caption(portrait));
        }
        let of = |a: &str| portrait("paper", |draft| (draft.systems.set_text(MatrixKey::A, a).unwrap(), ()).1);
        check(&of("1.1 0 0; 0 0 0; 0 0 0"), 115.2, 0);
        check(&of("1.3 0 0; 0 0 0; 0 0 0"), 96.0, 0);
        check(&of("-3.5 0 0; 0 0 0; 0 0 0"), 36.0, 0);
        check(&of("1000000 0 0; 0 0 0; 0 0 0"), 36.0, 51);
        assert!(picture(&of("1000000 0 0; 0 0 0; 0 0 0")).contains("M304 160m-4.5"));
    }
}
