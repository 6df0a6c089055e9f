use rand::RngExt;
use rand::distr::Open01;

use super::*;
use crate::Matrix;
use crate::estimate::least_squares;
use crate::family::{Family, Place};
use crate::normal::normal;
use crate::plan::NoiseLevels;
use crate::samples::{Samples, simulate_samples};
use crate::stats::Running;
use crate::stream::Seed;

const UNEQUAL: NoiseLevels = NoiseLevels { initial_state_std: 0.5, input_std: 2.0, process_noise_std: 0.1 };

fn plan(n_rollouts: usize, rollout_len: usize, noise: NoiseLevels) -> DataPlan {
    DataPlan { n_rollouts, rollout_len, noise }
}

fn system() -> LinearSystem {
    Family::paper().member(Place { a: 0.3, b: 0.8 }, 0.5).unwrap()
}

fn unstable() -> LinearSystem {
    LinearSystem::new(system().a() * 2.5, system().b().clone()).unwrap()
}

fn scalar(a: f64) -> LinearSystem {
    LinearSystem::new(Matrix::from_element(1, 1, a), Matrix::from_element(1, 1, 1.0)).unwrap()
}

fn key(trial: usize, client: usize) -> DataKey {
    DataKey { seed: Seed(9), trial, client }
}

fn moments(system: &LinearSystem, plan: DataPlan, client: usize) -> Moments {
    MomentSimulator::new(system.dims()).simulate(Client { system, plan, key: key(0, client) })
}

/// The moments' entries, and the error of least squares (0 if there is no estimate).
fn quantities(moments: &Moments, theta: &Matrix) -> Vec<f64> {
    let error = least_squares(moments).map_or(0.0, |estimate| (estimate - theta).norm().min(10.0));
    moments.s.iter().chain(moments.c.iter()).copied().chain([error]).collect()
}

/// Mean and mean square of every quantity.
fn law(draws: impl Iterator<Item = Vec<f64>>) -> Vec<[Running; 2]> {
    let mut law = Vec::new();
    for draw in draws {
        law.resize(draw.len(), [Running::default(); 2]);
        law.iter_mut().zip(draw).for_each(|(law, value)| {
            law[0].push(value);
            law[1].push(value * value);
        });
    }
    law
}

/// Checks that the chain and rollouts simulated one by one have the same law: means and mean squares of all quantities,
/// within 4.5 combined standard errors.
#[track_caller]
fn check_law(system: &LinearSystem, plan: DataPlan) {
    const DRAWS: usize = 4_000;
    let theta = system.theta();
    let mut simulator = MomentSimulator::new(system.dims());
    let chain =
        law((0..DRAWS)
            .map(|t| quantities(&simulator.simulate(Client { system, plan, key: key(t, t % LANES) }), &theta)));
    let one_by_one = law((DRAWS..2 * DRAWS).map(|t| {
        let samples = simulate_samples(system, &plan, &mut key(t, 0).stream(Purpose::Data));
        quantities(&samples.moments(), &theta)
    }));
    for (k, (a, b)) in chain.iter().zip(&one_by_one).enumerate() {
        for (a, b) in a.iter().zip(b) {
            let standard_error = libm::hypot(a.standard_error(), b.standard_error());
            let difference = (a.mean() - b.mean()).abs();
            // Without noise, the error of an estimate is rounding.
            assert!(difference <= 4.5 * standard_error + 1e-12, "{plan:?}, {k}: {} {}", a.mean(), b.mean());
        }
    }
}

#[test]
fn the_law_is_that_of_rollouts_one_by_one() {
    for n_rollouts in [1, 2, 3, 4, 5, 6, 8, 25, 60] {
        for rollout_len in [1, 2, 5] {
            check_law(&system(), plan(n_rollouts, rollout_len, NoiseLevels::UNIT));
        }
    }
}

