//! Controllability of (A, B): the subspace that inputs can reach, and the directions that they cannot.
//!
//! The reachable subspace is the span of `B, AB, …, A^{n−1}B`. The columns of high powers become nearly parallel, so an
//! orthonormal basis is built block by block, as in Arnoldi's method (Golub and Van Loan, Matrix Computations, section
//! 10.5). The new part of a column is compared with the column itself, so units do not matter.

use fedsysid_sim::Matrix;
use fedsysid_sim::system::LinearSystem;

/// The subspace that the inputs of a system can reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The number of steps after which nothing more is reached (the controllability index); 0 if B is zero.
    pub n_steps: usize,
    /// The dimension of the reachable subspace, at most n.
    pub rank: usize,
    /// Orthonormal basis of the directions that no input reaches, n entries each; empty if the system is controllable.
    pub unreached: Vec<Vec<f64>>,
}

/// The least share of a column that must be new for it to count: far above rounding, far below the accuracy of any
/// model.
const LEAST: f64 = 1e-10;

impl Reach {
    /// Computes the reachable subspace of a system.
    pub fn of(system: &LinearSystem) -> Self {
        let n = system.dims().n_states;
        let mut basis: Vec<Vec<f64>> = Vec::new();
        let mut block: Vec<Vec<f64>> =
            system.b().column_iter().map(|column| column.iter().copied().collect()).collect();
        let mut n_steps = 0;
        let mut scale = 0.0;
        while basis.len() < n {
            let known = basis.len();
            for vector in &block {
                let new = beside(&basis, vector);
                // A product of A and a unit vector that is tiny compared with A is zero up to rounding.
                if size(&new) > LEAST * size(vector).max(scale) {
                    basis.push(scaled(&new, 1.0 / size(&new)));
                }
            }
            if basis.len() == known {
                break;
            }
            n_steps += 1;
            block = basis[known..].iter().map(|vector| product(system.a(), vector)).collect();
            scale = system.a().norm();
        }
        let rank = basis.len();
        while basis.len() < n {
            // The coordinate axis farthest from the span comes next, so that single unreached states appear as such.
            let beside = (0..n).map(|state| beside(&basis, &unit(n, state)));
            let farthest = beside.rev().max_by(|one, other| size(one).total_cmp(&size(other))).unwrap_or_default();
            basis.push(scaled(&farthest, 1.0 / size(&farthest)));
        }
        Self { n_steps, rank, unreached: basis.split_off(rank) }
    }

    /// Whether the system is controllable.
    pub fn is_complete(&self) -> bool {
        self.unreached.is_empty()
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn size(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

fn scaled(vector: &[f64], factor: f64) -> Vec<f64> {
    vector.iter().map(|entry| factor * entry).collect()
}

fn unit(n: usize, place: usize) -> Vec<f64> {
    (0..n).map(|k| f64::from(u8::from(k == place))).collect()
}

fn product(matrix: &Matrix, vector: &[f64]) -> Vec<f64> {
    (0..matrix.nrows()).map(|i| matrix.row(i).iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

/// The part of a vector orthogonal to an orthonormal basis. The projection is removed twice, since rounding leaves some
/// of it after the first time; twice is enough.
fn beside(basis: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    let mut rest = vector.to_vec();
    for known in basis.iter().chain(basis) {
        let along = dot(known, &rest);
        rest.iter_mut().zip(known).for_each(|(entry, known)| *entry -= along * known);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedsysid_sim::family::Family;
    use fedsysid_sim::normal::normal;
    use fedsysid_sim::stream::{Purpose, Seed, stream};

    fn system(n: usize, a: &[f64], b: &[f64]) -> LinearSystem {
        LinearSystem::new(Matrix::from_row_slice(n, n, a), Matrix::from_row_slice(n, b.len() / n, b)).unwrap()
    }

    #[track_caller]
    fn check(system: &LinearSystem, n_steps: usize, rank: usize, unreached: &[&[f64]]) {
        let reach = Reach::of(system);
        assert_eq!((reach.n_steps, reach.rank, reach.is_complete()), (n_steps, rank, unreached.is_empty()));
        assert_eq!(reach.unreached.len(), unreached.len());
        for (got, expected) in reach.unreached.iter().zip(unreached) {
            assert!((dot(got, expected).abs() - 1.0).abs() < 1e-12, "{got:?} {expected:?}");
        }
    }

    #[test]
    fn what_is_reached_is_counted_and_the_rest_is_named() {
        check(Family::paper().nominal(), 2, 3, &[]);
        check(&system(3, &[0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0, 0.0, 1.0]), 3, 3, &[]);
        check(&system(2, &[0.5, 0.0, 0.0, 0.4], &[1.0, 0.0]), 1, 1, &[&[0.0, 1.0]]);
        check(&system(2, &[0.5, 0.0, 0.0, 0.4], &[0.0, 0.0]), 0, 0, &[&[1.0, 0.0], &[0.0, 1.0]]);
        // One input drives two equal modes equally: their difference is not reachable.
        let half = 0.5_f64.sqrt();
        check(&system(2, &[0.5, 0.0, 0.0, 0.5], &[1.0, 1.0]), 1, 1, &[&[half, -half]]);
        check(&system(1, &[0.0], &[1e-9]), 1, 1, &[]);
    }

    /// A double integrator sampled ten thousand times per second, and others with units a million times larger and
    /// smaller.
    #[test]
    fn fast_sampling_and_odd_units_do_not_hide_a_state() {
        let h = 1e-4;
        check(&system(2, &[1.0, h, 0.0, 1.0], &[h * h / 2.0, h]), 2, 2, &[]);
        check(&system(2, &[1.0, 1e-3, 0.0, 1.0], &[0.0, 1e6]), 2, 2, &[]);
        check(&system(2, &[1.0, 0.1, 0.0, 1.0], &[0.0, 1e-6]), 2, 2, &[]);
    }

    /// In other coordinates, the unreached subspace has the same dimension, and is the kernel of `[B AB …]ᵀ`.
    #[test]
    fn turned_coordinates_change_nothing() {
        let mut rng = stream(Seed(3), Purpose::Data, 0, 0);
        for k in 0..600 {
            let (n, p) = (1 + k % 6, 1 + k % 4);
            let rank = k % (n + 1);
            // The reachable states come first, and do not drive the others.
            let a = Matrix::from_fn(n, n, |i, j| if i >= rank && j < rank { 0.0 } else { normal(&mut rng) });
            let b = Matrix::from_fn(n, p, |i, _| if i < rank { normal(&mut rng) } else { 0.0 });
            let turn = Matrix::from_fn(n, n, |_, _| normal(&mut rng)).qr().q();
            let turned = LinearSystem::new(&turn * a * turn.transpose(), &turn * b).unwrap();
            let reach = Reach::of(&turned);
            assert_eq!((reach.rank, reach.unreached.len()), (rank, n - rank));
            let mut reached = turned.b().clone();
            for _ in 0..n {
                for direction in &reach.unreached {
                    let along = Matrix::from_row_slice(1, n, direction) * &reached;
                    assert!(along.amax() < 1e-9 * (1.0 + reached.amax()), "{along}");
                    assert!((size(direction) - 1.0).abs() < 1e-12);
                }
                reached = turned.a() * reached;
            }
        }
    }
}
