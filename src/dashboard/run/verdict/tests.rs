use super::*;
use crate::dashboard::results::tests::run;
use crate::dashboard::run::picture;
use crate::sim::family::Placement;
use crate::sim::method::{Method, Solver};
use crate::sim::scenario::Settings;
use crate::sim::spread::Spread;
use crate::sim::target::Target;

fn means(run: &Run) -> (f64, f64) {
    let end = run.summary.methods[1].errors.last().unwrap().mean();
    (end, run.summary.reference(Reference::ClientAlone).unwrap().unwrap().mean())
}

/// The verdict states the numbers of the run.
#[test]
fn the_verdict_is_true() {
    for (heterogeneity, pays) in [(0.01, true), (0.7, false)] {
        let run = run(|s| (s.heterogeneity, s.n_trials, s.data.n_rollouts) = (heterogeneity, 20, 100.into()));
        let (federated, alone) = means(&run);
        assert_eq!(federated < alone, pays, "{heterogeneity}: {federated} {alone}");
        let verdict = verdict(&run);
        assert_eq!(verdict.contains("cut client 1"), pays, "{verdict}");
        assert_eq!(verdict.contains("Alone, client 1 does better"), !pays, "{verdict}");
        assert!(verdict.contains(&measured(alone, 3)), "{verdict}");
        assert_eq!(verdict.contains(&format!("{}-fold", measured(alone / federated, 2))), pays, "{verdict}");
    }
}

/// Theory's statements on joining are about pooled least squares: not about runs that end far above it, or far below.
#[test]
fn near_pooled_is_neither_far_above_nor_far_below() {
    let cases = [(0.2, 0.2, true), (0.24, 0.2, true), (0.26, 0.2, false), (0.02, 0.2, false), (1e-15, 3e-15, true)];
    for (end, pooled, expected) in cases {
        assert_eq!(is_near(end, pooled), expected, "{end} {pooled}");
    }
    let clustered = run(|s| {
        (s.placement, s.heterogeneity) = (Placement::TwoClusters, 0.7);
        s.methods = vec![Method::constant(Solver::Clustered { n_clusters: 2 })];
    });
    assert!(verdict(&clustered).contains("cut client 1"), "{}", verdict(&clustered));
    assert!(!comes_near_pooled(&clustered));
}

/// Without noise all that is left is rounding: it is said to be, and has no ratios.
#[test]
fn rounding_is_no_error() {
    let exact = run(|s| (s.data.process_noise_std, s.heterogeneity, s.n_rounds) = (0.0.into(), 0.0, 1_000));
    let said = verdict(&exact);
    assert_eq!(
        said,
        "Joining hardly matters to client 1: 0 up to rounding alone, 0 up to rounding with FedAvg or FedLin."
    );
    assert!(crate::dashboard::run::join::joins(&exact).iter().all(|join| join.words.contains("no error to compare")));
    assert_eq!(picture::pooled(&exact.summary), None);
    let apart = verdict(&run(|s| (s.data.process_noise_std, s.heterogeneity) = (0.0.into(), 0.3)));
    assert!(apart.starts_with("Alone, client 1 does better: 0 up to rounding, against 0."), "{apart}");
}

/// With one local step FedAvg and FedLin are one method, and none is the better.
#[test]
fn the_same_end_has_no_winner() {
    let same = verdict(&run(|s| s.n_local_steps = 1.into()));
    assert!(same.contains("FedAvg or FedLin"), "{same}");
    let mut apart = run(|_| ());
    let end = apart.summary.methods[0].errors.last_mut().unwrap();
    *end = Running::from_parts(3, 1.2 * end.mean(), 0.0);
    assert!(!verdict(&apart).contains(" or Fed"), "{}", verdict(&apart));
}

