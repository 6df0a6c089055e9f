//! χ draws, eight side by side: square roots of χ² variables, as on the diagonal of a Bartlett factor.
//!
//! A χ² variable with k degrees of freedom is twice a gamma variable of shape k/2 (Marsaglia and Tsang, "A simple
//! method for generating gamma variables", 2000). With `d = k/2 − 1/3` and `c = 1/√(9d)`, a normal x and a uniform u
//! propose `v = (1 + cx)³`. The proposal is accepted if v > 0 and `ln u < x²/2 + d(1 − v + ln v)`; the draw is then
//! `2dv`. The right-hand side is `d(9(y − 1)²/2 + 1 − y³ + 3 ln y)` at `y = 1 + cx`, and its derivative has the sign of
//! `1 − y`. So it is never positive, and the method is exact for every d > 0, including k = 1. For k ≥ 2,
//! `u < 1 − 0.0331 x⁴` is sufficient, and avoids the logarithms.

use rand::distr::Open01;
use rand::{Rng, RngExt};

use super::lanes::{LANES, Lanes};
use super::normal::normal;

/// The distributions of χ variables, one per lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneChi {
    /// d; it has no effect without degrees of freedom.
    d: Lanes,
    c: Lanes,
    /// `√(2d)`.
    scale: Lanes,
    /// The factor of x⁴; infinite if the logarithms are always needed.
    squeeze: Lanes,
}

impl LaneChi {
    /// The distributions with these degrees of freedom. With 0 degrees, χ is 0.
    pub fn new(degrees: [usize; LANES]) -> Self {
        let d = Lanes(degrees.map(|k| k.max(1) as f64)) * 0.5 - 1.0 / 3.0;
        let is_any = Lanes(degrees.map(|k| f64::from(u8::from(k > 0))));
        let squeeze = |k| match k {
            0 => 0.0,
            1 => f64::INFINITY,
            _ => 0.0331,
        };
        Self { d, c: is_any / (d * 9.0).sqrt(), scale: is_any * (d * 2.0).sqrt(), squeeze: Lanes(degrees.map(squeeze)) }
    }

    /// The draws from these normals and uniforms. A rejected proposal is repeated with the generator that `retry` gives
    /// for its lane, so that the other lanes' numbers do not shift. (In a lane without a client nothing is rejected: at
    /// x = 0, every u < 1 is accepted.)
    #[inline]
    pub fn draw<R: Rng>(&self, x: Lanes, u: Lanes, retry: impl Fn(usize) -> Option<R>) -> Lanes {
        let root = self.c * x + 1.0;
        let mut draws = self.scale * root * root.sqrt();
        let square = x * x;
        let bound = Lanes::splat(1.0) - self.squeeze * square * square;
        let is_taken = u.mask(bound, |u, bound| u < bound);
        if (Lanes::splat(1.0) - is_taken).any() {
            for lane in (0..LANES).filter(|&lane| is_taken.0[lane] == 0.0) {
                draws.0[lane] = self.settle(lane, x.0[lane], u.0[lane], &retry);
            }
        }
        draws
    }

    /// Decides a proposal of one lane with the logarithms, and repeats it if it is rejected.
    #[cold]
    #[inline(never)]
    fn settle<R: Rng>(&self, lane: usize, x: f64, u: f64, retry: &impl Fn(usize) -> Option<R>) -> f64 {
        let repeated = || retry(lane).map(|mut rng| self.repeat(lane, &mut rng));
        self.attempt(lane, x, u).or_else(repeated).unwrap_or(0.0)
    }

    fn repeat(&self, lane: usize, rng: &mut impl Rng) -> f64 {
        loop {
            if let Some(draw) = self.attempt(lane, normal(rng), rng.sample(Open01)) {
                return draw;
            }
        }
    }

