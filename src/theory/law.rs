//! The law of an estimate, and its mean error.
//!
//! In the limit of much data, an estimate is its mean plus noise with independent normal rows: `Θ = Θ̄ + Z Lᵀ`, with Z
//! an n×d standard normal matrix and `Ω = L Lᵀ` the covariance of every row. Then
//!
//! ```text
//! E‖Θ − Θ⁽ⁱ⁾‖_F² = ‖Θ̄ − Θ⁽ⁱ⁾‖_F² + n tr Ω        exactly
//! E‖Θ − Θ⁽ⁱ⁾‖                                      as a mean over draws of Z
//! ```
//!
//! The draws are always the same, so a prediction changes smoothly with the settings. `‖·‖_F²` has a known mean and is
//! correlated with the spectral norm, so it serves as a control variate: 512 draws are then as good as thousands.

use super::NoPrediction;
use super::expectation::ExpectedFleet;
use super::feedback::Feedback;
use fedsysid_sim::Matrix;
use fedsysid_sim::cholesky::semidefinite_factor;
use fedsysid_sim::estimate::Factor;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::norm::LaneNorms;
use fedsysid_sim::normal::normal;
use fedsysid_sim::scenario::{GradientScale, Scenario};
use fedsysid_sim::stream::{Purpose, Seed, stream};
use fedsysid_sim::system::Dims;
use fedsysid_sim::target::{Target, Truth};

/// Number of draws of Z, and of blocks of eight draws.
const DRAWS: usize = 512;
const BLOCKS: usize = DRAWS / LANES;

/// The normal law of an estimate that all clients share.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// Θ̄, n×d.
    pub mean: Matrix,
    /// Ω, d×d: the covariance of every row.
    pub covariance: Matrix,
}

impl Law {
    /// `n tr Ω`: the contribution of noise to the mean square error.
    pub fn noise(&self) -> f64 {
        self.mean.nrows() as f64 * self.covariance.trace()
    }
}

/// Laws of one-shot estimates on the expected fleet.
impl Law {
    /// Pooled least squares for very many samples: mean `ΣC_i (ΣS_i)⁻¹`, row covariance
    /// `(ΣS_i)⁻¹ (Σ ν_i S_i) (ΣS_i)⁻¹`.
    ///
    /// # Errors
    /// If the moments overflow, or the data do not excite some direction.
    pub fn pooled(expected: &ExpectedFleet) -> Result<Self, NoPrediction> {
        let total = expected.fleet().total();
        let inverse = inverse(&total.s)?;
        let covariance = &inverse * expected.total_noise() * &inverse;
        Ok(Self { mean: total.c * &inverse, covariance })
    }

    /// This law, with its covariance multiplied by the factor ν/(ν − d − 1) for a finite number ν of samples.
    ///
    /// # Errors
    /// If there are too few samples: ν ≤ d + 1.
    pub fn of_samples(self, n_samples: f64) -> Result<Self, NoPrediction> {
        let for_few = for_few(n_samples, self.covariance.nrows())?;
        Ok(Self { covariance: self.covariance * for_few, ..self })
    }
}

/// Computes the law of the mean of the clients' own least squares in steps: mean `mean Θ⁽ⁱ⁾` plus their
/// [bias](super::feedback), row covariance `Σ ν_i S_i⁻¹ / M²` with each client's finite-sample factor.
#[derive(Clone, Debug)]
pub struct MeanOfLocals {
    sum: Law,
    n_clients: usize,
}

/// Work in one step: number of clients times d³.
const STEP: usize = 200_000;

impl MeanOfLocals {
    /// Starts without clients.
    pub fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { sum: Law { mean: Matrix::zeros(n, d), covariance: Matrix::zeros(d, d) }, n_clients: 0 }
    }

    /// Adds some more clients, and returns the law once all clients are included.
    ///
    /// # Errors
    /// If a client's moments overflow, its data do not excite some direction, or it has too few samples.
    pub fn step(&mut self, expected: &ExpectedFleet, scenario: &Scenario) -> Result<Option<Law>, NoPrediction> {
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
        if until < m {
            return Ok(None);
        }
        let feedback = Feedback::new(scenario, GradientScale::Sum);
        feedback.add_bias(1.0, &mut self.sum.mean, |_, eigenvalue| Lanes::splat(1.0) / eigenvalue);
        Ok(Some(self.sum.clone()))
    }
}

