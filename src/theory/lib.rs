//! Closed-form predictions: mean error curves and their causes, the largest stable step size, and the heterogeneity at
//! which joining stops to pay. All of this is linear, so it needs no simulation. `docs/model.md` has the derivations.
//!
//! [`covariance`] (Lemma 1) → [`expectation`] (the fleet with expected moments) → [`feedback`] (the bias of what clients
//! learn alone) → [`law`] (distribution and mean error of an estimate) → [`prediction`] (methods round by round) →
//! [`break_even`], [`scaling`], [`landscape`]. [`theorem1`] is the paper's bound, not a prediction. [`reach`] is about the
//! controllability of a system.
//!
//! Predictions hold for much data: S_i is replaced by its mean, and the noise by its normal limit, with a bias of its
//! next order.
//! [`Theory::has_few_for_curves`] and [`Theory::has_few_alone`] tell whether there are too few samples for that.

pub mod break_even;
pub mod covariance;
pub mod expectation;
pub mod feedback;
pub mod growth;
pub mod landscape;
pub mod law;
mod partial;
mod points;
pub mod prediction;
mod ratios;
pub mod reach;
mod rounds;
mod run;
mod sampling;
pub mod scaling;
pub mod theorem1;

use fedsysid_say::say;
use std::fmt;

use break_even::BreakEven;
use fedsysid_sim::method::Method;
use fedsysid_sim::stability::Stability;
use fedsysid_sim::study::Summary;
use fedsysid_sim::trial::Experiment;
use prediction::Prediction;
use scaling::OfClients;
use theorem1::Theorem1;

pub use run::TheoryRun;

/// The reason why there is no prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPrediction {
    /// The method's round is not one affine map of the server's model.
    Method,
    /// Not all clients take part in every round, and step sizes change from round to round.
    Participation,
    /// The prediction overflows, a round map is too large to interpolate, or some of the simulated data sets diverge.
    Diverges,
    /// A state covariance of an unstable system overflows.
    Overflow,
    /// The data do not excite some direction of the regressors, so least squares has no solution.
    Unexcited,
    /// The worst client is a different one in every data set.
    Worst,
    /// There is only one client.
    Single,
    /// There are too few samples: the error of the estimate has no finite mean.
    FewSamples,
    /// States grow so much within a rollout that few rollouts outweigh all others.
    Uneven,
    /// The errors depend so much on which clients take part that they follow no normal law.
    Chance,
    /// Step sizes change from round to round, and αK is so large that the round maps cannot be interpolated.
    LocalSteps,
}

impl fmt::Display for NoPrediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Method => say!("this method’s round is not one linear map"),
            Self::Participation => say!("steps change from round to round, and not every client takes part in each"),
            Self::Diverges => say!("the rounds diverge"),
            Self::Overflow => say!("an unstable system’s states overflow"),
            Self::Unexcited => say!("the data leave a direction out"),
            Self::Worst => say!("the worst client is another in every data set"),
            Self::Single => say!("there is only one client"),
            Self::FewSamples => say!("there are too few samples"),
            Self::Uneven => say!("systems are so unstable that few rollouts outweigh all others"),
            Self::Chance => say!("too much depends on who takes part"),
            Self::LocalSteps => say!("steps change from round to round, and there are very many in each"),
        })
    }
}

impl std::error::Error for NoPrediction {}

/// The predictions for one method.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodTheory {
    /// The method.
    pub method: Method,
    /// Its predicted errors at the recorded rounds, or why there are none.
    pub prediction: Result<Prediction, NoPrediction>,
    /// Its contraction and largest stable step size on the expected fleet; `None` if its round is not one affine map.
    pub stability: Option<Stability>,
}

/// The predictions for a scenario. All mean errors are spectral norms ‖Θ − Θ⁽ⁱ⁾‖ for the target client, or their mean
/// over all clients, or the worst client's, as the settings say.
#[derive(Clone, Debug, PartialEq)]
pub struct Theory {
    /// The rounds with predicted errors: the recorded rounds of the experiment.
    pub rounds: Vec<usize>,
    /// One entry per method, in the order of the settings.
    pub methods: Vec<MethodTheory>,
    /// Mean error of the client's own least squares.
    pub alone: Result<f64, NoPrediction>,
    /// Mean error of pooled least squares.
    pub pooled: Result<f64, NoPrediction>,
    /// Mean error of the mean of the local solutions.
    pub mean_of_locals: Result<f64, NoPrediction>,
    /// The ε at which joining stops to pay.
    pub break_even: Result<BreakEven, NoPrediction>,
    /// Pooled error and Theorem 1 for the first 1, 2, 5, 10, … clients, up to all of them.
    pub scaling: Vec<OfClients>,
    /// Samples per regressor, Σ N_i T_i / d.
    pub samples_per_regressor: f64,
    /// Samples per regressor of one client, N_i T_i / d: the least over the target clients.
    pub samples_per_regressor_alone: f64,
    /// The largest growth of states within a rollout, see [`growth::largest`].
    pub growth: f64,
}

/// With fewer samples per regressor than this, a predicted curve is up to 10 % too low before it levels off.
const FEW_FOR_CURVES: f64 = 60.0;
/// With fewer samples per regressor than this, the predicted error of an estimate is more than about 5 % too low.
const FEW_FOR_ESTIMATES: f64 = 4.0;

impl Theory {
    /// Withdraws the predictions for methods that diverge in some of the data sets of `summary`: the expected moments
    /// may be stable where drawn ones are not.
    pub fn take_back(&mut self, summary: &Summary) {
        let diverges =
            |method: &Method| summary.methods.iter().any(|seen| seen.method == *method && seen.n_diverged > 0);
        for theory in self.methods.iter_mut().filter(|theory| diverges(&theory.method)) {
            theory.prediction = Err(NoPrediction::Diverges);
        }
    }

    /// The theory of an experiment, computed in one call, which may take seconds. [`TheoryRun`] does the same in steps.
    pub fn of(experiment: &Experiment) -> Self {
        let mut run = TheoryRun::new(experiment);
        loop {
            if let Some(theory) = run.step(experiment) {
                return theory;
            }
        }
    }

    /// Theorem 1 for all clients.
    pub fn theorem1(&self) -> Option<&Theorem1> {
        self.scaling.last().map(|all| &all.theorem1)
    }

    /// Whether there are so few samples in all that predicted curves are too low.
    pub fn has_few_for_curves(&self) -> bool {
        self.samples_per_regressor < FEW_FOR_CURVES
    }

    /// Whether a client has so few samples that the predicted error of its own estimate is too low, and with it the
    /// break-even.
    pub fn has_few_alone(&self) -> bool {
        self.samples_per_regressor_alone < FEW_FOR_ESTIMATES
    }
}
