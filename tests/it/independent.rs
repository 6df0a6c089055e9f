//! Tests against the independent numbers of `tests/data/independent.json`, for everything that the other reference data
//! do not cover: fleets whose clients differ in N, T, K and noise, with partial participation; every method's printed
//! rule; Theorem 1 with four states; people's own data.
//!
//! The numbers are made by NumPy code that shares nothing with this project, `tests/data/make_independent.py`. Closed
//! forms must agree to rounding, means over draws to within standard errors.

mod case;

use fedsysid::data::estimate::Estimate;
use fedsysid::data::identify::{Identification, Identified, Joining};
use fedsysid::data::reader::Reader;
use fedsysid::data::shared::Rounds;
use fedsysid::sim::Matrix;
use fedsysid::sim::estimate::Reference;
use fedsysid::sim::fleet::Fleet;
use fedsysid::sim::local_map::{FleetMaps, StepRule};
use fedsysid::sim::method::{Round, begin};
use fedsysid::sim::moments::Moments;
use fedsysid::sim::participation::{Participants, Participation};
use fedsysid::sim::scenario::{Scenario, Settings};
use fedsysid::sim::stability::{contraction, largest_step};
use fedsysid::sim::stream::Seed;
use fedsysid::sim::system::Dims;
use fedsysid::sim::target::Target;
use fedsysid::theory::landscape::Landscape;
use fedsysid::theory::landscape::payoff::{PayoffRun, Rows};
use fedsysid::theory::landscape::stability::{Axes, StabilityRun};
use fedsysid::theory::theorem1::{DELTA, Theorem1};
use serde_json::Value;

use crate::data::{count, file, number};
use crate::experiments::{for_all, simulate, theory, within};
use case::{list, matrix, method, reals, schedule, settings, whole, wholes};

fn part(key: &str) -> Value {
    file("independent.json")[key].take()
}

/// Checks a number to a relative error; NaN must be NaN.
#[track_caller]
fn same(what: &str, got: f64, right: f64, relative: f64) {
    let is_same = if right.is_nan() { got.is_nan() } else { within(got, right, relative * right.abs()) };
    assert!(is_same, "{what}: {got}, not {right}");
}

#[track_caller]
fn same_matrix(what: &str, got: &Matrix, right: &Matrix, relative: f64) {
    assert!((got - right).amax() <= relative * right.amax(), "{what}: {got}, not {right}");
}

fn scenario(case: &Value) -> Scenario {
    Scenario::new(settings(case)).expect("allowed")
}

/// The fleet with given moments.
fn fleet(moments: &Value, n_local_steps: impl Fn(usize) -> usize) -> Fleet {
    let first = matrix(&moments["C"][0]);
    let mut fleet = Fleet::new(Dims { n_states: first.nrows(), n_inputs: first.ncols() - first.nrows() });
    for (client, (s, c)) in list(&moments["S"]).iter().zip(list(&moments["C"])).enumerate() {
        fleet.add(&Moments { s: matrix(s), c: matrix(c), n_samples: 1_000 }, n_local_steps(client));
    }
    fleet
}

#[test]
fn the_map_over_step_size_and_local_steps() {
    for cell in list(&part("maps")) {
        let scenario = scenario(&cell["case"]);
        let schedule = schedule(&cell["schedule"]);
        let (step_sizes, local_steps) = (reals(&cell["alphas"]), wholes(&cell["rows"]));
        let mut run =
            StabilityRun::new(&scenario, Axes { step_sizes, local_steps, fedavg: schedule, fedlin: schedule });
        let map = loop {
            if let Some(map) = run.step(&scenario) {
                break map.expect("there is one");
            }
        };
        let check = |what: &str, landscape: &Landscape, tolerance: f64| {
            for (row, right) in list(&cell[what]).iter().enumerate() {
                for (column, right) in reals(right).into_iter().enumerate() {
                    same(&format!("{what}, {row}, {column}"), landscape.row(row)[column], right, tolerance);
                }
            }
        };
        check("fedavg", &map.fedavg, 1e-10);
        check("fedlin", &map.fedlin, 1e-10);
        check("drift", &map.drift, 1e-10);
    }
}

