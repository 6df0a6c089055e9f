//! The K local steps of a round in closed form, eight clients at a time.
//!
//! Gradient steps on a client's own data are a polynomial in its Gram matrix S:
//!
//! ```text
//! Θ ← Θ P + C Q      P = Π_k (I − α_k S)      Q = Σ_k α_k Π_{j<k} (I − α_j S)      so that I − P = SQ
//! ```
//!
//! This is the paper's local step `Θ ← Θ + α(X − ΘZ)Zᵀ`, unrolled. P and Q are symmetric and commute with S. With a
//! pull of strength μ towards the server's model at the start of the round (FedProx), `S + μI` takes the place of S.

use super::eigen::Eigen;
use super::fleet::{Block, Fleet};
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::schedule::Schedule;
use super::system::Dims;

/// The effect of the local steps of one round on the models of eight clients: `Θ ← Θ P + C Q`.
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
    /// The maps of no steps.
    fn identity(d: usize) -> Self {
        Self { p: LaneMatrix::identity(d), q: LaneMatrix::zeros(d, d), total_step: Lanes::default() }
    }

    /// Sets the maps to those of no steps.
    fn set_identity(&mut self) {
        self.p.fill(0.0);
        self.p.add_to_diagonal(Lanes::splat(1.0));
        self.q.fill(0.0);
        self.total_step = Lanes::default();
    }

    /// Sets the maps to those of one step of the given size.
    fn set_step(&mut self, s: &LaneMatrix, step_size: f64) {
        self.set_identity();
        self.p.add_scaled(Lanes::splat(-step_size), s);
        self.q.add_to_diagonal(Lanes::splat(step_size));
        self.total_step = Lanes::splat(step_size);
    }

    /// Sets the maps to those of `first` and then `second`. They are polynomials in the same S, so the order does not
    /// matter.
    fn set_both(&mut self, first: &Self, second: &Self) {
        self.p.set_symmetric_product(&first.p, &second.p);
        self.q.set_symmetric_product(&first.p, &second.q);
        self.q.add_scaled(Lanes::splat(1.0), &first.q);
        self.total_step = first.total_step + second.total_step;
    }

    /// Copies other maps.
    fn copy_from(&mut self, other: &Self) {
        self.p.copy_from(&other.p);
        self.q.copy_from(&other.q);
        self.total_step = other.total_step;
    }

    /// Copies other maps in the lanes of a mask.
    fn copy_where(&mut self, mask: Lanes, other: &Self) {
        self.p.copy_where(mask, &other.p);
        self.q.copy_where(mask, &other.q);
        self.total_step = other.total_step.where_nonzero(mask, self.total_step);
    }
}

impl LocalMaps {
    /// Sets the maps from the effect of `steps` on each eigenvalue of S.
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

    /// Sets the maps to those of each client's number of equal steps of this size.
    fn set_equal_steps(&mut self, eigen: &Eigen, pull: f64, step_size: f64, block: &Block) {
        self.set_spectrum(eigen, |value| equal_steps(value + pull, step_size, block.n_local_steps));
        self.total_step = Lanes(block.n_local_steps.map(|n| n as f64 * step_size));
    }
}

/// The rule for all clients' local steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRule {
    /// The schedule of the step size.
    pub schedule: Schedule,
    /// Base step size α.
    pub step_size: f64,
    /// Strength μ ≥ 0 of a pull towards the server's model at the start of the round.
    pub pull: f64,
}

/// Buffers for composing maps without allocations.
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

    /// Computes the maps of equal steps of eight clients, in about 2 log₂ K compositions.
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

/// The local maps of a whole fleet in the current round.
#[derive(Debug)]
pub struct FleetMaps {
    rule: StepRule,
    /// One entry per block, and perhaps more, as in `spectra`.
    maps: Vec<LocalMaps>,
    /// Every S diagonalised, for schedules that change the step size within a round or from round to round.
    spectra: Vec<Eigen>,
    /// Number of blocks of the current fleet whose maps are made, and number of those whose S is diagonalised.
    n_made: usize,
    n_diagonalised: usize,
    steps: Steps,
    room: Room,
}

/// The number of products of entries, eight side by side, after which [`FleetMaps::advance`] pauses: about a
/// millisecond.
const PAUSE: usize = 400_000;

impl FleetMaps {
    /// The maps of a fleet's first round.
    pub fn new(fleet: &Fleet, rule: StepRule) -> Self {
        let mut maps = Self::empty(fleet.dims(), rule);
        while maps.advance(fleet) {}
        maps
    }

