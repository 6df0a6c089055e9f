//! Contraction of FedAvg and FedLin, and FedAvg's drift, over step size α and local steps K, for the expected fleet.
//!
//! ```text
//! FedAvg   ρ = ‖P̄‖                         P_i = Π_k (I − α_k Γ_i)
//! FedLin   ρ = ‖I − Lᵀ Q̄ L‖, S̄ = L Lᵀ      Γ_i Q_i = I − P_i
//! drift    ‖(mean of Θ⁽ⁱ⁾(I − P_i)) (I − P̄)⁻¹ − pooled‖        FedAvg's fixed point minus FedLin's
//! ```
//!
//! where a bar is a mean over clients, and norms are spectral. The contraction equals that of
//! [`stability`](fedsysid_sim::stability) up to rounding. Every Γ_i is diagonalised once; all α and K share its
//! eigenvectors (`sums`), and all K share their steps (`steps`).
//!
//! A direction that no client's data excite has ρ = 1 at any step size, since nothing moves along it. It takes no part
//! in the drift.

mod steps;
mod sums;

use super::{Landscape, counts, reals};
use crate::NoPrediction;
use crate::expectation::ExpectedFleet;
use fedsysid_sim::Matrix;
use fedsysid_sim::cholesky::{LaneCholesky, semidefinite_factor};
use fedsysid_sim::eigen::Eigen;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::method::affine::known;
use fedsysid_sim::norm::LaneNorms;
use fedsysid_sim::scenario::{Count, Scenario};
use fedsysid_sim::schedule::Schedule;
use fedsysid_sim::spread::{Quantity, Spread};
use steps::Steps;
use sums::{Client, Sums, Terms, chunk};

/// Contraction and drift over step size and local steps.
#[derive(Clone, Debug, PartialEq)]
pub struct StabilityMap {
    /// FedAvg's contraction ρ per round, over α (`xs`) and K (`ys`). Above 1 it diverges; infinite if ρ overflows.
    pub fedavg: Landscape,
    /// FedLin's contraction ρ per round.
    pub fedlin: Landscape,
    /// `‖Θ_FedAvg − Θ_pooled‖` (spectral norm) between the limits of both methods on data without noise. NaN if FedAvg
    /// diverges, or its step sizes change from round to round, so that it has no fixed point of its own.
    pub drift: Landscape,
}

/// The axes of a map, and the methods' schedules.
#[derive(Clone, Debug, PartialEq)]
pub struct Axes {
    /// Base step sizes α; those that are not positive and finite are left out.
    pub step_sizes: Vec<f64>,
    /// Local steps K of client 1; the other clients' are scaled in proportion and rounded. Values beyond the limits are
    /// left out.
    pub local_steps: Vec<usize>,
    /// FedAvg's schedule. If step sizes change from round to round, the map shows the first round.
    pub fedavg: Schedule,
    /// FedLin's schedule.
    pub fedlin: Schedule,
}

/// Computes a map of stability in steps.
#[derive(Debug)]
pub struct StabilityRun {
    map: StabilityMap,
    /// All clients' local steps, for each row.
    local_steps: Vec<Spread<usize>>,
    n_clients: usize,
    expected: ExpectedFleet,
    spectra: Vec<Eigen>,
    mean: Option<Mean>,
    fedavg: Steps,
    /// FedLin's steps, if its schedule differs.
    fedlin: Option<Steps>,
    has_drift: bool,
    /// Number of clients in a chunk, and number of chunks done for the current eight step sizes and all before.
    chunk: usize,
    done: usize,
    terms: Option<(usize, Terms)>,
    sums: Sums,
    room: Room,
}

/// The mean moments of the fleet.
#[derive(Debug)]
struct Mean {
    /// L of `S̄ = L Lᵀ`, d×d.
    root: Matrix,
    /// The pooled estimate minus Θ_0, n×d.
    pooled: Matrix,
    /// The projector on the directions that no data excite, d×d.
    unexcited: Matrix,
}

/// Room for eight points of the map.
#[derive(Debug)]
struct Room {
    moved: LaneMatrix,
    deviations: LaneMatrix,
    fedlin: LaneMatrix,
    factor: LaneMatrix,
    factors: LaneNorms,
    models: LaneNorms,
    solver: LaneCholesky,
}

/// Work in one step: blocks of eight clients times the steps of their rollouts; and blocks diagonalised in one step.
const STEP: usize = 10_000;
const BLOCKS: usize = 100;

/// Eigenvalues of the mean Gram matrix below this share of the largest count as zero.
const LEAST: f64 = 1e-13;

/// A contraction above this diverges. Directions without data have 1, up to rounding.
const CONVERGES: f64 = 1.0 + 1e-12;

