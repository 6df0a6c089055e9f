use super::*;
use crate::Theory;
use crate::expectation::ExpectedFleet;
use crate::law::{Law, MeanNorms, alone};
use fedsysid_sim::Matrix;
use fedsysid_sim::family::{Family, Placement};
use fedsysid_sim::scenario::Settings;
use fedsysid_sim::spread::Spread;
use fedsysid_sim::system::LinearSystem;
use fedsysid_sim::target::Truth;
use fedsysid_sim::trial::Experiment;

fn heterogeneities() -> Vec<f64> {
    (0..60_u32).map(|k| 1e-3 * libm::exp2(f64::from(k) / 5.5)).collect()
}

fn finish(scenario: &Scenario, heterogeneities: Vec<f64>, rows: Rows) -> Result<Payoff, NoPrediction> {
    let mut run = PayoffRun::new(scenario, heterogeneities, rows)?;
    let mut before = run.progress();
    loop {
        if let Some(payoff) = run.step() {
            return payoff;
        }
        let (done, all) = run.progress();
        assert!(done >= before.0 && done <= all, "{done} of {all}");
        before = (done, all);
    }
}

/// A family of systems with one state and one input.
fn scalar() -> Family {
    let matrix = |value| Matrix::from_element(1, 1, value);
    let nominal = LinearSystem::new(matrix(0.7), matrix(0.5)).unwrap();
    Family::new(nominal, matrix(1.0), matrix(0.5)).unwrap()
}

/// The ratio computed directly, by its definition.
fn directly(settings: &Settings, norms: &mut MeanNorms) -> Result<f64, NoPrediction> {
    let scenario = Scenario::new(settings.clone()).unwrap();
    let expected = {
        let mut expected = ExpectedFleet::empty(&scenario);
        while expected.grow(&scenario, scenario.systems()) {}
        expected
    };
    let truth = Truth::new(settings.target, scenario.systems());
    let pooled = norms.of(&Law::pooled(&expected)?.of_samples(expected.n_samples())?, &truth);
    Ok(pooled / alone(&expected, settings.target, norms)?)
}

/// The settings of a row; `None` if its numbers of rollouts are not whole.
fn with_row(settings: &Settings, rows: &Rows, place: f64) -> Option<Settings> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let count = |place: f64| place.round() as usize;
    match rows {
        Rows::Clients(_) => Some(Settings { n_clients: count(place), ..settings.clone() }),
        Rows::Rollouts(_) => {
            let first = settings.data.n_rollouts.first()? as f64;
            let scaled = |n: usize| {
                let scaled = n as f64 * place / first;
                ((scaled - scaled.round()).abs() < 1e-9).then(|| count(scaled))
            };
            let mut settings = settings.clone();
            settings.data.n_rollouts = match settings.data.n_rollouts {
                Spread::Same(n) => Spread::Same(scaled(n)?),
                Spread::Even { low, high } => Spread::Even { low: scaled(low)?, high: scaled(high)? },
                Spread::Each(all) => Spread::Each(all.into_iter().map(scaled).collect::<Option<_>>()?),
            };
            Some(settings)
        }
    }
}

#[track_caller]
fn check(settings: &Settings, rows: &Rows, share: f64) {
    let scenario = Scenario::new(settings.clone()).unwrap();
    let map = finish(&scenario, heterogeneities(), rows.clone()).unwrap().ratio;
    let mut norms = MeanNorms::new(settings.family.dims());
    let mut n_checked = 0;
    for (y, &place) in map.ys.iter().enumerate() {
        let Some(row) = with_row(settings, rows, place) else { continue };
        if matches!(settings.target, Target::Client(client) if client >= row.n_clients) {
            continue;
        }
        for (x, &heterogeneity) in map.xs.iter().enumerate().step_by(7) {
            let got = map.row(y)[x];
            match directly(&Settings { heterogeneity, ..row.clone() }, &mut norms) {
                Ok(expected) => {
                    let close = (got / expected - 1.0).abs() < share;
                    assert!(close, "ε = {heterogeneity}, {place}: {got} and not {expected}");
                    n_checked += 1;
                }
                Err(_) => assert!(got.is_nan(), "ε = {heterogeneity}, {place}: {got}"),
            }
        }
    }
    assert!(n_checked > 40);
}

