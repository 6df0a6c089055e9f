//! Noise that returns in later data, and the bias that it gives to what a client learns alone.
//!
//! The process noise w_t is part of the later states of its rollout. So `V = Σ w_t z_tᵀ` depends on `S = Σ z_t z_tᵀ`, and
//! V times a function Q of S has a mean. It is of the order 1/N beside Θ; to this order, from the fourth moments of
//! normal variables, it is
//!
//! ```text
//! E[V Q(S)] = N σ_w² Σ_{0<h<T} (Aᵀ)^{h−1} U (q ∘ R_h + diag c_h) Uᵀ        q_ab = (q(λ_a) − q(λ_b)) / (λ_a − λ_b)
//! R_h = Uᵀ (Σ_{t<T−h} P_t) (Aᵀ)^h U        (c_h)_b = Σ_a q_ab (R_h)_aa
//! ```
//!
//! with P_t the covariances of the states, λ and U the eigenvalues and eigenvectors of `N Σ_{t<T} P_t`, and q the
//! function on eigenvalues (for a = b, `q_ab` is its derivative). Inputs are independent of all noise, so only A is
//! biased. Two functions count here:
//!
//! - `q(λ) = 1/λ`, least squares: the known bias of vector autoregressions (Nicholls and Pope, 1988), here for rollouts
//!   of any length from a random start. It is hidden in the noise of one client, but a mean over clients has it too.
//! - `q(λ) = Σ_k α_k Π_{j<k} (1 − α_j λ)`, local steps: FedAvg's offset `mean V_i Q_i`. With one step there is no bias.
//!
//! Pooled estimates have an M-th of the bias, FedLin as well, as its Q is a mean: it is neglected.

use super::covariance::StateCovariances;
use super::law::representative_blocks;
use fedsysid_sim::Matrix;
use fedsysid_sim::eigen::Eigen;
use fedsysid_sim::fleet::Fleet;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::local_map::FleetMaps;
use fedsysid_sim::plan::DataPlan;
use fedsysid_sim::scenario::{GradientScale, Scenario};
use fedsysid_sim::system::LinearSystem;

/// The largest number of blocks of eight clients that stand for all: biases differ little between clients.
const BLOCKS: usize = 4;

/// Eigenvalues closer than this, relatively, are moved apart for a difference of q.
const APART: f64 = 1e-3;

/// The feedback of a fleet: that of representative blocks of clients.
#[derive(Debug)]
pub struct Feedback {
    blocks: Vec<OfBlock>,
    n_clients: f64,
}

/// The feedback of up to eight clients.
#[derive(Debug)]
struct OfBlock {
    index: usize,
    /// The eigenvalues and eigenvectors of `N Σ P_t`.
    eigen: Eigen,
    /// `N σ_w² Σ_h (Aᵀ)^{h−1} (u_a (R_h)_ab + u_b (R_h)_aa)` in column an + b: the bias is the sum of these times
    /// `q_ab u_bᵀ`.
    products: LaneMatrix,
    /// The factor by which the method's moments differ from sums over samples; 0 in unused lanes.
    scale: Lanes,
}

impl Feedback {
    /// The feedback of a scenario's clients, for moments that are sums or means over samples.
    pub fn new(scenario: &Scenario, gradient_scale: GradientScale) -> Self {
        let systems = scenario.systems();
        let block = |index: usize| {
            let clients = systems.iter().enumerate().skip(index * LANES).take(LANES);
            let clients: Vec<_> = clients.map(|(client, system)| (system, scenario.plan(client))).collect();
            OfBlock::new(index, &clients, gradient_scale)
        };
        let blocks: Vec<_> = representative_blocks(systems.len().div_ceil(LANES), BLOCKS).map(block).collect();
        let n_clients = blocks.iter().map(|block| block.scale.mask(Lanes::default(), |a, b| a > b).sum()).sum();
        Self { blocks, n_clients }
    }

