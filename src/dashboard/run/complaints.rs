//! Complaints: why there are no numbers, or none to rely on, and what to do about it.

use crate::dashboard::results::Run;
use crate::dashboard::run::badge::below;
use crate::dashboard::words::counting::listed;
use crate::dashboard::words::names::{method_name, reference_name};
use crate::figure::number::{beside_one, count, measured, number};
use crate::params::Key;
use crate::protocol::Trouble;
use crate::sim::estimate::EstimateError;
use crate::sim::scenario::{GradientScale, ScenarioError};
use crate::sim::spread::Spread;
use crate::sim::study::MethodSummary;
use fedsysid_say::say;

/// If states grow by more than this factor, the rounding errors of their squares are as large as what inputs add.
const MOST_GROWTH: f64 = 1e7;

/// Why settings cannot be run.
pub fn refused(error: ScenarioError) -> String {
    say!("This cannot be run: {error}.")
}

/// Complaints about a run: methods that diverge, estimates that the data do not determine, results that are mostly
/// rounding. If steps are fixed, nobody is told to change what they cannot.
pub fn complaints(run: &Run, are_steps_fixed: bool) -> Vec<String> {
    let cure = if are_steps_fixed { String::new() } else { format!(" {}.", cure(run)) };
    let diverging = run.summary.methods.iter().filter_map(|summary| divergence(run, summary, &cure));
    let mut complaints: Vec<_> = diverging.collect();
    if complaints.len() > 2 {
        complaints = vec![divergence_of_many(run, &cure)];
    }
    complaints.extend(undetermined(run));
    complaints.extend(rounding(run));
    complaints
}

/// One sentence for three or more methods that diverge: a sentence for each would hide the chart.
fn divergence_of_many(run: &Run, cure: &str) -> String {
    let diverging = || run.summary.methods.iter().filter(|summary| summary.n_diverged > 0);
    let names: Vec<_> = diverging().map(|summary| method_name(summary.method)).collect();
    let first_round = diverging().filter_map(|summary| run.summary.diverges_from(summary)).min().unwrap_or(0);
    say!("{} diverge: the first of their errors {}.{cure}", listed(&names), when(run, first_round))
}

/// The round from which an error grows, as the end of a sentence.
fn when(run: &Run, from: usize) -> String {
    match from {
        0 => say!("grows from the first round on").to_owned(),
        round if round == run.settings.n_rounds => say!("will grow after the rounds shown").to_owned(),
        round => say!("grows from round {} on", count(round)),
    }
}

fn divergence(run: &Run, summary: &MethodSummary, cure: &str) -> Option<String> {
    let from = run.summary.diverges_from(summary)?;
    let name = method_name(summary.method);
    let how_often = if summary.n_diverged == run.summary.n_trials {
        String::new()
    } else {
        say!(" in {} of {} data sets", count(summary.n_diverged), count(run.summary.n_trials))
    };
    let when = when(run, from);
    let rho = summary.contraction.filter(|rho| rho.is_finite());
    let rho = rho.map_or_else(String::new, |rho| format!(" (ρ = {})", beside_one(rho)));
    Some(say!("{name} diverges{how_often}{rho}: its error {when}.{cure}"))
}

/// A remedy against divergence, one at a time: a step size below the largest that is stable for all methods; if no
/// setting is that small, gradients that do not grow with the data, or, if that is not enough, shorter rollouts.
fn cure(run: &Run) -> String {
    let alpha = run.settings.step_size;
    let edges = run.summary.methods.iter().filter_map(|summary| summary.largest_step);
    let edge = edges.min_by(f64::total_cmp);
    if let Some(step) = edge.filter(|&edge| alpha > edge).and_then(below) {
        return say!("Lower the step size α to {}", number(step));
    }
    let is_within_reach = edge.is_none_or(|edge| below(edge).is_some());
    if is_within_reach && alpha > Key::StepSize.param().grid.min() {
        return say!("Lower the step size α").into();
    }
    if run.settings.gradient_scale == GradientScale::Sum && !grows(run) {
        return say!("No step size α is small enough: take means for gradients").into();
    }
    say!("No step size α is small enough: lower T").into()
}

