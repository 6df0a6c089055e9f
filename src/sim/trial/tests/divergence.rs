//! Runs that diverge, and data that overflow.

use super::*;
use crate::Matrix;
use crate::family::Family;
use crate::scenario::Start;
use crate::system::LinearSystem;

#[test]
fn an_overflow_gives_no_number_and_no_hang() {
    let dims = Settings::paper().family.dims();
    for size in [f64::INFINITY, f64::NAN, 1e300, 1e150] {
        let scenario = scenario(|s| (s.n_clients, s.n_rounds) = (2, 30));
        let mut moments = Moments { n_samples: 50, ..Moments::zeros(dims) };
        moments.s.fill(size);
        moments.c.fill(size);
        let result = result(&scenario, &[moments.clone(), moments]);
        assert!(result.references.iter().all(Result::is_err), "{size}");
        for trajectory in result.trajectories {
            assert!(trajectory.errors[0].is_finite(), "{size}");
            assert!(!trajectory.errors[30].is_finite(), "{size}");
            assert!(trajectory.contraction.is_some_and(|rho| rho > 1.0) && trajectory.outcome.is_diverged(), "{size}");
        }
    }
}

#[test]
fn contraction_above_one_is_divergence() {
    for (step_size, grows) in [(1.7e-3, false), (2.0e-3, true)] {
        let scenario = scenario(|s| (s.step_size, s.n_rounds, s.n_clients) = (step_size, 400, 50));
        let moments = moments(&scenario);
        for trajectory in [0, 3].map(|method| result(&scenario, &moments).trajectories[method].clone()) {
            let contraction = trajectory.contraction.unwrap();
            assert_eq!(contraction > 1.0, grows, "{step_size}: {contraction}");
            assert_eq!(trajectory.outcome.is_diverged(), grows, "{step_size}");
            assert_eq!(trajectory.errors[400] > trajectory.errors[0], grows, "{step_size}");
        }
    }
}

/// The round of a coordinate-wise median is no affine map: a run diverges if its error has grown a millionfold.
#[test]
fn where_there_is_no_contraction_growth_decides() {
    let median = |change: &dyn Fn(&mut Settings)| {
        let scenario = scenario(|s| {
            s.methods = vec![Method::constant(Solver::Median)];
            (s.n_clients, s.n_local_steps) = (9, 2.into());
            change(s);
        });
        result(&scenario, &moments(&scenario)).trajectories.remove(0)
    };
    let mut largest = Vec::new();
    for n_rounds in 1..=25 {
        let Trajectory { errors, contraction, outcome } =
            median(&|s: &mut Settings| (s.n_rounds, s.step_size) = (n_rounds, 3e-3));
        let growth = errors.iter().fold(0.0_f64, |most, error| most.max(*error)) / errors[0];
        assert!(contraction.is_none() && errors[0] > 1.0);
        assert_eq!(outcome.is_diverged(), growth > 1e6, "{n_rounds} rounds: {growth}");
        largest.push(growth);
    }
    // Some runs are near the limit, on both of its sides.
    assert!(
        [1e4..1e6, 1e6..1e8].iter().all(|range| largest.iter().any(|growth| range.contains(growth))),
        "{largest:?}"
    );

    // A run that starts at the truth can only leave it, and does not count as diverging for that.
    let truth = scenario(|s| s.n_clients = 9).systems()[0].theta();
    let left = median(&|s: &mut Settings| (s.n_rounds, s.start) = (50, Start::Given(truth.clone())));
    assert!(left.errors[0] < 1e-15 && left.errors[50] > 1e-3 && !left.outcome.is_diverged(), "{left:?}");
}

#[test]
fn one_long_trajectory_identifies_an_unstable_system_while_it_fits() {
    let unstable = LinearSystem::new(Matrix::from_element(1, 1, 1.2), Matrix::from_element(1, 1, 1.0)).unwrap();
    let family = Family::new(unstable, Matrix::zeros(1, 1), Matrix::zeros(1, 1)).unwrap();
    let with = |rollout_len: usize| {
        let scenario = scenario(|s| {
            (s.family, s.n_clients, s.n_rounds) = (family.clone(), 2, 1);
            (s.data.n_rollouts, s.data.rollout_len) = (1.into(), rollout_len.into());
        });
        result(&scenario, &moments(&scenario)).references
    };
    let alone = with(60)[0].unwrap();
    assert!(alone < 0.5, "{alone}");
    assert!(with(4_500).iter().all(Result::is_err));
}
