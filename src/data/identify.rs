//! Identification of clients' data: models, their uncertainty, and their predictions of data that they were not made
//! from.
//!
//! **Cross-validation.** Every client's data are split into five parts. Each part is left out in turn; all models are
//! identified again from the others, and predict the next states of the part left out. Clients begin with different
//! parts ([`left_out`]): data of a single short rollout are in the first part, and are thus not all left out at once,
//! but predicted by models of other clients' data. Models and errors need only moments, so cross-validation covers all
//! samples, and works for sites that share nothing but moments. Errors are normalised:
//! `√((1/n) Σ_j Σ (x⁺_j − x̂_j)²/(N v_j))` over the n states j that change, where v_j is the variance of the state over
//! all clients' samples. So 0 is perfect, and 1 is as good as always predicting the mean.
//!
//! **Free run.** A model that did not see a client's first part starts from the first state of a stretch of that part,
//! takes the stretch's inputs and its own predicted states, and predicts to the end of the stretch; its error is
//! normalised likewise. All ways run along the same stretches: those of clients whose other parts determine a model of
//! their own, if there are any.

use std::ops::Range;

use fedsysid_sim::estimate::EstimateError;
use fedsysid_sim::fleet::Fleet;
use fedsysid_sim::method::{Method, Solver};
use fedsysid_sim::stability::Edges;

use crate::Matrix;
use crate::constant::{self, Constant};
use crate::estimate::Estimate;
use crate::shared::{self, Rounds, SharedRun};
use crate::sites::{N_FOLDS, Sites, Stretch};
use crate::special::t_quantile;
use crate::spread::{Comparison, Spread, Untold};
use crate::sums::Sums;

/// A way in which clients get their models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// Each client's own least squares.
    Alone,
    /// One least squares on all clients' data.
    Pooled,
    /// The mean of the clients' own least squares.
    MeanOfLocals,
    /// A federated method.
    Method(Solver),
}

/// The clients' models.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// One model for all clients, Θ̂ (n×d).
    Shared(Matrix),
    /// A model for each client; `None` for clients whose data do not determine one.
    Each(Vec<Option<Matrix>>),
}

/// The part of a client's data that is left out in a round of cross-validation; all are counted from 0.
pub fn left_out(round: usize, client: usize) -> usize {
    (round + client) % N_FOLDS
}

impl Model {
    /// The model Θ̂ (n×d) of a client, counted from 0; `None` if the client has none.
    pub fn of(&self, client: usize) -> Option<&Matrix> {
        match self {
            Self::Shared(model) => Some(model),
            Self::Each(models) => models.get(client)?.as_ref(),
        }
    }
}

/// The models of one way, and their prediction errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The way to these models.
    pub way: Way,
    /// The models identified from all data.
    pub model: Result<Model, EstimateError>,
    /// The contraction ρ of a round; `None` unless the way is a method whose rounds are all the same affine map.
    pub contraction: Option<f64>,
    /// Whether the rounds have settled: as many more, at the pace of the next one, would move the models by less than
    /// a hundredth of their size. True for ways without rounds.
    pub is_settled: bool,
    /// The squared errors of each client, for each part of its data: `Σ_j Σ (x⁺_j − x̂_j)²/(n v_j)` over the n states
    /// that change, with models that did not see the part. NaN without a model, or if no state changes; 0 for parts
    /// without samples.
    pub squares: Vec<[f64; N_FOLDS]>,
    /// The normalised error of free runs, 0 for perfect ones; `None` without stretches, if a client with stretches has
    /// no model, or if no state changes.
    pub free_run: Option<f64>,
}

