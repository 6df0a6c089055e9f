//! What is timed: the simulator, the floor below it, and the loop that it replaces.
//!
//! Functions here return what they computed, for whoever times them to keep the compiler from leaving it out.

use anyhow::{Context, Result, ensure};
use fedsysid_sim::norm::spectral_norm;
use fedsysid_sim::samples::{Samples, simulate_samples};
use fedsysid_sim::scenario::{Scenario, ScenarioError, Settings};
use fedsysid_sim::stats::Running;
use fedsysid_sim::stream::{DataKey, Purpose};
use fedsysid_sim::study::{Study, Summary};
use fedsysid_sim::textbook::{Steps, server_models};
use rand::RngExt;
use rand_distr::StandardNormal;

use crate::cell::METHOD;

/// The largest relative difference of the final errors by the closed form and by the loop: rounding, and no more.
const AGREEMENT: f64 = 1e-9;

/// An experiment from its settings to its results: systems, data, maps, rounds and errors.
///
/// # Errors
/// If the settings are not allowed.
pub fn study(settings: &Settings) -> Result<Summary, ScenarioError> {
    Ok(Study::new(Scenario::new(settings.clone())?).run())
}

/// Nothing but the normals of an experiment, from the same streams. Returns their sum.
///
/// Holds for experiments whose rollouts are all drawn one by one, which the default cell's are.
pub fn floor(scenario: &Scenario) -> f64 {
    let settings = scenario.settings();
    let dims = settings.family.dims();
    let data_sets = (0..settings.n_trials).flat_map(|trial| (0..settings.n_clients).map(move |client| (trial, client)));
    let sum = |(trial, client)| {
        let plan = scenario.plan(client);
        let n_normals = plan.n_rollouts * dims.n_normals(plan.rollout_len);
        let mut rng = DataKey { seed: settings.seed, trial, client }.stream(Purpose::Data);
        (0..n_normals).map(|_| rng.sample::<f64, _>(StandardNormal)).sum::<f64>()
    };
    data_sets.map(sum).sum()
}

/// The first data set as a textbook would have it: every sample is kept, and every local step takes its gradient from the
/// samples. Returns the errors e_0 … e_R.
pub fn textbook(scenario: &Scenario) -> Vec<f64> {
    let settings = scenario.settings();
    let samples: Vec<Samples> = scenario
        .systems()
        .iter()
        .enumerate()
        .map(|(client, system)| {
            let mut rng = DataKey { seed: settings.seed, trial: 0, client }.stream(Purpose::Data);
            simulate_samples(system, &scenario.plan(client), &mut rng)
        })
        .collect();
    let target = scenario.systems()[0].theta();
    let n_local_steps = scenario.n_local_steps(0);
    let steps = Steps { step_size: settings.step_size, n_local_steps, n_rounds: settings.n_rounds };
    let models = server_models(&samples, METHOD, steps, &scenario.first_model());
    models.iter().map(|model| spectral_norm(&(model - &target))).collect()
}

/// Makes sure that the simulator and the textbook's loop solve the same problem: their final errors on the first data set
/// agree.
///
/// # Errors
/// If they do not.
pub fn expect_agreement(cell: &Settings) -> Result<()> {
    let scenario = Scenario::new(Settings { n_trials: 1, ..cell.clone() })?;
    let looped = textbook(&scenario).pop().context("a run has rounds")?;
    let closed = final_error(&Study::new(scenario).run()).context("a run has rounds")?;
    let difference = (closed / looped - 1.0).abs();
    ensure!(difference <= AGREEMENT, "the loop ends at an error of {looped}, the closed form at {closed}");
    Ok(())
}

/// The mean error after the last round.
pub fn final_error(summary: &Summary) -> Option<f64> {
    summary.methods.first()?.errors.last().map(Running::mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{default_cell, with_local_steps, with_rollouts};

    /// Small enough for the loop in a debug build.
    fn small() -> Settings {
        with_local_steps(Settings { n_clients: 4, n_rounds: 20, ..default_cell() }, 3)
    }

    #[test]
    fn the_contestants_solve_the_same_problem() {
        expect_agreement(&small()).unwrap();
    }

    #[test]
    fn the_floor_draws_every_normal_once() {
        let sum = |n_rollouts, n_trials| {
            let settings = with_rollouts(Settings { n_trials, ..small() }, n_rollouts);
            floor(&Scenario::new(settings).unwrap())
        };
        let (n_clients, n_trials, n_rollouts, per_rollout) = (4.0, 400.0, 25.0, 28.0);
        let spread: f64 = n_clients * n_trials * n_rollouts * per_rollout;
        assert!(sum(25, 400).abs() < 5.0 * spread.sqrt(), "normals have mean zero");
        assert!(sum(1, 1).to_bits() != sum(2, 1).to_bits() && sum(1, 1).to_bits() != sum(1, 2).to_bits());
    }

    #[test]
    fn what_is_not_allowed_is_not_timed() {
        assert!(study(&Settings { n_clients: 0, ..small() }).is_err());
    }
}
