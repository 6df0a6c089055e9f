use super::*;
use fedsysid_sim::family::Family;
use fedsysid_sim::fleet::Fleet;
use fedsysid_sim::local_map::{FleetMaps, StepRule};
use fedsysid_sim::method::affine::RoundMap;
use fedsysid_sim::method::{Method, Round, Solver, begin};
use fedsysid_sim::norm::spectral_norm;
use fedsysid_sim::participation::Participants;
use fedsysid_sim::scenario::{GradientScale, Settings};
use fedsysid_sim::spread::Spread;
use fedsysid_sim::stability::contraction;
use fedsysid_sim::system::LinearSystem;

fn axes(schedule: Schedule) -> Axes {
    Axes {
        step_sizes: (0..11_u32).map(|k| 1e-5 * libm::exp2(f64::from(k))).collect(),
        local_steps: vec![1, 2, 5, 10, 37, 100],
        fedavg: schedule,
        fedlin: schedule,
    }
}

fn finish(scenario: &Scenario, axes: Axes) -> Result<StabilityMap, NoPrediction> {
    let mut run = StabilityRun::new(scenario, axes);
    let mut before = 0;
    loop {
        if let Some(map) = run.step(scenario) {
            return map;
        }
        let (done, all) = run.progress();
        assert!(before <= done && done <= all, "{done} of {all}");
        before = done;
    }
}

/// The expected fleet if client 1 takes `local_steps` steps.
fn fleet(settings: &Settings, local_steps: usize) -> Fleet {
    let first = settings.n_local_steps.first().unwrap();
    let expected = ExpectedFleet::new(&Scenario::new(settings.clone()).unwrap());
    let mut fleet = Fleet::new(settings.family.dims());
    let scenario = Scenario::new(settings.clone()).unwrap();
    for client in 0..settings.n_clients {
        let own = scenario.n_local_steps(client) as f64 * local_steps as f64 / first as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
        fleet.add(&expected.client(client).0, own.round().max(1.0) as usize);
    }
    fleet
}

/// The model to which FedAvg's rounds converge.
fn fixed_point(fleet: &Fleet, step_size: f64, schedule: Schedule, start: &Matrix) -> Matrix {
    let mut update = begin(Solver::FedAvg, fleet, start);
    let maps = FleetMaps::new(fleet, StepRule { schedule, step_size, pull: 0.0 });
    let who = Participants::everybody(fleet.n_clients());
    let mut power: RoundMap = update.round_map(Round { fleet, maps: &maps, who: &who }).unwrap().clone();
    (0..40).for_each(|_| power = power.then(&power));
    let mut rest = start.clone();
    power.apply(start, &mut rest);
    rest
}

fn largest_trace(fleet: &Fleet) -> f64 {
    let traces = fleet.blocks().iter().flat_map(|block| (0..LANES).map(|lane| block.moments(lane).s.trace()));
    traces.fold(0.0, f64::max)
}

#[track_caller]
fn check(settings: &Settings, schedule: Schedule) {
    let map = finish(&Scenario::new(settings.clone()).unwrap(), axes(schedule)).unwrap();
    let mut n_drifts = 0;
    for (y, local_steps) in axes(schedule).local_steps.into_iter().enumerate() {
        let fleet = fleet(settings, local_steps);
        for (x, &step_size) in map.drift.xs.iter().enumerate() {
            // For α/k with very large early steps, the terms of the simulator's own Q_i cancel.
            let is_tame = schedule != Schedule::OverLocalSteps || step_size * largest_trace(&fleet) < 10.0;
            for (solver, map) in [(Solver::FedAvg, &map.fedavg), (Solver::FedLin, &map.fedlin)] {
                if solver == Solver::FedLin && !is_tame {
                    continue;
                }
                let expected = contraction(Method { solver, schedule }, step_size, &fleet).unwrap();
                let got = map.row(y)[x];
                let close =
                    (got - expected).abs() <= 1e-9 * expected + 1e-14 || got.is_infinite() && expected.is_infinite();
                assert!(close, "{solver:?} {schedule:?} α = {step_size}, K = {local_steps}: {got} and not {expected}");
            }
            let drift = map.drift.row(y)[x];
            assert_eq!(drift.is_nan(), map.fedavg.row(y)[x] > CONVERGES || !schedule.repeats_every_round());
            if map.fedavg.row(y)[x] < 0.9999 && !drift.is_nan() && is_tame {
                let Ok(pooled) = fedsysid_sim::estimate::least_squares(&fleet.total()) else { continue };
                let rest = fixed_point(&fleet, step_size, schedule, &pooled);
                let expected = spectral_norm(&(rest - pooled));
                assert!(
                    (drift - expected).abs() < 1e-9 * (1.0 + expected),
                    "α = {step_size}, K = {local_steps}: {drift} {expected}"
                );
                n_drifts += 1;
            }
        }
    }
    assert!(n_drifts > 5 || !schedule.repeats_every_round());
}

/// Clients that differ in everything.
fn unequal() -> Settings {
    let mut settings = Settings { heterogeneity: 0.5, n_clients: 19, ..Settings::paper() };
    settings.data.n_rollouts = Spread::Even { low: 5, high: 40 };
    settings.data.rollout_len = Spread::Even { low: 2, high: 9 };
    settings.data.input_std = Spread::Even { low: 0.3, high: 2.0 };
    settings.n_local_steps = Spread::Each(vec![3, 10, 7]);
    settings
}

