//! A fleet at one heterogeneity ε, and the law of pooled least squares as clients are added.
//!
//! Everything is relative to the nominal system. With `Δ_i = Θ⁽ⁱ⁾ − Θ_0 = ε [a_i V, b_i U]`, pooled least squares has
//! mean `Θ_0 + (ΣΔ_iΓ_i)(ΣΓ_i)⁻¹` and row covariance `Ω = (ΣΓ_i)⁻¹ (Σν_iΓ_i) (ΣΓ_i)⁻¹`. Sums over the first M clients
//! are stored on the way to larger M, so all sizes together cost as much as the largest.

use std::f64::consts::PI;

use crate::covariance::expected_grams;
use crate::growth::is_large;
use fedsysid_sim::Matrix;
use fedsysid_sim::angle::{cosine, sine};
use fedsysid_sim::cholesky::LaneCholesky;
use fedsysid_sim::estimate::MIN_UNEXPLAINED;
use fedsysid_sim::family::{Family, Place};
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::plan::DataPlan;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::system::{LinearSystem, SystemError};

/// The clients of a map, for any ε.
#[derive(Debug)]
pub(super) struct Clients {
    family: Family,
    /// `[V, 0]` and `[0, U]` (n×d), scaled to unit Frobenius norm; zero if V or U is.
    units: [Matrix; 2],
    places: Vec<Place>,
    plans: Vec<DataPlan>,
}

fn unit(matrix: Matrix) -> Matrix {
    let norm = matrix.norm();
    if norm > 0.0 { matrix / norm } else { matrix }
}

/// `ε [aV, bU]`, n×d: the deviation of a place from the nominal system.
fn deviation(family: &Family, place: Place, heterogeneity: f64) -> Matrix {
    let (n, d) = (family.dims().n_states, family.dims().n_regressors());
    let (v, u) = (family.a_pattern(), family.b_pattern());
    Matrix::from_fn(n, d, |i, j| {
        if j < n { heterogeneity * place.a * v[(i, j)] } else { heterogeneity * place.b * u[(i, j - n)] }
    })
}

impl Clients {
    /// The first `n` clients of a scenario's placement and data, which may be more than the scenario has.
    pub(super) fn new(scenario: &Scenario, n: usize) -> Self {
        let settings = scenario.settings();
        let along = |a: f64, b: f64| unit(deviation(&settings.family, Place { a, b }, 1.0));
        Self {
            family: settings.family.clone(),
            units: [along(1.0, 0.0), along(0.0, 1.0)],
            places: (0..n).map(|client| settings.place(client)).collect(),
            plans: (0..n).map(|client| scenario.plan(client)).collect(),
        }
    }

    pub(super) fn family(&self) -> &Family {
        &self.family
    }

    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    pub(super) fn n_samples(&self, client: usize) -> f64 {
        let plan = self.plans[client];
        plan.n_rollouts as f64 * plan.rollout_len as f64
    }

    /// A client's system.
    pub(super) fn system(&self, client: usize, heterogeneity: f64) -> Result<LinearSystem, SystemError> {
        self.family.member(self.places[client], heterogeneity)
    }

    /// `ε [aV, bU]`, n×d: the deviation of a place from the nominal system.
    pub(super) fn deviation(&self, place: Place, heterogeneity: f64) -> Matrix {
        deviation(&self.family, place, heterogeneity)
    }

    /// The direction of a deviation (n×d).
    pub(super) fn direction(&self, deviation: &Matrix) -> Direction {
        let [a, b] = [&self.units[0], &self.units[1]].map(|unit| unit.dot(deviation));
        let angle = libm::atan2(b, a);
        let apart = (1.0 - (a * a + b * b) / deviation.norm_squared()).max(0.0).sqrt();
        // Opposite deviations have equal norms.
        Direction { angle: if angle < 0.0 { angle + PI } else { angle }, apart }
    }

    /// A deviation (n×d) of unit norm at this angle between V (0) and U (π/2), from 0 to π.
    pub(super) fn unit(&self, angle: f64) -> Matrix {
        let pointing = |a: f64, b: f64| &self.units[0] * a + &self.units[1] * b;
        let deviation = pointing(cosine(angle), sine(angle));
        // If one pattern is zero, the only direction is the other's; if both are, there is none.
        let deviation = if deviation.norm() > 1e-3 { deviation } else { pointing(1.0, 1.0) };
        unit(deviation)
    }

