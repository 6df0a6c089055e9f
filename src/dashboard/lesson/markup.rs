//! What is read of the lessons, as markup. Buttons have `data-do`, and what it is done to.

use std::fmt::Write;

use super::class::Class;
use super::guess::{Guess, Kind, ROUNDS};
use super::progress::Progress;
use super::seen::Seen;
use super::{COURSES, step_of, texts};
use crate::dashboard::markup::escaped;
use crate::figure::number::{measured, number};
use crate::params::Lesson;
use crate::params::guide::Guide;
use crate::params::views::Word;

/// The lesson's name and the place of a step.
pub fn head(Guide { lesson, step, .. }: Guide) -> String {
    let place = texts::filled(texts::STEP_OF, |name| {
        Some(match name {
            "step" => step + 1,
            _ => lesson.presets().len(),
        })
        .map(|n| n.to_string())
    });
    format!("<b>{}</b> <span>{place}</span>", escaped(lesson.name()))
}

fn paragraphs(class: &str, texts: &[String]) -> String {
    let paragraph = |text: &String| format!("<p class={class}>{}</p>", escaped(text));
    texts.iter().map(paragraph).collect()
}

/// What there is to know of a step, and to do.
pub fn text(seen: &Seen<'_>) -> String {
    let Guide { lesson, step, .. } = seen.state.views.guide;
    let Some(step) = step_of(lesson, step) else { return String::new() };
    paragraphs("lesson-text", &seen.paragraphs(step.words.text))
        + &paragraphs("lesson-task", &seen.paragraphs(step.words.task))
}

/// What is said once a step is done: of a drawing, and of the step.
pub fn done(seen: &Seen<'_>) -> String {
    let Guide { lesson, step, .. } = seen.state.views.guide;
    let Some(step) = step_of(lesson, step).filter(|step| (step.done)(seen)) else { return String::new() };
    let mut said = if step.guess.is_some() { seen.judgement() } else { Vec::new() };
    said.extend(seen.paragraphs(step.words.done));
    paragraphs("lesson-done", &said)
}

/// The result code, on the last step.
pub fn code(seen: &Seen<'_>) -> String {
    let Guide { lesson, step, .. } = seen.state.views.guide;
    if lesson == Lesson::None || step + 1 < lesson.presets().len() {
        return String::new();
    }
    match seen.code() {
        Some(code) => format!(
            "<p class=lesson-code>{} <output data-testid=code>{code}</output></p><p class=quiet>{}</p>",
            texts::CODE,
            texts::CODE_ABOUT
        ),
        None => format!("<p class=quiet>{}</p>", texts::NO_CODE),
    }
}

/// Whose clients these are.
pub fn hello(name: &str, seed: f64) -> String {
    let said =
        texts::filled(texts::HELLO, |what| if what == "name" { Some(name.into()) } else { Some(seed.to_string()) });
    format!("<p class=quiet>{}</p>", escaped(&said))
}

/// The lessons to choose from, with how far somebody is in each.
pub fn lessons(progress: &Progress) -> String {
    let mut html =
        format!("<h2>{}</h2><p class=lessons-intro>{}</p><ul class=lessons>", texts::LESSONS, texts::LESSONS_INTRO);
    for course in &COURSES {
        let (lesson, n) = (course.lesson, course.steps.len());
        let (about, minutes) = texts::about(lesson);
        let done = (0..n).filter(|&step| progress.is_done(lesson, step)).count();
        let fill = |text| {
            texts::filled(text, |name| {
                Some(match name {
                    "n" => n.to_string(),
                    "done" => done.to_string(),
                    _ => minutes.to_string(),
                })
            })
        };
        let (so_far, button) =
            if done == 0 { (fill(texts::MINUTES), texts::START) } else { (fill(texts::PROGRESS), texts::CONTINUE) };
        // Where somebody goes on: at the first step that is not done.
        let next = (0..n).find(|&step| !progress.is_done(lesson, step)).unwrap_or(0);
        let (word, name) = (lesson.word(), escaped(lesson.name()));
        let _ = write!(
            html,
            "<li><h3>{name}</h3><p>{about}</p><p class=quiet>{so_far}</p>\
             <button type=button class=set-step data-do=start data-lesson={word} data-step={next} aria-label=\"{button}: {name}\">{button}</button></li>"
        );
    }
    html + "</ul>"
}

/// Above what a class needs.
pub fn class_intro() -> String {
    format!("<h2>{}</h2><p class=lessons-intro>{}</p>", texts::CLASS_TITLE, texts::CLASS_INTRO)
}

/// What of the pasted lines does not count, and why.
pub fn bad(class: &Class) -> String {
    let line = |bad: &super::class::Bad| {
        let said = texts::filled(texts::CLASS_BAD, |name| {
            Some(match name {
                "line" => bad.line.to_string(),
                "given" => bad.given.chars().take(40).collect(),
                _ => bad.reason.to_string(),
            })
        });
        format!("<li>{}</li>", escaped(&said))
    };
    class.bad.iter().map(line).collect()
}

/// A handle's name.
pub fn handle_name(kind: Kind, handle: usize) -> String {
    match kind {
        Kind::Curve => texts::filled(texts::HANDLE_CURVE, |_| ROUNDS.get(handle).map(|&round| number(round))),
        Kind::Place => texts::HANDLE_PLACE.into(),
    }
}

/// A handle's value.
pub fn handle_value(guess: &Guess, handle: usize) -> String {
    guess.values.get(handle).map(|&value| measured(value, 2)).unwrap_or_default()
}
