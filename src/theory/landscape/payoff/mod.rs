//! Whether joining pays: the error of the shared model relative to the error of a client's own.
//!
//! Each point of the map is a ratio, for the target client or with means over all clients:
//!
//! ```text
//! E‖Θ̄ − Θ⁽ⁱ⁾‖ / E‖Θ_i − Θ⁽ⁱ⁾‖        Θ̄ pooled least squares (FedLin's limit), Θ_i the client's own
//! ```
//!
//! Both are the predicted errors of [`law`](crate::law), including the finite-sample factor. Below 1 joining pays; the
//! contour at 1 is the [`break_even`](crate::break_even).
//!
//! Root mean squares (Frobenius norms) are exact and cheap: all M share the sums over clients, and N only scales them.
//! A mean spectral norm takes hundreds of draws, so it is computed at few points only. Elsewhere
//!
//! ```text
//! E‖Θ̄ − Θ⁽ⁱ⁾‖ ≈ c √(φ_b² bias² + φ_n² noise² + both)        bias = ‖E Θ̄ − Θ⁽ⁱ⁾‖_F        noise = √(n tr Ω)
//! ```
//!
//! where φ_b and φ_n are the ratios of spectral to Frobenius norm for bias and noise alone, and *both* is their joint
//! effect, a function of θ = atan(bias/noise) and of the bias's direction (`mixture`). The correction c is near 1, and
//! is interpolated between points of some rows. Where a single client's bias leaves the plane of V and U (as for
//! systems that grow without bound), the norm is computed from 128 draws.
//!
//! For one client, the map agrees with direct evaluation within 0.5 %, and within 1.5 % in that last case. For the mean
//! over clients, it agrees as well in the row of the settings. Over M, direct evaluation itself scatters by 1 or 2 %,
//! since it divides its draws differently among the clients; the map passes through the middle.

mod factors;
mod fleet;
mod mixture;
mod plan;

use super::{Landscape, reals};
use crate::NoPrediction;
use crate::break_even::BreakEven;
use factors::Factors;
use fedsysid_sim::lanes::LANES;
use fedsysid_sim::scenario::Scenario;
use fedsysid_sim::target::Target;
use fleet::{Direction, Growth, Pooled};
use plan::{Plan, Row};

/// The quantity of the y axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// The number of clients M.
    Clients(Vec<usize>),
    /// The number of rollouts N of client 1; the other clients' are scaled in proportion.
    Rollouts(Vec<usize>),
}

/// Whether joining pays, over heterogeneity and the number of clients or of rollouts.
#[derive(Clone, Debug, PartialEq)]
pub struct Payoff {
    /// Error of the shared model over the error of a client's own, over ε (`xs`) and M or N (`ys`). Infinite where the
    /// client's own least squares has no error, but the shared model has.
    pub ratio: Landscape,
}

/// A ratio this close to 1 counts as 1: the precision of a break-even.
const EVEN: f64 = 1e-4;

impl Payoff {
    /// The ε at which joining stops to pay in row `row`, counted from 0. Between two columns, the squared ratio is
    /// linear in ε². `None` if nothing is known, or the ratio is 1 throughout because the shared model is the client's
    /// own.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn break_even(&self, row: usize) -> Option<BreakEven> {
        let points: Vec<(f64, f64)> = self
            .ratio
            .xs
            .iter()
            .copied()
            .zip(self.ratio.row(row).iter().copied())
            .filter(|(_, ratio)| !ratio.is_nan())
            .collect();
        let (farthest, _) = *points.last()?;
        if points.iter().all(|(_, ratio)| (ratio - 1.0).abs() < EVEN) {
            return None;
        }
        let Some(after) = points.iter().position(|(_, ratio)| *ratio > 1.0) else {
            return Some(BreakEven::Beyond(farthest));
        };
        let Some(&(low, below)) = after.checked_sub(1).and_then(|before| points.get(before)) else {
            return Some(BreakEven::Never);
        };
        let (high, above) = points[after];
        let share = if above.is_finite() { (1.0 - below * below) / (above * above - below * below) } else { 0.0 };
        Some(BreakEven::At((low * low + (high * high - low * low) * share).sqrt()))
    }
}

