//! Messages as arrays of numbers: one transferable `Float64Array` for each message.
//!
//! Unlike JSON, this keeps every bit of every f64, including NaN and infinities, which diverging runs have. Decoding
//! never panics: an array that no encoder made gives a [`WireError`].

mod codec;
mod types;

use std::fmt;

use super::{Event, Generation, Request};
use codec::{Reader, Wire, variants};

/// Error: an array of numbers is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireError;

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the numbers received are not a message")
    }
}

impl std::error::Error for WireError {}

/// A message as numbers.
pub fn encode<M: Message>(message: &M) -> Vec<f64> {
    let mut numbers = Vec::new();
    message.put(&mut numbers);
    numbers
}

/// The message that numbers encode.
///
/// # Errors
/// If these numbers are not exactly the encoding of a message of this kind.
pub fn decode<M: Message>(numbers: &[f64]) -> Result<M, WireError> {
    let mut reader = Reader::new(numbers);
    let message = M::take(&mut reader)?;
    reader.finish()?;
    Ok(message)
}

/// A message that can be sent: [`Request`] or [`Event`].
#[expect(private_bounds, reason = "the encoding of the parts is nobody else's business")]
pub trait Message: Wire {}

impl Message for Request {}
impl Message for Event {}

impl Wire for Generation {
    fn put(&self, to: &mut Vec<f64>) {
        to.push(f64::from(self.0));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, WireError> {
        from.u32().map(Self)
    }
}

variants!(Request {
    0 => Run { generation, settings },
    1 => Portion { generation, portion, settings },
    2 => Stop,
    3 => Pause,
    4 => Resume,
    5 => Survey { generation, survey, settings },
});
variants!(Event {
    0 => Ready,
    1 => Progress { generation, progress, summary, theory },
    2 => Done { generation, summary, theory },
    3 => Refused { generation, error },
    4 => Unreadable,
    5 => Working { generation },
    6 => Portion { generation, result },
    7 => Surveying { generation, progress, map },
    8 => Surveyed { generation, map },
});

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::engine::runner::Runner;
    use crate::protocol::{Portion, PortionResult, Survey};
    use crate::sim::Matrix;
    use crate::sim::data_sets::DataSets;
    use crate::sim::estimate::{EstimateError, Reference};
    use crate::sim::family::Placement;
    use crate::sim::method::{Method, Solver};
    use crate::sim::participation::Participation;
    use crate::sim::scenario::{Count, GradientScale, Scenario, ScenarioError, Settings, Start, Strength};
    use crate::sim::schedule::Schedule;
    use crate::sim::spread::Spread;
    use crate::sim::stream::{Purpose, Seed, stream};
    use crate::sim::study::{ReferenceSummary, Study};
    use crate::sim::system::SystemError;
    use crate::sim::target::Target;
    use crate::theory::landscape::payoff::Rows;
    use crate::theory::landscape::stability::Axes;
    use crate::theory::{NoPrediction, Theory};

