//! Charts and tables that are saved.

use super::*;
use crate::dashboard::outgoing::export::charts::Page;
use crate::dashboard::outgoing::export::own_data;
use crate::params::{Draft, Views};

/// Exports hold every eigenvalue and every dot of the charts, and say which data were opened.
#[test]
fn both_pictures_can_be_taken_away() {
    let parts = desk(&[&text(example())]).parts().unwrap();
    let (draft, views) = (Draft::default(), Views::default());
    let page = Page { draft: &draft, views: &views, link: "https://example.org/?view=data" };
    let poles = own_data::eigenvalues(page, &parts).unwrap();
    assert_eq!(poles.table.rows.len(), 3 * (1 + 12));
    assert_eq!(poles.title, "Eigenvalues of Â: pooled");
    let joining = own_data::joining(page, &parts).unwrap();
    assert_eq!(joining.table.rows.len(), 12);
    for export in [poles, joining] {
        assert!(export.caption.starts_with("0.csv: 1320 rows"), "{}", export.caption);
        assert!(export.csv().contains("# link: https://example.org/?view=data"));
        assert!(export.svg::<Strokes>((&Theme::DARK, Paper::Opaque)).contains("</svg>"));
    }
    assert!(
        own_data::eigenvalues(page, &Parts::default()).is_none()
            && own_data::joining(page, &Parts::default()).is_none()
    );
}

/// Charts speak the page's language, and their tables of numbers none but English.
#[test]
fn charts_have_the_same_table_in_every_language() {
    let found = found(&small(|_| ()));
    let (draft, views) = (Draft::default(), Views::default());
    let page = Page { draft: &draft, views: &views, link: "" };
    let chart = |model| own_data::eigenvalues(page, &markup::parts(&found, Chosen { model, way: 0 })).unwrap();
    let last = found.models().count();
    let plain = [0, last].map(chart);
    assert_eq!((&*plain[0].table.rows[0][0], &*plain[1].table.rows[0][0]), ("pooled", "1 alone"));
    let texts = [("pooled", "gepoolt"), ("{} alone", "{} allein"), ("{name} alone", "{name} allein")];
    let german = fedsysid_say::Language::new("de", ',', &fedsysid_say::packed(texts).unwrap());
    fedsysid_say::speak(Some(Box::leak(Box::new(german))));
    let translated = [0, last].map(chart);
    fedsysid_say::speak(None);
    assert_eq!(translated[0].title, "Eigenvalues of Â: gepoolt");
    for (plain, translated) in plain.iter().zip(&translated) {
        assert_eq!(plain.table, translated.table);
    }
}

#[test]
fn results_are_a_table_of_every_number() {
    let desk = desk(&[&small(|_| ())]);
    let csv = desk.results().unwrap();
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("quantity,model,client,row,column,value,standard error,low,high"));
    assert!(lines.all(|line| line.split(',').count() == 9));
    let count = |begin: &str| csv.lines().filter(|line| line.starts_with(begin)).count();
    assert_eq!(
        (count("coefficient,pooled,"), count("coefficient,alone,3,"), count("coefficient,FedLin,")),
        (15, 15, 15)
    );
    assert_eq!((count("noise std,pooled"), count("one-step error,pooled,"), count("free-run error,")), (3, 5, 10));
    assert_eq!((count("rounds settled (1 or 0),FedLin,,,,1,,,"), count("rounds settled")), (1, 7));
}

/// Models that still move do not pass for results in a file either.
#[test]
fn results_say_which_rounds_have_not_settled() {
    let mut found = found(&small(|_| ()));
    found.identified.outcomes.last_mut().unwrap().is_settled = false;
    let csv = results::csv(&found);
    let count = |value: &str| {
        let rows = csv.lines().filter(|line| line.starts_with("rounds settled"));
        rows.filter(|line| line.ends_with(&format!(",,,,{value},,,"))).count()
    };
    assert_eq!((count("1"), count("0")), (6, 1));
}

#[test]
fn too_much_is_not_simulated_into_a_file() {
    let mut settings = example();
    settings.data.n_rollouts = 1_000_000.into();
    let words = Simulated::new(settings).unwrap_err();
    assert!(
        words.starts_with(
            "The simulated data would be a file of 132\u{202f}000\u{202f}000 rows; up to 2\u{202f}000\u{202f}000"
        ),
        "{words}"
    );
}
