//! Tests with random settings: the page's statements hold, and its advice works.

use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::tests::complete;
use crate::dashboard::run::badge::badges;
use crate::dashboard::run::bound;
use crate::dashboard::run::captions::caption;
use crate::dashboard::run::complaints::complaints;
use crate::dashboard::run::join;
use crate::dashboard::run::outlook::outlook;
use crate::dashboard::run::verdict::{best, verdict};
use crate::dashboard::views::family::{self, Family};
use crate::dashboard::views::tradeoff::{self, TradeOff};
use crate::params::choice::{Algorithm, Algorithms, Choice};
use crate::params::views::{Across, SweepOf, Upward};
use crate::params::{Draft, Key, Notice, View, Views};
use crate::protocol::Generation;
use crate::sim::scenario::Scenario;
use crate::sim::study::Study;
use crate::theory::Theory;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Number of experiments.
const SCENARIOS: u64 = 100;

/// Random settings of all kinds, including extreme ones.
fn random(rng: &mut ChaCha8Rng) -> Draft {
    let mut draft = Draft::default();
    let pick = |rng: &mut ChaCha8Rng, all: &[f64]| all[rng.random_range(0..all.len())];
    let usually = |rng: &mut ChaCha8Rng, key: Key, draft: &mut Draft, all: &[f64]| {
        if rng.random_ratio(1, 3) {
            let v = pick(rng, all);
            draft.set(key, v);
        }
    };
    draft.set(Key::Trials, pick(rng, &[1.0, 2.0, 5.0, 10.0]));
    usually(rng, Key::Clients, &mut draft, &[1.0, 2.0, 3.0, 10.0, 200.0]);
    usually(rng, Key::Rollouts, &mut draft, &[1.0, 2.0, 5.0, 100.0, 1000.0, 1e9]);
    usually(rng, Key::Heterogeneity, &mut draft, &[0.0, 0.01, 0.1, 0.7, 1.0]);
    usually(rng, Key::LocalSteps, &mut draft, &[1.0, 2.0, 50.0, 100.0]);
    usually(rng, Key::StepSize, &mut draft, &[1e-6, 1e-5, 1e-3, 2e-3, 1e-2, 0.1]);
    usually(rng, Key::Rounds, &mut draft, &[1.0, 2.0, 10.0, 1000.0]);
    usually(rng, Key::RolloutLen, &mut draft, &[1.0, 2.0, 20.0, 100.0]);
    usually(rng, Key::Seed, &mut draft, &[1.0, 2.0, 3.0, 4.0]);
    for (key, all) in [
        (Key::Participation, &[0.0, 0.1, 0.5, 0.9][..]),
        (Key::RolloutsSpread, &[2.0, 10.0, 100.0]),
        (Key::LocalStepsSpread, &[2.0, 5.0]),
        (Key::InitialStd, &[0.0, 0.1, 10.0]),
        (Key::InputStd, &[0.0, 0.1, 5.0]),
        (Key::NoiseStd, &[0.0, 0.01, 0.1, 10.0]),
        (Key::NoiseSpread, &[2.0, 10.0]),
        (Key::Weight, &[0.1, 1.0]),
        (Key::Personal, &[0.5, 5.0]),
        (Key::Pull, &[0.0, 5.0]),
        (Key::Clusters, &[1.0, 3.0]),
        (Key::Sparsity, &[0.1, 1.0]),
    ] {
        if rng.random_ratio(1, 8) {
            let v = pick(rng, all);
            draft.set(key, v);
        }
    }
    for choice in
        [Choice::Schedule, Choice::Start, Choice::Target, Choice::Placement, Choice::Sampling, Choice::Gradient]
    {
        if rng.random_ratio(1, 6) {
            let options = choice.spec().options;
            let word = options[rng.random_range(0..options.len())].word;
            draft.choose(choice, word);
        }
    }
    if rng.random_ratio(1, 3) {
        let mut set = Algorithms::NONE;
        for algorithm in [
            Algorithm::FedLin,
            Algorithm::FedAvg,
            Algorithm::FedProx,
            Algorithm::Scaffold,
            Algorithm::FedAdmm,
            Algorithm::Clustered,
            Algorithm::Median,
        ] {
            set = set.with(algorithm, rng.random_ratio(1, 3));
        }
        draft.algorithms = set;
    }
    if rng.random_ratio(1, 6) {
        let texts = ["0.5", "1.2", "2", "0.99,0.1;0,0.9", "1", "0"];
        let text = texts[rng.random_range(0..texts.len())];
        let (systems, _) = draft.systems.with_texts([Some(text), None, None, None]);
        draft.systems = systems;
    }
    draft
}

