//! Maps of local steps compared with their definition, and maps made in parts compared with those made at once.

use super::*;
use crate::Matrix;
use crate::lanes::tests::random;
use crate::moments::Moments;

const DIMS: Dims = Dims { n_states: 1, n_inputs: 3 };

/// Clients with these numbers of local steps.
fn fleet(n_local_steps: &[usize]) -> Fleet {
    let mut fleet = Fleet::new(DIMS);
    for (client, &n) in n_local_steps.iter().enumerate() {
        let z = random(4, 9, client / LANES).swap_remove(client % LANES);
        fleet.add(&Moments { s: &z * z.transpose(), c: Matrix::zeros(1, 4), n_samples: 9 }, n);
    }
    fleet
}

fn rule(schedule: Schedule) -> StepRule {
    StepRule { schedule, step_size: 1e-2, pull: 0.5 }
}

fn of_client(maps: &FleetMaps, client: usize) -> (Matrix, Matrix, f64) {
    let (block, lane) = (&maps.blocks()[client / LANES], client % LANES);
    (block.p.lane(lane), block.q.lane(lane), block.total_step.0[lane])
}

/// A client's map is the same, to the last bit, beside clients with more steps or fewer.
#[test]
fn a_clients_map_is_that_of_its_own_steps() {
    let n_local_steps: Vec<_> = (0..11).map(|client| 1 + client * 7 % 12).collect();
    for schedule in Schedule::ALL {
        let together = FleetMaps::new(&fleet(&n_local_steps), rule(schedule));
        for (client, &n) in n_local_steps.iter().enumerate() {
            let alike = FleetMaps::new(&fleet(&[n; 11]), rule(schedule));
            assert_eq!(of_client(&together, client), of_client(&alike, client), "{schedule:?}, {client}");
        }
    }
}

#[test]
fn steps_that_differ_are_those_of_the_definition() {
    let fleet = fleet(&[7]);
    let StepRule { step_size, pull, .. } = rule(Schedule::OverLocalSteps);
    let (mut p, mut q, mut total) = (Matrix::identity(4, 4), Matrix::zeros(4, 4), 0.0);
    let s = fleet.blocks()[0].s.lane(0) + Matrix::identity(4, 4) * pull;
    for k in 1..=7 {
        let alpha = step_size / f64::from(k);
        q += &p * alpha;
        p = &p - &p * &s * alpha;
        total += alpha;
    }
    let got = of_client(&FleetMaps::new(&fleet, rule(Schedule::OverLocalSteps)), 0);
    assert!((got.0 - p).amax() < 1e-13 && (got.1 - q).amax() < 1e-13 && (got.2 - total).abs() < 1e-15);
}

/// α/k with an α whose first steps overshoot by far and whose last ones do not: what is left is a small product of large factors.
#[test]
fn large_early_steps_leave_no_trace() {
    for base in [30.5, 50.5, 80.5, 90.5] {
        let sizes: Vec<f64> = (1..=100_u32).map(|k| base / f64::from(k)).collect();
        let (p, q) = different_steps(Lanes::splat(1.0), &sizes, [100; LANES]);
        let left = sizes.iter().fold(1.0, |left, size| left * (1.0 - size));
        assert!((p.0[0] - left).abs() <= 1e-12 * left.abs(), "{base}: {} {left}", p.0[0]);
        assert!((q.0[0] - (1.0 - left)).abs() < 1e-12 * left.abs().max(1.0), "{base}: {} {left}", q.0[0]);
    }
}

/// What other fleets, rules and rounds have left in the buffers must not show.
#[test]
fn maps_made_in_parts_and_in_old_room_are_those_made_at_once() {
    let (small, large) = (fleet(&[3; 5]), fleet(&[2_000; 1_300]));
    for schedule in Schedule::ALL {
        let whole = FleetMaps::new(&large, rule(schedule));
        let mut maps = FleetMaps::new(&small, rule(Schedule::OverLocalSteps));
        maps.begin_fleet(rule(schedule));
        let n_parts = 1 + std::iter::from_fn(|| maps.advance(&large).then_some(())).count();
        assert!(n_parts > 1, "{schedule:?}");
        for client in [0, 7, 650, 1_299] {
            assert_eq!(of_client(&maps, client), of_client(&whole, client), "{schedule:?}, {client}");
        }
        // Another step size for the same fleet.
        let other = StepRule { step_size: 3e-3, ..rule(schedule) };
        maps.begin(other);
        while maps.advance(&large) {}
        assert_eq!(of_client(&maps, 1_299), of_client(&FleetMaps::new(&large, other), 1_299), "{schedule:?}");
    }
}
