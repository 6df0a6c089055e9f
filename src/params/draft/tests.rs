use super::*;
use crate::params::MatrixKey;
use crate::sim::family::Placement;
use crate::sim::scenario::Start;
use crate::sim::schedule::Schedule;
use crate::sim::spread::Quantity;
use crate::sim::study::Study;
use crate::sim::target::Target;

#[test]
fn bad_numbers_are_replaced_and_named() {
    #[track_caller]
    fn check(key: Key, text: &str, expected: f64, notice: Option<&str>) {
        let mut draft = Draft::default();
        let given = draft.set_text(key, text).map(|notice| notice.to_string());
        assert_eq!(given.as_deref(), notice, "{key:?} {text}");
        assert_eq!(draft.get(key).to_bits(), expected.to_bits(), "{key:?} {text}: {}", draft.get(key));
    }
    check(Key::Clients, "30", 30.0, None);
    check(Key::Clients, "1e9", 10_000.0, Some("M = 1e9 is out of range: allowed 1 to 10000, using 10000"));
    check(Key::Clients, "0", 1.0, Some("M = 0 is out of range: allowed 1 to 10000, using 1"));
    check(Key::Clusters, "10.4", 10.0, Some("clusters = 10.4 is out of range: allowed 1 to 10, using 10"));
    check(Key::LocalSteps, "-3", 1.0, Some("K = -3 is out of range: allowed 1 to 100, using 1"));
    check(Key::LocalSteps, "2.5", 3.0, Some("K = 2.5 is not a whole number: allowed 1 to 100, using 3"));
    check(Key::LocalSteps, "", 10.0, Some("K without a value is not a number: allowed 1 to 100, using 10"));
    check(Key::Rollouts, "1,000", 1000.0, None);
    check(Key::Rollouts, "1e3", 1000.0, None);
    check(Key::Heterogeneity, "0,3", 0.3, None);
    check(Key::Heterogeneity, "-0", 0.0, None);
    check(Key::Heterogeneity, "0.12345", 0.12345, None);
    check(Key::Heterogeneity, "inf", 1.0, Some("eps = inf is out of range: allowed 0 to 1, using 1"));
    check(Key::StepSize, "1e-4", 1e-4, None);
    check(Key::StepSize, "NaN", 1e-4, Some("alpha = NaN is not a number: allowed 0.000001 to 0.1, using 0.0001"));
    check(
        Key::Seed,
        "4294967296",
        4_294_967_295.0,
        Some("seed = 4294967296 is out of range: allowed 0 to 4294967295, using 4294967295"),
    );
}

#[test]
fn nan_keeps_the_value_that_was_there() {
    let mut draft = Draft::default();
    assert_eq!(draft.set(Key::Rounds, 77.0), None);
    assert!(draft.set(Key::Rounds, f64::NAN).is_some());
    assert_eq!(draft.get(Key::Rounds).to_string(), "77");
    draft.reset(Key::Rounds);
    assert!(draft.is_default(Key::Rounds) && draft == Draft::default());
}

