//! Own systems: typed, pasted, taken from examples, in a link.

use anyhow::{Result, ensure};
use e2e::browser::Screen;
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::params::examples::EXAMPLES;
use fedsysid::params::{Draft, MatrixKey};
use serde_json::json;
use thirtyfour::Key;

/// The selector of an entry's box.
fn cell(key: &str, row: usize, col: usize) -> String {
    format!("#app #cell-{key}-{row}-{col}")
}

async fn value(page: &Page, css: &str) -> Result<String> {
    page.eval("return document.querySelector(arguments[0]).value;", &[css.into()]).await
}

/// How many boxes the entries of a matrix have.
async fn n_cells(page: &Page, key: &str) -> Result<usize> {
    page.eval("return document.querySelectorAll(arguments[0]).length;", &[json!(format!("#app #control-{key} .cell"))])
        .await
}

async fn said(page: &Page, testid: &str) -> Result<String> {
    Ok(page.texts(&format!(r#"#app [data-testid="{testid}"]"#)).await?.concat())
}

/// The id of the element that has the focus.
async fn focused(page: &Page) -> Result<String> {
    page.eval("return document.activeElement.id;", &[]).await
}

/// Types into a box what replaces its content.
async fn enter(page: &Page, css: &str, text: &str) -> Result<()> {
    page.focus(css).await?;
    page.type_text(text).await?;
    page.press([Key::Enter]).await
}

/// Pastes a text where the focus is, as a browser does where a page lets it.
async fn paste(page: &Page, text: &str) -> Result<()> {
    page.eval("witness.paste(arguments[0]);", &[json!(text)]).await
}

/// Checks that the address says this, and that Explore shows the numbers of a native run of it.
async fn expect_run_of(page: &Page, settings: &str) -> Result<()> {
    let expected = format!("?view=systems&{settings}");
    page.wait(&format!("the address {expected}"), PATIENCE, &format!("location.search === {}", json!(expected)))
        .await?;
    page.settle().await?;
    page.click("#app .tab[data-view=explore]").await?;
    page.settle().await?;
    let native = Native::of(settings)?;
    page.expect(&native, native.n_rounds()).await?;
    page.click("#app .tab[data-view=systems]").await?;
    page.settle().await
}

#[test]
fn new_data_are_of_the_same_systems_and_new_systems_keep_how_data_are_drawn() {
    // The first is the systems' own, the other that of their data.
    const PRESS: &str = "document.querySelectorAll('#app .slider[data-param=systems] .another')[arguments[0]].click();";
    Story::new().tell(async |page| {
        page.open("view=systems&q=3&M=5&part=0.99").await?;
        let before = said(page, "fleet").await?;
        page.eval::<()>(PRESS, &[json!(1)]).await?;
        expect_run_of(page, "M=5&q=3&seed=8&systems=7&part=0.99").await?;
        ensure!(said(page, "fleet").await? == before, "new data have changed the systems");
        let numbers = (page.number("seed").await?, page.number("systems").await?);
        ensure!(numbers == ("8".into(), "7".into()), "the page shows {numbers:?}");
        page.eval::<()>(PRESS, &[json!(0)]).await?;
        expect_run_of(page, "M=5&q=3&seed=8&systems=8&part=0.99").await?;
        ensure!(said(page, "fleet").await? != before, "new systems are the old ones");
        page.click("#app .slider[data-param=systems] .reset-mark").await?;
        expect_run_of(page, "M=5&q=3&seed=8&part=0.99").await
    });
}

#[test]
fn an_entry_that_is_typed_is_run() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        let before = (said(page, "stability").await?, said(page, "verdict").await?);
        enter(page, &cell("A", 1, 1), "0,9").await?;
        page.settle().await?;
        ensure!(value(page, &cell("A", 1, 1)).await? == "0.9");
        ensure!(value(page, "#app #cell-A").await? == "0.9,0.5,0.4;0,0.4,0.3;0,0,0.3");
        let after = (said(page, "stability").await?, said(page, "verdict").await?);
        ensure!(after.0.contains("spectral radius is 0.9,") && after.0 != before.0 && after.1 != before.1, "{after:?}");
        ensure!(said(page, "modes").await? == "The eigenvalues of A₀ are 0.9, 0.4, 0.3.");
        expect_run_of(page, "q=3&A=0.9,0.5,0.4;0,0.4,0.3;0,0,0.3").await
    });
}

