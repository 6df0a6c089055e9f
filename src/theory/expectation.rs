//! The expected fleet: every client's moments in the limit of much data, and the noise about them.
//!
//! ```text
//! E S_i = Γ_i        E C_i = Θ⁽ⁱ⁾ Γ_i        C_i − Θ⁽ⁱ⁾ S_i ≈ V_i, whose rows are N(0, ν_i Γ_i), independent
//! ```
//!
//! with ν_i = σ_w². The simulator's rounds, run on these moments, give the predictions.

use super::covariance::expected_grams;
use fedsysid_sim::Matrix;
use fedsysid_sim::fleet::{Block, Fleet};
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::moments::Moments;
use fedsysid_sim::plan::DataPlan;
use fedsysid_sim::scenario::{GradientScale, Scenario};
use fedsysid_sim::system::LinearSystem;

/// Work in one step of building a fleet, in products of entries of eight clients at a time: a few milliseconds.
pub(crate) const STEP: usize = 2_000_000;

/// A fleet with expected moments.
#[derive(Clone, Debug)]
pub struct ExpectedFleet {
    fleet: Fleet,
    /// ν_i, block by block; 0 in unused lanes.
    noise: Vec<Lanes>,
    /// Σ N_i T_i.
    n_samples: f64,
}

impl ExpectedFleet {
    /// The expected fleet of a scenario, with sums or means over samples as its gradient scale says.
    pub fn new(scenario: &Scenario) -> Self {
        let mut expected = Self::empty(scenario);
        while expected.grow(scenario, scenario.systems()) {}
        expected.finish(scenario.settings().gradient_scale);
        expected
    }

    /// A fleet without clients, for the system dimensions of the scenario.
    pub fn empty(scenario: &Scenario) -> Self {
        Self { fleet: Fleet::new(scenario.settings().family.dims()), noise: Vec::new(), n_samples: 0.0 }
    }

    /// Adds the next clients, up to eight, with the scenario's data plans and the given systems. Returns whether there
    /// are more.
    pub fn grow(&mut self, scenario: &Scenario, systems: &[LinearSystem]) -> bool {
        let first = self.fleet.n_clients();
        let clients: Vec<_> = systems
            .iter()
            .enumerate()
            .skip(first)
            .take(LANES)
            .map(|(client, system)| (system, scenario.plan(client)))
            .collect();
        self.add(&clients, |lane| scenario.n_local_steps(first + lane));
        self.fleet.n_clients() < systems.len()
    }

    /// Estimated work to add the next clients, in products of entries of eight clients at a time.
    pub(crate) fn cost(&self, scenario: &Scenario) -> usize {
        let d = self.fleet.dims().n_regressors();
        // The work done once per client equals some ten steps of its rollout.
        d * d * d * (scenario.plan(self.fleet.n_clients()).rollout_len + 10)
    }

    fn add(&mut self, clients: &[(&LinearSystem, DataPlan)], n_local_steps: impl Fn(usize) -> usize) {
        let grams = expected_grams(clients);
        let mut noise = Lanes::default();
        for (lane, (system, plan)) in clients.iter().enumerate() {
            let s = grams.lane(lane);
            let c = system.theta() * &s;
            let n_samples = plan.n_rollouts as u64 * plan.rollout_len as u64;
            self.fleet.add(&Moments { s, c, n_samples }, n_local_steps(lane));
            self.n_samples += n_samples as f64;
            noise.0[lane] = plan.noise.process_noise_std * plan.noise.process_noise_std;
        }
        self.noise.push(noise);
    }

    /// Converts sums over samples into means if `scale` says so; then ν_i = σ_w²/(N_i T_i). To be called once, after
    /// the last client.
    pub fn finish(&mut self, scale: GradientScale) {
        if scale == GradientScale::Mean {
            for (noise, block) in self.noise.iter_mut().zip(self.fleet.blocks()) {
                *noise = Lanes::from_fn(|lane| noise.0[lane] / block.n_samples[lane].max(1) as f64);
            }
            self.fleet.normalize();
        }
    }

    /// The clients' expected moments.
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// The clients in blocks of eight, with their ν_i.
    pub fn blocks(&self) -> impl Iterator<Item = (&Block, Lanes)> {
        self.fleet.blocks().iter().zip(self.noise.iter().copied())
    }

    /// The moments and ν_i of one client, counted from 0.
    pub fn client(&self, client: usize) -> (Moments, f64) {
        let (block, lane) = (client / LANES, client % LANES);
        (self.fleet.blocks()[block].moments(lane), self.noise[block].0[lane])
    }

    /// The number of samples of all clients, Σ N_i T_i.
    pub fn n_samples(&self) -> f64 {
        self.n_samples
    }

    /// `Σ ν_i S_i`, d×d: the covariance of every row of Σ V_i.
    pub fn total_noise(&self) -> Matrix {
        let d = self.fleet.dims().n_regressors();
        let mut lanes = LaneMatrix::zeros(d, d);
        for (block, noise) in self.blocks() {
            lanes.add_weighted(noise, &block.s);
        }
        let mut total = Matrix::zeros(d, d);
        lanes.sum_lanes(&mut total);
        total
    }

    /// Whether all moments are finite.
    pub fn is_finite(&self) -> bool {
        let finite = |matrix: &LaneMatrix| matrix.entries().iter().all(|entry| entry.0.iter().all(|v| v.is_finite()));
        self.fleet.blocks().iter().all(|block| finite(&block.s) && finite(&block.c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::scenario::Settings;
    use fedsysid_sim::simulator::{Client, MomentSimulator};
    use fedsysid_sim::stream::DataKey;

    #[test]
    fn means_and_noise_are_those_of_drawn_moments() {
        for gradient_scale in [GradientScale::Sum, GradientScale::Mean] {
            let mut settings = Settings { n_clients: 3, heterogeneity: 0.5, gradient_scale, ..Settings::paper() };
            settings.data.process_noise_std = 0.5.into();
            let scenario = Scenario::new(settings).unwrap();
            let expected = ExpectedFleet::new(&scenario);
            let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
            let (block, noise) = expected.blocks().next().unwrap();
            let system = &scenario.systems()[2];
            let n = 20_000;
            let (mut mean, mut square) = (Matrix::zeros(5, 5), Matrix::zeros(5, 5));
            for trial in 0..n {
                let key = DataKey { seed: scenario.settings().seed, trial, client: 2 };
                let mut moments = simulator.simulate(Client { system, plan: scenario.plan(2), key });
                if gradient_scale == GradientScale::Mean {
                    moments.s /= 125.0;
                    moments.c /= 125.0;
                }
                let v = moments.gradient(&system.theta());
                mean += &moments.s / n as f64;
                square += v.tr_mul(&v) / (3.0 * n as f64);
            }
            let (s, scale) = (block.s.lane(2), block.s.lane(2).amax());
            assert!((&mean - &s).amax() < 0.01 * scale, "{mean} {s}");
            assert!((&square - &s * noise.0[2]).amax() < 0.03 * scale * noise.0[2], "{square}");
        }
    }

    #[test]
    fn clients_beyond_a_block_are_there() {
        let scenario = Scenario::new(Settings { n_clients: 19, ..Settings::paper() }).unwrap();
        let expected = ExpectedFleet::new(&scenario);
        assert_eq!((expected.fleet().n_clients(), expected.n_samples()), (19, 19.0 * 125.0));
        assert!((expected.blocks().map(|(_, noise)| noise.sum()).sum::<f64>() - 19.0).abs() < 1e-12);
        assert!((expected.total_noise() - expected.fleet().total().s).amax() < 1e-9);
        assert!(expected.is_finite());
    }
}
