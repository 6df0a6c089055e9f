//! Pinned runs: as ghosts in the figure, and in words beside the present run.

use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::{Plan, State, Sweeps};
use crate::dashboard::run::picture::curve;
use crate::dashboard::words::names::method_name;
use crate::dashboard::words::thresholds::{is_rounding, off};
use crate::figure::axis::{fit_runs, fit_x};
use crate::figure::number::beside_one;
use crate::figure::{Curve, CurveKind, Figure, Scale};
use crate::params::choice::{ALGORITHMS_LINK, CHOICES};
use crate::params::{Draft, Param, Pin};
use crate::sim::scenario::Settings;
use crate::sim::stats::Running;
use crate::sim::study::{MethodSummary, Summary};
use crate::text::escaped;
use fedsysid_say::{between, decimal, say};

/// Maximum number of differences that are named one by one.
const NAMED: usize = 3;

/// Adds the experiments of pins to the plan of a view: every view that lists pins has their results.
pub fn beside(plan: Option<Plan>, pins: &[Pin], now: &Draft) -> Option<Plan> {
    // The present run is computed anyway: pinning it must not change the plan, which would restart the whole sweep.
    let is_known = |pinned: &Settings| plan.is_some() && *pinned == settings(now);
    let aside: Vec<_> = pins.iter().map(|pin| settings(&pin.draft)).filter(|pinned| !is_known(pinned)).collect();
    if aside.is_empty() { plan } else { Some(Plan { aside, ..plan.unwrap_or_default() }) }
}

fn settings(draft: &Draft) -> Settings {
    Settings { gains: false, ..draft.settings() }
}

fn without_gains(run: &Run) -> Settings {
    Settings { gains: false, ..run.settings.clone() }
}

/// A pin with the results of its run.
#[derive(Clone, Copy, Debug)]
pub struct Ghost<'a> {
    /// The pin.
    pub pin: &'a Pin,
    /// Results of its run, as far as they are known.
    pub summary: Option<&'a Summary>,
}

/// Pins with the results of their runs: from a sweep that contains them, or from the present run.
pub fn ghosts<'a>(pins: &'a [Pin], sweeps: &'a Sweeps, run: Option<&'a Run>) -> Vec<Ghost<'a>> {
    let ghost = |pin: &'a Pin| {
        let wanted = settings(&pin.draft);
        let now = run.filter(|run| run.progress.is_none() && without_gains(run) == wanted);
        Ghost { pin, summary: sweeps.find(&wanted).or(now.map(|run| &run.summary)) }
    };
    pins.iter().map(ghost).collect()
}

/// The ghosts that have results, except those with the settings of the present run.
pub fn others<'a>(ghosts: &'a [Ghost<'a>], run: &Run) -> impl Iterator<Item = (&'a Pin, &'a Summary)> {
    let now = without_gains(run);
    let is_other = move |ghost: &&Ghost<'_>| settings(&ghost.pin.draft) != now;
    ghosts.iter().filter(is_other).filter_map(|ghost| Some((ghost.pin, ghost.summary?)))
}