/// What is known of one point of the map; the numbers are root mean squares.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// `‖E Θ̄ − Θ⁽ⁱ⁾‖_F` of pooled least squares.
    bias: f64,
    direction: Direction,
    /// `√(n tr Ω)` of pooled least squares.
    noise: f64,
    /// The mean spectral norm, if it was computed at this very point.
    norm: Option<f64>,
    /// The error of a client's own least squares, or its mean over all clients.
    own: f64,
}

impl Point {
    fn unknown() -> Self {
        Self { bias: f64::NAN, direction: Direction::default(), noise: f64::NAN, norm: None, own: f64::NAN }
    }

    fn pooled(&self) -> f64 {
        libm::hypot(self.bias, self.noise)
    }

    /// `sin 2θ`: 0 for noise or bias alone, 1 if both are equally large.
    fn mixed(&self) -> f64 {
        2.0 * (self.bias / self.pooled()) * (self.noise / self.pooled())
    }

    /// θ: 0 for noise alone and π/2 for bias alone.
    fn angle(&self) -> f64 {
        libm::atan2(self.bias, self.noise)
    }
}

/// Fleets of one size at one ε.
#[derive(Clone, Copy, Debug)]
struct At {
    /// Index of M among the sizes of the plan.
    size: usize,
    column: usize,
    heterogeneity: f64,
}

/// Computes a map in steps.
#[derive(Debug)]
pub struct PayoffRun {
    payoff: Payoff,
    plan: Plan,
    growth: Growth,
    /// `n ν_i tr Γ_i⁻¹` of the clients whose own error counts, at the current ε.
    own_squares: Vec<f64>,
    /// The number of clients from which on there is no prediction for pooled data at the current ε.
    uneven_from: usize,
    column: usize,
    /// The points of the map, in the order of its values.
    points: Vec<Point>,
    factors: Factors,
    reason: NoPrediction,
}

/// Work in one step: blocks of eight clients times the steps of their rollouts.
const STEP: usize = 2_000;

/// Approximate number of mean norms computed in one step.
const NORMS: usize = 8;

/// Work of a mean norm, in blocks of clients, for the progress.
const NORM_COST: usize = 20;

impl PayoffRun {
    /// Starts the map of a scenario over the given ε and rows. Values that are negative, not finite or beyond the
    /// limits of a count are left out.
    ///
    /// # Errors
    /// If the target is the worst client, which is a different one in every data set.
    pub fn new(scenario: &Scenario, heterogeneities: Vec<f64>, rows: Rows) -> Result<Self, NoPrediction> {
        let plan = Plan::new(scenario, rows)?;
        let dims = scenario.settings().family.dims();
        let ratio = Landscape::unknown(reals(heterogeneities), plan.places.clone());
        Ok(Self {
            points: vec![Point::unknown(); ratio.values.len()],
            factors: Factors::new(dims, &ratio.xs, &plan),
            payoff: Payoff { ratio },
            plan,
            growth: Growth::new(dims.n_states, dims.n_regressors()),
            own_squares: Vec::new(),
            uneven_from: usize::MAX,
            column: 0,
            reason: NoPrediction::Unexcited,
        })
    }

    /// The values so far: column by column the ratio of root mean squares (Frobenius norms), which is off by a few per
    /// cent at most. Ratios of mean spectral norms replace them at the end.
    pub fn so_far(&self) -> &Payoff {
        &self.payoff
    }

    /// Work done so far, and the approximate work in all, in the same unit.
    pub fn progress(&self) -> (usize, usize) {
        let a_column = self.plan.n_blocks() + 1;
        let (taken, norms) = self.factors.progress();
        let columns = self.payoff.ratio.xs.len();
        let blocks = self.growth.n_clients() / LANES;
        (self.column * a_column + blocks + taken * NORM_COST, columns * a_column + norms * NORM_COST)
    }

    /// Works for a few milliseconds at most, and returns the map once it is complete. It must not be called afterwards.
    ///
    /// # Errors
    /// If no point of the map has a value; with the reason.
    pub fn step(&mut self) -> Option<Result<Payoff, NoPrediction>> {
        let width = self.payoff.ratio.xs.len();
        if self.column < width {
            if self.grow() {
                self.finish_column();
                self.column += 1;
                self.growth.clear();
                self.own_squares.clear();
                self.uneven_from = usize::MAX;
            }
            if self.column == width {
                self.factors.choose(&self.points);
            }
            return None;
        }
        let mut taken = 0;
        while taken < NORMS {
            let more = self.factors.take(&self.plan, &self.payoff.ratio.xs, &self.points);
            if more == 0 {
                return Some(self.finish());
            }
            taken += more;
        }
        None
    }

