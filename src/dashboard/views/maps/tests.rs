use super::grid::nearest;
use super::*;
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::tests::complete;
use crate::dashboard::results::tests::run_of;
use crate::engine::runner::Runner;
use crate::figure::heat::HeatMap;
use crate::figure::number::{beside_one, measured};
use crate::params::choice::Choice;
use crate::params::{Draft, Key};
use crate::protocol::Request;
use crate::sim::method::{Method, Solver};
use crate::theory::Theory;

fn draft(change: impl Fn(&mut Draft)) -> Draft {
    let mut draft = Draft::default();
    draft.set(Key::Clients, 30.0);
    draft.set(Key::Trials, 4.0);
    change(&mut draft);
    draft
}

fn shown(kind: MapKind, draft: &Draft) -> ShownMap {
    let mut maps = Maps::default();
    let wanted = Wanted::new(kind, draft);
    assert!(maps.want(Some(&wanted)));
    let generation = Generation(1);
    let Wanted { survey, settings, .. } = wanted.clone();
    maps.asked(generation, wanted, 0.0);
    let mut runner = Runner::default();
    runner.handle(Request::Survey { generation, survey, settings });
    let event = std::iter::repeat_with(|| runner.tick(1e9, || 0.0)).flatten().next().unwrap();
    assert!(maps.apply(event));
    assert!(!maps.is_running());
    maps.shown().unwrap().clone()
}

fn theory_of(draft: &Draft) -> Box<Theory> {
    Box::new(Theory::of(&crate::sim::trial::Experiment::new(draft.check().unwrap())))
}

fn at(map: &HeatMap, x: f64, y: f64) -> f64 {
    map.values[nearest(&map.ys, y).unwrap() * map.xs.len() + nearest(&map.xs, x).unwrap()]
}

