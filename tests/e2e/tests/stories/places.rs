//! The page works from any folder and under a strict content security policy.

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::site::Hosting;
use e2e::story::Story;

/// The page with a worker, drawn, moved and read out.
async fn everything_works(page: &Page) -> Result<()> {
    page.open("M=20").await?;
    page.expect_what_is_set().await?;
    page.enter("eps", "0.4").await?;
    page.expect_what_is_set().await?;
    page.drag("M", &[0.7], 20).await?;
    page.expect_what_is_set().await?;
    let report = page.report().await?;
    ensure!(report.workers == 1 && page.complaints().await?.is_empty(), "the worker does not work here");
    let cross = the_cross_is_where_it_belongs(page).await;
    let violations = page.report().await?.violations;
    ensure!(violations.is_empty(), "the policy is violated: {violations:#?}");
    cross
}

/// The crosshair is placed by styles, which a strict policy allows in one way and refuses in another.
async fn the_cross_is_where_it_belongs(page: &Page) -> Result<()> {
    let chart = page.rect("#app .chart").await?;
    let spot = chart.at(0.5, 0.5);
    page.perform(e2e::gesture::Gesture::mouse().to(spot, 0)).await?;
    let line = page.rect("#app .cross-line").await?;
    ensure!((line.left - spot.x).abs() < 10.0 && line.height > 50.0, "the cross is at {line:?} instead of {spot:?}");
    Ok(())
}

#[test]
fn in_a_folder_of_a_larger_site() {
    let hosting = Hosting { folder: "/some/where/", ..Hosting::default() };
    Story::new().hosted(hosting).tell(async |page| {
        everything_works(page).await?;
        let failed: Vec<_> = page.site().answered().into_iter().filter(|answered| answered.status >= 400).collect();
        ensure!(failed.is_empty(), "{failed:?}");
        Ok(())
    });
}

#[test]
fn under_a_strict_policy() {
    const HEADERS: &[(&str, &str)] = &[("content-security-policy", STRICT)];
    const STRICT: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
                          style-src 'self'; connect-src 'self'; img-src 'self' data:";
    Story::new().hosted(Hosting { headers: HEADERS, ..Hosting::default() }).tell(everything_works);
}

/// Without the program there is the picture, and a sentence that says why it does not move.
#[test]
fn a_program_that_does_not_load_leaves_the_picture() {
    let hosting = Hosting { missing: &["_bg.wasm"], ..Hosting::default() };
    Story::new().hosted(hosting).expecting_errors(&["_bg.wasm", "WebAssembly"]).tell(async |page| {
        page.visit("").await?;
        page.wait("the sentence", PATIENCE, "document.querySelector('#shell .failure').checkVisibility()").await?;
        ensure!(page.is("document.querySelector('#shell .chart svg').checkVisibility()").await?, "there is no picture");
        Ok(())
    });
}

/// One download of each file: the worker compiles nothing anew.
#[test]
fn the_module_is_loaded_once() {
    Story::new().tell(async |page| {
        page.open("").await?;
        let answered = page.site().answered();
        let modules = answered.iter().filter(|answered| answered.path.contains(".wasm")).count();
        ensure!(modules == 1, "{answered:#?}");
        ensure!(answered.iter().all(|answered| answered.status < 400), "{answered:#?}");
        Ok(())
    });
}
