//! What is said of how far clients differ, of who should join, and of states without noise.

use super::*;
use crate::data::spread::{Spread, Test};

/// Rows of carts: the position changes by `dt` times the speed, without noise; the speed has noise of size `noise`.
fn carts(dt: impl Fn(usize) -> f64, noise: f64) -> String {
    let mut text = String::from("client,rollout,t,x1,x2,u1\n");
    for client in 0..3 {
        for rollout in 0..10 {
            let (mut x1, mut x2) = (1.0, 0.0);
            for t in 0..8 {
                let wave = |speed: f64| (speed * (80 * client + 8 * rollout + t) as f64).sin();
                let u = wave(7.3);
                text.extend([format!("{client},{rollout},{t},{x1},{x2},{u}\n")]);
                (x1, x2) = (x1 + dt(client) * x2, 0.7 * x2 - 0.2 * x1 + u + noise * wave(31.7));
            }
        }
    }
    text
}

/// A column in other units changes no verdict and no distance, but for the last digits: these are kept by powers of two.
#[test]
fn units_of_columns_change_no_verdict() {
    let in_units = |column: usize, unit: f64| {
        let scaled = |(place, field): (usize, &str)| match field.parse::<f64>() {
            Ok(value) if place == column => (unit * value).to_string(),
            _ => field.to_owned(),
        };
        let row = |row: &str| row.split(',').enumerate().map(scaled).collect::<Vec<_>>().join(",") + "\n";
        desk(&[&small(|_| ()).lines().map(row).collect::<String>()]).parts().unwrap()
    };
    let plain = in_units(3, 1.0);
    assert!(plain[Part::Spread].contains("Distances are for columns scaled to a mean square of 1."));
    for (column, unit) in [(3, 1_024.0), (4, 0.125), (7, 1.0 / 65_536.0)] {
        let other = in_units(column, unit);
        assert_ne!(plain[Part::Estimate], other[Part::Estimate]);
        for part in [Part::Spread, Part::Join, Part::Clients, Part::Dots, Part::Fit] {
            assert_eq!(plain[part], other[part], "column {column} in units of {unit}");
        }
    }
}