fn run_of(draft: &Draft) -> Run {
    let settings = draft.settings();
    let study = Study::new(Scenario::new(settings.clone()).unwrap());
    let theory = Some(Box::new(Theory::of(study.experiment())));
    Run { generation: Generation(1), settings, summary: study.run(), theory, progress: None }
}

fn drafts(from: u64) -> impl Iterator<Item = Draft> {
    (from..from + SCENARIOS).map(|seed| random(&mut ChaCha8Rng::seed_from_u64(seed)))
}

fn times(draft: &mut Draft, key: Key, factor: f64) -> Option<Notice> {
    draft.set(key, draft.get(key) * factor)
}

/// Follows the advice of a complaint.
fn follow(draft: &mut Draft, said: &str) {
    let advice = said.trim_end_matches('.').rsplit(". ").next().unwrap_or_default();
    let number = |text: &str| crate::params::parse::real(text).unwrap();
    match advice.rsplit(": ").next().unwrap_or_default() {
        _ if advice.starts_with("Raise σᵤ") => draft.set(Key::InputStd, 1.0),
        _ if advice.starts_with("Raise σₓ") => draft.set(Key::InitialStd, 1.0),
        "Raise N or T" => times(draft, Key::Rollouts, 3.0),
        "Lower T or ε" | "Lower T" | "lower T" => {
            assert!(draft.get(Key::RolloutLen) > 1.0, "{said}");
            times(draft, Key::RolloutLen, 0.5)
        }
        "take means for gradients" => {
            assert_eq!(draft.choice(Choice::Gradient), 0, "{said}");
            draft.choose(Choice::Gradient, "mean")
        }
        "Lower the step size α" => times(draft, Key::StepSize, 0.1),
        step => {
            let step = step.strip_prefix("Lower the step size α to ").unwrap_or_else(|| panic!("{said}"));
            assert!(number(step) < draft.get(Key::StepSize), "{said}");
            draft.set(Key::StepSize, number(step))
        }
    };
}

/// Following the advice of each complaint leads to settings without complaints.
#[test]
fn what_is_said_to_help_does() {
    let mut n_complaints = 0;
    for draft in drafts(100_000) {
        let (link, mut draft, mut heard) = (draft.to_query(), draft, Vec::new());
        while let Some(said) = complaints(&run_of(&draft), false).into_iter().next() {
            follow(&mut draft, &said);
            heard.push(said);
            assert!(heard.len() <= 15, "{link}: {heard:#?}");
        }
        n_complaints += heard.len();
    }
    assert!(n_complaints > 30, "{n_complaints}");
}

/// The step size on a button leads to settings at which nothing diverges.
#[test]
fn the_step_on_a_button_is_one_with_which_nothing_diverges() {
    for draft in drafts(200_000) {
        let full = run_of(&draft);
        if full.summary.methods.iter().any(|method| method.largest_step.is_none() && method.n_diverged > 0) {
            // A diverging method without a largest step size: the buttons tell nothing about it.
            continue;
        }
        let is_full = full.settings.participation.is_full(full.settings.n_clients);
        for badge in badges(&full).into_iter().filter(|_| is_full) {
            let Some((step, _)) = badge.suggestion else { continue };
            let mut set = draft.clone();
            set.set(Key::StepSize, step);
            let run = run_of(&set);
            assert!(run.summary.methods.iter().all(|method| method.n_diverged == 0), "{step}: {}", draft.to_query());
        }
    }
}

