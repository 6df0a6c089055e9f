//! A sweep with one curve per value: the effect of a parameter on a method's errors along the rounds, as a figure and
//! in words.

use crate::dashboard::results::sweep::{Plan, Sweep, last, target_of};
use crate::dashboard::run::picture::{LONG, curve, divide, error_label, magnify, pooled};
use crate::dashboard::run::readout::Reading;
use crate::dashboard::words::counting::{Things, listed};
use crate::dashboard::words::names::method_name;
use crate::dashboard::words::thresholds::{CLEAR, SEEN, is_rounding, off};
use crate::figure::axis::{fit_runs, fit_x};
use crate::figure::number::{measured, number};
use crate::figure::{Axis, Curve, Figure, RampStep, Role, Scale};
use crate::params::views::{SweepOf, Upward};
use crate::params::{Draft, Key};
use crate::sim::estimate::Reference;
use crate::sim::scenario::Settings;
use crate::sim::stats::Running;
use crate::sim::study::Summary;
use fedsysid_say::say;

/// The experiments of a sweep: one per value.
pub fn plan(draft: &Draft, of: &SweepOf) -> Plan {
    let at = |&value: &f64| {
        let mut point = draft.clone();
        point.set(of.key, value);
        Settings { gains: false, ..point.settings() }
    };
    let points: Vec<_> = of.values.iter().map(at).collect();
    Plan { series_len: points.len(), points, ..Plan::default() }
}

/// A sweep, as far as it is computed, seen for one method.
#[derive(Clone, Copy, Debug)]
pub struct Family<'a> {
    /// The experiments and their results.
    pub sweep: &'a Sweep,
    /// The swept parameter and its values.
    pub of: &'a SweepOf,
    /// Index of the method among those of the settings.
    pub method: usize,
    /// The vertical axis. Multiples divide by the pooled least-squares error of the same value.
    pub upward: Upward,
}

