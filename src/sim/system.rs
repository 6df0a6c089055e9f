//! One linear system `x⁺ = Ax + Bu + w` and its sizes.

use fedsysid_say::say;
use std::fmt;

use super::Matrix;

/// The sizes of a system: `n` states, `p` inputs, `d = n + p` regressors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Number of states `n`.
    pub n_states: usize,
    /// Number of inputs `p`.
    pub n_inputs: usize,
}

impl Dims {
    /// Length of the regressor `z = [x; u]`: `d = n + p`.
    pub fn n_regressors(self) -> usize {
        self.n_states + self.n_inputs
    }

    /// Number of standard normals behind one rollout of `rollout_len` steps: `D = n + T(n + p)`.
    pub fn n_normals(self, rollout_len: usize) -> usize {
        self.n_states + rollout_len * self.n_regressors()
    }
}

/// Why two matrices do not form a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemError {
    /// `A` has no rows, or is not square.
    ANotSquare {
        /// Rows of `A`.
        rows: usize,
        /// Columns of `A`.
        cols: usize,
    },
    /// `B` must have as many rows as `A`, and at least one column.
    BShape {
        /// Rows of `B`.
        rows: usize,
        /// Columns of `B`.
        cols: usize,
        /// Rows of `A`.
        n_states: usize,
    },
    /// An entry is NaN or infinite.
    NotFinite,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ANotSquare { rows, cols } => {
                f.write_str(&say!("A must be square with at least one state, got {rows}×{cols}"))
            }
            Self::BShape { rows, cols, n_states } => {
                f.write_str(&say!("B must have {n_states} rows like A and at least one column, got {rows}×{cols}"))
            }
            Self::NotFinite => f.write_str(say!("every entry of A and B must be a finite number")),
        }
    }
}

impl std::error::Error for SystemError {}

/// A system `x⁺ = Ax + Bu + w`, with finite entries and shapes that fit.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSystem {
    a: Matrix,
    b: Matrix,
}

impl LinearSystem {
    /// A system from its state matrix `a` (n×n) and input matrix `b` (n×p).
    ///
    /// # Errors
    /// If the shapes do not fit or an entry is not finite.
    pub fn new(a: Matrix, b: Matrix) -> Result<Self, SystemError> {
        if a.nrows() == 0 || a.nrows() != a.ncols() {
            return Err(SystemError::ANotSquare { rows: a.nrows(), cols: a.ncols() });
        }
        if b.nrows() != a.nrows() || b.ncols() == 0 {
            return Err(SystemError::BShape { rows: b.nrows(), cols: b.ncols(), n_states: a.nrows() });
        }
        if !a.iter().chain(b.iter()).all(|v| v.is_finite()) {
            return Err(SystemError::NotFinite);
        }
        Ok(Self { a, b })
    }

    /// State matrix `A`, n×n.
    pub fn a(&self) -> &Matrix {
        &self.a
    }

    /// Input matrix `B`, n×p.
    pub fn b(&self) -> &Matrix {
        &self.b
    }

    /// The sizes n and p.
    pub fn dims(&self) -> Dims {
        Dims { n_states: self.a.nrows(), n_inputs: self.b.ncols() }
    }

    /// The parameter matrix `Θ = [A B]`, n×d.
    pub fn theta(&self) -> Matrix {
        let (n, p) = (self.a.nrows(), self.b.ncols());
        let mut theta = Matrix::zeros(n, n + p);
        theta.columns_mut(0, n).copy_from(&self.a);
        theta.columns_mut(n, p).copy_from(&self.b);
        theta
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(a: (usize, usize), b: (usize, usize), expected: Result<Dims, SystemError>) {
        let made = LinearSystem::new(Matrix::zeros(a.0, a.1), Matrix::zeros(b.0, b.1));
        assert_eq!(made.map(|system| system.dims()), expected);
    }

    #[test]
    fn shapes_are_checked() {
        check((3, 3), (3, 2), Ok(Dims { n_states: 3, n_inputs: 2 }));
        check((0, 0), (0, 1), Err(SystemError::ANotSquare { rows: 0, cols: 0 }));
        check((2, 3), (2, 1), Err(SystemError::ANotSquare { rows: 2, cols: 3 }));
        check((2, 2), (3, 1), Err(SystemError::BShape { rows: 3, cols: 1, n_states: 2 }));
        check((2, 2), (2, 0), Err(SystemError::BShape { rows: 2, cols: 0, n_states: 2 }));
    }

    #[test]
    fn entries_must_be_finite() {
        let a = Matrix::from_element(1, 1, f64::NAN);
        assert_eq!(LinearSystem::new(a, Matrix::zeros(1, 1)), Err(SystemError::NotFinite));
    }

    #[test]
    fn theta_is_a_then_b() {
        let system = LinearSystem::new(
            Matrix::from_row_slice(2, 2, &[1.0, 2.0, 3.0, 4.0]),
            Matrix::from_row_slice(2, 1, &[5.0, 6.0]),
        )
        .unwrap();
        assert_eq!(system.theta(), Matrix::from_row_slice(2, 3, &[1.0, 2.0, 5.0, 3.0, 4.0, 6.0]));
    }
}
