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
mod sampling;
pub mod scaling;
pub mod theorem1;

use fedsysid_say::say;
use std::fmt;

use break_even::{BreakEven, Search};
use expectation::ExpectedFleet;
use fedsysid_sim::method::Method;
use fedsysid_sim::stability::{EdgeSearch, Stability, contraction};
use fedsysid_sim::study::Summary;
use fedsysid_sim::target::Target;
use fedsysid_sim::trial::Experiment;
use law::{Law, MeanNorms, alone};
use prediction::{Context, Prediction, PredictionRun};
use scaling::OfClients;
use theorem1::Theorem1;

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

/// A theory in the making, in small steps.
#[derive(Debug)]
pub struct TheoryRun {
    stage: Stage,
    norms: MeanNorms,
    expected: ExpectedFleet,
    /// The mean norm of the pooled estimate's noise.
    pooled_noise: f64,
    theory: Theory,
}

#[derive(Debug)]
enum Stage {
    Clients,
    References,
    Methods {
        pooled: Law,
        run: Option<Box<PredictionRun>>,
    },
    /// The method last predicted is looked at for its largest step.
    Edge {
        pooled: Law,
        search: Box<EdgeSearch>,
    },
    BreakEven(Search),
    Scaling,
}

/// Clients gathered in one step, times the steps of their rollouts.
const STEP: usize = 20_000;

impl TheoryRun {
    /// At its start.
    pub fn new(experiment: &Experiment) -> Self {
        let scenario = &experiment.scenario;
        let theory = Theory {
            rounds: experiment.recorded.clone(),
            methods: Vec::new(),
            alone: Err(NoPrediction::Single),
            pooled: Err(NoPrediction::Single),
            mean_of_locals: Err(NoPrediction::Single),
            break_even: Err(NoPrediction::Single),
            scaling: Vec::new(),
            samples_per_regressor: 0.0,
            samples_per_regressor_alone: 0.0,
            growth: growth::largest(scenario),
        };
        Self {
            stage: Stage::Clients,
            norms: MeanNorms::new(scenario.settings().family.dims()),
            expected: ExpectedFleet::empty(scenario),
            pooled_noise: f64::NAN,
            theory,
        }
    }

    /// Does a little, a few milliseconds at most; the theory, once it is whole. (Nothing is to be asked of it after that.)
    pub fn step(&mut self, experiment: &Experiment) -> Option<Theory> {
        let stage = std::mem::replace(&mut self.stage, Stage::Clients);
        self.stage = match stage {
            Stage::Clients => self.clients(experiment),
            Stage::References => self.references(experiment),
            Stage::Methods { pooled, run } => self.methods(experiment, pooled, run),
            Stage::Edge { pooled, search } => self.edge(pooled, search),
            Stage::BreakEven(search) => self.break_even(experiment, search),
            Stage::Scaling => {
                let scenario = &experiment.scenario;
                let steps = scaling::steps(scenario.settings().n_clients);
                let Some(&n_clients) = steps.get(self.theory.scaling.len()) else { return Some(self.theory.clone()) };
                self.theory.scaling.extend(scaling::of_clients(scenario, n_clients, &mut self.norms));
                Stage::Scaling
            }
        };
        None
    }

    /// Some more of the clients' expected moments.
    fn clients(&mut self, experiment: &Experiment) -> Stage {
        let scenario = &experiment.scenario;
        let mut done = 0;
        while done < STEP {
            done += scenario.plan(self.expected.fleet().n_clients()).rollout_len;
            if !self.expected.grow(scenario, scenario.systems()) {
                return Stage::References;
            }
        }
        Stage::Clients
    }

    /// Some more of a method's rounds.
    fn methods(&mut self, experiment: &Experiment, pooled: Law, run: Option<Box<PredictionRun>>) -> Stage {
        let settings = experiment.scenario.settings();
        let Some(&method) = settings.methods.get(self.theory.methods.len()) else {
            return self.begin_break_even(experiment);
        };
        let context = Context {
            scenario: &experiment.scenario,
            truth: &experiment.truth,
            recorded: &experiment.recorded,
            expected: &self.expected,
            pooled: &pooled,
        };
        let norms = &mut self.norms;
        let run = run.map_or_else(|| PredictionRun::new(context, method, norms).map(Box::new), Ok);
        let prediction = match run {
            Ok(mut run) => {
                if run.advance(context, norms) {
                    return Stage::Methods { pooled, run: Some(run) };
                }
                run.finish(context, norms)
            }
            Err(reason) => Err(reason),
        };
        let fleet = self.expected.fleet();
        let contraction = contraction(method, settings.step_size, fleet);
        let stability = contraction.map(|contraction| Stability { contraction, largest_step: None });
        self.theory.methods.push(MethodTheory { method, prediction, stability });
        match EdgeSearch::new(method, fleet, None) {
            Some(search) => Stage::Edge { pooled, search: Box::new(search) },
            None => Stage::Methods { pooled, run: None },
        }
    }

