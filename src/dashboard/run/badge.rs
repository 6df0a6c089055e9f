//! Stability of the methods: their contraction in words, and their largest stable step sizes.

use crate::dashboard::results::Run;
use crate::dashboard::words::names::{method_name, solver_role};
use crate::figure::Role;
use crate::figure::number::{beside_one, count, measured, number};
use crate::params::table::Key;
use crate::sim::stability::half_life;
use crate::sim::study::MethodSummary;
use fedsysid_say::say;

/// The page warns if the step size exceeds this part of the largest stable one.
const NEAR: f64 = 0.9;

/// A contraction this close to 1 is 1, up to rounding.
const NO_CHANGE: f64 = 1e-12;

/// Stability of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It converges, and the step size is well below the largest stable one.
    Stable,
    /// It converges, but would not with slightly larger steps.
    Near,
    /// It diverges in at least one data set.
    Diverging,
}

/// A method's badge.
#[derive(Clone, Debug, PartialEq)]
pub struct Badge {
    /// The method's color.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// Its stability.
    pub standing: Standing,
    /// The contraction, and its meaning in words.
    pub words: String,
    /// The largest stable step size, if one was found.
    pub largest_step: Option<f64>,
    /// A suggested setting of α and the label of its button: the largest that keeps a tenth from where a method of the run
    /// diverges, unless it is the present one.
    pub suggestion: Option<(f64, String)>,
}

/// One badge for each method that has a contraction.
pub fn badges(run: &Run) -> Vec<Badge> {
    run.summary.methods.iter().filter_map(|summary| badge(run, summary)).collect()
}

fn badge(run: &Run, summary: &MethodSummary) -> Option<Badge> {
    let rho = summary.contraction?;
    let is_full = run.settings.participation.is_full(run.settings.n_clients);
    let standing = match summary.largest_step {
        _ if summary.n_diverged > 0 => Standing::Diverging,
        // The contraction and the largest step size are those of rounds with full participation.
        _ if !is_full => Standing::Stable,
        // Beyond the edge a run can converge if its later steps are smaller.
        Some(largest) if (NEAR * largest..=largest).contains(&run.settings.step_size) => Standing::Near,
        _ => Standing::Stable,
    };
    let least = run.summary.methods.iter().filter_map(|summary| summary.largest_step).min_by(f64::total_cmp);
    let is_told = is_full || standing == Standing::Diverging;
    let suggested = least.filter(|_| is_told && summary.largest_step.is_some()).and_then(below);
    // If a stable step size diverges, the cause is partial participation: then there is nothing to suggest.
    let alpha = run.settings.step_size;
    let is_to_blame = least.is_some_and(|least| alpha > least);
    let is_new = |step: &f64| step.total_cmp(&alpha).is_ne();
    let suggested = suggested.filter(|step| is_new(step) && (is_to_blame || standing != Standing::Diverging));
    Some(Badge {
        role: solver_role(summary.method.solver),
        name: method_name(summary.method),
        standing,
        words: words(run, summary, rho, standing),
        largest_step: summary.largest_step.filter(|_| is_told),
        suggestion: suggested.map(|step| (step, say!("Set α to {}", number(step)))),
    })
}

/// The largest setting of α that is not [`NEAR`] to the largest stable one, or, if there is none, that is at most as large: close
/// to the edge, some data sets converge so slowly that they end with large errors.
pub(crate) fn below(largest: f64) -> Option<f64> {
    let grid = Key::StepSize.param().grid;
    let at_most = |bound: f64| {
        let nearest = grid.nearest(bound);
        let stops = [Some(nearest), nearest.checked_sub(1)];
        stops.into_iter().flatten().map(|stop| grid.at(stop)).find(|&stop| stop <= bound)
    };
    at_most(NEAR * largest).or_else(|| at_most(largest))
}

