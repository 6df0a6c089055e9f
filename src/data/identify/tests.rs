#![expect(clippy::format_collect, reason = "small texts")]

use fedsysid_sim::estimate::least_squares;
use fedsysid_sim::family::{Family, Place};
use fedsysid_sim::plan::{DataPlan, NoiseLevels};
use fedsysid_sim::samples::simulate_samples;
use fedsysid_sim::stability::contraction;
use fedsysid_sim::stream::{Purpose, Seed, stream};

use super::*;
use crate::reader::Reader;
use crate::write;

/// A file of clients' data, with the given number of rollouts for each client.
fn text(rollouts: &[usize], rollout_len: usize, heterogeneity: f64) -> String {
    let mut text = write::header(Family::paper().dims());
    for (client, &n_rollouts) in rollouts.iter().enumerate() {
        let place = Place { a: client as f64 / rollouts.len() as f64, b: 0.5 };
        let system = Family::paper().member(place, heterogeneity).unwrap();
        let plan = DataPlan { n_rollouts, rollout_len, noise: NoiseLevels::UNIT };
        let samples = simulate_samples(&system, &plan, &mut stream(Seed(5), Purpose::Data, 0, client));
        text += &write::rows(&format!("c{client}"), &samples, rollout_len);
    }
    text
}

fn sites_of(text: &str) -> Sites {
    let mut reader = Reader::new(|text| text.parse().ok());
    reader.push(text.as_bytes()).unwrap();
    reader.finish().unwrap().sites
}

fn identified(sites: &Sites, rounds: Rounds) -> Identified {
    let mut identification = Identification::new(sites, rounds);
    let mut before = 0.0;
    while identification.step(sites) {
        assert!((before..=1.0).contains(&identification.progress()));
        before = identification.progress();
    }
    assert!(identification.progress() > 0.999, "{before}");
    identification.finish()
}

fn shared(outcome: &Outcome) -> &Matrix {
    match outcome.model.as_ref().unwrap() {
        Model::Shared(model) => model,
        Model::Each(_) => panic!("one for all"),
    }
}

fn of(found: &Identified, way: Way) -> &Outcome {
    found.outcomes.iter().find(|outcome| outcome.way == way).unwrap()
}

#[test]
fn methods_converge_to_what_they_are_known_to() {
    let sites = sites_of(&text(&[9, 12, 30, 7], 5, 0.4));
    let found = identified(&sites, Rounds { n_rounds: 20_000, n_local_steps: 5 });
    let pooled = found.pooled.as_ref().unwrap();
    assert_eq!(shared(of(&found, Way::Pooled)), &pooled.theta);
    let far = |way: Way| (shared(of(&found, way)) - &pooled.theta).amax();
    assert!(far(Way::Method(Solver::FedLin)) < 1e-9);
    assert!(far(Way::Method(Solver::Scaffold)) < 1e-9);
    assert!((1e-6..1.0).contains(&far(Way::Method(Solver::FedAvg))));
    let mean = found.locals.iter().fold(Matrix::zeros(3, 5), |sum, local| sum + &local.as_ref().unwrap().theta) / 4.0;
    assert!((shared(of(&found, Way::MeanOfLocals)) - mean).amax() < 1e-12);
    assert!(found.outcomes.iter().all(|outcome| outcome.model.is_ok()), "{:?}", found.outcomes);
    let contraction = of(&found, Way::Method(Solver::FedAvg)).contraction.unwrap();
    assert!((0.0..1.0).contains(&contraction));
}

/// A file in other units gives the same predictions, and equivalent models.
#[test]
fn units_do_not_matter() {
    let plain = text(&[9, 12, 30], 5, 0.4);
    let in_units: String = plain
        .lines()
        .enumerate()
        .map(|(line, row)| {
            let fields: Vec<_> = row.split(',').collect();
            let scaled = |field: &str| field.parse::<f64>().map_or(String::new(), |u| (u * 1_000.0).to_string());
            let last = if line == 0 { "u2".to_owned() } else { scaled(fields[7]) };
            format!("{},{last}\n", fields[..7].join(","))
        })
        .collect();
    let (plain, scaled) = (sites_of(&plain), sites_of(&in_units));
    let (plain, scaled) = (identified(&plain, Rounds::default()), identified(&scaled, Rounds::default()));
    for (a, b) in plain.outcomes.iter().zip(&scaled.outcomes) {
        let (error, other) = (plain.one_step(a).unwrap(), scaled.one_step(b).unwrap());
        assert!((error - other).abs() < 1e-9, "{:?}: {error} {other}", a.way);
    }
    let column = |found: &Identified| found.pooled.as_ref().unwrap().theta[(0, 4)];
    assert!((column(&plain) - 1_000.0 * column(&scaled)).abs() < 1e-9);
}

