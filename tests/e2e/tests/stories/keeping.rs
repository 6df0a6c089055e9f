//! What was found is kept, compared, sent and come back to.

use anyhow::{Context, Result, ensure};
use e2e::native::Native;
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use fedsysid::figure::number::beside_one;
use serde_json::json;

/// The pins: names, and what is said of each.
async fn pins(page: &Page) -> Result<Vec<(String, String)>> {
    const SCRIPT: &str = "
        const items = [...document.querySelectorAll('#app .pin-list li')];
        return items.map((item) => [item.querySelector('input').value, item.querySelector('.pin-words').textContent]);";
    page.eval(SCRIPT, &[]).await
}

async fn name_of_view(page: &Page) -> Result<String> {
    page.eval("return document.querySelector('main').dataset.view;", &[]).await
}

/// Waits until the address says this, and what is on screen is settled.
async fn expect_address(page: &Page, search: &str) -> Result<()> {
    page.wait(&format!("the address {search:?}"), PATIENCE, &format!("location.search === {search:?}")).await?;
    page.settle().await
}

/// What a pin says of the change of FedLin's final error.
fn outcome(before: &str, after: &str) -> Result<String> {
    let last = |query: &str| {
        let native = Native::of(query)?;
        let readings = native.readings(native.n_rounds());
        readings.into_iter().find(|(role, _)| *role == "fedlin").and_then(|(_, error)| error).context("an error")
    };
    Ok(format!("FedLin: {}× the error", beside_one(last(after)? / last(before)?)))
}

/// The picture on the chart, once it is drawn.
async fn look(page: &Page) -> Result<u32> {
    page.next_frames().await?;
    page.sketch().await
}

/// Waits until the chart is the picture of before.
async fn looks_like(page: &Page, sketch: u32) -> Result<()> {
    page.wait("the picture of before", PATIENCE, &format!("witness.sketch() === {sketch}")).await.map(drop)
}