#[test]
fn settings_carry_every_value_over() {
    let mut draft = Draft::default();
    for (index, param) in TABLE.iter().enumerate() {
        draft.set(param.key, if param.grid.is_whole() { index as f64 + 1.0 } else { 0.01 * (index as f64 + 1.0) });
    }
    draft.choose(Choice::Schedule, "rounds");
    draft.choose(Choice::Start, "half");
    draft.choose(Choice::Target, "worst");
    draft.choose(Choice::Placement, "outlier");
    draft.choose(Choice::Sampling, "dropout");
    draft.systems.set_text(MatrixKey::A, "[1 2; 3 4]").unwrap();
    draft.algorithms = Algorithm::ALL.into_iter().fold(Algorithms::NONE, |set, algorithm| set.with(algorithm, true));
    let settings = draft.check().unwrap().settings().clone();
    assert_eq!((settings.n_clients, settings.n_rounds, settings.n_trials, settings.seed), (1, 6, 7, Seed(9)));
    let data = FleetPlan {
        n_rollouts: Spread::Even { low: 2, high: 24 },
        rollout_len: 8.into(),
        initial_state_std: 0.21.into(),
        input_std: 0.22.into(),
        process_noise_std: Spread::Even { low: 0.23, high: 0.23 * 24.0 },
    };
    assert_eq!((settings.data, settings.systems_seed), (data, Some(Seed(10))));
    assert_eq!(settings.n_local_steps, Spread::Even { low: 4, high: 52 });
    let numbers = [settings.heterogeneity, settings.step_size].map(|number| number.to_string());
    assert_eq!(numbers, ["0.03", "0.05"]);
    assert_eq!(settings.participation, Participation::Dropout(0.89));
    assert_eq!((settings.start, settings.target), (Start::HalfOfClient1, Target::Worst));
    assert_eq!((settings.placement, settings.gradient_scale), (Placement::OneOutlier, GradientScale::Sum));
    assert_eq!(settings.family, *draft.systems.family());
    let solvers: Vec<_> = settings.methods.iter().map(|method| method.solver).collect();
    let strength = |value: f64| value * 2.0 * 8.0;
    let expected = [
        Solver::FedLin,
        Solver::FedAvg,
        Solver::FedProx { pull: strength(0.14) },
        Solver::Scaffold,
        Solver::FedAdmm { penalty: strength(0.15), sparsity: strength(0.16) },
        Solver::Clustered { n_clusters: 10 },
        Solver::Median,
    ];
    assert_eq!(solvers, expected);
    let lines = [Reference::Weighted { weight: 0.18 }, Reference::Personalized { pull: strength(0.19) }];
    assert_eq!(settings.references[3..], lines);
    let schedules = settings.methods.iter().map(|method| method.schedule);
    assert!(schedules.skip(1).all(|schedule| schedule == Schedule::OverRounds));
    assert_eq!(settings.methods[0].schedule, Schedule::Constant);
}

/// One-shot estimates use sums, even if gradients are means.
#[test]
fn references_are_the_same_under_either_gradient() {
    let read = |query: &str| Draft::from_query(query).0.settings();
    let (sum, mean) = (read("lambda=2&N=10&T=5"), read("lambda=2&N=10&T=5&gradient=mean"));
    assert_ne!(sum.gradient_scale, mean.gradient_scale);
    assert_eq!(sum.references, mean.references);
    assert_eq!(mean.references[3..], [Reference::Personalized { pull: 2.0 * 10.0 * 5.0 }]);
}

/// With a spread of 1 the clients are equal: `Spread::Same`. So they are where the limits leave no room for a spread.
#[test]
fn others_have_up_to_so_many_times_as_much_as_client_1() {
    let read = |query: &str| Draft::from_query(query).0.settings();
    assert_eq!(read("N=9&Nspread=1").data.n_rollouts, Spread::Same(9));
    assert_eq!(read("N=9&Nspread=10").data.n_rollouts, Spread::Even { low: 9, high: 90 });
    assert_eq!(read("N=1e9&Nspread=10").data.n_rollouts, Spread::Same(1_000_000_000));
    assert_eq!(read("N=5e8&Nspread=10").data.n_rollouts, Spread::Even { low: 500_000_000, high: 1_000_000_000 });
    assert_eq!(read("K=3&Kspread=4").n_local_steps, Spread::Even { low: 3, high: 12 });
    assert_eq!(read("sw=0.5&swspread=4").data.process_noise_std, Spread::Even { low: 0.5, high: 2.0 });
    assert_eq!(read("sw=0&swspread=4").data.process_noise_std, Spread::Same(0.0));
    // Client 1 keeps its values.
    let first = |settings: &Settings| (settings.data.of(0), settings.n_local_steps.get(Quantity::LocalSteps, 0));
    assert_eq!(first(&read("Nspread=7&Kspread=5&swspread=3")), first(&read("")));
}

