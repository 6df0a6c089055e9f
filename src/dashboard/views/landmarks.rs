//! Landmarks: positions along a slider at which something changes, as far as the page has computed them anyway.

use crate::dashboard::results::Run;
use crate::dashboard::run::verdict::comes_near_pooled;
use crate::dashboard::views::tradeoff::TradeOff;
use crate::dashboard::words::names::{method_name, whose};
use crate::figure::number::{measured, number};
use crate::params::Key;
use crate::params::views::Across;
use crate::theory::break_even::BreakEven;
use fedsysid_say::say;

/// A marked position along a slider.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// The slider.
    pub key: Key,
    /// Position along the slider, 0 to 1.
    pub place: f64,
    /// The change at that position, in words.
    pub words: String,
}

impl Landmark {
    fn new(key: Key, value: f64, words: String) -> Option<Self> {
        Some(Self { key, place: key.param().grid.place(value)?, words })
    }
}

/// All landmarks known for a run, and for the trade-off on screen, if there is one.
pub fn landmarks(run: &Run, trade_off: Option<&TradeOff<'_>>) -> Vec<Landmark> {
    [break_even(run), largest_step(run), trade_off.and_then(|trade_off| crossing(run, trade_off))]
        .into_iter()
        .flatten()
        .collect()
}

/// Meaning of the mark on a slider, for its help text.
pub fn meaning(key: Key) -> Option<&'static str> {
    match key {
        Key::Heterogeneity => Some(say!(
            "Measured: how far the A, and the B, of two clients lie apart at most (spectral norm). The small mark beneath \
                 the slider is where joining stops paying, if that is known."
        )),
        Key::StepSize => Some(say!("The small mark beneath the slider is the largest stable step, if that is known.")),
        _ => None,
    }
}

/// The break-even ε; none if the rounds do not lead to pooled least squares, which it is about.
fn break_even(run: &Run) -> Option<Landmark> {
    let BreakEven::At(epsilon) = run.theory.as_ref()?.break_even.as_ref().ok()? else { return None };
    let words = || say!("Joining stops paying for {} at ε ≈ {}.", whose(run.settings.target), measured(*epsilon, 2));
    comes_near_pooled(run).then(|| Landmark::new(Key::Heterogeneity, *epsilon, words()))?
}

/// The largest α at which every method is stable; none with partial participation, for which the edge does not hold.
fn largest_step(run: &Run) -> Option<Landmark> {
    let is_full = run.settings.participation.is_full(run.settings.n_clients);
    let known = run.summary.methods.iter().filter_map(|summary| Some((summary.largest_step?, summary.method)));
    let (step, method) = known.filter(|_| is_full).min_by(|a, b| a.0.total_cmp(&b.0))?;
    let words = say!("Largest stable step: α = {}, of {}.", measured(step, 3), method_name(method));
    Landmark::new(Key::StepSize, step, words)
}

/// The M or N of the break-even in the trade-off on screen.
fn crossing(run: &Run, trade_off: &TradeOff<'_>) -> Option<Landmark> {
    let key = trade_off.across.key();
    let at = trade_off.crossing().filter(|_| trade_off.across != Across::Heterogeneity && comes_near_pooled(run))?;
    let words = say!(
        "Break-even for {} at {} = {}.",
        whose(run.settings.target),
        key.param().symbol,
        number(trade_off.turn()?)
    );
    Landmark::new(key, at, words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::dashboard::run::badge::badges;
    use crate::dashboard::run::bound;
    use crate::sim::participation::Participation;

    fn of(run: &Run, key: Key) -> Option<Landmark> {
        landmarks(run, None).into_iter().find(|landmark| landmark.key == key)
    }

    /// A mark states the number that the page has in words, and lies where the slider has that value.
    #[test]
    fn marks_are_where_the_page_says_that_something_changes() {
        let run = run(|_| ());
        let epsilon = of(&run, Key::Heterogeneity).unwrap();
        let said = bound::break_even(&run);
        assert!(said.starts_with(epsilon.words.trim_end_matches('.')), "{said} {}", epsilon.words);
        let grid = Key::Heterogeneity.param().grid;
        let Ok(BreakEven::At(at)) = run.theory.as_ref().unwrap().break_even else { panic!("{said}") };
        assert!((grid.fraction(at) - epsilon.place).abs() <= 0.5 / f64::from(grid.last()) + 1e-12, "{epsilon:?}");
        let step = of(&run, Key::StepSize).unwrap();
        let least = badges(&run).iter().filter_map(|badge| badge.largest_step).min_by(f64::total_cmp).unwrap();
        assert_eq!(Some(step.place), Key::StepSize.param().grid.place(least));
        assert!(step.words.contains(&measured(least, 3)), "{}", step.words);
    }

    /// The mark lies between the last stable stop of the slider and the first unstable one, not at the nearest stop.
    #[test]
    fn the_mark_of_the_largest_step_parts_stops_that_converge_from_those_that_do_not() {
        let here = run(|_| ());
        let grid = Key::StepSize.param().grid;
        let position = of(&here, Key::StepSize).unwrap().place * f64::from(grid.last());
        let before = (0..=grid.last()).rfind(|&stop| f64::from(stop) <= position).unwrap();
        for (stop, diverges) in [(before, false), (before + 1, true)] {
            let there = run(|s| s.step_size = grid.at(stop));
            assert_eq!(there.summary.methods.iter().any(|method| method.n_diverged > 0), diverges, "{stop}");
        }
    }

    #[test]
    fn what_is_not_known_has_no_mark() {
        let alone = run(|s| s.n_clients = 1);
        assert_eq!(of(&alone, Key::Heterogeneity), None);
        let some = run(|s| (s.n_clients, s.participation) = (20, Participation::Fraction(0.5)));
        assert_eq!(of(&some, Key::StepSize), None);
        let short = run(|s| s.n_rounds = 1);
        assert!(!comes_near_pooled(&short));
        assert_eq!(of(&short, Key::Heterogeneity), None, "its rounds do not lead to pooled least squares");
    }
}
