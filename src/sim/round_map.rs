//! A federated round in closed form: one affine map of the server's model.
//!
//! K local steps on a client are a polynomial in its Gram matrix S:
//!
//! ```text
//! Θ ← Θ P + C Q      P = Π_k (I − α_k S)      Q = Σ_k α_k Π_{j<k} (I − α_j S)      so that I − P = SQ
//! ```
//!
//! and a round, with bars for means over clients,
//!
//! ```text
//! FedAvg: Θ̄ ← Θ̄ P̄ + mean(C_i Q_i)            FedLin: Θ̄ ← Θ̄ + (C̄ − Θ̄ S̄) Q̄
//! ```
//!
//! at a cost that depends on neither N, T, M nor K once the means are built. (Derived from the paper's Algorithm 1 with
//! full participation; [`textbook`](super::textbook) holds the steps as printed.)

use nalgebra::{Dyn, SymmetricEigen};

use super::Matrix;
use super::moments::Moments;
use super::norm::spectral_norm;
use super::schedule::Schedule;
use super::system::Dims;

/// What the local steps of one round do to a client's model: `Θ ← Θ P + C Q`.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalMap {
    /// `P`, d×d, symmetric.
    pub p: Matrix,
    /// `Q`, d×d, symmetric.
    pub q: Matrix,
}

impl LocalMap {
    /// No step at all.
    fn identity(d: usize) -> Self {
        Self { p: Matrix::identity(d, d), q: Matrix::zeros(d, d) }
    }

    /// One gradient step of size `step_size` on the Gram matrix `s`.
    fn step(s: &Matrix, step_size: f64) -> Self {
        let d = s.nrows();
        Self { p: Matrix::identity(d, d) - s * step_size, q: Matrix::identity(d, d) * step_size }
    }

    /// This map and then another one of the same client. Both are polynomials in S, so the order does not matter.
    fn then(&self, later: &Self) -> Self {
        Self { p: &self.p * &later.p, q: &self.q + &self.p * &later.q }
    }

    /// `n_steps` equal steps, in 2 log₂ K products.
    pub fn repeated(s: &Matrix, step_size: f64, n_steps: usize) -> Self {
        let mut all = Self::identity(s.nrows());
        let mut power = Self::step(s, step_size);
        let mut left = n_steps;
        while left > 0 {
            if left % 2 == 1 {
                all = all.then(&power);
            }
            left /= 2;
            if left > 0 {
                power = power.then(&power);
            }
        }
        all
    }

    /// Steps of the given sizes.
    pub fn product(s: &Matrix, step_sizes: impl IntoIterator<Item = f64>) -> Self {
        step_sizes.into_iter().fold(Self::identity(s.nrows()), |map, size| map.then(&Self::step(s, size)))
    }

    /// The steps of a round under a schedule that [repeats every round](Schedule::repeats_every_round).
    pub fn of_round(s: &Matrix, schedule: Schedule, step_size: f64, n_steps: usize) -> Self {
        match schedule {
            Schedule::OverLocalSteps => Self::product(s, (1..=n_steps).map(|k| schedule.step_size(step_size, k, 0, 1))),
            Schedule::Constant | Schedule::OverRounds => Self::repeated(s, step_size, n_steps),
        }
    }
}

/// A round as an affine map of the server's model: `Θ̄ ← Θ̄ F + G`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundMap {
    /// `F`, d×d.
    pub factor: Matrix,
    /// `G`, n×d.
    pub offset: Matrix,
}

impl RoundMap {
    /// FedAvg's round from `P̄` and `mean(C_i Q_i)`.
    pub fn fedavg(mean_p: Matrix, mean_cq: Matrix) -> Self {
        Self { factor: mean_p, offset: mean_cq }
    }

    /// FedLin's round from the mean moments `S̄`, `C̄` and `Q̄`.
    pub fn fedlin(mean: &Moments, mean_q: &Matrix) -> Self {
        let d = mean.s.nrows();
        Self { factor: Matrix::identity(d, d) - &mean.s * mean_q, offset: &mean.c * mean_q }
    }

    /// The server's model after the round.
    pub fn apply(&self, model: &Matrix) -> Matrix {
        model * &self.factor + &self.offset
    }
}

/// Contraction ρ of a symmetric round factor such as FedAvg's `P̄`: its largest |eigenvalue|, which for a symmetric
/// matrix is its spectral norm. Infinite when the factor overflowed.
pub fn contraction_symmetric(factor: &Matrix) -> f64 {
    let rho = spectral_norm(factor);
    if rho.is_nan() { f64::INFINITY } else { rho }
}

