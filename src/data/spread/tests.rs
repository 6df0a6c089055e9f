use super::*;
use crate::special::f_tail;
use crate::sums::tests::sums;
use fedsysid_sim::family::{Family, Place};
use fedsysid_sim::plan::{DataPlan, NoiseLevels};
use fedsysid_sim::samples::simulate_samples;
use fedsysid_sim::stream::{Purpose, Seed, stream};
use fedsysid_sim::system::LinearSystem;

const N_CLIENTS: usize = 20;

fn systems(heterogeneity: f64) -> Vec<LinearSystem> {
    let place = |client: usize| Place { a: (client * 7 % 20) as f64 / 20.0, b: (client * 3 % 20) as f64 / 20.0 };
    (0..N_CLIENTS).map(|client| Family::paper().member(place(client), heterogeneity).unwrap()).collect()
}

fn clients(systems: &[LinearSystem], plan: impl Fn(usize) -> DataPlan, trial: usize) -> Vec<(Sums, Estimate)> {
    let client = |(client, system): (usize, &LinearSystem)| {
        let rng = &mut stream(Seed(3), Purpose::Data, trial, client);
        let sums = sums(&simulate_samples(system, &plan(client), rng));
        let estimate = Estimate::of(&sums).unwrap();
        (sums, estimate)
    };
    systems.iter().enumerate().map(client).collect()
}

/// Rollouts of five samples with process noise of this standard deviation.
fn plan(n_rollouts: usize, process_noise_std: f64) -> DataPlan {
    DataPlan { n_rollouts, rollout_len: 5, noise: NoiseLevels { process_noise_std, ..NoiseLevels::UNIT } }
}

/// How far clients differ in the units of their data.
fn spread_of(clients: &[(Sums, Estimate)]) -> Result<Spread, Untold> {
    let mut comparison = Comparison::new(clients.to_vec(), &[1.0; 5])?;
    (0..100).find_map(|_| comparison.step()).unwrap()
}

fn spread(systems: &[LinearSystem], trial: usize) -> Spread {
    spread_of(&clients(systems, |_| plan(12, 1.0), trial)).unwrap()
}

/// The p-value of Chow's test, which takes all clients to have the same noise.
fn chow(clients: &[(Sums, Estimate)]) -> f64 {
    let (m, (n, d)) = (clients.len() as f64, clients[0].1.theta.shape());
    let total = Sums::total(clients[0].0.dims(), clients.iter().map(|(sums, _)| sums));
    let one = total.squared_residuals(&Estimate::of(&total).unwrap().theta);
    let degrees: f64 = clients.iter().map(|(_, own)| own.degrees as f64).sum();
    let left = |j: usize| -> f64 { clients.iter().map(|(sums, own)| sums.squared_residuals(&own.theta)[j]).sum() };
    let sum: f64 = (0..n).map(|j| (one[j] - left(j)) * degrees / left(j)).sum();
    let top = (n * d) as f64 * (m - 1.0);
    f_tail(sum / top, top, n as f64 * degrees)
}

/// The variance of the true systems, which τ² should estimate without bias.
#[test]
fn the_mean_over_data_sets_is_the_variance_of_the_systems() {
    for heterogeneity in [0.5, 1.0] {
        let systems = systems(heterogeneity);
        let mean = systems.iter().fold(Matrix::zeros(3, 5), |sum, system| sum + system.theta()) / N_CLIENTS as f64;
        let squares: f64 = systems.iter().map(|system| (system.theta() - &mean).norm_squared()).sum();
        let truth = squares / (N_CLIENTS - 1) as f64;
        let found = (0..200).map(|trial| spread(&systems, trial).between.powi(2)).sum::<f64>() / 200.0;
        assert!((found / truth - 1.0).abs() < 0.1, "ε = {heterogeneity}: {found}, truth {truth}");
    }
}

#[test]
fn clients_that_are_alike_are_found_to_differ_as_rarely_as_the_test_says() {
    let systems = systems(0.0);
    let n_found = (0..400).filter(|&trial| spread(&systems, trial).test.unwrap().p_value < 0.05).count();
    assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
}