    /// Buffers for systems of the sizes `dims`, without any maps yet.
    pub fn empty(dims: Dims, rule: StepRule) -> Self {
        let room = Room::new(dims.n_regressors());
        Self { rule, maps: Vec::new(), spectra: Vec::new(), n_made: 0, n_diagonalised: 0, steps: Steps::of(rule), room }
    }

    /// Begins the maps of another fleet, in the same buffers.
    pub fn begin_fleet(&mut self, rule: StepRule) {
        self.n_diagonalised = 0;
        self.begin(rule);
    }

    /// Begins the maps of the first round of another rule, for the same fleet.
    pub fn begin(&mut self, rule: StepRule) {
        self.n_made = 0;
        self.rule = rule;
        self.steps.begin(rule);
    }

    /// Makes the maps of some more clients; returns whether there are more. Nothing else may be called until there are
    /// none.
    pub fn advance(&mut self, fleet: &Fleet) -> bool {
        let mut done = 0;
        for (index, block) in fleet.blocks().iter().enumerate().skip(self.n_made) {
            if done > PAUSE {
                return true;
            }
            done += self.make(index, block);
            self.n_made += 1;
        }
        false
    }

    /// Makes the maps of a block; returns about how many products that took.
    fn make(&mut self, index: usize, block: &Block) -> usize {
        let d = block.s.rows();
        if self.maps.len() == index {
            self.maps.push(LocalMaps::identity(d));
        }
        let most = block.n_local_steps.into_iter().max().unwrap_or(0);
        let n_doublings = most.max(1).ilog2() as usize + 1;
        if self.rule.schedule == Schedule::Constant {
            self.room.repeat(self.rule, block, &mut self.maps[index]);
            return 4 * n_doublings * d * d * d;
        }
        let mut cost = d * d * d;
        if self.n_diagonalised == index {
            match self.spectra.get_mut(index) {
                Some(eigen) => eigen.set(&block.s, &mut self.room.pulled),
                None => self.spectra.push(Eigen::new(&block.s)),
            }
            self.n_diagonalised += 1;
            cost *= 40;
        }
        let (map, eigen, pull) = (&mut self.maps[index], &self.spectra[index], self.rule.pull);
        if self.rule.schedule == Schedule::OverLocalSteps {
            let (sizes, totals) = self.steps.first(most);
            map.set_spectrum(eigen, |value| different_steps(value + pull, sizes, block.n_local_steps));
            map.total_step = Lanes(block.n_local_steps.map(|n| totals[n]));
            cost + 4 * d * most
        } else {
            map.set_equal_steps(eigen, pull, self.rule.schedule.step_size(self.rule.step_size, 1, 0, 1), block);
            cost + 8 * d * n_doublings
        }
    }

    /// The rule of the local steps.
    pub fn rule(&self) -> StepRule {
        self.rule
    }

    /// The maps, one entry per block (and perhaps more).
    pub fn blocks(&self) -> &[LocalMaps] {
        &self.maps
    }

    /// Whether all rounds have the same maps.
    pub fn repeat(&self) -> bool {
        self.rule.schedule.repeats_every_round()
    }

    /// Sets the maps to those of round `round` (0-based) of `n_rounds`.
    pub fn set_round(&mut self, fleet: &Fleet, round: usize, n_rounds: usize) {
        // Maps that repeat are made only once.
        if !self.repeat() {
            self.set_step_size(fleet, self.rule.schedule.step_size(self.rule.step_size, 1, round, n_rounds));
        }
    }

    /// Sets the maps to those of equal steps of another size, for a schedule that changes the step size from round to
    /// round.
    pub fn set_step_size(&mut self, fleet: &Fleet, step_size: f64) {
        for (index, block) in fleet.blocks().iter().enumerate() {
            self.set_step_size_of(index, block, step_size);
        }
    }

    /// The same for one block of the fleet.
    pub fn set_step_size_of(&mut self, index: usize, block: &Block, step_size: f64) {
        self.maps[index].set_equal_steps(&self.spectra[index], self.rule.pull, step_size, block);
    }

    /// The scalar function whose value at S is [`LocalMaps::q`], at any eigenvalue for each client of a block. If steps change
    /// from round to round, those of the round have the given size; otherwise it does not count.
    pub fn q_on(&mut self, block: &Block, step_size: f64, eigenvalue: Lanes) -> Lanes {
        let (value, most) = (eigenvalue + Lanes::splat(self.rule.pull), block.n_local_steps.into_iter().max());
        match self.rule.schedule {
            Schedule::OverLocalSteps => {
                let (sizes, _) = self.steps.first(most.unwrap_or(0));
                different_steps(value, sizes, block.n_local_steps).1
            }
            Schedule::Constant => equal_steps(value, self.rule.step_size, block.n_local_steps).1,
            Schedule::OverRounds | Schedule::Harmonic => equal_steps(value, step_size, block.n_local_steps).1,
        }
    }

