//! How the parts of messages are written and read, in the order of their fields.

use super::WireError;
use crate::sim::Matrix;
use crate::sim::estimate::EstimateError;
use crate::sim::family::{Family, Placement};
use crate::sim::method::{Method, Solver};
use crate::sim::rollout::{DataPlan, NoiseLevels};
use crate::sim::scenario::{Count, ScenarioError, Settings, Start};
use crate::sim::schedule::Schedule;
use crate::sim::stats::Running;
use crate::sim::stream::Seed;
use crate::sim::study::{MethodSummary, Summary};
use crate::sim::system::{LinearSystem, SystemError};

/// What can be written as numbers and read back.
pub(super) trait Wire: Sized {
    fn put(&self, to: &mut Vec<f64>);
    fn take(from: &mut Reader<'_>) -> Result<Self, WireError>;
}

/// Reads numbers from the front.
pub(super) struct Reader<'a>(&'a [f64]);

impl<'a> Reader<'a> {
    pub(super) fn new(numbers: &'a [f64]) -> Self {
        Self(numbers)
    }

    pub(super) fn number(&mut self) -> Result<f64, WireError> {
        let (first, rest) = self.0.split_first().ok_or(WireError)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared right after")]
        let whole = number as u32;
        (f64::from(whole).to_bits() == number.to_bits()).then_some(whole).ok_or(WireError)
    }

    /// A whole number up to 2⁵³, such as N·T.
    fn whole(&mut self) -> Result<u64, WireError> {
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared right after")]
        let whole = number as u64;
        ((whole as f64).to_bits() == number.to_bits()).then_some(whole).ok_or(WireError)
    }

    pub(super) fn count(&mut self) -> Result<usize, WireError> {
        self.u32().map(|count| count as usize)
    }

    /// A count of things still to come, each of at least one number: no more of them than there are numbers.
    fn len(&mut self) -> Result<usize, WireError> {
        let len = self.count()?;
        (len <= self.0.len()).then_some(len).ok_or(WireError)
    }

    pub(super) fn finish(self) -> Result<(), WireError> {
        if self.0.is_empty() { Ok(()) } else { Err(WireError) }
    }
}

/// Counts that cross are bounded by [`Count::limits`], far below 2³².
fn put_count(count: usize, to: &mut Vec<f64>) {
    to.push(count as f64);
}

/// A value of a closed list as its place in it.
fn put_index<T: PartialEq>(all: &[T], value: &T, to: &mut Vec<f64>) {
    put_count(all.iter().position(|other| other == value).unwrap_or(all.len()), to);
}

fn take_index<T: Copy>(all: &[T], from: &mut Reader<'_>) -> Result<T, WireError> {
    from.count().and_then(|index| all.get(index).copied().ok_or(WireError))
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Vec<f64>) {
        put_count(self.len(), to);
        for value in self {
            value.put(to);
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        (0..from.len()?).map(|_| T::take(from)).collect()
    }
}

impl<T: Wire, E: Wire> Wire for Result<T, E> {
    fn put(&self, to: &mut Vec<f64>) {
        match self {
            Ok(value) => {
                to.push(0.0);
                value.put(to);
            }
            Err(error) => {
                to.push(1.0);
                error.put(to);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        match from.u32()? {
            0 => T::take(from).map(Ok),
            1 => E::take(from).map(Err),
            _ => Err(WireError),
        }
    }
}

impl Wire for Matrix {
    fn put(&self, to: &mut Vec<f64>) {
        put_count(self.nrows(), to);
        put_count(self.ncols(), to);
        to.extend(self.iter());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        let (rows, cols) = (from.count()?, from.count()?);
        let len = rows.checked_mul(cols).filter(|&len| len <= from.0.len()).ok_or(WireError)?;
        let (entries, rest) = from.0.split_at(len);
        from.0 = rest;
        Ok(Self::from_column_slice(rows, cols, entries))
    }
}

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

impl Wire for DataPlan {
    fn put(&self, to: &mut Vec<f64>) {
        put_count(self.n_rollouts, to);
        put_count(self.rollout_len, to);
        let NoiseLevels { initial_state_std, input_std, process_noise_std } = self.noise;
        to.extend([initial_state_std, input_std, process_noise_std]);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            n_rollouts: from.count()?,
            rollout_len: from.count()?,
            noise: NoiseLevels {
                initial_state_std: from.number()?,
                input_std: from.number()?,
                process_noise_std: from.number()?,
            },
        })
    }
}

