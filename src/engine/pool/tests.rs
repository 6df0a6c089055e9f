use super::*;
use crate::protocol::{Portion, PortionResult};
use crate::sim::family::Heterogeneity;
use crate::sim::scenario::{Scenario, Settings};
use crate::sim::study::{Study, Summary};

fn summary() -> Summary {
    let small = Settings { n_clients: 1, n_rounds: 1, ..Settings::paper() };
    Study::new(Scenario::new(small).unwrap()).summary().clone()
}

fn done(generation: u32) -> Event {
    Event::Done { generation: Generation(generation), summary: summary(), theory: None }
}

fn progress(generation: u32) -> Event {
    Event::Progress { generation: Generation(generation), progress: 0.5, summary: summary(), theory: None }
}

fn run(generation: u32) -> Request {
    Request::Run { generation: Generation(generation), settings: Settings::paper() }
}

fn a_portion(point: usize) -> Portion {
    Portion { point, data_sets: 0..25, expects: false }
}

fn portion(generation: u32, point: usize) -> Request {
    Request::Portion { generation: Generation(generation), portion: a_portion(point), settings: Settings::paper() }
}

fn made(generation: u32, point: usize) -> Event {
    let result = PortionResult {
        portion: a_portion(point),
        heterogeneity: Heterogeneity { a: 0.0, b: 0.0 },
        results: Vec::new(),
        theory: None,
    };
    Event::Portion { generation: Generation(generation), result }
}

fn starts(index: usize, trouble: Trouble) -> Vec<Action> {
    vec![Action::Tell(trouble), Action::Start(index, EnginePlace::Worker)]
}

/// A pool of up to `allowed` workers, the first of which is ready.
fn ready(allowed: usize) -> Pool {
    let mut pool = Pool::new(EnginePlace::Worker, allowed, 0.0);
    assert_eq!(pool.heard(0, &Event::Ready, 1.0), []);
    pool
}

/// The pool's actions while time passes and the page calls [`Pool::passed`] every second, from second `from` to `to`.
fn pass(pool: &mut Pool, from: u32, to: u32) -> Vec<Action> {
    (from..=to).flat_map(|second| pool.passed(1_000.0 * f64::from(second))).collect()
}

fn submit(pool: &mut Pool, now: f64) -> Vec<Action> {
    pool.submit(Lane::Live, |Generation(generation)| [run(generation)], now).1
}

fn sweep(pool: &mut Pool, n_points: usize, now: f64) -> Vec<Action> {
    pool.submit(Lane::Sweep, |Generation(g)| (0..n_points).map(move |point| portion(g, point)), now).1
}

fn posts(index: usize, request: Request) -> Vec<Action> {
    vec![Action::Post(index, request)]
}

#[test]
fn nothing_is_sent_before_the_engine_listens() {
    let mut pool = Pool::new(EnginePlace::Worker, 1, 0.0);
    assert_eq!(submit(&mut pool, 1.0), []);
    assert_eq!(submit(&mut pool, 2.0), []);
    assert_eq!(pool.heard(0, &Event::Ready, 3.0), posts(0, run(2)));
}

#[test]
fn a_moving_slider_waits_for_short_runs_and_skips_what_it_passed() {
    let mut pool = ready(1);
    assert_eq!(submit(&mut pool, 10.0), posts(0, run(1)));
    assert_eq!(submit(&mut pool, 20.0), []);
    assert_eq!(submit(&mut pool, 30.0), []);
    assert_eq!(pool.heard(0, &done(1), 40.0), posts(0, run(3)));
    assert_eq!(pool.heard(0, &done(3), 50.0), []);
    assert!(!pool.is_waiting());
}

#[test]
fn a_long_run_is_dropped_for_a_newer_one() {
    let mut pool = ready(1);
    assert_eq!(submit(&mut pool, 10.0), posts(0, run(1)));
    assert_eq!(pool.heard(0, &progress(1), 95.0), []);
    assert_eq!(submit(&mut pool, 100.0), []);
    assert_eq!(pool.heard(0, &progress(1), 111.0), posts(0, run(2)));
    assert_eq!(submit(&mut pool, 300.0), posts(0, run(3)));
    assert_eq!(pool.heard(0, &done(1), 301.0), [], "a late answer of a dropped run");
    assert!(pool.is_waiting());
}

/// As in a frame that has never been in sight.
#[test]
fn while_all_rests_no_worker_is_started_and_none_is_late() {
    let mut pool = Pool::new(EnginePlace::Worker, 3, 0.0);
    assert_eq!(pool.pause(), []);
    assert_eq!(sweep(&mut pool, 4, 10.0), []);
    assert_eq!(pool.passed(1e6), []);
    assert_eq!(pool.resume(1e6), [Action::Start(1, EnginePlace::Worker), Action::Start(2, EnginePlace::Worker)]);
    assert_eq!(pool.passed(1e6 + READY_WITHIN_MS), [], "the first had its time yet to come");
    assert_eq!(pool.heard(0, &Event::Ready, 1e6 + READY_WITHIN_MS), posts(0, portion(1, 0)));
}

