//! Lessons in links: which lesson, which of its steps, and the settings that each step starts from.
//!
//! In a lesson, a link holds only the differences from the settings that its step starts from: `lesson=joining&step=2`
//! is that step unchanged, `&eps=0.5` changes ε in it. A step sets everything but the seed, so that a person keeps the
//! same clients throughout a lesson.

use super::notice::Notice;
use super::word::{Word, set_word};
use fedsysid_say::say;

/// The lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Lesson {
    /// No lesson.
    #[default]
    None,
    /// When joining pays.
    Joining,
    /// Why the error stops falling.
    Floor,
    /// Step sizes.
    Steps,
}

impl Word for Lesson {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::None, "none", "none"),
        (Self::Joining, "joining", "When does joining pay?"),
        (Self::Floor, "floor", "Why does the error stop falling?"),
        (Self::Steps, "steps", "Step size: fast, slow, broken"),
    ];
}

impl Lesson {
    /// The settings that each of its steps starts from, as queries of links.
    pub fn presets(self) -> &'static [&'static str] {
        match self {
            Self::None => &[""],
            Self::Joining => &[
                "M=4&eps=0&alg=fedlin",
                "alg=fedlin",
                "view=tradeoff&alg=fedlin",
                "eps=0.1&alg=fedlin",
                "alpha=0.0125&alg=fedlin&gradient=mean",
                "view=map&map=eps-N&alg=fedlin",
            ],
            Self::Floor => &[
                "alg=fedlin&target=mean",
                "R=20&alg=fedlin&target=mean",
                "M=5&eps=0&alg=fedlin&target=mean",
                "alg=fedlin&target=mean",
                "N=2&eps=0.05&K=50&alpha=0.004&alg=fedavg&target=mean",
                "target=mean",
            ],
            Self::Steps => &[
                "eps=0.01&alpha=0.00001&alg=fedlin",
                "eps=0.01&alpha=0.00005&alg=fedlin",
                "eps=0.01&alpha=0.001&alg=fedlin",
                "eps=0.01&alg=fedlin",
                "eps=0.01&K=1&alg=fedlin",
                "view=map&map=alpha-K&eps=0.01",
            ],
        }
    }

    /// Number of steps of the longest lesson.
    pub fn most_steps() -> usize {
        Self::ALL.iter().map(|(lesson, ..)| lesson.presets().len()).max().unwrap_or(1)
    }
}

/// A person's place in the lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Guide {
    /// The lesson.
    pub lesson: Lesson,
    /// Its step, from 0.
    pub step: usize,
    /// The lesson whose class is shown in the view of lessons.
    pub class: Lesson,
}

/// Keys of lessons in a link.
pub(super) const LESSON: &str = "lesson";
pub(super) const STEP: &str = "step";
pub(super) const CODES: &str = "codes";

impl Guide {
    /// Removes its own keys from the pairs of a link, and sets what they say; the rest stays. Returns whether the link
    /// names a lesson or a step, and the notices.
    pub(super) fn apply(&mut self, pairs: &mut Vec<(String, String)>) -> (bool, Vec<Notice>) {
        let (mut notices, mut names_step) = (Vec::new(), false);
        let mut step = None;
        pairs.retain(|(key, given)| {
            let key = key.trim();
            if key.eq_ignore_ascii_case(LESSON) {
                names_step = true;
                notices.extend(set_word(&mut self.lesson, LESSON, given));
            } else if key.eq_ignore_ascii_case(CODES) {
                notices.extend(set_word(&mut self.class, CODES, given));
            } else if key.eq_ignore_ascii_case(STEP) {
                names_step = true;
                step = Some(given.clone());
            } else {
                return true;
            }
            false
        });
        if let Some(given) = step {
            notices.extend(self.set_step(&given));
        } else if names_step {
            self.step = 0;
        }
        (names_step, notices)
    }

    /// Sets the step from a text. Called after the lesson is set, since `step` may come before `lesson` in a link.
    fn set_step(&mut self, given: &str) -> Option<Notice> {
        let n_steps = self.lesson.presets().len();
        let asked = given.trim().parse::<usize>();
        self.step = asked.clone().unwrap_or(1).clamp(1, n_steps) - 1;
        let used = self.step + 1;
        (asked != Ok(used)).then(|| Notice::not_a_choice(STEP, given, &used.to_string(), say!("1 to {n_steps}")))
    }

    /// Every key with its value.
    pub(super) fn pairs(self) -> [(&'static str, String); 3] {
        let step = (self.step + 1).to_string();
        [(CODES, self.class.word().into()), (LESSON, self.lesson.word().into()), (STEP, step)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Key, State};

    fn read(query: &str) -> (State, Vec<String>) {
        let (state, notices) = State::from_query(query);
        (state, notices.iter().map(Notice::to_string).collect())
    }

    #[test]
    fn every_preset_is_a_link_of_its_own() {
        for &(lesson, word, _) in Lesson::ALL {
            for (step, query) in lesson.presets().iter().enumerate() {
                let (state, notices) = State::from_query(query);
                assert_eq!((state.to_query().as_str(), notices), (*query, vec![]), "{word} {step}");
            }
        }
    }

    #[test]
    fn a_link_says_what_differs_from_its_step() {
        #[track_caller]
        fn check(query: &str) {
            let (state, notices) = read(query);
            assert_eq!((state.to_query().as_str(), notices), (query, vec![]));
        }
        check("lesson=joining");
        check("lesson=joining&step=2");
        check("lesson=joining&step=3&seed=99");
        check("lesson=joining&step=3&seed=99&systems=7");
        check("lesson=joining&step=3&view=explore&M=100");
        check("lesson=joining&M=50");
        check("codes=floor&view=lesson");
        let (state, _) = read("lesson=joining&step=1");
        assert_eq!(state.draft.get(Key::Clients).to_string(), "4");
        let (state, _) = read("M=9&step=2&lesson=joining&eps=0.5");
        assert_eq!((state.draft.get(Key::Clients), state.draft.get(Key::Heterogeneity)), (9.0, 0.5));
        assert_eq!(state.at_step(Lesson::Steps, 1).to_query(), "lesson=steps&step=2");
        let (own, _) = read("M=9&seed=8&systems=7");
        assert_eq!(own.at_step(Lesson::Steps, 1).to_query(), "lesson=steps&step=2&seed=8&systems=7");
        assert_eq!(read("lesson=joining").0.out_of_lesson().to_query(), "M=4&eps=0&alg=fedlin");
    }

    #[test]
    fn what_no_lesson_has_is_named() {
        let (state, notices) = read("lesson=cooking&step=3");
        assert_eq!(state, State::default());
        let expected = [
            "lesson = cooking is not among the choices: allowed none, joining, floor, steps, using none",
            "step = 3 is not among the choices: allowed 1 to 1, using 1",
        ];
        assert_eq!(notices, expected);
        let (state, notices) = read("lesson=steps&step=99");
        assert_eq!(state.views.guide.step, 5);
        assert_eq!(notices, ["step = 99 is not among the choices: allowed 1 to 6, using 6"]);
    }
}
