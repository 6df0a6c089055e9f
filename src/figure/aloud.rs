//! Figures read aloud: the values of the curves at an abscissa, from the highest to the lowest, one line at a time or
//! all.

use super::number::{count, measured};
use super::{CurveKind, Figure};
use crate::sim::sort::sort_few;
use fedsysid_say::{between, say};

/// The index of a line in a figure: the curves first, then the levels.
pub type Line = usize;

/// The value of a line at an abscissa.
#[derive(Clone, Debug, PartialEq)]
struct Heard {
    line: Line,
    name: String,
    value: f64,
}

/// Every line that has a value at a recorded abscissa, from the highest value to the lowest; diverged lines come first.
fn heard(figure: &Figure, x: f64) -> Vec<Heard> {
    let curves = figure.curves.iter().enumerate().filter_map(|(line, curve)| {
        let point = curve.points.iter().find(|point| point.x.total_cmp(&x).is_eq())?;
        Some(Heard { line, name: name(figure, line), value: point.y })
    });
    let levels = figure.levels.iter().enumerate().map(|(place, level)| Heard {
        line: figure.curves.len() + place,
        name: level.label.clone(),
        value: level.value,
    });
    let mut all: Vec<_> = curves.chain(levels).collect();
    let height = |heard: &Heard| if heard.value.is_nan() { f64::INFINITY } else { heard.value };
    sort_few(&mut all, |a, b| height(b).total_cmp(&height(a)));
    all
}

/// The name of a curve. A prediction has no label of its own: it takes the name of the run with its role.
fn name(figure: &Figure, line: Line) -> String {
    let Some(curve) = figure.curves.get(line) else { return String::new() };
    if !curve.label.is_empty() {
        return curve.label.clone();
    }
    let named = figure.curves.iter().find(|other| other.role == curve.role && !other.label.is_empty());
    let name = named.map_or(curve.role.word(), |named| &named.label);
    match curve.kind {
        CurveKind::Predicted | CurveKind::PredictedBeside => say!("{name} predicted"),
        _ => name.to_owned(),
    }
}

/// Letters and signs that screen readers skip or spell out, and the words spoken instead.
const LETTERS: [(&str, &str); 16] = [
    (" ‖Θ̄ᵣ − Θ⁽¹⁾‖", ""),
    ("α", "alpha"),
    ("γ", "gamma"),
    ("δ", "delta"),
    ("ε", "epsilon"),
    ("λ", "lambda"),
    ("μ", "mu"),
    ("ρ", "rho"),
    ("σ̂", "sigma"),
    ("σ_", "sigma "),
    ("σᵤ", "sigma u"),
    ("σₓ", "sigma x"),
    ("Nᵢ", "N"),
    ("Â", "A"),
    ("\u{202f}", ""),
    ("\u{a0}", " "),
];