/// The suggested remedy lowers the predicted error.
#[test]
fn remedies_lower_the_error() {
    let mut n_remedies = 0;
    for draft in drafts(300_000) {
        let run = run_of(&draft);
        let said = verdict(&run);
        let Some((_, remedy)) = said.split_once(" of what is left is ") else { continue };
        let (method, _) = best(&run).unwrap();
        let expected = |run: &Run| {
            let theory = run.theory.as_ref().unwrap();
            let of_method = theory.methods.iter().find(|theory| theory.method.solver == method.solver).unwrap();
            of_method.prediction.as_ref().map_or(f64::INFINITY, |prediction| *prediction.means.last().unwrap())
        };
        let before = expected(&run);
        let check = |change: &dyn Fn(&mut Draft)| {
            let mut after = draft.clone();
            change(&mut after);
            let after = expected(&run_of(&after));
            assert!(after < before, "{said}: {before} and then {after} at {}", draft.to_query());
        };
        n_remedies += 1;
        if remedy.contains("more rounds would help") {
            check(&|draft| drop(times(draft, Key::Rounds, 2.0)));
        } else if remedy.contains("a smaller ε would") {
            check(&|draft| drop(times(draft, Key::Heterogeneity, 0.5)));
        } else if remedy.contains("more data") {
            check(&|draft| {
                times(draft, Key::Rollouts, 2.0);
                times(draft, Key::StepSize, if remedy.contains("smaller steps") { 0.5 } else { 1.0 });
            });
            if draft.get(Key::Heterogeneity) <= 0.0 {
                check(&|draft| drop(times(draft, Key::Clients, 2.0)));
            }
        } else {
            assert!(remedy.contains("fewer local steps would help"), "{said}");
            check(&|draft| drop(times(draft, Key::LocalSteps, 0.5)));
        }
    }
    assert!(n_remedies > SCENARIOS / 4, "{n_remedies}");
}

/// Sentences contain no NaN, no plural of one and no factor of one.
#[track_caller]
fn reads_well(said: &str, link: &str) {
    const WRONG: [&str; 12] =
        ["NaN", "inf", "not a number", "∞-fold", "∞ times", " 1.0-fold", " 1.00-fold", "  ", "..", ". .", ": No ", "{"];
    for wrong in WRONG {
        assert!(!said.contains(wrong), "{wrong:?} in {said:?} at {link}");
    }
    let words: Vec<_> = said.split(' ').map(|word| word.trim_matches([',', ';', '.', ':', '(', ')'])).collect();
    for pair in words.windows(2).filter(|pair| pair[0] == "1") {
        let plural = ["clients", "rounds", "data", "steps", "samples", "rollouts", "values"];
        let is_data_set = pair[1] == "data" && !said.contains("1 data sets");
        assert!(is_data_set || !plural.contains(&pair[1]), "{pair:?} in {said:?} at {link}");
    }
    for sentence in said.split(". ").filter(|sentence| !sentence.is_empty()) {
        let first = sentence.chars().next().unwrap_or('A');
        assert!(
            !first.is_lowercase() || "αερσ".contains(first) || is_name(sentence),
            "{sentence:?} in {said:?} at {link}"
        );
    }
}

/// Names of algorithms and sentences about clients begin with small letters.
fn is_name(sentence: &str) -> bool {
    ["clustered", "median", "client"].iter().any(|name| sentence.starts_with(name))
}

#[test]
fn every_sentence_reads_well() {
    for draft in drafts(400_000) {
        let (run, link) = (run_of(&draft), draft.to_query());
        let mut said = vec![verdict(&run), caption(&run), outlook(&run), bound::words(&run), bound::break_even(&run)];
        assert!(!said[0].is_empty(), "no verdict at {link}");
        said.extend(complaints(&run, false));
        said.extend(badges(&run).into_iter().map(|badge| badge.words));
        for join in join::joins(&run) {
            said.extend(join.dots.iter().take(3).map(|dot| join::reading(&run, &join, dot.client)));
            said.push(join.words);
        }
        for said in said {
            reads_well(&said, &link);
        }
    }
}

#[test]
fn every_sentence_of_a_sweep_reads_well() {
    for mut draft in drafts(500_000).take(12) {
        draft.set(Key::Clients, draft.get(Key::Clients).min(20.0));
        draft.set(Key::Rounds, draft.get(Key::Rounds).min(50.0));
        draft.set(Key::RolloutLen, draft.get(Key::RolloutLen).min(10.0));
        let link = draft.to_query();
        for across in [Across::Heterogeneity, Across::Clients, Across::Rollouts] {
            let views = Views { view: View::TradeOff, across, ..Views::default() };
            let sweep = complete(&tradeoff::plan(&draft, &views));
            let now = draft.get(across.key());
            let trade_off = TradeOff { sweep: &sweep, before: None, across, beside: None, now };
            for said in [trade_off.sentence(), trade_off.bound(), tradeoff::caption(&trade_off)] {
                reads_well(&said, &link);
            }
        }
        for key in [Key::Clients, Key::Heterogeneity, Key::StepSize, Key::Seed] {
            let of = SweepOf::begun(key).unwrap();
            let sweep = complete(&family::plan(&draft, &of));
            for method in 0..draft.settings().methods.len() {
                let family = Family { sweep: &sweep, of: &of, method, upward: Upward::Error };
                reads_well(&family.sentence(), &link);
                reads_well(&family.caption(), &link);
            }
        }
    }
}
