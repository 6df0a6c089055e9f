//! Random numbers: one seed, and an independent stream for every purpose, data set and client.
//!
//! Streams never share numbers, so a larger M, q or T only adds draws, and changes of N, ε, α, K or R change none:
//! curves move smoothly instead of jumping (common random numbers). The generator is `ChaCha8`, whose output is fixed
//! by its specification on every platform.

#[cfg(any(target_arch = "wasm32", test))]
pub mod chacha;

#[cfg(target_arch = "wasm32")]
pub use chacha::ChaCha8Rng;
use rand::SeedableRng;
#[cfg(not(target_arch = "wasm32"))]
pub use rand::rngs::ChaCha8Rng;

/// The number that a user chooses, and that reproduces a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

/// What random numbers are for. Each purpose has its own streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The clients' places in the family.
    Systems,
    /// Initial states, inputs and process noise, of rollouts or as coordinates in a basis.
    Data,
    /// The diagonals of factors, where a first proposal from the data's stream is rejected.
    FactorDiagonal,
    /// Who takes part in a round; the stream's second number is the round instead of the client.
    Participation,
    /// The random vectors that turn a client's moments into rollouts.
    Samples,
    /// The draws over which predictions average, always the same.
    Theory,
}

impl Purpose {
    /// The purpose's number, which never changes because published results depend on it.
    fn word(self) -> u64 {
        match self {
            Self::Systems => 1,
            Self::Data => 2,
            Self::FactorDiagonal => 4,
            Self::Participation => 5,
            Self::Samples => 6,
            Self::Theory => 7,
        }
    }
}

/// The stream for one purpose, data set (`trial`) and client, the latter two 0-based and below 2³².
///
/// The key holds the seed and the purpose; the stream number holds the data set and the client.
pub fn stream(seed: Seed, purpose: Purpose, trial: usize, client: usize) -> ChaCha8Rng {
    let mut key = [0_u8; 32];
    key[..8].copy_from_slice(&seed.0.to_le_bytes());
    key[8..16].copy_from_slice(&purpose.word().to_le_bytes());
    let mut rng = ChaCha8Rng::from_seed(key);
    rng.set_stream((trial as u64) << 32 | client as u64);
    rng
}

/// What identifies a client's random streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataKey {
    /// The seed.
    pub seed: Seed,
    /// The data set, 0-based.
    pub trial: usize,
    /// The client, 0-based.
    pub client: usize,
}

impl DataKey {
    /// The client's stream for one purpose.
    pub fn stream(self, purpose: Purpose) -> ChaCha8Rng {
        stream(self.seed, purpose, self.trial, self.client)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use rand::Rng;

    use super::*;

    #[test]
    fn streams_do_not_share_numbers() {
        let mut seen = HashSet::new();
        for seed in [0, 1, 1 << 40] {
            for purpose in [Purpose::Systems, Purpose::Data, Purpose::Participation] {
                for (trial, client) in [(0, 0), (0, 1), (1, 0), (1, 1), (24, 199)] {
                    let mut rng = stream(Seed(seed), purpose, trial, client);
                    for _ in 0..4 {
                        assert!(seen.insert(rng.next_u64()), "{seed} {purpose:?} {trial} {client}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_stream_can_be_had_again() {
        let draw = || stream(Seed(7), Purpose::Data, 3, 4).next_u64();
        assert_eq!(draw(), draw());
    }
}