#[test]
fn a_matrix_that_is_pasted_fills_the_field() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        page.focus(&cell("A", 2, 3)).await?;
        paste(page, "A = [0.9 0.1 ...\n 0; -0.1, 0.8 0\n 0 0 0.5];").await?;
        page.settle().await?;
        ensure!(value(page, &cell("A", 2, 1)).await? == "-0.1" && value(page, &cell("A", 3, 3)).await? == "0.5");
        page.focus("#app #cell-B").await?;
        paste(page, "np.array([1., 0.5, 0.])").await?;
        page.settle().await?;
        let complaints = said(page, "grid-complaints").await?;
        ensure!(complaints.starts_with("B₀: the row is read as a column."), "{complaints}");
        ensure!(complaints.contains("Now n = 3 and p = 1:"), "{complaints}");
        page.wait("the focus in one of the other boxes", PATIENCE, "document.activeElement.matches('.grid input')")
            .await?;
        ensure!(value(page, "#app #cell-U").await? == "1;0;0" && n_cells(page, "U").await? == 3);
        ensure!(said(page, "reach").await?.starts_with("Not controllable"), "{}", said(page, "reach").await?);
        page.focus(&cell("V", 1, 1)).await?;
        paste(page, "0\t0\t0\r\n0,25\t0\t0\r\n0\t0\t0\r\n").await?;
        page.settle().await?;
        let settings = "q=3&A=0.9,0.1,0;-0.1,0.8,0;0,0,0.5&B=1;0.5;0&V=0,0,0;0.25,0,0;0,0,0&U=1;0;0";
        expect_run_of(page, settings).await?;
        // What cannot be read is named, and changes nothing.
        page.focus(&cell("A", 1, 1)).await?;
        paste(page, "[1 2 3; 4 x 6; 7 8 9]").await?;
        let complaint = said(page, "grid-complaints").await?;
        ensure!(complaint == "A₀ stays as it is: row 2, column 2: “x” is not a number.", "{complaint}");
        ensure!(value(page, &cell("A", 1, 1)).await? == "0.9");
        expect_run_of(page, settings).await
    });
}

#[test]
fn an_entry_that_cannot_be_read_stays_and_is_named() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        let bad = cell("A", 1, 2);
        enter(page, &bad, "o.5").await?;
        let complaint = said(page, "grid-complaints").await?;
        ensure!(complaint == "A₀, row 1, column 2: “o.5” is not a number; 0.5 is still used.", "{complaint}");
        enter(page, &cell("A", 1, 1), "0.7").await?;
        page.settle().await?;
        ensure!(value(page, &bad).await? == "o.5", "what was typed is lost: {}", value(page, &bad).await?);
        let is_marked = "document.querySelector('#app #cell-A-1-2').getAttribute('aria-invalid') === 'true'";
        ensure!(page.is(is_marked).await?);
        enter(page, &bad, "0.25").await?;
        page.settle().await?;
        ensure!(said(page, "grid-complaints").await?.is_empty() && !page.is(is_marked).await?);
        enter(page, &bad, "1e9").await?;
        page.settle().await?;
        ensure!(value(page, &bad).await? == "1000000");
        let notices = page.notices().await?;
        let expected =
            "A = 1e9 is out of range: allowed −1000000 to 1000000, using 1000000; the default is the paper’s.";
        ensure!(notices == [expected], "{notices:?}");
        // Where something else than the boxes sets the matrices, nothing is to be corrected any more.
        enter(page, &bad, "x").await?;
        ensure!(!said(page, "grid-complaints").await?.is_empty());
        page.click("#app .changes button:nth-child(3)").await?;
        page.settle().await?;
        ensure!(said(page, "grid-complaints").await?.is_empty() && !page.is(is_marked).await?);
        ensure!(value(page, &bad).await? == "0.5", "the box still shows {}", value(page, &bad).await?);
        Ok(())
    });
}

#[test]
fn every_example_converges_and_is_a_link() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        for (place, example) in EXAMPLES.iter().enumerate().rev() {
            page.click(&format!("#app .systems .preset:nth-child({})", place + 1)).await?;
            page.settle().await?;
            ensure!(said(page, "example-text").await? == example.description());
            let pressed = page.texts(r#"#app .systems .preset[aria-pressed="true"]"#).await?;
            ensure!(pressed == [example.name()], "{pressed:?}");
            ensure!(said(page, "complaints").await?.is_empty(), "{}: {}", example.id, said(page, "complaints").await?);
            let expected = example.applied_to(&Draft::from_query("q=3").0);
            let rows = expected.systems.dims().n_states;
            let last = value(page, &cell("A", rows, rows)).await?;
            ensure!(last == expected.systems.get(MatrixKey::A)[(rows - 1, rows - 1)].to_string(), "{last}");
            let n_cells = (n_cells(page, "V").await?, n_cells(page, "B").await?);
            ensure!(n_cells == (rows * rows, rows * expected.systems.dims().n_inputs), "{n_cells:?}");
            let n_marks = page.is("document.querySelectorAll('#app .plane path').length === 4").await?;
            ensure!(n_marks && !said(page, "verdict").await?.is_empty());
            expect_run_of(page, &expected.to_query()).await?;
        }
        Ok(())
    });
}

