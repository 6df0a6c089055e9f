//! The paper's seven figures as the page shows them, against `tests/data` at every tenth round; and the paper's claims
//! about them, recomputed.
//!
//! Everything is tested twice: with the fixed systems, and with systems drawn again for every data set, which averages
//! over systems too.

use std::ops::Range;
use std::thread;

use fedsysid::dashboard::results::sweep::{Plan, State, Sweep, Sweeps};
use fedsysid::dashboard::views::paper::lines::{
    NEAR, Source, ends, excess_exponent, exponent, fold, rounds_of_all, sources,
};
use fedsysid::dashboard::views::paper::picture::readings;
use fedsysid::dashboard::views::paper::words::{Claim, claims};
use fedsysid::dashboard::views::paper::{FEDLIN, ShownMethods, Varied, plan};
use fedsysid::params::Word;
use fedsysid::params::paper::{Begin, ErrorOf, Estimate, FedAvgSchedule, PaperFigure, Switch, Switches};
use fedsysid::protocol::{Event, Generation, Portion, PortionResult, Request};
use fedsysid::sim::data_sets::DataSets;
use fedsysid::sim::family::Placement;
use fedsysid::sim::scenario::{Scenario, Settings};
use fedsysid::sim::stream::Seed;
use fedsysid::sim::trial::TrialResult;
use serde_json::Value;

use crate::data::cells;
use crate::reference::disagreement;

const N_TRIALS: usize = 250;

/// Figures that together use every setting.
const FIGURES: [PaperFigure; 4] =
    [PaperFigure::LinClients, PaperFigure::LinRollouts, PaperFigure::LinHeterogeneity, PaperFigure::Comparison];

const BEGINS: [Begin; 2] = [Begin::Zero, Begin::Half];

/// The clients' systems.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Systems {
    /// The fixed systems of the reference data, in every data set.
    Fixed,
    /// Other systems in every data set, each from a seed of its own.
    Redrawn,
}

impl Systems {
    fn file(self) -> &'static str {
        match self {
            Self::Fixed => "curves.json",
            Self::Redrawn => "random_systems.json",
        }
    }

    /// The results of some of the data sets of an experiment.
    fn results(self, settings: &Settings, portion: &Portion) -> Vec<TrialResult> {
        let data_sets = portion.data_sets.clone();
        match self {
            Self::Fixed => results(settings.clone(), data_sets),
            Self::Redrawn => data_sets
                .flat_map(|data_set| results(Settings { seed: Seed(data_set as u64), ..settings.clone() }, 0..1))
                .collect(),
        }
    }
}

fn results(settings: Settings, data_sets: Range<usize>) -> Vec<TrialResult> {
    let mut data_sets = DataSets::new(Scenario::new(settings).expect("the paper's settings are allowed"), data_sets);
    let mut results = Vec::new();
    while !data_sets.is_done() {
        results.extend(data_sets.step());
    }
    results
}

/// The complete sweep of a figure's experiments, with as many data sets as the comparison needs.
fn sweep(figure: PaperFigure, begin: Begin, systems: Systems) -> Sweep {
    let mut plan = plan(figure, Switches { begin, ..Switches::TEXT }, (Seed(20_221_125), None));
    for settings in &mut plan.points {
        settings.n_trials = N_TRIALS;
        if systems == Systems::Fixed {
            settings.placement = Placement::Even;
        }
    }
    let generation = Generation(1);
    let requests: Vec<_> = plan.requests(generation).collect();
    let answer = |request: &Request| match request {
        Request::Portion { portion, settings, .. } => {
            let results = systems.results(settings, portion);
            let heterogeneity = Scenario::new(settings.clone()).expect("allowed").heterogeneity();
            Event::Portion {
                generation,
                result: PortionResult { portion: portion.clone(), heterogeneity, results, theory: None },
            }
        }
        other => unreachable!("a plan asks for portions alone, not for {other:?}"),
    };
    put_together(plan, generation, on_all_cores(&requests, answer))
}

fn put_together(plan: Plan, generation: Generation, answers: Vec<Event>) -> Sweep {
    let mut sweeps = Sweeps::default();
    sweeps.asked(generation, plan, 0.0);
    for event in answers {
        assert!(sweeps.apply(event));
    }
    let sweep = sweeps.current().expect("it was asked for").clone();
    assert_eq!(sweep.state, State::Complete);
    sweep
}

fn on_all_cores<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
    let n_threads = thread::available_parallelism().map_or(1, usize::from);
    let work = &work;
    let share = |first: usize| items.iter().skip(first).step_by(n_threads).map(work).collect::<Vec<_>>();
    let share = &share;
    thread::scope(|scope| {
        let workers: Vec<_> = (0..n_threads).map(|first| scope.spawn(move || share(first))).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("an experiment does not panic")).collect()
    })
}

