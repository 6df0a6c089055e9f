//! The paper's claims beside this run's measurements, and the effect of each switch. Every number is computed from the
//! run.

use fedsysid_say::say;
use std::cmp::Ordering;

use super::lines::{Line, NEAR, Source, ends, excess_exponent, exponent, fold, rounds_of_all, sources};
use super::{Experiment, FEDLIN, ShownMethods, Varied};
use crate::dashboard::results::sweep::Sweep;
use crate::dashboard::words::counting::Things;
use crate::figure::number::{count, measured, number};
use crate::params::Word;
use crate::params::paper::{Begin, ErrorOf, Estimate, PaperFigure, Switch, Switches};

/// "About" allows this factor, either way.
const ABOUT: f64 = 1.3;

/// Tolerance of an exponent.
const ABOUT_EXPONENT: f64 = 0.1;

/// Numbers of the paper's claims: at M = 100 the error is this many times smaller, and FedLin is this many rounds
/// ahead.
const TIMES: f64 = 10.0;
const LEAD: f64 = 60.0;

/// The words while data are missing.
fn not_yet() -> &'static str {
    say!("Not yet.")
}

/// A claim of the paper beside the measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// The paper's claim.
    pub paper: String,
    /// The measurement of this run.
    pub measured: String,
    /// Whether they agree; `None` while data are missing.
    pub holds: Option<bool>,
}

