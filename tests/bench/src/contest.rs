//! The contestants: the simulator, the floor below it, and the loop that it replaces.
//!
//! Functions here return their results, so that a caller who times them can keep the compiler from removing the work.

use anyhow::{Context, Result, ensure};
use fedsysid_sim::norm::spectral_norm;
use fedsysid_sim::normal::normal;
use fedsysid_sim::samples::{Samples, simulate_samples};
use fedsysid_sim::scenario::{Scenario, ScenarioError, Settings};
use fedsysid_sim::schedule::Schedule;
use fedsysid_sim::simulator::{Client, DrawCount, realize};
use fedsysid_sim::stats::Running;
use fedsysid_sim::stream::{DataKey, Purpose};
use fedsysid_sim::study::{Study, Summary};
use fedsysid_sim::textbook::{Steps, server_models};
use fedsysid_sim::trial::Experiment;
use fedsysid_theory::landscape::payoff::{Payoff, PayoffRun, Rows};
use fedsysid_theory::landscape::stability::{Axes, StabilityMap, StabilityRun};
use fedsysid_theory::{NoPrediction, Theory};
use rand::RngExt;
use rand::distr::Open01;
use rand_distr::StandardNormal;

use crate::cell::METHOD;

/// The largest relative difference between the final errors of the closed form and of the loop, caused by rounding
/// alone.
const AGREEMENT: f64 = 1e-9;

/// An experiment from its settings to its results: systems, data, maps, rounds and errors.
///
/// # Errors
/// If the settings are not allowed.
pub fn study(settings: &Settings) -> Result<Summary, ScenarioError> {
    Ok(Study::new(Scenario::new(settings.clone())?).run())
}

/// Draws as many normals as the samples of an experiment consist of, and does nothing else. Returns their sum.
pub fn floor(scenario: &Scenario) -> f64 {
    let dims = scenario.settings().family.dims();
    let sum = |client: Client<'_>| {
        let n_normals = client.plan.n_rollouts * dims.n_normals(client.plan.rollout_len);
        let mut rng = client.key.stream(Purpose::Data);
        (0..n_normals).map(|_| rng.sample::<f64, _>(StandardNormal)).sum::<f64>()
    };
    data_sets(scenario).map(sum).sum()
}

/// Draws the normals and uniforms that the simulator draws for an experiment, in its way, and does nothing else.
/// Returns their sum.
pub fn own_draws(scenario: &Scenario) -> f64 {
    let dims = scenario.settings().family.dims();
    let sum = |client: Client<'_>| {
        let count = DrawCount::of(dims, client.plan.rollout_len);
        let mut rng = client.key.stream(Purpose::Data);
        let normals: f64 = (0..count.normals).map(|_| normal(&mut rng)).sum();
        normals + (0..count.uniforms).map(|_| rng.sample::<f64, _>(Open01)).sum::<f64>()
    };
    data_sets(scenario).map(sum).sum()
}

/// The clients of every data set.
fn data_sets(scenario: &Scenario) -> impl Iterator<Item = Client<'_>> {
    (0..scenario.settings().n_trials).flat_map(|trial| data_set(scenario, trial))
}

fn data_set(scenario: &Scenario, trial: usize) -> impl Iterator<Item = Client<'_>> {
    let seed = scenario.settings().seed;
    scenario.systems().iter().enumerate().map(move |(client, system)| Client {
        system,
        plan: scenario.plan(client),
        key: DataKey { seed, trial, client },
    })
}

/// All predictions for an experiment.
pub fn theory(scenario: &Scenario) -> Theory {
    Theory::of(&Experiment::new(scenario.clone()))
}

/// The map of whether joining pays, over 60 values of ε and about as many numbers of clients.
///
/// # Errors
/// If there is no prediction.
pub fn payoff_map(scenario: &Scenario) -> Result<Payoff, NoPrediction> {
    let heterogeneities = (0..SIDE).map(|k| 1e-3 * 1e3_f64.powf(k as f64 / (SIDE - 1) as f64)).collect();
    let mut run = PayoffRun::new(scenario, heterogeneities, Rows::Clients(counts(200.0)))?;
    loop {
        if let Some(map) = run.step() {
            return map;
        }
    }
}

