//! K local steps in closed form, eight clients at a time.
//!
//! Gradient steps on a client's own data are a polynomial in its Gram matrix S:
//!
//! ```text
//! Θ ← Θ P + C Q      P = Π_k (I − α_k S)      Q = Σ_k α_k Π_{j<k} (I − α_j S)      so that I − P = SQ
//! ```
//!
//! (maths of the paper's local step `Θ ← Θ + α(X − ΘZ)Zᵀ`, unrolled.) P and Q are symmetric and commute with S.

use super::fleet::{Block, Fleet};
use super::lanes::{Eigen, LaneMatrix, Lanes};
use super::schedule::Schedule;

/// What the local steps of one round do to the models of eight clients: `Θ ← Θ P + C Q`.
#[derive(Clone, Debug)]
pub struct LocalMaps {
    /// `P`, d×d.
    pub p: LaneMatrix,
    /// `Q`, d×d.
    pub q: LaneMatrix,
}

impl LocalMaps {
    /// No step at all.
    fn identity(d: usize) -> Self {
        Self { p: LaneMatrix::identity(d), q: LaneMatrix::zeros(d, d) }
    }

    /// Becomes no step at all.
    fn set_identity(&mut self) {
        self.p.fill(0.0);
        self.p.add_to_diagonal(Lanes::splat(1.0));
        self.q.fill(0.0);
    }

    /// Becomes one step of the given sizes.
    fn set_step(&mut self, s: &LaneMatrix, step_size: Lanes) {
        self.set_identity();
        self.p.add_scaled(-step_size, s);
        self.q.add_to_diagonal(step_size);
    }

    /// Becomes `first` and then `second`. They are polynomials in the same S, so the order does not matter.
    fn set_both(&mut self, first: &Self, second: &Self) {
        self.p.set_product(&first.p, &second.p);
        self.q.copy_from(&first.q);
        self.q.add_product(&first.p, &second.q);
    }
}

/// The steps every client takes in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalSteps {
    /// How the step size develops.
    pub schedule: Schedule,
    /// Base step size α.
    pub step_size: f64,
    /// Local steps K.
    pub n_steps: usize,
}

/// Room to compose maps in, so that composing allocates nothing.
#[derive(Debug)]
struct Room {
    power: LocalMaps,
    both: LocalMaps,
}

impl Room {
    fn new(d: usize) -> Self {
        Self { power: LocalMaps::identity(d), both: LocalMaps::identity(d) }
    }

    /// `n_steps` equal steps, in about 2 log₂ K compositions.
    fn repeat(&mut self, s: &LaneMatrix, step_size: Lanes, n_steps: usize, into: &mut LocalMaps) {
        into.set_identity();
        self.power.set_step(s, step_size);
        let mut left = n_steps;
        while left > 0 {
            if left % 2 == 1 {
                self.both.set_both(into, &self.power);
                std::mem::swap(into, &mut self.both);
            }
            left /= 2;
            if left > 0 {
                self.both.set_both(&self.power, &self.power);
                std::mem::swap(&mut self.power, &mut self.both);
            }
        }
    }

    /// Steps α/k, k = 1…K.
    fn product(&mut self, s: &LaneMatrix, steps: LocalSteps, into: &mut LocalMaps) {
        into.set_identity();
        for k in 1..=steps.n_steps {
            self.power.set_step(s, Lanes::splat(steps.schedule.step_size(steps.step_size, k, 0, 1)));
            self.both.set_both(into, &self.power);
            std::mem::swap(into, &mut self.both);
        }
    }
}

/// The local maps of a whole fleet in the present round.
#[derive(Debug)]
pub struct FleetMaps {
    steps: LocalSteps,
    maps: Vec<LocalMaps>,
    /// Every S diagonalised, where the step size changes from round to round.
    spectra: Vec<Eigen>,
}

impl FleetMaps {
    /// The maps of a fleet's first round, of `n_rounds`.
    pub fn new(fleet: &Fleet, steps: LocalSteps) -> Self {
        let d = fleet.dims().n_regressors();
        let mut maps = vec![LocalMaps::identity(d); fleet.blocks().len()];
        let mut room = Room::new(d);
        for (block, map) in fleet.blocks().iter().zip(&mut maps) {
            match steps.schedule {
                Schedule::Constant | Schedule::OverRounds => {
                    room.repeat(&block.s, Lanes::splat(steps.step_size), steps.n_steps, map);
                }
                Schedule::OverLocalSteps => room.product(&block.s, steps, map),
            }
        }
        let diagonalised = |block: &Block| Eigen::new(&block.s);
        let spectra = if steps.schedule.repeats_every_round() {
            Vec::new()
        } else {
            fleet.blocks().iter().map(diagonalised).collect()
        };
        Self { steps, maps, spectra }
    }

    /// The maps, block by block.
    pub fn blocks(&self) -> &[LocalMaps] {
        &self.maps
    }

    /// Whether every round has the same maps.
    pub fn repeat(&self) -> bool {
        self.spectra.is_empty()
    }

    /// Goes to the maps of round `round` (0-based) of `n_rounds`.
    pub fn set_round(&mut self, round: usize, n_rounds: usize) {
        let step_size = self.steps.schedule.step_size(self.steps.step_size, 1, round, n_rounds);
        for (eigen, map) in self.spectra.iter().zip(&mut self.maps) {
            map.p.fill(0.0);
            map.q.fill(0.0);
            for (k, &value) in eigen.values.iter().enumerate() {
                let (p, q) = steps_on_eigenvalue(value, step_size, self.steps.n_steps);
                add_projection(&mut map.p, p, &eigen.vectors, k);
                add_projection(&mut map.q, q, &eigen.vectors, k);
            }
            map.p.mirror();
            map.q.mirror();
        }
    }
}

/// Adds `factor · v vᵀ` of the k-th eigenvectors to the lower triangle.
fn add_projection(sum: &mut LaneMatrix, factor: Lanes, vectors: &LaneMatrix, k: usize) {
    let d = vectors.rows();
    let column = || vectors.entries()[k..].iter().step_by(d);
    for ((i, row), &v) in sum.entries_mut().chunks_exact_mut(d).enumerate().zip(column()) {
        let scaled = factor * v;
        for (entry, &w) in row[..=i].iter_mut().zip(column()) {
            *entry += scaled * w;
        }
    }
}

/// `(p, q)` of K equal steps on one eigenvalue, by doubling: `p = (1 − αλ)^K`, `q = α Σ_{k<K} (1 − αλ)^k`.
fn steps_on_eigenvalue(eigenvalue: Lanes, step_size: f64, n_steps: usize) -> (Lanes, Lanes) {
    let both = |(p, q): (Lanes, Lanes), (later_p, later_q): (Lanes, Lanes)| (p * later_p, q + p * later_q);
    let mut all = (Lanes::splat(1.0), Lanes::default());
    let mut power = (Lanes::splat(1.0) - eigenvalue * step_size, Lanes::splat(step_size));
    let mut left = n_steps;
    while left > 0 {
        if left % 2 == 1 {
            all = both(all, power);
        }
        left /= 2;
        power = both(power, power);
    }
    all
}