#[test]
fn contraction_and_largest_step_where_local_steps_differ() {
    let part = part("edges");
    let scenario = scenario(&part["case"]);
    let fleet = fleet(&part, |client| scenario.n_local_steps(client));
    for cell in list(&part["cells"]) {
        let method = method(cell);
        let what = format!("{method:?}");
        same(&what, contraction(method, number(cell, "alpha"), &fleet).expect("affine"), number(cell, "rho"), 1e-10);
        same(&what, largest_step(method, &fleet, None).expect("there is one"), number(cell, "edge"), 1e-8);
    }
}

/// With full participation the parts must agree exactly; with partial participation, within four standard errors of
/// 20,000 draws. Mean norms, which are over 256 draws and where errors are not normally distributed, must agree within
/// 3 %.
#[test]
fn errors_along_the_rounds_and_their_parts() {
    let part = part("predictions");
    let fleets = list(&part).iter();
    let cells: Vec<_> = fleets.flat_map(|fleet| list(&fleet["cells"]).iter().map(move |cell| (fleet, cell))).collect();
    for_all(&cells, |&(fleet, cell)| {
        let settings =
            Settings { methods: vec![method(cell)], n_rounds: count(fleet, "rounds"), ..settings(&fleet["case"]) };
        let what = format!("{:?} {:?} {:?}", settings.methods[0], settings.participation, settings.target);
        let theory = theory(settings);
        let prediction = match &theory.methods[0].prediction {
            Ok(prediction) => prediction,
            Err(reason) => return vec![format!("{what}: {reason}")],
        };
        let mut complaints = Vec::new();
        for record in list(&cell["records"]) {
            let at = theory.rounds.iter().position(|&round| round == count(record, "round")).expect("it is recorded");
            let (parts, right) = (prediction.parts[at], reals(&record["parts"]));
            let size = right.iter().map(|part| part.abs()).sum::<f64>();
            let errors = record.get("parts_se").map_or_else(|| vec![0.0; 4], reals);
            let got = [parts.transient, parts.noise, parts.bias, parts.drift];
            let is_right = |k: usize| within(got[k], right[k], 1e-10 * size + 4.0 * errors[k]);
            let mean = number(record, "mean");
            let allowed = 0.03 * mean + 4.0 * number(record, "mean_se");
            if !(0..4).all(is_right) || !within(prediction.means[at], mean, allowed) {
                complaints.push(format!("{what}: {got:?}, {}, not {record}", prediction.means[at]));
            }
        }
        complaints
    });
}

#[test]
fn ten_rounds_of_every_method_as_printed() {
    let part = part("methods");
    let n_local_steps = wholes(&part["K"]);
    let fleet = fleet(&part, |client| n_local_steps[client]);
    let n_clients = n_local_steps.len();
    for cell in list(&part["cells"]) {
        let method = method(cell);
        let rule =
            StepRule { schedule: method.schedule, step_size: number(&part, "alpha"), pull: method.solver.pull() };
        let mut maps = FleetMaps::new(&fleet, rule);
        let mut update = begin(method.solver, &fleet, &matrix(&part["first"]));
        let mut who = Participants::everybody(n_clients);
        for round in 0..10 {
            if cell["half"] == true {
                who.draw(Participation::Fraction(0.5), Seed(3), 0, round);
                let weights: Vec<_> = who.weights().iter().flat_map(|weights| weights.0).collect();
                let drawn: Vec<_> = (0..n_clients).filter(|&client| weights[client] > 0.0).collect();
                assert_eq!(drawn, wholes(&part["who"][round]), "the numbers are of these");
            }
            maps.set_round(&fleet, round, 10);
            update.round(Round { fleet: &fleet, maps: &maps, who: &who });
        }
        for (client, of) in wholes(&cell["of"]).into_iter().enumerate() {
            let right = matrix(&cell["models"][of]);
            same_matrix(&format!("{method:?}, client {client}"), update.models().of(client), &right, 1e-10);
        }
    }
}