/// Everything identified from the clients' data.
#[derive(Clone, Debug, PartialEq)]
pub struct Identified {
    /// Each client's own least squares.
    pub locals: Vec<Result<Estimate, EstimateError>>,
    /// What a constant of its own would explain of each client's data; `None` if the data do not determine one.
    pub constants: Vec<Option<Constant>>,
    /// One least squares for all clients.
    pub pooled: Result<Estimate, EstimateError>,
    /// The root mean square of every regressor over all samples: the units in which models are compared.
    pub scales: Vec<f64>,
    /// How far the clients differ, or why the data cannot show that.
    pub spread: Result<Spread, Untold>,
    /// The ways, in the order of [`Way`].
    pub outcomes: Vec<Outcome>,
    /// Numbers of samples of each client in each part.
    pub n_samples: Vec<[u64; N_FOLDS]>,
    /// The step size used: half of the smaller of FedAvg's and FedLin's largest stable ones, in units of the scales.
    /// Infinite if every step size is stable. FedProx's is smaller: 1/(1/α + μ).
    pub step_size: f64,
    /// The rounds that the methods ran.
    pub rounds: Rounds,
    /// Number of stretches used for free runs.
    pub n_stretches: usize,
    /// The 97.5 % quantiles of Student's t for 0, 1, … degrees of freedom over a client's parts: each takes forty steps
    /// to find, and thousands of clients need one each.
    quantiles: [f64; N_FOLDS],
}

/// Identification in small steps of work.
#[derive(Debug)]
pub struct Identification {
    /// Every client's sums: of all data at first, then without the part left out.
    sums: Vec<Sums>,
    /// Every client's least squares from these sums, as far as they are found.
    locals: Vec<Result<Matrix, EstimateError>>,
    /// The comparison of clients, while it lasts.
    comparison: Option<Comparison>,
    /// The round of cross-validation.
    round: Option<usize>,
    /// The squared errors of free runs of each client, for each way; NaN without a model.
    runs: Vec<Vec<f64>>,
    fleet: Option<Fleet>,
    /// The variance of each state; zero for a state that never changes.
    variances: Vec<f64>,
    /// The largest stable step sizes of the methods in [`DECIDE`].
    edges: Edges,
    run: Option<Box<SharedRun>>,
    /// The index of the next way for the current sums.
    next: usize,
    found: Identified,
}

/// The ways that are not federated methods.
const ONE_SHOT: [Way; 3] = [Way::Alone, Way::Pooled, Way::MeanOfLocals];

/// The methods whose largest stable step sizes determine the step size used.
const DECIDE: [Method; 2] = [Method::constant(Solver::FedAvg), Method::constant(Solver::FedLin)];

impl Identification {
    /// Starts to identify the clients of `sites`; every call of [`Self::step`] must get the same sites.
    pub fn new(sites: &Sites, rounds: Rounds) -> Self {
        let sums: Vec<_> = sites.all().iter().map(|site| site.sums(None)).collect();
        let total = Sums::total(sites.dims(), &sums);
        let n_samples = total.n_samples().max(1) as f64;
        let n_learning = sums.iter().filter(|sums| sums.n_samples() > 0).count();
        let solvers = shared::solvers(n_samples / n_learning.max(1) as f64);
        let ways = ONE_SHOT.into_iter().chain(solvers.map(Way::Method));
        let outcome = |way| Outcome {
            way,
            model: Err(EstimateError::NotFinite),
            contraction: None,
            is_settled: true,
            squares: vec![[0.0; N_FOLDS]; sums.len()],
            free_run: None,
        };
        let count = |site: &crate::sites::Site| std::array::from_fn(|fold| site.folds[fold].n_samples());
        let scales = shared::scales(&total);
        let found = Identified {
            pooled: Estimate::of(&total),
            spread: Err(Untold::FewClients),
            scales,
            locals: Vec::new(),
            constants: Vec::new(),
            outcomes: ways.map(outcome).collect(),
            n_samples: sites.all().iter().map(count).collect(),
            step_size: f64::NAN,
            rounds,
            n_stretches: 0,
            quantiles: std::array::from_fn(|degrees| t_quantile(degrees as u64)),
        };
        Self {
            fleet: shared::fleet(&sums, &found.scales, rounds.n_local_steps),
            round: None,
            runs: vec![vec![f64::NAN; sums.len()]; found.outcomes.len()],
            variances: total.squared_deviations().into_iter().map(|sum| sum / n_samples).collect(),
            sums,
            locals: Vec::new(),
            comparison: None,
            edges: Edges::default(),
            run: None,
            next: 0,
            found,
        }
    }

    /// The approximate share of the work done, from 0 to 1.
    pub fn progress(&self) -> f64 {
        let ways = self.found.outcomes.len();
        let sets = self.round.map_or(0, |round| round + 1);
        (sets * ways + self.next) as f64 / (ways * (N_FOLDS + 1)) as f64
    }

