//! Ratios of mean spectral norms to root mean squares, computed at some points and interpolated.

use std::f64::consts::FRAC_PI_2;

use super::fleet::Pooled;
use super::mixture::Mixture;
use super::plan::Plan;
use super::{At, Point};
use crate::landscape::interpolation::{Curve, evenly};
use crate::law::{Law, MeanNorms};
use fedsysid_sim::Matrix;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::norm::LaneNorms;
use fedsysid_sim::system::Dims;
use fedsysid_sim::target::Target;

/// Number of columns at which ratios that depend on ε alone are computed.
const ANCHORS: usize = 10;

/// Number of points in a node's row at which mean norms are computed; more for the mean over clients, where there is no
/// mixture to bring c near 1.
fn n_points(target: Target) -> usize {
    match target {
        Target::Client(_) => 7,
        Target::Mean | Target::Worst => 11,
    }
}

/// Draws for φ_n; c corrects for their sampling error.
const FEW_DRAWS: usize = 64;

/// The mixture does not hold if at least the share `APART` of the bias is outside the plane of V and U, and `sin 2θ` is
/// above `MIXED`.
const APART: f64 = 0.07;
const MIXED: f64 = 0.1;

/// A ratio at some places, and the curve through them once all are computed.
#[derive(Clone, Debug, Default)]
struct Factor {
    taken: Vec<(f64, f64)>,
    curve: Curve,
}

impl Factor {
    fn finish(&mut self) {
        self.curve = Curve::through(std::mem::take(&mut self.taken));
    }
}

/// A row in which mean norms are computed.
#[derive(Debug)]
struct Node {
    row: usize,
    /// φ_n.
    noise: Factor,
    /// The law of pooled least squares in every column where it is known.
    laws: Vec<Option<Law>>,
    /// The coordinates of the columns along the row, see [`ways`].
    ways: Vec<f64>,
    /// The columns in which mean norms are computed.
    columns: Vec<usize>,
    n_taken: usize,
    /// c over that coordinate.
    correction: Factor,
}

/// Ratios of mean spectral norms to root mean squares.
#[derive(Debug)]
pub(super) struct Factors {
    norms: MeanNorms,
    bias_norms: LaneNorms,
    errors: LaneMatrix,
    /// The coordinates of the columns, increasing with ε.
    places: Vec<f64>,
    anchors: Vec<usize>,
    n_points: usize,
    /// For each size: φ_b, and the ratio for a client's own error.
    bias: Vec<Factor>,
    own: Vec<Factor>,
    mixture: Mixture,
    nodes: Vec<Node>,
}

impl Factors {
    pub(super) fn new(dims: Dims, heterogeneities: &[f64], plan: &Plan) -> Self {
        // Systems change with ε on a scale of about a tenth.
        let places: Vec<_> = heterogeneities.iter().map(|heterogeneity| libm::log1p(10.0 * heterogeneity)).collect();
        let node = |row| Node {
            row,
            noise: Factor::default(),
            laws: vec![None; heterogeneities.len()],
            ways: Vec::new(),
            columns: Vec::new(),
            n_taken: 0,
            correction: Factor::default(),
        };
        Self {
            norms: MeanNorms::new(dims),
            bias_norms: LaneNorms::new(dims.n_states, dims.n_regressors()),
            errors: LaneMatrix::zeros(dims.n_states, dims.n_regressors()),
            anchors: evenly(&places, ANCHORS),
            n_points: n_points(plan.target),
            places,
            bias: vec![Factor::default(); plan.sizes.len()],
            own: vec![Factor::default(); plan.sizes.len()],
            mixture: Mixture::default(),
            nodes: plan.nodes().into_iter().map(node).collect(),
        }
    }

    /// Number of mean norms computed so far, and approximately in all.
    pub(super) fn progress(&self) -> (usize, usize) {
        let taken: usize = self.nodes.iter().map(|node| node.n_taken).sum();
        (taken + self.mixture.n_taken(), self.nodes.len() * self.n_points + Mixture::N_NORMS)
    }

    fn is_anchor(&self, column: usize) -> bool {
        self.anchors.binary_search(&column).is_ok()
    }