    /// The expected moments of `n` clients from `first` on, at most eight.
    ///
    /// # Errors
    /// If an entry of a system overflows.
    pub(super) fn block(&self, first: usize, n: usize, heterogeneity: f64) -> Result<ClientBlock, SystemError> {
        let clients = first..first + n.min(LANES);
        let systems: Vec<_> =
            clients.clone().map(|client| self.system(client, heterogeneity)).collect::<Result<_, _>>()?;
        let planned: Vec<_> = systems.iter().zip(self.plans[clients.clone()].iter().copied()).collect();
        let mut noise = Lanes::default();
        for (lane, (_, plan)) in planned.iter().enumerate() {
            noise.0[lane] = plan.noise.process_noise_std * plan.noise.process_noise_std;
        }
        let first_large = planned.iter().position(|(system, plan)| is_large(system, plan.rollout_len));
        Ok(ClientBlock { gram: expected_grams(&planned), noise, first_large })
    }

    /// The deviations (n×d) of up to eight places from the nominal system at ε = 1.
    pub(super) fn directions(&self, places: &[Place]) -> LaneMatrix {
        let dims = self.family.dims();
        let mut directions = LaneMatrix::zeros(dims.n_states, dims.n_regressors());
        for (lane, &place) in places.iter().enumerate() {
            directions.set_lane(lane, &self.deviation(place, 1.0));
        }
        directions
    }

    /// The length of the longest rollout in the block from client `first` on.
    pub(super) fn longest(&self, first: usize) -> usize {
        self.plans[first..].iter().take(LANES).map(|plan| plan.rollout_len).max().unwrap_or(0)
    }
}

/// The direction of a deviation from the nominal system.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Direction {
    /// The angle of its projection on the plane of V (0) and U (π/2), from 0 to π.
    pub(super) angle: f64,
    /// The share of its norm outside this plane, 0 to 1; 0 for a deviation of zero.
    pub(super) apart: f64,
}

/// The expected moments of up to eight clients.
#[derive(Debug)]
pub(super) struct ClientBlock {
    /// `Γ_i`, d×d.
    gram: LaneMatrix,
    /// `ν_i`; 0 in unused lanes.
    noise: Lanes,
    /// The first client whose states grow so much that there is no prediction for pooled data, see
    /// [`growth`](crate::growth).
    pub(super) first_large: Option<usize>,
}

impl ClientBlock {
    /// `ν_i Γ_i⁻¹` (d×d) of every client; NaN if its data do not excite some direction.
    pub(super) fn own_covariances(&self) -> LaneMatrix {
        let d = self.gram.rows();
        let mut solver = LaneCholesky::new(d);
        solver.factorise(&self.gram);
        let mut inverse = LaneMatrix::identity(d);
        solver.solve(&mut inverse);
        inverse.scale(where_determined(solver.least_pivot(), self.noise));
        inverse
    }
}

fn where_determined(least_pivot: Lanes, value: Lanes) -> Lanes {
    value.zip(least_pivot, |value, pivot| if pivot >= MIN_UNEXPLAINED { value } else { f64::NAN })
}

/// Sums over clients: `ΣΓ_i`, `ΣΔ_iΓ_i` and `Σν_iΓ_i`.
#[derive(Clone, Debug)]
struct Sums<M> {
    gram: M,
    cross: M,
    noise: M,
}

impl Sums<LaneMatrix> {
    fn zeros(n: usize, d: usize) -> Self {
        Self { gram: LaneMatrix::zeros(d, d), cross: LaneMatrix::zeros(n, d), noise: LaneMatrix::zeros(d, d) }
    }

    /// Adds the first `n` clients of a block, with their `Δ_i Γ_i`.
    fn add(&mut self, block: &ClientBlock, cross: &LaneMatrix, n: usize) {
        let mask = Lanes::from_fn(|lane| f64::from(u8::from(lane < n)));
        self.gram.add_weighted(mask, &block.gram);
        self.cross.add_weighted(mask, cross);
        self.noise.add_weighted(mask.zip(block.noise, |a, b| a * b), &block.gram);
    }

    fn copy_from(&mut self, other: &Self) {
        self.gram.copy_from(&other.gram);
        self.cross.copy_from(&other.cross);
        self.noise.copy_from(&other.noise);
    }