/// Cross-validation and free runs, computed from samples as their definitions say, part by part.
#[test]
fn predictions_are_held_against_samples_that_were_left_out() {
    let text = text(&[11, 6], 4, 0.2);
    let sites = sites_of(&text);
    let found = identified(&sites, Rounds::default());
    // (client, part, z, next) of every sample.
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let number = |field: &str| field.parse::<f64>().unwrap();
    let samples: Vec<_> = rows
        .windows(2)
        .filter(|pair| pair[0][..2] == pair[1][..2])
        .map(|pair| {
            let part = (pair[0][1].parse::<usize>().unwrap() - 1) % N_FOLDS;
            let client = usize::from(pair[0][0] == "c1");
            let z: Vec<_> = pair[0][3..].iter().map(|field| number(field)).collect();
            let next: Vec<_> = pair[1][3..6].iter().map(|field| number(field)).collect();
            (client, part, z, next)
        })
        .collect();
    let mean = |j: usize| samples.iter().map(|(.., next)| next[j]).sum::<f64>() / samples.len() as f64;
    let variance =
        |j: usize| samples.iter().map(|(.., x)| (x[j] - mean(j)).powi(2)).sum::<f64>() / samples.len() as f64;
    let model = |keep: &dyn Fn(usize, usize) -> bool| {
        let mut sums = Sums::new(sites.dims());
        let kept = samples.iter().filter(|(client, part, ..)| keep(*client, *part));
        kept.for_each(|(_, _, z, next)| sums.add_sample(z, next));
        least_squares(&sums.moments()).unwrap()
    };
    let (mut alone, mut pooled) = (0.0, 0.0);
    // In the round that leaves out this part of the first client, it is the next part of the second.
    let round = |client: usize, part: usize| (part + N_FOLDS - client) % N_FOLDS;
    let without = |round: usize| model(&move |client, part| part != (round + client) % N_FOLDS);
    for (client, part, z, next) in &samples {
        let own = model(&|other, fold| other == *client && fold != *part);
        let all = without(round(*client, *part));
        for j in 0..3 {
            let miss = |theta: &Matrix| ((0..5).map(|k| theta[(j, k)] * z[k]).sum::<f64>() - next[j]).powi(2);
            alone += miss(&own) / variance(j) / 3.0;
            pooled += miss(&all) / variance(j) / 3.0;
        }
    }
    let count = samples.len() as f64;
    let got = |way| found.one_step(of(&found, way)).unwrap();
    assert!((got(Way::Alone) - (alone / count).sqrt()).abs() < 1e-9);
    assert!((got(Way::Pooled) - (pooled / count).sqrt()).abs() < 1e-9);
    // Free runs start from the first rows of rollouts 1, 6 and 11.
    let (mut squares, mut n_steps, mut z) = (0.0, 0.0, Vec::new());
    for (step, (client, _, known, next)) in samples.iter().filter(|(_, part, ..)| *part == 0).enumerate() {
        let all = without(round(*client, 0));
        z = if step % 4 == 0 { known.clone() } else { [&z[..3], &known[3..]].concat() };
        let ahead: Vec<f64> = (0..3).map(|j| (0..5).map(|k| all[(j, k)] * z[k]).sum()).collect();
        squares += (0..3).map(|j| (ahead[j] - next[j]).powi(2) / variance(j) / 3.0).sum::<f64>();
        n_steps += 1.0;
        z[..3].copy_from_slice(&ahead);
    }
    let free = of(&found, Way::Pooled).free_run.unwrap();
    assert!((free - (squares / n_steps).sqrt()).abs() < 1e-9, "{free}");
    assert_eq!(found.n_stretches, 5);
}