#[test]
fn theorem_1_with_four_states() {
    for right in list(&part("theorems")) {
        let got = Theorem1::new(&scenario(&right["case"]), count(&right["case"], "target"), DELTA);
        let numbers = [
            ("c0", got.c0),
            ("c1", got.c1),
            ("c2", got.c2),
            ("c2_of_others", got.c2_of_others),
            ("noise", got.noise),
            ("noise_summed", got.noise_summed),
            ("has", got.has),
            ("excitation", got.excitation),
            ("family_extent", got.heterogeneity),
        ];
        for (what, number_of_ours) in numbers {
            same(what, number_of_ours, number(right, what), 1e-10);
        }
        let needs = reals(&right["needs"]);
        same("first need", got.needs.0, needs[0], 1e-10);
        same("second need", got.needs.1, needs[1], 1e-10);
    }
}

/// Whether our mean (mean, standard error) and theirs differ by at most 4.5 of their combined standard errors, plus a
/// relative 10⁻⁴.
fn agree(got: (f64, f64), right: &Value) -> bool {
    let right = reals(right);
    within(got.0, right[0], 4.5 * got.1.hypot(right[1]) + 1e-4 * right[0])
}

/// Simulations must agree with the numbers; predictions only within 5 %, since few data leave such errors.
#[test]
fn one_shot_estimates_of_clients_that_differ() {
    let cells = part("joins");
    let targets: Vec<_> = list(&cells)
        .iter()
        .flat_map(|cell| {
            let clients = (0..count(&cell["case"], "M")).map(Target::Client);
            clients.chain([Target::Mean]).map(move |target| (cell, target))
        })
        .collect();
    for_all(&targets, |&(cell, target)| {
        let extra = |key: &str| number(&cell["extra"], key);
        let more = [Reference::Weighted { weight: extra("weight") }, Reference::Personalized { pull: extra("pull") }];
        let references = Reference::PAPER.into_iter().chain(more).collect();
        let settings = Settings { methods: Vec::new(), references, target, ..settings(&cell["case"]) };
        let right = |name: &str| match target {
            Target::Client(client) => &cell["one_shot"][name]["clients"][client],
            _ => &cell["one_shot"][name]["mean"],
        };
        let mut complaints = Vec::new();
        let simulated = simulate(settings.clone(), 2_000);
        for (reference, name) in
            simulated.references.iter().zip(["alone", "pooled", "mean_of_locals", "weighted", "personalized"])
        {
            let error = reference.error.as_ref().expect("enough data");
            if !agree((error.mean(), error.standard_error()), right(name)) {
                complaints.push(format!("{target:?} {name}: {}, not {}", error.mean(), right(name)));
            }
        }
        let theory = theory(settings);
        let predicted = [("alone", theory.alone), ("pooled", theory.pooled), ("mean_of_locals", theory.mean_of_locals)];
        for (name, error) in predicted {
            let (error, right) = (error.expect("enough data"), reals(right(name))[0]);
            if !within(error, right, 0.05 * right) {
                complaints.push(format!("{target:?} {name}: {error} expected, {right} simulated"));
            }
        }
        complaints
    });
}

