//! Presets: named drafts.

use super::choice::Choice;
use super::draft::Draft;
use super::table::Key;
use fedsysid_say::text;

/// A named draft, stored as its differences from the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// A short name without spaces.
    pub id: &'static str,
    name: &'static str,
    description: &'static str,
    numbers: &'static [(Key, f64)],
    choices: &'static [(Choice, &'static str)],
}

/// The paper's numbers (M, N, ε, K, α, R, q, T), written out so that they stay when the defaults change.
const PAPER: &[(Key, f64)] = &[
    (Key::Clients, 50.0),
    (Key::Rollouts, 25.0),
    (Key::Heterogeneity, 0.01),
    (Key::LocalSteps, 10.0),
    (Key::StepSize, 1e-4),
    (Key::Rounds, 200.0),
    (Key::Trials, 25.0),
    (Key::RolloutLen, 5.0),
];

/// Every preset, in the order of the page.
pub static PRESETS: [Preset; 3] = [
    Preset {
        id: "default",
        name: "Default",
        description: "Fifty clients that clearly differ: heterogeneity, no longer noise, sets the floor. Move ε to shift the balance.",
        numbers: &[],
        choices: &[],
    },
    Preset {
        id: "paper",
        name: "As printed",
        description: "The paper’s experiment as its text describes it: nearly equal clients, FedAvg’s step falling over the rounds.",
        numbers: PAPER,
        choices: &[(Choice::Schedule, "rounds")],
    },
    Preset {
        id: "authors",
        name: "Authors’ code",
        description: "The same numbers as the authors’ MATLAB runs them: FedAvg’s step is α/k, the start half of client 1’s system.",
        numbers: PAPER,
        choices: &[(Choice::Schedule, "local"), (Choice::Start, "half")],
    },
];

impl Preset {
    /// The name on the page.
    pub fn name(&self) -> &'static str {
        text(self.name)
    }

    /// One sentence about what the preset shows.
    pub fn description(&self) -> &'static str {
        text(self.description)
    }

    /// The draft of this preset.
    pub fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        for &(choice, word) in self.choices {
            draft.choose(choice, word);
        }
        for &(key, value) in self.numbers {
            draft.set(key, value);
        }
        draft
    }

    /// The preset that `draft` equals, whatever its seed and algorithms: these decide what is drawn, not what is
    /// studied.
    pub fn of(draft: &Draft) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.applied_to(draft) == *draft)
    }

    /// This preset with the seed and the algorithms of `draft`.
    pub fn applied_to(&self, draft: &Draft) -> Draft {
        let mut applied = self.draft();
        applied.algorithms = draft.algorithms;
        applied.draw_as(draft);
        applied
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_within_limits_and_found_again() {
        for preset in &PRESETS {
            let mut draft = preset.draft();
            for &(key, value) in preset.numbers {
                assert_eq!(draft.clone().set(key, value), None, "{}", preset.id);
            }
            for &(choice, word) in preset.choices {
                assert_eq!(draft.choose(choice, word), None, "{}", preset.id);
            }
            assert_eq!(Preset::of(&draft).map(|found| found.id), Some(preset.id));
            draft.set(Key::Seed, 99.0);
            assert_eq!(Preset::of(&draft).map(|found| found.id), Some(preset.id), "any seed");
            draft.draw_new_data();
            assert_eq!(Preset::of(&draft).map(|found| found.id), Some(preset.id), "any systems");
            draft.set(Key::Clients, 3.0);
            assert!(Preset::of(&draft).is_none());
        }
    }

    #[test]
    fn the_links_of_the_presets() {
        #[track_caller]
        fn check(preset: &Preset, expected: &str) {
            assert_eq!(preset.draft().to_query(), expected);
        }
        let [trade_off, paper, authors] = &PRESETS;
        check(trade_off, "");
        check(paper, "eps=0.01&schedule=rounds");
        check(authors, "eps=0.01&schedule=local&start=half");
    }
}
