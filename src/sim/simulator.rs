//! A client's data summed into moments as they are drawn, without keeping a sample.
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

use super::lanes;
use super::moments::Moments;
use super::normal::{chi_squared, normal};
use super::plan::{DataPlan, NoiseLevels};
use super::stream::{ChaCha8Rng, DataKey, Purpose};
use super::system::{Dims, LinearSystem};

/// Rollouts side by side. With four, a row of sums stays in registers, and a count like 25 leaves little idle.
const LANES: usize = 4;

type Lanes = lanes::Lanes<LANES>;

/// Simulates clients straight into moments, without keeping a sample, and without allocating once it is made.
///
/// The draws are those of [`simulate_samples`](super::samples::simulate_samples), the sums the same up to rounding.
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

/// A client's simulation in progress.
#[derive(Debug)]
pub struct Simulation {
    plan: DataPlan,
    /// Rollouts still to be drawn one by one.
    n_left: usize,
    normals: ChaCha8Rng,
    /// What stands for the rollouts that are not drawn.
    factor: Option<Factor>,
}

/// A Bartlett factor, column by column.
#[derive(Debug)]
struct Factor {
    degrees: usize,
    next_column: usize,
    normals: ChaCha8Rng,
    diagonal: ChaCha8Rng,
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
        let mut simulation = self.begin(system, plan, key);
        while self.advance(&mut simulation) {}
        let mut moments = Moments::zeros(self.dims);
        self.finish(&simulation, &mut moments);
        moments
    }

    /// Begins a client; only one can be under way at a time.
    ///
    /// # Panics
    /// When the system has other sizes than this simulator.
    pub fn begin(&mut self, system: &LinearSystem, plan: &DataPlan, key: DataKey) -> Simulation {
        assert_eq!(system.dims(), self.dims, "a simulator serves systems of one size");
        self.load(system);
        let n_normals = self.dims.n_normals(plan.rollout_len);
        self.rows.resize(n_normals, Lanes::default());
        let (n_left, summed) = split(plan.n_rollouts, n_normals);
        let factor = |degrees| Factor {
            degrees,
            next_column: 0,
            normals: key.stream(Purpose::Factor),
            diagonal: key.stream(Purpose::FactorDiagonal),
        };
        Simulation { plan: *plan, n_left, normals: key.stream(Purpose::Data), factor: summed.map(factor) }
    }

    /// Runs a few rollouts of a client under way; whether there are more.
    pub fn advance(&mut self, simulation: &mut Simulation) -> bool {
        if simulation.n_left > 0 {
            let used = simulation.n_left.min(LANES);
            self.draw(used, &mut simulation.normals);
            simulation.n_left -= used;
        } else if let Some(factor) = &mut simulation.factor {
            self.draw_factor(factor);
        } else {
            return false;
        }
        self.run(simulation.plan.noise);
        self.add_samples();
        let in_factor = |factor: &Factor| factor.next_column < self.rows.len();
        simulation.n_left > 0 || simulation.factor.as_ref().is_some_and(in_factor)
    }

    /// The moments of a client, once it has run to its end.
    pub fn finish(&self, simulation: &Simulation, moments: &mut Moments) {
        let d = self.dims.n_regressors();
        for i in 0..d {
            for j in 0..=i {
                let sum = self.s[lower_index(i, j)].sum();
                (moments.s[(i, j)], moments.s[(j, i)]) = (sum, sum);
            }
        }
        for (i, row) in self.c.chunks_exact(d).enumerate() {
            for (j, sum) in row.iter().enumerate() {
                moments.c[(i, j)] = sum.sum();
            }
        }
        moments.n_samples = simulation.plan.n_rollouts as u64 * simulation.plan.rollout_len as u64;
    }

    /// Takes Θ and forgets the previous client's sums.
    fn load(&mut self, system: &LinearSystem) {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        for (i, row) in self.theta.chunks_exact_mut(d).enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = if j < n { system.a()[(i, j)] } else { system.b()[(i, j - n)] };
            }
        }
        self.s.fill(Lanes::default());
        self.c.fill(Lanes::default());
    }

    /// Draws ξ for the first `used` lanes. The others get zeros: a rollout of zeros adds exactly nothing.
    fn draw(&mut self, used: usize, normals: &mut ChaCha8Rng) {
        if used < LANES {
            self.rows.fill(Lanes::default());
        }
        for lane in 0..used {
            draw_lane(&mut self.rows, lane, normals);
        }
    }

    /// Draws the next columns of a Bartlett factor.
    fn draw_factor(&mut self, factor: &mut Factor) {
        self.rows.fill(Lanes::default());
        for lane in 0..LANES.min(self.rows.len() - factor.next_column) {
            let column = factor.next_column;
            // Every χ² begins at a place of its own, so that one that takes more draws shifts no other.
            factor.diagonal.set_word_pos(column as u128 * 256);
            self.rows[column].0[lane] = chi_squared(factor.degrees - column, &mut factor.diagonal).sqrt();
            draw_lane(&mut self.rows[column + 1..], lane, &mut factor.normals);
            factor.next_column += 1;
        }
    }

    /// Runs the rollouts in flight from start to end, in place.
    fn run(&mut self, noise: NoiseLevels) {
        let (n, d) = (self.dims.n_states, self.dims.n_regressors());
        scale(&mut self.rows[..n], noise.initial_state_std);
        let mut rows = self.rows.as_mut_slice();
        while rows.len() > n {
            let (regressor, rest) = rows.split_at_mut(d);
            scale(&mut regressor[n..], noise.input_std);
            scale(&mut rest[..n], noise.process_noise_std);
            for (next, theta) in rest.iter_mut().zip(self.theta.chunks_exact(d)) {
                let mut sum = *next;
                for (&z, &weight) in regressor.iter().zip(theta) {
                    sum += z * weight;
                }
                *next = sum;
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
        let mut s = self.s.as_mut_slice();
        for i in 0..d {
            let (row, rest) = s.split_at_mut(i + 1);
            add_products(row, &past[i..], past, d);
            s = rest;
        }
        for (i, row) in self.c.chunks_exact_mut(d).enumerate() {
            add_products(row, &next[i..], past, d);
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

/// Draws one lane of some rows. (Called and not inlined, since it has all of the ziggurat in it.)
#[inline(never)]
fn draw_lane(rows: &mut [Lanes], lane: usize, normals: &mut ChaCha8Rng) {
    for row in rows {
        row.0[lane] = normal(normals);
    }
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

/// Adds to `sums[j]` the products of rows `t·stride` of `a` with rows `t·stride + j` of `b`, for every t.
fn add_products(sums: &mut [Lanes], a: &[Lanes], b: &[Lanes], stride: usize) {
    let mut first = 0;
    while first < sums.len() {
        let (sums, b) = (&mut sums[first..], &b[first..]);
        first += match sums.len() {
            1 => add_tile::<1>(sums, a, b, stride),
            2 => add_tile::<2>(sums, a, b, stride),
            3 => add_tile::<3>(sums, a, b, stride),
            4 => add_tile::<4>(sums, a, b, stride),
            _ => add_tile::<5>(sums, a, b, stride),
        };
    }
}

/// [`add_products`] for the first `WIDTH` sums, which stay in registers on the way.
fn add_tile<const WIDTH: usize>(sums: &mut [Lanes], a: &[Lanes], b: &[Lanes], stride: usize) -> usize {
    let mut totals = [Lanes::default(); WIDTH];
    totals.copy_from_slice(&sums[..WIDTH]);
    for (a, b) in a.iter().step_by(stride).zip(b.chunks(stride)) {
        let Some(b) = b.first_chunk::<WIDTH>() else { break };
        for (total, &b) in totals.iter_mut().zip(b) {
            *total += *a * b;
        }
    }
    sums[..WIDTH].copy_from_slice(&totals);
    WIDTH
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::Matrix;
    use crate::estimate::least_squares;
    use crate::family::{Family, Place};
    use crate::plan::NoiseLevels;
    use crate::samples::simulate_samples;
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
    fn a_simulation_takes_small_steps() {
        let mut simulator = MomentSimulator::new(system().dims());
        let mut simulation = simulator.begin(&system(), &plan(1_000_000_000, 5), KEY);
        let mut n_steps = 1;
        while simulator.advance(&mut simulation) {
            n_steps += 1;
        }
        assert_eq!(n_steps, 2 * 28 / LANES);
        let mut before = Moments::zeros(system().dims());
        simulator.finish(&simulation, &mut before);
        assert_eq!(before.n_samples, 5_000_000_000);
        assert!(!simulator.advance(&mut simulation));
        let mut after = Moments::zeros(system().dims());
        simulator.finish(&simulation, &mut after);
        assert_eq!(after, before);
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