    fn total(&self) -> Sums<Matrix> {
        let total = |lanes: &LaneMatrix| {
            let mut sum = Matrix::zeros(lanes.rows(), lanes.cols());
            lanes.sum_lanes(&mut sum);
            sum
        };
        Sums { gram: total(&self.gram), cross: total(&self.cross), noise: total(&self.noise) }
    }
}

/// A fleet at one ε to which clients are added, eight at a time.
#[derive(Debug)]
pub(super) struct Growth {
    n_clients: usize,
    sums: Sums<LaneMatrix>,
    room: Sums<LaneMatrix>,
    /// `Δ_i Γ_i` of the clients added last.
    cross: LaneMatrix,
    /// The sums at every size reached.
    at_sizes: Vec<Sums<Matrix>>,
}

impl Growth {
    /// Room for fleets of systems with n states and d regressors.
    pub(super) fn new(n: usize, d: usize) -> Self {
        let cross = LaneMatrix::zeros(n, d);
        Self { n_clients: 0, sums: Sums::zeros(n, d), room: Sums::zeros(n, d), cross, at_sizes: Vec::new() }
    }

    /// Removes all clients.
    pub(super) fn clear(&mut self) {
        self.n_clients = 0;
        self.at_sizes.clear();
        self.sums.gram.fill(0.0);
        self.sums.cross.fill(0.0);
        self.sums.noise.fill(0.0);
    }

    /// Number of clients added, in whole blocks of eight.
    pub(super) fn n_clients(&self) -> usize {
        self.n_clients
    }

    /// Adds the next block of clients; `deviations` are ε and their deviations at ε = 1. Stores the sums at the sizes
    /// reached by it. Returns whether the sums are still finite.
    pub(super) fn add(&mut self, block: &ClientBlock, deviations: (f64, &LaneMatrix), sizes: &[usize]) -> bool {
        let (heterogeneity, directions) = deviations;
        self.cross.set_product(directions, &block.gram);
        self.cross.scale(Lanes::splat(heterogeneity));
        let until = self.n_clients + LANES;
        let reached = sizes[self.at_sizes.len()..].iter().take_while(|&&size| size <= until);
        for size in reached {
            self.room.copy_from(&self.sums);
            self.room.add(block, &self.cross, size - self.n_clients);
            self.at_sizes.push(self.room.total());
        }
        self.sums.add(block, &self.cross, LANES);
        self.n_clients = until;
        self.sums.gram.entries().iter().all(|entry| entry.0.iter().all(|v| v.is_finite()))
    }

    pub(super) fn n_sizes(&self) -> usize {
        self.at_sizes.len()
    }

    /// The pooled laws at up to eight of the sizes reached, from number `first` on.
    pub(super) fn laws(&self, first: usize) -> Vec<Pooled> {
        let (n, d) = (self.sums.cross.rows(), self.sums.cross.cols());
        let (mut gram, mut mean, mut half) =
            (LaneMatrix::identity(d), LaneMatrix::zeros(n, d), LaneMatrix::zeros(d, d));
        for (lane, sums) in self.at_sizes[first..].iter().take(LANES).enumerate() {
            gram.set_lane(lane, &sums.gram);
            mean.set_lane(lane, &sums.cross);
            half.set_lane(lane, &sums.noise);
        }
        let mut solver = LaneCholesky::new(d);
        solver.factorise(&gram);
        solver.solve(&mut mean);
        solver.solve(&mut half);
        let mut covariance = LaneMatrix::zeros(d, d);
        for i in 0..d {
            for j in 0..d {
                covariance[(i, j)] = half[(j, i)];
            }
        }
        solver.solve(&mut covariance);
        covariance.scale(where_determined(solver.least_pivot(), Lanes::splat(1.0)));
        let law = |lane| Pooled { mean: mean.lane(lane), covariance: covariance.lane(lane) };
        (0..LANES.min(self.n_sizes() - first)).map(law).collect()
    }
}

/// The law of pooled least squares; its covariance is NaN if the data do not excite some direction.
#[derive(Debug)]
pub(super) struct Pooled {
    /// Its mean minus Θ_0, n×d.
    pub(super) mean: Matrix,
    /// `Ω`, d×d, without the finite-sample factor.
    pub(super) covariance: Matrix,
}

impl Pooled {
    /// `√(n tr Ω)`: the root mean square of the noise.
    pub(super) fn noise(&self) -> f64 {
        (self.mean.nrows() as f64 * self.covariance.trace()).sqrt()
    }
}