    /// Adds some more clients to the current column; returns whether all that matter are included.
    fn grow(&mut self) -> bool {
        let heterogeneity = self.payoff.ratio.xs[self.column];
        let mut done = 0;
        while done < STEP {
            if self.growth.n_sizes() == self.plan.sizes.len() {
                return true;
            }
            let first = self.growth.n_clients();
            done += self.plan.clients.longest(first) + 1;
            let Ok(block) = self.plan.clients.block(first, self.plan.n_clients() - first, heterogeneity) else {
                return self.overflow();
            };
            if let Some(grows) = block.first_large.filter(|_| heterogeneity > 0.0) {
                self.uneven_from = self.uneven_from.min((first + grows + 1).max(2));
            }
            if self.plan.target == Target::Mean {
                self.own_squares.extend(self.plan.own_squares(&block));
            }
            let deviations = (heterogeneity, self.plan.directions(first));
            if !self.growth.add(&block, deviations, &self.plan.sizes) {
                return self.overflow();
            }
        }
        false
    }

    /// No larger fleets in this column.
    fn overflow(&mut self) -> bool {
        if self.reason != NoPrediction::Uneven {
            self.reason = NoPrediction::Overflow;
        }
        true
    }

    fn finish_column(&mut self) {
        let heterogeneity = self.payoff.ratio.xs[self.column];
        if let Target::Client(client) = self.plan.target
            && let Ok(block) = self.plan.clients.block(client, 1, heterogeneity)
        {
            self.own_squares.extend(self.plan.own_squares(&block).take(1));
        }
        for first in (0..self.growth.n_sizes()).step_by(LANES) {
            let at = At { size: first, column: self.column, heterogeneity };
            let laws = self.growth.laws(first);
            let biases: Vec<f64> =
                laws.iter().zip(first..).map(|(law, size)| self.enter(At { size, ..at }, law)).collect();
            self.factors.note_biases(&self.plan, at, &laws, &biases);
        }
        self.factors.note_own(&self.plan, self.column, heterogeneity);
    }

    /// Enters the points of one size into the current column, and returns their bias.
    fn enter(&mut self, at: At, law: &Pooled) -> f64 {
        let At { size, column, heterogeneity } = at;
        let centre = self.plan.centres[size];
        let distance = &law.mean - self.plan.clients.deviation(centre.place, heterogeneity);
        let bias = (distance.norm_squared() + heterogeneity * heterogeneity * centre.spread).sqrt();
        if self.plan.sizes[size] >= self.uneven_from {
            self.reason = NoPrediction::Uneven;
            return bias;
        }
        let direction = self.plan.clients.direction(&distance);
        for y in self.plan.rows_of(size) {
            let row = &self.plan.rows[y];
            let noise = law.noise() * (row.for_few / row.scale).sqrt();
            let mut point = Point { bias, direction, noise, norm: None, own: row.own(&self.own_squares) };
            point.norm = self.factors.directly(&self.plan, at, y, &point, law);
            self.payoff.ratio.set(column, y, point.pooled() / point.own);
            self.points[y * self.payoff.ratio.xs.len() + column] = point;
        }
        self.factors.note(&self.plan, at, law);
        bias
    }

    /// Replaces root mean squares by mean norms, and returns the map.
    fn finish(&mut self) -> Result<Payoff, NoPrediction> {
        let width = self.payoff.ratio.xs.len();
        for (at, point) in self.points.iter().enumerate() {
            let (x, y) = (at % width, at / width);
            let (pooled, own) = self.factors.mean_norms(&self.plan, y, x, point);
            self.payoff.ratio.set(x, y, pooled / own);
        }
        if !self.payoff.ratio.values.iter().all(|ratio| ratio.is_nan()) {
            return Ok(self.payoff.clone());
        }
        let has_enough = self.plan.rows.iter().any(Row::has_enough);
        Err(if has_enough { self.reason } else { NoPrediction::FewSamples })
    }
}

#[cfg(test)]
mod tests;
