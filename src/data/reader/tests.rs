#![expect(clippy::format_collect, reason = "small texts")]

use fedsysid_sim::estimate::least_squares;
use fedsysid_sim::family::Family;
use fedsysid_sim::fleet::Fleet;
use fedsysid_sim::plan::{DataPlan, NoiseLevels};
use fedsysid_sim::simulator::{Client, MomentSimulator, realize};
use fedsysid_sim::stream::{DataKey, Seed};

use super::*;
use crate::{Dims, write};

fn slow(text: &str) -> Option<f64> {
    text.parse().ok()
}

fn read_in(bytes: &[u8], size: usize) -> Result<Opened, Refusal> {
    let mut reader = Reader::new(slow);
    bytes.chunks(size).try_for_each(|piece| reader.push(piece))?;
    reader.finish()
}

/// Reads a file whole, and checks that pieces of any size give the same.
#[track_caller]
fn read(bytes: &[u8]) -> Result<Opened, String> {
    let whole = read_in(bytes, bytes.len().max(1));
    for size in [1, 2, 7] {
        assert_eq!(read_in(bytes, size), whole, "in pieces of {size}");
    }
    whole.map_err(|refusal| refusal.to_string())
}

const PLAIN: &str = "client,rollout,t,x1,x2,u1\nA,1,0,1,2,3\nA,1,1,4.5,5,6\nA,1,2,7,8,\nB,1,0,1,1,1\nB,1,1,2,2,\n";

/// In Latin-1 and Windows-1252 each character is a byte: names are kept, and stay different.
#[test]
fn names_that_are_not_in_utf_8_are_read_as_windows_1252() {
    let read = |names: [&[u8]; 2]| {
        let mut text = b"client,x1,u1\n".to_vec();
        for name in names {
            for row in [&b",1,2\n"[..], b",3,4\n"] {
                text.extend_from_slice(name);
                text.extend_from_slice(row);
            }
        }
        let Opened { sites, tally, .. } = read(&text).unwrap();
        (sites.all().iter().map(|site| site.label.clone()).collect::<Vec<_>>(), tally.foreign)
    };
    assert_eq!(read([b"M\xfc", b"M\xf6"]), (vec!["Mü".into(), "Mö".into()], Noted { count: 4, first: 2 }));
    assert_eq!(read([b"\x80 A", b"A\x9f"]), (vec!["€ A".into(), "AŸ".into()], Noted { count: 4, first: 2 }));
    assert_eq!(read(["Mü".as_bytes(), b"Mo"]), (vec!["Mü".into(), "Mo".into()], Noted::default()));
}

#[track_caller]
fn same_as_plain(text: &str) {
    let (got, plain) = (read(text.as_bytes()).unwrap(), read(PLAIN.as_bytes()).unwrap());
    assert_eq!((got.sites, got.tally), (plain.sites, plain.tally), "{text}");
}

#[test]
fn files_of_many_habits_say_the_same() {
    same_as_plain(&PLAIN.replace('\n', "\r\n"));
    same_as_plain(&PLAIN.replace('\n', "\r"));
    same_as_plain(PLAIN.trim_end());
    same_as_plain(&format!("\u{feff}{PLAIN}"));
    same_as_plain(&PLAIN.replace(',', "\t"));
    same_as_plain(&PLAIN.replace(',', ";"));
    same_as_plain(&PLAIN.replace(',', ";").replace("4.5", "4,5"));
    same_as_plain(&PLAIN.replace("4.5", "\"4,5\""));
    same_as_plain(&PLAIN.replace("A,", "\"A\","));
    same_as_plain(&PLAIN.replace(',', " , "));
    same_as_plain(&PLAIN.replace("8,\n", "8,NaN\n").replace("2,2,\n", "2,2,NA\n"));
    same_as_plain(&PLAIN.replace("4.5", "+45e-1"));
    for size in [1, 5] {
        assert_eq!(read_in(format!("sep=,\n{PLAIN}").as_bytes(), size).unwrap().tally.samples, 3);
        assert_eq!(read_in(PLAIN.replace('\n', "\n\n# a remark\n").as_bytes(), size).unwrap().tally.samples, 3);
        assert_eq!(read_in(PLAIN.replace("B,1,0", ",,,,,\nB,1,0").as_bytes(), size).unwrap().tally.samples, 3);
        assert_eq!(read_in(PLAIN.replace('\n', ",\n").as_bytes(), size).unwrap().sites.dims().n_inputs, 1);
    }
}