/// The paper's claims about a figure.
pub fn claims(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Vec<Claim> {
    let ends = ends(figure, switches, sweep);
    let claim = |paper: String, said: Option<(String, bool)>| {
        let (measured, holds) = said.map_or((not_yet().into(), None), |(measured, holds)| (measured, Some(holds)));
        Claim { paper, measured, holds }
    };
    let ends = ends.as_deref();
    let law = || {
        let said = ends.map(|ends| root_law(figure, switches, sweep, ends));
        claim(say!("The error falls like 1/√(M·N).").into(), said)
    };
    match figure.varied() {
        Varied::Clients => {
            let paper = say!("With 100 clients the error is about {} times smaller than with one.", number(TIMES));
            vec![claim(paper, ends.map(|ends| times_smaller(figure, ends))), law()]
        }
        Varied::Rollouts => vec![law()],
        Varied::Heterogeneity => {
            let paper = say!("The error grows with ε: clients that differ add a part in proportion to it.");
            vec![claim(paper.into(), ends.map(|ends| grows(figure, ends)))]
        }
        Varied::Nothing => {
            let paper = say!("FedLin is there about {} rounds before FedAvg.", number(LEAD));
            vec![claim(paper, lead(figure, switches, sweep))]
        }
    }
}

/// A setting with no-break spaces.
fn at(varied: Varied, place: usize) -> String {
    varied.at(place).replace(" = ", "\u{a0}=\u{a0}")
}

fn is_about(found: f64, claimed: f64) -> bool {
    (claimed / ABOUT..=claimed * ABOUT).contains(&found)
}

/// The first and the last value, with their errors.
fn from_to(varied: Varied, ends: &[(f64, f64)]) -> String {
    let end = |place: usize| measured(ends.get(place).map_or(f64::NAN, |end| end.1), 3);
    let last = ends.len().saturating_sub(1);
    say!("{} at {}, {} at {}", end(0), at(varied, 0), end(last), at(varied, last))
}

fn times_smaller(figure: PaperFigure, ends: &[(f64, f64)]) -> (String, bool) {
    let times = fold(ends);
    let words = say!("{} times: {}.", measured(times, 3), from_to(figure.varied(), ends));
    (words, is_about(times, TIMES))
}

/// How the error falls with the varied setting, and whether the rounds sufficed to see it.
fn root_law(figure: PaperFigure, switches: Switches, sweep: &Sweep, ends: &[(f64, f64)]) -> (String, bool) {
    let (varied, found) = (figure.varied(), exponent(ends));
    let words = say!("Like {} to the power of {}, where a root has −0.5.", varied.symbol(), measured(found, 2));
    let holds = (found + 0.5).abs() <= ABOUT_EXPONENT;
    match farthest(figure, switches, sweep) {
        Some(rest) => (format!("{words} {rest}"), holds),
        None => (words, holds),
    }
}

/// The curve that ends farthest above its estimate; `None` if all come near theirs.
fn farthest(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<String> {
    let above = |source: Source| {
        let line = Line::from(sweep, figure, source)?;
        Some((source, line, line.end_in_units_of(switches.estimate)))
    };
    let all = sources(figure, switches).into_iter().filter_map(above);
    let (source, line, times) =
        all.filter(|(_, _, times)| *times > 1.0 + NEAR).max_by(|(_, _, a), (_, _, b)| a.total_cmp(b))?;
    let (at, rounds) = (at(figure.varied(), source.place), last_round(line));
    Some(say!(
        "At {at}, {rounds} rounds are too few: the error is still {} times that of {}.",
        measured(times, 2),
        estimate_words(switches.estimate)
    ))
}

fn last_round(line: Line) -> String {
    count(line.summary.rounds.last().copied().unwrap_or(0))
}

fn grows(figure: PaperFigure, ends: &[(f64, f64)]) -> (String, bool) {
    let is_growing = ends.windows(2).all(|pair| pair[0].1 < pair[1].1);
    let found = excess_exponent(ends);
    let words = say!(
        "{}; with the first taken off in squares, the last three grow like ε to the power of {}.",
        from_to(figure.varied(), ends),
        measured(found, 2)
    );
    (words, is_growing && (found - 1.0).abs() <= ABOUT_EXPONENT)
}

/// How many rounds FedLin is ahead of FedAvg.
fn lead(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<(String, bool)> {
    let rounds = |source: Source| Line::from(sweep, figure, source).map(|line| line.rounds_to(switches.estimate));
    let rounds: Option<Vec<_>> = sources(figure, switches).into_iter().map(rounds).collect();
    let rounds = rounds?;
    let &[fedlin, fedavg] = rounds.as_slice() else { return None };
    let needed = (rounds_words(fedlin), number_of(fedavg));
    let words = say!("{}, FedLin needs {} and FedAvg {}", aim(switches.estimate), needed.0, needed.1);
    let (Some(fedlin), Some(fedavg)) = (fedlin, fedavg) else { return Some((format!("{words}."), false)) };
    let ahead = count(fedlin.abs_diff(fedavg));
    let words = match fedlin.cmp(&fedavg) {
        Ordering::Less => say!("{words}: {ahead} ahead."),
        Ordering::Equal => say!("{words}: they are there together."),
        Ordering::Greater => say!("{words}: {ahead} behind."),
    };
    Some((words, is_about(fedavg as f64 - fedlin as f64, LEAD)))
}

/// "To come within 10 % of pooled least squares".
fn aim(estimate: Estimate) -> String {
    say!("To come within {} % of {}", number(100.0 * NEAR), estimate_words(estimate))
}

fn estimate_words(estimate: Estimate) -> &'static str {
    match estimate {
        Estimate::Pooled => say!("pooled least squares"),
        Estimate::MeanOfLocals => say!("the mean of locals"),
    }
}

fn rounds_words(rounds: Option<usize>) -> String {
    rounds.map_or_else(|| number_of(None), |rounds| Things::Rounds.counted(rounds))
}

fn number_of(rounds: Option<usize>) -> String {
    rounds.map_or_else(|| say!("more than there are").into(), count)
}

/// Effect of a switch, in words with the numbers of this run.
pub fn note(switch: Switch, figure: PaperFigure, switches: Switches, sweep: &Sweep) -> String {
    let words = match switch {
        Switch::Step => step_note(figure, switches, sweep),
        Switch::ErrorOf => error_of_note(figure, sweep),
        Switch::Begin => begin_note(figure, switches, sweep),
        Switch::Estimate => estimate_note(figure, switches, sweep),
        Switch::ErrorAxis => {
            return say!("The paper’s axis begins at 0; a logarithmic one tells the ends apart.").into();
        }
    };
    words.unwrap_or_else(|| not_yet().into())
}

/// Effects of all switches.
pub fn switch_notes(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Vec<(Switch, String)> {
    Switch::ALL.iter().map(|&(switch, ..)| (switch, note(switch, figure, switches, sweep))).collect()
}

/// Numbers of rounds that each step size schedule needs.
fn step_note(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<String> {
    let varied = figure.varied();
    let [fedlin, constant, local, falling] = rounds_of_all(sweep, varied, switches)?;
    let stays = match figure.shown() {
        ShownMethods::FedLin => say!("This figure stays: FedLin’s step is always constant. "),
        ShownMethods::FedAvg | ShownMethods::Both => "",
    };
    Some(say!(
        "{stays}{} ({}), FedLin needs {}; FedAvg {} with the same constant step, {} with α/k, {} with a step that falls \
         over the rounds.",
        aim(switches.estimate),
        at(varied, varied.usual()),
        rounds_words(fedlin.1),
        number_of(constant.1),
        number_of(local.1),
        number_of(falling.1)
    ))
}

/// FedLin's final error against client 1 and against the last client, at the index where they differ most.
fn error_of_note(figure: PaperFigure, sweep: &Sweep) -> Option<String> {
    let varied = figure.varied();
    let stays = match figure.shown() {
        ShownMethods::FedAvg => say!("This figure stays: FedAvg’s error is client 1’s either way. "),
        ShownMethods::FedLin | ShownMethods::Both => "",
    };
    let end = |experiment| Some(Line::of(sweep, varied, experiment, FEDLIN)?.end());
    let (place, first, last) =
        most_different(varied, |place| Some((end(Experiment::First(place))?, end(Experiment::Last(place))?)))?;
    let last_client = count(sweep.plan.points.get(place)?.n_clients);
    Some(say!(
        "{stays}FedLin ends {} from client 1’s system, and {} from that of client {last_client}, which the authors’ code \
         takes ({}{}).",
        measured(first, 3),
        measured(last, 3),
        at(varied, place),
        differing_most(varied)
    ))
}

fn differing_most(varied: Varied) -> &'static str {
    if varied.n_values() > 1 { say!(", where it matters most") } else { "" }
}

/// The index at which two numbers differ by the largest factor; `None` until all are known.
fn most_different(varied: Varied, pair: impl Fn(usize) -> Option<(f64, f64)>) -> Option<(usize, f64, f64)> {
    let pairs: Option<Vec<_>> = (0..varied.n_values()).map(|place| pair(place).map(|(a, b)| (place, a, b))).collect();
    let factor = |&(_, a, b): &(usize, f64, f64)| (a / b).ln().abs();
    pairs?.into_iter().max_by(|a, b| factor(a).total_cmp(&factor(b)))
}

/// The first error and the number of rounds, from either start.
fn begin_note(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<String> {
    let varied = figure.varied();
    let (name, method) = match figure.shown() {
        ShownMethods::FedLin | ShownMethods::Both => ("FedLin", FEDLIN),
        ShownMethods::FedAvg => ("FedAvg", switches.step.fedavg()),
    };
    let this = Line::of(sweep, varied, Experiment::First(varied.usual()), method)?;
    let other = Line::of(sweep, varied, Experiment::OtherStart, method)?;
    let (zero, half) = match switches.begin {
        Begin::Zero => (this, other),
        Begin::Half => (other, this),
    };
    let rounds = |line: Line| line.rounds_to(switches.estimate);
    // The figure's own client is another then, and there is no other start against it.
    let is_another = switches.error_of == ErrorOf::AsCoded && figure.shown() != ShownMethods::FedAvg;
    let against = if is_another { say!(", against client 1") } else { "" };
    Some(say!(
        "The first error is {} from zero, {} from half of client 1’s true matrices, which nobody could know. {}, {} needs {} \
         and {} ({}{against}).",
        measured(zero.start(), 3),
        measured(half.start(), 3),
        aim(switches.estimate),
        name,
        number_of(rounds(zero)),
        rounds_words(rounds(half)),
        at(varied, varied.usual())
    ))
}

/// Errors of the two estimates where they differ most, and the final errors there.
fn estimate_note(figure: PaperFigure, switches: Switches, sweep: &Sweep) -> Option<String> {
    let varied = figure.varied();
    let of_fedlin = |place| Experiment::of_fedlin(switches.error_of, place);
    let line = |place| {
        let is_of_fedlin = figure.shown() == ShownMethods::FedLin;
        let experiment = if is_of_fedlin { of_fedlin(place) } else { Experiment::First(place) };
        Line::of(sweep, varied, experiment, FEDLIN)
    };
    let errors =
        |place| line(place).map(|line| (line.error_of(Estimate::Pooled), line.error_of(Estimate::MeanOfLocals)));
    let (place, pooled, mean) = most_different(varied, errors)?;
    let end = |name, experiment, method| {
        Some(say!("{name} ends at {}", measured(Line::of(sweep, varied, experiment, method)?.end(), 3)))
    };
    let fedlin = || end("FedLin", of_fedlin(place), FEDLIN);
    let fedavg = || end("FedAvg", Experiment::First(place), switches.step.fedavg());
    let ends = match figure.shown() {
        ShownMethods::FedLin => fedlin()?,
        ShownMethods::FedAvg => fedavg()?,
        ShownMethods::Both => format!("{}, {}", fedlin()?, fedavg()?),
    };
    Some(say!(
        "Pooled least squares is off by {}, the mean of everybody’s own by {} ({}{}). {ends}.",
        measured(pooled, 3),
        measured(mean, 3),
        at(varied, place),
        differing_most(varied)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::plan;
    use super::super::tests::sweep;
    use super::*;
    use crate::params::paper::FedAvgSchedule;
    use crate::protocol::Generation;
    use crate::sim::stream::Seed;

    const AT_ONCE: [Switches; 2] = [Switches::TEXT, Switches::CODE];

    fn said(figure: PaperFigure, switches: Switches) -> Vec<String> {
        let sweep = sweep(figure, switches);
        let claims = claims(figure, switches, &sweep).into_iter().map(|claim| claim.measured);
        claims.chain(switch_notes(figure, switches, &sweep).into_iter().map(|(_, words)| words)).collect()
    }

    #[test]
    fn before_there_are_data_nothing_is_claimed() {
        for &(figure, ..) in PaperFigure::ALL {
            let sweep = Sweep::new(plan(figure, Switches::TEXT, (Seed(7), None)), Generation(1), 0.0);
            let claims = claims(figure, Switches::TEXT, &sweep);
            assert!(!claims.is_empty());
            for claim in claims {
                assert_eq!((claim.measured.as_str(), claim.holds), (not_yet(), None));
            }
            let notes = switch_notes(figure, Switches::TEXT, &sweep);
            assert!(!notes.is_empty());
            for (switch, words) in notes {
                assert_eq!(words == not_yet(), switch != Switch::ErrorAxis, "{switch:?} {words}");
            }
        }
    }

    #[test]
    fn whatever_is_said_is_a_sentence_with_numbers() {
        for &(figure, ..) in PaperFigure::ALL {
            for switches in AT_ONCE {
                let said = said(figure, switches);
                assert!(!said.is_empty());
                for words in said {
                    assert!(
                        words.ends_with('.') && !words.contains("NaN") && !words.contains("not a number"),
                        "{words}"
                    );
                    assert!(words.contains(|c: char| c.is_ascii_digit()), "{words}");
                }
            }
        }
    }

    /// The words agree with the numbers of the curves.
    #[test]
    fn the_claims_are_true_of_the_curves() {
        for switches in AT_ONCE {
            let figure = PaperFigure::LinClients;
            let sweep = sweep(figure, switches);
            let claims = claims(figure, switches, &sweep);
            let ends = ends(figure, switches, &sweep).unwrap();
            assert!(claims[0].measured.starts_with(&format!("{} times", measured(ends[0].1 / ends[4].1, 3))));
            for (_, end) in [ends[0], ends[4]] {
                assert!(claims[0].measured.contains(&measured(end, 3)), "{}", claims[0].measured);
            }
            assert!(claims[1].measured.contains(&measured(exponent(&ends), 2)), "{}", claims[1].measured);
        }
    }

    /// With few data and small steps the rounds do not suffice, and the words say so.
    #[test]
    fn a_curve_that_is_not_there_yet_is_named() {
        let figure = PaperFigure::AvgRollouts;
        let law = |switches| claims(figure, switches, &sweep(figure, switches)).remove(0);
        let code = law(Switches::CODE);
        assert!(code.measured.contains("At N\u{a0}=\u{a0}5, 200 rounds are too few"), "{}", code.measured);
        let constant = law(Switches { step: FedAvgSchedule::Constant, ..Switches::CODE });
        assert!(!constant.measured.contains("too few"), "{}", constant.measured);
    }

    #[test]
    fn how_far_fedlin_is_ahead_depends_on_the_step() {
        let figure = PaperFigure::Comparison;
        let sweep = sweep(figure, Switches::CODE);
        let claim = |step| claims(figure, Switches { step, ..Switches::CODE }, &sweep).remove(0);
        assert_eq!(
            claim(FedAvgSchedule::OverLocalSteps).holds,
            Some(true),
            "{}",
            claim(FedAvgSchedule::OverLocalSteps).measured
        );
        assert_eq!(claim(FedAvgSchedule::Constant).holds, Some(false), "{}", claim(FedAvgSchedule::Constant).measured);
    }

    #[test]
    fn a_switch_without_effect_says_so() {
        let note = |switch, figure| note(switch, figure, Switches::TEXT, &sweep(figure, Switches::TEXT));
        for (switch, figure, stays) in [
            (Switch::Step, PaperFigure::LinClients, true),
            (Switch::Step, PaperFigure::AvgClients, false),
            (Switch::ErrorOf, PaperFigure::AvgHeterogeneity, true),
            (Switch::ErrorOf, PaperFigure::LinHeterogeneity, false),
            (Switch::Step, PaperFigure::Comparison, false),
        ] {
            let words = note(switch, figure);
            assert_eq!(words.starts_with("This figure stays"), stays, "{words}");
            let changed = match switch {
                Switch::Step => Switches { step: FedAvgSchedule::Constant, ..Switches::TEXT },
                _ => Switches { error_of: ErrorOf::AsCoded, ..Switches::TEXT },
            };
            let is_same = super::super::lines::sources(figure, changed) == sources(figure, Switches::TEXT);
            assert_eq!(is_same, stays, "{figure:?}");
        }
    }

    /// What the authors' code takes as FedLin's error is that of the curves, of the claims and of the notes alike.
    #[test]
    fn notes_are_about_the_client_of_the_curves() {
        let switches = Switches { error_of: ErrorOf::AsCoded, ..Switches::TEXT };
        let figure = PaperFigure::LinHeterogeneity;
        let sweep_of = |figure| sweep(figure, switches);
        let known = sweep_of(figure);
        let ends = ends(figure, switches, &known).unwrap();
        let said = note(Switch::Estimate, figure, switches, &known);
        let is_end = |(_, end): &(f64, f64)| said.ends_with(&format!("FedLin ends at {}.", measured(*end, 3)));
        assert!(ends.iter().any(is_end), "{said} {ends:?}");
        let figure = PaperFigure::Comparison;
        let known = sweep_of(figure);
        let rounds = |said: &str| {
            let after = said.split("FedLin needs ").nth(1).unwrap();
            after.split_once(' ').unwrap().0.split('\u{a0}').next().unwrap().to_owned()
        };
        let claim = claims(figure, switches, &known).remove(0).measured;
        let step = note(Switch::Step, figure, switches, &known);
        assert_eq!(rounds(&claim), rounds(&step), "{claim} {step}");
        assert!(note(Switch::Begin, figure, switches, &known).ends_with(", against client 1)."));
    }

    #[test]
    fn starts_are_told_apart_whichever_is_chosen() {
        let figure = PaperFigure::LinClients;
        let said = |switches| note(Switch::Begin, figure, switches, &sweep(figure, switches));
        let (zero, half) = (said(Switches::TEXT), said(Switches { begin: Begin::Half, ..Switches::TEXT }));
        assert_eq!(zero, half, "both are of the same experiments");
    }
}