/// The cell of the reference data for a curve.
fn cell(cells: &[Value], varied: Varied, place: usize) -> &Value {
    let id = match varied {
        Varied::Clients => format!("M_sweep/M={}", varied.value(place)),
        Varied::Rollouts => format!("N_sweep/N_i={}", varied.value(place)),
        Varied::Heterogeneity => format!("eps_sweep/eps={}", varied.value(place)),
        Varied::Nothing => "figure3".into(),
    };
    cells.iter().find(|cell| cell["id"] == id.as_str()).expect("the reference has every cell of the paper")
}

/// The reference data for a figure's curves, in their order; `None` if they lack one (FedLin compared with the last
/// client is only there for the authors' start).
fn curves(figure: PaperFigure, switches: Switches, cells: &[Value]) -> Option<Vec<&Value>> {
    let start = match switches.begin {
        Begin::Zero => "zero",
        Begin::Half => "half_theta1",
    };
    let name = |method| match (method == FEDLIN, switches.error_of, switches.step) {
        (true, ErrorOf::FirstClient, _) => "fedlin",
        (true, ErrorOf::AsCoded, _) => "fedlin_error_vs_last_client",
        (false, _, FedAvgSchedule::OverRounds) => "fedavg_linear_in_round",
        (false, _, FedAvgSchedule::OverLocalSteps) => "fedavg_alpha_over_k",
        (false, _, FedAvgSchedule::Constant) => "fedavg_constant",
    };
    let curve = |source: Source| cell(cells, figure.varied(), source.place)["curves"][name(source.method)].get(start);
    sources(figure, switches).into_iter().map(curve).collect()
}

/// All switches that change a figure's curves.
fn ways(figure: PaperFigure, begin: Begin) -> Vec<Switches> {
    let steps = if figure.shown() == ShownMethods::FedLin { &FedAvgSchedule::ALL[..1] } else { FedAvgSchedule::ALL };
    let targets = if figure.shown() == ShownMethods::FedAvg { &ErrorOf::ALL[..1] } else { ErrorOf::ALL };
    let with = |step, error_of| Switches { step, error_of, begin, ..Switches::TEXT };
    steps.iter().flat_map(|&(step, ..)| targets.iter().map(move |&(error_of, ..)| with(step, error_of))).collect()
}

/// Compares a figure's curves with the reference data at every tenth round. Returns how many numbers were compared, and
/// the complaints.
fn compare(figure: PaperFigure, switches: Switches, sweep: &Sweep, cells: &[Value]) -> (usize, Vec<String>) {
    let Some(curves) = curves(figure, switches, cells) else { return (0, Vec::new()) };
    let mut n_compared = 0;
    let mut complaints = Vec::new();
    for round in (0..=200).step_by(10) {
        let shown = readings(figure, switches, sweep, round);
        for (reading, curve) in shown.iter().zip(&curves) {
            let ways = [Switch::Step, Switch::ErrorOf, Switch::Begin].map(|switch| switches.word(switch)).join(" ");
            let what = format!("Figure {} ({ways}), {}, round {round}", figure.word(), reading.name);
            let ours = reading.value.as_ref().expect("no curve diverges");
            complaints.extend(disagreement(&what, ours, &curve["mean"][round], &curve["se"][round]));
            n_compared += 1;
        }
    }
    (n_compared, complaints)
}

