//! The live state and its run, as lessons see them: texts read their numbers here by name, and steps their conditions.

use super::guess::{Guess, Kind};
use super::progress::Kept;
use super::texts::{self, Texts};
use super::{code, guess, kind};
use crate::dashboard::results::Run;
use crate::figure::number::percent;
use crate::figure::number::{count, measured, number};
use crate::params::{Key, Lesson, State};
use crate::sim::estimate::Reference;
use crate::sim::stability::half_life;
use crate::sim::study::{MethodSummary, Summary};
use crate::theory::break_even::BreakEven;
use crate::theory::prediction::{Limit, Parts};
use crate::theory::{MethodTheory, Theory};
use fedsysid_say::fill_by_name;

/// The state of a lesson's step.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// All settings.
    pub state: &'a State,
    /// The run of exactly these settings, once it is complete.
    pub run: Option<&'a Run>,
    /// Progress in the lesson.
    pub kept: Option<&'a Kept>,
}

/// Numbers that stand for the break-even ε if joining pays at every ε considered, or at none.
const ALWAYS: f64 = 10.0;
const NEVER: f64 = 1e-5;

fn break_even(theory: &Theory) -> Option<f64> {
    Some(match theory.break_even.ok()? {
        BreakEven::At(epsilon) => epsilon,
        BreakEven::Beyond(_) => ALWAYS,
        BreakEven::Never => NEVER,
    })
}

/// True value of the guessed quantity of a lesson, and the final error, from a run and its theory.
pub fn found(lesson: Lesson, summary: &Summary, theory: &Theory) -> Option<(f64, f64)> {
    let error = summary.methods.first()?.errors.last()?.mean();
    let limit = || theory.methods.first()?.prediction.as_ref().ok()?.limit;
    let result = match lesson {
        Lesson::None => return None,
        Lesson::Joining => break_even(theory)?,
        Lesson::Floor => limit()?.mean,
        Lesson::Steps => {
            let predicted = theory.methods.first()?.prediction.as_ref().ok()?;
            let points = theory.rounds.iter().map(|&round| round as f64).zip(predicted.means.iter().copied());
            guess::knee(&points.collect::<Vec<_>>()).max(1.0)
        }
    };
    Some((result, error))
}

/// The guess as the one number of a result code.
fn guessed(lesson: Lesson, guess: &Guess) -> Option<f64> {
    match (lesson, kind(lesson)?) {
        (Lesson::Steps, Kind::Curve) => Some(guess.knee().max(1.0)).filter(|_| guess.is_drawn),
        _ => guess.number(),
    }
}