impl StabilityRun {
    /// Starts the map of a scenario. Every call of [`Self::step`] must get the same scenario.
    pub fn new(scenario: &Scenario, axes: Axes) -> Self {
        let settings = scenario.settings();
        let dims = settings.family.dims();
        let (n, d) = (dims.n_states, dims.n_regressors());
        let mut step_sizes = reals(axes.step_sizes);
        step_sizes.retain(|&step_size| step_size > 0.0);
        let limits = Count::LocalSteps.limits();
        let rows = counts(axes.local_steps, limits);
        let places: Vec<_> = rows.iter().map(|&count| count as f64).collect();
        let local_steps: Vec<_> = rows.iter().map(|&row| settings.n_local_steps.with_first(row, limits)).collect();
        let most = local_steps.iter().flat_map(Spread::bounds).max().unwrap_or(1);
        let unknown = || Landscape::unknown(step_sizes.clone(), places.clone());
        let is_same = axes.fedavg == axes.fedlin;
        let room = Room {
            moved: LaneMatrix::zeros(d, d),
            deviations: LaneMatrix::zeros(n, d),
            fedlin: LaneMatrix::zeros(d, d),
            factor: LaneMatrix::zeros(d, d),
            factors: LaneNorms::new(d, d),
            models: LaneNorms::new(n, d),
            solver: LaneCholesky::new(d),
        };
        Self {
            map: StabilityMap { fedavg: unknown(), fedlin: unknown(), drift: unknown() },
            n_clients: settings.n_clients,
            expected: ExpectedFleet::empty(scenario),
            spectra: Vec::new(),
            mean: None,
            fedavg: Steps::new(axes.fedavg, most),
            fedlin: (!is_same).then(|| Steps::new(axes.fedlin, most)),
            has_drift: axes.fedavg.repeats_every_round(),
            chunk: chunk(local_steps.len(), n, d, most).min(settings.n_clients),
            done: 0,
            terms: None,
            sums: Sums::new(local_steps.len(), n, d),
            local_steps,
            room,
        }
    }

    /// The values so far; eight step sizes are completed at a time.
    pub fn so_far(&self) -> &StabilityMap {
        &self.map
    }

    /// Number of chunks done, and in all.
    pub fn progress(&self) -> (usize, usize) {
        let n_chunks = self.n_clients.div_ceil(self.chunk);
        let all = n_chunks * self.map.drift.xs.len().div_ceil(LANES);
        (self.done, all)
    }

    /// Works for a few milliseconds at most, and returns the map once it is complete. It must not be called afterwards.
    ///
    /// # Errors
    /// If a state covariance overflows.
    pub fn step(&mut self, scenario: &Scenario) -> Option<Result<StabilityMap, NoPrediction>> {
        let Some(mean) = &self.mean else {
            return self.gather(scenario).err().map(Err);
        };
        if self.spectra.len() < self.expected.fleet().blocks().len() {
            let blocks = &self.expected.fleet().blocks()[self.spectra.len()..];
            self.spectra.extend(blocks.iter().take(BLOCKS).map(|block| Eigen::new(&block.s)));
            return None;
        }
        let n_chunks = self.n_clients.div_ceil(self.chunk);
        let (batch, chunk) = (self.done / n_chunks, self.done % n_chunks);
        let Some(step_sizes) = self.map.drift.xs.chunks(LANES).nth(batch) else { return Some(Ok(self.map.clone())) };
        let step_sizes = Lanes::from_fn(|lane| step_sizes[lane.min(step_sizes.len() - 1)]);
        let terms = match self.terms.take() {
            Some((of, terms)) if of == chunk => terms,
            _ => Terms::new(self.clients(scenario, chunk), self.n_clients, &mean.root),
        };
        self.sums.add(&terms, (&mut self.fedavg, self.fedlin.as_mut()), step_sizes);
        self.terms = Some((chunk, terms));
        self.done += 1;
        if chunk + 1 == n_chunks {
            (0..self.local_steps.len()).for_each(|row| self.enter(batch, row));
            self.sums.clear();
        }
        None
    }

    /// Computes some more clients' expected moments, and at the end their mean.
    fn gather(&mut self, scenario: &Scenario) -> Result<(), NoPrediction> {
        let mut done = 0;
        while done < STEP {
            done += scenario.plan(self.expected.fleet().n_clients()).rollout_len;
            if !self.expected.grow(scenario, scenario.systems()) {
                self.expected.finish(scenario.settings().gradient_scale);
                self.mean = Some(Mean::new(&self.expected, &scenario.settings().family.nominal().theta())?);
                return Ok(());
            }
        }
        Ok(())
    }

