//! A client's data: independent rollouts of its system, kept whole or summed into moments at once.
//!
//! One rollout of `T` steps is a linear function of `D = n + T(n + p)` standard normals
//! `ξ = [x_0; u_0; w_0; …; u_{T−1}; w_{T−1}]`, drawn in this order, one rollout after the other. So the first `N` rollouts
//! are the same whatever `N` is.
//!
//! # Very many rollouts
//! The moments depend on the rollouts only through `W = Σ ξξᵀ`, which for `ν` rollouts is Wishart with ν degrees of freedom.
//! So for large N only the first D rollouts are drawn; the other `ν = N − D` are replaced by the D columns of a Bartlett
//! factor of their W (lower triangular, `L_kk² ~ χ²_{ν−k}` for k = 0…D−1, standard normals below), simulated as if they
//! were rollouts. The law of the moments is exactly the same, and N = 10⁹ costs what 2D rollouts cost.
//! (Bartlett, "On the theory of statistical regression", 1933; Anderson, An Introduction to Multivariate Statistical
//! Analysis, theorem 7.2.1.)

use rand::{Rng, RngExt};
use rand_distr::{ChiSquared, StandardNormal};

use super::Matrix;
use super::lanes::{LANES, Lanes};
use super::moments::Moments;
use super::stream::{DataKey, Purpose};
use super::system::{Dims, LinearSystem};

/// Standard deviations (not variances) of what drives a rollout.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseLevels {
    /// σ_x of each entry of the initial state.
    pub initial_state_std: f64,
    /// σ_u of each entry of the input.
    pub input_std: f64,
    /// σ_w of each entry of the process noise.
    pub process_noise_std: f64,
}

impl NoiseLevels {
    /// Every standard deviation 1, as in the paper's experiments.
    pub const UNIT: Self = Self { initial_state_std: 1.0, input_std: 1.0, process_noise_std: 1.0 };
}

/// How much data a client has, and how it is driven.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DataPlan {
    /// Rollouts `N`.
    pub n_rollouts: usize,
    /// Steps `T` of each rollout.
    pub rollout_len: usize,
    /// Standard deviations of initial state, input and process noise.
    pub noise: NoiseLevels,
}

/// All samples of a client, one column a sample.
///
/// Only the [`textbook`](super::textbook) loop and exports need the samples themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Regressors `Z`, d×NT.
    pub z: Matrix,
    /// Next states `X`, n×NT.
    pub next: Matrix,
}

impl Samples {
    /// The moments `S = ZZᵀ`, `C = XZᵀ` of the samples.
    pub fn moments(&self) -> Moments {
        let zt = self.z.transpose();
        Moments { s: &self.z * &zt, c: &self.next * &zt, n_samples: self.z.ncols() as u64 }
    }
}

/// Simulates a client and keeps every sample, written as the definition reads.
pub fn simulate_samples(system: &LinearSystem, plan: &DataPlan, rng: &mut impl Rng) -> Samples {
    let Dims { n_states: n, n_inputs: p } = system.dims();
    let n_samples = plan.n_rollouts * plan.rollout_len;
    let mut samples = Samples { z: Matrix::zeros(n + p, n_samples), next: Matrix::zeros(n, n_samples) };
    let mut normals =
        |rows: usize, std: f64| Matrix::from_fn(rows, 1, |_, _| std * rng.sample::<f64, _>(StandardNormal));
    let mut column = 0;
    for _ in 0..plan.n_rollouts {
        let mut state = normals(n, plan.noise.initial_state_std);
        for _ in 0..plan.rollout_len {
            let input = normals(p, plan.noise.input_std);
            let noise = normals(n, plan.noise.process_noise_std);
            samples.z.view_mut((0, column), (n, 1)).copy_from(&state);
            samples.z.view_mut((n, column), (p, 1)).copy_from(&input);
            state = system.a() * &state + system.b() * &input + noise;
            samples.next.column_mut(column).copy_from(&state);
            column += 1;
        }
    }
    samples
}

/// Simulates clients straight into moments, without keeping a sample, and without allocating once it is made.
///
/// The draws are those of [`simulate_samples`], the sums the same up to rounding.
#[derive(Clone, Debug)]
pub struct MomentSimulator {
    dims: Dims,
    /// ξ of the rollouts in flight, D rows. As they advance, `x_{t+1}` takes the place of `w_t`, so that the rows become
    /// `x_0 u_0 x_1 u_1 … u_{T−1} x_T`: the regressor z_t is d rows from row t·d on, and its next state the n rows after.
    rows: Vec<Lanes>,
    /// Lower triangle of S, row by row.
    s: Vec<Lanes>,
    /// C, row by row.
    c: Vec<Lanes>,
    /// Θ, row by row.
    theta: Vec<f64>,
}