fn words(run: &Run, summary: &MethodSummary, rho: f64, standing: Standing) -> String {
    let change = match half_life(rho) {
        // The schedule changes the step size from round to round: what holds of the first, the largest, holds of no other.
        _ if !summary.method.schedule.repeats_every_round() => String::new(),
        _ if rho >= 1.0 && rho.is_finite() => {
            let doubling = core::f64::consts::LN_2 / rho.ln();
            if doubling < 1.5 {
                say!("grows by that every round").into()
            } else if rho > 1.0 + NO_CHANGE {
                say!("doubles every {} rounds", measured(doubling, 2))
            } else {
                say!("does not shrink").into()
            }
        }
        None if rho == 0.0 => say!("is over in one round").into(),
        None => say!("overflows at once").into(),
        Some(_) if rho > 1.0 - NO_CHANGE => say!("does not shrink").into(),
        Some(rounds) if rounds < 1.0 => say!("shrinks {}-fold every round", measured(1.0 / rho, 2)),
        Some(rounds) => say!("halves every {} rounds", measured(rounds, 2)),
    };
    let rho = if rho.is_finite() { beside_one(rho) } else { "∞".into() };
    let said = if change.is_empty() {
        say!("ρ = {rho} at first, and nearer to 1 the smaller the steps become.")
    } else {
        say!("ρ = {rho}: what is left {change}.")
    };
    let edge = match (standing, summary.largest_step) {
        (Standing::Near, Some(largest)) => {
            let (share, largest) = (percent(run.settings.step_size / largest), measured(largest, 3));
            say!(" Near the edge: α is {share} of the largest, {largest}.")
        }
        (Standing::Diverging, _) => divergence(run, summary),
        _ => String::new(),
    };
    if run.settings.participation.is_full(run.settings.n_clients) {
        format!("{said}{edge}")
    } else {
        say!("If all took part, {said}{edge}")
    }
}