#[test]
fn the_map_of_clients_is_what_theory_has() {
    use crate::sim::scenario::Scenario;
    use crate::sim::trial::Experiment;
    use crate::theory::Theory;
    let shown = shown(MapKind::Clients, &draft(|_| ()));
    let map = shown.picture(Of::FedLin, None);
    assert_eq!((map.xs.len(), map.values.len()), (60, 60 * map.ys.len()));
    for (column, m) in [(10, 7.0), (40, 30.0)] {
        let mut there = draft(|_| ());
        there.set(Key::Heterogeneity, map.xs[column]);
        there.set(Key::Clients, m);
        let theory = Theory::of(&Experiment::new(Scenario::new(there.settings()).unwrap()));
        let expected = theory.pooled.unwrap() / theory.alone.unwrap();
        let found = at(&map, map.xs[column], m);
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
    assert!(
        shown.reading(0.02, 50.0, None).contains("pooled least squares leaves 0."),
        "{}",
        shown.reading(0.02, 50.0, None)
    );
    // At the run's settings the map states the run's own number, not that of the cell's middle.
    let here = draft(|_| ());
    let place = (here.get(Key::Heterogeneity), here.get(Key::Clients));
    let theory = Theory::of(&Experiment::new(Scenario::new(here.settings()).unwrap()));
    let own = measured(theory.pooled.unwrap() / theory.alone.unwrap(), 2);
    let run = Run { theory: Some(Box::new(theory)), ..run_of(&here) };
    let said = shown.reading(place.0, place.1, Some(&run));
    assert!(said.contains(&format!("leaves {own}×")), "{said}");
    assert!(shown.reading(0.9, 50.0, None).contains("does better"), "{}", shown.reading(0.9, 50.0, None));
}

/// Where there are fewer clients than the asked one's index, the page shows another: the map has nothing there, and the
/// words at the handle are about the page's.
#[test]
fn among_few_clients_the_map_has_nothing_of_one_that_is_not_there() {
    use crate::theory::Theory;
    let draft = draft(|draft| {
        draft.set(Key::Client, 7.0);
        draft.set(Key::Clients, 5.0);
        draft.set(Key::Trials, 1.0);
    });
    let shown = shown(MapKind::Clients, &draft);
    let map = shown.picture(Of::FedLin, Some(&complete(&check_plan(MapKind::Clients, &draft))));
    for &m in &map.ys {
        assert_eq!(at(&map, 0.3, m).is_nan(), m < 6.5, "{m}");
    }
    assert!(map.checks.len() < 30 && map.checks.iter().all(|check| check.y > 6.5), "{:?}", map.checks);
    let place = (draft.get(Key::Heterogeneity), 5.0);
    assert!(shown.reading(place.0, place.1, None).ends_with(": nothing can be said here."));
    let theory = Theory::of(&crate::sim::trial::Experiment::new(draft.check().unwrap()));
    let run = Run { theory: Some(Box::new(theory)), ..run_of(&draft) };
    let said = shown.reading(place.0, place.1, Some(&run));
    assert!(said.contains("client 5") && !said.contains("client 7"), "{said}");
}

#[test]
fn dragging_along_a_map_asks_for_nothing_new() {
    for kind in [MapKind::Clients, MapKind::Rollouts, MapKind::Steps] {
        let (x, y) = kind.keys();
        let here = draft(|_| ());
        let there = draft(|draft| {
            draft.set(x, here.get(x) * 0.7);
            draft.set(y, here.get(y) + 3.0);
        });
        assert_eq!(Wanted::new(kind, &here), Wanted::new(kind, &there), "{kind:?}");
        assert_eq!(check_plan(kind, &here), check_plan(kind, &there), "{kind:?}");
        let other = draft(|draft| (draft.set(Key::RolloutLen, 7.0), ()).1);
        assert_ne!(Wanted::new(kind, &here), Wanted::new(kind, &other));
    }
}

#[test]
fn a_map_on_its_way_can_be_stopped() {
    let mut maps = Maps::default();
    let wanted = Wanted::new(MapKind::Steps, &draft(|_| ()));
    maps.want(Some(&wanted));
    maps.asked(Generation(1), wanted.clone(), 1_000.0);
    let work = maps.work(1_400.0).unwrap();
    assert_eq!((work.words(), work.is_told()), ("0 of 60 columns".into(), true));
    let words = |maps: &Maps| maps.shown().unwrap().picture(Of::FedLin, None).words;
    assert_eq!(words(&maps), Some("The map is being computed.".into()));
    maps.end(WorkState::Stopped);
    assert!(!maps.is_running());
    let map = Err(NoPrediction::Worst);
    assert!(!maps.apply(Event::Surveyed { generation: Generation(1), map }), "nobody waits for it any more");
    assert_eq!(maps.work(2_000.0).unwrap().words(), "stopped after 0 of 60 columns");
    assert_eq!(words(&maps), None);
    assert_eq!(maps.wanted(), Some(&wanted));
}

#[test]
fn dots_agree_with_what_they_lie_on() {
    let draft = draft(|draft| (draft.set(Key::Trials, 60.0), ()).1);
    for kind in [MapKind::Clients, MapKind::Rollouts] {
        let sweep = complete(&check_plan(kind, &draft));
        let map = shown(kind, &draft).picture(Of::FedLin, Some(&sweep));
        assert_eq!(map.checks.len(), 30);
        let off = map.checks.iter().map(|check| (check.value / at(&map, check.x, check.y)).ln().abs());
        let n_far = off.filter(|off| *off > 0.25).count();
        assert!(n_far <= 2, "{kind:?}: {n_far} of 30 dots are far off");
    }
}

#[test]
fn steps_that_are_too_large_diverge_in_words() {
    let shown = shown(MapKind::Steps, &draft(|_| ()));
    let words = shown.reading(8e-3, 10.0, None);
    assert!(words.contains("FedLin diverges") && words.contains("FedAvg diverges"), "{words}");
    let words = shown.reading(1e-4, 10.0, None);
    assert!(words.starts_with("α = 0.0001, K = 10, ") && words.contains("FedLin ρ = 0."), "{words}");
    assert!(words.contains("drift"), "{words}");
    let map = shown.picture(Of::FedAvg, None);
    assert!(map.values.iter().any(|rho| *rho > 1.0) && map.contours.len() == 6);
}

/// With one client, pooled least squares is its own: their quotient is 1 up to rounding, and nothing breaks even.
#[test]
fn one_client_has_nobody_to_join_on_any_map() {
    let draft = draft(|draft| {
        draft.set(Key::Clients, 1.0);
        draft.set(Key::Trials, 1.0);
    });
    let run = Run { theory: Some(theory_of(&draft)), ..run_of(&draft) };
    for kind in [MapKind::Clients, MapKind::Rollouts] {
        let shown = shown(kind, &draft);
        let map = shown.picture(Of::FedLin, Some(&complete(&check_plan(kind, &draft))));
        let is_all = kind == MapKind::Rollouts;
        let n_known = map.values.iter().filter(|value| !value.is_nan()).count();
        assert_eq!(n_known, if is_all { 0 } else { map.values.len() - map.xs.len() }, "{kind:?}");
        assert_eq!(map.words.as_deref(), is_all.then_some("No map here: there is only one client."));
        assert!(map.checks.iter().all(|check| check.y > 1.5) && map.checks.is_empty() == is_all);
        let y = draft.get(kind.keys().1);
        let said = shown.reading(draft.get(Key::Heterogeneity), y, Some(&run));
        assert!(said.ends_with(": there is nobody to join."), "{said}");
    }
}

/// 0 has no column on a logarithmic axis, but the run that is there has a theory.
#[test]
fn where_all_are_alike_the_run_speaks_for_the_map() {
    let draft = draft(|draft| drop(draft.set(Key::Heterogeneity, 0.0)));
    let shown = shown(MapKind::Clients, &draft);
    assert_eq!(shown.reading(0.0, 30.0, None), "ε = 0, M = 30");
    let run = Run { theory: Some(theory_of(&draft)), ..run_of(&draft) };
    let said = shown.reading(0.0, 30.0, Some(&run));
    assert!(said.starts_with("ε = 0, M = 30: pooled least squares leaves 0."), "{said}");
}

/// At the handle the map states the run's own contraction, which a cell's middle can miss.
#[test]
fn at_the_handle_the_contraction_is_that_of_the_run() {
    let alpha = 1.55e-4;
    let draft = draft(|draft| {
        draft.set(Key::Trials, 1.0);
        draft.set(Key::Rounds, 2.0);
        draft.set(Key::StepSize, alpha);
    });
    let shown = shown(MapKind::Steps, &draft);
    let run = Run { theory: Some(theory_of(&draft)), ..run_of(&draft) };
    let y = draft.get(Key::LocalSteps);
    let method = Method::constant(Solver::FedLin);
    let theory = run.theory.as_ref().unwrap().methods.iter().find(|theory| theory.method == method).unwrap();
    let own = format!("FedLin ρ = {},", beside_one(theory.stability.unwrap().contraction));
    assert!(shown.reading(alpha, y, Some(&run)).contains(&own), "{own} {}", shown.reading(alpha, y, Some(&run)));
    assert!(!shown.reading(alpha, y, None).contains(&own), "the cell is of another step size");
}

/// Where steps change from round to round, or not all take part, ρ is not that of the run.
#[test]
fn a_contraction_of_other_rounds_is_said_to_be_one() {
    let of = |schedule, share| {
        let draft = draft(|draft| {
            draft.choose(Choice::Schedule, schedule);
            draft.set(Key::Participation, share);
        });
        let shown = shown(MapKind::Steps, &draft);
        (shown.reading(8e-3, 10.0, None), shown.made(4))
    };
    let (fading, made) = of("harmonic", 1.0);
    assert!(
        fading.contains("FedAvg, α/(r+1) in the first round ρ = ") && !fading.contains("FedAvg diverges"),
        "{fading}"
    );
    assert!(made.ends_with(" FedAvg: only the first round, with the largest steps."), "{made}");
    let (few, made) = of("constant", 0.5);
    assert!(few.contains(", on data as they are on average, if all took part: FedLin"), "{few}");
    assert!(!made.contains("first round"), "{made}");
}

#[test]
fn where_there_is_no_map_there_is_a_reason() {
    let worst = draft(|draft| (draft.choose(Choice::Target, "worst"), ()).1);
    let map = shown(MapKind::Clients, &worst).picture(Of::FedLin, None);
    assert!(map.words.is_some_and(|words| words.starts_with("No map here: the worst client")));
    let shown = shown(MapKind::Clients, &worst);
    let checked = shown.picture(Of::FedLin, Some(&complete(&check_plan(MapKind::Clients, &worst))));
    assert!(checked.checks.is_empty());
    assert_eq!(shown.caption(4), "Drag the handle.");
    let said = shown.reading(0.3, 30.0, None);
    assert!(said.ends_with(": nothing can be said here (the worst client is another in every data set)."), "{said}");
}

#[test]
fn axes_reach_the_present_values() {
    let far = draft(|draft| {
        draft.set(Key::Clients, 3_000.0);
        draft.set(Key::StepSize, 2e-6);
        draft.set(Key::Rollouts, 1e6);
    });
    for kind in [MapKind::Clients, MapKind::Rollouts, MapKind::Steps] {
        let (grid, (x, y)) = (Grid::of(kind, &far), kind.keys());
        let within = |values: &[f64], now: f64| values[0] <= now * 1.001 && now <= values[values.len() - 1] * 1.001;
        assert!(within(&grid.xs, far.get(x)) && within(&grid.ys, far.get(y)), "{kind:?} {grid:?}");
    }
}

/// A repeated row would be a step in the contours, and be twice in the table.
#[test]
fn every_row_is_of_another_whole_number() {
    for (kind, least, most) in
        [(MapKind::Clients, 2_u32, 200_u32), (MapKind::Rollouts, 4, 400), (MapKind::Steps, 1, 100)]
    {
        let grid = Grid::of(kind, &draft(|_| ()));
        let counts = grid.counts();
        assert!(counts.windows(2).all(|pair| pair[0] < pair[1]), "{kind:?}: {counts:?}");
        assert!(grid.ys.iter().zip(&counts).all(|(y, &count)| (y - count as f64).abs() < 1e-12), "{kind:?}: {grid:?}");
        let has = |count: u32| counts.contains(&(count as usize));
        assert_eq!((counts[0], counts[counts.len() - 1]), (least as usize, most as usize), "{kind:?}");
        // Every small number has a row; of large numbers only some.
        assert!((least..least + 8).all(has) && counts.len() < 60, "{kind:?}: {counts:?}");
        let map = shown(kind, &draft(|_| ())).picture(Of::FedLin, None);
        let (low, high) = map.y.range;
        let (first, second, last) = (f64::from(least), f64::from(least + 1), f64::from(most));
        assert!((low * (second / first).sqrt() - first).abs() < 1e-9, "{kind:?}: {low}");
        assert!(high > last && high < 1.1 * last, "{kind:?}: {high}");
    }
}
