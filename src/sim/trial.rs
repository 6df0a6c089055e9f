//! One Monte-Carlo data set: clients' moments come in one by one, error curves and reference errors come out.

use super::Matrix;
use super::estimate::{EstimateError, least_squares, local_estimates};
use super::fleet::Fleet;
use super::local_map::{FleetMaps, LocalSteps};
use super::method::Method;
use super::moments::Moments;
use super::norm::{ErrorNorms, spectral_norm};
use super::round_map::{RoundMap, contraction};
use super::scenario::{Scenario, Settings, Start};

/// The estimates a run is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reference {
    /// Client 1's least squares on its own data.
    ClientAlone,
    /// One least squares on everybody's data.
    Pooled,
    /// The mean of the clients' own least squares.
    MeanOfLocals,
}

impl Reference {
    /// All of them, in the order results list them.
    pub const ALL: [Self; 3] = [Self::ClientAlone, Self::Pooled, Self::MeanOfLocals];
}

/// One method's run on one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// e_r = ‖Θ̄_r − Θ⁽¹⁾‖ for r = 0…R. Infinite or NaN from where the model overflowed.
    pub errors: Vec<f64>,
    /// Contraction ρ per round, of the first round where the schedule changes it; the run converges iff ρ < 1
    /// (where the schedule does not change it).
    pub contraction: f64,
}

/// What one data set gives.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialResult {
    /// One run a method, in the order of the settings.
    pub trajectories: Vec<Trajectory>,
    /// Errors ‖Θ − Θ⁽¹⁾‖ of the reference estimates, in the order of [`Reference::ALL`].
    pub references: [Result<f64, EstimateError>; 3],
}

/// A data set in the making. Every call takes the scenario that it was made for.
#[derive(Clone, Debug)]
pub struct Trial {
    fleet: Fleet,
}

impl Trial {
    /// A data set without clients.
    pub fn new(scenario: &Scenario) -> Self {
        Self { fleet: Fleet::new(scenario.settings().family.dims()) }
    }

    /// How many clients were added.
    pub fn n_clients(&self) -> usize {
        self.fleet.n_clients()
    }

    /// Adds the next client's moments; the first is client 1.
    pub fn add(&mut self, moments: &Moments) {
        self.fleet.add(moments);
    }

    /// Runs every method on the clients added, and evaluates the reference estimates.
    pub fn finish(self, scenario: &Scenario) -> TrialResult {
        let settings = scenario.settings();
        let target = scenario.systems()[0].theta();
        let mut schedules: Vec<_> = settings.methods.iter().map(|method| method.schedule).collect();
        schedules.sort_unstable();
        schedules.dedup();
        let mut trajectories = vec![None; settings.methods.len()];
        for schedule in schedules {
            let steps = LocalSteps { schedule, step_size: settings.step_size, n_steps: settings.n_local_steps };
            let mut maps = FleetMaps::new(&self.fleet, steps);
            let slots = settings.methods.iter().zip(&mut trajectories);
            for (method, slot) in slots.filter(|(method, _)| method.schedule == schedule) {
                *slot = Some(self.run(settings, *method, &mut maps, &target));
            }
        }
        TrialResult { trajectories: trajectories.into_iter().flatten().collect(), references: self.references(&target) }
    }

    fn run(&self, settings: &Settings, method: Method, maps: &mut FleetMaps, target: &Matrix) -> Trajectory {
        maps.set_round(0, settings.n_rounds);
        let mut map = RoundMap::new(method.solver, &self.fleet, maps);
        let contraction = contraction(method.solver, &self.fleet, maps);
        let mut model = start(settings.start, target);
        let mut after = model.clone();
        let mut errors = ErrorNorms::new(target, settings.n_rounds + 1);
        errors.push(&model);
        for round in 0..settings.n_rounds {
            if round > 0 && !maps.repeat() {
                maps.set_round(round, settings.n_rounds);
                map = RoundMap::new(method.solver, &self.fleet, maps);
            }
            map.apply(&model, &mut after);
            std::mem::swap(&mut model, &mut after);
            errors.push(&model);
        }
        Trajectory { errors: errors.finish(), contraction }
    }