const SOLVERS: [Solver; 2] = [Solver::FedAvg, Solver::FedLin];
const SCHEDULES: [Schedule; 3] = [Schedule::Constant, Schedule::OverLocalSteps, Schedule::OverRounds];
const STARTS: [Start; 2] = [Start::Zero, Start::HalfOfClient1];
const PLACEMENTS: [Placement; 2] = [Placement::Uniform, Placement::Even];
const COUNTS: [Count; 6] =
    [Count::Clients, Count::Rollouts, Count::RolloutLen, Count::LocalSteps, Count::Rounds, Count::Trials];

impl Wire for Method {
    fn put(&self, to: &mut Vec<f64>) {
        put_index(&SOLVERS, &self.solver, to);
        put_index(&SCHEDULES, &self.schedule, to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self { solver: take_index(&SOLVERS, from)?, schedule: take_index(&SCHEDULES, from)? })
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

impl Wire for Settings {
    fn put(&self, to: &mut Vec<f64>) {
        self.family.put(to);
        put_index(&PLACEMENTS, &self.placement, to);
        to.push(self.heterogeneity);
        put_count(self.n_clients, to);
        self.data.put(to);
        put_count(self.n_local_steps, to);
        to.push(self.step_size);
        put_count(self.n_rounds, to);
        put_index(&STARTS, &self.start, to);
        self.methods.put(to);
        put_count(self.n_trials, to);
        self.seed.put(to);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            family: Wire::take(from)?,
            placement: take_index(&PLACEMENTS, from)?,
            heterogeneity: from.number()?,
            n_clients: from.count()?,
            data: Wire::take(from)?,
            n_local_steps: from.count()?,
            step_size: from.number()?,
            n_rounds: from.count()?,
            start: take_index(&STARTS, from)?,
            methods: Wire::take(from)?,
            n_trials: from.count()?,
            seed: Wire::take(from)?,
        })
    }
}

impl Wire for Running {
    fn put(&self, to: &mut Vec<f64>) {
        let (n, mean, squares) = self.parts();
        put_count(n, to);
        to.extend([mean, squares]);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self::from_parts(from.count()?, from.number()?, from.number()?))
    }
}

impl Wire for MethodSummary {
    fn put(&self, to: &mut Vec<f64>) {
        self.method.put(to);
        self.errors.put(to);
        put_count(self.n_diverged, to);
        to.push(self.contraction);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            method: Wire::take(from)?,
            errors: Wire::take(from)?,
            n_diverged: from.count()?,
            contraction: from.number()?,
        })
    }
}

impl Wire for Summary {
    fn put(&self, to: &mut Vec<f64>) {
        put_count(self.n_trials, to);
        self.methods.put(to);
        self.references.iter().for_each(|reference| reference.put(to));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            n_trials: from.count()?,
            methods: Wire::take(from)?,
            references: [Wire::take(from)?, Wire::take(from)?, Wire::take(from)?],
        })
    }
}

impl Wire for EstimateError {
    fn put(&self, to: &mut Vec<f64>) {
        match *self {
            Self::NotEnoughData { have, need } => to.extend([0.0, have as f64, need as f64]),
            Self::Singular { regressor } => to.extend([1.0, regressor as f64]),
            Self::NotFinite => to.push(2.0),
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(match from.u32()? {
            0 => Self::NotEnoughData { have: from.whole()?, need: from.whole()? },
            1 => Self::Singular { regressor: from.count()? },
            2 => Self::NotFinite,
            _ => return Err(WireError),
        })
    }
}

impl Wire for ScenarioError {
    fn put(&self, to: &mut Vec<f64>) {
        match self {
            Self::Count { count, given } => {
                to.push(0.0);
                put_index(&COUNTS, count, to);
                put_count(*given, to);
            }
            Self::StepSize(given) => to.extend([1.0, *given]),
            Self::Heterogeneity(given) => to.extend([2.0, *given]),
            Self::NoiseLevel(given) => to.extend([3.0, *given]),
            // A member's shape is the family's: only its entries can be at fault.
            Self::Member(_) => to.push(4.0),
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(match from.u32()? {
            0 => Self::Count { count: take_index(&COUNTS, from)?, given: from.count()? },
            1 => Self::StepSize(from.number()?),
            2 => Self::Heterogeneity(from.number()?),
            3 => Self::NoiseLevel(from.number()?),
            4 => Self::Member(SystemError::NotFinite),
            _ => return Err(WireError),
        })
    }
}
