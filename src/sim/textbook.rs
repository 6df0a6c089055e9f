//! The methods as their papers print them: over samples, local step by local step.
//!
//! Slow and plain on purpose: every gradient `(X − ΘZ)Zᵀ` is computed afresh from all samples. The closed forms in
//! [`method`](super::method), where the rules and their sources are stated, are tested against this module.

use super::Matrix;
use super::method::{Method, Solver};
use super::samples::Samples;

/// The steps of a run: `n_local_steps` in each of `n_rounds` rounds, from a base step size α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Base step size α.
    pub step_size: f64,
    /// Local steps K.
    pub n_local_steps: usize,
    /// Rounds R.
    pub n_rounds: usize,
}

/// The server's models Θ̄_0 … Θ̄_R (n×d each) of a run with full participation, for methods with one model.
pub fn server_models(clients: &[Samples], method: Method, steps: Steps, first: &Matrix) -> Vec<Matrix> {
    let everybody: Vec<_> = (0..clients.len()).collect();
    let mut run = Textbook::new(clients, method, steps, vec![first.clone()]);
    let mut models = vec![first.clone()];
    for round in 0..steps.n_rounds {
        run.round(round, &everybody);
        models.push(run.models[0].clone());
    }
    models
}

/// A run in progress.
#[derive(Clone, Debug)]
pub struct Textbook<'a> {
    clients: &'a [Samples],
    method: Method,
    steps: Steps,
    /// Local steps K_i of each client.
    pub n_local_steps: Vec<usize>,
    /// The server's model, or one model per cluster.
    pub models: Vec<Matrix>,
    /// The index of each client's model.
    pub of: Vec<usize>,
    /// SCAFFOLD's control variates: the clients' and the server's.
    controls: Vec<Matrix>,
    control: Matrix,
    /// FedADMM's dual variables and last messages.
    duals: Vec<Matrix>,
    messages: Vec<Matrix>,
}

impl<'a> Textbook<'a> {
    /// A run at its start, from one model or one per cluster.
    pub fn new(clients: &'a [Samples], method: Method, steps: Steps, first: Vec<Matrix>) -> Self {
        let zero = Matrix::zeros(first[0].nrows(), first[0].ncols());
        Self {
            method,
            steps,
            n_local_steps: vec![steps.n_local_steps; clients.len()],
            of: clients.iter().map(|client| best_fit(client, &first)).collect(),
            controls: vec![zero.clone(); clients.len()],
            control: zero.clone(),
            duals: vec![zero; clients.len()],
            messages: vec![first[0].clone(); clients.len()],
            models: first,
            clients,
        }
    }

    /// Does round `round` (0-based) with the clients `who` (0-based), at least one.
    pub fn round(&mut self, round: usize, who: &[usize]) {
        match self.method.solver {
            Solver::FedAvg => {
                let locals = self.locals(round, who, |_, _| Matrix::zeros(self.control.nrows(), self.control.ncols()));
                self.models[0] = mean(&locals);
            }
            Solver::FedLin => {
                let server = &self.models[0];
                let at_start: Vec<_> = self.clients.iter().map(|client| gradient(client, server)).collect();
                let of_all = mean(&who.iter().map(|&client| at_start[client].clone()).collect::<Vec<_>>());
                let locals = self.locals(round, who, |client, _| &of_all - &at_start[client]);
                self.models[0] = mean(&locals);
            }
            Solver::FedProx { pull } => {
                let locals = self.locals(round, who, |_, model| (&self.models[0] - model) * pull);
                self.models[0] = mean(&locals);
            }
            Solver::Median => {
                let locals = self.locals(round, who, |_, _| Matrix::zeros(self.control.nrows(), self.control.ncols()));
                self.models[0] = entrywise_median(&locals);
            }
            Solver::Scaffold => self.scaffold(round, who),
            Solver::FedAdmm { penalty, sparsity } => self.admm(who, penalty, sparsity),
            Solver::Clustered { .. } => self.clustered(round, who),
        }
    }

