//! What theory expects of each method, its speed and its largest step, and where it is not to be relied on.

use crate::dashboard::results::Run;
use crate::dashboard::words::counting::Things;
use crate::dashboard::words::names::method_name;
use crate::figure::number::measured;
use crate::sim::method::Solver;
use crate::theory::MethodTheory;
use fedsysid_say::say;

/// If each client has fewer samples per regressor than this, and a round leaves less than `FAR_STEPS` of the error, the
/// mean of the clients' models ends more than 3 % above its prediction, which replaces each S_i by its mean.
const FEW_FOR_STEPS: f64 = 20.0;
const FAR_STEPS: f64 = 0.6;

/// Predicted speed and step size of each method, and limits of the predictions.
pub fn outlook(run: &Run) -> String {
    let Some(theory) = &run.theory else { return String::new() };
    let of_method = |theory: &MethodTheory| {
        let name = method_name(theory.method);
        let limit = theory.prediction.as_ref().ok().and_then(|prediction| prediction.limit);
        // Of few data the prediction can be far off: it is not said where the slowest data set has then hardly begun.
        let slowest = run.summary.methods.iter().find(|summary| summary.method == theory.method);
        let slowest = slowest.and_then(|summary| summary.contraction).unwrap_or(0.0);
        let is_seen = |n_rounds: u64| n_rounds == 0 || slowest.powf(n_rounds as f64) < 0.5;
        let rounds = limit.filter(|limit| is_seen(limit.n_rounds)).map(|limit| match limit.n_rounds {
            0 => say!("By prediction {name} begins within 10 % of its end"),
            rounds => say!("By prediction {name} is within 10 % of its end after {}", large(rounds)),
        });
        let step = theory.stability.and_then(|stability| stability.largest_step);
        let step = step
            .map(|step| say!("if every client’s data were average, its largest step would be {}", measured(step, 3)));
        match (rounds, step) {
            (Some(rounds), Some(step)) => Some(format!("{rounds}; {step}.")),
            (Some(rounds), None) => Some(format!("{rounds}.")),
            (None, Some(step)) => Some(format!("{name}: {step}.")),
            (None, None) => None,
        }
    };
    let mut said: Vec<_> = theory.methods.iter().filter_map(of_method).collect();
    let unpredicted = |theory: &MethodTheory| {
        let reason = theory.prediction.as_ref().err()?;
        Some(say!("No prediction for {}: {reason}.", method_name(theory.method)))
    };
    said.extend(theory.methods.iter().filter_map(unpredicted));
    let own = theory.samples_per_regressor / run.settings.n_clients as f64;
    let is_drawn_apart = |theory: &&MethodTheory| {
        let goes_far = theory.stability.is_some_and(|stability| stability.contraction < FAR_STEPS);
        // With one client, or one local step, FedAvg's round is FedLin's.
        let is_apart = run.settings.n_clients > 1 && run.settings.n_local_steps.bounds().into_iter().any(|k| k > 1);
        is_apart
            && own < FEW_FOR_STEPS
            && goes_far
            && theory.prediction.is_ok()
            && theory.method.solver != Solver::FedLin
    };
    said.extend(theory.methods.iter().filter(is_drawn_apart).map(|theory| {
        say!(
            "{} ends higher than predicted: with {} samples of each client for each regressor, what each learns \
             alone varies more than on average data.",
            method_name(theory.method),
            measured(own, 2)
        )
    }));
    if theory.has_few_for_curves() {
        let few = measured(theory.samples_per_regressor, 2);
        said.push(say!(
            "Predictions are for much data; with {few} samples for each regressor the dashed curves are too low on their way."
        ));
    }
    said.join(" ")
}

/// Counts rounds in words; the number may be beyond `usize`.
fn large(rounds: u64) -> String {
    usize::try_from(rounds).map_or_else(|_| say!("very many rounds").into(), |rounds| Things::Rounds.counted(rounds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::sim::method::Method;
    use crate::sim::scenario::Settings;

    /// One client with a few samples learns some directions hardly at all, which its average data would not tell.
    #[test]
    fn a_prediction_that_the_run_contradicts_is_not_said() {
        assert!(outlook(&run(|_| ())).contains("By prediction FedLin is within 10 % of its end after "));
        let few = run(|s| (s.n_clients, s.data.n_rollouts) = (1, 3.into()));
        assert!(few.summary.methods[0].contraction.unwrap() > 0.99);
        assert!(!outlook(&few).contains("within 10 %"), "{}", outlook(&few));
    }

    /// With long local updates and few data FedAvg ends above its prediction, and FedLin does not; the page says so.
    #[test]
    fn a_drift_that_is_not_expected_is_said() {
        let far = |s: &mut Settings| {
            (s.n_clients, s.heterogeneity, s.n_trials) = (50, 0.0, 60);
            (s.data.n_rollouts, s.n_local_steps, s.step_size) = (10.into(), 100.into(), 1e-3);
        };
        let run_of_few = run(far);
        let above = |run: &Run, name: &str| {
            let which = run.summary.methods.iter().position(|method| method_name(method.method) == name).unwrap();
            let expected =
                run.theory.as_ref().unwrap().methods[which].prediction.as_ref().unwrap().means.last().copied();
            run.summary.methods[which].errors.last().unwrap().mean() / expected.unwrap()
        };
        let said = outlook(&run_of_few);
        assert!(said.contains("FedAvg ends higher than predicted: with 10 samples"), "{said}");
        assert!(!said.contains("FedLin ends higher"), "{said}");
        let [fedavg, fedlin] = ["FedAvg", "FedLin"].map(|name| above(&run_of_few, name));
        assert!(fedavg > 1.04 && fedlin < 1.04, "{fedavg} {fedlin}");
        let many = run(|s| {
            far(s);
            (s.data.n_rollouts, s.step_size) = (100.into(), 1e-4);
        });
        assert!(!outlook(&many).contains("ends higher"), "{}", outlook(&many));
        assert!(above(&many, "FedAvg") < 1.04, "{}", above(&many, "FedAvg"));
        let near = run(|s| {
            far(s);
            (s.n_local_steps, s.step_size) = (1.into(), 1e-4);
        });
        assert!(!outlook(&near).contains("ends higher"), "{}", outlook(&near));
        // One client, or one step, drifts nowhere.
        for (n_clients, n_local_steps) in [(1, 100), (20, 1)] {
            let same = run(|s| {
                far(s);
                (s.n_clients, s.n_local_steps, s.step_size) = (n_clients, n_local_steps.into(), 5e-3);
            });
            assert!(!outlook(&same).contains("ends higher"), "{}", outlook(&same));
        }
    }

    #[test]
    fn few_samples_and_missing_predictions_are_said() {
        assert!(!outlook(&run(|_| ())).contains("too low"));
        assert!(outlook(&run(|s| (s.n_clients, s.data.n_rollouts) = (2, 10.into()))).contains("too low"));
        let scaffold = Method::constant(Solver::Scaffold);
        let said = outlook(&run(|s| s.methods = vec![scaffold]));
        assert_eq!(said, "No prediction for SCAFFOLD: this method’s round is not one linear map.");
    }
}