/// Contraction ρ of FedLin's `I − S̄Q̄`, which shares its eigenvalues with the symmetric `I − S̄^½ Q̄ S̄^½`.
/// Infinite when a matrix overflowed.
pub fn contraction_fedlin(mean_s: &Matrix, mean_q: &Matrix) -> f64 {
    let Some(eigen) = diagonalised(mean_s) else { return f64::INFINITY };
    let roots = eigen.eigenvalues.map(|value| value.max(0.0).sqrt());
    let root = &eigen.eigenvectors * Matrix::from_diagonal(&roots) * eigen.eigenvectors.transpose();
    let d = mean_s.nrows();
    contraction_symmetric(&(Matrix::identity(d, d) - &root * mean_q * &root))
}

/// Eigenvalues and eigenvectors of a symmetric matrix, or `None` when an entry is, or becomes, infinite.
fn diagonalised(s: &Matrix) -> Option<SymmetricEigen<f64, Dyn>> {
    // The iteration takes two or three passes an eigenvalue; only an overflow inside it would never end.
    const MAX_PASSES: usize = 1_000;
    let finite = s.iter().all(|v| v.is_finite());
    finite.then(|| SymmetricEigen::try_new(s.clone(), f64::EPSILON, MAX_PASSES)).flatten()
}

/// Every client's S diagonalised once, for schedules whose step changes from round to round.
///
/// With `S_i = V_i Λ_i V_iᵀ`, the means over clients are linear in the scalars `p(λ)`, `q(λ)` of all eigenvalues:
/// `P̄ = (1/M) Σ v p(λ) vᵀ`, so a round costs M·d scalars and one matrix-vector product for each mean.
#[derive(Clone, Debug, Default)]
pub struct SpectralFleet {
    /// All eigenvalues λ of all clients.
    eigenvalues: Vec<f64>,
    /// For each λ, the entries of `v vᵀ` (d×d).
    projections: Vec<f64>,
    /// For each λ, the entries of `C_i v vᵀ` (n×d).
    crosses: Vec<f64>,
    n_clients: usize,
}

impl SpectralFleet {
    /// Adds a client. Moments that overflowed make every mean NaN.
    pub fn add(&mut self, moments: &Moments) {
        self.n_clients += 1;
        let Some(eigen) = diagonalised(&moments.s) else {
            self.eigenvalues.push(f64::NAN);
            self.projections.resize(self.projections.len() + moments.s.len(), f64::NAN);
            self.crosses.resize(self.crosses.len() + moments.c.len(), f64::NAN);
            return;
        };
        for (v, &value) in eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues) {
            let projection = v * v.transpose();
            self.eigenvalues.push(value);
            self.crosses.extend((&moments.c * &projection).iter());
            self.projections.extend(projection.iter());
        }
    }

    /// The means over clients for a round of `n_steps` equal local steps.
    pub fn means(&self, step_size: f64, n_steps: usize, dims: Dims) -> FleetMeans {
        let mut sums = FleetMeans::zeros(dims);
        let terms = self.projections.chunks_exact(sums.p.len()).zip(self.crosses.chunks_exact(sums.cq.len()));
        for (&value, (projection, cross)) in self.eigenvalues.iter().zip(terms) {
            let (p, q) = scalar_steps(value, step_size, n_steps);
            add_scaled(&mut sums.p, p, projection);
            add_scaled(&mut sums.q, q, projection);
            add_scaled(&mut sums.cq, q, cross);
        }
        sums.divided(self.n_clients)
    }
}

/// Means over clients of what a round needs (or, before the division, sums).
#[derive(Clone, Debug, PartialEq)]
pub struct FleetMeans {
    /// `P̄`, d×d.
    pub p: Matrix,
    /// `Q̄`, d×d.
    pub q: Matrix,
    /// `mean(C_i Q_i)`, n×d.
    pub cq: Matrix,
}

impl FleetMeans {
    /// The sums over no clients.
    pub fn zeros(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { p: Matrix::zeros(d, d), q: Matrix::zeros(d, d), cq: Matrix::zeros(n, d) }
    }

    /// Adds a client's local map.
    pub fn add(&mut self, moments: &Moments, map: &LocalMap) {
        self.p += &map.p;
        self.q += &map.q;
        self.cq += &moments.c * &map.q;
    }

    /// The means, from sums over `n_clients` clients.
    pub fn divided(&self, n_clients: usize) -> Self {
        let share = 1.0 / n_clients as f64;
        Self { p: &self.p * share, q: &self.q * share, cq: &self.cq * share }
    }
}

fn add_scaled(sum: &mut Matrix, factor: f64, entries: &[f64]) {
    for (total, entry) in sum.iter_mut().zip(entries) {
        *total += factor * entry;
    }
}