impl Family<'_> {
    fn settings(&self) -> Option<&Settings> {
        self.sweep.plan.points.first()
    }

    /// The values that have results, with their indices and summaries.
    fn known(&self) -> impl Iterator<Item = (usize, f64, &Summary)> {
        let summary = |(index, &value)| Some((index, value, self.sweep.summary(index)?));
        self.of.values.iter().enumerate().filter_map(summary)
    }

    /// "M = 25".
    fn name(&self, value: f64) -> String {
        let param = self.of.key.param();
        let symbol = if param.symbol.is_empty() { param.name() } else { param.symbol };
        format!("{symbol} = {}", number(value))
    }

    fn role(&self, index: usize) -> Role {
        Role::Swept(RampStep::of(index, self.of.values.len()))
    }

    /// Figure of the sweep.
    pub fn figure(&self) -> Figure {
        let curves: Vec<_> = self.known().filter_map(|(index, value, run)| self.curve(index, value, run)).collect();
        let n_rounds = self.sweep.plan.points.iter().map(|settings| settings.n_rounds).max().unwrap_or(1);
        let scale = if n_rounds > LONG { Scale::Log10 } else { Scale::Linear };
        let rounds = match (scale, curves.is_empty()) {
            (Scale::Linear, false) => fit_x(scale, &curves),
            (Scale::Linear, true) => (0.0, n_rounds as f64),
            (Scale::Log10, _) => (1.0, n_rounds as f64),
        };
        let figure = Figure {
            title: None,
            x: Axis { label: say!("round r").into(), range: rounds, scale, whole: true },
            y: Axis {
                label: target_of(&self.sweep.plan.points).map_or_else(String::new, error_label),
                range: fit_runs(Scale::Log10, &curves, &[]),
                scale: Scale::Log10,
                whole: false,
            },
            curves,
            levels: Vec::new(),
            marks: Vec::new(),
            words: self.has_no_method().then(|| say!("Switch an algorithm on to see its curve.").into()),
        };
        if self.upward == Upward::OverPooled { magnify(figure, 1.0) } else { figure }
    }

    fn curve(&self, index: usize, value: f64, run: &Summary) -> Option<Curve> {
        let mut of_method = curve(run, run.methods.get(self.method)?);
        if self.upward == Upward::OverPooled {
            divide(&mut of_method, pooled(run)?);
        }
        Some(Curve { role: self.role(index), label: self.name(value), ..of_method })
    }

    /// Whether no algorithm is chosen that could have a curve.
    pub fn has_no_method(&self) -> bool {
        self.settings().is_some_and(|settings| settings.methods.is_empty())
    }

    /// Error of every curve after `round` rounds, or at the last recorded round before; for values without results,
    /// "not yet". None without a method.
    pub fn readings(&self, round: usize) -> Vec<Reading> {
        if self.has_no_method() {
            return Vec::new();
        }
        let error = |run: &Summary| run.methods.get(self.method)?.errors.get(run.record_at(round)).copied();
        let reading = |(index, &value): (usize, &f64)| Reading {
            role: self.role(index),
            name: self.name(value),
            value: match self.sweep.summary(index).and_then(error) {
                None => Err(say!("not yet").into()),
                Some(error) if error.mean().is_finite() => Ok(error),
                Some(_) => Err(say!("diverged").into()),
            },
            expected: None,
        };
        let reading = |place: (usize, &f64)| {
            let (reading, run) = (reading(place), self.sweep.summary(place.0));
            let Some(run) = run.filter(|_| self.upward == Upward::OverPooled) else { return reading };
            if let Some(by) = pooled(run) {
                return reading.over(by);
            }
            let reason = match run.reference(Reference::Pooled) {
                Some(Err(reason)) => reason.to_string(),
                _ => say!("no error to divide by").into(),
            };
            Reading { value: reading.value.and(Err(reason)), ..reading }
        };
        self.of.values.iter().enumerate().map(reading).collect()
    }

    /// The last round up to `x` that the longest run has recorded; without `x`, its last round.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a round that the run has recorded")]
    pub fn round(&self, x: Option<f64>) -> usize {
        let longest = self.known().map(|(_, _, run)| run).max_by_key(|run| run.rounds.last().copied());
        let asked = x.map_or(usize::MAX, |x| x as usize);
        longest.and_then(|run| run.rounds.get(run.record_at(asked)).copied()).unwrap_or(0)
    }

    /// Whether the method diverges in some data set, long before its error is no number any more.
    fn diverges(&self, run: &Summary) -> bool {
        run.methods.get(self.method).is_some_and(|method| method.n_diverged > 0)
    }

    /// The values with which the method diverges, and the others with its final errors.
    fn parted(&self) -> (Vec<f64>, Vec<(f64, Running)>) {
        let (lost, kept): (Vec<_>, Vec<_>) = self.known().partition(|(_, _, run)| self.diverges(run));
        let end = |(_, value, run)| Some((value, last(run, self.method)?));
        (lost.into_iter().map(|(_, value, _)| value).collect(), kept.into_iter().filter_map(end).collect())
    }

    /// Effect of the sweep on the final error, in words.
    pub fn sentence(&self) -> String {
        if self.has_no_method() {
            return say!("No algorithm is chosen.").into();
        }
        let Some(method) = self.settings().and_then(|settings| settings.methods.get(self.method)) else {
            return String::new();
        };
        let name = method_name(*method);
        if self.of.key == Key::Seed {
            return self.sentence_of_seeds(&name);
        }
        let (diverging, ends) = self.parted();
        let of_ends = self.sentence_of_ends(&name, &ends);
        let Some((&first, others)) = diverging.split_first() else { return of_ends };
        // One symbol for all values: "At Nᵢ = 800 and 1600".
        let values: Vec<_> = [self.name(first)].into_iter().chain(others.iter().map(|&value| number(value))).collect();
        let of_diverging = say!("At {}, {name} diverges.", listed(&values));
        if ends.len() > 1 { format!("{of_ends} {of_diverging}") } else { of_diverging }
    }

    /// How the final error changes from the first to the last value with which the method does not diverge.
    fn sentence_of_ends(&self, name: &str, ends: &[(f64, Running)]) -> String {
        let (Some((first, before)), Some((end, after))) = (ends.first(), ends.last()) else { return String::new() };
        let (from, to) = (self.name(*first), self.name(*end));
        if ends.len() == 1 {
            return say!("At {from}, {name} ends at {}.", off(before.mean()));
        }
        if self.of.key == Key::Trials {
            let (mean, error) = (off(after.mean()), measured(after.standard_error(), 2));
            return say!(
                "More data sets change no error of {name}, only how well it is known: {mean} ± {error} at {to}."
            );
        }
        match (before, after) {
            _ if is_rounding(before.mean()) || is_rounding(after.mean()) => say!(
                "From {from} to {to}, the final error of {name} goes from {} to {}.",
                off(before.mean()),
                off(after.mean())
            ),
            _ if !is_seen(before, after) => say!(
                "From {from} to {to}, the final error of {name} hardly changes: {} and {}.",
                measured(before.mean(), 3),
                measured(after.mean(), 3)
            ),
            _ if before.n() == 1 || after.n() == 1 => say!(
                "From {from} to {to}, the final error of {name} goes from {} to {} in one data set; more show what is chance.",
                measured(before.mean(), 3),
                measured(after.mean(), 3)
            ),
            _ if !is_clear(before, after) => say!(
                "From {from} to {to}, the final error of {name} goes from {} to {}, too close to call.",
                measured(before.mean(), 3),
                measured(after.mean(), 3)
            ),
            _ => {
                let (before, after) = (before.mean(), after.mean());
                let (how, factor) =
                    if after < before { (say!("falls"), before / after) } else { (say!("grows"), after / before) };
                say!(
                    "From {from} to {to}, the final error of {name} {how} {}-fold, {} to {}.",
                    measured(factor, 2),
                    measured(before, 3),
                    measured(after, 3)
                )
            }
        }
    }

    /// Seeds have no order: the sentence gives the range of final errors, which shows how much depends on the draw.
    fn sentence_of_seeds(&self, name: &str) -> String {
        let (diverging, ends) = self.parted();
        let (n, all) = (diverging.len(), diverging.len() + ends.len());
        let means = ends.iter().map(|(_, end)| end.mean());
        let (low, high) =
            means.fold((f64::INFINITY, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        let [low, high] = [low, high].map(|end| measured(end, 3));
        match n {
            _ if all == 0 => String::new(),
            0 => say!("With these seeds, {name} ends between {} and {}.", low, high),
            _ if n == all => say!("{name} diverges with every seed."),
            _ => say!("{name} diverges with {n} of {all} seeds, else it ends between {} and {}.", low, high),
        }
    }

    /// What the curves are.
    pub fn caption(&self) -> String {
        let Some(settings) = self.settings() else { return String::new() };
        let sets = match self.of.key {
            Key::Trials => say!("its data sets").into(),
            _ => Things::DataSets.counted(settings.n_trials),
        };
        match self.upward {
            Upward::Error => {
                let is_lost = |index: usize| self.sweep.summary(index).is_some_and(|run| self.diverges(run));
                let has_band = |(index, point): (usize, &Settings)| point.n_trials > 1 && !is_lost(index);
                let has_band = self.sweep.plan.points.iter().enumerate().any(has_band);
                let band = if has_band { say!("; band: ±1 standard error") } else { "" };
                say!("One curve per value, each the mean of {sets}{band}.")
            }
            Upward::OverPooled => {
                say!(
                    "One curve per value, each the mean of {sets}, as multiples of its own pooled least squares’ error."
                )
            }
        }
    }
}

/// Whether two errors differ by more than a visible factor.
fn is_seen(before: &Running, after: &Running) -> bool {
    !(1.0 / SEEN..SEEN).contains(&(after.mean() / before.mean()))
}

/// Whether two errors differ by more than their standard errors explain.
fn is_clear(before: &Running, after: &Running) -> bool {
    let difference = (after.mean() - before.mean()).abs();
    difference > CLEAR * before.standard_error().hypot(after.standard_error())
}

#[cfg(test)]
#[expect(clippy::redundant_closure_for_method_calls, reason = "the path of a method is of one lifetime, not of any")]
mod tests {
    use super::*;
    use crate::dashboard::results::sweep::tests::complete;
    use crate::params::State;

    fn draft() -> Draft {
        let mut draft = Draft::default();
        draft.set(Key::Trials, 3.0);
        draft.set(Key::Heterogeneity, 0.01);
        draft
    }

    #[test]
    fn there_is_a_curve_a_value_and_it_is_that_studys() {
        let of = SweepOf::begun(Key::Clients).unwrap();
        let sweep = complete(&plan(&draft(), &of));
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error };
        let figure = family.figure();
        let labels: Vec<_> = figure.curves.iter().map(|curve| curve.label.as_str()).collect();
        assert_eq!(labels, ["M = 1", "M = 2", "M = 5", "M = 25", "M = 100"]);
        for (index, curve) in figure.curves.iter().enumerate() {
            let end = sweep.summary(index).unwrap().methods[0].errors[200].mean();
            assert_eq!(curve.points[200].y.to_bits(), end.to_bits());
            let read = family.readings(usize::MAX)[index].value.as_ref().unwrap().mean();
            assert_eq!(read.to_bits(), end.to_bits());
        }
        let said = family.sentence();
        assert!(said.starts_with("From M = 1 to M = 100, the final error of FedLin falls "), "{said}");
    }

    #[test]
    fn noise_is_no_change_and_seeds_have_no_order() {
        let said = |key: Key, values: Vec<f64>| {
            let of = SweepOf { key, values };
            let sweep = complete(&plan(&draft(), &of));
            Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error }.sentence()
        };
        let pull = said(Key::Pull, vec![0.0, 5.0]);
        assert!(pull.starts_with("From μ = 0 to μ = 5, the final error of FedLin hardly changes: "), "{pull}");
        let seeds = said(Key::Seed, vec![1.0, 2.0, 3.0]);
        assert!(seeds.starts_with("With these seeds, FedLin ends between 0.0"), "{seeds}");
        let sets = said(Key::Trials, vec![1.0, 4.0]);
        assert!(sets.starts_with("More data sets change no error of FedLin"), "{sets}");
        assert!(sets.contains(" ± ") && sets.ends_with(" at q = 4."), "{sets}");
    }

    /// One data set has no standard error, so that nothing tells an effect from chance.
    #[test]
    fn of_one_data_set_no_effect_is_claimed() {
        let mut draft = draft();
        draft.set(Key::Trials, 1.0);
        let of = SweepOf { key: Key::Clients, values: vec![1.0, 50.0] };
        let sweep = complete(&plan(&draft, &of));
        let said = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error }.sentence();
        assert!(said.ends_with(" in one data set; more show what is chance."), "{said}");
    }

    #[test]
    fn without_an_algorithm_that_is_said() {
        let (draft, _) = Draft::from_query("alg=none&q=2");
        let of = SweepOf { key: Key::Clients, values: vec![1.0, 5.0] };
        let sweep = complete(&plan(&draft, &of));
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error };
        assert!(family.readings(usize::MAX).is_empty() && family.figure().words.is_some());
        assert_eq!(family.sentence(), "No algorithm is chosen.");
    }

    #[test]
    fn multiples_are_each_of_its_own_pooled_least_squares() {
        let of = SweepOf { key: Key::Clients, values: vec![2.0, 20.0] };
        let sweep = complete(&plan(&draft(), &of));
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::OverPooled };
        let figure = family.figure();
        for (index, curve) in figure.curves.iter().enumerate() {
            let run = sweep.summary(index).unwrap();
            let ratio = run.methods[0].errors[200].mean() / pooled(run).unwrap();
            assert!((curve.points[200].y - ratio).abs() < 1e-12);
            assert!((family.readings(200)[index].value.as_ref().unwrap().mean() - ratio).abs() < 1e-12);
        }
        assert!(figure.y.range.1 < 5.0 && family.caption().ends_with("least squares’ error."));
    }

    #[test]
    fn what_is_not_in_yet_is_not_shown() {
        let of = SweepOf::begun(Key::Clients).unwrap();
        let sweep = Sweep::new(plan(&draft(), &of), crate::protocol::Generation(1), 0.0);
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error };
        assert_eq!((family.figure().curves.len(), family.round(None)), (0, 0));
        let readings = family.readings(3);
        assert!(readings.len() == 5 && readings.iter().all(|reading| reading.value == Err("not yet".into())));
        assert_eq!(family.sentence(), "");
        assert_eq!(family.figure().x.range, (0.0, 200.0));
    }

    #[test]
    fn runs_of_different_length_are_read_each_to_its_end() {
        let of = SweepOf { key: Key::Rounds, values: vec![20.0, 60.0] };
        let sweep = complete(&plan(&draft(), &of));
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error };
        assert_eq!((family.round(None), family.round(Some(33.0)), family.figure().x.range.1), (60, 33, 60.0));
        let short = sweep.summary(0).unwrap().methods[0].errors[20].mean();
        assert_eq!(family.readings(33)[0].value.as_ref().unwrap().mean().to_bits(), short.to_bits());
    }

    #[test]
    fn a_value_that_diverges_is_said() {
        let of = SweepOf { key: Key::StepSize, values: vec![1e-4, 1e-2] };
        let sweep = complete(&plan(&draft(), &of));
        let family = Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error };
        assert_eq!(family.sentence(), "At α = 0.01, FedLin diverges.");
        let several = SweepOf { values: vec![1e-5, 1e-4, 1e-2, 0.1], ..of };
        let sweep = complete(&plan(&draft(), &several));
        let said = Family { sweep: &sweep, of: &several, method: 0, upward: Upward::Error }.sentence();
        assert!(said.starts_with("From α = 0.00001 to α = 0.0001, the final error of FedLin falls "), "{said}");
        assert!(said.ends_with(" At α = 0.01 and 0.1, FedLin diverges."), "{said}");
    }

    fn seen<T>(query: &str, upward: Upward, look: impl Fn(&Family<'_>) -> T) -> T {
        let state = State::from_query(query).0;
        let of = state.views.sweep.unwrap();
        let sweep = complete(&plan(&state.draft, &of));
        look(&Family { sweep: &sweep, of: &of, method: 0, upward })
    }

    /// After a few rounds it is still a number.
    #[test]
    fn what_diverges_is_no_end_even_while_it_is_a_number() {
        let said = seen("M=2&R=3&q=2&sweep=alpha:0.00001,0.0001,0.01", Upward::Error, |family| family.sentence());
        assert!(said.starts_with("From α = 0.00001 to α = 0.0001, "), "{said}");
        assert!(said.ends_with(" At α = 0.01, FedLin diverges."), "{said}");
    }

    #[test]
    fn seeds_that_diverge_are_counted_and_nothing_is_said_before() {
        let of = SweepOf { key: Key::Seed, values: vec![1.0, 2.0, 3.0, 4.0] };
        let nothing = Sweep::new(plan(&draft(), &of), crate::protocol::Generation(1), 0.0);
        let sentence = |sweep: &Sweep| Family { sweep, of: &of, method: 0, upward: Upward::Error }.sentence();
        assert_eq!(sentence(&nothing), "");
        let said = |steps: [f64; 4]| {
            let mut plan = plan(&draft(), &of);
            plan.points.iter_mut().zip(steps).for_each(|(point, step)| point.step_size = step);
            sentence(&complete(&plan))
        };
        let some = said([1e-4, 1e-2, 1e-4, 1e-4]);
        assert!(some.starts_with("FedLin diverges with 1 of 4 seeds, else it ends between 0.0"), "{some}");
        assert_eq!(said([1e-2; 4]), "FedLin diverges with every seed.");
    }

    #[test]
    fn without_a_divisor_there_is_a_reason() {
        let read = |query: &str| seen(query, Upward::OverPooled, |family| family.readings(9)[0].value.clone());
        assert_eq!(read("M=2&eps=0&R=9&q=2&sweep=sw:0,1"), Err("no error to divide by".into()));
        let few = read("M=1&T=4&R=9&q=2&sweep=N:1,25").unwrap_err();
        assert!(few.starts_with("least squares needs "), "{few}");
        assert!(read("M=2&R=9&q=2&sweep=N:5,25").is_ok());
    }

    #[test]
    fn the_caption_has_each_curve_s_data_sets_and_a_band_if_there_is_one() {
        let caption = |query: &str| seen(query, Upward::Error, |family| family.caption());
        let each = "One curve per value, each the mean of ";
        assert_eq!(caption("M=2&R=3&sweep=q:1,5"), format!("{each}its data sets; band: ±1 standard error."));
        assert_eq!(caption("M=2&R=3&q=4&sweep=N:5,25"), format!("{each}4 data sets; band: ±1 standard error."));
        assert_eq!(caption("M=2&R=3&q=4&alpha=0.01&sweep=N:25,50"), format!("{each}4 data sets."));
    }
}
