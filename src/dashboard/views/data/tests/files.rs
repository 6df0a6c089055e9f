//! Files: how they are read together, what is said of each, and what is refused.

use super::*;

/// The example on the first screen is a valid file, and is read as the page says.
#[test]
fn the_file_that_is_shown_is_read() {
    let mut desk = Desk::default();
    desk.begin(false);
    open(&mut desk, "shown.csv", FORMAT).unwrap();
    settled(&mut desk);
    let summary = &desk.parts().unwrap()[Part::Summary];
    assert!(summary.contains("4 rows in 2 rollouts") && summary.contains("2 samples"), "{summary}");
}

/// Moments of each site, saved separately and opened together, give the same results as the rows.
#[test]
fn moments_of_sites_say_what_their_rows_said() {
    let all = small(|_| ());
    let rows = desk(&[&all]).parts().unwrap();
    let files: Vec<_> =
        ["1", "2", "3", "4"].iter().map(|client| desk(&[&of_client(&all, client)]).moments().unwrap()).collect();
    let texts: Vec<_> = files.iter().map(String::as_str).collect();
    let moments = desk(&texts).parts().unwrap();
    assert_eq!(
        (&moments[Part::Estimate], &moments[Part::Spread], &moments[Part::Join]),
        (&rows[Part::Estimate], &rows[Part::Spread], &rows[Part::Join])
    );
    assert!(moments[Part::Summary].contains("no free run"));
    assert!(moments[Part::Fit].contains("class=none") && !moments[Part::Fit].contains("In free run"));
}

#[test]
fn files_are_added_to_each_other() {
    let all = small(|_| ());
    let mut desk = desk(&[&of_client(&all, "1"), &of_client(&all, "2")]);
    desk.begin(true);
    open(&mut desk, "more.csv", &of_client(&all, "3")).unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    assert_eq!(parts[Part::Summary].matches("<li><b>").count(), 3);
    assert!(parts[Part::Models].contains("<option>3 alone</option>"));
}

/// A desk that has opened these files, given by name and text, together.
fn desk_of(files: &[(&str, &str)]) -> Desk {
    let mut desk = Desk::default();
    desk.begin(false);
    for (name, text) in files {
        open(&mut desk, name, text).unwrap();
    }
    settled(&mut desk);
    desk
}

#[test]
fn files_without_a_column_of_clients_are_called_by_their_names() {
    let all = small(|_| ());
    let nameless = |client: &str| {
        let rows = of_client(&all, client);
        rows.lines().map(|row| row.split_once(',').unwrap().1.to_owned() + "\n").collect::<String>()
    };
    let rows = ["1", "2", "3"].map(nameless);
    let files = ["north.csv", "south 1.5.csv", "north.txt", "pump 1.5", ".csv", ""];
    let files: Vec<_> = files.into_iter().zip(rows.iter().cycle()).map(|(name, text)| (name, &**text)).collect();
    let mut desk = desk_of(&files);
    let names = ["north", "south 1.5", "north (2)", "pump 1.5", ".csv", "1"];
    let alone = names.map(|name| format!("<option>{name} alone"));
    let parts = desk.parts().unwrap();
    assert!(parts[Part::Models].contains(&alone.join("</option>")), "{}", parts[Part::Models]);
    // Their moments have these names, and so has a single file.
    let moments = desk.moments().unwrap();
    desk = desk_of(&[("east.txt", &moments), ("north.csv", &rows[0])]);
    let parts = desk.parts().unwrap();
    assert!(parts[Part::Models].contains(&alone.join("</option>")), "{}", parts[Part::Models]);
    assert!(parts[Part::Models].ends_with("<option>north (3) alone</option>"), "{}", parts[Part::Models]);
    assert!(desk_of(&files[..1]).parts().unwrap()[Part::Models].ends_with("<option>north alone</option>"));
}