#[test]
fn a_pinned_run_stays_as_a_ghost_and_says_what_has_become_of_it() {
    Story::new().tell(async |page| {
        page.open("M=5").await?;
        let before = look(page).await?;
        page.click("#app .pins-head button").await?;
        page.settle().await?;
        ensure!(pins(page).await? == [("A".into(), "the settings of now".into())]);
        page.enter("M", "100").await?;
        page.settle().await?;
        let said = pins(page).await?;
        ensure!(said == [("A".into(), format!("M 5 → 100: {}", outcome("M=5", "M=100")?))], "{said:?}");
        let with_ghost = look(page).await?;
        expect_address(page, "?M=100&pin=M:5~name:A").await?;
        // The link alone brings the ghost back.
        page.open("M=100&pin=M:5~name:A").await?;
        looks_like(page, with_ghost).await?;
        ensure!(pins(page).await? == said);
        page.click(r#"#app [data-return="0"]"#).await?;
        expect_address(page, "?M=5&pin=name:A").await?;
        page.expect(&Native::of("M=5")?, 200).await?;
        page.click(r#"#app [data-delete="0"]"#).await?;
        page.settle().await?;
        looks_like(page, before).await?;
        ensure!(pins(page).await?.is_empty());
        Ok(())
    });
}

/// Whatever is looked at, what has become of a pin is known.
#[test]
fn pins_have_their_numbers_in_every_view_that_lists_them() {
    Story::new().tell(async |page| {
        for view in ["sweep=K:1,5", "view=tradeoff&q=4", "view=map", "view=systems"] {
            page.open(&format!("{view}&M=20&R=50&pin=M:5~name:A")).await?;
            let said = pins(page).await?;
            ensure!(said.len() == 1 && said[0].1.contains("× the error"), "{view}: {said:?}");
        }
        Ok(())
    });
}

#[test]
fn pins_are_named_and_at_most_six() {
    Story::new().tell(async |page| {
        page.open("q=3").await?;
        for _ in 0..6 {
            page.click("#app .pins-head button").await?;
        }
        ensure!(page.is("document.querySelector('#app .pins-head button').ariaDisabled === 'true'").await?);
        page.focus(r#"#app [data-pin="1"]"#).await?;
        page.eval::<()>("document.activeElement.select();", &[]).await?;
        page.type_text("a <b> & ~ name").await?;
        page.press([thirtyfour::Key::Enter]).await?;
        page.settle().await?;
        let names: Vec<_> = pins(page).await?.into_iter().map(|(name, _)| name).collect();
        ensure!(names == ["A", "a <b> & ~ name", "C", "D", "E", "F"], "{names:?}");
        page.wait("the focus to be where it was", PATIENCE, "document.activeElement.dataset.pin === '1'").await?;
        Ok(())
    });
}

/// What is said beside a name may change with every result, and the name is typed on.
#[test]
fn a_name_is_typed_while_the_words_beside_it_change() {
    Story::new().tell(async |page| {
        page.open("q=3&M=20&pin=M:5~name:A").await?;
        page.focus("#app [data-pin]").await?;
        page.eval::<()>("window.box = document.activeElement; box.select();", &[]).await?;
        page.type_text("few").await?;
        let before = pins(page).await?;
        // Typed as if by somebody else, who leaves the focus where it is.
        page.eval::<()>(
            "const box = document.querySelector(arguments[0]); box.value = '0.6'; \
             box.dispatchEvent(new Event('change', { bubbles: true }));",
            &[json!(e2e::page::number_box("eps"))],
        )
        .await?;
        page.expect_what_is_set().await?;
        let after = pins(page).await?;
        ensure!(after[0].0 == "few" && after[0].1 != before[0].1 && after[0].1.contains("ε"), "{before:?} {after:?}");
        ensure!(page.is("document.activeElement === window.box").await?, "the box is another one");
        page.type_text(" clients").await?;
        page.press([thirtyfour::Key::Enter]).await?;
        page.settle().await?;
        ensure!(pins(page).await?[0].0 == "few clients");
        Ok(())
    });
}

#[test]
fn changes_are_undone_and_made_again() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.drag("M", &[0.9, 0.4], 20).await?;
        page.expect_what_is_set().await?;
        let dragged = page.query().await?;
        page.enter("eps", "0.6").await?;
        page.expect_what_is_set().await?;
        let both = page.query().await?;
        page.press_with_control('z').await?;
        expect_address(page, &dragged).await?;
        page.press_with_control('z').await?;
        expect_address(page, "").await?;
        page.expect_what_is_set().await?;
        page.press_with_control('y').await?;
        page.click("#app .changes button:nth-child(2)").await?;
        expect_address(page, &both).await?;
        page.click("#app .changes button:nth-child(3)").await?;
        expect_address(page, "").await?;
        page.click("#app .changes button:nth-child(1)").await?;
        expect_address(page, &both).await?;
        page.expect_what_is_set().await
    });
}

/// What is being typed is the browser's to undo.
#[test]
fn a_box_that_is_typed_in_keeps_its_own_undo() {
    Story::new().tell(async |page| {
        page.open("M=60").await?;
        page.focus(&e2e::page::number_box("eps")).await?;
        page.type_text("0.9").await?;
        page.press_with_control('z').await?;
        ensure!(page.number("M").await? == "60");
        page.press([thirtyfour::Key::Escape]).await?;
        ensure!(page.number("eps").await? == "0.3");
        Ok(())
    });
}

#[test]
fn back_and_forward_lead_through_the_views() {
    Story::new().tell(async |page| {
        page.open("M=20&q=4").await?;
        page.click("#app [data-view=map]").await?;
        expect_address(page, "?view=map&M=20&q=4").await?;
        page.enter("M", "30").await?;
        expect_address(page, "?view=map&M=30&q=4").await?;
        page.travel(-1).await?;
        expect_address(page, "?M=20&q=4").await?;
        ensure!(name_of_view(page).await? == "explore");
        page.expect(&Native::of("M=20&q=4")?, 200).await?;
        page.travel(1).await?;
        expect_address(page, "?view=map&M=30&q=4").await?;
        ensure!(name_of_view(page).await? == "map" && page.number("M").await? == "30");
        Ok(())
    });
}

