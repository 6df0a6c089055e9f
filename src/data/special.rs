//! Student's t, F and the logarithm of Beta, as far as intervals and tests need them.

/// `ln Γ(x)` for x > 0, by Stirling's series from 15 on.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut below) = (x, 1.0);
    while x < 15.0 {
        below *= x;
        x += 1.0;
    }
    let (inverse, square) = (1.0 / x, 1.0 / (x * x));
    let tail = 1.0 / 1_260.0 - square * (1.0 / 1_680.0 - square / 1_188.0);
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * tail));
    (x - 0.5) * libm::log(x) - x + 0.5 * libm::log(std::f64::consts::TAU) + series - libm::log(below)
}

/// The regularised incomplete beta function `I_x(a, b)` for 0 ≤ x ≤ 1, by its continued fraction (Abramowitz and
/// Stegun, 26.5.8, evaluated as Lentz does).
pub fn beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return if x <= 0.0 { 0.0 } else { 1.0 };
    }
    // The fraction converges fast if x is below the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta(b, a, 1.0 - x);
    }
    let ln_front = ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * libm::log(x) + b * libm::log1p(-x);
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for k in 1..10_000 {
        let k = f64::from(k);
        let even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
        let odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
        let mut last = 1.0;
        for step in [even, odd] {
            d = 1.0 / away(1.0 + step * d);
            c = away(1.0 + step / c);
            last = c * d;
            fraction *= last;
        }
        if (last - 1.0_f64).abs() < 1e-15 {
            break;
        }
    }
    libm::exp(ln_front) * fraction / a
}

/// The probability that |t| is larger, for Student's t with `degrees` degrees of freedom.
fn t_tails(t: f64, degrees: f64) -> f64 {
    beta(0.5 * degrees, 0.5, degrees / (degrees + t * t))
}

/// The two-sided 95 % quantile of Student's t, from 12.7 with one degree of freedom down to 1.96; NaN without degrees
/// of freedom.
pub fn t_quantile(degrees: u64) -> f64 {
    if degrees == 0 {
        return f64::NAN;
    }
    let degrees = degrees as f64;
    let (mut low, mut high) = (1.9, 13.0);
    while high - low > 1e-12 * high {
        let middle = 0.5 * (low + high);
        let is_inside = t_tails(middle, degrees) > 0.05;
        let end = if is_inside { &mut low } else { &mut high };
        if (*end - middle).abs() <= 0.0 {
            break;
        }
        *end = middle;
    }
    0.5 * (low + high)
}

/// The probability that F with these degrees of freedom is larger than `f`; NaN if `f` is NaN.
pub fn f_tail(f: f64, numerator: f64, denominator: f64) -> f64 {
    // Unlike `max`, `clamp` keeps NaN.
    let f = f.clamp(0.0, f64::INFINITY);
    beta(0.5 * denominator, 0.5 * numerator, denominator / (denominator + numerator * f))
}

/// The mean ψ(a + b) − ψ(a) and the variance ψ′(a) − ψ′(a + b) of −ln X, for X of the law Beta(a, b) with a, b > 0.
/// Both are sums up to 15, and beyond that the asymptotic series of ψ. Its differences are taken term by term: for
/// large a, the difference of two whole series would cancel almost completely.
pub fn log_beta(a: f64, b: f64) -> (f64, f64) {
    let (mut x, mut y, mut mean, mut variance) = (a, a + b, 0.0, 0.0);
    // 1/x^k − 1/y^k = (1/x − 1/y)(1/x^(k−1) + … + 1/y^(k−1)).
    let powers = |x: f64, y: f64, k: i32| {
        let (sum, _) = (0..k).fold((0.0, 1.0), |(sum, power), _| (sum / x + power, power / y));
        sum * b / (x * y)
    };
    while x < 15.0 {
        mean += powers(x, y, 1);
        variance += powers(x, y, 2);
        x += 1.0;
        y += 1.0;
    }
    let power = |k| powers(x, y, k);
    mean += libm::log1p(b / x) + power(1) / 2.0 + power(2) / 12.0 - power(4) / 120.0 + power(6) / 252.0;
    variance += power(1) + power(2) / 2.0 + power(3) / 6.0 - power(5) / 30.0 + power(7) / 42.0;
    (mean, variance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(got: f64, expected: f64, tolerance: f64) {
        assert!((got - expected).abs() <= tolerance * expected.abs(), "{got} should be {expected}");
    }

    #[test]
    fn gamma_is_that_of_factorials_and_halves() {
        close(ln_gamma(6.0), 120.0_f64.ln(), 1e-14);
        close(ln_gamma(0.5), 0.5 * std::f64::consts::PI.ln(), 1e-13);
        close(ln_gamma(101.0), (1..=100).map(|k| f64::from(k).ln()).sum(), 1e-14);
    }

    /// With whole a and b, beta is a sum over the binomial distribution.
    #[test]
    fn beta_is_a_binomial_sum() {
        for (a, b, x) in [(1, 1, 0.3), (2, 5, 0.1), (7, 3, 0.9), (40, 60, 0.4), (3, 300, 0.02)] {
            let n = a + b - 1;
            let choose = |k: i32| (1..=k).map(|j| f64::from(n - k + j) / f64::from(j)).product::<f64>();
            let sum: f64 = (a..=n).map(|k| choose(k) * f64::powi(x, k) * f64::powi(1.0 - x, n - k)).sum();
            close(beta(f64::from(a), f64::from(b), x), sum, 2e-11);
        }
    }

    /// One and two degrees of freedom have closed forms; the other quantiles are from printed tables.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        close(t_quantile(1), (std::f64::consts::PI * 0.475).tan(), 1e-10);
        close(t_quantile(2), 0.95 * (2.0 / (1.0 - 0.95_f64.powi(2))).sqrt(), 1e-10);
        for (degrees, expected) in [(3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)] {
            close(t_quantile(degrees), expected, 3e-4);
        }
        close(t_quantile(10_000_000), 1.959_964, 1e-6);
        assert!(t_quantile(0).is_nan());
    }

    #[test]
    fn tails_of_f_are_those_of_the_tables() {
        for (f, a, b) in [(4.10, 2.0, 10.0), (2.71, 5.0, 20.0), (161.4, 1.0, 1.0), (1.534_3, 60.0, 60.0)] {
            close(f_tail(f, a, b), 0.05, 5e-3);
        }
        close(f_tail(0.0, 3.0, 4.0), 1.0, 1e-12);
        assert!(f_tail(f64::INFINITY, 3.0, 4.0) <= 0.0);
        assert!(f_tail(f64::NAN, 3.0, 4.0).is_nan(), "what is no number is not probable");
    }

    /// With a whole b, both are finite sums; −ln X for Beta(1/2, 1/2) has mean 2 ln 2 and variance π²/3.
    #[test]
    fn the_logarithm_of_beta_has_the_moments_of_closed_forms() {
        for (a, b) in [(0.5, 1), (1.0, 3), (7.5, 2), (40.0, 30), (1e3, 2), (1e14, 4)] {
            let (mean, variance) = log_beta(a, f64::from(b));
            close(mean, (0..b).map(|k| 1.0 / (a + f64::from(k))).sum(), 2e-11);
            close(variance, (0..b).map(|k| (a + f64::from(k)).powi(-2)).sum(), 2e-11);
        }
        let (mean, variance) = log_beta(0.5, 0.5);
        close(mean, 2.0 * std::f64::consts::LN_2, 2e-11);
        close(variance, std::f64::consts::PI.powi(2) / 3.0, 2e-11);
    }
}