/// Adds ghosts to the figure of a run, in the colors of their methods; the first curve of each has the pin's name at
/// its end. A ghost with the settings of the run is left out: it would coincide with the run.
pub fn haunt(figure: &mut Figure, ghosts: &[Ghost<'_>], run: &Run) {
    let curves = others(ghosts, run).flat_map(|(pin, summary)| {
        let ghost = |(index, method)| Curve {
            kind: CurveKind::Pinned,
            label: if index == 0 { pin.name.clone() } else { String::new() },
            band: Vec::new(),
            ..curve(summary, method)
        };
        summary.methods.iter().enumerate().map(ghost)
    });
    let before = figure.curves.len();
    figure.curves.extend(curves);
    if figure.curves.len() > before {
        figure.y.range = fit_runs(figure.y.scale, &figure.curves, &figure.levels);
        if figure.x.scale == Scale::Linear {
            figure.x.range = fit_x(figure.x.scale, &figure.curves);
        }
    }
}

/// How the ghosts of a figure are told from predictions, for its caption; empty without any.
pub fn legend(ghosts: &[Ghost<'_>], run: &Run) -> &'static str {
    if others(ghosts, run).next().is_some() { say!(" Thin, solid or dotted: pinned runs.") } else { "" }
}

/// Differences of the settings from a pin to now: "M 50 → 100, ε 0.3 → 0.5"; empty without any.
pub fn changes(pin: &Draft, now: &Draft) -> String {
    let (before, after) = (pin.pairs_beside(now), now.pairs_beside(pin));
    let named = before.iter().zip(&after).take(NAMED).map(|((key, from), (_, to))| change(key, from, to));
    let named = named.collect::<Vec<_>>().join(between());
    match before.len() {
        0 => String::new(),
        n if n > NAMED => say!("{named} and {} more", n - NAMED),
        _ => named,
    }
}

fn change(key: &str, from: &str, to: &str) -> String {
    let spec = CHOICES.iter().find(|spec| spec.link == key);
    let label =
        |word: &str| spec.and_then(|spec| Some(spec.options[spec.by_word(word)?].label())).unwrap_or(word).to_owned();
    match Param::by_link(key) {
        Some(param) => {
            let symbol = if param.symbol.is_empty() { param.name() } else { param.symbol };
            format!("{symbol} {} → {}", decimal(from.into()), decimal(to.into()))
        }
        None if key == ALGORITHMS_LINK => say!("other algorithms").into(),
        None if from.len().max(to.len()) > 12 => say!("another {key}"),
        None => format!("{} {} → {}", spec.map_or(key, |spec| spec.name()), label(from), label(to)),
    }
}

/// Change of the final error since a pin, in words: "FedLin: 0.702× the error"; if that is not known, why.
pub fn outcome(ghost: &Ghost<'_>, run: Option<&Run>, work: Option<&State>) -> String {
    let (Some(before), Some(run)) = (ghost.summary, run) else {
        let is_missing = ghost.summary.is_none();
        return match work {
            Some(State::Cancelled) if is_missing => say!("stopped before it was run").into(),
            Some(State::GivenUp | State::Refused(_)) if is_missing => say!("could not be run").into(),
            _ => say!("not run yet").into(),
        };
    };
    let common = run.summary.methods.iter().find_map(|now| {
        let solver = |other: &&MethodSummary| {
            std::mem::discriminant(&other.method.solver) == std::mem::discriminant(&now.method.solver)
        };
        Some((now, before.methods.iter().find(solver)?))
    });
    let Some((now, before)) = common else { return say!("no algorithm in common").into() };
    let last = |summary: &MethodSummary| {
        let mean = summary.errors.last().map(Running::mean);
        mean.filter(|mean| mean.is_finite() && summary.n_diverged == 0)
    };
    let name = method_name(now.method);
    match (last(before), last(now)) {
        (Some(from), Some(to)) if is_rounding(from) || is_rounding(to) => {
            format!("{name}: {} → {}", off(from), off(to))
        }
        (Some(from), Some(to)) => say!("{name}: {}× the error", beside_one(to / from)),
        (Some(_), None) => say!("{name} diverges now"),
        (None, Some(_)) => say!("{name} no longer diverges"),
        _ => say!("{name} diverges, then and now"),
    }
}

/// What is said of each pin: how the settings differ from it, and what has become of the error; as markup.
pub fn words(pins: &[Pin], sweeps: &Sweeps, run: Option<&Run>, now: &Draft) -> Vec<String> {
    let work = sweeps.current().map(|sweep| &sweep.state);
    let words = |ghost: &Ghost<'_>| match changes(&ghost.pin.draft, now) {
        same if same.is_empty() => say!("the settings of now").into(),
        changes => format!("{}: <b>{}</b>", escaped(&changes), escaped(&outcome(ghost, run, work))),
    };
    ghosts(pins, sweeps, run).iter().map(words).collect()
}

/// The list of pins: each with its editable name, its [`words`], and buttons to return to it and to delete it.
pub fn markup(pins: &[Pin], words: &[String]) -> String {
    let item = |(index, (pin, words)): (usize, (&Pin, &String))| {
        let name = escaped(&pin.name);
        format!(
            "<li><input class=pin-name data-pin={index} value=\"{name}\" aria-label=\"{}\" maxlength=24 \
             autocomplete=off spellcheck=false><span class=pin-words>{words}</span>\
             <button type=button class=set-step data-return={index} aria-label=\"{}\">{}</button>\
             <button type=button class=dismiss data-delete={index} aria-label=\"{}\">×</button></li>",
            say!("name of pin {}", index + 1),
            say!("Return to {name}"),
            say!("Return"),
            say!("Delete {name}")
        )
    };
    pins.iter().zip(words).enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::sweep::tests::kept;
    use crate::dashboard::results::tests::run_of;
    use crate::dashboard::views::wanted;
    use crate::params::Key;
    use crate::params::views::SweepOf;
    use crate::params::{State as Page, View, Views};

    fn draft(query: &str) -> Draft {
        let (draft, notices) = Draft::from_query(&format!("q=2&R=20&{query}"));
        assert_eq!(notices, []);
        draft
    }

    fn pin(query: &str) -> Pin {
        Pin::new(draft(query), &[])
    }

    /// A run with these pins, and the results that engines have computed for them.
    fn scene(now: &str, pins: &[Pin]) -> (Run, Sweeps) {
        (run_of(&draft(now)), kept(&beside(None, pins, &Draft::default()).unwrap()))
    }

    #[test]
    fn ghosts_are_the_runs_of_their_settings() {
        let pins = [pin("M=5&alg=fedlin"), pin("eps=0.5"), pin("")];
        let (run, sweeps) = scene("", &pins);
        let ghosts = ghosts(&pins, &sweeps, Some(&run));
        for ghost in &ghosts {
            let expected = run_of(&ghost.pin.draft).summary;
            let errors = |summary: &Summary| summary.methods.iter().map(|m| m.errors.clone()).collect::<Vec<_>>();
            assert_eq!(errors(ghost.summary.unwrap()), errors(&expected));
        }
        let mut figure = crate::dashboard::run::picture::figure(&run);
        let (n_before, range_before) = (figure.curves.len(), figure.y.range);
        haunt(&mut figure, &ghosts, &run);
        let added: Vec<_> = figure.curves[n_before..].iter().map(|curve| (curve.kind, curve.label.as_str())).collect();
        assert_eq!(added, ["A", "A", ""].map(|name| (CurveKind::Pinned, name)));
        assert_eq!((legend(&ghosts, &run), legend(&ghosts[2..], &run)), (" Thin, solid or dotted: pinned runs.", ""));
        assert!(figure.y.range.0 <= range_before.0 && figure.y.range.1 >= range_before.1);
    }

    #[test]
    fn a_pin_of_the_run_of_now_needs_no_engine() {
        let pins = [pin("")];
        let run = run_of(&draft(""));
        let sweeps = Sweeps::default();
        assert!(ghosts(&pins, &sweeps, Some(&run))[0].summary.is_some());
        let other = [pin("M=4")];
        assert!(ghosts(&other, &sweeps, Some(&run))[0].summary.is_none());
    }

    #[test]
    fn changes_are_said_in_the_words_of_the_page() {
        #[track_caller]
        fn check(pin: &str, now: &str, expected: &str) {
            assert_eq!(changes(&draft(pin), &draft(now)), expected);
        }
        check("", "", "");
        check("", "M=100", "M 50 → 100");
        check("eps=0.5&schedule=local", "seed=8", "ε 0.5 → 0.3, seed 7 → 8, FedAvg’s step α/k → constant");
        check("M=1&N=2&K=3", "alg=fedlin", "M 1 → 50, Nᵢ 2 → 25, K 3 → 10 and 1 more");
        check("alg=fedlin", "", "other algorithms");
    }

    #[test]
    fn outcomes_are_ratios_of_final_errors() {
        #[track_caller]
        fn check(before: &str, now: &str, expected: impl Fn(f64, f64) -> String) {
            let pins = [pin(before)];
            let (run, sweeps) = scene(now, &pins);
            let ghosts = ghosts(&pins, &sweeps, Some(&run));
            let last = |summary: &Summary| summary.methods.first().map_or(f64::NAN, |m| m.errors[20].mean());
            let (from, to) = (last(ghosts[0].summary.unwrap()), last(&run.summary));
            assert_eq!(outcome(&ghosts[0], Some(&run), None), expected(from, to));
        }
        check("M=5", "", |from, to| format!("FedLin: {}× the error", beside_one(to / from)));
        check("alg=fedavg", "alg=scaffold", |_, _| "no algorithm in common".into());
        check("", "alpha=0.1", |_, _| "FedLin diverges now".into());
        check("alpha=0.1", "", |_, _| "FedLin no longer diverges".into());
        check("alpha=0.1", "alpha=0.09", |_, _| "FedLin diverges, then and now".into());
        let nothing = Ghost { pin: &pin(""), summary: None };
        for (work, words) in [
            (None, "not run yet"),
            (Some(State::Running), "not run yet"),
            (Some(State::Cancelled), "stopped before it was run"),
            (Some(State::GivenUp), "could not be run"),
        ] {
            assert_eq!(outcome(&nothing, None, work.as_ref()), words);
        }
    }

    #[test]
    fn rounding_errors_have_no_ratio() {
        let long = |m: f64| {
            let mut draft = draft("sw=0&eps=0");
            draft.set(Key::Clients, m);
            draft.set(Key::Rounds, 1_000.0);
            draft
        };
        let pins = [Pin::new(long(5.0), &[])];
        let (run, sweeps) = (run_of(&long(6.0)), kept(&beside(None, &pins, &Draft::default()).unwrap()));
        let said = outcome(&ghosts(&pins, &sweeps, Some(&run))[0], Some(&run), None);
        assert_eq!(said, "FedLin: 0 up to rounding → 0 up to rounding");
    }

    #[test]
    fn wherever_pins_are_listed_they_have_their_numbers() {
        let pins = vec![pin("M=4"), pin("M=6&eps=0.5")];
        let draft = draft("M=3&T=2");
        let sweep = SweepOf::begun(Key::Clients);
        for views in [
            Views::default(),
            Views { sweep, ..Views::default() },
            Views { view: View::TradeOff, ..Views::default() },
            Views { view: View::Map, ..Views::default() },
            Views { view: View::Systems, ..Views::default() },
        ] {
            let page = Page { draft: draft.clone(), views: views.clone(), pins: pins.clone() };
            let sweeps = kept(&wanted(&page).unwrap());
            let run = run_of(&draft);
            let words = words(&pins, &sweeps, Some(&run), &draft);
            assert_eq!(words.iter().filter(|words| words.contains("FedLin: ")).count(), 2, "{views:?}: {words:?}");
        }
    }

    #[test]
    fn to_pin_the_run_of_now_begins_no_sweep_anew() {
        let views = Views { view: View::TradeOff, ..Views::default() };
        let page = Page { draft: draft("M=4"), views, pins: Vec::new() };
        let pinned = Page { pins: vec![pin("M=4")], ..page.clone() };
        assert_eq!(wanted(&page), wanted(&pinned));
        let moved = Page { draft: draft("M=5"), ..pinned };
        assert_eq!(wanted(&moved).unwrap().aside, [settings(&draft("M=4"))]);
    }

    #[test]
    fn names_are_escaped() {
        let (state, _) = Page::from_query("pin=name:%22%3Cb%3E%26");
        let html = markup(&state.pins, &words(&state.pins, &Sweeps::default(), None, &state.draft));
        assert!(html.contains("value=\"&quot;&lt;b>&amp;\"") && !html.contains("<b>&\""), "{html}");
    }
}