/// Whether states grow by more than `A_LOT` within a rollout.
fn grows(run: &Run) -> bool {
    const A_LOT: f64 = 1e3;
    run.theory.as_ref().is_some_and(|theory| theory.growth > A_LOT)
}

/// A sentence if the numbers are mostly rounding: squares of grown states and of inputs are summed up together.
fn rounding(run: &Run) -> Option<String> {
    let growth = run.theory.as_ref()?.growth;
    (growth > MOST_GROWTH).then(|| {
        say!("States grow {}-fold within a rollout: these numbers are mostly rounding. Lower T.", measured(growth, 2))
    })
}

/// Sentences on reference estimates without a number; estimates with the same reason share one.
fn undetermined(run: &Run) -> Vec<String> {
    let mut reasons: Vec<(EstimateError, Vec<String>)> = Vec::new();
    for summary in &run.summary.references {
        if let Err(error) = summary.error {
            let name = reference_name(summary.reference, run.settings.target);
            match reasons.iter_mut().find(|(reason, _)| *reason == error) {
                Some((_, names)) => names.push(name),
                None => reasons.push((error, vec![name])),
            }
        }
    }
    reasons
        .into_iter()
        .map(|(error, names)| say!("No line for {}: {error}. {}.", listed(&names), remedy(run, error)))
        .collect()
}

fn remedy(run: &Run, error: EstimateError) -> &'static str {
    let data = &run.settings.data;
    let is_none = |stds: &Spread<f64>| stds.bounds().iter().all(|&std| std <= 0.0);
    match error {
        EstimateError::NotFinite => say!("Lower T or ε"),
        EstimateError::Singular { .. } if is_none(&data.input_std) => {
            say!("Raise σᵤ: without inputs, B leaves no trace")
        }
        EstimateError::Singular { .. } if grows(run) => say!("Lower T or ε"),
        EstimateError::Singular { .. } if is_none(&data.initial_state_std) => {
            say!("Raise σₓ: then every state is excited from the start")
        }
        EstimateError::NotEnoughData { .. } | EstimateError::Singular { .. } => say!("Raise N or T"),
    }
}

