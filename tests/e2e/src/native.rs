//! What the page should show, computed by the library on this machine.

use anyhow::{Context, Result, ensure};
use fedsysid::dashboard::outgoing::script::{Language, program};
use fedsysid::dashboard::outgoing::table::{self, ListedRounds};
use fedsysid::dashboard::results::Run;
use fedsysid::dashboard::results::sweep::Sweeps;
use fedsysid::dashboard::views::wanted;
use fedsysid::dashboard::words::names::{reference_role, solver_role};
use fedsysid::engine::runner::Runner;
use fedsysid::params::{Draft, State, View};
use fedsysid::protocol::Generation;
use fedsysid::sim::scenario::{Scenario, Settings};
use fedsysid::sim::stats::Running;
use fedsysid::sim::study::{Study, Summary};
use fedsysid::sim::trial::Experiment;
use fedsysid::theory::Theory;

use crate::page::Reading;

/// A finished run.
#[derive(Clone, Debug)]
pub struct Native {
    settings: Settings,
    summary: Summary,
}

impl Native {
    /// Runs what a link asks for.
    ///
    /// # Errors
    /// If that cannot be run.
    pub fn of(link: &str) -> Result<Self> {
        Self::run(&Draft::from_query(link).0)
    }

    /// Runs what is set.
    ///
    /// # Errors
    /// If that cannot be run.
    pub fn run(draft: &Draft) -> Result<Self> {
        let scenario = draft.check()?;
        let settings = scenario.settings().clone();
        Ok(Self { settings, summary: Study::new(scenario).run() })
    }

    /// Rounds R.
    pub fn n_rounds(&self) -> usize {
        self.settings.n_rounds
    }

    /// The results.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// What is known of the run beforehand.
    ///
    /// # Errors
    /// If that cannot be run.
    pub fn theory(&self) -> Result<Theory> {
        Ok(Theory::of(&Experiment::new(Scenario::new(self.settings.clone())?)))
    }

    /// What there is to read after `round` rounds: roles in the order of the page, with their numbers.
    pub fn readings(&self, round: usize) -> Vec<(&'static str, Option<f64>)> {
        let methods = self.summary.methods.iter().map(|summary| {
            let error = summary.errors.get(self.summary.record_at(round)).map(Running::mean);
            (solver_role(summary.method.solver).word(), error.filter(|error| error.is_finite()))
        });
        let references =
            self.summary.references.iter().map(|summary| {
                (reference_role(summary.reference).word(), summary.error.as_ref().ok().map(Running::mean))
            });
        methods.chain(references).collect()
    }

    /// Whether the page shows these very numbers, to the last bit.
    ///
    /// # Errors
    /// If it does not, with both.
    pub fn expect(&self, round: usize, shown: &[Reading]) -> Result<()> {
        let expected = self.readings(round);
        let is_same = |(reading, &(role, value)): (&Reading, &(&str, Option<f64>))| {
            reading.role == role && reading.value.map(f64::to_bits) == value.map(f64::to_bits)
        };
        let all_same = expected.len() == shown.len() && shown.iter().zip(&expected).all(is_same);
        ensure!(all_same, "after round {round} there should be {expected:?}\nbut the page shows {shown:?}");
        Ok(())
    }
}

/// The file that the page should save of the sweep that a link asks for.
///
/// # Errors
/// If it asks for none.
pub fn sweep_csv(link: &str) -> Result<String> {
    let (state, _) = State::from_query(link);
    let plan = wanted(&state).context("this link asks for no sweep")?;
    let mut sweeps = Sweeps::default();
    let generation = Generation(1);
    sweeps.asked(generation, plan.clone(), 0.0);
    for request in plan.requests(generation) {
        let mut runner = Runner::default();
        let mut answer = runner.handle(request);
        while answer.is_none() {
            answer = runner.tick(f64::INFINITY, || 0.0);
        }
        sweeps.apply(answer.context("there was an answer")?);
    }
    let rounds = if state.views.view == View::TradeOff { ListedRounds::Last } else { ListedRounds::All };
    Ok(table::of(sweeps.current().context("it was asked for")?, rounds).csv())
}

/// The program of the run that a link asks for, without what it says about itself at its top.
///
/// # Errors
/// If there is no such run, or it has no program.
pub fn program_of(link: &str, language: Language) -> Result<String> {
    let native = Native::of(link)?;
    let run = Run {
        generation: Generation(1),
        settings: native.settings,
        summary: native.summary,
        theory: None,
        progress: None,
    };
    Ok(program(&run, language, &[])?.text.trim_start().to_owned())
}
