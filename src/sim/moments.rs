//! The moments of a client's data, which are all that estimation uses.

use super::Matrix;
use super::system::Dims;

/// Second moments of a client's samples `(z, x⁺)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Moments {
    /// Gram matrix `S = Σ z zᵀ`, d×d, symmetric and positive semidefinite.
    pub s: Matrix,
    /// Cross moments `C = Σ x⁺ zᵀ`, n×d.
    pub c: Matrix,
    /// Number of samples summed, `N·T`.
    pub n_samples: u64,
}

impl Moments {
    /// The moments of no data: zeros.
    pub fn zeros(dims: Dims) -> Self {
        let d = dims.n_regressors();
        Self { s: Matrix::zeros(d, d), c: Matrix::zeros(dims.n_states, d), n_samples: 0 }
    }

    /// Adds other moments; the sum has the moments of both data sets together.
    pub fn add(&mut self, other: &Self) {
        self.s += &other.s;
        self.c += &other.c;
        self.n_samples += other.n_samples;
    }

    /// The moments divided by `n_clients`: the mean over clients if these are the sums over them. `n_samples` is
    /// rounded down.
    pub fn divided(&self, n_clients: usize) -> Self {
        let share = 1.0 / n_clients as f64;
        Self { s: &self.s * share, c: &self.c * share, n_samples: self.n_samples / (n_clients.max(1) as u64) }
    }

    /// Whether every entry is finite. Unstable systems overflow on long rollouts.
    pub fn is_finite(&self) -> bool {
        self.s.iter().chain(self.c.iter()).all(|v| v.is_finite())
    }

    /// The descent direction `(X − ΘZ)Zᵀ = C − ΘS`, n×d: minus half the gradient of `‖X − ΘZ‖_F²`.
    pub fn gradient(&self, theta: &Matrix) -> Matrix {
        &self.c - theta * &self.s
    }
}
