//! Eight small matrices side by side, one for each of eight clients (or rollouts, or rounds), worked on together.
//!
//! The matrices here are tiny (5×5 in the paper), far too small for a vector unit by themselves. They are stored entry
//! by entry, and each entry lane by lane, so that every vector multiplication serves eight of them. Each lane is
//! computed in the order of the formula, so its bits depend neither on the machine's vector width nor on the other
//! lanes.

mod matrix;

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

pub use matrix::LaneMatrix;

/// The number of lanes. Eight doubles fill the widest vector units in use.
pub const LANES: usize = 8;

/// One number per lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const W: usize = LANES>(pub [f64; W]);

impl<const W: usize> Default for Lanes<W> {
    fn default() -> Self {
        Self::splat(0.0)
    }
}

impl<const W: usize> Lanes<W> {
    /// The same number in all lanes.
    pub const fn splat(value: f64) -> Self {
        Self([value; W])
    }

    /// One number per lane, from its index.
    pub fn from_fn(value: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }

    /// Applies a function to every lane.
    pub fn map(self, function: impl FnMut(f64) -> f64) -> Self {
        Self(self.0.map(function))
    }

    /// Applies a function to every pair of lanes.
    #[inline]
    pub fn zip(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self::from_fn(|lane| function(self.0[lane], other.0[lane]))
    }

    /// Square roots.
    pub fn sqrt(self) -> Self {
        self.map(f64::sqrt)
    }

    /// Absolute values.
    pub fn abs(self) -> Self {
        self.map(f64::abs)
    }

    /// The larger number in each lane. NaN in `other` is ignored.
    pub fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { b } else { a })
    }

    /// These numbers, negated in the lanes where `other` has a negative sign.
    pub fn signed_by(self, other: Self) -> Self {
        // Unlike `f64::copysign`, this compiles to vector instructions on all targets.
        self.zip(other, |a, other| f64::from_bits(a.to_bits() ^ (other.to_bits() & (-0.0_f64).to_bits())))
    }

    /// A mask: 1 where the comparison with `other` holds, 0 elsewhere.
    pub fn mask(self, other: Self, holds: impl Fn(f64, f64) -> bool) -> Self {
        self.zip(other, |a, b| if holds(a, b) { 1.0 } else { 0.0 })
    }

    /// Whether a mask is nonzero in some lane. (−0 counts as nonzero.)
    pub fn any(self) -> bool {
        self.0.iter().fold(0, |bits, lane| bits | lane.to_bits()) != 0
    }

    /// `self` where `mask` is nonzero, `other` elsewhere. The lane that is not taken has no effect, even if it is NaN.
    pub fn where_nonzero(self, mask: Self, other: Self) -> Self {
        Self::from_fn(|lane| if mask.0[lane] == 0.0 { other.0[lane] } else { self.0[lane] })
    }

    /// The sum of all lanes, from first to last.
    pub fn sum(self) -> f64 {
        self.0.iter().sum()
    }
}

macro_rules! lane_by_lane {
    ($($operator:ident $function:ident $symbol:tt),*) => {$(
        impl<const W: usize> $operator for Lanes<W> {
            type Output = Self;
            #[inline]
            fn $function(self, other: Self) -> Self {
                self.zip(other, |a, b| a $symbol b)
            }
        }
        impl<const W: usize> $operator<f64> for Lanes<W> {
            type Output = Self;
            #[inline]
            fn $function(self, other: f64) -> Self {
                self.map(|a| a $symbol other)
            }
        }
    )*};
}

lane_by_lane!(Add add +, Sub sub -, Mul mul *, Div div /);

impl<const W: usize> AddAssign for Lanes<W> {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const W: usize> SubAssign for Lanes<W> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<const W: usize> MulAssign<f64> for Lanes<W> {
    #[inline]
    fn mul_assign(&mut self, factor: f64) {
        *self = *self * factor;
    }
}

impl<const W: usize> Neg for Lanes<W> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.map(|a| -a)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Matrix;
    use crate::normal::normal;
    use crate::stream::{Purpose, Seed, stream};

