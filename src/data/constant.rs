//! Whether data call for a constant that the model does not have: temperatures, levels or set points far from zero.
//!
//! Least squares about the mean is least squares with a constant. For every state, the squared residuals of all clients
//! with a constant each are compared with those without, by an F test with one degree of freedom per client. Where
//! states drift like a random walk, F is about 3 without any constant, not 1 (Dickey and Fuller, "Likelihood ratio
//! statistics for autoregressive time series with a unit root", 1981): a third of F is tested.

use crate::estimate::Estimate;
use crate::special::f_tail;
use crate::sums::Sums;

/// The mean of F where states drift.
const OF_DRIFT: f64 = 3.0;

/// The largest probability of finding so large an F, in any state, where there is no constant.
const BY_CHANCE: f64 = 0.01;

/// What a constant explains of one client's data.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// The squared residuals of each state with a constant, and how much larger they are without.
    squares: Vec<(f64, f64)>,
    /// The degrees of freedom with a constant.
    degrees: u64,
}

impl Constant {
    /// Least squares with a constant, beside a client's own without; `None` if the data do not determine it: a column
    /// that never changes is a constant already.
    pub(crate) fn of(sums: &Sums, own: &Estimate) -> Option<Self> {
        let degrees = own.degrees.checked_sub(1).filter(|degrees| *degrees > 0)?;
        let sums = sums.about_mean();
        let with = sums.squared_residuals(&sums.least_squares().ok()?);
        let without = own.noise_std.iter().map(|std| std * std * own.degrees as f64);
        let squares = with.into_iter().zip(without).map(|(with, without)| (with, (without - with).max(0.0))).collect();
        Some(Self { squares, degrees })
    }
}

/// Whether a constant for each of these clients would explain some state far better than chance would.
pub(crate) fn is_lacking(clients: &[Option<Constant>]) -> bool {
    let clients = || clients.iter().flatten();
    let n_states = clients().next().map_or(0, |client| client.squares.len());
    let (n_clients, degrees) = (clients().count() as f64, clients().map(|client| client.degrees as f64).sum());
    (0..n_states).any(|state| {
        let all = clients().map(|client| client.squares[state]);
        let (left, explained) = all.fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        let f = explained / n_clients / (left / degrees);
        f_tail(f / OF_DRIFT, n_clients, degrees) * (n_states as f64) < BY_CHANCE
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dims;
    use fedsysid_sim::normal::normal;
    use fedsysid_sim::stream::{Purpose, Seed, stream};

    /// Clients of a system with the eigenvalue `pole`, each with 200 samples about its own operating point.
    fn lacks(points: &[f64], pole: f64, has_ones: bool) -> bool {
        let mut rng = stream(Seed(3), Purpose::Data, 0, 0);
        let mut client = |point: &f64| {
            let mut sums = Sums::new(Dims { n_states: 1, n_inputs: 1 + usize::from(has_ones) });
            let mut x = 0.0;
            for _ in 0..200 {
                let [u, noise] = std::array::from_fn(|_| normal(&mut rng));
                let next = pole * x + u + noise;
                sums.add_sample(&[point + x, u, 1.0][..2 + usize::from(has_ones)], &[point + next]);
                x = next;
            }
            Constant::of(&sums, &Estimate::of(&sums).unwrap())
        };
        is_lacking(&points.iter().map(&mut client).collect::<Vec<_>>())
    }

    #[test]
    fn operating_points_call_for_a_constant() {
        assert!(lacks(&[20.0], 0.8, false) && lacks(&[-30.0, 0.0, 30.0], 0.8, false));
        assert!(!lacks(&[0.0; 9], 0.8, false));
    }

    #[test]
    fn an_input_of_ones_is_a_constant() {
        assert!(!lacks(&[20.0; 3], 0.8, true));
    }

    #[test]
    fn random_walks_call_for_none() {
        for n_clients in [1, 10, 100] {
            assert!(!lacks(&vec![0.0; n_clients], 1.0, false), "{n_clients}");
        }
    }
}
