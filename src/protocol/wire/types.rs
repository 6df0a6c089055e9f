//! Our own types as numbers. The order of the fields, and the number of a variant, is theirs here alone: page and workers are
//! of the same module, so that it may change with any version.

use super::WireError;
use super::codec::{Reader, Wire, record, variants};
use crate::protocol::{Portion, PortionResult, Survey, Surveyed};
use crate::sim::estimate::{EstimateError, Reference};
use crate::sim::family::{Family, Heterogeneity, Placement};
use crate::sim::gain::{ClientErrors, Gains};
use crate::sim::method::{Method, Solver};
use crate::sim::participation::Participation;
use crate::sim::plan::FleetPlan;
use crate::sim::run::{Outcome, Trajectory};
use crate::sim::scenario::{Count, GradientScale, ScenarioError, Settings, Start, Strength};
use crate::sim::schedule::Schedule;
use crate::sim::spread::Spread;
use crate::sim::stability::Stability;
use crate::sim::stats::Running;
use crate::sim::stream::Seed;
use crate::sim::study::{MethodSummary, ReferenceSummary, Summary};
use crate::sim::system::{LinearSystem, SystemError};
use crate::sim::target::Target;
use crate::sim::trial::TrialResult;
use crate::theory::break_even::BreakEven;
use crate::theory::landscape::Landscape;
use crate::theory::landscape::payoff::{Payoff, Rows};
use crate::theory::landscape::stability::{Axes, StabilityMap};
use crate::theory::prediction::{Limit, Parts, Prediction};
use crate::theory::scaling::OfClients;
use crate::theory::theorem1::Theorem1;
use crate::theory::{MethodTheory, NoPrediction, Theory};

impl Wire for Family {
    fn put(&self, to: &mut Vec<f64>) {
        let matrices = [self.nominal().a(), self.nominal().b(), self.a_pattern(), self.b_pattern()];
        for matrix in matrices {
            matrix.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let nominal = LinearSystem::new(Wire::take(from)?, Wire::take(from)?).map_err(|_| WireError)?;
        Self::new(nominal, Wire::take(from)?, Wire::take(from)?).map_err(|_| WireError)
    }
}

impl Wire for Seed {
    /// Two halves of 32 bits: an f64 holds only 53.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half is what is meant")]
    fn put(&self, to: &mut Vec<f64>) {
        to.extend([f64::from((self.0 >> 32) as u32), f64::from(self.0 as u32)]);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self(u64::from(from.u32()?) << 32 | u64::from(from.u32()?)))
    }
}

impl Wire for Running {
    fn put(&self, to: &mut Vec<f64>) {
        let (n, mean, squares) = self.parts();
        n.put(to);
        to.extend([mean, squares]);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self::from_parts(from.count()?, from.number()?, from.number()?))
    }
}

variants!(Spread<T> where T { 0 => Same(value), 1 => Even { low, high }, 2 => Each(values) });
variants!(Placement { 0 => Uniform, 1 => TwoClusters, 2 => OneOutlier, 3 => Even });
variants!(Participation { 0 => Full, 1 => Fraction(share), 2 => Dropout(probability) });
variants!(Start { 0 => Zero, 1 => Nominal, 2 => HalfOfClient1, 3 => Given(model) });
variants!(Target { 0 => Client(client), 1 => Worst, 2 => Mean });
variants!(GradientScale { 0 => Sum, 1 => Mean });
variants!(Schedule { 0 => Constant, 1 => OverLocalSteps, 2 => OverRounds, 3 => Harmonic });
variants!(Solver {
    0 => FedAvg,
    1 => FedLin,
    2 => FedProx { pull },
    3 => Scaffold,
    4 => FedAdmm { penalty, sparsity },
    5 => Clustered { n_clusters },
    6 => Median,
});
variants!(Reference {
    0 => ClientAlone,
    1 => Pooled,
    2 => MeanOfLocals,
    3 => Weighted { weight },
    4 => Personalized { pull },
});

record!(Method { solver, schedule });
record!(FleetPlan { n_rollouts, rollout_len, initial_state_std, input_std, process_noise_std });
record!(Settings {
    family,
    placement,
    heterogeneity,
    n_clients,
    data,
    n_local_steps,
    step_size,
    gradient_scale,
    n_rounds,
    participation,
    start,
    target,
    methods,
    references,
    gains,
    n_trials,
    seed,
    systems_seed,
});

record!(Portion { point, data_sets, expects });
record!(PortionResult { portion, heterogeneity, results, theory });

variants!(Survey { 0 => Payoff { heterogeneities, rows }, 1 => Stability(axes) });
variants!(Surveyed { 0 => Payoff(map), 1 => Stability(map) });
variants!(Rows { 0 => Clients(counts), 1 => Rollouts(counts) });
record!(Axes { step_sizes, local_steps, fedavg, fedlin });
record!(Landscape { xs, ys, values });
record!(Payoff { ratio });
record!(StabilityMap { fedavg, fedlin, drift });

record!(Heterogeneity { a, b });
record!(Trajectory { errors, contraction, outcome });
variants!(Outcome { 0 => Bounded, 1 => Diverged { round } });
record!(ClientErrors { alone, shared });
record!(TrialResult { trajectories, references, clients, largest_steps });
record!(MethodSummary { method, errors, n_diverged, contraction, largest_step });
record!(ReferenceSummary { reference, error });
record!(Summary { n_trials, rounds, heterogeneity, methods, references, gains });

record!(Gains { alone, shared, distances });
record!(Theory {
    rounds,
    methods,
    alone,
    pooled,
    mean_of_locals,
    break_even,
    scaling,
    samples_per_regressor,
    samples_per_regressor_alone,
    growth,
});
record!(OfClients { n_clients, pooled, theorem1 });
record!(MethodTheory { method, prediction, stability });
record!(Prediction { means, parts, limit });
record!(Limit { mean, parts, n_rounds });
record!(Parts { transient, noise, bias, drift });
record!(Stability { contraction, largest_step });
record!(Theorem1 { c0, c1, c2, c2_of_others, noise, noise_summed, heterogeneity, needs, has, excitation });
variants!(BreakEven { 0 => At(heterogeneity), 1 => Beyond(heterogeneity), 2 => Never });
variants!(NoPrediction {
    0 => Method,
    1 => Participation,
    2 => Diverges,
    3 => Overflow,
    4 => Unexcited,
    5 => Worst,
    6 => Single,
    7 => FewSamples,
    8 => Uneven,
    9 => Chance,
    10 => LocalSteps,
});

variants!(EstimateError {
    0 => NotEnoughData { client, have, need },
    1 => Singular { client, regressor },
    2 => NotFinite,
});
variants!(SystemError {
    0 => ANotSquare { rows, cols },
    1 => BShape { rows, cols, n_states },
    2 => NotFinite,
});
variants!(Count {
    0 => Clients,
    1 => Rollouts,
    2 => RolloutLen,
    3 => LocalSteps,
    4 => Rounds,
    5 => Trials,
    6 => Clusters,
});
variants!(Strength { 0 => Pull, 1 => Penalty, 2 => Sparsity, 3 => Weight, 4 => Participation });
variants!(ScenarioError {
    0 => Count { count, given },
    1 => EmptySpread,
    2 => StepSize(given),
    3 => Heterogeneity(given),
    4 => NoiseLevel(given),
    5 => Strength { strength, given },
    6 => Target { client, n_clients },
    7 => StartShape { rows, cols },
    8 => StartNotFinite,
    9 => Member(error),
});