#[test]
fn so_it_is_for_other_levels_and_other_systems() {
    for n_rollouts in [1, 2, 4, 7, 30] {
        check_law(&system(), plan(n_rollouts, 3, UNEQUAL));
        check_law(&unstable(), plan(n_rollouts, 4, NoiseLevels::UNIT));
        check_law(&scalar(0.9), plan(n_rollouts, 3, NoiseLevels::UNIT));
        check_law(&scalar(-1.5), plan(n_rollouts, 2, UNEQUAL));
    }
}

const SILENT: [NoiseLevels; 5] = [
    NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT },
    NoiseLevels { input_std: 0.0, ..NoiseLevels::UNIT },
    NoiseLevels { initial_state_std: 0.0, ..NoiseLevels::UNIT },
    NoiseLevels { initial_state_std: 0.0, input_std: 0.0, process_noise_std: 1.0 },
    NoiseLevels { initial_state_std: 0.0, input_std: 0.0, process_noise_std: 0.0 },
];

#[test]
fn so_it_is_where_something_is_silent() {
    for noise in SILENT {
        for n_rollouts in [1, 2, 4, 9] {
            check_law(&system(), plan(n_rollouts, 3, noise));
        }
    }
}

/// With fewer rollouts than states and silent initial states, a first state that nothing drives must not displace the
/// second.
#[test]
fn a_state_that_nothing_drives_takes_no_rollout_from_the_others() {
    let a = Matrix::from_row_slice(2, 2, &[0.0, 0.0, 0.0, 0.5]);
    let system = LinearSystem::new(a, Matrix::from_row_slice(2, 1, &[0.0, 1.0])).unwrap();
    let noise = NoiseLevels { initial_state_std: 0.0, input_std: 1.0, process_noise_std: 0.0 };
    check_law(&system, plan(1, 4, noise));
    assert!(moments(&system, plan(1, 4, noise), 0).s[(1, 1)] > 0.0);
}

#[test]
fn samples_that_are_realized_have_the_moments() {
    for noise in SILENT.into_iter().chain([NoiseLevels::UNIT, UNEQUAL]) {
        for n_rollouts in 1..=60 {
            let (system, plan) = (system(), plan(n_rollouts, 1 + n_rollouts % 6, noise));
            let samples = realize(Client { system: &system, plan, key: key(0, n_rollouts) });
            let (got, expected) = (samples.moments(), moments(&system, plan, n_rollouts));
            let size = expected.s.amax().max(expected.c.amax());
            assert_eq!(got.n_samples, expected.n_samples);
            assert!((got.s - &expected.s).amax() <= 1e-12 * size, "{plan:?} {}", expected.s);
            assert!((got.c - &expected.c).amax() <= 1e-12 * size, "{plan:?} {}", expected.c);
        }
    }
}

/// The draws `[x_0; u_0; w_0; …]` of every rollout of a realization, each divided by its standard deviation.
fn drives(samples: &Samples, system: &LinearSystem, plan: &DataPlan) -> Matrix {
    let Dims { n_states: n, n_inputs: p } = system.dims();
    let noise = &samples.next - system.theta() * &samples.z;
    Matrix::from_fn(system.dims().n_normals(plan.rollout_len), plan.n_rollouts, |row, rollout| {
        let t = row.saturating_sub(n) / (n + p);
        let (within, column) = ((row.saturating_sub(n)) % (n + p), rollout * plan.rollout_len + t);
        match (row < n, within < p) {
            (true, _) => samples.z[(row, column)] / plan.noise.initial_state_std,
            (false, true) => samples.z[(n + within, column)] / plan.noise.input_std,
            (false, false) => noise[(within - p, column)] / plan.noise.process_noise_std,
        }
    })
}

