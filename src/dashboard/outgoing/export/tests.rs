use super::charts::Page;
use super::*;
use crate::dashboard::results::Run;
use crate::dashboard::results::sweep::tests::complete;
use crate::dashboard::results::tests::run;
use crate::dashboard::run::picture;
use crate::dashboard::views::family::{self, Family};
use crate::dashboard::views::paper;
use crate::dashboard::views::systems::Portrait;
use crate::dashboard::views::tradeoff::{self, TradeOff};
use crate::dashboard::words::names;
use crate::params::views::{SweepOf, Upward};
use crate::params::{Draft, Key, State, View, Views};

const LINK: &str = "https://example.org/live/?M=20&q=3";

fn draft() -> Draft {
    Draft::from_query("M=20&q=3&part=1").0
}

fn page_of<'a>(draft: &'a Draft, views: &'a Views) -> Page<'a> {
    Page { draft, views, link: LINK }
}

fn explored() -> (Run, Export) {
    let (draft, views) = (draft(), Views::default());
    let settings = draft.settings();
    let run = run(|s| *s = settings.clone());
    let export = page_of(&draft, &views).run(&run, picture::figure(&run), &[]);
    (run, export)
}

/// Every chart of the page except the maps.
fn all() -> Vec<Export> {
    let (run, explored) = explored();
    let draft = draft();
    let (views, of) = (Views::default(), SweepOf::begun(Key::Clients).unwrap());
    let page = page_of(&draft, &views);
    let sweep = complete(&family::plan(&draft, &of));
    let family = page.family(&Family { sweep: &sweep, of: &of, method: 0, upward: Upward::Error });
    let cards = [page.anatomy(&run, 0), page.join(&run, 1), page.bound(&run)];
    let views = Views { view: View::TradeOff, ..Views::default() };
    let sweep = complete(&tradeoff::plan(&draft, &views));
    let trade_off = TradeOff { sweep: &sweep, before: None, across: views.across, beside: None, now: 0.3 };
    let trade_off = page_of(&draft, &views).trade_off(&trade_off);
    let views = Views { view: View::Paper, ..Views::default() };
    let mut plan = paper::plan(views.figure, views.switches, draft.seeds());
    plan.points.iter_mut().for_each(|settings| settings.n_trials = 1);
    let paper = page_of(&draft, &views).paper(&complete(&plan));
    let cards = cards.into_iter().map(Option::unwrap);
    let systems = page.systems(&Portrait::of(draft.check().unwrap()));
    [explored, family, trade_off, paper].into_iter().chain(cards).chain([systems]).collect()
}

/// An export names both seeds if the systems have their own.
#[test]
fn a_seed_of_the_systems_alone_is_said() {
    let draft = Draft::from_query("M=20&q=3&seed=8&systems=7").0;
    let (settings, views) = (draft.settings(), Views::default());
    let run = run(|s| *s = settings.clone());
    let export = page_of(&draft, &views).run(&run, picture::figure(&run), &[]);
    assert_eq!(export.file_name("csv"), "fedsysid-explore-M20-N25-eps0.3-K10-seed8-systems7.csv");
    assert!(export.sheet().settings.contains("seed 8") && export.sheet().settings.contains("systems’ seed = 7"));
    for file in [export.csv(), export.json()] {
        assert!(file.contains("systems") && file.contains("seed"), "{file}");
    }
    assert!(export.csv().contains("systems = 7") && !explored().1.csv().contains("systems = "));
}

#[test]
fn a_file_s_name_tells_the_run() {
    let names: Vec<_> = all().iter().map(|export| export.file_name("png")).collect();
    let expected = [
        "fedsysid-explore-M20-N25-eps0.3-K10-seed7.png",
        "fedsysid-explore-by-M-N25-eps0.3-K10-seed7.png",
        "fedsysid-tradeoff-eps-M20-N25-K10-seed7.png",
        "fedsysid-paper-1a-N25-eps0.01-K10-seed7.png",
        "fedsysid-anatomy-M20-N25-eps0.3-K10-seed7.png",
        "fedsysid-join-M20-N25-eps0.3-K10-seed7.png",
        "fedsysid-bound-M20-N25-eps0.3-K10-seed7.png",
        "fedsysid-systems-M20-N25-eps0.3-K10-seed7.png",
    ];
    assert_eq!(names, expected);
    assert_eq!(explored().1.program_name(Language::Matlab), "fedsysid_explore_M20_N25_eps0_3_K10_seed7.m");
}

