//! A desk from the opening of files to their results and saved tables.

mod verdicts;

use super::*;
use crate::dashboard::data::parts::{Part, Parts};
use crate::dashboard::data::simulated::{Simulated, example};
use crate::dashboard::export::charts::Page;
use crate::dashboard::systems::Mode;
use crate::data::identify::Identification;
use crate::data::reader::Reader;
use crate::data::shared::Rounds;
use crate::data::spread::{Spread, Test};
use crate::figure::sheet::Paper;
use crate::figure::svg::Strokes;
use crate::figure::theme::Theme;
use crate::params::{Draft, Views};
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

/// The example on the first screen is a valid file, and is read as the page says.
#[test]
fn the_file_that_is_shown_is_read() {
    let mut desk = Desk::default();
    desk.begin(false);
    open(&mut desk, "shown.csv", FORMAT).unwrap();
    settled(&mut desk);
    let summary = &desk.parts().unwrap()[Part::Summary];
    assert!(summary.contains("4 rows in 2 rollouts") && summary.contains("2 samples"), "{summary}");
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

/// Exports hold every eigenvalue and every dot of the charts, and say which data were opened.
#[test]
fn both_pictures_can_be_taken_away() {
    let parts = desk(&[&text(example())]).parts().unwrap();
    let (draft, views) = (Draft::default(), Views::default());
    let page = Page { draft: &draft, views: &views, link: "https://example.org/?view=data" };
    let poles = charts::eigenvalues(page, &parts).unwrap();
    assert_eq!(poles.table.rows.len(), 3 * (1 + 12));
    assert_eq!(poles.title, "Eigenvalues of Â: pooled");
    let joining = charts::joining(page, &parts).unwrap();
    assert_eq!(joining.table.rows.len(), 12);
    for export in [poles, joining] {
        assert!(export.caption.starts_with("0.csv: 1320 rows"), "{}", export.caption);
        assert!(export.csv().contains("# link: https://example.org/?view=data"));
        assert!(export.svg::<Strokes>((&Theme::DARK, Paper::Opaque)).contains("</svg>"));
    }
    assert!(
        charts::eigenvalues(page, &Parts::default()).is_none() && charts::joining(page, &Parts::default()).is_none()
    );
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

/// Charts speak the page's language, and their tables of numbers none but English.
#[test]
fn charts_have_the_same_table_in_every_language() {
    let found = found(&small(|_| ()));
    let (draft, views) = (Draft::default(), Views::default());
    let page = Page { draft: &draft, views: &views, link: "" };
    let chart = |model| charts::eigenvalues(page, &markup::parts(&found, Chosen { model, way: 0 })).unwrap();
    let last = found.models().count();
    let plain = [0, last].map(chart);
    assert_eq!((&*plain[0].table.rows[0][0], &*plain[1].table.rows[0][0]), ("pooled", "1 alone"));
    let texts = [("pooled", "gepoolt"), ("{} alone", "{} allein"), ("{name} alone", "{name} allein")];
    let german = fedsysid_say::Language::new("de", ',', &fedsysid_say::packed(texts).unwrap());
    fedsysid_say::speak(Some(Box::leak(Box::new(german))));
    let translated = [0, last].map(chart);
    fedsysid_say::speak(None);
    assert_eq!(translated[0].title, "Eigenvalues of Â: gepoolt");
    for (plain, translated) in plain.iter().zip(&translated) {
        assert_eq!(plain.table, translated.table);
    }
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

/// Moments of each site, saved separately and opened together, give the same results as the rows.
#[test]
fn moments_of_sites_say_what_their_rows_said() {
    let all = small(|_| ());
    let rows = desk(&[&all]).parts().unwrap();
    let files: Vec<_> =
        ["1", "2", "3", "4"].iter().map(|client| desk(&[&of_client(&all, client)]).moments().unwrap()).collect();
    let texts: Vec<_> = files.iter().map(String::as_str).collect();
    let moments = desk(&texts).parts().unwrap();
    assert_eq!(
        (&moments[Part::Estimate], &moments[Part::Spread], &moments[Part::Join]),
        (&rows[Part::Estimate], &rows[Part::Spread], &rows[Part::Join])
    );
    assert!(moments[Part::Summary].contains("no free run"));
    assert!(moments[Part::Fit].contains("class=none") && !moments[Part::Fit].contains("In free run"));
}

#[test]
fn files_are_added_to_each_other() {
    let all = small(|_| ());
    let mut desk = desk(&[&of_client(&all, "1"), &of_client(&all, "2")]);
    desk.begin(true);
    open(&mut desk, "more.csv", &of_client(&all, "3")).unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    assert_eq!(parts[Part::Summary].matches("<li><b>").count(), 3);
    assert!(parts[Part::Models].contains("<option>3 alone</option>"));
}

/// A desk that has opened these files, given by name and text, together.
fn desk_of(files: &[(&str, &str)]) -> Desk {
    let mut desk = Desk::default();
    desk.begin(false);
    for (name, text) in files {
        open(&mut desk, name, text).unwrap();
    }
    settled(&mut desk);
    desk
}

#[test]
fn files_without_a_column_of_clients_are_called_by_their_names() {
    let all = small(|_| ());
    let nameless = |client: &str| {
        let rows = of_client(&all, client);
        rows.lines().map(|row| row.split_once(',').unwrap().1.to_owned() + "\n").collect::<String>()
    };
    let rows = ["1", "2", "3"].map(nameless);
    let files = ["north.csv", "south 1.5.csv", "north.txt", "pump 1.5", ".csv", ""];
    let files: Vec<_> = files.into_iter().zip(rows.iter().cycle()).map(|(name, text)| (name, &**text)).collect();
    let mut desk = desk_of(&files);
    let names = ["north", "south 1.5", "north (2)", "pump 1.5", ".csv", "1"];
    let alone = names.map(|name| format!("<option>{name} alone"));
    let parts = desk.parts().unwrap();
    assert!(parts[Part::Models].contains(&alone.join("</option>")), "{}", parts[Part::Models]);
    // Their moments have these names, and so has a single file.
    let moments = desk.moments().unwrap();
    desk = desk_of(&[("east.txt", &moments), ("north.csv", &rows[0])]);
    let parts = desk.parts().unwrap();
    assert!(parts[Part::Models].contains(&alone.join("</option>")), "{}", parts[Part::Models]);
    assert!(parts[Part::Models].ends_with("<option>north (3) alone</option>"), "{}", parts[Part::Models]);
    assert!(desk_of(&files[..1]).parts().unwrap()[Part::Models].ends_with("<option>north alone</option>"));
}

/// A model holds for one length of steps: whoever has another is named, in one file, in several, and in moments.
#[test]
fn steps_that_differ_in_time_are_spoken_of() {
    let rows = |client: &str, step: f64| {
        let row = |k: u32| {
            let wave = |speed: f64| (speed * f64::from(k)).sin();
            format!("{client},{},{},{}\n", f64::from(k) * step, wave(1.7), wave(2.9))
        };
        (0..40).map(row).collect::<String>()
    };
    let file = |rows: &str| format!("client,t,x1,u1\n{rows}");
    let summary = |files: &[(&str, &str)]| desk_of(files).parts().unwrap()[Part::Summary].clone();
    let (tenth, fifth) = (file(&rows("A", 0.1)), file(&rows("B", 0.2)));
    let odd = "one step is 0.2 in time for B, but 0.1 for A: in the same unit, no model fits both";
    let both = summary(&[("a.csv", &tenth), ("b.csv", &fifth)]);
    assert!(both.find(odd) > both.find("<b>b.csv</b>") && both.matches("no model fits both").count() == 1, "{both}");
    let moments = [&tenth, &fifth].map(|text| desk(&[text]).moments().unwrap());
    let both = summary(&[("a.txt", &moments[0]), ("b.txt", &moments[1])]);
    assert!(both.find(odd) > both.find("<b>b.txt</b>"), "{both}");
    // The same step but for jitter, and files without times.
    let jittery = file(&rows("B", 0.102));
    let timeless = "client,x1,u1\nC,1,2\nC,2,3\nC,1,1\n";
    let alike = summary(&[("a.csv", &tenth), ("b.csv", &jittery), ("c.csv", timeless)]);
    assert!(!alike.contains("no model fits both"), "{alike}");
    let one = summary(&[(
        "both.csv",
        &file(&(["A", "D", "E"].map(|client| rows(client, 0.1)).concat() + &rows("B", 0.2) + &rows("C", 0.3))),
    )]);
    assert!(one.contains("2 clients left out, as one step is not 0.1 in time there (B: 0.2)"), "{one}");
}

/// Whatever goes wrong, the results so far stay.
#[test]
fn what_cannot_be_used_is_said_and_nothing_is_lost() {
    let mut desk = desk(&[&small(|_| ())]);
    let before = desk.parts();
    desk.begin(false);
    assert_eq!(
        open(&mut desk, "a.csv", "t,x1\n0,one\n").unwrap_err(),
        "a.csv cannot be used: line 2: x1 is “one”: a number was expected, or nothing where it is missing."
    );
    desk.drop_work();
    assert_eq!(desk.parts(), before);
    desk.begin(true);
    let refused = open(&mut desk, "b.csv", "t,x1\n0,1\n1,2\n").unwrap_err();
    assert_eq!(
        refused,
        "b.csv cannot be used: there are 1 states and 0 inputs here, and 3 and 2 in what was opened before."
    );
    desk.begin(false);
    assert_eq!(open(&mut desk, "c.csv", "").unwrap_err(), "c.csv cannot be used: the file is empty.");
    assert!(open(&mut desk, "d.txt", "fedsysid-moments 1\n").unwrap_err().contains("version 2"));
    assert_eq!(desk.parts(), before);
}

/// A choice is about the models of one lot: others begin with their first model, but not before they are there.
#[test]
fn a_new_lot_begins_with_its_first_model() {
    let all = small(|_| ());
    let mut desk = desk(&[&all]);
    let first = desk.parts().unwrap();
    let last = first[Part::Models].matches("<option").count() - 1;
    desk.choose(Chosen { model: last, way: 3 });
    let chosen = desk.parts().unwrap();
    assert!(chosen[Part::Models].ends_with("<option selected>4 alone</option>"), "{}", chosen[Part::Models]);
    // Work that is dropped changes nothing, and other rounds keep the choice.
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    desk.identify();
    desk.drop_work();
    assert_eq!(desk.parts().unwrap(), chosen);
    desk.set_rounds(Rounds { n_local_steps: 1, n_rounds: 2 });
    desk.drop_work();
    assert!(desk.set_rounds(Rounds::default()));
    while desk.work(0.0, || 1.0).is_some() {}
    assert_eq!(desk.parts().unwrap(), chosen);
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    settled(&mut desk);
    assert_eq!(desk.parts().unwrap(), first);
    desk.choose(Chosen { model: last + 1, way: 99 });
    assert_eq!(desk.parts().unwrap(), first, "what is not there is the first");
}

/// Rounds whose work was dropped are not those of the next lot.
#[test]
fn rounds_count_once_their_work_is_complete() {
    let all = small(|_| ());
    let mut desk = desk(&[&all]);
    let before = desk.parts().unwrap();
    assert!(desk.set_rounds(Rounds { n_local_steps: 1, n_rounds: 2 }));
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    settled(&mut desk);
    assert_eq!(desk.parts().unwrap(), before);
}

#[test]
fn other_rounds_are_run_on_the_same_data() {
    let mut desk = desk(&[&small(|_| ())]);
    let before = desk.parts().unwrap();
    assert!(desk.set_rounds(crate::data::shared::Rounds { n_local_steps: 1, n_rounds: 2 }));
    while desk.work(0.0, || 1.0).is_some() {}
    let after = desk.parts().unwrap();
    assert_eq!(before[Part::Estimate], after[Part::Estimate]);
    assert_ne!(before[Part::Fit], after[Part::Fit]);
    assert!(!Desk::default().set_rounds(crate::data::shared::Rounds::default()));
}

#[test]
fn results_are_a_table_of_every_number() {
    let desk = desk(&[&small(|_| ())]);
    let csv = desk.results().unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("quantity,model,client,row,column,value,standard error,low,high"));
    assert!(lines.all(|line| line.split(',').count() == 9));
    let count = |begin: &str| csv.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!(
        (count("coefficient,pooled,"), count("coefficient,alone,3,"), count("coefficient,FedLin,")),
        (15, 15, 15)
    );
    assert_eq!((count("noise std,pooled"), count("one-step error,pooled,"), count("free-run error,")), (3, 5, 10));
}

#[test]
fn what_was_passed_over_is_noted() {
    let odd = "site,time,x1,u1,u2,colour\nA,0,1,1,0,red\nA,0.5,2,0,0,red\nA,1,1,,0,red\nA,1.5,3,2,0,red\nA,9,1,1,0,red\nA,9.5,2,1,0,red\nA,10,4,1,0,red\n";
    let mut desk = Desk::default();
    desk.begin(false);
    open(&mut desk, "odd <b>.csv", odd).unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    for words in [
        "odd &lt;b>.csv",
        "7 rows in 1 rollout of 7 each, from 1 client: 4 samples",
        "1 gap in time: nothing is learned across them (first in line 6)",
        "1 sample left out, as a value is missing (first in line 5)",
        "one step is 0.5 in time",
        "u2 is 0 in every row: what it does cannot be told",
        "not used: colour",
    ] {
        assert!(parts[Part::Summary].contains(words), "{words} in {}", parts[Part::Summary]);
    }
    // Without a pooled estimate the first model is the client's own, which does not exist either.
    assert!(desk.results().is_some());
}

/// A spreadsheet's file in Latin-1: clients keep their names, and a note names the encoding.
#[test]
fn names_in_latin_1_are_names() {
    let all = small(|_| ()).replace("\n1,", "\nMü,").replace("\n2,", "\nMö,");
    let latin: Vec<u8> = all.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let mut desk = Desk::default();
    desk.begin(false);
    desk.open("latin.csv");
    desk.push(&latin).unwrap();
    desk.close().unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    let note = "not in UTF-8: such text is read as Windows-1252 (first in line 2)";
    assert!(parts[Part::Summary].contains(note), "{}", parts[Part::Summary]);
    for name in ["Mü", "Mö"] {
        assert!(parts[Part::Clients].contains(&format!("<th scope=row>{name}</th>")), "{}", parts[Part::Clients]);
    }
}

#[test]
fn too_much_is_not_simulated_into_a_file() {
    let mut settings = example();
    settings.data.n_rollouts = 1_000_000.into();
    let words = Simulated::new(settings).unwrap_err();
    assert!(
        words.starts_with(
            "The simulated data would be a file of 132\u{202f}000\u{202f}000 rows; up to 2\u{202f}000\u{202f}000"
        ),
        "{words}"
    );
}