/// A text as it is spoken: letters and signs that a screen reader would skip or spell out become words.
///
/// ```
/// use fedsysid::figure::aloud::spoken;
/// let words = "epsilon about 3 times 10 to the power of minus 5, 0.7 times the error";
/// assert_eq!(spoken("ε ≈ 3×10⁻⁵, 0.7× the error"), words);
/// ```
pub fn spoken(text: &str) -> String {
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉";
    let text = LETTERS.iter().fold(text.to_owned(), |text, (letter, said)| text.replace(letter, said));
    let (mut words, mut is_raised) = (String::with_capacity(text.len()), false);
    for c in text.chars() {
        let among = |digits: &str| digits.chars().zip('0'..).find(|(digit, _)| *digit == c).map(|(_, plain)| plain);
        let raised = if c == '⁻' { Some('−') } else { among(RAISED) };
        if raised.is_some() && !is_raised {
            words += say!(" to the power of ");
        }
        is_raised = raised.is_some();
        match raised.unwrap_or(c) {
            '−' => words += say!("minus "),
            '×' => words += say!(" times "),
            '≈' => words += say!("about"),
            '≥' => words += say!("at least"),
            '±' => words += say!("plus or minus "),
            '→' => words += say!("to"),
            '÷' => words += say!("over"),
            '√' => words += say!("the root of "),
            '∞' => words += say!("infinity"),
            c => words.extend(among(LOWERED).or(Some(c))),
        }
    }
    // Replacements of signs that stood between spaces bring spaces of their own.
    words.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The line above `line` at an abscissa, or below it if `down`. Without a line: the highest one going down, the lowest
/// one going up. Stops at the ends.
pub fn beside(figure: &Figure, x: f64, line: Option<Line>, down: bool) -> Option<Line> {
    let all = heard(figure, x);
    let last = all.len().checked_sub(1)?;
    let here = line.and_then(|line| all.iter().position(|heard| heard.line == line));
    let there = match (here, down) {
        (None, true) => 0,
        (None, false) => last,
        (Some(here), true) => (here + 1).min(last),
        (Some(here), false) => here.saturating_sub(1),
    };
    Some(all[there].line)
}

/// The words spoken at an abscissa, for one line or for all.
pub fn words(figure: &Figure, x: f64, line: Option<Line>) -> String {
    let place = if figure.x.whole && x >= 0.0 { count(whole(x)) } else { measured(x, 3) };
    let value = |value: f64| if value.is_finite() { measured(value, 3) } else { say!("diverged").to_owned() };
    let wanted = |heard: &Heard| line.is_none_or(|line| line == heard.line);
    let lines: Vec<_> =
        heard(figure, x).into_iter().filter(wanted).map(|it| format!("{} {}", it.name, value(it.value))).collect();
    let lines = if lines.is_empty() { say!("nothing recorded").to_owned() } else { lines.join(between()) };
    // For one line, listeners wait for its value, so it comes first; for all lines, the abscissa comes first.
    if line.is_some() {
        format!("{lines}, {} = {place}", figure.x.label)
    } else {
        format!("{} = {place}: {lines}", figure.x.label)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round or a count, from 0")]
fn whole(x: f64) -> usize {
    x.round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::{Axis, Curve, Level, Point, Role, Scale};

    fn figure() -> Figure {
        let curve = |role, kind, label: &str, values: &[f64]| Curve {
            role,
            kind,
            label: label.into(),
            points: values.iter().enumerate().map(|(x, &y)| Point { x: x as f64, y }).collect(),
            band: vec![],
        };
        Figure {
            title: None,
            x: Axis { label: "round r".into(), range: (0.0, 2.0), scale: Scale::Linear, whole: true },
            y: Axis { label: String::new(), range: (0.1, 1.0), scale: Scale::Log10, whole: false },
            curves: vec![
                curve(Role::FedLin, CurveKind::Measured, "FedLin", &[1.0, 0.123_456, 0.5]),
                curve(Role::FedAvg, CurveKind::Measured, "FedAvg", &[1.1, 0.4, f64::NAN]),
                curve(Role::FedLin, CurveKind::Predicted, "", &[1.0, 0.12]),
            ],
            levels: vec![Level { role: Role::Pooled, label: "pooled".into(), value: 0.2 }],
            marks: vec![],
            words: None,
        }
    }

    #[test]
    fn all_lines_are_read_from_the_highest_to_the_lowest() {
        let said = words(&figure(), 1.0, None);
        assert_eq!(said, "round r = 1: FedAvg 0.400, pooled 0.200, FedLin 0.123, FedLin predicted 0.120");
    }

    /// Checks that the spoken text has no letters or signs that a screen reader skips or spells out.
    #[test]
    fn what_is_read_out_is_in_words() {
        #[track_caller]
        fn check(text: &str, expected: &str) {
            assert_eq!(spoken(text), expected);
        }
        check("estimation error ‖Θ̄ᵣ − Θ⁽¹⁾‖ against round r", "estimation error against round r");
        check("FedAvg diverges (ρ = 1.31×10¹²).", "FedAvg diverges (rho = 1.31 times 10 to the power of 12).");
        check("Raise σₓ: σᵤ = 0, σ_w = 1, x₂ = −3.", "Raise sigma x: sigma u = 0, sigma w = 1, x2 = minus 3.");
        check("N = 25 < 188, 1\u{202f}000\u{202f}000 rounds, 1/√M", "N = 25 < 188, 1000000 rounds, 1/the root of M");
        check("ε\u{a0}≈\u{a0}0.3", "epsilon about 0.3");
        check("α ≥ 10⁻⁶ → ∞", "alpha at least 10 to the power of minus 6 to infinity");
        check("band ±1 standard error, 0.2 ± 0.1", "band plus or minus 1 standard error, 0.2 plus or minus 0.1");
        check("client 1: 0.256 alone", "client 1: 0.256 alone");
    }

    #[test]
    fn of_one_line_the_number_comes_first() {
        assert_eq!(words(&figure(), 1.0, Some(0)), "FedLin 0.123, round r = 1");
        assert_eq!(words(&figure(), 2.0, Some(1)), "FedAvg diverged, round r = 2");
        assert_eq!(words(&figure(), 2.0, Some(2)), "nothing recorded, round r = 2");
    }

    #[test]
    fn up_and_down_go_from_line_to_line_and_stop_at_the_ends() {
        let figure = figure();
        let mut line = None;
        for expected in [1, 3, 0, 2, 2] {
            line = beside(&figure, 1.0, line, true);
            assert_eq!(line, Some(expected));
        }
        assert_eq!(beside(&figure, 1.0, line, false), Some(0));
        assert_eq!(beside(&figure, 1.0, Some(1), false), Some(1));
        assert_eq!(beside(&figure, 1.0, None, false), Some(2));
    }

    #[test]
    fn a_figure_without_anything_is_silent_about_lines() {
        let mut figure = figure();
        figure.curves.clear();
        figure.levels.clear();
        assert_eq!(beside(&figure, 1.0, None, true), None);
        assert_eq!(words(&figure, 1.0, None), "round r = 1: nothing recorded");
    }
}
