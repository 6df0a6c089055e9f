use super::plane::{EXTENT, Plane};
use super::scene::{Frames, Shape};
use super::stage::Stage;
use super::*;
use crate::sim::family::Family;
use crate::sim::lanes::Lanes;
use crate::sim::participation::Participation;
use crate::sim::scenario::{Settings, Start};
use crate::sim::schedule::Schedule;
use crate::sim::spread::Spread;
use crate::sim::system::LinearSystem;

const FEDAVG: Method = Method::constant(Solver::FedAvg);
const FEDLIN: Method = Method::constant(Solver::FedLin);

fn slow_run(method: Method, change: impl Fn(&mut Settings)) -> SlowRun {
    let mut settings = Settings { heterogeneity: 0.3, ..Settings::paper() };
    change(&mut settings);
    SlowRun::new(Scenario::new(settings).unwrap(), method).unwrap()
}

fn close(a: &Matrix, b: &Matrix) -> bool {
    (a - b).amax() <= 1e-10 * (1.0 + b.amax())
}

/// The single steps end where the closed form does, in several rounds, and the server's model is the mean of the ends.
#[track_caller]
fn check(method: Method, change: impl Fn(&mut Settings)) {
    let mut run = slow_run(method, change);
    for _ in 0..3 {
        let fleet = &run.fleet;
        let maps: Vec<_> = (0..fleet.n_clients())
            .map(|client| {
                let (block, lane) = (client / LANES, client % LANES);
                let map = &run.maps.blocks()[block];
                (map.p.lane(lane), map.q.lane(lane), fleet.blocks()[block].moments(lane))
            })
            .collect();
        let gradients = |server: &Matrix| maps.iter().map(|(_, _, moments)| moments.gradient(server)).sum::<Matrix>();
        let n_clients = fleet.n_clients() as f64;
        let round = run.go_on();
        let server = &round.server[0];
        let mean = gradients(server) / n_clients;
        let mut sum = server * 0.0;
        for client in &round.clients {
            let (p, q, moments) = &maps[client.client];
            let expected = match method.solver {
                Solver::FedLin => server + &mean * q,
                _ => server * p + &moments.c * q,
            };
            let (n_steps, end) = client.path.last().unwrap();
            assert_eq!(*n_steps, client.n_steps);
            assert!(close(end, &expected), "{method:?}: {end} and not {expected}");
            sum += end;
        }
        assert!(close(&(sum / round.clients.len() as f64), &round.server[1]), "round {}", round.number);
    }
}

#[test]
fn steps_end_where_the_engine_has_them_and_their_mean_is_the_new_model() {
    for solver in [Solver::FedAvg, Solver::FedLin] {
        for schedule in Schedule::ALL {
            check(Method { solver, schedule }, |s| s.n_clients = SHOWN);
        }
        let method = Method::constant(solver);
        check(method, |s| (s.n_clients, s.n_local_steps) = (3, Spread::Each(vec![1, 37, 12])));
        check(method, |s| (s.n_clients, s.gradient_scale, s.step_size) = (4, GradientScale::Mean, 0.01));
        check(method, |s| (s.n_clients, s.start) = (1, Start::Nominal));
    }
}

/// With more clients than are shown, the server's model still equals the run's.
#[test]
fn rounds_are_those_of_the_run() {
    let mut run = slow_run(FEDLIN, |s| s.n_clients = 20);
    let map = run.update.round_map(RoundOf { fleet: &run.fleet, maps: &run.maps, who: &run.who }).unwrap().clone();
    let round = run.go_on();
    let mut expected = round.server[0].clone();
    map.apply(&round.server[0], &mut expected);
    assert!(close(&round.server[1], &expected));
    assert_eq!((round.number, round.clients.len(), round.n_taking_part), (1, SHOWN, 20));
    let second = run.go_on();
    assert_eq!((second.number, &second.server[0]), (2, &round.server[1]));
}

#[test]
fn those_who_take_part_are_shown() {
    let mut run = slow_run(FEDAVG, |s| s.participation = Participation::Fraction(0.2));
    for number in 1..=6 {
        let weights: Vec<Lanes> = run.who.weights().to_vec();
        let round = run.go_on();
        assert_eq!((round.number, round.n_taking_part, round.clients.len()), (number, 10, SHOWN));
        assert!(round.clients.iter().all(|client| weights[client.client / LANES].0[client.client % LANES] > 0.0));
    }
    let mut run = slow_run(FEDAVG, |s| s.participation = Participation::Dropout(1.0));
    let round = run.go_on();
    assert_eq!(round.server[0], round.server[1]);
    let frames = Frames::new(round, None);
    assert_eq!(frames.count(), 1);
    assert!(frames.scene(0).sentence.contains("drop out"));
}