fn clients() -> Rows {
    Rows::Clients(vec![1, 2, 3, 4, 5, 7, 10, 14, 20, 31, 50, 77, 120, 200])
}

fn rollouts() -> Rows {
    Rows::Rollouts(vec![1, 2, 5, 8, 10, 16, 20, 25, 40, 64, 100, 250, 640, 1_000])
}

/// Unequal data: in the rollouts only, or in everything.
fn unequal(all: bool) -> Settings {
    let mut settings = Settings::paper();
    settings.data.n_rollouts = Spread::Each(vec![5, 20, 10]);
    if all {
        settings.data.rollout_len = Spread::Even { low: 2, high: 9 };
        settings.data.process_noise_std = Spread::Even { low: 0.5, high: 2.0 };
        settings.data.input_std = Spread::Even { low: 0.3, high: 2.0 };
    }
    settings
}

#[test]
fn a_clients_ratio_is_that_of_the_definitions() {
    for rows in &[clients(), rollouts()] {
        check(&Settings::paper(), rows, 5e-3);
        check(&Settings { family: scalar(), ..Settings::paper() }, rows, 5e-3);
        check(&Settings { placement: Placement::Even, ..Settings::paper() }, rows, 5e-3);
        check(&Settings { placement: Placement::OneOutlier, ..Settings::paper() }, rows, 5e-3);
        check(&unequal(false), rows, 5e-3);
        check(&unequal(true), rows, 1.5e-2);
        // This client is near the mean of all, so the direction of its bias varies.
        check(&Settings { target: Target::Client(7), ..Settings::paper() }, rows, 1.5e-2);
    }
}

/// Over M, direct evaluation divides its draws differently among the clients; over N it does not.
#[test]
fn the_mean_ratio_is_that_of_the_definitions() {
    let mean = |settings: Settings| Settings { target: Target::Mean, ..settings };
    check(&mean(Settings::paper()), &rollouts(), 5e-3);
    check(&mean(Settings { family: scalar(), ..Settings::paper() }), &rollouts(), 5e-3);
    check(&mean(unequal(false)), &rollouts(), 5e-3);
    check(&mean(Settings::paper()), &clients(), 3e-2);
    check(&mean(unequal(false)), &clients(), 3e-2);
}

/// Of thousands of clients some stand for all, and not only those of one kind.
#[test]
fn clients_of_two_kinds_are_both_among_those_that_stand_for_all() {
    let mut alternating = Settings::paper();
    alternating.data.n_rollouts = Spread::Each(vec![400, 25]);
    for settings in [alternating, Settings { placement: Placement::TwoClusters, ..Settings::paper() }] {
        let settings = Settings { n_clients: 2_048, target: Target::Mean, ..settings };
        let scenario = Scenario::new(settings.clone()).unwrap();
        let map = finish(&scenario, vec![0.01, 0.3], Rows::Clients(vec![1_024, 2_048])).unwrap().ratio;
        let mut norms = MeanNorms::new(settings.family.dims());
        for (y, n_clients) in [1_024, 2_048].into_iter().enumerate() {
            for (x, heterogeneity) in [0.01, 0.3].into_iter().enumerate() {
                let there = Settings { heterogeneity, n_clients, ..settings.clone() };
                let expected = directly(&there, &mut norms).unwrap();
                let got = map.row(y)[x];
                assert!((got / expected - 1.0).abs() < 0.03, "M = {n_clients}, ε = {heterogeneity}: {got} {expected}");
            }
        }
    }
}

