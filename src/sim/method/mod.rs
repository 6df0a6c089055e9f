//! Federated methods: what the clients do in a round, and what the server makes of it.
//!
//! Each method is one file with the same sections in the same order: the rule and its source, the state, the round, tests of
//! what defines it. All of them work on moments, eight clients at a time; [`textbook`](super::textbook) holds their rules as
//! printed, over samples and local steps, and is what they are tested against.
//!
//! | method | server's model converges to (full participation, small enough steps) |
//! | --- | --- |
//! | [`fedavg`] | a compromise that drifts from pooled least squares to the mean of local solutions as K or α grow |
//! | [`fedlin`] | pooled least squares |
//! | [`fedprox`] | as FedAvg, with less drift |
//! | [`scaffold`] | pooled least squares |
//! | [`fedadmm`] | pooled least squares, or its sparse (ℓ₁-penalised) version |
//! | [`clustered`] | one model a cluster |
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

/// What a client does in a round, and the server with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Plain gradient steps on the client's own data; the server averages.
    FedAvg,
    /// Gradient steps corrected towards the mean gradient of those taking part.
    FedLin,
    /// FedAvg with a pull towards the round's first model.
    FedProx {
        /// Strength μ ≥ 0 of the pull, in the unit of the Gram matrices.
        pull: f64,
    },
    /// Gradient steps corrected by control variates that last from round to round.
    Scaffold,
    /// Exact local solves held together by dual variables, with an ℓ₁ penalty at the server.
    FedAdmm {
        /// Penalty ρ > 0 on a client's distance from the server, in the unit of the Gram matrices.
        penalty: f64,
        /// Weight γ ≥ 0 of the ℓ₁ penalty on the model, which sets small entries to zero; 0 for none.
        sparsity: f64,
    },
    /// FedAvg within clusters that the clients choose by themselves.
    Clustered {
        /// Clusters, at least 1.
        n_clusters: usize,
    },
    /// FedAvg's local steps, and a server that takes the median of each entry.
    Median,
}

/// A method and its step schedule: one curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// What is done in a round.
    pub solver: Solver,
    /// How the step size develops. FedADMM takes no steps, and so has no use for it.
    pub schedule: Schedule,
}

impl Method {
    /// With steps of one size throughout.
    pub const fn constant(solver: Solver) -> Self {
        Self { solver, schedule: Schedule::Constant }
    }
}

impl Solver {
    /// The strength of the pull in its local steps.
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
    /// Whether its round is one affine map of the server's model.
    pub fn is_affine(self) -> bool {
        match self {
            Self::FedAvg | Self::FedLin | Self::FedProx { .. } => true,
            Self::Scaffold | Self::FedAdmm { .. } | Self::Clustered { .. } | Self::Median => false,
        }
    }
}

/// What a round works on.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// All clients' moments.
    pub fleet: &'a Fleet,
    /// Their local steps in this round.
    pub maps: &'a FleetMaps,
    /// Who takes part, at least one.
    pub who: &'a Participants,
}

impl<'a> Round<'a> {
    /// Block by block: the clients, their local steps, and 1 for those that take part.
    pub fn blocks(self) -> impl Iterator<Item = (&'a Block, &'a LocalMaps, Lanes)> {
        let blocks = self.fleet.blocks().iter().zip(self.maps.blocks()).zip(self.who.weights());
        blocks.map(|((block, maps), &weight)| (block, maps, weight))
    }

    /// The share of each client that takes part in a mean.
    pub fn share(self) -> f64 {
        1.0 / self.who.n() as f64
    }
}

/// A method at work on one data set.
pub trait Update {
    /// Goes to its start on a fleet of as many clients, from the server's first model.
    fn restart(&mut self, fleet: &Fleet, first: &Matrix);

    /// Does one round.
    fn round(&mut self, round: Round<'_>);

    /// The models that clients have.
    fn models(&self) -> Models<'_>;

    /// The round as one affine map of the server's model, for methods of which that is all.
    fn round_map(&mut self, _: Round<'_>) -> Option<&RoundMap> {
        None
    }

    /// The contraction ρ of the round map last asked for, which was that of this round: the spectral radius of its factor F,
    /// infinite if it overflowed. Repeated for ever, the round converges iff ρ < 1.
    fn contraction(&self) -> Option<f64> {
        None
    }
}

/// Says no more than what it is. As a part of the trait, it would put the printing of every method's room into the download.
impl fmt::Debug for dyn Update {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Update")
    }
}

/// A method at its start on a fleet, from the server's first model.
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

/// Makes `after` the models after the local steps of eight clients that start from `models`: `Θ P + C Q`.
fn local_steps(models: &LaneMatrix, block: &Block, maps: &LocalMaps, after: &mut LaneMatrix) {
    after.set_product(models, &maps.p);
    after.add_product(&block.c, &maps.q);
}
