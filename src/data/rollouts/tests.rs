use super::*;
use crate::Dims;
use crate::sites::Stretch;
use crate::sums::Sums;

const DIMS: Dims = Dims { n_states: 1, n_inputs: 1 };

fn collect(rows: &[(&str, &str, f64, f64)]) -> Result<(Sites, Tally), String> {
    let mut collector = Collector::new(Sites::new(DIMS, Vec::new()), true);
    for (line, &(client, rollout, t, x)) in rows.iter().enumerate() {
        let (client, rollout) = (client.as_bytes(), rollout.as_bytes());
        let row = Row { line: line as u64 + 2, client, rollout, time: Some(t), z: &[x, 1.0] };
        collector.take(&row).map_err(|refusal| refusal.to_string())?;
    }
    let Collected { sites, tally, .. } = collector.finish().map_err(|refusal| refusal.to_string())?;
    Ok((sites, tally))
}

#[test]
fn rows_one_step_apart_make_samples_in_whatever_order_rollouts_stand() {
    let apart = [("A", "1", 0.0, 1.0), ("A", "1", 1.0, 2.0), ("A", "2", 5.0, 3.0), ("A", "2", 6.0, 4.0)];
    let mixed = [apart[0], apart[2], apart[1], apart[3]];
    let (sites, tally) = collect(&apart).unwrap();
    assert_eq!((tally.rows, tally.rollouts, tally.samples), (4, 2, 2));
    assert_eq!(collect(&mixed).unwrap(), (sites.clone(), tally));
    let c = sites.all()[0].sums(None).moments().c;
    assert_eq!((c[(0, 0)], c[(0, 1)]), (1.0 * 2.0 + 3.0 * 4.0, 6.0));
}

#[test]
fn gaps_and_missing_values_are_passed_over_and_counted() {
    let rows =
        [0.0_f64, 1.0, 4.0, 5.0, 6.0, 7.0].map(|t| ("A", "1", t, if (t - 6.0).abs() < 0.5 { f64::NAN } else { t }));
    let (_, tally) = collect(&rows).unwrap();
    assert_eq!(tally.samples, 2);
    assert_eq!(tally.gaps, Noted { count: 1, first: 4 });
    assert_eq!(tally.missing, Noted { count: 2, first: 6 });
}

/// An input is missing in the last row or in the next one: the line is that of the row without it.
#[test]
fn a_missing_value_is_noted_in_its_own_line() {
    for (missing, first) in [(0, 2), (1, 3), (2, 4)] {
        let mut collector = Collector::new(Sites::new(DIMS, Vec::new()), false);
        for line in 0..4_usize {
            let z = [1.0, if line == missing { f64::NAN } else { 1.0 }];
            let row = Row { line: line as u64 + 2, client: b"A", rollout: b"1", time: None, z: &z };
            collector.take(&row).unwrap();
        }
        assert_eq!(collector.finish().unwrap().tally.missing, Noted { count: 1, first });
    }
}

#[test]
fn a_name_that_is_a_number_is_shown_as_one() {
    let rows = ["1.000000000000000000e+00", "1.200000000000000000e+01", "1.10", "007", "pump e+2", "1e+999"]
        .map(|client| [(client, "", 0.0, 1.0), (client, "", 1.0, 1.0)]);
    let (sites, _) = collect(&rows.concat()).unwrap();
    let labels: Vec<_> = sites.all().iter().map(|site| site.label.as_str()).collect();
    assert_eq!(labels, ["1", "12", "1.10", "007", "pump e+2", "1e+999"]);
}

#[test]
fn a_rollout_is_known_by_its_name_and_its_clients() {
    let mut collector = Collector::new(Sites::new(DIMS, Vec::new()), false);
    for (client, rollout, known, place) in
        [("A", "1", None, 0), ("B", "1", None, 0), ("A", "2", None, 1), ("A", "1", Some(0), 0), ("B", "1", Some(1), 0)]
    {
        let (client, rollout) = (client.as_bytes(), rollout.as_bytes());
        let row = Row { line: 2, client, rollout, time: None, z: &[0.0, 0.0] };
        let n_open = collector.open.len();
        collector.take(&row).unwrap();
        assert_eq!(collector.open.len() == n_open, known.is_some(), "{row:?}");
        let open = &collector.open[known.unwrap_or(n_open)];
        assert_eq!(([b"A", b"B"][open.client].as_slice(), open.place), (row.client, place));
    }
    assert_eq!(collector.sites.all().iter().map(|site| site.n_rollouts).collect::<Vec<_>>(), [2, 1]);
}