#[test]
fn settings_that_tell_the_run_are_said_and_whatever_differs() {
    let draft = Draft::from_query("M=20&part=0.5&place=outlier&mu=0.5&q=3").0;
    let run = run(|s| *s = Draft::default().settings());
    let export = page_of(&draft, &Views::default()).run(&run, picture::figure(&run), &[]);
    assert_eq!(
        export.sheet().settings,
        "M = 50, Nᵢ = 25, ε = 0.3, K = 10, α = 0.0001, T = 5, R = 200, q = 25, seed 7, FedAvg’s step: constant, \
         start: zero, error of: client 1, clients’ systems: one outlier, participation = 0.5, μ = 0.5"
    );
    let about = export.about().join("\n");
    for line in ["alpha = 0.0001", "seed = 7", "schedule = constant", "place = outlier", "part = 0.5"] {
        assert!(about.lines().any(|found| found == line), "{line}: {about}");
    }
}

#[test]
fn what_varies_is_listed_or_spanned() {
    let all = all();
    let value = |export: &Export, key: &str| {
        export.settings.iter().find(|setting| setting.key == key).map(|setting| setting.words.clone())
    };
    assert_eq!(value(&all[1], "M").as_deref(), Some("M = 1, 2, 5, 25, 100"));
    assert_eq!(value(&all[2], "eps").as_deref(), Some("ε = 0.01 to 1"));
    assert_eq!(value(&all[3], "steps").as_deref(), Some("FedAvg’s step: rounds"));
    assert_eq!(value(&all[3], "schedule"), None, "the paper's figures have switches of their own");
}

/// The swept setting is said with its values, and never with that of the page.
#[test]
fn what_is_swept_is_listed() {
    let said = |query: &str| {
        let state = State::from_query(query).0;
        let of = state.views.sweep.as_ref().unwrap();
        let sweep = complete(&family::plan(&state.draft, of));
        let family = Family { sweep: &sweep, of, method: 0, upward: Upward::Error };
        let export = page_of(&state.draft, &state.views).family(&family);
        (export.sheet().settings, export.file_name("csv"))
    };
    let (noise, _) = said("M=2&R=2&q=1&sw=3&sweep=sw:0.5,1,2");
    assert!(noise.contains("σ_w = 0.5, 1, 2") && noise.matches("σ_w").count() == 1, "{noise}");
    let (seeds, file) = said("M=2&R=2&q=1&sweep=seed:3,4");
    assert!(seeds.contains("seed = 3, 4") && seeds.matches("seed").count() == 1, "{seeds}");
    assert_eq!(file, "fedsysid-explore-by-seed-M2-N25-eps0.3-K10.csv");
}

/// Of a class's histogram the lesson's settings are said, not the page's.
#[test]
fn a_class_has_the_settings_of_its_lesson() {
    use crate::dashboard::views::lesson::class::{self, Class, Of};
    use crate::params::Lesson;
    let points = class::plan(Lesson::Joining).unwrap().points;
    let picture = class::Picture::new(Lesson::Joining, Of::Guess, &Class::default(), None);
    let [said, other] = ["", "mu=0.7&alg=fedprox&seed=9&systems=4"].map(|query| {
        let state = State::from_query(query).0;
        page_of(&state.draft, &state.views).class(&picture, &points).settings
    });
    assert_eq!(said, other);
    assert!(said.iter().any(|setting| setting.key == "eps") && said.iter().all(|setting| setting.key != "seed"));
}

#[test]
fn every_file_says_where_it_comes_from() {
    for export in all() {
        for theme in &Theme::ALL {
            let svg = export.svg::<Strokes>((theme, Paper::Opaque));
            let metadata = svg.split("<metadata>").nth(1).unwrap().split("</metadata>").next().unwrap();
            assert!(metadata.contains(PROGRAM) && metadata.contains("seed = 7") && metadata.contains("&amp;q=3"));
            let drawn = svg.split("</metadata>").nth(1).unwrap();
            for said in [PROGRAM, "seed 7", "https://example.org/live/"] {
                assert!(drawn.contains(said), "{}: {said}", export.title);
            }
            let first = export.title.split(' ').next().unwrap();
            assert!(drawn.contains(first), "{first}");
        }
        let csv = export.csv();
        let comments: Vec<_> = csv.lines().take_while(|line| line.starts_with("# ")).collect();
        assert!(comments[0].contains(PROGRAM) && comments.contains(&"# seed = 7"), "{comments:?}");
        assert_eq!(csv.lines().nth(comments.len()), export.table.csv().lines().next());
    }
}