/// Beneath the header, a line that begins with `#` is a remark only if it cannot be a row.
#[test]
fn what_begins_like_a_remark_may_be_a_row() {
    let opened = read(PLAIN.replace("A,", "#1,").replace("B,", "#2,").as_bytes()).unwrap();
    let labels: Vec<_> = opened.sites.all().iter().map(|site| site.label.as_str()).collect();
    assert_eq!((labels, opened.tally.samples), (vec!["#1", "#2"], 3));
    // A missing value ends the run of rows; skipped as a remark, it would join those on both sides.
    for text in ["x1,u1\n1,2\n#N/A,2\n3,4\n5,6\n7,8\n", "x1\n1\n#N/A\n3\n5\n7\n"] {
        let tally = read(text.as_bytes()).unwrap().tally;
        assert_eq!((tally.rows, tally.samples, tally.missing), (5, 2, Noted { count: 2, first: 3 }), "{text}");
    }
    for remark in ["# a remark", "# one, two", "#1,1,0,1,2,3,4", "# the \"end", "# caf\u{e9}"] {
        same_as_plain(&PLAIN.replace("\nB,1,0", &format!("\n{remark}\nB,1,0")));
    }
    assert_eq!(read(b"# x\nx1\n1\n# half time\n2\n").unwrap().tally.samples, 1);
    let mut latin = PLAIN.as_bytes().to_vec();
    latin.extend_from_slice(b"# caf\xe9\n");
    assert_eq!(read(&latin).unwrap().tally.foreign, Noted::default());
}

/// As `numpy.savetxt` writes it, with `delimiter=","` and `header="..."`.
#[test]
fn a_remark_may_be_the_header() {
    same_as_plain(&format!("# {PLAIN}"));
    same_as_plain(&format!("# made today\n#{PLAIN}"));
    same_as_plain(&format!("# a,b,c,d,e,f\n{PLAIN}"));
    assert_eq!(read(b"# x1\n1e+00\n5e-01\n").unwrap().tally.samples, 1);
    let refused = read(b"# t,x1\n0,1,2\n").unwrap_err();
    assert!(refused.starts_with("line 2: this should be the header"), "{refused}");
}

#[test]
fn columns_may_be_left_out() {
    let opened = read(b"x1,u1\n1,2\n3,4\n5,6\n").unwrap();
    assert_eq!((opened.tally.samples, opened.tally.rollouts, opened.sites.all().len()), (2, 1, 1));
    let opened = read(b"t,x1\n0,1\n1,0.5\n2,0.25\n").unwrap();
    assert_eq!(opened.sites.dims(), Dims { n_states: 1, n_inputs: 0 });
    let opened = read(b"x1\n1\n0.5\n0.25\n").unwrap();
    assert_eq!((opened.sites.dims(), opened.tally.samples), (Dims { n_states: 1, n_inputs: 0 }, 2));
}

#[test]
fn a_step_is_what_most_rows_are_apart() {
    let times = [0.0, 0.5, 0.6, 0.7, 0.8, 1.2, 1.3];
    let rows: Vec<_> = times.iter().map(|t| format!("{t},1,1\n")).collect();
    let opened = read(format!("t,x1,u1\n{}", rows.concat()).as_bytes()).unwrap();
    assert!((opened.step.unwrap() - 0.1).abs() < 1e-12);
    assert_eq!((opened.tally.samples, opened.tally.gaps), (4, Noted { count: 2, first: 3 }));
}