/// Rows that are two of the file's steps apart are no samples; clients with none but these are counted, and the first is
/// named.
#[test]
fn clients_with_other_steps_are_counted() {
    let rows = |client, step: f64| (0..9).map(move |k| (client, "", f64::from(k) * step, f64::from(k)));
    let others = rows("B", 0.2).chain(rows("C", 0.103)).chain(rows("D", 0.3));
    let all: Vec<_> = rows("A", 0.1).chain(rows("E", 0.1)).chain(others).collect();
    let (sites, tally) = collect(&all).unwrap();
    let Strangers { count, first, step } = tally.strangers.unwrap();
    assert_eq!((count, &*first, (step * 1e9).round(), tally.samples), (2, "B", 2e8, 24));
    assert!(sites.all().iter().all(|site| site.step.is_some_and(|step| (step - 0.1).abs() < 0.004)));
    // One gap is no other step.
    let gap = [0.0, 1.0, 2.0, 4.0, 5.0].map(|t| ("A", "", t, t));
    assert_eq!(collect(&gap).unwrap().1.strangers, None);
}

#[test]
fn times_may_jitter() {
    let (_, tally) = collect(&[0.0, 1.04, 1.99, 3.05].map(|t| ("A", "", t, t))).unwrap();
    assert_eq!((tally.samples, tally.gaps.count), (3, 0));
}

#[track_caller]
fn refused(times: &[f64], words: &str) {
    let rows: Vec<_> = times.iter().map(|&t| ("A", "7", t, t)).collect();
    assert_eq!(collect(&rows).unwrap_err(), words);
}

#[test]
fn time_must_go_on() {
    let who = "rollout 7 of client A goes from";
    refused(&[0.0, 1.0, 1.0], &format!("line 4: {who} t = 1 (line 3) to t = 1: a rollout has one row a time"));
    let order = "rows of a rollout must be in the order of time";
    refused(&[3.0, 4.0, 2.0], &format!("line 4: {who} t = 4 (line 3) to t = 2: {order}"));
    let step = |step: f64| format!("one step is {step} in this file; without a column of time, every row is one step");
    // A tenth is no binary fraction: the difference of 0.7 and 0.6 is not 0.1 to the last digit.
    let tenths = [0.5, 0.6, 0.7, 0.75];
    refused(&tenths, &format!("line 5: {who} t = 0.7 (line 4) to t = 0.75: {}", step(0.1)));
    refused(&[0.0, 1.0, 2.0, 2.5], &format!("line 5: {who} t = 2 (line 4) to t = 2.5: {}", step(1.0)));
}

#[test]
fn every_fifth_rollout_or_stretch_goes_to_the_same_part() {
    let rollouts: Vec<_> =
        (0..7).flat_map(|k| [("A", k, 0.0), ("A", k, 1.0)]).map(|(client, k, t)| (client, k.to_string(), t)).collect();
    let rows: Vec<_> = rollouts.iter().map(|(client, k, t)| (*client, k.as_str(), *t, 1.0)).collect();
    let counts = |sites: &Sites| sites.all()[0].folds.iter().map(Sums::n_samples).collect::<Vec<_>>();
    assert_eq!(counts(&collect(&rows).unwrap().0), [2, 2, 1, 1, 1]);
    let long: Vec<_> = (0..=130).map(|t| ("A", "1", f64::from(t), f64::from(t))).collect();
    let (sites, _) = collect(&long).unwrap();
    assert_eq!(counts(&sites), [40, 30, 20, 20, 20]);
    let kept: Vec<_> = sites.all()[0].stretches.iter().map(|Stretch(rows)| (rows[0], rows.len())).collect();
    assert_eq!(kept, [(0.0, 41), (100.0, 41)]);
}