    /// One more step size of the method last predicted.
    fn edge(&mut self, pooled: Law, mut search: Box<EdgeSearch>) -> Stage {
        let Some(edge) = search.step(self.expected.fleet()) else { return Stage::Edge { pooled, search } };
        if let Some(stability) = self.theory.methods.last_mut().and_then(|method| method.stability.as_mut()) {
            stability.largest_step = edge;
        }
        Stage::Methods { pooled, run: None }
    }

    /// One more ε.
    fn break_even(&mut self, experiment: &Experiment, mut search: Search) -> Stage {
        match search.step(&experiment.scenario, &mut self.norms) {
            Ok(None) => return Stage::BreakEven(search),
            Ok(Some(found)) => self.theory.break_even = Ok(found),
            Err(reason) => self.theory.break_even = Err(reason),
        }
        Stage::Scaling
    }

    /// The one-shot estimates; and then the moments are brought to the scale of the gradients.
    fn references(&mut self, experiment: &Experiment) -> Stage {
        let settings = experiment.scenario.settings();
        let theory = &mut self.theory;
        let d = settings.family.dims().n_regressors() as f64;
        let samples = |client| self.expected.client(client).0.n_samples as f64;
        let clients = 0..settings.n_clients;
        let fewest = match settings.target {
            Target::Client(client) => samples(client),
            Target::Worst | Target::Mean => clients.map(samples).fold(f64::INFINITY, f64::min),
        };
        theory.samples_per_regressor = self.expected.n_samples() / d;
        theory.samples_per_regressor_alone = fewest / d;
        theory.alone = alone(&self.expected, settings.target, &mut self.norms);
        let mut mean = |law: &Result<Law, NoPrediction>| {
            let error = law.as_ref().map(|law| self.norms.of(law, &experiment.truth)).map_err(|&reason| reason)?;
            if error.is_finite() { Ok(error) } else { Err(NoPrediction::Overflow) }
        };
        let n_samples = self.expected.n_samples();
        let is_uneven = growth::is_uneven(&experiment.scenario);
        let even = |pooled| if is_uneven { Err(NoPrediction::Uneven) } else { Ok(pooled) };
        let pooled = Law::pooled(&self.expected).and_then(even).and_then(|pooled| pooled.of_samples(n_samples));
        theory.pooled = mean(&pooled);
        theory.mean_of_locals = mean(&Law::mean_of_locals(&self.expected));
        self.pooled_noise = pooled.map_or(f64::NAN, |pooled| self.norms.of_noise(&pooled.covariance, 64));
        self.expected.finish(settings.gradient_scale);
        match Law::pooled(&self.expected).and_then(even) {
            Ok(pooled) => Stage::Methods { pooled, run: None },
            Err(reason) => {
                let stability = |method| match reason {
                    NoPrediction::Overflow => None,
                    _ => Stability::of(method, settings.step_size, self.expected.fleet()),
                };
                let method = |&method| MethodTheory { method, prediction: Err(reason), stability: stability(method) };
                theory.methods = settings.methods.iter().map(method).collect();
                theory.break_even = Err(reason);
                Stage::Scaling
            }
        }
    }

    fn begin_break_even(&mut self, experiment: &Experiment) -> Stage {
        let scenario = &experiment.scenario;
        if scenario.settings().n_clients == 1 {
            return Stage::Scaling;
        }
        match (self.theory.alone, self.theory.pooled) {
            (Ok(alone), Ok(error)) => {
                let noise = self.pooled_noise;
                let bias = (error * error - noise * noise).max(0.0).sqrt();
                let allowed = (alone * alone - noise * noise).max(0.0).sqrt();
                Stage::BreakEven(Search::new(scenario.settings().heterogeneity * allowed / bias))
            }
            (Err(reason), _) | (_, Err(reason)) => {
                self.theory.break_even = Err(reason);
                Stage::Scaling
            }
        }
    }
}
