//! Markup of the lessons' texts. Buttons have their action in `data-do`, and its object in further attributes.

use fedsysid_say::{say, text as text_of};
use std::fmt::Write;

use super::class::Class;
use super::guess::{Guess, Kind, ROUNDS};
use super::progress::Progress;
use super::seen::Seen;
use super::{COURSES, step_of, texts};
use crate::figure::number::{measured, number};
use crate::params::guide::Guide;
use crate::params::{Lesson, Word};
use crate::text::escaped;

/// Name of the lesson and number of the step.
pub fn head(Guide { lesson, step, .. }: Guide) -> String {
    let place = say!("Step {} of {}", step + 1, lesson.presets().len());
    format!("<b>{}</b> <span>{place}</span>", escaped(lesson.name()))
}

fn paragraphs(class: &str, texts: &[String]) -> String {
    let paragraph = |text: &String| format!("<p class={class}>{}</p>", escaped(text));
    texts.iter().map(paragraph).collect()
}

/// Explanation and task of a step.
pub fn text(seen: &Seen<'_>) -> String {
    let Guide { lesson, step, .. } = seen.state.views.guide;
    let Some(step) = step_of(lesson, step) else { return String::new() };
    paragraphs("lesson-text", &seen.paragraphs(step.words.text))
        + &paragraphs("lesson-task", &seen.paragraphs(step.words.task))
}

/// Text after a step is done: on the guess, and on the step.
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
            say!("Your result code"),
            say!("For your teacher: what you predicted and what you found. Your name is not in it.")
        ),
        None => format!(
            "<p class=quiet>{}</p>",
            say!("To get a result code, draw the prediction of this lesson and see its run.")
        ),
    }
}

/// Greeting with a student's name and seed.
pub fn hello(name: &str, seed: f64) -> String {
    let said = say!("{name}, these are your own clients (seed {seed}).");
    format!("<p class=quiet>{}</p>", escaped(&said))
}

/// The list of lessons, with the progress in each.
pub fn lessons(progress: &Progress) -> String {
    let mut html = format!(
        "<h2>{}</h2><p class=lessons-intro>{}</p><ul class=lessons>",
        say!("Lessons"),
        say!(
            "Each takes you through a few live experiments. You predict, try, and see; every number comes from the run in front of you, and you can leave at any time and keep what is set."
        )
    );
    for course in &COURSES {
        let (lesson, n) = (course.lesson, course.steps.len());
        let (about, minutes) = texts::about(lesson);
        let done = (0..n).filter(|&step| progress.is_done(lesson, step)).count();
        let (so_far, button) = if done == 0 {
            (say!("{n} steps, about {minutes} minutes"), say!("Start"))
        } else {
            (say!("{done} of {n} steps done"), say!("Go on"))
        };
        // A lesson continues at the first step that is not done.
        let next = (0..n).find(|&step| !progress.is_done(lesson, step)).unwrap_or(0);
        let (word, name) = (lesson.word(), escaped(lesson.name()));
        let step = |step: &super::Step| {
            let foretold = if step.guess.is_some() { say!(" (you predict)") } else { "" };
            format!("<li>{}{foretold}</li>", escaped(text_of(step.words.title)))
        };
        let steps: String = course.steps.iter().map(step).collect();
        let _ = write!(
            html,
            "<li><h3>{name}</h3><p>{about}</p><ol>{steps}</ol><p class=quiet>{so_far}</p>\
             <button type=button class=set-step data-do=start data-lesson={word} data-step={next} aria-label=\"{button}: {name}\">{button}</button></li>"
        );
    }
    html + "</ul>"
}

/// Introduction to the class tools.
pub fn class_intro() -> String {
    format!(
        "<h2>{}</h2><p class=lessons-intro>{}</p>",
        say!("With a class"),
        say!(
            "Everybody gets a seed of their own from their name, and so clients of their own. At the end of a lesson each has a result code of twelve characters. Paste the codes here: nothing is sent anywhere."
        )
    )
}

/// List items for the pasted lines that do not count, with the reason; then for the codes that several lines have.
pub fn bad(class: &Class) -> String {
    let item = |said: String| format!("<li>{}</li>", escaped(&said));
    let bad = class.bad.iter().map(|bad| {
        let given: String = bad.given.chars().take(40).collect();
        item(say!("Line {}, “{given}”: {}.", bad.line, bad.reason))
    });
    let again = class.again.iter().map(|again| {
        let super::class::Again { line, given, first } = again;
        item(say!("Line {line}, “{given}”: as in line {first}. It counts each time, as two people may find the same."))
    });
    bad.chain(again).collect()
}

/// The pasted names that give the same clients.
pub fn same(names: &str) -> String {
    let item = |said: &String| format!("<li>{}</li>", escaped(said));
    super::class::same(names).iter().map(item).collect()
}

/// Label of a handle.
pub fn handle_name(kind: Kind, handle: usize) -> String {
    match kind {
        Kind::Curve => {
            let round = ROUNDS.get(handle).map_or_else(|| "…".into(), |&round| number(round));
            say!("error at round {round}")
        }
        Kind::Place => say!("break-even ε").into(),
    }
}

/// Value of a handle.
pub fn handle_value(guess: &Guess, handle: usize) -> String {
    guess.values.get(handle).map(|&value| measured(value, 2)).unwrap_or_default()
}
