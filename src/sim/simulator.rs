//! Clients' data summed into moments, without drawing a sample: at a cost that does not depend on N.
//!
//! Side by side, a client's N rollouts are matrices `X_t` (n×N), `U_t` (p×N) and `W_t` (n×N), with `Z_t = [X_t; U_t]` and
//! `X_{t+1} = ΘZ_t + W_t`; its moments are `S = Σ Z_t Z_tᵀ` and `C = Σ X_{t+1} Z_tᵀ`. These are products of rows, and do not
//! change when every row is written in another orthonormal basis of ℝᴺ, a new one at every step. In a basis that begins with
//! what the rows of `Z_t` span, `Z_t = L_t Q_tᵀ` is a lower triangular d×d matrix `L_t`, and all else is as small.
//!
//! # New normals in a basis that is there
//! What is drawn next is independent of everything before, and so of the basis; and a matrix of standard normals is one in any
//! orthonormal basis. So for r new rows beside a basis of m vectors, draw
//!
//! ```text
//! [E R]   E   r×m, standard normals: the rows' parts within the basis
//!         R   r×r, lower triangular: their parts outside of it, where a basis is made of these rows by Gram–Schmidt
//! ```
//!
//! R is the Bartlett factor of r normal rows of length N − m: `R_kk ~ χ` with N − m − k degrees of freedom, standard normals
//! below. (Bartlett, "On the theory of statistical regression", 1933; Anderson, An Introduction to Multivariate Statistical
//! Analysis, theorem 7.2.1.) There are never more than N vectors in a basis: with fewer rollouts, columns from the N-th on are
//! zero. So N decides on degrees of freedom and zeros, and changes no draw.
//!
//! # The chain
//! ```text
//! L_0's rows of x   σ_x R                        no basis yet
//! L_t's rows of u   σ_u [E R]                    beside the n vectors of X_t
//! F                 [ΘL_t 0] + σ_w [E R]         X_{t+1}, beside the d vectors of Z_t
//! moments           S += L_t L_tᵀ,  C += F L_tᵀ  (of F, the first d columns)
//! L_{t+1}'s of x    F = L Hᵀ                     turned into a triangle
//! ```
//!
//! The law of the moments is exactly that of N rollouts simulated one by one, for every N ≥ 1. [`realize`] completes the bases
//! by random vectors to have rollouts with these very moments.

mod factor;
mod realization;

use super::chi::LaneChi;
use super::fleet::Block;
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::moments::Moments;
use super::plan::DataPlan;
use super::reflection::{dot, lower_factor};
use super::stream::{ChaCha8Rng, DataKey, Purpose};
use super::system::{Dims, LinearSystem};

use factor::{Diagonal, Factor};
pub use realization::realize;

/// A client whose data are to be drawn.
#[derive(Clone, Copy, Debug)]
pub struct Client<'a> {
    /// Its system.
    pub system: &'a LinearSystem,
    /// How much data it has.
    pub plan: DataPlan,
    /// Where they come from.
    pub key: DataKey,
}

/// Draws the moments of up to eight clients at a time, without allocating once it is made.
///
/// A client's lane is its index modulo eight, as in a fleet. Its bits depend neither on who its neighbors are nor on whether
/// it has any.
#[derive(Debug)]
pub struct MomentSimulator {
    dims: Dims,
    /// Steps done.
    t: usize,
    lanes: Vec<LaneStream>,
    /// The sums so far: of S, the lower triangle.
    block: Block,
    theta: LaneMatrix,
    /// `L_t`, d×d.
    regressors: LaneMatrix,
    /// `F`, n×(d + n), and before that the noise.
    next: LaneMatrix,
    /// N of each lane, and for each column c of a factor the law of a diagonal entry there: χ with N − c degrees of freedom.
    n_rollouts: [usize; LANES],
    chi: Vec<LaneChi>,
    levels: Levels,
    /// The uniforms of a factor's diagonal.
    uniforms: Vec<Lanes>,
}

/// A client's random numbers.
#[derive(Debug)]
struct LaneStream {
    lane: usize,
    key: DataKey,
    rng: ChaCha8Rng,
    rollout_len: usize,
}

/// Standard deviations, for each column of a factor: zero where the client has not as many rollouts.
#[derive(Clone, Debug)]
struct Levels {
    initial: Vec<Lanes>,
    input: Vec<Lanes>,
    noise: Vec<Lanes>,
}