/// The draws are standard normals, independent within a rollout and between rollouts: checks the products of any two,
/// and the squares of these products.
#[test]
fn samples_that_are_realized_have_the_law_of_rollouts() {
    let system = system();
    for n_rollouts in [1, 2, 4, 7, 12] {
        let plan = plan(n_rollouts, 2, UNEQUAL);
        let n_drives = n_rollouts * system.dims().n_normals(2);
        let mut products = vec![[Running::default(); 2]; n_drives * n_drives];
        for trial in 0..8_000 {
            let samples = realize(Client { system: &system, plan, key: key(trial, 3) });
            let drives = drives(&samples, &system, &plan);
            for (i, a) in drives.iter().enumerate() {
                for (j, b) in drives.iter().enumerate().take(i + 1) {
                    products[i * n_drives + j][0].push(a * b);
                    products[i * n_drives + j][1].push(a * a * b * b);
                }
            }
        }
        for i in 0..n_drives {
            for j in 0..=i {
                let [product, square] = &products[i * n_drives + j];
                // Means and variances of these products of standard normals.
                let laws = if i == j { [(1.0, 2.0), (3.0, 96.0)] } else { [(0.0, 1.0), (1.0, 8.0)] };
                for (got, (mean, variance)) in [product, square].into_iter().zip(laws) {
                    let standard_error = f64::sqrt(variance / got.n() as f64);
                    let deviation = (got.mean() - mean) / standard_error;
                    assert!(deviation.abs() < 6.0, "N = {n_rollouts}: entries {i} and {j}: {deviation}");
                }
            }
        }
    }
}

#[test]
fn a_rollouts_next_state_is_its_state() {
    let (system, plan) = (system(), plan(6, 4, UNEQUAL));
    let samples = realize(Client { system: &system, plan, key: key(0, 0) });
    for column in (0..24).filter(|column| column % 4 != 3) {
        assert_eq!(samples.z.view((0, column + 1), (3, 1)), samples.next.columns(column, 1));
    }
}

/// A client has the same bits in a group as alone, even beside overflow, silence and other rollout lengths.
#[test]
fn bits_do_not_depend_on_the_neighbors() {
    let (calm, wild) = (system(), LinearSystem::new(system().a() * 1e150, system().b().clone()).unwrap());
    let systems = [&calm, &wild, &calm, &calm, &wild, &calm];
    let lengths = [5, 9, 1, 12, 3, 12];
    let n_rollouts = [25, 3, 1, 4, 1_000, 1];
    let clients = |which: &[usize]| -> Vec<_> {
        let client = |&k: &usize| {
            let noise = if k == 3 { SILENT[0] } else { NoiseLevels::UNIT };
            Client { system: systems[k], plan: plan(n_rollouts[k], lengths[k], noise), key: key(2, 8 + k) }
        };
        which.iter().map(client).collect()
    };
    let mut simulator = MomentSimulator::new(calm.dims());
    let mut run = |which: &[usize]| {
        simulator.begin(clients(which));
        while simulator.advance() {}
        let block = simulator.clients();
        let bits = |lane| {
            let moments = block.moments(lane);
            moments.s.iter().chain(moments.c.iter()).map(|entry| entry.to_bits()).collect::<Vec<_>>()
        };
        (0..LANES).map(bits).collect::<Vec<_>>()
    };
    let together = run(&[0, 1, 2, 3, 4, 5]);
    for (k, bits) in together.iter().enumerate().take(6) {
        assert_eq!(run(&[k])[k], *bits, "client {k}");
    }
    assert_eq!(run(&[5, 3, 1, 0, 2, 4]), together);
    assert!(together[6].iter().all(|&bits| f64::from_bits(bits) == 0.0), "nobody, nothing");
}

#[test]
fn longer_rollouts_extend_the_draws() {
    for n_rollouts in [1, 4, 25] {
        let sums = |rollout_len| {
            let mut simulator = MomentSimulator::new(system().dims());
            let plan = plan(n_rollouts, rollout_len, UNEQUAL);
            simulator.begin([Client { system: &system(), plan, key: key(0, 0) }]);
            (0..3).for_each(|_| assert_eq!(simulator.advance(), simulator.t < rollout_len));
            (simulator.block.s.lane(0).lower_triangle(), simulator.block.c.lane(0))
        };
        assert_eq!(sums(3), sums(4));
        assert_eq!(sums(3), sums(50));
    }
}