    /// Stores the pooled law at one size and column.
    pub(super) fn note(&mut self, plan: &Plan, at: At, law: &Pooled) {
        let is_anchor = self.is_anchor(at.column);
        let place = self.places[at.column];
        let mut noise = None;
        for row in plan.rows_of(at.size) {
            let Ok(which) = self.nodes.binary_search_by_key(&row, |node| node.row) else { continue };
            let node = &mut self.nodes[which];
            if is_anchor {
                let norms = &mut self.norms;
                let factor = || norms.of_noise(&law.covariance, FEW_DRAWS) / law.noise();
                node.noise.taken.push((place, *noise.get_or_insert_with(factor)));
            }
            node.laws[at.column] = Some(plan.law(law, row));
        }
        if let Target::Client(_) = plan.target {
            self.mixture.offer(law);
        }
    }

    /// Stores φ_b of up to eight sizes in a column; `biases` are the root mean squares of the same distances.
    pub(super) fn note_biases(&mut self, plan: &Plan, at: At, laws: &[Pooled], biases: &[f64]) {
        let norms = match plan.target {
            Target::Client(_) => self.distances(plan, at, laws),
            Target::Mean | Target::Worst if self.is_anchor(at.column) => {
                let sizes = at.size..at.size + laws.len();
                laws.iter().zip(sizes).map(|(law, size)| self.mean_distance(plan, At { size, ..at }, law)).collect()
            }
            Target::Mean | Target::Worst => return,
        };
        for ((factor, norm), bias) in self.bias[at.size..].iter_mut().zip(norms).zip(biases) {
            factor.taken.push((self.places[at.column], norm / bias));
        }
    }

    /// The spectral distances of the laws' means from the target client's system.
    fn distances(&mut self, plan: &Plan, at: At, laws: &[Pooled]) -> Vec<f64> {
        laws.iter().enumerate().for_each(|(lane, law)| self.errors.set_lane(lane, &law.mean));
        for (directions, _) in plan.counting(at.size) {
            self.errors.add_scaled(Lanes::splat(-at.heterogeneity), directions);
        }
        self.bias_norms.of(&self.errors).0[..laws.len()].to_vec()
    }

    /// The mean spectral distance of a law's mean from the systems whose error counts.
    fn mean_distance(&mut self, plan: &Plan, at: At, law: &Pooled) -> f64 {
        let (mut weight, mut sum) = (0.0, 0.0);
        for (directions, counting) in plan.counting(at.size) {
            self.errors.set_all(&law.mean);
            self.errors.add_scaled(Lanes::splat(-at.heterogeneity), directions);
            weight += counting.sum();
            sum += (counting * self.bias_norms.of(&self.errors)).sum();
        }
        sum / weight
    }

    /// The mean norm at a point where the formula does not hold, because one client's bias is outside the plane of V
    /// and U, as for systems that grow without bound; `None` elsewhere.
    pub(super) fn directly(&mut self, plan: &Plan, at: At, row: usize, point: &Point, law: &Pooled) -> Option<f64> {
        let is_mixed = point.mixed() > MIXED;
        if !is_mixed || point.direction.apart < APART || plan.target == Target::Mean {
            return None;
        }
        Some(self.norms.roughly(&plan.law(law, row), &plan.truth(at.size, at.heterogeneity)?))
    }

    /// Stores the ratio for clients' own least squares in a column.
    pub(super) fn note_own(&mut self, plan: &Plan, column: usize, heterogeneity: f64) {
        if !self.is_anchor(column) {
            return;
        }
        let clients = plan.own_clients();
        let covariances: Vec<Matrix> = clients
            .clone()
            .step_by(LANES)
            .filter_map(|first| plan.clients.block(first, clients.end - first, heterogeneity).ok())
            .flat_map(|block| {
                let covariances = block.own_covariances();
                (0..LANES).map(move |lane| covariances.lane(lane))
            })
            .collect();
        let n_states = self.errors.rows() as f64;
        let mut taken: (usize, Vec<(f64, f64)>) = (0, Vec::new());
        for size in 0..plan.sizes.len() {
            let (n_draws, n_clients) = plan.own_draws(size);
            if n_draws != taken.0 {
                taken = (n_draws, Vec::new());
            }
            for covariance in covariances.iter().take(n_clients).skip(taken.1.len()) {
                let norm = self.norms.of_noise(covariance, n_draws);
                taken.1.push((norm, (n_states * covariance.trace()).sqrt()));
            }
            let sum = |of: fn(&(f64, f64)) -> f64| taken.1.iter().map(of).sum::<f64>();
            self.own[size].taken.push((self.places[column], sum(|own| own.0) / sum(|own| own.1)));
        }
    }