impl Levels {
    fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        let zeros = |n_columns| vec![Lanes::default(); n_columns];
        Self { initial: zeros(n), input: zeros(d), noise: zeros(d + n) }
    }

    fn set_lane(&mut self, lane: usize, plan: &DataPlan) {
        let set = |levels: &mut [Lanes], std: f64| {
            for (column, level) in levels.iter_mut().enumerate() {
                level.0[lane] = if column < plan.n_rollouts { std } else { 0.0 };
            }
        };
        set(&mut self.initial, plan.noise.initial_state_std);
        set(&mut self.input, plan.noise.input_std);
        set(&mut self.noise, plan.noise.process_noise_std);
    }

    fn clear_lane(&mut self, lane: usize) {
        let all = self.initial.iter_mut().chain(&mut self.input).chain(&mut self.noise);
        all.for_each(|level| level.0[lane] = 0.0);
    }
}

/// How many numbers are drawn for a client, retries apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCount {
    /// Standard normals.
    pub normals: usize,
    /// Uniforms.
    pub uniforms: usize,
}

impl DrawCount {
    /// The numbers that a client's rollouts of `rollout_len` steps take, however many rollouts there are.
    pub fn of(dims: Dims, rollout_len: usize) -> Self {
        let Dims { n_states: n, n_inputs: p } = dims;
        let (d, triangle) = (n + p, |r: usize| r * (r + 1) / 2);
        // The last noise is only needed within the basis.
        let normals = rollout_len * (p * n + triangle(p) + n * d + triangle(n));
        Self { normals, uniforms: rollout_len * (p + n) }
    }
}

