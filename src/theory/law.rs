//! The law of an estimate, and the errors to expect of it.
//!
//! In the limit of much data an estimate is its mean plus noise whose rows are independent and normal:
//! `Θ = Θ̄ + Z Lᵀ` with Z an n×d standard normal matrix and `Ω = L Lᵀ` the covariance of every row. Then
//!
//! ```text
//! E‖Θ − Θ⁽ⁱ⁾‖_F² = ‖Θ̄ − Θ⁽ⁱ⁾‖_F² + n tr Ω        exactly
//! E‖Θ − Θ⁽ⁱ⁾‖                                      as a mean over drawn Z
//! ```
//!
//! The draws are always the same, so that a prediction moves smoothly with what it depends on. Since the mean of `‖·‖_F²` is
//! known and goes along with the spectral norm, it serves as a control variate: 512 draws are then as good as thousands.

use super::NoPrediction;
use super::expectation::ExpectedFleet;
use fedsysid_sim::Matrix;
use fedsysid_sim::cholesky::semidefinite_factor;
use fedsysid_sim::estimate::Factor;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::norm::LaneNorms;
use fedsysid_sim::normal::normal;
use fedsysid_sim::stream::{Purpose, Seed, stream};
use fedsysid_sim::system::Dims;
use fedsysid_sim::target::{Target, Truth};

/// Draws of Z, and blocks of them.
const DRAWS: usize = 512;
const BLOCKS: usize = DRAWS / LANES;

/// The law of one estimate for all clients.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Θ̄, n×d.
    pub mean: Matrix,
    /// Ω, d×d: the covariance of every row.
    pub covariance: Matrix,
}

impl Law {
    /// `n tr Ω`: the noise's part of the mean square error.
    pub fn noise(&self) -> f64 {
        self.mean.nrows() as f64 * self.covariance.trace()
    }
}

/// The laws of the one-shot estimates on a fleet as it is on average.
impl Law {
    /// Pooled least squares: `ΣC_i (ΣS_i)⁻¹`, with rows of covariance `(ΣS_i)⁻¹ (Σ ν_i S_i) (ΣS_i)⁻¹`.
    ///
    /// # Errors
    /// If the data overflow, or leave a direction out.
    pub fn pooled(expected: &ExpectedFleet) -> Result<Self, NoPrediction> {
        let total = expected.fleet().total();
        let inverse = inverse(&total.s)?;
        let covariance = &inverse * expected.total_noise() * &inverse;
        Ok(Self { mean: total.c * &inverse, covariance })
    }

    /// The law with the covariance that it has for so many samples.
    ///
    /// # Errors
    /// If they are too few.
    pub fn of_samples(self, n_samples: f64) -> Result<Self, NoPrediction> {
        let for_few = for_few(n_samples, self.covariance.nrows())?;
        Ok(Self { covariance: self.covariance * for_few, ..self })
    }
}

/// The mean of the clients' own least squares in the making: `mean Θ⁽ⁱ⁾`, with rows of covariance `Σ ν_i S_i⁻¹ / M²`.
#[derive(Clone, Debug)]
pub struct MeanOfLocals {
    sum: Law,
    n_clients: usize,
}

/// Clients taken into it in one step, times d³.
const STEP: usize = 200_000;

impl MeanOfLocals {
    /// Of no client yet.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { sum: Law { mean: Matrix::zeros(n, d), covariance: Matrix::zeros(d, d) }, n_clients: 0 }
    }

    /// Takes some more clients in; the law, once all are.
    ///
    /// # Errors
    /// If the data of a client overflow, or leave a direction out.
    pub fn step(&mut self, expected: &ExpectedFleet) -> Result<Option<Law>, NoPrediction> {
        let d = self.sum.covariance.nrows();
        let m = expected.fleet().n_clients();
        let until = m.min(self.n_clients + STEP / (d * d * d).min(STEP));
        for client in self.n_clients..until {
            let (moments, noise) = expected.client(client);
            let inverse = inverse(&moments.s)?;
            self.sum.mean += moments.c * &inverse / m as f64;
            let share = noise / (m as f64 * m as f64);
            self.sum.covariance += inverse * (share * for_few(moments.n_samples as f64, d)?);
        }
        self.n_clients = until;
        Ok((until == m).then(|| self.sum.clone()))
    }
}