    fn attempt(&self, lane: usize, x: f64, u: f64) -> Option<f64> {
        let d = self.d.0[lane];
        let root = 1.0 + self.c.0[lane] * x;
        let v = root * root * root;
        let is_taken = v > 0.0 && libm::log(u) < 0.5 * x * x + d * (1.0 - v + libm::log(v));
        is_taken.then(|| self.scale.0[lane] * root * root.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Running;
    use crate::stream::{Purpose, Seed, stream};

    const DEGREES: [usize; LANES] = [0, 1, 2, 3, 5, 8, 40, 1_000_000_000];

    fn retry(at: usize) -> impl Rng {
        let mut rng = stream(Seed(4), Purpose::FactorDiagonal, at % LANES, 0);
        rng.set_word_pos(256 * (at / LANES) as u128);
        rng
    }

    #[track_caller]
    fn check(got: &Running, expected: f64, degrees: usize) {
        assert!((got.mean() - expected).abs() < 4.0 * got.standard_error(), "{degrees}: {} {expected}", got.mean());
    }

    #[test]
    fn squares_have_the_moments_of_chi_squared() {
        // The mean k, the variance 2k and the third central moment 8k, each within four standard errors.
        let mut rng = stream(Seed(4), Purpose::Data, 0, 0);
        let law = LaneChi::new(DEGREES);
        let mut moments = [[Running::default(); 3]; LANES];
        for count in 0..100_000 {
            let x = Lanes::from_fn(|_| normal(&mut rng));
            let u = Lanes::from_fn(|_| rng.sample(Open01));
            let draws = law.draw(x, u, |lane| Some(retry(count * LANES + lane)));
            for ((moments, &degrees), draw) in moments.iter_mut().zip(&DEGREES).zip(draws.0) {
                let deviation = draw * draw - degrees as f64;
                moments.iter_mut().zip(1..).for_each(|(moment, power)| moment.push(deviation.powi(power)));
            }
        }
        for (moments, &degrees) in moments.iter().zip(&DEGREES).skip(1) {
            let k = degrees as f64;
            moments.iter().zip([0.0, 2.0 * k, 8.0 * k]).for_each(|(moment, expected)| check(moment, expected, degrees));
        }
        assert!(moments[0].iter().all(|moment| moment.mean() == 0.0), "no degrees of freedom, no number");
    }

    /// P(χ_1 < q) at the quartiles q, because moments tell little about so skewed a distribution.
    #[test]
    fn one_degree_of_freedom_is_a_normals_size() {
        let mut rng = stream(Seed(5), Purpose::Data, 0, 0);
        let law = LaneChi::new([1; LANES]);
        let mut below = [0_u32; 3];
        let n = 50_000;
        for count in 0..n / LANES {
            let x = Lanes::from_fn(|_| normal(&mut rng));
            let u = Lanes::from_fn(|_| rng.sample(Open01));
            for draw in law.draw(x, u, |lane| Some(retry(count * LANES + lane))).0 {
                let quartiles = [0.318_639_363_964_375_3, 0.674_489_750_196_081_7, 1.150_349_380_376_008];
                below.iter_mut().zip(quartiles).for_each(|(below, q)| *below += u32::from(draw < q));
            }
        }
        for (below, share) in below.iter().zip([0.25, 0.5, 0.75]) {
            let spread = (share * (1.0 - share) / n as f64).sqrt();
            assert!((f64::from(*below) / n as f64 - share).abs() < 4.0 * spread, "{below} of {n} at {share}");
        }
    }

    #[test]
    fn the_squeeze_takes_only_what_the_logarithms_take() {
        for degrees in [2, 3, 8, 1_000] {
            let law = LaneChi::new([degrees; LANES]);
            for step in -600..=600 {
                let x = f64::from(step) / 100.0;
                let bound = 1.0 - 0.0331 * x.powi(4);
                let is_taken = bound <= 0.0 || law.attempt(0, x, bound * (1.0 - 1e-12)).is_some();
                assert!(is_taken, "{degrees} degrees at {x}");
            }
        }
    }
}
