//! Sums over clients of the effects of their local steps, for many step sizes and many K.
//!
//! With `Γ_i = Σ_j λ_j v_j v_jᵀ`, a client's `I − P_i = Σ_j λ_j q_j v_j v_jᵀ` and `Q_i = Σ_j q_j v_j v_jᵀ` depend on α
//! and K only through the q. So a sum over clients is a product of two matrices: the q (one column per eigenvector) and
//! their terms (one row per eigenvector).

use super::steps::Steps;
use fedsysid_sim::Matrix;
use fedsysid_sim::eigen::Eigen;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};

/// A client: the eigenvalues and eigenvectors of its Gram matrix (in one of eight lanes), its system's deviation from
/// the nominal one (n×d), and its local steps in every row of the map.
#[derive(Debug)]
pub(super) struct Client<'a> {
    pub(super) eigen: &'a Eigen,
    pub(super) lane: usize,
    pub(super) deviation: Matrix,
    pub(super) n_steps: Vec<usize>,
}

impl Client<'_> {
    fn eigenvalue(&self, k: usize) -> f64 {
        self.eigen.values[k].0[self.lane]
    }

    fn eigenvector(&self, k: usize) -> Matrix {
        let d = self.eigen.values.len();
        Matrix::from_fn(d, 1, |i, _| self.eigen.vectors[(i, k)].0[self.lane])
    }
}

/// Number of entries of a symmetric matrix on and below its diagonal.
fn n_symmetric(d: usize) -> usize {
    d * (d + 1) / 2
}

