//! Mean and standard error of numbers that arrive one at a time.

/// Running mean and variance, by Welford's recurrence, which avoids cancellation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Running {
    n: usize,
    mean: f64,
    squares: f64,
}

impl Running {
    /// Adds one number.
    pub fn push(&mut self, value: f64) {
        self.n += 1;
        let before = value - self.mean;
        self.mean += before / self.n as f64;
        self.squares += before * (value - self.mean);
    }

    /// The number of values so far.
    pub fn n(&self) -> usize {
        self.n
    }

    /// The mean; NaN without any numbers, or if one of them was NaN. An infinite number makes the mean infinite, and
    /// any number after it makes the mean NaN.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { f64::NAN } else { self.mean }
    }

    /// Standard error of the mean, `s/√n` with the sample standard deviation s; NaN for fewer than two numbers.
    pub fn standard_error(&self) -> f64 {
        let n = self.n as f64;
        if self.n < 2 { f64::NAN } else { (self.squares / (n - 1.0) / n).sqrt() }
    }

    /// Count, mean and sum of squared deviations: the complete state, for sending it elsewhere.
    pub fn parts(&self) -> (usize, f64, f64) {
        (self.n, self.mean, self.squares)
    }

    /// Restores the state from its [`parts`](Self::parts).
    pub fn from_parts(n: usize, mean: f64, squares: f64) -> Self {
        Self { n, mean, squares }
    }
}

impl Extend<f64> for Running {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, values: I) {
        values.into_iter().for_each(|value| self.push(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f64], mean: f64, standard_error: f64) {
        let mut running = Running::default();
        running.extend(values.iter().copied());
        let same = |a: f64, b: f64| (a - b).abs() < 1e-12 || a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(same(running.mean(), mean), "{values:?}: mean {}", running.mean());
        assert!(same(running.standard_error(), standard_error), "{values:?}: {}", running.standard_error());
    }

    #[test]
    fn mean_and_standard_error() {
        check(&[], f64::NAN, f64::NAN);
        check(&[3.0], 3.0, f64::NAN);
        check(&[1.0, 2.0, 3.0, 4.0], 2.5, (5.0_f64 / 3.0 / 4.0).sqrt());
        check(&[1e9 + 1.0, 1e9 + 3.0], 1e9 + 2.0, 1.0);
        check(&[1.0, f64::NAN, 3.0], f64::NAN, f64::NAN);
        check(&[1.0, f64::INFINITY], f64::INFINITY, f64::NAN);
        check(&[1.0, f64::INFINITY, 3.0], f64::NAN, f64::NAN);
    }
}
