//! All samples of a client, as the [`textbook`](super::textbook) loop needs them. They are also the reference for tests
//! of the [`simulator`](super::simulator), whose [`realize`](super::simulator::realize) returns samples that have its
//! moments.

use rand::Rng;

use super::Matrix;
use super::moments::Moments;
use super::normal::normal;
use super::plan::DataPlan;
use super::system::{Dims, LinearSystem};

/// All samples of a client, one per column.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// Regressors `Z`, d×NT.
    pub z: Matrix,
    /// Next states `X`, n×NT.
    pub next: Matrix,
}

impl Samples {
    /// The moments `S = ZZᵀ`, `C = XZᵀ` of the samples.
    pub fn moments(&self) -> Moments {
        let zt = self.z.transpose();
        Moments { s: &self.z * &zt, c: &self.next * &zt, n_samples: self.z.ncols() as u64 }
    }
}

/// Simulates a client by the definition of its system and returns every sample, rollout by rollout.
pub fn simulate_samples(system: &LinearSystem, plan: &DataPlan, rng: &mut impl Rng) -> Samples {
    let Dims { n_states: n, n_inputs: p } = system.dims();
    let n_samples = plan.n_rollouts * plan.rollout_len;
    let mut samples = Samples { z: Matrix::zeros(n + p, n_samples), next: Matrix::zeros(n, n_samples) };
    let mut normals = |rows: usize, std: f64| Matrix::from_fn(rows, 1, |_, _| std * normal(rng));
    let mut column = 0;
    for _ in 0..plan.n_rollouts {
        let mut state = normals(n, plan.noise.initial_state_std);
        for _ in 0..plan.rollout_len {
            let input = normals(p, plan.noise.input_std);
            let noise = normals(n, plan.noise.process_noise_std);
            samples.z.view_mut((0, column), (n, 1)).copy_from(&state);
            samples.z.view_mut((n, column), (p, 1)).copy_from(&input);
            state = system.a() * &state + system.b() * &input + noise;
            samples.next.column_mut(column).copy_from(&state);
            column += 1;
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::family::{Family, Place};
    use crate::plan::NoiseLevels;
    use crate::stream::{Purpose, Seed, stream};

    fn system() -> LinearSystem {
        Family::paper().member(Place { a: 0.3, b: 0.8 }, 0.5).unwrap()
    }

    fn samples(n_rollouts: usize, noise: NoiseLevels) -> Samples {
        let plan = DataPlan { n_rollouts, rollout_len: 6, noise };
        simulate_samples(&system(), &plan, &mut stream(Seed(3), Purpose::Data, 1, 2))
    }

    #[test]
    fn samples_obey_the_system_up_to_the_noise() {
        let samples = samples(4, NoiseLevels { process_noise_std: 0.0, ..NoiseLevels::UNIT });
        assert!((system().theta() * &samples.z - &samples.next).amax() < 1e-14);
        let first_states = samples.z.view((0, 1), (3, 5));
        assert_eq!(first_states, samples.next.view((0, 0), (3, 5)), "a rollout's next state is its state");
    }

    #[test]
    fn more_rollouts_extend_the_draws() {
        let (few, many) = (samples(3, NoiseLevels::UNIT), samples(30, NoiseLevels::UNIT));
        assert_eq!(few.z, many.z.columns(0, 18));
    }

    #[test]
    fn levels_scale_what_they_drive() {
        let noise = NoiseLevels { initial_state_std: 2.0, ..NoiseLevels::UNIT };
        let (plain, scaled) = (samples(1, NoiseLevels::UNIT), samples(1, noise));
        let first = |samples: &Samples| Matrix::from(samples.z.view((0, 0), (3, 1)));
        assert_eq!(first(&plain) * 2.0, first(&scaled));
    }
}
