use super::*;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::results::sweep::Plan;
use crate::dashboard::results::sweep::tests::complete;
use crate::dashboard::words::names::solver_role;
use crate::figure::{CurveKind, Figure, Role};
use crate::params::{Draft, View, Views};
use crate::theory::break_even::BreakEven;

fn small(change: impl Fn(&mut Draft)) -> Draft {
    let mut draft = Draft::default();
    draft.set(Key::Trials, 3.0);
    draft.set(Key::Clients, 20.0);
    change(&mut draft);
    draft
}

fn views(across: Across) -> Views {
    Views { view: View::TradeOff, across, ..Views::default() }
}

fn shown<T>(draft: &Draft, views: &Views, look: impl Fn(&TradeOff<'_>) -> T) -> T {
    let sweep = complete(&plan(draft, views));
    let now = draft.get(views.across.key());
    look(&TradeOff { sweep: &sweep, before: None, across: views.across, beside: views.beside, now })
}

fn look_at(trade_off: &TradeOff<'_>) -> Figure {
    trade_off.figure()
}

#[test]
fn the_axis_reaches_the_present_value() {
    for across in [Across::Heterogeneity, Across::Clients, Across::Rollouts] {
        for value in [0.01, 1.0, 60.0, 3_000.0, 1e9] {
            let draft = small(|draft| {
                draft.set(across.key(), value);
            });
            let values = values(across, &draft);
            assert!(values.len() > 7 && values.windows(2).all(|pair| pair[0] < pair[1]), "{across:?} {value}");
            assert!(draft.get(across.key()) <= values[values.len() - 1], "{across:?} {value}");
        }
    }
}

#[test]
fn a_point_is_the_study_at_its_value() {
    use crate::sim::scenario::Scenario;
    use crate::sim::study::Study;
    let draft = small(|_| ());
    let plan = plan(&draft, &views(Across::Heterogeneity));
    let sweep = complete(&plan);
    let expected = Study::new(Scenario::new(plan.points[4].clone()).unwrap()).run();
    let figure = shown(&draft, &views(Across::Heterogeneity), look_at);
    let fedlin = figure.curves.iter().find(|curve| curve.role == Role::FedLin && curve.kind == CurveKind::Points);
    let point = fedlin.unwrap().points[4];
    assert_eq!(sweep.summary(4), Some(&expected));
    let which = plan.points[4].methods.iter().position(|method| solver_role(method.solver) == Role::FedLin).unwrap();
    assert_eq!(point.y.to_bits(), expected.methods[which].errors.last().unwrap().mean().to_bits());
    assert_eq!(point.x.to_bits(), plan.points[4].heterogeneity.to_bits());
}

#[test]
fn break_even_is_marked_where_theory_has_it() {
    let draft = small(|_| ());
    let (mark, sentence) = shown(&draft, &views(Across::Heterogeneity), |trade_off| {
        (trade_off.figure().marks[0].clone(), trade_off.sentence())
    });
    assert!((0.3..1.2).contains(&mark.x), "{mark:?}");
    assert!(sentence.starts_with("Joining pays for client 1 up to ε = "), "{sentence}");
}

/// Along N more own data make joining pointless: beyond the value at which the predicted ratio of errors is 1.
#[test]
fn along_rollouts_joining_ceases_to_pay() {
    let draft = small(|draft| {
        draft.set(Key::Heterogeneity, 0.4);
        draft.set(Key::StepSize, 1e-5);
    });
    let (crossing, sentence) = shown(&draft, &views(Across::Rollouts), |trade_off| {
        (trade_off.series()[0].crossing().unwrap(), trade_off.sentence())
    });
    // At that N the break-even ε is the present ε.
    let at = small(|draft| {
        draft.set(Key::Heterogeneity, 0.4);
        draft.set(Key::Rollouts, crossing.0.round());
    });
    let theory = shown(&at, &views(Across::Heterogeneity), |trade_off| trade_off.sweep.theory(0).cloned().unwrap());
    assert!(matches!(theory.break_even, Ok(BreakEven::At(x)) if (x / 0.4 - 1.0).abs() < 0.05), "{theory:?}");
    assert!(sentence.contains("up to Nᵢ = "), "{sentence}");
}

#[test]
fn a_second_setting_has_points_lines_and_a_name() {
    let draft = small(|_| ());
    let two = Views { beside: Some((Key::Clients, 3.0)), ..views(Across::Heterogeneity) };
    let (figure, readings) =
        shown(&draft, &two, |trade_off| (trade_off.figure(), trade_off.readings(trade_off.nearest(0.11).unwrap())));
    let labels: Vec<_> = figure.curves.iter().map(|curve| curve.label.as_str()).filter(|l| !l.is_empty()).collect();
    assert!(labels.contains(&"FedLin, M = 20") && labels.contains(&"FedLin, M = 3"), "{labels:?}");
    assert_eq!(figure.curves.iter().filter(|curve| curve.kind == CurveKind::PredictedBeside).count(), 2);
    assert_eq!(readings.len(), 5);
    assert_eq!(readings[2].name, "client 1 alone", "it fares alike among few and many");
    assert!(readings.iter().all(|reading| reading.value.is_ok()), "{readings:?}");
}

#[test]
fn what_is_not_in_yet_is_said_and_shown_as_before() {
    let (old, new) = (small(|_| ()), small(|draft| (draft.set(Key::Clients, 10.0), ()).1));
    let views = views(Across::Heterogeneity);
    let before = complete(&plan(&old, &views));
    let sweep = Sweep::new(plan(&new, &views), crate::protocol::Generation(1), 0.0);
    let trade_off = TradeOff { sweep: &sweep, before: Some(&before), across: views.across, beside: None, now: 0.3 };
    let pinned = trade_off.figure().curves.into_iter().filter(|curve| curve.kind == CurveKind::Pinned);
    assert!(pinned.map(|curve| curve.points.len()).eq([15, 15]));
    assert_eq!(trade_off.readings(0.1)[0].value, Err("not yet".into()));
    assert_eq!((trade_off.sentence(), trade_off.bound()), (String::new(), String::new()));
}

/// Where it diverges a method has an arrow at the upper edge, and a sentence says from where on.
#[test]
fn what_diverges_is_said_and_points_up() {
    let draft = small(|draft| drop(draft.set(Key::StepSize, 5e-4)));
    let (figure, said, lost) = shown(&draft, &views(Across::Heterogeneity), |it| {
        let diverges = |index: &usize| it.sweep.summary(*index).unwrap().methods[0].n_diverged > 0;
        (it.figure(), it.sentence(), (0..15).filter(diverges).collect::<Vec<_>>())
    });
    assert!(lost.last() == Some(&14) && lost.len() < 15, "{lost:?}");
    let from = said_at(lost[0]);
    assert!(said.contains(&format!(" Diverging from {from} on: ")) && said.contains("FedLin"), "{said}");
    let fedlin = figure.curves.iter().find(|curve| curve.role == Role::FedLin && curve.kind == CurveKind::Points);
    assert!(fedlin.unwrap().points[14].y.is_infinite() && figure.y.range.1 < 100.0, "{:?}", figure.y.range);
}

fn said_at(index: usize) -> String {
    format!("ε = {}", crate::figure::number::number(values(Across::Heterogeneity, &Draft::default())[index]))
}

/// 0 has no place on a logarithmic axis: another point is read for it, which is said, and its mark points there.
#[test]
fn what_is_not_on_the_axis_is_said_not_to_be() {
    let at = |eps: f64| {
        let draft = small(|draft| drop(draft.set(Key::Heterogeneity, eps)));
        shown(&draft, &views(Across::Heterogeneity), |it| {
            let figure = it.figure();
            let now = figure.marks.last().unwrap();
            let is_inside = (figure.x.range.0..=figure.x.range.1).contains(&now.x);
            (it.nearest(it.now), it.stands_for(), format!("{} {}", now.label, now.detail), is_inside)
        })
    };
    assert_eq!(at(0.0), (Some(0.01), Some("0".into()), "← now ε = 0".into(), true));
    assert_eq!(at(0.3), (Some(0.3), None, "now ε = 0.3".into(), true));
}

#[test]
fn one_client_alone_is_said_to_join_nobody() {
    let sentence = |trade_off: &TradeOff<'_>| trade_off.sentence();
    let said = shown(&small(|_| ()), &views(Across::Clients), sentence);
    assert_eq!(said, "Joining pays for client 1 at every M but 1, where there is nobody to join.");
}

/// If the rounds do not lead to pooled least squares, the sentence says that its statement is not about them.
#[test]
fn the_sentence_is_about_the_points() {
    let said = |change: &dyn Fn(&mut Draft)| {
        let sentence = |trade_off: &TradeOff<'_>| trade_off.sentence();
        shown(&small(|draft| change(draft)), &views(Across::Heterogeneity), sentence)
    };
    let set = |key: Key, value: f64| {
        move |draft: &mut Draft| {
            draft.set(key, value);
        }
    };
    assert!(said(&|_| ()).starts_with("Joining pays for client 1 up to ε = "));
    for (key, value) in [(Key::Rounds, 2.0), (Key::StepSize, 0.01)] {
        let said = said(&set(key, value));
        assert!(said.starts_with("Joining pays for client 1 up to"), "{key:?}: {said}");
        assert!(said.contains(" That is about pooled least squares; these rounds do not lead there."), "{said}");
        assert_eq!(
            said.ends_with(" Diverging everywhere along this axis: FedLin, FedAvg."),
            key == Key::StepSize,
            "{said}"
        );
    }
    assert_eq!(said(&set(Key::Clients, 1.0)), "There is nobody to join.");
    let few = said(&set(Key::Rollouts, 1.0));
    assert_eq!(few, "Where joining pays cannot be foretold: there are too few samples.");
}

/// Where there are fewer clients than the asked one's index, the draft shows another: neither labels nor sentences are
/// about it.
#[test]
fn among_few_clients_nothing_is_said_of_the_one_that_is_not_there() {
    let draft = small(|draft| {
        draft.set(Key::Client, 7.0);
        draft.set(Key::Trials, 1.0);
        draft.set(Key::Rounds, 2.0);
    });
    let (views, n_known) = (views(Across::Clients), [7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0]);
    let sweep = complete(&plan(&draft, &views));
    let it = TradeOff { sweep: &sweep, before: None, across: views.across, beside: None, now: 20.0 };
    let (figure, said, series) = (it.figure(), it.sentence(), &it.series()[0]);
    assert_eq!(figure.y.label, "final error, client 7");
    assert_eq!(series.own_name().as_deref(), Some("client 7 alone"));
    assert!(said.starts_with("Joining pays for client 7 ") && !said.contains("M but 1"), "{said}");
    assert_eq!(series.paying().1, n_known.len());
    assert!(it.crossing().is_none_or(|x| x > 6.0));
    let page = Page { draft: &draft, views: &views, link: "" };
    assert!(page.trade_off(&it).sheet().settings.contains("error of: client 7"));
}

/// A client's own system depends on ε, and with it its error.
#[test]
fn the_error_at_the_break_even_is_the_one_there() {
    let draft = small(|draft| drop(draft.set(Key::Trials, 1.0)));
    let views = views(Across::Heterogeneity);
    let (x, error) = shown(&draft, &views, |it| it.series()[0].crossing().unwrap());
    let there = small(|draft| drop(draft.set(Key::Heterogeneity, x)));
    let points = vec![there.settings()];
    let sweep = complete(&Plan { points, series_len: 1, expects: true, ..Plan::default() });
    let expected = sweep.theory(0).unwrap().alone.unwrap();
    assert!((error / expected - 1.0).abs() < 0.01, "{error} {expected}");
}

/// Along another axis the replaced studies would all lie at one value.
#[test]
fn studies_along_another_axis_do_not_stand_in() {
    let draft = small(|draft| drop(draft.set(Key::Trials, 1.0)));
    let before = complete(&plan(&draft, &views(Across::Heterogeneity)));
    let sweep = Sweep::new(plan(&draft, &views(Across::Rollouts)), crate::protocol::Generation(1), 0.0);
    let it = TradeOff { sweep: &sweep, before: Some(&before), across: Across::Rollouts, beside: None, now: 25.0 };
    assert!(it.figure().curves.iter().all(|curve| curve.kind != CurveKind::Pinned));
}

/// What is said of a draft's trade-off over ε.
fn said_over_epsilon(change: impl Fn(&mut Draft), views: &Views) -> String {
    let sentence = |trade_off: &TradeOff<'_>| trade_off.sentence();
    shown(&small(change), views, sentence)
}

#[test]
fn without_an_algorithm_no_rounds_lead_elsewhere() {
    let none = |draft: &mut Draft| draft.algorithms = crate::params::choice::Algorithms::NONE;
    let said = said_over_epsilon(none, &views(Across::Heterogeneity));
    assert!(said.starts_with("Joining pays for client 1 up to ε = ") && !said.contains("these rounds"), "{said}");
}

/// Where the last values have no prediction, the others have.
#[test]
fn what_is_foretold_of_a_part_of_the_axis_is_said() {
    let long = |draft: &mut Draft| {
        draft.set(Key::Rollouts, 1.0);
        draft.set(Key::RolloutLen, 20.0);
    };
    let said = said_over_epsilon(long, &views(Across::Heterogeneity));
    assert!(said.starts_with("Joining pays for client 1 at every ε up to 0."), "{said}");
    assert!(said.contains("; beyond: systems are so unstable that few rollouts outweigh all others."), "{said}");
}

#[test]
fn of_few_samples_the_break_even_is_said_to_be_too_low() {
    let said = |n: f64| {
        let quiet = |draft: &mut Draft| {
            draft.set(Key::NoiseStd, 0.3);
            draft.set(Key::Rollouts, n);
        };
        said_over_epsilon(quiet, &views(Across::Heterogeneity))
    };
    let (few, many) = (said(3.0), said(25.0));
    assert!(few.contains(" (too low: few samples), where both are off by"), "{few}");
    assert!(many.contains("up to ε = ") && !many.contains("too low"), "{many}");
}

/// One client fares alike among few and many; the average of few is not that of many.
#[test]
fn two_numbers_of_clients_have_two_averages() {
    let draft = small(|draft| drop(draft.choose(crate::params::choice::Choice::Target, "mean")));
    let two = Views { beside: Some((Key::Clients, 3.0)), ..views(Across::Heterogeneity) };
    let labels = shown(&draft, &two, |it| it.readings(0.1).into_iter().map(|r| r.name).collect::<Vec<_>>());
    assert!(labels.contains(&"average client alone, M = 3".into()), "{labels:?}");
}

#[test]
fn each_of_two_settings_is_named_whatever_is_said() {
    let few = |draft: &mut Draft| drop(draft.set(Key::Rollouts, 1.0));
    let two = Views { beside: Some((Key::Clients, 3.0)), ..views(Across::Heterogeneity) };
    let said = said_over_epsilon(few, &two);
    assert_eq!(said.matches("M = 3: Where joining pays cannot be foretold").count(), 1, "{said}");
}

/// Mark, landmark and sentence name the same count.
#[test]
fn a_break_even_between_two_counts_is_one_of_them() {
    let draft = small(|draft| drop(draft.set(Key::Heterogeneity, 0.4)));
    for across in [Across::Clients, Across::Rollouts] {
        let (mark, turn, said) =
            shown(&draft, &views(across), |it| (it.figure().marks[0].clone(), it.turn(), it.sentence()));
        let Some(turn) = turn else { continue };
        assert!(mark.detail.ends_with(&format!(" = {turn}")), "{mark:?}");
        if said.contains("more than one") {
            continue;
        }
        assert!(said.contains(&mark.detail), "{mark:?} {said}");
        assert!(said.contains("(error at break-even: 0."), "{said}");
    }
    assert!(shown(&draft, &views(Across::Rollouts), |it| it.turn().is_some()));
}

/// Without noise the client alone is exact up to rounding, which leaves the others their room.
#[test]
fn errors_of_rounding_do_not_set_the_axis() {
    let exact = small(|draft| drop(draft.set(Key::NoiseStd, 0.0)));
    let figure = shown(&exact, &views(Across::Heterogeneity), look_at);
    let alone = |curve: &&crate::figure::Curve| curve.role == Role::ClientAlone && curve.kind == CurveKind::Points;
    assert!(figure.curves.iter().find(alone).unwrap().points.iter().all(|point| point.y < 1e-12));
    assert!(figure.y.range.0 > 1e-9, "{:?}", figure.y.range);
}

#[test]
fn dashes_are_promised_only_where_there_are_some() {
    let of = |change: &dyn Fn(&mut Draft)| shown(&small(change), &views(Across::Heterogeneity), caption);
    assert!(of(&|_| ()).ends_with(", dashes are predicted."));
    let worst = of(&|draft| {
        draft.choose(crate::params::choice::Choice::Target, "worst");
        draft.algorithms = crate::params::choice::Algorithms::NONE;
    });
    assert!(!worst.contains("dashes"), "{worst}");
}