#[test]
fn an_estimate_lies_in_its_region_and_the_plane_in_the_space() {
    let round = slow_run(FEDAVG, |_| ()).go_on();
    let plane = Plane::of(&round);
    assert!(plane.place(&round.server[0]) == (0.0, 0.0));
    // The first axis points exactly to pooled least squares.
    let pooled = round.pooled.as_ref().unwrap();
    let (x, y) = plane.place(pooled);
    assert!((x - (pooled - &round.server[0]).norm()).abs() < 1e-12 && y.abs() < 1e-12);
    for client in &round.clients {
        let (own, covariance) = client.own.as_ref().unwrap();
        let region = plane.region(own, covariance);
        assert!(region.contains(plane.place(own)) && !region.contains(plane.place(&round.server[0])));
    }
}

/// 95 % of the regions of many data sets contain the truth.
#[test]
fn a_region_holds_the_truth_as_often_as_it_says() {
    let mut held = 0;
    for seed in 0..400 {
        let round = slow_run(FEDAVG, |s| (s.n_clients, s.seed) = (2, crate::sim::stream::Seed(seed))).go_on();
        let scenario = Scenario::new(Settings {
            heterogeneity: 0.3,
            n_clients: 2,
            seed: crate::sim::stream::Seed(seed),
            ..Settings::paper()
        })
        .unwrap();
        // A plane that does not depend on the data: through the first model and the two systems.
        let fixed = Round {
            pooled: Some(scenario.systems()[0].theta()),
            clients: Vec::new(),
            server: [scenario.first_model(), scenario.systems()[1].theta()],
            ..round.clone()
        };
        let plane = Plane::of(&fixed);
        let (own, covariance) = round.clients[0].own.as_ref().unwrap();
        held += usize::from(plane.region(own, covariance).contains(plane.place(&scenario.systems()[0].theta())));
    }
    // 380 expected, ± three standard errors.
    assert!((367..=393).contains(&held), "{held} of 400");
}

fn scalar() -> Family {
    let matrix = |value| Matrix::from_element(1, 1, value);
    Family::new(LinearSystem::new(matrix(0.7), matrix(0.5)).unwrap(), matrix(1.0), matrix(0.5)).unwrap()
}

/// Checks every frame of three rounds: its markup has no NaN, and its labels lie on the paper.
#[track_caller]
fn check_frames(method: Method, change: impl Fn(&mut Settings)) -> Frames {
    let mut run = slow_run(method, change);
    let mut frames = Frames::new(run.go_on(), None);
    for _ in 0..3 {
        for frame in 0..=frames.count() {
            let scene = frames.scene(frame);
            let markup = svg::markup(&scene);
            assert!(!markup.contains("NaN") && !markup.contains("inf"), "{markup}");
            assert!(markup.starts_with("<svg class=round") && markup.contains("<title>"));
            assert!(scene.sentence.len() > 20 && !scene.sentence.contains("NaN"), "{}", scene.sentence);
            for shape in &scene.shapes {
                if let Shape::Label { at: (x, y), .. } = shape {
                    assert!((0.0..=EXTENT.0).contains(x) && (0.0..=EXTENT.1).contains(y), "{shape:?}");
                }
            }
        }
        frames = Frames::new(run.go_on(), Some(&frames));
    }
    frames
}