/// Every client is left out in its turn, so there is a model of the others that predicts its data.
#[test]
fn clients_with_one_short_rollout_are_held_out_one_after_the_other() {
    let sites = sites_of(&text(&[1; 7], 4, 0.1));
    let found = identified(&sites, Rounds::default());
    let pooled = of(&found, Way::Pooled);
    let error = found.one_step(pooled).unwrap();
    assert!((0.01..1.5).contains(&error) && pooled.free_run.is_some(), "{error}");
    let sums: Vec<_> = sites.all().iter().map(|site| site.sums(None)).collect();
    let total = Sums::total(sites.dims(), &sums);
    let variances: Vec<_> = total.squared_deviations().iter().map(|sum| sum / 28.0).collect();
    let mut squares = 0.0;
    for (client, own) in sums.iter().enumerate() {
        let others = (0..7).filter(|other| other % N_FOLDS != client % N_FOLDS).map(|other| &sums[other]);
        let theta = Sums::total(sites.dims(), others).least_squares().unwrap();
        squares += normalised(&own.squared_residuals(&theta), &variances);
    }
    assert!((error - (squares / 28.0).sqrt()).abs() < 1e-9, "{error}");
}

/// Rollouts of one state that is multiplied by a client's factor in every step, without noise.
fn shrinking(clients: &[(f64, usize)]) -> Sites {
    let mut rows = vec!["client,rollout,x1".to_owned()];
    for (client, &(factor, n_rollouts)) in clients.iter().enumerate() {
        for rollout in 0..n_rollouts {
            let row = |step| format!("c{client},{rollout},{}", (1.0 + rollout as f64) * factor.powi(step));
            rows.extend((0..5).map(row));
        }
    }
    sites_of(&(rows.join("\n") + "\n"))
}

/// In one round, all data of the last client are left out. It is no group of its own then, nor a vote for staying at zero.
#[test]
fn a_client_that_is_left_out_as_a_whole_takes_no_part() {
    let sites = shrinking(&[(0.9, 10), (0.5, 10), (0.9, 10), (0.5, 10), (0.9, 1)]);
    let found = identified(&sites, Rounds::default());
    let clustered = of(&found, Way::Method(Solver::Clustered { n_clusters: 2 }));
    for client in 0..4 {
        let squares: f64 = clustered.squares[client].iter().sum();
        assert!(squares < 1e-12, "{client}: {:?}", clustered.squares);
    }
    assert_eq!(clustered.squares[4].iter().filter(|square| square.is_nan()).count(), 1, "{:?}", clustered.squares);
}

/// A client whose file has no sample of it: everybody else is identified as without it.
#[test]
fn a_client_without_samples_takes_no_part() {
    let all = [(0.9, 10), (0.8, 10), (0.7, 10)];
    let mut with_one_more = shrinking(&all);
    let dims = with_one_more.dims();
    with_one_more.add(crate::sites::Site::new("empty".into(), dims)).unwrap();
    let (found, expected) =
        (identified(&with_one_more, Rounds::default()), identified(&shrinking(&all), Rounds::default()));
    for (outcome, expected) in found.outcomes.iter().zip(&expected.outcomes) {
        match (&outcome.model, &expected.model) {
            (Ok(Model::Shared(model)), Ok(Model::Shared(expected))) => {
                assert!((model - expected).amax() < 1e-12, "{:?}: {model} {expected}", outcome.way);
            }
            (Ok(Model::Each(models)), Ok(Model::Each(expected))) => {
                assert_eq!((&models[..3], models[3].is_none()), (&expected[..], true), "{:?}", outcome.way);
            }
            (model, expected) => assert_eq!(model, expected, "{:?}", outcome.way),
        }
        assert_eq!(found_error(&found, outcome), found_error(&found, expected), "{:?}", outcome.way);
    }
}

fn found_error(found: &Identified, outcome: &Outcome) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "as many digits as are compared")]
    found.one_step(outcome).map(|error| (error * 1e9).round() as i64)
}