/// For states without noise, rounding decides no verdict, and no text holds NaN or an infinity.
#[test]
fn states_without_noise_are_spoken_of_in_words() {
    let saying = |text: &str, words: &[&str]| {
        let parts = desk(&[text]).parts().unwrap();
        for words in words {
            assert!(parts[Part::Spread].contains(words), "{words} in {}", parts[Part::Spread]);
        }
        for text in parts.into_texts() {
            for word in ["NaN", "inf", "not a number", "infinite"] {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    };
    saying(&carts(|_| 0.1, 1.0), &["Nothing says that the clients differ: ", "by one model for all: x1.</p>"]);
    let certain = "The clients differ for certain: ";
    let own = "by clients’ own models, but not by one for all: x1.</p>";
    saying(
        &carts(|client| 0.1 + 0.01 * client as f64, 1.0),
        &[certain, "F = ", "over 3 clients, each with its own noise.", own],
    );
    saying(
        &carts(|client| 0.1 + 0.01 * client as f64, 0.0),
        &[certain, "no state has noise.", "but not by one for all: x1."],
    );
    let parts = desk(&[&carts(|_| 0.1, 0.0)]).parts().unwrap();
    assert!(parts[Part::Spread].contains("No difference is seen"), "{}", parts[Part::Spread]);
    assert!(
        parts[Part::Estimate].contains("Where σ̂ is 0, noise cannot be told from rounding."),
        "{}",
        parts[Part::Estimate]
    );
    assert!(parts[Part::Join].contains("0 of 3 clients predict held-out data better"), "{}", parts[Part::Join]);
    assert!(parts[Part::Fit].contains("alone predicts held-out data best: 0."), "{}", parts[Part::Fit]);
    assert!(parts[Part::Fit].contains(", alone is best: 0."), "{}", parts[Part::Fit]);
    saying(&carts(|_| 0.1, 0.0), &[]);
}

/// The test decides whether clients differ, and the estimate says how far: each may be without the other.
#[test]
fn how_far_clients_differ_agrees_with_whether_they_do() {
    let mut found = found(&small(|_| ()));
    for (p_value, between, words) in [
        (0.001, 0.5, "The clients differ: their systems lie about 0.500 from their mean"),
        (0.03, 0.0, "The clients seem to differ: how far is lost in the noise; noise alone moves"),
        (
            0.4,
            0.5,
            "Nothing says that the clients differ: the estimate of their distance, 0.500, is no larger than noise may give; ",
        ),
        (0.4, 0.0, "Nothing says that the clients differ: their estimates lie no farther apart than noise explains; "),
    ] {
        let (test, lists) = (Some(Test { f: 1.5, p_value }), Vec::new);
        let spread = Spread { n_clients: 4, between, noise: 1.0, differing: lists(), exact: lists(), test };
        found.identified.spread = Ok(spread);
        assert!(words::spread(&found).starts_with(words), "{}", words::spread(&found));
    }
}

/// Two clients without noise differ, and a third has noise in the same state: there is no test, but there is noise.
#[test]
fn noise_of_one_client_is_not_denied_where_others_have_none() {
    let row = |client: u32, t: u32| {
        let wave = |speed: f64| (speed * f64::from(t + 40 * client)).sin();
        let (x, u) = (wave(1.3), wave(2.9));
        let next = (0.5 + 0.1 * f64::from(client)) * x + u + if client == 2 { wave(17.7) } else { 0.0 };
        format!("{client},{t},0,{x},{u}\n{client},{t},1,{next},\n")
    };
    let rows: String = (0..3).flat_map(|client| (0..30).map(move |t| row(client, t))).collect();
    let [.., spread] = said(&format!("client,rollout,t,x1,u1\n{rows}"));
    assert!(spread.starts_with("The clients differ for certain: "), "{spread}");
    assert!(spread.contains("; noise alone moves the estimate of one by about "), "{spread}");
    assert!(spread.contains(", over 3 clients. "), "{spread}");
    assert!(spread.contains(" Predicted without error by some clients’ own models, but"), "{spread}");
    assert!(spread.ends_with(" not by one for these: x1.") && !spread.contains("no state has noise"), "{spread}");
}

/// The words on prediction, on joining, and on how clients differ.
fn said(text: &str) -> [String; 3] {
    let parts = desk(&[text]).parts().unwrap();
    let words = [Part::Fit, Part::Join, Part::Spread].map(|part| {
        let html = &parts[part];
        let end = html.find("</p>").unwrap();
        html[html[..end].rfind('>').unwrap() + 1..end].to_owned()
    });
    assert!(!words.concat().contains("NaN"), "{words:?}");
    words
}

/// The carts' file with a changed column.
fn with_column(column: usize, change: impl Fn(&str) -> String) -> String {
    let carts = carts(|_| 0.1, 1.0);
    let row = |(place, line): (usize, &str)| {
        let mut fields: Vec<_> = line.split(',').map(str::to_owned).collect();
        if place > 0 {
            fields[column] = change(&fields[column]);
        }
        fields.join(",") + "\n"
    };
    carts.lines().enumerate().map(row).collect()
}

/// If data do not determine a model, the words give that reason, and not too little data.
#[test]
fn the_reason_why_nothing_can_be_told_is_the_true_one() {
    let check = |text: &str, fit: &str, reason: &str| {
        let words = said(text);
        assert!(words[0].contains(fit) && words[0].contains(reason), "{words:?}");
        for (words, begin) in [
            (
                &words[1],
                "No client can tell whether pooled would serve it better: no client has least squares of its own",
            ),
            (&words[2], "How far clients differ cannot be told: that takes at least two clients whose own data"),
        ] {
            assert!(words.starts_with(begin) && words.contains(reason), "{words}");
        }
        assert!(words.iter().all(|words| !words.contains("oo little data")), "{words:?}");
    };
    let zero = with_column(5, |_| "0".into());
    check(&zero, "held-out data best: 0.", "the data do not tell what u1 does: it is always zero");
    let tiny = with_column(3, |x| format!("{x}e-200"));
    check(
        &tiny,
        "Pooled least squares has no solution",
        "what x1 does: it is always zero, or so small that its square is",
    );
    let huge = with_column(3, |x| format!("{x}e200"));
    check(&huge, "No error on held-out data can be told: ", "the values are so large that their squares overflow");
}

/// What cannot be told apart is named, with what to do about it, for all clients and for each.
#[test]
fn columns_that_explain_each_other_are_named() {
    let advice = "; leave one out, or measure large values that hardly change from a nearer zero.";
    // The speed of the second client is always a multiple of its position; elsewhere, columns go their own ways.
    let twice = |line: &str| match line.split(',').collect::<Vec<_>>()[..] {
        ["1", rollout, t, x1, _, u1] => {
            let twice = 2.0 * x1.parse::<f64>().unwrap();
            format!("1,{rollout},{t},{x1},{twice},{u1}\n")
        }
        _ => line.to_owned() + "\n",
    };
    let mut desk = desk(&[&carts(|_| 0.1, 1.0).lines().map(twice).collect::<String>()]);
    let alone = desk.parts().unwrap()[Part::Models].split("<option").count() - 3;
    desk.choose(Chosen { model: alone, way: 1 });
    let parts = desk.parts().unwrap();
    let reason = "the data do not tell what x2 does: to within a millionth, it is a multiple of x1";
    assert!(parts[Part::Estimate].contains(&format!("{reason}{advice}")), "{}", parts[Part::Estimate]);
    let of_mean = format!("not every client has least squares of its own, as {reason}{advice}");
    assert!(parts[Part::Join].contains(&of_mean), "{}", parts[Part::Join]);
    let with_input = |text: &str, value: fn(&[f64]) -> f64| {
        let row = |row: &str| {
            let values: Vec<f64> = row.split(',').skip(3).filter_map(|field| field.parse().ok()).collect();
            format!("{row},{}\n", if values.is_empty() { "u2".into() } else { value(&values).to_string() })
        };
        text.lines().map(row).collect::<String>()
    };
    let [fit, _, spread] = said(&with_input(&carts(|_| 0.1, 1.0), |values| values.iter().sum()));
    for words in [fit, spread] {
        assert!(words.contains("what u2 does: to within a millionth, it is a combination of x1, x2, u1; "), "{words}");
    }
    // Beside a position far from zero, an input that is always 1 is its multiple.
    let far = with_column(3, |x| (1e8 + x.parse::<f64>().unwrap()).to_string());
    let [fit, ..] = said(&with_input(&far, |_| 1.0));
    assert!(fit.contains("what u2 does: to within a millionth, it is a multiple of x1; leave one out"), "{fit}");
}

#[test]
fn what_was_learned_from_nothing_predicts_nothing() {
    let rows = |client: &str| format!("{client},1,0.3\n{client},0.7,-0.9\n{client},-0.4,0.5\n{client},0.2,0.1\n");
    let [fit, join, spread] = said(&format!("client,x1,u1\n{}{}{}", rows("A"), rows("B"), rows("C")));
    assert!(fit.starts_with("One step ahead, "), "the others’ data predict each client’s: {fit}");
    assert!(
        join.ends_with("without a part that is held out, the data of no client determine a model of its own."),
        "{join}"
    );
    assert!(spread.contains("F = "), "{spread}");
    let one = format!("client,x1,u1\n{}", rows("A"));
    let [fit, ..] = said(&one);
    assert_eq!(fit, "Too little data to hold any out: without them nothing would be left to learn from.");
    let parts = desk(&[&one]).parts().unwrap();
    assert!(!parts[Part::Fit].contains("class=bar"), "{}", parts[Part::Fit]);
}

/// The first client has as many samples as unknowns: its noise is not known, but that of the others is.
#[test]
fn clients_without_samples_to_spare_are_left_out_of_the_comparison() {
    let rows = |client: &str| format!("{client},1,0.3\n{client},0.7,-0.9\n{client},-0.4,0.5\n");
    let more = |client: &str| rows(client) + &format!("{client},0.2,0.1\n{client},0.1,0.4\n");
    let [.., spread] = said(&format!("client,x1,u1\n{}{}{}", rows("A"), more("B"), more("C")));
    assert!(spread.contains("over 2 clients"), "{spread}");
    let [.., spread] = said(&format!("client,x1,u1\n{}{}D,1,1\nD,2,2\n", rows("A"), more("B")));
    assert_eq!(spread, "How far clients differ cannot be told: that takes at least two clients with samples to spare.");
}

#[test]
fn what_never_changes_is_not_predicted() {
    let row = |t: i32| format!("1,{}\n", f64::from(t).sin());
    let still: String = (0..60).map(row).collect();
    let [fit, ..] = said(&format!("x1,u1\n{still}"));
    assert_eq!(fit, "No state changes, so there is nothing to predict.");
}

#[test]
fn one_client_has_nothing_to_join() {
    let one = of_client(&small(|_| ()), "1");
    let [fit, join, spread] = said(&one);
    assert!(fit.starts_with("One step ahead, least squares predicts held-out data with an error of 0."), "{fit}");
    assert!(fit.contains(" There is only one client: nothing to join. In free run along "), "{fit}");
    assert!(!fit.contains("best"), "{fit}");
    assert_eq!(join, "There is only one client: there is nothing to join.");
    assert_eq!(spread, "There is only one client: nobody to differ from.");
    let parts = desk(&[&one]).parts().unwrap();
    assert!([Part::Ways, Part::Clients, Part::Dots].iter().all(|&part| parts[part].is_empty()));
    assert_eq!(parts[Part::Fit].matches("<tr data-role=").count(), 1, "{}", parts[Part::Fit]);
}

#[test]
fn those_who_cannot_tell_are_counted_in_good_grammar() {
    let all = small(|_| ());
    let short = |client: usize| format!("s{client},1,0,1,0,0,1,0\ns{client},1,1,0,1,0,0,1\n");
    let [_, join, _] = said(&format!("{all}{}", short(1)));
    assert!(
        join.ends_with(" 1 more cannot tell: its own data do not determine a model, or not without a part held out."),
        "{join}"
    );
    let [_, join, _] = said(&format!("{all}{}{}", short(1), short(2)));
    assert!(join.contains(" 2 more cannot tell: their own data"), "{join}");
    let mut desk = desk(&[&format!("{all}{}", short(1))]);
    desk.choose(Chosen { model: 0, way: 1 });
    let join = desk.parts().unwrap()[Part::Join].clone();
    let reason = "not every client has least squares of its own, as 1 sample is too few for 5 unknowns a state.";
    assert!(join.contains(reason), "{join}");
}

/// Errors that differ by less than is shown have no winner: the first is named, and the others are counted.
#[test]
fn rounding_names_no_winner() {
    let mut found = found(&small(|_| ()));
    let squares = found.identified.outcomes[1].squares.clone();
    for (place, outcome) in found.identified.outcomes.iter_mut().enumerate() {
        let share = [2.0, 1.0].get(place).map_or(1.0 - 1e-13 * place as f64, |share| *share);
        outcome.squares = squares.iter().map(|parts| parts.map(|square| share * square)).collect();
        outcome.free_run = Some(share);
    }
    let fit = words::fit(&found);
    assert!(fit.starts_with("One step ahead, pooled predicts held-out data best: "), "{fit}");
    assert!(fit.contains(" About as well, too close to tell: 8 of 9 others. "), "{fit}");
    assert!(fit.contains(", pooled is best: 1.00."), "{fit}");
}

/// A method that still moves is marked, and is not the best whatever its errors are.
#[test]
fn rounds_that_have_not_settled_are_marked_and_not_best() {
    let mut found = found(&small(|_| ()));
    let before = words::fit(&found);
    assert!(!markup::parts(&found, Chosen::default())[Part::Fit].contains("not settled"));
    let outcome = found.identified.outcomes.last_mut().unwrap();
    outcome.is_settled = false;
    outcome.free_run = Some(0.0);
    outcome.squares.iter_mut().flatten().for_each(|square| *square = 0.0);
    let best = |words: &str| words.split(';').next().unwrap().to_owned();
    assert_eq!(best(&words::fit(&found)), best(&before));
    let fit = markup::parts(&found, Chosen::default())[Part::Fit].clone();
    assert_eq!(fit.matches("*</th>").count(), 1, "{fit}");
    assert!(fit.contains(" * not settled after 1000 rounds: raise R.</p>"), "{fit}");
    assert!(fit.contains("An error of 0 is perfect") && fit.contains(" Step size α = 0."), "{fit}");
}
