//! One-shot least squares from moments: local, pooled, and the mean of the locals.
//!
//! ```text
//! local          Θ_i = C_i S_i⁻¹
//! pooled         (Σ C_i)(Σ S_i)⁻¹             what FedLin converges to
//! mean of locals (1/M) Σ C_i S_i⁻¹            eq. (FL) as printed; FedAvg's limit as K → ∞
//! ```
//!
//! Gram matrices are factored, never inverted.

use std::fmt;

use nalgebra::Cholesky;

use super::Matrix;
use super::fleet::{Block, Fleet};
use super::lanes::{LANES, LaneMatrix, Lanes};
use super::moments::Moments;
use super::system::Dims;

/// Why data do not determine an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateError {
    /// Fewer samples than unknowns a row of Θ.
    NotEnoughData {
        /// Samples there are, `N·T`.
        have: u64,
        /// Samples needed, `d = n + p`.
        need: u64,
    },
    /// One regressor is, to rounding, a combination of others (or always zero).
    Singular {
        /// The first such regressor, 0-based: states first, then inputs.
        regressor: usize,
    },
    /// The moments overflowed.
    NotFinite,
}

impl fmt::Display for EstimateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotEnoughData { have, need } => {
                write!(f, "least squares needs at least {need} samples (N·T), there are {have}")
            }
            Self::Singular { regressor } => {
                write!(f, "the data do not excite regressor {} apart from the others", regressor + 1)
            }
            Self::NotFinite => f.write_str("the data overflowed: an unstable system ran for too many steps"),
        }
    }
}

impl std::error::Error for EstimateError {}

/// Share of a regressor's energy that must not be explained by those before it. Below this, rounding in S alone can make
/// the factor's pivot.
const MIN_UNEXPLAINED: f64 = 1e-12;

/// Least squares from moments: `Θ = C S⁻¹`, n×d.
///
/// # Errors
/// When there are fewer samples than regressors, a regressor is a combination of others, or the moments overflowed.
pub fn least_squares(moments: &Moments) -> Result<Matrix, EstimateError> {
    let need = moments.s.nrows() as u64;
    if moments.n_samples < need {
        return Err(EstimateError::NotEnoughData { have: moments.n_samples, need });
    }
    if !moments.is_finite() {
        return Err(EstimateError::NotFinite);
    }
    solve(&moments.s, &moments.c)
}

/// `C S⁻¹` by a Cholesky factor of S scaled to unit diagonal, so that the regressors' units do not matter: the squared
/// pivot `L_kk²` is then the share of regressor k's energy that those before it do not account for.
fn solve(s: &Matrix, c: &Matrix) -> Result<Matrix, EstimateError> {
    let scales = s.diagonal().map(f64::sqrt);
    if let Some(regressor) = scales.iter().position(|&scale| scale <= 0.0) {
        return Err(EstimateError::Singular { regressor });
    }
    let correlation = Matrix::from_fn(s.nrows(), s.ncols(), |i, j| s[(i, j)] / scales[i] / scales[j]);
    let scaled_c = Matrix::from_fn(c.nrows(), c.ncols(), |i, j| c[(i, j)] / scales[j]);
    // The substitute only lets the factor run to its end, so that the pivot at fault can be named.
    let factor = Cholesky::new_with_substitute(correlation, f64::MIN_POSITIVE).ok_or(EstimateError::NotFinite)?;
    let pivots = factor.l_dirty().diagonal();
    if let Some(regressor) = pivots.iter().position(|pivot| pivot * pivot < MIN_UNEXPLAINED) {
        return Err(EstimateError::Singular { regressor });
    }
    let scaled = factor.solve(&scaled_c.transpose());
    Ok(Matrix::from_fn(c.nrows(), c.ncols(), |i, j| scaled[(j, i)] / scales[j]))
}

/// The clients' own least squares, summed up.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalEstimates {
    /// Client 1's, n×d.
    pub first: Result<Matrix, EstimateError>,
    /// The mean of all clients', n×d, or the error of the first client whose data do not determine an estimate.
    pub mean: Result<Matrix, EstimateError>,
}

/// Every client's own least squares.
pub fn local_estimates(fleet: &Fleet) -> LocalEstimates {
    let dims = fleet.dims();
    let mut room = LaneLeastSquares::new(dims);
    let mut sum = Matrix::zeros(dims.n_states, dims.n_regressors());
    let (mut first, mut error) = (None, None);
    for block in fleet.blocks() {
        let is_determined = room.solve(block);
        let mut faults = (0..LANES).filter(|&lane| block.present.0[lane] > 0.0 && !is_determined[lane]);
        // The plain function says what is wrong.
        error = error.or_else(|| faults.find_map(|lane| least_squares(&block.moments(lane)).err()));
        room.theta.add_weighted_sum(block.present, &mut sum);
        first.get_or_insert_with(|| {
            if is_determined[0] { Ok(room.theta.lane(0)) } else { least_squares(&block.moments(0)) }
        });
    }
    let Some(first) = first else {
        let nobody = Err(EstimateError::NotEnoughData { have: 0, need: dims.n_regressors() as u64 });
        return LocalEstimates { first: nobody.clone(), mean: nobody };
    };
    LocalEstimates { first, mean: error.map_or_else(|| Ok(sum / fleet.n_clients() as f64), Err) }
}

