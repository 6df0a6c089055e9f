//! Estimates with one model per client, eight clients at a time.

use super::{EstimateError, MIN_UNEXPLAINED, least_squares};
use crate::cholesky::LaneCholesky;
use crate::fleet::{Block, Fleet};
use crate::lanes::{LANES, LaneMatrix, Lanes};
use crate::moments::Moments;
use crate::norm::LaneNorms;
use crate::system::Dims;
use crate::target::Truth;

/// An estimate by least squares on moments that combine a client's own data with information from the other clients.
pub(super) trait OneShot {
    /// Turns a block's own moments into the combined ones: S of size d×d, C of size n×d.
    fn adjust(&self, s: &mut LaneMatrix, c: &mut LaneMatrix);

    /// The number of samples behind the combined moments of a client with `own` samples.
    fn n_samples(&self, own: u64) -> u64;
}

/// Eight clients of a fleet; those with a positive weight in `counting` count.
pub(super) struct Counted<'a> {
    /// The index of the block in the fleet.
    pub(super) index: usize,
    pub(super) block: &'a Block,
    pub(super) counting: Lanes,
}

/// Buffers for solving.
pub(super) struct Solving {
    s: LaneMatrix,
    /// C, and after solving Θ.
    pub(super) theta: LaneMatrix,
    factor: LaneCholesky,
}

impl Solving {
    pub(super) fn new(dims: Dims) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { s: LaneMatrix::zeros(d, d), theta: LaneMatrix::zeros(n, d), factor: LaneCholesky::new(d) }
    }

    /// Solves for eight clients. Returns the error of the first counting client whose data do not determine its
    /// estimate.
    pub(super) fn solve(&mut self, clients: &Counted<'_>, rule: &impl OneShot) -> Result<(), EstimateError> {
        let Counted { index, block, counting } = clients;
        let is_solved = self.solve_all(block, rule);
        let fault = (0..LANES).find(|&lane| counting.0[lane] > 0.0 && !is_solved[lane]);
        fault.map_or(Ok(()), |lane| Err(reason(block, lane, rule).of_client(index * LANES + lane)))
    }

    /// Solves for eight clients, and returns for which of them the data determine the estimate.
    fn solve_all(&mut self, block: &Block, rule: &impl OneShot) -> [bool; LANES] {
        self.s.copy_from(&block.s);
        self.theta.copy_from(&block.c);
        rule.adjust(&mut self.s, &mut self.theta);
        self.factor.factorise(&self.s);
        self.factor.solve(&mut self.theta);
        let need = self.s.rows() as u64;
        // An overflow in S shows in the pivots, and an overflow in C in the solution.
        let size = self.theta.entries().iter().fold(Lanes::default(), |sum, &entry| sum + entry.abs());
        std::array::from_fn(|lane| {
            self.factor.least_pivot().0[lane] >= MIN_UNEXPLAINED
                && size.0[lane].is_finite()
                && rule.n_samples(block.n_samples[lane]) >= need
        })
    }
}

/// Why a client's data do not determine its estimate, as [`least_squares`] finds.
fn reason(block: &Block, lane: usize, rule: &impl OneShot) -> EstimateError {
    let (mut s, mut c) = (block.s.clone(), block.c.clone());
    rule.adjust(&mut s, &mut c);
    let n_samples = rule.n_samples(block.n_samples[lane]);
    let moments = Moments { s: s.lane(lane), c: c.lane(lane), n_samples };
    // Near the threshold, the two factorisations may differ by rounding.
    let last = s.rows() - 1;
    least_squares(&moments).err().unwrap_or(EstimateError::Singular { client: None, regressor: last })
}

/// The error of the counting clients' own estimates, reduced to one number for the target.
pub(super) fn error(fleet: &Fleet, truth: &Truth, rule: &impl OneShot) -> Result<f64, EstimateError> {
    let dims = fleet.dims();
    let mut solving = Solving::new(dims);
    let mut norms = LaneNorms::new(dims.n_states, dims.n_regressors());
    let mut total = None;
    for (index, systems, counting) in truth.blocks() {
        solving.solve(&Counted { index, block: &fleet.blocks()[index], counting }, rule)?;
        solving.theta.add_scaled(Lanes::splat(-1.0), systems);
        total = Some(truth.reduce(total, norms.of(&solving.theta), counting));
    }
    Ok(total.unwrap_or(f64::NAN))
}

/// The error of every counting client's own estimate; NaN where its data do not determine the estimate.
pub(super) fn errors(fleet: &Fleet, truth: &Truth, rule: &impl OneShot) -> Vec<f64> {
    let dims = fleet.dims();
    let mut solving = Solving::new(dims);
    let mut norms = LaneNorms::new(dims.n_states, dims.n_regressors());
    let mut errors = Vec::with_capacity(fleet.n_clients());
    for (index, systems, counting) in truth.blocks() {
        let is_solved = solving.solve_all(&fleet.blocks()[index], rule);
        solving.theta.add_scaled(Lanes::splat(-1.0), systems);
        let norms = norms.of(&solving.theta);
        let counted = (0..LANES).filter(|&lane| counting.0[lane] > 0.0);
        errors.extend(counted.map(|lane| if is_solved[lane] { norms.0[lane] } else { f64::NAN }));
    }
    errors
}
