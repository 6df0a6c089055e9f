//! Median: FedAvg's local steps, and a robust server that takes the median of every entry instead of the mean.
//!
//! ```text
//! client i, k = 1…K:  Θ ← Θ + α_k (C_i − ΘS_i)        server:  Θ̄_jl ← median of Θ_jl over participating clients
//! ```
//!
//! Yin et al., "Byzantine-robust distributed learning: towards optimal statistical rates", 1803.01498 (its option I,
//! with models in place of gradients, because clients take K steps). A few outlying clients move the median little,
//! however far off they are.

use super::{Round, Update, local_steps};
use crate::Matrix;
use crate::fleet::Fleet;
use crate::lanes::{LANES, LaneMatrix};
use crate::target::Models;

/// The server's model, and buffers for the clients' models.
#[derive(Debug)]
pub struct Median {
    model: Matrix,
    server: LaneMatrix,
    local: LaneMatrix,
    /// For every entry of the model, row by row, its values for all participating clients.
    entries: Vec<Vec<f64>>,
}

impl Median {
    /// Buffers for a fleet.
    pub fn new(fleet: &Fleet) -> Self {
        let (n, d) = (fleet.dims().n_states, fleet.dims().n_regressors());
        let entries = vec![Vec::with_capacity(fleet.n_clients()); n * d];
        Self { model: Matrix::zeros(n, d), server: LaneMatrix::zeros(n, d), local: LaneMatrix::zeros(n, d), entries }
    }
}

impl Update for Median {
    fn restart(&mut self, _: &Fleet, first: &Matrix) {
        self.model.copy_from(first);
    }

    fn round(&mut self, round: Round<'_>) {
        self.server.set_all(&self.model);
        self.entries.iter_mut().for_each(Vec::clear);
        for (block, maps, weight) in round.blocks() {
            local_steps(&self.server, block, maps, &mut self.local);
            for (all, lanes) in self.entries.iter_mut().zip(self.local.entries()) {
                all.extend((0..LANES).filter(|&lane| weight.0[lane] > 0.0).map(|lane| lanes.0[lane]));
            }
        }
        let d = self.model.ncols();
        for (k, all) in self.entries.iter_mut().enumerate() {
            self.model[(k / d, k % d)] = median(all);
        }
    }

    fn models(&self) -> Models<'_> {
        Models::Shared(&self.model)
    }
}

/// The median: the mean of the middle two for an even number of values, NaN without any. Reorders the values.
fn median(values: &mut [f64]) -> f64 {
    let middle = values.len() / 2;
    if values.is_empty() {
        return f64::NAN;
    }
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp);
    lower.filter(|_| is_even).map_or(upper, |lower| f64::midpoint(lower, upper))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Bench;
    use super::super::{Method, Solver};
    use super::*;
    use crate::schedule::Schedule;

    const METHOD: Method = Method::constant(Solver::Median);

    #[test]
    fn its_rounds_are_the_textbooks() {
        for schedule in Schedule::ALL {
            Bench::new().check_against_textbook(Method { schedule, ..METHOD });
        }
    }

    #[test]
    fn medians() {
        #[track_caller]
        fn check(values: &[f64], expected: f64) {
            assert!((median(&mut values.to_vec()) - expected).abs() < 1e-15, "{values:?}");
        }
        check(&[3.0], 3.0);
        check(&[3.0, 1.0], 2.0);
        check(&[5.0, 1.0, 3.0], 3.0);
        check(&[9.0, 1.0, 2.0, 8.0], 5.0);
        check(&[1.0, 1e300, 2.0], 2.0);
        assert!(median(&mut []).is_nan());
    }

    /// A single outlying client moves the mean, but hardly the median.
    #[test]
    fn an_outlier_moves_it_little() {
        let fedavg = Method::constant(Solver::FedAvg);
        let (all_alike, with_outlier) = (Bench::alike(15), Bench::alike(15).with_outlier(3, 50.0));
        let moved = |method| (with_outlier.run(method, 400) - all_alike.run(method, 400)).norm();
        assert!(moved(METHOD) < 0.05 * moved(fedavg), "{} {}", moved(METHOD), moved(fedavg));
    }
}