/// A state in other units gives the same groups of clients, and equivalent models.
#[test]
fn clients_are_grouped_alike_whatever_the_units_of_states() {
    let in_units = |unit: f64, column: usize| {
        let scaled = |(place, field): (usize, &str)| match field.parse::<f64>() {
            Ok(x) if place == column => (unit * x).to_string(),
            _ => field.to_owned(),
        };
        let row = |row: &str| row.split(',').enumerate().map(scaled).collect::<Vec<_>>().join(",") + "\n";
        let found =
            identified(&sites_of(&text(&[3; 9], 5, 0.6).lines().map(row).collect::<String>()), Rounds::default());
        let clustered = of(&found, Way::Method(Solver::Clustered { n_clusters: 2 }));
        let Model::Each(models) = clustered.model.clone().unwrap() else { panic!("two groups") };
        let models: Vec<_> = models.into_iter().map(Option::unwrap).collect();
        let groups: Vec<_> = models.iter().map(|model| model == &models[0]).collect();
        (groups, found.one_step(clustered).unwrap())
    };
    let (plain, error) = in_units(1.0, 3);
    assert!(plain.contains(&false), "{plain:?}");
    for (unit, column) in [(1e3, 3), (1e-3, 3), (1e3, 4), (1e3, 5), (1e-3, 5)] {
        let (groups, other) = in_units(unit, column);
        assert_eq!(groups, plain, "column {column} in units of {unit}");
        assert!((error - other).abs() < 1e-9, "{error} {other}");
    }
}

/// With one regressor, every step of FedAvg's size would leap over FedProx's minimum, and ten would lead back.
#[test]
fn fedprox_moves_with_a_single_regressor() {
    let rows = |client: u32| {
        let rollout = (0..40_u32).scan(1.0, move |x, step| {
            let row = format!("{client},{x}\n");
            *x = 0.8 * *x + f64::from(17 * step + client).sin();
            Some(row)
        });
        rollout.collect::<String>()
    };
    let text = format!("client,x1\n{}{}", rows(1), rows(2));
    let found = identified(&sites_of(&text), Rounds { n_local_steps: 10, n_rounds: 30 });
    let pooled = found.pooled.as_ref().unwrap().theta[(0, 0)];
    let fedprox = found.outcomes.iter().find(|it| matches!(it.way, Way::Method(Solver::FedProx { .. }))).unwrap();
    assert!((shared(fedprox)[(0, 0)] - pooled).abs() < 0.01, "{:?} {pooled}", fedprox.model);
    assert!(fedprox.contraction.unwrap() < 0.7, "{:?}", fedprox.contraction);
}

#[test]
fn joining_pays_for_those_who_are_alike_and_have_little() {
    let sites = sites_of(&text(&[3; 12], 5, 0.0));
    let found = identified(&sites, Rounds::default());
    let pooled = of(&found, Way::Pooled);
    let gains =
        (0..12).filter_map(|client| found.joining(pooled, client)).filter(|joining| joining.shared < joining.alone);
    assert!(gains.count() >= 10);
    let sites = sites_of(&text(&[400; 4], 5, 2.0));
    let found = identified(&sites, Rounds::default());
    let pooled = of(&found, Way::Pooled);
    for client in 0..4 {
        let joining = found.joining(pooled, client).unwrap();
        assert!(joining.shared > joining.alone && joining.is_clear, "{client}: {joining:?}");
    }
}

#[test]
fn a_client_with_too_little_has_no_model_of_its_own_but_a_shared_one() {
    let sites = sites_of(&text(&[9, 1, 9], 3, 0.1));
    let found = identified(&sites, Rounds::default());
    assert!(found.locals[1].is_err() && found.locals[0].is_ok());
    let pooled = of(&found, Way::Pooled);
    assert!(found.joining(pooled, 1).is_none() && found.joining(pooled, 2).is_some());
    assert!(of(&found, Way::MeanOfLocals).model.is_err());
    assert!(found.one_step(pooled).unwrap() > 0.0);
    assert!(found.one_step(of(&found, Way::MeanOfLocals)).is_none());
    assert_eq!(found.spread.unwrap().n_clients, 2);
}

