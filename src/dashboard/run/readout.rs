//! The numbers of a run at one round, for the crosshair, the strip under the chart and the data table.

use crate::dashboard::results::Run;
use crate::dashboard::run::picture::pooled;
use crate::dashboard::words::names::{method_name, reference_name, reference_role, solver_role};
use crate::figure::Role;
use crate::sim::estimate::Reference;
use crate::sim::method::Method;
use crate::sim::stats::Running;
use crate::theory::Theory;
use fedsysid_say::say;

/// A number with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Its meaning.
    pub role: Role,
    /// Its name.
    pub name: String,
    /// Mean over data sets; `Err` holds why there is none.
    pub value: Result<Running, String>,
    /// The prediction, if there is one.
    pub expected: Option<f64>,
}

impl Reading {
    /// The reading as a multiple of `by`, without a spread: both errors come from the same data.
    pub(crate) fn over(mut self, by: f64) -> Self {
        self.expected = self.expected.map(|expected| expected / by);
        self.value = self.value.map(|error| Running::from_parts(1, error.mean() / by, 0.0));
        self
    }
}

/// The readings as multiples of the error of pooled least squares; unchanged if it has none.
pub fn multiples(run: &Run, readings: Vec<Reading>) -> Vec<Reading> {
    match pooled(&run.summary) {
        Some(by) => readings.into_iter().map(|reading| reading.over(by)).collect(),
        None => readings,
    }
}

/// The error of every method after `round` rounds (at the last recorded round up to it), then the errors of the
/// reference estimates.
pub fn readings(run: &Run, round: usize) -> Vec<Reading> {
    let record = run.summary.record_at(round);
    let methods = run.summary.methods.iter().filter_map(|summary| {
        let value = summary.errors.get(record).copied()?;
        let value = if value.mean().is_finite() { Ok(value) } else { Err(say!("diverged").into()) };
        let expected = value.as_ref().ok().and_then(|_| expected(run, summary.method, record));
        Some(Reading { role: solver_role(summary.method.solver), name: method_name(summary.method), value, expected })
    });
    let references = run.summary.references.iter().map(|summary| Reading {
        role: reference_role(summary.reference),
        name: reference_name(summary.reference, run.settings.target),
        value: summary.error.map_err(|error| error.to_string()),
        expected: expected_of(run.theory.as_deref(), summary.reference),
    });
    methods.chain(references).collect()
}

/// The predicted error of a reference estimate.
pub(crate) fn expected_of(theory: Option<&Theory>, reference: Reference) -> Option<f64> {
    let theory = theory?;
    match reference {
        Reference::ClientAlone => theory.alone.ok(),
        Reference::Pooled => theory.pooled.ok(),
        Reference::MeanOfLocals => theory.mean_of_locals.ok(),
        Reference::Weighted { .. } | Reference::Personalized { .. } => None,
    }
}

/// A method's predicted error at a record.
fn expected(run: &Run, method: Method, record: usize) -> Option<f64> {
    let theory = run.theory.as_ref()?.methods.iter().find(|theory| theory.method == method)?;
    theory.prediction.as_ref().ok()?.means.get(record).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;

    fn means(run: &Run, round: usize) -> Vec<Option<u64>> {
        readings(run, round).iter().map(|r| r.value.as_ref().ok().map(|value| value.mean().to_bits())).collect()
    }

    /// If some data sets diverge, the prediction for much data may still converge: it does not belong beside their
    /// mean.
    #[test]
    fn of_what_diverges_now_and_then_nothing_is_expected() {
        let largest = run(|_| ()).summary.methods[0].largest_step.unwrap();
        let some = run(|s| s.step_size = 1.000_1 * largest);
        let n_diverged = some.summary.methods[0].n_diverged;
        assert!(n_diverged > 0 && n_diverged < some.summary.n_trials, "{n_diverged}");
        let read = readings(&some, 200);
        assert!(read[0].value.is_ok() && read[0].expected.is_none(), "{read:?}");
        assert!(read[2].expected.is_some(), "references are expected all the same: {read:?}");
        let causes = &crate::dashboard::run::anatomy::anatomies(&some)[0].causes;
        assert_eq!(causes.as_ref().err(), Some(&crate::theory::NoPrediction::Diverges));
    }

    #[test]
    fn methods_come_first_then_references() {
        let run = run(|_| ());
        let names: Vec<_> = readings(&run, 0).into_iter().map(|reading| reading.name).collect();
        assert_eq!(names, ["FedAvg", "FedLin", "client 1 alone", "pooled", "mean of locals"]);
        let expected = run.summary.methods[1].errors[200].mean().to_bits();
        assert_eq!(means(&run, 200)[1], Some(expected));
        assert_eq!(means(&run, 200), means(&run, 10_000), "past the end is the end");
        assert_ne!(means(&run, 0)[0], means(&run, 200)[0]);
    }

    #[test]
    fn multiples_have_no_spread_of_their_own() {
        let run = run(|_| ());
        let plain = readings(&run, 200);
        for (ours, theirs) in multiples(&run, plain.clone()).iter().zip(&plain) {
            let (ours, theirs) = (ours.value.as_ref().unwrap(), theirs.value.as_ref().unwrap());
            assert!(ours.standard_error().is_nan());
            assert!((ours.mean() / theirs.mean() * plain[3].value.as_ref().unwrap().mean() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn what_has_no_number_has_words() {
        let diverged = readings(&run(|s| s.step_size = 1.0), 200);
        assert_eq!(diverged[0].value, Err(say!("diverged").into()));
        let short = readings(&run(|s| (s.data.n_rollouts, s.data.rollout_len) = (1.into(), 2.into())), 0);
        assert_eq!(short[2].value, Err("least squares needs at least 5 samples (N·T), client 1 has 2".into()));
    }
}
