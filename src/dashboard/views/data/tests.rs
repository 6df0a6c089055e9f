//! A desk from the opening of files to their results.

mod choices;
mod exports;
mod files;
mod verdicts;

use super::*;
use crate::dashboard::views::data::parts::{Part, Parts};
use crate::dashboard::views::data::simulated::{Simulated, example};
use crate::dashboard::views::systems::Mode;
use crate::data::identify::Identification;
use crate::data::reader::Reader;
use crate::data::shared::Rounds;
use crate::figure::sheet::Paper;
use crate::figure::svg::Strokes;
use crate::figure::theme::Theme;
use crate::sim::scenario::Settings;
use crate::text::from_decimal;

fn settled(desk: &mut Desk) {
    desk.identify();
    while desk.work(0.0, || 1.0).is_some() {}
}

fn open(desk: &mut Desk, name: &str, text: &str) -> Result<(), String> {
    desk.open(name);
    for piece in text.as_bytes().chunks(1_000) {
        desk.push(piece)?;
    }
    desk.close()
}

fn text(settings: Settings) -> String {
    Simulated::new(settings).unwrap().collect()
}

/// A desk that has opened these texts together.
fn desk(texts: &[&str]) -> Desk {
    let mut desk = Desk::default();
    desk.begin(false);
    for (place, text) in texts.iter().enumerate() {
        open(&mut desk, &format!("{place}.csv"), text).unwrap();
    }
    settled(&mut desk);
    desk
}

fn small(change: impl Fn(&mut Settings)) -> String {
    let mut settings = Settings { n_clients: 4, ..example() };
    change(&mut settings);
    text(settings)
}

/// The rows of one client of a file, after the header.
fn of_client(text: &str, client: &str) -> String {
    let is_kept = |line: &&str| line.starts_with("client") || line.split(',').next() == Some(client);
    text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect()
}

/// What is found in a text.
fn found(text: &str) -> Found {
    let mut reader = Reader::new(from_decimal);
    reader.push(text.as_bytes()).unwrap();
    let sites = reader.finish().unwrap().sites;
    let mut identification = Identification::new(&sites, Rounds::default());
    while identification.step(&sites) {}
    Found { files: Vec::new(), sites, identified: identification.finish() }
}

#[test]
fn the_example_is_identified_and_every_part_says_something() {
    let parts = desk(&[&text(example())]).parts().unwrap();
    assert!(
        parts[Part::Summary].contains("1320 rows in 120 rollouts of 11 each, from 12 clients: 1200 samples"),
        "{}",
        parts[Part::Summary]
    );
    assert!(
        parts[Part::Models]
            .starts_with("<option selected>pooled</option><option>mean of locals</option><option>FedAvg")
    );
    assert!(parts[Part::Models].ends_with("<option>12 alone</option>"));
    assert_eq!(parts[Part::Estimate].matches("<data value=").count(), 15);
    assert_eq!(parts[Part::Estimate].matches("data-half=").count(), 15);
    assert_eq!(parts[Part::Fit].matches("<tr data-role=").count(), 10);
    assert!(parts[Part::Join].contains(" of 12 clients predict"), "{}", parts[Part::Join]);
    assert!(parts[Part::Spread].contains("The clients differ: "), "{}", parts[Part::Spread]);
    for text in parts.into_texts() {
        for word in ["NaN", "inf", "truth", "true system"] {
            assert!(!text.contains(word), "{word} in {text}");
        }
    }
}

#[test]
fn a_model_without_standard_errors_says_what_it_is() {
    let mut desk = desk(&[&small(|_| ())]);
    for (model, begin) in [(1, "The mean of the clients’ own models: "), (2, "The result of rounds: ")] {
        desk.choose(Chosen { model, way: 0 });
        let html = desk.parts().unwrap()[Part::Estimate].clone();
        assert!(html.contains(&format!("<p class=quiet>{begin}")) && !html.contains("data-half"), "{html}");
    }
}

