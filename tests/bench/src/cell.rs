//! The measured settings: the paper's default cell and variations of it.

use fedsysid_sim::method::{Method, Solver};
use fedsysid_sim::scenario::Settings;
use fedsysid_sim::schedule::Schedule;

/// The measured method: FedLin as the paper prints it.
pub const METHOD: Method = Method::constant(Solver::FedLin);

/// Number of data sets q of the default cell.
pub const N_TRIALS: usize = 25;

/// The default cell: M = 50, N = 25, T = 5, K = 10, R = 200, q = 25, ε = 0.01, α = 10⁻⁴, FedLin alone (without the
/// one-shot estimates, which the other contestants do not compute either).
pub fn default_cell() -> Settings {
    Settings { methods: vec![METHOD], references: Vec::new(), n_trials: N_TRIALS, ..Settings::paper() }
}

/// The experiment with the largest counts: M = 10⁴ clients with N = 10⁹ rollouts of T = 100 steps, and R = 10⁶ rounds
/// of the paper's two methods. More data sets need no more memory.
pub fn largest() -> Settings {
    let largest = Settings { n_clients: 10_000, n_rounds: 1_000_000, n_trials: 1, ..Settings::paper() };
    with_rollout_len(with_rollouts(largest, 1_000_000_000), 100)
}

/// The experiment with the largest memory: every method with every schedule for M = 10⁴ clients. More rounds need no
/// more memory once not every round is recorded, and some of these methods take time for each round.
pub fn widest() -> Settings {
    let solvers = [
        Solver::FedAvg,
        Solver::FedLin,
        Solver::FedProx { pull: 1.0 },
        Solver::Scaffold,
        Solver::FedAdmm { penalty: 1.0, sparsity: 0.0 },
        Solver::Clustered { n_clusters: 10 },
        Solver::Median,
    ];
    let with_all = |solver| Schedule::ALL.into_iter().map(move |schedule| Method { solver, schedule });
    let methods = solvers.into_iter().flat_map(with_all).collect();
    Settings { n_clients: 10_000, n_rounds: 64, n_trials: 1, methods, ..Settings::paper() }
}

/// The same settings with N rollouts for every client.
pub fn with_rollouts(mut settings: Settings, n_rollouts: usize) -> Settings {
    settings.data.n_rollouts = n_rollouts.into();
    settings
}

/// The same settings with rollouts of T steps.
pub fn with_rollout_len(mut settings: Settings, rollout_len: usize) -> Settings {
    settings.data.rollout_len = rollout_len.into();
    settings
}

/// The same settings with K local steps for every client.
pub fn with_local_steps(mut settings: Settings, n_local_steps: usize) -> Settings {
    settings.n_local_steps = n_local_steps.into();
    settings
}

#[cfg(test)]
mod tests {
    use fedsysid_sim::scenario::Scenario;

    use super::*;

    #[test]
    fn the_default_cell_is_the_papers_for_one_method() {
        let cell = default_cell();
        assert_eq!(cell, Settings { methods: vec![METHOD], references: vec![], n_trials: 25, ..Settings::paper() });
        assert!(Scenario::new(cell).is_ok());
    }

    #[test]
    fn the_largest_experiment_is_allowed_and_nothing_larger_is() {
        assert!(Scenario::new(largest()).is_ok() && Scenario::new(widest()).is_ok());
        assert!(Scenario::new(with_rollouts(largest(), 1_000_000_001)).is_err());
        assert!(Scenario::new(Settings { n_rounds: 1_000_001, ..largest() }).is_err());
        assert!(Scenario::new(Settings { n_clients: 10_001, ..largest() }).is_err());
    }
}