#[test]
fn a_sweep_starts_the_other_workers_and_keeps_all_of_them_busy() {
    let mut pool = ready(3);
    let mut actions = vec![Action::Start(1, EnginePlace::Worker), Action::Start(2, EnginePlace::Worker)];
    actions.extend(posts(0, portion(1, 0)));
    assert_eq!(sweep(&mut pool, 4, 10.0), actions);
    assert_eq!(pool.heard(2, &Event::Ready, 20.0), posts(2, portion(1, 1)));
    assert_eq!(pool.heard(0, &made(1, 0), 21.0), posts(0, portion(1, 2)));
    assert_eq!(pool.heard(1, &Event::Ready, 22.0), posts(1, portion(1, 3)));
    for (index, point) in [(2, 1), (0, 2), (1, 3)] {
        assert!(pool.is_waiting());
        assert_eq!(pool.heard(index, &made(1, point), 30.0), []);
    }
    assert!(!pool.is_waiting());
}

#[test]
fn what_is_seen_comes_first() {
    let mut pool = ready(1);
    sweep(&mut pool, 2, 10.0);
    assert_eq!(submit(&mut pool, 11.0), posts(0, run(2)), "the run takes the sweep's place");
    assert_eq!(pool.heard(0, &made(1, 0), 12.0), [], "too late: it is done again");
    assert_eq!(pool.heard(0, &done(2), 13.0), posts(0, portion(1, 0)));
    pool.put_first(Lane::Sweep);
    assert_eq!(submit(&mut pool, 14.0), [], "the sweep is what is seen");
    assert_eq!(pool.heard(0, &made(1, 0), 15.0), posts(0, portion(1, 1)));
    assert_eq!(pool.heard(0, &made(1, 1), 16.0), posts(0, run(3)));
}

#[test]
fn one_worker_is_enough_for_what_is_seen() {
    let mut pool = ready(2);
    sweep(&mut pool, 9, 10.0);
    pool.heard(1, &Event::Ready, 11.0);
    assert_eq!(submit(&mut pool, 12.0), posts(0, run(2)));
    assert_eq!(submit(&mut pool, 13.0), [], "the other worker goes on sweeping");
    assert_eq!(pool.heard(0, &done(2), 14.0), posts(0, run(3)));
    assert_eq!(pool.heard(0, &done(3), 15.0), posts(0, portion(1, 0)));
}

#[test]
fn a_sweep_that_is_not_wanted_any_more_stops_at_once() {
    let mut pool = ready(1);
    assert_eq!(sweep(&mut pool, 3, 10.0), posts(0, portion(1, 0)));
    assert_eq!(sweep(&mut pool, 3, 11.0), posts(0, portion(2, 0)));
    assert_eq!(pool.cancel(Lane::Sweep, 12.0), posts(0, Request::Stop));
    assert!(!pool.is_waiting());
    assert_eq!(pool.heard(0, &made(2, 0), 13.0), []);
}

#[test]
fn nobody_looking_means_nobody_working() {
    let mut pool = ready(1);
    sweep(&mut pool, 2, 10.0);
    assert_eq!(pool.pause(), posts(0, Request::Pause));
    assert_eq!(pool.passed(60_000.0), [], "silence is what was asked for");
    assert_eq!(submit(&mut pool, 60_001.0), []);
    let resumed = vec![Action::Post(0, Request::Resume), Action::Post(0, run(2))];
    assert_eq!(pool.resume(60_002.0), resumed);
    assert_eq!(pool.passed(61_000.0), []);
    assert_eq!(pool.heard(0, &done(2), 61_001.0), posts(0, portion(1, 0)));
}

#[test]
fn a_dead_worker_is_replaced_and_gets_what_the_last_one_left() {
    let mut pool = ready(1);
    submit(&mut pool, 10.0);
    assert_eq!(pool.died(0, 20.0), starts(0, Trouble::WorkerReplaced));
    assert_eq!(pool.heard(0, &Event::Ready, 30.0), posts(0, run(1)));
    assert_eq!(pool.heard(0, &Event::Unreadable, 40.0), starts(0, Trouble::WorkerReplaced));
    submit(&mut pool, 50.0);
    assert_eq!(pool.heard(0, &Event::Ready, 60.0), posts(0, run(2)));
}

#[test]
fn a_lost_workers_portion_goes_to_another() {
    let mut pool = ready(2);
    sweep(&mut pool, 3, 10.0);
    pool.heard(1, &Event::Ready, 11.0);
    assert_eq!(pool.died(0, 12.0), starts(0, Trouble::WorkerReplaced));
    assert_eq!(pool.heard(1, &made(1, 1), 13.0), posts(1, portion(1, 0)));
}