impl MomentSimulator {
    /// A simulator for systems of these sizes.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        let rows = |count| vec![Lanes::default(); count];
        Self { dims, rows: Vec::new(), s: rows(d * (d + 1) / 2), c: rows(n * d), theta: vec![0.0; n * d] }
    }

    /// The moments of `plan.n_rollouts` rollouts of `system`.
    ///
    /// Entries are infinite or NaN when an unstable system overflows: see [`Moments::is_finite`].
    ///
    /// # Panics
    /// When the system has other sizes than this simulator.
    pub fn simulate(&mut self, system: &LinearSystem, plan: &DataPlan, key: DataKey) -> Moments {
        assert_eq!(system.dims(), self.dims, "a simulator serves systems of one size");
        let n_normals = self.dims.n_normals(plan.rollout_len);
        self.load(system);
        self.rows.resize(n_normals, Lanes::default());
        let (drawn, summed) = split(plan.n_rollouts, n_normals);
        let mut rng = key.stream(Purpose::Data);
        for first in (0..drawn).step_by(LANES) {
            self.draw((drawn - first).min(LANES), &mut rng);
            self.run(plan);
        }
        if let Some(degrees) = summed {
            self.run_factor(degrees, plan, key);
        }
        self.moments(plan.n_rollouts as u64 * plan.rollout_len as u64)
    }

    /// Runs the columns of a Bartlett factor with `degrees` degrees of freedom, at least as many as it has columns.
    fn run_factor(&mut self, degrees: usize, plan: &DataPlan, key: DataKey) {
        let n_normals = self.rows.len();
        let mut normals = key.stream(Purpose::Factor);
        let mut diagonal = key.stream(Purpose::FactorDiagonal);
        for first in (0..n_normals).step_by(LANES) {
            self.rows.fill(Lanes::default());
            for lane in 0..LANES.min(n_normals - first) {
                let column = first + lane;
                // Every χ² begins at a place of its own, so that one that takes more draws shifts no other.
                diagonal.set_word_pos(column as u128 * 256);
                self.rows[column].0[lane] = chi_squared(degrees - column, &mut diagonal).sqrt();
                for row in &mut self.rows[column + 1..] {
                    row.0[lane] = normals.sample(StandardNormal);
                }
            }
            self.run(plan);
        }
    }

    /// Runs what is in flight and adds it to the moments.
    fn run(&mut self, plan: &DataPlan) {
        self.advance(plan.noise);
        self.add_samples();
    }

    /// Takes Θ and forgets the previous client's sums.
    fn load(&mut self, system: &LinearSystem) {
        let theta = system.theta();
        for (value, entry) in self.theta.iter_mut().zip(theta.transpose().iter()) {
            *value = *entry;
        }
        self.s.fill(Lanes::default());
        self.c.fill(Lanes::default());
    }

    /// Draws ξ for the first `used` lanes. The others get zeros: a rollout of zeros adds exactly nothing.
    fn draw(&mut self, used: usize, rng: &mut impl Rng) {
        if used < LANES {
            self.rows.fill(Lanes::default());
        }
        for lane in 0..used {
            for row in &mut self.rows {
                row.0[lane] = rng.sample(StandardNormal);
            }
        }
    }

    /// Runs the rollouts in flight from start to end, in place.
    fn advance(&mut self, noise: NoiseLevels) {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        scale(&mut self.rows[..n], noise.initial_state_std);
        let mut rows = self.rows.as_mut_slice();
        while rows.len() > n {
            let (regressor, rest) = rows.split_at_mut(d);
            scale(&mut regressor[n..], noise.input_std);
            scale(&mut rest[..n], noise.process_noise_std);
            for (next, theta) in rest.iter_mut().zip(self.theta.chunks_exact(d)) {
                for (z, &weight) in regressor.iter().zip(theta) {
                    add_scaled(next, weight, z);
                }
            }
            rows = rest;
        }
    }

    /// Adds the samples of the rollouts in flight to the moments.
    fn add_samples(&mut self) {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        // Without the final states, rows t·d… are z_t; without the initial ones, x_{t+1} and what follows.
        let past = &self.rows[..self.rows.len() - n];
        let next = &self.rows[d..];
        let mut s = self.s.iter_mut();
        for i in 0..d {
            for (j, sum) in (0..=i).zip(&mut s) {
                add_products(sum, &past[i..], &past[j..], d);
            }
        }
        for (i, row) in self.c.chunks_exact_mut(d).enumerate() {
            for (j, sum) in row.iter_mut().enumerate() {
                add_products(sum, &next[i..], &past[j..], d);
            }
        }
    }

    /// Sums the lanes.
    fn moments(&self, n_samples: u64) -> Moments {
        let d = self.dims.n_regressors();
        Moments {
            s: Matrix::from_fn(d, d, |i, j| self.s[lower_index(i.max(j), i.min(j))].sum()),
            c: Matrix::from_fn(self.dims.n_states, d, |i, j| self.c[i * d + j].sum()),
            n_samples,
        }
    }
}