/// The mean error of a client's own least squares, `E‖Z Lᵀ‖` with `LLᵀ = ν_i S_i⁻¹` times the finite-sample factor, for
/// the target client or as a mean over all clients.
///
/// # Errors
/// If the moments of such a client overflow, its data do not excite some direction, or it has too few samples; and for
/// the worst client, which is a different one in every data set.
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
            let clients = representatives(fleet.n_clients());
            let n = clients.len();
            clients
                .map(|client| own(client, (DRAWS / n).max(2 * LANES)))
                .sum::<Result<f64, _>>()
                .map(|sum| sum / n as f64)
        }
    }
}

/// The clients that represent so many, at most 512. Large fleets are sampled evenly, in runs of eight successive clients:
/// single clients at an even distance might all be of one kind, as in two alternating clusters.
pub(crate) fn representatives(n_clients: usize) -> impl ExactSizeIterator<Item = usize> {
    let n = n_clients.min(DRAWS);
    let blocked = move |k: usize| middle(k / LANES, BLOCKS, n_clients / LANES) * LANES + k % LANES;
    (0..n).map(move |k| if n < n_clients { blocked(k) } else { k })
}

/// The blocks of clients that represent so many blocks, at most as many as given.
pub(crate) fn representative_blocks(n_blocks: usize, most: usize) -> impl ExactSizeIterator<Item = usize> {
    let n = n_blocks.min(most);
    (0..n).map(move |which| middle(which, n, n_blocks))
}

/// The index in the middle of stretch number `stretch`, if `all` items are divided into `n` stretches. The first items
/// are avoided, because client 2 may be the only outlier.
fn middle(stretch: usize, n: usize, all: usize) -> usize {
    (2 * stretch + 1) * all / (2 * n)
}

/// The finite-sample factor `ν/(ν − d − 1)` for ν samples. Least squares divides by S and not by its mean, and `E S⁻¹`
/// is larger than `(E S)⁻¹`, by this factor for independent normal samples (S is Wishart). Samples along rollouts are
/// not independent, but the factor is still close.
pub(crate) fn for_few(n_samples: f64, d: usize) -> Result<f64, NoPrediction> {
    let left = n_samples - d as f64 - 1.0;
    if left > 0.0 { Ok(n_samples / left) } else { Err(NoPrediction::FewSamples) }
}

/// The inverse of an expected Gram matrix S (d×d).
fn inverse(s: &Matrix) -> Result<Matrix, NoPrediction> {
    if !s.iter().all(|entry| entry.is_finite()) {
        return Err(NoPrediction::Overflow);
    }
    Factor::new(s).map(|factor| factor.inverse()).map_err(|_| NoPrediction::Unexcited)
}

/// Computes mean spectral norms of normal matrices.
#[derive(Clone, Debug)]
pub struct MeanNorms {
    /// Draws of Z (n×d), eight in each.
    draws: Vec<LaneMatrix>,
    norms: LaneNorms,
    errors: LaneMatrix,
    zero: Matrix,
}

/// Sums over draws, eight draws at a time. y is the spectral norm, u the squared Frobenius norm minus its mean.
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

    fn together(&self) -> [f64; 4] {
        [self.y, self.u, self.uu, self.uy].map(Lanes::sum)
    }
}

/// Weighted means over clients of the statistics of their draws: mean of y, mean of u, variance of u, covariance of u
/// and y. Variance and covariance are taken about each client's own means: how y and u vary between clients says
/// nothing about their correlation over draws.
#[derive(Default)]
struct Means {
    weight: f64,
    y: f64,
    u: f64,
    variance: f64,
    covariance: f64,
}

impl Means {
    /// Adds a client with `n_draws` draws.
    fn add(&mut self, weight: f64, n_draws: usize, sums: [f64; 4]) {
        let [y, u, uu, uy] = sums.map(|sum| sum / n_draws as f64);
        self.weight += weight;
        self.y += weight * y;
        self.u += weight * u;
        self.variance += weight * (uu - u * u);
        self.covariance += weight * (uy - u * y);
    }

    /// The mean of y, corrected by the control variate u, whose true mean is 0.
    fn corrected(&self) -> f64 {
        let [y, u, variance, covariance] =
            [self.y, self.u, self.variance, self.covariance].map(|sum| sum / self.weight);
        // Without noise, or with negligible noise, there is nothing to correct.
        if variance > 1e-20 * y.powi(4) { y - covariance / variance * u } else { y }
    }
}