    /// Adds the mean of `E[V Q(S)]` over the clients, times `weight`, to an n×d matrix. `q` gets the index of a block of the
    /// fleet and an eigenvalue of each of its S.
    pub fn add_bias(&self, weight: f64, to: &mut Matrix, mut q: impl FnMut(usize, Lanes) -> Lanes) {
        for block in &self.blocks {
            let n = block.eigen.values.len();
            let mut sum = LaneMatrix::zeros(n, n);
            block.add_bias(&mut sum, |eigenvalue| q(block.index, eigenvalue));
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                to[(i, j)] += sum[(i, j)].sum() * (weight / self.n_clients);
            }
        }
    }

    /// Adds the bias of the offset of a round's map, for a method whose maps Q_i stay with their clients: what it has
    /// beyond the pooled estimate's, which is neglected. `step_size` is that of [`FleetMaps::q_on`].
    pub fn add_to_offset(&self, offset: &mut Matrix, fleet: &Fleet, maps: &mut FleetMaps, step_size: f64) {
        let weight = 1.0 - 1.0 / fleet.n_clients() as f64;
        self.add_bias(weight, offset, |block, eigenvalue| maps.q_on(&fleet.blocks()[block], step_size, eigenvalue));
    }
}

impl OfBlock {
    fn new(index: usize, clients: &[(&LinearSystem, DataPlan)], gradient_scale: GradientScale) -> Self {
        let n = clients.first().map_or(0, |(system, _)| system.dims().n_states);
        let zeros = || LaneMatrix::zeros(n, n);
        let of_plans =
            |value: fn(DataPlan) -> f64| Lanes::from_fn(|lane| clients.get(lane).map_or(0.0, |at| value(at.1)));
        let rollout_len = |lane: usize| clients.get(lane).map_or(0, |(_, plan)| plan.rollout_len);
        let longest = (0..LANES).map(rollout_len).max().unwrap_or(0);
        // Σ_{t<k} P_t, for k = 0, 1, ….
        let mut sums = vec![zeros()];
        let mut states = StateCovariances::new(clients);
        for t in 0..longest {
            let mut sum = sums[t].clone();
            sum.add_scaled(Lanes::splat(1.0), states.covariance());
            sums.push(sum);
            states.advance();
        }
        let up_to = |room: &mut LaneMatrix, h: usize| {
            for lane in 0..clients.len().min(LANES) {
                let sum = &sums[rollout_len(lane).saturating_sub(h)];
                room.set_lane_from(lane, |i, j| sum[(i, j)].0[lane]);
            }
        };
        let (mut room, mut gram) = (zeros(), zeros());
        up_to(&mut gram, 0);
        let n_rollouts = of_plans(|plan| plan.n_rollouts as f64);
        gram.scale(n_rollouts);
        let eigen = Eigen::new(&gram);
        let u = &eigen.vectors;
        let (mut transposed_a, mut transposed_u) = (zeros(), zeros());
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            transposed_u[(i, j)] = u[(j, i)];
        }
        for (lane, (system, _)) in clients.iter().enumerate().take(LANES) {
            transposed_a.set_lane_from(lane, |i, j| system.a()[(j, i)]);
        }
        // (Aᵀ)^{h−1} U, and its product with one more Aᵀ.
        let (mut power, mut next, mut sum_u, mut r) = (u.clone(), zeros(), zeros(), zeros());
        let mut products = LaneMatrix::zeros(n, n * n);
        for h in 1..longest {
            next.set_product(&transposed_a, &power);
            up_to(&mut room, h);
            sum_u.set_product(&room, &next);
            r.set_product(&transposed_u, &sum_u);
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                for i in 0..n {
                    products[(i, a * n + b)] += power[(i, a)] * r[(a, b)] + power[(i, b)] * r[(a, a)];
                }
            }
            std::mem::swap(&mut power, &mut next);
        }
        products.scale(n_rollouts * of_plans(|plan| plan.noise.process_noise_std.powi(2)));
        let scale = match gradient_scale {
            GradientScale::Sum => of_plans(|_| 1.0),
            GradientScale::Mean => of_plans(|plan| 1.0 / (plan.n_rollouts as f64 * plan.rollout_len as f64)),
        };
        Self { index, eigen, products, scale }
    }

    /// Adds `E[V Q(S)]` of every client, n×n. Of scaled moments, V and a change of S have the factor, and λ too.
    fn add_bias(&self, sum: &mut LaneMatrix, mut q: impl FnMut(Lanes) -> Lanes) {
        let n = self.eigen.values.len();
        let u = &self.eigen.vectors;
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let [one, other] = [a, b].map(|k| self.eigen.values[k] * self.scale);
            let middle = (one + other) * 0.5;
            let least = (middle.abs() * (0.5 * APART)).max(Lanes::splat(f64::MIN_POSITIVE));
            let half = ((one - other).abs() * 0.5).max(least);
            let slope = (q(middle + half) - q(middle - half)) / (half * 2.0);
            let slope = (slope * self.scale * self.scale).where_nonzero(self.scale, Lanes::default());
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                sum[(i, j)] += slope * self.products[(i, a * n + b)] * u[(j, b)];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::estimate::Factor;
    use fedsysid_sim::local_map::StepRule;
    use fedsysid_sim::scenario::Settings;
    use fedsysid_sim::schedule::Schedule;
    use fedsysid_sim::simulator::{Client, MomentSimulator};
    use fedsysid_sim::stream::DataKey;

    fn bias(feedback: &Feedback, q: impl FnMut(usize, Lanes) -> Lanes) -> Matrix {
        let mut bias = Matrix::zeros(3, 5);
        feedback.add_bias(1.0, &mut bias, q);
        bias
    }

    /// Forty thousand data sets of a client have the predicted means of `V S⁻¹` and of `V Q(S)`, whose standard errors are
    /// some 5 % of the largest entry.
    #[track_caller]
    fn check(n_rollouts: usize, rollout_len: usize, gradient_scale: GradientScale, schedule: Schedule, step: f64) {
        let mut settings = Settings { n_clients: 1, heterogeneity: 0.5, gradient_scale, ..Settings::paper() };
        settings.data.n_rollouts = n_rollouts.into();
        settings.data.rollout_len = rollout_len.into();
        settings.data.process_noise_std = 0.7.into();
        let scenario = Scenario::new(settings).unwrap();
        let (system, plan) = (&scenario.systems()[0], scenario.plan(0));
        let mut simulator = MomentSimulator::new(scenario.settings().family.dims());
        let rule = StepRule { schedule, step_size: step, pull: 0.0 };
        let mut maps = FleetMaps::empty(scenario.settings().family.dims(), rule);
        let n = 40_000;
        let (mut squares, mut steps) = (Matrix::zeros(3, 5), Matrix::zeros(3, 5));
        let mut last = Fleet::new(scenario.settings().family.dims());
        for trial in 0..n {
            let key = DataKey { seed: scenario.settings().seed, trial, client: 0 };
            let mut moments = simulator.simulate(Client { system, plan, key });
            let v = moments.gradient(&system.theta());
            squares += Factor::new(&moments.s).unwrap().solve(&v) / n as f64;
            if gradient_scale == GradientScale::Mean {
                moments.s /= moments.n_samples as f64;
                moments.c /= moments.n_samples as f64;
            }
            let v = moments.gradient(&system.theta());
            last = Fleet::new(scenario.settings().family.dims());
            last.add(&moments, 20);
            maps.begin_fleet(rule);
            while maps.advance(&last) {}
            steps += v * maps.blocks()[0].q.lane(0) / n as f64;
        }
        let bias = |scale, q: &mut dyn FnMut(usize, Lanes) -> Lanes| bias(&Feedback::new(&scenario, scale), q);
        let of_squares = bias(GradientScale::Sum, &mut |_, value| Lanes::splat(1.0) / value);
        let of_steps = bias(gradient_scale, &mut |block, value| maps.q_on(&last.blocks()[block], step, value));
        for (found, expected) in [(squares, of_squares), (steps, of_steps)] {
            let allowed = 0.2 * expected.amax();
            assert!((&found - &expected).amax() < allowed, "{found} {expected} {n_rollouts} {rollout_len}");
        }
    }

    #[test]
    fn the_bias_is_that_of_drawn_data() {
        check(8, 5, GradientScale::Sum, Schedule::Constant, 1e-3);
        check(3, 20, GradientScale::Sum, Schedule::OverLocalSteps, 2e-3);
        check(12, 3, GradientScale::Mean, Schedule::Constant, 0.05);
        check(2, 40, GradientScale::Mean, Schedule::OverRounds, 0.01);
    }

    #[test]
    fn one_step_and_one_time_step_have_no_bias() {
        let mut settings = Settings { n_clients: 70, ..Settings::paper() };
        let feedback = Feedback::new(&Scenario::new(settings.clone()).unwrap(), GradientScale::Sum);
        assert!((feedback.n_clients - 32.0).abs() < 1e-12, "{}", feedback.n_clients);
        assert!(bias(&feedback, |_, _| Lanes::splat(1e-4)).amax() < 1e-15);
        settings.data.rollout_len = 1.into();
        let feedback = Feedback::new(&Scenario::new(settings).unwrap(), GradientScale::Sum);
        assert!(bias(&feedback, |_, value| Lanes::splat(1.0) / value).amax() < 1e-15);
    }
}
