//! The effect of K local steps along one eigenvector of a client's Gram matrix, for all K at once.
//!
//! On an eigenvalue λ, the step sizes α_1, α_2, … give `p_k = (1 − α_k λ) p_{k−1}` and `q_k = (1 − α_k λ) q_{k−1} + α_k`, so
//! that `1 − p_k = λ q_k`. This avoids the difference of nearly equal numbers, however small the steps, and what large early
//! steps leave is shrunk by the later ones. If all steps
//! are equal,
//!
//! ```text
//! q_{i+j} = q_i + p_i q_j
//! ```
//!
//! so about 2√K values are enough for K steps.

use fedsysid_sim::lanes::Lanes;
use fedsysid_sim::schedule::Schedule;

/// The sums `q_0, q_1, …, q_most` for eight base step sizes.
#[derive(Debug)]
pub(super) struct Steps {
    schedule: Schedule,
    /// `(q, p)` at the start of every stretch of steps. If steps differ, there is one stretch with all steps.
    whole: Vec<(Lanes, Lanes)>,
    /// `q` within a stretch of equal steps.
    within: Vec<Lanes>,
}

impl Steps {
    /// Room for up to `most` local steps, with the step sizes of the first round of a schedule.
    pub(super) fn new(schedule: Schedule, most: usize) -> Self {
        let all = most + 1;
        let stretch = if schedule == Schedule::OverLocalSteps { all } else { all.isqrt() + 1 };
        let none = Lanes::default();
        Self { schedule, whole: vec![(none, Lanes::splat(1.0)); all.div_ceil(stretch)], within: vec![none; stretch] }
    }

    /// Computes the sums for an eigenvalue and eight base step sizes.
    pub(super) fn set(&mut self, eigenvalue: f64, step_sizes: Lanes) {
        match self.schedule {
            Schedule::OverLocalSteps => self.set_one_by_one(eigenvalue, step_sizes),
            Schedule::Constant | Schedule::OverRounds | Schedule::Harmonic => self.set_equal(eigenvalue, step_sizes),
        }
    }

    fn set_equal(&mut self, eigenvalue: f64, step_size: Lanes) {
        let (mut p, mut q) = (Lanes::splat(1.0), Lanes::default());
        for entry in &mut self.within {
            *entry = q;
            (p, q) = step(p, q, eigenvalue, step_size);
        }
        let (p_stretch, q_stretch) = (p, q);
        (p, q) = (Lanes::splat(1.0), Lanes::default());
        for entry in &mut self.whole {
            *entry = (q, p);
            q += p * q_stretch;
            p = p * p_stretch;
        }
    }

    fn set_one_by_one(&mut self, eigenvalue: f64, step_sizes: Lanes) {
        let (mut p, mut q) = (Lanes::splat(1.0), Lanes::default());
        for (k, entry) in self.within.iter_mut().enumerate() {
            *entry = q;
            let at = |base: f64| self.schedule.step_size(base, k + 1, 0, 1);
            (p, q) = step(p, q, eigenvalue, step_sizes.map(at));
        }
    }

    /// `q_k` for each of the eight step sizes.
    pub(super) fn after(&self, k: usize) -> Lanes {
        let (q, p) = self.whole[k / self.within.len()];
        q + p * self.within[k % self.within.len()]
    }
}

fn step(p: Lanes, q: Lanes, eigenvalue: f64, step_size: Lanes) -> (Lanes, Lanes) {
    let factor = Lanes::splat(1.0) - step_size * eigenvalue;
    (p * factor, q * factor + step_size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: Schedule, most: usize, eigenvalue: f64) {
        let mut steps = Steps::new(schedule, most);
        let sizes = Lanes([1e-9, 1e-5, 1e-4, 1e-3, 1e-2, 0.02, 0.1, 1.0]);
        steps.set(3.0, sizes);
        steps.set(eigenvalue, sizes);
        for (lane, &base) in sizes.0.iter().enumerate() {
            let (mut p, mut q, mut largest) = (1.0_f64, 0.0_f64, 0.0_f64);
            for k in 0..=most {
                let got = steps.after(k).0[lane];
                largest = largest.max(q.abs());
                assert!((got - q).abs() <= 1e-11 * largest, "{schedule:?} {base} {k}: {got} {q}");
                let alpha = schedule.step_size(base, k + 1, 0, 1);
                (p, q) = (p - alpha * eigenvalue * p, q + alpha * p);
            }
        }
    }

    /// α/k with an α far beyond stability: in the end, p is a small product of large factors.
    #[test]
    fn large_early_steps_leave_no_trace() {
        let mut steps = Steps::new(Schedule::OverLocalSteps, 100);
        steps.set(1.0, Lanes::splat(30.5));
        let p = (1..=100_u32).fold(1.0, |p, k| p * (1.0 - 30.5 / f64::from(k)));
        assert!((steps.after(100).0[3] - (1.0 - p)).abs() < 1e-12, "{p}");
    }

    #[test]
    fn sums_are_those_of_the_steps_one_by_one() {
        for schedule in Schedule::ALL {
            for most in [1, 2, 3, 15, 16, 17, 100] {
                for eigenvalue in [0.0, 1e-9, 0.3, 40.0] {
                    check(schedule, most, eigenvalue);
                }
            }
        }
    }
}