#[test]
fn arrow_keys_walk_from_box_to_box() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        page.focus(&cell("A", 1, 1)).await?;
        for (key, expected) in [
            (Key::Right, "cell-A-1-2"),
            (Key::Down, "cell-A-2-2"),
            (Key::Left, "cell-A-2-1"),
            (Key::Left, "cell-A-2-1"),
            (Key::Up, "cell-A-1-1"),
            (Key::Tab, "cell-A-1-2"),
        ] {
            page.press([key.clone()]).await?;
            ensure!(focused(page).await? == expected, "{key:?} leads to {}", focused(page).await?);
        }
        // Within a number that is being typed, arrows move the caret; leaving the box takes it over.
        page.type_text("12").await?;
        page.press([Key::Left]).await?;
        page.type_text(".").await?;
        page.press([Key::Left, Key::Left, Key::Left]).await?;
        ensure!(focused(page).await? == "cell-A-1-1", "{}", focused(page).await?);
        page.settle().await?;
        ensure!(value(page, &cell("A", 1, 2)).await? == "1.2");
        page.type_text("x").await?;
        page.press([Key::Escape]).await?;
        ensure!(value(page, &cell("A", 1, 1)).await? == "0.6" && said(page, "grid-complaints").await?.is_empty());
        Ok(())
    });
}

#[test]
fn sizes_change_and_what_fits_stays() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3").await?;
        page.click(r#"#app [data-stepper="n"] .step:first-of-type"#).await?;
        page.click(r#"#app [data-stepper="p"] .step:last-of-type"#).await?;
        page.settle().await?;
        ensure!(value(page, "#app #cell-A").await? == "0.6,0.5;0,0.4");
        ensure!(n_cells(page, "A").await? == 4 && n_cells(page, "U").await? == 6);
        ensure!(value(page, "#app #cell-B").await? == "1,0.5,0;0.5,1,0");
        expect_run_of(page, "q=3&A=0.6,0.5;0,0.4&B=1,0.5,0;0.5,1,0&V=0,0;0,1&U=1,0,0;0,0,0").await
    });
}

#[test]
fn a_link_with_a_bad_matrix_says_so_and_leads_to_it() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3&A=1,2;3").await?;
        let notices = page.notices().await?;
        let expected =
            "A = 1,2;3 cannot be used: row 2 has 1 entry and row 1 has 2; allowed 1×1 to 6×6, using the paper’s, the default.";
        ensure!(notices == [expected], "{notices:?}");
        page.click("#app .notice .dismiss, #app .notice button").await?;
        ensure!(focused(page).await? == "control-A", "{}", focused(page).await?);
        Ok(())
    });
}

#[test]
fn clients_are_looked_at_one_by_one_and_saved() {
    Story::new().tell(async |page| {
        page.open("view=systems&q=3&M=120").await?;
        page.eval::<()>("document.querySelector('#app [data-client=\"7\"]').click();", &[]).await?;
        page.wait(
            "client 8",
            PATIENCE,
            "/A of client 8/.test(document.querySelector('#app [data-testid=client]').textContent)",
        )
        .await?;
        let csv = page.saved_by("#app .fleet-head button").await?;
        let native = Draft::from_query("M=120").0.check()?;
        let rows: Vec<_> = csv.lines().skip(1).collect();
        ensure!(rows.len() == 120);
        let a = native.systems()[119].a();
        let numbers: Vec<f64> = rows[119].split(',').map(str::parse).collect::<Result<_, _>>()?;
        ensure!(numbers[7..16] == *a.transpose().as_slice(), "{numbers:?} {a}");
        Ok(())
    });
}

#[test]
fn the_largest_systems_fit_on_a_phone() {
    let phone = Screen { size: (390, 844), pixel_ratio: 2.0, touch: true };
    Story::new().on(phone).tell(async |page| {
        let six = "1,0,0,0,0,0;0,1,0,0,0,0;0,0,1,0,0,0;0,0,0,1,0,0;0,0,0,0,1,0;0,0,0,0,0,0.12345";
        page.open(&format!("view=systems&q=3&T=2&A={six}")).await?;
        ensure!(
            page.is("document.documentElement.scrollWidth <= innerWidth").await?,
            "the page is wider than the phone"
        );
        let last = page.rect(&cell("A", 6, 6)).await?;
        ensure!(last.width >= 44.0 && last.height >= 44.0 && last.left + last.width <= 390.0, "{last:?}");
        Ok(())
    });
}