#[test]
fn json_is_json_and_its_numbers_are_the_table_s() {
    for export in all() {
        let json: serde_json::Value = serde_json::from_str(&export.json()).expect(&export.title);
        assert_eq!(json["program"], PROGRAM);
        assert_eq!((&json["title"], &json["link"]), (&export.title.clone().into(), &LINK.into()));
        assert_eq!(json["settings"]["seed"], 7);
        assert_eq!(json["columns"].as_array().unwrap().len(), export.table.header.len());
        let rows = json["rows"].as_array().unwrap();
        assert_eq!(rows.len(), export.table.rows.len());
        assert!(!rows.is_empty(), "{}", export.title);
        for (row, cells) in rows.iter().zip(&export.table.rows) {
            for (value, cell) in row.as_array().unwrap().iter().zip(cells) {
                let written = match value {
                    serde_json::Value::Null => String::new(),
                    serde_json::Value::String(text) => text.clone(),
                    number => {
                        // The JSON reader of the test rounds the last digit.
                        let (read, kept) = (number.as_f64().unwrap(), cell.parse::<f64>().unwrap());
                        assert!((read - kept).abs() <= 1e-15 * kept.abs(), "{read} {kept}");
                        cell.clone()
                    }
                };
                assert_eq!(written, *cell);
            }
        }
    }
}

#[test]
fn a_run_s_table_holds_what_is_on_screen() {
    let (run, export) = explored();
    let rows = &export.table.rows;
    assert_eq!(rows.len(), 2 * 201 + 3);
    let row = |name: &str, round: &str| rows.iter().find(|row| row[0] == name && row[1] == round).unwrap();
    for (method, theory) in run.summary.methods.iter().zip(&run.theory.as_ref().unwrap().methods) {
        let row = row(&names::method_name(method.method), "200");
        assert_eq!(row[2], "3");
        let expected = theory.prediction.as_ref().unwrap().means[200];
        let (mean, spread) = (method.errors[200].mean(), method.errors[200].standard_error());
        let numbers = [mean, spread, mean / picture::pooled(&run.summary).unwrap(), expected];
        for (cell, number) in row[3..].iter().zip(numbers) {
            assert_eq!(cell.parse::<f64>().unwrap().to_bits(), number.to_bits());
        }
    }
    let predicted = run.theory.as_ref().unwrap().pooled.unwrap().to_string();
    assert_eq!(row("pooled", "")[5..], ["1", &predicted]);
}

#[test]
fn causes_are_stacked_to_the_whole() {
    let export = &all()[4];
    let Picture::Curves(figure) = &export.picture else { panic!("curves") };
    assert_eq!(figure.curves.len(), 4);
    for record in 0..figure.curves[0].points.len() {
        let bands = figure.curves.iter().map(|curve| curve.band[record]);
        let (low, high) =
            bands.fold((0.0, 0.0), |(low, high): (f64, f64), band| (low.min(band.low), high.max(band.high)));
        assert!((high - 1.0).abs() < 1e-12 && low <= 0.0);
    }
    for row in &export.table.rows {
        let number = |cell: &String| cell.parse::<f64>().unwrap();
        let total: f64 = row[2..6].iter().map(number).sum();
        assert!((total.max(0.0).sqrt() - number(&row[6])).abs() < 1e-12 * (1.0 + total.abs()));
    }
}

#[test]
fn every_client_has_its_dot_and_its_row() {
    let export = &all()[5];
    let Picture::Curves(figure) = &export.picture else { panic!("curves") };
    assert_eq!(figure.curves.iter().map(|curve| curve.points.len()).sum::<usize>(), 20);
    assert_eq!(export.table.rows.len(), 20);
    assert!(figure.curves[0].points.iter().all(|dot| dot.y > 1.0));
}

#[test]
fn runs_that_are_kept_have_their_rows() {
    use crate::dashboard::run::pins::Ghost;
    use crate::params::Pin;
    let (run, export) = explored();
    let pin = |query: &str| Pin { name: "before".into(), draft: Draft::from_query(query).0 };
    let (other, same) = (pin("M=20&q=3&eps=0.1"), pin("M=20&q=3"));
    let ghosts = [&other, &same].map(|pin| Ghost { pin, summary: Some(&run.summary) });
    let (draft, views) = (draft(), Views::default());
    let both = page_of(&draft, &views).run(&run, picture::figure(&run), &ghosts);
    let (own, kept) = both.table.rows.split_at(export.table.rows.len());
    assert_eq!(own, export.table.rows);
    assert_eq!(kept.len(), 2 * 201);
    assert_eq!((kept[200][0].as_str(), &kept[200][3]), ("FedLin, before", &own[200][3]));
}