/// The second client has one rollout, in the first part, and a thousand times the others' values: if its stretch
/// counted for shared models alone, they would be far worse than the clients' own.
#[test]
fn free_runs_of_all_ways_are_along_the_same_stretches() {
    let plain = text(&[9, 1, 9], 3, 0.1);
    let loud = |row: &str| {
        let loud = |field: &str| field.parse::<f64>().map_or(String::new(), |value| (value * 1_000.0).to_string());
        row.split(',').enumerate().map(|(place, it)| if place < 3 { it.into() } else { loud(it) }).collect::<Vec<_>>()
    };
    let rows = plain.lines().map(|row| if row.starts_with("c1,") { loud(row).join(",") } else { row.to_owned() });
    let found = identified(&sites_of(&rows.map(|row| row + "\n").collect::<String>()), Rounds::default());
    assert!(found.outcomes[0].squares[1][0].is_nan() && found.locals[1].is_err());
    assert_eq!(found.n_stretches, 4, "rollouts 1 and 6 of the others");
    for way in [Way::Alone, Way::Pooled] {
        let error = of(&found, way).free_run.unwrap();
        assert!(error < 0.05, "{way:?}: {error}");
    }
    // If nobody has a model of its own, all stretches count.
    let found = identified(&sites_of(&text(&[2; 6], 3, 0.1)), Rounds::default());
    assert_eq!((found.n_stretches, of(&found, Way::Alone).free_run), (6, None));
    assert!(of(&found, Way::Pooled).free_run.is_some());
}

#[test]
fn a_column_without_life_is_said_to_be_the_reason() {
    let still = text(&[9, 9], 3, 0.1).lines().enumerate().fold(String::new(), |all, (line, row)| {
        let (rest, last) = row.rsplit_once(',').unwrap();
        let last = if line == 0 || last.is_empty() { last } else { "0" };
        all + rest + "," + last + "\n"
    });
    let sites = sites_of(&still);
    let found = identified(&sites, Rounds::default());
    assert_eq!(found.pooled, Err(EstimateError::Singular { client: None, regressor: 4 }));
    let fedavg = of(&found, Way::Method(Solver::FedAvg));
    assert!(fedavg.model.is_ok() && found.one_step(fedavg).is_some(), "steps do not mind");
}

/// If no state ever changes, every step size is stable and no step changes a model: the initial zeros are not a model
/// that anybody has learned.
#[test]
fn where_nothing_ever_moves_no_method_has_a_model() {
    let still = text(&[9, 9], 3, 0.1).lines().enumerate().fold(String::new(), |all, (line, row)| {
        let fields = row.split(',').enumerate();
        let fields = fields.map(|(place, field)| if line == 0 || place < 3 || field.is_empty() { field } else { "0" });
        all + &fields.collect::<Vec<_>>().join(",") + "\n"
    });
    let found = identified(&sites_of(&still), Rounds::default());
    assert!(found.step_size.is_infinite(), "{}", found.step_size);
    assert!(found.outcomes.iter().all(|outcome| outcome.free_run.is_none()), "{:?}", found.outcomes);
    let methods = found.outcomes.iter().filter(|outcome| matches!(outcome.way, Way::Method(_)));
    for outcome in methods {
        assert_eq!(outcome.model, Err(EstimateError::NotFinite), "{:?}", outcome.way);
        assert_eq!(found.one_step(outcome), None, "{:?}", outcome.way);
    }
}

/// A thousand rounds at a time would take a second with forty states and inputs.
#[test]
fn a_step_of_work_has_fewer_rounds_where_these_take_longer() {
    let n_steps = |n_states: usize| {
        let dims = crate::Dims { n_states, n_inputs: n_states };
        let s = Matrix::identity(2 * n_states, 2 * n_states);
        let moments = fedsysid_sim::moments::Moments { c: s.rows(0, n_states).into_owned(), s, n_samples: 99 };
        let mut fleet = Fleet::new(dims);
        fleet.add(&moments, 1);
        let mut run = SharedRun::new(Solver::Median, &fleet, 0.1, 20);
        1 + (0..20).take_while(|_| run.advance(&fleet)).count()
    };
    assert_eq!([1, 40].map(n_steps), [1, 20]);
}

