//! Rounds in which only some clients take part, drawn anew each time: the mean model, and the mean square around it.
//!
//! If somebody reports, client i's weight `w_i` in the server's mean is 1/m for the m clients that report, and 0 for
//! the others. Clients are exchangeable, so
//!
//! ```text
//! Σ w_i = 1        E w_i = 1/M        Cov(w_i, w_j) = κ/M (δ_ij − 1/M)        κ = (M E[1/m] − 1)/(M − 1)
//! ```
//!
//! A round of the deviation x from the pooled estimate, `x ← x F + H + (noise)`, is a mean round plus the effect of the
//! weights,
//!
//! ```text
//! F = F̂ + Σ w_i A_i        H = ĥ + Σ w_i h_i        ΣA_i = Σh_i = 0
//! V_i enters by E_i/M + (w_i − 1/M) O_i + Σ_j w_j D_j/M
//!
//! FedAvg, FedProx:  F̂ = I − mean SQ                        ĥ = mean RQ           A_i = mean SQ − S_iQ_i
//!                   h_i = R_iQ_i − ĥ                       E_i = O_i = Q_i       D_i = 0
//! FedLin:           F̂ = I − S̄Q̄ − κ(mean SQ − S̄Q̄)           ĥ = κ mean RQ         A_i = 2S̄Q̄ − S_iQ̄ − S̄Q_i
//!                   h_i = R_iQ̄                             E_i = Q̄ + κ(Q_i − Q̄)  O_i = Q̄        D_i = Q_i − Q̄
//! ```
//!
//! with `R_i = C_i − Θ_p S_i`, whose mean is 0. FedAvg and FedProx are exact. FedLin's round is quadratic in the
//! weights: its mean is exact; in products, the square of the deviations is left out.
//!
//! Products of two such factors are linear in Kronecker products, so the mean of `xᵀx` follows a recurrence of its own.

use super::NoPrediction;
use super::feedback::Feedback;
use super::prediction::{Context, State};
use fedsysid_sim::Matrix;
use fedsysid_sim::lanes::{LANES, LaneMatrix, Lanes};
use fedsysid_sim::local_map::FleetMaps;
use fedsysid_sim::method::affine::RoundMap;
use fedsysid_sim::method::{Method, Solver};
use fedsysid_sim::participation::Reports;

/// FedLin is predicted if the relative standard deviations of the participants' mean S and mean Q have at most this
/// product. Beyond it, the neglected square may be what makes the error diverge.
const VARIED: f64 = 0.03;

/// Work in one step, in products of entries.
const STEP: usize = 200_000;

/// The mean and the mean square of a run of such rounds.
#[derive(Debug)]
pub(super) struct Sampling {
    maps: FleetMaps,
    means: Means,
    /// Number of clients included in the constants below.
    taken: usize,
    /// Constants of the recurrences of products: `E F⊗F`, and the terms that are linear in the mean rows, due to
    /// offsets and to noise.
    squares: Matrix,
    offsets: Matrix,
    noises: Matrix,
    /// Constant terms of a round: `E HᵀH`, and `Σ ν_i E[(V_i's entry)ᵀ S_i (V_i's entry)]` for the noise. `entering` is
    /// the latter for the mean entries E_i/M.
    own: [Matrix; 2],
    entering: Matrix,
    /// The mean round map of the rows of transient and drift (n each) and J (d); `E Y_i = E_i J/M` for the noise
    /// `Σ V_i Y_i` in the model.
    mean: RoundMap,
    rows: Matrix,
    /// Means of `tᵀx`, `xᵀx` and the noise's `Σ ν_i Y_iᵀ S_i Y_i`, each d×d and stored as a row.
    products: Matrix,
    room: (Matrix, RoundMap),
    left: f64,
}

