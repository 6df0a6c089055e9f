//! What has a time limit. One browser at a time, and nothing else meanwhile.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use e2e::page::{PATIENCE, Page};
use e2e::story::Story;
use e2e::witness::LongTask;

/// Milliseconds from navigation to the first live curve.
const FIRST_CURVE_MS: f64 = 1_500.0;

/// How soon a new setting is on screen that takes the place of a long run.
const SUPERSEDED_WITHIN: Duration = Duration::from_secs(1);

const IN_PROGRESS: &str = r#"document.querySelector('#app [data-testid="progress"] progress')"#;

#[test]
fn the_first_live_curve_comes_soon() {
    Story::new().alone().tell(async |page| {
        page.open("").await?;
        page.wait("the first curve", PATIENCE, "witness.report().firstCurve").await?;
        let first = page.report().await?.first_curve.context("it was there")?;
        e2e::report(format_args!("first live curve {first:.0} ms after navigation"));
        ensure!(first <= FIRST_CURVE_MS, "the first curve took {first} ms");
        page.expect_what_is_set().await
    });
}

/// No task over 50 ms since [`Page::watch`]; prints what was seen.
async fn was_smooth(page: &Page, what: &str) -> Result<()> {
    let (frames, tasks) = (page.watched().await?, page.report().await?.long_tasks);
    let longest = tasks.iter().map(|task: &LongTask| task.ms).fold(0.0, f64::max);
    e2e::report(format_args!(
        "{what}: {} tasks over 50 ms (longest {longest} ms), {} frames (longest gap {:.0} ms), {} pictures",
        tasks.len(),
        frames.frames,
        frames.longest_gap,
        frames.pictures,
    ));
    ensure!(tasks.is_empty(), "{what}: {tasks:?}");
    ensure!(frames.pictures >= 10, "{what}: the chart shows only {} pictures", frames.pictures);
    Ok(())
}

/// Drags M and ε to and fro for ten seconds in all.
async fn drag_for_ten_seconds(page: &Page, what: &str) -> Result<()> {
    page.watch().await?;
    for key in ["M", "eps"] {
        page.drag(key, &[0.95, 0.02, 0.8], 104).await?;
    }
    was_smooth(page, what).await?;
    page.expect_what_is_set().await?;
    page.query().await.map(drop)
}

#[test]
fn dragging_is_smooth_and_ends_right() {
    Story::new().alone().tell(async |page| {
        page.open("").await?;
        drag_for_ten_seconds(page, "dragging").await
    });
}

#[test]
fn without_workers_dragging_is_smooth_too() {
    let refuse = "globalThis.Worker = class { constructor() { throw new DOMException('', 'SecurityError'); } };";
    Story::new().alone().where_first(refuse).tell(async |page| {
        page.open("").await?;
        drag_for_ten_seconds(page, "dragging without workers").await
    });
}

#[test]
fn a_long_run_shows_progress_and_gives_way() {
    Story::new().alone().tell(async |page| {
        page.visit("M=200&N=1000&T=20&q=200").await?;
        let shown = page.wait("progress", PATIENCE, IN_PROGRESS).await?;
        page.watch().await?;
        let some = "document.querySelector('#app progress')?.value > 0.3";
        let passed = page.wait("some progress", PATIENCE, some).await?;
        e2e::report(format_args!("progress after {} ms, 0.3 of it after {} ms", shown.as_millis(), passed.as_millis()));
        was_smooth(page, "a long run").await?;
        page.enter("M", "5").await?;
        let superseded = page.settle_within(SUPERSEDED_WITHIN).await?;
        e2e::report(format_args!("a new setting was on screen after {} ms", superseded.as_millis()));
        page.expect_what_is_set().await
    });
}