/// Where few rollouts outweigh all others there is no value, whatever the settings' own ε.
#[test]
fn a_map_ends_where_systems_are_too_unstable() {
    let nominal = LinearSystem::new(Matrix::from_element(1, 1, 1.3), Matrix::from_element(1, 1, 1.0)).unwrap();
    let family = Family::new(nominal, Matrix::from_element(1, 1, 1.0), Matrix::zeros(1, 1)).unwrap();
    let mut settings = Settings { family, n_clients: 20, ..Settings::paper() };
    settings.data.rollout_len = 10.into();
    let of = |heterogeneity: f64| {
        let scenario = Scenario::new(Settings { heterogeneity, ..settings.clone() }).unwrap();
        (crate::growth::is_uneven(&scenario), finish(&scenario, vec![0.0, 0.1, 1.0], Rows::Clients(vec![1, 2, 20])))
    };
    // From ε = 0.285 on, 1.585¹⁰ = 100 is passed by somebody.
    let (is_uneven, near) = of(0.1);
    assert!(!is_uneven);
    let (is_uneven, far) = of(1.0);
    assert!(is_uneven);
    let near = near.unwrap();
    assert_eq!(near.ratio.ys, far.unwrap().ratio.ys, "there is a map around either");
    for row in 1..3 {
        let [alike, differing, unstable] = *near.ratio.row(row) else { panic!("three columns") };
        assert!(alike < 1.0 && differing.is_finite() && unstable.is_nan(), "{row}: {:?}", near.ratio.row(row));
    }
    assert!((near.ratio.row(0)[2] - 1.0).abs() < 0.01, "alone there is nobody to be outweighed by");
}

#[track_caller]
fn check_break_even(settings: &Settings) {
    let scenario = Scenario::new(settings.clone()).unwrap();
    let expected = Theory::of(&Experiment::new(scenario.clone())).break_even.unwrap();
    let first = settings.data.n_rollouts.first().unwrap();
    for (rows, own) in [(clients(), settings.n_clients as f64), (rollouts(), first as f64)] {
        let payoff = finish(&scenario, heterogeneities(), rows).unwrap();
        let row = payoff.ratio.ys.iter().position(|&place| (place - own).abs() < 0.5).unwrap();
        match (payoff.break_even(row), expected) {
            (Some(BreakEven::At(got)), BreakEven::At(expected)) => {
                assert!((got / expected - 1.0).abs() < 5e-3, "{got} and not {expected}");
            }
            (got, expected) => panic!("{got:?} and not {expected:?}"),
        }
    }
}

#[test]
fn the_contour_at_1_is_the_break_even() {
    let mut more_data = Settings::paper();
    more_data.data.n_rollouts = 100.into();
    for settings in [Settings::paper(), more_data, unequal(false)] {
        check_break_even(&settings);
        check_break_even(&Settings { placement: Placement::Even, ..settings.clone() });
        check_break_even(&Settings { target: Target::Mean, ..settings.clone() });
        check_break_even(&Settings { family: scalar(), ..settings });
    }
}

#[test]
fn a_fleet_of_one_has_the_error_of_its_client() {
    let scenario = Scenario::new(Settings { n_clients: 1, ..Settings::paper() }).unwrap();
    let payoff = finish(&scenario, heterogeneities(), Rows::Clients(vec![1, 2])).unwrap();
    assert!(payoff.ratio.row(0).iter().all(|ratio| (ratio - 1.0).abs() < 5e-3), "{:?}", payoff.ratio.row(0));
    assert!(payoff.ratio.row(1)[0] < 0.75);
}

#[test]
fn what_is_known_on_the_way_is_about_right() {
    let scenario = Scenario::new(Settings::paper()).unwrap();
    let mut run = PayoffRun::new(&scenario, heterogeneities(), clients()).unwrap();
    let mut on_the_way = run.so_far().clone();
    let whole = loop {
        if let Some(whole) = run.step() {
            break whole.unwrap();
        }
        on_the_way = run.so_far().clone();
    };
    for (before, after) in on_the_way.ratio.values.iter().zip(&whole.ratio.values) {
        assert!((before / after - 1.0).abs() < 0.3, "{before} {after}");
    }
}

#[track_caller]
fn check_reason(change: impl Fn(&mut Settings), rows: Rows, expected: NoPrediction) {
    let mut settings = Settings::paper();
    change(&mut settings);
    assert_eq!(finish(&Scenario::new(settings).unwrap(), heterogeneities(), rows), Err(expected));
}