/// Eight clients' least squares at a time: [`solve`], lane by lane.
struct LaneLeastSquares {
    /// Cholesky factors of the correlation matrices.
    factor: LaneMatrix,
    theta: LaneMatrix,
    scales: Vec<Lanes>,
}

impl LaneLeastSquares {
    fn new(dims: Dims) -> Self {
        let d = dims.n_regressors();
        Self {
            factor: LaneMatrix::zeros(d, d),
            theta: LaneMatrix::zeros(dims.n_states, d),
            scales: vec![Lanes::default(); d],
        }
    }

    /// Solves into `theta`; which lanes' data determine an estimate.
    fn solve(&mut self, block: &Block) -> [bool; LANES] {
        for (k, scale) in self.scales.iter_mut().enumerate() {
            *scale = block.s[(k, k)].sqrt();
        }
        let least_pivot = self.factorise(&block.s);
        self.substitute(&block.c);
        let need = self.scales.len() as u64;
        // An overflow in S shows in the pivots, one in C in the solution.
        let size = self.theta.entries().iter().fold(Lanes::default(), |sum, &entry| sum + entry.abs());
        let is_solved = |lane: usize| least_pivot.0[lane] >= MIN_UNEXPLAINED && size.0[lane].is_finite();
        std::array::from_fn(|lane| block.n_samples[lane] >= need && is_solved(lane))
    }

    /// `L` of the correlation matrices; the least squared pivot, NaN once one is not a number.
    fn factorise(&mut self, s: &LaneMatrix) -> Lanes {
        let mut least = Lanes::splat(1.0);
        for i in 0..self.scales.len() {
            for j in 0..=i {
                let mut rest = s[(i, j)] / self.scales[i] / self.scales[j];
                for k in 0..j {
                    rest -= self.factor[(i, k)] * self.factor[(j, k)];
                }
                if i == j {
                    // Written so that NaN stays: it is not determined either.
                    least = least.zip(rest, |least, pivot| if pivot >= least { least } else { pivot });
                    self.factor[(i, i)] = rest.sqrt();
                } else {
                    self.factor[(i, j)] = rest / self.factor[(j, j)];
                }
            }
        }
        least
    }

