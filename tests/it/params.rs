//! Links and drafts under random and hostile input.

use std::fmt::Write;

use fedsysid::params::Word;
use fedsysid::params::choice::{Algorithm, CHOICES};
use fedsysid::params::embed::{Embed, Framing, KEYS};
use fedsysid::params::keys::{frame_rows, rows};
use fedsysid::params::link::pairs;
use fedsysid::params::paper::Switch;
use fedsysid::params::pins;
use fedsysid::params::state::LINK_CHARS;
use fedsysid::params::systems::{MOST_ENTRY, MOST_INPUTS, MOST_STATES};
use fedsysid::params::table::TABLE;
use fedsysid::params::views::{BESIDE_KEYS, SweepOf};
use fedsysid::params::{Algorithms, Draft, Key, Pin, State, Systems};
use fedsysid::sim::Matrix;
use fedsysid::sim::study::Study;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A draft with random settings: defaults, slider stops and values between stops.
fn random_draft(rng: &mut ChaCha8Rng) -> Draft {
    let mut draft = Draft::default();
    for param in &TABLE {
        let (min, max) = (param.grid.min(), param.grid.max());
        let between = min + (max - min) * rng.random::<f64>();
        let value = match rng.random_range(0..3) {
            // Keeps the default; without a seed of their own, the systems take the general one.
            0 => continue,
            1 => param.grid.at(rng.random_range(0..=param.grid.last())),
            _ if param.grid.is_whole() => between.floor(),
            _ => between,
        };
        assert_eq!(draft.set(param.key, value), None, "{} {value}", param.link);
    }
    draft.algorithms =
        Algorithm::ALL.into_iter().fold(Algorithms::NONE, |set, algorithm| set.with(algorithm, rng.random()));
    if rng.random() {
        draft.systems = random_systems(rng);
    }
    for spec in &CHOICES {
        let option = &spec.options[rng.random_range(0..spec.options.len())];
        assert_eq!(draft.choose(spec.choice, option.word), None);
    }
    draft
}

/// A family of any size; entries are short or long, tiny or huge, and often equal to those of a default.
fn random_systems(rng: &mut ChaCha8Rng) -> Systems {
    let (n, p) = (rng.random_range(1..=MOST_STATES), rng.random_range(1..=MOST_INPUTS));
    let mut matrix = |rows, cols| {
        Matrix::from_fn(rows, cols, |_, _| match rng.random_range(0..5) {
            0 => 0.0,
            1 => 1.0,
            2 => f64::from(rng.random_range(-99..100)) / 100.0,
            3 => (2.0 * rng.random::<f64>() - 1.0) * MOST_ENTRY,
            _ => (2.0 * rng.random::<f64>() - 1.0) * 10.0_f64.powi(rng.random_range(-20..1)),
        })
    };
    let (a, b, v, u) = (matrix(n, n), matrix(n, p), matrix(n, n), matrix(n, p));
    let (v, u) = if rng.random() { (a.clone(), b.clone()) } else { (v, u) };
    Systems::new([a, b, v, u]).expect("shapes fit, entries are within limits")
}

/// A link with one to four bytes replaced, inserted or removed, or with a part of it repeated.
fn mutated(link: &str, rng: &mut ChaCha8Rng) -> String {
    const BYTES: &[u8] = b"0123456789.,;-+eE=&%#? MNKRTABVUqalphsdxyz[]\"<>\0\xff\xce\xb5";
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
}

#[test]
fn every_draft_survives_its_link() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..2_000 {
        let draft = random_draft(&mut rng);
        let link = draft.to_query();
        assert_eq!(Draft::from_query(&link), (draft, vec![]), "{link}");
        let harmless = |c: char| c.is_ascii_alphanumeric() || "&=.,;-".contains(c);
        assert!(link.chars().all(harmless), "{link} needs no percent-encoding");
    }
}

