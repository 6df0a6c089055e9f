//! The theory of an experiment in the making, in steps so small that a worker hears what it is told between them.

use crate::break_even::Search;
use crate::expectation::{ExpectedFleet, STEP};
use crate::law::{Law, MeanNorms, alone};
use crate::prediction::Context;
use crate::rounds::PredictionRun;
use crate::{MethodTheory, NoPrediction, Theory, growth, scaling};
use fedsysid_sim::stability::{EdgeSearch, Stability, contraction};
use fedsysid_sim::target::Target;
use fedsysid_sim::trial::Experiment;

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
            done += self.expected.cost(scenario);
            if !self.expected.grow(scenario, scenario.systems()) {
                return Stage::References;
            }
        }
        Stage::Clients
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
            Err(reason) => self.expect_nothing(experiment, reason),
        }
    }

    /// Where not even pooled least squares can be foretold, no method can; whether it is stable, can.
    fn expect_nothing(&mut self, experiment: &Experiment, reason: NoPrediction) -> Stage {
        let settings = experiment.scenario.settings();
        let fleet = self.expected.fleet();
        let stability = |method| match reason {
            NoPrediction::Overflow => None,
            _ => Stability::of(method, settings.step_size, fleet),
        };
        let method = |&method| MethodTheory { method, prediction: Err(reason), stability: stability(method) };
        self.theory.methods = settings.methods.iter().map(method).collect();
        self.theory.break_even = Err(reason);
        Stage::Scaling
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

    /// From the ε at which the two would cross if bias grew with ε, and noise did not.
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

    /// One more ε.
    fn break_even(&mut self, experiment: &Experiment, mut search: Search) -> Stage {
        match search.step(&experiment.scenario, &mut self.norms) {
            Ok(None) => return Stage::BreakEven(search),
            Ok(Some(found)) => self.theory.break_even = Ok(found),
            Err(reason) => self.theory.break_even = Err(reason),
        }
        Stage::Scaling
    }
}