    /// The reach of a round's steps, for a schedule that changes them from round to round: the largest `α K (λ + μ)` of
    /// a client, with λ the largest eigenvalue of its S.
    pub fn reach(&self, fleet: &Fleet) -> f64 {
        let StepRule { step_size, pull, .. } = self.rule;
        let of_block = |(block, eigen): (&Block, &Eigen)| {
            let largest = eigen.values.iter().fold(Lanes::default(), |largest, &value| largest.max(value));
            let reach = |lane: usize| (largest.0[lane] + pull) * block.n_local_steps[lane] as f64 * step_size;
            (0..LANES).filter(|&lane| block.present.0[lane] > 0.0).map(reach).fold(0.0, f64::max)
        };
        fleet.blocks().iter().zip(&self.spectra).map(of_block).fold(0.0, f64::max)
    }
}

/// The step sizes of a round in which they differ.
#[derive(Debug)]
struct Steps {
    rule: StepRule,
    /// `α_1, α_2, …`, and the sums of the first 0, 1, 2, … of them.
    sizes: Vec<f64>,
    totals: Vec<f64>,
}

impl Steps {
    /// No step sizes yet.
    fn of(rule: StepRule) -> Self {
        Self { rule, sizes: Vec::new(), totals: vec![0.0] }
    }

    /// Begins with another rule, in the same buffers.
    fn begin(&mut self, rule: StepRule) {
        if self.rule != rule {
            self.rule = rule;
            self.sizes.clear();
            self.totals.truncate(1);
        }
    }

    /// At least the first `n` step sizes, and their sums.
    fn first(&mut self, n: usize) -> (&[f64], &[f64]) {
        while self.sizes.len() < n {
            let size = self.rule.schedule.step_size(self.rule.step_size, self.sizes.len() + 1, 0, 1);
            let total = self.totals[self.sizes.len()] + size;
            self.sizes.push(size);
            self.totals.push(total);
        }
        (&self.sizes, &self.totals)
    }
}

/// Adds `factor · v vᵀ`, with the k-th eigenvectors v, to the lower triangle.
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

/// The effect of a round's steps on one eigenvalue λ: `p = Π_k (1 − α_k λ)` and `q = Σ_k α_k Π_{j>k} (1 − α_j λ)`, which is
/// `(1 − p) / λ` without its difference of nearly equal numbers.
type OnEigenvalue = (Lanes, Lanes);

/// The effect of some steps followed by others.
fn both((p, q): OnEigenvalue, (later_p, later_q): OnEigenvalue) -> OnEigenvalue {
    (p * later_p, q + p * later_q)
}

fn one_step(eigenvalue: Lanes, step_size: f64) -> OnEigenvalue {
    (Lanes::splat(1.0) - eigenvalue * step_size, Lanes::splat(step_size))
}

/// `steps` in the lanes where `takes` is true, else `all`.
fn where_taken(takes: [bool; LANES], steps: OnEigenvalue, all: OnEigenvalue) -> OnEigenvalue {
    if takes == [true; LANES] {
        return steps;
    }
    let mask = Lanes(takes.map(|takes| f64::from(u8::from(takes))));
    (steps.0.where_nonzero(mask, all.0), steps.1.where_nonzero(mask, all.1))
}

/// Equal steps, by doubling. (Not inlined, as for two callers it would be in the download twice.)
#[inline(never)]
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
#[inline(never)]
fn different_steps(eigenvalue: Lanes, step_sizes: &[f64], n_steps: [usize; LANES]) -> OnEigenvalue {
    let mut all = (Lanes::splat(1.0), Lanes::default());
    let (mut ended, mut taken) = (all, 0);
    // All lanes go on until the last one ends, because a mask in every step would cost more than the steps.
    while let Some(end) = n_steps.into_iter().filter(|&n| n > taken).min() {
        for &step_size in &step_sizes[taken..end] {
            // The new step is the later one: it shrinks what large early steps have left. The other way round, their large
            // terms would have to cancel in the sum. (On one eigenvalue, steps have the same effect in any order.)
            all = both(one_step(eigenvalue, step_size), all);
        }
        ended = where_taken(n_steps.map(|n| n == end), all, ended);
        taken = end;
    }
    ended
}

#[cfg(test)]
mod tests;