    /// The participating clients' models after their local steps `Θ ← Θ + α_k (gradient + correction)`.
    fn locals(&self, round: usize, who: &[usize], correction: impl Fn(usize, &Matrix) -> Matrix) -> Vec<Matrix> {
        let local = |&client: &usize| {
            let mut model = self.models[self.of[client]].clone();
            for k in 1..=self.n_local_steps[client] {
                let direction = gradient(&self.clients[client], &model) + correction(client, &model);
                model += direction * self.step_size(k, round);
            }
            model
        };
        who.iter().map(local).collect()
    }

    fn step_size(&self, local_step: usize, round: usize) -> f64 {
        self.method.schedule.step_size(self.steps.step_size, local_step, round, self.steps.n_rounds)
    }

    fn scaffold(&mut self, round: usize, who: &[usize]) {
        let locals = self.locals(round, who, |client, _| &self.controls[client] - &self.control);
        let mut change = Matrix::zeros(self.control.nrows(), self.control.ncols());
        for (&client, local) in who.iter().zip(&locals) {
            let total: f64 = (1..=self.n_local_steps[client]).map(|k| self.step_size(k, round)).sum();
            let renewed = &self.controls[client] - &self.control + (&self.models[0] - local) / total;
            change += &renewed - &self.controls[client];
            self.controls[client] = renewed;
        }
        self.models[0] = mean(&locals);
        self.control += change / self.clients.len() as f64;
    }

    fn admm(&mut self, who: &[usize], penalty: f64, sparsity: f64) {
        let server = self.models[0].clone();
        for &client in who {
            let moments = self.clients[client].moments();
            let d = moments.s.nrows();
            let left = moments.s + Matrix::identity(d, d) * penalty;
            let right = moments.c - &self.duals[client] + &server * penalty;
            // Positive definite, unless it overflowed.
            let local = match left.cholesky() {
                Some(factor) => factor.solve(&right.transpose()).transpose(),
                None => right.map(|_| f64::NAN),
            };
            self.duals[client] += (&local - &server) * penalty;
            self.messages[client] = local + &self.duals[client] / penalty;
        }
        let threshold = sparsity / penalty;
        self.models[0] = mean(&self.messages).map(|x| (x.abs() - threshold).max(0.0) * x.signum());
    }

    fn clustered(&mut self, round: usize, who: &[usize]) {
        for &client in who {
            self.of[client] = best_fit(&self.clients[client], &self.models);
        }
        let locals = self.locals(round, who, |_, _| Matrix::zeros(self.control.nrows(), self.control.ncols()));
        for cluster in 0..self.models.len() {
            let members = who.iter().zip(&locals).filter(|&(&client, _)| self.of[client] == cluster);
            let members: Vec<_> = members.map(|(_, local)| local.clone()).collect();
            if !members.is_empty() {
                self.models[cluster] = mean(&members);
            }
        }
    }
}

fn gradient(client: &Samples, model: &Matrix) -> Matrix {
    (&client.next - model * &client.z) * client.z.transpose()
}

/// The model of least residual sum of squares; the first one among equals.
fn best_fit(client: &Samples, models: &[Matrix]) -> usize {
    let costs = models.iter().map(|model| (&client.next - model * &client.z).norm_squared()).enumerate();
    costs.min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(cluster, _)| cluster)
}

fn mean(models: &[Matrix]) -> Matrix {
    models.iter().sum::<Matrix>() / models.len() as f64
}

fn entrywise_median(models: &[Matrix]) -> Matrix {
    Matrix::from_fn(models[0].nrows(), models[0].ncols(), |i, j| {
        let mut entries: Vec<_> = models.iter().map(|model| model[(i, j)]).collect();
        entries.sort_by(f64::total_cmp);
        let n = entries.len();
        f64::midpoint(entries[(n - 1) / 2], entries[n / 2])
    })
}