/// The differences in the parts with samples have a mean of 1, which is `times` their standard error; the two-sided 5 %
/// quantiles of Student's t are 2.776 for five parts and 12.706 for two.
#[test]
fn a_difference_is_clear_beyond_the_quantile_for_the_number_of_parts() {
    let found = identified(&sites_of(&text(&[9; 2], 3, 0.1)), Rounds::default());
    // The variance of −1, −½, 0, ½, 1 is 0.625, and that of −1, 1 is 2; divided by the number of parts, it is the
    // variance of their mean.
    let five = (0.625_f64 / 5.0, [-1.0, -0.5, 0.0, 0.5, 1.0], [10; N_FOLDS]);
    let two = (1.0, [-1.0, 1.0, 0.0, 0.0, 0.0], [10, 10, 0, 0, 0]);
    for ((variance, parts, n_samples), times, is_clear) in
        [(five, 2.8, true), (five, 2.7, false), (two, 12.8, true), (two, 12.6, false)]
    {
        let size = 1.0 / (times * variance.sqrt());
        let squares = |offset: f64| {
            std::array::from_fn(
                |part| if n_samples[part] > 0 { 40.0 + offset * (1.0 + size * parts[part]) } else { 0.0 },
            )
        };
        for (own, other) in [(1.0, 0.0), (0.0, 1.0)] {
            let mut found = Identified { n_samples: vec![n_samples; 2], ..found.clone() };
            found.outcomes[0].squares = vec![squares(own); 2];
            found.outcomes[1].squares = vec![squares(other); 2];
            let joining = found.joining(&found.outcomes[1], 1).unwrap();
            assert_eq!(joining.is_clear, is_clear, "{times}");
            let total = n_samples.iter().sum::<u64>() as f64;
            let error = |offset: f64| (squares(offset).iter().sum::<f64>() / total).sqrt();
            assert!((joining.alone - error(own)).abs() < 1e-12 && (joining.shared - error(other)).abs() < 1e-12);
        }
    }
}

/// Estimates of thousands of clients, or of dozens of states, take seconds in all: meanwhile, an order to stop is heard.
#[test]
fn clients_are_identified_and_compared_in_small_steps() {
    let sites = sites_of(&text(&[9; 4], 3, 0.1));
    let mut identification = Identification::new(&sites, Rounds::default());
    for n_done in 0..4 {
        assert_eq!((identification.locals.len(), identification.found.spread.is_err()), (n_done, true));
        assert!(identification.step(&sites));
    }
    // A step for each state, and one for the result.
    let is_open = |_: &i32| identification.step(&sites) && identification.found.spread.is_err();
    assert_eq!((0..9).take_while(is_open).count(), 3);
}

#[test]
fn twice_the_step_is_where_one_of_two_methods_ends_to_converge() {
    let sites = sites_of(&text(&[9, 30, 12], 5, 0.5));
    let rounds = Rounds::default();
    let sums: Vec<_> = sites.all().iter().map(|site| site.sums(None)).collect();
    let scales = shared::scales(&Sums::total(sites.dims(), &sums));
    let fleet = shared::fleet(&sums, &scales, rounds.n_local_steps).unwrap();
    let step_size = identified(&sites, rounds).step_size;
    let largest = |share: f64| {
        let of = |method| contraction(method, share * step_size, &fleet).unwrap();
        DECIDE.map(of).into_iter().fold(0.0, f64::max)
    };
    assert!(largest(1.999) < 1.0 && largest(2.001) > 1.0);
}

/// Errors that differ by rounding are a tie however well the parts agree, and so is noise; more of it is not.
#[test]
fn ways_are_told_apart_if_the_parts_agree() {
    let found = identified(&sites_of(&text(&[9; 2], 3, 0.1)), Rounds::default());
    let way = |squares: [f64; N_FOLDS]| Outcome { squares: vec![squares; 2], ..found.outcomes[0].clone() };
    let plain = way([10.0; N_FOLDS]);
    assert!(!found.is_apart(&plain, &way([10.0 + 1e-12; N_FOLDS])));
    assert!(!found.is_apart(&plain, &way([10.0, 12.0, 8.0, 11.0, 10.0])));
    assert!(found.is_apart(&plain, &way([12.0, 13.0, 12.0, 11.0, 12.0])));
    assert!(!found.is_apart(&plain, &way([f64::NAN; N_FOLDS])));
}

/// With a tenth of the rounds that they need, methods would still move; once settled they would not.
#[test]
fn rounds_are_settled_once_more_of_them_move_nothing() {
    let sites = sites_of(&text(&[9, 12, 30, 7], 5, 0.4));
    let settled = |n_rounds| {
        let found = identified(&sites, Rounds { n_rounds, n_local_steps: 5 });
        found.outcomes.iter().map(|outcome| outcome.is_settled).collect::<Vec<_>>()
    };
    assert!(settled(20_000).iter().all(|is_settled| *is_settled));
    let few = settled(3);
    assert!(few[..3].iter().all(|is_settled| *is_settled), "no rounds: {few:?}");
    assert!(few[3..].iter().all(|is_settled| !is_settled), "{few:?}");
}