/// The mean error of a client's own least squares, `E‖Z L‖` with `LLᵀ = ν_i S_i⁻¹`, or its mean over the clients that count.
///
/// # Errors
/// If the data of such a client overflow, or leave a direction out; and of the worst client, which is another in every data set.
pub fn alone(expected: &ExpectedFleet, target: Target, norms: &mut MeanNorms) -> Result<f64, NoPrediction> {
    let fleet = expected.fleet();
    let mut own = |client: usize, n_draws: usize| {
        let (moments, noise) = expected.client(client);
        let for_few = for_few(moments.n_samples as f64, moments.s.nrows())?;
        Ok(norms.of_noise(&(inverse(&moments.s)? * (noise * for_few)), n_draws))
    };
    match target {
        Target::Client(client) => own(client.min(fleet.n_clients() - 1), DRAWS),
        Target::Worst => Err(NoPrediction::Worst),
        Target::Mean => {
            // Of very many clients, so many that are evenly chosen: eight side by side, as every other one may be of another kind.
            let all = fleet.n_clients();
            let n = all.min(DRAWS);
            let blocked = |k: usize| middle(k / LANES, BLOCKS, all / LANES) * LANES + k % LANES;
            let clients = (0..n).map(|k| if n < all { blocked(k) } else { k });
            clients
                .map(|client| own(client, (DRAWS / n).max(2 * LANES)))
                .sum::<Result<f64, _>>()
                .map(|sum| sum / n as f64)
        }
    }
}

/// Of so many, the middle of one of n stretches. (The first ones are others than the rest, where there is one outlier.)
fn middle(stretch: usize, n: usize, all: usize) -> usize {
    (2 * stretch + 1) * all / (2 * n)
}

/// The factor `ν/(ν − d − 1)` for ν samples. Least squares divides by S and not by its mean, and `E S⁻¹` is larger than
/// `(E S)⁻¹`: by this for independent samples (Wishart). Along rollouts samples are not independent, but this is still close.
pub(crate) fn for_few(n_samples: f64, d: usize) -> Result<f64, NoPrediction> {
    let left = n_samples - d as f64 - 1.0;
    if left > 0.0 { Ok(n_samples / left) } else { Err(NoPrediction::FewSamples) }
}

/// The inverse of an expected Gram matrix.
fn inverse(s: &Matrix) -> Result<Matrix, NoPrediction> {
    if !s.iter().all(|entry| entry.is_finite()) {
        return Err(NoPrediction::Overflow);
    }
    Factor::new(s).map(|factor| factor.inverse()).map_err(|_| NoPrediction::Unexcited)
}

/// Mean spectral norms under normal laws.
#[derive(Clone, Debug)]
pub struct MeanNorms {
    /// Z, eight draws at a time.
    draws: Vec<LaneMatrix>,
    norms: LaneNorms,
    errors: LaneMatrix,
    zero: Matrix,
}

/// Sums over draws, eight at a time: y is the spectral norm, u the squared Frobenius norm less its mean.
#[derive(Default)]
struct Draws {
    y: Lanes,
    u: Lanes,
    uu: Lanes,
    uy: Lanes,
}

impl Draws {
    fn add(&mut self, y: Lanes, u: Lanes) {
        self.y += y;
        self.u += u;
        self.uu += u * u;
        self.uy += u * y;
    }

    /// The sums of all lanes together.
    fn together(&self) -> [f64; 4] {
        [self.y, self.u, self.uu, self.uy].map(Lanes::sum)
    }
}

/// Means over clients of what their draws say: of y and u, of the variance of u and the covariance of both. These two are about
/// each client's own means: clients differ in both y and u, which says nothing of how one goes along with the other in draws.
#[derive(Default)]
struct Means {
    weight: f64,
    y: f64,
    u: f64,
    variance: f64,
    covariance: f64,
}