/// Means over all clients of the moments and the local maps.
#[derive(Debug)]
struct Means {
    reports: Reports,
    n_clients: f64,
    /// Weight of `mean SQ` in the mean round: 1 for rounds linear in the weights, κ for FedLin.
    together: f64,
    is_fedlin: bool,
    s: Matrix,
    q: Matrix,
    sq: Matrix,
    rq: Matrix,
    /// The [bias](super::feedback) of ĥ.
    bias: Matrix,
    noise: Matrix,
    /// Mean of `E_i ν_i S_i`.
    reach: Matrix,
    /// The relative standard deviation of the participants' mean S, times that of their mean Q.
    varied: f64,
}

/// A client's S_i, Q_i, R_i and `ν_i S_i`.
struct Client {
    s: Matrix,
    q: Matrix,
    r: Matrix,
    noise: Matrix,
}

fn client(context: Context<'_>, maps: &FleetMaps, which: usize) -> Client {
    let (moments, noise) = context.expected.client(which);
    let q = maps.blocks()[which / LANES].q.lane(which % LANES);
    Client { r: moments.gradient(&context.pooled.mean), noise: &moments.s * noise, s: moments.s, q }
}

impl Means {
    fn new(context: Context<'_>, is_fedlin: bool, maps: &mut FleetMaps, reports: Reports) -> Self {
        let (n, d) = context.pooled.mean.shape();
        let n_clients = context.expected.fleet().n_clients();
        let zeros = || LaneMatrix::zeros(d, d);
        let (mut s, mut q, mut sq, mut qn, mut noise) = (zeros(), zeros(), zeros(), zeros(), zeros());
        let (mut r, mut rq, mut room) = (LaneMatrix::zeros(n, d), LaneMatrix::zeros(n, d), LaneMatrix::zeros(n, d));
        let (mut squares_s, mut squares_q, mut product) = (Lanes::default(), Lanes::default(), zeros());
        let mut pooled = LaneMatrix::zeros(n, d);
        pooled.set_all(&-&context.pooled.mean);
        for ((block, nu), map) in context.expected.blocks().zip(maps.blocks()) {
            s.add_weighted(block.present, &block.s);
            q.add_weighted(block.present, &map.q);
            noise.add_weighted(nu, &block.s);
            squares_s += block.s.squared_norms().where_nonzero(block.present, Lanes::default());
            squares_q += map.q.squared_norms().where_nonzero(block.present, Lanes::default());
            product.set_product(&block.s, &map.q);
            sq.add_weighted(block.present, &product);
            product.set_product(&map.q, &block.s);
            qn.add_weighted(nu, &product);
            r.copy_from(&block.c);
            r.add_product(&pooled, &block.s);
            room.set_product(&r, &map.q);
            rq.add_weighted(block.present, &room);
        }
        let mean = |lanes: &LaneMatrix| {
            let mut sum = Matrix::zeros(lanes.rows(), lanes.cols());
            lanes.sum_lanes(&mut sum);
            sum / n_clients as f64
        };
        let [s, q, sq, qn, noise, rq] = [&s, &q, &sq, &qn, &noise, &rq].map(mean);
        let [squares_s, squares_q] = [squares_s, squares_q].map(|squares| squares.sum() / n_clients as f64);
        let together = if is_fedlin { reports.variation } else { 1.0 };
        let reach = &q * &noise * (1.0 - together) + qn * together;
        let variance = |squares: f64, mean: &Matrix| squares / mean.norm_squared() - 1.0;
        let varied = variance(squares_s, &s) * variance(squares_q, &q);
        let varied = reports.variation * varied.max(0.0).sqrt();
        let mut bias = Matrix::zeros(n, d);
        if !is_fedlin {
            let feedback = Feedback::new(context.scenario, context.scenario.settings().gradient_scale);
            feedback.add_to_offset(&mut bias, context.expected.fleet(), maps, 0.0);
        }
        Self { reports, n_clients: n_clients as f64, together, is_fedlin, s, q, sq, rq, bias, noise, reach, varied }
    }

