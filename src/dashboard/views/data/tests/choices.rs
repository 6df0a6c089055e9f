//! Chosen models and rounds: when they apply, and to what.

use super::*;

/// A choice is about the models of one lot: others begin with their first model, but not before they are there.
#[test]
fn a_new_lot_begins_with_its_first_model() {
    let all = small(|_| ());
    let mut desk = desk(&[&all]);
    let first = desk.parts().unwrap();
    let last = first[Part::Models].matches("<option").count() - 1;
    desk.choose(Chosen { model: last, way: 3 });
    let chosen = desk.parts().unwrap();
    assert!(chosen[Part::Models].ends_with("<option selected>4 alone</option>"), "{}", chosen[Part::Models]);
    // Work that is dropped changes nothing, and other rounds keep the choice.
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    desk.identify();
    desk.drop_work();
    assert_eq!(desk.parts().unwrap(), chosen);
    desk.set_rounds(Rounds { n_local_steps: 1, n_rounds: 2 });
    desk.drop_work();
    assert!(desk.set_rounds(Rounds::default()));
    while desk.work(0.0, || 1.0).is_some() {}
    assert_eq!(desk.parts().unwrap(), chosen);
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    settled(&mut desk);
    assert_eq!(desk.parts().unwrap(), first);
    desk.choose(Chosen { model: last + 1, way: 99 });
    assert_eq!(desk.parts().unwrap(), first, "what is not there is the first");
}

/// Rounds whose work was dropped are not those of the next lot.
#[test]
fn rounds_count_once_their_work_is_complete() {
    let all = small(|_| ());
    let mut desk = desk(&[&all]);
    let before = desk.parts().unwrap();
    assert!(desk.set_rounds(Rounds { n_local_steps: 1, n_rounds: 2 }));
    desk.begin(false);
    open(&mut desk, "0.csv", &all).unwrap();
    settled(&mut desk);
    assert_eq!(desk.parts().unwrap(), before);
}

#[test]
fn other_rounds_are_run_on_the_same_data() {
    let mut desk = desk(&[&small(|_| ())]);
    let before = desk.parts().unwrap();
    assert!(desk.set_rounds(Rounds { n_local_steps: 1, n_rounds: 2 }));
    while desk.work(0.0, || 1.0).is_some() {}
    let after = desk.parts().unwrap();
    assert_eq!(before[Part::Estimate], after[Part::Estimate]);
    assert_ne!(before[Part::Fit], after[Part::Fit]);
    assert!(!Desk::default().set_rounds(Rounds::default()));
}