fn scalar() -> Family {
    let matrix = |value| Matrix::from_element(1, 1, value);
    let nominal = LinearSystem::new(matrix(0.7), matrix(0.5)).unwrap();
    Family::new(nominal, matrix(1.0), matrix(0.5)).unwrap()
}

#[test]
fn contraction_and_drift_are_those_of_the_rounds() {
    for schedule in Schedule::ALL {
        check(&Settings { heterogeneity: 0.3, ..Settings::paper() }, schedule);
        check(&unequal(), schedule);
    }
    let mean = Settings { gradient_scale: GradientScale::Mean, ..unequal() };
    check(&mean, Schedule::Constant);
    check(&Settings { n_clients: 1, family: scalar(), ..Settings::paper() }, Schedule::Constant);
    // More clients than one chunk holds.
    check(&Settings { n_clients: 203, ..Settings::paper() }, Schedule::OverLocalSteps);
}

#[test]
fn each_method_has_its_own_schedule() {
    let scenario = Scenario::new(Settings { heterogeneity: 0.3, ..Settings::paper() }).unwrap();
    let of = |fedavg, fedlin| finish(&scenario, Axes { fedavg, fedlin, ..axes(fedavg) }).unwrap();
    let mixed = of(Schedule::OverLocalSteps, Schedule::Constant);
    assert_eq!(mixed.fedavg, of(Schedule::OverLocalSteps, Schedule::OverLocalSteps).fedavg);
    assert_eq!(mixed.fedlin, of(Schedule::Constant, Schedule::Constant).fedlin);
}

/// There is no drift if the clients are equal, or take one local step.
#[test]
fn drift_comes_of_many_steps_on_clients_that_differ() {
    let scenario = Scenario::new(Settings { heterogeneity: 0.3, ..Settings::paper() }).unwrap();
    let map = finish(&scenario, axes(Schedule::Constant)).unwrap().drift;
    assert!(map.row(0)[..6].iter().all(|&drift| drift < 1e-12), "{:?}", map.row(0));
    let growing: Vec<_> = (0..map.ys.len()).map(|y| map.row(y)[5]).collect();
    assert!(growing.windows(2).all(|pair| pair[1] > pair[0]), "{growing:?}");
    let alike = Scenario::new(Settings { heterogeneity: 0.0, ..Settings::paper() }).unwrap();
    let map = finish(&alike, axes(Schedule::Constant)).unwrap().drift;
    assert!(map.values.iter().all(|&drift| drift.is_nan() || drift < 1e-12));
}

/// Nothing moves along a direction without data, so it does not drift; the other directions drift as without it.
#[test]
fn a_direction_without_data_takes_no_part() {
    let mut settings = Settings { heterogeneity: 0.3, n_clients: 5, ..Settings::paper() };
    settings.data.input_std = 0.0.into();
    let scenario = Scenario::new(settings.clone()).unwrap();
    let map = finish(&scenario, axes(Schedule::Constant)).unwrap();
    let fleet = fleet(&settings, 100);
    let nominal = settings.family.nominal().theta();
    let (step_size, x) = (map.drift.xs[7], 7);
    let start = fixed_point(&fleet, 1e-9, Schedule::Constant, &nominal);
    let expected = spectral_norm(&(fixed_point(&fleet, step_size, Schedule::Constant, &nominal) - start));
    let drift = map.drift.row(5)[x];
    assert!((map.fedavg.row(5)[x] - 1.0).abs() < 1e-12 && (map.fedlin.row(5)[x] - 1.0).abs() < 1e-12);
    assert!(drift > 1e-4 && (drift / expected - 1.0).abs() < 1e-4, "{drift} {expected}");
}

#[test]
fn extremes_make_numbers_or_a_reason_and_no_panic() {
    let mut settings = Settings { heterogeneity: 30.0, ..Settings::paper() };
    settings.data.rollout_len = 10_000.into();
    let scenario = Scenario::new(settings).unwrap();
    assert_eq!(finish(&scenario, axes(Schedule::Constant)), Err(NoPrediction::Overflow));
    for std in [0.0, 1e-200, 1e150] {
        for schedule in Schedule::ALL {
            let mut settings = Settings { n_clients: 2, heterogeneity: 0.0, ..Settings::paper() };
            settings.data.process_noise_std = std.into();
            settings.data.initial_state_std = std.into();
            settings.data.input_std = std.into();
            let scenario = Scenario::new(settings).unwrap();
            let local_steps = vec![0, 1, 10_000];
            let axes = Axes { step_sizes: vec![0.0, f64::NAN, 1e-300, 1.0, 1e300], local_steps, ..axes(schedule) };
            let map = finish(&scenario, axes);
            if let Ok(map) = map {
                assert_eq!((map.fedavg.xs.len(), map.fedavg.ys.len()), (3, 2));
                assert!(map.fedavg.values.iter().chain(&map.fedlin.values).all(|rho| !rho.is_nan()));
            }
        }
    }
    let scenario = Scenario::new(Settings::paper()).unwrap();
    for (step_sizes, local_steps) in [(vec![], vec![1]), (vec![1e-4], vec![])] {
        let map = finish(&scenario, Axes { step_sizes, local_steps, ..axes(Schedule::Constant) }).unwrap();
        assert!(map.drift.values.is_empty());
    }
}