    /// `Θ = C S⁻¹`, row by row: forward with L, backward with Lᵀ.
    fn substitute(&mut self, c: &LaneMatrix) {
        let d = self.scales.len();
        for row in 0..c.rows() {
            for j in 0..d {
                let mut rest = c[(row, j)] / self.scales[j];
                for k in 0..j {
                    rest -= self.theta[(row, k)] * self.factor[(j, k)];
                }
                self.theta[(row, j)] = rest / self.factor[(j, j)];
            }
            for j in (0..d).rev() {
                let mut rest = self.theta[(row, j)];
                for k in j + 1..d {
                    rest -= self.theta[(row, k)] * self.factor[(k, j)];
                }
                self.theta[(row, j)] = rest / self.factor[(j, j)];
            }
            for (j, &scale) in self.scales.iter().enumerate() {
                self.theta[(row, j)] = self.theta[(row, j)] / scale;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::{Family, Place};
    use crate::rollout::{DataPlan, NoiseLevels, Samples, simulate_samples};
    use crate::stream::{Purpose, Seed, stream};

    fn samples(client: usize, n_rollouts: usize) -> Samples {
        let system = Family::paper().member(Place { a: 0.1 * client as f64, b: 0.2 }, 1.0).unwrap();
        let plan = DataPlan { n_rollouts, rollout_len: 5, noise: NoiseLevels::UNIT };
        simulate_samples(&system, &plan, &mut stream(Seed(5), Purpose::Data, 0, client))
    }

    #[test]
    fn residuals_are_orthogonal_to_the_regressors() {
        let samples = samples(0, 20);
        let theta = least_squares(&samples.moments()).unwrap();
        let residuals = &samples.next - theta * &samples.z;
        assert!((residuals * samples.z.transpose()).amax() < 1e-11);
    }

    #[test]
    fn pooled_is_the_regression_on_all_samples_and_not_the_mean() {
        let clients = [samples(0, 3), samples(1, 30), samples(2, 9)];
        let moments: Vec<_> = clients.iter().map(Samples::moments).collect();
        let fleet = fleet(&moments);
        let theta = least_squares(&fleet.total()).unwrap();
        let gradient: Matrix = clients.iter().map(|s| (&s.next - &theta * &s.z) * s.z.transpose()).sum();
        assert!(gradient.amax() < 1e-11);
        let mean = local_estimates(&fleet).mean.unwrap();
        let locals: Matrix = moments.iter().map(|m| least_squares(m).unwrap()).sum();
        assert!((&mean - locals / 3.0).amax() < 1e-15);
        assert!((theta - mean).amax() > 1e-3);
    }

    #[test]
    fn without_noise_the_truth_is_found() {
        let system = Family::paper().member(Place { a: 0.3, b: 0.2 }, 1.0).unwrap();
        let noise = NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT };
        let plan = DataPlan { n_rollouts: 4, rollout_len: 5, noise };
        let data = simulate_samples(&system, &plan, &mut stream(Seed(5), Purpose::Data, 0, 0));
        assert!((least_squares(&data.moments()).unwrap() - system.theta()).amax() < 1e-12);
    }

    #[track_caller]
    fn check_error(change: impl Fn(&mut Moments), expected: EstimateError) {
        let mut moments = samples(0, 9).moments();
        change(&mut moments);
        assert_eq!(least_squares(&moments), Err(expected));
    }

    #[test]
    fn what_data_cannot_tell_is_an_error() {
        check_error(|m| m.n_samples = 4, EstimateError::NotEnoughData { have: 4, need: 5 });
        check_error(|m| m.c[(0, 0)] = f64::NAN, EstimateError::NotFinite);
        check_error(|m| m.s.row_mut(3).fill(0.0), EstimateError::Singular { regressor: 3 });
        check_error(
            |m| {
                // The last input is twice the first state, in units a thousand times smaller.
                let map = Matrix::from_fn(5, 5, |i, j| match (i, j) {
                    (4, 0) => 2e-3,
                    (4, _) => 0.0,
                    _ => f64::from(u8::from(i == j)),
                });
                m.s = &map * &m.s * map.transpose();
            },
            EstimateError::Singular { regressor: 4 },
        );
    }

    #[test]
    fn units_do_not_matter() {
        let mut moments = samples(0, 9).moments();
        let map = Matrix::from_diagonal(&nalgebra::DVector::from_row_slice(&[1e-9, 1.0, 1e9, 1.0, 1e-5]));
        let expected = least_squares(&moments).unwrap();
        moments.s = &map * &moments.s * &map;
        moments.c = &moments.c * &map;
        let got = least_squares(&moments).unwrap() * map;
        assert!((got - expected).amax() < 1e-11);
    }

    #[test]
    fn eight_at_a_time_are_the_same_as_one() {
        let moments: Vec<_> = (0..19).map(|client| samples(client, 2 + client).moments()).collect();
        let locals = local_estimates(&fleet(&moments));
        let one_by_one: Vec<_> = moments.iter().map(|m| least_squares(m).unwrap()).collect();
        let close = |a: &Matrix, b: &Matrix| (a - b).amax() < 1e-12 * b.amax();
        assert!(close(&locals.first.unwrap(), &one_by_one[0]));
        assert!(close(&locals.mean.unwrap(), &(one_by_one.iter().sum::<Matrix>() / 19.0)));
    }

    #[test]
    fn no_clients_no_estimate() {
        let nobody = Err(EstimateError::NotEnoughData { have: 0, need: 5 });
        let locals = local_estimates(&fleet(&[]));
        assert_eq!(locals, LocalEstimates { first: nobody.clone(), mean: nobody });
    }

    #[track_caller]
    fn check_locals(moments: &[Moments], first: Result<(), EstimateError>, mean: Result<(), EstimateError>) {
        let locals = local_estimates(&fleet(moments));
        assert_eq!((locals.first.map(drop), locals.mean.map(drop)), (first, mean));
    }

    #[test]
    fn a_client_without_enough_data_spoils_the_mean_and_not_the_pool() {
        let tiny = Moments { n_samples: 3, ..samples(1, 9).moments() };
        let mut endless = samples(2, 9).moments();
        endless.c[(0, 0)] = f64::INFINITY;
        let good = samples(0, 9).moments();
        let too_few = EstimateError::NotEnoughData { have: 3, need: 5 };
        check_locals(&[good.clone(), tiny.clone()], Ok(()), Err(too_few));
        check_locals(&[tiny.clone(), good.clone()], Err(too_few), Err(too_few));
        check_locals(&[good.clone(), endless, tiny.clone()], Ok(()), Err(EstimateError::NotFinite));
        assert!(least_squares(&fleet(&[good, tiny]).total()).is_ok());
    }

    fn fleet(moments: &[Moments]) -> Fleet {
        let mut fleet = Fleet::new(Family::paper().dims());
        for moments in moments {
            fleet.add(moments);
        }
        fleet
    }
}