    fn references(&self, target: &Matrix) -> [Result<f64, EstimateError>; 3] {
        let error = |estimate: Result<Matrix, EstimateError>| {
            let error = spectral_norm(&(estimate? - target));
            // Finite moments can still be too large to solve for.
            if error.is_finite() { Ok(error) } else { Err(EstimateError::NotFinite) }
        };
        let locals = local_estimates(&self.fleet);
        [error(locals.first), error(least_squares(&self.fleet.total())), error(locals.mean)]
    }
}

/// The server's first model.
pub fn start(start: Start, target: &Matrix) -> Matrix {
    match start {
        Start::Zero => Matrix::zeros(target.nrows(), target.ncols()),
        Start::HalfOfClient1 => target * 0.5,
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::family::Family;
    use crate::method::Solver;
    use crate::rollout::{MomentSimulator, Samples, simulate_samples};
    use crate::schedule::Schedule;
    use crate::stream::{DataKey, Purpose, Seed, stream};
    use crate::system::LinearSystem;
    use crate::textbook;

    const ALL_METHODS: [(Solver, Schedule); 6] = [
        (Solver::FedAvg, Schedule::Constant),
        (Solver::FedAvg, Schedule::OverLocalSteps),
        (Solver::FedAvg, Schedule::OverRounds),
        (Solver::FedLin, Schedule::Constant),
        (Solver::FedLin, Schedule::OverLocalSteps),
        (Solver::FedLin, Schedule::OverRounds),
    ];

    fn scenario(change: impl Fn(&mut Settings)) -> Scenario {
        let mut settings = Settings::paper();
        settings.methods = ALL_METHODS.map(|(solver, schedule)| Method { solver, schedule }).to_vec();
        change(&mut settings);
        Scenario::new(settings).unwrap()
    }

    fn samples(scenario: &Scenario) -> Vec<Samples> {
        let settings = scenario.settings();
        let data = |(client, system)| {
            simulate_samples(system, &settings.data, &mut stream(settings.seed, Purpose::Data, 0, client))
        };
        scenario.systems().iter().enumerate().map(data).collect()
    }

    fn result(scenario: &Scenario, moments: &[Moments]) -> TrialResult {
        let mut trial = Trial::new(scenario);
        for moments in moments {
            trial.add(moments);
        }
        trial.finish(scenario)
    }

    /// Every method's closed form against the loop over local steps on the samples, every round, 1e-10 relative.
    #[track_caller]
    fn check_against_textbook(change: impl Fn(&mut Settings)) {
        let scenario = scenario(change);
        let settings = scenario.settings();
        let samples = samples(&scenario);
        let moments: Vec<_> = samples.iter().map(Samples::moments).collect();
        let target = scenario.systems()[0].theta();
        let steps = textbook::Steps {
            step_size: settings.step_size,
            n_local_steps: settings.n_local_steps,
            n_rounds: settings.n_rounds,
        };
        let got = result(&scenario, &moments).trajectories;
        for (method, trajectory) in settings.methods.iter().zip(got) {
            let models = textbook::server_models(&samples, *method, steps, &start(settings.start, &target));
            for (round, (model, got)) in models.iter().zip(trajectory.errors).enumerate() {
                let expected = spectral_norm(&(model - &target));
                assert!((got - expected).abs() <= 1e-10 * expected, "{method:?} round {round}: {got} {expected}");
            }
        }
    }

    #[test]
    fn closed_form_is_the_textbook_loop() {
        check_against_textbook(|s| (s.n_clients, s.n_rounds) = (7, 60));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.heterogeneity) = (5, 40, 0.75));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.n_local_steps) = (2, 30, 1));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.n_local_steps) = (3, 20, 37));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.start) = (4, 30, Start::HalfOfClient1));
        check_against_textbook(|s| (s.n_clients, s.n_rounds, s.step_size) = (3, 30, 4e-3));
        check_against_textbook(|s| (s.n_clients, s.data.n_rollouts, s.n_rounds) = (1, 1, 50));
    }

    #[test]
    fn closed_form_is_the_textbook_loop_on_random_systems_too() {
        for seed in 0..40_u32 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed.into());
            let (n, p) = (rng.random_range(1..6), rng.random_range(1..4));
            let mut matrix =
                |cols: usize, size: f64| Matrix::from_fn(n, cols, |_, _| size * (rng.random::<f64>() - 0.5));
            let nominal = LinearSystem::new(matrix(n, 1.0), matrix(p, 2.0)).unwrap();
            let family = Family::new(nominal, matrix(n, 1.0), matrix(p, 1.0)).unwrap();
            check_against_textbook(|s| {
                (s.family, s.seed, s.heterogeneity) = (family.clone(), Seed(seed.into()), 0.5);
                (s.n_clients, s.n_rounds) = (1 + seed as usize % 11, 25);
                (s.data.n_rollouts, s.data.rollout_len) = (3 + seed as usize % 9, 1 + seed as usize % 6);
                (s.n_local_steps, s.step_size) = (1 + seed as usize % 13, 1e-3);
            });
        }
    }

    #[test]
    fn fedlin_with_one_step_is_gradient_descent_on_the_pooled_cost() {
        let scenario = scenario(|s| (s.n_clients, s.n_local_steps, s.n_rounds) = (6, 1, 50));
        let moments: Vec<_> = samples(&scenario).iter().map(Samples::moments).collect();
        let mut total = Moments::zeros(scenario.settings().family.dims());
        for moments in &moments {
            total.add(moments);
        }
        let mean = total.divided(6);
        let target = scenario.systems()[0].theta();
        let mut model = Matrix::zeros(3, 5);
        for &got in &result(&scenario, &moments).trajectories[3].errors {
            assert!((got - spectral_norm(&(&model - &target))).abs() < 1e-12);
            model += mean.gradient(&model) * scenario.settings().step_size;
        }
    }

    #[test]
    fn fedlin_ends_at_pooled_and_fedavg_with_many_steps_at_the_mean_of_locals() {
        let slow = scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity) = (6, 5_000, 0.75));
        let many = scenario(|s| (s.n_clients, s.n_rounds, s.heterogeneity, s.n_local_steps) = (6, 9, 0.75, 9_000));
        let moments: Vec<_> = samples(&slow).iter().map(Samples::moments).collect();
        let [_, pooled, mean_of_locals] = result(&slow, &moments).references.map(Result::unwrap);
        let last = |scenario: &Scenario, method: usize| {
            *result(scenario, &moments).trajectories[method].errors.last().unwrap()
        };
        assert!((last(&slow, 3) - pooled).abs() < 1e-10);
        assert!((last(&many, 0) - mean_of_locals).abs() < 1e-10);
        assert!((pooled - mean_of_locals).abs() > 1e-3);
    }

    #[test]
    fn the_order_of_the_other_clients_does_not_matter() {
        let scenario = scenario(|s| (s.n_clients, s.heterogeneity) = (6, 0.5));
        let mut moments: Vec<_> = samples(&scenario).iter().map(Samples::moments).collect();
        let before = result(&scenario, &moments);
        moments[1..].reverse();
        let after = result(&scenario, &moments);
        for (a, b) in before.trajectories.iter().zip(&after.trajectories) {
            assert!((a.errors[200] - b.errors[200]).abs() < 1e-12);
        }
    }

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
                assert!(trajectory.contraction > 1.0, "{size}");
            }
        }
    }

    #[test]
    fn contraction_above_one_is_divergence() {
        for (step_size, grows) in [(1.7e-3, false), (2.0e-3, true)] {
            let scenario = scenario(|s| (s.step_size, s.n_rounds, s.n_clients) = (step_size, 400, 50));
            let mut simulator = MomentSimulator::new(Settings::paper().family.dims());
            let moments: Vec<_> = scenario
                .systems()
                .iter()
                .enumerate()
                .map(|(client, system)| {
                    simulator.simulate(
                        system,
                        &scenario.settings().data,
                        DataKey { seed: Settings::paper().seed, trial: 0, client },
                    )
                })
                .collect();
            for trajectory in [0, 3].map(|method| result(&scenario, &moments).trajectories[method].clone()) {
                assert_eq!(trajectory.contraction > 1.0, grows, "{step_size}: {}", trajectory.contraction);
                assert_eq!(trajectory.errors[400] > trajectory.errors[0], grows, "{step_size}");
            }
        }
    }
}
