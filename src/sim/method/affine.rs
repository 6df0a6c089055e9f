//! Methods in which a round is one affine map of the server's model.
//!
//! With the [local maps](crate::local_map) P_i, Q_i, a round of these methods is `Θ̄ ← Θ̄ F + G`. Once F and G are
//! known, its cost does not depend on M, N, T or K. If all rounds are the same, powers of the map lead directly to any
//! round.

use std::fmt;

use super::{Round, Update};
use crate::Matrix;
use crate::fleet::Fleet;
use crate::lanes::{LANES, LaneMatrix};
use crate::rounds::{Stretch, stretches};
use crate::system::Dims;
use crate::target::Models;

/// A round as an affine map of the server's model: `Θ̄ ← Θ̄ F + G`.
#[derive(Clone, Debug, PartialEq)]
pub struct RoundMap {
    /// `F`, d×d.
    pub factor: Matrix,
    /// `G`, n×d.
    pub offset: Matrix,
}

impl RoundMap {
    /// The map that leaves every n×d model unchanged.
    pub fn identity(n: usize, d: usize) -> Self {
        Self { factor: Matrix::identity(d, d), offset: Matrix::zeros(n, d) }
    }

    /// Sets `after` to the server's model after the round: `model·F + G`.
    pub fn apply(&self, model: &Matrix, after: &mut Matrix) {
        after.copy_from(&self.offset);
        let (n, d) = model.shape();
        let columns = after.as_mut_slice().chunks_exact_mut(n).zip(self.factor.as_slice().chunks_exact(d));
        for (column, factors) in columns {
            for (entries, factor) in model.as_slice().chunks_exact(n).zip(factors) {
                for (sum, entry) in column.iter_mut().zip(entries) {
                    *sum += factor * entry;
                }
            }
        }
    }

    /// The map of this round followed by the round `next`.
    #[must_use]
    pub fn then(&self, next: &Self) -> Self {
        let mut offset = self.offset.clone();
        next.apply(&self.offset, &mut offset);
        Self { factor: &self.factor * &next.factor, offset }
    }

    /// The map of `count` such rounds, by repeated squaring.
    #[must_use]
    pub fn power(&self, count: usize) -> Self {
        let (n, d) = self.offset.shape();
        let (mut all, mut power, mut left) = (Self::identity(n, d), self.clone(), count);
        while left > 0 {
            if left % 2 == 1 {
                all = all.then(&power);
            }
            left /= 2;
            if left > 0 {
                power = power.then(&power);
            }
        }
        all
    }
}

/// A method in which a round is one affine map.
pub trait AffineRound: fmt::Debug {
    /// Sets `map` to the map of a round.
    fn set_map(&mut self, round: Round<'_>, map: &mut RoundMap);

    /// The contraction ρ of the last map: the spectral radius of its factor F, infinite if it overflowed.
    fn contraction(&self, map: &RoundMap) -> f64;
}

/// The state of a run of such a method.
#[derive(Debug)]
pub struct AffineUpdate<R> {
    rule: R,
    map: RoundMap,
    model: Matrix,
    after: Matrix,
}

impl<R: AffineRound> AffineUpdate<R> {
    /// Buffers for systems of the sizes `dims`.
    pub fn new(dims: Dims, rule: R) -> Self {
        let (n, d) = (dims.n_states, dims.n_regressors());
        Self { rule, map: RoundMap::identity(n, d), model: Matrix::zeros(n, d), after: Matrix::zeros(n, d) }
    }
}

impl<R: AffineRound> Update for AffineUpdate<R> {
    fn restart(&mut self, _: &Fleet, first: &Matrix) {
        self.model.copy_from(first);
    }

    fn round(&mut self, round: Round<'_>) {
        self.rule.set_map(round, &mut self.map);
        self.map.apply(&self.model, &mut self.after);
        std::mem::swap(&mut self.model, &mut self.after);
    }

    fn models(&self) -> Models<'_> {
        Models::Shared(&self.model)
    }

    fn round_map(&mut self, round: Round<'_>) -> Option<&RoundMap> {
        self.rule.set_map(round, &mut self.map);
        Some(&self.map)
    }

    fn contraction(&self) -> Option<f64> {
        Some(self.rule.contraction(&self.map))
    }
}

/// The contraction, with infinity in place of NaN.
pub fn known(contraction: f64) -> f64 {
    if contraction.is_nan() { f64::INFINITY } else { contraction }
}

