//! The page works in hard places: in any folder, under strict policies, in sandboxed frames, as one file, without a network.

mod offline; // the server is gone, or has another version
mod one_file; // from disk
mod policy; // content security policies; no WebAssembly
mod sandbox; // frames whose origin is nobody's
mod storage; // nothing is kept

use anyhow::{Result, ensure};
use e2e::page::{PATIENCE, Page, views};
use e2e::site::Hosting;
use e2e::story::{KEEPING_NOTHING, Story};
use serde_json::json;

/// A machine on which several workers are started, whatever this one has.
const FOUR_CORES: &str = "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => 4 });";

/// Shows a view, and waits until it is complete.
async fn turn_to(page: &Page, view: &str) -> Result<()> {
    const PRESS: &str = "document.querySelector(`#app .tab[data-view=${arguments[0]}]`).click();";
    page.eval::<()>(PRESS, &[json!(view)]).await?;
    page.settle().await?;
    let shown: String = page.eval("return document.querySelector('#app main').dataset.view;", &[]).await?;
    ensure!(shown == view, "{shown} is shown instead of {view}");
    Ok(())
}

/// All views, with as many workers as there may be, all started in one way; and the numbers are the native ones.
async fn all_views_work(page: &Page, way: &str) -> Result<()> {
    page.expect_what_is_set().await?;
    for view in views() {
        turn_to(page, view).await?;
    }
    turn_to(page, "data").await?;
    page.eval::<()>(
        "[...document.querySelectorAll('#app .data button')].find((b) => b.textContent === 'Try the example').click();",
        &[],
    )
    .await?;
    page.wait("the example", PATIENCE, "document.querySelector('#app .data .cards:not([hidden]) .matrix')").await?;
    turn_to(page, "explore").await?;
    let complaints = page.complaints().await?;
    ensure!(complaints.is_empty(), "{complaints:?}");
    let from: Vec<String> = page.eval("return witness.workers.map(({ from }) => from);", &[]).await?;
    // Three for experiments, one for data.
    ensure!(from.len() == 4 && from.iter().all(|from| from.starts_with(way)), "workers came from {from:?}");
    Ok(())
}

/// The words in place of the program.
async fn words_without_program(page: &Page) -> Result<String> {
    page.wait(
        "the words",
        PATIENCE,
        "document.querySelector('#shell .not-started')?.checkVisibility({ visibilityProperty: true })",
    )
    .await?;
    ensure!(page.is("document.querySelector('#shell .chart svg').checkVisibility()").await?, "there is no picture");
    page.eval("return document.querySelector('#shell .not-started').innerText.trim();", &[]).await
}

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

/// One download of each file: the worker compiles nothing anew. (What is kept for later, after two seconds, is asked for again
/// where a browser keeps nothing by itself.)
#[test]
fn the_module_is_loaded_once() {
    Story::new().where_first(KEEPING_NOTHING).tell(async |page| {
        page.open("").await?;
        let answered = page.site().answered();
        let modules = answered.iter().filter(|answered| answered.path.contains(".wasm")).count();
        ensure!(modules == 1, "{answered:#?}");
        ensure!(answered.iter().all(|answered| answered.status < 400), "{answered:#?}");
        Ok(())
    });
}
