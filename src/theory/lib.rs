//! What to expect, in closed form: since everything here is linear, the mean curve, its causes, the edge of stability and the
//! heterogeneity at which joining stops to pay need no simulation. `docs/model.md` derives them.
//!
//! [`covariance`] (Lemma 1) → [`expectation`] (the fleet on average) → [`law`] (estimates, and the errors to expect of them) →
//! [`prediction`] (methods round by round) → [`break_even`], [`scaling`]; and [`theorem1`], which is a bound and no prediction.
//! [`reach`] tells what a system's inputs can do.
//!
//! A prediction is one for much data: S_i stands for its mean, and the noise for its normal limit. [`Theory::has_few_for_curves`] and
//! [`Theory::has_few_alone`] tell where few data are far from that.

pub mod break_even;
pub mod covariance;
mod drawn;
pub mod expectation;
pub mod growth;
pub mod landscape;
pub mod law;
mod points;
pub mod prediction;
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

/// Why there is nothing to expect, in closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPrediction {
    /// The method's round is not one affine map of the server's model.
    Method,
    /// Not everybody takes part in every round, and rounds are not the same.
    Participation,
    /// The rounds grow beyond what can be interpolated, or diverge in some of the data sets.
    Diverges,
    /// A state covariance of an unstable system overflows.
    Overflow,
    /// The data leave a direction out, so that least squares has no answer.
    Unexcited,
    /// The worst client is another one in every data set.
    Worst,
    /// There is only one client.
    Single,
    /// Too few samples for the mean of an estimate's error to exist.
    FewSamples,
    /// States grow so much in a rollout that few rollouts outweigh all others.
    Uneven,
    /// Errors depend so much on who takes part that they follow no normal law.
    Chance,
    /// Steps that change from round to round lead so far in each that rounds cannot be interpolated.
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

/// What is known of a method beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodTheory {
    /// The method.
    pub method: Method,
    /// Its errors.
    pub prediction: Result<Prediction, NoPrediction>,
    /// Its contraction, and where it ends, on the fleet as it is on average; none for methods that have none.
    pub stability: Option<Stability>,
}

/// What is known of a scenario beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Theory {
    /// The rounds at which errors are predicted: those at which they are recorded.
    pub rounds: Vec<usize>,
    /// One entry a method, in the order of the settings.
    pub methods: Vec<MethodTheory>,
    /// Mean error of the client's own least squares.
    pub alone: Result<f64, NoPrediction>,
    /// Mean error of pooled least squares.
    pub pooled: Result<f64, NoPrediction>,
    /// Mean error of the mean of local solutions.
    pub mean_of_locals: Result<f64, NoPrediction>,
    /// Where joining stops to pay.
    pub break_even: Result<BreakEven, NoPrediction>,
    /// What some of the clients have, up to all of them, the paper's bound among it.
    pub scaling: Vec<OfClients>,
    /// Samples, Σ N_i T_i, for each of the d regressors.
    pub samples_per_regressor: f64,
    /// Samples, N_i T_i, for each of the d regressors, of the client that has fewest, of those that count.
    pub samples_per_regressor_alone: f64,
    /// The largest growth of states within a rollout ([`growth::largest`]).
    pub growth: f64,
}

/// With fewer samples for each regressor than this, a predicted curve is up to 10 % too low on its way.
const FEW_FOR_CURVES: f64 = 60.0;
/// With fewer than this, the error to expect of an estimate is more than about 5 % too low.
const FEW_FOR_ESTIMATES: f64 = 4.0;

impl Theory {
    /// Takes back what was to be expected of methods that diverge in some of the data sets: the mean of much data need not.
    pub fn take_back(&mut self, summary: &Summary) {
        let diverges =
            |method: &Method| summary.methods.iter().any(|seen| seen.method == *method && seen.n_diverged > 0);
        for theory in self.methods.iter_mut().filter(|theory| diverges(&theory.method)) {
            theory.prediction = Err(NoPrediction::Diverges);
        }
    }

    /// The theory of an experiment, however long it takes.
    pub fn of(experiment: &Experiment) -> Self {
        let mut run = TheoryRun::new(experiment);
        loop {
            if let Some(theory) = run.step(experiment) {
                return theory;
            }
        }
    }

    /// The paper's bound for all clients.
    pub fn theorem1(&self) -> Option<&Theorem1> {
        self.scaling.last().map(|all| &all.theorem1)
    }

    /// Whether all samples together are so few that predicted curves are too low.
    pub fn has_few_for_curves(&self) -> bool {
        self.samples_per_regressor < FEW_FOR_CURVES
    }

    /// Whether a client's own samples are so few that the error to expect of its own estimate, and with it the break-even, is
    /// too low.
    pub fn has_few_alone(&self) -> bool {
        self.samples_per_regressor_alone < FEW_FOR_ESTIMATES
    }
}
