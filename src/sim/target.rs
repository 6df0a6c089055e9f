//! The target of an error: whose system an estimate is measured against.

use std::ops::Range;

use super::Matrix;
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::norm::LaneNorms;
use super::system::LinearSystem;

/// Whose estimation error `‖Θ − Θ⁽ⁱ⁾‖` counts. Where clients have models of their own, each is compared with its own
/// system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// That of one client (0-based); in the paper, client 1.
    Client(usize),
    /// The largest error of all clients.
    Worst,
    /// The mean error of all clients.
    Mean,
}

/// The clients' models after a round.
#[derive(Clone, Copy, Debug)]
pub enum Models<'a> {
    /// One model for all clients, n×d.
    Shared(&'a Matrix),
    /// One of several models for each client: `models[of[client]]`.
    Clustered {
        /// The models, n×d each.
        models: &'a [Matrix],
        /// The index of each client's model.
        of: &'a [usize],
    },
}

impl<'a> Models<'a> {
    /// The model of client `client` (0-based).
    pub fn of(self, client: usize) -> &'a Matrix {
        match self {
            Self::Shared(model) => model,
            Self::Clustered { models, of } => &models[of[client]],
        }
    }
}

/// The clients' true systems, and which of them count.
#[derive(Clone, Debug)]
pub struct Truth {
    target: Target,
    n_clients: usize,
    /// Θ⁽ⁱ⁾ of the clients from `first` on, n×d each, in blocks of eight: all blocks, or only that of the target.
    blocks: Vec<LaneMatrix>,
    first: usize,
}

impl Truth {
    /// The systems of all clients, of which those of `target` count. A client beyond the last one counts as the last.
    pub fn new(target: Target, systems: &[LinearSystem]) -> Self {
        let target = match target {
            Target::Client(client) => Target::Client(client.min(systems.len().saturating_sub(1))),
            Target::Worst | Target::Mean => target,
        };
        let (first, counted) = match target {
            Target::Client(client) => {
                let block = client / LANES * LANES;
                (block, &systems[block..systems.len().min(block + LANES)])
            }
            Target::Worst | Target::Mean => (0, systems),
        };
        let block = |systems: &[LinearSystem]| {
            let dims = systems[0].dims();
            let mut block = LaneMatrix::zeros(dims.n_states, dims.n_regressors());
            systems.iter().enumerate().for_each(|(lane, system)| block.set_lane(lane, &system.theta()));
            block
        };
        Self { target, n_clients: systems.len(), blocks: counted.chunks(LANES).map(block).collect(), first }
    }

    /// Which clients count.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The clients that count, block by block: the index of the block in the fleet, the systems Θ⁽ⁱ⁾, and 1 in the
    /// lanes that count.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &LaneMatrix, Lanes)> {
        let counts = |client: usize| match self.target {
            Target::Client(which) => client == which,
            Target::Worst | Target::Mean => client < self.n_clients,
        };
        self.blocks.iter().enumerate().map(move |(index, block)| {
            let first = self.first + index * LANES;
            (first / LANES, block, Lanes::from_fn(|lane| f64::from(u8::from(counts(first + lane)))))
        })
    }

    /// The systems that count, n×d, one by one.
    pub fn clients(&self) -> impl Iterator<Item = Matrix> {
        let counted = |counting: Lanes| (0..LANES).filter(move |&lane| counting.0[lane] > 0.0);
        self.blocks().flat_map(move |(_, block, counting)| counted(counting).map(move |lane| block.lane(lane)))
    }

    /// The system that counts, n×d, if the target is one client.
    pub fn single(&self) -> Option<Matrix> {
        match self.target {
            Target::Client(client) => self.blocks.first().map(|block| block.lane(client % LANES)),
            Target::Worst | Target::Mean => None,
        }
    }

    /// Combines the errors of a block's counting clients with the `total` of earlier blocks. NaN if one of them is.
    pub fn reduce(&self, total: Option<f64>, errors: Lanes, counting: Lanes) -> f64 {
        let counted = errors.0.iter().zip(counting.0).filter(|(_, counts)| *counts > 0.0).map(|(error, _)| *error);
        match self.target {
            Target::Client(_) => counted.sum(),
            Target::Mean => total.unwrap_or(0.0) + counted.sum::<f64>() / self.n_clients as f64,
            Target::Worst => counted.fold(total.unwrap_or(0.0), larger),
        }
    }
}

/// The larger of two numbers; NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if b.is_nan() || b > a { b } else { a }
}

/// Records the errors of a series of models.
#[derive(Clone, Debug)]
pub struct ErrorRecorder {
    norms: LaneNorms,
    differences: LaneMatrix,
    single: Option<Matrix>,
    waiting: usize,
    errors: Vec<f64>,
}

impl ErrorRecorder {
    /// A recorder for the errors of n×d models, of which about `expected` will come.
    pub fn new(truth: &Truth, (n, d): (usize, usize), expected: usize) -> Self {
        Self {
            norms: LaneNorms::new(n, d),
            differences: LaneMatrix::zeros(n, d),
            single: truth.single(),
            waiting: 0,
            errors: Vec::with_capacity(expected + LANES),
        }
    }

