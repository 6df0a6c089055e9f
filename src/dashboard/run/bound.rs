//! The paper's bound beside predicted and measured errors: curves on logarithmic axes over the number of clients.

use crate::dashboard::results::Run;
use crate::dashboard::run::verdict::comes_near_pooled;
use crate::dashboard::words::names::the;
use crate::dashboard::words::thresholds::is_rounding;
use crate::figure::number::{count, measured, number};
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Level, Point, Role, Scale};
use crate::params::Key;
use crate::sim::estimate::Reference;
use crate::theory::Theory;
use crate::theory::break_even::BreakEven;
use crate::theory::scaling::OfClients;
use crate::theory::theorem1::Theorem1;
use fedsysid_say::say;

/// Whether the hypothesis of Theorem 1 holds, with words; `None` without Theorem 1.
pub fn hypothesis(theory: &Theory) -> Option<(bool, String)> {
    let theorem1 = theory.theorem1()?;
    let (has, need) = (count(whole(theorem1.has)), count(whole(theorem1.need().ceil())));
    Some(if theorem1.holds() {
        (true, say!("hypothesis holds: N = {has} ≥ {need}"))
    } else {
        (false, say!("hypothesis not met: N = {has} < {need}"))
    })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of rollouts")]
fn whole(count: f64) -> usize {
    count as usize
}

/// Words on the bound: how far it is above the pooled error, and why it does not fall.
pub fn words(run: &Run) -> String {
    let Some(theory) = &run.theory else { return String::new() };
    let Some(theorem1) = theory.theorem1().filter(|theorem1| theorem1.bound().is_finite()) else {
        return String::new();
    };
    let pooled = run.summary.reference(Reference::Pooled).and_then(Result::ok).map(|error| error.mean());
    let times = pooled.filter(|&error| error.is_finite() && !is_rounding(error)).map_or_else(String::new, |error| {
        say!(", {} times the pooled error of {}", measured(theorem1.bound() / error, 2), measured(error, 3))
    });
    let falls = match theory.scaling.first().filter(|first| first.n_clients < run.settings.n_clients) {
        Some(first) if does_not_fall_as_printed(&first.theorem1, theorem1) => {
            say!(". Its noise term does not fall with the clients as printed; summed before it is bounded, it does")
        }
        _ => "",
    };
    say!("The bound as printed is {}{times}{falls}.", measured(theorem1.bound(), 3))
}

/// Whether the noise term falls from `some` clients to `all` when summed first, but not as printed.
fn does_not_fall_as_printed(some: &Theorem1, all: &Theorem1) -> bool {
    all.noise.is_finite() && some.noise <= all.noise && all.noise_summed < some.noise_summed
}

/// The break-even ε, and on which side of it the present ε is.
pub fn break_even(run: &Run) -> String {
    let said = of_pooled(run);
    let is_known = run.theory.as_ref().is_some_and(|theory| theory.break_even.is_ok());
    if !is_known || run.settings.methods.is_empty() || comes_near_pooled(run) { said } else { by_pooled(&said) }
}

/// Adds that a statement is about pooled least squares, for runs whose rounds do not lead there.
pub(crate) fn by_pooled(said: &str) -> String {
    say!("{said} That is about pooled least squares; these rounds do not lead there.")
}

fn of_pooled(run: &Run) -> String {
    let Some(theory) = &run.theory else { return String::new() };
    let (who, now) = (the(run.settings.target), number(run.settings.heterogeneity));
    let few = if theory.has_few_alone() { say!(" (too low: few samples)") } else { "" };
    match theory.break_even {
        Ok(BreakEven::At(epsilon)) if epsilon > Key::Heterogeneity.param().grid.max() => {
            let max = number(Key::Heterogeneity.param().grid.max());
            say!(
                "Joining pays for {who} at every ε up to {max}; beyond it would stop at ε ≈ {}{few}.",
                measured(epsilon, 2)
            )
        }
        Ok(BreakEven::At(epsilon)) => {
            let pays = if run.settings.heterogeneity < epsilon { say!("still pays") } else { say!("does not pay") };
            say!("Joining stops paying for {who} at ε ≈ {}{few}; at {now} it {pays}.", measured(epsilon, 2))
        }
        Ok(BreakEven::Beyond(farthest)) => say!("Joining pays for {who} at every ε up to {}.", number(farthest)),
        Ok(BreakEven::Never) => say!("Joining does not pay for {who}, however small ε."),
        Err(reason) => say!("No break-even ε: {reason}."),
    }
}

/// Bound, slope and errors over the number of clients, up to the clients of the run.
pub fn figure(run: &Run) -> Option<Figure> {
    let theory = run.theory.as_ref()?;
    let all = theory.scaling.last()?;
    let points = |value: &dyn Fn(&OfClients) -> f64| -> Vec<Point> {
        theory.scaling.iter().map(|some| Point { x: some.n_clients as f64, y: value(some) }).collect()
    };
    let curve = |role, kind, label: &str, points| Curve { role, kind, label: label.into(), points, band: Vec::new() };
    // The slope goes through the first prediction: the curves part where heterogeneity keeps the error up. (C_1
    // over the noise term is √ΣN.)
    let root = |some: &OfClients| some.theorem1.c1 / some.theorem1.noise;
    let first = theory.scaling.first().map_or(f64::NAN, |one| one.pooled.unwrap_or(f64::NAN) * root(one));
    let mut curves = vec![
        curve(Role::ClientAlone, CurveKind::Measured, say!("bound as printed"), points(&|some| some.theorem1.bound())),
        curve(
            Role::Weighted,
            CurveKind::Pinned,
            say!("bound, noise summed"),
            points(&|some| some.theorem1.corrected()),
        ),
        curve(Role::MeanOfLocals, CurveKind::Pinned, "1/√ΣN", points(&|some| first / root(some))),
        curve(
            Role::Pooled,
            CurveKind::Predicted,
            say!("pooled, predicted"),
            points(&|some| some.pooled.unwrap_or(f64::NAN)),
        ),
    ];
    if let Some(Ok(error)) = run.summary.reference(Reference::Pooled) {
        let (x, y, half) = (all.n_clients as f64, error.mean(), error.standard_error());
        let band = half.is_finite().then_some(Band { x, low: y - half, high: y + half }).into_iter().collect();
        let measured = curve(Role::Pooled, CurveKind::Measured, say!("pooled, measured"), vec![Point { x, y }]);
        curves.push(Curve { band, ..measured });
    }
    let values = curves.iter().flat_map(|curve| &curve.points).map(|point| point.y);
    // With one client a curve would be a single dot: horizontal lines show its values instead.
    let is_one = theory.scaling.len() < 2;
    // Errors of rounding alone would leave no room for the others.
    let has_more = values.clone().any(|y| y.is_finite() && !is_rounding(y));
    let shown = values.filter(|y| y.is_finite() && *y > 0.0 && !(has_more && is_rounding(*y)));
    let (low, high) = shown.fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
    Some(Figure {
        title: None,
        x: Axis {
            label: say!("clients M").into(),
            range: if is_one { (0.7, 1.4) } else { (1.0, all.n_clients as f64) },
            scale: Scale::Log10,
            whole: true,
        },
        y: Axis {
            label: say!("error, and bound on it").into(),
            range: (0.7 * low, 1.4 * high),
            scale: Scale::Log10,
            whole: false,
        },
        levels: if is_one { curves.iter().filter_map(level).collect() } else { Vec::new() },
        words: is_one.then(|| say!("With one client there is no course along M: every line is one value.").into()),
        curves: if is_one { Vec::new() } else { curves },
        marks: Vec::new(),
    })
}

/// A horizontal line at the single value of a curve; none for the slope, which has no value of its own.
fn level(curve: &Curve) -> Option<Level> {
    let value = curve.points.first()?.y;
    let is_slope = curve.role == Role::MeanOfLocals;
    (!is_slope).then(|| Level { role: curve.role, label: curve.label.clone(), value })
}

/// Values of the curves at the computed number of clients nearest to `clients`.
pub fn reading(run: &Run, clients: f64) -> String {
    let Some(theory) = &run.theory else { return String::new() };
    let far = |some: &&OfClients| (some.n_clients as f64 - clients).abs();
    let Some(some) = theory.scaling.iter().min_by(|a, b| far(a).total_cmp(&far(b))) else { return String::new() };
    let pooled = some.pooled.map_or_else(|reason| reason.to_string(), |error| measured(error, 3));
    say!(
        "M = {}: bound {} as printed, {} with the noise summed; pooled, predicted: {pooled}",
        count(some.n_clients),
        measured(some.theorem1.bound(), 3),
        measured(some.theorem1.corrected(), 3)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::sim::family::Placement;
    use crate::sim::participation::Participation;
    use crate::sim::scenario::Settings;

    #[test]
    fn the_badge_compares_the_rollouts_with_the_hypothesis() {
        let said = |n: usize| hypothesis(run(|s| s.data.n_rollouts = n.into()).theory.as_ref().unwrap()).unwrap();
        // max{8·5 + 16 log(2·50·5/0.05), 16 log(50·5/0.05)} = 187.4.
        assert_eq!(said(25), (false, "hypothesis not met: N = 25 < 188".into()));
        assert_eq!(said(187), (false, "hypothesis not met: N = 187 < 188".into()));
        assert_eq!(said(188), (true, "hypothesis holds: N = 188 ≥ 188".into()));
    }

    #[test]
    fn the_words_are_true() {
        let run = run(|s| s.heterogeneity = 0.01);
        let bound = run.theory.as_ref().unwrap().theorem1().unwrap().bound();
        let pooled = run.summary.reference(Reference::Pooled).unwrap().unwrap().mean();
        let said = words(&run);
        assert!(said.contains(&measured(bound, 3)) && said.contains(&measured(bound / pooled, 2)), "{said}");
        assert!(said.contains("does not fall"));
        let others: [fn(&mut Settings); 3] =
            [|s| s.n_clients = 1, |s| s.data.process_noise_std = 0.0.into(), |s| s.data.input_std = 0.0.into()];
        assert!(
            others
                .iter()
                .all(|change| !words(&crate::dashboard::results::tests::run(change)).contains("does not fall"))
        );
    }

    /// If the rounds do not lead to pooled least squares, the words say that the break-even is not about them.
    #[test]
    fn the_break_even_is_that_of_rounds_that_lead_to_pooled_least_squares() {
        let unlike: [fn(&mut Settings); 3] =
            [|s| s.n_rounds = 3, |s| s.step_size = 0.01, |s| s.participation = Participation::Dropout(1.0)];
        for change in unlike {
            let said = break_even(&run(change));
            assert!(said.ends_with(" That is about pooled least squares; these rounds do not lead there."), "{said}");
        }
        assert!(break_even(&run(|_| ())).starts_with("Joining stops paying"));
    }

    #[test]
    fn the_break_even_is_told_from_either_side() {
        let said =
            |heterogeneity| break_even(&run(|s| (s.placement, s.heterogeneity) = (Placement::Even, heterogeneity)));
        assert_eq!(said(0.1), "Joining stops paying for client 1 at ε ≈ 0.35; at 0.1 it still pays.");
        assert_eq!(said(0.7), "Joining stops paying for client 1 at ε ≈ 0.35; at 0.7 it does not pay.");
        let mut far = run(|_| ());
        far.theory.as_mut().unwrap().break_even = Ok(BreakEven::At(1.1));
        let said = "Joining pays for client 1 at every ε up to 1; beyond it would stop at ε ≈ 1.1.";
        assert_eq!(break_even(&far), said);
        assert_eq!(break_even(&run(|s| s.n_clients = 1)), "No break-even ε: there is only one client.");
    }

    #[test]
    fn bound_slope_and_data_are_apart() {
        let figure = figure(&run(|_| ())).unwrap();
        let last = |label: &str| {
            let curve = figure.curves.iter().find(|curve| curve.label == label).unwrap();
            curve.points.last().unwrap().y
        };
        assert!(last("bound as printed") > 2.0 * last("bound, noise summed"));
        assert!(last("bound, noise summed") > 30.0 * last("pooled, predicted"));
        let ratio = last("pooled, measured") / last("pooled, predicted");
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
        assert!((figure.x.range.1 - 50.0).abs() < 1e-12);
    }

    #[test]
    fn of_one_client_every_value_is_a_line_and_words_say_why() {
        let run = run(|s| s.n_clients = 1);
        let figure = figure(&run).unwrap();
        let labels: Vec<_> = figure.levels.iter().map(|level| level.label.as_str()).collect();
        assert_eq!(labels, ["bound as printed", "bound, noise summed", "pooled, predicted", "pooled, measured"]);
        assert!(figure.curves.is_empty() && figure.words.unwrap().starts_with("With one client"));
        let bound = run.theory.as_ref().unwrap().theorem1().unwrap().bound();
        assert_eq!(figure.levels[0].value.to_bits(), bound.to_bits());
        assert!(figure.levels.iter().all(|level| figure.y.range.0 < level.value && level.value < figure.y.range.1));
    }

    #[test]
    fn a_reading_is_that_of_the_nearest_step() {
        let run = run(|_| ());
        assert!(reading(&run, 21.0).starts_with("M = 20: bound "));
        assert!(reading(&run, 1e9).starts_with("M = 50: bound "));
    }
}
