//! Lemma 1: covariances of a client's regressors along a rollout, and its expected Gram matrix.
//!
//! ```text
//! P_0 = σ_x² I        P_{t+1} = A P_t Aᵀ + σ_u² B Bᵀ + σ_w² I
//! Σ_t = blkdiag(P_t, σ_u² I)        Γ = N Σ_{t<T} Σ_t = E S
//! ```
//!
//! This is the paper's Lemma 1 as a recursion. Unrolled, `P_t = σ_x² Aᵗ(Aᵗ)ᵀ + Σ_{k<t} Aᵏ(σ_u² B Bᵀ + σ_w² I)(Aᵏ)ᵀ`.

use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::plan::DataPlan;
use fedsysid_sim::system::LinearSystem;

/// The state covariances `P_t` (n×n) of up to eight clients, for t = 0, 1, ….
#[derive(Clone, Debug)]
pub struct StateCovariances {
    p: LaneMatrix,
    a: LaneMatrix,
    a_transposed: LaneMatrix,
    /// The increment per time step, `σ_u² B Bᵀ + σ_w² I`.
    driven: LaneMatrix,
    room: LaneMatrix,
    next: LaneMatrix,
}

impl StateCovariances {
    /// Starts with `P_0` of the given clients: one to eight of them, whose systems all have the same dimensions.
    pub fn new(clients: &[(&LinearSystem, DataPlan)]) -> Self {
        let n = clients.first().map_or(0, |(system, _)| system.dims().n_states);
        let mut start = Self {
            p: LaneMatrix::zeros(n, n),
            a: LaneMatrix::zeros(n, n),
            a_transposed: LaneMatrix::zeros(n, n),
            driven: LaneMatrix::zeros(n, n),
            room: LaneMatrix::zeros(n, n),
            next: LaneMatrix::zeros(n, n),
        };
        for (lane, (system, plan)) in clients.iter().enumerate().take(LANES) {
            let variance = |std: f64| std * std;
            let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
            let noise = plan.noise;
            start.p.set_lane_from(lane, |i, j| variance(noise.initial_state_std) * identity(i, j));
            start.a.set_lane(lane, system.a());
            start.a_transposed.set_lane_from(lane, |i, j| system.a()[(j, i)]);
            let input = system.b() * system.b().transpose() * variance(noise.input_std);
            start.driven.set_lane_from(lane, |i, j| input[(i, j)] + variance(noise.process_noise_std) * identity(i, j));
        }
        start
    }

    /// The current `P_t`, n×n, one client per lane.
    pub fn covariance(&self) -> &LaneMatrix {
        &self.p
    }

    /// Advances from t to t + 1, and returns whether `P_t` changed. For stable systems it eventually stays the same.
    pub fn advance(&mut self) -> bool {
        self.room.set_product(&self.a, &self.p);
        self.next.copy_from(&self.driven);
        self.next.add_product(&self.room, &self.a_transposed);
        let changed = self.next != self.p;
        std::mem::swap(&mut self.p, &mut self.next);
        changed
    }
}

