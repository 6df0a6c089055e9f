//! Federated methods: what the clients and the server do in a round.
//!
//! Each method is one file with the same sections in the same order: the rule and its source, the state, the round, and
//! tests of its defining properties. All methods work on moments, eight clients at a time.
//! [`textbook`](super::textbook) has their rules as printed, over samples and local steps, and is the reference in
//! tests.
//!
//! | method | limit of the server's model (full participation, sufficiently small steps) |
//! | --- | --- |
//! | [`fedavg`] | drifts from pooled least squares to the mean of local solutions as K or α grows |
//! | [`fedlin`] | pooled least squares |
//! | [`fedprox`] | as FedAvg, with less drift |
//! | [`scaffold`] | pooled least squares |
//! | [`fedadmm`] | pooled least squares, or its sparse (ℓ₁-penalised) version |
//! | [`clustered`] | one model per cluster |
//! | [`median`] | the coordinate-wise median of the clients' models |

pub mod affine;
pub mod clustered;
pub mod curve;
pub mod fedadmm;
pub mod fedavg;
pub mod fedlin;
pub mod fedprox;
pub mod median;
pub mod scaffold;
#[cfg(test)]
mod testing;

use std::fmt;

use super::Matrix;
use super::fleet::{Block, Fleet};
use super::lanes::{LaneMatrix, Lanes};
use super::local_map::{FleetMaps, LocalMaps};
use super::participation::Participants;
use super::schedule::Schedule;
use super::target::Models;

use affine::{AffineUpdate, RoundMap};

/// The rule for what the clients and the server do in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Plain gradient steps on the client's own data; the server averages.
    FedAvg,
    /// Gradient steps corrected towards the mean gradient of the participating clients.
    FedLin,
    /// FedAvg with a pull towards the server's model at the start of the round.
    FedProx {
        /// Strength μ ≥ 0 of the pull, in the units of the Gram matrices.
        pull: f64,
    },
    /// Gradient steps corrected by control variates that persist from round to round.
    Scaffold,
    /// Exact local solves coupled by dual variables, with an ℓ₁ penalty at the server.
    FedAdmm {
        /// Penalty ρ > 0 on the distance between a client's model and the server's, in the units of the Gram matrices.
        penalty: f64,
        /// Weight γ ≥ 0 of the ℓ₁ penalty, which sets small entries of the model to zero; 0 for no penalty.
        sparsity: f64,
    },
    /// FedAvg within clusters; each client chooses its cluster.
    Clustered {
        /// Number of clusters, at least 1.
        n_clusters: usize,
    },
    /// FedAvg's local steps; the server takes the median of each entry.
    Median,
}

/// A method and its step schedule, shown as one curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// The rule of a round.
    pub solver: Solver,
    /// The schedule of the step size. FedADMM takes no gradient steps and ignores it.
    pub schedule: Schedule,
}

impl Method {
    /// The method with a constant step size.
    pub const fn constant(solver: Solver) -> Self {
        Self { solver, schedule: Schedule::Constant }
    }
}

impl Solver {
    /// The strength μ of the pull in the local steps: 0 for all methods but FedProx.
    pub fn pull(self) -> f64 {
        match self {
            Self::FedProx { pull } => pull,
            Self::FedAvg
            | Self::FedLin
            | Self::Scaffold
            | Self::FedAdmm { .. }
            | Self::Clustered { .. }
            | Self::Median => 0.0,
        }
    }
}

impl Solver {
    /// Whether a round is one affine map of the server's model.
    pub fn is_affine(self) -> bool {
        match self {
            Self::FedAvg | Self::FedLin | Self::FedProx { .. } => true,
            Self::Scaffold | Self::FedAdmm { .. } | Self::Clustered { .. } | Self::Median => false,
        }
    }
}

/// The inputs of a round.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// All clients' moments.
    pub fleet: &'a Fleet,
    /// The clients' local maps in this round.
    pub maps: &'a FleetMaps,
    /// The participating clients, at least one.
    pub who: &'a Participants,
}

impl<'a> Round<'a> {
    /// For each block: its clients, their local maps, and a weight of 1 for each participating client and 0 for the
    /// others.
    pub fn blocks(self) -> impl Iterator<Item = (&'a Block, &'a LocalMaps, Lanes)> {
        let blocks = self.fleet.blocks().iter().zip(self.maps.blocks()).zip(self.who.weights());
        blocks.map(|((block, maps), &weight)| (block, maps, weight))
    }

    /// The weight of a participating client in a mean: one over their number.
    pub fn share(self) -> f64 {
        1.0 / self.who.n() as f64
    }
}

/// A method's state on one data set.
pub trait Update {
    /// Resets the state to the start of a run from the server's model `first` (n×d). The fleet must have as many
    /// clients as before.
    fn restart(&mut self, fleet: &Fleet, first: &Matrix);

    /// Does one round.
    fn round(&mut self, round: Round<'_>);

    /// The clients' current models.
    fn models(&self) -> Models<'_>;

    /// The round as one affine map of the server's model; `None` for methods whose round is not such a map.
    fn round_map(&mut self, _: Round<'_>) -> Option<&RoundMap> {
        None
    }

    /// The contraction ρ of the last [`round_map`](Self::round_map): the spectral radius of its factor F, infinite if
    /// it overflowed. Repeated for ever, the round converges iff ρ < 1. `None` for methods without a round map.
    fn contraction(&self) -> Option<f64> {
        None
    }
}

/// Writes the trait's name only. With `Debug` as a supertrait, the code that formats every method's buffers would
/// become part of the download.
impl fmt::Debug for dyn Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Update")
    }
}

/// A method at the start of a run on a fleet, from the server's model `first` (n×d).
pub fn begin(solver: Solver, fleet: &Fleet, first: &Matrix) -> Box<dyn Update> {
    let dims = fleet.dims();
    let mut update: Box<dyn Update> = match solver {
        Solver::FedAvg => Box::new(AffineUpdate::new(dims, fedavg::FedAvg::new(dims))),
        Solver::FedLin => Box::new(AffineUpdate::new(dims, fedlin::FedLin::new(dims))),
        Solver::FedProx { pull } => Box::new(AffineUpdate::new(dims, fedprox::FedProx::new(dims, pull))),
        Solver::Scaffold => Box::new(scaffold::Scaffold::new(fleet)),
        Solver::FedAdmm { penalty, sparsity } => Box::new(fedadmm::FedAdmm::new(fleet, penalty, sparsity)),
        Solver::Clustered { n_clusters } => Box::new(clustered::Clustered::new(fleet, n_clusters)),
        Solver::Median => Box::new(median::Median::new(fleet)),
    };
    update.restart(fleet, first);
    update
}

/// Sets `after` to the models of eight clients after their local steps from `models`: `Θ P + C Q`.
fn local_steps(models: &LaneMatrix, block: &Block, maps: &LocalMaps, after: &mut LaneMatrix) {
    after.set_product(models, &maps.p);
    after.add_product(&block.c, &maps.q);
}