    /// Compares bits instead of values, since NaN must survive too.
    #[track_caller]
    fn check<M: Message + fmt::Debug>(message: &M) {
        let numbers = encode(message);
        let again = decode::<M>(&numbers).expect("what was encoded can be decoded");
        assert_eq!(format!("{again:?}"), format!("{message:?}"));
        let bits = |numbers: &[f64]| numbers.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&encode(&again)), bits(&numbers));
        for short in 0..numbers.len() {
            assert_eq!(decode::<M>(&numbers[..short]).err(), Some(WireError), "cut to {short}");
        }
        assert!(decode::<M>(&[numbers, vec![0.0]].concat()).is_err(), "one too many");
    }

    fn small() -> Settings {
        Settings { n_clients: 2, n_rounds: 3, n_trials: 2, ..Settings::paper() }
    }

    #[test]
    fn requests_survive() {
        for seed in [0, 7, u64::MAX] {
            let settings =
                Settings { seed: Seed(seed), systems_seed: Some(Seed(!seed)), start: Start::HalfOfClient1, ..small() };
            check(&Request::Run { generation: Generation(u32::MAX), settings });
        }
    }

    #[test]
    fn every_setting_survives() {
        let mut settings = small();
        settings.data.n_rollouts = Spread::Even { low: 3, high: 1_000_000_000 };
        settings.data.input_std = Spread::Each(vec![0.5, 2.0]);
        settings.n_local_steps = Spread::Each(vec![1, 7, 3]);
        settings.gradient_scale = GradientScale::Mean;
        settings.participation = Participation::Dropout(0.25);
        settings.target = Target::Client(1);
        settings.placement = Placement::OneOutlier;
        let solvers = [
            Solver::FedProx { pull: 0.5 },
            Solver::Scaffold,
            Solver::FedAdmm { penalty: 100.0, sparsity: 2.0 },
            Solver::Clustered { n_clusters: 3 },
            Solver::Median,
        ];
        settings.methods.extend(solvers.map(|solver| Method { solver, schedule: Schedule::Harmonic }));
        settings.references.extend([Reference::Weighted { weight: 0.5 }, Reference::Personalized { pull: 9.0 }]);
        for start in [Start::Zero, Start::Nominal, Start::Given(Matrix::identity(3, 5))] {
            check(&Request::Run { generation: Generation(1), settings: Settings { start, ..settings.clone() } });
        }
    }

    #[test]
    fn events_survive() {
        let generation = Generation(3);
        check(&Event::Ready);
        check(&Event::Unreadable);
        for change in [
            |_: &mut Settings| (),
            |s: &mut Settings| s.step_size = 1e200,
            |s: &mut Settings| s.gains = true,
            |s: &mut Settings| (s.gains, s.data.input_std) = (true, 0.0.into()),
            |s: &mut Settings| (s.data.n_rollouts, s.data.rollout_len) = (1.into(), 1.into()),
        ] {
            let mut settings = small();
            change(&mut settings);
            let study = Study::new(Scenario::new(settings).unwrap());
            let theory = Some(Box::new(Theory::of(study.experiment())));
            let summary = study.run();
            check(&Event::Progress { generation, progress: 0.25, summary: summary.clone(), theory: None });
            check(&Event::Done { generation, summary, theory });
        }
        for error in [
            ScenarioError::Count { count: Count::Trials, given: 1_000_000 },
            ScenarioError::StepSize(f64::NAN),
            ScenarioError::Heterogeneity(-1.0),
            ScenarioError::NoiseLevel(f64::INFINITY),
            ScenarioError::Member(SystemError::NotFinite),
            ScenarioError::EmptySpread,
            ScenarioError::Strength { strength: Strength::Penalty, given: -0.0 },
            ScenarioError::Target { client: 9, n_clients: 3 },
            ScenarioError::StartShape { rows: 2, cols: 9 },
            ScenarioError::StartNotFinite,
        ] {
            check(&Event::Refused { generation, error });
        }
    }

    #[test]
    fn portions_survive() {
        let (generation, portion) = (Generation(9), Portion { point: 14, data_sets: 2..4, expects: true });
        for change in [|_: &mut Settings| (), |s: &mut Settings| (s.gains, s.step_size) = (true, 1e200)] {
            let mut settings = small();
            change(&mut settings);
            check(&Request::Portion { generation, portion: portion.clone(), settings: settings.clone() });
            let mut data_sets = DataSets::new(Scenario::new(settings).unwrap(), 2..4);
            let theory = Some(Box::new(Theory::of(data_sets.experiment())));
            let mut results = Vec::new();
            while !data_sets.is_done() {
                results.extend(data_sets.step());
            }
            let heterogeneity = data_sets.experiment().scenario.heterogeneity();
            let result = PortionResult { portion: portion.clone(), heterogeneity, results, theory };
            check(&Event::Portion { generation, result });
        }
        check(&Event::Working { generation });
        for request in [Request::Stop, Request::Pause, Request::Resume] {
            check(&request);
        }
    }

    #[test]
    fn maps_survive() {
        let generation = Generation(5);
        let surveys = [
            Survey::Payoff { heterogeneities: vec![0.1, 0.5], rows: Rows::Clients(vec![1, 3]) },
            Survey::Payoff { heterogeneities: vec![0.1, 0.5], rows: Rows::Rollouts(vec![9]) },
            Survey::Stability(Axes {
                step_sizes: vec![1e-4, 1e-2],
                local_steps: vec![1, 10],
                fedavg: Schedule::OverLocalSteps,
                fedlin: Schedule::Constant,
            }),
        ];
        for survey in surveys {
            let request = Request::Survey { generation, survey, settings: small() };
            check(&request);
            let mut runner = Runner::default();
            runner.handle(request);
            let event = std::iter::repeat_with(|| runner.tick(1e9, || 0.0)).flatten().next().unwrap();
            check(&event);
            let Event::Surveyed { map: Ok(map), .. } = event else { panic!("{event:?}") };
            check(&Event::Surveying { generation, progress: 0.5, map });
        }
        check(&Event::Surveyed { generation, map: Err(NoPrediction::Worst) });
    }

    #[test]
    fn estimate_errors_survive() {
        let mut summary = Study::new(Scenario::new(small()).unwrap()).run();
        let errors = [
            EstimateError::NotEnoughData { client: Some(3), have: 2, need: 5 },
            EstimateError::Singular { client: None, regressor: 4 },
            EstimateError::NotFinite,
        ];
        let reference = Reference::Pooled;
        summary.references = errors.map(|error| ReferenceSummary { reference, error: Err(error) }).to_vec();
        check(&Event::Done { generation: Generation(0), summary, theory: None });
    }

    #[test]
    fn noise_is_never_a_panic() {
        let study = Study::new(Scenario::new(small()).unwrap());
        let theory = Some(Box::new(Theory::of(study.experiment())));
        let event = encode(&Event::Done { generation: Generation(1), summary: study.run(), theory });
        let request = encode(&Request::Run { generation: Generation(1), settings: small() });
        let odd = [f64::NAN, f64::INFINITY, -1.0, 0.5, 1e18, 4_294_967_295.0, 0.0, 3.0];
        let mut rng = stream(Seed(1), Purpose::Data, 0, 0);
        for _ in 0..20_000 {
            let (mut event, mut request) = (event.clone(), request.clone());
            for numbers in [&mut event, &mut request] {
                let at = rng.random_range(0..numbers.len());
                numbers[at] = odd[rng.random_range(0..odd.len())];
            }
            let _ = decode::<Event>(&event);
            let _ = decode::<Request>(&request);
        }
    }
}