    /// The mean round: F̂ and ĥ.
    fn round(&self) -> RoundMap {
        let d = self.s.nrows();
        let apart = 1.0 - self.together;
        let factor = Matrix::identity(d, d) - &self.s * &self.q * apart - &self.sq * self.together;
        RoundMap { factor, offset: &self.rq * self.together + &self.bias }
    }
}

impl Sampling {
    /// Starts at round 0.
    ///
    /// # Errors
    /// If the round is not one affine map, step sizes change from round to round, or FedLin's round depends too much on
    /// who takes part.
    pub(super) fn new(context: Context<'_>, method: Method, mut maps: FleetMaps) -> Result<Self, NoPrediction> {
        let settings = context.scenario.settings();
        let fleet = context.expected.fleet();
        let is_fedlin = match method.solver {
            Solver::FedLin => true,
            Solver::FedAvg | Solver::FedProx { .. } => false,
            _ => return Err(NoPrediction::Method),
        };
        if !method.schedule.repeats_every_round() {
            return Err(NoPrediction::Participation);
        }
        let reports = settings.participation.reports(fleet.n_clients());
        let means = Means::new(context, is_fedlin, &mut maps, reports);
        if is_fedlin && (means.varied > VARIED || means.varied.is_nan()) {
            return Err(NoPrediction::Chance);
        }
        let (n, d) = context.pooled.mean.shape();
        let RoundMap { factor, offset } = means.round();
        let (squares, offsets) = (factor.kronecker(&factor), factor.kronecker(&offset));
        let own = [offset.tr_mul(&offset), Matrix::zeros(d, d)];
        // The mean round takes place with the probability that somebody reports.
        let mut all = Matrix::zeros(2 * n + d, d);
        all.rows_mut(n, n).copy_from(&(offset * reports.any));
        all.rows_mut(2 * n, d).fill_diagonal(reports.any);
        let mean = RoundMap { factor: lazy(factor, reports.any), offset: all };
        let transient = context.scenario.first_model() - &context.pooled.mean;
        let mut rows = Matrix::zeros(2 * n + d, d);
        rows.rows_mut(0, n).copy_from(&transient);
        let mut products = Matrix::zeros(3, d * d);
        let square = transient.tr_mul(&transient);
        for row in 0..2 {
            products.row_mut(row).copy_from_slice(square.as_slice());
        }
        let room = (rows.clone(), RoundMap::identity(3, d * d));
        let (noises, entering) = (Matrix::zeros(d * d, d * d), Matrix::zeros(d, d));
        Ok(Self {
            maps,
            means,
            taken: 0,
            squares,
            offsets,
            noises,
            own,
            entering,
            mean,
            rows,
            products,
            room,
            left: 1.0,
        })
    }

    /// Adds the products of some more clients; returns whether there are more.
    pub(super) fn prepare(&mut self, context: Context<'_>) -> bool {
        let n_clients = context.expected.fleet().n_clients();
        let at_once = 1 + STEP / self.squares.len();
        for which in self.taken..n_clients.min(self.taken + at_once) {
            self.take(client(context, &self.maps, which));
        }
        self.taken = n_clients.min(self.taken + at_once);
        if self.taken < n_clients {
            return true;
        }
        self.close();
        false
    }

    fn take(&mut self, Client { s, q, r, noise }: Client) {
        let means = &self.means;
        let (m, kappa) = (means.n_clients, means.reports.variation);
        let enters = &means.q * (1.0 - means.together) + &q * means.together;
        let (turn, offset, own, shared) = if means.is_fedlin {
            let turn = &means.s * &means.q * 2.0 - s * &means.q - &means.s * &q;
            (turn, r * &means.q, means.q.clone(), q - &means.q)
        } else {
            (&means.sq - s * &q, r * &q - &means.rq, q.clone(), Matrix::zeros(q.nrows(), q.ncols()))
        };
        let both = own.tr_mul(&(&noise * &shared));
        self.squares += turn.kronecker(&turn) * (kappa / m);
        self.offsets += turn.kronecker(&offset) * (kappa / m);
        let coupled = enters.tr_mul(&noise) * &own + &means.reach * &shared;
        self.noises += turn.kronecker(&coupled) * (kappa / (m * m));
        self.own[0] += offset.tr_mul(&offset) * (kappa / m);
        self.own[1] += own.tr_mul(&(&noise * &own)) * (kappa * (m - 1.0) / (m * m))
            + (&both + both.transpose() + shared.tr_mul(&(&means.noise * &shared))) * (kappa / (m * m));
        self.entering += enters.tr_mul(&(noise * &enters)) / (m * m);
    }

