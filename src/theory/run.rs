//! Computes the theory of an experiment in steps of a few milliseconds, so that a worker can receive messages in
//! between.

use crate::break_even::Search;
use crate::expectation::{ExpectedFleet, STEP};
use crate::law::{Law, MeanNorms, MeanOfLocals, alone};
use crate::prediction::{Context, Prediction};
use crate::rounds::PredictionRun;
use crate::scaling::Scaling;
use crate::{MethodTheory, NoPrediction, Theory, growth};
use fedsysid_sim::local_map::{FleetMaps, StepRule};
use fedsysid_sim::method::Method;
use fedsysid_sim::stability::{EdgeSearch, Stability};
use fedsysid_sim::target::Target;
use fedsysid_sim::trial::Experiment;

/// Computes a [`Theory`] in small steps.
#[derive(Debug)]
pub struct TheoryRun {
    stage: Stage,
    norms: MeanNorms,
    expected: ExpectedFleet,
    /// The mean spectral norm of the pooled estimate's noise.
    pooled_noise: f64,
    theory: Theory,
}

/// The law of the pooled estimate, or why there is no prediction of it.
type Pooled = Result<Law, NoPrediction>;

#[derive(Debug)]
enum Stage {
    Clients,
    /// Errors of the clients' own least squares.
    Alone,
    References(MeanOfLocals),
    /// The start of the next method, if there is one.
    Methods(Pooled),
    /// The local maps of that method.
    Maps {
        pooled: Law,
        maps: Box<FleetMaps>,
    },
    /// The rounds of that method.
    Rounds {
        pooled: Law,
        run: Box<PredictionRun>,
    },
    /// The contraction and the largest stable step size of the last method.
    Edge {
        pooled: Pooled,
        search: Box<EdgeSearch>,
    },
    BreakEven(Search),
    Scaling(Scaling),
}

impl TheoryRun {
    /// Starts the theory of an experiment; every call of [`Self::step`] must get the same experiment.
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

    /// Works for a few milliseconds at most, and returns the theory once it is complete. It must not be called
    /// afterwards.
    pub fn step(&mut self, experiment: &Experiment) -> Option<Theory> {
        let stage = std::mem::replace(&mut self.stage, Stage::Clients);
        self.stage = match stage {
            Stage::Clients => self.clients(experiment),
            Stage::Alone => {
                let settings = experiment.scenario.settings();
                self.theory.alone = alone(&self.expected, settings.target, &mut self.norms);
                Stage::References(MeanOfLocals::new(settings.family.dims()))
            }
            Stage::References(mean_of_locals) => self.references(experiment, mean_of_locals),
            Stage::Methods(pooled) => self.methods(experiment, pooled),
            Stage::Maps { pooled, maps } => self.maps(experiment, pooled, maps),
            Stage::Rounds { pooled, run } => self.rounds(experiment, pooled, run),
            Stage::Edge { pooled, search } => self.edge(experiment, pooled, search),
            Stage::BreakEven(search) => self.break_even(experiment, search),
            Stage::Scaling(mut scaling) => {
                if let Some(all) = scaling.step(&experiment.scenario, &experiment.truth, &mut self.norms) {
                    self.theory.scaling = all;
                    return Some(self.theory.clone());
                }
                Stage::Scaling(scaling)
            }
        };
        None
    }

    /// Computes the expected moments of some more clients.
    fn clients(&mut self, experiment: &Experiment) -> Stage {
        let scenario = &experiment.scenario;
        let mut done = 0;
        while done < STEP {
            done += self.expected.cost(scenario);
            if !self.expected.grow(scenario, scenario.systems()) {
                return Stage::Alone;
            }
        }
        Stage::Clients
    }

    /// Computes the one-shot estimates from sums over samples, and then scales the moments as the gradients require.
    fn references(&mut self, experiment: &Experiment, mut mean_of_locals: MeanOfLocals) -> Stage {
        let mean_of_locals = match mean_of_locals.step(&self.expected, &experiment.scenario) {
            Ok(None) => return Stage::References(mean_of_locals),
            Ok(Some(law)) => Ok(law),
            Err(reason) => Err(reason),
        };
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
        let mut mean = |law: &Result<Law, NoPrediction>| {
            let error = law.as_ref().map(|law| self.norms.of(law, &experiment.truth)).map_err(|&reason| reason)?;
            if error.is_finite() { Ok(error) } else { Err(NoPrediction::Overflow) }
        };
        let n_samples = self.expected.n_samples();
        let is_uneven = growth::is_uneven(&experiment.scenario);
        let even = |pooled| if is_uneven { Err(NoPrediction::Uneven) } else { Ok(pooled) };
        let pooled = Law::pooled(&self.expected).and_then(even).and_then(|pooled| pooled.of_samples(n_samples));
        theory.pooled = mean(&pooled);
        theory.mean_of_locals = mean(&mean_of_locals);
        self.pooled_noise = pooled.map_or(f64::NAN, |pooled| self.norms.of_noise(&pooled.covariance, 64));
        self.expected.finish(settings.gradient_scale);
        Stage::Methods(Law::pooled(&self.expected).and_then(even))
    }