/// The named cause is the largest part of the prediction, and its remedy lowers the error.
#[test]
fn the_cause_that_is_named_is_the_largest_and_the_remedy_works() {
    type Change = fn(&mut Settings);
    let cases: [(Change, &str, Change); 4] = [
        (|_| (), "noise", |s| s.n_clients = 400),
        (|s| s.heterogeneity = 0.7, "heterogeneity", |s| s.heterogeneity = 0.3),
        (|s| s.n_rounds = 5, "transient", |s| s.n_rounds = 50),
        (
            |s| {
                // Clients with very different data and many local steps: each pulls the server towards its own system.
                s.data.n_rollouts = Spread::Each(vec![50, 2_000]);
                (s.heterogeneity, s.n_local_steps, s.step_size) = (0.8, 10_000.into(), 2e-6);
                (s.target, s.n_clients) = (Target::Client(1), 2);
                s.methods = vec![Method::constant(Solver::FedAvg)];
            },
            "client drift",
            |s| s.n_local_steps = 1.into(),
        ),
    ];
    for (change, cause, remedy) in cases {
        let settled = |s: &mut Settings| (s.placement, s.n_trials) = (Placement::Even, 20);
        let before = run(|s| {
            settled(s);
            change(s);
        });
        let after = run(|s| {
            settled(s);
            change(s);
            remedy(s);
        });
        let verdict = verdict(&before);
        assert!(verdict.contains(&format!("of what is left is {cause}: ")), "{verdict}");
        let (method, end) = best(&before).unwrap();
        let theory = before.theory.as_ref().unwrap().methods.iter().find(|theory| theory.method == method).unwrap();
        let parts = Cause::parts(theory.prediction.as_ref().unwrap().parts.last().unwrap());
        let named = parts.iter().find(|(which, _)| which.words() == cause).unwrap().1;
        assert!(parts.iter().all(|(_, part)| *part <= named), "{cause}: {parts:?}");
        let cured = best(&after).unwrap().1.mean();
        assert!(cured < 0.9 * end.mean(), "{cause}: {} and then {cured}", end.mean());
    }
}

#[test]
fn a_difference_within_the_noise_is_not_called_one() {
    let run = run(|s| (s.n_clients, s.heterogeneity, s.placement) = (2, 0.4, Placement::Even));
    let (federated, alone) = means(&run);
    assert!((federated - alone).abs() < 0.3 * alone, "{federated} {alone}");
    assert!(verdict(&run).contains("too close to call"), "{}", verdict(&run));
}

#[test]
fn a_single_client_has_nobody_to_join() {
    let run = run(|s| (s.n_clients, s.n_rounds) = (1, 3_000));
    let [federated, alone] = <[f64; 2]>::from(means(&run)).map(|error| measured(error, 3));
    let said = verdict(&run);
    assert!(said.starts_with("There is nobody to join: "), "{said}");
    assert!(said.contains(&format!("off by {federated} after 3000 rounds, least squares by {alone}")), "{said}");
}

/// More clients do help if noise is nearly half of the error.
#[test]
fn what_would_not_help_is_said_only_of_what_is_nearly_all() {
    for (heterogeneity, is_nearly_all) in [(0.1, false), (0.5, true)] {
        let settle = |s: &mut Settings| (s.heterogeneity, s.placement) = (heterogeneity, Placement::Even);
        let few = run(|s| {
            settle(s);
            (s.n_clients, s.n_trials) = (17, 20);
        });
        let said = verdict(&few);
        assert!(said.contains("of what is left is heterogeneity"), "{said}");
        assert_eq!(said.contains("more clients would not help"), is_nearly_all, "{said}");
        assert_eq!(said.contains("a smaller ε would help most"), !is_nearly_all, "{said}");
        let many = run(|s| {
            settle(s);
            (s.n_clients, s.n_trials) = (400, 20);
        });
        let left = best(&many).unwrap().1.mean() / best(&few).unwrap().1.mean();
        assert_eq!(left > 0.9, is_nearly_all, "{heterogeneity}: {left}");
    }
}

#[test]
fn without_anything_to_compare_there_is_no_verdict() {
    assert_eq!(verdict(&run(|s| s.methods.clear())), "No algorithm is chosen.");
    let diverging = run(|s| s.step_size = 0.05);
    let own = diverging.summary.reference(Reference::ClientAlone).unwrap().unwrap().mean();
    let expected = format!("Every algorithm diverges; client 1 alone is off by {}.", measured(own, 3));
    assert_eq!(verdict(&diverging), expected);
    let short = verdict(&run(|s| (s.data.n_rollouts, s.data.rollout_len) = (1.into(), 2.into())));
    assert!(short.contains("client 1 alone has no estimate"), "{short}");
}

/// One data set has no standard error: the sentence says that the result may be chance.
#[test]
fn one_data_set_decides_nothing() {
    let said = verdict(&run(|s| s.n_trials = 1));
    assert!(said.starts_with("In one data set client 1 is off by "), "{said}");
}

/// While more data sets are being run, the first is called too close to call.
#[test]
fn the_first_data_set_of_many_is_too_early_to_call() {
    let mut first = run(|s| s.n_trials = 1);
    first.progress = Some(0.1);
    let said = verdict(&first);
    assert!(said.starts_with("With 1 data set it is too close to call whether client 1 gains: "), "{said}");
}