/// An entry that says the same in other words than the page would is left as it is, and what comes after it too.
#[test]
fn back_writes_nothing() {
    const MORE: &str = "
        const slider = document.querySelector('#app [data-param=M] input[type=range]');
        slider.stepUp();
        slider.dispatchEvent(new Event('input', { bubbles: true }));";
    Story::new().tell(async |page| {
        let by_hand = "M=20&eps=0,5&q=4&seed=7";
        page.open(by_hand).await?;
        page.click("#app [data-view=map]").await?;
        expect_address(page, "?view=map&M=20&eps=0.5&q=4").await?;
        let entries = n_entries(page).await?;
        page.eval::<()>(MORE, &[]).await?;
        page.wait("a write", PATIENCE, "!location.search.includes('M=20&')").await?;
        // The next one waits for its turn, and is of the entry that is left.
        page.eval::<()>(&format!("{MORE} history.back();"), &[]).await?;
        page.wait("the view before", PATIENCE, "document.querySelector('#app main').dataset.view === 'explore'")
            .await?;
        page.settle().await?;
        page.expect(&Native::of(by_hand)?, 200).await?;
        expect_address(page, &format!("?{by_hand}")).await?;
        page.travel(1).await?;
        page.wait("the view after", PATIENCE, "document.querySelector('#app main').dataset.view === 'map'").await?;
        ensure!(n_entries(page).await? == entries);
        Ok(())
    });
}

async fn n_entries(page: &Page) -> Result<u32> {
    page.eval("return history.length;", &[]).await
}

#[test]
fn a_scenario_is_saved_and_opened() {
    Story::new().tell(async |page| {
        page.open("view=tradeoff&M=20&q=4&schedule=local&pin=eps:0.5~name:far").await?;
        page.click("#app .menu > summary").await?;
        let file = page.saved_by("#app .menu-row button").await?;
        page.open("").await?;
        page.choose_file("#app [data-testid=open-scenario]", "mine.json", &file).await?;
        expect_address(page, "?view=tradeoff&M=20&q=4&schedule=local&pin=eps:0.5~name:far").await?;
        ensure!(page.notices().await?.is_empty());
        let damaged = file.replace("\"M\": 20", "\"M\": 0");
        page.choose_file("#app [data-testid=open-scenario]", "mine.json", &damaged).await?;
        expect_address(page, "?view=tradeoff&M=1&q=4&schedule=local&pin=eps:0.5~name:far").await?;
        ensure!(page.notices().await? == ["M = 0 is out of range: allowed 1 to 10000, using 1; the default is 50."]);
        page.choose_file("#app [data-testid=open-scenario]", "other.json", "{\"format\": \"x\"}").await?;
        page.wait("a reason", PATIENCE, "document.querySelector('#app .problem').textContent !== ''").await?;
        let said: Vec<_> = page.texts("#app .problem").await?.into_iter().filter(|text| !text.is_empty()).collect();
        let expected = "other.json: this file is not a scenario: its “format” is “x”, a scenario’s is “fedsysid-scenario”. Nothing was changed.";
        ensure!(said == [expected], "{said:?}");
        Ok(())
    });
}

#[test]
fn the_link_is_copied_in_one_press_or_offered() {
    Story::new().tell(async |page| {
        page.open("M=20").await?;
        let copied = "
            const text = new Promise((resolve) => {
              navigator.clipboard.writeText = (text) => window.Promise.resolve(resolve(text));
            });
            document.querySelector('#app .share > button').click();
            return text;";
        let text: String = page.eval(copied, &[]).await?;
        ensure!(text == page.site().url("?M=20"), "{text}");
        page.wait("words", PATIENCE, "document.querySelector('#app .said').textContent === 'Link copied'").await?;
        let refused = "
            navigator.clipboard.writeText = () => window.Promise.reject(new Error('no'));
            document.execCommand = () => false;
            document.querySelector('#app .share > button').click();";
        page.eval::<()>(refused, &[]).await?;
        page.wait("the menu", PATIENCE, "document.querySelector('#app .menu').open").await?;
        ensure!(page.is(&format!("document.querySelector('#app .link').value === {text:?}")).await?);
        Ok(())
    });
}
