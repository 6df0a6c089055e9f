//! Lessons on the page: progress, hidden results, and the way from step to step.
//!
//! [`mod@panel`] is beside the live view, [`drawing`] is on its chart, and [`list`] has the lessons and the class tools.

mod drawing;
mod list;
mod panel;

use fedsysid_say::say;
use leptos::prelude::*;

use super::reactive::{effect, memo};
use super::store::Store;
use crate::dashboard::views::lesson::guess::{self, Guess, Kind};
use crate::dashboard::views::lesson::progress::Progress;
use crate::dashboard::views::lesson::seen::{self, Seen};
use crate::dashboard::views::lesson::{kind, step_of};
use crate::dashboard::words::html::unbroken;
use crate::figure::Figure;
use crate::params::Word;
use crate::params::guide::Guide;
use crate::params::{Lesson, State, View, Views};
use crate::web::preferences;

pub(super) use drawing::on_plot;
pub(super) use list::lessons;
pub(super) use panel::panel;

/// Key of the stored progress; it lasts as long as the tab is open.
const SESSION: &str = "fedsysid-lessons";

/// Progress from earlier in this tab.
pub(super) fn remembered() -> Progress {
    preferences::read_session(SESSION).map(|text| Progress::read(&text, kind)).unwrap_or_default()
}

/// The controls of the present step; `None` outside of lessons.
pub(super) fn controls(views: &Views) -> Option<&'static [&'static str]> {
    step_of(views.guide.lesson, views.guide.step).map(|step| step.controls)
}

/// Kind of the guess that is still to be made in the shown view; its results are hidden until then.
pub(super) fn veil(views: &Views, progress: &Progress) -> Option<Kind> {
    let Guide { lesson, step, .. } = views.guide;
    let kind = step_of(lesson, step)?.guess?;
    let tells = !matches!(views.view, View::Paper | View::Data | View::Lesson);
    (tells && !progress.of(lesson)?.is_shown).then_some(kind)
}

/// A figure without the curves that would reveal what is to be guessed.
pub(super) fn veiled(store: Store, figure: Option<Figure>) -> Option<Figure> {
    let mut figure = figure?;
    if let Some(kind) = store.veil.get() {
        guess::veil(&mut figure, kind);
    }
    Some(figure)
}

/// Texts that would reveal what is to be guessed; empty until then.
pub(super) fn unless_veiled(store: Store, words: impl FnOnce() -> String) -> String {
    if store.veil.get().is_some() { String::new() } else { unbroken(&words()) }
}

/// Texts that would reveal what is to be guessed; until then a hint that says why there are none.
pub(super) fn or_hint(store: Store, words: Memo<String>) -> Memo<String> {
    memo(move || if store.veil.get().is_some() { hint().into() } else { words.get() })
}

/// The hint.
pub(super) fn hint() -> &'static str {
    say!("Hidden until you have said what you expect.")
}

/// The lesson's word in a link; `None` outside of lessons.
pub(super) fn word(store: Store) -> Option<String> {
    let lesson = store.views.read().guide.lesson;
    (lesson != Lesson::None).then(|| lesson.word().to_owned())
}

/// A property of the present step's state.
fn look<T>(store: Store, look: impl FnOnce(&Seen<'_>) -> T) -> T {
    let (state, dashboard, progress) = (store.state(), store.dashboard.read(), store.lesson.read());
    let run = dashboard.run().filter(|run| run.progress.is_none() && run.settings == state.draft.settings());
    look(&Seen { state: &state, run, kept: progress.of(state.views.guide.lesson) })
}

impl Store {
    /// Edge: live state → completed steps → stored progress.
    pub(super) fn follow_lesson(self) {
        let done = memo(move || {
            look(self, |seen| {
                let Guide { lesson, step, .. } = seen.state.views.guide;
                step_of(lesson, step).is_some_and(|step| (step.done)(seen)).then_some((lesson, step))
            })
        });
        effect(move |_| {
            let Some((lesson, step)) = done.get() else { return };
            if !self.lesson.read_untracked().is_done(lesson, step) {
                self.lesson.update(|progress| {
                    progress.finish(lesson, step);
                });
            }
        });
        effect(move |_| preferences::write_session(SESSION, &self.lesson.read().words()));
    }

    fn guide(self) -> Guide {
        self.views.read_untracked().guide
    }

    /// Starts a lesson, or goes to one of its steps.
    fn go_to_step(self, lesson: Lesson, step: usize) {
        let now = self.state_now();
        if now.views.guide.lesson == Lesson::None {
            let before = State { views: Views { view: View::Explore, ..now.views.clone() }, ..now.clone() };
            self.lesson.update(|progress| progress.before = Some(before.to_query()));
        }
        self.go_to(now.at_step(lesson, step), Vec::new());
    }

    /// Shows or hides the run; stores the findings of a complete run.
    fn show(self, is_shown: bool) {
        let lesson = self.guide().lesson;
        let found = untrack(|| {
            let dashboard = self.dashboard.read();
            let run = dashboard.run().filter(|run| run.progress.is_none())?;
            seen::found(lesson, &run.summary, run.theory.as_deref()?)
        });
        self.lesson.update(|progress| {
            if let Some(kept) = progress.of_mut(lesson) {
                kept.is_shown = is_shown;
                kept.found = found.or(kept.found);
            }
        });
    }

    /// The present guess, or a blank one.
    fn drawn(self, kind: Kind) -> Guess {
        let lesson = self.views.read().guide.lesson;
        let drawn = self.lesson.read().of(lesson).and_then(|kept| kept.guess.clone());
        let drawn = drawn.filter(|guess| guess.kind == kind);
        drawn.unwrap_or_else(|| {
            let dashboard = self.dashboard.read();
            let start = dashboard.run().and_then(|run| Some(run.summary.methods.first()?.errors.first()?.mean()));
            Guess::blank(kind, start.unwrap_or(1.0))
        })
    }

    fn draw(self, kind: Kind, draw: impl FnOnce(&mut Guess)) {
        let mut drawn = untrack(|| self.drawn(kind));
        draw(&mut drawn);
        let lesson = self.guide().lesson;
        self.lesson.update(|progress| {
            if let Some(kept) = progress.of_mut(lesson) {
                kept.guess = Some(drawn);
            }
        });
    }

    /// Changes the guess, unless `draw` returns false.
    fn draw_if(self, kind: Kind, draw: impl FnOnce(&mut Guess) -> bool) {
        let mut drawn = untrack(|| self.drawn(kind));
        if draw(&mut drawn) {
            self.draw(kind, |guess| *guess = drawn);
        }
    }
}