/// `(p, q)` of K equal steps on one eigenvalue, by doubling: `p = (1 − αλ)^K`, `q = α Σ_{k<K} (1 − αλ)^k`.
fn scalar_steps(eigenvalue: f64, step_size: f64, n_steps: usize) -> (f64, f64) {
    let then = |(p, q): (f64, f64), (later_p, later_q): (f64, f64)| (p * later_p, q + p * later_q);
    let mut all = (1.0, 0.0);
    let mut power = (1.0 - step_size * eigenvalue, step_size);
    let mut left = n_steps;
    while left > 0 {
        if left % 2 == 1 {
            all = then(all, power);
        }
        power = then(power, power);
        left /= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use rand_distr::StandardNormal;

    use super::*;
    use crate::sim::stream::{Purpose, Seed, stream};

    /// Moments of random data: S = ZZᵀ with twice as many samples as regressors.
    fn moments(n: usize, d: usize, client: usize) -> Moments {
        let mut rng = stream(Seed(11), Purpose::Data, 0, client);
        let mut normal = |rows, cols| Matrix::from_fn(rows, cols, |_, _| rng.sample::<f64, _>(StandardNormal));
        let (z, x) = (normal(d, 2 * d), normal(n, 2 * d));
        Moments { s: &z * z.transpose(), c: x * z.transpose(), n_samples: 2 * d }
    }

    #[test]
    fn local_maps_are_the_steps_one_by_one() {
        let moments = moments(3, 5, 0);
        let steps: Vec<f64> = (1..=13).map(|k| 0.01 / f64::from(k)).collect();
        let start = Matrix::from_fn(3, 5, |i, j| (i + 2 * j) as f64);
        let walked = steps.iter().fold(start.clone(), |theta, &a| &theta + moments.gradient(&theta) * a);
        let map = LocalMap::product(&moments.s, steps);
        assert!((start * &map.p + &moments.c * &map.q - walked).amax() < 1e-12);
    }

    #[test]
    fn repeated_steps_are_the_product_of_equal_ones() {
        let s = moments(3, 5, 0).s;
        for n_steps in [1, 2, 3, 10, 64, 100] {
            let fast = LocalMap::repeated(&s, 0.01, n_steps);
            let slow = LocalMap::product(&s, vec![0.01; n_steps]);
            assert!((&fast.p - &slow.p).amax() < 1e-13, "{n_steps}");
            assert!((&fast.q - &slow.q).amax() < 1e-13, "{n_steps}");
            let identity = &fast.p + &s * &fast.q;
            assert!((identity - Matrix::identity(5, 5)).amax() < 1e-13, "P + SQ = I at {n_steps}");
        }
    }

    #[test]
    fn spectral_means_are_the_means_of_local_maps() {
        let dims = Dims { n_states: 2, n_inputs: 2 };
        let clients: Vec<_> = (0..4).map(|client| moments(2, 4, client)).collect();
        let mut fleet = SpectralFleet::default();
        clients.iter().for_each(|client| fleet.add(client));
        let mut sums = FleetMeans::zeros(dims);
        clients.iter().for_each(|client| sums.add(client, &LocalMap::repeated(&client.s, 0.02, 7)));
        let (got, expected) = (fleet.means(0.02, 7, dims), sums.divided(4));
        assert!((got.p - expected.p).amax() < 1e-13);
        assert!((got.q - expected.q).amax() < 1e-13);
        assert!((got.cq - expected.cq).amax() < 1e-12);
    }

    #[test]
    fn an_overflow_is_not_hidden() {
        let dims = Dims { n_states: 1, n_inputs: 1 };
        for entry in [f64::INFINITY, f64::NAN] {
            let mut fleet = SpectralFleet::default();
            fleet.add(&Moments { s: Matrix::from_element(2, 2, entry), ..Moments::zeros(dims) });
            assert!(fleet.means(0.1, 3, dims).p.iter().all(|v| v.is_nan()));
        }
    }

    #[test]
    fn contraction_is_the_spectral_radius() {
        let (a, b) = (moments(2, 4, 0), moments(2, 4, 1));
        let mean = Moments { s: (&a.s + &b.s) / 2.0, c: (&a.c + &b.c) / 2.0, n_samples: 8 };
        for step_size in [0.01, 0.3] {
            let q = (LocalMap::repeated(&a.s, step_size, 3).q + LocalMap::repeated(&b.s, step_size, 3).q) / 2.0;
            let map = RoundMap::fedlin(&mean, &q);
            let expected = map.factor.complex_eigenvalues().iter().fold(0.0_f64, |r, v| r.max(v.re.hypot(v.im)));
            let got = contraction_fedlin(&mean.s, &q);
            assert!((got - expected).abs() < 1e-9 * expected, "{got} {expected}");
        }
        assert!(contraction_symmetric(&Matrix::from_element(2, 2, f64::NAN)).is_infinite());
    }
}