/// What happened to the engine, and what was done about it.
pub fn trouble(trouble: Trouble) -> &'static str {
    match trouble {
        Trouble::WorkerReplaced => {
            say!("The worker that computes stopped; another one was started and repeats the run.")
        }
        Trouble::NoWorker => {
            say!("No worker can start here, so the page itself computes: the same numbers, a little slower.")
        }
        Trouble::RunGivenUp => {
            say!("The workers stopped again and again over this run, so it was given up. Change a setting to go on.")
        }
        Trouble::SurveyGivenUp => {
            say!("The workers stopped again and again over this map, so it was given up. Change a setting to go on.")
        }
        Trouble::SweepGivenUp => {
            say!("The workers stopped again and again over this sweep, so it was given up. Change a setting to go on.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dashboard::results::tests::run;
    use crate::params::Draft;
    use crate::sim::estimate::Reference;
    use crate::sim::method::{Method, Solver};

    /// Where everything can be set.
    fn complaints(run: &Run) -> Vec<String> {
        super::complaints(run, false)
    }

    #[test]
    fn without_inputs_more_data_are_no_remedy() {
        let silent = complaints(&run(|s| s.data.input_std = 0.0.into()));
        assert!(silent.iter().any(|said| said.ends_with("Raise σᵤ: without inputs, B leaves no trace.")), "{silent:?}");
        assert!(!silent.iter().any(|said| said.contains("Raise N or T")), "{silent:?}");
    }

    #[test]
    fn a_healthy_run_has_no_complaints() {
        assert_eq!(complaints(&run(|_| ())), [""; 0]);
    }

    #[test]
    fn divergence_is_named_with_its_round_and_its_cure() {
        let complaints = complaints(&run(|s| s.step_size = 3e-3));
        assert_eq!(complaints.len(), 2);
        for (complaint, name) in complaints.iter().zip(["FedAvg", "FedLin"]) {
            assert!(complaint.starts_with(&format!("{name} diverges (ρ = ")), "{complaint}");
            assert!(complaint.contains(" Lower the step size α to 0.0"), "{complaint}");
        }
    }

    #[test]
    fn a_fixed_step_is_not_to_be_lowered() {
        let run = run(|s| s.step_size = 3e-3);
        let fixed = super::complaints(&run, true);
        let free = complaints(&run);
        assert!(fixed.len() == 2 && !fixed.concat().contains("Lower"), "{fixed:?}");
        assert!(free.iter().zip(&fixed).all(|(free, fixed)| free.starts_with(fixed.as_str())), "{fixed:?}");
    }

    #[test]
    fn many_that_diverge_are_named_in_one_sentence() {
        let solvers =
            [Solver::FedLin, Solver::FedAvg, Solver::Scaffold, Solver::FedAdmm { penalty: 60.0, sparsity: 0.0 }];
        let methods = solvers.map(Method::constant);
        let [said] = &complaints(&run(|s| (s.step_size, s.methods) = (3e-3, methods.to_vec())))[..] else {
            panic!("one sentence")
        };
        let expected =
            "FedLin, FedAvg and SCAFFOLD diverge: the first of their errors grows from the first round on. Lower ";
        assert!(said.starts_with(expected), "{said}");
    }

    /// Errors that still fall at the last round have not begun to grow, for one method as for several.
    #[test]
    fn what_diverges_later_than_is_shown_is_said_to() {
        for (n, begin) in
            [(1, "FedLin diverges"), (3, "FedLin, FedAvg and SCAFFOLD diverge: the first of their errors ")]
        {
            let solvers = [Solver::FedLin, Solver::FedAvg, Solver::Scaffold];
            let methods = solvers.map(Method::constant)[..n].to_vec();
            let mut run = run(|s| (s.step_size, s.methods) = (3e-3, methods.clone()));
            run.summary.methods.iter_mut().for_each(|method| method.errors.reverse());
            let [complaint] = &complaints(&run)[..] else { panic!("one sentence") };
            assert!(complaint.starts_with(begin), "{complaint}");
            assert!(complaint.contains(" will grow after the rounds shown. "), "{complaint}");
        }
    }

    /// An error that falls at first grows from its minimum on; of several methods the first to grow is named.
    #[test]
    fn the_round_from_which_an_error_grows_is_said() {
        for n in [1, 3] {
            let solvers = [Solver::FedLin, Solver::FedAvg, Solver::Scaffold];
            let methods = solvers.map(Method::constant)[..n].to_vec();
            let mut run = run(|s| (s.step_size, s.methods) = (3e-3, methods.clone()));
            // The errors grow from the start; the last ones, which move to the front, are larger.
            for (later, method) in run.summary.methods.iter_mut().enumerate() {
                method.errors.rotate_right(7 + later);
            }
            let [complaint] = &complaints(&run)[..] else { panic!("one sentence") };
            assert!(complaint.contains(" grows from round 7 on. "), "{complaint}");
        }
    }

    #[test]
    fn estimates_without_a_line_are_explained_together() {
        let mut run = run(|s| (s.data.n_rollouts, s.data.rollout_len) = (1.into(), 2.into()));
        let expected = "No line for client 1 alone and mean of locals: least squares needs at least 5 samples (N·T), \
                        client 1 has 2. Raise N or T.";
        assert_eq!(complaints(&run), [expected]);
        let reason = run.summary.reference(Reference::ClientAlone).unwrap();
        run.summary.references.iter_mut().for_each(|reference| reference.error = reason);
        let said = complaints(&run);
        assert!(said[0].starts_with("No line for client 1 alone, pooled and mean of locals: "), "{said:?}");
    }

    #[test]
    fn rounding_is_said_to_be_what_it_is() {
        let said = |len: usize| {
            let (mut draft, _) = Draft::from_query("A=1.2&M=3&q=3");
            draft.set(Key::RolloutLen, len as f64);
            complaints(&run(|s| *s = draft.settings()))
        };
        assert!(
            said(100).iter().any(|said| said.starts_with("States grow ") && said.contains("rounding")),
            "{:?}",
            said(100)
        );
        assert!(!said(30).iter().any(|said| said.contains("rounding")), "{:?}", said(30));
    }
}
