//! The trade-off: final error against one parameter, at one setting or at two.
//!
//! Points are studies of their own, with one standard error to either side; lines are what theory expects, the long dashes of
//! an algorithm in its color and those of a client alone in gray. Where the lines of pooled and of own least squares cross,
//! joining ceases to pay, or begins to.

use super::picture::{method_name, reference_name, solver_role, whose};
use super::readout::Reading;
use super::sweep::{Plan, Sweep};
use crate::figure::axis::fit;
use crate::figure::number::{count, measured, number};
use crate::figure::{Axis, Band, Curve, CurveKind, Figure, Mark, Point, Role, Scale};
use crate::params::views::Across;
use crate::params::{Draft, Key, Views};
use crate::sim::estimate::Reference;
use crate::sim::method::Method;
use crate::sim::scenario::Settings;
use crate::sim::spread::{Quantity, Spread};
use crate::sim::stats::Running;
use crate::sim::study::Summary;
use crate::theory::break_even::BreakEven;
use crate::theory::{MethodTheory, Theory};
use fedsysid_say::say;

/// Values along an axis, about even in proportion.
const HETEROGENEITY: [f64; 15] = [0.01, 0.015, 0.02, 0.03, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0];
const CLIENTS: [f64; 15] = [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0];
const ROLLOUTS: [f64; 15] =
    [4.0, 5.0, 7.0, 10.0, 14.0, 20.0, 25.0, 35.0, 50.0, 70.0, 100.0, 140.0, 200.0, 280.0, 400.0];

/// The values along an axis: decades further on where the present value is beyond them.
pub fn values(across: Across, draft: &Draft) -> Vec<f64> {
    let (values, key) = match across {
        Across::Heterogeneity => (HETEROGENEITY, Key::Heterogeneity),
        Across::Clients => (CLIENTS, Key::Clients),
        Across::Rollouts => (ROLLOUTS, Key::Rollouts),
    };
    let (now, max) = (draft.get(key), key.param().grid.max());
    let mut scale = 1.0;
    while now > scale * values[14] {
        scale *= 10.0;
    }
    values.iter().map(|value| value * scale).filter(|&value| value <= max).collect()
}

/// The studies of a trade-off: those at the present settings, and then those at the second one.
pub fn plan(draft: &Draft, views: &Views) -> Plan {
    let values = values(views.across, draft);
    let second = views.beside.map(|(key, value)| {
        let mut second = draft.clone();
        second.set(key, value);
        second
    });
    let at = |draft: &Draft, &x: &f64| {
        let mut point = draft.clone();
        point.set(views.across.key(), x);
        Settings { gains: false, ..point.settings() }
    };
    let series = |draft: &Draft| values.iter().map(|x| at(draft, x)).collect::<Vec<_>>();
    let mut points = series(draft);
    points.extend(second.iter().flat_map(series));
    Plan { points, series_len: values.len(), expects: true }
}

/// A trade-off, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub struct TradeOff<'a> {
    /// The studies.
    pub sweep: &'a Sweep,
    /// Those that they replace, to be seen until these are in.
    pub before: Option<&'a Sweep>,
    /// What lies along the axis.
    pub across: Across,
    /// What the second setting differs in.
    pub beside: Option<(Key, f64)>,
    /// The present value along the axis.
    pub now: f64,
}

/// One of the lines of points: the studies at one of the two settings.
#[derive(Clone, Copy)]
struct Series<'a> {
    sweep: &'a Sweep,
    across: Across,
    first: usize,
    is_second: bool,
}