#[test]
fn a_silent_worker_is_dead() {
    let mut pool = ready(1);
    assert_eq!(pass(&mut pool, 0, 60), [], "nothing is expected of it");
    submit(&mut pool, 60_000.0);
    assert_eq!(pass(&mut pool, 61, 64), []);
    assert_eq!(pool.heard(0, &progress(1), 64_000.0), []);
    assert_eq!(pass(&mut pool, 65, 69), []);
    assert_eq!(pass(&mut pool, 70, 70), starts(0, Trouble::WorkerReplaced));
}

/// A page on a computer that slept, or was too busy, has not heard its workers.
#[test]
fn no_worker_is_dead_because_the_page_was_held_up() {
    let mut pool = ready(2);
    sweep(&mut pool, 3, 1_000.0);
    pool.heard(1, &Event::Ready, 1_500.0);
    assert_eq!(pass(&mut pool, 2, 3), []);
    assert_eq!(pass(&mut pool, 3_600, 3_601), [], "an hour later");
    assert_eq!(pool.heard(0, &made(1, 0), 3_601_500.0), posts(0, portion(1, 2)));
    let both = [starts(1, Trouble::WorkerReplaced), starts(0, Trouble::WorkerReplaced)].concat();
    assert_eq!(pass(&mut pool, 3_602, 3_607), both, "silence is silence again");
    // The same holds for workers that are starting.
    assert_eq!(pass(&mut pool, 9_000, 9_006), []);
}

/// As when another program takes all processors for a while.
#[test]
fn workers_that_fall_silent_together_cost_no_sweep() {
    let n_workers = 8;
    let mut pool = ready(n_workers);
    sweep(&mut pool, 20, 0.0);
    (1..n_workers).for_each(|index| drop(pool.heard(index, &Event::Ready, 100.0)));
    let replaced: Vec<_> = (0..n_workers).flat_map(|index| starts(index, Trouble::WorkerReplaced)).collect();
    assert_eq!(pass(&mut pool, 1, 6), replaced);
    let mut posted: Vec<_> = (0..n_workers).flat_map(|index| pool.heard(index, &Event::Ready, 6_100.0)).collect();
    while let Some(Action::Post(index, Request::Portion { portion, .. })) = posted.pop() {
        posted.extend(pool.heard(index, &made(1, portion.point), 6_200.0));
    }
    assert!(posted.is_empty() && !pool.is_waiting());
}

#[test]
fn work_that_kills_every_worker_is_given_up() {
    let troubles = [Trouble::RunGivenUp, Trouble::SurveyGivenUp, Trouble::SweepGivenUp];
    for (lane, trouble) in Lane::ALL.into_iter().zip(troubles) {
        let mut pool = ready(1);
        pool.submit(lane, |Generation(g)| [portion(g, 0)], 10.0);
        for _ in 0..DEATHS_ALLOWED {
            assert_eq!(pool.died(0, 20.0), starts(0, Trouble::WorkerReplaced));
            assert_eq!(pool.heard(0, &Event::Ready, 30.0), posts(0, portion(1, 0)));
        }
        assert_eq!(pool.died(0, 40.0), starts(0, trouble));
        assert_eq!(pool.heard(0, &Event::Ready, 50.0), []);
        assert!(!pool.is_waiting());
        let another = pool.submit(lane, |Generation(g)| [portion(g, 0)], 60.0).1;
        assert_eq!(another, posts(0, portion(2, 0)), "another one has its own chance");
    }
}

#[test]
fn without_workers_the_page_computes() {
    for late in [false, true] {
        let mut pool = Pool::new(EnginePlace::Worker, 4, 0.0);
        submit(&mut pool, 10.0);
        let actions = if late { pass(&mut pool, 0, 16) } else { pool.died(0, 20.0) };
        let on_page = [Action::Tell(Trouble::NoWorker), Action::End(0), Action::Start(0, EnginePlace::Page)];
        assert_eq!(actions, on_page);
        assert_eq!(pool.heard(0, &Event::Ready, 20_001.0), posts(0, run(1)));
        assert_eq!(pool.passed(99_999.0), [], "the page cannot be silent: it would not ask");
        pool.heard(0, &done(1), 99_999.0);
        assert_eq!(sweep(&mut pool, 4, 99_999.0), posts(0, portion(2, 0)), "one engine does it all");
    }
}

#[test]
fn a_further_worker_that_never_comes_up_is_done_without() {
    let mut pool = ready(2);
    sweep(&mut pool, 2, 10.0);
    for _ in 0..DEATHS_ALLOWED {
        assert_eq!(pool.died(1, 20.0), starts(1, Trouble::WorkerReplaced));
    }
    assert_eq!(pool.died(1, 20.0), [Action::End(1)]);
    assert_eq!(pool.heard(0, &made(1, 0), 30.0), posts(0, portion(1, 1)));
    assert_eq!(pool.heard(0, &made(1, 1), 40.0), []);
}
