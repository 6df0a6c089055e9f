//! A fleet at one heterogeneity, and the law of pooled least squares as it grows.
//!
//! Everything is relative to the nominal system: with `Δ_i = Θ⁽ⁱ⁾ − Θ_0 = ε [a_i V, b_i U]`, pooled least squares has
//! the mean `Θ_0 + (ΣΔ_iΓ_i)(ΣΓ_i)⁻¹` and rows of covariance `Ω = (ΣΓ_i)⁻¹ (Σν_iΓ_i) (ΣΓ_i)⁻¹`. Sums over the first M
//! clients are taken down on the way to larger M, so all sizes together cost as much as the largest.

use std::f64::consts::PI;

use crate::covariance::expected_grams;
use fedsysid_sim::Matrix;
use fedsysid_sim::cholesky::LaneCholesky;
use fedsysid_sim::estimate::MIN_UNEXPLAINED;
use fedsysid_sim::family::{Family, Place};
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::plan::DataPlan;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::system::{LinearSystem, SystemError};
use fedsysid_sim::turn::{cosine, sine};

/// Clients, wherever ε puts them.
#[derive(Debug)]
pub(super) struct Clients {
    family: Family,
    /// `[V, 0]` and `[0, U]` of unit norm; zero where they are.
    units: [Matrix; 2],
    places: Vec<Place>,
    plans: Vec<DataPlan>,
}

fn unit(matrix: Matrix) -> Matrix {
    let norm = matrix.norm();
    if norm > 0.0 { matrix / norm } else { matrix }
}

/// `ε [aV, bU]`, n×d: how far a place is from the nominal system.
fn deviation(family: &Family, place: Place, heterogeneity: f64) -> Matrix {
    let (n, d) = (family.dims().n_states, family.dims().n_regressors());
    let (v, u) = (family.a_pattern(), family.b_pattern());
    Matrix::from_fn(n, d, |i, j| {
        if j < n { heterogeneity * place.a * v[(i, j)] } else { heterogeneity * place.b * u[(i, j - n)] }
    })
}

impl Clients {
    /// The first so many of a scenario's, which may have fewer itself.
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

    /// `ε [aV, bU]`, n×d: how far a place is from the nominal system.
    pub(super) fn deviation(&self, place: Place, heterogeneity: f64) -> Matrix {
        deviation(&self.family, place, heterogeneity)
    }

    /// Which way a deviation points.
    pub(super) fn direction(&self, deviation: &Matrix) -> Direction {
        let [a, b] = [&self.units[0], &self.units[1]].map(|unit| unit.dot(deviation));
        let angle = libm::atan2(b, a);
        let apart = (1.0 - (a * a + b * b) / deviation.norm_squared()).max(0.0).sqrt();
        // A deviation and its opposite are equally large.
        Direction { angle: if angle < 0.0 { angle + PI } else { angle }, apart }
    }

    /// A deviation of unit norm that points this way between V and U, for angles from 0 to π.
    pub(super) fn unit(&self, angle: f64) -> Matrix {
        let pointing = |a: f64, b: f64| &self.units[0] * a + &self.units[1] * b;
        let deviation = pointing(cosine(angle), sine(angle));
        // Where one of the patterns is zero there is one way only, and where both are, none.
        let deviation = if deviation.norm() > 1e-3 { deviation } else { pointing(1.0, 1.0) };
        unit(deviation)
    }

    /// The moments to expect of up to eight clients from `first` on.
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
        Ok(ClientBlock { gram: expected_grams(&planned), noise })
    }

    /// How far up to eight places are from the nominal system at ε = 1.
    pub(super) fn directions(&self, places: &[Place]) -> LaneMatrix {
        let dims = self.family.dims();
        let mut directions = LaneMatrix::zeros(dims.n_states, dims.n_regressors());
        for (lane, &place) in places.iter().enumerate() {
            directions.set_lane(lane, &self.deviation(place, 1.0));
        }
        directions
    }

    /// Steps of the longest rollout in a block.
    pub(super) fn longest(&self, first: usize) -> usize {
        self.plans[first..].iter().take(LANES).map(|plan| plan.rollout_len).max().unwrap_or(0)
    }
}

/// Which way a deviation from the nominal system points.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Direction {
    /// The angle between V (0) and U (π/2) of what lies in their plane, below π.
    pub(super) angle: f64,
    /// The share that lies outside of the plane, 0 to 1; NaN of no deviation.
    pub(super) apart: f64,
}

/// Up to eight clients.
#[derive(Debug)]
pub(super) struct ClientBlock {
    /// `Γ_i`, d×d.
    gram: LaneMatrix,
    /// `ν_i`; 0 where there is no client.
    noise: Lanes,
}

impl ClientBlock {
    /// `ν_i Γ_i⁻¹` of every client, d×d; NaN where a direction is left out.
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

    /// Adds the first so many clients of a block, with their `Δ_i Γ_i`.
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

/// A fleet at one heterogeneity that takes in its clients, eight at a time.
#[derive(Debug)]
pub(super) struct Growth {
    n_clients: usize,
    sums: Sums<LaneMatrix>,
    room: Sums<LaneMatrix>,
    /// `Δ_i Γ_i` of the clients last taken in.
    cross: LaneMatrix,
    /// At every size reached.
    at_sizes: Vec<Sums<Matrix>>,
}

impl Growth {
    /// Room for fleets of systems with n states and d regressors.
    pub(super) fn new(n: usize, d: usize) -> Self {
        let cross = LaneMatrix::zeros(n, d);
        Self { n_clients: 0, sums: Sums::zeros(n, d), room: Sums::zeros(n, d), cross, at_sizes: Vec::new() }
    }

    /// Begins anew.
    pub(super) fn clear(&mut self) {
        self.n_clients = 0;
        self.at_sizes.clear();
        self.sums.gram.fill(0.0);
        self.sums.cross.fill(0.0);
        self.sums.noise.fill(0.0);
    }

    /// Clients taken in.
    pub(super) fn n_clients(&self) -> usize {
        self.n_clients
    }

    /// Takes in the next clients, with their distances from the nominal system, and looks at the sizes among them;
    /// whether the sums are still finite numbers.
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

    /// How many of the sizes were reached.
    pub(super) fn n_sizes(&self) -> usize {
        self.at_sizes.len()
    }

    /// The laws at up to eight of the sizes reached, from the `first` on.
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

/// The law of pooled least squares; NaN where a direction is left out.
#[derive(Debug)]
pub(super) struct Pooled {
    /// Its mean less Θ_0, n×d.
    pub(super) mean: Matrix,
    /// `Ω`, d×d, for very many samples.
    pub(super) covariance: Matrix,
}

impl Pooled {
    /// `√(n tr Ω)`.
    pub(super) fn noise(&self) -> f64 {
        (self.mean.nrows() as f64 * self.covariance.trace()).sqrt()
    }
}