impl MeanNorms {
    /// Makes the draws of Z for systems of these dimensions.
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

    /// `E‖Θ − Θ⁽ⁱ⁾‖` for the target client, or its mean over all clients. For the worst client it is the mean of the
    /// largest error among the eight clients farthest from Θ̄.
    pub fn of(&mut self, law: &Law, truth: &Truth) -> f64 {
        self.with_draws(BLOCKS, law, truth)
    }

    /// The same as [`MeanNorms::of`] from a quarter of the draws, for curves with many points.
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
        // Fewer than eight clients are handled one by one, with a draw in every lane; a block of clients would have
        // empty lanes.
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
                    sums.add(self.norms.of_draws(&self.errors), square - expected);
                }
                means.add(1.0, n * LANES, sums.together());
            }
            return means.corrected();
        }
        // The draws are divided among the blocks of clients; all clients have the same weight. If there are more blocks
        // than draws, as many blocks as draws are taken, evenly spaced.
        let blocks: Vec<_> = truth.blocks().collect();
        let chosen = representative_blocks(blocks.len(), n_draws);
        let n_blocks = chosen.len();
        for (which, block) in chosen.enumerate() {
            let (_, thetas, counting) = blocks[block];
            let draws = self.draws[..n_draws].iter().skip(which).step_by(n_blocks);
            let (n, mut sums) = (draws.len(), Draws::default());
            self.errors.set_all(&law.mean);
            self.errors.add_scaled(Lanes::splat(-1.0), thetas);
            let expected = self.errors.squared_norms() + Lanes::splat(law.noise());
            for z in draws {
                self.errors.set_affine(z, factor, &law.mean);
                self.errors.add_scaled(Lanes::splat(-1.0), thetas);
                let square = self.errors.squared_norms();
                sums.add(self.norms.of_draws(&self.errors), square - expected);
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
            // If there are fewer than eight clients, the last one is repeated.
            let farthest = distances.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            if let Some((farthest, _)) = farthest.filter(|(_, distance)| **distance != f64::NEG_INFINITY) {
                chosen = farthest;
                distances[farthest] = f64::NEG_INFINITY;
            }
            candidates.set_lane(lane, &blocks[chosen / LANES].lane(chosen % LANES));
        }
        // Control variate: the farthest client's squared norm is correlated with the largest norm.
        let expected = (&law.mean - candidates.lane(0)).norm_squared() + law.noise();
        let (mut sums, mut means) = ([0.0; 4], Means::default());
        // Each draw is combined with eight candidates, so only half of the draws are used.
        let draws = &self.draws[..n_draws / 2];
        let mut noise = LaneMatrix::zeros(law.mean.nrows(), law.mean.ncols());
        for z in draws {
            noise.set_affine(z, factor, &law.mean);
            for lane in 0..LANES {
                let entries = self.errors.entries_mut().iter_mut().zip(noise.entries()).zip(candidates.entries());
                entries.for_each(|((error, noise), &theta)| *error = Lanes::splat(noise.0[lane]) - theta);
                let y = self.norms.of_draws(&self.errors).0.into_iter().fold(0.0, f64::max);
                let u = self.errors.squared_norms().0[0] - expected;
                sums.iter_mut().zip([y, u, u * u, u * y]).for_each(|(sum, more)| *sum += more);
            }
        }
        means.add(1.0, draws.len() * LANES, sums);
        means.corrected()
    }

    /// The squared Frobenius norm of every client's error; −∞ for clients that are not the target.
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

    /// `E‖Z Lᵀ‖` for noise alone with row covariance LLᵀ (d×d), from `n_draws` draws, rounded up to a multiple of eight
    /// and at most all.
    pub fn of_noise(&mut self, covariance: &Matrix, n_draws: usize) -> f64 {
        let factor = semidefinite_factor(covariance).transpose();
        let expected = Lanes::splat(self.zero.nrows() as f64 * covariance.trace());
        let (mut sums, mut means) = (Draws::default(), Means::default());
        let draws = &self.draws[..n_draws.div_ceil(LANES).clamp(1, BLOCKS)];
        for z in draws {
            self.errors.set_affine(z, &factor, &self.zero);
            let square = self.errors.squared_norms();
            sums.add(self.norms.of_draws(&self.errors), square - expected);
        }
        means.add(1.0, draws.len() * LANES, sums.together());
        means.corrected()
    }
}

#[cfg(test)]
mod tests;