impl<'a> TradeOff<'a> {
    fn series(&self) -> Vec<Series<'a>> {
        let len = self.sweep.plan.series_len.max(1);
        let firsts = (0..self.sweep.plan.points.len()).step_by(len);
        let (sweep, across) = (self.sweep, self.across);
        firsts.map(|first| Series { sweep, across, first, is_second: first > 0 }).collect()
    }

    /// What is swept, and both settings in words: "M = 50", "M = 5".
    fn names(&self) -> (String, String) {
        let Some((key, value)) = self.beside else { return (String::new(), String::new()) };
        let symbol = key.param().symbol;
        let now = self.sweep.plan.points.first().map_or(f64::NAN, |settings| value_of(key, settings));
        (format!("{symbol} = {}", number(now)), format!("{symbol} = {}", number(value)))
    }

    /// The trade-off as a figure.
    pub fn figure(&self) -> Figure {
        let (name, second_name) = self.names();
        let mut curves = self.before_curves();
        for series in self.series() {
            curves.extend(series.curves(if series.is_second { &second_name } else { &name }));
        }
        let xs = self.xs();
        let (low, high) = (xs.first().copied().unwrap_or(1.0), xs.last().copied().unwrap_or(10.0));
        let target = self.sweep.plan.points.first().map(|settings| settings.target);
        Figure {
            title: None,
            x: Axis {
                label: axis_label(self.across),
                range: (low * 0.93, high * 1.07),
                scale: Scale::Log10,
                whole: self.across != Across::Heterogeneity,
            },
            y: Axis {
                label: say!("final error, {}", target.map_or_else(String::new, whose)),
                range: fit(Scale::Log10, &curves, &[]),
                scale: Scale::Log10,
                whole: false,
            },
            curves,
            levels: Vec::new(),
            marks: self.marks(),
            words: None,
        }
    }

    /// What was there before, as thin lines, while the points are coming in.
    fn before_curves(&self) -> Vec<Curve> {
        let Some(before) = self.before.filter(|before| before.plan.series_len == self.sweep.plan.series_len) else {
            return Vec::new();
        };
        let old = Series { sweep: before, across: self.across, first: 0, is_second: false };
        let ghost = |which: usize| {
            let points = old.points(old.role(which), String::new(), |summary| last(summary, which));
            Curve { kind: CurveKind::Pinned, band: Vec::new(), ..points }
        };
        (0..old.n_methods()).map(ghost).collect()
    }

    fn xs(&self) -> Vec<f64> {
        self.series().first().map(Series::xs).unwrap_or_default()
    }

    /// Where joining ceases or begins to pay, and where the settings are now.
    fn marks(&self) -> Vec<Mark> {
        let now =
            Mark { role: None, x: self.now, y: None, label: say!("now").into(), detail: said(self.across, self.now) };
        let (name, second_name) = self.names();
        let crossing = |series: &Series<'_>| {
            let name = if series.is_second { &second_name } else { &name };
            let of = if name.is_empty() { String::new() } else { format!(" ({name})") };
            series.crossing().map(|(x, y)| Mark {
                role: Some(Role::ClientAlone),
                x,
                y: Some(y),
                label: say!("break-even{of}"),
                detail: said(self.across, x),
            })
        };
        self.series().iter().filter_map(crossing).chain([now]).collect()
    }

    /// The numbers at the value nearest to `x`.
    pub fn readings(&self, x: f64) -> Vec<Reading> {
        let (name, second_name) = self.names();
        let of = |series: &Series<'_>| if series.is_second { second_name.clone() } else { name.clone() };
        self.series().iter().flat_map(|series| series.readings(x, &of(series))).collect()
    }

    /// The value along the axis that is nearest to `x`.
    pub fn nearest(&self, x: f64) -> Option<f64> {
        let distance = |value: &f64| (value / x).ln().abs();
        self.xs().into_iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// What the picture shows, in words.
    pub fn sentence(&self) -> String {
        let (_, second_name) = self.names();
        let of_series = |series: &Series<'_>| {
            let whose = if series.is_second { say!("With {second_name}") } else { String::new() };
            series.sentence(&whose)
        };
        let sentences: Vec<_> = self.series().iter().filter_map(of_series).collect();
        sentences.join(" ")
    }

    /// The bound as printed, on its own terms, at the present settings.
    pub fn bound(&self) -> String {
        let theory = self.xs().iter().position(|&x| x >= self.now * 0.999).and_then(|index| self.sweep.theory(index));
        let Some((theory, theorem1)) = theory.and_then(|theory| Some((theory, theory.theorem1()?))) else {
            return String::new();
        };
        let hypothesis = super::bound::hypothesis(theory).map(|(_, words)| words).unwrap_or_default();
        say!("Theorem 1 as printed bounds the error here by {} ({hypothesis}).", measured(theorem1.bound(), 3))
    }
}

