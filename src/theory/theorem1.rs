//! The paper's Theorem 1 as printed, and in a corrected reading.
//!
//! With probability at least 1 − 3δ, if every `N_i ≥ max{8(n+p) + 16 log(2MT/δ), (4n+2p) log(MT/δ)}`,
//!
//! ```text
//! ‖Θ̄ − Θ⁽ⁱ⁾‖ ≤ C_1/√(Σ N_j) + ε C_2
//! C_0 = 16 √((2n+p) log(9MT/δ))
//! C_1 = C_0 √(Σ_j σ_w,j² (Σ_t ‖Σ_t⁽ʲ⁾^{1/2}‖)²) / λ        λ = min_j λ_min(Σ_t Σ_t⁽ʲ⁾)
//! C_2 = 9 Σ_{j≠i} Σ_t ‖Σ_t⁽ⁱ⁾‖ / λ
//! ```
//!
//! for pooled least squares; T is the longest rollout. Two remarks on the printed theorem:
//!
//! - The sum in C_1 grows like √M for clients that are alike, so the noise term does not fall with M. Summing the
//!   independent noise terms before bounding them gives `C_0 √(Σ_j N_j σ_w,j² (…)²) / (λ Σ N_j)`, which is the same for
//!   one client and falls like 1/√(ΣN_j).
//! - The sum in C_2 runs over j, but its terms do not depend on j; the proof has Σ_t⁽ʲ⁾.

use super::covariance::StateCovariances;
use fedsysid_sim::eigen::Eigen;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::norm::LaneNorms;
use fedsysid_sim::scenario::Scenario;

/// The δ used throughout: the bound holds with probability at least 1 − 3δ = 0.85.
pub const DELTA: f64 = 0.05;

/// The constants and the bound of Theorem 1 in a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theorem1 {
    /// `C_0`.
    pub c0: f64,
    /// `C_1`.
    pub c1: f64,
    /// `C_2` as printed, with `Σ_t⁽ⁱ⁾` of the client itself.
    pub c2: f64,
    /// `C_2` with `Σ_t⁽ʲ⁾` of the other clients, as in the proof.
    pub c2_of_others: f64,
    /// `C_1/√(Σ N_j)`: the noise term as printed.
    pub noise: f64,
    /// `C_0 √(Σ_j N_j σ_w,j² (…)²) / (λ Σ N_j)`: the noise term that falls with M.
    pub noise_summed: f64,
    /// The ε of the bound: the extent of the family, ε max(‖V‖, ‖U‖).
    pub heterogeneity: f64,
    /// The two lower limits on N_i in the hypothesis; both must be met.
    pub needs: (f64, f64),
    /// The smallest N_i.
    pub has: f64,
    /// `λ`, the denominator of the noise terms and of C_2.
    pub excitation: f64,
}

impl Theorem1 {
    /// Theorem 1 for client `client` (0-based) with δ = `delta`. Infinite or NaN where a state covariance overflows.
    pub fn new(scenario: &Scenario, client: usize, delta: f64) -> Self {
        let mut all = Vec::new();
        while all.len() < scenario.settings().n_clients {
            all.extend(norms(scenario, all.len()));
        }
        Self::of_first(scenario, &all, client, delta)
    }

