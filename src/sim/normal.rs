//! Standard normal draws whose bits are the same on every platform.
//!
//! `rand_distr` uses the ziggurat method, which computes draws by additions and multiplications only, except in the
//! tail beyond 3.65, where it takes a logarithm from the platform. Platforms differ in the last bit of one logarithm in
//! fifteen. A draw from the tail is therefore replaced by another one from the same tail, with the logarithm of `libm`.
//! (The sampler also makes comparisons with a platform's `exp`; the probability that a last bit decides one of them is
//! about 10⁻¹⁶ per draw.)

use rand::distr::Open01;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// The start of the ziggurat's tail for 256 layers (Doornik, "An improved ziggurat method to generate normal random
/// samples", 2005).
const TAIL: f64 = 3.654_152_885_361_009;

/// A standard normal draw.
#[inline]
pub fn normal(rng: &mut impl Rng) -> f64 {
    let value: f64 = rng.sample(StandardNormal);
    if value.abs() < TAIL { value } else { tail(rng).copysign(value) }
}

/// The absolute value of a standard normal draw from the tail (Marsaglia, "Generating a variable from the tail of the
/// normal distribution", 1964).
#[cold]
fn tail(rng: &mut impl Rng) -> f64 {
    loop {
        let beyond = -libm::log(rng.sample(Open01)) / TAIL;
        if -2.0 * libm::log(rng.sample(Open01)) >= beyond * beyond {
            return TAIL + beyond;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Running;
    use crate::stream::{Purpose, Seed, stream};

    fn rng(which: usize) -> impl Rng {
        stream(Seed(4), Purpose::Data, which, 0)
    }

    fn within(got: f64, expected: f64, tolerance: f64) -> bool {
        (got - expected).abs() < tolerance
    }

    #[test]
    fn the_tail_has_the_law_of_normals_beyond_it() {
        // P(|x| > TAIL) = 2.5803e-4, and the mean of |x| there is φ(t)/Q(t) = 3.89704 (numerical integration).
        let mut rng = rng(0);
        let n = 8_000_000;
        let (mut count, mut sizes, mut signs) = (0_u32, Running::default(), 0.0);
        for _ in 0..n {
            let value = normal(&mut rng);
            if value.abs() >= TAIL {
                count += 1;
                sizes.push(value.abs());
                signs += value.signum();
            }
        }
        let share = f64::from(count) / f64::from(n);
        assert!(within(share, 2.5803e-4, 4.0 * (2.58e-4 / f64::from(n)).sqrt()), "{share}");
        assert!(within(sizes.mean(), 3.897_04, 4.0 * sizes.standard_error()), "{}", sizes.mean());
        assert!(within(signs, 0.0, 4.0 * f64::from(count).sqrt()), "{signs}");
    }

    #[test]
    fn draws_outside_of_the_tail_are_the_librarys() {
        let (mut ours, mut theirs) = (rng(1), rng(1));
        for _ in 0..1_000 {
            assert_eq!(normal(&mut ours).to_bits(), theirs.sample::<f64, _>(StandardNormal).to_bits());
        }
    }
}