/// Ten equal clients, and sixty with five more samples than regressors each: tests at 5 % find a difference in 3 to 8 %
/// of the trials.
#[test]
fn noise_may_be_each_clients_own_and_samples_few() {
    let alike = systems(0.0);
    let many: Vec<_> = (0..60).map(|client| alike[client % N_CLIENTS].clone()).collect();
    let one_louder = |client: usize| plan(12, if client == 0 { 5.0 } else { 1.0 });
    let unequal = |client: usize| if client < 5 { plan(40, 0.2) } else { plan(12, 1.0) };
    let reversed = |client: usize| if client < 5 { plan(40, 1.0) } else { plan(12, 0.2) };
    let share = |systems: &[LinearSystem], plan: &dyn Fn(usize) -> DataPlan, n_trials: usize| {
        let p_value = |trial| spread_of(&clients(systems, plan, trial)).unwrap().test.unwrap().p_value;
        (0..n_trials).filter(|&trial| p_value(trial) < 0.05).count() as f64 / n_trials as f64
    };
    let equal = share(&alike[..10], &|_| plan(12, 1.0), 1_000);
    let louder = share(&alike[..10], &one_louder, 1_000);
    let unequal = share(&alike[..10], &unequal, 1_000);
    let reversed = share(&alike[..10], &reversed, 1_000);
    let few = share(&alike[..10], &|_| plan(2, 1.0), 1_000);
    let two = share(&alike[..2], &|client| plan(2 + 18 * client, 1.0 - 0.8 * client as f64), 1_000);
    let many = share(&many, &|_| plan(2, 1.0), 500);
    for found in [equal, louder, unequal, reversed, few, two, many] {
        assert!((0.03..=0.08).contains(&found), "{:?}", [equal, louder, unequal, reversed, few, two, many]);
    }
}

#[test]
fn where_noise_is_the_same_differences_are_found_as_often_as_by_a_test_that_knows() {
    let systems = systems(0.25);
    let (mut found, mut by_chow) = (0, 0);
    for trial in 0..400 {
        let clients = clients(&systems[..10], |_| plan(12, 1.0), trial);
        found += usize::from(spread_of(&clients).unwrap().test.unwrap().p_value < 0.05);
        by_chow += usize::from(chow(&clients) < 0.05);
    }
    assert!((100..=350).contains(&by_chow) && found + 20 >= by_chow, "{found} {by_chow} of 400");
}

/// One client has no noise: the other clients' estimates are compared with its model by an exact F test; here there is
/// one other client.
#[test]
fn a_client_without_noise_is_what_the_others_are_held_against() {
    let alike = systems(0.0);
    let noise = |client: usize| if client == 0 { 0.0 } else { 1.0 };
    let n_found = (0..400).filter(|&trial| {
        let clients = clients(&alike[..2], |client| plan(4, noise(client)), trial);
        let found = spread_of(&clients).unwrap();
        assert!(found.exact.is_empty() && found.differing.is_empty(), "{found:?}");
        found.test.unwrap().p_value < 0.05
    });
    let n_found = n_found.count();
    assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
    let (mut apart, third) = (systems(1.0), alike[0].clone());
    apart.truncate(2);
    apart.push(third);
    let noise = |client: usize| if client < 2 { 0.0 } else { 1.0 };
    let found = spread_of(&clients(&apart, |client| plan(4, noise(client)), 0)).unwrap();
    assert_eq!((found.test, found.exact.is_empty()), (None, true), "{found:?}");
    assert!(!found.differing.is_empty());
}

#[test]
fn clients_that_differ_are_found_to() {
    let found = spread(&systems(1.0), 0).test.unwrap();
    assert!(found.p_value < 1e-6 && found.f > 2.0, "{found:?}");
}

/// Clients with two states: a position, which advances by the speed times `dt`, and a speed with noise of this size.
fn carts(dt: impl Fn(usize) -> f64, noise: f64, trial: usize) -> Vec<(Sums, Estimate)> {
    let client = |client: usize| {
        let system = LinearSystem::new(
            Matrix::from_row_slice(2, 2, &[1.0, dt(client), -0.2, 0.7]),
            Matrix::from_row_slice(2, 1, &[0.0, 1.0]),
        );
        let level = NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT };
        let plan = DataPlan { n_rollouts: 8, rollout_len: 5, noise: level };
        let rng = &mut stream(Seed(4), Purpose::Data, trial, client);
        let mut samples = simulate_samples(&system.unwrap(), &plan, rng);
        let shaken = simulate_samples(&Family::paper().member(Place { a: 0.0, b: 0.0 }, 0.0).unwrap(), &plan, rng);
        for (next, shake) in samples.next.row_mut(1).iter_mut().zip(shaken.z.row(4).iter()) {
            *next += noise * shake;
        }
        let sums = sums(&samples);
        let estimate = Estimate::of(&sums).unwrap();
        (sums, estimate)
    };
    (0..4).map(client).collect()
}

