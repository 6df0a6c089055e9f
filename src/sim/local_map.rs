//! K local steps in closed form, eight clients at a time.
//!
//! Gradient steps on a client's own data are a polynomial in its Gram matrix S:
//!
//! ```text
//! Θ ← Θ P + C Q      P = Π_k (I − α_k S)      Q = Σ_k α_k Π_{j<k} (I − α_j S)      so that I − P = SQ
//! ```
//!
//! (the paper's local step `Θ ← Θ + α(X − ΘZ)Zᵀ`, unrolled.) P and Q are symmetric and commute with S. A pull of strength μ
//! towards the round's first model (FedProx) has `S + μI` in the place of S.

use super::eigen::Eigen;
use super::fleet::{Block, Fleet};
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::schedule::Schedule;

/// What the local steps of one round do to the models of eight clients: `Θ ← Θ P + C Q`.
#[derive(Clone, Debug)]
pub struct LocalMaps {
    /// `P`, d×d.
    pub p: LaneMatrix,
    /// `Q`, d×d.
    pub q: LaneMatrix,
    /// The sum of the step sizes, `Σ_k α_k`.
    pub total_step: Lanes,
}

impl LocalMaps {
    /// No step at all.
    fn identity(d: usize) -> Self {
        Self { p: LaneMatrix::identity(d), q: LaneMatrix::zeros(d, d), total_step: Lanes::default() }
    }

    /// Becomes no step at all.
    fn set_identity(&mut self) {
        self.p.fill(0.0);
        self.p.add_to_diagonal(Lanes::splat(1.0));
        self.q.fill(0.0);
        self.total_step = Lanes::default();
    }

    /// Becomes one step of the given size.
    fn set_step(&mut self, s: &LaneMatrix, step_size: f64) {
        self.set_identity();
        self.p.add_scaled(Lanes::splat(-step_size), s);
        self.q.add_to_diagonal(Lanes::splat(step_size));
        self.total_step = Lanes::splat(step_size);
    }

    /// Becomes `first` and then `second`. They are polynomials in the same S, so the order does not matter.
    fn set_both(&mut self, first: &Self, second: &Self) {
        self.p.set_symmetric_product(&first.p, &second.p);
        self.q.set_symmetric_product(&first.p, &second.q);
        self.q.add_scaled(Lanes::splat(1.0), &first.q);
        self.total_step = first.total_step + second.total_step;
    }

    /// Becomes a copy of another.
    fn copy_from(&mut self, other: &Self) {
        self.p.copy_from(&other.p);
        self.q.copy_from(&other.q);
        self.total_step = other.total_step;
    }

    /// Becomes another in the lanes of a mask.
    fn copy_where(&mut self, mask: Lanes, other: &Self) {
        self.p.copy_where(mask, &other.p);
        self.q.copy_where(mask, &other.q);
        self.total_step = other.total_step.where_nonzero(mask, self.total_step);
    }
}

impl LocalMaps {
    /// Becomes what `steps` are on each eigenvalue.
    fn set_spectrum(&mut self, eigen: &Eigen, steps: impl Fn(Lanes) -> OnEigenvalue) {
        self.p.fill(0.0);
        self.q.fill(0.0);
        for (k, &value) in eigen.values.iter().enumerate() {
            let (p, q) = steps(value);
            add_projection(&mut self.p, p, &eigen.vectors, k);
            add_projection(&mut self.q, q, &eigen.vectors, k);
        }
        self.p.mirror();
        self.q.mirror();
    }
}

/// The rule of every client's steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRule {
    /// How the step size develops.
    pub schedule: Schedule,
    /// Base step size α.
    pub step_size: f64,
    /// Strength μ ≥ 0 of a pull towards the round's first model.
    pub pull: f64,
}

/// Room to compose maps in, so that composing allocates nothing.
#[derive(Debug)]
struct Room {
    pulled: LaneMatrix,
    power: LocalMaps,
    both: LocalMaps,
}

impl Room {
    fn new(d: usize) -> Self {
        Self { pulled: LaneMatrix::zeros(d, d), power: LocalMaps::identity(d), both: LocalMaps::identity(d) }
    }

    /// Equal steps of eight clients, in about 2 log₂ K compositions.
    fn repeat(&mut self, rule: StepRule, block: &Block, into: &mut LocalMaps) {
        self.pulled.copy_from(&block.s);
        self.pulled.add_to_diagonal(Lanes::splat(rule.pull));
        into.set_identity();
        self.power.set_step(&self.pulled, rule.step_size);
        let most = block.n_local_steps.into_iter().max().unwrap_or(0);
        let n_bits = usize::BITS - most.leading_zeros();
        let mut is_identity = true;
        for bit in 0..n_bits {
            let takes = block.n_local_steps.map(|n| n >> bit & 1 == 1);
            if is_identity && takes == [true; LANES] {
                into.copy_from(&self.power);
                is_identity = false;
            } else if takes != [false; LANES] {
                self.both.set_both(into, &self.power);
                into.copy_where(Lanes(takes.map(|takes| f64::from(u8::from(takes)))), &self.both);
                is_identity = false;
            }
            if bit + 1 < n_bits {
                self.both.set_both(&self.power, &self.power);
                std::mem::swap(&mut self.power, &mut self.both);
            }
        }
    }
}

/// The local maps of a whole fleet in the present round.
#[derive(Debug)]
pub struct FleetMaps {
    rule: StepRule,
    /// Perhaps more than there are blocks; likewise the spectra.
    maps: Vec<LocalMaps>,
    /// Every S diagonalised, where the steps differ within a round or from round to round.
    spectra: Vec<Eigen>,
    room: Room,
}

