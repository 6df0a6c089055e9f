use super::*;
use crate::dashboard::tests::run;
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
        // MATLAB's handles of functions are no fields.
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
fn clients_must_be_alike_in_how_much_they_have() {
    use crate::sim::spread::Spread;
    assert_eq!(of(|s| s.n_local_steps = Spread::Each(vec![1, 2])), Err(NoProgram::Uneven));
}