#[test]
fn a_link_with_matrices_of_the_papers_size_stays_short() {
    let mut draft = Draft::default();
    draft.systems = Systems::new([
        Matrix::from_row_slice(3, 3, &[0.98, 0.05, 0.0, -0.12, 0.87, 0.1, 0.0, 0.25, 0.75]),
        Matrix::from_row_slice(3, 2, &[0.5, 0.0, 0.0, 0.125, 0.25, 0.0]),
        Matrix::from_row_slice(3, 3, &[0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.2]),
        Matrix::zeros(3, 2),
    ])
    .unwrap();
    let link = draft.to_query();
    assert_eq!(
        link,
        "A=0.98,0.05,0;-0.12,0.87,0.1;0,0.25,0.75&B=0.5,0;0,0.125;0.25,0&V=0,0,0;0.5,0,0;0,0,0.2&U=0,0;0,0;0,0"
    );
    assert_eq!(Draft::from_query(&link), (draft, vec![]));
}

/// No mutation of a link breaks the page, and every pair either has its written value or is named in exactly one
/// notice.
#[test]
fn mutated_links_start_the_page_and_every_problem_is_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut n_named = 0;
    for _ in 0..10_000 {
        let link = mutated(&random_draft(&mut rng).to_query(), &mut rng);
        let (draft, notices) = Draft::from_query(&link);
        assert_within_limits(&draft, &link);
        assert!(draft.check().is_ok(), "{link}");
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

/// Checks that pairs without a notice are settings, each given once, and that the draft holds exactly their values.
#[track_caller]
fn check_silent_pairs(draft: &Draft, silent: &[(String, String)], link: &str) {
    let (alone, notices) = Draft::from_pairs(silent);
    assert_eq!(notices, [], "{link}");
    let (pairs, pairs_alone) = (draft.pairs(), alone.pairs());
    for (key, _) in silent {
        let is_key = |pair: &&(&str, String)| pair.0.eq_ignore_ascii_case(key.trim());
        assert_eq!(pairs.iter().find(is_key), pairs_alone.iter().find(is_key), "{key} in {link}");
    }
    for (key, text) in silent.iter().filter(|(key, _)| key == Key::Heterogeneity.param().link) {
        let plain = text.trim().replace(',', ".");
        if let Ok(value) = plain.parse::<f64>() {
            assert_eq!(draft.get(Key::Heterogeneity).to_string(), (value + 0.0).to_string(), "{key} in {link}");
        }
    }
}

/// The documented table of keys, generated from the tables that define them.
fn parameters_md() -> String {
    let code = |text: &str| if text.is_empty() { String::new() } else { format!("`{text}`") };
    let mut text = String::from(
        "# Every setting of a link\n\n\
         Made from the tables in `src/params` by `cargo xtask golden`; a test holds the two together.\n\n\
         A link is the page's address with `key=value` pairs: `?M=100&eps=0.1&seed=3`. Keys may come in any order, in capitals or\n\
         not. What is left out has its default; what is not allowed is replaced, and named on the page. Numbers have a decimal\n\
         point; a comma is understood too (`eps=0,1`), and so are `1e-4` and `2·10^-4`. Links of more than 2000 characters are cut by\n\
         some programs: save a scenario file instead.\n",
    );
    for row in rows() {
        let symbol = if row.symbol.is_empty() { String::new() } else { format!(", {}", row.symbol) };
        let stops = if row.stops == 0 { String::new() } else { format!("; {} stops of its slider", row.stops) };
        let views: Vec<_> = row.views.iter().map(|view| view.word()).collect();
        let views = if views.is_empty() { "all".to_owned() } else { views.join(", ") };
        let _ = write!(
            text,
            "\n## `{}`\n\n{}{symbol}. {}\n\n| | |\n| --- | --- |\n| allowed | {}: {}{stops} |\n| without it | {} |\n| views | {views} |\n",
            row.key,
            row.name,
            row.help,
            row.kind,
            row.allowed,
            code(&row.default),
        );
        for (word, help) in options(row.key) {
            let _ = writeln!(text, "| `{word}` | {help} |");
        }
    }
    text + FILES
}

/// The documentation of scenario files.
const FILES: &str = r#"
# Scenario files

"Save scenario" writes all of this as JSON, with every setting, so that a file means the same when defaults change:

```json
{
  "format": "fedsysid-scenario",
  "version": 1,
  "program": "0.1.0",
  "settings": { "M": 50, "eps": 0.3, "alg": ["fedlin", "fedavg"], "schedule": "constant" },
  "pins": [{ "name": "few", "M": 5 }]
}
```

`format` and `version` must be there; `program` is not read. In `settings` stand the keys above: numbers as numbers (or as texts, as in a
link), several words as a list of texts, matrices as lists of rows. A pin has a name and what differs from the settings. What cannot be used
is replaced and named, as in a link; a file that is not a scenario, or is of a later version, changes nothing.
"#;

/// The words that a key takes, with the help for each.
fn options(key: &str) -> Vec<(&'static str, &'static str)> {
    let spec = CHOICES.iter().find(|spec| spec.link == key);
    spec.map(|spec| spec.options.iter().map(|option| (option.word, option.help())).collect()).unwrap_or_default()
}

#[test]
fn the_documented_settings_are_the_real_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/parameters.md");
    let expected = parameters_md();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == expected,
        "docs/parameters.md is not what the tables say any more: run this test with UPDATE_GOLDEN=1"
    );
}