    /// Chooses the points at which mean norms are computed, once all columns are known.
    pub(super) fn choose(&mut self, points: &[Point]) {
        self.bias.iter_mut().chain(&mut self.own).for_each(Factor::finish);
        let width = self.places.len();
        for node in &mut self.nodes {
            node.noise.finish();
            node.ways = ways(&self.places, &points[node.row * width..][..width]);
            node.columns = evenly(&node.ways, self.n_points);
        }
    }

    /// Computes some more mean norms; returns how many, 0 at the end.
    pub(super) fn take(&mut self, plan: &Plan, heterogeneities: &[f64], points: &[Point]) -> usize {
        let mixed = self.mixture.take(&plan.clients, &mut self.norms);
        if mixed > 0 {
            return mixed;
        }
        let Some(which) = self.nodes.iter().position(|node| node.n_taken < node.columns.len()) else { return 0 };
        let node = &self.nodes[which];
        let (row, column) = (node.row, node.columns[node.n_taken]);
        let point = &points[row * self.places.len() + column];
        // Where norms are computed directly, the formula does not hold, and c would be meaningless.
        let law = node.laws[column].as_ref().filter(|_| point.norm.is_none());
        let truth = plan.truth(plan.rows[row].size, heterogeneities[column]);
        let norm = law.zip(truth).map_or(f64::NAN, |(law, truth)| self.norms.of(law, &truth));
        let correction = norm / self.uncorrected(node, plan.rows[row].size, column, point);
        let node = &mut self.nodes[which];
        node.correction.taken.push((node.ways[column], correction));
        node.n_taken += 1;
        if node.n_taken == node.columns.len() {
            node.correction.finish();
        }
        1
    }

    /// `√(φ_b² bias² + φ_n² noise² + joint effect)`, with φ_n of a node.
    fn uncorrected(&self, node: &Node, size: usize, column: usize, point: &Point) -> f64 {
        let place = self.places[column];
        let bias = times(self.bias[size].curve.at(place), point.bias);
        let noise = times(node.noise.curve.at(place), point.noise);
        let both = times(self.mixture.at(point.angle(), point.direction.angle), point.pooled() * point.pooled());
        (bias * bias + noise * noise + both).sqrt()
    }

    /// The mean norms of the pooled estimate's error and of a client's own error.
    pub(super) fn mean_norms(&self, plan: &Plan, row: usize, column: usize, point: &Point) -> (f64, f64) {
        let size = plan.rows[row].size;
        let pooled = point.norm.unwrap_or_else(|| self.between_nodes(plan, row, column, point));
        let own = times(self.own[size].curve.at(self.places[column]), point.own);
        (at_most(point.pooled(), pooled), at_most(point.own, own))
    }

    fn between_nodes(&self, plan: &Plan, row: usize, column: usize, point: &Point) -> f64 {
        let above = self.nodes.partition_point(|node| node.row < row);
        let of = |node: &Node| {
            let correction = node.correction.curve.at(node.ways[column]);
            let uncorrected = self.uncorrected(node, plan.rows[row].size, column, point);
            if correction.is_nan() { uncorrected } else { correction * uncorrected }
        };
        // The first and the last row are nodes.
        let high = &self.nodes[above];
        if high.row == row {
            return of(high);
        }
        let low = &self.nodes[above - 1];
        let [from, at, to] = [low.row, row, high.row].map(|row| libm::log(plan.places[row]));
        of(low) + (at - from) / (to - from) * (of(high) - of(low))
    }
}

/// The coordinates of the columns along a row: they grow with ε and with changes of θ.
fn ways(places: &[f64], points: &[Point]) -> Vec<f64> {
    let extent = places.last().zip(places.first()).map_or(0.0, |(last, first)| last - first);
    let mut way = 0.0;
    let mut before: Option<(f64, f64)> = None;
    let along = |(&place, point): (&f64, &Point)| {
        let angle = point.angle() / FRAC_PI_2;
        if angle.is_nan() {
            return f64::NAN;
        }
        if let Some((place_before, angle_before)) = before.replace((place, angle)) {
            way += (place - place_before) / extent + (angle - angle_before).abs();
        }
        way
    };
    places.iter().zip(points).map(along).collect()
}

/// A mean spectral norm limited to the range from 0 to the root mean square, which interpolation might leave; NaN is
/// kept.
fn at_most(root: f64, norm: f64) -> f64 {
    if norm > root {
        root
    } else if norm < 0.0 {
        0.0
    } else {
        norm
    }
}

/// A product that is 0 if `value` is 0, even if the factor is not finite.
fn times(factor: f64, value: f64) -> f64 {
    if value.abs() > 0.0 || value.is_nan() { factor * value } else { 0.0 }
}
