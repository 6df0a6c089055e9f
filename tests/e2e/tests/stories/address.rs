//! The address says what is set, no more and no less, and is not written too often.

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;

/// Browsers refuse to write the address too often; the page allows itself one write in this many milliseconds.
const EVERY_MS: f64 = 300.0;

/// What may pass between the page's look at the clock and its write.
const SLACK_MS: f64 = 10.0;

#[test]
fn the_address_is_not_written_too_often_and_ends_right() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.drag("M", &[0.9, 0.1, 0.6], 60).await?;
        page.expect_what_is_set().await?;
        let query = page.query().await?;
        let writes = page.report().await?.address_writes;
        let gaps: Vec<_> = writes.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
        ensure!(writes.len() >= 4, "the address did not follow the drag: {writes:?}");
        ensure!(gaps.iter().all(|&gap| gap >= EVERY_MS - SLACK_MS), "{gaps:?}");
        ensure!(writes.last().is_some_and(|write| write.url.ends_with(&query)), "{query} {writes:?}");
        Ok(())
    });
}

/// Browsers that count writes over half a minute refuse none of a long drag, and what is drawn keeps up with it.
#[test]
fn a_drag_of_twenty_seconds_is_within_what_browsers_allow() {
    const MOVES: u32 = 125;
    Story::new().tell(async |page| {
        page.open("R=50&q=4").await?;
        page.watch().await?;
        let path = [0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.55];
        page.drag("eps", &path, MOVES).await?;
        let seen = page.watched().await?;
        page.expect_what_is_set().await?;
        let query = page.query().await?;
        let writes = page.report().await?.address_writes;
        let lasted = writes.last().map_or(0.0, |last| last.at) - writes.first().map_or(0.0, |first| first.at);
        ensure!(lasted >= 18_000.0, "the drag took {lasted} ms");
        let gaps: Vec<_> = writes.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
        ensure!(gaps.iter().all(|&gap| gap >= EVERY_MS - SLACK_MS), "{gaps:?}");
        ensure!(writes.last().is_some_and(|write| write.url.ends_with(&query)), "{query} {writes:?}");
        ensure!(seen.pictures >= 40, "only {} pictures were drawn on the way", seen.pictures);
        Ok(())
    });
}

#[test]
fn the_address_opened_again_gives_the_same_page() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.enter("alpha", "0.000123").await?;
        page.enter("eps", "0,777").await?;
        page.drag("N", &[0.5], 20).await?;
        page.unfold().await?;
        page.click(r#"#app .segment:has(input[value="local"])"#).await?;
        page.click(r#"#app .segment:has(input[value="half"])"#).await?;
        page.enter("seed", "20260101").await?;
        page.expect_what_is_set().await?;
        let (before, query) = (page.shown().await?, page.query().await?);
        page.open(&query).await?;
        ensure!(page.shown().await? == before);
        ensure!(page.notices().await?.is_empty() && page.query().await? == query);
        ensure!(page.report().await?.address_writes.is_empty(), "an address that is right is left alone");
        Ok(())
    });
}

#[test]
fn back_at_the_defaults_the_address_is_clean() {
    Story::new().tell(async |page| {
        page.open("M=100&eps=0.5&schedule=local&alg=fedlin").await?;
        for key in ["M", "eps"] {
            page.click(&format!(r#"#app .slider[data-param="{key}"] .reset-mark"#)).await?;
        }
        page.click(r#"#app .algorithm[data-role="fedavg"]"#).await?;
        page.unfold().await?;
        page.click(r#"#app .segment:has(input[value="constant"])"#).await?;
        page.expect_what_is_set().await?;
        ensure!(page.query().await?.is_empty());
        let href: String = page.eval("return location.href;", &[]).await?;
        ensure!(href == page.site().url(""), "{href}");
        Ok(())
    });
}

#[test]
fn the_rest_of_the_address_and_the_history_stay_as_they_are() {
    Story::new().tell(async |page| {
        page.open("M=60#notes").await?;
        let before: usize = page.eval("return history.length;", &[]).await?;
        page.drag("eps", &[0.8, 0.5], 20).await?;
        page.expect_what_is_set().await?;
        page.query().await?;
        ensure!(page.eval::<String>("return location.hash;", &[]).await? == "#notes");
        ensure!(page.eval::<usize>("return history.length;", &[]).await? == before, "Back would not leave the page");
        Ok(())
    });
}

/// The roles under the chart.
async fn roles(page: &Page) -> Result<Vec<String>> {
    Ok(page.shown().await?.readings.into_iter().map(|reading| reading.role).collect())
}

#[test]
fn an_algorithm_switched_off_takes_its_number_along() {
    Story::new().tell(async |page| {
        page.open("").await?;
        page.next_frames().await?;
        let references = ["client-alone", "pooled", "mean-of-locals"];
        let with = |methods: &[&'static str]| [methods, &references].concat();
        let picture = page.sketch().await?;
        for (press, left, query) in [
            ("fedavg", with(&["fedlin"]), "?alg=fedlin"),
            ("fedlin", with(&[]), "?alg=none"),
            ("fedavg", with(&["fedavg"]), "?alg=fedavg"),
            ("fedlin", with(&["fedlin", "fedavg"]), ""),
        ] {
            page.click(&format!(r#"#app .algorithm[data-role="{press}"]"#)).await?;
            page.expect_what_is_set().await?;
            ensure!(roles(page).await? == left, "{press}: {:?}", roles(page).await?);
            ensure!(page.query().await? == query);
        }
        let same = format!("witness.sketch() === {picture}");
        page.wait("the picture of the same settings", PATIENCE, &same).await.map(drop)
    });
}

#[test]
fn presets_change_the_link_and_keep_the_seed() {
    Story::new().tell(async |page| {
        page.open("seed=11&M=3").await?;
        for (name, query) in [
            ("As printed", "?eps=0.01&seed=11&schedule=rounds"),
            ("Authors’ code", "?eps=0.01&seed=11&schedule=local&start=half"),
            ("Default", "?seed=11"),
        ] {
            let script = "
                const presets = [...document.querySelectorAll('#app .preset')];
                presets.find((preset) => preset.textContent === arguments[0]).click();";
            page.eval::<()>(script, &[name.into()]).await?;
            page.expect_what_is_set().await?;
            ensure!(page.query().await? == query, "{name}: {}", page.query().await?);
            let pressed = page.texts("#app .preset[aria-pressed=true]").await?;
            ensure!(pressed == [name], "{pressed:?}");
        }
        Ok(())
    });
}

#[test]
fn theme_and_reload() {
    Story::new().tell(async |page| {
        page.open("").await?;
        let picture = page.sketch().await?;
        page.click("#app .theme-choice option[value=dark]").await?;
        page.wait("the dark picture", e2e::page::PATIENCE, &format!("witness.sketch() !== {picture}")).await?;
        let dark = page.sketch().await?;
        page.open("").await?;
        let script = "return document.documentElement.dataset.theme;";
        ensure!(page.eval::<String>(script, &[]).await? == "dark", "the choice is forgotten");
        page.wait("the dark picture", e2e::page::PATIENCE, &format!("witness.sketch() === {dark}")).await?;
        Ok(())
    });
}