/// Every key of embedding is documented, and every documented key is read.
#[test]
fn every_key_of_frames_is_documented_and_read() {
    let documented: Vec<_> = frame_rows().iter().map(|row| row.key).collect();
    assert_eq!(documented, KEYS);
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/embedding.md")).unwrap();
    let (_, table) = text.split_once("<!-- keys -->").unwrap();
    let (table, _) = table.split_once("<!-- end of keys -->").unwrap();
    let in_the_text: Vec<_> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(in_the_text, KEYS);
    for key in KEYS {
        let mut pairs = vec![(key.to_owned(), "~,~".to_owned())];
        Embed::take(&mut pairs, Framing::Alone);
        assert!(pairs.is_empty(), "{key} is not read");
    }
}

/// The documented table of keys for frames is the page's own.
#[test]
fn the_documented_keys_of_frames_are_the_real_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/embedding.md");
    let rows = frame_rows()
        .into_iter()
        .map(|row| format!("| `{}` | {} | {} | {} | {} |\n", row.key, row.name, row.allowed, row.default, row.help));
    let table = format!(
        "| key | sets | allowed | without it | |\n| --- | --- | --- | --- | --- |\n{}",
        rows.collect::<String>()
    );
    let found = std::fs::read_to_string(path).unwrap();
    let (before, rest) = found.split_once("<!-- keys -->\n").unwrap();
    let (old, after) = rest.split_once("<!-- end of keys -->").unwrap();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, format!("{before}<!-- keys -->\n{table}<!-- end of keys -->{after}")).unwrap();
        return;
    }
    assert!(old == table, "the keys in docs/embedding.md are others now: run this test with UPDATE_GOLDEN=1");
}

/// Every documented key can stand in a link and has the documented default, and every key that a link may hold is
/// documented.
#[test]
fn documented_keys_work_and_written_keys_are_documented() {
    let rows = rows();
    for row in rows.iter().filter(|row| row.default != "none") {
        let (state, notices) = State::from_query(&format!("{}={}", row.key, row.default));
        assert_eq!((state, notices), (State::default(), vec![]), "{}", row.key);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..200 {
        for (key, _) in random_state(&mut rng).pairs() {
            assert!(rows.iter().any(|row| row.key == key), "{key}");
        }
    }
    let keys: std::collections::BTreeSet<_> = rows.iter().map(|row| row.key.to_lowercase()).collect();
    assert_eq!(keys.len(), rows.len(), "no key stands twice");
}

/// Characters for random names.
const LETTERS: &[char] = &['a', 'B', ' ', '~', ':', '&', '=', '#', '%', '+', 'ε', '日', '"', '<', '\\', ';', ','];

/// A state with any view, any sweep, and any pins with any settings and names.
fn random_state(rng: &mut ChaCha8Rng) -> State {
    let mut state = State { draft: random_draft(rng), ..State::default() };
    let views = &mut state.views;
    views.view = pick(rng);
    views.map = pick(rng);
    views.figure = pick(rng);
    views.guide.class = pick(rng);
    views.guide.lesson = pick(rng);
    views.guide.step = rng.random_range(0..views.guide.lesson.presets().len());
    for (switch, ..) in Switch::ALL {
        let options = switch.options();
        assert!(views.switches.choose(*switch, options[rng.random_range(0..options.len())].0));
    }
    let key = BESIDE_KEYS[rng.random_range(0..BESIDE_KEYS.len())];
    views.beside = rng.random::<bool>().then(|| (key, state.draft.get(key)));
    views.set_across(pick(rng));
    views.sweep = rng.random::<bool>().then(|| SweepOf::begun(key)).flatten();
    for _ in 0..rng.random_range(0..=pins::MOST) {
        let mut pin = Pin::new(random_draft(rng), &state.pins);
        let name: String = (0..rng.random_range(0..12)).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]).collect();
        assert_eq!(pin.rename(&name), None);
        state.pins.push(pin);
    }
    state
}

