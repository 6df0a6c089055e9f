use super::*;
use fedsysid_sim::centre::Centre;
use fedsysid_sim::family::{Family, Place, Placement};
use fedsysid_sim::norm::spectral_norm;
use fedsysid_sim::scenario::{Scenario, Settings};
use fedsysid_sim::spread::Spread;
use fedsysid_sim::stats::Running;
use fedsysid_sim::system::LinearSystem;

/// A matrix of standard normal entries.
fn random(rows: usize, cols: usize, which: usize) -> Matrix {
    let mut rng = stream(Seed(2), Purpose::Data, which, 0);
    Matrix::from_fn(rows, cols, |_, _| normal(&mut rng))
}

fn truth(target: Target, n: usize) -> Truth {
    let member = |client| Family::paper().member(Placement::Uniform.place(Seed(3), client), 0.6).unwrap();
    Truth::new(target, &(0..n).map(member).collect::<Vec<LinearSystem>>())
}

fn law(noise: f64) -> Law {
    let factor = random(5, 5, 4) * noise;
    let mean = Family::paper().nominal().theta() + random(3, 5, 7) * 0.05;
    Law { mean, covariance: &factor * factor.transpose() }
}

/// The norm and the squared norm over 20,000 draws of Z, by definition.
fn expected(law: &Law, truth: &Truth) -> (Running, Running) {
    let factor = semidefinite_factor(&law.covariance).transpose();
    let mut rng = stream(Seed(8), Purpose::Data, 0, 0);
    let (mut norm, mut square) = (Running::default(), Running::default());
    for _ in 0..20_000 {
        let model = &law.mean + Matrix::from_fn(3, 5, |_, _| normal(&mut rng)) * &factor;
        let errors = || truth.clients().map(|theta| &model - theta);
        let n = errors().count() as f64;
        norm.push(match truth.target() {
            Target::Worst => errors().map(|error| spectral_norm(&error)).fold(0.0, f64::max),
            _ => errors().map(|error| spectral_norm(&error)).sum::<f64>() / n,
        });
        square.push(errors().map(|error| error.norm_squared()).sum::<f64>() / n);
    }
    (norm, square)
}

#[track_caller]
fn check(target: Target, n: usize, noise: f64) {
    let (truth, law) = (truth(target, n), law(noise));
    let (norm, square) = expected(&law, &truth);
    let got = MeanNorms::new(Family::paper().dims()).of(&law, &truth);
    // For the worst client there are only half of the draws and eight candidates.
    let share = if target == Target::Worst { 0.025 } else { 0.008 };
    let tolerance = 4.0 * norm.standard_error() + share * norm.mean();
    assert!((got - norm.mean()).abs() < tolerance, "{target:?}, {n}, {noise}: {got} {}", norm.mean());
    let got = MeanNorms::new(Family::paper().dims()).roughly(&law, &truth);
    let tolerance = tolerance + 0.015 * norm.mean();
    assert!((got - norm.mean()).abs() < tolerance, "{target:?}, {n}, {noise}: {got} roughly, {}", norm.mean());
    if target != Target::Worst {
        let got = Centre::of_mean(&truth).mean_square(&law.mean) + law.noise();
        assert!((got - square.mean()).abs() < 4.5 * square.standard_error(), "{got} {}", square.mean());
    }
}

#[test]
fn mean_errors_are_those_of_many_draws() {
    for noise in [0.003, 0.1, 3.0] {
        check(Target::Client(0), 1, noise);
        check(Target::Client(9), 12, noise);
        check(Target::Mean, 1, noise);
        check(Target::Mean, 3, noise);
        check(Target::Mean, 7, noise);
        check(Target::Mean, 21, noise);
        check(Target::Worst, 3, noise);
        check(Target::Worst, 40, noise);
    }
}

/// Clients far apart, with little noise: the differences between clients must not enter the correction.
#[test]
fn clients_that_differ_much_do_not_sway_the_mean() {
    for n in [2, 3, 5] {
        let (truth, law) = (truth(Target::Mean, n), law(0.003));
        let (norm, _) = expected(&law, &truth);
        let mut norms = MeanNorms::new(Family::paper().dims());
        for got in [norms.of(&law, &truth), norms.roughly(&law, &truth)] {
            let tolerance = 4.0 * norm.standard_error() + 0.002 * norm.mean();
            assert!((got - norm.mean()).abs() < tolerance, "{n}: {got} and not {}", norm.mean());
        }
    }
}

/// Clients in the order of their distance, and one client far from all others. There is no noise, so the draws have no
/// effect.
#[test]
fn very_many_clients_are_sampled_evenly() {
    let in_order = |client: usize| client as f64 / 1_500.0;
    let one_outlier = |client: usize| if client == 1 { 1.0 } else { 0.02 };
    check_sample(1_500, in_order, 0.01);
    check_sample(2_048, one_outlier, 0.03);
}

#[track_caller]
fn check_sample(n: usize, share: impl Fn(usize) -> f64, tolerance: f64) {
    let member = |client| Family::paper().member(Place { a: share(client), b: share(client) }, 0.6).unwrap();
    let truth = Truth::new(Target::Mean, &(0..n).map(member).collect::<Vec<_>>());
    let law = Law { mean: Family::paper().nominal().theta(), covariance: Matrix::zeros(5, 5) };
    let expected = truth.clients().map(|theta| spectral_norm(&(&law.mean - theta))).sum::<f64>() / n as f64;
    let got = MeanNorms::new(Family::paper().dims()).of(&law, &truth);
    assert!((got / expected - 1.0).abs() < tolerance, "{n}: {got} {expected}");
}

/// Every other client has a sixteenth of the data, and so about four times the error.
#[test]
fn very_many_clients_alone_are_of_all_kinds() {
    let alone_of = |n_clients: usize| {
        let mut settings = Settings { n_clients, heterogeneity: 0.0, target: Target::Mean, ..Settings::paper() };
        settings.data.n_rollouts = Spread::Each([400, 25].into_iter().cycle().take(n_clients).collect());
        let expected = ExpectedFleet::new(&Scenario::new(settings).unwrap());
        alone(&expected, Target::Mean, &mut MeanNorms::new(Family::paper().dims())).unwrap()
    };
    for n_clients in [1_024, 1_500] {
        let (many, both) = (alone_of(n_clients), alone_of(2));
        assert!((many / both - 1.0).abs() < 0.1, "{n_clients}: {many} {both}");
    }
}

#[test]
fn without_noise_the_error_is_that_of_the_mean() {
    let law = Law { covariance: Matrix::zeros(5, 5), ..law(1.0) };
    let truth = truth(Target::Client(2), 3);
    let got = MeanNorms::new(Family::paper().dims()).of(&law, &truth);
    assert!((got - spectral_norm(&(&law.mean - truth.single().unwrap()))).abs() < 1e-12);
}

#[test]
fn noise_alone_is_the_law_about_the_truth() {
    let truth = truth(Target::Client(0), 1);
    let law = Law { mean: truth.single().unwrap(), ..law(0.2) };
    let mut norms = MeanNorms::new(Family::paper().dims());
    let (got, expected) = (norms.of_noise(&law.covariance, DRAWS), norms.of(&law, &truth));
    assert!((got - expected).abs() < 1e-12 * expected);
    assert!((norms.of_noise(&law.covariance, 64) - expected).abs() < 0.03 * expected);
}