#[test]
fn the_number_of_rollouts_changes_no_draw() {
    // The estimates for N = 10⁶ and 1.1·10⁶ differ by far less than either differs from the truth.
    let estimate = |n_rollouts| least_squares(&moments(&system(), plan(n_rollouts, 5, UNEQUAL), 2)).unwrap();
    let (few, more) = (estimate(1_000_000), estimate(1_100_000));
    assert!((&few - &more).norm() < 0.1 * (few - system().theta()).norm());
}

#[test]
fn a_billion_rollouts_are_as_many_steps_as_one() {
    let mut simulator = MomentSimulator::new(system().dims());
    simulator.begin([Client { system: &system(), plan: plan(1_000_000_000, 5, NoiseLevels::UNIT), key: key(0, 0) }]);
    let mut n_steps = 1;
    while simulator.advance() {
        n_steps += 1;
    }
    assert_eq!(n_steps, 5);
    let moments = simulator.clients().moments(0);
    assert_eq!(moments.n_samples, 5_000_000_000);
    assert!((moments.s[(4, 4)] / 5e9 - 1.0).abs() < 1e-4, "{}", moments.s);
    assert!(!simulator.advance());
    assert_eq!(simulator.clients().moments(0), moments);
}

#[test]
fn a_simulator_can_be_used_again_and_dropped_on_the_way() {
    let (stable, wild) = (system(), LinearSystem::new(system().a() * 1e200, system().b().clone()).unwrap());
    let first = Client { system: &stable, plan: plan(9, 5, UNEQUAL), key: key(0, 2) };
    let mut simulator = MomentSimulator::new(stable.dims());
    let expected = simulator.simulate(first);
    simulator.begin((0..LANES).map(|k| Client { system: &wild, plan: plan(30, 9, UNEQUAL), key: key(1, k) }));
    (0..4).for_each(|_| assert!(simulator.advance()));
    assert_eq!(simulator.simulate(first), expected);
}

#[test]
fn draws_are_counted() {
    // n = 3, p = 2: an initial triangle of 6; in each step 6 + 3 for the inputs and 15 + 6 for the noise, in the last
    // step 15.
    let dims = system().dims();
    assert_eq!(DrawCount::of(dims, 5), DrawCount { normals: 6 + 5 * 30 - 6, uniforms: 3 + 5 * 5 - 3 });
    let mut simulator = MomentSimulator::new(dims);
    let key = key(0, 0);
    simulator.begin([Client { system: &system(), plan: plan(2, 5, UNEQUAL), key }]);
    while simulator.lanes[0].goes_on(simulator.t) {
        simulator.advance();
    }
    simulator.draw_inputs();
    simulator.draw_noise();
    let mut rng = key.stream(Purpose::Data);
    let within = |n_normals: usize, rng: &mut ChaCha8Rng| assert!((0..n_normals).all(|_| normal(rng).is_finite()));
    let outside = |n_rows: usize, rng: &mut ChaCha8Rng| {
        for i in 1..=n_rows {
            within(i, rng);
            let _: f64 = rng.sample(Open01);
        }
    };
    outside(3, &mut rng);
    for t in 0..5 {
        within(6, &mut rng);
        outside(2, &mut rng);
        within(15, &mut rng);
        if t < 4 {
            outside(3, &mut rng);
        }
    }
    assert_eq!(simulator.lanes[0].rng.get_word_pos(), rng.get_word_pos());
}

#[test]
fn an_overflow_shows_in_the_moments() {
    for n_rollouts in [1, 2, 30] {
        assert!(!moments(&scalar(1e200), plan(n_rollouts, 5, UNEQUAL), 0).is_finite());
        assert!(!moments(&scalar(2.0), plan(n_rollouts, 5_000, UNEQUAL), 0).is_finite());
        assert!(!moments(&scalar(1e100), plan(n_rollouts, 2, UNEQUAL), 0).s[(0, 0)].is_nan());
    }
}
