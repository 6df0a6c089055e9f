//! Counts and lists in words.

use crate::figure::number::count;
use fedsysid_say::say;

/// Names joined as one reads them: "a", "a and b", "a, b and c".
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => say!("{} and {last}", others.join(", ")),
    }
}

/// A kind of thing that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Things {
    /// Clients of a federation.
    Clients,
    /// Exchanges between server and clients.
    Rounds,
    /// Data drawn for all clients.
    DataSets,
    /// Steps in time.
    Steps,
    /// Points of a sweep.
    Points,
    /// Columns of a map.
    Columns,
    /// Rows of a file.
    Rows,
    /// Rollouts of a file.
    Rollouts,
    /// Samples of a file.
    Samples,
    /// Gaps in the times of a file.
    Gaps,
    /// Results of a class.
    Results,
    /// Held-out stretches of a file without a gap.
    Stretches,
}

impl Things {
    /// The number with its noun, singular or plural.
    pub fn counted(self, n: usize) -> String {
        match (self, n) {
            (Self::Clients, 1) => say!("1 client").into(),
            (Self::Clients, _) => say!("{} clients", count(n)),
            (Self::Rounds, 1) => say!("1 round").into(),
            (Self::Rounds, _) => say!("{} rounds", count(n)),
            (Self::DataSets, 1) => say!("1 data set").into(),
            (Self::DataSets, _) => say!("{} data sets", count(n)),
            (Self::Steps, 1) => say!("1 step").into(),
            (Self::Steps, _) => say!("{} steps", count(n)),
            (Self::Points, 1) => say!("1 point").into(),
            (Self::Points, _) => say!("{} points", count(n)),
            (Self::Columns, 1) => say!("1 column").into(),
            (Self::Columns, _) => say!("{} columns", count(n)),
            (Self::Rows, 1) => say!("1 row").into(),
            (Self::Rows, _) => say!("{} rows", count(n)),
            (Self::Rollouts, 1) => say!("1 rollout").into(),
            (Self::Rollouts, _) => say!("{} rollouts", count(n)),
            (Self::Samples, 1) => say!("1 sample").into(),
            (Self::Samples, _) => say!("{} samples", count(n)),
            (Self::Gaps, 1) => say!("1 gap").into(),
            (Self::Gaps, _) => say!("{} gaps", count(n)),
            (Self::Results, 1) => say!("1 result").into(),
            (Self::Results, _) => say!("{} results", count(n)),
            (Self::Stretches, 1) => say!("1 held-out stretch").into(),
            (Self::Stretches, _) => say!("{} held-out stretches", count(n)),
        }
    }
}