/// A model holds for one length of steps: whoever has another is named, in one file, in several, and in moments.
#[test]
fn steps_that_differ_in_time_are_spoken_of() {
    let rows = |client: &str, step: f64| {
        let row = |k: u32| {
            let wave = |speed: f64| (speed * f64::from(k)).sin();
            format!("{client},{},{},{}\n", f64::from(k) * step, wave(1.7), wave(2.9))
        };
        (0..40).map(row).collect::<String>()
    };
    let file = |rows: &str| format!("client,t,x1,u1\n{rows}");
    let summary = |files: &[(&str, &str)]| desk_of(files).parts().unwrap()[Part::Summary].clone();
    let (tenth, fifth) = (file(&rows("A", 0.1)), file(&rows("B", 0.2)));
    let odd = "one step is 0.2 in time for B, but 0.1 for A: in the same unit, no model fits both";
    let both = summary(&[("a.csv", &tenth), ("b.csv", &fifth)]);
    assert!(both.find(odd) > both.find("<b>b.csv</b>") && both.matches("no model fits both").count() == 1, "{both}");
    let moments = [&tenth, &fifth].map(|text| desk(&[text]).moments().unwrap());
    let both = summary(&[("a.txt", &moments[0]), ("b.txt", &moments[1])]);
    assert!(both.find(odd) > both.find("<b>b.txt</b>"), "{both}");
    // The same step but for jitter, and files without times.
    let jittery = file(&rows("B", 0.102));
    let timeless = "client,x1,u1\nC,1,2\nC,2,3\nC,1,1\n";
    let alike = summary(&[("a.csv", &tenth), ("b.csv", &jittery), ("c.csv", timeless)]);
    assert!(!alike.contains("no model fits both"), "{alike}");
    let one = summary(&[(
        "both.csv",
        &file(&(["A", "D", "E"].map(|client| rows(client, 0.1)).concat() + &rows("B", 0.2) + &rows("C", 0.3))),
    )]);
    assert!(one.contains("2 clients left out, as one step is not 0.1 in time there (B: 0.2)"), "{one}");
}

/// Whatever goes wrong, the results so far stay.
#[test]
fn what_cannot_be_used_is_said_and_nothing_is_lost() {
    let mut desk = desk(&[&small(|_| ())]);
    let before = desk.parts();
    desk.begin(false);
    assert_eq!(
        open(&mut desk, "a.csv", "t,x1\n0,one\n").unwrap_err(),
        "a.csv cannot be used: line 2: x1 is “one”: a number was expected, or nothing where it is missing."
    );
    desk.drop_work();
    assert_eq!(desk.parts(), before);
    desk.begin(true);
    let refused = open(&mut desk, "b.csv", "t,x1\n0,1\n1,2\n").unwrap_err();
    assert_eq!(
        refused,
        "b.csv cannot be used: this file has n = 1 and p = 0, but those before it have n = 3 and p = 2."
    );
    desk.begin(false);
    assert_eq!(open(&mut desk, "c.csv", "").unwrap_err(), "c.csv cannot be used: the file is empty.");
    assert!(open(&mut desk, "d.txt", "fedsysid-moments 1\n").unwrap_err().contains("version 2"));
    assert_eq!(desk.parts(), before);
}

/// Columns are matched by their numbers: other names and units are told, and so are clients that come twice.
#[test]
fn what_has_other_names_in_another_file_is_noted() {
    let all = small(|_| ());
    let moments = desk(&[&all.replace("x1", "x1 [mm]").replace("u1", "U1")]).moments().unwrap();
    let summary =
        desk_of(&[("a.csv", &of_client(&all, "2")), ("b.txt", &moments)]).parts().unwrap()[Part::Summary].clone();
    for note in [
        "other names or units than in the first file: x1_[mm] for x1<",
        "1 client with names that were there before: taken for others, 2 as 2 (2)<",
        "1 client with exactly the samples of others, 2 (2) with those of 2: they count twice<",
    ] {
        let place = summary.find(note);
        assert!(place > summary.find("<b>b.txt</b>") && place.is_some(), "{note} in {summary}");
    }
    let twice = desk_of(&[("a.csv", &all), ("copy.csv", &all)]).parts().unwrap();
    let note = "4 clients with exactly the samples of others, 1 (2) with those of 1: they count twice<";
    assert!(twice[Part::Summary].contains(note), "{}", twice[Part::Summary]);
    let plain = desk_of(&[("a.csv", &of_client(&all, "1")), ("b.csv", &of_client(&all, "2"))]).parts().unwrap();
    assert!(!plain[Part::Summary].contains("other"), "{}", plain[Part::Summary]);
}