impl MomentSimulator {
    /// A simulator for systems of these sizes.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self {
            dims,
            t: 0,
            lanes: Vec::with_capacity(LANES),
            block: Block::new(dims),
            theta: LaneMatrix::zeros(n, d),
            regressors: LaneMatrix::zeros(d, d),
            next: LaneMatrix::zeros(n, d + n),
            n_rollouts: [0; LANES],
            chi: vec![LaneChi::new([0; LANES]); d + n],
            levels: Levels::new(dims),
            uniforms: vec![Lanes::default(); n.max(dims.n_inputs)],
        }
    }

    /// The moments of one client.
    ///
    /// Entries are infinite or NaN when an unstable system overflows: see [`Moments::is_finite`].
    ///
    /// # Panics
    /// When the system has other sizes than this simulator.
    pub fn simulate(&mut self, client: Client<'_>) -> Moments {
        self.begin([client]);
        while self.advance() {}
        self.block.moments(client.key.client % LANES)
    }

    /// Begins with other clients; what was under way is dropped. Of clients in the same lane, the last counts.
    ///
    /// # Panics
    /// When a system has other sizes than this simulator.
    pub fn begin<'a>(&mut self, clients: impl IntoIterator<Item = Client<'a>>) {
        self.clear();
        let mut n_rollouts = [0; LANES];
        for Client { system, plan, key } in clients {
            assert_eq!(system.dims(), self.dims, "a simulator serves systems of one size");
            let lane = key.client % LANES;
            self.lanes.retain(|other| other.lane != lane);
            self.lanes.push(LaneStream { lane, key, rng: key.stream(Purpose::Data), rollout_len: plan.rollout_len });
            self.levels.set_lane(lane, &plan);
            let n = self.dims.n_states;
            self.theta.set_lane_from(lane, |i, j| if j < n { system.a()[(i, j)] } else { system.b()[(i, j - n)] });
            self.block.present.0[lane] = 1.0;
            self.block.n_samples[lane] = plan.n_rollouts as u64 * plan.rollout_len as u64;
            n_rollouts[lane] = plan.n_rollouts;
        }
        self.set_degrees(n_rollouts);
        self.draw_initial_states();
    }

    /// Forgets everybody: lanes without a client hold zeros, and add nothing.
    fn clear(&mut self) {
        self.t = 0;
        self.lanes.clear();
        self.block.clear(0);
        self.theta.fill(0.0);
        self.regressors.fill(0.0);
        self.next.fill(0.0);
        (0..LANES).for_each(|lane| self.levels.clear_lane(lane));
    }

    fn set_degrees(&mut self, n_rollouts: [usize; LANES]) {
        if self.n_rollouts != n_rollouts {
            self.n_rollouts = n_rollouts;
            for (column, chi) in self.chi.iter_mut().enumerate() {
                *chi = LaneChi::new(n_rollouts.map(|n| n.saturating_sub(column)));
            }
        }
    }

    /// Goes one step in time; whether there are more.
    pub fn advance(&mut self) -> bool {
        if self.lanes.is_empty() {
            return false;
        }
        self.draw_inputs();
        self.draw_noise();
        self.take_samples();
        if self.lanes.is_empty() {
            self.block.s.mirror();
        }
        !self.lanes.is_empty()
    }

    /// Takes the samples of a step that is drawn, and goes on to the next.
    fn take_samples(&mut self) {
        self.add_samples();
        if self.lanes.iter().any(|stream| stream.goes_on(self.t)) {
            lower_factor(&mut self.next, &mut self.regressors);
        }
        self.retire();
        self.t += 1;
    }

    /// The clients, once there are no more steps: their moments and samples. (Their local steps are not known here.)
    pub fn clients(&self) -> &Block {
        &self.block
    }

    /// `X_0 = L_x Q_xᵀ`.
    fn draw_initial_states(&mut self) {
        let n = self.dims.n_states;
        let mut factor = Factor { n_known: 0, stride: self.regressors.cols(), rows: self.regressors.rows_mut(0..n) };
        for stream in &mut self.lanes {
            factor.draw_outside(stream, &mut self.uniforms);
        }
        let diagonal = Diagonal { chi: &self.chi, uniforms: &self.uniforms, lanes: &self.lanes, first: 0 };
        factor.scale(&self.levels.initial, &diagonal);
    }

    /// The rows of `L_t` that are `U_t`'s, beside those of `X_t`.
    fn draw_inputs(&mut self) {
        let Dims { n_states: n, n_inputs: p } = self.dims;
        let rows = self.regressors.rows_mut(n..n + p);
        let mut factor = Factor { n_known: n, stride: n + p, rows };
        for stream in &mut self.lanes {
            factor.draw_within(stream);
            factor.draw_outside(stream, &mut self.uniforms);
        }
        let diagonal =
            Diagonal { chi: &self.chi, uniforms: &self.uniforms, lanes: &self.lanes, first: self.t * (n + p) };
        factor.scale(&self.levels.input, &diagonal);
    }

    /// `W_t`, beside the rows of `Z_t`. Outside of them it only matters to what comes after.
    fn draw_noise(&mut self) {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        let mut factor = Factor { n_known: d, stride: d + n, rows: self.next.rows_mut(0..n) };
        factor.clear_outside();
        for stream in &mut self.lanes {
            factor.draw_within(stream);
            if stream.goes_on(self.t) {
                factor.draw_outside(stream, &mut self.uniforms);
            }
        }
        let diagonal = Diagonal { chi: &self.chi, uniforms: &self.uniforms, lanes: &self.lanes, first: self.t * d };
        factor.scale(&self.levels.noise, &diagonal);
    }

    /// Adds `L_t L_tᵀ` to S, `[ΘL_t 0]` to the noise, which makes it F, and `F L_tᵀ` to C.
    fn add_samples(&mut self) {
        let (d, width) = (self.regressors.cols(), self.next.cols());
        let l = || self.regressors.entries().chunks_exact(d).enumerate();
        for ((i, row), sums) in l().zip(self.block.s.entries_mut().chunks_exact_mut(d)) {
            for ((j, other), sum) in l().zip(&mut sums[..=i]) {
                *sum += dot(&row[..=j], &other[..=j]);
            }
        }
        let nexts = self.next.entries_mut().chunks_exact_mut(width).zip(self.theta.entries().chunks_exact(d));
        for ((next, theta), sums) in nexts.zip(self.block.c.entries_mut().chunks_exact_mut(d)) {
            for (k, entry) in next[..d].iter_mut().enumerate() {
                let column = self.regressors.entries()[k * d + k..].iter().step_by(d);
                *entry = theta[k..].iter().zip(column).fold(*entry, |sum, (&theta, &l)| sum + theta * l);
            }
            for ((j, row), sum) in l().zip(sums) {
                *sum += dot(&next[..=j], &row[..=j]);
            }
        }
    }

    /// Lets those go whose rollouts end with this step. What may have overflowed in their lanes goes too: zeros add nothing.
    fn retire(&mut self) {
        let t = self.t;
        for stream in self.lanes.iter().filter(|stream| !stream.goes_on(t)) {
            self.levels.clear_lane(stream.lane);
            self.regressors.set_lane_from(stream.lane, |_, _| 0.0);
            self.next.set_lane_from(stream.lane, |_, _| 0.0);
        }
        self.lanes.retain(|stream| stream.goes_on(t));
    }
}

impl LaneStream {
    /// Whether there is a step after step t.
    fn goes_on(&self, t: usize) -> bool {
        t + 1 < self.rollout_len
    }

    /// Where failed attempts at the χ of this index are repeated: every one has a place of its own.
    fn retry(&self, index: usize) -> ChaCha8Rng {
        let mut rng = self.key.stream(Purpose::FactorDiagonal);
        rng.set_word_pos(index as u128 * 256);
        rng
    }
}

#[cfg(test)]
mod tests;