impl FleetMaps {
    /// The maps of a fleet's first round.
    pub fn new(fleet: &Fleet, rule: StepRule) -> Self {
        let room = Room::new(fleet.dims().n_regressors());
        let mut maps = Self { rule, maps: Vec::new(), spectra: Vec::new(), room };
        maps.set(fleet, rule);
        maps
    }

    /// Becomes the maps of another fleet's first round, of systems of the same size, in the same room.
    pub fn set(&mut self, fleet: &Fleet, rule: StepRule) {
        self.rule = rule;
        let d = fleet.dims().n_regressors();
        let n_blocks = fleet.blocks().len();
        while self.maps.len() < n_blocks {
            self.maps.push(LocalMaps::identity(d));
        }
        if rule.schedule == Schedule::Constant {
            for (block, map) in fleet.blocks().iter().zip(&mut self.maps) {
                self.room.repeat(rule, block, map);
            }
            return;
        }
        for (index, block) in fleet.blocks().iter().enumerate() {
            match self.spectra.get_mut(index) {
                Some(eigen) => eigen.set(&block.s, &mut self.room.pulled),
                None => self.spectra.push(Eigen::new(&block.s)),
            }
        }
        self.set_round(fleet, 0, 1);
    }

    /// The rule they follow.
    pub fn rule(&self) -> StepRule {
        self.rule
    }

    /// The maps, block by block.
    pub fn blocks(&self) -> &[LocalMaps] {
        &self.maps
    }

    /// Whether every round has the same maps.
    pub fn repeat(&self) -> bool {
        self.rule.schedule.repeats_every_round()
    }

    /// Goes to the maps of round `round` (0-based) of `n_rounds`.
    pub fn set_round(&mut self, fleet: &Fleet, round: usize, n_rounds: usize) {
        let StepRule { schedule, step_size, .. } = self.rule;
        match schedule {
            // Made once and for all.
            Schedule::Constant => {}
            Schedule::OverLocalSteps => self.set_steps(fleet, |k| schedule.step_size(step_size, k, round, n_rounds)),
            Schedule::OverRounds | Schedule::Harmonic => {
                self.set_step_size(fleet, schedule.step_size(step_size, 1, round, n_rounds));
            }
        }
    }

    /// Goes to the maps of K equal steps of another size, where the schedule changes it from round to round.
    pub fn set_step_size(&mut self, fleet: &Fleet, step_size: f64) {
        let pull = self.rule.pull;
        for ((eigen, map), block) in self.spectra.iter().zip(&mut self.maps).zip(fleet.blocks()) {
            map.set_spectrum(eigen, |value| equal_steps(value + pull, step_size, block.n_local_steps));
            map.total_step = Lanes(block.n_local_steps.map(|n| n as f64 * step_size));
        }
    }

    /// Goes to the maps of steps that differ within a round.
    fn set_steps(&mut self, fleet: &Fleet, step_size: impl Fn(usize) -> f64 + Copy) {
        let pull = self.rule.pull;
        for ((eigen, map), block) in self.spectra.iter().zip(&mut self.maps).zip(fleet.blocks()) {
            map.set_spectrum(eigen, |value| different_steps(value + pull, step_size, block.n_local_steps));
            map.total_step = Lanes(block.n_local_steps.map(|n| (1..=n).map(step_size).sum()));
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

/// `p = Π_k (1 − α_k λ)` and `q = Σ_k α_k Π_{j<k} (1 − α_j λ)` of a round's steps on one eigenvalue λ.
type OnEigenvalue = (Lanes, Lanes);

/// Some steps and then others.
fn both((p, q): OnEigenvalue, (later_p, later_q): OnEigenvalue) -> OnEigenvalue {
    (p * later_p, q + p * later_q)
}

fn one_step(eigenvalue: Lanes, step_size: f64) -> OnEigenvalue {
    (Lanes::splat(1.0) - eigenvalue * step_size, Lanes::splat(step_size))
}

/// `steps` where `takes` says so, else `all`.
fn where_taken(takes: [bool; LANES], steps: OnEigenvalue, all: OnEigenvalue) -> OnEigenvalue {
    if takes == [true; LANES] {
        return steps;
    }
    let mask = Lanes(takes.map(|takes| f64::from(u8::from(takes))));
    (steps.0.where_nonzero(mask, all.0), steps.1.where_nonzero(mask, all.1))
}

/// Equal steps, by doubling.
fn equal_steps(eigenvalue: Lanes, step_size: f64, n_steps: [usize; LANES]) -> OnEigenvalue {
    let mut all = (Lanes::splat(1.0), Lanes::default());
    let mut power = one_step(eigenvalue, step_size);
    let most = n_steps.into_iter().max().unwrap_or(0);
    for bit in 0..usize::BITS - most.leading_zeros() {
        let takes = n_steps.map(|n| n >> bit & 1 == 1);
        if takes != [false; LANES] {
            all = where_taken(takes, both(all, power), all);
        }
        power = both(power, power);
    }
    all
}

/// Steps that differ, one by one.
fn different_steps(eigenvalue: Lanes, step_size: impl Fn(usize) -> f64, n_steps: [usize; LANES]) -> OnEigenvalue {
    let most = n_steps.into_iter().max().unwrap_or(0);
    (1..=most).fold((Lanes::splat(1.0), Lanes::default()), |all, k| {
        where_taken(n_steps.map(|n| k <= n), both(all, one_step(eigenvalue, step_size(k))), all)
    })
}