    /// Records the error of the models after one more round.
    pub fn push(&mut self, truth: &Truth, models: Models<'_>) {
        if let (Some(single), Target::Client(client)) = (&self.single, truth.target) {
            let model = models.of(client);
            self.differences.set_lane_from(self.waiting, |i, j| model[(i, j)] - single[(i, j)]);
            self.waiting += 1;
            if self.waiting == LANES {
                self.flush();
            }
        } else {
            let error = self.over_clients(truth, models);
            self.errors.push(error);
        }
    }

    /// Records the errors of shared models, one per lane, in the order of these lanes.
    pub fn push_lanes(&mut self, truth: &Truth, models: &LaneMatrix, lanes: Range<usize>) {
        self.flush();
        if let (Some(single), 0) = (&self.single, lanes.start) {
            self.differences.set_difference(single, models);
            self.waiting = lanes.end;
            self.flush();
        } else {
            lanes.for_each(|lane| self.push(truth, Models::Shared(&models.lane(lane))));
        }
    }

    fn over_clients(&mut self, truth: &Truth, models: Models<'_>) -> f64 {
        let mut total = None;
        for (index, block, counting) in truth.blocks() {
            self.differences.copy_from(block);
            for lane in (0..LANES).filter(|&lane| counting.0[lane] > 0.0) {
                let model = models.of(index * LANES + lane);
                self.differences.subtract_from_lane(lane, model);
            }
            total = Some(truth.reduce(total, self.norms.of(&self.differences), counting));
        }
        total.unwrap_or(f64::NAN)
    }

    fn flush(&mut self) {
        if self.waiting > 0 {
            let norms = self.norms.of(&self.differences);
            self.errors.extend_from_slice(&norms.0[..self.waiting]);
            self.waiting = 0;
        }
    }

    /// All recorded errors, in order.
    pub fn finish(mut self) -> Vec<f64> {
        self.flush();
        self.errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Family, Placement};
    use crate::norm::spectral_norm;
    use crate::stream::Seed;

    fn systems(n: usize) -> Vec<LinearSystem> {
        let family = Family::paper();
        (0..n).map(|client| family.member(Placement::Uniform.place(Seed(3), client), 0.6).unwrap()).collect()
    }

    /// The error by its definition, for models of which client i has the `of[i]`-th.
    fn expected(target: Target, systems: &[LinearSystem], models: &[Matrix], of: &[usize]) -> f64 {
        let errors =
            || systems.iter().zip(of).map(|(system, &which)| spectral_norm(&(&models[which] - system.theta())));
        match target {
            Target::Client(client) => errors().nth(client).unwrap(),
            Target::Worst => errors().fold(0.0, f64::max),
            Target::Mean => errors().sum::<f64>() / systems.len() as f64,
        }
    }

    #[test]
    fn errors_follow_their_definitions() {
        for n in [1, 7, 8, 21] {
            let systems = systems(n);
            let models: Vec<_> = [0.1, 0.3, -0.5].map(|x| Matrix::from_element(3, 5, x)).to_vec();
            let of: Vec<_> = (0..n).map(|client| client % 3).collect();
            let single = |client: usize| Truth::new(Target::Client(client), &systems).single();
            assert_eq!(single(n + 5), single(n - 1));
            for target in [Target::Client(0), Target::Client(n - 1), Target::Worst, Target::Mean] {
                let truth = Truth::new(target, &systems);
                let mut recorder = ErrorRecorder::new(&truth, (3, 5), 11);
                for model in models.iter().cycle().take(10) {
                    recorder.push(&truth, Models::Shared(model));
                }
                recorder.push(&truth, Models::Clustered { models: &models, of: &of });
                let mut wanted: Vec<_> =
                    (0..10).map(|round| expected(target, &systems, &models, &vec![round % 3; n])).collect();
                wanted.push(expected(target, &systems, &models, &of));
                for (got, wanted) in recorder.finish().iter().zip(wanted) {
                    assert!((got - wanted).abs() < 1e-14, "{n} {target:?}: {got} {wanted}");
                }
            }
        }
    }

    #[test]
    fn lanes_of_models_are_taken_in_order() {
        let systems = systems(9);
        for target in [Target::Client(8), Target::Worst] {
            let truth = Truth::new(target, &systems);
            let mut models = LaneMatrix::zeros(3, 5);
            (0..LANES).for_each(|lane| models.set_lane(lane, &Matrix::from_element(3, 5, lane as f64)));
            let mut recorder = ErrorRecorder::new(&truth, (3, 5), 9);
            recorder.push(&truth, Models::Shared(&Matrix::zeros(3, 5)));
            recorder.push_lanes(&truth, &models, 0..3);
            recorder.push_lanes(&truth, &models, 3..5);
            let errors = recorder.finish();
            assert_eq!(errors.len(), 6);
            for (lane, error) in errors[1..].iter().enumerate() {
                let wanted = expected(target, &systems, &[models.lane(lane)], &[0; 9]);
                assert!((error - wanted).abs() < 1e-13, "{lane}");
            }
        }
    }

    #[test]
    fn a_model_that_is_no_number_has_no_error() {
        let systems = systems(3);
        for target in [Target::Client(1), Target::Worst, Target::Mean] {
            let truth = Truth::new(target, &systems);
            let mut recorder = ErrorRecorder::new(&truth, (3, 5), 1);
            recorder.push(&truth, Models::Shared(&Matrix::from_element(3, 5, f64::NAN)));
            assert!(recorder.finish()[0].is_nan(), "{target:?}");
        }
    }
}