#[test]
fn where_nothing_can_be_said_there_is_a_reason() {
    check_reason(|s| s.target = Target::Worst, clients(), NoPrediction::Worst);
    check_reason(|s| s.data.input_std = 0.0.into(), clients(), NoPrediction::Unexcited);
    check_reason(|s| s.data.rollout_len = 1.into(), Rows::Rollouts(vec![2, 5]), NoPrediction::FewSamples);
    let explosive = |s: &mut Settings| {
        s.family = Family::new(
            LinearSystem::new(s.family.nominal().a() * 5.0, s.family.nominal().b().clone()).unwrap(),
            s.family.a_pattern().clone(),
            s.family.b_pattern().clone(),
        )
        .unwrap();
        s.data.rollout_len = 10_000.into();
    };
    // Few rollouts outweigh all others long before states overflow.
    check_reason(explosive, clients(), NoPrediction::Uneven);
}

#[test]
fn extremes_make_numbers_or_none_and_no_panic() {
    let mut tried = 0;
    for n_clients in [1, 9] {
        for (std, family) in [(0.0, scalar()), (1e-200, Family::paper()), (1e200, scalar())] {
            for rollout_len in [1, 3_000] {
                for target in [Target::Client(0), Target::Mean] {
                    let mut settings = Settings { n_clients, target, family: family.clone(), ..Settings::paper() };
                    settings.data.rollout_len = rollout_len.into();
                    settings.data.process_noise_std = Spread::Each(vec![std, 1.0]);
                    let scenario = Scenario::new(settings).unwrap();
                    for rows in [Rows::Clients(vec![1, 2, 9, 40]), Rows::Rollouts(vec![1, 1_000_000_000])] {
                        // Any result will do, as long as the run ends without a panic.
                        let _ = finish(&scenario, vec![0.0, 1e-300, 0.1, 2.0, 1e150, f64::MAX], rows);
                        tried += 1;
                    }
                }
            }
        }
    }
    assert_eq!(tried, 48);
    let scenario = Scenario::new(Settings::paper()).unwrap();
    for (columns, rows) in
        [(vec![], clients()), (vec![0.1], Rows::Clients(vec![])), (vec![0.1], Rows::Rollouts(vec![0]))]
    {
        assert!(finish(&scenario, columns, rows).is_err());
    }
}

/// If a client's own least squares is exact, there is nothing to gain.
#[test]
fn without_noise_joining_only_costs() {
    let mut settings = Settings::paper();
    settings.data.process_noise_std = 0.0.into();
    let payoff = finish(&Scenario::new(settings).unwrap(), vec![0.0, 0.1], Rows::Clients(vec![2])).unwrap();
    assert!(payoff.ratio.row(0)[0].is_nan() && payoff.ratio.row(0)[1].is_infinite());
    assert_eq!(payoff.break_even(0), Some(BreakEven::Never));
}

#[test]
fn a_break_even_is_where_a_row_crosses_1() {
    let of = |values: [f64; 4]| {
        let ratio = Landscape { xs: vec![0.0, 0.1, 0.2, 0.4], ys: vec![5.0], values: values.to_vec() };
        Payoff { ratio }.break_even(0)
    };
    // The squared ratio is 0.5 + 20 ε².
    let Some(BreakEven::At(at)) = of([0.5, 0.7, 1.3, 3.7].map(f64::sqrt)) else { panic!("it crosses") };
    assert!((at - (0.5_f64 / 20.0).sqrt()).abs() < 1e-12, "{at}");
    assert_eq!(of([0.5, 0.6, 0.7, 0.8]), Some(BreakEven::Beyond(0.4)));
    assert_eq!(of([0.5, 0.6, f64::NAN, f64::NAN]), Some(BreakEven::Beyond(0.1)));
    assert_eq!(of([1.5, 1.6, 1.7, 1.8]), Some(BreakEven::Never));
    assert_eq!(of([1.0; 4]), None);
    assert_eq!(of([f64::NAN; 4]), None);
}