/// Files sorted by time, with more rollouts than `FIRST_ROWS`: the first rows each start a rollout.
#[test]
fn a_step_is_found_however_many_rollouts_are_mixed() {
    for (n_clients, n_rollouts) in [(300, 1), (5_000, 1), (200, 350)] {
        for step in [0.1, 2.0] {
            let times = (0..3_u32).map(|t| f64::from(t) * step);
            let rows = times.flat_map(|t| (0..n_clients * n_rollouts).map(move |k| (k % n_clients, k / n_clients, t)));
            let rows: String = rows.map(|(client, k, t)| format!("{client},{k},{t},{k},1\n")).collect();
            let opened = read_in(format!("client,rollout,t,x1,u1\n{rows}").as_bytes(), 65_536).unwrap();
            let found = opened.step.unwrap();
            assert!((found / step - 1.0).abs() < 1e-9, "{n_clients} clients: {found} {step}");
            let (rollouts, samples) = (n_clients * n_rollouts, 2 * n_clients as u64 * n_rollouts as u64);
            assert_eq!((opened.tally.rollouts, opened.tally.samples), (rollouts, samples));
            assert_eq!((opened.tally.gaps.count, opened.tally.lengths), (0, Some((3, 3))));
        }
    }
}

#[test]
fn ragged_rollouts_missing_values_and_constant_columns_are_told() {
    let text = "client,t,x1,u1\nA,0,1,7\nA,1,2,7\nA,2,,7\nA,3,1,7\nA,4,2,7\nB,0,3,7\nB,1,4,\n";
    let Opened { tally, constants, .. } = read(text.as_bytes()).unwrap();
    assert_eq!(tally.lengths, Some((2, 5)));
    assert_eq!((tally.samples, tally.missing), (3, Noted { count: 2, first: 4 }));
    assert_eq!(constants, [(1, 7.0)]);
}

/// Simulated data that are written and read again give the estimates of the simulation.
#[test]
fn what_was_simulated_comes_back() {
    let family = Family::paper();
    let dims = family.dims();
    let plan = DataPlan { n_rollouts: 25, rollout_len: 5, noise: NoiseLevels::UNIT };
    let (mut fleet, mut text) = (Fleet::new(dims), write::header(dims));
    for client in 0..10 {
        let system = family.member(fedsysid_sim::family::Place { a: 0.1 * client as f64, b: 0.5 }, 0.3).unwrap();
        let client = Client { system: &system, plan, key: DataKey { seed: Seed(7), trial: 0, client } };
        fleet.add(&MomentSimulator::new(dims).simulate(client), 10);
        text += &write::rows(&(client.key.client + 1).to_string(), &realize(client), plan.rollout_len);
    }
    let opened = read_in(text.as_bytes(), 4_096).unwrap();
    assert_eq!((opened.tally.rows, opened.tally.samples, opened.tally.rollouts), (1_500, 1_250, 250));
    let mut total = crate::sums::Sums::new(dims);
    opened.sites.all().iter().for_each(|site| total.add(&site.sums(None)));
    let close = |a: &crate::Matrix, b: &crate::Matrix| assert!((a - b).amax() < 1e-10, "{a} {b}");
    close(&least_squares(&total.moments()).unwrap(), &least_squares(&fleet.total()).unwrap());
    for (client, site) in opened.sites.all().iter().enumerate() {
        let expected = least_squares(&fleet.blocks()[client / 8].moments(client % 8)).unwrap();
        close(&least_squares(&site.sums(None).moments()).unwrap(), &expected);
    }
}