/// What converges or is stable is never shown as 1.
#[test]
fn numbers_that_decide_by_their_side_of_1_show_it() {
    let radius = |re: f64| words::radius(&[Mode { re, im: 0.0 }]);
    assert_eq!(radius(0.9998), "Spectral radius of Â: 0.9998, stable.");
    assert_eq!(radius(1.0004), "Spectral radius of Â: 1.0004, unstable.");
    let mut found = found(&small(|_| ()));
    for outcome in &mut found.identified.outcomes {
        outcome.contraction = outcome.contraction.map(|_| 0.9998);
    }
    let fit = markup::parts(&found, Chosen::default())[Part::Fit].clone();
    assert!(fit.contains("<data value=0.9998>0.9998</data>"), "{fit}");
}

#[test]
fn pooled_intervals_name_what_they_assume() {
    let assumed = "These intervals take all clients to have one system and the same noise.</p>";
    let all = small(|_| ());
    let mut several = desk(&[&all]);
    assert!(several.parts().unwrap()[Part::Estimate].contains(assumed));
    let last = several.parts().unwrap()[Part::Models].matches("<option").count() - 1;
    several.choose(Chosen { model: last, way: 0 });
    let alone = several.parts().unwrap();
    let one = desk(&[&of_client(&all, "1")]).parts().unwrap();
    for parts in [alone, one] {
        let html = &parts[Part::Estimate];
        assert!(html.contains("± is half a 95 % confidence interval") && !html.contains("These intervals"), "{html}");
    }
}

/// Takes milliseconds; finding the quantile for each client anew would take a minute.
#[test]
fn verdicts_on_thousands_of_clients_take_no_time() {
    let Found { identified, .. } = found(&small(|_| ()));
    let begin = std::time::Instant::now();
    let is_clear = |k: &usize| identified.joining(&identified.outcomes[1], k % 4).unwrap().is_clear;
    let n_clear = (0..400_000).filter(is_clear).count();
    assert!(n_clear.is_multiple_of(100_000) && begin.elapsed().as_secs() < 5, "{n_clear} {:?}", begin.elapsed());
}

/// Pooled and local estimates on screen equal those of the simulation that wrote the file.
#[test]
fn simulated_data_come_back_as_the_simulations_estimates() {
    use crate::sim::estimate::least_squares;
    use crate::sim::moments::Moments;
    use crate::sim::scenario::Scenario;
    use crate::sim::simulator::{Client, MomentSimulator};
    use crate::sim::stream::DataKey;
    let settings = Settings { n_clients: 9, ..Settings::paper() };
    let mut desk = desk(&[&text(settings.clone())]);
    let scenario = Scenario::new(settings).unwrap();
    let mut total = Moments::zeros(scenario.settings().family.dims());
    let mut expected = Vec::new();
    for (client, system) in scenario.systems().iter().enumerate() {
        let key = DataKey { seed: scenario.settings().seed, trial: 0, client };
        let client = Client { system, plan: scenario.plan(client), key };
        let moments = MomentSimulator::new(system.dims()).simulate(client);
        total.add(&moments);
        expected.push(least_squares(&moments).unwrap());
    }
    expected.insert(0, least_squares(&total).unwrap());
    let n_shared = desk.parts().unwrap()[Part::Models].matches("<option").count() - 9;
    for (place, expected) in expected.iter().enumerate() {
        let model = if place == 0 { 0 } else { n_shared + place - 1 };
        desk.choose(Chosen { model, way: 0 });
        let html = &desk.parts().unwrap()[Part::Estimate];
        let values: Vec<f64> =
            html.split("<data value=").skip(1).map(|rest| rest.split('>').next().unwrap().parse().unwrap()).collect();
        let shown = Matrix::from_row_slice(3, 5, &values);
        assert!((&shown - expected).amax() < 1e-10, "{place}: {shown} {expected}");
    }
}