    /// Works for a few milliseconds; returns whether there is more to do.
    pub fn step(&mut self, sites: &Sites) -> bool {
        if let Some(sums) = self.sums.get(self.locals.len()) {
            if self.round.is_some() {
                self.locals.push(sums.least_squares());
                return true;
            }
            let own = Estimate::of(sums);
            self.locals.push(own.as_ref().map(|own| own.theta.clone()).map_err(|error| *error));
            self.found.constants.push(own.as_ref().ok().and_then(|own| Constant::of(sums, own)));
            self.found.locals.push(own);
            if self.locals.len() == self.sums.len() {
                self.begin_comparison();
            }
            return true;
        }
        if let Some(comparison) = &mut self.comparison {
            if let Some(spread) = comparison.step() {
                (self.found.spread, self.comparison) = (spread, None);
            }
            return true;
        }
        let fleet = self.fleet.take();
        if let (None, None) = (&fleet, self.round) {
            return false;
        }
        if let (Some(fleet), true) = (&fleet, self.edges.found().len() < DECIDE.len()) {
            self.edges.step(&DECIDE, fleet);
            self.found.step_size = 0.5 * self.edges.found().iter().copied().flatten().fold(f64::INFINITY, f64::min);
        } else if self.next < self.found.outcomes.len() {
            self.go_on(fleet.as_ref(), sites);
        } else {
            let round = self.round.map_or(0, |round| round + 1);
            if round == N_FOLDS {
                self.end_runs(sites);
                return false;
            }
            (self.round, self.next) = (Some(round), 0);
            self.locals.clear();
            let clients = sites.all().iter().enumerate();
            self.sums = clients.map(|(client, site)| site.sums(Some(left_out(round, client)))).collect();
            self.fleet = shared::fleet(&self.sums, &self.found.scales, self.found.rounds.n_local_steps);
            return true;
        }
        self.fleet = fleet;
        true
    }

    /// The results, once [`Self::step`] has returned `false`.
    pub fn finish(self) -> Identified {
        self.found
    }

    fn begin_comparison(&mut self) {
        let known = self.sums.iter().zip(&self.found.locals);
        let known = known.filter_map(|(sums, local)| Some((sums.clone(), local.as_ref().ok()?.clone())));
        match Comparison::new(known.collect(), &self.found.scales) {
            Ok(comparison) => self.comparison = Some(comparison),
            Err(untold) => self.found.spread = Err(untold),
        }
    }

    /// Finds the models of the next way and computes their errors, or advances a method by some rounds.
    fn go_on(&mut self, fleet: Option<&Fleet>, sites: &Sites) {
        let (model, contraction) = match (self.found.outcomes[self.next].way, fleet) {
            (Way::Alone, _) => (Ok(Model::Each(self.locals.iter().map(|local| local.clone().ok()).collect())), None),
            (Way::Pooled, _) => (pooled(&self.sums).map(Model::Shared), None),
            (Way::MeanOfLocals, _) => (self.mean_of_locals().map(Model::Shared), None),
            (Way::Method(solver), Some(fleet)) if self.found.step_size.is_finite() => {
                // A pull makes the cost steeper: with FedAvg's step size, FedProx would jump to and fro.
                let step_size = self.found.step_size / (1.0 + self.found.step_size * solver.pull());
                let begin = || Box::new(SharedRun::new(solver, fleet, step_size, self.found.rounds.n_rounds));
                let mut run = self.run.take().unwrap_or_else(begin);
                if run.advance(fleet) {
                    self.run = Some(run);
                    return;
                }
                let found = (self.models_of(&run, solver), run.contraction());
                if self.round.is_none() {
                    self.found.outcomes[self.next].is_settled = run.is_settled(fleet, self.found.rounds.n_rounds);
                }
                found
            }
            (Way::Method(_), _) => (Err(EstimateError::NotFinite), None),
        };
        let variances = &self.variances;
        let outcome = &mut self.found.outcomes[self.next];
        match self.round {
            None => (outcome.model, outcome.contraction) = (model, contraction),
            Some(round) => {
                for (client, site) in sites.all().iter().enumerate() {
                    let part = left_out(round, client);
                    let theta = model.as_ref().ok().and_then(|model| model.of(client));
                    let squares = theta.map(|theta| normalised(&site.folds[part].squared_residuals(theta), variances));
                    let is_empty = site.folds[part].n_samples() == 0;
                    outcome.squares[client][part] = if is_empty { 0.0 } else { squares.unwrap_or(f64::NAN) };
                    if let (0, Some(theta)) = (part, theta) {
                        let squares = site.stretches.iter().map(|stretch| free_run(theta, stretch, variances));
                        self.runs[self.next][client] = squares.sum();
                    }
                }
            }
        }
        self.next += 1;
    }