impl Means {
    /// A client with so many draws.
    fn add(&mut self, weight: f64, n_draws: usize, sums: [f64; 4]) {
        let [y, u, uu, uy] = sums.map(|sum| sum / n_draws as f64);
        self.weight += weight;
        self.y += weight * y;
        self.u += weight * u;
        self.variance += weight * (uu - u * u);
        self.covariance += weight * (uy - u * y);
    }

    /// The mean of y, corrected by what u, whose mean is 0, is off.
    fn corrected(&self) -> f64 {
        let [y, u, variance, covariance] =
            [self.y, self.u, self.variance, self.covariance].map(|sum| sum / self.weight);
        // Without noise, or where it vanishes beside the rest, there is nothing to correct.
        if variance > 1e-20 * y.powi(4) { y - covariance / variance * u } else { y }
    }
}

impl MeanNorms {
    /// Draws Z, and room, for models of systems of these sizes.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        let mut rng = stream(Seed(0), Purpose::Theory, 0, 0);
        let mut draw = || {
            let mut z = LaneMatrix::zeros(n, d);
            z.entries_mut().iter_mut().for_each(|entry| *entry = Lanes::from_fn(|_| normal(&mut rng)));
            z
        };
        Self {
            draws: (0..BLOCKS).map(|_| draw()).collect(),
            norms: LaneNorms::new(n, d),
            errors: LaneMatrix::zeros(n, d),
            zero: Matrix::zeros(n, d),
        }
    }

    /// `E‖Θ − Θ⁽ⁱ⁾‖` for the client that counts, or its mean over those that do; for the worst client the mean of the
    /// largest, among the eight that are farthest from Θ̄.
    pub fn of(&mut self, law: &Law, truth: &Truth) -> f64 {
        self.with_draws(BLOCKS, law, truth)
    }

    /// The mean norm that [`MeanNorms::of`] gives, from a quarter of the draws: for curves of many points.
    pub fn roughly(&mut self, law: &Law, truth: &Truth) -> f64 {
        self.with_draws(BLOCKS / 4, law, truth)
    }

    fn with_draws(&mut self, n_draws: usize, law: &Law, truth: &Truth) -> f64 {
        let factor = semidefinite_factor(&law.covariance).transpose();
        match truth.target() {
            Target::Worst => self.of_worst(n_draws, law, &factor, truth),
            Target::Client(_) | Target::Mean => self.of_mean(n_draws, law, &factor, truth),
        }
    }

    fn of_mean(&mut self, n_draws: usize, law: &Law, factor: &Matrix, truth: &Truth) -> f64 {
        let mut means = Means::default();
        // A few clients one by one, with a draw in every lane: side by side, most lanes would be empty.
        let few: Vec<Matrix> = truth.clients().take(LANES).collect();
        if few.len() < LANES {
            for (which, theta) in few.iter().enumerate() {
                let bias = &law.mean - theta;
                let expected = Lanes::splat(bias.norm_squared() + law.noise());
                let draws = self.draws[..n_draws].iter().skip(which).step_by(few.len());
                let (n, mut sums) = (draws.len(), Draws::default());
                for z in draws {
                    self.errors.set_affine(z, factor, &bias);
                    let square = self.errors.squared_norms();
                    sums.add(self.norms.of(&self.errors), square - expected);
                }
                means.add(1.0, n * LANES, sums.together());
            }
            return means.corrected();
        }
        // Every block of clients has its share of the draws, and every client in it the same weight. Of very many clients, so many
        // blocks as there are of draws, evenly chosen.
        let blocks: Vec<_> = truth.blocks().collect();
        let n_blocks = blocks.len().min(n_draws);
        for which in 0..n_blocks {
            let (_, thetas, counting) = blocks[middle(which, n_blocks, blocks.len())];
            let draws = self.draws[..n_draws].iter().skip(which).step_by(n_blocks);
            let (n, mut sums) = (draws.len(), Draws::default());
            self.errors.set_all(&law.mean);
            self.errors.add_scaled(Lanes::splat(-1.0), thetas);
            let expected = self.errors.squared_norms() + Lanes::splat(law.noise());
            for z in draws {
                self.errors.set_affine(z, factor, &law.mean);
                self.errors.add_scaled(Lanes::splat(-1.0), thetas);
                let square = self.errors.squared_norms();
                sums.add(self.norms.of(&self.errors), square - expected);
            }
            let Draws { y, u, uu, uy } = sums;
            for lane in 0..LANES {
                means.add(counting.0[lane], n, [y, u, uu, uy].map(|sum| sum.0[lane]));
            }
        }
        means.corrected()
    }

    fn of_worst(&mut self, n_draws: usize, law: &Law, factor: &Matrix, truth: &Truth) -> f64 {
        let mut distances = self.distances(&law.mean, truth);
        let blocks: Vec<_> = truth.blocks().map(|(_, block, _)| block).collect();
        let mut candidates = LaneMatrix::zeros(law.mean.nrows(), law.mean.ncols());
        let mut chosen = 0;
        for lane in 0..LANES {
            // Fewer clients than lanes: the last one again.
            let farthest = distances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((farthest, _)) = farthest.filter(|(_, distance)| **distance != f64::NEG_INFINITY) {
                chosen = farthest;
                distances[farthest] = f64::NEG_INFINITY;
            }
            candidates.set_lane(lane, &blocks[chosen / LANES].lane(chosen % LANES));
        }
        // The farthest's squared norm goes along with the largest norm.
        let expected = (&law.mean - candidates.lane(0)).norm_squared() + law.noise();
        let (mut sums, mut means) = ([0.0; 4], Means::default());
        // A draw takes a whole block here, so it is half of them.
        let draws = &self.draws[..n_draws / 2];
        let mut noise = LaneMatrix::zeros(law.mean.nrows(), law.mean.ncols());
        for z in draws {
            noise.set_affine(z, factor, &law.mean);
            for lane in 0..LANES {
                let entries = self.errors.entries_mut().iter_mut().zip(noise.entries()).zip(candidates.entries());
                entries.for_each(|((error, noise), &theta)| *error = Lanes::splat(noise.0[lane]) - theta);
                let y = self.norms.of(&self.errors).0.into_iter().fold(0.0, f64::max);
                let u = self.errors.squared_norms().0[0] - expected;
                sums.iter_mut().zip([y, u, u * u, u * y]).for_each(|(sum, more)| *sum += more);
            }
        }
        means.add(1.0, draws.len() * LANES, sums);
        means.corrected()
    }

    /// The squared Frobenius norms of a model's errors, −∞ for those that do not count.
    fn distances(&mut self, model: &Matrix, truth: &Truth) -> Vec<f64> {
        let mut distances = Vec::new();
        for (_, thetas, counting) in truth.blocks() {
            self.errors.set_all(model);
            self.errors.add_scaled(Lanes::splat(-1.0), thetas);
            let squares = self.errors.squared_norms();
            distances.extend(squares.where_nonzero(counting, Lanes::splat(f64::NEG_INFINITY)).0);
        }
        distances
    }

    /// `E‖Z Lᵀ‖`, of noise alone, from as many draws as given (at most all; a multiple of eight).
    pub fn of_noise(&mut self, covariance: &Matrix, n_draws: usize) -> f64 {
        let factor = semidefinite_factor(covariance).transpose();
        let expected = Lanes::splat(self.zero.nrows() as f64 * covariance.trace());
        let (mut sums, mut means) = (Draws::default(), Means::default());
        let draws = &self.draws[..n_draws.div_ceil(LANES).clamp(1, BLOCKS)];
        for z in draws {
            self.errors.set_affine(z, &factor, &self.zero);
            let square = self.errors.squared_norms();
            sums.add(self.norms.of(&self.errors), square - expected);
        }
        means.add(1.0, draws.len() * LANES, sums.together());
        means.corrected()
    }
}

#[cfg(test)]
mod tests;
