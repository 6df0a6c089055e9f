use super::*;
use crate::dashboard::results::tests::run;
use crate::sim::participation::Participation;

fn of(change: impl Fn(&mut Settings)) -> Result<Program, NoProgram> {
    program(&run(change), Language::Python, &["what it is".into()])
}

#[track_caller]
fn check(change: impl Fn(&mut Settings), notes: &[&str]) {
    assert_eq!(of(change).map(|program| program.notes), Ok(notes.iter().map(|&note| note.to_owned()).collect()));
}

#[test]
fn every_field_is_filled() {
    for language in Language::ALL {
        let program = program(&run(|s| s.n_clients = 3), language, &["what it is".into(), String::new()]).unwrap();
        let begin = format!("{}what it is\n{}\n", language.comment(), language.comment().trim_end());
        assert!(program.text.starts_with(&begin) && program.notes.is_empty(), "{language:?}");
        let fields = program.text.split('@').skip(1).step_by(2);
        let left: Vec<_> =
            fields.filter(|name| name.chars().all(|c| c.is_ascii_alphabetic()) && name.len() < 9).collect();
        // MATLAB's function handles look like fields, but are none.
        assert!(left.iter().all(|name| language == Language::Matlab && name.contains("mrdivide")), "{left:?}");
    }
}

#[test]
fn what_is_left_out_is_said() {
    check(|_| (), &[]);
    check(|s| s.participation = Participation::Fraction(0.5), &[]);
    check(|s| s.step_size = 3e-3, &["Without FedAvg: it diverges.", "Without FedLin: it diverges."]);
}

#[test]
fn only_so_many_data_sets_as_there_is_room_for() {
    check(|s| s.n_clients = 800, &["Of the page’s 3 data sets only the first 2: errors are means over these."]);
    let refused = of(|s| (s.n_clients, s.n_rounds) = (2_000, 1)).unwrap_err();
    assert_eq!(refused.to_string(), "a program has room for the moments of 1750 clients, not of 2000");
    let nothing = of(|s| (s.methods, s.references) = (Vec::new(), Vec::new())).unwrap_err();
    assert_eq!(nothing, NoProgram::Nothing);
    let program = of(|s| s.n_clients = 800).unwrap();
    assert!(program.text.len() < 1_100_000, "{}", program.text.len());
}

#[test]
fn what_clients_have_is_written_once_where_it_is_the_same() {
    let lists = [Language::Python, Language::Matlab, Language::Julia, Language::Rust].map(|language| {
        let numbers =
            |numbers: &[usize]| language.of_clients(&numbers.iter().map(usize::to_string).collect::<Vec<_>>());
        [numbers(&[7, 7]), numbers(&[7, 8])]
    });
    let same = ["[7] * M", "7 * ones(1, M)", "fill(7, M)", "[7; M]"];
    assert_eq!(lists, same.map(|same| [same.to_owned(), "[7, 8]".to_owned()]));
}