fn put_symmetric(to: &mut [f64], v: &Matrix, factor: f64) {
    let entries = (0..v.nrows()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    to.iter_mut().zip(entries).for_each(|(entry, (i, j))| *entry = factor * v[i] * v[j]);
}

fn put_product(to: &mut [f64], left: &Matrix, right: &Matrix, factor: f64) {
    let entries = (0..left.nrows()).flat_map(|i| (0..right.nrows()).map(move |j| (i, j)));
    to.iter_mut().zip(entries).for_each(|(entry, (i, j))| *entry = factor * left[i] * right[j]);
}

/// The terms of some clients, without their factors q: one row per eigenvector.
#[derive(Debug)]
pub(super) struct Terms {
    eigenvalues: Vec<f64>,
    /// For each client, its local steps K_i in each row of the map.
    n_steps: Vec<Vec<usize>>,
    /// `λ v vᵀ`, followed by `λ Δ v vᵀ`, both divided by M.
    fedavg: Matrix,
    /// `Lᵀ v vᵀ L`, divided by M.
    fedlin: Matrix,
}

impl Terms {
    /// The terms of some of `n_clients` clients; `root` is L of `S̄ = LLᵀ`.
    pub(super) fn new(clients: Vec<Client<'_>>, n_clients: usize, root: &Matrix) -> Self {
        let d = root.nrows();
        let n = clients.first().map_or(0, |client| client.deviation.nrows());
        let share = 1.0 / n_clients as f64;
        let (symmetric, n_terms) = (n_symmetric(d), clients.len() * d);
        let mut eigenvalues = Vec::with_capacity(n_terms);
        // Filled by columns, which are contiguous in memory, and transposed at the end.
        let mut fedavg = Matrix::zeros(symmetric + n * d, n_terms);
        let mut fedlin = Matrix::zeros(symmetric, n_terms);
        let columns = fedavg.as_mut_slice().chunks_exact_mut(symmetric + n * d);
        let terms = clients.iter().flat_map(|client| (0..d).map(move |k| (client, k)));
        for ((client, k), (to_fedavg, to_fedlin)) in
            terms.zip(columns.zip(fedlin.as_mut_slice().chunks_exact_mut(symmetric)))
        {
            let (value, v) = (client.eigenvalue(k), client.eigenvector(k));
            let (to_p, to_deviation) = to_fedavg.split_at_mut(symmetric);
            put_symmetric(to_p, &v, share * value);
            put_product(to_deviation, &(&client.deviation * &v), &v, share * value);
            put_symmetric(to_fedlin, &root.tr_mul(&v), share);
            eigenvalues.push(value);
        }
        let n_steps = clients.into_iter().map(|client| client.n_steps).collect();
        Self { eigenvalues, n_steps, fedavg: fedavg.transpose(), fedlin: fedlin.transpose() }
    }

    /// The q of every term: one row per row of the map, one column per term.
    fn weights(&self, steps: &mut Steps, step_sizes: Lanes, weights: &mut LaneMatrix) {
        let d = self.eigenvalues.len() / self.n_steps.len().max(1);
        for (column, &eigenvalue) in self.eigenvalues.iter().enumerate() {
            steps.set(eigenvalue, step_sizes);
            for (row, &n_steps) in self.n_steps[column / d].iter().enumerate() {
                weights[(row, column)] = steps.after(n_steps);
            }
        }
    }
}

/// The sums so far, for eight step sizes: one row per row of the map.
#[derive(Debug)]
pub(super) struct Sums {
    /// The mean of `I − P_i`, and the mean of `Δ_i (I − P_i)`.
    fedavg: LaneMatrix,
    /// `Lᵀ Q̄ L`.
    fedlin: LaneMatrix,
    room: [LaneMatrix; 2],
}

impl Sums {
    pub(super) fn new(n_rows: usize, n: usize, d: usize) -> Self {
        let fedavg = LaneMatrix::zeros(n_rows, n_symmetric(d) + n * d);
        let fedlin = LaneMatrix::zeros(n_rows, n_symmetric(d));
        Self { room: [fedavg.clone(), fedlin.clone()], fedavg, fedlin }
    }

    pub(super) fn clear(&mut self) {
        self.fedavg.fill(0.0);
        self.fedlin.fill(0.0);
    }

    /// Adds the terms of some clients. `steps` are FedAvg's, and FedLin's if they differ.
    pub(super) fn add(&mut self, terms: &Terms, steps: (&mut Steps, Option<&mut Steps>), step_sizes: Lanes) {
        let n_rows = self.fedavg.rows();
        let mut weights = LaneMatrix::zeros(n_rows, terms.eigenvalues.len());
        let (of_fedavg, of_fedlin) = steps;
        terms.weights(of_fedavg, step_sizes, &mut weights);
        self.room[0].set_affine(&weights, &terms.fedavg, &Matrix::zeros(n_rows, terms.fedavg.ncols()));
        self.fedavg.add_scaled(Lanes::splat(1.0), &self.room[0]);
        if let Some(of_fedlin) = of_fedlin {
            terms.weights(of_fedlin, step_sizes, &mut weights);
        }
        self.room[1].set_affine(&weights, &terms.fedlin, &Matrix::zeros(n_rows, terms.fedlin.ncols()));
        self.fedlin.add_scaled(Lanes::splat(1.0), &self.room[1]);
    }

    /// Reads the sums of a row: the means of `I − P_i` (d×d) and `Δ_i (I − P_i)` (n×d), and `LᵀQ̄L` (d×d).
    pub(super) fn read(
        &self,
        row: usize,
        moved: &mut LaneMatrix,
        deviations: &mut LaneMatrix,
        fedlin: &mut LaneMatrix,
    ) {
        let of = |sums: &'_ LaneMatrix| row * sums.cols()..(row + 1) * sums.cols();
        let fedavg = &self.fedavg.entries()[of(&self.fedavg)];
        symmetric(fedavg, moved);
        deviations.entries_mut().copy_from_slice(&fedavg[n_symmetric(moved.rows())..]);
        symmetric(&self.fedlin.entries()[of(&self.fedlin)], fedlin);
    }
}

/// Sets `to` to the symmetric matrices whose lower triangles begin a row.
fn symmetric(row: &[Lanes], to: &mut LaneMatrix) {
    let entries = (0..to.rows()).flat_map(|i| (0..=i).map(move |j| (i, j)));
    entries.zip(row).for_each(|((i, j), &entry)| to[(i, j)] = entry);
    to.mirror();
}

/// Number of clients per chunk, which takes a millisecond or two.
pub(super) fn chunk(n_rows: usize, n: usize, d: usize, most_steps: usize) -> usize {
    const OPERATIONS: usize = 700_000;
    let each = d * (n_rows * (2 * n_symmetric(d) + n * d) + 4 * most_steps).max(1);
    (OPERATIONS / each).clamp(1, LANES * LANES)
}