    /// Starts the next method. Without a prediction for pooled least squares there is none for any method either. After
    /// the last method, the break-even follows.
    fn methods(&mut self, experiment: &Experiment, pooled: Pooled) -> Stage {
        let settings = experiment.scenario.settings();
        let Some(&method) = settings.methods.get(self.theory.methods.len()) else {
            return match pooled {
                Ok(_) => self.begin_break_even(experiment),
                Err(reason) => {
                    self.theory.break_even = Err(reason);
                    scaling(experiment)
                }
            };
        };
        match pooled {
            Ok(pooled) if method.solver.is_affine() => {
                let pull = method.solver.pull();
                let rule = StepRule { schedule: method.schedule, step_size: settings.step_size, pull };
                Stage::Maps { pooled, maps: Box::new(FleetMaps::empty(settings.family.dims(), rule)) }
            }
            Ok(_) => self.predicted(method, pooled, Err(NoPrediction::Method)),
            Err(reason) => self.predicted(method, pooled, Err(reason)),
        }
    }

    /// Computes some more of a method's local maps.
    fn maps(&mut self, experiment: &Experiment, pooled: Law, mut maps: Box<FleetMaps>) -> Stage {
        if maps.advance(self.expected.fleet()) {
            return Stage::Maps { pooled, maps };
        }
        let method = experiment.scenario.settings().methods[self.theory.methods.len()];
        let context = context(experiment, &self.expected, &pooled);
        match PredictionRun::new(context, method, *maps) {
            Ok(run) => Stage::Rounds { pooled, run: Box::new(run) },
            Err(reason) => self.predicted(method, Ok(pooled), Err(reason)),
        }
    }

    /// Computes some more of a method's rounds.
    fn rounds(&mut self, experiment: &Experiment, pooled: Law, mut run: Box<PredictionRun>) -> Stage {
        let method = experiment.scenario.settings().methods[self.theory.methods.len()];
        let context = context(experiment, &self.expected, &pooled);
        let prediction = match run.advance(context, method, &mut self.norms) {
            Ok(true) => return Stage::Rounds { pooled, run },
            Ok(false) => run.finish(context, &mut self.norms),
            Err(reason) => Err(reason),
        };
        self.predicted(method, Ok(pooled), prediction)
    }

    /// Stores a method's prediction, and starts the search for its largest stable step size.
    fn predicted(&mut self, method: Method, pooled: Pooled, prediction: Result<Prediction, NoPrediction>) -> Stage {
        self.theory.methods.push(MethodTheory { method, prediction, stability: None });
        match EdgeSearch::new(method, self.expected.fleet(), None) {
            Some(search) if !matches!(pooled, Err(NoPrediction::Overflow)) => {
                Stage::Edge { pooled, search: Box::new(search) }
            }
            _ => Stage::Methods(pooled),
        }
    }

    /// Continues the search for the last method: its contraction first, then one step size after the other.
    fn edge(&mut self, experiment: &Experiment, pooled: Pooled, mut search: Box<EdgeSearch>) -> Stage {
        let fleet = self.expected.fleet();
        let stability = self.theory.methods.last_mut().map(|method| &mut method.stability);
        match stability {
            Some(Some(stability)) => {
                let Some(edge) = search.step(fleet) else { return Stage::Edge { pooled, search } };
                stability.largest_step = edge;
                Stage::Methods(pooled)
            }
            Some(unknown) => {
                let contraction = search.contraction(fleet, experiment.scenario.settings().step_size);
                *unknown = contraction.map(|contraction| Stability { contraction, largest_step: None });
                Stage::Edge { pooled, search }
            }
            None => Stage::Methods(pooled),
        }
    }

    /// Starts the search for the break-even at the ε where the two errors would meet if the bias were proportional to ε
    /// and the noise constant.
    fn begin_break_even(&mut self, experiment: &Experiment) -> Stage {
        let scenario = &experiment.scenario;
        if scenario.settings().n_clients == 1 {
            return scaling(experiment);
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
                scaling(experiment)
            }
        }
    }

    /// Continues the search for the break-even.
    fn break_even(&mut self, experiment: &Experiment, mut search: Search) -> Stage {
        match search.step(&experiment.scenario, &mut self.norms) {
            Ok(None) => return Stage::BreakEven(search),
            Ok(Some(found)) => self.theory.break_even = Ok(found),
            Err(reason) => self.theory.break_even = Err(reason),
        }
        scaling(experiment)
    }
}

fn context<'a>(experiment: &'a Experiment, expected: &'a ExpectedFleet, pooled: &'a Law) -> Context<'a> {
    let Experiment { scenario, truth, recorded, .. } = experiment;
    Context { scenario, truth, recorded, expected, pooled }
}

fn scaling(experiment: &Experiment) -> Stage {
    Stage::Scaling(Scaling::new(&experiment.scenario))
}