/// Drawing new data keeps the systems, and drawing new systems keeps the data.
#[test]
fn systems_may_have_a_seed_of_their_own() {
    let read = |query: &str| Draft::from_query(query).0;
    let systems = |draft: &Draft| draft.check().unwrap().systems().to_vec();
    // At ε = 0 all systems are equal, so the results depend only on the random data and on the participants.
    let noise = |draft: &Draft| {
        let mut draft = draft.clone();
        for (key, value) in [(Key::Heterogeneity, 0.0), (Key::Trials, 3.0), (Key::Participation, 0.5)] {
            draft.set(key, value);
        }
        format!("{:?}", Study::new(draft.check().unwrap()).run())
    };
    let before = read("M=9&R=20");
    let mut new_data = before.clone();
    new_data.draw_new_data();
    assert_eq!(new_data.to_query(), "M=9&R=20&seed=8&systems=7");
    assert_eq!(systems(&new_data), systems(&before), "to the last bit");
    assert_ne!(noise(&new_data), noise(&before));
    let new_systems = read("M=9&R=20&systems=8");
    assert!(systems(&new_systems).iter().zip(systems(&before)).all(|(new, old)| *new != old));
    assert_eq!(noise(&new_systems), noise(&before));
    // Without a seed of their own the systems take the general seed, whatever its value, even 0.
    assert_eq!(systems(&read("M=9&seed=8")), systems(&new_systems));
    assert_eq!(systems(&read("M=9&systems=0")), systems(&read("M=9&seed=0")));
    for (query, expected) in [
        ("seed=8&systems=seed", "seed=8"),
        ("systems=8&seed=8", "seed=8&systems=8"),
        ("systems=x", ""),
        ("systems=7", "systems=7"),
    ] {
        assert_eq!(read(query).to_query(), expected, "{query}");
    }
    let mut again = read("seed=8&systems=3");
    again.reset(Key::SystemsSeed);
    assert_eq!((again.get(Key::SystemsSeed).to_string(), again), ("8".into(), read("seed=8")));
}

#[test]
fn the_ends_of_every_range_make_a_scenario() {
    for largest in [false, true] {
        let mut draft = Draft { algorithms: Algorithms::NONE, ..Draft::default() };
        for param in &TABLE {
            draft.set(param.key, if largest { param.grid.max() } else { param.grid.min() });
        }
        let scenario = draft.check().unwrap();
        assert_eq!(scenario.settings().seed, Seed(if largest { u32::MAX.into() } else { 0 }));
    }
}

#[test]
fn algorithms_are_read_as_a_list() {
    #[track_caller]
    fn check(text: &str, expected: &str, notice: Option<&str>) {
        let mut draft = Draft::default();
        let given = draft.set_algorithms(text).map(|notice| notice.to_string());
        assert_eq!((draft.algorithms.to_string().as_str(), given.as_deref()), (expected, notice), "{text}");
    }
    check("fedlin", "fedlin", None);
    check("FedAvg, FedLin", "fedlin,fedavg", None);
    check("", "none", None);
    check("none", "none", None);
    check("fedlin,fedlin", "fedlin", None);
    check("median,scaffold", "scaffold,median", None);
    let allowed = "allowed fedlin, fedavg, fedprox, scaffold, fedadmm, clustered, median";
    let none = format!("alg = fedsgd is not among the choices: {allowed}, using fedlin,fedavg");
    check("fedsgd", "fedlin,fedavg", Some(&none));
    let some = format!("alg = fedavg,fedsgd is not among the choices: {allowed}, using fedavg");
    check("fedavg,fedsgd", "fedavg", Some(&some));
}

#[test]
fn choices_are_read_by_their_words() {
    let mut draft = Draft::default();
    assert_eq!(draft.choose(Choice::Schedule, " Local "), None);
    assert_eq!(draft.choose(Choice::Start, "half"), None);
    let words = |draft: &Draft| [Choice::Schedule, Choice::Start].map(|choice| draft.option(choice).word);
    assert_eq!(words(&draft), ["local", "half"]);
    let notice = draft.choose(Choice::Schedule, "fast").map(|notice| notice.to_string());
    let expected = "schedule = fast is not among the choices: allowed constant, local, rounds, harmonic, using local";
    assert_eq!(notice.as_deref(), Some(expected));
    assert!(draft.choose(Choice::Start, "").is_some());
    assert_eq!(words(&draft), ["local", "half"]);
}

#[test]
fn strengths_are_for_each_sample() {
    let algorithms = Algorithms::NONE.with(Algorithm::FedProx, true);
    let mut draft = Draft { algorithms, ..Draft::default() };
    let pull = |draft: &Draft| draft.settings().methods[0].solver.pull();
    let of_sum = pull(&draft);
    draft.choose(Choice::Gradient, "mean");
    assert!((of_sum - 125.0 * pull(&draft)).abs() < 1e-12);
}