    /// Completes the constants. A round in which nobody reports changes nothing.
    fn close(&mut self) {
        self.noises += self.means.round().factor.kronecker(&self.entering);
        self.own[1] += &self.entering;
        let any = self.means.reports.any;
        let squares = std::mem::replace(&mut self.squares, Matrix::zeros(0, 0));
        self.room.1.factor = lazy(squares, any);
        self.offsets *= any;
        self.noises *= any;
        self.own.iter_mut().for_each(|own| *own *= any);
    }

    /// Number of rounds that take about a millisecond, if each one's error is compared with `n_blocks` blocks of
    /// clients.
    pub(super) fn at_once(&self, n_blocks: usize) -> usize {
        1 + STEP / (5 * self.noises.len() + 4 * n_blocks * self.squares.len().isqrt())
    }

    pub(super) fn advance(&mut self) {
        let (d, n) = (self.rows.ncols(), self.offsets.nrows() / self.rows.ncols());
        let transient = self.rows.rows(0, n).into_owned();
        let all = self.rows.rows(n, n) + &transient;
        let reach = self.rows.rows(2 * n, d).into_owned();
        let through = |rows: &Matrix, table: &Matrix| {
            let product = table.tr_mul(&nalgebra::DVector::from_column_slice(rows.as_slice()));
            let square = Matrix::from_column_slice(d, d, product.as_slice());
            &square + square.transpose()
        };
        let driven = [
            through(&transient, &self.offsets) * 0.5,
            through(&all, &self.offsets) + &self.own[0],
            through(&reach, &self.noises) + &self.own[1],
        ];
        let (after, squares) = &mut self.room;
        for (row, driven) in driven.iter().enumerate() {
            squares.offset.row_mut(row).copy_from_slice(driven.as_slice());
        }
        let mut products = self.products.clone();
        squares.apply(&self.products, &mut products);
        self.products = products;
        self.mean.apply(&self.rows, after);
        std::mem::swap(&mut self.rows, after);
        self.left = (self.rows.rows(2 * n, d) - reach).amax();
    }

    /// The model after the rounds so far.
    pub(super) fn state(&self) -> State {
        let (d, n) = (self.rows.ncols(), self.offsets.nrows() / self.rows.ncols());
        let rows = |first: usize| self.rows.rows(first * n, n).into_owned();
        let (transient, drift) = (rows(0), rows(1));
        let all = &transient + &drift;
        let product = |row: usize| Matrix::from_iterator(d, d, self.products.row(row).iter().copied());
        let of_drawing = product(1) - all.tr_mul(&all);
        let of_transient = product(0).trace() - transient.dot(&all);
        let drawn = [of_transient, of_drawing.trace() - of_transient];
        State { transient, drift, covariance: of_drawing / n as f64 + product(2), drawn }
    }

    /// The largest entry of what the last round still changed in J: the remaining effect of an offset in the first
    /// round, on average.
    pub(super) fn left(&self) -> f64 {
        self.left
    }
}

/// The mean of a map that takes place with this probability, and is the identity otherwise.
fn lazy(map: Matrix, probability: f64) -> Matrix {
    let mut lazy = map * probability;
    let rows = lazy.nrows();
    lazy.iter_mut().step_by(rows + 1).for_each(|diagonal| *diagonal += 1.0 - probability);
    lazy
}