impl Seen<'_> {
    /// A setting.
    pub fn get(&self, key: Key) -> f64 {
        self.state.draft.get(key)
    }

    fn theory(&self) -> Option<&Theory> {
        self.run?.theory.as_deref()
    }

    /// A method of the run by its index, with its theory if there is one.
    fn method(&self, which: usize) -> Option<(&MethodSummary, Option<&MethodTheory>)> {
        let summary = self.run?.summary.methods.get(which)?;
        let theory = self.theory().and_then(|theory| theory.methods.iter().find(|t| t.method == summary.method));
        Some((summary, theory))
    }

    /// Error after the last round; infinite if a data set diverges.
    pub fn end(&self, which: usize) -> Option<f64> {
        let (summary, _) = self.method(which)?;
        let end = summary.errors.last()?.mean();
        Some(if summary.n_diverged > 0 || !end.is_finite() { f64::INFINITY } else { end })
    }

    /// Error of the client's own least squares.
    pub fn alone(&self) -> Option<f64> {
        let alone = self.run?.summary.reference(Reference::ClientAlone)?.ok()?.mean();
        alone.is_finite().then_some(alone)
    }

    /// Factor by which joining reduces the error.
    pub fn fold(&self) -> Option<f64> {
        Some(self.alone()? / self.end(0)?)
    }

    /// Error of pooled least squares.
    fn pooled(&self) -> Option<f64> {
        Some(self.run?.summary.reference(Reference::Pooled)?.ok()?.mean())
    }

    /// Excess of the first method's final error over that of pooled least squares, as a share of the latter.
    pub fn above_pooled(&self) -> Option<f64> {
        Some(self.end(0)? / self.pooled()? - 1.0)
    }

    /// The break-even ε.
    pub fn break_even(&self) -> Option<f64> {
        break_even(self.theory()?)
    }

    /// Parts of a method's mean square error after the last round, as shares of their sum.
    pub fn shares(&self, which: usize) -> Option<Parts> {
        let parts = self.method(which)?.1?.prediction.as_ref().ok()?.parts.last().copied()?;
        let of = |part: f64| part / parts.total();
        Some(Parts {
            transient: of(parts.transient),
            noise: of(parts.noise),
            bias: of(parts.bias),
            drift: of(parts.drift),
        })
    }

    /// Predicted limit of the error.
    fn limit(&self) -> Option<Limit> {
        self.method(0)?.1?.prediction.as_ref().ok()?.limit
    }

    /// Number of rounds until the error is within a tenth of its limit; `None` if it diverges.
    pub fn rounds_needed(&self) -> Option<f64> {
        (!self.diverges()).then(|| self.limit().map(|limit| limit.n_rounds as f64)).flatten()
    }

    /// Whether any data set diverges.
    pub fn diverges(&self) -> bool {
        self.method(0).is_some_and(|(summary, _)| summary.n_diverged > 0)
    }

    /// The largest stable step size of the first method.
    pub fn edge(&self) -> Option<f64> {
        self.method(0)?.0.largest_step
    }

    fn rho(&self) -> Option<f64> {
        self.method(0)?.0.contraction
    }

    /// The guess, once the run has been shown.
    pub fn shown(&self) -> Option<&Guess> {
        self.kept.filter(|kept| kept.is_shown)?.guess.as_ref()
    }

    /// Mean errors of the first method as points (round, error).
    fn curve(&self) -> Option<Vec<(f64, f64)>> {
        let (summary, _) = self.method(0)?;
        let rounds = self.run?.summary.rounds.iter().map(|&round| round as f64);
        Some(rounds.zip(summary.errors.iter().map(crate::sim::stats::Running::mean)).collect())
    }

    /// Sentences on the guess; empty before the run has been shown.
    pub fn judgement(&self) -> Vec<String> {
        let lesson = self.state.views.guide.lesson;
        let Some(guess) = self.shown() else { return Vec::new() };
        match kind(lesson) {
            Some(Kind::Curve) => {
                let shape = self.curve().and_then(|curve| guess::shape(guess, &curve));
                shape.map(|shape| texts::of_shape(&shape)).unwrap_or_default()
            }
            Some(Kind::Place) => {
                let places = guess.number().zip(self.break_even());
                places.map(|(drawn, truth)| vec![texts::of_place(drawn, truth)]).unwrap_or_default()
            }
            None => Vec::new(),
        }
    }

    /// The result code of the findings.
    pub fn code(&self) -> Option<String> {
        let lesson = self.state.views.guide.lesson;
        let kept = self.kept?;
        let (result, error) = kept.found?;
        let guess = guessed(lesson, self.shown()?);
        Some(code::Found { lesson, guess, result: Some(result), error: Some(error) }.code())
    }

    /// A number in a text, by its name.
    pub fn value(&self, name: &str) -> Option<String> {
        let three = |value: f64| measured(value, 3);
        let whole = |key| count(number_of(self.get(key)));
        let samples = self.get(Key::Rollouts) * self.get(Key::RolloutLen);
        let share = |which, pick: fn(&Parts) -> f64| self.shares(which).map(|parts| percent(pick(&parts)));
        Some(match name {
            "M" => whole(Key::Clients),
            "N" => whole(Key::Rollouts),
            "K" => whole(Key::LocalSteps),
            "R" => whole(Key::Rounds),
            "T" => whole(Key::RolloutLen),
            "eps" => number(self.get(Key::Heterogeneity)),
            "alpha" => number(self.get(Key::StepSize)),
            "samples" => count(number_of(samples)),
            "all_samples" => count(number_of(samples * self.get(Key::Clients))),
            "root_M" => measured(self.get(Key::Clients).sqrt(), 2),
            "alone" => three(self.alone()?),
            "end" => three(self.end(0)?),
            "pooled" => three(self.pooled()?),
            "above" => percent(self.above_pooled()?),
            "fold" => measured(self.fold()?, 2),
            "start" => three(self.curve()?.first()?.1),
            "break_even" => match self.theory()?.break_even {
                // No farther than it is known.
                Ok(BreakEven::Beyond(farthest)) => measured(farthest, 2),
                _ => measured(self.break_even()?, 2),
            },
            "noise" => share(0, |parts| parts.noise)?,
            "bias" => share(0, |parts| parts.bias)?,
            "drift" => share(0, |parts| parts.drift)?,
            "transient" => share(0, |parts| parts.transient)?,
            "second_drift" => share(1, |parts| parts.drift)?,
            "rho" => three(self.rho()?),
            "half" => measured(half_life(self.rho()?)?, 2),
            "rounds" => count(number_of(self.rounds_needed()?)),
            "edge" => three(self.edge()?),
            "over" => measured(self.get(Key::StepSize) / self.edge()?, 2),
            _ => return None,
        })
    }

    /// A text with its numbers filled in; "…" stands for a number that is not known yet.
    pub fn words(&self, text: &'static str) -> String {
        fill_by_name(text, |name| self.value(name).unwrap_or_else(|| "…".into()))
    }

    /// The paragraphs of a step whose conditions hold.
    pub fn paragraphs(&self, texts: Texts) -> Vec<String> {
        texts.iter().filter(|para| (para.when)(self)).map(|para| self.words(para.words)).collect()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
fn number_of(value: f64) -> usize {
    value as usize
}