    /// Sums up the free runs of those clients with stretches that also have a model of their own without the first
    /// part, if there are any, else of all with stretches. So all ways are judged by the same stretches.
    fn end_runs(&mut self, sites: &Sites) {
        let (n, d) = (sites.dims().n_states, sites.dims().n_regressors());
        let with_stretches = || (0..self.sums.len()).filter(|&client| !sites.all()[client].stretches.is_empty());
        let alone = &self.found.outcomes[0].squares;
        let own: Vec<_> = with_stretches().filter(|&client| !alone[client][0].is_nan()).collect();
        let clients = if own.is_empty() { with_stretches().collect() } else { own };
        let stretches = || clients.iter().flat_map(|&client| &sites.all()[client].stretches);
        let n_steps: usize = stretches().map(|Stretch(rows)| rows.len().saturating_sub(n) / d).sum();
        self.found.n_stretches = stretches().count();
        for (outcome, runs) in self.found.outcomes.iter_mut().zip(&self.runs) {
            let error = (clients.iter().map(|&client| runs[client]).sum::<f64>() / n_steps as f64).sqrt();
            // A smaller error is rounding, which must not decide between models without error.
            outcome.free_run = (!error.is_nan()).then_some(if error < 1e-9 { 0.0 } else { error });
        }
    }

    /// The mean of the least squares of all clients with samples.
    fn mean_of_locals(&self) -> Result<Matrix, EstimateError> {
        let learning = || self.sums.iter().zip(&self.locals).filter(|(sums, _)| sums.n_samples() > 0);
        let mut models = learning().map(|(_, local)| local.as_ref().map_err(|error| *error));
        let first = models.next().ok_or(EstimateError::NotFinite)??.clone();
        let sum = models.try_fold(first, |sum, model| model.map(|model| sum + model))?;
        Ok(sum / learning().count() as f64)
    }

    fn models_of(&self, run: &SharedRun, solver: Solver) -> Result<Model, EstimateError> {
        let model = |client| shared::unscaled(run.model(client), &self.found.scales);
        let is_finite = |model: &Matrix| model.iter().all(|entry| entry.is_finite());
        if let Solver::Clustered { .. } = solver {
            let mut learning = 0..;
            let models = self.sums.iter().map(|sums| {
                let place = if sums.n_samples() > 0 { learning.next() } else { None };
                place.map(model).filter(is_finite)
            });
            return Ok(Model::Each(models.collect()));
        }
        Some(model(0)).filter(is_finite).map(Model::Shared).ok_or(EstimateError::NotFinite)
    }
}

fn pooled(sums: &[Sums]) -> Result<Matrix, EstimateError> {
    let Some(first) = sums.first() else { return Err(EstimateError::NotFinite) };
    Sums::total(first.dims(), sums).least_squares()
}

/// The mean, over the states that change, of each state's sum of squares divided by its variance; NaN if no state
/// changes.
fn normalised(squares: &[f64], variances: &[f64]) -> f64 {
    let changing = || squares.iter().zip(variances).filter(|(_, variance)| **variance > 0.0);
    let sum: f64 = changing().map(|(square, variance)| square / variance).sum();
    sum / changing().count() as f64
}

/// The normalised squared errors of a model Θ (n×d) in a free run along a stretch; see the module's text.
fn free_run(theta: &Matrix, Stretch(rows): &Stretch, variances: &[f64]) -> f64 {
    let (n, d) = theta.shape();
    let (mut sum, mut z) = (0.0, rows[..d].to_vec());
    for at in (0..rows.len().saturating_sub(n)).step_by(d) {
        z[n..].copy_from_slice(&rows[at + n..at + d]);
        let next: Vec<f64> = (0..n).map(|j| (0..d).map(|k| theta[(j, k)] * z[k]).sum()).collect();
        let squares: Vec<_> = next.iter().zip(&rows[at + d..]).map(|(x, is)| (x - is) * (x - is)).collect();
        sum += normalised(&squares, variances);
        z[..n].copy_from_slice(&next);
    }
    sum
}