impl Series<'_> {
    fn indices(&self) -> std::ops::Range<usize> {
        self.first..(self.first + self.sweep.plan.series_len).min(self.sweep.plan.points.len())
    }

    fn xs(&self) -> Vec<f64> {
        self.indices().map(|index| value_of(self.across.key(), &self.sweep.plan.points[index])).collect()
    }

    fn settings(&self) -> Option<&Settings> {
        self.sweep.plan.points.get(self.first)
    }

    fn methods(&self) -> &[Method] {
        self.settings().map_or(&[], |settings| &settings.methods)
    }

    fn n_methods(&self) -> usize {
        self.methods().len()
    }

    fn role(&self, which: usize) -> Role {
        solver_role(self.methods()[which].solver)
    }

    /// Whether a client alone fares differently at the two settings: only if its own data do.
    fn alone_differs(&self) -> bool {
        let data = |index: usize| self.sweep.plan.points.get(index).map(|s| (&s.data, s.heterogeneity, s.target));
        data(0) != data(self.sweep.plan.series_len)
    }

    /// What a client alone is called, where it is shown: once, unless its errors differ.
    fn own_name(&self, name: &str) -> Option<String> {
        let own = reference_name(Reference::ClientAlone, self.settings()?.target);
        match (self.alone_differs() && !name.is_empty(), self.is_second) {
            (true, _) => Some(format!("{own}, {name}")),
            (false, true) => None,
            (false, false) => Some(own),
        }
    }

    /// Points and prediction of every method, and of the client alone.
    fn curves(&self, name: &str) -> Vec<Curve> {
        let label = |of: &str| if name.is_empty() { of.to_owned() } else { format!("{of}, {name}") };
        let mut curves = Vec::new();
        for which in 0..self.n_methods() {
            let name = label(&method_name(self.methods()[which]));
            curves.push(self.predicted(self.role(which), |theory| method_end(theory.methods.get(which)?)));
            curves.push(self.points(self.role(which), name, |summary| last(summary, which)));
        }
        if let Some(name) = self.own_name(name) {
            curves.push(self.predicted(Role::ClientAlone, |theory| theory.alone.ok()));
            curves.push(self.points(Role::ClientAlone, name, alone));
        }
        curves
    }

    fn points(&self, role: Role, label: String, value: impl Fn(&Summary) -> Option<Running>) -> Curve {
        let (mut points, mut band) = (Vec::new(), Vec::new());
        for (index, x) in self.indices().zip(self.xs()) {
            let Some(value) = self.sweep.summary(index).and_then(&value) else { continue };
            let (mean, half) = (value.mean(), value.standard_error());
            points.push(Point { x, y: mean });
            if (mean + half).is_finite() {
                band.push(Band { x, low: mean - half, high: mean + half });
            }
        }
        let kind = if self.is_second { CurveKind::Beside } else { CurveKind::Points };
        Curve { role, kind, label, points, band }
    }

    fn predicted(&self, role: Role, value: impl Fn(&Theory) -> Option<f64>) -> Curve {
        let at = |(index, x)| Some(Point { x, y: value(self.sweep.theory(index)?)? });
        let points = self.indices().zip(self.xs()).filter_map(at).collect();
        let kind = if self.is_second { CurveKind::PredictedBeside } else { CurveKind::Predicted };
        Curve { role, kind, label: String::new(), points, band: Vec::new() }
    }

    /// Where the errors to expect of pooled and of own least squares meet: the value along the axis, and the error.
    fn crossing(&self) -> Option<(f64, f64)> {
        let theories: Vec<_> =
            self.indices().zip(self.xs()).filter_map(|(index, x)| Some((x, self.sweep.theory(index)?))).collect();
        let found = |theory: &Theory| if let Ok(BreakEven::At(x)) = theory.break_even { Some(x) } else { None };
        if self.across == Across::Heterogeneity {
            // Any of them knows, better than interpolation does; the error there is that of the client alone.
            let (x, theory) = theories.first().and_then(|(_, theory)| Some((found(theory)?, theory)))?;
            return Some((x, theory.alone.ok()?));
        }
        let both = |(x, theory): &(f64, &Theory)| Some((*x, theory.pooled.ok()?.ln(), theory.alone.ok()?.ln()));
        let known: Vec<_> = theories.iter().filter_map(both).collect();
        known.windows(2).find_map(|pair| {
            let [(x0, pooled0, alone0), (x1, pooled1, alone1)] = [pair[0], pair[1]];
            let (before, after) = (pooled0 - alone0, pooled1 - alone1);
            let share = before / (before - after);
            let between = |from: f64, to: f64| (from + share * (to - from)).exp();
            // One client alone is the pool: there it begins at 0, and is no crossing.
            let crosses = before.abs() > 1e-9 && before.signum() != after.signum();
            crosses.then(|| (between(x0.ln(), x1.ln()), between(alone0, alone1)))
        })
    }

    fn readings(&self, x: f64, name: &str) -> Vec<Reading> {
        let Some(index) = self.indices().zip(self.xs()).find(|(_, at)| (at / x - 1.0).abs() < 1e-9) else {
            return Vec::new();
        };
        let (summary, theory) = (self.sweep.summary(index.0), self.sweep.theory(index.0));
        let label = |of: String| if name.is_empty() { of } else { format!("{of}, {name}") };
        let read = |value: Option<Running>| match value {
            None => Err(say!("not yet").to_owned()),
            Some(value) if value.mean().is_finite() => Ok(value),
            Some(_) => Err(say!("diverged").to_owned()),
        };
        let method = |which: usize| Reading {
            role: self.role(which),
            name: label(method_name(self.methods()[which])),
            value: read(summary.and_then(|summary| last(summary, which))),
            expected: theory.and_then(|theory| method_end(theory.methods.get(which)?)),
        };
        let own = self.own_name(name).map(|name| Reading {
            role: Role::ClientAlone,
            name,
            value: match summary.and_then(|summary| summary.reference(Reference::ClientAlone)) {
                Some(Err(reason)) => Err(reason.to_string()),
                Some(Ok(value)) => Ok(value),
                None => Err(say!("not yet").to_owned()),
            },
            expected: theory.and_then(|theory| theory.alone.ok()),
        });
        (0..self.n_methods()).map(method).chain(own).collect()
    }

    fn sentence(&self, whose_setting: &str) -> Option<String> {
        let who = whose(self.settings()?.target);
        let begin = |text: String| {
            if whose_setting.is_empty() { text } else { format!("{whose_setting}, {}", lower_first(&text)) }
        };
        if let Some((x, error)) = self.crossing() {
            let (at, error) = (said(self.across, x), measured(error, 3));
            return Some(begin(match self.across {
                Across::Heterogeneity => say!("Joining pays for {who} up to {at}, where both are off by {error}."),
                Across::Clients | Across::Rollouts if self.pays_first() => {
                    say!("Joining pays for {who} up to {at}: with more, its own data are better ({error}).")
                }
                Across::Clients | Across::Rollouts => say!("Joining pays for {who} from {at} on ({error})."),
            }));
        }
        let last = self.indices().rev().find_map(|index| self.sweep.theory(index))?;
        let (pooled, alone) = (last.pooled.ok()?, last.alone.ok()?);
        let does = if pooled < alone { say!("pays") } else { say!("does not pay") };
        Some(begin(say!("Joining {does} for {who} all along this axis.")))
    }

    /// Whether joining pays at the smallest value that is known.
    fn pays_first(&self) -> bool {
        let differs = |theory: &&Theory| theory.pooled.is_ok() && theory.pooled != theory.alone;
        let first = self.indices().filter_map(|index| self.sweep.theory(index)).find(differs);
        first.is_some_and(|theory| theory.pooled.unwrap_or(f64::NAN) < theory.alone.unwrap_or(f64::NAN))
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

/// A method's error after the last round.
pub fn last(summary: &Summary, which: usize) -> Option<Running> {
    summary.methods.get(which)?.errors.last().copied()
}

fn alone(summary: &Summary) -> Option<Running> {
    summary.reference(Reference::ClientAlone)?.ok()
}

fn method_end(theory: &MethodTheory) -> Option<f64> {
    theory.prediction.as_ref().ok()?.means.last().copied()
}

/// The value that a study has for a parameter.
pub fn value_of(key: Key, settings: &Settings) -> f64 {
    let first = |spread: &Spread<usize>, quantity| spread.get(quantity, 0).unwrap_or(0) as f64;
    match key {
        Key::Heterogeneity => settings.heterogeneity,
        Key::Clients => settings.n_clients as f64,
        Key::Rollouts => first(&settings.data.n_rollouts, Quantity::Rollouts),
        Key::LocalSteps => first(&settings.n_local_steps, Quantity::LocalSteps),
        Key::RolloutLen => first(&settings.data.rollout_len, Quantity::RolloutLen),
        Key::StepSize => settings.step_size,
        Key::Rounds => settings.n_rounds as f64,
        Key::Trials => settings.n_trials as f64,
        _ => f64::NAN,
    }
}

fn axis_label(across: Across) -> String {
    let param = across.key().param();
    format!("{} {}", param.name(), param.symbol)
}

/// A value along an axis, in words: "ε = 0.63", "M = 3".
fn said(across: Across, value: f64) -> String {
    let symbol = across.key().param().symbol;
    match across {
        Across::Heterogeneity => format!("{symbol} = {}", measured(value, 2)),
        Across::Clients | Across::Rollouts => format!("{symbol} = {}", number(value.round())),
    }
}

/// "15 values of ε, 25 data sets each": what the caption says was done.
pub fn caption(trade_off: &TradeOff<'_>) -> String {
    let plan = &trade_off.sweep.plan;
    let Some(settings) = plan.points.first() else { return String::new() };
    let param = trade_off.across.key().param();
    say!(
        "Error after {} rounds at {} values of {}: dots are means over {} data sets with one standard error, dashes what \
         theory expects.",
        count(settings.n_rounds),
        plan.series_len,
        param.symbol,
        count(settings.n_trials),
    )
}

#[cfg(test)]
mod tests {
    use super::super::sweep::tests::complete;
    use super::*;
    use crate::params::View;

    fn small(change: impl Fn(&mut Draft)) -> Draft {
        let mut draft = Draft::default();
        draft.set(Key::Trials, 3.0);
        draft.set(Key::Clients, 20.0);
        change(&mut draft);
        draft
    }

    fn views(across: Across) -> Views {
        Views { view: View::TradeOff, across, ..Views::default() }
    }

    fn shown<T>(draft: &Draft, views: &Views, look: impl Fn(&TradeOff<'_>) -> T) -> T {
        let sweep = complete(&plan(draft, views));
        let now = draft.get(views.across.key());
        look(&TradeOff { sweep: &sweep, before: None, across: views.across, beside: views.beside, now })
    }

    fn look_at(trade_off: &TradeOff<'_>) -> Figure {
        trade_off.figure()
    }

    #[test]
    fn the_axis_reaches_the_present_value() {
        for across in [Across::Heterogeneity, Across::Clients, Across::Rollouts] {
            for value in [0.01, 1.0, 60.0, 3_000.0, 1e9] {
                let draft = small(|draft| {
                    draft.set(across.key(), value);
                });
                let values = values(across, &draft);
                assert!(values.len() > 7 && values.windows(2).all(|pair| pair[0] < pair[1]), "{across:?} {value}");
                assert!(draft.get(across.key()) <= values[values.len() - 1], "{across:?} {value}");
            }
        }
    }

    #[test]
    fn a_point_is_the_study_at_its_value() {
        use crate::sim::scenario::Scenario;
        use crate::sim::study::Study;
        let draft = small(|_| ());
        let plan = plan(&draft, &views(Across::Heterogeneity));
        let sweep = complete(&plan);
        let expected = Study::new(Scenario::new(plan.points[4].clone()).unwrap()).run();
        let figure = shown(&draft, &views(Across::Heterogeneity), look_at);
        let fedlin = figure.curves.iter().find(|curve| curve.role == Role::FedLin && curve.kind == CurveKind::Points);
        let point = fedlin.unwrap().points[4];
        assert_eq!(sweep.summary(4), Some(&expected));
        let which =
            plan.points[4].methods.iter().position(|method| solver_role(method.solver) == Role::FedLin).unwrap();
        assert_eq!(point.y.to_bits(), expected.methods[which].errors.last().unwrap().mean().to_bits());
        assert_eq!(point.x.to_bits(), plan.points[4].heterogeneity.to_bits());
    }

    #[test]
    fn break_even_is_marked_where_theory_has_it() {
        let draft = small(|_| ());
        let (mark, sentence) = shown(&draft, &views(Across::Heterogeneity), |trade_off| {
            (trade_off.figure().marks[0].clone(), trade_off.sentence())
        });
        assert!((0.3..1.2).contains(&mark.x), "{mark:?}");
        assert!(sentence.starts_with("Joining pays for client 1 up to ε = "), "{sentence}");
    }

    /// Along N, more of one's own data make joining pointless: where the ratio that theory has crosses 1.
    #[test]
    fn along_rollouts_joining_ceases_to_pay() {
        let draft = small(|draft| {
            draft.set(Key::Heterogeneity, 0.4);
            draft.set(Key::StepSize, 1e-5);
        });
        let (crossing, sentence) = shown(&draft, &views(Across::Rollouts), |trade_off| {
            (trade_off.series()[0].crossing().unwrap(), trade_off.sentence())
        });
        // At that N, the break-even ε is the present one.
        let at = small(|draft| {
            draft.set(Key::Heterogeneity, 0.4);
            draft.set(Key::Rollouts, crossing.0.round());
        });
        let theory = shown(&at, &views(Across::Heterogeneity), |trade_off| trade_off.sweep.theory(0).cloned().unwrap());
        assert!(matches!(theory.break_even, Ok(BreakEven::At(x)) if (x / 0.4 - 1.0).abs() < 0.05), "{theory:?}");
        assert!(sentence.contains("up to Nᵢ = "), "{sentence}");
    }

    #[test]
    fn a_second_setting_has_points_lines_and_a_name() {
        let draft = small(|_| ());
        let two = Views { beside: Some((Key::Clients, 3.0)), ..views(Across::Heterogeneity) };
        let (figure, readings) =
            shown(&draft, &two, |trade_off| (trade_off.figure(), trade_off.readings(trade_off.nearest(0.11).unwrap())));
        let labels: Vec<_> = figure.curves.iter().map(|curve| curve.label.as_str()).filter(|l| !l.is_empty()).collect();
        assert!(labels.contains(&"FedLin, M = 20") && labels.contains(&"FedLin, M = 3"), "{labels:?}");
        assert_eq!(figure.curves.iter().filter(|curve| curve.kind == CurveKind::PredictedBeside).count(), 2);
        assert_eq!(readings.len(), 5);
        assert_eq!(readings[2].name, "client 1 alone", "it fares alike among few and many");
        assert!(readings.iter().all(|reading| reading.value.is_ok()), "{readings:?}");
    }

    #[test]
    fn what_is_not_in_yet_is_said_and_shown_as_before() {
        let (old, new) = (small(|_| ()), small(|draft| (draft.set(Key::Clients, 10.0), ()).1));
        let views = views(Across::Heterogeneity);
        let before = complete(&plan(&old, &views));
        let sweep = Sweep::new(plan(&new, &views), crate::protocol::Generation(1), 0.0);
        let trade_off = TradeOff { sweep: &sweep, before: Some(&before), across: views.across, beside: None, now: 0.3 };
        let pinned = trade_off.figure().curves.into_iter().filter(|curve| curve.kind == CurveKind::Pinned);
        assert!(pinned.map(|curve| curve.points.len()).eq([15, 15]));
        assert_eq!(trade_off.readings(0.1)[0].value, Err("not yet".into()));
        assert_eq!((trade_off.sentence(), trade_off.bound()), (String::new(), String::new()));
    }
}