/// The largest stable step size, if α exceeds it, and by how much or in how many data sets the method diverges.
fn divergence(run: &Run, summary: &MethodSummary) -> String {
    let alpha = run.settings.step_size;
    let edge = summary.largest_step.filter(|&largest| alpha > largest);
    // With partial participation it is the largest of other rounds.
    let is_full = run.settings.participation.is_full(run.settings.n_clients);
    let largest = edge.filter(|_| is_full).map(|edge| measured(edge, 3));
    // Just beyond the edge α is so close to the largest that their quotient tells nothing.
    let (some, all) = (summary.n_diverged, run.summary.n_trials);
    let counted = (some < all).then(|| (count(some), count(all)));
    match (counted, edge, largest) {
        (Some((some, all)), _, Some(largest)) => {
            say!(" Diverges in {some} of {all} data sets, above α = {largest}.")
        }
        (Some((some, all)), ..) => say!(" Diverges in {some} of {all} data sets."),
        (None, Some(edge), Some(largest)) => {
            say!(" Diverges: α is {} times the largest, {largest}.", measured(alpha / edge, 2))
        }
        (None, Some(edge), None) => say!(" Diverges: α is {} times the largest.", measured(alpha / edge, 2)),
        (None, None, _) => say!(" Diverges.").into(),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", measured(100.0 * share, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::sim::method::{Method, Solver};
    use crate::sim::participation::Participation;
    use crate::sim::schedule::Schedule;

    fn run_with(step_size: f64) -> Run {
        run(|s| s.step_size = step_size)
    }

    #[test]
    fn a_badge_tells_the_contraction_and_its_half_life() {
        let run = run(|_| ());
        let badges = badges(&run);
        assert_eq!(badges.len(), 2);
        for (badge, summary) in badges.iter().zip(&run.summary.methods) {
            let rho = summary.contraction.unwrap();
            // (1/2) = ρ^rounds.
            let rounds = 0.5_f64.ln() / rho.ln();
            assert_eq!(badge.standing, Standing::Stable);
            assert!(
                badge.words.contains(&measured(rho, 3)) && badge.words.contains(&measured(rounds, 2)),
                "{}",
                badge.words
            );
            assert_eq!(badge.largest_step, summary.largest_step);
        }
        // Both buttons lead to the last setting that is not near the edge of either, and are gone when it is set.
        let edges = run.summary.methods.iter().filter_map(|summary| summary.largest_step);
        let (largest, grid) = (edges.fold(f64::INFINITY, f64::min), Key::StepSize.param().grid);
        let [step, other] = [0, 1].map(|k| badges[k].suggestion.as_ref().unwrap().0);
        assert!(step <= 0.9 * largest && 0.9 * largest < grid.at(grid.nearest(step) + 1), "{step} {largest}");
        assert!((step - other).abs() < f64::EPSILON, "{step} {other}");
        let run_there = run_with(step);
        let there = super::badges(&run_there);
        assert!(
            there.iter().all(|badge| badge.suggestion.is_none() && badge.standing == Standing::Stable),
            "{there:?}"
        );
        // Nothing is lost by following them: at the edge itself, FedAvg's error would be 1.7 times as large.
        for (before, after) in run.summary.methods.iter().zip(&run_there.summary.methods) {
            let [before, after] = [before, after].map(|method| method.errors.last().unwrap().mean());
            assert!(after < 1.1 * before, "{before} {after}");
        }
    }

    /// A round multiplies the error by ρ: it halves after ln ½ / ln ρ rounds, or doubles after ln 2 / ln ρ.
    #[test]
    fn a_contraction_says_what_becomes_of_what_is_left() {
        let run = run(|_| ());
        for (rho, expected) in [
            (0.0, "is over in one round"),
            (0.25, "shrinks 4.0-fold every round"),
            (0.6, "halves every 1.4 rounds"),
            (0.9, "halves every 6.6 rounds"),
            (1.0 - 1e-13, "does not shrink"),
            (1.0, "does not shrink"),
            (1.0 + 1e-13, "does not shrink"),
            (1.1, "doubles every 7.3 rounds"),
            (1.5, "doubles every 1.7 rounds"),
            (1.6, "grows by that every round"),
            (f64::INFINITY, "overflows at once"),
        ] {
            let said = words(&run, &run.summary.methods[0], rho, Standing::Stable);
            assert!(said.ends_with(&format!(": what is left {expected}.")), "{rho}: {said}");
        }
    }

    /// The contraction is that of the first round; what halves then need not later.
    #[test]
    fn of_rounds_that_change_no_half_life_is_said() {
        let method = Method { solver: Solver::FedAvg, schedule: Schedule::Harmonic };
        let run = run(|s| s.methods = vec![method]);
        let rho = run.summary.methods[0].contraction.unwrap();
        let expected = format!("ρ = {} at first, and nearer to 1 the smaller the steps become.", beside_one(rho));
        assert_eq!(badges(&run)[0].words, expected);
    }

    /// The button leads to where all methods converge, but not much further down than that.
    #[test]
    fn the_suggested_step_converges_and_is_hardly_smaller_than_it_must_be() {
        let diverging = run(|s| s.step_size = 5e-3);
        assert_eq!(badges(&diverging).len(), 2);
        for (k, badge) in badges(&diverging).iter().enumerate() {
            assert_eq!(badge.standing, Standing::Diverging);
            let (step, words) = badge.suggestion.clone().unwrap();
            assert!(words.ends_with(&number(step)), "{words}");
            let cured = run(|s| s.step_size = step);
            assert_eq!(cured.summary.methods[k].n_diverged, 0, "{}", badge.name);
            assert_ne!(badges(&cured)[k].standing, Standing::Diverging);
            let grid = Key::StepSize.param().grid;
            let next = grid.at(grid.nearest(step) + 1) / NEAR;
            let beyond = run(|s| s.step_size = next);
            assert!(beyond.summary.methods.iter().any(|method| method.n_diverged > 0), "{}: {next}", badge.name);
        }
    }

    /// Just above the edge only the data sets whose own edge is lower diverge: the badge counts them.
    #[test]
    fn divergence_is_counted_and_measured() {
        let largest = run(|_| ()).summary.methods[0].largest_step.unwrap();
        let some = run(|s| s.step_size = 1.000_1 * largest);
        let n_diverged = some.summary.methods[0].n_diverged;
        assert!(n_diverged > 0 && n_diverged < some.summary.n_trials, "{n_diverged}");
        let said = badges(&some)[0].words.clone();
        let (n_trials, edge) = (some.summary.n_trials, measured(largest, 3));
        assert!(said.ends_with(&format!("in {n_diverged} of {n_trials} data sets, above α = {edge}.")), "{said}");
        let all = &badges(&run(|s| s.step_size = 3.0 * largest))[0].words;
        let expected = format!("Diverges: α is 3.0 times the largest, {}.", measured(largest, 3));
        assert!(all.ends_with(&expected), "{all}");
    }

    /// ρ and the largest step size hold for full participation; with partial participation errors may stay bounded
    /// beyond them.
    #[test]
    fn of_rounds_with_some_nothing_is_foretold() {
        let largest = run(|s| s.n_clients = 20).summary.methods[0].largest_step.unwrap();
        let some = run(|s| {
            (s.n_clients, s.participation, s.step_size) = (20, Participation::Fraction(0.5), 0.95 * largest);
        });
        for badge in badges(&some) {
            assert!(badge.words.starts_with("If all took part, ρ = "), "{}", badge.words);
            assert_eq!((badge.standing, badge.largest_step, badge.suggestion), (Standing::Stable, None, None));
        }
    }

    #[test]
    fn rounding_is_no_growth() {
        let idle = run(|s| (s.n_clients, s.data.n_rollouts, s.data.rollout_len) = (1, 1.into(), 1.into()));
        for badge in badges(&idle) {
            assert!(badge.words.ends_with("what is left does not shrink."), "{}", badge.words);
        }
    }

    #[test]
    fn just_below_the_edge_there_is_a_warning() {
        let largest = run(|_| ()).summary.methods[0].largest_step.unwrap();
        let badge = &badges(&run(|s| s.step_size = 0.95 * largest))[0];
        assert_eq!(badge.standing, Standing::Near);
        assert!(badge.words.contains("95 %"), "{}", badge.words);
        // Steps that soon are smaller converge from beyond the edge, which is not near it.
        let beyond = run(|s| {
            s.methods = vec![Method { solver: Solver::FedAvg, schedule: Schedule::Harmonic }];
            s.step_size = 1.5 * largest;
        });
        let badge = &badges(&beyond)[0];
        assert!(badge.standing != Standing::Near && !badge.words.contains("% of the largest"), "{}", badge.words);
    }

    #[test]
    fn of_several_that_diverge_each_leads_to_where_none_does() {
        let diverging = run(|s| s.step_size = 3e-3);
        let largest: Vec<_> = diverging.summary.methods.iter().map(|summary| summary.largest_step.unwrap()).collect();
        assert!(largest.len() == 2 && (largest[0] - largest[1]).abs() > 1e-6, "they differ: {largest:?}");
        let suggested: Vec<_> = badges(&diverging).into_iter().map(|badge| badge.suggestion.unwrap().0).collect();
        assert_eq!(suggested[0].to_bits(), suggested[1].to_bits());
        let after = run(|s| s.step_size = suggested[0]);
        assert!(badges(&after).iter().all(|badge| badge.standing != Standing::Diverging));
    }

    /// If a method diverges at the largest stable setting, the reason is another one: the badge suggests nothing.
    #[test]
    fn nobody_is_led_to_where_they_are() {
        let step = badges(&run(|_| ())).iter().map(|badge| badge.suggestion.as_ref().unwrap().0).fold(1.0, f64::min);
        let mut there = run(|s| s.step_size = step);
        there.summary.methods[0].n_diverged = 1;
        assert_eq!((badges(&there)[0].standing, badges(&there)[0].suggestion.clone()), (Standing::Diverging, None));
    }

    #[test]
    fn methods_without_a_contraction_have_no_badge() {
        let method = Method::constant(Solver::Scaffold);
        assert!(badges(&run(|s| s.methods = vec![method])).is_empty());
    }
}
