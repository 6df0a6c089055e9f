//! Federated methods on given moments.
//!
//! The columns of real data have units, which gradient steps ignore. So every regressor, and every next state, is
//! first divided by its root mean square over all clients, on which sites can agree by exchanging d sums of squares;
//! models are converted back to the file's units, except where their distances from each other are measured. Least
//! squares does not depend on the scales; the other methods converge in a number of rounds that does not depend on
//! units, and clients are grouped alike in all units.

use fedsysid_sim::fleet::Fleet;
use fedsysid_sim::local_map::{FleetMaps, StepRule};
use fedsysid_sim::method::affine::RoundMap;
use fedsysid_sim::method::{Round, Solver, Update, begin};
use fedsysid_sim::moments::Moments;
use fedsysid_sim::participation::Participants;
use fedsysid_sim::schedule::Schedule;

use crate::Matrix;
use crate::sums::Sums;

/// Products in rounds that run in one step of work: about a millisecond.
const STEP: usize = 200_000;

/// What a round of eight clients takes besides its products, counted in these.
const BESIDES: usize = 125;

/// The share of their size by which models move that have settled.
const MOVING: f64 = 0.01;

/// The rounds of the federated methods.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// The number of local steps K in a round.
    pub n_local_steps: usize,
    /// The number of rounds R.
    pub n_rounds: usize,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { n_local_steps: 10, n_rounds: 1_000 }
    }
}

/// The methods that run, with strengths that suit clients with `mean_samples` samples on average.
pub fn solvers(mean_samples: f64) -> [Solver; 7] {
    [
        Solver::FedAvg,
        Solver::FedLin,
        Solver::FedProx { pull: mean_samples },
        Solver::Scaffold,
        Solver::FedAdmm { penalty: mean_samples, sparsity: 0.0 },
        Solver::Clustered { n_clusters: 2 },
        Solver::Median,
    ]
}

/// The root mean square of every regressor over all samples, in the regressor's unit: d of them. 1 for a regressor that
/// is always zero.
pub fn scales(total: &Sums) -> Vec<f64> {
    let mean_square = |square: &f64| square / total.n_samples().max(1) as f64;
    let squares = total.moments().s.diagonal();
    squares.iter().map(mean_square).map(|square| if square > 0.0 { square.sqrt() } else { 1.0 }).collect()
}

/// The moments of all clients that have samples, with every regressor and next state divided by its scale, for rounds
/// of K local steps; `None` without any. (A client without samples would stay at its first model of zeros: a cluster of
/// its own, and a vote of a median.)
pub fn fleet(clients: &[Sums], scales: &[f64], n_local_steps: usize) -> Option<Fleet> {
    let mut fleet: Option<Fleet> = None;
    for sums in clients.iter().filter(|sums| sums.n_samples() > 0) {
        let Moments { mut s, mut c, n_samples } = sums.moments();
        for (k, scale) in scales.iter().enumerate() {
            s.row_mut(k).unscale_mut(*scale);
            s.column_mut(k).unscale_mut(*scale);
            c.column_mut(k).unscale_mut(*scale);
        }
        for (mut row, scale) in c.row_iter_mut().zip(scales) {
            row.unscale_mut(*scale);
        }
        let fleet = fleet.get_or_insert_with(|| Fleet::new(sums.dims()));
        fleet.add(&Moments { s, c, n_samples }, n_local_steps);
    }
    fleet
}

/// Runs a method's rounds on a fleet, a few at a time.
#[derive(Debug)]
pub struct SharedRun {
    maps: FleetMaps,
    who: Participants,
    update: Box<dyn Update>,
    /// Number of rounds that are still to be run one by one.
    left: usize,
    /// The model after all rounds, if these are powers of one map.
    model: Option<Matrix>,
}

impl SharedRun {
    /// Starts `n_rounds` rounds of a method from a model of zeros, with steps of size `step_size` in units of the
    /// scales.
    pub fn new(solver: Solver, fleet: &Fleet, step_size: f64, n_rounds: usize) -> Self {
        let dims = fleet.dims();
        let first = Matrix::zeros(dims.n_states, dims.n_regressors());
        let mut update = begin(solver, fleet, &first);
        let maps = FleetMaps::new(fleet, StepRule { schedule: Schedule::Constant, step_size, pull: solver.pull() });
        let who = Participants::everybody(fleet.n_clients());
        let map = update.round_map(Round { fleet, maps: &maps, who: &who });
        let model = map.map(|map| after(map, &first, n_rounds));
        let left = if model.is_some() { 0 } else { n_rounds };
        Self { maps, who, update, left, model }
    }

    /// Runs some more rounds, for about a millisecond; returns whether there are more.
    pub fn advance(&mut self, fleet: &Fleet) -> bool {
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let now = self.left.min(1 + STEP / (fleet.blocks().len().max(1) * (BESIDES + n * d * d)));
        for _ in 0..now {
            self.update.round(Round { fleet, maps: &self.maps, who: &self.who });
        }
        self.left -= now;
        self.left > 0
    }

    /// The model (n×d) of a client of the fleet, counted from 0, in units of the scales.
    pub fn model(&self, client: usize) -> &Matrix {
        self.model.as_ref().unwrap_or_else(|| self.update.models().of(client))
    }

    /// Whether `n_rounds` more rounds, at the pace of the next one, would move the models by less than a hundredth of
    /// their size.
    pub fn is_settled(mut self, fleet: &Fleet, n_rounds: usize) -> bool {
        let models = |run: &Self| (0..fleet.n_clients()).map(|client| run.model(client).clone()).collect::<Vec<_>>();
        let before = models(&self);
        let round = Round { fleet, maps: &self.maps, who: &self.who };
        match &mut self.model {
            Some(model) => {
                if let Some(map) = self.update.round_map(round) {
                    map.apply(&before[0], model);
                }
            }
            None => self.update.round(round),
        }
        let (moved, size) = models(&self).iter().zip(&before).fold((0.0, 0.0), |(moved, size), (after, before)| {
            (moved + (after - before).norm_squared(), size + before.norm_squared())
        });
        n_rounds as f64 * moved.sqrt() <= MOVING * size.sqrt()
    }

    /// The contraction ρ of a round; `None` unless all rounds are the same affine map.
    pub fn contraction(&self) -> Option<f64> {
        self.update.contraction()
    }
}

fn after(map: &RoundMap, first: &Matrix, n_rounds: usize) -> Matrix {
    let mut model = first.clone();
    map.power(n_rounds).apply(first, &mut model);
    model
}

/// A model, or a difference of models (n×d), in units of the scales: `Θ_jk s_k/s_j`, whatever the units of the file.
pub fn scaled(model: &Matrix, scales: &[f64]) -> Matrix {
    Matrix::from_fn(model.nrows(), model.ncols(), |j, k| model[(j, k)] * (scales[k] / scales[j]))
}

/// A model (n×d) in units of the scales, converted to the units of the file.
pub fn unscaled(model: &Matrix, scales: &[f64]) -> Matrix {
    Matrix::from_fn(model.nrows(), model.ncols(), |j, k| model[(j, k)] * (scales[j] / scales[k]))
}