/// Where the entry (i, j), j ≤ i, of a lower triangle stored row by row is.
fn lower_index(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// How many rollouts are drawn one by one, and how many are summed up in a Bartlett factor, if any: a factor of order D
/// needs D degrees of freedom, and is only cheaper than more than D rollouts.
fn split(n_rollouts: usize, n_normals: usize) -> (usize, Option<usize>) {
    let rest = n_rollouts.saturating_sub(n_normals);
    if rest > n_normals { (n_normals, Some(rest)) } else { (n_rollouts, None) }
}

/// A χ² draw with `degrees` ≥ 1 degrees of freedom.
fn chi_squared(degrees: usize, rng: &mut impl Rng) -> f64 {
    // A positive number of degrees is all that the distribution asks for.
    ChiSquared::new(degrees as f64).map_or(f64::NAN, |law| rng.sample(law))
}

fn scale(rows: &mut [Lanes], factor: f64) {
    // Most standard deviations are 1, and there is no cheaper way to multiply by it.
    #[expect(clippy::float_cmp, reason = "exactly 1 changes no bit")]
    if factor != 1.0 {
        for row in rows {
            *row *= factor;
        }
    }
}

fn add_scaled(sum: &mut Lanes, factor: f64, lanes: &Lanes) {
    *sum += *lanes * factor;
}

/// Adds the products of every `stride`-th row of `a` and `b`, lane by lane. The sum stays in registers on the way.
fn add_products(sum: &mut Lanes, a: &[Lanes], b: &[Lanes], stride: usize) {
    let mut total = *sum;
    let mut at = 0;
    while let (Some(&a), Some(&b)) = (a.get(at), b.get(at)) {
        total += a * b;
        at += stride;
    }
    *sum = total;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::least_squares;
    use crate::family::{Family, Place};
    use crate::stream::Seed;

    fn plan(n_rollouts: usize, rollout_len: usize) -> DataPlan {
        let noise = NoiseLevels { initial_state_std: 0.5, input_std: 2.0, process_noise_std: 0.1 };
        DataPlan { n_rollouts, rollout_len, noise }
    }

    fn system() -> LinearSystem {
        Family::paper().member(Place { a: 0.3, b: 0.8 }, 0.5).unwrap()
    }

    const KEY: DataKey = DataKey { seed: Seed(3), trial: 1, client: 2 };

    fn rng() -> impl Rng {
        KEY.stream(Purpose::Data)
    }

    #[track_caller]
    fn check(n_rollouts: usize, rollout_len: usize) {
        let plan = plan(n_rollouts, rollout_len);
        let expected = simulate_samples(&system(), &plan, &mut rng()).moments();
        let got = MomentSimulator::new(system().dims()).simulate(&system(), &plan, KEY);
        assert_eq!(got.n_samples, expected.n_samples);
        assert!((&got.s - &expected.s).amax() <= 1e-13 * expected.s.amax(), "S {} {}", got.s, expected.s);
        assert!((&got.c - &expected.c).amax() <= 1e-13 * expected.s.amax(), "C {} {}", got.c, expected.c);
    }

    #[test]
    fn moments_are_those_of_the_samples() {
        for (n_rollouts, rollout_len) in [(1, 1), (1, 40), (7, 5), (8, 5), (9, 5), (25, 5), (36, 3)] {
            check(n_rollouts, rollout_len);
        }
    }

    #[test]
    fn samples_obey_the_system_up_to_the_noise() {
        let quiet = DataPlan { noise: NoiseLevels { process_noise_std: 0.0, ..plan(1, 1).noise }, ..plan(4, 6) };
        let samples = simulate_samples(&system(), &quiet, &mut rng());
        assert!((system().theta() * &samples.z - &samples.next).amax() < 1e-14);
        let first_states = samples.z.view((0, 1), (3, 5));
        assert_eq!(first_states, samples.next.view((0, 0), (3, 5)), "a rollout's next state is its state");
    }

    #[test]
    fn more_rollouts_extend_the_draws() {
        let few = simulate_samples(&system(), &plan(3, 5), &mut rng());
        let many = simulate_samples(&system(), &plan(30, 5), &mut rng());
        assert_eq!(few.z, many.z.columns(0, 15));
    }

    /// What a quantity's samples tell of its mean and its spread.
    struct Law {
        mean: f64,
        std: f64,
        n: f64,
    }

    impl Law {
        fn of(values: &[f64]) -> Self {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let std = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
            Self { mean, std, n }
        }
    }

    /// The moments' entries and the least-squares error, by drawing every rollout and by the factor, must have the same
    /// law: means within 4.5 combined standard errors, standard deviations within 7 % (about 4.5 of their standard errors).
    #[track_caller]
    fn check_law(n_rollouts: usize, rollout_len: usize) {
        const DRAWS: usize = 4_000;
        let plan = DataPlan { n_rollouts, rollout_len, noise: NoiseLevels::UNIT };
        let theta = system().theta();
        let quantities = |moments: &Moments| {
            let error = least_squares(moments).map(|estimate| (estimate - &theta).norm()).unwrap();
            moments.s.iter().chain(moments.c.iter()).copied().chain([error]).collect::<Vec<_>>()
        };
        let mut simulator = MomentSimulator::new(system().dims());
        let key = |trial| DataKey { seed: Seed(9), trial, client: 0 };
        let by_factor: Vec<_> = (0..DRAWS).map(|t| quantities(&simulator.simulate(&system(), &plan, key(t)))).collect();
        let one_by_one = |t| simulate_samples(&system(), &plan, &mut key(DRAWS + t).stream(Purpose::Data)).moments();
        let one_by_one: Vec<_> = (0..DRAWS).map(|t| quantities(&one_by_one(t))).collect();
        for k in 0..by_factor[0].len() {
            let law = |draws: &[Vec<f64>]| Law::of(&draws.iter().map(|draw| draw[k]).collect::<Vec<_>>());
            let (a, b) = (law(&by_factor), law(&one_by_one));
            let standard_error = (a.std * a.std / a.n + b.std * b.std / b.n).sqrt();
            assert!((a.mean - b.mean).abs() < 4.5 * standard_error, "N={n_rollouts}, {k}: {} {}", a.mean, b.mean);
            assert!((a.std / b.std - 1.0).abs() < 0.07, "N={n_rollouts}, {k}: spread {} {}", a.std, b.std);
        }
    }

    #[test]
    fn a_factor_has_the_law_of_the_rollouts_it_stands_for() {
        // The least number of rollouts that are summed up (D = 28 and 8), and more.
        check_law(57, 5);
        check_law(17, 1);
        check_law(150, 2);
    }

    #[test]
    fn few_rollouts_are_drawn_and_very_many_summed_up() {
        assert_eq!(split(25, 28), (25, None));
        assert_eq!(split(56, 28), (56, None));
        assert_eq!(split(57, 28), (28, Some(29)));
        assert_eq!(split(1_000_000_000, 28), (28, Some(999_999_972)));
    }

    #[test]
    fn more_rollouts_only_change_the_weight_of_the_factor() {
        // Common random numbers: what N = 10⁶ and N = 1.1·10⁶ estimate differs by far less than either does from the truth.
        let mut simulator = MomentSimulator::new(system().dims());
        let mut estimate =
            |n_rollouts| least_squares(&simulator.simulate(&system(), &plan(n_rollouts, 5), KEY)).unwrap();
        let (few, more) = (estimate(1_000_000), estimate(1_100_000));
        assert!((&few - &more).norm() < 0.1 * (few - system().theta()).norm());
    }

    #[test]
    fn a_simulator_can_be_used_again() {
        let mut simulator = MomentSimulator::new(system().dims());
        let first = simulator.simulate(&system(), &plan(9, 5), KEY);
        simulator.simulate(&system(), &plan(3, 2), KEY);
        assert_eq!(simulator.simulate(&system(), &plan(9, 5), KEY), first);
    }

    #[test]
    fn an_overflow_shows_in_the_moments() {
        let unstable = LinearSystem::new(Matrix::from_element(1, 1, 1e200), Matrix::from_element(1, 1, 1.0)).unwrap();
        let moments = MomentSimulator::new(unstable.dims()).simulate(&unstable, &plan(1, 5), KEY);
        assert!(!moments.is_finite());
    }
}