/// Compares every figure with the reference data.
fn check(systems: Systems) {
    let cells = cells(systems.file());
    let (mut n_compared, mut complaints) = (0, Vec::new());
    for begin in BEGINS {
        for &(figure, ..) in PaperFigure::ALL {
            let sweep = sweep(figure, begin, systems);
            for switches in ways(figure, begin) {
                let (compared, wrong) = compare(figure, switches, &sweep, &cells);
                n_compared += compared;
                complaints.extend(wrong);
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    // From zero, FedLin in one way and FedAvg in three; from half, FedLin in two ways and FedAvg in three, at 15
    // settings each. The comparison has two curves, from zero in three ways and from half in six.
    assert_eq!(n_compared, 21 * (15 * (1 + 3 + 2 + 3) + 2 * (3 + 6)));
}

#[test]
fn the_seven_figures_with_fixed_systems() {
    check(Systems::Fixed);
}

#[test]
fn the_seven_figures_with_systems_drawn_anew() {
    check(Systems::Redrawn);
}

/// The estimates with which the rounds are compared, for systems drawn again for every data set.
#[test]
fn the_estimates_with_systems_drawn_anew() {
    let cells = cells(Systems::Redrawn.file());
    let (mut n_compared, mut complaints) = (0, Vec::new());
    for figure in FIGURES {
        let sweep = sweep(figure, Begin::Zero, Systems::Redrawn);
        for source in sources(figure, Switches::TEXT).into_iter().take(figure.varied().n_values()) {
            let cell = cell(&cells, figure.varied(), source.place);
            for (estimate, name) in [(Estimate::Pooled, "pooled"), (Estimate::MeanOfLocals, "average_of_local")] {
                let summary = sweep.summary(source.place).expect("all is in");
                let ours = summary.reference(estimate.reference()).expect("it was asked for").expect("enough data");
                let theirs = &cell["least_squares"][name];
                complaints.extend(disagreement(name, &ours, &theirs["mean"], &theirs["se"]));
                n_compared += 1;
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_eq!(n_compared, 2 * FIGURES.iter().map(|figure| figure.varied().n_values()).sum::<usize>());
}

/// The first round in which a curve of the reference data is near the pooled estimate's error.
fn rounds_of_reference(cell: &Value, name: &str, start: &str) -> usize {
    let pooled = cell["least_squares"]["pooled"]["mean"].as_f64().expect("a number");
    let means = cell["curves"][name][start]["mean"].as_array().expect("a curve");
    let is_near = |mean: &Value| mean.as_f64().expect("a number") <= (1.0 + NEAR) * pooled;
    means.iter().position(is_near).expect("it comes near")
}

#[track_caller]
fn check_claims(figure: PaperFigure, switches: Switches, sweep: &Sweep, holds: &[bool]) {
    let found: Vec<Claim> = claims(figure, switches, sweep);
    let expected: Vec<_> = holds.iter().copied().map(Some).collect();
    assert_eq!(found.iter().map(|claim| claim.holds).collect::<Vec<_>>(), expected, "{found:?}");
}

/// A hundred clients have a tenth of the error; errors fall with the roots of M and N, and grow in proportion to ε.
#[test]
fn the_scaling_claims() {
    let near = |found: f64, expected: f64, allowed: f64| {
        assert!((found - expected).abs() <= allowed, "{found} is not {expected} ± {allowed}");
    };
    let code = Switches::CODE;
    // FedAvg's figures contain FedLin's experiments too.
    let all = [PaperFigure::AvgClients, PaperFigure::AvgRollouts, PaperFigure::AvgHeterogeneity];
    let [clients, rollouts, heterogeneity] = all.map(|figure| sweep(figure, code.begin, Systems::Redrawn));
    for figure in [PaperFigure::LinClients, PaperFigure::AvgClients] {
        let ends = ends(figure, code, &clients).expect("all is in");
        near(fold(&ends), 10.0, 0.6);
        near(exponent(&ends), -0.5, 0.02);
        check_claims(figure, code, &clients, &[true, true]);
    }
    for (figure, step, law, holds) in [
        (PaperFigure::LinRollouts, FedAvgSchedule::Constant, -0.5, true),
        (PaperFigure::AvgRollouts, FedAvgSchedule::Constant, -0.5, true),
        // With α/k, the steps with five rollouts are so small that 200 rounds do not suffice.
        (PaperFigure::AvgRollouts, FedAvgSchedule::OverLocalSteps, -0.8, false),
    ] {
        let switches = Switches { step, ..code };
        near(exponent(&ends(figure, switches, &rollouts).expect("all is in")), law, 0.05);
        check_claims(figure, switches, &rollouts, &[holds]);
    }
    for figure in [PaperFigure::LinHeterogeneity, PaperFigure::AvgHeterogeneity] {
        near(excess_exponent(&ends(figure, code, &heterogeneity).expect("all is in")), 1.0, 0.05);
        check_claims(figure, code, &heterogeneity, &[true]);
    }
}

/// With the same constant step size, FedAvg arrives at most one round after FedLin; the sixty rounds are those of α/k.
#[test]
fn the_claim_of_sixty_rounds() {
    let sweep = sweep(PaperFigure::Comparison, Begin::Half, Systems::Redrawn);
    let cells = cells(Systems::Redrawn.file());
    let cell = cell(&cells, Varied::Nothing, 0);
    let rounds = rounds_of_all(&sweep, Varied::Nothing, Switches::TEXT).expect("all is in");
    let [fedlin, constant, local, falling] = rounds.map(|(_, rounds)| rounds.expect("all come near"));
    for (found, name, published, allowed) in [
        (fedlin, "fedlin", 30, 1),
        (constant, "fedavg_constant", 31, 1),
        (local, "fedavg_alpha_over_k", 103, 3),
        (falling, "fedavg_linear_in_round", 33, 1),
    ] {
        assert_eq!(rounds_of_reference(cell, name, "half_theta1"), published, "{name}");
        assert!(found.abs_diff(published) <= allowed, "{name}: {found}, reference {published}");
    }
    assert!((fedlin..=fedlin + 1).contains(&constant), "{constant} {fedlin}");
    for (step, holds) in
        [(FedAvgSchedule::OverLocalSteps, true), (FedAvgSchedule::Constant, false), (FedAvgSchedule::OverRounds, false)]
    {
        check_claims(PaperFigure::Comparison, Switches { step, ..Switches::CODE }, &sweep, &[holds]);
    }
}