    fn clients(&self, scenario: &Scenario, chunk: usize) -> Vec<Client<'_>> {
        let nominal = scenario.settings().family.nominal().theta();
        let clients = chunk * self.chunk..((chunk + 1) * self.chunk).min(self.n_clients);
        let steps = |client| move |row: &Spread<usize>| row.get(Quantity::LocalSteps, client).unwrap_or(1);
        let client = |client: usize| Client {
            eigen: &self.spectra[client / LANES],
            lane: client % LANES,
            deviation: scenario.systems()[client].theta() - &nominal,
            n_steps: self.local_steps.iter().map(steps(client)).collect(),
        };
        clients.map(client).collect()
    }

    /// Enters eight points of a row.
    fn enter(&mut self, batch: usize, row: usize) {
        let Some(mean) = &self.mean else { return };
        let room = &mut self.room;
        self.sums.read(row, &mut room.moved, &mut room.deviations, &mut room.fedlin);
        let fedavg = room.contraction_of_moved();
        let fedlin = room.contraction_of_fedlin();
        let drift = if self.has_drift { room.drift(mean) } else { Lanes::splat(f64::NAN) };
        for (lane, x) in (batch * LANES..self.map.drift.xs.len()).take(LANES).enumerate() {
            self.map.fedavg.set(x, row, known(fedavg.0[lane]));
            self.map.fedlin.set(x, row, known(fedlin.0[lane]));
            self.map.drift.set(x, row, if fedavg.0[lane] <= CONVERGES { drift.0[lane] } else { f64::NAN });
        }
    }
}

impl Room {
    /// `‖I − X‖` of eight symmetric matrices X = `moved`.
    fn contraction(factor: &mut LaneMatrix, norms: &mut LaneNorms, moved: &LaneMatrix) -> Lanes {
        factor.fill(0.0);
        factor.add_to_diagonal(Lanes::splat(1.0));
        factor.add_scaled(Lanes::splat(-1.0), moved);
        norms.of(factor)
    }

    fn contraction_of_moved(&mut self) -> Lanes {
        Self::contraction(&mut self.factor, &mut self.factors, &self.moved)
    }

    fn contraction_of_fedlin(&mut self) -> Lanes {
        Self::contraction(&mut self.factor, &mut self.factors, &self.fedlin)
    }

    /// The drift of FedAvg's fixed point: the norm of `(mean of Δ_i(I − P_i)) (mean of I − P_i)⁻¹` minus the pooled
    /// deviation.
    fn drift(&mut self, mean: &Mean) -> Lanes {
        self.factor.set_all(&mean.unexcited);
        self.factor.add_scaled(Lanes::splat(1.0), &self.moved);
        self.solver.factorise(&self.factor);
        self.solver.solve(&mut self.deviations);
        (0..LANES).for_each(|lane| self.deviations.subtract_from_lane(lane, &mean.pooled));
        self.models.of(&self.deviations)
    }
}

impl Mean {
    fn new(expected: &ExpectedFleet, nominal: &Matrix) -> Result<Self, NoPrediction> {
        if !expected.is_finite() {
            return Err(NoPrediction::Overflow);
        }
        let fleet = expected.fleet();
        let total = fleet.total();
        let mean = &total.s / fleet.n_clients() as f64;
        if !mean.iter().all(|entry| entry.is_finite()) {
            return Err(NoPrediction::Overflow);
        }
        let d = mean.nrows();
        let mut lanes = LaneMatrix::identity(d);
        lanes.set_lane(0, &mean);
        let eigen = Eigen::new(&lanes);
        let largest = eigen.values.iter().map(|values| values.0[0]).fold(0.0, f64::max);
        let vectors = eigen.vectors.lane(0);
        let mut unexcited = Matrix::zeros(d, d);
        for k in (0..d).filter(|&k| eigen.values[k].0[0] <= LEAST * largest) {
            unexcited += vectors.column(k) * vectors.column(k).transpose();
        }
        // Unexcited directions get the size of the excited ones, so that neither is lost in rounding; without data any
        // size will do.
        let size = if largest > 0.0 { largest } else { 1.0 };
        let mut solver = LaneCholesky::new(d);
        lanes.set_lane(0, &(&mean + &unexcited * size));
        solver.factorise(&lanes);
        let mut pooled = LaneMatrix::zeros(nominal.nrows(), d);
        pooled.set_lane(0, &((total.c - nominal * &total.s) / fleet.n_clients() as f64));
        solver.solve(&mut pooled);
        Ok(Self { root: semidefinite_factor(&mean), pooled: pooled.lane(0), unexcited })
    }
}

#[cfg(test)]
mod tests;