/// The expected Gram matrices `Γ_i` (d×d) of up to eight clients, one per lane; zero in unused lanes. Infinite or NaN
/// where a state covariance overflows.
pub fn expected_grams(clients: &[(&LinearSystem, DataPlan)]) -> LaneMatrix {
    let Some(dims) = clients.first().map(|(system, _)| system.dims()) else { return LaneMatrix::zeros(0, 0) };
    let (n, d) = (dims.n_states, dims.n_regressors());
    let plan = |lane: usize| clients.get(lane).map(|(_, plan)| *plan);
    let longest = clients.iter().map(|(_, plan)| plan.rollout_len).max().unwrap_or(0);
    let mut sum = LaneMatrix::zeros(n, n);
    let mut states = StateCovariances::new(clients);
    for t in 0..longest {
        let is_within = |lane| plan(lane).is_some_and(|plan| t < plan.rollout_len);
        sum.add_weighted(Lanes::from_fn(|lane| f64::from(u8::from(is_within(lane)))), states.covariance());
        if !states.advance() {
            let left = |lane| plan(lane).map_or(0, |plan| plan.rollout_len.saturating_sub(t + 1));
            sum.add_weighted(Lanes::from_fn(|lane| left(lane) as f64), states.covariance());
            break;
        }
    }
    let mut grams = LaneMatrix::zeros(d, d);
    for lane in 0..clients.len().min(LANES) {
        let Some(plan) = plan(lane) else { continue };
        let n_rollouts = plan.n_rollouts as f64;
        let input = n_rollouts * plan.rollout_len as f64 * plan.noise.input_std * plan.noise.input_std;
        grams.set_lane_from(lane, |i, j| match (i < n, j < n) {
            (true, true) => n_rollouts * sum[(i, j)].0[lane],
            (false, false) if i == j => input,
            _ => 0.0,
        });
    }
    grams
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::Matrix;
    use fedsysid_sim::family::{Family, Place};
    use fedsysid_sim::plan::NoiseLevels;
    use fedsysid_sim::samples::simulate_samples;
    use fedsysid_sim::stream::{Purpose, Seed, stream};

    fn system() -> LinearSystem {
        Family::paper().member(Place { a: 0.3, b: 0.8 }, 0.5).unwrap()
    }

    fn plan(n_rollouts: usize, rollout_len: usize) -> DataPlan {
        let noise = NoiseLevels { initial_state_std: 0.5, input_std: 2.0, process_noise_std: 0.3 };
        DataPlan { n_rollouts, rollout_len, noise }
    }

    /// The sum in Lemma 1 as printed.
    fn unrolled(system: &LinearSystem, noise: NoiseLevels, t: usize) -> Matrix {
        let power = |k: usize| (0..k).fold(Matrix::identity(3, 3), |power, _| power * system.a());
        let mut sum = power(t) * power(t).transpose() * noise.initial_state_std.powi(2);
        for k in 0..t {
            let driven = system.b() * system.b().transpose() * noise.input_std.powi(2)
                + Matrix::identity(3, 3) * noise.process_noise_std.powi(2);
            sum += power(k) * driven * power(k).transpose();
        }
        sum
    }

    #[test]
    fn the_recursion_is_the_lemmas_sum() {
        let (system, plan) = (system(), plan(1, 9));
        let mut states = StateCovariances::new(&[(&system, plan)]);
        for t in 0..9 {
            let expected = unrolled(&system, plan.noise, t);
            assert!((states.covariance().lane(0) - &expected).amax() < 1e-13 * expected.amax(), "t = {t}");
            states.advance();
        }
    }

    #[test]
    fn the_expected_gram_matrix_is_the_mean_of_simulated_ones() {
        let (system, plan) = (system(), plan(40_000, 6));
        let expected = expected_grams(&[(&system, plan)]).lane(0);
        let got = simulate_samples(&system, &plan, &mut stream(Seed(1), Purpose::Data, 0, 0)).moments().s;
        assert!((&got - &expected).amax() < 0.02 * expected.amax(), "{got} {expected}");
    }

    #[test]
    fn clients_side_by_side_keep_their_own_lengths() {
        let system = system();
        let clients: Vec<_> = (1..=5).map(|k| (&system, plan(k, 300 * k - 299))).collect();
        let together = expected_grams(&clients);
        for (lane, client) in clients.iter().enumerate() {
            let alone = expected_grams(&[*client]).lane(0);
            assert!((together.lane(lane) - &alone).amax() <= 1e-12 * alone.amax(), "{lane}");
        }
        assert_eq!(together.lane(7), Matrix::zeros(5, 5));
    }

    #[test]
    fn an_unstable_system_overflows_and_its_neighbours_do_not() {
        let unstable = Family::paper().member(Place { a: 1.0, b: 0.0 }, 20.0).unwrap();
        let (stable, plan) = (system(), plan(3, 2_000));
        let grams = expected_grams(&[(&unstable, plan), (&stable, plan)]);
        assert!(!grams.lane(0).iter().all(|entry| entry.is_finite()));
        assert!(grams.lane(1).iter().all(|entry| entry.is_finite()));
    }
}