/// A client's errors with its own model and with a shared one, on data that the models did not see.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joining {
    /// The normalised one-step error of its own model.
    pub alone: f64,
    /// The normalised one-step error of the shared model.
    pub shared: f64,
    /// Whether the parts agree: the mean difference is beyond the two-sided 5 % quantile of Student's t, in standard
    /// errors over the parts with samples.
    pub is_clear: bool,
}

impl Identified {
    /// The normalised one-step error of a way on the parts left out. It covers the clients that also have models of
    /// their own, if there are any, else all clients. `None` if there is no error to report.
    pub fn one_step(&self, way: &Outcome) -> Option<f64> {
        let (mut sum, mut n_samples) = (0.0, 0);
        for client in self.judged() {
            sum += way.squares[client].iter().sum::<f64>();
            n_samples += self.n_samples[client].iter().sum::<u64>();
        }
        let error = (sum / n_samples as f64).sqrt();
        error.is_finite().then_some(error)
    }

    /// The clients that also have models of their own without the parts left out, if there are any, else all clients.
    fn judged(&self) -> impl Iterator<Item = usize> {
        let has_own = |client| self.outcomes.first().is_some_and(|alone| self.error_of(alone, client).is_some());
        let is_any = (0..self.n_samples.len()).any(has_own);
        (0..self.n_samples.len()).filter(move |&client| !is_any || has_own(client))
    }

    fn error_of(&self, way: &Outcome, client: usize) -> Option<f64> {
        let n_samples = self.n_samples.get(client)?.iter().sum::<u64>();
        let error = (way.squares.get(client)?.iter().sum::<f64>() / n_samples as f64).sqrt();
        error.is_finite().then_some(error)
    }

    /// A client's errors with its own model and with another way's; `None` if either has no model.
    pub fn joining(&self, way: &Outcome, client: usize) -> Option<Joining> {
        let own = self.outcomes.first()?;
        let (alone, shared) = (self.error_of(own, client)?, self.error_of(way, client)?);
        let parts = (0..N_FOLDS).filter(|&fold| self.n_samples[client][fold] > 0);
        let differences: Vec<_> = parts.map(|fold| own.squares[client][fold] - way.squares[client][fold]).collect();
        Some(Joining { alone, shared, is_clear: !is_tie(alone, shared) && self.is_clear(&differences) })
    }

    /// Whether the parts agree on which of two ways predicts better, over the clients of [`Self::one_step`]; `false` if
    /// either has no error.
    pub fn is_apart(&self, one: &Outcome, other: &Outcome) -> bool {
        let (Some(error), Some(of_other)) = (self.one_step(one), self.one_step(other)) else { return false };
        let n_samples = |round| move |client: usize| self.n_samples[client][left_out(round, client)];
        let rounds = (0..N_FOLDS).filter(|&round| self.judged().map(n_samples(round)).sum::<u64>() > 0);
        let squares = |way: &Outcome, round, client: usize| way.squares[client][left_out(round, client)];
        let difference = |round| self.judged().map(move |k| squares(one, round, k) - squares(other, round, k)).sum();
        !is_tie(error, of_other) && self.is_clear(&rounds.map(difference).collect::<Vec<f64>>())
    }

    /// Whether models with a constant would predict the data of these clients far better.
    pub fn lacks_constant(&self, clients: Range<usize>) -> bool {
        constant::is_lacking(self.constants.get(clients).unwrap_or_default())
    }

    /// Whether the mean of the parts' differences is beyond the two-sided 5 % quantile of Student's t, in standard
    /// errors.
    fn is_clear(&self, differences: &[f64]) -> bool {
        let n_parts = differences.len();
        let n = n_parts as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let variance = differences.iter().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (n * (n - 1.0));
        // One part has no quantile: nothing is larger than NaN.
        mean.abs() > self.quantiles[n_parts.saturating_sub(1)] * variance.sqrt()
    }
}

/// Whether rounding alone may be what tells two normalised errors apart.
pub fn is_tie(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-9
}

#[cfg(test)]
mod tests;