/// One of the two states has no noise: the test is that of the other state alone.
#[test]
fn a_state_without_noise_is_no_part_of_the_test() {
    let mut n_found = 0;
    for trial in 0..400 {
        let clients = carts(|_| 0.1, 1.0, trial);
        let found = spread_of(&clients).unwrap();
        assert_eq!((&found.exact[..], &found.differing[..]), (&[0][..], &[][..]));
        let laws: Vec<_> = clients.iter().map(|(sums, own)| Law::new(sums, own)).collect();
        let noisy = laws.iter().zip(&clients).map(|(law, (sums, own))| Noisy { law, sums, own, state: 1 });
        let noisy: Vec<_> = noisy.collect();
        let mut alone = Ratio::default();
        alone.add(&noisy, None).unwrap();
        let test = found.test.unwrap();
        assert_eq!(found.test, alone.test());
        assert!((alone.degrees - 3.0 * 3.0).abs() < 1e-9);
        n_found += usize::from(test.p_value < 0.05);
    }
    assert!((8..=32).contains(&n_found), "{n_found} of 400 at 5 %");
}

#[test]
fn clients_that_differ_in_what_has_no_noise_differ_for_certain() {
    let found = spread_of(&carts(|client| 0.1 + 1e-3 * client as f64, 1.0, 0)).unwrap();
    assert_eq!((&found.exact[..], &found.differing[..]), (&[][..], &[0][..]));
    assert!(found.test.unwrap().p_value > 0.01, "the other state is alike");
    let found = spread_of(&carts(|client| 0.1 * client as f64, 0.0, 0)).unwrap();
    assert_eq!((&found.exact[..], &found.differing[..], found.test), (&[1][..], &[0][..], None));
    // Four values of `dt`, evenly spaced from 0 to 0.3, have this root mean square around their mean.
    assert!((found.between - (0.05_f64 / 3.0).sqrt()).abs() < 1e-9 && found.noise == 0.0, "{found:?}");
}

#[test]
fn without_any_noise_there_is_nothing_to_test_with() {
    assert_eq!(spread_of(&carts(|_| 0.1, 0.0, 0)), Err(Untold::NoNoise));
}

/// One rollout of five samples determines the five regressors, and leaves nothing that tells the noise.
#[test]
fn a_client_without_samples_to_spare_is_left_out() {
    let alike = systems(0.5);
    let few = |client: usize| plan(if client == 1 { 1 } else { 12 }, 1.0);
    let mut three = clients(&alike[..3], few, 0);
    assert_eq!(three[1].1.degrees, 0);
    let found = spread_of(&three);
    three.remove(1);
    assert_eq!(found, spread_of(&three));
    assert_eq!(found.unwrap().n_clients, 2);
    assert_eq!(spread_of(&clients(&alike[..2], few, 0)), Err(Untold::FewClients));
}

#[test]
fn one_client_differs_from_nobody() {
    let one = (
        Sums::new(crate::Dims { n_states: 1, n_inputs: 0 }),
        Estimate { theta: Matrix::zeros(1, 1), standard_errors: Matrix::zeros(1, 1), noise_std: vec![1.0], degrees: 5 },
    );
    assert_eq!(spread_of(&[one]), Err(Untold::FewClients));
    assert_eq!(spread_of(&[]), Err(Untold::FewClients));
}

/// Two coordinates of some 10⁶ m, which change by a few metres, with errors of a millimetre.
#[test]
fn clients_that_are_alike_are_not_told_apart_by_rounding_far_from_zero() {
    let client = |client: u32| {
        let mut sums = Sums::new(crate::Dims { n_states: 2, n_inputs: 1 });
        let mut state = 7 * client + 1;
        let mut noise = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state >> 8) / f64::from(1_u32 << 23) - 1.0
        };
        for step in 0..400_u32 {
            let wave = |speed: f64| (speed * f64::from(step + 1_000 * client)).sin();
            let (a, b, u) = (4e5 + 5.0 * wave(1.3), 5e6 + 7.0 * wave(2.9), wave(0.7));
            let (e, f) = (1e-3 * noise(), 1e-3 * noise());
            sums.add_sample(&[a, b, u], &[0.9 * a + 0.01 * b + u + e, 0.999 * b + 0.2 * u + f]);
        }
        let estimate = Estimate::of(&sums).unwrap();
        (sums, estimate)
    };
    let found = spread_of(&(0..5).map(client).collect::<Vec<_>>()).unwrap();
    let test = found.test.unwrap();
    assert!(test.p_value > 0.05 && found.between < 1e-4, "{found:?}");
}