#[test]
fn whether_joining_pays_where_clients_differ() {
    for cell in list(&part("joins")) {
        for (rows, right) in [
            (Rows::Clients(wholes(&cell["clients"])), &cell["over_clients"]),
            (Rows::Rollouts(wholes(&cell["rollouts"])), &cell["over_rollouts"]),
        ] {
            let what = format!("{rows:?}");
            let mut run = PayoffRun::new(&scenario(&cell["case"]), reals(&cell["epsilons"]), rows).expect("a map");
            let payoff = loop {
                if let Some(payoff) = run.step() {
                    break payoff.expect("a map");
                }
            };
            for (row, right) in list(right).iter().enumerate() {
                for (&ratio, right) in payoff.ratio.row(row).iter().zip(list(right)) {
                    let [right, error] = reals(right)[..] else { panic!("a mean and its standard error") };
                    assert!(within(ratio, right, 0.05 * right + 3.0 * error), "{what}: {ratio}, not {right}");
                }
            }
        }
    }
}

fn identified(cell: &Value) -> Identified {
    let mut reader = Reader::new(|text| text.parse().ok());
    reader.push(cell["csv"].as_str().expect("a text").as_bytes()).expect("it can be read");
    let sites = reader.finish().expect("it can be read").sites;
    let rounds = Rounds { n_local_steps: count(cell, "K"), n_rounds: count(cell, "R") };
    let mut identification = Identification::new(&sites, rounds);
    while identification.step(&sites) {}
    identification.finish()
}

#[track_caller]
fn same_estimate(got: &Estimate, right: &Value) {
    same_matrix("estimate", &got.theta, &matrix(&right["theta"]), 1e-10);
    same_matrix("standard errors", &got.standard_errors, &matrix(&right["se"]), 1e-10);
    for (&got, right) in got.noise_std.iter().zip(reals(&right["noise_std"])) {
        same("noise", got, right, 1e-10);
    }
    assert_eq!(got.degrees, whole(&right["df"]) as u64);
    same("quantile", got.quantile(), number(right, "t"), 1e-10);
}

/// The step size is found with a relative error of 10⁻⁹, and the methods' models depend on it.
#[test]
fn own_data() {
    for cell in list(&part("own_data")) {
        let found = identified(cell);
        same("step size", found.step_size, number(cell, "step_size"), 1e-8);
        for (local, right) in found.locals.iter().zip(list(&cell["locals"])) {
            same_estimate(local.as_ref().expect("enough data"), right);
        }
        same_estimate(found.pooled.as_ref().expect("enough data"), &cell["pooled"]);
        let (spread, right) = (found.spread.as_ref().expect("it can be told"), &cell["spread"]);
        let test = spread.test.expect("there is noise");
        let numbers = [("between", spread.between), ("noise", spread.noise), ("f", test.f), ("p", test.p_value)];
        for (what, got) in numbers {
            same(what, got, number(right, what), 1e-8);
        }
        let n_samples: Vec<f64> =
            found.n_samples.iter().map(|of_client| of_client.iter().sum::<u64>() as f64).collect();
        let rights = list(&cell["outcomes"]);
        assert_eq!(found.outcomes.len(), rights.len());
        let alone = reals(&rights[0]["squares"]);
        for (outcome, right) in found.outcomes.iter().zip(rights) {
            let what = format!("{:?}", outcome.way);
            let last = n_samples.len() - 1;
            let model = outcome.model.as_ref().expect("there is one").of(last).expect("the last client has one");
            same_matrix(&what, model, &matrix(&right["model"]), 1e-8);
            same(&what, outcome.free_run.expect("there are stretches"), number(right, "free_run"), 1e-8);
            same(&what, found.one_step(outcome).expect("held out"), number(right, "one_step"), 1e-8);
            for (client, squares) in reals(&right["squares"]).into_iter().enumerate() {
                same(&what, outcome.squares[client].iter().sum(), squares, 1e-8);
                let Joining { alone: own, shared, .. } = found.joining(outcome, client).expect("both have models");
                same(&what, own, (alone[client] / n_samples[client]).sqrt(), 1e-8);
                same(&what, shared, (squares / n_samples[client]).sqrt(), 1e-8);
            }
        }
    }
}