/// Files that cannot be read, and the messages about them.
#[track_caller]
fn refuse(cases: &[(&[u8], &str)]) {
    for (bytes, words) in cases {
        let got = if bytes.len() > 1_000_000 {
            read_in(bytes, 65_536).map_err(|refusal| refusal.to_string())
        } else {
            read(bytes)
        };
        assert_eq!(got.map(|opened| opened.tally).unwrap_err(), *words, "{:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let head = "client,rollout,t,x1,u1\n";
    let long = format!("{head}{}", "x".repeat(1_100_000));
    let many = format!("{}\n", (1..=41).map(|k| format!("u{k},")).collect::<String>() + "x1");
    let cases: &[(&[u8], &str)] = &[
        (b"", "the file is empty"),
        (b"\n\r\n  \n", "the file is empty"),
        (b"# only a remark\n", "the file is empty"),
        (b"PK\x03\x04 and so on", "this is a packed file, perhaps a workbook: save its sheet as CSV"),
        (b"\x1f\x8b\x08", "this file is compressed: unpack it first"),
        (b"\xff\xfec\x00l\x00", "this file is in UTF-16: save it as CSV in UTF-8"),
        (b"MATLAB 5.0 MAT-file", "this is a MAT-file: write its table as CSV (writetable)"),
        (b"t,x1\n0,\x00\n", "line 2: this file holds bytes that no text has: it is no CSV"),
        (long.as_bytes(), "line 2: the line is longer than 1048576 bytes: this is not a table of text"),
        (
            b"hello\nworld\n",
            "line 1: the header is one field, \u{201c}hello\u{201d}: fields are separated by commas, semicolons or tabs",
        ),
        (
            b"t x1 u1\n0 1 2\n",
            "line 1: the header is one field, \u{201c}t x1 u1\u{201d}: fields are separated by commas, semicolons or tabs",
        ),
        (
            b"# client t x1\n1.0e+00 0.0e+00 2.5e-01\n",
            "line 2: these numbers are separated by blanks: separate fields by commas, semicolons or tabs (numpy.savetxt: delimiter=\",\")",
        ),
        (
            b"{\n  \"format\": 1\n",
            "this is no table but JSON: a scenario is opened by \u{201c}Open scenario\u{2026}\u{201d}",
        ),
        (
            b"1,2,3\n4,5,6\n",
            "line 1: this should be the header, such as client,rollout,t,x1,x2,u1; it begins with the number 1",
        ),
        (
            b"# x\n\n-0.5;2\n",
            "line 3: this should be the header, such as client,rollout,t,x1,x2,u1; it begins with the number -0.5",
        ),
        (b"a,b\n1,2\n", "line 1: no column is a state: states are called x1, x2, \u{2026}; the columns here are a, b"),
        (
            b"client,t,u1\n1,0,2\n",
            "line 1: no column is a state: states are called x1, x2, \u{2026}; the columns here are client, t, u1",
        ),
        (
            b"x1,x1\n1,2\n",
            "line 1: the columns \u{201c}x1\u{201d} and \u{201c}x1\u{201d} mean the same: rename one of them",
        ),
        (b"x1,x2,x4\n1,2,3\n", "line 1: there is a column x4 and none x3"),
        (b"x1,u2\n1,2\n", "line 1: there is a column u2 and none u1"),
        (many.as_bytes(), "line 1: there are more than 40 inputs"),
        (b"t,x1\n", "there is no row beneath the header"),
        (
            b"run,t,x1,u1\n7,0,1,\n7,1,2,\n",
            &no_samples("no column of clients: all rows are one client; rollout: run; time: t"),
        ),
        (
            b"client,t,x1\nA,0,1\nB,0,1\nC,0,1\n",
            &no_samples("client: client; no column of rollouts: each client has one; time: t"),
        ),
        (
            b"i,x1\n1,2\n1.5,3\n",
            "line 3: i is \u{201c}1.5\u{201d}: the rows before have names of clients or rollouts there; if it is measured, rename the column",
        ),
        (b"t,x1,u1\n0,1,2\n1,2\n", "line 3: 2 fields, where the header has 3"),
        (b"t,x1,u1\n0,1,2\n1,2", "line 3: the file ends within this line, after 2 of 3 fields: it was cut short"),
        (
            b"t,x1,u1\n0,1,2,3,4\n",
            "line 2: 5 fields, where the header has 3; with decimal commas, separate the fields by semicolons",
        ),
        (
            b"t;x1\n1;0;1\n",
            "line 2: 3 fields, where the header has 2; names of rows need a heading too (in R: row.names = FALSE)",
        ),
        (b"t;x1;u1\n0;1;2;3;4\n", "line 2: 5 fields, where the header has 3"),
        (b"t,x1\n0,\"1\n1,2\n", "line 2: a quote is opened here and not closed"),
        (b"\"t,x1\n0,1\n", "line 1: a quote is opened here and not closed"),
        (
            b"t,x1\n0,1\n1,two\n",
            "line 3: x1 is \u{201c}two\u{201d}: a number was expected, or nothing where it is missing",
        ),
        (b"t,x1\n2024-01-01,1\n", "line 2: t is \u{201c}2024-01-01\u{201d}: times are plain numbers, such as seconds"),
        (
            b"t;x1\n0;1.234,5\n",
            "line 2: x1 is \u{201c}1.234,5\u{201d}: numbers have one decimal mark and no thousands separators",
        ),
        (
            b"t;x1\n0;1,5\n1;2.5\n",
            "line 3: x1 is \u{201c}2.5\u{201d}, with another decimal mark than the numbers before it: a file uses points or commas",
        ),
        (b"t,x1\n0,1\n1,inf\n", "line 3: x1 is \u{201c}inf\u{201d}: numbers must be finite"),
        (b"t,x1\n0,1e999\n", "line 2: x1 is \u{201c}1e999\u{201d}: numbers must be finite"),
        (b"t,x1\n,1\n", "line 2: t is missing: a row needs its time"),
        (b"t,x1\nNaN,1\n", "line 2: t is missing: a row needs its time"),
        (b"site,t,x1\n,0,1\n", "line 2: site is missing: it says whose row this is"),
        (b"run,t,x1\n\"\",0,1\n", "line 2: run is missing: it says whose row this is"),
    ];
    refuse(cases);
}

#[test]
fn what_is_wrong_with_times_is_said_with_its_line() {
    refuse(&[
        (
            b"t,x1\n0,1\n1,1\n1,2\n",
            "line 4: the rollout goes from t = 1 (line 3) to t = 1: a rollout has one row a time",
        ),
        (
            b"client,t,x1\nA,1,1\nA,2,1\nA,1.5,2\n",
            "line 4: client A goes from t = 2 (line 3) to t = 1.5: rows of a rollout must be in the order of time; if a new rollout begins here, number them in a column rollout",
        ),
        (
            b"rollout,t,x1\n7,0,1\n7,1,1\n7,2,1\n7,2.5,2\n",
            "line 5: rollout 7 goes from t = 2 (line 4) to t = 2.5: one step is 1 in this file; without a column of time, every row is one step",
        ),
        (
            b"client,rollout,t,x1\nA,7,0,1\nA,7,1,1\nB,1,0,1\nA,7,0,5\n",
            "line 5: rollout 7 of client A goes from t = 1 (line 3) to t = 0: rows of a rollout must be in the order of time",
        ),
    ]);
}

fn no_samples(columns: &str) -> String {
    format!(
        "no row is followed by the next one in time of the same client and rollout, complete: \
         there is nothing to learn from ({columns})"
    )
}

/// A current called i is one of the measured columns, and no client of each value.
#[test]
fn a_current_is_not_a_client() {
    let opened = read(b"time,x1,i,u1\n0,1,0.0,2\n1,2,-0.1,2\n2,3,-0.1,2\n").unwrap();
    assert_eq!((opened.sites.all().len(), opened.tally.samples), (1, 2));
    assert_eq!(opened.header.unwrap().unused, [2]);
}

#[test]
fn so_many_clients_are_enough() {
    let rows: Vec<_> = (0..=10_000).map(|client| format!("{client},0,1\n")).collect();
    let refused = read_in(format!("client,t,x1\n{}", rows.concat()).as_bytes(), 1 << 16).unwrap_err();
    assert_eq!(refused.to_string(), "line 10002: there are more than 10000 clients");
}