fn pick<W: Word>(rng: &mut ChaCha8Rng) -> W {
    W::ALL[rng.random_range(0..W::ALL.len())].0
}

#[test]
fn every_state_survives_its_link() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..1_000 {
        let state = random_state(&mut rng);
        let link = state.to_query();
        assert_eq!(State::from_query(&link), (state, vec![]), "{link}");
        let harmless = |c: char| c.is_ascii_alphanumeric() || "&=.,;:~+-*_%".contains(c);
        assert!(link.chars().all(harmless), "{link} needs no percent-encoding");
    }
}

#[test]
fn mutated_states_start_the_page_and_every_problem_is_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let keys: Vec<_> = rows().iter().map(|row| row.key).collect();
    let mut n_named = 0;
    for _ in 0..10_000 {
        let link = mutated(&random_state(&mut rng).to_query(), &mut rng);
        let (state, notices) = State::from_query(&link);
        assert_within_limits(&state.draft, &link);
        assert!(state.pins.len() <= pins::MOST && state.pins.iter().all(|pin| !pin.name.is_empty()), "{link}");
        for pin in &state.pins {
            assert_within_limits(&pin.draft, &link);
        }
        assert_eq!(State::from_query(&state.to_query()), (state.clone(), vec![]), "{link}");
        // Every unknown key is named.
        let unknown =
            pairs(&link).into_iter().filter(|(key, _)| !keys.iter().any(|row| row.eq_ignore_ascii_case(key.trim())));
        for (key, given) in unknown {
            assert!(notices.iter().any(|notice| notice.key == key && notice.given == given), "{key} in {link}");
        }
        n_named += notices.len();
    }
    assert!(n_named > 5_000, "the mutations hardly hurt: {n_named}");
}

/// A link with a system of its own and four pins must be short enough for the programs that send links.
#[test]
fn a_link_with_pins_is_short() {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    for _ in 0..100 {
        let mut state = State { draft: random_draft(&mut rng), ..State::default() };
        let texts =
            ["0.98,0.05,0;-0.12,0.87,0.1;0,0.25,0.75", "0.5,0;0,0.125;0.25,0", "0,0,0;1,0,0;0,0,0", "0,0;0,1;0,0"];
        state.draft.systems = Systems::default().with_texts(texts.map(Some)).0;
        for (param, schedule) in TABLE.iter().zip(CHOICES[0].options) {
            let mut draft = state.draft.clone();
            draft.set(param.key, param.grid.at(7));
            draft.choose(CHOICES[0].choice, schedule.word);
            state.pins.push(Pin::new(draft, &state.pins));
        }
        let link = state.to_query();
        assert!(link.len() < LINK_CHARS, "{} characters: {link}", link.len());
    }
}

/// A state read back from its link runs to exactly the same numbers.
#[test]
fn a_state_and_its_link_run_to_the_same_bits() {
    let run = |draft: &Draft| Study::new(draft.check().unwrap()).run();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    for _ in 0..50 {
        let mut state = State { draft: random_draft(&mut rng), ..State::default() };
        for (key, most) in [(Key::Clients, 20), (Key::Trials, 3), (Key::Rounds, 30), (Key::RolloutLen, 10)] {
            state.draft.set(key, f64::from(rng.random_range(1..=most)));
        }
        state.pins.push(Pin::new(state.draft.clone(), &[]));
        let link = state.to_query();
        let (again, _) = State::from_query(&link);
        let (before, after) = (run(&state.draft), run(&again.draft));
        // Compared as debug texts: NaN is one of the values that must come back.
        assert_eq!(format!("{before:?}"), format!("{after:?}"), "{link}");
        assert_eq!(format!("{before:?}"), format!("{:?}", run(&again.pins[0].draft)), "{link}");
    }
}