#[test]
fn what_was_passed_over_is_noted() {
    let odd = "site,time,x1,u1,u2,colour\nA,0,1,1,0,red\nA,0.5,2,0,0,red\nA,1,1,,0,red\nA,1.5,3,2,0,red\nA,9,1,1,0,red\nA,9.5,2,1,0,red\nA,10,4,1,0,red\n";
    let mut desk = Desk::default();
    desk.begin(false);
    open(&mut desk, "odd <b>.csv", odd).unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    for words in [
        "odd &lt;b>.csv",
        "7 rows in 1 rollout of 7 each, from 1 client: 4 samples",
        "1 gap in time: nothing is learned across them (first in line 6)",
        "1 sample left out, as a value is missing (first in line 4)",
        "one step is 0.5 in time",
        "u2 is 0 in every row: what it does cannot be told",
        "not used: colour",
        "client: site; no column of rollouts: each client has one; time: time",
    ] {
        assert!(parts[Part::Summary].contains(words), "{words} in {}", parts[Part::Summary]);
    }
    // Without a pooled estimate the first model is the client's own, which does not exist either.
    assert!(desk.results().is_some());
}

#[test]
fn a_column_that_never_changes_is_shown_with_the_digits_of_the_file() {
    let rows = "x1,u1,u2\n1,1,1013.25\n2,0,1013.25\n1,2,1013.25\n";
    let summary = &desk(&[rows]).parts().unwrap()[Part::Summary];
    assert!(summary.contains("u2 is 1013.25 in every row"), "{summary}");
}

/// Alike clients about their own operating points: no model without a constant fits them, and the page says so.
#[test]
fn data_about_an_operating_point_are_noted() {
    let file = |points: [f64; 3], ones: &str| {
        let row = |client: usize, k: usize, x: f64| format!("{client},{},{}{ones}\n", points[client] + x, wave(k));
        let mut text = format!("client,x1,u1{}\n", if ones.is_empty() { "" } else { ",u2" });
        for client in 0..3 {
            let mut x = 0.0;
            for k in 100 * client..100 * client + 90 {
                text += &row(client, k, x);
                x = 0.8 * x + wave(k) + 0.1 * wave(7 * k);
            }
        }
        desk(&[&text]).parts().unwrap()
    };
    let about = file([19.0, 23.0, 18.0], "");
    let note = "the model has no constant, but the data lie about x1 = 20.2: subtract each client’s operating point";
    assert!(about[Part::Summary].contains(note), "{}", about[Part::Summary]);
    assert!(about[Part::Estimate].contains("The model has no constant: "), "{}", about[Part::Estimate]);
    for (points, ones) in [([20.0; 3], ",1"), ([0.0; 3], "")] {
        let parts = file(points, ones);
        for part in [Part::Summary, Part::Estimate, Part::Spread] {
            assert!(!parts[part].contains("has no constant"), "{}", parts[part]);
        }
    }
}

fn wave(k: usize) -> f64 {
    (k as f64 * k as f64 * 0.7).sin()
}

/// A spreadsheet's file in Latin-1: clients keep their names, and a note names the encoding.
#[test]
fn names_in_latin_1_are_names() {
    let all = small(|_| ()).replace("\n1,", "\nMü,").replace("\n2,", "\nMö,");
    let latin: Vec<u8> = all.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let mut desk = Desk::default();
    desk.begin(false);
    desk.open("latin.csv");
    desk.push(&latin).unwrap();
    desk.close().unwrap();
    settled(&mut desk);
    let parts = desk.parts().unwrap();
    let note = "not in UTF-8: such text is read as Windows-1252 (first in line 2)";
    assert!(parts[Part::Summary].contains(note), "{}", parts[Part::Summary]);
    for name in ["Mü", "Mö"] {
        assert!(parts[Part::Clients].contains(&format!("<th scope=row>{name}</th>")), "{}", parts[Part::Clients]);
    }
}
