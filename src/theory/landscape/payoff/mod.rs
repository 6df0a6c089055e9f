//! Whether joining pays: how large the error of the shared model is, relative to that of a client's own.
//!
//! At every point of the map, for the client that counts or as a mean over all,
//!
//! ```text
//! E‖Θ̄ − Θ⁽ⁱ⁾‖ / E‖Θ_i − Θ⁽ⁱ⁾‖        Θ̄ pooled least squares (FedLin's limit), Θ_i the client's own
//! ```
//!
//! with the errors to expect of [`law`](crate::law), finite samples included: below 1 joining pays, and the contour at
//! 1 is the [`break_even`](crate::break_even).
//!
//! Root mean squares (Frobenius) are exact and cheap: sums over clients are shared by all M, and N only scales them. A
//! mean spectral norm takes hundreds of draws. So few of them are taken, and
//!
//! ```text
//! E‖Θ̄ − Θ⁽ⁱ⁾‖ ≈ c √(φ_b² bias² + φ_n² noise² + both)        bias = ‖E Θ̄ − Θ⁽ⁱ⁾‖_F        noise = √(n tr Ω)
//! ```
//!
//! with φ_b and φ_n the ratios of spectral to Frobenius norm of the bias and of the noise alone, and *both* what they
//! do together, a function of θ = atan(bias/noise) and the bias's direction (`mixture`). Then c, which is near 1, is
//! interpolated between points of some rows. Where one client's bias has left the family's plane (systems that grow
//! without bound), 128 draws are made.
//!
//! Direct evaluation of a client's ratio is met within 0.5 %, and within 1.5 % in that last case. For the mean over
//! clients it is met as well in the settings' own row; from M to M it varies by 1 or 2 % itself, since its draws are
//! shared out differently, and the map goes through it.

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

/// What changes from row to row.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Clients M.
    Clients(Vec<usize>),
    /// Rollouts N of client 1; the others' are scaled along.
    Rollouts(Vec<usize>),
}

/// Whether joining pays, over heterogeneity and the number of clients or of rollouts.
#[derive(Clone, Debug, PartialEq)]
pub struct Payoff {
    /// Error of the shared model over that of a client's own, over ε (`xs`) and M or N (`ys`). Infinite where a
    /// client's own least squares has no error and the shared model has.
    pub ratio: Landscape,
}

/// A ratio as close to 1 as this is no difference: the precision of a break-even.
const EVEN: f64 = 1e-4;

impl Payoff {
    /// The ε at which joining stops to pay in a row, between two columns by a line in the squares; none where nothing
    /// is known, or the shared model is a client's own.
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

/// What is known of a point of the map: root mean squares.
#[derive(Clone, Copy, Debug)]
struct Point {
    /// `‖E Θ̄ − Θ⁽ⁱ⁾‖_F` of pooled least squares.
    bias: f64,
    direction: Direction,
    /// `√(n tr Ω)` of pooled least squares.
    noise: f64,
    /// The mean spectral norm, if it was taken here.
    norm: Option<f64>,
    /// The error of a client's own least squares; the mean over those that count.
    own: f64,
}

impl Point {
    fn unknown() -> Self {
        Self { bias: f64::NAN, direction: Direction::default(), noise: f64::NAN, norm: None, own: f64::NAN }
    }

    fn pooled(&self) -> f64 {
        libm::hypot(self.bias, self.noise)
    }

    /// `sin 2θ`: 0 for noise alone and for bias alone, 1 where they are equally large.
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
    /// Place of M among the sizes.
    size: usize,
    column: usize,
    heterogeneity: f64,
}

/// A map of payoffs in the making.
#[derive(Debug)]
pub struct PayoffRun {
    payoff: Payoff,
    plan: Plan,
    growth: Growth,
    /// `n ν_i tr Γ_i⁻¹` of those clients whose own error counts, at the present ε.
    own_squares: Vec<f64>,
    column: usize,
    /// What is known of every point, in the order of the map's values.
    points: Vec<Point>,
    factors: Factors,
    reason: NoPrediction,
}

/// Blocks of clients that are gone through at once, times the steps of their rollouts.
const STEP: usize = 2_000;

/// Mean norms that are taken at once, about.
const NORMS: usize = 8;

/// What taking a mean norm counts, in blocks of clients.
const NORM_COST: usize = 20;

impl PayoffRun {
    /// The map of a scenario's settings, over these ε and rows. (What is no ε, or beyond a count's limits, is left
    /// out.)
    ///
    /// # Errors
    /// There is no map of the worst client: it is another one in every data set.
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
            column: 0,
            reason: NoPrediction::Unexcited,
        })
    }

    /// What is known so far: column by column the ratio of the root mean squares (Frobenius), a few per cent off at
    /// most; at the end that of the mean errors everywhere.
    pub fn so_far(&self) -> &Payoff {
        &self.payoff
    }

    /// How much is done, and of how much.
    pub fn progress(&self) -> (usize, usize) {
        let a_column = self.plan.n_blocks() + 1;
        let (taken, norms) = self.factors.progress();
        let columns = self.payoff.ratio.xs.len();
        let blocks = self.growth.n_clients() / LANES;
        (self.column * a_column + blocks + taken * NORM_COST, columns * a_column + norms * NORM_COST)
    }

    /// Does a little, a few milliseconds at most; the map, once it is whole. (Nothing is to be asked of it after that.)
    ///
    /// # Errors
    /// Why there is no point of which anything can be said.
    pub fn step(&mut self) -> Option<Result<Payoff, NoPrediction>> {
        let width = self.payoff.ratio.xs.len();
        if self.column < width {
            if self.grow() {
                self.finish_column();
                self.column += 1;
                self.growth.clear();
                self.own_squares.clear();
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

    /// Some more clients of a column; whether all are in that matter.
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
                self.reason = NoPrediction::Overflow;
                return true;
            };
            if self.plan.target == Target::Mean {
                self.own_squares.extend(self.plan.own_squares(&block));
            }
            let deviations = (heterogeneity, self.plan.directions(first));
            if !self.growth.add(&block, deviations, &self.plan.sizes) {
                self.reason = NoPrediction::Overflow;
                return true;
            }
        }
        false
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

    /// Enters the points of a size into the present column; their bias.
    fn enter(&mut self, at: At, law: &Pooled) -> f64 {
        let At { size, column, heterogeneity } = at;
        let centre = self.plan.centres[size];
        let distance = &law.mean - self.plan.clients.deviation(centre.place, heterogeneity);
        let bias = (distance.norm_squared() + heterogeneity * heterogeneity * centre.spread).sqrt();
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

    /// Turns root mean squares into mean norms, and has the map.
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
