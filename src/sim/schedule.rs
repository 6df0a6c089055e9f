//! Step-size schedules: how α changes over a round's local steps, or over the rounds.

/// How the step size changes from its base α.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Schedule {
    /// `α` in all steps.
    Constant,
    /// `α/k` in local step k = 1…K, the same in every round, as the authors' code does for FedAvg.
    OverLocalSteps,
    /// `α(1 − r/R)` in all local steps of round r = 0…R−1: the paper's "linear decreasing step size", read literally.
    OverRounds,
    /// `α/(r + 1)` in all local steps of round r = 0, 1, …: the steps of stochastic approximation, whose sum is
    /// infinite and whose sum of squares is finite.
    Harmonic,
}

impl Schedule {
    /// All schedules.
    pub const ALL: [Self; 4] = [Self::Constant, Self::OverLocalSteps, Self::OverRounds, Self::Harmonic];

    /// The step size of local step `local_step` (1-based) in round `round` (0-based) of `n_rounds`.
    pub fn step_size(self, base: f64, local_step: usize, round: usize, n_rounds: usize) -> f64 {
        match self {
            Self::Constant => base,
            Self::OverLocalSteps => base / local_step as f64,
            Self::OverRounds => base * (1.0 - round as f64 / n_rounds as f64),
            Self::Harmonic => base / (round as f64 + 1.0),
        }
    }

    /// Whether all rounds take the same steps, so that one map describes them all.
    pub fn repeats_every_round(self) -> bool {
        match self {
            Self::Constant | Self::OverLocalSteps => true,
            Self::OverRounds | Self::Harmonic => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schedule: Schedule, local_step: usize, round: usize, expected: f64) {
        let got = schedule.step_size(1e-4, local_step, round, 200);
        assert!((got - expected).abs() < 1e-18, "{schedule:?} k={local_step} r={round}: {got}");
    }

    #[test]
    fn steps_follow_their_definitions() {
        check(Schedule::Constant, 10, 199, 1e-4);
        check(Schedule::OverLocalSteps, 1, 150, 1e-4);
        check(Schedule::OverLocalSteps, 4, 150, 2.5e-5);
        check(Schedule::OverRounds, 7, 0, 1e-4);
        check(Schedule::OverRounds, 7, 50, 7.5e-5);
        check(Schedule::OverRounds, 7, 199, 5e-7);
        check(Schedule::Harmonic, 3, 0, 1e-4);
        check(Schedule::Harmonic, 3, 19, 5e-6);
    }

    #[test]
    fn ten_authors_steps_sum_to_2_93_alpha() {
        let sum: f64 = (1..=10).map(|k| Schedule::OverLocalSteps.step_size(1.0, k, 0, 200)).sum();
        assert!((sum - 2.928_968_253_968_254).abs() < 1e-14);
    }
}