    pub(crate) fn random(rows: usize, cols: usize, which: usize) -> Vec<Matrix> {
        let mut rng = stream(Seed(2), Purpose::Data, which, 0);
        (0..LANES).map(|_| Matrix::from_fn(rows, cols, |_, _| normal(&mut rng))).collect()
    }

    pub(crate) fn side_by_side(matrices: &[Matrix]) -> LaneMatrix {
        let mut lanes = LaneMatrix::zeros(matrices[0].nrows(), matrices[0].ncols());
        matrices.iter().enumerate().for_each(|(lane, matrix)| lanes.set_lane(lane, matrix));
        lanes
    }

    #[test]
    fn what_is_done_to_numbers_is_done_to_every_lane() {
        let (infinity, nan) = (f64::INFINITY, f64::NAN);
        let a = Lanes([1.0, -2.0, 0.0, -0.0, infinity, 3.0, 3.0, nan]);
        let b = Lanes([-5.0, -0.0, 0.0, 7.0, -infinity, nan, 3.0, 1.0]);
        let bits = |lanes: Lanes| lanes.0.map(f64::to_bits);
        assert_eq!(bits(a.abs().signed_by(b)), bits(a.zip(b, f64::copysign)));
        assert_eq!(a.mask(b, |a, b| a > b), Lanes([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]));
        assert!(a.mask(b, |a, b| a > b).any() && !a.mask(b, |a, b| a > b + infinity).any());
    }

    #[test]
    fn one_matrix_less_each_of_the_lanes() {
        let (one, others) = (random(3, 5, 0).swap_remove(0), random(3, 5, 1));
        let mut difference = LaneMatrix::zeros(3, 5);
        difference.set_difference(&one, &side_by_side(&others));
        others.iter().enumerate().for_each(|(lane, other)| assert_eq!(difference.lane(lane), &one - other));
    }

    #[test]
    fn products_are_those_of_the_lanes() {
        let (a, b, c) = (random(3, 5, 0), random(5, 4, 1), random(3, 4, 2));
        let mut sum = side_by_side(&c);
        sum.add_product(&side_by_side(&a), &side_by_side(&b));
        for lane in 0..LANES {
            assert!((sum.lane(lane) - (&c[lane] + &a[lane] * &b[lane])).amax() < 1e-14);
        }
    }

    #[test]
    fn products_of_commuting_symmetric_matrices_are_symmetric() {
        let s: Vec<_> = random(4, 9, 0).iter().map(|z| z * z.transpose()).collect();
        let (a, b): (Vec<_>, Vec<_>) = s.iter().map(|s| (s * 2.0 + s * s, Matrix::identity(4, 4) - s)).unzip();
        let mut product = LaneMatrix::zeros(4, 4);
        product.set_symmetric_product(&side_by_side(&a), &side_by_side(&b));
        for lane in 0..LANES {
            let expected = &a[lane] * &b[lane];
            assert!((product.lane(lane) - &expected).amax() < 1e-13 * expected.amax());
        }
    }

    #[test]
    fn a_lane_without_weight_has_no_part() {
        let mut matrices = random(2, 3, 0);
        matrices[3].fill(f64::NAN);
        let weight = Lanes::from_fn(|lane| if lane == 3 { 0.0 } else { 1.0 });
        let mut lanes = LaneMatrix::zeros(2, 3);
        lanes.add_weighted(weight, &side_by_side(&matrices));
        let mut sum = Matrix::zeros(2, 3);
        lanes.sum_lanes(&mut sum);
        let expected: Matrix = matrices.iter().enumerate().filter(|(lane, _)| *lane != 3).map(|(_, m)| m).sum();
        assert!((sum - expected).amax() < 1e-14);
    }
}