#[test]
fn extremes_make_frames() {
    for method in [FEDAVG, FEDLIN, Method { schedule: Schedule::OverLocalSteps, ..FEDAVG }] {
        check_frames(method, |_| ());
        check_frames(method, |s| s.step_size = 1e3);
        check_frames(method, |s| (s.step_size, s.n_local_steps) = (1.0, 10_000.into()));
        check_frames(method, |s| s.step_size = 1e-300);
        check_frames(method, |s| (s.family, s.n_clients) = (scalar(), 1));
        check_frames(method, |s| (s.family, s.data.rollout_len, s.data.n_rollouts) = (scalar(), 1.into(), 1.into()));
        check_frames(method, |s| s.data.process_noise_std = 0.0.into());
        check_frames(method, |s| s.heterogeneity = 0.0);
        check_frames(method, |s| {
            let zero = || 0.0.into();
            (s.data.process_noise_std, s.data.input_std, s.data.initial_state_std) = (zero(), zero(), zero());
        });
        check_frames(method, |s| s.participation = Participation::Dropout(0.9));
        // One client without noise starts at its own system: nothing moves.
        check_frames(method, |s| {
            (s.n_clients, s.start) = (1, Start::Nominal);
            (s.data.process_noise_std, s.heterogeneity) = (0.0.into(), 0.0);
        });
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let refused = |method, change: fn(&mut Settings)| {
        let mut settings = Settings::paper();
        change(&mut settings);
        SlowRun::new(Scenario::new(settings).unwrap(), method).err()
    };
    let median = Method::constant(Solver::Median);
    assert_eq!(refused(median, |_| ()), Some(Refusal::Method));
    assert_eq!(refused(FEDAVG, |s| (s.n_clients, s.data.rollout_len) = (10_000, 11.into())), Some(Refusal::TooLarge));
    let unstable = |s: &mut Settings| (s.heterogeneity, s.data.rollout_len) = (30.0, 1_000.into());
    assert_eq!(refused(FEDAVG, unstable), Some(Refusal::Overflow));
}

#[test]
fn a_round_has_its_stages_in_order() {
    let frames = Frames::new(slow_run(FEDAVG, |s| s.n_local_steps = 3.into()).go_on(), None);
    let stages: Vec<_> = (0..frames.count()).map(|frame| frames.scene(frame).stage).collect();
    let steps = [1, 2, 3].map(Stage::Step);
    let expected = [&[Stage::Start], &steps[..], &[Stage::Upload, Stage::Average, Stage::Broadcast]].concat();
    assert_eq!(stages, expected);
    // Of many steps a dozen have frames, among them the last.
    let frames = Frames::new(slow_run(FEDAVG, |s| s.n_local_steps = 100.into()).go_on(), None);
    assert_eq!((frames.count(), frames.scene(12).stage), (16, Stage::Step(100)));
}

/// Near the floor a step leads to the noise in a client's own data, however small it is: that is no fault of the step.
#[test]
fn steps_are_too_large_where_gradients_grow() {
    let ends = |method: Method, step_size: f64| {
        let mut run = slow_run(method, |s| (s.heterogeneity, s.step_size) = (0.01, step_size));
        let all = (0..12).map(|_| run.go_on()).collect::<Vec<_>>();
        all.into_iter().map(|round| Frames::new(round, None).scene(10).sentence).collect::<Vec<_>>()
    };
    for method in [FEDAVG, FEDLIN] {
        let small = ends(method, 1e-3);
        assert!(small.iter().all(|said| said.contains("against its own system.")), "{small:?}");
        let large = ends(method, 0.01);
        assert!(large.iter().all(|said| said.contains(": too large for its data.")), "{large:?}");
    }
}

#[test]
fn sentences_have_the_rounds_numbers() {
    let round = slow_run(FEDAVG, |_| ()).go_on();
    let [before, after] = round.counting.1.map(|error| crate::figure::number::measured(error, 3));
    let of_client = round.clients[0].errors.map(|error| crate::figure::number::measured(error, 3));
    let frames = Frames::new(round, None);
    let said = |frame: usize| frames.scene(frame).sentence;
    assert_eq!(
        said(0),
        format!(
            "Round 1: the server sends its model to all 50 clients, of which 5 are drawn. Its error against client 1 is {before}."
        )
    );
    assert_eq!(said(1), "Local step 1 of 10 with α = 0.0001: each client follows the gradient of its own cost.");
    assert_eq!(
        said(10),
        format!(
            "10 local steps with α = 0.0001 take client 1’s model from an error of {} to {} against its own system.",
            of_client[0], of_client[1]
        )
    );
    assert_eq!(said(11), "Each uploads its model, a 3×5 matrix: 15 numbers, not its 125 samples of 8 numbers each.");
    let fedlin = Frames::new(slow_run(FEDLIN, |_| ()).go_on(), None).scene(11).sentence;
    let twice = "Each uploads its model, as it did its gradient before, 3×5 matrices: 30 numbers in all, not its 125";
    assert!(fedlin.starts_with(twice), "{fedlin}");
    assert!(said(12).starts_with("The server takes the mean of 50 models. It is "));
    assert_eq!(
        said(13),
        format!(
            "This is the server’s new model, with which round 2 begins. Its error against client 1 is {after}, from {before}."
        )
    );
    assert!(frames.caption().starts_with("Two of 15 dimensions."));
}

#[test]
fn the_view_stays_while_there_is_something_to_see_and_comes_nearer_then() {
    let mut run = slow_run(FEDAVG, |s| s.step_size = 2e-4);
    let first = Frames::new(run.go_on(), None);
    let place = |frames: &Frames| {
        frames.scene(0).shapes.iter().find_map(|shape| match shape {
            Shape::Pooled(at) => Some(*at),
            _ => None,
        })
    };
    let second = Frames::new(run.go_on(), Some(&first));
    assert_eq!(place(&first), place(&second));
    let mut last = second;
    for _ in 0..10 {
        last = Frames::new(run.go_on(), Some(&last));
    }
    assert_ne!(place(&first), place(&last));
}

#[test]
fn words_do_not_lie_on_each_other() {
    for method in [FEDAVG, FEDLIN] {
        for step_size in [1e-4, 1e-3] {
            let frames = check_frames(method, |s| s.step_size = step_size);
            for frame in 0..frames.count() {
                let words: Vec<_> = frames
                    .scene(frame)
                    .shapes
                    .into_iter()
                    .filter_map(|shape| match shape {
                        Shape::Label { at, words, .. } => Some((at, words.chars().count() as f64)),
                        _ => None,
                    })
                    .collect();
                for (k, (a, length)) in words.iter().enumerate() {
                    for (b, other) in &words[..k] {
                        let apart = (a.0 - b.0).abs() > 5.6 * (length + other) || (a.1 - b.1).abs() > 20.0;
                        assert!(apart, "{words:?}");
                    }
                }
            }
        }
    }
}