/// The map of contraction and drift, over 60 step sizes and about as many numbers of local steps.
///
/// # Errors
/// If there is no prediction.
pub fn stability_map(scenario: &Scenario) -> Result<StabilityMap, NoPrediction> {
    let step_sizes = (0..SIDE).map(|k| 1e-6 * 1e4_f64.powf(k as f64 / (SIDE - 1) as f64)).collect();
    let (fedavg, fedlin) = (Schedule::Constant, Schedule::Constant);
    let mut run = StabilityRun::new(scenario, Axes { step_sizes, local_steps: counts(100.0), fedavg, fedlin });
    loop {
        if let Some(map) = run.step(scenario) {
            return map;
        }
    }
}

/// Number of points of a map in each direction.
const SIDE: usize = 60;

/// [`SIDE`] counts up to `most`: every small one, then evenly spaced in proportion.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts")]
fn counts(most: f64) -> Vec<usize> {
    let mut counts: Vec<usize> = Vec::new();
    for k in 0..SIDE {
        let last = counts.last().copied().unwrap_or(0);
        // The next count in proportion to the rest of the way, or one more.
        let ratio = (most / last.max(1) as f64).powf(1.0 / (SIDE - k) as f64);
        counts.push((last + 1).max((last as f64 * ratio).round() as usize));
    }
    counts
}

/// A data set in textbook style: all samples are kept, and every local step computes its gradient from the samples.
/// Returns the errors e_0 … e_R.
pub fn textbook(scenario: &Scenario) -> Vec<f64> {
    let simulate =
        |client: Client<'_>| simulate_samples(client.system, &client.plan, &mut client.key.stream(Purpose::Data));
    looped(scenario, &data_set(scenario, 0).map(simulate).collect::<Vec<_>>())
}

/// The textbook's loop over samples.
fn looped(scenario: &Scenario, samples: &[Samples]) -> Vec<f64> {
    let settings = scenario.settings();
    let target = scenario.systems()[0].theta();
    let n_local_steps = scenario.n_local_steps(0);
    let steps = Steps { step_size: settings.step_size, n_local_steps, n_rounds: settings.n_rounds };
    let models = server_models(samples, METHOD, steps, &scenario.first_model());
    models.iter().map(|model| spectral_norm(&(model - &target))).collect()
}

/// Makes sure that the simulator and the textbook's loop solve the same problem: if the loop gets samples with the
/// simulator's moments, their final errors on the first data set agree.
///
/// # Errors
/// If they do not agree.
pub fn expect_agreement(cell: &Settings) -> Result<()> {
    let scenario = Scenario::new(Settings { n_trials: 1, ..cell.clone() })?;
    let samples: Vec<_> = data_set(&scenario, 0).map(realize).collect();
    let looped = looped(&scenario, &samples).pop().context("a run has rounds")?;
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
    use crate::cell::{default_cell, with_local_steps, with_rollout_len, with_rollouts};

    /// A cell small enough for the loop in a debug build.
    fn small() -> Settings {
        with_local_steps(Settings { n_clients: 4, n_rounds: 20, ..default_cell() }, 3)
    }

    #[test]
    fn the_contestants_solve_the_same_problem() {
        expect_agreement(&small()).unwrap();
    }

    #[test]
    fn the_maps_are_60_by_60_and_known() {
        for most in [100.0, 200.0] {
            let counts = counts(most);
            assert!(counts.len() == SIDE && counts.windows(2).all(|pair| pair[0] < pair[1]), "{counts:?}");
            assert!((counts[SIDE - 1] as f64 - most).abs() < 0.5);
        }
        let scenario = Scenario::new(Settings { n_clients: 4, ..Settings::paper() }).unwrap();
        let (payoff, stability) = (payoff_map(&scenario).unwrap(), stability_map(&scenario).unwrap());
        assert_eq!((payoff.ratio.values.len(), stability.drift.values.len()), (3_600, 3_600));
        assert!(payoff.ratio.values.iter().all(|ratio| ratio.is_finite()));
        assert!(stability.fedavg.values.iter().all(|rho| !rho.is_nan()));
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
    fn the_simulators_own_draws_do_not_grow_with_the_rollouts() {
        let sum = |n_rollouts, rollout_len| {
            own_draws(&Scenario::new(with_rollout_len(with_rollouts(small(), n_rollouts), rollout_len)).unwrap())
        };
        assert_eq!(sum(1, 5).to_bits(), sum(1_000_000, 5).to_bits());
        assert_ne!(sum(1, 5).to_bits(), sum(1, 6).to_bits());
    }

    #[test]
    fn what_is_not_allowed_is_not_timed() {
        assert!(study(&Settings { n_clients: 0, ..small() }).is_err());
    }
}
