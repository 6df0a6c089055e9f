//! Links and drafts under random and hostile input.

use fedsysid::params::choice::{ALGORITHMS_LINK, Algorithm, CHOICES};
use fedsysid::params::link::pairs;
use fedsysid::params::paper::{PaperFigure, Switch};
use fedsysid::params::table::TABLE;
use fedsysid::params::views::{Across, BESIDE_KEYS, MOST, MapKind, Word};
use fedsysid::params::{Algorithms, Draft, Key, View};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A draft with every setting drawn: defaults, slider stops and values between stops alike.
fn random_draft(rng: &mut ChaCha8Rng) -> Draft {
    let mut draft = Draft::default();
    for param in &TABLE {
        let (min, max) = (param.grid.min(), param.grid.max());
        let between = min + (max - min) * rng.random::<f64>();
        let value = match rng.random_range(0..3) {
            0 => param.default,
            1 => param.grid.at(rng.random_range(0..=param.grid.last())),
            _ if param.grid.is_whole() => between.floor(),
            _ => between,
        };
        assert_eq!(draft.set(param.key, value), None, "{} {value}", param.link);
    }
    draft.algorithms =
        Algorithm::ALL.into_iter().fold(Algorithms::NONE, |set, algorithm| set.with(algorithm, rng.random()));
    for spec in &CHOICES {
        let option = &spec.options[rng.random_range(0..spec.options.len())];
        assert_eq!(draft.choose(spec.choice, option.word), None);
    }
    draft
}

/// A link with one to four bytes replaced, inserted or removed, or a part of it doubled.
fn mutated(link: &str, rng: &mut ChaCha8Rng) -> String {
    const BYTES: &[u8] = b"0123456789.,-+eE=&%#? MNKRTqalphsdxyz\"<>\0\xff\xce\xb5";
    let mut bytes = link.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let byte = BYTES[rng.random_range(0..BYTES.len())];
        match rng.random_range(0..4) {
            0 if at < bytes.len() => bytes[at] = byte,
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.extend_from_within(at..),
            _ => bytes.insert(at, byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[track_caller]
fn assert_within_limits(draft: &Draft, link: &str) {
    for param in &TABLE {
        let value = draft.get(param.key);
        assert!((param.grid.min()..=param.grid.max()).contains(&value), "{} = {value} from {link}", param.link);
        assert!(!param.grid.is_whole() || value.fract() == 0.0, "{} = {value} from {link}", param.link);
    }
    assert!(draft.check().is_ok(), "{link}");
}

#[test]
fn every_draft_survives_its_link() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..2_000 {
        let draft = random_draft(&mut rng);
        let link = draft.to_query();
        assert_eq!(Draft::from_query(&link), (draft, vec![]), "{link}");
        let harmless = |c: char| c.is_ascii_alphanumeric() || "&=.,".contains(c);
        assert!(link.chars().all(harmless), "{link} needs no percent-encoding");
    }
}

/// No mutation of a link breaks anything, and every pair of it either counts as written or is named exactly once.
#[test]
fn mutated_links_start_the_page_and_every_problem_is_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut n_named = 0;
    for _ in 0..10_000 {
        let link = mutated(&random_draft(&mut rng).to_query(), &mut rng);
        let (draft, notices) = Draft::from_query(&link);
        assert_within_limits(&draft, &link);
        assert_eq!(Draft::from_query(&draft.to_query()), (draft.clone(), vec![]), "{link}");
        n_named += notices.len();
        let mut notices = notices.iter().peekable();
        let mut silent = Vec::new();
        for pair in pairs(&link) {
            let names_it = |key: &str, given: &str| key.eq_ignore_ascii_case(pair.0.trim()) && given == pair.1;
            match notices.next_if(|notice| names_it(notice.key.trim(), &notice.given)) {
                Some(notice) => assert!(!notice.to_string().is_empty()),
                None => silent.push(pair),
            }
        }
        assert_eq!(notices.next(), None, "a notice without a pair from {link}");
        check_silent_pairs(&draft, &silent, &link);
    }
    assert!(n_named > 5_000, "the mutations hardly hurt: {n_named}");
}

/// Pairs without a notice are settings, each once, and the draft holds just what they say.
#[track_caller]
fn check_silent_pairs(draft: &Draft, silent: &[(String, String)], link: &str) {
    let (alone, notices) = Draft::from_pairs(silent);
    assert_eq!(notices, [], "{link}");
    for (key, _) in silent {
        let in_link =
            |draft: &Draft| draft.pairs().into_iter().find(|(other, _)| other.eq_ignore_ascii_case(key.trim()));
        assert_eq!(in_link(draft), in_link(&alone), "{key} in {link}");
    }
    for (key, text) in silent.iter().filter(|(key, _)| key == Key::Heterogeneity.param().link) {
        let plain = text.trim().replace(',', ".");
        if let Ok(value) = plain.parse::<f64>() {
            assert_eq!(draft.get(Key::Heterogeneity).to_string(), (value + 0.0).to_string(), "{key} in {link}");
        }
    }
}

/// The words of a choice of views, as the table quotes them.
fn words_of<W: Word>() -> Vec<String> {
    W::ALL.iter().map(|(_, word, _)| format!("`{word}`")).collect()
}

/// The documented table and the real one are the same, both ways.
#[test]
fn the_readme_documents_every_setting() {
    let readme = include_str!("../../README.md");
    let (_, section) = readme.split_once("| key | meaning | allowed |").unwrap();
    let rows = section.lines().skip(2).take_while(|line| line.starts_with('|'));
    let documented: Vec<(&str, &str)> = rows
        .map(|row| {
            let cells: Vec<_> = row.trim_matches('|').split('|').map(str::trim).collect();
            (cells[0].trim_matches('`'), cells[2])
        })
        .collect();
    let numbers = TABLE.iter().map(|param| (param.link, vec![param.allowed()]));
    let quoted = |words: String| words.split(", ").map(|word| format!("`{word}`")).collect::<Vec<_>>();
    let algorithms = (ALGORITHMS_LINK, quoted(Algorithms::allowed()));
    let choices = CHOICES.iter().map(|spec| (spec.link, quoted(spec.allowed())));
    let views = [
        ("view", words_of::<View>()),
        ("sweep", vec![format!("up to {MOST}")]),
        ("x", words_of::<Across>()),
        ("beside", BESIDE_KEYS.iter().map(|key| format!("`{}`", key.param().link)).collect()),
        ("map", words_of::<MapKind>()),
        ("fig", words_of::<PaperFigure>()),
    ];
    let switches = Switch::ALL.iter().map(|(switch, key, _)| {
        let options = switch.options().into_iter();
        (*key, options.map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>())
    });
    let real: Vec<_> = numbers.chain([algorithms]).chain(choices).chain(views).chain(switches).collect();
    assert_eq!(
        documented.iter().map(|row| row.0).collect::<Vec<_>>(),
        real.iter().map(|row| row.0).collect::<Vec<_>>()
    );
    for ((key, said), (_, allowed)) in documented.iter().zip(&real) {
        assert!(allowed.iter().all(|words| said.contains(words.as_str())), "{key}: {said} lacks some of {allowed:?}");
    }
}
