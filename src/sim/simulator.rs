//! The moments of clients' data, drawn without simulating samples, at a cost that does not depend on N.
//!
//! At time t, the states, inputs and noise of a client's N rollouts are the columns of `X_t` (n×N), `U_t` (p×N) and
//! `W_t` (n×N), with `Z_t = [X_t; U_t]` and `X_{t+1} = ΘZ_t + W_t`. The moments are `S = Σ Z_t Z_tᵀ` and
//! `C = Σ X_{t+1} Z_tᵀ`, which are products of rows. They do not change if all rows are written in another orthonormal
//! basis of ℝᴺ, a new one at every step. In a basis that begins with vectors that span the rows of `Z_t`,
//! `Z_t = L_t Q_tᵀ` with a lower triangular d×d matrix `L_t`, and all other matrices are as small.
//!
//! # New normals beside a basis
//! The variables drawn next are independent of everything before, and so of the basis. And in any orthonormal basis, a
//! matrix of standard normals is again one. So for r new rows beside a basis of m vectors, draw
//!
//! ```text
//! [E R]   E   r×m, standard normals: the rows' components within the basis
//!         R   r×r, lower triangular: their components outside of it, in a basis made of these rows by Gram–Schmidt
//! ```
//!
//! R is the Bartlett factor of r rows of N − m normals: `R_kk ~ χ` with N − m − k degrees of freedom (k = 0 … r − 1),
//! standard normals below the diagonal. (Bartlett, "On the theory of statistical regression", 1933; Anderson, An
//! Introduction to Multivariate Statistical Analysis, theorem 7.2.1.) A basis has at most N vectors: with few rollouts,
//! all columns after the first N are zero. So N determines degrees of freedom and zeros, and changes no random number.
//!
//! # The chain
//! ```text
//! x rows of L_0        σ_x R                        no basis yet
//! u rows of L_t        σ_u [E R]                    beside the n vectors of X_t
//! F                    [ΘL_t 0] + σ_w [E R]         X_{t+1}, beside the d vectors of Z_t
//! moments              S += L_t L_tᵀ,  C += F L_tᵀ  (the first d columns of F)
//! x rows of L_{t+1}    L of F = L Hᵀ                F turned into a triangle
//! ```
//!
//! The law of the moments is exactly that of N rollouts simulated one by one, for every N ≥ 1. [`realize`] completes
//! the bases by random vectors, which gives rollouts with these moments.

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
    /// The client's system.
    pub system: &'a LinearSystem,
    /// How much data it has.
    pub plan: DataPlan,
    /// The client's random streams.
    pub key: DataKey,
}

/// Draws the moments of up to eight clients at a time, without allocations after its creation.
///
/// A client's lane is its index modulo eight, as in a fleet. Its moments do not depend on the other lanes, to the last
/// bit.
#[derive(Debug)]
pub struct MomentSimulator {
    dims: Dims,
    /// Time steps done.
    t: usize,
    lanes: Vec<LaneStream>,
    /// The sums so far; of S, only the lower triangle.
    block: Block,
    theta: LaneMatrix,
    /// `L_t`, d×d.
    regressors: LaneMatrix,
    /// `F`, n×(d + n); before that, the noise.
    next: LaneMatrix,
    /// N of each lane, and for each column c of a factor the law of a diagonal entry in it: χ with N − c degrees of
    /// freedom.
    n_rollouts: [usize; LANES],
    chi: Vec<LaneChi>,
    levels: Levels,
    /// The uniforms for a factor's diagonal.
    uniforms: Vec<Lanes>,
}

/// A client's stream of random numbers.
#[derive(Debug)]
struct LaneStream {
    lane: usize,
    key: DataKey,
    rng: ChaCha8Rng,
    rollout_len: usize,
}

/// Standard deviations for each column of a factor: zero in the columns after a client's first N.
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

/// How many random numbers are drawn for a client, not counting retries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCount {
    /// Standard normals.
    pub normals: usize,
    /// Uniforms.
    pub uniforms: usize,
}

impl DrawCount {
    /// The counts for rollouts of `rollout_len` steps. They do not depend on the number of rollouts.
    pub fn of(dims: Dims, rollout_len: usize) -> Self {
        let Dims { n_states: n, n_inputs: p } = dims;
        let (d, triangle) = (n + p, |r: usize| r * (r + 1) / 2);
        // The triangle of the initial states makes up for that of the last noise, which is only needed within the
        // basis.
        let normals = rollout_len * (p * n + triangle(p) + n * d + triangle(n));
        Self { normals, uniforms: rollout_len * (p + n) }
    }
}

impl MomentSimulator {
    /// A simulator for systems of the sizes `dims`.
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
    /// Entries are infinite or NaN if an unstable system overflows: see [`Moments::is_finite`].
    ///
    /// # Panics
    /// If the system has other sizes than this simulator.
    pub fn simulate(&mut self, client: Client<'_>) -> Moments {
        self.begin([client]);
        while self.advance() {}
        self.block.moments(client.key.client % LANES)
    }

    /// Begins with other clients and drops any unfinished ones. Of several clients in one lane, the last counts.
    ///
    /// # Panics
    /// If a system has other sizes than this simulator.
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

    /// Removes all clients: lanes without a client hold zeros and add nothing.
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

    /// Simulates one time step; returns whether there are more.
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

    /// Adds the samples of the step that has been drawn, and prepares the next step.
    fn take_samples(&mut self) {
        self.add_samples();
        if self.lanes.iter().any(|stream| stream.goes_on(self.t)) {
            lower_factor(&mut self.next, &mut self.regressors);
        }
        self.retire();
        self.t += 1;
    }

    /// The clients' moments and numbers of samples, once there are no more steps. Local steps are not known here and
    /// are 0.
    pub fn clients(&self) -> &Block {
        &self.block
    }

    /// Draws `X_0`, the x rows of `L_0`.
    fn draw_initial_states(&mut self) {
        let n = self.dims.n_states;
        let mut factor = Factor { n_known: 0, stride: self.regressors.cols(), rows: self.regressors.rows_mut(0..n) };
        for stream in &mut self.lanes {
            factor.draw_outside(stream, &mut self.uniforms);
        }
        let diagonal = Diagonal { chi: &self.chi, uniforms: &self.uniforms, lanes: &self.lanes, first: 0 };
        factor.scale(&self.levels.initial, &diagonal);
    }

    /// Draws the rows of `L_t` for `U_t`, beside those of `X_t`.
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

    /// Draws `W_t` beside the rows of `Z_t`. Its components outside of them only affect later steps.
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

    /// Adds `L_t L_tᵀ` to S, then `[ΘL_t 0]` to the noise, which gives F, and `F L_tᵀ` to C.
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

    /// Removes the clients whose rollouts end with this step, and with them any overflow in their lanes: zeros add
    /// nothing.
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

    /// The stream for repeating a rejected proposal of the χ with this index; every index has its own position.
    fn retry(&self, index: usize) -> ChaCha8Rng {
        let mut rng = self.key.stream(Purpose::FactorDiagonal);
        rng.set_word_pos(index as u128 * 256);
        rng
    }
}

#[cfg(test)]
mod tests;