    /// The same for only the first clients: as many as there are `norms`.
    pub(crate) fn of_first(scenario: &Scenario, norms: &[Norms], client: usize, delta: f64) -> Self {
        let settings = scenario.settings();
        let dims = settings.family.dims();
        let (n, p) = (dims.n_states as f64, dims.n_inputs as f64);
        let n_clients = norms.len();
        let clients = || norms.iter();
        let rollouts = |client| scenario.plan(client).n_rollouts as f64;
        let total: f64 = (0..n_clients).map(rollouts).sum();
        let longest = (0..n_clients).map(|client| scenario.plan(client).rollout_len).max().unwrap_or(1);
        let mt = n_clients as f64 * longest as f64;
        let excitation = clients().map(|norms| norms.excitation).fold(f64::INFINITY, f64::min);
        let c0 = 16.0 * ((2.0 * n + p) * libm::log(9.0 * mt / delta)).sqrt();
        let noise = |client: usize, norms: &Norms| {
            let std = scenario.plan(client).noise.process_noise_std;
            (std * norms.roots) * (std * norms.roots)
        };
        let squares: f64 = clients().enumerate().map(|(client, norms)| noise(client, norms)).sum();
        let weighted: f64 = clients().enumerate().map(|(client, norms)| rollouts(client) * noise(client, norms)).sum();
        let own = clients().nth(client).map_or(f64::NAN, |norms| norms.sum);
        let all: f64 = clients().map(|norms| norms.sum).sum();
        let c1 = c0 * squares.sqrt() / excitation;
        let extent = |pattern| fedsysid_sim::norm::spectral_norm(pattern) * settings.heterogeneity;
        Self {
            c0,
            c1,
            c2: 9.0 * (n_clients as f64 - 1.0) * own / excitation,
            c2_of_others: 9.0 * (all - own).max(0.0) / excitation,
            noise: c1 / total.sqrt(),
            noise_summed: c0 * weighted.sqrt() / (excitation * total),
            heterogeneity: extent(settings.family.a_pattern()).max(extent(settings.family.b_pattern())),
            needs: (8.0 * (n + p) + 16.0 * libm::log(2.0 * mt / delta), (4.0 * n + 2.0 * p) * libm::log(mt / delta)),
            has: (0..n_clients).map(rollouts).fold(f64::INFINITY, f64::min),
            excitation,
        }
    }

    /// The bound as printed.
    pub fn bound(&self) -> f64 {
        self.noise + self.heterogeneity * self.c2
    }

    /// The bound in the corrected reading: noise terms summed first, and Σ_t⁽ʲ⁾ in C_2.
    pub fn corrected(&self) -> f64 {
        self.noise_summed + self.heterogeneity * self.c2_of_others
    }

    /// The lower limit on N_i in the hypothesis.
    pub fn need(&self) -> f64 {
        self.needs.0.max(self.needs.1)
    }

    /// Whether every client has as many rollouts as the hypothesis asks for.
    pub fn holds(&self) -> bool {
        self.has >= self.need()
    }
}

/// Sums over one client's rollout.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Norms {
    /// `Σ_t ‖Σ_t‖`.
    sum: f64,
    /// `Σ_t ‖Σ_t^{1/2}‖`.
    roots: f64,
    /// `λ_min(Σ_t Σ_t)`.
    excitation: f64,
}

/// These sums for up to eight clients, from client `first` (0-based) on.
pub(crate) fn norms(scenario: &Scenario, first: usize) -> Vec<Norms> {
    let clients: Vec<_> = scenario.systems().iter().enumerate().skip(first).take(LANES).collect();
    let clients: Vec<_> = clients.into_iter().map(|(client, system)| (system, scenario.plan(client))).collect();
    let n = scenario.settings().family.dims().n_states;
    let longest = clients.iter().map(|(_, plan)| plan.rollout_len).max().unwrap_or(0);
    let mut states = StateCovariances::new(&clients);
    let mut lane_norms = LaneNorms::new(n, n);
    let (mut total, mut sum, mut roots) = (LaneMatrix::zeros(n, n), Lanes::default(), Lanes::default());
    let input = Lanes::from_fn(|lane| clients.get(lane).map_or(0.0, |(_, plan)| plan.noise.input_std.powi(2)));
    let mut changes = true;
    let mut norm = Lanes::default();
    for t in 0..longest {
        let within = |lane: usize| clients.get(lane).is_some_and(|(_, plan)| t < plan.rollout_len);
        let weight = Lanes::from_fn(|lane| f64::from(u8::from(within(lane))));
        if changes {
            norm = lane_norms.of(states.covariance()).max(input);
        }
        total.add_weighted(weight, states.covariance());
        sum += (norm * weight).where_nonzero(weight, Lanes::default());
        roots += (norm.sqrt() * weight).where_nonzero(weight, Lanes::default());
        changes = changes && states.advance();
    }
    let eigen = Eigen::new(&total);
    let least = eigen.values.iter().fold(Lanes::splat(f64::INFINITY), |least, &value| least.zip(value, f64::min));
    let client = |(lane, (_, plan)): (usize, &(_, fedsysid_sim::plan::DataPlan))| Norms {
        sum: sum.0[lane],
        roots: roots.0[lane],
        excitation: least.0[lane].min(plan.rollout_len as f64 * input.0[lane]).max(0.0),
    };
    clients.iter().enumerate().map(client).collect()
}