/// The models after the recorded rounds of a run, eight at a time, where all rounds have the same map.
#[derive(Debug)]
pub struct Leaps {
    once: RoundMap,
    stretches: std::vec::IntoIter<Stretch>,
    /// Records left in the current stretch, and the maps from one record to the next and to the eighth after it.
    left: usize,
    stride: RoundMap,
    stride_len: usize,
    eighth: RoundMap,
    /// Whether the lanes hold models of the current stretch.
    under_way: bool,
    last: Matrix,
    lanes: LaneMatrix,
    next: LaneMatrix,
}

impl Leaps {
    /// A run of `n_rounds` rounds with the map `once`, from the server's model `first` (n×d).
    pub fn new(once: RoundMap, first: &Matrix, n_rounds: usize) -> Self {
        let (n, d) = first.shape();
        let lanes = LaneMatrix::zeros(n, d);
        Self {
            stretches: stretches(n_rounds).into_iter(),
            left: 0,
            stride: once.clone(),
            stride_len: 1,
            eighth: once.clone(),
            under_way: false,
            last: first.clone(),
            next: lanes.clone(),
            lanes,
            once,
        }
    }

    /// Goes to the next recorded rounds, eight at most, and returns their number; `None` at the end.
    pub fn advance(&mut self) -> Option<usize> {
        if self.left == 0 {
            let stretch = self.stretches.next()?;
            self.begin(stretch);
            // No rounds at all.
            if self.left == 0 {
                return None;
            }
        }
        if self.under_way {
            self.next.set_affine(&self.lanes, &self.eighth.factor, &self.eighth.offset);
            std::mem::swap(&mut self.lanes, &mut self.next);
        } else {
            self.fill_lanes();
        }
        let used = self.left.min(LANES);
        self.left -= used;
        if self.left == 0 {
            self.last = self.lanes.lane(used - 1);
        }
        Some(used)
    }

    /// The models after these rounds, one per lane.
    pub fn models(&self) -> &LaneMatrix {
        &self.lanes
    }

    /// The model after the last recorded round so far. It is up to date only at the end of a stretch, and so at the end
    /// of the run.
    pub fn last(&self) -> &Matrix {
        &self.last
    }

    fn begin(&mut self, stretch: Stretch) {
        if stretch.stride == 2 * self.stride_len {
            self.stride = self.stride.then(&self.stride);
        } else if stretch.stride != self.stride_len {
            self.stride = self.once.power(stretch.stride);
        }
        self.stride_len = stretch.stride;
        self.under_way = false;
        self.left = stretch.count;
        if stretch.count > LANES {
            self.eighth = self.stride.power(LANES);
        }
    }

    /// Computes the first eight models of a stretch, one after the other.
    fn fill_lanes(&mut self) {
        let mut after = self.last.clone();
        for lane in 0..self.left.min(LANES) {
            self.stride.apply(&self.last, &mut after);
            std::mem::swap(&mut self.last, &mut after);
            self.lanes.set_lane(lane, &self.last);
        }
        self.under_way = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::tests::random;
    use crate::rounds::recorded_rounds;

    fn map() -> RoundMap {
        let factor = &random(5, 5, 0)[0] * 0.2;
        RoundMap { factor, offset: random(3, 5, 1)[0].clone() }
    }

    #[test]
    fn a_power_is_so_many_rounds() {
        let (map, first) = (map(), random(3, 5, 2)[0].clone());
        let mut expected = first.clone();
        for count in 0..40 {
            let mut got = first.clone();
            map.power(count).apply(&first, &mut got);
            assert!((&got - &expected).amax() < 1e-13, "{count}");
            expected = &expected * &map.factor + &map.offset;
        }
    }

    #[test]
    fn leaps_lead_to_the_recorded_rounds() {
        let first = random(3, 5, 2)[0].clone();
        for n_rounds in [1, 7, 8, 9, 200, 1_024, 1_025, 5_000] {
            let mut models = vec![first.clone()];
            for round in 0..n_rounds {
                models.push(&models[round] * &map().factor + &map().offset);
            }
            let mut leaps = Leaps::new(map(), &first, n_rounds);
            let mut got = vec![first.clone()];
            while let Some(used) = leaps.advance() {
                got.extend((0..used).map(|lane| leaps.models().lane(lane)));
            }
            let rounds = recorded_rounds(n_rounds);
            assert_eq!(got.len(), rounds.len(), "{n_rounds}");
            for (got, round) in got.iter().zip(rounds) {
                assert!((got - &models[round]).amax() < 1e-12, "{n_rounds}: {round}");
            }
        }
    }
}
